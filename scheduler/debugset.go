package scheduler

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// SetStepper is a [Stepper] of launches that run together, by the turns of [RunSet]. The rounds of set.run are stages here,
// so that what happens can stop within a turn, and begin there again.
type SetStepper struct {
	s     *set
	debug *engine.Debug
	pack  func(m PacketMove)

	stage setStage
	ran   bool // somebody could do anything in the round
	live  int  // in the round: which of set.live has its turn
	at    int  // which of the launch's groups
	ended int  // groups that have ended in the launch's turn
	unit  int  // of a round of the order Seeded, and how many have turns in it
	units int

	w        *worker // whose turn it is or was last
	wave     int
	next     int    // among the turns of the group's round
	turning  bool   // in the middle of a turn
	quantum  int    // of the turn
	left     int    // of that
	issued   uint64 // instructions, in it
	before   uint64 // version of the launch's pipes at its beginning
	failed   bool   // the group is over once the stepper goes on
	opened   bool   // what reservations the group leaves behind was told
	fallen   []*worker
	told     groupAt // that the last EventGroup was about
	hostTurn bool    // the host has moved packets, which nobody was told yet
	looked   *worker // see Attend
	err      error
}

// setStage is where a SetStepper is in a round.
type setStage uint8

const (
	stageStart    setStage = iota // before the set
	stageRound                    // a round is about to begin
	stageLaunch                   // a launch is
	stageGroup                    // a round of a group is
	stageTurns                    // within that
	stageSettled                  // behind it
	stageOver                     // a group is over
	stageUnit                     // a unit is drawn, in the order Seeded
	stageUnitOver                 // the group of its turn is over
	stageLast                     // the host's turns at the end of a round
	stageEnd                      // the round has ended
	stageFallen                   // groups have come to a deadlock
	stageEnded                    // the set is over
)

// groupAt is a work-group of a set: its launch, and its position in the launch's schedule.
type groupAt struct {
	launch int
	pos    uint64
}

// PacketMove is packets that were read or written, for who watches pipes.
type PacketMove struct {
	Launch   int            // -1 is the host
	Pipe     memory.Pointer // handle, without an end
	Write    bool
	PC, Item int // -1 of the host
	First, N uint64
}

// DebugSet prepares launches that run together for a debugger. Packets is told of packets that move. Of the options, those
// that [Runner.Debug] takes count. The error wraps [ErrNotDebugged], or is one of [RunSet].
func DebugSet(members []Member, feeds []Feed, opt Options, d *engine.Debug, packets func(m PacketMove)) (*SetStepper, error) {
	opt.Workers, opt.Parallel, opt.Output, opt.Tracer, opt.Subgroups, opt.Progress, opt.Look = 1, ParallelNever, nil, nil, nil, nil, nil
	opt.Races, opt.Weak, opt.First, opt.End = nil, nil, 0, 0
	for i := range members {
		m := &members[i]
		m.Runner.inspect(m.Launch.Kernel)
		switch {
		case m.Runner.scheduled:
			return nil, fmt.Errorf("kernel %s %w: its barriers have schedules", m.Launch.Kernel.Name, ErrNotDebugged)
		case m.Launch.Check:
			return nil, fmt.Errorf("kernel %s %w: it runs with checks", m.Launch.Kernel.Name, ErrNotDebugged)
		}
		if _, ok := m.Runner.code.NewWave(1).(engine.Debuggable); !ok {
			return nil, fmt.Errorf("kernel %s %w: the engine does not stop between instructions", m.Launch.Kernel.Name, ErrNotDebugged)
		}
	}
	s, err := newSet(members, feeds, opt)
	if err != nil {
		return nil, err
	}
	t := &SetStepper{s: s, debug: d, pack: packets, told: groupAt{launch: -1}}
	s.stepper = t
	return t, nil
}

