package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// avx512 is AVX-512 (F, BW, CD, DQ and VL). Booleans are in mask registers.
type avx512 struct{}

// What some mask registers hold. The others hold booleans.
const (
	maskTemp2 = amd64.K0 // nothing for long
	maskExec  = amd64.K1 // the lanes of the group that run, or those of them that the instruction is for
	maskTemp  = amd64.K2 // nothing for long
	firstBool = amd64.K3
)

func (avx512) bits() int        { return 512 }
func (avx512) broadcasts() bool { return true }

func (avx512) file(b isa.Bank) file {
	if b == isa.BankMask {
		return fileMask
	}
	return fileVec
}

func (avx512) enter(c *compiler) { c.V(amd64.KMOVW, amd64.X, maskExec, regTemp) }

func (avx512) enterFrom(c *compiler) {
	c.V(c.kmov(), amd64.X, maskExec, c.execOf(c.across.group-c.across.first))
}

func (avx512) maxHomes() int { return 20 }

func (avx512) freeze(c *compiler, t isa.Type, d, x amd64.Vec) {
	c.V(opCopy.of(t), c.width(t), d, x, amd64.Merge(maskExec))
}

func (avx512) spread(c *compiler, t isa.Type, x amd64.Vec, r amd64.Reg) {
	c.V(opSpread.of(t), c.width(t), x, r)
}

func (avx512) mix(c *compiler, w amd64.Width, d, x amd64.Vec) {
	c.V(amd64.VPTERNLOGQ, w, d, x, c.Const64(0xffffffff00000000).Bcast(), amd64.Imm(ternaryMix))
}

func (avx512) lower(c *compiler, d, x amd64.Vec) { c.V(amd64.VPMOVQD, amd64.Z, d, x) }

func (avx512) loadBool(c *compiler, v *value) {
	c.V(c.kmov(), amd64.X, amd64.Mask(v.reg), c.memory(v))
}

func (avx512) storeBool(c *compiler, v *value) {
	k := amd64.Mask(v.reg)
	if !v.dense {
		c.V(c.kmov(), amd64.X, maskTemp, c.memory(v))
		c.V(amd64.KANDNW, amd64.X, maskTemp, c.runningMask(), maskTemp)
		c.V(amd64.KANDW, amd64.X, maskTemp2, c.runningMask(), k)
		c.V(amd64.KORW, amd64.X, maskTemp2, maskTemp2, maskTemp)
		k = maskTemp2
	}
	c.V(c.kmov(), amd64.X, c.memory(v), k)
}

// storeSome stores under a mask, or, where a register holds what the register file has, all of a register: who loads
// behind a store under a mask has to wait until that has come to the cache.
func (avx512) storeSome(c *compiler, v *value) {
	t := typeOf(v.bank)
	if v.old < 0 {
		c.V(opMove.of(t), c.width(t), c.memory(v), amd64.Vec(v.reg), amd64.Merge(c.runningMask()))
		return
	}
	x := c.vec()
	c.V(opBlend.of(t), c.width(t), x, amd64.Vec(v.old), amd64.Vec(v.reg), amd64.Merge(c.runningMask()))
	c.V(opMove.of(t), c.width(t), c.memory(v), x)
}

func (avx512) storeNarrow(c *compiler, v *value) {
	op := amd64.VPMOVDB
	if v.bank == isa.Bank16 {
		op = amd64.VPMOVDW
	}
	operands := []amd64.Operand{c.memory(v), amd64.Vec(v.reg)}
	if !v.dense {
		operands = append(operands, amd64.Merge(c.runningMask()))
	}
	c.V(op, c.width(isa.I32), operands...)
}

func (avx512) canonical(c *compiler, t isa.Type, x amd64.Vec) {
	w := c.width(t)
	c.V(opFCmp.of(t), w, maskTemp, x, x, amd64.Imm(cmpUnordered))
	if c.hasNaN && t == isa.F32 {
		c.V(opCopy.of(t), w, x, c.nan, amd64.Merge(maskTemp))
		return
	}
	c.V(opSpread.of(t), w, x, c.number(t, canonicalNaN(t)), amd64.Merge(maskTemp))
}

func (avx512) jumpIfAny(c *compiler, lanes amd64.Operand, l amd64.Label) {
	c.V(amd64.KTESTW, amd64.X, lanes, maskExec)
	c.Jcc(amd64.NotZero, l)
}

func (avx512) runningOnly(c *compiler, lanes amd64.Operand) {
	c.V(amd64.KANDW, amd64.X, lanes, lanes, maskExec)
}

func (avx512) every() (vectors, masks int, w amd64.Width) { return 32, 8, amd64.Z }

func (avx512) equal(c *compiler, t isa.Type, a, b amd64.Vec, l amd64.Label) {
	c.V(opCmpU.of(t), c.width(t), maskTemp, a, b, amd64.Imm(intNotEqual), amd64.Merge(maskExec))
	c.V(amd64.KORTESTW, amd64.X, maskTemp, maskTemp)
	c.Jcc(amd64.NotZero, l)
}

