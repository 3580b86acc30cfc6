package scheduler

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// worker runs work-groups, one after the other, on one goroutine.
type worker struct {
	*launch

	group engine.Group
	pos   uint64 // of the group in the schedule
	// located says that group is the one at pos, and that they follow each other as positions do.
	located bool
	items   int // of the group
	n       int // waves of the group
	// partial is set once the group was found to have left a barrier to some of
	// its work-items.
	partial bool
	endless endless

	waves     []wave
	madeLanes int // that the waves were made for
	lds       *memory.Local
	ldsSizes  []uint64 // that the LDS was made for

	turns []int // waves that can run, in the order of the round
	rng   random

	// The group's logical clock, which nobody looks at when clocked is false, and
	// whether it came to a fault.
	clock   uint64
	clocked bool
	faulted bool
	set     *set // that the launch is in; nil when it runs alone
	member  *member

	stretch             // that the worker is in
	stretches []stretch // before it
	stopped   *Stopped
	panicked  *PanicError
	done      atomic.Uint64 // groups that are over, for Options.Progress

	number int           // among the launch's workers
	at     atomic.Uint64 // position of the batch, atAny or atNone

	// Output of the batch, when output is ordered, and how much of it was dropped.
	batchOut     []byte
	batchDropped uint64

	// For collecting who waits where, without a closure for each call.
	parking  func(pc int, lanes []int)
	parkedPC int
	groupPC  int // lowest one of an operation of the work-group, or -1
	mixed    bool
}

// wave is a wave of the group and what the scheduler knows of it.
type wave struct {
	engine.Wave
	where    engine.Locator // the same wave; nil where it cannot say
	hold     engine.Holder  // the same wave; nil where it cannot
	sweep    engine.Sweeper // the same
	rester   engine.Rester  // the same
	first, n int            // work-items of the group
	state    engine.Stop

	// In a set: the version of the launch's pipes at which the wave waits, and
	// whether lanes of it have gone on without those that wait.
	seen     uint64
	overtook bool
}

// worker returns one that has rested, or a new one, ready for the launch.
func (s *launch) worker() (*worker, error) {
	w, _ := s.runner.idle.Get().(*worker)
	if w == nil {
		w = &worker{}
		w.parking = w.collect
	}
	w.launch = s
	w.stretch, w.stretches = stretch{}, w.stretches[:0]
	w.stopped, w.panicked = nil, nil
	w.located = false
	w.done.Store(0)
	w.batchDropped = 0
	if w.madeLanes != s.lanes {
		w.waves, w.madeLanes = nil, s.lanes
	}
	for len(w.waves) < (s.groupItems+s.lanes-1)/s.lanes {
		v := wave{Wave: s.runner.code.NewWave(s.lanes)}
		v.where, _ = v.Wave.(engine.Locator)
		v.hold, _ = v.Wave.(engine.Holder)
		v.sweep, _ = v.Wave.(engine.Sweeper)
		v.rester, _ = v.Wave.(engine.Rester)
		w.waves = append(w.waves, v)
	}
	if len(s.LocalSizes) == 0 {
		w.lds, w.ldsSizes = nil, nil
	} else if !slices.Equal(w.ldsSizes, s.LocalSizes) {
		lds, err := memory.NewLocal(s.LocalSizes, memory.MaxSize)
		if err != nil {
			return nil, fmt.Errorf("local memory of kernel %s: %w", s.Kernel.Name, err)
		}
		w.lds, w.ldsSizes = lds, slices.Clone(s.LocalSizes)
	}
	if w.lds != nil {
		w.lds.Track(s.LocalOrigins())
		w.lds.Poison(s.Poison)
	}
	w.group = engine.Group{Launch: s.Launch, LDS: w.lds, Output: w.group.Output[:0]}
	if tell := s.opt.Accesses; tell != nil {
		w.group.Accesses = func(a engine.Access) { tell(&w.group, a) }
	}
	if d := s.opt.Races; d != nil {
		w.group.Races = d.Worker(s.races, s.SubgroupSize, len(s.Kernel.Code), s.LocalSizes,
			func(i int) bool { return i < len(s.Kernel.Local) && s.Kernel.Local[i].PerItem })
	}
	if m := s.opt.Weak; m != nil {
		w.group.Weak = m.Worker(s.SubgroupSize)
	}
	if tell := s.opt.Prints; tell != nil {
		w.group.Prints = func(item int, text []byte) { tell(&w.group, item, text) }
	}
	if s.Origins != nil {
		w.group.Report = w.report
	}
	w.clock = 0
	w.set, w.member = nil, nil
	w.startDMA()
	return w, nil
}

