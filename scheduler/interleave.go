package scheduler

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// MaxInterleaved bounds the work-items of a launch that is interleaved.
const MaxInterleaved = 64

// ErrNotInterleaved is the error for launches that cannot be interleaved.
var ErrNotInterleaved = errors.New("cannot be interleaved")

// Step is the next access of a work-item to global or local memory. It happens in one piece.
type Step struct {
	Group   uint64 // Linear
	Item    int    // number in the group
	PC      int
	Access  memory.Access
	Pointer memory.Pointer
	Bytes   uint64
	// SeqCst says, in launches with Options.Weak, that the access is sequentially consistent. A fence of that order
	// is a step of no bytes.
	SeqCst bool
	waits  bool // at a barrier: no step
}

// Chooser decides the order of all accesses of a launch.
type Chooser interface {
	// Choose is given the next step of each work-item that can go on, in the order of the groups and of the
	// work-items in them, and returns the index of the one that goes on; -1 ends the launch. The slice is
	// valid during the call.
	Choose(pending []Step) int
	// Opened is called when a barrier of a group has opened: what its work-items did before comes before what
	// they do next.
	Opened(group uint64)
}

// thread is a work-item that is interleaved.
type thread struct {
	of   *worker
	v    *wave
	next func() (Step, bool) // runs it up to its next access
	stop func()
	step Step
	at   threadState
}

type threadState uint8

const (
	threadRuns    threadState = iota // next is to be called
	threadPending                    // at step
	threadWaits                      // at a barrier
	threadEnded
)

// interleaving is a launch whose accesses a Chooser orders.
type interleaving struct {
	*launch
	choose  Chooser
	workers []*worker // one for each group
	threads []*thread
	pending []Step
	stopped bool
}

// announcer stops a group's work-items at their accesses.
type announcer struct {
	x     *interleaving
	w     *worker
	yield []func(Step) bool // by work-item; nil for one that is to end
}

// Block is for engine.SubgroupTracer.
func (*announcer) Block(start, end, first, lanes int, active [2]uint64) {}

// Accesses waits for its turn: sub-groups have one work-item.
func (a *announcer) Accesses(pc, first int, access memory.Access, size uint64, _ []int, addresses []memory.Pointer) {
	if yield := a.yield[first]; yield != nil && !yield(Step{Group: a.w.group.Linear, Item: first, PC: pc, Access: access, Pointer: addresses[0], Bytes: size}) {
		a.yield[first] = nil
	}
}

// turn waits likewise, in launches with a memory model.
func (a *announcer) turn(pc, item int, access memory.Access, p memory.Pointer, n uint64, seqCst bool) {
	if yield := a.yield[item]; yield != nil && !yield(Step{Group: a.w.group.Linear, Item: item, PC: pc, Access: access, Pointer: p, Bytes: n, SeqCst: seqCst}) {
		a.yield[item] = nil
	}
}

// Interleave runs a launch whose work-items take turns at each access to global or local memory, as the
// chooser says: all of all work-groups are in progress from the beginning, and nothing runs at the same time.
// A fault ends its work-item, and nobody of its work-group goes on behind a barrier; all others run to their
// end. The sub-group size must be 1, there are at most MaxInterleaved work-items, and kernels have neither
// pipes nor asynchronous copies, images nor copies of memory in one instruction: other launches fail with an
// error that wraps ErrNotInterleaved. The engine must be the one that tells of accesses
// ([engine.Group.Subgroups]). With Options.Weak, what accesses do when it is their turn is the model's business.
func (r *Runner) Interleave(ctx context.Context, l *engine.Launch, opt Options, choose Chooser) (*Result, error) {
	r.inspect(l.Kernel)
	opt.WaveLanes, opt.Workers, opt.Order, opt.First, opt.End = 1, 1, InOrder, 0, 0
	opt.Tracer, opt.Progress, opt.Look, opt.Races = nil, nil, nil, nil
	x := &interleaving{launch: &launch{Launch: l, runner: r, opt: opt}, choose: choose}
	if err := x.refused(); err != nil {
		return nil, fmt.Errorf("kernel %s %w: %w", l.Kernel.Name, ErrNotInterleaved, err)
	}
	if err := x.prepare(); err != nil {
		return nil, err
	}
	if x.groups > MaxInterleaved || x.groups*uint64(x.groupItems) > MaxInterleaved {
		return nil, fmt.Errorf("kernel %s %w: %d work-groups of %d work-items are more than %d work-items", l.Kernel.Name, ErrNotInterleaved, x.groups, x.groupItems, MaxInterleaved)
	}
	if err := ctx.Err(); err != nil {
		return &Result{}, err
	}
	if l.Cancel == nil {
		l.Cancel = new(atomic.Bool)
	}
	if ctx.Done() != nil {
		defer context.AfterFunc(ctx, x.cancel)()
	}
	return x.run(ctx)
}

