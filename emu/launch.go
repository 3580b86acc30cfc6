package emu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Parallel says whether work-groups run at the same time.
type Parallel = scheduler.Parallel

// The choices.
const (
	ParallelAuto   = scheduler.ParallelAuto   // where it cannot be seen
	ParallelNever  = scheduler.ParallelNever  // one group after the other
	ParallelAlways = scheduler.ParallelAlways // always: results may depend on who was faster
)

// Counters counts what a launch did. They depend on the program, the launch
// and the width of a wave only.
type Counters = engine.Counters

// Portable counts the instructions that launches did without machine code.
type Portable = engine.Portable

// Launch is one run of a kernel over an ND-range. It may be run any number of
// times, also at the same time; running does not change it.
type Launch struct {
	Kernel *Kernel
	Args   []Arg // one for each of the kernel's parameters
	Range  NDRange

	Schedule Schedule
	Parallel Parallel
	// Workers is the number of goroutines that run work-groups at most, where that is fewer than
	// [DeviceOptions].Workers; 0 is no limit. No kernel can see it.
	Workers int
	// Benign leaves out data races between writes of the same value, which Check reports.
	Benign bool
	// Check turns on the findings that cost time or that only a strict reading
	// of the specifications makes.
	Check bool
	// Reads has the numbers of arguments whose buffers the host reads when the launch is over. With Check, their elements
	// that neither the host nor a kernel has written are a finding.
	Reads []int
	// KeepGoing runs all work-groups, also after one that came to a fault, so that findings
	// are those of all of them. Without it, the first such work-group in the order of the
	// schedule ends the launch, whatever the number of workers. Findings, counters and output
	// are then those of the work-groups up to that one, but memory may hold some of the
	// results of others: it is half-finished. Findings that do not end a
	// work-group do not end the launch.
	KeepGoing bool
	// Timeout ends a launch that takes longer, with the finding E-TIMEOUT; 0
	// is no limit. A deadline of the context does the same.
	Timeout time.Duration

	// Output takes what printf prints, while the launch runs, in the order of
	// the schedule; nil collects it in Result.Output. It must not touch the
	// device. An error of it ends the launch.
	Output io.Writer
	// MaxOutput is the number of bytes of output after which the rest is
	// dropped; 0 is 16 MiB.
	MaxOutput uint64
	// MaxFindings is the number of different findings that are kept; 0 is
	// finding.DefaultLimit.
	MaxFindings int
	// Progress is called from a goroutine of its own, at most ten times a
	// second, with the number of work-groups that are over and that there are.
	// It must not touch the device.
	Progress func(done, total uint64)
	// Portable, when it is not nil, counts what is done without machine code. One serves any number of launches.
	Portable *Portable
	// Look, when it is not nil, can be asked where the work-items are while the launch runs.
	Look *Look
	// Accesses, when it is not nil, is told of each access of work-items to global and local memory before it happens,
	// and of the results of atomic operations. Accesses to images and pipes and asynchronous copies are not announced. The
	// device's engine must be "interp". Prints, when it is not nil, is told of each piece that a work-item prints: its
	// number, which counts work-groups before the work-items of one, and the text, which is valid during the call
	// only. Both are called by all workers of the device at the same time; the launches of a Set have one.
	Accesses func(Access)
	Prints   func(item uint64, text []byte)
	// Interleave, when it is not nil, decides the order of all accesses to global and local memory: see
	// [scheduler.Runner.Interleave] for the launches that can run so. The device's engine must be "interp", and its
	// sub-groups have one work-item. Nothing but Check, Timeout, Output and its limit, and Prints counts besides. With Check,
	// nobody looks for data races: the order shows them.
	Interleave Chooser
	// Memory says what loads may return. With MemoryWeak, Check does not look for uninitialised values: which of them a
	// load returns is not followed.
	Memory MemoryModel
	// Trace records what happens when, on the schedule's logical clock; nil for
	// nothing. Work-groups then run one after the other.
	Trace *trace.Recorder
	// Reproduce is how a person starts this launch again; findings print it
	// with the schedule's flags behind it. "" prints the flags alone.
	Reproduce string
}

