package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
)

// Unified shared memory (cl_intel_unified_shared_memory): host, device and shared allocations are the same memory, all of
// which the host can reach too.

const usmCapabilities = C.CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL | C.CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL |
	C.CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL | C.CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL

// usmFlags reads the properties of an allocation of a type.
func usmFlags(properties *C.const_cl_mem_properties_intel, usm C.cl_unified_shared_memory_type_intel) (C.cl_mem_alloc_flags_intel, C.cl_int) {
	const placement = C.CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | C.CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL
	words := pairs((*C.cl_mem_properties_intel)(unsafe.Pointer(properties)))
	allowed := C.cl_mem_alloc_flags_intel(C.CL_MEM_ALLOC_WRITE_COMBINED_INTEL)
	if usm == C.CL_MEM_TYPE_SHARED_INTEL {
		allowed |= placement
	}
	var flags C.cl_mem_alloc_flags_intel
	for i := 0; i+1 < len(words); i += 2 {
		flags = C.cl_mem_alloc_flags_intel(words[i+1])
		if words[i] != C.CL_MEM_ALLOC_FLAGS_INTEL || i > 0 || flags&^allowed != 0 || flags&placement == placement {
			return 0, C.CL_INVALID_PROPERTY
		}
	}
	return flags, C.CL_SUCCESS
}

// newUSM makes an allocation of a type.
func newUSM(h C.cl_context, hd C.cl_device_id, usm C.cl_unified_shared_memory_type_intel, kind emu.SVMKind, properties *C.const_cl_mem_properties_intel, size C.size_t, align C.cl_uint, errcode *C.cl_int) unsafe.Pointer {
	fail := func(code C.cl_int) unsafe.Pointer { set(errcode, code); return nil }
	c, ok := findContext(h)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	a := &svmMemory{size: uint64(size), usm: usm}
	if hd != nil || usm == C.CL_MEM_TYPE_DEVICE_INTEL {
		if a.device, ok = findDevice(hd); !ok || !c.has(a.device) {
			return fail(C.CL_INVALID_DEVICE)
		}
	}
	var code C.cl_int
	if a.flags, code = usmFlags(properties, usm); code != C.CL_SUCCESS {
		return fail(code)
	}
	code = c.newSVM(a, uint64(align), emu.SVMOptions{Kind: kind})
	set(errcode, code)
	if code != C.CL_SUCCESS {
		return nil
	}
	return a.data
}

//export clHostMemAllocINTEL
func clHostMemAllocINTEL(c C.cl_context, properties *C.const_cl_mem_properties_intel, size C.size_t, align C.cl_uint, errcode *C.cl_int) unsafe.Pointer {
	return newUSM(c, nil, C.CL_MEM_TYPE_HOST_INTEL, emu.SVMHost, properties, size, align, errcode)
}

//export clDeviceMemAllocINTEL
func clDeviceMemAllocINTEL(c C.cl_context, d C.cl_device_id, properties *C.const_cl_mem_properties_intel, size C.size_t, align C.cl_uint, errcode *C.cl_int) unsafe.Pointer {
	return newUSM(c, d, C.CL_MEM_TYPE_DEVICE_INTEL, emu.SVMDevice, properties, size, align, errcode)
}

//export clSharedMemAllocINTEL
func clSharedMemAllocINTEL(c C.cl_context, d C.cl_device_id, properties *C.const_cl_mem_properties_intel, size C.size_t, align C.cl_uint, errcode *C.cl_int) unsafe.Pointer {
	return newUSM(c, d, C.CL_MEM_TYPE_SHARED_INTEL, emu.SVMShared, properties, size, align, errcode)
}

//export clMemFreeINTEL
func clMemFreeINTEL(h C.cl_context, p unsafe.Pointer) C.cl_int {
	c, ok := findContext(h)
	switch {
	case !ok:
		return C.CL_INVALID_CONTEXT
	case p != nil && !c.freeSVM(p):
		return C.CL_INVALID_VALUE
	}
	return C.CL_SUCCESS
}