// rest keeps a worker for the next launch, without what belongs to this one. A pool keeps what is in it until
// the garbage collector has run twice: programs that make many kernels, or devices, would have the memory of
// launches that are over grow with every cycle of the collector.
func (r *Runner) rest(w *worker) {
	for i := range w.waves {
		if v := w.waves[i].rester; v != nil {
			v.Rest()
		}
	}
	w.launch, w.set, w.member = nil, nil, nil
	w.stretch, w.stopped = stretch{}, nil
	clear(w.stretches)
	w.group.Launch, w.group.Accesses, w.group.Prints, w.group.DMA, w.group.PipeTrace, w.group.Races, w.group.Report = nil, nil, nil, nil, nil, nil, nil
	w.group.Weak, w.group.Turns = nil, nil
	r.idle.Put(w)
}

// work runs batches until there are none.
func (w *worker) work() {
	defer func() {
		if v := recover(); v != nil {
			w.panicked = &PanicError{Value: v, Stack: stack()}
			w.cancel()
			w.sink.fail(w.panicked)
		}
		if w.at.Store(atNone); w.halt.done() {
			w.cancel()
		}
	}()
	for !w.cancelled() {
		w.at.Store(atAny)
		first, end := w.take(w.number)
		if first == end {
			return
		}
		w.at.Store(first)
		w.enter(first)
		for pos := first; pos < end && pos <= w.halt.last() && !w.cancelled(); {
			if w.sweeping {
				pos = w.sweep(pos, end-pos)
				continue
			}
			w.begin(pos)
			w.runGroup()
			pos++
		}
		w.next = end
		if w.ordered {
			last := w.halt.last()
			b := batch{out: w.batchOut, dropped: w.batchDropped, last: first <= last && last < end}
			var ok bool
			if w.batchOut, ok = w.sink.commit((first-w.positions.first)/w.batch, b); !ok {
				w.cancel()
			}
			w.batchDropped = 0
		}
	}
}

// runGroup runs the group that has begun.
func (w *worker) runGroup() {
	over := false
	if w.n == 1 {
		over = w.runWave()
	} else {
		over = w.runWaves()
	}
	w.end(over)
	yield()
}

// begin starts the group at a position of the schedule.
func (w *worker) begin(pos uint64) {
	follows := w.located && pos == w.pos+1
	if w.pos = pos; follows {
		w.step()
	} else {
		w.locate()
	}
	if w.lds != nil {
		w.lds.Reset()
	}
	if w.group.Races != nil {
		w.group.Races.Begin(w.group.Linear, w.items)
	}
	if w.group.Weak != nil {
		w.group.Weak.Begin(w.group.Linear, w.items)
	}
	w.faulted, w.partial, w.endless = false, false, endless{}
	if w.clocked {
		w.beginClock()
	}
	w.n = 0
	for first := 0; first < w.items; first += w.lanes {
		v := &w.waves[w.n]
		v.first, v.n, v.state, v.overtook = first, min(w.lanes, w.items-first), engine.StopQuantum, false
		v.Start(&w.group, first, v.n)
		w.n++
	}
}

// locate finds out which group is at the worker's position, and its size.
func (w *worker) locate() {
	g := &w.group
	linear := w.order.at(w.pos)
	g.Linear, g.ID = linear, w.GroupID(linear)
	w.measure()
	w.located = w.opt.Order == InOrder
}

// step is locate for a group that follows the one before it in order.
func (w *worker) step() {
	g := &w.group
	g.Linear++
	for d := range g.ID {
		if g.ID[d]++; g.ID[d] < w.Groups[d] {
			break
		}
		g.ID[d] = 0
	}
	if !w.even {
		w.measure()
	}
}

