package native

import (
	"encoding/binary"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// accesses is the family of loads and stores of 32 and 64 bits.
func accesses(_ amd64.Features, in *isa.Inst) emitter {
	switch {
	case !wideOrBool(in.Type) || in.Type == isa.B1:
		return nil
	case in.Op == isa.OpLoad:
		return (*compiler).gather
	case in.Op == isa.OpStore:
		return (*compiler).scatter
	}
	return nil
}

// opGather is the gather by the sizes of the index and of the element: 32 and 64 bits.
var opGather = [2][2]amd64.Op{{amd64.VPGATHERDD, amd64.VPGATHERDQ}, {amd64.VPGATHERQD, amd64.VPGATHERQQ}}

var (
	opExtract = pair{amd64.VMOVD, amd64.VMOVQ}
	opMove    = pair{amd64.VMOVDQU32, amd64.VMOVDQU64}
)

// opScatter is opGather for stores.
var opScatter = [2][2]amd64.Op{{amd64.VPSCATTERDD, amd64.VPSCATTERDQ}, {amd64.VPSCATTERQD, amd64.VPSCATTERQQ}}

// slot returns a field of the present instruction's slot.
func (c *compiler) slot(field uintptr) amd64.Mem {
	return slotField(c.run.Slots[c.at], field)
}

// checkIndex refuses the run if an index of a lane that runs is beyond the slot's limit.
func (c *compiler) checkIndex(in *isa.Inst) {
	it := in.Idx.Type()
	x := c.load(in.B, it, true)
	c.V(opCmpU.of(it), c.width(it), maskTemp, x, c.slot(interp.SlotLimit).Bcast(), amd64.Imm(intGreater), amd64.Merge(maskExec))
	c.V(amd64.KORTESTW, amd64.X, maskTemp, maskTemp)
	c.Jcc(amd64.NotZero, c.refuse)
}

// scatter stores an element for each lane. Of lanes with the same index the last one's
// remains.
func (c *compiler) scatter(in *isa.Inst) {
	t, it := in.Type, in.Idx.Type()
	w, iw := c.width(t), c.width(it)
	x, v := c.load(in.B, it, true), c.load(in.C, t, true)
	next := c.vec()
	done, each := c.NewLabel(), c.NewLabel()
	c.G(amd64.MOV, amd64.B64, regAddress, c.slot(interp.SlotAddress))
	if int(in.Scale) == t.Bytes() {
		c.V(amd64.KNOTW, amd64.X, maskTemp2, maskExec)
		c.V(opSpread.of(it), iw, next, x)
		c.V(opAdd.of(it), iw, next, next, c.iota(it))
		c.jumpUnlessEqual(it, iw, next, x, each)
		c.firstIndex(it, x)
		c.V(opMove.of(t), w, amd64.Mem{Base: regAddress, Index: regTemp, Scale: uint8(in.Scale)}, v, amd64.Merge(maskExec))
		c.Jmp(done)
		c.Bind(each)
	}
	scale := uint8(1)
	if shift := bits.TrailingZeros32(in.Scale); shift <= 3 {
		scale = 1 << shift
	} else {
		c.V(opShl.of(it), iw, next, x, amd64.Imm(shift))
		x = next
	}
	c.V(amd64.KMOVW, amd64.X, maskTemp, maskExec)
	if it == isa.I64 {
		w = amd64.Z
	}
	c.V(opScatter[it.Bits()/64][t.Bits()/64], w, amd64.VMem(regAddress, x, scale, 0), v, amd64.Merge(maskTemp))
	c.Bind(done)
}

// firstIndex puts the index of the group's first lane into regTemp.
func (c *compiler) firstIndex(t isa.Type, x amd64.Vec) {
	c.V(opExtract.of(t), amd64.X, regTemp, x)
	if t == isa.I32 {
		// The first lane may be one that does not run, with an index below 0.
		c.G(amd64.MOVSX32, amd64.B64, regTemp, regTemp)
	}
}

// gather loads an element for each lane. It refuses the run if an index of a lane that runs is
// beyond the slot's limit. Neighbouring elements are moved at once, and one
// that all lanes have in common is loaded once.
func (c *compiler) gather(in *isa.Inst) {
	t, it := in.Type, in.Idx.Type()
	w, iw := c.width(t), c.width(it)
	c.checkIndex(in)
	x := c.load(in.B, it, true)
	d, first, next := c.vec(), c.vec(), c.vec()
	done, spread, each := c.NewLabel(), c.NewLabel(), c.NewLabel()

	c.G(amd64.MOV, amd64.B64, regAddress, c.slot(interp.SlotAddress))
	c.V(amd64.KNOTW, amd64.X, maskTemp2, maskExec)
	c.V(opSpread.of(it), iw, first, x)
	c.firstIndex(it, x)
	if int(in.Scale) == t.Bytes() {
		c.V(opAdd.of(it), iw, next, first, c.iota(it))
		c.jumpUnlessEqual(it, iw, next, x, spread)
		c.V(opMove.of(t), w, d, amd64.Mem{Base: regAddress, Index: regTemp, Scale: uint8(in.Scale)}, amd64.Zero(maskExec))
		c.Jmp(done)
		c.Bind(spread)
	}
	c.jumpUnlessEqual(it, iw, first, x, each)
	shift := bits.TrailingZeros32(in.Scale)
	scale := uint8(1)
	if shift <= 3 {
		scale = 1 << shift
	} else {
		c.G(amd64.SHL, amd64.B64, regTemp, amd64.Imm(shift))
	}
	c.V(opSpread.of(t), w, d, amd64.Mem{Base: regAddress, Index: regTemp, Scale: scale})
	c.Jmp(done)
	c.Bind(each)
	if shift > 3 {
		c.V(opShl.of(it), iw, next, x, amd64.Imm(shift))
		x = next
	}
	c.V(amd64.KMOVW, amd64.X, maskTemp, maskExec)
	c.V(opXor.of(t), w, d, d, d)
	if it == isa.I64 {
		w = amd64.Z
	}
	c.V(opGather[it.Bits()/64][t.Bits()/64], w, d, amd64.VMem(regAddress, x, scale, 0), amd64.Merge(maskTemp))
	c.Bind(done)
	c.result(in, t, d)
}

// jumpUnlessEqual goes to l if a and b differ in a lane that runs. maskTemp2 has the
// lanes that do not.
func (c *compiler) jumpUnlessEqual(t isa.Type, w amd64.Width, a, b amd64.Vec, l amd64.Label) {
	c.V(opCmpU.of(t), w, maskTemp, a, b, amd64.Imm(intEqual))
	c.V(amd64.KORW, amd64.X, maskTemp, maskTemp, maskTemp2)
	if c.lanes == 16 {
		c.V(amd64.KORTESTW, amd64.X, maskTemp, maskTemp)
	} else {
		c.V(amd64.KORTESTB, amd64.X, maskTemp, maskTemp)
	}
	c.Jcc(amd64.NotCarry, l) // all ones set the carry
}

// iota returns the numbers of the lanes of a group.
func (c *compiler) iota(t isa.Type) amd64.Mem {
	var b []byte
	for i := range c.lanes {
		if t == isa.I64 {
			b = binary.LittleEndian.AppendUint64(b, uint64(i))
		} else {
			b = binary.LittleEndian.AppendUint32(b, uint32(i))
		}
	}
	return c.Const(b)
}
