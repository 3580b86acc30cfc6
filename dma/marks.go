package dma

import "fmt"

// Async marks (AMDGPU Asynchronous Operations, "Async Mark Operations"). A
// wave numbers its lane copies; a mark is the number of the last one before
// it. For a work-item that executed the mark, the mark is complete when all copies of
// the wave that it took part in, up to that number, are; so one number for each work-item says
// which of its copies it knows to be done.

// maxMarks is how many outstanding marks a wave remembers. Of more, the oldest
// are forgotten, and a wait that would count one of those waits for the newest
// that is forgotten: longer than it has to.
const maxMarks = 4096

// mark is an async mark that items of a wave executed together.
type mark struct {
	seq   int // sequence: one for each function body
	pc    int
	upTo  uint64 // lane copies before it
	items Items
}

// waveState is what the unit knows of a wave.
type waveState struct {
	issued  uint64 // lane copies
	marks   []mark // outstanding for some of its items, in program order
	lost    uint64 // upTo of the newest mark that was forgotten
	compact int    // number of marks at which the complete ones are looked for
}

func (u *Unit) resetMarks() {
	for i := range u.waves[:u.used] {
		w := &u.waves[i]
		w.issued, w.lost, w.compact, w.marks = 0, 0, 0, w.marks[:0]
	}
	u.used = 0
	if cap(u.done) < u.group.Items {
		u.done = make([]uint64, u.group.Items)
	}
	u.done = u.done[:u.group.Items]
	clear(u.done)
}

// wave returns the state of a wave. Numbers that no wave of the group can have
// stand for the first one.
func (u *Unit) wave(n int) *waveState {
	if n < 0 || n >= u.group.Items {
		n = 0
	}
	if n >= len(u.waves) {
		u.waves = append(u.waves, make([]waveState, n+1-len(u.waves))...)
	}
	u.used = max(u.used, n+1)
	return &u.waves[n]
}

// tracking says whether marks matter: a copy can be outstanding, in memory or
// to the checks, or somebody wants to know what waits are for.
func (u *Unit) tracking() bool { return u.deferred || u.cfg.Check || u.cfg.Tracer != nil }

// Scope empties sequence seq of the items' async marks: a function body begins.
func (u *Unit) Scope(seq int, items Items) {
	if !u.tracking() {
		return
	}
	w := u.wave(items.Wave)
	keep := w.marks[:0]
	for i := range w.marks {
		m := &w.marks[i]
		if m.seq == seq {
			switch m.items.relate(&items) {
			case disjoint:
			case covers:
				for j, word := range items.Mask {
					m.items.Mask[j] &^= word
				}
			default:
				m.items.each(u.group.Items, func(item int) {
					if items.has(item) {
						j := item - m.items.First
						m.items.Mask[j/64] &^= 1 << (j % 64)
					}
				})
			}
			if m.items.none() {
				continue
			}
		}
		keep = keepMark(keep, m)
	}
	w.marks = keep
}

// keepMark appends m, which lies behind the end of the list in the same array,
// and leaves the mark that was there in m's place, so that no two share a mask.
func keepMark(list []mark, m *mark) []mark {
	list = list[:len(list)+1]
	if last := &list[len(list)-1]; last != m {
		*last, *m = *m, *last
	}
	return list
}

func (it *Items) none() bool {
	for _, word := range it.Mask {
		if word != 0 {
			return false
		}
	}
	return true
}

// Mark appends an async mark to sequence seq of each of the items.
func (u *Unit) Mark(now uint64, pc, seq int, items Items) {
	u.Advance(now)
	if u.cfg.Tracer != nil {
		u.cfg.Tracer.Mark(u.now, pc, items.Wave, seq, items)
	}
	if !u.tracking() {
		return
	}
	w := u.wave(items.Wave)
	if w.issued == 0 {
		return // complete from the start; what comes before it is too
	}
	if len(w.marks) >= max(w.compact, 64) {
		u.compactMarks(w)
	}
	if len(w.marks) < cap(w.marks) {
		w.marks = w.marks[:len(w.marks)+1]
	} else {
		w.marks = append(w.marks, mark{})
	}
	m := &w.marks[len(w.marks)-1]
	m.seq, m.pc, m.upTo = seq, pc, w.issued
	m.items.keep(items)
}

