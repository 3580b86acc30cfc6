package interp

import "testing"

// perLaneOp runs f and reports what it took for each of ops lane operations.
func perLaneOp(b *testing.B, ops int, f func()) {
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(ops), "ns/lane-op")
}
