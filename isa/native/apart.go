package native

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
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
	off, bias, limit, ok := c.reachOf(in)
	if !ok && !c.confined {
		c.Jmp(c.refuse)
	}
	x := c.load(in.B, it, true)
	d := c.vec()
	x = c.lessBias(it, d, x, bias)
	if !c.confined {
		c.set.beyond(c, it, x, c.number(it, limit), c.refuse)
	}
	if it == isa.I64 {
		c.set.lower(c, d, x)
		x = d
	}

	s := strewn{x: d, disp: int32(p.Room)}
	w := c.width(isa.I32)
	if filling(in, off) {
		c.times(d, x, uint32(scale)*64)
		s.disp += int32(off) * 64
	} else {
		c.times(d, x, uint32(scale))
		c.V(amd64.VPADDD, w, d, d, c.splat(isa.I32, uint32(off), 0))
		s.shift, s.moved = c.vec(), narrow(in.Type)
		c.V(amd64.VPANDD, w, s.shift, d, c.splat(isa.I32, 3, 0))
		switch {
		case c.confined:
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

// reachOf returns the offset in its allocation that an instruction accesses at index bias, and how far behind that the
// highest index is inside. It is not ok if there is none, or it cannot be told from others.
func (c *compiler) reachOf(in *isa.Inst) (off, bias int64, limit uint64, ok bool) {
	p, scale := c.placeOf(c.run.Slots[c.at]), int64(in.Scale)
	if off = p.Offset + int64(in.Disp); off < 0 {
		bias = (-off + scale - 1) / scale
		off += bias * scale
	}
	limit = (p.Last - min(uint64(off), p.Last)) / uint64(scale)
	if uint64(off) > p.Last || in.Idx.Type() == isa.I32 && uint64(bias)+limit > math.MaxInt32 {
		// Outside in all lanes; or an index less the bias, in 32 bits, may be the same for an index inside
		// and for one below 0.
		return 0, 0, p.Last / uint64(scale), false
	}
	return off, bias, limit, true
}

// filling says whether all elements that an instruction accesses begin with a word, given the offset of one.
func filling(in *isa.Inst, off int64) bool { return in.Scale%4 == 0 && off%4 == 0 }

// lessBias takes the bias off an index, in d if there is one.
func (c *compiler) lessBias(it isa.Type, d, x amd64.Vec, bias int64) amd64.Vec {
	if bias == 0 {
		return x
	}
	c.V(opSub.of(it), c.width(it), d, x, c.splat(it, uint32(bias), uint64(bias)))
	return d
}

// hasApart says whether the run has accesses to private memory at places that differ between lanes.
func (c *compiler) hasApart() bool {
	return slices.ContainsFunc(c.run.Code, func(in isa.Inst) bool { return plan.Apart(&in) })
}

// checkApart looks at the indices of such accesses of a run that changes its own inputs, before it does. Those are
// inputs, too. The least of the limits of an index is enough.
func (c *compiler) checkApart() {
	type index struct {
		r    isa.Reg
		t    isa.Type
		bias int64
	}
	var order []index
	limits := map[index]uint64{}
	for i := range c.run.Code {
		in := &c.run.Code[i]
		if !plan.Apart(in) {
			continue
		}
		c.at = i
		off, bias, limit, ok := c.reachOf(in)
		if !ok || !filling(in, off) {
			c.strewn(in)
			continue
		}
		x := index{in.B, in.Idx.Type(), bias}
		if least, ok := limits[x]; ok {
			limit = min(limit, least)
		} else {
			order = append(order, x)
		}
		limits[x] = limit
	}
	for _, x := range order {
		v := c.load(x.r, x.t, true)
		c.set.beyond(c, x.t, c.lessBias(x.t, c.vec(), v, x.bias), c.number(x.t, limits[x]), c.refuse)
	}
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
