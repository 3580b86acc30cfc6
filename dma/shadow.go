package dma

import (
	"iter"
	"math"
	"slices"

	"github.com/lockstep-gpu/lockstep/memory"
)

// maxShadow is how many bytes of LDS are watched for accesses without a
// barrier. What lies behind them is not.
const maxShadow = 1 << 20

const (
	shadowPage = 64 // bytes of memory in a page of cells
	shadowWord = 2  // a new page has a cell for each four bytes
	// maxGlobalCells is how many cells for global memory a work-group may use between two barriers; the uses of
	// what needs more are not watched.
	maxGlobalCells = 1 << 20
)

// shadow knows which work-items used each byte of LDS and of global memory since the last
// work-group barrier. Global memory counts as LDS does: work-items of a group that write the source of
// a copy are not ordered with it by anything but a barrier, whichever of them comes first.
//
// Time is cut into epochs by barriers and groups; a cell counts in its own
// epoch only, so that nothing is cleared when one ends. LDS and global memory have
// epochs of their own, since a barrier orders what its flags name.
type shadow struct {
	subgroup int
	epoch    [numKinds]uint32
	// async is the last epoch in which a lane copy became known to be done.
	async [numKinds]uint32

	// Atomic operations can order sub-groups without a barrier, as flags and
	// counters do. Which of them do is for the memory model to say; here it is
	// enough that they can: clock counts the instructions with atomics of this
	// epoch, and synced has its value at the latest of each sub-group.
	clock   uint32
	syncPC  int
	syncNow uint64
	synced  []uint32

	lds   *memory.Local
	start []uint64 // of each allocation's bytes in the pages
	size  uint64
	pages []*shadowCells // made when they are first used

	global map[globalPage]*shadowCells
	cells  int    // of them
	full   uint32 // the epoch in which there was no room for another page
	sink   Sink
}

// The kinds of memory that a barrier may order or not.
const (
	inGlobal = iota
	inLocal
	numKinds
)

// kindOf returns the kind of memory of an allocation.
func kindOf(alloc uint64) int {
	if memory.Space(alloc>>memory.AllocBits) == memory.SpaceLocal {
		return inLocal
	}
	return inGlobal
}

// globalPage names shadowPage bytes of global memory.
type globalPage struct{ alloc, page uint64 }

// shadowCells has the uses of shadowPage bytes.
type shadowCells struct {
	shift uint8     // of how many bytes a cell is, as a power of two
	uses  [2][]uses // reads, writes
	last  [2]uint32 // epoch of the last use
}

func newShadowCells() *shadowCells {
	const n = shadowPage >> shadowWord
	cells := make([]uses, 2*n)
	return &shadowCells{shift: shadowWord, uses: [2][]uses{cells[:n:n], cells[n:]}}
}

// split makes a cell for each byte.
func (c *shadowCells) split() {
	for k, words := range c.uses {
		c.uses[k] = make([]uses, shadowPage)
		for i := range c.uses[k] {
			c.uses[k][i] = words[i>>c.shift]
		}
	}
	c.shift = 0
}

// The two kinds of uses of a cell.
const (
	useRead = iota
	useWrite
)

// uses has up to two uses of a byte in an epoch, by work-items of different
// sub-groups: enough to tell whether one by another sub-group than some given
// one is among them.
type uses struct {
	epoch uint32
	n     uint32
	by    [2]use
}

type use struct {
	pc   int32
	item uint32 // the top bit says that a lane copy did it
	at   uint32 // the shadow's clock
}

const useAsync = 1 << 31

func (s *shadow) reset(g *Group) {
	s.subgroup = g.SubgroupSize
	if subgroups := (g.Items + s.subgroup - 1) / s.subgroup; subgroups > cap(s.synced) {
		s.synced = make([]uint32, subgroups)
	} else {
		s.synced = s.synced[:subgroups]
	}
	s.barrier(true, true)
	if s.lds == g.LDS && s.lds != nil {
		return
	}
	s.lds, s.start, s.size = g.LDS, s.start[:0], 0
	for n := uint32(1); ; n++ {
		r := s.lds.Lookup(n)
		if r == nil {
			break
		}
		s.start = append(s.start, s.size)
		s.size += r.Size
	}
	if pages := int((min(s.size, maxShadow) + shadowPage - 1) / shadowPage); pages > len(s.pages) {
		s.pages = append(s.pages, make([]*shadowCells, pages-len(s.pages))...)
	}
}

