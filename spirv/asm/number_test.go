package asm

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestAppendNumber(t *testing.T) {
	var (
		u8  = numberType{class: classUnsigned, width: 8}
		i8  = numberType{class: classSigned, width: 8}
		u32 = numberType{class: classUnsigned, width: 32}
		i32 = numberType{class: classSigned, width: 32}
		u64 = numberType{class: classUnsigned, width: 64}
		i64 = numberType{class: classSigned, width: 64}
		f16 = numberType{class: classFloat, width: 16}
		f32 = numberType{class: classFloat, width: 32}
		f64 = numberType{class: classFloat, width: 64}
	)
	tests := []struct {
		text string
		typ  numberType
		want []uint32 // nil: an error that says wantErr
		err  string
	}{
		{text: "255", typ: u8, want: []uint32{255}},
		{text: "256", typ: u8, err: "does not fit in a 8-bit unsigned integer"},
		{text: "-1", typ: u8, err: "negative number -1 in an unsigned literal"},
		{text: "-0", typ: u8, err: "negative number -0 in an unsigned literal"},
		{text: "127", typ: i8, want: []uint32{127}},
		{text: "128", typ: i8, err: "does not fit in a 8-bit signed integer"},
		{text: "-128", typ: i8, want: []uint32{0xffffff80}},
		{text: "-129", typ: i8, err: "does not fit"},
		{text: "0x80", typ: i8, want: []uint32{0xffffff80}},
		{text: "0x7f", typ: i8, want: []uint32{0x7f}},
		{text: "0x100", typ: i8, err: "does not fit"},
		{text: "-0x80", typ: i8, want: []uint32{0xffffff80}},
		{text: "4294967295", typ: u32, want: []uint32{0xffffffff}},
		{text: "4294967296", typ: u32, err: "does not fit"},
		{text: "-2147483648", typ: i32, want: []uint32{0x80000000}},
		{text: "2147483648", typ: i32, err: "does not fit"},
		{text: "0x80000000", typ: i32, want: []uint32{0x80000000}},
		{text: "18446744073709551615", typ: u64, want: []uint32{0xffffffff, 0xffffffff}},
		{text: "18446744073709551616", typ: u64, err: "invalid unsigned integer literal"},
		{text: "-9223372036854775808", typ: i64, want: []uint32{0, 0x80000000}},
		{text: "-9223372036854775809", typ: i64, err: "invalid signed integer literal"},
		{text: "9223372036854775808", typ: i64, err: "does not fit"},
		{text: "0x8000000000000000", typ: i64, want: []uint32{0, 0x80000000}},
		{text: "010", typ: u32, want: []uint32{8}},
		{text: "08", typ: u32, err: "invalid"},
		{text: "0x", typ: u32, err: "invalid"},
		{text: "1_000", typ: u32, err: "invalid"},
		{text: "+7", typ: u32, want: []uint32{7}},
		{text: "++7", typ: u32, err: "invalid"},
		{text: "1.5", typ: u32, err: "invalid"},
		{text: "", typ: u32, err: "invalid"},
		{text: "-", typ: i32, err: "invalid"},
		{text: "1", typ: numberType{class: classUnsigned, width: 65}, err: "65-bit integer literals are not supported"},
		{text: "0", typ: numberType{class: classUnsigned}, want: []uint32{0}},
		{text: "1", typ: numberType{class: classUnsigned}, err: "does not fit"},

		{text: "1.5", typ: f32, want: []uint32{0x3fc00000}},
		{text: "1e39", typ: f32, err: "invalid 32-bit float literal"},
		{text: "0x1p+128", typ: f32, want: []uint32{0x7f800000}},
		{text: "-0x1.8p128", typ: f32, want: []uint32{0xffc00000}},
		{text: "0x1.8", typ: f32, err: "invalid"},
		{text: "0x1.8P1", typ: f32, err: "invalid"},
		{text: "0x1.8p", typ: f32, err: "invalid"},
		{text: "0x1.8p+", typ: f32, err: "invalid"},
		{text: "0x1.8p+-1", typ: f32, err: "invalid"},
		{text: "0x1..8p1", typ: f32, err: "invalid"},
		{text: "0xp3", typ: f32, want: []uint32{0}},
		{text: "+0x1p3", typ: f32, err: "invalid"},
		{text: "-+1", typ: f32, err: "invalid"},
		{text: "inf", typ: f32, err: "invalid"},
		{text: "nan", typ: f32, err: "invalid"},
		{text: "1e", typ: f32, err: "invalid"},
		{text: ".", typ: f32, err: "invalid"},
		{text: "1_0", typ: f32, err: "invalid"},
		{text: "1f", typ: f32, err: "invalid"},
		{text: "65519.9", typ: f16, want: []uint32{0x7bff}},
		{text: "65536", typ: f16, err: "invalid 16-bit"},
		{text: "-2e-8", typ: f16, want: []uint32{0x8000}},
		{text: "1e-45", typ: f16, want: []uint32{0}},
		{text: "0x1.998p-4", typ: f16, want: []uint32{0x2e66}},
		{text: "0.1", typ: f64, want: []uint32{0x9999999a, 0x3fb99999}},
		{text: "0x1p-1074", typ: f64, want: []uint32{1, 0}},
		{text: "0x1p-1075", typ: f64, want: []uint32{0, 0}},
		{text: "1e400", typ: f64, err: "invalid 64-bit"},
		{text: "1", typ: numberType{class: classFloat, width: 24}, err: "24-bit floating-point literals"},

		{text: "1.0", want: []uint32{0x3f800000}},
		{text: "-1", want: []uint32{0xffffffff}},
		{text: "4294967295", want: []uint32{0xffffffff}},
	}
	for _, test := range tests {
		got, err := appendNumber(nil, test.text, test.typ)
		switch {
		case test.want == nil:
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q in %+v: %#x, error %v, want error with %q", test.text, test.typ, got, err, test.err)
			}
		case err != nil || !slices.Equal(got, test.want):
			t.Errorf("%q in %+v: %#x, error %v, want %#x", test.text, test.typ, got, err, test.want)
		}
	}
}

