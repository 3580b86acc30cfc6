package emu

import (
	"fmt"
	"io"
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/memory"
)

// Format is the format of an image's elements: the order of the channels and
// the type of one.
type Format = memory.Format

// ChannelOrder is an order of channels, ChannelType the type of one.
type (
	ChannelOrder = memory.ChannelOrder
	ChannelType  = memory.ChannelType
)

// The channel orders of OpenCL (API specification, section 5.3.1.1).
const (
	OrderR         = memory.OrderR
	OrderA         = memory.OrderA
	OrderRG        = memory.OrderRG
	OrderRA        = memory.OrderRA
	OrderRGB       = memory.OrderRGB
	OrderRGBA      = memory.OrderRGBA
	OrderBGRA      = memory.OrderBGRA
	OrderARGB      = memory.OrderARGB
	OrderABGR      = memory.OrderABGR
	OrderIntensity = memory.OrderIntensity
	OrderLuminance = memory.OrderLuminance
	OrderRx        = memory.OrderRx
	OrderRGx       = memory.OrderRGx
	OrderRGBx      = memory.OrderRGBx
	OrderSRGB      = memory.OrderSRGB
	OrderSRGBx     = memory.OrderSRGBx
	OrderSRGBA     = memory.OrderSRGBA
	OrderSBGRA     = memory.OrderSBGRA
	OrderDepth     = memory.OrderDepth
)

// The channel data types of OpenCL.
const (
	SnormInt8        = memory.SnormInt8
	SnormInt16       = memory.SnormInt16
	UnormInt8        = memory.UnormInt8
	UnormInt16       = memory.UnormInt16
	UnormShort565    = memory.UnormShort565
	UnormShort555    = memory.UnormShort555
	UnormInt101010   = memory.UnormInt101010
	UnormInt101010x2 = memory.UnormInt101010x2
	SignedInt8       = memory.SignedInt8
	SignedInt16      = memory.SignedInt16
	SignedInt32      = memory.SignedInt32
	UnsignedInt8     = memory.UnsignedInt8
	UnsignedInt16    = memory.UnsignedInt16
	UnsignedInt32    = memory.UnsignedInt32
	HalfFloat        = memory.HalfFloat
	Float            = memory.Float
)

// ImageFormats returns the formats that images may have, in a fixed order.
func ImageFormats() []Format { return memory.Formats() }

// ImageKind says how many dimensions an image has, and whether it is an array of images.
type ImageKind = memory.ImageKind

// The kinds of images. One with [OrderDepth] is a depth image, for parameters of types image2d_depth_t and
// image2d_array_depth_t.
const (
	Image2D       = memory.Image2D
	Image1D       = memory.Image1D
	Image1DBuffer = memory.Image1DBuffer
	Image1DArray  = memory.Image1DArray
	Image2DArray  = memory.Image2DArray
	Image3D       = memory.Image3D
)

// MaxImageSize is the largest width, height and depth of an image, in elements, and the most layers.
// MaxImageBuffer is the largest width of an [Image1DBuffer].
const (
	MaxImageSize   = 1 << 16
	MaxImageBuffer = 1 << 27
)

// ImageDesc describes an image.
type ImageDesc struct {
	Kind ImageKind
	// Width, Height and Depth are the extents in elements, and Layers is the length of an array. What the
	// kind does not have is 0 or 1.
	Width, Height, Depth, Layers int
	// Levels is the number of levels of detail, 0 for 1: a mipmap, of which each level halves the one below.
	Levels int
	// RowPitch is the bytes from row to row, a multiple of an element's size, and SlicePitch those from slice
	// to slice or from layer to layer, a multiple of the row pitch; 0 leaves no gap. Mipmaps have no gaps.
	RowPitch, SlicePitch int
	// Buffer, when it is not nil, holds the elements, from byte Offset on: the
	// image is a view of it (clCreateImage with a buffer). Offset is a multiple
	// of an element's size; it is 0 without a buffer.
	Buffer *Buffer
	Offset uint64
}

