package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Private memory has word n of 64 lanes side by side, a row of 256 bytes, and then word n+1. What all lanes
// access at the same place is therefore a row, or the same bytes of all words of one, or two rows. Lanes
// share nothing, so that a group may be ahead of another.

// regPrivate holds the private memory of the chunk in runs with rows.
const regPrivate = amd64.R15

const rowBytes = 64 * 4

// rowPlace is where the elements of a slot's row are.
type rowPlace struct {
	known bool  // at a distance from the chunk's private memory; otherwise Slot.Pointer has that
	at    int32 // the distance, in bytes
}

// rowed returns the emitter of a load or store of a row.
func rowed(in *isa.Inst) emitter {
	switch {
	case in.Type == isa.B1:
		return nil
	case in.Op == isa.OpLoad:
		return (*compiler).loadRow
	}
	return (*compiler).storeRow
}

// prepareRows works out how far from the private memory of a chunk the elements of the run's rows are, and
// refuses the run if one is not inside its allocation, or begins or ends in the middle of a word.
func (c *compiler) prepareRows() {
	for i := range c.run.Code {
		in := &c.run.Code[i]
		if c.rows == nil && (plan.Row(in) || plan.Apart(in)) {
			c.rows = map[int]rowPlace{}
		}
		if !plan.Row(in) {
			continue
		}
		slot := c.run.Slots[i]
		if _, ok := c.rows[slot]; ok {
			continue
		}
		c.at = i
		c.rows[slot] = c.prepareRow(in, c.placeOf(slot))
	}
}

// placeOf returns what a slot of the run is filled in from.
func (c *compiler) placeOf(slot int) *wave.Place {
	for i := range c.run.Places {
		if p := &c.run.Places[i]; p.Slot == slot {
			return p
		}
	}
	return nil
}

func (c *compiler) prepareRow(in *isa.Inst, p *wave.Place) rowPlace {
	aligned := min(in.Type.Bytes(), 4)
	if p.Fixed && in.Idx == isa.IdxNone {
		off := p.Offset + int64(in.Disp)
		if off < 0 || uint64(off) > p.Last || off%int64(aligned) != 0 {
			c.Jmp(c.refuse)
			off = 0
		}
		return rowPlace{true, int32(p.Room) + int32(off>>2)*rowBytes + int32(off&3)}
	}
	c.rowOffset(in, p)
	if p.Fixed {
		c.G(amd64.CMP, amd64.B64, regTemp, amd64.Imm(p.Last))
	} else {
		c.G(amd64.CMP, amd64.B64, regTemp, c.slot(wave.SlotLast))
	}
	c.Jcc(amd64.Above, c.refuse)
	if aligned > 1 {
		c.G(amd64.TEST, amd64.B32, regTemp, amd64.Imm(aligned-1))
		c.Jcc(amd64.NotZero, c.refuse)
	}
	c.G(amd64.MOV, amd64.B64, regAddress, regTemp)
	c.G(amd64.SHR, amd64.B64, regAddress, amd64.Imm(2))
	c.G(amd64.SHL, amd64.B64, regAddress, amd64.Imm(8))
	c.G(amd64.AND, amd64.B32, regTemp, amd64.Imm(3))
	c.G(amd64.ADD, amd64.B64, regAddress, regTemp)
	if p.Fixed {
		if p.Room != 0 {
			c.G(amd64.ADD, amd64.B64, regAddress, amd64.Imm(p.Room))
		}
	} else {
		c.G(amd64.ADD, amd64.B64, regAddress, c.slot(wave.SlotBase))
		c.G(amd64.SUB, amd64.B64, regAddress, field(wave.FramePrivate))
	}
	c.G(amd64.MOV, amd64.B64, c.slot(wave.SlotPointer), regAddress)
	return rowPlace{}
}