// barrier begins a new epoch for each kind of memory that the barrier orders.
func (s *shadow) barrier(global, local bool) {
	for kind, ends := range [numKinds]bool{inGlobal: global, inLocal: local} {
		if !ends {
			continue
		}
		if s.epoch[kind]++; s.epoch[kind] != 0 {
			continue
		}
		// After 2^32 epochs old cells could be taken for new ones.
		if s.epoch[kind], s.async[kind] = 1, 0; kind == inLocal {
			clear(s.pages)
			continue
		}
		clear(s.global)
		s.full, s.cells = 0, 0
	}
	// Where some memory is not ordered, what atomic operations have ordered stays.
	if s.clock > 0 && global && local {
		s.clock = 0
		clear(s.synced)
	}
}

// sync notes an atomic operation of a work-item. The work-items of a sub-group
// do that of one instruction at the same time.
func (s *shadow) sync(now uint64, pc, item int) {
	if (s.clock == 0 || pc != s.syncPC || now != s.syncNow) && s.clock < math.MaxUint32 {
		s.clock++
		s.syncPC, s.syncNow = pc, now
	}
	s.synced[item/s.subgroup] = s.clock
}

// ordered says whether atomic operations can have ordered a use before one by
// sub-groups all of which were at atomics at the time seen, or later: its
// sub-group came to one after the use, and so did they. When there are too many to
// count, they can.
func (s *shadow) ordered(u use, seen uint32) bool {
	return u.at < seen && u.at < s.synced[u.sub(s)] || s.clock == math.MaxUint32
}

// seen returns the time since which none of the items' sub-groups was at atomics:
// that of the one that was at them first.
func (s *shadow) seen(items *Items, limit int) uint32 {
	least := s.clock
	items.each(limit, func(item int) { least = min(least, s.synced[item/s.subgroup]) })
	return least
}

// locate returns the place in the pages of n bytes at an offset of an allocation, cut to what is watched: a place in
// global memory is an offset in the allocation.
func (s *shadow) locate(alloc, off, n uint64) (from, to uint64) {
	i := alloc & memory.MaxAllocs
	switch memory.Space(alloc >> memory.AllocBits) {
	case memory.SpaceGlobal:
		return off, min(off+min(n, memory.MaxSize), memory.MaxSize)
	case memory.SpaceLocal:
	default:
		return 0, 0
	}
	if i == 0 || i > uint64(len(s.start)) {
		return 0, 0
	}
	end := s.size
	if i < uint64(len(s.start)) {
		end = s.start[i]
	}
	begin := s.start[i-1]
	if off > end-begin || n > end-begin-off {
		return 0, 0
	}
	from = min(begin+off, maxShadow)
	return from, min(begin+off+n, maxShadow)
}

// page returns the cells of the page that a place is in, or nil.
func (s *shadow) page(alloc, place uint64) *shadowCells {
	if memory.Space(alloc>>memory.AllocBits) == memory.SpaceLocal {
		return s.pages[place/shadowPage]
	}
	return s.global[globalPage{alloc, place / shadowPage}]
}

// makePage returns the cells of the page that a place is in. They are nil where there are too many pages.
func (s *shadow) makePage(alloc, place uint64) *shadowCells {
	if p := s.page(alloc, place); p != nil {
		return p
	}
	if memory.Space(alloc>>memory.AllocBits) == memory.SpaceLocal {
		p := newShadowCells()
		s.pages[place/shadowPage] = p
		return p
	}
	if s.cells >= maxGlobalCells {
		if s.full == s.epoch[inGlobal] {
			return nil
		}
		for k, p := range s.global {
			if p.last[useRead] != s.epoch[inGlobal] && p.last[useWrite] != s.epoch[inGlobal] {
				s.cells -= len(p.uses[useRead])
				delete(s.global, k)
			}
		}
		if s.cells >= maxGlobalCells {
			s.full = s.epoch[inGlobal]
			s.sink.Missed(MissedUses)
			return nil
		}
	}
	if s.global == nil {
		s.global = map[globalPage]*shadowCells{}
	}
	p := newShadowCells()
	s.cells += len(p.uses[useRead])
	s.global[globalPage{alloc, place / shadowPage}] = p
	return p
}

