package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// A hyperblock gives scalars to all lanes of a register before the first group, as far as registers are to
// spare: to broadcast them from memory takes a load for each group and use.

// maxSpread is how many registers that may be, of the 32.
const maxSpread = 12

// prepareSpreads finds the scalars that are used most. skip says which instructions have no use for vectors.
func (c *hyper) prepareSpreads(skip func(i int) bool) {
	if !c.ISA.Broadcasts() {
		return
	}
	uses := map[x86.Spread]int{}
	var list []x86.Spread
	note := func(r isa.Reg, t isa.Type) {
		if x := (x86.Spread{Scalar: r, Bank: t.Bank()}); r.IsScalar() && t != isa.B1 && !x86.Narrow(t) {
			if uses[x]++; uses[x] == 1 {
				list = append(list, x)
			}
		}
	}
	floats := false
	for i := range c.Run.Code {
		in := &c.Run.Code[i]
		switch {
		case skip(i):
		case in.Op == isa.OpStore:
			note(in.C, in.Type)
		case !x86.AccessesMemory(in):
			c.Run.Kernel().Operands(in, note)
			floats = floats || in.Type == isa.F32
		}
	}
	slices.SortStableFunc(list, func(a, b x86.Spread) int { return uses[b] - uses[a] })
	c.Spreads = map[x86.Spread]amd64.Vec{}
	for _, x := range list[:min(len(list), maxSpread-1)] {
		c.Spreads[x] = c.Vec()
		t := x86.TypeOf(x.Bank)
		c.V(x86.OpSpread.Of(t), c.Width(t), c.Spreads[x], x86.Scalar(x.Scalar))
		c.Rematerialise(c.Spreads[x])
	}
	if floats {
		c.NaN = c.Vec()
		c.HasNaN = true
		c.V(x86.OpSpread.Of(isa.F32), c.Width(isa.F32), c.NaN, c.Number(isa.F32, x86.CanonicalNaN(isa.F32)))
	}
}
