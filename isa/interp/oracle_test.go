package interp

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"sort"

	"github.com/lockstep-gpu/lockstep/isa"
)

// This file says what each operation gives for one lane, by exact arithmetic
// and without any of the engine's code.

// limits has, by number of bits, the limits of integers, which nobody changes.
var limits = func() (list [65]struct{ power, least, most, unsigned *big.Int }) {
	one := big.NewInt(1)
	for w := range list {
		l := &list[w]
		l.power = new(big.Int).Lsh(one, uint(w))
		l.unsigned = new(big.Int).Sub(l.power, one)
		if w > 0 {
			half := new(big.Int).Lsh(one, uint(w-1))
			l.least, l.most = new(big.Int).Neg(half), new(big.Int).Sub(half, one)
		}
	}
	return list
}()

func wrap(v *big.Int, w int) uint64 { return new(big.Int).Mod(v, limits[w].power).Uint64() }

func unsignedInt(v uint64) *big.Int { return new(big.Int).SetUint64(v) }

func signedInt(v uint64, w int) *big.Int {
	return big.NewInt(int64(v<<(64-w)) >> (64 - w))
}

func clampInt(v, lo, hi *big.Int) *big.Int {
	if v.Cmp(lo) < 0 {
		return lo
	}
	if v.Cmp(hi) > 0 {
		return hi
	}
	return v
}

var zero = new(big.Int)

func rangeOf(w int, signed bool) (lo, hi *big.Int) {
	if signed {
		return limits[w].least, limits[w].most
	}
	return zero, limits[w].unsigned
}

func boolBit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// oracleInt returns what an integer operation gives, and false for an opcode
// that is not one.
func oracleInt(op isa.Op, w int, x []uint64) (uint64, bool) {
	var a, b, c, as, bs *big.Int
	a, as = unsignedInt(x[0]), signedInt(x[0], w)
	if len(x) > 1 {
		b, bs = unsignedInt(x[1]), signedInt(x[1], w)
	}
	if len(x) > 2 {
		c = unsignedInt(x[2])
	}
	n := func() *big.Int { return new(big.Int) }
	amount := func() uint { return uint(x[1] % uint64(w)) }
	slo, shi := rangeOf(w, true)
	ulo, uhi := rangeOf(w, false)
	var r *big.Int
	switch op {
	case isa.OpAdd:
		r = n().Add(a, b)
	case isa.OpSub:
		r = n().Sub(a, b)
	case isa.OpMul:
		r = n().Mul(a, b)
	case isa.OpMad:
		r = n().Add(n().Mul(a, b), c)
	case isa.OpMulHiS:
		r = n().Rsh(n().Mul(as, bs), uint(w))
	case isa.OpMulHiU:
		r = n().Rsh(n().Mul(a, b), uint(w))
	case isa.OpDivS:
		r = n().Quo(as, bs)
	case isa.OpDivU:
		r = n().Quo(a, b)
	case isa.OpRemS:
		r = n().Rem(as, bs)
	case isa.OpRemU:
		r = n().Rem(a, b)
	case isa.OpModS:
		r = n().Rem(as, bs)
		if r.Sign() != 0 && r.Sign() != bs.Sign() {
			r.Add(r, bs)
		}
	case isa.OpAnd:
		r = n().And(a, b)
	case isa.OpOr:
		r = n().Or(a, b)
	case isa.OpXor:
		r = n().Xor(a, b)
	case isa.OpNot:
		r = n().Not(a)
	case isa.OpNeg:
		r = n().Neg(a)
	case isa.OpAbs:
		r = n().Abs(as)
	case isa.OpShl:
		r = n().Lsh(a, amount())
	case isa.OpShrU:
		r = n().Rsh(a, amount())
	case isa.OpShrS:
		r = n().Rsh(as, amount())
	case isa.OpRotl:
		r = n().Or(n().Lsh(a, amount()), n().Rsh(a, uint(w)-amount()))
	case isa.OpMinS:
		r = clampInt(as, slo, bs)
	case isa.OpMaxS:
		r = clampInt(as, bs, shi)
	case isa.OpMinU:
		r = clampInt(a, ulo, b)
	case isa.OpMaxU:
		r = clampInt(a, b, uhi)
	case isa.OpAddSatS:
		r = clampInt(n().Add(as, bs), slo, shi)
	case isa.OpAddSatU:
		r = clampInt(n().Add(a, b), ulo, uhi)
	case isa.OpSubSatS:
		r = clampInt(n().Sub(as, bs), slo, shi)
	case isa.OpSubSatU:
		r = clampInt(n().Sub(a, b), ulo, uhi)
	case isa.OpHAddS:
		r = n().Rsh(n().Add(as, bs), 1)
	case isa.OpHAddU:
		r = n().Rsh(n().Add(a, b), 1)
	case isa.OpRHAddS:
		r = n().Rsh(n().Add(n().Add(as, bs), big.NewInt(1)), 1)
	case isa.OpRHAddU:
		r = n().Rsh(n().Add(n().Add(a, b), big.NewInt(1)), 1)
	case isa.OpAbsDiffS:
		r = n().Abs(n().Sub(as, bs))
	case isa.OpAbsDiffU:
		r = n().Abs(n().Sub(a, b))
	case isa.OpClz:
		return uint64(w - bits.Len64(x[0])), true
	case isa.OpCtz:
		i := 0
		for i < w && x[0]>>i&1 == 0 {
			i++
		}
		return uint64(i), true
	case isa.OpPopCount, isa.OpBitReverse:
		var count, rev uint64
		for i := range w {
			count += x[0] >> i & 1
			rev |= x[0] >> i & 1 << (w - 1 - i)
		}
		if op == isa.OpPopCount {
			return count, true
		}
		return rev, true
	case isa.OpBitInsert:
		out := x[0]
		for i := uint64(0); i < x[3] && i < uint64(w); i++ {
			if at := x[2] + i; at < uint64(w) {
				out = out&^(1<<at) | x[1]>>i&1<<at
			}
		}
		return out, true
	case isa.OpBitExtractU, isa.OpBitExtractS:
		at, count := x[1], x[2]
		var out uint64
		for i := uint64(0); i < count && at+i < uint64(w); i++ {
			out |= x[0] >> (at + i) & 1 << i
		}
		if op == isa.OpBitExtractS && count > 0 && out>>(count-1)&1 != 0 {
			for i := count; i < uint64(w); i++ {
				out |= 1 << i
			}
		}
		return out, true
	case isa.OpEq:
		return boolBit(a.Cmp(b) == 0), true
	case isa.OpNe:
		return boolBit(a.Cmp(b) != 0), true
	case isa.OpLtS:
		return boolBit(as.Cmp(bs) < 0), true
	case isa.OpLeS:
		return boolBit(as.Cmp(bs) <= 0), true
	case isa.OpLtU:
		return boolBit(a.Cmp(b) < 0), true
	case isa.OpLeU:
		return boolBit(a.Cmp(b) <= 0), true
	default:
		return 0, false
	}
	return wrap(r, w), true
}