// note enters a use of bytes.
func (s *shadow) note(kind int, alloc, off, n uint64, item, pc int, async bool) {
	from, to := s.locate(alloc, off, n)
	by := use{int32(pc), uint32(item), s.clock}
	space := kindOf(alloc)
	epoch := s.epoch[space]
	if async {
		by.item |= useAsync
		s.async[space] = epoch
	}
	sub := item / s.subgroup
	local := memory.Space(alloc>>memory.AllocBits) == memory.SpaceLocal
	if local && to == maxShadow && to-from < n {
		s.sink.Missed(MissedUses)
	}
	for from < to {
		at := from % shadowPage
		end := min(shadowPage, at+to-from)
		page := s.makePage(alloc, from)
		if from += end - at; page == nil {
			if s.full == epoch {
				return
			}
			continue
		}
		page.last[kind] = epoch
		if (at|end)&(1<<page.shift-1) != 0 {
			if !local {
				s.cells += shadowPage - len(page.uses[kind])
			}
			page.split()
		}
		for ; at < end; at += 1 << page.shift {
			page.uses[kind][at>>page.shift].add(s, by, sub, epoch)
		}
	}
}

func (c *uses) add(s *shadow, by use, sub int, epoch uint32) {
	switch {
	case c.epoch != epoch:
		c.epoch, c.n = epoch, 1
		c.by[0] = by
	case c.by[0].sub(s) == sub:
		c.by[0] = by
	default:
		c.n = 2
		c.by[1] = by
	}
}

func (u use) sub(s *shadow) int { return int(u.item&^useAsync) / s.subgroup }

// places yields the first place of each page of [from, to) in which there are uses of a kind in this epoch, in ascending order.
func (s *shadow) places(kind int, alloc, from, to uint64) iter.Seq[uint64] {
	epoch := s.epoch[kindOf(alloc)]
	return func(yield func(uint64) bool) {
		if (to-from)/shadowPage > uint64(len(s.global)) && memory.Space(alloc>>memory.AllocBits) == memory.SpaceGlobal {
			// Of a range with more pages than there are, those that there are.
			var found []uint64
			for k, p := range s.global {
				if first := max(from, k.page*shadowPage); k.alloc == alloc && p.last[kind] == epoch && first < min(to, (k.page+1)*shadowPage) {
					found = append(found, first)
				}
			}
			slices.Sort(found)
			for _, place := range found {
				if !yield(place) {
					return
				}
			}
			return
		}
		for place := from; place < to; place += shadowPage - place%shadowPage {
			if p := s.page(alloc, place); p != nil && p.last[kind] == epoch && !yield(place) {
				return
			}
		}
	}
}

// find returns the first use of a kind of bytes in this epoch that is not
// ordered before those who have seen atomics until then: with sub not negative by
// another sub-group than that, and with async by a lane copy.
func (s *shadow) find(kind int, alloc, off, n uint64, sub int, async bool, seen uint32) (at uint64, by Party, ok bool) {
	from, to := s.locate(alloc, off, n)
	epoch := s.epoch[kindOf(alloc)]
	look := func(page *shadowCells, place, end uint64) bool {
		for ; place < end; place++ {
			c := &page.uses[kind][place%shadowPage>>page.shift]
			if c.epoch != epoch {
				continue
			}
			for _, u := range c.by[:c.n] {
				if (sub < 0 || u.sub(s) != sub) && (!async || u.item&useAsync != 0) && !s.ordered(u, seen) {
					by = Party{Item: int(u.item &^ useAsync), PC: int(u.pc), Access: memory.AccessRead}
					if kind == useWrite {
						by.Access = memory.AccessWrite
					}
					at, ok = off+place-from, true
					return true
				}
			}
		}
		return false
	}
	for place := range s.places(kind, alloc, from, to) {
		end := min(to, place-place%shadowPage+shadowPage)
		if look(s.page(alloc, place), place, end) {
			return at, by, true
		}
	}
	return 0, Party{}, false
}
