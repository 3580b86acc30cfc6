package build

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Optimizing compilers leave variables without memory: DebugValue says what they have from an instruction on.
// A kernel for a debugger keeps a copy of it in private memory (isa.DebugShadow), which DebugValue becomes a
// store to. So what a variable has is what the work-item has given it last, whichever way it came, and
// registers need not be looked for.

// maxShadow is the size of the largest variable of which a copy is kept, and maxShadowScalars the number of
// scalars of the largest value that is stored at once.
const (
	maxShadow        = 4096
	maxShadowScalars = 64
	maxOperations    = 64
)

// instance is a local variable in one of the places where its function has been inlined.
type instance struct {
	variable spirv.ID
	at       uint32
}

// shadow is the copy of a variable without memory.
type shadow struct {
	base *ssa.Value // its address; nil where no copy is kept
	size uint64     // of the variable
	typ  uint32
}

// localVariable returns the operands of a DebugLocalVariable, also of one that a DebugInlinedVariable names.
func (d *describer) localVariable(id spirv.ID) ([]uint32, spirv.ID, bool) {
	if x, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugInlinedVariable, 1); ok {
		id = spirv.ID(x[0])
	}
	v, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugLocalVariable, 7)
	return v, id, ok
}

// describe returns what is known of a local variable, but for where it is.
func (d *describer) describe(v []uint32) isa.DebugVar {
	b := d.b
	x := isa.DebugVar{
		Name: b.Module.strings[spirv.ID(v[0])], Type: d.typ(spirv.ID(v[1]), 0), File: d.source(spirv.ID(v[2])), Line: v[3],
		Scope: d.scope(spirv.ID(v[5])), At: b.InScope.at,
	}
	if len(v) > 7 && (x.At != 0 || uint64(v[7]) <= uint64(len(b.Kernel.Params))) {
		x.Arg = v[7]
	}
	return x
}

// shadowOf returns the copy of a variable of the function at hand, which it makes the first time.
func (d *describer) shadowOf(id spirv.ID) *shadow {
	v, id, ok := d.localVariable(id)
	if !ok {
		return nil
	}
	b := d.b
	key := instance{id, b.InScope.at}
	if s := d.shadows[key]; s != nil {
		return s
	}
	b.Spend(1)
	d.noted[id] = true
	x := d.describe(v)
	s := &shadow{typ: x.Type, size: d.d.Types[x.Type].Size}
	d.shadows[key] = s
	if x.Where = isa.DebugNowhere; s.size > 0 && s.size <= maxShadow {
		size, _ := isa.DebugShadowSize(s.size)
		t := &Type{Kind: KindArray, Elem: byteType, Count: size, Flat: int(size), Size: size, Align: 8}
		s.base = b.newPrivate(isa.Alloc{Size: size, Align: 8, Elem: isa.Elem{Size: 1}}, t)
		x.Where, x.Index = isa.DebugShadow, uint32(s.base.Index)
	}
	d.d.Vars = append(d.d.Vars, x)
	return s
}

// Value reads a DebugValue: a variable has a value from here on.
func (d *describer) Value(in spirv.Inst) {
	ops := in.Operands()[2:]
	if len(ops) < 3 {
		return
	}
	s := d.shadowOf(spirv.ID(ops[0]))
	if s == nil || s.base == nil {
		return
	}
	defer d.place()()
	d.assign(s, d.piece(spirv.ID(ops[1]), spirv.ID(ops[2]), len(ops) > 3))
}

// place gives the instructions that follow the place of the one before them, so that no line begins with
// them. Where none is before them in the block, they have no line. The result goes back to the place of the
// instruction at hand.
func (d *describer) place() func() {
	b := d.b
	loc, has, line := b.loc, b.HasLoc, b.Line
	b.HasLoc, b.Line = false, isa.Loc{}
	if n := len(b.Cur.Insts); n > 0 {
		b.loc, b.HasLoc = b.Cur.Insts[n-1].Loc, true
	}
	return func() { b.loc, b.HasLoc, b.Line = loc, has, line }
}

