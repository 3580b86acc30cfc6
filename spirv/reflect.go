package spirv

import "fmt"

// Info is what a host can learn about a module without running it.
type Info struct {
	Version         Version
	Generator       uint32
	AddressingModel AddressingModel
	MemoryModel     MemoryModel
	Source          Source
	Capabilities    []Capability // as declared, in module order
	Extensions      []string     // OpExtension, in module order
	ExtInstImports  []ExtInstImport
	EntryPoints     []EntryPoint
	Imports         []Linkage
	Exports         []Linkage
	SpecConstants   []SpecConstant
	Pipes           []PipeStorage
}

// Source is the first OpSource of the module.
type Source struct {
	Language SourceLanguage
	Version  uint32 // for OpenCL C and C++: 100000 times the major version, 1000 times the minor
	File     string // empty when the module does not say
}

// ExtInstImport is an OpExtInstImport.
type ExtInstImport struct {
	ID   ID
	Name string
}

// Linkage is a function or variable that another module defines or may use (decoration LinkageAttributes).
type Linkage struct {
	ID       ID
	Name     string
	Type     LinkageType
	Function bool // false: a variable
}

// SpecConstant is a scalar specialization constant that has a SpecId.
type SpecConstant struct {
	SpecID   uint32
	ID       ID
	Name     string
	Type     ID
	TypeName string
	Bool     bool         // a Boolean; its format has width 0
	Number   NumberFormat // how to read Default
	Default  []uint32     // literal words; 0 or 1 for a Boolean
}

// PipeStorage is an OpConstantPipeStorage, a pipe that the kernels of the module share.
type PipeStorage struct {
	ID          ID
	Name        string // empty when the module does not say
	PacketBytes uint32
	PacketAlign uint32 // bytes
	Capacity    uint32 // packets that it holds at least
}

// EntryPoint is an OpEntryPoint with what the module says about launching it.
type EntryPoint struct {
	Name      string
	ID        ID // function that the entry point names
	Body      ID // function that does the work: where ID only forwards its parameters to another function, that one; else ID
	Model     ExecutionModel
	Interface []ID
	Args      []Arg

	LocalSize     [3]uint32 // required work-group size, zero when none (LocalSize, LocalSizeId)
	LocalSizeHint [3]uint32 // zero when none (LocalSizeHint, LocalSizeHintId)
	SubgroupSize  uint32    // required sub-group size, zero when none
	VecTypeHint   string    // OpenCL C name of the type, for instance "float4", empty when none
	Modes         []Mode    // all execution modes, in module order
}

// Mode is an OpExecutionMode or OpExecutionModeId.
type Mode struct {
	Mode     ExecutionMode
	Operands []uint32
}

// ArgKind tells what a host passes for a kernel argument.
type ArgKind uint8

// The kinds of kernel arguments.
const (
	ArgValue   ArgKind = iota // a scalar, vector or aggregate by value, Size bytes
	ArgBuffer                 // a pointer to global or constant memory
	ArgLocal                  // a number of bytes of local memory
	ArgImage                  // an image
	ArgSampler                // a sampler
	ArgPipe                   // a pipe
	ArgQueue                  // a device queue
	ArgOther                  // a type that hosts cannot pass
)

// String gives a word for diagnostics.
func (k ArgKind) String() string {
	names := [...]string{"value", "buffer", "local", "image", "sampler", "pipe", "queue", "other"}
	if int(k) < len(names) {
		return names[k]
	}
	return "other"
}

// Arg is a parameter of a kernel.
type Arg struct {
	Name         string // empty when the module does not say
	ID           ID     // the OpFunctionParameter
	Type         ID     // its type
	TypeName     string // as in the source when the module says so, else made from the SPIR-V type
	SignAssumed  bool   // TypeName has unsigned integers because the module does not say which they are
	Kind         ArgKind
	AddressSpace StorageClass    // of a pointer; Function for other arguments
	Access       AccessQualifier // of an image or a pipe
	Const        bool
	Volatile     bool
	Restrict     bool
	ByVal        bool   // a pointer whose pointee is what is passed
	Pointee      ID     // type behind a pointer, 0 when not a typed pointer
	Size         uint64 // bytes of the argument as the host passes it: of the pointee when ByVal; 0 when unknown
	Alignment    uint64 // bytes; of what the pointer points to, for a pointer; 0 when unknown
}

// reflector holds the tables that Reflect looks things up in.
type reflector struct {
	m           *Module
	index       *Index
	parser      *Parser
	decorations *Decorations
	layout      *Layout
	names       map[ID]string
	metadata    map[string]string // "kernel_arg_type.NAME" and so on → comma-separated text
	modes       map[ID][]Mode
	functions   map[ID]*function

	// What several users share is computed once, so that a hostile module cannot make the answer much
	// larger than itself.
	launches     map[ID]EntryPoint  // by function, without name, model and interface
	linkageNames map[*uint32]string // by first word of the literal
	signTable    *signs
}

