package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// matrixType checks OpTypeCooperativeMatrixKHR (SPV_KHR_cooperative_matrix).
func (c *checker) matrixType(t *typ, forward map[spirv.ID]spirv.Inst) {
	const rule = "type-matrix"
	if t.elem = c.part(t, spirv.ID(t.in.Operand(0)), forward); t.elem == nil {
		return
	}
	if !t.elem.scalar() || t.elem.class != classInt && t.elem.class != classFloat {
		c.fail(rule, t.in, "the component type %%%d is not a scalar number", t.elem.id)
	}
	size := [2]uint64{1, 1} // until a specialization constant has its value
	for i, w := range t.in.Operands()[1:] {
		id := spirv.ID(w)
		def, _ := c.index.Def(id)
		if ct := c.typeOf(def.ResultType()); !isConstant(def.Op()) || !ct.scalar() || ct.class != classInt || ct.width != 32 {
			c.fail(rule, t.in, "%%%d is not a constant integer of 32 bits", id)
			continue
		}
		n, known := c.index.Constant(id)
		if known && (i == 1 || i == 2) {
			if size[i-1] = n; n == 0 {
				c.fail(rule, t.in, "the matrix has no elements")
			}
		}
	}
	t.class, t.width, t.count, t.encoded = t.elem.class, t.elem.width, int(min(size[0]*size[1], 1<<31-1)), t.elem.encoded
}

// checkMatrix checks the instructions on cooperative matrices.
func (c *checker) checkMatrix(in spirv.Inst) {
	const rule = "operand-type"
	ops := in.Operands()
	matrix := func(what string, t *typ) bool {
		if !t.matrix() {
			c.fail(rule, in, "%s has type %%%d, which is not a cooperative matrix", what, typeID(t))
			return false
		}
		return true
	}
	pointer, object := c.valueType(spirv.ID(ops[0])), (*typ)(nil)
	switch in.Op() {
	case spirv.OpCooperativeMatrixLoadKHR:
		matrix("the result", c.typeOf(in.ResultType()))
		ops = ops[1:]
	case spirv.OpCooperativeMatrixStoreKHR:
		object = c.valueType(spirv.ID(ops[1]))
		matrix("the object", object)
		ops = ops[2:]
	case spirv.OpCooperativeMatrixMulAddKHR:
		ok := matrix("the result", c.typeOf(in.ResultType()))
		for _, w := range ops[:3] {
			ok = matrix("an operand", c.valueType(spirv.ID(w))) && ok
		}
		if ok {
			c.checkMatrixUses(in)
		}
		return
	case spirv.OpMatrixTimesScalar:
		if t := c.typeOf(in.ResultType()); matrix("the result", t) && (!sameType(pointer, t) || !sameType(c.valueType(spirv.ID(ops[1])), t.elem)) {
			c.fail(rule, in, "the operands have types %%%d and %%%d, which do not agree with the result", typeID(pointer), typeID(c.valueType(spirv.ID(ops[1]))))
		}
		return
	}
	if !pointer.pointer() {
		c.fail(rule, in, "%%%d is not a pointer", in.Operands()[0])
	}
	layout, _ := c.index.Def(spirv.ID(ops[0]))
	if !isConstant(layout.Op()) {
		c.fail(rule, in, "the layout %%%d is not a constant", ops[0])
	}
	if len(ops) < 2 {
		c.fail(rule, in, "the stride is missing")
	} else if t := c.valueType(spirv.ID(ops[1])); !t.scalar() || t.class != classInt {
		c.fail(rule, in, "the stride %%%d is not an integer", ops[1])
	}
}

// checkMatrixUses checks that the matrices of a product are used as what their types say.
func (c *checker) checkMatrixUses(in spirv.Inst) {
	ops := in.Operands()
	for i, t := range []*typ{c.valueType(spirv.ID(ops[0])), c.valueType(spirv.ID(ops[1])), c.valueType(spirv.ID(ops[2])), c.typeOf(in.ResultType())} {
		want := spirv.CooperativeMatrixUse(min(i, 2))
		if use, known := c.index.Constant(spirv.ID(t.in.Operand(4))); known && spirv.CooperativeMatrixUse(use) != want {
			c.fail("operand-type", in, "a matrix has the use %s where %s is needed", spirv.CooperativeMatrixUse(use), want)
		}
	}
}
