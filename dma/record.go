package dma

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// What the checks remember at most. Of more outstanding transfers the oldest are
// forgotten: what a kernel does wrong with those is not found.
const (
	maxRecords     = 4096
	maxRecordLanes = 1 << 18 // of lane copies, in all
)

// record is what the checks know of a transfer that is outstanding for somebody.
type record struct {
	info
	dst, src box
	number   uint32 // among those of Races, 0 for none

	// Group copies.
	spec    *CopySpec
	args    operands
	given   uint64 // event operand
	shape   shape
	arrived bitset // work-items that encountered it
	waited  bitset // those of them that waited since
	// How many there are, and the instruction that the first waited at.
	nArrived, nWaited, waitPC int
	partial                   bool    // it was reported that not all came to it
	raced                     bool    // it was reported that its memory was used without a barrier
	race                      *Detail // of that, where the sink wanted it

	// Lane copies.
	seq       uint64           // among those of its wave
	epoch     [numKinds]uint32 // the shadow's, at the issue
	lanes     []laneRef
	size      uint64
	open      int // lanes that are outstanding
	dstSorted bool
	srcSorted bool
}

// laneRef is a lane of a lane copy.
type laneRef struct {
	item     int
	dst, src memory.Pointer
	settled  bool // the work-item knows it to be done
}

// box is where a side of a transfer lies at most: bytes from lo up to hi of an
// allocation. A side of nothing has hi == lo.
type box struct {
	alloc  uint64 // space and number
	lo, hi uint64
	mixed  bool // there are other allocations, too
}

func allocOf(p memory.Pointer) uint64 { return uint64(p) >> memory.OffsetBits }

// boxAt returns the n bytes at p.
func boxAt(p memory.Pointer, n uint64) box {
	off := uint64(p.Offset())
	return box{alloc: allocOf(p), lo: off, hi: add(off, n)}
}

func (b *box) meets(c *box) bool {
	return b.mixed || c.mixed || b.alloc == c.alloc && b.lo < c.hi && c.lo < b.hi
}

// grow makes the box hold c too.
func (b *box) grow(c box) {
	if b.hi == b.lo {
		*b = c
		return
	}
	b.lo, b.hi = min(b.lo, c.lo), max(b.hi, c.hi)
	b.mixed = b.mixed || b.alloc != c.alloc
}

// checker is what the checks know of a work-group.
type checker struct {
	group   *Group
	records []*record // outstanding, in the order of issue
	lanes   int       // of lane copies among them
	free    []*record
	shadow  shadow
	sink    Sink
}

func (c *checker) reset(g *Group, s Sink) {
	c.group, c.sink, c.shadow.sink = g, s, s
	c.drop()
	c.shadow.reset(g)
}

// drop forgets all records.
func (c *checker) drop() {
	for i, r := range c.records {
		c.give(r)
		c.records[i] = nil
	}
	c.records = c.records[:0]
}

// take returns a record for a transfer of which so many lanes are to be
// remembered, and makes room for it.
func (c *checker) take(lanes int) *record {
	for len(c.records) > 0 && (len(c.records) >= maxRecords || c.lanes+lanes > maxRecordLanes) {
		n := max(1, len(c.records)/8) // a few at once, so that this stays rare
		for _, r := range c.records[:n] {
			if r.number != 0 {
				c.group.Races.Forget(r.number)
			}
			c.give(r)
		}
		c.sink.Missed(MissedTransfers)
		c.records = slices.Delete(c.records, 0, n)
	}
	var r *record
	if n := len(c.free); n > 0 {
		r = c.free[n-1]
		c.free = c.free[:n-1]
	} else {
		r = new(record)
	}
	*r = record{arrived: r.arrived[:0], waited: r.waited[:0], lanes: r.lanes[:0]}
	return r
}

// give keeps a record for later use.
func (c *checker) give(r *record) {
	c.lanes -= len(r.lanes)
	r.id = 0
	c.free = append(c.free, r)
}

// filter keeps the records that f wants to keep.
func (c *checker) filter(f func(r *record) bool) {
	keep := c.records[:0]
	for _, r := range c.records {
		if f(r) {
			keep = append(keep, r)
		} else {
			c.give(r)
		}
	}
	clear(c.records[len(keep):])
	c.records = keep
}

// told returns a transfer as sinks see it. Of a lane copy that is the part that
// the sub-group of a work-item made, so that it does not matter how many
// sub-groups ride in a wave. What depends on when bytes move is left out.
func (r *record) told(g *Group, item int) Transfer {
	t := Transfer{ID: r.id, PC: r.pc, Name: r.name, Wave: r.wave, Dst: r.info.dst, Src: r.info.src, Bytes: r.total,
		Lines: r.lines, Planes: r.planes, Event: r.event, Async: r.async}
	if r.event != 0 {
		t.Items = r.arrived.spans(g.Items, true)
		return t
	}
	t.Bytes = 0
	for i := range r.lanes {
		l := &r.lanes[i]
		if l.item/g.SubgroupSize != item/g.SubgroupSize {
			continue
		}
		if t.Bytes == 0 {
			t.Dst, t.Src = l.dst, l.src
		}
		t.Bytes += r.size
		t.Items = t.Items.Add(uint64(l.item))
	}
	return t
}

// user returns the first work-item of a lane copy one of whose sides has the
// byte at p; the first that has a part in any other transfer.
func (r *record) user(p memory.Pointer) int {
	for i := range r.lanes {
		l := &r.lanes[i]
		b := boxAt(p, 1)
		if !l.settled && (l.meets(l.dst, r.size, &b) || l.meets(l.src, r.size, &b)) {
			return l.item
		}
	}
	if len(r.lanes) > 0 {
		return r.lanes[0].item
	}
	return r.arrived.first()
}

// operandSet returns operands as sinks see them.
func operandSet(pc int, spec *CopySpec, o *operands, event uint64, items finding.Spans) OperandSet {
	set := OperandSet{Items: items, PC: pc, Name: spec.Name}
	for i, v := range o {
		if spec.Has[i] {
			set.Args = append(set.Args, NamedArg{Name: argNames[i], Value: v, Pointer: i == argDst || i == argSrc})
		}
	}
	set.Args = append(set.Args, NamedArg{Name: "event", Value: event})
	return set
}
