package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// function is a function of the module.
type function struct {
	in      spirv.Inst
	typ     *typ // OpTypeFunction
	params  []spirv.Inst
	blocks  []block
	blockAt map[spirv.ID]int // by label, place in blocks
	last    int              // place in Insts of OpFunctionEnd
	calls   []spirv.Inst
}

// block is a basic block. Places are those in Insts.
type block struct {
	label spirv.ID
	first int   // its OpLabel
	last  int   // its terminator
	succ  []int // places in blocks, one for each edge
	pred  []int // places in blocks, each once
	idom  int   // immediate dominator, -1 for the entry and for blocks that nothing reaches
	order int   // in a depth-first search from the entry, -1 for blocks that nothing reaches
	exit  int   // when that search left the dominator tree below the block
	enter int   // when it came to the block
}

// result is the type that the function returns.
func (f *function) result(c *checker) *typ { return c.typeOf(spirv.ID(f.typ.in.Operand(0))) }

// checkFunctions gathers functions and their blocks, and checks their declarations (section 3.3.9).
func (c *checker) checkFunctions() {
	var f *function
	for i, in := range c.insts {
		switch op := in.Op(); {
		case op == spirv.OpFunction:
			f = &function{in: in, typ: c.typeOf(spirv.ID(in.Operand(1))), blockAt: map[spirv.ID]int{}}
			c.functions = append(c.functions, f)
			c.functionOf[in.ResultID()] = f
		case op == spirv.OpFunctionParameter:
			f.params = append(f.params, in)
		case op == spirv.OpLabel:
			f.blockAt[in.ResultID()] = len(f.blocks)
			f.blocks = append(f.blocks, block{label: in.ResultID(), first: i, idom: -1, order: -1})
		case op == spirv.OpFunctionCall:
			f.calls = append(f.calls, in)
		case op == spirv.OpFunctionEnd:
			f.last = i
		case isTerminator(op):
			f.blocks[len(f.blocks)-1].last = i
		}
	}
	for _, f := range c.functions {
		c.checkFunction(f)
	}
}

func (c *checker) checkFunction(f *function) {
	if f.typ.op != spirv.OpTypeFunction {
		c.fail("function-type", f.in, "%%%d is not a function type", f.typ.id)
		return
	}
	if r := f.result(c); !sameType(r, c.typeOf(f.in.ResultType())) {
		c.fail("function-type", f.in, "the result type is %%%d, but the function type says %%%d", f.in.ResultType(), r.id)
	}
	want := f.typ.in.Operands()[1:]
	if len(f.params) != len(want) {
		c.fail("function-type", f.in, "the function has %s, but its function type has %d", count(len(f.params), "parameter"), len(want))
		return
	}
	for i, p := range f.params {
		if !sameType(c.typeOf(p.ResultType()), c.typeOf(spirv.ID(want[i]))) {
			c.fail("function-type", p, "parameter %d has type %%%d, but the function type says %%%d", i, p.ResultType(), want[i])
		}
		c.checkByVal(p)
	}
	imported := c.imported(f.in.ResultID())
	if imported == (len(f.blocks) > 0) {
		c.fail("function-body", f.in, "a function must have either a body or the import linkage, and not both")
	}
}

// imported reports whether an id is decorated as defined elsewhere.
func (c *checker) imported(id spirv.ID) bool {
	params, ok := c.decorations.Get(id, spirv.DecorationLinkageAttributes)
	return ok && len(params) > 0 && spirv.LinkageType(params[len(params)-1]) == spirv.LinkageTypeImport
}

// checkByVal checks that only pointers to something of a size are passed by value of the pointee.
func (c *checker) checkByVal(p spirv.Inst) {
	for params := range c.decorations.All(p.ResultID(), spirv.DecorationFuncParamAttr) {
		if len(params) == 0 || spirv.FunctionParameterAttribute(params[0]) != spirv.FunctionParameterAttributeByVal {
			continue
		}
		t := c.typeOf(p.ResultType())
		if pointee := c.typeOf(t.pointee); !t.pointer() || pointee == nil || !pointee.sized {
			c.fail("param-byval", p, "the parameter has the attribute ByVal, but is not a pointer to a type with a size")
		}
		return
	}
}

// checkCalls checks calls against the functions that they name, and that no function calls itself,
// directly or through others (environment specification, section 2.2: recursion is not supported).
func (c *checker) checkCalls() {
	for _, f := range c.functions {
		for _, call := range f.calls {
			c.checkCall(call)
		}
	}
	if len(c.errs) == 0 {
		c.checkRecursion()
	}
}

