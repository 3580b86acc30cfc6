package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// atomics is the family of atomic operations, which the lanes do one after the other. One goroutine runs a
// work-group, so that in LDS plain instructions do; elsewhere they are those that other processors cannot
// come between.
func atomics(_ amd64.Features, in *isa.Inst) emitter {
	switch {
	case !plan.Atomic(in) || in.Type.Bits() < 32:
		return nil
	case in.Idx == isa.IdxNone || !in.B.IsVector():
		switch op := isa.AtomicOp(in.Imm2); {
		case op == isa.AtomicAdd || op == isa.AtomicSub:
			return (*compiler).sumAtomic
		case op > isa.AtomicSub && in.Dst == isa.None:
			return (*compiler).foldAtomic
		}
	}
	return (*compiler).atomic
}

// opInPlace has the operations that are one instruction on memory or a register.
var opInPlace = map[isa.AtomicOp]amd64.Gen{isa.AtomicAdd: amd64.ADD, isa.AtomicSub: amd64.SUB, isa.AtomicAnd: amd64.AND, isa.AtomicOr: amd64.OR, isa.AtomicXor: amd64.XOR}

// opKeepOld has the conditions on which the value gives way to what the memory holds.
var opKeepOld = map[isa.AtomicOp]amd64.Cond{isa.AtomicMinU: amd64.Above, isa.AtomicMaxU: amd64.Below, isa.AtomicMinS: amd64.Greater, isa.AtomicMaxS: amd64.Less}

// alone says whether only the work-group can access a space.
func alone(s isa.Space) bool { return s == isa.SpaceLocal }

// atomic does an atomic operation for the lanes of the group that run.
func (c *compiler) atomic(in *isa.Inst) {
	t := in.Type
	if g, ok := opInPlace[isa.AtomicOp(in.Imm2)]; ok && alone(in.Space) && in.Dst == isa.None && in.Idx != isa.IdxNone && in.B.IsVector() {
		c.toEach(in, c.fromIndex(in), func(at amd64.Mem) { c.G(g, amd64.Size(t.Bits()), at, regTemp) })
		return
	}
	float := c.floatAtomicOf(in)
	c.eachLane(func(lane amd64.Reg) {
		operand := func(r isa.Reg) amd64.Mem {
			if r.IsScalar() {
				return scalar(r)
			}
			return c.laneOf(r, t, lane)
		}
		var at amd64.Mem
		if in.Idx != isa.IdxNone && in.B.IsVector() {
			c.laneIndex(in, lane)
			at = amd64.Mem{Base: regAddress, Disp: c.fromIndex(in)}
		} else {
			at = c.uniform(in)
		}
		old := (*compiler).atomicShared
		if alone(in.Space) {
			old = (*compiler).atomicLocal
		}
		if r := old(c, in, float, at, operand); in.Dst != isa.None {
			c.G(amd64.MOV, amd64.Size(t.Bits()), c.laneOf(in.Dst, t, lane), r)
		}
	})
}

// atomicLocal does an operation on memory that no other work-group accesses; float is what it computes with
// floats, or nil. It returns the register with what was there.
func (c *compiler) atomicLocal(in *isa.Inst, float *floatAtomic, at amd64.Mem, operand func(isa.Reg) amd64.Mem) amd64.Reg {
	op, size := isa.AtomicOp(in.Imm2), amd64.Size(in.Type.Bits())
	if in.C != isa.None {
		c.G(amd64.MOV, size, regTemp, operand(in.C))
	}
	if in.Dst != isa.None || float != nil {
		c.G(amd64.MOV, size, regOld, at)
	}
	if g, ok := opInPlace[op]; ok {
		c.G(g, size, at, regTemp)
	} else if float != nil {
		float.update(c, regTemp, regOld)
		c.G(amd64.MOV, size, at, regTemp)
	} else if cond, ok := opKeepOld[op]; ok {
		c.G(amd64.CMP, size, regTemp, at)
		c.CMov(cond, size, regTemp, at)
		c.G(amd64.MOV, size, at, regTemp)
	} else if op == isa.AtomicCmpXchg {
		other := c.NewLabel()
		c.G(amd64.MOV, size, regOld, at)
		c.G(amd64.CMP, size, regOld, operand(in.D))
		c.Jcc(amd64.NotEqual, other)
		c.G(amd64.MOV, size, at, regTemp)
		c.Bind(other)
	} else if op != isa.AtomicLoad {
		c.G(amd64.MOV, size, at, regTemp) // AtomicStore, AtomicXchg
	}
	return regOld
}

