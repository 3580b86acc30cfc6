package kernels

import (
	"math"
	"math/big"
	"strings"
)

// conversionKernels convert between all scalar types.
func conversionKernels() []*Kernel {
	all := []*Kernel{
		{
			Name: "convert_from_float", Module: "conversions", Entry: "convert_from_float",
			About: "Conversions of floats to all types in every rounding, saturated.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{16},
				Args: []string{"buf:f32:" + floatEdges + ",3e38*2,1e-40,-1e-45,16777216,-16777217,4294967040*3,9.2233715e18,1.8446743e19", "zero:u64:3200"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[float32](args[0]), load[uint64](args[1])
				for i := range l.items() {
					copy(out[50*i:], fromFloat(float64(in[i])))
				}
				return store(args[1], out)
			},
		},
		{
			Name: "convert_from_double", Module: "conversions", Entry: "convert_from_double",
			About: "Conversions of doubles to all types in every rounding, saturated.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{16},
				Args: []string{"buf:f64:" + floatEdges + ",1e300,3.4028235e38,3.40282357e38,1e-40,1e-46,-7e-46,0.1,4294967295.5,9.223372036854775e18,-9223372036854775808,1.8446744073709550e19", "zero:u64:3200"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[float64](args[0]), load[uint64](args[1])
				for i := range l.items() {
					copy(out[50*i:], fromFloat(in[i]))
				}
				return store(args[1], out)
			},
		},
		{
			Name: "convert_in_range", Module: "conversions", Entry: "convert_in_range",
			About: "Conversions of vectors of floats without saturation, of values in range.",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{16},
				Args: []string{"rand:f32:32:5:-100:100", "zero:i32:128"}},
			Outputs:   []int{1},
			reference: convertInRange,
		},
	}
	for _, t := range integerTypes {
		all = append(all, &Kernel{
			Name: "convert_from_" + t.name, Module: "conversions", Entry: "convert_from_" + t.name,
			About: "Conversions of " + t.name + " to all types: modular, saturated, and in every rounding.",
			Launch: Launch{Global: []uint64{48}, Local: []uint64{16},
				Args: []string{"buf:u64:" + integerEdges, "zero:u64:2016"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[uint64](args[0]), load[uint64](args[1])
				for i := range l.items() {
					copy(out[42*i:], fromInteger(t.value(in[i])))
				}
				return store(args[1], out)
			},
		})
	}
	return all
}

// floatEdges are 49 values around the limits of the integer types and between
// integers, some infinite and one NaN, exact in single precision or rounded to it.
const floatEdges = "0,-0,0.5,-0.5,1.5,-1.5,2.5,-2.5,0.49999997,-0.49999997,0.99999994,1,-1,3.7,-3.7,127,127.5,128,-128,-128.5,-129,255,255.5,256," +
	"32767,32767.5,32768,-32768,-32768.5,-32769,65535,65535.5,65536,2147483520,2147483648,-2147483648,-2147483904,4294967040,4294967296," +
	"9223371487098961920,9223372036854775808,-9223372036854775808,-9223373136366403584,18446742974197923840,18446744073709551616,inf,-inf,nan,1e20,-1e20,1e-30,-1e-30,100.25"

// integerEdges are 48 patterns around the limits of the integer types and the
// ties of single and double precision.
var integerEdges = strings.Join([]string{
	"0", "1", "2", "0x7f", "0x80", "0x81", "0xff", "0x100", "0x7fff", "0x8000", "0x8001", "0xffff", "0x10000",
	"0x7fffffff", "0x80000000", "0x80000001", "0xffffffff", "0x100000000",
	"0x7fffffffffffffff", "0x8000000000000000", "0x8000000000000001", "0xffffffffffffffff", "0xfffffffffffffffe",
	"0x1000001", "0x1000003", "0x1000002", "0xfeffffff", "0xff000001", "0x2000003", "0x2000005", "0x3ffffff", "0x7fffffbf", "0x7fffffc0",
	"0xffffff7f", "0xffffff80", "0x20000000000001", "0x20000000000003", "0x3fffffffffffff", "0x7ffffffffffffdff", "0x7ffffffffffffe00",
	"0xfffffffffffffbff", "0xfffffffffffffc00", "0x7fffff4000000000", "0x7fffffc000000001", "0xffffff8000000000",
	"0x8000008000000000", "0x123456789abcdef0", "0xfedcba9876543210",
}, ",")

// integerType is an integer type of OpenCL C.
type integerType struct {
	name   string
	size   int
	signed bool
}

// integerTypes are in the order of the kernels.
var integerTypes = []integerType{
	{"char", 8, true}, {"uchar", 8, false}, {"short", 16, true}, {"ushort", 16, false},
	{"int", 32, true}, {"uint", 32, false}, {"long", 64, true}, {"ulong", 64, false},
}

// value is the low bits of pattern, as a number.
func (t integerType) value(pattern uint64) *big.Int {
	pattern &= math.MaxUint64 >> (64 - t.size)
	v := new(big.Int).SetUint64(pattern)
	if t.signed && pattern>>(t.size-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(t.size)))
	}
	return v
}

// wrap is v modulo the size of the type, as bits.
func (t integerType) wrap(v *big.Int) uint64 {
	return new(big.Int).Mod(v, new(big.Int).Lsh(big.NewInt(1), uint(t.size))).Uint64()
}