// rowOffset puts the offset that an instruction accesses in its allocation into regTemp, or refuses the run
// if that is too far away.
func (c *compiler) rowOffset(in *isa.Inst, p *wave.Place) {
	if p.Fixed {
		c.G(amd64.MOV, amd64.B64, regTemp, amd64.Imm(p.Offset+int64(in.Disp)))
	} else {
		c.G(amd64.MOV, amd64.B64, regTemp, scalar(in.A))
		c.kernelContext.offsetOf(regTemp, c.refuse)
		if in.Disp != 0 {
			c.G(amd64.ADD, amd64.B64, regTemp, amd64.Imm(in.Disp))
		}
	}
	if in.Idx == isa.IdxNone {
		return
	}
	op, size := amd64.MOV, amd64.B64
	switch in.Idx {
	case isa.IdxS32:
		op = amd64.MOVSX32
	case isa.IdxU32:
		size = amd64.B32
	}
	c.G(op, size, regAddress, scalar(in.B))
	if in.Scale != 1 {
		c.G(amd64.IMUL, amd64.B64, regAddress, regAddress, amd64.Imm(in.Scale))
		c.Jcc(amd64.Overflow, c.refuse)
	}
	c.G(amd64.ADD, amd64.B64, regTemp, regAddress)
}

// elementMask is the ones of a narrow element.
func elementMask(t isa.Type) uint32 { return 1<<t.Bits() - 1 }

// words returns the first of the words that hold the elements of a row, and where in it they begin, in bits.
// If their place is not known, they are good until regAddress changes.
func (c *compiler) words() (x words, shift int) {
	p := c.rows[c.run.Slots[c.at]]
	if p.known {
		return words{at: int(p.at &^ 3), known: true}, int(p.at&3) * 8
	}
	c.storeWords()
	c.G(amd64.MOV, amd64.B64, regAddress, c.slot(wave.SlotPointer))
	c.G(amd64.ADD, amd64.B64, regAddress, regPrivate)
	return words{m: amd64.Mem{Base: regAddress, Index: regLane, Scale: 4}}, 0
}

func (c *compiler) loadRow(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	d, high := c.vec(), c.vec()
	x, shift := c.words()
	switch {
	case t.Bank() == isa.Bank64:
		c.V(amd64.VPMOVZXDQ, w, d, c.rowWord(x))
		c.V(amd64.VPMOVZXDQ, w, high, c.rowWord(x.next()))
		c.V(amd64.VPSLLQ, w, high, high, amd64.Imm(32))
		c.V(amd64.VPORQ, w, d, d, high)
	case shift > 0:
		c.V(amd64.VPSRLD, w, d, c.rowWord(x), amd64.Imm(shift))
	default:
		c.V(amd64.VMOVDQU32, w, d, c.rowWord(x))
	}
	if narrow(t) && shift+t.Bits() < 32 {
		c.V(amd64.VPANDD, w, d, d, c.splat(isa.I32, elementMask(t), 0))
	}
	c.result(in, t, d)
}

// storeRow stores words. Those of narrow elements have bytes besides that are as they were.
func (c *compiler) storeRow(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	v, d, e := c.load(in.C, t, true), c.vec(), c.vec()
	x, shift := c.words()
	switch {
	case t.Bank() == isa.Bank64:
		c.set.lower(c, d, v)
		c.setRowWord(x, d)
		c.V(amd64.VPSRLQ, w, e, v, amd64.Imm(32))
		c.set.lower(c, e, e)
		c.setRowWord(x.next(), e)
	case narrow(t):
		c.V(amd64.VMOVDQU32, w, d, c.rowWord(x))
		c.V(amd64.VPANDD, w, d, d, c.splat(isa.I32, ^(elementMask(t)<<shift), 0))
		if shift > 0 {
			c.V(amd64.VPSLLD, w, e, v, amd64.Imm(shift))
			v = e
		}
		c.V(amd64.VPORD, w, d, d, v)
		c.setRowWord(x, d)
	default:
		c.V(amd64.VMOVDQA32, w, d, v)
		c.setRowWord(x, d)
	}
}

// changesRows says whether the run stores to private memory behind a load from it. What it has loaded may not
// be there any more.
func (c *compiler) changesRows() bool {
	loads := false
	for i := range c.run.Code {
		if in := &c.run.Code[i]; plan.Row(in) || plan.Apart(in) {
			if loads && in.Op == isa.OpStore {
				return true
			}
			loads = loads || in.Op == isa.OpLoad
		}
	}
	return false
}
