package lower_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

func floatOf(t ty, v uint64) float64 {
	switch t.bits {
	case 64:
		return math.Float64frombits(v)
	case 32:
		return float64(math.Float32frombits(uint32(v)))
	}
	f, _ := unpackFloat(t, v).x.Float64()
	return f
}

// TestMathRules checks that every mathematical function of OpenCL.std is the
// function of its name, in all widths. How exact they are is package clmath's
// business: here a result may be a little off.
func TestMathRules(t *testing.T) {
	fns := []struct {
		name string
		f    any
		pos  bool // only for operands above zero
	}{
		{"acos", math.Acos, false}, {"acosh", func(x float64) float64 { return math.Acosh(x) }, true}, {"asin", math.Asin, false}, {"asinh", math.Asinh, false},
		{"atan", math.Atan, false}, {"atan2", math.Atan2, true}, {"atanh", math.Atanh, false}, {"cbrt", math.Cbrt, false}, {"cos", math.Cos, false},
		{"cosh", math.Cosh, false}, {"erf", math.Erf, false}, {"erfc", math.Erfc, false}, {"exp", math.Exp, false}, {"exp2", math.Exp2, false},
		{"exp10", func(x float64) float64 { return math.Pow(10, x) }, false}, {"expm1", math.Expm1, false}, {"fdim", math.Dim, false},
		{"hypot", math.Hypot, false}, {"lgamma", func(x float64) float64 { v, _ := math.Lgamma(x); return v }, true}, {"log", math.Log, true},
		{"log2", math.Log2, true}, {"log10", math.Log10, true}, {"log1p", math.Log1p, true}, {"logb", math.Logb, true}, {"pow", math.Pow, true},
		{"powr", math.Pow, true}, {"remainder", math.Remainder, true}, {"rsqrt", func(x float64) float64 { return 1 / math.Sqrt(x) }, true},
		{"sin", math.Sin, false}, {"sinh", math.Sinh, false}, {"sqrt", math.Sqrt, true}, {"tan", math.Tan, false}, {"tanh", math.Tanh, false},
		{"tgamma", math.Gamma, true}, {"fmod", math.Mod, true}, {"maxmag", func(x, y float64) float64 {
			if math.Abs(x) > math.Abs(y) {
				return x
			}
			return y
		}, true}, {"minmag", func(x, y float64) float64 {
			if math.Abs(x) < math.Abs(y) {
				return x
			}
			return y
		}, true},
		{"acospi", func(x float64) float64 { return math.Acos(x) / math.Pi }, false}, {"asinpi", func(x float64) float64 { return math.Asin(x) / math.Pi }, false},
		{"atanpi", func(x float64) float64 { return math.Atan(x) / math.Pi }, false}, {"atan2pi", func(x, y float64) float64 { return math.Atan2(x, y) / math.Pi }, true},
		{"cospi", func(x float64) float64 { return math.Cos(x * math.Pi) }, false}, {"sinpi", func(x float64) float64 { return math.Sin(x * math.Pi) }, false},
		{"tanpi", func(x float64) float64 { return math.Tan(x * math.Pi) }, false},
		{"mad", func(x, y, z float64) float64 { return x*y + z }, false}, {"mix", func(x, y, a float64) float64 { return x + (y-x)*a }, false},
		{"degrees", func(x float64) float64 { return x * 180 / math.Pi }, false}, {"radians", func(x float64) float64 { return x * math.Pi / 180 }, false},
		{"step", func(e, x float64) float64 {
			if x < e {
				return 0
			}
			return 1
		}, false}, {"fmax_common", math.Max, false}, {"fmin_common", math.Min, false},
	}
	for _, w := range []string{"half_", "native_"} {
		for _, fn := range fns {
			switch fn.name {
			case "cos", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "rsqrt", "sin", "sqrt", "tan":
				fn.name = w + fn.name
				fns = append(fns, fn)
			}
		}
		fns = append(fns, fns[0])
		fns[len(fns)-1].name, fns[len(fns)-1].f, fns[len(fns)-1].pos = w+"divide", func(x, y float64) float64 { return x / y }, true
		fns = append(fns, fns[0])
		fns[len(fns)-1].name, fns[len(fns)-1].f, fns[len(fns)-1].pos = w+"recip", func(x float64) float64 { return 1 / x }, true
	}
	for _, ft := range floats {
		eps := map[int]float64{16: 4e-3, 32: 1e-5, 64: 1e-13}[ft.bits]
		var rules []rule
		for _, fn := range fns {
			if ft.bits != 32 && (len(fn.name) > 5 && fn.name[:5] == "half_" || len(fn.name) > 7 && fn.name[:7] == "native_") {
				continue // single precision only
			}
			var n int
			var f func(a []float64) float64
			switch g := fn.f.(type) {
			case func(float64) float64:
				n, f = 1, func(a []float64) float64 { return g(a[0]) }
			case func(float64, float64) float64:
				n, f = 2, func(a []float64) float64 { return g(a[0], a[1]) }
			case func(float64, float64, float64) float64:
				n, f = 3, func(a []float64) float64 { return g(a[0], a[1], a[2]) }
			}
			inst, args := "RES = OpExtInst TYPE %cl "+fn.name, []ty(nil)
			for i := range n {
				inst += " " + string(rune('A'+i)) + "_"
				args = append(args, ft)
			}
			var inputs []uint64
			for _, x := range []float64{0.125, 0.3125, 0.75, 1.5, 2.75, -0.25, -0.875, -1.75} {
				if x > 0 || !fn.pos {
					inputs = append(inputs, round(ft, finiteOrInf(x), "RTE"))
				}
			}
			value := func(a []uint64) float64 {
				var x []float64
				for _, v := range a {
					x = append(x, floatOf(ft, v))
				}
				return f(x)
			}
			rules = append(rules, rule{name: fn.name, inst: inst, res: ft, args: args, inputs: inputs,
				valid: func(a []uint64) bool {
					// Where the function is not defined, and where it jumps, nothing is compared.
					v := value(a)
					return v == v && math.Abs(v) < 1e4
				},
				want: func(a []uint64) uint64 { return math.Float64bits(value(a)) },
				near: func(got, want uint64) bool {
					if isNaN(ft, got) {
						return false
					}
					g, w := floatOf(ft, got), math.Float64frombits(want)
					return math.Abs(g-w) <= eps*max(1, math.Abs(w))
				}})
		}
		checkRules(t, rules)
	}
}

