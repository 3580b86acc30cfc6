package plan

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Copy is a copy of the work-group whose operands are scalars. Machine code may make it where Frame.Active is
// Frame.All: then all work-items have come to it, and to those before it, together, copies are made at once,
// and nobody watches. An event of 0 makes a new one, which is one more than the number at Frame.Event and
// goes there, too, unless it is 2³²; another event is the result itself.
type Copy struct {
	*isa.GroupCopy
	Event isa.Reg // the result, a scalar or isa.None
	// To and From are the places of the destination and the source, one in global memory and one in LDS:
	// the reference engine sees to that when it fills in their slots. Only Key, Base and Last of these
	// count; Last is the last byte.
	To, From wave.Place
}

// copyOf returns what machine code has to know of a copy, or nil if that is nothing for it.
func (d *planner) copyOf(in *isa.Inst) *Copy {
	c := &Copy{GroupCopy: &d.kernel.GroupCopies[in.Imm], Event: in.Dst}
	for _, r := range c.Args {
		if r.IsVector() {
			return nil
		}
	}
	if in.Dst.IsVector() || !c.Args[isa.CopyDst].IsScalar() || !c.Args[isa.CopySrc].IsScalar() {
		return nil
	}
	d.copies++
	side := func(arg isa.CopyArg, op isa.Op) wave.Place {
		access := &isa.Inst{Op: op, Type: isa.I8, A: c.Args[arg], Space: isa.SpaceGeneric}
		var list []wave.Place
		// The slots of a copy are its own: they are filled in together.
		d.place(&list, placeKey{pointer: access.A, size: 1, scale: 1, most: math.MaxInt32, write: op == isa.OpStore, nth: -d.copies}, access)
		return list[0]
	}
	c.To, c.From = side(isa.CopyDst, isa.OpStore), side(isa.CopySrc, isa.OpLoad)
	return c
}