// Result is what a launch leaves behind besides memory.
type Result struct {
	Findings finding.List
	// Output is what printf printed, unless Launch.Output took it.
	Output []byte
	// OutputDropped is the number of bytes of output beyond Launch.MaxOutput.
	OutputDropped uint64
	Counters      Counters
	// Dim is the number of dimensions, Local the work-group size that was used
	// or chosen, Groups the number of work-groups in each dimension.
	Dim    int
	Local  [3]uint32
	Groups [3]uint64
	// GroupsRun is the number of work-groups that ran to their end or to a fault.
	GroupsRun uint64
	// Halted says that a fault ended the launch: see Launch.KeepGoing.
	Halted    bool
	WaveLanes int // lanes of a whole wave
	// SubgroupSize is the number of lanes of a whole sub-group: what the kernel
	// requires, or that of the device.
	SubgroupSize int
	// Validation is about a launch that was validated; nil for others. See DeviceOptions.Validate.
	Validation *Validation
	// Duration is how long the groups ran.
	Duration time.Duration
	// Shadow is the number of bytes of memory that the detection of data races took beside the
	// launch's memory; 0 without Check.
	Shadow uint64
	// SequentialMemory says that a launch with MemoryWeak wrote more memory than it can keep old values of: the rest
	// was sequentially consistent.
	SequentialMemory bool
}

// Run runs the kernel over the range in the default schedule; see [Launch.Run].
func (k *Kernel) Run(ctx context.Context, r NDRange, args ...Arg) (*Result, error) {
	l := Launch{Kernel: k, Args: args, Range: r}
	return l.Run(ctx)
}

// Run runs the launch and waits until it is over. It waits for the device
// before. When the kernel ran there is a result, even with an error. The error is
// a [*FindingsError] when the kernel did something undefined or could not go on, or when the
// context or the timeout ended it; other errors mean that it did not start
// ([*ArgError], [*RangeError], [*LimitError], [*ModuleError], one that wraps
// [ErrInvalid], [ErrClosed], [ErrForeign] or [ErrMapped], or the context's).
//
// A kernel with pipes runs as a [Set] of one launch, whatever Parallel says. An
// error of what was given to [Pipe.Feed] or [Pipe.Drain] ends it.
func (l *Launch) Run(ctx context.Context) (*Result, error) {
	p, err := l.prepare()
	if err != nil {
		return nil, err
	}
	return p.run(ctx)
}

// prepared is a launch that was checked as far as that is possible before its
// turn has come.
type prepared struct {
	Launch
	args   []argument
	launch engine.Launch
	runner *scheduler.Runner
	// resources are the handles that the launch has entered.
	resources []memory.Pointer
	locals    uint32         // number of the last allocation of local memory that an argument has got
	cancel    atomic.Bool    // launch.Cancel
	self      [1]*prepared   // the launch, as a list
	set       *setRun        // that the launch runs in; nil without pipes
	races     *race.Detector // of a launch with Check that runs alone
	forms     *forms         // of a launch that is validated
	pointers  []uint64       // by argument, once they are filled in
}

// prepare checks everything that does not change while the launch waits.
func (l *Launch) prepare() (*prepared, error) {
	if l == nil || l.Kernel == nil || l.Kernel.prog == nil {
		return nil, fmt.Errorf("kernel: %w", ErrInvalid)
	}
	k, err := l.Kernel.onDevice()
	if err != nil {
		return nil, err
	}
	p := &prepared{Launch: *l}
	p.Kernel = k
	if err := p.bind(); err != nil {
		return nil, err
	}
	if err := p.Range.resolve(k, &p.launch); err != nil {
		return nil, err
	}
	if err := p.agree(); err != nil {
		return nil, err
	}
	if name := k.prog.dev.engine.Name(); (l.Accesses != nil || l.Interleave != nil) && name != (interp.Engine{}).Name() {
		return nil, fmt.Errorf("launch with Accesses or Interleave on engine %s: %w: engine interp announces accesses", name, ErrInvalid)
	}
	if l.Interleave != nil && k.code.UsesPipes {
		return nil, fmt.Errorf("kernel %s %w: it has pipes", k.code.Name, ErrNotInterleaved)
	}
	if l.Memory == MemoryWeak {
		if err := p.weakly(); err != nil {
			return nil, err
		}
	}
	if p.launch.Program, p.launch.Kernel = k.isa, k.code; l.Check || l.Memory == MemoryWeak {
		c, err := k.forChecks()
		if err != nil {
			return nil, err
		}
		p.launch.Program, p.launch.Kernel, p.runner = c.isa, c.code, c.runner
	}
	p.launch.SubgroupSize = k.subgroupSize()
	p.launch.Check, p.launch.Portable = l.Check, l.Portable
	p.launch.Cancel = &p.cancel
	if err := p.limits(); err != nil {
		return nil, err
	}
	if p.runner == nil {
		var err error
		if p.runner, err = k.runnerFor(&p.launch); err != nil {
			return nil, err
		}
	}
	if err := p.comparable(); err != nil {
		return p, err
	}
	p.forms, err = p.validated()
	return p, err
}