// atomicShared is atomicLocal for memory that other work-groups access.
func (c *compiler) atomicShared(in *isa.Inst, float *floatAtomic, at amd64.Mem, operand func(isa.Reg) amd64.Mem) amd64.Reg {
	op, size := isa.AtomicOp(in.Imm2), amd64.Size(in.Type.Bits())
	switch op {
	case isa.AtomicLoad:
		c.G(amd64.MOV, size, regTemp, at)
	case isa.AtomicStore, isa.AtomicXchg:
		c.G(amd64.MOV, size, regTemp, operand(in.C))
		c.G(amd64.XCHG, size, at, regTemp)
	case isa.AtomicAdd, isa.AtomicSub:
		c.G(amd64.MOV, size, regTemp, operand(in.C))
		if op == isa.AtomicSub {
			c.G(amd64.NEG, size, regTemp)
		}
		c.G(amd64.XADD, size, at, regTemp)
	case isa.AtomicCmpXchg:
		c.G(amd64.MOV, size, regTemp, operand(in.D))
		c.G(amd64.MOV, size, regOld, operand(in.C))
		c.G(amd64.CMPXCHG, size, at, regOld)
	default:
		again := c.NewLabel()
		c.G(amd64.MOV, size, regTemp, at)
		c.Bind(again)
		c.G(amd64.MOV, size, regOld, operand(in.C))
		if g, ok := opInPlace[op]; ok {
			c.G(g, size, regOld, regTemp)
		} else if float != nil {
			float.update(c, regOld, regTemp)
		} else {
			c.G(amd64.CMP, size, regOld, regTemp)
			c.CMov(opKeepOld[op], size, regOld, regTemp)
		}
		c.G(amd64.CMPXCHG, size, at, regOld)
		c.Jcc(amd64.NotEqual, again)
	}
	return regTemp
}

// sumAtomic adds what the lanes of the group that run add to one element at once: they come one after the
// other anyway.
func (c *compiler) sumAtomic(in *isa.Inst) {
	t, size := in.Type, amd64.Size(in.Type.Bits())
	g := opInPlace[isa.AtomicOp(in.Imm2)]
	c.G(amd64.XOR, amd64.B32, regOld, regOld)
	if in.C.IsScalar() {
		c.bits(regOld, amd64.Mem{Base: regExec})
		c.G(amd64.POPCNT, amd64.B32, regOld, regOld)
		c.G(amd64.IMUL, size, regOld, scalar(in.C))
		if g == amd64.SUB {
			c.G(amd64.NEG, size, regOld)
		}
	} else {
		c.eachLane(func(lane amd64.Reg) { c.G(g, size, regOld, c.laneOf(in.C, t, lane)) })
	}
	at := c.uniform(in)
	if alone(in.Space) {
		c.G(amd64.MOV, size, regTemp, at)
		c.G(amd64.ADD, size, at, regOld)
		c.G(amd64.MOV, size, regOld, regTemp)
	} else {
		c.G(amd64.XADD, size, at, regOld)
	}
	if in.Dst == isa.None {
		return
	}
	c.eachLane(func(lane amd64.Reg) {
		if in.C.IsScalar() {
			c.G(amd64.MOV, size, regTemp, scalar(in.C))
		} else {
			c.G(amd64.MOV, size, regTemp, c.laneOf(in.C, t, lane))
		}
		c.G(amd64.MOV, size, c.laneOf(in.Dst, t, lane), regOld)
		c.G(g, size, regOld, regTemp)
	})
}

// foldAtomic combines what the lanes of the group that run have, in their order, with one element, and stores
// that once: nobody has to come in between, and for other processors it is one operation.
func (c *compiler) foldAtomic(in *isa.Inst) {
	t, size, op := in.Type, amd64.Size(in.Type.Bits()), isa.AtomicOp(in.Imm2)
	float := c.floatAtomicOf(in)
	combine := func(amd64.Reg) {
		g, ok := opInPlace[op]
		switch {
		case float != nil:
			float.update(c, regOld, regAddress)
		case ok:
			c.G(g, size, regOld, regAddress)
		default:
			c.G(amd64.CMP, size, regOld, regAddress)
			c.CMov(opKeepOld[op], size, regOld, regAddress)
		}
	}
	again := c.NewLabel()
	c.G(amd64.MOV, size, regTemp, c.uniform(in))
	c.Bind(again)
	c.G(amd64.MOV, size, regOld, regTemp)
	switch {
	case in.C.IsVector():
		c.eachLane(func(lane amd64.Reg) {
			c.G(amd64.MOV, size, regAddress, c.laneOf(in.C, t, lane))
			combine(lane)
		})
	case op == isa.AtomicXor || op == isa.AtomicFAdd:
		c.G(amd64.MOV, size, regAddress, scalar(in.C))
		c.eachLane(combine)
	default: // once is as good as often
		c.G(amd64.MOV, size, regAddress, scalar(in.C))
		combine(regAddress)
	}
	at := c.uniform(in)
	if alone(in.Space) {
		c.G(amd64.MOV, size, at, regOld)
		return
	}
	c.G(amd64.CMPXCHG, size, at, regOld)
	c.Jcc(amd64.NotEqual, again)
}
