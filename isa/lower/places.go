package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// debugInfo is the extended instruction set by which a module says which
// functions its compiler inlined where.
const debugInfo = "OpenCL.DebugInfo.100"

// frame is what an instruction stands in: a function's body, and the call by
// which that got into the kernel.
type frame struct {
	fn uint32 // Program.Functions
	at uint32 // Kernel.Locs; 0 in the kernel itself
	// lexical is the scope in Kernel.Debug, of a kernel for a debugger; 0 where that is not known.
	lexical uint32
}

// inlining is a DebugInlinedAt in a body that the lowering has inlined at a
// place of its own.
type inlining struct {
	id spirv.ID
	at uint32
}

// scope is what a lexical scope of debug information leads to.
type scope struct{ fn, file uint32 }

// maxScopes bounds the scopes around a scope, and the inlined calls around an
// instruction. Debug information may lie, and lead to itself.
const maxScopes = 64

// locIndex returns the index of a place in Kernel.Locs.
func (b *builder) locIndex(l isa.Loc) uint32 {
	i, ok := b.locs[l]
	if !ok {
		i = uint32(len(b.k.Locs))
		b.k.Locs = append(b.k.Locs, l)
		b.locs[l] = i
	}
	return i
}

// enter notes that the body of f begins, called at the place of the instruction
// at hand. The function that translators make of a kernel, which has its name and
// does nothing but call it, is no call that people know of.
func (b *builder) enter(f *function) {
	id := f.def.ResultID()
	name := b.m.names[id]
	if len(b.stack) == 1 {
		b.inBody = frame{fn: b.m.functionIndex(b.k.Name)}
		return
	}
	if b.line.Line == 0 && b.inBody.at == 0 && name == b.k.Name {
		return
	}
	b.inBody = frame{fn: b.m.functionIndex(name), at: b.loc}
}

// functionIndex returns the index in Program.Functions of a name.
func (m *module) functionIndex(name string) uint32 {
	i, ok := m.functions[name]
	if !ok {
		i = uint32(len(m.prog.Functions))
		m.prog.Functions = append(m.prog.Functions, name)
		m.functions[name] = i
	}
	return i
}

// debugScope reads a DebugScope: what follows it in the block stands in the
// scope that it names and was inlined at the calls that it names.
func (b *builder) debugScope(in spirv.Inst) {
	ops := in.Operands()[2:]
	if len(ops) == 0 {
		return
	}
	b.inScope = b.inBody
	if s := b.m.lexicalScope(spirv.ID(ops[0])); s.fn != 0 {
		b.inScope.fn = s.fn
	}
	if b.debug != nil {
		b.inScope.lexical = b.debug.scope(spirv.ID(ops[0]))
	}
	if len(ops) > 1 {
		b.inScope.at = b.inlinedAt(spirv.ID(ops[1]))
	}
}

// inlinedAt returns the place of a call that the module's compiler inlined.
func (b *builder) inlinedAt(id spirv.ID) uint32 {
	var chain []spirv.Inst
	at := b.inBody.at
	for len(chain) < maxScopes {
		if i, ok := b.atCall[inlining{id, b.inBody.at}]; ok {
			at = i
			break
		}
		in, ok := b.m.debugInst(id, spirv.OpenCLDebugInfo100DebugInlinedAt, 2)
		if !ok {
			break
		}
		chain = append(chain, in)
		ops := in.Operands()[2:]
		if len(ops) < 3 {
			break
		}
		id = spirv.ID(ops[2])
	}
	for i := len(chain) - 1; i >= 0; i-- {
		ops := chain[i].Operands()[2:]
		s := b.m.lexicalScope(spirv.ID(ops[1]))
		b.spend(1)
		at = b.locIndex(isa.Loc{File: s.file, Line: ops[0], Func: s.fn, At: at})
		if b.debug != nil {
			b.debug.locScope(int(at)+1, b.debug.scope(spirv.ID(ops[1])))
		}
		b.atCall[inlining{chain[i].ResultID(), b.inBody.at}] = at
	}
	return at
}

// debugInst returns the instruction of debug information with that result,
// if it is the n-th of the set and has so many operands.
func (m *module) debugInst(id spirv.ID, n uint32, operands int) (spirv.Inst, bool) {
	in, ok := m.x.Def(id)
	if !ok || in.Op() != spirv.OpExtInst || len(in.Operands()) < 2+operands {
		return spirv.Inst{}, false
	}
	return in, m.sets[spirv.ID(in.Operand(0))] == debugInfo && in.Operand(1) == n
}

// lexicalScope returns the function that a scope of debug information belongs to,
// and its file; zeros when the module does not say.
func (m *module) lexicalScope(id spirv.ID) scope {
	if s, ok := m.scopes[id]; ok {
		return s
	}
	first, s := id, scope{}
	for range maxScopes {
		if in, ok := m.debugInst(id, spirv.OpenCLDebugInfo100DebugFunction, 3); ok {
			ops := in.Operands()[2:]
			s.fn = m.functionIndex(m.strings[spirv.ID(ops[0])])
			if src, ok := m.debugInst(spirv.ID(ops[2]), spirv.OpenCLDebugInfo100DebugSource, 1); ok {
				if file := spirv.ID(src.Operands()[2]); m.strings[file] != "" {
					s.file = m.file(file)
				}
			}
			break
		}
		if in, ok := m.debugInst(id, spirv.OpenCLDebugInfo100DebugLexicalBlock, 4); ok {
			id = spirv.ID(in.Operands()[5])
			continue
		}
		in, ok := m.debugInst(id, spirv.OpenCLDebugInfo100DebugLexicalBlockDiscriminator, 3)
		if !ok {
			break
		}
		id = spirv.ID(in.Operands()[4])
	}
	m.scopes[first] = s
	return s
}

// elem describes the elements of a variable of type t.
func (m *module) elem(t *typ) isa.Elem {
	e := t
	if t.kind == kindArray && t.elem != nil {
		e = t.elem
	}
	return isa.Elem{TypeName: m.typeName(e, 0), Size: e.size}
}
