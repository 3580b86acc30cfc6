package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/geometry"
	"github.com/lockstep-gpu/lockstep/emu"
	mem "github.com/lockstep-gpu/lockstep/memory"
)

// placeImage finds a queue and an image for a command.
func placeImage(hq C.cl_command_queue, hm C.cl_mem) (*queue, *memory, C.cl_int) {
	q, m, code := place(hq, hm)
	if code == C.CL_SUCCESS && m.image == nil {
		code = C.CL_INVALID_MEM_OBJECT
	}
	return q, m, code
}

// region reads a region of the image, or of the level of a mipmap that stands in the origin behind the coordinates.
func (m *memory) region(origin, region *C.const_size_t) (geometry.Box, C.cl_int) {
	if origin == nil || region == nil {
		return geometry.Box{}, C.CL_INVALID_VALUE
	}
	s, start, code := m.image.addressed(origin)
	if code != C.CL_SUCCESS {
		return geometry.Box{}, code
	}
	at := triple(origin)
	if m.image.levels > 1 && s.kind.dims < len(at) {
		at[s.kind.dims] = 0
	}
	b, ok := s.box(at, triple(region))
	if !ok {
		return b, C.CL_INVALID_VALUE
	}
	b.Start += start
	return b, C.CL_SUCCESS
}

// addressed is the level of detail that an origin names: the whole image, where it is no mipmap.
func (s *imageState) addressed(origin *C.const_size_t) (*imageState, uint64, C.cl_int) {
	if s.levels <= 1 {
		return s, 0, C.CL_SUCCESS
	}
	n := uint64(unsafe.Slice((*C.size_t)(unsafe.Pointer(origin)), s.kind.dims+1)[s.kind.dims])
	if n >= s.levels {
		return nil, 0, C.CL_INVALID_MIP_LEVEL
	}
	level, start := s.level(n)
	return level, start, C.CL_SUCCESS
}

// outside is the box that a region of the image takes elsewhere; a pitch of 0 leaves no gap.
func (s *imageState) outside(b geometry.Box, row, slice C.size_t) (geometry.Box, bool) {
	r := [3]uint64{b.Bytes, b.Rows, b.Slices}
	if s.kind.emu == emu.Image1DArray {
		// Layers are slices, of one row each.
		r = [3]uint64{b.Bytes, 1, b.Rows}
	}
	if s.kind.dims == 1 || s.kind.emu == emu.Image2D {
		slice = 0
	}
	x, ok := rectangle([3]uint64{}, r, row, slice)
	if s.kind.emu == emu.Image1DArray {
		x.Rows, x.Slices, x.RowPitch = b.Rows, 1, x.SlicePitch
	}
	return x, ok
}

//export clEnqueueReadImage
func clEnqueueReadImage(hq C.cl_command_queue, hm C.cl_mem, blocking C.cl_bool, origin, region *C.const_size_t, row, slice C.size_t, p unsafe.Pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return imageTransfer(hq, hm, C.CL_COMMAND_READ_IMAGE, true, blocking, origin, region, row, slice, p, waitList{wn, wait, ev})
}

//export clEnqueueWriteImage
func clEnqueueWriteImage(hq C.cl_command_queue, hm C.cl_mem, blocking C.cl_bool, origin, region *C.const_size_t, row, slice C.size_t, p C.const_pointer, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	return imageTransfer(hq, hm, C.CL_COMMAND_WRITE_IMAGE, false, blocking, origin, region, row, slice, unsafe.Pointer(p), waitList{wn, wait, ev})
}

func imageTransfer(hq C.cl_command_queue, hm C.cl_mem, kind C.cl_command_type, toHost bool, blocking C.cl_bool, origin, region *C.const_size_t, row, slice C.size_t, p unsafe.Pointer, w waitList) C.cl_int {
	q, m, code := placeImage(hq, hm)
	if code != C.CL_SUCCESS {
		return code
	}
	at, code := m.region(origin, region)
	if code != C.CL_SUCCESS {
		return code
	}
	host, ok := m.image.outside(at, row, slice)
	if !ok {
		return C.CL_INVALID_VALUE
	}
	return m.transfer(q, kind, toHost, blocking, at, p, host, w)
}

//export clEnqueueCopyImage
func clEnqueueCopyImage(hq C.cl_command_queue, hs, hd C.cl_mem, from, to, region *C.const_size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, src, code := placeImage(hq, hs)
	if code != C.CL_SUCCESS {
		return code
	}
	_, dst, code := placeImage(hq, hd)
	if code != C.CL_SUCCESS {
		return code
	}
	if src.image.format != dst.image.format {
		return C.CL_IMAGE_FORMAT_MISMATCH
	}
	if from == nil || to == nil || region == nil {
		return C.CL_INVALID_VALUE
	}
	a, code := src.region(from, region)
	if code != C.CL_SUCCESS {
		return code
	}
	b, code := dst.region(to, region)
	if code != C.CL_SUCCESS {
		return code
	}
	return copyBoxes(q, C.CL_COMMAND_COPY_IMAGE, src, a, dst, b, waitList{wn, wait, ev})
}

