package main

// #include "opencl.h"
import "C"

import (
	"math"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
)

// What the driver, and not package emu, decides about the device.
const (
	baseAlign       = 128 // bytes: the largest type, long16
	maxImageSize2D  = emu.MaxImageSize
	maxImageSize3D  = 2048
	maxImageLayers  = 2048
	maxImageArgs    = 128
	maxSamplers     = 16
	maxPipeArgs     = 16
	maxPipePacket   = 1024
	maxPipeReserved = 1
	printfBuffer    = 16 << 20
	maxParameter    = 4096

	maxNamedBarriers = 64
)

// floatConfig is what arithmetic does: there is no way to ask for another rounding of it than to the nearest. Conversions
// have all roundings. OpenCL demands the other roundings of doubles, whose arithmetic is the same.
const floatConfig = C.CL_FP_DENORM | C.CL_FP_INF_NAN | C.CL_FP_ROUND_TO_NEAREST | C.CL_FP_FMA

// maxAlloc is the size of the largest buffer: what OpenCL asks for at least, and no more, because programs take it
// as an invitation.
func (d *device) maxAlloc() uint64 {
	l := d.emu.Limits()
	return min(l.MaxAlloc, max(l.GlobalMemory/4, 1<<30))
}

//export clGetDeviceInfo
func clGetDeviceInfo(h C.cl_device_id, name C.cl_device_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	d, ok := findDevice(h)
	if !ok {
		return C.CL_INVALID_DEVICE
	}
	a := answer{size, value, ret}
	for _, about := range []func(*device, answer, C.cl_device_info) (C.cl_int, bool){
		(*device).aboutItself, (*device).aboutSizes, (*device).aboutTypes, (*device).aboutMemory, (*device).aboutImages,
		(*device).aboutCompiler, (*device).aboutQueues, (*device).aboutParts, (*device).aboutExtensions, (*device).aboutSPIRV,
	} {
		if code, known := about(d, a, name); known {
			return code
		}
	}
	return C.CL_INVALID_VALUE
}

func (d *device) aboutItself(a answer, name C.cl_device_info) (C.cl_int, bool) {
	switch name {
	case C.CL_DEVICE_TYPE:
		return put(a, C.cl_device_type(C.CL_DEVICE_TYPE_GPU)), true
	case C.CL_DEVICE_VENDOR_ID:
		return a.uint(0), true
	case C.CL_DEVICE_NAME:
		return a.text("lockstep"), true
	case C.CL_DEVICE_VENDOR:
		return a.text("lockstep"), true
	case C.CL_DRIVER_VERSION:
		return a.text(emu.Version), true
	case C.CL_DEVICE_PROFILE:
		return a.text("FULL_PROFILE"), true
	case C.CL_DEVICE_VERSION:
		return a.text("OpenCL 3.0 lockstep " + d.emu.Limits().Engine), true
	case C.CL_DEVICE_NUMERIC_VERSION:
		return put(a, version(3, 0, 0)), true
	case C.CL_DEVICE_EXTENSIONS:
		return a.text(extensionNames(false)), true
	case C.CL_DEVICE_EXTENSIONS_WITH_VERSION:
		return puts(a, extensionVersions(false)), true
	case C.CL_DEVICE_PLATFORM:
		p, _ := thePlatform()
		return put(a, C.cl_platform_id(p.handle)), true
	case C.CL_DEVICE_AVAILABLE, C.CL_DEVICE_COMPILER_AVAILABLE, C.CL_DEVICE_LINKER_AVAILABLE:
		return a.bool(true), true
	case C.CL_DEVICE_ENDIAN_LITTLE:
		return a.bool(littleEndian), true
	case C.CL_DEVICE_ERROR_CORRECTION_SUPPORT:
		return a.bool(false), true
	case C.CL_DEVICE_EXECUTION_CAPABILITIES:
		return put(a, C.cl_device_exec_capabilities(C.CL_EXEC_KERNEL|C.CL_EXEC_NATIVE_KERNEL)), true
	case C.CL_DEVICE_REFERENCE_COUNT:
		if d.parent == nil {
			return a.uint(1), true
		}
		return put(a, d.references()), true
	case C.CL_DEVICE_PROFILING_TIMER_RESOLUTION:
		return a.sizeT(1), true
	case C.CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
		return a.text("v0000-01-01-00"), true // none: there was no suite in the year 0
	}
	return 0, false
}