// measure finds out the size of the group.
func (w *worker) measure() {
	g := &w.group
	w.items = 1
	for d := range 3 {
		size := w.Local[d]
		if left := w.Global[d] - g.ID[d]*uint64(size); left < uint64(size) {
			size = uint32(left)
		}
		g.Size[d] = size
		w.items *= int(size)
	}
}

// end ends the group. over says that it has come to its end or to a fault, and
// was not cancelled.
func (w *worker) end(over bool) {
	for i := range w.waves[:w.n] {
		w.counters.Add(w.waves[i].Counters())
	}
	if w.clocked {
		w.endClock(over && !w.faulted)
	}
	w.flush()
	if over {
		w.ended++
		if w.opt.Progress != nil {
			w.done.Add(1)
		}
		if w.faulted && !w.opt.KeepGoing {
			w.halt.faulted(w.pos)
		}
	}
}

// runWave runs a group that is one wave. Like runWaves it returns false when
// the launch was cancelled.
func (w *worker) runWave() bool {
	v := &w.waves[0]
	quantum := 0
	if w.Kernel.UsesPrintf || cooperative || w.opt.Look != nil && !w.pokes && !w.clocked {
		quantum = w.quantum // so that output is taken away, timers run and questions are answered from time to time
	} else if w.watched() {
		quantum = watchQuantum
	}
	for {
		w.turn(0, quantum)
		w.look()
		if (v.state == engine.StopQuantum || v.state == engine.StopBarrier) && w.stuck() {
			w.noProgress()
			return true
		}
		switch v.state {
		case engine.StopDone:
			return true
		case engine.StopBarrier:
			if w.cancelled() {
				// A loop around a barrier need have no other back-edge.
				w.stop()
				return false
			}
			if !w.openBarrier() {
				return true
			}
		case engine.StopQuantum:
			w.flush()
			yield()
		case engine.StopFault:
			w.fault(v)
			return true
		default:
			if w.cancelled() {
				w.stop()
				return false
			}
		}
	}
}

// runWaves runs a group of several waves, in turns.
func (w *worker) runWaves() bool {
	if w.opt.Order == Seeded {
		w.rng = random(mix(w.opt.Seed) ^ mix(w.group.Linear+1))
	}
	for {
		switch w.round() {
		case groupOver:
			return true
		case groupRuns:
			if w.stuck() {
				w.noProgress()
				return true
			}
			w.look()
			w.flush()
			yield()
		default:
			w.stop()
			return false
		}
	}
}

// progress is what has become of a group.
type progress uint8

const (
	groupRuns      progress = iota // some of its waves can run
	groupWaits                     // nobody can run before packets move
	groupOver                      // it has ended, or come to a fault
	groupCancelled                 // with the launch
)

// round gives each wave that can run a turn, and opens the barrier when all
// have come to it.
func (w *worker) round() progress {
	if w.listTurns(); len(w.turns) == 0 {
		return w.settle()
	}
	for i := range w.turns {
		quantum := w.quantum
		if w.opt.Order == Seeded {
			// The rest of the round, in any order, for any time.
			j := i + int(w.rng.below(uint64(len(w.turns)-i)))
			w.turns[i], w.turns[j] = w.turns[j], w.turns[i]
			quantum = 1 + int(w.rng.below(uint64(quantum)))
		}
		v := &w.waves[w.turns[i]]
		w.turn(w.turns[i], quantum)
		switch v.state {
		case engine.StopFault:
			w.fault(v)
			return groupOver
		case engine.StopCancelled:
			return groupCancelled
		}
	}
	return groupRuns
}

// listTurns lists the waves that can run, for a round.
func (w *worker) listTurns() {
	w.turns = w.turns[:0]
	for i := range w.waves[:w.n] {
		if w.opt.Order == Reverse {
			i = w.n - 1 - i
		}
		if w.waves[i].state == engine.StopQuantum {
			w.turns = append(w.turns, i)
		}
	}
}

