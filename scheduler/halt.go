package scheduler

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// A fault ends the launch. Which fault that is must not depend on the workers: it is
// the one of the first work-group, in the order of the schedule, that has any. So a
// worker that comes to a fault lowers the position up to which groups still have to
// run, and the others go on below that position only. When nobody works below it any
// more, groups behind it that are still running are cancelled. They have left traces in
// memory, and nowhere else: counters, faults and output are kept apart by stretches of
// the schedule, and those behind the position are dropped.

// maxBatches is how many batches a launch is cut into at most, apart from those that are
// made smaller for balance.
const maxBatches = 1 << 16

// halt is where the groups of a launch end.
type halt struct {
	// inverse is the complement of the position of the first known fault, so that 0
	// stands for none.
	inverse atomic.Uint64
	workers []*worker
}

// last returns the position of the last group that has to run.
func (h *halt) last() uint64 { return ^h.inverse.Load() }

// faulted notes a fault of the group at a position.
func (h *halt) faulted(pos uint64) {
	for {
		old := h.inverse.Load()
		if ^pos <= old || h.inverse.CompareAndSwap(old, ^pos) {
			return
		}
	}
}

// done says whether there was a fault and no worker has groups before it left.
func (h *halt) done() bool {
	last := h.last()
	if last == math.MaxUint64 {
		return false
	}
	return !slices.ContainsFunc(h.workers, func(w *worker) bool { return w.at.Load() <= last })
}

// Values of worker.at besides a position.
const (
	atAny  = 0              // the worker is about to take a batch, which may be any
	atNone = math.MaxUint64 // the worker takes no more
)

// stretch is what a worker found in work-groups that follow each other in the schedule.
type stretch struct {
	first, next uint64 // positions
	ended       uint64 // groups
	counters    engine.Counters
	faults      faultTable
}

// enter begins a batch at a position of the schedule, which continues the worker's
// stretch or begins another one.
func (w *worker) enter(first uint64) {
	if first != w.next && !w.opt.KeepGoing {
		if w.next > w.first {
			w.stretches = append(w.stretches, w.stretch)
		}
		w.stretch = stretch{first: first}
	}
	w.next = first
}

// endedUpTo returns how many groups of the stretches that begin at or before a position
// have ended.
func endedUpTo(workers []*worker, last uint64) (ended uint64) {
	for _, w := range workers {
		for i := range w.stretches {
			if t := &w.stretches[i]; t.first <= last {
				ended += t.ended
			}
		}
	}
	return ended
}

// dropAfter drops the stretches behind a position. No stretch has groups on both sides
// of it: the worker that came to the fault went on before it or not at all.
func dropAfter(workers []*worker, last uint64) {
	for _, w := range workers {
		w.stretches = slices.DeleteFunc(w.stretches, func(t stretch) bool { return t.first > last })
	}
}
