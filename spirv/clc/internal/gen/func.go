package gen

import (
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/types"
)

// fn is the function that is being made.
type fn struct {
	*module
	f       *tree.Func
	id      spirv.ID
	varLine bool  // the next of vars has a line
	vars    words // the OpVariables, which stand at the beginning of the first block
	body    words

	block      spirv.ID   // the block that instructions go to; 0 behind a branch
	pending    source.Pos // the place of the next instruction, if no OpLine has said it; 0 for none
	lineAt     source.Pos // the place of the last OpLine of the block; 0 for none
	sret       spirv.ID   // where a structure is returned
	breakTo    target
	contTo     target
	scopes     []lifetimes // of the blocks around, from the function's body
	labels     map[*tree.Label]spirv.ID
	cases      map[*tree.Case]spirv.ID
	noContract bool     // FP_CONTRACT is off
	scope      spirv.ID // of debug information
}

// op appends an instruction with a result.
func (f *fn) op(op spirv.Op, typ spirv.ID, operands ...spirv.ID) spirv.ID {
	f.ensure()
	if f.pending != 0 && located(op) {
		f.line()
	}
	id := f.module.id()
	f.body = append(f.body, uint32(len(operands)+3)<<16|uint32(op), uint32(typ), uint32(id))
	for _, x := range operands {
		f.body = append(f.body, uint32(x))
	}
	return id
}

// floatOp appends an arithmetic operation of the language on floats: with the promises of the program's
// author about them, as the options say.
func (f *fn) floatOp(op spirv.Op, typ spirv.ID, operands ...spirv.ID) spirv.ID {
	id := f.op(op, typ, operands...)
	if mode := fastMath(f.opts); mode != 0 {
		f.decorate(id, spirv.DecorationFPFastMathMode, uint32(mode))
	}
	return id
}

// fastMath returns what options promise about floats (OpenCL API 5.8.6.2). Fast, which would allow any
// algebraic transformation, is not part of it: the translator of LLVM leaves it out, too.
func fastMath(o *lang.Options) (mode spirv.FPFastMathMode) {
	if o.FiniteMathOnly {
		mode |= spirv.FPFastMathModeNotNaN | spirv.FPFastMathModeNotInf
	}
	if o.NoSignedZeros {
		mode |= spirv.FPFastMathModeNSZ
	}
	if o.UnsafeMath {
		mode |= spirv.FPFastMathModeAllowRecip
	}
	return mode
}

// do appends an instruction without a result.
func (f *fn) do(op spirv.Op, operands ...spirv.ID) {
	f.ensure()
	if f.pending != 0 {
		f.line()
	}
	f.body = append(f.body, uint32(len(operands)+1)<<16|uint32(op))
	for _, x := range operands {
		f.body = append(f.body, uint32(x))
	}
}

// ext appends an instruction of OpenCL.std.
func (f *fn) ext(inst uint32, typ spirv.ID, operands ...spirv.ID) spirv.ID {
	f.ensure()
	if f.pending != 0 {
		f.line()
	}
	set := f.stdSet()
	id := f.module.id()
	f.body = append(f.body, uint32(len(operands)+5)<<16|uint32(spirv.OpExtInst), uint32(typ), uint32(id), uint32(set), inst)
	for _, x := range operands {
		f.body = append(f.body, uint32(x))
	}
	return id
}

// located reports whether the place of an instruction matters: that of a conversion or an address never does, as
// nothing is ever said about it.
func located(op spirv.Op) bool {
	switch op {
	case spirv.OpInBoundsAccessChain, spirv.OpInBoundsPtrAccessChain, spirv.OpSelect, spirv.OpBitcast, spirv.OpSConvert,
		spirv.OpUConvert, spirv.OpCompositeExtract, spirv.OpCompositeConstruct, spirv.OpVectorShuffle, spirv.OpPhi:
		return false
	}
	return true
}

// ensure begins a block if there is none: one that nothing leads to.
func (f *fn) ensure() {
	if f.block == 0 {
		f.begin(f.module.id())
	}
}

// begin begins a block; the one before goes on with it.
func (f *fn) begin(label spirv.ID) {
	if f.block != 0 {
		f.jump(label)
	}
	f.body.op(spirv.OpLabel, uint32(label))
	if f.pending == 0 {
		f.pending = f.lineAt
	}
	f.block, f.lineAt = label, 0
	f.debugScope()
}

