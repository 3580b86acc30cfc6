package emu

import (
	"context"
	"fmt"
	"io"

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

// MaxImageSize is the largest width and height of an image, in elements.
const MaxImageSize = 1 << 16

// ImageDesc describes an image of two dimensions.
type ImageDesc struct {
	Width, Height int // elements
	// RowPitch is the bytes from row to row, a multiple of an element's size;
	// 0 leaves no gap.
	RowPitch int
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

// Image is an image of two dimensions in device memory. Its elements start as
// zeros, unless it is a view of a buffer.
type Image struct {
	dev    *Device
	desc   ImageDesc
	format Format
	opt    ImageOptions
	ptr    memory.Pointer // the handle
	base   memory.Pointer // of the first element
	size   uint64         // bytes from the first element to the end of the last
	mem    *Buffer        // the image's own memory; nil for a view
	freed  bool
}

// NewImage makes an image. The error is a [*LimitError] when the device has no
// room, wraps io.ErrUnexpectedEOF when the buffer is too small, and
// memory.ErrImage when the description makes no sense.
func (d *Device) NewImage(desc ImageDesc, format Format, opt ImageOptions) (*Image, error) {
	if err := d.acquire(context.Background()); err != nil {
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
	if desc.Width < 1 || desc.Height < 1 || desc.Width > MaxImageSize || desc.Height > MaxImageSize {
		return nil, bad("%d×%d elements: width and height are 1 to %d", desc.Width, desc.Height, MaxImageSize)
	}
	row := desc.Width * e // at most 2^20
	if desc.RowPitch == 0 {
		desc.RowPitch = row
	}
	if desc.RowPitch < row || desc.RowPitch%e != 0 || desc.RowPitch > 1<<30 {
		return nil, bad("a row pitch of %d bytes: it is a multiple of the element's %d bytes, from %d to %d", desc.RowPitch, e, row, 1<<30)
	}
	im := &Image{dev: d, desc: desc, format: format, opt: opt}
	im.size = uint64(desc.RowPitch)*uint64(desc.Height-1) + uint64(row)
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
		mem, err := d.newBuffer(im.size, BufferOptions{Name: opt.Name})
		if err != nil {
			return nil, err
		}
		im.mem, im.base = mem, mem.ptr
	}
	p, err := d.mem.AddImage(memory.Image{
		Name: opt.Name, Base: im.base, Format: format, Dim: memory.Dim2D,
		Width: uint32(desc.Width), Height: uint32(desc.Height), Depth: 1, Layers: 1, Levels: 1,
		RowPitch: uint64(desc.RowPitch), ReadOnly: im.opt.ReadOnly, OfBuffer: desc.Buffer != nil, BufferOrigin: origin,
	})
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

// Desc returns the image's description, with the row pitch that it has.
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

// lock waits for the device and checks that the image lives. Without an error,
// im.dev.release must follow.
func (im *Image) lock() error {
	if im == nil || im.dev == nil {
		return fmt.Errorf("image: %w", ErrInvalid)
	}
	if err := im.dev.acquire(context.Background()); err != nil {
		return err
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

// Rect is a part of an image: Width×Height elements from element X of row Y on.
type Rect struct{ X, Y, Width, Height int }

// rows calls f for each row of the rectangle, with its bytes in the image and
// in p, which has pitch bytes from row to row, 0 for no gap. The image is locked.
func (im *Image) rows(r Rect, p []byte, pitch int, f func(image, host []byte)) error {
	w, h := im.desc.Width, im.desc.Height
	if r.X < 0 || r.Y < 0 || r.Width < 0 || r.Height < 0 || r.X > w || r.Y > h || r.Width > w-r.X || r.Height > h-r.Y {
		return fmt.Errorf("rectangle of %d×%d elements at (%d,%d) of an image of %d×%d: %w", r.Width, r.Height, r.X, r.Y, w, h, io.ErrUnexpectedEOF)
	}
	if r.Width == 0 || r.Height == 0 {
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
	data := im.buffer().data[im.base.Offset():]
	for y := range r.Height {
		at := (r.Y+y)*im.desc.RowPitch + r.X*e
		f(data[at:][:n], p[y*pitch:][:n])
	}
	return nil
}

// ReadRect copies elements of the image to p, rowPitch bytes from row to row
// there, 0 for no gap. The error wraps io.ErrUnexpectedEOF when the rectangle
// is not inside of the image, or p too short.
func (im *Image) ReadRect(r Rect, p []byte, rowPitch int) error {
	if err := im.lock(); err != nil {
		return err
	}
	defer im.dev.release()
	return im.rows(r, p, rowPitch, func(image, host []byte) { copy(host, image) })
}

// WriteRect copies elements from p to the image; see [Image.ReadRect].
func (im *Image) WriteRect(r Rect, p []byte, rowPitch int) error {
	if err := im.lock(); err != nil {
		return err
	}
	defer im.dev.release()
	return im.rows(r, p, rowPitch, func(image, host []byte) { copy(image, host) })
}

// Bytes returns a copy of all elements, row by row without gaps.
func (im *Image) Bytes() ([]byte, error) {
	if err := im.lock(); err != nil {
		return nil, err
	}
	defer im.dev.release()
	all := Rect{0, 0, im.desc.Width, im.desc.Height}
	p := make([]byte, im.desc.Width*im.format.Bytes()*im.desc.Height)
	err := im.rows(all, p, 0, func(image, host []byte) { copy(host, image) })
	return p, err
}

// Free releases the image; the buffer of a view stays. Freeing twice is an error
// that wraps [ErrClosed].
func (im *Image) Free() error {
	if err := im.lock(); err != nil {
		return err
	}
	defer im.dev.release()
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
