package scheduler

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// ProgressInterval is how often Options.Progress is called at most.
const ProgressInterval = 100 * time.Millisecond

// DefaultQuantum is the number of back-edges of a turn in the orders InOrder
// and Reverse; in Seeded a turn has at most seededQuantum, for more different
// runs.
const (
	DefaultQuantum = 1024
	seededQuantum  = 64
)

// DefaultMaxState is what the waves of all workers may take of the host's
// memory, in bytes: 1 GiB.
const DefaultMaxState = 1 << 30

// TooLargeError says that the registers, the private and the local memory of one
// work-group, or of one of each launch of a set, take more of the host's memory
// than Options.MaxState.
type TooLargeError struct {
	Kernel      string // of the group, or of the launch at which it was too much
	Items       int    // work-items of the group
	Launches    int    // of the set up to there
	Bytes, Most uint64 // of the groups, and allowed
}

// Error says what is too large and what to do.
func (e *TooLargeError) Error() string {
	if e.Launches > 1 {
		return fmt.Sprintf("registers, private and local memory of one work-group of each of %d launches, up to kernel %s, take %d bytes, more than the limit of %d; use smaller work-groups or fewer launches",
			e.Launches, e.Kernel, e.Bytes, e.Most)
	}
	return fmt.Sprintf("kernel %s: registers, private and local memory of a work-group of %d take %d bytes, more than the limit of %d; use smaller work-groups",
		e.Kernel, e.Items, e.Bytes, e.Most)
}

// PanicError is a panic while work-groups ran: a mistake in lockstep (or in what
// the caller gave as Options.Output), not in the kernel.
type PanicError struct {
	Value any
	Stack []byte
}

// Error says where to look.
func (e *PanicError) Error() string {
	return fmt.Sprintf("internal error while work-groups ran: %v\n%s", e.Value, e.Stack)
}

// Runner runs a compiled kernel again and again, and keeps the waves and the
// LDS for the next launch. It is safe for use from several goroutines.
type Runner struct {
	code engine.Code
	idle sync.Pool // of *worker

	once sync.Once
	k    *isa.Kernel
	// What the kernel's code says, found out at the first launch.
	spins     bool
	footprint footprint
	barriers  int  // instructions
	onlyPC    int  // of the only one
	scheduled bool // some barrier has a schedule
}

// New returns a runner for code. All its launches must be of the kernel that
// the code was compiled from.
func New(code engine.Code) *Runner { return &Runner{code: code} }

// Run runs a launch once; see [Runner.Run].
func Run(ctx context.Context, code engine.Code, l *engine.Launch, opt Options) (*Result, error) {
	return New(code).Run(ctx, l, opt)
}

func (r *Runner) inspect(k *isa.Kernel) {
	r.once.Do(func() {
		r.k = k
		r.spins, r.footprint = MaySpin(k), footprintOf(k)
		for pc := range k.Code {
			if k.Code[pc].Op == isa.OpBarrier {
				r.barriers++
				r.onlyPC = pc
			}
			r.scheduled = r.scheduled || k.Code[pc].Schedule() != isa.ScheduleUnordered
		}
	})
}

// launch is what the workers of one launch share.
type launch struct {
	*engine.Launch
	runner *Runner
	opt    Options

	groups     uint64
	positions  struct{ first, end uint64 } // of the schedule, that run
	groupItems int                         // of a whole group
	lanes      int                         // of a wave
	quantum    int
	order      permutation
	batch      uint64 // groups
	batches    uint64
	even       bool // all groups have the same size
	sweeping   bool // see sweeps
	races      int  // the launch's number in opt.Races
	// ordered says that output is handed in by batches.
	ordered bool

	shares []share
	whole  [1]share   // shares, where there is one
	alone  [1]*worker // the workers, where there is one
	halt   halt
	pokes  bool          // Launch.Cancel stops waves to look at them
	over   atomic.Bool   // the launch is to end
	missed atomic.Uint32 // a dma.Missed
	sink   *sink         // own, or that of the set
	own    sink
}

