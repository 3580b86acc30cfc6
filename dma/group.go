package dma

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/memory"
)

// GroupCopy is a copy of the work-group, encountered by some of its
// work-items: the k-th copy that each of them encounters is one, and the first
// to come issue it. An event of 0 makes a new one, any other is joined and is itself the
// result. It returns the event, the ticks that a full queue took, and what is
// wrong with the addresses: the first line, in the order of the copy, that is
// not all inside its allocation. Then nothing was copied, and the group is to end.
//
// A copy of no elements, lines or planes moves nothing and looks at no address,
// but has an event.
func (u *Unit) GroupCopy(now uint64, c *Copy, event uint64, items Items) (result, stall uint64, f *memory.Fault) {
	u.Advance(now)
	a, fresh := u.match.arrive(&items)
	if a == nil {
		// Behind by too many copies, or nobody.
		if event == 0 {
			event = u.nextEvent()
		}
		return event, 0, nil
	}
	if !fresh {
		if u.cfg.Check {
			u.checkJoin(a, c, event, &items)
		}
		return a.event, 0, nil
	}
	given := event
	if event == 0 {
		event = u.nextEvent()
	}
	a.event = event
	u.id++
	t := &u.scratch
	if u.deferred {
		t = u.take()
	}
	var o operands
	o.set(c)
	t.event = event
	t.total = 0
	empty := o.nothing()
	if !empty {
		if f = u.place(t, &o, c.Spec.Dim); f != nil {
			if u.cfg.Check {
				u.checkGeometry(c, &o, &items)
			}
			if u.deferred {
				u.give(t)
			}
			return event, 0, f
		}
	}
	u.shadeLines(t, c.PC)
	if u.Immediate() {
		if !empty {
			t.shape.copyAll(t.dst, t.src)
			t.dst, t.src = nil, nil
		}
		return event, 0, nil
	}
	t.info = info{id: u.id, pc: c.PC, name: c.Spec.Name, wave: items.Wave, dst: memory.Pointer(o[argDst]), src: memory.Pointer(o[argSrc]), total: t.total,
		lines: o[argLines], planes: o[argPlanes], event: event, async: true}
	if !empty {
		t.info.dst, t.info.src = t.shape.dst.at, t.shape.src.at
	}
	if c.Spec.Dim == 1 && !empty {
		t.lines = t.shape.lines
	}
	t.seq = 0
	if u.cfg.Check {
		u.checkGeometry(c, &o, &items)
		a.rec = u.checkGroup(t, c, &o, given, empty, &items)
		a.id = t.id
	}
	if u.deferred && !empty {
		t.items.keep(items)
		return event, u.enqueue(t), nil
	}
	u.atOnce(t, items)
	return event, 0, nil
}

// place works out what a group copy moves.
func (u *Unit) place(t *transfer, o *operands, dim int) (f *memory.Fault) {
	s := &t.shape
	o.shape(s, dim)
	if t.src, f = u.bytes(s, &s.src, memory.AccessRead); f != nil {
		return f
	}
	if t.dst, f = u.bytes(s, &s.dst, memory.AccessWrite); f != nil {
		return f
	}
	s.merge()
	if s.total > uint64(len(t.dst)) {
		s.total = min(s.total, max(u.region(s.dst.at).Size, overlapBudget))
	}
	t.total = s.total
	return nil
}

// atOnce makes a copy that is not enqueued: one that is done at issue, or has
// nothing to move.
func (u *Unit) atOnce(t *transfer, items Items) {
	t.engine = int((t.id - 1) % uint64(u.cfg.Engines))
	t.issued, t.start, t.done = u.now, 0, 0
	if u.cfg.Tracer != nil {
		u.cfg.Tracer.Issue(u.told(&t.info, &items))
	}
	t.start, t.done = u.now, u.now
	if t.total > 0 {
		t.move(0, t.total)
	}
	if u.cfg.Tracer != nil {
		u.cfg.Tracer.Complete(u.told(&t.info, &items))
	}
	t.dst, t.src = nil, nil
	if t != &u.scratch {
		u.give(t)
	}
}

// nextEvent returns a new event. Events fit 32 bits.
func (u *Unit) nextEvent() uint64 {
	if u.event++; u.event >= 1<<32 {
		u.event = 1
	}
	return u.event
}

// LastEvent returns where the number of the last event is kept that was given out in this work-group, 0 for none. Whoever makes copies in the
// place of an [Unit.Immediate] unit, of all work-items at once where it is [Unit.Even], takes events from there; they are less than 2³².
func (u *Unit) LastEvent() *uint64 { return &u.event }

// GroupWait waits for the copies of an event; 0 is no event. It returns the
// ticks that it took.
func (u *Unit) GroupWait(now uint64, pc int, event uint64, items Items) (stall uint64) {
	u.Advance(now)
	from := u.now
	if u.cfg.Check {
		u.checkWait(pc, event, &items)
	}
	if event != 0 && len(u.queue) > 0 {
		stall = u.waitFor(func(t *transfer) bool { return t.event == event })
	}
	if u.cfg.Tracer != nil {
		u.cfg.Tracer.Wait(from, u.now, pc, items.Wave, fmt.Sprintf("event %d", event), 0)
	}
	return stall
}