// ImageOptions modify an image. The zero value is one that kernels may read and
// write.
type ImageOptions struct {
	// Name is what findings call the image where no argument names it.
	Name string
	// ReadOnly refuses the image where a kernel's parameter may write it
	// (CL_MEM_READ_ONLY), WriteOnly where it may read it.
	ReadOnly, WriteOnly bool
}

// Image is an image in device memory. Its elements are undefined until something is written, unless it is a
// view of a buffer; they read as zeros, or as the device's poison.
type Image struct {
	dev    *Device
	desc   ImageDesc
	format Format
	opt    ImageOptions
	ptr    memory.Pointer // the handle
	base   memory.Pointer // of the first element
	view   memory.Image
	size   uint64  // bytes from the first element to the end of the last
	mem    *Buffer // the image's own memory; nil for a view
	freed  bool
}

// NewImage makes an image. The error is a [*LimitError] when the device has no
// room, wraps io.ErrUnexpectedEOF when the buffer is too small, and
// memory.ErrImage when the description makes no sense.
func (d *Device) NewImage(desc ImageDesc, format Format, opt ImageOptions) (*Image, error) {
	return d.newImage(desc, format, opt, func(size uint64) (*Buffer, error) {
		b, err := d.newBuffer(size, BufferOptions{Name: opt.Name})
		if err == nil {
			b.undefine()
		}
		return b, err
	})
}

// newImage makes an image whose own memory, if it is no view of a buffer, is made by take.
func (d *Device) newImage(desc ImageDesc, format Format, opt ImageOptions, take func(size uint64) (*Buffer, error)) (*Image, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.release()
	bad := func(f string, args ...any) error {
		return fmt.Errorf("image: %s: %w", fmt.Sprintf(f, args...), memory.ErrImage)
	}
	e := format.Bytes()
	if e == 0 {
		return nil, bad("format %s does not exist", format)
	}
	if err := desc.resolve(format, bad); err != nil {
		return nil, err
	}
	im := &Image{dev: d, desc: desc, format: format, opt: opt, view: desc.memory(format)}
	size, ok := im.view.Extent()
	if !ok {
		return nil, bad("a size out of range")
	}
	im.size = size
	var origin uint64
	if b := desc.Buffer; b != nil {
		switch {
		case b.dev != d:
			return nil, fmt.Errorf("buffer of an image: %w", ErrForeign)
		case b.data == nil:
			return nil, fmt.Errorf("buffer of an image: %w", ErrClosed)
		case desc.Offset%uint64(e) != 0:
			return nil, bad("byte %d of a buffer: not a multiple of the element's %d bytes", desc.Offset, e)
		case desc.Offset > b.size || b.size-desc.Offset < im.size:
			return nil, fmt.Errorf("image of %d bytes from byte %d of a buffer of %d bytes: %w", im.size, desc.Offset, b.size, io.ErrUnexpectedEOF)
		}
		im.base = b.ptr.Add(int64(desc.Offset))
		im.opt.ReadOnly = opt.ReadOnly || b.readOnly
		im.opt.WriteOnly = opt.WriteOnly || b.writeOnly
		origin = desc.Offset
	} else {
		if desc.Offset != 0 {
			return nil, bad("an offset without a buffer")
		}
		mem, err := take(im.size)
		if err != nil {
			return nil, err
		}
		im.mem, im.base = mem, mem.ptr
	}
	im.view.Name, im.view.Base, im.view.ReadOnly = opt.Name, im.base, im.opt.ReadOnly
	im.view.OfBuffer, im.view.BufferOrigin = desc.Buffer != nil, origin
	p, err := d.mem.AddImage(im.view)
	if err != nil {
		if im.mem != nil {
			_ = d.mem.Free(im.mem.ptr) // made above
		}
		return nil, err
	}
	if desc.Buffer != nil {
		desc.Buffer.subs++
	}
	im.ptr = p
	return im, nil
}

