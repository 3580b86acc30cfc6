package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

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

// prepareEven works out what regSeen is in the beginning of a group: if lanes are in rows, even indices are
// consecutive.
func (c *hyper) prepareEven() {
	set := uint64(0)
	for _, a := range c.alike {
		if a != nil && a.even && a.bit != 0 {
			set |= 1 << a.bit
		}
	}
	if set == 0 || c.used == maxUsed {
		return
	}
	m := c.use()
	c.rowed = &m
	c.G(amd64.MOV, amd64.B64, regTemp, amd64.Imm(set))
	c.G(amd64.AND, amd64.B64, regTemp, field(wave.FrameRows))
	c.G(amd64.MOV, amd64.B64, m, regTemp)
}