// bind checks the arguments and notes what they bring.
func (p *prepared) bind() error {
	k := p.Kernel
	params := k.code.Params
	if len(p.Args) != len(params) {
		return &ArgError{Kernel: k.code.Name, Index: -1, Reason: fmt.Sprintf("%d arguments given, the kernel has %d parameters%s", len(p.Args), len(params), k.signature())}
	}
	p.args = make([]argument, len(params))
	var total uint64
	for i := range params {
		a, err := bind(k, i, p.Args[i])
		if err != nil {
			return err
		}
		p.args[i] = a
		if total += uint64(len(a.bytes)); total > maxParameters {
			return &LimitError{What: fmt.Sprintf("arguments of kernel %s", k.code.Name), Need: total, Have: maxParameters, Unit: "bytes"}
		}
	}
	return p.bothEnds()
}

// signature returns the parameters for a message.
func (k *Kernel) signature() string {
	s := ""
	for i, p := range k.code.Params {
		if i == 0 {
			s = ": "
		} else {
			s += ", "
		}
		s += p.TypeName
		if p.Name != "" {
			s += " " + p.Name
		}
	}
	return s
}

// limits checks what the kernel needs against what the device has, before
// anything is allocated.
func (p *prepared) limits() error {
	k := p.launch.Kernel
	lim := &p.Kernel.prog.dev.limits
	p.launch.LocalSizes = make([]uint64, 0, len(k.Local))
	var local uint64
	add := func(size uint64) error {
		sum := local + size
		if sum < local || sum > lim.LocalMemory {
			return &LimitError{What: fmt.Sprintf("local memory of kernel %s", k.Name), Need: max(sum, size), Have: lim.LocalMemory, Unit: "bytes", Option: "LocalMemory"}
		}
		local = sum
		p.launch.LocalSizes = append(p.launch.LocalSizes, size)
		return nil
	}
	items := uint64(p.launch.Local[0]) * uint64(p.launch.Local[1]) * uint64(p.launch.Local[2])
	for i := range k.Local {
		if k.Local[i].PerItem {
			// Of the machine's own, for operations of the work-group.
			p.launch.LocalSizes = append(p.launch.LocalSizes, k.Local[i].Size*items)
			continue
		}
		if err := add(k.Local[i].Size); err != nil {
			return err
		}
	}
	for i := range p.args {
		if p.args[i].kind == (localArg{}) {
			if err := add(p.args[i].local); err != nil {
				return err
			}
		}
	}
	private, ok := allocBytes(k.Private)
	if !ok || private > lim.MaxPrivate {
		return &LimitError{What: fmt.Sprintf("private memory of a work-item of kernel %s", k.Name), Need: private, Have: lim.MaxPrivate, Unit: "bytes", Option: "MaxPrivate"}
	}
	return nil
}

