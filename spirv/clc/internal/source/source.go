// Package source keeps the text of a translation unit and says where things are in it.
//
// A [Pos] is one number for a place in any file of a [Set]. Tokens that come from a macro have a position of
// their own, which leads to the place in the macro's definition that the token is spelled at ([Set.Spelling])
// and to the place where the macro is used ([Set.Use]).
//
// The preprocessor makes positions; every other part of the compiler copies them; package diag turns them into
// text. The package does not read files: texts come in as strings.
package source

import (
	"slices"
	"sort"
	"strings"
)

// Pos is a place in a Set; 0 is no place. Positions below 2³¹ are places in files, in the order in which the
// files were added; the others are tokens that macros made.
type Pos uint32

// expanded marks positions of tokens that macros made.
const expanded Pos = 1 << 31

// MaxText is the number of bytes that all files of a Set may have together.
const MaxText = 1<<31 - 1<<20

// maxExpansions is the number of tokens from macros that a Set tells apart. Those beyond it have the place at
// which the outermost macro is used.
const maxExpansions = 1 << 22

// IsMacro reports whether the token at p came from a macro.
func (p Pos) IsMacro() bool { return p&expanded != 0 }

// File is one text: the source, a header, or the definitions of a command line.
type File struct {
	Name     string
	Text     string
	Included Pos // the #include that asked for it; 0 for others

	base  Pos
	lines []uint32 // offsets of the beginnings of lines, made when they are asked for
	near  int      // the line that the last question was about
	marks []mark   // #line directives, in order
}

// mark says that lines behind offset have other numbers, or another file's name.
type mark struct {
	offset uint32
	line   int    // number of the line that begins at or behind offset
	name   string // empty: that of the file
	index  int    // which line of the text that is, from 0; -1 until it is needed
}

// Pos returns the position of a byte of the file.
func (f *File) Pos(offset int) Pos { return f.base + Pos(offset) }

// Offset is the inverse of Pos.
func (f *File) Offset(p Pos) int { return int(p - f.base) }

// Column returns how many bytes of its line stand before a byte of the file.
func (f *File) Column(offset int) int { return offset - int(f.lines0()[f.lineAt(offset)]) }

// SetLine notes a #line directive: the line that begins at offset has number line, and from there on the file is
// called name, if that is not empty. Calls come in ascending order of offsets.
func (f *File) SetLine(offset, line int, name string) {
	if name == "" && len(f.marks) > 0 {
		name = f.marks[len(f.marks)-1].name
	}
	f.marks = append(f.marks, mark{uint32(offset), line, name, -1})
}

// expansion is a token that a macro made.
type expansion struct {
	spelling Pos // a place in a file
	use      Pos // where the macro is used; may be in another macro
	macro    int32
}

// Set is the files of a translation unit. It is not safe for concurrent use.
type Set struct {
	files      []*File
	next       Pos
	expansions []expansion
	macros     []string
	last       *File // where the last question led
}

// NewSet returns a Set without files.
func NewSet() *Set { return &Set{next: 1} }

// Add adds a file. It returns nil when the texts together are longer than MaxText.
func (s *Set) Add(name, text string, included Pos) *File {
	if uint64(s.next)+uint64(len(text))+1 > MaxText {
		return nil
	}
	f := &File{Name: name, Text: text, Included: included, base: s.next}
	s.next += Pos(len(text)) + 1 // the end of a file is a position too
	s.files = append(s.files, f)
	return f
}

// Macro notes the name of a macro for Expand.
func (s *Set) Macro(name string) int32 {
	s.macros = append(s.macros, name)
	return int32(len(s.macros) - 1)
}

// Expand returns the position of a token that is spelled at spelling and that a macro (see Macro) makes where it
// is used.
func (s *Set) Expand(spelling, use Pos, macro int32) Pos {
	if len(s.expansions) >= maxExpansions {
		return s.Use(use)
	}
	if len(s.expansions) == cap(s.expansions) {
		// Twice the size each time, so that a large set is not copied often.
		s.expansions = slices.Grow(s.expansions, max(256, len(s.expansions)))
	}
	s.expansions = append(s.expansions, expansion{s.Spelling(spelling), use, macro})
	return expanded | Pos(len(s.expansions)-1)
}

