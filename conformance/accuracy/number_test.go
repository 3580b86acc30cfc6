package main

import (
	"math"
	"math/big"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/clmath"
)

// rational is the value of a finite number.
func (n number) rational() *big.Rat {
	r := new(big.Rat).SetInt(new(big.Int).SetUint64(n.mantissa))
	scale := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(n.exponent, -n.exponent))))
	if n.exponent < 0 {
		scale.Inv(scale)
	}
	r.Mul(r, scale)
	if n.negative {
		r.Neg(r)
	}
	return r
}

// TestDecode compares codes with what Go makes of them.
func TestDecode(t *testing.T) {
	for _, f := range formats[8:11] {
		for _, code := range inputsOf(f) {
			want := map[int]func() float64{
				16: func() float64 { return clmath.F16ToF64(uint16(code)) },
				32: func() float64 { return float64(math.Float32frombits(uint32(code))) },
				64: func() float64 { return math.Float64frombits(code) },
			}[f.bits]()
			n := f.decode(code)
			got := math.Inf(1)
			switch n.class {
			case notANumber:
				got = math.NaN()
			case finite:
				got, _ = n.rational().Float64()
				got = math.Abs(got)
			}
			if n.negative {
				got = -got
			}
			if math.Float64bits(got) != math.Float64bits(want) && (got == got || want == want) {
				t.Fatalf("%s %#x is %v, want %v", f.name, code, got, want)
			}
		}
	}
}

// TestRoundings asks of conversions, with rationals of package math/big, whether they are what the roundings are defined
// to be: the nearest number, the next one above or below, or the last one of the type.
func TestRoundings(t *testing.T) {
	for _, from := range formats {
		list := inputsOf(from)
		step := max(1, len(list)/400)
		for i := 0; i < len(list); i += step {
			n := from.decode(list[i])
			if n.class != finite {
				continue
			}
			x := n.rational()
			for _, to := range formats {
				if to.truth {
					continue
				}
				for mode := clmath.RTE; mode <= clmath.RTN; mode++ {
					code := to.encode(n, mode, true)
					if !to.defined(x, mode, code) {
						t.Fatalf("%s %#x to %s, %v: %#x", from.name, list[i], to.name, mode, code)
					}
					if to.float() && (code&to.sign() != 0) != n.negative {
						t.Fatalf("%s %#x to %s, %v: %#x has the wrong sign", from.name, list[i], to.name, mode, code)
					}
				}
			}
		}
	}
}

// defined says whether a code is the one that a rounding has to give for x, where limits end the numbers of the format.
func (f *format) defined(x *big.Rat, mode clmath.Rounding, code uint64) bool {
	y := f.decode(code).rational()
	below, above := f.neighbours(code)
	switch mode {
	case clmath.RTZ:
		if x.Sign() < 0 {
			mode = clmath.RTP
		} else {
			mode = clmath.RTN
		}
	case clmath.RTE:
		off := new(big.Rat).Sub(x, y)
		next := above
		if off.Sign() < 0 {
			next = below
		}
		if off.Sign() == 0 || next == nil {
			return true
		}
		other := new(big.Rat).Sub(next, x)
		c := off.Abs(off).Cmp(other.Abs(other))
		return c < 0 || c == 0 && code&1 == 0
	}
	if mode == clmath.RTP {
		return (y.Cmp(x) >= 0 || above == nil) && (below == nil || below.Cmp(x) < 0)
	}
	return (y.Cmp(x) <= 0 || below == nil) && (above == nil || above.Cmp(x) > 0)
}

// neighbours returns the numbers of the format next to one, nil where there is none.
func (f *format) neighbours(code uint64) (below, above *big.Rat) {
	if !f.float() {
		mask := ^uint64(0) >> (64 - f.bits)
		least, most := uint64(0), mask
		if f.signed {
			least, most = f.sign(), mask>>1
		}
		if code != least {
			below = f.decode((code - 1) & mask).rational()
		}
		if code != most {
			above = f.decode((code + 1) & mask).rational()
		}
		return below, above
	}
	smaller, greater := (*big.Rat)(nil), (*big.Rat)(nil)
	sign := code & f.sign()
	size := code &^ f.sign()
	if size > 0 {
		smaller = f.decode(sign | size - 1).rational()
	} else {
		smaller = f.decode(f.sign() - sign | 1).rational()
	}
	if size < f.largest {
		greater = f.decode(sign | size + 1).rational()
	}
	if sign != 0 {
		return greater, smaller
	}
	return smaller, greater
}
