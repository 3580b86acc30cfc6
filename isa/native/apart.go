package native

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Private memory at places that differ between lanes is gathered and scattered, by words: the one at offset n
// of a lane is n*64 behind the lane's own in the first row. All places are those of an allocation that is
// known.

// apart returns the emitter of a load or store at a place of each lane's own.
func apart(in *isa.Inst) emitter {
	switch {
	case in.Type == isa.B1:
		return nil
	case in.Op == isa.OpLoad:
		return (*compiler).loadApart
	}
	return (*compiler).storeApart
}

// strewn is where the elements of a group are.
type strewn struct {
	x     amd64.Vec // how far from the word of the group's first lane at disp, in bytes
	shift amd64.Vec // where in the word a narrow element begins, in bits, if it is not always at 0
	moved bool      // that is so
	disp  int32
}

// strewn works out where the elements are, and refuses the run if one of a lane that runs is outside the
// allocation, or lies in words that it does not fill.
func (c *compiler) strewn(in *isa.Inst) strewn {
	p, it, scale := c.placeOf(c.run.Slots[c.at]), in.Idx.Type(), int64(in.Scale)
	off, bias := p.Offset+int64(in.Disp), int64(0)
	if off < 0 {
		bias = (-off + scale - 1) / scale
		off += bias * scale
	}
	x := c.load(in.B, it, true)
	d := c.vec()
	limit := (p.Last - min(uint64(off), p.Last)) / uint64(scale)
	if uint64(off) > p.Last || it == isa.I32 && uint64(bias)+limit > math.MaxInt32 {
		// Outside in all lanes; or an index less the bias, in 32 bits, may be the same for an index inside
		// and for one below 0.
		c.Jmp(c.refuse)
		off, bias, limit = 0, 0, p.Last/uint64(scale)
	}
	if bias != 0 {
		c.V(opSub.of(it), c.width(it), d, x, c.splat(it, uint32(bias), uint64(bias)))
		x = d
	}
	c.set.beyond(c, it, x, c.number(it, limit), c.refuse)
	if it == isa.I64 {
		c.set.lower(c, d, x)
		x = d
	}

	s := strewn{x: d, disp: int32(p.Room)}
	w := c.width(isa.I32)
	if scale%4 == 0 && off%4 == 0 {
		c.times(d, x, uint32(scale)*64)
		s.disp += int32(off) * 64
	} else {
		c.times(d, x, uint32(scale))
		c.V(amd64.VPADDD, w, d, d, c.splat(isa.I32, uint32(off), 0))
		s.shift, s.moved = c.vec(), narrow(in.Type)
		c.V(amd64.VPANDD, w, s.shift, d, c.splat(isa.I32, 3, 0))
		switch {
		case in.Type.Bits() >= 32:
			c.set.beyond(c, isa.I32, s.shift, c.Const32(0), c.refuse)
		case in.Type.Bits() == 16:
			c.set.beyond(c, isa.I32, s.shift, c.Const32(2), c.refuse)
		}
		c.V(amd64.VPSRLD, w, d, d, amd64.Imm(2))
		c.V(amd64.VPSLLD, w, d, d, amd64.Imm(8))
		c.V(amd64.VPSLLD, w, s.shift, s.shift, amd64.Imm(3))
	}
	var lanes []byte
	for i := range c.lanes {
		lanes = binary.LittleEndian.AppendUint32(lanes, uint32(4*i))
	}
	c.V(amd64.VPADDD, w, d, d, c.Const(lanes))
	return s
}

// times multiplies elements of 32 bits by a constant.
func (c *compiler) times(d, x amd64.Vec, n uint32) {
	w := c.width(isa.I32)
	if n&(n-1) == 0 {
		c.V(amd64.VPSLLD, w, d, x, amd64.Imm(bits.TrailingZeros32(n)))
		return
	}
	c.V(amd64.VPMULLD, w, d, x, c.splat(isa.I32, n, 0))
}

// base puts the address of the word of the group's first lane in the first row into regAddress.
func (s *strewn) base(c *compiler) {
	c.G(amd64.LEA, amd64.B64, regAddress, amd64.Mem{Base: regPrivate, Index: regLane, Scale: 4})
}

// gather loads words.
func (s *strewn) gather(c *compiler, d amd64.Vec, more int32) {
	s.base(c)
	c.set.gather(c, isa.I32, isa.I32, d, amd64.VMem(regAddress, s.x, 1, s.disp+more))
}

// scatter stores words.
func (s *strewn) scatter(c *compiler, v amd64.Vec, more int32) {
	s.base(c)
	c.set.scatter(c, isa.I32, isa.I32, amd64.Mem{Base: regAddress, Scale: 1, Disp: s.disp + more}, s.x, v)
}

func (c *compiler) loadApart(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	c.storeWords()
	d, high := c.vec(), c.vec()
	s := c.strewn(in)
	s.gather(c, d, 0)
	switch {
	case t.Bank() == isa.Bank64:
		s.gather(c, high, rowBytes)
		c.V(amd64.VPMOVZXDQ, w, d, d)
		c.V(amd64.VPMOVZXDQ, w, high, high)
		c.V(amd64.VPSLLQ, w, high, high, amd64.Imm(32))
		c.V(amd64.VPORQ, w, d, d, high)
	case narrow(t):
		if s.moved {
			c.V(amd64.VPSRLVD, w, d, d, s.shift)
		}
		c.V(amd64.VPANDD, w, d, d, c.splat(isa.I32, elementMask(t), 0))
	}
	c.result(in, t, d)
}

func (c *compiler) storeApart(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	c.storeWords()
	v, d, e := c.load(in.C, t, true), c.vec(), c.vec()
	s := c.strewn(in)
	switch {
	case t.Bank() == isa.Bank64:
		c.set.lower(c, d, v)
		s.scatter(c, d, 0)
		c.V(amd64.VPSRLQ, w, d, v, amd64.Imm(32))
		c.set.lower(c, d, d)
		s.scatter(c, d, rowBytes)
	case narrow(t):
		s.gather(c, d, 0)
		if !s.moved {
			c.V(amd64.VPANDD, w, d, d, c.splat(isa.I32, ^elementMask(t), 0))
			c.V(amd64.VPORD, w, d, d, v)
		} else {
			c.V(amd64.VPBROADCASTD, w, e, c.Const32(elementMask(t)))
			c.V(amd64.VPSLLVD, w, e, e, s.shift)
			c.V(amd64.VPANDND, w, d, e, d)
			c.V(amd64.VPSLLVD, w, e, v, s.shift)
			c.V(amd64.VPORD, w, d, d, e)
		}
		s.scatter(c, d, 0)
	default:
		s.scatter(c, v, 0)
	}
	c.forgetWords()
}
