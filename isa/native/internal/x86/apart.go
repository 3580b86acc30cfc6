package x86

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
func apart(in *isa.Inst) Emitter {
	switch {
	case in.Type == isa.B1:
		return nil
	case in.Op == isa.OpLoad:
		return (*Compiler).loadApart
	}
	return (*Compiler).storeApart
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
func (c *Compiler) strewn(in *isa.Inst) strewn {
	p, it, scale := c.PlaceOf(c.Run.Slots[c.Index]), in.Idx.Type(), int64(in.Scale)
	off, bias, limit, ok := c.reachOf(in)
	if !ok && !c.confined {
		c.Jmp(c.Refuse)
	}
	x := c.Load(in.B, it, true)
	d := c.Vec()
	x = c.lessBias(it, d, x, bias)
	if !c.confined {
		c.ISA.Beyond(c, it, x, c.Number(it, limit), c.Refuse)
	}
	if it == isa.I64 {
		c.ISA.lower(c, d, x)
		x = d
	}

	s := strewn{x: d, disp: int32(p.Room)}
	w := c.Width(isa.I32)
	if filling(in, off) {
		c.times(d, x, uint32(scale)*64)
		s.disp += int32(off) * 64
	} else {
		c.times(d, x, uint32(scale))
		c.V(amd64.VPADDD, w, d, d, c.Splat(isa.I32, uint32(off), 0))
		s.shift, s.moved = c.Vec(), Narrow(in.Type)
		c.V(amd64.VPANDD, w, s.shift, d, c.Splat(isa.I32, 3, 0))
		switch {
		case c.confined:
		case in.Type.Bits() >= 32:
			c.ISA.Beyond(c, isa.I32, s.shift, c.Const32(0), c.Refuse)
		case in.Type.Bits() == 16:
			c.ISA.Beyond(c, isa.I32, s.shift, c.Const32(2), c.Refuse)
		}
		c.V(amd64.VPSRLD, w, d, d, amd64.Imm(2))
		c.V(amd64.VPSLLD, w, d, d, amd64.Imm(8))
		c.V(amd64.VPSLLD, w, s.shift, s.shift, amd64.Imm(3))
	}
	var lanes []byte
	for i := range c.Lanes {
		lanes = binary.LittleEndian.AppendUint32(lanes, uint32(4*i))
	}
	c.V(amd64.VPADDD, w, d, d, c.Const(lanes))
	return s
}

// reachOf returns the offset in its allocation that an instruction accesses at index bias, and how far behind that the
// highest index is inside. It is not ok if there is none, or it cannot be told from others.
func (c *Compiler) reachOf(in *isa.Inst) (off, bias int64, limit uint64, ok bool) {
	p, scale := c.PlaceOf(c.Run.Slots[c.Index]), int64(in.Scale)
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
func (c *Compiler) lessBias(it isa.Type, d, x amd64.Vec, bias int64) amd64.Vec {
	if bias == 0 {
		return x
	}
	c.V(OpSub.Of(it), c.Width(it), d, x, c.Splat(it, uint32(bias), uint64(bias)))
	return d
}

// hasApart says whether the run has accesses to private memory at places that differ between lanes.
func (c *Compiler) hasApart() bool {
	return slices.ContainsFunc(c.Run.Code, func(in isa.Inst) bool { return plan.Apart(&in) })
}

// checkApart looks at the indices of such accesses of a run that changes its own inputs, before it does. Those are
// inputs, too. The least of the limits of an index is enough.
func (c *Compiler) checkApart() {
	type index struct {
		r    isa.Reg
		t    isa.Type
		bias int64
	}
	var order []index
	limits := map[index]uint64{}
	for i := range c.Run.Code {
		in := &c.Run.Code[i]
		if !plan.Apart(in) {
			continue
		}
		c.Index = i
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
		v := c.Load(x.r, x.t, true)
		c.ISA.Beyond(c, x.t, c.lessBias(x.t, c.Vec(), v, x.bias), c.Number(x.t, limits[x]), c.Refuse)
	}
}

// times multiplies elements of 32 bits by a constant.
func (c *Compiler) times(d, x amd64.Vec, n uint32) {
	w := c.Width(isa.I32)
	if n&(n-1) == 0 {
		c.V(amd64.VPSLLD, w, d, x, amd64.Imm(bits.TrailingZeros32(n)))
		return
	}
	c.V(amd64.VPMULLD, w, d, x, c.Splat(isa.I32, n, 0))
}

// base puts the address of the word of the group's first lane in the first row into RegAddress.
func (s *strewn) base(c *Compiler) {
	c.G(amd64.LEA, amd64.B64, RegAddress, amd64.Mem{Base: regPrivate, Index: RegLane, Scale: 4})
}

// gather loads words.
func (s *strewn) gather(c *Compiler, d amd64.Vec, more int32) {
	s.base(c)
	c.ISA.Gather(c, isa.I32, isa.I32, d, amd64.VMem(RegAddress, s.x, 1, s.disp+more))
}

// scatter stores words.
func (s *strewn) scatter(c *Compiler, v amd64.Vec, more int32) {
	s.base(c)
	c.ISA.scatter(c, isa.I32, isa.I32, amd64.Mem{Base: RegAddress, Scale: 1, Disp: s.disp + more}, s.x, v)
}

func (c *Compiler) loadApart(in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	c.storeWords()
	d, high := c.Vec(), c.Vec()
	s := c.strewn(in)
	s.gather(c, d, 0)
	switch {
	case t.Bank() == isa.Bank64:
		s.gather(c, high, RowBytes)
		c.V(amd64.VPMOVZXDQ, w, d, d)
		c.V(amd64.VPMOVZXDQ, w, high, high)
		c.V(amd64.VPSLLQ, w, high, high, amd64.Imm(32))
		c.V(amd64.VPORQ, w, d, d, high)
	case Narrow(t):
		if s.moved {
			c.V(amd64.VPSRLVD, w, d, d, s.shift)
		}
		c.V(amd64.VPANDD, w, d, d, c.Splat(isa.I32, ElementMask(t), 0))
	}
	c.Result(in, t, d)
}

func (c *Compiler) storeApart(in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	c.storeWords()
	v, d, e := c.Load(in.C, t, true), c.Vec(), c.Vec()
	s := c.strewn(in)
	switch {
	case t.Bank() == isa.Bank64:
		c.ISA.lower(c, d, v)
		s.scatter(c, d, 0)
		c.V(amd64.VPSRLQ, w, d, v, amd64.Imm(32))
		c.ISA.lower(c, d, d)
		s.scatter(c, d, RowBytes)
	case Narrow(t):
		s.gather(c, d, 0)
		if !s.moved {
			c.V(amd64.VPANDD, w, d, d, c.Splat(isa.I32, ^ElementMask(t), 0))
			c.V(amd64.VPORD, w, d, d, v)
		} else {
			c.V(amd64.VPBROADCASTD, w, e, c.Const32(ElementMask(t)))
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
