package native

import (
	"encoding/binary"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Lanes that follow each other and access the same member of structures that follow each other, such as a component of an
// array of float4, make a strided access of two to four elements a lane. Moves of the whole structures and permutations do
// it in a quarter of the time of a gather or a scatter. (Vectorizers call that an interleaved access; Nuzman, Rosen and
// Zaks, "Auto-vectorization of interleaved data for SIMD", PLDI 2006.)

// maxStride bounds the elements from lane to lane of such an access.
const maxStride = 4

// stride returns how many elements of its type an access with an index for each lane goes on from index to index: 1 if the
// elements of consecutive indices lie side by side, up to maxStride where an interleaved access can be made of
// it, and 0 otherwise.
func (c *compiler) stride(in *isa.Inst) int {
	bytes := uint32(in.Type.Bytes())
	switch {
	case in.Scale == bytes:
		return 1
	case c.features&amd64.AVX512 == 0 || c.lanes != 16 || in.Type.Bank() != isa.Bank32 || in.Idx.Type() != isa.I32:
		return 0
	case in.Scale%bytes != 0 || in.Scale > maxStride*bytes || c.run.Disp[c.at]%4 != 0:
		return 0
	}
	return int(in.Scale / bytes)
}

// numbers16 returns a vector with a number for each of 16 lanes.
func (c *compiler) numbers16(f func(lane int) int) amd64.Mem {
	var b []byte
	for i := range 16 {
		b = binary.LittleEndian.AppendUint32(b, uint32(f(i)))
	}
	return c.Const(b)
}

// extent returns how many bytes behind the element of its index the accesses of a slot reach.
func (c *compiler) extent(slot int) int {
	high := 0
	for i := range c.run.Code {
		if c.run.Slots[i] == slot && accessesMemory(&c.run.Code[i]) {
			high = max(high, int(c.run.Disp[i])+c.run.Code[i].Type.Bytes())
		}
	}
	return high
}

// loadInterleaved loads an element of each of 16 structures of n elements of 32 bits. p is the address of the first lane's
// element of the slot. It changes the registers of temp, and regTemp and regAddress but for p.
func (c *compiler) loadInterleaved(d amd64.Vec, temp [2]amd64.Vec, p amd64.Reg, n, disp, extent int) {
	size := 4 * n
	from, at := disp/size*size, disp%size/4
	v := func(k int) amd64.Mem { return amd64.Mem{Base: p, Disp: int32(from + 64*k)} }
	// What the slot does not reach of the last structure is no memory to load.
	last := func(to amd64.Vec) amd64.Operand {
		rest := min((15*size+extent-from-64*(n-1))/4, 16)
		if rest == 16 {
			return v(n - 1)
		}
		free := regTemp
		if p == regTemp {
			free = regAddress
		}
		c.G(amd64.MOV, amd64.B32, free, amd64.Imm(1<<rest-1))
		c.V(amd64.KMOVW, amd64.X, maskTemp, free)
		c.V(amd64.VMOVDQU32, amd64.Z, to, v(n-1), amd64.Zero(maskTemp))
		return to
	}
	switch n {
	case 2:
		c.V(amd64.VMOVDQU32, amd64.Z, temp[0], c.numbers16(func(i int) int { return 2*i + at }))
		c.V(amd64.VMOVDQU32, amd64.Z, d, v(0))
		c.V(amd64.VPERMT2D, amd64.Z, d, temp[0], last(temp[1]))
	case 3:
		c.V(amd64.VMOVDQU32, amd64.Z, d, c.numbers16(func(i int) int { return min(3*i+at, 31) }))
		c.V(amd64.VMOVDQU32, amd64.Z, temp[0], v(0))
		c.V(amd64.VPERMI2D, amd64.Z, d, temp[0], v(1))
		c.V(amd64.VMOVDQU32, amd64.Z, temp[0], c.numbers16(func(i int) int {
			if e := 3*i + at; e >= 32 {
				return e - 16
			}
			return i
		}))
		c.V(amd64.VPERMT2D, amd64.Z, d, temp[0], last(temp[1]))
	default:
		c.V(amd64.VMOVDQU32, amd64.Z, temp[0], c.numbers16(func(i int) int { return (4*i + at) & 31 }))
		c.V(amd64.VMOVDQU32, amd64.Z, d, v(2))
		c.V(amd64.VPERMT2D, amd64.Z, d, temp[0], last(temp[1]))
		c.V(amd64.VMOVDQU32, amd64.Z, temp[1], v(0))
		c.V(amd64.VPERMT2D, amd64.Z, temp[1], temp[0], v(1))
		c.V(amd64.VINSERTI64X4, amd64.Z, d, d, temp[1], amd64.Imm(0))
	}
}

// storeInterleaved stores an element of each of 16 structures of n elements of 32 bits, of all lanes. m is the address of
// the first lane's element. It changes temp.
func (c *compiler) storeInterleaved(m amd64.Mem, v, temp amd64.Vec, n int) {
	c.G(amd64.LEA, amd64.B64, regAddress, m)
	for k := range n {
		// The elements of lanes are those of the vector with a remainder of 0, counted from the first lane's.
		mask, base := 0, 16*k
		for i := range 16 {
			if (base+i)%n == 0 {
				mask |= 1 << i
			}
		}
		c.V(amd64.VMOVDQU32, amd64.Z, temp, c.numbers16(func(i int) int { return (base + i) / n }))
		c.V(amd64.VPERMD, amd64.Z, temp, temp, v)
		c.G(amd64.MOV, amd64.B32, regTemp, amd64.Imm(mask))
		c.V(amd64.KMOVW, amd64.X, maskTemp, regTemp)
		c.V(amd64.VMOVDQU32, amd64.Z, amd64.Mem{Base: regAddress, Disp: int32(64 * k)}, temp, amd64.Merge(maskTemp))
	}
}
