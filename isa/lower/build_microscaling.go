package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// fromScale converts a power of two to single precision.
func (b *builder) fromScale(x *ssa.Value) *ssa.Value {
	const w = isa.I32
	x = b.conv(isa.OpZExt, w, isa.I8, x)
	y := b.bin(isa.OpShl, w, x, b.imm(w, 23))
	y = b.sel(w, b.cmp(isa.OpEq, w, x, b.imm(w, 0)), b.imm(w, 1<<22), y) // 2^-127 is a denormal
	return b.sel(w, b.cmp(isa.OpEq, w, x, b.imm(w, scale8.nan)), b.imm(w, 0x7fc00000), y)
}

// toScale rounds a number of single precision to a power of two: in the middle of two, to the greater one. There is none
// for negative numbers, which give NaN; zero and all that is less than 2^-127 give that, and infinity gives 2^127.
func (b *builder) toScale(x *ssa.Value, round isa.Round) *ssa.Value {
	const w = isa.I32
	num := func(n uint64) *ssa.Value { return b.imm(w, n) }
	// What is added ahead of the exponent, for normal numbers, and from which denormal on 2^-126 is nearer than 2^-127.
	add, denormal := uint64(1<<22), uint64(3<<21)
	switch round {
	case isa.RoundRTZ, isa.RoundRTN:
		add, denormal = 0, 1<<23
	case isa.RoundRTP:
		add, denormal = 1<<23-1, 1<<22+1
	}
	code := b.bin(isa.OpShrU, w, b.bin(isa.OpAdd, w, x, num(add)), num(23))
	small := b.sel(w, b.cmp(isa.OpLtU, w, x, num(denormal)), num(0), num(1))
	code = b.sel(w, b.cmp(isa.OpLtU, w, x, num(1<<23)), small, code)
	code = b.bin(isa.OpMinU, w, code, num(scale8.largest))
	zero := b.cmp(isa.OpEq, w, x, num(1<<31))
	code = b.sel(w, zero, num(0), b.sel(w, b.cmp(isa.OpLtU, w, num(0x7f800000), x), num(scale8.nan), code))
	return b.conv(isa.OpTruncate, isa.I8, w, code)
}

// toMXInt8 rounds a number of single precision to a multiple of 1/64. What is too large becomes the number at that
// end, and NaN zero.
func (b *builder) toMXInt8(x *ssa.Value, round isa.Round) *ssa.Value {
	if round == isa.RoundDefault {
		round = isa.RoundRTE
	}
	units := b.bin(isa.OpFMul, isa.F32, x, b.imm(isa.I32, floatBits(isa.F32, 64)))
	return b.convFlags(isa.OpFToS, isa.I8, isa.F32, isa.FlagSat.WithRound(round), units)
}
