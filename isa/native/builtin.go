package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// builtins is the family of values that a lane or its group gets from its place in the launch. What differs
// by lane is in arrays that package interp keeps for the waves to come, as most have the same shape.
func builtins(f amd64.Features, in *isa.Inst) emitter {
	b := isa.Builtin(in.Imm)
	switch {
	case in.Op != isa.OpBuiltin:
		return nil
	case !b.PerLane():
		return (*compiler).uniformBuiltin
	case b == isa.BuiltinGlobalLinearID:
		if in.Type == isa.I64 && f&amd64.AVX512 == 0 {
			return nil // no products of 64 bits
		}
		return (*compiler).globalLinear
	case b >= isa.BuiltinGlobalID && b < isa.BuiltinGroupID:
		return (*compiler).globalID
	}
	return (*compiler).laneBuiltin
}

// everywhere returns a register with the number at m in all lanes.
func (c *compiler) everywhere(t isa.Type, m amd64.Mem) amd64.Vec {
	d := c.vec()
	c.V(opSpread.of(t), c.width(t), d, m)
	return d
}

func (c *compiler) uniformBuiltin(in *isa.Inst) {
	c.result(in, in.Type, c.everywhere(in.Type, builtinField(isa.Builtin(in.Imm))))
}

// ids returns a register with what an array of the frame has for the lanes of the group.
func (c *compiler) ids(t isa.Type, array int) amd64.Vec {
	d := c.vec()
	from := c.firstID(array)
	if t == isa.I64 {
		c.V(amd64.VPMOVZXDQ, c.width(t), d, from)
	} else {
		c.V(amd64.VMOVDQU32, c.width(t), d, from)
	}
	return d
}

func (c *compiler) laneBuiltin(in *isa.Inst) {
	c.result(in, in.Type, c.ids(in.Type, wave.ArrayOf(isa.Builtin(in.Imm))))
}

func (c *compiler) globalID(in *isa.Inst) {
	t, dim := in.Type, int(isa.Builtin(in.Imm)-isa.BuiltinGlobalID)
	from := field(wave.FrameOrigin + 8*uintptr(dim))
	d := c.ids(t, dim)
	if c.set.broadcasts() {
		c.V(opAdd.of(t), c.width(t), d, d, from.Bcast())
	} else {
		c.V(opAdd.of(t), c.width(t), d, d, c.everywhere(t, from))
	}
	c.result(in, t, d)
}

// globalLinear numbers the items of the launch.
func (c *compiler) globalLinear(in *isa.Inst) {
	t, w := in.Type, c.width(in.Type)
	sum := c.vec()
	for dim := 2; dim >= 0; dim-- {
		x := c.ids(t, dim)
		c.V(opAdd.of(t), w, x, x, c.everywhere(t, field(wave.FrameFirst+8*uintptr(dim))))
		if dim == 2 {
			sum = x
			continue
		}
		size := c.everywhere(t, builtinField(isa.BuiltinGlobalSize+isa.Builtin(dim)))
		c.V(opMul.of(t), w, sum, sum, size)
		c.V(opAdd.of(t), w, sum, sum, x)
	}
	c.result(in, t, sum)
}
