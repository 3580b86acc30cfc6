package memory

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Errors of allocation.
var (
	// ErrTooMany means that all allocation numbers are in use.
	ErrTooMany = errors.New("too many allocations")
	// ErrAlign means that bytes to wrap do not start on a multiple of 8.
	ErrAlign = errors.New("memory is not aligned to 8 bytes")
	// ErrNoAlloc means that a pointer does not lead to an allocation that can be released.
	ErrNoAlloc = errors.New("no such allocation")
)

// LimitError is an allocation that does not fit. Sizes are in bytes.
type LimitError struct {
	Name        string // of the allocation
	Size        uint64 // asked for
	Used, Limit uint64
	Host        bool // the limit has room, but the host gives no more memory
}

// Error says what was asked for and what there is.
func (e *LimitError) Error() string {
	if e.Host {
		return fmt.Sprintf("%q needs %d bytes, which the host does not give; the device holds %d already", e.Name, e.Size, e.Used)
	}
	return fmt.Sprintf("%q needs %d bytes, but %d of the device's %d bytes are in use", e.Name, e.Size, e.Used, e.Limit)
}

const (
	pageBits = 10
	pageSize = 1 << pageBits
)

type page [pageSize]atomic.Pointer[Region]

// Global is a device's global memory: buffers and program-scope variables, by
// allocation number. It is safe for use from several goroutines. Lookups take
// no lock, so that they may run while kernels do.
type Global struct {
	pages [1 << (AllocBits - pageBits)]atomic.Pointer[page]

	mu    sync.Mutex
	limit uint64
	used  uint64
	live  int
	last  uint32              // the number given out last
	freed *[namedFreed]uint32 // the numbers released last, a ring; nil before the first
	frees uint64              // how many were released

	flat     atomic.Pointer[[]flatEntry]
	flatKept int // how many were left when the released ones were taken out of it

	shared sharedTable

	resources atomic.Pointer[[]*Resource] // by number, from 1; nil where one is free
	images    atomic.Pointer[[]*Image]    // likewise
	pipes     pipeTable                   // likewise, from 1
}

// NewGlobal returns an empty memory of limit bytes, at most [MaxSize].
func NewGlobal(limit uint64) *Global {
	return &Global{limit: min(limit, MaxSize)}
}

// Limit returns the size of the memory in bytes.
func (g *Global) Limit() uint64 { return g.limit }

// Used returns how many bytes are allocated.
func (g *Global) Used() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.used
}

// Alloc makes an allocation of size zero bytes and returns the pointer to its
// start. The error is a [*LimitError] or wraps [ErrTooMany].
func (g *Global) Alloc(name string, size uint64, readOnly bool) (Pointer, error) {
	return g.allocBytes(name, size, readOnly, func() []byte {
		if !HostHas(size) {
			return nil
		}
		return AlignedBytes(size)
	})
}

// allocBytes is Alloc for the bytes that take returns, nil where the host does not have them.
func (g *Global) allocBytes(name string, size uint64, readOnly bool, take func() []byte) (Pointer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.fits(name, size); err != nil {
		return 0, err
	}
	data := take()
	if data == nil {
		return 0, &LimitError{Name: name, Size: size, Used: g.used, Limit: g.limit, Host: true}
	}
	return g.add(name, data, readOnly)
}

