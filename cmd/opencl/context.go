package main

// #include "opencl.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/graph"
)

// clContext is a cl_context.
type clContext struct {
	object
	devices    []*device
	properties []C.cl_context_properties
	notify     C.context_notify
	data       unsafe.Pointer

	commands graph.Group // of all queues

	mu         sync.Mutex
	destructor []func()
}

func findContext(h C.cl_context) (*clContext, bool) { return lookup[*clContext](unsafe.Pointer(h)) }

func (c *clContext) id() C.cl_context { return C.cl_context(c.handle) }

// device is the part of package emu that the context's devices share.
func (c *clContext) has(d *device) bool {
	for _, x := range c.devices {
		if x == d {
			return true
		}
	}
	return false
}

// report tells the host what went wrong in a command, by the context's function or on stderr.
func (c *clContext) report(text string) {
	if c.notify == nil {
		complain(text)
		return
	}
	s := C.CString(text)
	defer C.free(unsafe.Pointer(s))
	C.call_context_notify(c.notify, s, c.data)
}

//export clCreateContext
func clCreateContext(properties *C.const_cl_context_properties, n C.cl_uint, devices *C.const_cl_device_id, notify C.context_notify, data unsafe.Pointer, errcode *C.cl_int) C.cl_context {
	fail := func(code C.cl_int) C.cl_context { set(errcode, code); return nil }
	words := pairs((*C.cl_context_properties)(unsafe.Pointer(properties)))
	if code := checkContextProperties(words); code != C.CL_SUCCESS {
		return fail(code)
	}
	if n == 0 || devices == nil || notify == nil && data != nil {
		return fail(C.CL_INVALID_VALUE)
	}
	c := &clContext{properties: words, notify: notify, data: data}
	c.commands.Run = runTogether
	for _, h := range list(n, (*C.cl_device_id)(unsafe.Pointer(devices))) {
		d, ok := findDevice(h)
		if !ok {
			return fail(C.CL_INVALID_DEVICE)
		}
		if !c.has(d) {
			c.devices = append(c.devices, d)
		}
	}
	if !enter(c, c.end) {
		return fail(C.CL_OUT_OF_HOST_MEMORY)
	}
	for _, d := range c.devices {
		d.hold()
	}
	set(errcode, C.CL_SUCCESS)
	return c.id()
}

func (c *clContext) end() {
	c.mu.Lock()
	calls := c.destructor
	c.mu.Unlock()
	for i := len(calls) - 1; i >= 0; i-- {
		calls[i]()
	}
	for _, d := range c.devices {
		d.drop()
	}
}

func checkContextProperties(words []C.cl_context_properties) C.cl_int {
	seen := map[C.cl_context_properties]bool{}
	for i := 0; i+1 < len(words); i += 2 {
		if seen[words[i]] {
			return C.CL_INVALID_PROPERTY
		}
		seen[words[i]] = true
		switch words[i] {
		case C.CL_CONTEXT_PLATFORM:
			h := *(*C.cl_platform_id)(unsafe.Pointer(&words[i+1]))
			if _, ok := lookup[*platform](unsafe.Pointer(h)); !ok {
				return C.CL_INVALID_PLATFORM
			}
		case C.CL_CONTEXT_INTEROP_USER_SYNC:
			if v := words[i+1]; v != C.CL_TRUE && v != C.CL_FALSE {
				return C.CL_INVALID_PROPERTY
			}
		default:
			return C.CL_INVALID_PROPERTY
		}
	}
	return C.CL_SUCCESS
}

//export clCreateContextFromType
func clCreateContextFromType(properties *C.const_cl_context_properties, kind C.cl_device_type, notify C.context_notify, data unsafe.Pointer, errcode *C.cl_int) C.cl_context {
	var d C.cl_device_id
	if code := clGetDeviceIDs(nil, kind, 1, &d, nil); code != C.CL_SUCCESS {
		set(errcode, code)
		return nil
	}
	p := (*C.cl_device_id)(C.malloc(C.size_t(unsafe.Sizeof(d))))
	defer C.free(unsafe.Pointer(p))
	*p = d
	return clCreateContext(properties, 1, (*C.const_cl_device_id)(unsafe.Pointer(p)), notify, data, errcode)
}

//export clRetainContext
func clRetainContext(h C.cl_context) C.cl_int {
	if !retain[*clContext](unsafe.Pointer(h)) {
		return C.CL_INVALID_CONTEXT
	}
	return C.CL_SUCCESS
}

//export clReleaseContext
func clReleaseContext(h C.cl_context) C.cl_int {
	if !release[*clContext](unsafe.Pointer(h)) {
		return C.CL_INVALID_CONTEXT
	}
	return C.CL_SUCCESS
}

//export clGetContextInfo
func clGetContextInfo(h C.cl_context, name C.cl_context_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	c, ok := findContext(h)
	if !ok {
		return C.CL_INVALID_CONTEXT
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_CONTEXT_REFERENCE_COUNT:
		return put(a, c.references())
	case C.CL_CONTEXT_NUM_DEVICES:
		return a.uint(len(c.devices))
	case C.CL_CONTEXT_DEVICES:
		return puts(a, deviceIDs(c.devices))
	case C.CL_CONTEXT_PROPERTIES:
		return puts(a, c.properties)
	}
	return C.CL_INVALID_VALUE
}

func deviceIDs(devices []*device) []C.cl_device_id {
	var ids []C.cl_device_id
	for _, d := range devices {
		ids = append(ids, d.id())
	}
	return ids
}

//export clSetContextDestructorCallback
func clSetContextDestructorCallback(h C.cl_context, f C.context_destroyed, data unsafe.Pointer) C.cl_int {
	c, ok := findContext(h)
	if !ok {
		return C.CL_INVALID_CONTEXT
	}
	if f == nil {
		return C.CL_INVALID_VALUE
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.destructor = append(c.destructor, func() { C.call_context_destroyed(f, h, data) })
	return C.CL_SUCCESS
}
