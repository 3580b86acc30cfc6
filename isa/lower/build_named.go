package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Named barriers (SPIR-V 3.49.20): a number of sub-groups of a work-group meet.
// One is 12 bytes of LDS: how many sub-groups meet, how many have arrived, and
// how often they have met. The last to arrive counts that up; the others look at
// it until it changes. The value of the type OpTypeNamedBarrier is the address.
const (
	namedCount   = 0
	namedArrived = 4
	namedMet     = 8
	namedBytes   = 12
)

// atomic32 makes an atomic operation on a word of LDS.
func (b *builder) atomic32(op isa.AtomicOp, p *ssa.Value, off int64, args ...*ssa.Value) *ssa.Value {
	t := isa.I32
	if op == isa.AtomicStore {
		t = isa.Void
	}
	v := b.f.NewValue(isa.OpAtomic, t, isa.I32, append([]*ssa.Value{b.offset(p, off)}, args...)...)
	v.Imm2, v.Space = uint8(op), isa.SpaceLocal
	if b.m.checked {
		v.Imm = uint64(isa.OrderAll)
	}
	return b.add(v)
}

// namedBarrier makes a barrier for n sub-groups and returns its address. All
// work-items of the group come here.
func (b *builder) namedBarrier(n *ssa.Value) *ssa.Value {
	b.k.Local = append(b.k.Local, isa.Alloc{Name: "named barrier", Size: namedBytes, Align: 4})
	p := b.f.NewValue(ssa.OpLocal, isa.I64, isa.I64)
	p.Index = int32(len(b.k.Local) - 1)
	zero := b.imm(isa.I32, 0)
	b.groupBarrier()
	b.ifThen(b.cmp(isa.OpEq, isa.I32, b.builtin(spirv.BuiltInLocalInvocationIndex, 0, isa.I32), zero), func() {
		b.atomic32(isa.AtomicStore, p, namedCount, n)
		b.atomic32(isa.AtomicStore, p, namedArrived, zero)
		b.atomic32(isa.AtomicStore, p, namedMet, zero)
	})
	b.groupBarrier()
	return p
}

// namedWait waits at a barrier. The lowest lane of the sub-group does it for
// all; the others wait for it where they meet again. For checks, the barrier orders each sub-group with the leader's
// atomic operations.
func (b *builder) namedWait(p *ssa.Value) {
	meet := func() {
		if b.m.checked {
			b.endInBarrier(isa.ScopeSubgroup, isa.ScheduleUnordered, isa.OrderAll.Within(isa.ScopeSubgroup))
		}
	}
	meet()
	defer meet()
	one := b.imm(isa.I32, 1)
	leader := b.cross(isa.OpElect, isa.B1, isa.Void, isa.FlagUniform, 0)
	b.ifThen(leader, func() {
		met := b.atomic32(isa.AtomicLoad, p, namedMet)
		arrived := b.bin(isa.OpAdd, isa.I32, b.atomic32(isa.AtomicAdd, p, namedArrived, one), one)
		last := b.cmp(isa.OpEq, isa.I32, arrived, b.atomic32(isa.AtomicLoad, p, namedCount))
		b.ifThen(last, func() {
			b.atomic32(isa.AtomicStore, p, namedArrived, b.imm(isa.I32, 0))
			b.atomic32(isa.AtomicAdd, p, namedMet, one)
		})
		spin, next := b.newBlock(), b.newBlock()
		b.goTo(spin)
		spin.Term, spin.TermLoc = ssa.TermCond, b.place()
		spin.Cond = b.cmp(isa.OpEq, isa.I32, b.atomic32(isa.AtomicLoad, p, namedMet), met)
		ssa.Link(spin, spin)
		ssa.Link(spin, next)
		b.cur = next
	})
}