// resolve checks a description and fills in what it leaves out. bad makes an error.
func (desc *ImageDesc) resolve(format Format, bad func(string, ...any) error) error {
	if desc.Kind >= memory.NumImageKinds {
		return bad("%s", desc.Kind)
	}
	dim := desc.Kind.Dim()
	if !desc.Kind.Suits(format) {
		return bad("%s of the channel order depth: it is for image2d and image2d_array", desc.Kind)
	}
	most := MaxImageSize
	if desc.Kind == Image1DBuffer {
		most = MaxImageBuffer
	}
	for _, x := range []struct {
		name string
		n    *int
		has  bool
	}{{"width", &desc.Width, true}, {"height", &desc.Height, dim == memory.Dim2D || dim == memory.Dim3D}, {"depth", &desc.Depth, dim == memory.Dim3D}, {"layers", &desc.Layers, desc.Kind.Array()}} {
		switch {
		case !x.has && *x.n == 0:
			*x.n = 1
		case !x.has && *x.n != 1:
			return bad("%s %d of an %s, which has none", x.name, *x.n, desc.Kind)
		case *x.n < 1 || *x.n > most:
			return bad("%s %d: it is 1 to %d", x.name, *x.n, most)
		}
	}
	if desc.Levels == 0 {
		desc.Levels = 1
	}
	if all := bits.Len(uint(max(desc.Width, desc.Height, desc.Depth))); desc.Levels < 1 || desc.Levels > all || desc.Levels > 1 && desc.Kind == Image1DBuffer {
		return bad("%d levels: an image of this size and kind has 1 to %d", desc.Levels, all)
	}
	e := format.Bytes()
	row := int64(desc.Width) * int64(e)
	if desc.RowPitch == 0 {
		desc.RowPitch = int(min(row, math.MaxInt))
	}
	pitch := int64(desc.RowPitch)
	if most := max(row, 1<<30); pitch < row || pitch%int64(e) != 0 || pitch > most {
		return bad("a row pitch of %d bytes: it is a multiple of the element's %d bytes, from %d to %d", pitch, e, row, most)
	}
	slice := pitch * int64(desc.Height)
	if desc.SlicePitch == 0 {
		desc.SlicePitch = int(min(slice, math.MaxInt))
	}
	if p := int64(desc.SlicePitch); p < slice || p%pitch != 0 || p > max(slice, 1<<38) {
		return bad("a slice pitch of %d bytes: it is a multiple of the row pitch of %d bytes, from %d on", p, pitch, slice)
	}
	if desc.Levels > 1 && (pitch != row || int64(desc.SlicePitch) != slice) {
		return bad("a mipmap with gaps")
	}
	return nil
}

// memory returns the image that a description with nothing left out describes.
func (desc *ImageDesc) memory(format Format) memory.Image {
	return memory.Image{
		Format: format, Dim: desc.Kind.Dim(), Array: desc.Kind.Array(), Width: uint32(desc.Width), Height: uint32(desc.Height), Depth: uint32(desc.Depth),
		Layers: uint32(desc.Layers), Levels: uint32(desc.Levels), RowPitch: uint64(desc.RowPitch), SlicePitch: uint64(desc.SlicePitch),
	}
}

// Desc returns the image's description, with the extents and pitches that it has.
func (im *Image) Desc() ImageDesc {
	if im == nil {
		return ImageDesc{}
	}
	return im.desc
}

// Format returns the format of the image's elements.
func (im *Image) Format() Format {
	if im == nil {
		return Format{}
	}
	return im.format
}

// lock waits for a running launch that uses the image's bytes, and checks that the image lives. Without an error,
// im.dev.release must follow.
func (im *Image) lock() error {
	if im == nil || im.dev == nil {
		return fmt.Errorf("image: %w", ErrInvalid)
	}
	if err := im.dev.enter(); err != nil {
		return err
	}
	if im.buffer().root().users > 0 {
		if err := im.dev.wait(); err != nil {
			return err
		}
	}
	if im.freed {
		im.dev.release()
		return fmt.Errorf("image: %w", ErrClosed)
	}
	return nil
}

// buffer returns the buffer that holds the elements.
func (im *Image) buffer() *Buffer {
	if im.mem != nil {
		return im.mem
	}
	return im.desc.Buffer
}

// usable says why a kernel cannot have the image. The device is held.
func (im *Image) usable() error {
	if im.freed {
		return ErrClosed
	}
	return usable(im.buffer())
}

