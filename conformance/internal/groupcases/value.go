package groupcases

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// scalar is a type of operands. Values of it are kept as their bits in a uint64.
type scalar struct {
	spirv string // its name in modules, "uint"
	mux   string // its name in ComputeMux's functions, "i32"
	spec  string // its name in SPECs, "u32"
	bits  int
	float bool
}

var (
	i8  = scalar{"uchar", "i8", "u8", 8, false}
	i16 = scalar{"ushort", "i16", "u16", 16, false}
	i32 = scalar{"uint", "i32", "u32", 32, false}
	i64 = scalar{"ulong", "i64", "u64", 64, false}
	f16 = scalar{"half", "f16", "f16", 16, true}
	f32 = scalar{"float", "f32", "f32", 32, true}
	f64 = scalar{"double", "f64", "f64", 64, true}
	// i1 is a Boolean. In memory it is a uint, 0 or 1.
	i1 = scalar{"bool", "i1", "u32", 1, false}

	integers = []scalar{i8, i16, i32, i64}
	floats   = []scalar{f16, f32, f64}
	all      = append(append([]scalar(nil), integers...), floats...)
)

// stored is the type that the scalar has in memory.
func (t scalar) stored() scalar {
	if t.bits == 1 {
		return i32
	}
	return t
}

// size is the number of bytes that a value takes in memory.
func (t scalar) size() int { return t.stored().bits / 8 }

func (t scalar) mask(x uint64) uint64 { return x & (1<<(t.bits-1)<<1 - 1) }

// signed returns an integer as a signed number.
func (t scalar) signed(x uint64) int64 { return int64(x<<(64-t.bits)) >> (64 - t.bits) }

// num returns the number that the bits of a float stand for.
func (t scalar) num(x uint64) float64 {
	switch t.bits {
	case 64:
		return math.Float64frombits(x)
	case 32:
		return float64(math.Float32frombits(uint32(x)))
	}
	s, e, f := 1-2*float64(x>>15&1), int(x>>10&31), float64(x&1023)
	switch e {
	case 0:
		return s * math.Ldexp(f, -24)
	case 31:
		if f != 0 {
			return math.NaN()
		}
		return s * math.Inf(1)
	}
	return s * math.Ldexp(1024+f, e-25)
}

// round returns the bits of the float that is nearest to v, which is exact or a
// double itself.
func (t scalar) round(v float64) uint64 {
	switch t.bits {
	case 64:
		return math.Float64bits(v)
	case 32:
		return uint64(math.Float32bits(float32(v)))
	}
	sign := uint64(0)
	if math.Signbit(v) {
		sign, v = 1<<15, -v
	}
	switch {
	case v == 0:
		return sign
	case math.IsInf(v, 0):
		return sign | 0x7c00
	}
	_, e := math.Frexp(v)
	e = max(e, -13) // of the least normal number, 2^-14
	n := uint64(math.RoundToEven(math.Ldexp(v, 11-e)))
	// n counts units of 2^(e-11). From 1024 on it carries into the exponent.
	return sign | min(uint64(e+13)<<10+n, 0x7c00)
}

// literals lists values as the SPEC "buf:TYPE:…" has them.
func (t scalar) literals(v []uint64) string {
	t = t.stored()
	var out []string
	for _, x := range v {
		if !t.float {
			out = append(out, strconv.FormatUint(x, 10))
			continue
		}
		size := t.bits
		if size == 16 {
			size = 64
		}
		f := t.num(x)
		if math.IsInf(f, 0) {
			out = append(out, strings.TrimPrefix(fmt.Sprint(f), "+"))
			continue
		}
		out = append(out, strconv.FormatFloat(f, 'g', -1, size))
	}
	return strings.ToLower("buf:" + t.spec + ":" + strings.Join(out, ","))
}

// operation is what reductions and scans combine with.
type operation struct {
	name    string // as ComputeMux has it: "add", "fmin", "logical_and"
	types   []scalar
	combine func(t scalar, x, y uint64) uint64
	// identity is what an exclusive scan begins with.
	identity func(t scalar) uint64
}

func integerOp(name string, combine func(t scalar, x, y uint64) uint64, identity func(t scalar) uint64) operation {
	return operation{name, integers, func(t scalar, x, y uint64) uint64 { return t.mask(combine(t, x, y)) },
		func(t scalar) uint64 { return t.mask(identity(t)) }}
}