// jump ends the block, if there is one, with a branch.
func (f *fn) jump(to spirv.ID) {
	if f.block != 0 {
		f.body.op(spirv.OpBranch, uint32(to))
		f.block = 0
	}
}

// branch ends the block with a branch by a condition.
func (f *fn) branchOn(cond, yes, no spirv.ID) {
	f.ensure()
	if f.pending != 0 {
		f.line()
	}
	f.body.op(spirv.OpBranchConditional, uint32(cond), uint32(yes), uint32(no))
	f.block = 0
}

// at says where the next instructions come from.
func (f *fn) at(pos source.Pos) {
	if pos != 0 {
		f.where = pos
		f.pending = f.files.Use(pos)
	}
}

// line emits OpLine for the place that the next instruction comes from, if it differs from that of the last one.
func (f *fn) line() {
	pos := f.pending
	f.pending = 0
	if pos == f.lineAt {
		return
	}
	f.lineAt = pos
	if f.lineFile == nil || pos < f.lineFrom || pos >= f.lineTo {
		f.findLine(pos)
	}
	if f.lineText != 0 {
		f.body.op(spirv.OpLine, uint32(f.lineText), uint32(f.module.line), uint32(pos-f.lineFrom)+1)
	}
}

// findLine finds the line of a place for at.
func (m *module) findLine(pos source.Pos) {
	file := m.files.File(pos)
	if file == nil {
		m.lineText = 0
		return
	}
	p := m.files.Position(pos)
	if m.lineText == 0 || p.File != m.lineName {
		m.lineName, m.lineText = p.File, m.string(p.File)
	}
	m.lineFile, m.line = file, p.Line
	m.lineFrom = pos - source.Pos(p.Column-1)
	n := strings.IndexByte(file.Text[file.Offset(m.lineFrom):], '\n')
	if n < 0 {
		n = len(file.Text) - file.Offset(m.lineFrom)
	}
	m.lineTo = m.lineFrom + source.Pos(n) + 1
}

// local makes a variable of the function, of a type that objects have in memory.
func (f *fn) local(typ spirv.ID, align int64, name string) spirv.ID {
	id := f.module.id()
	f.vars.op(spirv.OpVariable, uint32(f.pointerType(typ, spirv.StorageClassFunction)), uint32(id),
		uint32(spirv.StorageClassFunction))
	if f.varLine {
		f.vars.op(spirv.OpNoLine)
		f.varLine = false
	}
	f.name(id, name)
	f.decorate(id, spirv.DecorationAlignment, uint32(align))
	return id
}

// temp makes a variable without a name.
func (f *fn) temp(t *types.Type) spirv.ID { return f.local(f.memoryType(t), f.types.AlignOf(t), "") }

// byPointer reports whether arguments and results of a type are passed by pointers to memory.
func byPointer(t *types.Type) bool { return t.Kind == types.StructKind }

// functionType returns the type of a function in the module: structures are passed by pointers, the one that is
// returned by a pointer in front of the others.
func (m *module) functionType(f *tree.Func) (typ, result spirv.ID, params []spirv.ID) {
	result = m.typeOf(m.types.Void)
	if r := f.Type.Elem; byPointer(r.Type) {
		params = append(params, m.pointerTo(r.Unqual()))
	} else {
		result = m.typeOf(r.Type)
	}
	for _, p := range f.Params {
		if byPointer(p.Type.Type) {
			params = append(params, m.pointerTo(p.Type.Unqual()))
		} else {
			params = append(params, m.typeOf(p.Type.Type))
		}
	}
	w := []uint32{uint32(result)}
	for _, p := range params {
		w = append(w, uint32(p))
	}
	return m.list(spirv.OpTypeFunction, false, w), result, params
}