// function is what reflection needs of a function.
type function struct {
	params  []Inst
	forward Inst // the only call, while no instruction contradicts that the function is a wrapper
	calls   int
	other   bool // something else than labels, calls, debug lines and returns
}

// Reflect gathers what m says about itself. It needs no valid module; the error says which entry point
// names something that is not there.
func Reflect(m *Module) (*Info, error) {
	m = m.Joined()
	r := &reflector{m: m, index: m.Index(), decorations: m.Decorations(), names: m.Names(),
		launches: map[ID]EntryPoint{}, linkageNames: map[*uint32]string{}}
	r.parser = NewParserIndex(r.index)
	r.layout = NewLayout(m, r.index, r.decorations)
	info := &Info{Version: m.Version, Generator: m.Generator}
	r.header(info)
	r.scanFunctions()
	for _, in := range m.Insts {
		if in.Op() != OpEntryPoint {
			continue
		}
		e, err := r.entryPoint(in)
		if err != nil {
			return nil, err
		}
		info.EntryPoints = append(info.EntryPoints, e)
	}
	return info, nil
}

// header reads everything that is neither a function nor an entry point.
func (r *reflector) header(info *Info) {
	r.metadata = map[string]string{}
	r.modes = map[ID][]Mode{}
	sourceSeen := false
	for _, in := range r.m.Insts {
		ops := in.Operands()
		switch in.Op() {
		case OpCapability:
			info.Capabilities = append(info.Capabilities, Capability(ops[0]))
		case OpExtension:
			info.Extensions = append(info.Extensions, in.StringOperand(0))
		case OpExtInstImport:
			info.ExtInstImports = append(info.ExtInstImports, ExtInstImport{in.ResultID(), in.StringOperand(0)})
		case OpMemoryModel:
			info.AddressingModel, info.MemoryModel = AddressingModel(ops[0]), MemoryModel(ops[1])
		case OpSource:
			if !sourceSeen {
				sourceSeen = true
				info.Source = Source{Language: SourceLanguage(ops[0]), Version: ops[1]}
				if file, ok := r.index.Def(ID(in.Operand(2))); ok && file.Op() == OpString {
					info.Source.File = file.StringOperand(0)
				}
			}
		case OpString:
			r.addMetadata(in.StringOperand(0))
		case OpExecutionMode, OpExecutionModeId:
			id := ID(ops[0])
			r.modes[id] = append(r.modes[id], Mode{ExecutionMode(ops[1]), ops[2:]})
		case OpFunction, OpVariable, OpUntypedVariableKHR:
			r.linkage(info, in)
		case OpSpecConstant, OpSpecConstantTrue, OpSpecConstantFalse:
			r.specConstant(info, in)
		case OpConstantPipeStorage:
			info.Pipes = append(info.Pipes, PipeStorage{in.ResultID(), r.names[in.ResultID()], in.Operand(0), in.Operand(1), in.Operand(2)})
		}
	}
}

func (r *reflector) linkage(info *Info, in Inst) {
	params, ok := r.decorations.Get(in.ResultID(), DecorationLinkageAttributes)
	if !ok {
		return
	}
	name, n, ok := r.linkageName(params)
	if !ok || n >= len(params) {
		return
	}
	l := Linkage{ID: in.ResultID(), Name: name, Type: LinkageType(params[n]), Function: in.Op() == OpFunction}
	if l.Type == LinkageTypeImport {
		info.Imports = append(info.Imports, l)
	} else {
		info.Exports = append(info.Exports, l)
	}
}

// linkageName is DecodeString for a literal that a decoration group may give to many targets.
func (r *reflector) linkageName(params []uint32) (name string, n int, ok bool) {
	if len(params) == 0 {
		return "", 0, false
	}
	if name, ok = r.linkageNames[&params[0]]; ok {
		return name, len(name)/4 + 1, true
	}
	if name, n, ok = DecodeString(params); ok {
		r.linkageNames[&params[0]] = name
	}
	return name, n, ok
}

func (r *reflector) specConstant(info *Info, in Inst) {
	spec, ok := r.decorations.Get(in.ResultID(), DecorationSpecId)
	if !ok || len(spec) == 0 {
		return
	}
	c := SpecConstant{SpecID: spec[0], ID: in.ResultID(), Name: r.names[in.ResultID()], Type: in.ResultType()}
	c.TypeName = r.typeName(c.Type)
	switch in.Op() {
	case OpSpecConstantTrue:
		c.Bool, c.Default = true, []uint32{1}
	case OpSpecConstantFalse:
		c.Bool, c.Default = true, []uint32{0}
	default:
		c.Number, _ = r.parser.Number(c.Type)
		c.Default = in.Operands()
	}
	info.SpecConstants = append(info.SpecConstants, c)
}

