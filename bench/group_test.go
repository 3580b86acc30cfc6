package bench

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
)

// BenchmarkGroup is the time of a work-group of kernels that do little in one, on each engine, with one worker and
// buffers that fit a core's own caches.
func BenchmarkGroup(b *testing.B) {
	empty := kernels.Launch{Global: []uint64{group << 10}, Local: []uint64{group}}
	// Work-groups that are several waves.
	const large = 4 * group
	scan, sort := inclusive(group<<7), bitonic(group<<5)
	scan.Local, scan.Args[2] = []uint64{large}, fmt.Sprintf("local:%d", 8*large)
	sort.Local, sort.Args[1] = []uint64{large}, fmt.Sprintf("local:%d", 8*large)
	for _, c := range []struct {
		name string
		l    kernels.Launch
	}{{"empty", empty}, {"saxpy", Saxpy(group << 7)}, {"stencil2d", stencil(256)}, {"transpose", transpose(256)},
		{"scan_inclusive", inclusive(group << 7)}, {"bitonic", bitonic(group << 5)},
		{"empty of several waves", kernels.Launch{Global: empty.Global, Local: []uint64{large}}}, {"scan_inclusive of several waves", scan}, {"bitonic of several waves", sort}} {
		for _, engine := range emu.Engines()[1:] {
			b.Run(c.name+"/"+engine, func(b *testing.B) {
				name, _, _ := strings.Cut(c.name, " ")
				s := open(b, kernels.Find(name), c.l, emu.DeviceOptions{Engine: engine, Workers: 1})
				run(b, s)
				for b.Loop() {
					run(b, s)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(float64(items(c.l))/float64(items(kernels.Launch{Global: c.l.Local}))), "ns/group")
			})
		}
	}
}
