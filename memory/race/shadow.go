package race

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// A stamp is an access: who, and which event. The highest bit says that it is the number of a list of stamps.
type stamp uint64

const (
	eventBits = 28
	listBit   = 1 << 63

	maxEvents = 1<<eventBits - 1
	maxItems  = 1 << (63 - eventBits)
)

func (s stamp) item() uint64  { return uint64(s) >> eventBits }
func (s stamp) event() uint32 { return uint32(s) & maxEvents }
func (s stamp) isList() bool  { return s&listBit != 0 }

// event is what the accesses of one instruction at one clock have in common.
type event struct {
	clock    uint32
	pc       int32
	barriers uint32 // that the group had passed, whatever they order
	launch   uint16
	atomic   bool
	scope    isa.Scope // of an atomic access
}

// like says whether the accesses of two events race with the same others.
func (e *event) like(f *event) bool {
	return e.clock == f.clock && e.barriers == f.barriers && e.launch == f.launch && e.atomic == f.atomic && e.scope == f.scope
}

// cell has the accesses to a piece of memory: writes and reads, each none, a stamp or a list.
type cell struct{ write, read stamp }

const (
	pageShift = 8 // bytes of memory in a page, as a power of two
	pageBytes = 1 << pageShift
	wordShift = 2 // a new page has a cell for each four bytes
	pageWords = pageBytes >> wordShift

	firstRows, maxRows = 2, 16 // for how many rows of a kind a page has room, at first and at most
)

// page has the accesses to a page of memory: in rows, or in cells where they do not follow each other like that.
type page struct {
	inCells bool
	listed  bool  // some cell may have a list
	shift   uint8 // of how many bytes a cell is
	cells   []cell
	// more is nil, or has the second of two accesses that a cell has the first of. Where there are more than
	// two, the cell has a list.
	more []cell

	writes, reads []row  // at most maxRows each
	epoch         uint64 // of LDS: that of the group's accesses
}

// row is the accesses to those words of a page that mask names: word i was accessed by the work-item that follows
// the one of word i-1. from is the stamp of word 0, also where mask does not name it.
type row struct {
	from stamp
	mask uint64
}

// of returns the stamp of word i.
func (r *row) of(i int) stamp {
	if r.mask>>i&1 == 0 {
		return 0
	}
	return r.from + stamp(i)<<eventBits
}

// maskOf returns the words that rows name.
func maskOf(rows []row) (mask uint64) {
	for i := range rows {
		mask |= rows[i].mask
	}
	return mask
}

// without takes words from rows.
func without(rows []row, mask uint64) []row {
	n := 0
	for _, r := range rows {
		if r.mask &^= mask; r.mask != 0 {
			rows[n] = r
			n++
		}
	}
	return rows[:n]
}

// object is an allocation: a buffer, a variable, an allocation of LDS.
type object struct {
	pointer memory.Pointer // to its start
	size    uint64
	local   bool
	pages   []page
	races   int  // pairs of instructions
	image   bool // elements of an image
}

// newObject returns an allocation that nobody has accessed.
func (d *Detector) newObject(p memory.Pointer, size uint64) *object {
	o := &object{pointer: p, size: size, local: p.Space() == memory.SpaceLocal, pages: make([]page, (size+pageBytes-1)/pageBytes)}
	d.bytes += uint64(len(o.pages)) * uint64(unsafe.Sizeof(page{}))
	return o
}

// page returns the page that an offset is in. What was accessed in LDS before the last barrier, or by another group,
// races with nothing from now on.
func (g *Group) page(o *object, off uint64) *page {
	p := &o.pages[off>>pageShift]
	if o.local && p.epoch != g.epoch {
		p.epoch = g.epoch
		g.d.empty(p)
	}
	return p
}

// empty makes a page one that nobody has accessed.
func (d *Detector) empty(p *page) {
	if p.listed {
		for i := range p.cells {
			for _, s := range [...]stamp{p.cells[i].write, p.cells[i].read} {
				if s.isList() {
					d.lists.release(s)
				}
			}
		}
	}
	p.inCells, p.listed, p.writes, p.reads = false, false, p.writes[:0], p.reads[:0]
}

// fine returns the page with cells of at most so many bytes.
func (d *Detector) fine(p *page, shift uint8) *page {
	if !p.inCells {
		d.unroll(p)
	}
	if shift < p.shift {
		d.refine(p, shift)
	}
	return p
}

// unroll enters the rows of a page into cells.
func (d *Detector) unroll(p *page) {
	p.inCells = true
	if p.cells == nil {
		p.shift = wordShift
		p.cells = d.cells(p.shift)
	} else {
		clear(p.cells)
		clear(p.more)
	}
	n := 1 << (wordShift - p.shift) // cells of a word
	written, read := maskOf(p.writes), maskOf(p.reads)
	for m := written | read; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		c, several := cell{}, false
		if written>>i&1 != 0 {
			c.write = d.rowsOf(p.writes, i)[0].stamp
		}
		if read>>i&1 != 0 {
			list := d.rowsOf(p.reads, i)
			c.read, several = list[0].stamp, len(list) > 1
		}
		for j := i * n; j < (i+1)*n; j++ {
			if p.cells[j] = c; several {
				p.cells[j].read = 0
				d.set(slot{p, j, false}, d.scratch)
			}
		}
	}
	p.writes, p.reads = p.writes[:0], p.reads[:0]
}

