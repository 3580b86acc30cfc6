package dma

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/memory"
)

// naive makes a copy the long way, line by line as the specification has it.
// It returns the first line that is not inside, if any.
func naive(b *bed, o *operands, dim int) (bad memory.Pointer, n uint64, a memory.Access, ok bool) {
	if o.nothing() {
		return 0, 0, 0, true
	}
	dst, src := memory.Pointer(o[argDst]), memory.Pointer(o[argSrc])
	eb := int64(o[argElemBytes])
	line, lines, planes := int64(o[argElems])*eb, int64(o[argLines]), int64(o[argPlanes])
	if dim == 1 && (o[argSrcLine] != 1 || o[argDstLine] != 1) {
		line, lines = eb, int64(o[argElems])
	}
	for _, side := range []struct {
		p                  memory.Pointer
		off, stride, plane uint64
		a                  memory.Access
	}{{src, o[argSrcOffset], o[argSrcLine], o[argSrcPlane], memory.AccessRead}, {dst, o[argDstOffset], o[argDstLine], o[argDstPlane], memory.AccessWrite}} {
		size := int64(len(b.data(side.p)))
		for p := range planes {
			for l := range lines {
				at := side.p.Offset() + (int64(side.off)+p*int64(side.plane)+l*int64(side.stride))*eb
				if at < 0 || at+line > size {
					return memory.MakePointer(side.p.Space(), side.p.Alloc(), at), uint64(line), side.a, false
				}
			}
		}
	}
	to, from := b.data(dst), b.data(src)
	for p := range planes {
		for l := range lines {
			d := dst.Offset() + (int64(o[argDstOffset])+p*int64(o[argDstPlane])+l*int64(o[argDstLine]))*eb
			s := src.Offset() + (int64(o[argSrcOffset])+p*int64(o[argSrcPlane])+l*int64(o[argSrcLine]))*eb
			copy(to[d:d+line], from[s:s+line])
		}
	}
	return 0, 0, 0, true
}

// TestGeometry compares copies of all kinds of shapes with the long way.
func TestGeometry(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	faults, moved := 0, 0
	for _, cfg := range []Config{{}, {Completion: Late}, {Completion: Seeded}, {Completion: Paced, BytesPerStep: 7}} {
		b, ref := newBed(t, cfg, 64, 32), newBed(t, cfg, 64, 32)
		all := some(0, 0, 64)
		for i := range rounds / 4 {
			dim := 1 + rng.IntN(3)
			small := func(n int) uint64 {
				if rng.IntN(8) == 0 {
					return 0
				}
				return uint64(1 + rng.IntN(n))
			}
			src, dst := b.in, b.tile
			if rng.IntN(2) == 0 {
				src, dst = b.tile2, b.out
			}
			elems, lines := small(12), small(6)
			a := args{argDst: uint64(dst.Add(int64(rng.IntN(64) - 2))), argSrc: uint64(src.Add(int64(rng.IntN(64) - 2))), argElems: elems,
				argElemBytes: uint64(1) << rng.IntN(4), argLines: lines, argPlanes: small(4)}
			// Mostly shapes whose lines do not overlap in the destination, since
			// only those have one result.
			gap := func(n uint64) uint64 { return n + uint64(rng.IntN(2)*rng.IntN(9)) }
			a[argDstLine] = gap(elems)
			if dim == 1 {
				a[argDstLine] = gap(1)
			}
			a[argDstPlane] = gap(lines * a[argDstLine])
			a[argSrcLine] = small(20)
			a[argSrcPlane] = small(120)
			if rng.IntN(3) == 0 {
				a[argSrcLine] = a[argDstLine]
				a[argSrcPlane] = a[argDstPlane]
			}
			for _, k := range []int{argDstOffset, argSrcOffset, argElemBytes, argLines, argPlanes, argSrcLine, argSrcPlane, argDstLine, argDstPlane} {
				if k == argSrcOffset || k == argDstOffset {
					a[k] = small(10)
				}
				if rng.IntN(8) == 0 && (k != argDstPlane || a[argDstLine] != 0) {
					delete(a, k)
				}
			}
			c := a.copy(0, dim)
			var o operands
			o.set(c)
			bad, n, acc, ok := naive(ref, &o, dim)
			e, _, f := b.GroupCopy(uint64(i), c, 0, all)
			if e == 0 {
				t.Fatalf("%v: no event", a)
			}
			if (f == nil) != ok {
				t.Fatalf("dim %d %v: fault %v, want ok %v", dim, o, f, ok)
			}
			if f != nil {
				faults++
				if f.Pointer != bad || f.Size != n || f.Access != acc || f.Kind != memory.FaultBounds {
					t.Fatalf("dim %d %v: %v (%v), want %s of %d at %v", dim, o, f, f.Pointer, acc, n, bad)
				}
				b.begin(0, 64, 32)
				continue
			}
			moved++
			b.GroupWait(uint64(i), 0, e, all)
			if !bytes.Equal(b.image(), ref.image()) {
				t.Fatalf("dim %d %v: memory differs", dim, o)
			}
		}
		b.End(0)
	}
	if faults < rounds/50 || moved < rounds/4 {
		t.Errorf("%d faults, %d copies: the shapes say little", faults, moved)
	}
}

