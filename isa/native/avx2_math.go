package native

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// emit2 is emit for AVX2: four lanes at a time.
func (f *function32) emit2(c *compiler, in *isa.Inst) {
	m := doubles{c, amd64.Y}
	w := c.width(isa.F32)
	lanes := c.vec()
	o := callout{f: interp.Math32(in), lanes: lanes}
	var x []amd64.Vec
	for i, r := range operandsOf(in) {
		v := c.load(r, isa.F32, i == 1 && f.integer)
		x = append(x, v)
		o.operands[i] = v
	}
	d := c.vec()
	for half := range c.lanes / 4 {
		var wide []amd64.Vec
		for i, v := range x {
			y := c.vec()
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
			k := c.vec()
			unsettled(k)
			c.V(amd64.VINSERTF128, amd64.Y, lanes, lanes, k, amd64.Imm(1))
			c.V(amd64.VCVTPD2PS, amd64.Y, y, y)
			c.V(amd64.VINSERTF128, amd64.Y, d, d, y, amd64.Imm(1))
		}
	}
	if f.far != 0 {
		least, infinity := math.Float32bits(float32(f.far)), math.Float32bits(float32(math.Inf(1)))
		t := c.vec()
		c.V(amd64.VPANDD, w, vecTemp, x[0], c.splat(isa.F32, 1<<31-1, 0))
		c.V(amd64.VPCMPGTD, w, t, vecTemp, c.splat(isa.F32, least-1, 0))
		c.V(amd64.VPORD, w, lanes, lanes, t)
		c.V(amd64.VPCMPGTD, w, t, vecTemp, c.splat(isa.F32, infinity-1, 0))
		c.V(amd64.VPANDND, w, lanes, t, lanes)
	}
	if f.tiny != 0 {
		c.V(amd64.VPANDD, w, vecTemp, x[0], c.splat(isa.F32, 1<<31-1, 0))
		c.V(amd64.VCMPPS, w, vecTemp, vecTemp, c.floatSplat(isa.F32, f.tiny), amd64.Imm(cmpLess))
		c.V(amd64.VBLENDVPS, w, d, d, x[0], vecTemp)
		c.V(amd64.VPANDND, w, lanes, vecTemp, lanes)
	}
	if f.nan {
		c.V(amd64.VCMPPS, w, vecTemp, d, d, amd64.Imm(cmpUnordered))
		c.V(amd64.VPORD, w, lanes, lanes, vecTemp)
	}
	if in.Imm&isa.MathHalf != 0 {
		middles := c.halfMiddles(w, d)
		c.V(amd64.VPXORD, w, vecTemp, vecTemp, vecTemp)
		c.V(amd64.VPCMPEQD, w, middles, middles, vecTemp)
		c.V(amd64.VPORD, w, lanes, lanes, middles)
	}
	o.result = d
	c.callOut(o)
	c.resultFloat(in, d)
}

// unsettled2 is unsettled for AVX2: k gets lanes of 32 bits.
func (m doubles) unsettled2(k, y amd64.Vec, small bool, e float64) {
	if small {
		t := m.new(amd64.VMULPD, y, m.num(1-e))
		m.set(amd64.VMULPD, k, y, m.num(1+e))
		m.set(amd64.VCVTPD2PS, t, t)
		m.set(amd64.VCVTPD2PS, k, k)
		m.V(amd64.VCMPPS, amd64.X, k, t, k, amd64.Imm(cmpNotEqual))
		return
	}
	units := uint64(math.Ldexp(e, 52))
	t := m.new(amd64.VPADDQ, y, m.bits64(1<<64-1<<28+units))
	m.set(amd64.VPSLLQ, t, t, amd64.Imm(35))
	// Comparisons are signed: the most negative number is the least.
	m.set(amd64.VPXORQ, t, t, m.bits64(1<<63))
	m.set(amd64.VPBROADCASTQ, k, m.Const64(2*units<<35^1<<63))
	m.set(amd64.VPCMPGTQ, k, k, t)
	m.narrow(k, k)
}

// unsettledBy2 is unsettledBy for AVX2.
func (m doubles) unsettledBy2(k, y, e amd64.Vec) {
	m.set(amd64.VSUBPD, k, y, e)
	m.set(amd64.VADDPD, e, y, e)
	m.set(amd64.VCVTPD2PS, k, k)
	m.set(amd64.VCVTPD2PS, e, e)
	m.V(amd64.VCMPPS, amd64.X, k, k, e, amd64.Imm(cmpNotEqual))
}

// without2 are the functions that have no code for AVX2.
var without2 = map[clmath.Func]bool{
	clmath.FuncLdexp: true, clmath.FuncLogb: true, clmath.FuncIlogb: true, clmath.FuncFrexp: true, clmath.FuncNextafter: true,
}

// extreme2 is extreme for AVX2.
func (c *compiler) extreme2(t isa.Type, kind amd64.Imm, d, a, b amd64.Vec) {
	if kind == rangeMin {
		c.leastOrMost(t, c.width(t), opFMin.of(t), opOr.of(t), d, a, b)
	} else {
		c.leastOrMost(t, c.width(t), opFMax.of(t), opAnd.of(t), d, a, b)
	}
}

// split2 adds to the bits of a number what carries from a mantissa of 3/2 on into the
// exponent.
func (m doubles) split2(x amd64.Vec) (mant, minusE amd64.Vec) {
	mant, minusE = m.new(amd64.VPADDQ, x, m.bits64(1<<51)), m.all(1<<52+1023)
	m.set(amd64.VPSRLQ, vecTemp, mant, amd64.Imm(52))
	m.set(amd64.VPORQ, vecTemp, vecTemp, m.num(1<<52))
	m.set(amd64.VSUBPD, minusE, minusE, vecTemp)
	m.set(amd64.VPANDQ, mant, mant, m.bits64(0xfff<<52))
	m.set(amd64.VPSUBQ, mant, x, mant)
	m.set(amd64.VPADDQ, mant, mant, m.num(1))
	return mant, minusE
}

// logAtEnds2 makes the logarithm of what is negative, or a NaN, a NaN, and gives zero and infinity
// theirs.
func (m doubles) logAtEnds2(y, x amd64.Vec) {
	t := m.all(0)
	m.set(amd64.VCMPPD, vecTemp, x, t, amd64.Imm(cmpNotGreaterEqU))
	m.set(amd64.VORPD, y, y, vecTemp)
	m.set(amd64.VCMPPD, vecTemp, x, t, amd64.Imm(cmpEqual))
	m.set(amd64.VBLENDVPD, y, y, m.num(math.Inf(-1)), vecTemp)
	m.set(amd64.VCMPPD, vecTemp, x, m.num(math.Inf(1)), amd64.Imm(cmpEqual))
	m.set(amd64.VBLENDVPD, y, y, m.num(math.Inf(1)), vecTemp)
}

// lookUp2 is lookUp for AVX2.
func (m doubles) lookUp2(table []float64, index amd64.Vec) amd64.Vec {
	x := m.new(amd64.VPANDQ, index, m.bits64(15))
	d := m.vec()
	m.G(amd64.LEA, amd64.B64, regTemp, m.table(table))
	m.set(amd64.VPCMPEQQ, vecTemp, vecTemp, vecTemp)
	m.V(amd64.VGATHERQPD, m.w, d, amd64.VMem(regTemp, x, 8, 0), vecTemp)
	return d
}