// declare gives the variables and functions of the unit their ids, and emits the variables.
func (m *module) declare() {
	m.uses, m.callees = make([][]spirv.ID, len(m.unit.Funcs)), make([][]int32, len(m.unit.Funcs))
	for _, f := range m.unit.Funcs {
		m.funcs = append(m.funcs, funcIDs{})
		f.Gen = len(m.funcs)
		if f.Defined() || f.Used {
			m.funcs[f.Gen-1].id = m.id()
		}
	}
	for _, v := range m.unit.Vars {
		m.vars = append(m.vars, 0)
		v.Gen = int32(len(m.vars))
		if v.Type.Kind != types.SamplerKind {
			m.variable(v)
		}
	}
	for _, f := range m.unit.Funcs {
		if !f.Defined() && f.Used && !blocking(f) {
			m.imported(f)
		}
	}
}

// variable emits a variable at program scope, or one of local memory.
func (m *module) variable(v *tree.Var) {
	c := class(v.Type.Space())
	typ := m.pointerTo(v.Type)
	operands := []uint32{uint32(typ), 0, uint32(c)}
	switch {
	case v.Storage == tree.ExternVar, v.Storage == tree.LocalVar:
	case v.Init != nil:
		m.named = nil
		operands = append(operands, uint32(m.constant(v.Init, true)))
	case c != spirv.StorageClassWorkgroup:
		operands = append(operands, uint32(m.null(m.memoryType(v.Type.Type))))
	}
	id := m.id()
	m.vars[v.Gen-1] = id
	if v.Init != nil && m.named != nil {
		m.refs[id] = m.named
	}
	operands[1] = uint32(id)
	m.globals.op(spirv.OpVariable, operands...)
	m.debugGlobal(v, id)
	name := v.Name
	if v.Func != nil {
		name = v.Func.Name + "." + name
	}
	m.name(id, name)
	m.decorate(id, spirv.DecorationAlignment, uint32(max(v.Align, m.types.AlignOf(v.Type.Type))))
	if c == spirv.StorageClassUniformConstant {
		m.decorate(id, spirv.DecorationConstant)
	}
	switch {
	case v.Storage == tree.ExternVar:
		m.linkage(id, v.Name, spirv.LinkageTypeImport)
	case v.Storage == tree.StaticVar && !v.Static && v.Func == nil:
		m.linkage(id, v.Name, spirv.LinkageTypeExport)
	}
}

// imported declares a function of another module.
func (m *module) imported(f *tree.Func) {
	typ, result, params := m.functionType(f)
	id := m.funcs[f.Gen-1].id
	m.functions.op(spirv.OpFunction, uint32(result), uint32(id), uint32(control(f)), uint32(typ))
	for _, p := range params {
		m.functions.op(spirv.OpFunctionParameter, uint32(p), uint32(m.id()))
	}
	m.functions.op(spirv.OpFunctionEnd)
	m.name(id, f.Name)
	m.linkage(id, f.Symbol, spirv.LinkageTypeImport)
}

// control returns the function control of a function.
func control(f *tree.Func) spirv.FunctionControl {
	var c spirv.FunctionControl
	if f.Attrs.AlwaysInline {
		c |= spirv.FunctionControlInline
	}
	if f.Attrs.NoInline {
		c |= spirv.FunctionControlDontInline
	}
	if f.Attrs.ConstFn {
		c |= spirv.FunctionControlConst
	} else if f.Attrs.Pure {
		c |= spirv.FunctionControlPure
	}
	return c
}

// function emits the definition of a function.
func (m *module) function(t *tree.Func) {
	if !t.Kernel && !t.Used && (t.Static || t.Inline) {
		return
	}
	t.Body = m.unit.Unpack(t)
	f := &fn{module: m, f: t, id: m.funcs[t.Gen-1].id, vars: m.varBuffer, body: m.bodyBuffer}
	typ, result, params := m.functionType(t)
	m.functions.op(spirv.OpFunction, uint32(result), uint32(f.id), uint32(control(t)), uint32(typ))
	m.name(f.id, t.Name)
	ids := f.parameters(params)
	f.debugFunction()
	first := f.module.id()
	f.block = first
	f.debugScope()
	f.storeParameters(ids)
	f.stmt(t.Body)
	if f.block != 0 {
		f.at(t.End)
		if result == m.typeOf(m.types.Void) {
			f.do(spirv.OpReturn)
		} else { // control reaches the end: the value is not defined
			f.do(spirv.OpReturnValue, m.undef(result))
		}
	}
	m.functions.op(spirv.OpLabel, uint32(first))
	f.body.op(spirv.OpFunctionEnd)
	m.code.add(m.functions, f.vars, f.body)
	m.functions, m.varBuffer, m.bodyBuffer = m.functions[:0], f.vars[:0], f.body[:0]
	t.Body = nil // its memory is used again
	switch {
	case t.Kernel:
		m.kernel(t, params)
		if m.opts.ExportKernels {
			m.linkage(f.id, t.Symbol, spirv.LinkageTypeExport)
		}
	case !t.Static && !t.Inline:
		m.linkage(f.id, t.Symbol, spirv.LinkageTypeExport)
	}
}

