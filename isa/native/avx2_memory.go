package native

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// regBits holds the lanes of a group that run, while elements are stored one by one.
const regBits = amd64.RBX

// accesses2 is [accesses] for AVX2.
func accesses2(f amd64.Features, in *isa.Inst) emitter {
	switch {
	case accesses(f, in) == nil:
		return nil
	case in.Op == isa.OpLoad && (in.Idx == isa.IdxNone || in.B.IsScalar()):
		return (*compiler).loadUniform
	case narrow(in.Type):
		return nil
	case in.Op == isa.OpLoad:
		return (*compiler).gather2
	}
	return (*compiler).scatter2
}

var (
	opTest2      = pair{amd64.VTESTPS, amd64.VTESTPD}
	opMaskMove2  = pair{amd64.VPMASKMOVD, amd64.VPMASKMOVQ}
	opExtractOne = pair{amd64.VPEXTRD, amd64.VPEXTRQ}
)

func (avx2) checkIndex(c *compiler, in *isa.Inst) {
	t := in.Idx.Type()
	w := c.width(t)
	x := c.load(in.B, t, true)
	d := c.vec()
	if bias := c.run.Bias[c.at]; bias != 0 {
		less := c.vec()
		c.V(opSub.of(t), w, less, x, c.splat(t, bias, uint64(bias)))
		x = less
	}
	// The limit is less than 2³¹: an index beyond it is negative, or the difference is.
	c.V(opSpread.of(t), w, d, c.slot(interp.SlotLimit))
	c.V(opSub.of(t), w, d, d, x)
	c.V(opOr.of(t), w, d, d, x)
	c.V(opTest2.of(t), w, c.idle(t), d)
	c.Jcc(amd64.NotCarry, c.refuse)
}

// running puts ones into the lanes of d that run.
func (c *compiler) running(t isa.Type, d amd64.Vec) {
	c.complement(isa.I32, d, vecIdle)
	if t.Bank() == isa.Bank64 {
		c.V(amd64.VPMOVSXDQ, amd64.Y, d, d)
	}
}

// jumpUnlessSame2 goes to l if a and b differ in a lane that runs. a changes.
func (c *compiler) jumpUnlessSame2(t isa.Type, a, b amd64.Vec, l amd64.Label) {
	w := c.width(t)
	c.V(opXor.of(t), w, a, a, b)
	c.V(opAndNot.of(t), w, a, c.idle(t), a)
	c.V(amd64.VPTEST, w, a, a)
	c.Jcc(amd64.NotZero, l)
}

// scaled returns the index to use with the processor's scale, in d if it has to be
// another, and that scale.
func (c *compiler) scaled(in *isa.Inst, x, d amd64.Vec) (amd64.Vec, uint8) {
	shift := bits.TrailingZeros32(in.Scale)
	if shift <= 3 {
		return x, 1 << shift
	}
	t := in.Idx.Type()
	c.V(opShl.of(t), c.width(t), d, x, amd64.Imm(shift))
	return d, 1
}

// gather2 is gather for AVX2.
func (c *compiler) gather2(in *isa.Inst) {
	t, it := in.Type, in.Idx.Type()
	w, iw := c.width(t), c.width(it)
	c.set.checkIndex(c, in)
	x := c.load(in.B, it, true)
	d, next, mask := c.vec(), c.vec(), c.vec()
	done, spread, each := c.NewLabel(), c.NewLabel(), c.NewLabel()

	c.G(amd64.MOV, amd64.B64, regAddress, c.slot(interp.SlotAddress))
	c.V(opSpread.of(it), iw, next, x)
	c.firstIndex(it, x)
	if int(in.Scale) == t.Bytes() {
		c.V(opAdd.of(it), iw, mask, next, c.iota(it))
		c.jumpUnlessSame2(it, mask, x, spread)
		c.running(t, mask)
		c.V(opMaskMove2.of(t), w, d, mask, amd64.Mem{Base: regAddress, Index: regTemp, Scale: uint8(in.Scale), Disp: c.fromIndex(in)})
		c.Jmp(done)
		c.Bind(spread)
	}
	c.jumpUnlessSame2(it, next, x, each)
	shift := bits.TrailingZeros32(in.Scale)
	scale := uint8(1)
	if shift <= 3 {
		scale = 1 << shift
	} else {
		c.G(amd64.SHL, amd64.B64, regTemp, amd64.Imm(shift))
	}
	c.V(opSpread.of(t), w, d, amd64.Mem{Base: regAddress, Index: regTemp, Scale: scale, Disp: c.fromIndex(in)})
	c.Jmp(done)
	c.Bind(each)
	x, scale = c.scaled(in, x, next)
	c.running(t, mask)
	c.V(opXor.of(t), w, d, d, d)
	if it == isa.I64 {
		w = amd64.Y
	}
	c.V(opGather[it.Bits()/64][t.Bits()/64], w, d, amd64.VMem(regAddress, x, scale, c.fromIndex(in)), mask)
	c.Bind(done)
	c.result(in, t, d)
}

// scatter2 is scatter for AVX2: elements that do not lie next to each other are stored one
// by one.
func (c *compiler) scatter2(in *isa.Inst) {
	t, it := in.Type, in.Idx.Type()
	w, iw := c.width(t), c.width(it)
	x, v := c.load(in.B, it, true), c.load(in.C, t, true)
	next, high := c.vec(), c.vec()
	done, each := c.NewLabel(), c.NewLabel()
	c.G(amd64.MOV, amd64.B64, regAddress, c.slot(interp.SlotAddress))
	if int(in.Scale) == t.Bytes() {
		c.V(opSpread.of(it), iw, next, x)
		c.V(opAdd.of(it), iw, next, next, c.iota(it))
		c.jumpUnlessSame2(it, next, x, each)
		c.firstIndex(it, x)
		c.running(t, next)
		c.V(opMaskMove2.of(t), w, amd64.Mem{Base: regAddress, Index: regTemp, Scale: uint8(in.Scale), Disp: c.fromIndex(in)}, next, v)
		c.Jmp(done)
		c.Bind(each)
	}
	x, scale := c.scaled(in, x, next)
	c.bits(regBits, amd64.Mem{Base: regExec})
	for i := range c.lanes {
		skip := c.NewLabel()
		c.G(amd64.TEST, amd64.B32, regBits, amd64.Imm(1<<i))
		c.Jcc(amd64.IsZero, skip)
		c.element(it, regTemp, x, i)
		c.elementTo(t, amd64.Mem{Base: regAddress, Index: regTemp, Scale: scale, Disp: c.fromIndex(in)}, v, high, i)
		c.Bind(skip)
	}
	c.Bind(done)
}

// element copies element i of x.
func (c *compiler) element(t isa.Type, d amd64.Operand, x amd64.Vec, i int) {
	c.elementTo(t, d, x, vecTemp, i)
}

// elementTo is element, by way of high for the upper half of x.
func (c *compiler) elementTo(t isa.Type, d amd64.Operand, x, high amd64.Vec, i int) {
	if n := 128 / t.Bits(); i >= n {
		c.V(amd64.VEXTRACTI128, amd64.Y, high, x, amd64.Imm(1))
		x, i = high, i-n
	}
	c.V(opExtractOne.of(t), amd64.X, d, x, amd64.Imm(i))
}
