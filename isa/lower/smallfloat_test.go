package lower_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// smallFormat is an encoding as its specification has it, for the reference.
type smallFormat struct {
	name, capability, extension string
	bits, mantissa, bias        int
	largest, inf, nan           uint64 // inf is NaN where there is no infinity
}

var smallFormats = []smallFormat{
	{"BFloat16KHR", "BFloat16TypeKHR", "SPV_KHR_bfloat16", 16, 7, 127, 0x7f7f, 0x7f80, 0x7fc0},
	{"Float8E4M3EXT", "Float8EXT", "SPV_EXT_float8", 8, 3, 7, 0x7e, 0x7f, 0x7f},
	{"Float8E5M2EXT", "Float8EXT", "SPV_EXT_float8", 8, 2, 15, 0x7b, 0x7c, 0x7e},
}

// value returns the number that a code without a sign stands for.
func (f *smallFormat) value(code uint64) float64 {
	e, m := int(code>>f.mantissa), float64(code&(1<<f.mantissa-1))
	if e == 0 {
		return math.Ldexp(m, 1-f.bias-f.mantissa)
	}
	return math.Ldexp(m+float64(uint64(1)<<f.mantissa), e-f.bias-f.mantissa)
}

// round returns the code of a number, by a search among all codes.
func (f *smallFormat) round(x float64, mode string, limit bool) uint64 {
	if x != x {
		return f.nan
	}
	sign, a := uint64(0), math.Abs(x)
	if math.Signbit(x) {
		sign = 1 << (f.bits - 1)
	}
	over := f.inf
	if limit {
		over = f.largest
	}
	if math.IsInf(a, 1) {
		return sign | over
	}
	// The codes grow with their values; low is the greatest that is not above a.
	low, high := uint64(0), f.largest+1
	for low+1 < high {
		if mid := (low + high) / 2; f.value(mid) <= a {
			low = mid
		} else {
			high = mid
		}
	}
	d, gap := a-f.value(low), f.value(low+1)-f.value(low)
	up := false
	switch {
	case d == 0:
	case mode == "RTP":
		up = sign == 0
	case mode == "RTN":
		up = sign != 0
	case mode == "RTZ":
	default:
		up = d > gap/2 || d == gap/2 && low&1 != 0
	}
	if up {
		low++
	}
	switch {
	case low > f.largest:
		return sign | over
	case low == f.largest && d >= gap && !limit && f.inf == f.nan:
		return sign | over // no infinity that a directed rounding could avoid
	}
	return sign | low
}

