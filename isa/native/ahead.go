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

// prepareAhead has the hyperblock fetch ahead, if that may be of use.
func (c *hyper) prepareAhead() {
	k := c.kernel
	if c.rows != nil || k.plan.Kernel.Blocks[k.block].Loop > 0 {
		return
	}
	c.ahead = map[fetched]bool{}
	c.G(amd64.MOV, amd64.B64, regAhead, builtinField(isa.BuiltinEnqueuedSize))
	c.G(amd64.ADD, amd64.B64, regAhead, regAhead)
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

// regStoreAhead is as far behind regAddress as the work-group is away.
const regStoreAhead = amd64.R14

// storeAhead prepares to fetch ahead what a store to the memory at regAddress changes, and says whether that
// may be of use.
func (c *hyper) storeAhead(in *isa.Inst) bool {
	if c.ahead == nil || in.Space != isa.SpaceGlobal {
		return false
	}
	for f := range c.ahead {
		if f.indices == c.alike[c.at] {
			return false // loads of as much memory are under way already, in the cache's same places if rows have a round length
		}
	}
	c.G(amd64.LEA, amd64.B64, regStoreAhead, amd64.Mem{Base: regAddress, Index: regAhead, Scale: uint8(in.Scale)})
	return true
}
