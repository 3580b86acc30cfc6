package sema

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Arithmetic of constants, with the results that a device has. Values of integers are extended to 64 bits as
// their types say.

// unaryInt computes an operation with one operand of type t. over says that the type lacks the value; what
// comes then is the value modulo 2 to its width.
func unaryInt(op tree.UnaryOp, x uint64, t *types.Type) (v uint64, over, ok bool) {
	switch op {
	case tree.Plus:
		return x, false, true
	case tree.Neg:
		v = truncate(-x, t)
		return v, false, true
	case tree.BitNot:
		return truncate(^x, t), false, true
	case tree.LogNot:
		return oneIf(x == 0), false, true
	}
	return 0, false, false
}

// binaryInt computes an operation with two operands of type t (of a shift, the left one). The result of a
// comparison is 0 or 1. ok is false for a division by zero and for operations of other kinds.
func binaryInt(op tree.BinaryOp, x, y uint64, t *types.Type) (v uint64, over, ok bool) {
	signed, width := t.IsSigned(), t.Bits()
	a, b := int64(x), int64(y)
	switch op {
	case tree.Mul:
		v = x * y
		if signed {
			hi, lo := bits.Mul64(x, y)
			hi -= uint64(a>>63)&y + uint64(b>>63)&x // the upper half of the signed product
			over = int64(hi) != int64(lo)>>63 || truncate(lo, t) != lo
		}
	case tree.Div, tree.Rem:
		return divideInt(op, x, y, t)
	case tree.Add:
		v = x + y
		over = signed && (a^int64(v))&(b^int64(v)) < 0 || signed && truncate(v, t) != v
	case tree.Sub:
		v = x - y
		over = signed && (a^b)&(a^int64(v)) < 0 || signed && truncate(v, t) != v
	case tree.Shl:
		v = x << (y & uint64(width-1))
	case tree.Shr:
		if n := y & uint64(width-1); signed {
			v = uint64(a >> n)
		} else {
			v = x >> n
		}
	case tree.And:
		v = x & y
	case tree.Or:
		v = x | y
	case tree.Xor:
		v = x ^ y
	case tree.LogAnd:
		return oneIf(x != 0 && y != 0), false, true
	case tree.LogOr:
		return oneIf(x != 0 || y != 0), false, true
	default:
		return compareInt(op, x, y, signed)
	}
	return truncate(v, t), over, true
}

func divideInt(op tree.BinaryOp, x, y uint64, t *types.Type) (v uint64, over, ok bool) {
	a, b := int64(x), int64(y)
	switch {
	case y == 0:
		return 0, false, false
	case !t.IsSigned() && op == tree.Div:
		return x / y, false, true
	case !t.IsSigned():
		return x % y, false, true
	case b == -1:
		// The least value has no quotient: it stays what it is.
		if op == tree.Rem {
			return 0, false, true
		}
		return truncate(-x, t), false, true
	case op == tree.Div:
		return uint64(a / b), false, true
	}
	return uint64(a % b), false, true
}

func compareInt(op tree.BinaryOp, x, y uint64, signed bool) (v uint64, over, ok bool) {
	if signed {
		x, y = x^1<<63, y^1<<63
	}
	switch op {
	case tree.Lt:
		return oneIf(x < y), false, true
	case tree.Gt:
		return oneIf(x > y), false, true
	case tree.Le:
		return oneIf(x <= y), false, true
	case tree.Ge:
		return oneIf(x >= y), false, true
	case tree.Eq:
		return oneIf(x == y), false, true
	case tree.Ne:
		return oneIf(x != y), false, true
	}
	return 0, false, false
}

// binaryFloat computes an operation of a floating type. A double has more than twice the bits of a float and
// of a half, so that rounding its result once more gives what the narrower operation has.
func binaryFloat(op tree.BinaryOp, x, y float64, t *types.Type) (float64, bool) {
	var v float64
	switch op {
	case tree.Mul:
		v = x * y
	case tree.Div:
		v = x / y
	case tree.Add:
		v = x + y
	case tree.Sub:
		v = x - y
	default:
		return 0, false
	}
	switch {
	case x != x:
		return x, true
	case y != y:
		return y, true
	case v != v:
		return quietNaN, true // processors differ in its sign
	}
	return roundTo(v, t), true
}

// quietNaN is what operations give that have no result.
var quietNaN = math.Float64frombits(0x7ff8 << 48)

func compareFloat(op tree.BinaryOp, x, y float64) (v, ok bool) {
	switch op {
	case tree.Lt:
		return x < y, true
	case tree.Gt:
		return x > y, true
	case tree.Le:
		return x <= y, true
	case tree.Ge:
		return x >= y, true
	case tree.Eq:
		return x == y, true
	case tree.Ne:
		return x != y, true
	case tree.LogAnd:
		return x != 0 && y != 0, true
	case tree.LogOr:
		return x != 0 || y != 0, true
	}
	return false, false
}
