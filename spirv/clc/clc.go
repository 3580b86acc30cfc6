// Package clc compiles OpenCL C to SPIR-V: versions 1.0 to 3.0 of the language, with everything but device-side
// enqueue and blocks.
//
//	res, err := clc.Compile(ctx, clc.Source{Name: "k.cl", Text: text}, clc.Options{})
//	module := res.Module.Encode()
//
// Source text comes in, with the headers that the caller hands over, and a module goes out, which package
// spirv/validate and spirv-val accept, together with a [Log] of warnings. A source that is wrong is an [*Error] with
// the log of all its errors. The package reads no files and starts no programs.
//
// Inside, a preprocessor (internal/pp) hands tokens to a parser (internal/parse), which calls semantic analysis
// (internal/sema) as it reads; what comes of that is a tree in which every type and conversion is written out
// (internal/tree, internal/types), and internal/gen makes the module of it. The table of built-in functions is
// internal/builtin. Nothing is optimized here: isa/lower does that for the modules of all producers.
package clc

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/gen"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/parse"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/pp"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/sema"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
)

// Source is a text to compile.
type Source struct {
	Name string // for messages and for findings; headers in quotation marks are looked for beside it
	Text string
}

// Result is what came of a source.
type Result struct {
	Module *spirv.Module
	Log    Log // warnings
}

// Code is what came of a source, as the words of its module.
type Code struct {
	Log  Log // warnings
	code *gen.Module
}

// Size returns the number of bytes of the module.
func (c *Code) Size() int { return 4 * c.code.Words() }

// WriteTo writes the binary of the module, as [spirv.Module.Encode] makes it.
func (c *Code) WriteTo(w io.Writer) (int64, error) { return c.code.WriteTo(w) }

// Error is a source that is wrong.
type Error struct{ Log Log }

// Error returns the first error, as "k.cl:3:7: error: …", and how many more there are.
func (e *Error) Error() string {
	n := 0
	first := ""
	for _, d := range e.Log.Diagnostics {
		if d.Severity == "error" || d.Severity == "fatal error" {
			if n++; n == 1 {
				first = fmt.Sprintf("%s:%d:%d: %s: %s", d.File, d.Line, d.Column, d.Severity, d.Message)
			}
		}
	}
	switch n {
	case 0:
		return "the source does not compile"
	case 1:
		return first
	case 2:
		return first + " (and another error)"
	}
	return fmt.Sprintf("%s (and %d more errors)", first, n-1)
}

// lang returns the options as the parts of the compiler read them.
func (o *Options) lang() (*lang.Options, error) {
	l := lang.Default()
	if o.Version != 0 {
		l.Version = lang.Version(o.Version)
	}
	switch l.Version {
	case lang.CL10, lang.CL11, lang.CL12, lang.CL20, lang.CL30:
	default:
		return nil, &OptionError{fmt.Sprintf("Version %d", o.Version), "versions are 100, 110, 120, 200 and 300"}
	}
	switch o.AddressBits {
	case 0, 64:
	case 32:
		l.AddressBits = 32
	default:
		return nil, &OptionError{fmt.Sprintf("AddressBits %d", o.AddressBits), "addresses have 32 or 64 bits"}
	}
	if o.SPIRV != 0 && (o.SPIRV < spirv.Version10 || o.SPIRV > spirv.Version16) {
		return nil, &OptionError{"SPIRV " + o.SPIRV.String(), spirvVersions}
	}
	l.SPIRV = uint32(o.SPIRV)
	l.Debug = o.Debug
	l.ExportKernels = o.ExportKernels
	l.SinglePrecisionConstant = o.SinglePrecisionConstant
	l.NoSignedZeros = o.NoSignedZeros || o.UnsafeMath || o.FastRelaxedMath
	l.FiniteMathOnly = o.FiniteMathOnly || o.FastRelaxedMath
	l.UnsafeMath = o.UnsafeMath || o.FastRelaxedMath
	l.FastRelaxedMath = o.FastRelaxedMath
	l.OptDisable = o.OptDisable
	l.Without = o.Without
	return &l, nil
}

