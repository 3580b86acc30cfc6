package interp

import (
	"fmt"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// checksCross says whether there is anything to check about an operation
// across lanes.
func checksCross(s *isa.Inst) bool {
	switch s.Op {
	case isa.OpBlockLoad, isa.OpBlockStore:
		return true
	case isa.OpShuffle, isa.OpShuffle2:
		return s.Flags&isa.FlagUniform != 0 || s.Imm != isa.ShuffleLoose
	}
	return s.Flags&isa.FlagUniform != 0
}

// checkCross stands before an operation across lanes when Launch.Check is set.
func checkCross(w *wave, in *inst) {
	s := in.src
	if s.Flags&isa.FlagUniform != 0 {
		w.checkDiverged(in, finding.GroupDiverged)
	}
	switch s.Op {
	case isa.OpShuffle:
		w.checkShuffle(in, s.B, 1)
	case isa.OpShuffle2:
		w.checkShuffle(in, s.C, 2)
	case isa.OpBlockLoad, isa.OpBlockStore:
		w.checkBlock(in)
	}
}

// failWhere ends the wave with a finding if f holds for any running lane. detail
// tells of the first.
func (w *wave) failWhere(in *inst, c finding.Code, f func(k, i int) bool, detail func(k, i int) string) {
	if w.faulted {
		return
	}
	if set, found := w.lanesWhere(f); found {
		w.fail(engine.Fault{Code: c, PC: in.pc}, set)
		w.fault.Detail = detail(w.place(w.fault.Lane))
	}
}

// extent returns where the sub-group of a lane starts in the wave, and its end.
func (w *wave) extent(k, i int) (first, end int) {
	n := w.subgroup()
	first = (k*64 + i) / n * n
	return first, min(first+n, w.lanes)
}

// missing returns how many lanes of the sub-group of a lane do not run, and the
// first of them by its sub-group local id. Those that ended count: whether one
// that left early has ended by now or is on its way is not to matter.
func (w *wave) missing(k, i int) (n, lane int) {
	first, end := w.extent(k, i)
	each(first, end, func(k int, m uint64) {
		if m &^= w.exec[k]; m != 0 {
			if n == 0 {
				lane = k*64 + bits.TrailingZeros64(m) - first
			}
			n += bits.OnesCount64(m)
		}
	})
	return n, lane
}

// checkDiverged reports lanes that do not run with the others of their sub-group.
func (w *wave) checkDiverged(in *inst, c finding.Code) {
	w.failWhere(in, c, func(k, i int) bool {
		n, _ := w.missing(k, i)
		return n > 0
	}, func(k, i int) string {
		n, lane := w.missing(k, i)
		first, end := w.extent(k, i)
		verb := "does"
		if n > 1 {
			verb = "do"
		}
		return fmt.Sprintf("%d of the %d work-items of the sub-group, lane %d first, %s not run it", n, end-first, lane, verb)
	})
}

// checkShuffle looks at the lanes that a shuffle of one or two windows names.
func (w *wave) checkShuffle(in *inst, lane isa.Reg, windows uint64) {
	n := uint64(w.subgroup())
	named := func(k, i int) uint64 { return uint64(uint32(w.reg(lane, isa.I32, k, i))) }
	if in.src.Imm&isa.ShuffleSame != 0 {
		firstNamed := func(k, i int) uint64 { return named(w.lowestOf(k, i)) }
		w.failWhere(in, finding.GroupUniform, func(k, i int) bool { return named(k, i) != firstNamed(k, i) }, func(k, i int) string {
			return fmt.Sprintf("lane index %d, but %d in the first lane", int32(named(k, i)), int32(firstNamed(k, i)))
		})
	}
	if in.src.Imm&isa.ShuffleItem != 0 {
		size := func(k, i int) uint64 { return w.reg(in.src.A, isa.I32, k, i) }
		w.failWhere(in, finding.ShuffleIndex, func(k, i int) bool { return named(k, i) >= size(k, i) }, func(k, i int) string {
			return fmt.Sprintf("local id %d in a work-group of %d in that dimension", int32(named(k, i)), size(k, i))
		})
	}
	if in.src.Imm&isa.ShuffleLoose != 0 {
		return
	}
	w.failWhere(in, finding.ShuffleIndex, func(k, i int) bool { return named(k, i) >= windows*n }, func(k, i int) string {
		if windows == 2 {
			return fmt.Sprintf("index %d in a window of two sub-groups of %d lanes", int32(named(k, i)), n)
		}
		return fmt.Sprintf("lane %d of a sub-group of %d", int32(named(k, i)), n)
	})
	w.failWhere(in, finding.ShuffleLane, func(k, i int) bool {
		first, _ := w.extent(k, i)
		j := first + int(named(k, i)%n)
		return j >= w.lanes || w.exec[j/64]>>(j%64)&1 == 0
	}, func(k, i int) string {
		first, end := w.extent(k, i)
		j := int(named(k, i) % n)
		why := "is in another branch"
		switch {
		case first+j >= end:
			why = fmt.Sprintf("does not exist: the sub-group has %d work-items", end-first)
		case w.live[(first+j)/64]>>((first+j)%64)&1 == 0:
			why = "has ended"
		}
		return fmt.Sprintf("lane %d %s", j, why)
	})
}

// checkWholeBlock reports a block access of less than a whole sub-group.
func (w *wave) checkWholeBlock(in *inst) {
	n := w.subgroup()
	w.failWhere(in, finding.BlockPartial, func(k, i int) bool {
		first, end := w.extent(k, i)
		return end-first < n
	}, func(k, i int) string {
		first, end := w.extent(k, i)
		return fmt.Sprintf("the sub-group has %d work-items of %d", end-first, n)
	})
	w.checkDiverged(in, finding.BlockDiverged)
}

// checkBlock looks at a block access of a buffer.
func (w *wave) checkBlock(in *inst) {
	s := in.src
	w.checkWholeBlock(in)
	ptr := func(k, i int) uint64 {
		_, p := w.address(s, k, i)
		return uint64(p)
	}
	w.failWhere(in, finding.GroupUniform, func(k, i int) bool { return ptr(k, i) != ptr(w.lowestOf(k, i)) }, func(k, i int) string {
		return fmt.Sprintf("the pointer is %d bytes from that of the first lane", int64(ptr(k, i)-ptr(w.lowestOf(k, i))))
	})
	align, what := uint64(4), "read"
	if s.Op == isa.OpBlockStore {
		align, what = 16, "write"
	}
	w.failWhere(in, finding.BlockAlign, func(k, i int) bool { return ptr(k, i)%align != 0 }, func(k, i int) string {
		return fmt.Sprintf("a block %s at byte %d, which is no multiple of %d", what, ptr(k, i)&(1<<40-1), align)
	})
}
