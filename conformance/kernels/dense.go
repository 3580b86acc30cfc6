package kernels

import "math"

// denseKernels are dense linear algebra.
func denseKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "gemm_regs", Module: "dense",
			About:   "A product of matrices: tiles of four by four in registers, of 64 by 64 in local memory.",
			Outputs: []int{2}, reference: gemm, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 32},
		}, func(n int) Launch {
			return plane(n/4, n/4, 16, 16, noise("f32", n*n, 1), noise("f32", n*n, 2), zeros("f32", n*n),
				number("i32", n))
		}, [4]int{64, 128, 512, 1024}),
		sized(&Kernel{
			Name: "gemv", Module: "dense",
			About:   "A matrix times a vector, a work-group of 64 for a row: dot, and a tree in local memory.",
			Outputs: []int{2}, reference: gemv, Tolerance: &Tolerance{Ulps: 1 << 10, Bits: 32},
		}, func(n int) Launch {
			return line(64*n, 64, noise("f32", n*n, 1), noise("f32", n, 2), zeros("f32", n), number("u32", n/4))
		}, [4]int{16, 256, 2048, 4096}),
		sized(&Kernel{
			Name: "cholesky6", Module: "dense",
			About:   "Small systems of equations by Cholesky factors, in double precision and private arrays.",
			Outputs: []int{2}, reference: cholesky, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 64},
		}, func(n int) Launch {
			return line(n, 64, noise("f64", 36*n, 1), noise("f64", 6*n, 2), zeros("f64", 6*n))
		}, [4]int{64, 1 << 11, 1 << 16, 1 << 17}),
	}
}

func gemm(_ Launch, args [][]byte) error {
	a, b, c := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	n := int(value[int32](args[3]))
	for i := range n {
		row := c[i*n : (i+1)*n]
		clear(row)
		for k := range n {
			x := a[i*n+k]
			for j, y := range b[k*n : (k+1)*n] {
				row[j] += float32(x * y)
			}
		}
	}
	return store(args[2], c)
}

func gemv(l Launch, args [][]byte) error {
	a, x, y := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	n := int(value[uint32](args[3]))
	for row := range y {
		var part [64]float32
		for i := range n {
			p, q := a[4*(row*n+i):], x[4*i:]
			part[i%64] += float32(p[0]*q[0]) + float32(p[1]*q[1]) + float32(p[2]*q[2]) + float32(p[3]*q[3])
		}
		for step := 32; step > 0; step /= 2 {
			for i := range step {
				part[i] += part[i+step]
			}
		}
		y[row] = part[0]
	}
	return store(args[2], y)
}

func cholesky(l Launch, args [][]byte) error {
	a, b, x := load[float64](args[0]), load[float64](args[1]), load[float64](args[2])
	const n = 6
	for id := range int(l.items()) {
		var m [n][n]float64
		var r [n]float64
		for i := range n {
			copy(m[i][:], a[n*n*id+n*i:][:i+1])
			m[i][i] += 8
		}
		for j := range n {
			d := m[j][j]
			for k := range j {
				d -= float64(m[j][k] * m[j][k])
			}
			m[j][j] = math.Sqrt(d)
			for i := j + 1; i < n; i++ {
				s := m[i][j]
				for k := range j {
					s -= float64(m[i][k] * m[j][k])
				}
				m[i][j] = s / m[j][j]
			}
		}
		for i := range n {
			s := b[n*id+i]
			for k := range i {
				s -= float64(m[i][k] * r[k])
			}
			r[i] = s / m[i][i]
		}
		for i := n - 1; i >= 0; i-- {
			s := r[i]
			for k := i + 1; k < n; k++ {
				s -= float64(m[k][i] * r[k])
			}
			r[i] = s / m[i][i]
			x[n*id+i] = r[i]
		}
	}
	return store(args[2], x)
}
