package kernels

import "fmt"

// arithmeticKernels work on each element by itself.
func arithmeticKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "empty", Module: "empty", Entry: "empty",
			About:     "Does nothing: the cost of a launch.",
			Launch:    Launch{Global: []uint64{64}, Local: []uint64{64}},
			reference: func(Launch, [][]byte) error { return nil },
		},
		{
			Name: "vecadd", Module: "vecadd", Entry: "vecadd",
			About:   "Adds two integer vectors; lanes past the end do nothing.",
			Launch:  vecaddLaunch(1024, 1000),
			Bench:   []Launch{vecaddLaunch(1<<20, 1<<20), vecaddLaunch(1<<24, 1<<24)},
			Outputs: []int{2},
			reference: func(_ Launch, args [][]byte) error {
				a, b, c := load[uint32](args[0]), load[uint32](args[1]), load[uint32](args[2])
				for i := range value[uint32](args[3]) {
					c[i] = a[i] + b[i]
				}
				return store(args[2], c)
			},
		},
		{
			Name: "saxpy", Module: "saxpy", Entry: "saxpy",
			About:   "y = a*x + y in single precision, the product rounded before the sum.",
			Launch:  saxpyLaunch(1024),
			Bench:   []Launch{saxpyLaunch(1 << 16), saxpyLaunch(1 << 20), saxpyLaunch(1 << 24)},
			Outputs: []int{2},
			reference: func(l Launch, args [][]byte) error {
				a, x, y := value[float32](args[0]), load[float32](args[1]), load[float32](args[2])
				for i := range l.items() {
					y[i] = float32(a*x[i]) + y[i]
				}
				return store(args[2], y)
			},
		},
		{
			Name: "inthash", Module: "inthash", Entry: "inthash",
			About:   "An integer hash of nine operations in a loop.",
			Launch:  inthashLaunch(1024, 16),
			Bench:   []Launch{inthashLaunch(1<<16, 256), inthashLaunch(1<<20, 256), inthashLaunch(1<<22, 256)},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[uint32](args[1])
				for i := range l.items() {
					x := in[i]
					for r := range value[uint32](args[2]) {
						x ^= x >> 16
						x *= 0x7feb352d
						x ^= x >> 15
						x *= 0x846ca68b
						x ^= x >> 16
						x += r
					}
					out[i] = x
				}
				return store(args[1], out)
			},
		},
		{
			Name: "mandelbrot", Module: "mandelbrot", Entry: "mandelbrot",
			About:   "Escape times of the Mandelbrot set: lanes leave one loop at different trips.",
			Launch:  mandelbrotLaunch(48, 32, 100),
			Bench:   []Launch{mandelbrotLaunch(256, 256, 256), mandelbrotLaunch(1024, 1024, 256), mandelbrotLaunch(2048, 2048, 1000)},
			Outputs: []int{0},
			reference: func(l Launch, args [][]byte) error {
				out := load[int32](args[0])
				limit := value[int32](args[1])
				x0, y0 := value[float32](args[2]), value[float32](args[3])
				dx, dy := value[float32](args[4]), value[float32](args[5])
				w := l.Global[0]
				for py := range l.Global[1] {
					for px := range w {
						cx := x0 + float32(dx*float32(px))
						cy := y0 + float32(dy*float32(py))
						var x, y float32
						var n int32
						for n < limit {
							xx, yy := float32(x*x), float32(y*y)
							if xx+yy > 4 {
								break
							}
							y = float32(float32(2*x)*y) + cy
							x = xx - yy + cx
							n++
						}
						out[py*w+px] = n
					}
				}
				return store(args[0], out)
			},
		},
		{
			Name: "blackscholes", Module: "blackscholes", Entry: "blackscholes",
			About:     "European option prices, with correctly rounded log, exp and sqrt.",
			Launch:    blackscholesLaunch(256),
			Bench:     []Launch{blackscholesLaunch(1 << 14), blackscholesLaunch(1 << 18)},
			Outputs:   []int{5, 6},
			Tolerance: &Tolerance{Ulps: 1 << 12, Bits: 32},
			reference: blackscholes,
		},
	}
}

func vecaddLaunch(items, n int) Launch {
	return Launch{
		Global: []uint64{uint64(items)}, Local: []uint64{64},
		Args: []string{fmt.Sprintf("rand:i32:%d:1", n), fmt.Sprintf("rand:i32:%d:2", n),
			fmt.Sprintf("zero:i32:%d", n), fmt.Sprintf("u32:%d", n)},
	}
}

func saxpyLaunch(n int) Launch {
	return Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{64},
		Args: []string{"f32:2.5", fmt.Sprintf("rand:f32:%d:1", n), fmt.Sprintf("rand:f32:%d:2", n)},
	}
}

func inthashLaunch(n, rounds int) Launch {
	return Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{64},
		Args: []string{fmt.Sprintf("iota:u32:%d", n), fmt.Sprintf("zero:u32:%d", n), fmt.Sprintf("u32:%d", rounds)},
	}
}

func mandelbrotLaunch(w, h, limit int) Launch {
	return Launch{
		Global: []uint64{uint64(w), uint64(h)}, Local: []uint64{16, 4},
		Args: []string{fmt.Sprintf("zero:i32:%d", w*h), fmt.Sprintf("i32:%d", limit), "f32:-2.0", "f32:-1.25",
			fmt.Sprintf("f32:%g", float32(2.5)/float32(w)), fmt.Sprintf("f32:%g", float32(2.5)/float32(h))},
	}
}

func blackscholesLaunch(n int) Launch {
	return Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{64},
		Args: []string{fmt.Sprintf("rand:f32:%d:1:5:30", n), fmt.Sprintf("rand:f32:%d:2:1:100", n),
			fmt.Sprintf("rand:f32:%d:3:0.25:10", n), "f32:0.02", "f32:0.3",
			fmt.Sprintf("zero:f32:%d", n), fmt.Sprintf("zero:f32:%d", n)},
	}
}

func blackscholes(l Launch, args [][]byte) error {
	price, strike, years := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	rate, volatility := value[float32](args[3]), value[float32](args[4])
	call, put := load[float32](args[5]), load[float32](args[6])
	cnd := func(d float32) float32 {
		magnitude := d
		if d < 0 {
			magnitude = -d
		}
		k := 1 / (1 + float32(0.2316419*magnitude))
		p := float32(1.330274429)
		for _, c := range []float32{-1.821255978, 1.781477937, -0.356563782, 0.319381530} {
			p = float32(p*k) + c
		}
		p = p * k
		c := float32(float32(float32(0.39894228)*exp32(float32(float32(-0.5*d)*d))) * p)
		if d > 0 {
			return 1 - c
		}
		return c
	}
	for i := range l.items() {
		s, x, t := price[i], strike[i], years[i]
		root := sqrt32(t)
		drift := rate + float32(float32(0.5*volatility)*volatility)
		d1 := (log32(s/x) + float32(drift*t)) / float32(volatility*root)
		d2 := d1 - float32(volatility*root)
		n1, n2 := cnd(d1), cnd(d2)
		discount := exp32(float32(-rate * t))
		call[i] = float32(s*n1) - float32(float32(x*discount)*n2)
		put[i] = float32(float32(x*discount)*(1-n2)) - float32(s*(1-n1))
	}
	if err := store(args[5], call); err != nil {
		return err
	}
	return store(args[6], put)
}
