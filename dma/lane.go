package dma

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/memory"
)

// LaneCopy makes a copy for each of the items: one transfer for all of them.
// dst and src have the addresses by bit number of the mask; lanes beyond their
// ends are left out. It returns the ticks that a full queue took, and the first
// lane whose addresses are wrong, with what is wrong with them; then nothing
// was copied, and the group is to end.
func (u *Unit) LaneCopy(now uint64, c *LaneCopy, items Items, dst, src []memory.Pointer) (stall uint64, lane int, f *memory.Fault) {
	u.Advance(now)
	size := uint64(max(c.Size, 0))
	async := c.Async && u.deferred
	t := &u.scratch
	if async {
		t = u.take()
	}
	// Pieces that land in any order are lanes; otherwise, lanes next to each
	// other on both sides are moved as one.
	n, lane, f := u.gather(t, size, items.Mask, dst, src, !async || u.cfg.Completion != Seeded)
	if f != nil || n == 0 {
		if async {
			u.give(t)
		}
		return 0, lane, f
	}
	u.shadeLanes(c, size, items.Mask, dst, src)
	if !async && !u.cfg.Check && u.cfg.Tracer == nil {
		t.moveLanes()
		return 0, 0, nil
	}
	u.id++
	w := u.wave(items.Wave)
	t.info = info{id: u.id, pc: c.PC, name: c.Name, wave: items.Wave, total: uint64(n) * size, lines: 1, planes: 1, async: c.Async}
	first := firstBit(items.Mask)
	t.info.dst, t.info.src = dst[first], src[first]
	t.seq = 0
	if c.Async {
		w.issued++
		t.seq = w.issued
	}
	if u.cfg.Check {
		u.checkLanes(t, c, items, dst, src)
	}
	if async {
		t.items.keep(items)
		t.size = size
		return u.enqueue(t), 0, nil
	}
	t.engine = int((t.id - 1) % uint64(u.cfg.Engines))
	t.issued = u.now
	if u.cfg.Tracer != nil {
		u.cfg.Tracer.Issue(u.told(&t.info, &items))
	}
	t.start, t.done = u.now, u.now
	t.moveLanes()
	if u.cfg.Tracer != nil {
		u.cfg.Tracer.Complete(u.told(&t.info, &items))
	}
	return 0, 0, nil
}

func firstBit(mask []uint64) int {
	for w, word := range mask {
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return 0
}

// moveLanes makes all moves.
func (t *transfer) moveLanes() {
	for i := range t.lanes {
		l := &t.lanes[i]
		switch {
		case l.src == nil:
			clear(l.dst)
		case len(l.dst) == 4: // by far the most frequent, and too short for a call
			*(*[4]byte)(l.dst) = *(*[4]byte)(l.src)
		default:
			copy(l.dst, l.src)
		}
	}
}

// gather fills in what the lanes move, and returns how many of them there are.
// With runs, lanes that follow each other become one move.
func (u *Unit) gather(t *transfer, size uint64, mask []uint64, dst, src []memory.Pointer, runs bool) (n, bad int, f *memory.Fault) {
	t.lanes = t.lanes[:0]
	if size == 0 {
		return 0, 0, nil
	}
	var to, from lastRegion
	var d, s memory.Pointer         // start of the run
	var nextD, nextS memory.Pointer // where a run goes on
	var length uint64               // bytes of it
	most := min(len(dst), len(src))
	for w, word := range mask {
		for ; word != 0; word &= word - 1 {
			lane := w*64 + bits.TrailingZeros64(word)
			if lane >= most {
				break
			}
			n++
			near, far := dst[lane], src[lane]
			if runs && near == nextD && far == nextS && length > 0 {
				length += size
			} else {
				if length > 0 && !u.addMove(t, d, s, length, &to, &from) {
					return u.badLane(size, mask, dst, src)
				}
				d, s, length = near, far, size
			}
			nextD, nextS = near+memory.Pointer(size), far
			if far != ZeroFill {
				nextS += memory.Pointer(size)
			}
		}
	}
	if length > 0 && !u.addMove(t, d, s, length, &to, &from) {
		return u.badLane(size, mask, dst, src)
	}
	return n, 0, nil
}

// lastRegion remembers the allocation that was looked up last: the lanes of a
// copy nearly always stay in one.
type lastRegion struct {
	start  memory.Pointer // offset 0 of the allocation
	region *memory.Region
}

// of returns the allocation that p leads to, or nil.
func (l *lastRegion) of(u *Unit, p memory.Pointer) *memory.Region {
	if start := p >> memory.OffsetBits << memory.OffsetBits; l.region == nil || l.start != start {
		l.start, l.region = start, u.region(p)
	}
	return l.region
}

// addMove adds a move of n bytes, or returns false when there are not so many
// at one of the addresses.
func (u *Unit) addMove(t *transfer, dst, src memory.Pointer, n uint64, to, from *lastRegion) bool {
	var l laneMove
	if src != ZeroFill {
		r := from.of(u, src)
		off := uint64(src.Offset())
		if r == nil || r.Freed || r.WriteOnly || off > r.Size || n > r.Size-off {
			return false
		}
		l.src = r.Data[off : off+n : off+n]
	}
	r := to.of(u, dst)
	off := uint64(dst.Offset())
	if r == nil || r.Freed || r.ReadOnly || off > r.Size || n > r.Size-off {
		return false
	}
	l.dst = r.Data[off : off+n : off+n]
	t.lanes = append(t.lanes, l)
	return true
}

// badLane returns the first lane whose addresses are wrong: a source is looked
// at before the destination of the same lane.
func (u *Unit) badLane(size uint64, mask []uint64, dst, src []memory.Pointer) (n, lane int, f *memory.Fault) {
	most := min(len(dst), len(src))
	for w, word := range mask {
		for ; word != 0; word &= word - 1 {
			lane := w*64 + bits.TrailingZeros64(word)
			if lane >= most {
				break
			}
			if s := src[lane]; s != ZeroFill {
				if f := u.region(s).Check(s, size, memory.AccessRead); f != nil {
					return 0, lane, f
				}
			}
			if f := u.region(dst[lane]).Check(dst[lane], size, memory.AccessWrite); f != nil {
				return 0, lane, f
			}
		}
	}
	// Lanes that are right one by one make a run that is, too; so nobody comes here
	// unless memory was released in between.
	return 0, 0, &memory.Fault{Kind: memory.FaultFreed, Access: memory.AccessRead, Size: size}
}
