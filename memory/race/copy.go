package race

import (
	"math"
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/memory"
)

// An asynchronous copy reads and writes global memory from the moment at which a work-item comes to it until
// one waits for it (OpenCL C 3.0, 6.15.11). Its accesses are those of an event of its own, whose clock no
// work-item ever reaches: who waited for the copy, and at which clock, says what is behind it. A copy of the
// work-group may begin with any of its work-items, so that what another group does before it has to be before
// all of them; it is over for everybody when one of them has waited.
//
// Accesses of the copy's own group are for package dma, which knows what is outstanding for which work-item.

// endless is the clock of the events of copies.
const endless = math.MaxUint32

// maxCopies is how many copies of other work-groups by one instruction are kept of those in a cell, and
// maxIssuers for how many of the work-items that come to a copy with different knowledge it is looked at.
const (
	maxCopies  = 4
	maxIssuers = 16
)

// copied is an asynchronous copy.
type copied struct {
	event     uint32 // which changes where events are dropped
	group     *Group
	first     uint64 // of the work-items of the group
	whole     bool   // of the work-group, and not of the work-items that are in its stamps
	forgotten bool   // nobody will say that it is over
	ends      []end
	issuers   []*known // with which work-items came to it
	came      bool     // some did

	// What before found out last.
	last       *known
	lastBefore bool
}

// end says that work-items from first on, before last, waited at the same clock.
type end struct {
	first, last uint64
	clock       uint32
}

// copies has the asynchronous copies that work-items have come to, by the number that [Group.Copy] returns and by the
// number of their event.
type copies struct {
	last    uint32 // number that was given away
	all     map[uint32]*copied
	byEvent map[uint32]*copied
}

// outstanding says whether the group of a copy runs, so that the copy may come up again.
func (c *copied) outstanding() bool { return c.group.first == c.first }

// drop drops the copies of which live, by number of their event, has no event any more, and gives those of the others
// the numbers that it has.
func (c *copies) drop(live []uint32) {
	clear(c.byEvent)
	for n, x := range c.all {
		if x.event = live[x.event]; x.event == 0 {
			delete(c.all, n)
			continue
		}
		c.byEvent[x.event] = x
	}
}

// Copy says that an asynchronous copy begins at an instruction: one of the whole work-group, or one that is
// several, of a work-item each. It returns the copy's number, 0 when there are too many.
func (g *Group) Copy(pc int, whole bool) uint32 {
	d := g.d
	if !d.room() {
		return 0
	}
	if d.copies.all == nil {
		d.copies.all, d.copies.byEvent = map[uint32]*copied{}, map[uint32]*copied{}
	}
	c := &copied{event: uint32(len(d.events)), group: g, first: g.first, whole: whole}
	d.events = append(d.events, event{clock: endless, pc: int32(pc), barriers: g.barriers, launch: uint16(g.launch)})
	d.copies.last++
	d.copies.all[d.copies.last], d.copies.byEvent[c.event] = c, c
	return d.copies.last
}

// Issue says that a work-item comes to a copy, and returns whether the copy's accesses are to be told for it.
func (g *Group) Issue(n uint32, item int) bool {
	c := g.d.copies.all[n]
	if c == nil {
		return false
	}
	k := g.domains[inGlobal].knows(item)
	if c.whole && c.came && (len(c.issuers) >= maxIssuers || slices.Contains(c.issuers, k)) {
		return false
	}
	c.came = true
	if c.whole {
		c.issuers = append(c.issuers, k)
	}
	return true
}

