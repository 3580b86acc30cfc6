package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Accesses to one element for all lanes look at its address once, in front of the groups.

// prepareUniform works out, before the groups, the addresses that scalar indices select.
func (c *compiler) prepareUniform() {
	done := map[int]bool{}
	for i := range c.run.Code {
		in := &c.run.Code[i]
		if in.Op != isa.OpLoad && in.Op != isa.OpStore && in.Op != isa.OpAtomic || in.Idx == isa.IdxNone || in.B.IsVector() || done[c.run.Slots[i]] || plan.Row(in) || plan.Pointed(in) {
			continue
		}
		done[c.run.Slots[i]] = true
		c.at = i
		size := amd64.B32
		if in.Idx == isa.Idx64 {
			size = amd64.B64
		}
		c.G(amd64.MOV, size, regTemp, scalar(in.B))
		if bias := c.run.Bias[i]; bias != 0 {
			c.G(amd64.SUB, size, regTemp, amd64.Imm(bias))
		}
		c.G(amd64.CMP, amd64.B64, regTemp, c.slot(wave.SlotLimit))
		c.Jcc(amd64.Above, c.refuse)
		c.byScale(regTemp, in.Scale)
		c.G(amd64.ADD, amd64.B64, regTemp, c.slot(wave.SlotAddress))
		c.G(amd64.MOV, amd64.B64, c.slot(wave.SlotPointer), regTemp)
	}
}

// uniform returns where the element is that the present instruction accesses in all lanes. It is good until
// regAddress changes.
func (c *compiler) uniform(in *isa.Inst) amd64.Mem {
	field := wave.SlotPointer
	if in.Idx == isa.IdxNone {
		field = wave.SlotAddress
	}
	c.G(amd64.MOV, amd64.B64, regAddress, c.slot(field))
	return amd64.Mem{Base: regAddress, Disp: c.run.Disp[c.at]}
}

// loadUniform loads one element for all lanes.
func (c *compiler) loadUniform(in *isa.Inst) {
	d := c.vec()
	c.spreadFrom(in.Type, d, c.uniform(in))
	c.result(in, in.Type, d)
}

// storeUniform stores the element of the last lane that runs.
func (c *compiler) storeUniform(in *isa.Inst) {
	t := in.Type
	from := scalar(in.C)
	if in.C.IsVector() {
		c.bits(regLeft, amd64.Mem{Base: regExec})
		c.G(amd64.LZCNT, amd64.B32, regOneLane, regLeft)
		c.G(amd64.XOR, amd64.B32, regOneLane, amd64.Imm(31))
		c.G(amd64.ADD, amd64.B32, regOneLane, regLane)
		from = c.laneOf(in.C, t, regOneLane)
	}
	size := amd64.Size(t.Bits())
	c.G(amd64.MOV, size, regTemp, from)
	c.G(amd64.MOV, size, c.uniform(in), regTemp)
}