// TestBitcastRules reinterprets up to 32 bytes as every shape of the same size.
func TestBitcastRules(t *testing.T) {
	dev, err := emu.NewDevice(emu.DeviceOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	type shape struct {
		t ty
		n int
	}
	for _, bytes := range []int{1, 2, 4, 8, 16, 32} {
		var shapes []shape
		for _, e := range []ty{ti(8), ti(16), tf(16), ti(32), tf(32), ti(64), tf(64)} {
			n := bytes / e.size()
			if n == 1 || n == 2 || n == 4 || n == 8 || n == 16 {
				shapes = append(shapes, shape{e, n})
			}
		}
		for _, from := range shapes {
			for _, to := range shapes {
				in := make([]byte, bytes)
				for i := range in {
					in[i] = byte(i*37 + 0x81)
				}
				for _, f := range []form{lanes, constants} {
					text := bitcastText(from.t, from.n, to.t, to.n, f, in)
					if out := run(t, dev, text, 1, make([]byte, bytes), in); !slices.Equal(out, in) {
						t.Errorf("%d of %s to %d of %s, %s: %x, want %x", from.n, from.t.name(), to.n, to.t.name(), f, out, in)
					}
				}
			}
		}
	}
	// Three components.
	r := rule{name: "three", inst: "RES = OpBitcast TYPE A_", res: ti(64), args: []ty{tf(64)}, inputs: edges(tf(64)), want: func(a []uint64) uint64 { return a[0] }}
	r.check(t, dev, 3, lanes)
	r.check(t, dev, 3, constants)
}

func bitcastText(from ty, n int, to ty, m int, f form, data []byte) string {
	w := &writer{seen: map[string]bool{}}
	ft, tt := w.typ(from, n), w.typ(to, m)
	pf, pt := w.pointer(from, n), w.pointer(to, m)
	x := "%x"
	load := fmt.Sprintf("%%x = OpLoad %s %%in\n", ft)
	if f == constants {
		x, load = w.vector(from, unpack(from, data)), ""
	}
	return `OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability Float16
OpCapability Float64
OpCapability Vector16
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %f "f"
%void = OpTypeVoid
` + w.types.String() + fmt.Sprintf(`%%fn = OpTypeFunction %%void %s %s
%%f = OpFunction %%void None %%fn
%%out = OpFunctionParameter %s
%%in = OpFunctionParameter %s
%%entry = OpLabel
%s%%y = OpBitcast %s %s
OpStore %%out %%y
OpReturn
OpFunctionEnd
`, pt, pf, pt, pf, load, tt, x)
}
