package memory

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// Alignment is the alignment in bytes of every allocation, on the device and
// on the host.
const Alignment = 64

// Region is one allocation. It is immutable, apart from the bytes of Data; a
// release replaces it by another Region.
type Region struct {
	Name string
	// Data is the contents; nil once the allocation is freed.
	Data     []byte
	ReadOnly bool // for kernels; the host may write
	// WriteOnly is that kernels must not read; the host may.
	WriteOnly bool
	Freed     bool
	view      bool // of the bytes of another allocation, which counts them
	// Size is the allocation's size in bytes; it survives a release.
	Size     uint64
	shadow   *Shadow
	shadowAt uint64 // where the region begins in shadow
	// Flat is the 32-bit address (see [Global.Pack32]); 0 for none.
	Flat uint32
	host uint64 // address of a shared allocation (see [Global.Share]); 0 for none
	old  bool   // released so long ago that it only stands for its addresses, until another allocation has them
}

// Shadow returns which bits of the region are undefined, and where the region begins in there. A nil Region has none.
func (r *Region) Shadow() (s *Shadow, at uint64) {
	if r == nil {
		return nil, 0
	}
	return r.shadow, r.shadowAt
}

// nullRange is how far from null a pointer may be, in bytes, to count as one
// that was computed from it: a member of a structure, an element of an array.
const nullRange = 4096

// IsNearNull says whether p is the null pointer or a few bytes away from it.
func (p Pointer) IsNearNull() bool {
	return p.Space() == SpaceNone && p.Alloc() == 0 && p.Offset() > -nullRange && p.Offset() < nullRange
}

// Allows says whether the region may be accessed so.
func (r *Region) Allows(a Access) bool {
	return (!r.ReadOnly || a == AccessRead) && (!r.WriteOnly || a == AccessWrite)
}

// Check returns what an access of n bytes at p, which leads to this region (nil
// for one that does not exist), does wrong, or nil. It does not look at alignment.
func (r *Region) Check(p Pointer, n uint64, a Access) *Fault {
	off := p.Offset()
	if r != nil && !r.Freed && off >= 0 && uint64(off) <= r.Size && r.Size-uint64(off) >= n && r.Allows(a) && !p.IsNearNull() {
		return nil
	}
	f := Fault{Access: a, Pointer: p, Size: n}
	switch {
	case p.IsNearNull():
		f.Kind = FaultNull
		return &f
	case r == nil:
		f.Kind = FaultPointer
		return &f
	}
	f.Region, f.RegionSize, f.HasRegion = r.Name, r.Size, true
	switch {
	case r.Freed:
		f.Kind = FaultFreed
	case off < 0 || uint64(off) > r.Size || r.Size-uint64(off) < n:
		f.Kind = FaultBounds
	case r.ReadOnly && a != AccessRead:
		f.Kind = FaultReadOnly
	default: // r.WriteOnly && a != AccessWrite
		f.Kind = FaultWriteOnly
	}
	return &f
}

// Large buffers begin at different places of a page: caches of processors compare the lower bits of addresses first, so that a load
// waits for stores to the same place of other pages, and lines at the same place of many pages drive each other out.
const (
	colouredFrom = 64 << 10
	colourPage   = 4 << 10
	colourStep   = 9 * Alignment // such that colourPage/Alignment steps lead to as many places
)

// colours is the place of the last large buffer, in bytes, without regard to the end of the page.
var colours atomic.Uint32

// Colour returns how many bytes behind the start of a page the next buffer of n bytes should start: see
// colours. It is a multiple of [Alignment], and 0 for small buffers. It is for who allocates the bytes of
// buffers elsewhere, as AlignedBytes does by itself.
func Colour(n uint64) uint64 {
	if n < colouredFrom {
		return 0
	}
	return uint64(colours.Add(colourStep) % colourPage)
}

// AlignedBytes returns n zero bytes that start on a multiple of [Alignment], or
// nil when the host's address space cannot hold them.
func AlignedBytes(n uint64) []byte {
	if n > math.MaxInt-Alignment-colourPage {
		return nil
	}
	if n == 0 {
		return []byte{}
	}
	colour := uintptr(Colour(n))
	b := make([]byte, n+uint64(colour)+Alignment-1)
	AdviseHuge(b)
	shift := colour + -uintptr(unsafe.Pointer(unsafe.SliceData(b)))&(Alignment-1)
	return b[shift : shift+uintptr(n) : shift+uintptr(n)]
}
