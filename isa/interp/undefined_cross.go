package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// operandShadow returns the undefined bits of operand j in a lane of the wave, and where they come from.
func (w *wave) operandShadow(x *shadowed, j, lane int) (uint64, memory.OriginID) {
	return w.shadow.get(x.nums[j], x.regs[j], x.types[j], lane)
}

// shadowCross stands before an operation across the lanes of a sub-group, and before the one that reads the first lane.
func shadowCross(w *wave, in *inst) {
	s, x := w.shadow, in.aux.shadowed
	if s.count == 0 {
		return
	}
	if !s.any(x.nums) {
		w.define(in)
		return
	}
	if in.src.Op == isa.OpReadFirst {
		w.eachLane(true, func(k, i int) {
			u, from := w.operandShadow(x, 0, k*64+i)
			s.set(w, x.dst, true, 0, u, from)
		})
		s.settle(x.dst)
		return
	}
	if s.values == nil {
		s.values, s.origins = make([]uint64, w.words*64), make([]memory.OriginID, w.words*64)
	}
	size := w.subgroup()
	var lanes []int
	for first := 0; first < w.lanes; first += size {
		lanes = lanes[:0]
		for lane := first; lane < min(first+size, w.lanes); lane++ {
			if w.exec[lane/64]>>(lane%64)&1 != 0 {
				lanes = append(lanes, lane)
			}
		}
		if len(lanes) > 0 {
			w.crossSubgroup(in, first, lanes)
		}
	}
	w.eachLane(false, func(k, i int) {
		s.set(w, x.dst, false, k*64+i, s.values[k*64+i], s.origins[k*64+i])
	})
	w.defineOthers(in)
	s.settle(x.dst)
}

// crossSubgroup works out the undefined bits for the lanes of a sub-group that run.
func (w *wave) crossSubgroup(in *inst, first int, lanes []int) {
	s, x, size := w.shadow, in.aux.shadowed, w.subgroup()
	mask := full >> (64 - in.src.Type.Bits())
	value := func(j, lane int) uint64 { return w.reg(x.regs[j], x.types[j], lane/64, lane%64) }
	set := func(lane int, u uint64, from memory.OriginID) { s.values[lane], s.origins[lane] = u, from }
	// runs returns the undefined bits of operand j in a lane that is named; a lane that does not run has none.
	runs := func(j, lane int) (uint64, memory.OriginID) {
		if lane >= w.lanes || w.exec[lane/64]>>(lane%64)&1 == 0 {
			return 0, 0
		}
		return w.operandShadow(x, j, lane)
	}
	switch in.src.Op {
	case isa.OpShuffle, isa.OpShuffle2:
		index := 1
		if in.src.Op == isa.OpShuffle2 {
			index = 2
		}
		for _, lane := range lanes {
			if u, from := w.operandShadow(x, index, lane); u != 0 {
				set(lane, mask, from)
				continue
			}
			to := value(index, lane) & 0xffffffff
			switch {
			case to < uint64(size):
				u, from := runs(0, first+int(to))
				set(lane, u, from)
			case index == 2 && to < 2*uint64(size):
				u, from := runs(1, first+int(to)-size)
				set(lane, u, from)
			default:
				set(lane, 0, 0)
			}
		}
	case isa.OpBroadcastFirst:
		u, from := w.operandShadow(x, 0, lanes[0])
		for _, lane := range lanes {
			set(lane, u, from)
		}
	case isa.OpBallot:
		word, by := uint64(0), memory.OriginID(0)
		for _, lane := range lanes {
			if n := lane - first - 32*int(in.src.Imm); n >= 0 && n < 32 {
				if u, from := w.operandShadow(x, 0, lane); u != 0 {
					if word |= 1 << n; by == 0 {
						by = from
					}
				}
			}
		}
		for _, lane := range lanes {
			set(lane, word, by)
		}
	case isa.OpVote:
		w.crossVote(in, lanes, set)
	case isa.OpMatch:
		// The sets of all lanes depend on each value.
		w.crossAny(x, lanes, lanes, full>>32, set)
	default:
		w.crossScan(in, first, lanes, mask, set)
	}
}

// crossAny gives each lane undefined bits where any of those has some.
func (w *wave) crossAny(x *shadowed, of, lanes []int, mask uint64, set func(int, uint64, memory.OriginID)) {
	var u uint64
	var by memory.OriginID
	for _, lane := range of {
		if v, from := w.operandShadow(x, 0, lane); v != 0 && u == 0 {
			u, by = mask, from
		}
	}
	for _, lane := range lanes {
		set(lane, u, by)
	}
}

// crossVote is for votes: a defined lane may decide one.
func (w *wave) crossVote(in *inst, lanes []int, set func(int, uint64, memory.OriginID)) {
	x := in.aux.shadowed
	kind := isa.Vote(in.src.Imm)
	if kind != isa.VoteAllEqual {
		for _, lane := range lanes {
			u, _ := w.operandShadow(x, 0, lane)
			if u == 0 && w.reg(x.regs[0], isa.B1, lane/64, lane%64)&1 == b2u64(kind == isa.VoteAny) {
				for _, lane := range lanes {
					set(lane, 0, 0)
				}
				return
			}
		}
	}
	w.crossAny(x, lanes, lanes, 1, set)
}

// crossScan is for scans and reductions, which combine the lanes of a cluster or those of equal keys.
func (w *wave) crossScan(in *inst, first int, lanes []int, mask uint64, set func(int, uint64, memory.OriginID)) {
	x, s := in.aux.shadowed, in.src
	kind, op := s.ScanOf()
	cluster := w.subgroup()
	if s.Scale > 0 {
		cluster = min(cluster, int(s.Scale))
	}
	keyed := s.B != isa.None
	for _, lane := range lanes {
		if keyed {
			if u, from := w.operandShadow(x, 1, lane); u != 0 {
				set(lane, mask, from)
				continue
			}
		}
		var u uint64
		var by memory.OriginID
		for _, other := range lanes {
			if (other-first)/cluster != (lane-first)/cluster ||
				kind == isa.ScanInclusive && other > lane || kind == isa.ScanExclusive && other >= lane {
				continue
			}
			v, from := w.operandShadow(x, 0, other)
			if keyed && v != 0 {
				if ku, _ := w.operandShadow(x, 1, other); ku == 0 &&
					w.reg(x.regs[1], isa.I32, other/64, other%64) != w.reg(x.regs[1], isa.I32, lane/64, lane%64) {
					continue
				}
			}
			if u |= v; v != 0 && by == 0 {
				by = from
			}
		}
		set(lane, combined(op, u, mask), by)
	}
}

// combined returns the undefined bits of a combination of values with these undefined bits in any of them.
func combined(op isa.ScanOp, u, mask uint64) uint64 {
	switch op {
	case isa.ScanAnd, isa.ScanOr, isa.ScanXor:
		return u
	case isa.ScanAdd:
		if u != 0 {
			return full << bits.TrailingZeros64(u) & mask
		}
	}
	if u != 0 {
		return mask
	}
	return 0
}
