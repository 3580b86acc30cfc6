package scheduler

import (
	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// Groups that are one wave, in order, need the scheduler only when something happens: the wave goes on from
// one to the next (engine.Sweeper), and meanwhile nobody looks at anything but Launch.Cancel.

// sweeps says whether the launch's groups can run so: nobody is told when one begins, stops or waits, takes
// its output away or lets others have a turn.
func (s *launch) sweeps() bool {
	return s.opt.Order == InOrder && s.opt.Tracer == nil && s.opt.Races == nil && s.opt.Weak == nil && (!s.Kernel.UsesAsync || s.immediate()) &&
		!s.Kernel.UsesClock && !s.Kernel.UsesPrintf && !cooperative
}

// immediate says whether asynchronous copies are made at once, and nobody looks at the clock.
func (s *launch) immediate() bool { return !s.Check && s.opt.DMA.Completion == dma.Early }

// following returns how many of the next groups, up to so many, have the size of the present one.
func (w *worker) following(most uint64) uint64 {
	switch {
	case w.opt.Progress != nil:
		return 0 // groups are counted one by one
	case w.even:
		return most
	}
	// Whole groups are followed by such in their row, up to the last.
	if left := w.Groups[0] - w.group.ID[0]; left > 2 {
		return min(most, left-2)
	}
	return 0
}

// sweep runs the group at a position of the schedule and some of those behind it, up to most in all. It
// returns the position of the next one.
func (w *worker) sweep(pos, most uint64) uint64 {
	w.begin(pos)
	v := &w.waves[0]
	if v.sweep == nil || w.n > 1 || w.opt.Look != nil && !w.pokes {
		w.runGroup()
		return pos + 1
	}
	more, over := w.following(most-1), false
	for {
		n, stop := v.sweep.Sweep(more)
		v.state = stop
		w.look()
		if n > 0 {
			w.pos, more, w.partial = w.pos+n, more-n, false
			w.ended += n
		}
		switch stop {
		case engine.StopBarrier:
			if w.cancelled() {
				w.stop()
				break
			}
			if w.openBarrier() {
				continue
			}
			over = true
		case engine.StopFault:
			w.fault(v)
			over = true
		case engine.StopDone:
			over = true
		default:
			if !w.cancelled() {
				continue
			}
			w.stop()
		}
		w.end(over)
		return w.pos + 1
	}
}
