package race

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// visit is an access by one work-item, on its way through the cells.
type visit struct {
	*Access
	object *object
	domain *domain
	local  bool
	item   int
	stamp  stamp
}

// visit begins the visits of an access to the allocation that p leads to; ok is false where nobody looks at it.
func (g *Group) visit(a *Access, p memory.Pointer) (v visit, ok bool) {
	o, dm := g.object(p, a.Kind != memory.AccessRead)
	if o == nil || o.size < a.Size {
		return visit{}, false
	}
	return visit{Access: a, object: o, domain: dm, local: o.local}, true
}

// by makes the visit that of a work-item. It says whether there is room for it.
func (g *Group) by(v *visit, item int, event uint32) bool {
	v.item, v.stamp = item, stamp((g.first+uint64(item))<<eventBits|uint64(event))
	return event != 0
}

// apart says whether some work-items have clocks of their own for global memory or LDS.
func (g *Group) apart() bool { return g.domains[inGlobal].apart || g.domains[inLocal].apart }

// Lanes tells of an instruction that work-items first+i do for each bit i of lanes, in ascending order, at
// p moved by off[i]. What is out of bounds is left out.
func (g *Group) Lanes(a *Access, p memory.Pointer, first int, lanes uint64, off *[64]int64) {
	v, ok := g.visit(a, p)
	if !ok {
		return
	}
	base, limit := p.Offset(), v.object.size-a.Size
	if g.apart() {
		for ; lanes != 0; lanes &= lanes - 1 {
			i := bits.TrailingZeros64(lanes)
			if at := uint64(base + off[i]); at <= limit && g.by(&v, first+i, g.eventOf(a, v.domain.clockOf(first+i))) {
				g.touch(&v, at)
			}
		}
		return
	}
	e := g.eventOf(a, v.domain.clock)
	if e == 0 {
		return
	}
	shift := uint8(bits.TrailingZeros64(a.Size | 1<<wordShift))
	oneCell := a.Size == 1<<shift
	read := a.Kind == memory.AccessRead && !g.d.alone && !g.narrow(a)
	inRows := a.Size == 1<<wordShift && !a.Atomic
	var pg *page
	number, last, run := uint64(math.MaxUint64), uint64(math.MaxUint64), 0
	for apart := uint64(0); lanes != 0; lanes &= lanes - 1 {
		i := bits.TrailingZeros64(lanes)
		at := uint64(base + off[i&63])
		// The page of a number has cells.
		if inRows && lanes>>i&(1<<leastRun-1) == 1<<leastRun-1 && off[(i+leastRun-1)&63]-off[i&63] == (leastRun-1)<<wordShift &&
			apart>>i&1 == 0 && at>>pageShift != number {
			n, ok := g.run(&v, at, first+i, lanes>>i, off[i&63:], e)
			if ok {
				lanes &^= words(i, n-1)
				continue
			}
			apart = words(i, n)
		}
		// Two of those that read one place are as good as all.
		if at != last {
			last, run = at, 0
		} else if run++; run >= maxPerEvent && read {
			continue
		}
		if at > limit {
			continue
		}
		if at>>pageShift != number {
			number = at >> pageShift
			if pg = g.page(v.object, at); !pg.inCells || pg.shift > shift {
				g.d.fine(pg, shift)
			}
		}
		if !oneCell || at&(1<<shift-1) != 0 || pg.shift != shift {
			g.by(&v, first+i, e)
			g.touch(&v, at)
			continue
		}
		n := int(at & (pageBytes - 1) >> shift)
		if c := pg.cells[n]; read && pg.more != nil && pg.more[n].read.event() == e && c.read&(listBit|maxEvents) == stamp(e) &&
			(c.write == 0 || !g.foreign(c.read)) {
			continue
		}
		g.by(&v, first+i, e)
		g.enter(&v, pg, n, at)
	}
}

// leastRun is for how many words that follow each other a row is worth it, but for those that [Group.Row] is told of.
const leastRun = 4

// run enters into rows the first n of the lanes in mask, at least one, whose places follow each other from at on. It says
// whether it has: a few lanes, and pages with cells, are left.
func (g *Group) run(v *visit, at uint64, item int, mask uint64, off []int64, event uint32) (n int, ok bool) {
	if at&(1<<wordShift-1) != 0 || at > v.object.size-v.Size {
		return 1, false
	}
	word := int(at & (pageBytes - 1) >> wordShift)
	most := min(bits.TrailingZeros64(^mask), pageWords-word, int((v.object.size-at)>>wordShift))
	for n = 1; n < most && off[n]-off[n-1] == 1<<wordShift; {
		n++
	}
	pg := g.page(v.object, at)
	if n < leastRun || pg.inCells {
		return n, false
	}
	g.by(v, item, event)
	return n, g.flat(v, pg, v.stamp-stamp(word)<<eventBits, words(word, n))
}

