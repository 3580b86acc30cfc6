package bench

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
)

// BenchmarkSource times each kernel as package spirv/clc compiles it against clang's -O2, in turns: x/clang is how many
// times as fast it is.
func BenchmarkSource(b *testing.B) {
	list, err := Workloads()
	if err != nil {
		b.Fatal(err)
	}
	product, n := 1.0, 0
	for _, w := range list {
		b.Run(w.Name(), func(b *testing.B) {
			module, err := FromSource(w.Kernel)
			if err != nil {
				b.Fatal(err)
			}
			opt := emu.DeviceOptions{Workers: 1}
			ours, err := OpenModule(w.Kernel, module, w.Default, opt)
			if err != nil {
				b.Fatal(err)
			}
			defer ours.Close()
			clang, err := Open(w.Kernel, w.Default, opt)
			if err != nil {
				b.Fatal(err)
			}
			defer clang.Close()
			var ratios []float64
			for b.Loop() {
				for range 5 {
					var times [2]time.Duration
					for i, s := range []*Session{ours, clang} {
						if err := s.Reset(); err != nil {
							b.Fatal(err)
						}
						if _, times[i], err = s.Run(context.Background()); err != nil {
							b.Fatal(err)
						}
					}
					ratios = append(ratios, float64(times[1])/float64(times[0]))
				}
			}
			slices.Sort(ratios)
			r := ratios[len(ratios)/2]
			b.ReportMetric(r, "x/clang")
			product *= r
			n++
		})
	}
	b.Logf("geometric mean %.3f", math.Pow(product, 1/float64(max(n, 1))))
}
