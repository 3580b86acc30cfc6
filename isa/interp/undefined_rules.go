package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
)

// The rules by which undefined bits pass from operands to results. A rule may call a bit undefined that is defined, and
// never the other way round. They are those of Memcheck and MemorySanitizer (see memory.Shadow), exact where a few
// operations do it: bitwise operations, additions, comparisons, shifts, selections and conversions of integers.

// operands are the values of an instruction's operands in a lane, and their undefined bits.
type operands struct{ v, u [4]uint64 }

// undefinedBits returns which bits of an instruction's result are undefined.
func undefinedBits(in *isa.Inst, o *operands) uint64 {
	if o.u == [4]uint64{} {
		return 0
	}
	t := in.Type
	n := t.Bits()
	mask := full >> (64 - n)
	a, b := partial{o.v[0], o.u[0]}, partial{o.v[1], o.u[1]}
	switch in.Op {
	case isa.OpMov, isa.OpReadFirst, isa.OpNot, isa.OpFNeg:
		return a.u
	case isa.OpSelect:
		return selected(o)
	case isa.OpAnd:
		return (a.u | b.u) & (a.v | a.u) & (b.v | b.u)
	case isa.OpOr:
		return (a.u | b.u) & (^a.v | a.u) & (^b.v | b.u) & mask
	case isa.OpXor:
		return a.u | b.u
	case isa.OpFAbs:
		return a.u &^ (1 << (n - 1))
	case isa.OpCopySign:
		sign := uint64(1) << (n - 1)
		return a.u&^sign | b.u&sign
	case isa.OpAdd:
		return sumBits(a, b) & mask
	case isa.OpSub:
		return differenceBits(a, b) & mask
	case isa.OpNeg:
		return differenceBits(partial{}, a) & mask
	case isa.OpAbs:
		return absBits(a, n) & mask
	case isa.OpMul:
		return productBits(a, b, mask)
	case isa.OpMad:
		p := partial{a.v * b.v & mask, productBits(a, b, mask)}
		return sumBits(p, partial{o.v[2], o.u[2]}) & mask
	case isa.OpShl, isa.OpShrU, isa.OpShrS, isa.OpRotl:
		return shiftedBits(in.Op, a, b, n)
	case isa.OpMinS, isa.OpMaxS, isa.OpMinU, isa.OpMaxU:
		return extremeBits(in.Op, a, b, n)
	case isa.OpDivU, isa.OpRemU:
		return quotientBits(in.Op, a, b, mask)
	case isa.OpDivS, isa.OpRemS, isa.OpModS:
		return signedQuotientBits(in.Op, a, b, n)
	case isa.OpMulHiU, isa.OpMulHiS:
		return highBits(in.Op, a, b, n)
	case isa.OpAddSatU, isa.OpAddSatS, isa.OpSubSatU, isa.OpSubSatS:
		return saturatedBits(in.Op, a, b, n)
	case isa.OpHAddU, isa.OpHAddS, isa.OpRHAddU, isa.OpRHAddS:
		return halvedBits(in.Op, a, b, n)
	case isa.OpAbsDiffU, isa.OpAbsDiffS:
		return distanceBits(in.Op, a, b, n)
	case isa.OpClz:
		return zerosBits(partial{bits.Reverse64(a.v) >> (64 - n), bits.Reverse64(a.u) >> (64 - n)}, n)
	case isa.OpCtz:
		return zerosBits(a, n)
	case isa.OpPopCount:
		return between(uint64(bits.OnesCount64(a.least())), uint64(bits.OnesCount64(a.most()))) & mask
	case isa.OpBitReverse:
		return bits.Reverse64(a.u) >> (64 - n)
	case isa.OpBitInsert, isa.OpBitExtractS, isa.OpBitExtractU:
		return fieldBits(in.Op, o, n)
	case isa.OpEq, isa.OpNe:
		return b2u64((a.v^b.v)&^(a.u|b.u)&mask == 0)
	case isa.OpLtU, isa.OpLeU, isa.OpLtS, isa.OpLeS:
		return orderedBits(in.Op, a, b, n)
	case isa.OpTruncate, isa.OpZExt:
		return a.u & mask
	case isa.OpSExt:
		from := in.Type2.Bits()
		return uint64(int64(a.u<<(64-from))>>(64-from)) & mask
	case isa.OpPtrAdd:
		return pointerBits(in, o)
	}
	// Of what is left, one undefined bit makes all of the result undefined: floats, and integer operations that are rare.
	switch in.Op.Info().Shape {
	case isa.ShapeCompare, isa.ShapeVote, isa.ShapeElect:
		return 1
	}
	return mask
}

