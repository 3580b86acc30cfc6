package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestMultiply compares with the plain product for grids and pipes of several
// sizes, under every schedule.
func TestMultiply(t *testing.T) {
	for _, size := range []struct{ rows, columns, depth int }{{1, 1, 1}, {2, 3, 5}, {5, 2, 9}, {8, 8, 8}} {
		a, b := matrix(size.rows, size.depth, 1), matrix(size.depth, size.columns, 2)
		want := make([][]float32, size.rows)
		for i := range want {
			want[i] = make([]float32, size.columns)
			for j := range want[i] {
				for k := range size.depth {
					want[i][j] += float32(a[i][k] * b[k][j])
				}
			}
		}
		for _, schedule := range []string{"in-order", "reverse", "seeded"} {
			for _, capacity := range []uint32{1, 3} {
				t.Run(fmt.Sprint(size, schedule, capacity), func(t *testing.T) {
					s, err := emu.ParseSchedule(schedule, 11)
					if err != nil {
						t.Fatal(err)
					}
					got, stats, err := multiply(a, b, capacity, s)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.EqualFunc(got, want, slices.Equal) {
						t.Errorf("%v\nwant %v", got, want)
					}
					// Each kernel hands on its row's and its column's packets.
					if want := uint64(2 * size.rows * size.columns * size.depth); stats.packets != want {
						t.Errorf("%d packets moved, want %d", stats.packets, want)
					}
				})
			}
		}
	}
}
