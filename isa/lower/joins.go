package lower

import "slices"

// edge is an edge between blocks.
type edge struct{ from, to *block }

// prepare finds what joins needs. Irreducible regions count as loops that lanes leave at any time, so the places where
// their exits meet diverge.
func (d *divergent) prepare() {
	n := len(d.f.blocks)
	d.done, d.labels, d.stamp = make([]bool, n), make([]int, n), make([]int, n)
	d.work = heapOf[int]{less: func(x, y int) bool { return x < y }}
	d.findExits()
	d.findMeetings()
	var out []edge
	for _, b := range d.f.blocks {
		if !d.bad[b.order] {
			continue
		}
		for _, s := range b.succs {
			if !d.bad[s.order] {
				out = append(out, edge{b, s})
			}
		}
		d.mark(b.loop, 0)
	}
	// Those that are part of such a region are left anywhere, and out has their exits. Lanes go on in the loops around it
	// in different trips, and leave them by different ways.
	d.left = slices.DeleteFunc(d.left, func(l *loop) bool { return d.bad[l.head.order] })
	d.joins(out)
	d.follow()
}

// findExits finds the edges that leave each loop.
func (d *divergent) findExits() {
	d.exits = map[*loop][]edge{}
	for _, b := range d.f.blocks {
		for _, s := range b.succs {
			for l := b.loop; l != nil && !l.contains(s) && d.steps <= d.limit; l = l.parent {
				d.exits[l] = append(d.exits[l], edge{b, s})
				d.steps++
			}
		}
	}
}

// stays returns the nearest loop around l, or l itself, that is not known to be left in different trips; nil for none.
func (l *loop) stays() *loop {
	for l != nil && l.divExit {
		if p := l.open; p != nil && p.divExit {
			l.open = p.open // shorten the way for the next one
		}
		l = l.open
	}
	return l
}

// mark notes that lanes leave l, and the loops around it that are nested more than depth deep, in different trips.
func (d *divergent) mark(l *loop, depth int) {
	for l = l.stays(); l != nil && l.depth > depth; l = l.stays() {
		l.divExit, l.open = true, l.parent
		d.left = append(d.left, l)
		d.steps++
	}
}

// follow finds the places where the exits of loops meet that lanes leave in different trips.
func (d *divergent) follow() {
	for len(d.left) > 0 {
		l := d.left[len(d.left)-1]
		d.left = d.left[:len(d.left)-1]
		d.joins(d.exits[l])
	}
}

// deep returns how deep a loop is nested, 0 for none.
func (l *loop) deep() int {
	if l == nil {
		return 0
	}
	return l.depth
}

// branch deals with a branch whose lanes go different ways.
func (d *divergent) branch(b *block) {
	var out []edge
	for _, s := range b.succs {
		out = append(out, edge{b, s})
	}
	d.joins(out)
	for _, s := range b.succs {
		d.mark(b.loop, common(b.loop, s.loop).deep())
	}
	d.follow()
}

// joins follows lanes that took the given edges, forward, and makes the phis
// divergent where lanes of different edges meet first. A loop that some of
// them leave on the way, while others are still on theirs, is one that lanes
// leave in different trips, even if the branch that leads out goes one way for
// all who get there.
func (d *divergent) joins(out []edge) {
	if len(out) < 2 || d.steps > d.limit {
		return
	}
	d.round++
	n := len(d.f.blocks)
	origin := out[0].from.loop
	reach := func(to *block, label int) {
		o := to.order
		if d.stamp[o] != d.round {
			d.stamp[o] = d.round
			d.labels[o] = label
			d.work.push(o)
			return
		}
		if d.labels[o] != label {
			d.labels[o] = n + o // a place of its own from here on
			for _, phi := range to.phis {
				phi.div = true
			}
		}
	}
	for i, e := range out {
		if e.to.order > e.from.order {
			reach(e.to, i+1)
		}
	}
	d.steps += len(out)
	for len(d.work.list) > 0 {
		o := d.work.pop()
		if len(d.work.list) == 0 {
			break // everything has met here
		}
		b := d.f.blocks[o]
		d.steps += 1 + len(b.succs)
		if d.steps > d.limit {
			d.work.list = d.work.list[:0]
			return
		}
		if d.meet.alone[o] {
			// Nothing meets lanes from here before they meet again themselves.
			d.mark(common(b.loop, origin), d.meet.depth[o])
			m, back := d.meet.at[o], d.meet.back[o]
			if back > m || m == n && back >= 0 {
				// Others may leave loops before those that jump back have done so.
				reach(d.f.blocks[back], d.labels[o])
			}
			if m >= 0 && m < n {
				reach(d.f.blocks[m], d.labels[o])
			}
			continue
		}
		for _, s := range b.succs {
			d.mark(common(b.loop, origin), common(b.loop, s.loop).deep())
			if s.order > o {
				reach(s, d.labels[o])
			}
		}
	}
}

