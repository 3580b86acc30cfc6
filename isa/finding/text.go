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

// maxCalls is how many of the calls around a place the text form shows.
const maxCalls = 8

// Style says how findings are written.
type Style struct {
	// Color marks parts of the text by ANSI escape sequences, for terminals.
	Color bool
	// Verbose adds the SPIR-V instruction to findings that show a line of source.
	Verbose bool
}

// Text returns the finding as a block of lines, the last one ended too, in the
// default style:
//
//	error[E-OOB]: out-of-bounds write of 4 bytes
//	 --> vecadd.cl:4:2 in kernel vecadd
//	  |
//	4 |     c[i] = a[i] + b[i];
//	  |     ^~~~ c[16] is past the end: c has 16 elements of float (64 bytes)
//	  = note: c is argument 2 of kernel vecadd, 64 bytes
//	  = note: work-item (16,0,0): local (0,0,0) in group (16,0,0), sub-group 0, lane 0
//	  = help: test the index before the access, as in `if (i < n)`
//	  = reproduce: lockstep run vecadd.spv -kernel vecadd -global 17
//
// Lines about which nothing is known are left out.
func (f *Finding) Text() string { return f.Format(Style{}) }

// Format returns the finding as a block of lines, the last one ended too.
func (f *Finding) Format(s Style) string {
	w := newWriter(s, &f.Place)
	label := clean(f.Detail, maxSource)
	w.b.WriteString(w.paint(f.paintOfSeverity(), fmt.Sprintf("%s[%s]", f.severity(), f.Code)))
	message := clean(f.Message, maxSource)
	if f.detailContinues() {
		message += " " + label
		label = ""
	}
	w.b.WriteString(w.paint(bold, ": "+message) + "\n")
	f.where(w)
	if w.snippet(&f.Place, label, f.paintOfSeverity()) {
		label = ""
	}
	if label != "" {
		w.note("note", label)
	}
	f.calls(w)
	if f.Object != nil {
		w.note("note", f.Object.text(f.Kernel))
	}
	if f.WorkItem != nil {
		w.note("note", "work-item "+f.WorkItem.String())
	}
	for i := range f.Parties {
		w.note("note", f.Parties[i].Text())
	}
	for _, n := range f.Notes {
		w.note("note", clean(n, maxSource))
	}
	if text := f.times(); text != "" {
		w.note("note", text)
	}
	if s.Verbose && f.Place.Source != "" {
		if inst := f.Place.instruction(); inst != "" {
			w.note("note", "SPIR-V: "+inst)
		}
	}
	for _, h := range f.Help {
		w.note("help", clean(h, maxSource))
	}
	if f.Reproduce != "" {
		w.note("reproduce", clean(f.Reproduce, maxReproduce))
	}
	return w.b.String()
}

// maxReproduce bounds the command line that makes a finding happen again; one
// that is cut is of no use.
const maxReproduce = 16 << 10

// Headline returns what happened, in one line, without the code.
func (f *Finding) Headline() string {
	s := clean(f.Message, maxSource)
	switch {
	case f.Detail == "":
	case f.detailContinues():
		s += " " + clean(f.Detail, maxSource)
	default:
		s += ": " + clean(f.Detail, maxSource)
	}
	return s
}

// Summary returns what happened, with the code, and where and to whom, in one line.
func (f *Finding) Summary() string {
	where := []string{string(f.Code)}
	if f.Kernel != "" {
		where = append(where, "kernel "+clean(f.Kernel, maxName))
	}
	if pos := f.Place.short(); pos != "" {
		where = append(where, pos)
	}
	if w := f.WorkItem; w != nil {
		where = append(where, "work-item "+triple(w.Global))
	}
	return f.Headline() + " (" + strings.Join(where, ", ") + ")"
}

func (f *Finding) severity() Severity {
	if f.Severity == "" {
		return Error
	}
	return f.Severity
}

// detailContinues says whether the detail goes on where the message ends.
func (f *Finding) detailContinues() bool {
	word, _, _ := strings.Cut(f.Detail, " ")
	return word == "in" || word == "after"
}

// where writes the line that says in which file, function and kernel it happened.
func (f *Finding) where(w *writer) {
	p := &f.Place
	pos := p.Position()
	fn := clean(p.Function, maxName)
	switch {
	case fn != "" && p.Function != f.Kernel:
		fn = "function " + fn
	case f.Kernel != "":
		fn = "kernel " + clean(f.Kernel, maxName)
	}
	switch {
	case pos != "" && fn != "":
		pos += " in " + fn
	case pos == "":
		pos = fn
		if p.Word != 0 {
			pos = strings.TrimPrefix(fmt.Sprintf("%s, word %d", fn, p.Word), ", ")
		}
		if pos == "" {
			return
		}
	}
	w.b.WriteString(w.gutter + w.paint(blue, "-->") + " " + pos + "\n")
}

