package dma

import (
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// detail counts a finding and, at its first occurrence, has its particulars
// filled in.
func (u *Unit) detail(code finding.Code, pc, item, n int, fill func(d *Detail)) {
	if d := u.cfg.Sink.Finding(code, pc, item, n); d != nil {
		d.MarkPC = -1
		fill(d)
	}
}

// count returns the number of items in the group, and the first of them.
func (u *Unit) count(items *Items) (n, first int) {
	first = -1
	items.each(u.group.Items, func(item int) {
		if n++; first < 0 {
			first = item
		}
	})
	return n, max(first, 0)
}

// checkGeometry looks for lines and planes that overlap.
func (u *Unit) checkGeometry(c *Copy, o *operands, items *Items) {
	if o.nothing() {
		return
	}
	report := func(code finding.Code, text string) {
		_, first := u.count(items)
		u.detail(code, c.PC, first, u.group.Items, func(d *Detail) {
			d.Text = text
			d.Transfers = []Transfer{{ID: u.id, PC: c.PC, Name: c.Spec.Name, Items: items.spans(u.group.Items), Wave: items.Wave,
				Dst: advance(memory.Pointer(o[argDst]), mul(o[argDstOffset], o[argElemBytes])),
				Src: advance(memory.Pointer(o[argSrc]), mul(o[argSrcOffset], o[argElemBytes])), Bytes: mul(mul(mul(o[argElemBytes], o[argElems]), o[argLines]), o[argPlanes]),
				Lines: o[argLines], Planes: o[argPlanes], Async: true}}
		})
	}
	for _, s := range [...]struct {
		name        string
		line, plane uint64
	}{{"source", o[argSrcLine], o[argSrcPlane]}, {"destination", o[argDstLine], o[argDstPlane]}} {
		switch {
		case c.Spec.Dim == 1:
			if s.line == 0 {
				report(finding.AsyncLine, s.name+" stride of 0")
			}
			continue
		case s.line < o[argElems]:
			report(finding.AsyncLine, fmt.Sprintf("%s line length of %d, but lines of %d elements", s.name, s.line, o[argElems]))
		}
		if c.Spec.Dim > 2 && s.plane < mul(o[argLines], s.line) {
			report(finding.AsyncPlane, fmt.Sprintf("%s plane area of %d, but planes of %d lines with a line length of %d", s.name, s.plane, o[argLines], s.line))
		}
	}
}

// checkGroup remembers a group copy that items issue, and looks for what it
// does to outstanding copies and to LDS.
func (u *Unit) checkGroup(t *transfer, c *Copy, o *operands, given uint64, empty bool, items *Items) *record {
	r := u.checker.take(0)
	r.info = t.info
	r.spec, r.args, r.given = c.Spec, *o, given
	r.arrived.reset(u.group.Items)
	r.waited.reset(u.group.Items)
	u.join(r, items)
	if given > u.event {
		u.badEvent(c.PC, c.Spec.Name, given, items)
	}
	if !empty {
		r.shape = t.shape
		r.dst = boxAt(t.shape.dst.at, uint64(len(t.dst)))
		r.src = boxAt(t.shape.src.at, uint64(len(t.src)))
		u.checkOverlap(r, items)
		if u.group.Items > 1 {
			u.checkRace(r, items)
		}
	}
	u.beginRaces(r)
	u.issueRaces(r, items)
	u.checker.records = append(u.checker.records, r)
	return r
}

// join counts items in at a group copy.
func (u *Unit) join(r *record, items *Items) {
	items.each(u.group.Items, func(item int) {
		if r.arrived.add(item) {
			r.nArrived++
		}
	})
}

// checkJoin compares a group copy that items come to with the one that was
// issued for them.
func (u *Unit) checkJoin(a *arrival, c *Copy, event uint64, items *Items) {
	r := a.rec
	if r == nil || r.id != a.id {
		return // forgotten
	}
	var o operands
	o.set(c)
	if r.pc != c.PC || r.args != o || r.given != event {
		n, first := u.count(items)
		u.detail(finding.AsyncDiff, c.PC, first, n, func(d *Detail) {
			d.Transfers = []Transfer{r.told(&u.group, 0)}
			d.Sets = []OperandSet{operandSet(r.pc, r.spec, &r.args, r.given, r.arrived.spans(u.group.Items, true)),
				operandSet(c.PC, c.Spec, &o, event, items.spans(u.group.Items))}
		})
	}
	u.join(r, items)
	u.issueRaces(r, items)
}

func (u *Unit) badEvent(pc int, name string, event uint64, items *Items) {
	n, first := u.count(items)
	u.detail(finding.AsyncEvent, pc, first, n, func(d *Detail) {
		d.Sets = []OperandSet{{Items: items.spans(u.group.Items), PC: pc, Name: name, Args: []NamedArg{{Name: "event", Value: event}}}}
	})
}

// checkWait notes that items waited for an event. Only a copy makes events, so that null is none.
func (u *Unit) checkWait(pc int, event uint64, items *Items) {
	if event == 0 || event > u.event {
		u.badEvent(pc, "", event, items)
	}
	if event == 0 {
		return
	}
	u.checker.filter(func(r *record) bool {
		if r.event != event {
			return true
		}
		items.each(u.group.Items, func(item int) {
			if r.arrived.has(item) && r.waited.add(item) {
				if r.nWaited == 0 {
					r.waitPC = pc
				}
				r.nWaited++
				u.waitRaces(r, item)
			}
		})
		return r.nWaited < u.group.Items
	})
}

// checkBarrier ends an epoch. Copies that some have waited for are now known to
// be done by all; who has not come to a copy or a wait by now never will.
func (u *Unit) checkBarrier(global, local bool) {
	u.checker.shadow.barrier(global, local)
	u.checkParts()
}

// checkParts reports the copies and waits that some of the work-items never
// came to, and forgets the copies that were waited for.
func (u *Unit) checkParts() {
	g := u.group.Items
	u.checker.filter(func(r *record) bool {
		if r.event == 0 {
			return true
		}
		// What nobody waits for is reported once, although each barrier asks.
		if r.nArrived < g && !r.partial {
			r.partial = true
			u.detail(finding.AsyncPart, r.pc, r.arrived.first(), r.nArrived, func(d *Detail) {
				d.Transfers = []Transfer{r.told(&u.group, 0)}
				d.Did, d.DidNot = r.arrived.spans(g, true), r.arrived.spans(g, false)
			})
		}
		if r.nWaited == 0 {
			return true
		}
		if r.nWaited < r.nArrived {
			u.detail(finding.AsyncPart, r.waitPC, r.waited.first(), r.nWaited, func(d *Detail) {
				d.Transfers = []Transfer{r.told(&u.group, 0)}
				d.Wait = true
				d.Did, d.DidNot = r.waited.spans(g, true), r.waited.spans(g, false)
			})
		}
		return false
	})
}

// checkEnd reports what was not waited for, and forgets everything.
func (u *Unit) checkEnd() {
	u.checkParts()
	for _, r := range u.checker.records {
		if r.event != 0 {
			u.detail(finding.AsyncNoWait, r.pc, r.arrived.first(), r.nArrived, func(d *Detail) {
				d.Transfers = []Transfer{r.told(&u.group, 0)}
			})
		}
	}
	u.checker.drop()
}

// checkLanes remembers a lane copy, and looks for what it does to outstanding
// copies and to memory. One that is done at once is a read and a write.
func (u *Unit) checkLanes(t *transfer, c *LaneCopy, items Items, dst, src []memory.Pointer) {
	size := uint64(c.Size)
	lanes := min(len(dst), len(src))
	if !c.Async {
		items.each(u.group.Items, func(item int) {
			if l := item - items.First; l < lanes {
				if src[l] != ZeroFill {
					u.Access(u.now, c.PC, memory.AccessRead, item, src[l], size)
					u.plainRaces(c.PC, memory.AccessRead, item, src[l], size)
				}
				u.Access(u.now, c.PC, memory.AccessWrite, item, dst[l], size)
				u.plainRaces(c.PC, memory.AccessWrite, item, dst[l], size)
			}
		})
		return
	}
	n, _ := u.count(&items)
	r := u.checker.take(n)
	r.info = t.info
	r.seq, r.size, r.epoch = t.seq, size, u.checker.shadow.epoch
	items.each(u.group.Items, func(item int) {
		if l := item - items.First; l < lanes {
			r.lanes = append(r.lanes, laneRef{item: item, dst: dst[l], src: src[l]})
		}
	})
	u.checker.lanes += len(r.lanes)
	if r.open = len(r.lanes); r.open == 0 {
		u.checker.give(r)
		return
	}
	r.setLanes()
	u.checkOverlap(r, &items)
	u.checkLaneRace(r)
	u.beginRaces(r)
	u.issueLaneRaces(r)
	u.checker.records = append(u.checker.records, r)
}

// checkSettled forgets the lanes of lane copies that their work-items know to be
// done, and enters them as uses of memory.
func (u *Unit) checkSettled(wave int) {
	u.checker.filter(func(r *record) bool {
		if r.event != 0 || r.wave != wave {
			return true
		}
		for i := range r.lanes {
			l := &r.lanes[i]
			if l.settled || u.done[l.item] < r.seq {
				continue
			}
			l.settled = true
			r.open--
			u.waitRaces(r, l.item)
			u.checker.shadow.note(useWrite, allocOf(l.dst), uint64(l.dst.Offset()), r.size, l.item, r.pc, true)
			if l.src != ZeroFill {
				u.checker.shadow.note(useRead, allocOf(l.src), uint64(l.src.Offset()), r.size, l.item, r.pc, true)
			}
		}
		return r.open > 0
	})
}

// outstandingFor says whether a transfer is outstanding for one of the items.
func (u *Unit) outstandingFor(r *record, items *Items) bool {
	if r.event == 0 {
		return r.open > 0
	}
	found := false
	items.each(u.group.Items, func(item int) { found = found || !r.waited.has(item) })
	return found
}

// checkOverlap compares a new transfer with itself and with those that are
// outstanding for the items that issue it.
func (u *Unit) checkOverlap(r *record, items *Items) {
	report := func(at memory.Pointer, n uint64, kind memory.Access, other *record, text string) {
		count, first := u.count(items)
		if r.event != 0 {
			count = u.group.Items // it is everybody's, whoever came to it first
		}
		u.detail(finding.AsyncOverlap, r.pc, first, count, func(d *Detail) {
			d.Access, d.Pointer, d.Size, d.Text = kind, at, n, text
			d.Transfers = []Transfer{r.told(&u.group, r.user(at))}
			if other != nil {
				d.Transfers = append(d.Transfers, other.told(&u.group, other.user(at)))
				u.orderedBy(d, other, other.user(at), r.user(at))
			}
		})
	}
	if at, n, ok := r.conflict(true, r, false); ok {
		report(at, n, memory.AccessWrite, nil, "which it reads and writes")
	} else if len(r.lanes) > 1 && !r.dstApart() {
		if at, n, ok := r.conflict(true, r, true); ok {
			report(at, n, memory.AccessWrite, nil, "which two work-items write")
		}
	}
	for _, o := range u.checker.records {
		at, n, ok := r.conflict(true, o, true)
		kind, text := memory.AccessWrite, "which both write"
		if !ok {
			at, n, ok = r.conflict(true, o, false)
			text = "which this one writes and the other still reads"
		}
		if !ok {
			at, n, ok = r.conflict(false, o, true)
			kind, text = memory.AccessRead, "which this one reads and the other still writes"
		}
		if ok && u.outstandingFor(o, items) {
			report(at, n, kind, o, text)
			return // one is enough to say what is wrong
		}
	}
}

// dstApart says whether the lanes' destinations follow each other without
// touching, as those of a load to LDS do.
func (r *record) dstApart() bool {
	if !r.dstSorted {
		return false
	}
	for i := range r.lanes[1:] {
		if r.lanes[i].dst+memory.Pointer(r.size) > r.lanes[i+1].dst {
			return false
		}
	}
	return true
}

// checkRace looks for uses of a group copy's memory since the last barrier.
func (u *Unit) checkRace(r *record, items *Items) {
	seen := u.checker.shadow.seen(items, u.group.Items)
	for _, s := range [...]struct {
		dst  bool
		kind memory.Access
		uses []int
	}{{false, memory.AccessRead, []int{useWrite}}, {true, memory.AccessWrite, []int{useWrite, useRead}}} {
		d := r.side(s.dst)
		alloc := allocOf(d.at)
		for _, use := range s.uses {
			r.shape.stretches(d, func(lo, hi uint64) bool {
				at, by, found := u.checker.shadow.find(use, alloc, lo, hi-lo, -1, false, seen)
				if found {
					_, first := u.count(items)
					u.race(r, first, u.group.Items, s.kind, pointerAt(alloc, at), by)
				}
				return !found
			})
		}
	}
}

// checkLaneRace looks for uses of a lane copy's memory by other sub-groups since
// the last barrier.
func (u *Unit) checkLaneRace(r *record) {
	for i := range r.lanes {
		l := &r.lanes[i]
		sub := l.item / u.group.SubgroupSize
		look := func(p memory.Pointer, kind memory.Access, use int) bool {
			at, by, ok := u.checker.shadow.find(use, allocOf(p), uint64(p.Offset()), r.size, sub, false, u.checker.shadow.synced[sub])
			if ok {
				u.laneRace(by.PC, by.Item, by.Access, pointerAt(allocOf(p), at), 1, Party{Item: l.item, PC: r.pc, Access: kind})
			}
			return ok
		}
		if !look(l.dst, memory.AccessWrite, useWrite) {
			look(l.dst, memory.AccessWrite, useRead)
		}
		if l.src != ZeroFill {
			look(l.src, memory.AccessRead, useWrite)
		}
	}
}

// laneRace reports an access by a work-item of another sub-group than the lane copy's, with no barrier between. It is
// reported at the access, whichever of the two came first, so that the finding does not depend on it.
func (u *Unit) laneRace(pc, item int, kind memory.Access, at memory.Pointer, size uint64, by Party) {
	u.detail(finding.AsyncRace, pc, item, 1, func(d *Detail) {
		d.Access, d.Pointer, d.Size = kind, at, size
		d.Other = &by
	})
}

// race reports that a work-item used memory of a copy and no barrier lies between:
// once for a group copy, since how many uses are found depends on which work-items come first. Of those that are
// found it shows the one at the lowest address.
func (u *Unit) race(r *record, item, n int, kind memory.Access, at memory.Pointer, by Party) {
	if r.raced {
		if d := r.race; d != nil && at < d.Pointer {
			d.Access, d.Pointer, d.Other = kind, at, &by
		}
		return
	}
	r.raced = true
	u.detail(finding.AsyncRace, r.pc, item, n, func(d *Detail) {
		d.Access, d.Pointer, d.Size = kind, at, 1
		d.Transfers = []Transfer{r.told(&u.group, item)}
		d.Other = &by
		r.race = d
	})
}

// Access says that a work-item loads, stores or does an atomic operation. It is
// called with Config.Check only, once for each work-item, and before the access.
// The address may be any; what is outside of its allocation is nobody's here.
func (u *Unit) Access(now uint64, pc int, kind memory.Access, item int, p memory.Pointer, size uint64) {
	u.Advance(now)
	space := p.Space()
	off := p.Offset()
	if !u.cfg.Check || size == 0 || off < 0 || item < 0 || item >= u.group.Items || space != memory.SpaceLocal && space != memory.SpaceGlobal {
		return
	}
	b := boxAt(p, size)
	raced := false
	for _, r := range u.checker.records {
		user, fills, ok := u.touches(r, &b, kind, item)
		if !ok {
			continue
		}
		if r.event != 0 && !r.arrived.has(item) && !r.partial {
			// It comes to the copy later: no wait would help.
			does := memory.AccessRead
			if fills {
				does = memory.AccessWrite
			}
			u.race(r, r.arrived.first(), u.group.Items, does, p, Party{Item: item, PC: pc, Access: kind})
			break
		}
		if r.event == 0 && r.epoch[kindOf(b.alloc)] == u.checker.shadow.epoch[kindOf(b.alloc)] && user/u.group.SubgroupSize != item/u.group.SubgroupSize {
			// The copy's own sub-group could wait as it likes.
			does := memory.AccessRead
			if fills {
				does = memory.AccessWrite
			}
			u.laneRace(pc, item, kind, p, size, Party{Item: user, PC: r.pc, Access: does})
			raced = true
			break
		}
		code := finding.AsyncRead
		if kind != memory.AccessRead {
			code = finding.AsyncWrite
		}
		u.detail(code, pc, item, 1, func(d *Detail) {
			d.Access, d.Pointer, d.Size = kind, p, size
			d.Text = "which the copy still reads"
			if fills {
				d.Text = "which the copy still fills"
			}
			d.Transfers = []Transfer{r.told(&u.group, user)}
			u.orderedBy(d, r, user, item)
		})
		break
	}
	if m := u.region(p); m != nil && uint64(off) <= m.Size && size <= m.Size-uint64(off) {
		u.checkUse(pc, kind, item, p, size, raced)
	}
}

// Sync says that a work-item comes to an atomic operation, a load too, on any
// memory: one that others then come to can order them behind it, where no barrier does. It
// is called with Config.Check only, before Access.
func (u *Unit) Sync(now uint64, pc, item int) {
	if u.cfg.Check && item >= 0 && item < u.group.Items {
		u.checker.shadow.sync(now, pc, item)
	}
}

// touches says whether an access meets a transfer that is outstanding for the
// work-item: user is a work-item whose part it meets, and fills that it does so
// in the destination.
func (u *Unit) touches(r *record, b *box, kind memory.Access, item int) (user int, fills, ok bool) {
	dst, src := r.dst.meets(b), kind != memory.AccessRead && r.src.meets(b)
	if !dst && !src {
		return 0, false, false
	}
	if r.event != 0 {
		if r.waited.has(item) {
			return 0, false, false
		}
		if dst {
			_, _, dst = r.shape.hit(&r.shape.dst, b.lo, b.hi)
		}
		if src {
			_, _, src = r.shape.hit(&r.shape.src, b.lo, b.hi)
		}
		return 0, dst, dst || src
	}
	for i := range r.lanes {
		l := &r.lanes[i]
		if l.settled {
			continue
		}
		if dst && l.meets(l.dst, r.size, b) {
			return l.item, true, true
		}
		if src && l.meets(l.src, r.size, b) {
			return l.item, false, true
		}
	}
	return 0, false, false
}

// meets says whether n bytes at p, a side of the lane, meet the box.
func (l *laneRef) meets(p memory.Pointer, n uint64, b *box) bool {
	if p == ZeroFill {
		return false
	}
	c := boxAt(p, n)
	return c.meets(b)
}

// checkUse looks for lane copies of other sub-groups that used the memory since the
// last barrier, unless the access was found to race, and notes the access.
func (u *Unit) checkUse(pc int, kind memory.Access, item int, p memory.Pointer, size uint64, raced bool) {
	s := &u.checker.shadow
	alloc, off := allocOf(p), uint64(p.Offset())
	if m := kindOf(alloc); s.async[m] == s.epoch[m] && !raced {
		sub := item / u.group.SubgroupSize
		_, by, ok := s.find(useWrite, alloc, off, size, sub, true, s.synced[sub])
		if !ok && kind != memory.AccessRead {
			_, by, ok = s.find(useRead, alloc, off, size, sub, true, s.synced[sub])
		}
		if ok {
			u.laneRace(pc, item, kind, p, size, by)
		}
	}
	if kind != memory.AccessWrite {
		s.note(useRead, alloc, off, size, item, pc, false)
	}
	if kind != memory.AccessRead {
		s.note(useWrite, alloc, off, size, item, pc, false)
	}
}

// orderedBy says which mark and wait would have ordered a work-item behind the
// part that another one, who, has in a lane copy.
func (u *Unit) orderedBy(d *Detail, r *record, who, item int) {
	if r.event != 0 {
		return
	}
	d.Barrier = who/u.group.SubgroupSize != item/u.group.SubgroupSize
	w := u.wave(r.wave)
	for i := range w.marks {
		m := &w.marks[i]
		if m.upTo < r.seq || !m.items.has(who) {
			continue
		}
		d.MarkPC = m.pc
		for j := i + 1; j < len(w.marks); j++ {
			if w.marks[j].seq == m.seq && w.marks[j].items.has(who) {
				d.WaitN++
			}
		}
		return
	}
}

// NotUniform reports that an operand of a lane copy which must be the same for
// a sub-group is not: the value of item, which counts, and that of other. It is
// called with Config.Check only.
func (u *Unit) NotUniform(pc int, name, operand string, item, other int, value, otherValue uint64, pointer bool) {
	if !u.cfg.Check {
		return
	}
	u.detail(finding.AsyncUniform, pc, max(item, 0), 1, func(d *Detail) {
		for _, s := range [...]struct {
			item  int
			value uint64
		}{{item, value}, {other, otherValue}} {
			d.Sets = append(d.Sets, OperandSet{Items: finding.Spans{}.Add(uint64(max(s.item, 0))), PC: pc, Name: name,
				Args: []NamedArg{{Name: operand, Value: s.value, Pointer: pointer}}})
		}
	})
}
