package build

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// maxDebugDepth bounds how deep types of debug information are nested. It may lie, and lead to itself.
const maxDebugDepth = 64

// describer makes Kernel.Debug of a module's debug information while a kernel is read.
type describer struct {
	b      *Builder
	d      *isa.DebugInfo
	types  map[spirv.ID]uint32
	plain  map[*Type]uint32
	scopes map[spirv.ID]uint32
	// globals are the DebugGlobalVariables of the module, by variable; nil until somebody asks.
	globals map[spirv.ID]spirv.Inst
	locals  []spirv.ID // the variables that are in Kernel.Local, by place there
	shadows map[instance]*shadow
	noted   map[spirv.ID]bool // the DebugLocalVariables that DebugInfo.Vars has, or a variable outside of functions stands for
}

func newDescriber(b *Builder) *describer {
	d := &isa.DebugInfo{Types: make([]isa.DebugType, 1), Scopes: make([]isa.DebugScope, 1)}
	b.Kernel.Debug = d
	return &describer{
		b: b, d: d, types: map[spirv.ID]uint32{}, plain: map[*Type]uint32{}, scopes: map[spirv.ID]uint32{},
		shadows: map[instance]*shadow{}, noted: map[spirv.ID]bool{},
	}
}

// locScope notes the scope of the last of n places.
func (d *describer) locScope(n int, scope uint32) {
	for len(d.d.LocScopes) < n {
		d.d.LocScopes = append(d.d.LocScopes, 0)
	}
	d.d.LocScopes[n-1] = scope
}

// inst returns the operands of an instruction of debug information, if it is the n-th of the set and has so
// many.
func (d *describer) inst(id spirv.ID, n uint32, operands int) ([]uint32, bool) {
	in, ok := d.b.Module.debugInst(id, n, operands)
	if !ok {
		return nil, false
	}
	return in.Operands()[2:], true
}

// source returns the file that a DebugSource names.
func (d *describer) source(id spirv.ID) uint32 {
	if ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugSource, 1); ok && d.b.Module.strings[spirv.ID(ops[0])] != "" {
		return d.b.Module.File(spirv.ID(ops[0]))
	}
	return 0
}

// scope returns the number of a scope, 0 for what is none.
func (d *describer) scope(id spirv.ID) uint32 {
	if n, ok := d.scopes[id]; ok {
		return n
	}
	// From the scope outwards, until one is known.
	var chain []spirv.ID
	parent := uint32(0)
	for at := id; len(chain) < maxScopes; {
		if n, ok := d.scopes[at]; ok {
			parent = n
			break
		}
		if _, ok := d.inst(at, spirv.OpenCLDebugInfo100DebugFunction, 6); ok {
			chain = append(chain, at)
			break
		}
		if ops, ok := d.inst(at, spirv.OpenCLDebugInfo100DebugLexicalBlock, 4); ok {
			chain = append(chain, at)
			at = spirv.ID(ops[3])
			continue
		}
		ops, ok := d.inst(at, spirv.OpenCLDebugInfo100DebugLexicalBlockDiscriminator, 3)
		if !ok {
			break
		}
		at = spirv.ID(ops[2])
	}
	for _, at := range slices.Backward(chain) {
		s := isa.DebugScope{Parent: parent}
		if ops, ok := d.inst(at, spirv.OpenCLDebugInfo100DebugFunction, 6); ok {
			s.Name, s.Parent = d.b.Module.strings[spirv.ID(ops[0])], 0
			s.File, s.Line, s.Column = d.source(spirv.ID(ops[2])), ops[3], ops[4]
		} else if ops, ok := d.inst(at, spirv.OpenCLDebugInfo100DebugLexicalBlock, 4); ok {
			s.File, s.Line, s.Column = d.source(spirv.ID(ops[0])), ops[1], ops[2]
		}
		d.b.Spend(1)
		parent = uint32(len(d.d.Scopes))
		d.d.Scopes = append(d.d.Scopes, s)
		d.scopes[at] = parent
	}
	if _, ok := d.scopes[id]; !ok {
		d.scopes[id] = parent
	}
	return parent
}

// number returns a constant that debug information names, 0 for what is none.
func (d *describer) number(id spirv.ID) uint64 {
	in, ok := d.b.Module.Index.Def(id)
	if !ok || in.Op() != spirv.OpConstant {
		return 0
	}
	n := uint64(0)
	for i, w := range in.Operands() {
		if i < 2 {
			n |= uint64(w) << (32 * i)
		}
	}
	return n
}

