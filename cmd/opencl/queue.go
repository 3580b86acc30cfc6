package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/graph"
)

// queue is a cl_command_queue.
type queue struct {
	object
	ctx        *clContext
	device     *device
	flags      C.cl_command_queue_properties
	properties []C.cl_queue_properties
	commands   graph.Queue
	recording  *commandBuffer // what takes the commands of the queue, where that is its recorder
}

func findQueue(h C.cl_command_queue) (*queue, bool) { return lookup[*queue](unsafe.Pointer(h)) }

func (q *queue) id() C.cl_command_queue { return C.cl_command_queue(q.handle) }

func newQueue(hc C.cl_context, hd C.cl_device_id, flags C.cl_command_queue_properties, words []C.cl_queue_properties, errcode *C.cl_int) C.cl_command_queue {
	fail := func(code C.cl_int) C.cl_command_queue { set(errcode, code); return nil }
	c, ok := findContext(hc)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	d, ok := findDevice(hd)
	if !ok || !c.has(d) {
		return fail(C.CL_INVALID_DEVICE)
	}
	if flags&^(C.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE|C.CL_QUEUE_PROFILING_ENABLE|C.CL_QUEUE_ON_DEVICE|C.CL_QUEUE_ON_DEVICE_DEFAULT) != 0 {
		return fail(C.CL_INVALID_VALUE)
	}
	if flags&(C.CL_QUEUE_ON_DEVICE|C.CL_QUEUE_ON_DEVICE_DEFAULT) != 0 {
		return fail(C.CL_INVALID_QUEUE_PROPERTIES)
	}
	q := &queue{ctx: c, device: d, flags: flags, properties: words}
	q.commands.OutOfOrder = flags&C.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0
	q.commands.Timed = flags&C.CL_QUEUE_PROFILING_ENABLE != 0
	c.commands.Add(&q.commands)
	if !enter(q, q.end) {
		c.commands.Remove(&q.commands)
		return fail(C.CL_OUT_OF_HOST_MEMORY)
	}
	c.hold()
	set(errcode, C.CL_SUCCESS)
	return q.id()
}

// end lets go of what the queue belongs to.
func (q *queue) end() {
	q.ctx.commands.Remove(&q.commands)
	q.ctx.drop()
}

//export clCreateCommandQueue
func clCreateCommandQueue(c C.cl_context, d C.cl_device_id, flags C.cl_command_queue_properties, errcode *C.cl_int) C.cl_command_queue {
	return newQueue(c, d, flags, nil, errcode)
}

//export clCreateCommandQueueWithProperties
func clCreateCommandQueueWithProperties(c C.cl_context, d C.cl_device_id, properties *C.const_cl_queue_properties, errcode *C.cl_int) C.cl_command_queue {
	words := pairs((*C.cl_queue_properties)(unsafe.Pointer(properties)))
	var flags C.cl_command_queue_properties
	for i := 0; i+1 < len(words); i += 2 {
		switch words[i] {
		case C.CL_QUEUE_PROPERTIES:
			flags = C.cl_command_queue_properties(words[i+1])
		case C.CL_QUEUE_SIZE:
			// For queues on devices, which there are not.
			set(errcode, C.CL_INVALID_QUEUE_PROPERTIES)
			return nil
		case C.CL_QUEUE_PRIORITY_KHR, C.CL_QUEUE_THROTTLE_KHR:
			// Hints: all queues have the same workers. The values are those of HIGH, MED and LOW.
			if v := words[i+1]; v != 1 && v != 2 && v != 4 {
				set(errcode, C.CL_INVALID_VALUE)
				return nil
			}
		default:
			set(errcode, C.CL_INVALID_VALUE)
			return nil
		}
	}
	return newQueue(c, d, flags, words, errcode)
}

//export clCreateCommandQueueWithPropertiesKHR
func clCreateCommandQueueWithPropertiesKHR(c C.cl_context, d C.cl_device_id, properties *C.const_cl_queue_properties, errcode *C.cl_int) C.cl_command_queue {
	return clCreateCommandQueueWithProperties(c, d, properties, errcode)
}

//export clSetCommandQueueProperty
func clSetCommandQueueProperty(h C.cl_command_queue, flags C.cl_command_queue_properties, enable C.cl_bool, old *C.cl_command_queue_properties) C.cl_int {
	if _, ok := findQueue(h); !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return C.CL_INVALID_OPERATION // OpenCL 1.1 and later
}

