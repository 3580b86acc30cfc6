package memory

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Allocations that the host shares with kernels (shared virtual memory) have addresses: those of the host. In registers of
// kernels a pointer into one is tagged like all others, so that it always leads back to the allocation that it was made from.
// In memory, and as an integer, it is the host's address. The two are told apart by the tag: addresses of hosts have fewer
// than 60 bits, so that their space is SpaceNone.

// ErrAddress means that bytes cannot be shared at the address that they have.
var ErrAddress = errors.New("the address cannot be shared")

// sharedGap is how many bytes in front of an allocation and behind it still belong to it, where nothing else is: a pointer
// that was stored there leads back.
const sharedGap = 4096

// nowhere is the address of a pointer that is further from its allocation than an offset can say.
const nowhere = sharedGap

// sharedEntry is the range of host addresses of an allocation, which may have been released.
type sharedEntry struct {
	start, end uint64
	alloc      uint32
}

// sharedTable has the allocations that are shared, in the order of their addresses, without overlaps.
type sharedTable struct {
	used atomic.Bool // there is or was an allocation

	mu   sync.RWMutex
	list []sharedEntry
}

// at returns the place of the entry that starts at or below an address, or -1.
func (t *sharedTable) at(a uint64) int {
	i, ok := slices.BinarySearchFunc(t.list, a, func(e sharedEntry, a uint64) int { return cmp.Compare(e.start, a) })
	if !ok {
		i--
	}
	return i
}

// find returns the allocation that an address belongs to, and where it starts.
func (t *sharedTable) find(a uint64) (e sharedEntry, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := t.at(a)
	if i >= 0 && a <= t.list[i].end {
		return t.list[i], true
	}
	if i >= 0 && a-t.list[i].end < sharedGap {
		return t.list[i], true
	}
	if i++; i < len(t.list) && t.list[i].start-a < sharedGap {
		return t.list[i], true
	}
	return sharedEntry{}, false
}

// leads says whether an address is the start of allocation n.
func (t *sharedTable) leads(a uint64, n uint32) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	i := t.at(a)
	return i >= 0 && t.list[i].start == a && t.list[i].alloc == n
}

// sharedBytes returns size zero bytes that start on a multiple of align, a power of two, and behind which at least one byte
// belongs to nobody, so that an address says which of two such pieces it leads to the end of. It is nil when the host
// does not have them.
func sharedBytes(size, align uint64) []byte {
	if size > MaxSize || align > MaxSize || !HostHas(size+align) {
		return nil
	}
	b := AlignedBytes(size + align + Alignment)
	if b == nil {
		return nil
	}
	skip := -uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) & (max(align, 1) - 1)
	return b[skip : skip+size : skip+size]
}

// AllocShared is [Global.Alloc] for memory that is shared ([Global.Share]) and starts on a multiple of align, a power of two.
func (g *Global) AllocShared(name string, size, align uint64, readOnly bool) (Pointer, error) {
	p, err := g.allocBytes(name, size, readOnly, func() []byte { return sharedBytes(size, align) })
	if err != nil {
		return 0, err
	}
	if err := g.Share(p); err != nil {
		return 0, errors.Join(err, g.Free(p))
	}
	return p, nil
}

// Share gives an allocation of at least one byte the addresses that its bytes have on the host. The error wraps [ErrAddress],
// for bytes that another allocation shares, or [ErrNoAlloc].
func (g *Global) Share(p Pointer) error {
	return g.share(p, func(r *Region) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(r.Data)))) })
}

// ShareAt is Share with addresses from the given one on, at which the bytes are not on the host.
func (g *Global) ShareAt(p Pointer, address uint64) error {
	return g.share(p, func(*Region) uint64 { return address })
}

