package x86

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
	VecTemp = amd64.Vec(14) // nothing for long: Compiler.Vec may change it, to make room
	// VecIdle has ones, of 32 bits, in the lanes of the group that do not run. Their complement is
	// needed less often.
	VecIdle = amd64.Vec(15)
)

func (avx2) Bits() int          { return 256 }
func (avx2) Broadcasts() bool   { return false }
func (avx2) File(isa.Bank) file { return FileVec }

func (avx2) enter(c *Compiler) {
	w := c.Width(isa.I32)
	c.V(amd64.VMOVD, amd64.X, VecIdle, RegTemp)
	c.V(amd64.VPBROADCASTD, w, VecIdle, VecIdle)
	c.V(amd64.VPANDD, w, VecIdle, VecIdle, c.LaneBits())
	c.V(amd64.VPXORD, w, VecTemp, VecTemp, VecTemp)
	c.V(amd64.VPCMPEQD, w, VecIdle, VecIdle, VecTemp)
}

func (avx2) EnterFrom(c *Compiler) {
	if at, ok := c.IdleAt[c.Across.Group]; ok {
		c.V(amd64.VMOVDQU32, c.Width(isa.I32), VecIdle, at)
		return
	}
	g := c.Across.Group - c.Across.First
	c.G(amd64.MOVZX8, amd64.B32, RegTemp, c.ExecOf(g))
	if bit := g * c.Lanes % 8; bit > 0 {
		c.G(amd64.SHR, amd64.B32, RegTemp, amd64.Imm(bit))
	}
	avx2{}.enter(c)
}

func (avx2) MaxHomes() int { return 8 }

func (avx2) Freeze(c *Compiler, t isa.Type, d, x amd64.Vec) {
	c.V(OpSelect2.Of(t), c.Width(t), d, x, d, c.Idle(t))
}

// LaneBits has bit i in lane i.
func (c *Compiler) LaneBits() amd64.Mem {
	var b []byte
	for i := range c.Lanes {
		b = binary.LittleEndian.AppendUint32(b, 1<<i)
	}
	return c.Const(b)
}

func (avx2) Spread(c *Compiler, t isa.Type, x amd64.Vec, r amd64.Reg) {
	c.V(OpExtract.Of(t), amd64.X, x, r)
	c.V(OpSpread.Of(t), c.Width(t), x, x)
}

func (avx2) Mix(c *Compiler, w amd64.Width, d, x amd64.Vec) {
	c.V(amd64.VPBLENDD, w, d, d, x, amd64.Imm(0xaa))
}

func (avx2) loadBool(c *Compiler, v *Value) {
	w, x := c.Width(isa.I32), amd64.Vec(v.Reg)
	if c.Lanes == 8 {
		c.V(amd64.VPBROADCASTB, w, x, c.Memory(v))
	} else {
		c.V(amd64.SHRXQ, amd64.X, RegTemp, c.chunkWord(v), RegLane)
		c.V(amd64.VMOVD, amd64.X, x, RegTemp)
		c.V(amd64.VPBROADCASTD, w, x, x)
	}
	c.V(amd64.VPANDD, w, x, x, c.LaneBits())
	c.V(amd64.VPCMPEQD, w, x, x, c.LaneBits())
	v.Wide = false
}

// chunkWord is the word of 64 booleans that a value is in.
func (c *Compiler) chunkWord(v *Value) amd64.Mem {
	if c.Across.Groups > 0 {
		c.locate(v.Group)
	}
	return amd64.Mem{Base: RegChunk, Disp: int32(v.Off)}
}

// storeBool changes the bits that differ from those in the register file.
func (avx2) storeBool(c *Compiler, v *Value) {
	x := amd64.Vec(v.Reg)
	if v.Wide {
		c.V(amd64.VMOVMSKPD, amd64.Y, RegTemp, x)
	} else {
		c.V(amd64.VMOVMSKPS, c.Width(isa.I32), RegTemp, x)
	}
	if c.Lanes == 8 {
		if v.Dense {
			c.G(amd64.MOV, amd64.B8, c.Memory(v), RegTemp)
			return
		}
		c.G(amd64.XOR, amd64.B8, RegTemp, c.Memory(v))
		c.V(amd64.VMOVMSKPS, amd64.Y, RegAddress, c.stopped())
		c.V(amd64.ANDN, amd64.X, RegTemp, RegAddress, RegTemp)
		c.G(amd64.XOR, amd64.B8, c.Memory(v), RegTemp)
		return
	}
	c.V(amd64.SHRXQ, amd64.X, RegAddress, c.chunkWord(v), RegLane)
	c.G(amd64.XOR, amd64.B32, RegTemp, RegAddress)
	if !v.Dense {
		c.V(amd64.VMOVMSKPS, amd64.X, RegAddress, c.stopped())
		c.V(amd64.ANDN, amd64.X, RegTemp, RegAddress, RegTemp)
	}
	c.G(amd64.AND, amd64.B32, RegTemp, amd64.Imm(1<<c.Lanes-1))
	c.V(amd64.SHLXQ, amd64.X, RegTemp, RegTemp, RegLane)
	c.G(amd64.XOR, amd64.B64, c.chunkWord(v), RegTemp)
}

func (avx2) storeSome(c *Compiler, v *Value) {
	t := TypeOf(v.Bank)
	w := c.Width(t)
	c.V(OpSelect2.Of(t), w, VecTemp, amd64.Vec(v.Reg), c.Memory(v), c.asWide(t, c.stopped()))
	c.V(OpMove.Of(t), w, c.Memory(v), VecTemp)
}

