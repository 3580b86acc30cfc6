package link

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// emit writes the result.
func (l *linker) emit() (*spirv.Module, *Error) {
	for _, p := range l.parts {
		for _, in := range p.m.Insts {
			if in.Op() == spirv.OpFunction {
				break
			}
			l.preamble(p, in)
		}
		l.annotate(p)
	}
	l.globals()
	for _, p := range l.parts {
		for i := range p.funcs {
			l.emitFunction(p, &p.funcs[i])
		}
	}
	version := l.version()
	l.emitEntries(version)
	for _, u := range l.queue {
		if _, ok := l.made[u.id]; !ok {
			l.fail(&Error{Kind: ErrMalformed, Reason: fmt.Sprintf("%s: id %d is used and not defined", u.part.name, u.old)})
			break
		}
	}
	l.capabilities()
	if l.words > maxWords || l.next > maxBound {
		l.fail(&Error{Kind: ErrTooLarge, Reason: fmt.Sprintf("the result has %d ids and %d words; a module can have %d ids, and a link %d words",
			l.next, l.words, maxBound, maxWords)})
	}
	if len(l.errs) > 0 {
		return nil, l.errs[0]
	}
	first := l.parts[0].m
	m := &spirv.Module{Version: version, Generator: first.Generator, Bound: uint32(l.next), ByteOrder: first.ByteOrder}
	offset := spirv.HeaderWords
	for _, list := range l.out.list {
		for _, words := range list {
			m.Insts = append(m.Insts, spirv.Inst{Words: words, Offset: offset})
			offset += len(words)
		}
	}
	return m, nil
}

// version returns the highest version of the modules.
func (l *linker) version() spirv.Version {
	v := l.parts[0].m.Version
	for _, p := range l.parts {
		v = max(v, p.m.Version)
	}
	return v
}

// put adds an instruction of a module to the result.
func (l *linker) put(p *part, to section, in spirv.Inst, once bool) {
	if l.words > maxWords {
		return
	}
	words := l.mapped(p, in, true)
	l.words += len(words)
	if in.Op().HasResult() {
		at := 1
		if in.Op().HasResultType() {
			at = 2
		}
		id := spirv.ID(words[at])
		if _, twice := l.made[id]; twice {
			l.fail(&Error{Kind: ErrMalformed, Reason: fmt.Sprintf("%s: word %d: the type of id %d leads to itself in a way that cannot be linked", p.name, in.Offset, in.ResultID())})
			return
		}
		l.made[id] = in.Op()
	}
	if once {
		l.out.once(to, words)
	} else {
		l.out.add(to, words)
	}
}

// shared gives an id that another module has defined the same way; it says
// whether there is one.
func (l *linker) shared(p *part, table map[string]spirv.ID, in spirv.Inst) bool {
	text, old := in.StringOperand(0), in.ResultID()
	id, known := table[text]
	if _, has := p.ids[old]; known && !has {
		p.ids[old] = id
		p.dropped[old] = true
		return true
	}
	if !known {
		table[text] = l.id(p, old)
	}
	return false
}

// preamble takes over what stands in front of the types, except for decorations,
// capabilities and entry points.
func (l *linker) preamble(p *part, in spirv.Inst) {
	switch op := in.Op(); op {
	case spirv.OpExtension, spirv.OpModuleProcessed, spirv.OpSourceExtension:
		l.put(p, sectionOf(op), in, true)
	case spirv.OpExtInstImport:
		if !l.shared(p, l.sets, in) {
			l.put(p, inImports, in, false)
		}
	case spirv.OpString:
		if !l.shared(p, l.texts, in) {
			l.put(p, inStrings, in, false)
		}
	case spirv.OpMemoryModel:
		if p == l.parts[0] {
			l.put(p, inModel, in, false)
		}
	case spirv.OpExecutionMode, spirv.OpExecutionModeId:
		l.put(p, inModes, in, true)
	case spirv.OpSource:
		// What continues a source has to stay behind it, so that sources are
		// taken over as they are unless they have no text.
		l.put(p, inStrings, in, len(in.Operands()) < 4)
	case spirv.OpSourceContinued:
		l.put(p, inStrings, in, false)
	case spirv.OpAliasDomainDeclINTEL, spirv.OpAliasScopeDeclINTEL, spirv.OpAliasScopeListDeclINTEL:
		// Decorations name them.
		l.put(p, inAnnotations, in, false)
	case spirv.OpName, spirv.OpMemberName:
		if target := spirv.ID(in.Operand(0)); !p.dropped[target] && p.index.At(target) >= 0 {
			l.put(p, inNames, in, true)
		}
	}
}

// annotate takes over the decorations of a module, groups unfolded. Linkage is
// kept where it still has a meaning.
func (l *linker) annotate(p *part) {
	for _, id := range p.decorated {
		if p.dropped[id] || p.index.At(id) < 0 {
			continue
		}
		for _, d := range p.decorations[id] {
			if d.kind == spirv.DecorationLinkageAttributes && d.member < 0 && !l.linked(p, id) {
				continue
			}
			operands := []uint32{uint32(id)}
			if d.member >= 0 {
				operands = append(operands, uint32(d.member))
			}
			operands = append(append(operands, uint32(d.kind)), d.words...)
			in, err := spirv.NewInst(d.op, operands...)
			if err != nil {
				l.fail(&Error{Kind: ErrMalformed, Reason: fmt.Sprintf("%s: a decoration of id %d: %v", p.name, id, err)})
				return
			}
			l.put(p, inAnnotations, in, true)
		}
	}
}

// linked says whether an id has a linkage in the result.
func (l *linker) linked(p *part, id spirv.ID) bool {
	i, ok := p.byID[id]
	if !ok {
		return false
	}
	return l.opt.Library || !l.symbols[p.linkages[i].name].defined
}

// capabilities are those of all modules. Linkage is there when something has a
// linkage, or when there is no entry point: a module has to have one or the other
// (section 2.16.1).
func (l *linker) capabilities() {
	linked := l.opt.Library && len(l.order) > 0 || len(l.out.list[inEntries]) == 0
	for _, s := range l.order {
		linked = linked || !s.defined
	}
	for _, p := range l.parts {
		for _, in := range p.m.Insts {
			if in.Op() == spirv.OpCapability && (linked || spirv.Capability(in.Operand(0)) != spirv.CapabilityLinkage) {
				l.put(p, inCapabilities, in, true)
			}
		}
	}
}

func (l *linker) emitFunction(p *part, f *function) {
	if p.dropped[f.id] {
		return
	}
	to := inFunctions
	if !f.body {
		to = inDeclarations
	}
	for _, in := range f.insts {
		l.put(p, to, in, false)
	}
}
