package finding

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what the text form takes over from a module, in bytes.
const (
	maxName   = 200
	maxSource = 400
)

// Text returns the finding as a block of lines, the last one ended too:
//
//	lockstep: out-of-bounds write of 4 bytes (E-OOB) at c+64, 0 bytes past the end of the buffer
//	  argument 2 "c" of kernel vecadd, 64 bytes
//	  work-item global (16,0,0), local (0,0,0), group (16,0,0); sub-group 0, lane 0
//	  vecadd.cl:4:8   c[i] = a[i] + b[i];
//	  OpStore %19 %22 Aligned 4                (word 213)
//	  reproduce: -schedule seeded -seed 7
//
// Lines about which nothing is known are left out.
func (f *Finding) Text() string {
	var b strings.Builder
	b.WriteString(f.Headline())
	b.WriteByte('\n')
	switch o := f.Object; {
	case o != nil:
		b.WriteString("  " + o.text(f.Kernel) + "\n")
	case f.Kernel != "":
		fmt.Fprintf(&b, "  kernel %s\n", clean(f.Kernel, maxName))
	}
	if w := f.WorkItem; w != nil {
		fmt.Fprintf(&b, "  work-item %s\n", w)
	}
	f.Place.lines(&b, "  ")
	for i := range f.Parties {
		f.Parties[i].lines(&b)
	}
	if f.Count > 1 {
		if d, _ := Describe(f.Code); d.Repeats {
			fmt.Fprintf(&b, "  %d times", f.Count)
		} else {
			fmt.Fprintf(&b, "  %d work-items", f.Count)
		}
		if f.Groups > 1 {
			fmt.Fprintf(&b, " in %d work-groups", f.Groups)
		}
		b.WriteString("; the first is shown\n")
	}
	if f.Reproduce != "" {
		fmt.Fprintf(&b, "  reproduce: %s\n", clean(f.Reproduce, maxSource))
	}
	return b.String()
}

// Headline returns the first line of the text form.
func (f *Finding) Headline() string {
	s := fmt.Sprintf("lockstep: %s (%s)", clean(f.Message, maxSource), f.Code)
	switch word, _, _ := strings.Cut(f.Detail, " "); word {
	case "":
	case "at", "in", "after":
		s += " " + clean(f.Detail, maxSource)
	default:
		s += ": " + clean(f.Detail, maxSource)
	}
	return s
}

func (o *Object) text(kernel string) string {
	var b strings.Builder
	switch o.Kind {
	case ObjectArgument:
		fmt.Fprintf(&b, "argument %d", o.Index)
	case ObjectVariable:
		b.WriteString("program-scope variable")
	case ObjectLocal:
		b.WriteString("local variable")
	case ObjectPrivate:
		b.WriteString("private variable")
	default:
		b.WriteString("buffer")
	}
	if o.Name != "" {
		fmt.Fprintf(&b, " %q", clip(o.Name, maxName))
	}
	if kernel != "" {
		if o.Kind == ObjectVariable || o.Kind == ObjectBuffer {
			b.WriteString(", used by")
		} else {
			b.WriteString(" of")
		}
		fmt.Fprintf(&b, " kernel %s", clean(kernel, maxName))
	}
	fmt.Fprintf(&b, ", %s", Bytes(o.Bytes))
	return b.String()
}

// Bytes returns a size as people write it: "1 byte", "64 bytes".
func Bytes(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// String returns the work-item as the text form has it, without the word
// "work-item".
func (w *WorkItem) String() string {
	return fmt.Sprintf("global (%d,%d,%d), local (%d,%d,%d), group (%d,%d,%d); sub-group %d, lane %d",
		w.Global[0], w.Global[1], w.Global[2], w.Local[0], w.Local[1], w.Local[2],
		w.Group[0], w.Group[1], w.Group[2], w.SubGroup, w.Lane)
}

// lines writes the place as up to two lines.
func (p *Place) lines(b *strings.Builder, indent string) {
	if s := p.Position(); s != "" {
		b.WriteString(indent + s)
		if p.Source != "" {
			b.WriteString("   " + clean(strings.TrimSpace(p.Source), maxSource))
		}
		b.WriteByte('\n')
	}
	inst := clean(p.Instruction, maxSource)
	switch {
	case inst != "" && p.Word != 0:
		fmt.Fprintf(b, "%s%-40s (word %d)\n", indent, inst, p.Word)
	case inst != "":
		fmt.Fprintf(b, "%s%s\n", indent, inst)
	case p.Word != 0:
		fmt.Fprintf(b, "%s(word %d)\n", indent, p.Word)
	}
}

// Position returns "file:line:column" as far as it is known, or "".
func (p *Place) Position() string {
	if p.File == "" {
		return ""
	}
	s := clean(p.File, maxName)
	if p.Line != 0 {
		s += fmt.Sprintf(":%d", p.Line)
		if p.Column != 0 {
			s += fmt.Sprintf(":%d", p.Column)
		}
	}
	return s
}

// short returns the place in a few words, for the line of a party.
func (p *Place) short() string {
	op := clean(p.Instruction, maxName)
	if i := strings.Index(op, " = "); i >= 0 {
		op = op[i+3:]
	}
	op, _, _ = strings.Cut(op, " ")
	pos := p.Position()
	if pos == "" {
		pos, op = op, ""
	}
	var in []string
	if op != "" {
		in = append(in, op)
	}
	if p.Word != 0 {
		in = append(in, fmt.Sprintf("word %d", p.Word))
	}
	if len(in) == 0 {
		return pos
	}
	return strings.TrimPrefix(pos+" ("+strings.Join(in, ", ")+")", " ")
}

// lines writes the party. Several work-items take one line; a single one is told as
// fully as the finding's own.
func (p *Party) lines(b *strings.Builder) {
	does := clean(p.Does, maxSource)
	if p.WorkItem != nil {
		fmt.Fprintf(b, "  %s: work-item %s\n", does, p.WorkItem)
		p.Place.lines(b, "    ")
		return
	}
	b.WriteString("  ")
	if len(p.Items) > 0 {
		word := "work-items"
		if p.Items.Len() == 1 {
			word = "work-item"
		}
		fmt.Fprintf(b, "%s %s ", word, p.Items)
	}
	b.WriteString(does)
	if s := p.Place.short(); s != "" {
		b.WriteString(" at " + s)
	}
	b.WriteByte('\n')
}

// clean makes text from a module fit for one line of a terminal: control
// characters, which could move the cursor or colour the screen, and bytes that
// are no UTF-8 become visible replacements.
func clean(s string, limit int) string {
	bad := func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
	}
	if strings.ContainsFunc(s, bad) {
		s = strings.Map(func(r rune) rune {
			switch {
			case r == '\t':
				return ' '
			case bad(r):
				return utf8.RuneError
			}
			return r
		}, s)
	}
	return clip(s, limit)
}

// clip cuts s to limit bytes, at a rune, and says so.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
