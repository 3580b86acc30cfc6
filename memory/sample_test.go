package memory

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The oracle evaluates the formulas of OpenCL C, sections 8.1 to 8.3, as they are written there: the distance
// from floor(s) and the product with the extent in floats, and all the rest with fractions.

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// floorRat returns the floor of a fraction.
func floorRat(r *big.Rat) int64 {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // m >= 0: the floor
	_ = m
	if !q.IsInt64() {
		return int64(q.Sign()) * (1 << 50)
	}
	return q.Int64()
}

// toFloat rounds a fraction to float.
func toFloat(r *big.Rat) *big.Rat {
	f, _ := r.Float32()
	return rat(float64(f))
}

// oracleTaps returns the elements of a dimension and the weight of the second; -1 is the border.
func oracleTaps(st SamplerState, c float32, size int64) (i0, i1 int64, a *big.Rat) {
	s, w := rat(float64(c)), rat(float64(size))
	u := new(big.Rat).Set(s)
	if st.Normalized {
		switch st.Addressing {
		case AddressRepeat:
			u = toFloat(u.Sub(s, new(big.Rat).SetInt64(floorRat(s))))
		case AddressMirroredRepeat:
			u.Sub(s, rat(2*math.RoundToEven(0.5*float64(c)))).Abs(u)
		}
		u = toFloat(u.Mul(u, w))
	}
	half := big.NewRat(1, 2)
	v := new(big.Rat).Sub(u, half)
	border := func(i int64) int64 {
		switch st.Addressing {
		case AddressClampToEdge:
			return min(max(i, 0), size-1)
		}
		if i < 0 || i >= size {
			return -1
		}
		return i
	}
	if !st.Linear {
		i := floorRat(u)
		switch st.Addressing {
		case AddressRepeat:
			if i > size-1 {
				i -= size
			}
			return i, i, new(big.Rat)
		case AddressMirroredRepeat:
			i = min(i, size-1)
			return i, i, new(big.Rat)
		}
		return border(i), border(i), new(big.Rat)
	}
	i0 = floorRat(v)
	a = new(big.Rat).Sub(v, new(big.Rat).SetInt64(i0))
	i1 = i0 + 1
	switch st.Addressing {
	case AddressRepeat:
		if i0 < 0 {
			i0 += size
		}
		if i1 > size-1 {
			i1 -= size
		}
	case AddressMirroredRepeat:
		i0, i1 = max(i0, 0), min(i1, size-1)
	default:
		i0, i1 = border(i0), border(i1)
	}
	return i0, i1, a
}

// oracleElement returns component i of an element as a fraction.
func oracleElement(im *Image, data []byte, l *Level, x, y, z int64, i int) *big.Rat {
	f := im.Format
	if x < 0 || y < 0 || z < 0 {
		return rat(float64(math.Float32frombits(f.Border()[i])))
	}
	p := data[l.Base+uint64(z)*l.SlicePitch+uint64(y)*l.RowPitch+uint64(x)*uint64(f.Bytes()):]
	switch f {
	case Format{OrderRGBA, UnormInt8}:
		return big.NewRat(int64(p[i]), 255)
	case Format{OrderRGBA, SnormInt8}:
		return big.NewRat(max(int64(int8(p[i])), -127), 127)
	case Format{OrderBGRA, UnormInt8}:
		return big.NewRat(int64(p[[]int{2, 1, 0, 3}[i]]), 255)
	case Format{OrderRGB, UnormShort565}:
		v := int64(p[0]) | int64(p[1])<<8
		return []*big.Rat{big.NewRat(v>>11, 31), big.NewRat(v>>5&63, 63), big.NewRat(v&31, 31), big.NewRat(1, 1)}[i]
	}
	return rat(float64(math.Float32frombits(f.Decode(p)[i])))
}

func (o *oracle) sum(i int) *big.Rat {
	sum := new(big.Rat)
	for n, share := range []*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), rat(o.high)), rat(o.high)} {
		if share.Sign() == 0 {
			continue
		}
		l := o.im.Level(o.low + uint32(n))
		var at [3][2]int64
		var w [3][2]*big.Rat
		for d := range 3 {
			w[d] = [2]*big.Rat{big.NewRat(1, 1), new(big.Rat)}
			if d < o.im.dims() {
				i0, i1, a := oracleTaps(o.st, o.c[d], []int64{l.Width, l.Height, l.Depth}[d])
				at[d] = [2]int64{i0, i1}
				w[d] = [2]*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), a), a}
			}
		}
		for k := range 8 {
			p := new(big.Rat).Set(share)
			for d := range 3 {
				p.Mul(p, w[d][k>>d&1])
			}
			if p.Sign() == 0 {
				continue
			}
			z := at[2][k>>2&1]
			if o.im.Array {
				z = int64(math.RoundToEven(min(max(float64(o.c[o.im.dims()]), 0), float64(o.im.Layers-1))))
			}
			sum.Add(sum, p.Mul(p, oracleElement(o.im, o.data, &l, at[0][k&1], at[1][k>>1&1], z, i)))
		}
	}
	return sum
}

