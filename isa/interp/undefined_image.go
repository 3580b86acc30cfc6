package interp

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// shadowTexel stands before a read of or a write to an element of an image. All of what is read is undefined where any bit
// of the element is. What is written has to be defined, and defines the element. Reads with a sampler are taken as
// defined.
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
		off, ok := uint64(0), false
		switch a := in.aux.image; {
		case a.Sampler != isa.None:
		case write:
			c := w.coords(a, k, i)
			off, ok = v.image.OffsetAt(w.level(a, k, i), c[0], c[1], c[2])
		default:
			off, ok = w.texel(a, v.image, k, i)
		}
		at, n := begin+uint64(v.image.Base.Offset())+off, uint64(v.image.Format.Bytes())
		switch {
		case !ok || sh.Defined():
		case write:
			sh.Define(at, n)
		case sh.Any(at, n):
			from := memory.OriginID(0)
			for b := uint64(0); b < n && from == 0; b++ {
				_, from = sh.Load(at+b, 1)
			}
			found = true
			s.set(w, x.dst, scalar, k*64+i, full>>(64-in.src.Type.Bits()), from)
			return
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
