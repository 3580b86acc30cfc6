package build

import (
	"context"
	"math"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Module is what all kernels of a module share while it is lowered.
type Module struct {
	Options Options
	Context context.Context // of the kernel that is being lowered; nil where nothing ends it
	Checked bool            // the kernel is lowered for checks: see Compiler.CheckedKernel
	Debug   bool            // the kernel is lowered for a debugger: see Compiler.DebugKernel
	Shared  bool            // the kernel is lowered for memory that the host shares: see Compiler.SharedKernel
	noOpt   *bool           // what unoptimized has found
	Source  *spirv.Module
	Index   *spirv.Index
	Program *isa.Program
	Names   map[spirv.ID]string
	// memberNames are those of the members of structures; nil until somebody asks, see memberName.
	memberNames map[memberKey]string
	strings     map[spirv.ID]string
	decos       map[decoKey]spirv.Inst
	idDecos     map[spirv.ID][]spirv.Inst // OpDecorateId
	groups      map[spirv.ID][]spirv.ID   // decoration groups by what they decorate

	userSemantics map[spirv.ID][]spirv.Inst
	schedules     map[spirv.ID]isa.BarrierSchedule // of functions; NumBarrierSchedules for none
	types         []*Type                          // by place in the module
	Subgroup      int                              // lanes, of the kernel at hand; 0 where that is not known
	int4          bool                             // vectors of integers of 4 bits are packed
	matrices      bool                             // there are types that depend on it
	arithmetic    map[spirv.ID]string              // by function or instruction: the other arithmetic that it asks for
	decorates     []bool                           // by place in the module: the id has decorations, or groups have it
	TypeDepth     int
	Sets          map[spirv.ID]string // extended instruction sets by import
	PtrSize       uint64
	// functionConstants says that a constant outside functions has the storage class Function, as
	// llvm-spirv writes it. It lives in global memory.
	functionConstants bool

	Entries []Entry
	modes   map[spirv.ID][]spirv.Inst
	Funcs   map[spirv.ID]*Function

	consts      map[spirv.ID][]cval
	at          spirv.Inst // the instruction that is being read, for errors about its operands
	ConstDepth  int
	zeros       map[spirv.ID]bool   // by constant: whether it is all zeros
	globals     map[spirv.ID]int    // program-scope variable → Program.Globals
	badGlobals  map[spirv.ID]*Error // those whose initial value cannot be made
	GlobalTypes []*Type             // what they hold, in the order of Program.Globals
	pipeOf      map[int]int         // place in Program.Globals of what SYCL has for one → Program.Pipes
	files       map[spirv.ID]uint32 // OpString → Program.Files
	functions   map[string]uint32   // name → Program.Functions
	scopes      map[spirv.ID]scope  // of debug information, see DebugScope

	MuxEventType *Type // see muxEvent
	MuxEventDone bool
}

// Entry is an entry point of the module.
type Entry struct {
	id   spirv.ID
	Name string
	Word int
}

// memberKey names a member of a structure.
type memberKey struct {
	t spirv.ID
	i uint32
}

// Function is a function of the module, cut into blocks.
type Function struct {
	Def    spirv.Inst
	Params []spirv.Inst
	blocks []*srcBlock
	Entry  *srcBlock
	order  []*srcBlock // reverse post-order from the entry; blocks nobody reaches are not in it
	first  int         // place in the module
	size   int         // instructions
	at     []int32     // of labels, by place in the function: place in order plus one
	calls  []*Function // what it calls, as often as it does
	leaves bool        // it calls functions that the module only imports
	plain  bool        // its instructions can be prepared, but for those of what it calls
}

// srcBlock is a block of the module.
type srcBlock struct {
	label spirv.ID
	insts []spirv.Inst // behind the label, terminator included
	first int          // place in the module of the first of them
	mark  uint8
}

// NewModule reads what all kernels of a module share. It panics with an *Error for a module that cannot be lowered.
func NewModule(src *spirv.Module, opt Options) *Module {
	src = src.Joined()
	m := &Module{
		Options: opt, Source: src, Index: src.Index(),
		Program: &isa.Program{Files: []string{""}, Functions: []string{""}},
		Names:   map[spirv.ID]string{},
		strings: map[spirv.ID]string{},
		decos:   map[decoKey]spirv.Inst{},
		idDecos: map[spirv.ID][]spirv.Inst{},
		groups:  map[spirv.ID][]spirv.ID{},

		arithmetic:    map[spirv.ID]string{},
		userSemantics: map[spirv.ID][]spirv.Inst{},
		schedules:     map[spirv.ID]isa.BarrierSchedule{},

		Sets:    map[spirv.ID]string{},
		modes:   map[spirv.ID][]spirv.Inst{},
		Funcs:   map[spirv.ID]*Function{},
		consts:  map[spirv.ID][]cval{},
		zeros:   map[spirv.ID]bool{},
		globals: map[spirv.ID]int{}, badGlobals: map[spirv.ID]*Error{},
		pipeOf: map[int]int{},
		files:  map[spirv.ID]uint32{},

		functions: map[string]uint32{"": 0},
		scopes:    map[spirv.ID]scope{},
		PtrSize:   8,
	}
	m.decorates = make([]bool, len(src.Insts))
	decorated := func(id spirv.ID) {
		if at := m.Index.At(id); at >= 0 {
			m.decorates[at] = true
		}
	}
	global := 0 // place behind the last instruction outside functions
	var f *Function
	var b *srcBlock
	cut := func(at int) {
		if b != nil {
			b.insts = src.Insts[b.first:at]
		}
		b = nil
	}
	for i, in := range src.Insts {
		if f == nil {
			global = i + 1
		}
		switch in.Op() {
		case spirv.OpMemoryModel:
			switch spirv.AddressingModel(in.Operand(0)) {
			case spirv.AddressingModelPhysical32:
				m.PtrSize, m.Program.Physical32 = 4, true
			case spirv.AddressingModelPhysical64:
			default:
				m.fail(in, "the addressing model is %s; kernels have Physical32 or Physical64", spirv.AddressingModel(in.Operand(0)))
			}
		case spirv.OpCapability:
			m.int4 = m.int4 || spirv.Capability(in.Operand(0)) == spirv.CapabilityInt4TypeINTEL
		case spirv.OpExtInstImport:
			m.Sets[in.ResultID()] = in.StringOperand(0)
		case spirv.OpEntryPoint:
			if spirv.ExecutionModel(in.Operand(0)) != spirv.ExecutionModelKernel {
				m.fail(in, "the execution model is %s; lockstep runs Kernel", spirv.ExecutionModel(in.Operand(0)))
			}
			m.Entries = append(m.Entries, Entry{spirv.ID(in.Operand(1)), in.StringOperand(2), in.Offset})
		case spirv.OpExecutionMode, spirv.OpExecutionModeId:
			id := spirv.ID(in.Operand(0))
			m.modes[id] = append(m.modes[id], in)
		case spirv.OpName:
			m.Names[spirv.ID(in.Operand(0))] = in.StringOperand(1)
		case spirv.OpString:
			m.strings[in.ResultID()] = in.StringOperand(0)
		case spirv.OpSource:
			v := in.Operand(1)
			if spirv.SourceLanguage(in.Operand(0)) == spirv.SourceLanguageOpenCL_C && v/100000 < 256 && m.Program.Meta.OpenCL == (isa.Version{}) {
				m.Program.Meta.OpenCL = isa.Version{Major: uint8(v / 100000), Minor: uint8(v / 1000 % 100)}
			}
		case spirv.OpDecorateString:
			if id := spirv.ID(in.Operand(0)); spirv.Decoration(in.Operand(1)) == spirv.DecorationUserSemantic {
				m.userSemantics[id] = append(m.userSemantics[id], in)
			}
		case spirv.OpDecorate, spirv.OpDecorateId:
			decorated(spirv.ID(in.Operand(0)))
			k := decoKey{id: spirv.ID(in.Operand(0)), deco: spirv.Decoration(in.Operand(1))}
			if k.deco == spirv.DecorationFuncParamAttr && len(in.Operands()) > 2 {
				k.attr = in.Operand(2)
			}
			if _, ok := m.decos[k]; !ok {
				m.decos[k] = in
			}
			if what := m.otherArithmetic(in); what != "" {
				m.arithmetic[k.id] = what
			}
			if k.deco == spirv.DecorationUserSemantic {
				m.userSemantics[k.id] = append(m.userSemantics[k.id], in)
			}
			if in.Op() == spirv.OpDecorateId {
				m.idDecos[k.id] = append(m.idDecos[k.id], in)
			}
		case spirv.OpGroupDecorate:
			ops := in.Operands()
			for _, t := range ops[1:] {
				decorated(spirv.ID(t))
				m.groups[spirv.ID(t)] = append(m.groups[spirv.ID(t)], spirv.ID(ops[0]))
			}
		case spirv.OpFunction:
			cut(i)
			f = &Function{Def: in, first: i}
			m.Funcs[in.ResultID()] = f
		case spirv.OpFunctionParameter:
			if f != nil {
				f.Params = append(f.Params, in)
			}
		case spirv.OpLabel:
			if f == nil {
				m.fail(in, "stands outside a function")
			}
			cut(i)
			b = &srcBlock{label: in.ResultID(), first: i + 1}
			f.blocks = append(f.blocks, b)
			if f.Entry == nil {
				f.Entry = b
			}
		case spirv.OpFunctionEnd:
			cut(i)
			if f != nil {
				f.size = i - f.first
			}
			f = nil
		default:
			switch {
			case b == nil && (in.Op() == spirv.OpVariable || in.Op() == spirv.OpUntypedVariableKHR):
				m.functionConstants = m.functionConstants || spirv.StorageClass(in.Operand(0)) == spirv.StorageClassFunction
			}
		}
	}
	cut(len(src.Insts))
	m.types = make([]*Type, global)
	return m
}

// Decorated says whether id carries the decoration.
func (m *Module) Decorated(id spirv.ID, d spirv.Decoration) bool {
	_, ok := m.Decoration(id, d)
	return ok
}

// decoKey names a decoration of an id; attr tells the attributes of a function
// parameter apart.
type decoKey struct {
	id   spirv.ID
	deco spirv.Decoration
	attr uint32
}

// decorate returns the first instruction that gives a decoration to an id or to
// a group that the id is in.
func (m *Module) decorate(k decoKey) (spirv.Inst, bool) {
	if at := m.Index.At(k.id); at < 0 || !m.decorates[at] {
		return spirv.Inst{}, false
	}
	if in, ok := m.decos[k]; ok {
		return in, true
	}
	for _, g := range m.groups[k.id] {
		if in, ok := m.decos[decoKey{g, k.deco, k.attr}]; ok {
			return in, true
		}
	}
	return spirv.Inst{}, false
}

// Decoration returns the words behind a decoration of id.
func (m *Module) Decoration(id spirv.ID, d spirv.Decoration) ([]uint32, bool) {
	in, ok := m.decorate(decoKey{id: id, deco: d})
	if !ok {
		return nil, false
	}
	return in.Operands()[2:], true
}

// paramAttr says whether a function parameter has the attribute.
func (m *Module) paramAttr(id spirv.ID, a spirv.FunctionParameterAttribute) bool {
	_, ok := m.decorate(decoKey{id, spirv.DecorationFuncParamAttr, uint32(a)})
	return ok
}

// Rounding returns the rounding mode that FPRoundingMode gives to id.
func (m *Module) Rounding(id spirv.ID) isa.Round {
	w, ok := m.Decoration(id, spirv.DecorationFPRoundingMode)
	if !ok || len(w) == 0 {
		return isa.RoundDefault
	}
	switch spirv.FPRoundingMode(w[0]) {
	case spirv.FPRoundingModeRTE:
		return isa.RoundRTE
	case spirv.FPRoundingModeRTZ:
		return isa.RoundRTZ
	case spirv.FPRoundingModeRTP:
		return isa.RoundRTP
	case spirv.FPRoundingModeRTN:
		return isa.RoundRTN
	}
	return isa.RoundDefault
}

// cval is a scalar of a constant: bits, the address of a program-scope variable
// plus bits, or the handle of a pipe.
type cval struct {
	bits   uint64
	global int // 1 + index into Program.Globals, 0 for a plain number
	pipe   int // 1 + index into Program.Pipes, likewise
}

// number says whether the scalar is a plain number.
func (c cval) number() bool { return c.global == 0 && c.pipe == 0 }

// ConstUint returns the value of an integer constant.
func (m *Module) ConstUint(id spirv.ID) uint64 {
	c := m.constant(id)
	if len(c) != 1 || !c[0].number() {
		m.failID(id, "an integer constant is expected here")
	}
	return c[0].bits
}

// constant returns the scalars of a constant.
func (m *Module) constant(id spirv.ID) []cval {
	if c, ok := m.consts[id]; ok {
		return c
	}
	in, ok := m.Index.Def(id)
	if !ok {
		m.failID(id, "is not defined")
	}
	if m.ConstDepth++; m.ConstDepth > 256 {
		m.fail(in, "constants are nested more than 256 deep")
	}
	user := m.at
	m.at = in
	c := m.newConstant(in)
	m.at = user
	m.ConstDepth--
	m.consts[id] = c
	return c
}

// ConstantMakers has what returns the scalars of the constant that an instruction makes, whose type is t. What is
// undefined is zero in constants, always; by itself it is [Builder.undefined].
var ConstantMakers map[spirv.Op]func(m *Module, in spirv.Inst, t *Type) []cval

func init() {
	number := func(f func(m *Module, in spirv.Inst) uint64) func(*Module, spirv.Inst, *Type) []cval {
		return func(m *Module, in spirv.Inst, t *Type) []cval {
			v := f(m, in)
			if t.Bits < 64 && t.Kind != KindBool {
				v &= 1<<t.Bits - 1
			}
			return []cval{{bits: v}}
		}
	}
	zeros := func(_ *Module, _ spirv.Inst, t *Type) []cval { return make([]cval, t.Flat) }
	ConstantMakers = map[spirv.Op]func(*Module, spirv.Inst, *Type) []cval{
		spirv.OpConstantTrue:  number(func(*Module, spirv.Inst) uint64 { return 1 }),
		spirv.OpConstantFalse: number(func(*Module, spirv.Inst) uint64 { return 0 }),
		spirv.OpConstant:      number(func(_ *Module, in spirv.Inst) uint64 { return literal(in) }),

		spirv.OpSpecConstantTrue:  number(func(m *Module, in spirv.Inst) uint64 { return min(m.specialized(in, 1), 1) }),
		spirv.OpSpecConstantFalse: number(func(m *Module, in spirv.Inst) uint64 { return min(m.specialized(in, 0), 1) }),
		spirv.OpSpecConstant:      number(func(m *Module, in spirv.Inst) uint64 { return m.specialized(in, literal(in)) }),
		spirv.OpSpecConstantOp:    func(m *Module, in spirv.Inst, _ *Type) []cval { return m.specConstantOp(in) },

		spirv.OpConstantNull:          zeros,
		spirv.OpUndef:                 zeros,
		spirv.OpConstantComposite:     (*Module).constituents,
		spirv.OpSpecConstantComposite: (*Module).constituents,

		spirv.OpConstantDataKHR:     (*Module).data,
		spirv.OpSpecConstantDataKHR: (*Module).data,

		spirv.OpConstantCompositeReplicateEXT:     (*Module).replicated,
		spirv.OpSpecConstantCompositeReplicateEXT: (*Module).replicated,
		spirv.OpConstantSampler: func(_ *Module, in spirv.Inst, _ *Type) []cval {
			return []cval{{bits: isa.SamplerBits(in.Operand(1) != 0, in.Operand(0), in.Operand(2))}}
		},
		spirv.OpConstantPipeStorage: func(m *Module, in spirv.Inst, _ *Type) []cval {
			return []cval{{pipe: m.pipeStorage(in) + 1}}
		},
	}
}

// isConstant says whether an instruction defines a constant.
func isConstant(op spirv.Op) bool { return ConstantMakers[op] != nil }

// literal returns the value behind an OpConstant.
func literal(in spirv.Inst) uint64 {
	v := uint64(in.Operand(0))
	if len(in.Operands()) > 1 {
		v |= uint64(in.Operand(1)) << 32
	}
	return v
}

// specialized returns what the options make of a specialization constant, or its default.
func (m *Module) specialized(in spirv.Inst, def uint64) uint64 {
	if w, ok := m.Decoration(in.ResultID(), spirv.DecorationSpecId); ok && len(w) > 0 {
		if v, ok := m.Options.SpecConstants[w[0]]; ok {
			return v
		}
	}
	return def
}

// constituents returns the scalars of the constituents of a constant. All components of a cooperative matrix are the one
// that there is.
func (m *Module) constituents(in spirv.Inst, t *Type) []cval {
	if t.Kind == KindMatrix {
		return m.replicated(in, t)
	}
	var c []cval
	for _, w := range in.Operands() {
		c = append(c, m.constant(spirv.ID(w))...)
		if len(c) > MaxFlat {
			m.fail(in, "a value of more than %d scalars does not fit in registers", MaxFlat)
		}
	}
	return c
}

// replicated returns the scalars of a constant whose constituents are all the same.
func (m *Module) replicated(in spirv.Inst, t *Type) []cval {
	v := m.constant(spirv.ID(in.Operand(0)))
	if len(v) == 0 || len(v)*t.constituents() != t.Flat {
		m.fail(in, "the constituent has %d scalars, its composite %d", len(v), t.Flat)
	}
	return slices.Repeat(v, t.constituents())
}

// data returns the elements of an array of integers whose bits stand in an instruction, one after the other.
func (m *Module) data(in spirv.Inst, t *Type) []cval {
	bits := m.dataBits(in, t)
	c := make([]cval, t.Flat)
	for i := range c {
		for k := range t.Elem.Bits {
			at := i*t.Elem.Bits + k
			c[i].bits |= uint64(bits[at/32]>>(at%32)&1) << k
		}
	}
	return c
}

// dataBits returns the bits of constant data (SPV_KHR_constant_data), the lowest of each word first.
func (m *Module) dataBits(in spirv.Inst, t *Type) []uint32 {
	if t.Kind != KindArray || t.Elem.Kind != KindInt {
		m.fail(in, "the data is for type %%%d, which is no array of integers", in.ResultType())
	}
	words := in.Operands()
	n := t.Count * uint64(t.Elem.Bits)
	if in.Op() == spirv.OpSpecConstantDataKHR {
		if w, ok := m.Decoration(in.ResultID(), spirv.DecorationSpecId); ok && len(w) > 0 {
			if v, ok := m.Options.SpecConstants[w[0]]; ok {
				words = []uint32{uint32(v), uint32(v >> 32)}[:min((n+31)/32, 2)]
			}
		}
	}
	if uint64(len(words)) != (n+31)/32 {
		m.fail(in, "has data of %d words for %d integers of %d bits", len(words), t.Count, t.Elem.Bits)
	}
	return words
}

func (m *Module) newConstant(in spirv.Inst) []cval {
	t := m.TypeOf(in.ResultType())
	if t.Flat > MaxFlat {
		m.fail(in, "a value of more than %d scalars does not fit in registers", MaxFlat)
	}
	if f := ConstantMakers[in.Op()]; f != nil {
		return f(m, in, t)
	}
	if in.Op() == spirv.OpVariable || in.Op() == spirv.OpUntypedVariableKHR {
		if g, ok := m.global(in); ok {
			return []cval{{global: g + 1}}
		}
	}
	m.unsupported(in, in.Op(), "")
	return nil
}

// specConstantOp computes an OpSpecConstantOp by building its instruction from
// constant operands: what the builder makes of it folds to constants.
func (m *Module) specConstantOp(in spirv.Inst) []cval {
	b := newBuilder(m)
	b.constants = true
	b.Cur = b.Func.NewBlock("")
	words := append([]uint32{0, uint32(in.ResultType()), uint32(in.ResultID())}, in.Operands()[1:]...)
	words[0] = uint32(len(words))<<16 | in.Operand(0)
	op := spirv.Inst{Words: words, Offset: in.Offset}
	b.env, b.envFirst = make([][]*ssa.Value, 1), m.Index.At(in.ResultID())
	b.inst(op)
	vals := b.Local(in.ResultID())
	out := make([]cval, len(vals))
	for i, v := range vals {
		disp := uint64(0)
		for v.Op == isa.OpPtrAdd && v.Idx == isa.IdxNone {
			disp += uint64(int64(v.Disp))
			v = v.Args[0]
		}
		switch v.Op {
		case ssa.OpConst:
			out[i] = cval{bits: v.Imm + disp}
		case ssa.OpGlobal:
			out[i] = cval{bits: disp, global: int(v.Index + 1)}
		default:
			m.fail(in, "%s of these operands does not give a constant", op.Op())
		}
	}
	return out
}

// global returns the place in Program.Globals of a program-scope variable in
// global or constant memory; false when in is a variable of another kind. A
// variable of a function never comes here.
func (m *Module) global(in spirv.Inst) (int, bool) {
	id := in.ResultID()
	if e := m.badGlobals[id]; e != nil {
		panic(e)
	}
	if g, ok := m.globals[id]; ok {
		return g, true
	}
	sc := spirv.StorageClass(in.Operand(0))
	if Space(sc) != isa.SpaceGlobal && sc != spirv.StorageClassFunction {
		return 0, false
	}
	var t *Type
	init := spirv.ID(in.Operand(1))
	if in.Op() == spirv.OpUntypedVariableKHR {
		init = spirv.ID(in.Operand(2))
		if in.Operand(1) != 0 {
			t = m.TypeOf(spirv.ID(in.Operand(1)))
		}
	} else {
		t = m.Pointee(m.TypeOf(in.ResultType()))
	}
	if t == nil {
		m.fail(in, "the variable has no type")
	}
	if w, ok := m.Decoration(id, spirv.DecorationLinkageAttributes); ok && init == 0 && len(w) > 0 &&
		spirv.LinkageType(w[len(w)-1]) == spirv.LinkageTypeImport {
		m.fail(in, "the variable is imported, and nothing defines it")
	}
	m.refuseIO(in)
	if t.Kind == kindOpaque || t.Kind == KindMatrix || t.Kind == KindImage || t.Kind == kindPipe || t.Kind == KindSampledImage {
		m.unsupported(in, t.Op, " in program-scope variables")
	}
	g := len(m.Program.Globals)
	m.globals[id] = g // ahead of the initializer, which may point back here
	v := isa.Global{
		Name: m.Names[id], Size: t.Size, Align: uint32(min(t.Align, 128)), Elem: m.elem(t),
		ReadOnly: sc == spirv.StorageClassUniformConstant || sc == spirv.StorageClassFunction || m.Decorated(id, spirv.DecorationConstant),
	}
	if w, ok := m.Decoration(id, spirv.DecorationAlignment); ok && len(w) > 0 && w[0] <= 1<<16 {
		v.Align = max(v.Align, w[0])
	}
	m.Program.Globals = append(m.Program.Globals, v)
	m.GlobalTypes = append(m.GlobalTypes, t)
	if init != 0 {
		done := false
		defer func() {
			if done {
				return
			}
			r := recover()
			// Other kernels that use the variable must not take it for one of zeros.
			delete(m.globals, id)
			if e, ok := r.(*Error); ok {
				m.badGlobals[id] = e
			}
			panic(r)
		}()
		var img image
		m.image(&img, init, t, 0)
		m.Program.Globals[g].Init = img.data
		m.Program.Globals[g].Relocs = img.relocs
		done = true
	}
	return g, true
}

// image is the contents of an initialized variable.
type image struct {
	data   []byte
	relocs []isa.Reloc
	parts  int // constituents looked at
}

// The limits of an image. Constants share constituents, so that few words of a
// module may mean any number of bytes.
const (
	maxImage      = 1 << 28 // bytes up to the last that is not zero
	maxImageParts = 1 << 22
)

func (img *image) put(off, bits, size uint64) {
	if n := off + size; uint64(len(img.data)) < n {
		img.data = append(img.data, make([]byte, n-uint64(len(img.data)))...)
	}
	for i := range size {
		img.data[off+i] = byte(bits >> (8 * i))
	}
}

// zero says whether every bit of a constant is zero.
func (m *Module) zero(id spirv.ID) bool {
	if z, ok := m.zeros[id]; ok {
		return z
	}
	in, ok := m.Index.Def(id)
	if !ok {
		m.failID(id, "is not defined")
	}
	z := true
	switch in.Op() {
	case spirv.OpConstantDataKHR, spirv.OpSpecConstantDataKHR:
		for _, w := range m.dataBits(in, m.TypeOf(in.ResultType())) {
			z = z && w == 0
		}
	case spirv.OpConstantNull, spirv.OpUndef:
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite:
		if m.ConstDepth++; m.ConstDepth > 256 {
			m.fail(in, "constants are nested more than 256 deep")
		}
		for _, w := range in.Operands() {
			z = m.zero(spirv.ID(w)) && z
		}
		m.ConstDepth--
	default:
		for _, c := range m.constant(id) {
			z = z && c == cval{}
		}
	}
	m.zeros[id] = z
	return z
}

// image writes constant id of type t at offset off. Zeros are not written, so
// that its work does not depend on the size of the type.
func (m *Module) image(img *image, id spirv.ID, t *Type, off uint64) {
	if m.zero(id) {
		return
	}
	in, _ := m.Index.Def(id)
	if img.parts++; img.parts > maxImageParts {
		m.fail(in, "the initializer has more than %d constituents", maxImageParts)
	}
	switch in.Op() {
	case spirv.OpConstantComposite, spirv.OpSpecConstantComposite:
		if t.nibbles {
			break
		}
		if m.ConstDepth++; m.ConstDepth > 256 {
			m.fail(in, "constants are nested more than 256 deep")
		}
		for i, w := range in.Operands() {
			e, o, _, ok := t.step(uint64(i))
			if !ok {
				m.fail(in, "has more constituents than its type")
			}
			m.image(img, spirv.ID(w), e, off+o)
		}
		m.ConstDepth--
		return
	case spirv.OpConstantDataKHR, spirv.OpSpecConstantDataKHR:
		if t.Kind != KindArray || t.Elem.Odd() {
			break
		}
		// Integers of 8, 16, 32 and 64 bits stand there as in memory.
		if off+t.Size > maxImage {
			m.fail(in, "the initializer has more than %d bytes", maxImage)
		}
		for i, w := range m.dataBits(in, t) {
			img.put(off+4*uint64(i), uint64(w), min(4, t.Size-4*uint64(i)))
		}
		return
	}
	vals := m.constant(id)
	i := 0
	t.leaves(off, func(l leaf) {
		if i < len(vals) {
			if c := vals[i]; c.pipe != 0 {
				img.relocs = append(img.relocs, isa.Reloc{Offset: l.offset, Global: c.pipe - 1, Pipe: true})
			} else if c.global != 0 {
				img.relocs = append(img.relocs, isa.Reloc{Offset: l.offset, Global: c.global - 1, Addend: int64(c.bits)})
			} else if c.bits != 0 {
				if l.offset >= maxImage {
					m.fail(in, "the initializer has more than %d bytes", maxImage)
				}
				if l.half == 2 { // the low half stands there
					c.bits = c.bits<<4 | vals[i-1].bits
				}
				img.put(l.offset, c.bits, l.t.Size)
			}
		}
		i++
	})
}

// File returns the index in Program.Files of the OpString id.
func (m *Module) File(id spirv.ID) uint32 {
	if f, ok := m.files[id]; ok {
		return f
	}
	f := uint32(len(m.Program.Files))
	m.Program.Files = append(m.Program.Files, m.strings[id])
	m.files[id] = f
	return f
}

// cut prepares a function's blocks: their order, unreachable ones left out.
func (m *Module) cut(f *Function) {
	if f.order != nil || f.Entry == nil {
		return
	}
	// An iterative depth-first walk; the post-order reversed.
	type frame struct {
		b    *srcBlock
		next []spirv.ID
	}
	blocks := make([]*srcBlock, f.size)
	for _, b := range f.blocks {
		blocks[b.first-1-f.first] = b
	}
	stack := []frame{{f.Entry, m.targets(f.Entry)}}
	f.Entry.mark = 1
	var post []*srcBlock
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.next) == 0 {
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		id := top.next[0]
		top.next = top.next[1:]
		var s *srcBlock
		if at := m.Index.At(id) - f.first; at >= 0 && at < f.size {
			s = blocks[at]
		}
		if s == nil {
			m.failID(id, "is not a block of the function that branches to it")
		}
		if s.mark == 0 {
			s.mark = 1
			stack = append(stack, frame{s, m.targets(s)})
		}
	}
	slices.Reverse(post)
	f.order = post
	f.plain = true
	for _, b := range post {
		for _, in := range b.insts {
			f.plain = f.plain && m.plain(in)
			if in.Op() != spirv.OpFunctionCall {
				continue
			}
			switch g := m.Funcs[spirv.ID(in.Operand(0))]; {
			case g == nil: // an error where it is called
			case g.Entry == nil:
				f.leaves, f.plain = true, false
			default:
				f.calls = append(f.calls, g)
			}
		}
	}
	f.at = make([]int32, f.size)
	for i, b := range f.order {
		f.at[b.first-1-f.first] = int32(i) + 1
	}
}

