package opt

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// fold computes an instruction whose operands are constants: a holds their
// bits, zero-extended, typ and elem are as in value. It says false for what
// it does not compute; the engine will then.
func fold(op isa.Op, typ, elem isa.Type, flags isa.Flags, a []uint64) (uint64, bool) {
	if elem.IsFloat() || typ.IsFloat() {
		return foldFloat(op, typ, elem, flags, a)
	}
	n := elem.Bits()
	mask := ^uint64(0) >> (64 - max(n, 1))
	sx := func(i int) int64 { return int64(a[i]<<(64-n)) >> (64 - n) }
	b2 := func(b bool) (uint64, bool) {
		if b {
			return 1, true
		}
		return 0, true
	}
	val := func(x uint64) (uint64, bool) { return x & mask, true }
	minS := int64(-1) << (n - 1)
	switch op {
	case isa.OpMov:
		return val(a[0])
	case isa.OpSelect:
		if a[0]&1 != 0 {
			return val(a[1])
		}
		return val(a[2])
	case isa.OpAdd:
		return val(a[0] + a[1])
	case isa.OpSub:
		return val(a[0] - a[1])
	case isa.OpMul:
		return val(a[0] * a[1])
	case isa.OpAnd:
		return val(a[0] & a[1])
	case isa.OpOr:
		return val(a[0] | a[1])
	case isa.OpXor:
		return val(a[0] ^ a[1])
	case isa.OpNot:
		return val(^a[0])
	case isa.OpNeg:
		return val(-a[0])
	case isa.OpShl:
		return val(a[0] << (a[1] & uint64(n-1)))
	case isa.OpShrU:
		return val(a[0] >> (a[1] & uint64(n-1)))
	case isa.OpShrS:
		return val(uint64(sx(0) >> (a[1] & uint64(n-1))))
	case isa.OpDivS, isa.OpRemS, isa.OpModS:
		x, y := sx(0), sx(1)
		if y == 0 || x == minS && y == -1 {
			return 0, false // the engine has something to say about these
		}
		switch r := x % y; {
		case op == isa.OpDivS:
			return val(uint64(x / y))
		case op == isa.OpModS && r != 0 && (r < 0) != (y < 0):
			return val(uint64(r + y))
		default:
			return val(uint64(r))
		}
	case isa.OpDivU:
		if a[1] == 0 {
			return 0, false
		}
		return val(a[0] / a[1])
	case isa.OpRemU:
		if a[1] == 0 {
			return 0, false
		}
		return val(a[0] % a[1])
	case isa.OpMinS:
		return val(uint64(min(sx(0), sx(1))))
	case isa.OpMaxS:
		return val(uint64(max(sx(0), sx(1))))
	case isa.OpMinU:
		return val(min(a[0], a[1]))
	case isa.OpMaxU:
		return val(max(a[0], a[1]))
	case isa.OpAbs:
		if x := sx(0); x < 0 {
			return val(uint64(-x))
		}
		return val(a[0])
	case isa.OpCtz:
		return val(uint64(min(bits.TrailingZeros64(a[0]), n)))
	case isa.OpClz:
		return val(uint64(bits.LeadingZeros64(a[0]) - (64 - n)))
	case isa.OpPopCount:
		return val(uint64(bits.OnesCount64(a[0])))
	case isa.OpEq:
		return b2(a[0] == a[1])
	case isa.OpNe:
		return b2(a[0] != a[1])
	case isa.OpLtU:
		return b2(a[0] < a[1])
	case isa.OpLeU:
		return b2(a[0] <= a[1])
	case isa.OpLtS:
		return b2(sx(0) < sx(1))
	case isa.OpLeS:
		return b2(sx(0) <= sx(1))
	case isa.OpTruncate:
		return a[0] & (^uint64(0) >> (64 - typ.Bits())), true
	case isa.OpZExt:
		return a[0], true
	case isa.OpSExt:
		return uint64(sx(0)) & (^uint64(0) >> (64 - typ.Bits())), true
	}
	return 0, false
}

