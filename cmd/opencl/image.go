package main

// #include "opencl.h"
//
// static cl_mem lockstep_image_parent(const cl_image_desc *d) { return d->mem_object; }
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/geometry"
	"github.com/lockstep-gpu/lockstep/emu"
	mem "github.com/lockstep-gpu/lockstep/memory"
)

// imageState is the part of a memory object that is an image.
type imageState struct {
	emu        *emu.Image
	format     C.cl_image_format
	kind       imageKind
	of         C.cl_mem // the buffer or image that it is made of
	element    uint64   // bytes
	row, slice uint64   // pitches in bytes, with gaps
	extents    [3]uint64
	levels     uint64 // of detail: more than 1 for a mipmap
	declared   C.cl_uint
}

// imageKind says what the extents of a kind of images mean.
type imageKind struct {
	emu    emu.ImageKind
	dims   int // extents that are not 1, layers included
	layers int // the place of the layers among them, or -1
}

var imageKinds = map[C.cl_mem_object_type]imageKind{
	C.CL_MEM_OBJECT_IMAGE1D:        {emu.Image1D, 1, -1},
	C.CL_MEM_OBJECT_IMAGE1D_BUFFER: {emu.Image1DBuffer, 1, -1},
	C.CL_MEM_OBJECT_IMAGE1D_ARRAY:  {emu.Image1DArray, 2, 1},
	C.CL_MEM_OBJECT_IMAGE2D:        {emu.Image2D, 2, -1},
	C.CL_MEM_OBJECT_IMAGE2D_ARRAY:  {emu.Image2DArray, 3, 2},
	C.CL_MEM_OBJECT_IMAGE3D:        {emu.Image3D, 3, -1},
}

// formatOf returns the format of package emu. The code says what is wrong with one that there is not.
func formatOf(f C.cl_image_format) (emu.Format, C.cl_int) {
	order, kind := int(f.image_channel_order)-mem.OpenCLChannelOrder, int(f.image_channel_data_type)-mem.OpenCLChannelType
	if order < 0 || order >= int(mem.NumOrders) || kind < 0 || kind >= int(mem.NumChannelTypes) {
		return emu.Format{}, C.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
	}
	x := emu.Format{Order: emu.ChannelOrder(order), Type: emu.ChannelType(kind)}
	if !x.Valid() || padded(x) {
		return x, C.CL_IMAGE_FORMAT_NOT_SUPPORTED
	}
	return x, C.CL_SUCCESS
}

// padded says whether a format has a channel order with an x. The driver has none of these: the alpha of their
// border is 0 in the specification of OpenCL C, and so in package emu, but 1 in the conformance tests.
func padded(f emu.Format) bool {
	switch f.Order {
	case emu.OrderRx, emu.OrderRGx, emu.OrderRGBx, emu.OrderSRGBx:
		return true
	}
	return false
}

//export clGetSupportedImageFormats
func clGetSupportedImageFormats(h C.cl_context, flags C.cl_mem_flags, kind C.cl_mem_object_type, n C.cl_uint, formats *C.cl_image_format, count *C.cl_uint) C.cl_int {
	if _, ok := findContext(h); !ok {
		return C.CL_INVALID_CONTEXT
	}
	k, ok := imageKinds[kind]
	if !ok || n == 0 && formats != nil {
		return C.CL_INVALID_VALUE
	}
	if code := checkFlags(flags&^(C.CL_MEM_USE_HOST_PTR|C.CL_MEM_COPY_HOST_PTR|C.CL_MEM_IMMUTABLE_EXT), nil); code != C.CL_SUCCESS {
		return code
	}
	var found []C.cl_image_format
	for _, f := range emu.ImageFormats() {
		if k.emu.Suits(f) && !padded(f) {
			found = append(found, C.cl_image_format{
				image_channel_order:     C.cl_channel_order(int(f.Order) + mem.OpenCLChannelOrder),
				image_channel_data_type: C.cl_channel_type(int(f.Type) + mem.OpenCLChannelType),
			})
		}
	}
	if formats != nil {
		copy(unsafe.Slice(formats, int(n)), found)
	}
	set(count, C.cl_uint(len(found)))
	return C.CL_SUCCESS
}

//export clCreateImage
func clCreateImage(h C.cl_context, flags C.cl_mem_flags, format *C.const_cl_image_format, desc *C.const_cl_image_desc, host unsafe.Pointer, errcode *C.cl_int) C.cl_mem {
	return newImage(h, nil, flags, format, desc, host, errcode)
}

//export clCreateImageWithProperties
func clCreateImageWithProperties(h C.cl_context, properties *C.const_cl_mem_properties, flags C.cl_mem_flags, format *C.const_cl_image_format, desc *C.const_cl_image_desc, host unsafe.Pointer, errcode *C.cl_int) C.cl_mem {
	words := pairs((*C.cl_mem_properties)(unsafe.Pointer(properties)))
	if len(words) > 1 {
		set(errcode, C.CL_INVALID_PROPERTY)
		return nil
	}
	return newImage(h, words, flags, format, desc, host, errcode)
}

