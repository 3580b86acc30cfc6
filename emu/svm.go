package emu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/memory"
)

// SVMKind says who may access shared virtual memory, and when. Kernels do not see a difference.
type SVMKind uint8

// The kinds.
const (
	// SVMCoarse is a coarse-grained buffer: the host accesses it while it has it mapped.
	SVMCoarse SVMKind = iota
	// SVMFine is a fine-grained buffer: the host accesses it at any time, also while kernels run. Atomic operations of the host
	// (sync/atomic, or those of a C program) and of kernels are atomic to each other.
	SVMFine
	// SVMHost and SVMShared are the host and the shared allocations of unified shared memory, and like fine-grained buffers.
	SVMHost
	SVMShared
	// SVMDevice is a device allocation of unified shared memory: the host has its address, and accesses it through
	// [SVM.Buffer] only.
	SVMDevice
	numSVMKinds
)

var svmKinds = [numSVMKinds]string{"coarse", "fine", "host", "shared", "device"}

// String returns the kind's name.
func (k SVMKind) String() string {
	if k < numSVMKinds {
		return svmKinds[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// fine says whether the host may write while a kernel runs.
func (k SVMKind) fine() bool { return k == SVMFine || k == SVMHost || k == SVMShared }

// MaxSVMAlign is the largest alignment of shared virtual memory, in bytes.
const MaxSVMAlign = 1 << 20

// defaultSVMAlign is the size of the largest type of OpenCL C.
const defaultSVMAlign = 128

// SVMOptions modify an allocation of shared virtual memory.
type SVMOptions struct {
	// Name is what findings call the allocation where no argument names it; "" is "svm N", counted from 1.
	Name string
	Kind SVMKind
	// Align is the alignment in bytes, a power of two up to MaxSVMAlign; 0 is 128. [Device.SVMFrom] checks nothing but that the
	// bytes start on a multiple of it, where it is not 0.
	Align uint64
	// ReadOnly makes a kernel's write a fault (CL_MEM_READ_ONLY), WriteOnly a read.
	ReadOnly, WriteOnly bool
	// Address, where it is not 0, is the address of the first byte for kernels, as if the host had it there: for memory that was
	// saved with pointers into itself. [Device.SVMFrom] does without.
	Address uint64
}

// SVM is an allocation of shared virtual memory. Its bytes are at one address for the host and for kernels: a pointer into it
// that a kernel stores, converts to an integer, or finds in memory is the host's address, so that lists and trees work
// on both sides. Every kernel of the device can access every allocation through such pointers, also those that no argument leads
// to: there is nothing to declare (clSetKernelExecInfo). Each access is checked against the allocation that the pointer leads to.
//
// An SVM is an argument: the pointer to its start; see [SVM.At].
type SVM struct {
	dev  *Device
	buf  *Buffer
	kind SVMKind
	data []byte
	addr uint64

	shadow *memory.Shadow
}

// svmList has the allocations of a device by number. It has a lock of its own, so that the host can ask for one while a kernel
// runs.
type svmList struct {
	mu     sync.RWMutex
	mem    *memory.Global // of the device; nil without allocations
	list   map[uint32]*SVM
	number int // of the last that was made
	fine   int // how many the host may write at any time
}

// NewSVM makes an allocation of size bytes, at least one, of shared virtual memory. Bytes of [SVMDevice] count as never written,
// others as written by the host, which may do so at any time. The error is a [*LimitError] when the device has no room. It waits
// for a running launch.
func (d *Device) NewSVM(size uint64, opt SVMOptions) (*SVM, error) {
	align := opt.Align
	if align == 0 {
		align = defaultSVMAlign
	}
	if align&(align-1) != 0 || align > MaxSVMAlign {
		return nil, fmt.Errorf("shared virtual memory: alignment %d is not a power of two up to %d: %w", align, MaxSVMAlign, ErrInvalid)
	}
	if opt.Address%align != 0 && opt.Align != 0 {
		return nil, fmt.Errorf("shared virtual memory: the address is not aligned to %d: %w", align, ErrInvalid)
	}
	return d.addSVM(size, opt, func(name string) (memory.Pointer, error) {
		if opt.Address == 0 {
			return d.mem.AllocShared(name, size, align, opt.ReadOnly)
		}
		p, err := d.mem.Alloc(name, size, opt.ReadOnly)
		if err != nil {
			return 0, err
		}
		if err := d.mem.ShareAt(p, opt.Address); err != nil {
			return 0, errors.Join(err, d.mem.Free(p))
		}
		return p, nil
	})
}

// SVMFrom makes an allocation of bytes that the caller has: they are neither copied nor freed, and must not move or go away before
// [SVM.Free]. They start on a multiple of 8, and no other allocation has any of them.
func (d *Device) SVMFrom(data []byte, opt SVMOptions) (*SVM, error) {
	data = data[:len(data):len(data)]
	if a := uintptr(unsafe.Pointer(unsafe.SliceData(data))); opt.Align != 0 && (opt.Align&(opt.Align-1) != 0 || uint64(a)%opt.Align != 0) {
		return nil, fmt.Errorf("shared virtual memory: the bytes are not aligned to %d: %w", opt.Align, ErrInvalid)
	}
	return d.addSVM(uint64(len(data)), opt, func(name string) (memory.Pointer, error) {
		p, err := d.mem.AllocBytes(name, data, opt.ReadOnly)
		if err != nil {
			return 0, err
		}
		if err := d.mem.Share(p); err != nil {
			return 0, errors.Join(err, d.mem.Free(p))
		}
		return p, nil
	})
}

// addSVM makes an allocation of what alloc allocates and shares.
func (d *Device) addSVM(size uint64, opt SVMOptions, alloc func(name string) (memory.Pointer, error)) (*SVM, error) {
	switch {
	case opt.Kind >= numSVMKinds:
		return nil, fmt.Errorf("shared virtual memory of %s: %w", opt.Kind, ErrInvalid)
	case size == 0:
		return nil, fmt.Errorf("shared virtual memory of 0 bytes: %w", ErrInvalid)
	}
	if err := d.acquire(context.Background()); err != nil {
		return nil, err
	}
	defer d.release()
	l := &d.svm
	l.mu.Lock()
	defer l.mu.Unlock()
	if opt.Name == "" {
		opt.Name = fmt.Sprintf("svm %d", l.number+1)
	}
	b, err := d.enterBuffer(size, BufferOptions{Name: opt.Name, ReadOnly: opt.ReadOnly, WriteOnly: opt.WriteOnly},
		func() (memory.Pointer, error) { return alloc(opt.Name) })
	if err != nil {
		return nil, err
	}
	s := &SVM{dev: d, buf: b, kind: opt.Kind, data: b.data, addr: d.mem.Address(b.ptr)}
	s.shadow, _ = d.mem.Lookup(b.ptr.Alloc()).Shadow()
	b.svm = s
	if opt.Kind == SVMDevice {
		b.undefine()
	}
	if l.list == nil {
		l.mem, l.list = d.mem, map[uint32]*SVM{}
	}
	l.list[b.ptr.Alloc()] = s
	l.number++
	if opt.Kind.fine() {
		l.fine++
	}
	d.shares.Store(true)
	return s, nil
}

// SVMAt returns the allocation that has the byte at an address of the host, and how far that is from its start. It does not wait
// for a running launch.
func (d *Device) SVMAt(address uint64) (s *SVM, offset uint64, ok bool) {
	if d == nil {
		return nil, 0, false
	}
	l := &d.svm
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.mem == nil || memory.Pointer(address).Space() != memory.SpaceNone {
		return nil, 0, false
	}
	p := l.mem.AtAddress(address)
	s = l.list[p.Alloc()]
	if p.Space() == memory.SpaceGlobal && s != nil && address-s.addr < s.Size() {
		return s, address - s.addr, true
	}
	return nil, 0, false
}

// Address returns the address of the first byte; 0 for a nil allocation.
func (s *SVM) Address() uint64 {
	if s == nil {
		return 0
	}
	return s.addr
}

// Size returns the size in bytes; 0 for a nil allocation.
func (s *SVM) Size() uint64 {
	if s == nil {
		return 0
	}
	return uint64(len(s.data))
}

// Kind returns the kind.
func (s *SVM) Kind() SVMKind {
	if s == nil {
		return SVMCoarse
	}
	return s.kind
}

// Bytes returns the memory itself, which the host then accesses as the kind allows, until Free. It counts as written by the host.
// Bytes does not wait for a running launch.
func (s *SVM) Bytes() []byte {
	if s == nil {
		return nil
	}
	if s.kind == SVMDevice {
		s.shadow.Define(0, s.Size())
	}
	return s.data
}

// Buffer returns a buffer that is the allocation: for [Read], [Write], copies of a queue, images and sub-buffers. It must not be
// freed; nil for a nil allocation.
func (s *SVM) Buffer() *Buffer {
	if s == nil {
		return nil
	}
	return s.buf
}

// Free releases the allocation. A kernel that still has a pointer into it gets a fault (E-FREED) until the host uses the address
// for another allocation. It waits for a running launch.
func (s *SVM) Free() error {
	if s == nil || s.buf == nil {
		return fmt.Errorf("shared virtual memory: %w", ErrInvalid)
	}
	return s.free(s.buf.free)
}

// free frees the allocation's buffer, and forgets the allocation.
func (s *SVM) free(buffer func() error) error {
	n := s.buf.ptr.Alloc()
	if err := buffer(); err != nil {
		return err
	}
	l := &s.dev.svm
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list[n] == s {
		delete(l.list, n)
		if s.kind.fine() {
			l.fine--
		}
	}
	return nil
}

// each calls f for the buffer of each allocation, in the order of their numbers. The device is held.
func (l *svmList) each(f func(*Buffer)) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if len(l.list) == 0 {
		return
	}
	for _, n := range slices.Sorted(maps.Keys(l.list)) {
		f(l.list[n].buf)
	}
}

// hostWrites says whether the host may write memory while kernels run.
func (l *svmList) hostWrites() bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.fine > 0
}
