package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

var (
	opMaskMove2  = Pair{amd64.VPMASKMOVD, amd64.VPMASKMOVQ}
	opExtractOne = Pair{amd64.VPEXTRD, amd64.VPEXTRQ}
)

func (avx2) Equal(c *Compiler, t isa.Type, a, b amd64.Vec, l amd64.Label) {
	w := c.Width(t)
	c.V(OpXor.Of(t), w, a, a, b)
	c.V(OpAndNot.Of(t), w, a, c.Idle(t), a)
	c.V(amd64.VPTEST, w, a, a)
	c.Jcc(amd64.NotZero, l)
}

// Beyond looks at two signs: an unsigned number is greater than the limit if it is negative as a signed one,
// or if the limit less the number is.
func (avx2) Beyond(c *Compiler, t isa.Type, x amd64.Vec, limit amd64.Operand, l amd64.Label) {
	w := c.Width(t)
	if _, ok := limit.(amd64.Mem); ok {
		c.V(OpSpread.Of(t), w, VecTemp, limit)
		limit = VecTemp
	}
	c.V(OpSub.Of(t), w, VecTemp, limit, x)
	c.V(OpOr.Of(t), w, VecTemp, VecTemp, x)
	if t != isa.I64 {
		c.V(amd64.VTESTPS, w, VecIdle, VecTemp)
		c.Jcc(amd64.NotCarry, l)
		return
	}
	c.V(amd64.VMOVMSKPD, w, RegAddress, VecTemp)
	c.V(amd64.VMOVMSKPS, amd64.X, RegTemp, VecIdle)
	c.V(amd64.ANDN, amd64.X, RegTemp, RegTemp, RegAddress)
	c.Jcc(amd64.NotZero, l)
}

func (avx2) zero(c *Compiler, t isa.Type, x amd64.Vec, l amd64.Label) {
	w := c.Width(t)
	c.V(OpXor.Of(t), w, VecTemp, VecTemp, VecTemp)
	c.V(OpEqual2.Of(t), w, VecTemp, VecTemp, x)
	if t == isa.I64 {
		c.V(amd64.VMOVMSKPD, w, RegAddress, VecTemp)
		c.V(amd64.VMOVMSKPS, amd64.X, RegTemp, VecIdle)
		c.V(amd64.ANDN, amd64.X, RegTemp, RegTemp, RegAddress)
		c.Jcc(amd64.NotZero, l)
		return
	}
	c.V(amd64.VTESTPS, w, VecIdle, VecTemp)
	c.Jcc(amd64.NotCarry, l)
}

func (avx2) Unequal(c *Compiler, d, x amd64.Vec, n uint64) {
	c.V(amd64.VPBROADCASTQ, amd64.Y, VecTemp, c.Const64(n))
	c.V(amd64.VPCMPEQQ, amd64.Y, x, x, d)
	c.V(amd64.VBLENDVPD, amd64.Y, d, VecTemp, d, x)
}

func (avx2) exchange(c *Compiler, d, x amd64.Vec, n, other uint64) {
	c.V(amd64.VPBROADCASTQ, amd64.Y, VecTemp, c.Const64(n))
	c.V(amd64.VPCMPEQQ, amd64.Y, x, x, VecTemp)
	c.V(amd64.VPBROADCASTQ, amd64.Y, VecTemp, c.Const64(other))
	c.V(amd64.VBLENDVPD, amd64.Y, d, d, VecTemp, x)
}

func (avx2) Above(c *Compiler, d, x amd64.Vec, limit, n uint64) {
	c.V(amd64.VPCMPGTQ, amd64.Y, x, x, c.Splat64(amd64.Y, limit))
	c.V(amd64.VPBROADCASTQ, amd64.Y, VecTemp, c.Const64(n))
	c.V(amd64.VBLENDVPD, amd64.Y, d, d, VecTemp, x)
}

func (avx2) Tag(c *Compiler, d, x amd64.Vec, mask uint64) {
	c.V(amd64.VPXORQ, amd64.Y, d, d, x)
	c.V(amd64.VPANDQ, amd64.Y, d, d, c.Splat64(amd64.Y, ^mask))
	c.V(amd64.VPXORQ, amd64.Y, d, d, x)
}

