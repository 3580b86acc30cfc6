package memory

import (
	"math"
	"math/big"
)

// exactBits is the precision in which sums that float64 cannot decide are exact. The largest has 8 elements
// for each of two levels: three weights of at most 170 bits each, an element of 24 bits within 2^-149 and
// 2^128, and the share of a level.
const exactBits = 2048

// Coord are the coordinates of a read: of the dimensions that the image has, and then the layer of an array.
type Coord [3]float32

// dims returns how many coordinates an image has besides the layer.
func (im *Image) dims() int {
	switch im.Dim {
	case Dim2D:
		return 2
	case Dim3D:
		return 3
	}
	return 1
}

// sizes returns the extents of a level in the dimensions that the image has.
func (l *Level) sizes(im *Image) []int64 {
	all := [...]int64{l.Width, l.Height, l.Depth}
	return all[:im.dims()]
}

// Sample reads an image with a sampler, at a level of detail. data is what [Global.ImageBytes] returns.
//
// A linear filter gives the value of the specification's formula (OpenCL C 8.2). Where a normalized coordinate
// is in the image is a float, as coord.go says; from there on weights and elements are exact, and the sum is
// rounded once, to the nearest float, ties to even. Exact elements are
// the fractions that normalized integers stand for; a colour in sRGB's curve is the float that a read of it
// alone gives. Elements without weight do not count. With an infinity or a NaN among the others the sum is
// that of IEEE arithmetic.
func (im *Image) Sample(data []byte, s Sampler, c Coord, lod float32) Texel {
	return im.sample(data, s, c, lod, false)
}

// SampleOdd is Sample for a read of halves: floats that are not exact are rounded to odd, as those of
// [Format.DecodeOdd].
func (im *Image) SampleOdd(data []byte, s Sampler, c Coord, lod float32) Texel {
	return im.sample(data, s, c, lod, true)
}

func (im *Image) sample(data []byte, s Sampler, c Coord, lod float32, odd bool) Texel {
	if im.Format.Class() != ClassFloat {
		s &^= 1<<4 | 1<<5 // there is no mixing integers
	}
	low, high := s.Levels(im, lod)
	if !s.linear() && high == 0 {
		l := im.Level(low)
		return im.nearestTexel(data, s, &l, c, odd)
	}
	m := mixer{im: im, data: data, s: s, c: c, low: low, high: high, odd: odd}
	m.level(low, 1-high)
	if high != 0 {
		m.level(low+1, high)
	}
	return m.texel()
}

// SampleAt reads an image with a sampler that has integer coordinates.
func (im *Image) SampleAt(data []byte, s Sampler, c [3]int64, lod float32) Texel {
	return im.sampleAt(data, s, c, lod, false)
}

// SampleAtOdd is SampleAt for a read of halves, as [Image.SampleOdd].
func (im *Image) SampleAtOdd(data []byte, s Sampler, c [3]int64, lod float32) Texel {
	return im.sampleAt(data, s, c, lod, true)
}

func (im *Image) sampleAt(data []byte, s Sampler, c [3]int64, lod float32, odd bool) Texel {
	l, at, in := im.addressed(s, c, lod)
	return im.element(data, &l, at, in, odd)
}

// addressed returns the element that a sampler with integer coordinates leads to.
func (im *Image) addressed(s Sampler, c [3]int64, lod float32) (l Level, at [3]int64, in bool) {
	low, _ := (s &^ (1 << 5)).Levels(im, lod)
	l = im.Level(low)
	at, in = c, true
	for d, size := range l.sizes(im) {
		i, ok := s.address(c[d], size)
		at[d], in = i, in && ok
	}
	if im.Array {
		at[2] = min(max(c[im.dims()], 0), int64(im.Layers)-1)
		if im.dims() == 1 {
			at[1] = 0
		}
	}
	return l, at, in
}

// Inside says whether a sampler that does not address elements outside of an image, [AddressNone], reads none
// there. Others never do.
func (im *Image) Inside(s Sampler, c Coord) bool {
	if s.addressing() != AddressNone {
		return true
	}
	l := im.Level(0)
	for d, size := range l.sizes(im) {
		t := s.nearest(c[d], size)
		if s.linear() {
			t = s.between(c[d], size)
			t.in0 = t.in0 && (t.in1 || t.a == 0)
		}
		if !t.in0 {
			return false
		}
	}
	return true
}

// element decodes an element of a level, or returns the border.
func (im *Image) element(data []byte, l *Level, at [3]int64, in, odd bool) Texel {
	switch {
	case !in:
		return im.Format.Border()
	case odd:
		return im.Format.DecodeOdd(data[l.offset(im, at):])
	}
	return im.Format.Decode(data[l.offset(im, at):])
}

