package lower

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// builder reads one kernel into SSA.
type builder struct {
	*ssa.Tables
	m   *module
	f   *ssa.Func
	k   *isa.Kernel
	cur *ssa.Block
	in  spirv.Inst // the instruction at hand

	// env has the scalars of each id of the function body at hand; globals
	// those of module-level ids.
	env      [][]*ssa.Value // by place in the module, from envFirst on; nil for what has none yet
	envFirst int
	envFree  [][]*ssa.Value // memory for the bodies that are inlined further in
	globals  [][]*ssa.Value // by place in the module, from its beginning
	singles  []*ssa.Value   // memory for lists of one
	globalAt map[int]*ssa.Value
	slots    *ssa.Value                 // hidden LDS of work-group operations, when there are any
	varTypes []*typ                     // what private variables hold, by place in Kernel.Private
	inputs   map[spirv.ID]spirv.BuiltIn // results of OpLoad that are whole built-in variables

	constants bool // what is built is a constant
	// Where in Kernel.Undefined instructions and variables are.
	undefAt   map[spirv.ID]int32
	undefVars map[undefinedVariable]int32

	stack  []spirv.ID // functions in the course of being inlined
	body   *body      // the one at hand
	bodies []*body    // all of them, in the order in which they are entered

	bodyOf map[*function]*prepared // functions to be prepared, nil for those that are not yet
	unfit  bool                    // the body that is being prepared depends on its arguments
	paster paster

	wides   []isa.WideAccess     // Value.Imm of a load or store is 1 + the index, or 0
	callees []*ssa.Value         // variables of the functions that are being inlined
	bounds  map[spirv.ID][]bound // of pointers that access chains make
	// Likewise what pipe instructions do.
	pipeAccesses []isa.PipeAccess
	pipeAt       map[int]*ssa.Value // handles of the program's pipes
	storages     []spirv.Inst       // the calls that made OpPipeStorage values, by Value.Index

	knowsSubgroups bool // the size of sub-groups has become a constant
	degenerate     bool // the module asks for one sub-group a work-group

	emits   int
	locs    map[isa.Loc]uint32  // of inlined calls
	line    isa.Loc             // source position in force
	inBody  frame               // the function body that is read
	inScope frame               // what debug information says the instruction stands in; body without it
	atCall  map[inlining]uint32 // calls that the module's compiler inlined → Kernel.Locs
	loc     uint32              // index of the current instruction's place, 0 until needed
	hasLoc  bool
	debug   *describer // of a kernel for a debugger
}

func newBuilder(m *module) *builder {
	k := &isa.Kernel{Locs: make([]isa.Loc, 1)}
	f := ssa.NewFunc(k)
	f.Checked, f.KeepMarks = m.checked, m.opt.KeepMarks
	b := &builder{
		Tables: f.Tables, m: m, k: k, f: f,
		globals: make([][]*ssa.Value, len(m.types)), globalAt: map[int]*ssa.Value{}, pipeAt: map[int]*ssa.Value{},
		inputs: map[spirv.ID]spirv.BuiltIn{}, locs: map[isa.Loc]uint32{},
		atCall: map[inlining]uint32{},
	}
	if m.debug {
		b.debug = newDescriber(b)
	}
	return b
}

// fail ends the lowering with an error at the instruction at hand.
func (b *builder) fail(format string, args ...any) { b.m.fail(b.in, format, args...) }

// place returns the index in Kernel.Locs of the instruction at hand.
func (b *builder) place() uint32 {
	if !b.hasLoc {
		b.hasLoc = true
		l := b.line
		l.Word, l.Func, l.At = uint32(b.in.Offset), b.inScope.fn, b.inScope.at
		b.loc = uint32(len(b.k.Locs))
		b.k.Locs = ssa.Append(b.k.Locs, l)
		if b.debug != nil {
			b.debug.locScope(len(b.k.Locs), b.inScope.lexical)
		}
	}
	return b.loc
}

// emit adds an instruction, or returns what it amounts to.
func (b *builder) emit(op isa.Op, typ, elem isa.Type, args ...*ssa.Value) *ssa.Value {
	return b.add(b.f.NewValue(op, typ, elem, args...))
}

