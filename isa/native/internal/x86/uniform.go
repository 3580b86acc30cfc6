package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Accesses to one element for all lanes look at its address once, in front of the groups.

// PrepareUniform works out, before the groups, the addresses that scalar indices select.
func (c *Compiler) PrepareUniform() {
	done := map[int]bool{}
	for i := range c.Run.Code {
		in := &c.Run.Code[i]
		if in.Op != isa.OpLoad && in.Op != isa.OpStore && in.Op != isa.OpAtomic || in.Idx == isa.IdxNone || in.B.IsVector() || done[c.Run.Slots[i]] || plan.Row(in) || plan.Pointed(in) {
			continue
		}
		done[c.Run.Slots[i]] = true
		c.Index = i
		size := amd64.B32
		if in.Idx == isa.Idx64 {
			size = amd64.B64
		}
		c.G(amd64.MOV, size, RegTemp, Scalar(in.B))
		if bias := c.Run.Bias[i]; bias != 0 {
			c.G(amd64.SUB, size, RegTemp, amd64.Imm(bias))
		}
		c.G(amd64.CMP, amd64.B64, RegTemp, c.Slot(wave.SlotLimit))
		c.Jcc(amd64.Above, c.Refuse)
		c.ByScale(RegTemp, in.Scale)
		c.G(amd64.ADD, amd64.B64, RegTemp, c.Slot(wave.SlotAddress))
		c.G(amd64.MOV, amd64.B64, c.Slot(wave.SlotPointer), RegTemp)
	}
}

// Uniform returns where the element is that the present instruction accesses in all lanes. It is good until
// RegAddress changes.
func (c *Compiler) Uniform(in *isa.Inst) amd64.Mem {
	field := wave.SlotPointer
	if in.Idx == isa.IdxNone {
		field = wave.SlotAddress
	}
	c.G(amd64.MOV, amd64.B64, RegAddress, c.Slot(field))
	return amd64.Mem{Base: RegAddress, Disp: c.Run.Disp[c.Index]}
}

// LoadUniform loads one element for all lanes.
func (c *Compiler) LoadUniform(in *isa.Inst) {
	d := c.Vec()
	c.SpreadFrom(in.Type, d, c.Uniform(in))
	c.Result(in, in.Type, d)
}

// storeUniform stores the element of the last lane that runs.
func (c *Compiler) storeUniform(in *isa.Inst) {
	t := in.Type
	from := Scalar(in.C)
	if in.C.IsVector() {
		c.Bits(regLeft, amd64.Mem{Base: RegExec})
		c.G(amd64.LZCNT, amd64.B32, regOneLane, regLeft)
		c.G(amd64.XOR, amd64.B32, regOneLane, amd64.Imm(31))
		c.G(amd64.ADD, amd64.B32, regOneLane, RegLane)
		from = c.LaneOf(in.C, t, regOneLane)
	}
	size := amd64.Size(t.Bits())
	c.G(amd64.MOV, size, RegTemp, from)
	c.G(amd64.MOV, size, c.Uniform(in), RegTemp)
}
