package native

import (
	"encoding/binary"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// avx2 is AVX2 with the rest of x86-64-v3. Booleans are vectors with all ones in the lanes that
// are true, and zeros in the others.
type avx2 struct{}

// What some vector registers hold. The others hold values.
const (
	vecTemp = amd64.Vec(14) // nothing for long: compiler.vec may change it, to make room
	// vecIdle has ones, of 32 bits, in the lanes of the group that do not run. Their complement is
	// needed less often.
	vecIdle = amd64.Vec(15)
)

func (avx2) bits() int          { return 256 }
func (avx2) broadcasts() bool   { return false }
func (avx2) file(isa.Bank) file { return fileVec }

func (avx2) enter(c *compiler) {
	w := c.width(isa.I32)
	c.V(amd64.VMOVD, amd64.X, vecIdle, regTemp)
	c.V(amd64.VPBROADCASTD, w, vecIdle, vecIdle)
	c.V(amd64.VPANDD, w, vecIdle, vecIdle, c.laneBits())
	c.V(amd64.VPXORD, w, vecTemp, vecTemp, vecTemp)
	c.V(amd64.VPCMPEQD, w, vecIdle, vecIdle, vecTemp)
}

func (avx2) enterFrom(c *compiler) {
	if at, ok := c.idleAt[c.across.group]; ok {
		c.V(amd64.VMOVDQU32, c.width(isa.I32), vecIdle, at)
		return
	}
	g := c.across.group - c.across.first
	c.G(amd64.MOVZX8, amd64.B32, regTemp, c.execOf(g))
	if bit := g * c.lanes % 8; bit > 0 {
		c.G(amd64.SHR, amd64.B32, regTemp, amd64.Imm(bit))
	}
	avx2{}.enter(c)
}

func (avx2) maxHomes() int { return 8 }

func (avx2) freeze(c *compiler, t isa.Type, d, x amd64.Vec) {
	c.V(opSelect2.of(t), c.width(t), d, x, d, c.idle(t))
}

// laneBits has bit i in lane i.
func (c *compiler) laneBits() amd64.Mem {
	var b []byte
	for i := range c.lanes {
		b = binary.LittleEndian.AppendUint32(b, 1<<i)
	}
	return c.Const(b)
}

func (avx2) spread(c *compiler, t isa.Type, x amd64.Vec, r amd64.Reg) {
	c.V(opExtract.of(t), amd64.X, x, r)
	c.V(opSpread.of(t), c.width(t), x, x)
}

func (avx2) mix(c *compiler, w amd64.Width, d, x amd64.Vec) {
	c.V(amd64.VPBLENDD, w, d, d, x, amd64.Imm(0xaa))
}

func (avx2) loadBool(c *compiler, v *value) {
	w, x := c.width(isa.I32), amd64.Vec(v.reg)
	if c.lanes == 8 {
		c.V(amd64.VPBROADCASTB, w, x, c.memory(v))
	} else {
		c.V(amd64.SHRXQ, amd64.X, regTemp, c.chunkWord(v), regLane)
		c.V(amd64.VMOVD, amd64.X, x, regTemp)
		c.V(amd64.VPBROADCASTD, w, x, x)
	}
	c.V(amd64.VPANDD, w, x, x, c.laneBits())
	c.V(amd64.VPCMPEQD, w, x, x, c.laneBits())
	v.wide = false
}

// chunkWord is the word of 64 booleans that a value is in.
func (c *compiler) chunkWord(v *value) amd64.Mem {
	if c.across.groups > 0 {
		c.locate(v.group)
	}
	return amd64.Mem{Base: regChunk, Disp: int32(v.off)}
}

// storeBool changes the bits that differ from those in the register file.
func (avx2) storeBool(c *compiler, v *value) {
	x := amd64.Vec(v.reg)
	if v.wide {
		c.V(amd64.VMOVMSKPD, amd64.Y, regTemp, x)
	} else {
		c.V(amd64.VMOVMSKPS, c.width(isa.I32), regTemp, x)
	}
	if c.lanes == 8 {
		if v.dense {
			c.G(amd64.MOV, amd64.B8, c.memory(v), regTemp)
			return
		}
		c.G(amd64.XOR, amd64.B8, regTemp, c.memory(v))
		c.V(amd64.VMOVMSKPS, amd64.Y, regAddress, c.stopped())
		c.V(amd64.ANDN, amd64.X, regTemp, regAddress, regTemp)
		c.G(amd64.XOR, amd64.B8, c.memory(v), regTemp)
		return
	}
	c.V(amd64.SHRXQ, amd64.X, regAddress, c.chunkWord(v), regLane)
	c.G(amd64.XOR, amd64.B32, regTemp, regAddress)
	if !v.dense {
		c.V(amd64.VMOVMSKPS, amd64.X, regAddress, c.stopped())
		c.V(amd64.ANDN, amd64.X, regTemp, regAddress, regTemp)
	}
	c.G(amd64.AND, amd64.B32, regTemp, amd64.Imm(1<<c.lanes-1))
	c.V(amd64.SHLXQ, amd64.X, regTemp, regTemp, regLane)
	c.G(amd64.XOR, amd64.B64, c.chunkWord(v), regTemp)
}

func (avx2) storeSome(c *compiler, v *value) {
	t := typeOf(v.bank)
	w := c.width(t)
	c.V(opSelect2.of(t), w, vecTemp, amd64.Vec(v.reg), c.memory(v), c.asWide(t, c.stopped()))
	c.V(opMove.of(t), w, c.memory(v), vecTemp)
}

func (avx2) storeNarrow(c *compiler, v *value) {
	x, w := amd64.Vec(v.reg), c.width(isa.I32)
	if !v.dense {
		c.V(fileLoads[v.bank], w, vecTemp, c.memory(v))
		c.V(amd64.VBLENDVPS, w, vecTemp, x, vecTemp, c.stopped())
		x = vecTemp
	}
	c.moveShort(v.bank, c.memory(v), x)
}

// moveShort stores the low 8 or 16 bits of elements of 32, which are zero-extended.
func (c *compiler) moveShort(bank isa.Bank, m amd64.Mem, x amd64.Vec) {
	c.pack(vecTemp, x)
	bytes := 2 * c.lanes
	if bank == isa.Bank8 {
		c.V(amd64.VPACKUSWB, amd64.X, vecTemp, vecTemp, vecTemp)
		bytes = c.lanes
	}
	move := map[int]amd64.Op{4: amd64.VMOVD, 8: amd64.VMOVQ, 16: amd64.VMOVDQU32}[bytes]
	c.V(move, amd64.X, m, vecTemp)
}

// pack puts elements of 32 bits, which are zero-extended, next to each other as elements of 16.
func (c *compiler) pack(d, x amd64.Vec) {
	w := c.width(isa.I32)
	c.V(amd64.VPACKUSDW, w, d, x, x)
	if w == amd64.Y {
		c.V(amd64.VPERMQ, w, d, d, amd64.Imm(0x08)) // it packs each half of the register on its own
	}
}

// idle returns vecIdle with elements as wide as those of a type, in vecTemp if they have 64 bits.
func (c *compiler) idle(t isa.Type) amd64.Vec { return c.asWide(t, vecIdle) }

// asWide is idle for any vector with elements of 32 bits that are all ones or all zeros.
func (c *compiler) asWide(t isa.Type, x amd64.Vec) amd64.Vec {
	if t.Bank() != isa.Bank64 {
		return x
	}
	c.V(amd64.VPMOVSXDQ, amd64.Y, vecTemp, x)
	return vecTemp
}

// stopped has ones in the lanes of the group that do not run, whatever block the present one is.
func (c *compiler) stopped() amd64.Vec {
	if c.parting {
		return c.resting
	}
	return vecIdle
}

func (avx2) canonical(c *compiler, t isa.Type, x amd64.Vec) {
	w := c.width(t)
	c.V(opFCmp.of(t), w, vecTemp, x, x, amd64.Imm(cmpUnordered))
	c.V(opSelect2.of(t), w, x, x, c.splat(t, 0x7fc00000, 0x7ff8000000000000), vecTemp)
}

// truth returns the vector register that holds an operand of booleans, in lanes as wide as the
// elements of a type.
func (c *compiler) truth(r isa.Reg, t isa.Type) amd64.Vec {
	if r.IsScalar() {
		x, w := c.vec(), c.width(t)
		c.V(amd64.VPBROADCASTD, w, x, scalar(r))
		c.V(amd64.VPSLLD, w, x, x, amd64.Imm(31))
		c.V(amd64.VPSRAD, w, x, x, amd64.Imm(31))
		return x
	}
	v := c.inRegister(r)
	x := amd64.Vec(v.reg)
	switch wide := t.Bank() == isa.Bank64; {
	case wide && !v.wide:
		c.V(amd64.VPMOVSXDQ, amd64.Y, x, x)
		v.wide = true
	case !wide && v.wide:
		c.narrow(x, x)
		v.wide = false
	}
	return x
}

func (avx2) lower(c *compiler, d, x amd64.Vec) { c.narrow(d, x) }

func (avx2) jumpIfAny(c *compiler, lanes amd64.Operand, l amd64.Label) {
	c.V(amd64.VTESTPS, c.width(isa.I32), vecIdle, lanes)
	c.Jcc(amd64.NotCarry, l)
}

func (avx2) runningOnly(c *compiler, lanes amd64.Operand) {
	c.V(amd64.VPANDND, c.width(isa.I32), lanes, vecIdle, lanes)
}

func (avx2) every() (vectors, masks int, w amd64.Width) { return 16, 0, amd64.Y }

// narrow puts the lower halves of elements of 64 bits next to each other.
func (c *compiler) narrow(d, x amd64.Vec) {
	c.V(amd64.VEXTRACTI128, amd64.Y, vecTemp, x, amd64.Imm(1))
	c.V(amd64.VSHUFPS, amd64.X, d, x, vecTemp, amd64.Imm(0x88))
}

// resultTruth makes x, in lanes as wide as the elements of a type, the result of the present instruction.
func (c *compiler) resultTruth(in *isa.Inst, t isa.Type, x amd64.Vec) {
	c.define(in, isa.B1, int(x), false)
	c.value(in.Dst, isa.B1).wide = t.Bank() == isa.Bank64
}

// lanesOf returns a type with elements as wide as the lanes of the first of the operands that
// is in a register, so that fewer have to change.
func (c *compiler) lanesOf(operands ...isa.Reg) isa.Type {
	for _, r := range operands {
		if r.IsScalar() {
			continue
		}
		if v := c.value(r, isa.B1); v.reg >= 0 && v.wide {
			return isa.I64
		} else if v.reg >= 0 {
			break
		}
	}
	return isa.I32
}

// complement turns all bits around.
func (c *compiler) complement(t isa.Type, d, x amd64.Vec) {
	c.V(amd64.VPXORD, c.width(t), d, x, c.splat(t, 1<<32-1, 1<<64-1))
}
