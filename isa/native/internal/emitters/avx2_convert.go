package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// conversions2 is [conversions] for AVX2: not those in which a directed rounding to F32 or
// F64 could make a difference.
func conversions2(_ amd64.Features, in *isa.Inst) x86.Emitter {
	to, from := in.Type, in.Type2
	nearest := in.Flags.Round() == isa.RoundDefault || in.Flags.Round() == isa.RoundRTE
	switch in.Op {
	case isa.OpTruncate, isa.OpSExt, isa.OpZExt:
		return resize2
	case isa.OpSToF, isa.OpUToF:
		if nearest || to == isa.F16 || to.Bits() > from.Bits() || x86.Narrow(from) {
			return toFloat2
		}
	case isa.OpFToS, isa.OpFToU:
		return toInteger2
	case isa.OpFToF:
		if nearest && !(to == isa.F16 && from == isa.F64) || to.Bits() >= from.Bits() || to == isa.F16 && from == isa.F32 {
			return refloat2
		}
	}
	return nil
}

// resize2 changes the width of integers.
func resize2(c *x86.Compiler, in *isa.Inst) {
	to, from := in.Type, in.Type2
	extend := in.Op == isa.OpSExt && to.Bits() > from.Bits()
	if extend {
		c.View = x86.ViewSigned
	}
	a := c.Load(in.A, from, true)
	d := c.Vec()
	switch {
	case x86.ElementBits(to) == x86.ElementBits(from):
		c.V(x86.OpCopy.Of(to), c.Width(to), d, a)
	case to.Bits() < from.Bits():
		c.Narrow(d, a)
	case extend:
		c.V(amd64.VPMOVSXDQ, amd64.Y, d, a)
	default:
		c.V(amd64.VPMOVZXDQ, amd64.Y, d, a)
	}
	if to.Bits() < from.Bits() || extend {
		c.View = x86.ViewCut
	}
	c.Result(in, to, d)
	c.View = x86.ViewZero
}

// single2 returns the halves in a as F32.
func single2(c *x86.Compiler, a amd64.Vec) amd64.Vec {
	d := c.Vec()
	c.Pack(d, a)
	c.V(amd64.VCVTPH2PS, c.Width(isa.F32), d, d)
	return d
}

// half2 rounds the singles in a to halves, in d.
func half2(c *x86.Compiler, d, a amd64.Vec, r isa.Round) {
	w := c.Width(isa.F32)
	mode := map[isa.Round]amd64.Imm{isa.RoundRTN: 1, isa.RoundRTP: 2, isa.RoundRTZ: 3}[r]
	c.V(amd64.VCMPPS, w, x86.VecTemp, a, a, amd64.Imm(x86.CmpUnordered))
	c.V(amd64.VCVTPS2PH, w, d, a, mode)
	c.V(amd64.VPMOVZXWD, w, d, d)
	c.V(amd64.VBLENDVPS, w, d, d, c.Splat32(w, 0x7e00), x86.VecTemp)
}

// refloat2 converts a float.
func refloat2(c *x86.Compiler, in *isa.Inst) {
	to, from := in.Type, in.Type2
	a := c.Load(in.A, from, false)
	if from == isa.F16 && to != isa.F16 {
		a, from = single2(c, a), isa.F32
	}
	d, w := c.Vec(), c.Width(to)
	switch {
	case to == from && to == isa.F16:
		c.V(amd64.VPANDD, w, d, a, c.Splat32(w, 0x7fff))
		c.V(amd64.VPCMPGTD, w, d, d, c.Splat32(w, 0x7c00))
		c.V(amd64.VBLENDVPS, w, d, a, c.Splat32(w, 0x7e00), d)
	case to == from:
		c.V(x86.OpCopy.Of(to), w, d, a)
	case to == isa.F64:
		c.V(amd64.VCVTPS2PD, amd64.Y, d, a)
	case to == isa.F32:
		c.V(amd64.VCVTPD2PS, amd64.Y, d, a)
	default:
		half2(c, d, a, in.Flags.Round())
	}
	if to == isa.F16 {
		c.Result(in, to, d)
	} else {
		c.ResultFloat(in, d)
	}
}

// toFloat2 converts an integer. Halves are made of singles: those to which an
// integer has to be rounded are beyond all halves.
func toFloat2(c *x86.Compiler, in *isa.Inst) {
	to, signed := atLeast32(in.Type), in.Op == isa.OpSToF
	if signed {
		c.View = x86.ViewSigned
	}
	a := c.Load(in.A, in.Type2, true)
	c.View = x86.ViewZero
	d := c.Vec()
	switch {
	case in.Type2 != isa.I64:
		intToFloat(c, to, signed || x86.Narrow(in.Type2), d, a)
	case to == isa.F64:
		longToDouble(c, signed, d, a, c.Vec())
	default:
		longToFloat(c, signed, d, a, c.Vec())
	}
	if in.Type == isa.F16 {
		half2(c, d, d, in.Flags.Round())
	}
	c.Result(in, in.Type, d)
}

