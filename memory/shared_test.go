package memory

import (
	"errors"
	"testing"
	"unsafe"
)

// entered adopts bytes and shares them.
func entered(t *testing.T, g *Global, name string, b []byte) Pointer {
	t.Helper()
	p, err := g.AllocBytes(name, b, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Share(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestShared has pointers go to addresses and back.
func TestShared(t *testing.T) {
	g := NewGlobal(1 << 30)
	plain, _ := g.Alloc("plain", 64, false)
	whole := AlignedBytes(8 * 4096)
	at := func(n int) uint64 { return uint64(uintptr(unsafe.Pointer(&whole[n]))) }
	if g.Shares() || g.AtAddress(at(0)) != Pointer(at(0)) || g.IsAddress(Pointer(at(0))) {
		t.Error("a memory without shared allocations has addresses")
	}
	a := entered(t, g, "a", whole[:64:64])
	b := entered(t, g, "b", whole[64:128:128])
	c := entered(t, g, "c", whole[4*4096:][:64:64])
	for _, x := range []struct {
		p    Pointer
		addr uint64
	}{
		{a, at(0)}, {a.Add(63), at(63)}, {b, at(64)}, {b.Add(64), at(128)}, {b.Add(4096), at(64 + 4096)}, {c.Add(-4096 + 1), at(3*4096 + 1)},
		{a.Add(-4095), at(0) - 4095}, {c.Add(64 + 4095), at(4*4096 + 64 + 4095)}, {plain, uint64(plain)}, {plain.Add(-5), uint64(plain.Add(-5))},
		{0, 0}, {Pointer(0).Add(8), 8}, {MakePointer(SpaceLocal, 3, 8), uint64(MakePointer(SpaceLocal, 3, 8))},
		{MakePointer(SpacePrivate, 3, -8), uint64(MakePointer(SpacePrivate, 3, -8))},
	} {
		if got := g.Address(x.p); got != x.addr {
			t.Errorf("%s has address %#x, want %#x", x.p, got, x.addr)
		}
		if got := g.AtAddress(x.addr); got != x.p {
			t.Errorf("%#x is %s, want %s", x.addr, got, x.p)
		}
	}
	// The end of a is the start of b.
	if got := g.AtAddress(g.Address(a.Add(64))); got != b {
		t.Errorf("the end of a is %s", got)
	}
	for _, addr := range []uint64{at(2*4096 + 200), at(0) - 4096, 1 << 50, 1<<64 - 1} {
		if p := g.AtAddress(addr); uint64(p) != addr || g.Address(p) != addr {
			t.Errorf("%#x is %s", addr, p)
		}
	}
	// A pointer that is far from everything comes back as one that leads nowhere.
	far := a.Add(1 << 40)
	if p := g.AtAddress(g.Address(far)); p.Space() != SpaceNone || p.IsNearNull() {
		t.Errorf("%s", p)
	}
	view, err := g.View(b)
	if err != nil || g.Address(view.Add(4)) != at(68) {
		t.Error(err, g.Address(view.Add(4)))
	}
	if err := g.Free(view); err != nil {
		t.Error(err)
	}
}

// TestSharedReuse releases shared allocations and makes others at their addresses.
func TestSharedReuse(t *testing.T) {
	g := NewGlobal(1 << 30)
	whole := AlignedBytes(512)
	addr := uint64(uintptr(unsafe.Pointer(&whole[0])))
	var list [4]Pointer
	for i := range list {
		list[i] = entered(t, g, string(rune('a'+i)), whole[128*i:][:128:128])
	}
	p, err := g.AllocBytes("over", whole[64:320:320], false)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Share(p); !errors.Is(err, ErrAddress) {
		t.Error(err)
	}
	for i := range 3 {
		if err := g.Free(list[i]); err != nil {
			t.Fatal(err)
		}
	}
	if got := g.AtAddress(addr + 130); got != list[1].Add(2) || !g.Lookup(got.Alloc()).Freed {
		t.Errorf("%s", got)
	}
	if err := g.Share(p); err != nil {
		t.Error(err)
	}
	for off, want := range map[uint64]Pointer{0: p.Add(-64), 64: p, 319: p.Add(255), 330: p.Add(266), 384: list[3]} {
		if got := g.AtAddress(addr + off); got != want {
			t.Errorf("byte %d is %s, want %s", off, got, want)
		}
	}
	if err := g.Share(MakePointer(SpaceGlobal, 77, 0)); !errors.Is(err, ErrNoAlloc) {
		t.Error(err)
	}
	empty, _ := g.Alloc("empty", 0, false)
	if err := g.Share(empty); !errors.Is(err, ErrAddress) {
		t.Error(err)
	}
	// A number that comes up again takes the address of what had it along.
	if err := g.Free(p); err != nil {
		t.Fatal(err)
	}
	g.last = p.Alloc() - 1
	if q, err := g.Alloc("next", 8, false); err != nil || q != p {
		t.Fatal(q, err)
	}
	if got := g.AtAddress(addr + 100); got == p.Add(36) {
		t.Errorf("%s", got)
	}
}

// TestAllocShared has alignments.
func TestAllocShared(t *testing.T) {
	g := NewGlobal(1 << 30)
	for _, align := range []uint64{1, 64, 128, 4096, 1 << 20} {
		p, err := g.AllocShared("x", 100, align, false)
		if err != nil || g.Address(p)%align != 0 || len(g.Lookup(p.Alloc()).Data) != 100 {
			t.Errorf("alignment %d: %#x, %v", align, g.Address(p), err)
		}
	}
	if g.Used() != 500 {
		t.Errorf("%d bytes in use", g.Used())
	}
	var limit *LimitError
	if _, err := g.AllocShared("x", 1<<30, 64, false); !errors.As(err, &limit) {
		t.Error(err)
	}
}

// TestSharedForgotten releases shared allocations without end, at one address: the details of old ones go, and addresses that
// nobody has used again still lead to what was there.
func TestSharedForgotten(t *testing.T) {
	g := NewGlobal(1 << 30)
	whole := AlignedBytes(4 * 4096)
	free := func(p Pointer) {
		t.Helper()
		if err := g.Free(p); err != nil {
			t.Fatal(err)
		}
	}
	apart := entered(t, g, "apart", whole[3*4096:][:64:64])
	free(apart)
	var list []Pointer
	for range namedFreed + 2 {
		p := entered(t, g, "again", whole[:64:64])
		list = append(list, p)
		free(p)
	}
	for i, named := range map[int]bool{0: false, 1: false, 2: true, namedFreed + 1: true} {
		if r := g.Lookup(list[i].Alloc()); !r.Freed || (r != freedRegion) != named {
			t.Errorf("allocation %d is %+v", i, r)
		}
	}
	if r := g.Lookup(apart.Alloc()); r.Name != "apart" || g.AtAddress(g.Address(apart)) != apart {
		t.Errorf("an address that nobody has used again leads to %q", r.Name)
	}
	entered(t, g, "at the same place", whole[3*4096:][:64:64])
	if r := g.Lookup(apart.Alloc()); r != freedRegion {
		t.Errorf("an address that was used again leads to %q", r.Name)
	}
}
