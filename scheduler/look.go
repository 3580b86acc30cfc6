package scheduler

import "sync/atomic"

// Look lets another goroutine ask where the waves of a launch are while it runs. The launch answers between
// the turns of waves: nothing about the order in which they run changes, and a launch that is not asked loses
// no time.
type Look struct {
	asked  atomic.Bool
	answer atomic.Pointer[[]Seen]
	poke   atomic.Pointer[func()] // interrupts waves that have no turns
}

// Seen is what a work-group of a launch was doing when it was looked at.
type Seen struct {
	Launch int // of a set; 0 elsewhere
	Stopped
}

// Ask asks. Only the first call counts.
func (l *Look) Ask() {
	if l.asked.CompareAndSwap(false, true) {
		if poke := l.poke.Load(); poke != nil {
			(*poke)()
		}
	}
}

// Answer returns what was seen: one work-group, or one of each launch of a set that runs. It is nil until a
// wave has ended a turn since [Look.Ask].
func (l *Look) Answer() []Seen {
	if p := l.answer.Load(); p != nil {
		return *p
	}
	return nil
}

// wanted says whether somebody has asked and has no answer.
func (l *Look) wanted() bool { return l != nil && l.asked.Load() && l.answer.Load() == nil }

// look answers for the group that runs.
func (w *worker) look() {
	if w.set != nil || !w.opt.Look.wanted() {
		return
	}
	if w.opt.Look.answer.CompareAndSwap(nil, &[]Seen{{Stopped: w.where()}}) && w.pokes {
		w.uncancel()
	}
}

// A work-group that is one wave has no turns: it runs to its end, or to a barrier. Launch.Cancel stops it at
// its next back-edge, where it can be looked at and go on. Where several waves take turns, that would change
// their order; there the end of a turn is soon enough.

// letLook prepares a launch to be looked at.
func (s *launch) letLook() {
	if s.opt.Look == nil {
		return
	}
	if s.pokes = s.lanes >= s.groupItems && s.opt.Tracer == nil && !s.runner.scheduled; s.pokes {
		poke := func() {
			s.Cancel.Store(true)
			if !s.opt.Look.wanted() {
				s.uncancel()
			}
		}
		s.opt.Look.poke.Store(&poke)
		if s.opt.Look.wanted() {
			poke()
		}
	}
}

// uncancel lets waves run on, unless the launch is to end.
func (s *launch) uncancel() {
	s.Cancel.Store(false)
	if s.over.Load() {
		s.Cancel.Store(true)
	}
}

// cancel ends the launch.
func (s *launch) cancel() {
	s.over.Store(true)
	s.Cancel.Store(true)
}

// cancelled says whether the launch is to end. Launch.Cancel alone does not say so where it may have been set
// in order to look at a wave.
func (s *launch) cancelled() bool { return s.Cancel.Load() && (!s.pokes || s.over.Load()) }

// look answers for the launches that run.
func (s *set) look() {
	if !s.opt.Look.wanted() {
		return
	}
	var list []Seen
	for _, m := range s.live {
		for _, w := range m.groups {
			if w.n > 0 {
				list = append(list, Seen{m.index, w.where()})
				break
			}
		}
	}
	if len(list) > 0 {
		s.opt.Look.answer.CompareAndSwap(nil, &list)
	}
}
