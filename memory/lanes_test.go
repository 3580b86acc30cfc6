package memory

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// lanesImages returns an image of each shape and format, with bytes that are any.
func lanesImages(r *rand.Rand) (images []*Image, data [][]byte) {
	for _, f := range Formats() {
		for _, im := range []Image{
			{Dim: Dim1D, Width: 5, Height: 1, Depth: 1, Layers: 1}, {Dim: Dim1D, Array: true, Width: 3, Height: 1, Depth: 1, Layers: 4},
			{Dim: Dim2D, Width: 7, Height: 4, Depth: 1, Layers: 1}, {Dim: Dim2D, Array: true, Width: 4, Height: 3, Depth: 1, Layers: 3},
			{Dim: Dim3D, Width: 3, Height: 2, Depth: 4, Layers: 1}, {Dim: Dim2D, Width: 1, Height: 1, Depth: 1, Layers: 1},
			{Dim: DimBuffer, Width: 9, Height: 1, Depth: 1, Layers: 1},
		} {
			im.Format, im.Levels = f, 1
			im.RowPitch = im.RowBytes() + 16
			im.SlicePitch = im.RowPitch*uint64(im.Height) + 32
			n, ok := im.Extent()
			if !ok {
				panic(im.String())
			}
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(r.Uint32())
				if r.Uint32()%3 == 0 {
					b[i] = [...]byte{0, 0x80, 0xff, 0x7f}[r.Uint32()%4]
				}
			}
			if e := f.Bytes(); r.Uint32()%2 == 0 {
				clear(b[:min(2*e, len(b))]) // equal elements, zeros
			}
			images, data = append(images, &im), append(data, b)
		}
	}
	return images, data
}

// laneFloat draws a coordinate: a place in the image and near its edges mostly, and anything.
func laneFloat(r *rand.Rand, normalized bool) float32 {
	var v float64
	switch r.Uint32() % 8 {
	case 0:
		return math.Float32frombits(r.Uint32())
	case 1:
		return [...]float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)), 1e-45, -1e-45, 3e9, -3e9, 1e-10, 0.5}[r.Uint32()%11]
	case 2:
		v = float64(int32(r.Uint32()%20)-4) * 0.5
	case 3, 4:
		v = float64(int32(r.Uint32()%80)-8) / 8
	default:
		v = r.Float64()*12 - 2
	}
	if normalized {
		v /= float64(1 + r.Uint32()%7)
	}
	return float32(v)
}

// laneInt draws an integer coordinate.
func laneInt(r *rand.Rand) uint32 {
	if r.Uint32()%8 == 0 {
		return [...]uint32{math.MaxInt32, 1 << 31, math.MaxUint32, r.Uint32()}[r.Uint32()%4]
	}
	return r.Uint32()%9 - 1
}

// laneOperands draws the lanes and coordinates of an access, and which components it wants.
func laneOperands(r *rand.Rand, im *Image, coord func() uint32) (set uint64, c [3]*LaneWords, dst [4]*LaneWords) {
	set = [...]uint64{math.MaxUint64, r.Uint64(), r.Uint64() & r.Uint64() & r.Uint64(), 1 << (r.Uint32() % 64)}[r.Uint32()%4]
	dims := im.dims()
	if im.Array {
		dims++
	}
	for d := range dims {
		c[d] = new(LaneWords)
		for i := range c[d] {
			c[d][i] = coord()
		}
	}
	for n := range dst {
		if n == 1 || r.Uint32()%4 != 0 {
			dst[n] = new(LaneWords)
		}
	}
	return set, c, dst
}

// compareLanes compares what lanes of an access got with what one alone gets.
func compareLanes(t *testing.T, what string, set uint64, c *[3]*LaneWords, dst *[4]*LaneWords, one func(i int) Texel) {
	t.Helper()
	for i := range 64 {
		var want Texel
		if set>>i&1 != 0 {
			want = one(i)
		}
		for n, d := range dst {
			if d != nil && d[i] != want[n] {
				at := ""
				for _, c := range c {
					if c != nil {
						at += fmt.Sprintf(" %#x (%v)", c[i], math.Float32frombits(c[i]))
					}
				}
				t.Fatalf("%s: lane %d of %#x at%s: component %d is %#x, want %#x", what, i, set, at, n, d[i], want[n])
			}
		}
	}
}

// TestImageLanes holds that lanes together read and write what each would alone: every format, shape, sampler and
// kind of coordinate.
func TestImageLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	images, data := lanesImages(r)
	var l ImageLanes
	for n, im := range images {
		data := data[n]
		for mode := range Sampler(32) {
			s := mode | lodMask<<32
			set, c, dst := laneOperands(r, im, func() uint32 { return math.Float32bits(laneFloat(r, s.normalized())) })
			was := c
			if set == math.MaxUint64 && r.Uint32()%2 == 0 {
				for d := range was {
					if c[d] != nil {
						was[d] = new(*c[d])
					}
				}
				dst[r.Uint32()%4] = c[0]
			}
			l.Sample(im, data, s, set, &c, &dst)
			c = was
			compareLanes(t, fmt.Sprint(im, " ", s), set, &c, &dst, func(i int) Texel {
				var at Coord
				for d, c := range c {
					if c != nil {
						at[d] = math.Float32frombits(c[i])
					}
				}
				return im.Sample(data, s, at, 0)
			})
			if mode >= 16 {
				continue
			}
			set, c, dst = laneOperands(r, im, func() uint32 { return laneInt(r) })
			l.SampleAt(im, data, s, set, &c, &dst)
			compareLanes(t, fmt.Sprint(im, " ", s, ", integers"), set, &c, &dst, func(i int) Texel { return im.SampleAt(data, s, laneCoords(&c, i), 0) })
		}
		set, c, dst := laneOperands(r, im, func() uint32 { return laneInt(r) })
		l.Read(im, data, set, &c, &dst)
		compareLanes(t, fmt.Sprint(im), set, &c, &dst, func(i int) Texel {
			off, ok := laneOffset(im, laneCoords(&c, i), true)
			if !ok {
				return im.Format.Border()
			}
			return im.Format.Decode(data[off:])
		})
	}
}

