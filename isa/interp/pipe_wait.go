package interp

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// A blocking operation is a block of its own that tries, and ends in a branch
// back to itself with isa.FlagWait. Lanes that failed are parked there and the
// wave stops, so that all come together behind. The next Run lets them try again.
// That the others may overtake them is in overtake.go.

// waitPlace is a block that ends in a branch with FlagWait.
type waitPlace struct {
	block int
	pc    int // of the pipe instruction
}

// waitPlaces finds the blocks that end in a wait.
func (c *compiledKernel) waitPlaces() {
	k := c.kernel
	for b := range k.Blocks {
		end := &k.Code[k.Blocks[b].End-1]
		if end.Op != isa.OpBrCond || end.Flags&isa.FlagWait == 0 {
			continue
		}
		place := waitPlace{block: b, pc: k.Blocks[b].End - 1}
		for pc := k.Blocks[b].Start; pc < k.Blocks[b].End; pc++ {
			if k.Code[pc].Op == isa.OpPipe && k.Code[pc].Imm == end.Imm {
				place.pc = pc
			}
		}
		c.waits = append(c.waits, place)
	}
}

// wait decodes the branch behind a blocking operation.
func (d *decoder) wait(t *terminator, in *isa.Inst) {
	t.kind = termWait
	t.uniform = in.A.IsScalar()
	t.wait = slices.IndexFunc(d.waits, func(p waitPlace) bool { return d.kernel.Blocks[p.block].End-1 == t.pc })
}

// waitPipe ends a block with a blocking operation: the lanes for which it failed
// are parked. It says whether any lane goes on now.
func (w *wave) waitPipe(t *terminator) bool {
	s, yes, failed := w.pipes, w.tmp, 0
	for k, m := range w.exec {
		c := uint64(0)
		if t.uniform {
			c = -(w.s[t.a] & 1)
		} else {
			c = *(*uint64)(unsafe.Add(w.chunk(k), t.a))
		}
		yes[k] = c & m
		failed += bits.OnesCount64(m &^ c)
	}
	if s.overtake {
		for k, m := range w.exec {
			s.over[k] = (s.over[k] | m) &^ yes[k]
		}
		w.setLate()
	}
	if failed == 0 {
		return w.advance(t.t0)
	}
	b := &w.blocks[w.Cur]
	w.Counts.LaneOps -= b.Count * uint64(failed)
	p := s.parked[t.wait*w.words:][:len(w.exec)]
	for k, m := range w.exec {
		p[k] |= m &^ yes[k]
	}
	s.nparked += failed
	if failed == w.Active {
		w.Counts.Blocks--
		w.Counts.Instructions -= b.Count
	} else {
		w.enqueue(t.t0, yes)
	}
	return s.overtake && w.pick()
}

// retry lets the lanes that wait at pipes try again, ahead of the others where
// their block is ahead. It says whether lanes can run.
func (w *wave) retry() bool {
	s := w.pipes
	if w.running {
		w.enqueue(w.Cur, w.exec)
	}
	for n, p := range w.code.waits {
		lanes := s.parked[n*w.words:][:len(w.exec)]
		if slices.Max(lanes) != 0 {
			w.enqueue(w.blocks[p.block].end.t1, lanes)
			clear(lanes)
		}
	}
	s.nparked = 0
	return w.pick()
}

// piped returns how many lanes wait at pipes.
func (w *wave) piped() int {
	if w.pipes == nil {
		return 0
	}
	return w.pipes.nparked
}

// gaveNothing says whether the wave should give way: operations that do not block
// have failed since it was asked last, and nothing has moved.
func (s *pipeState) gaveNothing() bool {
	give := s.failed && !s.moved
	s.failed, s.moved = false, false
	return give
}

// Piping calls f for each pipe at which lanes wait.
func (w *wave) Piping(f func(pc int, pipe memory.Pointer, lanes []int)) {
	if w.piped() == 0 {
		return
	}
	s := w.pipes
	var lanes []int
	left := make([]uint64, len(w.exec))
	for n, place := range w.code.waits {
		copy(left, s.parked[n*w.words:])
		for k := range left {
			for left[k] != 0 {
				h := s.handles[k*64+bits.TrailingZeros64(left[k])]
				lanes = lanes[:0]
				for j := k; j < len(left); j++ {
					for m := left[j]; m != 0; m &= m - 1 {
						if i := bits.TrailingZeros64(m); s.handles[j*64+i] == h {
							lanes = append(lanes, w.first+j*64+i)
							left[j] &^= 1 << i
						}
					}
				}
				f(place.pc, h, lanes)
			}
		}
	}
}