// add puts a finished instruction at the end of the current block, or returns
// what it amounts to.
func (b *builder) add(v *ssa.Value) *ssa.Value {
	if s := opt.SimplifyValue(b.f, v); s != nil {
		return s
	}
	b.spend(1)
	if p := v; p.Op == isa.OpPtrAdd {
		if p = p.Args[0]; p.Op == ssa.OpInput || p.Op == isa.OpPtrAdd && p.Pos != 0 {
			v.Pos = 1 // see inputOf
		}
	}
	v.Block, v.Loc = b.cur, b.place()
	b.cur.Insts = append(b.cur.Insts, v)
	return v
}

// spend counts work against the limit on a kernel's size: instructions, and
// what takes as much memory without being any, such as the blocks of an
// inlined call and the scalars of a large value.
func (b *builder) spend(n int) {
	if b.emits&^0xfff != (b.emits+n)&^0xfff {
		b.m.checkContext()
	}
	if b.emits += n; b.emits > b.m.opt.MaxInstructions {
		b.fail("the kernel has more than %d instructions with its calls inlined", b.m.opt.MaxInstructions)
	}
}

func (b *builder) bin(op isa.Op, t isa.Type, x, y *ssa.Value) *ssa.Value {
	return b.emit(op, t, t, x, y)
}
func (b *builder) un(op isa.Op, t isa.Type, x *ssa.Value) *ssa.Value { return b.emit(op, t, t, x) }
func (b *builder) cmp(op isa.Op, t isa.Type, x, y *ssa.Value) *ssa.Value {
	return b.emit(op, isa.B1, t, x, y)
}
func (b *builder) sel(t isa.Type, c, x, y *ssa.Value) *ssa.Value {
	return b.emit(isa.OpSelect, t, t, c, x, y)
}
func (b *builder) imm(t isa.Type, x uint64) *ssa.Value { return b.f.Constant(t, x) }
func (b *builder) conv(op isa.Op, to, from isa.Type, x *ssa.Value) *ssa.Value {
	return b.emit(op, to, from, x)
}
func (b *builder) not(x *ssa.Value) *ssa.Value { return b.un(isa.OpNot, isa.B1, x) }

// convFlags makes a conversion with flags.
func (b *builder) convFlags(op isa.Op, to, from isa.Type, fl isa.Flags, x *ssa.Value) *ssa.Value {
	v := b.f.NewValue(op, to, from, x)
	v.Flags = fl
	return b.add(v)
}

// val returns the scalars of an id.
func (b *builder) val(id spirv.ID) []*ssa.Value {
	if v := b.local(id); v != nil {
		return v
	}
	at := b.m.x.At(id)
	if at < 0 {
		b.fail("operand %%%d is not defined", id)
	}
	in := b.m.src.Insts[at]
	if at >= len(b.globals) {
		b.fail("operand %%%d (%s) has no value here", id, in.Op())
	}
	if v := b.globals[at]; v != nil {
		return v
	}
	var v []*ssa.Value
	switch {
	case in.Op() == spirv.OpUndef:
		b.spend(b.m.typeOf(in.ResultType()).flat)
		v = b.undefined(in, b.m.typeOf(in.ResultType()))
	case isConstant(in.Op()):
		v = b.constVals(b.m.constant(id))
	case in.Op() == spirv.OpVariable || in.Op() == spirv.OpUntypedVariableKHR:
		v = []*ssa.Value{b.moduleVariable(in)}
	default:
		b.fail("operand %%%d (%s) has no value here", id, in.Op())
	}
	if v == nil {
		v = noValues
	}
	b.globals[at] = v
	return v
}

// local returns the scalars of an id of the function body at hand, nil for others.
func (b *builder) local(id spirv.ID) []*ssa.Value {
	if at := b.m.x.At(id) - b.envFirst; at >= 0 && at < len(b.env) {
		return b.env[at]
	}
	return nil
}

// constVals turns the scalars of a constant into values. The types follow from
// the places where they are used: only widths matter, and constants of any
// width are made from their bits.
func (b *builder) constVals(c []cval) []*ssa.Value {
	b.spend(len(c))
	out := make([]*ssa.Value, len(c))
	for i, x := range c {
		switch {
		case x.pipe != 0:
			out[i] = b.pipeHandle(x.pipe - 1)
		case x.global != 0:
			out[i] = b.globalAddr(x.global-1, x.bits)
		default:
			out[i] = b.imm(isa.I64, x.bits)
		}
	}
	return out
}

