package validate

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// checkConstruct checks the parts of a composite of type t. Vectors are made of scalars and, where
// vectors is true, of smaller vectors.
func (c *checker) checkConstruct(rule string, in spirv.Inst, t *typ, parts []uint32, vectors bool) {
	want := func(n uint64) bool {
		if uint64(len(parts)) != n {
			c.fail(rule, in, "the instruction has %s, but type %%%d has %d", count(len(parts), "constituent"), t.id, n)
			return false
		}
		return true
	}
	same := func(id uint32, m *typ) {
		if pt := c.valueType(spirv.ID(id)); !sameType(pt, m) {
			c.fail(rule, in, "the constituent %%%d has type %%%d, but type %%%d is needed there", id, typeID(pt), m.id)
		}
	}
	switch t.op {
	case spirv.OpTypeCooperativeMatrixKHR:
		if want(1) {
			same(parts[0], t.elem)
		}
	case spirv.OpTypeVector, spirv.OpTypeVectorIdEXT:
		n := 0
		for _, id := range parts {
			pt := c.valueType(spirv.ID(id))
			if pt != nil && vectors && pt.vector() && sameType(pt.elem, t.elem) {
				n += pt.count
				continue
			}
			same(id, t.elem)
			n++
		}
		if n != t.count {
			c.fail(rule, in, "the constituents have %s together, but the vector has %d", count(n, "component"), t.count)
		}
	case spirv.OpTypeArray:
		if t.length != 0 && !want(t.length) {
			return
		}
		for _, id := range parts {
			same(id, t.elem)
		}
	case spirv.OpTypeStruct:
		if !want(uint64(len(t.in.Operands()))) {
			return
		}
		for i, id := range parts {
			same(id, c.typeOf(spirv.ID(t.in.Operands()[i])))
		}
	default:
		c.fail(rule, in, "the result type %%%d is not a composite type", t.id)
	}
}

// checkComposite checks section 3.3.12.
func (c *checker) checkComposite(in spirv.Inst) {
	const rule = "operand-type"
	result := c.typeOf(in.ResultType())
	ops := in.Operands()
	operand := func(i int) *typ { return c.valueType(spirv.ID(ops[i])) }
	switch in.Op() {
	case spirv.OpVectorExtractDynamic:
		v, index := operand(0), operand(1)
		if !v.vector() || !sameType(v.elem, result) {
			c.fail(rule, in, "%%%d has type %%%d, which is not a vector of type %%%d", ops[0], typeID(v), result.id)
		}
		c.checkIndex(in, index, ops[1])
	case spirv.OpVectorInsertDynamic:
		v, part, index := operand(0), operand(1), operand(2)
		if !result.vector() || !sameType(v, result) || !sameType(part, result.elem) {
			c.fail(rule, in, "the component has type %%%d, the vector type %%%d and the result type %%%d, which do not agree", typeID(part), typeID(v), result.id)
		}
		c.checkIndex(in, index, ops[2])
	case spirv.OpVectorShuffle:
		c.checkShuffle(in, result, operand(0), operand(1))
	case spirv.OpCompositeConstruct:
		c.checkConstruct(rule, in, result, ops, true)
	case spirv.OpCompositeExtract:
		if t := c.walk(in, operand(0), ops[1:]); t != nil && !sameType(t, result) {
			c.fail(rule, in, "the indices lead to type %%%d, but the result has type %%%d", t.id, result.id)
		}
	case spirv.OpCompositeInsert:
		if whole := operand(1); !sameType(whole, result) {
			c.fail(rule, in, "the composite %%%d has type %%%d, but the result has type %%%d", ops[1], typeID(whole), result.id)
			return
		}
		if t := c.walk(in, result, ops[2:]); t != nil && !sameType(t, operand(0)) {
			c.fail(rule, in, "the indices lead to type %%%d, but the object has type %%%d", t.id, typeID(operand(0)))
		}
	}
}

func (c *checker) checkIndex(in spirv.Inst, t *typ, id uint32) {
	if !t.scalar() || t.class != classInt {
		c.fail("operand-type", in, "the index %%%d is not an integer", id)
	}
}

// checkShuffle checks OpVectorShuffle; 0xFFFFFFFF selects nothing.
func (c *checker) checkShuffle(in spirv.Inst, result, a, b *typ) {
	const rule = "operand-type"
	if !result.vector() || !a.vector() || !b.vector() || !sameType(a.elem, result.elem) || !sameType(b.elem, result.elem) {
		c.fail(rule, in, "the vectors have types %%%d and %%%d, which do not agree with the result type %%%d", typeID(a), typeID(b), result.id)
		return
	}
	selectors := in.Operands()[2:]
	if len(selectors) != result.count {
		c.fail(rule, in, "the instruction selects %s, but the result has %d", count(len(selectors), "component"), result.count)
	}
	for _, s := range selectors {
		if s != 0xffffffff && uint64(s) >= uint64(a.count+b.count) {
			c.fail(rule, in, "the instruction selects component %d, but the two vectors have only %d components together", s, a.count+b.count)
		}
	}
}

// walk follows literal indices into a composite; nil after an error.
func (c *checker) walk(in spirv.Inst, t *typ, indices []uint32) *typ {
	const rule = "operand-type"
	if t == nil {
		c.fail(rule, in, "the composite operand is not a value")
		return nil
	}
	for _, n := range indices {
		switch t.op {
		case spirv.OpTypeVector, spirv.OpTypeVectorIdEXT:
			if uint64(n) >= uint64(t.count) {
				msg := fmt.Sprintf("the index %d is too large for a vector of %d components", n, t.count)
				if in.Op() != spirv.OpCompositeExtract {
					c.fail(rule, in, "%s", msg)
					return nil
				}
				c.pass(in, "%s", msg) // clang makes it of get_global_id(3)
			}
			t = t.elem
		case spirv.OpTypeArray:
			if t.length != 0 && uint64(n) >= t.length {
				c.fail(rule, in, "the index %d is too large for an array of %d elements", n, t.length)
				return nil
			}
			t = t.elem
		case spirv.OpTypeCooperativeMatrixKHR:
			t = t.elem // how many a lane has depends on the size of sub-groups
		case spirv.OpTypeStruct:
			if t = c.structMember(in, t, uint64(n)); t == nil {
				return nil
			}
		default:
			c.fail(rule, in, "type %%%d has no member with the index %d", t.id, n)
			return nil
		}
	}
	return t
}