// Run runs a launch to its end. Faults of the kernel are in the result and no
// error. The error is the context's when that ended the launch before all
// groups were over (the result then has Stopped), that of Options.Output, a
// [*TooLargeError], a *memory.LimitError for LDS, one that says that the launch is
// not well-formed, or a [*PanicError]. With an error of the first two kinds there
// is a result as well.
//
// Run sets l.Cancel when it is nil. The caller must not change l before Run returns.
func (r *Runner) Run(ctx context.Context, l *engine.Launch, opt Options) (*Result, error) {
	r.inspect(l.Kernel)
	s := &launch{Launch: l, runner: r, opt: opt}
	if l.Kernel.UsesPipes {
		return nil, fmt.Errorf("kernel %s has pipes, and runs in a set only", l.Kernel.Name)
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return &Result{}, err
	}
	if s.positions.first == s.positions.end {
		return &Result{}, nil
	}
	if l.Cancel == nil {
		l.Cancel = new(atomic.Bool)
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, s.cancel)
		defer stop()
	}

	n := 1
	if s.parallel() {
		n = int(min(uint64(max(opt.Workers, 1)), s.batches))
	}
	n, err := s.fits(n)
	if err != nil {
		return nil, err
	}
	s.ordered = n > 1 && l.Kernel.UsesPrintf
	workers := s.alone[:]
	if n > 1 {
		workers = make([]*worker, n)
	}
	for i := range workers {
		w, err := s.worker()
		if err != nil {
			return nil, err
		}
		w.number = i
		workers[i] = w
	}
	s.divide(n)
	s.halt.workers = workers
	if opt.Progress != nil {
		defer s.progress(workers)()
	}
	s.letLook()
	if n == 1 {
		workers[0].work()
	} else {
		work(workers)
	}
	return s.finish(ctx, workers)
}

// work has several workers work, the first of them on this goroutine, and waits until all have done. A worker that nobody has
// begun when the first one finds no more work begins and ends on this goroutine: a thread that is late keeps nobody waiting.
func work(workers []*worker) {
	var wg sync.WaitGroup
	var working atomic.Int32
	rest := workers[1:]
	begun, others := make([]atomic.Bool, len(rest)), make([]func(), len(rest))
	wg.Add(len(rest))
	working.Add(int32(len(rest)))
	for i, w := range rest {
		others[i] = func() {
			if begun[i].CompareAndSwap(false, true) {
				w.work()
				working.Add(-1)
				wg.Done()
			}
		}
	}
	lend(others...)
	workers[0].work()
	for _, begin := range others {
		begin()
	}
	spin(func() bool { return working.Load() == 0 })
	wg.Wait()
}