// offset returns where an element of the level begins.
func (l *Level) offset(im *Image, at [3]int64) uint64 {
	return l.Base + uint64(at[2])*l.SlicePitch + uint64(at[1])*l.RowPitch + uint64(at[0])*uint64(im.Format.Bytes())
}

func (im *Image) nearestTexel(data []byte, s Sampler, l *Level, c Coord, odd bool) Texel {
	var at [3]int64
	in := true
	n := im.dims()
	for d, size := range l.sizes(im) {
		t := s.nearest(c[d], size)
		at[d], in = t.i0, in && t.in0
	}
	if im.Array {
		at[2] = im.layer(finite(c[n]))
	}
	return im.element(data, l, at, in, odd)
}

// mixer adds up elements with their weights.
type mixer struct {
	im   *Image
	data []byte
	s    Sampler
	c    Coord

	terms [16]term
	n     int
	// inexact says that some weight was rounded.
	inexact bool
	// low is the lower level, and high the share of the one behind it.
	low  uint32
	high float64
	// odd says that the sum is rounded to odd.
	odd bool
}

// term is an element and its weight.
type term struct {
	w float64
	v [4]float64
}

// level adds the elements of a level, which has a share of the result.
func (m *mixer) level(n uint32, share float64) {
	l := m.im.Level(n)
	taps, dims := m.taps(&l)
	used := 0
	for d := range dims {
		if m.s.linear() {
			used++
		}
		if !taps[d].exact {
			m.inexact = true
		}
	}
	if share != 1 {
		used++
	}
	// A weight is the product of used factors, which is exact when none of them has more than so many bits.
	unit := float64(uint64(1) << [...]int{29, 29, 14, 9, 7}[used])
	fine := func(a float64) bool { return a*unit == math.Trunc(a*unit) }
	if !fine(share) {
		m.inexact = true
	}
	for d := range dims {
		if !fine(taps[d].a) {
			m.inexact = true
		}
	}
	m.corners(&l, &taps, dims, func(at [3]int64, in bool, pick [3]int) {
		w := share
		for d := range dims {
			if m.s.linear() {
				w *= [2]float64{1 - taps[d].a, taps[d].a}[pick[d]]
			}
		}
		if w != 0 {
			m.terms[m.n] = term{w, m.im.exactElement(m.data, &l, at, in)}
			m.n++
		}
	})
}

// taps returns the elements of each dimension.
func (m *mixer) taps(l *Level) (taps [3]tap, dims int) {
	dims = m.im.dims()
	for d, size := range l.sizes(m.im) {
		if m.s.linear() {
			taps[d] = m.s.between(m.c[d], size)
		} else {
			taps[d] = m.s.nearest(m.c[d], size)
		}
	}
	return taps, dims
}

// corners calls f for each element that taps pick, and says which of a tap's two it is.
func (m *mixer) corners(l *Level, taps *[3]tap, dims int, f func(at [3]int64, in bool, pick [3]int)) {
	n := 1
	if m.s.linear() {
		n = 1 << dims
	}
	for i := range n {
		var at [3]int64
		var pick [3]int
		in := true
		for d := range dims {
			t := &taps[d]
			if pick[d] = i >> d & 1; pick[d] == 0 {
				at[d], in = t.i0, in && t.in0
			} else {
				at[d], in = t.i1, in && t.in1
			}
		}
		if m.im.Array {
			at[2] = m.im.layer(finite(m.c[dims]))
		}
		f(at, in, pick)
	}
}

// texel returns the sum.
func (m *mixer) texel() Texel {
	scale := m.im.Format.scales()
	var t Texel
	for i := range t {
		t[i] = math.Float32bits(m.component(i, scale[i]))
	}
	return t
}

// component returns component i of the sum, divided by scale.
func (m *mixer) component(i int, scale float64) float32 {
	// The sum is sum+rest; exact says that neither has been rounded.
	sum, rest, size, exact := 0.0, 0.0, 0.0, !m.inexact
	for j := range m.n {
		t := &m.terms[j]
		p := float64(t.w * t.v[i])
		if j == 0 {
			sum = p
		} else {
			var r, lost float64
			sum, r = twoSum(sum, p)
			if rest, lost = twoSum(rest, r); lost != 0 {
				exact = false
			}
		}
		size += math.Abs(t.v[i])
	}
	if size > math.MaxFloat64/2 || size != size { // infinities, NaNs
		if sum != sum {
			return math.Float32frombits(quietNaN)
		}
		return float32(sum)
	}
	if size == 0 {
		return float32(sum)
	}
	q := sum / scale
	switch {
	case !exact:
	case rest != 0 && scale == 1:
		// Rounded to odd, which is never in the middle between two floats (Boldo and Melquiond, 2008).
		if sum, rest = twoSum(sum, rest); rest != 0 && math.Float64bits(sum)&1 == 0 {
			sum = math.Nextafter(sum, math.Copysign(math.MaxFloat64, rest))
		}
		return m.round(sum)
	case rest == 0 && (scale == 1 || math.FMA(q, scale, -sum) == 0):
		return m.round(q)
	}
	// What has been rounded so far is far less than this. When the result is the same at both ends, it is
	// right.
	bound := size / scale * (1.0 / (1 << 44))
	if lo, hi := m.round(q-bound), m.round(q+bound); lo == hi && lo != 0 {
		return lo
	}
	return m.exact(i, scale)
}

