package spirv

import "strings"

// Integers of SPIR-V that was made from OpenCL C have no sign: OpTypeInt says 0 for all. Where no string of
// the source's types tells (see metadataKeys), debug information may: its types are those of the source. Only
// the signs are taken from it, where the rest of its type is that of the parameter.

// debugSets are the instruction sets of debug information. Their instructions for types have the same
// numbers.
var debugSets = [...]string{"OpenCL.DebugInfo.100", "NonSemantic.Shader.DebugInfo.100"}

// maxDebugDepth bounds how many typedefs, qualifiers and the like may stand between a parameter and its
// elements.
const maxDebugDepth = 32

// signs reads debug information.
type signs struct {
	r         *reflector
	sets      map[ID]bool // value: the operands that are numbers are ids of constants
	functions map[ID]Inst // DebugFunction, by OpFunction
}

// signs reads the debug information of the functions once.
func (r *reflector) signs() *signs {
	if r.signTable != nil {
		return r.signTable
	}
	s := &signs{r: r, sets: map[ID]bool{}, functions: map[ID]Inst{}}
	r.signTable = s
	for _, in := range r.m.Insts {
		switch {
		case in.Op() == OpExtInstImport:
			for i, name := range debugSets {
				if in.StringOperand(0) == name {
					s.sets[in.ResultID()] = i == 1
				}
			}
		case in.Op() == OpExtInst && len(s.sets) > 0:
			ops, shader, ok := s.debug(in)
			switch {
			case !ok:
			case !shader && ops[0] == OpenCLDebugInfo100DebugFunction && len(ops) > 10:
				s.functions[ID(ops[10])] = in
			case shader && ops[0] == ShaderDebugInfo100DebugFunctionDefinition && len(ops) > 2:
				if f, ok := r.index.Def(ID(ops[1])); ok {
					s.functions[ID(ops[2])] = f
				}
			}
		}
	}
	return s
}

// debug returns the number of an instruction of debug information and its operands.
func (s *signs) debug(in Inst) (ops []uint32, shader, ok bool) {
	if in.Op() != OpExtInst {
		return nil, false, false
	}
	ops = in.Operands()
	shader, ok = s.sets[ID(ops[0])]
	return ops[1:], shader, ok && len(ops) > 1
}

// parameters returns the debug types of a function's parameters.
func (s *signs) parameters(f ID) []uint32 {
	fn, ok := s.functions[f]
	if !ok {
		return nil
	}
	ops, _, ok := s.debug(fn)
	if !ok || ops[0] != OpenCLDebugInfo100DebugFunction || len(ops) < 3 {
		return nil
	}
	typ, ok := s.r.index.Def(ID(ops[2]))
	if !ok {
		return nil
	}
	if ops, _, ok = s.debug(typ); !ok || ops[0] != OpenCLDebugInfo100DebugTypeFunction || len(ops) < 3 {
		return nil
	}
	return ops[3:]
}

// encodings of DebugTypeBasic.
const (
	debugSigned       = 4
	debugSignedChar   = 5
	debugUnsigned     = 6
	debugUnsignedChar = 7
)

// integer says whether a debug type is an integer of that many bits, a vector of such, or a pointer to
// either, and its sign.
func (s *signs) integer(id ID, width uint32, pointer bool) (signed, ok bool) {
	for range maxDebugDepth {
		in, found := s.r.index.Def(id)
		if !found {
			return false, false
		}
		ops, shader, found := s.debug(in)
		if !found || len(ops) < 3 {
			return false, false
		}
		switch ops[0] {
		case OpenCLDebugInfo100DebugTypedef:
			id = ID(ops[2])
		case OpenCLDebugInfo100DebugTypeQualifier, OpenCLDebugInfo100DebugTypeVector:
			id = ID(ops[1])
		case OpenCLDebugInfo100DebugTypePointer:
			if !pointer {
				return false, false
			}
			id, pointer = ID(ops[1]), false
		case OpenCLDebugInfo100DebugTypeBasic:
			if len(ops) < 4 || pointer {
				return false, false
			}
			size, known := s.r.index.Constant(ID(ops[2]))
			encoding := uint64(ops[3])
			if shader {
				var constant bool
				encoding, constant = s.r.index.Constant(ID(ops[3]))
				known = known && constant
			}
			signed = encoding == debugSigned || encoding == debugSignedChar
			return signed, known && size == uint64(width) && (signed || encoding == debugUnsigned || encoding == debugUnsignedChar)
		default:
			return false, false
		}
	}
	return false, false
}

// sign finds out whether the integers of parameters are signed.
func (r *reflector) sign(e *EntryPoint) {
	var types []uint32
	for i := range e.Args {
		a := &e.Args[i]
		width, pointer, ok := r.unsigned(a)
		if !ok {
			continue
		}
		a.SignAssumed = true
		if types == nil {
			if types = r.signs().parameters(e.Body); types == nil {
				types = []uint32{}
			}
		}
		if len(types) != len(e.Args) {
			continue
		}
		if signed, ok := r.signs().integer(ID(types[i]), width, pointer); ok {
			a.SignAssumed = false
			if signed {
				a.TypeName = strings.TrimPrefix(a.TypeName, "u")
			}
		}
	}
}

// unsigned says whether a parameter is an integer without a sign, a vector of such, or a pointer to either,
// and how many bits it has.
func (r *reflector) unsigned(a *Arg) (width uint32, pointer, ok bool) {
	typ := a.Type
	if a.ByVal {
		typ = a.Pointee
	}
	in, found := r.index.Def(typ)
	if found && in.Op() == OpTypePointer && !a.ByVal {
		pointer = true
		in, found = r.index.Def(ID(in.Operand(1)))
	}
	if found && in.Op() == OpTypeVector {
		in, found = r.index.Def(ID(in.Operand(0)))
	}
	if !found || in.Op() != OpTypeInt || in.Operand(1) != 0 || !strings.HasPrefix(a.TypeName, "u") {
		return 0, false, false
	}
	return in.Operand(0), pointer, true
}