// intToFloat converts from 32 bits.
func intToFloat(c *x86.Compiler, to isa.Type, signed bool, d, a amd64.Vec) {
	w := c.Width(to)
	switch {
	case signed && to == isa.F32:
		c.V(amd64.VCVTDQ2PS, w, d, a)
	case signed:
		c.V(amd64.VCVTDQ2PD, w, d, a)
	case to == isa.F32:
		// Both halves are exact, and so is the upper one at its place: one rounding.
		c.V(amd64.VPSRLD, w, x86.VecTemp, a, amd64.Imm(16))
		c.V(amd64.VCVTDQ2PS, w, x86.VecTemp, x86.VecTemp)
		c.V(amd64.VMULPS, w, x86.VecTemp, x86.VecTemp, c.FloatSplat(to, 1<<16))
		c.V(amd64.VPANDD, w, d, a, c.Splat(to, 1<<16-1, 0))
		c.V(amd64.VCVTDQ2PS, w, d, d)
		c.V(amd64.VADDPS, w, d, d, x86.VecTemp)
	default:
		c.V(amd64.VPXORD, amd64.X, d, a, c.Sign(isa.I32))
		c.V(amd64.VCVTDQ2PD, w, d, d)
		c.V(amd64.VADDPD, w, d, d, c.FloatSplat(to, 1<<31))
	}
}

// longToFloat converts from 64 bits to F32. x is free.
func longToFloat(c *x86.Compiler, signed bool, d, a, x amd64.Vec) {
	// A number of more than 53 bits gets a last one of 11 bits more than it had room for, which says
	// whether there is anything below: it is exact as an F64, and rounds as the number would.
	rest := c.Splat64(amd64.Y, 1<<11-1)
	c.V(amd64.VPANDQ, amd64.Y, d, a, rest)
	c.V(amd64.VPADDQ, amd64.Y, d, d, rest)
	c.V(amd64.VPORQ, amd64.Y, d, d, a)
	c.V(amd64.VPANDQ, amd64.Y, d, d, c.Splat64(amd64.Y, ^uint64(1<<11-1)))
	if signed {
		c.V(amd64.VPADDQ, amd64.Y, x, a, c.Splat64(amd64.Y, 1<<53))
		c.V(amd64.VPSRLQ, amd64.Y, x, x, amd64.Imm(54))
	} else {
		c.V(amd64.VPSRLQ, amd64.Y, x, a, amd64.Imm(53))
	}
	c.V(amd64.VPXORQ, amd64.Y, x86.VecTemp, x86.VecTemp, x86.VecTemp)
	c.V(amd64.VPCMPEQQ, amd64.Y, x, x, x86.VecTemp)
	c.V(amd64.VBLENDVPD, amd64.Y, d, d, a, x)
	longToDouble(c, signed, d, d, x)
	c.V(amd64.VCVTPD2PS, amd64.Y, d, d)
}

// longToDouble puts the halves of a number into the fractions of two floats, and adds them: one
// rounding. d may be a; x is free.
func longToDouble(c *x86.Compiler, signed bool, d, a, x amd64.Vec) {
	const (
		two52 = 0x433 << 52 // of which the last bit of the fraction is 1
		two84 = 0x453 << 52 // 2³²
	)
	c.V(amd64.VPSRLQ, amd64.Y, x, a, amd64.Imm(32))
	bias := float64(1<<84 + 1<<52)
	if signed {
		c.V(amd64.VPXORQ, amd64.Y, x, x, c.Splat64(amd64.Y, two84|1<<31))
		bias += 1 << 63
	} else {
		c.V(amd64.VPXORQ, amd64.Y, x, x, c.Splat64(amd64.Y, two84))
	}
	c.V(amd64.VSUBPD, amd64.Y, x, x, c.FloatSplat(isa.F64, bias))
	c.V(amd64.VPBLENDD, amd64.Y, d, a, c.Splat64(amd64.Y, two52), amd64.Imm(0xaa))
	c.V(amd64.VADDPD, amd64.Y, d, d, x)
}

