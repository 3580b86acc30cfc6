package dma

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/memory"
)

// Unit is the DMA engines of one work-group, and what checks their use. It is
// made once for each worker of a launch and used again for every group. One
// goroutine at a time may use it.
type Unit struct {
	cfg   Config
	group Group
	now   uint64

	match matcher
	event uint64 // the last one given out
}

// New returns a unit, ready for [Unit.Reset].
func New(cfg Config) *Unit { return &Unit{cfg: cfg.normal()} }

// Reset begins a work-group. What the one before left is dropped.
func (u *Unit) Reset(g Group) {
	u.group, u.now, u.event = g, g.Clock, 0
	u.match.reset(g.Items)
}

// Active says whether something is in flight or under check, so that
// [Unit.Advance] and [Unit.Access] have something to do.
func (u *Unit) Active() bool { return u.cfg.Check }

// Advance says that time has passed: bytes move whose time has come.
func (u *Unit) Advance(now uint64) { u.now = max(u.now, now) }

// GroupCopy is a copy of the work-group, encountered by some of its
// work-items: the first to come issue it. It returns the event (the given one,
// or a new one for 0), the ticks that a full queue took, and what is wrong with the addresses.
func (u *Unit) GroupCopy(now uint64, c *Copy, event uint64, items Items) (result, stall uint64, f *memory.Fault) {
	u.Advance(now)
	issue, old := u.match.arrive(items, event)
	if !issue {
		u.match.settle()
		if old == 0 {
			old = u.nextEvent()
		}
		return old, 0, nil
	}
	if event == 0 {
		event = u.nextEvent()
	}
	u.match.setEvent(event)
	var o operands
	o.set(c)
	if o.nothing() {
		return event, 0, nil
	}
	var s shape
	o.shape(&s, c.Spec.Dim)
	src, f := u.bytes(&s, &s.src, memory.AccessRead)
	if f != nil {
		return event, 0, f
	}
	dst, f := u.bytes(&s, &s.dst, memory.AccessWrite)
	if f != nil {
		return event, 0, f
	}
	s.merge()
	if room := max(u.region(s.dst.at).Size, overlapBudget); s.total > room {
		s.total = room
	}
	s.copyAll(dst, src)
	return event, 0, nil
}

// nextEvent returns a new event. Events fit 32 bits.
func (u *Unit) nextEvent() uint64 {
	if u.event++; u.event >= 1<<32 {
		u.event = 1
	}
	return u.event
}

// GroupWait waits for the copies of an event; 0 is no event. It returns the
// ticks that it took.
func (u *Unit) GroupWait(now uint64, pc int, event uint64, items Items) (stall uint64) {
	u.Advance(now)
	return 0
}

// LaneCopy makes a copy of each of the items' own. dst and src have the
// addresses by bit number of the mask. It returns the ticks that a full queue
// took, and the first bit whose addresses are wrong, with what is wrong with
// them; then nothing was copied.
func (u *Unit) LaneCopy(now uint64, c *LaneCopy, items Items, dst, src []memory.Pointer) (stall uint64, lane int, f *memory.Fault) {
	u.Advance(now)
	n := uint64(max(c.Size, 0))
	for pass := range 2 {
		for w, word := range items.Mask {
			for ; word != 0; word &= word - 1 {
				lane := w*64 + bits.TrailingZeros64(word)
				if lane >= len(dst) || lane >= len(src) {
					break
				}
				var from []byte
				var f *memory.Fault
				if src[lane] != ZeroFill {
					if from, f = u.resolve(src[lane], n, memory.AccessRead); f != nil {
						return 0, lane, f
					}
				}
				to, f := u.resolve(dst[lane], n, memory.AccessWrite)
				switch {
				case f != nil:
					return 0, lane, f
				case pass == 0:
				case src[lane] == ZeroFill:
					clear(to)
				default:
					copy(to, from)
				}
			}
		}
	}
	return 0, 0, nil
}

// resolve returns the n bytes at p.
func (u *Unit) resolve(p memory.Pointer, n uint64, a memory.Access) ([]byte, *memory.Fault) {
	r := u.region(p)
	if off := p.Offset(); r != nil && !r.Freed && off >= 0 && uint64(off) <= r.Size && n <= r.Size-uint64(off) &&
		(a == memory.AccessRead || !r.ReadOnly) {
		return r.Data[off : uint64(off)+n : uint64(off)+n], nil
	}
	return nil, r.Check(p, n, a)
}

// Scope empties sequence seq of the items' async marks: a function body begins.
func (u *Unit) Scope(seq int, items Items) {}

// Mark appends an async mark to sequence seq of each of the items.
func (u *Unit) Mark(now uint64, pc, seq int, items Items) { u.Advance(now) }

// WaitMark waits until at most n marks of sequence seq are outstanding, for
// each of the items. It returns the ticks that it took.
func (u *Unit) WaitMark(now uint64, pc, seq, n int, items Items) (stall uint64) {
	u.Advance(now)
	return 0
}

// NotUniform reports that an operand which must be the same for a sub-group is
// not: the first active item's value counts, another has the other one.
func (u *Unit) NotUniform(pc int, name, operand string, item, other int, value, otherValue uint64, pointer bool) {
}

// Access says that a work-item loads, stores or does an atomic operation. It is
// called with Config.Check only, and before the access.
func (u *Unit) Access(now uint64, pc int, kind memory.Access, item int, p memory.Pointer, size uint64) {
	u.Advance(now)
}

// Barrier says that a barrier opened which orders all live items of the group.
func (u *Unit) Barrier(now uint64) { u.Advance(now) }

// End says that the group is over. What is in flight completes; it returns the
// tick at which that is done.
func (u *Unit) End(now uint64) (end uint64) {
	u.Advance(now)
	return u.now
}

// Abort ends the group after a fault: what is in flight is dropped.
func (u *Unit) Abort() {}