// Compile compiles a source. A source that is wrong is an [*Error]; options that are wrong are an [*OptionError].
// Compilation ends early when ctx does.
func Compile(ctx context.Context, src Source, o Options) (*Result, error) {
	c, err := CompileCode(ctx, src, o)
	if err != nil {
		return nil, err
	}
	return &Result{Module: c.code.Module(), Log: c.Log}, nil
}

// CompileCode is [Compile] for those who need the module's bytes only. The list of the instructions of a module takes
// twice as much memory as their words.
func CompileCode(ctx context.Context, src Source, o Options) (res *Code, err error) {
	l, err := o.lang()
	if err != nil {
		return nil, err
	}
	warnings, unknown := warningOptions(&o)
	files := source.NewSet()
	bag := diag.NewBag(files, warnings)
	warnUnknown(bag, unknown)
	defer func() {
		if r := recover(); r != nil {
			if r == errCancelled {
				res, err = nil, context.Cause(ctx)
				return
			}
			res, err = nil, fmt.Errorf("%s: internal error of the OpenCL C compiler: %v", src.Name, r)
		}
	}()
	names := token.NewNames()
	checker := sema.New(l, files, names, bag)
	cfg := pp.Config{Lang: l, Name: src.Name, Text: src.Text, Include: o.Include, Open: o.open, HasBuiltin: checker.HasBuiltin}
	for _, d := range o.Definitions {
		text, undef := strings.CutPrefix(d, "-")
		cfg.Defines = append(cfg.Defines, pp.Define{Text: text, Undef: undef})
	}
	tokens := &cancellable{ctx: ctx, tokens: pp.New(files, names, bag, cfg)}
	unit := parse.Unit(tokens, checker)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if bag.Errors() > 0 {
		return nil, &Error{newLog(bag)}
	}
	m, err := gen.Unit(unit, l)
	if err != nil {
		if e, ok := err.(*gen.Error); ok {
			bag.Errorf(e.Pos, "%s", e.Message)
			return nil, &Error{newLog(bag)}
		}
		return nil, fmt.Errorf("%s: %w", src.Name, err)
	}
	return &Code{code: m, Log: newLog(bag)}, nil
}

// open returns a header.
func (o *Options) open(name string) (string, bool) {
	if text, ok := o.Headers[name]; ok {
		return text, true
	}
	if o.Open != nil {
		return o.Open(name)
	}
	return "", false
}

// cancellable ends the tokens when a context ends.
type cancellable struct {
	ctx    context.Context
	tokens *pp.Preprocessor
	n      uint
}

type cancelled struct{}

var errCancelled = cancelled{}

// Read reads the next token. It looks at the context every so often.
func (c *cancellable) Read(t *token.Token) {
	if c.n++; c.n%4096 == 0 && c.ctx.Err() != nil {
		panic(errCancelled)
	}
	c.tokens.Read(t)
}

// Log is what the compiler says about a source.
type Log struct {
	Diagnostics []Diagnostic
	bag         *diag.Bag
}

// Diagnostic is one thing that the compiler says, in the form of programs.
type Diagnostic struct {
	File      string       `json:"file"`
	Line      int          `json:"line"`
	Column    int          `json:"column"` // in bytes, from 1
	EndLine   int          `json:"end_line,omitempty"`
	EndColumn int          `json:"end_column,omitempty"`
	Severity  string       `json:"severity"`       // "fatal error", "error", "warning" or "note"
	Flag      string       `json:"flag,omitempty"` // of a warning: "unused-variable"
	Message   string       `json:"message"`
	Fix       string       `json:"fix,omitempty"`
	Notes     []Diagnostic `json:"notes,omitempty"`
}
