package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
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
func (b *builder) groupSlots(n int) *ssa.Value {
	if b.slots == nil {
		b.k.Local = append(b.k.Local, isa.Alloc{Name: "work-group operations", Align: slotBytes, PerItem: true})
		b.slots = b.f.NewValue(ssa.OpLocal, isa.I64, isa.I64)
		b.slots.Index = int32(len(b.k.Local) - 1)
	}
	a := &b.k.Local[b.slots.Index]
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
func (b *builder) putSlot(t isa.Type, slot, x *ssa.Value) {
	st := slotType(t)
	if t == isa.B1 {
		x = b.sel(st, x, b.imm(st, 1), b.imm(st, 0))
	}
	v := b.f.NewValue(isa.OpStore, isa.Void, st, b.slots, slot, x)
	v.Idx, v.Scale, v.Space = isa.IdxU32, slotBytes, isa.SpaceLocal
	b.add(v)
}

// getSlot loads a value from a slot.
func (b *builder) getSlot(t isa.Type, slot *ssa.Value) *ssa.Value {
	st := slotType(t)
	v := b.f.NewValue(isa.OpLoad, st, st, b.slots, slot)
	v.Idx, v.Scale, v.Space = isa.IdxU32, slotBytes, isa.SpaceLocal
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
	c.Uniform = true
}

// newBlock starts a block and charges for it.
func (b *builder) newBlock() *ssa.Block {
	b.spend(16)
	return b.f.NewBlock("")
}

// ifThen runs body for the lanes for which cond holds.
func (b *builder) ifThen(cond *ssa.Value, body func()) {
	c, then, next := b.cur, b.newBlock(), b.newBlock()
	c.Term, c.Cond, c.TermLoc = ssa.TermCond, cond, b.place()
	ssa.Link(c, then)
	ssa.Link(c, next)
	b.cur = then
	body()
	b.goTo(next)
}

// goTo ends the current block with a branch and goes on at its target.
func (b *builder) goTo(to *ssa.Block) {
	b.cur.Term, b.cur.TermLoc = ssa.TermBr, b.place()
	ssa.Link(b.cur, to)
	b.cur = to
}

// foldUp goes through i from 1 to n-1; step makes the next values from the ones
// before, which start as init.
func (b *builder) foldUp(n *ssa.Value, types []isa.Type, init []*ssa.Value, step func(i *ssa.Value, x []*ssa.Value) []*ssa.Value) []*ssa.Value {
	head, body, next := b.newBlock(), b.newBlock(), b.newBlock()
	types = append([]isa.Type{isa.I32}, types...)
	init = append([]*ssa.Value{b.imm(isa.I32, 1)}, init...)
	b.goTo(head)
	phis := make([]*ssa.Value, len(types))
	for i, t := range types {
		phis[i] = b.f.NewValue(ssa.OpPhi, t, t, init[i])
		phis[i].Block, phis[i].Loc = head, b.place()
	}
	head.Phis = append(head.Phis, phis...)
	head.Term, head.TermLoc = ssa.TermCond, b.place()
	head.Cond = b.cmp(isa.OpLtU, isa.I32, phis[0], n)
	ssa.Link(head, body)
	ssa.Link(head, next)
	b.cur = body
	after := append([]*ssa.Value{b.bin(isa.OpAdd, isa.I32, phis[0], b.imm(isa.I32, 1))}, step(phis[0], phis[1:])...)
	b.goTo(head)
	for i, p := range phis {
		p.Args = append(p.Args, after[i])
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
func (b *builder) combine(op isa.ScanOp, t isa.Type, x, y *ssa.Value) *ssa.Value {
	if t.IsFloat() {
		return b.fop(combineOps[op], t, x, y)
	}
	return b.bin(combineOps[op], t, x, y)
}

// workgroupScan makes a scan or reduction of the work-group.
func (b *builder) workgroupScan(kind isa.ScanKind, op isa.ScanOp, t isa.Type, x *ssa.Value) *ssa.Value {
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
	var r *ssa.Value
	if kind == isa.ScanReduce {
		r = b.foldUp(n, []isa.Type{t}, []*ssa.Value{first}, func(i *ssa.Value, x []*ssa.Value) []*ssa.Value {
			return []*ssa.Value{b.combine(op, t, x[0], b.getSlot(t, i))}
		})[0]
	} else {
		// What comes before the lane's sub-group; for the first one, nothing.
		before := b.foldUp(n, []isa.Type{t, t}, []*ssa.Value{first, first}, func(i *ssa.Value, x []*ssa.Value) []*ssa.Value {
			all := b.combine(op, t, x[0], b.getSlot(t, i))
			return []*ssa.Value{all, b.sel(t, b.cmp(isa.OpLtU, isa.I32, i, sub), all, x[1])}
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
func (b *builder) workgroupBroadcast(t isa.Type, x, id []*ssa.Value) []*ssa.Value {
	if len(id) < 1 || len(id) > 3 {
		b.fail("a local id of %d components", len(id))
	}
	b.groupSlots(len(x))
	here, inside := b.imm(isa.B1, 1), b.imm(isa.B1, 1)
	for d, v := range id {
		if !v.Type.IsInt() {
			b.fail("the local id is no integer")
		}
		if v.Type.Bits() < 32 {
			v = b.resize(v, v.Type, isa.I32) // the size of a group may not fit
		}
		local, size := b.builtin(spirv.BuiltInLocalInvocationId, d, v.Type), b.builtin(spirv.BuiltInWorkgroupSize, d, v.Type)
		here = b.bin(isa.OpAnd, isa.B1, here, b.cmp(isa.OpEq, v.Type, v, local))
		inside = b.bin(isa.OpAnd, isa.B1, inside, b.cmp(isa.OpLtU, v.Type, v, size))
		if !v.IsConst() || v.Imm != 0 {
			// For the checks: all lanes are to name the same work-item, which is there.
			at := b.lane32(&groupCall{a: [][]*ssa.Value{{v}}}, 0)
			b.cross(isa.OpShuffle, isa.I32, isa.I32, isa.FlagUniform, isa.ShuffleSame|isa.ShuffleLoose|isa.ShuffleItem, b.resize(size, v.Type, isa.I32), at)
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
	out := make([]*ssa.Value, len(x))
	for i := range x {
		out[i] = b.sel(t, inside, b.getSlot(t, b.imm(isa.I32, uint64(i))), b.imm(t, 0))
	}
	b.groupBarrier()
	return out
}