//export clSetDefaultDeviceCommandQueue
func clSetDefaultDeviceCommandQueue(hc C.cl_context, hd C.cl_device_id, hq C.cl_command_queue) C.cl_int {
	c, ok := findContext(hc)
	if !ok {
		return C.CL_INVALID_CONTEXT
	}
	if d, ok := findDevice(hd); !ok || !c.has(d) {
		return C.CL_INVALID_DEVICE
	}
	return C.CL_INVALID_OPERATION // there are no queues on devices
}

//export clRetainCommandQueue
func clRetainCommandQueue(h C.cl_command_queue) C.cl_int {
	if !retain[*queue](unsafe.Pointer(h)) {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return C.CL_SUCCESS
}

//export clReleaseCommandQueue
func clReleaseCommandQueue(h C.cl_command_queue) C.cl_int {
	if !release[*queue](unsafe.Pointer(h)) {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return C.CL_SUCCESS
}

//export clGetCommandQueueInfo
func clGetCommandQueueInfo(h C.cl_command_queue, name C.cl_command_queue_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	q, ok := findQueue(h)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_QUEUE_CONTEXT:
		return put(a, q.ctx.id())
	case C.CL_QUEUE_DEVICE:
		return put(a, q.device.id())
	case C.CL_QUEUE_REFERENCE_COUNT:
		return put(a, q.references())
	case C.CL_QUEUE_PROPERTIES:
		return put(a, q.flags)
	case C.CL_QUEUE_PROPERTIES_ARRAY:
		return puts(a, q.properties)
	case C.CL_QUEUE_SIZE:
		return C.CL_INVALID_COMMAND_QUEUE
	case C.CL_QUEUE_DEVICE_DEFAULT:
		return put(a, C.cl_command_queue(nil))
	}
	return C.CL_INVALID_VALUE
}

//export clFlush
func clFlush(h C.cl_command_queue) C.cl_int {
	q, ok := findQueue(h)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	q.commands.Start()
	return C.CL_SUCCESS
}

//export clFinish
func clFinish(h C.cl_command_queue) C.cl_int {
	q, ok := findQueue(h)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	q.commands.Finish()
	return C.CL_SUCCESS
}

// waitList is the last three parameters of every function that puts a command into a queue.
type waitList struct {
	n     C.cl_uint
	list  *C.const_cl_event
	event *C.cl_event
}

// events returns the events that a command of the queue waits for.
func (w waitList) events(c *clContext) ([]*graph.Event, C.cl_int) {
	if (w.n == 0) != (w.list == nil) {
		return nil, C.CL_INVALID_EVENT_WAIT_LIST
	}
	var events []*graph.Event
	for _, h := range list(w.n, (*C.cl_event)(unsafe.Pointer(w.list))) {
		e, ok := findEvent(h)
		if !ok {
			return nil, C.CL_INVALID_EVENT_WAIT_LIST
		}
		if e.ctx != c {
			return nil, C.CL_INVALID_CONTEXT
		}
		events = append(events, e.graph)
	}
	return events, C.CL_SUCCESS
}

// command is what is put into a queue.
type command struct {
	kind   C.cl_command_type
	order  graph.Order
	uses   []*object // what must live until the command is over
	launch *launch   // what it does, or
	run    func() C.cl_int
	end    func() // if it is not nil, called when the command is over, also if it did not run
	// semaphores are what the command waits for behind its wait list, if there are any. It then does nothing else.
	semaphores []*graph.Semaphore
	// blocking says that the function returns when the command is over, with its error.
	blocking bool
}

// do does what the command does.
func (c *command) do() C.cl_int {
	switch {
	case c.launch != nil:
		return c.launch.run()
	case c.run != nil:
		return c.run()
	}
	return C.CL_SUCCESS
}

// hold keeps alive what the command uses, until over.
func (c *command) hold() {
	for _, o := range c.uses {
		o.hold()
	}
}

// over lets go of what the command uses.
func (c *command) over() {
	if c.end != nil {
		c.end()
	}
	for _, o := range c.uses {
		o.drop()
	}
}

// submission is a command in a queue.
type submission struct {
	graph.Command
	command command
	queue   *queue
	event   *event // of the host's; nil if it wants none
}

// Run does what the command does.
func (s *submission) Run() graph.Status { return graph.Status(s.command.do()) }

// End lets go of what the command uses. Its event may stay.
func (s *submission) End() {
	s.command.over()
	s.queue.drop()
	if s.event != nil {
		s.event.drop()
	}
	s.command, s.queue, s.event = command{}, nil, nil
}

// put puts a command into the queue.
func (q *queue) put(w waitList, c command) C.cl_int {
	if q.recording != nil {
		return q.recording.add(c)
	}
	wait, code := w.events(q.ctx)
	if code != C.CL_SUCCESS {
		return code
	}
	s := &submission{command: c, queue: q}
	s.Together = c.launch != nil && c.launch.emu.Kernel.UsesPipes()
	e := q.commands.NewEvent(&s.Command)
	if w.event != nil {
		// The handle is there before the command, which may be over at once, and before this function returns:
		// another thread may still have it from an object that was released.
		ev := &event{ctx: q.ctx, queue: q, kind: c.kind, graph: e}
		if !enter(ev, ev.end) {
			return C.CL_OUT_OF_HOST_MEMORY
		}
		ev.hold()
		q.hold()
		s.event = ev
		*w.event = ev.id()
	}
	q.hold()
	c.hold()
	if c.semaphores != nil {
		q.commands.PutWait(&s.Command, wait, c.semaphores, s)
	} else {
		q.commands.Put(&s.Command, wait, c.order, s)
	}
	if c.blocking {
		return C.cl_int(e.Wait())
	}
	return C.CL_SUCCESS
}

//export clEnqueueMarkerWithWaitList
func clEnqueueMarkerWithWaitList(h C.cl_command_queue, n C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(h)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return q.put(waitList{n, wait, ev}, command{kind: C.CL_COMMAND_MARKER, order: graph.Marker})
}

//export clEnqueueBarrierWithWaitList
func clEnqueueBarrierWithWaitList(h C.cl_command_queue, n C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(h)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	return q.put(waitList{n, wait, ev}, command{kind: C.CL_COMMAND_BARRIER, order: graph.Barrier})
}

//export clEnqueueMarker
func clEnqueueMarker(h C.cl_command_queue, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(h)
	if !ok {
		return C.CL_INVALID_COMMAND_QUEUE
	}
	if ev == nil {
		return C.CL_INVALID_VALUE
	}
	return q.put(waitList{event: ev}, command{kind: C.CL_COMMAND_MARKER, order: graph.Marker})
}

//export clEnqueueBarrier
func clEnqueueBarrier(h C.cl_command_queue) C.cl_int {
	return clEnqueueBarrierWithWaitList(h, 0, nil, nil)
}

//export clEnqueueWaitForEvents
func clEnqueueWaitForEvents(h C.cl_command_queue, n C.cl_uint, wait *C.const_cl_event) C.cl_int {
	q, ok := findQueue(h)
	switch {
	case !ok:
		return C.CL_INVALID_COMMAND_QUEUE
	case n == 0 || wait == nil:
		return C.CL_INVALID_VALUE
	}
	code := q.put(waitList{n, wait, nil}, command{kind: C.CL_COMMAND_BARRIER, order: graph.Barrier})
	if code == C.CL_INVALID_EVENT_WAIT_LIST {
		return C.CL_INVALID_EVENT
	}
	return code
}

//export clEnqueueNativeKernel
func clEnqueueNativeKernel(h C.cl_command_queue, f C.native_kernel, args unsafe.Pointer, size C.size_t, n C.cl_uint, mems *C.const_cl_mem, places *C.const_pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, ok := findQueue(h)
	switch {
	case !ok:
		return C.CL_INVALID_COMMAND_QUEUE
	case f == nil, args == nil && (size > 0 || n > 0), args != nil && size == 0, n > 0 && (mems == nil || places == nil), n == 0 && (mems != nil || places != nil):
		return C.CL_INVALID_VALUE
	}
	var copied unsafe.Pointer
	if size > 0 {
		if copied = C.lockstep_malloc(size); copied == nil {
			return C.CL_OUT_OF_HOST_MEMORY
		}
		copy(unsafe.Slice((*byte)(copied), int(size)), unsafe.Slice((*byte)(args), int(size)))
	}
	var uses []*object
	for i, mh := range list(n, (*C.cl_mem)(unsafe.Pointer(mems))) {
		m, ok := findMemory(mh)
		at := uintptr(unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(places)), int(n))[i]) - uintptr(args)
		if !ok || m.data == nil || at > uintptr(size) || uintptr(size)-at < unsafe.Sizeof(at) {
			C.free(copied)
			if !ok {
				return C.CL_INVALID_MEM_OBJECT
			}
			return C.CL_INVALID_VALUE
		}
		*(*unsafe.Pointer)(unsafe.Add(copied, at)) = m.data
		uses = append(uses, &m.object)
	}
	code := q.put(waitList{wn, wait, ev}, command{kind: C.CL_COMMAND_NATIVE_KERNEL, uses: uses, run: func() C.cl_int {
		C.call_native_kernel(f, copied)
		return C.CL_SUCCESS
	}, end: func() { C.free(copied) }})
	if code != C.CL_SUCCESS {
		C.free(copied)
	}
	return code
}
