package emu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/memory"
)

// Number is what a buffer or a by-value argument may hold: the types whose
// size is the same on every machine. A half is its bits in a uint16.
type Number interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64 | ~float32 | ~float64
}

// Buffer is a piece of device memory. Its bytes are what a kernel sees:
// little-endian. It starts as zeros, which launches with checks do not take for granted: to them bytes are undefined
// that nobody has written.
type Buffer struct {
	dev      *Device
	ptr      memory.Pointer
	size     uint64
	name     string
	readOnly bool
	// writeOnly says that kernels must not read it.
	writeOnly bool
	data      []byte // of the device; nil once freed
	mapped    int
	users     int            // arguments of a running launch that lead to its bytes
	lent      bool           // the bytes were given to the device
	subs      int            // sub-buffers that live
	parent    *Buffer        // of a sub-buffer
	view      memory.Pointer // to the same bytes for reading, once a kernel needed it
	elem      elem           // that it was made of
	svm       *SVM           // that the buffer is the memory of
}

// BufferOptions modify a buffer. The zero value is memory that kernels may
// read and write.
type BufferOptions struct {
	// Name is what findings call the buffer where no argument names it.
	Name string
	// ReadOnly makes a kernel's write to the buffer a fault (CL_MEM_READ_ONLY).
	ReadOnly bool
	// Undefined says that the bytes count as never written, as those of [Device.NewBuffer] do.
	Undefined bool
	// WriteOnly makes a kernel's read of the buffer a fault (CL_MEM_WRITE_ONLY).
	WriteOnly bool
}

// NewBuffer makes a buffer of size bytes, which nobody has written. The error is a [*LimitError] when
// the device has no room.
func (d *Device) NewBuffer(size uint64, opt BufferOptions) (*Buffer, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.release()
	b, err := d.newBuffer(size, opt)
	if err == nil {
		b.undefine()
	}
	return b, err
}

// NewBufferFrom makes a buffer of bytes that the device takes over: the caller must not use them any more
// ([Device.AdoptBuffer] leaves them to the caller).
// They are not copied where they start on a multiple of Limits.BaseAlign, as those of [memory.AlignedBytes]
// do.
func (d *Device) NewBufferFrom(data []byte, opt BufferOptions) (*Buffer, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.release()
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%memory.Alignment != 0 || len(data) == 0 {
		b, err := d.newBuffer(uint64(len(data)), opt)
		if err == nil {
			copy(b.data, data)
		}
		return b.made(opt), err
	}
	b, err := d.enterBuffer(uint64(len(data)), opt, func() (memory.Pointer, error) {
		return d.mem.AllocBytes(opt.Name, data[:len(data):len(data)], opt.ReadOnly)
	})
	return b.given().made(opt), err
}

// made returns a new buffer, or nil, as its options ask for it.
func (b *Buffer) made(opt BufferOptions) *Buffer {
	if b != nil && opt.Undefined {
		b.undefine()
	}
	return b
}

// given notes that the bytes of a new buffer, or nil, come from the caller, who may do away with them once it is freed.
func (b *Buffer) given() *Buffer {
	if b != nil {
		b.lent = true
	}
	return b
}

func (d *Device) newBuffer(size uint64, opt BufferOptions) (*Buffer, error) {
	return d.enterBuffer(size, opt, func() (memory.Pointer, error) { return d.mem.Alloc(opt.Name, size, opt.ReadOnly) })
}

// enterBuffer makes a buffer of what alloc allocates.
func (d *Device) enterBuffer(size uint64, opt BufferOptions, alloc func() (memory.Pointer, error)) (*Buffer, error) {
	if opt.ReadOnly && opt.WriteOnly {
		return nil, fmt.Errorf("a buffer that is read-only and write-only: %w", ErrInvalid)
	}
	if size > d.limits.MaxAlloc {
		return nil, &LimitError{What: "size of a buffer", Need: size, Have: d.limits.MaxAlloc, Unit: "bytes", Option: "MaxAlloc"}
	}
	p, err := alloc()
	if err != nil {
		return nil, allocError("device memory", err)
	}
	b := &Buffer{dev: d, ptr: p, size: size, name: opt.Name, readOnly: opt.ReadOnly, writeOnly: opt.WriteOnly}
	if opt.WriteOnly {
		d.mem.SetWriteOnly(p)
	}
	b.data = d.mem.Lookup(p.Alloc()).Data
	return b, nil
}