func (o *oracle) component(i int) float32 {
	f, _ := o.sum(i).Float32()
	return f
}

// ratToHalf rounds a fraction to half, ties to even, by a search among all halves.
func ratToHalf(x *big.Rat) uint16 {
	sign, a := uint16(0), new(big.Rat).Abs(x)
	if x.Sign() < 0 {
		sign = 0x8000
	}
	lo, hi := uint16(0), uint16(0x7c00)
	for lo+1 < hi { // the largest half that is not above a
		if mid := (lo + hi) / 2; rat(halfValue(mid)).Cmp(a) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	above := 65536.0
	if lo < 0x7bff {
		above = halfValue(lo + 1)
	}
	middle := rat((halfValue(lo) + above) / 2)
	if c := a.Cmp(middle); c > 0 || c == 0 && lo&1 != 0 {
		lo++
	}
	return sign | lo
}

// TestDecodeHalf rounds all elements of one channel to half, by way of DecodeOdd and in fractions.
func TestDecodeHalf(t *testing.T) {
	twice := 0
	for _, c := range []struct {
		typ    ChannelType
		bytes  int
		most   int64
		signed bool
	}{{UnormInt8, 1, 255, false}, {UnormInt16, 2, 65535, false}, {SnormInt8, 1, 127, true}, {SnormInt16, 2, 32767, true}} {
		f := Format{OrderR, c.typ}
		for raw := range 1 << (8 * c.bytes) {
			v := int64(raw)
			if c.signed {
				v = max(v<<(64-8*c.bytes)>>(64-8*c.bytes), -c.most)
			}
			p := []byte{byte(raw), byte(raw >> 8)}
			want := ratToHalf(big.NewRat(v, c.most))
			if got := halfFromFloat(f.DecodeOdd(p)[0]); got != want {
				t.Errorf("%v of %d: half %#x, want %#x", f, v, got, want)
			}
			if halfFromFloat(f.Decode(p)[0]) != want {
				twice++
			}
		}
	}
	// 65455/65535, 65519/65535 and ±32759/32767 are halves that two roundings get wrong.
	if twice != 4 {
		t.Errorf("%d elements differ when they are rounded twice, want 4", twice)
	}
	for raw, bits := range srgbToLinear {
		if x := math.Float32frombits(bits); x > 0x1p-14 && bits&(1<<13-1) == 1<<12 {
			t.Errorf("sRGB %d, %v, is the middle of two halves", raw, x)
		}
	}
}

type oracle struct {
	im   *Image
	data []byte
	st   SamplerState
	c    Coord
	low  uint32
	high float64
}

// sampleImage makes an image of a kind, with random elements.
func sampleImage(r *rand.Rand, dim Dim, array bool, f Format, levels uint32) (*Image, []byte) {
	im := &Image{Format: f, Dim: dim, Array: array, Width: 1 + r.Uint32N(9), Height: 1, Depth: 1, Layers: 1, Levels: levels}
	if levels > 1 {
		im.Width = 1 << (levels - 1)
	}
	if dim != Dim1D {
		im.Height = 1 + r.Uint32N(6)
	}
	if dim == Dim3D {
		im.Depth = 1 + r.Uint32N(5)
	}
	if array {
		im.Layers = 1 + r.Uint32N(4)
	}
	im.RowPitch = im.RowBytes()
	im.SlicePitch = im.RowPitch * uint64(im.Height)
	n, ok := im.Extent()
	if !ok {
		panic("the image has no extent")
	}
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	if f.Type == Float { // finite, of comparable size, often equal
		for i := 0; i < len(data); i += 4 {
			v := math.Float32bits(float32(r.IntN(2000)-1000) * [...]float32{1, 0.001, 1e-30, 1e30, 1e-44}[r.IntN(5)])
			data[i], data[i+1], data[i+2], data[i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
		}
	}
	return im, data
}

// sampleCoord returns a coordinate that is likely to be interesting.
func sampleCoord(r *rand.Rand, normalized bool, size uint32) float32 {
	v := float32(r.NormFloat64()) * float32(size)
	switch r.IntN(8) {
	case 0:
		v = float32(r.IntN(int(4*size))) - float32(size)
	case 1:
		v = float32(r.IntN(int(4*size)))/2 - float32(size)/2
	case 2:
		v = float32(r.IntN(int(256*size))) / 256
	case 3:
		v = math.Float32frombits(r.Uint32N(0x3f800000)) // down to the smallest
	case 4:
		v = -math.Float32frombits(r.Uint32N(0x3f800000))
	case 5:
		v = float32(size) * (1 - 1.0/(1<<24))
	}
	if normalized && r.IntN(3) > 0 {
		v /= float32(size)
	}
	return v
}

// TestSampleExactly compares sampled reads with the formulas of the specification, as the oracle evaluates them.
func TestSampleExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	formats := []Format{{OrderRGBA, UnormInt8}, {OrderRGBA, SnormInt8}, {OrderBGRA, UnormInt8}, {OrderRGB, UnormShort565},
		{OrderRGBA, Float}, {OrderR, Float}, {OrderSRGBA, UnormInt8}}
	var exact int
	for n := range 8000 {
		dim := []Dim{Dim1D, Dim2D, Dim2D, Dim3D}[r.IntN(4)]
		levels := uint32(1)
		if r.IntN(4) == 0 {
			levels = 1 + r.Uint32N(3)
		}
		f := formats[r.IntN(len(formats))]
		im, data := sampleImage(r, dim, dim != Dim3D && r.IntN(3) == 0, f, levels)
		st := SamplerState{Normalized: r.IntN(2) == 0, Addressing: Addressing(r.IntN(5)), Linear: r.IntN(4) > 0, MipLinear: r.IntN(2) == 0, MaxLod: 255}
		if !st.Normalized {
			st.Addressing = []Addressing{AddressClampToEdge, AddressClamp}[r.IntN(2)]
		}
		o := oracle{im: im, data: data, st: st}
		for d, size := range []uint32{im.Width, im.Height, im.Depth}[:im.dims()] {
			o.c[d] = sampleCoord(r, st.Normalized, size)
		}
		if im.Array {
			o.c[im.dims()] = float32(r.IntN(16))/2 - 2
		}
		lod := float32(r.NormFloat64()) * 2
		if levels > 1 {
			v := min(max(float64(lod), 0), float64(levels-1))
			if o.low = uint32(math.Ceil(v-0.5) + 0); st.MipLinear {
				o.low = uint32(v)
				o.high = v - math.Floor(v)
			}
		}
		if f == (Format{OrderSRGBA, UnormInt8}) { // the alpha is a fraction
			continue
		}
		got := im.Sample(data, st.Pack(), o.c, lod)
		for i := range 4 {
			if want := o.component(i); math.Float32bits(want) != got[i] && !(want == 0 && got[i] == 1<<31) {
				t.Fatalf("read %d, %s of %+v at %v, lod %v, component %d: %v (%#x), want %v (%#x)",
					n, im, st, o.c, lod, i, math.Float32frombits(got[i]), got[i], want, math.Float32bits(want))
			}
		}
		odd := im.SampleOdd(data, st.Pack(), o.c, lod)
		for i := range 4 {
			if got, want := halfFromFloat(odd[i]), ratToHalf(o.sum(i)); got != want && got|want != 0x8000 {
				t.Fatalf("read %d, %s of %+v at %v, lod %v, component %d: half %#x, want %#x", n, im, st, o.c, lod, i, got, want)
			}
		}
		exact++
	}
	if exact < 5000 {
		t.Errorf("%d reads were compared", exact)
	}
}

// TestSampleOdd looks at coordinates and elements that are no finite numbers, and at samplers that there are
// not.
func TestSampleOdd(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	im := &Image{Format: Format{OrderR, Float}, Dim: Dim2D, Width: 4, Height: 1, Depth: 1, Layers: 1, Levels: 1, RowPitch: 16, SlicePitch: 16}
	row := func(v ...float32) []byte {
		var data []byte
		for _, x := range v {
			b := math.Float32bits(x)
			data = append(data, byte(b), byte(b>>8), byte(b>>16), byte(b>>24))
		}
		return data
	}
	for name, c := range map[string]struct {
		st   SamplerState
		x    float32
		data []byte
		want float32
	}{
		"infinity, edge":    {SamplerState{Addressing: AddressClampToEdge}, inf, row(1, 2, 3, 4), 4},
		"infinity, border":  {SamplerState{Addressing: AddressClamp}, -inf, row(1, 2, 3, 4), 0},
		"infinity, repeat":  {SamplerState{Addressing: AddressRepeat, Normalized: true}, inf, row(1, 2, 3, 4), 1},
		"NaN":               {SamplerState{Addressing: AddressRepeat, Normalized: true}, nan, row(1, 2, 3, 4), 1},
		"infinite element":  {SamplerState{Addressing: AddressClampToEdge, Linear: true}, 2, row(1, inf, 3, 4), inf},
		"without weight":    {SamplerState{Addressing: AddressClampToEdge, Linear: true}, 0.5, row(1, inf, 3, 4), 1},
		"NaN element":       {SamplerState{Addressing: AddressClampToEdge, Linear: true}, 1, row(1, nan, 3, 4), nan},
		"two infinities":    {SamplerState{Addressing: AddressClampToEdge, Linear: true}, 1, row(inf, -inf, 3, 4), nan},
		"no such mode":      {SamplerState{Addressing: 7, Linear: true}, -9, row(1, 2, 3, 4), 0},
		"repeat, not norm.": {SamplerState{Addressing: AddressRepeat}, 9, row(1, 2, 3, 4), 4},
		"largest":           {SamplerState{Addressing: AddressClampToEdge, Linear: true}, 1, row(math.MaxFloat32, math.MaxFloat32, 3, 4), math.MaxFloat32},
		"smallest":          {SamplerState{Addressing: AddressClampToEdge, Linear: true}, 1, row(0, math.SmallestNonzeroFloat32, 3, 4), 0},
	} {
		got := math.Float32frombits(im.Sample(c.data, c.st.Pack(), Coord{c.x, 0.5, 0}, 0)[0])
		if got != c.want && (got == got || c.want == c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestSampleFloats holds that coordinates are multiplied in floats, which takes some into the next element, or once around.
func TestSampleFloats(t *testing.T) {
	im := &Image{Format: Format{OrderR, Float}, Dim: Dim1D, Width: 10, Height: 1, Depth: 1, Layers: 1, Levels: 1, RowPitch: 40, SlicePitch: 40}
	var data []byte
	for i := range 10 {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i)))
	}
	for _, c := range []struct {
		a      Addressing
		linear bool
		x      float32 // less than the fraction that it stands for, or little less than a whole number
		want   float32
	}{
		{AddressClampToEdge, false, 0.7, 7}, {AddressClamp, false, 0.7, 7}, {AddressRepeat, false, 0.7, 7}, {AddressMirroredRepeat, false, 0.7, 7},
		{AddressClampToEdge, true, 0.85, 8}, {AddressRepeat, true, 0.85, 8}, {AddressMirroredRepeat, true, 0.85, 8},
		{AddressRepeat, false, -1e-10, 0}, {AddressRepeat, true, -1e-10, 4.5}, {AddressMirroredRepeat, false, -1e-10, 0},
	} {
		s := SamplerState{Normalized: true, Addressing: c.a, Linear: c.linear}.Pack()
		if got := math.Float32frombits(im.Sample(data, s, Coord{c.x}, 0)[0]); got != c.want {
			t.Errorf("%v, linear %v, at %v: %v, want %v", c.a, c.linear, c.x, got, c.want)
		}
		var l ImageLanes
		var at, out LaneWords
		at[0] = math.Float32bits(c.x)
		l.Sample(im, data, s, 1, &[3]*LaneWords{&at}, &[4]*LaneWords{&out})
		if got := math.Float32frombits(out[0]); got != c.want {
			t.Errorf("%v, linear %v, at %v: a wave reads %v, want %v", c.a, c.linear, c.x, got, c.want)
		}
	}
}

// TestSampleHalf blends elements so that the sum is next to the middle of two halves, where two roundings go wrong.
func TestSampleHalf(t *testing.T) {
	im := &Image{Format: Format{OrderR, Float}, Dim: Dim1D, Width: 2, Height: 1, Depth: 1, Layers: 1, Levels: 1, RowPitch: 8, SlicePitch: 8}
	for _, c := range []struct{ x, y float32 }{
		{1 + 0x1p-11, 2}, {1 + 0x1p-11, 0}, {1 + 0x3p-11, 2}, {1 + 0x3p-11, 1}, {2049, 4096}, {2049, 1}, {2051, 1}, {65520, 1},
		{-2049, -4096}, {-2051, 3}, {0x3p-25, 0x1p-26}, {0x3p-25, 0x1p-20}, {0x1p-25, 1e-30}, {0x1p-25, 1},
	} {
		data := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(c.x)), math.Float32bits(c.y))
		st := SamplerState{Addressing: AddressClampToEdge, Linear: true}
		at := Coord{math.Nextafter32(0.5, 1)} // almost nothing of the second
		sum := new(big.Rat).Add(rat(float64(c.x)), new(big.Rat).Mul(rat(0x1p-24), new(big.Rat).Sub(rat(float64(c.y)), rat(float64(c.x)))))
		want := ratToHalf(sum)
		if got := halfFromFloat(im.SampleOdd(data, st.Pack(), at, 0)[0]); got != want {
			t.Errorf("%v and a little of %v: half %#x, want %#x", c.x, c.y, got, want)
		}
	}
}

