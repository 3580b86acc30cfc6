package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// shadowLifetime makes a variable in private memory undefined, as its lifetime begins or is over.
func shadowLifetime(w *wave, in *inst) {
	if w.shadow == nil {
		return
	}
	c, s := w.checked(in), &w.shadow.private
	w.eachLane(false, func(k, i int) {
		p := memory.Pointer(w.reg(in.src.A, isa.I64, k, i))
		a := int(p.Alloc()) - 1
		if p.Space() != memory.SpacePrivate || a < 0 || a >= len(s.start) {
			return
		}
		from := s.start[a]
		if c.Kind == isa.CheckDead {
			if s.dead[a] == 0 {
				s.dead[a] = w.group.Launch.Origins.ID(memory.Origin{Kind: memory.OriginPrivate, Owner: w.code.kernel, Number: a, Dead: true})
			}
			from = s.dead[a]
		} else if !s.written[a] {
			return
		}
		for off := uint64(0); off < c.Limit; {
			n := min(8, c.Limit-off)
			n = 1 << (63 - bits.LeadingZeros64(n))
			w.setShadow(p.Add(int64(off)), k, i, n, full>>(64-8*n), from)
			off += n
		}
	})
}

// isDead says whether undefined bits that p leads to are those of a variable whose lifetime is over.
func (w *wave) isDead(p memory.Pointer, from memory.OriginID) bool {
	a := int(p.Alloc()) - 1
	return p.Space() == memory.SpacePrivate && a >= 0 && a < len(w.shadow.private.dead) && from == w.shadow.private.dead[a]
}
