package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// atomics is the family of atomic operations on integers in LDS: one goroutine runs a work-group,
// so that plain instructions do, lane after lane.
func atomics(_ amd64.Features, in *isa.Inst) emitter {
	if !interp.LocalAtomic(in) || !in.Type.IsInt() {
		return nil
	}
	return (*compiler).atomic
}

// regOld holds what the memory held.
const regOld = amd64.R15

// opInPlace has the operations on memory that are one instruction.
var opInPlace = map[isa.AtomicOp]amd64.Gen{isa.AtomicAdd: amd64.ADD, isa.AtomicSub: amd64.SUB, isa.AtomicAnd: amd64.AND, isa.AtomicOr: amd64.OR, isa.AtomicXor: amd64.XOR}

// opKeepOld has the conditions on which the value gives way to what the memory holds.
var opKeepOld = map[isa.AtomicOp]amd64.Cond{isa.AtomicMinU: amd64.Above, isa.AtomicMaxU: amd64.Below, isa.AtomicMinS: amd64.Greater, isa.AtomicMaxS: amd64.Less}

// checkAligned refuses the run if the slot's address is not a multiple of the element's size.
func (c *compiler) checkAligned(in *isa.Inst) {
	c.at = 0
	c.G(amd64.MOV, amd64.B64, regTemp, c.slot(interp.SlotAddress))
	c.G(amd64.TEST, amd64.B32, regTemp, amd64.Imm(in.Type.Bytes()-1))
	c.Jcc(amd64.NotZero, c.refuse)
}

// atomic does an atomic operation for the lanes of the group that run.
func (c *compiler) atomic(in *isa.Inst) {
	t, op, size := in.Type, isa.AtomicOp(in.Imm2), amd64.Size(in.Type.Bits())
	at := amd64.Mem{Base: regAddress, Disp: c.fromIndex(in)}
	c.eachLane(func(lane amd64.Reg) {
		operand := func(r isa.Reg) amd64.Mem {
			if r.IsScalar() {
				return scalar(r)
			}
			return c.laneOf(r, t, lane)
		}
		c.laneIndex(in, lane)
		if in.C != isa.None {
			c.G(amd64.MOV, size, regTemp, operand(in.C))
		}
		if in.Dst != isa.None {
			c.G(amd64.MOV, size, regOld, at)
		}
		if g, ok := opInPlace[op]; ok {
			c.G(g, size, at, regTemp)
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
		if in.Dst != isa.None {
			c.G(amd64.MOV, size, c.laneOf(in.Dst, t, lane), regOld)
		}
	})
}