// parameters emits the parameters, and returns their ids: where a structure is returned first, if one is.
func (f *fn) parameters(params []spirv.ID) []spirv.ID {
	ids := make([]spirv.ID, len(params))
	sret := len(params) - len(f.f.Params)
	for i, typ := range params {
		ids[i] = f.module.id()
		f.functions.op(spirv.OpFunctionParameter, uint32(typ), uint32(ids[i]))
		if i < sret {
			f.decorate(ids[i], spirv.DecorationFuncParamAttr, uint32(spirv.FunctionParameterAttributeNoAlias))
			f.decorate(ids[i], spirv.DecorationFuncParamAttr, uint32(spirv.FunctionParameterAttributeSret))
			continue
		}
		f.parameterAttributes(ids[i], f.f.Params[i-sret])
	}
	return ids
}

// parameterAttributes decorates a parameter.
func (m *module) parameterAttributes(id spirv.ID, v *tree.Var) {
	m.name(id, v.Name)
	attr := func(a spirv.FunctionParameterAttribute) {
		m.decorate(id, spirv.DecorationFuncParamAttr, uint32(a))
	}
	switch t := v.Type; t.Kind {
	case types.StructKind:
		attr(spirv.FunctionParameterAttributeByVal)
		m.decorate(id, spirv.DecorationAlignment, uint32(m.types.AlignOf(t.Type)))
	case types.PointerKind:
		if t.Elem.Q&types.Const != 0 || t.Elem.Space() == types.Constant {
			attr(spirv.FunctionParameterAttributeNoWrite)
		}
		if t.Q&types.Restrict != 0 {
			attr(spirv.FunctionParameterAttributeNoAlias)
		}
		if t.Elem.Q&types.Volatile != 0 {
			m.decorate(id, spirv.DecorationVolatile)
		}
		if t.Elem.Complete() {
			m.decorate(id, spirv.DecorationAlignment, uint32(m.types.AlignOf(t.Elem.Type)))
		}
	}
}

// storeParameters puts the parameters into variables, where the function may change them. Structures have their
// memory already; handles stay values.
func (f *fn) storeParameters(ids []spirv.ID) {
	sret := len(ids) - len(f.f.Params)
	if sret > 0 {
		f.sret = ids[0]
	}
	for i, v := range f.f.Params {
		id := ids[i+sret]
		if byPointer(v.Type.Type) || v.Type.IsOpaque() && !storable(v.Type.Type) {
			v.ID = uint32(id)
			if byPointer(v.Type.Type) {
				f.debugVariable(v)
			}
			continue
		}
		f.variable(v)
		f.storeTo(place{base: spirv.ID(v.ID), typ: v.Type, align: f.types.AlignOf(v.Type.Type)}, id)
	}
}

// storable reports whether a handle can be kept in a variable.
func storable(t *types.Type) bool { return t.Kind == types.EventKind || t.Kind == types.ReserveIDKind }

// declared says where a variable without an initializer is declared, for who finds that nobody has set it.
func (f *fn) declared(v *tree.Var) {
	if v.Init != nil {
		return
	}
	pos := f.files.Use(v.Pos)
	if f.lineFile == nil || pos < f.lineFrom || pos >= f.lineTo {
		f.findLine(pos)
	}
	if f.lineText != 0 {
		f.vars.op(spirv.OpLine, uint32(f.lineText), uint32(f.module.line), uint32(pos-f.lineFrom)+1)
		f.varLine = true
	}
}

// variable makes the OpVariable of a variable of the function.
func (f *fn) variable(v *tree.Var) {
	v.ID = uint32(f.local(f.memoryType(v.Type.Type), max(v.Align, f.types.AlignOf(v.Type.Type)), v.Name))
	f.debugVariable(v)
}