// rowsOf returns the accesses that rows have to a word, the earliest first: of one work-item the latest only, and of one
// event as many as a cell keeps. They are d.scratch.
func (d *Detector) rowsOf(rows []row, word int) []entry {
	list := d.scratch[:0]
next:
	for i := range rows {
		s := rows[i].of(word)
		if s == 0 {
			continue
		}
		same := 0
		for j := range list {
			x := &list[j]
			if x.item() == s.item() {
				x.stamp = s
				continue next
			}
			if x.event() == s.event() {
				same++
			}
		}
		if d.alone || same < maxPerEvent {
			list = append(list, entry{s, 1})
		}
	}
	d.scratch = list
	return list
}

// cells returns the cells of a page.
func (d *Detector) cells(shift uint8) []cell {
	c := make([]cell, pageBytes>>shift)
	d.bytes += uint64(len(c)) * uint64(unsafe.Sizeof(cell{}))
	return c
}

// addRow puts a row behind others. It says whether there was room.
func (d *Detector) addRow(rows *[]row, r row) bool {
	if n := len(*rows); n == cap(*rows) {
		if n >= maxRows {
			return false
		}
		grown := d.spare
		more := max(firstRows, 2*n)
		if len(grown) < more {
			grown = make([]row, 256)
		}
		d.spare = grown[more:]
		d.bytes += uint64(more-n) * uint64(unsafe.Sizeof(row{}))
		*rows = append(grown[:0:more], *rows...)
	}
	*rows = append(*rows, r)
	return true
}

// second returns the second accesses of the cells of a page.
func (d *Detector) second(p *page) []cell {
	if p.more == nil {
		p.more = d.cells(p.shift)
	}
	return p.more
}

// refine makes the cells of a page smaller.
func (d *Detector) refine(p *page, shift uint8) {
	n := 1 << (p.shift - shift)
	split := func(old []cell) []cell {
		if old == nil {
			return nil
		}
		cells := d.cells(shift)
		d.bytes -= uint64(len(old)) * uint64(unsafe.Sizeof(cell{}))
		for i, c := range old {
			for j := range n {
				to := &cells[i*n+j]
				*to = c
				if j > 0 {
					to.write, to.read = d.lists.clone(c.write), d.lists.clone(c.read)
				}
			}
		}
		return cells
	}
	p.cells, p.more = split(p.cells), split(p.more)
	p.shift = shift
}

// slot is where a cell of a page has its writes, or its reads.
type slot struct {
	page  *page
	cell  int
	write bool
}

// first returns the place of the first access, or of the list.
func (s slot) first() *stamp {
	c := &s.page.cells[s.cell]
	if s.write {
		return &c.write
	}
	return &c.read
}

// second returns the place of the second access, nil where the page has none.
func (s slot) second() *stamp {
	if s.page.more == nil {
		return nil
	}
	c := &s.page.more[s.cell]
	if s.write {
		return &c.write
	}
	return &c.read
}

// entries returns the accesses of a slot. They are valid until the next change of a slot.
func (d *Detector) entries(s slot) []entry {
	first := s.first()
	switch {
	case *first == 0:
		return nil
	case first.isList():
		return d.lists.all[*first&^listBit]
	}
	d.two[0] = entry{*first, 1}
	if two := s.second(); two != nil && *two != 0 {
		d.two[1] = entry{*two, 1}
		return d.two[:]
	}
	return d.two[:1]
}

// set makes entries the accesses of a slot.
func (d *Detector) set(s slot, list []entry) {
	first := s.first()
	single := len(list) <= 2
	for i := range list {
		// That of one work-item is a stamp.
		e := &list[i]
		if n := bits.TrailingZeros64(e.mask); e.mask == 1<<n {
			*e = entry{e.of(n), 1}
		} else {
			single = false
		}
	}
	if first.isList() {
		if !single {
			n := *first &^ listBit
			d.lists.all[n] = append(d.lists.all[n][:0], list...)
			return
		}
		d.lists.release(*first)
	}
	var one, two stamp
	switch {
	case len(list) == 0:
	case !single:
		one = d.lists.make(list)
		s.page.listed = true
	case len(list) == 1:
		one = list[0].stamp
	default:
		one, two = list[0].stamp, list[1].stamp
		d.second(s.page)
	}
	*first = one
	if p := s.second(); p != nil {
		*p = two
	}
}

// entry is accesses of one event by work-items of a group: for each bit i of mask, by the one i behind that of the stamp.
type entry struct {
	stamp
	mask uint64
}

// of returns the stamp of bit i.
func (e *entry) of(i int) stamp { return e.stamp + stamp(i)<<eventBits }

// lists has the lists of all cells, by number.
type lists struct {
	all  [][]entry
	free []uint32
}

func (l *lists) make(list []entry) stamp {
	if n := len(l.free); n > 0 {
		i := l.free[n-1]
		l.free = l.free[:n-1]
		l.all[i] = append(l.all[i][:0], list...)
		return listBit | stamp(i)
	}
	l.all = append(l.all, append(make([]entry, 0, 4), list...))
	return listBit | stamp(len(l.all)-1)
}

func (l *lists) release(s stamp) { l.free = append(l.free, uint32(s)) }

func (l *lists) clone(s stamp) stamp {
	if !s.isList() {
		return s
	}
	return l.make(l.all[s&^listBit])
}

// words returns the mask of n words, at least one, from word i of a page.
func words(i, n int) uint64 { return ^uint64(0) >> (pageWords - n) << i }
