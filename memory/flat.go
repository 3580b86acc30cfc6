package memory

import (
	"cmp"
	"slices"
)

// Modules with 32-bit addressing keep pointers in 4 bytes. In registers they
// are tagged like all others; in memory, and as integers, they are addresses
// in one flat space that is laid out here:
//
//	[0, 4096)                null and its neighbourhood
//	[1 MiB, 3 GiB)           global allocations, in the order they were made
//	[3 GiB, 3.5 GiB)         LDS
//	[3.5 GiB, 4 GiB)         private memory
//
// Allocations of global memory lie apart by a gap in which addresses belong to
// the allocation before, so that a pointer some way past the end of its
// allocation still leads back to it.
const (
	flatGlobal      = 1 << 20
	flatGlobalEnd   = 3 << 30
	flatLocal       = 3 << 30
	flatLocalSize   = 1 << 29
	flatPrivate     = flatLocal + flatLocalSize
	flatPrivateSize = 1<<29 - 1
	flatGap         = 1 << 12
)

// flatEntry says that the addresses from start to the next entry belong to an
// allocation.
type flatEntry struct {
	start, end uint32 // end is without the gap
	alloc      uint32
}

// placeFlat gives an allocation its place in the flat space: behind the last
// one, or in the first hole that is left, or where a released one was. 0 means that there is no room; such
// an allocation works, but pointers to it cannot be stored by 32-bit modules.
func (g *Global) placeFlat(n uint32, size uint64) uint32 {
	if size > flatGlobalEnd-flatGlobal {
		return 0
	}
	need := (size + flatGap + flatGap - 1) &^ (flatGap - 1)
	if at := g.appendFlat(n, need); at != 0 {
		return at
	}
	// A place between others costs time in proportion to their number. A program that makes and releases
	// buffers without end leaves many that are released.
	if p := g.flat.Load(); p != nil && len(*p) > 2*g.flatKept+namedFreed {
		g.purgeFlat()
	}
	if at := g.insertFlat(n, need); at != 0 {
		return at
	}
	g.purgeFlat()
	if at := g.appendFlat(n, need); at != 0 {
		return at
	}
	return g.insertFlat(n, need)
}

// appendFlat places an allocation behind the last one.
func (g *Global) appendFlat(n uint32, need uint64) uint32 {
	var old []flatEntry
	pos := uint64(flatGlobal)
	if p := g.flat.Load(); p != nil && len(*p) > 0 {
		old = *p
		pos = uint64(old[len(old)-1].end)
	}
	if pos+need > flatGlobalEnd {
		return 0
	}
	// Readers have the old slice: appending behind its length does not disturb
	// them, anything else needs a new one.
	old = append(old, flatEntry{start: uint32(pos), end: uint32(pos + need), alloc: n})
	g.flat.Store(&old)
	return uint32(pos)
}

// insertFlat places an allocation in the first hole.
func (g *Global) insertFlat(n uint32, need uint64) uint32 {
	p := g.flat.Load()
	if p == nil {
		return 0
	}
	pos := uint64(flatGlobal)
	for at, e := range *p {
		if uint64(e.start) >= pos+need {
			list := make([]flatEntry, 0, len(*p)+1)
			list = append(append(list, (*p)[:at]...), flatEntry{start: uint32(pos), end: uint32(pos + need), alloc: n})
			list = append(list, (*p)[at:]...)
			g.flat.Store(&list)
			return uint32(pos)
		}
		pos = uint64(e.end)
	}
	return 0
}

// forgetFlat frees the place of allocation n, if it still has one: its number
// is about to be reused. All released allocations go with it, so that few
// calls have anything to do.
func (g *Global) forgetFlat(n uint32) {
	r, p := g.Lookup(n), g.flat.Load()
	if r == nil || p == nil {
		return
	}
	if i, ok := findFlat(*p, r.Flat); ok && (*p)[i].alloc == n {
		g.purgeFlat()
	}
}

// purgeFlat takes released allocations out of the flat space.
func (g *Global) purgeFlat() {
	p := g.flat.Load()
	if p == nil {
		return
	}
	list := slices.DeleteFunc(slices.Clone(*p), func(e flatEntry) bool { return g.Lookup(e.alloc).Freed })
	g.flat.Store(&list)
	g.flatKept = len(list)
}

// findFlat returns the place in the list of the entry that starts at an
// address, and whether there is one; otherwise that of the entry behind.
func findFlat(list []flatEntry, start uint32) (int, bool) {
	return slices.BinarySearchFunc(list, start, func(e flatEntry, a uint32) int { return cmp.Compare(e.start, a) })
}

// Pack32 returns the flat address of p. A pointer that has none (its
// allocation found no room, or it points far outside) gives an address that
// [Global.Unpack32] turns into a pointer that faults when it is used. Private
// pointers need the sizes of the kernel's private allocations.
func (g *Global) Pack32(l *Local, private []uint64, p Pointer) uint32 {
	var base, size uint64
	switch p.Space() {
	case SpaceNone:
		if p.Far() {
			return flatGap // not null, which the low bits would say
		}
		return uint32(p.Offset())
	case SpaceGlobal:
		if r := g.Lookup(p.Alloc()); r != nil {
			base, size = uint64(r.Flat), r.Size
		}
	case SpaceLocal:
		if r := l.Lookup(p.Alloc()); r != nil {
			base, size = uint64(r.Flat), r.Size
		}
	case SpacePrivate:
		base, size = privateFlat(private, p.Alloc())
	}
	off := p.Offset()
	if base == 0 || off < -flatGap || off > int64(size)+flatGap {
		return flatGap
	}
	return uint32(base + uint64(off))
}

// Unpack32 returns the pointer that a flat address stands for. An address
// where nothing is gives a pointer into no space, which packs to the same
// address again.
func (g *Global) Unpack32(l *Local, private []uint64, a uint32) Pointer {
	switch {
	case a >= flatPrivate:
		var at, start uint64 = flatPrivate, 0
		n := uint32(0)
		for i, s := range private {
			if uint64(a) < at {
				break
			}
			n, start = uint32(i+1), at
			at += roundUp(s) + Alignment
		}
		if n != 0 && uint64(a) < at {
			return MakePointer(SpacePrivate, n, int64(uint64(a)-start))
		}
	case a >= flatLocal:
		if l != nil && len(l.regions) > 0 && l.regions[0].Flat != 0 {
			i, ok := slices.BinarySearchFunc(l.regions, a, func(r Region, a uint32) int { return cmp.Compare(r.Flat, a) })
			if !ok {
				i--
			}
			return MakePointer(SpaceLocal, uint32(i+1), int64(a-l.regions[i].Flat))
		}
	case a >= flatGlobal:
		if p := g.flat.Load(); p != nil {
			i, ok := findFlat(*p, a)
			if !ok {
				i--
			}
			if i >= 0 && a < (*p)[i].end {
				return MakePointer(SpaceGlobal, (*p)[i].alloc, int64(a-(*p)[i].start))
			}
		}
	}
	return MakePointer(SpaceNone, 0, int64(a))
}

// privateFlat returns the address and the size of private allocation n.
func privateFlat(sizes []uint64, n uint32) (base, size uint64) {
	if n == 0 || int(n) > len(sizes) {
		return 0, 0
	}
	base = flatPrivate
	for _, s := range sizes[:n-1] {
		base += roundUp(s) + Alignment
	}
	if base+sizes[n-1] > flatPrivate+flatPrivateSize {
		return 0, 0
	}
	return base, sizes[n-1]
}
