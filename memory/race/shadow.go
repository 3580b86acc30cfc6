package race

import (
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

// cell has the accesses to a piece of memory: writes and reads, each none, a stamp or a list.
type cell struct{ write, read stamp }

const (
	pageShift = 8 // bytes of memory in a page, as a power of two
	pageBytes = 1 << pageShift
	wordShift = 2 // a new page has a cell for each four bytes
)

// page has the cells of a page of memory; shift says of how many bytes each is.
type page struct {
	shift uint8
	cells []cell
}

// object is an allocation: a buffer, a variable, an allocation of LDS.
type object struct {
	pointer memory.Pointer // to its start
	size    uint64
	pages   []page
	image   bool // elements of an image
}

func newObject(p memory.Pointer, size uint64) *object {
	return &object{pointer: p, size: size, pages: make([]page, (size+pageBytes-1)/pageBytes)}
}

// page returns the page that an offset is in, with cells of at most so many bytes.
func (d *Detector) page(o *object, off uint64, shift uint8) *page {
	p := &o.pages[off>>pageShift]
	switch {
	case p.cells == nil:
		p.shift = min(shift, wordShift)
		p.cells = make([]cell, pageBytes>>p.shift)
		d.bytes += uint64(len(p.cells)) * uint64(unsafe.Sizeof(cell{}))
	case shift < p.shift:
		d.refine(p, shift)
	}
	return p
}

// refine makes the cells of a page smaller.
func (d *Detector) refine(p *page, shift uint8) {
	cells := make([]cell, pageBytes>>shift)
	n := 1 << (p.shift - shift)
	for i, c := range p.cells {
		for j := range n {
			to := &cells[i*n+j]
			*to = c
			if j > 0 {
				to.write, to.read = d.lists.clone(c.write), d.lists.clone(c.read)
			}
		}
	}
	d.bytes += uint64(len(cells)-len(p.cells)) * uint64(unsafe.Sizeof(cell{}))
	p.shift, p.cells = shift, cells
}

// lists has the lists of stamps of all cells, by number.
type lists struct {
	all  [][]stamp
	free []uint32
}

// of returns the stamps that s stands for. The slice is valid until the next change of s.
func (l *lists) of(s *stamp) []stamp {
	switch {
	case *s == 0:
		return nil
	case s.isList():
		return l.all[*s&^listBit]
	}
	return unsafe.Slice(s, 1)
}

// set makes s stand for stamps.
func (l *lists) set(s *stamp, list []stamp) {
	switch {
	case s.isList() && len(list) > 1:
		n := *s &^ listBit
		l.all[n] = append(l.all[n][:0], list...)
		return
	case s.isList():
		l.release(*s)
	}
	switch len(list) {
	case 0:
		*s = 0
	case 1:
		*s = list[0]
	default:
		*s = l.make(list)
	}
}

func (l *lists) make(list []stamp) stamp {
	if n := len(l.free); n > 0 {
		i := l.free[n-1]
		l.free = l.free[:n-1]
		l.all[i] = append(l.all[i][:0], list...)
		return listBit | stamp(i)
	}
	l.all = append(l.all, append(make([]stamp, 0, 2), list...))
	return listBit | stamp(len(l.all)-1)
}

func (l *lists) release(s stamp) { l.free = append(l.free, uint32(s)) }

func (l *lists) clone(s stamp) stamp {
	if !s.isList() {
		return s
	}
	return l.make(l.all[s&^listBit])
}
