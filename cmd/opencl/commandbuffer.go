package main

// #include "opencl.h"
import "C"

import (
	"sync"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/graph"
)

// commandBuffer is a cl_command_buffer_khr. Its commands run one after the other, in the order in which they were
// recorded, on whatever queue it is put into. A synchronization point is of an earlier command, so that this order
// keeps all of them.
type commandBuffer struct {
	object
	queue      *queue // of the host, from which the buffer was made
	properties []C.cl_command_buffer_properties_khr
	// recorder is a queue with no name for the host. The functions that put commands into queues put them into the
	// buffer, if they get this one.
	recorder *queue

	mu        sync.Mutex
	finalized bool
	commands  []command
	points    C.cl_sync_point_khr // the last synchronization point that was given to the host; they begin with 1
}

// The functions of the extension have no prototypes in the headers that this file sees, because older headers have
// other parameters. The table in icd.c has their names.

func findCommandBuffer(h C.cl_command_buffer_khr) (*commandBuffer, bool) {
	return lookup[*commandBuffer](unsafe.Pointer(h))
}

// commandBufferQueues are the properties that a queue of a command buffer may have.
const commandBufferQueues = C.CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | C.CL_QUEUE_PROFILING_ENABLE

//export lockstepCreateCommandBuffer
func lockstepCreateCommandBuffer(n C.cl_uint, queues *C.const_cl_command_queue, properties *C.const_cl_properties, errcode *C.cl_int) C.cl_command_buffer_khr {
	fail := func(code C.cl_int) C.cl_command_buffer_khr { set(errcode, code); return nil }
	if n != 1 || queues == nil {
		return fail(C.CL_INVALID_VALUE)
	}
	q, ok := findQueue(*(*C.cl_command_queue)(unsafe.Pointer(queues)))
	if !ok {
		return fail(C.CL_INVALID_COMMAND_QUEUE)
	}
	words := pairs((*C.cl_command_buffer_properties_khr)(unsafe.Pointer(properties)))
	if len(words) > 3 { // the only property twice, or another one
		return fail(C.CL_INVALID_VALUE)
	}
	if len(words) == 3 && (words[0] != C.CL_COMMAND_BUFFER_FLAGS_KHR || words[1]&^C.CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR != 0) {
		return fail(C.CL_INVALID_VALUE)
	}
	b := &commandBuffer{queue: q, properties: words}
	b.recorder = &queue{ctx: q.ctx, device: q.device, flags: q.flags, recording: b}
	if !enter(b.recorder, nil) {
		return fail(C.CL_OUT_OF_HOST_MEMORY)
	}
	if !enter(b, b.destroyed) {
		release[*queue](b.recorder.handle)
		return fail(C.CL_OUT_OF_HOST_MEMORY)
	}
	q.hold()
	set(errcode, C.CL_SUCCESS)
	return C.cl_command_buffer_khr(b.handle)
}

// destroyed lets go of what the commands use.
func (b *commandBuffer) destroyed() {
	for i := range b.commands {
		b.commands[i].over()
	}
	release[*queue](b.recorder.handle)
	b.queue.drop()
}

//export lockstepRetainCommandBuffer
func lockstepRetainCommandBuffer(h C.cl_command_buffer_khr) C.cl_int {
	if !retain[*commandBuffer](unsafe.Pointer(h)) {
		return C.CL_INVALID_COMMAND_BUFFER_KHR
	}
	return C.CL_SUCCESS
}

//export lockstepReleaseCommandBuffer
func lockstepReleaseCommandBuffer(h C.cl_command_buffer_khr) C.cl_int {
	if !release[*commandBuffer](unsafe.Pointer(h)) {
		return C.CL_INVALID_COMMAND_BUFFER_KHR
	}
	return C.CL_SUCCESS
}

