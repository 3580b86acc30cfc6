package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/graph"
)

// semaphore is a cl_semaphore_khr, a binary one.
type semaphore struct {
	object
	ctx        *clContext
	properties []C.cl_semaphore_properties_khr
	device     *device // whose queues may have it
	graph      graph.Semaphore
}

func findSemaphore(h C.cl_semaphore_khr) (*semaphore, bool) {
	return lookup[*semaphore](unsafe.Pointer(h))
}

//export lockstepCreateSemaphoreWithProperties
func lockstepCreateSemaphoreWithProperties(h C.cl_context, properties *C.const_cl_properties, errcode *C.cl_int) C.cl_semaphore_khr {
	fail := func(code C.cl_int) C.cl_semaphore_khr { set(errcode, code); return nil }
	c, ok := findContext(h)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	if properties == nil {
		return fail(C.CL_INVALID_VALUE)
	}
	s := &semaphore{ctx: c}
	if code := s.describe((*C.cl_semaphore_properties_khr)(unsafe.Pointer(properties))); code != C.CL_SUCCESS {
		return fail(code)
	}
	if !enter(s, c.drop) {
		return fail(C.CL_OUT_OF_HOST_MEMORY)
	}
	c.hold()
	set(errcode, C.CL_SUCCESS)
	return C.cl_semaphore_khr(s.handle)
}

// describe reads properties: names with a value each, of which that of a list of devices is the devices and a zero.
func (s *semaphore) describe(p *C.cl_semaphore_properties_khr) C.cl_int {
	next := func() C.cl_semaphore_properties_khr {
		v := *p
		p = (*C.cl_semaphore_properties_khr)(unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(v)))
		s.properties = append(s.properties, v)
		return v
	}
	seen := map[C.cl_semaphore_properties_khr]bool{}
	for name := next(); name != 0; name = next() {
		if seen[name] {
			return C.CL_INVALID_PROPERTY
		}
		seen[name] = true
		switch name {
		case C.CL_SEMAPHORE_TYPE_KHR:
			if next() != C.CL_SEMAPHORE_TYPE_BINARY_KHR {
				return C.CL_INVALID_PROPERTY
			}
		case C.CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
			for v := next(); v != 0; v = next() {
				d, ok := findDevice(*(*C.cl_device_id)(unsafe.Pointer(&v)))
				if !ok || s.device != nil || !s.ctx.has(d) {
					return C.CL_INVALID_DEVICE
				}
				s.device = d
			}
			if s.device == nil {
				return C.CL_INVALID_DEVICE
			}
		default:
			return C.CL_INVALID_PROPERTY
		}
	}
	switch {
	case !seen[C.CL_SEMAPHORE_TYPE_KHR]:
		return C.CL_INVALID_VALUE
	case s.device == nil && len(s.ctx.devices) > 1:
		return C.CL_INVALID_PROPERTY
	case s.device == nil:
		s.device = s.ctx.devices[0]
	}
	return C.CL_SUCCESS
}

//export lockstepRetainSemaphore
func lockstepRetainSemaphore(h C.cl_semaphore_khr) C.cl_int {
	if !retain[*semaphore](unsafe.Pointer(h)) {
		return C.CL_INVALID_SEMAPHORE_KHR
	}
	return C.CL_SUCCESS
}

//export lockstepReleaseSemaphore
func lockstepReleaseSemaphore(h C.cl_semaphore_khr) C.cl_int {
	if !release[*semaphore](unsafe.Pointer(h)) {
		return C.CL_INVALID_SEMAPHORE_KHR
	}
	return C.CL_SUCCESS
}

//export lockstepGetSemaphoreInfo
func lockstepGetSemaphoreInfo(h C.cl_semaphore_khr, name C.cl_semaphore_info_khr, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	s, ok := findSemaphore(h)
	if !ok {
		return C.CL_INVALID_SEMAPHORE_KHR
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_SEMAPHORE_CONTEXT_KHR:
		return put(a, s.ctx.id())
	case C.CL_SEMAPHORE_REFERENCE_COUNT_KHR:
		return put(a, s.references())
	case C.CL_SEMAPHORE_PROPERTIES_KHR:
		return puts(a, s.properties)
	case C.CL_SEMAPHORE_TYPE_KHR:
		return put(a, C.cl_semaphore_type_khr(C.CL_SEMAPHORE_TYPE_BINARY_KHR))
	case C.CL_SEMAPHORE_PAYLOAD_KHR:
		payload := C.cl_semaphore_payload_khr(0)
		if s.graph.Signaled() {
			payload = 1
		}
		return put(a, payload)
	case C.CL_SEMAPHORE_DEVICE_HANDLE_LIST_KHR:
		return put(a, s.device.id())
	}
	return C.CL_INVALID_VALUE
}