// outfit prepares a worker.
func (t *SetStepper) outfit(w *worker) {
	w.group.Debug = t.debug
	w.group.PipeTrace = &moveTracer{t, w.member.index}
}

// moveTracer tells of packets that a launch moves.
type moveTracer struct {
	t      *SetStepper
	launch int
}

// Packets tells of packets.
func (m *moveTracer) Packets(pipe memory.Pointer, write bool, pc, item int, first, n, _ uint64) {
	m.t.pack(PacketMove{m.launch, pipe, write, pc, item, first, n})
}

// moved tells of packets that the host has moved.
func (t *SetStepper) moved(f *feed, first, n uint64) {
	t.hostTurn = true
	t.pack(PacketMove{-1, f.Pipe.Handle(), f.Write, -1, -1, first, n})
}

// Run goes on until something is to be told.
func (t *SetStepper) Run() Event {
	t.looked = nil
	for {
		yield()
		if t.stage == stageEnded {
			return EventEnded
		}
		if t.s.cancel.Load() {
			if t.s.err == nil {
				return EventCancelled
			}
			t.stage = stageEnded // what the host gave or took has failed
			continue
		}
		if e, tell := t.advance(); tell {
			return e
		}
	}
}

// advance makes one transition. It says whether there is something to tell.
func (t *SetStepper) advance() (Event, bool) {
	s := t.s
	switch t.stage {
	case stageStart:
		t.start()
	case stageRound:
		t.round()
	case stageLaunch:
		t.launch()
	case stageGroup:
		t.group()
	case stageTurns:
		return t.turns()
	case stageSettled:
		if t.at++; s.halted {
			t.stage = stageEnd
		} else {
			t.stage = stageGroup
		}
	case stageOver:
		return t.over(func(more bool) {
			if t.ended++; !more || t.ended >= groupsOfTurn {
				t.stage = stageSettled
			} else {
				t.stage = stageGroup
			}
		})
	case stageUnit:
		return t.seeded()
	case stageUnitOver:
		return t.over(func(bool) {
			if t.stage = stageUnit; s.halted {
				t.stage = stageEnd
			}
		})
	case stageLast:
		t.feeds(s.opt.Order == Reverse)
		t.stage = stageEnd
	case stageEnd:
		return t.endRound()
	case stageFallen:
		s.dissolve(t.fallen)
		t.fallen, t.stage = nil, stageRound
	}
	return 0, false
}

// start begins the set.
func (t *SetStepper) start() {
	s := t.s
	for p, e := range s.ends {
		e.stale = openIn(p) // others may have run since the set was made
	}
	if t.err = s.start(); t.err != nil {
		t.stage = stageEnded
		return
	}
	if t.stage = stageRound; len(s.live) > 0 {
		t.w = s.live[0].groups[0]
	}
}

// round begins a round.
func (t *SetStepper) round() {
	s := t.s
	switch {
	case len(s.live) == 0:
		s.empty()
		t.stage = stageEnded
	case s.halted:
		s.stop()
		t.stage = stageEnded
	case s.opt.Order == Seeded:
		s.drawable()
		t.unit, t.units = 0, 0
		if n := len(s.units); n > 0 {
			t.units = 1 + int(s.rng.below(uint64(n)))
		}
		t.ran, t.stage = t.units > 0, stageUnit
	default:
		t.ran, t.live, t.stage = false, 0, stageLaunch
		t.feeds(s.opt.Order != Reverse)
	}
}

// feeds gives the host's ends of one direction their turns.
func (t *SetStepper) feeds(write bool) {
	s := t.s
	for i := range s.feeds {
		if s.opt.Order == Reverse {
			i = len(s.feeds) - 1 - i
		}
		if f := s.feeds[i]; f.Write == write && s.can(f) {
			t.ran = true
			s.move(f, f.Pipe.Can(write))
		}
	}
}

// member returns the launch whose turn it is in the round.
func (t *SetStepper) member() *member {
	i := t.live
	if t.s.opt.Order == Reverse {
		i = len(t.s.live) - 1 - i
	}
	return t.s.live[i]
}