// typed returns the scalars of id with constants in the width of their type.
func (b *builder) typed(id spirv.ID, t *typ) []*ssa.Value {
	v := b.val(id)
	if len(v) != t.flat {
		b.fail("operand %%%d has %d scalars where %d are expected", id, len(v), t.flat)
	}
	if t.flat == 1 && t.elem == nil && t.members == nil {
		if s := t.scalar(); v[0].IsConst() && s != isa.Void && v[0].Type.Bits() != s.Bits() {
			return []*ssa.Value{b.imm(s, v[0].Imm)}
		}
		return v
	}
	i := 0
	var out []*ssa.Value
	t.leaves(0, func(l leaf) {
		s := l.t.scalar()
		if v[i].IsConst() && s != isa.Void && v[i].Type.Bits() != s.Bits() {
			if out == nil {
				out = append([]*ssa.Value(nil), v...)
			}
			out[i] = b.imm(s, v[i].Imm)
		}
		i++
	})
	if out != nil {
		return out
	}
	return v
}

// vals returns the scalars of an operand and its type.
func (b *builder) vals(id spirv.ID) ([]*ssa.Value, *typ) {
	tid := b.m.x.TypeOf(id)
	if tid == 0 {
		b.fail("operand %%%d has no value", id)
	}
	t := b.m.typeOf(tid)
	return b.typed(id, t), t
}

// one returns an operand that is a scalar, and its type.
func (b *builder) one(id spirv.ID) (*ssa.Value, *typ) {
	v, t := b.vals(id)
	if len(v) != 1 {
		b.fail("operand %%%d is not a scalar", id)
	}
	return v[0], t
}

func (b *builder) globalAddr(g int, addend uint64) *ssa.Value {
	v := b.globalAt[g]
	if v == nil {
		v = b.f.NewValue(ssa.OpGlobal, isa.I64, isa.I64)
		v.Index = int32(g)
		b.globalAt[g] = v
	}
	return b.offset(v, int64(addend))
}

// moduleVariable returns the address of a variable outside functions.
func (b *builder) moduleVariable(in spirv.Inst) *ssa.Value {
	id := in.ResultID()
	sc := spirv.StorageClass(in.Operand(0))
	if bi, ok := b.m.decoration(id, spirv.DecorationBuiltIn); ok && len(bi) > 0 {
		v := b.f.NewValue(ssa.OpInput, isa.I64, isa.I64)
		v.Index = int32(bi[0])
		return v
	}
	if g, ok := b.m.global(in); ok {
		return b.globalAddr(g, 0)
	}
	if sc == spirv.StorageClassWorkgroup {
		t := b.variableType(in)
		if t.kind == kindMatrix {
			b.m.unsupported(in, t.op, " in variables of work-groups")
		}
		a := isa.Alloc{Name: b.m.names[id], Size: t.size, Align: b.alignOf(id, t), Elem: b.m.elem(t), Padding: b.padding(t)}
		if b.k.Local = append(b.k.Local, a); b.debug != nil {
			for len(b.debug.locals) < len(b.k.Local) {
				b.debug.locals = append(b.debug.locals, 0)
			}
			b.debug.locals[len(b.k.Local)-1] = id
		}
		v := b.f.NewValue(ssa.OpLocal, isa.I64, isa.I64)
		v.Index = int32(len(b.k.Local) - 1)
		return v
	}
	b.m.fail(in, "variables of storage class %s are not supported", sc)
	return nil
}

// variableType returns the type of what a variable holds.
func (b *builder) variableType(in spirv.Inst) *typ {
	var t *typ
	if in.Op() == spirv.OpUntypedVariableKHR {
		if in.Operand(1) != 0 {
			t = b.m.typeOf(spirv.ID(in.Operand(1)))
		}
	} else {
		t = b.m.pointee(b.m.typeOf(in.ResultType()))
	}
	if t == nil {
		b.m.fail(in, "the variable has no type")
	}
	if t.kind == kindOpaque || t.kind == kindSampledImage || t.kind == kindFunction || t.kind == kindVoid {
		b.m.unsupported(in, t.op, " in variables")
	}
	return t
}

func (b *builder) alignOf(id spirv.ID, t *typ) uint32 {
	a := uint32(t.align)
	if w, ok := b.m.decoration(id, spirv.DecorationAlignment); ok && len(w) > 0 && w[0] <= 1<<16 {
		a = max(a, w[0])
	}
	return a
}

// privateVar makes an allocation in private memory and returns its address.
func (b *builder) privateVar(name string, t *typ, align uint32) *ssa.Value {
	return b.newPrivate(isa.Alloc{Name: name, Size: t.size, Align: align, Elem: b.m.elem(t), Loc: b.place(), Padding: b.padding(t)}, t)
}

