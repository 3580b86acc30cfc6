package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// checkInterfaces checks that an entry point lists the Input variables that its call tree uses, and all
// module-scope variables from version 1.4 on (section 3.3.5, OpEntryPoint), and that 64-bit atomics are
// declared (section 3.2.31).
func (c *checker) checkInterfaces() {
	variables := map[spirv.ID]bool{} // that belong in interfaces
	inFunction := false
	for _, in := range c.insts {
		switch in.Op() {
		case spirv.OpFunction:
			inFunction = true
		case spirv.OpFunctionEnd:
			inFunction = false
		case spirv.OpVariable:
			s := spirv.StorageClass(in.Operand(0))
			if !inFunction && (s == spirv.StorageClassInput || c.m.Version >= 0x00010400) {
				variables[in.ResultID()] = true
			}
		}
		if atomic(in.Op()) && !c.capabilities[spirv.CapabilityInt64Atomics] {
			c.checkAtomicWidth(in)
		}
	}
	if len(variables) == 0 {
		return
	}
	used := make(map[*function][]spirv.ID, len(c.functions))
	for _, f := range c.functions {
		used[f] = c.variablesOf(f, variables)
	}
	budget := interfaceBudget
	for _, in := range c.insts {
		if in.Op() == spirv.OpEntryPoint {
			budget = c.checkInterface(in, used, budget)
		}
	}
}

func (c *checker) checkAtomicWidth(in spirv.Inst) {
	t := c.typeOf(in.ResultType())
	if in.Op() == spirv.OpAtomicStore {
		t = c.valueType(spirv.ID(in.Operand(3)))
	}
	if t != nil && t.class == classInt && t.width == 64 {
		c.fail("atomic-capability", in, "64-bit atomics need the capability Int64Atomics")
	}
}

// variablesOf lists the variables of a set that the body of a function names, each once.
func (c *checker) variablesOf(f *function, variables map[spirv.ID]bool) []spirv.ID {
	var list []spirv.ID
	seen := map[spirv.ID]bool{}
	for _, b := range f.blocks {
		for at := b.first + 1; at <= b.last; at++ {
			in := c.insts[at]
			if extended(in.Op()) && c.effectless(in) {
				continue
			}
			for _, o := range c.parse(in) {
				if o.Kind == spirv.KindIdRef && variables[o.ID()] && !seen[o.ID()] {
					seen[o.ID()] = true
					list = append(list, o.ID())
				}
			}
		}
	}
	return list
}

// interfaceBudget bounds the functions that checkInterface walks through for all entry points together:
// a module of thousands of kernels that each reach thousands of functions is checked in part only.
const interfaceBudget = 1 << 22

// checkInterface walks the call tree of an entry point, and gives what is left of the budget. One error
// is enough for an entry point.
func (c *checker) checkInterface(in spirv.Inst, used map[*function][]spirv.ID, budget int) int {
	ops := in.Operands()
	_, n, _ := spirv.DecodeString(ops[2:])
	listed := map[spirv.ID]bool{}
	for _, id := range ops[2+n:] {
		listed[spirv.ID(id)] = true
	}
	root := c.functionOf[spirv.ID(ops[1])]
	reached := map[*function]bool{root: true}
	for todo := []*function{root}; len(todo) > 0 && budget > 0; {
		f := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		budget -= 1 + len(used[f]) + len(f.calls)
		for _, id := range used[f] {
			if !listed[id] {
				c.fail("entry-point-interface", in, "the interface must list the variable %%%d, which the entry point uses", id)
				return budget
			}
		}
		for _, call := range f.calls {
			if callee := c.functionOf[spirv.ID(call.Operand(0))]; !reached[callee] {
				reached[callee] = true
				todo = append(todo, callee)
			}
		}
	}
	return budget
}
