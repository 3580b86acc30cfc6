package memory

import (
	"errors"
	"testing"
)

func TestResourceWords(t *testing.T) {
	for _, r := range []Resource{
		{Base: MakePointer(SpaceGlobal, 1, 0), Records: 1},
		{Base: MakePointer(SpaceGlobal, MaxAllocs, 1<<28-1), Stride: MaxStride - 1, Records: 1<<32 - 1, Flags: 1<<32 - 1},
		{Base: MakePointer(SpaceGlobal, 0x12345, 0x6789abc), Stride: 16, Records: 77, Flags: 0x27000},
	} {
		if got := ResourceOf(r.Words()); got != r {
			t.Errorf("%v: words %x are %v", r, r.Words(), got)
		}
	}
	r := Resource{Base: MakePointer(SpaceGlobal, 3, 5), Stride: 0x2aaa, Records: 9, Flags: 4}
	if got, want := r.Words(), [4]uint32{0x30000005, 0x2aaa0000, 9, 4}; got != want {
		t.Errorf("words %x, want %x", got, want)
	}
	// Adding to the address, as kernels do, moves the offset.
	w := r.Words()
	w[0] += 59
	if got := ResourceOf(w).Base; got != MakePointer(SpaceGlobal, 3, 64) {
		t.Errorf("base moved to %s", got)
	}
}

func TestResourceWordsWithoutBase(t *testing.T) {
	for _, p := range []Pointer{0, MakePointer(SpaceGlobal, 1, -1), MakePointer(SpaceGlobal, 1, 1<<28), MakePointer(SpaceLocal, 1, 0)} {
		r := ResourceOf(Resource{Base: p, Records: 8}.Words())
		if !r.Base.IsNearNull() || r.Records != 8 {
			t.Errorf("base %s became %s", p, r.Base)
		}
	}
	if p := ResourceOf([4]uint32{12}).Base; !p.IsNearNull() || p.Offset() != 12 {
		t.Errorf("address 12 is %s", p)
	}
}

func TestResourceExtent(t *testing.T) {
	for _, c := range []struct {
		stride  uint16
		records uint32
		want    uint64
	}{{0, 10, 10}, {4, 10, 40}, {MaxStride - 1, 1<<32 - 1, (MaxStride - 1) * (1<<32 - 1)}} {
		if got := (Resource{Stride: c.stride, Records: c.records}).Extent(); got != c.want {
			t.Errorf("%d records with stride %d: %d bytes, want %d", c.records, c.stride, got, c.want)
		}
	}
}

func TestResourceTable(t *testing.T) {
	g := NewGlobal(1 << 20)
	base, err := g.Alloc("b", 64, false)
	if err != nil {
		t.Fatal(err)
	}
	add := func(records uint32) Pointer {
		t.Helper()
		p, err := g.AddResource(Resource{Base: base, Records: records})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b := add(1), add(2)
	if a != MakePointer(SpaceResource, 1, 0) || b != MakePointer(SpaceResource, 2, 0) {
		t.Errorf("handles %s and %s", a, b)
	}
	if r, ok := g.Resource(b.Add(12)); !ok || r.Records != 2 {
		t.Errorf("resource %v, %v behind a handle with an offset", r, ok)
	}
	if err := g.FreeResource(a); err != nil {
		t.Fatal(err)
	}
	for _, p := range []Pointer{a, 0, base, MakePointer(SpaceResource, 0, 0), MakePointer(SpaceResource, 3, 0)} {
		if r, ok := g.Resource(p); ok {
			t.Errorf("%s is %v", p, r)
		}
		if err := g.FreeResource(p); !errors.Is(err, ErrNoAlloc) {
			t.Errorf("release of %s: %v", p, err)
		}
	}
	if p := add(3); p != a {
		t.Errorf("the free number was not taken: %s", p)
	}
	// A handle is no pointer to memory.
	_, err = g.Resolve(b, 4, AccessRead)
	if err == nil || err.Error() != "read of 4 bytes through the handle of a buffer resource (resource:2+0)" {
		t.Errorf("read through a handle: %v", err)
	}
	f := Fault{Kind: FaultPointer, Pointer: base, Size: 4, Expected: SpaceResource}
	if got, want := f.Error(), "read of 4 bytes through a value that is no buffer resource (0x1000010000000000)"; got != want {
		t.Errorf("a pointer for a handle: %q, want %q", got, want)
	}
	if got := b.String(); got != "resource:2+0" {
		t.Errorf("a handle is written %q", got)
	}
}