//export clEnqueueCopyImageToBuffer
func clEnqueueCopyImageToBuffer(hq C.cl_command_queue, hs, hd C.cl_mem, from, region *C.const_size_t, offset C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, src, code := placeImage(hq, hs)
	if code != C.CL_SUCCESS {
		return code
	}
	_, dst, code := placeBuffer(hq, hd)
	if code != C.CL_SUCCESS {
		return code
	}
	a, code := src.region(from, region)
	if code != C.CL_SUCCESS {
		return code
	}
	b, ok := src.image.outside(a, 0, 0)
	b.Start = uint64(offset)
	if !ok || !dst.inside(b) {
		return C.CL_INVALID_VALUE
	}
	return copyBoxes(q, C.CL_COMMAND_COPY_IMAGE_TO_BUFFER, src, a, dst, b, waitList{wn, wait, ev})
}

//export clEnqueueCopyBufferToImage
func clEnqueueCopyBufferToImage(hq C.cl_command_queue, hs, hd C.cl_mem, offset C.size_t, to, region *C.const_size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, src, code := placeBuffer(hq, hs)
	if code != C.CL_SUCCESS {
		return code
	}
	_, dst, code := placeImage(hq, hd)
	if code != C.CL_SUCCESS {
		return code
	}
	b, code := dst.region(to, region)
	if code != C.CL_SUCCESS {
		return code
	}
	a, ok := dst.image.outside(b, 0, 0)
	a.Start = uint64(offset)
	if !ok || !src.inside(a) {
		return C.CL_INVALID_VALUE
	}
	return copyBoxes(q, C.CL_COMMAND_COPY_BUFFER_TO_IMAGE, src, a, dst, b, waitList{wn, wait, ev})
}

//export clEnqueueFillImage
func clEnqueueFillImage(hq C.cl_command_queue, hm C.cl_mem, color C.const_pointer, origin, region *C.const_size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event) C.cl_int {
	q, m, code := placeImage(hq, hm)
	if code != C.CL_SUCCESS {
		return code
	}
	at, code := m.region(origin, region)
	if code != C.CL_SUCCESS {
		return code
	}
	if color == nil {
		return C.CL_INVALID_VALUE
	}
	if m.immutable() {
		return C.CL_INVALID_OPERATION
	}
	f := m.image.emu.Format()
	var t mem.Texel
	n := len(t)
	if f.Order == emu.OrderDepth {
		n = 1 // a single float
	}
	copy(t[:n], unsafe.Slice((*uint32)(unsafe.Pointer(color)), n))
	pattern := make([]byte, f.Bytes())
	f.Encode(pattern, t)
	return q.put(waitList{wn, wait, ev}, command{kind: C.CL_COMMAND_FILL_IMAGE, uses: []*object{&m.object}, run: func() C.cl_int {
		geometry.Fill(m.bytes(), at, pattern)
		return C.CL_SUCCESS
	}})
}

//export clEnqueueMapImage
func clEnqueueMapImage(hq C.cl_command_queue, hm C.cl_mem, blocking C.cl_bool, flags C.cl_map_flags, origin, region *C.const_size_t, row, slice *C.size_t, wn C.cl_uint, wait *C.const_cl_event, ev *C.cl_event, errcode *C.cl_int) unsafe.Pointer {
	q, m, code := placeImage(hq, hm)
	if code == C.CL_SUCCESS {
		code = m.mayMap(flags)
	}
	if code != C.CL_SUCCESS {
		set(errcode, code)
		return nil
	}
	at, code := m.region(origin, region)
	layered := m.image.kind.dims == 3 || m.image.kind.emu == emu.Image1DArray
	if code == C.CL_SUCCESS && (row == nil || layered && slice == nil) {
		code = C.CL_INVALID_VALUE
	}
	if code != C.CL_SUCCESS {
		set(errcode, code)
		return nil
	}
	level, _, _ := m.image.addressed(origin) // it is there
	end, _ := at.End()                       // inside
	p := m.enqueueMap(q, C.CL_COMMAND_MAP_IMAGE, blocking, flags, at.Start, end-at.Start, waitList{wn, wait, ev}, errcode)
	if p != nil {
		*row = C.size_t(level.row)
		if layered {
			set(slice, C.size_t(level.slice))
		} else {
			set(slice, 0)
		}
	}
	return p
}