func (b *builder) newPrivate(a isa.Alloc, t *typ) *ssa.Value {
	b.k.Private = ssa.Append(b.k.Private, a)
	v := b.f.NewValue(ssa.OpPrivate, isa.I64, isa.I64)
	v.Index = int32(len(b.k.Private) - 1)
	b.varTypes = ssa.Append(b.varTypes, t)
	return v
}

// kernel lowers one entry point.
func (m *module) kernel(ep entry) *builder {
	b := newBuilder(m)
	b.k.Name = ep.name
	def, _ := m.x.Def(ep.id)
	b.in = def
	f := m.funcs[ep.id]
	if f == nil {
		panic(&Error{Op: "OpEntryPoint", Word: ep.word, Reason: fmt.Sprintf("the entry point %q has no function", ep.name)})
	}
	if f.entry == nil {
		b.fail("the entry point %q has no body", ep.name)
	}
	b.executionModes(ep.id)
	b.metadata(ep.id)
	m.forSubgroups(b.subgroupSize())
	if n := b.k.ReqdSubgroup; !isa.SubgroupSize(int(n)) && n != 0 {
		b.fail("kernel %s requires sub-groups of %d; there are powers of two from 1 to %d", ep.name, n, isa.MaxSubgroup)
	}
	b.cur = b.f.NewBlock("entry")
	args := b.params(f)
	if s := m.opt.Specialize[ep.name]; s != nil {
		b.checkSpecialization(s)
		b.f.Known = ssa.NewKnown(s, b.subgroupSize())
		b.k.Specialized = s.Clone()
	}
	b.choosePrepared(f)
	rets := b.inline(f, args)
	for _, r := range rets {
		r.blk.Term = ssa.TermRet
		r.blk.TermLoc = r.loc
	}
	if m.debug {
		b.describeVariables()
	}
	return b
}

// subgroupSize returns the maximum sub-group size in lanes: the one that the kernel requires, or that of
// the device. It is 0 when neither is known.
func (b *builder) subgroupSize() int {
	if n := b.k.ReqdSubgroup; n != 0 {
		return int(n)
	}
	return b.m.opt.SubgroupSize
}

func (b *builder) executionModes(id spirv.ID) {
	for _, in := range b.m.modes[id] {
		ops := in.Operands()[1:]
		three := func(get func(uint32) uint32) (d [3]uint32) {
			for i := range d {
				if i < len(ops)-1 {
					d[i] = get(ops[i+1])
				}
			}
			return d
		}
		lit := func(w uint32) uint32 { return w }
		byID := func(w uint32) uint32 { return uint32(b.m.constUint(spirv.ID(w))) }
		switch spirv.ExecutionMode(ops[0]) {
		case spirv.ExecutionModeLocalSize:
			b.k.ReqdLocalSize = three(lit)
		case spirv.ExecutionModeLocalSizeId:
			b.k.ReqdLocalSize = three(byID)
		case spirv.ExecutionModeLocalSizeHint:
			b.k.LocalSizeHint = three(lit)
		case spirv.ExecutionModeLocalSizeHintId:
			b.k.LocalSizeHint = three(byID)
		case spirv.ExecutionModeSubgroupSize:
			b.k.ReqdSubgroup = three(lit)[0]
		case spirv.ExecutionModeDenormFlushToZero, spirv.ExecutionModeRoundingModeRTZ, spirv.ExecutionModeRoundingModeRTPINTEL,
			spirv.ExecutionModeRoundingModeRTNINTEL, spirv.ExecutionModeFloatingPointModeALTINTEL:
			b.m.failFeature(in, arithmeticModes[spirv.ExecutionMode(ops[0])]+" are not supported")
		}
	}
	// The WorkgroupSize built-in on a constant says the same (section 3.21).
	for _, deco := range b.m.src.Insts {
		if deco.Op() == spirv.OpFunction {
			break
		}
		if deco.Op() != spirv.OpDecorate || spirv.Decoration(deco.Operand(1)) != spirv.DecorationBuiltIn ||
			spirv.BuiltIn(deco.Operand(2)) != spirv.BuiltInWorkgroupSize {
			continue
		}
		cid := spirv.ID(deco.Operand(0))
		if in, ok := b.m.x.Def(cid); ok && isConstant(in.Op()) {
			if c := b.m.constant(cid); len(c) == 3 {
				b.k.ReqdLocalSize = [3]uint32{uint32(c[0].bits), uint32(c[1].bits), uint32(c[2].bits)}
			}
		}
	}
}