// kernel makes a function a kernel: entry point, execution modes, argument information. A kernel that functions call
// as well, of this module or others, needs a second function, as SPIR-V forbids calls of entry points.
func (m *module) kernel(t *tree.Func, params []spirv.ID) {
	ids := &m.funcs[t.Gen-1]
	ids.entry = ids.id
	if t.KernelCalled || m.opts.ExportKernels {
		ids.entry = m.id()
		typ, result, _ := m.functionType(t)
		m.functions.op(spirv.OpFunction, uint32(result), uint32(ids.entry), 0, uint32(typ))
		args := []uint32{uint32(result), 0, uint32(ids.id)}
		for i, p := range params {
			id := m.id()
			m.functions.op(spirv.OpFunctionParameter, uint32(p), uint32(id))
			m.parameterAttributes(id, t.Params[i])
			args = append(args, uint32(id))
		}
		m.functions.op(spirv.OpLabel, uint32(m.id()))
		args[1] = uint32(m.id())
		m.functions.op(spirv.OpFunctionCall, args...)
		m.functions.op(spirv.OpReturn)
		m.functions.op(spirv.OpFunctionEnd)
		m.name(ids.entry, t.Name)
	}
	a := &t.Attrs
	mode := func(mode spirv.ExecutionMode, operands ...uint32) {
		m.modes.op(spirv.OpExecutionMode, append([]uint32{uint32(ids.entry), uint32(mode)}, operands...)...)
	}
	if a.ReqdSize[0] != 0 {
		mode(spirv.ExecutionModeLocalSize, a.ReqdSize[:]...)
	}
	if a.SizeHint[0] != 0 {
		mode(spirv.ExecutionModeLocalSizeHint, a.SizeHint[:]...)
	}
	if a.VecTypeHint.Type != nil {
		mode(spirv.ExecutionModeVecTypeHint, vecTypeHint(a.VecTypeHint.Type))
		if name := a.VecTypeHint.Type.String(); name[0] == 'u' {
			// The mode does not tell unsigned components from signed ones: a string does, like those of argInfo.
			m.strings.text(spirv.OpString, "kernel_vec_type_hint."+t.Name+"."+name, uint32(m.id()))
		}
	}
	if a.SubGroupSize != 0 {
		m.where = t.Pos
		m.capability(spirv.CapabilitySubgroupDispatch)
		mode(spirv.ExecutionModeSubgroupSize, a.SubGroupSize)
	}
	mode(spirv.ExecutionModeContractionOff)
	m.argInfo(t)
}

// vecTypeHint returns the operand of VecTypeHint (3.6): the component's number and how many there are.
func vecTypeHint(t *types.Type) uint32 {
	n := uint32(0)
	switch t.Component().Kind {
	case types.CharKind, types.UCharKind:
		n = 0
	case types.ShortKind, types.UShortKind:
		n = 1
	case types.IntKind, types.UIntKind:
		n = 2
	case types.LongKind, types.ULongKind:
		n = 3
	case types.HalfKind:
		n = 4
	case types.FloatKind:
		n = 5
	case types.DoubleKind:
		n = 6
	}
	lanes := uint32(t.Lanes())
	return lanes<<16 | n
}

// argInfo says how the source writes the parameters' types, in the strings in which the translator of LLVM does.
func (m *module) argInfo(t *tree.Func) {
	typ := append(append(append(m.argTypes[:0], "kernel_arg_type."...), t.Name...), '.')
	qual := append(append(append(m.argQuals[:0], "kernel_arg_type_qual."...), t.Name...), '.')
	word := func(on bool, s string) {
		if on {
			if c := qual[len(qual)-1]; c != '.' && c != ',' {
				qual = append(qual, ' ')
			}
			qual = append(qual, s...)
		}
	}
	for _, p := range t.Params {
		q := p.Type
		switch {
		case q.Kind == types.PointerKind:
			typ = append(append(typ, q.Elem.Type.String()...), '*')
			word(q.Elem.Q&types.Const != 0 || q.Elem.Space() == types.Constant, "const")
			word(q.Q&types.Restrict != 0, "restrict")
			word(q.Elem.Q&types.Volatile != 0, "volatile")
		case q.Kind == types.ImageKind:
			typ = append(typ, q.Name...)
		case q.Kind == types.PipeKind:
			typ = append(typ, q.Elem.Type.String()...)
			word(true, "pipe")
		default:
			typ = append(typ, q.Type.String()...)
		}
		typ, qual = append(typ, ','), append(qual, ',')
	}
	// No other string is the same: they begin with the names of kernels.
	m.strings.text(spirv.OpString, string(typ), uint32(m.id()))
	m.strings.text(spirv.OpString, string(qual), uint32(m.id()))
	m.argTypes, m.argQuals = typ, qual
}