// block returns the place in order of the block with a label, -1 where that is none of the function, or is not reached.
func (m *Module) block(f *Function, label spirv.ID) int {
	if at := m.Index.At(label) - f.first; at >= 0 && at < len(f.at) {
		return int(f.at[at]) - 1
	}
	return -1
}

// targets returns the labels that a block may go to.
func (m *Module) targets(b *srcBlock) []spirv.ID {
	if len(b.insts) == 0 {
		m.failID(b.label, "the block is empty")
	}
	in := b.insts[len(b.insts)-1]
	switch in.Op() {
	case spirv.OpBranch:
		return []spirv.ID{spirv.ID(in.Operand(0))}
	case spirv.OpBranchConditional:
		return []spirv.ID{spirv.ID(in.Operand(1)), spirv.ID(in.Operand(2))}
	case spirv.OpSwitch:
		_, labels := m.switchCases(in)
		return labels
	}
	return nil
}

// switchCases returns the literals and the labels of an OpSwitch; labels[0] is
// the default and labels[i+1] belongs to values[i].
func (m *Module) switchCases(in spirv.Inst) (values []uint64, labels []spirv.ID) {
	t := m.TypeOf(m.Index.TypeOf(spirv.ID(in.Operand(0))))
	ops := in.Operands()
	labels = append(labels, spirv.ID(ops[1]))
	n := 1
	if t.Bits > 32 {
		n = 2
	}
	for ops = ops[2:]; len(ops) > n; ops = ops[n+1:] {
		v := uint64(ops[0])
		if n == 2 {
			v |= uint64(ops[1]) << 32
		}
		if t.Bits < 64 {
			v &= 1<<t.Bits - 1
		}
		values = append(values, v)
		labels = append(labels, spirv.ID(ops[n]))
	}
	return values, labels
}

// FloatBits returns the bits of a float constant in type t.
func FloatBits(t isa.Type, x float64) uint64 {
	switch t {
	case isa.F32:
		return uint64(math.Float32bits(float32(x)))
	case isa.F64:
		return math.Float64bits(x)
	}
	panic("floatBits: neither F32 nor F64")
}

// GroupAsyncCopies is the name of the instruction set. Its prefix makes tools
// accept the set that do not know it; the instructions do have an effect.
const GroupAsyncCopies = "NonSemantic.Codeplay.GroupAsyncCopies"

// CheckContext ends the lowering when its context has ended.
func (m *Module) CheckContext() {
	if m.Context == nil {
		return
	}
	if err := m.Context.Err(); err != nil {
		panic(Cancelled{err})
	}
}

// Cancelled is what a lowering unwinds with when its context ends.
type Cancelled struct{ Err error }
