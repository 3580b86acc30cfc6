package kernels

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// vectorKernels work on vectors, on halves in memory, and on masks.
func vectorKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "swizzles", Module: "vectors", Entry: "swizzles",
			About: "Swizzles on both sides of assignments, of every width.",
			Launch: Launch{Global: []uint64{16}, Local: []uint64{8},
				Args: []string{"rand:u32:256:1", "zero:u32:256"}},
			Outputs:   []int{1},
			reference: swizzles,
		},
		{
			Name: "vload_store", Module: "vectors", Entry: "vload_store",
			About: "vloadn and vstoren of 2, 3, 4, 8 and 16 in global, local and private memory, unaligned.",
			Launch: Launch{Global: []uint64{16}, Local: []uint64{8},
				Args: []string{"iota:u16:640:500:7", "zero:u16:640", "local:128"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[uint16](args[0]), load[uint16](args[1])
				for i := range l.items() {
					src, dst := in[40*i:40*i+40], out[40*i:40*i+40]
					b, c, e := src[4:7], src[8:12], src[23:39]
					dst[0], dst[1] = src[3], src[2]
					dst[3], dst[4], dst[5] = b[2], b[1], b[0]
					for k := range uint16(4) {
						dst[6+k] = c[k] - 1 - k
					}
					for k := range 8 {
						dst[10+k] = src[12+k] * 3
					}
					copy(dst[18:], e)
					mine := append(slices.Clone(b), c...)
					copy(dst[34:], mine[1:5])
					dst[38], dst[39] = e[9]^0x55, e[7]^0x55
				}
				return store(args[1], out)
			},
		},
		{
			Name: "vector_ops", Module: "vectors", Entry: "vector_ops",
			About: "Comparisons, select, any, all, shifts, conversions and upsample of vectors.",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{16},
				Args: []string{"rand:u32:256:5", "zero:u32:512"}},
			Outputs:   []int{1},
			reference: vectorOps,
		},
		{
			Name: "shuffles", Module: "vectors", Entry: "shuffles",
			About: "shuffle and shuffle2 between widths, with masks that are data.",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{16},
				Args: []string{"rand:u32:256:5", "rand:u32:32:6", "zero:u32:384"}},
			Outputs: []int{2},
			reference: func(l Launch, args [][]byte) error {
				in, mask, out := load[uint32](args[0]), load[uint32](args[1]), load[uint32](args[2])
				for i := range l.items() {
					m := mask[i]
					ab, o := in[8*i:8*i+8], out[12*i:12*i+12]
					ba := append(slices.Clone(ab[4:]), ab[:4]...)
					mixed := [4]uint32{ab[0], ab[1], ab[6], ab[7]}
					var large [8]uint32
					for k := range uint32(4) {
						pick := m >> (4 * k)
						o[k], o[4+k] = ab[pick&3], ab[pick&7]
						large[k], large[4+k] = mixed[pick&3], mixed[pick>>2&3]
					}
					o[8], o[9], o[10], o[11] = ba[m>>16&7], ba[m>>20&7], large[6], large[1]
					for k := range 4 {
						o[8+k] += large[k]
					}
				}
				return store(args[2], out)
			},
		},
		{
			Name: "halves", Module: "vectors", Entry: "halves",
			About: "Halves as storage: loads, and stores in every rounding, of scalars and vectors.",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{16},
				Args: []string{"buf:f16:0,-0,1,-1,65504,-65504,inf,-inf,6e-8,-6e-8,6.1e-5,0.1,1e-5,3.14,1000,2049*9,-3e-7*8",
					"buf:f32:0,-0,1,-1,65504,65519,65520,65536,-65520,-1e30,1e-8,-1e-8,3e-8,2.98e-8,-2.99e-8,6.1e-5,6.103e-5,1.00048828125,1.0009765625,-1.00146484375,0.1,-0.1,3.14159,-2.71828,1000.3,2047.5,2048.5,2049.5,4098,4099,inf,-inf",
					"zero:u16:192", "zero:f32:64", "u32:32"}},
			Outputs:   []int{2, 3},
			reference: halves,
		},
		{
			Name: "selects", Module: "vectors", Entry: "selects",
			About: "select and bitselect of scalars (by truth) and vectors (by the highest bit).",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{16},
				Args: []string{"rand:i32:96:1:-2:2", "rand:i64:64:2", "zero:i32:128", "zero:i64:64"}},
			Outputs:   []int{2, 3},
			reference: selects,
		},
		relationalKernel("relational", "f32", 32),
		relationalKernel("relational64", "f64", 64),
	}
}

