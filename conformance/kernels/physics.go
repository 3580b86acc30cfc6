package kernels

import (
	"fmt"
	"math"
)

// physicsKernels are particles and grids.
func physicsKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "lennard_jones", Module: "physics",
			About:   "Forces between near particles: vectors of three, a branch at the cutoff.",
			Outputs: []int{2}, reference: lennardJones, Tolerance: &Tolerance{Ulps: 1 << 12, Bits: 32},
		}, func(n int) Launch {
			return line(n, 64, within("f32", 4*n, 1, 0, 4), within("i32", 32*n, 2, 0, n-1), zeros("f32", 4*n),
				"i32:32", "f32:6.25")
		}, [4]int{128, 1 << 11, 1 << 16, 1 << 18}),
		sized(&Kernel{
			Name: "sph_density", Module: "physics",
			About:   "Densities of a fluid from the cells around each body: an array of structures.",
			Outputs: []int{2}, reference: sphDensity, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 32},
		}, func(n int) Launch {
			const each = 16 // bodies of a cell
			cells := n / each
			body := make([]uint32, 0, 6*n)
			first := make([]int32, cells+1)
			for i := range n {
				at := func(k int) uint32 { return math.Float32bits(float32(scrambled(8*i+k, 1000)) / 1000) }
				x := float32(i/each) + float32(scrambled(8*i, 1000))/1000
				body = append(body, math.Float32bits(x), at(1), at(2), at(3), 0, uint32(i/each))
			}
			for c := range first {
				first[c] = int32(c * each)
			}
			return line(n, 64, elements("u32", body)+":as-bytes", elements("i32", first), zeros("f32", n), "f32:0.8",
				number("i32", cells))
		}, [4]int{128, 1 << 12, 1 << 16, 1 << 17}),
		sized(&Kernel{
			Name: "lattice_boltzmann", Module: "physics",
			About:   "A step of a fluid on a lattice: nine distributions, arrays of constants.",
			Outputs: []int{1}, reference: latticeBoltzmann, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 32},
		}, func(n int) Launch {
			return plane(n, n, 16, 8, within("f32", 9*n*n, 1, 0.05, 0.2), zeros("f32", 9*n*n), number("i32", n),
				number("i32", n), "f32:1.2")
		}, [4]int{32, 128, 1024, 1024}),
		sized(&Kernel{
			Name: "wave3d", Module: "physics",
			About:   "The wave equation in three dimensions and double precision, with ids of 64 bits.",
			Outputs: []int{2}, reference: wave3d, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 64},
		}, func(n int) Launch {
			return box([3]int{n, n, n}, [3]int{16, 4, 2}, noise("f64", n*n*n, 1), noise("f64", n*n*n, 2), zeros("f64",
				n*n*n), "f64:0.15")
		}, [4]int{16, 32, 128, 192}),
		sized(&Kernel{
			Name: "generation", Module: "physics",
			About:   "A generation of the game of life, by a pointer to the cell.",
			Outputs: []int{1}, reference: generation,
		}, func(n int) Launch {
			w := n + 2
			return plane(n, n, 32, 4, within("u8", w*w, 1, 0, 1), zeros("u8", w*w), number("i32", w))
		}, [4]int{32, 256, 4096, 4096}),
		sized(&Kernel{
			Name: "heat_rod", Module: "physics",
			About:   "Heat along rods in local memory: barriers in a loop.",
			Outputs: []int{0}, reference: heatRod, Tolerance: &Tolerance{Ulps: 1 << 8, Bits: 32},
		}, func(n int) Launch {
			return line(n, 128, within("f32", n, 1, 0, 100), "local:512", "f32:0.2", "i32:50")
		}, [4]int{256, 1 << 11, 1 << 17, 1 << 18}),
	}
}

func lennardJones(l Launch, args [][]byte) error {
	position, neighbour, force := load[float32](args[0]), load[int32](args[1]), load[float32](args[2])
	n, cutoff := int(l.items()), value[float32](args[4])
	for i := range n {
		p, f := [3]float32(position[4*i:]), [3]float32{}
		var energy float32
		for k := range int(value[int32](args[3])) {
			d := [3]float32(position[4*neighbour[k*n+i]:])
			for c := range d {
				d[c] -= p[c]
			}
			r2 := dot3(d, d)
			if r2 >= cutoff || r2 <= 0 {
				continue
			}
			inv2 := 1 / r2
			inv6 := float32(float32(inv2*inv2) * inv2)
			s := float32(float32(inv2*inv6) * (24 - float32(48*inv6)))
			for c := range d {
				f[c] += float32(d[c] * s)
			}
			energy += float32(float32(4*inv6) * (inv6 - 1))
		}
		copy(force[4*i:], f[:])
		force[4*i+3] = energy
	}
	return store(args[2], force)
}