// launch begins the turn of a launch.
func (t *SetStepper) launch() {
	if t.live == len(t.s.live) {
		t.stage = stageLast
		return
	}
	t.at, t.ended, t.stage = 0, 0, stageGroup
}

// group begins the round of a group.
func (t *SetStepper) group() {
	m := t.member()
	if t.at == len(m.groups) {
		t.live++
		t.stage = stageLaunch
		return
	}
	w := m.groups[t.at]
	if !w.wake(m.version()) {
		t.stage = stageSettled
		return
	}
	w.listTurns()
	t.ran, t.w, t.next, t.stage = true, w, 0, stageTurns
}

// turns goes on with the round of a group.
func (t *SetStepper) turns() (Event, bool) {
	w := t.w
	if t.failed {
		t.failed, t.stage = false, stageOver
		return 0, false
	}
	if !t.turning && t.next == len(w.turns) {
		partial, p := w.partial, groupRuns
		if !w.runs() {
			p = w.settle()
		}
		t.stage = stageSettled
		switch {
		case p == groupOver && w.faulted:
			t.failed, t.stage = true, stageTurns
			return EventFinding, true
		case p == groupOver:
			t.stage = stageOver
		case w.partial != partial:
			return EventFinding, true
		}
		return 0, false
	}
	if !t.turning {
		if t.tells() {
			return EventGroup, true
		}
		t.wave, t.quantum = w.turns[t.next], w.quantum
		t.next++
	}
	return t.turn()
}

// seeded gives the next unit of the round its turn.
func (t *SetStepper) seeded() (Event, bool) {
	s := t.s
	switch {
	case t.failed:
		t.failed, t.stage = false, stageUnitOver
		return 0, false
	case t.turning:
	case t.unit == t.units:
		t.stage = stageEnd
		return 0, false
	default:
		u := s.draw(t.unit)
		t.unit++
		if u.feed != nil {
			if s.can(u.feed) {
				s.move(u.feed, 1+s.rng.below(u.feed.Pipe.Can(u.feed.Write)))
			}
			return 0, false
		}
		if u.wave >= u.w.n || u.w.waves[u.wave].state != engine.StopQuantum {
			return 0, false // its group has ended meanwhile
		}
		t.w, t.wave, t.quantum, t.turning, t.issued = u.w, u.wave, s.seededQuantum(), true, 0
		t.begin()
		if t.tells() {
			return EventGroup, true
		}
	}
	w := t.w
	if e, tell := t.turn(); tell || t.turning {
		return e, tell
	}
	if w.waves[t.wave].state == engine.StopQuantum || w.runs() {
		return 0, false
	}
	partial, p := w.partial, w.settle()
	switch {
	case p == groupOver && w.faulted:
		t.failed = true
		return EventFinding, true
	case p == groupOver:
		t.stage = stageUnitOver
	case w.partial != partial:
		return EventFinding, true
	}
	return 0, false
}

// tells says whether who has the next turn is another group than the last one, or the host was there, and notes it.
func (t *SetStepper) tells() bool {
	at := groupAt{t.w.member.index, t.w.pos}
	if at == t.told && !t.hostTurn {
		return false
	}
	t.told, t.hostTurn = at, false
	return true
}

// begin begins a turn.
func (t *SetStepper) begin() {
	v := &t.w.waves[t.wave]
	t.s.enter(t.w)
	t.turning, t.left, t.issued, t.before = true, t.quantum, 0, 0
	if v.overtook {
		t.before = t.w.member.version()
	}
}

