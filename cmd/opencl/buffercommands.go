package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/geometry"
)

// buffer finds a queue and a buffer for a command.
func placeBuffer(hq C.cl_command_queue, hm C.cl_mem) (*queue, *memory, C.cl_int) {
	q, m, code := place(hq, hm)
	if code == C.CL_SUCCESS && m.kind != C.CL_MEM_OBJECT_BUFFER {
		code = C.CL_INVALID_MEM_OBJECT
	}
	return q, m, code
}

// line is n bytes from offset on; false if they are not inside of the object.
func (m *memory) line(offset, n C.size_t) (geometry.Box, bool) {
	b := geometry.Box{Start: uint64(offset), Bytes: uint64(n), Rows: 1, Slices: 1}
	return b, uint64(offset) <= m.size && m.size-uint64(offset) >= uint64(n)
}

// triple reads three sizes of the host's.
func triple(p *C.const_size_t) [3]uint64 {
	s := unsafe.Slice((*C.size_t)(unsafe.Pointer(p)), 3)
	return [3]uint64{uint64(s[0]), uint64(s[1]), uint64(s[2])}
}

// rectangle is a box of region at origin; a pitch of 0 leaves no gap. It is false where that makes no sense.
func rectangle(origin, region [3]uint64, row, slice C.size_t) (geometry.Box, bool) {
	b := geometry.Box{Bytes: region[0], Rows: region[1], Slices: region[2], RowPitch: uint64(row), SlicePitch: uint64(slice)}
	if b.Empty() {
		return b, false
	}
	if b.RowPitch == 0 {
		b.RowPitch = b.Bytes
	}
	if b.RowPitch < b.Bytes {
		return b, false
	}
	least, ok := geometry.Box{RowPitch: b.RowPitch}.At(0, b.Rows, 0)
	if !ok {
		return b, false
	}
	if b.SlicePitch == 0 {
		b.SlicePitch = least.Start
	}
	if b.SlicePitch < least.Start || b.SlicePitch%b.RowPitch != 0 {
		return b, false
	}
	return b.At(origin[0], origin[1], origin[2])
}

// inside says whether the box lies in the object.
func (m *memory) inside(b geometry.Box) bool {
	end, ok := b.End()
	return ok && end <= m.size
}

// transfer puts a copy between the object and the host's memory into the queue.
func (m *memory) transfer(q *queue, kind C.cl_command_type, toHost bool, blocking C.cl_bool, at geometry.Box, host unsafe.Pointer, hostAt geometry.Box, w waitList) C.cl_int {
	end, ok := hostAt.End()
	if host == nil || !ok || end > mostBytes {
		return C.CL_INVALID_VALUE
	}
	if !m.hostMay(toHost, !toHost) {
		return C.CL_INVALID_OPERATION
	}
	return q.put(w, command{kind: kind, uses: []*object{&m.object}, blocking: blocking != C.CL_FALSE, run: func() C.cl_int {
		p := unsafe.Slice((*byte)(host), end)
		if toHost {
			geometry.Copy(p, hostAt, m.bytes(), at)
		} else {
			geometry.Copy(m.bytes(), at, p, hostAt)
		}
		return C.CL_SUCCESS
	}})
}

//export clEnqueueReadBuffer
func clEnqueueReadBuffer(hq C.cl_command_queue, hm C.cl_mem, blocking C.cl_bool, offset, n C.size_t, p unsafe.Pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return simpleTransfer(hq, hm, C.CL_COMMAND_READ_BUFFER, true, blocking, offset, n, p, waitList{wn, wait, ev})
}

//export clEnqueueWriteBuffer
func clEnqueueWriteBuffer(hq C.cl_command_queue, hm C.cl_mem, blocking C.cl_bool, offset, n C.size_t, p C.const_pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return simpleTransfer(hq, hm, C.CL_COMMAND_WRITE_BUFFER, false, blocking, offset, n, unsafe.Pointer(p), waitList{wn, wait, ev})
}

