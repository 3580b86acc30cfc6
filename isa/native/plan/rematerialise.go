package plan

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Many kernels read a work-item id in their entry block and use it in their last. It costs less to compute
// it again than to load it from the register file: hyperblocks rematerialise ids at their uses, and blocks
// of which machine code is made one by one begin with that ([Block.IDs]). So the hyperblock that begins
// with the entry block need not store them (rematerialisation, Briggs, Cooper and Torczon 1992).

// findIDs finds the registers that nothing but an id in the first block is written to: all lanes come there
// first. None is one that somebody reads before it has the id. Global linear ids are products of 64 bits,
// which would keep a hyperblock from computing in 32.
func (d *planner) findIDs() {
	d.ids, d.rematerialised = map[isa.VectorReg]isa.Inst{}, map[isa.VectorReg]bool{}
	times := map[isa.VectorReg]int{}
	k := d.kernel
	for i := range k.Code {
		in := &k.Code[i]
		r, t := k.Operands(in, func(isa.Reg, isa.Type) {})
		if !r.IsVector() {
			continue
		}
		p := isa.VectorReg{Bank: t.Bank(), Index: r.Index()}
		b := isa.Builtin(in.Imm)
		if times[p]++; in.Op == isa.OpBuiltin && b.PerLane() && b != isa.BuiltinGlobalLinearID && i < k.Blocks[0].End && d.native(in) {
			d.ids[p] = *in
		}
	}
	for p := range d.ids {
		if times[p] > 1 || d.live.At(0, p) {
			delete(d.ids, p)
			continue
		}
		d.rematerialised[p] = true
	}
	// Loops that machine code does in a way of its own read the register file and have no such beginning;
	// what is read in any loop is read more often than written, besides. And what hyperblocks do not
	// rematerialise they read.
	looping := d.looping()
	for b := 1; b < len(k.Blocks); b++ {
		d.readers(b, func(in *isa.Inst, p isa.VectorReg) {
			found := false
			idOperands(in, func(_ *isa.Reg, q isa.VectorReg) { found = found || p == q })
			if looping[b] || !found {
				delete(d.rematerialised, p)
			}
		})
	}
}

// looping says for each block whether it may be entered again.
func (d *planner) looping() []bool {
	last := make([]int, len(d.kernel.Blocks)) // by block, the last one that leads back to it
	for b := range last {
		last[b] = -1
		d.kernel.Successors(b, func(s int) {
			if s <= b {
				last[s] = b
			}
		})
	}
	list, end := make([]bool, len(last)), -1
	for b := range list {
		end = max(end, last[b])
		list[b] = b <= end
	}
	return list
}

// readers calls f for each vector register that an instruction of a block reads.
func (d *planner) readers(b int, f func(in *isa.Inst, p isa.VectorReg)) {
	blk := &d.kernel.Blocks[b]
	for i := blk.Start; i < blk.End; i++ {
		in := &d.kernel.Code[i]
		d.kernel.Operands(in, func(r isa.Reg, t isa.Type) {
			if r.IsVector() {
				f(in, isa.VectorReg{Bank: t.Bank(), Index: r.Index()})
			}
		})
	}
}

// idsOf returns a run that rematerialises the ids that a block reads and the register file may not have, or
// nil.
func (d *planner) idsOf(b int) *Run {
	r := &Run{layout: d.layout, kernel: d.kernel}
	var seen []isa.VectorReg
	d.readers(b, func(_ *isa.Inst, p isa.VectorReg) {
		if id, ok := d.ids[p]; ok && d.rematerialised[p] && !slices.Contains(seen, p) {
			seen = append(seen, p)
			r.Code, r.Keep = append(r.Code, id), append(r.Keep, true)
		}
	})
	if len(seen) == 0 {
		return nil
	}
	d.shareSlots(r)
	return r
}

// idOperands calls f for the vector operands of an instruction that hyperblocks rematerialise where they are
// ids.
func idOperands(in *isa.Inst, f func(r *isa.Reg, p isa.VectorReg)) {
	each := func(t isa.Type, operands ...*isa.Reg) {
		for _, r := range operands {
			if r.IsVector() {
				f(r, isa.VectorReg{Bank: t.Bank(), Index: r.Index()})
			}
		}
	}
	switch in.Op.Info().Shape {
	case isa.ShapeUnary:
		each(in.Type, &in.A)
	case isa.ShapeBinary, isa.ShapeCompare:
		each(in.Type, &in.A, &in.B)
	case isa.ShapeTernary:
		each(in.Type, &in.A, &in.B, &in.C)
	case isa.ShapeConvert:
		each(in.Type2, &in.A)
	case isa.ShapeStore:
		each(in.Type, &in.C)
		fallthrough
	case isa.ShapeLoad:
		if in.Idx != isa.IdxNone {
			each(in.Idx.Type(), &in.B)
		}
	}
}

// rematerialise replaces the ids among an instruction's operands that the entry block reads by registers of
// the hyperblock, which gets instructions that compute them.
func (m *hyperMaker) rematerialise(in *isa.Inst, b int) {
	idOperands(in, func(r *isa.Reg, p isa.VectorReg) {
		id, ok := m.ids[p]
		if !ok || m.written[p] {
			return
		}
		if _, ok := m.found[p]; !ok {
			m.found[p] = m.virtual(p.Bank)
			id.Dst, id.Flags = m.found[p], isa.FlagDense
			m.add(id, b)
		}
		*r = m.found[p]
	})
}
