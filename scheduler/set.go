package scheduler

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Member is a launch of a set: launches that run together because pipes connect
// them.
type Member struct {
	Runner *Runner
	// Launch is the launch. Its Index must be its place in the set, and its
	// Pipes what the kernel can reach.
	Launch *engine.Launch
	// OwnOutput keeps what the launch prints apart from the set's output: it
	// goes to Output, up to MaxOutput bytes, or to the Result of the launch.
	OwnOutput bool
	Output    io.Writer
	MaxOutput uint64
	// WaveLanes is the width of the launch's waves; 0 is Options.WaveLanes.
	WaveLanes int
}

// Feed is an end of a pipe that the host holds while a set runs. It has turns
// as a launch has.
type Feed struct {
	Pipe *memory.Pipe
	// Write says that the host writes packets; else it reads them.
	Write bool
	// Move moves up to most packets, at least one, between the host and the
	// pipe, which has them or the room. It returns how many it moved, and that
	// it will move no more. Its error ends the set. It may take its time, but what
	// it does must not depend on that.
	Move func(most uint64) (n uint64, ended bool, err error)
	// Ended says from the start that the host moves no more: the feed is there
	// to be named when somebody waits for it.
	Ended bool
	// Save returns a function that brings the host back to where it is now. Only a [SetStepper] calls it.
	Save func() (restore func())
}

// SetResult is what a set leaves behind besides memory and pipes.
type SetResult struct {
	// Launches has the results of the launches. They have Output for a member
	// with OwnOutput only, and in Stopped what the first of the work-groups in
	// progress was doing.
	Launches []Result
	// Output is what the others printed, in the order of the turns, unless
	// Options.Output took it; Dropped is the number of bytes beyond Options.MaxOutput.
	Output  []byte
	Dropped uint64
	// Fed is how many packets each feed moved.
	Fed []uint64
}

// setState is the part of Options.MaxState that work-groups beyond the first of
// each launch may take.
const setState = 4

// waveBytes is what a wave takes on the host besides its registers and private
// memory, about.
const waveBytes = 2 << 10

// set is launches that run together, on one goroutine.
type set struct {
	opt     Options
	tracer  SetTracer // nil for none
	quantum int
	cancel  *atomic.Bool
	sink    sink

	members []*member // of which those that are not over are in live
	live    []*member
	feeds   []*feed
	pipes   []*memory.Pipe // each once
	ends    map[*memory.Pipe]*holders

	rng     random
	clock   uint64  // the launches' logical clock
	clocked bool    // somebody looks at it
	now     *worker // whose turn it was last
	version uint64  // of all pipes, when it was last looked at
	units   []unit  // of a round of the order Seeded

	leaving bool // some launch has workers that are not needed any more

	// What groups in progress take on the host, and may take, in bytes.
	state, most uint64
	grown       int // launch that the last further group was of
	step        int // groups to add when it does not help

	// spun counts the turns in which waves could only spin, since the last one
	// that may have got somewhere; stale the rounds since a packet moved, and
	// patience how many of them are taken for granted.
	spun, stale, patience int

	done   atomic.Uint64 // groups
	halted bool          // a fault has ended the set
	err    error         // of a feed

	stepper *SetStepper // that runs the set; nil in most
}

// member is a launch of a set.
type member struct {
	launch
	index   int
	pipes   []*memory.Pipe // each once
	groups  []*worker      // in progress, in the order in which they began
	pos     uint64         // of the next group
	bytes   uint64         // that a group takes on the host
	leaving int            // workers that are not needed any more
	result  Result
	faults  faultTable
	over    bool
}

// feed is a Feed in a set.
type feed struct {
	Feed
	moved uint64
	ended bool
}

// holders is who holds a pipe.
type holders struct {
	members []int // in ascending order
	feeds   []int
	// stale has the ids of reservations that were open before the set: nobody's
	// in it.
	stale map[uint64]bool
}

