package argspec

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxNumber bounds the characters of one number; the longest exact decimal of a
// float64 has fewer than 800.
const maxNumber = 2000

// quietNaN is the bits of the NaN that "nan" stands for.
func quietNaN(t Type) uint64 {
	switch t {
	case F16:
		return 0x7e00
	case F32:
		return 0x7fc00000
	default:
		return 0x7ff8000000000000
	}
}

// infinity is the bits of positive infinity; a larger magnitude is a NaN.
func infinity(t Type) uint64 {
	switch t {
	case F16:
		return 0x7c00
	case F32:
		return 0x7f800000
	default:
		return 0x7ff0000000000000
	}
}

// signBit is the sign bit of t, which must be signed.
func signBit(t Type) uint64 { return 1 << (8*t.Size() - 1) }

// oneBits is the bits of 1.
func oneBits(t Type) uint64 {
	switch t {
	case F16:
		return 0x3c00
	case F32:
		return uint64(math.Float32bits(1))
	case F64:
		return math.Float64bits(1)
	}
	return 1
}

// floatOf returns the value of the bits of a floating-point type.
func floatOf(t Type, bits uint64) float64 {
	switch t {
	case F16:
		return halfToFloat(uint16(bits))
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	default:
		return math.Float64frombits(bits)
	}
}

// floatBits rounds v to t, to nearest even.
func floatBits(t Type, v float64) uint64 {
	switch t {
	case F16:
		return uint64(halfFromFloat(v, 0))
	case F32:
		return uint64(math.Float32bits(float32(v)))
	default:
		return math.Float64bits(v)
	}
}

// value reads one number and returns its bits.
func (p *parser) value(t Type, s string, at int) (uint64, error) {
	if s == "" {
		return 0, p.fail(at, "", "a value of type %v is missing", t)
	}
	if len(s) > maxNumber {
		return 0, p.fail(at, fmt.Sprintf("at most %d characters", maxNumber), "the number is too long")
	}
	if t.Float() {
		return p.float(t, s, at)
	}
	width := 8 * t.Size()
	var err error
	var bits uint64
	var lo, hi string
	given := s
	if digits, unit := unitSuffix(s); unit > 1 {
		if n, ok := new(big.Int).SetString(digits, 0); ok {
			s = n.Mul(n, big.NewInt(unit)).String()
		}
	}
	if t.Signed() {
		var v int64
		v, err = strconv.ParseInt(s, 0, width)
		bits = uint64(v)
		lo, hi = fmt.Sprint(int64(-1)<<(width-1)), fmt.Sprint(int64(1)<<(width-1)-1)
	} else {
		digits := strings.TrimPrefix(s, "+")
		bits, err = strconv.ParseUint(digits, 0, width)
		lo, hi = "0", fmt.Sprint(^uint64(0)>>(64-width))
		if _, serr := strconv.ParseInt(s, 0, 64); err != nil && (serr == nil || errors.Is(serr, strconv.ErrRange)) {
			err = strconv.ErrRange // a negative number, which ParseUint takes for no number at all
		}
	}
	if errors.Is(err, strconv.ErrRange) {
		return 0, p.fail(at, lo+" to "+hi, "%s does not fit %v", given, t)
	}
	if err != nil {
		return 0, p.fail(at, "decimal, 0x…, 0o… or 0b…; k, m and g behind it stand for ×1024, ×1024² and ×1024³", "%q is not an integer", given)
	}
	return bits, nil
}

func (p *parser) float(t Type, s string, at int) (uint64, error) {
	body, sign := s, uint64(0)
	switch s[0] {
	case '-':
		body, sign = s[1:], signBit(t)
	case '+':
		body = s[1:]
	}
	switch lower := strings.ToLower(body); {
	case lower == "nan":
		return quietNaN(t) | sign, nil
	case lower == "inf" || lower == "infinity":
		return infinity(t) | sign, nil
	case strings.HasPrefix(lower, "nan(") && strings.HasSuffix(lower, ")"):
		bits, err := strconv.ParseUint(lower[4:len(lower)-1], 0, 8*t.Size())
		if err != nil || bits&^signBit(t) <= infinity(t) || body != s {
			return 0, p.fail(at, fmt.Sprintf("nan, or nan(BITS) with all %d bits, as in nan(%#x)", 8*t.Size(), quietNaN(t)+1),
				"%q is not a NaN of type %v", s, t)
		}
		return bits, nil
	}
	width := 64
	if t == F32 {
		width = 32
	}
	v, err := strconv.ParseFloat(s, width)
	if errors.Is(err, strconv.ErrRange) {
		return 0, p.fail(at, "a finite value of the type, inf, or nan", "%s is too large for %v", s, t)
	}
	if err != nil {
		return 0, p.fail(at, "as in 1, -2.5, 1e-3, 0x1.8p3, inf, nan", "%q is not a number", s)
	}
	if t != F16 {
		return floatBits(t, v), nil
	}
	h := halfFromFloat(v, side(s, v))
	if uint64(h)&^signBit(F16) == infinity(F16) {
		return 0, p.fail(at, "-65504 to 65504, inf, or nan", "%s is too large for f16", s)
	}
	return uint64(h), nil
}

// side tells where the number that s spells lies from its float64 rounding v: 0 at
// v, positive farther from zero, negative nearer to it.
func side(s string, v float64) int {
	a := math.Abs(v)
	if a < 0x1p-26 || a > 65536 {
		// Far from every tie of binary16; this also keeps huge exponents away
		// from the exact arithmetic below.
		return 0
	}
	exact, ok := new(big.Rat).SetString(strings.TrimLeft(s, "+-"))
	if !ok {
		return 0
	}
	return exact.Cmp(new(big.Rat).SetFloat64(a))
}
