package sema

import (
	"math"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// conversion computes a conversion.
func (e *evaluator) conversion(n *tree.Convert) tree.Expr {
	switch n.Kind {
	case tree.Load:
		return e.load(n)
	case tree.Decay:
		if o := e.object(n.X); o != nil {
			if o == n.X {
				return n
			}
			return e.c.convert(tree.Decay, n.Type.Type, o)
		}
		return nil
	case tree.Void:
		return nil
	}
	x := e.value(n.X)
	if x == nil {
		return nil
	}
	return e.convertValue(n, x)
}

// convertValue computes a conversion of a constant.
func (e *evaluator) convertValue(n *tree.Convert, x tree.Expr) tree.Expr {
	c, t := e.c, n.Type.Type
	switch n.Kind {
	case tree.Integer, tree.IntToFloat, tree.FloatToInt, tree.FloatToFloat, tree.ToBool:
		if n.Kind == tree.ToBool && n.X.Info().Type.IsPointer() {
			if v, ok := e.truth(x); ok {
				return c.intLit(oneIf(v), t, x)
			}
			return nil
		}
		if n.Kind == tree.Integer && !isNumber(x) {
			// An address as an integer stays one only if it keeps all bits.
			if t.Bits() == c.Types.Config.AddressBits && x.Info().Type.Bits() == t.Bits() {
				return c.convert(tree.Integer, t, x)
			}
			return nil
		}
		return e.each(t, x, nil, func(x, _ tree.Expr, t *types.Type) tree.Expr { return c.foldNumber(x, t, true) })
	case tree.Splat:
		if isNumber(x) {
			return splatLit(x, t)
		}
	case tree.Bits:
		return e.reinterpret(x, t)
	case tree.Pointer, tree.Space, tree.NoOp:
		switch lit := x.(type) {
		case *tree.NullLit:
			return null(t, lit)
		case *tree.IntLit:
			if t.IsInteger() {
				return c.intLit(lit.Value, t, lit)
			}
		case *tree.FloatLit, *tree.VectorLit, *tree.InitList:
			return x
		}
		if x == n.X {
			return n
		}
		return c.convert(n.Kind, t, x)
	case tree.IntToPointer:
		if lit, ok := x.(*tree.IntLit); ok {
			if lit.Value == 0 {
				return null(t, x)
			}
			if x == n.X {
				return n
			}
			return c.convert(tree.IntToPointer, t, x)
		}
		if p, ok := x.(*tree.Convert); ok && p.Kind == tree.PointerToInt {
			return c.pointer(p.X, t)
		}
	case tree.PointerToInt:
		if _, ok := x.(*tree.NullLit); ok {
			return c.intLit(0, t, x)
		}
		if b, off, ok := c.addressOf(x); ok && b == nil {
			return c.intLit(uint64(off), t, x)
		}
		return c.convert(tree.PointerToInt, t, x)
	}
	return nil
}

func isNumber(x tree.Expr) bool {
	switch x.(type) {
	case *tree.IntLit, *tree.FloatLit, *tree.VectorLit:
		return true
	}
	return false
}

// load reads an object whose value is known: a const variable of a number or vector type with a constant
// value, or a character of a string.
func (e *evaluator) load(n *tree.Convert) tree.Expr {
	switch x := n.X.(type) {
	case *tree.VarRef:
		return e.variable(x)
	case *tree.CompoundLit:
		if x.Var.Init != nil && !x.Type.IsArray() {
			return e.value(x.Var.Init)
		}
	case *tree.Member:
		// A member of a compound literal.
		if lit, ok := x.X.(*tree.CompoundLit); ok && lit.Var.Init != nil {
			if list, ok := e.value(lit.Var.Init).(*tree.InitList); ok {
				return e.part(list, int64(x.Field), n.Type.Type, n)
			}
		}
	case *tree.Unary:
		if x.Op == tree.Deref {
			if p := e.value(x.X); p != nil {
				return e.character(p, n)
			}
		}
	}
	return nil
}

// foldedVar is a variable whose value has been computed, strictly or not.
type foldedVar struct {
	v      *tree.Var
	strict bool
}

// variable returns the value of a variable that never changes.
func (e *evaluator) variable(x *tree.VarRef) tree.Expr {
	v, c := x.Var, e.c
	t := v.Type
	switch {
	case v.Init == nil, t.Q&types.Const == 0 && t.Space() != types.Constant, t.Q&types.Volatile != 0:
		return nil
	case e.strict && !t.IsInteger(), !t.IsArithmetic() && !t.IsVector():
		return nil
	}
	key := foldedVar{v, e.strict}
	if y, ok := c.folded[key]; ok {
		return y
	}
	if c.folded == nil {
		c.folded = map[foldedVar]tree.Expr{}
	}
	c.folded[key] = nil
	y := e.value(v.Init)
	if y != nil || c.evalSteps < constantSteps && c.nesting < constantDepth/2 {
		c.folded[key] = y
	} else {
		delete(c.folded, key) // it was too much this time
	}
	return y
}

// character reads a character of a string literal.
func (e *evaluator) character(p tree.Expr, n *tree.Convert) tree.Expr {
	base, off, ok := e.c.addressOf(p)
	if !ok || n.Type.Bits() != 8 {
		return nil
	}
	s, ok := base.(*tree.StringLit)
	if !ok || off < 0 || off >= int64(len(s.Value)) {
		return nil
	}
	return e.c.intLit(uint64(s.Value[off]), n.Type.Type, n)
}

// object computes the address of an lvalue: an lvalue of the forms that constants have; nil if it has none.
func (e *evaluator) object(x tree.Expr) tree.Expr {
	ok := e.enter()
	defer func() { e.c.nesting-- }()
	if !ok {
		return nil
	}
	switch n := x.(type) {
	case *tree.VarRef:
		if n.Var.Storage == tree.StaticVar || n.Var.Storage == tree.ExternVar || n.Var.Storage == tree.LocalVar {
			return n
		}
	case *tree.StringLit:
		return n
	case *tree.CompoundLit:
		if n.Var.Storage == tree.StaticVar {
			return n
		}
	case *tree.Member:
		if !n.LValue {
			return nil
		}
		o := e.object(n.X)
		if o == nil || o == n.X {
			return nilOr(o, n)
		}
		m := e.c.Unit.Arena.Members.Next()
		*m = *n
		m.X = o
		return m
	case *tree.Unary:
		if n.Op != tree.Deref {
			return nil
		}
		p := e.value(n.X)
		if p == nil {
			return nil
		}
		if a, ok := p.(*tree.Unary); ok && a.Op == tree.Addr && a.X.Info().Type.Same(n.Type) {
			return a.X
		}
		if p == n.X {
			return n
		}
		d := e.c.unary(tree.Deref, n.Pos, nil, p)
		d.Base = n.Base
		return d
	}
	return nil
}

func nilOr(o tree.Expr, n tree.Expr) tree.Expr {
	if o == nil {
		return nil
	}
	return n
}

// pointerAdd computes an address and a number of elements.
func (e *evaluator) pointerAdd(n *tree.Binary) tree.Expr {
	p := e.value(n.L)
	if p == nil {
		return nil
	}
	i, ok := e.value(n.R).(*tree.IntLit)
	if !ok {
		return nil
	}
	c := e.c
	v := i.Value
	if n.Op == tree.PtrSub {
		v = -v
	}
	size := max(uint64(c.Types.SizeOf(n.Type.Elem.Type)), 1)
	switch q := p.(type) {
	case *tree.NullLit:
		if v*size == 0 {
			return p
		}
		at := c.intLit(v*size, c.Types.UIntPtr, n)
		return c.convert(tree.IntToPointer, n.Type.Type, at)
	case *tree.Convert:
		if lit, ok := q.X.(*tree.IntLit); ok && q.Kind == tree.IntToPointer {
			return c.convert(tree.IntToPointer, n.Type.Type, c.intLit(lit.Value+v*size, lit.Type.Type, lit))
		}
	case *tree.Binary:
		if lit, ok := q.R.(*tree.IntLit); ok && q.Op == tree.PtrAdd && q.Type.Type == n.Type.Type {
			p, v = q.L, v+lit.Value
		}
	}
	return c.binary(tree.PtrAdd, n.Pos, n.Type.Type, p, c.intLit(v, c.Types.PtrDiff, n.R))
}

// addressOf returns the object that a constant address is in, and how many bytes it is from the object's
// beginning. An address that is a number has no object.
func (c *Checker) addressOf(p tree.Expr) (base tree.Expr, offset int64, ok bool) {
	for range constantDepth {
		switch n := p.(type) {
		case *tree.NullLit:
			return nil, offset, true
		case *tree.VarRef, *tree.StringLit, *tree.CompoundLit:
			return p, offset, true
		case *tree.Member:
			f := &n.X.Info().Type.Struct.Fields[n.Field]
			offset += f.Offset
			p = n.X
		case *tree.Unary:
			if n.Op != tree.Addr && n.Op != tree.Deref {
				return nil, 0, false
			}
			p = n.X
		case *tree.Convert:
			switch n.Kind {
			case tree.IntToPointer:
				lit, ok := n.X.(*tree.IntLit)
				if !ok {
					return nil, 0, false
				}
				return nil, offset + int64(lit.Value), true
			case tree.Decay, tree.Pointer, tree.Space, tree.NoOp:
				p = n.X
			default:
				return nil, 0, false
			}
		case *tree.Binary:
			lit, ok := n.R.(*tree.IntLit)
			if !ok || n.Op != tree.PtrAdd {
				return nil, 0, false
			}
			offset += int64(lit.Value) * max(c.Types.SizeOf(n.Type.Elem.Type), 1)
			p = n.L
		default:
			return nil, 0, false
		}
	}
	return nil, 0, false
}

// sameObject reports whether two constant addresses are in one object.
func sameObject(a, b tree.Expr) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case *tree.VarRef:
		y, ok := b.(*tree.VarRef)
		return ok && x.Var == y.Var
	}
	return a == b
}