// littleEndian says whether the host is.
var littleEndian = func() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 1
}()

func (d *device) aboutSizes(a answer, name C.cl_device_info) (C.cl_int, bool) {
	l := d.emu.Limits()
	switch name {
	case C.CL_DEVICE_MAX_COMPUTE_UNITS:
		return a.uint(d.units), true
	case C.CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
		return a.uint(l.MaxDimensions), true
	case C.CL_DEVICE_MAX_WORK_ITEM_SIZES:
		return puts(a, []C.size_t{C.size_t(l.MaxWorkItemSizes[0]), C.size_t(l.MaxWorkItemSizes[1]), C.size_t(l.MaxWorkItemSizes[2])}), true
	case C.CL_DEVICE_MAX_WORK_GROUP_SIZE:
		return a.sizeT(uint64(l.MaxWorkGroupSize)), true
	case C.CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return a.sizeT(uint64(l.SubgroupSize)), true
	case C.CL_DEVICE_MAX_NUM_SUB_GROUPS:
		return a.uint(l.MaxWorkGroupSize / l.SubgroupSize), true
	case C.CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
		return a.bool(true), true
	case C.CL_DEVICE_SUB_GROUP_SIZES_INTEL:
		var sizes []C.size_t
		for _, n := range l.SubgroupSizes() {
			sizes = append(sizes, C.size_t(n))
		}
		return puts(a, sizes), true
	case C.CL_DEVICE_MAX_CLOCK_FREQUENCY:
		// Programs weigh devices by units times frequency, and divide by the sum: 0 would end them. It means nothing here.
		return a.uint(1000), true
	case C.CL_DEVICE_ADDRESS_BITS:
		return a.uint(64), true
	case C.CL_DEVICE_MAX_PARAMETER_SIZE:
		return a.sizeT(min(l.MaxParameters, maxParameter)), true
	case C.CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, C.CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, C.CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
		return a.bool(true), true
	}
	return 0, false
}

func (d *device) aboutTypes(a answer, name C.cl_device_info) (C.cl_int, bool) {
	switch name {
	case C.CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, C.CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, C.CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,
		C.CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, C.CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, C.CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
		C.CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, C.CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, C.CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT,
		C.CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, C.CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, C.CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
		C.CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, C.CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
		return a.uint(1), true // a lane works on scalars
	case C.CL_DEVICE_SINGLE_FP_CONFIG:
		return put(a, C.cl_device_fp_config(floatConfig|C.CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT)), true
	case C.CL_DEVICE_DOUBLE_FP_CONFIG:
		return put(a, C.cl_device_fp_config(floatConfig|C.CL_FP_ROUND_TO_ZERO|C.CL_FP_ROUND_TO_INF)), true
	case C.CL_DEVICE_HALF_FP_CONFIG:
		return put(a, C.cl_device_fp_config(floatConfig)), true
	case C.CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR:
		return put(a, C.cl_device_integer_dot_product_capabilities_khr(C.CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR|C.CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR)), true
	case C.CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_8BIT_KHR, C.CL_DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PROPERTIES_4x8BIT_PACKED_KHR:
		return put(a, C.cl_device_integer_dot_product_acceleration_properties_khr{}), true
	case C.CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
		return put(a, C.cl_device_atomic_capabilities(C.CL_DEVICE_ATOMIC_ORDER_RELAXED|C.CL_DEVICE_ATOMIC_ORDER_ACQ_REL|C.CL_DEVICE_ATOMIC_ORDER_SEQ_CST|
			C.CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM|C.CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP|C.CL_DEVICE_ATOMIC_SCOPE_DEVICE|C.CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)), true
	case C.CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
		return put(a, C.cl_device_atomic_capabilities(C.CL_DEVICE_ATOMIC_ORDER_RELAXED|C.CL_DEVICE_ATOMIC_ORDER_ACQ_REL|C.CL_DEVICE_ATOMIC_ORDER_SEQ_CST|
			C.CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM|C.CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP|C.CL_DEVICE_ATOMIC_SCOPE_DEVICE|C.CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES)), true
	case C.CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, C.CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, C.CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
		return a.uint(0), true
	}
	return 0, false
}