// foldFloat folds what IEEE 754 leaves no room in. A result that is no number is the one NaN that engines
// give.
func foldFloat(op isa.Op, typ, elem isa.Type, flags isa.Flags, a []uint64) (uint64, bool) {
	if op == isa.OpMov || op == isa.OpSelect {
		if op == isa.OpMov {
			return a[0], true
		}
		return a[2-a[0]&1], true
	}
	if flags.Round() != isa.RoundDefault || flags&isa.FlagSat != 0 {
		return 0, false
	}
	f := func(i int) float64 {
		if elem == isa.F32 {
			return float64(math.Float32frombits(uint32(a[i])))
		}
		return math.Float64frombits(a[i])
	}
	out := func(x float64) (uint64, bool) {
		if x != x {
			return notANumber(typ), true
		}
		if typ == isa.F32 {
			return uint64(math.Float32bits(float32(x))), true
		}
		return math.Float64bits(x), true
	}
	// A sum, difference, product or quotient of two singles, computed in double
	// and rounded again, is the correctly rounded single.
	switch op {
	case isa.OpSToF, isa.OpUToF:
		return foldIntToFloat(op, typ, elem, a[0])
	case isa.OpFToS, isa.OpFToU:
		x := f(0)
		if elem == isa.F16 {
			x = clmath.F16ToF64(uint16(a[0]))
		}
		return foldFloatToInt(op, typ, x)
	case isa.OpFToF:
		switch {
		case elem == isa.F16:
			return out(clmath.F16ToF64(uint16(a[0])))
		case typ != isa.F16:
			return out(f(0))
		case f(0) != f(0):
			return notANumber(typ), true
		case elem == isa.F32:
			return uint64(clmath.F32ToF16(math.Float32frombits(uint32(a[0])))), true
		}
		return uint64(clmath.F64ToF16(f(0))), true
	}
	if elem != isa.F32 && elem != isa.F64 {
		return 0, false
	}
	b2 := func(b bool) (uint64, bool) {
		if b {
			return 1, true
		}
		return 0, true
	}
	switch op {
	case isa.OpFAdd:
		return out(f(0) + f(1))
	case isa.OpFSub:
		return out(f(0) - f(1))
	case isa.OpFMul:
		return out(f(0) * f(1))
	case isa.OpFDiv:
		return out(f(0) / f(1))
	case isa.OpFRem:
		return out(math.Mod(f(0), f(1)))
	case isa.OpFMod:
		return out(floorMod(f(0), f(1)))
	case isa.OpFNeg:
		return a[0] ^ 1<<(elem.Bits()-1), true
	case isa.OpFAbs:
		return a[0] &^ (1 << (elem.Bits() - 1)), true
	case isa.OpFOEq:
		return b2(f(0) == f(1))
	case isa.OpFUNe:
		return b2(f(0) != f(1))
	case isa.OpFOLt:
		return b2(f(0) < f(1))
	case isa.OpFOLe:
		return b2(f(0) <= f(1))
	case isa.OpFULt:
		return b2(!(f(1) <= f(0)))
	case isa.OpFULe:
		return b2(!(f(1) < f(0)))
	case isa.OpFOrd:
		return b2(f(0) == f(0) && f(1) == f(1))
	case isa.OpFUno:
		return b2(f(0) != f(0) || f(1) != f(1))
	case isa.OpFONe:
		return b2(f(0) < f(1) || f(1) < f(0))
	case isa.OpFUEq:
		return b2(!(f(0) < f(1) || f(1) < f(0)))
	}
	return 0, false
}

// notANumber returns the NaN that engines give for a type.
func notANumber(t isa.Type) uint64 {
	switch t {
	case isa.F16:
		return 0x7e00
	case isa.F32:
		return 0x7fc00000
	}
	return 0x7ff8000000000000
}

// foldIntToFloat folds a conversion that rounds to nearest. Integers that double does not hold exactly stay
// with the engine, as rounding twice may give another float.
func foldIntToFloat(op isa.Op, typ, elem isa.Type, bits uint64) (uint64, bool) {
	n := elem.Bits()
	x := float64(bits)
	exact := bits <= 1<<53
	if op == isa.OpSToF {
		i := int64(bits<<(64-n)) >> (64 - n)
		x, exact = float64(i), i >= -1<<53 && i <= 1<<53
	}
	switch {
	case typ == isa.F64:
		return math.Float64bits(x), true
	case !exact:
		return 0, false
	case typ == isa.F16:
		return uint64(clmath.F64ToF16(x)), true
	}
	return uint64(math.Float32bits(float32(x))), true
}

