package dma

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/memory"
)

// Undefined bits move when a copy is issued, all at once: until the wait nobody may look at either side, so that a
// correct kernel cannot tell, and findings do not depend on when bytes move.

// shadeLines moves the undefined bits of a group copy.
func (u *Unit) shadeLines(t *transfer, pc int) {
	if u.cfg.Origins == nil || t.total == 0 {
		return
	}
	s := &t.shape
	dst, src := u.region(s.dst.at), u.region(s.src.at)
	d, r := uint64(s.dst.at.Offset()), uint64(s.src.at.Offset())
	for p := range s.planes {
		for l := range s.lines {
			u.shade(dst, d+p*s.dst.plane+l*s.dst.line, src, r+p*s.src.plane+l*s.src.line, s.line, pc)
		}
	}
}

// shadeLanes moves the undefined bits of a lane copy.
func (u *Unit) shadeLanes(c *LaneCopy, size uint64, mask []uint64, dst, src []memory.Pointer) {
	if u.cfg.Origins == nil {
		return
	}
	most := min(len(dst), len(src))
	for w, word := range mask {
		for ; word != 0; word &= word - 1 {
			lane := w*64 + bits.TrailingZeros64(word)
			if lane >= most {
				return
			}
			var from *memory.Region
			if src[lane] != ZeroFill {
				from = u.region(src[lane])
			}
			u.shade(u.region(dst[lane]), uint64(dst[lane].Offset()), from, uint64(src[lane].Offset()), size, c.PC)
		}
	}
}

// shade moves the undefined bits of n bytes. Without a source the bytes are defined.
func (u *Unit) shade(dst *memory.Region, d uint64, src *memory.Region, r, n uint64, pc int) {
	to, at := dst.Shadow()
	from, begin := src.Shadow()
	d, r = d+at, r+begin
	if !from.Any(r, n) {
		to.Define(d, n)
		return
	}
	for i := range n {
		bits, origin := from.Load(r+i, 1)
		if bits != 0 {
			origin = u.cfg.Origins.Stored(pc, origin)
		}
		to.Store(d+i, 1, bits, origin)
	}
}
