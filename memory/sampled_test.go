package memory

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSampled holds that a sampled read takes its result from the elements that are named, and from no others: one that is
// no number makes the result none exactly where it is among them.
func TestSampled(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	f := Format{OrderR, Float}
	several := 0
	for range 3000 {
		dim := []Dim{Dim1D, Dim2D, Dim3D}[r.IntN(3)]
		im, data := sampleImage(r, dim, dim != Dim3D && r.IntN(3) == 0, f, 1+r.Uint32N(3))
		for off := 0; off+4 <= len(data); off += 4 {
			binary.LittleEndian.PutUint32(data[off:], math.Float32bits(float32(off)))
		}
		st := SamplerState{Normalized: r.IntN(2) == 0, Addressing: Addressing(r.IntN(5)), Linear: r.IntN(4) > 0, MipLinear: r.IntN(2) == 0, MaxLod: 255}
		if !st.Normalized {
			st.Addressing = []Addressing{AddressClampToEdge, AddressClamp}[r.IntN(2)]
		}
		s, lod := st.Pack(), float32(r.IntN(9))/4
		var c Coord
		var at [3]int64
		for d, size := range []uint32{im.Width, im.Height, im.Depth} {
			if c[d] = sampleCoord(r, st.Normalized, size); r.IntN(3) == 0 {
				c[d] = float32(r.IntN(2*int(size)+1)) / 2
			}
			if d < im.dims() || d == im.dims() && im.Array {
				at[d] = int64(r.IntN(2*int(size))) - int64(size)/2
			}
		}
		for _, whole := range []bool{false, true} {
			read := func() Texel { return im.Sample(data, s, c, lod) }
			list := im.Sampled(nil, s, c, lod)
			if whole {
				read = func() Texel { return im.SampleAt(data, s, at, lod) }
				list = im.SampledAt(nil, s, at, lod)
			}
			if len(list) > 1 {
				several++
			}
			for off := uint64(0); off+4 <= uint64(len(data)); off += 4 {
				old := binary.LittleEndian.Uint32(data[off:])
				binary.LittleEndian.PutUint32(data[off:], quietNaN)
				v := math.Float32frombits(read()[0])
				binary.LittleEndian.PutUint32(data[off:], old)
				if got := v != v; got != slices.Contains(list, off) {
					t.Fatalf("%s of %+v at %v or %v, lod %v, whole %v: the element at %d decides the result: %v; the elements are at %v", im, st, c, at, lod, whole, off, got, list)
				}
			}
		}
	}
	if several < 1000 {
		t.Errorf("%d reads took several elements", several)
	}
}
