package main

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// A format is a type of numbers by what its codes mean: an integer, or a float whose codes grow with its values.
type format struct {
	name      string
	bits      int
	signed    bool   // of integers
	precision int    // of floats: bits of the significand with the leading one
	bias      int    // of the exponent
	largest   uint64 // the code of the largest number
	inf       uint64 // the code of infinity; nan where there is none
	nan       uint64
	encoding  string // of floats that OpenCL C has no name for: that of SPIR-V
	truth     bool   // of bool, which is in memory as uchar
}

// formats are the types that are converted from and to.
var formats = []*format{
	{name: "char", bits: 8, signed: true}, {name: "uchar", bits: 8},
	{name: "short", bits: 16, signed: true}, {name: "ushort", bits: 16},
	{name: "int", bits: 32, signed: true}, {name: "uint", bits: 32},
	{name: "long", bits: 64, signed: true}, {name: "ulong", bits: 64},
	halfFormat,
	{name: "float", bits: 32, precision: 24, bias: 127, largest: 0x7f7fffff, inf: 0x7f800000, nan: 0x7fc00000},
	{name: "double", bits: 64, precision: 53, bias: 1023, largest: 0x7fefffffffffffff, inf: 0x7ff << 52, nan: 0xfff << 51},
	{name: "bfloat16", bits: 16, precision: 8, bias: 127, largest: 0x7f7f, inf: 0x7f80, nan: 0x7fc0, encoding: "BFloat16KHR"},
	{name: "fp8e4m3", bits: 8, precision: 4, bias: 7, largest: 0x7e, inf: 0x7f, nan: 0x7f, encoding: "Float8E4M3EXT"},
	{name: "fp8e5m2", bits: 8, precision: 3, bias: 15, largest: 0x7b, inf: 0x7c, nan: 0x7e, encoding: "Float8E5M2EXT"},
	{name: "bool", bits: 8, truth: true},
}

var halfFormat = &format{name: "half", bits: 16, precision: 11, bias: 15, largest: 0x7bff, inf: 0x7c00, nan: 0x7e00}

func (f *format) float() bool { return f.precision != 0 }

// sign is the code of a set sign.
func (f *format) sign() uint64 { return 1 << (f.bits - 1) }

// quantum is the exponent of the unit in which denormals count.
func (f *format) quantum() int { return 2 - f.bias - f.precision }

// A class tells numbers from others.
type class uint8

const (
	finite class = iota
	infinite
	notANumber
)

// A number is mantissa · 2^exponent with a sign. With more it is something above that, and less than one unit of the
// mantissa: what divisions and roots leave. Then the mantissa has more bits than any rounding keeps.
type number struct {
	class    class
	negative bool
	more     bool
	mantissa uint64
	exponent int
}

// decode returns the number that a code stands for.
func (f *format) decode(code uint64) number {
	if f.truth {
		return number{mantissa: min(code, 1)}
	}
	if !f.float() {
		if f.signed {
			v := int64(code<<(64-f.bits)) >> (64 - f.bits)
			if v < 0 {
				return number{negative: true, mantissa: -uint64(v)}
			}
		}
		return number{mantissa: code}
	}
	n := number{negative: code&f.sign() != 0}
	code &^= f.sign()
	switch {
	case code == f.inf && f.inf != f.nan:
		n.class = infinite
		return n
	case code > f.largest:
		n.class = notANumber
		return n
	}
	one := uint64(1) << (f.precision - 1)
	n.mantissa, n.exponent = code&(one-1), f.quantum()
	if e := int(code >> (f.precision - 1)); e > 0 {
		n.mantissa |= one
		n.exponent += e - 1
	}
	return n
}

// cut returns how many units of 2^q a finite number has, rounded. With large there are more than 64 bits of them.
func (n number) cut(q int, mode clmath.Rounding) (units uint64, large bool) {
	k := q - n.exponent
	if k <= 0 {
		if bits.Len64(n.mantissa)-k > 64 {
			return 0, true
		}
		units = n.mantissa << -k
		if n.more {
			panic("a result of too few bits")
		}
		return units, false
	}
	// rest is what is cut off: nothing, less than one half, one half, or more than that.
	var rest int
	switch {
	case k > 64:
		if n.mantissa != 0 || n.more {
			rest = 1
		}
	default:
		half := uint64(1) << (k - 1)
		low := n.mantissa & (half<<1 - 1)
		if k < 64 {
			units = n.mantissa >> k
		}
		switch {
		case low > half, low == half && n.more:
			rest = 3
		case low == half:
			rest = 2
		case low > 0, n.more:
			rest = 1
		}
	}
	up := false
	switch mode {
	case clmath.RTE:
		up = rest == 3 || rest == 2 && units&1 != 0
	case clmath.RTP:
		up = rest != 0 && !n.negative
	case clmath.RTN:
		up = rest != 0 && n.negative
	}
	if up {
		units++ // of at most 63 bits before
	}
	return units, false
}

// encode returns the code of a number in a format, rounded. With limit, what lies beyond the format's numbers becomes the
// last of them; otherwise an integer is cut to its low bits, a float rounds to infinity or, where there is none, to NaN.
func (f *format) encode(n number, mode clmath.Rounding, limit bool) uint64 {
	if f.truth {
		if n.class == finite && n.mantissa == 0 {
			return 0
		}
		return 1
	}
	if !f.float() {
		return f.encodeInteger(n, mode, limit)
	}
	sign := uint64(0)
	if n.negative {
		sign = f.sign()
	}
	top := f.inf
	if limit {
		top = f.largest
	}
	switch {
	case n.class == notANumber:
		return f.nan
	case n.class == infinite:
		return sign | top
	case n.mantissa == 0 && !n.more:
		return sign
	}
	q := max(bits.Len64(n.mantissa)+n.exponent-f.precision, f.quantum())
	units, _ := n.cut(q, mode)
	// The leading bit of a normal number is 1 of its exponent.
	exponent := uint64(q - f.quantum())
	if code := exponent<<(f.precision-1) + units; code <= f.largest && exponent < 1<<16 {
		return sign | code
	}
	// Directed roundings stop before infinity. NaN is none.
	switch {
	case f.inf == f.nan:
	case mode == clmath.RTZ, mode == clmath.RTP && n.negative, mode == clmath.RTN && !n.negative:
		top = f.largest
	}
	return sign | top
}

func (f *format) encodeInteger(n number, mode clmath.Rounding, limit bool) uint64 {
	if n.class == notANumber {
		return 0
	}
	mask := ^uint64(0) >> (64 - f.bits)
	least, most := uint64(0), mask
	if f.signed {
		least, most = f.sign(), mask>>1
	}
	large := n.class == infinite
	var units uint64
	if !large {
		units, large = n.cut(0, mode)
	}
	if limit {
		switch {
		case n.negative && (large || units > least):
			units = least
		case !n.negative && (large || units > most):
			return most
		}
	}
	if n.negative {
		units = -units
	}
	return units & mask
}