// Row tells of a load or store of a.Size bytes by each of n work-items, at most 64, from first on, at places that follow
// each other from p on. What is out of bounds is left out.
func (g *Group) Row(a *Access, p memory.Pointer, first, n int) {
	v, ok := g.visit(a, p)
	if !ok {
		return
	}
	at := uint64(p.Offset())
	if a.Size != 1<<wordShift || at&(1<<wordShift-1) != 0 || at > v.object.size || a.Atomic || g.apart() {
		g.spread(a, p, first, n)
		return
	}
	e := g.eventOf(a, v.domain.clock)
	if e == 0 {
		return
	}
	n = int(min(uint64(n), (v.object.size-at)>>wordShift))
	for n > 0 {
		word := int(at & (pageBytes - 1) >> wordShift)
		part := min(n, pageWords-word)
		g.by(&v, first, e)
		if pg := g.page(v.object, at); pg.inCells || !g.flat(&v, pg, v.stamp-stamp(word)<<eventBits, words(word, part)) {
			g.spread(a, p, first, part)
		}
		first, n = first+part, n-part
		at, p = at+uint64(part)<<wordShift, p.Add(int64(part)<<wordShift)
	}
}

// spread is Row by way of Lanes.
func (g *Group) spread(a *Access, p memory.Pointer, first, n int) {
	var off [64]int64
	for i := range n {
		off[i] = int64(i) * int64(a.Size)
	}
	g.Lanes(a, p, first, words(0, n), &off)
}

// flat enters an access to words of a page into its rows, where it races with nothing and there is room: from is the stamp
// of word 0, also where mask does not name it.
func (g *Group) flat(v *visit, p *page, from stamp, mask uint64) bool {
	if !g.follow(v, p.writes, from, mask) {
		return false
	}
	if v.Kind == memory.AccessRead {
		return g.flatRead(v, p, from, mask)
	}
	if !g.follow(v, p.reads, from, mask) {
		return false
	}
	p.reads, p.writes = without(p.reads, mask), without(p.writes, mask)
	for i := range p.writes {
		if r := &p.writes[i]; r.from == from {
			r.mask |= mask
			return true
		}
	}
	return g.d.addRow(&p.writes, row{from, mask})
}

// flatRead is flat for a read.
func (g *Group) flatRead(v *visit, p *page, from stamp, mask uint64) bool {
	same := 0
	for i := len(p.reads) - 1; i >= 0; i-- {
		r := &p.reads[i]
		switch {
		case r.from == from:
			r.mask |= mask
			return true
		case r.mask&^mask == 0 && g.follows(v, r, from, mask):
			*r = row{from, mask}
			return true
		case mask&^r.mask == 0 && r.from.event() == from.event() && !g.d.alone:
			if same++; same == maxPerEvent {
				return true
			}
		}
	}
	return g.d.addRow(&p.reads, row{from, mask})
}

// follow says whether accesses to the words of mask are ordered behind those that rows have.
func (g *Group) follow(v *visit, rows []row, from stamp, mask uint64) bool {
	for i := range rows {
		if r := &rows[i]; r.mask&mask != 0 && !g.follows(v, r, from, mask) {
			return false
		}
	}
	return true
}

// follows is follow for a row that has accesses to some of the words.
func (g *Group) follows(v *visit, r *row, from stamp, mask uint64) bool {
	if r.from>>eventBits == from>>eventBits {
		return true // those of the work-items themselves
	}
	mask &= r.mask
	return g.passed(v, r.of(bits.TrailingZeros64(mask))) && !g.foreign(r.of(63-bits.LeadingZeros64(mask)))
}

// One tells of an access of one work-item to a.Size bytes at p.
func (g *Group) One(a *Access, p memory.Pointer, item int) {
	v, ok := g.visit(a, p)
	if !ok || a.Size == 0 || uint64(p.Offset()) > v.object.size-a.Size {
		return
	}
	if g.by(&v, item, g.eventOf(a, v.domain.clockOf(item))) {
		g.touch(&v, uint64(p.Offset()))
	}
}

// touch enters an access to bytes of an object into their cells.
func (g *Group) touch(v *visit, at uint64) {
	end := at + v.Size
	shift := uint8(min(bits.TrailingZeros64(at|v.Size|1<<wordShift), wordShift))
	for at < end {
		p := g.d.fine(g.page(v.object, at), shift)
		stop := min(end, (at|(pageBytes-1))+1)
		for i := at & (pageBytes - 1) >> p.shift; at < stop; i++ {
			g.enter(v, p, int(i), at)
			at += 1 << p.shift
		}
	}
}

