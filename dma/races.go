package dma

import "github.com/lockstep-gpu/lockstep/memory"

// What copies read and write in global memory can race with other work-groups. That is for [Races] to find; the
// checks here are about the copy's own group.

// beginRaces tells of a copy that begins, one of the whole group or a lane copy.
func (u *Unit) beginRaces(r *record) {
	if u.group.Races != nil {
		r.number = u.group.Races.Copy(r.pc, r.event != 0)
	}
}

// issueRaces tells that items come to a group copy, and what that reads and writes.
func (u *Unit) issueRaces(r *record, items *Items) {
	if r.number == 0 || r.shape.total == 0 {
		return
	}
	items.each(u.group.Items, func(item int) {
		if !u.group.Races.Issue(r.number, item) {
			return
		}
		for _, dst := range [...]bool{false, true} {
			d, kind := r.side(dst), memory.AccessRead
			if dst {
				kind = memory.AccessWrite
			}
			if d.at.Space() != memory.SpaceGlobal {
				continue
			}
			r.shape.stretches(d, func(lo, hi uint64) bool {
				u.group.Races.Copied(r.number, kind, item, pointerAt(allocOf(d.at), lo), hi-lo)
				return true
			})
		}
	})
}

// issueLaneRaces tells what the lanes of a lane copy read and write.
func (u *Unit) issueLaneRaces(r *record) {
	if r.number == 0 {
		return
	}
	for i := range r.lanes {
		l := &r.lanes[i]
		u.group.Races.Issue(r.number, l.item)
		u.group.Races.Copied(r.number, memory.AccessWrite, l.item, l.dst, r.size)
		if l.src != ZeroFill {
			u.group.Races.Copied(r.number, memory.AccessRead, l.item, l.src, r.size)
		}
	}
}

// waitRaces tells that a work-item has waited for a copy.
func (u *Unit) waitRaces(r *record, item int) {
	if r.number != 0 {
		u.group.Races.Waited(r.number, item)
	}
}

// plainRaces tells of a lane copy that is over at once.
func (u *Unit) plainRaces(pc int, kind memory.Access, item int, p memory.Pointer, size uint64) {
	if u.group.Races != nil {
		u.group.Races.Plain(pc, kind, item, p, size)
	}
}
