package kernels

import (
	"encoding/binary"
	"fmt"
	"math"
)

// scalar is the element type of a buffer.
type scalar interface {
	int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// load reads b as little-endian elements; bytes past the last whole element
// are left out.
func load[T scalar](b []byte) []T {
	var zero T
	v := make([]T, len(b)/binary.Size(zero))
	if _, err := binary.Decode(b, binary.LittleEndian, v); err != nil {
		panic(fmt.Sprintf("kernels: decoding %d bytes: %v", len(b), err)) // unreachable: the length is derived from b
	}
	return v
}

// store writes v to the beginning of b, little-endian.
func store[T scalar](b []byte, v []T) error {
	if _, err := binary.Encode(b, binary.LittleEndian, v); err != nil {
		return fmt.Errorf("%d elements of type %T do not fit %d bytes: %w", len(v), *new(T), len(b), err)
	}
	return nil
}

// value reads a by-value argument of one element.
func value[T scalar](b []byte) T {
	v := load[T](b)
	if len(v) == 0 {
		return *new(T)
	}
	return v[0]
}

// items is the number of work-items of a launch.
func (l Launch) items() uint64 {
	n := uint64(1)
	for _, g := range l.Global {
		n *= g
	}
	return n
}

// groups is the number of work-groups of a launch, partial ones included.
func (l Launch) groups() uint64 {
	n := uint64(1)
	for d, g := range l.Global {
		n *= (g + l.Local[d] - 1) / l.Local[d]
	}
	return n
}

// f32bits and f64bits are the bits of a float.
func f32bits(f float32) uint32 { return math.Float32bits(f) }
func f64bits(f float64) uint64 { return math.Float64bits(f) }
