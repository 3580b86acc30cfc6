package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// atomics is the family of atomic operations, which the lanes do one after the other. One goroutine runs a
// work-group, so that in LDS plain instructions do; elsewhere they are those that other processors cannot
// come between.
func atomics(_ amd64.Features, in *isa.Inst) x86.Emitter {
	switch {
	case !plan.Atomic(in) || in.Type.Bits() < 32:
		return nil
	case in.Idx == isa.IdxNone || !in.B.IsVector():
		switch op := isa.AtomicOp(in.Imm2); {
		case op == isa.AtomicAdd || op == isa.AtomicSub:
			return sumAtomic
		case op > isa.AtomicSub && in.Dst == isa.None:
			return foldAtomic
		}
	}
	return atomic
}

// opInPlace has the operations that are one instruction on memory or a register.
var opInPlace = map[isa.AtomicOp]amd64.Gen{isa.AtomicAdd: amd64.ADD, isa.AtomicSub: amd64.SUB, isa.AtomicAnd: amd64.AND, isa.AtomicOr: amd64.OR, isa.AtomicXor: amd64.XOR}

// opKeepOld has the conditions on which the value gives way to what the memory holds.
var opKeepOld = map[isa.AtomicOp]amd64.Cond{isa.AtomicMinU: amd64.Above, isa.AtomicMaxU: amd64.Below, isa.AtomicMinS: amd64.Greater, isa.AtomicMaxS: amd64.Less}

// alone says whether only the work-group can access a space.
func alone(s isa.Space) bool { return s == isa.SpaceLocal }

// atomic does an atomic operation for the lanes of the group that run.
func atomic(c *x86.Compiler, in *isa.Inst) {
	t := in.Type
	if g, ok := opInPlace[isa.AtomicOp(in.Imm2)]; ok && alone(in.Space) && in.Dst == isa.None && in.Idx != isa.IdxNone && in.B.IsVector() {
		c.ToEach(in, c.FromIndex(in), func(at amd64.Mem) { c.G(g, amd64.Size(t.Bits()), at, x86.RegTemp) })
		return
	}
	float := floatAtomicOf(c, in)
	c.EachLane(func(lane amd64.Reg) {
		operand := func(r isa.Reg) amd64.Mem {
			if r.IsScalar() {
				return x86.Scalar(r)
			}
			return c.LaneOf(r, t, lane)
		}
		var at amd64.Mem
		if in.Idx != isa.IdxNone && in.B.IsVector() {
			c.LaneIndex(in, lane)
			at = amd64.Mem{Base: x86.RegAddress, Disp: c.FromIndex(in)}
		} else {
			at = c.Uniform(in)
		}
		old := atomicShared
		if alone(in.Space) {
			old = atomicLocal
		}
		if r := old(c, in, float, at, operand); in.Dst != isa.None {
			c.G(amd64.MOV, amd64.Size(t.Bits()), c.LaneOf(in.Dst, t, lane), r)
		}
	})
}

// atomicLocal does an operation on memory that no other work-group accesses; float is what it computes with
// floats, or nil. It returns the register with what was there.
func atomicLocal(c *x86.Compiler, in *isa.Inst, float *floatAtomic, at amd64.Mem, operand func(isa.Reg) amd64.Mem) amd64.Reg {
	op, size := isa.AtomicOp(in.Imm2), amd64.Size(in.Type.Bits())
	if in.C != isa.None {
		c.G(amd64.MOV, size, x86.RegTemp, operand(in.C))
	}
	if in.Dst != isa.None || float != nil {
		c.G(amd64.MOV, size, x86.RegOld, at)
	}
	if g, ok := opInPlace[op]; ok {
		c.G(g, size, at, x86.RegTemp)
	} else if float != nil {
		float.update(c, x86.RegTemp, x86.RegOld)
		c.G(amd64.MOV, size, at, x86.RegTemp)
	} else if cond, ok := opKeepOld[op]; ok {
		c.G(amd64.CMP, size, x86.RegTemp, at)
		c.CMov(cond, size, x86.RegTemp, at)
		c.G(amd64.MOV, size, at, x86.RegTemp)
	} else if op == isa.AtomicCmpXchg {
		other := c.NewLabel()
		c.G(amd64.MOV, size, x86.RegOld, at)
		c.G(amd64.CMP, size, x86.RegOld, operand(in.D))
		c.Jcc(amd64.NotEqual, other)
		c.G(amd64.MOV, size, at, x86.RegTemp)
		c.Bind(other)
	} else if op != isa.AtomicLoad {
		c.G(amd64.MOV, size, at, x86.RegTemp) // AtomicStore, AtomicXchg
	}
	return x86.RegOld
}

