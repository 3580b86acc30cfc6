package race

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Limits of what is kept.
const (
	// maxList is how many accesses to one cell are kept that nothing orders with one another, and
	// maxPerEvent how many of them of one instruction at one clock: two by different work-items are enough
	// for any third one.
	maxList     = 16
	maxPerEvent = 2
	maxRaces    = 1 << 12 // different pairs of instructions
	mostEvents  = 1 << 22 // at most maxEvents
	maxFrontier = 64      // maxList of launches in which work-items synchronize through atomic operations
)

// Detector looks at a launch, or at launches that run together. The zero value is not ready: see [New].
type Detector struct {
	mem     *memory.Global
	starts  []span // of the launches
	next    uint64 // work-item that no launch has
	objects map[uint32]*object
	byData  map[*byte]*object // so that views of a buffer are the buffer
	images  map[*byte]*object // likewise of images
	written map[*byte]bool    // where the data begins that launches may write; see Writes
	events  []event
	numbers map[event]uint32
	copies  map[uint32]*copied // by number of the event
	lists   lists
	synced  [numDomains]map[place]*synced
	sent    [numDomains]map[memory.Pointer]*known
	races   map[pair]*Race
	last    *Race // the one that was found last, and its pair
	lastKey pair
	scratch []stamp

	told     int  // how many launches Writes was called for
	anything bool // one of them may write any memory
	paints   bool // one of them may write images

	narrow bool   // some atomic operation has a scope below the device
	bytes  uint64 // of shadow memory
	full   bool   // there were more events or races than are kept
}

// span is the work-items of a launch.
type span struct {
	first, whole uint64 // whole is the number of work-items of a whole group
	end          uint64
}

// pair names the two instructions of a race, and the memory. The first one is the lesser.
type pair struct {
	a, b   side
	object *object
}

type side struct {
	launch uint16
	pc     int32
	kind   memory.Access
}

// Party is one of the two accesses of a race.
type Party struct {
	Launch int
	Group  uint64 // linear
	Item   int    // of the group
	PC     int
	Access memory.Access
}

// Race is a pair of instructions whose accesses to a piece of memory nothing orders: the first two that
// were found, and how often some were.
type Race struct {
	A, B    Party // A is the write, or of two the one later in the kernel
	Pointer memory.Pointer
	Size    uint64 // of the access that was told second, in bytes
	Count   uint64
	// Image says that the memory is an image's.
	Image bool
	// Same says that all of them were writes of the value that the memory had.
	Same bool
	// Barrier says that a barrier of the work-group stands between the two, but does not order this kind of
	// memory.
	Barrier bool
}

// New returns a detector for launches over a device's memory.
func New(mem *memory.Global) *Detector {
	d := &Detector{mem: mem, objects: map[uint32]*object{}, byData: map[*byte]*object{}, written: map[*byte]bool{}, events: make([]event, 1),
		numbers: map[event]uint32{}, races: map[pair]*Race{}}
	for i := range d.synced {
		d.synced[i], d.sent[i] = map[place]*synced{}, map[memory.Pointer]*known{}
	}
	return d
}

// Launch enters a launch of so many work-groups of whole work-items each, and returns its number. The error
// says that it has more work-items than can be told apart.
func (d *Detector) Launch(groups, whole uint64) (int, error) {
	hi, items := bits.Mul64(groups, whole)
	if hi != 0 || items > maxItems-d.next || len(d.starts) == 1<<16 {
		return 0, fmt.Errorf("a launch of %d work-groups of %d work-items is too large for the detection of data races, which has room for 2^%d work-items",
			groups, whole, 63-eventBits)
	}
	d.starts = append(d.starts, span{d.next, whole, d.next + items})
	d.next += items
	return len(d.starts) - 1, nil
}

// Narrow says that a launch has atomic operations with a scope of the work-group or less.
func (d *Detector) Narrow() { d.narrow = true }

// Worker returns a group of a launch, of which none has begun, with LDS of these sizes; hidden says which
// allocations no kernel can name.
func (d *Detector) Worker(launch, subgroup, instructions int, lds []uint64, hidden func(i int) bool) *Group {
	g := &Group{d: d, launch: launch, subgroup: subgroup, whole: d.starts[launch].whole, recent: make([]recent, instructions)}
	for i, size := range lds {
		var o *object
		if !hidden(i) {
			o = newObject(memory.MakePointer(memory.SpaceLocal, uint32(i+1), 0), size)
		}
		g.lds = append(g.lds, o)
	}
	return g
}

