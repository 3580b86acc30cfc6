package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Floats of other encodings than IEEE 754's: bfloat16 and those of 8 bits. Registers hold their bits as integers. All
// that kernels do with them is to move and to convert them, by way of single precision, which has all of their values.

// convertSmall converts between two types of which one, at least, is a small float.
func (b *builder) convertSmall(op spirv.Op, ft, tt *typ, fl isa.Flags, sat bool, x *ssa.Value, id spirv.ID) *ssa.Value {
	single := &typ{kind: kindFloat, bits: 32, flat: 1}
	if ft.small != nil {
		if tt.small == ft.small {
			return x
		}
		x = b.fromSmall(ft.small, x)
		if tt.small == nil {
			return b.convertScalar(op, single, tt, fl, sat, x)
		}
		ft = single
	}
	limit := b.m.decorated(id, spirv.DecorationSaturatedToLargestFloat8NormalConversionEXT)
	return b.toSmall(tt.small, b.odd32(op, ft, x), fl.Round(), limit)
}

// fromSmall converts a small float to single precision.
func (b *builder) fromSmall(f *smallFloat, x *ssa.Value) *ssa.Value {
	const w = isa.I32
	switch f {
	case scale8:
		return b.fromScale(x)
	case mxInt8:
		whole := b.conv(isa.OpSToF, isa.F32, isa.I8, x)
		return b.bin(isa.OpFMul, isa.F32, whole, b.imm(isa.I32, floatBits(isa.F32, 1.0/64)))
	}
	if f.bits == 16 {
		return b.bin(isa.OpShl, w, b.conv(isa.OpZExt, w, isa.I16, x), b.imm(w, 16))
	}
	if f.bias == 15 {
		half := b.bin(isa.OpShl, isa.I16, b.conv(isa.OpZExt, isa.I16, isa.I8, x), b.imm(isa.I16, 8))
		return b.conv(isa.OpFToF, isa.F32, isa.F16, half)
	}
	x = b.conv(isa.OpZExt, w, isa.I8, x)
	sign := b.bin(isa.OpShl, w, b.bin(isa.OpAnd, w, x, b.imm(w, 1<<(f.bits-1))), b.imm(w, uint64(32-f.bits)))
	a := b.bin(isa.OpAnd, w, x, b.imm(w, 1<<(f.bits-1)-1))
	// Denormals count units of the last place.
	shift := uint64(23 - f.mantissa)
	normal := b.bin(isa.OpAdd, w, b.bin(isa.OpShl, w, a, b.imm(w, shift)), b.imm(w, uint64(127-f.bias)<<23))
	unit := b.imm(w, uint64(127-f.bias+1-f.mantissa)<<23)
	denormal := b.bin(isa.OpFMul, isa.F32, b.conv(isa.OpUToF, isa.F32, w, a), unit)
	y := b.sel(w, b.cmp(isa.OpLtU, w, a, b.imm(w, 1<<f.mantissa)), denormal, normal)
	y = b.bin(isa.OpOr, w, y, sign)
	if f.finiteOnly {
		return y
	}
	return b.sel(w, b.cmp(isa.OpEq, w, a, b.imm(w, f.nan)), b.imm(w, 0x7fc00000), y)
}

// odd32 converts a number to single precision, rounded to odd where it is not exact: a second rounding to fewer bits
// then gives what one alone would have given.
func (b *builder) odd32(op spirv.Op, ft *typ, x *ssa.Value) *ssa.Value {
	toZero := isa.Flags(0).WithRound(isa.RoundRTZ)
	fs := ft.scalar()
	switch op {
	case spirv.OpConvertSToF, spirv.OpConvertUToF:
		to, back := isa.OpUToF, isa.OpFToU
		if op == spirv.OpConvertSToF {
			to, back = isa.OpSToF, isa.OpFToS
			x = b.signed(ft, x)
		}
		y := b.convFlags(to, isa.F64, fs, toZero, x)
		if fs == isa.I64 {
			same := b.cmp(isa.OpEq, fs, b.convFlags(back, fs, isa.F64, 0, y), x)
			y = b.sel(fs, same, y, b.bin(isa.OpOr, fs, y, b.imm(fs, 1)))
		}
		x, fs = y, isa.F64
	}
	switch fs {
	case isa.F16:
		return b.conv(isa.OpFToF, isa.F32, isa.F16, x)
	case isa.F32:
		return x
	}
	y := b.convFlags(isa.OpFToF, isa.F32, isa.F64, toZero, x)
	same := b.cmp(isa.OpFUEq, isa.F64, b.conv(isa.OpFToF, isa.F64, isa.F32, y), x)
	return b.sel(isa.I32, same, y, b.bin(isa.OpOr, isa.I32, y, b.imm(isa.I32, 1)))
}

