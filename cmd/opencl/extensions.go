package main

// #include "opencl.h"
import "C"

import (
	"crypto/sha1"

	"github.com/lockstep-gpu/lockstep/emu"
)

// extensions are what the driver and its compiler have, in the order of clGetDeviceInfo.
var extensions = []extension{
	{"cl_khr_icd", version(1, 0, 0), true},
	{"cl_khr_extended_versioning", version(1, 0, 0), true},
	{"cl_khr_il_program", version(1, 0, 0), true},
	{"cl_khr_create_command_queue", version(1, 0, 0), true},
	{"cl_khr_suggested_local_work_size", version(1, 0, 0), true},
	{"cl_khr_spirv_no_integer_wrap_decoration", version(1, 0, 0), true},
	{"cl_khr_command_buffer", version(0, 9, 8), true},
	{"cl_khr_device_uuid", version(1, 0, 0), true},
	{"cl_khr_priority_hints", version(1, 0, 0), true},
	{"cl_khr_semaphore", version(1, 0, 0), true},
	{"cl_khr_spirv_linkonce_odr", version(1, 0, 0), true},
	{"cl_khr_spirv_queries", version(1, 0, 0), true},
	{"cl_khr_throttle_hints", version(1, 0, 0), true},
	{"cl_khr_byte_addressable_store", version(1, 0, 0), false},
	{"cl_khr_global_int32_base_atomics", version(1, 0, 0), false},
	{"cl_khr_global_int32_extended_atomics", version(1, 0, 0), false},
	{"cl_khr_local_int32_base_atomics", version(1, 0, 0), false},
	{"cl_khr_local_int32_extended_atomics", version(1, 0, 0), false},
	{"cl_khr_int64_base_atomics", version(1, 0, 0), false},
	{"cl_khr_int64_extended_atomics", version(1, 0, 0), false},
	{"cl_khr_3d_image_writes", version(1, 0, 0), false},
	{"cl_khr_image2d_from_buffer", version(1, 0, 0), false},
	{"cl_khr_mipmap_image", version(1, 0, 0), false},
	{"cl_khr_mipmap_image_writes", version(1, 0, 0), false},
	{"cl_khr_depth_images", version(1, 0, 0), false},
	{"cl_khr_fp16", version(1, 0, 0), false},
	{"cl_khr_fp64", version(1, 0, 0), false},
	{"cl_khr_expect_assume", version(1, 0, 0), false},
	{"cl_khr_extended_async_copies", version(1, 0, 0), false},
	{"cl_khr_extended_bit_ops", version(1, 0, 0), false},
	{"cl_khr_integer_dot_product", version(2, 0, 0), false},
	{"cl_khr_kernel_clock", version(1, 0, 0), false},
	{"cl_khr_subgroups", version(1, 0, 0), false},
	{"cl_khr_subgroup_ballot", version(1, 0, 0), false},
	{"cl_khr_subgroup_clustered_reduce", version(1, 0, 0), false},
	{"cl_khr_subgroup_extended_types", version(1, 0, 0), false},
	{"cl_khr_subgroup_named_barrier", version(1, 0, 0), false},
	{"cl_khr_subgroup_non_uniform_arithmetic", version(1, 0, 0), false},
	{"cl_khr_subgroup_non_uniform_vote", version(1, 0, 0), false},
	{"cl_khr_subgroup_rotate", version(1, 0, 0), false},
	{"cl_khr_subgroup_shuffle", version(1, 0, 0), false},
	{"cl_khr_subgroup_shuffle_relative", version(1, 0, 0), false},
	{"cl_ext_buffer_device_address", version(1, 0, 2), true},
	{"cl_ext_immutable_memory_objects", version(1, 0, 0), true},
	{"cl_ext_float_atomics", version(1, 0, 0), false},
	{"cl_intel_required_subgroup_size", version(1, 0, 0), false},
	{"cl_intel_split_work_group_barrier", version(1, 0, 0), false},
	{"cl_intel_subgroups", version(1, 0, 0), false},
	{"cl_intel_subgroups_char", version(1, 0, 0), false},
	{"cl_intel_subgroups_long", version(1, 0, 0), false},
	{"cl_intel_subgroups_short", version(1, 0, 0), false},
	{"cl_intel_unified_shared_memory", version(1, 0, 0), false},
}