// Begin begins a work-group, by its linear number, with so many work-items.
func (g *Group) Begin(linear uint64, items int) {
	g.begin(g.d.starts[g.launch].first+linear*g.whole, items)
}

// groupOf returns the first work-item of the group that a work-item belongs to.
func (d *Detector) groupOf(item uint64) uint64 {
	s := d.spanOf(item)
	return item - (item-s.first)%s.whole
}

func (d *Detector) spanOf(item uint64) *span {
	i, _ := slices.BinarySearchFunc(d.starts, item, func(s span, item uint64) int {
		if s.end <= item {
			return -1
		}
		return 1
	})
	return &d.starts[i]
}

// global returns the allocation of global memory that p leads to; nil for one that no kernel writes, and
// for none.
func (d *Detector) global(p memory.Pointer, write bool) *object {
	n := p.Alloc()
	o, ok := d.objects[n]
	if ok && (o != nil || !write) {
		return o
	}
	if r := d.mem.Lookup(n); r != nil && len(r.Data) > 0 {
		data := unsafe.SliceData(r.Data)
		if o = d.byData[data]; o == nil && (write || !d.idle(data)) {
			o = newObject(memory.MakePointer(memory.SpaceGlobal, n, 0), r.Size)
			d.byData[data] = o
		}
	}
	d.objects[n] = o
	return o
}

// Access is an instruction's access to memory.
type Access struct {
	PC     int
	Kind   memory.Access
	Atomic bool
	Scope  isa.Scope // of an atomic access
	Size   uint64
}

// eventOf returns the number of the event of an access by a work-item, 0 when there are too many.
func (g *Group) eventOf(a *Access, clock uint32) uint32 {
	r := &g.recent[a.PC]
	if r.event != 0 && r.clock == clock && r.barriers == g.barriers {
		return r.event
	}
	d := g.d
	e := event{clock, int32(a.PC), g.barriers, uint16(g.launch), a.Atomic, a.Scope}
	n, ok := d.numbers[e]
	if !ok {
		if len(d.events) > mostEvents {
			d.full = true
			return 0
		}
		n = uint32(len(d.events))
		d.events = append(d.events, e)
		d.numbers[e] = n
	}
	*r = recent{clock, g.barriers, n}
	return n
}

// Lanes tells of an instruction that work-items first+i do for each bit i of lanes, in ascending order, at
// p moved by off[i]. What is out of bounds is left out.
func (g *Group) Lanes(a *Access, p memory.Pointer, first int, lanes uint64, off *[64]int64) {
	o, dm := g.object(p, a.Kind != memory.AccessRead)
	if o == nil {
		return
	}
	base := p.Offset()
	if o.size < a.Size {
		return
	}
	limit := o.size - a.Size
	local := p.Space() == memory.SpaceLocal
	e := uint32(0)
	if !dm.apart {
		e = g.eventOf(a, dm.clock)
	}
	last, run := uint64(math.MaxUint64), 0
	for ; lanes != 0; lanes &= lanes - 1 {
		i := bits.TrailingZeros64(lanes)
		at := uint64(base + off[i])
		if at > limit {
			continue
		}
		// Two of those that read one place are as good as all.
		if at != last {
			last, run = at, 0
		} else if run++; run >= maxPerEvent && a.Kind == memory.AccessRead && !dm.apart {
			continue
		}
		item := first + i
		if dm.apart {
			e = g.eventOf(a, dm.own[item].clock)
		}
		if e == 0 {
			return
		}
		s := stamp((g.first+uint64(item))<<eventBits | uint64(e))
		if p := &o.pages[at>>pageShift]; a.Size == 1<<wordShift && at&(1<<wordShift-1) == 0 && p.shift == wordShift && p.cells != nil {
			// The same as touch does, without its loops.
			if c := &p.cells[at&(pageBytes-1)>>wordShift]; a.Kind == memory.AccessRead {
				g.read(a, o, dm, local, item, s, at, c)
			} else {
				g.write(a, o, dm, local, item, s, at, c)
			}
			continue
		}
		g.touch(a, o, dm, local, item, s, at)
	}
}

// One tells of an access of one work-item to a.Size bytes at p.
func (g *Group) One(a *Access, p memory.Pointer, item int) {
	o, dm := g.object(p, a.Kind != memory.AccessRead)
	if o == nil || a.Size == 0 || o.size < a.Size || uint64(p.Offset()) > o.size-a.Size {
		return
	}
	if e := g.eventOf(a, dm.clockOf(item)); e != 0 {
		g.touch(a, o, dm, p.Space() == memory.SpaceLocal, item, stamp((g.first+uint64(item))<<eventBits|uint64(e)), uint64(p.Offset()))
	}
}

