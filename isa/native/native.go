package native

import (
	"fmt"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Engine is the native engine. It is made by [New].
type Engine struct {
	features amd64.Features
	// failed, if there is one, is told why a run has no machine code, although each of its instructions has.
	failed func(error)
	// load stands for codemem.Load in tests.
	load func(...[]byte) (*codemem.Code, error)
}

var (
	_ engine.Engine       = Engine{}
	_ engine.LazyCompiler = Engine{}
)

// New returns the engine for this processor. The error, which wraps one of package
// codemem's, says why there is none.
func New() (Engine, error) {
	f, err := codemem.Host()
	if err != nil {
		return Engine{}, fmt.Errorf("no native engine: %w", err)
	}
	return Engine{features: f}, nil
}

// Name returns "native".
func (Engine) Name() string { return "native" }

// Compile prepares a kernel. The error is as that of package interp. Where the system has no more
// memory for code, or the kernel is too long for it, the kernel runs without, and its code is an
// [engine.Fallback] that says so.
func (e Engine) Compile(p *isa.Program, k *isa.Kernel) (engine.Code, error) {
	a := &accelerator{features: e.features, failed: e.failed, constants: interp.Constants(k)}
	c, err := interp.Compile(p, k, a)
	switch {
	case err != nil:
		return nil, err
	case a.err != nil:
		return fallback{c, a.err}, nil
	case a.text == nil:
		return c, nil
	}
	load := e.load
	if load == nil {
		load = codemem.Load
	}
	code, refused := load(a.text)
	if refused != nil {
		c, err := interp.Engine{}.Compile(p, k)
		if err != nil {
			return nil, err
		}
		return fallback{c, refused}, nil
	}
	a.function.f = code.Func(0)
	return c, nil
}

// CompileLater prepares a kernel for package interp, and for this engine when that has done so much work.
func (e Engine) CompileLater(p *isa.Program, k *isa.Kernel, work uint64) (engine.LazyCode, error) {
	return interp.CompileLater(p, k, work, func() engine.Code {
		c, err := e.Compile(p, k)
		if err != nil {
			return fallback{why: err}
		}
		return c
	})
}

// fallback is the code of a kernel that has no machine code.
type fallback struct {
	engine.Code
	why error
}

var _ engine.Fallback = fallback{}

// Fallback returns why.
func (f fallback) Fallback() error { return f.why }

// accelerator compiles one kernel.
type accelerator struct {
	features  amd64.Features
	failed    func(error)
	constants map[int]uint64
	text      []byte
	function  *function
	err       error // why there is none

	// For List: whether it asked, and then what it writes.
	list      bool
	plan      *interp.Plan
	assembler *amd64.Assembler
}

// function is the function of a kernel, which is loaded when that is complete.
type function struct {
	f        codemem.Func
	callouts []callout
}

func (n *function) run(f *wave.Frame) {
	for {
		if err := n.f.Call(unsafe.Pointer(f)); err != nil {
			panic(err) // the code is closed only when there is no reference to it
		}
		if f.Call == 0 {
			return
		}
		n.callouts[f.Call-1].do(f)
	}
}

// emitter emits the machine code of an instruction for a group of lanes.
type emitter func(c *compiler, in *isa.Inst)

// family returns the emitter of an instruction, or nil if the instruction is none of the family's or the
// processor cannot do it.
type family func(f amd64.Features, in *isa.Inst) emitter

// families lists those for AVX-512.
var families = [...]family{arithmetic, narrowArithmetic, divisions, conversions, builtins, accesses, atomics, mathematics, mathematics64, crossings, pointers}

// find returns the emitter of an instruction, or nil.
func find(f amd64.Features, in *isa.Inst) emitter {
	for _, of := range setOf(f).families() {
		if e := of(f, in); e != nil {
			return e
		}
	}
	return nil
}

// Takes says whether there is machine code for the instruction.
func (a *accelerator) Takes(in *isa.Inst) bool {
	if in.Dst.IsScalar() {
		return takesScalar(a.features, in)
	}
	return find(a.features, in) != nil
}

// wideOrBool says whether registers of the type are vectors of 32 or 64 bits an element, or masks.
func wideOrBool(t isa.Type) bool {
	switch t {
	case isa.B1, isa.I32, isa.I64, isa.F32, isa.F64:
		return true
	}
	return false
}

// Compile makes a function of a kernel.
func (a *accelerator) Compile(p *interp.Plan) func(*wave.Frame) {
	k, code, err := compileKernel(a.features, a.constants, p, a.list)
	a.plan = p
	if err != nil {
		if a.failed != nil {
			a.failed(err)
		}
		a.err = fmt.Errorf("kernel %s has no machine code: %w", p.Kernel.Name, err)
		return nil // too long for one function
	}
	a.text, a.assembler, a.function = code, k.Assembler, &function{callouts: k.callouts}
	return a.function.run
}
