package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// What hyperblocks ask of AVX2: lanes that part, and numbers of 64 bits that are computed in 32.

func (avx2) reservePart(c *compiler) { c.resting = c.NewVec() }

func (avx2) part(c *compiler) {
	c.V(amd64.VMOVDQA32, c.width(isa.I32), c.resting, vecIdle)
}

func (avx2) only(c *compiler, m isa.Reg) {
	w := c.width(isa.I32)
	if m == isa.None {
		c.V(amd64.VMOVDQA32, w, vecIdle, c.resting)
		return
	}
	c.V(amd64.VPANDND, w, vecIdle, c.resting, c.truth(m, isa.I32))
	c.complement(isa.I32, vecIdle, vecIdle)
}

func (avx2) unlessAny(c *compiler, l amd64.Label) {
	c.runningBits(regTemp)
	c.Jcc(amd64.IsZero, l)
}

// runningBits puts the bits of the lanes that the execution mask has into a register, and sets the flags.
func (c *compiler) runningBits(r amd64.Reg) {
	c.V(amd64.VMOVMSKPS, c.width(isa.I32), r, vecIdle)
	c.G(amd64.XOR, amd64.B32, r, amd64.Imm(1<<c.lanes-1))
}

func (avx2) lanesWhere(c *compiler, r amd64.Reg, m isa.Reg, running bool) {
	t := c.lanesOf(m)
	x := c.truth(m, t)
	if running {
		c.V(opAndNot.of(t), c.width(t), vecTemp, c.asWide(t, c.stopped()), x)
		x = vecTemp
	}
	op := amd64.VMOVMSKPS
	if t.Bank() == isa.Bank64 {
		op = amd64.VMOVMSKPD
	}
	c.V(op, c.width(t), r, x)
}

func (avx2) all(c *compiler) { c.V(amd64.VPXORD, amd64.Y, vecIdle, vecIdle, vecIdle) }

func (avx2) addLanes(c *compiler, sum, _ amd64.Vec, m isa.Reg) {
	c.V(amd64.VPSUBD, c.width(isa.I32), sum, sum, c.truth(m, isa.I32))
}

func (avx2) moveUnder(c *compiler, t isa.Type, m amd64.Mem, v amd64.Vec, lanes isa.Reg) {
	c.V(opMaskMove2.of(t), c.width(t), m, c.truth(lanes, t), v)
}

func (avx2) halve(c *compiler, d, x amd64.Vec, low, high amd64.Mem, l amd64.Label) {
	top := c.Splat64(amd64.Y, 0xffffffff80000000)
	c.V(amd64.VMOVDQU64, amd64.Y, d, low)
	c.V(amd64.VPMOVSXDQ, amd64.Y, vecTemp, vecIdle)
	c.V(amd64.VPANDNQ, amd64.Y, vecTemp, vecTemp, d)
	c.V(amd64.VPTEST, amd64.Y, vecTemp, top)
	c.Jcc(amd64.NotZero, l)
	c.V(amd64.VMOVDQU64, amd64.Y, x, high)
	c.V(amd64.VEXTRACTI128, amd64.Y, vecTemp, vecIdle, amd64.Imm(1))
	c.V(amd64.VPMOVSXDQ, amd64.Y, vecTemp, vecTemp)
	c.V(amd64.VPANDNQ, amd64.Y, vecTemp, vecTemp, x)
	c.V(amd64.VPTEST, amd64.Y, vecTemp, top)
	c.Jcc(amd64.NotZero, l)
	c.V(amd64.VSHUFPS, amd64.Y, d, d, x, amd64.Imm(0x88))
	c.V(amd64.VPERMQ, amd64.Y, d, d, amd64.Imm(0xd8)) // it takes from each half of the registers on its own
}

func (avx2) storeHalf(c *compiler, m amd64.Mem, d, x amd64.Vec, half int, dense bool) {
	if half == 1 {
		c.V(amd64.VEXTRACTI128, amd64.Y, d, x, amd64.Imm(1))
		x = d
	}
	c.V(amd64.VPMOVZXDQ, amd64.Y, d, x)
	if !dense {
		idle := c.stopped()
		if half == 1 {
			c.V(amd64.VEXTRACTI128, amd64.Y, vecTemp, idle, amd64.Imm(1))
			idle = vecTemp
		}
		c.V(amd64.VBLENDVPD, amd64.Y, d, d, m, c.asWide(isa.I64, idle))
	}
	c.V(amd64.VMOVDQU64, amd64.Y, m, d)
}