// RunSet runs launches that are connected by pipes, and the host's ends of the
// pipes, by turns: what happens depends on the order and its seed only. See the
// package's documentation. Faults of the kernels are in the result and no error; the
// error is one of those of [Runner.Run], or that of a feed. Workers and Parallel
// do not count. Options.Tracer must be a [SetTracer] or nil.
//
// RunSet sets Cancel of the launches to the first one's, which it makes when it
// is nil. The caller must not change the launches, nor use the pipes, before RunSet
// returns.
func RunSet(ctx context.Context, members []Member, feeds []Feed, opt Options) (*SetResult, error) {
	s, err := newSet(members, feeds, opt)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return &SetResult{Launches: make([]Result, len(members)), Fed: make([]uint64, len(feeds))}, err
	}
	if len(members) == 0 {
		return &SetResult{Fed: make([]uint64, len(feeds))}, nil
	}
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { s.cancel.Store(true) })
		defer stop()
	}
	if opt.Progress != nil {
		defer s.progress()()
	}
	if err := s.run(); err != nil {
		return nil, err
	}
	return s.finish(ctx)
}

// newSet returns a set that is about to run.
func newSet(members []Member, feeds []Feed, opt Options) (*set, error) {
	s := &set{opt: opt, ends: make(map[*memory.Pipe]*holders), rng: random(mix(opt.Seed)), patience: patience, step: 1}
	s.sink.init(opt.Output, opt.MaxOutput)
	if opt.Tracer != nil {
		t, ok := opt.Tracer.(SetTracer)
		if !ok {
			return nil, fmt.Errorf("a tracer of a set of launches must be a SetTracer, not a %T", opt.Tracer)
		}
		s.tracer, s.clocked = t, true
	}
	for i := range members {
		if err := s.add(&members[i]); err != nil {
			return nil, err
		}
	}
	for i := range feeds {
		f := &feed{Feed: feeds[i], ended: feeds[i].Ended}
		s.feeds = append(s.feeds, f)
		e := s.end(f.Pipe)
		e.feeds = append(e.feeds, i)
	}
	return s, nil
}

// add takes a launch into the set.
func (s *set) add(from *Member) error {
	m := &member{index: len(s.members)}
	l := from.Launch
	from.Runner.inspect(l.Kernel)
	m.Launch, m.runner, m.opt = l, from.Runner, s.opt
	if from.WaveLanes != 0 {
		m.opt.WaveLanes = from.WaveLanes
	}
	m.opt.Seed ^= mix(uint64(m.index)) // 0 for the first: a launch alone has the order that it has without pipes
	if l.Index != m.index {
		return fmt.Errorf("launch %d of a set says that it is launch %d", m.index, l.Index)
	}
	if err := m.prepare(); err != nil {
		return err
	}
	if s.cancel == nil {
		if s.cancel = l.Cancel; s.cancel == nil {
			s.cancel = new(atomic.Bool)
		}
		s.quantum = m.quantum
	}
	l.Cancel = s.cancel
	if m.sink = &s.sink; from.OwnOutput {
		m.sink = &m.own
		m.own.init(from.Output, from.MaxOutput)
	}
	for i := range l.Pipes {
		p := l.Pipes[i].Pipe
		e := s.end(p)
		if n := len(e.members); n == 0 || e.members[n-1] != m.index {
			e.members = append(e.members, m.index)
			m.pipes = append(m.pipes, p)
		}
	}
	m.bytes = min(m.launch.state(), 1<<60) + uint64((m.groupItems+m.lanes-1)/m.lanes)*waveBytes
	for _, n := range l.LocalSizes {
		m.bytes += min(n, 1<<60/uint64(len(l.LocalSizes)))
	}
	s.clocked = s.clocked || l.Kernel.UsesAsync || l.Kernel.UsesClock
	if m.launch.groups > 0 {
		s.state += min(m.bytes, 1<<62-s.state)
		if most := s.opt.maxState(); s.state > most {
			return &TooLargeError{Kernel: l.Kernel.Name, Items: m.groupItems, Launches: m.index + 1, Bytes: s.state, Most: most}
		}
	}
	s.members = append(s.members, m)
	return nil
}

