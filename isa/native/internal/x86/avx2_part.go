package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// What hyperblocks ask of AVX2: lanes that part, and numbers of 64 bits that are computed in 32.

func (avx2) ReservePart(c *Compiler) { c.resting = c.NewVec() }

func (avx2) Part(c *Compiler) {
	c.V(amd64.VMOVDQA32, c.Width(isa.I32), c.resting, VecIdle)
}

func (avx2) Only(c *Compiler, m isa.Reg) {
	w := c.Width(isa.I32)
	if m == isa.None {
		c.V(amd64.VMOVDQA32, w, VecIdle, c.resting)
		return
	}
	c.V(amd64.VPANDND, w, VecIdle, c.resting, c.Truth(m, isa.I32))
	c.Complement(isa.I32, VecIdle, VecIdle)
}

func (avx2) UnlessAny(c *Compiler, l amd64.Label) {
	c.runningBits(RegTemp)
	c.Jcc(amd64.IsZero, l)
}

// runningBits puts the bits of the lanes that the execution mask has into a register, and sets the flags.
func (c *Compiler) runningBits(r amd64.Reg) {
	c.V(amd64.VMOVMSKPS, c.Width(isa.I32), r, VecIdle)
	c.G(amd64.XOR, amd64.B32, r, amd64.Imm(1<<c.Lanes-1))
}

func (avx2) LanesWhere(c *Compiler, r amd64.Reg, m isa.Reg, running bool) {
	t := c.LanesOf(m)
	x := c.Truth(m, t)
	if running {
		c.V(OpAndNot.Of(t), c.Width(t), VecTemp, c.asWide(t, c.stopped()), x)
		x = VecTemp
	}
	op := amd64.VMOVMSKPS
	if t.Bank() == isa.Bank64 {
		op = amd64.VMOVMSKPD
	}
	c.V(op, c.Width(t), r, x)
}

func (avx2) All(c *Compiler) { c.V(amd64.VPXORD, amd64.Y, VecIdle, VecIdle, VecIdle) }

func (avx2) AddLanes(c *Compiler, sum, _ amd64.Vec, m isa.Reg) {
	c.V(amd64.VPSUBD, c.Width(isa.I32), sum, sum, c.Truth(m, isa.I32))
}

func (avx2) MoveUnder(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec, lanes isa.Reg) {
	c.V(opMaskMove2.Of(t), c.Width(t), m, c.Truth(lanes, t), v)
}

func (avx2) Halve(c *Compiler, d, x amd64.Vec, low, high amd64.Mem, l amd64.Label) {
	top := c.Splat64(amd64.Y, 0xffffffff80000000)
	c.V(amd64.VMOVDQU64, amd64.Y, d, low)
	c.V(amd64.VPMOVSXDQ, amd64.Y, VecTemp, VecIdle)
	c.V(amd64.VPANDNQ, amd64.Y, VecTemp, VecTemp, d)
	c.V(amd64.VPTEST, amd64.Y, VecTemp, top)
	c.Jcc(amd64.NotZero, l)
	c.V(amd64.VMOVDQU64, amd64.Y, x, high)
	c.V(amd64.VEXTRACTI128, amd64.Y, VecTemp, VecIdle, amd64.Imm(1))
	c.V(amd64.VPMOVSXDQ, amd64.Y, VecTemp, VecTemp)
	c.V(amd64.VPANDNQ, amd64.Y, VecTemp, VecTemp, x)
	c.V(amd64.VPTEST, amd64.Y, VecTemp, top)
	c.Jcc(amd64.NotZero, l)
	c.V(amd64.VSHUFPS, amd64.Y, d, d, x, amd64.Imm(0x88))
	c.V(amd64.VPERMQ, amd64.Y, d, d, amd64.Imm(0xd8)) // it takes from each half of the registers on its own
}

func (avx2) StoreHalf(c *Compiler, m amd64.Mem, d, x amd64.Vec, half int, dense bool) {
	if half == 1 {
		c.V(amd64.VEXTRACTI128, amd64.Y, d, x, amd64.Imm(1))
		x = d
	}
	c.V(amd64.VPMOVZXDQ, amd64.Y, d, x)
	if !dense {
		idle := c.stopped()
		if half == 1 {
			c.V(amd64.VEXTRACTI128, amd64.Y, VecTemp, idle, amd64.Imm(1))
			idle = VecTemp
		}
		c.V(amd64.VBLENDVPD, amd64.Y, d, d, m, c.asWide(isa.I64, idle))
	}
	c.V(amd64.VMOVDQU64, amd64.Y, m, d)
}