func simpleTransfer(hq C.cl_command_queue, hm C.cl_mem, kind C.cl_command_type, toHost bool, blocking C.cl_bool, offset, n C.size_t, p unsafe.Pointer, w waitList) C.cl_int {
	q, m, code := placeBuffer(hq, hm)
	if code != C.CL_SUCCESS {
		return code
	}
	at, ok := m.line(offset, n)
	if !ok {
		return C.CL_INVALID_VALUE
	}
	host := at
	host.Start = 0
	return m.transfer(q, kind, toHost, blocking, at, p, host, w)
}

//export clEnqueueReadBufferRect
func clEnqueueReadBufferRect(hq C.cl_command_queue, hm C.cl_mem, blocking C.cl_bool, origin, hostOrigin, region *C.const_size_t, row, slice, hostRow, hostSlice C.size_t, p unsafe.Pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return rectTransfer(hq, hm, C.CL_COMMAND_READ_BUFFER_RECT, true, blocking, origin, hostOrigin, region, row, slice, hostRow, hostSlice, p, waitList{wn, wait, ev})
}

//export clEnqueueWriteBufferRect
func clEnqueueWriteBufferRect(hq C.cl_command_queue, hm C.cl_mem, blocking C.cl_bool, origin, hostOrigin, region *C.const_size_t, row, slice, hostRow, hostSlice C.size_t, p C.const_pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return rectTransfer(hq, hm, C.CL_COMMAND_WRITE_BUFFER_RECT, false, blocking, origin, hostOrigin, region, row, slice, hostRow, hostSlice, unsafe.Pointer(p), waitList{wn, wait, ev})
}

func rectTransfer(hq C.cl_command_queue, hm C.cl_mem, kind C.cl_command_type, toHost bool, blocking C.cl_bool, origin, hostOrigin, region *C.const_size_t, row, slice, hostRow, hostSlice C.size_t, p unsafe.Pointer, w waitList) C.cl_int {
	q, m, code := placeBuffer(hq, hm)
	if code != C.CL_SUCCESS {
		return code
	}
	if origin == nil || hostOrigin == nil || region == nil {
		return C.CL_INVALID_VALUE
	}
	at, ok := rectangle(triple(origin), triple(region), row, slice)
	host, hostOK := rectangle(triple(hostOrigin), triple(region), hostRow, hostSlice)
	if !ok || !hostOK || !m.inside(at) {
		return C.CL_INVALID_VALUE
	}
	return m.transfer(q, kind, toHost, blocking, at, p, host, w)
}

//export clEnqueueCopyBuffer
func clEnqueueCopyBuffer(hq C.cl_command_queue, hs, hd C.cl_mem, from, to, n C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, src, code := placeBuffer(hq, hs)
	if code != C.CL_SUCCESS {
		return code
	}
	_, dst, code := placeBuffer(hq, hd)
	if code != C.CL_SUCCESS {
		return code
	}
	a, ok := src.line(from, n)
	b, inside := dst.line(to, n)
	if !ok || !inside {
		return C.CL_INVALID_VALUE
	}
	return copyBoxes(q, C.CL_COMMAND_COPY_BUFFER, src, a, dst, b, waitList{wn, wait, ev})
}

//export clEnqueueCopyBufferRect
func clEnqueueCopyBufferRect(hq C.cl_command_queue, hs, hd C.cl_mem, from, to, region *C.const_size_t, row, slice, toRow, toSlice C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, src, code := placeBuffer(hq, hs)
	if code != C.CL_SUCCESS {
		return code
	}
	_, dst, code := placeBuffer(hq, hd)
	if code != C.CL_SUCCESS {
		return code
	}
	if from == nil || to == nil || region == nil {
		return C.CL_INVALID_VALUE
	}
	a, ok := rectangle(triple(from), triple(region), row, slice)
	b, inside := rectangle(triple(to), triple(region), toRow, toSlice)
	if !ok || !inside || !src.inside(a) || !dst.inside(b) ||
		src == dst && (a.RowPitch != b.RowPitch || a.SlicePitch != b.SlicePitch) {
		return C.CL_INVALID_VALUE
	}
	return copyBoxes(q, C.CL_COMMAND_COPY_BUFFER_RECT, src, a, dst, b, waitList{wn, wait, ev})
}