func (avx2) sarLong(c *Compiler, d, x amd64.Vec, n uint64) { c.SarLong(d, x, n) }

// running puts ones into the lanes that run, of VecTemp.
func (c *Compiler) running(t isa.Type) {
	c.Complement(isa.I32, VecTemp, VecIdle)
	if t.Bank() == isa.Bank64 {
		c.V(amd64.VPMOVSXDQ, amd64.Y, VecTemp, VecTemp)
	}
}

func (avx2) Gather(c *Compiler, t, it isa.Type, d amd64.Vec, m amd64.Mem) {
	c.running(t)
	c.V(OpXor.Of(t), c.Width(t), d, d, d)
	c.V(opGather[it.Bits()/64][t.Bits()/64], c.Wider(t, it), d, m, VecTemp)
}

func (avx2) MoveSome(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec) {
	c.running(t)
	c.V(opMaskMove2.Of(t), c.Width(t), m, VecTemp, v)
}

func (avx2) MoveShort(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec) {
	c.moveShort(t.Bank(), m, v)
}

func (avx2) moveNarrow(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec, l amd64.Label) {
	c.V(amd64.VPTEST, c.Width(isa.I32), VecIdle, VecIdle)
	c.Jcc(amd64.NotZero, l)
	c.moveShort(t.Bank(), m, v)
}

// scatter stores one element after the other. Which lanes run is often hard to foretell, so that it takes no
// branches for that: the elements of the others go to memory that nobody reads.
func (avx2) scatter(c *Compiler, t, it isa.Type, m amd64.Mem, x, v amd64.Vec) {
	indices, nowhere, unread := c.Aside(32), c.Aside(8), c.Aside(16)
	if c.sharing { // regLeft is regSeen, of use to loads behind a store to private memory
		c.G(amd64.MOV, amd64.B64, c.Aside(0), regSeen)
		defer c.G(amd64.MOV, amd64.B64, regSeen, c.Aside(0))
	}
	some, done := c.NewLabel(), c.NewLabel()
	c.V(OpMove.Of(it), c.Width(it), indices, x)
	c.runningBits(regLeft)
	c.G(amd64.CMP, amd64.B32, regLeft, amd64.Imm(1<<c.Lanes-1))
	m.Index = RegTemp
	each := func(at func(i int) amd64.Mem) {
		half := 128 / t.Bits()
		for i := range c.Lanes {
			c.G(amd64.MOV, amd64.Size(it.Bits()), RegTemp, indices.Plus(int32(i*it.Bytes())))
			to, from := at(i), v
			if i >= half {
				if from = VecTemp; i == half {
					c.V(amd64.VEXTRACTI128, amd64.Y, from, v, amd64.Imm(1))
				}
			}
			c.V(opExtractOne.Of(t), amd64.X, to, from, amd64.Imm(i%half))
		}
	}
	c.Jcc(amd64.NotEqual, some)
	each(func(int) amd64.Mem { return m })
	c.Jmp(done)
	c.Bind(some)
	c.G(amd64.LEA, amd64.B64, RegTemp, unread)
	c.G(amd64.MOV, amd64.B64, nowhere, RegTemp)
	each(func(i int) amd64.Mem {
		c.G(amd64.LEA, amd64.B64, RegTemp, m)
		c.G(amd64.TEST, amd64.B32, regLeft, amd64.Imm(1<<i))
		c.CMov(amd64.IsZero, amd64.B64, RegTemp, nowhere)
		return amd64.Mem{Base: RegTemp}
	})
	c.Bind(done)
}

// SarLong shifts right by n and extends the sign: what was the sign is subtracted, so that those above it get
// its value.
func (c *Compiler) SarLong(d, a amd64.Vec, n uint64) {
	c.V(amd64.VPSRLQ, amd64.Y, d, a, amd64.Imm(n))
	sign := c.Splat64(amd64.Y, 1<<(63-n))
	c.V(amd64.VPXORQ, amd64.Y, d, d, sign)
	c.V(amd64.VPSUBQ, amd64.Y, d, d, sign)
}