// meeting says, by order, where lanes that leave a block meet again if they only go forward: its immediate
// post-dominator. Lanes that jump back to the head of a loop do not count, unless all do.
type meeting struct {
	at    []int  // -1 where all jump back, the number of blocks where they meet only behind the kernel's end
	alone []bool // no edge leads from elsewhere to a block on the way
	depth []int  // of the innermost loop that contains the block, all on the way and the place where they meet
	back  []int  // the last block on the way whose lanes jump back without meeting the others, -1 for none

	level []int // in the tree of at
	jump  []int // a place further up that tree
}

// findMeetings finds out where lanes meet, from the last block to the first.
func (d *divergent) findMeetings() {
	n := len(d.f.blocks)
	m := &meeting{at: make([]int, n+1), alone: make([]bool, n), depth: make([]int, n), back: make([]int, n), level: make([]int, n+1), jump: make([]int, n+1)}
	d.meet = m
	m.at[n], m.jump[n] = n, n
	for o := n - 1; o >= 0; o-- {
		b := d.f.blocks[o]
		m.at[o] = -1
		if len(b.succs) == 0 {
			m.at[o] = n
		}
		for _, s := range b.succs {
			if s.order > o && m.at[s.order] >= 0 {
				m.at[o] = m.first(m.at[o], s.order)
			}
		}
		if p := m.at[o]; p >= 0 {
			m.level[o], m.jump[o] = m.level[p]+1, p
			if j := m.jump[p]; m.level[p]-m.level[j] == m.level[j]-m.level[m.jump[j]] {
				m.jump[o] = m.jump[j]
			}
		}
		d.steps += 1 + len(b.succs)
		m.alone[o], m.depth[o], m.back[o] = d.region(b)
	}
}

// first returns the first place where lanes from a and b meet; a may be -1.
func (m *meeting) first(a, b int) int {
	if a < 0 {
		return b
	}
	if m.level[a] < m.level[b] {
		a, b = b, a
	}
	for m.level[a] > m.level[b] {
		if m.level[m.jump[a]] >= m.level[b] {
			a = m.jump[a]
		} else {
			a = m.at[a]
		}
	}
	for a != b {
		if m.jump[a] != m.jump[b] {
			a, b = m.jump[a], m.jump[b]
		} else {
			a, b = m.at[a], m.at[b]
		}
	}
	return a
}

// region looks at the blocks between b and where its lanes meet, which have been looked at themselves.
func (d *divergent) region(b *block) (alone bool, depth, back int) {
	m, n := d.meet, len(d.f.blocks)
	end := m.at[b.order]
	depth, back = b.loop.deep(), -1
	if end >= 0 && end < n {
		depth = common(b.loop, d.f.blocks[end].loop).deep()
	}
	for _, s := range b.succs {
		if s.order <= b.order {
			continue
		}
		for t := s.order; t != end && t >= 0 && t < n; t = m.at[t] {
			d.steps++
			x := d.f.blocks[t]
			if d.steps > d.limit || !m.alone[t] || !b.dominates(x) {
				return false, 0, -1
			}
			depth = min(depth, m.depth[t], common(b.loop, x.loop).deep())
			if back = max(back, m.back[t]); m.at[t] < 0 {
				back = max(back, t)
			}
		}
	}
	return true, depth, back
}
