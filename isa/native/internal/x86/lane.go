package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Registers of runs that go from lane to lane.
const (
	regLeft    = amd64.RBX // the lanes left
	regOneLane = amd64.R14 // the lane's number in the chunk
)

// EachLane emits body in a loop over the lanes of the group that run, lowest first. It may change
// RegTemp and RegAddress.
func (c *Compiler) EachLane(body func(lane amd64.Reg)) {
	next := c.NewLabel()
	c.Bits(regLeft, amd64.Mem{Base: RegExec})
	c.Bind(next)
	c.G(amd64.TZCNT, amd64.B32, regOneLane, regLeft)
	c.G(amd64.ADD, amd64.B32, regOneLane, RegLane)
	body(regOneLane)
	c.V(amd64.BLSR, amd64.X, regLeft, regLeft)
	c.Jcc(amd64.NotZero, next)
}

// LaneOf returns where a lane's element of a vector register is.
func (c *Compiler) LaneOf(r isa.Reg, t isa.Type, lane amd64.Reg) amd64.Mem {
	return amd64.Mem{Base: RegChunk, Index: lane, Scale: uint8(t.Bytes()), Disp: int32(c.Run.Offset(r, t))}
}

// ToEach has do access the elements of the lanes that run, lowest first, with what in.C has for them in
// RegTemp. It may change nothing else.
func (c *Compiler) ToEach(in *isa.Inst, disp int32, do func(at amd64.Mem)) {
	t, it := in.Type, in.Idx.Type()
	value := func(from amd64.Mem) {
		if Narrow(t) {
			c.G(loadNarrow(t), amd64.B32, RegTemp, from)
		} else {
			c.G(amd64.MOV, amd64.Size(t.Bits()), RegTemp, from)
		}
	}
	if in.C.IsScalar() {
		value(Scalar(in.C))
	}
	some, done := c.NewLabel(), c.NewLabel()
	c.Bits(regLeft, amd64.Mem{Base: RegExec})
	c.G(amd64.CMP, amd64.B32, regLeft, amd64.Imm(1<<c.Lanes-1))
	c.Jcc(amd64.NotEqual, some)
	c.G(amd64.MOV, amd64.B64, regOneLane, c.Slot(wave.SlotAddress))
	for i := range int32(c.Lanes) {
		ith := func(r isa.Reg, t isa.Type) amd64.Mem { return c.LaneOf(r, t, RegLane).Plus(i * int32(t.Bytes())) }
		c.G(amd64.MOV, amd64.Size(it.Bits()), RegAddress, ith(in.B, it))
		if !in.C.IsScalar() {
			value(ith(in.C, t))
		}
		at := amd64.Mem{Base: regOneLane, Index: RegAddress, Scale: 1, Disp: disp}
		if Addressable(in.Scale) {
			at.Scale = uint8(in.Scale)
		} else {
			c.ByScale(RegAddress, in.Scale)
		}
		do(at)
	}
	c.Jmp(done)
	c.Bind(some)
	c.EachLane(func(lane amd64.Reg) {
		c.LaneIndex(in, lane)
		if !in.C.IsScalar() {
			value(c.LaneOf(in.C, t, lane))
		}
		do(amd64.Mem{Base: RegAddress, Disp: disp})
	})
	c.Bind(done)
}

// LaneIndex puts the address that a lane's index selects, without bias and displacement, into RegAddress.
func (c *Compiler) LaneIndex(in *isa.Inst, lane amd64.Reg) {
	size := amd64.B32
	if in.Idx == isa.Idx64 {
		size = amd64.B64
	}
	c.G(amd64.MOV, size, RegAddress, c.LaneOf(in.B, in.Idx.Type(), lane))
	c.ByScale(RegAddress, in.Scale)
	c.G(amd64.ADD, amd64.B64, RegAddress, c.Slot(wave.SlotAddress))
}

// RegOld holds what the memory held, or what it is to hold.
const RegOld = amd64.R15