// prepare checks the launch and derives what the workers need.
func (s *launch) prepare() error {
	if s.Kernel != s.runner.k {
		return fmt.Errorf("launch of kernel %s with the code of kernel %s", s.Kernel.Name, s.runner.k.Name)
	}
	if s.opt.Order >= numOrders {
		return fmt.Errorf("unknown order %d", s.opt.Order)
	}
	if s.opt.DMA.Completion > dma.Paced {
		return fmt.Errorf("unknown completion %d", s.opt.DMA.Completion)
	}
	if s.SubgroupSize < 1 || s.opt.WaveLanes < 0 || s.opt.WaveLanes%s.SubgroupSize != 0 {
		return fmt.Errorf("waves of %d lanes with sub-groups of %d", s.opt.WaveLanes, s.SubgroupSize)
	}
	s.groups, s.even = 1, true
	items := uint64(1)
	for d := range 3 {
		local := uint64(s.Local[d])
		if local == 0 {
			return fmt.Errorf("local size 0 in dimension %d", d)
		}
		if want := s.Global[d]/local + min(s.Global[d]%local, 1); s.Groups[d] != want {
			return fmt.Errorf("%d work-groups in dimension %d; there are %d", s.Groups[d], d, want)
		}
		s.even = s.even && s.Global[d]%local == 0
		hi, lo := bits.Mul64(s.groups, s.Groups[d])
		if hi != 0 {
			return fmt.Errorf("more than 2^64 work-groups")
		}
		s.groups = lo
		items *= local
		if items > isa.MaxGroupItems {
			return fmt.Errorf("work-group of %v is too large", s.Local)
		}
	}
	s.groupItems = int(items)
	s.lanes = waveLanes(s.opt.Order, s.runner.spins, s.runner.footprint, s.SubgroupSize, s.opt.WaveLanes, s.groupItems)
	s.quantum = s.opt.Quantum
	if s.quantum < 1 {
		s.quantum = DefaultQuantum
		if s.opt.Order == Seeded {
			s.quantum = seededQuantum
		}
	}
	s.sweeping = s.sweeps()
	if s.opt.Races != nil {
		var err error
		if s.races, err = s.opt.Races.Launch(s.groups, items); err != nil {
			return err
		}
		s.opt.Races.Writes(s.Kernel, s.Scalars)
		s.synchronizes()
	}
	s.order = newPermutation(s.opt.Order, s.opt.Seed, s.groups)
	if s.positions.end = s.groups; s.opt.End > 0 {
		s.positions.end = min(s.opt.End, s.groups)
	}
	s.positions.first = min(s.opt.First, s.positions.end)
	count := s.positions.end - s.positions.first
	// Batches are small enough that workers end together, and large enough
	// that the counter they come from is not worth a thought, and that most neighbours of a group are one
	// worker's.
	s.batch = 1024
	if s.opt.Workers > 1 && s.parallel() {
		s.batch = min(max(count/(uint64(s.opt.Workers)*32), 1), s.batch)
	}
	// Workers remember what they found by stretches of batches, which must not be too many.
	s.batch = max(s.batch, count/maxBatches)
	s.batches = count / s.batch
	if count%s.batch != 0 {
		s.batches++
	}
	s.sink = &s.own
	s.own.init(s.opt.Output, s.opt.MaxOutput)
	return nil
}

// synchronizes tells the detection of data races how work-items of the kernel may synchronize.
func (s *launch) synchronizes() {
	r := s.opt.Races
	if s.Kernel.UsesPipes {
		r.Alone()
	}
	for i := range s.Kernel.Code {
		in := &s.Kernel.Code[i]
		o := in.Order()
		switch in.Op {
		case isa.OpAtomic:
			if in.Space != isa.SpaceLocal && o.Scope() > isa.ScopeDevice || o.Scope() > isa.ScopeWorkgroup {
				r.Narrow(o.Scope())
			}
			if o == 0 || o&(isa.OrderAcquire|isa.OrderRelease|isa.OrderSeqCst) != 0 {
				r.Alone()
			}
		case isa.OpFence:
			r.Alone()
		case isa.OpBarrier:
			if isa.Scope(in.Imm2) == isa.ScopeSubgroup || o.Scope() == isa.ScopeSubgroup || o&isa.OrderVaries != 0 {
				r.Alone()
			}
		}
	}
}

// parallel says whether groups may run at the same time.
func (s *launch) parallel() bool {
	if s.opt.Tracer != nil || s.opt.Races != nil || s.opt.Weak != nil || s.Kernel.UsesClock {
		return false // there is one clock, one shadow memory, or one history
	}
	switch s.opt.Parallel {
	case ParallelNever:
		return false
	case ParallelAlways:
		return true
	}
	return s.opt.Order == InOrder && !s.Kernel.OrderDependent && !Serial
}