// Copied tells of the bytes at p that a copy reads or writes for a work-item that came to it.
func (g *Group) Copied(n uint32, kind memory.Access, item int, p memory.Pointer, size uint64) {
	c := g.d.copies.all[n]
	if c == nil || p.Space() != memory.SpaceGlobal || size == 0 {
		return
	}
	g.Same = nil
	at := uint64(p.Offset())
	shift := uint8(min(bits.TrailingZeros64(at|size|1<<wordShift), wordShift))
	v, ok := g.visit(&Access{PC: int(g.d.events[c.event].pc), Kind: kind, Size: size}, p)
	if !ok || at > v.object.size-size {
		return
	}
	who := item
	if c.whole {
		who = 0 // whoever came first
	}
	v.item, v.stamp = item, stamp((g.first+uint64(who))<<eventBits|uint64(c.event))
	for end := at + size; at < end; {
		pg := g.d.fine(g.page(v.object, at), shift)
		stop := min(end, (at|(pageBytes-1))+1)
		v.Size = 1 << pg.shift
		for i := int(at & (pageBytes - 1) >> pg.shift); at < stop; i++ {
			write, read := slot{pg, i, true}, slot{pg, i, false}
			g.compare(&v, write, at)
			if kind == memory.AccessRead {
				g.keepCopy(&v, read)
			} else {
				g.compare(&v, read, at)
				g.keepCopy(&v, write)
			}
			at += 1 << pg.shift
		}
	}
}

// keepCopy puts a copy's access in a slot. It takes the place of those of its own group that are before it, and
// of other copies of its group, which are before it or found to be wrong.
func (g *Group) keepCopy(v *visit, to slot) {
	d := g.d
	kept := d.scratch[:0]
	copies := 0
	for _, e := range d.entries(to) {
		for m := e.mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			x := e.of(i)
			of := &d.events[x.event()]
			foreign := g.foreign(x)
			switch {
			case x == v.stamp,
				of.clock == endless && !foreign && x.event() != v.stamp.event() && g.before(v.domain, v.item, x),
				!foreign && of.clock < v.domain.known,
				foreign && !v.domain.apart && g.before(v.domain, v.item, x):
				e.mask &^= 1 << i
			case of.clock == endless && of.pc == d.events[v.stamp.event()].pc:
				copies++
			}
		}
		if e.mask != 0 {
			kept = append(kept, e)
		}
	}
	if copies < maxCopies && len(kept) < maxList {
		kept = append(kept, entry{v.stamp, 1})
	}
	d.scratch = kept[:0]
	d.set(to, kept)
}

// Waited says that a work-item has waited for a copy.
func (g *Group) Waited(n uint32, item int) {
	c := g.d.copies.all[n]
	if c == nil {
		return
	}
	who, clock := g.first+uint64(item), g.domains[inGlobal].clockOf(item)
	c.last, c.lastBefore = nil, false
	if l := len(c.ends); l > 0 && c.ends[l-1].last == who && c.ends[l-1].clock == clock {
		c.ends[l-1].last++
		return
	}
	c.ends = append(c.ends, end{who, who + 1, clock})
}

// Plain says that a work-item reads or writes size bytes at p by a copy that is over at once.
func (g *Group) Plain(pc int, kind memory.Access, item int, p memory.Pointer, size uint64) {
	g.Same = nil
	g.One(&Access{PC: pc, Kind: kind, Size: size}, p, item)
}

// Forget says that nobody will say when a copy is over.
func (g *Group) Forget(n uint32) {
	if c := g.d.copies.all[n]; c != nil {
		c.forgotten = true
	}
}

// behind says whether a copy was over before what a work-item of the group does next.
func (g *Group) behind(dm *domain, item int, s stamp) bool {
	c := g.d.copies.byEvent[s.event()]
	if c.forgotten {
		return true
	}
	k := dm.knows(item)
	foreign := g.foreign(s)
	if foreign && k == nil {
		return false
	}
	if foreign && c.whole && k == c.last {
		return c.lastBefore
	}
	before := false
	for _, e := range c.ends {
		if !c.whole {
			if who := s.item(); e.first <= who && who < e.last {
				before = before || g.precedes(dm, item, who, e.clock)
			}
			continue
		}
		for who := e.first; who < e.last && !before; who++ {
			before = g.precedes(dm, item, who, e.clock)
		}
	}
	if foreign && c.whole {
		c.last, c.lastBefore = k, before
	}
	return before
}
