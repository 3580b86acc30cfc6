package kernels

import (
	"encoding/binary"
	"math"
	"slices"
)

// languageKernels exercise types, address spaces, calls and work-item functions
// of OpenCL C.
func languageKernels() []*Kernel {
	return []*Kernel{
		{
			Name: "structs", Module: "structs", Entry: "structs",
			About: "Structures by value and by pointer, nested, packed, with unions, through calls.",
			Launch: Launch{Global: []uint64{48}, Local: []uint64{16},
				Args: []string{"rand:u32:48:3:0:100000", "i32:3,i8:-2,f32:0.5,f32:1.25,f64:2.5",
					"zero:u8:1920", "zero:u8:336", "zero:i64:48"}},
			Outputs:   []int{2, 3, 4},
			reference: structs,
		},
		{
			Name: "ids3d", Module: "ids3d", Entry: "ids3d",
			About: "Work-item functions in three dimensions with offsets and equal work-groups.",
			Launch: Launch{Global: []uint64{6, 4, 4}, Local: []uint64{3, 2, 2}, Offset: []uint64{10, 0, 7},
				Args: []string{"zero:u32:2304"}},
			Outputs:   []int{0},
			reference: ids3d,
		},
		{
			Name: "ids3d_partial", Module: "ids3d", Entry: "ids3d",
			About: "Work-item functions in three dimensions with smaller work-groups at every end.",
			Launch: Launch{Global: []uint64{7, 5, 3}, Local: []uint64{4, 2, 2}, Offset: []uint64{100, 3, 0},
				Args: []string{"zero:u32:2520"}},
			Outputs:   []int{0},
			reference: ids3d,
		},
		{
			Name: "ids3d_line", Module: "ids3d", Entry: "ids3d",
			About: "Work-item functions of a launch in one dimension with a smaller last work-group.",
			Launch: Launch{Global: []uint64{77}, Local: []uint64{20},
				Args: []string{"zero:u32:1848"}},
			Outputs:   []int{0},
			reference: ids3d,
		},
		{
			Name: "ids", Module: "ids", Entry: "ids",
			About: "Work-item functions of a dimension that is data.",
			Launch: Launch{Global: []uint64{6, 4, 2}, Local: []uint64{2, 4, 1}, Offset: []uint64{1, 2, 3},
				Args: []string{"zero:u32:192", "buf:u32:0,2,1,0"}},
			Outputs: []int{0},
			reference: func(l Launch, args [][]byte) error {
				out, dims := load[uint32](args[0]), load[uint32](args[1])
				l.each(func(i int, w workItem) {
					d := dims[i&3]
					out[4*i] = w.global[d]*100 + w.local[d]
					out[4*i+1] = w.group[d]*100 + w.groups[d]
					out[4*i+2] = w.globalSize[d]*100 + w.localSize[d]
					out[4*i+3] = w.offset[d]*10 + 3
				})
				return store(args[0], out)
			},
		},
		{
			Name: "generic_space", Module: "generic", Entry: "generic_space",
			About: "Generic pointers whose address space depends on the lane, pointers to pointers.",
			Launch: Launch{Global: []uint64{48}, Local: []uint64{12},
				Args: []string{"rand:u32:48:4", "zero:u32:48", "local:48"}},
			Outputs:   []int{1},
			reference: genericSpace,
		},
		{
			Name: "list_walk", Module: "lists", Entry: "list_walk",
			About: "Linked lists walked by generic pointers that a function advances.",
			Launch: Launch{Global: []uint64{40}, Local: []uint64{8},
				Args: []string{"rand:u32:64:11:0:31", "rand:u32:40:12:0:31", "zero:u32:40", "u32:20"}},
			Outputs: []int{2},
			reference: func(_ Launch, args [][]byte) error {
				nodes, heads, out := load[uint32](args[0]), load[uint32](args[1]), load[uint32](args[2])
				for i, at := range heads {
					out[i] = 0
					for k := uint32(0); k < value[uint32](args[3]) && nodes[2*at+1] != 0; k++ {
						out[i] = out[i]*31 + nodes[2*at+1]
						at = nodes[2*at]
					}
				}
				return store(args[2], out)
			},
		},
		{
			Name: "constants", Module: "programscope", Entry: "constants",
			About: "Program-scope constants: arrays, structures, and pointers to them.",
			Launch: Launch{Global: []uint64{40}, Local: []uint64{8},
				Args: []string{"rand:u32:40:1", "zero:i32:40"}},
			Outputs: []int{1},
			reference: func(_ Launch, args [][]byte) error {
				in, out := load[uint32](args[0]), load[int32](args[1])
				primes := [8]int32{2, 3, 5, 7, 11, 13, 17, 19}
				letter, weight, second := [3]int32{'a', 'b', 'c'}, [3]int32{150, -225, 0}, [3]int32{2, 4, 6}
				for i, v := range in {
					r := primes[v&7] + second[v%3]*letter[v%3]
					r ^= primes[2+3*(v&1)+v%3]
					out[i] = r*16 + int32("lockstep"[v&7]) + weight[(v>>4)%3]
				}
				return store(args[1], out)
			},
		},
		{
			Name: "variables", Module: "programscope", Entry: "variables",
			About: "Program-scope variables with initial values, one of them the address of another.",
			Launch: Launch{Global: []uint64{16}, Local: []uint64{16},
				Args: []string{"zero:u32:16"}},
			Outputs: []int{0},
			reference: func(l Launch, args [][]byte) error {
				out := load[uint32](args[0])
				counter := uint32(100)
				for i := range out {
					counter += uint32(i)
				}
				history := [4]uint32{1, 12, 23, 30}
				for i := range out {
					out[i] = counter*1000 + history[i&3] + history[1]
				}
				return store(args[0], out)
			},
		},
		{
			Name: "privates", Module: "privates", Entry: "privates",
			About: "Private arrays with dynamic indices: a heap, a matrix of structures, a ring.",
			Launch: Launch{Global: []uint64{32}, Local: []uint64{16},
				Args: []string{"rand:i32:512:9", "zero:i32:512", "zero:i32:32"}},
			Outputs:   []int{1, 2},
			reference: privates,
		},
		{
			Name: "calls", Module: "calls", Entry: "calls",
			About: "Deep chains of calls, many arguments, results through pointers, calls under masks.",
			Launch: Launch{Global: []uint64{64}, Local: []uint64{32},
				Args: []string{"rand:i32:64:2", "zero:i32:64", "zero:i64:64"}},
			Outputs:   []int{1, 2},
			reference: calls,
		},
	}
}

