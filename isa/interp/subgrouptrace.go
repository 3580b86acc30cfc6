package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// This file has the instructions that tell engine.Group.Subgroups what sub-groups do.

// traceBlock emits the announcement that stands at the start of a block.
func (d *decoder) traceBlock(b isa.Block) {
	in := d.base(b.Start)
	in.imm = uint32(b.End)
	in.fn = func(w *wave, in *inst) {
		subgroup := w.subgroup()
		for first := 0; first < w.lanes; first += subgroup {
			active := w.activeIn(first, min(subgroup, w.lanes-first))
			if n := bits.OnesCount64(active[0]) + bits.OnesCount64(active[1]); n > 0 {
				w.group.Subgroups.Block(in.pc, int(in.imm), w.first+first, n, active)
			}
		}
	}
	d.emit(in)
}

// activeIn returns which of the n lanes of a sub-group from first on are active. A sub-group of less than 64 lanes is
// within one word of the mask.
func (w *wave) activeIn(first, n int) (active [2]uint64) {
	for i := range active {
		if left := n - 64*i; left > 0 {
			active[i] = w.exec[first/64+i] >> (first % 64)
			if left < 64 {
				active[i] &= 1<<left - 1
			}
		}
	}
	return active
}

// traceAccess emits the announcement that stands before an access to global or local memory.
func (d *decoder) traceAccess(in inst) {
	switch s := in.src; s.Op {
	case isa.OpMemCopy:
		in.fn = traceMemCopy
	case isa.OpBlockLoad, isa.OpBlockStore:
		in.fn = traceBlockAccess
	case isa.OpLoad, isa.OpStore, isa.OpAtomic:
		if s.Space == isa.SpacePrivate {
			return
		}
		in.fn = traceAccess
	default:
		return
	}
	d.emit(in)
}

// traceSubgroups calls f for each active lane, and the tracer for each sub-group with the addresses that f
// returned for its lanes.
func (w *wave) traceSubgroups(pc int, a memory.Access, size uint64, f func(k, i int) memory.Pointer) {
	subgroup := w.subgroup()
	items, addresses, of := make([]int, 0, subgroup), make([]memory.Pointer, 0, subgroup), 0
	flush := func() {
		if len(addresses) > 0 {
			w.group.Subgroups.Accesses(pc, w.first+of*subgroup, a, size, items, addresses)
		}
		items, addresses = items[:0], addresses[:0]
	}
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if n := (k*64 + i) / subgroup; n != of {
				flush()
				of = n
			}
			if p := f(k, i); p.Space() == memory.SpaceGlobal || p.Space() == memory.SpaceLocal {
				items, addresses = append(items, w.first+k*64+i), append(addresses, p)
			}
		}
	}
	flush()
}

// traceAccess announces a load, store or atomic operation.
func traceAccess(w *wave, in *inst) {
	s := in.src
	w.traceSubgroups(in.pc, access(s), uint64(s.Type.Bytes()), func(k, i int) memory.Pointer {
		_, p := w.address(s, k, i)
		return p
	})
}

// traceBlockAccess announces a block access: its elements lie behind the address of the lowest active lane of
// each sub-group.
func traceBlockAccess(w *wave, in *inst) {
	s := in.src
	subgroup, of := w.subgroup(), -1
	var base memory.Pointer
	w.traceSubgroups(in.pc, access(s), uint64(s.Type.Bytes()), func(k, i int) memory.Pointer {
		lane := k*64 + i
		if lane/subgroup != of {
			of = lane / subgroup
			_, base = w.address(s, k, i)
		}
		return base.Add((int64(s.Imm)*int64(subgroup) + int64(lane%subgroup)) * int64(s.Type.Bytes()))
	})
}

// traceMemCopy announces both sides of a copy, for each size that lanes copy.
func traceMemCopy(w *wave, in *inst) {
	s := in.src
	done := map[uint64]bool{0: true}
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			size := w.reg(s.C, isa.I64, k, bits.TrailingZeros64(m))
			if done[size] {
				continue
			}
			done[size] = true
			for _, side := range [...]struct {
				reg isa.Reg
				a   memory.Access
			}{{s.B, memory.AccessRead}, {s.A, memory.AccessWrite}} {
				w.traceSubgroups(in.pc, side.a, size, func(k, i int) memory.Pointer {
					if w.reg(s.C, isa.I64, k, i) != size {
						return 0
					}
					return memory.Pointer(w.reg(side.reg, isa.I64, k, i))
				})
			}
		}
	}
}
