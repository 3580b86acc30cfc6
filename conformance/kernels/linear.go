package kernels

import (
	"fmt"
	"math"
	"strings"
)

// linearKernels work on matrices and grids.
func linearKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "matmul", Module: "matmul", Entry: "matmul",
			About:     "A matrix product in tiles of local memory, with two barriers a tile.",
			Launch:    matmulLaunch(32),
			Bench:     []Launch{matmulLaunch(128), matmulLaunch(256), matmulLaunch(512)},
			Outputs:   []int{2},
			reference: matrixProduct,
		},
		{
			Name: "transpose", Module: "transpose", Entry: "transpose",
			About:   "A transpose through padded local memory, with partial tiles at two edges.",
			Launch:  transposeLaunch(70, 37),
			Bench:   []Launch{transposeLaunch(1024, 1024), transposeLaunch(4096, 2048)},
			Outputs: []int{1},
			reference: func(_ Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[uint32](args[1])
				w, h := value[uint32](args[2]), value[uint32](args[3])
				for y := range h {
					for x := range w {
						out[x*h+y] = in[y*w+x]
					}
				}
				return store(args[1], out)
			},
		},
		{
			Name: "stencil2d", Module: "stencil", Entry: "stencil2d",
			About:   "A five-point stencil with an early return at the edges.",
			Launch:  stencil2dLaunch(40, 24),
			Bench:   []Launch{stencil2dLaunch(1024, 1024)},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[float32](args[0]), load[float32](args[1])
				centre, side := value[float32](args[2]), value[float32](args[3])
				w, h := int(l.Global[0]), int(l.Global[1])
				for i := range out {
					x, y := i%w, i/w
					if x == 0 || y == 0 || x == w-1 || y == h-1 {
						out[i] = in[i]
						continue
					}
					ring := in[i-1] + in[i+1] + in[i-w] + in[i+w]
					out[i] = float32(centre*in[i]) + float32(side*ring)
				}
				return store(args[1], out)
			},
		},
		{
			Name: "stencil3d", Module: "stencil", Entry: "stencil3d",
			About: "A seven-point stencil in three dimensions with a border of zeros.",
			Launch: Launch{Global: []uint64{12, 10, 8}, Local: []uint64{4, 5, 2},
				Args: []string{"rand:f32:960:5", "zero:f32:960", "f32:0.4", "f32:0.1"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				in, out := load[float32](args[0]), load[float32](args[1])
				centre, side := value[float32](args[2]), value[float32](args[3])
				size := [3]int{int(l.Global[0]), int(l.Global[1]), int(l.Global[2])}
				step := [3]int{1, size[0], size[0] * size[1]}
				for i := range out {
					var sum float32
					for d := range 3 {
						at := i / step[d] % size[d]
						var before, after float32
						if at > 0 {
							before = in[i-step[d]]
						}
						if at < size[d]-1 {
							after = in[i+step[d]]
						}
						sum += before
						sum += after
					}
					out[i] = float32(centre*in[i]) + float32(side*sum)
				}
				return store(args[1], out)
			},
		},
		{
			Name: "life", Module: "stencil", Entry: "life",
			About: "One generation of the game of life on a torus of bytes.",
			Launch: Launch{Global: []uint64{32, 24}, Local: []uint64{8, 8},
				Args: []string{"rand:u8:768:9:0:1", "zero:u8:768"}},
			Outputs: []int{1},
			reference: func(l Launch, args [][]byte) error {
				w, h := int(l.Global[0]), int(l.Global[1])
				alive := func(x, y int) int { return int(args[0][(y+h)%h*w+(x+w)%w] & 1) }
				for y := range h {
					for x := range w {
						n := -alive(x, y)
						for d := range 9 {
							n += alive(x+d%3-1, y+d/3-1)
						}
						args[1][y*w+x] = 0
						if n == 3 || n == 2 && alive(x, y) == 1 {
							args[1][y*w+x] = 1
						}
					}
				}
				return nil
			},
		},
		{
			Name: "spmv", Module: "spmv", Entry: "spmv",
			About:   "A sparse matrix (CSR) times a vector: rows of different lengths, some empty.",
			Launch:  spmvLaunch(96),
			Outputs: []int{4},
			reference: func(l Launch, args [][]byte) error {
				rowptr, column := load[uint32](args[0]), load[uint32](args[1])
				val, x, y := load[float32](args[2]), load[float32](args[3]), load[float32](args[4])
				for r := range l.items() {
					var dot float32
					for k := rowptr[r]; k < rowptr[r+1]; k++ {
						dot += float32(val[k] * x[column[k]])
					}
					y[r] = dot
				}
				return store(args[4], y)
			},
		},
		{
			Name: "lu", Module: "lu", Entry: "lu",
			About: "LU decomposition with partial pivoting in double precision, in private arrays.",
			Launch: Launch{Global: []uint64{48}, Local: []uint64{16},
				Args: []string{"rand:f64:1728:1:-1:1", "rand:f64:288:2:-1:1", "zero:f64:288", "zero:i32:288"}},
			Bench: []Launch{{Global: []uint64{1 << 14}, Local: []uint64{64},
				Args: []string{"rand:f64:589824:1:-1:1", "rand:f64:98304:2:-1:1", "zero:f64:98304", "zero:i32:98304"}}},
			Outputs:   []int{2, 3},
			reference: lu,
		},
		{
			Name: "kmeans", Module: "kmeans", Entry: "kmeans",
			About: "k-means in one work-group, assignment and update parted by barriers on global memory.",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{32},
				Args: []string{"rand:f32:600:3", "zero:f32:15", "zero:i32:200", "u32:200", "u32:5", "u32:4"}},
			Outputs:   []int{1, 2},
			reference: kmeans,
		},
	}
}

