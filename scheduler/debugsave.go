package scheduler

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// savedWorker is the state of a work-group that runs, and of the worker that runs it.
type savedWorker struct {
	pos              uint64
	faulted, partial bool
	turns            []int
	states           []engine.Stop
	seen             []uint64
	overtook         []bool
	rng              random
	clock, turn      uint64
	stretch          stretch
	waves            []uint64
	lds              []byte
	dma              *dma.Saved
}

// save returns the state of a worker, and with inGroup that of its group.
func (w *worker) save(inGroup bool) *savedWorker {
	s := &savedWorker{pos: w.pos, faulted: w.faulted, partial: w.partial, turns: slices.Clone(w.turns), rng: w.rng, clock: w.clock, turn: w.group.Turn, stretch: w.stretch}
	s.stretch.faults = w.faults.clone()
	if !inGroup {
		return s
	}
	for i := range w.waves[:w.n] {
		v := &w.waves[i]
		s.states = append(s.states, v.state)
		if w.set != nil {
			s.seen, s.overtook = append(s.seen, v.seen), append(s.overtook, v.overtook)
		}
		s.waves = v.Wave.(engine.Debuggable).Save(s.waves)
	}
	if w.lds != nil {
		s.lds = slices.Clone(w.lds.Bytes())
	}
	if w.group.DMA != nil {
		s.dma = w.group.DMA.Save()
	}
	return s
}

// restore puts a state back that save has returned.
func (w *worker) restore(s *savedWorker, inGroup bool) {
	w.clock, w.pos = s.clock, s.pos
	w.located = false
	if inGroup {
		w.begin(s.pos)
		rest := s.waves
		for i := range w.waves[:w.n] {
			v := &w.waves[i]
			if v.state = s.states[i]; w.set != nil {
				v.seen, v.overtook = s.seen[i], s.overtook[i]
			}
			rest = v.Wave.(engine.Debuggable).Restore(rest)
		}
		if w.lds != nil {
			copy(w.lds.Bytes(), s.lds)
		}
		if w.group.DMA != nil {
			w.group.DMA.Restore(s.dma)
		}
	}
	w.faulted, w.partial, w.rng, w.clock, w.group.Turn = s.faulted, s.partial, s.rng, s.clock, s.turn
	w.turns = append(w.turns[:0], s.turns...)
	w.stretch = s.stretch
	w.stretch.faults = s.stretch.faults.clone()
	w.group.Output = w.group.Output[:0]
}

// bytes returns about how much memory the state takes.
func (s *savedWorker) bytes() int {
	n := 512 + 8*len(s.waves) + len(s.lds) + 8*len(s.turns) + 512*len(s.stretch.faults)
	if s.dma != nil {
		n += s.dma.Bytes()
	}
	return n
}

// savedSet is the state of a SetStepper, but for global memory.
type savedSet struct {
	stepper SetStepper // what it says of itself; workers by number in the others
	w       int
	fallen  []int
	workers []savedWorkers
	members []savedMember
	units   []savedUnit
	pipes   []*memory.SavedPipe
	feeds   []savedFeed

	rng                   random
	clock, version        uint64
	leaving, halted       bool
	state, most           uint64
	grown, step           int
	spun, stale, patience int
	done                  uint64
	printed               int
	written, dropped      uint64
	err                   error
}

// savedWorkers is a worker, and whether it has a group.
type savedWorkers struct {
	launch int
	n      int // waves of the group; 0 where it is not needed any more
	saved  *savedWorker
}

// savedMember is the state of a launch.
type savedMember struct {
	pos     uint64
	leaving int
	result  Result
	faults  faultTable
	over    bool
}

// savedUnit is a unit, by the number of its worker or feed.
type savedUnit struct{ w, wave, feed int }

// savedFeed is the state of the host's end of a pipe.
type savedFeed struct {
	moved   uint64
	ended   bool
	restore func()
}

