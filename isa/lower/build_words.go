package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// wordType is the type of words of 32 bits that hold components of vectors.
var wordType = &typ{kind: kindInt, bits: 32, flat: 1, size: 4, align: 4}

// inWords says whether a vector is loaded and stored word by word, with its components packed: a vector of elements of 8
// or 16 bits that fills whole words, such as uchar4 or half2, in memory that is no variable of a work-item. Engines move a
// word in the time that they need for a byte. Kernels for launches with checks keep the components apart, because
// the checks judge each of them.
func (b *builder) inWords(t *typ, a access) bool {
	if t.kind != kindVector || t.nibbles || b.m.checked || a.space != isa.SpaceGlobal && a.space != isa.SpaceLocal {
		return false
	}
	e := t.elem
	return e.kind != kindBool && !e.odd() && e.scalar() != isa.Void && e.scalar().Bits() == 8*int(e.size) && e.size < 4 &&
		uint64(t.flat)*e.size%4 == 0
}

// loadWords loads a vector for which inWords holds.
func (b *builder) loadWords(p *ssa.Value, t *typ, a access) []*ssa.Value {
	s, n := t.elem.scalar(), 4/int(t.elem.size)
	out := make([]*ssa.Value, 0, t.flat)
	for at := uint64(0); len(out) < t.flat; at += 4 {
		w := b.loadScalar(b.offset(p, int64(at)), wordType, a.part(at, t.size, t.align))
		for i := range n {
			x := w
			if i > 0 {
				x = b.bin(isa.OpShrU, isa.I32, w, b.imm(isa.I32, uint64(i*s.Bits())))
			}
			out = append(out, b.norm(t.elem, b.conv(isa.OpTruncate, isa.IntOf(s.Bits()), isa.I32, x)))
		}
	}
	return out
}

// storeWords stores a vector for which inWords holds.
func (b *builder) storeWords(p *ssa.Value, t *typ, v []*ssa.Value, a access) {
	s, n := t.elem.scalar(), 4/int(t.elem.size)
	for i := 0; i < t.flat; i += n {
		var w *ssa.Value
		for j := range n {
			x := b.conv(isa.OpZExt, isa.I32, isa.IntOf(s.Bits()), v[i+j])
			if j == 0 {
				w = x
				continue
			}
			w = b.bin(isa.OpOr, isa.I32, w, b.bin(isa.OpShl, isa.I32, x, b.imm(isa.I32, uint64(j*s.Bits()))))
		}
		at := uint64(i) * t.elem.size
		b.storeScalar(b.offset(p, int64(at)), wordType, w, a.part(at, t.size, t.align))
	}
}
