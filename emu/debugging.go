package emu

import (
	"context"
	"fmt"
	"sync"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// ErrNotDebugged is wrapped by the error for launches that no debugger can run.
var ErrNotDebugged = scheduler.ErrNotDebugged

// debugKernel is a kernel's code for debuggers, made when the first asks for it.
type debugKernel struct {
	mu     sync.Mutex
	made   bool
	isa    *isa.Program
	code   *isa.Kernel
	runner *scheduler.Runner
	err    error
}

// forDebug returns the kernel's code for debuggers. The device must not be held.
func (k *Kernel) forDebug(ctx context.Context) (*debugKernel, error) {
	c := &k.debug
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.made {
		c.made, c.err = true, k.makeDebug(ctx)
	}
	return c, c.err
}

// makeDebug lowers the kernel for debuggers, places the variables that it has, and prepares it for the
// reference engine.
func (k *Kernel) makeDebug(ctx context.Context) error {
	c := &k.debug
	code, err := k.prog.unit.debugKernel(ctx, k.name, k.shared.is)
	switch {
	case err != nil:
		return err
	case code == nil:
		return fmt.Errorf("kernel %s %w: %s", k.name, ErrNotDebugged, noDebugCode)
	case code.err != nil:
		return code.refused(k.name)
	}
	c.isa, c.code = code.prog, code.code
	c.runner, err = k.onReference(ctx, c.isa, c.code)
	return err
}

// Debugging is a launch that package emu/debug runs, step by step. It holds its device until Close.
type Debugging struct {
	Stepper *scheduler.Stepper
	p       *prepared
}

// Debug prepares the launch for a debugger: its kernel is lowered anew, with all variables in memory, and
// runs on the reference engine, one work-group after the other, in the order of the launch's schedule. A wave
// is one sub-group, unless the device has a width. The launch holds the device until Debugging.Close. Of its
// fields, those that watch or trace it do not count. The error is that of [Launch.Run], or wraps
// [ErrNotDebugged].
func (l *Launch) Debug(ctx context.Context, d *engine.Debug, accesses func(g *engine.Group, a engine.Access)) (*Debugging, error) {
	plain := *l
	plain.Accesses, plain.Prints, plain.Trace, plain.Look, plain.Progress, plain.Portable, plain.Interleave = nil, nil, nil, nil, nil, nil, nil
	switch {
	case plain.Check:
		return nil, fmt.Errorf("launch with checks %w: they need code of their own", ErrNotDebugged)
	case plain.Memory == MemoryWeak:
		return nil, fmt.Errorf("launch with weak memory %w: its messages and views are in no checkpoint", ErrNotDebugged)
	}
	p, err := plain.prepare()
	if err != nil {
		return nil, err
	}
	if p.hasPipes() {
		return nil, fmt.Errorf("kernel %s %w: it has pipes", p.Kernel.name, ErrNotDebugged)
	}
	dev := p.Kernel.prog.dev
	p.self[0] = p
	list := p.self[:]
	if err := dev.acquireFor(ctx, list); err != nil {
		return nil, err
	}
	p = list[0]
	dev.release()
	c, err := p.Kernel.forDebug(ctx)
	if err != nil {
		return nil, err
	}
	p.launch.Program, p.launch.Kernel, p.runner = c.isa, c.code, c.runner
	if err := p.limits(); err != nil {
		return nil, err
	}
	if err := dev.acquire(ctx); err != nil {
		return nil, err
	}
	x := &Debugging{p: p}
	if err := x.start(d, accesses); err != nil {
		p.dropResources()
		dev.release()
		return nil, err
	}
	return x, nil
}

// start makes the stepper. The device is held.
func (x *Debugging) start(d *engine.Debug, accesses func(g *engine.Group, a engine.Access)) error {
	p := x.p
	dev := p.Kernel.prog.dev
	if p.Kernel.prog.closed {
		return fmt.Errorf("program of kernel %s: %w", p.Kernel.code.Name, ErrClosed)
	}
	if err := p.fill(); err != nil {
		return err
	}
	lim := &dev.limits
	opt := scheduler.Options{
		Order: p.Schedule.Order, Seed: p.Schedule.Seed, WaveLanes: lim.WaveLanes, KeepGoing: p.KeepGoing, MaxOutput: p.MaxOutput,
		DMA: dev.dmaConfig(p.Schedule), MaxState: stateMemory(), HostWrites: dev.svm.hostWrites(), Accesses: accesses,
	}
	if opt.WaveLanes == 0 {
		opt.WaveLanes = p.launch.SubgroupSize
	}
	var err error
	x.Stepper, err = p.runner.Debug(&p.launch, opt, d)
	return err
}

// Close ends the launch where it is, and gives the device back. Memory stays as it is.
func (x *Debugging) Close() {
	x.Stepper.Close()
	x.p.dropResources()
	x.p.Kernel.prog.dev.release()
}

// Memory returns the device's memory.
func (x *Debugging) Memory() *memory.Global { return x.p.launch.Memory }

// Dim returns the number of dimensions of the launch.
func (x *Debugging) Dim() int { return x.p.launch.Dim }

// Findings returns what went wrong so far, as [Result] has it.
func (x *Debugging) Findings() finding.List {
	sr := x.Stepper.Result()
	if len(sr.Faults) == 0 {
		return finding.List{}
	}
	res := x.p.result(sr, 0)
	x.p.report(res, sr, nil, nil)
	return res.Findings
}

// Global returns the pointer to a variable at program scope, by its number in the launch's program.
func (x *Debugging) Global(i int) (memory.Pointer, bool) {
	if g := x.p.Kernel.prog.globals; i >= 0 && i < len(g) {
		return g[i], true
	}
	return 0, false
}

// Argument returns the value that the kernel has of a parameter: the bytes of one by value, or else a pointer
// or handle.
func (x *Debugging) Argument(i int) (value []byte, p memory.Pointer) {
	l := &x.p.launch
	if l.Kernel.Params[i].Kind == isa.ParamValue {
		return l.Values[i], 0
	}
	for _, r := range l.Kernel.ParamRegs {
		if r.Param == i {
			return nil, memory.Pointer(l.Scalars[r.Scalar])
		}
	}
	if x.p.args[i].buffer != nil {
		return nil, x.p.pointer(i)
	}
	return nil, 0
}

// Name names the allocation that a pointer leads to: an argument, a variable, a buffer; "" for none.
func (x *Debugging) Name(p memory.Pointer) string {
	_, name := x.p.objectAt(p)
	return name
}