// TestHugeOperands checks that sums and products which 64 bits cannot hold are
// faults, and that no operand makes a copy run for long.
func TestHugeOperands(t *testing.T) {
	const most = ^uint64(0)
	values := []uint64{0, 1, 2, 4, 1 << 20, 1 << 32, 1<<39 - 1, 1 << 39, 1 << 40, 1 << 62, 1 << 63, most - 1, most}
	rng := rand.New(rand.NewPCG(3, 4))
	rounds := 20000
	if testing.Short() {
		rounds = 2000
	}
	for _, c := range []Completion{Early, Late, Seeded, Paced} {
		b := newBed(t, Config{Completion: c, Check: true}, 4, 2)
		for range rounds / 4 {
			a := args{}
			for k := range NumArgs {
				if rng.IntN(3) != 0 {
					a[k] = values[rng.IntN(len(values))]
				}
			}
			a[argDst], a[argSrc] = uint64(b.tile), uint64(b.in)
			if rng.IntN(8) == 0 {
				a[argDst] = rng.Uint64()
			}
			b.GroupCopy(0, a.copy(0, 1+rng.IntN(3)), 0, some(0, 0, 4))
		}
		b.End(0)
	}

	for _, c := range []struct {
		name string
		a    args
		dim  int
		at   int64
		size uint64
	}{
		{"offset", args{argSrcOffset: most}, 1, memory.FarOffset, 16},
		{"offset of elements", args{argSrcOffset: 1 << 62, argElemBytes: 4}, 2, memory.FarOffset, 64},
		{"elements", args{argElems: 1 << 63}, 1, 0, 1 << 63},
		{"bytes of an element", args{argElemBytes: 1 << 62, argElems: 16}, 2, 0, most},
		{"lines", args{argLines: most, argDstLine: 0}, 2, 4096, 16},
		{"line length", args{argLines: 2, argSrcLine: most}, 2, memory.FarOffset, 16},
		{"planes", args{argPlanes: most, argDstLine: 0, argDstPlane: 0}, 3, 4096, 16},
		{"plane area", args{argPlanes: 3, argSrcPlane: 1 << 63, argDstPlane: 1}, 3, memory.FarOffset, 16},
	} {
		b := newBed(t, Config{}, 4, 2)
		a := args{argDst: uint64(b.tile), argSrc: uint64(b.in), argElems: 16}
		for k, v := range c.a {
			a[k] = v
		}
		_, _, f := b.GroupCopy(0, a.copy(0, c.dim), 0, some(0, 0, 4))
		if f == nil || f.Access != memory.AccessRead || f.Pointer.Offset() != c.at || f.Size != c.size {
			t.Errorf("%s: %v", c.name, f)
		}
	}
}

// TestBadSides provokes what else can be wrong with an address.
func TestBadSides(t *testing.T) {
	b := newBed(t, Config{}, 4, 2)
	freed, err := b.global.Alloc("freed", 64, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.global.Free(freed); err != nil {
		t.Fatal(err)
	}
	private := memory.MakePointer(memory.SpacePrivate, 1, 0)
	for _, c := range []struct {
		dst, src memory.Pointer
		kind     memory.FaultKind
		access   memory.Access
	}{
		{b.tile, 0, memory.FaultNull, memory.AccessRead},
		{0, b.in, memory.FaultNull, memory.AccessWrite},
		{b.tile, private, memory.FaultPointer, memory.AccessRead},
		{private, b.in, memory.FaultPointer, memory.AccessWrite},
		{b.rom, b.tile, memory.FaultReadOnly, memory.AccessWrite},
		{b.tile, freed, memory.FaultFreed, memory.AccessRead},
		{b.tile, b.in.Add(inBytes), memory.FaultBounds, memory.AccessRead},
		{b.tile.Add(tileBytes - 8), b.in, memory.FaultBounds, memory.AccessWrite},
		{b.tile.Add(-1), b.in, memory.FaultBounds, memory.AccessWrite},
		{b.tile, ZeroFill, memory.FaultPointer, memory.AccessRead},
		{memory.MakePointer(memory.SpaceLocal, 9, 0), b.in, memory.FaultPointer, memory.AccessWrite},
	} {
		before := bytes.Clone(b.image())
		_, _, f := b.GroupCopy(0, linear(0, c.dst, c.src, 16), 0, some(0, 0, 4))
		if f == nil || f.Kind != c.kind || f.Access != c.access {
			t.Errorf("copy from %v to %v: %v", c.src, c.dst, f)
		}
		if c.src != ZeroFill {
			lc := &LaneCopy{Size: 16, Async: true}
			_, lane, f := b.LaneCopy(0, lc, some(0, 0, 2), []memory.Pointer{b.tile2, c.dst}, []memory.Pointer{b.in, c.src})
			if f == nil || f.Kind != c.kind || f.Access != c.access || lane != 1 {
				t.Errorf("lane copy from %v to %v: lane %d, %v", c.src, c.dst, lane, f)
			}
		}
		if !bytes.Equal(before, b.image()) {
			t.Errorf("copy from %v to %v moved bytes", c.src, c.dst)
		}
	}
	// Nothing is copied from and to nowhere.
	for _, k := range []int{argElems, argLines, argPlanes, argElemBytes} {
		a := args{argDst: 0, argSrc: 12345, argElems: 4, argLines: 2, argPlanes: 2, k: 0}
		if e, _, f := b.GroupCopy(0, a.copy(0, 3), 0, some(0, 0, 4)); f != nil || e == 0 {
			t.Errorf("%s of 0: event %d, %v", argNames[k], e, f)
		}
	}
}
