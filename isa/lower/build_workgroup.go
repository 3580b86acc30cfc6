package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Group operations at work-group scope: each sub-group makes its own part, its
// lowest lane puts it into LDS, and after a barrier all lanes combine the parts
// in the order of the sub-groups. A second barrier keeps the memory until
// everybody has read it. The order is one for all widths of waves: that of the
// lanes within a sub-group, then that of the sub-groups.

// slotBytes is what a value takes in the hidden LDS.
const slotBytes = 8

// groupSlots returns the address of the hidden LDS, with room for n values for
// each work-item of the group: no group has more sub-groups than work-items.
func (b *builder) groupSlots(n int) *value {
	if b.slots == nil {
		b.k.Local = append(b.k.Local, isa.Alloc{Name: "work-group operations", Align: slotBytes, PerItem: true})
		b.slots = b.f.newValue(irLocal, isa.I64, isa.I64)
		b.slots.index = int32(len(b.k.Local) - 1)
	}
	a := &b.k.Local[b.slots.index]
	a.Size = max(a.Size, uint64(n*slotBytes))
	return b.slots
}

// slotType is the type that a value has in LDS.
func slotType(t isa.Type) isa.Type {
	if t == isa.B1 {
		return isa.I8
	}
	return t
}

// putSlot stores a value into a slot.
func (b *builder) putSlot(t isa.Type, slot, x *value) {
	st := slotType(t)
	if t == isa.B1 {
		x = b.sel(st, x, b.imm(st, 1), b.imm(st, 0))
	}
	v := b.f.newValue(isa.OpStore, isa.Void, st, b.slots, slot, x)
	v.idx, v.scale, v.space = isa.IdxU32, slotBytes, isa.SpaceLocal
	b.add(v)
}

// getSlot loads a value from a slot.
func (b *builder) getSlot(t isa.Type, slot *value) *value {
	st := slotType(t)
	v := b.f.newValue(isa.OpLoad, st, st, b.slots, slot)
	v.idx, v.scale, v.space = isa.IdxU32, slotBytes, isa.SpaceLocal
	v = b.add(v)
	if t == isa.B1 {
		return b.cmp(isa.OpNe, st, v, b.imm(st, 0))
	}
	return v
}

// groupBarrier is a barrier of a work-group operation.
func (b *builder) groupBarrier() {
	c := b.cur
	order := isa.MemoryOrder(0)
	if b.m.checked {
		order = isa.OrderKnown // of nothing: operations of the work-group do not order its memory
	}
	b.endInBarrier(isa.ScopeWorkgroup, isa.ScheduleUnordered, order)
	c.uniform = true
}

// newBlock starts a block and charges for it.
func (b *builder) newBlock() *block {
	b.spend(16)
	return b.f.newBlock("")
}

// ifThen runs body for the lanes for which cond holds.
func (b *builder) ifThen(cond *value, body func()) {
	c, then, next := b.cur, b.newBlock(), b.newBlock()
	c.term, c.cond, c.termLoc = termCond, cond, b.place()
	link(c, then)
	link(c, next)
	b.cur = then
	body()
	b.goTo(next)
}

// goTo ends the current block with a branch and goes on at its target.
func (b *builder) goTo(to *block) {
	b.cur.term, b.cur.termLoc = termBr, b.place()
	link(b.cur, to)
	b.cur = to
}

// foldUp goes through i from 1 to n-1; step makes the next values from the ones
// before, which start as init.
func (b *builder) foldUp(n *value, types []isa.Type, init []*value, step func(i *value, x []*value) []*value) []*value {
	head, body, next := b.newBlock(), b.newBlock(), b.newBlock()
	types = append([]isa.Type{isa.I32}, types...)
	init = append([]*value{b.imm(isa.I32, 1)}, init...)
	b.goTo(head)
	phis := make([]*value, len(types))
	for i, t := range types {
		phis[i] = b.f.newValue(irPhi, t, t, init[i])
		phis[i].blk, phis[i].loc = head, b.place()
	}
	head.phis = append(head.phis, phis...)
	head.term, head.termLoc = termCond, b.place()
	head.cond = b.cmp(isa.OpLtU, isa.I32, phis[0], n)
	link(head, body)
	link(head, next)
	b.cur = body
	after := append([]*value{b.bin(isa.OpAdd, isa.I32, phis[0], b.imm(isa.I32, 1))}, step(phis[0], phis[1:])...)
	b.goTo(head)
	for i, p := range phis {
		p.args = append(p.args, after[i])
	}
	b.cur = next
	return phis[1:]
}

