package kernels

import (
	"math"
	"math/big"
	"testing"
)

// TestRound32Slow shows that the slow path agrees with the fast one: with the
// approximation made useless, the same functions give the same results.
func TestRound32Slow(t *testing.T) {
	for _, x := range []float32{0.1, 0.5, 0.9, 1, 1.5, 2, 3.25, 10, 25.7, 0.0001} {
		for name, c := range map[string]struct {
			got  float32
			want *big.Float
		}{
			"exp":   {exp32(x), bigExp(toBig(x))},
			"log":   {log32(x), bigLog(toBig(x))},
			"atan":  {atan32(x), bigAtan(toBig(x))},
			"sqrt":  {sqrt32(x), new(big.Float).SetPrec(bigPrec).Sqrt(toBig(x))},
			"hypot": {hypot32(x, 2), new(big.Float).SetPrec(bigPrec).Sqrt(bigAdd(bigMul(toBig(x), toBig(x)), bigInt(4)))},
		} {
			if want, _ := c.want.Float32(); c.got != want {
				t.Errorf("%s(%v) = %v, the series give %v", name, x, c.got, want)
			}
		}
		sin, cos := bigSinCos(toBig(x))
		if s, _ := sin.Float32(); s != sin32(x) {
			t.Errorf("sin(%v) = %v, the series give %v", x, sin32(x), s)
		}
		if c, _ := cos.Float32(); c != cos32(x) {
			t.Errorf("cos(%v) = %v, the series give %v", x, cos32(x), c)
		}
		if x < 1 {
			if a, _ := bigAsin(toBig(x)).Float32(); a != asin32(x) {
				t.Errorf("asin(%v) = %v, the series give %v", x, asin32(x), a)
			}
		}
	}
}

// TestBigConstants compares π and ln 2 with more digits than float64 has.
func TestBigConstants(t *testing.T) {
	for _, c := range []struct {
		name, digits string
		got          *big.Float
	}{
		{"pi", "3.14159265358979323846264338327950288419716939937510582097494459", bigPi()},
		{"ln 2", "0.693147180559945309417232121458176568075500134360255254120680009", bigLn2()},
	} {
		if got := c.got.Text('f', len(c.digits)-2); got != c.digits {
			t.Errorf("%s = %s, want %s", c.name, got, c.digits)
		}
	}
}

// TestKnownValues compares correctly rounded functions with published values of
// hard cases and exact ones.
func TestKnownValues(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float32
	}{
		{"exp(0)", exp32(0), 1},
		{"log(1)", log32(1), 0},
		{"exp(89)", exp32(89), float32(math.Inf(1))},
		{"exp(-104)", exp32(-104), 0},
		{"pow(1.5, 3)", pow32(1.5, 3), 3.375},
		{"pow(1+2^-12, 2), a tie", pow32(1+0x1p-12, 2), 1 + 0x1p-11},
		{"cbrt(-27)", cbrt32(-27), -3},
		{"log2(8)", log2of32(8), 3},
		{"exp2(-149)", exp2of32(-149), math.SmallestNonzeroFloat32},
		{"rsqrt(4)", rsqrt32(4), 0.5},
		{"fma", fma32(1+0x1p-23, 1-0x1p-23, -1), -0x1p-46},
		{"sin(1e22), a large argument", sin32(1e22), float32(math.Sin(float64(float32(1e22))))},
		{"atan2(1, -1)", atan2of32(1, -1), float32(3 * math.Pi / 4)},
		{"acos(1)", acos32(1), 0},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// TestPhilox compares with the known answers that the generator's authors publish.
func TestPhilox(t *testing.T) {
	const ones = math.MaxUint32
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{ones, ones, ones, ones}, [2]uint32{ones, ones}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0},
			[4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox4x32(c.counter, c.key); got != c.want {
			t.Errorf("philox(%x, %x) = %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// TestHalves goes through all halves: to single precision and back is the
// identity in every rounding, and a little more rounds as the mode says.
func TestHalves(t *testing.T) {
	for h := range uint32(0x10000) {
		h := uint16(h)
		if h&0x7fff > 0x7c00 {
			continue // NaN
		}
		f := fromHalf(h)
		for _, mode := range []rounding{rte, rtz, rtp, rtn} {
			if got := toHalf(f, mode); got != h {
				t.Fatalf("%#x is %v, which in mode %d is %#x", h, f, mode, got)
			}
		}
		if h&0x7fff >= 0x7bff {
			continue // no finite neighbour
		}
		// Between h and its neighbour away from zero.
		between := (f + fromHalf(h+1)) / 2
		tie := h + h&1
		away := h + 1
		up, down := away, h
		if h&0x8000 != 0 {
			up, down = h, away
		}
		for mode, want := range map[rounding]uint16{rte: tie, rtz: h, rtp: up, rtn: down} {
			if got := toHalf(between, mode); got != want {
				t.Fatalf("%v in mode %d is %#x, want %#x", between, mode, got, want)
			}
		}
	}
}
