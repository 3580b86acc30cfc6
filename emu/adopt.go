package emu

import (
	"fmt"
	"io"

	"github.com/lockstep-gpu/lockstep/memory"
)

// AdoptBuffer makes a buffer of bytes that stay the caller's (CL_MEM_USE_HOST_PTR): nothing is copied, kernels and the caller see
// what the other writes, and Free leaves the bytes alone. They must not move or go away before that, and the caller must not
// write them while a launch runs that uses the buffer. They count as written, whatever the
// options say. They start on a multiple of 8, or the error wraps
// [memory.ErrAlign]. Bytes of shared virtual memory keep the addresses that they have there.
func (d *Device) AdoptBuffer(data []byte, opt BufferOptions) (*Buffer, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.release()
	return d.adopt(data, opt)
}

// adopt is AdoptBuffer for who holds the device.
func (d *Device) adopt(data []byte, opt BufferOptions) (*Buffer, error) {
	b, err := d.enterBuffer(uint64(len(data)), opt, func() (memory.Pointer, error) {
		p, err := d.mem.AllocBytes(opt.Name, data[:len(data):len(data)], opt.ReadOnly)
		if err == nil {
			d.mem.ShareFrom(p)
		}
		return p, err
	})
	return b.given(), err
}

// AdoptImage makes an image of bytes that stay the caller's, as [Device.AdoptBuffer] makes a buffer. They hold the elements at the
// pitches of the description, whose Buffer is nil; the error wraps io.ErrUnexpectedEOF when there are too few.
func (d *Device) AdoptImage(data []byte, desc ImageDesc, format Format, opt ImageOptions) (*Image, error) {
	if desc.Buffer != nil {
		return nil, fmt.Errorf("image of bytes and of a buffer: %w", memory.ErrImage)
	}
	return d.newImage(desc, format, opt, func(size uint64) (*Buffer, error) {
		if uint64(len(data)) < size {
			return nil, fmt.Errorf("image of %d bytes in %d bytes: %w", size, len(data), io.ErrUnexpectedEOF)
		}
		return d.adopt(data, BufferOptions{Name: opt.Name})
	})
}

// Map gives the host the image's own bytes, without a copy, until Unmap: the elements at the pitches that [Image.Desc] has, and the
// levels of a mipmap one behind the other. As for [Buffer.Map], a launch that has the image as an argument meanwhile fails.
func (im *Image) Map() ([]byte, error) {
	if err := im.lock(); err != nil {
		return nil, err
	}
	defer im.dev.release()
	b := im.buffer()
	if b.data == nil {
		return nil, fmt.Errorf("buffer of an image: %w", ErrClosed)
	}
	b.define(int64(im.desc.Offset), int(im.size))
	b.mapped++
	im.dev.mapped++
	return b.data[im.desc.Offset:][:im.size:im.size], nil
}

// Unmap ends one Map.
func (im *Image) Unmap() error {
	if err := im.lock(); err != nil {
		return err
	}
	defer im.dev.release()
	b := im.buffer()
	if b.mapped == 0 {
		return fmt.Errorf("unmap of an image that is not mapped: %w", ErrInvalid)
	}
	b.mapped--
	im.dev.mapped--
	return nil
}
