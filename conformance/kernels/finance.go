package kernels

import "math"

// financeKernels are prices of options.
func financeKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "asian_option", Module: "finance",
			About:   "Means of random paths: log, sqrt, native_cos and half_exp in two loops.",
			Outputs: []int{1}, reference: asianOption, Tolerance: &Tolerance{Ulps: 1 << 14, Bits: 32},
		}, func(n int) Launch {
			return line(n, 64, noise("u32", n, 1), zeros("f32", n), "i32:4", "i32:16", "f32:0.001", "f32:0.05",
				"f32:98")
		}, [4]int{64, 1 << 10, 1 << 14, 1 << 16}),
		sized(&Kernel{
			Name: "binomial_tree", Module: "finance",
			About:   "Prices from trees: a work-group each, barriers in a loop that ends lane by lane.",
			Outputs: []int{2}, reference: binomialTree, Tolerance: &Tolerance{Ulps: 1 << 12, Bits: 32},
		}, func(n int) Launch {
			return line(64*n, 64, within("f32", n, 1, 50, 150), within("f32", n, 2, 50, 150), zeros("f32", n),
				"local:256", "f32:1.02", "f32:0.98", "f32:0.51")
		}, [4]int{3, 64, 4096, 8192}),
		sized(&Kernel{
			Name: "implied_volatility", Module: "finance",
			About:   "Newton's method with log, exp and erfc in double precision.",
			Outputs: []int{3}, reference: impliedVolatility, Tolerance: &Tolerance{Ulps: 4, Bits: 32},
		}, func(n int) Launch {
			return line(n, 64, within("f32", n, 1, 80, 120), within("f32", n, 2, 80, 120), within("f32", n, 3, 0.4,
				0.6), zeros("f32", n), "i32:8")
		}, [4]int{64, 1 << 10, 1 << 15, 1 << 16}),
	}
}

func asianOption(_ Launch, args [][]byte) error {
	seed, mean := load[uint32](args[0]), load[float32](args[1])
	paths, steps := int(value[int32](args[2])), int(value[int32](args[3]))
	drift, volatility, strike := value[float32](args[4]), value[float32](args[5]), value[float32](args[6])
	for id := range mean {
		s := seed[id] | 1
		next := func() float32 {
			s ^= s << 13
			s ^= s >> 17
			s ^= s << 5
			return float32(float32(s>>8) * 0x1p-24)
		}
		var total float32
		for range paths {
			price, sum := float32(100), float32(0)
			for range steps {
				u := next() + 0x1p-25
				v := next()
				normal := float32(sqrt32(float32(-2*log32(u))) * cos32(float32(6.28318531*v)))
				price = float32(price * exp32(drift+float32(volatility*normal)))
				sum += price
			}
			total += max(sum/float32(steps)-strike, 0)
		}
		mean[id] = total / float32(paths)
	}
	return store(args[1], mean)
}

func binomialTree(l Launch, args [][]byte) error {
	price, strike, val := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	up, down, p := value[float32](args[4]), value[float32](args[5]), value[float32](args[6])
	n := int(l.Local[0]) - 1
	for g := range val {
		v := make([]float32, n+1)
		for j := range v {
			s := price[g]
			for i := range n {
				if i < j {
					s = float32(s * up)
				} else {
					s = float32(s * down)
				}
			}
			v[j] = max(strike[g]-s, 0)
		}
		for k := n; k > 0; k-- {
			for j := range k {
				v[j] = float32(p*v[j+1]) + float32((1-p)*v[j])
			}
		}
		val[g] = v[0]
	}
	return store(args[2], val)
}

// impliedVolatility has functions of double precision that are not correctly rounded; its result is rounded
// to single precision.
func impliedVolatility(_ Launch, args [][]byte) error {
	spot, strike, wanted, out := load[float32](args[0]), load[float32](args[1]), load[float32](args[2]),
		load[float32](args[3])
	for i := range out {
		s, k, vol := float64(spot[i]), float64(strike[i]), 0.5
		price := float64(s * float64(wanted[i]))
		for range value[int32](args[4]) {
			d1 := math.Log(s/k)/vol + float64(0.5*vol)
			d2 := d1 - vol
			call := float64(0.5 * (float64(s*math.Erfc(-d1/math.Sqrt2)) - float64(k*math.Erfc(-d2/math.Sqrt2))))
			vega := float64(s*math.Exp(float64(-0.5*d1*d1))) * 0.3989422804014327
			vol = min(max(vol-(call-price)/max(vega, 1e-3), 0.01), 4)
		}
		out[i] = float32(vol)
	}
	return store(args[3], out)
}
