package main

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestSort: numbers of every count come out in order, whatever the sub-group size.
func TestSort(t *testing.T) {
	for _, n := range []int{1, 2, 127, 128, 129, 1000, 5000} {
		for _, subgroup := range []int{1, 4, 8, 16, 32, 64, 128} {
			if testing.Short() && n > 1000 {
				continue
			}
			t.Run(fmt.Sprintf("%d by %d", n, subgroup), func(t *testing.T) {
				keys := make([]uint32, n)
				for i := range keys {
					// All four bytes differ, and every third key occurs again.
					keys[i] = uint32(i/3*2) * 2654435761
				}
				keys[n/2] = math.MaxUint32
				want := slices.Sorted(slices.Values(keys))
				if _, err := sort(keys, subgroup); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(keys, want) {
					t.Errorf("the keys are %v, want %v", keys[:min(n, 20)], want[:min(n, 20)])
				}
			})
		}
	}
}

// TestSortRefuses: a device that cannot be is an error.
func TestSortRefuses(t *testing.T) {
	if _, err := sort([]uint32{1}, 3); err == nil {
		t.Error("no error for sub-groups of three lanes")
	}
}
