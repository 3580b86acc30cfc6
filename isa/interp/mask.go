package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Operations on booleans work on whole words: bit i of a mask register's word
// is lane i of the chunk.

// word returns the mask operand at off: a chunk's word or, for a scalar, all
// ones or all zeros.
func (w *wave) word(in *inst, scalar uint8, base unsafe.Pointer, off uint32) uint64 {
	if in.scalars&scalar != 0 {
		return -(w.s[off] & 1)
	}
	return *(*uint64)(unsafe.Add(base, off))
}

func movMaskV(w *wave, in *inst) {
	for k, m := range w.masks[in.mask] {
		if m != 0 {
			base := w.chunk(k)
			d := (*uint64)(unsafe.Add(base, in.d))
			*d = *d&^m | *(*uint64)(unsafe.Add(base, in.a))&m
		}
	}
}

func movMaskS(w *wave, in *inst) {
	a := -(w.s[in.a] & 1)
	for k, m := range w.masks[in.mask] {
		if m != 0 {
			d := (*uint64)(unsafe.Add(w.chunk(k), in.d))
			*d = *d&^m | a&m
		}
	}
}

// maskOp does the operation of two booleans that in.imm has as an opcode.
func maskOp(w *wave, in *inst) {
	for k, m := range w.masks[in.mask] {
		if m != 0 {
			base := w.chunk(k)
			r := maskBinary(isa.Op(in.imm), w.word(in, 1, base, in.a), w.word(in, 2, base, in.b))
			d := (*uint64)(unsafe.Add(base, in.d))
			*d = *d&^m | r&m
		}
	}
}

func maskOpScalar(w *wave, in *inst) {
	w.s[in.d] = maskBinary(isa.Op(in.imm), w.s[in.a], w.s[in.b]) & 1
}

func maskBinary(op isa.Op, a, b uint64) uint64 {
	switch op {
	case isa.OpAnd:
		return a & b
	case isa.OpOr:
		return a | b
	case isa.OpEq:
		return ^(a ^ b)
	case isa.OpNot:
		return ^a
	}
	return a ^ b // OpXor, OpNe
}

func selectMask(w *wave, in *inst) {
	for k, m := range w.masks[in.mask] {
		if m != 0 {
			base := w.chunk(k)
			c := *(*uint64)(unsafe.Add(base, in.a))
			r := c&w.word(in, 2, base, in.b) | ^c&w.word(in, 4, base, in.c)
			d := (*uint64)(unsafe.Add(base, in.d))
			*d = *d&^m | r&m
		}
	}
}

// selectUniform moves one of two operands: the condition is scalar.
func selectUniform(w *wave, in *inst) {
	if w.s[in.a]&1 != 0 {
		in.aux.first.fn(w, &in.aux.first)
	} else {
		in.aux.second.fn(w, &in.aux.second)
	}
}

func selectScalar(w *wave, in *inst) {
	v := w.s[in.c]
	if w.s[in.a]&1 != 0 {
		v = w.s[in.b]
	}
	w.s[in.d] = v
}

func movScalar(w *wave, in *inst) { w.s[in.d] = w.s[in.a] }

// firstLane returns the chunk and the number in it of the first running lane.
func (w *wave) firstLane() (k, i int) {
	for k, m := range w.exec {
		if m != 0 {
			return k, bits.TrailingZeros64(m)
		}
	}
	return 0, 0
}

// lastLane returns the chunk and the number in it of the last running lane.
func (w *wave) lastLane() (k, i int) {
	for k := len(w.exec) - 1; k >= 0; k-- {
		if m := w.exec[k]; m != 0 {
			return k, bits.Len64(m) - 1
		}
	}
	return 0, 0
}

// readFirst copies the value of the first running lane to a scalar register.
func readFirst(w *wave, in *inst) {
	k, i := w.firstLane()
	w.s[in.d] = w.reg(in.src.A, in.src.Type, k, i)
}

// run returns where the set bits of m start and how many there are if they
// are consecutive, and 0 for n otherwise. m is not 0.
func run(m uint64) (lo, n int) {
	lo = bits.TrailingZeros64(m) & 63
	m >>= lo
	if m&(m+1) != 0 {
		return 0, 0
	}
	return lo, bits.Len64(m)
}