// smallText is a kernel that converts in[i] to a small float, and that to single precision.
func (f *smallFormat) text(source, decoration string) string {
	op, typ := "OpFConvert", "%"+source
	switch source {
	case "int":
		op, typ = "OpConvertSToF", "%i64"
	case "uint":
		op, typ = "OpConvertUToF", "%i64"
	}
	if decoration != "" {
		decoration = "OpDecorate %x " + decoration + "\n"
	}
	return fmt.Sprintf(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int8
OpCapability Float64
OpCapability %s
OpExtension "%s"
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %%k "k" %%gid
OpDecorate %%gid BuiltIn GlobalInvocationId
%s%%void = OpTypeVoid
%%i64 = OpTypeInt 64 0
%%v3 = OpTypeVector %%i64 3
%%float = OpTypeFloat 32
%%double = OpTypeFloat 64
%%small = OpTypeFloat %d %s
%%ps = OpTypePointer CrossWorkgroup %s
%%pt = OpTypePointer CrossWorkgroup %%small
%%pf = OpTypePointer CrossWorkgroup %%float
%%pin = OpTypePointer Input %%v3
%%fn = OpTypeFunction %%void %%ps %%pt %%pf
%%gid = OpVariable %%pin Input
%%k = OpFunction %%void None %%fn
%%in = OpFunctionParameter %%ps
%%out = OpFunctionParameter %%pt
%%back = OpFunctionParameter %%pf
%%e = OpLabel
%%g3 = OpLoad %%v3 %%gid
%%g = OpCompositeExtract %%i64 %%g3 0
%%inp = OpInBoundsPtrAccessChain %%ps %%in %%g
%%outp = OpInBoundsPtrAccessChain %%pt %%out %%g
%%backp = OpInBoundsPtrAccessChain %%pf %%back %%g
%%v = OpLoad %s %%inp Aligned %d
%%x = %s %%small %%v
OpStore %%outp %%x Aligned %d
%%y = OpFConvert %%float %%x
OpStore %%backp %%y Aligned 4
OpReturn
OpFunctionEnd
`, f.capability, f.extension, decoration, f.bits, f.name, typ, typ, map[bool]int{true: 4, false: 8}[source == "float"], op, f.bits/8)
}

// smallInputs returns numbers that round in every way: all numbers of the encoding, the middle between neighbours, and
// what is next to that in double precision.
func (f *smallFormat) smallInputs() []float64 {
	list := []float64{0, math.Inf(1), math.NaN(), 1e300, 5e-324, 1e-30, math.MaxFloat32, math.SmallestNonzeroFloat32}
	step := max(1, f.largest/300)
	for c := uint64(0); c <= f.largest; c += step {
		a, b := f.value(c), f.value(c+1)
		mid := a + (b-a)/2
		list = append(list, a, mid, math.Nextafter(mid, 0), math.Nextafter(mid, math.Inf(1)), a+(b-a)/4)
	}
	for _, x := range slices.Clone(list) {
		list = append(list, -x)
	}
	return list
}

// TestSmallFloats compares conversions to and from bfloat16 and floats of 8 bits with a search among all numbers, in
// every rounding mode, from doubles (which a second rounding would give away), floats and integers.
func TestSmallFloats(t *testing.T) {
	for _, f := range smallFormats {
		for _, c := range []struct{ source, decoration string }{
			{"double", ""}, {"float", ""}, {"int", ""}, {"uint", ""},
			{"double", "FPRoundingMode RTE"}, {"double", "FPRoundingMode RTZ"}, {"double", "FPRoundingMode RTP"}, {"double", "FPRoundingMode RTN"},
			{"double", "SaturatedToLargestFloat8NormalConversionEXT"},
		} {
			if f.bits == 16 && strings.HasPrefix(c.decoration, "Saturated") {
				continue
			}
			t.Run(f.name+" "+c.source+" "+c.decoration, func(t *testing.T) { f.compare(t, c.source, c.decoration) })
		}
	}
}

func (f *smallFormat) compare(t *testing.T, source, decoration string) {
	inputs := f.smallInputs()
	var in any
	switch source {
	case "float":
		list := make([]float32, len(inputs))
		for i, x := range inputs {
			list[i] = float32(x)
			inputs[i] = float64(list[i])
		}
		in = list
	case "double":
		in = inputs
	default:
		list := make([]int64, 0, len(inputs))
		for _, x := range []int64{0, 1, 3, 17, 18, 19, 255, 257, 448, 464, 465, 57344, 61439, 61440, 61441, 1<<24 + 1, 1<<40 + 1<<32, 1<<40 + 1<<32 + 1,
			1<<62 + 1<<54, 1<<62 + 1<<54 + 1, math.MaxInt64, math.MinInt64} {
			list = append(list, x, -x, x^1)
		}
		inputs = make([]float64, len(list)) // the reference takes integers
		in = list
	}
	mode, limit := "", strings.HasPrefix(decoration, "Saturated")
	if m, ok := strings.CutPrefix(decoration, "FPRoundingMode "); ok {
		mode = m
	}
	out, back := runSmall(t, f.text(source, decoration), in, len(inputs), f.bits/8)
	for i, x := range inputs {
		want := uint64(0)
		switch list := in.(type) {
		case []int64:
			want = f.roundInt(list[i], source == "uint")
		default:
			want = f.round(x, mode, limit)
		}
		if out[i] != want {
			t.Fatalf("%v (%v of the input) gives %#x, expected %#x", x, i, out[i], want)
		}
		code := want &^ (1 << (f.bits - 1))
		y := f.value(code)
		switch {
		case code == f.inf && f.inf != f.nan:
			y = math.Inf(1)
		case code > f.largest:
			y = math.NaN()
		}
		if want != code {
			y = -y
		}
		if got := float64(back[i]); got != y && (got == got || y == y) || got == 0 && math.Signbit(got) != math.Signbit(y) {
			t.Fatalf("%#x gives %v, expected %v", want, got, y)
		}
	}
}

// roundInt rounds an integer, which double precision may not hold: what is lost there is kept as a bit that is not zero.
func (f *smallFormat) roundInt(x int64, unsigned bool) uint64 {
	a, sign := uint64(x), uint64(0)
	if !unsigned && x < 0 {
		a, sign = -a, 1<<(f.bits-1)
	}
	if a>>53 != 0 {
		lost := a&0xfff != 0
		if a &^= 0xfff; lost {
			a |= 1 << 12
		}
	}
	return sign | f.round(float64(a), "", false)
}

// runSmall runs a kernel of [smallFormat.text] and returns the codes and what they are converted back to.
func runSmall(t *testing.T, text string, in any, n, size int) (codes []uint64, back []float32) {
	t.Helper()
	dev, err := emu.NewDevice(emu.DeviceOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	k := assembled(t, dev, text, "k")
	var src *emu.Buffer
	switch list := in.(type) {
	case []float32:
		src, err = emu.NewBufferOf(dev, list)
	case []float64:
		src, err = emu.NewBufferOf(dev, list)
	case []int64:
		src, err = emu.NewBufferOf(dev, list)
	}
	if err != nil {
		t.Fatal(err)
	}
	dst, err := emu.NewBufferOf(dev, make([]byte, n*size))
	if err != nil {
		t.Fatal(err)
	}
	floats, err := emu.NewBufferOf(dev, make([]float32, n))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Run(context.Background(), emu.Range(uint64(n)), src, dst, floats); err != nil {
		t.Fatal(err)
	}
	raw, err := emu.Read[byte](dst)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		c := uint64(raw[i*size])
		if size == 2 {
			c |= uint64(raw[i*size+1]) << 8
		}
		codes = append(codes, c)
	}
	if back, err = emu.Read[float32](floats); err != nil {
		t.Fatal(err)
	}
	return codes, back
}
