package mathfn

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
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
	m.V(amd64.VFPCLASSPD, amd64.Z, x86.MaskTemp, x, amd64.Imm(classZero|classPositiveInfinite))
	m.set(amd64.VMOVDQA64, e, y, amd64.Merge(x86.MaskTemp))
	return e
}

// hypot computes sqrt(x*x+y*y), in which only the sum and the root are rounded. An infinity
// counts more than a NaN.
func (m doubles) hypot(x ...amd64.Vec) amd64.Vec {
	y, infinity := m.new(amd64.VMULPD, x[0], x[0]), m.all(math.Inf(1))
	m.set(amd64.VMULPD, x[1], x[1], x[1])
	m.set(amd64.VADDPD, y, y, x[1])
	m.set(amd64.VSQRTPD, y, y)
	m.set(amd64.VMULPD, x[0], x[0], x[0])
	for _, v := range x {
		m.when(v, infinity, x86.CmpEqual)
		m.replace(y, infinity)
	}
	return y
}
