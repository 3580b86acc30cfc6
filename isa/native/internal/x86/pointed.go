package x86

import (
	"math"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Pointers of the lanes mostly lead to one allocation. Its slot is the one of the first lane that runs;
// elements are gathered and scattered by the offsets of the pointers, if all lead there and inside.

// pointed returns the emitter of a load or store behind pointers of the lanes.
func pointed(in *isa.Inst) Emitter {
	switch {
	case in.Type == isa.B1:
		return nil
	case Narrow(in.Type) && in.Op == isa.OpLoad:
		return (*Compiler).loadPointedNarrow
	case Narrow(in.Type):
		return (*Compiler).storePointedNarrow
	case in.Op == isa.OpLoad:
		return (*Compiler).loadPointed
	}
	return (*Compiler).storePointed
}

// pointerOffset returns the pointers of the lanes and the offsets that these have in an allocation.
func (c *Compiler) pointerOffset(in *isa.Inst) (p, d, x, y amd64.Vec) {
	p = c.Load(in.A, isa.I64, true)
	d, x, y = c.MovedOffset(in, p)
	return p, d, x, y
}

// inSlot refuses the run if the element at an offset is not in the slot's allocation in a lane that runs. It changes x and y.
func (c *Compiler) inSlot(p, d, x, y amd64.Vec) {
	w := c.Width(isa.I64)
	c.V(amd64.VPSRLQ, w, x, p, amd64.Imm(OffsetBits))
	c.V(amd64.VPBROADCASTQ, w, y, c.Slot(wave.SlotKey))
	c.ISA.Equal(c, isa.I64, y, x, c.Refuse)
	c.ISA.Beyond(c, isa.I64, d, c.Slot(wave.SlotLimit), c.Refuse)
}

// pointedOffset returns the offsets of the elements in the slot's allocation, and refuses the run if one of a
// lane that runs is elsewhere, unless all have been looked at before.
func (c *Compiler) pointedOffset(in *isa.Inst) amd64.Vec {
	p, d, x, y := c.pointerOffset(in)
	if !changesAtOnce(c.Run) {
		c.inSlot(p, d, x, y)
	}
	return d
}

func (c *Compiler) loadPointed(in *isa.Inst) {
	x := c.pointedOffset(in)
	d := c.Vec()
	c.G(amd64.MOV, amd64.B64, RegAddress, c.Slot(wave.SlotBase))
	c.ISA.Gather(c, in.Type, isa.I64, d, amd64.VMem(RegAddress, x, 1, 0))
	c.Result(in, in.Type, d)
}

func (c *Compiler) storePointed(in *isa.Inst) {
	v := c.Load(in.C, in.Type, true)
	x := c.pointedOffset(in)
	c.G(amd64.MOV, amd64.B64, RegAddress, c.Slot(wave.SlotBase))
	c.ISA.scatter(c, in.Type, isa.I64, amd64.Mem{Base: RegAddress, Scale: 1}, x, v)
}

// loadPointedNarrow is loadPointed for elements of 8 and 16 bits: words are gathered, or, at the end of the allocation, the
// elements one by one.
func (c *Compiler) loadPointedNarrow(in *isa.Inst) {
	x := c.pointedOffset(in)
	byOffset := &isa.Inst{Op: isa.OpLoad, Type: in.Type, Idx: isa.Idx64, Scale: 1}
	g := &Gathering{In: byOffset, T: in.Type, IndexType: isa.I64, X: x, D: c.Vec(), Temp: c.Vec(), More: c.Vec(), Done: c.NewLabel(),
		Address: c.Slot(wave.SlotBase), Limit: c.Slot(wave.SlotLimit)}
	c.loadEach(g)
	c.Bind(g.Done)
	c.Result(in, in.Type, g.D)
}

// storePointedNarrow is storePointed for elements of 8 and 16 bits.
func (c *Compiler) storePointedNarrow(in *isa.Inst) {
	v := c.Load(in.C, in.Type, true)
	x := c.pointedOffset(in)
	offsets, elements := c.Aside(0), c.Aside(64)
	c.V(OpMove.Of(isa.I64), c.Width(isa.I64), offsets, x)
	c.V(OpMove.Of(in.Type), c.Width(in.Type), elements, v)
	offsets.Index, offsets.Scale = RegTemp, 8
	elements.Index, elements.Scale = RegTemp, 4
	base, next := regOneLane, c.NewLabel()
	c.G(amd64.MOV, amd64.B64, base, c.Slot(wave.SlotBase))
	c.Bits(regLeft, amd64.Mem{Base: RegExec})
	c.Bind(next)
	c.G(amd64.TZCNT, amd64.B32, RegTemp, regLeft)
	c.G(amd64.MOV, amd64.B64, RegAddress, offsets)
	c.G(amd64.MOV, amd64.B32, RegTemp, elements)
	c.G(amd64.MOV, amd64.Size(in.Type.Bits()), amd64.Mem{Base: base, Index: RegAddress, Scale: 1}, RegTemp)
	c.V(amd64.BLSR, amd64.X, regLeft, regLeft)
	c.Jcc(amd64.NotZero, next)
}

// OffsetOf gives d the offsets of pointers.
func (c *Compiler) OffsetOf(d, p amd64.Vec) {
	const tag = 64 - OffsetBits
	c.V(amd64.VPSLLQ, c.Width(isa.I64), d, p, amd64.Imm(tag))
	c.ISA.sarLong(c, d, d, tag)
}

// MovedOffset returns the offsets that an instruction's pointers, index and displacement lead to, and two
// registers to work with. One that has more than OffsetBits may be another such number. So is that of a
// pointer that is far already; an access can do without where index and displacement cannot lead back to 0.
func (c *Compiler) MovedOffset(in *isa.Inst, p amd64.Vec) (d, x, y amd64.Vec) {
	w := c.Width(isa.I64)
	d, x, y = c.Vec(), c.Vec(), c.Vec()
	c.OffsetOf(d, p)
	if in.Idx != isa.IdxNone {
		c.moves(in, x, y)
		c.V(amd64.VPADDQ, w, d, d, x)
	}
	if in.Disp != 0 {
		c.V(amd64.VPADDQ, w, d, d, c.Splat(isa.I64, 0, uint64(int64(in.Disp))))
	}
	if in.Op == isa.OpPtrAdd || in.Idx == isa.Idx64 || in.Idx != isa.IdxNone && in.Scale >= 1<<(OffsetBits-1-32) {
		c.V(amd64.VPSLLQ, w, x, p, amd64.Imm(64-OffsetBits))
		c.ISA.exchange(c, d, x, 1<<63, tooFar)
	}
	return d, x, y
}

// tooFar is further than any sum of an offset, an index and a displacement that may be an offset.
const tooFar = 1 << 62

// moves gives x what the index adds to addresses, or what is as far from all offsets if 64 bits may not hold
// it. It changes y.
func (c *Compiler) moves(in *isa.Inst, x, y amd64.Vec) {
	w, n := c.Width(isa.I64), in.Scale
	i := c.Load(in.B, in.Idx.Type(), true)
	switch in.Idx {
	case isa.IdxS32:
		c.V(amd64.VPMOVSXDQ, w, x, i)
		i = x
	case isa.IdxU32:
		c.V(amd64.VPMOVZXDQ, w, x, i)
		i = x
	}
	if WideProduct(in) {
		// No index that has more bits than these, and the sign, leads from one offset to another; with no
		// more, no product overflows.
		significant := OffsetBits + 1 - (bits.Len32(n) - 1)
		c.V(amd64.VPSLLQ, w, y, i, amd64.Imm(63-significant))
		c.ISA.sarLong(c, y, y, uint64(63-significant))
		if i != x {
			c.V(amd64.VMOVDQA32, w, x, i)
			i = x
		}
		c.ISA.Unequal(c, x, y, 1<<significant)
	}
	by := c.Splat(isa.I64, 0, uint64(n))
	switch {
	case n == 0:
		c.V(amd64.VPXORQ, w, x, x, x)
	case n&(n-1) == 0:
		c.V(amd64.VPSLLQ, w, x, i, amd64.Imm(bits.TrailingZeros32(n)))
	case in.Idx == isa.IdxU32:
		c.V(amd64.VPMULUDQ, w, x, i, by)
	case in.Idx == isa.IdxS32 && n <= math.MaxInt32:
		c.V(amd64.VPMULDQ, w, x, i, by)
	default:
		c.V(amd64.VPSRLQ, w, y, i, amd64.Imm(32))
		c.V(amd64.VPMULUDQ, w, y, y, by)
		c.V(amd64.VPSLLQ, w, y, y, amd64.Imm(32))
		c.V(amd64.VPMULUDQ, w, x, i, by)
		c.V(amd64.VPADDQ, w, x, x, y)
	}
}
