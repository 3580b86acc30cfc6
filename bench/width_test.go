package bench

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// pressed is a launch of such a kernel.
type pressed struct {
	device *emu.Device
	launch emu.Launch
	out    *emu.Buffer
}

// openPressure makes a launch of so many work-items with so many trips each.
func openPressure(t testing.TB, p pressure, items, local, trips int, opt emu.DeviceOptions) *pressed {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	module, err := asm.Assemble(p.assembly(), asm.Options{})
	must(err)
	d, err := emu.NewDevice(opt)
	must(err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	program, err := d.NewProgram(module, emu.ProgramOptions{})
	must(err)
	k, err := program.Kernel("pressure")
	must(err)
	values := make([]float32, p.live+local)
	for i := range values {
		values[i] = 1 / float32(i+3)
	}
	in, err := d.NewBuffer(uint64(4*len(values)), emu.BufferOptions{})
	must(err)
	must(emu.Write(in, 0, values))
	out, err := d.NewBuffer(uint64(4*items), emu.BufferOptions{})
	must(err)
	return &pressed{d, emu.Launch{Kernel: k, Args: []emu.Arg{in, out, emu.Value(uint32(trips))},
		Range: emu.NDRange{Global: []uint64{uint64(items)}, Local: []uint64{uint64(local)}}}, out}
}

// run launches once.
func (p *pressed) run(t testing.TB) *emu.Result {
	t.Helper()
	r, err := p.launch.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWidths holds that a kernel's registers, private memory and barriers decide the width of waves as
// they are meant to, and that the width changes nothing but how many instructions waves issue.
func TestWidths(t *testing.T) {
	const items, local, trips = 2048, 1024, 5
	for _, c := range []struct {
		pressure
		want int
	}{
		{pressure{live: 4}, 1024},
		{pressure{live: 16}, 512},
		{pressure{live: 50}, 128},
		{pressure{live: 100}, 64},
		{pressure{live: 50, barrier: true}, 1024},
		{pressure{live: 300, barrier: true}, 256},
		{pressure{live: 4, private: 64}, 128},
		{pressure{live: 4, private: 64, barrier: true}, 1024},
		{pressure{live: 4, private: 4096}, 64},
	} {
		for _, engine := range emu.Engines()[1:] {
			t.Run(fmt.Sprint(c.pressure, "/", engine), func(t *testing.T) {
				var want []byte
				var ops uint64
				for _, width := range []int{0, 32, 64, 256, 1024} {
					p := openPressure(t, c.pressure, items, local, trips, emu.DeviceOptions{Engine: engine, WaveLanes: width})
					r := p.run(t)
					lanes := width
					if width == 0 {
						lanes = c.want
					}
					if r.WaveLanes != lanes {
						t.Errorf("waves of %d lanes where %d are asked for, want %d", r.WaveLanes, width, lanes)
					}
					got, err := p.out.Bytes()
					if err != nil {
						t.Fatal(err)
					}
					if want == nil {
						want, ops = got, r.Counters.LaneOps
					}
					if !bytes.Equal(got, want) || r.Counters.LaneOps != ops {
						t.Errorf("waves of %d lanes: another result", width)
					}
				}
			})
		}
	}
}

// widths are the widths that are measured; 0 is what lockstep chooses.
var widths = []int{0, 64, 128, 256, 512, 1024}

// BenchmarkWidth is the time of an operation of a lane by the width of waves, for work-groups of 1024. The choice that
// package scheduler makes (waveLanes) rests on it.
func BenchmarkWidth(b *testing.B) {
	const local = 1024
	each := func(b *testing.B, name string, open func(b *testing.B, opt emu.DeviceOptions) func(testing.TB) *emu.Result) {
		for _, engine := range emu.Engines()[1:] {
			for _, width := range widths {
				b.Run(fmt.Sprintf("%s/%s/%d", name, engine, width), func(b *testing.B) {
					run := open(b, emu.DeviceOptions{Engine: engine, Workers: 1, WaveLanes: width})
					r := run(b)
					for b.Loop() {
						run(b)
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e12/float64(b.N)/float64(r.Counters.LaneOps), "ps/laneop")
					b.ReportMetric(float64(r.WaveLanes), "lanes/wave")
				})
			}
		}
	}
	for _, c := range []struct {
		name   string
		launch kernels.Launch
		lds    int // the parameter that is local memory, 0 for none, of so many bytes for a work-item
		bytes  int
	}{
		{"saxpy", Saxpy(1 << 18), 0, 0},
		{"reduce_u32", reduce(1<<15, 1<<20), 2, 4},
		{"scan_inclusive", inclusive(1 << 18), 2, 8},
		{"bitonic", bitonic(1 << 16), 1, 8},
		{"spmv", spmv(1 << 16), 0, 0},
		{"sha256", sha256(1 << 12), 0, 0},
	} {
		c.launch.Local = []uint64{local}
		if c.lds > 0 {
			c.launch.Args[c.lds] = fmt.Sprintf("local:%d", c.bytes*local)
		}
		each(b, c.name, func(b *testing.B, opt emu.DeviceOptions) func(testing.TB) *emu.Result {
			s := open(b, kernels.Find(c.name), c.launch, opt)
			return func(t testing.TB) *emu.Result { return run(t, s) }
		})
	}
	for _, p := range []pressure{
		{live: 4}, {live: 16}, {live: 50}, {live: 100}, {live: 200}, {live: 1000},
		{live: 4, private: 64}, {live: 4, private: 1024},
		{live: 4, barrier: true}, {live: 50, barrier: true}, {live: 400, barrier: true},
	} {
		each(b, p.String(), func(b *testing.B, opt emu.DeviceOptions) func(testing.TB) *emu.Result {
			s := openPressure(b, p, 1<<14, local, max(500/p.live, 8), opt)
			return s.run
		})
	}
}