// scanFunctions notes the parameters of every function and whether it is a plain wrapper.
func (r *reflector) scanFunctions() {
	r.functions = map[ID]*function{}
	var f *function
	for _, in := range r.m.Insts {
		switch in.Op() {
		case OpFunction:
			f = &function{}
			if _, dup := r.functions[in.ResultID()]; !dup {
				r.functions[in.ResultID()] = f
			}
			continue
		case OpFunctionEnd:
			f = nil
		}
		if f == nil {
			continue
		}
		switch in.Op() {
		case OpFunctionParameter:
			f.params = append(f.params, in)
		case OpFunctionCall:
			f.calls++
			f.forward = in
		case OpLabel, OpReturn, OpReturnValue, OpLine, OpNoLine, OpNop, OpExtInst:
		default:
			f.other = true
		}
	}
}

// body follows wrappers, which producers put around kernels, to the function with the code. Every
// parameter must be passed on in its place. Wrappers around wrappers are followed a few steps deep.
func (r *reflector) body(id ID) ID {
	for range 4 {
		f := r.functions[id]
		if f == nil || f.other || f.calls != 1 {
			return id
		}
		args := f.forward.Operands()[1:]
		callee := r.functions[ID(f.forward.Operand(0))]
		if callee == nil || len(args) != len(f.params) || len(callee.params) != len(f.params) {
			return id
		}
		for i, p := range f.params {
			if ID(args[i]) != p.ResultID() {
				return id
			}
		}
		id = ID(f.forward.Operand(0))
	}
	return id
}

func (r *reflector) entryPoint(in Inst) (EntryPoint, error) {
	ops := in.Operands()
	name, n, ok := DecodeString(ops[2:])
	if !ok {
		return EntryPoint{}, in.errorf("the name of the entry point does not end within the instruction")
	}
	e := EntryPoint{Name: name, ID: ID(ops[1]), Model: ExecutionModel(ops[0])}
	for _, id := range ops[2+n:] {
		e.Interface = append(e.Interface, ID(id))
	}
	f := r.functions[e.ID]
	if f == nil {
		return e, in.errorf("entry point %q: the module has no function with id %d", name, e.ID)
	}
	launch, ok := r.launches[e.ID]
	if !ok {
		launch = r.launch(e.ID, f)
		r.launches[e.ID] = launch
	}
	launch.Name, launch.Model, launch.Interface = e.Name, e.Model, e.Interface
	r.applyMetadata(&launch)
	return launch, nil
}

// launch describes a function as the target of entry points.
func (r *reflector) launch(id ID, f *function) EntryPoint {
	e := EntryPoint{ID: id}
	e.Body = r.body(e.ID)
	e.Modes = r.modes[e.ID]
	for _, mode := range e.Modes {
		r.mode(&e, mode)
	}
	e.Args = make([]Arg, len(f.params))
	var inner []Inst
	if e.Body != e.ID {
		inner = r.functions[e.Body].params
	}
	for i, p := range f.params {
		a := r.arg(p)
		if inner != nil {
			r.complete(&a, r.arg(inner[i]))
		}
		e.Args[i] = a
	}
	r.sign(&e)
	return e
}

// complete fills what the parameter of a wrapper does not say from the one behind it.
func (r *reflector) complete(a *Arg, inner Arg) {
	if a.Name == "" {
		a.Name = inner.Name
	}
	a.Const = a.Const || inner.Const
	a.Volatile = a.Volatile || inner.Volatile
	a.Restrict = a.Restrict || inner.Restrict
	if inner.ByVal && !a.ByVal {
		a.ByVal, a.Kind, a.Size, a.TypeName = true, inner.Kind, inner.Size, inner.TypeName
	}
	if _, ok := r.decorations.Get(a.ID, DecorationAlignment); !ok {
		a.Alignment = inner.Alignment
	}
}

func (r *reflector) mode(e *EntryPoint, mode Mode) {
	three := func(dst *[3]uint32, ids bool) {
		for i := range min(3, len(mode.Operands)) {
			v := uint64(mode.Operands[i])
			if ids {
				v, _ = r.index.Constant(ID(mode.Operands[i]))
			}
			dst[i] = uint32(min(v, 1<<32-1))
		}
	}
	switch mode.Mode {
	case ExecutionModeLocalSize:
		three(&e.LocalSize, false)
	case ExecutionModeLocalSizeId:
		three(&e.LocalSize, true)
	case ExecutionModeLocalSizeHint:
		three(&e.LocalSizeHint, false)
	case ExecutionModeLocalSizeHintId:
		three(&e.LocalSizeHint, true)
	case ExecutionModeSubgroupSize:
		if len(mode.Operands) > 0 {
			e.SubgroupSize = mode.Operands[0]
		}
	case ExecutionModeVecTypeHint:
		if len(mode.Operands) > 0 {
			e.VecTypeHint = vecTypeHint(mode.Operands[0])
		}
	}
}

// vecTypeHint reads the operand of the execution mode VecTypeHint (section 3.2.6): number of
// components in the high half, data type in the low one.
func vecTypeHint(v uint32) string {
	names := [...]string{"char", "short", "int", "long", "half", "float", "double"}
	kind, n := v&0xffff, v>>16
	if int(kind) >= len(names) {
		return fmt.Sprintf("%#x", v)
	}
	if n <= 1 {
		return names[kind]
	}
	return fmt.Sprintf("%s%d", names[kind], n)
}
