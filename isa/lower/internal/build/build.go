package build

import (
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Builder reads one kernel into SSA.
type Builder struct {
	*ssa.Tables
	Module *Module
	Func   *ssa.Func
	Kernel *isa.Kernel
	Cur    *ssa.Block
	In     spirv.Inst // the instruction at hand

	// env has the scalars of each id of the function body at hand; globals
	// those of module-level ids.
	env      [][]*ssa.Value // by place in the module, from envFirst on; nil for what has none yet
	envFirst int
	envFree  [][]*ssa.Value // memory for the bodies that are inlined further in
	globals  [][]*ssa.Value // by place in the module, from its beginning
	singles  []*ssa.Value   // memory for lists of one
	globalAt map[int]*ssa.Value
	Slots    *ssa.Value                 // hidden LDS of work-group operations, when there are any
	varTypes []*Type                    // what private variables hold, by place in Kernel.Private
	inputs   map[spirv.ID]spirv.BuiltIn // results of OpLoad that are whole built-in variables

	constants bool // what is built is a constant
	// Where in Kernel.Undefined instructions and variables are.
	undefAt   map[spirv.ID]int32
	undefVars map[undefinedVariable]int32

	stack  []spirv.ID // functions in the course of being inlined
	body   *body      // the one at hand
	bodies []*body    // all of them, in the order in which they are entered

	bodyOf map[*Function]*prepared // functions to be prepared, nil for those that are not yet
	unfit  bool                    // the body that is being prepared depends on its arguments
	paster paster

	Wides   []isa.WideAccess     // Value.Imm of a load or store is 1 + the index, or 0
	callees []*ssa.Value         // variables of the functions that are being inlined
	bounds  map[spirv.ID][]bound // of pointers that access chains make
	// Likewise what pipe instructions do.
	PipeAccesses []isa.PipeAccess
	pipeAt       map[int]*ssa.Value // handles of the program's pipes
	Storages     []spirv.Inst       // the calls that made OpPipeStorage values, by Value.Index

	knowsSubgroups bool // the size of sub-groups has become a constant
	degenerate     bool // the module asks for one sub-group a work-group

	emits   int
	locs    map[isa.Loc]uint32  // of inlined calls
	Line    isa.Loc             // source position in force
	InBody  frame               // the function body that is read
	InScope frame               // what debug information says the instruction stands in; body without it
	atCall  map[inlining]uint32 // calls that the module's compiler inlined → Kernel.Locs
	loc     uint32              // index of the current instruction's place, 0 until needed
	HasLoc  bool
	Debug   *describer // of a kernel for a debugger
}

func newBuilder(m *Module) *Builder {
	k := &isa.Kernel{Locs: make([]isa.Loc, 1)}
	f := ssa.NewFunc(k)
	f.Checked, f.KeepMarks = m.Checked, m.Options.KeepMarks
	b := &Builder{
		Tables: f.Tables, Module: m, Kernel: k, Func: f,
		globals: make([][]*ssa.Value, len(m.types)), globalAt: map[int]*ssa.Value{}, pipeAt: map[int]*ssa.Value{},
		inputs: map[spirv.ID]spirv.BuiltIn{}, locs: map[isa.Loc]uint32{},
		atCall: map[inlining]uint32{},
	}
	if m.Debug {
		b.Debug = newDescriber(b)
	}
	return b
}

// Fail ends the lowering with an error at the instruction at hand.
func (b *Builder) Fail(format string, args ...any) { b.Module.fail(b.In, format, args...) }

// Place returns the index in Kernel.Locs of the instruction at hand.
func (b *Builder) Place() uint32 {
	if !b.HasLoc {
		b.HasLoc = true
		l := b.Line
		l.Word, l.Func, l.At = uint32(b.In.Offset), b.InScope.fn, b.InScope.at
		b.loc = uint32(len(b.Kernel.Locs))
		b.Kernel.Locs = ssa.Append(b.Kernel.Locs, l)
		if b.Debug != nil {
			b.Debug.locScope(len(b.Kernel.Locs), b.InScope.lexical)
		}
	}
	return b.loc
}

// Emit adds an instruction, or returns what it amounts to.
func (b *Builder) Emit(op isa.Op, typ, elem isa.Type, args ...*ssa.Value) *ssa.Value {
	return b.Add(b.Func.NewValue(op, typ, elem, args...))
}

// Add puts a finished instruction at the end of the current block, or returns
// what it amounts to.
func (b *Builder) Add(v *ssa.Value) *ssa.Value {
	if s := opt.SimplifyValue(b.Func, v); s != nil {
		return s
	}
	b.Spend(1)
	if p := v; p.Op == isa.OpPtrAdd {
		if p = p.Args[0]; p.Op == ssa.OpInput || p.Op == isa.OpPtrAdd && p.Pos != 0 {
			v.Pos = 1 // see InputOf
		}
	}
	v.Block, v.Loc = b.Cur, b.Place()
	b.Cur.Insts = append(b.Cur.Insts, v)
	return v
}

// Spend counts work against the limit on a kernel's size: instructions, and
// what takes as much memory without being any, such as the blocks of an
// inlined call and the scalars of a large value.
func (b *Builder) Spend(n int) {
	if b.emits&^0xfff != (b.emits+n)&^0xfff {
		b.Module.CheckContext()
	}
	if b.emits += n; b.emits > b.Module.Options.MaxInstructions {
		b.Fail("the kernel has more than %d instructions with its calls inlined", b.Module.Options.MaxInstructions)
	}
}

// Bin adds an operation on two values of type t.
func (b *Builder) Bin(op isa.Op, t isa.Type, x, y *ssa.Value) *ssa.Value {
	return b.Emit(op, t, t, x, y)
}

// Un adds an operation on one value of type t.
func (b *Builder) Un(op isa.Op, t isa.Type, x *ssa.Value) *ssa.Value { return b.Emit(op, t, t, x) }

// Cmp adds a comparison of two values of type t.
func (b *Builder) Cmp(op isa.Op, t isa.Type, x, y *ssa.Value) *ssa.Value {
	return b.Emit(op, isa.B1, t, x, y)
}

// Sel adds a selection: x where c is true, y elsewhere.
func (b *Builder) Sel(t isa.Type, c, x, y *ssa.Value) *ssa.Value {
	return b.Emit(isa.OpSelect, t, t, c, x, y)
}

// Imm returns the constant of type t with the bits x.
func (b *Builder) Imm(t isa.Type, x uint64) *ssa.Value { return b.Func.Constant(t, x) }

// Conv adds a conversion.
func (b *Builder) Conv(op isa.Op, to, from isa.Type, x *ssa.Value) *ssa.Value {
	return b.Emit(op, to, from, x)
}

// Not adds the complement of a Boolean.
func (b *Builder) Not(x *ssa.Value) *ssa.Value { return b.Un(isa.OpNot, isa.B1, x) }

// ConvFlags makes a conversion with flags.
func (b *Builder) ConvFlags(op isa.Op, to, from isa.Type, fl isa.Flags, x *ssa.Value) *ssa.Value {
	v := b.Func.NewValue(op, to, from, x)
	v.Flags = fl
	return b.Add(v)
}

// val returns the scalars of an id.
func (b *Builder) val(id spirv.ID) []*ssa.Value {
	if v := b.Local(id); v != nil {
		return v
	}
	at := b.Module.Index.At(id)
	if at < 0 {
		b.Fail("operand %%%d is not defined", id)
	}
	in := b.Module.Source.Insts[at]
	if at >= len(b.globals) {
		b.Fail("operand %%%d (%s) has no value here", id, in.Op())
	}
	if v := b.globals[at]; v != nil {
		return v
	}
	var v []*ssa.Value
	switch {
	case in.Op() == spirv.OpUndef:
		b.Spend(b.Module.TypeOf(in.ResultType()).Flat)
		v = b.undefined(in, b.Module.TypeOf(in.ResultType()))
	case isConstant(in.Op()):
		v = b.constVals(b.Module.constant(id))
	case in.Op() == spirv.OpVariable || in.Op() == spirv.OpUntypedVariableKHR:
		v = []*ssa.Value{b.moduleVariable(in)}
	default:
		b.Fail("operand %%%d (%s) has no value here", id, in.Op())
	}
	if v == nil {
		v = noValues
	}
	b.globals[at] = v
	return v
}

// Local returns the scalars of an id of the function body at hand, nil for others.
func (b *Builder) Local(id spirv.ID) []*ssa.Value {
	if at := b.Module.Index.At(id) - b.envFirst; at >= 0 && at < len(b.env) {
		return b.env[at]
	}
	return nil
}

// constVals turns the scalars of a constant into values. The types follow from
// the places where they are used: only widths matter, and constants of any
// width are made from their bits.
func (b *Builder) constVals(c []cval) []*ssa.Value {
	b.Spend(len(c))
	out := make([]*ssa.Value, len(c))
	for i, x := range c {
		switch {
		case x.pipe != 0:
			out[i] = b.PipeHandle(x.pipe - 1)
		case x.global != 0:
			out[i] = b.globalAddr(x.global-1, x.bits)
		default:
			out[i] = b.Imm(isa.I64, x.bits)
		}
	}
	return out
}

// Typed returns the scalars of id with constants in the width of their type.
func (b *Builder) Typed(id spirv.ID, t *Type) []*ssa.Value {
	v := b.val(id)
	if len(v) != t.Flat {
		b.Fail("operand %%%d has %d scalars where %d are expected", id, len(v), t.Flat)
	}
	if t.Flat == 1 && t.Elem == nil && t.Members == nil {
		if s := t.Scalar(); v[0].IsConst() && s != isa.Void && v[0].Type.Bits() != s.Bits() {
			return []*ssa.Value{b.Imm(s, v[0].Imm)}
		}
		return v
	}
	i := 0
	var out []*ssa.Value
	t.leaves(0, func(l leaf) {
		s := l.t.Scalar()
		if v[i].IsConst() && s != isa.Void && v[i].Type.Bits() != s.Bits() {
			if out == nil {
				out = append([]*ssa.Value(nil), v...)
			}
			out[i] = b.Imm(s, v[i].Imm)
		}
		i++
	})
	if out != nil {
		return out
	}
	return v
}

// Vals returns the scalars of an operand and its type.
func (b *Builder) Vals(id spirv.ID) ([]*ssa.Value, *Type) {
	tid := b.Module.Index.TypeOf(id)
	if tid == 0 {
		b.Fail("operand %%%d has no value", id)
	}
	t := b.Module.TypeOf(tid)
	return b.Typed(id, t), t
}

// One returns an operand that is a scalar, and its type.
func (b *Builder) One(id spirv.ID) (*ssa.Value, *Type) {
	v, t := b.Vals(id)
	if len(v) != 1 {
		b.Fail("operand %%%d is not a scalar", id)
	}
	return v[0], t
}

func (b *Builder) globalAddr(g int, addend uint64) *ssa.Value {
	v := b.globalAt[g]
	if v == nil {
		v = b.Func.NewValue(ssa.OpGlobal, isa.I64, isa.I64)
		v.Index = int32(g)
		b.globalAt[g] = v
	}
	return b.Offset(v, int64(addend))
}

// moduleVariable returns the address of a variable outside functions.
func (b *Builder) moduleVariable(in spirv.Inst) *ssa.Value {
	id := in.ResultID()
	sc := spirv.StorageClass(in.Operand(0))
	if bi, ok := b.Module.Decoration(id, spirv.DecorationBuiltIn); ok && len(bi) > 0 {
		v := b.Func.NewValue(ssa.OpInput, isa.I64, isa.I64)
		v.Index = int32(bi[0])
		return v
	}
	if g, ok := b.Module.global(in); ok {
		return b.globalAddr(g, 0)
	}
	if sc == spirv.StorageClassWorkgroup {
		t := b.variableType(in)
		if t.Kind == KindMatrix {
			b.Module.unsupported(in, t.Op, " in variables of work-groups")
		}
		a := isa.Alloc{Name: b.Module.Names[id], Size: t.Size, Align: b.alignOf(id, t), Elem: b.Module.elem(t), Padding: b.padding(t)}
		if b.Kernel.Local = append(b.Kernel.Local, a); b.Debug != nil {
			for len(b.Debug.locals) < len(b.Kernel.Local) {
				b.Debug.locals = append(b.Debug.locals, 0)
			}
			b.Debug.locals[len(b.Kernel.Local)-1] = id
		}
		v := b.Func.NewValue(ssa.OpLocal, isa.I64, isa.I64)
		v.Index = int32(len(b.Kernel.Local) - 1)
		return v
	}
	b.Module.fail(in, "variables of storage class %s are not supported", sc)
	return nil
}

// variableType returns the type of what a variable holds.
func (b *Builder) variableType(in spirv.Inst) *Type {
	var t *Type
	if in.Op() == spirv.OpUntypedVariableKHR {
		if in.Operand(1) != 0 {
			t = b.Module.TypeOf(spirv.ID(in.Operand(1)))
		}
	} else {
		t = b.Module.Pointee(b.Module.TypeOf(in.ResultType()))
	}
	if t == nil {
		b.Module.fail(in, "the variable has no type")
	}
	if t.Kind == kindOpaque || t.Kind == KindSampledImage || t.Kind == kindFunction || t.Kind == KindVoid {
		b.Module.unsupported(in, t.Op, " in variables")
	}
	return t
}

func (b *Builder) alignOf(id spirv.ID, t *Type) uint32 {
	a := uint32(t.Align)
	if w, ok := b.Module.Decoration(id, spirv.DecorationAlignment); ok && len(w) > 0 && w[0] <= 1<<16 {
		a = max(a, w[0])
	}
	return a
}

// privateVar makes an allocation in private memory and returns its address.
func (b *Builder) privateVar(name string, t *Type, align uint32) *ssa.Value {
	return b.newPrivate(isa.Alloc{Name: name, Size: t.Size, Align: align, Elem: b.Module.elem(t), Loc: b.Place(), Padding: b.padding(t)}, t)
}

func (b *Builder) newPrivate(a isa.Alloc, t *Type) *ssa.Value {
	b.Kernel.Private = ssa.Append(b.Kernel.Private, a)
	v := b.Func.NewValue(ssa.OpPrivate, isa.I64, isa.I64)
	v.Index = int32(len(b.Kernel.Private) - 1)
	b.varTypes = ssa.Append(b.varTypes, t)
	return v
}

// Kernel lowers one entry point.
func (m *Module) Kernel(ep Entry) *Builder {
	b := newBuilder(m)
	b.Kernel.Name = ep.Name
	def, _ := m.Index.Def(ep.id)
	b.In = def
	f := m.Funcs[ep.id]
	if f == nil {
		panic(&Error{Op: "OpEntryPoint", Word: ep.Word, Reason: fmt.Sprintf("the entry point %q has no function", ep.Name)})
	}
	if f.Entry == nil {
		b.Fail("the entry point %q has no body", ep.Name)
	}
	b.executionModes(ep.id)
	b.metadata(ep.id)
	m.forSubgroups(b.SubgroupSize())
	if n := b.Kernel.ReqdSubgroup; !isa.SubgroupSize(int(n)) && n != 0 {
		b.Fail("kernel %s requires sub-groups of %d; there are powers of two from 1 to %d", ep.Name, n, isa.MaxSubgroup)
	}
	b.Cur = b.Func.NewBlock("entry")
	args := b.params(f)
	if s := m.Options.Specialize[ep.Name]; s != nil {
		b.checkSpecialization(s)
		b.Func.Known = ssa.NewKnown(s, b.SubgroupSize())
		b.Kernel.Specialized = s.Clone()
	}
	b.choosePrepared(f)
	rets := b.inline(f, args)
	for _, r := range rets {
		r.blk.Term = ssa.TermRet
		r.blk.TermLoc = r.loc
	}
	if m.Debug {
		b.describeVariables()
	}
	return b
}

// SubgroupSize returns the maximum sub-group size in lanes: the one that the kernel requires, or that of
// the device. It is 0 when neither is known.
func (b *Builder) SubgroupSize() int {
	if n := b.Kernel.ReqdSubgroup; n != 0 {
		return int(n)
	}
	return b.Module.Options.SubgroupSize
}

func (b *Builder) executionModes(id spirv.ID) {
	for _, in := range b.Module.modes[id] {
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
		byID := func(w uint32) uint32 { return uint32(b.Module.ConstUint(spirv.ID(w))) }
		switch spirv.ExecutionMode(ops[0]) {
		case spirv.ExecutionModeLocalSize:
			b.Kernel.ReqdLocalSize = three(lit)
		case spirv.ExecutionModeLocalSizeId:
			b.Kernel.ReqdLocalSize = three(byID)
		case spirv.ExecutionModeLocalSizeHint:
			b.Kernel.LocalSizeHint = three(lit)
		case spirv.ExecutionModeLocalSizeHintId:
			b.Kernel.LocalSizeHint = three(byID)
		case spirv.ExecutionModeSubgroupSize:
			b.Kernel.ReqdSubgroup = three(lit)[0]
		case spirv.ExecutionModeDenormFlushToZero, spirv.ExecutionModeRoundingModeRTZ, spirv.ExecutionModeRoundingModeRTPINTEL,
			spirv.ExecutionModeRoundingModeRTNINTEL, spirv.ExecutionModeFloatingPointModeALTINTEL:
			b.Module.failFeature(in, arithmeticModes[spirv.ExecutionMode(ops[0])]+" are not supported")
		}
	}
	// The WorkgroupSize built-in on a constant says the same (section 3.21).
	for _, deco := range b.Module.Source.Insts {
		if deco.Op() == spirv.OpFunction {
			break
		}
		if deco.Op() != spirv.OpDecorate || spirv.Decoration(deco.Operand(1)) != spirv.DecorationBuiltIn ||
			spirv.BuiltIn(deco.Operand(2)) != spirv.BuiltInWorkgroupSize {
			continue
		}
		cid := spirv.ID(deco.Operand(0))
		if in, ok := b.Module.Index.Def(cid); ok && isConstant(in.Op()) {
			if c := b.Module.constant(cid); len(c) == 3 {
				b.Kernel.ReqdLocalSize = [3]uint32{uint32(c[0].bits), uint32(c[1].bits), uint32(c[2].bits)}
			}
		}
	}
}

// params describes the kernel's parameters and returns their values.
func (b *Builder) params(f *Function) [][]*ssa.Value {
	var args [][]*ssa.Value
	names := b.argTypeNames(b.Kernel.Name)
	for i, p := range f.Params {
		b.In, b.Module.at = p, p
		b.HasLoc = false
		id := p.ResultID()
		t := b.Module.TypeOf(p.ResultType())
		prm := isa.Param{Name: b.Module.Names[id], TypeName: b.Module.typeName(t, 0)}
		if i < len(names) {
			prm.TypeName = names[i]
		}
		arg := func(size int, off uint64) *ssa.Value {
			v := b.Func.NewValue(ssa.OpParam, isa.IntOf(size*8), isa.IntOf(size*8))
			v.Index, v.Imm = int32(i), off
			return v
		}
		switch {
		case t.Kind == KindPointer && Space(t.Storage) == isa.SpacePrivate:
			e := b.Module.Pointee(t)
			if e == nil {
				if w := b.byValType(id); w != 0 {
					e = b.Module.TypeOf(w)
				}
			}
			if e == nil {
				b.Fail("parameter %d points to private memory of unknown type", i)
			}
			prm.Kind, prm.Size, prm.Align = isa.ParamValue, e.Size, uint32(e.Align)
			prm.TypeName = b.Module.typeName(e, 0)
			if i < len(names) {
				prm.TypeName = names[i]
			}
			v := b.privateVar(prm.Name, e, b.alignOf(id, e))
			b.Kernel.Private[v.Index].Param = i + 1
			args = append(args, []*ssa.Value{v})
		case t.Kind == KindPointer:
			prm.Kind, prm.Align = isa.ParamGlobal, uint32(t.Align)
			if t.Storage == spirv.StorageClassWorkgroup {
				prm.Kind = isa.ParamLocal
			}
			if e := b.Module.Pointee(t); e != nil && e.Kind != kindFunction {
				prm.Size = e.Size
			}
			prm.Constant = t.Storage == spirv.StorageClassUniformConstant
			prm.Restrict = b.Module.paramAttr(id, spirv.FunctionParameterAttributeNoAlias)
			prm.ReadOnly = prm.Constant || b.Module.paramAttr(id, spirv.FunctionParameterAttributeNoWrite)
			args = append(args, []*ssa.Value{arg(8, 0)})
		case t.Kind == KindImage:
			prm.Kind, prm.Image = isa.ParamImage, b.Module.ImageParam(t)
			args = append(args, []*ssa.Value{arg(8, 0)})
		case t.Kind == KindSampler:
			prm.Kind = isa.ParamSampler
			args = append(args, []*ssa.Value{arg(8, 0)})
		case t.Kind == kindPipe:
			prm.Kind, prm.Pipe = isa.ParamPipe, b.Module.PipeParam(t)
			if i < len(names) && !strings.HasPrefix(names[i], "pipe") {
				prm.TypeName = "pipe " + names[i] // compilers give the type of a packet
			}
			args = append(args, []*ssa.Value{arg(8, 0)})
		case t.Kind == kindOpaque || t.Kind == KindMatrix || t.Kind == KindSampledImage || t.Kind == KindEvent || t.Kind == KindPipeStorage || t.Kind == kindReserveID || t.Kind == kindFunction || t.Kind == KindVoid:
			b.Module.unsupported(p, t.Op, " as arguments")
		default:
			prm.Kind, prm.Size, prm.Align = isa.ParamValue, t.Size, uint32(t.Align)
			if t.Flat > MaxFlat {
				b.Fail("parameter %d %q has more than %d scalars", i, prm.Name, MaxFlat)
			}
			var vals []*ssa.Value
			t.leaves(0, func(l leaf) {
				v := arg(int(l.t.Size), l.offset)
				switch {
				case l.half != 0:
					vals = append(vals, b.nibble(l, v))
				case l.t.Kind == KindBool:
					vals = append(vals, b.Cmp(isa.OpNe, isa.I8, v, b.Imm(isa.I8, 0)))
				case l.t.Odd():
					vals = append(vals, b.Norm(l.t, v))
				case l.t.Kind == KindPointer:
					vals = append(vals, b.pointerOf(v))
				default:
					vals = append(vals, v)
				}
			})
			args = append(args, vals)
		}
		b.Kernel.Params = append(b.Kernel.Params, prm)
	}
	return args
}

// byValType returns the type that a ByVal decoration on an untyped pointer names, 0 for none.
func (b *Builder) byValType(id spirv.ID) spirv.ID {
	for _, in := range b.Module.idDecos[id] {
		if len(in.Operands()) > 2 {
			if d, ok := b.Module.Index.Def(spirv.ID(in.Operand(2))); ok && d.ResultType() == 0 {
				return d.ResultID()
			}
		}
	}
	return 0
}

// argTypeNames returns the OpenCL C types of a kernel's arguments where the
// producer left them: a string "kernel_arg_type.NAME.int*,float,".
func (b *Builder) argTypeNames(kernel string) []string {
	prefix := "kernel_arg_type." + kernel + "."
	for _, in := range b.Module.Source.Insts {
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
func (m *Module) typeName(t *Type, depth int) string {
	switch t.Kind {
	case KindVoid:
		return "void"
	case KindBool:
		return "bool"
	case KindInt:
		// Without a sign of its own, as modules of OpenCL C have them, an integer
		// is called unsigned.
		sign := "u"
		if in, ok := m.Index.Def(t.ID); ok && in.Operand(1) != 0 {
			sign = ""
		}
		switch t.Bits {
		case 8:
			return sign + "char"
		case 16:
			return sign + "short"
		case 32:
			return sign + "int"
		case 64:
			return sign + "long"
		}
		return fmt.Sprintf("%sint%d_t", sign, t.Bits)
	case KindFloat:
		if t.Small != nil {
			return t.Small.name
		}
		return map[int]string{16: "half", 32: "float", 64: "double"}[t.Bits]
	case KindVector:
		return fmt.Sprintf("%s%d", m.typeName(t.Elem, depth), t.Count)
	case KindArray:
		if depth < 4 {
			return fmt.Sprintf("%s[%d]", m.typeName(t.Elem, depth+1), t.Count)
		}
	case KindStruct:
		if n := m.Names[t.ID]; n != "" {
			return n
		}
		return "struct"
	case KindPointer:
		e := m.Pointee(t)
		if e != nil && depth < 4 {
			return m.typeName(e, depth+1) + "*"
		}
		return "void*"
	}
	switch t.Kind {
	case KindImage:
		return m.imageName(t)
	case kindPipe:
		return "pipe"
	case KindSampler:
		return "sampler_t"
	case kindReserveID:
		return "reserve_id_t"
	}
	return t.Op.String()
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
func (b *Builder) inline(f *Function, args [][]*ssa.Value) []ret {
	m := b.Module
	id := f.Def.ResultID()
	for _, s := range b.stack {
		if s == id {
			name := ""
			if n := m.Names[id]; n != "" {
				name = fmt.Sprintf(" %q", n)
			}
			b.Fail("function %%%d%s calls itself, and kernels must not", id, name)
		}
	}
	b.refuseArithmetic(f.Def)
	if len(b.stack) > maxCalls {
		b.Fail("calls are nested more than %d deep", maxCalls)
	}
	b.stack = append(b.stack, id)
	outerBody, outerScope := b.InBody, b.InScope
	b.enter(f)
	b.beginBody()
	m.cut(f)
	b.Spend(perBlock * len(f.order))
	outer, outerFirst := b.env, b.envFirst
	if len(b.envFree) < f.size {
		b.envFree = make([][]*ssa.Value, max(2*f.size, 256))
	}
	memory := b.envFree
	b.env, b.envFirst, b.envFree = memory[:f.size], f.first, memory[f.size:]
	for i, p := range f.Params {
		if i < len(args) {
			b.Set(p, args[i]...)
		}
	}
	before := b.Cur
	start := make([]*ssa.Block, len(f.order)) // by place in f.order, as end
	end := make([]*ssa.Block, len(f.order))
	for i, sb := range f.order {
		if i == 0 && !f.leaves {
			// Nothing branches to the entry block: it goes on where the call stands. A body that may mark or wait
			// has an entry of its own, ahead of which its sequence begins (endBody).
			if start[0] = b.Cur; b.Cur.Name == "" {
				b.Cur.Name = m.Names[sb.label]
			}
			continue
		}
		start[i] = b.Func.NewBlock(m.Names[sb.label])
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
	line := b.Line
	for at, sb := range f.order {
		b.Cur = start[at]
		b.Line, b.InScope = isa.Loc{}, b.InBody
		for _, in := range sb.insts {
			b.In, b.HasLoc, m.at = in, false, in
			switch in.Op() {
			case spirv.OpPhi:
				t := m.TypeOf(in.ResultType())
				if t.Flat > MaxFlat {
					b.Fail("a value of more than %d scalars does not fit in registers", MaxFlat)
				}
				b.Spend(t.Flat)
				p := pending{in: in, blk: b.Cur}
				t.leaves(0, func(l leaf) {
					v := b.Func.NewValue(ssa.OpPhi, l.t.Scalar(), l.t.Scalar())
					v.Block, v.Loc = b.Cur, b.Place()
					p.phis = append(p.phis, v)
				})
				b.Cur.Phis = append(b.Cur.Phis, p.phis...)
				b.Set(in, p.phis...)
				phis = append(phis, p)
			case spirv.OpReturn, spirv.OpReturnValue:
				r := ret{blk: b.Cur, loc: b.Place()}
				if in.Op() == spirv.OpReturnValue {
					r.vals = b.Typed(spirv.ID(in.Operand(0)), m.TypeOf(f.Def.ResultType()))
				}
				rets = append(rets, r)
				end[at] = b.Cur
			case spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpUnreachable, spirv.OpAbortKHR:
				b.terminate(in, f, start)
				end[at] = b.Cur
			default:
				b.inst(in)
			}
		}
		if end[at] == nil {
			m.failID(sb.label, "the block has no terminator that is supported")
		}
	}
	for _, p := range phis {
		b.In, m.at = p.in, p.in
		t := m.TypeOf(p.in.ResultType())
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
				b.Fail("has no entry for a predecessor of its block")
			}
			for j, v := range b.Typed(x, t) {
				p.phis[j].Args = append(p.phis[j].Args, v)
			}
		}
	}
	b.stack = b.stack[:len(b.stack)-1]
	b.endBody()
	clear(b.env)
	b.env, b.envFirst, b.Line, b.InBody, b.InScope = outer, outerFirst, line, outerBody, outerScope
	if len(b.envFree) < len(memory) { // what a body further in has needed may be more
		b.envFree = memory
	}
	return rets
}

// terminate ends the current block.
func (b *Builder) terminate(in spirv.Inst, of *Function, start []*ssa.Block) {
	c := b.Cur
	c.TermLoc = b.Place()
	target := func(w uint32) *ssa.Block {
		at := b.Module.block(of, spirv.ID(w))
		if at < 0 {
			b.Fail("%%%d is not a block of this function", w)
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
		c.Cond, _ = b.One(spirv.ID(in.Operand(0)))
		ssa.Link(c, t)
		ssa.Link(c, f)
	case spirv.OpSwitch:
		v, _ := b.One(spirv.ID(in.Operand(0)))
		values, labels := b.Module.switchCases(in)
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

// Call inlines a call at the current place and returns the result's scalars.
func (b *Builder) Call(in spirv.Inst) []*ssa.Value {
	id := spirv.ID(in.Operand(0))
	f := b.Module.Funcs[id]
	if f == nil {
		b.Fail("calls %%%d, which is not a function", id)
	}
	var args [][]*ssa.Value
	for i, w := range in.Operands()[1:] {
		if i >= len(f.Params) {
			b.Fail("has more arguments than function %%%d has parameters", id)
		}
		p := f.Params[i]
		pt := b.Module.TypeOf(p.ResultType())
		v := b.Typed(spirv.ID(w), pt)
		if f.Entry != nil && pt.Kind == KindPointer && b.Module.paramAttr(p.ResultID(), spirv.FunctionParameterAttributeByVal) {
			// The callee gets a copy of its own.
			if e := b.Module.Pointee(pt); e != nil && e.Size != 0 {
				c := b.privateVar(b.Module.Names[p.ResultID()], e, uint32(e.Align))
				b.copyConst(c, v[0], e.Size, copyAccesses(pt, pt, nil, 1))
				v = []*ssa.Value{c}
			}
		}
		args = append(args, v)
	}
	if len(args) < len(f.Params) {
		b.Fail("has %d arguments, function %%%d has %d parameters", len(args), id, len(f.Params))
	}
	rt := b.Module.TypeOf(in.ResultType())
	if f.Entry == nil {
		return b.Module.Options.Imported(b, in, f, args, rt)
	}
	if p := b.prepared(f); p != nil {
		return b.paste(p, args)
	}
	call, loc, hasLoc := b.In, b.loc, b.HasLoc
	b.Place()
	outer := len(b.callees)
	rets := b.inline(f, args)
	b.In, b.loc, b.HasLoc = call, loc, hasLoc
	vals := b.returned(rets, rt)
	b.endVariables(outer)
	return vals
}

// returned goes on where an inlined function has returned to, and returns the scalars of its result.
func (b *Builder) returned(rets []ret, rt *Type) []*ssa.Value {
	if len(rets) == 1 {
		b.Cur = rets[0].blk
		return rets[0].vals
	}
	next := b.Func.NewBlock("")
	for _, r := range rets {
		r.blk.Term, r.blk.TermLoc = ssa.TermBr, r.loc
		ssa.Link(r.blk, next)
	}
	b.Cur = next
	if rt.Kind == KindVoid {
		return nil
	}
	out := make([]*ssa.Value, 0, rt.Flat)
	rt.leaves(0, func(l leaf) {
		v := b.Func.NewValue(ssa.OpPhi, l.t.Scalar(), l.t.Scalar())
		v.Block, v.Loc = next, b.Place()
		if len(rets) == 0 {
			out = append(out, b.Imm(l.t.Scalar(), 0)) // never returns
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
