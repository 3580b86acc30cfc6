package lower

import "github.com/lockstep-gpu/lockstep/spirv"

// feature says, in the words of OpenCL C, what a kernel uses that has the instruction or type, "" for what
// has no such name.
func feature(op spirv.Op) string {
	switch op {
	case spirv.OpTypeSampledImage:
		return "images that are joined with a sampler"
	case spirv.OpImageSampleImplicitLod:
		return "reads of images whose level of detail the hardware finds"
	case spirv.OpTypeEvent:
		return "events (event_t)"
	case spirv.OpTypePipe:
		return "pipes"
	case spirv.OpTypePipeStorage:
		return "pipe storages"
	case spirv.OpTypeReserveId:
		return "reservations of pipes (reserve_id_t)"
	case spirv.OpImageTexelPointer:
		return "atomic operations on elements of images"
	case spirv.OpImageFetch:
		return "reads of images at a level of detail"
	case spirv.OpTypeQueue, spirv.OpTypeDeviceEvent, spirv.OpEnqueueKernel, spirv.OpEnqueueMarker, spirv.OpGetDefaultQueue,
		spirv.OpRetainEvent, spirv.OpReleaseEvent, spirv.OpCreateUserEvent, spirv.OpIsValidEvent, spirv.OpSetUserEventStatus,
		spirv.OpCaptureEventProfilingInfo, spirv.OpBuildNDRange, spirv.OpGetKernelNDrangeSubGroupCount,
		spirv.OpGetKernelNDrangeMaxSubGroupSize, spirv.OpGetKernelWorkGroupSize, spirv.OpGetKernelPreferredWorkGroupSizeMultiple,
		spirv.OpGetKernelLocalSizeForSubgroupCount, spirv.OpGetKernelMaxNumSubgroups:
		return "kernels that enqueue kernels (enqueue_kernel, queue_t, clk_event_t)"
	case spirv.OpConstantFunctionPointerINTEL, spirv.OpFunctionPointerCallINTEL, spirv.OpFunction:
		return "function pointers"
	case spirv.OpAsmTargetINTEL, spirv.OpAsmINTEL, spirv.OpAsmCallINTEL:
		return "inline assembly"
	case spirv.OpTypeOpaque:
		return "opaque types"
	case spirv.OpTypeMatrix, spirv.OpMatrixTimesScalar, spirv.OpMatrixTimesVector, spirv.OpMatrixTimesMatrix, spirv.OpVectorTimesMatrix,
		spirv.OpTranspose, spirv.OpOuterProduct:
		return "matrices"
	case spirv.OpDPdx, spirv.OpDPdy, spirv.OpFwidth, spirv.OpKill, spirv.OpEmitVertex, spirv.OpEndPrimitive:
		return "instructions of shaders"
	}
	return ""
}

// unsupported ends the lowering for something that a kernel uses and that is not supported: op is the
// instruction or type that it takes, and in the one that has it. as says in which place, such as " as
// arguments".
func (m *module) unsupported(in spirv.Inst, op spirv.Op, as string) {
	if what := feature(op); what != "" {
		m.failFeature(in, what+as+" are not supported")
	}
	if op == in.Op() {
		m.fail(in, "the instruction is not supported")
	}
	m.fail(in, "values of type %s%s are not supported", op, as)
}