func floatOp(name string, combine func(x, y float64) float64, identity float64) operation {
	return operation{name, floats, func(t scalar, x, y uint64) uint64 {
		// A sum or product of floats or halves that doubles hold exactly, or
		// round so that rounding again changes nothing.
		return t.round(combine(t.num(x), t.num(y)))
	}, func(t scalar) uint64 { return t.round(identity) }}
}

func constant(x uint64) func(scalar) uint64 { return func(scalar) uint64 { return x } }

// operations are those of ComputeMux, the last three on Booleans.
var operations = []operation{
	integerOp("add", func(_ scalar, x, y uint64) uint64 { return x + y }, constant(0)),
	integerOp("mul", func(_ scalar, x, y uint64) uint64 { return x * y }, constant(1)),
	integerOp("smin", func(t scalar, x, y uint64) uint64 { return uint64(min(t.signed(x), t.signed(y))) },
		func(t scalar) uint64 { return 1<<(t.bits-1) - 1 }),
	integerOp("umin", func(_ scalar, x, y uint64) uint64 { return min(x, y) }, constant(math.MaxUint64)),
	integerOp("smax", func(t scalar, x, y uint64) uint64 { return uint64(max(t.signed(x), t.signed(y))) },
		func(t scalar) uint64 { return 1 << (t.bits - 1) }),
	integerOp("umax", func(_ scalar, x, y uint64) uint64 { return max(x, y) }, constant(0)),
	integerOp("and", func(_ scalar, x, y uint64) uint64 { return x & y }, constant(math.MaxUint64)),
	integerOp("or", func(_ scalar, x, y uint64) uint64 { return x | y }, constant(0)),
	integerOp("xor", func(_ scalar, x, y uint64) uint64 { return x ^ y }, constant(0)),
	floatOp("fadd", func(x, y float64) float64 { return x + y }, 0),
	floatOp("fmul", func(x, y float64) float64 { return x * y }, 1),
	floatOp("fmin", math.Min, math.Inf(1)),
	floatOp("fmax", math.Max, math.Inf(-1)),
	{"logical_and", []scalar{i1}, func(_ scalar, x, y uint64) uint64 { return x & y }, constant(1)},
	{"logical_or", []scalar{i1}, func(_ scalar, x, y uint64) uint64 { return x | y }, constant(0)},
	{"logical_xor", []scalar{i1}, func(_ scalar, x, y uint64) uint64 { return x ^ y }, constant(0)},
}

// operands returns n operands of an operation. Sums and products of floats round,
// so that their order shows; products do not run away.
func (o *operation) operands(t scalar, n int) []uint64 {
	out := make([]uint64, n)
	r := random(len(o.name)*131 + t.bits)
	for i := range out {
		x := r.next()
		switch {
		case t.bits == 1:
			// Runs of ones and zeros, so that both results occur at every size.
			out[i] = 1
			if o.name == "logical_or" {
				out[i] = 0
			}
			if x%7 == 0 {
				out[i] ^= 1
			}
			if o.name == "logical_xor" {
				out[i] = x & 1
			}
		case o.name == "mul":
			out[i] = x % 8
			out[i] |= 1
		case o.name == "fmul":
			out[i] = t.round([]float64{1.25, 0.75, 1.5, -1, 1.125, 0.875, 2, -0.5}[x%8])
		case o.name == "fadd":
			out[i] = t.round(math.Ldexp(float64(x%2000)-1000, -int(x>>32%9)))
		case t.float:
			out[i] = t.round(float64(x%400)/4 - 50)
		case o.name == "and":
			out[i] = t.mask(^(1 << (x % uint64(t.bits))))
		case o.name == "or":
			out[i] = 1 << (x % uint64(t.bits))
		case t.bits >= 32 && x%9 != 0:
			// Of few digits, but over the whole range.
			out[i] = t.mask(x >> 8 % 100 << (x % 5 * uint64(t.bits-8) / 4))
		default:
			out[i] = t.mask(x<<3 | x>>9)
		}
	}
	return out
}

// random is a generator of numbers that look drawn (xorshift64*).
type random uint64

func (r *random) next() uint64 {
	x := uint64(*r) + 0x9e3779b97f4a7c15
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*r = random(x)
	return x * 0x2545f4914f6cdd1d >> 3
}
