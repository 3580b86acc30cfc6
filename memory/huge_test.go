package memory

import "testing"

// TestAdviseHuge holds that memory of any size, wherever it starts, is zero and can be written to the last byte.
func TestAdviseHuge(t *testing.T) {
	for _, n := range []uint64{1, hugeFrom - Alignment, hugeFrom, hugeFrom + 1, 3*hugePage + 4097} {
		b := AlignedBytes(n)
		for i := range b {
			if b[i] != 0 {
				t.Fatalf("%d bytes: byte %d is %d", n, i, b[i])
			}
			b[i] = 1
		}
	}
}
