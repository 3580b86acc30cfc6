package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// conversions is the family of conversions between numbers of all types.
func conversions(_ amd64.Features, in *isa.Inst) x86.Emitter {
	switch in.Op {
	case isa.OpTruncate, isa.OpSExt, isa.OpZExt:
		return resize
	case isa.OpSToF, isa.OpUToF:
		return toFloat
	case isa.OpFToS, isa.OpFToU:
		return toInteger
	case isa.OpFToF:
		return refloat
	}
	return nil
}

// conversion is the instruction that converts, by the sizes of the result and of
// the operand: 32 and 64 bits.
type conversion [2][2]amd64.Op

var (
	opSToF = conversion{{amd64.VCVTDQ2PS, amd64.VCVTQQ2PS}, {amd64.VCVTDQ2PD, amd64.VCVTQQ2PD}}
	opUToF = conversion{{amd64.VCVTUDQ2PS, amd64.VCVTUQQ2PS}, {amd64.VCVTUDQ2PD, amd64.VCVTUQQ2PD}}
	opFToS = conversion{{amd64.VCVTTPS2DQ, amd64.VCVTTPD2DQ}, {amd64.VCVTTPS2QQ, amd64.VCVTTPD2QQ}}
	opFToU = conversion{{amd64.VCVTTPS2UDQ, amd64.VCVTTPD2UDQ}, {amd64.VCVTTPS2UQQ, amd64.VCVTTPD2UQQ}}
)

func (x *conversion) of(dst, src isa.Type) amd64.Op {
	return x[dst.Bits()/64][src.Bits()/64]
}

// embedded is the rounding of an instruction. To nearest is what the processor does by itself.
var embedded = map[isa.Round]amd64.Rounding{isa.RoundRTZ: amd64.RoundZero, isa.RoundRTP: amd64.RoundUp, isa.RoundRTN: amd64.RoundDown}

// rounded emits a conversion in one of the directed roundings or to nearest. Roundings are for
// whole registers only; what the upper half of one holds does no harm.
func rounded(c *x86.Compiler, op amd64.Op, w amd64.Width, d, a amd64.Vec, r isa.Round) {
	if mode, ok := embedded[r]; ok {
		c.V(op, amd64.Z, d, a, mode)
	} else {
		c.V(op, w, d, a)
	}
}

// atLeast32 returns the type of which the elements are in vector registers, for
// integers and, where they are computed with, halves.
func atLeast32(t isa.Type) isa.Type {
	switch {
	case t == isa.F16:
		return isa.F32
	case x86.Narrow(t):
		return isa.I32
	}
	return t
}

// single returns the halves in a as F32.
func single(c *x86.Compiler, a amd64.Vec) amd64.Vec {
	d, w := c.Vec(), c.Width(isa.F32)
	c.V(amd64.VPMOVDW, w, d, a)
	c.V(amd64.VCVTPH2PS, w, d, d)
	return d
}

// half rounds the singles in a to halves, in d.
func half(c *x86.Compiler, d, a amd64.Vec, r isa.Round) {
	w := c.Width(isa.F32)
	mode := map[isa.Round]amd64.Imm{isa.RoundRTN: 1, isa.RoundRTP: 2, isa.RoundRTZ: 3}[r]
	c.V(amd64.VCMPPS, w, x86.MaskTemp, a, a, amd64.Imm(x86.CmpUnordered))
	c.V(amd64.VCVTPS2PH, w, d, a, mode)
	c.V(amd64.VPMOVZXWD, w, d, d)
	c.V(amd64.VPBROADCASTD, w, d, c.Const32(0x7e00), amd64.Merge(x86.MaskTemp))
}

// toFloat converts an integer. Halves are made of singles: those to which an
// integer has to be rounded are beyond all halves.
func toFloat(c *x86.Compiler, in *isa.Inst) {
	to, from, op := atLeast32(in.Type), atLeast32(in.Type2), &opUToF
	if in.Op == isa.OpSToF {
		c.View, op = x86.ViewSigned, &opSToF
	}
	a := c.Load(in.A, in.Type2, true)
	c.View = x86.ViewZero
	d := c.Vec()
	if to.Bits() > from.Bits() || x86.Narrow(in.Type2) {
		c.V(op.of(to, from), c.Wider(to, from), d, a) // exact
	} else {
		rounded(c, op.of(to, from), c.Wider(to, from), d, a, in.Flags.Round())
	}
	if in.Type == isa.F16 {
		half(c, d, d, in.Flags.Round())
	}
	c.Result(in, in.Type, d)
}

