package x86

import (
	"encoding/binary"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// Lanes that follow each other and access the same member of structures that follow each other, such as a
// component of an array of float4, make a strided access: to words in structures of up to four
// words, or to bytes and shorts in structures of up to 16 bytes. Moves of the whole structures and permutations
// do it in a quarter of the time of a gather or a scatter. (Vectorizers call that an interleaved access;
// Nuzman, Rosen and Zaks, "Auto-vectorization of interleaved data for SIMD", PLDI 2006.)

// maxStride bounds the elements from lane to lane of such an access.
const maxStride = 4

// maxNarrowStride bounds the bytes from lane to lane where the elements have 8 or 16 bits.
const maxNarrowStride = 16

// Stride returns how many elements of its type an access with an index for each lane goes on from index to
// index: 1 if the elements of consecutive indices lie side by side, more where an interleaved access can be
// made of it, and 0 otherwise.
func (c *Compiler) Stride(in *isa.Inst) int {
	bytes := uint32(in.Type.Bytes())
	switch {
	case in.Scale == bytes:
		return 1
	case c.CPU&amd64.AVX512 == 0 || c.Lanes != 16 || in.Idx.Type() != isa.I32:
		return 0
	case in.Scale%bytes != 0 || uint32(c.Run.Disp[c.Index])%bytes != 0:
		return 0
	case Narrow(in.Type):
		// Four vectors have two halves of the lanes each (permuteWords).
		if in.Scale > 12 && in.Scale != maxNarrowStride {
			return 0
		}
	case in.Type.Bank() != isa.Bank32 || in.Scale > maxStride*bytes:
		return 0
	}
	return int(in.Scale / bytes)
}

// numbers16 returns a vector with a number for each of 16 lanes.
func (c *Compiler) numbers16(f func(lane int) int) amd64.Mem {
	var b []byte
	for i := range 16 {
		b = binary.LittleEndian.AppendUint32(b, uint32(f(i)))
	}
	return c.Const(b)
}

// Extent returns how many bytes behind the element of its index the accesses of a slot reach.
func (c *Compiler) Extent(slot int) int {
	high := 0
	for i := range c.Run.Code {
		if c.Run.Slots[i] == slot && AccessesMemory(&c.Run.Code[i]) {
			high = max(high, int(c.Run.Disp[i])+c.Run.Code[i].Type.Bytes())
		}
	}
	return high
}

// window is memory that an interleaved load reads, of up to four vectors.
type window struct {
	base     amd64.Reg
	from     int // the first byte, counted from base
	readable int // how many bytes there are from there on
}

// vector returns vector k of the window.
func (w *window) vector(k int) amd64.Mem { return amd64.Mem{Base: w.base, Disp: int32(w.from + 64*k)} }

// windowOf returns the window of an interleaved load of the element at disp from the first lane's element of
// its slot, which p points to, and where in the window the element is. size is what a structure has, extent
// what the slot has of it, in bytes.
func windowOf(p amd64.Reg, size, disp, extent int) (window, int) {
	from := disp / size * size
	return window{p, from, 15*size + extent - from}, disp % size
}

// windowPart returns vector k of the window as an operand. What the slot does not reach of the last
// structure is no memory to load: the vector then comes into register to, with zeros in its place. It may
// change RegTemp or RegAddress, not the base.
func (c *Compiler) windowPart(w *window, k int, to amd64.Vec) amd64.Operand {
	rest := w.readable - 64*k
	switch {
	case rest >= 64:
		return w.vector(k)
	case rest%4 != 0:
		c.V(amd64.KMOVQ, amd64.X, MaskTemp, c.Const64(1<<rest-1))
		c.V(amd64.VMOVDQU8, amd64.Z, to, w.vector(k), amd64.Zero(MaskTemp))
		return to
	}
	free := RegTemp
	if w.base == RegTemp {
		free = RegAddress
	}
	c.G(amd64.MOV, amd64.B32, free, amd64.Imm(1<<(rest/4)-1))
	c.V(amd64.KMOVW, amd64.X, MaskTemp, free)
	c.V(amd64.VMOVDQU32, amd64.Z, to, w.vector(k), amd64.Zero(MaskTemp))
	return to
}

// LoadInterleaved loads an element of each of 16 structures of n elements of type t. p is the address of the
// first lane's element of the slot. It changes the registers of temp, and RegTemp and RegAddress but for p.
func (c *Compiler) LoadInterleaved(t isa.Type, d amd64.Vec, temp [2]amd64.Vec, p amd64.Reg, n, disp, extent int) {
	size := t.Bytes() * n
	w, at := windowOf(p, size, disp, extent)
	if size > 4 {
		c.permuteWords(d, temp, &w, (16*size+63)/64, func(lane int) int { return (size*lane + at) / 4 })
		if Narrow(t) {
			c.bytesOf(d, t.Bytes(), func(lane int) int { return (size*lane + at) % 4 })
		}
		return
	}
	// Four structures lie in 16 bytes, in which VPSHUFB moves bytes.
	w.readable = min(w.readable, 16*size)
	x := c.windowPart(&w, 0, d)
	if size < 4 {
		c.V(amd64.VMOVDQU32, amd64.Z, temp[0], c.numbers16(func(lane int) int { return min(lane/4*size+lane%4, 15) }))
		c.V(amd64.VPERMD, amd64.Z, d, temp[0], x)
	} else if x != d {
		c.V(amd64.VMOVDQU32, amd64.Z, d, x)
	}
	c.bytesOf(d, t.Bytes(), func(lane int) int { return lane%4*(size-4) + at })
}

// bytesOf gives each lane, of 32 bits, bytes of the quarter of d that the lane is in, with zeros above them:
// those from byte at(lane) on, counted from the lane's own first one.
func (c *Compiler) bytesOf(d amd64.Vec, bytes int, at func(lane int) int) {
	var b []byte
	for lane := range 16 {
		for i := range 4 {
			if i < bytes {
				b = append(b, byte(lane%4*4+at(lane)+i))
			} else {
				b = append(b, 0x80)
			}
		}
	}
	c.V(amd64.VPSHUFB, amd64.Z, d, d, c.Const(b))
}

// permuteWords gives each lane the word of 32 bits with number word(lane) of a window of two to four
// vectors. In one of four, lanes 0 to 7 have words below 32, the others those from there on.
func (c *Compiler) permuteWords(d amd64.Vec, temp [2]amd64.Vec, w *window, vectors int, word func(lane int) int) {
	switch vectors {
	case 2:
		c.V(amd64.VMOVDQU32, amd64.Z, temp[0], c.numbers16(word))
		c.V(amd64.VMOVDQU32, amd64.Z, d, w.vector(0))
		c.V(amd64.VPERMT2D, amd64.Z, d, temp[0], c.windowPart(w, 1, temp[1]))
	case 3:
		c.V(amd64.VMOVDQU32, amd64.Z, d, c.numbers16(func(lane int) int { return min(word(lane), 31) }))
		c.V(amd64.VMOVDQU32, amd64.Z, temp[0], w.vector(0))
		c.V(amd64.VPERMI2D, amd64.Z, d, temp[0], w.vector(1))
		c.V(amd64.VMOVDQU32, amd64.Z, temp[0], c.numbers16(func(lane int) int {
			if e := word(lane); e >= 32 {
				return e - 16
			}
			return lane
		}))
		c.V(amd64.VPERMT2D, amd64.Z, d, temp[0], c.windowPart(w, 2, temp[1]))
	default:
		c.V(amd64.VMOVDQU32, amd64.Z, temp[0], c.numbers16(func(lane int) int { return word(lane) & 31 }))
		c.V(amd64.VMOVDQU32, amd64.Z, d, w.vector(2))
		c.V(amd64.VPERMT2D, amd64.Z, d, temp[0], c.windowPart(w, 3, temp[1]))
		c.V(amd64.VMOVDQU32, amd64.Z, temp[1], w.vector(0))
		c.V(amd64.VPERMT2D, amd64.Z, temp[1], temp[0], w.vector(1))
		c.V(amd64.VINSERTI64X4, amd64.Z, d, d, temp[1], amd64.Imm(0))
	}
}

// storeInterleaved stores an element of each of 16 structures of n elements of 32 bits, of all lanes. m is
// the address of the first lane's element. It changes temp.
func (c *Compiler) storeInterleaved(m amd64.Mem, v, temp amd64.Vec, n int) {
	c.G(amd64.LEA, amd64.B64, RegAddress, m)
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
		c.G(amd64.MOV, amd64.B32, RegTemp, amd64.Imm(mask))
		c.V(amd64.KMOVW, amd64.X, MaskTemp, RegTemp)
		c.V(amd64.VMOVDQU32, amd64.Z, amd64.Mem{Base: RegAddress, Disp: int32(64 * k)}, temp, amd64.Merge(MaskTemp))
	}
}

