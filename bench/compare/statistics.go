package main

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"time"
)

// median is the middle value, or the mean of the two in the middle; the zero
// value when there is none.
func median[T ~int64 | ~float64](values []T) T {
	if len(values) == 0 {
		return 0
	}
	s := slices.Clone(values)
	slices.SortFunc(s, cmp.Compare)
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// sum adds the values up.
func sum(values []time.Duration) time.Duration {
	var total time.Duration
	for _, v := range values {
		total += v
	}
	return total
}

// ratios divides round by round: what slows the machine down in one round slows
// both down.
func ratios(a, b []time.Duration) []float64 {
	r := make([]float64, 0, min(len(a), len(b)))
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			r = append(r, float64(a[i])/float64(b[i]))
		}
	}
	return r
}

// element reads a little-endian number of 1, 2, 4 or 8 bytes.
func element(b []byte, size int) uint64 {
	var full [8]byte
	copy(full[:], b[:size])
	return binary.LittleEndian.Uint64(full[:])
}

// ulps counts the floating-point numbers of size bytes from a to b.
func ulps(a, b uint64, size int) uint64 {
	sign := uint64(1) << (8*size - 1)
	order := func(v uint64) uint64 {
		if v&sign != 0 {
			return sign - v&^sign
		}
		return sign + v
	}
	x, y := order(a), order(b)
	return max(x, y) - min(x, y)
}

// float is the value of a floating-point number of 4 or 8 bytes.
func float(bits uint64, size int) float64 {
	if size == 4 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// largestUnit is a unit in the last place of the largest finite number of those
// in b, which have 4 or 8 bytes.
func largestUnit(b []byte, size int) float64 {
	largest := 0.0
	for at := 0; at+size <= len(b); at += size {
		if v := math.Abs(float(element(b[at:], size), size)); v > largest && !math.IsInf(v, 0) {
			largest = v
		}
	}
	_, exponent := math.Frexp(largest)
	if size == 4 {
		return math.Ldexp(1, exponent-24)
	}
	return math.Ldexp(1, exponent-53)
}
