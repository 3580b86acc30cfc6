package asm

import (
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// builtInNames are the names that variables get from a BuiltIn decoration: those
// that GLSL has, or else the name of the built-in.
var builtInNames = map[spirv.BuiltIn]string{
	spirv.BuiltInPosition:                  "gl_Position",
	spirv.BuiltInPointSize:                 "gl_PointSize",
	spirv.BuiltInClipDistance:              "gl_ClipDistance",
	spirv.BuiltInCullDistance:              "gl_CullDistance",
	spirv.BuiltInVertexId:                  "gl_VertexID",
	spirv.BuiltInInstanceId:                "gl_InstanceID",
	spirv.BuiltInPrimitiveId:               "gl_PrimitiveID",
	spirv.BuiltInInvocationId:              "gl_InvocationID",
	spirv.BuiltInLayer:                     "gl_Layer",
	spirv.BuiltInViewportIndex:             "gl_ViewportIndex",
	spirv.BuiltInTessLevelOuter:            "gl_TessLevelOuter",
	spirv.BuiltInTessLevelInner:            "gl_TessLevelInner",
	spirv.BuiltInTessCoord:                 "gl_TessCoord",
	spirv.BuiltInPatchVertices:             "gl_PatchVertices",
	spirv.BuiltInFragCoord:                 "gl_FragCoord",
	spirv.BuiltInPointCoord:                "gl_PointCoord",
	spirv.BuiltInFrontFacing:               "gl_FrontFacing",
	spirv.BuiltInSampleId:                  "gl_SampleID",
	spirv.BuiltInSamplePosition:            "gl_SamplePosition",
	spirv.BuiltInSampleMask:                "gl_SampleMask",
	spirv.BuiltInFragDepth:                 "gl_FragDepth",
	spirv.BuiltInHelperInvocation:          "gl_HelperInvocation",
	spirv.BuiltInNumWorkgroups:             "gl_NumWorkGroups",
	spirv.BuiltInWorkgroupSize:             "gl_WorkGroupSize",
	spirv.BuiltInWorkgroupId:               "gl_WorkGroupID",
	spirv.BuiltInLocalInvocationId:         "gl_LocalInvocationID",
	spirv.BuiltInGlobalInvocationId:        "gl_GlobalInvocationID",
	spirv.BuiltInLocalInvocationIndex:      "gl_LocalInvocationIndex",
	spirv.BuiltInWorkDim:                   "WorkDim",
	spirv.BuiltInGlobalSize:                "GlobalSize",
	spirv.BuiltInEnqueuedWorkgroupSize:     "EnqueuedWorkgroupSize",
	spirv.BuiltInGlobalOffset:              "GlobalOffset",
	spirv.BuiltInGlobalLinearId:            "GlobalLinearId",
	spirv.BuiltInSubgroupSize:              "SubgroupSize",
	spirv.BuiltInSubgroupMaxSize:           "SubgroupMaxSize",
	spirv.BuiltInNumSubgroups:              "NumSubgroups",
	spirv.BuiltInNumEnqueuedSubgroups:      "NumEnqueuedSubgroups",
	spirv.BuiltInSubgroupId:                "SubgroupId",
	spirv.BuiltInSubgroupLocalInvocationId: "SubgroupLocalInvocationId",
	spirv.BuiltInVertexIndex:               "gl_VertexIndex",
	spirv.BuiltInInstanceIndex:             "gl_InstanceIndex",
	spirv.BuiltInBaseInstance:              "gl_BaseInstance",
	spirv.BuiltInSubgroupEqMask:            "SubgroupEqMaskKHR",
	spirv.BuiltInSubgroupGeMask:            "SubgroupGeMaskKHR",
	spirv.BuiltInSubgroupGtMask:            "SubgroupGtMaskKHR",
	spirv.BuiltInSubgroupLeMask:            "SubgroupLeMaskKHR",
	spirv.BuiltInSubgroupLtMask:            "SubgroupLtMaskKHR",
}

// encodingNames are the names of floating-point types with an encoding of their
// own.
var encodingNames = map[spirv.FPEncoding]string{
	spirv.FPEncodingBFloat16KHR:           "bfloat16",
	spirv.FPEncodingFloat8E4M3EXT:         "fp8e4m3",
	spirv.FPEncodingFloat8E5M2EXT:         "fp8e5m2",
	spirv.FPEncodingFloat6E2M3EXT:         "fp6e2m3",
	spirv.FPEncodingFloat6E3M2EXT:         "fp6e3m2",
	spirv.FPEncodingFloat4E2M1EXT:         "fp4e2m1",
	spirv.FPEncodingFloat8UnsignedE8M0EXT: "fp8e8m0",
	spirv.FPEncodingMXInt8EXT:             "mxint8",
}

// A name of up to shortName bytes is always used. Longer ones are used while the
// text that they add up to, over all their places in the module, stays within
// longNameBudget and longNameFactor times the module. A module of a few kilobytes
// could otherwise name a type by an array of arrays of arrays … of exponential
// length.
const (
	shortName      = 256
	longNameBudget = 16 << 20
	longNameFactor = 16
)

// namer collects the friendly names of a module. Most ids are named by their number, and for these it
// keeps no text.
type namer struct {
	m      *spirv.Module
	parser *spirv.Parser
	names  map[spirv.ID]string // the names that are not the number of their id
	used   map[string]bool     // what names has
	// numbered says of an id that its number is its name, which is taken from then on; the ids from
	// its length on are in far.
	numbered []bool
	far      map[spirv.ID]bool
	// next holds, for a name that was asked for more than once, the least suffix
	// that may be free.
	next   map[string]int
	budget int
	uses   map[uint32]int // how often a word stands in the module, built when needed
}

// friendlyNames gives the names of the ids of a module as spirv-dis makes them:
// from OpName, from BuiltIn decorations, from what a type or constant is, or from
// the number of the id, in the order of the module. Names that are taken get a
// suffix.
func friendlyNames(m *spirv.Module, parser *spirv.Parser) *namer {
	n := &namer{
		m:        m,
		parser:   parser,
		names:    map[spirv.ID]string{},
		used:     map[string]bool{},
		numbered: make([]bool, 16*len(m.Insts)),
		far:      map[spirv.ID]bool{},
		next:     map[string]int{},
		budget:   longNameBudget,
	}
	for _, in := range m.Insts {
		n.budget += longNameFactor * 4 * len(in.Words)
	}
	for _, in := range m.Insts {
		n.instruction(in)
	}
	return n
}

// given returns the name of an id; ok is false when it has none.
func (n *namer) given(id spirv.ID) (name string, ok bool) {
	if n.isNumbered(id) {
		return strconv.FormatUint(uint64(id), 10), true
	}
	name, ok = n.names[id]
	return name, ok
}

// name gives the name of an id, its number while it has none.
func (n *namer) name(id uint32) string {
	if s, ok := n.given(spirv.ID(id)); ok {
		return s
	}
	return strconv.FormatUint(uint64(id), 10)
}

func (n *namer) isNumbered(id spirv.ID) bool {
	if uint64(id) < uint64(len(n.numbered)) {
		return n.numbered[id]
	}
	return n.far[id]
}

// taken says whether some id has the name.
func (n *namer) taken(name string) bool {
	if n.used[name] {
		return true
	}
	if name == "" || name[0] < '0' || name[0] > '9' || len(name) > 1 && name[0] == '0' {
		return false // no number as ids have it
	}
	id, err := strconv.ParseUint(name, 10, 32)
	return err == nil && n.isNumbered(spirv.ID(id))
}

// number names an id by its number unless it has a name.
func (n *namer) number(id spirv.ID) {
	if _, ok := n.names[id]; ok || n.isNumbered(id) {
		return
	}
	if len(n.used) > 0 {
		if base := strconv.FormatUint(uint64(id), 10); n.used[base] {
			n.save(id, base)
			return
		}
	}
	if uint64(id) < uint64(len(n.numbered)) {
		n.numbered[id] = true
	} else {
		n.far[id] = true
	}
}

// save names an id unless it has a name. The parts make up the name.
func (n *namer) save(id spirv.ID, parts ...string) {
	if _, ok := n.given(id); ok {
		return
	}
	length := 0
	for _, p := range parts {
		length += len(p)
	}
	base := strconv.FormatUint(uint64(id), 10)
	if length <= shortName || n.afford(uint32(id), length) {
		base = sanitize(strings.Join(parts, ""))
	}
	name := base
	if n.taken(name) {
		// All lesser suffixes are taken since names are never given back.
		k := n.next[base]
		for {
			name = base + "_" + strconv.Itoa(k)
			k++
			if !n.taken(name) {
				break
			}
		}
		n.next[base] = k
	}
	n.used[name] = true
	n.names[id] = name
}

// afford takes the text that a long name of an id adds up to from the budget.
func (n *namer) afford(id uint32, length int) bool {
	if n.uses == nil {
		n.uses = map[uint32]int{}
		for _, in := range n.m.Insts {
			for _, w := range in.Words {
				n.uses[w]++
			}
		}
	}
	cost := length * (n.uses[id] + 1)
	if cost > n.budget {
		return false
	}
	n.budget -= cost
	return true
}

// sanitize replaces what cannot stand in an id by underscores, byte by byte.
func sanitize(s string) string {
	if s == "" {
		return "_"
	}
	for i := range len(s) {
		if !isIDByte(s[i]) {
			b := []byte(s)
			for ; i < len(b); i++ {
				if !isIDByte(b[i]) {
					b[i] = '_'
				}
			}
			return string(b)
		}
	}
	return s
}

func (n *namer) instruction(in spirv.Inst) {
	op, id := in.Op(), in.ResultID()
	switch op {
	case spirv.OpName:
		n.save(spirv.ID(in.Operand(0)), in.StringOperand(1))
		return
	case spirv.OpDecorate:
		if spirv.Decoration(in.Operand(1)) == spirv.DecorationBuiltIn && len(in.Operands()) > 2 {
			if name, ok := builtInNames[spirv.BuiltIn(in.Operand(2))]; ok {
				n.save(spirv.ID(in.Operand(0)), name)
			}
		}
		return
	}
	if id == 0 {
		return
	}
	switch op {
	case spirv.OpTypeVoid:
		n.save(id, "void")
	case spirv.OpTypeBool:
		n.save(id, "bool")
	case spirv.OpTypeInt:
		n.save(id, intName(in.Operand(0), in.Operand(1) != 0))
	case spirv.OpTypeFloat:
		n.save(id, floatName(in))
	case spirv.OpTypeVector:
		n.save(id, "v", strconv.FormatUint(uint64(in.Operand(1)), 10), n.name(in.Operand(0)))
	case spirv.OpTypeMatrix:
		n.save(id, "mat", strconv.FormatUint(uint64(in.Operand(1)), 10), n.name(in.Operand(0)))
	case spirv.OpTypeArray:
		n.save(id, "_arr_", n.name(in.Operand(0)), "_", n.name(in.Operand(1)))
	case spirv.OpTypeRuntimeArray:
		n.save(id, "_runtimearr_", n.name(in.Operand(0)))
	case spirv.OpTypeNodePayloadArrayAMDX:
		n.save(id, "_payloadarr_", n.name(in.Operand(0)))
	case spirv.OpTypePointer:
		n.save(id, "_ptr_", enumName(spirv.KindStorageClass, in.Operand(0)), "_", n.name(in.Operand(1)))
	case spirv.OpTypeUntypedPointerKHR:
		n.save(id, "_ptr_", enumName(spirv.KindStorageClass, in.Operand(0)))
	case spirv.OpTypePipe:
		n.save(id, "Pipe", enumName(spirv.KindAccessQualifier, in.Operand(0)))
	case spirv.OpTypeEvent:
		n.save(id, "Event")
	case spirv.OpTypeDeviceEvent:
		n.save(id, "DeviceEvent")
	case spirv.OpTypeReserveId:
		n.save(id, "ReserveId")
	case spirv.OpTypeQueue:
		n.save(id, "Queue")
	case spirv.OpTypeOpaque:
		// The name inside is made fit first, which turns an empty one into "_".
		n.save(id, "Opaque_", sanitize(in.StringOperand(0)))
	case spirv.OpTypePipeStorage:
		n.save(id, "PipeStorage")
	case spirv.OpTypeNamedBarrier:
		n.save(id, "NamedBarrier")
	case spirv.OpTypeStruct:
		n.save(id, "_struct_", strconv.FormatUint(uint64(id), 10))
	case spirv.OpConstantTrue:
		n.save(id, "true")
	case spirv.OpConstantFalse:
		n.save(id, "false")
	case spirv.OpConstant:
		n.constant(in)
	default:
		n.number(id)
	}
}

// constant names a constant by its type and value, with n for the minus sign.
func (n *namer) constant(in spirv.Inst) {
	format, ok := n.parser.Number(in.ResultType())
	var value []byte
	if ok {
		value, ok = appendNumberText(nil, in.Operands(), format)
	}
	if !ok {
		n.number(in.ResultID())
		return
	}
	text := strings.ReplaceAll(string(value), "-", "n")
	n.save(in.ResultID(), n.name(uint32(in.ResultType())), "_", text)
}

func intName(width uint32, signed bool) string {
	root, prefix := "", "u"
	switch width {
	case 8:
		root = "char"
	case 16:
		root = "short"
	case 32:
		root = "int"
	case 64:
		root = "long"
	default:
		root = strconv.FormatUint(uint64(width), 10)
		if signed {
			return "i" + root
		}
	}
	if signed {
		prefix = ""
	}
	return prefix + root
}

func floatName(in spirv.Inst) string {
	if len(in.Operands()) > 1 {
		if name, ok := encodingNames[spirv.FPEncoding(in.Operand(1))]; ok {
			return name
		}
	}
	switch width := in.Operand(0); width {
	case 16:
		return "half"
	case 32:
		return "float"
	case 64:
		return "double"
	default:
		return "fp" + strconv.FormatUint(uint64(width), 10)
	}
}

// enumName names a value in a friendly name. Whatever the kind, spirv-dis calls
// unknown ones storage classes.
func enumName(kind spirv.OperandKind, value uint32) string {
	if e, ok := kind.Value(value); ok {
		return e.Name
	}
	return "StorageClass" + strconv.FormatUint(uint64(value), 10)
}