// storeNarrow16 stores an element of 8 or 16 bits of each of 16 structures of size bytes, of all lanes. m is
// the address of the first lane's element. It changes temp.
func (c *Compiler) storeNarrow16(m amd64.Mem, v amd64.Vec, temp [2]amd64.Vec, bytes, size int) {
	c.G(amd64.LEA, amd64.B64, RegAddress, m)
	for k := range (16*size + 63) / 64 {
		// from is the byte of the elements, four for each lane, that a byte of the vector comes from, or -1.
		from := make([]int, 64)
		mask := uint64(0)
		for i := range from {
			lane, b := (64*k+i)/size, (64*k+i)%size
			if from[i] = -1; lane < 16 && b < bytes {
				from[i], mask = 4*lane+b, mask|1<<i
			}
		}
		c.arrange(temp[0], temp[1], v, from, size)
		c.V(amd64.KMOVQ, amd64.X, MaskTemp, c.Const64(mask))
		c.V(amd64.VMOVDQU8, amd64.Z, amd64.Mem{Base: RegAddress, Disp: int32(64 * k)}, temp[0], amd64.Merge(MaskTemp))
	}
}

// arrange puts into byte i of d byte from[i] of v. Where that is -1, it may be anything. Elements, of which
// a word of v has one, are to lie in structures of size bytes.
func (c *Compiler) arrange(d, temp, v amd64.Vec, from []int, size int) {
	var b []byte
	if size < 4 {
		// The structures of four lanes fill the first bytes of a quarter, and the words with them then go
		// side by side.
		for i := range 64 {
			x := byte(0x80)
			if in := i % 16; in < 4*size && from[in] >= 0 {
				x = byte(from[in])
			}
			b = append(b, x)
		}
		c.V(amd64.VPSHUFB, amd64.Z, d, v, c.Const(b))
		c.V(amd64.VMOVDQU32, amd64.Z, temp, c.numbers16(func(word int) int { return min(word/size*4+word%size, 15) }))
		c.V(amd64.VPERMD, amd64.Z, d, temp, d)
		return
	}
	// A word of the vector has bytes of one element at most.
	lane := func(word int) int { return max(slices.Max(from[4*word:4*word+4]), 0) / 4 }
	c.V(amd64.VMOVDQU32, amd64.Z, d, c.numbers16(lane))
	c.V(amd64.VPERMD, amd64.Z, d, d, v)
	if size%4 == 0 {
		return
	}
	for i, f := range from {
		x := byte(0x80)
		if f >= 0 {
			x = byte(i%16&^3 + f%4)
		}
		b = append(b, x)
	}
	c.V(amd64.VPSHUFB, amd64.Z, d, d, c.Const(b))
}