// saturate is the value of the type nearest to v, as bits.
func (t integerType) saturate(v *big.Int) uint64 {
	low, high := t.value(0), t.value(math.MaxUint64)
	if t.signed {
		low, high = t.value(1<<(t.size-1)), t.value(1<<(t.size-1)-1)
	}
	if v.Cmp(low) < 0 {
		v = low
	} else if v.Cmp(high) > 0 {
		v = high
	}
	return t.wrap(v)
}

// roundings are the results of a conversion to a floating-point type, in the
// kernels' order: without a mode, rte, rtz, rtp, rtn.
var roundings = []big.RoundingMode{big.ToNearestEven, big.ToNearestEven, big.ToZero, big.ToPositiveInf, big.ToNegativeInf}

// floatResults are the bits of v in single and in double precision in all
// roundings. v is finite and not zero.
func floatResults(v *big.Float) []uint64 {
	var out []uint64
	for _, mode := range roundings {
		out = append(out, roundFloat(v, mode, 24, -149, 128))
	}
	for _, mode := range roundings {
		out = append(out, roundFloat(v, mode, 53, -1074, 1024))
	}
	return out
}

// roundFloat gives the bits of v rounded to a binary format with the given bits
// of precision, whose smallest denormal is 2^lowest, with overflow at 2^limit.
func roundFloat(v *big.Float, mode big.RoundingMode, precision uint, lowest, limit int) uint64 {
	fieldBits := precision - 1
	exponent := v.MantExp(nil) // |v| is in [2^(exponent-1), 2^exponent)
	// Count in units of the last place of the result.
	unit := max(exponent-int(precision), lowest)
	scaled := new(big.Float).SetPrec(2048).SetMantExp(v, -unit)
	n, accuracy := scaled.Int(nil) // towards zero
	magnitude := new(big.Int).Abs(n)
	rest := new(big.Float).SetPrec(2048).Sub(scaled, new(big.Float).SetPrec(2048).SetInt(n))
	negative := v.Sign() < 0
	up := false
	if accuracy != big.Exact {
		switch mode {
		case big.ToNearestEven:
			c := rest.Abs(rest).Cmp(big.NewFloat(0.5))
			up = c > 0 || c == 0 && magnitude.Bit(0) == 1
		case big.ToPositiveInf:
			up = !negative
		case big.ToNegativeInf:
			up = negative
		}
	}
	if up {
		magnitude.Add(magnitude, big.NewInt(1))
	}
	var bits uint64
	m := magnitude.Uint64()
	switch {
	case m>>precision != 0: // rounding up made a power of two
		m >>= 1
		unit++
		fallthrough
	case m>>fieldBits != 0:
		biased := uint64(unit - lowest + 1)
		bits = biased<<fieldBits | m&(1<<fieldBits-1)
	default:
		bits = m
	}
	// The largest finite number is one below the bits of infinity.
	infinity := uint64(limit-lowest-int(fieldBits)+1) << fieldBits
	if bits >= infinity || exponent > limit {
		bits = infinity
		if mode == big.ToZero || mode == big.ToPositiveInf && negative || mode == big.ToNegativeInf && !negative {
			bits--
		}
	}
	if negative {
		bits |= (infinity &^ (1<<fieldBits - 1)) + 1<<fieldBits
	}
	return bits
}

// fromInteger follows convert_from_T of the integer types.
func fromInteger(v *big.Int) []uint64 {
	var out []uint64
	for _, t := range integerTypes {
		out = append(out, t.wrap(v), t.wrap(v), t.saturate(v), t.saturate(v))
	}
	if v.Sign() == 0 {
		return append(out, make([]uint64, 10)...)
	}
	return append(out, floatResults(new(big.Float).SetPrec(64).SetInt(v))...)
}

// fromFloat follows convert_from_float and convert_from_double.
func fromFloat(f float64) []uint64 {
	var out []uint64
	for _, t := range integerTypes {
		for _, round := range []func(float64) float64{math.Trunc, math.RoundToEven, math.Trunc, math.Ceil, math.Floor} {
			if f != f {
				out = append(out, 0)
				continue
			}
			// Infinities saturate as the numbers beyond every type do.
			r := max(min(round(f), 0x1p100), -0x1p100)
			n, _ := new(big.Float).SetFloat64(r).Int(nil)
			out = append(out, t.saturate(n))
		}
	}
	if f != f {
		for range 10 {
			out = append(out, 0x7ff8)
		}
		return out
	}
	if f == 0 || math.IsInf(f, 0) {
		for range 5 {
			out = append(out, uint64(f32bits(float32(f))))
		}
		for range 5 {
			out = append(out, f64bits(f))
		}
		return out
	}
	return append(out, floatResults(new(big.Float).SetFloat64(f))...)
}

func convertInRange(l Launch, args [][]byte) error {
	in, out := load[float32](args[0]), load[int32](args[1])
	for i := range l.items() {
		f := float64(in[i])
		r := out[4*i : 4*i+4]
		for k, scale := range []float64{1, -1, 0.5, 0.25} {
			v := f * scale // exact: a power of two
			r[k] = int32(v) + int32(math.Ceil(v))*3 + int32(math.Floor(v))*5 + int32(math.RoundToEven(v))*7
			r[k] ^= int32(math.Floor(v))*16 + int32(min(max(math.Ceil(v), -128), 127))
		}
		r[0] += int32(f)*2 + int32(math.Abs(f))
	}
	return store(args[1], out)
}
