// Package tree is a translation unit after semantic analysis: declarations, statements and expressions whose types
// are known and in which every conversion is written out.
//
// Package sema makes trees and package gen reads them. A tree is valid C: what was wrong has been said, and is in
// the tree as [Bad]. Nothing here knows SPIR-V.
package tree

import (
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/builtin"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// Expr is an expression.
type Expr interface {
	// Info returns what all expressions have; it can be changed through the pointer.
	Info() *Base
}

// Base is what all expressions have; they embed it.
type Base struct {
	Type types.Qual
	// Pos is where the caret goes: at an operator for binary expressions, else at the beginning. The expression is
	// written from From to To; To is behind its last byte.
	Pos, From, To source.Pos
	// LValue says that the expression names an object (or a function). Values of objects are read by
	// Convert{Kind: Load}.
	LValue bool
	// Paren says that the expression is written in parentheses, for warnings.
	Paren bool
	// Folded says of a constant that something else is written: Computed, or 1 + the BinaryOp it is the result of.
	Folded uint8
}

// Computed is Folded of constants that are not the result of an operator with two operands.
const Computed = 255

// Info returns the base itself.
func (b *Base) Info() *Base { return b }

// Bad is an expression that is wrong, after the error has been reported. Its type is types.Invalid, or what it
// would have been.
type Bad struct{ Base }

// IntLit is a constant of an integer type, an enumeration or bool: integer and character constants, sizeof, and
// whatever sema has folded. Value is extended to 64 bits as the type's sign says. A constant sampler is an IntLit of
// type sampler_t.
type IntLit struct {
	Base
	Value uint64
}

// FloatLit is a constant of a floating type, rounded to it.
type FloatLit struct {
	Base
	Value float64
}

// StringLit is a string literal: an lvalue of type array of char in the constant address space. Value ends
// with its zero byte. As the value of an array of characters (Var.Init, InitItem.Value) it is no lvalue and has the
// array's type; then Value may be shorter than the array, whose other elements are zero.
type StringLit struct {
	Base
	Value []byte
}

// NullLit is a null of pointers, events and reservations.
type NullLit struct{ Base }

// VarRef names a variable or parameter; an lvalue.
type VarRef struct {
	Base
	Var *Var
}

// FuncRef names a function, as an argument of Call is no expression only where the function is called directly.
type FuncRef struct {
	Base
	Func *Func
}

// UnaryOp is an operator with one operand.
type UnaryOp uint8

// The operators with one operand. Operands of Neg, Plus and BitNot are promoted; a vector's LogNot gives 0 and -1.
const (
	Neg UnaryOp = iota
	Plus
	BitNot
	LogNot
	Addr   // of an lvalue; the result is a pointer
	Deref  // of a pointer; the result is an lvalue
	PreInc // of lvalues
	PreDec
	PostInc
	PostDec
)

// Unary is an operator with one operand.
type Unary struct {
	Base
	Op UnaryOp
	X  Expr
}

// BinaryOp is an operator with two operands.
type BinaryOp uint8

// The operators with two operands. Those from Add to Xor have operands of the result's type, but for shifts, whose
// right operand has a type of its own (scalar or as many components), and is taken modulo the left one's width.
const (
	Mul BinaryOp = iota
	Div
	Rem
	Add
	Sub
	Shl
	Shr
	And
	Or
	Xor
	Lt // comparisons: operands of one type, which may be pointers; the result is int, or a vector of 0 and -1
	Gt
	Le
	Ge
	Eq
	Ne
	LogAnd // scalars: operands of any scalar type, the right one evaluated only if needed; vectors: both
	LogOr
	Comma
	PtrAdd  // pointer and integer, in this order; the result is the pointer's type
	PtrSub  // pointer minus integer
	PtrDiff // pointers; the result is in elements
)

// Binary is an operator with two operands.
type Binary struct {
	Base
	Op   BinaryOp
	L, R Expr
}

// Assign stores R, which has L's unqualified type, in the lvalue L; its value is what L has then.
type Assign struct {
	Base
	L, R Expr
}

// CompoundAssign is L op= R: L is read, converted to Compute, combined with R, converted back and stored; L is
// evaluated once. For PtrAdd and PtrSub, Compute is L's type.
type CompoundAssign struct {
	Base
	Op      BinaryOp
	L, R    Expr
	Compute types.Qual // the type in which Op works
}

// Cond is C ? A : B with a scalar condition. A and B have the result's type; both may be void.
type Cond struct {
	Base
	C, A, B Expr
}

// Select is C ? A : B with a vector condition: per component, A where C's highest bit is set. Both are evaluated.
type Select struct {
	Base
	C, A, B Expr
}

// ConvertKind is a kind of conversion.
type ConvertKind uint8

// The conversions.
const (
	Load         ConvertKind = iota // the value of an lvalue
	Decay                           // an array to a pointer to its first element, a function to a pointer
	Integer                         // between integers, by C's rules; also to and from enumerations
	IntToFloat                      // rounded to nearest even
	FloatToInt                      // towards zero
	FloatToFloat                    // rounded to nearest even
	ToBool                          // any scalar to bool: whether it differs from 0
	Splat                           // a scalar to a vector of its type
	Bits                            // as_type: the same bits; also between vectors of 3 and 4 components
	Pointer                         // between pointers of one address space, and qualifiers
	Space                           // between address spaces
	PointerToInt
	IntToPointer
	NoOp // qualifiers of values, and types that differ in name only
	Void // the value is thrown away
)

// Convert is a conversion, written or not. The kinds Integer to FloatToFloat also convert vectors, component by
// component.
type Convert struct {
	Base
	Kind     ConvertKind
	X        Expr
	Explicit bool // written as a cast
}

// Member is a member of a structure or union: an lvalue if X is one. Members of members without names have a
// Member for each step.
type Member struct {
	Base
	X     Expr // a structure: X->f is Member of Deref
	Field int
}

// Swizzle is components of a vector, at least one: an lvalue if X is one and no component occurs twice. The type
// is a scalar for one component. Components that a vector of 3 lacks in .hi and .odd are 3, whose value is
// undefined.
type Swizzle struct {
	Base
	X     Expr
	Comps []uint8
}

// VectorIndex is v[i] of a vector; an lvalue if X is one.
type VectorIndex struct {
	Base
	X, Index Expr
}

// VectorLit is (T)(a, b, ...): Elems have as many components together as the type, of its component type.
type VectorLit struct {
	Base
	Elems []Expr
}

// InitList is the value of an array, structure or union, part by part: what no Item sets is zero. A vector that is
// initialized in braces is a VectorLit.
type InitList struct {
	Base
	Items []InitItem // in ascending order of Index, each at most once
}

// InitItem is an element of an array, or a field of a structure or union.
type InitItem struct {
	Index int64
	// Last is the last element that has the value too ([a ... b], a GNU extension); else equal to Index.
	Last  int64
	Value Expr
}

// CompoundLit is (T){...}: an lvalue, a variable without a name that Init initializes each time.
type CompoundLit struct {
	Base
	Var *Var
}

// Call calls a function of the program. Args have the types of the parameters.
type Call struct {
	Base
	Func *Func
	Args []Expr
}

// CallBuiltin calls a built-in function. Args have the types that Sig gives; those of printf behind the format are
// promoted.
type CallBuiltin struct {
	Base
	Sig  *builtin.Sig
	Args []Expr
}

// StmtExpr is a GNU statement expression, ({ ... }): its value is that of the last statement, if that is an
// expression.
type StmtExpr struct {
	Base
	Body *Block
}