// Spelling returns the place in a file at which the token is written.
func (s *Set) Spelling(p Pos) Pos {
	if p.IsMacro() {
		return s.expansion(p).spelling
	}
	return p
}

// expansion returns how a macro's token came to be. A position of another Set leads nowhere.
func (s *Set) expansion(p Pos) expansion {
	if i := int(p &^ expanded); i < len(s.expansions) {
		return s.expansions[i]
	}
	return expansion{macro: -1}
}

// Use returns the place in a file at which the token, or the outermost macro that made it, is written.
func (s *Set) Use(p Pos) Pos {
	for p.IsMacro() {
		p = s.expansion(p).use
	}
	return p
}

// Expansion is one step from a macro's token towards the place where the macro is used.
type Expansion struct {
	Macro    string
	Spelling Pos // where the token is written; a place in a file
	Use      Pos // where the macro is used; may be in another macro
}

// Expansions returns the macros that made a token, the innermost first.
func (s *Set) Expansions(p Pos) []Expansion {
	var list []Expansion
	for p.IsMacro() {
		e := s.expansion(p)
		if e.macro >= 0 {
			list = append(list, Expansion{s.macros[e.macro], e.spelling, e.use})
		}
		p = e.use
	}
	return list
}

// File returns the file that p is in, after Use; nil for 0.
func (s *Set) File(p Pos) *File {
	p = s.Use(p)
	if p == 0 || p >= s.next {
		return nil
	}
	if f := s.last; f != nil && p >= f.base && int(p-f.base) <= len(f.Text) {
		return f
	}
	i := sort.Search(len(s.files), func(i int) bool { return s.files[i].base > p }) - 1
	s.last = s.files[i]
	return s.last
}

// Position is a place as people name it. Line and Column count from 1; columns are bytes.
type Position struct {
	File         string
	Line, Column int
}

// Position returns the name of a place, after Use and #line directives.
func (s *Set) Position(p Pos) Position {
	f := s.File(p)
	if f == nil {
		return Position{}
	}
	offset := f.Offset(s.Use(p))
	i := f.lineAt(offset)
	pos := Position{f.Name, i + 1, offset - int(f.lines[i]) + 1}
	if len(f.marks) == 0 {
		return pos
	}
	k := sort.Search(len(f.marks), func(k int) bool { return int(f.marks[k].offset) > offset }) - 1
	if k < 0 {
		return pos
	}
	m := &f.marks[k]
	if m.index < 0 {
		m.index = f.lineAt(int(m.offset))
	}
	pos.Line = m.line + i - m.index
	if m.name != "" {
		pos.File = m.name
	}
	return pos
}

// End returns the position behind the token of length bytes at p.
func (s *Set) End(p Pos, length int) Pos {
	if p.IsMacro() {
		return p
	}
	return p + Pos(length)
}

// Line returns the text of the line that p is in, after Use, without its end.
func (s *Set) Line(p Pos) string {
	f := s.File(p)
	if f == nil {
		return ""
	}
	lines := f.lines0()
	i := f.lineAt(f.Offset(s.Use(p)))
	text := f.Text[lines[i]:]
	if i+1 < len(lines) {
		text = f.Text[lines[i] : lines[i+1]-1]
	}
	return strings.TrimSuffix(text, "\r")
}

// lines0 returns the beginnings of lines, and finds them at the first call.
func (f *File) lines0() []uint32 {
	if f.lines == nil {
		f.lines = append(make([]uint32, 0, strings.Count(f.Text, "\n")+1), 0)
		for i := 0; ; {
			n := strings.IndexByte(f.Text[i:], '\n')
			if n < 0 {
				break
			}
			i += n + 1
			f.lines = append(f.lines, uint32(i))
		}
	}
	return f.lines
}

// lineAt returns the number of the line, from 0, that a byte is in.
func (f *File) lineAt(offset int) int {
	lines := f.lines0()
	if k := f.near; k < len(lines) && int(lines[k]) <= offset {
		// Questions come in order, mostly.
		for n := 0; n < 4; n++ {
			if k+1 == len(lines) || int(lines[k+1]) > offset {
				f.near = k
				return k
			}
			k++
		}
	}
	f.near = sort.Search(len(lines), func(i int) bool { return int(lines[i]) > offset }) - 1
	return f.near
}