// compactMarks removes the marks that are complete for all who executed them,
// and the oldest if the rest is too many.
func (u *Unit) compactMarks(w *waveState) {
	drop := 0
	keep := w.marks[:0]
	for i := range w.marks {
		m := &w.marks[i]
		if !u.complete(m) {
			keep = keepMark(keep, m)
		}
	}
	if len(keep) >= maxMarks {
		drop = maxMarks / 4
		w.lost = keep[drop-1].upTo
		n := len(keep)
		kept := keep[:0]
		for i := drop; i < n; i++ {
			kept = keepMark(kept, &keep[:n][i])
		}
		keep = kept
	}
	w.marks = keep
	w.compact = min(max(64, 2*len(keep)), maxMarks)
}

// complete says whether a mark is complete for everybody.
func (u *Unit) complete(m *mark) bool {
	all := true
	m.items.each(u.group.Items, func(item int) { all = all && u.done[item] >= m.upTo })
	return all
}

// WaitMark waits until at most n marks of sequence seq are outstanding, for
// each of the items: everything that a work-item issued before its mark that has
// n later marks in the sequence, whatever function issued it. It returns the
// ticks that it took.
func (u *Unit) WaitMark(now uint64, pc, seq, n int, items Items) (stall uint64) {
	u.Advance(now)
	from := u.now
	n = max(n, 0)
	var most uint64
	if u.tracking() {
		w := u.wave(items.Wave)
		if most = u.settle(w, seq, n, &items); most > 0 {
			if len(u.queue) > 0 {
				stall = u.waitFor(func(t *transfer) bool {
					return t.seq != 0 && t.seq <= most && t.wave == items.Wave && u.awaited(t, &items)
				})
			}
			if u.cfg.Check {
				u.checkSettled(items.Wave)
			}
		}
	}
	if u.cfg.Tracer != nil {
		u.cfg.Tracer.Wait(from, u.now, pc, items.Wave, fmt.Sprintf("marks ≤ %d", n), most)
	}
	return stall
}

// settle notes which lane copies the items know to be done after a wait, and
// returns the greatest number of one.
func (u *Unit) settle(w *waveState, seq, n int, items *Items) (most uint64) {
	left := n + 1
	for i := len(w.marks) - 1; i >= 0; i-- {
		m := &w.marks[i]
		if m.seq != seq {
			continue
		}
		switch m.items.relate(items) {
		case disjoint:
			continue
		case partial:
			return u.settleEach(w, seq, n, items)
		}
		if left--; left == 0 {
			most = m.upTo
			break
		}
	}
	if left > 0 {
		most = w.lost
	}
	if most > 0 {
		items.each(u.group.Items, func(item int) { u.done[item] = max(u.done[item], most) })
	}
	return most
}

// settleEach is settle for items that have executed different marks.
func (u *Unit) settleEach(w *waveState, seq, n int, items *Items) (most uint64) {
	items.each(u.group.Items, func(item int) {
		upTo, left := w.lost, n
		for i := len(w.marks) - 1; i >= 0; i-- {
			m := &w.marks[i]
			if m.seq != seq || !m.items.has(item) {
				continue
			}
			if left == 0 {
				upTo = m.upTo
				break
			}
			left--
		}
		u.done[item] = max(u.done[item], upTo)
		most = max(most, u.done[item])
	})
	return most
}

// awaited says whether one of the items that took part in a lane copy knows it
// to be done.
func (u *Unit) awaited(t *transfer, items *Items) bool {
	found := false
	t.items.each(u.group.Items, func(item int) {
		found = found || u.done[item] >= t.seq && items.has(item)
	})
	return found
}
