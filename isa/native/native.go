package native

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/emitters"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Engine is the native engine. It is made by [New].
type Engine struct {
	features amd64.Features
	// failed, if there is one, is told why a run has no machine code, although each of its instructions has.
	failed func(error)
	// form has builders keep the machine form as text.
	form bool
	// on is the target, nil for this machine: see Engine.target.
	on target
}

var (
	_ engine.Engine       = Engine{}
	_ engine.LazyCompiler = Engine{}
)

// New returns the engine for this processor. The error, which wraps one of package
// codemem's, says why there is none.
func New() (Engine, error) {
	f, err := Engine{}.target().features()
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
	base, err := interp.Prepare(p, k)
	if err != nil {
		return nil, err
	}
	c, err := e.compile(base, k, false)
	if err != nil {
		return fallback{base.Code(), err}, nil
	}
	code, err := c.object.load()
	if err != nil {
		return fallback{base.Code(), err}, nil
	}
	f := &function{f: code, callouts: c.builder.Callouts}
	return base.With(machineCode(c.plan, f.run)), nil
}

// compiled is the function of a kernel, what it was made of and by whom.
type compiled struct {
	plan    *plan.Plan
	builder *builder
	object  object
}

// compile plans a kernel and makes machine code of it. With list set the assembler notes it. The error says why there
// is none; the plan is there all the same.
func (e Engine) compile(base interp.Prepared, k *isa.Kernel, list bool) (c compiled, err error) {
	c.plan = e.plan(base, k)
	c.builder, c.object, err = compileKernel(e, plan.Constants(k), c.plan, list)
	if err != nil {
		if e.failed != nil {
			e.failed(err)
		}
		return c, fmt.Errorf("kernel %s has no machine code: %w", k.Name, err)
	}
	return c, nil
}

// plan plans a kernel.
func (e Engine) plan(base interp.Prepared, k *isa.Kernel) *plan.Plan {
	return plan.New(k, plan.Options{Layout: base.Layout(), Steady: base.Steady(), Native: e.takes})
}

// machineCode says what package interp does at the points of a plan.
func machineCode(p *plan.Plan, run func(*wave.Frame)) interp.MachineCode {
	m := interp.MachineCode{Run: run, Layout: p.Layout, Places: p.Places, Undo: p.Undo, Spill: p.Spill}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		entry := interp.Point{Block: i, Kind: interp.PointEntry}
		if b.Hyper != nil {
			entry.Slots = b.Hyper.Slots()
		}
		m.Points = append(m.Points, entry)
		for j := range b.Parts {
			x := &b.Parts[j]
			m.Points = append(m.Points, interp.Point{Block: i, Kind: interp.PointPart, Code: x.Code, At: x.At, Slots: x.Slots(), Copy: x.Copy != nil})
		}
		m.Points = append(m.Points, interp.Point{Block: i, Kind: interp.PointEnd})
	}
	return m
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

// function is the function of a kernel.
type function struct {
	f        callable
	callouts []x86.Callout
}

func (n *function) run(f *wave.Frame) {
	for {
		n.f.call(f)
		if f.Call == 0 {
			return
		}
		do(&n.callouts[f.Call-1], f)
	}
}

// takes says whether there is machine code for the instruction.
func (e Engine) takes(in *isa.Inst) bool {
	if in.Dst.IsScalar() {
		return takesScalar(e.features, in)
	}
	return emitters.Find(e.features, in) != nil
}
