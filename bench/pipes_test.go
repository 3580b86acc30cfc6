package bench

import "testing"

func TestStream(t *testing.T) {
	for _, w := range PipeWays {
		for _, subgroup := range []int{8, 32, 128} {
			s, err := OpenStream(w, 64*512, subgroup)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := s.Run(); err != nil {
					t.Fatal(w, err)
				}
				if err := s.Check(); err != nil {
					t.Errorf("%s: %v", w, err)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if _, err := OpenStream(PipeWays[0], 3, 0); err == nil {
		t.Error("no error for a number that does not fit the work-group")
	}
}

// BenchmarkPipe is what a packet costs in each way of moving it.
func BenchmarkPipe(b *testing.B) {
	const n = 1 << 20
	for _, w := range PipeWays {
		b.Run(w.String(), func(b *testing.B) {
			s, err := OpenStream(w, n, 0)
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			b.SetBytes(4 * n)
			for b.Loop() {
				if err := s.Run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/packet")
			if err := s.Check(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