// TestHalfRoundTrip writes and reads every number of 16 bits and fewer.
func TestHalfRoundTrip(t *testing.T) {
	for _, f := range []floatFormat{binary16, bfloat16, float8e4, float8e5} {
		for bits := range uint64(1) << f.width() {
			text := string(appendFloatText(nil, bits, f))
			if got, ok := parseFloat(text, f); !ok || got != bits {
				t.Fatalf("%+v: %#x is printed as %s, which reads as %#x, %v", f, bits, text, got, ok)
			}
		}
	}
}

// TestFloatRoundTrip writes and reads numbers of 32 and 64 bits: all powers of
// two with fractions of all lengths, and their neighbours.
func TestFloatRoundTrip(t *testing.T) {
	for exponent := range uint64(256) {
		for fraction := range 24 {
			bits := exponent<<23 | (1<<fraction-1)&(1<<23-1)
			checkFloatText(t, bits, binary32)
			checkFloatText(t, bits^1|1<<31, binary32)
		}
	}
	for exponent := uint64(0); exponent < 2048; exponent += 7 {
		for fraction := 0; fraction < 53; fraction += 3 {
			bits := exponent<<52 | (1<<fraction-1)&(1<<52-1)
			checkFloatText(t, bits, binary64)
			checkFloatText(t, bits^1|1<<63, binary64)
		}
	}
	checkFloatText(t, math.Float64bits(math.Inf(1)), binary64)
}

func checkFloatText(t *testing.T, bits uint64, f floatFormat) {
	t.Helper()
	text := string(appendFloatText(nil, bits, f))
	if got, ok := parseFloat(text, f); !ok || got != bits {
		t.Errorf("%#x is printed as %s, which reads as %#x, %v", bits, text, got, ok)
	}
}
