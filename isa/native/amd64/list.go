package amd64

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// listing is what an assembler notes for [Assembler.Listing].
type listing struct {
	lines []line
	names map[Label]string
	field func(Mem) string
}

type lineKind uint8

const (
	lineInst lineKind = iota
	lineLabel
	lineNote
	lineSection
)

// line is a line of a listing: an instruction, or what stands between instructions.
type line struct {
	kind       lineKind
	pos, sites int // where it stands, as of a label
	text       string
	label      Label // of a jump, or that is bound here; -1 for none
	ref        *Mem  // the operand that is a label or a constant, or nil
}

// List has the assembler note what it appends from now on, for [Assembler.Listing]. Without it, noting
// costs nothing. field names places in memory, those of a structure behind a register for example; it
// returns "" for others, and may be nil.
func (a *Assembler) List(field func(Mem) string) {
	a.list = &listing{names: map[Label]string{}, field: field}
}

// Lists says whether the assembler notes what it appends, so that somebody reads what [Assembler.Note] is
// told.
func (a *Assembler) Lists() bool { return a.list != nil }

// Note puts a line of text between the instructions of the listing.
func (a *Assembler) Note(text string) {
	if a.list != nil {
		a.note(line{kind: lineNote, text: text, label: -1})
	}
}

// Section begins a section of the listing. Labels have the number of their section in front of their own,
// so that those of one section do not change with the code of another.
func (a *Assembler) Section(title string) {
	if a.list != nil {
		a.note(line{kind: lineSection, text: title, label: -1})
	}
}

func (a *Assembler) note(l line) {
	l.pos, l.sites = len(a.buf), len(a.sites)
	a.list.lines = append(a.list.lines, l)
}

// noteInst notes an instruction that is about to be appended.
func (a *Assembler) noteInst(text string, operands []Operand) {
	l := line{text: text, label: -1}
	for _, o := range operands {
		m, ok := o.(Mem)
		switch {
		case !ok:
		case m.kind == memLabel || m.kind == memConst:
			l.ref = &m
		case a.list.field != nil:
			if name := a.list.field(m); name != "" {
				l.text = strings.Replace(l.text, m.String(), "["+name+"]", 1)
			}
		}
	}
	a.note(l)
}

// noteBound notes that a label is bound here.
func (a *Assembler) noteBound(l Label) { a.note(line{kind: lineLabel, label: l}) }

// nameLabels gives labels names: the number of the section that they are bound in, and their own in that.
func (a *Assembler) nameLabels(used []bool) {
	section, bound := 0, 0
	for _, l := range a.list.lines {
		switch {
		case l.kind == lineSection:
			section, bound = section+1, 0
		case l.kind == lineLabel && used[l.label]:
			a.list.names[l.label] = fmt.Sprintf("L%d.%d", section, bound)
			bound++
		}
	}
}

// Listing returns what has been appended since [Assembler.List], in Intel's syntax, once the code is
// finished. With offsets, each instruction has its distance from the start of the function and its bytes in
// front. Without them, the text changes only where instructions do: constants are written out, and labels
// have names of their own in each section.
func (a *Assembler) Listing(code []byte, offsets bool) string {
	if a.list == nil || a.err != nil {
		return ""
	}
	before := a.relax()
	used := a.used()
	a.nameLabels(used)
	var b strings.Builder
	lines := a.list.lines
	at := func(i int) int {
		if i == len(lines) {
			return len(a.buf) + before[len(a.sites)]
		}
		return lines[i].pos + before[lines[i].sites]
	}
	for i := range lines {
		l := &lines[i]
		switch l.kind {
		case lineSection:
			fmt.Fprintf(&b, "\n%s\n", l.text)
		case lineNote:
			fmt.Fprintf(&b, "\t; %s\n", l.text)
		case lineLabel:
			if used[l.label] {
				fmt.Fprintf(&b, "%s:\n", a.list.names[l.label])
			}
		default:
			text := a.lineText(l)
			if offsets {
				text = offsetColumn(at(i), code[at(i):at(i+1)]) + text
			}
			fmt.Fprintf(&b, "\t%s\n", text)
		}
	}
	a.listTables(&b)
	if offsets {
		end := at(len(lines))
		fmt.Fprintf(&b, "\nconstants, at %#06x\n", end)
		for from := end; from < len(code); from += 16 {
			fmt.Fprintf(&b, "\t%#06x  %s\n", from, hex.EncodeToString(code[from:min(from+16, len(code))]))
		}
	}
	return b.String()
}

