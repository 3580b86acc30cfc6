package interp

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// The canonical NaNs: what an operation makes of any NaN (package isa).
var (
	nanF32 = math.Float32frombits(0x7fc00000)
	nanF64 = math.Float64frombits(0x7ff8000000000000)
)

type signed interface {
	int8 | int16 | int32 | int64
}

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// b2u returns 1 for true.
func b2u(b bool) uint64 {
	var r uint64
	if b {
		r = 1
	}
	return r
}

func abs8(a uint8) uint8 { return (a ^ uint8(int8(a)>>7)) - uint8(int8(a)>>7) }

func abs16(a uint16) uint16 { return (a ^ uint16(int16(a)>>15)) - uint16(int16(a)>>15) }

func abs32(a uint32) uint32 { return (a ^ uint32(int32(a)>>31)) - uint32(int32(a)>>31) }

func abs64(a uint64) uint64 { return (a ^ uint64(int64(a)>>63)) - uint64(int64(a)>>63) }

func mulHiS8(a, b uint8) uint8 { return uint8(int32(int8(a)) * int32(int8(b)) >> 8) }

func mulHiS16(a, b uint16) uint16 { return uint16(int32(int16(a)) * int32(int16(b)) >> 16) }

func mulHiS32(a, b uint32) uint32 { return uint32(int64(int32(a)) * int64(int32(b)) >> 32) }

func mulHiS64(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
}

func mulHiU8(a, b uint8) uint8 { return uint8(uint32(a) * uint32(b) >> 8) }

func mulHiU16(a, b uint16) uint16 { return uint16(uint32(a) * uint32(b) >> 16) }

func mulHiU32(a, b uint32) uint32 { return uint32(uint64(a) * uint64(b) >> 32) }

func mulHiU64(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi
}

// limitS returns the greatest value of the sign of a, or the least.
func limitS[T signed](a T) T {
	top := T(1) << (unsafe.Sizeof(a)*8 - 1) // the least value
	if a < 0 {
		return top
	}
	return ^top
}

func addSatS[T signed](a, b T) T {
	r := a + b
	if (a^r)&(b^r) < 0 {
		return limitS(a)
	}
	return r
}

func addSatU[T unsigned](a, b T) T {
	r := a + b
	if r < a {
		return ^T(0)
	}
	return r
}

func subSatS[T signed](a, b T) T {
	r := a - b
	if (a^b)&(a^r) < 0 {
		return limitS(a)
	}
	return r
}

func subSatU[T unsigned](a, b T) T {
	if a < b {
		return 0
	}
	return a - b
}

func hadd[T signed | unsigned](a, b T) T { return a&b + (a^b)>>1 }

func rhadd[T signed | unsigned](a, b T) T { return a | b - (a^b)>>1 }

// bitInsert returns a with bits [at, at+n) replaced by the low bits of b.
// Go's shifts by 64 or more give 0.
func bitInsert(a, b, at, n uint64) uint64 {
	m := (uint64(1)<<n - 1) << at
	return a&^m | b<<at&m
}

func bitExtractU(a, at, n uint64) uint64 { return a >> at & (1<<n - 1) }

func bitExtractS(a, at, n uint64) uint64 {
	if n == 0 {
		return 0
	}
	unused := 64 - min(n, 64)
	return uint64(int64(a>>at<<unused) >> unused)
}

func floorModF64(a, b float64) float64 {
	r := math.Mod(a, b)
	switch {
	case r == 0:
		return math.Copysign(0, b)
	case r < 0 != (b < 0):
		return r + b
	}
	return r
}

func floorModF32(a, b float32) float32 {
	r := float32(math.Mod(float64(a), float64(b)))
	switch {
	case r == 0:
		return float32(math.Copysign(0, float64(b)))
	case r < 0 != (b < 0):
		return r + b
	}
	return r
}

// fmaF32 returns a*b + c rounded once.
func fmaF32(a, b, c float32) float32 {
	s := fmaSum(a, b, c)
	if fmaDoubtful(s) {
		return fmaSlow(a, b, c)
	}
	return float32(s)
}

// fmaSum returns a*b + c, of which the product is exact and the sum rounded to
// double precision.
func fmaSum(a, b, c float32) float64 { return float64(float64(a)*float64(b)) + float64(c) }

// fmaDoubtful says whether rounding the sum once more, to single precision,
// may give another result than rounding once: where it lies in the middle of
// two floats, and among the denormal ones, where the middle lies elsewhere. 0
// is exact.
func fmaDoubtful(s float64) bool {
	u := math.Float64bits(s)
	return u<<35 == 1<<63 || u<<1-1 < (1023-126)<<53-1
}

//go:noinline
func fmaSlow(a, b, c float32) float32 { return clmath.Fma32(a, b, c) }

func fmaF64(a, b, c float64) float64 { return math.FMA(a, b, c) }

// fmin and fmax prefer a number to a NaN, and order the zeros, as the built-in
// functions do. Those give a NaN if either operand is one.
func fmin[T float32 | float64](a, b T) T {
	r := min(a, b)
	if r != r {
		return number(a, b)
	}
	return r
}

func fmax[T float32 | float64](a, b T) T {
	r := max(a, b)
	if r != r {
		return number(a, b)
	}
	return r
}

// number returns the operand that is not a NaN, if there is one.
func number[T float32 | float64](a, b T) T {
	if a != a {
		return b
	}
	return a
}

// quietF32 and quietF64 make the NaNs of a register canonical.

//go:noinline
func quietF32(d *[64]float32) {
	for i, r := range d {
		if r != r {
			d[i] = nanF32
		}
	}
}

//go:noinline
func quietF64(d *[64]float64) {
	for i, r := range d {
		if r != r {
			d[i] = nanF64
		}
	}
}