// enter enters an access into a cell, which is at a place of the object.
func (g *Group) enter(v *visit, p *page, i int, at uint64) {
	switch {
	case v.Atomic:
		if !g.quickAtomic(v, p, i) {
			g.slow(v, p, i, at)
		}
	case v.Kind == memory.AccessRead:
		if !g.quickRead(v, p, i) {
			g.slow(v, p, i, at)
		}
	default:
		if !g.quickWrite(v, p, i) {
			g.slow(v, p, i, at)
		}
	}
}

// quickRead is slow for a read of a cell that no other work-item has written since the last barrier, and that at most
// two have read.
func (g *Group) quickRead(v *visit, p *page, i int) bool {
	c := &p.cells[i]
	var two cell
	if p.more != nil {
		two = p.more[i]
	}
	if w := c.write; two.write != 0 || w != 0 && w>>eventBits != v.stamp>>eventBits && !g.passed(v, w) {
		return false
	}
	r := c.read
	if r == 0 {
		c.read = v.stamp
		return true
	}
	switch {
	case r.isList():
		return false
	case two.read == 0:
		if r>>eventBits == v.stamp>>eventBits || g.passed(v, r) {
			c.read = v.stamp
			return true
		}
		if r.event() != v.stamp.event() || !g.unordered(v, r) {
			return false
		}
		g.d.second(p)[i].read = v.stamp
		return true
	}
	// Two of the same event are enough.
	return r.event() == v.stamp.event() && two.read.event() == r.event() && !g.d.alone && !g.narrow(v.Access)
}

// quickWrite is slow for a write of a cell that no other work-item has accessed since the last barrier.
func (g *Group) quickWrite(v *visit, p *page, i int) bool {
	c := &p.cells[i]
	if c.read != 0 && c.read>>eventBits != v.stamp>>eventBits && !g.passed(v, c.read) ||
		c.write != 0 && c.write>>eventBits != v.stamp>>eventBits && !g.passed(v, c.write) ||
		p.more != nil && p.more[i] != (cell{}) {
		return false
	}
	c.read, c.write = 0, v.stamp
	return true
}

// quickAtomic is slow for an atomic operation that writes a cell which had nothing but the same operation by one or
// two work-items.
func (g *Group) quickAtomic(v *visit, p *page, i int) bool {
	c := &p.cells[i]
	if v.Kind == memory.AccessRead || c.read != 0 || g.narrow(v.Access) {
		return false
	}
	w := c.write
	if w == 0 {
		c.write = v.stamp
		return true
	}
	if w.isList() || w.event() != v.stamp.event() || g.d.alone {
		return false
	}
	switch two := &g.d.second(p)[i].write; {
	case *two != 0:
		return two.event() == w.event()
	case w == v.stamp:
	case g.unordered(v, w):
		*two = v.stamp
	default:
		return false
	}
	return true
}

// passed says that an access, which may be a list, is one that is ordered before whatever the group does next.
func (g *Group) passed(v *visit, s stamp) bool {
	return !s.isList() && !g.foreign(s) && g.d.events[s.event()].clock < v.domain.known
}

// unordered says that an access by another work-item is known not to be ordered before the one that visits: the group
// knows nothing of others, and all that its barriers order is passed.
func (g *Group) unordered(v *visit, s stamp) bool {
	return !v.domain.apart && (!g.foreign(s) || v.domain.base == nil)
}

// slow compares an access with those in a cell, and keeps it there. It has been compared already where it would tell
// nothing new, but for writes, which may be of the same value.
func (g *Group) slow(v *visit, p *page, i int, at uint64) {
	write, read := slot{p, i, true}, slot{p, i, false}
	known := v.Kind != memory.AccessWrite
	if v.Kind == memory.AccessRead {
		// Reads of other groups decide only where there is a write to compare with.
		if known && g.superfluous(v, g.d.entries(read), p.cells[i].write != 0) {
			return
		}
		g.compare(v, write, at)
		g.keep(v, read, v.stamp, at)
		return
	}
	if known && g.superfluous(v, g.d.entries(write), true) {
		return
	}
	g.compare(v, read, at)
	g.keep(v, read, 0, at)
	g.compare(v, write, at)
	g.keep(v, write, v.stamp, at)
}

// compare looks for races of an access with those of a slot.
func (g *Group) compare(v *visit, s slot, at uint64) {
	kind := memory.AccessRead
	if s.write {
		kind = memory.AccessWrite
	}
	list := g.d.entries(s)
	for i := range list {
		e := &list[i]
		for m := e.mask; m != 0; m &= m - 1 {
			x := e.of(bits.TrailingZeros64(m))
			if g.bothAtomic(v.Access, v.item, x) || g.before(v.domain, v.item, x) {
				continue
			}
			if g.found(v, x, kind, at, 1<<s.page.shift); kind != memory.AccessWrite || v.Kind != memory.AccessWrite {
				break // of writes, all are to be of the same value
			}
		}
	}
}

