package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Work-groups that stand next to each other mostly access what lies next to each other. What a hyperblock
// outside of loops loads and stores by consecutive indices is therefore fetched for the next work-group but
// one as well. That is a hint to the processor: it finds most of these accesses by itself, but not where each
// row of a small tile is a line.

// regAhead is how many elements that work-group is away.
const regAhead = amd64.R15

// fetched is a pointer, and indices that are alike.
type fetched struct {
	pointer isa.Reg
	indices *alike
}

// fetchAhead fetches what lies as far behind the elements at p as the work-group is away.
func (c *compiler) fetchAhead(g *gathering, p amd64.Reg) {
	if c.ahead == nil || g.in.Space != isa.SpaceGlobal || !addressable(g.in.Scale) {
		return
	}
	f := fetched{g.in.A, c.alike[c.at]}
	if c.ahead[f] {
		return
	}
	c.ahead[f] = true
	c.G(amd64.PREFETCHT0, amd64.B64, amd64.Mem{Base: p, Index: regAhead, Scale: uint8(g.in.Scale), Disp: g.disp})
}