// piece is what a variable, or a part of it, is given: a value, an address of memory that has it, or nothing.
type piece struct {
	vals    []*ssa.Value // nil for nothing that is known
	t       *Type
	address bool // vals is the address

	part      bool
	off, size uint64 // of a part, in bytes
}

// piece evaluates the operand and the expression of a DebugValue.
func (d *describer) piece(value, expr spirv.ID, indexes bool) (p piece) {
	ops, ok := d.inst(expr, spirv.OpenCLDebugInfo100DebugExpression, 0)
	list, known := d.operations(ops)
	if !known {
		return piece{}
	}
	const bits = 8
	if n := len(list) - 1; n >= 0 && list[n][0] == opFragment && len(list[n]) >= 3 {
		first, size := uint64(list[n][1]), uint64(list[n][2])
		p.part, p.off, p.size = true, first/bits, (first%bits+size+bits-1)/bits
		ok = ok && first%bits == 0 && size%bits == 0
		list = list[:n]
	}
	if !ok || indexes {
		return p
	}
	if vals, t, ok := d.operand(value); ok {
		p.vals, p.t = vals, t
		d.compute(&p, withoutSpaces(list))
	}
	return p
}

// operations returns the operations of an expression.
func (d *describer) operations(ops []uint32) (list [][]uint32, ok bool) {
	for _, w := range ops {
		op, ok := d.inst(spirv.ID(w), spirv.OpenCLDebugInfo100DebugOperation, 1)
		if !ok || len(list) == maxOperations {
			return nil, false
		}
		list = append(list, op)
	}
	return list, true
}

// The operations of expressions (OpenCL.DebugInfo.100, 3.8).
const (
	opDeref = iota
	opPlus
	opMinus
	opPlusUconst
	opBitPiece
	opSwap
	opXderef
	opStackValue
	opConstu
	opFragment
)

// withoutSpaces takes out what names an address space: its number, Swap, and Xderef. Clang has it with
// variables in memory, and leaves it when they become values, which are not in memory then.
func withoutSpaces(list [][]uint32) [][]uint32 {
	out := list[:0:0]
	for i := 0; i < len(list); i++ {
		if i+2 < len(list) && list[i][0] == opConstu && list[i+1][0] == opSwap && list[i+2][0] == opXderef {
			i += 2
			continue
		}
		out = append(out, list[i])
	}
	return out
}

// operand returns the scalars of a value that debug information names, and its type; false where there is
// none that a variable could have.
func (d *describer) operand(id spirv.ID) ([]*ssa.Value, *Type, bool) {
	b := d.b
	in, ok := b.Module.Index.Def(id)
	if !ok || in.Op() == spirv.OpUndef || in.ResultType() == 0 {
		return nil, nil, false
	}
	switch at := b.Module.Index.At(id); {
	case b.Local(id) != nil, isConstant(in.Op()):
	case in.Op() == spirv.OpVariable && at >= 0 && at < len(b.globals) && b.globals[at] != nil: // the kernel uses it
	default:
		return nil, nil, false
	}
	t := b.Module.TypeOf(in.ResultType())
	if t.Flat == 0 || t.Flat > maxShadowScalars {
		return nil, nil, false
	}
	storable := true
	t.leaves(0, func(l leaf) {
		switch l.t.Kind {
		case KindBool, KindInt, KindPointer, KindImage, KindSampler:
		case KindFloat:
			storable = storable && l.t.Small == nil
		default:
			storable = false
		}
		storable = storable && l.half == 0 && l.t.Scalar() != isa.Void
	})
	if !storable {
		return nil, nil, false
	}
	return b.Typed(id, t), t, true
}

