package x86

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
)

// OffsetBits is how many bits of a pointer are its offset.
const OffsetBits = memory.OffsetBits

// Field returns a field of the frame.
func Field(off uintptr) amd64.Mem { return amd64.Mem{Base: RegFrame, Disp: int32(off)} }

// SlotField returns a field of a slot.
func SlotField(slot int, field uintptr) amd64.Mem {
	return amd64.Mem{Base: RegSlots, Disp: int32(slot)*int32(wave.SlotSize) + int32(field)}
}

// BuiltinField is where the frame has a value of the work-group.
func BuiltinField(b isa.Builtin) amd64.Mem {
	return Field(wave.FrameValues + 8*uintptr(b))
}

// WideProduct says whether 64 bits, with a sign, may not hold an index of an instruction times the scale.
func WideProduct(in *isa.Inst) bool {
	return in.Idx == isa.Idx64 && in.Scale > 1 || in.Idx == isa.IdxU32 && in.Scale > math.MaxInt32
}

// ArrayOf returns the array that a built-in of a lane comes from alone, or -1.
func ArrayOf(b isa.Builtin) int {
	switch {
	case !b.PerLane() || b == isa.BuiltinGlobalLinearID:
		return -1
	case b >= isa.BuiltinGlobalID && b < isa.BuiltinGroupID:
		return int(b - isa.BuiltinGlobalID)
	}
	return wave.ArrayOf(b)
}

// IdsField is where the frame has the address of an array.
func IdsField(array int) amd64.Mem { return Field(wave.FrameIDs + 8*uintptr(array)) }

// ChunkOffset puts into RegTemp where the present chunk is in such an array, in bytes.
func (c *Compiler) ChunkOffset() {
	// A chunk takes 8 bytes of the execution mask, and 256 of the array.
	c.G(amd64.MOV, amd64.B64, RegTemp, RegExec)
	c.G(amd64.SUB, amd64.B64, RegTemp, Field(wave.FrameExec))
	c.G(amd64.SHL, amd64.B64, RegTemp, amd64.Imm(5))
}

// FirstID returns where an array of the frame has what it holds for the group's first lane. It may change
// RegTemp.
func (c *Compiler) FirstID(array int) amd64.Mem {
	r, ok := c.IdsIn[array]
	if !ok {
		r = RegTemp
		if m, ok := c.IdsAt[array]; ok {
			c.G(amd64.MOV, amd64.B64, r, m)
		} else {
			c.ChunkOffset()
			c.G(amd64.ADD, amd64.B64, r, IdsField(array))
		}
	}
	return amd64.Mem{Base: r, Index: RegLane, Scale: 4}
}
