package x86

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// avx512 is AVX-512 (F, BW, CD, DQ and VL). Booleans are in mask registers.
type avx512 struct{}

// What some mask registers hold. The others hold booleans.
const (
	MaskTemp2 = amd64.K0 // nothing for long
	MaskExec  = amd64.K1 // the lanes of the group that run, or those of them that the instruction is for
	MaskTemp  = amd64.K2 // nothing for long
	firstBool = amd64.K3
)

func (avx512) Bits() int        { return 512 }
func (avx512) Broadcasts() bool { return true }

func (avx512) File(b isa.Bank) file {
	if b == isa.BankMask {
		return FileMask
	}
	return FileVec
}

func (avx512) enter(c *Compiler) { c.V(amd64.KMOVW, amd64.X, MaskExec, RegTemp) }

func (avx512) EnterFrom(c *Compiler) {
	c.V(c.Kmov(), amd64.X, MaskExec, c.ExecOf(c.Across.Group-c.Across.First))
}

func (avx512) MaxHomes() int { return 20 }

func (avx512) Freeze(c *Compiler, t isa.Type, d, x amd64.Vec) {
	c.V(OpCopy.Of(t), c.Width(t), d, x, amd64.Merge(MaskExec))
}

func (avx512) Spread(c *Compiler, t isa.Type, x amd64.Vec, r amd64.Reg) {
	c.V(OpSpread.Of(t), c.Width(t), x, r)
}

func (avx512) Mix(c *Compiler, w amd64.Width, d, x amd64.Vec) {
	c.V(amd64.VPTERNLOGQ, w, d, x, c.Const64(0xffffffff00000000).Bcast(), amd64.Imm(TernaryMix))
}

func (avx512) lower(c *Compiler, d, x amd64.Vec) { c.V(amd64.VPMOVQD, amd64.Z, d, x) }

func (avx512) loadBool(c *Compiler, v *Value) {
	c.V(c.Kmov(), amd64.X, amd64.Mask(v.Reg), c.Memory(v))
}

func (avx512) storeBool(c *Compiler, v *Value) {
	k := amd64.Mask(v.Reg)
	if !v.Dense {
		c.V(c.Kmov(), amd64.X, MaskTemp, c.Memory(v))
		c.V(amd64.KANDNW, amd64.X, MaskTemp, c.runningMask(), MaskTemp)
		c.V(amd64.KANDW, amd64.X, MaskTemp2, c.runningMask(), k)
		c.V(amd64.KORW, amd64.X, MaskTemp2, MaskTemp2, MaskTemp)
		k = MaskTemp2
	}
	c.V(c.Kmov(), amd64.X, c.Memory(v), k)
}

func (avx512) storeSome(c *Compiler, v *Value) {
	t := TypeOf(v.Bank)
	c.V(OpMove.Of(t), c.Width(t), c.Memory(v), amd64.Vec(v.Reg), amd64.Merge(c.runningMask()))
}

func (avx512) storeNarrow(c *Compiler, v *Value) {
	op := amd64.VPMOVDB
	if v.Bank == isa.Bank16 {
		op = amd64.VPMOVDW
	}
	operands := []amd64.Operand{c.Memory(v), amd64.Vec(v.Reg)}
	if !v.Dense {
		operands = append(operands, amd64.Merge(c.runningMask()))
	}
	c.V(op, c.Width(isa.I32), operands...)
}

func (avx512) Canonical(c *Compiler, t isa.Type, x amd64.Vec) {
	w := c.Width(t)
	c.V(OpFCmp.Of(t), w, MaskTemp, x, x, amd64.Imm(CmpUnordered))
	if c.HasNaN && t == isa.F32 {
		c.V(OpCopy.Of(t), w, x, c.NaN, amd64.Merge(MaskTemp))
		return
	}
	c.V(OpSpread.Of(t), w, x, c.Number(t, CanonicalNaN(t)), amd64.Merge(MaskTemp))
}

func (avx512) jumpIfAny(c *Compiler, lanes amd64.Operand, l amd64.Label) {
	c.V(amd64.KTESTW, amd64.X, lanes, MaskExec)
	c.Jcc(amd64.NotZero, l)
}

func (avx512) runningOnly(c *Compiler, lanes amd64.Operand) {
	c.V(amd64.KANDW, amd64.X, lanes, lanes, MaskExec)
}

func (avx512) Every() (vectors, masks int, w amd64.Width) { return 32, 8, amd64.Z }

func (avx512) Equal(c *Compiler, t isa.Type, a, b amd64.Vec, l amd64.Label) {
	c.V(OpCmpU.Of(t), c.Width(t), MaskTemp, a, b, amd64.Imm(IntNotEqual), amd64.Merge(MaskExec))
	c.V(amd64.KORTESTW, amd64.X, MaskTemp, MaskTemp)
	c.Jcc(amd64.NotZero, l)
}