// params describes the kernel's parameters and returns their values.
func (b *builder) params(f *function) [][]*ssa.Value {
	var args [][]*ssa.Value
	names := b.argTypeNames(b.k.Name)
	for i, p := range f.params {
		b.in, b.m.at = p, p
		b.hasLoc = false
		id := p.ResultID()
		t := b.m.typeOf(p.ResultType())
		prm := isa.Param{Name: b.m.names[id], TypeName: b.m.typeName(t, 0)}
		if i < len(names) {
			prm.TypeName = names[i]
		}
		arg := func(size int, off uint64) *ssa.Value {
			v := b.f.NewValue(ssa.OpParam, isa.IntOf(size*8), isa.IntOf(size*8))
			v.Index, v.Imm = int32(i), off
			return v
		}
		switch {
		case t.kind == kindPointer && space(t.storage) == isa.SpacePrivate:
			e := b.m.pointee(t)
			if e == nil {
				if w := b.byValType(id); w != 0 {
					e = b.m.typeOf(w)
				}
			}
			if e == nil {
				b.fail("parameter %d points to private memory of unknown type", i)
			}
			prm.Kind, prm.Size, prm.Align = isa.ParamValue, e.size, uint32(e.align)
			prm.TypeName = b.m.typeName(e, 0)
			if i < len(names) {
				prm.TypeName = names[i]
			}
			v := b.privateVar(prm.Name, e, b.alignOf(id, e))
			b.k.Private[v.Index].Param = i + 1
			args = append(args, []*ssa.Value{v})
		case t.kind == kindPointer:
			prm.Kind, prm.Align = isa.ParamGlobal, uint32(t.align)
			if t.storage == spirv.StorageClassWorkgroup {
				prm.Kind = isa.ParamLocal
			}
			if e := b.m.pointee(t); e != nil && e.kind != kindFunction {
				prm.Size = e.size
			}
			prm.Constant = t.storage == spirv.StorageClassUniformConstant
			prm.Restrict = b.m.paramAttr(id, spirv.FunctionParameterAttributeNoAlias)
			prm.ReadOnly = prm.Constant || b.m.paramAttr(id, spirv.FunctionParameterAttributeNoWrite)
			args = append(args, []*ssa.Value{arg(8, 0)})
		case t.kind == kindImage:
			prm.Kind, prm.Image = isa.ParamImage, b.m.imageParam(t)
			args = append(args, []*ssa.Value{arg(8, 0)})
		case t.kind == kindSampler:
			prm.Kind = isa.ParamSampler
			args = append(args, []*ssa.Value{arg(8, 0)})
		case t.kind == kindPipe:
			prm.Kind, prm.Pipe = isa.ParamPipe, b.m.pipeParam(t)
			if i < len(names) && !strings.HasPrefix(names[i], "pipe") {
				prm.TypeName = "pipe " + names[i] // compilers give the type of a packet
			}
			args = append(args, []*ssa.Value{arg(8, 0)})
		case t.kind == kindOpaque || t.kind == kindMatrix || t.kind == kindSampledImage || t.kind == kindEvent || t.kind == kindPipeStorage || t.kind == kindReserveID || t.kind == kindFunction || t.kind == kindVoid:
			b.m.unsupported(p, t.op, " as arguments")
		default:
			prm.Kind, prm.Size, prm.Align = isa.ParamValue, t.size, uint32(t.align)
			if t.flat > maxFlat {
				b.fail("parameter %d %q has more than %d scalars", i, prm.Name, maxFlat)
			}
			var vals []*ssa.Value
			t.leaves(0, func(l leaf) {
				v := arg(int(l.t.size), l.offset)
				switch {
				case l.half != 0:
					vals = append(vals, b.nibble(l, v))
				case l.t.kind == kindBool:
					vals = append(vals, b.cmp(isa.OpNe, isa.I8, v, b.imm(isa.I8, 0)))
				case l.t.odd():
					vals = append(vals, b.norm(l.t, v))
				case l.t.kind == kindPointer:
					vals = append(vals, b.pointerOf(v))
				default:
					vals = append(vals, v)
				}
			})
			args = append(args, vals)
		}
		b.k.Params = append(b.k.Params, prm)
	}
	return args
}

