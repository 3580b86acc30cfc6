package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

var _ engine.Holder = (*wave)(nil)

// back has the lanes of a wave that are kept back behind a barrier.
//
// A scalar register is one for all lanes, and the allocation of registers relies
// on lanes moving through the blocks together. Lanes that go through a region
// one after the other therefore begin with the scalars as they were at its
// beginning; and once all are through, the scalars are what a pass has left that
// came to the next barrier: code from there on uses none but those that every such
// pass sets.
type back struct {
	lanes  []uint64 // by chunk
	n      int
	block  int // where they go on
	pc     int // of the barrier
	active bool
	parked int      // lanes at barriers when the last pass began
	start  []uint64 // scalars at the beginning of the region
	end    []uint64 // scalars of a pass that came to a barrier; empty for none
}

func (b *back) reset() {
	b.n, b.active, b.end = 0, false, b.end[:0]
}

// Hold opens the barrier and keeps its lanes back.
func (w *wave) Hold() {
	w.settle()
	w.spread()
	b := &w.back
	b.lanes = append(b.lanes[:0], make([]uint64, len(w.exec))...)
	for n, blk := range w.code.barriers {
		if w.nparked[n] == 0 {
			continue
		}
		p := w.parkedAt(n)
		for k, m := range p {
			b.lanes[k] |= m
		}
		clear(p)
		b.block, b.pc = w.blocks[blk].end.t0, w.blocks[blk].end.pc
		b.n += w.nparked[n]
		w.nparked[n] = 0
	}
	w.allParked, w.subParked = 0, 0
	b.active, b.parked = true, 0
	b.start = append(b.start[:0], w.s...)
}

// Release lets some of the lanes go on.
func (w *wave) Release(first, n int) int {
	b := &w.back
	if !b.active || b.n == 0 {
		return 0
	}
	lo, hi := max(first-w.first, 0), min(first+n-w.first, w.lanes)
	if lo >= hi {
		return 0
	}
	free := 0
	each(lo, hi, func(k int, m uint64) { free += bits.OnesCount64(b.lanes[k] & m) })
	if free == 0 {
		return 0
	}
	w.passed()
	copy(w.s, b.start)
	q := w.waitAt(b.block)
	each(lo, hi, func(k int, m uint64) {
		q[k] |= b.lanes[k] & m
		b.lanes[k] &^= m
	})
	w.mark(b.block)
	b.n -= free
	return free
}

// passed notes whether the lanes that were released last have come to a barrier.
func (w *wave) passed() {
	b := &w.back
	if w.allParked > b.parked {
		b.end = append(b.end[:0], w.s...)
	}
	b.parked = w.allParked
}

// settle ends the region: the scalars become those of a pass to the barrier.
func (w *wave) settle() {
	b := &w.back
	if !b.active {
		return
	}
	w.passed()
	if len(b.end) > 0 {
		copy(w.s, b.end)
	}
	b.reset()
}

// Skip takes the lanes that are kept back to a barrier, or ends them.
func (w *wave) Skip(pc int) {
	b := &w.back
	if b.n == 0 {
		return
	}
	w.passed()
	w.spread()
	if pc < 0 {
		for k, m := range b.lanes {
			w.live[k] &^= m
		}
		w.Alive -= b.n
	}
	for n, blk := range w.code.barriers {
		if pc < 0 || w.blocks[blk].end.pc != pc {
			continue
		}
		p := w.parkedAt(n)
		for k, m := range b.lanes {
			p[k] |= m
		}
		w.nparked[n] += b.n
		w.allParked += b.n
	}
	b.parked = w.allParked
	clear(b.lanes)
	b.n = 0
}