// whole is the buffer that has the object's bytes, and where they begin there.
func (m *memory) whole() (*memory, uint64) {
	if m.parent != nil && m.kind == C.CL_MEM_OBJECT_BUFFER {
		return m.parent, m.origin
	}
	return m, 0
}

// copyBoxes puts a copy between two objects, or inside of one, into the queue.
func copyBoxes(q *queue, kind C.cl_command_type, src *memory, from geometry.Box, dst *memory, to geometry.Box, w waitList) C.cl_int {
	if dst.immutable() {
		return C.CL_INVALID_OPERATION
	}
	a, x := src.whole()
	b, y := dst.whole()
	if a == b {
		from, to := from, to
		from.Start += x
		to.Start += y
		if from.RowPitch == to.RowPitch && from.SlicePitch == to.SlicePitch && geometry.Overlap(from, to) {
			return C.CL_MEM_COPY_OVERLAP
		}
	}
	return q.put(w, command{kind: kind, uses: []*object{&src.object, &dst.object}, run: func() C.cl_int {
		geometry.Copy(dst.bytes(), to, src.bytes(), from)
		return C.CL_SUCCESS
	}})
}

//export clEnqueueFillBuffer
func clEnqueueFillBuffer(hq C.cl_command_queue, hm C.cl_mem, pattern C.const_pointer, size, offset, n C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, m, code := placeBuffer(hq, hm)
	if code != C.CL_SUCCESS {
		return code
	}
	at, ok := m.line(offset, n)
	if !ok || pattern == nil || size == 0 || size > 128 || size&(size-1) != 0 || offset%size != 0 || n%size != 0 {
		return C.CL_INVALID_VALUE
	}
	if m.immutable() {
		return C.CL_INVALID_OPERATION
	}
	p := append([]byte(nil), unsafe.Slice((*byte)(unsafe.Pointer(pattern)), int(size))...)
	return q.put(waitList{wn, wait, ev}, command{kind: C.CL_COMMAND_FILL_BUFFER, uses: []*object{&m.object}, run: func() C.cl_int {
		geometry.Fill(m.bytes(), at, p)
		return C.CL_SUCCESS
	}})
}

//export clEnqueueMapBuffer
func clEnqueueMapBuffer(hq C.cl_command_queue, hm C.cl_mem, blocking C.cl_bool, flags C.cl_map_flags, offset, n C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event, errcode *C.cl_int) unsafe.Pointer {
	q, m, code := placeBuffer(hq, hm)
	if code == C.CL_SUCCESS {
		code = m.mayMap(flags)
	}
	if code == C.CL_SUCCESS {
		if _, ok := m.line(offset, n); !ok || n == 0 {
			code = C.CL_INVALID_VALUE
		}
	}
	if code != C.CL_SUCCESS {
		set(errcode, code)
		return nil
	}
	return m.enqueueMap(q, C.CL_COMMAND_MAP_BUFFER, blocking, flags, uint64(offset), uint64(n), waitList{wn, wait, ev}, errcode)
}

// enqueueMap puts a map of n bytes from offset on into the queue, and returns the pointer to them.
func (m *memory) enqueueMap(q *queue, kind C.cl_command_type, blocking C.cl_bool, flags C.cl_map_flags, offset, n uint64, w waitList, errcode *C.cl_int) unsafe.Pointer {
	p := m.mapped(flags, offset, n)
	code := q.put(w, command{kind: kind, uses: []*object{&m.object}, blocking: blocking != C.CL_FALSE, run: func() C.cl_int {
		if flags&C.CL_MAP_WRITE_INVALIDATE_REGION == 0 {
			m.share(offset, n)
		}
		return C.CL_SUCCESS
	}})
	set(errcode, code)
	if code != C.CL_SUCCESS {
		m.unmapped(p)
		return nil
	}
	return p
}