//export lockstepFinalizeCommandBuffer
func lockstepFinalizeCommandBuffer(h C.cl_command_buffer_khr) C.cl_int {
	b, ok := findCommandBuffer(h)
	if !ok {
		return C.CL_INVALID_COMMAND_BUFFER_KHR
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.finalized {
		return C.CL_INVALID_OPERATION
	}
	b.finalized = true
	return C.CL_SUCCESS
}

//export lockstepGetCommandBufferInfo
func lockstepGetCommandBufferInfo(h C.cl_command_buffer_khr, name C.cl_command_buffer_info_khr, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	b, ok := findCommandBuffer(h)
	if !ok {
		return C.CL_INVALID_COMMAND_BUFFER_KHR
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_COMMAND_BUFFER_QUEUES_KHR:
		return put(a, b.queue.id())
	case C.CL_COMMAND_BUFFER_NUM_QUEUES_KHR:
		return a.uint(1)
	case C.CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR:
		return put(a, b.references())
	case C.CL_COMMAND_BUFFER_STATE_KHR:
		b.mu.Lock()
		defer b.mu.Unlock()
		state := C.cl_command_buffer_state_khr(C.CL_COMMAND_BUFFER_STATE_RECORDING_KHR)
		if b.finalized {
			state = C.CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR
		}
		return put(a, state)
	case C.CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
		return puts(a, b.properties)
	case C.CL_COMMAND_BUFFER_CONTEXT_KHR:
		return put(a, b.queue.ctx.id())
	}
	return C.CL_INVALID_VALUE
}

//export lockstepEnqueueCommandBuffer
func lockstepEnqueueCommandBuffer(n C.cl_uint, queues *C.cl_command_queue, h C.cl_command_buffer_khr, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	b, ok := findCommandBuffer(h)
	if !ok {
		return C.CL_INVALID_COMMAND_BUFFER_KHR
	}
	b.mu.Lock()
	ready := b.finalized
	b.mu.Unlock()
	switch {
	case !ready:
		return C.CL_INVALID_OPERATION
	case n == 0 != (queues == nil), n > 1:
		return C.CL_INVALID_VALUE
	}
	q := b.queue
	if n == 1 {
		if q, ok = findQueue(*queues); !ok || q.recording != nil {
			return C.CL_INVALID_COMMAND_QUEUE
		}
	}
	switch {
	case q.ctx != b.queue.ctx:
		return C.CL_INVALID_CONTEXT
	case q.device != b.queue.device:
		return C.CL_INVALID_DEVICE
	case q.flags&^commandBufferQueues != 0:
		return C.CL_INCOMPATIBLE_COMMAND_QUEUE_KHR
	}
	// A finalized buffer does not change, so that it may be in several queues at the same time.
	return q.put(waitList{wn, wait, ev}, command{kind: C.CL_COMMAND_COMMAND_BUFFER_KHR, order: graph.Ordinary, uses: []*object{&b.object}, run: b.run})
}

// run runs the commands. After an error the rest does not run.
func (b *commandBuffer) run() C.cl_int {
	for i := range b.commands {
		if code := b.commands[i].do(); code != C.CL_SUCCESS {
			return code
		}
	}
	return C.CL_SUCCESS
}

// recording is what every function that records a command gets.
type recording struct {
	buffer     C.cl_command_buffer_khr
	queue      C.cl_command_queue
	properties *C.const_cl_properties
	n          C.cl_uint
	wait       *C.const_cl_sync_point_khr
	point      *C.cl_sync_point_khr
	handle     *C.cl_mutable_command_khr
}

// by records the command that put puts into the queue that it gets.
func (r recording) by(put func(C.cl_command_queue) C.cl_int) C.cl_int {
	b, ok := findCommandBuffer(r.buffer)
	switch {
	case !ok:
		return C.CL_INVALID_COMMAND_BUFFER_KHR
	case r.queue != nil:
		return C.CL_INVALID_COMMAND_QUEUE
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.finalized:
		return C.CL_INVALID_OPERATION
	case r.properties != nil && *(*C.cl_properties)(unsafe.Pointer(r.properties)) != 0, r.handle != nil:
		return C.CL_INVALID_VALUE
	case r.n == 0 != (r.wait == nil):
		return C.CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
	}
	for _, p := range list(r.n, (*C.cl_sync_point_khr)(unsafe.Pointer(r.wait))) {
		if p == 0 || p > b.points {
			return C.CL_INVALID_SYNC_POINT_WAIT_LIST_KHR
		}
	}
	if code := put(b.recorder.id()); code != C.CL_SUCCESS {
		return code
	}
	if r.point != nil {
		b.points++
		*r.point = b.points
	}
	return C.CL_SUCCESS
}

// add takes a command that was put into the recorder. The buffer is locked.
func (b *commandBuffer) add(c command) C.cl_int {
	c.hold()
	b.commands = append(b.commands, c)
	return C.CL_SUCCESS
}
