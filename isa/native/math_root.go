package native

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Operands of VFPCLASSPS and VFPCLASSPD (Intel SDM volume 2, VFPCLASSPD).
const (
	classNaN              = 0x81 // quiet or not
	classZero             = 0x06 // of either sign
	classPositiveInfinite = 0x08
	classInfinite         = 0x18
)

// rsqrt refines an approximation y that has a relative error of 2^-14: with e = 1-x*y*y, the
// result is y*(1-e)^(-1/2), of which four terms do.
func (m doubles) rsqrt(xs ...amd64.Vec) amd64.Vec {
	x := xs[0]
	if m.w == amd64.Y {
		y := m.new(amd64.VSQRTPD, x)
		m.set(amd64.VDIVPD, y, m.all(1), y)
		return y
	}
	y := m.new(amd64.VRSQRT14PD, x)
	e := m.new(amd64.VMULPD, x, y)
	m.set(amd64.VFNMADD213PD, e, y, m.num(1))
	p := m.poly(e, []float64{1.0 / 2, 3.0 / 8, 5.0 / 16, 35.0 / 128})
	m.set(amd64.VMULPD, p, p, e)
	m.set(amd64.VMOVDQA64, e, y)
	m.fma(e, p, y)
	m.V(amd64.VFPCLASSPD, amd64.Z, maskTemp, x, amd64.Imm(classZero|classPositiveInfinite))
	m.set(amd64.VMOVDQA64, e, y, amd64.Merge(maskTemp))
	return e
}

// hypot computes sqrt(x*x+y*y), in which only the sum and the root are rounded.
func (m doubles) hypot(x ...amd64.Vec) amd64.Vec {
	y := m.new(amd64.VMULPD, x[0], x[0])
	m.addProduct(y, x[1], x[1])
	m.set(amd64.VSQRTPD, y, y)
	return y
}

// hypotInfinite corrects the hypot of an infinity and a NaN.
func hypotInfinite(c *compiler, w amd64.Width, x []amd64.Vec, d amd64.Vec, _ amd64.Mask) {
	for _, v := range x {
		c.V(amd64.VFPCLASSPS, w, maskTemp, v, amd64.Imm(classInfinite))
		c.V(amd64.VPBROADCASTD, w, d, c.Const32(math.Float32bits(float32(math.Inf(1)))), amd64.Merge(maskTemp))
	}
}

// same makes the operands of a class their own results.
func same(class amd64.Imm) func(*compiler, amd64.Width, []amd64.Vec, amd64.Vec, amd64.Mask) {
	return func(c *compiler, w amd64.Width, x []amd64.Vec, d amd64.Vec, lanes amd64.Mask) {
		c.V(amd64.VFPCLASSPS, w, maskTemp, x[0], class)
		c.V(amd64.VMOVDQA32, w, d, x[0], amd64.Merge(maskTemp))
		c.V(amd64.KANDNW, amd64.X, lanes, maskTemp, lanes)
	}
}
