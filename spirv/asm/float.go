package asm

import (
	"math"
	"strconv"

	"github.com/lockstep-gpu/lockstep/spirv"
)

// floatFormat is a binary floating-point format: a sign bit, exponent bits with
// the usual bias and fraction bits, in one integer of that many bits.
type floatFormat struct {
	exponentBits int
	fractionBits int
	// maxFinite is the greatest finite magnitude as a float32 where a decimal
	// literal beyond it is an error. It is set for the formats that decimal
	// literals reach through a float32.
	maxFinite float32
}

var (
	binary16 = floatFormat{5, 10, 65504}
	binary32 = floatFormat{8, 23, math.MaxFloat32}
	binary64 = floatFormat{11, 52, 0}
	bfloat16 = floatFormat{8, 7, 0x1.fep+127}
	float8e4 = floatFormat{4, 3, 448}
	float8e5 = floatFormat{5, 2, 57344}
)

func (f floatFormat) width() int    { return 1 + f.exponentBits + f.fractionBits }
func (f floatFormat) bias() int64   { return 1<<(f.exponentBits-1) - 1 }
func (f floatFormat) sign() uint64  { return 1 << (f.width() - 1) }
func (f floatFormat) frac() uint64  { return 1<<f.fractionBits - 1 }
func (f floatFormat) maxExp() int64 { return 1<<f.exponentBits - 1 }

// formatOf gives the format of literals of a floating-point type; ok is false
// for formats that have no text form.
func formatOf(t numberType) (f floatFormat, ok bool) {
	if t.hasEncoding {
		switch spirv.FPEncoding(t.encoding) {
		case spirv.FPEncodingBFloat16KHR:
			f = bfloat16
		case spirv.FPEncodingFloat8E4M3EXT:
			f = float8e4
		case spirv.FPEncodingFloat8E5M2EXT:
			f = float8e5
		default:
			return f, false
		}
		return f, uint32(f.width()) == t.width
	}
	switch t.width {
	case 16:
		return binary16, true
	case 32:
		return binary32, true
	case 64:
		return binary64, true
	}
	return f, false
}

// appendFloat encodes a floating-point literal, decimal or hexadecimal.
func appendFloat(dst []uint32, text string, t numberType) ([]uint32, error) {
	f, ok := formatOf(t)
	if !ok {
		return dst, literalErrorf("%d-bit floating-point literals of this encoding are not supported, write each word as !<integer>", t.width)
	}
	bits, ok := parseFloat(text, f)
	if !ok {
		return dst, literalErrorf("invalid %d-bit float literal %q", t.width, text)
	}
	dst = append(dst, uint32(bits))
	if f.width() > 32 {
		dst = append(dst, uint32(bits>>32))
	}
	return dst, nil
}

// parseFloat reads a floating-point literal. Decimal literals of 32 and 64 bits
// are rounded to nearest; narrower formats are rounded to float32 first and
// then towards zero, as SPIRV-Tools does. A magnitude that rounds to infinity is
// refused: infinity is written as a hexadecimal float.
func parseFloat(text string, f floatFormat) (uint64, bool) {
	digits := text
	negative := false
	if digits != "" && digits[0] == '-' {
		negative, digits = true, digits[1:]
	}
	if len(digits) > 1 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') {
		bits, ok := parseHexFloat(digits[2:], f)
		if negative {
			bits |= f.sign()
		}
		return bits, ok
	}
	if !negative && digits != "" && digits[0] == '+' {
		digits = digits[1:]
	}
	if !isDecimalFloat(digits) {
		return 0, false
	}
	var bits uint64
	if f == binary64 {
		v, err := strconv.ParseFloat(digits, 64)
		if err != nil {
			return 0, false
		}
		bits = math.Float64bits(v)
	} else {
		v, err := strconv.ParseFloat(digits, 32)
		if err != nil {
			return 0, false
		}
		var ok bool
		if bits, ok = narrow(float32(v), f); !ok {
			return 0, false
		}
	}
	if negative {
		bits |= f.sign()
	}
	return bits, true
}

