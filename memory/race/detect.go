package race

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Limits of what is kept.
const (
	// maxFrontier is how many entries of accesses to one cell are kept that nothing orders with one another, maxList
	// how many where races were found, and maxPerEvent how many of them of one instruction at one clock: two by
	// different work-items are enough for any third one.
	maxFrontier = 1 << 10
	maxList     = 16
	maxPerEvent = 2
	maxRaces    = 1 << 12 // different pairs of instructions, for one allocation
	mostEvents  = 1 << 20 // before those are dropped that no cell names any more
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
	copies  copies
	lists   lists
	synced  [numDomains]map[place]*synced
	sent    [numDomains]map[memory.Pointer]*known
	races   map[pair]*Race
	places  map[places]*[pageBytes / 64]uint64 // a bit for each byte that races
	groups  []*Group
	last    *Race // the one that was found last, and its pair
	lastKey pair
	scratch []entry
	spare   []row    // for rows of pages
	two     [2]entry // see entries

	told     int  // how many launches Writes was called for
	anything bool // one of them may write any memory
	paints   bool // one of them may write images

	alone bool   // work-items may synchronize without all others of their group
	bytes uint64 // of shadow memory
	// narrowest is the narrowest scope of atomic operations, where it does not include all that can access the memory.
	narrowest isa.Scope
	missed    Missed

	// Limits: of events, which grows with those that cells name; of events and races, at most.
	mostEvents, maxEvents, maxRaces int
}

// places names a page of memory, of LDS by the launch.
type places struct {
	page   memory.Pointer
	launch uint16
}

// Missed says what a detector had no room for, so that it may have missed races.
type Missed struct {
	Events   bool // instructions at different clocks of work-items
	Pairs    bool // pairs of instructions that race
	Accesses bool // accesses to the same memory that nothing orders with one another
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
// were found.
type Race struct {
	A, B    Party // A is the write, or of two the one later in the kernel
	Pointer memory.Pointer
	Size    uint64 // of the access that was told second, in bytes
	// Bytes is how many bytes of the memory work-items race for, by these two instructions or others. It does
	// not depend on the order in which work-items run.
	Bytes uint64
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
		numbers: map[event]uint32{}, races: map[pair]*Race{}, places: map[places]*[pageBytes / 64]uint64{},
		mostEvents: mostEvents, maxEvents: maxEvents, maxRaces: maxRaces}
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

// Narrow says that a launch has atomic operations with a scope that does not include all work-items that can access the
// memory.
func (d *Detector) Narrow(scope isa.Scope) { d.narrowest = max(d.narrowest, scope) }

// Alone says that work-items of a launch may synchronize with some others of their group and not with the rest, or with
// other groups: by barriers of sub-groups, by fences, by atomic operations with release or acquire, or by pipes. Without
// that, two work-items of a group stand for all that do the same.
func (d *Detector) Alone() { d.alone = true }

// Worker returns a group of a launch, of which none has begun, with LDS of these sizes; hidden says which
// allocations no kernel can name.
func (d *Detector) Worker(launch, subgroup, instructions int, lds []uint64, hidden func(i int) bool) *Group {
	g := &Group{d: d, launch: launch, subgroup: subgroup, whole: d.starts[launch].whole, recent: make([]recent, instructions)}
	for i, size := range lds {
		var o *object
		if !hidden(i) {
			o = d.newObject(memory.MakePointer(memory.SpaceLocal, uint32(i+1), 0), size)
		}
		g.lds = append(g.lds, o)
	}
	d.groups = append(d.groups, g)
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
			o = d.newObject(memory.MakePointer(memory.SpaceGlobal, n, 0), r.Size)
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
		if !d.room() {
			return 0
		}
		n = uint32(len(d.events))
		d.events = append(d.events, e)
		d.numbers[e] = n
	}
	*r = recent{clock, g.barriers, n}
	return n
}