// settle finds out what becomes of a group of which no wave can run.
func (w *worker) settle() progress {
	done, waits := true, false
	for i := range w.waves[:w.n] {
		done = done && w.waves[i].state == engine.StopDone
		waits = waits || w.waves[i].state == engine.StopPipe
	}
	switch {
	case done:
		return groupOver
	case w.cancelled():
		return groupCancelled
	case waits:
		return groupWaits
	case !w.openBarrier():
		return groupOver
	}
	return groupRuns
}

// turn runs a wave until it stops.
func (w *worker) turn(i, quantum int) {
	v := &w.waves[i]
	switch {
	case w.set != nil:
		w.set.turn(w, i, quantum)
	case w.clocked:
		w.clockedTurn(i, quantum)
	default:
		v.state = v.Run(quantum)
	}
}

// flush takes away what the group has printed.
func (w *worker) flush() {
	p := w.group.Output
	if len(p) == 0 {
		return
	}
	if !w.ordered {
		w.sink.write(p)
		if w.sink.err != nil {
			w.cancel()
		}
	} else {
		keep := uint64(len(p))
		if room := w.sink.max - min(w.sink.max, uint64(len(w.batchOut))); keep > room {
			w.batchDropped += keep - room
			keep = room
		}
		w.batchOut = append(w.batchOut, p[:keep]...)
	}
	w.group.Output = p[:0]
}

// fault records the fault that ended a wave.
func (w *worker) fault(v *wave) {
	f := v.Fault()
	w.faulted = true
	e := w.faults.add(w.pos, f.Code, f.PC, max(f.Lanes, 1), -1)
	if e == nil {
		return
	}
	e.Fault = *f
	if f.Memory != nil {
		m := *f.Memory
		e.Memory = &m
	}
	if f.Pipe != nil {
		p := *f.Pipe
		e.Pipe = &p
	}
	e.Group = w.name()
}

// name names the group that runs.
func (w *worker) name() Group {
	return Group{Position: w.pos, ID: w.group.ID, Linear: w.group.Linear, Size: w.group.Size}
}

// openBarrier opens the barrier at which all live work-items of the group wait
// and returns true, or records a deadlock and returns false.
func (w *worker) openBarrier() bool {
	live := 0
	for i := range w.waves[:w.n] {
		if w.waves[i].state == engine.StopBarrier {
			live += w.waves[i].Live()
		}
	}
	pc := w.runner.onlyPC
	if w.runner.barriers != 1 {
		w.parkedPC, w.groupPC, w.mixed = -1, -1, false
		for i := range w.waves[:w.n] {
			v := &w.waves[i]
			if v.state != engine.StopBarrier {
				continue
			}
			if v.where != nil {
				if pc := v.where.BarrierPC(); pc >= 0 {
					w.collect(pc, nil)
					continue
				}
			}
			v.Parking(w.parking)
		}
		pc = w.parkedPC
		if w.mixed {
			w.faulted = true
			code := finding.BarrierDeadlock
			if w.groupPC >= 0 {
				code, pc = finding.GroupDiverged, w.groupPC
			}
			if e := w.faults.add(w.pos, code, pc, live, -1); e != nil {
				e.Fault = engine.Fault{Code: code, PC: pc, Lanes: live}
				e.Group = w.name()
				at := w.whoWaits()
				e.Waiting, e.Ended = at.waiting, at.ended
				e.Lane = int(e.Waiting[0].Items[0][0])
			}
			return false
		}
	}
	if live < w.items && !w.partial {
		w.partial = true
		code := finding.PartialBarrier
		if w.ofGroup(pc) {
			code = finding.GroupDiverged
		}
		if e := w.faults.add(w.pos, code, pc, live, -1); e != nil {
			e.Fault = engine.Fault{Code: code, PC: pc, Lanes: live}
			e.Group = w.name()
			at := w.whoWaits()
			e.Waiting, e.Ended = at.waiting, at.ended
			e.Lane = int(e.Waiting[0].Items[0][0])
		}
	}
	if w.group.Races != nil {
		w.group.Races.Barrier(w.Kernel.Code[pc].Order())
	}
	if w.group.Weak != nil {
		w.group.Weak.Barrier(w.Kernel.Code[pc].Order())
	}
	if s := w.scheduleAt(pc); s != isa.ScheduleUnordered {
		return w.runRegion(w.n, pc, s)
	}
	for i := range w.waves[:w.n] {
		if v := &w.waves[i]; v.state == engine.StopBarrier {
			v.Open()
			v.state = engine.StopQuantum
		}
	}
	if w.clocked {
		w.barrierOpened(pc)
	}
	return true
}

