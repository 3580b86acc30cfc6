package interp

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// shadowTexel stands before a read of or a write to an element of an image. All of what is read is undefined where any bit
// of the element is, or of one of those that a sampled read takes its result from. What is written has to be defined, and
// defines the element.
func shadowTexel(w *wave, in *inst) {
	s, x := w.shadow, in.aux.shadowed
	if s.count != 0 {
		w.reportOperands(in, engine.UndefinedImage, 0, len(x.nums))
	}
	write := in.src.Op == isa.OpImageWrite
	if !write && x.dst == noRegister {
		return // nobody wants this component
	}
	found := false
	scalar := !write && in.src.Dst.IsScalar()
	var v imageView
	w.eachLane(scalar, func(k, i int) {
		if v.find(w, memory.Pointer(w.reg(in.aux.image.Image, isa.I64, k, i)), memory.AccessRead) != nil {
			return
		}
		r := w.region(v.image.Base)
		sh, begin := r.Shadow()
		at, n := begin+uint64(v.image.Base.Offset()), uint64(v.image.Format.Bytes())
		if !sh.Defined() {
			var room [16]uint64
			for _, off := range w.elements(room[:0], in, v.image, k, i) {
				switch {
				case write:
					sh.Define(at+off, n)
				case sh.Any(at+off, n):
					found = true
					s.set(w, x.dst, scalar, k*64+i, full>>(64-in.src.Type.Bits()), firstOrigin(sh, at+off, n))
					return
				}
			}
		}
		if !write {
			s.set(w, x.dst, scalar, k*64+i, 0, 0)
		}
	})
	if !write && (found || s.has(x.dst)) {
		w.defineOthers(in)
		s.settle(x.dst)
	}
}

// elements appends where the elements begin that a lane's access reads or writes.
func (w *wave) elements(list []uint64, in *inst, im *memory.Image, k, i int) []uint64 {
	a := in.aux.image
	var off uint64
	var ok bool
	switch {
	case a.Sampler != isa.None:
		return w.sampled(list, a, im, k, i)
	case in.src.Op == isa.OpImageWrite:
		c := w.coords(a, k, i)
		off, ok = im.OffsetAt(w.level(a, k, i), c[0], c[1], c[2])
	default:
		off, ok = w.texel(a, im, k, i)
	}
	if ok {
		list = append(list, off)
	}
	return list
}

// firstOrigin returns where the first undefined bits of n bytes come from.
func firstOrigin(s *memory.Shadow, at, n uint64) (from memory.OriginID) {
	for b := uint64(0); b < n && from == 0; b++ {
		_, from = s.Load(at+b, 1)
	}
	return from
}
