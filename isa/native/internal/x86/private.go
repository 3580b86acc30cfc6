package x86

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

// RowBytes is how far the rows of a chunk are apart: 64 lanes have a word each.
const RowBytes = 64 * 4

// RowPlace is where the elements of a slot's row are.
type RowPlace struct {
	Known bool  // at a distance from the chunk's private memory; otherwise Slot.Pointer has that
	At    int32 // the distance, in bytes
}

// rowed returns the emitter of a load or store of a row.
func rowed(in *isa.Inst) Emitter {
	switch {
	case in.Type == isa.B1:
		return nil
	case in.Op == isa.OpLoad:
		return (*Compiler).loadRow
	}
	return (*Compiler).storeRow
}

// PrepareRows works out how far from the private memory of a chunk the elements of the run's rows are, and
// refuses the run if one is not inside its allocation, or begins or ends in the middle of a word.
func (c *Compiler) PrepareRows() {
	for i := range c.Run.Code {
		in := &c.Run.Code[i]
		if c.Rows == nil && (plan.Row(in) || plan.Apart(in)) {
			c.Rows = map[int]RowPlace{}
		}
		if !plan.Row(in) {
			continue
		}
		slot := c.Run.Slots[i]
		if _, ok := c.Rows[slot]; ok {
			continue
		}
		c.Index = i
		c.Rows[slot] = c.PrepareRow(in, c.PlaceOf(slot))
	}
}

// PlaceOf returns what a slot of the run is filled in from.
func (c *Compiler) PlaceOf(slot int) *wave.Place {
	for i := range c.Run.Places {
		if p := &c.Run.Places[i]; p.Slot == slot {
			return p
		}
	}
	return nil
}

// PrepareRow finds where an access to private memory is, once for a run.
func (c *Compiler) PrepareRow(in *isa.Inst, p *wave.Place) RowPlace {
	aligned := min(in.Type.Bytes(), 4)
	if p.Fixed && in.Idx == isa.IdxNone {
		off := p.Offset + int64(in.Disp)
		if off < 0 || uint64(off) > p.Last || off%int64(aligned) != 0 {
			c.Jmp(c.Refuse)
			off = 0
		}
		return RowPlace{true, int32(p.Room) + int32(off>>2)*RowBytes + int32(off&3)}
	}
	c.rowOffset(in, p)
	if p.Fixed {
		c.G(amd64.CMP, amd64.B64, RegTemp, amd64.Imm(p.Last))
	} else {
		c.G(amd64.CMP, amd64.B64, RegTemp, c.Slot(wave.SlotLast))
	}
	c.Jcc(amd64.Above, c.Refuse)
	if aligned > 1 {
		c.G(amd64.TEST, amd64.B32, RegTemp, amd64.Imm(aligned-1))
		c.Jcc(amd64.NotZero, c.Refuse)
	}
	c.G(amd64.MOV, amd64.B64, RegAddress, RegTemp)
	c.G(amd64.SHR, amd64.B64, RegAddress, amd64.Imm(2))
	c.G(amd64.SHL, amd64.B64, RegAddress, amd64.Imm(8))
	c.G(amd64.AND, amd64.B32, RegTemp, amd64.Imm(3))
	c.G(amd64.ADD, amd64.B64, RegAddress, RegTemp)
	if p.Fixed {
		if p.Room != 0 {
			c.G(amd64.ADD, amd64.B64, RegAddress, amd64.Imm(p.Room))
		}
	} else {
		c.G(amd64.ADD, amd64.B64, RegAddress, c.Slot(wave.SlotBase))
		c.G(amd64.SUB, amd64.B64, RegAddress, Field(wave.FramePrivate))
	}
	c.G(amd64.MOV, amd64.B64, c.Slot(wave.SlotPointer), RegAddress)
	return RowPlace{}
}

// rowOffset puts the offset that an instruction accesses in its allocation into RegTemp, or refuses the run
// if that is too far away.
func (c *Compiler) rowOffset(in *isa.Inst, p *wave.Place) {
	if p.Fixed {
		c.G(amd64.MOV, amd64.B64, RegTemp, amd64.Imm(p.Offset+int64(in.Disp)))
	} else {
		c.G(amd64.MOV, amd64.B64, RegTemp, Scalar(in.A))
		c.Context.OffsetOf(RegTemp, c.Refuse)
		if in.Disp != 0 {
			c.G(amd64.ADD, amd64.B64, RegTemp, amd64.Imm(in.Disp))
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
	c.G(op, size, RegAddress, Scalar(in.B))
	if in.Scale != 1 {
		c.G(amd64.IMUL, amd64.B64, RegAddress, RegAddress, amd64.Imm(in.Scale))
		c.Jcc(amd64.Overflow, c.Refuse)
	}
	c.G(amd64.ADD, amd64.B64, RegTemp, RegAddress)
}

// ElementMask is the ones of a narrow element.
func ElementMask(t isa.Type) uint32 { return 1<<t.Bits() - 1 }

// words returns the first of the words that hold the elements of a row, and where in it they begin, in bits.
// If their place is not known, they are good until RegAddress changes.
func (c *Compiler) words() (x words, shift int) {
	p := c.Rows[c.Run.Slots[c.Index]]
	if p.Known {
		return words{at: int(p.At &^ 3), known: true}, int(p.At&3) * 8
	}
	c.storeWords()
	c.G(amd64.MOV, amd64.B64, RegAddress, c.Slot(wave.SlotPointer))
	c.G(amd64.ADD, amd64.B64, RegAddress, regPrivate)
	return words{m: amd64.Mem{Base: RegAddress, Index: RegLane, Scale: 4}}, 0
}

func (c *Compiler) loadRow(in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	d, high := c.Vec(), c.Vec()
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
	if Narrow(t) && shift+t.Bits() < 32 {
		c.V(amd64.VPANDD, w, d, d, c.Splat(isa.I32, ElementMask(t), 0))
	}
	c.Result(in, t, d)
}

// storeRow stores words. Those of narrow elements have bytes besides that are as they were.
func (c *Compiler) storeRow(in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	v, d, e := c.Load(in.C, t, true), c.Vec(), c.Vec()
	x, shift := c.words()
	switch {
	case t.Bank() == isa.Bank64:
		c.ISA.lower(c, d, v)
		c.setRowWord(x, d)
		c.V(amd64.VPSRLQ, w, e, v, amd64.Imm(32))
		c.ISA.lower(c, e, e)
		c.setRowWord(x.next(), e)
	case Narrow(t):
		c.V(amd64.VMOVDQU32, w, d, c.rowWord(x))
		c.V(amd64.VPANDD, w, d, d, c.Splat(isa.I32, ^(ElementMask(t)<<shift), 0))
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
func (c *Compiler) changesRows() bool {
	loads := false
	for i := range c.Run.Code {
		if in := &c.Run.Code[i]; plan.Row(in) || plan.Apart(in) {
			if loads && in.Op == isa.OpStore {
				return true
			}
			loads = loads || in.Op == isa.OpLoad
		}
	}
	return false
}
