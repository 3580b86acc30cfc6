package asm

import (
	"fmt"
	"strconv"
	"strings"
)

// numberClass says how the bits of a literal number are to be read.
type numberClass uint8

const (
	classUnknown  numberClass = iota // no type: the spelling decides
	classUnsigned                    // OpTypeInt with signedness 0
	classSigned                      // OpTypeInt with signedness 1
	classFloat                       // OpTypeFloat
)

// numberType is the type that a literal number is written in.
type numberType struct {
	class    numberClass
	width    uint32 // in bits, as declared; any value is possible in a hostile module
	encoding uint32 // FPEncoding operand of OpTypeFloat when hasEncoding
	// hasEncoding tells an explicit encoding from an IEEE 754 format.
	hasEncoding bool
}

// words returns the number of words that a literal of the type occupies in a
// binary module.
func (t numberType) words() int {
	return int((uint64(t.width) + 31) / 32)
}

// literalError says why a literal number could not be encoded.
type literalError struct{ msg string }

func (e *literalError) Error() string { return e.msg }

func literalErrorf(format string, args ...any) error {
	return &literalError{fmt.Sprintf(format, args...)}
}

// appendNumber appends to dst the words of the literal text, written in type t,
// least significant word first.
func appendNumber(dst []uint32, text string, t numberType) ([]uint32, error) {
	switch t.class {
	case classFloat:
		return appendFloat(dst, text, t)
	case classUnknown:
		// Without a type a decimal point means a 32-bit float and a minus sign
		// a signed integer.
		switch {
		case strings.Contains(text, "."):
			return appendFloat(dst, text, numberType{class: classFloat, width: 32})
		case strings.HasPrefix(text, "-"):
			return appendInteger(dst, text, numberType{class: classSigned, width: 32})
		}
		return appendInteger(dst, text, numberType{class: classUnsigned, width: 32})
	}
	return appendInteger(dst, text, t)
}

// parseMagnitude reads an unsigned number: 0x or 0X and hexadecimal digits, 0
// and octal digits, or decimal digits. The whole text has to be one number.
func parseMagnitude(s string) (uint64, bool) {
	base := 10
	switch {
	case len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'):
		base, s = 16, s[2:]
	case len(s) > 1 && s[0] == '0':
		base, s = 8, s[1:]
	}
	// ParseUint would take underscores and a second prefix in base 0 only, and
	// signs never.
	v, err := strconv.ParseUint(s, base, 64)
	return v, err == nil
}

// parseUint32 reads an unsigned 32-bit number that may have a plus sign. A minus
// sign is allowed before zero only.
func parseUint32(s string) (uint32, bool) {
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	v, ok := parseMagnitude(s)
	if !ok || v > 0xffffffff || negative && v != 0 {
		return 0, false
	}
	return uint32(v), true
}

// appendInteger encodes an integer of up to 64 bits. Widths under 32 bits are
// extended to the word: with the sign for signed types, with zeros otherwise. A
// hexadecimal number is a bit pattern, so that 0xffff is -1 in a signed 16-bit
// type.
func appendInteger(dst []uint32, text string, t numberType) ([]uint32, error) {
	if t.width > 64 {
		return dst, literalErrorf("%d-bit integer literals are not supported, write each word as !<integer>", t.width)
	}
	signed := t.class == classSigned
	negative := strings.HasPrefix(text, "-")
	if negative && !signed {
		return dst, literalErrorf("cannot put the negative number %s in an unsigned literal", text)
	}
	digits := text
	if negative || strings.HasPrefix(text, "+") {
		digits = text[1:]
	}
	v, ok := parseMagnitude(digits)
	if !ok || negative && v > 1<<63 {
		if negative || !signed {
			return dst, literalErrorf("invalid %s integer literal %q", signedness(signed), text)
		}
		return dst, literalErrorf("invalid integer literal %q", text)
	}
	isHex := strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X")

	var mask uint64 = 1<<t.width - 1 // all bits of the type; 1<<64 is 0, and 0-1 is all ones
	limit := mask                    // greatest value that may be written
	if signed && !isHex {
		limit = mask >> 1
		if negative {
			limit++
		}
	}
	if v > limit {
		return dst, literalErrorf("integer %s does not fit in a %d-bit %s integer", text, t.width, signedness(signed))
	}
	if negative {
		v = -v
	} else if signed && isHex && v&(mask>>1+1) != 0 {
		v |= ^mask
	}
	dst = append(dst, uint32(v))
	if t.width > 32 {
		dst = append(dst, uint32(v>>32))
	}
	return dst, nil
}

func signedness(signed bool) string {
	if signed {
		return "signed"
	}
	return "unsigned"
}

// appendInt formats an integer literal of one or two words as the type says.
// Words narrower types leave unused are printed as they are, because a literal
// must assemble to the words it was read from.
func appendInt(dst []byte, bits uint64, t numberType, words int) []byte {
	switch {
	case t.class == classSigned && words == 1:
		return strconv.AppendInt(dst, int64(int32(bits)), 10)
	case t.class == classSigned:
		return strconv.AppendInt(dst, int64(bits), 10)
	}
	return strconv.AppendUint(dst, bits, 10)
}
