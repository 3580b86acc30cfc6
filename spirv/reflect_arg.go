package spirv

import (
	"fmt"
	"slices"
	"strings"
)

// arg describes a parameter by its type and decorations.
func (r *reflector) arg(p Inst) Arg {
	id := p.ResultID()
	a := Arg{Name: r.names[id], ID: id, Type: p.ResultType(), AddressSpace: StorageClassFunction}
	a.TypeName = r.typeName(a.Type)
	a.Size, a.Alignment, _ = r.layout.Size(a.Type)
	a.Volatile = r.decorations.Has(id, DecorationVolatile)
	a.Restrict = r.decorations.Has(id, DecorationRestrict)
	noWrite := r.decorations.Has(id, DecorationConstant)
	for params := range r.decorations.All(id, DecorationFuncParamAttr) {
		if len(params) == 0 {
			continue
		}
		switch FunctionParameterAttribute(params[0]) {
		case FunctionParameterAttributeByVal:
			a.ByVal = true
		case FunctionParameterAttributeNoAlias:
			a.Restrict = true
		case FunctionParameterAttributeNoWrite:
			noWrite = true
		}
	}
	typ, _ := r.index.Def(a.Type)
	switch typ.Op() {
	case OpTypePointer, OpTypeUntypedPointerKHR:
		a.Const = noWrite && !a.ByVal
		r.pointerArg(&a, typ)
	case OpTypeImage:
		a.Kind, a.Access = ArgImage, imageAccess(typ)
	case OpTypePipe:
		a.Kind, a.Access = ArgPipe, AccessQualifier(typ.Operand(0))
	case OpTypeSampler:
		a.Kind = ArgSampler
	case OpTypeQueue:
		a.Kind = ArgQueue
	case OpTypeEvent, OpTypeDeviceEvent, OpTypeReserveId, OpTypeSampledImage, OpTypeOpaque, OpTypeVoid, OpTypeFunction:
		a.Kind = ArgOther
	}
	return a
}

// imageAccess gives the access qualifier of an OpTypeImage; OpenCL C reads where none is written.
func imageAccess(typ Inst) AccessQualifier {
	if len(typ.Operands()) > 7 {
		return AccessQualifier(typ.Operand(7))
	}
	return AccessQualifierReadOnly
}

func (r *reflector) pointerArg(a *Arg, typ Inst) {
	a.AddressSpace = StorageClass(typ.Operand(0))
	a.Alignment = 0
	if typ.Op() == OpTypePointer {
		a.Pointee = ID(typ.Operand(1))
		_, a.Alignment, _ = r.layout.Size(a.Pointee)
	}
	if align, ok := r.decorations.Get(a.ID, DecorationAlignment); ok && len(align) > 0 {
		a.Alignment = uint64(align[0])
	}
	switch {
	case a.ByVal:
		a.Kind = ArgValue
		a.Size, _, _ = r.layout.Size(a.Pointee)
		a.TypeName = r.typeName(a.Pointee)
	case a.AddressSpace == StorageClassWorkgroup:
		a.Kind = ArgLocal
	case a.AddressSpace == StorageClassCrossWorkgroup, a.AddressSpace == StorageClassUniformConstant:
		a.Kind = ArgBuffer
	default:
		a.Kind = ArgOther
	}
}

// metadataKeys are the lists that the SPIR-V translator writes as OpString "KEY.KERNEL.a,b,".
var metadataKeys = [...]string{"kernel_arg_type.", "kernel_arg_type_qual.", "kernel_arg_name."}

// vecTypeHintKey is of a string that package clc writes, "KEY.KERNEL.uint4": the execution mode VecTypeHint does not tell
// unsigned components from signed ones.
const vecTypeHintKey = "kernel_vec_type_hint."

var stringKeys = append(metadataKeys[:], vecTypeHintKey)

// addMetadata keeps the text of such a string under "KEY.KERNEL".
func (r *reflector) addMetadata(s string) {
	for _, key := range stringKeys {
		if !strings.HasPrefix(s, key) {
			continue
		}
		// Names of kernels may hold dots, types cannot: the last dot ends the name.
		if dot := strings.LastIndexByte(s, '.'); dot >= len(key) {
			r.metadata[s[:dot]] = s[dot+1:]
		}
	}
}

