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
	if w.lifetimeRows(in, c) {
		return
	}
	w.eachLane(false, func(k, i int) {
		p := memory.Pointer(w.reg(in.src.A, isa.I64, k, i))
		a := int(p.Alloc()) - 1
		if p.Space() != memory.SpacePrivate || a < 0 || a >= len(s.start) {
			return
		}
		if c.Kind != isa.CheckDead && !s.written[a] {
			return
		}
		from := w.unsetFrom(a, c)
		for off := uint64(0); off < c.Limit; {
			n := min(8, c.Limit-off)
			n = 1 << (63 - bits.LeadingZeros64(n))
			w.setShadow(p.Add(int64(off)), k, i, n, full>>(64-8*n), from)
			off += n
		}
	})
}

// unsetFrom returns where the undefined bits of a variable come from whose lifetime begins or is over.
func (w *wave) unsetFrom(a int, c *isa.Check) memory.OriginID {
	s := &w.shadow.private
	if c.Kind != isa.CheckDead {
		return s.start[a]
	}
	if s.dead[a] == 0 {
		s.ended = true
		s.dead[a] = w.group.Launch.Origins.ID(memory.Origin{Kind: memory.OriginPrivate, Owner: w.code.kernel, Number: a, Dead: true})
	}
	return s.dead[a]
}

// lifetimeRows is shadowLifetime for a variable of whole words that is the same for all lanes. It says whether it was one.
func (w *wave) lifetimeRows(in *inst, c *isa.Check) bool {
	if !in.src.A.IsScalar() {
		return false
	}
	s, p := &w.shadow.private, memory.Pointer(w.s[in.src.A.Index()])
	a := int(p.Alloc()) - 1
	if p.Space() != memory.SpacePrivate || a < 0 || a >= len(s.start) || (p.Offset()|int64(c.Limit))&3 != 0 || w.flip(a) == 0 ||
		w.code.privRegions[a].Check(p, c.Limit, memory.AccessWrite) != nil {
		return false
	}
	if c.Kind != isa.CheckDead && !s.written[a] {
		return true
	}
	from := uint32(w.unsetFrom(a, c))
	s.written[a] = true
	if from != uint32(s.start[a]) {
		s.origins()
	}
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		for off := uint64(p.Offset()); off < uint64(p.Offset())+c.Limit; off += 4 {
			s.left[a] += unset(row4(w.shadowRoom(s.base, p.Alloc(), k), off), m)
			if s.from != nil {
				fillRow(row4(w.shadowRoom(s.at, p.Alloc(), k), off), m, from)
			}
		}
	}
	return true
}

// unset makes the words of some lanes undefined in a row. It returns how many bytes have become so.
func unset(row *[64]uint32, lanes uint64) (more int) {
	for i := range row {
		if lanes>>i&1 == 0 {
			continue
		}
		switch x := row[i]; x {
		case 0:
		case 0xffffffff:
			more += 4
		default:
			for b := range 4 {
				more += int(b2u64(x>>(8*b)&0xff == 0xff))
			}
		}
		row[i] = 0
	}
	return more
}

// fillRow gives a row's words of some lanes a value.
func fillRow(row *[64]uint32, lanes uint64, v uint32) {
	for i := range row {
		if lanes>>i&1 != 0 {
			row[i] = v
		}
	}
}

// isDead says whether undefined bits that p leads to are those of a variable whose lifetime is over.
func (w *wave) isDead(p memory.Pointer, from memory.OriginID) bool {
	a := int(p.Alloc()) - 1
	return p.Space() == memory.SpacePrivate && a >= 0 && a < len(w.shadow.private.dead) && from == w.shadow.private.dead[a]
}
