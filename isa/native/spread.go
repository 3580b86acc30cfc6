package native

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// A hyperblock gives scalars to all lanes of a register before the first group, as far as registers are to
// spare: to broadcast them from memory takes a load for each group and use.

// maxSpread is how many registers that may be, of the 32.
const maxSpread = 12

// prepareSpreads finds the scalars that are used most. skip says which instructions have no use for vectors.
func (c *hyper) prepareSpreads(skip func(i int) bool) {
	if !c.set.broadcasts() {
		return
	}
	uses := map[spread]int{}
	var list []spread
	note := func(r isa.Reg, t isa.Type) {
		if x := (spread{r, t.Bank()}); r.IsScalar() && t != isa.B1 && !narrow(t) {
			if uses[x]++; uses[x] == 1 {
				list = append(list, x)
			}
		}
	}
	floats := false
	for i := range c.run.Code {
		in := &c.run.Code[i]
		switch {
		case skip(i):
		case in.Op == isa.OpStore:
			note(in.C, in.Type)
		case !accessesMemory(in):
			c.run.Kernel().Operands(in, note)
			floats = floats || in.Type == isa.F32
		}
	}
	slices.SortStableFunc(list, func(a, b spread) int { return uses[b] - uses[a] })
	c.spreads = map[spread]amd64.Vec{}
	for _, x := range list[:min(len(list), maxSpread-1)] {
		c.spreads[x] = c.vec()
		t := typeOf(x.bank)
		c.V(opSpread.of(t), c.width(t), c.spreads[x], scalar(x.scalar))
		c.Rematerialise(c.spreads[x])
	}
	if floats {
		c.nan = c.vec()
		c.hasNaN = true
		c.V(opSpread.of(isa.F32), c.width(isa.F32), c.nan, c.number(isa.F32, canonicalNaN(isa.F32)))
	}
}