// laneCoords returns the coordinates of a lane.
func laneCoords(c *[3]*LaneWords, i int) (at [3]int64) {
	for d, c := range c {
		if c != nil {
			at[d] = int64(int32(c[i]))
		}
	}
	return at
}

// laneOffset returns where the element at integer coordinates begins.
func laneOffset(im *Image, c [3]int64, clampLayer bool) (off uint64, ok bool) {
	if im.Array {
		z := c[im.dims()]
		c[im.dims()] = 0
		if clampLayer {
			z = min(max(z, 0), int64(im.Layers)-1)
		}
		c[2] = z
	}
	return im.Offset(c[0], c[1], c[2])
}

// TestImageLanesWrite does so for writes, whose lanes also meet at one element.
func TestImageLanesWrite(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	images, data := lanesImages(r)
	var l ImageLanes
	for n, im := range images {
		for range 8 {
			set, c, src := laneOperands(r, im, func() uint32 { return laneInt(r) })
			for n := range src {
				src[n] = new(LaneWords)
				for i := range src[n] {
					switch r.Uint32() % 3 {
					case 0:
						src[n][i] = r.Uint32()
					case 1:
						src[n][i] = math.Float32bits((float32(r.Uint32()%1024) - 2) / 510)
					default:
						src[n][i] = math.Float32bits(r.Float32()*1.2 - 0.1)
					}
				}
			}
			got, want := bytes.Clone(data[n]), bytes.Clone(data[n])
			l.Write(im, got, set, &c, &src)
			for i := range 64 {
				if off, ok := laneOffset(im, laneCoords(&c, i), false); ok && set>>i&1 != 0 {
					im.Format.Encode(want[off:], Texel{src[0][i], src[1][i], src[2][i], src[3][i]})
				}
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: lanes %#x wrote\n%x, want\n%x", im, set, got, want)
			}
		}
	}
}

// TestEncodeUnorm8 compares the conversion of a float to 8 bits at all floats near one that changes it, and
// others.
func TestEncodeUnorm8(t *testing.T) {
	compare := func(v uint32) {
		if got, want := encodeUnorm8(v), uint8(toUnorm(v, 255)); got != want {
			t.Fatalf("%v (%#x): %d, want %d", math.Float32frombits(v), v, got, want)
		}
	}
	for i := range 513 {
		at := math.Float32bits(float32(i) / 510)
		for d := range uint32(64) {
			compare(at + d - 32)
		}
	}
	r := rand.New(rand.NewPCG(9, 10))
	for range 100_000 {
		compare(r.Uint32())
	}
	for _, v := range []float32{0, 1, -1, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.MaxFloat32, 1e-45} {
		compare(math.Float32bits(v))
	}
}

// BenchmarkImageLanes reads and writes 64 elements at once.
func BenchmarkImageLanes(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, f := range []Format{{OrderRGBA, UnormInt8}, {OrderRGBA, Float}, {OrderR, SignedInt16}} {
		im := &Image{Format: f, Dim: Dim2D, Width: 256, Height: 64, Depth: 1, Layers: 1, Levels: 1}
		im.RowPitch = im.RowBytes()
		im.SlicePitch = im.RowPitch * 64
		data := make([]byte, im.SlicePitch)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if f.Type == Float {
			for i := 0; i < len(data); i += 4 {
				binary.LittleEndian.PutUint32(data[i:], math.Float32bits(r.Float32()))
			}
		}
		var l ImageLanes
		var dst [4]*LaneWords
		for n := range dst {
			dst[n] = new(LaneWords)
		}
		var ints, floats, few [3]*LaneWords
		for d := range 2 {
			ints[d], floats[d], few[d] = new(LaneWords), new(LaneWords), new(LaneWords)
			for i := range 64 {
				ints[d][i] = uint32(60 + i)
				floats[d][i] = math.Float32bits(100.3 + 0.37*float32(i))
				few[d][i] = math.Float32bits(100.25 + 0.5*float32(i))
				if d == 1 {
					ints[d][i], floats[d][i], few[d][i] = 7, math.Float32bits(9.3+0.1*float32(i)), math.Float32bits(9.75)
				}
			}
		}
		for name, f := range map[string]func(){
			"read": func() { l.Read(im, data, math.MaxUint64, &ints, &dst) },
			"clamp": func() {
				l.SampleAt(im, data, SamplerState{Addressing: AddressClampToEdge}.Pack(), math.MaxUint64, &ints, &dst)
			},
			"nearest": func() {
				l.Sample(im, data, SamplerState{Addressing: AddressClamp}.Pack(), math.MaxUint64, &floats, &dst)
			},
			"linear many": func() { l.Sample(im, data, SamplerState{Linear: true}.Pack(), math.MaxUint64, &floats, &dst) },
			"linear few":  func() { l.Sample(im, data, SamplerState{Linear: true}.Pack(), math.MaxUint64, &few, &dst) },
			"write":       func() { l.Write(im, data, math.MaxUint64, &ints, &dst) },
		} {
			b.Run(fmt.Sprint(im.Format, " ", name), func(b *testing.B) {
				for range b.N {
					f()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/lane")
			})
		}
	}
}
