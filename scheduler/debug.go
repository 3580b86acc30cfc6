package scheduler

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// ErrNotDebugged is the error for launches that a [Stepper] cannot run.
var ErrNotDebugged = errors.New("cannot run in a debugger")

// Event says why a [Stepper] came back.
type Event uint8

// The events.
const (
	EventStopped   Event = iota // between two instructions of Stepper.Wave, as engine.Debug asked
	EventGroup                  // a work-group is about to begin
	EventFinding                // a fault, or a finding at a barrier; everything is as it was
	EventEnded                  // all work-groups are over, or one that came to a fault
	EventCancelled              // Launch.Cancel was set
)

// Stepper runs a launch on one goroutine, in the order in which [Runner.Run] would, and comes back whenever
// engine.Debug stops a wave. Between two calls of Run its state can be saved, and put back later.
type Stepper struct {
	s     *launch
	w     *worker
	debug *engine.Debug

	pos     uint64 // of the work-group, or of the next one
	inGroup bool
	next    int  // among the turns of the round
	turning bool // in the middle of a turn: of worker.turns[next-1]
	left    int  // of its quantum
	failed  bool // the group is over once the stepper goes on
	over    bool
	out     []byte // what was printed
}

// Debug prepares a launch for a debugger. Of the options, the order, the width of waves, the quantum, the
// completion of copies and KeepGoing count. The error wraps [ErrNotDebugged] for kernels with pipes, which
// [DebugSet] runs, and for those whose barriers have schedules.
func (r *Runner) Debug(l *engine.Launch, opt Options, d *engine.Debug) (*Stepper, error) {
	r.inspect(l.Kernel)
	switch {
	case l.Kernel.UsesPipes:
		return nil, fmt.Errorf("kernel %s %w: it has pipes", l.Kernel.Name, ErrNotDebugged)
	case r.scheduled:
		return nil, fmt.Errorf("kernel %s %w: its barriers have schedules", l.Kernel.Name, ErrNotDebugged)
	case l.Check:
		return nil, fmt.Errorf("kernel %s %w: it runs with checks", l.Kernel.Name, ErrNotDebugged)
	}
	opt.Workers, opt.Parallel, opt.Output, opt.Tracer, opt.Subgroups, opt.Progress, opt.Look = 1, ParallelNever, nil, nil, nil, nil, nil
	opt.Races, opt.Weak, opt.First, opt.End = nil, nil, 0, 0
	s := &launch{Launch: l, runner: r, opt: opt}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if _, err := s.fits(1); err != nil {
		return nil, err
	}
	if l.Cancel == nil {
		l.Cancel = new(atomic.Bool)
	}
	w, err := s.worker()
	if err != nil {
		return nil, err
	}
	for i := range w.waves {
		if _, ok := w.waves[i].Wave.(engine.Debuggable); !ok {
			return nil, fmt.Errorf("kernel %s %w: the engine does not stop between instructions", l.Kernel.Name, ErrNotDebugged)
		}
	}
	w.group.Debug = d
	return &Stepper{s: s, w: w, debug: d, pos: s.positions.first}, nil
}

// Run goes on until something is to be told.
func (t *Stepper) Run() Event {
	w := t.w
	for {
		yield()
		switch {
		case t.over:
			return EventEnded
		case w.cancelled():
			return EventCancelled
		case t.failed:
			t.endGroup()
			continue
		case !t.inGroup && t.pos == t.s.positions.end:
			t.over = true
			continue
		case !t.inGroup:
			t.begin()
			return EventGroup
		}
		if !t.turning && t.next == len(w.turns) && !t.turns() {
			partial := w.partial
			p := w.settle()
			switch {
			case p == groupCancelled:
				return EventCancelled
			case p == groupOver && w.faulted:
				t.failed = true
				return EventFinding
			case p == groupOver:
				t.endGroup()
			case w.partial != partial:
				return EventFinding
			}
			continue
		}
		if e, tell := t.turn(); tell {
			return e
		}
	}
}