// applyMetadata lets the strings of the source override what types and decorations tell. A list whose
// length is not the number of arguments (a type name with a comma in it) says nothing.
func (r *reflector) applyMetadata(e *EntryPoint) {
	if hint := r.metadata[vecTypeHintKey+e.Name]; e.VecTypeHint != "" && hint == "u"+e.VecTypeHint {
		e.VecTypeHint = hint
	}
	for _, key := range metadataKeys {
		text, ok := r.metadata[key+e.Name]
		if !ok {
			continue
		}
		list := strings.Split(strings.TrimSuffix(text, ","), ",")
		if len(list) != len(e.Args) {
			continue
		}
		e.Args = slices.Clone(e.Args) // other entry points may share them
		for i, s := range list {
			a := &e.Args[i]
			switch {
			case s == "":
			case key == "kernel_arg_type." && a.Kind == ArgPipe && !strings.HasPrefix(s, "pipe"):
				a.TypeName = "pipe " + s // compilers give the type of a packet
			case key == "kernel_arg_type.":
				a.TypeName, a.SignAssumed = s, false
			case key == "kernel_arg_name.":
				a.Name = s
			default:
				for _, word := range strings.Fields(s) {
					a.Const = a.Const || word == "const"
					a.Volatile = a.Volatile || word == "volatile"
					a.Restrict = a.Restrict || word == "restrict"
				}
			}
		}
	}
}

// typeName writes a type in the manner of OpenCL C. SPIR-V of the Kernel kind does not tell signed from
// unsigned integers, so they read as the signedness of the OpTypeInt says, which is unsigned mostly.
func (r *reflector) typeName(typ ID) string {
	suffix, dims := "", ""
	for range 8 { // pointers and arrays are peeled off; deeper ones end in "..."
		in, ok := r.index.Def(typ)
		if !ok {
			return "?" + dims + suffix
		}
		switch in.Op() {
		case OpTypePointer:
			typ, suffix, dims = ID(in.Operand(1)), "*"+dims+suffix, ""
		case OpTypeArray: // of arrays: the outer length comes first
			n, _ := r.index.Constant(ID(in.Operand(1)))
			typ, dims = ID(in.Operand(0)), dims+fmt.Sprintf("[%d]", n)
		case OpTypeVector:
			typ, suffix, dims = ID(in.Operand(0)), fmt.Sprint(in.Operand(1))+dims+suffix, ""
		default:
			return r.leafName(in) + dims + suffix
		}
	}
	return "..." + dims + suffix
}

func (r *reflector) leafName(in Inst) string {
	switch in.Op() {
	case OpTypeVoid:
		return "void"
	case OpTypeBool:
		return "bool"
	case OpTypeInt:
		sign := "u"
		if in.Operand(1) != 0 {
			sign = ""
		}
		switch in.Operand(0) {
		case 8:
			return sign + "char"
		case 16:
			return sign + "short"
		case 32:
			return sign + "int"
		case 64:
			return sign + "long"
		}
		return fmt.Sprintf("%sint%d", sign, in.Operand(0))
	case OpTypeFloat:
		if len(in.Operands()) > 1 {
			return strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(FPEncoding(in.Operand(1)).String(), "KHR"), "EXT"))
		}
		switch in.Operand(0) {
		case 16:
			return "half"
		case 32:
			return "float"
		case 64:
			return "double"
		}
		return fmt.Sprintf("float%d", in.Operand(0))
	case OpTypeStruct:
		if name := r.names[in.ResultID()]; name != "" {
			return "struct " + clip(strings.TrimPrefix(name, "struct."))
		}
		return "struct"
	case OpTypeUntypedPointerKHR:
		return "void*"
	case OpTypeImage:
		return imageName(in)
	case OpTypeSampler:
		return "sampler_t"
	case OpTypePipe:
		return "pipe"
	case OpTypeQueue:
		return "queue_t"
	case OpTypeEvent:
		return "event_t"
	case OpTypeDeviceEvent:
		return "clk_event_t"
	case OpTypeReserveId:
		return "reserve_id_t"
	case OpTypeOpaque:
		return clip(in.StringOperand(0))
	}
	return strings.TrimPrefix(in.Op().String(), "OpType")
}

// clip keeps a name of a type at a length that is fit for a message; many types may be made from it.
func clip(name string) string {
	const limit = 128
	if len(name) > limit {
		return name[:limit] + "..."
	}
	return name
}

func imageName(in Inst) string {
	dim, ok := map[Dim]string{Dim1D: "1d", Dim2D: "2d", Dim3D: "3d", DimBuffer: "1d_buffer"}[Dim(in.Operand(1))]
	if !ok {
		dim = "?"
	}
	name := "image" + dim
	if in.Operand(3) != 0 {
		name += "_array"
	}
	if in.Operand(4) != 0 {
		name += "_msaa"
	}
	if in.Operand(2) == 1 {
		name += "_depth"
	}
	return name + "_t"
}
