package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

var (
	opMaskMove2  = pair{amd64.VPMASKMOVD, amd64.VPMASKMOVQ}
	opExtractOne = pair{amd64.VPEXTRD, amd64.VPEXTRQ}
)

func (avx2) equal(c *compiler, t isa.Type, a, b amd64.Vec, l amd64.Label) {
	w := c.width(t)
	c.V(opXor.of(t), w, a, a, b)
	c.V(opAndNot.of(t), w, a, c.idle(t), a)
	c.V(amd64.VPTEST, w, a, a)
	c.Jcc(amd64.NotZero, l)
}

// beyond looks at two signs: an unsigned number is greater than the limit if it is negative as a signed one,
// or if the limit less the number is.
func (avx2) beyond(c *compiler, t isa.Type, x amd64.Vec, limit amd64.Operand, l amd64.Label) {
	w := c.width(t)
	if _, ok := limit.(amd64.Mem); ok {
		c.V(opSpread.of(t), w, vecTemp, limit)
		limit = vecTemp
	}
	c.V(opSub.of(t), w, vecTemp, limit, x)
	c.V(opOr.of(t), w, vecTemp, vecTemp, x)
	if t != isa.I64 {
		c.V(amd64.VTESTPS, w, vecIdle, vecTemp)
		c.Jcc(amd64.NotCarry, l)
		return
	}
	c.V(amd64.VMOVMSKPD, w, regAddress, vecTemp)
	c.V(amd64.VMOVMSKPS, amd64.X, regTemp, vecIdle)
	c.V(amd64.ANDN, amd64.X, regTemp, regTemp, regAddress)
	c.Jcc(amd64.NotZero, l)
}

func (avx2) zero(c *compiler, t isa.Type, x amd64.Vec, l amd64.Label) {
	w := c.width(t)
	c.V(opXor.of(t), w, vecTemp, vecTemp, vecTemp)
	c.V(opEqual2.of(t), w, vecTemp, vecTemp, x)
	if t == isa.I64 {
		c.V(amd64.VMOVMSKPD, w, regAddress, vecTemp)
		c.V(amd64.VMOVMSKPS, amd64.X, regTemp, vecIdle)
		c.V(amd64.ANDN, amd64.X, regTemp, regTemp, regAddress)
		c.Jcc(amd64.NotZero, l)
		return
	}
	c.V(amd64.VTESTPS, w, vecIdle, vecTemp)
	c.Jcc(amd64.NotCarry, l)
}

func (avx2) unequal(c *compiler, d, x amd64.Vec, n uint64) {
	c.V(amd64.VPBROADCASTQ, amd64.Y, vecTemp, c.Const64(n))
	c.V(amd64.VPCMPEQQ, amd64.Y, x, x, d)
	c.V(amd64.VBLENDVPD, amd64.Y, d, vecTemp, d, x)
}

func (avx2) exchange(c *compiler, d, x amd64.Vec, n, other uint64) {
	c.V(amd64.VPBROADCASTQ, amd64.Y, vecTemp, c.Const64(n))
	c.V(amd64.VPCMPEQQ, amd64.Y, x, x, vecTemp)
	c.V(amd64.VPBROADCASTQ, amd64.Y, vecTemp, c.Const64(other))
	c.V(amd64.VBLENDVPD, amd64.Y, d, d, vecTemp, x)
}

func (avx2) above(c *compiler, d, x amd64.Vec, limit, n uint64) {
	c.V(amd64.VPCMPGTQ, amd64.Y, x, x, c.Splat64(amd64.Y, limit))
	c.V(amd64.VPBROADCASTQ, amd64.Y, vecTemp, c.Const64(n))
	c.V(amd64.VBLENDVPD, amd64.Y, d, d, vecTemp, x)
}

func (avx2) tag(c *compiler, d, x amd64.Vec, mask uint64) {
	c.V(amd64.VPXORQ, amd64.Y, d, d, x)
	c.V(amd64.VPANDQ, amd64.Y, d, d, c.Splat64(amd64.Y, ^mask))
	c.V(amd64.VPXORQ, amd64.Y, d, d, x)
}