// compute carries out operations on a value. What the specification does not have, and what makes no sense,
// leaves nothing.
func (d *describer) compute(p *piece, list [][]uint32) {
	if n := len(list) - 1; n >= 0 && list[n][0] == opStackValue {
		list = list[:n]
	}
	if n := len(list) - 1; n >= 0 && list[n][0] == opDeref {
		if p.address = p.t.Kind == KindPointer; !p.address {
			p.vals = nil
			return
		}
		list = list[:n]
	}
	if len(list) == 0 {
		return
	}
	b := d.b
	pointer := p.t.Kind == KindPointer
	if p.t.Kind != KindInt && !pointer {
		p.vals = nil
		return
	}
	// Whole numbers of 64 bits: of those that are narrower the low bits count.
	v := p.vals[0]
	if !pointer {
		v = b.Resize(v, p.t.Scalar(), isa.I64)
	}
	stack := []*ssa.Value{v}
	for _, op := range list {
		n := len(stack)
		switch {
		case op[0] == opPlusUconst && len(op) > 1 && n == 1 && pointer:
			stack[0] = b.Offset(stack[0], int64(op[1]))
		case op[0] == opPlusUconst && len(op) > 1 && n > 0:
			stack[n-1] = b.Bin(isa.OpAdd, isa.I64, stack[n-1], b.Imm(isa.I64, uint64(op[1])))
		case op[0] == opConstu && len(op) > 1:
			stack = append(stack, b.Imm(isa.I64, uint64(op[1])))
		case op[0] == opSwap && n > 1 && !pointer:
			stack[n-1], stack[n-2] = stack[n-2], stack[n-1]
		case (op[0] == opPlus || op[0] == opMinus) && n == 2 && pointer && stack[1].IsConst():
			by := int64(stack[1].Imm)
			if op[0] == opMinus {
				by = -by
			}
			stack = []*ssa.Value{b.Offset(stack[0], by)}
		case op[0] == opPlus && n > 1 && !pointer:
			stack = append(stack[:n-2], b.Bin(isa.OpAdd, isa.I64, stack[n-2], stack[n-1]))
		case op[0] == opMinus && n > 1 && !pointer:
			stack = append(stack[:n-2], b.Bin(isa.OpSub, isa.I64, stack[n-2], stack[n-1]))
		default:
			p.vals = nil
			return
		}
	}
	p.vals = slices.Clone(stack[len(stack)-1:])
	if !pointer {
		p.t = words[8]
	}
}

// assign keeps what a variable is given.
func (d *describer) assign(s *shadow, p piece) {
	if !p.part {
		p.off, p.size = 0, s.size
	}
	if p.off > s.size || p.size > s.size-p.off || p.size == 0 {
		return
	}
	b := d.b
	access := Access{Space: isa.SpacePrivate, Align: 1}
	to := b.Offset(s.base, int64(p.off))
	switch {
	case p.vals == nil, p.address && p.size != s.size:
		d.state(s, p.off, p.size, isa.DebugLost)
		return
	case p.address:
		_, at := isa.DebugShadowSize(s.size)
		v := b.Func.NewValue(isa.OpStore, isa.Void, isa.I64, b.Offset(s.base, int64(at)), p.vals[0])
		b.use(v, access)
		b.Add(v)
		d.state(s, 0, s.size, isa.DebugInMemory)
		return
	case p.t.Kind == KindBool || p.t.Kind == KindInt:
		if !d.integer(s, p, to, access) {
			d.state(s, p.off, p.size, isa.DebugLost)
			return
		}
		d.state(s, p.off, p.size, isa.DebugKept)
		return
	}
	end := uint64(0)
	p.t.leaves(0, func(l leaf) { end = max(end, l.offset+l.t.Size) })
	if end > p.size {
		d.state(s, p.off, p.size, isa.DebugLost)
		return
	}
	b.Store(to, p.t, p.vals, access)
	if end = max(end, min(p.t.Size, p.size)); end < p.size {
		d.state(s, p.off+end, p.size-end, isa.DebugLost)
	}
	d.state(s, p.off, end, isa.DebugKept)
}

