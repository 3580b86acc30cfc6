package portable

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// one is an instruction that makes each element of one of a source, two of two sources.
func one(size int, f func(a uint64) uint64) *entry {
	return &entry{args: 2, size: size, lane: func(x *lane) uint64 { return f(x.a) }}
}

func two(size int, f func(a, b uint64) uint64) *entry {
	return &entry{args: 3, size: size, lane: func(x *lane) uint64 { return f(x.a, x.b) }}
}

// compared is one that compares two sources. Of the processor's comparisons, those with a number come with it.
func compared(size int, f func(a, b uint64) bool) *entry {
	return &entry{args: 3, size: size, test: func(x *lane) bool { return f(x.a, x.b) }}
}

// byNumber is a comparison of the kind that the number says (SDM volume 2, VPCMPD).
func byNumber(size int, less func(a, b uint64) bool) *entry {
	return &entry{args: 4, size: size, imm: 7, test: func(x *lane) bool {
		var is bool
		switch x.imm & 3 {
		case 0:
			is = x.a == x.b
		case 1:
			is = less(x.a, x.b)
		case 2:
			is = !less(x.b, x.a)
		}
		return is != (x.imm&4 != 0)
	}}
}

func add(a, b uint64) uint64   { return a + b }
func sub(a, b uint64) uint64   { return a - b }
func mul(a, b uint64) uint64   { return a * b }
func and(a, b uint64) uint64   { return a & b }
func or(a, b uint64) uint64    { return a | b }
func xor(a, b uint64) uint64   { return a ^ b }
func andn(a, b uint64) uint64  { return ^a & b }
func below(a, b uint64) bool   { return a < b }
func equal(a, b uint64) bool   { return a == b }
func common(a, b uint64) bool  { return a&b != 0 }
func without(a, b uint64) bool { return a&b == 0 }
func least(a, b uint64) uint64 { return min(a, b) }
func most(a, b uint64) uint64  { return max(a, b) }

// signedly has f work on numbers of size bytes with signs.
func signedly(size int, f func(a, b int64) int64) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return uint64(f(signed(size, a), signed(size, b))) }
}

func less(size int) func(a, b uint64) bool {
	return func(a, b uint64) bool { return signed(size, a) < signed(size, b) }
}

func greater(size int) func(a, b uint64) bool {
	return func(a, b uint64) bool { return signed(size, a) > signed(size, b) }
}

func minimum(a, b int64) int64 { return min(a, b) }
func maximum(a, b int64) int64 { return max(a, b) }

// absolute is that of a number of size bytes.
func absolute(size int) func(a uint64) uint64 {
	return func(a uint64) uint64 {
		if signed(size, a) < 0 {
			return -a
		}
		return a
	}
}

func ternary(x *lane) (r uint64) {
	for n := range uint64(8) {
		if x.imm>>n&1 == 0 {
			continue
		}
		m := ^uint64(0)
		for k, v := range [3]uint64{x.b, x.a, x.d} {
			if n>>k&1 == 0 {
				v = ^v
			}
			m &= v
		}
		r |= m
	}
	return r
}

// saturated is a sum of numbers of size bytes without signs, or a difference, at its bounds.
func saturatedDifference(a, b uint64) uint64 { return a - min(a, b) }

func saturatedSum(size int) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 { return min(a+b, 1<<(8*size)-1) }
}

// differences is the sum of the absolute differences of 8 bytes.
func differences(a, b uint64) (sum uint64) {
	for n := 0; n < 64; n += 8 {
		x, y := a>>n&0xff, b>>n&0xff
		sum += max(x, y) - min(x, y)
	}
	return sum
}

func multiplyAdd(a, b uint64) uint64 {
	return uint64(signed(2, a)*signed(2, b) + signed(2, a>>16)*signed(2, b>>16))
}

