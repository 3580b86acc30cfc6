package build

import "github.com/lockstep-gpu/lockstep/spirv"

// unoptimized says whether LLVM made the module without optimization: parameters of functions are stored to variables and
// used for nothing else, which no level of optimization leaves so. Wrappers around kernels pass theirs on.
func (m *Module) unoptimized() bool {
	if m.noOpt == nil {
		x := m.storesParameters()
		m.noOpt = &x
	}
	return *m.noOpt
}

func (m *Module) storesParameters() bool {
	params := map[spirv.ID]bool{}
	isParam := func(w uint32) bool { return params[spirv.ID(w)] }
	stored := false
	for _, in := range m.Source.Insts {
		ops := in.Operands()
		switch in.Op() {
		case spirv.OpFunction:
			clear(params)
		case spirv.OpFunctionParameter:
			id := in.ResultID()
			if !m.paramAttr(id, spirv.FunctionParameterAttributeByVal) && !m.paramAttr(id, spirv.FunctionParameterAttributeSret) {
				params[id] = true
			}
		case spirv.OpFunctionEnd:
			clear(params)
		case spirv.OpFunctionCall, spirv.OpLine, spirv.OpNoLine, spirv.OpLabel, spirv.OpVariable:
		case spirv.OpStore:
			if isParam(ops[0]) {
				return false
			}
			if isParam(ops[1]) {
				d, ok := m.Index.Def(spirv.ID(ops[0]))
				if !ok || d.Op() != spirv.OpVariable {
					return false
				}
				stored = true
			}
		case spirv.OpLoad:
			if isParam(ops[0]) {
				return false
			}
		case spirv.OpExtInst:
			ops = ops[min(2, len(ops)):]
			fallthrough
		default:
			for _, w := range ops {
				if len(params) > 0 && isParam(w) {
					return false
				}
			}
		}
	}
	return stored
}
