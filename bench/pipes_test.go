package bench

import (
	"fmt"
	"testing"
)

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

// TestChainMemory holds that twice the launches take twice the memory.
func TestChainMemory(t *testing.T) {
	var bytes [3]uint64
	for i := range bytes {
		var err error
		if bytes[i], err = ChainMemory(125<<i, 4); err != nil {
			t.Fatal(err)
		}
	}
	for i := 1; i < len(bytes); i++ {
		if step := float64(bytes[i]) / float64(bytes[i-1]); step > 2.2 {
			t.Errorf("%d launches take %d bytes, %d take %d: %.2f times", 125<<(i-1), bytes[i-1], 125<<i, bytes[i], step)
		}
	}
}

// BenchmarkChain is what a packet costs in each launch of a chain.
func BenchmarkChain(b *testing.B) {
	const packets = 64
	for _, launches := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(launches), func(b *testing.B) {
			c, err := OpenChain(launches, packets)
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			for b.Loop() {
				if err := c.Run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/packets/float64(launches), "ns/packet-launch")
		})
	}
}
