package bench

import (
	"bytes"
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestImageWorkloads holds that the kernels with images find nothing under checks, where the reference engine
// accesses images lane by lane, and that both engines leave the same bits.
func TestImageWorkloads(t *testing.T) {
	for _, w := range ImageWorkloads(64) {
		t.Run(w.Name, func(t *testing.T) {
			var want []byte
			for _, on := range []struct {
				engine string
				check  bool
			}{{"interp", true}, {"interp", false}, {"native", false}} {
				s, err := w.Open(emu.DeviceOptions{Engine: on.engine})
				if err != nil {
					t.Log(err) // no machine code here
					continue
				}
				s.Check(on.check)
				if err := s.Reset(); err != nil {
					t.Fatal(err)
				}
				if _, _, err := s.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				got, err := s.Outputs()
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got[0]
				}
				if !bytes.Equal(got[0], want) || !bytes.ContainsFunc(got[0], func(r rune) bool { return r != 0 }) {
					t.Errorf("%+v: %x…, want %x…", on, got[0][:32], want[:32])
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// BenchmarkImages is what a work-item of a kernel with images costs on each engine, with one worker.
func BenchmarkImages(b *testing.B) {
	for _, w := range ImageWorkloads(512) {
		for _, engine := range []string{"interp", "native"} {
			b.Run(w.Name+"/"+engine, func(b *testing.B) {
				s, err := w.Open(emu.DeviceOptions{Engine: engine, Workers: 1})
				if err != nil {
					b.Skip(err)
				}
				defer s.Close()
				for b.Loop() {
					run(b, s)
				}
				items := w.Launch.Global[0] * w.Launch.Global[1]
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(items), "ns/item")
			})
		}
	}
}