// use notes that the function names a variable of the module.
func (f *fn) use(id spirv.ID) {
	list := &f.uses[f.f.Gen-1]
	// What is used again was mostly used a moment ago; a longer look would cost more than a longer list.
	for i := len(*list) - 1; i >= max(0, len(*list)-8); i-- {
		if (*list)[i] == id {
			return
		}
	}
	*list = append(*list, id)
}

// called notes that the function calls another one.
func (f *fn) called(g *tree.Func) {
	list := &f.callees[f.f.Gen-1]
	if n := len(*list); n == 0 || (*list)[n-1] != int32(g.Gen-1) {
		*list = append(*list, int32(g.Gen-1))
	}
}

// inputVar is module.inputVar for an input that the function reads.
func (f *fn) inputVar(b spirv.BuiltIn, typ spirv.ID) spirv.ID {
	id := f.module.inputVar(b, typ)
	f.use(id)
	return id
}

// stringVar is module.stringVar for a literal of the function.
func (f *fn) stringVar(s *tree.StringLit) spirv.ID {
	id := f.module.stringVar(s)
	f.use(id)
	return id
}

// interfaceOf returns the variables that a kernel and the functions that it calls name, in ascending order: inputs
// alone before SPIR-V 1.4 (2.17).
func (m *module) interfaceOf(t *tree.Func) []uint32 {
	seen := map[int32]bool{}
	work := []int32{int32(t.Gen - 1)}
	var list []uint32
	for len(work) > 0 {
		k := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[k] {
			continue
		}
		seen[k] = true
		vars := m.uses[k]
		for i := 0; i < len(vars); i++ {
			id := vars[i]
			if refs := m.refs[id]; refs != nil && !slices.Contains(list, uint32(id)) {
				vars = append(vars[:len(vars):len(vars)], refs...)
			}
			if version(m.opts) >= 0x00010400 || slices.Contains(m.inputList, id) {
				list = append(list, uint32(id))
			}
		}
		work = append(work, m.callees[k]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// entryPoints declares the kernels.
func (m *module) entryPoints() {
	for _, t := range m.unit.Funcs {
		if !t.Kernel || m.funcs[t.Gen-1].entry == 0 {
			continue
		}
		globals := m.interfaceOf(t)
		w := words{}
		w.text(spirv.OpEntryPoint, t.Name, uint32(spirv.ExecutionModelKernel), uint32(m.funcs[t.Gen-1].entry))
		w = append(w, globals...)
		if len(w) > spirv.MaxInstWords {
			m.fail(t.Pos, "kernel %s uses more variables than an entry point can list", t.Name)
			return
		}
		w[0] += uint32(len(globals)) << 16
		m.entries.add(w)
	}
}

// inputVar returns the variable of a built-in input (3.21), such as GlobalInvocationId. Its type is that of values.
func (m *module) inputVar(b spirv.BuiltIn, typ spirv.ID) spirv.ID {
	if id := m.inputs[b]; id != 0 {
		return id
	}
	ptr := m.pointerType(typ, spirv.StorageClassInput)
	id := m.id()
	m.globals.op(spirv.OpVariable, uint32(ptr), uint32(id), uint32(spirv.StorageClassInput))
	name := "__spirv_BuiltIn" + b.String()
	m.name(id, name)
	m.decorate(id, spirv.DecorationConstant)
	m.decorate(id, spirv.DecorationBuiltIn, uint32(b))
	m.linkage(id, name, spirv.LinkageTypeImport)
	m.inputs[b] = id
	m.inputList = append(m.inputList, id)
	return id
}