// ofGroup says whether a barrier belongs to an operation of the work-group.
func (w *worker) ofGroup(pc int) bool {
	return pc >= 0 && pc < len(w.Kernel.Code) && w.Kernel.Code[pc].Flags&isa.FlagUniform != 0
}

// collect is the callback of Parking that finds out whether all wait at one
// barrier. The deadlock is filed under the lowest one.
func (w *worker) collect(pc int, _ []int) {
	if w.ofGroup(pc) && (w.groupPC < 0 || pc < w.groupPC) {
		w.groupPC = pc
	}
	switch {
	case w.parkedPC < 0:
		w.parkedPC = pc
	case pc != w.parkedPC:
		w.mixed = true
		w.parkedPC = min(pc, w.parkedPC)
	}
}

// standing is where the work-items of a group are.
type standing struct {
	waiting []Waiting  // at barriers
	pipes   []PipeWait // at pipes
	ended   finding.Spans
	running []Waiting // could run, or have ended
}

// whoWaits lists the work-items of the group that wait, by place, those that
// have ended, and those that could run.
func (w *worker) whoWaits() (s standing) {
	at, run, apart := map[int]finding.Spans{}, map[int]finding.Spans{}, map[int]bool{}
	for i := range w.waves[:w.n] {
		v := &w.waves[i]
		gone := make([]bool, v.n)
		for j := range gone {
			gone[j] = true
		}
		if v.state != engine.StopDone {
			v.Parking(func(pc int, lanes []int) {
				for _, l := range lanes {
					at[pc] = at[pc].Add(uint64(l))
					gone[l-v.first] = false
				}
			})
		}
		waits := 0 // at pipes
		if w.set != nil && v.state != engine.StopDone {
			v.Piping(func(pc int, pipe memory.Pointer, lanes []int) {
				p := w.pipeWait(&s.pipes, pc, pipe)
				for _, l := range lanes {
					p.Items = p.Items.Add(uint64(l))
					gone[l-v.first] = false
				}
				waits += len(lanes)
			})
		}
		pc := -1
		if v.where != nil {
			pc = v.where.PC()
			apart[pc] = apart[pc] || v.where.Apart()
		}
		// Where all that live wait, the others have ended.
		all := v.state == engine.StopDone || v.state == engine.StopBarrier || waits > 0 && v.Live() == waits+v.Parked()
		for j, g := range gone {
			switch item := uint64(v.first + j); {
			case !g:
			case all:
				s.ended = s.ended.Add(item)
			default:
				// Which of the rest of a running wave have ended is not known.
				run[pc] = run[pc].Add(item)
			}
		}
	}
	s.waiting, s.running = byPC(at), byPC(run)
	for i := range s.running {
		s.running[i].Apart = apart[s.running[i].PC]
	}
	sortPipes(s.pipes)
	return s
}

// byPC returns the work-items by place, in the order of the places.
func byPC(at map[int]finding.Spans) []Waiting {
	var list []Waiting
	for pc, items := range at {
		list = append(list, Waiting{PC: pc, Items: items})
	}
	slices.SortFunc(list, func(a, b Waiting) int { return a.PC - b.PC })
	return list
}

// stop records what the group was doing when the launch was cancelled.
func (w *worker) stop() {
	at := w.where()
	w.stopped = &at
}

// where is what the group does.
func (w *worker) where() Stopped {
	at := w.whoWaits()
	return Stopped{Group: w.name(), Waiting: at.waiting, Pipes: at.pipes, Ended: at.ended, Running: at.running}
}
