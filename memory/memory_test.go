package memory

import (
	"errors"
	"sync"
	"testing"
	"unsafe"
)

func TestPointer(t *testing.T) {
	p := MakePointer(SpaceGlobal, 5, 100)
	if p.Space() != SpaceGlobal || p.Alloc() != 5 || p.Offset() != 100 || p.String() != "global:5+100" {
		t.Errorf("%s: %s %d %d", p, p.Space(), p.Alloc(), p.Offset())
	}
	for _, c := range []struct{ d, want int64 }{{-100, 0}, {-101, -1}, {MaxOffset - 100, MaxOffset}, {MaxOffset - 99, FarOffset},
		{FarOffset - 100, FarOffset}, {FarOffset - 101, FarOffset}, {1<<63 - 1, FarOffset}, {-1 << 63, FarOffset}} {
		q := p.Add(c.d)
		if q.Offset() != c.want || q.Alloc() != 5 || q.Space() != SpaceGlobal {
			t.Errorf("%s + %d = %s, want offset %d", p, c.d, q, c.want)
		}
	}
	for _, c := range []struct {
		p    Pointer
		want bool
	}{{0, true}, {Pointer(0).Add(4095), true}, {Pointer(0).Add(-1), true}, {Pointer(0).Add(4096), false}, {p, false}, {1 << 40, false}} {
		if c.p.IsNearNull() != c.want {
			t.Errorf("%s near null: %v", c.p, !c.want)
		}
	}
}

func TestGlobal(t *testing.T) {
	g := NewGlobal(1000)
	a, err := g.Alloc("a", 600, false)
	if err != nil {
		t.Fatal(err)
	}
	var limit *LimitError
	if _, err := g.Alloc("b", 401, false); !errors.As(err, &limit) || limit.Used != 600 || limit.Limit != 1000 || limit.Name != "b" {
		t.Errorf("error %v for too much memory", err)
	}
	if _, err := g.Alloc("huge", 1<<63, false); !errors.As(err, &limit) {
		t.Errorf("error %v for 2^63 bytes", err)
	}
	own := AlignedBytes(400)
	b, err := g.AllocBytes("b", own, true)
	if err != nil {
		t.Fatal(err)
	}
	if g.Used() != 1000 || a == b {
		t.Errorf("%d bytes in use; %s, %s", g.Used(), a, b)
	}
	own[7] = 9
	if d, err := g.Resolve(b.Add(7), 1, AccessRead); err != nil || d[0] != 9 {
		t.Errorf("%v, %v: bytes of the host are not shared", d, err)
	}
	for _, c := range []struct {
		p    Pointer
		n    uint64
		a    Access
		kind FaultKind
	}{
		{b, 1, AccessWrite, FaultReadOnly}, {b, 1, AccessAtomic, FaultReadOnly}, {b, 401, AccessRead, FaultBounds}, {b.Add(-1), 1, AccessRead, FaultBounds},
		{a.Add(600), 1, AccessRead, FaultBounds}, {a, 1 << 63, AccessRead, FaultBounds}, {0, 1, AccessRead, FaultNull},
		{MakePointer(SpaceGlobal, 3, 0), 1, AccessRead, FaultPointer}, {MakePointer(SpaceLocal, 1, 0), 1, AccessRead, FaultPointer},
		{MakePointer(SpaceGlobal, 0, 0), 1, AccessRead, FaultPointer},
	} {
		var f *Fault
		if _, err := g.Resolve(c.p, c.n, c.a); !errors.As(err, &f) || f.Kind != c.kind || f.Pointer != c.p || f.Size != c.n {
			t.Errorf("%s of %d bytes at %s: %v, want kind %d", c.a, c.n, c.p, err, c.kind)
		}
	}
	if err := g.Free(a.Add(5)); err != nil {
		t.Fatal(err)
	}
	var f *Fault
	if _, err := g.Resolve(a, 1, AccessRead); !errors.As(err, &f) || f.Kind != FaultFreed || f.RegionSize != 600 || f.Region != "a" {
		t.Errorf("error %v after a release", err)
	}
	for _, p := range []Pointer{a, 0, MakePointer(SpaceGlobal, 9, 0)} {
		if err := g.Free(p); !errors.Is(err, ErrNoAlloc) {
			t.Errorf("release of %s: %v", p, err)
		}
	}
	if c, err := g.Alloc("c", 600, false); err != nil || c.Alloc() == a.Alloc() {
		t.Errorf("%s, %v: number reused at once", c, err)
	}
	odd := AlignedBytes(16)[1:9]
	if _, err := g.AllocBytes("odd", odd, false); !errors.Is(err, ErrAlign) {
		t.Errorf("error %v for bytes at an odd address", err)
	}
	if p, err := g.Alloc("empty", 0, false); err != nil {
		t.Error(err)
	} else if _, err := g.Resolve(p, 1, AccessRead); !errors.As(err, &f) || f.Kind != FaultBounds {
		t.Errorf("error %v for a read of an empty allocation", err)
	}
}

