package ocl

import (
	"fmt"
	"unsafe"
)

// Queue is an in-order command queue with profiling.
type Queue struct {
	ctx *Context
	id  uintptr
}

const queueProfiling = 1 << 1

// NewQueue makes an in-order queue whose events carry profiling times.
func (c *Context) NewQueue() (*Queue, error) {
	var code int32
	id := c.lib.createCommandQueue(c.id, c.device.id, queueProfiling, &code)
	if err := check("clCreateCommandQueue", code); err != nil {
		return nil, err
	}
	return &Queue{ctx: c, id: id}, nil
}

// Release gives the queue back.
func (q *Queue) Release() error {
	return check("clReleaseCommandQueue", q.ctx.lib.releaseCommandQueue(q.id))
}

// Finish waits until everything enqueued has completed.
func (q *Queue) Finish() error {
	return check("clFinish", q.ctx.lib.finish(q.id))
}

// Write copies data to the beginning of b and waits for it.
func (q *Queue) Write(b *Buffer, data []byte) error {
	if len(data) > b.size {
		return fmt.Errorf("clEnqueueWriteBuffer: %d bytes into a buffer of %d: %w", len(data), b.size, InvalidValue)
	}
	if len(data) == 0 {
		return nil
	}
	return check("clEnqueueWriteBuffer",
		q.ctx.lib.enqueueWriteBuffer(q.id, b.id, 1, 0, uintptr(len(data)), unsafe.Pointer(&data[0]), 0, nil, nil))
}

// Read fills data from the beginning of b and waits for it.
func (q *Queue) Read(b *Buffer, data []byte) error {
	if len(data) > b.size {
		return fmt.Errorf("clEnqueueReadBuffer: %d bytes from a buffer of %d: %w", len(data), b.size, InvalidValue)
	}
	if len(data) == 0 {
		return nil
	}
	return check("clEnqueueReadBuffer",
		q.ctx.lib.enqueueReadBuffer(q.id, b.id, 1, 0, uintptr(len(data)), unsafe.Pointer(&data[0]), 0, nil, nil))
}

// Launch enqueues the kernel over global work-items a dimension, in work-groups
// of local (nil lets the implementation choose), with ids that begin at offset
// (nil is zero). The slices have the same length, 1 to 3. The caller releases
// the event.
func (q *Queue) Launch(k *Kernel, global, local, offset []uint64) (*Event, error) {
	dims := len(global)
	if dims < 1 || dims > 3 || local != nil && len(local) != dims || offset != nil && len(offset) != dims {
		return nil, fmt.Errorf("clEnqueueNDRangeKernel: sizes of %d, %d and %d dimensions: %w",
			len(global), len(local), len(offset), InvalidValue)
	}
	g, l, o := sizes(global), sizes(local), sizes(offset)
	var event uintptr
	err := check("clEnqueueNDRangeKernel", q.ctx.lib.enqueueNDRangeKernel(
		q.id, k.id, uint32(dims), o, g, l, 0, nil, &event))
	if err != nil {
		return nil, err
	}
	return &Event{lib: q.ctx.lib, id: event}, nil
}

// sizes converts to the size_t array that the library takes; nil gives null.
func sizes(v []uint64) unsafe.Pointer {
	if v == nil {
		return nil
	}
	s := make([]uintptr, len(v))
	for i, x := range v {
		s[i] = uintptr(x)
	}
	return unsafe.Pointer(&s[0])
}

// Event is one enqueued command.
type Event struct {
	lib *Library
	id  uintptr
}

// Wait waits until the command has completed; it fails when the command did.
func (e *Event) Wait() error {
	return check("clWaitForEvents", e.lib.waitForEvents(1, unsafe.Pointer(&e.id)))
}

// Release gives the event back.
func (e *Event) Release() error {
	return check("clReleaseEvent", e.lib.releaseEvent(e.id))
}

// Times are the profiling times of a command, in nanoseconds of the device's
// clock, which has no fixed origin.
type Times struct {
	Queued, Submitted, Started, Ended uint64
}

// Nanoseconds is the time for which the command ran.
func (t Times) Nanoseconds() uint64 { return t.Ended - t.Started }

const (
	profilingQueued    = 0x1280
	profilingSubmitted = 0x1281
	profilingStarted   = 0x1282
	profilingEnded     = 0x1283
)

// Times reads the profiling times of a command that has completed.
func (e *Event) Times() (Times, error) {
	var t Times
	for _, p := range []struct {
		name uint32
		to   *uint64
	}{
		{profilingQueued, &t.Queued}, {profilingSubmitted, &t.Submitted},
		{profilingStarted, &t.Started}, {profilingEnded, &t.Ended},
	} {
		v, err := infoNumber[uint64]("clGetEventProfilingInfo", func(size uintptr, value unsafe.Pointer, ret *uintptr) int32 {
			return e.lib.getEventProfilingInfo(e.id, p.name, size, value, ret)
		})
		if err != nil {
			return Times{}, err
		}
		*p.to = v
	}
	return t, nil
}
