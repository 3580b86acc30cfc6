package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// maxModule bounds what is read of a module, in bytes. The largest modules in
// use have some tens of MiB.
const maxModule = 256 << 20

// module is a module as it was given.
type module struct {
	name string // for messages
	path string // as given; "-" is standard input
	data []byte // the SPIR-V binary
	text bool   // it was given as text
	// compiled says that it was given as OpenCL C or for LLVM, and compiled on the way; own, by lockstep itself.
	compiled, own bool
	// code is the module in the place of data where env.source.codeOnly asks for that.
	code *clc.Code
	// file is what data is when that is a binary of lockstep's and no module.
	file *binary.File
}

// readFile reads a whole file, or standard input for "-".
func readFile(env *Env, path string) ([]byte, error) {
	var r io.Reader = env.Stdin
	if path != "-" {
		f, err := env.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	data, err := readLimited(r, maxModule)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", display(path), err)
	}
	return data, nil
}

// readLimited reads everything that r has, or fails when that is more than limit bytes.
func readLimited(r io.Reader, limit int) ([]byte, error) {
	var b bytes.Buffer
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Size() <= int64(limit) {
			b.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	_, err := b.ReadFrom(io.LimitReader(r, int64(limit)+1))
	if err == nil && b.Len() > limit {
		return nil, fmt.Errorf("larger than %d bytes", limit)
	}
	return b.Bytes(), err
}

// display is how messages call a path.
func display(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// load reads a module, binary or text as its content says, assembles text, and compiles sources.
func load(ctx context.Context, env *Env, path string) (*module, error) {
	data, err := readFile(env, path)
	if err != nil {
		return nil, err
	}
	m := &module{name: display(path), path: path, data: data}
	if spirv.IsBinary(data) {
		return m, nil
	}
	if m.file, err = loadBinary(m.name, data); err != nil || m.file != nil {
		return m, err
	}
	clang := env.source != nil && env.source.frontEnd == clangFrontEnd
	if !clang && !isBitcode(data) && strings.EqualFold(filepath.Ext(path), ".cl") {
		return m, compileOpenCL(ctx, env, m) // the name says so: the text need not be looked at
	}
	what, translate := compilable(data)
	switch {
	case !translate && !clang && env.source.takes(path, what, data):
		return m, compileOpenCL(ctx, env, m)
	case what != "" && env.frontEnd != nil:
		return m, compileSource(ctx, env, m, what, translate)
	}
	if why := notAModule(m.name, path, data); why != "" {
		return nil, errors.New(why)
	}
	// Numbers stay what they are, so that diagnostics name the ids of the text.
	m.data, err = asm.Assemble(string(data), asm.Options{PreserveNumericIDs: true})
	if err != nil {
		return nil, textError(m.name, err)
	}
	m.text = true
	return m, nil
}

// textError puts a file name before an assembler's error, as compilers do.
func textError(name string, err error) error {
	var syntax *asm.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// decode is load followed by spirv.Decode.
func decode(ctx context.Context, env *Env, path string) (*module, *spirv.Module, error) {
	m, err := load(ctx, env, path)
	if err != nil {
		return nil, nil, err
	}
	if m.file != nil {
		return nil, nil, fmt.Errorf("%s is a compiled binary of lockstep, not a SPIR-V module; run, isa and info take it", m.name)
	}
	sm, err := spirv.Decode(m.data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", m.name, err)
	}
	return m, sm, nil
}

var (
	assembly = regexp.MustCompile(`^(%\w+\s*=\s*)?(Op[A-Z]\w*|!\w+)`)
	kernelC  = regexp.MustCompile(`\b(__)?kernel\s`)
	sourceC  = regexp.MustCompile(`(?m)^\s*(#\s*(include|define|pragma|if|ifdef|ifndef)\b|(constant|__constant|typedef|struct|static|void|float|int|uint)\s)`)
	llvmText = regexp.MustCompile(`(?m)^(; ModuleID|source_filename|target (datalayout|triple)|define |declare )`)
)

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
	case isBitcode(data):
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
	case assembly.MatchString(firstLine(text)):
		return ""
	case llvmText.MatchString(text):
		return fmt.Sprintf("%s is LLVM assembly, not SPIR-V; translate it first:\n  llvm-as-15 %s -o %s.bc && llvm-spirv-15 %s.bc -o %s.spv",
			name, path, base, base, base)
	}
	return name + " is neither a SPIR-V module nor OpenCL C (give a source a name that ends in .cl)"
}

// compilable says what data is that a front end makes a module of, "" for anything else, and whether the
// translator of LLVM's bitcode does so.
func compilable(data []byte) (what string, translate bool) {
	if isBitcode(data) {
		return "LLVM bitcode", true
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return "", false
	}
	text := string(data)
	switch {
	case assembly.MatchString(firstLine(text)) || llvmText.MatchString(text):
		return "", false
	case kernelC.MatchString(text), sourceC.MatchString(text):
		return "OpenCL C source", false
	}
	return "", false
}

// isBitcode says whether data starts like LLVM bitcode, raw or wrapped.
func isBitcode(data []byte) bool {
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