func b2u64(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// partial is a value with undefined bits.
type partial struct{ v, u uint64 }

// least and most are the ends of the range of unsigned numbers that the value is one of.
func (x partial) least() uint64 { return x.v &^ x.u }
func (x partial) most() uint64  { return x.v | x.u }

// between returns the bits that are not the same in all numbers from lo to hi.
func between(lo, hi uint64) uint64 {
	n := bits.Len64(lo ^ hi)
	if n == 0 {
		return 0
	}
	return full >> (64 - n)
}

// selected returns the undefined bits of a selection: where the condition is undefined, those in which the two differ.
func selected(o *operands) uint64 {
	switch {
	case o.u[0]&1 != 0:
		return o.u[1] | o.u[2] | (o.v[1] ^ o.v[2])
	case o.v[0]&1 != 0:
		return o.u[1]
	}
	return o.u[2]
}

// sumBits returns the undefined bits of a sum: where the carries of the least and of the greatest sum are the same, all
// sums have that carry.
func sumBits(a, b partial) uint64 {
	return a.u | b.u | ((a.least() + b.least()) ^ (a.most() + b.most()))
}

// differenceBits is sumBits for a - b.
func differenceBits(a, b partial) uint64 {
	return a.u | b.u | ((a.least() - b.most()) ^ (a.most() - b.least()))
}

func absBits(a partial, n int) uint64 {
	sign := uint64(1) << (n - 1)
	negative := differenceBits(partial{}, a)
	switch {
	case a.u&sign != 0:
		return a.u | negative | (a.v ^ -a.v)
	case a.v&sign != 0:
		return negative
	}
	return a.u
}

// productBits returns the undefined bits of a product. Below the lowest one that an undefined bit of one factor and a
// set bit of the other make, all are defined.
func productBits(a, b partial, mask uint64) uint64 {
	low := min(bits.TrailingZeros64(a.u)+bits.TrailingZeros64(b.most()), bits.TrailingZeros64(b.u)+bits.TrailingZeros64(a.most()))
	if low >= 64 {
		return 0
	}
	return full << low & mask
}

// shiftedBits returns the undefined bits of a shift: of all shifts that the amount can be.
func shiftedBits(op isa.Op, a, b partial, n int) uint64 {
	mask, u := full>>(64-n), uint64(0)
	amount, loose := b.v&uint64(n-1), b.u&uint64(n-1)
	first := shiftOnce(op, a.v, amount, n)
	// The subsets of the loose bits, one after the other.
	for x := uint64(0); ; {
		s := amount&^loose | x
		u |= shiftOnce(op, a.u, s, n) | (shiftOnce(op, a.v, s, n) ^ first)
		if x = (x - loose) & loose; x == 0 {
			return u & mask
		}
	}
}

func shiftOnce(op isa.Op, v, s uint64, n int) uint64 {
	mask := full >> (64 - n)
	v &= mask
	switch op {
	case isa.OpShl:
		return v << s & mask
	case isa.OpShrU:
		return v >> s
	case isa.OpShrS:
		return uint64(int64(v<<(64-n))>>(64-n)>>s) & mask
	}
	return (v<<s | v>>(uint64(n)-s)) & mask
}

// signs returns what makes unsigned numbers of the order of the operation's.
func signs(op isa.Op, n int) uint64 {
	if op.Is(isa.PropSigned) {
		return 1 << (n - 1)
	}
	return 0
}

// orderedBits says whether a comparison depends on undefined bits: whether the ranges of the operands overlap.
func orderedBits(op isa.Op, a, b partial, n int) uint64 {
	flip := signs(op, n)
	a.v, b.v = a.v^flip, b.v^flip
	if op == isa.OpLtU || op == isa.OpLtS {
		return b2u64(a.most() >= b.least() && a.least() < b.most())
	}
	return b2u64(a.most() > b.least() && a.least() <= b.most())
}

// extremeBits returns the undefined bits of the less or the greater of two.
func extremeBits(op isa.Op, a, b partial, n int) uint64 {
	flip := signs(op, n)
	x, y := partial{a.v ^ flip, a.u}, partial{b.v ^ flip, b.u}
	if op == isa.OpMaxS || op == isa.OpMaxU {
		x, y = partial{^x.v, x.u}, partial{^y.v, y.u}
	}
	switch {
	case x.most() <= y.least():
		return a.u
	case y.most() <= x.least():
		return b.u
	}
	return a.u | b.u | (a.v ^ b.v)
}

// quotientBits returns the undefined bits of an unsigned quotient or remainder, by the range that it is in.
func quotientBits(op isa.Op, a, b partial, mask uint64) uint64 {
	switch {
	case b.least() == 0:
		return mask
	case op == isa.OpDivU:
		return between(a.least()/b.most(), a.most()/b.least())
	case b.u == 0 && b.v&(b.v-1) == 0:
		return a.u & (b.v - 1)
	case a.most() < b.least():
		return a.u
	}
	return between(0, min(a.most(), b.most()-1))
}

// fieldBits returns the undefined bits of what moves bits [offset, offset+width).
func fieldBits(op isa.Op, o *operands, n int) uint64 {
	mask := full >> (64 - n)
	at := 1
	if op == isa.OpBitInsert {
		at = 2
	}
	if o.u[at]|o.u[at+1] != 0 {
		return mask
	}
	off, width := o.v[at], o.v[at+1]
	if off > uint64(n) || width > uint64(n)-off {
		return mask
	}
	if width == 0 {
		if op == isa.OpBitInsert {
			return o.u[0]
		}
		return 0
	}
	field := full >> (64 - width)
	switch op {
	case isa.OpBitInsert:
		return o.u[0]&^(field<<off) | o.u[1]&field<<off
	case isa.OpBitExtractU:
		return o.u[0] >> off & field
	}
	return uint64(int64(o.u[0]>>off<<(64-width))>>(64-width)) & mask
}

// pointerBits returns the undefined bits of an address: an undefined index leaves the allocation defined.
func pointerBits(in *isa.Inst, o *operands) uint64 {
	const offset = 1<<40 - 1
	u := o.u[0]
	if u&offset != 0 || o.u[1] != 0 && in.Scale != 0 {
		u |= offset
	}
	return u
}