// touch enters an access to bytes of an object into their cells.
func (g *Group) touch(a *Access, o *object, dm *domain, local bool, item int, s stamp, at uint64) {
	end := at + a.Size
	shift := uint8(min(bits.TrailingZeros64(at|a.Size|1<<wordShift), wordShift))
	for at < end {
		p := &o.pages[at>>pageShift]
		if p.cells == nil || p.shift > shift {
			p = g.d.page(o, at, shift)
		}
		stop := min(end, (at|(pageBytes-1))+1)
		for i := at & (pageBytes - 1) >> p.shift; at < stop; i++ {
			c := &p.cells[i]
			if a.Kind == memory.AccessRead {
				g.read(a, o, dm, local, item, s, at, c)
			} else {
				g.write(a, o, dm, local, item, s, at, c)
			}
			at += 1 << p.shift
		}
	}
}

func (g *Group) read(a *Access, o *object, dm *domain, local bool, item int, s stamp, at uint64, c *cell) {
	if w := c.write; w != 0 && w>>eventBits != s>>eventBits && (w.isList() || !g.quick(dm, local, w)) {
		g.compare(a, o, dm, local, item, s, at, &c.write, memory.AccessWrite)
	}
	if r := c.read; r == 0 || g.replaces(a, dm, local, item, s, r) {
		c.read = s
		return
	}
	g.keep(a, dm, local, item, &c.read, s)
}

func (g *Group) write(a *Access, o *object, dm *domain, local bool, item int, s stamp, at uint64, c *cell) {
	if r := c.read; r != 0 {
		if g.replaces(a, dm, local, item, s, r) {
			c.read = 0
		} else {
			g.compare(a, o, dm, local, item, s, at, &c.read, memory.AccessRead)
			g.keep(a, dm, local, item, &c.read, 0)
		}
	}
	if w := c.write; w == 0 || g.replaces(a, dm, local, item, s, w) {
		c.write = s
		return
	}
	g.compare(a, o, dm, local, item, s, at, &c.write, memory.AccessWrite)
	g.keep(a, dm, local, item, &c.write, s)
}

// replaces says that x, which may be a list, is ordered before s, and that whatever races with x races with
// s or has been found: s takes its place. It need not say so where that takes longer to find out.
func (g *Group) replaces(a *Access, dm *domain, local bool, item int, s, x stamp) bool {
	return !x.isList() && (x>>eventBits == s>>eventBits || g.quick(dm, local, x)) && (!a.Atomic || g.covered(a, dm, local, item, x))
}

// covered says that an atomic access may take the place of an earlier one: that one is atomic too and races
// with the same others, or nobody is left who could race with it.
func (g *Group) covered(a *Access, dm *domain, local bool, item int, x stamp) bool {
	e := &g.d.events[x.event()]
	if local && (g.foreign(x) || e.clock < dm.known) {
		return true
	}
	// Where scopes reach less far than the device, others race with one of two atomic operations and not
	// with the other.
	return e.atomic && (!g.d.narrow || !g.foreign(x) && a.Scope >= e.scope && int(x.item()-g.first)/g.subgroup == item/g.subgroup)
}

// quick says that an access, no list, is ordered before whatever the group does next: by a barrier, or
// because LDS belonged to another group then.
func (g *Group) quick(dm *domain, local bool, s stamp) bool {
	if g.foreign(s) {
		return local
	}
	return g.d.events[s.event()].clock < dm.known
}

