package interp

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// imageLanes is what accesses to images for all lanes of a chunk at once need.
type imageLanes struct {
	memory.ImageLanes
	spread [7]memory.LaneWords // of operands that are scalar registers
}

// lanewise says whether the lanes of a read or write of elements may go together: all have one image and one
// sampler, operands have 32 bits, and what is read goes to vector registers. Level 0 is what is accessed where
// the image has no others.
func (a *imageAccess) lanewise(s *isa.Inst) bool {
	if a.Image.IsVector() || a.Sampler != isa.None && a.Sampler.IsVector() || a.Sampler == isa.None && a.Lod != isa.None || s.Type.Bank() != isa.Bank32 {
		return false
	}
	for _, r := range a.dst {
		if r != isa.None && !r.IsVector() {
			return false
		}
	}
	return true
}

// laneWords returns the lanes of a register of 32 bits: in the register file, or spread is filled with a scalar.
func (w *wave) laneWords(r isa.Reg, t isa.Type, k int, spread *memory.LaneWords) *memory.LaneWords {
	if r.IsVector() {
		return (*memory.LaneWords)(unsafe.Add(w.chunk(k), w.code.offset(r, t)))
	}
	v := uint32(w.s[r.Index()])
	for i := range spread {
		spread[i] = v
	}
	return spread
}

// lanesOfImage finds the image of an instruction whose lanes go together. It is nil where they cannot.
func (w *wave) lanesOfImage(in *inst, access memory.Access) (im *memory.Image, data []byte) {
	im, data, err := w.mem.ImageBytes(memory.Pointer(w.s[in.aux.image.Image.Index()]), access)
	if err != nil || im.Levels > 1 {
		return nil, nil
	}
	if w.texels == nil {
		w.texels = new(imageLanes)
	}
	return im, data
}

// laneCoords returns the coordinates of a chunk's lanes.
func (w *wave) laneCoords(a *imageAccess, k int) (c [3]*memory.LaneWords) {
	for n, r := range a.Coord {
		if r != isa.None {
			c[n] = w.laneWords(r, a.CoordType, k, &w.texels.spread[n])
		}
	}
	return c
}

// imageReadLanes is imageRead for lanes that go together, in launches that nobody observes.
func imageReadLanes(w *wave, in *inst) {
	a, t := in.aux.image, in.src.Type
	im, data := w.lanesOfImage(in, memory.AccessRead)
	if im == nil || a.Odd { // halves are read with a rounding of their own
		imageRead(w, in)
		return
	}
	var s memory.Sampler
	if a.Sampler != isa.None {
		s = memory.Sampler(w.s[a.Sampler.Index()])
	}
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		var dst [4]*memory.LaneWords
		for n, r := range a.dst {
			if r != isa.None {
				dst[n] = w.laneWords(r, t, k, nil)
			}
		}
		c := w.laneCoords(a, k)
		switch {
		case !suits(im.Format, t):
			w.texels.Zero(m, &dst)
		case a.Sampler == isa.None:
			w.texels.Read(im, data, m, &c, &dst)
		case a.CoordType == isa.I32:
			w.texels.SampleAt(im, data, s, m, &c, &dst)
		default:
			w.texels.Sample(im, data, s, m, &c, &dst)
		}
	}
}

// imageWriteLanes is imageWrite for lanes that go together, in launches that nobody observes.
func imageWriteLanes(w *wave, in *inst) {
	a, t := in.aux.image, in.src.Type
	im, data := w.lanesOfImage(in, memory.AccessWrite)
	if im == nil {
		imageWrite(w, in)
		return
	}
	if !suits(im.Format, t) {
		return
	}
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		c := w.laneCoords(a, k)
		var src [4]*memory.LaneWords
		for n := range src {
			spread := &w.texels.spread[3+n]
			if n < len(a.Value) {
				src[n] = w.laneWords(a.Value[n], t, k, spread)
			} else {
				clear(spread[:])
				src[n] = spread
			}
		}
		w.texels.Write(im, data, m, &c, &src)
	}
}