func (avx512) Beyond(c *Compiler, t isa.Type, x amd64.Vec, limit amd64.Operand, l amd64.Label) {
	if m, ok := limit.(amd64.Mem); ok {
		limit = m.Bcast()
	}
	c.V(OpCmpU.Of(t), c.Width(t), MaskTemp, x, limit, amd64.Imm(IntGreater), amd64.Merge(MaskExec))
	c.V(amd64.KORTESTW, amd64.X, MaskTemp, MaskTemp)
	c.Jcc(amd64.NotZero, l)
}

// opGather is the gather by the sizes of the index and of the element: 32 and 64 bits.
var opGather = [2][2]amd64.Op{{amd64.VPGATHERDD, amd64.VPGATHERDQ}, {amd64.VPGATHERQD, amd64.VPGATHERQQ}}

// opScatter is opGather for stores.
var opScatter = [2][2]amd64.Op{{amd64.VPSCATTERDD, amd64.VPSCATTERDQ}, {amd64.VPSCATTERQD, amd64.VPSCATTERQQ}}

func (avx512) zero(c *Compiler, t isa.Type, x amd64.Vec, l amd64.Label) {
	c.V(OpNoTest.Of(t), c.Width(t), MaskTemp, x, x, amd64.Merge(MaskExec))
	c.V(amd64.KORTESTW, amd64.X, MaskTemp, MaskTemp)
	c.Jcc(amd64.NotZero, l)
}

func (avx512) Unequal(c *Compiler, d, x amd64.Vec, n uint64) {
	c.V(amd64.VPCMPUQ, amd64.Z, MaskTemp, d, x, amd64.Imm(IntNotEqual))
	c.V(amd64.VPBROADCASTQ, amd64.Z, d, c.Const64(n), amd64.Merge(MaskTemp))
}

func (avx512) exchange(c *Compiler, d, x amd64.Vec, n, other uint64) {
	c.V(amd64.VPCMPUQ, amd64.Z, MaskTemp, x, c.Const64(n).Bcast(), amd64.Imm(IntEqual))
	c.V(amd64.VPBROADCASTQ, amd64.Z, d, c.Const64(other), amd64.Merge(MaskTemp))
}

func (avx512) Above(c *Compiler, d, x amd64.Vec, limit, n uint64) {
	c.V(amd64.VPCMPQ, amd64.Z, MaskTemp, x, c.Const64(limit).Bcast(), amd64.Imm(IntGreater))
	c.V(amd64.VPBROADCASTQ, amd64.Z, d, c.Const64(n), amd64.Merge(MaskTemp))
}

func (avx512) Tag(c *Compiler, d, x amd64.Vec, mask uint64) {
	c.V(amd64.VPTERNLOGQ, amd64.Z, d, x, c.Const64(mask).Bcast(), amd64.Imm(TernaryMix))
}

func (avx512) sarLong(c *Compiler, d, x amd64.Vec, n uint64) {
	c.V(amd64.VPSRAQ, amd64.Z, d, x, amd64.Imm(n))
}

func (avx512) Gather(c *Compiler, t, it isa.Type, d amd64.Vec, m amd64.Mem) {
	c.V(amd64.KMOVW, amd64.X, MaskTemp, MaskExec)
	c.V(OpXor.Of(t), c.Width(t), d, d, d)
	c.V(opGather[it.Bits()/64][t.Bits()/64], c.Wider(t, it), d, m, amd64.Merge(MaskTemp))
}

func (avx512) scatter(c *Compiler, t, it isa.Type, m amd64.Mem, x, v amd64.Vec) {
	c.V(amd64.KMOVW, amd64.X, MaskTemp, MaskExec)
	c.V(opScatter[it.Bits()/64][t.Bits()/64], c.Wider(t, it), amd64.VMem(m.Base, x, m.Scale, m.Disp), v, amd64.Merge(MaskTemp))
}

func (avx512) MoveSome(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec) {
	c.V(OpMove.Of(t), c.Width(t), m, v, amd64.Merge(MaskExec))
}

func (avx512) ReservePart(c *Compiler) { c.active = c.NewMask() }

func (avx512) Part(c *Compiler) { c.V(amd64.KMOVW, amd64.X, c.active, MaskExec) }

func (avx512) Only(c *Compiler, m isa.Reg) {
	if m == isa.None {
		c.V(amd64.KMOVW, amd64.X, MaskExec, c.active)
		return
	}
	c.V(amd64.KANDW, amd64.X, MaskExec, c.active, amd64.Mask(c.InRegister(m).Reg))
}

func (avx512) UnlessAny(c *Compiler, l amd64.Label) {
	c.V(amd64.KORTESTW, amd64.X, MaskExec, MaskExec)
	c.Jcc(amd64.IsZero, l)
}

