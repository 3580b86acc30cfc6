package readers

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// fromScale converts a power of two to single precision.
func fromScale(b *build.Builder, x *ssa.Value) *ssa.Value {
	const w = isa.I32
	x = b.Conv(isa.OpZExt, w, isa.I8, x)
	y := b.Bin(isa.OpShl, w, x, b.Imm(w, 23))
	y = b.Sel(w, b.Cmp(isa.OpEq, w, x, b.Imm(w, 0)), b.Imm(w, 1<<22), y) // 2^-127 is a denormal
	return b.Sel(w, b.Cmp(isa.OpEq, w, x, b.Imm(w, build.Scale8.NaN)), b.Imm(w, 0x7fc00000), y)
}

// toScale rounds a number of single precision to a power of two: in the middle of two, to the greater one. There is none
// for negative numbers, which give NaN; zero and all that is less than 2^-127 give that, and infinity gives 2^127.
func toScale(b *build.Builder, x *ssa.Value, round isa.Round) *ssa.Value {
	const w = isa.I32
	num := func(n uint64) *ssa.Value { return b.Imm(w, n) }
	// What is added ahead of the exponent, for normal numbers, and from which denormal on 2^-126 is nearer than 2^-127.
	add, denormal := uint64(1<<22), uint64(3<<21)
	switch round {
	case isa.RoundRTZ, isa.RoundRTN:
		add, denormal = 0, 1<<23
	case isa.RoundRTP:
		add, denormal = 1<<23-1, 1<<22+1
	}
	code := b.Bin(isa.OpShrU, w, b.Bin(isa.OpAdd, w, x, num(add)), num(23))
	small := b.Sel(w, b.Cmp(isa.OpLtU, w, x, num(denormal)), num(0), num(1))
	code = b.Sel(w, b.Cmp(isa.OpLtU, w, x, num(1<<23)), small, code)
	code = b.Bin(isa.OpMinU, w, code, num(build.Scale8.Largest))
	zero := b.Cmp(isa.OpEq, w, x, num(1<<31))
	code = b.Sel(w, zero, num(0), b.Sel(w, b.Cmp(isa.OpLtU, w, num(0x7f800000), x), num(build.Scale8.NaN), code))
	return b.Conv(isa.OpTruncate, isa.I8, w, code)
}

// toMXInt8 rounds a number of single precision to a multiple of 1/64. What is too large becomes the number at that
// end, and NaN zero.
func toMXInt8(b *build.Builder, x *ssa.Value, round isa.Round) *ssa.Value {
	if round == isa.RoundDefault {
		round = isa.RoundRTE
	}
	units := b.Bin(isa.OpFMul, isa.F32, x, b.Imm(isa.I32, build.FloatBits(isa.F32, 64)))
	return b.ConvFlags(isa.OpFToS, isa.I8, isa.F32, isa.FlagSat.WithRound(round), units)
}
