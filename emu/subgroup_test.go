package emu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// lanesOf is a sub-group: its maximum size, how many lanes exist, those that
// run, and their values.
type lanesOf struct {
	size, n int
	run     []int
	x       []uint32
}

// at returns the value of a lane, 0 if it does not run.
func (s *lanesOf) at(lane int) uint32 {
	if !slices.Contains(s.run, lane) {
		return 0
	}
	return s.x[lane]
}

// shuffled returns what the kernel shuffles stores for a lane.
func (s *lanesOf) shuffled(me int, l uint32) []uint32 {
	to := int(min(l, 1<<20))
	runs := func(lane int) bool { return slices.Contains(s.run, lane) }
	// window is an index into two operands, of which x is the one and x + 1000 the other.
	window := func(i int, first uint32) uint32 {
		switch {
		case i >= 0 && i < s.size && runs(i):
			return s.x[i] + first
		case i >= s.size && i < 2*s.size && runs(i-s.size):
			return s.x[i-s.size] + 1000 - first
		}
		return 0
	}
	vector := s.at(to) * 2
	if runs(to) {
		vector += 7
	}
	return []uint32{s.at(to), window(me+to, 0), window(me-to+s.size, 1000), s.at(me ^ to), vector, s.at(to), s.at(to) << 8, s.at(to) & 0xffff}
}

// nonuniform returns what the kernel of that name stores.
func (s *lanesOf) nonuniform(me int, l uint32) []uint32 {
	flag := func(b bool) uint32 {
		if b {
			return 1
		}
		return 0
	}
	all, any := true, false
	var sum, exclusive, clustered, ballot, count uint32
	inclusive := int32(math.MaxInt32)
	for _, i := range s.run {
		x := s.x[i]
		all, any = all && x&1 != 0, any || x&1 != 0
		sum += x
		if i <= me {
			inclusive = min(inclusive, int32(x))
		}
		if i < me {
			exclusive ^= x
		}
		if i/4 == me/4 {
			clustered = max(clustered, x)
		}
		if x&1 != 0 {
			count++
			if i < 32 {
				ballot |= 1 << i
			}
		}
	}
	return []uint32{flag(me == s.run[0]), flag(all), flag(any), sum, uint32(inclusive), exclusive, ballot, count, s.x[s.run[0]], s.at(int(min(l, 1<<20))), s.at(me + 1), clustered}
}

// uniform returns the parts that the kernels of sub-groups and work-groups share.
func (s *lanesOf) uniform(me, from int) []uint32 {
	var sum, inclusive, exclusive, three uint32
	all := uint32(1)
	for i, x := range s.x {
		sum += x
		if i <= me {
			inclusive = max(inclusive, x)
		}
		if i < me {
			exclusive += x
		}
		if x == 3 {
			three = 1
		}
		if x >= 100 {
			all = 0
		}
	}
	return []uint32{sum, inclusive, exclusive, three, all, s.x[from]}
}

// TestSubgroups runs kernels that clang made, with random work-items, and
// compares every result at several sub-group sizes and widths of waves.
func TestSubgroups(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for _, size := range []int{1, 4, 8, 32, 128} {
		for _, waves := range []int{size, 2 * size, 0} {
			d := device(t, emu.DeviceOptions{SubgroupSize: size, WaveLanes: waves})
			for _, level := range []string{"O0", "O2"} {
				p := program(t, d, "subgroups/"+level)
				local := []int{3, 24, 64, 150}[r.IntN(4)]
				n := 2 * local
				in, lane, runs := make([]uint32, n), make([]uint32, n), make([]uint32, n)
				for i := range n {
					in[i], lane[i], runs[i] = uint32(r.IntN(110)), uint32(r.IntN(size+1)), uint32(r.IntN(4)&1|r.IntN(2))
				}
				name := fmt.Sprintf("%s, sub-groups of %d, waves of %d, work-groups of %d", level, size, waves, local)
				run := func(k string, stride int, want func(s *lanesOf, g, me int, l uint32) []uint32, masked bool) {
					t.Helper()
					out := buffer(t, d, make([]uint32, n*stride)...)
					args := []emu.Arg{out, buffer(t, d, in...)}
					if masked {
						args = append(args, buffer(t, d, lane...), buffer(t, d, runs...))
					}
					if _, err := kernel(t, p, k).Run(context.Background(), sized(uint64(n), uint64(local)), args...); err != nil {
						t.Fatalf("%s, %s: %v", name, k, err)
					}
					got := contents[uint32](t, out)
					for id := range n {
						if masked && runs[id] == 0 {
							continue
						}
						first := id/local*local + id%local/size*size
						last := min(first+size, (id/local+1)*local)
						s := &lanesOf{size: size, n: last - first, x: in[first:last]}
						for i := first; i < last; i++ {
							if !masked || runs[i] != 0 {
								s.run = append(s.run, i-first)
							}
						}
						w := want(s, id/local, id-first, lane[id])
						if g := got[id*stride:][:len(w)]; !slices.Equal(g, w) {
							t.Errorf("%s, %s: work-item %d has %d, want %d", name, k, id, g, w)
							return
						}
					}
				}
				run("shuffles", 8, func(s *lanesOf, _, me int, l uint32) []uint32 { return s.shuffled(me, l) }, true)
				run("nonuniform", 12, func(s *lanesOf, _, me int, l uint32) []uint32 { return s.nonuniform(me, l) }, true)
				run("uniform_sub", 8, func(s *lanesOf, _, me int, _ uint32) []uint32 {
					w := s.uniform(me, 0)
					return append(w, math.Float32bits(float32(slices.Min(s.x))), uint32(s.n*1000+me))
				}, false)
				seen := map[int]int{}
				run("uniform_work", 7, func(_ *lanesOf, g, _ int, _ uint32) []uint32 {
					me := seen[g]
					seen[g]++
					s := &lanesOf{x: in[g*local:][:local]}
					return append(s.uniform(me, 2), math.Float32bits(floatScan(s.x, size, me)))
				}, false)
			}
		}
	}
}

