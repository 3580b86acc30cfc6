package native

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
)

// offsetBits is how many bits of a pointer are its offset.
const offsetBits = memory.OffsetBits

// field returns a field of the frame.
func field(off uintptr) amd64.Mem { return amd64.Mem{Base: regFrame, Disp: int32(off)} }

// slotField returns a field of a slot.
func slotField(slot int, field uintptr) amd64.Mem {
	return amd64.Mem{Base: regSlots, Disp: int32(slot)*int32(wave.SlotSize) + int32(field)}
}

// builtinField is where the frame has a value of the work-group.
func builtinField(b isa.Builtin) amd64.Mem {
	return field(wave.FrameValues + 8*uintptr(b))
}

// wideProduct says whether 64 bits, with a sign, may not hold an index of an instruction times the scale.
func wideProduct(in *isa.Inst) bool {
	return in.Idx == isa.Idx64 && in.Scale > 1 || in.Idx == isa.IdxU32 && in.Scale > math.MaxInt32
}

// arrayOf returns the array that a built-in of a lane comes from alone, or -1.
func arrayOf(b isa.Builtin) int {
	switch {
	case !b.PerLane() || b == isa.BuiltinGlobalLinearID:
		return -1
	case b >= isa.BuiltinGlobalID && b < isa.BuiltinGroupID:
		return int(b - isa.BuiltinGlobalID)
	}
	return wave.ArrayOf(b)
}

// idsField is where the frame has the address of an array.
func idsField(array int) amd64.Mem { return field(wave.FrameIDs + 8*uintptr(array)) }

// chunkOffset puts into regTemp where the present chunk is in such an array, in bytes.
func (c *compiler) chunkOffset() {
	// A chunk takes 8 bytes of the execution mask, and 256 of the array.
	c.G(amd64.MOV, amd64.B64, regTemp, regExec)
	c.G(amd64.SUB, amd64.B64, regTemp, field(wave.FrameExec))
	c.G(amd64.SHL, amd64.B64, regTemp, amd64.Imm(5))
}

// firstID returns where an array of the frame has what it holds for the group's first lane. It may change
// regTemp.
func (c *compiler) firstID(array int) amd64.Mem {
	r, ok := c.idsIn[array]
	if !ok {
		r = regTemp
		if m, ok := c.idsAt[array]; ok {
			c.G(amd64.MOV, amd64.B64, r, m)
		} else {
			c.chunkOffset()
			c.G(amd64.ADD, amd64.B64, r, idsField(array))
		}
	}
	return amd64.Mem{Base: r, Index: regLane, Scale: 4}
}
