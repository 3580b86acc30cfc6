package kernels

import "math"

// mathKernels are functions of single precision. Functions that OpenCL lets be
// a few units in the last place off are correctly rounded here.
func mathKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "math_any", Module: "mathf", Entry: "math_any",
			About: "Trigonometric, hyperbolic and exponential functions.",
			Launch: Launch{Global: []uint64{96}, Local: []uint64{32},
				Args: []string{"rand:f32:96:1:-40:40", "zero:f32:1248"}},
			Outputs:   []int{1},
			Tolerance: &Tolerance{Ulps: 5, Bits: 32},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[float32](args[0]), load[float32](args[1])
				for i := range l.items() {
					x := in[i]
					copy(out[13*i:], []float32{sin32(x), cos32(x), tan32(x), atan32(x), sinh32(x * 0.125), cosh32(x * 0.125),
						tanh32(x), exp32(x), exp2of32(x), expm1of32(x * 0.125), cbrt32(x), sin32(x * 3), cos32(x * 3)})
				}
				return store(args[1], out)
			},
		},
		{
			Name: "math_positive", Module: "mathf", Entry: "math_positive",
			About: "Logarithms, roots, powers and atan2 of positive arguments.",
			Launch: Launch{Global: []uint64{96}, Local: []uint64{32},
				Args: []string{"rand:f32:96:3:0:20", "rand:f32:96:4:-6:6", "zero:f32:1056"}},
			Outputs:   []int{2},
			Tolerance: &Tolerance{Ulps: 16, Bits: 32},
			reference: func(l Launch, args [][]byte) error {
				in, other, out := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
				for i := range l.items() {
					x, y := in[i], other[i]
					copy(out[11*i:], []float32{log32(x), log2of32(x), log10of32(x), log1pof32(x), sqrt32(x), rsqrt32(x),
						pow32(x, y), pow32(x, y), hypot32(x, y), atan2of32(y, x), atan2of32(x, -y)})
				}
				return store(args[2], out)
			},
		},
		{
			Name: "math_unit", Module: "mathf", Entry: "math_unit",
			About: "asin and acos.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{32},
				Args: []string{"rand:f32:64:5:-1:1", "zero:f32:128"}},
			Outputs:   []int{1},
			Tolerance: &Tolerance{Ulps: 4, Bits: 32},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[float32](args[0]), load[float32](args[1])
				for i := range l.items() {
					out[2*i], out[2*i+1] = asin32(in[i]), acos32(in[i])
				}
				return store(args[1], out)
			},
		},
		{
			Name: "math_exact", Module: "mathf", Entry: "math_exact",
			About: "Rounding, remainders, exponents and neighbours: functions with one right result.",
			Launch: Launch{Global: []uint64{80}, Local: []uint64{16},
				Args: []string{"buf:f32:0.5,-0.5,1.5,-1.5,2.5,-2.5,3.7,-3.7,1,-1,8388607.5,-8388608.5,16777216,1e-40,-1e-45,1e30,-3e38,0.99999994,-0.99999994,1e-20,7,-7,5.25,100,-100,1e10,2,4,0.1,-0.3,123456.78,-9.5," +
					"0.5,-0.5,1.5,-1.5,2.5,-2.5,3.7,-3.7,1,-1,8388607.5,-8388608.5,16777216,1e-40,-1e-45,1e30,-3e38,0.99999994,-0.99999994,1e-20,7,-7,5.25,100,-100,1e10,2,4,0.1,-0.3,123456.78,-9.5," +
					"0.5,-0.5,1.5,-1.5,2.5,-2.5,3.7,-3.7,1,-1,8388607.5,-8388608.5,16777216,1e-40,-1e-45,1e30",
					"rand:f32:80:6:-10:10", "zero:f32:1920", "zero:i32:240"}},
			Outputs:   []int{2, 3},
			reference: mathExact,
		},
	}
}

func mathExact(l Launch, args [][]byte) error {
	in, other, out, whole := load[float32](args[0]), load[float32](args[1]), load[float32](args[2]), load[int32](args[3])
	for i := range l.items() {
		x, y := in[i], other[i]
		a, b := float64(x), float64(y)
		frac, e := math.Frexp(a)
		integer := math.Trunc(a)
		exponent := math.Ilogb(a)
		remainder := math.Remainder(a, b)
		larger, smaller := x, y
		if math.Abs(b) > math.Abs(a) {
			larger, smaller = y, x
		}
		below := float32(math.Floor(a))
		fraction := min(x-below, 0x1.fffffep-1)
		step, sign := float32(1), float32(1)
		if x < y {
			step = 0
		}
		if x < 0 {
			sign = -1
		}
		copy(out[24*i:], []float32{
			float32(math.Floor(a)), float32(math.Ceil(a)), float32(math.Trunc(a)), float32(math.RoundToEven(a)),
			float32(math.Round(a)), float32(math.Abs(a)), min(x, y), max(x, y), float32(math.Copysign(a, b)),
			max(x-y, 0), float32(math.Mod(a, b)), float32(remainder), math.Nextafter32(x, y), fma32(x, y, x),
			float32(frac), float32(math.Ldexp(a, e&15)), float32(math.Copysign(a-integer, a)), float32(integer),
			float32(exponent), float32(remainder), larger, smaller, fraction,
			min(max(x, -1), 1) + step + sign,
		})
		// The low bits of the quotient that the remainder leaves.
		quotient := lowQuotient(a, b, remainder)
		copy(whole[3*i:], []int32{int32(e), int32(exponent), quotient & 7})
	}
	if err := store(args[2], out); err != nil {
		return err
	}
	return store(args[3], whole)
}