// add enters a type.
func (d *describer) add(t isa.DebugType) uint32 {
	d.b.Spend(1 + len(t.Members))
	d.d.Types = append(d.d.Types, t)
	return uint32(len(d.d.Types) - 1)
}

// typ returns the number of a type of debug information.
func (d *describer) typ(id spirv.ID, depth int) uint32 {
	if n, ok := d.types[id]; ok {
		return n
	}
	if depth > maxDebugDepth {
		return 0
	}
	depth++
	m := d.b.Module
	n := uint32(0)
	str := func(w uint32) string { return m.strings[spirv.ID(w)] }
	if ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugTypeBasic, 3); ok {
		kinds := [...]isa.DebugKind{isa.DebugHandle, isa.DebugPointer, isa.DebugBool, isa.DebugFloat, isa.DebugSigned, isa.DebugSigned, isa.DebugUnsigned, isa.DebugUnsigned}
		t := isa.DebugType{Name: str(ops[0]), Size: d.number(spirv.ID(ops[1])) / 8}
		if int(ops[2]) < len(kinds) {
			t.Kind = kinds[ops[2]]
		}
		n = d.add(t)
	} else if ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugTypePointer, 2); ok {
		n = d.add(isa.DebugType{Kind: isa.DebugPointer, Size: m.PtrSize, Space: Space(spirv.StorageClass(ops[1]))})
		d.types[id] = n // what it leads to may lead back
		elem := d.typ(spirv.ID(ops[0]), depth)
		d.d.Types[n].Elem = elem
	} else if ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugTypeQualifier, 2); ok {
		names := [...]string{"const", "volatile", "restrict", "atomic"}
		elem := d.typ(spirv.ID(ops[0]), depth)
		t := isa.DebugType{Kind: isa.DebugAlias, Elem: elem, Size: d.d.Types[elem].Size}
		if int(ops[1]) < len(names) {
			t.Name = names[ops[1]]
		}
		n = d.add(t)
	} else if ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugTypedef, 2); ok {
		elem := d.typ(spirv.ID(ops[1]), depth)
		n = d.add(isa.DebugType{Kind: isa.DebugAlias, Name: str(ops[0]), Elem: elem, Size: d.d.Types[elem].Size})
	} else if ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugTypeArray, 2); ok {
		n = d.typ(spirv.ID(ops[0]), depth)
		for _, c := range slices.Backward(d.counts(ops[1:])) {
			count := d.number(spirv.ID(c))
			n = d.add(isa.DebugType{Kind: isa.DebugArray, Elem: n, Count: count, Size: times(d.d.Types[n].Size, count)})
		}
	} else if ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugTypeVector, 2); ok {
		elem := d.typ(spirv.ID(ops[0]), depth)
		room := uint64(ops[1])
		if room == 3 {
			room = 4
		}
		n = d.add(isa.DebugType{Kind: isa.DebugVector, Elem: elem, Count: uint64(ops[1]), Size: times(d.d.Types[elem].Size, room)})
	} else if ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugTypeEnum, 7); ok {
		n = d.enum(ops, depth)
	} else if ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugTypeComposite, 9); ok {
		return d.composite(id, ops, depth)
	} else if in, ok := m.Index.Def(id); ok && in.Op() == spirv.OpTypeVoid {
		n = d.add(isa.DebugType{Kind: isa.DebugVoid, Name: "void"})
	}
	d.types[id] = n
	return n
}

// counts returns the numbers of elements of an array. LLVM's translator has the lower bounds of all
// dimensions behind them, of which C has none.
func (d *describer) counts(ops []uint32) []uint32 {
	half := len(ops) / 2
	if len(ops)%2 != 0 {
		return ops
	}
	for _, w := range ops[half:] {
		if _, none := d.inst(spirv.ID(w), spirv.OpenCLDebugInfo100DebugInfoNone, 0); !none {
			return ops
		}
	}
	return ops[:half]
}

// enum describes an enumeration.
func (d *describer) enum(ops []uint32, depth int) uint32 {
	t := isa.DebugType{Kind: isa.DebugEnum, Name: d.b.Module.strings[spirv.ID(ops[0])], Size: d.number(spirv.ID(ops[6])) / 8}
	t.Elem = d.typ(spirv.ID(ops[1]), depth)
	if t.Elem == 0 {
		t.Elem = d.add(isa.DebugType{Kind: isa.DebugSigned, Size: t.Size})
	}
	for i := 8; i+1 < len(ops); i += 2 {
		t.Members = append(t.Members, isa.DebugMember{Name: d.b.Module.strings[spirv.ID(ops[i+1])], Offset: d.number(spirv.ID(ops[i]))})
	}
	return d.add(t)
}