//export clCreateImage2D
func clCreateImage2D(h C.cl_context, flags C.cl_mem_flags, format *C.const_cl_image_format, width, height, row C.size_t, host unsafe.Pointer, errcode *C.cl_int) C.cl_mem {
	d := C.cl_image_desc{image_type: C.CL_MEM_OBJECT_IMAGE2D, image_width: width, image_height: height, image_row_pitch: row}
	return oldImage(h, flags, format, d, row != 0 && host == nil, width == 0 || height == 0, host, errcode)
}

//export clCreateImage3D
func clCreateImage3D(h C.cl_context, flags C.cl_mem_flags, format *C.const_cl_image_format, width, height, depth, row, slice C.size_t, host unsafe.Pointer, errcode *C.cl_int) C.cl_mem {
	d := C.cl_image_desc{image_type: C.CL_MEM_OBJECT_IMAGE3D, image_width: width, image_height: height, image_depth: depth, image_row_pitch: row, image_slice_pitch: slice}
	return oldImage(h, flags, format, d, (row != 0 || slice != 0) && host == nil, width == 0 || height == 0 || depth <= 1, host, errcode)
}

// oldImage makes an image for the functions of OpenCL 1.1, whose errors are others.
func oldImage(h C.cl_context, flags C.cl_mem_flags, format *C.const_cl_image_format, d C.cl_image_desc, badPitch, badSize bool, host unsafe.Pointer, errcode *C.cl_int) C.cl_mem {
	if _, ok := findContext(h); ok && (badPitch || badSize) {
		set(errcode, C.CL_INVALID_IMAGE_SIZE)
		return nil
	}
	var code C.cl_int
	m := newImage(h, nil, flags, format, (*C.const_cl_image_desc)(unsafe.Pointer(&d)), host, &code)
	if code == C.CL_INVALID_IMAGE_DESCRIPTOR {
		code = C.CL_INVALID_IMAGE_SIZE
	}
	set(errcode, code)
	return m
}

func newImage(h C.cl_context, properties []C.cl_mem_properties, flags C.cl_mem_flags, format *C.const_cl_image_format, desc *C.const_cl_image_desc, host unsafe.Pointer, errcode *C.cl_int) C.cl_mem {
	fail := func(code C.cl_int) C.cl_mem { set(errcode, code); return nil }
	c, ok := findContext(h)
	switch {
	case !ok:
		return fail(C.CL_INVALID_CONTEXT)
	case format == nil:
		return fail(C.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR)
	case desc == nil:
		return fail(C.CL_INVALID_IMAGE_DESCRIPTOR)
	}
	d := *(*C.cl_image_desc)(unsafe.Pointer(desc))
	m := &memory{ctx: c, kind: d.image_type, flags: flags, properties: properties}
	m.image = &imageState{format: *(*C.cl_image_format)(unsafe.Pointer(format)), of: C.lockstep_image_parent(&d)}
	f, code := formatOf(m.image.format)
	if code != C.CL_SUCCESS {
		return fail(code)
	}
	if code := m.image.describe(&d, f, host); code != C.CL_SUCCESS {
		return fail(code)
	}
	if m.image.of != nil {
		code = m.view(&d, f)
	} else {
		code = m.ownImage(host)
	}
	if code != C.CL_SUCCESS {
		return fail(code)
	}
	if code := m.makeImage(f); code != C.CL_SUCCESS {
		m.free()
		return fail(code)
	}
	if code := m.enter(); code != C.CL_SUCCESS {
		return fail(code)
	}
	set(errcode, C.CL_SUCCESS)
	return m.id()
}

