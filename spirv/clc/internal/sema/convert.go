package sema

import (
	"math"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// truncate cuts a value to an integer type, and extends it to 64 bits as the type's sign says.
func truncate(v uint64, t *types.Type) uint64 {
	switch t.Base().Kind {
	case types.BoolKind:
		if v != 0 {
			return 1
		}
		return 0
	case types.CharKind:
		return uint64(int64(int8(v)))
	case types.UCharKind:
		return v & math.MaxUint8
	case types.ShortKind:
		return uint64(int64(int16(v)))
	case types.UShortKind:
		return v & math.MaxUint16
	case types.IntKind:
		return uint64(int64(int32(v)))
	case types.UIntKind:
		return v & math.MaxUint32
	}
	return v
}

// roundTo rounds a value to a floating type, to nearest even.
func roundTo(v float64, t *types.Type) float64 {
	switch t.Kind {
	case types.FloatKind:
		return float64(float32(v))
	case types.HalfKind:
		return roundHalf(v)
	}
	return v
}

// roundHalf rounds to a half, to nearest even.
func roundHalf(v float64) float64 {
	a := math.Abs(v)
	switch {
	case a == 0 || math.IsInf(v, 0) || v != v:
		return v
	case a >= 65520:
		return math.Copysign(math.Inf(1), v)
	}
	_, e := math.Frexp(a)
	// A half has 11 bits from 2^-14 on; below, units of 2^-24.
	unit := math.Ldexp(1, max(e-11, -24))
	return math.Copysign(math.RoundToEven(a/unit)*unit, v)
}

// intToFloat converts an integer, extended as its type says, to a floating type, rounding once.
func intToFloat(v uint64, signed bool, t *types.Type) float64 {
	if t.Kind == types.FloatKind {
		if signed {
			return float64(float32(int64(v)))
		}
		return float64(float32(v))
	}
	// A half has all integers up to 2048 and none beyond 65504, so that a double between does not round twice.
	if signed {
		return roundTo(float64(int64(v)), t)
	}
	return roundTo(float64(v), t)
}

// floatToInt converts towards zero. ok is false if the type does not have the value; what comes then is the
// nearest that it has, and 0 for what is not a number.
func floatToInt(v float64, t *types.Type) (n uint64, ok bool) {
	bits, signed := t.Bits(), t.IsSigned()
	if v != v {
		return 0, false
	}
	v = math.Trunc(v)
	if signed {
		limit := math.Ldexp(1, bits-1)
		switch {
		case v >= limit:
			return 1<<(bits-1) - 1, false
		case v < -limit:
			return ^uint64(0) << (bits - 1), false
		}
		return uint64(int64(v)), true
	}
	switch {
	case v < 0:
		return 0, false
	case v >= math.Ldexp(1, bits):
		return math.MaxUint64 >> (64 - bits), false
	}
	return uint64(v), true
}

// numberKind returns the conversion between two different types of numbers.
func numberKind(from, to *types.Type) tree.ConvertKind {
	from, to = from.Component(), to.Component()
	switch {
	case to.Kind == types.BoolKind:
		return tree.ToBool
	case from.IsFloat() && to.IsFloat():
		return tree.FloatToFloat
	case from.IsFloat():
		return tree.FloatToInt
	case to.IsFloat():
		return tree.IntToFloat
	}
	return tree.Integer
}

// number converts the value of a number to another type of numbers. Constants are converted at once, if the
// type has their value.
func (c *Checker) number(x tree.Expr, to *types.Type) tree.Expr {
	from := x.Info().Type.Type
	if from == to {
		return x
	}
	if lit := c.foldNumber(x, to, false); lit != nil {
		return lit
	}
	return c.convert(numberKind(from, to), to, x)
}

// foldNumber converts a constant number; nil if x is none, or the type does not have its value and near is
// false.
func (c *Checker) foldNumber(x tree.Expr, to *types.Type, near bool) tree.Expr {
	switch n := x.(type) {
	case *tree.IntLit:
		if !n.Type.IsInteger() {
			return nil
		}
		if to.IsFloat() {
			return c.floatLit(intToFloat(n.Value, n.Type.IsSigned(), to), to, x)
		}
		return c.intLit(n.Value, to, x)
	case *tree.FloatLit:
		switch {
		case to.IsFloat():
			return c.floatLit(n.Value, to, x)
		case to.Kind == types.BoolKind:
			v := uint64(0)
			if n.Value != 0 {
				v = 1
			}
			return c.intLit(v, to, x)
		}
		if v, ok := floatToInt(n.Value, to.Base()); ok || near {
			return c.intLit(v, to, x)
		}
	}
	return nil
}

// promote does the integer promotions on the value of an integer. Halves are not promoted.
func (c *Checker) promote(x tree.Expr) tree.Expr {
	t := x.Info().Type.Type
	if !t.IsInteger() {
		return x
	}
	return c.number(x, c.promoted(x, t))
}

// promoted returns the type to which an integer is promoted.
func (c *Checker) promoted(x tree.Expr, t *types.Type) *types.Type {
	if bits, field := bitField(x); field {
		base := t.Base()
		switch {
		case bits < 32:
			return c.Types.Int
		case bits == 32 && base.IsSigned():
			return c.Types.Int
		case bits == 32:
			return c.Types.UInt
		}
		return base
	}
	return c.promotedType(t)
}

func (c *Checker) promotedType(t *types.Type) *types.Type {
	t = t.Base()
	if t.Kind < types.IntKind {
		return c.Types.Int
	}
	return t
}

// bitField returns the width of the bit-field whose value x is.
func bitField(x tree.Expr) (bits int, ok bool) {
	for {
		switch n := x.(type) {
		case *tree.Convert:
			if n.Kind != tree.Load {
				return 0, false
			}
			x = n.X
		case *tree.Member:
			f := &n.X.Info().Type.Struct.Fields[n.Field]
			return f.Bits, f.Bits >= 0
		case *tree.Assign:
			x = n.L
		case *tree.CompoundAssign:
			x = n.L
		case *tree.Binary:
			if n.Op != tree.Comma {
				return 0, false
			}
			x = n.R
		case *tree.Unary:
			if n.Op != tree.PreInc && n.Op != tree.PreDec {
				return 0, false
			}
			x = n.X
		default:
			return 0, false
		}
	}
}

// arithmetic does the usual arithmetic conversions on the values of two numbers.
func (c *Checker) arithmetic(l, r tree.Expr, pos source.Pos) (tree.Expr, tree.Expr, *types.Type) {
	lt, rt := l.Info().Type.Type, r.Info().Type.Type
	if lt == rt && lt.Kind >= types.IntKind && lt.Kind <= types.DoubleKind {
		if lt.Kind >= types.HalfKind {
			return l, r, lt
		}
		// Bit-fields of 32 and more bits stay what they are; narrower ones become int.
		if _, field := bitField(l); !field {
			if _, field = bitField(r); !field {
				return l, r, lt
			}
		}
	}
	var t *types.Type
	switch {
	case lt.IsFloat() && rt.IsFloat():
		t = lt
		if rt.Kind > lt.Kind {
			t = rt
		}
	case lt.IsFloat():
		t = lt
	case rt.IsFloat():
		t = rt
	default:
		lt, rt = c.promoted(l, lt), c.promoted(r, rt)
		// int, uint, long, ulong: the later one has all values of the earlier one, or is its unsigned type.
		t = lt
		if rt.Kind > lt.Kind {
			t = rt
		}
	}
	if !c.compounding {
		c.warnImplicit(l, t, pos, true)
	}
	c.warnImplicit(r, t, pos, true)
	return c.number(l, t), c.number(r, t), t
}

// splat turns the value of a number into a vector of type t. true counts as -1 if it becomes a vector.
func (c *Checker) splat(x tree.Expr, t *types.Type) tree.Expr {
	elem := t.Elem.Type
	if x.Info().Type.Kind == types.BoolKind {
		if lit, ok := x.(*tree.IntLit); ok {
			x = c.intLit(-lit.Value, c.Types.Int, x)
		} else {
			i := c.convert(tree.Integer, c.Types.Int, x)
			x = c.unary(tree.Neg, i.Pos, c.Types.Int, i)
			*x.Info() = i.Base
		}
	}
	return c.convert(tree.Splat, t, c.number(x, elem))
}

// isNull reports whether x is a null pointer constant: an integer constant 0, or that cast to a pointer to
// void.
func (c *Checker) isNull(x tree.Expr) bool {
	switch n := x.(type) {
	case *tree.IntLit:
		return n.Value == 0 && n.Type.IsInteger()
	case *tree.NullLit:
		return n.Type.IsPointer() && c.isPlainVoid(n.Type.Elem)
	case *tree.Bad, *tree.FloatLit, *tree.VarRef, *tree.Call, *tree.CallBuiltin:
		return false
	}
	if i := x.Info(); i.LValue || !i.Type.IsInteger() {
		return false
	}
	lit, ok := c.computeWithin(x, true, 100).(*tree.IntLit)
	return ok && lit.Value == 0
}

// defaultSpace returns the address space of a pointer's pointee where none is written.
func (c *Checker) defaultSpace() types.Space {
	if c.Opts.HasGeneric() {
		return types.Generic
	}
	return types.Private
}

// isPlainVoid reports whether a pointee is void with nothing more written.
func (c *Checker) isPlainVoid(t types.Qual) bool {
	return t.Kind == types.VoidKind && t.Q.CVR() == 0 && t.Space() == c.defaultSpace()
}
