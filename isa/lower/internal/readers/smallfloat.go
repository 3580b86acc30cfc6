package readers

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Floats of other encodings than IEEE 754's: bfloat16 and those of 8 bits. Registers hold their bits as integers. All
// that kernels do with them is to move and to convert them, by way of single precision, which has all of their values.

// convertSmall converts between two types of which one, at least, is a small float.
func convertSmall(b *build.Builder, op spirv.Op, ft, tt *build.Type, fl isa.Flags, sat bool, x *ssa.Value, id spirv.ID) *ssa.Value {
	single := &build.Type{Kind: build.KindFloat, Bits: 32, Flat: 1}
	if ft.Small != nil {
		if tt.Small == ft.Small {
			return x
		}
		x = fromSmall(b, ft.Small, x)
		if tt.Small == nil {
			return convertScalar(b, op, single, tt, fl, sat, x)
		}
		ft = single
	}
	limit := b.Module.Decorated(id, spirv.DecorationSaturatedToLargestFloat8NormalConversionEXT)
	return toSmall(b, tt.Small, odd32(b, op, ft, x), fl.Round(), limit)
}

// fromSmall converts a small float to single precision.
func fromSmall(b *build.Builder, f *build.SmallFloat, x *ssa.Value) *ssa.Value {
	const w = isa.I32
	switch f {
	case build.Scale8:
		return fromScale(b, x)
	case build.MXInt8:
		whole := b.Conv(isa.OpSToF, isa.F32, isa.I8, x)
		return b.Bin(isa.OpFMul, isa.F32, whole, b.Imm(isa.I32, build.FloatBits(isa.F32, 1.0/64)))
	}
	if f.Bits == 16 {
		return b.Bin(isa.OpShl, w, b.Conv(isa.OpZExt, w, isa.I16, x), b.Imm(w, 16))
	}
	if f.Bias == 15 {
		half := b.Bin(isa.OpShl, isa.I16, b.Conv(isa.OpZExt, isa.I16, isa.I8, x), b.Imm(isa.I16, 8))
		return b.Conv(isa.OpFToF, isa.F32, isa.F16, half)
	}
	x = b.Conv(isa.OpZExt, w, isa.I8, x)
	sign := b.Bin(isa.OpShl, w, b.Bin(isa.OpAnd, w, x, b.Imm(w, 1<<(f.Bits-1))), b.Imm(w, uint64(32-f.Bits)))
	a := b.Bin(isa.OpAnd, w, x, b.Imm(w, 1<<(f.Bits-1)-1))
	// Denormals count units of the last place.
	shift := uint64(23 - f.Mantissa)
	normal := b.Bin(isa.OpAdd, w, b.Bin(isa.OpShl, w, a, b.Imm(w, shift)), b.Imm(w, uint64(127-f.Bias)<<23))
	unit := b.Imm(w, uint64(127-f.Bias+1-f.Mantissa)<<23)
	denormal := b.Bin(isa.OpFMul, isa.F32, b.Conv(isa.OpUToF, isa.F32, w, a), unit)
	y := b.Sel(w, b.Cmp(isa.OpLtU, w, a, b.Imm(w, 1<<f.Mantissa)), denormal, normal)
	y = b.Bin(isa.OpOr, w, y, sign)
	if f.FiniteOnly {
		return y
	}
	return b.Sel(w, b.Cmp(isa.OpEq, w, a, b.Imm(w, f.NaN)), b.Imm(w, 0x7fc00000), y)
}

// odd32 converts a number to single precision, rounded to odd where it is not exact: a second rounding to fewer bits
// then gives what one alone would have given.
func odd32(b *build.Builder, op spirv.Op, ft *build.Type, x *ssa.Value) *ssa.Value {
	toZero := isa.Flags(0).WithRound(isa.RoundRTZ)
	fs := ft.Scalar()
	switch op {
	case spirv.OpConvertSToF, spirv.OpConvertUToF:
		to, back := isa.OpUToF, isa.OpFToU
		if op == spirv.OpConvertSToF {
			to, back = isa.OpSToF, isa.OpFToS
			x = b.Signed(ft, x)
		}
		y := b.ConvFlags(to, isa.F64, fs, toZero, x)
		if fs == isa.I64 {
			same := b.Cmp(isa.OpEq, fs, b.ConvFlags(back, fs, isa.F64, 0, y), x)
			y = b.Sel(fs, same, y, b.Bin(isa.OpOr, fs, y, b.Imm(fs, 1)))
		}
		x, fs = y, isa.F64
	}
	switch fs {
	case isa.F16:
		return b.Conv(isa.OpFToF, isa.F32, isa.F16, x)
	case isa.F32:
		return x
	}
	y := b.ConvFlags(isa.OpFToF, isa.F32, isa.F64, toZero, x)
	same := b.Cmp(isa.OpFUEq, isa.F64, b.Conv(isa.OpFToF, isa.F64, isa.F32, y), x)
	return b.Sel(isa.I32, same, y, b.Bin(isa.OpOr, isa.I32, y, b.Imm(isa.I32, 1)))
}

