package memory

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"
)

// The oracle below has the rules of the OpenCL C specification, section 8.3, in
// exact arithmetic, and knows nothing of the tables and shifts under test.

// numbers of a channel type: how wide it is and what its largest stands for.
type channelRule struct {
	bits   int
	signed bool
	norm   bool // divided by the largest value
	float  int  // bits of a float format, or 0
}

var channelRules = map[ChannelType]channelRule{
	SnormInt8: {8, true, true, 0}, SnormInt16: {16, true, true, 0}, UnormInt8: {8, false, true, 0}, UnormInt16: {16, false, true, 0},
	SignedInt8: {8, true, false, 0}, SignedInt16: {16, true, false, 0}, SignedInt32: {32, true, false, 0},
	UnsignedInt8: {8, false, false, 0}, UnsignedInt16: {16, false, false, 0}, UnsignedInt32: {32, false, false, 0},
	HalfFloat: {16, false, false, 16}, Float: {32, false, false, 32},
}

// layout returns the channels of a format from the lowest bit up, as component
// letters, with their widths: "r" 5 … A dot is padding.
func layout(f Format) (letters string, widths []int) {
	switch f.Type {
	case UnormShort565:
		return "bgr", []int{5, 6, 5}
	case UnormShort555:
		return "bgr.", []int{5, 5, 5, 1}
	case UnormInt101010:
		return "bgr.", []int{10, 10, 10, 2}
	case UnormInt101010x2:
		return "abgr", []int{2, 10, 10, 10}
	}
	letters = map[ChannelOrder]string{
		OrderR: "r", OrderA: "a", OrderRG: "rg", OrderRA: "ra", OrderRGBA: "rgba", OrderBGRA: "bgra", OrderARGB: "argb", OrderABGR: "abgr",
		OrderIntensity: "i", OrderLuminance: "l", OrderRx: "r", OrderRGx: "rg", OrderSRGB: "rgb", OrderSRGBx: "rgb.", OrderSRGBA: "rgba", OrderSBGRA: "bgra", OrderDepth: "r",
	}[f.Order]
	for range letters {
		widths = append(widths, channelRules[f.Type].bits)
	}
	return letters, widths
}

// value returns what a channel of n bits stands for, exactly; nil for what is no number.
func (r channelRule) value(raw uint64) *big.Rat {
	v := big.NewInt(int64(raw))
	if r.signed && raw>>(r.bits-1) != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(r.bits)))
	}
	x := new(big.Rat).SetInt(v)
	if !r.norm {
		return x
	}
	most := int64(1)<<r.bits - 1
	if r.signed {
		most >>= 1
	}
	if x.Quo(x, big.NewRat(most, 1)); x.Cmp(big.NewRat(-1, 1)) < 0 {
		x.SetInt64(-1)
	}
	return x
}

func float32Of(x *big.Rat) uint32 {
	v, _ := x.Float32()
	return math.Float32bits(v)
}

// halfValue returns the value of a half.
func halfValue(h uint16) float64 {
	e, m := int(h>>10&31), float64(h&1023)
	v := math.Ldexp(m, -24)
	switch {
	case e == 31 && m != 0:
		v = math.NaN()
	case e == 31:
		v = math.Inf(1)
	case e != 0:
		v = math.Ldexp(m+1024, e-25)
	}
	if h>>15 != 0 {
		v = -v
	}
	return v
}

// slowDecode is Decode by the letters.
func slowDecode(f Format, p []byte) Texel {
	one := uint32(oneBits)
	if f.Class() != ClassFloat {
		one = 1
	}
	t := Texel{3: one}
	letters, widths := layout(f)
	var word [16]byte
	copy(word[:], p[:f.Bytes()])
	at := 0
	for i, l := range letters {
		raw := uint64(0)
		for b := range widths[i] {
			raw |= uint64(word[(at+b)/8]>>((at+b)%8)&1) << b
		}
		at += widths[i]
		rule, ok := channelRules[f.Type]
		if !ok {
			rule = channelRule{bits: widths[i], norm: true}
		}
		var v uint32
		switch {
		case rule.float == 32:
			v = uint32(raw)
		case rule.float == 16:
			v = math.Float32bits(float32(halfValue(uint16(raw))))
		case rule.norm && f.srgb() && l != 'a':
			v = nearestSRGB(int64(raw))
		case rule.norm:
			v = float32Of(rule.value(raw))
		default:
			v = uint32(rule.value(raw).Num().Int64())
		}
		switch l {
		case 'r':
			t[0] = v
		case 'g':
			t[1] = v
		case 'b':
			t[2] = v
		case 'a':
			t[3] = v
		case 'i':
			t = Texel{v, v, v, v}
		case 'l':
			t[0], t[1], t[2] = v, v, v
		}
	}
	return t
}

