package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
)

// Rules for integer operations that saturate, halve, or work by ranges. See undefined_rules.go.

// zerosBits returns the undefined bits of the number of zeros below the lowest set bit: of all numbers that it can be.
func zerosBits(a partial, n int) uint64 {
	first, u := -1, uint64(0)
	note := func(count int) {
		if first < 0 {
			first = count
		}
		u |= uint64(first ^ count)
	}
	for i := range n {
		bit := uint64(1) << i
		if (a.v|a.u)&bit != 0 {
			note(i)
		}
		if a.v&bit != 0 && a.u&bit == 0 {
			return u
		}
	}
	note(n)
	return u
}

// signed returns the ends of the range of signed numbers of n bits that the value is one of.
func (x partial) signed(n int) (lo, hi int64) {
	sign := uint64(1) << (n - 1)
	least, most := x.least(), x.most()
	if x.u&sign != 0 {
		least |= sign
		most &^= sign
	}
	return int64(least<<(64-n)) >> (64 - n), int64(most<<(64-n)) >> (64 - n)
}

// betweenSigned is between for signed numbers of n bits.
func betweenSigned(lo, hi int64, n int) uint64 {
	mask := full >> (64 - n)
	if lo < 0 && hi >= 0 {
		return mask
	}
	return between(uint64(lo), uint64(hi)) & mask
}

// saturatedBits returns the undefined bits of a sum or difference that saturates: those of the plain one where it never
// does, and those of the range that it is in.
func saturatedBits(op isa.Op, a, b partial, n int) uint64 {
	mask := full >> (64 - n)
	plain := sumBits
	if op == isa.OpSubSatU || op == isa.OpSubSatS {
		plain = differenceBits
	}
	if op == isa.OpAddSatU || op == isa.OpSubSatU {
		var lo, hi uint64
		var outLo, outHi bool
		if op == isa.OpAddSatU {
			lo, outLo = addSaturated(a.least(), b.least(), mask)
			hi, outHi = addSaturated(a.most(), b.most(), mask)
		} else {
			// The least difference is that of the least and the greatest.
			lo, outLo = a.least()-b.most(), a.least() < b.most()
			hi, outHi = a.most()-b.least(), a.most() < b.least()
			if outLo {
				lo = 0
			}
			if outHi {
				hi = 0
			}
		}
		if !outLo && !outHi {
			return plain(a, b) & mask
		}
		return between(lo, hi)
	}
	alo, ahi := a.signed(n)
	blo, bhi := b.signed(n)
	if op == isa.OpSubSatS {
		blo, bhi = bhi, blo // subtracted: the greatest one gives the least difference
	}
	lo, outLo := saturateSigned(op, alo, blo, n)
	hi, outHi := saturateSigned(op, ahi, bhi, n)
	if !outLo && !outHi {
		return plain(a, b) & mask
	}
	return betweenSigned(lo, hi, n)
}

// addSaturated returns a sum of unsigned numbers, and whether it saturates.
func addSaturated(x, y, mask uint64) (uint64, bool) {
	s, carry := bits.Add64(x, y, 0)
	if carry != 0 || s > mask {
		return mask, true
	}
	return s, false
}

// saturateSigned returns a sum or difference of signed numbers of n bits, and whether it saturates.
func saturateSigned(op isa.Op, x, y int64, n int) (int64, bool) {
	s := x + y
	over := (x^s)&(y^s) < 0
	if op == isa.OpSubSatS {
		s = x - y
		over = (x^y)&(x^s) < 0
	}
	most := int64(full >> (65 - n))
	switch {
	case over && x < 0, !over && s < -most-1:
		return -most - 1, true
	case over, s > most:
		return most, true
	}
	return s, false
}