func (avx2) sarLong(c *compiler, d, x amd64.Vec, n uint64) { c.sarLong(d, x, n) }

// running puts ones into the lanes that run, of vecTemp.
func (c *compiler) running(t isa.Type) {
	c.complement(isa.I32, vecTemp, vecIdle)
	if t.Bank() == isa.Bank64 {
		c.V(amd64.VPMOVSXDQ, amd64.Y, vecTemp, vecTemp)
	}
}

func (avx2) gather(c *compiler, t, it isa.Type, d amd64.Vec, m amd64.Mem) {
	c.running(t)
	c.V(opXor.of(t), c.width(t), d, d, d)
	c.V(opGather[it.Bits()/64][t.Bits()/64], c.wider(t, it), d, m, vecTemp)
}

func (avx2) moveSome(c *compiler, t isa.Type, m amd64.Mem, v amd64.Vec) {
	c.running(t)
	c.V(opMaskMove2.of(t), c.width(t), m, vecTemp, v)
}

func (avx2) moveShort(c *compiler, t isa.Type, m amd64.Mem, v amd64.Vec) {
	c.moveShort(t.Bank(), m, v)
}

func (avx2) moveNarrow(c *compiler, t isa.Type, m amd64.Mem, v amd64.Vec, l amd64.Label) {
	c.V(amd64.VPTEST, c.width(isa.I32), vecIdle, vecIdle)
	c.Jcc(amd64.NotZero, l)
	c.moveShort(t.Bank(), m, v)
}

// scatter stores one element after the other. Which lanes run is often hard to foretell, so that it takes no
// branches for that: the elements of the others go to memory that nobody reads.
func (avx2) scatter(c *compiler, t, it isa.Type, m amd64.Mem, x, v amd64.Vec) {
	indices, nowhere, unread := c.aside(32), c.aside(8), c.aside(16)
	if c.sharing { // regLeft is regSeen, of use to loads behind a store to private memory
		c.G(amd64.MOV, amd64.B64, c.aside(0), regSeen)
		defer c.G(amd64.MOV, amd64.B64, regSeen, c.aside(0))
	}
	some, done := c.NewLabel(), c.NewLabel()
	c.V(opMove.of(it), c.width(it), indices, x)
	c.runningBits(regLeft)
	c.G(amd64.CMP, amd64.B32, regLeft, amd64.Imm(1<<c.lanes-1))
	m.Index = regTemp
	each := func(at func(i int) amd64.Mem) {
		half := 128 / t.Bits()
		for i := range c.lanes {
			c.G(amd64.MOV, amd64.Size(it.Bits()), regTemp, indices.Plus(int32(i*it.Bytes())))
			to, from := at(i), v
			if i >= half {
				if from = vecTemp; i == half {
					c.V(amd64.VEXTRACTI128, amd64.Y, from, v, amd64.Imm(1))
				}
			}
			c.V(opExtractOne.of(t), amd64.X, to, from, amd64.Imm(i%half))
		}
	}
	c.Jcc(amd64.NotEqual, some)
	each(func(int) amd64.Mem { return m })
	c.Jmp(done)
	c.Bind(some)
	c.G(amd64.LEA, amd64.B64, regTemp, unread)
	c.G(amd64.MOV, amd64.B64, nowhere, regTemp)
	each(func(i int) amd64.Mem {
		c.G(amd64.LEA, amd64.B64, regTemp, m)
		c.G(amd64.TEST, amd64.B32, regLeft, amd64.Imm(1<<i))
		c.CMov(amd64.IsZero, amd64.B64, regTemp, nowhere)
		return amd64.Mem{Base: regTemp}
	})
	c.Bind(done)
}

// sarLong shifts right by n and extends the sign: what was the sign is subtracted, so that those above it get
// its value.
func (c *compiler) sarLong(d, a amd64.Vec, n uint64) {
	c.V(amd64.VPSRLQ, amd64.Y, d, a, amd64.Imm(n))
	sign := c.Splat64(amd64.Y, 1<<(63-n))
	c.V(amd64.VPXORQ, amd64.Y, d, d, sign)
	c.V(amd64.VPSUBQ, amd64.Y, d, d, sign)
}
