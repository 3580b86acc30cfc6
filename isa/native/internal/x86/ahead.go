package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Work-groups that stand next to each other mostly access what lies next to each other. What a hyperblock
// outside of loops loads and stores by consecutive indices is therefore fetched for the next work-group but
// one as well. That is a hint to the processor: it finds most of these accesses by itself, but not where each
// row of a small tile is a line.

// RegAhead is how many elements that work-group is away.
const RegAhead = amd64.R15

// Fetched is a pointer, and indices that are alike.
type Fetched struct {
	pointer isa.Reg
	Indices *alike
}

// fetchAhead fetches what lies as far behind the elements at p as the work-group is away.
func (c *Compiler) fetchAhead(g *Gathering, p amd64.Reg) {
	if c.Ahead == nil || g.In.Space != isa.SpaceGlobal || !Addressable(g.In.Scale) {
		return
	}
	f := Fetched{g.In.A, c.Alike[c.Index]}
	if c.Ahead[f] {
		return
	}
	c.Ahead[f] = true
	c.G(amd64.PREFETCHT0, amd64.B64, amd64.Mem{Base: p, Index: RegAhead, Scale: uint8(g.In.Scale), Disp: g.Disp})
}