// begin begins the group at the position.
func (t *Stepper) begin() {
	w := t.w
	w.begin(t.pos)
	t.inGroup, t.next, t.turning = true, 0, false
	w.turns = w.turns[:0]
	if w.opt.Order == Seeded {
		w.rng = random(mix(w.opt.Seed) ^ mix(w.group.Linear+1))
	}
}

// endGroup ends the group, and the launch behind a group that came to a fault.
func (t *Stepper) endGroup() {
	w := t.w
	w.end(true)
	t.collect()
	t.inGroup, t.failed = false, false
	if t.pos++; w.faulted && !w.opt.KeepGoing {
		t.over = true
	}
}

// turns lists the waves that can run, for a round, and says whether there are any.
func (t *Stepper) turns() bool {
	t.w.listTurns()
	t.next = 0
	return len(t.w.turns) > 0
}

// turn begins or continues a wave's turn. It says whether there is something to tell.
func (t *Stepper) turn() (Event, bool) {
	w := t.w
	if !t.turning {
		t.left = w.quantum
		i := t.next
		if w.opt.Order == Seeded && w.n > 1 {
			j := i + int(w.rng.below(uint64(len(w.turns)-i)))
			w.turns[i], w.turns[j] = w.turns[j], w.turns[i]
			t.left = 1 + int(w.rng.below(uint64(t.left)))
		}
		t.next, t.turning = i+1, true
	}
	i := w.turns[t.next-1]
	v := &w.waves[i]
	w.turn(i, t.left)
	t.collect()
	switch v.state {
	case engine.StopDebug:
		v.state, t.left = engine.StopQuantum, t.debug.Left
		return EventStopped, true
	case engine.StopCancelled:
		v.state, t.left = engine.StopQuantum, t.debug.Left
		return EventCancelled, true
	}
	t.turning = false
	if v.state == engine.StopFault {
		w.fault(v)
		t.failed = true
		return EventFinding, true
	}
	return 0, false
}

// collect takes away what the group has printed.
func (t *Stepper) collect() {
	w := t.w
	most := t.s.opt.MaxOutput
	if most == 0 {
		most = DefaultMaxOutput
	}
	if n := uint64(len(t.out)); n < most {
		t.out = append(t.out, w.group.Output[:min(uint64(len(w.group.Output)), most-n)]...)
	}
	w.group.Output = w.group.Output[:0]
}

// Resume lets a launch go on that was stopped by its Cancel.
func (t *Stepper) Resume() { t.s.Cancel.Store(false) }

// Launch returns the launch.
func (t *Stepper) Launch() *engine.Launch { return t.s.Launch }

// WaveLanes returns the number of lanes of a whole wave.
func (t *Stepper) WaveLanes() int { return t.s.lanes }

// Over returns how many work-groups are over, and how many the schedule has.
func (t *Stepper) Over(int) (over, all uint64) { return t.w.ended, t.s.groups }

// Index returns 0, the number of the only launch.
func (t *Stepper) Index() int { return 0 }

// Launches returns the launch.
func (t *Stepper) Launches() []*engine.Launch { return []*engine.Launch{t.s.Launch} }

// Attend says whether the work-group that runs is meant.
func (t *Stepper) Attend(launch int, pos uint64) bool {
	return t.inGroup && launch == 0 && pos == t.pos
}

// InProgress returns the work-group that runs.
func (t *Stepper) InProgress() []Progress {
	if !t.inGroup || t.over {
		return nil
	}
	return []Progress{{Group: t.w.name(), Turn: true}}
}

// Err returns nil: nothing but the kernel can fail.
func (t *Stepper) Err() error { return nil }

// Pipes returns nil, for there are none.
func (t *Stepper) Pipes() []*memory.Pipe { return nil }

// PipeState is of nothing.
func (t *Stepper) PipeState(*memory.Pipe) PipeState { return PipeState{} }

// Output returns what was printed so far.
func (t *Stepper) Output() []byte { return t.out }

// Group returns the work-group that runs, and whether there is one.
func (t *Stepper) Group() (*engine.Group, bool) { return &t.w.group, t.inGroup }