// share gives an allocation the addresses from the one on that a function returns for it.
func (g *Global) share(p Pointer, address func(*Region) uint64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.Lookup(p.Alloc())
	if p.Space() != SpaceGlobal || r == nil || r.Freed {
		return fmt.Errorf("sharing %s: %w", p, ErrNoAlloc)
	}
	const most = 1<<(OffsetBits+AllocBits) - sharedGap
	start := address(r)
	end := start + r.Size
	if r.Size == 0 || start < 2*sharedGap || start > most || end > most {
		return fmt.Errorf("%q: %w", r.Name, ErrAddress)
	}
	t := &g.shared
	t.mu.Lock()
	defer t.mu.Unlock()
	first := max(t.at(start), 0)
	if first < len(t.list) && t.list[first].end <= start {
		first++
	}
	last := first
	for ; last < len(t.list) && t.list[last].start < end; last++ {
		if old := g.Lookup(t.list[last].alloc); !old.Freed {
			return fmt.Errorf("%q overlaps %q: %w", r.Name, old.Name, ErrAddress)
		}
	}
	// What was released here before is forgotten: the address is that of the new allocation.
	for _, e := range t.list[first:last] {
		if g.Lookup(e.alloc).old {
			g.store(e.alloc, freedRegion)
		}
	}
	t.list = slices.Replace(t.list, first, last, sharedEntry{start, end, p.Alloc()})
	shared := *r
	shared.host = start
	g.store(p.Alloc(), &shared)
	t.used.Store(true)
	return nil
}

// ShareFrom gives an allocation the addresses and the shadow of the shared allocation that has all of its bytes, if there is one.
func (g *Global) ShareFrom(p Pointer) {
	r := g.Lookup(p.Alloc())
	if r == nil || r.Size == 0 || !g.Shares() {
		return
	}
	of := g.AtAddress(uint64(uintptr(unsafe.Pointer(unsafe.SliceData(r.Data)))))
	if of.Space() != SpaceGlobal {
		return
	}
	if from := g.Lookup(of.Alloc()); from.Check(of, r.Size, AccessWrite) == nil || from.Check(of, r.Size, AccessRead) == nil {
		g.ShareShadow(p, of.Base(), uint64(of.Offset()))
	}
}

// Shares says whether any allocation has, or had, addresses of the host.
func (g *Global) Shares() bool { return g.shared.used.Load() }

// forgetShared takes allocation n, whose number is about to be used again, out of the table.
func (g *Global) forgetShared(n uint32) {
	r := g.Lookup(n)
	if r == nil || r.host == 0 {
		return
	}
	t := &g.shared
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := t.at(r.host); i >= 0 && t.list[i].alloc == n {
		t.list = slices.Delete(t.list, i, i+1)
	}
}

// Address returns what a pointer is in memory and as an integer: the host's address where it leads to a shared allocation,
// and its own bits otherwise.
func (g *Global) Address(p Pointer) uint64 {
	if p.Space() != SpaceGlobal {
		return uint64(p)
	}
	r := g.Lookup(p.Alloc())
	switch {
	case r == nil || r.host == 0:
		return uint64(p)
	case p.Far():
		return nowhere
	}
	return r.host + uint64(p.Offset())
}

// AtAddress returns the pointer whose [Global.Address] is a. Where no shared allocation is near, it has the bits of a: no access
// through it is right, unless they are those of a pointer into memory that is not shared.
func (g *Global) AtAddress(a uint64) Pointer {
	p := Pointer(a)
	if p.Space() != SpaceNone || !g.Shares() || p.IsNearNull() {
		return p
	}
	e, ok := g.shared.find(a)
	if !ok {
		return p
	}
	return MakePointer(SpaceGlobal, e.alloc, int64(a-e.start))
}

// IsAddress says whether p may be a number that came from a host's address, which no message may have in it: it leads to no
// allocation of a memory in which some are shared.
func (g *Global) IsAddress(p Pointer) bool {
	return g.Shares() && p.Space() == SpaceNone && uint64(p) > math.MaxUint16
}
