package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// conversions is the family of conversions between types of 32 and 64 bits: not of
// those to a float in another rounding than to nearest.
func conversions(_ amd64.Features, in *isa.Inst) emitter {
	if in.Op.Info().Shape != isa.ShapeConvert || in.Type == isa.B1 || in.Type2 == isa.B1 || !wideOrBool(in.Type) || !wideOrBool(in.Type2) {
		return nil
	}
	switch in.Op {
	case isa.OpSToF, isa.OpUToF, isa.OpFToF:
		if r := in.Flags.Round(); r != isa.RoundDefault && r != isa.RoundRTE {
			return nil
		}
	}
	return (*compiler).convert
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

// convert emits a conversion.
func (c *compiler) convert(in *isa.Inst) {
	to, from := in.Type, in.Type2
	w := c.width(to)
	if from.Bits() > to.Bits() {
		w = c.width(from)
	}
	switch in.Op {
	case isa.OpSToF, isa.OpUToF:
		op := &opSToF
		if in.Op == isa.OpUToF {
			op = &opUToF
		}
		a := c.load(in.A, from, true)
		d := c.vec()
		c.V(op.of(to, from), w, d, a)
		c.result(in, to, d)
	case isa.OpFToF:
		a := c.load(in.A, from, false)
		d := c.vec()
		switch {
		case to == from:
			c.V(opCopy.of(to), w, d, a)
		case to == isa.F64:
			c.V(amd64.VCVTPS2PD, w, d, a)
		default:
			c.V(amd64.VCVTPD2PS, w, d, a)
		}
		c.resultFloat(in, d)
	case isa.OpFToS, isa.OpFToU:
		c.toInteger(in, w)
	default:
		c.resize(in, w)
	}
}

// toInteger rounds to an integer, saturates, and takes NaN to 0.
func (c *compiler) toInteger(in *isa.Inst, w amd64.Width) {
	to, from := in.Type, in.Type2
	source := c.width(from)
	a := c.load(in.A, from, false)
	if mode, ok := map[isa.Round]amd64.Imm{isa.RoundRTE: roundNearest, isa.RoundRTP: roundUp, isa.RoundRTN: roundDown}[in.Flags.Round()]; ok {
		x := c.vec()
		c.V(opRound.of(from), source, x, a, mode)
		a = x
	}
	d := c.vec()
	if in.Op == isa.OpFToU {
		// Numbers above the range give all ones; those below, and NaN, are left out.
		c.V(opFCmp.of(from), source, maskTemp, a, c.floatSplat(from, -1), amd64.Imm(cmpGreater))
		c.V(opFToU.of(to, from), w, d, a, amd64.Zero(maskTemp))
		c.result(in, to, d)
		return
	}
	// Numbers out of range give the least one.
	limit := 1.0 * (1 << 31)
	if to == isa.I64 {
		limit = 1 << 63
	}
	c.V(opFCmp.of(from), source, maskTemp, a, a, amd64.Imm(cmpOrdered))
	c.V(opFToS.of(to, from), w, d, a, amd64.Zero(maskTemp))
	c.V(opFCmp.of(from), source, maskTemp, a, c.floatSplat(from, limit), amd64.Imm(cmpGreaterEqual))
	c.V(opSpread.of(to), c.width(to), d, c.number(to, 1<<(to.Bits()-1)-1), amd64.Merge(maskTemp))
	c.result(in, to, d)
}

// resize changes the width of integers.
func (c *compiler) resize(in *isa.Inst, w amd64.Width) {
	to, from := in.Type, in.Type2
	a := c.load(in.A, from, true)
	d := c.vec()
	switch {
	case to.Bits() == from.Bits():
		c.V(opCopy.of(to), w, d, a)
	case to.Bits() < from.Bits():
		c.V(amd64.VPMOVQD, w, d, a)
	case in.Op == isa.OpSExt:
		c.V(amd64.VPMOVSXDQ, w, d, a)
	default:
		c.V(amd64.VPMOVZXDQ, w, d, a)
	}
	c.result(in, to, d)
}