// Region is a part of a level of an image: Width×Height×Depth elements from element X of row Y of slice Z on.
// The layers of an array count as slices, of one dimension too. A Height or Depth of 0 is 1.
type Region struct {
	Level                int
	X, Y, Z              int
	Width, Height, Depth int
}

// Rect is a part of an image of two dimensions: Width×Height elements from element X of row Y on.
type Rect struct{ X, Y, Width, Height int }

// Level returns the extents of a level, the layers of an array as depth; zeros for a level that there is not.
func (im *Image) Level(n int) (width, height, depth int) {
	if im == nil || n < 0 || n >= im.desc.Levels {
		return 0, 0, 0
	}
	l := im.view.Level(uint32(n))
	return int(l.Width), int(l.Height), int(l.Depth) * im.desc.Layers
}

// rows calls f for each row of the region, with its bytes in the image and
// in p, which has pitch bytes from row to row and slicePitch bytes from slice to
// slice, 0 for no gap. The image is locked.
func (im *Image) rows(r Region, p []byte, pitch, slicePitch int, f func(image, host []byte)) error {
	w, h, d := im.Level(r.Level)
	inside := func(at, n, size int) bool { return at >= 0 && n >= 0 && at <= size && n <= size-at }
	if w == 0 || !inside(r.X, r.Width, w) || !inside(r.Y, r.Height, h) || !inside(r.Z, r.Depth, d) {
		size := fmt.Sprintf("%d×%d elements at (%d,%d) of an image of %d×%d", r.Width, r.Height, r.X, r.Y, w, h)
		if im.desc.Kind != Image2D || im.desc.Levels > 1 {
			size = fmt.Sprintf("%d×%d×%d elements at (%d,%d,%d) of level %d of an %s of %d×%d×%d", r.Width, r.Height, r.Depth, r.X, r.Y, r.Z, r.Level, im.desc.Kind, w, h, d)
		}
		return fmt.Errorf("rectangle of %s: %w", size, io.ErrUnexpectedEOF)
	}
	if r.Width == 0 || r.Height == 0 || r.Depth == 0 {
		return nil
	}
	e := im.format.Bytes()
	n := r.Width * e
	if pitch == 0 {
		pitch = n
	}
	if pitch < n {
		return fmt.Errorf("a row pitch of %d bytes for rows of %d: %w", pitch, n, memory.ErrImage)
	}
	if len(p) < n || (len(p)-n)/pitch < r.Height-1 {
		return fmt.Errorf("%d rows of %d bytes, %d apart, in %d bytes: %w", r.Height, n, pitch, len(p), io.ErrUnexpectedEOF)
	}
	slice := pitch*(r.Height-1) + n
	if slicePitch == 0 {
		slicePitch = pitch * r.Height
	}
	if slicePitch < slice && r.Depth > 1 {
		return fmt.Errorf("a slice pitch of %d bytes for slices of %d: %w", slicePitch, slice, memory.ErrImage)
	}
	if r.Depth > 1 && (len(p)-slice)/slicePitch < r.Depth-1 {
		return fmt.Errorf("%d slices of %d bytes, %d apart, in %d bytes: %w", r.Depth, slice, slicePitch, len(p), io.ErrUnexpectedEOF)
	}
	data := im.buffer().data[im.base.Offset():]
	for z := range r.Depth {
		for y := range r.Height {
			at, _ := im.view.OffsetAt(uint32(r.Level), int64(r.X), int64(r.Y+y), int64(r.Z+z)) // inside, as asked above
			f(data[at:][:n], p[z*slicePitch+y*pitch:][:n])
		}
	}
	return nil
}

// full returns the region with what it leaves out.
func (r Region) full() Region {
	if r.Height == 0 {
		r.Height = 1
	}
	if r.Depth == 0 {
		r.Depth = 1
	}
	return r
}

func (r Rect) region() Region {
	return Region{X: r.X, Y: r.Y, Width: r.Width, Height: r.Height, Depth: 1}
}

// ReadRect copies elements of the image to p, rowPitch bytes from row to row
// there, 0 for no gap. The error wraps io.ErrUnexpectedEOF when the rectangle
// is not inside of the image, or p too short.
func (im *Image) ReadRect(r Rect, p []byte, rowPitch int) error {
	return im.copy(r.region(), p, rowPitch, 0, func(image, host []byte) { copy(host, image) })
}

