package readers

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
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
func groupSlots(b *build.Builder, n int) *ssa.Value {
	if b.Slots == nil {
		b.Kernel.Local = append(b.Kernel.Local, isa.Alloc{Name: "work-group operations", Align: slotBytes, PerItem: true})
		b.Slots = b.Func.NewValue(ssa.OpLocal, isa.I64, isa.I64)
		b.Slots.Index = int32(len(b.Kernel.Local) - 1)
	}
	a := &b.Kernel.Local[b.Slots.Index]
	a.Size = max(a.Size, uint64(n*slotBytes))
	return b.Slots
}

// slotType is the type that a value has in LDS.
func slotType(t isa.Type) isa.Type {
	if t == isa.B1 {
		return isa.I8
	}
	return t
}

// putSlot stores a value into a slot.
func putSlot(b *build.Builder, t isa.Type, slot, x *ssa.Value) {
	st := slotType(t)
	if t == isa.B1 {
		x = b.Sel(st, x, b.Imm(st, 1), b.Imm(st, 0))
	}
	v := b.Func.NewValue(isa.OpStore, isa.Void, st, b.Slots, slot, x)
	v.Idx, v.Scale, v.Space = isa.IdxU32, slotBytes, isa.SpaceLocal
	b.Add(v)
}

// getSlot loads a value from a slot.
func getSlot(b *build.Builder, t isa.Type, slot *ssa.Value) *ssa.Value {
	st := slotType(t)
	v := b.Func.NewValue(isa.OpLoad, st, st, b.Slots, slot)
	v.Idx, v.Scale, v.Space = isa.IdxU32, slotBytes, isa.SpaceLocal
	v = b.Add(v)
	if t == isa.B1 {
		return b.Cmp(isa.OpNe, st, v, b.Imm(st, 0))
	}
	return v
}

// slotBarrier is a barrier of a work-group operation.
func slotBarrier(b *build.Builder) {
	c := b.Cur
	order := isa.MemoryOrder(0)
	if b.Module.Checked {
		order = isa.OrderKnown // of nothing: operations of the work-group do not order its memory
	}
	b.EndInBarrier(isa.ScopeWorkgroup, isa.ScheduleUnordered, order)
	c.Uniform = true
}

// newBlock starts a block and charges for it.
func newBlock(b *build.Builder) *ssa.Block {
	b.Spend(16)
	return b.Func.NewBlock("")
}

// ifThen runs body for the lanes for which cond holds.
func ifThen(b *build.Builder, cond *ssa.Value, body func()) {
	c, then, next := b.Cur, newBlock(b), newBlock(b)
	c.Term, c.Cond, c.TermLoc = ssa.TermCond, cond, b.Place()
	ssa.Link(c, then)
	ssa.Link(c, next)
	b.Cur = then
	body()
	goTo(b, next)
}

// goTo ends the current block with a branch and goes on at its target.
func goTo(b *build.Builder, to *ssa.Block) {
	b.Cur.Term, b.Cur.TermLoc = ssa.TermBr, b.Place()
	ssa.Link(b.Cur, to)
	b.Cur = to
}

// foldUp goes through i from 1 to n-1; step makes the next values from the ones
// before, which start as init.
func foldUp(b *build.Builder, n *ssa.Value, types []isa.Type, init []*ssa.Value, step func(i *ssa.Value, x []*ssa.Value) []*ssa.Value) []*ssa.Value {
	head, body, next := newBlock(b), newBlock(b), newBlock(b)
	types = append([]isa.Type{isa.I32}, types...)
	init = append([]*ssa.Value{b.Imm(isa.I32, 1)}, init...)
	goTo(b, head)
	phis := make([]*ssa.Value, len(types))
	for i, t := range types {
		phis[i] = b.Func.NewValue(ssa.OpPhi, t, t, init[i])
		phis[i].Block, phis[i].Loc = head, b.Place()
	}
	head.Phis = append(head.Phis, phis...)
	head.Term, head.TermLoc = ssa.TermCond, b.Place()
	head.Cond = b.Cmp(isa.OpLtU, isa.I32, phis[0], n)
	ssa.Link(head, body)
	ssa.Link(head, next)
	b.Cur = body
	after := append([]*ssa.Value{b.Bin(isa.OpAdd, isa.I32, phis[0], b.Imm(isa.I32, 1))}, step(phis[0], phis[1:])...)
	goTo(b, head)
	for i, p := range phis {
		p.Args = append(p.Args, after[i])
	}
	b.Cur = next
	return phis[1:]
}

// combineOps has the instruction of each operation of a scan.
var combineOps = [isa.NumScanOps]isa.Op{
	isa.ScanAdd: isa.OpAdd, isa.ScanMul: isa.OpMul, isa.ScanMinS: isa.OpMinS, isa.ScanMaxS: isa.OpMaxS, isa.ScanMinU: isa.OpMinU,
	isa.ScanMaxU: isa.OpMaxU, isa.ScanAnd: isa.OpAnd, isa.ScanOr: isa.OpOr, isa.ScanXor: isa.OpXor,
	isa.ScanFAdd: isa.OpFAdd, isa.ScanFMul: isa.OpFMul, isa.ScanFMin: isa.OpFMin, isa.ScanFMax: isa.OpFMax,
}