// floatScan is the inclusive scan of a work-group in its documented order: within
// the sub-groups, then over the sums of those before, which are made by halves.
func floatScan(x []uint32, size, me int) float32 {
	sum := func(x []uint32) float32 {
		acc := float32(x[0]) * 0.1
		for _, v := range x[1:] {
			acc += float32(float32(v) * 0.1)
		}
		return acc
	}
	whole := func(x []uint32) float32 {
		v := make([]float32, size)
		for i := range v {
			v[i] = float32(x[i]) * 0.1
		}
		for n := size / 2; n > 0; n /= 2 {
			for i := range n {
				v[i] += v[i+n]
			}
		}
		return v[0]
	}
	own := sum(x[me/size*size : me+1])
	if me < size {
		return own
	}
	before := whole(x[:size])
	for s := 1; s < me/size; s++ {
		before += whole(x[s*size:][:size])
	}
	return before + own
}

// TestBlocks reads and writes blocks of buffers.
func TestBlocks(t *testing.T) {
	for _, size := range []int{4, 16, 64, 128} {
		for _, waves := range []int{size, 2 * size, 0} {
			d := device(t, emu.DeviceOptions{SubgroupSize: size, WaveLanes: waves})
			for _, level := range []string{"O0", "O2"} {
				p := program(t, d, "subgroups/"+level)
				n := 4 * size
				in, short := make([]uint32, n*4), make([]uint16, n*8)
				for i := range in {
					in[i] = uint32(bits.Reverse32(uint32(i)))
				}
				for i := range short {
					short[i] = uint16(i * 7)
				}
				out, outShort := buffer(t, d, make([]uint32, len(in))...), buffer(t, d, make([]uint16, len(short))...)
				for name, args := range map[string][]emu.Arg{"blocks": {out, buffer(t, d, in...)}, "blocks_short": {outShort, buffer(t, d, short...)}} {
					l := emu.Launch{Kernel: kernel(t, p, name), Range: sized(uint64(n), uint64(2*size)), Args: args, Check: true}
					if _, err := l.Run(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				for i, v := range contents[uint32](t, out) {
					if want := in[i]*2 + uint32(i/size%4); v != want {
						t.Fatalf("%s, sub-groups of %d, waves of %d: element %d is %#x, want %#x", level, size, waves, i, v, want)
					}
				}
				for i, v := range contents[uint16](t, outShort) {
					if want := short[i] + uint16(i/size%8); v != want {
						t.Fatalf("%s, sub-groups of %d, waves of %d: short %d is %d, want %d", level, size, waves, i, v, want)
					}
				}
			}
		}
	}
}

// TestSubgroupFindings provokes what is undefined: the finding where checks
// are on, and the documented result where they are off.
func TestSubgroupFindings(t *testing.T) {
	const size = 4
	out := func(t *testing.T, d *emu.Device) *emu.Buffer { return buffer(t, d, make([]uint32, 2*size)...) }
	for _, c := range []struct {
		name, kernel string
		code         finding.Code
		local        uint64
		more         func(t *testing.T, d *emu.Device) []emu.Arg
		always       bool     // found without checks as well
		want         []uint32 // without checks
	}{
		{"lane-absent", "lane_absent", finding.ShuffleLane, 8, nil, false, []uint32{7, 7, 7, 0, 7, 7, 7, 0}},
		{"lane-partial", "lane_range", finding.ShuffleLane, 6, func(*testing.T, *emu.Device) []emu.Arg { return []emu.Arg{emu.Value(uint32(3))} }, false,
			[]uint32{10, 10, 10, 10, 7, 7, 0, 0}},
		{"lane-range", "lane_range", finding.ShuffleIndex, 8, func(*testing.T, *emu.Device) []emu.Arg { return []emu.Arg{emu.Value(uint32(4))} }, false,
			[]uint32{7, 7, 7, 7, 7, 7, 7, 7}},
		{"window-range", "window_range", finding.ShuffleIndex, 8, func(*testing.T, *emu.Device) []emu.Arg { return []emu.Arg{emu.Value(uint32(6))} }, false,
			[]uint32{7, 7, 8, 9, 7, 7, 8, 9}}, // the first two are outside
		{"sub-diverged", "sub_diverged", finding.GroupDiverged, 8, nil, false, []uint32{2, 2, 0, 0, 2, 2, 0, 0}},
		{"work-diverged", "work_diverged", finding.GroupDiverged, 8, nil, true, nil},
		{"work-ended", "work_ended", finding.GroupDiverged, 8, nil, true, nil},
		{"broadcast-differs", "broadcast_differs", finding.GroupUniform, 8, nil, false, []uint32{7, 8, 9, 10, 7, 8, 9, 10}},
		{"item-range", "item_range", finding.ShuffleIndex, 6, func(*testing.T, *emu.Device) []emu.Arg { return []emu.Arg{emu.Value(uint32(6))} }, false,
			[]uint32{7, 7, 7, 7, 7, 7, 0, 0}},
		{"block-diverged", "block_diverged", finding.BlockDiverged, 8, func(t *testing.T, d *emu.Device) []emu.Arg { return []emu.Arg{buffer[uint32](t, d, 1, 2, 3, 4)} }, false,
			[]uint32{8, 0, 10, 11, 8, 0, 10, 11}},
		{"block-partial", "block_read", finding.BlockPartial, 6, func(t *testing.T, d *emu.Device) []emu.Arg {
			return []emu.Arg{buffer[uint16](t, d, 1, 2, 3, 4), emu.Value(uint32(0))}
		}, false, []uint32{8, 9, 10, 11, 8, 9, 0, 0}},
		{"block-read-align", "block_read", finding.BlockAlign, 8, func(t *testing.T, d *emu.Device) []emu.Arg {
			return []emu.Arg{buffer[uint16](t, d, 1, 2, 3, 4, 5), emu.Value(uint32(1))}
		}, false, []uint32{9, 10, 11, 12, 9, 10, 11, 12}},
		{"block-write-align", "block_write", finding.BlockAlign, 8, func(*testing.T, *emu.Device) []emu.Arg { return []emu.Arg{emu.Value(uint32(2))} }, false,
			[]uint32{0, 0, 7, 7, 7, 7, 0, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, waves := range []int{size, 0} {
				for _, check := range []bool{true, false} {
					d := device(t, emu.DeviceOptions{SubgroupSize: size, WaveLanes: waves})
					l := emu.Launch{Kernel: kernel(t, program(t, d, "subgroups/O2"), c.kernel), Range: sized(c.local, c.local), Check: check}
					b := out(t, d)
					l.Args = []emu.Arg{b}
					if c.more != nil {
						l.Args = append(l.Args, c.more(t, d)...)
					}
					res, err := l.Run(context.Background())
					var fe *emu.FindingsError
					if check || c.always {
						if !errors.As(err, &fe) || res == nil || res.Findings.Findings[0].Code != c.code {
							t.Fatalf("waves of %d, check %t: error %v, want %s", waves, check, err, c.code)
						}
						if waves != 0 {
							continue // a finding ends its wave, so counts differ
						}
						golden(t, "subgroups/"+c.name+map[bool]string{true: "", false: "-unchecked"}[check]+".txt", res.Findings.Text())
						continue
					}
					if err != nil {
						t.Fatalf("waves of %d: %v", waves, err)
					}
					if got := contents[uint32](t, b); !slices.Equal(got, c.want) {
						t.Errorf("waves of %d: %d, want %d", waves, got, c.want)
					}
				}
			}
		})
	}
}
