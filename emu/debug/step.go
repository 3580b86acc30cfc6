package debug

import (
	"context"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// StepKind says what a step does at calls.
type StepKind uint8

// The kinds.
const (
	StepInto StepKind = iota // stops in functions that are called
	StepOver                 // goes on until they have returned
	StepOut                  // goes on until the function has returned
)

// Unit says how far a step goes.
type Unit uint8

// The units.
const (
	Lines Unit = iota
	Instructions
)

// Scope says who steps.
type Scope uint8

// The scopes.
const (
	Lane  Scope = iota // the work-item that is looked at
	Wave               // its wave, whichever lanes are active
	Group              // all waves of the work-group: each of them that can
)

// position is where somebody is in the source.
type position struct {
	file, line uint32
	frame      uint32 // the call that was inlined
	pc         int
}

// positionOf returns where an instruction is.
func (i *info) positionOf(pc int) position {
	l := i.loc(pc)
	return position{l.File, l.Line, l.At, pc}
}

// unit is what a step is made of.
type unit struct {
	kind  StepKind
	unit  Unit
	scope Scope
}

// step is a step on its way.
type step struct {
	s      *Session
	unit   unit
	item   int // in the group, of a lane; the wave's first of a wave
	wave   engine.Debuggable
	lane   int
	from   position
	others map[engine.Debuggable]position // of a group: where each wave has been
	group  groupID
	done   bool
	ended  bool // who stepped has ended
}

// newStep begins a step from where the session is.
func (s *Session) newStep(u unit) *step {
	st := &step{s: s, unit: u, item: s.item, group: s.running()}
	w, _, lane := s.waveOf(s.item)
	st.wave, st.lane = w, lane
	_, pc := w.Lane(lane)
	if u.scope != Lane {
		pc = w.Next()
	}
	st.from = s.from(u, pc)
	if u.scope == Group {
		st.others = map[engine.Debuggable]position{}
		for _, w := range s.waves {
			if pc := w.Next(); pc >= 0 {
				st.others[w] = s.info.positionOf(pc)
			}
		}
	}
	return st
}

// from returns the position from which a step begins: in the frame that is looked at, with those inside of it, where the step
// leaves a function.
func (s *Session) from(u unit, pc int) position {
	from := s.info.positionOf(pc)
	if frames := s.Frames(); u.kind == StepOut && u.scope == Lane && s.frame < len(frames) {
		from.frame = frames[s.frame].at
	}
	return from
}

// newGroup says that another work-group begins, or has its turn.
func (st *step) newGroup() {
	st.ended = st.ended || !st.s.inProgress(st.group)
}

// moved says whether who was at from has made the step at an instruction.
func (st *step) moved(from position, pc int) bool {
	to := st.s.info.positionOf(pc)
	inside := st.s.info.within(to.frame, from.frame)
	switch {
	case st.unit.kind == StepOut:
		return !inside
	case st.unit.kind == StepOver && inside && to.frame != from.frame:
		return false
	case st.unit.unit == Instructions:
		return true
	}
	return to.line != 0 && (to.line != from.line || to.file != from.file || to.frame != from.frame)
}

// before says whether the step is done before an instruction.
func (st *step) before(w engine.Debuggable, pc int) bool {
	if st.ended {
		st.done = true
		return true
	}
	if st.s.running() != st.group {
		if len(st.others) > 0 { // of a group in which all wait by now, at pipes
			st.forgetWaiting()
			st.done = len(st.others) == 0
		}
		return st.done
	}
	switch st.unit.scope {
	case Group:
		return st.beforeGroup(w, pc)
	case Lane:
		if w != st.wave || !w.Executes(st.lane) {
			if state, _ := st.wave.Lane(st.lane); state == engine.LaneEnded {
				st.ended, st.done = true, true
			}
			return st.done
		}
	case Wave:
		if w != st.wave {
			if st.wave.Live() == 0 {
				st.ended, st.done = true, true
			}
			return st.done
		}
	}
	st.done = st.moved(st.from, pc)
	return st.done
}

// beforeGroup is before for all waves of a group: the step is done when each wave that could go on has moved,
// or waits or has ended.
func (st *step) beforeGroup(w engine.Debuggable, pc int) bool {
	if from, ok := st.others[w]; ok && st.moved(from, pc) {
		delete(st.others, w)
	}
	st.forgetWaiting()
	st.done = len(st.others) == 0
	return st.done
}

// forgetWaiting takes out the waves that cannot go on.
func (st *step) forgetWaiting() {
	for other := range st.others {
		if other.Next() < 0 {
			delete(st.others, other)
		}
	}
}

// Step makes a step. A breakpoint, a finding or the end of the launch may come before.
func (s *Session) Step(ctx context.Context, kind StepKind, u Unit, scope Scope) (Stop, error) {
	if s.ended || len(s.waves) == 0 {
		return s.stopped, ErrEnded
	}
	return s.forward(ctx, asker{breaks: true, step: s.newStep(unit{kind, u, scope})})
}
