package engine

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

func i32(v int32) PrintfValue {
	return PrintfValue{Type: isa.I32, Bits: []uint64{uint64(uint32(v))}}
}

func f64(v float64) PrintfValue {
	return PrintfValue{Type: isa.F64, Bits: []uint64{math.Float64bits(v)}}
}

func f32s(v ...float32) PrintfValue {
	p := PrintfValue{Type: isa.F32}
	for _, x := range v {
		p.Bits = append(p.Bits, uint64(math.Float32bits(x)))
	}
	return p
}

func text(s string) PrintfValue { return PrintfValue{IsString: true, Str: s} }

// The expected texts are what the printf of glibc prints; those with vectors
// are from section 6.15.14 of the OpenCL C specification.
func TestAppendPrintf(t *testing.T) {
	for _, c := range []struct {
		format string
		args   []PrintfValue
		want   string
	}{
		{"plain %% text\n", nil, "plain % text\n"},
		{"%d %i %u", []PrintfValue{i32(-5), i32(7), i32(-1)}, "-5 7 4294967295"},
		{"%5d|%-5d|%05d|%+d|% d", []PrintfValue{i32(42), i32(42), i32(-42), i32(42), i32(42)}, "   42|42   |-0042|+42| 42"},
		{"%.3d|%8.3d|%08.3d|%.0d|", []PrintfValue{i32(7), i32(7), i32(7), i32(0)}, "007|     007|     007||"},
		{"%x %X %#x %#X %o %#o", []PrintfValue{i32(255), i32(255), i32(255), i32(255), i32(8), i32(8)}, "ff FF 0xff 0XFF 10 010"},
		{"%#x %#010x", []PrintfValue{i32(0), i32(255)}, "0 0x000000ff"},
		{"%hhd %hhu %hd", []PrintfValue{i32(200), i32(-1), i32(70000)}, "-56 255 4464"},
		{"%ld %lu", []PrintfValue{{Type: isa.I64, Bits: []uint64{1 << 63}}, {Type: isa.I64, Bits: []uint64{1 << 63}}}, "-9223372036854775808 9223372036854775808"},
		{"%d %d", []PrintfValue{{Type: isa.I8, Bits: []uint64{0xff}}, {Type: isa.I16, Bits: []uint64{0x8000}}}, "-1 -32768"},
		{"%v4hhx", []PrintfValue{{Type: isa.I8, Bits: []uint64{0xff, 1, 0x10, 0}}}, "ff,1,10,0"},
		{"%v2hld", []PrintfValue{{Type: isa.I32, Bits: []uint64{1, 0xffffffff}}}, "1,-1"},
		{"%c%c%3c", []PrintfValue{i32('o'), i32('k'), i32('!')}, "ok  !"},
		{"%s|%5s|%-5s|%.2s", []PrintfValue{text("abc"), text("abc"), text("abc"), text("abc")}, "abc|  abc|abc  |ab"},
		{"%f %.2f %10.3f %-10.1f|", []PrintfValue{f64(1.5), f64(2.345), f64(-3.14159), f64(9.96)}, "1.500000 2.35     -3.142 10.0      |"},
		{"%e %.0e %#.0e %E", []PrintfValue{f64(12345.678), f64(15), f64(15), f64(1e-100)}, "1.234568e+04 2e+01 2.e+01 1.000000E-100"},
		{"%g %g %g %g %g %#g %G", []PrintfValue{f64(100000), f64(1e6), f64(0.0001), f64(0.00001), f64(0), f64(1), f64(1e-10)},
			"100000 1e+06 0.0001 1e-05 0 1.00000 1E-10"},
		{"%.3g %.0g", []PrintfValue{f64(1234.5), f64(0.55)}, "1.23e+03 0.6"},
		{"%a %.1a %A %a", []PrintfValue{f64(1), f64(1.94), f64(-0.1), f64(0)}, "0x1p+0 0x1.fp+0 -0X1.999999999999AP-4 0x0p+0"},
		{"%f %F %5f %-5f| %05f %+e", []PrintfValue{f64(math.Inf(1)), f64(math.Inf(-1)), f64(math.NaN()), f64(math.Inf(1)), f64(math.Inf(1)), f64(math.NaN())},
			"inf -INF   nan inf  |   inf +nan"},
		{"%08.2f|%+.1f|% .1f", []PrintfValue{f64(-1.5), f64(1.5), f64(1.5)}, "-0001.50|+1.5| 1.5"},
		{"f4 = %2.2v4hlf", []PrintfValue{f32s(1, 2, 3, 4)}, "f4 = 1.00,2.00,3.00,4.00"},
		{"%v3hlg", []PrintfValue{f32s(1, 2.5, -3, 99)}, "1,2.5,-3"},
		{"%f", []PrintfValue{{Type: isa.F16, Bits: []uint64{0x3e00}}}, "1.500000"},
		{"%p", []PrintfValue{{Type: isa.I64, Bits: []uint64{0x1234}}}, "0x1234"},
		{"%d and %d", []PrintfValue{i32(1)}, "1 and %d"},
		{"%y %d", []PrintfValue{i32(1)}, "%y 1"},
		{"%", nil, "%"},
		{"%5", nil, "%5"},
		{"%v5d", []PrintfValue{i32(1)}, "%v5d"},
		{"%s", []PrintfValue{i32(1)}, "(null)"},
	} {
		if got := string(AppendPrintf(nil, c.format, c.args)); got != c.want {
			t.Errorf("%q: %q, want %q", c.format, got, c.want)
		}
	}
	// Width and precision are limited.
	if n := len(AppendPrintf(nil, "%999999999d%.999999999f", []PrintfValue{i32(1), f64(1)})); n != 2*maxField+2 {
		t.Errorf("%d bytes for enormous widths", n)
	}
}