func floatOf(v uint64, t isa.Type) float64 {
	switch t {
	case isa.F16:
		return halfValue(uint16(v))
	case isa.F32:
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

func halfValue(h uint16) float64 {
	s := 1.0
	if h>>15 != 0 {
		s = -1
	}
	e, m := int(h>>10&31), float64(h&1023)
	switch e {
	case 0:
		return s * math.Ldexp(m, -24)
	case 31:
		if m != 0 {
			return math.NaN()
		}
		return s * math.Inf(1)
	}
	return s * math.Ldexp(1024+m, e-25)
}

var canonicalNaN = map[isa.Type]uint64{isa.F16: 0x7e00, isa.F32: 0x7fc00000, isa.F64: 0x7ff8000000000000}

// bitsOf rounds an exact value to a float type: to nearest even or as r says.
// zero is the sign of a zero result.
func bitsOf(v *big.Float, t isa.Type, r isa.Round, negativeZero bool) uint64 {
	if v.Sign() == 0 {
		if negativeZero {
			return 1 << (t.Bits() - 1)
		}
		return 0
	}
	// Magnitudes of a type are ordered as their bits are: search for the
	// greatest that is not above |v|.
	abs := new(big.Float).Abs(v)
	inf := map[isa.Type]uint64{isa.F16: 0x7c00, isa.F32: 0x7f800000, isa.F64: 0x7ff << 52}[t]
	value := func(b uint64) *big.Float { return new(big.Float).SetFloat64(floatOf(b, t)) }
	i := uint64(sort.Search(int(inf-1), func(i int) bool { return value(uint64(i+1)).Cmp(abs) > 0 }))
	down, up := i, i+1
	if value(down).Cmp(abs) == 0 {
		up = down
	}
	neg := v.Sign() < 0
	pick := down
	if down != up {
		var mid *big.Float
		if up == inf { // as if the format went on
			d := value(down)
			mid = new(big.Float).SetPrec(200).Sub(d, value(down-1))
			mid.Add(mid.Mul(mid, big.NewFloat(0.5)), d)
		} else {
			mid = new(big.Float).SetPrec(200).Add(value(down), value(up))
			mid.Mul(mid, big.NewFloat(0.5))
		}
		switch r {
		case isa.RoundDefault, isa.RoundRTE:
			c := abs.Cmp(mid)
			if c > 0 || c == 0 && down&1 != 0 {
				pick = up
			}
		case isa.RoundRTP:
			if !neg {
				pick = up
			}
		case isa.RoundRTN:
			if neg {
				pick = up
			}
		}
	}
	if neg {
		pick |= 1 << (t.Bits() - 1)
	}
	return pick
}

func exact(f float64) *big.Float { return new(big.Float).SetPrec(4000).SetFloat64(f) }

// oracleFloat returns what a float operation gives.
func oracleFloat(op isa.Op, t isa.Type, x []uint64) (uint64, bool) {
	sign := uint64(1) << (t.Bits() - 1)
	switch op {
	case isa.OpFNeg:
		return x[0] ^ sign, true
	case isa.OpFAbs:
		return x[0] &^ sign, true
	case isa.OpCopySign:
		return x[0]&^sign | x[1]&sign, true
	}
	a := floatOf(x[0], t)
	var b, c float64
	if len(x) > 1 {
		b = floatOf(x[1], t)
	}
	if len(x) > 2 {
		c = floatOf(x[2], t)
	}
	switch op {
	case isa.OpFOEq:
		return boolBit(a == b), true
	case isa.OpFONe:
		return boolBit(a != b && a == a && b == b), true
	case isa.OpFOLt:
		return boolBit(a < b), true
	case isa.OpFOLe:
		return boolBit(a <= b), true
	case isa.OpFUEq:
		return boolBit(a == b || a != a || b != b), true
	case isa.OpFUNe:
		return boolBit(a != b), true
	case isa.OpFULt:
		return boolBit(a < b || a != a || b != b), true
	case isa.OpFULe:
		return boolBit(a <= b || a != a || b != b), true
	case isa.OpFOrd:
		return boolBit(a == a && b == b), true
	case isa.OpFUno:
		return boolBit(a != a || b != b), true
	}
	special := func(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) }
	pack := func(f float64) uint64 { // f is exact in t, or not finite
		if math.IsNaN(f) {
			return canonicalNaN[t]
		}
		if t == isa.F32 {
			return uint64(math.Float32bits(float32(f)))
		}
		return math.Float64bits(f)
	}
	round := func(v *big.Float, ieee float64) uint64 {
		// ieee has the sign of a zero.
		return bitsOf(v, t, isa.RoundDefault, math.Signbit(ieee))
	}
	bin := func(ieee float64, f func(z, x, y *big.Float) *big.Float) uint64 {
		if special(a) || special(b) || special(ieee) && (math.IsNaN(ieee) || op == isa.OpFDiv && b == 0) {
			return pack(ieee)
		}
		v := f(new(big.Float).SetPrec(4000), exact(a), exact(b))
		if v.Sign() != 0 && ieee == 0 {
			return round(v, 0)
		}
		return round(v, ieee)
	}
	switch op {
	case isa.OpFAdd:
		return bin(a+b, (*big.Float).Add), true
	case isa.OpFSub:
		return bin(a-b, (*big.Float).Sub), true
	case isa.OpFMul:
		return bin(a*b, (*big.Float).Mul), true
	case isa.OpFDiv:
		return bin(a/b, (*big.Float).Quo), true
	case isa.OpFMulAdd:
		p, _ := oracleFloat(isa.OpFMul, t, x[:2])
		r, _ := oracleFloat(isa.OpFAdd, t, []uint64{p, x[2]})
		return r, true
	case isa.OpFma:
		if special(a) || special(b) || special(c) {
			// A product that overflows must not meet an infinity.
			if !special(a) && !special(b) {
				return pack(c), true
			}
			return pack(float64(a*b) + c), true
		}
		v := new(big.Float).SetPrec(5000).Mul(exact(a), exact(b))
		negZero := math.Signbit(a) != math.Signbit(b) && math.Signbit(c)
		return bitsOf(v.Add(v, exact(c)), t, isa.RoundDefault, negZero), true
	case isa.OpFRem, isa.OpFMod:
		if a != a || b != b || math.IsInf(a, 0) || b == 0 {
			return canonicalNaN[t], true
		}
		var r *big.Rat
		if math.IsInf(b, 0) {
			r, _ = exact(a).Rat(nil)
		} else {
			ra, _ := exact(a).Rat(nil)
			rb, _ := exact(b).Rat(nil)
			q := new(big.Rat).Quo(ra, rb)
			n := new(big.Int).Quo(q.Num(), q.Denom())
			r = new(big.Rat).Sub(ra, new(big.Rat).Mul(new(big.Rat).SetInt(n), rb))
		}
		f := new(big.Float).SetPrec(4000).SetRat(r)
		if op == isa.OpFMod {
			if f.Sign() != 0 && (f.Sign() < 0) != (b < 0) {
				if math.IsInf(b, 0) {
					return pack(b), true
				}
				f.Add(f, exact(b))
			}
			return bitsOf(f, t, isa.RoundDefault, math.Signbit(b)), true
		}
		return bitsOf(f, t, isa.RoundDefault, math.Signbit(a)), true
	case isa.OpFMin, isa.OpFMax:
		switch {
		case a != a && b != b:
			return canonicalNaN[t], true
		case a != a:
			return x[1], true
		case b != b:
			return x[0], true
		}
		if op == isa.OpFMin {
			return pack(math.Min(a, b)), true
		}
		return pack(math.Max(a, b)), true
	case isa.OpSqrt:
		if a < 0 || special(a) || a == 0 {
			return pack(math.Sqrt(a)), true
		}
		return bitsOf(new(big.Float).SetPrec(400).Sqrt(exact(a)), t, isa.RoundDefault, false), true
	case isa.OpFloor, isa.OpCeil, isa.OpTrunc, isa.OpRint, isa.OpRound:
		if special(a) || a == 0 {
			return pack(a), true
		}
		n, _ := exact(a).Int(nil) // towards zero
		frac := new(big.Float).SetPrec(4000).Sub(exact(a), new(big.Float).SetPrec(4000).SetInt(n))
		half := new(big.Float).Abs(frac).Cmp(big.NewFloat(0.5))
		away := false
		switch op {
		case isa.OpFloor:
			away = frac.Sign() < 0
		case isa.OpCeil:
			away = frac.Sign() > 0
		case isa.OpRint:
			away = half > 0 || half == 0 && n.Bit(0) != 0
		case isa.OpRound:
			away = half >= 0
		}
		if away {
			n.Add(n, big.NewInt(int64(exact(a).Sign())))
		}
		return bitsOf(new(big.Float).SetPrec(4000).SetInt(n), t, isa.RoundDefault, a < 0), true
	}
	return 0, false
}

// oracleConvert returns what a conversion gives.
func oracleConvert(op isa.Op, dst, src isa.Type, r isa.Round, v uint64) uint64 {
	dw, sw := dst.Bits(), src.Bits()
	switch op {
	case isa.OpTruncate, isa.OpZExt:
		return wrap(unsignedInt(v), dw)
	case isa.OpSExt:
		return wrap(signedInt(v, sw), dw)
	case isa.OpSToF:
		return bitsOf(new(big.Float).SetPrec(100).SetInt(signedInt(v, sw)), dst, r, false)
	case isa.OpUToF:
		return bitsOf(new(big.Float).SetPrec(100).SetInt(unsignedInt(v)), dst, r, false)
	case isa.OpFToF:
		f := floatOf(v, src)
		switch {
		case f != f:
			return canonicalNaN[dst]
		case math.IsInf(f, 0):
			inf := map[isa.Type]uint64{isa.F16: 0x7c00, isa.F32: 0x7f800000, isa.F64: 0x7ff << 52}[dst]
			if f < 0 {
				inf |= 1 << (dw - 1)
			}
			return inf
		}
		return bitsOf(exact(f), dst, r, math.Signbit(f))
	}
	f := floatOf(v, src)
	lo, hi := rangeOf(dw, op == isa.OpFToS)
	switch {
	case f != f:
		return 0
	case math.IsInf(f, 1):
		return wrap(hi, dw)
	case math.IsInf(f, -1):
		return wrap(lo, dw)
	}
	n, _ := exact(f).Int(nil)
	frac := new(big.Float).SetPrec(4000).Sub(exact(f), new(big.Float).SetPrec(4000).SetInt(n))
	half := new(big.Float).Abs(frac).Cmp(big.NewFloat(0.5))
	switch {
	case r == isa.RoundRTP && frac.Sign() > 0,
		r == isa.RoundRTN && frac.Sign() < 0,
		r == isa.RoundRTE && (half > 0 || half == 0 && n.Bit(0) != 0):
		n.Add(n, big.NewInt(int64(exact(f).Sign())))
	}
	return wrap(clampInt(n, lo, hi), dw)
}

// oracle returns what an instruction gives for operands x.
func oracle(in *isa.Inst, x []uint64) uint64 {
	switch in.Op {
	case isa.OpMov:
		return x[0]
	case isa.OpSelect:
		if x[0] != 0 {
			return x[1]
		}
		return x[2]
	}
	if in.Op.Info().Shape == isa.ShapeConvert {
		return oracleConvert(in.Op, in.Type, in.Type2, in.Flags.Round(), x[0])
	}
	if in.Type.IsFloat() {
		if r, ok := oracleFloat(in.Op, in.Type, x); ok {
			return r
		}
	} else if r, ok := oracleInt(in.Op, in.Type.Bits(), x); ok {
		return r
	}
	panic(fmt.Sprintf("no oracle for %s %s", in.Op, in.Type))
}
