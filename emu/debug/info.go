package debug

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
)

// info is what is known of a kernel's code: lines, calls, variables, types.
type info struct {
	program *isa.Program
	kernel  *isa.Kernel
	blockOf []int // by instruction
	types   []*Type
	base    baseTypes
	file    string // of the kernel's first line
}

func newInfo(p *isa.Program, k *isa.Kernel) *info {
	i := &info{program: p, kernel: k, blockOf: make([]int, len(k.Code))}
	for b := range k.Blocks {
		for pc := k.Blocks[b].Start; pc < k.Blocks[b].End; pc++ {
			i.blockOf[pc] = b
		}
	}
	i.makeTypes()
	for pc := range k.Code {
		if l := i.loc(pc); l.Line != 0 && l.At == 0 {
			i.file = p.Files[l.File]
			break
		}
	}
	return i
}

// loc returns the place of an instruction.
func (i *info) loc(pc int) isa.Loc {
	if pc < 0 || pc >= len(i.kernel.Code) {
		return isa.Loc{}
	}
	return i.kernel.Locs[i.kernel.Code[pc].Loc]
}

// scopeOf returns the scope of a place, 0 where that is not known.
func (i *info) scopeOf(loc uint32) uint32 {
	if d := i.kernel.Debug; d != nil && int(loc) < len(d.LocScopes) {
		return d.LocScopes[loc]
	}
	return 0
}

// within says whether a frame, by the call that it was inlined at, is inside another one or the same.
func (i *info) within(frame, outer uint32) bool {
	for {
		if frame == outer {
			return true
		}
		if frame == 0 {
			return false
		}
		frame = i.kernel.Locs[frame].At
	}
}

// Place is a line of a source.
type Place struct {
	File         string
	Line, Column int // 1-based; 0 is "unknown"
	Function     string
}

// place returns a place for people.
func (i *info) place(l isa.Loc) Place {
	return Place{File: i.program.Files[l.File], Line: int(l.Line), Column: int(l.Column), Function: i.program.Functions[l.Func]}
}

// PlaceOf returns where in the source an instruction comes from: of a function's beginning, the function's
// line.
func (s *Session) PlaceOf(pc int) Place {
	if pc < 0 || pc >= len(s.kernel.Code) {
		return Place{}
	}
	return s.info.placeAt(s.kernel.Code[pc].Loc)
}

// placeAt returns a place, of a function's beginning the function's line.
func (i *info) placeAt(loc uint32) Place {
	l := i.kernel.Locs[loc]
	p := i.place(l)
	if l.Line == 0 {
		if sc := i.scopeOf(loc); sc != 0 {
			scope := &i.kernel.Debug.Scopes[sc]
			p.File, p.Line = i.program.Files[scope.File], int(scope.Line)
		}
	}
	return p
}

// Files returns the names of the files that have code, in the order in which the code names them first.
func (s *Session) Files() (list []string) {
	s.eachCode(func() {
		for pc := range s.kernel.Code {
			if l := s.info.loc(pc); l.Line != 0 {
				if f := s.program.Files[l.File]; !slices.Contains(list, f) {
					list = append(list, f)
				}
			}
		}
	})
	return list
}

// sameFile says whether a name that a person gave means a file.
func sameFile(file, name string) bool {
	if name == "" || file == name {
		return true
	}
	file, name = path.Clean(strings.ReplaceAll(file, `\`, "/")), path.Clean(strings.ReplaceAll(name, `\`, "/"))
	return file == name || strings.HasSuffix(file, "/"+name) || strings.HasSuffix(name, "/"+file)
}

// LinesWithCode returns the lines of a file that have code, in ascending order.
func (s *Session) LinesWithCode(file string) (lines []int) {
	s.eachCode(func() {
		for pc := range s.kernel.Code {
			if l := s.info.loc(pc); l.Line != 0 && sameFile(s.program.Files[l.File], file) {
				lines = append(lines, int(l.Line))
			}
		}
	})
	slices.Sort(lines)
	return slices.Compact(lines)
}

// starts returns, for each inlined body, the first instruction for which is holds, in the order of the code.
func (i *info) starts(is func(l isa.Loc) bool) (pcs []int) {
	seen := map[uint32]bool{}
	for pc := range i.kernel.Code {
		if l := i.loc(pc); l.Line != 0 && is(l) && !seen[l.At] {
			seen[l.At] = true
			pcs = append(pcs, pc)
		}
	}
	return pcs
}

// lineStarts returns where a line begins, in each body that has it, and the line: the next one that has code.
func (i *info) lineStarts(file string, line int) (pcs []int, at int) {
	best := 0
	for pc := range i.kernel.Code {
		l := i.loc(pc)
		if l.Line != 0 && int(l.Line) >= line && sameFile(i.program.Files[l.File], file) && (best == 0 || int(l.Line) < best) {
			best = int(l.Line)
		}
	}
	if best == 0 {
		return nil, 0
	}
	return i.starts(func(l isa.Loc) bool { return int(l.Line) == best && sameFile(i.program.Files[l.File], file) }), best
}

// functionStarts returns where a function begins, in each place where it was inlined.
func (i *info) functionStarts(name string) []int {
	return i.starts(func(l isa.Loc) bool { return i.program.Functions[l.Func] == name })
}

// Functions returns the names of the kernel and of the functions that are part of it, in alphabetical order.
func (s *Session) Functions() []string {
	var list []string
	s.eachCode(func() {
		for pc := range s.kernel.Code {
			if l := s.info.loc(pc); l.Func != 0 {
				list = append(list, s.program.Functions[l.Func])
			}
		}
	})
	slices.SortFunc(list, cmp.Compare[string])
	return slices.Compact(list)
}

// Instruction is an instruction of the bytecode, as text.
type Instruction struct {
	PC    int
	Block int
	Start bool // of its block
	Text  string
	Place Place
	Word  int // offset of the SPIR-V instruction in its module, in words; 0 where that is not known
}

// Disassemble returns the instructions from one on, n at most.
func (s *Session) Disassemble(from, n int) (list []Instruction) {
	from = max(from, 0)
	for pc := from; pc < len(s.kernel.Code) && n > 0; pc++ {
		b := s.info.blockOf[pc]
		list = append(list, Instruction{
			PC: pc, Block: b, Start: pc == s.kernel.Blocks[b].Start, Text: s.kernel.InstText(&s.kernel.Code[pc]),
			Place: s.PlaceOf(pc), Word: int(s.info.loc(pc).Word),
		})
		n--
	}
	return list
}

// Instructions returns how many instructions the kernel has.
func (s *Session) Instructions() int { return len(s.kernel.Code) }