// AllocBytes makes an allocation of the given bytes, which it does not copy:
// kernels see what the host writes there and the other way round. They must
// start on a multiple of 8 ([AlignedBytes] makes such), or the error wraps
// [ErrAlign]; other errors are those of [Global.Alloc].
func (g *Global) AllocBytes(name string, data []byte, readOnly bool) (Pointer, error) {
	if len(data) > 0 && uintptr(unsafe.Pointer(unsafe.SliceData(data)))%8 != 0 {
		return 0, fmt.Errorf("%q: %w", name, ErrAlign)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.fits(name, uint64(len(data))); err != nil {
		return 0, err
	}
	return g.add(name, data, readOnly)
}

// View makes an allocation through which kernels may read the bytes of another one and not write them. Its
// pointers lead to the view, so that a write through any pointer that is computed from them is a fault. It
// takes no memory of its own, and must be freed before the other. The error wraps [ErrNoAlloc] or
// [ErrTooMany].
func (g *Global) View(p Pointer) (Pointer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.Lookup(p.Alloc())
	if p.Space() != SpaceGlobal || r == nil || r.Freed {
		return 0, fmt.Errorf("view of %s: %w", p, ErrNoAlloc)
	}
	if err := g.fits(r.Name, 0); err != nil {
		return 0, err
	}
	return g.enter(&Region{Name: r.Name, Data: r.Data, ReadOnly: true, WriteOnly: r.WriteOnly, Size: r.Size, view: true, shadow: r.shadow, shadowAt: r.shadowAt, host: r.host}), nil
}

// ShareShadow says that the bytes of an allocation are those of another one, from off on. Pointers into it have the addresses
// of the other's, if that is shared.
func (g *Global) ShareShadow(p, of Pointer, off uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r, from := g.Lookup(p.Alloc()), g.Lookup(of.Alloc())
	if r == nil || from == nil {
		return
	}
	shared := *r
	shared.shadow, shared.shadowAt = from.shadow, from.shadowAt+off
	if from.host != 0 {
		shared.host = from.host + off
	}
	g.store(p.Alloc(), &shared)
}

// SetWriteOnly makes reads of kernels from an allocation that nobody has used yet a fault.
func (g *Global) SetWriteOnly(p Pointer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.Lookup(p.Alloc()); r != nil {
		changed := *r
		changed.WriteOnly = true
		g.store(p.Alloc(), &changed)
	}
}

func (g *Global) fits(name string, size uint64) error {
	if size > g.limit || g.used > g.limit-size {
		return &LimitError{Name: name, Size: size, Used: g.used, Limit: g.limit}
	}
	if g.live == MaxAllocs {
		return fmt.Errorf("%q: %d allocations are in use: %w", name, g.live, ErrTooMany)
	}
	return nil
}

// add enters an allocation of bytes.
func (g *Global) add(name string, data []byte, readOnly bool) (Pointer, error) {
	r := &Region{Name: name, Data: data, ReadOnly: readOnly, Size: uint64(len(data)), shadow: newShadow(uint64(len(data)))}
	g.used += r.Size
	return g.enter(r), nil
}

// enter enters a region under the next number that is not in use. Numbers of
// released allocations come up again only after all others had their turn, so
// that a stale pointer is told apart for as long as possible.
func (g *Global) enter(r *Region) Pointer {
	n := g.last
	for {
		n++
		if n > MaxAllocs {
			n = 1
			g.purgeFlat() // forgotten allocations do not know their places there
		}
		if r := g.Lookup(n); r == nil || r.Freed {
			break
		}
	}
	g.forgetFlat(n)
	g.forgetShared(n)
	r.Flat = g.placeFlat(n, r.Size)
	g.store(n, r)
	g.last = n
	g.live++
	return MakePointer(SpaceGlobal, n, 0)
}

func (g *Global) store(n uint32, r *Region) {
	slot := &g.pages[n>>pageBits]
	p := slot.Load()
	if p == nil {
		p = new(page)
		slot.Store(p)
	}
	p[n%pageSize].Store(r)
}

// Free releases the allocation that p leads to; from now on access to it is a
// fault. The error wraps [ErrNoAlloc]. Freeing memory while a kernel uses it
// is safe: the kernel goes on with the old bytes or faults.
func (g *Global) Free(p Pointer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.Lookup(p.Alloc())
	if p.Space() != SpaceGlobal || r == nil || r.Freed {
		return fmt.Errorf("release of %s: %w", p, ErrNoAlloc)
	}
	g.store(p.Alloc(), &Region{Name: r.Name, Size: r.Size, ReadOnly: r.ReadOnly, Freed: true, Flat: r.Flat, host: r.host})
	g.live--
	if !r.view {
		g.used -= r.Size
	}
	g.forgetFreed(p.Alloc())
	return nil
}

// namedFreed is how many released allocations keep their names and sizes for faults. A program that makes and releases
// buffers without end must not grow.
const namedFreed = 1 << 12

// freedRegion stands for allocations that were released long ago.
var freedRegion = &Region{Name: "an allocation that was released long ago", Freed: true}

// forgetFreed enters allocation n, which is released, and forgets the details of the one that was released namedFreed
// releases ago, unless its number is in use again. One whose addresses on the host lead to it keeps them until another
// allocation has them.
func (g *Global) forgetFreed(n uint32) {
	if g.freed == nil {
		g.freed = new([namedFreed]uint32)
	}
	slot := &g.freed[g.frees%namedFreed]
	g.frees++
	if r := g.Lookup(*slot); r != nil && r.Freed {
		if r.host == 0 || !g.shared.leads(r.host, *slot) {
			r = freedRegion
		} else {
			old := *r
			old.old = true
			r = &old
		}
		g.store(*slot, r)
	}
	*slot = n
}

// Lookup returns allocation number n, which may have been freed, or nil if
// there never was one.
func (g *Global) Lookup(n uint32) *Region {
	if n > MaxAllocs {
		return nil
	}
	p := g.pages[n>>pageBits].Load()
	if p == nil {
		return nil
	}
	return p[n%pageSize].Load()
}

// Each calls f for each allocation that lives, in the order of the numbers.
func (g *Global) Each(f func(n uint32, r *Region)) {
	for i := range g.pages {
		p := g.pages[i].Load()
		if p == nil {
			continue
		}
		for j := range p {
			if r := p[j].Load(); r != nil && !r.Freed {
				f(uint32(i*pageSize+j), r)
			}
		}
	}
}

// Resolve returns the n bytes at p after the check that every access goes
// through. The error is a [*Fault].
func (g *Global) Resolve(p Pointer, n uint64, a Access) ([]byte, error) {
	var r *Region
	if p.Space() == SpaceGlobal {
		r = g.Lookup(p.Alloc())
	}
	if f := r.Check(p, n, a); f != nil {
		f.Expected = SpaceGlobal
		return nil, f
	}
	off := uint64(p.Offset())
	return r.Data[off : off+n : off+n], nil
}