// Position returns the position of the work-group in the schedule.
func (t *Stepper) Position() uint64 { return t.pos }

// Waves returns the waves of the group that runs, and which of them has its turn: -1 for none.
func (t *Stepper) Waves() (list []engine.Debuggable, turn int) {
	if !t.inGroup {
		return nil, -1
	}
	for i := range t.w.waves[:t.w.n] {
		list = append(list, t.w.waves[i].Wave.(engine.Debuggable))
	}
	turn = -1
	if t.turning || t.failed && t.next > 0 && t.next <= len(t.w.turns) {
		turn = t.w.turns[t.next-1]
	}
	return list, turn
}

// Results returns the result of the launch so far.
func (t *Stepper) Results() []*Result {
	res := &Result{WaveLanes: t.s.lanes, Counters: t.w.counters, Groups: t.w.ended, Halted: t.over && t.pos < t.s.positions.end || t.w.faulted}
	var table faultTable
	table.merge(t.w.faults.clone())
	res.Faults, res.Output = table.list(), t.out
	return []*Result{res}
}

// Close ends the launch where it is.
func (t *Stepper) Close() {
	t.w.group.Debug = nil
	t.s.runner.rest(t.w)
}

// clone returns a copy that shares nothing.
func (t faultTable) clone() faultTable {
	c := maps.Clone(t)
	for k, f := range c {
		g := *f
		c[k] = &g
	}
	return c
}

// Saved is the state of a [Stepping], but for global memory.
type Saved struct {
	stage, base                    int // of a Sequence: which runs, and how many launches there are before it
	pos                            uint64
	inGroup, turning, failed, over bool
	next, left                     int
	tick                           uint64
	out                            int
	worker                         *savedWorker
	set                            *savedSet // of a SetStepper, which has nothing of the others but the tick
}

// Save returns the state.
func (t *Stepper) Save() *Saved {
	return &Saved{pos: t.pos, inGroup: t.inGroup, turning: t.turning, failed: t.failed, over: t.over, next: t.next, left: t.left,
		tick: t.debug.Tick, out: len(t.out), worker: t.w.save(t.inGroup)}
}

// Restore puts a state back that Save has returned.
func (t *Stepper) Restore(s *Saved) {
	t.w.restore(s.worker, s.inGroup)
	t.pos, t.inGroup, t.turning, t.failed, t.over, t.next, t.left = s.pos, s.inGroup, s.turning, s.failed, s.over, s.next, s.left
	t.debug.Tick = s.tick
	t.out = t.out[:s.out]
}

// Tick returns the time of the state: instructions since the launch began.
func (s *Saved) Tick() uint64 { return s.tick }

// Begun says whether the work-group at a position of a launch's schedule had begun.
func (s *Saved) Begun(launch int, pos uint64) bool {
	if launch -= s.base; launch < 0 {
		return true
	}
	if s.set != nil {
		return launch < len(s.set.members) && s.set.members[launch].pos > pos
	}
	if launch > 0 {
		return false
	}
	return s.pos > pos || s.pos == pos && s.inGroup
}

// Bytes returns about how much memory the state takes.
func (s *Saved) Bytes() int {
	if s.set != nil {
		return s.set.bytes()
	}
	return s.worker.bytes()
}

// Digest mixes the state into one number, for tests of who comes back to where they were.
func (s *Saved) Digest() uint64 {
	h := mix(s.pos) ^ mix(s.tick+1)
	if s.set == nil {
		return s.worker.digest(h)
	}
	for i := range s.set.workers {
		h = s.set.workers[i].saved.digest(mix(h ^ s.set.workers[i].saved.pos))
	}
	for _, p := range s.set.pipes {
		h = mix(h ^ p.Digest())
	}
	return h
}

// digest mixes a number with the state of a group.
func (s *savedWorker) digest(h uint64) uint64 {
	for _, x := range s.waves {
		h = mix(h ^ x)
	}
	for i := 0; i+8 <= len(s.lds); i += 8 {
		h = mix(h ^ binary.LittleEndian.Uint64(s.lds[i:]))
	}
	return h
}
