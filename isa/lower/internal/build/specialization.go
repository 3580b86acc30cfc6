package build

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
)

// checkSpecialization refuses what no launch of the kernel can be.
func (b *Builder) checkSpecialization(s *isa.Specialization) {
	fail := func(format string, args ...any) {
		panic(&Error{Reason: fmt.Sprintf("kernel %s cannot be specialized: %s", b.Kernel.Name, fmt.Sprintf(format, args...))})
	}
	if s.Dim < 0 || s.Dim > 3 {
		fail("%d dimensions; there are 1 to 3", s.Dim)
	}
	for d := range 3 {
		switch {
		case s.Local != nil && s.Local[d] == 0:
			fail("local size 0 in dimension %d", d)
		case s.Local != nil && s.Local[d] > isa.MaxGroupItems:
			fail("local size %d in dimension %d", s.Local[d], d)
		case s.Global != nil && s.Offset != nil && s.Offset[d]+s.Global[d] < s.Global[d]:
			fail("global size %d with offset %d in dimension %d: ids do not fit", s.Global[d], s.Offset[d], d)
		case s.Dim != 0 && d >= s.Dim && (s.Global != nil && s.Global[d] != 1 || s.Local != nil && s.Local[d] != 1 || s.Offset != nil && s.Offset[d] != 0):
			fail("%d dimensions, and a size or an offset in dimension %d", s.Dim, d)
		}
	}
	if r := b.Kernel.ReqdLocalSize; s.Local != nil && r != [3]uint32{} && r != *s.Local {
		fail("local size %v, but the module requires %v", *s.Local, r)
	}
	for i, a := range s.Args {
		if a.Param < 0 || a.Param >= len(b.Kernel.Params) {
			fail("parameter %d of %d", a.Param, len(b.Kernel.Params))
		}
		p := &b.Kernel.Params[a.Param]
		if p.Kind != isa.ParamValue {
			fail("parameter %d %q is not passed by value", a.Param, p.Name)
		}
		if uint64(len(a.Value)) != p.Size {
			fail("%d bytes for parameter %d %q, which has %d", len(a.Value), a.Param, p.Name, p.Size)
		}
		for _, o := range s.Args[:i] {
			if o.Param == a.Param {
				fail("two values for parameter %d %q", a.Param, p.Name)
			}
		}
	}
}
