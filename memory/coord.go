package memory

import (
	"math"
	"math/big"
)

// Coordinates are what the formulas of OpenCL C (sections 8.1 and 8.2) give in floats up to u, which is where a
// coordinate is in elements: s - floor(s) and the product with the extent are rounded to float. What follows
// from u is exact. The specification does not say in which numbers the formulas are evaluated; hosts and
// Khronos's conformance tests take floats, so that 0.7f of 10 elements is element 7, and not the end of element 6.

// maxCoord is where coordinates saturate: far outside of every image.
const maxCoord = 1 << 40

// finite returns the coordinate that stands for one that is no number: 0 for a NaN, the largest float for an
// infinity.
func finite(c float32) float64 {
	switch v := float64(c); {
	case v != v:
		return 0
	case v > math.MaxFloat32:
		return math.MaxFloat32
	case v < -math.MaxFloat32:
		return -math.MaxFloat32
	default:
		return v
	}
}

// twoSum returns a+b rounded, and what rounding has taken away.
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	bb := sum - a
	return sum, (a - (sum - bb)) + (b - bb)
}

// floorOf returns the floor of hi+lo, where lo is less than the last place of hi.
func floorOf(hi, lo float64) float64 {
	f := math.Floor(hi)
	if f == hi && lo < 0 {
		f--
	}
	return f
}

// place is where a coordinate is, in elements: a float.
func (s Sampler) place(c float32, size int64) float64 {
	u := finite(c)
	if !s.normalized() {
		return u
	}
	switch s.addressing() {
	case AddressRepeat: // s - floor(s), which may be 1
		u = float64(float32(u - math.Floor(u)))
	case AddressMirroredRepeat: // |s - 2 rint(s/2)|, which is exact
		u = math.Abs(u - float64(2*math.RoundToEven(0.5*u)))
	}
	// The product is exact, as extents have less than 29 bits, and so rounded once.
	return finite(float32(u * float64(size)))
}

// wraps says whether coordinates are those of an image that is repeated. Without normalized coordinates
// OpenCL leaves open what such a sampler reads: it is the element at the edge.
func (s Sampler) wraps() bool {
	a := s.addressing()
	return s.normalized() && (a == AddressRepeat || a == AddressMirroredRepeat)
}

// address returns the element that stands for element i: one that is inside, or none, by ok.
func (s Sampler) address(i, size int64) (at int64, ok bool) {
	switch s.addressing() {
	case AddressClampToEdge, AddressRepeat, AddressMirroredRepeat:
		return min(max(i, 0), size-1), true
	}
	return i, i >= 0 && i < size
}

// index converts a coordinate that was rounded down.
func index(f float64) int64 { return int64(min(max(f, -maxCoord), maxCoord)) }

// tap is the elements of one dimension that a read takes: i0, and i1 with weight a, when that is not 0 for a
// read of the nearest. exact says that a is not rounded.
type tap struct {
	i0, i1   int64
	in0, in1 bool
	a        float64
	exact    bool
}

// nearest returns the element that a coordinate is in.
func (s Sampler) nearest(c float32, size int64) tap {
	i := index(math.Floor(s.place(c, size)))
	if s.wraps() {
		if i > size-1 && s.addressing() == AddressRepeat {
			i -= size
		}
		return tap{i0: min(i, size-1), in0: true, exact: true} // a coordinate of 1, mirrored, is behind the last one
	}
	at, in := s.address(i, size)
	return tap{i0: at, in0: in, exact: true}
}

// between returns the two elements whose centres a coordinate is between.
func (s Sampler) between(c float32, size int64) tap {
	v, lo := twoSum(s.place(c, size), -0.5)
	f := floorOf(v, lo)
	a, r := twoSum(v, -f)
	r += lo
	t := tap{a: a + r, exact: r == 0}
	i := index(f)
	switch {
	case s.wraps() && s.addressing() == AddressRepeat:
		t.i0, t.i1, t.in0, t.in1 = i, i+1, true, true
		if i < 0 {
			t.i0 = size + i
		}
		if i+1 > size-1 {
			t.i1 = i + 1 - size
		}
	case s.wraps():
		t.i0, t.i1, t.in0, t.in1 = max(i, 0), min(i+1, size-1), true, true
	default:
		t.i0, t.in0 = s.address(i, size)
		t.i1, t.in1 = s.address(i+1, size)
	}
	return t
}

// weight returns the weight of the second element of a tap exactly.
func (s Sampler) weight(c float32, size int64) *big.Float {
	exactly := func(v float64) *big.Float { return new(big.Float).SetPrec(exactBits).SetFloat64(v) }
	u := exactly(s.place(c, size))
	u.Sub(u, exactly(0.5))
	floor, _ := u.Int(nil) // towards zero
	f := new(big.Float).SetPrec(exactBits).SetInt(floor)
	if f.Cmp(u) > 0 {
		f.Sub(f, exactly(1))
	}
	return u.Sub(u, f)
}

// layer returns the layer that a coordinate means: the nearest one (OpenCL C 8.1).
func (im *Image) layer(c float64) int64 {
	return index(math.RoundToEven(min(max(c, 0), float64(im.Layers-1))))
}