// byValType returns the type that a ByVal decoration on an untyped pointer names, 0 for none.
func (b *builder) byValType(id spirv.ID) spirv.ID {
	for _, in := range b.m.idDecos[id] {
		if len(in.Operands()) > 2 {
			if d, ok := b.m.x.Def(spirv.ID(in.Operand(2))); ok && d.ResultType() == 0 {
				return d.ResultID()
			}
		}
	}
	return 0
}

// argTypeNames returns the OpenCL C types of a kernel's arguments where the
// producer left them: a string "kernel_arg_type.NAME.int*,float,".
func (b *builder) argTypeNames(kernel string) []string {
	prefix := "kernel_arg_type." + kernel + "."
	for _, in := range b.m.src.Insts {
		if in.Op() == spirv.OpFunction {
			return nil
		}
		if in.Op() != spirv.OpString {
			continue
		}
		s := in.StringOperand(0)
		if len(s) < len(prefix) || s[:len(prefix)] != prefix {
			continue
		}
		var names []string
		start, depth := len(prefix), 0
		for i := start; i < len(s); i++ {
			switch s[i] {
			case '(', '<':
				depth++
			case ')', '>':
				depth--
			case ',':
				if depth == 0 {
					names = append(names, s[start:i])
					start = i + 1
				}
			}
		}
		return names
	}
	return nil
}

// typeName returns a type as OpenCL C would write it, as far as the module tells.
func (m *module) typeName(t *typ, depth int) string {
	switch t.kind {
	case kindVoid:
		return "void"
	case kindBool:
		return "bool"
	case kindInt:
		// Without a sign of its own, as modules of OpenCL C have them, an integer
		// is called unsigned.
		sign := "u"
		if in, ok := m.x.Def(t.id); ok && in.Operand(1) != 0 {
			sign = ""
		}
		switch t.bits {
		case 8:
			return sign + "char"
		case 16:
			return sign + "short"
		case 32:
			return sign + "int"
		case 64:
			return sign + "long"
		}
		return fmt.Sprintf("%sint%d_t", sign, t.bits)
	case kindFloat:
		if t.small != nil {
			return t.small.name
		}
		return map[int]string{16: "half", 32: "float", 64: "double"}[t.bits]
	case kindVector:
		return fmt.Sprintf("%s%d", m.typeName(t.elem, depth), t.count)
	case kindArray:
		if depth < 4 {
			return fmt.Sprintf("%s[%d]", m.typeName(t.elem, depth+1), t.count)
		}
	case kindStruct:
		if n := m.names[t.id]; n != "" {
			return n
		}
		return "struct"
	case kindPointer:
		e := m.pointee(t)
		if e != nil && depth < 4 {
			return m.typeName(e, depth+1) + "*"
		}
		return "void*"
	}
	switch t.kind {
	case kindImage:
		return m.imageName(t)
	case kindPipe:
		return "pipe"
	case kindSampler:
		return "sampler_t"
	case kindReserveID:
		return "reserve_id_t"
	}
	return t.op.String()
}

// ret is where an inlined function returned.
type ret struct {
	blk  *ssa.Block
	vals []*ssa.Value
	loc  uint32
}

// perBlock is the number of instructions that take about the memory of a block.
const perBlock = 16

// maxCalls bounds how deep calls are nested.
const maxCalls = 512

