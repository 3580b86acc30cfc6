package readers

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
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
func atomic32(b *build.Builder, op isa.AtomicOp, p *ssa.Value, off int64, args ...*ssa.Value) *ssa.Value {
	t := isa.I32
	if op == isa.AtomicStore {
		t = isa.Void
	}
	v := b.Func.NewValue(isa.OpAtomic, t, isa.I32, append([]*ssa.Value{b.Offset(p, off)}, args...)...)
	v.Imm2, v.Space = uint8(op), isa.SpaceLocal
	if b.Module.Checked {
		v.Imm = uint64(isa.OrderAll)
	}
	return b.Add(v)
}

// namedBarrier makes a barrier for n sub-groups and returns its address. All
// work-items of the group come here.
func namedBarrier(b *build.Builder, n *ssa.Value) *ssa.Value {
	b.Kernel.Local = append(b.Kernel.Local, isa.Alloc{Name: "named barrier", Size: namedBytes, Align: 4})
	p := b.Func.NewValue(ssa.OpLocal, isa.I64, isa.I64)
	p.Index = int32(len(b.Kernel.Local) - 1)
	zero := b.Imm(isa.I32, 0)
	slotBarrier(b)
	ifThen(b, b.Cmp(isa.OpEq, isa.I32, b.Builtin(spirv.BuiltInLocalInvocationIndex, 0, isa.I32), zero), func() {
		atomic32(b, isa.AtomicStore, p, namedCount, n)
		atomic32(b, isa.AtomicStore, p, namedArrived, zero)
		atomic32(b, isa.AtomicStore, p, namedMet, zero)
	})
	slotBarrier(b)
	return p
}

// namedWait waits at a barrier. The lowest lane of the sub-group does it for
// all; the others wait for it where they meet again. For checks, the barrier orders each sub-group with the leader's
// atomic operations.
func namedWait(b *build.Builder, p *ssa.Value) {
	meet := func() {
		if b.Module.Checked {
			b.EndInBarrier(isa.ScopeSubgroup, isa.ScheduleUnordered, isa.OrderAll.Within(isa.ScopeSubgroup))
		}
	}
	meet()
	defer meet()
	one := b.Imm(isa.I32, 1)
	leader := cross(b, isa.OpElect, isa.B1, isa.Void, isa.FlagUniform, 0)
	ifThen(b, leader, func() {
		met := atomic32(b, isa.AtomicLoad, p, namedMet)
		arrived := b.Bin(isa.OpAdd, isa.I32, atomic32(b, isa.AtomicAdd, p, namedArrived, one), one)
		last := b.Cmp(isa.OpEq, isa.I32, arrived, atomic32(b, isa.AtomicLoad, p, namedCount))
		ifThen(b, last, func() {
			atomic32(b, isa.AtomicStore, p, namedArrived, b.Imm(isa.I32, 0))
			atomic32(b, isa.AtomicAdd, p, namedMet, one)
		})
		spin, next := newBlock(b), newBlock(b)
		goTo(b, spin)
		spin.Term, spin.TermLoc = ssa.TermCond, b.Place()
		spin.Cond = b.Cmp(isa.OpEq, isa.I32, atomic32(b, isa.AtomicLoad, p, namedMet), met)
		ssa.Link(spin, spin)
		ssa.Link(spin, next)
		b.Cur = next
	})
}
