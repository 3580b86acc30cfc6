package plan

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
)

// maxShared bounds, in bytes, how far apart accesses that share a slot may lie.
const maxShared = 1 << 20

// shareKey is what the accesses to one slot have in common. version counts how often the
// run has written the index before.
type shareKey struct {
	a, b    isa.Reg
	version int
	idx     isa.IdxType
	scale   uint32
	space   isa.Space
	op      isa.Op
	// row is the displacement of an access to private memory and bytes its size: it shares its slot with its
	// like only.
	row   int64
	bytes int
	// under is the block of a hyperblock whose lanes take part, or 0 for all: what is found out about the
	// indices of all lanes holds for some, too.
	under int
}

// slotGroup is a slot in the making: instructions that access memory at the same
// pointer and index, each with a displacement of its own.
type slotGroup struct {
	first isa.Inst // one of them
	// low and high are the lowest displacement and the end of the highest access. bias is taken off the
	// index, and added to these in its place, so that low is not below 0.
	low, high int64
	bias      uint32
}

// slotted says whether an instruction of a run has a slot.
func slotted(in *isa.Inst) bool {
	return in.Op == isa.OpLoad || in.Op == isa.OpStore || in.Op == isa.OpAtomic || Blocked(in)
}

// scale is the index's. That of blocks counts bytes.
func (g *slotGroup) scale() uint32 {
	if g.first.Idx == isa.IdxNone || Blocked(&g.first) {
		return 1
	}
	return g.first.Scale
}

// most is the greatest limit of an index, less the bias: one times the scale has less than 32 bits,
// the sign not counted, and an index below 0 is not within it.
func (g *slotGroup) most() uint64 { return uint64(math.MaxInt32)/uint64(g.scale()) - uint64(g.bias) }

// shareSlots gives the loads and stores of a run their slots: it fills in Slots, Disp, Bias and Places. All
// of them take place for the same lanes, so that an access to a slot may be checked for all of the slot's: if
// one is not allowed, the run ends there anyway.
func (d *planner) shareSlots(r *Run) {
	n := len(r.Code)
	r.Slots, r.Disp, r.Bias = make([]int, n), make([]int32, n), make([]uint32, n)
	var groups []slotGroup
	known := map[shareKey]int{}
	version := map[isa.VectorReg]int{}
	for i := range r.Code {
		in := &r.Code[i]
		if slotted(in) {
			key := shareKey{a: in.A, b: in.B, idx: in.Idx, scale: in.Scale, space: in.Space, op: in.Op}
			if in.Idx != isa.IdxNone && in.B.IsVector() {
				key.version = version[isa.VectorReg{Bank: in.Idx.Type().Bank(), Index: in.B.Index()}]
			}
			if Row(in) || Apart(in) {
				key.row, key.bytes = int64(in.Disp), in.Type.Bytes()
			}
			low, high := int64(in.Disp), int64(in.Disp)+int64(in.Type.Bytes())
			s, ok := known[key]
			if b := r.underOf(i); !ok && b > 0 {
				key.under = b
				s, ok = known[key]
			}
			if ok {
				g := &groups[s]
				ok = max(high, g.high)-min(low, g.low) <= maxShared
			}
			if !ok {
				s = len(groups)
				known[key] = s
				groups = append(groups, slotGroup{first: *in, low: low, high: high})
			}
			g := &groups[s]
			g.low, g.high = min(g.low, low), max(g.high, high)
			r.Slots[i] = s
		}
		dst, t := r.kernel.Operands(in, func(isa.Reg, isa.Type) {})
		if dst.IsVector() {
			version[isa.VectorReg{Bank: t.Bank(), Index: dst.Index()}]++
		}
	}
	for s := range groups {
		g := &groups[s]
		if g.first.Space != isa.SpacePrivate && !Blocked(&g.first) && g.low < 0 && g.low > -maxShared && g.first.Idx != isa.IdxNone {
			scale := int64(g.first.Scale)
			g.bias = uint32((-g.low + scale - 1) / scale)
			g.low += int64(g.bias) * scale
			g.high += int64(g.bias) * scale
		}
	}
	for i := range r.Code {
		if in := &r.Code[i]; slotted(in) {
			g := &groups[r.Slots[i]]
			r.Bias[i] = g.bias
			r.Disp[i] = int32(int64(in.Disp) + int64(g.bias)*int64(in.Scale) - g.low)
		}
	}
	nth := map[placeKey]int{}
	slots := make([]int, len(groups))
	for s := range groups {
		key := groups[s].key()
		key.nth = nth[key]
		nth[groups[s].key()]++
		slots[s] = d.place(&r.Places, key, &groups[s].first)
	}
	for i := range r.Code {
		if slotted(&r.Code[i]) {
			r.Slots[i] = slots[r.Slots[i]]
		}
	}
}

// underOf returns the block of a hyperblock whose lanes an instruction is for, or 0 for all.
func (r *Run) underOf(i int) int {
	if r.under == nil || r.masks[r.under[i]] == isa.None {
		return 0
	}
	return r.under[i]
}

// key returns what the slot's place is known by.
func (g *slotGroup) key() placeKey {
	in := &g.first
	return placeKey{pointer: in.A, disp: g.low, size: uint64(g.high - g.low), scale: g.scale(), most: g.most(), space: in.Space, write: in.Op != isa.OpLoad && in.Op != isa.OpBlockLoad, row: Row(in) || Apart(in)}
}