// curve5 returns the fifth power of the linear value of sRGB value n/d.
func curve5(n, d int64) *big.Rat {
	x := big.NewRat(n, d)
	if x.Cmp(big.NewRat(4045, 100000)) <= 0 {
		return ratPower(x.Quo(x, big.NewRat(1292, 100)), 5)
	}
	return ratPower(x.Add(x, big.NewRat(55, 1000)).Quo(x, big.NewRat(1055, 1000)), 12)
}

func ratPower(x *big.Rat, n int) *big.Rat {
	p := big.NewRat(1, 1)
	for range n {
		p.Mul(p, x)
	}
	return p
}

// nearestSRGB asks a float near the answer and its neighbours which is nearest.
func nearestSRGB(n int64) uint32 {
	if n == 0 {
		return 0
	}
	x := float64(n) / 255
	guess := x / 12.92
	if x > 0.04045 {
		guess = math.Pow((x+0.055)/1.055, 2.4)
	}
	want := curve5(n, 255)
	half := func(bits uint32) *big.Rat { // the fifth power of the point between a float and the next
		a := new(big.Rat).SetFloat64(float64(math.Float32frombits(bits)))
		b := new(big.Rat).SetFloat64(float64(math.Float32frombits(bits + 1)))
		return ratPower(a.Add(a, b).Quo(a, big.NewRat(2, 1)), 5)
	}
	bits := math.Float32bits(float32(guess)) - 2
	for half(bits).Cmp(want) < 0 {
		bits++
	}
	return bits
}

