package main

// #include "opencl.h"
import "C"

import (
	"unsafe"
)

//export clCreateBuffer
func clCreateBuffer(h C.cl_context, flags C.cl_mem_flags, size C.size_t, host unsafe.Pointer, errcode *C.cl_int) C.cl_mem {
	return newBuffer(h, nil, flags, size, host, errcode)
}

//export clCreateBufferWithProperties
func clCreateBufferWithProperties(h C.cl_context, properties *C.const_cl_mem_properties, flags C.cl_mem_flags, size C.size_t, host unsafe.Pointer, errcode *C.cl_int) C.cl_mem {
	words := pairs((*C.cl_mem_properties)(unsafe.Pointer(properties)))
	if _, code := bufferProperties(words); code != C.CL_SUCCESS {
		set(errcode, code)
		return nil
	}
	return newBuffer(h, words, flags, size, host, errcode)
}

func newBuffer(h C.cl_context, properties []C.cl_mem_properties, flags C.cl_mem_flags, size C.size_t, host unsafe.Pointer, errcode *C.cl_int) C.cl_mem {
	fail := func(code C.cl_int) C.cl_mem { set(errcode, code); return nil }
	c, ok := findContext(h)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	if flags&C.CL_MEM_KERNEL_READ_AND_WRITE != 0 {
		return fail(C.CL_INVALID_VALUE)
	}
	if code := checkFlags(flags, host); code != C.CL_SUCCESS {
		return fail(code)
	}
	if size == 0 || uint64(size) > c.devices[0].maxAlloc() {
		return fail(C.CL_INVALID_BUFFER_SIZE)
	}
	flags = accessible(flags, 0)
	m := &memory{ctx: c, kind: C.CL_MEM_OBJECT_BUFFER, flags: flags, properties: properties, size: uint64(size)}
	m.addressed, _ = bufferProperties(properties) // checked before
	code := m.back(host)
	if code == C.CL_SUCCESS {
		code = m.enter()
	}
	if code != C.CL_SUCCESS {
		return fail(code)
	}
	set(errcode, C.CL_SUCCESS)
	return m.id()
}

// accessible adds what kernels may do with an object whose flags and others, which count as well, do not say it.
func accessible(flags, others C.cl_mem_flags) C.cl_mem_flags {
	switch {
	case flags&(C.CL_MEM_READ_WRITE|C.CL_MEM_READ_ONLY|C.CL_MEM_WRITE_ONLY|others) != 0:
		return flags
	case flags&C.CL_MEM_IMMUTABLE_EXT != 0:
		return flags | C.CL_MEM_READ_ONLY
	}
	return flags | C.CL_MEM_READ_WRITE
}

//export clCreateSubBuffer
func clCreateSubBuffer(h C.cl_mem, flags C.cl_mem_flags, kind C.cl_buffer_create_type, info C.const_pointer, errcode *C.cl_int) C.cl_mem {
	fail := func(code C.cl_int) C.cl_mem { set(errcode, code); return nil }
	b, ok := findMemory(h)
	if !ok || b.kind != C.CL_MEM_OBJECT_BUFFER || b.parent != nil {
		return fail(C.CL_INVALID_MEM_OBJECT)
	}
	if kind != C.CL_BUFFER_CREATE_TYPE_REGION || info == nil {
		return fail(C.CL_INVALID_VALUE)
	}
	flags, ok = inherit(b.flags, flags)
	if !ok {
		return fail(C.CL_INVALID_VALUE)
	}
	r := *(*C.cl_buffer_region)(unsafe.Pointer(info))
	origin, size := uint64(r.origin), uint64(r.size)
	switch {
	case origin > b.size || b.size-origin < size:
		return fail(C.CL_INVALID_VALUE)
	case size == 0:
		return fail(C.CL_INVALID_BUFFER_SIZE)
	case origin%baseAlign != 0:
		return fail(C.CL_MISALIGNED_SUB_BUFFER_OFFSET)
	}
	m := &memory{ctx: b.ctx, kind: C.CL_MEM_OBJECT_BUFFER, flags: flags, size: size, origin: origin, parent: b,
		data: unsafe.Add(b.data, origin), shadow: b.shadow, svm: b.svm}
	if b.hostPtr != nil {
		m.hostPtr = unsafe.Add(b.hostPtr, origin)
	}
	sub, err := b.buffer.Sub(origin, size)
	if err != nil {
		return fail(allocationCode(err))
	}
	m.buffer = sub
	if code := m.enter(); code != C.CL_SUCCESS {
		return fail(code)
	}
	set(errcode, C.CL_SUCCESS)
	return m.id()
}

// inherit returns the flags of an object that is made of another one. It is false where they allow what those of the
// other one do not, or are none for such an object.
func inherit(of, flags C.cl_mem_flags) (C.cl_mem_flags, bool) {
	const access = C.CL_MEM_READ_WRITE | C.CL_MEM_READ_ONLY | C.CL_MEM_WRITE_ONLY
	const host = C.CL_MEM_HOST_WRITE_ONLY | C.CL_MEM_HOST_READ_ONLY | C.CL_MEM_HOST_NO_ACCESS
	const pointers = C.CL_MEM_USE_HOST_PTR | C.CL_MEM_ALLOC_HOST_PTR | C.CL_MEM_COPY_HOST_PTR
	several := func(f C.cl_mem_flags) bool { return f&(f-1) != 0 }
	switch {
	case flags&^(access|host|C.CL_MEM_IMMUTABLE_EXT) != 0, changes(flags), changes(flags | of&C.CL_MEM_IMMUTABLE_EXT), several(flags & access), several(flags & host),
		of&C.CL_MEM_WRITE_ONLY != 0 && flags&(C.CL_MEM_READ_WRITE|C.CL_MEM_READ_ONLY) != 0,
		of&C.CL_MEM_READ_ONLY != 0 && flags&(C.CL_MEM_READ_WRITE|C.CL_MEM_WRITE_ONLY) != 0,
		of&C.CL_MEM_HOST_WRITE_ONLY != 0 && flags&C.CL_MEM_HOST_READ_ONLY != 0,
		of&C.CL_MEM_HOST_READ_ONLY != 0 && flags&C.CL_MEM_HOST_WRITE_ONLY != 0,
		of&C.CL_MEM_HOST_NO_ACCESS != 0 && flags&(C.CL_MEM_HOST_READ_ONLY|C.CL_MEM_HOST_WRITE_ONLY) != 0:
		return 0, false
	}
	flags |= of & C.CL_MEM_IMMUTABLE_EXT
	if flags&(access|C.CL_MEM_IMMUTABLE_EXT) == 0 {
		flags |= of & access
	}
	flags = accessible(flags, 0)
	if flags&host == 0 {
		flags |= of & host
	}
	return flags | of&pointers, true
}