// features are the optional features of OpenCL C 3.0.
var features = []string{
	"__opencl_c_3d_image_writes",
	"__opencl_c_atomic_order_acq_rel",
	"__opencl_c_atomic_order_seq_cst",
	"__opencl_c_atomic_scope_all_devices",
	"__opencl_c_atomic_scope_device",
	"__opencl_c_ext_fp16_global_atomic_add",
	"__opencl_c_ext_fp16_global_atomic_load_store",
	"__opencl_c_ext_fp16_global_atomic_min_max",
	"__opencl_c_ext_fp16_local_atomic_add",
	"__opencl_c_ext_fp16_local_atomic_load_store",
	"__opencl_c_ext_fp16_local_atomic_min_max",
	"__opencl_c_ext_fp32_global_atomic_add",
	"__opencl_c_ext_fp32_global_atomic_min_max",
	"__opencl_c_ext_fp32_local_atomic_add",
	"__opencl_c_ext_fp32_local_atomic_min_max",
	"__opencl_c_ext_fp64_global_atomic_add",
	"__opencl_c_ext_fp64_global_atomic_min_max",
	"__opencl_c_ext_fp64_local_atomic_add",
	"__opencl_c_ext_fp64_local_atomic_min_max",
	"__opencl_c_fp64",
	"__opencl_c_generic_address_space",
	"__opencl_c_images",
	"__opencl_c_int64",
	"__opencl_c_integer_dot_product_input_4x8bit",
	"__opencl_c_integer_dot_product_input_4x8bit_packed",
	"__opencl_c_kernel_clock_scope_device",
	"__opencl_c_kernel_clock_scope_sub_group",
	"__opencl_c_kernel_clock_scope_work_group",
	"__opencl_c_pipes",
	"__opencl_c_program_scope_global_variables",
	"__opencl_c_read_write_images",
	"__opencl_c_subgroups",
	"__opencl_c_work_group_collective_functions",
}

// aboutExtensions answers what extensions that are not part of OpenCL 3.0 ask.
func (d *device) aboutExtensions(a answer, name C.cl_device_info) (C.cl_int, bool) {
	switch name {
	case C.CL_DEVICE_UUID_KHR:
		return put(a, nameUUID("device")), true // every machine has this one, with the same behaviour
	case C.CL_DRIVER_UUID_KHR:
		return put(a, nameUUID("driver "+emu.Version)), true
	case C.CL_DEVICE_LUID_VALID_KHR:
		return a.bool(false), true
	case C.CL_DEVICE_LUID_KHR:
		return put(a, [C.CL_LUID_SIZE_KHR]byte{}), true
	case C.CL_DEVICE_NODE_MASK_KHR:
		return a.uint(0), true
	case C.CL_DEVICE_HALF_FP_ATOMIC_CAPABILITIES_EXT, C.CL_DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES_EXT, C.CL_DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES_EXT:
		return put(a, C.cl_bitfield(C.CL_DEVICE_GLOBAL_FP_ATOMIC_LOAD_STORE_EXT|C.CL_DEVICE_GLOBAL_FP_ATOMIC_ADD_EXT|C.CL_DEVICE_GLOBAL_FP_ATOMIC_MIN_MAX_EXT|
			C.CL_DEVICE_LOCAL_FP_ATOMIC_LOAD_STORE_EXT|C.CL_DEVICE_LOCAL_FP_ATOMIC_ADD_EXT|C.CL_DEVICE_LOCAL_FP_ATOMIC_MIN_MAX_EXT)), true
	case C.CL_DEVICE_SEMAPHORE_TYPES_KHR:
		return put(a, C.cl_semaphore_type_khr(C.CL_SEMAPHORE_TYPE_BINARY_KHR)), true
	case C.CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR:
		return put(a, C.cl_bitfield(C.CL_DEVICE_KERNEL_CLOCK_SCOPE_DEVICE_KHR|C.CL_DEVICE_KERNEL_CLOCK_SCOPE_WORK_GROUP_KHR|C.CL_DEVICE_KERNEL_CLOCK_SCOPE_SUB_GROUP_KHR)), true
	case C.CL_DEVICE_MAX_NAMED_BARRIER_COUNT_KHR:
		return a.uint(maxNamedBarriers), true
	case C.CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR:
		return put(a, C.cl_device_command_buffer_capabilities_khr(C.CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR|C.CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR)), true
	case C.CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR:
		return put(a, C.cl_command_queue_properties(commandBufferQueues)), true
	case C.CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR:
		return put(a, C.cl_command_queue_properties(0)), true
	}
	return 0, false
}

// nameUUID is the UUID of a name of the driver's: version 5 of RFC 9562.
func nameUUID(name string) [C.CL_UUID_SIZE_KHR]byte {
	sum := sha1.Sum([]byte("github.com/lockstep-gpu/lockstep/cmd/opencl " + name))
	u := [C.CL_UUID_SIZE_KHR]byte(sum[:])
	u[6] = u[6]&0x0f | 0x50
	u[8] = u[8]&0x3f | 0x80
	return u
}