// run waits for the device and runs the launch.
func (p *prepared) run(ctx context.Context) (*Result, error) {
	if p.hasPipes() {
		return p.runAlone(ctx)
	}
	if ctx == nil {
		ctx = context.Background()
	}
	p.self[0] = p
	d, list := p.Kernel.prog.dev, p.self[:]
	if err := d.acquireFor(ctx, list); err != nil {
		return nil, err
	}
	p = list[0]
	k := p.Kernel
	defer d.release()
	if k.prog.closed {
		return nil, fmt.Errorf("program of kernel %s: %w", k.code.Name, ErrClosed)
	}
	defer p.dropResources()
	if err := p.fill(); err != nil {
		return nil, err
	}
	lim := &d.limits
	opt := scheduler.Options{
		Order: p.Schedule.Order, Seed: p.Schedule.Seed,
		Workers: p.workers(lim.Workers), Parallel: p.Parallel, WaveLanes: lim.WaveLanes, KeepGoing: p.KeepGoing,
		Output: p.Output, MaxOutput: p.MaxOutput, Progress: p.Progress, Look: p.Look.of(list),
		DMA: d.dmaConfig(p.Schedule), MaxState: stateMemory(),
		HostWrites: d.svm.hostWrites(),
		Accesses:   tellAccesses(list), Prints: tellPrints(list), Weak: p.model(),
	}
	if p.Trace != nil {
		p.beginTrace()
		opt.Tracer, opt.Subgroups = p.Trace, p.Trace.SubgroupTracer()
	}
	if p.forms != nil {
		return p.runValidated(ctx, opt)
	}
	return p.runOnce(ctx, opt)
}

// limited returns a context that ends when the launch has taken too long.
func (p *prepared) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Timeout > 0 {
		return context.WithTimeout(ctx, p.Timeout)
	}
	return ctx, func() {}
}

// runOnce runs a launch whose turn has come, whose arguments are filled in, and which is not to be validated.
func (p *prepared) runOnce(ctx context.Context, opt scheduler.Options) (*Result, error) {
	ctx, cancel := p.limited(ctx)
	defer cancel()
	p.self[0] = p
	d, list, start := p.Kernel.prog.dev, p.self[:], time.Now()
	if d.reference != nil {
		return p.runCompared(ctx, opt)
	}
	if p.Check && p.Interleave == nil {
		p.races = race.New(d.mem)
		p.restricts()
		opt.Races = p.races
	}
	var sr *scheduler.Result
	var err error
	d.beside(list, func() {
		if p.Interleave != nil {
			sr, err = p.runner.Interleave(ctx, &p.launch, opt, p.Interleave)
		} else {
			sr, err = p.runner.Run(ctx, &p.launch, opt)
		}
	})
	if sr == nil {
		return nil, launchError(err)
	}
	res := p.result(sr, time.Since(start))
	res.SequentialMemory = opt.Weak != nil && opt.Weak.Full()
	return p.over(res, sr, err)
}

// over puts findings into the result of a launch that is over. err is the scheduler's.
func (p *prepared) over(res *Result, sr *scheduler.Result, err error) (*Result, error) {
	var races []finding.Finding
	missed := append(partialCopies(sr.Missed), p.partialRestricts()...)
	if p.races != nil {
		res.Shadow = p.races.Bytes()
		r := raceReport{launches: []*prepared{p}, benign: p.Benign}
		by, m := r.findings(p.races)
		races, missed = by[0], append(missed, m...)
	}
	sr.Faults = p.keepOutputs(sr.Faults, err == nil && !sr.Halted, races != nil)
	if len(sr.Faults) == 0 && err == nil && races == nil {
		res.Findings.Merge(missed)
		return res, nil
	}
	p.report(res, sr, err, races)
	res.Findings.Merge(missed)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return res, err
	}
	if res.Findings.Failed() {
		return res, &FindingsError{Findings: res.Findings, Err: err}
	}
	return res, nil
}

// result returns what the scheduler's result is for the host, without findings.
func (p *prepared) result(sr *scheduler.Result, took time.Duration) *Result {
	return &Result{
		Output: sr.Output, OutputDropped: sr.Dropped, Counters: sr.Counters,
		Dim: p.launch.Dim, Local: p.launch.Local, Groups: p.launch.Groups, GroupsRun: sr.Groups, Halted: sr.Halted,
		WaveLanes: sr.WaveLanes, SubgroupSize: p.launch.SubgroupSize, Duration: took,
	}
}

// beginTrace tells the recorder of the launch. It is not inlined, since a
// launch in a queue should do with the stack that a goroutine starts with.
//
//go:noinline
func (p *prepared) beginTrace() { p.Trace.Begin(p.traceInfo()) }