// atomicShared is atomicLocal for memory that other work-groups access.
func atomicShared(c *x86.Compiler, in *isa.Inst, float *floatAtomic, at amd64.Mem, operand func(isa.Reg) amd64.Mem) amd64.Reg {
	op, size := isa.AtomicOp(in.Imm2), amd64.Size(in.Type.Bits())
	switch op {
	case isa.AtomicLoad:
		c.G(amd64.MOV, size, x86.RegTemp, at)
	case isa.AtomicStore, isa.AtomicXchg:
		c.G(amd64.MOV, size, x86.RegTemp, operand(in.C))
		c.G(amd64.XCHG, size, at, x86.RegTemp)
	case isa.AtomicAdd, isa.AtomicSub:
		c.G(amd64.MOV, size, x86.RegTemp, operand(in.C))
		if op == isa.AtomicSub {
			c.G(amd64.NEG, size, x86.RegTemp)
		}
		c.G(amd64.XADD, size, at, x86.RegTemp)
	case isa.AtomicCmpXchg:
		c.G(amd64.MOV, size, x86.RegTemp, operand(in.D))
		c.G(amd64.MOV, size, x86.RegOld, operand(in.C))
		c.G(amd64.CMPXCHG, size, at, x86.RegOld)
	default:
		again := c.NewLabel()
		c.G(amd64.MOV, size, x86.RegTemp, at)
		c.Bind(again)
		c.G(amd64.MOV, size, x86.RegOld, operand(in.C))
		if g, ok := opInPlace[op]; ok {
			c.G(g, size, x86.RegOld, x86.RegTemp)
		} else if float != nil {
			float.update(c, x86.RegOld, x86.RegTemp)
		} else {
			c.G(amd64.CMP, size, x86.RegOld, x86.RegTemp)
			c.CMov(opKeepOld[op], size, x86.RegOld, x86.RegTemp)
		}
		c.G(amd64.CMPXCHG, size, at, x86.RegOld)
		c.Jcc(amd64.NotEqual, again)
	}
	return x86.RegTemp
}

// sumAtomic adds what the lanes of the group that run add to one element at once: they come one after the
// other anyway.
func sumAtomic(c *x86.Compiler, in *isa.Inst) {
	t, size := in.Type, amd64.Size(in.Type.Bits())
	g := opInPlace[isa.AtomicOp(in.Imm2)]
	c.G(amd64.XOR, amd64.B32, x86.RegOld, x86.RegOld)
	if in.C.IsScalar() {
		c.Bits(x86.RegOld, amd64.Mem{Base: x86.RegExec})
		c.G(amd64.POPCNT, amd64.B32, x86.RegOld, x86.RegOld)
		c.G(amd64.IMUL, size, x86.RegOld, x86.Scalar(in.C))
		if g == amd64.SUB {
			c.G(amd64.NEG, size, x86.RegOld)
		}
	} else {
		c.EachLane(func(lane amd64.Reg) { c.G(g, size, x86.RegOld, c.LaneOf(in.C, t, lane)) })
	}
	at := c.Uniform(in)
	if alone(in.Space) {
		c.G(amd64.MOV, size, x86.RegTemp, at)
		c.G(amd64.ADD, size, at, x86.RegOld)
		c.G(amd64.MOV, size, x86.RegOld, x86.RegTemp)
	} else {
		c.G(amd64.XADD, size, at, x86.RegOld)
	}
	if in.Dst == isa.None {
		return
	}
	c.EachLane(func(lane amd64.Reg) {
		if in.C.IsScalar() {
			c.G(amd64.MOV, size, x86.RegTemp, x86.Scalar(in.C))
		} else {
			c.G(amd64.MOV, size, x86.RegTemp, c.LaneOf(in.C, t, lane))
		}
		c.G(amd64.MOV, size, c.LaneOf(in.Dst, t, lane), x86.RegOld)
		c.G(g, size, x86.RegOld, x86.RegTemp)
	})
}

// foldAtomic combines what the lanes of the group that run have, in their order, with one element, and stores
// that once: nobody has to come in between, and for other processors it is one operation.
func foldAtomic(c *x86.Compiler, in *isa.Inst) {
	t, size, op := in.Type, amd64.Size(in.Type.Bits()), isa.AtomicOp(in.Imm2)
	float := floatAtomicOf(c, in)
	combine := func(amd64.Reg) {
		g, ok := opInPlace[op]
		switch {
		case float != nil:
			float.update(c, x86.RegOld, x86.RegAddress)
		case ok:
			c.G(g, size, x86.RegOld, x86.RegAddress)
		default:
			c.G(amd64.CMP, size, x86.RegOld, x86.RegAddress)
			c.CMov(opKeepOld[op], size, x86.RegOld, x86.RegAddress)
		}
	}
	again := c.NewLabel()
	c.G(amd64.MOV, size, x86.RegTemp, c.Uniform(in))
	c.Bind(again)
	c.G(amd64.MOV, size, x86.RegOld, x86.RegTemp)
	switch {
	case in.C.IsVector():
		c.EachLane(func(lane amd64.Reg) {
			c.G(amd64.MOV, size, x86.RegAddress, c.LaneOf(in.C, t, lane))
			combine(lane)
		})
	case op == isa.AtomicXor || op == isa.AtomicFAdd:
		c.G(amd64.MOV, size, x86.RegAddress, x86.Scalar(in.C))
		c.EachLane(combine)
	default: // once is as good as often
		c.G(amd64.MOV, size, x86.RegAddress, x86.Scalar(in.C))
		combine(x86.RegAddress)
	}
	at := c.Uniform(in)
	if alone(in.Space) {
		c.G(amd64.MOV, size, at, x86.RegOld)
		return
	}
	c.G(amd64.CMPXCHG, size, at, x86.RegOld)
	c.Jcc(amd64.NotEqual, again)
}