// toSmall rounds a number of single precision to a small float. limit says that what is too large becomes the largest
// number; otherwise that depends on the rounding, or is NaN where the encoding has no infinities.
func (b *builder) toSmall(f *smallFloat, x *ssa.Value, round isa.Round, limit bool) *ssa.Value {
	const w = isa.I32
	switch f {
	case scale8:
		return b.toScale(x, round)
	case mxInt8:
		return b.toMXInt8(x, round)
	}
	num := func(n uint64) *ssa.Value { return b.imm(w, n) }
	bin := func(op isa.Op, x, y *ssa.Value) *ssa.Value { return b.bin(op, w, x, y) }
	negative := b.cmp(isa.OpLtS, w, x, num(0))
	a := bin(isa.OpAnd, x, num(0x7fffffff))
	e := bin(isa.OpShrU, a, num(23))
	m := bin(isa.OpAnd, a, num(0x7fffff))
	m = b.sel(w, b.cmp(isa.OpEq, w, e, num(0)), m, bin(isa.OpOr, m, num(0x800000)))
	e = bin(isa.OpMaxU, e, num(1))

	// The exponent of the least normal number, as that of single precision, and how many bits go.
	least := num(uint64(127 - f.bias + 1))
	below := bin(isa.OpSub, bin(isa.OpMaxU, least, e), e)
	drop := bin(isa.OpMinU, bin(isa.OpAdd, below, num(uint64(23-f.mantissa))), num(25))
	q := bin(isa.OpShrU, m, drop)
	rest := bin(isa.OpSub, m, bin(isa.OpShl, q, drop))
	var up *ssa.Value
	inexact := b.cmp(isa.OpNe, w, rest, num(0))
	switch round {
	case isa.RoundRTZ:
		up = num(0)
	case isa.RoundRTP:
		up = b.sel(w, b.bin(isa.OpAnd, isa.B1, inexact, b.not(negative)), num(1), num(0))
	case isa.RoundRTN:
		up = b.sel(w, b.bin(isa.OpAnd, isa.B1, inexact, negative), num(1), num(0))
	default:
		half := bin(isa.OpShl, num(1), bin(isa.OpSub, drop, num(1)))
		tie := b.sel(w, b.cmp(isa.OpEq, w, rest, half), bin(isa.OpAnd, q, num(1)), num(0))
		up = b.sel(w, b.cmp(isa.OpLtU, w, half, rest), num(1), tie)
	}
	q = bin(isa.OpAdd, q, up)
	// A normal number has its leading bit in q, which is 1 of the exponent already.
	q = bin(isa.OpAdd, q, bin(isa.OpShl, bin(isa.OpSub, bin(isa.OpMaxU, e, least), least), num(uint64(f.mantissa))))

	// What is too large. An infinity is no number that is rounded.
	top, infinite := num(f.over), num(f.over)
	switch {
	case limit:
		top, infinite = num(f.largest), num(f.largest)
	case f.finite():
	case round == isa.RoundRTZ:
		top = num(f.largest)
	case round == isa.RoundRTP:
		top = b.sel(w, negative, num(f.largest), top)
	case round == isa.RoundRTN:
		top = b.sel(w, negative, top, num(f.largest))
	}
	q = b.sel(w, b.cmp(isa.OpLtU, w, num(f.largest), q), top, q)
	q = b.sel(w, b.cmp(isa.OpEq, w, a, num(0x7f800000)), infinite, q)
	q = bin(isa.OpOr, q, b.sel(w, negative, num(1<<(f.bits-1)), num(0)))
	nan := num(f.nan)
	if f.finiteOnly {
		nan = num(f.largest)
	}
	q = b.sel(w, b.cmp(isa.OpLtU, w, num(0x7f800000), a), nan, q)
	return b.resize(q, w, isa.IntOf(max(f.bits, 8)))
}

// bfloatInteger reads the conversions of SPV_INTEL_bfloat16_conversion, where bfloat16 is held in integers.
func (b *builder) bfloatInteger(in spirv.Inst) {
	whole, single := b.m.typeOf(in.ResultType()).component(), b.operandType(in, 0)
	if in.Op() == spirv.OpConvertBF16ToFINTEL {
		whole, single = single, whole
	}
	if whole.scalar() != isa.I16 || whole.odd() || single.scalar() != isa.F32 {
		b.fail("converts between floats of 32 bits and integers of 16")
	}
	b.each(in, func(_ *typ, a []*ssa.Value) *ssa.Value {
		if in.Op() == spirv.OpConvertBF16ToFINTEL {
			return b.fromSmall(bfloat16, a[0])
		}
		return b.toSmall(bfloat16, a[0], isa.RoundDefault, false)
	})
}

// dotSmall is a dot product of small floats: exact products, added in single precision and rounded once more.
func (b *builder) dotSmall(f *smallFloat, x, y []*ssa.Value) *ssa.Value {
	wide := func(list []*ssa.Value) []*ssa.Value {
		out := make([]*ssa.Value, len(list))
		for i, v := range list {
			out[i] = b.fromSmall(f, v)
		}
		return out
	}
	return b.toSmall(f, b.dot(isa.F32, wide(x), wide(y)), isa.RoundDefault, false)
}
