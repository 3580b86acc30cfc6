package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// PrintfValue is an argument of printf: one element of Type, or those of a
// vector, as bits; or a string.
type PrintfValue struct {
	Type     isa.Type
	Bits     []uint64
	IsString bool
	Str      string
}

// maxField bounds width and precision, so that a format cannot exhaust memory.
const maxField = 4096

// conversion is one % of a format.
type conversion struct {
	minus, plus, space, alt, zero bool
	width, precision              int // precision is -1 when absent
	vector                        int // elements, 0 for a scalar
	length                        string
	verb                          byte
}

// AppendPrintf appends what the printf of OpenCL C (section 6.15.14) prints
// for the format and the arguments. A conversion that is malformed, or for
// which there is no argument, is printed as it stands. Integers are narrowed
// to what the length modifier (hh, h, hl, l) says; without one they keep the
// argument's width, up to 32 bits for scalars narrower than that. A half or
// double argument of %f and its like prints as such.
func AppendPrintf(dst []byte, format string, args []PrintfValue) []byte {
	for i := 0; i < len(format); {
		if format[i] != '%' {
			dst = append(dst, format[i])
			i++
			continue
		}
		c, n, ok := parseConversion(format[i:])
		switch {
		case ok && c.verb == '%':
			dst = append(dst, '%')
		case !ok || len(args) == 0:
			dst = append(dst, format[i:i+n]...)
		default:
			dst = c.append(dst, &args[0])
			args = args[1:]
		}
		i += n
	}
	return dst
}

// PrintfStrings says which of n arguments a format prints with %s.
func PrintfStrings(format string, n int) []bool {
	list := make([]bool, 0, n)
	for i := 0; i < len(format) && len(list) < n; {
		if format[i] != '%' {
			i++
			continue
		}
		c, length, ok := parseConversion(format[i:])
		if i += length; ok && c.verb != '%' {
			list = append(list, c.verb == 's')
		}
	}
	return list
}

// parseConversion reads the conversion that s starts with and returns its length.
func parseConversion(s string) (c conversion, n int, ok bool) {
	i := 1
flags:
	for ; i < len(s); i++ {
		switch s[i] {
		case '-':
			c.minus = true
		case '+':
			c.plus = true
		case ' ':
			c.space = true
		case '#':
			c.alt = true
		case '0':
			c.zero = true
		default:
			break flags
		}
	}
	number := func() int {
		v := 0
		for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			v = min(v*10+int(s[i]-'0'), maxField)
		}
		return v
	}
	c.width = number()
	c.precision = -1
	if i < len(s) && s[i] == '.' {
		i++
		c.precision = number()
	}
	if i < len(s) && s[i] == 'v' {
		i++
		switch c.vector = number(); c.vector {
		case 2, 3, 4, 8, 16:
		default:
			return c, i, false
		}
	}
	for _, l := range []string{"hh", "hl", "h", "ll", "l"} {
		if strings.HasPrefix(s[i:], l) {
			c.length = l
			i += len(l)
			break
		}
	}
	if i >= len(s) {
		return c, i, false
	}
	c.verb = s[i]
	i++
	return c, i, strings.IndexByte("diouxXcsfFeEgGaAp%", c.verb) >= 0
}

