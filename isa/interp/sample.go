package interp

import (
	"fmt"
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// sample reads the texel of a lane with a sampler.
func (w *wave) sample(a *imageAccess, v *imageView, k, i int) memory.Texel {
	s := memory.Sampler(w.reg(a.Sampler, isa.I64, k, i))
	lod := w.lod(a, v.image, k, i)
	if a.CoordType == isa.I32 {
		c := w.sampleCoords(a, k, i)
		if a.Odd {
			return v.image.SampleAtOdd(v.data, s, c, lod)
		}
		return v.image.SampleAt(v.data, s, c, lod)
	}
	if a.Odd {
		return v.image.SampleOdd(v.data, s, w.sampleCoord(a, k, i), lod)
	}
	return v.image.Sample(v.data, s, w.sampleCoord(a, k, i), lod)
}

// sampled appends where the elements begin that a lane's sampled read takes its result from.
func (w *wave) sampled(list []uint64, a *imageAccess, im *memory.Image, k, i int) []uint64 {
	s := memory.Sampler(w.reg(a.Sampler, isa.I64, k, i))
	if a.CoordType == isa.I32 {
		return im.SampledAt(list, s, w.sampleCoords(a, k, i), w.lod(a, im, k, i))
	}
	return im.Sampled(list, s, w.sampleCoord(a, k, i), w.lod(a, im, k, i))
}

// sampleCoords returns the coordinates of a sampled read, integers.
func (w *wave) sampleCoords(a *imageAccess, k, i int) (c [3]int64) {
	for n, r := range a.Coord {
		if r != isa.None {
			c[n] = int64(int32(w.reg(r, isa.I32, k, i)))
		}
	}
	return c
}

// sampleCoord returns the coordinates of a sampled read, floats.
func (w *wave) sampleCoord(a *imageAccess, k, i int) (c memory.Coord) {
	for n, r := range a.Coord {
		if r != isa.None {
			c[n] = math.Float32frombits(uint32(w.reg(r, isa.F32, k, i)))
		}
	}
	return c
}

// lod returns the level of detail of a sampled read: that which the kernel gives, or what follows from
// gradients as in OpenGL (version 4.6, section 8.14.1): the logarithm of how many elements the image is
// passed by in a step, in the direction in which these are more.
func (w *wave) lod(a *imageAccess, im *memory.Image, k, i int) float32 {
	switch {
	case a.Lod != isa.None:
		return math.Float32frombits(uint32(w.reg(a.Lod, isa.F32, k, i)))
	case a.DX[0] == isa.None:
		return 0
	}
	step := func(d *[3]isa.Reg) (sum float64) {
		size := [...]uint32{im.Width, im.Height, im.Depth}
		for n, r := range d {
			if r != isa.None {
				v := float64(math.Float32frombits(uint32(w.reg(r, isa.F32, k, i)))) * float64(size[n])
				sum += float64(v * v)
			}
		}
		return sum
	}
	return float32(clmath.Log2_64(max(step(&a.DX), step(&a.DY))) / 2)
}

// checkSample reports sampled reads whose result OpenCL leaves open.
func (w *wave) checkSample(in *inst, image func(k, i int) *memory.Image) {
	a := in.aux.image
	odd := func(k, i int) string {
		im := image(k, i)
		if im == nil {
			return ""
		}
		return memory.Sampler(w.reg(a.Sampler, isa.I64, k, i)).Odd(im.Format, a.CoordType == isa.I32)
	}
	w.failWhere(in, finding.Sampler, func(k, i int) bool { return odd(k, i) != "" }, func(k, i int) string {
		return "a read of " + imageName(image(k, i)) + " with " + odd(k, i)
	})
	w.failWhere(in, finding.ImageBounds, func(k, i int) bool {
		im := image(k, i)
		return im != nil && w.sampledOutside(a, im, k, i)
	}, func(k, i int) string {
		at := ""
		for n, r := range a.Coord {
			switch {
			case r == isa.None:
			case a.CoordType == isa.I32:
				at += fmt.Sprintf(",%d", int32(w.reg(r, isa.I32, k, i)))
			default:
				at += fmt.Sprintf(",%v", w.sampleCoord(a, k, i)[n])
			}
		}
		return fmt.Sprintf("a read at (%s) of %s, with the sampler %s", at[1:], anImage(image(k, i)), memory.Sampler(w.reg(a.Sampler, isa.I64, k, i)))
	})
}

// sampledOutside says whether a coordinate is no finite number, or outside of an image although the sampler's
// addressing mode says that none is.
func (w *wave) sampledOutside(a *imageAccess, im *memory.Image, k, i int) bool {
	s := memory.Sampler(w.reg(a.Sampler, isa.I64, k, i))
	if a.CoordType == isa.F32 {
		c := w.sampleCoord(a, k, i)
		for _, v := range c {
			if v-v != 0 {
				return true
			}
		}
		return !im.Inside(s, c)
	}
	if s.State().Addressing != memory.AddressNone {
		return false
	}
	c := w.coords(a, k, i)
	_, ok := im.Offset(c[0], c[1], c[2])
	return !ok
}