// TestNumbersWrap uses up all allocation numbers: released ones come back,
// those in use do not.
func TestNumbersWrap(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a million allocations")
	}
	g := NewGlobal(1 << 20)
	keep, err := g.Alloc("keep", 8, false)
	if err != nil {
		t.Fatal(err)
	}
	seen := uint32(0)
	for i := range MaxAllocs + 10 {
		p, err := g.Alloc("x", 0, false)
		if err != nil {
			t.Fatal(err)
		}
		if p.Alloc() == keep.Alloc() || p.Alloc() == seen {
			t.Fatalf("allocation %d has number %d again", i, p.Alloc())
		}
		seen = p.Alloc()
		if g.Lookup(seen).Flat == 0 {
			t.Fatalf("allocation %d has no 32-bit address", i)
		}
		if err := g.Free(p); err != nil {
			t.Fatal(err)
		}
	}
}

func TestConcurrentLookups(t *testing.T) {
	g := NewGlobal(1 << 20)
	p, err := g.Alloc("p", 64, false)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 1000 {
				if r := g.Lookup(p.Alloc()); r == nil || r.Freed {
					t.Error("allocation is gone")
				}
				AtomicAdd32(unsafe.Pointer(&g.Lookup(p.Alloc()).Data[8]), 1)
				if g.Unpack32(nil, nil, g.Pack32(nil, nil, p.Add(int64(i%64)))) != p.Add(int64(i%64)) {
					t.Error("32-bit address leads elsewhere")
				}
			}
		})
	}
	wg.Go(func() {
		for range 1000 {
			q, err := g.Alloc("q", 8, false)
			if err != nil {
				t.Error(err)
				return
			}
			if err := g.Free(q); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	if n := Load32(unsafe.Pointer(&g.Lookup(p.Alloc()).Data[8])); n != 4000 {
		t.Errorf("counted to %d, want 4000", n)
	}
}

func TestLocal(t *testing.T) {
	l, err := NewLocal([]uint64{10, 0, 200}, 210)
	if err != nil {
		t.Fatal(err)
	}
	for n, size := range []uint64{10, 0, 200} {
		r := l.Lookup(uint32(n + 1))
		if r.Size != size || uint64(len(r.Data)) != size || cap(r.Data) != len(r.Data) {
			t.Errorf("allocation %d: %d bytes of %d", n+1, len(r.Data), size)
		}
		for i := range r.Data {
			r.Data[i] = 1
		}
	}
	l.Reset()
	for _, b := range append(l.Lookup(1).Data, l.Lookup(3).Data...) {
		if b != 0 {
			t.Fatal("LDS is not zero after a reset")
		}
	}
	if l.Lookup(0) != nil || l.Lookup(4) != nil || (*Local)(nil).Lookup(1) != nil {
		t.Error("an allocation that does not exist was found")
	}
	var limit *LimitError
	for _, sizes := range [][]uint64{{211}, {100, 111}, {1 << 63, 1 << 63}} {
		if _, err := NewLocal(sizes, 210); !errors.As(err, &limit) {
			t.Errorf("error %v for sizes %d", err, sizes)
		}
	}
}

func TestPack32(t *testing.T) {
	g := NewGlobal(1 << 40)
	a, _ := g.Alloc("a", 100, false)
	b, _ := g.Alloc("b", 1<<20, false)
	l, err := NewLocal([]uint64{64, 0, 100}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	private := []uint64{16, 70}
	seen := map[uint32]Pointer{}
	for _, p := range []Pointer{0, a, a.Add(1), a.Add(99), a.Add(100), b, b.Add(1 << 19), b.Add(1 << 20), MakePointer(SpaceLocal, 1, 0),
		MakePointer(SpaceLocal, 1, 64), MakePointer(SpaceLocal, 2, 0), MakePointer(SpaceLocal, 3, 0), MakePointer(SpaceLocal, 3, 99),
		MakePointer(SpacePrivate, 1, 3), MakePointer(SpacePrivate, 2, 0), MakePointer(SpacePrivate, 2, 70), Pointer(0).Add(5)} {
		x := g.Pack32(l, private, p)
		if q, ok := seen[x]; ok {
			t.Errorf("%s and %s have one address, %#x", p, q, x)
		}
		seen[x] = p
		if q := g.Unpack32(l, private, x); q != p {
			t.Errorf("%s became %#x became %s", p, x, q)
		}
	}
	if g.Pack32(l, private, 0) != 0 {
		t.Error("null is not 0")
	}
	// Addresses without memory keep their value and fault when used.
	for _, x := range []uint32{17, 1 << 19, 2 << 30, 0xc0000000 + 1<<20, 0xf0000000, 0xffffffff} {
		p := g.Unpack32(l, private, x)
		if y := g.Pack32(l, private, p); p.Space() == SpaceNone && y != x {
			t.Errorf("%#x became %s became %#x", x, p, y)
		}
		if _, err := g.Resolve(p, 1, AccessRead); err == nil {
			t.Errorf("%#x can be read", x)
		}
	}
	// Out of room: allocations work but have no address. They are all of the same bytes, as the test needs no more.
	data, full := AlignedBytes(64<<20), 0
	for range 64 {
		p, err := g.AllocBytes("big", data, false)
		if err != nil {
			t.Fatal(err)
		}
		switch q := g.Unpack32(l, private, g.Pack32(l, private, p)); {
		case q.Space() == SpaceNone:
			full++
		case q != p:
			t.Errorf("%s became %s", p, q)
		case full > 0:
			t.Errorf("%s has an address, when there was no room", p)
		}
	}
	if full != 17 {
		t.Errorf("%d of 64 allocations of 64 MiB have no address, want 17", full)
	}
	for _, size := range []uint64{flatGlobalEnd - flatGlobal, 4 << 30, 1 << 40, 1<<64 - 1} {
		if at := NewGlobal(1<<40).placeFlat(1, size); at != 0 {
			t.Errorf("%d bytes have the address %#x", size, at)
		}
	}
}

// TestFlatReleased makes and releases allocations without end while one lives at the end of the 32-bit addresses. What is
// kept of those that are released has a limit.
func TestFlatReleased(t *testing.T) {
	g := NewGlobal(1 << 40)
	data := AlignedBytes(64 << 20)
	for g.flat.Load() == nil || uint64((*g.flat.Load())[len(*g.flat.Load())-1].end)+2*uint64(len(data)) < flatGlobalEnd {
		p, err := g.AllocBytes("big", data, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Free(p); err != nil {
			t.Fatal(err)
		}
	}
	keep, err := g.AllocBytes("keep", data, false)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 50_000 {
		p, err := g.AllocBytes("x", data[:8], false)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []Pointer{p, keep} {
			if q := g.Unpack32(nil, nil, g.Pack32(nil, nil, p)); q != p {
				t.Fatalf("after %d allocations %s became %s", i, p, q)
			}
		}
		if err := g.Free(p); err != nil {
			t.Fatal(err)
		}
		// Those of the last 64 MiB are placed behind keep.
		if n := len(*g.flat.Load()); n > 8192+2*namedFreed+2 {
			t.Fatalf("after %d allocations %d have places, when one lives", i, n)
		}
	}
}

// TestAtomicHalfWithHost adds to the last 16 bits of an allocation, and the host does so in between, with an atomic
// operation that knows nothing of lockstep.
func TestAtomicHalfWithHost(t *testing.T) {
	p := unsafe.Pointer(&AlignedBytes(2)[0])
	Store16(p, 40)
	between := true
	old := AtomicUpdate16(p, func(old uint16) uint16 {
		if between {
			AtomicAdd32(p, 1)
			between = false
		}
		return old + 1
	})
	if got := Load16(p); old != 41 || got != 42 {
		t.Errorf("an addition to %d gave %d, want 42 from 41", old, got)
	}
}

func TestAtomics(t *testing.T) {
	b := AlignedBytes(16)
	p, q := unsafe.Pointer(&b[0]), unsafe.Pointer(&b[8])
	Store32(p, 0x01020304)
	Store64(q, 0x0102030405060708)
	if b[0] != 4 || b[3] != 1 || b[8] != 8 || b[15] != 1 {
		t.Fatalf("memory is not little-endian: %x", b)
	}
	for name, ok := range map[string]bool{
		"load":   AtomicLoad32(p) == 0x01020304 && AtomicLoad64(q) == 0x0102030405060708,
		"add":    AtomicAdd32(p, 0xfc) == 0x01020304 && b[1] == 4 && AtomicAdd64(q, 0xf8) == 0x0102030405060708 && b[9] == 8,
		"narrow": Load16(p) == 0x0400,
	} {
		if !ok {
			t.Errorf("%s is wrong: %x", name, b)
		}
	}
	if AtomicSwap32(p, 6) != 0x01020400 || AtomicSwap64(q, 6) != 0x0102030405060800 || AtomicAnd32(p, 3) != 6 || AtomicAnd64(q, 3) != 6 ||
		AtomicOr32(p, 8) != 2 || AtomicOr64(q, 8) != 2 || Load32(p) != 10 || Load64(q) != 10 {
		t.Errorf("swap, and, or: %x", b)
	}
	if AtomicCAS32(p, 9, 1) || AtomicCAS64(q, 9, 1) || !AtomicCAS32(p, 10, 1) || !AtomicCAS64(q, 10, 1) || Load32(p) != 1 || Load64(q) != 1 {
		t.Errorf("compare and swap: %x", b)
	}
	AtomicStore32(p, 0xa0b0)
	AtomicStore64(q, 0xa0b0)
	Store16(unsafe.Add(p, 1), 0xffff)
	if Load32(p) != 0xffffb0 || Load64(q) != 0xa0b0 {
		t.Errorf("stores: %x", b)
	}
}

func TestFaultText(t *testing.T) {
	region := Region{Name: "c", Data: make([]byte, 64), Size: 64}
	p := MakePointer(SpaceGlobal, 1, 0)
	for _, c := range []struct {
		f    *Fault
		want string
	}{
		{region.Check(p.Add(64), 4, AccessWrite), "out-of-bounds write of 4 bytes at c+64, 0 bytes past the end of the 64-byte allocation"},
		{region.Check(p.Add(63), 4, AccessRead), "out-of-bounds read of 4 bytes at c+63, across the end of the 64-byte allocation, 1 bytes of it inside"},
		{region.Check(p.Add(-8), 1, AccessAtomic), "out-of-bounds atomic operation of 1 byte at c-8, 8 bytes before the start of the 64-byte allocation"},
		{region.Check(p.Add(1<<62), 1, AccessRead), "out-of-bounds read of 1 byte at c-549755813888, far outside of the 64-byte allocation"},
		{&Fault{Kind: FaultAlign, Pointer: p.Add(2), Size: 4, Region: "c"}, "misaligned read of 4 bytes at c+2: the address is not a multiple of 4"},
		{&Fault{Kind: FaultPointer, Pointer: p, Size: 4, Expected: SpaceLocal}, "read of 4 bytes in local memory through a pointer to other memory (global:1+0)"},
	} {
		if got := c.f.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestView checks that a view shows the bytes of its allocation, lets nobody write them and takes no memory.
func TestView(t *testing.T) {
	g := NewGlobal(64)
	p, err := g.Alloc("a", 64, false)
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.View(p)
	if err != nil || g.Used() != 64 || v.Alloc() == p.Alloc() {
		t.Fatalf("%s, %v, %d bytes are in use", v, err, g.Used())
	}
	to, err := g.Resolve(p, 8, AccessWrite)
	if err != nil {
		t.Fatal(err)
	}
	to[3] = 5
	if b, err := g.Resolve(v, 8, AccessRead); err != nil || b[3] != 5 {
		t.Errorf("%v, %v", b, err)
	}
	for _, a := range []Access{AccessWrite, AccessAtomic} {
		var f *Fault
		if _, err := g.Resolve(v, 8, a); !errors.As(err, &f) || f.Kind != FaultReadOnly {
			t.Errorf("%s: %v", a, err)
		}
	}
	if err := g.Free(v); err != nil || g.Used() != 64 {
		t.Errorf("%v, %d bytes are in use", err, g.Used())
	}
	if err := g.Free(p); err != nil || g.Used() != 0 {
		t.Errorf("%v, %d bytes are in use", err, g.Used())
	}
	if _, err := g.View(p); !errors.Is(err, ErrNoAlloc) {
		t.Errorf("view of what was released: %v", err)
	}
}

// TestForgetFreed has allocations that were released long ago fault as released ones do, without their names.
func TestForgetFreed(t *testing.T) {
	g := NewGlobal(1 << 20)
	var list []Pointer
	for range namedFreed + 2 {
		p, err := g.Alloc("buffer", 8, false)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
		if err := g.Free(p); err != nil {
			t.Fatal(err)
		}
	}
	for i, named := range map[int]bool{0: false, 1: false, 2: true, namedFreed + 1: true} {
		var f *Fault
		_, err := g.Resolve(list[i], 4, AccessRead)
		if !errors.As(err, &f) || f.Kind != FaultFreed || (f.Region == "buffer") != named {
			t.Errorf("allocation %d: %v", i, err)
		}
		if err := g.Free(list[i]); !errors.Is(err, ErrNoAlloc) {
			t.Errorf("allocation %d was released twice: %v", i, err)
		}
	}
}
