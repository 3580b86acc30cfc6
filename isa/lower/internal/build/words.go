package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// wordType is the type of words of 32 bits that hold components of vectors.
var wordType = &Type{Kind: KindInt, Bits: 32, Flat: 1, Size: 4, Align: 4}

// inWords says whether a vector is loaded and stored word by word, with its components packed: a vector of elements of 8
// or 16 bits that fills whole words, such as uchar4 or half2, in memory that is no variable of a work-item. Engines move a
// word in the time that they need for a byte. Kernels for launches with checks keep the components apart, because
// the checks judge each of them.
func (b *Builder) inWords(t *Type, a Access) bool {
	if t.Kind != KindVector || t.nibbles || b.Module.Checked || a.Space != isa.SpaceGlobal && a.Space != isa.SpaceLocal {
		return false
	}
	e := t.Elem
	return e.Kind != KindBool && !e.Odd() && e.Scalar() != isa.Void && e.Scalar().Bits() == 8*int(e.Size) && e.Size < 4 &&
		uint64(t.Flat)*e.Size%4 == 0
}

// loadWords loads a vector for which inWords holds.
func (b *Builder) loadWords(p *ssa.Value, t *Type, a Access) []*ssa.Value {
	s, n := t.Elem.Scalar(), 4/int(t.Elem.Size)
	out := make([]*ssa.Value, 0, t.Flat)
	for at := uint64(0); len(out) < t.Flat; at += 4 {
		w := b.LoadScalar(b.Offset(p, int64(at)), wordType, a.Part(at, t.Size, t.Align))
		for i := range n {
			x := w
			if i > 0 {
				x = b.Bin(isa.OpShrU, isa.I32, w, b.Imm(isa.I32, uint64(i*s.Bits())))
			}
			out = append(out, b.Norm(t.Elem, b.Conv(isa.OpTruncate, isa.IntOf(s.Bits()), isa.I32, x)))
		}
	}
	return out
}

// storeWords stores a vector for which inWords holds.
func (b *Builder) storeWords(p *ssa.Value, t *Type, v []*ssa.Value, a Access) {
	s, n := t.Elem.Scalar(), 4/int(t.Elem.Size)
	for i := 0; i < t.Flat; i += n {
		var w *ssa.Value
		for j := range n {
			x := b.Conv(isa.OpZExt, isa.I32, isa.IntOf(s.Bits()), v[i+j])
			if j == 0 {
				w = x
				continue
			}
			w = b.Bin(isa.OpOr, isa.I32, w, b.Bin(isa.OpShl, isa.I32, x, b.Imm(isa.I32, uint64(j*s.Bits()))))
		}
		at := uint64(i) * t.Elem.Size
		b.StoreScalar(b.Offset(p, int64(at)), wordType, w, a.Part(at, t.Size, t.Align))
	}
}
