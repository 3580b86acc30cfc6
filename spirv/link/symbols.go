package link

import (
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// symbol is a name that modules import or export.
type symbol struct {
	name    string
	id      spirv.ID // of the result
	members []member // by appearance
	// kept is the member that comes into the result: the definition, or the
	// first import where there is none.
	kept    *member
	defined bool
	// unused says that nobody defines the function, nor calls it: compilers leave
	// declarations behind whose calls they have replaced.
	unused bool
}

// member is what one module has under a name.
type member struct {
	part *part
	linkage
	def  spirv.Inst
	body *function // of a function
}

func (m *member) isFunction() bool { return m.def.Op() == spirv.OpFunction }

// imports says whether the member has to be found elsewhere.
func (m *member) imports() bool { return m.kind == spirv.LinkageTypeImport }

// once says whether another definition may take the place of this one.
func (m *member) once() bool {
	return m.kind == spirv.LinkageTypeLinkOnceODR || m.kind == spirv.LinkageTypeWeakAMD
}

// verb says what the module does with the symbol.
func (m *member) verb() string {
	switch {
	case m.imports():
		return "imports"
	case m.once():
		return "defines once"
	}
	return "exports"
}

// resolve finds the definition of each name, and gives all members its id.
// Everything else refers to it by that, so that it comes first.
func (l *linker) resolve() {
	for _, p := range l.parts {
		funcs := make(map[spirv.ID]*function, len(p.linkages))
		for i := range p.funcs {
			funcs[p.funcs[i].id] = &p.funcs[i]
		}
		for _, link := range p.linkages {
			s := l.symbols[link.name]
			if s == nil {
				s = &symbol{name: link.name}
				l.symbols[link.name] = s
				l.order = append(l.order, s)
			}
			def, _ := p.index.Def(link.id)
			s.members = append(s.members, member{p, link, def, funcs[link.id]})
		}
	}
	for _, s := range l.order {
		l.choose(s)
		s.id = l.fresh()
		for i := range s.members {
			m := &s.members[i]
			m.part.ids[m.id] = s.id
			if m != s.kept || s.unused {
				m.part.drop(m.id, m.body)
			}
		}
	}
}

// choose picks the member that stays.
func (l *linker) choose(s *symbol) {
	for i := range s.members {
		m := &s.members[i]
		switch {
		case m.imports():
			if s.kept == nil {
				s.kept = m
			}
		case !s.defined || s.kept.once() && !m.once():
			s.kept, s.defined = m, true
		case !m.once():
			l.fail(&Error{Kind: ErrDuplicate, Symbol: s.name, Reason: "is defined by two modules; rename one of them, make one static, or leave one module out",
				Sides: []Side{{s.kept.part.name, "defines " + s.kept.text()}, {m.part.name, "defines " + m.text()}}})
		}
	}
	if m := s.kept; s.defined && m.isFunction() && (m.body == nil || !m.body.body) {
		l.fail(&Error{Kind: ErrMalformed, Symbol: s.name, Reason: "is exported without a body", Sides: []Side{{m.part.name, m.verb() + " " + m.text()}}})
		return
	}
	if s.defined || l.stays(s) {
		return
	}
	if s.unused = s.kept.isFunction() && !slices.ContainsFunc(s.members, func(m member) bool { return m.part.uses(m.id) }); s.unused {
		return
	}
	e := &Error{Kind: ErrUnresolved, Symbol: s.name, Reason: "is imported, and no module defines it; add the module that does, or allow a partial link"}
	for i := range s.members {
		e.Sides = append(e.Sides, Side{s.members[i].part.name, "imports " + s.members[i].text()})
	}
	l.fail(e)
}

// stays says whether a symbol may go without a definition.
func (l *linker) stays(s *symbol) bool {
	if l.opt.Library || l.opt.Partial || l.opt.Resolves != nil && l.opt.Resolves(s.name) {
		return true
	}
	_, builtin := s.kept.part.has(s.kept.id, spirv.DecorationBuiltIn)
	return builtin
}

// check compares each member of a symbol with the one that stays.
func (l *linker) check() {
	for _, s := range l.order {
		for i := range s.members {
			if m := &s.members[i]; m != s.kept {
				l.compare(s, m)
			}
		}
	}
}

// differentTypes is the reason of most mismatches.
const differentTypes = "has different types in two modules"

func (l *linker) compare(s *symbol, m *member) {
	k := s.kept
	differ := func(reason string) {
		if m.text() == k.text() && m.isFunction() == k.isFunction() && reason == differentTypes {
			reason += ", whose structures have other members or decorations"
		}
		l.fail(&Error{Kind: ErrMismatch, Symbol: s.name, Reason: reason,
			Sides: []Side{{m.part.name, m.verb() + " " + m.text()}, {k.part.name, k.verb() + " " + k.text()}}})
	}
	if m.def.Op() != k.def.Op() {
		differ("is a function for one module and a variable for another")
		return
	}
	if m.isFunction() {
		if l.typeID(m, 1) != l.typeID(k, 1) {
			differ(differentTypes)
			return
		}
		if what := differentParams(m, k); what != "" {
			differ(what)
		}
		return
	}
	if l.id(m.part, m.def.ResultType()) != l.id(k.part, k.def.ResultType()) || m.def.Operand(0) != k.def.Operand(0) {
		differ(differentTypes)
		return
	}
	if m.def.Op() == spirv.OpUntypedVariableKHR && len(m.def.Operands()) > 1 && len(k.def.Operands()) > 1 && l.typeID(m, 1) != l.typeID(k, 1) {
		differ(differentTypes)
		return
	}
	_, mConst := m.part.has(m.id, spirv.DecorationConstant)
	_, kConst := k.part.has(k.id, spirv.DecorationConstant)
	if mConst && !kConst {
		differ("is constant for one module and not for the one that defines it")
		return
	}
	mAlign, kAlign := m.alignment(), k.alignment()
	if mAlign > kAlign && kAlign > 0 {
		differ("has a smaller alignment where it is defined than another module relies on")
		return
	}
	mBuiltin, _ := m.part.has(m.id, spirv.DecorationBuiltIn)
	kBuiltin, _ := k.part.has(k.id, spirv.DecorationBuiltIn)
	if len(mBuiltin) != len(kBuiltin) || len(mBuiltin) > 0 && mBuiltin[0] != kBuiltin[0] {
		differ("is not the same built-in variable in two modules")
	}
}

// typeID returns the result's id for the type that operand n names.
func (l *linker) typeID(m *member, n int) spirv.ID {
	return l.id(m.part, spirv.ID(m.def.Operand(n)))
}

// alignment returns the decoration Alignment of a variable, 0 when it has none.
func (m *member) alignment() uint32 {
	if w, ok := m.part.has(m.id, spirv.DecorationAlignment); ok && len(w) > 0 {
		return w[0]
	}
	return 0
}

// differentParams says what differs in how two functions take their parameters:
// those attributes that change what a caller passes (section 3.2.14, function parameter attribute).
func differentParams(a, b *member) string {
	if a.body == nil || b.body == nil {
		return ""
	}
	pa, pb := a.body.params(), b.body.params()
	for i := range min(len(pa), len(pb)) {
		for _, attr := range []spirv.FunctionParameterAttribute{spirv.FunctionParameterAttributeByVal, spirv.FunctionParameterAttributeSret} {
			if a.part.hasAttribute(pa[i], attr) != b.part.hasAttribute(pb[i], attr) {
				return fmt.Sprintf("takes parameter %d %s in one module only", i, attr)
			}
		}
	}
	return ""
}

// params returns the ids of the parameters.
func (f *function) params() []spirv.ID {
	var ids []spirv.ID
	for _, in := range f.insts {
		if in.Op() == spirv.OpFunctionParameter {
			ids = append(ids, in.ResultID())
		}
	}
	return ids
}

func (p *part) hasAttribute(id spirv.ID, attr spirv.FunctionParameterAttribute) bool {
	for _, d := range p.decorations[id] {
		if d.kind == spirv.DecorationFuncParamAttr && len(d.words) > 0 && d.words[0] == uint32(attr) {
			return true
		}
	}
	return false
}