// combine makes one step of a scan.
func combine(b *build.Builder, op isa.ScanOp, t isa.Type, x, y *ssa.Value) *ssa.Value {
	if t.IsFloat() {
		return b.FOp(combineOps[op], t, x, y)
	}
	return b.Bin(combineOps[op], t, x, y)
}

// workgroupScan makes a scan or reduction of the work-group.
func workgroupScan(b *build.Builder, kind isa.ScanKind, op isa.ScanOp, t isa.Type, x *ssa.Value) *ssa.Value {
	groupSlots(b, 1)
	own := scan(b, kind, op, t, isa.FlagUniform, 0, x)
	total := own
	if kind != isa.ScanReduce {
		total = scan(b, isa.ScanReduce, op, t, isa.FlagUniform, 0, x)
	}
	leader := cross(b, isa.OpElect, isa.B1, isa.Void, 0, 0)
	sub := b.Builtin(spirv.BuiltInSubgroupId, 0, isa.I32)
	ifThen(b, leader, func() { putSlot(b, t, sub, total) })
	slotBarrier(b)
	n := b.Builtin(spirv.BuiltInNumSubgroups, 0, isa.I32)
	first := getSlot(b, t, b.Imm(isa.I32, 0))
	var r *ssa.Value
	if kind == isa.ScanReduce {
		r = foldUp(b, n, []isa.Type{t}, []*ssa.Value{first}, func(i *ssa.Value, x []*ssa.Value) []*ssa.Value {
			return []*ssa.Value{combine(b, op, t, x[0], getSlot(b, t, i))}
		})[0]
	} else {
		// What comes before the lane's sub-group; for the first one, nothing.
		before := foldUp(b, n, []isa.Type{t, t}, []*ssa.Value{first, first}, func(i *ssa.Value, x []*ssa.Value) []*ssa.Value {
			all := combine(b, op, t, x[0], getSlot(b, t, i))
			return []*ssa.Value{all, b.Sel(t, b.Cmp(isa.OpLtU, isa.I32, i, sub), all, x[1])}
		})[1]
		r = combine(b, op, t, before, own)
		if kind == isa.ScanExclusive {
			r = b.Sel(t, leader, before, r)
		}
		r = b.Sel(t, b.Cmp(isa.OpEq, isa.I32, sub, b.Imm(isa.I32, 0)), own, r)
	}
	slotBarrier(b)
	return r
}

// workgroupBroadcast gives all work-items the value of the one with the local
// id that has the given components; 0 if there is none.
func workgroupBroadcast(b *build.Builder, t isa.Type, x, id []*ssa.Value) []*ssa.Value {
	if len(id) < 1 || len(id) > 3 {
		b.Fail("a local id of %d components", len(id))
	}
	groupSlots(b, len(x))
	here, inside := b.Imm(isa.B1, 1), b.Imm(isa.B1, 1)
	for d, v := range id {
		if !v.Type.IsInt() {
			b.Fail("the local id is no integer")
		}
		if v.Type.Bits() < 32 {
			v = b.Resize(v, v.Type, isa.I32) // the size of a group may not fit
		}
		local, size := b.Builtin(spirv.BuiltInLocalInvocationId, d, v.Type), b.Builtin(spirv.BuiltInWorkgroupSize, d, v.Type)
		here = b.Bin(isa.OpAnd, isa.B1, here, b.Cmp(isa.OpEq, v.Type, v, local))
		inside = b.Bin(isa.OpAnd, isa.B1, inside, b.Cmp(isa.OpLtU, v.Type, v, size))
		if !v.IsConst() || v.Imm != 0 {
			// For the checks: all lanes are to name the same work-item, which is there.
			at := lane32(b, &groupCall{a: [][]*ssa.Value{{v}}}, 0)
			cross(b, isa.OpShuffle, isa.I32, isa.I32, isa.FlagUniform, isa.ShuffleSame|isa.ShuffleLoose|isa.ShuffleItem, b.Resize(size, v.Type, isa.I32), at)
		}
	}
	// A local id of fewer dimensions than the group has names the items at 0.
	for d := len(id); d < 3; d++ {
		here = b.Bin(isa.OpAnd, isa.B1, here, b.Cmp(isa.OpEq, isa.I32, b.Builtin(spirv.BuiltInLocalInvocationId, d, isa.I32), b.Imm(isa.I32, 0)))
	}
	ifThen(b, here, func() {
		for i, v := range x {
			putSlot(b, t, b.Imm(isa.I32, uint64(i)), v)
		}
	})
	slotBarrier(b)
	out := make([]*ssa.Value, len(x))
	for i := range x {
		out[i] = b.Sel(t, inside, getSlot(b, t, b.Imm(isa.I32, uint64(i))), b.Imm(t, 0))
	}
	slotBarrier(b)
	return out
}
