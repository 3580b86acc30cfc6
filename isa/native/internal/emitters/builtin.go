package emitters

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// builtins is the family of values that a lane or its group gets from its place in the launch. What differs
// by lane is in arrays that package interp keeps for the waves to come, as most have the same shape.
func builtins(f amd64.Features, in *isa.Inst) x86.Emitter {
	b := isa.Builtin(in.Imm)
	switch {
	case in.Op != isa.OpBuiltin:
		return nil
	case !b.PerLane():
		return uniformBuiltin
	case b == isa.BuiltinGlobalLinearID:
		if in.Type == isa.I64 && f&amd64.AVX512 == 0 {
			return nil // no products of 64 bits
		}
		return globalLinear
	case b >= isa.BuiltinGlobalID && b < isa.BuiltinGroupID:
		return globalID
	}
	return laneBuiltin
}

// everywhere returns a register with the number at m in all lanes.
func everywhere(c *x86.Compiler, t isa.Type, m amd64.Mem) amd64.Vec {
	d := c.Vec()
	c.V(x86.OpSpread.Of(t), c.Width(t), d, m)
	return d
}

func uniformBuiltin(c *x86.Compiler, in *isa.Inst) {
	c.Result(in, in.Type, everywhere(c, in.Type, x86.BuiltinField(isa.Builtin(in.Imm))))
}

// ids returns a register with what an array of the frame has for the lanes of the group.
func ids(c *x86.Compiler, t isa.Type, array int) amd64.Vec {
	d := c.Vec()
	from := c.FirstID(array)
	if t == isa.I64 {
		c.V(amd64.VPMOVZXDQ, c.Width(t), d, from)
	} else {
		c.V(amd64.VMOVDQU32, c.Width(t), d, from)
	}
	return d
}

func laneBuiltin(c *x86.Compiler, in *isa.Inst) {
	c.Result(in, in.Type, ids(c, in.Type, wave.ArrayOf(isa.Builtin(in.Imm))))
}

func globalID(c *x86.Compiler, in *isa.Inst) {
	t, dim := in.Type, int(isa.Builtin(in.Imm)-isa.BuiltinGlobalID)
	from := x86.Field(wave.FrameOrigin + 8*uintptr(dim))
	d := ids(c, t, dim)
	if c.ISA.Broadcasts() {
		c.V(x86.OpAdd.Of(t), c.Width(t), d, d, from.Bcast())
	} else {
		c.V(x86.OpAdd.Of(t), c.Width(t), d, d, everywhere(c, t, from))
	}
	c.Result(in, t, d)
}

// globalLinear numbers the items of the launch.
func globalLinear(c *x86.Compiler, in *isa.Inst) {
	t, w := in.Type, c.Width(in.Type)
	sum := c.Vec()
	for dim := 2; dim >= 0; dim-- {
		x := ids(c, t, dim)
		c.V(x86.OpAdd.Of(t), w, x, x, everywhere(c, t, x86.Field(wave.FrameFirst+8*uintptr(dim))))
		if dim == 2 {
			sum = x
			continue
		}
		size := everywhere(c, t, x86.BuiltinField(isa.BuiltinGlobalSize+isa.Builtin(dim)))
		c.V(x86.OpMul.Of(t), w, sum, sum, size)
		c.V(x86.OpAdd.Of(t), w, sum, sum, x)
	}
	c.Result(in, t, sum)
}