// composite describes a structure, class or union.
func (d *describer) composite(id spirv.ID, ops []uint32, depth int) uint32 {
	const union = 2
	t := isa.DebugType{Kind: isa.DebugStruct, Name: d.b.Module.strings[spirv.ID(ops[0])], Size: d.number(spirv.ID(ops[7])) / 8}
	if ops[1] == union {
		t.Kind = isa.DebugUnion
	}
	n := d.add(t)
	d.types[id] = n
	var members []isa.DebugMember
	for _, w := range ops[9:] {
		m, ok := d.inst(spirv.ID(w), spirv.OpenCLDebugInfo100DebugTypeMember, 9)
		if !ok {
			continue
		}
		member := isa.DebugMember{Name: d.b.Module.strings[spirv.ID(m[0])], Type: d.typ(spirv.ID(m[1]), depth), Offset: d.number(spirv.ID(m[6])), Bits: d.number(spirv.ID(m[7]))}
		if member.Bits == 8*d.d.Types[member.Type].Size {
			member.Bits = 0
		}
		members = append(members, member)
	}
	d.b.Spend(len(members))
	d.d.Types[n].Members = members
	return n
}

// times returns the size of so many elements; sizes that do not fit are 0, as not known.
func times(size, n uint64) uint64 {
	if size != 0 && n > maxObject/size {
		return 0
	}
	return size * n
}

// Declare notes a variable of a function: DebugDeclare says where it lives.
func (d *describer) Declare(in spirv.Inst) {
	ops := in.Operands()[2:]
	if len(ops) < 3 {
		return
	}
	v, id, ok := d.localVariable(spirv.ID(ops[0]))
	if !ok {
		return
	}
	b := d.b
	if b.Local(spirv.ID(ops[1])) == nil {
		d.noted[id] = true // LDS
		return
	}
	vals, t, ok := d.operand(spirv.ID(ops[1]))
	if !ok || len(vals) != 1 {
		return
	}
	p := vals[0]
	base, off := opt.ConstantSteps(p)
	if base.Op != ssa.OpPrivate || off < 0 || !d.leads(spirv.ID(ops[2])) {
		d.declareElsewhere(id, spirv.ID(ops[2]), p, t)
		return
	}
	b.Spend(1)
	d.noted[id] = true
	x := d.describe(v)
	x.Where, x.Index, x.Offset = isa.DebugPrivate, uint32(base.Index), uint64(off)
	d.d.Vars = append(d.d.Vars, x)
}

// declareElsewhere notes a variable in memory that is no variable of the kernel's, such as a structure that a
// function has been passed, or one that an expression leads to.
func (d *describer) declareElsewhere(id, expr spirv.ID, p *ssa.Value, t *Type) {
	s := d.shadowOf(id)
	ops, ok := d.inst(expr, spirv.OpenCLDebugInfo100DebugExpression, 0)
	if s == nil || s.base == nil || !ok || t.Kind != KindPointer {
		return
	}
	defer d.place()()
	x := piece{vals: []*ssa.Value{p}, t: t}
	if list, ok := d.operations(ops); ok {
		d.compute(&x, append(withoutSpaces(list), []uint32{opDeref}))
	} else {
		x.vals = nil
	}
	d.assign(s, x)
}

// leads says whether an expression means the memory where the pointer leads, and no part or copy of it.
// Compilers name the address space as DWARF has it: by a number and Xderef.
func (d *describer) leads(id spirv.ID) bool {
	const swap, xderef, constu = 5, 6, 8
	e, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugExpression, 0)
	if !ok || len(e) != 0 && len(e) != 3 {
		return false
	}
	for i, w := range e {
		if op, ok := d.inst(spirv.ID(w), spirv.OpenCLDebugInfo100DebugOperation, 1); !ok || op[0] != [...]uint32{constu, swap, xderef}[i] {
			return false
		}
	}
	return true
}