// describe reads a description.
func (s *imageState) describe(d *C.cl_image_desc, f emu.Format, host unsafe.Pointer) C.cl_int {
	k, ok := imageKinds[d.image_type]
	if !ok || d.num_samples != 0 || !k.emu.Suits(f) {
		return C.CL_INVALID_IMAGE_DESCRIPTOR
	}
	s.declared, s.levels = d.num_mip_levels, max(uint64(d.num_mip_levels), 1)
	if s.levels > 1 && (s.levels > mem.MaxLevels || k.emu == emu.Image1DBuffer || s.of != nil || host != nil || f.Order == emu.OrderDepth) {
		return C.CL_INVALID_IMAGE_DESCRIPTOR // cl_khr_mipmap_image excludes these
	}
	s.kind, s.element = k, uint64(f.Bytes())
	s.extents = [3]uint64{uint64(d.image_width), 1, 1}
	most := [3]uint64{maxImageSize2D, maxImageSize2D, maxImageSize3D}
	switch k.emu {
	case emu.Image1DBuffer:
		most[0] = emu.MaxImageBuffer
	case emu.Image3D:
		most = [3]uint64{maxImageSize3D, maxImageSize3D, maxImageSize3D}
		s.extents[2] = uint64(d.image_depth)
	case emu.Image2DArray:
		s.extents[2] = uint64(d.image_array_size)
		most[2] = maxImageLayers
	case emu.Image1DArray:
		s.extents[1] = uint64(d.image_array_size)
		most[1] = maxImageLayers
	}
	if k.emu == emu.Image2D || k.emu == emu.Image2DArray || k.emu == emu.Image3D {
		s.extents[1] = uint64(d.image_height)
	}
	for i, n := range s.extents {
		if n == 0 {
			return C.CL_INVALID_IMAGE_DESCRIPTOR
		}
		if n > most[i] {
			return C.CL_INVALID_IMAGE_SIZE
		}
	}
	// Layers have no levels.
	largest := s.extents[0]
	for i := 1; i < 3; i++ {
		if i != k.layers {
			largest = max(largest, s.extents[i])
		}
	}
	if largest>>(s.levels-1) == 0 {
		return C.CL_INVALID_IMAGE_DESCRIPTOR
	}
	return s.pitches(d, host)
}

// pitches finds the pitches of an image.
func (s *imageState) pitches(d *C.cl_image_desc, host unsafe.Pointer) C.cl_int {
	width := s.extents[0] * s.element
	s.row, s.slice = uint64(d.image_row_pitch), uint64(d.image_slice_pitch)
	if host == nil && (s.row != 0 && s.of == nil || s.slice != 0) {
		return C.CL_INVALID_IMAGE_DESCRIPTOR
	}
	if s.row == 0 {
		s.row = width
	}
	if s.row < width || s.row%s.element != 0 || s.row > 1<<40 {
		return C.CL_INVALID_IMAGE_DESCRIPTOR
	}
	rows := s.extents[1]
	if s.kind.emu == emu.Image1DArray {
		rows = 1
	}
	if s.kind.dims == 1 || s.kind.emu == emu.Image2D {
		s.slice = s.row * rows
		return C.CL_SUCCESS
	}
	if s.slice == 0 {
		s.slice = s.row * rows
	}
	if s.slice < s.row*rows || s.slice%s.row != 0 || s.slice > 1<<50 {
		return C.CL_INVALID_IMAGE_DESCRIPTOR
	}
	return C.CL_SUCCESS
}

// all is the box of the whole image.
func (s *imageState) all() geometry.Box {
	b, _ := s.box([3]uint64{}, s.extents) // inside
	return b
}

// level is a level of detail as an image without others, and the offset of its first byte.
func (s *imageState) level(n uint64) (*imageState, uint64) {
	x, start := *s, uint64(0)
	for range n {
		slices := x.extents[2]
		if s.kind.emu == emu.Image1DArray {
			slices = x.extents[1]
		}
		start += x.slice * slices
		rows := uint64(1)
		for i := range x.extents {
			if i != s.kind.layers {
				x.extents[i] = max(x.extents[i]/2, 1)
			}
		}
		if s.kind.layers != 1 {
			rows = x.extents[1]
		}
		x.row = x.extents[0] * x.element
		x.slice = x.row * rows
	}
	return &x, start
}

// end is the offset behind the image's last byte. It is false when that is beyond what can be addressed.
func (s *imageState) end() (uint64, bool) {
	last, start := s.level(s.levels - 1)
	end, ok := last.all().End()
	return start + end, ok && start < 1<<62
}

// box is the bytes of a region. It is false if that is not inside of the image.
func (s *imageState) box(origin, region [3]uint64) (geometry.Box, bool) {
	for i := range origin {
		if region[i] == 0 || origin[i] > s.extents[i] || s.extents[i]-origin[i] < region[i] {
			return geometry.Box{}, false
		}
	}
	b := geometry.Box{Bytes: region[0] * s.element, Rows: region[1], Slices: region[2], RowPitch: s.row, SlicePitch: s.slice}
	if s.kind.emu == emu.Image1DArray {
		b.RowPitch, b.SlicePitch = s.slice, s.slice*s.extents[1]
	}
	return b.At(origin[0]*s.element, origin[1], origin[2])
}

// ownImage gives an image its own memory.
func (m *memory) ownImage(host unsafe.Pointer) C.cl_int {
	if m.kind == C.CL_MEM_OBJECT_IMAGE1D_BUFFER {
		return C.CL_INVALID_IMAGE_DESCRIPTOR
	}
	if code := checkFlags(m.flags, host); code != C.CL_SUCCESS {
		return code
	}
	m.flags = accessible(m.flags, C.CL_MEM_KERNEL_READ_AND_WRITE)
	s := m.image
	end, ok := s.end()
	if !ok || end > m.ctx.devices[0].maxAlloc() {
		return C.CL_INVALID_IMAGE_SIZE
	}
	m.size = end
	return m.back(host)
}