// patterns calls f with every element of a format of one byte, or of one
// channel r or one word of two bytes, and with many for all others.
func patterns(format Format, f func([]byte)) {
	n := format.Bytes()
	p := make([]byte, n)
	if n == 1 || n == 2 && (format.Order == OrderR || format.Order == OrderRGB) && !testing.Short() {
		for v := range 1 << (8 * n) {
			for i := range p {
				p[i] = byte(v >> (8 * i))
			}
			f(p)
		}
		return
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for range 500 {
		for i := range p {
			p[i] = byte(r.Uint32())
			if r.IntN(4) == 0 {
				p[i] = []byte{0, 255, 128, 127}[r.IntN(4)]
			}
		}
		f(p)
	}
}

func nan32(bits uint32) bool { return bits&0x7fffffff > 0x7f800000 }

func sameTexel(a, b Texel, float bool) bool {
	for i := range a {
		if a[i] != b[i] && !(float && nan32(a[i]) && nan32(b[i])) {
			return false
		}
	}
	return true
}

// TestDecode compares every format with the oracle.
func TestDecode(t *testing.T) {
	for _, f := range Formats() {
		if f.Bytes() < 1 || f.Bytes() > 16 {
			t.Errorf("%s: %d bytes", f, f.Bytes())
		}
		patterns(f, func(p []byte) {
			if got, want := f.Decode(p), slowDecode(f, p); !sameTexel(got, want, f.Class() == ClassFloat) {
				t.Fatalf("%s of % x: %x, want %x", f, p, got, want)
			}
		})
	}
}

// roundEven rounds a fraction to the nearest integer, ties to even.
func roundEven(x *big.Rat) *big.Int {
	two := new(big.Int).Mul(x.Denom(), big.NewInt(2))
	q, m := new(big.Int).DivMod(new(big.Int).Add(new(big.Int).Mul(x.Num(), big.NewInt(2)), x.Denom()), two, new(big.Int))
	if m.Sign() == 0 && q.Bit(0) == 1 {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

// store returns the raw channel for a component's bits.
func (r channelRule) store(bits uint32) uint64 {
	lo, hi := int64(0), int64(1)<<r.bits-1
	if r.signed {
		lo, hi = -(1 << (r.bits - 1)), 1<<(r.bits-1)-1
	}
	v := new(big.Int)
	switch {
	case r.float == 32:
		return uint64(bits)
	case r.norm:
		x := math.Float32frombits(bits)
		switch {
		case x != x:
		case math.IsInf(float64(x), 0):
			v.SetInt64(hi)
			if x < 0 {
				v.SetInt64(lo)
			}
		default:
			// The product in single precision (convert_uchar_sat_rte(f * 255.0f)).
			product := new(big.Float).SetPrec(24).SetMode(big.ToNearestEven)
			product.Mul(big.NewFloat(float64(x)), big.NewFloat(float64(hi)))
			exact, _ := product.Rat(nil)
			v = roundEven(exact)
		}
	case r.signed:
		v.SetInt64(int64(int32(bits)))
	default:
		v.SetInt64(int64(bits))
	}
	if v.Cmp(big.NewInt(lo)) < 0 {
		v.SetInt64(lo)
	}
	if v.Cmp(big.NewInt(hi)) > 0 {
		v.SetInt64(hi)
	}
	return uint64(v.Int64()) & (1<<r.bits - 1)
}

// storeHalf rounds to half by looking for the nearest one.
func storeHalf(bits uint32) uint16 {
	x := float64(math.Float32frombits(bits))
	sign := uint16(bits >> 16 & 0x8000)
	if x != x {
		return 0x7e00
	}
	x = math.Abs(x)
	if x >= 65520 {
		return sign | 0x7c00
	}
	lo, hi := uint16(0), uint16(0x7bff)
	for lo < hi { // the largest half that is not above x
		mid := (lo + hi + 1) / 2
		if halfValue(mid) <= x {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	below := halfValue(lo)
	above := 65536.0
	if lo < 0x7bff {
		above = halfValue(lo + 1)
	}
	if d := (x - below) - (above - x); d > 0 || d == 0 && lo&1 == 1 {
		lo++
	}
	return sign | lo
}

// slowEncode is Encode by the letters.
func slowEncode(f Format, t Texel) []byte {
	letters, widths := layout(f)
	word := make([]byte, f.Bytes())
	at := 0
	for i, l := range letters {
		rule, ok := channelRules[f.Type]
		if !ok {
			rule = channelRule{bits: widths[i], norm: true}
		}
		var bits uint32
		raw := uint64(0)
		switch l {
		case 'r', 'i', 'l':
			bits = t[0]
		case 'g':
			bits = t[1]
		case 'b':
			bits = t[2]
		case 'a':
			bits = t[3]
		}
		switch {
		case l == '.':
		case f.srgb() && l != 'a':
			raw = slowToSRGB(bits)
		case rule.float == 16:
			raw = uint64(storeHalf(bits))
		default:
			raw = rule.store(bits)
		}
		for b := range widths[i] {
			word[(at+b)/8] |= byte(raw>>b&1) << ((at + b) % 8)
		}
		at += widths[i]
	}
	return word
}

// slowToSRGB counts the points between neighbours that a linear value reaches.
func slowToSRGB(bits uint32) uint64 {
	v := float64(math.Float32frombits(bits))
	if !(v > 0) {
		return 0
	}
	if v >= 1 {
		return 255
	}
	y := ratPower(new(big.Rat).SetFloat64(v), 5)
	return uint64(sort.Search(255, func(n int) bool { return y.Cmp(srgbMiddles[n]) < 0 }))
}

var srgbMiddles = func() (m [255]*big.Rat) {
	for i := range m {
		m[i] = curve5(2*int64(i)+1, 510)
	}
	return m
}()

// interesting returns a component to encode.
func interesting(r *rand.Rand, float bool) uint32 {
	if !float {
		switch r.IntN(4) {
		case 0:
			return r.Uint32()
		case 1:
			return uint32(int32(r.IntN(600) - 300))
		case 2:
			return uint32(int32(r.IntN(140000) - 70000))
		}
		return []uint32{0, 1, 127, 128, 255, 256, 32767, 32768, 65535, 65536, 1<<31 - 1, 1 << 31, 1<<32 - 1, 0xffffff80, 0xffffff7f, 0xffff8000, 0xffff7fff}[r.IntN(17)]
	}
	switch r.IntN(6) {
	case 0:
		return r.Uint32()
	case 1: // on, and close to, the middle between two normalized numbers
		d := []float32{31, 63, 127, 255, 1023, 32767, 65535, 3}[r.IntN(8)]
		v := (float32(r.IntN(int(d)*2)) - d/2 + 0.5) / d
		return math.Float32bits(v) + uint32(r.IntN(3)) - 1
	case 2:
		return math.Float32bits(r.Float32()*2 - 0.5)
	case 3: // a tie between two halves
		h := uint16(r.IntN(0x7c00))
		return math.Float32bits(float32((halfValue(h)+halfValue(h+1))/2)) + uint32(r.IntN(3)) - 1
	case 4:
		return math.Float32bits(float32(math.Ldexp(r.Float64(), r.IntN(60)-40)))
	}
	return []uint32{0, 1 << 31, oneBits, oneBits | 1<<31, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x7f7fffff, 0xff7fffff, 0x33000000, 0x33000001, 0x387fffff}[r.IntN(13)]
}

// TestEncode compares every format with the oracle.
func TestEncode(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 200
	}
	for _, f := range Formats() {
		r := rand.New(rand.NewPCG(uint64(f.Order), uint64(f.Type)))
		for range n {
			var x Texel
			for i := range x {
				x[i] = interesting(r, f.Class() == ClassFloat)
			}
			got := make([]byte, f.Bytes())
			for i := range got {
				got[i] = 0xaa
			}
			f.Encode(got, x)
			want := slowEncode(f, x)
			for i := range got {
				if got[i] != want[i] && !(f.Type == HalfFloat && nanHalf(got[i&^1:]) && nanHalf(want[i&^1:])) {
					t.Fatalf("%s: %x becomes % x, want % x", f, x, got, want)
				}
			}
		}
	}
}

func nanHalf(p []byte) bool { return binary.LittleEndian.Uint16(p)&0x7fff > 0x7c00 }

// TestRoundTrip reads every element and writes it again, which changes nothing
// but the smallest number of snorm, which is no other than the one above it.
func TestRoundTrip(t *testing.T) {
	for _, f := range Formats() {
		patterns(f, func(p []byte) {
			x := f.Decode(p)
			back := make([]byte, len(p))
			f.Encode(back, x)
			if y := f.Decode(back); !sameTexel(x, y, f.Class() == ClassFloat) {
				t.Fatalf("%s: % x is %x, but % x, which that becomes, is %x", f, p, x, back, y)
			}
		})
	}
}

// TestFormats has which formats there are, by their names and sizes.
func TestFormats(t *testing.T) {
	for _, c := range []struct {
		f     Format
		bytes int
	}{
		{Format{OrderR, UnormInt8}, 1}, {Format{OrderRG, HalfFloat}, 4}, {Format{OrderRA, SignedInt32}, 8}, {Format{OrderRGBA, Float}, 16},
		{Format{OrderRGB, UnormShort565}, 2}, {Format{OrderRGBx, UnormInt101010}, 4}, {Format{OrderRGBA, UnormInt101010x2}, 4},
		{Format{OrderSRGB, UnormInt8}, 3}, {Format{OrderSRGBx, UnormInt8}, 4}, {Format{OrderBGRA, SignedInt8}, 4},
		{Format{OrderRGB, UnormInt8}, 0}, {Format{OrderBGRA, UnormInt16}, 0}, {Format{OrderLuminance, SignedInt8}, 0},
		{Format{OrderDepth, Float}, 4}, {Format{OrderDepth, UnormInt16}, 2}, {Format{OrderDepth, HalfFloat}, 0}, {Format{OrderDepthStencil, UnormInt24}, 0}, {Format{OrderR, UnormInt24}, 0}, {Format{OrderSRGBA, UnormInt16}, 0}, {Format{OrderR, UnormShort565}, 0},
		{Format{NumOrders, UnormInt8}, 0}, {Format{OrderR, NumChannelTypes}, 0}, {Format{255, 255}, 0},
	} {
		if got := c.f.Bytes(); got != c.bytes || c.f.Valid() != (c.bytes != 0) {
			t.Errorf("%s: %d bytes, valid %t; want %d", c.f, got, c.f.Valid(), c.bytes)
		}
	}
	for _, f := range Formats() {
		o, ok := ParseChannelOrder(f.Order.String())
		ty, ok2 := ParseChannelType(f.Type.String())
		if !ok || !ok2 || (Format{o, ty}) != f {
			t.Errorf("%s does not read back", f)
		}
		border := Texel{}
		switch f.Order {
		case OrderR, OrderRG, OrderRGB, OrderLuminance, OrderSRGB:
			border[3] = f.Decode(make([]byte, 16))[3]
		}
		if got := f.Border(); got != border {
			t.Errorf("%s: border %x, want %x", f, got, border)
		}
	}
}