// Serial keeps launches with ParallelAuto on one goroutine. It is set where the program is built with Go's
// race detector: work-groups that access the same memory without atomic operations, which OpenCL allows to
// compile and to run, would be reported as races of lockstep (see package memory). Tests of lockstep clear
// it. It must not change while launches run.
var Serial = raceDetector

// fits returns how many of n workers the host's memory has room for.
func (s *launch) fits(n int) (int, error) {
	most := s.opt.maxState()
	state := s.state()
	for _, n := range s.LocalSizes {
		if state += n; state < n {
			state = math.MaxUint64
			break
		}
	}
	if state > most {
		return 0, &TooLargeError{Kernel: s.Kernel.Name, Items: s.groupItems, Launches: 1, Bytes: state, Most: most}
	}
	if s.Origins != nil {
		state = min(state, most/3) * 3 // the shadow of private memory, with origins, is twice as large as that itself
	}
	if state > 0 {
		n = int(min(uint64(n), most/state))
	}
	return n, nil
}

// maxState returns the limit of what waves take, in bytes.
func (o *Options) maxState() uint64 {
	if o.MaxState == 0 {
		return DefaultMaxState
	}
	return o.MaxState
}

// state returns what the registers and the private memory of a work-group's
// waves take on the host, in bytes; it need not be exact where that is far too much.
func (s *launch) state() uint64 {
	const chunk = 64 // engines round the lanes of a wave up
	perLane := stateBytes(s.Kernel, s.opt.maxState())
	waves := uint64((s.groupItems + s.lanes - 1) / s.lanes)
	hi, state := bits.Mul64(waves*uint64((s.lanes+chunk-1)/chunk*chunk), perLane)
	if hi != 0 {
		return math.MaxUint64
	}
	return state
}

// progress calls Options.Progress until the function that it returns is called.
func (s *launch) progress(workers []*worker) (stop func()) {
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(ProgressInterval)
		defer t.Stop()
		for {
			select {
			case <-quit:
				return
			case <-t.C:
			}
			var done uint64
			for _, w := range workers {
				done += w.done.Load()
			}
			s.opt.Progress(done, s.positions.end-s.positions.first)
		}
	})
	return func() {
		close(quit)
		wg.Wait()
	}
}

// finish puts the workers' results together and lets them go.
func (s *launch) finish(ctx context.Context, workers []*worker) (*Result, error) {
	res := &Result{WaveLanes: s.lanes, Missed: dma.Missed(s.missed.Load())}
	for _, w := range workers {
		if w.panicked != nil {
			return nil, w.panicked
		}
		w.stretches = append(w.stretches, w.stretch)
	}
	// Unless the context ended the launch, all groups up to the first fault have run.
	if last := s.halt.last(); last != math.MaxUint64 && endedUpTo(workers, last) == last+1-s.positions.first {
		res.Halted = true
		dropAfter(workers, last)
	}
	var faults faultTable
	for _, w := range workers {
		for i := range w.stretches {
			t := &w.stretches[i]
			res.Counters.Add(&t.counters)
			res.Groups += t.ended
			faults.merge(t.faults)
		}
		if w.stopped != nil {
			res.Stopped = append(res.Stopped, *w.stopped)
		}
		s.runner.rest(w)
	}
	slices.SortFunc(res.Stopped, func(a, b Stopped) int {
		if a.Group.Position < b.Group.Position {
			return -1
		}
		return 1
	})
	res.Faults = faults.list()
	res.Output, res.Dropped = s.sink.buf, s.sink.dropped
	if err := s.sink.err; err != nil {
		return res, fmt.Errorf("printf output: %w", err)
	}
	if res.Halted {
		res.Stopped = nil
		return res, nil
	}
	if res.Groups < s.positions.end-s.positions.first {
		if err := context.Cause(ctx); err != nil {
			return res, err
		}
		return res, context.Canceled // somebody else has set Launch.Cancel
	}
	return res, nil
}

// stack returns the stack of the goroutine that panicked.
func stack() []byte { return debug.Stack() }