// quietNaN is the NaN that mixing gives, on every machine.
const quietNaN = 0x7fc00000

// exact returns component i of the sum, divided by scale, in arithmetic that is wide enough.
func (m *mixer) exact(i int, scale float64) float32 {
	num := func(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }
	sum := num(0)
	shares := []*big.Float{num(0).Sub(num(1), num(m.high)), num(m.high)}
	for n, share := range shares {
		if share.Sign() == 0 {
			continue
		}
		l := m.im.Level(m.low + uint32(n))
		taps, dims := m.taps(&l)
		var w [3][2]*big.Float
		if m.s.linear() {
			for d, size := range l.sizes(m.im) {
				a := m.s.weight(m.c[d], size)
				w[d] = [2]*big.Float{num(0).Sub(num(1), a), a}
			}
		}
		m.corners(&l, &taps, dims, func(at [3]int64, in bool, pick [3]int) {
			v := m.im.exactElement(m.data, &l, at, in)[i]
			if v-v != 0 {
				return // it has no weight, or the sum would be no number
			}
			p := num(v)
			p.Mul(p, share)
			for d := range dims {
				if m.s.linear() {
					p.Mul(p, w[d][pick[d]])
				}
			}
			sum.Add(sum, p)
		})
	}
	// The quotient lies so far from the middle between two floats, unless it is exactly there, that rounding
	// it first to this precision does no harm.
	sum.Quo(sum, num(scale))
	if m.odd {
		f, accuracy := new(big.Float).SetMode(big.ToZero).SetPrec(24).Set(sum).Float32()
		if accuracy == big.Exact && sum.Cmp(num(float64(f))) == 0 {
			return f
		}
		return math.Float32frombits(math.Float32bits(f) | 1)
	}
	f, _ := sum.Float32()
	return f
}

// round rounds a number to a float: to nearest, ties to even, or to odd.
func (m *mixer) round(x float64) float32 {
	if m.odd {
		return odd32(x)
	}
	return float32(x)
}

// odd32 returns x as a float if it is one, and otherwise that neighbour of which the last bit is 1.
func odd32(x float64) float32 {
	f := float32(x)
	d := x - float64(f)
	if d == 0 || d != d || math.Float32bits(f)&1 != 0 {
		return f
	}
	if math.IsInf(float64(f), 0) {
		return float32(math.Copysign(math.MaxFloat32, x))
	}
	return math.Nextafter32(f, float32(math.Copysign(math.MaxFloat32, d)))
}

// scales returns by what the exact elements of a format are larger than the numbers that they stand for.
func (f Format) scales() [4]float64 {
	if pk, ok := packedOf(f.Type); ok {
		s := [4]float64{1, 1, 1, 1}
		for c, n := range pk.bits {
			if n != 0 {
				s[c] = float64(uint32(1)<<n - 1)
			}
		}
		return s
	}
	most := 1.0
	switch f.Type {
	case UnormInt8:
		most = 255
	case UnormInt16:
		most = 65535
	case SnormInt8:
		most = 127
	case SnormInt16:
		most = 32767
	}
	if f.srgb() {
		return [4]float64{1, 1, 1, most}
	}
	return [4]float64{most, most, most, most}
}

// exactElement returns an element of a level, or the border, times the format's scales: all of it whole
// numbers for normalized integers.
func (im *Image) exactElement(data []byte, l *Level, at [3]int64, in bool) (v [4]float64) {
	f := im.Format
	scale := f.scales()
	if !in {
		for i, b := range f.Border() {
			v[i] = float64(math.Float32frombits(b)) * scale[i]
		}
		return v
	}
	for i, b := range f.Decode(data[l.offset(im, at):]) {
		v[i] = float64(math.Float32frombits(b))
		if scale[i] != 1 {
			// The float nearest to a fraction is so near that the numerator is the nearest whole number.
			v[i] = math.RoundToEven(v[i] * scale[i])
		}
	}
	return v
}
