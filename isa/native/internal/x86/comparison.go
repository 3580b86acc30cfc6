package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// mirrored has the predicates of integers for operands the other way round.
var mirrored = map[amd64.Imm]amd64.Imm{IntEqual: IntEqual, IntNotEqual: IntNotEqual, IntLess: IntGreater, IntLessEqual: intNotLess}

// Comparison is an operation that makes a mask. Predicates of integers and floats are the complement of
// others with bit 2 the other way round.
type Comparison struct {
	Op        Pair
	Predicate amd64.Imm
}

// Comparisons has what makes the mask of each comparison.
var Comparisons = map[isa.Op]Comparison{
	isa.OpEq:   {OpCmpU, IntEqual},
	isa.OpNe:   {OpCmpU, IntNotEqual},
	isa.OpLtS:  {OpCmpS, IntLess},
	isa.OpLeS:  {OpCmpS, IntLessEqual},
	isa.OpLtU:  {OpCmpU, IntLess},
	isa.OpLeU:  {OpCmpU, IntLessEqual},
	isa.OpFOEq: {OpFCmp, CmpEqual},
	isa.OpFONe: {OpFCmp, CmpNotEqual},
	isa.OpFOLt: {OpFCmp, CmpLess},
	isa.OpFOLe: {OpFCmp, CmpLessEqual},
	isa.OpFUEq: {OpFCmp, CmpEqualU},
	isa.OpFUNe: {OpFCmp, CmpNotEqualU},
	isa.OpFULt: {OpFCmp, CmpNotGreaterEqU},
	isa.OpFULe: {OpFCmp, CmpNotGreaterU},
	isa.OpFOrd: {OpFCmp, CmpOrdered},
	isa.OpFUno: {OpFCmp, CmpUnordered},
}

// Comparison makes the result of a comparison, or its complement, for the lanes under, whose register it
// changes, or for all if that is nil.
func (c *Compiler) Comparison(in *isa.Inst, cmp Comparison, inverse bool, under *amd64.Mask) amd64.Mask {
	bits := in.Type.IsInt()
	x, y, p := in.A, in.B, cmp.Predicate
	if m, ok := mirrored[p]; ok && bits && x.IsScalar() {
		x, y, p = y, x, m // so that the scalar stays in memory
	}
	if inverse {
		p ^= 4
	}
	a, b := c.Load(x, in.Type, bits), c.Operand(y, in.Type, bits)
	if under != nil {
		c.V(cmp.Op.Of(in.Type), c.Width(in.Type), *under, a, b, p, amd64.Merge(*under))
		return *under
	}
	k := c.Mask()
	c.V(cmp.Op.Of(in.Type), c.Width(in.Type), k, a, b, p)
	return k
}

// LeastOrMost emits such a minimum or maximum; d is neither a nor b.
func (c *Compiler) LeastOrMost(t isa.Type, w amd64.Width, op, zeros amd64.Op, d, a, b amd64.Vec) {
	c.V(op, w, d, a, b)
	c.V(op, w, VecTemp, b, a)
	c.V(zeros, w, d, d, VecTemp)
	c.V(OpFCmp.Of(t), w, VecTemp, a, a, amd64.Imm(CmpUnordered))
	c.V(OpSelect2.Of(t), w, d, d, b, VecTemp)
	c.V(OpFCmp.Of(t), w, VecTemp, b, b, amd64.Imm(CmpUnordered))
	c.V(OpSelect2.Of(t), w, d, d, a, VecTemp)
}
