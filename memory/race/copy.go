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
	whole     bool // of the work-group, and not of the work-items that are in its stamps
	forgotten bool // nobody will say that it is over
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

// Copy says that an asynchronous copy begins at an instruction: one of the whole work-group, or one that is
// several, of a work-item each. It returns the copy's number, 0 when there are too many.
func (g *Group) Copy(pc int, whole bool) uint32 {
	d := g.d
	if len(d.events) > mostEvents {
		d.full = true
		return 0
	}
	n := uint32(len(d.events))
	d.events = append(d.events, event{clock: endless, pc: int32(pc), barriers: g.barriers, launch: uint16(g.launch)})
	if d.copies == nil {
		d.copies = map[uint32]*copied{}
	}
	d.copies[n] = &copied{whole: whole}
	return n
}

// Issue says that a work-item comes to a copy, and returns whether the copy's accesses are to be told for it.
func (g *Group) Issue(n uint32, item int) bool {
	c := g.d.copies[n]
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
	o, dm := g.object(p, kind != memory.AccessRead)
	c := g.d.copies[n]
	if o == nil || c == nil || p.Space() != memory.SpaceGlobal || size == 0 || o.size < size || uint64(p.Offset()) > o.size-size {
		return
	}
	who := item
	if c.whole {
		who = 0 // whoever came first
	}
	s := stamp((g.first+uint64(who))<<eventBits | uint64(n))
	g.Same = nil
	at := uint64(p.Offset())
	end := at + size
	shift := uint8(min(bits.TrailingZeros64(at|size|1<<wordShift), wordShift))
	a := &Access{PC: int(g.d.events[n].pc), Kind: kind, Size: size}
	for at < end {
		pg := &o.pages[at>>pageShift]
		if pg.cells == nil || pg.shift > shift {
			pg = g.d.page(o, at, shift)
		}
		stop := min(end, (at|(pageBytes-1))+1)
		for i := at & (pageBytes - 1) >> pg.shift; at < stop; i++ {
			cl := &pg.cells[i]
			a.Size = uint64(1) << pg.shift
			g.compare(a, o, dm, false, item, s, at, &cl.write, memory.AccessWrite)
			if kind == memory.AccessRead {
				g.enter(dm, item, &cl.read, s)
			} else {
				g.compare(a, o, dm, false, item, s, at, &cl.read, memory.AccessRead)
				g.enter(dm, item, &cl.write, s)
			}
			at += 1 << pg.shift
		}
	}
}

// enter puts a copy's access in a cell. It takes the place of those of its own group that are before it, and
// of other copies of its group, which are before it or found to be wrong.
func (g *Group) enter(dm *domain, item int, c *stamp, s stamp) {
	d := g.d
	kept := d.scratch[:0]
	copies := 0
	for _, x := range d.lists.of(c) {
		e := &d.events[x.event()]
		foreign := g.foreign(x)
		switch {
		case x.event() == s.event() && x.item() == s.item():
			continue
		case e.clock == endless && !foreign && x.event() != s.event() && g.before(dm, item, x), !foreign && e.clock < dm.known:
			continue
		case foreign && !dm.apart && g.before(dm, item, x):
			continue
		case e.clock == endless && e.pc == d.events[s.event()].pc:
			copies++
		}
		kept = append(kept, x)
	}
	if copies < maxCopies && len(kept) < d.most() {
		kept = append(kept, s)
	}
	d.scratch = kept[:0]
	d.lists.set(c, kept)
}

// Waited says that a work-item has waited for a copy.
func (g *Group) Waited(n uint32, item int) {
	c := g.d.copies[n]
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
	if c := g.d.copies[n]; c != nil {
		c.forgotten = true
	}
}

// behind says whether a copy was over before what a work-item of the group does next.
func (g *Group) behind(dm *domain, item int, s stamp) bool {
	c := g.d.copies[s.event()]
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
