package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// prepareAhead has the hyperblock fetch ahead, if that may be of use.
func (c *hyper) prepareAhead() {
	k := c.kernel
	if c.Rows != nil || k.plan.Kernel.Blocks[k.block].Loop > 0 {
		return
	}
	c.Ahead = map[x86.Fetched]bool{}
	c.G(amd64.MOV, amd64.B64, x86.RegAhead, x86.BuiltinField(isa.BuiltinEnqueuedSize))
	c.G(amd64.ADD, amd64.B64, x86.RegAhead, x86.RegAhead)
}

// regStoreAhead is as far behind RegAddress as the work-group is away.
const regStoreAhead = amd64.R14

// storeAhead prepares to fetch ahead what a store to the memory at RegAddress changes, and says whether that
// may be of use.
func (c *hyper) storeAhead(in *isa.Inst) bool {
	if c.Ahead == nil || in.Space != isa.SpaceGlobal {
		return false
	}
	for f := range c.Ahead {
		if f.Indices == c.Alike[c.Index] {
			return false // loads of as much memory are under way already, in the cache's same places if rows have a round length
		}
	}
	c.G(amd64.LEA, amd64.B64, regStoreAhead, amd64.Mem{Base: x86.RegAddress, Index: x86.RegAhead, Scale: uint8(in.Scale)})
	return true
}

// prepareEven works out what regSeen is in the beginning of a group: if lanes are in rows, even indices are
// consecutive.
func (c *hyper) prepareEven() {
	set := uint64(0)
	for _, a := range c.Alike {
		if a != nil && a.Even && a.Bit != 0 {
			set |= 1 << a.Bit
		}
	}
	if set == 0 || c.used == maxUsed {
		return
	}
	m := c.use()
	c.Rowed = &m
	c.G(amd64.MOV, amd64.B64, x86.RegTemp, amd64.Imm(set))
	c.G(amd64.AND, amd64.B64, x86.RegTemp, x86.Field(wave.FrameRows))
	c.G(amd64.MOV, amd64.B64, m, x86.RegTemp)
}