// workItem holds what the work-item functions give in each dimension.
type workItem struct {
	global, local, group, groups, globalSize, localSize, enqueued, offset [3]uint32
}

// each calls f for every work-item with its global linear id.
func (l Launch) each(f func(linear int, w workItem)) {
	size, local, offset := [3]uint64{1, 1, 1}, [3]uint64{1, 1, 1}, [3]uint64{}
	copy(size[:], l.Global)
	copy(local[:], l.Local)
	copy(offset[:], l.Offset)
	linear := 0
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				var w workItem
				for d, at := range [3]uint64{x, y, z} {
					w.global[d] = uint32(at + offset[d])
					w.local[d] = uint32(at % local[d])
					w.group[d] = uint32(at / local[d])
					w.groups[d] = uint32((size[d] + local[d] - 1) / local[d])
					w.globalSize[d] = uint32(size[d])
					w.localSize[d] = uint32(min(local[d], size[d]-at/local[d]*local[d]))
					w.enqueued[d] = uint32(local[d])
					w.offset[d] = uint32(offset[d])
				}
				f(linear, w)
				linear++
			}
		}
	}
}

func ids3d(l Launch, args [][]byte) error {
	out := load[uint32](args[0])
	l.each(func(i int, w workItem) {
		o := out[:0:0]
		for d := range 3 {
			o = append(o, w.global[d], w.local[d], w.group[d], w.localSize[d], w.enqueued[d], w.groups[d],
				w.globalSize[d]+w.offset[d]*1000)
		}
		o = append(o, (w.local[2]*w.localSize[1]+w.local[1])*w.localSize[0]+w.local[0], uint32(len(l.Global)), uint32(i))
		copy(out[24*i:], o)
	})
	return store(args[0], out)
}

// structs follows the kernel with the structures laid out by hand.
func structs(l Launch, args [][]byte) error {
	seeds, o := load[uint32](args[0]), args[1]
	le := binary.LittleEndian
	scale, sign := int32(le.Uint32(o)), int8(o[4])
	originX, originY := math.Float32frombits(le.Uint32(o[8:])), math.Float32frombits(le.Uint32(o[12:]))
	weight := math.Float64frombits(le.Uint64(o[16:]))

	type shape struct {
		kind   uint8
		corner [2][2]float32
		id     uint16
		bits   uint32
		total  int64
	}
	build := func(seed uint32) shape {
		s := shape{kind: uint8(seed % 3), id: uint16(seed * 7)}
		for i := range s.corner {
			s.corner[i][0] = float32(seed%17) + float32(i) + float32(originX*float32(scale))
			s.corner[i][1] = float32(seed%23) - float32(i) + float32(originY*float32(sign))
		}
		switch s.kind {
		case 0:
			s.bits = seed * 0x01010101
		case 1:
			s.bits = f32bits(float32(seed) * 0.5)
		default:
			for i := range uint32(4) {
				s.bits |= (seed + i*50) & 0xff << (8 * i)
			}
		}
		s.total = int64(seed)*int64(scale) + int64(weight*4)
		return s
	}
	sumOf := func(s shape) int64 {
		return s.total + int64(s.bits) + int64(s.id) + int64(s.corner[0][0]-s.corner[1][1])
	}
	for i := range l.items() {
		a, b := build(seeds[i]), build(seeds[i]/3+1)
		sum := sumOf(a) + sumOf(b)

		out := args[2][40*i:]
		out[0] = a.kind
		for k, v := range []float32{a.corner[1][0], a.corner[1][1], b.corner[0][0], b.corner[0][1]} {
			le.PutUint32(out[4+4*k:], f32bits(v))
		}
		le.PutUint16(out[20:], b.id)
		le.PutUint32(out[24:], a.bits)
		le.PutUint64(out[32:], uint64(sum))

		record := args[3][7*i:]
		record[0] = b.kind + 1
		le.PutUint32(record[1:], a.bits^b.bits)
		le.PutUint16(record[5:], a.id)

		le.PutUint64(args[4][8*i:], uint64(sum-int64(a.bits^b.bits)))
	}
	return nil
}

