package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Private memory has word n of 64 lanes side by side, a row of 256 bytes, and then word n+1. What all lanes access
// at the same place is therefore a row, or the same bytes of all words of one. Lanes share nothing, so that a
// group may be ahead of another.

// rows returns the emitter of a load or store of a row.
func rows(in *isa.Inst) emitter {
	switch {
	case in.Type.Bits() > 32 || in.Type == isa.B1:
		return nil
	case in.Op == isa.OpLoad:
		return (*compiler).loadRow
	}
	return (*compiler).storeRow
}

// prepareRows works out where the first chunk's elements of the run's rows are, and refuses the run if one is not inside its
// allocation, or lies in two words. Slot.Pointer has it then.
func (c *compiler) prepareRows() {
	done := map[int]bool{}
	for i := range c.run.Code {
		in := &c.run.Code[i]
		if !interp.Row(in) || done[c.run.Slots[i]] {
			continue
		}
		done[c.run.Slots[i]] = true
		c.at = i
		c.G(amd64.MOV, amd64.B64, regTemp, scalar(in.A))
		c.G(amd64.SHL, amd64.B64, regTemp, amd64.Imm(64-offsetBits))
		c.G(amd64.SAR, amd64.B64, regTemp, amd64.Imm(64-offsetBits))
		if in.Idx != isa.IdxNone {
			op, size := amd64.MOV, amd64.B64
			switch in.Idx {
			case isa.IdxS32:
				op = amd64.MOVSX32
			case isa.IdxU32:
				size = amd64.B32
			}
			c.G(op, size, regAddress, scalar(in.B))
			c.G(amd64.IMUL, amd64.B64, regAddress, regAddress, amd64.Imm(in.Scale))
			c.G(amd64.ADD, amd64.B64, regTemp, regAddress)
		}
		if in.Disp != 0 {
			c.G(amd64.ADD, amd64.B64, regTemp, amd64.Imm(in.Disp))
		}
		c.G(amd64.CMP, amd64.B64, regTemp, c.slot(interp.SlotLast))
		c.Jcc(amd64.Above, c.refuse)
		if n := in.Type.Bytes(); n > 1 {
			c.G(amd64.TEST, amd64.B32, regTemp, amd64.Imm(n-1))
			c.Jcc(amd64.NotZero, c.refuse)
		}
		c.G(amd64.MOV, amd64.B64, regAddress, regTemp)
		c.G(amd64.SHR, amd64.B64, regAddress, amd64.Imm(2))
		c.G(amd64.SHL, amd64.B64, regAddress, amd64.Imm(8))
		c.G(amd64.AND, amd64.B32, regTemp, amd64.Imm(3))
		c.G(amd64.ADD, amd64.B64, regAddress, regTemp)
		c.G(amd64.ADD, amd64.B64, regAddress, c.slot(interp.SlotBase))
		c.G(amd64.MOV, amd64.B64, c.slot(interp.SlotPointer), regAddress)
	}
}

// row returns where the elements of the group are, four bytes apart. It is good until regAddress changes.
func (c *compiler) row() amd64.Mem {
	// A chunk takes 8 bytes of the execution mask.
	c.G(amd64.MOV, amd64.B64, regAddress, regExec)
	c.G(amd64.SUB, amd64.B64, regAddress, field(interp.FrameExec))
	c.G(amd64.IMUL, amd64.B64, regAddress, regAddress, amd64.Imm(c.kernel.plan.PrivateStride/8))
	c.G(amd64.ADD, amd64.B64, regAddress, c.slot(interp.SlotPointer))
	return amd64.Mem{Base: regAddress, Index: regLane, Scale: 4}
}

// elementMask is the ones of a narrow element.
func elementMask(t isa.Type) uint32 { return 1<<t.Bits() - 1 }

func (c *compiler) loadRow(in *isa.Inst) {
	d := c.vec()
	w := c.width(isa.I32)
	c.V(amd64.VMOVDQU32, w, d, c.row())
	if narrow(in.Type) {
		c.V(amd64.VPANDD, w, d, d, c.splat(isa.I32, elementMask(in.Type), 0))
	}
	c.result(in, in.Type, d)
}

// storeRow stores words. Those of narrow elements begin with the element and end with bytes that are as they were.
func (c *compiler) storeRow(in *isa.Inst) {
	v := c.load(in.C, in.Type, true)
	w := c.width(isa.I32)
	if !narrow(in.Type) {
		c.set.moveSome(c, isa.I32, c.row(), v)
		return
	}
	d := c.vec()
	m := c.row()
	c.V(amd64.VMOVDQU32, w, d, m)
	c.V(amd64.VPANDD, w, d, d, c.splat(isa.I32, ^elementMask(in.Type), 0))
	c.V(amd64.VPORD, w, d, d, v)
	c.set.moveSome(c, isa.I32, m, d)
}