//export clMemBlockingFreeINTEL
func clMemBlockingFreeINTEL(h C.cl_context, p unsafe.Pointer) C.cl_int {
	c, ok := findContext(h)
	if !ok {
		return C.CL_INVALID_CONTEXT
	}
	if p == nil {
		return C.CL_SUCCESS
	}
	if a, offset := c.findSVM(p); a == nil || offset != 0 {
		return C.CL_INVALID_VALUE
	}
	for _, q := range c.queues() {
		q.commands.Finish()
	}
	return clMemFreeINTEL(h, p)
}

// queues returns the queues of the context, in no order.
func (c *clContext) queues() []*queue {
	handles.RLock()
	defer handles.RUnlock()
	var list []*queue
	for _, o := range handles.objects {
		if q, ok := o.(*queue); ok && q.ctx == c {
			list = append(list, q)
		}
	}
	return list
}

//export clGetMemAllocInfoINTEL
func clGetMemAllocInfoINTEL(h C.cl_context, p C.const_pointer, name C.cl_mem_info_intel, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	c, ok := findContext(h)
	if !ok {
		return C.CL_INVALID_CONTEXT
	}
	x, _ := c.findSVM(unsafe.Pointer(p))
	if x == nil || x.usm == C.CL_MEM_TYPE_UNKNOWN_INTEL {
		x = &svmMemory{usm: C.CL_MEM_TYPE_UNKNOWN_INTEL} // memory of the host, or of clSVMAlloc
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_MEM_ALLOC_TYPE_INTEL:
		return put(a, x.usm)
	case C.CL_MEM_ALLOC_BASE_PTR_INTEL:
		return put(a, x.data)
	case C.CL_MEM_ALLOC_SIZE_INTEL:
		return a.sizeT(x.size)
	case C.CL_MEM_ALLOC_DEVICE_INTEL:
		if x.device == nil {
			return put(a, C.cl_device_id(nil))
		}
		return put(a, x.device.id())
	case C.CL_MEM_ALLOC_FLAGS_INTEL:
		return put(a, x.flags)
	}
	return C.CL_INVALID_VALUE
}

//export clSetKernelArgMemPointerINTEL
func clSetKernelArgMemPointerINTEL(k C.cl_kernel, index C.cl_uint, p C.const_pointer) C.cl_int {
	return clSetKernelArgSVMPointer(k, index, p)
}

//export clEnqueueMemsetINTEL
func clEnqueueMemsetINTEL(hq C.cl_command_queue, p unsafe.Pointer, value C.cl_int, size C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	b := byte(value)
	return q.svmFill(C.CL_COMMAND_MEMFILL_INTEL, p, C.const_pointer(unsafe.Pointer(&b)), 1, size, waitList{wn, wait, ev})
}

//export clEnqueueMemFillINTEL
func clEnqueueMemFillINTEL(hq C.cl_command_queue, p unsafe.Pointer, pattern C.const_pointer, patternSize, size C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return q.svmFill(C.CL_COMMAND_MEMFILL_INTEL, p, pattern, patternSize, size, waitList{wn, wait, ev})
}

//export clEnqueueMemcpyINTEL
func clEnqueueMemcpyINTEL(hq C.cl_command_queue, blocking C.cl_bool, dst unsafe.Pointer, src C.const_pointer, size C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return q.svmCopy(C.CL_COMMAND_MEMCPY_INTEL, blocking, dst, unsafe.Pointer(src), size, waitList{wn, wait, ev})
}

//export clEnqueueMigrateMemINTEL
func clEnqueueMigrateMemINTEL(hq C.cl_command_queue, p C.const_pointer, size C.size_t, flags C.cl_mem_migration_flags, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return q.svmMigrate(C.CL_COMMAND_MIGRATEMEM_INTEL, []unsafe.Pointer{unsafe.Pointer(p)}, []C.size_t{size}, flags, waitList{wn, wait, ev})
}

// An advice may change how fast accesses are, and here does not; the extension defines none.
//
//export clEnqueueMemAdviseINTEL
func clEnqueueMemAdviseINTEL(hq C.cl_command_queue, p C.const_pointer, size C.size_t, advice C.cl_mem_advice_intel, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return q.svmMigrate(C.CL_COMMAND_MEMADVISE_INTEL, []unsafe.Pointer{unsafe.Pointer(p)}, []C.size_t{size}, 0, waitList{wn, wait, ev})
}
