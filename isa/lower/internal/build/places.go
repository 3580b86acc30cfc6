package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// DebugInfo is the extended instruction set by which a module says which
// functions its compiler inlined where.
const DebugInfo = "OpenCL.DebugInfo.100"

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
func (b *Builder) locIndex(l isa.Loc) uint32 {
	i, ok := b.locs[l]
	if !ok {
		i = uint32(len(b.Kernel.Locs))
		b.Kernel.Locs = append(b.Kernel.Locs, l)
		b.locs[l] = i
	}
	return i
}

// enter notes that the body of f begins, called at the place of the instruction
// at hand. The function that translators make of a kernel, which has its name and
// does nothing but call it, is no call that people know of.
func (b *Builder) enter(f *Function) {
	id := f.Def.ResultID()
	name := b.Module.Names[id]
	if len(b.stack) == 1 {
		b.InBody = frame{fn: b.Module.functionIndex(b.Kernel.Name)}
		return
	}
	if b.Line.Line == 0 && b.InBody.at == 0 && name == b.Kernel.Name {
		return
	}
	b.InBody = frame{fn: b.Module.functionIndex(name), at: b.loc}
}

// functionIndex returns the index in Program.Functions of a name.
func (m *Module) functionIndex(name string) uint32 {
	i, ok := m.functions[name]
	if !ok {
		i = uint32(len(m.Program.Functions))
		m.Program.Functions = append(m.Program.Functions, name)
		m.functions[name] = i
	}
	return i
}

// DebugScope reads a DebugScope: what follows it in the block stands in the
// scope that it names and was inlined at the calls that it names.
func (b *Builder) DebugScope(in spirv.Inst) {
	ops := in.Operands()[2:]
	if len(ops) == 0 {
		return
	}
	b.InScope = b.InBody
	if s := b.Module.lexicalScope(spirv.ID(ops[0])); s.fn != 0 {
		b.InScope.fn = s.fn
	}
	if b.Debug != nil {
		b.InScope.lexical = b.Debug.scope(spirv.ID(ops[0]))
	}
	if len(ops) > 1 {
		b.InScope.at = b.inlinedAt(spirv.ID(ops[1]))
	}
}

// inlinedAt returns the place of a call that the module's compiler inlined.
func (b *Builder) inlinedAt(id spirv.ID) uint32 {
	var chain []spirv.Inst
	at := b.InBody.at
	for len(chain) < maxScopes {
		if i, ok := b.atCall[inlining{id, b.InBody.at}]; ok {
			at = i
			break
		}
		in, ok := b.Module.debugInst(id, spirv.OpenCLDebugInfo100DebugInlinedAt, 2)
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
		s := b.Module.lexicalScope(spirv.ID(ops[1]))
		b.Spend(1)
		at = b.locIndex(isa.Loc{File: s.file, Line: ops[0], Func: s.fn, At: at})
		if b.Debug != nil {
			b.Debug.locScope(int(at)+1, b.Debug.scope(spirv.ID(ops[1])))
		}
		b.atCall[inlining{chain[i].ResultID(), b.InBody.at}] = at
	}
	return at
}

// debugInst returns the instruction of debug information with that result,
// if it is the n-th of the set and has so many operands.
func (m *Module) debugInst(id spirv.ID, n uint32, operands int) (spirv.Inst, bool) {
	in, ok := m.Index.Def(id)
	if !ok || in.Op() != spirv.OpExtInst || len(in.Operands()) < 2+operands {
		return spirv.Inst{}, false
	}
	return in, m.Sets[spirv.ID(in.Operand(0))] == DebugInfo && in.Operand(1) == n
}

// lexicalScope returns the function that a scope of debug information belongs to,
// and its file; zeros when the module does not say.
func (m *Module) lexicalScope(id spirv.ID) scope {
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
					s.file = m.File(file)
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
func (m *Module) elem(t *Type) isa.Elem {
	e := t
	if t.Kind == KindArray && t.Elem != nil {
		e = t.Elem
	}
	return isa.Elem{TypeName: m.typeName(e, 0), Size: e.Size}
}