func swizzles(l Launch, args [][]byte) error {
	in, out := load[uint32](args[0]), load[uint32](args[1])
	for i := range l.items() {
		v, r := in[16*i:16*i+16], out[16*i:16*i+16]
		for k := range 8 {
			r[k], r[8+k] = v[8+k], v[2*k]
		}
		for k := range 8 {
			r[2*k] = r[2*k+1] ^ v[15-k]
		}
		r[3], r[7] = v[0]+1, v[1]+2
		t := [3]uint32{v[9], v[10], v[3]}
		t[2], t[0] = t[0], t[1]
		for k := range 3 {
			r[4+k] += t[k]
		}
		q := [4]uint32{r[3], r[2], r[1], r[0]}
		q[0], q[3] = q[0]-q[1], q[3]-q[2]
		r[8], r[9], r[10], r[11] = q[0], q[0], q[1], q[1]
		r[15] = t[1]
	}
	return store(args[1], out)
}

func vectorOps(l Launch, args [][]byte) error {
	in, out := load[uint32](args[0]), load[uint32](args[1])
	truth := func(b bool) uint32 {
		if b {
			return 1
		}
		return 0
	}
	for i := range l.items() {
		a, b, o := in[8*i:8*i+4], in[8*i+4:8*i+8], out[16*i:16*i+16]
		var less [4]uint32 // all ones for true
		some, every, equal := uint32(0), uint32(1), uint32(0)
		for k := range 4 {
			less[k] = -truth(a[k] < b[k])
			some |= less[k] & 1
			every &= less[k] & 1
			equal |= truth(a[k] == b[k])
		}
		for k := range 4 {
			o[k] = a[k]
			if less[k] != 0 {
				o[k] = b[k]
			}
			lo, hi := bits.RotateLeft32(a[k], 3), bits.RotateLeft32(b[k], 3)
			o[4+k] = (lo + lo*5) ^ (hi + hi%7)
			o[8+k] = (o[k]&0xff<<8 | uint32(k+1)) + some*2 + every + equal*4
			o[12+k] = uint32(uint64(int64(int32(a[k]))*int64(int32(b[k]))) >> 32)
		}
		o[12] ^= -less[0]
		o[13] ^= ^less[1]
		o[14] ^= truth(less[2] == 0)
		o[15] ^= less[3] & 1
	}
	return store(args[1], out)
}

// rounding is a rounding mode, named as in OpenCL.
type rounding int

const (
	rte rounding = iota // to nearest, ties to even
	rtz                 // towards zero
	rtp                 // towards positive infinity
	rtn                 // towards negative infinity
)

// toHalf rounds f, which is no NaN, to half precision.
func toHalf(f float32, mode rounding) uint16 {
	sign := uint16(f32bits(f) >> 16 & 0x8000)
	a := math.Abs(float64(f))
	if math.IsInf(a, 0) {
		return sign | 0x7c00
	}
	// The distance of neighbours: 2^-24 for denormals, else of 11 bits.
	ulp := 0x1p-24
	if a >= 0x1p-14 {
		_, e := math.Frexp(a)
		ulp = math.Ldexp(1, e-11)
	}
	away := mode == rtp && sign == 0 || mode == rtn && sign != 0
	var n float64
	switch {
	case mode == rte:
		n = math.RoundToEven(a / ulp)
	case away:
		n = math.Ceil(a / ulp)
	default:
		n = math.Floor(a / ulp)
	}
	v := n * ulp
	if v > 65504 {
		if mode == rte || away {
			return sign | 0x7c00
		}
		return sign | 0x7bff
	}
	if v < 0x1p-14 {
		return sign | uint16(v*0x1p24)
	}
	frac, e := math.Frexp(v)
	return sign | uint16(e+14)<<10 + uint16((frac*2-1)*1024)
}

// fromHalf is the value of a half that is no NaN.
func fromHalf(h uint16) float32 {
	e, m := int(h>>10&31), float64(h&1023)
	v := math.Ldexp(m, -24)
	if e == 31 {
		v = math.Inf(1)
	} else if e > 0 {
		v = math.Ldexp(1024+m, e-25)
	}
	if h&0x8000 != 0 {
		v = -v
	}
	return float32(v)
}

func halves(_ Launch, args [][]byte) error {
	in, f := load[uint16](args[0]), load[float32](args[1])
	out, wide := load[uint16](args[2]), load[float32](args[3])
	n := int(value[uint32](args[4]))
	for i := range n {
		wide[i] = fromHalf(in[i])
		for k, mode := range []rounding{rte, rte, rtz, rtp, rtn} {
			out[k*n+i] = toHalf(f[i], mode)
		}
		wide[n+i] = wide[i] * 0.5
		out[5*n+i] = toHalf(wide[i]+f[i], rtz)
	}
	if err := store(args[2], out); err != nil {
		return err
	}
	return store(args[3], wide)
}