// halvedBits returns the undefined bits of half a sum that has room: those of the sum, one place further up. Signed
// numbers are unsigned ones with the sign turned over, and so is what comes out.
func halvedBits(op isa.Op, a, b partial, n int) uint64 {
	up := op == isa.OpRHAddU || op == isa.OpRHAddS
	if op == isa.OpHAddS || op == isa.OpRHAddS {
		sign := uint64(1) << (n - 1)
		a.v, b.v = a.v^sign, b.v^sign
	}
	if n < 64 {
		carry := b2u64(up)
		u := a.u | b.u | ((a.least() + b.least() + carry) ^ (a.most() + b.most() + carry))
		return u >> 1 & (full >> (64 - n))
	}
	// a&b + (a^b)/2, and a|b - (a^b)/2 where it is rounded up.
	half := partial{(a.v ^ b.v) >> 1, (a.u | b.u) >> 1}
	if up {
		return differenceBits(partial{a.v | b.v, (a.u | b.u) & (^a.v | a.u) & (^b.v | b.u)}, half)
	}
	return sumBits(partial{a.v & b.v, (a.u | b.u) & (a.v | a.u) & (b.v | b.u)}, half)
}

// distanceBits returns the undefined bits of the distance of two numbers, of which one or the other may be greater.
func distanceBits(op isa.Op, a, b partial, n int) uint64 {
	mask, flip := full>>(64-n), uint64(0)
	if op == isa.OpAbsDiffS {
		flip = 1 << (n - 1)
	}
	x, y := partial{a.v ^ flip, a.u}, partial{b.v ^ flip, b.u}
	u := uint64(0)
	greater, less := x.most() >= y.least(), x.least() <= y.most()
	if greater {
		u |= differenceBits(x, y)
	}
	if less {
		u |= differenceBits(y, x)
	}
	if greater && less && x.u|y.u != 0 {
		u |= (x.v - y.v) ^ (y.v - x.v)
	}
	return u & mask
}

// highBits returns the undefined bits of the upper half of a product, by the range that it is in.
func highBits(op isa.Op, a, b partial, n int) uint64 {
	if op == isa.OpMulHiU {
		high := func(x, y uint64) uint64 {
			hi, lo := bits.Mul64(x, y)
			if n == 64 {
				return hi
			}
			return lo >> n
		}
		return between(high(a.least(), b.least()), high(a.most(), b.most()))
	}
	high := func(x, y int64) int64 {
		hi, lo := bits.Mul64(uint64(x), uint64(y))
		if x < 0 {
			hi -= uint64(y)
		}
		if y < 0 {
			hi -= uint64(x)
		}
		if n == 64 {
			return int64(hi)
		}
		return int64(lo) >> n
	}
	alo, ahi := a.signed(n)
	blo, bhi := b.signed(n)
	lo, hi := corners(high, alo, ahi, blo, bhi)
	return betweenSigned(lo, hi, n)
}

// corners returns the ends of the range of an operation that is monotone in each operand.
func corners(f func(x, y int64) int64, alo, ahi, blo, bhi int64) (lo, hi int64) {
	p, q, r, s := f(alo, blo), f(alo, bhi), f(ahi, blo), f(ahi, bhi)
	return min(p, q, r, s), max(p, q, r, s)
}

// signedQuotientBits returns the undefined bits of a signed quotient or remainder. One whose divisor may be zero, or that
// may overflow, is undefined.
func signedQuotientBits(op isa.Op, a, b partial, n int) uint64 {
	mask := full >> (64 - n)
	alo, ahi := a.signed(n)
	blo, bhi := b.signed(n)
	if blo <= 0 && bhi >= 0 || alo == -int64(full>>(65-n))-1 && blo <= -1 && bhi >= -1 {
		return mask
	}
	small := b.u == 0 && blo > 0 && blo&(blo-1) == 0 // a power of two
	low := uint64(blo - 1)
	switch {
	case op == isa.OpDivS:
		// Monotone in each operand, as the divisor has one sign.
		lo, hi := corners(func(x, y int64) int64 { return x / y }, alo, ahi, blo, bhi)
		return betweenSigned(lo, hi, n)
	case small && (op == isa.OpModS || alo >= 0):
		return a.u & low
	case small && ahi < 0 && a.u&low == 0:
		return 0
	case blo > 0 && alo > -blo && ahi < blo && (op == isa.OpRemS || alo >= 0):
		return a.u
	case blo > 0 && alo >= 0, op == isa.OpModS && blo > 0:
		return between(0, uint64(bhi-1))
	}
	return mask
}