// integers are arithmetic, logic and comparisons of integers (SDM volume 2, the sections with their names; those
// of AVX-512 are with those of AVX2).
var integers = table{
	amd64.VPADDB: two(1, add), amd64.VPADDW: two(2, add), amd64.VPADDD: two(4, add),
	amd64.VPADDQ: two(8, add),
	amd64.VPSUBB: two(1, sub), amd64.VPSUBW: two(2, sub), amd64.VPSUBD: two(4, sub),
	amd64.VPSUBQ:   two(8, sub),
	amd64.VPADDUSB: two(1, saturatedSum(1)), amd64.VPADDUSW: two(2, saturatedSum(2)),
	amd64.VPSUBUSB: two(1, saturatedDifference), amd64.VPSUBUSW: two(2, saturatedDifference),
	amd64.VPMULLW: two(2, mul), amd64.VPMULLD: two(4, mul), amd64.VPMULLQ: two(8, mul),
	amd64.VPMULDQ:  two(8, func(a, b uint64) uint64 { return uint64(signed(4, a) * signed(4, b)) }),
	amd64.VPMULUDQ: two(8, func(a, b uint64) uint64 { return a & 0xffffffff * (b & 0xffffffff) }),
	amd64.VPMADDWD: two(4, multiplyAdd), amd64.VPSADBW: two(8, differences),

	amd64.VPMINUB: two(1, least), amd64.VPMINUW: two(2, least), amd64.VPMINUD: two(4, least),
	amd64.VPMINUQ: two(8, least),
	amd64.VPMAXUB: two(1, most), amd64.VPMAXUW: two(2, most), amd64.VPMAXUD: two(4, most),
	amd64.VPMAXUQ: two(8, most),
	amd64.VPMINSB: two(1, signedly(1, minimum)), amd64.VPMINSW: two(2, signedly(2, minimum)),
	amd64.VPMINSD: two(4, signedly(4, minimum)), amd64.VPMINSQ: two(8, signedly(8, minimum)),
	amd64.VPMAXSB: two(1, signedly(1, maximum)), amd64.VPMAXSW: two(2, signedly(2, maximum)),
	amd64.VPMAXSD: two(4, signedly(4, maximum)), amd64.VPMAXSQ: two(8, signedly(8, maximum)),
	amd64.VPABSB: one(1, absolute(1)), amd64.VPABSW: one(2, absolute(2)), amd64.VPABSD: one(4, absolute(4)),
	amd64.VPABSQ: one(8, absolute(8)),

	amd64.VPANDD: two(4, and), amd64.VPANDQ: two(8, and), amd64.VPANDND: two(4, andn),
	amd64.VPANDNQ: two(8, andn),
	amd64.VPORD:   two(4, or), amd64.VPORQ: two(8, or), amd64.VPXORD: two(4, xor), amd64.VPXORQ: two(8, xor),
	amd64.VANDPS: two(4, and), amd64.VANDPD: two(8, and), amd64.VANDNPS: two(4, andn),
	amd64.VANDNPD: two(8, andn),
	amd64.VORPS:   two(4, or), amd64.VORPD: two(8, or), amd64.VXORPS: two(4, xor), amd64.VXORPD: two(8, xor),
	amd64.VPTERNLOGD: {args: 4, size: 4, lane: ternary}, amd64.VPTERNLOGQ: {args: 4, size: 8, lane: ternary},

	amd64.VPLZCNTD:  one(4, func(a uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) }),
	amd64.VPLZCNTQ:  one(8, func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a)) }),
	amd64.VPOPCNTB:  one(1, population),
	amd64.VPOPCNTW:  one(2, population),
	amd64.VPOPCNTD:  one(4, population),
	amd64.VPOPCNTQ:  one(8, population),
	amd64.VPCMPEQB:  compared(1, equal),
	amd64.VPCMPEQW:  compared(2, equal),
	amd64.VPCMPEQD:  compared(4, equal),
	amd64.VPCMPEQQ:  compared(8, equal),
	amd64.VPCMPGTB:  compared(1, greater(1)),
	amd64.VPCMPGTW:  compared(2, greater(2)),
	amd64.VPCMPGTD:  compared(4, greater(4)),
	amd64.VPCMPGTQ:  compared(8, greater(8)),
	amd64.VPCMPB:    byNumber(1, less(1)),
	amd64.VPCMPW:    byNumber(2, less(2)),
	amd64.VPCMPD:    byNumber(4, less(4)),
	amd64.VPCMPQ:    byNumber(8, less(8)),
	amd64.VPCMPUB:   byNumber(1, below),
	amd64.VPCMPUW:   byNumber(2, below),
	amd64.VPCMPUD:   byNumber(4, below),
	amd64.VPCMPUQ:   byNumber(8, below),
	amd64.VPTESTMB:  compared(1, common),
	amd64.VPTESTMW:  compared(2, common),
	amd64.VPTESTMD:  compared(4, common),
	amd64.VPTESTMQ:  compared(8, common),
	amd64.VPTESTNMB: compared(1, without),
	amd64.VPTESTNMW: compared(2, without),
	amd64.VPTESTNMD: compared(4, without),
	amd64.VPTESTNMQ: compared(8, without),
	amd64.VPTEST:    {args: 2, size: 8, do: testBits(^uint64(0))},
	amd64.VTESTPS:   {args: 2, size: 4, do: testBits(1<<63 | 1<<31)},
	amd64.VTESTPD:   {args: 2, size: 8, do: testBits(1 << 63)},
}