// turn begins or continues a wave's turn: set.turn.
func (t *SetStepper) turn() (Event, bool) {
	s, w := t.s, t.w
	v := &w.waves[t.wave]
	if !t.turning {
		t.begin()
	}
	issued := v.Counters().Instructions
	if w.clocked {
		w.clockedTurn(t.wave, t.left)
		s.clock = w.clock
	} else {
		v.state = v.Run(t.left)
	}
	t.issued += v.Counters().Instructions - issued
	switch v.state {
	case engine.StopDebug:
		v.state, t.left = engine.StopQuantum, t.debug.Left
		w.flush()
		return EventStopped, true
	case engine.StopCancelled:
		v.state, t.left = engine.StopQuantum, t.debug.Left
		w.flush()
		return EventCancelled, true
	}
	t.turning = false
	s.turned(w, t.wave, t.quantum, t.issued, t.before)
	if v.state == engine.StopFault {
		w.fault(v)
		t.failed = true
		return EventFinding, true
	}
	return 0, false
}

// over ends the group of the turn, unless it leaves reservations behind: these are told first. Then goes on, and says
// whether the launch has taken up another group.
func (t *SetStepper) over(then func(more bool)) (Event, bool) {
	w := t.w
	if !w.faulted && !t.opened {
		n := w.faults.count()
		if w.openReservations(); w.faults.count() > n {
			t.opened = true
			return EventFinding, true
		}
	}
	t.opened = false
	then(t.s.next(w))
	return 0, false
}

// endRound ends a round, and finds somebody who can go on where nobody could.
func (t *SetStepper) endRound() (Event, bool) {
	s := t.s
	s.tidy()
	t.stage = stageRound
	if s.halted {
		return 0, false
	}
	if v := s.pipeVersion(); v != s.version {
		s.version = v
		s.moved()
		return 0, false
	}
	if s.stale++; t.ran && !s.spinning() {
		return 0, false
	}
	stuck, err := s.stuck(!t.ran)
	if err == nil && stuck {
		t.fallen, err = s.deadlock()
	}
	switch {
	case err != nil:
		t.err, t.stage = err, stageEnded
	case stuck:
		t.stage, t.w = stageFallen, t.fallen[0]
		return EventFinding, true
	}
	return 0, false
}

// count is how many times anything went wrong.
func (t faultTable) count() (n uint64) {
	for _, f := range t {
		n += f.Count
	}
	return n
}

// Err returns why the set could not go on, or nil.
func (t *SetStepper) Err() error {
	if t.err != nil {
		return t.err
	}
	return t.s.err
}

// attended returns the worker that is looked at; nil for none.
func (t *SetStepper) attended() *worker {
	w := t.w
	if t.looked != nil {
		w = t.looked
	}
	if t.stage == stageEnded || t.stage == stageStart || w == nil || w.n == 0 {
		return nil
	}
	return w
}

// Attend makes a group in progress the one that Launch, Group, Position and Waves are about, until Run goes on. It
// returns false where it is not in progress.
func (t *SetStepper) Attend(launch int, pos uint64) bool {
	for _, p := range t.inProgress() {
		if p.member.index == launch && p.pos == pos {
			t.looked = p
			return true
		}
	}
	return false
}

// inProgress returns the groups in progress, in the order of the launches.
func (t *SetStepper) inProgress() (list []*worker) {
	if t.stage == stageEnded || t.stage == stageStart {
		return nil
	}
	for _, m := range t.s.members {
		for _, w := range m.groups {
			if w.n > 0 {
				list = append(list, w)
			}
		}
	}
	return list
}

// InProgress returns the work-groups in progress.
func (t *SetStepper) InProgress() (list []Progress) {
	for _, w := range t.inProgress() {
		list = append(list, Progress{Launch: w.member.index, Group: w.name(), Turn: w == t.w})
	}
	return list
}

// Launches returns the launches.
func (t *SetStepper) Launches() (list []*engine.Launch) {
	for _, m := range t.s.members {
		list = append(list, m.Launch)
	}
	return list
}

// Index returns the number of the launch that is looked at.
func (t *SetStepper) Index() int {
	switch w := t.attended(); {
	case w != nil:
		return w.member.index
	case t.told.launch >= 0:
		return t.told.launch
	}
	return 0
}