// toSmall rounds a number of single precision to a small float. limit says that what is too large becomes the largest
// number; otherwise that depends on the rounding, or is NaN where the encoding has no infinities.
func toSmall(b *build.Builder, f *build.SmallFloat, x *ssa.Value, round isa.Round, limit bool) *ssa.Value {
	const w = isa.I32
	switch f {
	case build.Scale8:
		return toScale(b, x, round)
	case build.MXInt8:
		return toMXInt8(b, x, round)
	}
	num := func(n uint64) *ssa.Value { return b.Imm(w, n) }
	bin := func(op isa.Op, x, y *ssa.Value) *ssa.Value { return b.Bin(op, w, x, y) }
	negative := b.Cmp(isa.OpLtS, w, x, num(0))
	a := bin(isa.OpAnd, x, num(0x7fffffff))
	e := bin(isa.OpShrU, a, num(23))
	m := bin(isa.OpAnd, a, num(0x7fffff))
	m = b.Sel(w, b.Cmp(isa.OpEq, w, e, num(0)), m, bin(isa.OpOr, m, num(0x800000)))
	e = bin(isa.OpMaxU, e, num(1))

	// The exponent of the least normal number, as that of single precision, and how many bits go.
	least := num(uint64(127 - f.Bias + 1))
	below := bin(isa.OpSub, bin(isa.OpMaxU, least, e), e)
	drop := bin(isa.OpMinU, bin(isa.OpAdd, below, num(uint64(23-f.Mantissa))), num(25))
	q := bin(isa.OpShrU, m, drop)
	rest := bin(isa.OpSub, m, bin(isa.OpShl, q, drop))
	var up *ssa.Value
	inexact := b.Cmp(isa.OpNe, w, rest, num(0))
	switch round {
	case isa.RoundRTZ:
		up = num(0)
	case isa.RoundRTP:
		up = b.Sel(w, b.Bin(isa.OpAnd, isa.B1, inexact, b.Not(negative)), num(1), num(0))
	case isa.RoundRTN:
		up = b.Sel(w, b.Bin(isa.OpAnd, isa.B1, inexact, negative), num(1), num(0))
	default:
		half := bin(isa.OpShl, num(1), bin(isa.OpSub, drop, num(1)))
		tie := b.Sel(w, b.Cmp(isa.OpEq, w, rest, half), bin(isa.OpAnd, q, num(1)), num(0))
		up = b.Sel(w, b.Cmp(isa.OpLtU, w, half, rest), num(1), tie)
	}
	q = bin(isa.OpAdd, q, up)
	// A normal number has its leading bit in q, which is 1 of the exponent already.
	q = bin(isa.OpAdd, q, bin(isa.OpShl, bin(isa.OpSub, bin(isa.OpMaxU, e, least), least), num(uint64(f.Mantissa))))

	// What is too large. An infinity is no number that is rounded.
	top, infinite := num(f.Over), num(f.Over)
	switch {
	case limit:
		top, infinite = num(f.Largest), num(f.Largest)
	case f.Finite():
	case round == isa.RoundRTZ:
		top = num(f.Largest)
	case round == isa.RoundRTP:
		top = b.Sel(w, negative, num(f.Largest), top)
	case round == isa.RoundRTN:
		top = b.Sel(w, negative, top, num(f.Largest))
	}
	q = b.Sel(w, b.Cmp(isa.OpLtU, w, num(f.Largest), q), top, q)
	q = b.Sel(w, b.Cmp(isa.OpEq, w, a, num(0x7f800000)), infinite, q)
	q = bin(isa.OpOr, q, b.Sel(w, negative, num(1<<(f.Bits-1)), num(0)))
	nan := num(f.NaN)
	if f.FiniteOnly {
		nan = num(f.Largest)
	}
	q = b.Sel(w, b.Cmp(isa.OpLtU, w, num(0x7f800000), a), nan, q)
	return b.Resize(q, w, isa.IntOf(max(f.Bits, 8)))
}

// bfloatInteger reads the conversions of SPV_INTEL_bfloat16_conversion, where bfloat16 is held in integers.
func bfloatInteger(b *build.Builder, in spirv.Inst) {
	whole, single := b.Module.TypeOf(in.ResultType()).Component(), b.OperandType(in, 0)
	if in.Op() == spirv.OpConvertBF16ToFINTEL {
		whole, single = single, whole
	}
	if whole.Scalar() != isa.I16 || whole.Odd() || single.Scalar() != isa.F32 {
		b.Fail("converts between floats of 32 bits and integers of 16")
	}
	b.Each(in, func(_ *build.Type, a []*ssa.Value) *ssa.Value {
		if in.Op() == spirv.OpConvertBF16ToFINTEL {
			return fromSmall(b, build.BFloat16, a[0])
		}
		return toSmall(b, build.BFloat16, a[0], isa.RoundDefault, false)
	})
}

// dotSmall is a dot product of small floats: exact products, added in single precision and rounded once more.
func dotSmall(b *build.Builder, f *build.SmallFloat, x, y []*ssa.Value) *ssa.Value {
	wide := func(list []*ssa.Value) []*ssa.Value {
		out := make([]*ssa.Value, len(list))
		for i, v := range list {
			out[i] = fromSmall(b, f, v)
		}
		return out
	}
	return toSmall(b, f, b.Dot(isa.F32, wide(x), wide(y)), isa.RoundDefault, false)
}
