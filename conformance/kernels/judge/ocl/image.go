package ocl

import (
	"fmt"
	"unsafe"
)

// imageCalls are the entry points for images and samplers.
type imageCalls struct {
	createImage              func(c uintptr, flags uint64, format, desc, host unsafe.Pointer, code *int32) uintptr
	createSampler            func(c uintptr, normalized, addressing, filter uint32, code *int32) uintptr
	releaseSampler           func(s uintptr) int32
	getSupportedImageFormats func(c uintptr, flags uint64, kind, n uint32, formats unsafe.Pointer, count *uint32) int32
	enqueueReadImage         func(q, m uintptr, blocking uint32, origin, region unsafe.Pointer, row, slice uintptr, p unsafe.Pointer, n uint32, wait unsafe.Pointer, event *uintptr) int32
}

// The types of image objects, from the OpenCL header.
const (
	Image2D       = 0x10F1
	Image3D       = 0x10F2
	Image2DArray  = 0x10F3
	Image1D       = 0x10F4
	Image1DArray  = 0x10F5
	Image1DBuffer = 0x10F6
)

// ImageFormat is the channel order and the channel data type of an image, with the numbers of the OpenCL
// header.
type ImageFormat struct{ Order, Type uint32 }

// ImageFormats lists the formats that kernels may read, or write, for a type of image objects.
func (c *Context) ImageFormats(kind uint32, write bool) ([]ImageFormat, error) {
	flags := uint64(4) // CL_MEM_READ_ONLY
	if write {
		flags = 2
	}
	var n uint32
	if err := check("clGetSupportedImageFormats", c.lib.image.getSupportedImageFormats(c.id, flags, kind, 0, nil, &n)); err != nil || n == 0 {
		return nil, err
	}
	list := make([]ImageFormat, n)
	err := check("clGetSupportedImageFormats", c.lib.image.getSupportedImageFormats(c.id, flags, kind, n, unsafe.Pointer(&list[0]), nil))
	return list, err
}

// imageDesc is cl_image_desc.
type imageDesc struct {
	kind                         uint32
	width, height, depth, layers uintptr
	rowPitch, slicePitch         uintptr
	levels, samples              uint32
	buffer                       uintptr
}

// Image is an image object.
type Image struct {
	ctx  *Context
	id   uintptr
	size [3]uintptr
}

// NewImage makes an image whose elements are data, without gaps. layers is 0 for what is no array. An
// Image1DBuffer is of buffer, which holds data.
func (c *Context) NewImage(kind uint32, f ImageFormat, width, height, depth, layers int, data []byte, buffer *Buffer) (*Image, error) {
	d := imageDesc{kind: kind, width: uintptr(width), height: uintptr(height), depth: uintptr(depth), layers: uintptr(layers)}
	flags, host := uint64(1|32), unsafe.Pointer(nil) // CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR
	if buffer != nil {
		flags, d.buffer = 1, buffer.id
	} else {
		host = unsafe.Pointer(&data[0])
	}
	var code int32
	id := c.lib.image.createImage(c.id, flags, unsafe.Pointer(&f), unsafe.Pointer(&d), host, &code)
	if err := check("clCreateImage", code); err != nil {
		return nil, err
	}
	size := [3]uintptr{uintptr(width), uintptr(max(height, 1)), uintptr(max(depth, 1))}
	switch kind {
	case Image1DArray:
		size[1] = uintptr(layers)
	case Image2DArray:
		size[2] = uintptr(layers)
	}
	return &Image{ctx: c, id: id, size: size}, nil
}

// Release gives the image back.
func (i *Image) Release() error { return check("clReleaseMemObject", i.ctx.lib.releaseMemObject(i.id)) }

// ReadImage copies the image's elements to p, without gaps.
func (q *Queue) ReadImage(i *Image, p []byte) error {
	var origin [3]uintptr
	return check("clEnqueueReadImage", q.ctx.lib.image.enqueueReadImage(q.id, i.id, 1, unsafe.Pointer(&origin[0]), unsafe.Pointer(&i.size[0]), 0, 0, unsafe.Pointer(&p[0]), 0, nil, nil))
}

// Sampler is a sampler object.
type Sampler struct {
	ctx *Context
	id  uintptr
}

// NewSampler makes a sampler. addressing counts from CL_ADDRESS_NONE.
func (c *Context) NewSampler(normalized bool, addressing int, linear bool) (*Sampler, error) {
	n, filter := uint32(0), uint32(0x1140)
	if normalized {
		n = 1
	}
	if linear {
		filter++
	}
	var code int32
	id := c.lib.image.createSampler(c.id, n, uint32(0x1130+addressing), filter, &code)
	if err := check("clCreateSampler", code); err != nil {
		return nil, err
	}
	return &Sampler{ctx: c, id: id}, nil
}

// Release gives the sampler back.
func (s *Sampler) Release() error {
	return check("clReleaseSampler", s.ctx.lib.image.releaseSampler(s.id))
}

// SetImage and SetSampler set argument i.
func (k *Kernel) SetImage(i int, im *Image) error {
	return k.set(i, unsafe.Sizeof(im.id), unsafe.Pointer(&im.id))
}

func (k *Kernel) SetSampler(i int, s *Sampler) error {
	return k.set(i, unsafe.Sizeof(s.id), unsafe.Pointer(&s.id))
}

// names returns the entry points with their names.
func (c *imageCalls) names() map[string]any {
	return map[string]any{
		"clCreateImage": &c.createImage, "clCreateSampler": &c.createSampler, "clReleaseSampler": &c.releaseSampler,
		"clGetSupportedImageFormats": &c.getSupportedImageFormats, "clEnqueueReadImage": &c.enqueueReadImage,
	}
}

// String returns the numbers of the header.
func (f ImageFormat) String() string { return fmt.Sprintf("%#x:%#x", f.Order, f.Type) }