// lockstepGetSemaphoreHandleForType is what host programs look up together with the other functions, although it belongs to
// cl_khr_external_semaphore: a semaphore has none of the handles that properties of that extension ask for.
//
//export lockstepGetSemaphoreHandleForType
func lockstepGetSemaphoreHandleForType(h C.cl_semaphore_khr, hd C.cl_device_id, kind C.cl_uint, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	s, ok := findSemaphore(h)
	if !ok {
		return C.CL_INVALID_SEMAPHORE_KHR
	}
	if d, ok := findDevice(hd); !ok || d != s.device {
		return C.CL_INVALID_DEVICE
	}
	return C.CL_INVALID_VALUE
}

// semaphoresOf finds a queue and the semaphores of a command.
func semaphoresOf(hq C.cl_command_queue, n C.cl_uint, p *C.const_cl_semaphore_khr) (*queue, []*object, []*graph.Semaphore, C.cl_int) {
	q, ok := findQueue(hq)
	if !ok {
		return nil, nil, nil, C.CL_INVALID_COMMAND_QUEUE
	}
	if n == 0 || p == nil {
		return nil, nil, nil, C.CL_INVALID_VALUE
	}
	var uses []*object
	var found []*graph.Semaphore
	for _, h := range list(n, (*C.cl_semaphore_khr)(unsafe.Pointer(p))) {
		s, ok := findSemaphore(h)
		switch {
		case !ok:
			return nil, nil, nil, C.CL_INVALID_SEMAPHORE_KHR
		case s.ctx != q.ctx:
			return nil, nil, nil, C.CL_INVALID_CONTEXT
		case s.device != q.device:
			return nil, nil, nil, C.CL_INVALID_COMMAND_QUEUE
		}
		uses, found = append(uses, &s.object), append(found, &s.graph)
	}
	return q, uses, found, C.CL_SUCCESS
}

// failed says whether an event of the list is invalid or has an error already: commands with semaphores are then refused.
func (w waitList) failed(c *clContext) C.cl_int {
	events, code := w.events(c)
	for _, e := range events {
		if e.Status() < 0 {
			return C.CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
		}
	}
	return code
}

// The lists of payloads belong to kinds of semaphores that there are not.

//export lockstepEnqueueSignalSemaphores
func lockstepEnqueueSignalSemaphores(hq C.cl_command_queue, n C.cl_uint, p *C.const_cl_semaphore_khr, _ *C.const_cl_semaphore_payload_khr, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, uses, found, code := semaphoresOf(hq, n, p)
	w := waitList{wn, wait, ev}
	if code == C.CL_SUCCESS {
		code = w.failed(q.ctx)
	}
	if code != C.CL_SUCCESS {
		return code
	}
	return q.put(w, command{kind: C.CL_COMMAND_SEMAPHORE_SIGNAL_KHR, uses: uses, run: func() C.cl_int {
		for _, s := range found {
			s.Signal()
		}
		return C.CL_SUCCESS
	}})
}

//export lockstepEnqueueWaitSemaphores
func lockstepEnqueueWaitSemaphores(hq C.cl_command_queue, n C.cl_uint, p *C.const_cl_semaphore_khr, _ *C.const_cl_semaphore_payload_khr, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, uses, found, code := semaphoresOf(hq, n, p)
	w := waitList{wn, wait, ev}
	if code == C.CL_SUCCESS {
		code = w.failed(q.ctx)
	}
	if code != C.CL_SUCCESS {
		return code
	}
	return q.put(w, command{kind: C.CL_COMMAND_SEMAPHORE_WAIT_KHR, uses: uses, semaphores: found})
}