// found notes a race of an access with an earlier one, at a place of the object which has n bytes.
func (g *Group) found(v *visit, earlier stamp, kind memory.Access, at, n uint64) {
	d, a := g.d, v.Access
	e, f := &d.events[v.stamp.event()], &d.events[earlier.event()]
	if (e.clock == endless || f.clock == endless) && !g.foreign(earlier) {
		return // of a copy and its own group: package dma finds these
	}
	g.mark(v.object, at, n)
	if f.atomic {
		kind = memory.AccessAtomic
	}
	mine := a.Kind
	if a.Atomic {
		mine = memory.AccessAtomic
	}
	x, y := side{e.launch, e.pc, mine}, side{f.launch, f.pc, kind}
	key := pair{x, y, v.object}
	swap := cmp.Or(cmp.Compare(y.launch, x.launch), cmp.Compare(y.pc, x.pc), cmp.Compare(y.kind, x.kind)) < 0
	if swap {
		key.a, key.b = y, x
	}
	r := d.last
	if r == nil || d.lastKey != key {
		if r = d.races[key]; r == nil {
			if v.object.races >= d.maxRaces {
				d.missed.Pairs = true
				return
			}
			v.object.races++
			r = &Race{A: d.party(v.stamp, e, mine), B: d.party(earlier, f, kind), Pointer: v.object.pointer.Add(int64(at)), Size: a.Size, Same: true, Image: v.object.image}
			r.Barrier = r.A.Launch == r.B.Launch && r.A.Group == r.B.Group && e.barriers != f.barriers
			if r.B.Access != memory.AccessRead && (r.A.Access == memory.AccessRead || r.B.PC > r.A.PC) {
				r.A, r.B = r.B, r.A
			}
			d.races[key] = r
		}
		d.last, d.lastKey = r, key
	}
	if r.Same = r.Same && a.Kind == memory.AccessWrite && kind == memory.AccessWrite && g.Same != nil; r.Same {
		other := -1
		if !g.foreign(earlier) && e.pc == f.pc {
			other = int(earlier.item() - g.first)
		}
		r.Same = g.Same(v.item, other)
	}
}

// placesOf names the page of memory that a place of an object is in.
func (g *Group) placesOf(o *object, at uint64) places {
	k := places{page: o.pointer.Add(int64(at &^ (pageBytes - 1)))}
	if o.local {
		k.launch = uint16(g.launch)
	}
	return k
}

// races says whether a race was found for a place of an object.
func (g *Group) races(o *object, at uint64) bool {
	bytes := g.d.places[g.placesOf(o, at)]
	return bytes != nil && bytes[at&(pageBytes-1)/64]>>(at%64)&1 != 0
}

// mark notes that bytes of an object race.
func (g *Group) mark(o *object, at, n uint64) {
	d, k := g.d, g.placesOf(o, at)
	bytes := d.places[k]
	if bytes == nil {
		bytes = new([pageBytes / 64]uint64)
		d.places[k] = bytes
	}
	at &= pageBytes - 1
	bytes[at/64] |= (1<<n - 1) << (at % 64)
}

func (d *Detector) party(s stamp, e *event, kind memory.Access) Party {
	sp := d.spanOf(s.item())
	n := s.item() - sp.first
	return Party{Launch: int(e.launch), Group: n / sp.whole, Item: int(n % sp.whole), PC: int(e.pc), Access: kind}
}

// Races returns the races that were found, in an order that does not depend on that of the launch's
// work-groups: by the memory, and the places of the instructions.
func (d *Detector) Races() (list []*Race, missed Missed) {
	count := map[places]uint64{}
	for k, p := range d.places {
		k.page = k.page.Base()
		for _, b := range p {
			count[k] += uint64(bits.OnesCount64(b))
		}
	}
	for _, r := range d.races {
		k := places{page: r.Pointer.Base()}
		if k.page.Space() == memory.SpaceLocal {
			k.launch = uint16(r.A.Launch)
		}
		r.Bytes = count[k]
		list = append(list, r)
	}
	slices.SortFunc(list, func(x, y *Race) int {
		return cmp.Or(cmp.Compare(x.Pointer.Space(), y.Pointer.Space()), cmp.Compare(x.Pointer.Alloc(), y.Pointer.Alloc()),
			cmp.Compare(x.A.Launch, y.A.Launch), cmp.Compare(x.A.PC, y.A.PC), cmp.Compare(x.B.Launch, y.B.Launch), cmp.Compare(x.B.PC, y.B.PC),
			cmp.Compare(x.A.Access, y.A.Access), cmp.Compare(x.B.Access, y.B.Access))
	})
	return list, d.missed
}

// Bytes returns the size of the shadow memory.
func (d *Detector) Bytes() uint64 { return d.bytes }