// foldFloatToInt folds a conversion that rounds towards zero. What does not fit stays with the engine.
func foldFloatToInt(op isa.Op, typ isa.Type, x float64) (uint64, bool) {
	n := typ.Bits()
	x = math.Trunc(x)
	lowest, limit := 0.0, math.Ldexp(1, n)
	if op == isa.OpFToS {
		limit = math.Ldexp(1, n-1)
		lowest = -limit
	}
	switch {
	case !(x >= lowest && x < limit):
		return 0, false
	case op == isa.OpFToS:
		return uint64(int64(x)) & (^uint64(0) >> (64 - n)), true
	}
	return uint64(x), true
}

// floorMod returns the remainder of a division that rounds down, which has the sign of y. The remainder of
// two singles is exact in double, and so its sum with y rounds once more to the right single.
func floorMod(x, y float64) float64 {
	r := math.Mod(x, y)
	switch {
	case r == 0:
		return math.Copysign(0, y)
	case r < 0 != (y < 0):
		return r + y
	}
	return r
}

// SimplifyValue returns what an instruction amounts to without being computed: a
// constant, one of its operands, or nil.
func SimplifyValue(f *ssa.Func, v *ssa.Value) *ssa.Value {
	n := len(v.Args)
	if v.Type == isa.Void || n == 0 {
		return nil
	}
	if n <= 3 && v.Op < isa.NumOps && v.Idx == isa.IdxNone && v.Op != isa.OpLoad && v.Op != isa.OpAtomic && v.Op != isa.OpPtrAdd &&
		v.Op != isa.OpPrintf && v.Op != isa.OpReadFirst {
		var a [3]uint64
		all := true
		for i, x := range v.Args {
			if !x.IsConst() {
				all = false
				break
			}
			a[i] = x.Imm
		}
		if all {
			if c, ok := fold(v.Op, v.Type, v.Elem, v.Flags, a[:n]); ok {
				return f.Constant(v.Type, c)
			}
		}
	}
	if n == 2 && v.Args[0].IsConst() && !v.Args[1].IsConst() && commutes(v.Op) {
		v.Args[0], v.Args[1] = v.Args[1], v.Args[0]
	}
	x := v.Args[0]
	var y *ssa.Value
	if n > 1 {
		y = v.Args[1]
	}
	zero := func(c *ssa.Value) bool { return c.IsConst() && c.Imm == 0 }
	ones := func(c *ssa.Value) bool { return c.IsConst() && c.Imm == ^uint64(0)>>(64-c.Type.Bits()) }
	switch v.Op {
	case isa.OpAdd, isa.OpOr, isa.OpXor:
		switch {
		case zero(y):
			return x
		case zero(x):
			return y
		case v.Op == isa.OpOr && x == y:
			return x
		case v.Op == isa.OpOr && (ones(x) || ones(y)):
			return f.Constant(v.Type, ^uint64(0))
		case v.Op == isa.OpXor && x == y:
			return f.Constant(v.Type, 0)
		case v.Op == isa.OpXor && v.Type == isa.B1 && ones(y) && x.Op == isa.OpNot:
			return x.Args[0]
		}
	case isa.OpSub:
		if zero(y) {
			return x
		}
		if x == y {
			return f.Constant(v.Type, 0)
		}
		if y.IsConst() {
			// An addition, as accesses take it in.
			if v.Wraps &= ssa.NoSignedWrap; y.Imm == 1<<(v.Type.Bits()-1) {
				v.Wraps = 0 // there is no such positive number
			}
			v.Op, v.Args[1] = isa.OpAdd, f.Constant(v.Type, -y.Imm)
		}
	case isa.OpShl, isa.OpShrS, isa.OpShrU:
		if zero(y) || zero(x) {
			return x
		}
	case isa.OpMul:
		for i, c := range v.Args {
			if c.IsConst() && c.Imm == 1 {
				return v.Args[1-i]
			}
			if zero(c) {
				return c
			}
		}
	case isa.OpAnd:
		switch {
		case x == y:
			return x
		case zero(x), ones(y):
			return x
		case zero(y), ones(x):
			return y
		}
	case isa.OpBitExtractU, isa.OpBitExtractS:
		if zero(x) {
			return x
		}
	case isa.OpNot:
		if x.Op == isa.OpNot && x.Type == v.Type {
			return x.Args[0]
		}
	case isa.OpFNeg:
		if x.Op == isa.OpFNeg && x.Elem == v.Elem {
			return x.Args[0]
		}
	case isa.OpDivU, isa.OpDivS:
		if y.IsConst() && y.Imm == 1 {
			return x
		}
		if v.Op == isa.OpDivU && powerOfTwo(y) {
			v.Op, v.Args[1] = isa.OpShrU, f.Constant(v.Type, uint64(bits.TrailingZeros64(y.Imm)))
		}
	case isa.OpRemU:
		if powerOfTwo(y) {
			if y.Imm == 1 {
				return f.Constant(v.Type, 0)
			}
			v.Op, v.Args[1] = isa.OpAnd, f.Constant(v.Type, y.Imm-1)
		}
	case isa.OpLtU, isa.OpLeU, isa.OpLtS, isa.OpLeS:
		return decide(f, v)
	case isa.OpMov:
		return x
	case isa.OpSelect:
		if y == v.Args[2] {
			return y
		}
		if x.IsConst() {
			return v.Args[2-x.Imm&1]
		}
		if v.Type == isa.B1 && ones(y) && zero(v.Args[2]) {
			return x
		}
	case isa.OpNe:
		// (c ? 1 : 0) != 0 is c.
		if zero(y) && x.Op == isa.OpSelect && x.Args[1].IsConst() && x.Args[1].Imm != 0 && zero(x.Args[2]) {
			return x.Args[0]
		}
		if v.Elem == isa.B1 && zero(y) {
			return x
		}
		return decide(f, v)
	case isa.OpEq:
		if v.Elem == isa.B1 && ones(y) {
			return x
		}
		return decide(f, v)
	case isa.OpTruncate:
		// Back to the width it came from, or further.
		if (x.Op == isa.OpSExt || x.Op == isa.OpZExt) && x.Elem == v.Type {
			return x.Args[0]
		}
		if x.Op == isa.OpBuiltin && x.Type == isa.I64 && v.Type == isa.I32 {
			v.Op, v.Elem, v.Imm, v.Args = isa.OpBuiltin, isa.I32, x.Imm, nil // the id in 32 bits at once
		}
	case isa.OpPtrAddress, isa.OpPtrAt:
		if r := sameAddress(v); r != nil {
			return r
		}
	case isa.OpPtrAdd:
		if v.Idx != isa.IdxNone && y.IsConst() {
			n := y.Signed()
			if v.Idx == isa.IdxU32 {
				n = int64(y.Imm)
			}
			if d := n * int64(v.Scale); ssa.FitsDisp(n) && ssa.FitsDisp(d) && ssa.FitsDisp(d+int64(v.Disp)) {
				v.Idx, v.Scale, v.Disp, v.Args = isa.IdxNone, 0, v.Disp+int32(d), v.Args[:1]
			}
		}
		if v.Idx == isa.IdxNone && v.Disp == 0 {
			return x
		}
	}
	return nil
}

