package main

// #include "opencl.h"
import "C"

import "unsafe"

// Each function here records what the function clEnqueue… of the same name does.

//export lockstepCommandBarrierWithWaitList
func lockstepCommandBarrierWithWaitList(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueBarrierWithWaitList(q, 0, nil, nil)
	})
}

//export lockstepCommandCopyBuffer
func lockstepCommandCopyBuffer(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, src, dst C.cl_mem, from, to, size C.size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueCopyBuffer(q, src, dst, from, to, size, 0, nil, nil)
	})
}

//export lockstepCommandCopyBufferRect
func lockstepCommandCopyBufferRect(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, src, dst C.cl_mem, from, to, region *C.const_size_t, row, slice, toRow, toSlice C.size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueCopyBufferRect(q, src, dst, from, to, region, row, slice, toRow, toSlice, 0, nil, nil)
	})
}

//export lockstepCommandCopyBufferToImage
func lockstepCommandCopyBufferToImage(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, src, dst C.cl_mem, from C.size_t, to, region *C.const_size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueCopyBufferToImage(q, src, dst, from, to, region, 0, nil, nil)
	})
}

//export lockstepCommandCopyImage
func lockstepCommandCopyImage(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, src, dst C.cl_mem, from, to, region *C.const_size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueCopyImage(q, src, dst, from, to, region, 0, nil, nil)
	})
}

//export lockstepCommandCopyImageToBuffer
func lockstepCommandCopyImageToBuffer(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, src, dst C.cl_mem, from, region *C.const_size_t, to C.size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueCopyImageToBuffer(q, src, dst, from, region, to, 0, nil, nil)
	})
}

//export lockstepCommandFillBuffer
func lockstepCommandFillBuffer(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, m C.cl_mem, pattern C.const_pointer, patternSize, offset, size C.size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueFillBuffer(q, m, pattern, patternSize, offset, size, 0, nil, nil)
	})
}

//export lockstepCommandFillImage
func lockstepCommandFillImage(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, m C.cl_mem, color C.const_pointer, origin, region *C.const_size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueFillImage(q, m, color, origin, region, 0, nil, nil)
	})
}

//export lockstepCommandNDRangeKernel
func lockstepCommandNDRangeKernel(calls *C.lockstep_calls, b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, k C.cl_kernel, dim C.cl_uint, offset, global, local *C.const_size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return enqueueKernel(newCallSite("clCommandNDRangeKernelKHR", calls), q, k, C.CL_COMMAND_NDRANGE_KERNEL, dim, offset, global, local, waitList{})
	})
}

//export lockstepCommandSVMMemcpy
func lockstepCommandSVMMemcpy(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, dst unsafe.Pointer, src C.const_pointer, size C.size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueSVMMemcpy(q, C.CL_FALSE, dst, src, size, 0, nil, nil)
	})
}

//export lockstepCommandSVMMemFill
func lockstepCommandSVMMemFill(b C.cl_command_buffer_khr, q C.cl_command_queue, properties *C.const_cl_properties, pointer unsafe.Pointer, pattern C.const_pointer, patternSize, size C.size_t, n C.cl_uint, wait *C.const_cl_sync_point_khr, point *C.cl_sync_point_khr, handle *C.cl_mutable_command_khr) C.cl_int {
	return recording{b, q, properties, n, wait, point, handle}.by(func(q C.cl_command_queue) C.cl_int {
		return clEnqueueSVMMemFill(q, pointer, pattern, patternSize, size, 0, nil, nil)
	})
}