// isDecimalFloat reports whether s is digits with at most one decimal point
// among, before or after them and an optional exponent. strconv takes more:
// infinities, hexadecimal digits, underscores.
func isDecimalFloat(s string) bool {
	i, digits := 0, 0
	for dot := false; i < len(s); i++ {
		if s[i] == '.' && !dot {
			dot = true
		} else if isDigit(s[i]) {
			digits++
		} else {
			break
		}
	}
	if digits == 0 {
		return false
	}
	if i == len(s) {
		return true
	}
	if s[i] != 'e' && s[i] != 'E' {
		return false
	}
	i++
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	if i == len(s) {
		return false
	}
	for ; i < len(s); i++ {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// narrow converts a finite non-negative float32 to a format that is no wider,
// towards zero. It fails when the value is beyond the format's finite range.
func narrow(v float32, f floatFormat) (uint64, bool) {
	bits := uint64(math.Float32bits(v))
	if f == binary32 {
		return bits, true
	}
	if f != float8e4 {
		// What rounds down to the greatest finite number is in range.
		if bits>>(23-f.fractionBits) > uint64(math.Float32bits(f.maxFinite))>>(23-f.fractionBits) {
			return 0, false
		}
	} else if v > f.maxFinite {
		return 0, false
	}
	exponent := int64(bits>>23) - 127
	fraction := bits & (1<<23 - 1)
	if exponent == -127 {
		// Subnormal in float32: normalise.
		if fraction == 0 {
			return 0, true
		}
		for exponent = -126; fraction&(1<<23) == 0; exponent-- {
			fraction <<= 1
		}
		fraction &^= 1 << 23
	}
	fraction >>= 23 - f.fractionBits
	biased := exponent + f.bias()
	if biased <= 0 {
		fraction |= 1 << f.fractionBits
		if shift := 1 - biased; shift < 64 {
			fraction >>= shift
		} else {
			fraction = 0
		}
		biased = 0
	}
	return uint64(biased)<<f.fractionBits | fraction, true
}

// parseHexFloat reads what follows 0x in a hexadecimal float: digits, a point, p
// and a decimal exponent, which is mandatory. Digits beyond the format are
// dropped. The greatest exponent of the format gives infinities and NaNs
// (0x1p+128 and 0x1.8p+128 in 32 bits), anything beyond is infinity, and too small
// a number is a subnormal number or zero.
func parseHexFloat(s string, f floatFormat) (uint64, bool) {
	var fraction uint64 // bits after the first one bit, left-aligned
	fractionBits := 0   // how many there are
	started := false    // the first one bit was seen
	point := false
	exponent := int64(0) // of the first one bit
	i := 0
	for ; i < len(s) && s[i] != 'p'; i++ {
		if s[i] == '.' && !point {
			point = true
			continue
		}
		digit, ok := hexDigit(s[i])
		if !ok {
			return 0, false
		}
		for k := 3; k >= 0; k-- {
			bit := digit >> k & 1
			switch {
			case point && !started:
				exponent--
			case !point && started:
				exponent++
			}
			if started && fractionBits < 64 {
				fractionBits++
				fraction |= bit << (64 - fractionBits)
			}
			started = started || bit != 0
		}
	}
	if i == len(s) {
		return 0, false
	}
	written, ok := parseExponent(s[i+1:])
	if !ok {
		return 0, false
	}
	if !started {
		return 0, true
	}
	fraction >>= 64 - f.fractionBits
	switch biased := exponent + written + f.bias(); {
	case biased > f.maxExp():
		return uint64(f.maxExp()) << f.fractionBits, true
	case biased > 0:
		return uint64(biased)<<f.fractionBits | fraction, true
	case biased < -64:
		return 0, true
	default: // subnormal: the leading bit is written out
		return (1<<f.fractionBits | fraction) >> (1 - biased), true
	}
}

// parseExponent reads a signed decimal number. Beyond a magnitude that no text
// can make up for with digits it is clamped.
func parseExponent(s string) (int64, bool) {
	negative := false
	if s != "" && (s[0] == '+' || s[0] == '-') {
		negative, s = s[0] == '-', s[1:]
	}
	if s == "" {
		return 0, false
	}
	const limit = 1 << 60
	var v int64
	for i := range len(s) {
		if !isDigit(s[i]) {
			return 0, false
		}
		if v = v*10 + int64(s[i]-'0'); v > limit/10 {
			v = limit / 10
		}
	}
	if negative {
		v = -v
	}
	return v, true
}

func hexDigit(c byte) (uint64, bool) {
	switch {
	case '0' <= c && c <= '9':
		return uint64(c - '0'), true
	case 'a' <= c && c <= 'f':
		return uint64(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return uint64(c-'A') + 10, true
	}
	return 0, false
}

// appendFloatText formats the bits of a floating-point literal. Zero and normal
// numbers of 32 and 64 bits get as many decimal digits as identify every value;
// everything else, and every number of a narrower format, is a hexadecimal float.
func appendFloatText(dst []byte, bits uint64, f floatFormat) []byte {
	exponent := int64(bits>>f.fractionBits) & f.maxExp()
	normal := exponent != 0 && exponent != f.maxExp()
	switch zero := bits&^f.sign() == 0; {
	case f == binary32 && (normal || zero):
		return appendGeneral(dst, float64(math.Float32frombits(uint32(bits))), 9)
	case f == binary64 && (normal || zero):
		return appendGeneral(dst, math.Float64frombits(bits), 17)
	}
	return appendHexFloat(dst, bits, f)
}

// appendGeneral formats v with up to digits significant digits, without
// trailing zeros, as C's %g does.
func appendGeneral(dst []byte, v float64, digits int) []byte {
	return strconv.AppendFloat(dst, v, 'g', digits, 64)
}

// appendHexFloat formats the bits as a hexadecimal float with one as the leading
// digit, or zero for zero. Infinities and NaNs have the exponent one past that of
// the greatest number.
func appendHexFloat(dst []byte, bits uint64, f floatFormat) []byte {
	if bits&f.sign() != 0 {
		dst = append(dst, '-')
	}
	biased := int64(bits>>f.fractionBits) & f.maxExp()
	fraction := bits & f.frac()
	exponent := biased - f.bias()
	switch {
	case biased == 0 && fraction == 0:
		return append(dst, "0x0p+0"...)
	case biased == 0: // subnormal: move the leading one out of the fraction
		for exponent = 1 - f.bias(); fraction>>f.fractionBits == 0; exponent-- {
			fraction <<= 1
		}
		fraction &= f.frac()
	}
	dst = append(dst, "0x1"...)
	if nibbles := (f.fractionBits + 3) / 4; fraction != 0 {
		fraction <<= 4*nibbles - f.fractionBits
		for ; fraction&0xf == 0; nibbles-- {
			fraction >>= 4
		}
		dst = append(dst, '.')
		for k := nibbles - 1; k >= 0; k-- {
			dst = append(dst, "0123456789abcdef"[fraction>>(4*k)&0xf])
		}
	}
	dst = append(dst, 'p')
	if exponent >= 0 {
		dst = append(dst, '+')
	}
	return strconv.AppendInt(dst, exponent, 10)
}
