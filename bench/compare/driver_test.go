package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestDriverValues(t *testing.T) {
	got, err := driverValues([]byte("blocking 3.5\npipelined 2\n"))
	if want := map[string]float64{"blocking": 3.5, "pipelined": 2}; err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if _, err := driverValues([]byte("blocking\n")); err == nil {
		t.Error("a line without a number is none")
	}
}

func TestDriverFigures(t *testing.T) {
	of := func(launch, read float64) *cDriver {
		d := &cDriver{values: map[string][]float64{"memcpy": {100, 200, 100}, "read": {100 * read, 200 * read, 100 * read}, "write": {90, 180, 90}}}
		d.first = append(d.first, 1e6, 1e6)
		for _, name := range []string{"blocking", "pipelined", "map", "map_use_host_ptr"} {
			d.values[name] = []float64{launch}
		}
		return d
	}
	var misses []string
	for _, f := range driverFigures([]*cDriver{of(4, 0.5), of(1, 1)}, 1<<20) {
		if f.Verdict != verdict(true) && f.Verdict != "" {
			misses = append(misses, f.Name)
		}
	}
	want := []string{"empty kernel, each of 1000 with one finish", "read of 1 MiB", "the same against PoCL, empty cache"}
	if !slices.Equal(misses, want) {
		t.Errorf("misses are %s, want %s", strings.Join(misses, "; "), strings.Join(want, "; "))
	}
}
