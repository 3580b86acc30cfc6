package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// emit2 is emit for AVX2: four lanes at a time.
func (f *Function32) emit2(c *x86.Compiler, in *isa.Inst) {
	m := doubles{c, amd64.Y}
	w := c.Width(isa.F32)
	lanes := c.Vec()
	o := x86.Callout{F: interp.Math32(in), Lanes: lanes}
	var x []amd64.Vec
	for i, r := range OperandsOf(in) {
		v := c.Load(r, isa.F32, i == 1 && f.integer)
		x = append(x, v)
		o.Operands[i] = v
	}
	d := c.Vec()
	for half := range c.Lanes / 4 {
		var wide []amd64.Vec
		for i, v := range x {
			y := c.Vec()
			if half == 1 {
				c.V(amd64.VEXTRACTF128, amd64.Y, y, v, amd64.Imm(1))
				v = y
			}
			if i == 1 && f.integer {
				c.V(amd64.VCVTDQ2PD, amd64.Y, y, v)
			} else {
				c.V(amd64.VCVTPS2PD, amd64.Y, y, v)
			}
			wide = append(wide, y)
		}
		y := f.kernel(m, wide...)
		unsettled := func(k amd64.Vec) {
			if f.absolute {
				m.unsettledBy2(k, y, wide[0])
			} else {
				m.unsettled2(k, y, f.small, f.margin())
			}
		}
		if half == 0 {
			unsettled(lanes)
			c.V(amd64.VCVTPD2PS, amd64.Y, d, y)
		} else {
			k := c.Vec()
			unsettled(k)
			c.V(amd64.VINSERTF128, amd64.Y, lanes, lanes, k, amd64.Imm(1))
			c.V(amd64.VCVTPD2PS, amd64.Y, y, y)
			c.V(amd64.VINSERTF128, amd64.Y, d, d, y, amd64.Imm(1))
		}
	}
	if f.far != 0 {
		least, infinity := math.Float32bits(float32(f.far)), math.Float32bits(float32(math.Inf(1)))
		t := c.Vec()
		c.V(amd64.VPANDD, w, x86.VecTemp, x[0], c.Splat(isa.F32, 1<<31-1, 0))
		c.V(amd64.VPCMPGTD, w, t, x86.VecTemp, c.Splat(isa.F32, least-1, 0))
		c.V(amd64.VPORD, w, lanes, lanes, t)
		c.V(amd64.VPCMPGTD, w, t, x86.VecTemp, c.Splat(isa.F32, infinity-1, 0))
		c.V(amd64.VPANDND, w, lanes, t, lanes)
	}
	if f.tiny != 0 {
		c.V(amd64.VPANDD, w, x86.VecTemp, x[0], c.Splat(isa.F32, 1<<31-1, 0))
		c.V(amd64.VCMPPS, w, x86.VecTemp, x86.VecTemp, c.FloatSplat(isa.F32, f.tiny), amd64.Imm(x86.CmpLess))
		c.V(amd64.VBLENDVPS, w, d, d, x[0], x86.VecTemp)
		c.V(amd64.VPANDND, w, lanes, x86.VecTemp, lanes)
	}
	if f.nan {
		c.V(amd64.VCMPPS, w, x86.VecTemp, d, d, amd64.Imm(x86.CmpUnordered))
		c.V(amd64.VPORD, w, lanes, lanes, x86.VecTemp)
	}
	if in.Imm&isa.MathHalf != 0 {
		middles := halfMiddles(c, w, d)
		c.V(amd64.VPXORD, w, x86.VecTemp, x86.VecTemp, x86.VecTemp)
		c.V(amd64.VPCMPEQD, w, middles, middles, x86.VecTemp)
		c.V(amd64.VPORD, w, lanes, lanes, middles)
	}
	o.Result = d
	c.CallOut(o)
	c.ResultFloat(in, d)
}