func (c *checker) checkCall(call spirv.Inst) {
	ops := call.Operands()
	f := c.functionOf[spirv.ID(ops[0])]
	if r := f.result(c); !sameType(r, c.typeOf(call.ResultType())) {
		c.fail("call-signature", call, "the result type is %%%[1]d, but function %%%[3]d returns type %%%[2]d", call.ResultType(), r.id, ops[0])
	}
	if len(ops)-1 != len(f.params) {
		c.fail("call-signature", call, "the call has %s, but function %%%d has %s", count(len(ops)-1, "argument"), ops[0], count(len(f.params), "parameter"))
		return
	}
	for i, p := range f.params {
		if t := c.valueType(spirv.ID(ops[i+1])); !sameType(t, c.typeOf(p.ResultType())) {
			c.fail("call-signature", call, "argument %d has type %%%d, but the parameter has type %%%d", i, typeID(t), p.ResultType())
		}
	}
}

// checkRecursion walks the call graph depth first, with a stack of its own.
func (c *checker) checkRecursion() {
	const (
		fresh = iota
		open
		done
	)
	state := map[*function]int{}
	type frame struct {
		f    *function
		next int
	}
	for _, root := range c.functions {
		if state[root] != fresh {
			continue
		}
		state[root] = open
		stack := []frame{{f: root}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(top.f.calls) {
				state[top.f] = done
				stack = stack[:len(stack)-1]
				continue
			}
			call := top.f.calls[top.next]
			top.next++
			callee := c.functionOf[spirv.ID(call.Operand(0))]
			switch state[callee] {
			case open:
				c.fail("recursion", call, "function %%%d calls itself, directly or through other functions", callee.in.ResultID())
			case fresh:
				state[callee] = open
				stack = append(stack, frame{f: callee})
			}
		}
	}
}

// checkEntryPoints checks OpEntryPoint and execution modes (section 3.3.5).
func (c *checker) checkEntryPoints() {
	type key struct {
		model spirv.ExecutionModel
		name  string
	}
	seen := map[key]bool{}
	entries := map[spirv.ID]bool{}
	for _, in := range c.insts {
		if in.Op() != spirv.OpEntryPoint {
			continue
		}
		ops := in.Operands()
		model, f := spirv.ExecutionModel(ops[0]), c.functionOf[spirv.ID(ops[1])]
		name, n, _ := spirv.DecodeString(ops[2:])
		entries[f.in.ResultID()] = true
		if model != spirv.ExecutionModelKernel {
			c.fail("entry-point", in, "the execution model is %s, but entry points of OpenCL modules have Kernel", model)
		}
		if seen[key{model, name}] {
			c.fail("entry-point", in, "the module has two entry points with the name %q", clip(name))
		}
		seen[key{model, name}] = true
		if len(f.blocks) == 0 {
			c.fail("entry-point", in, "the function %%%d of the entry point has no body", f.in.ResultID())
		}
		if f.result(c).op != spirv.OpTypeVoid {
			c.fail("entry-point", in, "the function %%%d of the entry point returns a value, but must return void", f.in.ResultID())
		}
		for _, id := range ops[2+n:] {
			if def, _ := c.index.Def(spirv.ID(id)); def.Op() != spirv.OpVariable && def.Op() != spirv.OpUntypedVariableKHR {
				c.fail("entry-point", in, "%%%d in the interface is not a variable", id)
			}
		}
	}
	for _, in := range c.insts {
		if op := in.Op(); op != spirv.OpExecutionMode && op != spirv.OpExecutionModeId {
			continue
		}
		if id := spirv.ID(in.Operand(0)); !entries[id] {
			c.fail("execution-mode", in, "%%%d is not an entry point", id)
			continue
		}
		if mode := spirv.ExecutionMode(in.Operand(1)); mode == spirv.ExecutionModeLocalSize {
			for _, n := range in.Operands()[2:] {
				if n == 0 {
					c.fail("execution-mode", in, "the size of the work-group must be at least 1 in each dimension")
				}
			}
		}
		if in.Op() == spirv.OpExecutionModeId {
			c.checkExecutionModeID(in)
		}
	}
}

// checkExecutionModeID checks the ids of an OpExecutionModeId: integer constants, but for
// FPFastMathDefault, which begins with a floating-point type (section 3.2.6).
func (c *checker) checkExecutionModeID(in spirv.Inst) {
	ids := in.Operands()[2:]
	if spirv.ExecutionMode(in.Operand(1)) == spirv.ExecutionModeFPFastMathDefault && len(ids) > 0 {
		if t := c.typeOf(spirv.ID(ids[0])); !t.scalar() || t.class != classFloat {
			c.fail("execution-mode", in, "%%%d is not a floating-point type", ids[0])
		}
		ids = ids[1:]
	}
	for _, id := range ids {
		def, _ := c.index.Def(spirv.ID(id))
		if t := c.valueType(spirv.ID(id)); !isConstant(def.Op()) || !t.scalar() || t.class != classInt {
			c.fail("execution-mode", in, "%%%d is not an integer constant", id)
		}
	}
}