// view makes the image one of a buffer's or another image's memory.
func (m *memory) view(d *C.cl_image_desc, f emu.Format) C.cl_int {
	of, ok := findMemory(m.image.of)
	if !ok || of.ctx != m.ctx || of.pipe != nil {
		return C.CL_INVALID_IMAGE_DESCRIPTOR
	}
	flags, ok := inherit(of.flags, m.flags)
	if !ok || of.immutable() && !m.immutable() {
		return C.CL_INVALID_VALUE
	}
	m.flags, m.parent = flags, of
	s := m.image
	switch {
	case of.image == nil && (m.kind == C.CL_MEM_OBJECT_IMAGE1D_BUFFER || m.kind == C.CL_MEM_OBJECT_IMAGE2D):
	case of.image != nil && of.kind == C.CL_MEM_OBJECT_IMAGE2D && m.kind == C.CL_MEM_OBJECT_IMAGE2D:
		// The same elements under another order of channels.
		if s.extents != of.image.extents || s.element != of.image.element || s.format.image_channel_data_type != of.image.format.image_channel_data_type {
			return C.CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
		}
		s.row, s.slice = of.image.row, of.image.slice
	default:
		return C.CL_INVALID_IMAGE_DESCRIPTOR
	}
	end, ok := s.all().End()
	if !ok || end > of.size {
		return C.CL_INVALID_IMAGE_SIZE
	}
	m.size, m.data, m.shadow, m.hostPtr, m.svm = end, of.data, of.shadow, of.hostPtr, of.svm
	return C.CL_SUCCESS
}

// makeImage gives the device the image.
func (m *memory) makeImage(f emu.Format) C.cl_int {
	s := m.image
	b := m.buffer
	if b == nil {
		b = m.parent.buffer
		if m.parent.image != nil {
			b = m.parent.image.emu.Desc().Buffer
		}
	}
	d := emu.ImageDesc{Kind: s.kind.emu, Width: int(s.extents[0]), Height: int(s.extents[1]), Depth: int(s.extents[2]), RowPitch: int(s.row), SlicePitch: int(s.slice), Levels: int(s.levels), Buffer: b}
	if s.kind.layers >= 0 {
		d.Layers = int(s.extents[s.kind.layers])
		if s.kind.layers == 1 {
			d.Height = 1
		}
		d.Depth = 1
	}
	image, err := m.device().NewImage(d, f, emu.ImageOptions{ReadOnly: m.flags&C.CL_MEM_READ_ONLY != 0, WriteOnly: m.flags&C.CL_MEM_WRITE_ONLY != 0})
	if err != nil {
		m.ctx.report(err.Error())
		return allocationCode(err)
	}
	s.emu = image
	return C.CL_SUCCESS
}

//export clGetImageInfo
func clGetImageInfo(h C.cl_mem, name C.cl_image_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	m, ok := findMemory(h)
	if !ok || m.image == nil {
		return C.CL_INVALID_MEM_OBJECT
	}
	a, s := answer{size, value, ret}, m.image
	extent := func(i int) uint64 {
		if i >= s.kind.dims || i == s.kind.layers {
			return 0
		}
		return s.extents[i]
	}
	switch name {
	case C.CL_IMAGE_FORMAT:
		return put(a, s.format)
	case C.CL_IMAGE_ELEMENT_SIZE:
		return a.sizeT(s.element)
	case C.CL_IMAGE_ROW_PITCH:
		return a.sizeT(s.row)
	case C.CL_IMAGE_SLICE_PITCH:
		if s.kind.dims == 1 || s.kind.emu == emu.Image2D {
			return a.sizeT(0)
		}
		return a.sizeT(s.slice)
	case C.CL_IMAGE_WIDTH:
		return a.sizeT(extent(0))
	case C.CL_IMAGE_HEIGHT:
		return a.sizeT(extent(1))
	case C.CL_IMAGE_DEPTH:
		return a.sizeT(extent(2))
	case C.CL_IMAGE_ARRAY_SIZE:
		if s.kind.layers < 0 {
			return a.sizeT(0)
		}
		return a.sizeT(s.extents[s.kind.layers])
	case C.CL_IMAGE_BUFFER:
		if m.parent == nil || m.parent.image != nil {
			return put(a, C.cl_mem(nil))
		}
		return put(a, m.parent.id())
	case C.CL_IMAGE_NUM_MIP_LEVELS:
		return put(a, s.declared)
	case C.CL_IMAGE_NUM_SAMPLES:
		return a.uint(0)
	}
	return C.CL_INVALID_VALUE
}