// calls writes the calls that were inlined around the place, the innermost first.
func (f *Finding) calls(w *writer) {
	for i := range f.Place.Calls {
		if i == maxCalls {
			w.note("note", fmt.Sprintf("and further calls: %d", len(f.Place.Calls)-i))
			return
		}
		c := &f.Place.Calls[i]
		text := "called"
		if pos := position(c.File, c.Line, c.Column); pos != "" {
			text += " at " + pos
		}
		switch {
		case c.Function == "":
		case c.Function == f.Kernel && i == len(f.Place.Calls)-1:
			text += " in kernel " + clean(c.Function, maxName)
		default:
			text += " in function " + clean(c.Function, maxName)
		}
		w.note("note", text+quoted(c.Source))
	}
}

// quoted is a line of source behind a place.
func quoted(source string) string {
	if source = strings.TrimSpace(source); source == "" {
		return ""
	}
	return ": " + clean(source, maxSource)
}

// times says how often it happened, where it was not once.
func (f *Finding) times() string {
	s := fmt.Sprintf("%d work-items", f.Count)
	switch d, _ := Describe(f.Code); {
	case f.Count <= 1:
		return ""
	case d.Bytes && f.Access != nil && f.Count <= f.Access.Bytes:
		return ""
	case d.Bytes:
		return Bytes(f.Count) + " in all; one place is shown"
	case d.Repeats:
		s = fmt.Sprintf("%d times", f.Count)
	}
	if f.Groups > 1 {
		s += fmt.Sprintf(" in %d work-groups", f.Groups)
	}
	return s + "; the first is shown"
}

// text says what the object is.
func (o *Object) text(kernel string) string {
	var kind string
	switch o.Kind {
	case ObjectArgument:
		kind = fmt.Sprintf("argument %d", o.Index)
	case ObjectVariable:
		kind = "a program-scope variable"
	case ObjectLocal:
		kind = "a local variable"
	case ObjectPrivate:
		kind = "a private variable"
	default:
		kind = "a buffer"
	}
	s := kind
	if o.Name != "" {
		s = clean(o.Name, maxName) + " is " + kind
	}
	if kernel != "" {
		if o.Kind == ObjectVariable || o.Kind == ObjectBuffer {
			s += ", used by"
		} else {
			s += " of"
		}
		s += " kernel " + clean(kernel, maxName)
	}
	if o.Type != "" {
		s += ": " + clean(o.Type, maxName)
	}
	return s + ", " + Bytes(o.Bytes)
}

// Bytes returns a size as people write it: "1 byte", "64 bytes".
func Bytes(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// triple writes three numbers as work-items and work-groups are written.
func triple(n [3]uint64) string { return fmt.Sprintf("(%d,%d,%d)", n[0], n[1], n[2]) }

// String returns the work-item as the text form has it, without the word
// "work-item".
func (w *WorkItem) String() string {
	return fmt.Sprintf("%s: local %s in group %s, sub-group %d, lane %d", triple(w.Global), triple(w.Local), triple(w.Group), w.SubGroup, w.Lane)
}

// Position returns "file:line:column" as far as it is known, or "".
func (p *Place) Position() string { return position(p.File, p.Line, p.Column) }

func position(file string, line, column uint32) string {
	if file == "" {
		return ""
	}
	s := clean(file, maxName)
	if line != 0 {
		s += fmt.Sprintf(":%d", line)
		if column != 0 {
			s += fmt.Sprintf(":%d", column)
		}
	}
	return s
}

// instruction returns the instruction with its word.
func (p *Place) instruction() string {
	inst := clean(p.Instruction, maxSource)
	if p.Word == 0 {
		return inst
	}
	return strings.TrimPrefix(fmt.Sprintf("%s (word %d)", inst, p.Word), " ")
}

// short returns the place in a few words: its position in the source, else the
// opcode and word of the instruction.
func (p *Place) short() string {
	if pos := p.Position(); pos != "" {
		return pos
	}
	op := clean(p.Instruction, maxName)
	if i := strings.Index(op, " = "); i >= 0 {
		op = op[i+3:]
	}
	op, _, _ = strings.Cut(op, " ")
	if p.Word == 0 {
		return op
	}
	return strings.TrimPrefix(fmt.Sprintf("%s, word %d", op, p.Word), ", ")
}

// Text tells of the party in one line, as findings do: which work-items, what they do, and where.
func (p *Party) Text() string {
	s := clean(p.Does, maxSource)
	switch {
	case p.WorkItem != nil:
		s += " work-item " + p.WorkItem.String() + ","
	case len(p.Items) > 0:
		word := "work-items"
		if p.Items.Len() == 1 {
			word = "work-item"
		}
		s = fmt.Sprintf("%s %s %s", word, p.Items, s)
	}
	if at := p.Place.short(); at != "" {
		return s + " at " + at + quoted(p.Place.Source)
	}
	return strings.TrimSuffix(s, ",")
}

// clean makes text from a module fit for one line of a terminal: control
// characters, which could move the cursor or colour the screen, and bytes that
// are no UTF-8 become visible replacements.
func clean(s string, limit int) string {
	if strings.ContainsFunc(s, harmful) {
		s = strings.Map(func(r rune) rune {
			switch {
			case r == '\t':
				return ' '
			case harmful(r):
				return utf8.RuneError
			}
			return r
		}, s)
	}
	return clip(s, limit)
}

// harmful says whether a character may do something to a terminal other than
// show up in its place.
func harmful(r rune) bool {
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
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