func genericSpace(l Launch, args [][]byte) error {
	g, out := load[uint32](args[0]), load[uint32](args[1])
	n := int(l.Local[0])
	for i := range out {
		lid, first := uint32(i%n), i/n*n
		p := [4]uint32{lid, lid + 1, lid * 2, 9}
		any, added := p[:], uint32(0)
		switch lid % 3 {
		case 1:
			any, added = g[first:first+4], 1
		case 2:
			any = g[first : first+4]
		}
		var s uint32
		for _, v := range any {
			s = s*3 + v + added
		}
		table := [3]int{0, 1, 2}
		a, b := lid%3, (lid+1)%3
		table[a], table[b] = table[b], table[a]
		for _, k := range table {
			s = s*7 + p[k]
		}
		p[table[lid&1]] = s ^ 0x55
		s += p[0] + p[1]*2 + p[2]*4
		for _, space := range []uint32{1, 0, 2} {
			s *= 2
			if lid%3 == space {
				s++
			}
		}
		out[i] = s
	}
	return store(args[1], out)
}

func privates(l Launch, args [][]byte) error {
	in, sorted, out := load[int32](args[0]), load[int32](args[1]), load[int32](args[2])
	for i := range l.items() {
		v := in[16*i : 16*i+16]
		order := sorted[16*i : 16*i+16]
		copy(order, v)
		slices.Sort(order)

		var weight [15]int16
		for k := range weight {
			weight[k] = int16(v[k] >> 3)
		}
		y, x := int(v[0]&0x7fff)%3, int(v[1]&0x7fff)%5
		var sum uint32
		for range 12 {
			w := weight[5*y+x]
			sum = sum*5 + uint32(int32(w)^int32(y*100+x))
			weight[5*y+x]++
			y, x = (y+1+int(w&1))%3, (x+2)%5
		}

		var ring []int8
		for k, v := range v {
			if v&1 == 1 && len(ring) < 7 {
				ring = append(ring, int8(v>>8))
			} else if len(ring) > 0 {
				sum += uint32(int32(ring[0]) * int32(k+1))
				ring = ring[1:]
			}
		}
		out[i] = int32(sum*8 + uint32(len(ring)))
	}
	if err := store(args[1], sorted); err != nil {
		return err
	}
	return store(args[2], out)
}

func calls(l Launch, args [][]byte) error {
	in, out, wide := load[int32](args[0]), load[int32](args[1]), load[int64](args[2])
	level0 := func(a, b int32) int32 { return a*3 - b }
	level2 := func(a, b int32) int32 {
		if a&1 == 1 {
			return level0(a+1, b) ^ level0(b, a)
		}
		return level0(b, a) + 7
	}
	level3 := func(a, b int32) (s int32) {
		for i := range b&3 + 1 {
			s += level2((a+i)&0xff, b)
		}
		return s & 0xfff
	}
	level5 := func(a, b int32) int32 { return (level3(a, b)+level3(b&0xff, a&7))&0xff*2 + 1 }
	level7 := func(a, b int32) int32 {
		if a > 128 {
			a -= 128
			return -level5(level5(a, b), a&15)
		}
		return level5(level5(a, b), a&15)
	}
	for i := range l.items() {
		v := in[i]
		divisor := int32(i%7) + 1
		q, r := v/divisor, v%divisor
		s := level7(v&0xff, r)
		if s&2 != 0 {
			by := q
			if by == 0 {
				by = 1
			}
			s = s/by*10 + s%by
		}
		out[i] = s
		wide[i] = int64(int8(v)) + 2*int64(uint8(v)) + 3*int64(int16(v)) + 4*int64(uint16(v)) + 5*int64(v) +
			6*int64(uint32(v)) + 7*int64(v) + 8*int64(uint32(v)) + int64(v&0xffff) + int64(v) - int64(v>>1)
		if v > 0 {
			wide[i]++
		}
	}
	if err := store(args[1], out); err != nil {
		return err
	}
	return store(args[2], wide)
}