// inline reads the body of f at the current place. It returns the places
// where f returns; the current block is undefined after it.
func (b *builder) inline(f *function, args [][]*ssa.Value) []ret {
	m := b.m
	id := f.def.ResultID()
	for _, s := range b.stack {
		if s == id {
			name := ""
			if n := m.names[id]; n != "" {
				name = fmt.Sprintf(" %q", n)
			}
			b.fail("function %%%d%s calls itself, and kernels must not", id, name)
		}
	}
	b.refuseArithmetic(f.def)
	if len(b.stack) > maxCalls {
		b.fail("calls are nested more than %d deep", maxCalls)
	}
	b.stack = append(b.stack, id)
	outerBody, outerScope := b.inBody, b.inScope
	b.enter(f)
	b.beginBody()
	m.cut(f)
	b.spend(perBlock * len(f.order))
	outer, outerFirst := b.env, b.envFirst
	if len(b.envFree) < f.size {
		b.envFree = make([][]*ssa.Value, max(2*f.size, 256))
	}
	memory := b.envFree
	b.env, b.envFirst, b.envFree = memory[:f.size], f.first, memory[f.size:]
	for i, p := range f.params {
		if i < len(args) {
			b.set(p, args[i]...)
		}
	}
	before := b.cur
	start := make([]*ssa.Block, len(f.order)) // by place in f.order, as end
	end := make([]*ssa.Block, len(f.order))
	for i, sb := range f.order {
		if i == 0 && !f.leaves {
			// Nothing branches to the entry block: it goes on where the call stands. A body that may mark or wait
			// has an entry of its own, ahead of which its sequence begins (endBody).
			if start[0] = b.cur; b.cur.Name == "" {
				b.cur.Name = m.names[sb.label]
			}
			continue
		}
		start[i] = b.f.NewBlock(m.names[sb.label])
		start[i].Insts = make([]*ssa.Value, 0, len(sb.insts))
	}
	if start[0] != before {
		before.Term = ssa.TermBr
		ssa.Link(before, start[0])
	}

	type pending struct {
		in   spirv.Inst
		blk  *ssa.Block
		phis []*ssa.Value
	}
	var phis []pending
	var rets []ret
	line := b.line
	for at, sb := range f.order {
		b.cur = start[at]
		b.line, b.inScope = isa.Loc{}, b.inBody
		for _, in := range sb.insts {
			b.in, b.hasLoc, m.at = in, false, in
			switch in.Op() {
			case spirv.OpPhi:
				t := m.typeOf(in.ResultType())
				if t.flat > maxFlat {
					b.fail("a value of more than %d scalars does not fit in registers", maxFlat)
				}
				b.spend(t.flat)
				p := pending{in: in, blk: b.cur}
				t.leaves(0, func(l leaf) {
					v := b.f.NewValue(ssa.OpPhi, l.t.scalar(), l.t.scalar())
					v.Block, v.Loc = b.cur, b.place()
					p.phis = append(p.phis, v)
				})
				b.cur.Phis = append(b.cur.Phis, p.phis...)
				b.set(in, p.phis...)
				phis = append(phis, p)
			case spirv.OpReturn, spirv.OpReturnValue:
				r := ret{blk: b.cur, loc: b.place()}
				if in.Op() == spirv.OpReturnValue {
					r.vals = b.typed(spirv.ID(in.Operand(0)), m.typeOf(f.def.ResultType()))
				}
				rets = append(rets, r)
				end[at] = b.cur
			case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpUnreachable, spirv.OpAbortKHR:
				b.terminate(in, f, start)
				end[at] = b.cur
			default:
				b.inst(in)
			}
		}
		if end[at] == nil {
			m.failID(sb.label, "the block has no terminator that is supported")
		}
	}
	for _, p := range phis {
		b.in, m.at = p.in, p.in
		t := m.typeOf(p.in.ResultType())
		ops := p.in.Operands()
		from := make(map[*ssa.Block]spirv.ID, len(ops)/2)
		for i := len(ops) - 2; i >= 0; i -= 2 {
			if at := m.block(f, spirv.ID(ops[i+1])); at >= 0 {
				from[end[at]] = spirv.ID(ops[i])
			}
		}
		for _, pred := range p.blk.Preds {
			x, ok := from[pred]
			if !ok {
				b.fail("has no entry for a predecessor of its block")
			}
			for j, v := range b.typed(x, t) {
				p.phis[j].Args = append(p.phis[j].Args, v)
			}
		}
	}
	b.stack = b.stack[:len(b.stack)-1]
	b.endBody()
	clear(b.env)
	b.env, b.envFirst, b.line, b.inBody, b.inScope = outer, outerFirst, line, outerBody, outerScope
	if len(b.envFree) < len(memory) { // what a body further in has needed may be more
		b.envFree = memory
	}
	return rets
}