// offsetColumn is what stands in front of an instruction: where it is, and its bytes.
func offsetColumn(at int, code []byte) string {
	return fmt.Sprintf("%#06x  %-22s  ", at, hex.EncodeToString(code))
}

// lineText is the text of an instruction with names for labels and contents for constants.
func (a *Assembler) lineText(l *line) string {
	if l.label >= 0 {
		return l.text + " " + a.list.names[l.label]
	}
	if l.ref == nil {
		return l.text
	}
	name := ""
	if l.ref.kind == memLabel {
		name = a.list.names[Label(l.ref.id)]
	} else {
		name = a.constText(int(l.ref.id))
	}
	if l.ref.Disp != 0 {
		name += fmt.Sprintf("%+d", l.ref.Disp)
	}
	return strings.Replace(l.text, l.ref.String(), "["+name+"]", 1)
}

// constText is what stands for a constant: its elements where they are all the same, otherwise its bytes.
func (a *Assembler) constText(n int) string {
	c := &a.consts[n]
	if c.labels != nil {
		return fmt.Sprintf("table%d", a.tableNumber(n))
	}
	for _, size := range []int{1, 2, 4, 8} {
		if len(c.data)%size != 0 || c.data != strings.Repeat(c.data[:size], len(c.data)/size) || len(c.data) < size {
			continue
		}
		v := binary.LittleEndian.Uint64(append([]byte(c.data[:size]), make([]byte, 8)...))
		if len(c.data) == size {
			return fmt.Sprintf("%#x", v)
		}
		return fmt.Sprintf("%#x x %d", v, len(c.data)/size)
	}
	if len(c.data) > 64 {
		return fmt.Sprintf("%x… %d bytes", c.data[:32], len(c.data))
	}
	return hex.EncodeToString([]byte(c.data))
}

// tableNumber is the number of a table among the tables.
func (a *Assembler) tableNumber(n int) int {
	number := 0
	for i := range n {
		if a.consts[i].labels != nil {
			number++
		}
	}
	return number
}

// listTables writes where the entries of tables lead.
func (a *Assembler) listTables(b *strings.Builder) {
	for i := range a.consts {
		if a.consts[i].labels == nil {
			continue
		}
		fmt.Fprintf(b, "\ntable%d\n", a.tableNumber(i))
		for n, l := range a.consts[i].labels {
			fmt.Fprintf(b, "\t%d: %s\n", n, a.list.names[l])
		}
	}
}

// generalText is an instruction on general registers of s bits in Intel's syntax.
func generalText(op Gen, s Size, operands []Operand) string {
	name := op.String()
	if op == CDQ && s == B64 {
		name = "cqo"
	}
	sizes := [3]Size{s, s, s}
	switch op {
	case MOVZX8, MOVSX8:
		sizes[1] = B8
	case MOVZX16, MOVSX16:
		sizes[1] = B16
	case MOVSX32:
		sizes[1] = B32
	case ROL, ROR, SHL, SHR, SAR:
		sizes[1] = B8 // of RCX
	}
	return operandsText(name, sizes, operands)
}

// operandsText is a name with operands of some sizes in Intel's syntax.
func operandsText(name string, sizes [3]Size, operands []Operand) string {
	var parts []string
	for i, o := range operands {
		switch o := o.(type) {
		case Reg:
			parts = append(parts, o.name(sizes[i]))
		case Mem:
			parts = append(parts, sizeNames[int(sizes[i]/8)]+" ptr "+o.String())
		case Imm:
			parts = append(parts, fmt.Sprint(int64(o)))
		}
	}
	return strings.TrimSpace(name + " " + strings.Join(parts, ", "))
}
