package native

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

// eachLane emits body in a loop over the lanes of the group that run, lowest first. It may change
// regTemp and regAddress.
func (c *compiler) eachLane(body func(lane amd64.Reg)) {
	next := c.NewLabel()
	c.bits(regLeft, amd64.Mem{Base: regExec})
	c.Bind(next)
	c.G(amd64.TZCNT, amd64.B32, regOneLane, regLeft)
	c.G(amd64.ADD, amd64.B32, regOneLane, regLane)
	body(regOneLane)
	c.V(amd64.BLSR, amd64.X, regLeft, regLeft)
	c.Jcc(amd64.NotZero, next)
}

// laneOf returns where a lane's element of a vector register is.
func (c *compiler) laneOf(r isa.Reg, t isa.Type, lane amd64.Reg) amd64.Mem {
	return amd64.Mem{Base: regChunk, Index: lane, Scale: uint8(t.Bytes()), Disp: int32(c.run.Offset(r, t))}
}

// toEach has do access the elements of the lanes that run, lowest first, with what in.C has for them in
// regTemp. It may change nothing else.
func (c *compiler) toEach(in *isa.Inst, disp int32, do func(at amd64.Mem)) {
	t, it := in.Type, in.Idx.Type()
	value := func(from amd64.Mem) {
		if narrow(t) {
			c.G(loadNarrow(t), amd64.B32, regTemp, from)
		} else {
			c.G(amd64.MOV, amd64.Size(t.Bits()), regTemp, from)
		}
	}
	if in.C.IsScalar() {
		value(scalar(in.C))
	}
	some, done := c.NewLabel(), c.NewLabel()
	c.bits(regLeft, amd64.Mem{Base: regExec})
	c.G(amd64.CMP, amd64.B32, regLeft, amd64.Imm(1<<c.lanes-1))
	c.Jcc(amd64.NotEqual, some)
	c.G(amd64.MOV, amd64.B64, regOneLane, c.slot(wave.SlotAddress))
	for i := range int32(c.lanes) {
		ith := func(r isa.Reg, t isa.Type) amd64.Mem { return c.laneOf(r, t, regLane).Plus(i * int32(t.Bytes())) }
		c.G(amd64.MOV, amd64.Size(it.Bits()), regAddress, ith(in.B, it))
		if !in.C.IsScalar() {
			value(ith(in.C, t))
		}
		at := amd64.Mem{Base: regOneLane, Index: regAddress, Scale: 1, Disp: disp}
		if addressable(in.Scale) {
			at.Scale = uint8(in.Scale)
		} else {
			c.byScale(regAddress, in.Scale)
		}
		do(at)
	}
	c.Jmp(done)
	c.Bind(some)
	c.eachLane(func(lane amd64.Reg) {
		c.laneIndex(in, lane)
		if !in.C.IsScalar() {
			value(c.laneOf(in.C, t, lane))
		}
		do(amd64.Mem{Base: regAddress, Disp: disp})
	})
	c.Bind(done)
}

// laneIndex puts the address that a lane's index selects, without bias and displacement, into regAddress.
func (c *compiler) laneIndex(in *isa.Inst, lane amd64.Reg) {
	size := amd64.B32
	if in.Idx == isa.Idx64 {
		size = amd64.B64
	}
	c.G(amd64.MOV, size, regAddress, c.laneOf(in.B, in.Idx.Type(), lane))
	c.byScale(regAddress, in.Scale)
	c.G(amd64.ADD, amd64.B64, regAddress, c.slot(wave.SlotAddress))
}

// regOld holds what the memory held, or what it is to hold.
const regOld = amd64.R15