// compare looks for races of an access with those in a cell.
func (g *Group) compare(a *Access, o *object, dm *domain, local bool, item int, s stamp, at uint64, with *stamp, kind memory.Access) {
	for _, x := range g.d.lists.of(with) {
		if g.bothAtomic(a, item, x) || local && g.foreign(x) || g.before(dm, item, x) {
			continue
		}
		g.found(a, o, item, s, x, kind, at)
	}
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

// keep leaves in a cell the accesses that s does not take the place of, and puts s beside them, unless that
// is 0.
func (g *Group) keep(a *Access, dm *domain, local bool, item int, c *stamp, s stamp) {
	d := g.d
	list := d.lists.of(c)
	if s != 0 && len(list) >= maxPerEvent && g.superfluous(list, s) {
		return
	}
	kept := d.scratch[:0]
	for _, x := range list {
		if (local && g.foreign(x) || g.before(dm, item, x)) && (!a.Atomic || g.covered(a, dm, local, item, x)) {
			continue
		}
		kept = append(kept, x)
	}
	if s != 0 && len(kept) < d.most() {
		kept = append(kept, s)
	}
	d.scratch = kept[:0]
	d.lists.set(c, kept)
}

// most returns how many accesses to one cell are kept.
func (d *Detector) most() int {
	if len(d.synced[inGlobal])+len(d.synced[inLocal]) > 0 {
		return maxFrontier
	}
	return maxList
}

// superfluous says whether a list has enough accesses of the event of s by work-items of the same group, so
// that another one would tell nothing new. Work-items that synchronize alone are looked at one by one.
func (g *Group) superfluous(list []stamp, s stamp) bool {
	if g.domains[inGlobal].apart || g.domains[inLocal].apart {
		return false
	}
	n, others := 0, 0
	for _, x := range list {
		switch {
		case x.event() != s.event():
		case x.item()-g.first < g.items:
			if x.item() == s.item() {
				return true
			}
			n++
		default:
			others++
		}
	}
	return n >= maxPerEvent || n+others >= maxPerEvent && n > 0 || others >= maxPerEvent
}

// found notes a race of an access with an earlier one.
func (g *Group) found(a *Access, o *object, item int, s, earlier stamp, kind memory.Access, at uint64) {
	d := g.d
	e, f := &d.events[s.event()], &d.events[earlier.event()]
	if (e.clock == endless || f.clock == endless) && !g.foreign(earlier) {
		return // of a copy and its own group: package dma finds these
	}
	if f.atomic {
		kind = memory.AccessAtomic
	}
	mine := a.Kind
	if a.Atomic {
		mine = memory.AccessAtomic
	}
	x, y := side{e.launch, e.pc, mine}, side{f.launch, f.pc, kind}
	key := pair{x, y, o}
	swap := cmp.Or(cmp.Compare(y.launch, x.launch), cmp.Compare(y.pc, x.pc), cmp.Compare(y.kind, x.kind)) < 0
	if swap {
		key.a, key.b = y, x
	}
	r := d.last
	if r == nil || d.lastKey != key {
		if r = d.races[key]; r == nil {
			if len(d.races) >= maxRaces {
				d.full = true
				return
			}
			r = &Race{A: d.party(s, e, mine), B: d.party(earlier, f, kind), Pointer: o.pointer.Add(int64(at)), Size: a.Size, Same: true, Image: o.image}
			r.Barrier = r.A.Launch == r.B.Launch && r.A.Group == r.B.Group && e.barriers != f.barriers
			if r.B.Access != memory.AccessRead && (r.A.Access == memory.AccessRead || r.B.PC > r.A.PC) {
				r.A, r.B = r.B, r.A
			}
			d.races[key] = r
		}
		d.last, d.lastKey = r, key
	}
	r.Count++
	if r.Same = r.Same && a.Kind == memory.AccessWrite && kind == memory.AccessWrite && g.Same != nil; r.Same {
		other := -1
		if !g.foreign(earlier) && e.pc == f.pc {
			other = int(earlier.item() - g.first)
		}
		r.Same = g.Same(item, other)
	}
}

func (d *Detector) party(s stamp, e *event, kind memory.Access) Party {
	sp := d.spanOf(s.item())
	n := s.item() - sp.first
	return Party{Launch: int(e.launch), Group: n / sp.whole, Item: int(n % sp.whole), PC: int(e.pc), Access: kind}
}

// Races returns the races that were found, in an order that does not depend on that of the launch's
// work-groups: by the memory, and the places of the instructions. Complete is false when there was more
// than is kept.
func (d *Detector) Races() (list []*Race, complete bool) {
	for _, r := range d.races {
		list = append(list, r)
	}
	slices.SortFunc(list, func(x, y *Race) int {
		return cmp.Or(cmp.Compare(x.Pointer.Space(), y.Pointer.Space()), cmp.Compare(x.Pointer.Alloc(), y.Pointer.Alloc()),
			cmp.Compare(x.A.Launch, y.A.Launch), cmp.Compare(x.A.PC, y.A.PC), cmp.Compare(x.B.Launch, y.B.Launch), cmp.Compare(x.B.PC, y.B.PC),
			cmp.Compare(x.A.Access, y.A.Access), cmp.Compare(x.B.Access, y.B.Access))
	})
	return list, !d.full
}

// Bytes returns the size of the shadow memory.
func (d *Detector) Bytes() uint64 { return d.bytes }