// describeVariables notes what is not in DebugDeclare: variables of which only names are known, LDS, and
// variables at program scope that the kernel uses.
func (b *Builder) describeVariables() {
	d := b.Debug
	declared := make([]bool, len(b.Kernel.Private))
	for i := range d.d.Vars {
		if d.d.Vars[i].Where != isa.DebugNowhere {
			declared[d.d.Vars[i].Index] = true
		}
	}
	for i := range b.Kernel.Private {
		a := &b.Kernel.Private[i]
		if declared[i] || a.Name == "" {
			continue
		}
		l := b.Kernel.Locs[a.Loc]
		v := isa.DebugVar{Name: a.Name, Type: d.plainType(b.varTypes[i], 0), File: l.File, Line: l.Line, At: l.At, Where: isa.DebugPrivate, Index: uint32(i)}
		if a.Param > 0 {
			v.Arg = uint32(a.Param)
		}
		d.d.Vars = append(d.d.Vars, v)
	}
	d.describeLost()
	d.clearShadows()
	for i, id := range d.locals {
		d.moduleVariable(id, isa.DebugLocal, i)
	}
	for i := range b.Module.Source.Insts {
		in := b.Module.Source.Insts[i]
		if in.Op() == spirv.OpFunction {
			break
		}
		if in.Op() != spirv.OpVariable {
			continue
		}
		if g, ok := b.Module.globals[in.ResultID()]; ok && b.globalAt[g] != nil {
			d.moduleVariable(in.ResultID(), isa.DebugGlobal, g)
		}
	}
}

// moduleVariable notes a variable outside of functions.
func (d *describer) moduleVariable(id spirv.ID, where isa.DebugWhere, index int) {
	m := d.b.Module
	v := isa.DebugVar{Name: m.Names[id], Where: where, Index: uint32(index)}
	if ops, ok := d.global(id); ok {
		v.Name, v.Type = m.strings[spirv.ID(ops[0])], d.typ(spirv.ID(ops[1]), 0)
		v.File, v.Line = d.source(spirv.ID(ops[2])), ops[3]
	} else if in, ok := m.Index.Def(id); ok {
		v.Type = d.plainType(d.b.variableType(in), 0)
	}
	if v.Name != "" {
		d.b.Spend(1)
		d.d.Vars = append(d.d.Vars, v)
	}
}

// global returns what debug information says about a variable outside of functions.
func (d *describer) global(id spirv.ID) ([]uint32, bool) {
	if d.globals == nil {
		d.globals = map[spirv.ID]spirv.Inst{}
		for _, in := range d.b.Module.Source.Insts {
			if in.Op() == spirv.OpFunction {
				break
			}
			if in.Op() != spirv.OpExtInst {
				continue
			}
			if x, ok := d.b.Module.debugInst(in.ResultID(), spirv.OpenCLDebugInfo100DebugGlobalVariable, 9); ok {
				d.globals[spirv.ID(x.Operands()[2+7])] = x
			}
		}
	}
	in, ok := d.globals[id]
	if !ok {
		return nil, false
	}
	return in.Operands()[2:], true
}

// plainType describes a type of the module, which has no signs and few names.
func (d *describer) plainType(t *Type, depth int) uint32 {
	if t == nil || depth > maxDebugDepth {
		return 0
	}
	if n, ok := d.plain[t]; ok {
		return n
	}
	depth++
	m := d.b.Module
	x := isa.DebugType{Name: m.typeName(t, 0), Size: t.Size}
	switch t.Kind {
	case KindVoid:
		x.Kind = isa.DebugVoid
	case KindBool:
		x.Kind = isa.DebugBool
	case KindInt:
		x.Kind = isa.DebugUnsigned
		if x.Name != "" && x.Name[0] != 'u' {
			x.Kind = isa.DebugSigned
		}
	case KindFloat:
		if t.Small == nil {
			x.Kind = isa.DebugFloat
		}
	case KindVector:
		if !t.nibbles {
			x.Kind, x.Name, x.Elem, x.Count = isa.DebugVector, "", d.plainType(t.Elem, depth), t.Count
		}
	case KindArray:
		x.Kind, x.Name, x.Elem, x.Count = isa.DebugArray, "", d.plainType(t.Elem, depth), t.Count
	case KindPointer:
		n := d.add(isa.DebugType{Kind: isa.DebugPointer, Size: t.Size, Space: Space(t.Storage)})
		d.plain[t] = n
		elem := d.plainType(m.Pointee(t), depth)
		d.d.Types[n].Elem = elem
		return n
	case KindStruct:
		x.Kind = isa.DebugStruct
		for i, e := range t.Members {
			x.Members = append(x.Members, isa.DebugMember{Name: m.memberName(t, uint64(i)), Type: d.plainType(e, depth), Offset: 8 * t.offsets[i]})
		}
	default:
		x.Kind = isa.DebugHandle
	}
	n := d.add(x)
	d.plain[t] = n
	return n
}