// Save returns the state.
func (t *SetStepper) Save() *Saved {
	s := t.s
	v := &savedSet{stepper: *t, w: -1, rng: s.rng, clock: s.clock, version: s.version, leaving: s.leaving, halted: s.halted, state: s.state, most: s.most,
		grown: s.grown, step: s.step, spun: s.spun, stale: s.stale, patience: s.patience, done: s.done.Load(),
		printed: len(s.sink.buf), written: s.sink.written, dropped: s.sink.dropped, err: s.err}
	v.stepper.w, v.stepper.looked, v.stepper.fallen = nil, nil, nil
	number := map[*worker]int{}
	for _, m := range s.members {
		v.members = append(v.members, savedMember{m.pos, m.leaving, m.result, m.faults.clone(), m.over})
		for _, w := range m.groups {
			number[w] = len(v.workers)
			v.workers = append(v.workers, savedWorkers{m.index, w.n, w.save(w.n > 0)})
		}
	}
	if n, ok := number[t.w]; ok {
		v.w = n
	}
	for _, w := range t.fallen {
		v.fallen = append(v.fallen, number[w])
	}
	if t.stage == stageUnit || t.stage == stageUnitOver {
		for _, u := range s.units {
			x := savedUnit{w: -1, wave: u.wave, feed: -1}
			if n, ok := number[u.w]; ok && u.w != nil {
				x.w = n
			}
			if u.feed != nil {
				x.feed = slices.Index(s.feeds, u.feed)
			}
			v.units = append(v.units, x)
		}
	}
	for _, p := range s.pipes {
		v.pipes = append(v.pipes, p.Save())
	}
	for _, f := range s.feeds {
		x := savedFeed{moved: f.moved, ended: f.ended}
		if f.Save != nil {
			x.restore = f.Save()
		}
		v.feeds = append(v.feeds, x)
	}
	return &Saved{tick: t.debug.Tick, set: v}
}

// Restore puts a state back that Save has returned.
func (t *SetStepper) Restore(saved *Saved) {
	s, v := t.s, saved.set
	pack, debug := t.pack, t.debug
	*t = v.stepper
	t.pack, t.debug = pack, debug
	all := t.rehire(v)
	if v.w >= 0 {
		t.w = all[v.w]
	}
	for _, n := range v.fallen {
		t.fallen = append(t.fallen, all[n])
	}
	s.live = s.live[:0]
	for i, m := range s.members {
		x := &v.members[i]
		m.pos, m.leaving, m.result, m.faults, m.over = x.pos, x.leaving, x.result, x.faults.clone(), x.over
		if !m.over && t.stage != stageStart {
			s.live = append(s.live, m)
		}
	}
	s.units = s.units[:0]
	for _, u := range v.units {
		x := unit{wave: u.wave}
		if u.w >= 0 {
			x.w = all[u.w]
		}
		if u.feed >= 0 {
			x.feed = s.feeds[u.feed]
		}
		s.units = append(s.units, x)
	}
	for i, p := range s.pipes {
		p.Restore(v.pipes[i])
	}
	for i, f := range s.feeds {
		x := &v.feeds[i]
		if f.moved, f.ended = x.moved, x.ended; x.restore != nil {
			x.restore()
		}
	}
	s.now = nil
	s.rng, s.clock, s.version, s.leaving, s.halted, s.state, s.most = v.rng, v.clock, v.version, v.leaving, v.halted, v.state, v.most
	s.grown, s.step, s.spun, s.stale, s.patience, s.err = v.grown, v.step, v.spun, v.stale, v.patience, v.err
	s.done.Store(v.done)
	s.sink.buf, s.sink.written, s.sink.dropped = s.sink.buf[:v.printed], v.written, v.dropped
	t.debug.Tick = saved.tick
}

// rehire gives each launch as many workers as it had, in the state that they had, and returns all of them.
func (t *SetStepper) rehire(v *savedSet) (all []*worker) {
	s := t.s
	wanted := make([]int, len(s.members))
	for i := range v.workers {
		wanted[v.workers[i].launch]++
	}
	for i, m := range s.members {
		for len(m.groups) > wanted[i] {
			last := len(m.groups) - 1
			m.groups[last].group.Debug = nil
			m.runner.rest(m.groups[last])
			m.groups = m.groups[:last]
		}
		for len(m.groups) < wanted[i] {
			if _, err := s.hire(m); err != nil {
				panic(err) // there was memory for it before
			}
		}
		all = append(all, m.groups...)
	}
	for i, w := range all {
		x := &v.workers[i]
		w.clock = s.clock
		if w.restore(x.saved, x.n > 0); x.n == 0 {
			w.n = 0
		}
	}
	return all
}

// bytes returns about how much memory the state takes.
func (v *savedSet) bytes() int {
	n := 1024 + 24*len(v.units)
	for i := range v.workers {
		n += v.workers[i].saved.bytes()
	}
	for _, p := range v.pipes {
		n += p.Bytes()
	}
	for i := range v.members {
		n += 512 + 512*len(v.members[i].faults)
	}
	return n
}
