package dma

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/memory"
)

// Where says which line of a copy it was that may not be read or written, for
// the fault that [Unit.GroupCopy] returned for it: "line 3 of 8", "line 0 of 4 in
// plane 1 of 2", or "element 5 of 16" where a copy has one dimension. Numbers
// start at 0. It is "" where there is only one line, or f is not about a line.
func (c *Copy) Where(f *memory.Fault) string {
	var o operands
	o.set(c)
	if o.nothing() {
		return ""
	}
	var s shape
	o.shape(&s, c.Spec.Dim)
	d := &s.src
	if f.Access != memory.AccessRead {
		d = &s.dst
	}
	by := f.Pointer.Offset() - d.at.Offset()
	if by < 0 || f.Pointer.Offset() == memory.FarOffset || s.lines == 1 && s.planes == 1 {
		return ""
	}
	at, plane, line := uint64(by), uint64(0), uint64(0)
	if s.planes > 1 && d.plane > 0 {
		plane = min(at/d.plane, s.planes-1)
		at -= plane * d.plane
	}
	if d.line > 0 {
		line = min(at/d.line, s.lines-1)
	}
	switch {
	case c.Spec.Dim == 1:
		return fmt.Sprintf("element %d of %d", line, s.lines)
	case s.planes > 1:
		return fmt.Sprintf("line %d of %d in plane %d of %d", line, s.lines, plane, s.planes)
	}
	return fmt.Sprintf("line %d of %d", line, s.lines)
}