// A group whose lanes select elements that lie close together, as those of every other element or of two rows
// do, is done by two moves and a permutation, in a quarter of the time of a gather.

// windowed says whether a load may be done so.
func (c *Compiler) windowed(g *Gathering) bool {
	return c.CPU&amd64.AVX512 != 0 && c.Lanes == 16 && g.T.Bank() == isa.Bank32 && g.IndexType == isa.I32 && int(g.In.Scale) == g.T.Bytes()
}

// loadWindow loads the elements if the lanes that run select some of the 32 from the first lane's on, all of
// them within the limit.
func (c *Compiler) loadWindow(g *Gathering) {
	far := c.NewLabel()
	w := c.Width(g.T)
	c.V(OpSpread.Of(g.IndexType), w, g.D, g.X)
	c.V(OpSub.Of(g.IndexType), w, g.D, g.X, g.D)
	c.V(OpCmpU.Of(g.IndexType), w, MaskTemp, g.D, c.Splat(g.IndexType, 31, 0), amd64.Imm(IntGreater), amd64.Merge(MaskExec))
	c.V(amd64.KORTESTW, amd64.X, MaskTemp, MaskTemp)
	c.Jcc(amd64.NotZero, far)
	c.V(OpExtract.Of(g.IndexType), amd64.X, RegTemp, g.X)
	if g.Bias != 0 {
		c.G(amd64.SUB, amd64.B32, RegTemp, amd64.Imm(g.Bias))
	}
	c.G(amd64.LEA, amd64.B64, RegAddress, amd64.Mem{Base: RegTemp, Disp: 31})
	c.G(amd64.CMP, amd64.B64, RegAddress, g.Limit)
	c.Jcc(amd64.Above, far)
	c.G(amd64.MOV, amd64.B64, RegAddress, g.Address)
	m := amd64.Mem{Base: RegAddress, Index: RegTemp, Scale: uint8(g.In.Scale), Disp: g.Disp}
	c.V(amd64.VMOVDQU32, w, g.Temp, m)
	c.V(amd64.VPERMI2D, w, g.D, g.Temp, m.Plus(64))
	c.Jmp(g.Done)
	c.Bind(far)
}
