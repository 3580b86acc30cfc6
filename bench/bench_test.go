package bench

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
)

// workloads lists the workloads or ends the test.
func workloads(t testing.TB) []*Workload {
	t.Helper()
	list, err := Workloads()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// open makes a session that the test's end closes.
func open(t testing.TB, k *kernels.Kernel, l kernels.Launch, opt emu.DeviceOptions) *Session {
	t.Helper()
	s, err := Open(k, l, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// run launches once.
func run(t testing.TB, s *Session) *emu.Result {
	t.Helper()
	result, _, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// references gives the buffers that the kernel must leave.
func references(k *kernels.Kernel, l kernels.Launch) ([][]byte, error) {
	args, err := ParseArgs(l)
	if err != nil {
		return nil, err
	}
	contents := make([][]byte, len(args))
	for i, a := range args {
		contents[i] = slices.Clone(a.Data)
	}
	if err := k.Reference(l, contents); err != nil {
		return nil, err
	}
	var out [][]byte
	for _, i := range k.Outputs {
		out = append(out, contents[i])
	}
	return out, nil
}

// reference is references in a test.
func reference(t *testing.T, k *kernels.Kernel, l kernels.Launch) [][]byte {
	t.Helper()
	out, err := references(k, l)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestResults holds that what is timed is also right: the small launches leave
// the bits of the references, and leave them again after a reset.
func TestResults(t *testing.T) {
	for _, w := range workloads(t) {
		if w.Set == Fields && testing.Short() {
			continue // TestFields has smaller launches of them
		}
		t.Run(w.Name(), func(t *testing.T) {
			want := reference(t, w.Kernel, w.Small)
			s := open(t, w.Kernel, w.Small, emu.DeviceOptions{})
			for round := range 2 {
				if err := s.Reset(); err != nil {
					t.Fatal(err)
				}
				run(t, s)
				got, err := s.Outputs()
				if err != nil {
					t.Fatal(err)
				}
				for i := range want {
					if !bytes.Equal(got[i], want[i]) {
						t.Errorf("round %d: argument %d differs from the reference", round, w.Kernel.Outputs[i])
					}
				}
			}
		})
	}
}

// TestLaunches holds that every launch fits its kernel, the sizes that are too
// slow for a test included.
func TestLaunches(t *testing.T) {
	for _, w := range workloads(t) {
		small, normal, large := items(w.Small), items(w.Default), items(w.Large)
		if small >= normal || normal > large {
			t.Errorf("%s: %d, %d and %d work-items do not grow", w.Name(), small, normal, large)
		}
		for _, l := range []kernels.Launch{w.Small, w.Default, w.Large} {
			for d := range l.Global {
				if l.Global[d]%l.Local[d] != 0 {
					t.Errorf("%s: %d work-items in groups of %d", w.Name(), l.Global[d], l.Local[d])
				}
			}
		}
	}
}

// TestCompileTimes holds that each engine compiles as often as it is asked to.
func TestCompileTimes(t *testing.T) {
	k := kernels.Find("saxpy")
	for _, engine := range emu.Engines()[1:] {
		times, err := CompileTimes(k, engine, 3)
		if err != nil || len(times) != 3 || slices.Min(times) <= 0 {
			t.Errorf("%s: %v, %v", engine, times, err)
		}
	}
	if _, err := CompileTimes(k, "steam", 1); err == nil {
		t.Error("no error for an engine that is not there")
	}
}

// TestOpenRefuses holds that arguments which do not parse are an error.
func TestOpenRefuses(t *testing.T) {
	k := kernels.Find("saxpy")
	l := Saxpy(256)
	l.Args[1] = "rand:f32:many:1"
	if _, err := Open(k, l, emu.DeviceOptions{}); err == nil {
		t.Error("no error for an argument that does not parse")
	}
}

func items(l kernels.Launch) uint64 {
	n := uint64(1)
	for _, g := range l.Global {
		n *= g
	}
	return n
}

// BenchmarkGroupSum is the time of sums over work-groups of one element a work-item, so
// that the sum itself is what takes it: by a tree in local memory with a barrier at
// each level, by a reduction in each sub-group, and by shuffles.
func BenchmarkGroupSum(b *testing.B) {
	const n = 1 << 22
	for _, name := range []string{"reduce_u32", "sg_reduce", "sg_reduce_shuffle"} {
		b.Run(name, func(b *testing.B) {
			l := reduce(n, n)
			measure(b, open(b, kernels.Find(name), l, emu.DeviceOptions{}), l)
		})
	}
}

// measure runs the session as a benchmark.
func measure(b *testing.B, s *Session, l kernels.Launch) {
	b.Helper()
	result := run(b, s)
	for b.Loop() {
		run(b, s)
	}
	seconds := b.Elapsed().Seconds()
	b.ReportMetric(float64(result.Counters.LaneOps)*float64(b.N)/seconds/1e9, "Glaneops/s")
	b.ReportMetric(seconds*1e9/float64(b.N)/float64(items(l)), "ns/lane")
}

// BenchmarkKernel is the kernel time of the large launches.
func BenchmarkKernel(b *testing.B) {
	for _, w := range workloads(b) {
		b.Run(w.Name(), func(b *testing.B) {
			measure(b, open(b, w.Kernel, w.Large, emu.DeviceOptions{}), w.Large)
		})
	}
}

// BenchmarkEngine is the same kernels on each engine, with one worker.
func BenchmarkEngine(b *testing.B) {
	for _, w := range workloads(b) {
		for _, engine := range emu.Engines()[1:] {
			b.Run(w.Name()+"/"+engine, func(b *testing.B) {
				measure(b, open(b, w.Kernel, w.Large, emu.DeviceOptions{Engine: engine, Workers: 1}), w.Large)
			})
		}
	}
}

// BenchmarkWorkers is the same kernels with one worker, and with one for each CPU.
func BenchmarkWorkers(b *testing.B) {
	for _, w := range workloads(b) {
		for _, workers := range slices.Compact([]int{1, runtime.NumCPU()}) {
			b.Run(fmt.Sprintf("%s/%d", w.Name(), workers), func(b *testing.B) {
				measure(b, open(b, w.Kernel, w.Large, emu.DeviceOptions{Workers: workers}), w.Large)
			})
		}
	}
}

// TestTileCopy holds that Go's copies do what kernel tiles2d does.
func TestTileCopy(t *testing.T) {
	const across, down = 3, 2
	k, l := kernels.Find("tiles2d"), Tiles(across, down)
	s := open(t, k, l, emu.DeviceOptions{})
	run(t, s)
	got, err := s.Outputs()
	if err != nil {
		t.Fatal(err)
	}
	in := s.args[0].Data
	for name, do := range map[string]func(*TileCopy){"lines": (*TileCopy).Lines, "blocks": (*TileCopy).Blocks} {
		c := &TileCopy{In: in, Out: make([]byte, len(in)), Across: across}
		do(c)
		if !bytes.Equal(c.Out, got[0]) || !bytes.Equal(c.Out, in) {
			t.Errorf("copying by %s: not the kernel's result", name)
		}
	}
}

// TestPipelined holds that what is compared computes the same: the bits of the
// plain kernel and of the pipelined ones are equal.
func TestPipelined(t *testing.T) {
	const n = 48
	want := reference(t, kernels.Find("matmul"), Matmul(n))
	for _, name := range Pipelined {
		s := open(t, kernels.Find(name), Product(n), emu.DeviceOptions{})
		run(t, s)
		got, err := s.Outputs()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got[0], want[0]) {
			t.Errorf("%s differs from matmul", name)
		}
	}
}

// BenchmarkTiles is the copying of 64 KiB tiles by kernel tiles2d and by Go.
func BenchmarkTiles(b *testing.B) {
	const across, down = 16, 16
	l := Tiles(across, down)
	s := open(b, kernels.Find("tiles2d"), l, emu.DeviceOptions{Workers: 1})
	b.Run("lockstep", func(b *testing.B) {
		b.SetBytes(2 * across * down * TileBytes)
		for b.Loop() {
			run(b, s)
		}
	})
	in := s.args[0].Data
	c := &TileCopy{In: in, Out: make([]byte, len(in)), Across: across}
	for _, by := range []struct {
		name string
		do   func()
	}{{"lines", c.Lines}, {"blocks", c.Blocks}} {
		b.Run("go-"+by.name, func(b *testing.B) {
			b.SetBytes(2 * across * down * TileBytes)
			for b.Loop() {
				by.do()
			}
		})
	}
}

// BenchmarkProduct is the plain matrix product and the pipelined ones.
func BenchmarkProduct(b *testing.B) {
	const n = 512
	b.Run("matmul", func(b *testing.B) {
		measure(b, open(b, kernels.Find("matmul"), Matmul(n), emu.DeviceOptions{Workers: 1}), Matmul(n))
	})
	for _, name := range Pipelined {
		b.Run(name, func(b *testing.B) {
			measure(b, open(b, kernels.Find(name), Product(n), emu.DeviceOptions{Workers: 1}), Product(n))
		})
	}
}

// BenchmarkScaling is the time for a lane at growing numbers of them.
func BenchmarkScaling(b *testing.B) {
	k := kernels.Find("inthash")
	for exponent := MinScale; exponent <= MaxScale; exponent++ {
		b.Run(fmt.Sprintf("2^%d", exponent), func(b *testing.B) {
			l := ScaleLaunch(exponent)
			measure(b, open(b, k, l, emu.DeviceOptions{}), l)
		})
	}
}

// BenchmarkLaunch is what one launch costs by itself.
func BenchmarkLaunch(b *testing.B) {
	s := open(b, kernels.Find("empty"), Empty(), emu.DeviceOptions{})
	b.ReportAllocs()
	for b.Loop() {
		run(b, s)
	}
}

// BenchmarkBuild is the time from a module to a kernel.
func BenchmarkBuild(b *testing.B) {
	d, err := emu.NewDevice(emu.DeviceOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	for _, w := range workloads(b) {
		b.Run(w.Name(), func(b *testing.B) {
			module, err := w.Kernel.Binary(Variant)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p, err := d.NewProgram(module.Code, emu.ProgramOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if err := p.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