// integer stores an integer in so many bytes as the variable or its part has.
func (d *describer) integer(s *shadow, p piece, to *ssa.Value, access Access) bool {
	b := d.b
	t := words[p.size]
	kind := d.kind(s.typ)
	number := kind == isa.DebugBool || kind == isa.DebugSigned || kind == isa.DebugUnsigned
	if t == nil || !p.part && !number && p.t.Size != p.size {
		return false
	}
	v, from := p.vals[0], p.t.Scalar()
	if p.t.Kind == KindBool {
		v, from = b.Sel(isa.I8, v, b.Imm(isa.I8, 1), b.Imm(isa.I8, 0)), isa.I8
	}
	into := [...]isa.Type{1: isa.I8, 2: isa.I16, 4: isa.I32, 8: isa.I64}[p.size]
	if into.Bits() > from.Bits() && !p.part && p.t.Kind == KindInt && kind == isa.DebugSigned {
		v = b.Conv(isa.OpSExt, into, from, b.Signed(p.t, v))
	} else {
		v = b.Resize(v, from, into)
	}
	b.StoreScalar(to, t, v, access)
	return true
}

// kind returns the kind of a type behind typedefs and qualifiers, of an enumeration that of its numbers.
func (d *describer) kind(typ uint32) isa.DebugKind {
	for range maxDebugDepth {
		t := &d.d.Types[typ]
		if t.Kind != isa.DebugAlias && t.Kind != isa.DebugEnum {
			return t.Kind
		}
		typ = t.Elem
	}
	return isa.DebugUnknown
}

// state notes the state of bytes of a variable.
func (d *describer) state(s *shadow, off, n uint64, state isa.DebugState) {
	b := d.b
	for n > 0 {
		size, t := uint64(8), isa.I64
		for size > n {
			size /= 2
		}
		t = [...]isa.Type{1: isa.I8, 2: isa.I16, 4: isa.I32, 8: isa.I64}[size]
		x := uint64(state) * 0x0101010101010101 & (1<<(8*size-1)<<1 - 1)
		v := b.Func.NewValue(isa.OpStore, isa.Void, t, b.Offset(s.base, int64(s.size+off)), b.Imm(t, x))
		b.use(v, Access{Space: isa.SpacePrivate, Align: 1})
		b.Add(v)
		off, n = off+size, n-size
	}
}

// describeLost notes the local variables of functions at hand of which nothing is left.
func (d *describer) describeLost() {
	m := d.b.Module
	for i := range m.Source.Insts {
		in := m.Source.Insts[i]
		if in.Op() == spirv.OpFunction {
			return
		}
		if in.Op() != spirv.OpExtInst || d.noted[in.ResultID()] {
			continue
		}
		v, ok := d.inst(in.ResultID(), spirv.OpenCLDebugInfo100DebugLocalVariable, 7)
		if !ok || !d.inside(spirv.ID(v[5])) {
			continue
		}
		d.b.Spend(1)
		x := d.describe(v)
		x.Where, x.At, x.Arg = isa.DebugNowhere, 0, 0
		d.d.Vars = append(d.d.Vars, x)
	}
}

// inside says whether a scope is one of those that instructions are in, or in one of them.
func (d *describer) inside(id spirv.ID) bool {
	for range maxScopes {
		if n, ok := d.scopes[id]; ok {
			return n != 0
		}
		ops, ok := d.inst(id, spirv.OpenCLDebugInfo100DebugLexicalBlock, 4)
		if !ok {
			return false
		}
		id = spirv.ID(ops[3])
	}
	return false
}

// clearShadows makes the states of all variables DebugUnset at the beginning, where private memory is not
// zero.
func (d *describer) clearShadows() {
	b := d.b
	if b.Module.Options.Poison == 0 {
		return
	}
	entry := b.Func.Blocks[0]
	rest := entry.Insts
	cur := b.Cur
	b.Cur, entry.Insts = entry, nil
	if len(rest) > 0 {
		b.loc, b.HasLoc = rest[0].Loc, true
	}
	for i := range d.d.Vars {
		if v := &d.d.Vars[i]; v.Where == isa.DebugShadow {
			base := b.Func.NewValue(ssa.OpPrivate, isa.I64, isa.I64)
			base.Index = int32(v.Index)
			d.state(&shadow{base: base, size: d.d.Types[v.Type].Size}, 0, d.d.Types[v.Type].Size, isa.DebugUnset)
		}
	}
	b.Cur, entry.Insts = cur, append(entry.Insts, rest...)
}