func (avx512) beyond(c *compiler, t isa.Type, x amd64.Vec, limit amd64.Operand, l amd64.Label) {
	if m, ok := limit.(amd64.Mem); ok {
		limit = m.Bcast()
	}
	c.V(opCmpU.of(t), c.width(t), maskTemp, x, limit, amd64.Imm(intGreater), amd64.Merge(maskExec))
	c.V(amd64.KORTESTW, amd64.X, maskTemp, maskTemp)
	c.Jcc(amd64.NotZero, l)
}

// opGather is the gather by the sizes of the index and of the element: 32 and 64 bits.
var opGather = [2][2]amd64.Op{{amd64.VPGATHERDD, amd64.VPGATHERDQ}, {amd64.VPGATHERQD, amd64.VPGATHERQQ}}

// opScatter is opGather for stores.
var opScatter = [2][2]amd64.Op{{amd64.VPSCATTERDD, amd64.VPSCATTERDQ}, {amd64.VPSCATTERQD, amd64.VPSCATTERQQ}}

func (avx512) zero(c *compiler, t isa.Type, x amd64.Vec, l amd64.Label) {
	c.V(opNoTest.of(t), c.width(t), maskTemp, x, x, amd64.Merge(maskExec))
	c.V(amd64.KORTESTW, amd64.X, maskTemp, maskTemp)
	c.Jcc(amd64.NotZero, l)
}

func (avx512) unequal(c *compiler, d, x amd64.Vec, n uint64) {
	c.V(amd64.VPCMPUQ, amd64.Z, maskTemp, d, x, amd64.Imm(intNotEqual))
	c.V(amd64.VPBROADCASTQ, amd64.Z, d, c.Const64(n), amd64.Merge(maskTemp))
}

func (avx512) exchange(c *compiler, d, x amd64.Vec, n, other uint64) {
	c.V(amd64.VPCMPUQ, amd64.Z, maskTemp, x, c.Const64(n).Bcast(), amd64.Imm(intEqual))
	c.V(amd64.VPBROADCASTQ, amd64.Z, d, c.Const64(other), amd64.Merge(maskTemp))
}

func (avx512) above(c *compiler, d, x amd64.Vec, limit, n uint64) {
	c.V(amd64.VPCMPQ, amd64.Z, maskTemp, x, c.Const64(limit).Bcast(), amd64.Imm(intGreater))
	c.V(amd64.VPBROADCASTQ, amd64.Z, d, c.Const64(n), amd64.Merge(maskTemp))
}

func (avx512) tag(c *compiler, d, x amd64.Vec, mask uint64) {
	c.V(amd64.VPTERNLOGQ, amd64.Z, d, x, c.Const64(mask).Bcast(), amd64.Imm(ternaryMix))
}

func (avx512) sarLong(c *compiler, d, x amd64.Vec, n uint64) {
	c.V(amd64.VPSRAQ, amd64.Z, d, x, amd64.Imm(n))
}

func (avx512) gather(c *compiler, t, it isa.Type, d amd64.Vec, m amd64.Mem) {
	c.V(amd64.KMOVW, amd64.X, maskTemp, maskExec)
	c.V(opXor.of(t), c.width(t), d, d, d)
	c.V(opGather[it.Bits()/64][t.Bits()/64], c.wider(t, it), d, m, amd64.Merge(maskTemp))
}

func (avx512) scatter(c *compiler, t, it isa.Type, m amd64.Mem, x, v amd64.Vec) {
	c.V(amd64.KMOVW, amd64.X, maskTemp, maskExec)
	c.V(opScatter[it.Bits()/64][t.Bits()/64], c.wider(t, it), amd64.VMem(m.Base, x, m.Scale, m.Disp), v, amd64.Merge(maskTemp))
}

func (avx512) moveSome(c *compiler, t isa.Type, m amd64.Mem, v amd64.Vec) {
	c.V(opMove.of(t), c.width(t), m, v, amd64.Merge(maskExec))
}

func (avx512) reservePart(c *compiler) { c.active = c.NewMask() }

func (avx512) part(c *compiler) { c.V(amd64.KMOVW, amd64.X, c.active, maskExec) }

func (avx512) only(c *compiler, m isa.Reg) {
	if m == isa.None {
		c.V(amd64.KMOVW, amd64.X, maskExec, c.active)
		return
	}
	c.V(amd64.KANDW, amd64.X, maskExec, c.active, amd64.Mask(c.inRegister(m).reg))
}

func (avx512) unlessAny(c *compiler, l amd64.Label) {
	c.V(amd64.KORTESTW, amd64.X, maskExec, maskExec)
	c.Jcc(amd64.IsZero, l)
}