func (d *device) aboutMemory(a answer, name C.cl_device_info) (C.cl_int, bool) {
	l := d.emu.Limits()
	switch name {
	case C.CL_DEVICE_GLOBAL_MEM_SIZE:
		return a.ulong(l.GlobalMemory), true
	case C.CL_DEVICE_MAX_MEM_ALLOC_SIZE, C.CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
		return a.ulong(d.maxAlloc()), true
	case C.CL_DEVICE_MAX_CONSTANT_ARGS:
		return a.uint(64), true
	case C.CL_DEVICE_LOCAL_MEM_TYPE:
		return put(a, C.cl_device_local_mem_type(C.CL_LOCAL)), true
	case C.CL_DEVICE_LOCAL_MEM_SIZE:
		return a.ulong(l.LocalMemory), true
	case C.CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
		return put(a, C.cl_device_mem_cache_type(C.CL_NONE)), true
	case C.CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
		return a.uint(0), true
	case C.CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
		return a.ulong(0), true
	case C.CL_DEVICE_MEM_BASE_ADDR_ALIGN:
		return a.uint(8 * baseAlign), true
	case C.CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
		return a.uint(baseAlign), true
	case C.CL_DEVICE_HOST_UNIFIED_MEMORY:
		return a.bool(true), true
	case C.CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
		return a.sizeT(l.MaxVariables), true
	case C.CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
		return a.sizeT(l.MaxVariables), true
	case C.CL_DEVICE_SVM_CAPABILITIES:
		return put(a, C.cl_device_svm_capabilities(svmCapabilities)), true
	case C.CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, C.CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL,
		C.CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, C.CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL:
		return put(a, C.cl_device_unified_shared_memory_capabilities_intel(usmCapabilities)), true
	case C.CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL:
		return put(a, C.cl_device_unified_shared_memory_capabilities_intel(0)), true
	}
	return 0, false
}

func (d *device) aboutImages(a answer, name C.cl_device_info) (C.cl_int, bool) {
	switch name {
	case C.CL_DEVICE_IMAGE_SUPPORT:
		return a.bool(true), true
	case C.CL_DEVICE_MAX_READ_IMAGE_ARGS, C.CL_DEVICE_MAX_WRITE_IMAGE_ARGS, C.CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
		return a.uint(maxImageArgs), true
	case C.CL_DEVICE_IMAGE2D_MAX_WIDTH, C.CL_DEVICE_IMAGE2D_MAX_HEIGHT:
		return a.sizeT(maxImageSize2D), true
	case C.CL_DEVICE_IMAGE3D_MAX_WIDTH, C.CL_DEVICE_IMAGE3D_MAX_HEIGHT, C.CL_DEVICE_IMAGE3D_MAX_DEPTH:
		return a.sizeT(maxImageSize3D), true
	case C.CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
		return a.sizeT(emu.MaxImageBuffer), true
	case C.CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
		return a.sizeT(maxImageLayers), true
	case C.CL_DEVICE_IMAGE_PITCH_ALIGNMENT, C.CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
		return a.uint(1), true
	case C.CL_DEVICE_MAX_SAMPLERS:
		return a.uint(maxSamplers), true
	case C.CL_DEVICE_PIPE_SUPPORT:
		return a.bool(true), true
	case C.CL_DEVICE_MAX_PIPE_ARGS:
		return a.uint(maxPipeArgs), true
	case C.CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
		return a.uint(maxPipeReserved), true
	case C.CL_DEVICE_PIPE_MAX_PACKET_SIZE:
		return a.uint(maxPipePacket), true
	}
	return 0, false
}

