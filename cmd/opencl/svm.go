package main

// #include "opencl.h"
import "C"

import "unsafe"

// The device has no shared virtual memory: CL_DEVICE_SVM_CAPABILITIES is 0. The specification wants
// CL_INVALID_OPERATION of these functions then, and a null pointer of clSVMAlloc.

//export clSVMAlloc
func clSVMAlloc(ctx C.cl_context, flags C.cl_svm_mem_flags, size C.size_t, align C.cl_uint) unsafe.Pointer {
	return nil
}

//export clSVMFree
func clSVMFree(ctx C.cl_context, pointer unsafe.Pointer) {}

// noSVM is the code of a command.
func noSVM(hq C.cl_command_queue) C.cl_int {
	if _, ok := findQueue(hq); !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return C.CL_INVALID_OPERATION
}

//export clEnqueueSVMFree
func clEnqueueSVMFree(q C.cl_command_queue, n C.cl_uint, pointers *unsafe.Pointer, free C.svm_free, data unsafe.Pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return noSVM(q)
}

//export clEnqueueSVMMemcpy
func clEnqueueSVMMemcpy(q C.cl_command_queue, blocking C.cl_bool, dst unsafe.Pointer, src C.const_pointer, size C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return noSVM(q)
}

//export clEnqueueSVMMemFill
func clEnqueueSVMMemFill(q C.cl_command_queue, pointer unsafe.Pointer, pattern C.const_pointer, patternSize, size C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return noSVM(q)
}

//export clEnqueueSVMMap
func clEnqueueSVMMap(q C.cl_command_queue, blocking C.cl_bool, flags C.cl_map_flags, pointer unsafe.Pointer, size C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return noSVM(q)
}

//export clEnqueueSVMUnmap
func clEnqueueSVMUnmap(q C.cl_command_queue, pointer unsafe.Pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return noSVM(q)
}

//export clEnqueueSVMMigrateMem
func clEnqueueSVMMigrateMem(q C.cl_command_queue, n C.cl_uint, pointers *C.const_pointer, sizes *C.const_size_t, flags C.cl_mem_migration_flags, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return noSVM(q)
}

//export clSetKernelArgSVMPointer
func clSetKernelArgSVMPointer(h C.cl_kernel, index C.cl_uint, pointer C.const_pointer) C.cl_int {
	if _, ok := findKernel(h); !ok {
		return C.CL_INVALID_KERNEL
	}
	return C.CL_INVALID_OPERATION
}

//export clSetKernelExecInfo
func clSetKernelExecInfo(h C.cl_kernel, name C.cl_kernel_exec_info, size C.size_t, value C.const_pointer) C.cl_int {
	if _, ok := findKernel(h); !ok {
		return C.CL_INVALID_KERNEL
	}
	return C.CL_INVALID_OPERATION
}
