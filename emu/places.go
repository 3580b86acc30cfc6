package emu

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// places finds the texts that belong to instructions: their disassembly and lines of
// source. It lives as long as one report.
type places struct {
	prog    *Program
	sources map[string][]string
}

func (p *Program) places() *places { return &places{prog: p, sources: make(map[string][]string)} }

// at returns the place of an instruction of a kernel.
func (s *places) at(k *isa.Kernel, pc int) finding.Place {
	var p finding.Place
	if pc < 0 || pc >= len(k.Code) {
		return p
	}
	in := &k.Code[pc]
	p.Instruction = k.InstText(in)
	of := s.loc(k, in.Loc)
	of.Instruction = cmp.Or(of.Instruction, p.Instruction)
	return of
}

// loc returns a place of a kernel, by its number.
func (s *places) loc(k *isa.Kernel, at uint32) finding.Place {
	var p finding.Place
	if at == 0 || int(at) >= len(k.Locs) {
		return p
	}
	loc := &k.Locs[at]
	if p.Word = loc.Word; p.Word != 0 {
		p.Instruction = s.prog.instruction(loc.Word)
	}
	if loc.File != 0 && int(loc.File) < len(s.prog.unit.latest.Load().Files) {
		name := s.prog.unit.latest.Load().Files[loc.File]
		p.Source = s.line(name, loc.Line)
		p.File, p.Line, p.Column = strings.TrimPrefix(name, "./"), loc.Line, loc.Column
	}
	p.Function = s.function(loc)
	callee := p.Function
	for at := loc.At; at != 0; at = k.Locs[at].At {
		l := &k.Locs[at]
		c := finding.Call{Function: s.function(l), Line: l.Line, Column: l.Column}
		if l.File != 0 && int(l.File) < len(s.prog.unit.latest.Load().Files) {
			name := s.prog.unit.latest.Load().Files[l.File]
			c.File, c.Source = strings.TrimPrefix(name, "./"), s.line(name, l.Line)
		}
		// A function without debug information that calls its namesake is one that
		// the translator made.
		if c.Line != 0 || c.Function != callee {
			p.Calls = append(p.Calls, c)
		}
		callee = c.Function
	}
	return p
}

// function returns the name of the function that a place stands in, or "".
func (s *places) function(l *isa.Loc) string {
	if int(l.Func) >= len(s.prog.unit.latest.Load().Functions) {
		return ""
	}
	return s.prog.unit.latest.Load().Functions[l.Func]
}

// instruction returns the text of the SPIR-V instruction at a word offset, or "". The names of ids
// are found when the first instruction is asked for; after that one instruction is printed and no more.
func (p *Program) instruction(word uint32) string {
	if p.module == nil {
		return ""
	}
	i, ok := slices.BinarySearchFunc(p.module.Insts, int(word), func(in spirv.Inst, word int) int { return in.Offset - word })
	if !ok {
		return ""
	}
	p.printing.Lock()
	defer p.printing.Unlock()
	if p.printer == nil {
		p.printer = asm.NewPrinter(p.module, false)
	}
	return p.printer.Inst(p.module.Insts[i])
}

// line returns a line (from 1) of a source file, or "".
func (s *places) line(file string, line uint32) string {
	lines, ok := s.sources[file]
	if !ok {
		text := s.prog.embedded(file)
		if text == nil && s.prog.sources != nil {
			// A file that cannot be read is no error: the line is only missing.
			text, _ = s.prog.sources(file)
		}
		lines = strings.Split(string(text), "\n")
		s.sources[file] = lines
	}
	if line == 0 || uint64(line) > uint64(len(lines)) {
		return ""
	}
	return strings.TrimSuffix(lines[line-1], "\r")
}

// embedded returns the text that the module has for a file (OpSource and
// OpSourceContinued), or nil.
func (p *Program) embedded(file string) []byte {
	if p.module == nil {
		return nil
	}
	var text []byte
	names := make(map[spirv.ID]string)
	found := false
	for _, in := range p.module.Insts {
		switch in.Op() {
		case spirv.OpString:
			names[in.ResultID()] = in.StringOperand(0)
		case spirv.OpSource:
			if found && text != nil {
				return text
			}
			ops := in.Operands()
			found = len(ops) > 3 && names[spirv.ID(ops[2])] == file
			if found {
				text = []byte(in.StringOperand(3))
			}
		case spirv.OpSourceContinued:
			if found {
				text = append(text, in.StringOperand(0)...)
			}
		case spirv.OpFunction:
			return text
		}
	}
	return text
}

// maxSourceFile is the largest file that FileSources reads, in bytes.
const maxSourceFile = 16 << 20

// FileSources reads source files that a module names, for
// ProgramOptions.Sources. It reads regular files of moderate size only, and only
// those that are called like source code, so that a module cannot make a finding
// print a line of just any file.
func FileSources(name string) ([]byte, error) {
	if !slices.Contains(sourceExtensions, strings.ToLower(filepath.Ext(name))) {
		return nil, fmt.Errorf("%s: %w", name, errNoSource)
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSourceFile {
		return nil, fmt.Errorf("%s: %w", name, errNoSource)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSourceFile))
	if err != nil {
		return nil, err
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return nil, fmt.Errorf("%s: %w", name, errNoSource)
	}
	return text, nil
}

var sourceExtensions = []string{".cl", ".clcpp", ".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc", ".spvasm"}

var errNoSource = errors.New("not a source file")