// combineOps has the instruction of each operation of a scan.
var combineOps = [isa.NumScanOps]isa.Op{
	isa.ScanAdd: isa.OpAdd, isa.ScanMul: isa.OpMul, isa.ScanMinS: isa.OpMinS, isa.ScanMaxS: isa.OpMaxS, isa.ScanMinU: isa.OpMinU,
	isa.ScanMaxU: isa.OpMaxU, isa.ScanAnd: isa.OpAnd, isa.ScanOr: isa.OpOr, isa.ScanXor: isa.OpXor,
	isa.ScanFAdd: isa.OpFAdd, isa.ScanFMul: isa.OpFMul, isa.ScanFMin: isa.OpFMin, isa.ScanFMax: isa.OpFMax,
}

// combine makes one step of a scan.
func (b *builder) combine(op isa.ScanOp, t isa.Type, x, y *value) *value {
	if t.IsFloat() {
		return b.fop(combineOps[op], t, x, y)
	}
	return b.bin(combineOps[op], t, x, y)
}

// workgroupScan makes a scan or reduction of the work-group.
func (b *builder) workgroupScan(kind isa.ScanKind, op isa.ScanOp, t isa.Type, x *value) *value {
	b.groupSlots(1)
	own := b.scan(kind, op, t, isa.FlagUniform, 0, x)
	total := own
	if kind != isa.ScanReduce {
		total = b.scan(isa.ScanReduce, op, t, isa.FlagUniform, 0, x)
	}
	leader := b.cross(isa.OpElect, isa.B1, isa.Void, 0, 0)
	sub := b.builtin(spirv.BuiltInSubgroupId, 0, isa.I32)
	b.ifThen(leader, func() { b.putSlot(t, sub, total) })
	b.groupBarrier()
	n := b.builtin(spirv.BuiltInNumSubgroups, 0, isa.I32)
	first := b.getSlot(t, b.imm(isa.I32, 0))
	var r *value
	if kind == isa.ScanReduce {
		r = b.foldUp(n, []isa.Type{t}, []*value{first}, func(i *value, x []*value) []*value {
			return []*value{b.combine(op, t, x[0], b.getSlot(t, i))}
		})[0]
	} else {
		// What comes before the lane's sub-group; for the first one, nothing.
		before := b.foldUp(n, []isa.Type{t, t}, []*value{first, first}, func(i *value, x []*value) []*value {
			all := b.combine(op, t, x[0], b.getSlot(t, i))
			return []*value{all, b.sel(t, b.cmp(isa.OpLtU, isa.I32, i, sub), all, x[1])}
		})[1]
		r = b.combine(op, t, before, own)
		if kind == isa.ScanExclusive {
			r = b.sel(t, leader, before, r)
		}
		r = b.sel(t, b.cmp(isa.OpEq, isa.I32, sub, b.imm(isa.I32, 0)), own, r)
	}
	b.groupBarrier()
	return r
}

// workgroupBroadcast gives all work-items the value of the one with the local
// id that has the given components; 0 if there is none.
func (b *builder) workgroupBroadcast(t isa.Type, x, id []*value) []*value {
	if len(id) < 1 || len(id) > 3 {
		b.fail("a local id of %d components", len(id))
	}
	b.groupSlots(len(x))
	here, inside := b.imm(isa.B1, 1), b.imm(isa.B1, 1)
	for d, v := range id {
		if !v.typ.IsInt() {
			b.fail("the local id is no integer")
		}
		if v.typ.Bits() < 32 {
			v = b.resize(v, v.typ, isa.I32) // the size of a group may not fit
		}
		local, size := b.builtin(spirv.BuiltInLocalInvocationId, d, v.typ), b.builtin(spirv.BuiltInWorkgroupSize, d, v.typ)
		here = b.bin(isa.OpAnd, isa.B1, here, b.cmp(isa.OpEq, v.typ, v, local))
		inside = b.bin(isa.OpAnd, isa.B1, inside, b.cmp(isa.OpLtU, v.typ, v, size))
		if !v.isConst() || v.imm != 0 {
			// For the checks: all lanes are to name the same work-item, which is there.
			at := b.lane32(&groupCall{a: [][]*value{{v}}}, 0)
			b.cross(isa.OpShuffle, isa.I32, isa.I32, isa.FlagUniform, isa.ShuffleSame|isa.ShuffleLoose|isa.ShuffleItem, b.resize(size, v.typ, isa.I32), at)
		}
	}
	// A local id of fewer dimensions than the group has names the items at 0.
	for d := len(id); d < 3; d++ {
		here = b.bin(isa.OpAnd, isa.B1, here, b.cmp(isa.OpEq, isa.I32, b.builtin(spirv.BuiltInLocalInvocationId, d, isa.I32), b.imm(isa.I32, 0)))
	}
	b.ifThen(here, func() {
		for i, v := range x {
			b.putSlot(t, b.imm(isa.I32, uint64(i)), v)
		}
	})
	b.groupBarrier()
	out := make([]*value, len(x))
	for i := range x {
		out[i] = b.sel(t, inside, b.getSlot(t, b.imm(isa.I32, uint64(i))), b.imm(t, 0))
	}
	b.groupBarrier()
	return out
}