// WriteRect copies elements from p to the image; see [Image.ReadRect].
func (im *Image) WriteRect(r Rect, p []byte, rowPitch int) error {
	return im.copy(r.region(), p, rowPitch, 0, im.store)
}

// ReadRegion copies elements of the image to p, rowPitch bytes from row to row and slicePitch bytes from
// slice to slice there, 0 for no gap. The error wraps io.ErrUnexpectedEOF when the region is not inside of
// the image, or p too short.
func (im *Image) ReadRegion(r Region, p []byte, rowPitch, slicePitch int) error {
	return im.copy(r.full(), p, rowPitch, slicePitch, func(image, host []byte) { copy(host, image) })
}

// WriteRegion copies elements from p to the image; see [Image.ReadRegion].
func (im *Image) WriteRegion(r Region, p []byte, rowPitch, slicePitch int) error {
	return im.copy(r.full(), p, rowPitch, slicePitch, im.store)
}

// store copies bytes to elements of the image, which kernels may read then.
func (im *Image) store(image, host []byte) {
	copy(image, host)
	// The row is a slice of the buffer's data, with the same end.
	b := im.buffer()
	b.define(int64(cap(b.data)-cap(image)), len(image))
}

// copy calls f as rows does.
func (im *Image) copy(r Region, p []byte, rowPitch, slicePitch int, f func(image, host []byte)) error {
	if err := im.lock(); err != nil {
		return err
	}
	defer im.dev.release()
	return im.rows(r, p, rowPitch, slicePitch, f)
}

// Size returns the bytes of all elements, without gaps.
func (im *Image) Size() uint64 {
	if im == nil {
		return 0
	}
	var n uint64
	for l := range im.desc.Levels {
		w, h, d := im.Level(l)
		n += uint64(w) * uint64(h) * uint64(d) * uint64(im.format.Bytes())
	}
	return n
}

// Bytes returns a copy of all elements, level by level, slice by slice and row by row without gaps.
func (im *Image) Bytes() ([]byte, error) {
	if err := im.lock(); err != nil {
		return nil, err
	}
	defer im.dev.release()
	p := make([]byte, im.Size())
	return p, im.all(p, func(image, host []byte) { copy(host, image) })
}

// SetBytes sets all elements, in the order of [Image.Bytes]. The error wraps io.ErrUnexpectedEOF when p is
// shorter than they are.
func (im *Image) SetBytes(p []byte) error {
	if err := im.lock(); err != nil {
		return err
	}
	defer im.dev.release()
	if uint64(len(p)) < im.Size() {
		return fmt.Errorf("%d bytes for an image of %d: %w", len(p), im.Size(), io.ErrUnexpectedEOF)
	}
	return im.all(p, im.store)
}

// all calls f for each row of each level. The image is locked.
func (im *Image) all(p []byte, f func(image, host []byte)) error {
	for l := range im.desc.Levels {
		w, h, d := im.Level(l)
		if err := im.rows(Region{Level: l, Width: w, Height: h, Depth: d}, p, 0, 0, f); err != nil {
			return err
		}
		p = p[w*h*d*im.format.Bytes():]
	}
	return nil
}

// Free releases the image; the buffer of a view stays. Freeing twice is an error
// that wraps [ErrClosed].
func (im *Image) Free() error {
	if err := im.lock(); err != nil {
		return err
	}
	if err := im.dev.wait(); err != nil {
		return err
	}
	defer im.dev.release()
	return im.drop()
}

// drop takes the image out of the device's memory. The device is held, and no launch runs.
func (im *Image) drop() error {
	if im.freed { // meanwhile
		return fmt.Errorf("image: %w", ErrClosed)
	}
	if im.mem != nil && im.mem.mapped > 0 {
		return fmt.Errorf("free of an image that %w", ErrMapped)
	}
	if err := im.dev.mem.FreeImage(im.ptr); err != nil {
		return err
	}
	im.freed = true
	if im.mem == nil {
		im.desc.Buffer.subs--
		return nil
	}
	im.mem.data = nil
	return im.dev.mem.Free(im.mem.ptr)
}