// Resume lets a set go on that was stopped by its Cancel.
func (t *SetStepper) Resume() { t.s.cancel.Store(false) }

// Launch returns the launch that is looked at.
func (t *SetStepper) Launch() *engine.Launch { return t.s.members[t.Index()].Launch }

// WaveLanes returns the number of lanes of a whole wave of the launch that is looked at.
func (t *SetStepper) WaveLanes() int { return t.s.members[t.Index()].lanes }

// Over returns how many work-groups of a launch are over, and how many it has.
func (t *SetStepper) Over(launch int) (over, all uint64) {
	m := t.s.members[launch]
	return m.result.Groups, m.launch.groups
}

// Output returns what was printed so far.
func (t *SetStepper) Output() []byte { return t.s.sink.buf }

// Group returns the work-group that is looked at, and whether there is one.
func (t *SetStepper) Group() (*engine.Group, bool) {
	if w := t.attended(); w != nil {
		return &w.group, true
	}
	return &engine.Group{Launch: t.Launch()}, false
}

// Position returns its position in the schedule of its launch.
func (t *SetStepper) Position() uint64 {
	if w := t.attended(); w != nil {
		return w.pos
	}
	return t.told.pos
}

// Waves returns the waves of the group that is looked at, and which of them has its turn: -1 for none.
func (t *SetStepper) Waves() (list []engine.Debuggable, turn int) {
	w := t.attended()
	if w == nil {
		return nil, -1
	}
	for i := range w.waves[:w.n] {
		list = append(list, w.waves[i].Wave.(engine.Debuggable))
	}
	if turn = -1; w == t.w && (t.turning || t.failed && t.stage != stageOver) {
		turn = t.wave
	}
	return list, turn
}

// Results returns the results of the launches so far.
func (t *SetStepper) Results() (list []*Result) {
	for _, m := range t.s.members {
		r := m.result
		r.WaveLanes, r.Halted = m.lanes, t.s.halted
		var table faultTable
		table.merge(m.faults.clone())
		for _, w := range m.groups {
			r.Counters.Add(&w.counters)
			table.merge(w.faults.clone())
			r.Halted = r.Halted || w.faulted && !t.s.opt.KeepGoing
		}
		r.Faults, r.Stopped = table.list(), nil
		list = append(list, &r)
	}
	return list
}

// Close ends the set where it is.
func (t *SetStepper) Close() {
	for _, m := range t.s.members {
		for _, w := range m.groups {
			w.group.Debug = nil
			m.runner.rest(w)
		}
		m.groups = nil
	}
	t.stage = stageEnded
}

// Pipes returns the pipes of the set, in the order in which launches have them.
func (t *SetStepper) Pipes() []*memory.Pipe { return t.s.pipes }

// PipeState says how a pipe of the set is, with all its reservations, and who holds its ends and waits for it.
func (t *SetStepper) PipeState(p *memory.Pipe) PipeState {
	holders := make([]EndState, len(t.s.members))
	for i, m := range t.s.members {
		h := &holders[i]
		h.Launch, h.Groups, h.Total = i, m.result.Groups, m.launch.groups
		for _, w := range m.groups {
			if w.n == 0 {
				continue
			}
			at := w.whoWaits()
			for _, x := range at.pipes {
				if w.pipe(x.Pipe) == p {
					x.Group = w.name()
					h.Waits = append(h.Waits, x)
				}
			}
		}
		if h.State = HolderReady; m.over {
			h.State = HolderEnded
		} else if len(h.Waits) > 0 {
			h.State = HolderWaits
		}
	}
	st := t.s.pipeState(p, holders)
	st.Open = nil
	p.Open(func(r *memory.Reservation) {
		c := *r
		c.Touched = slices.Clone(r.Touched)
		st.Open = append(st.Open, c)
	})
	return st
}