func (avx2) storeNarrow(c *Compiler, v *Value) {
	x, w := amd64.Vec(v.Reg), c.Width(isa.I32)
	if !v.Dense {
		c.V(FileLoads[v.Bank], w, VecTemp, c.Memory(v))
		c.V(amd64.VBLENDVPS, w, VecTemp, x, VecTemp, c.stopped())
		x = VecTemp
	}
	c.moveShort(v.Bank, c.Memory(v), x)
}

// moveShort stores the low 8 or 16 bits of elements of 32, which are zero-extended.
func (c *Compiler) moveShort(bank isa.Bank, m amd64.Mem, x amd64.Vec) {
	c.Pack(VecTemp, x)
	bytes := 2 * c.Lanes
	if bank == isa.Bank8 {
		c.V(amd64.VPACKUSWB, amd64.X, VecTemp, VecTemp, VecTemp)
		bytes = c.Lanes
	}
	move := map[int]amd64.Op{4: amd64.VMOVD, 8: amd64.VMOVQ, 16: amd64.VMOVDQU32}[bytes]
	c.V(move, amd64.X, m, VecTemp)
}

// Pack puts elements of 32 bits, which are zero-extended, next to each other as elements of 16.
func (c *Compiler) Pack(d, x amd64.Vec) {
	w := c.Width(isa.I32)
	c.V(amd64.VPACKUSDW, w, d, x, x)
	if w == amd64.Y {
		c.V(amd64.VPERMQ, w, d, d, amd64.Imm(0x08)) // it packs each half of the register on its own
	}
}

// Idle returns VecIdle with elements as wide as those of a type, in VecTemp if they have 64 bits.
func (c *Compiler) Idle(t isa.Type) amd64.Vec { return c.asWide(t, VecIdle) }

// asWide is idle for any vector with elements of 32 bits that are all ones or all zeros.
func (c *Compiler) asWide(t isa.Type, x amd64.Vec) amd64.Vec {
	if t.Bank() != isa.Bank64 {
		return x
	}
	c.V(amd64.VPMOVSXDQ, amd64.Y, VecTemp, x)
	return VecTemp
}

// stopped has ones in the lanes of the group that do not run, whatever block the present one is.
func (c *Compiler) stopped() amd64.Vec {
	if c.Parting {
		return c.resting
	}
	return VecIdle
}

func (avx2) Canonical(c *Compiler, t isa.Type, x amd64.Vec) {
	w := c.Width(t)
	c.V(OpFCmp.Of(t), w, VecTemp, x, x, amd64.Imm(CmpUnordered))
	c.V(OpSelect2.Of(t), w, x, x, c.Splat(t, 0x7fc00000, 0x7ff8000000000000), VecTemp)
}

// Truth returns the vector register that holds an operand of booleans, in lanes as wide as the
// elements of a type.
func (c *Compiler) Truth(r isa.Reg, t isa.Type) amd64.Vec {
	if r.IsScalar() {
		x, w := c.Vec(), c.Width(t)
		c.V(amd64.VPBROADCASTD, w, x, Scalar(r))
		c.V(amd64.VPSLLD, w, x, x, amd64.Imm(31))
		c.V(amd64.VPSRAD, w, x, x, amd64.Imm(31))
		return x
	}
	v := c.InRegister(r)
	x := amd64.Vec(v.Reg)
	switch wide := t.Bank() == isa.Bank64; {
	case wide && !v.Wide:
		c.V(amd64.VPMOVSXDQ, amd64.Y, x, x)
		v.Wide = true
	case !wide && v.Wide:
		c.Narrow(x, x)
		v.Wide = false
	}
	return x
}

func (avx2) lower(c *Compiler, d, x amd64.Vec) { c.Narrow(d, x) }

func (avx2) jumpIfAny(c *Compiler, lanes amd64.Operand, l amd64.Label) {
	c.V(amd64.VTESTPS, c.Width(isa.I32), VecIdle, lanes)
	c.Jcc(amd64.NotCarry, l)
}

func (avx2) runningOnly(c *Compiler, lanes amd64.Operand) {
	c.V(amd64.VPANDND, c.Width(isa.I32), lanes, VecIdle, lanes)
}

func (avx2) Every() (vectors, masks int, w amd64.Width) { return 16, 0, amd64.Y }

// Narrow puts the lower halves of elements of 64 bits next to each other.
func (c *Compiler) Narrow(d, x amd64.Vec) {
	c.V(amd64.VEXTRACTI128, amd64.Y, VecTemp, x, amd64.Imm(1))
	c.V(amd64.VSHUFPS, amd64.X, d, x, VecTemp, amd64.Imm(0x88))
}

// ResultTruth makes x, in lanes as wide as the elements of a type, the result of the present instruction.
func (c *Compiler) ResultTruth(in *isa.Inst, t isa.Type, x amd64.Vec) {
	c.Define(in, isa.B1, int(x), false)
	c.Value(in.Dst, isa.B1).Wide = t.Bank() == isa.Bank64
}

// LanesOf returns a type with elements as wide as the lanes of the first of the operands that
// is in a register, so that fewer have to change.
func (c *Compiler) LanesOf(operands ...isa.Reg) isa.Type {
	for _, r := range operands {
		if r.IsScalar() {
			continue
		}
		if v := c.Value(r, isa.B1); v.Reg >= 0 && v.Wide {
			return isa.I64
		} else if v.Reg >= 0 {
			break
		}
	}
	return isa.I32
}

// Complement turns all bits around.
func (c *Compiler) Complement(t isa.Type, d, x amd64.Vec) {
	c.V(amd64.VPXORD, c.Width(t), d, x, c.Splat(t, 1<<32-1, 1<<64-1))
}
