package main

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// lanes is what the numbers of inputs of a conversion are a multiple of: vectors of 2, 3, 4, 8 and 16 divide it.
const lanes = 48

// inputsOf returns codes of a format: all of them if they have 16 bits or fewer. Otherwise they are limits of each
// format, numbers in the middle between two of a format, and what is next to these; powers of two; and random ones.
func inputsOf(f *format) []uint64 {
	var list []uint64
	if f.bits <= 16 {
		for code := range uint64(1) << f.bits {
			list = append(list, code)
		}
		return padded(list)
	}
	r := rand.New(rand.NewPCG(uint64(f.bits), uint64(f.precision)))
	mask := ^uint64(0) >> (64 - f.bits)
	// near adds the codes around a number, where the format has such numbers.
	near := func(n number) {
		for _, negative := range []bool{false, true} {
			n.negative = negative
			code := f.encode(n, clmath.RTZ, true)
			for d := range uint64(5) {
				list = append(list, (code+d-2)&mask)
			}
		}
	}
	for e := -1100; e <= 1030; e++ {
		if e >= -30 && e <= 70 || e%37 == 0 {
			near(number{mantissa: 1, exponent: e})
		}
	}
	for _, g := range formats {
		for _, code := range g.limits() {
			near(g.decode(code))
			near(g.middle(code))
		}
		for range 60 {
			code := r.Uint64() & (^uint64(0) >> (64 - g.bits)) >> r.IntN(g.bits)
			near(g.decode(code))
			near(g.middle(code))
		}
	}
	for range 3000 {
		code := r.Uint64() & mask
		if !f.float() {
			code >>= r.IntN(f.bits)
		}
		list = append(list, code, -code&mask)
	}
	if f.float() { // numbers of each size that other formats have
		for range 2000 {
			n := number{negative: r.IntN(2) == 0, mantissa: r.Uint64() >> r.IntN(64), exponent: -r.IntN(100)}
			list = append(list, f.encode(n, clmath.RTE, true))
		}
		for _, code := range []uint64{0, f.inf, f.nan, f.nan + 1, f.inf + 1} {
			list = append(list, code, code|f.sign())
		}
	}
	slices.Sort(list)
	return padded(slices.Compact(list))
}

// thinned returns about so many of the codes.
func thinned(list []uint64, count int) []uint64 {
	step := len(list)/count | 1
	var some []uint64
	for i := 0; i < len(list); i += step {
		some = append(some, list[i])
	}
	return padded(some)
}

// padded repeats codes until there is a multiple of lanes of them.
func padded(list []uint64) []uint64 {
	for i := 0; len(list)%lanes != 0; i++ {
		list = append(list, list[i])
	}
	return list
}

// limits are the codes of a format where something changes.
func (f *format) limits() []uint64 {
	if !f.float() {
		most := ^uint64(0) >> (64 - f.bits)
		return []uint64{0, 1, 2, most >> 1, most>>1 + 1, most - 1, most}
	}
	normal := uint64(1) << (f.precision - 1)
	return []uint64{0, 1, 2, normal - 1, normal, normal + 1, f.largest - 1, f.largest}
}

// middle is the number between that of a code and the next one, where there is room for it.
func (f *format) middle(code uint64) number {
	n := f.decode(code)
	if n.class == finite && bits.Len64(n.mantissa) < 64 {
		n.mantissa, n.exponent = 2*n.mantissa+1, n.exponent-1
	}
	return n
}