// end returns who holds a pipe.
func (s *set) end(p *memory.Pipe) *holders {
	e := s.ends[p]
	if e == nil {
		e = &holders{stale: openIn(p)}
		s.ends[p] = e
		s.pipes = append(s.pipes, p)
	}
	return e
}

// openIn returns the ids of a pipe's open reservations; nil for none.
func openIn(p *memory.Pipe) (ids map[uint64]bool) {
	p.Open(func(r *memory.Reservation) {
		if ids == nil {
			ids = make(map[uint64]bool)
		}
		ids[r.ID] = true
	})
	return ids
}

// run runs the set. The error is a [*PanicError] or one of those of a launch
// that cannot be started.
func (s *set) run() (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: stack()}
		}
	}()
	if err := s.start(); err != nil {
		return err
	}
	for len(s.live) > 0 {
		if s.over() {
			s.stop()
			return nil
		}
		var ran bool
		if s.opt.Order == Seeded {
			ran = s.seededRound()
		} else {
			ran = s.round()
		}
		s.tidy()
		s.look()
		if s.halted {
			continue
		}
		if v := s.pipeVersion(); v != s.version {
			s.version = v
			s.moved()
		} else if s.stale++; !ran || s.spinning() {
			if err := s.unlock(!ran); err != nil {
				return err
			}
		}
		yield()
	}
	s.empty()
	return nil
}

// start begins the first work-group of each launch.
func (s *set) start() error {
	s.most = max(s.opt.maxState()/setState, s.state)
	for _, m := range s.members {
		if m.launch.groups == 0 {
			m.over = true
			continue
		}
		s.live = append(s.live, m)
		if err := s.join(m); err != nil {
			return err
		}
	}
	s.version = s.pipeVersion()
	return nil
}

// over says whether the set ends before its launches have.
func (s *set) over() bool { return s.halted || s.cancel.Load() }

// pipeVersion changes when any pipe of the set does.
func (s *set) pipeVersion() uint64 {
	v := uint64(0)
	for _, p := range s.pipes {
		v += p.Version()
	}
	return v
}

// version changes when any pipe of the launch does.
func (m *member) version() uint64 {
	v := uint64(0)
	for _, p := range m.pipes {
		v += p.Version()
	}
	return v
}

// join makes another work-group of a launch one in progress.
func (s *set) join(m *member) error {
	w, err := s.hire(m)
	if err != nil {
		return err
	}
	s.begin(w)
	return nil
}

// hire adds a worker to a launch.
func (s *set) hire(m *member) (*worker, error) {
	w, err := m.worker()
	if err != nil {
		return nil, err
	}
	w.set, w.member = s, m
	w.clocked = s.clocked
	if s.tracer != nil {
		w.group.PipeTrace = &packetTracer{s.tracer, m.index}
	}
	w.group.Report = w.report
	if s.stepper != nil {
		s.stepper.outfit(w)
	}
	m.groups = append(m.groups, w)
	return w, nil
}

// packetTracer tells a SetTracer of the packets that a launch moves.
type packetTracer struct {
	SetTracer
	launch int
}

// Packets adds the launch.
func (t *packetTracer) Packets(pipe memory.Pointer, write bool, pc, item int, first, n, now uint64) {
	t.SetTracer.Packets(t.launch, pipe, write, pc, item, first, n, now)
}

// begin starts the launch's next work-group in a worker.
func (s *set) begin(w *worker) {
	m := w.member
	if s.tracer != nil {
		w.pos = m.pos
		w.locate()
		s.tracer.Resume(m.index, w.name())
	}
	s.now = w
	w.clock = s.clock
	w.begin(m.pos)
	s.clock = w.clock
	m.pos++
}