func (avx512) LanesWhere(c *Compiler, r amd64.Reg, m isa.Reg, running bool) {
	k := amd64.Mask(c.InRegister(m).Reg)
	if running {
		c.V(amd64.KANDW, amd64.X, MaskTemp, c.runningMask(), k)
		k = MaskTemp
	}
	c.V(c.Kmov(), amd64.X, r, k)
}

func (avx512) All(c *Compiler) { c.V(amd64.KXNORW, amd64.X, MaskExec, MaskExec, MaskExec) }

func (avx512) AddLanes(c *Compiler, sum, ones amd64.Vec, m isa.Reg) {
	c.V(amd64.VPSUBD, c.Width(isa.I32), sum, sum, ones, amd64.Merge(amd64.Mask(c.InRegister(m).Reg)))
}

func (avx512) MoveUnder(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec, lanes isa.Reg) {
	c.V(OpMove.Of(t), c.Width(t), m, v, amd64.Merge(amd64.Mask(c.InRegister(lanes).Reg)))
}

func (avx512) Halve(c *Compiler, d, x amd64.Vec, low, high amd64.Mem, l amd64.Label) {
	top := c.Const64(0xffffffff80000000).Bcast()
	c.V(amd64.VMOVDQU64, amd64.Z, d, low)
	c.V(amd64.VMOVDQU64, amd64.Z, x, high)
	c.V(amd64.KSHIFTRW, amd64.X, MaskTemp2, MaskExec, amd64.Imm(8))
	c.V(amd64.VPTESTMQ, amd64.Z, MaskTemp, d, top, amd64.Merge(MaskExec))
	c.V(amd64.KORTESTB, amd64.X, MaskTemp, MaskTemp)
	c.Jcc(amd64.NotZero, l)
	c.V(amd64.KMOVW, amd64.X, MaskTemp, MaskTemp2)
	c.V(amd64.VPTESTMQ, amd64.Z, MaskTemp, x, top, amd64.Merge(MaskTemp))
	c.V(amd64.KORTESTB, amd64.X, MaskTemp, MaskTemp)
	c.Jcc(amd64.NotZero, l)
	c.V(amd64.VPMOVQD, amd64.Z, d, d)
	c.V(amd64.VPMOVQD, amd64.Z, x, x)
	c.V(amd64.VINSERTI64X4, amd64.Z, d, d, x, amd64.Imm(1))
}

func (avx512) StoreHalf(c *Compiler, m amd64.Mem, d, x amd64.Vec, half int, dense bool) {
	operands := []amd64.Operand{m, d}
	if half == 1 {
		c.V(amd64.VEXTRACTI64X4, amd64.Z, d, x, amd64.Imm(1))
		x = d
	}
	c.V(amd64.VPMOVZXDQ, amd64.Z, d, x)
	if !dense {
		c.V(amd64.KSHIFTRW, amd64.X, MaskTemp, c.runningMask(), amd64.Imm(8*half))
		operands = append(operands, amd64.Merge(MaskTemp))
	}
	c.V(amd64.VMOVDQU64, amd64.Z, operands...)
}

func (avx512) MoveShort(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec) {
	c.V(opShorten(t), c.Width(t), m, v)
}

func (avx512) moveNarrow(c *Compiler, t isa.Type, m amd64.Mem, v amd64.Vec, _ amd64.Label) {
	c.V(opShorten(t), c.Width(t), m, v, amd64.Merge(MaskExec))
}

// opShorten stores the low 8 or 16 bits of elements of 32.
func opShorten(t isa.Type) amd64.Op {
	if t.Bits() == 8 {
		return amd64.VPMOVDB
	}
	return amd64.VPMOVDW
}

// runningMask is the lanes of the group that run.
func (c *Compiler) runningMask() amd64.Mask {
	if c.Parting {
		return c.active
	}
	return MaskExec
}

// Mask returns a mask register for a result or something in between.
func (c *Compiler) Mask() amd64.Mask { return c.NewMask() }

// Kmov is the move of a group's bits.
func (c *Compiler) Kmov() amd64.Op {
	if c.Lanes == 8 {
		return amd64.KMOVB
	}
	return amd64.KMOVW
}

// Boolean returns the mask register that holds an operand.
func (c *Compiler) Boolean(r isa.Reg) amd64.Mask {
	if r.IsScalar() {
		k := c.Mask()
		c.G(amd64.MOV, amd64.B32, RegTemp, Scalar(r))
		c.G(amd64.AND, amd64.B32, RegTemp, amd64.Imm(1))
		c.G(amd64.NEG, amd64.B32, RegTemp)
		c.V(amd64.KMOVW, amd64.X, k, RegTemp)
		return k
	}
	return amd64.Mask(c.InRegister(r).Reg)
}

// ResultMask makes k the result of the present instruction.
func (c *Compiler) ResultMask(in *isa.Inst, k amd64.Mask) { c.Define(in, isa.B1, int(k), false) }