func population(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }

// testBits sets flags: whether what two vectors have in common of some bits is nothing, and whether the second
// has nothing of them that the first has not (SDM volume 2, PTEST and VTESTPS).
func testBits(of uint64) func(*entry, *machine, *inst) {
	return func(e *entry, m *machine, i *inst) {
		lanes := e.lanes(i)
		a, b := m.source(&i.args[0], e.size, lanes, ^uint64(0)>>(64-lanes)), m.source(&i.args[1], e.size, lanes, ^uint64(0)>>(64-lanes))
		var both, rest uint64
		for k := range i.width.Bytes() / 8 {
			both |= a[k] & b[k] & of
			rest |= ^a[k] & b[k] & of
		}
		m.flags = flags{zero: both == 0, carry: rest == 0}
	}
}

// shifted is a shift by as many bits as another element, or a count, has.
func shifted(size int, with traits, f func(a, n uint64) uint64) *entry {
	return &entry{args: 3, size: size, flags: with, lane: func(x *lane) uint64 { return f(x.a, x.b) }}
}

func left(size int) func(a, n uint64) uint64 {
	return func(a, n uint64) uint64 {
		if n >= uint64(8*size) {
			return 0
		}
		return a << n
	}
}

func right(size int) func(a, n uint64) uint64 {
	return func(a, n uint64) uint64 {
		if n >= uint64(8*size) {
			return 0
		}
		return a >> n
	}
}

func arithmetic(size int) func(a, n uint64) uint64 {
	return func(a, n uint64) uint64 { return uint64(signed(size, a) >> min(n, uint64(8*size-1))) }
}

func rotated(size int) func(a, n uint64) uint64 {
	return func(a, n uint64) uint64 {
		n %= uint64(8 * size)
		return a<<n | a>>(uint64(8*size)-n)
	}
}

// shifts are shifts and rotations (SDM volume 2, PSLLW, PSRAW, PSRLW, VPSLLVW, VPSRLVW, VPSRAVW, PROLD).
var shifts = table{
	amd64.VPSLLW: shifted(2, counts, left(2)), amd64.VPSLLD: shifted(4, counts, left(4)),
	amd64.VPSLLQ: shifted(8, counts, left(8)),
	amd64.VPSRLW: shifted(2, counts, right(2)), amd64.VPSRLD: shifted(4, counts, right(4)),
	amd64.VPSRLQ: shifted(8, counts, right(8)),
	amd64.VPSRAW: shifted(2, counts, arithmetic(2)), amd64.VPSRAD: shifted(4, counts, arithmetic(4)),
	amd64.VPSRAQ: shifted(8, counts, arithmetic(8)),
	amd64.VPROLD: shifted(4, counts, rotated(4)), amd64.VPROLQ: shifted(8, counts, rotated(8)),
	amd64.VPSLLVW: shifted(2, 0, left(2)), amd64.VPSLLVD: shifted(4, 0, left(4)),
	amd64.VPSLLVQ: shifted(8, 0, left(8)),
	amd64.VPSRLVW: shifted(2, 0, right(2)), amd64.VPSRLVD: shifted(4, 0, right(4)),
	amd64.VPSRLVQ: shifted(8, 0, right(8)),
	amd64.VPSRAVW: shifted(2, 0, arithmetic(2)), amd64.VPSRAVD: shifted(4, 0, arithmetic(4)),
	amd64.VPSRAVQ: shifted(8, 0, arithmetic(8)),
	amd64.VPROLVD: shifted(4, 0, rotated(4)), amd64.VPROLVQ: shifted(8, 0, rotated(8)),
}