func (avx512) lanesWhere(c *compiler, r amd64.Reg, m isa.Reg, running bool) {
	k := amd64.Mask(c.inRegister(m).reg)
	if running {
		c.V(amd64.KANDW, amd64.X, maskTemp, c.runningMask(), k)
		k = maskTemp
	}
	c.V(c.kmov(), amd64.X, r, k)
}

func (avx512) all(c *compiler) { c.V(amd64.KXNORW, amd64.X, maskExec, maskExec, maskExec) }

func (avx512) addLanes(c *compiler, sum, ones amd64.Vec, m isa.Reg) {
	c.V(amd64.VPSUBD, c.width(isa.I32), sum, sum, ones, amd64.Merge(amd64.Mask(c.inRegister(m).reg)))
}

func (avx512) moveUnder(c *compiler, t isa.Type, m amd64.Mem, v amd64.Vec, lanes isa.Reg) {
	c.V(opMove.of(t), c.width(t), m, v, amd64.Merge(amd64.Mask(c.inRegister(lanes).reg)))
}

func (avx512) halve(c *compiler, d, x amd64.Vec, low, high amd64.Mem, l amd64.Label) {
	top := c.Const64(0xffffffff80000000).Bcast()
	c.V(amd64.VMOVDQU64, amd64.Z, d, low)
	c.V(amd64.VMOVDQU64, amd64.Z, x, high)
	c.V(amd64.KSHIFTRW, amd64.X, maskTemp2, maskExec, amd64.Imm(8))
	c.V(amd64.VPTESTMQ, amd64.Z, maskTemp, d, top, amd64.Merge(maskExec))
	c.V(amd64.KORTESTB, amd64.X, maskTemp, maskTemp)
	c.Jcc(amd64.NotZero, l)
	c.V(amd64.KMOVW, amd64.X, maskTemp, maskTemp2)
	c.V(amd64.VPTESTMQ, amd64.Z, maskTemp, x, top, amd64.Merge(maskTemp))
	c.V(amd64.KORTESTB, amd64.X, maskTemp, maskTemp)
	c.Jcc(amd64.NotZero, l)
	c.V(amd64.VPMOVQD, amd64.Z, d, d)
	c.V(amd64.VPMOVQD, amd64.Z, x, x)
	c.V(amd64.VINSERTI64X4, amd64.Z, d, d, x, amd64.Imm(1))
}

func (avx512) storeHalf(c *compiler, m amd64.Mem, d, x amd64.Vec, half int, dense bool) {
	operands := []amd64.Operand{m, d}
	if half == 1 {
		c.V(amd64.VEXTRACTI64X4, amd64.Z, d, x, amd64.Imm(1))
		x = d
	}
	c.V(amd64.VPMOVZXDQ, amd64.Z, d, x)
	if !dense {
		c.V(amd64.KSHIFTRW, amd64.X, maskTemp, c.runningMask(), amd64.Imm(8*half))
		operands = append(operands, amd64.Merge(maskTemp))
	}
	c.V(amd64.VMOVDQU64, amd64.Z, operands...)
}

func (avx512) moveShort(c *compiler, t isa.Type, m amd64.Mem, v amd64.Vec) {
	c.V(opShorten(t), c.width(t), m, v)
}

func (avx512) moveNarrow(c *compiler, t isa.Type, m amd64.Mem, v amd64.Vec, _ amd64.Label) {
	c.V(opShorten(t), c.width(t), m, v, amd64.Merge(maskExec))
}

// opShorten stores the low 8 or 16 bits of elements of 32.
func opShorten(t isa.Type) amd64.Op {
	if t.Bits() == 8 {
		return amd64.VPMOVDB
	}
	return amd64.VPMOVDW
}

// runningMask is the lanes of the group that run.
func (c *compiler) runningMask() amd64.Mask {
	if c.parting {
		return c.active
	}
	return maskExec
}

// mask returns a mask register for a result or something in between.
func (c *compiler) mask() amd64.Mask { return c.NewMask() }

// kmov is the move of a group's bits.
func (c *compiler) kmov() amd64.Op {
	if c.lanes == 8 {
		return amd64.KMOVB
	}
	return amd64.KMOVW
}

// boolean returns the mask register that holds an operand.
func (c *compiler) boolean(r isa.Reg) amd64.Mask {
	if r.IsScalar() {
		k := c.mask()
		c.G(amd64.MOV, amd64.B32, regTemp, scalar(r))
		c.G(amd64.AND, amd64.B32, regTemp, amd64.Imm(1))
		c.G(amd64.NEG, amd64.B32, regTemp)
		c.V(amd64.KMOVW, amd64.X, k, regTemp)
		return k
	}
	return amd64.Mask(c.inRegister(r).reg)
}

// resultMask makes k the result of the present instruction.
func (c *compiler) resultMask(in *isa.Inst, k amd64.Mask) { c.define(in, isa.B1, int(k), false) }
