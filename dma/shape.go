package dma

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/memory"
)

// shape is how the bytes of a group copy lie: planes of lines, in bytes. On
// each side a line is some distance from the one before it, and so is a plane.
type shape struct {
	line          uint64 // bytes of a line
	lines, planes uint64
	dst, src      side
	total         uint64 // bytes to move; less than the product only for lines that overlap
}

// side is one side of a shape: where the first line starts, and the distances
// from line to line and from plane to plane, in bytes.
type side struct {
	at          memory.Pointer
	line, plane uint64
}

// saturated is what sums and products give that 64 bits cannot hold: more than
// any allocation has.
const saturated = ^uint64(0)

func mul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return saturated
	}
	return lo
}

func add(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return saturated
	}
	return sum
}

// overlapBudget is how many bytes a copy whose lines overlap in the destination
// may move, where that is more than the destination has: a bound on the work
// that a single instruction can ask for. What such a copy leaves in memory is
// undefined.
const overlapBudget = 1 << 20

// operands are the operands of a copy with defaults for those that it does not
// have, in elements.
type operands [NumArgs]uint64

func (o *operands) set(c *Copy) {
	*o = c.Args
	has := &c.Spec.Has
	or := func(i int, v uint64) {
		if !has[i] {
			o[i] = v
		}
	}
	or(argDst, 0)
	or(argDstOffset, 0)
	or(argSrc, 0)
	or(argSrcOffset, 0)
	or(argElemBytes, 1)
	or(argElems, 1)
	or(argLines, 1)
	or(argPlanes, 1)
	gap := o[argElems]
	if c.Spec.Dim == 1 {
		gap = 1
	}
	or(argSrcLine, gap)
	or(argDstLine, gap)
	if c.Spec.Dim < 2 {
		o[argLines] = 1
	}
	if c.Spec.Dim < 3 {
		o[argPlanes] = 1
	}
	or(argSrcPlane, mul(o[argSrcLine], o[argLines]))
	or(argDstPlane, mul(o[argDstLine], o[argLines]))
}

// nothing says whether a copy with these operands moves no byte.
func (o *operands) nothing() bool {
	return o[argElemBytes] == 0 || o[argElems] == 0 || o[argLines] == 0 || o[argPlanes] == 0
}

// shape works out how the bytes lie.
func (o *operands) shape(s *shape, dim int) {
	eb := o[argElemBytes]
	s.dst.at = advance(memory.Pointer(o[argDst]), mul(o[argDstOffset], eb))
	s.src.at = advance(memory.Pointer(o[argSrc]), mul(o[argSrcOffset], eb))
	s.line, s.lines, s.planes = mul(o[argElems], eb), o[argLines], o[argPlanes]
	s.dst.line, s.src.line = mul(o[argDstLine], eb), mul(o[argSrcLine], eb)
	s.dst.plane, s.src.plane = mul(o[argDstPlane], eb), mul(o[argSrcPlane], eb)
	if dim == 1 {
		s.line, s.lines = eb, o[argElems]
		if s.dst.line == eb && s.src.line == eb {
			s.line, s.lines = mul(eb, o[argElems]), 1
		}
	}
	s.total = mul(mul(s.line, s.lines), s.planes)
}

// merge makes one line of lines that follow each other without a gap on both
// sides.
func (s *shape) merge() {
	if s.lines == 1 {
		s.dst.line, s.src.line = s.line, s.line
	}
	if s.dst.line == s.line && s.src.line == s.line {
		s.line, s.lines = mul(s.line, s.lines), 1
		if s.planes == 1 || s.dst.plane == s.line && s.src.plane == s.line {
			s.line, s.planes = mul(s.line, s.planes), 1
		} else {
			// Planes of one line are lines of one plane.
			s.lines, s.planes = s.planes, 1
			s.dst.line, s.src.line = s.dst.plane, s.src.plane
		}
	}
	if s.lines == 1 {
		s.dst.line, s.src.line = s.line, s.line
	}
	if s.planes == 1 {
		s.dst.plane, s.src.plane = mul(s.dst.line, s.lines), mul(s.src.line, s.lines)
	}
}

// advance returns p moved by d bytes, where d has no sign.
func advance(p memory.Pointer, d uint64) memory.Pointer {
	if d > math.MaxInt64 {
		return memory.MakePointer(p.Space(), p.Alloc(), memory.FarOffset)
	}
	return p.Add(int64(d))
}

// region returns the allocation that p leads to, or nil.
func (u *Unit) region(p memory.Pointer) *memory.Region {
	switch p.Space() {
	case memory.SpaceGlobal:
		if u.group.Memory != nil {
			return u.group.Memory.Lookup(p.Alloc())
		}
	case memory.SpaceLocal:
		return u.group.LDS.Lookup(p.Alloc())
	}
	return nil
}

// extent returns how many bytes lie from the start of the first line to the
// end of the last.
func (s *shape) extent(d *side) uint64 {
	return add(add(mul(s.planes-1, d.plane), mul(s.lines-1, d.line)), s.line)
}

// bytes returns the memory from the start of a side's first line to the end of
// its last, or what is wrong with the first line, in the order of the copy,
// that is not all inside of its allocation. The shape is not empty.
func (u *Unit) bytes(s *shape, d *side, a memory.Access) ([]byte, *memory.Fault) {
	r := u.region(d.at)
	n := s.extent(d)
	if off := d.at.Offset(); r != nil && !r.Freed && off >= 0 && uint64(off) <= r.Size && n <= r.Size-uint64(off) &&
		r.Allows(a) && !d.at.IsNearNull() {
		return r.Data[off : uint64(off)+n : uint64(off)+n], nil
	}
	f := r.Check(s.offending(d, r), s.line, a)
	if f == nil {
		// The regions of other spaces than these two are never found.
		f = &memory.Fault{Kind: memory.FaultPointer, Access: a, Pointer: d.at, Size: s.line}
	}
	return nil, f
}

// offending returns where the first line starts that does not lie inside of r,
// or the first one of all.
func (s *shape) offending(d *side, r *memory.Region) memory.Pointer {
	off := d.at.Offset()
	if r == nil || off < 0 || uint64(off) > r.Size || s.line > r.Size-uint64(off) {
		return d.at
	}
	room := r.Size - uint64(off) - s.line // how far the start of a line may be
	inPlane := mul(s.lines-1, d.line)     // the start of a plane's last line
	p, l := uint64(0), uint64(0)
	if inPlane <= room {
		// Whole planes are inside until the last line of one is not. A distance
		// of 0 would never lead outside.
		if d.plane == 0 {
			return d.at
		}
		p = (room-inPlane)/d.plane + 1
		if p >= s.planes {
			return d.at
		}
	}
	start := mul(p, d.plane)
	if start <= room {
		l = (room-start)/d.line + 1 // the last line is outside, so d.line is not 0
	}
	return advance(d.at, add(start, mul(l, d.line)))
}