// unsettled2 is unsettled for AVX2: k gets lanes of 32 bits.
func (m doubles) unsettled2(k, y amd64.Vec, small bool, e float64) {
	if small {
		t := m.new(amd64.VMULPD, y, m.num(1-e))
		m.set(amd64.VMULPD, k, y, m.num(1+e))
		m.set(amd64.VCVTPD2PS, t, t)
		m.set(amd64.VCVTPD2PS, k, k)
		m.V(amd64.VCMPPS, amd64.X, k, t, k, amd64.Imm(x86.CmpNotEqual))
		return
	}
	units := uint64(math.Ldexp(e, 52))
	t := m.new(amd64.VPADDQ, y, m.bits64(1<<64-1<<28+units))
	m.set(amd64.VPSLLQ, t, t, amd64.Imm(35))
	// Comparisons are signed: the most negative number is the least.
	m.set(amd64.VPXORQ, t, t, m.bits64(1<<63))
	m.set(amd64.VPBROADCASTQ, k, m.Const64(2*units<<35^1<<63))
	m.set(amd64.VPCMPGTQ, k, k, t)
	m.Narrow(k, k)
}

// unsettledBy2 is unsettledBy for AVX2.
func (m doubles) unsettledBy2(k, y, e amd64.Vec) {
	m.set(amd64.VSUBPD, k, y, e)
	m.set(amd64.VADDPD, e, y, e)
	m.set(amd64.VCVTPD2PS, k, k)
	m.set(amd64.VCVTPD2PS, e, e)
	m.V(amd64.VCMPPS, amd64.X, k, k, e, amd64.Imm(x86.CmpNotEqual))
}

// without2 are the functions that have no code for AVX2.
var without2 = map[clmath.Func]bool{
	clmath.FuncLdexp: true, clmath.FuncLogb: true, clmath.FuncIlogb: true, clmath.FuncFrexp: true, clmath.FuncNextafter: true,
}

// extreme2 is extreme for AVX2.
func extreme2(c *x86.Compiler, t isa.Type, kind amd64.Imm, d, a, b amd64.Vec) {
	if kind == x86.RangeMin {
		c.LeastOrMost(t, c.Width(t), x86.OpFMin.Of(t), x86.OpOr.Of(t), d, a, b)
	} else {
		c.LeastOrMost(t, c.Width(t), x86.OpFMax.Of(t), x86.OpAnd.Of(t), d, a, b)
	}
}

// split2 adds to the bits of a number what carries from a mantissa of 3/2 on into the
// exponent.
func (m doubles) split2(x amd64.Vec) (mant, minusE amd64.Vec) {
	mant, minusE = m.new(amd64.VPADDQ, x, m.bits64(1<<51)), m.all(1<<52+1023)
	m.set(amd64.VPSRLQ, x86.VecTemp, mant, amd64.Imm(52))
	m.set(amd64.VPORQ, x86.VecTemp, x86.VecTemp, m.num(1<<52))
	m.set(amd64.VSUBPD, minusE, minusE, x86.VecTemp)
	m.set(amd64.VPANDQ, mant, mant, m.bits64(0xfff<<52))
	m.set(amd64.VPSUBQ, mant, x, mant)
	m.set(amd64.VPADDQ, mant, mant, m.num(1))
	return mant, minusE
}

// logAtEnds2 makes the logarithm of what is negative, or a NaN, a NaN, and gives zero and infinity
// theirs.
func (m doubles) logAtEnds2(y, x amd64.Vec) {
	t := m.all(0)
	m.set(amd64.VCMPPD, x86.VecTemp, x, t, amd64.Imm(x86.CmpNotGreaterEqU))
	m.set(amd64.VORPD, y, y, x86.VecTemp)
	m.set(amd64.VCMPPD, x86.VecTemp, x, t, amd64.Imm(x86.CmpEqual))
	m.set(amd64.VBLENDVPD, y, y, m.num(math.Inf(-1)), x86.VecTemp)
	m.set(amd64.VCMPPD, x86.VecTemp, x, m.num(math.Inf(1)), amd64.Imm(x86.CmpEqual))
	m.set(amd64.VBLENDVPD, y, y, m.num(math.Inf(1)), x86.VecTemp)
}

// lookUp2 is lookUp for AVX2.
func (m doubles) lookUp2(table []float64, index amd64.Vec) amd64.Vec {
	x := m.new(amd64.VPANDQ, index, m.bits64(15))
	d := m.Vec()
	m.G(amd64.LEA, amd64.B64, x86.RegTemp, m.table(table))
	m.set(amd64.VPCMPEQQ, x86.VecTemp, x86.VecTemp, x86.VecTemp)
	m.V(amd64.VGATHERQPD, m.w, d, amd64.VMem(x86.RegTemp, x, 8, 0), x86.VecTemp)
	return d
}