// refused says why the kernel cannot be interleaved, or nil.
func (x *interleaving) refused() error {
	k := x.Kernel
	switch {
	case x.SubgroupSize != 1:
		return fmt.Errorf("sub-groups of %d; they must have one work-item", x.SubgroupSize)
	case k.UsesPipes:
		return errors.New("it has pipes")
	case k.UsesAsync:
		return errors.New("it has asynchronous copies")
	case k.UsesClock:
		return errors.New("it reads the clock")
	case x.runner.scheduled:
		return errors.New("its barriers have schedules")
	}
	for i := range k.Code {
		if why := severalAccesses(&k.Code[i]); why != "" {
			return errors.New(why)
		}
	}
	return nil
}

// severalAccesses says what keeps an instruction from being one step, or "".
func severalAccesses(in *isa.Inst) string {
	switch in.Op {
	case isa.OpMemCopy:
		return "it copies memory in one instruction"
	case isa.OpImageRead, isa.OpImageWrite, isa.OpImageBlockRead, isa.OpImageBlockWrite:
		return "it has images"
	}
	return ""
}

// run runs the launch.
func (x *interleaving) run(ctx context.Context) (res *Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			res, err = nil, &PanicError{Value: v, Stack: stack()}
		}
	}()
	defer x.unwind()
	for pos := range x.groups {
		w, err := x.worker()
		if err != nil {
			return nil, err
		}
		x.workers = append(x.workers, w)
		x.begin(w, pos)
	}
	for !x.stopped && !x.cancelled() {
		x.advance()
		if x.pending = x.pending[:0]; x.stopped {
			break
		}
		for _, t := range x.threads {
			if t.at == threadPending {
				x.pending = append(x.pending, t.step)
			}
		}
		if len(x.pending) == 0 {
			break
		}
		i := x.choose.Choose(x.pending)
		if i < 0 {
			x.stopped = true
			break
		}
		for _, t := range x.threads {
			if t.at == threadPending {
				if i--; i < 0 {
					t.at = threadRuns
					break
				}
			}
		}
	}
	return x.collect(ctx)
}

// begin starts a group, and makes threads of its waves, none of which runs yet.
func (x *interleaving) begin(w *worker, pos uint64) {
	a := &announcer{x: x, w: w}
	if x.opt.Weak != nil {
		w.group.Turns = a.turn
	} else {
		w.group.Subgroups = a
	}
	w.begin(pos)
	a.yield = make([]func(Step) bool, w.items)
	for i := range w.waves[:w.n] {
		t := &thread{of: w, v: &w.waves[i]}
		t.next, t.stop = iter.Pull(func(yield func(Step) bool) {
			a.yield[t.v.first] = yield
			for {
				if t.v.state = t.v.Run(0); t.v.state != engine.StopBarrier || a.yield[t.v.first] == nil || !yield(Step{waits: true}) {
					return
				}
			}
		})
		x.threads = append(x.threads, t)
	}
}

// advance runs every thread that runs up to its next access, barrier or end, and opens barriers.
func (x *interleaving) advance() {
	for again := true; again && !x.stopped; {
		for _, t := range x.threads {
			if t.at == threadRuns && !x.stopped {
				x.resume(t)
			}
		}
		again = false
		for _, w := range x.workers {
			again = x.open(w) || again
		}
	}
}

// resume runs a thread up to its next stop.
func (x *interleaving) resume(t *thread) {
	step, more := t.next()
	switch {
	case more && !step.waits:
		t.at, t.step = threadPending, step
	case more:
		t.at = threadWaits
	default:
		t.at = threadEnded
		if t.v.state == engine.StopFault {
			t.of.fault(t.v)
		}
		x.stopped = x.stopped || t.v.state != engine.StopDone && t.v.state != engine.StopFault
	}
}

// open opens the barrier of a group all of whose threads wait or have ended.
func (x *interleaving) open(w *worker) bool {
	waiting := 0
	for _, t := range x.threads {
		switch {
		case t.of != w:
		case t.at == threadPending || t.at == threadRuns:
			return false
		case t.at == threadWaits:
			waiting++
		}
	}
	if waiting == 0 || x.stopped || w.faulted || !w.openBarrier() {
		return false
	}
	for _, t := range x.threads {
		if t.of == w && t.at == threadWaits {
			t.at = threadRuns
		}
	}
	x.choose.Opened(w.group.Linear)
	return true
}

// unwind ends the threads that have not ended. They go on to the next back-edge, and nobody is told of their
// accesses.
func (x *interleaving) unwind() {
	cancelled := x.Cancel.Swap(true)
	for _, t := range x.threads {
		t.stop()
	}
	x.Cancel.Store(cancelled)
}

// collect puts the result together.
func (x *interleaving) collect(ctx context.Context) (*Result, error) {
	x.unwind()
	res := &Result{WaveLanes: 1, Missed: dma.Missed(x.missed.Load())}
	var faults faultTable
	for _, w := range x.workers {
		w.end(!x.stopped)
		res.Counters.Add(&w.counters)
		res.Groups += w.ended
		res.Halted = res.Halted || w.faulted
		faults.merge(w.faults)
		x.runner.rest(w)
	}
	res.Faults = faults.list()
	res.Output, res.Dropped = x.sink.buf, x.sink.dropped
	if x.sink.err != nil {
		return res, fmt.Errorf("printf output: %w", x.sink.err)
	}
	return res, ctx.Err()
}