func (d *device) aboutCompiler(a answer, name C.cl_device_info) (C.cl_int, bool) {
	switch name {
	case C.CL_DEVICE_OPENCL_C_VERSION:
		return a.text("OpenCL C 1.2 lockstep"), true
	case C.CL_DEVICE_OPENCL_C_ALL_VERSIONS:
		return puts(a, []C.cl_name_version{named("OpenCL C", version(1, 0, 0)), named("OpenCL C", version(1, 1, 0)),
			named("OpenCL C", version(1, 2, 0)), named("OpenCL C", version(3, 0, 0))}), true
	case C.CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
		return put(a, version(1, 2, 0)), true
	case C.CL_DEVICE_OPENCL_C_FEATURES:
		var list []C.cl_name_version
		for _, f := range features {
			list = append(list, named(f, version(3, 0, 0)))
		}
		return puts(a, list), true
	case C.CL_DEVICE_IL_VERSION:
		return a.text("SPIR-V_1.0 SPIR-V_1.1 SPIR-V_1.2 SPIR-V_1.3 SPIR-V_1.4 SPIR-V_1.5 SPIR-V_1.6"), true
	case C.CL_DEVICE_ILS_WITH_VERSION:
		var list []C.cl_name_version
		for minor := range uint32(7) {
			list = append(list, named("SPIR-V", version(1, minor, 0)))
		}
		return puts(a, list), true
	case C.CL_DEVICE_BUILT_IN_KERNELS:
		return a.text(""), true
	case C.CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
		return puts(a, []C.cl_name_version{}), true
	case C.CL_DEVICE_PRINTF_BUFFER_SIZE:
		return a.sizeT(printfBuffer), true
	}
	return 0, false
}

func (d *device) aboutQueues(a answer, name C.cl_device_info) (C.cl_int, bool) {
	switch name {
	case C.CL_DEVICE_QUEUE_ON_HOST_PROPERTIES: // CL_DEVICE_QUEUE_PROPERTIES
		return put(a, C.cl_command_queue_properties(C.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE|C.CL_QUEUE_PROFILING_ENABLE)), true
	case C.CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
		return put(a, C.cl_command_queue_properties(0)), true
	case C.CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, C.CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, C.CL_DEVICE_MAX_ON_DEVICE_QUEUES, C.CL_DEVICE_MAX_ON_DEVICE_EVENTS:
		return a.uint(0), true
	case C.CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
		return put(a, C.cl_device_device_enqueue_capabilities(0)), true
	case C.CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
		return a.bool(true), true
	}
	return 0, false
}

func (d *device) aboutParts(a answer, name C.cl_device_info) (C.cl_int, bool) {
	switch name {
	case C.CL_DEVICE_PARENT_DEVICE:
		if d.parent == nil {
			return put(a, C.cl_device_id(nil)), true
		}
		return put(a, d.parent.id()), true
	case C.CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
		return a.uint(min(d.units, math.MaxInt32)), true
	case C.CL_DEVICE_PARTITION_PROPERTIES:
		return puts(a, []C.cl_device_partition_property{C.CL_DEVICE_PARTITION_EQUALLY, C.CL_DEVICE_PARTITION_BY_COUNTS}), true
	case C.CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
		return put(a, C.cl_device_affinity_domain(0)), true
	case C.CL_DEVICE_PARTITION_TYPE:
		return puts(a, d.partition), true
	}
	return 0, false
}