// TestSampleNoNumber holds that an element which is no number does no harm where it has no weight, although the
// sum needs wide arithmetic: 1 + 2^-24 + 2^-46, next to the middle of two floats.
func TestSampleNoNumber(t *testing.T) {
	im := &Image{Format: Format{OrderR, Float}, Dim: Dim2D, Width: 2, Height: 2, Depth: 1, Layers: 1, Levels: 1, RowPitch: 8, SlicePitch: 16}
	var data []byte
	for _, v := range []float32{1, float32(math.NaN()), 1 + 1.0/(1<<23), float32(math.Inf(1))} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	s := SamplerState{Addressing: AddressClampToEdge, Linear: true}.Pack()
	if got := math.Float32frombits(im.Sample(data, s, Coord{0.5, 1 + 1.0/(1<<23), 0}, 0)[0]); got != 1+1.0/(1<<23) {
		t.Errorf("%v", got)
	}
}

func TestSamplerState(t *testing.T) {
	for _, st := range []SamplerState{
		{}, {Normalized: true, Addressing: AddressMirroredRepeat, Linear: true, MipLinear: true, MinLod: 1.5, MaxLod: 7.25}, {Addressing: AddressClamp, MaxLod: 3},
	} {
		if got := st.Pack().State(); got != st {
			t.Errorf("%+v, want %+v", got, st)
		}
	}
	if s := (SamplerState{Normalized: true, Linear: true, Addressing: AddressRepeat}).Pack().String(); s != "linear,repeat,normalized" {
		t.Errorf("the name is %s", s)
	}
	im := &Image{Levels: 5}
	for _, c := range []struct {
		st   SamplerState
		lod  float32
		low  uint32
		high float64
	}{
		{SamplerState{MaxLod: 255}, 0.5, 0, 0}, {SamplerState{MaxLod: 255}, 0.51, 1, 0}, {SamplerState{MaxLod: 255}, 99, 4, 0}, {SamplerState{MaxLod: 255}, -1, 0, 0},
		{SamplerState{MaxLod: 255, MipLinear: true}, 2.25, 2, 0.25}, {SamplerState{MinLod: 3, MaxLod: 255, MipLinear: true}, 2.25, 3, 0},
		{SamplerState{MaxLod: 1.5, MipLinear: true}, 2.25, 1, 0.5}, {SamplerState{MaxLod: 255, MipLinear: true}, float32(math.NaN()), 0, 0},
	} {
		if low, high := c.st.Pack().Levels(im, c.lod); low != c.low || high != c.high {
			t.Errorf("%+v at %v: level %d and %v, want %d and %v", c.st, c.lod, low, high, c.low, c.high)
		}
	}
}

// BenchmarkSample reads an image with a linear filter, at coordinates whose weights have many bits and few.
func BenchmarkSample(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range []Format{{OrderRGBA, UnormInt8}, {OrderRGBA, Float}} {
		im := &Image{Format: f, Dim: Dim2D, Width: 64, Height: 64, Depth: 1, Layers: 1, Levels: 1}
		im.RowPitch = im.RowBytes()
		im.SlicePitch = im.RowPitch * 64
		data := make([]byte, im.SlicePitch)
		for i := range data {
			data[i] = byte(r.Uint32()) & 0xbf
		}
		for _, step := range []float32{0.37, 0.25} {
			b.Run(f.String()+map[float32]string{0.37: " many", 0.25: " few"}[step], func(b *testing.B) {
				s := SamplerState{Addressing: AddressClampToEdge, Linear: true}.Pack()
				for i := range b.N {
					im.Sample(data, s, Coord{float32(i%64) + step, float32(i%61) + step}, 0)
				}
			})
		}
	}
}