// refloat converts a float.
func refloat(c *x86.Compiler, in *isa.Inst) {
	to, from, round := in.Type, in.Type2, in.Flags.Round()
	a := c.Load(in.A, from, false)
	if from == isa.F16 && to != isa.F16 {
		a, from = single(c, a), isa.F32
	}
	d := c.Vec()
	switch {
	case to == from && to == isa.F16:
		w := c.Width(to)
		c.V(amd64.VPANDD, w, d, a, c.Const32(0x7fff).Bcast())
		c.V(amd64.VPCMPUD, w, x86.MaskTemp, d, c.Const32(0x7c00).Bcast(), amd64.Imm(x86.IntGreater))
		c.V(amd64.VMOVDQA32, w, d, a)
		c.V(amd64.VPBROADCASTD, w, d, c.Const32(0x7e00), amd64.Merge(x86.MaskTemp))
	case to == from:
		c.V(x86.OpCopy.Of(to), c.Width(to), d, a)
	case to == isa.F64:
		c.V(amd64.VCVTPS2PD, amd64.Z, d, a)
	case to == isa.F32:
		rounded(c, amd64.VCVTPD2PS, amd64.Z, d, a, round)
	case from == isa.F32:
		half(c, d, a, round)
	default:
		// Rounding to odd first makes the second rounding right: it leaves a trace of
		// what was cut off.
		x := c.Vec()
		c.V(amd64.VCVTPD2PS, amd64.Z, d, a, amd64.RoundZero)
		c.V(amd64.VCVTPS2PD, amd64.Z, x, d)
		c.V(amd64.VCMPPD, amd64.Z, x86.MaskTemp, x, a, amd64.Imm(x86.CmpNotEqual))
		c.V(amd64.VPORD, amd64.Y, d, d, c.Const32(1).Bcast(), amd64.Merge(x86.MaskTemp))
		half(c, d, d, round)
	}
	if to == isa.F16 {
		c.Result(in, to, d)
	} else {
		c.ResultFloat(in, d)
	}
}

// toInteger rounds to an integer, saturates, and takes NaN to 0.
func toInteger(c *x86.Compiler, in *isa.Inst) {
	to, from := atLeast32(in.Type), atLeast32(in.Type2)
	w, source := c.Wider(to, from), c.Width(from)
	a := c.Load(in.A, in.Type2, false)
	if in.Type2 == isa.F16 {
		a = single(c, a)
	}
	if mode, ok := map[isa.Round]amd64.Imm{isa.RoundRTE: x86.RoundNearest, isa.RoundRTP: x86.RoundUp, isa.RoundRTN: x86.RoundDown}[in.Flags.Round()]; ok {
		x := c.Vec()
		c.V(x86.OpRound.Of(from), source, x, a, mode)
		a = x
	}
	d := c.Vec()
	if in.Op == isa.OpFToU {
		// Numbers above the range give all ones; those below, and NaN, are left out.
		c.V(x86.OpFCmp.Of(from), source, x86.MaskTemp, a, c.FloatSplat(from, -1), amd64.Imm(x86.CmpGreater))
		c.V(opFToU.of(to, from), w, d, a, amd64.Zero(x86.MaskTemp))
		if x86.Narrow(in.Type) {
			c.V(amd64.VPMINUD, c.Width(to), d, d, c.Const32(1<<in.Type.Bits()-1).Bcast())
		}
		c.Result(in, in.Type, d)
		return
	}
	// Numbers out of range give the least one.
	limit := 1.0 * (1 << 31)
	if to == isa.I64 {
		limit = 1 << 63
	}
	c.V(x86.OpFCmp.Of(from), source, x86.MaskTemp, a, a, amd64.Imm(x86.CmpOrdered))
	c.V(opFToS.of(to, from), w, d, a, amd64.Zero(x86.MaskTemp))
	c.V(x86.OpFCmp.Of(from), source, x86.MaskTemp, a, c.FloatSplat(from, limit), amd64.Imm(x86.CmpGreaterEqual))
	c.V(x86.OpSpread.Of(to), c.Width(to), d, c.Number(to, 1<<(to.Bits()-1)-1), amd64.Merge(x86.MaskTemp))
	if x86.Narrow(in.Type) {
		most := uint32(1)<<(in.Type.Bits()-1) - 1
		c.V(amd64.VPMINSD, c.Width(to), d, d, c.Const32(most).Bcast())
		c.V(amd64.VPMAXSD, c.Width(to), d, d, c.Const32(^most).Bcast())
		c.View = x86.ViewCut
	}
	c.Result(in, in.Type, d)
	c.View = x86.ViewZero
}

// resize changes the width of integers. The widths say what happens, whatever the opcode
// is called.
func resize(c *x86.Compiler, in *isa.Inst) {
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
		c.V(amd64.VPMOVQD, amd64.Z, d, a)
	case extend:
		c.V(amd64.VPMOVSXDQ, amd64.Z, d, a)
	default:
		c.V(amd64.VPMOVZXDQ, amd64.Z, d, a)
	}
	if to.Bits() < from.Bits() || extend {
		c.View = x86.ViewCut
	}
	c.Result(in, to, d)
	c.View = x86.ViewZero
}
