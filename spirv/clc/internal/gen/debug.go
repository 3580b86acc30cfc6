package gen

import (
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// debugInfo is what -g adds: the instructions of OpenCL.DebugInfo.100, which say what variables, types and
// scopes the source has.
type debugInfo struct {
	set     spirv.ID
	none    spirv.ID
	empty   spirv.ID // OpString ""
	unit    spirv.ID
	main    spirv.ID // the source of the unit
	expr    spirv.ID // DebugExpression without operations
	sources map[string]spirv.ID
	types   map[debugKey]spirv.ID
}

// debugKey is a type, and the name that it, or what it is made of, is written by.
type debugKey struct {
	types.Qual
	written *types.Typedef
}

type debugPlace struct {
	source       spirv.ID
	line, column uint32
}

// beginDebug declares the compilation unit. Version 1.00 of the set and DWARF 4, language OpenCL C.
func (m *module) beginDebug() {
	d := &debugInfo{sources: map[string]spirv.ID{}, types: map[debugKey]spirv.ID{}}
	m.debug = d
	d.set = m.id()
	m.imports.text(spirv.OpExtInstImport, "OpenCL.DebugInfo.100", uint32(d.set))
	d.empty = m.string("")
	d.none = m.debugInst(spirv.OpenCLDebugInfo100DebugInfoNone)
	d.expr = m.debugInst(spirv.OpenCLDebugInfo100DebugExpression)
	var first source.Pos
	for _, f := range m.unit.Funcs {
		if f.Defined() {
			first = f.Pos
			break
		}
	}
	d.main = m.debugAt(first).source
	d.unit = m.debugInst(spirv.OpenCLDebugInfo100DebugCompilationUnit, 65536, 4,
		uint32(d.main), uint32(spirv.SourceLanguageOpenCL_C))
}

// debugInst emits an instruction among the types and constants.
func (m *module) debugInst(inst uint32, operands ...uint32) spirv.ID {
	return m.debugInstAs(m.id(), inst, operands...)
}

// debugInstAs is debugInst with an id that others may have named.
func (m *module) debugInstAs(id spirv.ID, inst uint32, operands ...uint32) spirv.ID {
	typ := m.once(spirv.OpTypeVoid, false)
	m.globals.op(spirv.OpExtInst, append([]uint32{uint32(typ), uint32(id), uint32(m.debug.set), inst}, operands...)...)
	return id
}

// debugAt returns a place as the instructions of debug information give it.
func (m *module) debugAt(pos source.Pos) debugPlace {
	p := m.files.Position(pos)
	id := m.debug.sources[p.File]
	if id == 0 {
		id = m.debugInst(spirv.OpenCLDebugInfo100DebugSource, uint32(m.string(p.File)))
		m.debug.sources[p.File] = id
	}
	return debugPlace{id, uint32(p.Line), uint32(p.Column)}
}

// debugType returns the description of a type.
func (m *module) debugType(t types.Qual) spirv.ID { return m.debugTypeAs(t, nil) }

// debugTypeAs returns the description of a type that is written by a typedef, or made of one.
func (m *module) debugTypeAs(t types.Qual, w *types.Typedef) spirv.ID {
	d := m.debug
	if w != nil && !madeOf(t.Type, w.Type.Type) {
		w = nil // parameters of array types are pointers
	}
	key := debugKey{types.Qual{Type: t.Type, Q: t.Q.CVR()}, w}
	if id := d.types[key]; id != 0 {
		return id
	}
	var id spirv.ID
	if w != nil && t.Type == w.Type.Type && key.Q == w.Type.Q.CVR() {
		base := m.debugTypeAs(w.Type, w.Of)
		if id = d.types[key]; id != 0 { // a member of the structure has it
			return id
		}
		if id = base; !namedBy(t.Type, w) {
			at := debugPlace{source: m.debug.main} // of a built-in type, which stands nowhere
			if w.Pos != 0 {
				at = m.debugAt(w.Pos)
			}
			id = m.debugInst(spirv.OpenCLDebugInfo100DebugTypedef, uint32(m.string(w.Name)), uint32(base),
				uint32(at.source), at.line, at.column, uint32(m.debug.unit))
		}
		d.types[key] = id
		return id
	}
	for _, q := range []struct {
		q types.Quals
		n uint32
	}{{types.Const, 0}, {types.Volatile, 1}, {types.Restrict, 2}} {
		if key.Q&q.q != 0 {
			base := m.debugTypeAs(types.Qual{Type: t.Type, Q: key.Q &^ q.q}, w)
			id = m.debugInst(spirv.OpenCLDebugInfo100DebugTypeQualifier, uint32(base), q.n)
			d.types[key] = id
			return id
		}
	}
	switch t.Kind {
	case types.VoidKind, types.FunctionKind:
		id = d.none
	case types.PointerKind:
		id = m.debugInst(spirv.OpenCLDebugInfo100DebugTypePointer, uint32(m.debugTypeAs(t.Elem, w)), uint32(class(t.Elem.Space())), 0)
	case types.VectorKind:
		id = m.debugInst(spirv.OpenCLDebugInfo100DebugTypeVector, uint32(m.debugType(t.Elem)), uint32(t.Len))
	case types.ArrayKind:
		n := m.debugSize(max(t.Len, 0))
		id = m.debugInst(spirv.OpenCLDebugInfo100DebugTypeArray, uint32(m.debugTypeAs(t.Elem, w)), uint32(n))
	case types.StructKind:
		return m.debugStruct(t.Type, key)
	case types.EnumKind:
		id = m.debugEnum(t.Type)
	default:
		id = m.debugBasic(t.Type)
	}
	d.types[key] = id
	return id
}

// madeOf says whether a type is another one, or a pointer to it, an array of it and so on.
func madeOf(t, of *types.Type) bool {
	for t != of && (t.Kind == types.PointerKind || t.Kind == types.ArrayKind) {
		t = t.Elem.Type
	}
	return t == of
}

// namedBy says whether a typedef is the only name of a structure or an enumeration, whose description has it.
func namedBy(t *types.Type, w *types.Typedef) bool {
	switch t.Kind {
	case types.StructKind:
		return t.Struct.Tag == "" && t.Struct.Alias == w.Name
	case types.EnumKind:
		return t.Enum.Tag == "" && t.Enum.Alias == w.Name
	}
	return false
}

// debugEnum describes an enumeration, and the typedef that is its only name.
func (m *module) debugEnum(t *types.Type) spirv.ID {
	e := t.Enum
	at := m.debugAt(e.Pos)
	size := 8 * m.types.SizeOf(t)
	width := 32
	if size > 32 {
		width = 64
	}
	operands := []uint32{uint32(m.string(e.Tag)), uint32(m.debugBasic(t.Base())), uint32(at.source), at.line, at.column,
		uint32(m.debug.unit), uint32(m.debugSize(size)), 0}
	for _, x := range e.Names {
		value := m.bitsConst(width, x.Value&(1<<(width-1)<<1-1))
		operands = append(operands, uint32(value), uint32(m.string(x.Name)))
	}
	id := m.debugInst(spirv.OpenCLDebugInfo100DebugTypeEnum, operands...)
	if e.Tag == "" && e.Alias != "" {
		id = m.debugInst(spirv.OpenCLDebugInfo100DebugTypedef, uint32(m.string(e.Alias)), uint32(id),
			uint32(at.source), at.line, at.column, uint32(m.debug.unit))
	}
	return id
}

// debugSize returns a number of elements or bits as a constant: of 64 bits if it needs more than 32.
func (m *module) debugSize(n int64) spirv.ID {
	if n >= 1<<32 {
		return m.bitsConst(64, uint64(n))
	}
	return m.bitsConst(32, uint64(n))
}

// debugBasic describes numbers and handles.
func (m *module) debugBasic(t *types.Type) spirv.ID {
	const unspecified, boolean, float, signed, signedChar, unsigned, unsignedChar = 0, 2, 3, 4, 5, 6, 7
	encoding := uint32(unspecified)
	switch b := t.Base(); {
	case b.Kind == types.BoolKind:
		encoding = boolean
	case b.IsFloat():
		encoding = float
	case b.Kind == types.CharKind:
		encoding = signedChar
	case b.Kind == types.UCharKind:
		encoding = unsignedChar
	case b.IsInteger() && b.IsSigned():
		encoding = signed
	case b.IsInteger():
		encoding = unsigned
	}
	size := m.bitsConst(32, uint64(8*m.types.SizeOf(t)))
	return m.debugInst(spirv.OpenCLDebugInfo100DebugTypeBasic, uint32(m.string(t.String())), uint32(size), encoding)
}

// debugStruct describes a structure or union. Its members name it, and it names them: of all instructions,
// only it may name what follows (OpenCL.DebugInfo.100, 2.2).
func (m *module) debugStruct(t *types.Type, key debugKey) spirv.ID {
	s := t.Struct
	id := m.id()
	m.debug.types[key] = id
	at := m.debugAt(s.Pos)
	bits := func(n int64) uint32 { return uint32(m.debugSize(n)) }
	tag := uint32(1)
	if s.Union {
		tag = 2
	}
	operands := []uint32{uint32(m.string(s.Tag)), tag, uint32(at.source), at.line, at.column, uint32(m.debug.unit),
		uint32(m.debug.empty), bits(8 * s.Size), 0}
	for range s.Fields {
		operands = append(operands, uint32(m.id()))
	}
	m.debugInstAs(id, spirv.OpenCLDebugInfo100DebugTypeComposite, operands...)
	members := operands[len(operands)-len(s.Fields):]
	for i := range s.Fields {
		f := &s.Fields[i]
		size, offset := 8*m.types.SizeOf(f.Type.Type), 8*f.Offset
		if f.Bits >= 0 {
			size, offset = int64(f.Bits), offset+int64(f.Shift)
		}
		at := m.debugAt(f.Pos)
		m.debugInstAs(spirv.ID(members[i]), spirv.OpenCLDebugInfo100DebugTypeMember, uint32(m.string(f.Name)), uint32(m.debugTypeAs(f.Type, f.Written)),
			uint32(at.source), at.line, at.column, uint32(id), bits(offset), bits(size), 0)
	}
	if s.Tag == "" && s.Alias != "" { // its only name is that of a typedef
		id = m.debugInst(spirv.OpenCLDebugInfo100DebugTypedef, uint32(m.string(s.Alias)), uint32(id),
			uint32(at.source), at.line, at.column, uint32(m.debug.unit))
		m.debug.types[key] = id
	}
	return id
}

const (
	debugLocal      = 0x04 // not visible to other modules
	debugDefinition = 0x08
)

// debugFunction describes the function, and makes it the scope of what follows.
func (f *fn) debugFunction() {
	if f.debug == nil {
		return
	}
	w := []uint32{0, uint32(f.typeOf(f.types.Void))} // which stands for no result
	if r := f.f.Type.Elem; r.Kind != types.VoidKind {
		w[1] = uint32(f.debugType(r))
	}
	for _, p := range f.f.Params {
		w = append(w, uint32(f.debugType(p.Type)))
	}
	typ := f.debugInst(spirv.OpenCLDebugInfo100DebugTypeFunction, w...)
	flags := uint32(debugDefinition)
	if f.f.Static {
		flags |= debugLocal
	}
	at, body := f.debugAt(f.f.Pos), f.debugAt(f.f.Body.Pos)
	f.scope = f.debugInst(spirv.OpenCLDebugInfo100DebugFunction, uint32(f.string(f.f.Name)), uint32(typ),
		uint32(at.source), at.line, at.column, uint32(f.debug.unit), uint32(f.string(f.f.Symbol)), flags, body.line, uint32(f.id))
}

// debugScope says, at the beginning of a block or where a scope begins or ends, which scope instructions are
// in.
func (f *fn) debugScope() {
	if f.debug == nil || f.scope == 0 || f.block == 0 {
		return
	}
	f.body.op(spirv.OpExtInst, uint32(f.typeOf(f.types.Void)), uint32(f.module.id()), uint32(f.debug.set),
		spirv.OpenCLDebugInfo100DebugScope, uint32(f.scope))
}

// debugBlock emits a block of the source in a scope of its own, if it declares variables.
func (f *fn) debugBlock(b *tree.Block, emit func()) {
	declares := false
	for _, s := range b.List {
		declares = declares || f.declares(s)
	}
	if !declares || b == f.f.Body {
		emit()
		return
	}
	f.debugLexical(b.Pos, emit)
}

// declares says whether a statement itself declares variables, which debug information has.
func (f *fn) declares(s tree.Stmt) bool {
	_, ok := s.(*tree.DeclStmt)
	return ok && f.debug != nil
}

// debugLexical emits what stands at pos in a scope of its own.
func (f *fn) debugLexical(pos source.Pos, emit func()) {
	old := f.scope
	at := f.debugAt(pos)
	f.scope = f.debugInst(spirv.OpenCLDebugInfo100DebugLexicalBlock, uint32(at.source), at.line, at.column, uint32(old))
	f.debugScope()
	emit()
	f.scope = old
	f.debugScope()
}

// debugVariable describes a variable or parameter of the function, which lives in an OpVariable or is a
// value.
func (f *fn) debugVariable(v *tree.Var) {
	if f.debug == nil || v.Name == "" {
		return
	}
	at := f.debugAt(v.Pos)
	operands := []uint32{uint32(f.string(v.Name)), uint32(f.debugTypeAs(v.Type, v.Written)), uint32(at.source), at.line, at.column,
		uint32(f.scope), 0}
	for i, p := range f.f.Params {
		if p == v {
			operands = append(operands, uint32(i+1))
		}
	}
	id := f.debugInst(spirv.OpenCLDebugInfo100DebugLocalVariable, operands...)
	f.ensure()
	f.body.op(spirv.OpExtInst, uint32(f.typeOf(f.types.Void)), uint32(f.module.id()), uint32(f.debug.set),
		spirv.OpenCLDebugInfo100DebugDeclare, uint32(id), v.ID, uint32(f.debug.expr))
}

// debugGlobal describes a variable at program scope.
func (m *module) debugGlobal(v *tree.Var, id spirv.ID) {
	if m.debug == nil {
		return
	}
	at := m.debugAt(v.Pos)
	flags := uint32(debugDefinition)
	if v.Static {
		flags |= debugLocal
	}
	m.debugInst(spirv.OpenCLDebugInfo100DebugGlobalVariable, uint32(m.string(v.Name)), uint32(m.debugTypeAs(v.Type, v.Written)),
		uint32(at.source), at.line, at.column, uint32(m.debug.unit), uint32(m.string(v.Name)), uint32(id), flags)
}