// append appends the argument a.
func (c *conversion) append(dst []byte, a *PrintfValue) []byte {
	if c.verb == 's' {
		s := "(null)"
		if a.IsString {
			s = a.Str
		}
		if c.precision >= 0 && c.precision < len(s) {
			s = s[:c.precision]
		}
		return c.pad(dst, "", s, false)
	}
	for i, b := range a.Bits {
		if c.vector == 0 && i > 0 || c.vector > 0 && i >= c.vector {
			break
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.element(dst, a.Type, b)
	}
	return dst
}

func (c *conversion) element(dst []byte, t isa.Type, b uint64) []byte {
	switch c.verb {
	case 'c':
		return c.pad(dst, "", string([]byte{byte(b)}), false)
	case 'p':
		return c.pad(dst, "0x", strconv.FormatUint(b, 16), false)
	case 'd', 'i', 'o', 'u', 'x', 'X':
		return c.integer(dst, t, b)
	}
	return c.float(dst, t, b)
}

// bits returns the width that an integer argument is printed with.
func (c *conversion) bits(t isa.Type) int {
	switch c.length {
	case "hh":
		return 8
	case "h":
		return 16
	case "hl":
		return 32
	case "l", "ll":
		return 64
	}
	if c.vector > 0 || t.Bits() > 32 {
		return t.Bits()
	}
	return 32
}

func (c *conversion) integer(dst []byte, t isa.Type, b uint64) []byte {
	// An argument narrower than the conversion was extended by the kernel
	// already, or is an element of a vector, or a char or short that C
	// promotes: by its sign for a signed conversion.
	have := max(t.Bits(), 8)
	width := min(c.bits(t), 64)
	signed := c.verb == 'd' || c.verb == 'i'
	if signed {
		b = uint64(int64(b<<(64-have)) >> (64 - have))
	}
	sign := ""
	if signed {
		v := int64(b<<(64-width)) >> (64 - width)
		switch {
		case v < 0:
			sign, b = "-", -uint64(v)
		default:
			b = uint64(v)
			if c.plus {
				sign = "+"
			} else if c.space {
				sign = " "
			}
		}
	} else {
		b = b << (64 - width) >> (64 - width)
	}
	base := 10
	switch c.verb {
	case 'o':
		base = 8
	case 'x', 'X':
		base = 16
	}
	digits := strconv.FormatUint(b, base)
	if b == 0 && c.precision == 0 {
		digits = ""
	}
	if n := c.precision - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	if c.alt {
		switch {
		case c.verb == 'o' && !strings.HasPrefix(digits, "0"):
			digits = "0" + digits
		case base == 16 && b != 0:
			sign = "0x"
		}
	}
	if c.verb == 'X' {
		sign, digits = strings.ToUpper(sign), strings.ToUpper(digits)
	}
	return c.pad(dst, sign, digits, c.precision < 0)
}

func (c *conversion) float(dst []byte, t isa.Type, b uint64) []byte {
	var v float64
	size := 64
	switch t {
	case isa.F16:
		v = clmath.F16ToF64(uint16(b))
	case isa.F32:
		v = float64(math.Float32frombits(uint32(b)))
	case isa.F64:
		v = math.Float64frombits(b)
	default:
		// An integer where a float should be: undefined in C. Its value is the
		// least surprising thing to print.
		v = float64(int64(b<<(64-max(t.Bits(), 8))) >> (64 - max(t.Bits(), 8)))
	}
	sign := ""
	switch {
	case math.Signbit(v) && v == v:
		sign = "-"
		v = -v
	case c.plus:
		sign = "+"
	case c.space:
		sign = " "
	}
	upper := c.verb >= 'A' && c.verb <= 'Z'
	verb := c.verb | 0x20
	var text string
	number := false
	switch {
	case v != v:
		text = "nan"
	case math.IsInf(v, 0):
		text = "inf"
	default:
		number = true
		text = c.digits(v, verb, size)
	}
	if number && verb == 'a' {
		sign, text = sign+"0x", strings.TrimPrefix(text, "0x")
	}
	if upper {
		sign, text = strings.ToUpper(sign), strings.ToUpper(text)
	}
	return c.pad(dst, sign, text, number)
}

// digits returns the text of a finite number that is not negative.
func (c *conversion) digits(v float64, verb byte, size int) string {
	p := c.precision
	switch verb {
	case 'a':
		return hexFloat(v, p, c.alt)
	case 'g':
		if p < 0 {
			p = 6
		}
		p = max(p, 1)
		// C chooses the form by the exponent that %e would print.
		e := strconv.FormatFloat(v, 'e', p-1, size)
		x, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
		var text string
		if x < -4 || x >= p {
			text = e
		} else {
			text = strconv.FormatFloat(v, 'f', p-1-x, size)
		}
		if c.alt {
			return withPoint(text)
		}
		mantissa, exponent := text, ""
		if i := strings.IndexByte(text, 'e'); i >= 0 {
			mantissa, exponent = text[:i], text[i:]
		}
		if strings.Contains(mantissa, ".") {
			mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
		}
		return mantissa + exponent
	}
	if p < 0 {
		p = 6
	}
	text := strconv.FormatFloat(v, verb, p, size)
	if c.alt {
		return withPoint(text)
	}
	return text
}

// withPoint returns a decimal number with a point, behind its digits if it has none.
func withPoint(text string) string {
	if strings.Contains(text, ".") {
		return text
	}
	mantissa, exponent := text, ""
	if i := strings.IndexByte(text, 'e'); i >= 0 {
		mantissa, exponent = text[:i], text[i:]
	}
	return mantissa + "." + exponent
}

// hexFloat returns v as %a prints it: one digit before the point (0 for 0,
// otherwise 1, or 2 after rounding up) and an exponent of at least one digit.
func hexFloat(v float64, precision int, alt bool) string {
	text := strconv.FormatFloat(v, 'x', precision, 64)
	mantissa, exponent, _ := strings.Cut(text, "p")
	e, _ := strconv.Atoi(exponent)
	if v != 0 && e > math.Ilogb(v) { // rounding carried; C libraries leave the exponent as it was
		mantissa, e = strings.Replace(mantissa, "0x1", "0x2", 1), e-1
	}
	if alt && !strings.Contains(mantissa, ".") {
		mantissa += "."
	}
	return fmt.Sprintf("%sp%+d", mantissa, e)
}

// pad appends prefix (a sign or 0x) and text, filled up to the width.
func (c *conversion) pad(dst []byte, prefix, text string, zeros bool) []byte {
	n := c.width - len(prefix) - len(text)
	fill := func(b byte) {
		for ; n > 0; n-- {
			dst = append(dst, b)
		}
	}
	switch {
	case c.minus:
	case c.zero && zeros:
		dst = append(dst, prefix...)
		prefix = ""
		fill('0')
	default:
		fill(' ')
	}
	dst = append(append(dst, prefix...), text...)
	fill(' ')
	return dst
}
