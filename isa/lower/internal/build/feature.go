package build

import "github.com/lockstep-gpu/lockstep/spirv"

// features says, in the words of OpenCL C, what a kernel uses that has one of the instructions or types, which the
// lowering refuses. [Support] tells of it.
var features = map[string][]spirv.Op{
	"images that are joined with a sampler":                    {spirv.OpTypeSampledImage},
	"reads of images whose level of detail the hardware finds": {spirv.OpImageSampleImplicitLod},
	"events (event_t)":                     {spirv.OpTypeEvent},
	"pipes":                                {spirv.OpTypePipe},
	"pipe storages":                        {spirv.OpTypePipeStorage},
	"reservations of pipes (reserve_id_t)": {spirv.OpTypeReserveId},
	"atomic operations on elements of images": {spirv.OpImageTexelPointer},
	"reads of images at a level of detail":    {spirv.OpImageFetch},
	"kernels that enqueue kernels (enqueue_kernel, queue_t, clk_event_t)": {spirv.OpTypeQueue, spirv.OpTypeDeviceEvent, spirv.OpEnqueueKernel,
		spirv.OpEnqueueMarker, spirv.OpGetDefaultQueue, spirv.OpRetainEvent, spirv.OpReleaseEvent, spirv.OpCreateUserEvent,
		spirv.OpIsValidEvent, spirv.OpSetUserEventStatus, spirv.OpCaptureEventProfilingInfo, spirv.OpBuildNDRange,
		spirv.OpGetKernelNDrangeSubGroupCount, spirv.OpGetKernelNDrangeMaxSubGroupSize, spirv.OpGetKernelWorkGroupSize,
		spirv.OpGetKernelPreferredWorkGroupSizeMultiple, spirv.OpGetKernelLocalSizeForSubgroupCount, spirv.OpGetKernelMaxNumSubgroups},
	"function pointers":         {spirv.OpConstantFunctionPointerINTEL, spirv.OpFunctionPointerCallINTEL, spirv.OpFunction},
	"blocks of inline assembly": {spirv.OpAsmTargetINTEL, spirv.OpAsmINTEL, spirv.OpAsmCallINTEL},
	"arrays of variable length": {spirv.OpVariableLengthArrayINTEL, spirv.OpUntypedVariableLengthArrayINTEL, spirv.OpSaveMemoryINTEL,
		spirv.OpRestoreMemoryINTEL},
	"opaque types": {spirv.OpTypeOpaque},
	"matrices": {spirv.OpTypeMatrix, spirv.OpMatrixTimesVector, spirv.OpMatrixTimesMatrix, spirv.OpVectorTimesMatrix,
		spirv.OpTranspose, spirv.OpOuterProduct},
	"instructions of shaders": {spirv.OpDPdx, spirv.OpDPdy, spirv.OpFwidth, spirv.OpKill, spirv.OpEmitVertex, spirv.OpEndPrimitive},
}

// FeatureOf has the same by opcode.
var FeatureOf = func() map[spirv.Op]string {
	m := map[spirv.Op]string{}
	for name, list := range features {
		for _, op := range list {
			m[op] = name
		}
	}
	return m
}()

// unsupported ends the lowering for something that a kernel uses and that is not supported: op is the
// instruction or type that it takes, and in the one that has it. as says in which place, such as " as
// arguments".
func (m *Module) unsupported(in spirv.Inst, op spirv.Op, as string) {
	if what := RefusedFeature(op); what != "" {
		m.failFeature(in, what+as+" are not supported")
	}
	if op == in.Op() {
		m.fail(in, "the instruction is not supported")
	}
	m.fail(in, "values of type %s%s are not supported", op, as)
}

// arithmeticModes has the execution modes that ask for other arithmetic than that of IEEE 754 with denormals, rounded to
// the nearest.
var arithmeticModes = map[spirv.ExecutionMode]string{
	spirv.ExecutionModeDenormFlushToZero:         RefusedCapabilities[spirv.CapabilityDenormFlushToZero],
	spirv.ExecutionModeRoundingModeRTZ:           RefusedCapabilities[spirv.CapabilityRoundingModeRTZ],
	spirv.ExecutionModeRoundingModeRTPINTEL:      RefusedCapabilities[spirv.CapabilityRoundToInfinityINTEL],
	spirv.ExecutionModeRoundingModeRTNINTEL:      RefusedCapabilities[spirv.CapabilityRoundToInfinityINTEL],
	spirv.ExecutionModeFloatingPointModeALTINTEL: RefusedCapabilities[spirv.CapabilityFloatingPointModeINTEL],
}

// RefusedFeature says what feature has an instruction that is refused by name, "" where there is none.
func RefusedFeature(op spirv.Op) string {
	if f := FeatureOf[op]; f != "" {
		return f
	}
	info, ok := op.Info()
	if !ok {
		return ""
	}
	for _, c := range info.Capabilities {
		if f := RefusedCapabilities[c]; f != "" {
			return f
		}
	}
	return ""
}

// RefusedCapabilities says what feature a capability stands for whose kernels are refused.
var RefusedCapabilities = map[spirv.Capability]string{
	spirv.CapabilityIndirectReferencesINTEL:                  "function pointers",
	spirv.CapabilityDenormFlushToZero:                        "denormals that become zero",
	spirv.CapabilityRoundingModeRTZ:                          "results that are rounded towards zero",
	spirv.CapabilityFloatingPointModeINTEL:                   "results of another arithmetic than IEEE 754's",
	spirv.CapabilityRoundToInfinityINTEL:                     "results that are rounded towards an infinity",
	spirv.CapabilitySubgroupAvcMotionEstimationINTEL:         "instructions for the motion estimation of videos",
	spirv.CapabilitySubgroupAvcMotionEstimationIntraINTEL:    "instructions for the motion estimation of videos",
	spirv.CapabilitySubgroupAvcMotionEstimationChromaINTEL:   "instructions for the motion estimation of videos",
	spirv.CapabilityArbitraryPrecisionFloatingPointALTERA:    "floating-point numbers of any width",
	spirv.CapabilityArbitraryPrecisionFixedPointALTERA:       "fixed-point numbers",
	spirv.CapabilityTaskSequenceALTERA:                       "sequences of tasks",
	spirv.CapabilityIOPipesALTERA:                            "pipes of a board",
	spirv.CapabilityVectorComputeINTEL:                       "kernels of explicit vectors",
	spirv.CapabilityVectorAnyINTEL:                           "kernels of explicit vectors",
	spirv.CapabilityBindlessImagesINTEL:                      "images without a parameter",
	spirv.CapabilitySpecConditionalINTEL:                     "variants of functions",
	spirv.CapabilityFunctionVariantsINTEL:                    "variants of functions",
	spirv.CapabilityCooperativeMatrixConversionsEXT:          "cooperative matrices",
	spirv.CapabilityCooperativeMatrixReductionsEXT:           "cooperative matrices",
	spirv.CapabilityCooperativeMatrixPerElementOperationsEXT: "cooperative matrices",
	spirv.CapabilityCooperativeMatrixGetCoordinateEXT:        "cooperative matrices",
	spirv.CapabilitySubgroupMatrixMultiplyAccumulateINTEL:    "matrix products of sub-groups",
}
