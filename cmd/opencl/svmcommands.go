package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/geometry"
)

//export clEnqueueSVMFree
func clEnqueueSVMFree(hq C.cl_command_queue, n C.cl_uint, pointers *unsafe.Pointer, free C.svm_free, data unsafe.Pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	if (n == 0) != (pointers == nil) {
		return C.CL_INVALID_VALUE
	}
	// The host's array may be gone when the command runs, and the host's function gets an array of its own.
	word := unsafe.Sizeof(data)
	array := C.lockstep_malloc(C.size_t(uintptr(n)*word + word))
	if array == nil {
		return C.CL_OUT_OF_HOST_MEMORY
	}
	copied := unsafe.Slice((*unsafe.Pointer)(array), uint64(n))
	for i, p := range list(n, pointers) {
		copied[i] = p
	}
	code := q.put(waitList{wn, wait, ev}, command{kind: C.CL_COMMAND_SVM_FREE, run: func() C.cl_int {
		if free != nil {
			C.call_svm_free(free, hq, n, (*unsafe.Pointer)(array), data)
			return C.CL_SUCCESS
		}
		for _, p := range copied {
			if p != nil {
				q.ctx.freeSVM(p)
			}
		}
		return C.CL_SUCCESS
	}, end: func() { C.free(array) }})
	if code != C.CL_SUCCESS {
		C.free(array)
	}
	return code
}

// svmCopy puts a copy into the queue. Either side may be memory of the host.
func (q *queue) svmCopy(kind C.cl_command_type, blocking C.cl_bool, dst, src unsafe.Pointer, size C.size_t, w waitList) C.cl_int {
	n := uint64(size)
	if n != 0 && (dst == nil || src == nil) || n > mostBytes {
		return C.CL_INVALID_VALUE
	}
	for _, p := range []unsafe.Pointer{dst, src} {
		if _, crosses := q.ctx.inSVM(p, n); crosses {
			return C.CL_INVALID_VALUE
		}
	}
	if d, s := uint64(uintptr(dst)), uint64(uintptr(src)); n != 0 && d-s < n || n != 0 && s-d < n {
		return C.CL_MEM_COPY_OVERLAP
	}
	return q.put(w, command{kind: kind, blocking: blocking != C.CL_FALSE, run: func() C.cl_int {
		if n != 0 {
			copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
		}
		return C.CL_SUCCESS
	}})
}

// svmFill puts a fill with a pattern into the queue.
func (q *queue) svmFill(kind C.cl_command_type, p unsafe.Pointer, pattern C.const_pointer, patternSize, size C.size_t, w waitList) C.cl_int {
	n, step := uint64(size), uint64(patternSize)
	if pattern == nil || step == 0 || step > 128 || step&(step-1) != 0 || n%step != 0 || n != 0 && p == nil || uint64(uintptr(p))%step != 0 {
		return C.CL_INVALID_VALUE
	}
	if in, crosses := q.ctx.inSVM(p, n); n != 0 && (!in || crosses) {
		return C.CL_INVALID_VALUE
	}
	bytes := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(pattern)), step)...)
	return q.put(w, command{kind: kind, run: func() C.cl_int {
		if n != 0 {
			geometry.Fill(unsafe.Slice((*byte)(p), n), geometry.Box{Bytes: n, Rows: 1, Slices: 1}, bytes)
		}
		return C.CL_SUCCESS
	}})
}

// svmMigrate puts a migration into the queue, which has nothing to do: there is one memory.
func (q *queue) svmMigrate(kind C.cl_command_type, pointers []unsafe.Pointer, sizes []C.size_t, flags C.cl_mem_migration_flags, w waitList) C.cl_int {
	if len(pointers) == 0 || flags&^(C.CL_MIGRATE_MEM_OBJECT_HOST|C.CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0 {
		return C.CL_INVALID_VALUE
	}
	for i, p := range pointers {
		n := uint64(1)
		if sizes != nil && sizes[i] != 0 {
			n = uint64(sizes[i])
		}
		if in, crosses := q.ctx.inSVM(p, n); !in || crosses {
			return C.CL_INVALID_VALUE
		}
	}
	return q.put(w, command{kind: kind})
}

//export clEnqueueSVMMemcpy
func clEnqueueSVMMemcpy(hq C.cl_command_queue, blocking C.cl_bool, dst unsafe.Pointer, src C.const_pointer, size C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return q.svmCopy(C.CL_COMMAND_SVM_MEMCPY, blocking, dst, unsafe.Pointer(src), size, waitList{wn, wait, ev})
}

//export clEnqueueSVMMemFill
func clEnqueueSVMMemFill(hq C.cl_command_queue, p unsafe.Pointer, pattern C.const_pointer, patternSize, size C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return q.svmFill(C.CL_COMMAND_SVM_MEMFILL, p, pattern, patternSize, size, waitList{wn, wait, ev})
}

//export clEnqueueSVMMap
func clEnqueueSVMMap(hq C.cl_command_queue, blocking C.cl_bool, flags C.cl_map_flags, p unsafe.Pointer, size C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	const write = C.CL_MAP_WRITE_INVALIDATE_REGION
	q, ok := findQueue(hq)
	switch {
	case !ok:
		return C.CL_INVALID_COMMAND_QUEUE
	case p == nil, size == 0, flags&^(C.CL_MAP_READ|C.CL_MAP_WRITE|write) != 0, flags&write != 0 && flags != write:
		return C.CL_INVALID_VALUE
	}
	if _, crosses := q.ctx.inSVM(p, uint64(size)); crosses {
		return C.CL_INVALID_VALUE
	}
	return q.put(waitList{wn, wait, ev}, command{kind: C.CL_COMMAND_SVM_MAP, blocking: blocking != C.CL_FALSE})
}

//export clEnqueueSVMUnmap
func clEnqueueSVMUnmap(hq C.cl_command_queue, p unsafe.Pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	switch {
	case !ok:
		return C.CL_INVALID_COMMAND_QUEUE
	case p == nil:
		return C.CL_INVALID_VALUE
	}
	return q.put(waitList{wn, wait, ev}, command{kind: C.CL_COMMAND_SVM_UNMAP})
}

//export clEnqueueSVMMigrateMem
func clEnqueueSVMMigrateMem(hq C.cl_command_queue, n C.cl_uint, pointers *C.const_pointer, sizes *C.const_size_t, flags C.cl_mem_migration_flags, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(hq)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return q.svmMigrate(C.CL_COMMAND_SVM_MIGRATE_MEM, list(n, (*unsafe.Pointer)(unsafe.Pointer(pointers))),
		list(n, (*C.size_t)(unsafe.Pointer(sizes))), flags, waitList{wn, wait, ev})
}
