package portable

import (
	"math"
	"math/big"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// format is a format of floats: how many bytes it has, and how many bits of these are the fraction.
type format struct {
	size     int
	fraction uint
	bias     int
}

var (
	single = &format{4, 23, 127}
	double = &format{8, 52, 1023}
)

func (f *format) sign() uint64     { return 1 << (8*f.size - 1) }
func (f *format) infinity() uint64 { return f.sign() - 1<<f.fraction }
func (f *format) quiet() uint64    { return 1 << (f.fraction - 1) }

// indefinite is the NaN of operations that are invalid (SDM volume 1, 4.8.3.7).
func (f *format) indefinite() uint64 { return f.sign() | f.infinity() | f.quiet() }

func (f *format) isNaN(x uint64) bool       { return x&^f.sign() > f.infinity() }
func (f *format) isSignaling(x uint64) bool { return f.isNaN(x) && x&f.quiet() == 0 }
func (f *format) isInfinite(x uint64) bool  { return x&^f.sign() == f.infinity() }
func (f *format) isZero(x uint64) bool      { return x&^f.sign() == 0 }
func (f *format) negative(x uint64) bool    { return x&f.sign() != 0 }

// value is a number that is no NaN. Of single precision, float64 holds it exactly.
func (f *format) value(x uint64) float64 {
	if f.size == 4 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// bits rounds to nearest. The sum, difference, product, quotient and square root of singles may be rounded to
// double first: 53 bits are at least twice 24 and two more (Figueroa, "When is double rounding innocuous?",
// 1995).
func (f *format) bits(x float64) uint64 {
	switch {
	case x != x:
		return f.indefinite()
	case f.size == 4:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// nextTo is the next number beside r in the direction of to.
func (f *format) nextTo(r, to float64) float64 {
	if f.size == 4 {
		return float64(math.Nextafter32(float32(r), float32(to)))
	}
	return math.Nextafter(r, to)
}

// directed is the result of an operation in an embedded rounding: r to nearest, and rest the sign of what the
// exact result has more.
func (f *format) directed(r float64, rest int, mode amd64.Rounding) uint64 {
	switch {
	case mode == amd64.RoundDown && rest < 0:
		r = f.nextTo(r, math.Inf(-1))
	case mode == amd64.RoundUp && rest > 0:
		r = f.nextTo(r, math.Inf(1))
	case mode == amd64.RoundZero && (rest < 0 && !math.Signbit(r) || rest > 0 && math.Signbit(r)):
		r = f.nextTo(r, 0)
	}
	return f.bits(r)
}

// overflown is the rest of a result that became infinite to nearest.
func overflown(r float64) int {
	if r > 0 {
		return -1
	}
	return 1
}

// binary is an operation on two floats (NaNs: SDM volume 1, table 4-7).
func (f *format) binary(g func(a, b float64) float64) func(x *lane) uint64 {
	return func(x *lane) uint64 {
		switch {
		case f.isNaN(x.a):
			return x.a | f.quiet()
		case f.isNaN(x.b):
			return x.b | f.quiet()
		}
		return f.bits(g(f.value(x.a), f.value(x.b)))
	}
}

func plus(a, b float64) float64  { return a + b }
func minus(a, b float64) float64 { return a - b }
func times(a, b float64) float64 { return a * b }
func over(a, b float64) float64  { return a / b }

// quotient is that, with roundings.
func (f *format) quotient(x *lane) uint64 {
	if x.rounding == 0 || x.rounding == amd64.SAE || f.isNaN(x.a) || f.isNaN(x.b) {
		return f.binary(over)(x)
	}
	a, b := f.value(x.a), f.value(x.b)
	q := f.value(f.bits(a / b))
	rest := 0
	switch {
	case math.IsInf(a, 0) || math.IsInf(b, 0) || b == 0:
	case math.IsInf(q, 0):
		rest = overflown(q)
	default:
		// The sign of a - q*b, which big numbers have exactly.
		product := new(big.Float).SetPrec(128).Mul(big.NewFloat(q), big.NewFloat(b))
		rest = big.NewFloat(a).Cmp(product)
		if b < 0 {
			rest = -rest
		}
	}
	return f.directed(q, rest, x.rounding)
}

// unary is an operation on a float, of the last source for a scalar.
func (f *format) unary(x uint64, g func(float64) float64) uint64 {
	if f.isNaN(x) {
		return x | f.quiet()
	}
	return f.bits(g(f.value(x)))
}

// smaller and larger return the second operand if either is a NaN, or both are zeros.
func (f *format) smaller(x *lane) uint64 {
	if !f.isNaN(x.a) && !f.isNaN(x.b) && f.value(x.a) < f.value(x.b) {
		return x.a
	}
	return x.b
}

func (f *format) larger(x *lane) uint64 {
	if !f.isNaN(x.a) && !f.isNaN(x.b) && f.value(x.a) > f.value(x.b) {
		return x.a
	}
	return x.b
}

// fused is a*b+c, rounded once, with the signs of product and sum changed as negate and subtract say.
func (f *format) fused(a, b, c uint64, negate, subtract bool) uint64 {
	for _, x := range [...]uint64{a, b, c} {
		if f.isNaN(x) {
			return x | f.quiet()
		}
	}
	x, y, z := f.value(a), f.value(b), f.value(c)
	if negate {
		x = -x
	}
	if subtract {
		z = -z
	}
	if f.size == 8 {
		return f.bits(math.FMA(x, y, z))
	}
	// The product of singles is exact. Their sum is rounded to odd, so that rounding it again does no harm
	// (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums", 2008).
	p := float64(x * y)
	sum := float64(p + z)
	if math.IsInf(sum, 0) || sum != sum {
		return f.bits(sum)
	}
	t := float64(sum - p)
	rest := float64(float64(p-float64(sum-t)) + float64(z-t))
	if b := math.Float64bits(sum); rest != 0 && b&1 == 0 {
		if (rest > 0) == (sum > 0) {
			sum = math.Float64frombits(b + 1)
		} else {
			sum = math.Float64frombits(b - 1)
		}
	}
	return f.bits(sum)
}

// The orders of the operands of fused operations, as the names of instructions have them.
const (
	order132 = iota
	order213
	order231
)

func (f *format) fusedEntry(order int, negate, subtract bool, with traits) *entry {
	return &entry{args: 3, size: f.size, flags: with, lane: func(x *lane) uint64 {
		switch order {
		case order132:
			return f.fused(x.d, x.b, x.a, negate, subtract)
		case order213:
			return f.fused(x.a, x.d, x.b, negate, subtract)
		}
		return f.fused(x.a, x.b, x.d, negate, subtract)
	}}
}

// vector returns an entry for vectors, of one or two sources, scalar one for scalars, whose last source
// counts.
func (f *format) vector(g func(*lane) uint64, with traits) *entry {
	return &entry{args: 3, size: f.size, lane: g, flags: with}
}

func (f *format) root(with traits) *entry {
	e := &entry{args: 2, size: f.size, flags: with, lane: func(x *lane) uint64 { return f.unary(x.a, math.Sqrt) }}
	if with&scalar != 0 {
		e.args, e.lane = 3, func(x *lane) uint64 { return f.unary(x.b, math.Sqrt) }
	}
	return e
}

// near makes a float one of fewer bits with a relative error below 2^-14. What the processor's instructions
// return is somewhere in these bounds; nobody who emits them relies on more (SDM volume 2, VRCP14PD).
func near(x float64) float64 {
	if x == 0 || math.IsInf(x, 0) || x != x {
		return x
	}
	return math.Float64frombits((math.Float64bits(x) + 1<<36) &^ (1<<37 - 1))
}

func reciprocal(x float64) float64 { return near(1 / x) }

func reciprocalRoot(x float64) float64 {
	if x == 0 {
		return math.Copysign(math.Inf(1), x)
	}
	return near(1 / math.Sqrt(x))
}

func (f *format) alone(g func(*lane) uint64, imm uint64) *entry {
	e := &entry{args: 2, size: f.size, lane: g}
	if imm != 0 {
		e.args, e.imm = 3, imm
	}
	return e
}

// floats are the operations on floats (SDM volume 2, the sections with their names).
var floats = table{
	amd64.VADDPS: single.vector(single.binary(plus), 0), amd64.VADDPD: double.vector(double.binary(plus), 0),
	amd64.VADDSS: single.vector(single.binary(plus), scalar),
	amd64.VADDSD: double.vector(double.binary(plus), scalar),
	amd64.VSUBPS: single.vector(single.binary(minus), 0),
	amd64.VSUBPD: double.vector(double.binary(minus), 0),
	amd64.VSUBSS: single.vector(single.binary(minus), scalar),
	amd64.VSUBSD: double.vector(double.binary(minus), scalar),
	amd64.VMULPS: single.vector(single.binary(times), 0),
	amd64.VMULPD: double.vector(double.binary(times), 0),
	amd64.VMULSS: single.vector(single.binary(times), scalar),
	amd64.VMULSD: double.vector(double.binary(times), scalar),
	amd64.VDIVPS: single.vector(single.quotient, rounds),
	amd64.VDIVPD: double.vector(double.quotient, rounds),
	amd64.VDIVSS: single.vector(single.quotient, scalar),
	amd64.VDIVSD: double.vector(double.quotient, scalar),
	amd64.VMINPS: single.vector(single.smaller, 0), amd64.VMINPD: double.vector(double.smaller, 0),
	amd64.VMINSS: single.vector(single.smaller, scalar), amd64.VMINSD: double.vector(double.smaller, scalar),
	amd64.VMAXPS: single.vector(single.larger, 0), amd64.VMAXPD: double.vector(double.larger, 0),
	amd64.VMAXSS: single.vector(single.larger, scalar), amd64.VMAXSD: double.vector(double.larger, scalar),
	amd64.VSQRTPS: single.root(0), amd64.VSQRTPD: double.root(0), amd64.VSQRTSS: single.root(scalar),
	amd64.VSQRTSD: double.root(scalar),

	amd64.VFMADD132PS:  single.fusedEntry(order132, false, false, 0),
	amd64.VFMADD132PD:  double.fusedEntry(order132, false, false, 0),
	amd64.VFMADD213PS:  single.fusedEntry(order213, false, false, 0),
	amd64.VFMADD213PD:  double.fusedEntry(order213, false, false, 0),
	amd64.VFMADD231PS:  single.fusedEntry(order231, false, false, 0),
	amd64.VFMADD231PD:  double.fusedEntry(order231, false, false, 0),
	amd64.VFMADD213SS:  single.fusedEntry(order213, false, false, scalar|keeps),
	amd64.VFMADD213SD:  double.fusedEntry(order213, false, false, scalar|keeps),
	amd64.VFMSUB213PS:  single.fusedEntry(order213, false, true, 0),
	amd64.VFMSUB213PD:  double.fusedEntry(order213, false, true, 0),
	amd64.VFMSUB231PS:  single.fusedEntry(order231, false, true, 0),
	amd64.VFMSUB231PD:  double.fusedEntry(order231, false, true, 0),
	amd64.VFNMADD213PS: single.fusedEntry(order213, true, false, 0),
	amd64.VFNMADD213PD: double.fusedEntry(order213, true, false, 0),
	amd64.VFNMADD231PS: single.fusedEntry(order231, true, false, 0),
	amd64.VFNMADD231PD: double.fusedEntry(order231, true, false, 0),

	amd64.VROUNDPS: single.alone(single.rounded, 15), amd64.VROUNDPD: double.alone(double.rounded, 15),
	amd64.VRNDSCALEPS: single.alone(single.rounded, 15), amd64.VRNDSCALEPD: double.alone(double.rounded, 15),
	amd64.VGETEXPPS: single.alone(single.exponent, 0), amd64.VGETEXPPD: double.alone(double.exponent, 0),
	amd64.VGETMANTPS: single.alone(single.mantissa, 15), amd64.VGETMANTPD: double.alone(double.mantissa, 15),
	amd64.VSCALEFPS: single.vector(single.scaled, 0), amd64.VSCALEFPD: double.vector(double.scaled, 0),
	amd64.VRANGEPS:   {args: 4, size: 4, lane: single.ranged, imm: 15},
	amd64.VRANGEPD:   {args: 4, size: 8, lane: double.ranged, imm: 15},
	amd64.VRCP14PD:   double.alone(func(x *lane) uint64 { return double.unary(x.a, reciprocal) }, 0),
	amd64.VRSQRT14PD: double.alone(func(x *lane) uint64 { return double.unary(x.a, reciprocalRoot) }, 0),
}

// ordered says how two floats compare, by the four outcomes that a predicate of a comparison may have: the bits
// are less, equal, greater and unordered.
func (f *format) ordered(a, b uint64) uint8 {
	if f.isNaN(a) || f.isNaN(b) {
		return 8
	}
	switch x, y := f.value(a), f.value(b); {
	case x < y:
		return 1
	case x == y:
		return 2
	}
	return 4
}

// predicates has, for the numbers of a comparison, the outcomes that make it true (SDM volume 2, CMPPD, table
// of comparison predicates). From 16 on they differ in exceptions only.
var predicates = [16]uint8{2, 1, 3, 8, 13, 14, 12, 7, 10, 9, 11, 0, 5, 6, 4, 15}

func (f *format) comparison(with traits) *entry {
	return &entry{args: 4, size: f.size, flags: with, imm: 31, test: func(x *lane) bool { return f.ordered(x.a, x.b)&predicates[x.imm&15] != 0 }}
}

// class is VFPCLASS.
func (f *format) class() *entry {
	return &entry{args: 3, size: f.size, test: func(x *lane) bool {
		var is uint64
		zero, finite := f.isZero(x.a), !f.isNaN(x.a) && !f.isInfinite(x.a)
		for n, yes := range [...]bool{f.isNaN(x.a) && !f.isSignaling(x.a), zero && !f.negative(x.a), zero && f.negative(x.a),
			f.isInfinite(x.a) && !f.negative(x.a), f.isInfinite(x.a) && f.negative(x.a), !zero && x.a&f.infinity() == 0,
			finite && f.negative(x.a) && !zero, f.isSignaling(x.a)} {
			if yes {
				is |= 1 << n
			}
		}
		return is&x.imm != 0
	}}
}

// compareFlags is VUCOMIS.
func (f *format) compareFlags() *entry {
	return &entry{args: 2, size: f.size, do: func(_ *entry, m *machine, i *inst) {
		a, b := m.source(&i.args[0], f.size, 1, 1), m.source(&i.args[1], f.size, 1, 1)
		r := f.ordered(a.get(f.size, 0), b.get(f.size, 0))
		m.flags = flags{zero: r&10 != 0, parity: r == 8, carry: r&9 != 0}
	}}
}

// comparisons are those of floats.
var comparisons = table{
	amd64.VCMPPS: single.comparison(0), amd64.VCMPPD: double.comparison(0),
	amd64.VCMPSS: single.comparison(scalar), amd64.VCMPSD: double.comparison(scalar),
	amd64.VFPCLASSPS: single.class(), amd64.VFPCLASSPD: double.class(),
	amd64.VUCOMISS: single.compareFlags(), amd64.VUCOMISD: double.compareFlags(),
}
