package kernels

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// rayKernels follow rays and search points.
func rayKernels() []*Kernel {
	return []*Kernel{
		sized(&Kernel{
			Name: "spheres", Module: "rays",
			About:   "Traces rays among mirrors: vectors of three, an array of structures.",
			Outputs: []int{2}, reference: spheres, Tolerance: &Tolerance{Ulps: 1 << 14, Bits: 32},
		}, func(n int) Launch {
			const count = 8
			var scene []float32
			for i := range count {
				at := func(k int) float32 { return float32(scrambled(8*i+k, 1000)) / 1000 }
				scene = append(scene, 3*at(0)-1.5, 3*at(1)-1.5, 3*at(2)-1, 0.3+0.4*at(3), at(4), at(5), at(6), 0.8*at(7))
			}
			return plane(n, n, 8, 8, elements("f32", scene)+":as-bytes", number("i32", count), zeros("f32", 4*n*n),
				number("f32", 2/float32(n)))
		}, [4]int{32, 64, 512, 1024}),
		sized(&Kernel{
			Name: "phong", Module: "rays",
			About:   "Light on surfaces: vload3, normalize, mix, clamp, native_powr.",
			Outputs: []int{1}, reference: phong, Tolerance: &Tolerance{Ulps: 1 << 12, Bits: 32},
		}, func(n int) Launch {
			return line(n, 64, within("f32", 3*n, 1, -1, 1), zeros("f32", 4*n), "f32:12")
		}, [4]int{128, 1 << 12, 1 << 18, 1 << 20}),
		sized(&Kernel{
			Name: "scatter", Module: "rays",
			About:   "Light that wanders through a cloud: paths of different lengths, log, cos and sin.",
			Outputs: []int{1}, reference: scatter, Tolerance: &Tolerance{Ulps: 1 << 14, Bits: 32},
		}, func(n int) Launch {
			return line(n, 64, noise("u32", n, 1), zeros("f32", 4*n), "i32:8", "f32:0.9")
		}, [4]int{64, 1 << 10, 1 << 15, 1 << 17}),
		sized(&Kernel{
			Name: "nearest", Module: "rays",
			About:   "The nearest of points in a tree, with a private stack.",
			Outputs: []int{3}, reference: nearest,
		}, func(n int) Launch {
			const nodes = 1023
			return line(n, 64, elements("f32", tree()), number("i32", nodes), noise("f32", 2*n, 2),
				zeros("i32", n))
		}, [4]int{64, 1 << 11, 1 << 15, 1 << 17}),
	}
}

// tree is that of kernel nearest.
var tree = sync.OnceValue(func() []float32 { return pointTree(1023) })

// pointTree is a tree of so many points, one less than a power of two: the children of i are 2i+1 and 2i+2,
// those on the left have the smaller coordinates, x and y by turns.
func pointTree(n int) []float32 {
	points := make([][2]float32, n)
	for i := range points {
		points[i] = [2]float32{float32(scrambled(2*i, 9973)) / 9973, float32(scrambled(2*i+1, 9973)) / 9973}
	}
	nodes := make([]float32, 2*n)
	var build func(node, axis int, list [][2]float32)
	build = func(node, axis int, list [][2]float32) {
		if len(list) == 0 {
			return
		}
		slices.SortFunc(list, func(a, b [2]float32) int {
			return cmp.Or(cmp.Compare(a[axis], b[axis]), cmp.Compare(a[1-axis], b[1-axis]))
		})
		middle := len(list) / 2
		copy(nodes[2*node:], list[middle][:])
		build(2*node+1, 1-axis, list[:middle])
		build(2*node+2, 1-axis, list[middle+1:])
	}
	build(0, 0, points)
	return nodes
}