func selects(l Launch, args [][]byte) error {
	in, big := load[int32](args[0]), load[int64](args[1])
	out, out64 := load[int32](args[2]), load[int64](args[3])
	for i := range l.items() {
		a, b, c := in[3*i], in[3*i+1], in[3*i+2]
		x, y := big[2*i], big[2*i+1]
		o := out[4*i : 4*i+4]
		o[0] = a
		if c != 0 {
			o[0] = b
		}
		o[1] = a&^c | b&c
		v, w := a, b
		if c < 0 {
			v = b
		}
		if a < 0 {
			w = c
		}
		o[2] = v ^ w*3
		o[3] = 0
		for k := range 4 {
			n := a
			if int8(c>>(8*k)) < 0 {
				n = b
			}
			o[3] |= n & 0xff << (8 * k)
		}
		out64[2*i] = x
		if c != 0 {
			out64[2*i] = y
		}
		p, q := x, y
		if a < 0 {
			p = y
		}
		if int64(b)<<40 < 0 {
			q = x
		}
		out64[2*i+1] = p - q
	}
	if err := store(args[2], out); err != nil {
		return err
	}
	return store(args[3], out64)
}

func relationalKernel(entry, kind string, size int) *Kernel {
	special := []string{"0", "-0", "1", "-1", "inf", "-inf", "nan", "1e-40", "-1e-40", "2.5", "1e30"}
	if size == 64 {
		special = []string{"0", "-0", "1", "-1", "inf", "-inf", "nan", "5e-324", "-1e-310", "2.5", "1e300"}
	}
	// Every special value against every other: 121 pairs.
	var a, b string
	for _, v := range special {
		a += "," + v + "*11"
		b += "," + strings.Join(special, ",")
	}
	return &Kernel{
		Name: entry, Module: "relational", Entry: entry,
		About: "Comparisons and classifications of " + kind + " with infinities, NaNs, denormals and signed zeros.",
		Launch: Launch{Global: []uint64{121}, Local: []uint64{11},
			Args: []string{"buf:" + kind + ":" + a[1:], "buf:" + kind + ":" + b[1:],
				fmt.Sprintf("zero:i%d:484", size)}},
		Outputs: []int{2},
		reference: func(l Launch, args [][]byte) error {
			if size == 32 {
				a, b, out := load[uint32](args[0]), load[uint32](args[1]), load[int32](args[2])
				for i := range l.items() {
					r := relational(float64(math.Float32frombits(a[i])), float64(math.Float32frombits(b[i])), 0x1p-126)
					other := a[i]
					if r.greater {
						other = b[i]
					}
					const mask = 0x3fc00000 // 1.5
					copy(out[4*i:], []int32{int32(r.scalar), int32(r.first), int32(r.second),
						int32(other ^ (a[i]&^mask | b[i]&mask))})
				}
				return store(args[2], out)
			}
			a, b, out := load[uint64](args[0]), load[uint64](args[1]), load[int64](args[2])
			for i := range l.items() {
				r := relational(math.Float64frombits(a[i]), math.Float64frombits(b[i]), 0x1p-1022)
				other := a[i]
				if r.greater {
					other = b[i]
				}
				const mask = 0x3ff8000000000000 // 1.5
				copy(out[4*i:], []int64{r.scalar, r.first, r.second, int64(other ^ (a[i]&^mask | b[i]&mask))})
			}
			return store(args[2], out)
		},
	}
}

// relations are the results of the relational kernels for one pair.
type relations struct {
	scalar, first, second int64
	greater               bool
}

// relational follows the relational kernels; smallest is the smallest normal
// number of the type.
func relational(x, y, smallest float64) relations {
	one := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	nan := func(v float64) bool { return v != v }
	ordered := !nan(x) && !nan(y)
	finite := !nan(x) && !math.IsInf(x, 0)
	var r int64
	for _, b := range []bool{x == y, x != y, x > y, x >= y, x < y, x <= y, x < y || x > y, finite, math.IsInf(x, 0),
		nan(x), finite && math.Abs(x) >= smallest, ordered, !ordered, math.Signbit(x)} {
		r = r*2 + one(b)
	}
	r = r*2 + one(x == y) + one(x != y)*4 + one(x < y)*16
	r = r*2 + one(!(x >= y))
	lane := func(v, w float64) int64 {
		return -(one(v < w) + one(nan(v))*2 + one(v >= w)*4 + one(math.Signbit(v))*8 + one(math.IsInf(w, 0))*16)
	}
	return relations{r, lane(x, y), lane(y, y), x > y}
}