func sphDensity(l Launch, args [][]byte) error {
	bodies, cell, density := load[float32](args[0]), load[int32](args[1]), load[float32](args[2])
	h2, cells := value[float32](args[3]), int(value[int32](args[4]))
	for i := range density {
		me := bodies[6*i : 6*i+6]
		mine := int(f32bits(me[5]))
		var sum float32
		for j := cell[max(mine-1, 0)]; j < cell[min(mine+1, cells-1)+1]; j++ {
			other := bodies[6*j : 6*j+4]
			v := [3]float32{other[0] - me[0], other[1] - me[1], other[2] - me[2]}
			if d := h2 - dot3(v, v); d > 0 {
				sum += float32(float32(float32(other[3]*d)*d) * d)
			}
		}
		density[i] = sum
	}
	return store(args[2], density)
}

func latticeBoltzmann(l Launch, args [][]byte) error {
	in, out, w, h := load[float32](args[0]), load[float32](args[1]), int(l.Global[0]), int(l.Global[1])
	omega := value[float32](args[4])
	cx, cy := [9]int{0, 1, 0, -1, 0, 1, -1, -1, 1}, [9]int{0, 0, 1, 0, -1, 1, 1, -1, -1}
	ninth, edge := float32(1)/9, float32(1)/36
	weight := [9]float32{float32(4) / 9, ninth, ninth, ninth, ninth, edge, edge, edge, edge}
	n := w * h
	for i := range n {
		var f [9]float32
		var rho, ux, uy float32
		for k := range f {
			f[k] = in[k*n+(i/w-cy[k]+h)%h*w+(i%w-cx[k]+w)%w]
			rho += f[k]
			ux += float32(f[k] * float32(cx[k]))
			uy += float32(f[k] * float32(cy[k]))
		}
		ux /= rho
		uy /= rho
		square := float32(1.5 * (float32(ux*ux) + float32(uy*uy)))
		for k := range f {
			cu := float32(3 * (float32(float32(cx[k])*ux) + float32(float32(cy[k])*uy)))
			equal := float32(float32(weight[k]*rho) * (1 + cu + float32(float32(0.5*cu)*cu) - square))
			out[k*n+i] = f[k] + float32(omega*(equal-f[k]))
		}
	}
	return store(args[1], out)
}

func wave3d(l Launch, args [][]byte) error {
	now, before, next, c := load[float64](args[0]), load[float64](args[1]), load[float64](args[2]),
		value[float64](args[3])
	w, h, d := int(l.Global[0]), int(l.Global[1]), int(l.Global[2])
	for i := range next {
		x, y, z := i%w, i/w%h, i/w/h
		if x == 0 || y == 0 || z == 0 || x == w-1 || y == h-1 || z == d-1 {
			next[i] = now[i]
			continue
		}
		sum := now[i-1] + now[i+1] + now[i-w] + now[i+w] + now[i-w*h] + now[i+w*h]
		next[i] = float64(2*now[i]) - before[i] + float64(c*(sum-float64(6*now[i])))
	}
	return store(args[2], next)
}

func generation(l Launch, args [][]byte) error {
	w := int(value[int32](args[2]))
	for y := 1; y <= int(l.Global[1]); y++ {
		for x := 1; x <= int(l.Global[0]); x++ {
			n := 0
			for d := range 9 {
				n += int(args[0][(y+d/3-1)*w+x+d%3-1])
			}
			// n has the cell itself too.
			if n == 3 || n == 4 && args[0][y*w+x] == 1 {
				args[1][y*w+x] = 1
			}
		}
	}
	return nil
}

func heatRod(l Launch, args [][]byte) error {
	t, k := load[float32](args[0]), value[float32](args[2])
	n := int(l.Local[0])
	if len(t)%n != 0 {
		return fmt.Errorf("%d elements in rods of %d", len(t), n)
	}
	for g := 0; g < len(t); g += n {
		rod := t[g : g+n]
		for range value[int32](args[3]) {
			left := rod[0]
			for i, here := range rod {
				right := rod[min(i+1, n-1)]
				rod[i] = here + float32(k*(left-float32(2*here)+right))
				left = here
			}
		}
	}
	return store(args[0], t)
}
