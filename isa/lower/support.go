package lower

import (
	"maps"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/readers"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// State says what becomes of an instruction, a capability or an extension in a kernel.
type State uint8

// The states.
const (
	Runs    State = iota // kernels that use it run
	Partly               // of a capability or an extension: some of its instructions run
	Refused              // kernels that use it are refused, with the name of the feature
	Missing              // of the Kernel environment, and not supported yet
	Foreign              // not of the Kernel environment
	numStates
)

// String returns the state in the words of `lockstep info -opcodes`.
func (s State) String() string {
	return [numStates]string{"runs", "runs in part", "refused", "not yet", "not of the Kernel environment"}[s]
}

// Support is what becomes of something, and why: the feature that is refused, or what does not run.
type Support struct {
	State  State
	Reason string
}

// framing has the instructions that are no part of a function body, types and constants apart, and those that
// [Builder.inline] and [Module.cut] read: the frame of a module. Names, and other words for people and for debuggers,
// have no effect.
var framing = opSet(spirv.OpCapability, spirv.OpExtension, spirv.OpExtInstImport, spirv.OpMemoryModel, spirv.OpEntryPoint,
	spirv.OpExecutionMode, spirv.OpExecutionModeId, spirv.OpString, spirv.OpSource, spirv.OpSourceContinued,
	spirv.OpSourceExtension, spirv.OpModuleProcessed, spirv.OpName, spirv.OpMemberName,
	spirv.OpDecorate, spirv.OpDecorateId, spirv.OpDecorateString, spirv.OpMemberDecorate, spirv.OpMemberDecorateString,
	spirv.OpAliasDomainDeclINTEL, spirv.OpAliasScopeDeclINTEL, spirv.OpAliasScopeListDeclINTEL,
	spirv.OpTypeStructContinuedINTEL, spirv.OpConstantCompositeContinuedINTEL, spirv.OpSpecConstantCompositeContinuedINTEL,
	spirv.OpCompositeConstructContinuedINTEL,
	spirv.OpDecorationGroup, spirv.OpGroupDecorate, spirv.OpGroupMemberDecorate, spirv.OpTypeForwardPointer,
	spirv.OpFunction, spirv.OpFunctionParameter, spirv.OpFunctionEnd, spirv.OpLabel, spirv.OpPhi,
	spirv.OpBranch, spirv.OpBranchConditional, spirv.OpSwitch, spirv.OpReturn, spirv.OpReturnValue, spirv.OpUnreachable)

func opSet(list ...spirv.Op) map[spirv.Op]bool {
	m := map[spirv.Op]bool{}
	for _, op := range list {
		m[op] = true
	}
	return m
}

// Instruction says what becomes of an instruction.
func Instruction(op spirv.Op) Support {
	switch f := build.RefusedFeature(op); {
	case readers.Of(op) != nil, build.TypeMakers[op] != nil, build.ConstantMakers[op] != nil, framing[op]:
		return Support{State: Runs}
	case foreignOp(op):
		return Support{State: Foreign}
	case f != "":
		return Support{Refused, f}
	}
	return Support{State: Missing}
}

// foreignOp says whether no capability of the Kernel environment enables an instruction.
func foreignOp(op spirv.Op) bool {
	if op == spirv.OpUntypedArrayLengthKHR {
		return true // of arrays that only shaders have
	}
	info, ok := op.Info()
	return ok && len(info.Capabilities) > 0 && !slices.ContainsFunc(info.Capabilities, func(c spirv.Capability) bool { return !foreign(c) })
}

// foreignVendors end the names of capabilities whose extensions have no place in the OpenCL environment.
var foreignVendors = []string{"NV", "ARM", "QCOM", "AMDX", "HUAWEI", "VALVE", "SAMSUNG"}

// foreignCapabilities are others that stand by themselves in the grammar.
var foreignCapabilities = map[spirv.Capability]bool{
	spirv.CapabilityMatrix: true, spirv.CapabilityShaderLayer: true, spirv.CapabilityShaderViewportIndex: true,
	spirv.CapabilityTileImageColorReadAccessEXT: true, spirv.CapabilityTileImageDepthReadAccessEXT: true,
	spirv.CapabilityTileImageStencilReadAccessEXT: true, spirv.CapabilityStorageBuffer16BitAccess: true,
	spirv.CapabilityUniformAndStorageBuffer16BitAccess: true, spirv.CapabilityStoragePushConstant16: true,
	spirv.CapabilityStorageInputOutput16: true, spirv.CapabilityStorageBuffer8BitAccess: true,
	spirv.CapabilityUniformAndStorageBuffer8BitAccess: true, spirv.CapabilityStoragePushConstant8: true,
	spirv.CapabilityDeviceGroup: true, spirv.CapabilitySampleMaskPostDepthCoverage: true, spirv.CapabilityFragmentBarycentricKHR: true,
	spirv.CapabilityRayCullMaskKHR: true, spirv.CapabilityDescriptorHeapEXT: true, spirv.CapabilityInt64ImageEXT: true,
	spirv.CapabilityVulkanMemoryModel: true, spirv.CapabilityVulkanMemoryModelDeviceScope: true,
	spirv.CapabilityUniformTexelBufferArrayDynamicIndexing: true, spirv.CapabilityStorageTexelBufferArrayDynamicIndexing: true,
	spirv.CapabilityShader64BitIndexingEXT: true,
}

// foreign says whether a capability is not one of the Kernel environment: shaders imply Matrix.
func foreign(c spirv.Capability) bool {
	seen := map[spirv.Capability]bool{}
	todo := []spirv.Capability{c}
	for len(todo) > 0 {
		k := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[k] {
			continue
		}
		seen[k] = true
		name := k.String()
		if foreignCapabilities[k] || slices.ContainsFunc(foreignVendors, func(v string) bool { return strings.HasSuffix(name, v) }) {
			return true
		}
		if e, ok := spirv.KindCapability.Value(uint32(k)); ok {
			todo = append(todo, e.Capabilities...)
		}
	}
	return false
}

// hints are capabilities of decorations and other words that make hardware smaller or faster, and have no effect here.
var hints = map[spirv.Capability]bool{
	spirv.CapabilityFPGAMemoryAttributesALTERA: true, spirv.CapabilityFPGALoopControlsALTERA: true,
	spirv.CapabilityFPGAKernelAttributesINTEL: true, spirv.CapabilityFPGAKernelAttributesv2INTEL: true,
	spirv.CapabilityFPGAMemoryAccessesALTERA: true, spirv.CapabilityFPGAClusterAttributesALTERA: true,
	spirv.CapabilityFPGAClusterAttributesV2ALTERA: true, spirv.CapabilityLoopFuseALTERA: true, spirv.CapabilityFPGADSPControlALTERA: true,
	spirv.CapabilityFPGAInvocationPipeliningAttributesALTERA: true, spirv.CapabilityFPGABufferLocationALTERA: true,
	spirv.CapabilityFPGALatencyControlALTERA: true, spirv.CapabilityFPGAArgumentInterfacesALTERA: true,
	spirv.CapabilityGlobalVariableFPGADecorationsALTERA: true, spirv.CapabilityCacheControlsINTEL: true,
	spirv.CapabilityRegisterLimitsINTEL: true, spirv.CapabilityOptNoneEXT: true, spirv.CapabilityRuntimeAlignedAttributeALTERA: true,
	spirv.CapabilityKernelAttributesINTEL: true, spirv.CapabilityDebugInfoModuleINTEL: true,
	spirv.CapabilityUniformDecoration: true,
}

// plainCapabilities have no instructions of their own, and what they stand for runs.
var plainCapabilities = map[spirv.Capability]bool{
	spirv.CapabilityLinkage: true, spirv.CapabilityVector16: true, spirv.CapabilityFloat16Buffer: true, spirv.CapabilityFloat16: true,
	spirv.CapabilityFloat64: true, spirv.CapabilityInt64: true, spirv.CapabilityInt64Atomics: true, spirv.CapabilityInt16: true,
	spirv.CapabilityInt8: true, spirv.CapabilityImageBasic: true, spirv.CapabilityImageReadWrite: true, spirv.CapabilityImageMipmap: true,
	spirv.CapabilityGenericPointer: true,
	spirv.CapabilityDenormPreserve: true, spirv.CapabilitySignedZeroInfNanPreserve: true, spirv.CapabilityRoundingModeRTE: true,
	spirv.CapabilityFloatControls2: true, spirv.CapabilityArbitraryPrecisionIntegersALTERA: true,
	spirv.CapabilityBFloat16TypeKHR: true, spirv.CapabilityBFloat16DotProductKHR: true, spirv.CapabilityFloat8EXT: true,
	spirv.CapabilityDotProductInputAll: true, spirv.CapabilityDotProductInput4x8Bit: true, spirv.CapabilityDotProductInput4x8BitPacked: true,
	spirv.CapabilityFPFastMathModeINTEL: true, spirv.CapabilityWeakLinkageAMD: true,
	spirv.CapabilityInt4TypeINTEL: true, spirv.CapabilityInt4CooperativeMatrixINTEL: true,
	spirv.CapabilityFloat6EXT: true, spirv.CapabilityFloat4EXT: true, spirv.CapabilityFloat8UnsignedE8M0EXT: true, spirv.CapabilityMXInt8EXT: true,
	spirv.CapabilityFPMaxErrorINTEL:              true,
	spirv.CapabilityBFloat16CooperativeMatrixKHR: true, spirv.CapabilityFloat8CooperativeMatrixEXT: true,
	spirv.CapabilityGlobalVariableHostAccessINTEL: true,
	spirv.CapabilityRoundedDivideSqrtINTEL:        true,
	spirv.CapabilitySampled1D:                     true, spirv.CapabilityImage1D: true, spirv.CapabilitySampledBuffer: true, spirv.CapabilityImageBuffer: true,
}

// CapabilitySupport says what becomes of what a capability enables.
func CapabilitySupport(c spirv.Capability) Support {
	switch {
	case foreign(c):
		return Support{State: Foreign}
	case build.RefusedCapabilities[c] != "":
		return Support{Refused, build.RefusedCapabilities[c]}
	case hints[c]:
		return Support{Runs, "it has no effect"}
	case c == spirv.CapabilityFunctionFloatControlINTEL:
		return Support{Partly, "without other roundings than to nearest, and without denormals that become zero"}
	}
	var list []*spirv.OpInfo
	for info := range spirv.Ops() {
		if slices.Contains(info.Capabilities, c) {
			list = append(list, info)
		}
	}
	if len(list) == 0 && !plainCapabilities[c] {
		return Support{State: Missing}
	}
	return together(list)
}

// together says what becomes of something that has several instructions.
func together(list []*spirv.OpInfo) Support {
	worst, running := Support{State: Runs}, 0
	var lacks []string
	for _, info := range list {
		s := Instruction(info.Op)
		if s.State == Runs {
			running++
			continue
		}
		lacks = append(lacks, info.Name)
		if worst.State == Runs || s.State < worst.State {
			worst = s
		}
	}
	if running == 0 || len(lacks) == 0 {
		return worst
	}
	return Support{Partly, "without " + strings.Join(lacks, ", ")}
}

// plainExtensions are extensions that the grammar says nothing of, or that change what instructions may look like, and
// that modules may use.
var plainExtensions = map[string]bool{
	"SPV_KHR_non_semantic_info": true, "SPV_KHR_linkonce_odr": true, "SPV_KHR_no_integer_wrap_decoration": true,
	"SPV_EXT_relaxed_printf_string_address_space": true, "SPV_KHR_float_controls": true, "SPV_KHR_float_controls2": true,
	"SPV_CODEPLAY_group_async_copies": true, "SPV_KHR_integer_dot_product": true,
}

// ExtensionSupport says what becomes of what an extension adds.
func ExtensionSupport(name string) Support {
	if plainExtensions[name] {
		return Support{State: Runs}
	}
	var list []*spirv.OpInfo
	for info := range spirv.Ops() {
		if slices.Contains(info.Extensions, name) && !slices.Contains(list, info) {
			list = append(list, info)
		}
	}
	found := false
	var worst []Support
	for _, e := range spirv.KindCapability.Enumerants() {
		if !slices.Contains(e.Extensions, name) {
			continue
		}
		found = true
		switch s := CapabilitySupport(spirv.Capability(e.Value)); s.State {
		case Foreign:
		default:
			if s.State != Runs && s.Reason == "" {
				s.Reason = "without the capability " + e.Name
			}
			worst = append(worst, s)
		}
	}
	switch {
	case !found && len(list) > 0:
		return together(list)
	case !found:
		return Support{State: Missing}
	case len(worst) == 0:
		return Support{State: Foreign}
	}
	runs := slices.ContainsFunc(worst, func(s Support) bool { return s.State == Runs || s.State == Partly })
	bad := slices.IndexFunc(worst, func(s Support) bool { return s.State != Runs })
	switch {
	case bad < 0:
		return Support{State: Runs}
	case runs:
		return Support{Partly, worst[bad].Reason}
	}
	return worst[bad]
}

// Extensions returns the names of all extensions that the grammar or the lowering knows, in order.
func Extensions() []string {
	seen := map[string]bool{}
	for name := range plainExtensions {
		seen[name] = true
	}
	for info := range spirv.Ops() {
		for _, e := range info.Extensions {
			seen[e] = true
		}
	}
	for _, k := range spirv.KindCapability.Enumerants() {
		for _, e := range k.Extensions {
			seen[e] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
