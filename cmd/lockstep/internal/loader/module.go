package loader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// Module is a module as it was given.
type Module struct {
	Name string // for messages
	Path string // as given; "-" is standard input
	Data []byte // the SPIR-V binary
	Text bool   // it was given as text
	// compiled says that it was given as OpenCL C or for LLVM, and compiled on the way; own, by lockstep itself.
	compiled, Own bool
	// Code is the module in the place of data where env.source.codeOnly asks for that.
	Code *clc.Code
	// File is what data is when that is a binary of lockstep's and no module.
	File *binary.File
}

// Load reads a module, binary or text as its content says, assembles text, and compiles sources.
func Load(ctx context.Context, env *cmdline.Env, path string) (*Module, error) {
	data, err := cmdline.ReadFile(env, path)
	if err != nil {
		return nil, err
	}
	m := &Module{Name: cmdline.Display(path), Path: path, Data: data}
	if spirv.IsBinary(data) {
		return m, nil
	}
	if m.File, err = loadBinary(m.Name, data); err != nil || m.File != nil {
		return m, err
	}
	clang := env.Source != nil && env.Source.FrontEnd == cmdline.ClangFrontEnd
	if !clang && !IsBitcode(data) && strings.EqualFold(filepath.Ext(path), ".cl") {
		return m, compileOpenCL(ctx, env, m) // the name says so: the text need not be looked at
	}
	what, translate := compilable(data)
	switch {
	case !translate && !clang && takes(env.Source, path, what, data):
		return m, compileOpenCL(ctx, env, m)
	case what != "" && env.FrontEnd != nil:
		return m, compileSource(ctx, env, m, what, translate)
	}
	if why := notAModule(m.Name, path, data); why != "" {
		return nil, errors.New(why)
	}
	// Numbers stay what they are, so that diagnostics name the ids of the text.
	m.Data, err = asm.Assemble(string(data), asm.Options{PreserveNumericIDs: true})
	if err != nil {
		return nil, TextError(m.Name, err)
	}
	m.Text = true
	return m, nil
}

// TextError puts a file name before an assembler's error, as compilers do.
func TextError(name string, err error) error {
	var syntax *asm.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Decode is load followed by spirv.Decode.
func Decode(ctx context.Context, env *cmdline.Env, path string) (*Module, *spirv.Module, error) {
	m, err := Load(ctx, env, path)
	if err != nil {
		return nil, nil, err
	}
	if m.File != nil {
		return nil, nil, fmt.Errorf("%s is a compiled binary of lockstep, not a SPIR-V module; run, isa and info take it", m.Name)
	}
	sm, err := spirv.Decode(m.Data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.Name, err)
	}
	return m, sm, nil
}

// notAModule says what data is when it is neither a SPIR-V binary nor SPIR-V
// assembly, and what to do about it. It is empty for assembly.
func notAModule(name, path string, data []byte) string {
	if len(data) == 0 {
		return name + ": the file is empty"
	}
	base := "k"
	if path != "-" {
		base = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	} else {
		path = "k.bc"
	}
	switch {
	case IsBitcode(data):
		return fmt.Sprintf("%s is LLVM bitcode, not SPIR-V; translate it first:\n  llvm-spirv-15 %s -o %s.spv", name, path, base)
	case bytes.HasPrefix(data, []byte("\x7fELF")):
		return name + " is an ELF object file, not a SPIR-V module"
	case bytes.HasPrefix(data, []byte("\x93NUMPY")):
		return name + " is a NumPy array, not a SPIR-V module; arrays are arguments: -arg in:" + path
	case bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data):
		return fmt.Sprintf("%s is neither a SPIR-V binary (it starts with % x, and not with the magic number 0x07230203) nor text",
			name, data[:min(4, len(data))])
	}
	text := string(data)
	switch {
	case isAssembly(firstLine(text)):
		return ""
	case isLLVM(text):
		return fmt.Sprintf("%s is LLVM assembly, not SPIR-V; translate it first:\n  llvm-as-15 %s -o %s.bc && llvm-spirv-15 %s.bc -o %s.spv",
			name, path, base, base, base)
	}
	return name + " is neither a SPIR-V module nor OpenCL C (give a source a name that ends in .cl)"
}

// compilable says what data is that a front end makes a module of, "" for anything else, and whether the
// translator of LLVM's bitcode does so.
func compilable(data []byte) (what string, translate bool) {
	if IsBitcode(data) {
		return "LLVM bitcode", true
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return "", false
	}
	text := string(data)
	switch {
	case isAssembly(firstLine(text)) || isLLVM(text):
		return "", false
	case hasKernel(text), isSource(text):
		return "OpenCL C source", false
	}
	return "", false
}

// IsBitcode says whether data starts like LLVM bitcode, raw or wrapped.
func IsBitcode(data []byte) bool {
	if len(data) < 4 {
		return false
	}
	magic := uint32(data[0]) | uint32(data[1])<<8 | uint32(data[2])<<16 | uint32(data[3])<<24
	return magic == 0xdec04342 || magic == 0x0b17c0de
}

// firstLine returns the first line of text that is neither empty nor a comment
// of SPIR-V assembly.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != ';' {
			return line
		}
	}
	return ""
}

// KernelNames returns the names of the module's kernels that a shell can show on a line.
func (m *Module) KernelNames() (names []string) {
	add := func(name string) {
		if cmdline.Printable(name) == name && !strings.ContainsAny(name, " \t") {
			names = append(names, name)
		}
	}
	if m.File != nil {
		for _, k := range m.File.Program.Kernels {
			add(k.Name)
		}
		return names
	}
	sm, err := spirv.Decode(m.Data)
	if err != nil {
		return nil
	}
	for _, in := range sm.Insts {
		if in.Op() == spirv.OpEntryPoint && len(in.Operands()) > 2 {
			add(in.StringOperand(2))
		}
	}
	return names
}
