package interp

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// Math32 returns what an instruction OpMath1, OpMath2 or OpMath3 on F32 computes from its operands, or
// nil if there is no such function. Operands and results that are integers
// travel as the bits of the element.
func Math32(in *isa.Inst) func(x, y, z float32) float32 {
	switch in.Op {
	case isa.OpMath1:
		if f := unaryFunc32(in.Imm); f != nil {
			return func(x, _, _ float32) float32 { return f(x) }
		}
	case isa.OpMath2:
		if f := binaryFunc32(in.Imm); f != nil {
			return func(x, y, _ float32) float32 { return f(x, y) }
		}
	case isa.OpMath3:
		return ternaryFunc32(in.Imm)
	}
	return nil
}

// Math64 is Math32 for F64.
func Math64(in *isa.Inst) func(x, y, z float64) float64 {
	switch in.Op {
	case isa.OpMath1:
		if f := unaryFunc64(in.Imm); f != nil {
			return func(x, _, _ float64) float64 { return f(x) }
		}
	case isa.OpMath2:
		if f := binaryFunc64(in.Imm); f != nil {
			return func(x, y, _ float64) float64 { return f(x, y) }
		}
	case isa.OpMath3:
		if in.Imm < clmath.NumFuncs {
			return clmath.Ternary64[in.Imm]
		}
	}
	return nil
}

// unaryFunc32 returns the function of one operand that Inst.Imm names, nil
// when there is none. Functions with two results are asked for one of them;
// integers travel as the bits of the element.
func unaryFunc32(imm uint32) func(float32) float32 {
	f, stored := imm&0xff, imm&isa.MathStored != 0
	if f >= clmath.NumFuncs || imm&^(0xff|isa.MathStored|isa.MathHalf) != 0 {
		return nil
	}
	unary, pair, pairInt := clmath.Unary32[f], clmath.Pair32[f], clmath.PairInt32[f]
	if imm&isa.MathHalf != 0 {
		unary, pair, pairInt = clmath.UnaryHalf32[f], clmath.PairHalf32[f], clmath.PairIntHalf32[f]
	}
	if g := pair; g != nil {
		if stored {
			return func(x float32) float32 { _, y := g(x); return y }
		}
		return func(x float32) float32 { y, _ := g(x); return y }
	}
	if g := pairInt; g != nil {
		if stored {
			return func(x float32) float32 { _, n := g(x); return math.Float32frombits(uint32(n)) }
		}
		return func(x float32) float32 { y, _ := g(x); return y }
	}
	switch {
	case stored:
		return nil
	case clmath.Func(f) == clmath.FuncIlogb:
		return func(x float32) float32 { return math.Float32frombits(uint32(clmath.Ilogb32(x))) }
	case clmath.Func(f) == clmath.FuncNan:
		return func(x float32) float32 { return clmath.Nan32(math.Float32bits(x)) }
	}
	return unary
}

// unaryFunc64 is unaryFunc32 for doubles.
func unaryFunc64(imm uint32) func(float64) float64 {
	f, stored := imm&0xff, imm&isa.MathStored != 0
	if f >= clmath.NumFuncs || imm&^(0xff|isa.MathStored) != 0 {
		return nil
	}
	if g := clmath.Pair64[f]; g != nil {
		if stored {
			return func(x float64) float64 { _, y := g(x); return y }
		}
		return func(x float64) float64 { y, _ := g(x); return y }
	}
	if g := clmath.PairInt64[f]; g != nil {
		if stored {
			return func(x float64) float64 { _, n := g(x); return math.Float64frombits(uint64(n)) }
		}
		return func(x float64) float64 { y, _ := g(x); return y }
	}
	switch {
	case stored:
		return nil
	case clmath.Func(f) == clmath.FuncIlogb:
		return func(x float64) float64 { return math.Float64frombits(uint64(clmath.Ilogb64(x))) }
	case clmath.Func(f) == clmath.FuncNan:
		return func(x float64) float64 { return clmath.Nan64(math.Float64bits(x)) }
	}
	return clmath.Unary64[f]
}

// binaryFunc32 returns the function of two operands that Inst.Imm names.
func binaryFunc32(imm uint32) func(x, y float32) float32 {
	f, stored := imm&0xff, imm&isa.MathStored != 0
	if f >= clmath.NumFuncs || imm&^(0xff|isa.MathStored|isa.MathHalf) != 0 {
		return nil
	}
	if clmath.Func(f) == clmath.FuncRemquo {
		if stored {
			return func(x, y float32) float32 { _, q := clmath.Remquo32(x, y); return math.Float32frombits(uint32(q)) }
		}
		return func(x, y float32) float32 { r, _ := clmath.Remquo32(x, y); return r }
	}
	if stored {
		return nil
	}
	binary, withInt := clmath.Binary32[f], clmath.WithInt32[f]
	if imm&isa.MathHalf != 0 {
		binary, withInt = clmath.BinaryHalf32[f], clmath.WithIntHalf32[f]
	}
	if withInt != nil {
		return func(x, y float32) float32 { return withInt(x, int32(math.Float32bits(y))) }
	}
	return binary
}

// ternaryFunc32 returns the function of three operands that Inst.Imm names.
func ternaryFunc32(imm uint32) func(x, y, z float32) float32 {
	switch f := imm &^ isa.MathHalf; {
	case f >= clmath.NumFuncs:
		return nil
	case imm&isa.MathHalf != 0:
		return clmath.TernaryHalf32[f]
	default:
		return clmath.Ternary32[f]
	}
}

// binaryFunc64 is binaryFunc32 for doubles. An integer operand is a 64-bit one
// here; the functions take 32 bits of it, which is all that OpenCL C gives them.
func binaryFunc64(imm uint32) func(x, y float64) float64 {
	f, stored := imm&0xff, imm&isa.MathStored != 0
	if f >= clmath.NumFuncs || imm&^(0xff|isa.MathStored) != 0 {
		return nil
	}
	if clmath.Func(f) == clmath.FuncRemquo {
		if stored {
			return func(x, y float64) float64 { _, q := clmath.Remquo64(x, y); return math.Float64frombits(uint64(q)) }
		}
		return func(x, y float64) float64 { r, _ := clmath.Remquo64(x, y); return r }
	}
	if stored {
		return nil
	}
	if g := clmath.WithInt64[f]; g != nil {
		return func(x, y float64) float64 { return g(x, int32(math.Float64bits(y))) }
	}
	return clmath.Binary64[f]
}
