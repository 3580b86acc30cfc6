// Package ocl drives an OpenCL implementation through the system's OpenCL
// library, loaded at run time and called without cgo.
//
// It covers what is needed to run a kernel and compare or time the result:
// platforms, devices, contexts, programs from source or from intermediate
// language (SPIR-V), kernels, buffers, in-order queues, launches, events with
// profiling times, images and samplers. It is not a complete binding: pipes, shared virtual
// memory, sub-buffers and callbacks are absent. Data comes from and goes to
// byte slices of the caller; the calls that move it block until it has moved.
//
// Handles are released by their Release method, never by the garbage
// collector. A handle is used by one goroutine at a time.
package ocl

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Library is a loaded OpenCL library with its entry points.
type Library struct {
	getPlatformIDs          func(n uint32, ids unsafe.Pointer, count *uint32) int32
	getPlatformInfo         func(p uintptr, name uint32, size uintptr, value unsafe.Pointer, ret *uintptr) int32
	getDeviceIDs            func(p uintptr, kind uint64, n uint32, ids unsafe.Pointer, count *uint32) int32
	getDeviceInfo           func(d uintptr, name uint32, size uintptr, value unsafe.Pointer, ret *uintptr) int32
	createContext           func(props unsafe.Pointer, n uint32, devices unsafe.Pointer, notify, user uintptr, code *int32) uintptr
	releaseContext          func(c uintptr) int32
	createCommandQueue      func(c, d uintptr, props uint64, code *int32) uintptr
	releaseCommandQueue     func(q uintptr) int32
	createProgramWithSource func(c uintptr, n uint32, strings, lengths unsafe.Pointer, code *int32) uintptr
	createProgramWithIL     func(c uintptr, il unsafe.Pointer, length uintptr, code *int32) uintptr
	buildProgram            func(p uintptr, n uint32, devices unsafe.Pointer, options string, notify, user uintptr) int32
	getProgramBuildInfo     func(p, d uintptr, name uint32, size uintptr, value unsafe.Pointer, ret *uintptr) int32
	releaseProgram          func(p uintptr) int32
	createKernel            func(p uintptr, name string, code *int32) uintptr
	setKernelArg            func(k uintptr, index uint32, size uintptr, value unsafe.Pointer) int32
	releaseKernel           func(k uintptr) int32
	createBuffer            func(c uintptr, flags uint64, size uintptr, host unsafe.Pointer, code *int32) uintptr
	releaseMemObject        func(m uintptr) int32
	enqueueReadBuffer       func(q, m uintptr, blocking uint32, offset, size uintptr, p unsafe.Pointer, n uint32, wait unsafe.Pointer, event *uintptr) int32
	enqueueWriteBuffer      func(q, m uintptr, blocking uint32, offset, size uintptr, p unsafe.Pointer, n uint32, wait unsafe.Pointer, event *uintptr) int32
	enqueueNDRangeKernel    func(q, k uintptr, dims uint32, offset, global, local unsafe.Pointer, n uint32, wait unsafe.Pointer, event *uintptr) int32
	finish                  func(q uintptr) int32
	waitForEvents           func(n uint32, events unsafe.Pointer) int32
	getEventProfilingInfo   func(e uintptr, name uint32, size uintptr, value unsafe.Pointer, ret *uintptr) int32
	releaseEvent            func(e uintptr) int32
	image                   imageCalls
}

// Load opens the OpenCL library at path, or the system's when path is empty,
// and finds its entry points. clCreateProgramWithIL may be absent (a library
// older than OpenCL 2.1); Context.ProgramFromIL then says so.
func Load(path string) (*Library, error) {
	names := defaultNames
	if path != "" {
		names = []string{path}
	}
	var handle uintptr
	var failures []error
	for _, name := range names {
		h, err := openLibrary(name)
		if err == nil {
			handle = h
			break
		}
		failures = append(failures, err)
	}
	if handle == 0 {
		return nil, fmt.Errorf("no OpenCL library could be opened: %w", errors.Join(failures...))
	}
	l := &Library{}
	for _, f := range []struct {
		name     string
		target   any
		optional bool
	}{
		{"clGetPlatformIDs", &l.getPlatformIDs, false},
		{"clGetPlatformInfo", &l.getPlatformInfo, false},
		{"clGetDeviceIDs", &l.getDeviceIDs, false},
		{"clGetDeviceInfo", &l.getDeviceInfo, false},
		{"clCreateContext", &l.createContext, false},
		{"clReleaseContext", &l.releaseContext, false},
		{"clCreateCommandQueue", &l.createCommandQueue, false},
		{"clReleaseCommandQueue", &l.releaseCommandQueue, false},
		{"clCreateProgramWithSource", &l.createProgramWithSource, false},
		{"clCreateProgramWithIL", &l.createProgramWithIL, true},
		{"clBuildProgram", &l.buildProgram, false},
		{"clGetProgramBuildInfo", &l.getProgramBuildInfo, false},
		{"clReleaseProgram", &l.releaseProgram, false},
		{"clCreateKernel", &l.createKernel, false},
		{"clSetKernelArg", &l.setKernelArg, false},
		{"clReleaseKernel", &l.releaseKernel, false},
		{"clCreateBuffer", &l.createBuffer, false},
		{"clReleaseMemObject", &l.releaseMemObject, false},
		{"clEnqueueReadBuffer", &l.enqueueReadBuffer, false},
		{"clEnqueueWriteBuffer", &l.enqueueWriteBuffer, false},
		{"clEnqueueNDRangeKernel", &l.enqueueNDRangeKernel, false},
		{"clFinish", &l.finish, false},
		{"clWaitForEvents", &l.waitForEvents, false},
		{"clGetEventProfilingInfo", &l.getEventProfilingInfo, false},
		{"clReleaseEvent", &l.releaseEvent, false},
	} {
		symbol, err := findSymbol(handle, f.name)
		if err != nil {
			if f.optional {
				continue
			}
			return nil, fmt.Errorf("the OpenCL library lacks %s: %w", f.name, err)
		}
		purego.RegisterFunc(f.target, symbol)
	}
	for name, target := range l.image.names() {
		symbol, err := findSymbol(handle, name)
		if err != nil {
			return nil, fmt.Errorf("the OpenCL library lacks %s: %w", name, err)
		}
		purego.RegisterFunc(target, symbol)
	}
	return l, nil
}

// infoCall is any clGet…Info function with its object already bound.
type infoCall func(size uintptr, value unsafe.Pointer, ret *uintptr) int32

// infoString reads a string property; a property that cannot be read is "".
func infoString(get infoCall) string {
	var size uintptr
	if get(0, nil, &size) != 0 || size == 0 {
		return ""
	}
	b := make([]byte, size)
	if get(size, unsafe.Pointer(&b[0]), nil) != 0 {
		return ""
	}
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return string(b)
}

// infoNumber reads a numeric property of T's size.
func infoNumber[T uint32 | uint64 | uintptr](what string, get infoCall) (T, error) {
	var v T
	err := check(what, get(unsafe.Sizeof(v), unsafe.Pointer(&v), nil))
	return v, err
}
