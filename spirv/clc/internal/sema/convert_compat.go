package sema

import "github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"

// Compatible reports whether two types are compatible: whether declarations with them can be of one object.
func (c *Checker) Compatible(a, b types.Qual) bool {
	if a.Same(b) {
		return true
	}
	if (a.Q^b.Q)&^types.Explicit != 0 {
		return false
	}
	return c.compatible(a.Type, b.Type)
}

// compatible is Compatible of types without qualifiers of their own.
func (c *Checker) compatible(a, b *types.Type) bool {
	for a != b {
		if a.Kind != b.Kind {
			// An enumeration goes with the integer type that it has.
			return (a.Kind == types.EnumKind || b.Kind == types.EnumKind) && a.Base() == b.Base()
		}
		switch a.Kind {
		case types.PointerKind:
			if (a.Elem.Q^b.Elem.Q)&^types.Explicit != 0 {
				return false
			}
		case types.ArrayKind:
			if a.Len >= 0 && b.Len >= 0 && a.Len != b.Len || (a.Elem.Q^b.Elem.Q)&^types.Explicit != 0 {
				return false
			}
		case types.FunctionKind:
			return c.compatibleFunctions(a, b)
		default:
			return false
		}
		a, b = a.Elem.Type, b.Elem.Type
	}
	return true
}

func (c *Checker) compatibleFunctions(a, b *types.Type) bool {
	if !c.Compatible(a.Elem, b.Elem) {
		return false
	}
	switch {
	case a.NoProto && b.NoProto:
		return true
	case a.NoProto || b.NoProto:
		// Without a prototype, parameters are of promoted types.
		f := a
		if a.NoProto {
			f = b
		}
		for _, p := range f.Params {
			if p.IsInteger() && c.promotedType(p.Type) != p.Type {
				return false
			}
		}
		return !f.Variadic
	case len(a.Params) != len(b.Params) || a.Variadic != b.Variadic:
		return false
	}
	for i, p := range a.Params {
		if !c.Compatible(p.Unqual(), b.Params[i].Unqual()) {
			return false
		}
	}
	return true
}

// Composite returns the type that declarations with two compatible types have together.
func (c *Checker) Composite(a, b types.Qual) types.Qual {
	if a.Type == b.Type {
		return a
	}
	switch {
	case a.Kind == types.ArrayKind && b.Kind == types.ArrayKind:
		n := a.Len
		if n < 0 {
			n = b.Len
		}
		return types.Qual{Type: c.Types.Array(c.Composite(a.Elem, b.Elem), n), Q: a.Q}
	case a.Kind == types.PointerKind && b.Kind == types.PointerKind:
		return types.Qual{Type: c.Types.Pointer(c.Composite(a.Elem, b.Elem)), Q: a.Q}
	case a.Kind == types.FunctionKind && b.Kind == types.FunctionKind:
		if a.NoProto {
			return b
		}
		if b.NoProto || len(a.Params) != len(b.Params) {
			return a
		}
		params := make([]types.Qual, len(a.Params))
		for i := range params {
			params[i] = c.Composite(a.Params[i], b.Params[i])
		}
		return types.Qual{Type: c.Types.Function(c.Composite(a.Elem, b.Elem), params, a.Variadic, false), Q: a.Q}
	case a.Kind == types.EnumKind:
		return b
	}
	return a
}

// overlaps reports whether two address spaces can have objects in common.
func overlaps(a, b types.Space) bool {
	return a == b || a == types.Generic && b != types.Constant || b == types.Generic && a != types.Constant
}

// includes reports whether an address space has all objects of another one.
func includes(a, b types.Space) bool { return a == b || a == types.Generic && b != types.Constant }

// pointerFit says how well a pointer converts to another pointer type without a cast.
type pointerFit uint8

const (
	fits        pointerFit = iota
	dropsQuals             // qualifiers of what is pointed to would be lost
	otherSign              // integers of the other sign
	otherType              // what is pointed to is of another type
	nestedQuals            // qualifiers differ further inside
	otherSpace             // the address space is another one
	nestedSpace            // address spaces differ further inside
)

// pointerFit compares the pointees of a pointer and of the type that it is to become.
func (c *Checker) pointerFit(from, to types.Qual) pointerFit {
	fit := fits
	if !includes(to.Space(), from.Space()) {
		return otherSpace
	}
	if from.Q.CVR()&^to.Q.CVR()&^types.Restrict&^types.Atomic != 0 {
		fit = dropsQuals
	}
	if from.Q&types.Atomic != to.Q&types.Atomic {
		return otherType
	}
	if from.Kind == types.VoidKind || to.Kind == types.VoidKind {
		return fit
	}
	if from.Type == to.Type || c.compatible(from.Type, to.Type) {
		return fit
	}
	if from.IsInteger() && to.IsInteger() && c.Types.Unsigned(from.Base()) == c.Types.Unsigned(to.Base()) {
		return max(fit, otherSign)
	}
	if from.IsPointer() && to.IsPointer() {
		f, t := from.Elem, to.Elem
		for f.IsPointer() && t.IsPointer() {
			if f.Space() != t.Space() {
				return nestedSpace
			}
			f, t = f.Elem, t.Elem
		}
		if f.Space() != t.Space() {
			return nestedSpace
		}
		if f.Type == t.Type {
			return nestedQuals
		}
	}
	return otherType
}
