package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// mirrored has the predicates of integers for operands the other way round.
var mirrored = map[amd64.Imm]amd64.Imm{intEqual: intEqual, intNotEqual: intNotEqual, intLess: intGreater, intLessEqual: intNotLess}

// comparison is an operation that makes a mask. Predicates of integers and floats are the complement of
// others with bit 2 the other way round.
type comparison struct {
	op        pair
	predicate amd64.Imm
}

var comparisons = map[isa.Op]comparison{
	isa.OpEq:   {opCmpU, intEqual},
	isa.OpNe:   {opCmpU, intNotEqual},
	isa.OpLtS:  {opCmpS, intLess},
	isa.OpLeS:  {opCmpS, intLessEqual},
	isa.OpLtU:  {opCmpU, intLess},
	isa.OpLeU:  {opCmpU, intLessEqual},
	isa.OpFOEq: {opFCmp, cmpEqual},
	isa.OpFONe: {opFCmp, cmpNotEqual},
	isa.OpFOLt: {opFCmp, cmpLess},
	isa.OpFOLe: {opFCmp, cmpLessEqual},
	isa.OpFUEq: {opFCmp, cmpEqualU},
	isa.OpFUNe: {opFCmp, cmpNotEqualU},
	isa.OpFULt: {opFCmp, cmpNotGreaterEqU},
	isa.OpFULe: {opFCmp, cmpNotGreaterU},
	isa.OpFOrd: {opFCmp, cmpOrdered},
	isa.OpFUno: {opFCmp, cmpUnordered},
}

// comparison makes the result of a comparison, or its complement, for the lanes under, whose register it
// changes, or for all if that is nil.
func (c *compiler) comparison(in *isa.Inst, cmp comparison, inverse bool, under *amd64.Mask) amd64.Mask {
	bits := in.Type.IsInt()
	x, y, p := in.A, in.B, cmp.predicate
	if m, ok := mirrored[p]; ok && bits && x.IsScalar() {
		x, y, p = y, x, m // so that the scalar stays in memory
	}
	if inverse {
		p ^= 4
	}
	a, b := c.load(x, in.Type, bits), c.operand(y, in.Type, bits)
	if under != nil {
		c.V(cmp.op.of(in.Type), c.width(in.Type), *under, a, b, p, amd64.Merge(*under))
		return *under
	}
	k := c.mask()
	c.V(cmp.op.of(in.Type), c.width(in.Type), k, a, b, p)
	return k
}

// leastOrMost emits such a minimum or maximum; d is neither a nor b.
func (c *compiler) leastOrMost(t isa.Type, w amd64.Width, op, zeros amd64.Op, d, a, b amd64.Vec) {
	c.V(op, w, d, a, b)
	c.V(op, w, vecTemp, b, a)
	c.V(zeros, w, d, d, vecTemp)
	c.V(opFCmp.of(t), w, vecTemp, a, a, amd64.Imm(cmpUnordered))
	c.V(opSelect2.of(t), w, d, d, b, vecTemp)
	c.V(opFCmp.of(t), w, vecTemp, b, b, amd64.Imm(cmpUnordered))
	c.V(opSelect2.of(t), w, d, d, a, vecTemp)
}