// powerOfTwo says whether c is a constant with one bit set.
func powerOfTwo(c *ssa.Value) bool { return c.IsConst() && bits.OnesCount64(c.Imm) == 1 }

// decide returns the result of a comparison that is known from the launch, or nil.
func decide(f *ssa.Func, v *ssa.Value) *ssa.Value {
	if f.Known == nil {
		return nil
	}
	r, ok := f.Known.Compare(v)
	switch {
	case !ok:
		return nil
	case r:
		return f.Constant(isa.B1, 1)
	}
	return f.Constant(isa.B1, 0)
}

// commutes says whether the operands may be exchanged without changing a bit
// of the result. (A float sum of two NaNs gives the one quiet NaN either way.)
func commutes(op isa.Op) bool {
	switch op {
	case isa.OpAdd, isa.OpMul, isa.OpMulHiS, isa.OpMulHiU, isa.OpAnd, isa.OpOr, isa.OpXor, isa.OpEq, isa.OpNe,
		isa.OpMinS, isa.OpMaxS, isa.OpMinU, isa.OpMaxU, isa.OpFAdd, isa.OpFMul, isa.OpFOEq, isa.OpFUNe:
		return true
	}
	return false
}

// sameAddress returns what a conversion between pointer and address undoes, or does not change, or nil.
func sameAddress(v *ssa.Value) *ssa.Value {
	x := v.Args[0]
	switch {
	case ssa.OwnAddress(x):
		return x
	case v.Op == isa.OpPtrAt && x.Op == isa.OpPtrAddress, v.Op == isa.OpPtrAddress && x.Op == isa.OpPtrAt:
		return x.Args[0]
	}
	return nil
}