// comparePointers computes a comparison of addresses, or their difference.
func (e *evaluator) comparePointers(n *tree.Binary, l, r tree.Expr) tree.Expr {
	a, x, ok := e.c.addressOf(l)
	if !ok {
		return nil
	}
	b, y, ok := e.c.addressOf(r)
	if !ok {
		return nil
	}
	if !sameObject(a, b) {
		// An object has an address of its own that is not null.
		if n.Op != tree.Eq && n.Op != tree.Ne || x != 0 || y != 0 {
			return nil
		}
		if _, ok := a.(*tree.StringLit); ok && b != nil {
			return nil
		}
		return e.c.intLit(oneIf(n.Op == tree.Ne), n.Type.Type, l)
	}
	if n.Op == tree.PtrDiff {
		size := max(e.c.Types.SizeOf(n.L.Info().Type.Elem.Type), 1)
		return e.c.intLit(uint64((x-y)/size), n.Type.Type, l)
	}
	if v, _, ok := compareInt(n.Op, uint64(x), uint64(y), true); ok {
		return e.c.intLit(v, n.Type.Type, l)
	}
	return nil
}

// reinterpret computes as_type of a constant: its bits in memory, read as another type.
func (e *evaluator) reinterpret(x tree.Expr, t *types.Type) tree.Expr {
	var buf []byte
	put := func(x tree.Expr) bool {
		var v uint64
		switch n := x.(type) {
		case *tree.IntLit:
			v = n.Value
		case *tree.FloatLit:
			v = floatBits(n.Value, n.Type.Type)
		default:
			return false
		}
		for k := 0; k < x.Info().Type.Bits(); k += 8 {
			buf = append(buf, byte(v>>k))
		}
		return true
	}
	if v, ok := x.(*tree.VectorLit); ok {
		for _, k := range v.Elems {
			if !put(k) {
				return nil
			}
		}
	} else if !put(x) {
		return nil
	}
	size := t.Bits() / 8
	lanes := t.Lanes()
	if size == 0 {
		return nil
	}
	get := func(k int) tree.Expr {
		v := uint64(0)
		for i := range size {
			if k*size+i < len(buf) {
				v |= uint64(buf[k*size+i]) << (8 * i)
			}
		}
		if s := t.Component(); s.IsFloat() {
			return e.c.floatLit(bitsFloat(v, s), s, x)
		}
		return e.c.intLit(v, t.Component(), x)
	}
	if !t.IsVector() {
		return get(0)
	}
	out := &tree.VectorLit{Base: *x.Info(), Elems: make([]tree.Expr, lanes)}
	out.Type = qual(t)
	for k := range lanes {
		out.Elems[k] = get(k)
	}
	return out
}

