package ssa

import "slices"

// edge is an edge between blocks.
type edge struct{ from, to *Block }

// prepare finds what joins needs. Irreducible regions count as loops that lanes leave at any time, so the places where
// their exits meet diverge.
func (d *divergent) prepare() {
	n := len(d.f.Blocks)
	d.done, d.labels, d.stamp = make([]bool, n), make([]int, n), make([]int, n)
	d.work = Heap[int]{Less: func(x, y int) bool { return x < y }}
	d.findExits()
	d.findMeetings()
	var out []edge
	for _, b := range d.f.Blocks {
		if !d.bad[b.Order] {
			continue
		}
		for _, s := range b.Succs {
			if !d.bad[s.Order] {
				out = append(out, edge{b, s})
			}
		}
		d.mark(b.Loop, 0)
	}
	// Those that are part of such a region are left anywhere, and out has their exits. Lanes go on in the loops around it
	// in different trips, and leave them by different ways.
	d.left = slices.DeleteFunc(d.left, func(l *Loop) bool { return d.bad[l.Head.Order] })
	d.joins(out)
	d.follow()
}

// findExits finds the edges that leave each loop.
func (d *divergent) findExits() {
	d.exits = map[*Loop][]edge{}
	for _, b := range d.f.Blocks {
		for _, s := range b.Succs {
			for l := b.Loop; l != nil && !l.Contains(s) && d.steps <= d.limit; l = l.Parent {
				d.exits[l] = append(d.exits[l], edge{b, s})
				d.steps++
			}
		}
	}
}

// stays returns the nearest loop around l, or l itself, that is not known to be left in different trips; nil for none.
func (l *Loop) stays() *Loop {
	for l != nil && l.divExit {
		if p := l.open; p != nil && p.divExit {
			l.open = p.open // shorten the way for the next one
		}
		l = l.open
	}
	return l
}

// mark notes that lanes leave l, and the loops around it that are nested more than depth deep, in different trips.
func (d *divergent) mark(l *Loop, depth int) {
	for l = l.stays(); l != nil && l.Depth > depth; l = l.stays() {
		l.divExit, l.open = true, l.Parent
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
func (l *Loop) deep() int {
	if l == nil {
		return 0
	}
	return l.Depth
}

// branch deals with a branch whose lanes go different ways.
func (d *divergent) branch(b *Block) {
	var out []edge
	for _, s := range b.Succs {
		out = append(out, edge{b, s})
	}
	d.joins(out)
	for _, s := range b.Succs {
		d.mark(b.Loop, common(b.Loop, s.Loop).deep())
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
	n := len(d.f.Blocks)
	origin := out[0].from.Loop
	reach := func(to *Block, label int) {
		o := to.Order
		if d.stamp[o] != d.round {
			d.stamp[o] = d.round
			d.labels[o] = label
			d.work.Push(o)
			return
		}
		if d.labels[o] != label {
			d.labels[o] = n + o // a place of its own from here on
			for _, phi := range to.Phis {
				phi.Varying = true
			}
		}
	}
	for i, e := range out {
		if e.to.Order > e.from.Order {
			reach(e.to, i+1)
		}
	}
	d.steps += len(out)
	for len(d.work.List) > 0 {
		o := d.work.Pop()
		if len(d.work.List) == 0 {
			break // everything has met here
		}
		b := d.f.Blocks[o]
		d.steps += 1 + len(b.Succs)
		if d.steps > d.limit {
			d.work.List = d.work.List[:0]
			return
		}
		if d.meet.alone[o] {
			// Nothing meets lanes from here before they meet again themselves.
			d.mark(common(b.Loop, origin), d.meet.depth[o])
			m, back := d.meet.at[o], d.meet.back[o]
			if back > m || m == n && back >= 0 {
				// Others may leave loops before those that jump back have done so.
				reach(d.f.Blocks[back], d.labels[o])
			}
			if m >= 0 && m < n {
				reach(d.f.Blocks[m], d.labels[o])
			}
			continue
		}
		for _, s := range b.Succs {
			d.mark(common(b.Loop, origin), common(b.Loop, s.Loop).deep())
			if s.Order > o {
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
	n := len(d.f.Blocks)
	m := &meeting{at: make([]int, n+1), alone: make([]bool, n), depth: make([]int, n), back: make([]int, n), level: make([]int, n+1), jump: make([]int, n+1)}
	d.meet = m
	m.at[n], m.jump[n] = n, n
	for o := n - 1; o >= 0; o-- {
		b := d.f.Blocks[o]
		m.at[o] = -1
		if len(b.Succs) == 0 {
			m.at[o] = n
		}
		for _, s := range b.Succs {
			if s.Order > o && m.at[s.Order] >= 0 {
				m.at[o] = m.first(m.at[o], s.Order)
			}
		}
		if p := m.at[o]; p >= 0 {
			m.level[o], m.jump[o] = m.level[p]+1, p
			if j := m.jump[p]; m.level[p]-m.level[j] == m.level[j]-m.level[m.jump[j]] {
				m.jump[o] = m.jump[j]
			}
		}
		d.steps += 1 + len(b.Succs)
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
func (d *divergent) region(b *Block) (alone bool, depth, back int) {
	m, n := d.meet, len(d.f.Blocks)
	end := m.at[b.Order]
	depth, back = b.Loop.deep(), -1
	if end >= 0 && end < n {
		depth = common(b.Loop, d.f.Blocks[end].Loop).deep()
	}
	for _, s := range b.Succs {
		if s.Order <= b.Order {
			continue
		}
		for t := s.Order; t != end && t >= 0 && t < n; t = m.at[t] {
			d.steps++
			x := d.f.Blocks[t]
			if d.steps > d.limit || !m.alone[t] || !b.Dominates(x) {
				return false, 0, -1
			}
			depth = min(depth, m.depth[t], common(b.Loop, x.Loop).deep())
			if back = max(back, m.back[t]); m.at[t] < 0 {
				back = max(back, t)
			}
		}
	}
	return true, depth, back
}
