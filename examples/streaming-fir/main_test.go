package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestFilter compares with the plain sum, in the same order, for pipes of every
// kind of size and under every schedule.
func TestFilter(t *testing.T) {
	signal := make([]float32, 300)
	for i := range signal {
		signal[i] = float32(i*i%97) / 7
	}
	weights := [taps]float32{0.5, -1, 0.25, 3, 1.5, -0.125, 2, 0.0625}
	want := make([]float32, len(signal))
	for i := range want {
		for k, w := range weights {
			x := float32(0)
			if i >= k {
				x = signal[i-k]
			}
			want[i] += float32(w * x)
		}
	}
	for _, schedule := range []string{"in-order", "reverse", "seeded"} {
		for _, capacity := range []uint32{1, 2, 7, 1000} {
			for seed := range uint64(3) {
				if seed > 0 && schedule != "seeded" {
					continue
				}
				t.Run(fmt.Sprint(schedule, seed, "/", capacity), func(t *testing.T) {
					s, err := emu.ParseSchedule(schedule, seed)
					if err != nil {
						t.Fatal(err)
					}
					got, err := filter(signal, weights, capacity, s)
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Errorf("%v\nwant %v", got, want)
					}
				})
			}
		}
	}
}