// allocError turns an error of package memory into one of this package.
func allocError(what string, err error) error {
	var full *memory.LimitError
	if errors.As(err, &full) {
		need := full.Used + full.Size
		if need < full.Size {
			need = math.MaxUint64
		}
		return &LimitError{
			What: what, Need: need, Have: full.Limit, Unit: "bytes", Option: "MaxMemory",
			Size: full.Size, Left: full.Limit - min(full.Used, full.Limit), Host: full.Host,
		}
	}
	return fmt.Errorf("%s: %w", what, err)
}

// elem is the type of the elements that a buffer was made of; the zero elem is any
// type.
type elem struct {
	name  string
	size  int
	float bool
}

// elemOf returns the elem of T. Integers of eight bits are bytes, which may be anything.
func elemOf[T Number]() elem {
	t := reflect.TypeFor[T]()
	if t.Size() == 1 {
		return elem{}
	}
	return elem{t.Kind().String(), int(t.Size()), t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64}
}

// fits says whether elements can be taken for those of another type: signed and
// unsigned integers of a width can.
func (e elem) fits(other elem) bool {
	return e.size == 0 || other.size == 0 || e.size == other.size && e.float == other.float
}

// holds returns an error unless the buffer may hold elements of T.
func holds[T Number](b *Buffer) error {
	if e := elemOf[T](); !b.elem.fits(e) {
		return fmt.Errorf("a buffer of %s as %s: %w; ReadAt, WriteAt and Bytes have its bytes", b.elem.name, e.name, ErrElement)
	}
	return nil
}

// NewBufferOf makes a buffer that holds the elements of v. It is a buffer of T from then on:
// see [Read].
func NewBufferOf[T Number](d *Device, v []T) (*Buffer, error) {
	b, err := d.NewBuffer(uint64(len(v))*uint64(binary.Size(*new(T))), BufferOptions{})
	if err != nil {
		return nil, err
	}
	if err := Write(b, 0, v); err != nil {
		return nil, err
	}
	b.elem = elemOf[T]()
	return b, nil
}

// Size returns the buffer's size in bytes; 0 for a nil buffer.
func (b *Buffer) Size() uint64 {
	if b == nil {
		return 0
	}
	return b.size
}

// lock waits for a running launch that uses the buffer, and checks that the buffer lives. Without an
// error, b.dev.release must follow.
func (b *Buffer) lock() error {
	if b == nil || b.dev == nil {
		return fmt.Errorf("buffer: %w", ErrInvalid)
	}
	if err := b.dev.enter(); err != nil {
		return err
	}
	if b.root().users > 0 {
		if err := b.dev.wait(); err != nil {
			return err
		}
	}
	if b.data == nil {
		b.dev.release()
		return fmt.Errorf("buffer: %w", ErrClosed)
	}
	return nil
}

// part returns n bytes at off of a locked buffer.
func (b *Buffer) part(off int64, n int) ([]byte, error) {
	if off < 0 || uint64(off) > b.size || b.size-uint64(off) < uint64(n) {
		return nil, fmt.Errorf("bytes [%d, %d) of a buffer of %d bytes: %w", off, off+int64(n), b.size, io.ErrUnexpectedEOF)
	}
	return b.data[off:][:n:n], nil
}

