package scheduler

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// This file has who runs when in a set.

// turn lets a wave run until it stops.
func (s *set) turn(w *worker, i, quantum int) {
	v := &w.waves[i]
	s.enter(w)
	before := uint64(0)
	if v.overtook {
		before = w.member.version()
	}
	issued := v.Counters().Instructions
	if w.clocked {
		w.clockedTurn(i, quantum)
		s.clock = w.clock
	} else {
		v.state = v.Run(quantum)
	}
	s.turned(w, i, quantum, v.Counters().Instructions-issued, before)
}

// turned notes what has become of a turn, in which so many instructions were issued. Before is the version of the launch's
// pipes at its beginning, for waves of which lanes have overtaken others.
func (s *set) turned(w *worker, i, quantum int, issued, before uint64) {
	v := &w.waves[i]
	switch v.state {
	case engine.StopPipe:
		// Lanes that had gone on without the others may have moved what those
		// wait for.
		if v.seen = before; !v.overtook {
			v.seen = w.member.version()
		}
		if s.tracer != nil {
			v.Piping(func(pc int, pipe memory.Pointer, lanes []int) {
				s.tracer.Waiting(i, pc, pipe, len(lanes), s.clock)
			})
		}
	case engine.StopQuantum:
		// Each back-edge is at least one instruction, so that less of them mean that
		// the wave gave way, because it found nothing at its pipes.
		switch {
		case issued < uint64(quantum):
			s.spun++
		case quantum >= spinQuantum:
			s.spun = 0
		}
	case engine.StopDone:
		s.spun = 0
	}
	w.flush()
}

// wake makes the waves runnable that wait at pipes which have changed, and says
// whether any wave of the group can run.
func (w *worker) wake(version uint64) bool {
	runs := false
	for i := range w.waves[:w.n] {
		v := &w.waves[i]
		if v.state == engine.StopPipe && v.seen != version {
			v.state = engine.StopQuantum
		}
		runs = runs || v.state == engine.StopQuantum
	}
	return runs
}

// round gives each launch, and each of the host's ends, one turn, in the order
// of the schedule: in order, what the host writes comes first and what it reads
// last. It says whether anybody could do anything.
func (s *set) round() (ran bool) {
	feeds := func(write bool) {
		for i := range s.feeds {
			if s.opt.Order == Reverse {
				i = len(s.feeds) - 1 - i
			}
			if f := s.feeds[i]; f.Write == write && s.can(f) {
				ran = true
				s.move(f, f.Pipe.Can(write))
			}
		}
	}
	reverse := s.opt.Order == Reverse
	feeds(!reverse)
	for i := range s.live {
		if reverse {
			i = len(s.live) - 1 - i
		}
		if s.over() {
			return true
		}
		if s.launchTurn(s.live[i]) {
			ran = true
		}
	}
	feeds(reverse)
	return ran
}

// groupsOfTurn is how many work-groups a launch may end in one turn.
const groupsOfTurn = 64

// launchTurn gives each of a launch's groups in progress a round. A launch
// whose groups end takes up the next ones.
func (s *set) launchTurn(m *member) (ran bool) {
	ended := 0
	for i := range m.groups {
		w := m.groups[i]
		for w.wake(m.version()) {
			ran = true
			p := w.round()
			if p == groupRuns && !w.runs() {
				p = w.settle()
			}
			if p == groupCancelled {
				return true
			}
			if p != groupOver {
				break
			}
			if ended++; !s.next(w) || ended >= groupsOfTurn {
				break
			}
		}
		if s.halted {
			return true
		}
	}
	return ran
}

// runs says whether any wave of the group can run.
func (w *worker) runs() bool {
	for i := range w.waves[:w.n] {
		if w.waves[i].state == engine.StopQuantum {
			return true
		}
	}
	return false
}

// unit is a wave or an end of the host that can have a turn.
type unit struct {
	w    *worker
	wave int
	feed *feed
}

// seededRound lets some of those that can run have a turn, in any order and for
// any time.
func (s *set) seededRound() (ran bool) {
	s.drawable()
	n := len(s.units)
	if n == 0 {
		return false
	}
	for i := range 1 + int(s.rng.below(uint64(n))) {
		u := s.draw(i)
		if u.feed != nil {
			if s.can(u.feed) {
				s.move(u.feed, 1+s.rng.below(u.feed.Pipe.Can(u.feed.Write)))
			}
		} else if s.waveTurn(u.w, u.wave) == groupCancelled || s.halted {
			return true
		}
	}
	return true
}

// draw draws the i-th unit of a round of those that have not had a turn in it.
func (s *set) draw(i int) *unit {
	j := i + int(s.rng.below(uint64(len(s.units)-i)))
	s.units[i], s.units[j] = s.units[j], s.units[i]
	return &s.units[i]
}

// drawable lists those that can have a turn.
func (s *set) drawable() {
	s.units = s.units[:0]
	for _, m := range s.live {
		version := m.version()
		for _, w := range m.groups {
			if !w.wake(version) {
				continue
			}
			for i := range w.waves[:w.n] {
				if w.waves[i].state == engine.StopQuantum {
					s.units = append(s.units, unit{w: w, wave: i})
				}
			}
		}
	}
	for _, f := range s.feeds {
		if s.can(f) {
			s.units = append(s.units, unit{feed: f})
		}
	}
}

// waveTurn gives a wave a turn, for any time, if it can still run.
func (s *set) waveTurn(w *worker, i int) progress {
	if i >= w.n || w.waves[i].state != engine.StopQuantum {
		return groupRuns // its group has ended meanwhile
	}
	v := &w.waves[i]
	w.turn(i, s.seededQuantum())
	p := groupRuns
	switch v.state {
	case engine.StopFault:
		w.fault(v)
		p = groupOver
	case engine.StopCancelled:
		return groupCancelled
	case engine.StopQuantum:
	default:
		if !w.runs() {
			p = w.settle()
		}
	}
	if p == groupOver {
		s.next(w)
	}
	return p
}

// seededQuantum draws the back-edges of a turn: few as often as many, since it
// takes few to fill a small pipe.
func (s *set) seededQuantum() int {
	most := uint64(1) << s.rng.below(uint64(bits.Len(uint(s.quantum))))
	return 1 + int(s.rng.below(min(most, uint64(s.quantum))))
}

// can says whether the host can move anything.
func (s *set) can(f *feed) bool { return !f.ended && f.Pipe.Can(f.Write) > 0 }

// move gives the host's end of a pipe a turn.
func (s *set) move(f *feed, most uint64) {
	first := f.Pipe.Next(f.Write)
	n, ended, err := f.Move(most)
	f.moved += n
	f.ended = ended || err != nil || n == 0
	if s.stepper != nil && n > 0 {
		s.stepper.moved(f, first, n)
	}
	if s.tracer != nil && n > 0 {
		s.tracer.Packets(-1, f.Pipe.Handle(), f.Write, -1, -1, first, n, s.clock)
	}
	if err != nil && s.err == nil {
		s.err = err
		s.cancel.Store(true)
	}
}