// toInteger2 rounds to an integer, saturates, and takes NaN to 0.
func toInteger2(c *x86.Compiler, in *isa.Inst) {
	to, from := atLeast32(in.Type), atLeast32(in.Type2)
	w, signed := c.Width(from), in.Op == isa.OpFToS
	a := c.Load(in.A, in.Type2, false)
	if in.Type2 == isa.F16 {
		a = single2(c, a)
	}
	d, x, y := c.Vec(), c.Vec(), c.Vec()
	mode, ok := map[isa.Round]amd64.Imm{isa.RoundRTE: x86.RoundNearest, isa.RoundRTP: x86.RoundUp, isa.RoundRTN: x86.RoundDown}[in.Flags.Round()]
	if !ok {
		mode = x86.RoundZero
	}
	c.V(x86.OpRound2.Of(from), w, y, a, mode)
	if from == isa.F32 && to == isa.I64 {
		from, w = isa.F64, amd64.Y
		c.V(amd64.VCVTPS2PD, w, y, y)
	}
	// NaN gives 0, and so do negative numbers if the result has no sign.
	if signed {
		c.V(x86.OpFCmp.Of(from), w, d, y, y, amd64.Imm(x86.CmpOrdered))
		c.V(x86.OpAnd.Of(from), w, y, y, d)
	} else {
		c.V(x86.OpXor.Of(from), w, d, d, d)
		c.V(x86.OpFMax.Of(from), w, y, y, d)
	}
	switch {
	case to == isa.I64:
		doubleToLong(c, signed, d, y, x)
	case from == isa.F64 && signed:
		c.V(amd64.VMINPD, w, y, y, c.FloatSplat(from, 1<<31-1))
		c.V(amd64.VCVTTPD2DQ, w, d, y) // below the range: the least one
	case from == isa.F64:
		c.V(amd64.VMINPD, w, y, y, c.FloatSplat(from, 1<<32-1))
		c.V(amd64.VADDPD, w, y, y, c.FloatSplat(from, 1<<52))
		c.Narrow(d, y)
	case signed:
		// Out of the range, it is the least one: its complement is the greatest.
		c.V(amd64.VCVTTPS2DQ, w, d, y)
		c.V(amd64.VCMPPS, w, x, y, c.FloatSplat(from, 1<<31), amd64.Imm(x86.CmpGreaterEqual))
		c.V(amd64.VPXORD, w, d, d, x)
	default:
		// From 2³¹ on, the number less 2³¹, and the uppermost bit from the first conversion.
		c.V(amd64.VCVTTPS2DQ, w, d, y)
		c.V(amd64.VSUBPS, w, x, y, c.FloatSplat(from, 1<<31))
		c.V(amd64.VCVTTPS2DQ, w, x, x)
		c.V(amd64.VPSRAD, w, x86.VecTemp, d, amd64.Imm(31))
		c.V(amd64.VPANDD, w, x, x, x86.VecTemp)
		c.V(amd64.VPORD, w, d, d, x)
		c.V(amd64.VCMPPS, w, x, y, c.FloatSplat(from, 1<<32), amd64.Imm(x86.CmpGreaterEqual))
		c.V(amd64.VPORD, w, d, d, x)
	}
	if x86.Narrow(in.Type) {
		clamp(c, in.Type, signed, d)
		c.View = x86.ViewCut
	}
	c.Result(in, in.Type, d)
	c.View = x86.ViewZero
}

// clamp takes numbers of 32 bits to the range of a narrow type.
func clamp(c *x86.Compiler, t isa.Type, signed bool, d amd64.Vec) {
	w := c.Width(t)
	if !signed {
		c.V(amd64.VPMINUD, w, d, d, c.Splat32(w, 1<<t.Bits()-1))
		return
	}
	most := uint32(1)<<(t.Bits()-1) - 1
	c.V(amd64.VPMINSD, w, d, d, c.Splat32(w, most))
	c.V(amd64.VPMAXSD, w, d, d, c.Splat32(w, ^most))
}

// doubleToLong converts integers, and saturates. Their upper and lower halves, in the fractions of two
// floats, are those of the result. y and x change.
func doubleToLong(c *x86.Compiler, signed bool, d, y, x amd64.Vec) {
	limit, bias := float64(1<<64), float64(1<<52)
	if signed {
		// 2⁵¹ more make the difference positive.
		limit, bias = 1<<63, 1<<52+1<<51
		c.V(amd64.VMAXPD, amd64.Y, y, y, c.FloatSplat(isa.F64, -(1<<63)))
	}
	c.V(amd64.VMULPD, amd64.Y, x, y, c.FloatSplat(isa.F64, 1.0/(1<<32)))
	c.V(amd64.VROUNDPD, amd64.Y, x, x, amd64.Imm(x86.RoundDown))
	c.V(amd64.VMULPD, amd64.Y, d, x, c.FloatSplat(isa.F64, 1<<32))
	c.V(amd64.VSUBPD, amd64.Y, d, y, d)
	c.V(amd64.VADDPD, amd64.Y, d, d, c.FloatSplat(isa.F64, 1<<52))
	c.V(amd64.VADDPD, amd64.Y, x, x, c.FloatSplat(isa.F64, bias))
	c.V(amd64.VPSLLQ, amd64.Y, x, x, amd64.Imm(32))
	c.V(amd64.VPBLENDD, amd64.Y, d, d, x, amd64.Imm(0xaa))
	c.V(amd64.VCMPPD, amd64.Y, x, y, c.FloatSplat(isa.F64, limit), amd64.Imm(x86.CmpGreaterEqual))
	if signed {
		c.V(amd64.VPSRLQ, amd64.Y, x86.VecTemp, x, amd64.Imm(1))
		c.V(amd64.VBLENDVPD, amd64.Y, d, d, x86.VecTemp, x)
	} else {
		c.V(amd64.VPORQ, amd64.Y, d, d, x)
	}
}
