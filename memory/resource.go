package memory

import (
	"fmt"
	"slices"
	"strings"
)

// Resource is a buffer resource as AMDGPU's buffer operations know them: a
// piece of global memory, cut into records when it has a stride. Kernels hold
// it as four words ([Resource.Words]), or as a handle that [Global.AddResource]
// gives out.
type Resource struct {
	Base Pointer // global
	// Stride is the bytes from record to record, below [MaxStride]; 0 for bytes
	// without records.
	Stride uint16
	// Records is the number of records, or of bytes when Stride is 0.
	Records uint32
	// Flags is the fourth word. It says nothing that this machine has.
	Flags uint32
}

// The layout of the words of a resource. The base address has 48 bits: here
// 20 of allocation number and 28 of offset, so that the words, too, always
// lead back to an allocation.
const (
	// MaxStride is the first stride that a resource cannot have.
	MaxStride = 1 << 14

	resourceOffsetBits = 28
)

// Words returns the four words of a resource: base [31:0]; base [47:32] and
// the stride from bit 16; records; flags. A base that they cannot say (an
// offset below 0 or of 256 MiB and more) becomes null.
func (r Resource) Words() [4]uint32 {
	off := r.Base.Offset()
	base := uint64(r.Base.Alloc())<<resourceOffsetBits | uint64(off)
	if off < 0 || off >= 1<<resourceOffsetBits || r.Base.Space() != SpaceGlobal {
		base = 0
	}
	return [4]uint32{uint32(base), uint32(base>>32) | uint32(r.Stride%MaxStride)<<16, r.Records, r.Flags}
}

// ResourceOf returns the resource that four words stand for. Whether its base
// leads anywhere is seen when it is used.
func ResourceOf(w [4]uint32) Resource {
	base := uint64(w[1]&0xffff)<<32 | uint64(w[0])
	r := Resource{Stride: uint16(w[1] >> 16 % MaxStride), Records: w[2], Flags: w[3]}
	alloc, off := uint32(base>>resourceOffsetBits), int64(base%(1<<resourceOffsetBits))
	if alloc != 0 {
		r.Base = MakePointer(SpaceGlobal, alloc, off)
	} else {
		r.Base = MakePointer(SpaceNone, 0, off)
	}
	return r
}

// Extent returns the bytes that the resource covers from its base.
func (r Resource) Extent() uint64 {
	if r.Stride == 0 {
		return uint64(r.Records)
	}
	return uint64(r.Records) * uint64(r.Stride)
}

// String returns the resource as people read it.
func (r Resource) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "resource at %s, %d bytes", r.Base, r.Extent())
	if r.Stride != 0 {
		fmt.Fprintf(&b, " in records of %d", r.Stride)
	}
	return b.String()
}

// AddResource enters a resource and returns its handle: a pointer in
// [SpaceResource] whose offset, when a kernel moves it, is one into the
// resource. The lowest number that is free is taken, so that equal launches
// have equal handles. The error wraps [ErrTooMany].
func (g *Global) AddResource(r Resource) (Pointer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var list []*Resource
	if p := g.resources.Load(); p != nil {
		list = slices.Clone(*p)
	}
	n := slices.Index(list, nil)
	if n < 0 {
		n = len(list)
		list = append(list, nil)
	}
	if n >= MaxAllocs {
		return 0, fmt.Errorf("buffer resource: %d are in use: %w", n, ErrTooMany)
	}
	list[n] = &r
	g.resources.Store(&list)
	return MakePointer(SpaceResource, uint32(n+1), 0), nil
}

// FreeResource takes a resource out again. The error wraps [ErrNoAlloc].
func (g *Global) FreeResource(p Pointer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.Resource(p); !ok {
		return fmt.Errorf("release of %s: %w", p, ErrNoAlloc)
	}
	list := slices.Clone(*g.resources.Load())
	list[p.Alloc()-1] = nil
	for len(list) > 0 && list[len(list)-1] == nil {
		list = list[:len(list)-1]
	}
	g.resources.Store(&list)
	return nil
}

// Resource returns the resource that a handle stands for.
func (g *Global) Resource(p Pointer) (r Resource, ok bool) {
	list := g.resources.Load()
	n := p.Alloc()
	if p.Space() != SpaceResource || list == nil || n == 0 || uint64(n) > uint64(len(*list)) || (*list)[n-1] == nil {
		return Resource{}, false
	}
	return *(*list)[n-1], true
}
