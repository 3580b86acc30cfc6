package bench

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
)

// BenchmarkGroup is the time of a work-group of kernels that do little in one, on each engine, with one worker and
// buffers that fit a core's own caches.
func BenchmarkGroup(b *testing.B) {
	empty := kernels.Launch{Global: []uint64{group << 10}, Local: []uint64{group}}
	for _, c := range []struct {
		name string
		l    kernels.Launch
	}{{"empty", empty}, {"saxpy", Saxpy(group << 7)}, {"stencil2d", stencil(256)}, {"transpose", transpose(256)},
		{"scan_inclusive", inclusive(group << 7)}, {"bitonic", bitonic(group << 5)}} {
		for _, engine := range emu.Engines()[1:] {
			b.Run(c.name+"/"+engine, func(b *testing.B) {
				s := open(b, kernels.Find(c.name), c.l, emu.DeviceOptions{Engine: engine, Workers: 1})
				run(b, s)
				for b.Loop() {
					run(b, s)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(items(c.l)/group), "ns/group")
			})
		}
	}
}