// terminate ends the current block.
func (b *builder) terminate(in spirv.Inst, of *function, start []*ssa.Block) {
	c := b.cur
	c.TermLoc = b.place()
	target := func(w uint32) *ssa.Block {
		at := b.m.block(of, spirv.ID(w))
		if at < 0 {
			b.fail("%%%d is not a block of this function", w)
		}
		return start[at]
	}
	switch in.Op() {
	case spirv.OpBranch:
		c.Term = ssa.TermBr
		ssa.Link(c, target(in.Operand(0)))
	case spirv.OpBranchConditional:
		t, f := target(in.Operand(1)), target(in.Operand(2))
		if t == f {
			c.Term = ssa.TermBr
			ssa.Link(c, t)
			return
		}
		c.Term = ssa.TermCond
		c.Cond, _ = b.one(spirv.ID(in.Operand(0)))
		ssa.Link(c, t)
		ssa.Link(c, f)
	case spirv.OpSwitch:
		v, _ := b.one(spirv.ID(in.Operand(0)))
		values, labels := b.m.switchCases(in)
		places := map[*ssa.Block]int{}
		way := func(label spirv.ID) int {
			t := target(uint32(label))
			i, ok := places[t]
			if !ok {
				i = len(c.Succs)
				places[t] = i
				c.Succs = append(c.Succs, t)
				t.Preds = append(t.Preds, c)
			}
			return i
		}
		way(labels[0])
		table := &ssa.SwitchTable{}
		c.Term, c.Cond, c.Table = ssa.TermSwitch, v, table
		seen := map[uint64]bool{}
		for i, x := range values {
			if seen[x] {
				continue
			}
			seen[x] = true
			table.Cases = append(table.Cases, x)
			table.To = append(table.To, way(labels[i+1]))
		}
		if len(c.Succs) == 1 {
			ssa.SetBranch(c, c.Succs[0])
		}
	case spirv.OpUnreachable:
		c.Term, c.Trap = ssa.TermTrap, isa.TrapUnreachable
	case spirv.OpAbortKHR:
		b.inst(in) // the message
		c.Term, c.Trap = ssa.TermTrap, isa.TrapAbort
	}
}

// call inlines a call at the current place and returns the result's scalars.
func (b *builder) call(in spirv.Inst) []*ssa.Value {
	id := spirv.ID(in.Operand(0))
	f := b.m.funcs[id]
	if f == nil {
		b.fail("calls %%%d, which is not a function", id)
	}
	var args [][]*ssa.Value
	for i, w := range in.Operands()[1:] {
		if i >= len(f.params) {
			b.fail("has more arguments than function %%%d has parameters", id)
		}
		p := f.params[i]
		pt := b.m.typeOf(p.ResultType())
		v := b.typed(spirv.ID(w), pt)
		if f.entry != nil && pt.kind == kindPointer && b.m.paramAttr(p.ResultID(), spirv.FunctionParameterAttributeByVal) {
			// The callee gets a copy of its own.
			if e := b.m.pointee(pt); e != nil && e.size != 0 {
				c := b.privateVar(b.m.names[p.ResultID()], e, uint32(e.align))
				b.copyConst(c, v[0], e.size, copyAccesses(pt, pt, nil, 1))
				v = []*ssa.Value{c}
			}
		}
		args = append(args, v)
	}
	if len(args) < len(f.params) {
		b.fail("has %d arguments, function %%%d has %d parameters", len(args), id, len(f.params))
	}
	rt := b.m.typeOf(in.ResultType())
	if f.entry == nil {
		return b.m.opt.Imported(b, in, f, args, rt)
	}
	if p := b.prepared(f); p != nil {
		return b.paste(p, args)
	}
	call, loc, hasLoc := b.in, b.loc, b.hasLoc
	b.place()
	outer := len(b.callees)
	rets := b.inline(f, args)
	b.in, b.loc, b.hasLoc = call, loc, hasLoc
	vals := b.returned(rets, rt)
	b.endVariables(outer)
	return vals
}

// returned goes on where an inlined function has returned to, and returns the scalars of its result.
func (b *builder) returned(rets []ret, rt *typ) []*ssa.Value {
	if len(rets) == 1 {
		b.cur = rets[0].blk
		return rets[0].vals
	}
	next := b.f.NewBlock("")
	for _, r := range rets {
		r.blk.Term, r.blk.TermLoc = ssa.TermBr, r.loc
		ssa.Link(r.blk, next)
	}
	b.cur = next
	if rt.kind == kindVoid {
		return nil
	}
	out := make([]*ssa.Value, 0, rt.flat)
	rt.leaves(0, func(l leaf) {
		v := b.f.NewValue(ssa.OpPhi, l.t.scalar(), l.t.scalar())
		v.Block, v.Loc = next, b.place()
		if len(rets) == 0 {
			out = append(out, b.imm(l.t.scalar(), 0)) // never returns
			return
		}
		v.Args = make([]*ssa.Value, 0, len(rets))
		for _, r := range rets {
			v.Args = append(v.Args, r.vals[len(out)])
		}
		next.Phis = append(next.Phis, v)
		out = append(out, v)
	})
	return out
}
