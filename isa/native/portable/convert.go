package portable

import (
	"math"
	"math/big"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// toFloat makes floats of integers of from bytes, with signs or without.
func toFloat(f *format, from int, sign bool) *entry {
	return &entry{args: 2, size: f.size, from: from, flags: rounds, lane: func(x *lane) uint64 { return f.integer(x.a, from, sign, x.rounding) }}
}

// integer makes a float of an integer.
func (f *format) integer(a uint64, from int, sign bool, mode amd64.Rounding) uint64 {
	exact := new(big.Float)
	var r float64
	switch {
	case sign && f.size == 4:
		r = float64(float32(signed(from, a)))
	case sign:
		r = float64(signed(from, a))
	case f.size == 4:
		r = float64(float32(a))
	default:
		r = float64(a)
	}
	if mode == 0 || mode == amd64.SAE {
		return f.bits(r)
	}
	if sign {
		exact.SetInt64(signed(from, a))
	} else {
		exact.SetUint64(a)
	}
	return f.directed(r, exact.Cmp(big.NewFloat(r)), mode)
}

// toInteger makes integers of size bytes of floats, towards zero. What is none of these is the number of
// which only the highest bit is set, or of which all bits are (SDM volume 1, appendix E.4.2.2: the integer
// indefinite).
func toInteger(size int, f *format, sign bool) *entry {
	return &entry{args: 2, size: size, from: f.size, lane: func(x *lane) uint64 {
		none := ^uint64(0)
		if sign {
			none = 1 << (8*size - 1)
		}
		if f.isNaN(x.a) {
			return none
		}
		v := math.Trunc(f.value(x.a))
		low, high := 0.0, math.Ldexp(1, 8*size)
		if sign {
			low, high = -math.Ldexp(1, 8*size-1), math.Ldexp(1, 8*size-1)
		}
		switch {
		case v < low || v >= high:
			return none
		case sign:
			return uint64(int64(v))
		}
		return unsigned(v)
	}}
}

// unsigned is a whole number below 2^64.
func unsigned(v float64) uint64 {
	if v >= 1<<63 {
		return uint64(int64(v-1<<63)) | 1<<63
	}
	return uint64(int64(v))
}

// widened makes a double of a single.
func widened(x uint64) uint64 {
	if single.isNaN(x) {
		return x>>31<<63 | double.infinity() | double.quiet() | x&(1<<23-1)<<29
	}
	return double.bits(single.value(x))
}

// narrowed makes a single of a double.
func narrowed(x uint64, mode amd64.Rounding) uint64 {
	if double.isNaN(x) {
		return x>>63<<31 | single.infinity() | single.quiet() | x>>29&(1<<23-1)
	}
	v := double.value(x)
	r := float64(float32(v))
	rest := 0
	switch {
	case math.IsInf(v, 0):
	case math.IsInf(r, 0):
		rest = overflown(r)
	case v > r:
		rest = 1
	case v < r:
		rest = -1
	}
	return single.directed(r, rest, mode)
}

// fromHalf makes a single of a half.
func fromHalf(x *lane) uint64 {
	sign, e, f := x.a>>15<<31, x.a>>10&31, x.a&(1<<10-1)
	switch {
	case e == 31 && f != 0:
		return sign | single.infinity() | single.quiet() | f<<13
	case e == 31:
		return sign | single.infinity()
	case e == 0:
		return sign | single.bits(math.Ldexp(float64(f), -24))
	}
	return sign | (e+112)<<23 | f<<13
}

// toHalf makes a half of a single, in the rounding that the number of the instruction has.
func toHalf(x *lane) uint64 {
	sign := x.a >> 31 << 15
	if single.isNaN(x.a) {
		return sign | 0x7e00 | x.a>>13&0x3ff
	}
	v := math.Abs(single.value(x.a))
	if math.IsInf(v, 0) {
		return sign | 0x7c00
	}
	_, e := math.Frexp(v)
	unit := math.Ldexp(1, max(e-11, -24)) // of the last place
	mode := x.imm & 3
	if x.imm&4 != 0 {
		mode = 0
	}
	if x.a>>31 != 0 && (mode == 1 || mode == 2) {
		mode = 3 - mode
	}
	n := [...]func(float64) float64{math.RoundToEven, math.Floor, math.Ceil, math.Floor}[mode](v / unit)
	switch r := n * unit; {
	case r >= 0x1p16 && mode&1 != 0:
		return sign | 0x7bff // the greatest
	case r >= 0x1p16:
		return sign | 0x7c00
	case r < 0x1p-14:
		return sign | uint64(r*0x1p24)
	default:
		f, e := math.Frexp(r)
		return sign | uint64(e+14)<<10 | uint64(f*0x1p11)&0x3ff
	}
}

// extended makes elements of size bytes of those of from bytes, with their signs or zeros in front.
func extended(size, from int, sign bool) *entry {
	return &entry{args: 2, size: size, from: from, lane: func(x *lane) uint64 {
		if sign {
			return uint64(signed(from, x.a))
		}
		return x.a
	}}
}

// cut makes elements of size bytes of those of from bytes.
func cut(size, from int) *entry {
	return &entry{args: 2, size: size, from: from, lane: func(x *lane) uint64 { return x.a }}
}

// scalarInteger is VCVTSI2SS and the like: a float of a general operand of from bytes.
func scalarInteger(f *format, from amd64.Size) *entry {
	return &entry{args: 3, size: f.size, do: func(_ *entry, m *machine, i *inst) {
		y := m.vectors[i.args[1].reg]
		y = vec{y[0], y[1]}
		y.set(f.size, 0, f.integer(m.read(&i.args[2], from), int(from/8), true, i.rounding))
		m.vectors[i.args[0].reg] = y
	}}
}

// scalarFloat makes the lowest element another format's. The source has from bytes.
func scalarFloat(size, from int, f func(*lane) uint64) *entry {
	return &entry{args: 3, size: size, do: func(_ *entry, m *machine, i *inst) {
		a, b := m.vectors[i.args[1].reg], m.source(&i.args[2], from, 1, 1)
		y := vec{a[0], a[1]}
		y.set(size, 0, f(&lane{b: b.get(from, 0), rounding: i.rounding}))
		m.vectors[i.args[0].reg] = y
	}}
}

// conversions are those between formats (SDM volume 2, the sections with their names).
var conversions = table{
	amd64.VCVTDQ2PS: toFloat(single, 4, true), amd64.VCVTUDQ2PS: toFloat(single, 4, false),
	amd64.VCVTDQ2PD: toFloat(double, 4, true), amd64.VCVTUDQ2PD: toFloat(double, 4, false),
	amd64.VCVTQQ2PS: toFloat(single, 8, true), amd64.VCVTUQQ2PS: toFloat(single, 8, false),
	amd64.VCVTQQ2PD: toFloat(double, 8, true), amd64.VCVTUQQ2PD: toFloat(double, 8, false),
	amd64.VCVTTPS2DQ: toInteger(4, single, true), amd64.VCVTTPS2UDQ: toInteger(4, single, false),
	amd64.VCVTTPD2DQ: toInteger(4, double, true), amd64.VCVTTPD2UDQ: toInteger(4, double, false),
	amd64.VCVTTPS2QQ: toInteger(8, single, true), amd64.VCVTTPS2UQQ: toInteger(8, single, false),
	amd64.VCVTTPD2QQ: toInteger(8, double, true), amd64.VCVTTPD2UQQ: toInteger(8, double, false),
	amd64.VCVTPS2PD:  {args: 2, size: 8, from: 4, lane: func(x *lane) uint64 { return widened(x.a) }},
	amd64.VCVTPD2PS:  {args: 2, size: 4, from: 8, flags: rounds, lane: func(x *lane) uint64 { return narrowed(x.a, x.rounding) }},
	amd64.VCVTPH2PS:  {args: 2, size: 4, from: 2, lane: fromHalf},
	amd64.VCVTPS2PH:  {args: 3, size: 2, from: 4, lane: toHalf},
	amd64.VCVTSI2SSL: scalarInteger(single, 32), amd64.VCVTSI2SSQ: scalarInteger(single, 64),
	amd64.VCVTSI2SDL: scalarInteger(double, 32), amd64.VCVTSI2SDQ: scalarInteger(double, 64),
	amd64.VCVTSS2SD: scalarFloat(8, 4, func(x *lane) uint64 { return widened(x.b) }),
	amd64.VCVTSD2SS: scalarFloat(4, 8, func(x *lane) uint64 { return narrowed(x.b, x.rounding) }),

	amd64.VPMOVSXBW: extended(2, 1, true), amd64.VPMOVSXBD: extended(4, 1, true),
	amd64.VPMOVSXBQ: extended(8, 1, true),
	amd64.VPMOVSXWD: extended(4, 2, true), amd64.VPMOVSXWQ: extended(8, 2, true),
	amd64.VPMOVSXDQ: extended(8, 4, true),
	amd64.VPMOVZXBW: extended(2, 1, false), amd64.VPMOVZXBD: extended(4, 1, false),
	amd64.VPMOVZXBQ: extended(8, 1, false),
	amd64.VPMOVZXWD: extended(4, 2, false), amd64.VPMOVZXWQ: extended(8, 2, false),
	amd64.VPMOVZXDQ: extended(8, 4, false),
	amd64.VPMOVWB:   cut(1, 2), amd64.VPMOVDB: cut(1, 4), amd64.VPMOVQB: cut(1, 8),
	amd64.VPMOVDW: cut(2, 4), amd64.VPMOVQW: cut(2, 8), amd64.VPMOVQD: cut(4, 8),
}