// WriteAt copies p into the buffer, off bytes from its start. It writes all of
// p or, when that does not fit, nothing; the error then wraps
// io.ErrUnexpectedEOF. It implements [io.WriterAt].
func (b *Buffer) WriteAt(p []byte, off int64) (int, error) {
	if err := b.lock(); err != nil {
		return 0, err
	}
	defer b.dev.release()
	to, err := b.part(off, len(p))
	if err != nil {
		return 0, err
	}
	b.define(off, len(p))
	return memory.Copy(to, p), nil
}

// ReadAt copies len(p) bytes, off bytes from the buffer's start, into p. At
// the buffer's end it reads less and returns io.EOF. It implements
// [io.ReaderAt].
func (b *Buffer) ReadAt(p []byte, off int64) (int, error) {
	if err := b.lock(); err != nil {
		return 0, err
	}
	defer b.dev.release()
	if off < 0 {
		return 0, fmt.Errorf("offset %d in a buffer: %w", off, ErrInvalid)
	}
	if uint64(off) >= b.size {
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n := memory.Copy(p, b.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// Bytes returns a copy of the buffer's contents.
func (b *Buffer) Bytes() ([]byte, error) {
	if err := b.lock(); err != nil {
		return nil, err
	}
	defer b.dev.release()
	return append(make([]byte, 0, len(b.data)), b.data...), nil
}

// Fill repeats the pattern over the whole buffer; the last time it may be cut.
func (b *Buffer) Fill(pattern []byte) error {
	if err := b.lock(); err != nil {
		return err
	}
	defer b.dev.release()
	if len(pattern) == 0 {
		return fmt.Errorf("fill with an empty pattern: %w", ErrInvalid)
	}
	b.defineAll()
	for n := copy(b.data, pattern); n < len(b.data); {
		n += copy(b.data[n:], b.data[:n-n%len(pattern)])
	}
	return nil
}

// Map gives the host the buffer's own bytes, without a copy, until Unmap. A
// launch that has the buffer as an argument meanwhile fails with an error that
// wraps [ErrMapped]. The slice must not be used after Unmap, nor while a kernel
// that has the buffer's address from elsewhere runs.
func (b *Buffer) Map() ([]byte, error) {
	if err := b.lock(); err != nil {
		return nil, err
	}
	defer b.dev.release()
	b.defineAll()
	b.mapped++
	b.dev.mapped++
	return b.data[:len(b.data):len(b.data)], nil
}

// Unmap ends one Map.
func (b *Buffer) Unmap() error {
	if err := b.lock(); err != nil {
		return err
	}
	defer b.dev.release()
	if b.mapped == 0 {
		return fmt.Errorf("unmap of a buffer that is not mapped: %w", ErrInvalid)
	}
	b.mapped--
	b.dev.mapped--
	return nil
}

// Sub makes a sub-buffer: another handle for size bytes of this buffer,
// starting at off, which must be a multiple of Limits.BaseAlign. To kernels it
// is an allocation of its own, so that access beyond its ends is a fault. It
// must be freed before the buffer.
func (b *Buffer) Sub(off, size uint64) (*Buffer, error) {
	if err := b.lock(); err != nil {
		return nil, err
	}
	defer b.dev.release()
	switch {
	case b.parent != nil:
		return nil, fmt.Errorf("sub-buffer of a sub-buffer: %w", ErrInvalid)
	case off%memory.Alignment != 0:
		return nil, fmt.Errorf("sub-buffer at byte %d: not a multiple of %d: %w", off, memory.Alignment, ErrInvalid)
	case off > b.size || b.size-off < size:
		return nil, fmt.Errorf("sub-buffer [%d, %d+%d) of a buffer of %d bytes: %w", off, off, size, b.size, io.ErrUnexpectedEOF)
	}
	data := b.data[off:][:size:size]
	p, err := b.dev.mem.AllocBytes(b.name, data, b.readOnly)
	if err != nil {
		return nil, allocError("sub-buffer", err)
	}
	b.dev.mem.ShareShadow(p, b.ptr, off)
	if b.writeOnly {
		b.dev.mem.SetWriteOnly(p)
	}
	b.subs++
	return &Buffer{dev: b.dev, ptr: p, size: size, name: b.name, readOnly: b.readOnly, writeOnly: b.writeOnly, data: data, parent: b, elem: b.elem}, nil
}

// constant returns the pointer to the buffer for a parameter through which a kernel must not write, such as
// one to constant memory. The device is held.
func (b *Buffer) constant() (memory.Pointer, error) {
	if b.readOnly {
		return b.ptr, nil
	}
	if b.view == 0 {
		p, err := b.dev.mem.View(b.ptr)
		if err != nil {
			return 0, allocError("constant buffer", err)
		}
		b.view = p
	}
	return b.view, nil
}

// Free releases the memory. A kernel that still has the address gets a fault
// (E-FREED). Freeing twice is an error that wraps [ErrClosed].
func (b *Buffer) Free() error {
	if b != nil && b.svm != nil {
		return fmt.Errorf("free of the buffer of shared virtual memory: %w; SVM.Free releases it", ErrInvalid)
	}
	return b.free()
}

// free is Free for all buffers.
func (b *Buffer) free() error {
	if err := b.lock(); err != nil {
		return err
	}
	if d := b.dev; d.running {
		// A kernel may have got to the bytes by a pointer in memory.
		if !b.root().lent {
			d.kept = append(d.kept, b.data)
		} else if err := d.wait(); err != nil {
			return err
		}
	}
	defer b.dev.release()
	return b.drop()
}

// drop takes the buffer out of the device's memory. The device is held, and no launch uses the bytes.
func (b *Buffer) drop() error {
	switch {
	case b.data == nil: // meanwhile
		return fmt.Errorf("buffer: %w", ErrClosed)
	case b.mapped > 0:
		return fmt.Errorf("free of a buffer that %w", ErrMapped)
	case b.subs > 0:
		return fmt.Errorf("free of a buffer with %d sub-buffers: %w", b.subs, ErrInvalid)
	}
	if b.view != 0 {
		if err := b.dev.mem.Free(b.view); err != nil {
			return err
		}
		b.view = 0
	}
	if err := b.dev.mem.Free(b.ptr); err != nil {
		return err
	}
	if b.parent != nil {
		b.parent.subs--
	}
	b.data = nil
	return nil
}

// Write copies v into the buffer, starting at element index, little-endian. T must fit
// the buffer as it must for [Read].
func Write[T Number](b *Buffer, index int64, v []T) error {
	if err := b.lock(); err != nil {
		return err
	}
	defer b.dev.release()
	if err := holds[T](b); err != nil {
		return err
	}
	size := binary.Size(*new(T))
	if index < 0 || index > math.MaxInt64/int64(size) || len(v) > math.MaxInt/size {
		return fmt.Errorf("element %d of a buffer: %w", index, ErrInvalid)
	}
	to, err := b.part(index*int64(size), len(v)*size)
	if err != nil {
		return err
	}
	b.define(index*int64(size), len(to))
	_, err = binary.Encode(to, binary.LittleEndian, v)
	return err
}

// Read returns the buffer's contents as elements. Bytes at the end that are no
// whole element are an error. So is another type than the one that [NewBufferOf] made the
// buffer of, which is an [ErrElement]; signed and unsigned integers of a width are the
// same, and integers of eight bits are bytes, which go with every type. A buffer that [Device.NewBuffer]
// made has no type.
func Read[T Number](b *Buffer) ([]T, error) {
	if err := b.lock(); err != nil {
		return nil, err
	}
	defer b.dev.release()
	if err := holds[T](b); err != nil {
		return nil, err
	}
	size := binary.Size(*new(T))
	if len(b.data)%size != 0 {
		return nil, fmt.Errorf("a buffer of %d bytes as elements of %d bytes: %w", b.size, size, ErrInvalid)
	}
	v := make([]T, len(b.data)/size)
	_, err := binary.Decode(b.data, binary.LittleEndian, v)
	return v, err
}
