package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Pointers of the lanes mostly lead to one allocation. Its slot is the one of the first lane that runs;
// elements are gathered and scattered by the offsets of the pointers, if all lead there and inside.

// pointed returns the emitter of a load or store behind pointers of the lanes.
func pointed(in *isa.Inst) emitter {
	switch {
	case in.Type == isa.B1:
		return nil
	case narrow(in.Type) && in.Op == isa.OpLoad:
		return (*compiler).loadPointedNarrow
	case narrow(in.Type):
		return (*compiler).storePointedNarrow
	case in.Op == isa.OpLoad:
		return (*compiler).loadPointed
	}
	return (*compiler).storePointed
}

// pointedSlot has the slot filled in for the pointer of the first lane that runs.
func (k *builder) pointedSlot(part *plan.Part) {
	p, run := &part.Run.Places[0], part.Run
	found, again := k.NewLabel(), k.NewLabel()
	k.G(amd64.MOV, amd64.B64, regChunk, field(wave.FrameBase))
	k.G(amd64.MOV, amd64.B64, regExec, field(wave.FrameExec))
	k.G(amd64.MOV, amd64.B64, regChunks, field(wave.FrameChunks))
	k.Bind(again)
	k.G(amd64.MOV, amd64.B64, regTemp, amd64.Mem{Base: regExec})
	k.G(amd64.TEST, amd64.B64, regTemp, regTemp)
	k.Jcc(amd64.NotZero, found)
	k.G(amd64.ADD, amd64.B64, regChunk, regStride)
	k.next(regExec)
	k.G(amd64.DEC, amd64.B64, regChunks)
	k.Jcc(amd64.NotZero, again)
	k.Jmp(k.exit(part.Point, wave.ExitPart))
	k.Bind(found)
	k.G(amd64.TZCNT, amd64.B64, regTemp, regTemp)
	k.G(amd64.MOV, amd64.B64, regTemp, amd64.Mem{Base: regChunk, Index: regTemp, Scale: 8, Disp: int32(run.Offset(p.Pointer, isa.I64))})
	k.G(amd64.SHR, amd64.B64, regTemp, amd64.Imm(offsetBits))
	k.G(amd64.CMP, amd64.B64, regTemp, slotField(p.Slot, wave.SlotKey))
	k.Jcc(amd64.NotEqual, k.exit(part.Point, wave.ExitSlots))
}

// pointerOffset returns the pointers of the lanes and the offsets that these have in an allocation.
func (c *compiler) pointerOffset(in *isa.Inst) (p, d, x, y amd64.Vec) {
	p = c.load(in.A, isa.I64, true)
	d, x, y = c.movedOffset(in, p)
	return p, d, x, y
}

// inSlot refuses the run if the element at an offset is not in the slot's allocation in a lane that runs. It changes x and y.
func (c *compiler) inSlot(p, d, x, y amd64.Vec) {
	w := c.width(isa.I64)
	c.V(amd64.VPSRLQ, w, x, p, amd64.Imm(offsetBits))
	c.V(amd64.VPBROADCASTQ, w, y, c.slot(wave.SlotKey))
	c.set.equal(c, isa.I64, y, x, c.refuse)
	c.set.beyond(c, isa.I64, d, c.slot(wave.SlotLimit), c.refuse)
}

// pointedOffset returns the offsets of the elements in the slot's allocation, and refuses the run if one of a
// lane that runs is elsewhere, unless all have been looked at before.
func (c *compiler) pointedOffset(in *isa.Inst) amd64.Vec {
	p, d, x, y := c.pointerOffset(in)
	if !changesAtOnce(c.run) {
		c.inSlot(p, d, x, y)
	}
	return d
}

func (c *compiler) loadPointed(in *isa.Inst) {
	x := c.pointedOffset(in)
	d := c.vec()
	c.G(amd64.MOV, amd64.B64, regAddress, c.slot(wave.SlotBase))
	c.set.gather(c, in.Type, isa.I64, d, amd64.VMem(regAddress, x, 1, 0))
	c.result(in, in.Type, d)
}

func (c *compiler) storePointed(in *isa.Inst) {
	v := c.load(in.C, in.Type, true)
	x := c.pointedOffset(in)
	c.G(amd64.MOV, amd64.B64, regAddress, c.slot(wave.SlotBase))
	c.set.scatter(c, in.Type, isa.I64, amd64.Mem{Base: regAddress, Scale: 1}, x, v)
}

// loadPointedNarrow is loadPointed for elements of 8 and 16 bits: words are gathered, or, at the end of the allocation, the
// elements one by one.
func (c *compiler) loadPointedNarrow(in *isa.Inst) {
	x := c.pointedOffset(in)
	byOffset := &isa.Inst{Op: isa.OpLoad, Type: in.Type, Idx: isa.Idx64, Scale: 1}
	g := &gathering{in: byOffset, t: in.Type, it: isa.I64, x: x, d: c.vec(), temp: c.vec(), more: c.vec(), done: c.NewLabel(),
		address: c.slot(wave.SlotBase), limit: c.slot(wave.SlotLimit)}
	c.loadEach(g)
	c.Bind(g.done)
	c.result(in, in.Type, g.d)
}

// storePointedNarrow is storePointed for elements of 8 and 16 bits.
func (c *compiler) storePointedNarrow(in *isa.Inst) {
	v := c.load(in.C, in.Type, true)
	x := c.pointedOffset(in)
	offsets, elements := c.aside(0), c.aside(64)
	c.V(opMove.of(isa.I64), c.width(isa.I64), offsets, x)
	c.V(opMove.of(in.Type), c.width(in.Type), elements, v)
	offsets.Index, offsets.Scale = regTemp, 8
	elements.Index, elements.Scale = regTemp, 4
	base, next := regOneLane, c.NewLabel()
	c.G(amd64.MOV, amd64.B64, base, c.slot(wave.SlotBase))
	c.bits(regLeft, amd64.Mem{Base: regExec})
	c.Bind(next)
	c.G(amd64.TZCNT, amd64.B32, regTemp, regLeft)
	c.G(amd64.MOV, amd64.B64, regAddress, offsets)
	c.G(amd64.MOV, amd64.B32, regTemp, elements)
	c.G(amd64.MOV, amd64.Size(in.Type.Bits()), amd64.Mem{Base: base, Index: regAddress, Scale: 1}, regTemp)
	c.V(amd64.BLSR, amd64.X, regLeft, regLeft)
	c.Jcc(amd64.NotZero, next)
}