// floatBits returns the bits of a value of a floating type.
func floatBits(v float64, t *types.Type) uint64 {
	switch t.Kind {
	case types.FloatKind:
		return uint64(math.Float32bits(float32(v)))
	case types.DoubleKind:
		return math.Float64bits(v)
	}
	sign := uint64(0)
	if math.Signbit(v) {
		sign = 1 << 15
	}
	a := math.Abs(v)
	switch {
	case v != v:
		return sign | 0x7e00
	case math.IsInf(v, 0):
		return sign | 0x7c00
	case a < 0x1p-14:
		return sign | uint64(a*0x1p24)
	}
	m, exp := math.Frexp(a)
	return sign | uint64(exp+14)<<10 | uint64(m*0x1p11)&0x3ff
}

// bitsFloat is the inverse of floatBits.
func bitsFloat(b uint64, t *types.Type) float64 {
	switch t.Kind {
	case types.FloatKind:
		return float64(math.Float32frombits(uint32(b)))
	case types.DoubleKind:
		return math.Float64frombits(b)
	}
	m := float64(b & 0x3ff)
	var v float64
	switch exp := int(b >> 10 & 31); exp {
	case 31:
		if v = math.Inf(1); m != 0 {
			v = quietNaN
		}
	case 0:
		v = m * 0x1p-24
	default:
		v = math.Ldexp(1+m/1024, exp-15)
	}
	if b>>15&1 != 0 {
		v = -v
	}
	return v
}
