package main

import (
	"math"
	"slices"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{4, 1}, 2.5},
		{[]float64{9, 1, 2}, 2},
		{[]float64{9, 1, 2, 4}, 3},
	} {
		in := slices.Clone(c.in)
		if got := median(c.in); got != c.want {
			t.Errorf("median(%v) = %v, want %v", in, got, c.want)
		}
		if !slices.Equal(in, c.in) {
			t.Errorf("median changed %v to %v", in, c.in)
		}
	}
}

func TestRatios(t *testing.T) {
	got := ratios([]time.Duration{10, 20, 30, 40}, []time.Duration{5, 0, 10})
	if want := []float64{2, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUlps(t *testing.T) {
	bits := func(f float32) uint64 { return uint64(math.Float32bits(f)) }
	smallest := math.SmallestNonzeroFloat32
	for _, c := range []struct {
		a, b uint64
		size int
		want uint64
	}{
		{bits(1), bits(1), 4, 0},
		{bits(1), bits(math.Nextafter32(1, 2)), 4, 1},
		{bits(float32(smallest)), bits(float32(-smallest)), 4, 2},
		{bits(0), bits(float32(math.Copysign(0, -1))), 4, 0},
		{math.Float64bits(2), math.Float64bits(math.Nextafter(2, 0)), 8, 1},
	} {
		if got := ulps(c.a, c.b, c.size); got != c.want {
			t.Errorf("ulps(%#x, %#x) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := ulps(c.b, c.a, c.size); got != c.want {
			t.Errorf("ulps(%#x, %#x) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestCPUModel(t *testing.T) {
	const info = "processor\t: 0\nvendor_id\t: Maker\nmodel name\t: Maker Chip 9: fast\nmodel name\t: another\n"
	if got := cpuModel(info); got != "Maker Chip 9: fast" {
		t.Errorf("got %q", got)
	}
	if got := cpuModel("Features\t: fp asimd\n"); got != "" {
		t.Errorf("got %q where there is no name", got)
	}
}

func TestFarthest(t *testing.T) {
	rounds := func(a, b, c time.Duration) []time.Duration { return []time.Duration{a, b, c} }
	step, i := farthest([][]time.Duration{rounds(10, 10, 100), rounds(21, 20, 200), rounds(31, 30, 900), rounds(62, 66, 1800)})
	if step != 1.5 || i != 2 {
		t.Errorf("got %v at %d, want 1.5 at 2", step, i)
	}
}
