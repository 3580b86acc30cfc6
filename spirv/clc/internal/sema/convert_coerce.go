package sema

import (
	"fmt"
	"math"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// ContextKind says where an expression is converted to a type that does not depend on it.
type ContextKind uint8

// The places.
const (
	Assigning ContextKind = iota
	Initializing
	Passing // as an argument
	Returning
)

// Context is where an expression is converted, for messages.
type Context struct {
	Kind  ContextKind
	Param int    // the number of the argument, from 1
	Func  string // the function that is called, or that returns
	// Decl is where the parameter is declared; 0 if that is not known.
	Decl source.Pos
}

// phrase tells what goes where: "cannot pass 'float4' as argument 2 of 'f', which is 'int'".
func (k Context) phrase(from, to types.Qual) string {
	switch k.Kind {
	case Assigning:
		return fmt.Sprintf("assign '%s' to '%s'", from, to.Unqual())
	case Initializing:
		return fmt.Sprintf("initialize '%s' with '%s'", to.Unqual(), from)
	case Returning:
		return fmt.Sprintf("return '%s' from a function that returns '%s'", from, to.Unqual())
	}
	if k.Func == "" {
		return fmt.Sprintf("pass '%s' as argument %d, which is '%s'", from, k.Param, to.Unqual())
	}
	return fmt.Sprintf("pass '%s' as argument %d of '%s', which is '%s'", from, k.Param, k.Func, to.Unqual())
}

// verbing puts the first word of a phrase into its form with -ing.
func verbing(s string) string {
	for i := range len(s) {
		if s[i] == ' ' {
			w := s[:i]
			if w[len(w)-1] == 'e' {
				w = w[:len(w)-1]
			}
			return w + "ing" + s[i:]
		}
	}
	return s
}

// fit says how a value can become one of another type without a cast.
type fit uint8

const (
	sameType    fit = iota
	numbers         // both are numbers
	widens          // a number to a vector
	pointers        // see pointerFit
	nullPointer     // a null pointer constant
	pointerToBool
	pointerToInt // an error
	intToPointer // an error
	zeroEvent    // 0 to an event, initializing or passing
	intSampler   // an integer to a sampler, initializing or passing
	sameStruct   // types that are compatible, not the same
	unfit
)

// fit says how the value x can become one of type to; for pointers, second says how well.
func (c *Checker) fit(k ContextKind, to *types.Type, x tree.Expr) (fit, pointerFit) {
	from := x.Info().Type.Type
	switch {
	case from == to:
		return sameType, fits
	case from.IsArithmetic() && to.IsArithmetic():
		return numbers, fits
	case to.IsVector():
		if from.IsArithmetic() {
			return widens, fits
		}
	case to.IsPointer():
		switch {
		case from.IsPointer():
			if n, ok := x.(*tree.NullLit); ok && c.isPlainVoid(n.Type.Elem) {
				return nullPointer, fits
			}
			return pointers, c.pointerFit(from.Elem, to.Elem)
		case from.IsInteger():
			if c.isNull(x) {
				return nullPointer, fits
			}
			return intToPointer, fits
		}
	case from.IsPointer() && to.Kind == types.BoolKind:
		return pointerToBool, fits
	case from.IsPointer() && to.IsInteger():
		return pointerToInt, fits
	case to.Kind == types.EventKind || to.Kind == types.QueueKind:
		if lit, ok := x.(*tree.IntLit); ok && lit.Value == 0 && from.IsInteger() && k != Assigning {
			return zeroEvent, fits
		}
	case to.Kind == types.SamplerKind:
		if from.IsInteger() && (k == Initializing || k == Passing) {
			return intSampler, fits
		}
	case c.compatible(from, to):
		return sameStruct, fits
	}
	return unfit, fits
}

// Coerce converts an expression to a type where C converts without a cast. The result is a value of the
// unqualified type.
func (c *Checker) Coerce(k Context, to types.Qual, x tree.Expr) tree.Expr {
	x = c.Value(x)
	if isBad(x) || to.Kind == types.Invalid {
		return x
	}
	i := x.Info()
	from := i.Type
	how, ptr := c.fit(k.Kind, to.Type, x)
	switch how {
	case sameType:
		return x
	case numbers:
		if from.Kind == types.EnumKind && to.Kind == types.EnumKind {
			c.Diags.Warnf("enum-conversion", i.Pos, "converting from '%s' to another enumeration, '%s'", from,
				to.Unqual()).
				Range(i.From, i.To)
		} else {
			c.warnImplicit(x, to.Type, i.Pos, false)
		}
		return c.number(x, to.Type)
	case widens:
		c.warnImplicit(x, to.Elem.Type, i.Pos, false)
		return c.splat(x, to.Type)
	case nullPointer, zeroEvent:
		c.warnNull(x, to)
		return null(to.Type, x)
	case pointerToBool:
		c.warnNeverNull(x)
		return c.convert(tree.ToBool, to.Type, x)
	case sameStruct:
		return c.convert(tree.NoOp, to.Type, x)
	case intSampler:
		return c.sampler(x)
	case pointers:
		return c.coercePointer(k, to, x, ptr)
	case intToPointer, pointerToInt:
		d := c.Diags.Errorf(i.Pos, "cannot %s without a cast", k.phrase(from, to)).Range(i.From, i.To)
		c.noteParam(d, k)
		return c.badAt(x)
	}
	d := c.Diags.Errorf(i.Pos, "cannot %s", k.phrase(from, to)).Range(i.From, i.To)
	switch {
	case from.IsVector() && to.IsVector() && from.Len == to.Len:
		d.Note(i.Pos,
			"vectors are not converted without being asked: convert_%s() converts, as_%s() keeps the bits",
			to.Unqual(), to.Unqual())
	case from.IsVector() && to.IsArithmetic():
		d.Note(i.Pos, "a component is chosen with .x or .s0")
	}
	c.noteParam(d, k)
	return c.badAt(x)
}

func (c *Checker) noteParam(d *diag.Diagnostic, k Context) {
	if k.Kind == Passing && k.Decl != 0 {
		d.Note(k.Decl, "the parameter is declared here")
	}
}

// warnNull warns of a null pointer that is written in an odd way.
func (c *Checker) warnNull(x tree.Expr, to types.Qual) {
	i := x.Info()
	if _, ok := x.(*tree.IntLit); (!ok || i.Folded != 0) && to.IsPointer() && i.Type.IsInteger() {
		c.Diags.Warnf("non-literal-null-conversion", i.Pos, "this is 0, and is taken as a null pointer").
			Range(i.From, i.To)
	}
}

// coercePointer converts a pointer to another pointer type without a cast.
func (c *Checker) coercePointer(k Context, to types.Qual, x tree.Expr, ptr pointerFit) tree.Expr {
	i := x.Info()
	from := i.Type
	flag, why := "", ""
	switch ptr {
	case otherSpace, nestedSpace:
		d := c.Diags.Errorf(i.Pos, "cannot %s: the address spaces differ", k.phrase(from, to)).Range(i.From, i.To)
		if ptr == otherSpace && overlaps(from.Elem.Space(), to.Elem.Space()) {
			d.Note(i.Pos, "a cast to '%s' converts from the generic address space", to.Unqual())
		}
		c.noteParam(d, k)
		return c.badAt(x)
	case dropsQuals, nestedQuals:
		flag, why = "incompatible-pointer-types-discards-qualifiers", "drops qualifiers"
	case otherSign:
		flag, why = "pointer-sign", "takes integers of one sign for those of the other"
	case otherType:
		flag, why = "incompatible-pointer-types", "takes a pointer for one of another type"
	}
	if flag != "" {
		d := c.Diags.Warnf(flag, i.Pos, "%s %s", verbing(k.phrase(from, to)), why).Range(i.From, i.To)
		c.noteParam(d, k)
	}
	return c.pointer(x, to.Type)
}

// pointer converts the value of a pointer to another pointer type.
func (c *Checker) pointer(x tree.Expr, to *types.Type) tree.Expr {
	from := x.Info().Type.Type
	if from == to {
		return x
	}
	if n, ok := x.(*tree.NullLit); ok {
		return null(to, n)
	}
	if from.Elem.Space() != to.Elem.Space() {
		x = c.convert(tree.Space, c.Types.Pointer(from.Elem.In(to.Elem.Space())), x)
		if x.Info().Type.Type == to {
			return x
		}
	}
	return c.convert(tree.Pointer, to, x)
}

// The bits of a constant sampler: whether coordinates are normalized, how they are addressed, and the filter.
const (
	samplerAddressing = 7 << 1
	samplerFilter     = 3 << 4
)

// sampler turns an integer into a sampler.
func (c *Checker) sampler(x tree.Expr) tree.Expr {
	i := x.Info()
	v, ok := c.FoldInt(x)
	if !ok {
		c.Diags.Errorf(i.Pos, "a sampler is initialized with a constant").Range(i.From, i.To)
		return c.badAt(x)
	}
	if f := v & samplerFilter >> 4; f != 1 && f != 2 {
		c.Diags.Warnf("spir-compat", i.Pos, "the sampler has neither CLK_FILTER_NEAREST nor CLK_FILTER_LINEAR").
			Range(i.From, i.To)
	}
	if a := v & samplerAddressing >> 1; a > 4 {
		c.Diags.Errorf(i.Pos, "the sampler has an addressing mode that there is not").Range(i.From, i.To)
		return c.badAt(x)
	}
	n := c.Unit.Arena.Ints.Next()
	*n = tree.IntLit{Base: *i, Value: v & math.MaxUint32}
	n.Type, n.LValue = qual(c.Types.Sampler), false
	return n
}