// enter makes a work-group the one that the clock and the tracer mean.
func (s *set) enter(w *worker) {
	w.clock = s.clock
	if s.now != w {
		s.now = w
		if s.tracer != nil {
			s.tracer.Resume(w.member.index, w.name())
		}
	}
}

// next ends the group of a worker and takes up another one of the launch. It
// returns false when there is none.
func (s *set) next(w *worker) bool {
	m := w.member
	s.enter(w)
	if !w.faulted && s.stepper == nil { // which has looked before
		w.openReservations()
	}
	w.end(true)
	s.clock = w.clock
	s.spun = 0
	m.result.Groups++
	s.halted = s.halted || w.faulted && !s.opt.KeepGoing
	s.done.Add(1)
	if w.faults != nil {
		m.faults.merge(w.faults)
		w.faults = nil
	}
	if m.pos < m.launch.groups && !s.halted {
		s.begin(w)
		return true
	}
	s.leave(w)
	return false
}

// leave notes that a worker is not needed any more.
func (s *set) leave(w *worker) {
	w.member.result.Counters.Add(&w.counters)
	w.member.leaving++
	s.state -= w.member.bytes
	s.leaving = true
	w.n = 0 // it has no wave that could run
}

// tidy gives the workers back that are not needed any more, and drops the
// launches that are over.
func (s *set) tidy() {
	if !s.leaving {
		return
	}
	s.leaving = false
	s.live = slices.DeleteFunc(s.live, func(m *member) bool {
		if m.leaving == 0 {
			return false
		}
		m.leaving = 0
		m.groups = slices.DeleteFunc(m.groups, func(w *worker) bool {
			if w.n > 0 {
				return false
			}
			if s.now == w {
				s.now = nil
			}
			m.runner.rest(w)
			return true
		})
		m.over = len(m.groups) == 0
		return m.over
	})
}

// empty lets the host read what is left when all launches are over.
func (s *set) empty() {
	for _, f := range s.feeds {
		for !f.Write && s.can(f) {
			s.move(f, f.Pipe.Len())
		}
	}
}

// stop notes what each launch was doing when the set was cancelled, or a fault ended it.
func (s *set) stop() {
	for _, m := range s.live {
		for _, w := range m.groups {
			if w.n == 0 {
				continue
			}
			if m.result.Stopped == nil {
				w.stop()
				m.result.Stopped = append(m.result.Stopped, *w.stopped)
			}
			s.enter(w)
			w.end(false)
			s.clock = w.clock
			m.faults.merge(w.faults)
			s.leave(w)
		}
	}
	s.tidy()
}

// progress calls Options.Progress until the function that it returns is called.
func (s *set) progress() (stop func()) {
	total := uint64(0)
	for _, m := range s.members {
		total += m.launch.groups
	}
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
				s.opt.Progress(s.done.Load(), total)
			}
		}
	})
	return func() {
		close(quit)
		wg.Wait()
	}
}

// finish puts the results together.
func (s *set) finish(ctx context.Context) (*SetResult, error) {
	res := &SetResult{Output: s.sink.buf, Dropped: s.sink.dropped}
	over := true
	output := s.sink.err
	for _, m := range s.members {
		r := &m.result
		r.WaveLanes, r.Missed = m.lanes, dma.Missed(m.missed.Load())
		r.Faults = m.faults.list()
		if m.sink != &s.sink {
			r.Output, r.Dropped = m.sink.buf, m.sink.dropped
			if output == nil {
				output = m.sink.err
			}
		}
		over = over && r.Groups == m.launch.groups
		if r.Halted = s.halted; s.halted {
			r.Stopped = nil
		}
		res.Launches = append(res.Launches, *r)
	}
	for _, f := range s.feeds {
		res.Fed = append(res.Fed, f.moved)
	}
	switch {
	case s.err != nil:
		return res, s.err
	case output != nil:
		return res, fmt.Errorf("printf output: %w", output)
	case over || s.halted:
		return res, nil
	}
	if err := context.Cause(ctx); err != nil {
		return res, err
	}
	return res, context.Canceled
}
