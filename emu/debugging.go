package emu

import (
	"context"
	"fmt"
	"strings"
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

// Debugging is launches that package emu/debug runs, step by step. It holds their device until Close.
type Debugging struct {
	Stepper  scheduler.Stepping
	dev      *Device
	launches []*prepared
	stages   [][]*prepared
	keep     bool
	feeds    []*debugFeed
}

// DebugHooks is what a debugger is asked and told while launches run.
type DebugHooks struct {
	Debug    *engine.Debug
	Accesses func(g *engine.Group, a engine.Access)
	Packets  func(m scheduler.PacketMove) // that move through pipes
}

// Debug prepares sets of launches for a debugger: one runs behind the other, and one after a fault only with KeepGoing,
// which is that of the first, as MaxOutput is. Kernels are lowered anew, with all variables in memory, and run on the
// reference engine, in the order of the schedule. A set of one launch without pipes runs as that launch alone. A wave is one
// sub-group, unless the device has a width. The launches hold the device until Debugging.Close. Fields that watch or trace
// them do not count. The error is that of [Launch.Run] or [Set.Run], or wraps [ErrNotDebugged].
func Debug(ctx context.Context, sets []Set, h DebugHooks) (*Debugging, error) {
	x := &Debugging{}
	for i := range sets {
		s := &sets[i]
		if s.Check {
			return nil, fmt.Errorf("launch with checks %w", ErrNotDebugged)
		}
		var stage []*prepared
		for j := range s.Launches {
			p, err := prepareDebug(s.Launches[j], s)
			if err != nil {
				return nil, err
			}
			if x.dev == nil {
				x.dev, x.keep = p.Kernel.prog.dev, s.KeepGoing
			}
			if p.Kernel.prog.dev != x.dev {
				return nil, fmt.Errorf("launch %d of a set: kernel %s: %w", j, p.Kernel.Name(), ErrForeign)
			}
			stage = append(stage, p)
			x.launches = append(x.launches, p)
		}
		if len(stage) == 0 {
			return nil, fmt.Errorf("set without launches: %w", ErrInvalid)
		}
		x.stages = append(x.stages, stage)
	}
	if len(x.launches) == 0 {
		return nil, fmt.Errorf("no launches: %w", ErrInvalid)
	}
	return x, x.prepare(ctx, sets, h)
}

// prepareDebug checks a launch of a set.
func prepareDebug(plain Launch, s *Set) (*prepared, error) {
	plain.Accesses, plain.Prints, plain.Trace, plain.Look, plain.Progress, plain.Portable, plain.Interleave = nil, nil, nil, nil, nil, nil, nil
	switch {
	case plain.Check:
		return nil, fmt.Errorf("launch with checks %w: they need code of their own", ErrNotDebugged)
	case plain.Memory == MemoryWeak:
		return nil, fmt.Errorf("launch with weak memory %w: its messages and views are in no checkpoint", ErrNotDebugged)
	}
	plain.Schedule, plain.KeepGoing, plain.MaxFindings, plain.Reproduce = s.Schedule, s.KeepGoing, s.MaxFindings, s.Reproduce
	return plain.prepare()
}

// prepare lowers the kernels and makes the stepper. The device is held behind it unless there is an error.
func (x *Debugging) prepare(ctx context.Context, sets []Set, h DebugHooks) error {
	if err := x.dev.acquireFor(ctx, x.launches); err != nil {
		return err
	}
	x.dev.release()
	n := 0
	for _, stage := range x.stages {
		n += copy(stage, x.launches[n:]) // some may have been prepared again
	}
	for _, p := range x.launches {
		c, err := p.Kernel.forDebug(ctx)
		if err != nil {
			return err
		}
		p.launch.Program, p.launch.Kernel, p.runner = c.isa, c.code, c.runner
		p.launch.Cancel = &x.launches[0].cancel
		if err := p.limits(); err != nil {
			return err
		}
	}
	if err := x.dev.acquire(ctx); err != nil {
		return err
	}
	if err := x.start(sets, h); err != nil {
		for _, p := range x.launches {
			p.dropResources()
		}
		x.dev.release()
		return err
	}
	return nil
}

// start makes the stepper. The device is held.
func (x *Debugging) start(sets []Set, h DebugHooks) error {
	for _, p := range x.launches {
		if p.Kernel.prog.closed {
			return fmt.Errorf("program of kernel %s: %w", p.Kernel.code.Name, ErrClosed)
		}
	}
	q := &scheduler.Sequence{Debug: h.Debug, KeepGoing: x.keep}
	for i, stage := range x.stages {
		s, err := x.stepper(stage, &sets[i], h)
		if err != nil {
			return launchError(err)
		}
		q.Stages = append(q.Stages, s)
	}
	if x.Stepper = q; len(q.Stages) == 1 {
		x.Stepper = q.Stages[0]
	}
	return nil
}

// stepper makes that of the launches of a set.
func (x *Debugging) stepper(stage []*prepared, s *Set, h DebugHooks) (scheduler.Stepping, error) {
	lim := &x.dev.limits
	opt := scheduler.Options{
		Order: s.Schedule.Order, Seed: s.Schedule.Seed, WaveLanes: lim.WaveLanes, KeepGoing: s.KeepGoing, MaxOutput: s.MaxOutput,
		DMA: x.dev.dmaConfig(s.Schedule), MaxState: stateMemory(), HostWrites: x.dev.svm.hostWrites(), Accesses: h.Accesses,
	}
	width := func(p *prepared) int {
		if lim.WaveLanes == 0 {
			return p.launch.SubgroupSize
		}
		return lim.WaveLanes
	}
	if p := stage[0]; len(stage) == 1 && !p.hasPipes() {
		if err := p.fill(); err != nil {
			return nil, err
		}
		opt.WaveLanes = width(p)
		return p.runner.Debug(&p.launch, opt, h.Debug)
	}
	r := &setRun{set: s, launches: stage}
	for i, p := range stage {
		p.set, p.launch.Index = r, i
		if err := p.fill(); err != nil {
			return nil, err
		}
		r.collect(p)
	}
	var feeds []scheduler.Feed
	for _, p := range r.host {
		for _, f := range []*feed{p.feed, p.drain} {
			if f != nil {
				d := x.feed(f)
				feeds = append(feeds, scheduler.Feed{Pipe: p.mem, Write: f.r != nil, Move: d.move, Ended: f.ended, Save: d.save})
			}
		}
	}
	members := r.members()
	for i, p := range stage {
		members[i].WaveLanes = width(p)
	}
	return scheduler.DebugSet(members, feeds, opt, h.Debug, h.Packets)
}

// Close ends the launches where they are, and gives the device back. Memory stays as it is. The error is that of who
// drains pipes.
func (x *Debugging) Close() (err error) {
	x.Stepper.Close()
	for _, f := range x.feeds {
		if e := f.close(); err == nil {
			err = e
		}
	}
	for _, p := range x.launches {
		p.dropResources()
	}
	x.dev.release()
	return err
}

// now returns the launch that is looked at.
func (x *Debugging) now() *prepared { return x.launches[x.Stepper.Index()] }

// Memory returns the device's memory.
func (x *Debugging) Memory() *memory.Global { return x.launches[0].launch.Memory }

// Dim returns the number of dimensions of the launch that is looked at.
func (x *Debugging) Dim() int { return x.now().launch.Dim }

// Label names a launch, by its number: the kernel, and where several launches are of it, which of them, "twice#1".
func (x *Debugging) Label(launch int) string {
	name := x.launches[launch].Kernel.code.Name
	before, all := 0, 0
	for i, p := range x.launches {
		if p.Kernel.code.Name == name {
			if all++; i < launch {
				before++
			}
		}
	}
	if all > 1 {
		return fmt.Sprintf("%s#%d", name, before)
	}
	return name
}

// Findings returns what went wrong so far, as [Result] has it.
func (x *Debugging) Findings() finding.List {
	results := x.Stepper.Results()
	all, merged := finding.Merger{}, false
	var list finding.List
	for i, sr := range results {
		if len(sr.Faults) == 0 {
			continue
		}
		p := x.launches[i]
		res := p.result(sr, 0)
		p.report(res, sr, nil, nil)
		if len(results) == 1 && p.set == nil {
			return res.Findings
		}
		for _, f := range res.Findings.Findings {
			all.Add(f)
		}
		merged = true
	}
	if merged {
		list = all.List()
		hintAtLines(&list, x.launches...)
	}
	return list
}

// Global returns the pointer to a variable at program scope, by its number in the launch's program.
func (x *Debugging) Global(i int) (memory.Pointer, bool) {
	if g := x.now().Kernel.prog.globals; i >= 0 && i < len(g) {
		return g[i], true
	}
	return 0, false
}

// Argument returns the value that the kernel has of a parameter: the bytes of one by value, or else a pointer
// or handle.
func (x *Debugging) Argument(i int) (value []byte, p memory.Pointer) {
	now := x.now()
	l := &now.launch
	if l.Kernel.Params[i].Kind == isa.ParamValue {
		return l.Values[i], 0
	}
	for _, r := range l.Kernel.ParamRegs {
		if r.Param == i {
			return nil, memory.Pointer(l.Scalars[r.Scalar])
		}
	}
	if now.args[i].buffer != nil {
		return nil, now.pointer(i)
	}
	if h := now.args[i].pipe; h != nil {
		return nil, h.mem.Handle()
	}
	return nil, 0
}

// Name names the allocation that a pointer leads to: an argument, a variable, a buffer; "" for none.
func (x *Debugging) Name(p memory.Pointer) string {
	if p.Space() == memory.SpacePipe {
		m := x.Memory().Pipe(p)
		for _, l := range x.launches {
			if l.set != nil {
				if i, ok := l.set.index[m]; ok {
					return l.set.pipes[i].name
				}
			}
		}
		return ""
	}
	_, name := x.now().objectAt(p)
	return name
}

// PipeType returns the type of a pipe's packets as a kernel's parameter or the program names it, "int4"; "" where
// nobody does.
func (x *Debugging) PipeType(m *memory.Pipe) string {
	for _, p := range x.launches {
		for i := range p.args {
			if h := p.args[i].pipe; h != nil && h.mem == m {
				return strings.TrimPrefix(p.launch.Kernel.Params[i].TypeName, "pipe ")
			}
		}
	}
	return ""
}
