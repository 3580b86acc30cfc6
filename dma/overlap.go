package dma

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/memory"
)

// maxPlanes is how many planes that overlap each other are looked at one by
// one. Beyond it such a copy, which is undefined, counts as one that has no gaps.
const maxPlanes = 64

// hit returns the first place at which a side of a shape has bytes of [lo, hi),
// both as offsets in the allocation, and how many lie there in a row.
func (s *shape) hit(d *side, lo, hi uint64) (at, n uint64, ok bool) {
	start := uint64(d.at.Offset())
	if hi <= start {
		return 0, 0, false
	}
	lo, hi = max(lo, start)-start, hi-start
	inPlane := (s.lines-1)*d.line + s.line
	p := uint64(0)
	if lo >= inPlane && d.plane > 0 {
		p = (lo-inPlane)/d.plane + 1
	}
	for tries := 0; p < s.planes && p*d.plane < hi; p++ {
		if tries++; tries > maxPlanes {
			return start + lo, 1, true
		}
		base := p * d.plane
		from, to := max(lo, base)-base, hi-base
		l := uint64(0)
		switch {
		case from < s.line:
		case d.line == 0:
			l = s.lines
		default:
			l = (from-s.line)/d.line + 1
		}
		if l < s.lines && l*d.line < to {
			at = max(l*d.line, from)
			return start + base + at, min(l*d.line+s.line, to) - at, true
		}
		if d.plane == 0 {
			break
		}
	}
	return 0, 0, false
}

// stretches calls f for each stretch of bytes of a side, as offsets in the
// allocation, until it returns false.
func (s *shape) stretches(d *side, f func(lo, hi uint64) bool) {
	start := uint64(d.at.Offset())
	line, lines, planes := s.line, s.lines, s.planes
	if d.line == line {
		line, lines = line*lines, 1
		if d.plane == line {
			line, planes = line*planes, 1
		}
	}
	left := s.total
	for p := range planes {
		for l := range lines {
			if left == 0 {
				return
			}
			lo := start + p*d.plane + l*d.line
			n := min(line, left)
			left -= n
			if !f(lo, lo+n) {
				return
			}
		}
	}
}

// conflict returns a place that the side a of r and the side b of other have in
// common, and how many bytes lie there in a row.
func (r *record) conflict(a bool, other *record, b bool) (at memory.Pointer, n uint64, ok bool) {
	x, y := r.box(a), other.box(b)
	if x.hi == x.lo || y.hi == y.lo || !x.meets(y) {
		return 0, 0, false
	}
	var lo uint64
	alloc := x.alloc
	switch {
	case len(r.lanes) == 0 && len(other.lanes) == 0:
		p, q, d, e := &r.shape, &other.shape, r.side(a), other.side(b)
		if a && b && p.alike(q) {
			return 0, 0, false
		}
		if p.lines*p.planes > q.lines*q.planes {
			p, q, d, e = q, p, e, d
		}
		p.stretches(d, func(from, to uint64) bool {
			lo, n, ok = q.hit(e, from, to)
			return !ok
		})
	case len(r.lanes) == 0:
		return other.conflict(b, r, a)
	case len(other.lanes) == 0:
		for i := range r.lanes {
			l := &r.lanes[i]
			if p := l.at(a); !l.settled && allocOf(p) == y.alloc {
				off := uint64(p.Offset())
				if lo, n, ok = other.shape.hit(other.side(b), off, off+r.size); ok {
					alloc = y.alloc
					break
				}
			}
		}
	default:
		return r.lanesConflict(a, other, b)
	}
	if !ok {
		return 0, 0, false
	}
	return pointerAt(alloc, lo), n, true
}

// pointerAt returns the pointer to an offset of an allocation.
func pointerAt(alloc, off uint64) memory.Pointer {
	return memory.MakePointer(memory.Space(alloc>>memory.AllocBits), uint32(alloc&memory.MaxAllocs), int64(off))
}

// lanesConflict is conflict between two lane copies, or one and itself. Two
// lanes that write the same bytes from the same place do not conflict.
func (r *record) lanesConflict(a bool, other *record, b bool) (at memory.Pointer, n uint64, ok bool) {
	sorted := other.sorted(b)
	from := 0
	for i := range r.lanes {
		l := &r.lanes[i]
		p := l.at(a)
		if l.settled || p == ZeroFill {
			continue
		}
		lo := uint64(p.Offset())
		if sorted && r.sorted(a) {
			// What lies before this lane lies before the next one, too.
			for from < len(other.lanes) && uint64(other.lanes[from].at(b).Offset())+other.size <= lo {
				from++
			}
		}
		for j := from; j < len(other.lanes); j++ {
			m := &other.lanes[j]
			q := m.at(b)
			if m.settled || q == ZeroFill || allocOf(p) != allocOf(q) || l == m && a == b {
				continue
			}
			off := uint64(q.Offset())
			if sorted && off >= lo+r.size {
				break
			}
			if off >= lo+r.size || lo >= off+other.size {
				continue
			}
			if a && b && (l.src == ZeroFill && m.src == ZeroFill || l.src-l.dst == m.src-m.dst) {
				continue
			}
			start := max(lo, off)
			return pointerAt(allocOf(p), start), min(lo+r.size, off+other.size) - start, true
		}
	}
	return 0, 0, false
}

func (l *laneRef) at(dst bool) memory.Pointer {
	if dst {
		return l.dst
	}
	return l.src
}

func (r *record) sorted(dst bool) bool {
	if dst {
		return r.dstSorted
	}
	return r.srcSorted
}

func (r *record) box(dst bool) *box {
	if dst {
		return &r.dst
	}
	return &r.src
}

func (r *record) side(dst bool) *side {
	if dst {
		return &r.shape.dst
	}
	return &r.shape.src
}

// alike says whether two copies bring each byte that both write from the same
// place.
func (s *shape) alike(o *shape) bool {
	if s.src.at-s.dst.at != o.src.at-o.dst.at {
		return false
	}
	one := func(s *shape) bool { return s.lines == 1 && s.planes == 1 }
	return one(s) && one(o) ||
		s.dst.line == s.src.line && o.dst.line == o.src.line && s.dst.plane == s.src.plane && o.dst.plane == o.src.plane ||
		s.dst.at == o.dst.at && s.line == o.line && s.dst.line == o.dst.line && s.src.line == o.src.line && s.dst.plane == o.dst.plane && s.src.plane == o.src.plane
}

// setLanes fills in where the lanes of a copy lie.
func (r *record) setLanes() {
	for i := range r.lanes {
		l := &r.lanes[i]
		r.dst.grow(boxAt(l.dst, r.size))
		if l.src != ZeroFill {
			r.src.grow(boxAt(l.src, r.size))
		}
	}
	// Only lanes in one allocation are in an order of use.
	r.dstSorted = !r.dst.mixed && slices.IsSortedFunc(r.lanes, func(a, b laneRef) int { return order(a.dst, b.dst) })
	r.srcSorted = !r.src.mixed && slices.IsSortedFunc(r.lanes, func(a, b laneRef) int { return order(a.src, b.src) })
}

func order(a, b memory.Pointer) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
