package main

// #include "opencl.h"
import "C"

import "unsafe"

// answer is where a clGet…Info function writes what was asked for.
type answer struct {
	size  C.size_t
	value unsafe.Pointer
	ret   *C.size_t
}

// bytes answers with bytes.
func (a answer) bytes(b []byte) C.cl_int {
	if a.value != nil {
		if a.size < C.size_t(len(b)) {
			return C.CL_INVALID_VALUE
		}
		copy(unsafe.Slice((*byte)(a.value), len(b)), b)
	}
	set(a.ret, C.size_t(len(b)))
	return C.CL_SUCCESS
}

// text answers with a string of C.
func (a answer) text(s string) C.cl_int { return a.bytes(append([]byte(s), 0)) }

// put answers with one value.
func put[T any](a answer, v T) C.cl_int { return puts(a, []T{v}) }

// puts answers with an array.
func puts[T any](a answer, v []T) C.cl_int {
	var b []byte
	if len(v) != 0 {
		b = unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
	}
	return a.bytes(b)
}

func (a answer) uint(v int) C.cl_int     { return put(a, C.cl_uint(v)) }
func (a answer) ulong(v uint64) C.cl_int { return put(a, C.cl_ulong(v)) }
func (a answer) sizeT(v uint64) C.cl_int { return put(a, C.size_t(v)) }
func (a answer) bool(v bool) C.cl_int {
	if v {
		return put(a, C.cl_bool(C.CL_TRUE))
	}
	return put(a, C.cl_bool(C.CL_FALSE))
}