// matrixProduct is the reference of the kernels that multiply two matrices, with sums
// in the order of the columns.
func matrixProduct(_ Launch, args [][]byte) error {
	a, b, c := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	n := int(value[uint32](args[3]))
	for y := range n {
		for x := range n {
			var sum float32
			for k := range n {
				sum += float32(a[y*n+k] * b[k*n+x])
			}
			c[y*n+x] = sum
		}
	}
	return store(args[2], c)
}

func matmulLaunch(n int) Launch {
	return Launch{
		Global: []uint64{uint64(n), uint64(n)}, Local: []uint64{16, 16},
		Args: []string{fmt.Sprintf("rand:f32:%d:1", n*n), fmt.Sprintf("rand:f32:%d:2", n*n),
			fmt.Sprintf("zero:f32:%d", n*n), fmt.Sprintf("u32:%d", n)},
	}
}

func transposeLaunch(w, h int) Launch {
	up := func(n int) uint64 { return uint64((n + 15) / 16 * 16) }
	return Launch{
		Global: []uint64{up(w), up(h)}, Local: []uint64{16, 16},
		Args: []string{fmt.Sprintf("iota:u32:%d", w*h), fmt.Sprintf("zero:u32:%d", w*h),
			fmt.Sprintf("u32:%d", w), fmt.Sprintf("u32:%d", h)},
	}
}

func stencil2dLaunch(w, h int) Launch {
	return Launch{
		Global: []uint64{uint64(w), uint64(h)}, Local: []uint64{8, 8},
		Args: []string{fmt.Sprintf("rand:f32:%d:4", w*h), fmt.Sprintf("zero:f32:%d", w*h), "f32:0.6", "f32:0.1"},
	}
}

// spmvLaunch makes rows of 0 to 12 entries in a matrix of rows columns.
func spmvLaunch(rows int) Launch {
	var pointers strings.Builder
	entries := 0
	for r := range rows {
		fmt.Fprintf(&pointers, "%d,", entries)
		entries += r * r * 7 % 13
	}
	fmt.Fprint(&pointers, entries)
	return Launch{
		Global: []uint64{uint64(rows)}, Local: []uint64{16},
		Args: []string{"buf:u32:" + pointers.String(), fmt.Sprintf("rand:u32:%d:1:0:%d", entries, rows-1),
			fmt.Sprintf("rand:f32:%d:2:-1:1", entries), fmt.Sprintf("rand:f32:%d:3", rows), fmt.Sprintf("zero:f32:%d", rows)},
	}
}

func lu(l Launch, args [][]byte) error {
	const n = 6
	matrix, rhs := load[float64](args[0]), load[float64](args[1])
	solution, permutation := load[float64](args[2]), load[int32](args[3])
	for w := range l.items() {
		var a [n][]float64
		b := rhs[w*n : w*n+n : w*n+n]
		x := append([]float64(nil), b...)
		p := permutation[w*n : w*n+n]
		for i := range n {
			row := matrix[(w*n+uint64(i))*n:]
			a[i] = append([]float64(nil), row[:n]...)
			p[i] = int32(i)
		}
		for k := range n {
			pivot := k
			for i := k + 1; i < n; i++ {
				if math.Abs(a[i][k]) > math.Abs(a[pivot][k]) {
					pivot = i
				}
			}
			a[k], a[pivot] = a[pivot], a[k]
			x[k], x[pivot] = x[pivot], x[k]
			p[k], p[pivot] = p[pivot], p[k]
			if a[k][k] == 0 {
				continue
			}
			for i := k + 1; i < n; i++ {
				f := a[i][k] / a[k][k]
				for j := k + 1; j < n; j++ {
					a[i][j] -= float64(f * a[k][j])
				}
				x[i] -= float64(f * x[k])
			}
		}
		for i := n - 1; i >= 0; i-- {
			s := x[i]
			for j := i + 1; j < n; j++ {
				s -= float64(a[i][j] * x[j])
			}
			x[i] = s / a[i][i]
		}
		copy(solution[w*n:], x)
	}
	if err := store(args[2], solution); err != nil {
		return err
	}
	return store(args[3], permutation)
}

func kmeans(_ Launch, args [][]byte) error {
	const dims = 3
	points, centres, label := load[float32](args[0]), load[float32](args[1]), load[int32](args[2])
	n, k, rounds := int(value[uint32](args[3])), int(value[uint32](args[4])), value[uint32](args[5])
	copy(centres, points[:k*dims])
	for range rounds {
		for i := range n {
			best := float32(math.Inf(1))
			label[i] = -1
			for c := range k {
				var dist float32
				for d := range dims {
					t := points[i*dims+d] - centres[c*dims+d]
					dist += float32(t * t)
				}
				if dist < best {
					best, label[i] = dist, int32(c)
				}
			}
		}
		sum, count := make([]float32, k*dims), make([]int, k)
		for i := range n {
			c := int(label[i])
			count[c]++
			for d := range dims {
				sum[c*dims+d] += points[i*dims+d]
			}
		}
		for j := range sum {
			if c := count[j/dims]; c != 0 {
				centres[j] = sum[j] / float32(c)
			}
		}
	}
	if err := store(args[1], centres); err != nil {
		return err
	}
	return store(args[2], label)
}