// traceInfo returns what a recorder is told of the launch.
func (p *prepared) traceInfo() trace.LaunchInfo {
	lim, l := &p.Kernel.prog.dev.limits, &p.launch
	places := p.Kernel.prog.places()
	order := ""
	if o := p.Kernel.code.Meta.Order; o != isa.OrderXYZ {
		order = o.String()
	}
	return trace.LaunchInfo{
		Order:  order,
		Kernel: p.Kernel.code.Name, Schedule: p.Schedule.Name(), Completion: p.Schedule.Completion.String(), Seed: p.Schedule.Seed,
		Engines: lim.DMAEngines, QueueDepth: lim.DMAQueueDepth, BytesPerStep: lim.DMABytesPerStep, SubgroupSize: l.SubgroupSize,
		Global: l.Global, Local: l.Local, Groups: l.Groups,
		Barrier: func(pc int) bool {
			in := &l.Kernel.Code[pc]
			return in.Op == isa.OpBarrier && isa.Scope(in.Imm2) != isa.ScopeSubgroup
		},
		Place: func(pc int) finding.Place { return places.at(l.Kernel, pc) },
		Region: func(q memory.Pointer) string {
			_, name := p.object(&memory.Fault{Pointer: q})
			return name
		},
	}
}

// readsOnly says whether a write through argument i is a fault: where the parameter points to constant
// memory, and with checks on also where the module promises that nothing is written through it (NoWrite),
// unless another argument leads to the same buffer, or it is one that pointers in memory lead to. A pointer to const is no such promise: C allows to cast
// const away from a pointer to an object that is not const.
func (p *prepared) readsOnly(i int) bool {
	param, buffer := &p.Kernel.code.Params[i], p.args[i].buffer
	if param.Constant || !p.Check || !param.ReadOnly || !p.args[i].isPointer() || buffer.svm != nil {
		return param.Constant && p.args[i].isPointer()
	}
	for j := range p.args {
		if j != i && p.args[j].buffer == buffer {
			return false
		}
	}
	return true
}

// pointer returns the pointer to the buffer of argument i that the kernel was given.
func (p *prepared) pointer(i int) memory.Pointer {
	if b := p.args[i].buffer; b.view != 0 && p.readsOnly(i) {
		return b.view
	}
	return p.args[i].buffer.ptr
}

// fill checks the buffers, which may have been freed or mapped meanwhile, and
// sets the scalar registers that hold arguments and addresses. The device is held.
func (p *prepared) fill() error {
	k := p.Kernel
	l := &p.launch
	l.Memory = k.prog.dev.mem
	l.Values = make([][]byte, len(p.args))
	values := make([]uint64, len(p.args)) // of pointers
	p.locals = uint32(len(l.Kernel.Local))
	for i := range p.args {
		var err error
		if values[i], err = p.args[i].kind.fill(p, i); err != nil {
			return err
		}
	}
	var err error
	if l.Scalars, err = p.scalars(l.Kernel, values); err != nil {
		return err
	}
	p.pointers = values
	p.shadows()
	return p.pipeEnds()
}

// scalars returns what the scalar registers of a form of the kernel hold at first, given the arguments that are no
// values.
func (p *prepared) scalars(code *isa.Kernel, pointers []uint64) ([]uint64, error) {
	k := p.Kernel
	list := slices.Clone(code.ScalarInit)
	for i := range code.ParamRegs {
		r := &code.ParamRegs[i]
		if k.code.Params[r.Param].Kind == isa.ParamValue {
			list[r.Scalar] = scalarValue(r, p.launch.Values[r.Param])
		} else {
			list[r.Scalar] = pointers[r.Param]
		}
	}
	for _, r := range code.GlobalRegs {
		if r.Global >= len(k.prog.globals) {
			return nil, &ModuleError{Stage: "verify", Err: fmt.Errorf("kernel %s uses variable %d of %d", k.code.Name, r.Global, len(k.prog.globals))}
		}
		list[r.Scalar] = uint64(k.prog.globals[r.Global])
	}
	return list, nil
}

// usable says why a kernel cannot have a buffer.
func usable(b *Buffer) error {
	switch {
	case b.data == nil:
		return ErrClosed
	case b.mapped > 0 || b.parent != nil && b.parent.mapped > 0:
		return ErrMapped
	}
	return nil
}

// workers is the number of goroutines that run work-groups on a device that has n.
func (l *Launch) workers(n int) int {
	if l.Workers > 0 {
		return min(n, l.Workers)
	}
	return n
}