// TestPrintfGrid compares with what C prints for all combinations of flags, width, precision and conversion.
// testdata/printf.c makes the golden file.
func TestPrintfGrid(t *testing.T) {
	ints := []PrintfValue{i32(0), i32(255), i32(-7)}
	floats := []PrintfValue{f64(0), f64(100), f64(-2.5), f64(1.234e-5), f64(1.99), f64(9999999.5), f64(math.Inf(1))}
	golden, err := os.ReadFile("testdata/printf.golden")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(golden)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		format, values := fields[0], floats
		if strings.ContainsAny(format[len(format)-1:], "diouxX") {
			values = ints
		}
		if len(fields) != len(values)+1 {
			t.Fatalf("%q has %d texts for %d values", format, len(fields)-1, len(values))
		}
		for i, v := range values {
			if got := string(AppendPrintf(nil, format, []PrintfValue{v})); got != fields[i+1] {
				t.Errorf("%q of value %d: %q, want %q", format, i, got, fields[i+1])
			}
		}
	}
}

func FuzzAppendPrintf(f *testing.F) {
	for _, s := range []string{"%d", "%-+ #08.3v4hlf", "%%%s%c", "%a%g"} {
		f.Add(s, uint64(0x7ff0000000000000))
	}
	f.Fuzz(func(t *testing.T, format string, bits uint64) {
		args := []PrintfValue{text("s")}
		for typ := isa.I8; typ <= isa.F64; typ++ {
			args = append(args, PrintfValue{Type: typ, Bits: []uint64{bits & (1<<63 - 1 + 1<<63) >> (64 - typ.Bits()), 1, 2, 3}})
		}
		out := string(AppendPrintf(nil, format, args))
		if !strings.Contains(format, "%") && out != format {
			t.Errorf("%q became %q", format, out)
		}
		if len(out) > len(format)*(16*(maxField+400)+1) {
			t.Errorf("%d bytes for %q", len(out), format)
		}
	})
}