// keep leaves in a slot the accesses that s does not take the place of, and puts s beside them, unless that
// is 0. An access takes the place of one that is ordered before it, since whatever races with that one races with it,
// or has been found. at is the place in the object.
func (g *Group) keep(v *visit, to slot, s stamp, at uint64) {
	d := g.d
	list := d.entries(to)
	if s != 0 && g.superfluous(v, list, false) {
		return
	}
	if s != 0 && !to.write && to.first().isList() {
		if g.merge(list, s) {
			return
		}
		if n := len(list); n&(n-1) != 0 {
			// Which reads are ordered is asked when there are twice as many.
			l := &d.lists.all[*to.first()&^listBit]
			*l = append(*l, entry{s, 1})
			return
		}
	}
	kept := d.scratch[:0]
	for _, e := range list {
		for m := e.mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if x := e.of(i); g.before(v.domain, v.item, x) && (!v.Atomic || g.covered(v, x)) {
				e.mask &^= 1 << i
			}
		}
		if e.mask != 0 {
			kept = append(kept, e)
		}
	}
	switch {
	case s == 0 || g.merge(kept, s):
	case len(kept) < maxList || len(kept) < maxFrontier && !g.races(v.object, at):
		kept = append(kept, entry{s, 1})
	case !g.races(v.object, at): // of memory that races, this was enough
		d.missed.Accesses = true
	}
	d.scratch = kept[:0]
	d.set(to, kept)
}

// merge makes an access a part of an entry of the same event in a list. It says whether there is one.
func (g *Group) merge(list []entry, s stamp) bool {
	if !g.d.alone {
		return false
	}
	for i := len(list) - 1; i >= 0; i-- {
		e := &list[i]
		if n := s.item() - e.item(); n < 64 && s.event() == e.event() && !g.foreign(e.stamp) {
			e.mask |= 1 << n
			return true
		}
	}
	return false
}

// covered says that an atomic access may take the place of an earlier one: that one is atomic too and races
// with the same others, or nobody is left who could race with it.
func (g *Group) covered(v *visit, x stamp) bool {
	e := &g.d.events[x.event()]
	if v.local && e.clock < v.domain.known {
		return true
	}
	// Where scopes reach less far than the device, others race with one of two atomic operations and not
	// with the other.
	return e.atomic && (!g.narrow(v.Access) || v.Scope >= e.scope && g.sameSubgroup(v, x))
}

// sameSubgroup says whether an access is by a work-item of the sub-group of the one that visits.
func (g *Group) sameSubgroup(v *visit, x stamp) bool {
	return !g.foreign(x) && int(x.item()-g.first)/g.subgroup == v.item/g.subgroup
}

// bothAtomic says whether an access of a work-item and an earlier one are atomic operations whose scopes
// include each other (OpenCL 3.0 API, 3.3.6.1): these do not race.
func (g *Group) bothAtomic(a *Access, item int, x stamp) bool {
	e := &g.d.events[x.event()]
	switch scope := max(a.Scope, e.scope); {
	case !a.Atomic || !e.atomic:
		return false
	case scope <= isa.ScopeDevice:
		return true
	case g.foreign(x):
		return false
	case scope == isa.ScopeWorkgroup:
		return true
	case scope == isa.ScopeSubgroup:
		return int(x.item()-g.first)/g.subgroup == item/g.subgroup
	}
	return false
}

// narrow says that the others that an atomic operation races with may depend on the group of its work-item, or on the
// sub-group.
func (g *Group) narrow(a *Access) bool { return a.Atomic && g.d.narrowest > isa.ScopeDevice }

// superfluous says whether a list has enough accesses of the event of the one that visits, so that another one would
// tell nothing new: two by work-items that are ordered with whoever comes as the one that visits is. In a long list,
// those of other instructions count that do the same. own counts those of the group only: what is ordered before those of
// another group, by its barriers, may race with the one that visits.
func (g *Group) superfluous(v *visit, list []entry, own bool) bool {
	if len(list) < maxPerEvent || g.d.alone {
		return false
	}
	n, event, many := 0, v.stamp.event(), len(list) >= maxList
	for i := range list {
		x := &list[i]
		switch {
		case own && g.foreign(x.stamp):
		case x.event() != event && !(many && g.d.events[x.event()].like(&g.d.events[event])):
		case x.item() == v.stamp.item():
			return true
		case !g.narrow(v.Access) || g.sameSubgroup(v, x.stamp) || g.d.narrowest <= isa.ScopeWorkgroup && !g.foreign(x.stamp):
			n++
		}
	}
	return n >= maxPerEvent
}
