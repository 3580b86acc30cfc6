package debug

import (
	"math"
	"strconv"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Underlying returns the type behind typedefs and qualifiers.
func (t *Type) Underlying() *Type { return t.strip() }

// Extent returns how many bytes there are from where a pointer leads to the end of its allocation; 0 where
// there is no memory.
func (s *Session) Extent(p memory.Pointer) uint64 {
	size := uint64(0)
	switch p.Space() {
	case memory.SpacePrivate:
		if n := int(p.Alloc()) - 1; n >= 0 && n < len(s.kernel.Private) {
			size = s.kernel.Private[n].Size
		}
	case memory.SpaceGlobal:
		if r := s.mem.Lookup(p.Alloc()); r != nil && !r.Freed {
			size = uint64(len(r.Data))
		}
	case memory.SpaceLocal:
		if g, ok := s.stepper.Group(); ok && !s.ended {
			if r := g.LDS.Lookup(p.Alloc()); r != nil {
				size = uint64(len(r.Data))
			}
		}
	}
	if off := p.Offset(); off >= 0 && uint64(off) <= size {
		return size - uint64(off)
	}
	return 0
}

// NumElements returns how many elements there are from where a pointer leads to the end of its allocation.
func (s *Session) NumElements(v Value) int {
	t := v.Type.strip()
	if t.Kind != isa.DebugPointer || t.Elem == nil || t.Elem.Size == 0 {
		return 0
	}
	return int(min(s.Extent(s.pointerOf(v))/t.Elem.Size, math.MaxInt32))
}

// Elements returns what a pointer leads to, as an array up to the end of its allocation: n elements from
// first on.
func (s *Session) Elements(v Value, first, n int) (list []Child) {
	t := v.Type.strip()
	all := s.NumElements(v)
	for i := max(first, 0); i < all && i-first < n; i++ {
		at := s.pointerOf(v).Add(int64(i) * int64(t.Elem.Size))
		x, err := s.load(t.Elem, lead(at, v.item), v.item)
		list = append(list, Child{Name: "[" + strconv.Itoa(i) + "]", Value: x, Err: err})
	}
	return list
}

// Reload returns what is now where a value was read.
func (s *Session) Reload(v Value) Value {
	if v.at.kind == placeNone {
		return v
	}
	if p, err := s.readAt(v.at, len(v.Bytes)); err == nil {
		v.Bytes = p
	}
	return v
}

// Assign changes a value that is in memory or in a register to that of an expression, for the work-item and
// the frame that are looked at. The launch goes on with it, and does so again whenever it comes here.
func (s *Session) Assign(x Value, text string) (Value, error) {
	y, err := s.Evaluate(text)
	if err != nil {
		return y, err
	}
	v, err := s.evaluation(s.item, s.frame)
	if err != nil {
		return x, err
	}
	if x.at.kind == placeNone && x.copied.kind == placePrivate {
		return x, bad("the variable has no memory, for the module's compiler has optimized it, so that it cannot be set")
	}
	if x.at.kind == placeNone {
		return x, bad("the value is not in memory, so that it cannot be set")
	}
	if x.Bit.Bits > 0 {
		return x, bad("the value is a bit-field, which cannot be set")
	}
	if y, err = v.convert(y, x.Type); err != nil {
		return y, err
	}
	if err := s.SetBytes(x, y.Bytes); err != nil {
		return y, err
	}
	y.at, y.item = x.at, x.item
	return y, nil
}

// argumentType returns the type of the kernel's parameter, by its number; nil where the debug information has
// none.
func (s *Session) argumentType(i int) *Type {
	d := s.kernel.Debug
	if d == nil {
		return nil
	}
	for n := range d.Vars {
		if v := &d.Vars[n]; int(v.Arg) == i+1 && v.At == 0 {
			return s.info.types[v.Type]
		}
	}
	return nil
}
