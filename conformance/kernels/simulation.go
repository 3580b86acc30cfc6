package kernels

import "fmt"

// simulationKernels move particles.
func simulationKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "nbody", Module: "nbody", Entry: "nbody",
			About:   "One step of gravitation among n bodies, with sqrt and division.",
			Launch:  nbodyLaunch(48),
			Bench:   []Launch{nbodyLaunch(1024), nbodyLaunch(4096)},
			Outputs: []int{1, 2},
			// sqrt and division are within 3 and 2.5 ulp where they are not
			// correctly rounded, and errors add up along the sum.
			Tolerance: &Tolerance{Ulps: 1 << 14, Bits: 32},
			reference: nbody,
		},
	}
}

func nbodyLaunch(n int) Launch {
	return Launch{
		Global: []uint64{uint64(n)}, Local: []uint64{16},
		Args: []string{fmt.Sprintf("rand:f32:%d:1", 4*n), fmt.Sprintf("zero:f32:%d", 4*n),
			fmt.Sprintf("rand:f32:%d:2", 4*n), fmt.Sprintf("u32:%d", n), "f32:0.01", "f32:0.0001"},
	}
}

func nbody(l Launch, args [][]byte) error {
	body, moved, velocity := load[float32](args[0]), load[float32](args[1]), load[float32](args[2])
	n := uint64(value[uint32](args[3]))
	dt, softening := value[float32](args[4]), value[float32](args[5])
	for i := range l.items() {
		me, v := body[4*i:4*i+4], velocity[4*i:4*i+4]
		var a [3]float32
		for j := range n {
			other := body[4*j : 4*j+4]
			dx, dy, dz := other[0]-me[0], other[1]-me[1], other[2]-me[2]
			r2 := float32(dx*dx) + float32(dy*dy) + float32(dz*dz) + softening
			inv := 1 / sqrt32(r2)
			f := float32(float32(float32(other[3]*inv)*inv) * inv)
			a[0] += float32(f * dx)
			a[1] += float32(f * dy)
			a[2] += float32(f * dz)
		}
		for d := range a {
			v[d] += float32(a[d] * dt)
			moved[4*i+uint64(d)] = me[d] + float32(v[d]*dt)
		}
		moved[4*i+3] = me[3]
	}
	if err := store(args[1], moved); err != nil {
		return err
	}
	return store(args[2], velocity)
}
