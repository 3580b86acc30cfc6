package interp

import "testing"

// TestContiguous tries runs of indices with one that is out of line.
func TestContiguous(t *testing.T) {
	for n := 1; n <= 64; n++ {
		for bad := -1; bad < n; bad++ {
			for _, d := range []uint32{1, 2, 0x10000, 0x80000000, ^uint32(0)} {
				x, y := make([]uint32, n), make([]uint64, n)
				for i := range x {
					x[i], y[i] = uint32(100+i), uint64(100+i)
				}
				if bad >= 0 {
					x[bad] ^= d
					y[bad] ^= uint64(d) << 7
				}
				want := bad < 0 || n == 1
				if got := contiguous32(x); got != want {
					t.Fatalf("contiguous32 of %d indices, %d out of line by %#x: %v", n, bad, d, got)
				}
				for i := range x {
					x[i], y[i] = 7, 7
				}
				if bad >= 0 {
					x[bad] ^= d
					y[bad] ^= uint64(d) << 7
				}
				if got := same32(x); got != want {
					t.Fatalf("same32 of %d indices, %d out of line by %#x: %v", n, bad, d, got)
				}
				if got := same64(y); got != want {
					t.Fatalf("same64 of %d indices, %d out of line by %#x: %v", n, bad, d, got)
				}
			}
		}
	}
}

// TestContiguous64 is the same for 64-bit indices.
func TestContiguous64(t *testing.T) {
	for n := 1; n <= 64; n++ {
		for bad := -1; bad < n; bad++ {
			for _, d := range []uint32{1, 2, 0x10000, 0x80000000, ^uint32(0)} {
				y := make([]uint64, n)
				for i := range y {
					y[i] = uint64(100 + i)
				}
				if bad >= 0 {
					y[bad] ^= uint64(d) << 7
				}
				want := bad < 0 || n == 1
				if got := contiguous64(y); got != want {
					t.Fatalf("contiguous64 of %d indices, %d out of line by %#x: %v", n, bad, d, got)
				}
			}
		}
	}
}
