package scheduler

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// The region of a barrier is what runs from the barrier to the next one, or to
// the end of the kernel. Most regions run in whatever order the launch's schedule
// gives; a barrier may say otherwise (isa.BarrierSchedule).

// scheduleAt returns the schedule of the barrier at an instruction. Where an
// engine cannot keep lanes back it is none.
func (w *worker) scheduleAt(pc int) isa.BarrierSchedule {
	if pc < 0 || pc >= len(w.Kernel.Code) || w.waves[0].hold == nil || w.waves[0].where == nil {
		return isa.ScheduleUnordered
	}
	return w.Kernel.Code[pc].Schedule()
}

// unit is the number of work-items that go through a region together where
// they go one after the other: what a sub-group does together it must not do
// apart.
func (w *worker) unit() int {
	if w.Kernel.Meta.Subgroups {
		return w.SubgroupSize
	}
	return 1
}

// runRegion opens the barrier at pc, at which the group's live work-items wait,
// and runs the region behind it. It returns false when that came to a fault.
// Afterwards every wave has come to its next barrier or is over, unless the
// launch was cancelled.
func (w *worker) runRegion(n, pc int, s isa.BarrierSchedule) bool {
	for i := range w.waves[:n] {
		if v := &w.waves[i]; v.state == engine.StopBarrier {
			v.hold.Hold()
		}
	}
	if w.clocked {
		w.barrierOpened(pc)
	}
	from := 0
	switch s {
	case isa.ScheduleOnce:
		return w.runOnce(n)
	case isa.ScheduleScalarTail:
		from = w.items / w.SubgroupSize * w.SubgroupSize
		if !w.runTogether(n, from) {
			return false
		}
	}
	return w.runLinear(n, from)
}

// runLinear runs what is kept back of the work-items from the given one on, a
// unit after the other.
func (w *worker) runLinear(n, from int) bool {
	unit := w.unit()
	for i := range w.waves[:n] {
		v := &w.waves[i]
		for item := max(v.first, from); item < v.first+v.n; item += unit {
			if v.hold.Release(item, unit) == 0 {
				continue
			}
			if !w.runOut(i) {
				return v.state != engine.StopFault
			}
		}
	}
	return true
}

// runOnce runs the first unit of those that are kept back, and takes all others
// to where that came.
func (w *worker) runOnce(n int) bool {
	to, done := -1, false
	unit := w.unit()
	for i := range w.waves[:n] {
		v := &w.waves[i]
		for item := v.first; item < v.first+v.n && !done; item += unit {
			if v.hold.Release(item, unit) == 0 {
				continue
			}
			if !w.runOut(i) {
				return v.state != engine.StopFault
			}
			done = true
			to = v.where.BarrierPC()
		}
	}
	for i := range w.waves[:n] {
		if w.waves[i].state == engine.StopDone {
			continue
		}
		w.waves[i].hold.Skip(to)
		if !w.runOut(i) {
			return w.waves[i].state != engine.StopFault
		}
	}
	return true
}

// runTogether runs the work-items ahead of the given one, all waves in turns.
func (w *worker) runTogether(n, to int) bool {
	for i := range w.waves[:n] {
		v := &w.waves[i]
		if to > v.first && v.hold.Release(v.first, to-v.first) > 0 {
			v.state = engine.StopQuantum
		}
	}
	for again := true; again; {
		again = false
		for i := range w.waves[:n] {
			if w.opt.Order == Reverse {
				i = n - 1 - i
			}
			v := &w.waves[i]
			if v.state != engine.StopQuantum {
				continue
			}
			w.turn(i, w.quantum)
			switch v.state {
			case engine.StopFault:
				w.fault(v)
				return false
			case engine.StopCancelled:
				return true
			}
			again = true
		}
		w.flush()
		yield()
	}
	return true
}

// runOut runs a wave until nothing of it can go on. It returns false when that
// was not to be: the wave faulted, which is recorded, or the launch was cancelled.
func (w *worker) runOut(i int) bool {
	v := &w.waves[i]
	for {
		w.turn(i, w.quantum)
		switch v.state {
		case engine.StopQuantum:
			w.flush()
			yield()
		case engine.StopFault:
			w.fault(v)
			return false
		case engine.StopCancelled:
			return false
		default:
			return true
		}
	}
}
