package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/graph"
)

// event is a cl_event: of a command, or a user event, which has no queue.
type event struct {
	object
	ctx   *clContext
	queue *queue
	kind  C.cl_command_type
	graph *graph.Event
}

func findEvent(h C.cl_event) (*event, bool) { return lookup[*event](unsafe.Pointer(h)) }

func (e *event) id() C.cl_event { return C.cl_event(e.handle) }

// end lets go of what the event belongs to.
func (e *event) end() {
	if e.queue == nil {
		e.ctx.drop()
		return
	}
	e.queue.drop() // which has the context
}

//export clCreateUserEvent
func clCreateUserEvent(h C.cl_context, errcode *C.cl_int) C.cl_event {
	c, ok := findContext(h)
	if !ok {
		set(errcode, C.CL_INVALID_CONTEXT)
		return nil
	}
	e := &event{ctx: c, kind: C.CL_COMMAND_USER, graph: graph.NewEvent(graph.Submitted)}
	if !enter(e, e.end) {
		set(errcode, C.CL_OUT_OF_HOST_MEMORY)
		return nil
	}
	c.hold()
	set(errcode, C.CL_SUCCESS)
	return e.id()
}

//export clSetUserEventStatus
func clSetUserEventStatus(h C.cl_event, status C.cl_int) C.cl_int {
	e, ok := findEvent(h)
	switch {
	case !ok || e.queue != nil:
		return C.CL_INVALID_EVENT
	case status > C.CL_COMPLETE:
		return C.CL_INVALID_VALUE
	case !e.graph.Set(graph.Status(status)):
		return C.CL_INVALID_OPERATION
	}
	return C.CL_SUCCESS
}

//export clWaitForEvents
func clWaitForEvents(n C.cl_uint, events *C.const_cl_event) C.cl_int {
	if n == 0 || events == nil {
		return C.CL_INVALID_VALUE
	}
	var wait []*event
	for _, h := range list(n, (*C.cl_event)(unsafe.Pointer(events))) {
		e, ok := findEvent(h)
		if !ok {
			return C.CL_INVALID_EVENT
		}
		if len(wait) != 0 && wait[0].ctx != e.ctx {
			return C.CL_INVALID_CONTEXT
		}
		wait = append(wait, e)
	}
	code := C.cl_int(C.CL_SUCCESS)
	for _, e := range wait[1:] {
		e.graph.Start()
	}
	for _, e := range wait {
		if e.graph.Wait() < 0 {
			code = C.CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
		}
	}
	return code
}

//export clRetainEvent
func clRetainEvent(h C.cl_event) C.cl_int {
	if !retain[*event](unsafe.Pointer(h)) {
		return C.CL_INVALID_EVENT
	}
	return C.CL_SUCCESS
}

//export clReleaseEvent
func clReleaseEvent(h C.cl_event) C.cl_int {
	if !release[*event](unsafe.Pointer(h)) {
		return C.CL_INVALID_EVENT
	}
	return C.CL_SUCCESS
}

//export clGetEventInfo
func clGetEventInfo(h C.cl_event, name C.cl_event_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	e, ok := findEvent(h)
	if !ok {
		return C.CL_INVALID_EVENT
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_EVENT_COMMAND_QUEUE:
		if e.queue == nil {
			return put(a, C.cl_command_queue(nil))
		}
		return put(a, e.queue.id())
	case C.CL_EVENT_CONTEXT:
		return put(a, e.ctx.id())
	case C.CL_EVENT_COMMAND_TYPE:
		return put(a, e.kind)
	case C.CL_EVENT_COMMAND_EXECUTION_STATUS:
		e.graph.Start() // a host may ask until it is over
		e.graph.Release()
		return put(a, C.cl_int(e.graph.Status()))
	case C.CL_EVENT_REFERENCE_COUNT:
		return put(a, e.references())
	}
	return C.CL_INVALID_VALUE
}

//export clGetEventProfilingInfo
func clGetEventProfilingInfo(h C.cl_event, name C.cl_profiling_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	e, ok := findEvent(h)
	if !ok {
		return C.CL_INVALID_EVENT
	}
	if e.queue == nil || e.queue.flags&C.CL_QUEUE_PROFILING_ENABLE == 0 || e.graph.Status() != graph.Complete {
		return C.CL_PROFILING_INFO_NOT_AVAILABLE
	}
	a := answer{size, value, ret}
	t := e.graph.Times()
	switch name {
	case C.CL_PROFILING_COMMAND_QUEUED:
		return a.ulong(t.Queued)
	case C.CL_PROFILING_COMMAND_SUBMIT:
		return a.ulong(t.Submitted)
	case C.CL_PROFILING_COMMAND_START:
		return a.ulong(t.Started)
	case C.CL_PROFILING_COMMAND_END, C.CL_PROFILING_COMMAND_COMPLETE:
		return a.ulong(t.Ended)
	}
	return C.CL_INVALID_VALUE
}

//export clSetEventCallback
func clSetEventCallback(h C.cl_event, level C.cl_int, f C.event_notify, data unsafe.Pointer) C.cl_int {
	e, ok := findEvent(h)
	if !ok {
		return C.CL_INVALID_EVENT
	}
	if f == nil || level != C.CL_SUBMITTED && level != C.CL_RUNNING && level != C.CL_COMPLETE {
		return C.CL_INVALID_VALUE
	}
	e.hold()
	e.graph.Start()
	e.graph.Notify(graph.Status(level), func(s graph.Status) {
		C.call_event_notify(f, h, C.cl_int(s), data)
		e.drop()
	})
	return C.CL_SUCCESS
}