func spheres(l Launch, args [][]byte) error {
	scene, picture := load[float32](args[0]), load[float32](args[2])
	count, zoom := int(value[int32](args[1])), value[float32](args[3])
	w, h := int(l.Global[0]), int(l.Global[1])
	for p := range w * h {
		x, y := p%w, p/w
		from, share := [3]float32{0, 0, -4}, float32(1)
		dir := [3]float32{float32(float32(x-w/2) * zoom), float32(float32(h/2-y) * zoom), 1}
		length := sqrt32(dot3(dir, dir))
		for c := range dir {
			dir[c] /= length
		}
		var colour [3]float32
		for bounce := 0; bounce < 4 && share > 0.05; bounce++ {
			hit, near := -1, float32(1e9)
			for i := range count {
				s := scene[8*i:]
				to := [3]float32{s[0] - from[0], s[1] - from[1], s[2] - from[2]}
				along := dot3(to, dir)
				d2 := float32(s[3]*s[3]) - (dot3(to, to) - float32(along*along))
				if d2 < 0 {
					continue
				}
				if t := along - sqrt32(d2); t > 1e-3 && t < near {
					near, hit = t, i
				}
			}
			if hit < 0 {
				for c, sky := range [3]float32{0.2, 0.3, 0.5} {
					colour[c] += float32(share * sky)
				}
				break
			}
			s := scene[8*hit:]
			var normal [3]float32
			for c := range from {
				from[c] += float32(near * dir[c])
				normal[c] = (from[c] - s[c]) / s[3]
			}
			lit := float32(max(dot3(normal, [3]float32{0.6, 0.64, -0.48}), 0.1) * (1 - s[7]))
			lit = float32(share * lit)
			turn := float32(2 * dot3(dir, normal))
			for c := range colour {
				colour[c] += float32(lit * s[4+c])
				dir[c] -= float32(turn * normal[c])
			}
			share = float32(share * s[7])
		}
		copy(picture[4*p:], []float32{colour[0], colour[1], colour[2], 1})
	}
	return store(args[2], picture)
}

func phong(l Launch, args [][]byte) error {
	normals, out, shininess := load[float32](args[0]), load[float32](args[1]), value[float32](args[2])
	light := normalize32([3]float32{0.3, 0.8, -0.5})
	dark, bright := [3]float32{0.1, 0.1, 0.3}, [3]float32{1, 0.8, 0.6}
	for i := range int(l.items()) {
		n := normalize32([3]float32(normals[3*i:]))
		along := dot3(n, light)
		mirrored := float32(float32(2*along)*n[2]) - light[2]
		shine := pow32(max(-mirrored, 0), shininess)
		for c := range dark {
			colour := mix32(dark[c], bright[c], max(along, 0))
			out[4*i+c] = min(max(colour+shine, 0), 1)
		}
		out[4*i+3] = 1
	}
	return store(args[1], out)
}

func scatter(_ Launch, args [][]byte) error {
	seed, out, albedo := load[uint32](args[0]), load[float32](args[1]), value[float32](args[3])
	for id := range seed {
		s := seed[id] | 1
		next := func(scale float32) float32 {
			s = s*1664525 + 1013904223
			return float32(float32(s>>8) * scale)
		}
		sum := out[4*id : 4*id+4]
		for range value[int32](args[2]) {
			at, dir := [3]float32{0.5, 0.5, 0.5}, [3]float32{0, 0, 1}
			for {
				far := float32(-0.25 * log32(next(0x1p-24)+0x1p-25))
				outside := false
				for c := range at {
					at[c] += float32(far * dir[c])
					outside = outside || at[c] < 0 || at[c] > 1
				}
				if outside {
					for c := range dir {
						sum[c] += dir[c]
					}
					sum[3]++
					break
				}
				if next(0x1p-24) > albedo {
					break
				}
				z := next(0x1p-23) - 1
				turn := next(3.74507e-7)
				r := sqrt32(1 - float32(z*z))
				dir = [3]float32{float32(r * cos32(turn)), float32(r * sin32(turn)), z}
			}
		}
	}
	return store(args[1], out)
}

// nearest compares all points. Points of the tree differ, so that two of one distance are rare; the launches
// have none.
func nearest(_ Launch, args [][]byte) error {
	tree, query, found := load[float32](args[0]), load[float32](args[2]), load[int32](args[3])
	for i := range found {
		least := float32(math.Inf(1))
		for node := range int(value[int32](args[1])) {
			dx, dy := tree[2*node]-query[2*i], tree[2*node+1]-query[2*i+1]
			if d := float32(dx*dx) + float32(dy*dy); d < least {
				least, found[i] = d, int32(node)
			}
		}
	}
	return store(args[3], found)
}
