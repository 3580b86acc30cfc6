package weak

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
)

// This file defines the memory model by axioms, those of RC11 (O. Lahav, V. Vafeiadis, J. Kang, C. Hur and D. Dreyer,
// Repairing Sequential Consistency in C/C++11, PLDI 2017) over candidate executions, with the release sequences of
// C11, which OpenCL has. In three things it follows the machine instead:
//
//   - Loads that are not atomic need not be coherent with each other (bothPlain): C11 does not define what a program
//     with such a race does.
//   - RC11 forbids cycles of program order and reads. Here program order counts less: a load that may be performed
//     late comes before later operations only where they access the same place, are acquire fences, or are
//     sequentially consistent.
//   - The order of sequentially consistent operations is one in which they are performed: it agrees with that
//     order and reads.

// relation is one between events, as a matrix.
type relation [][]bool

func newRelation(n int) relation {
	r := make(relation, n)
	for i := range r {
		r[i] = make([]bool, n)
	}
	return r
}

func (r relation) each(f func(a, b int)) {
	for a := range r {
		for b, on := range r[a] {
			if on {
				f(a, b)
			}
		}
	}
}

func union(list ...relation) relation {
	u := newRelation(len(list[0]))
	for _, r := range list {
		r.each(func(a, b int) { u[a][b] = true })
	}
	return u
}

// then is the composition.
func (r relation) then(s relation) relation {
	c := newRelation(len(r))
	r.each(func(a, b int) {
		for d, on := range s[b] {
			c[a][d] = c[a][d] || on
		}
	})
	return c
}

// closed is the transitive closure.
func (r relation) closed() relation {
	c := union(r)
	for k := range c {
		for a := range c {
			if c[a][k] {
				for b, on := range c[k] {
					c[a][b] = c[a][b] || on
				}
			}
		}
	}
	return c
}

func (r relation) maybe() relation {
	c := union(r)
	for a := range c {
		c[a][a] = true
	}
	return c
}

func (r relation) acyclic() bool {
	c := r.closed()
	for a := range c {
		if c[a][a] {
			return false
		}
	}
	return true
}

// where keeps pairs.
func (r relation) where(f func(a, b int) bool) relation {
	c := newRelation(len(r))
	r.each(func(a, b int) { c[a][b] = f(a, b) })
	return c
}

// event is an operation in an execution, or, with thread -1, what a cell held at first.
type event struct {
	op
	thread int
}

func (e event) reads() bool  { return e.kind == 'R' || e.kind == 'U' }
func (e event) writes() bool { return e.kind == 'W' || e.kind == 'U' }

// candidates are the executions of a program.
type candidates struct {
	events []event
	po     relation
	weak   relation // program order, without what may be performed late
	rf     []int    // of each read, the write
	mo     [cells][]int

	// alone leaves out the two conditions of the machine, and so what RC11 says about cycles of program order and
	// reads, which C11 does not forbid.
	alone    bool
	outcomes map[string]bool
}

// axioms returns the outcomes of all executions that the axioms allow.
func (p program) axioms(alone bool) map[string]bool {
	c := &candidates{alone: alone, outcomes: map[string]bool{}}
	for i := range cells {
		c.events = append(c.events, event{op{kind: 'W', cell: i}, -1})
	}
	for i, t := range p {
		for _, o := range t {
			c.events = append(c.events, event{o, i})
		}
	}
	n := len(c.events)
	c.po, c.weak, c.rf = newRelation(n), newRelation(n), make([]int, n)
	first := cells
	for _, t := range p {
		for i := range t {
			for j := i + 1; j < len(t); j++ {
				c.po[first+i][first+j] = true
				f := t[j]
				binds := f.kind != 'F' && f.cell == t[i].cell || f.order&isa.OrderSeqCst != 0 || f.kind == 'F' && f.order&isa.OrderAcquire != 0
				c.weak[first+i][first+j] = !isLate(t, i) || binds
			}
		}
		first += len(t)
	}
	for i := range cells {
		for j := cells; j < n; j++ {
			c.po[i][j], c.weak[i][j] = true, true
		}
	}
	c.order(0)
	return c.outcomes
}

// order enumerates modification orders, cell by cell.
func (c *candidates) order(cell int) {
	if cell == cells {
		c.read(cells)
		return
	}
	var writes []int
	for i, e := range c.events {
		if e.writes() && e.cell == cell && e.thread >= 0 {
			writes = append(writes, i)
		}
	}
	var permute func(done []int)
	permute = func(done []int) {
		if len(done) == len(writes)+1 {
			c.mo[cell] = slices.Clone(done)
			c.order(cell + 1)
			return
		}
		for _, w := range writes {
			if !slices.Contains(done, w) {
				permute(append(done, w))
			}
		}
	}
	permute([]int{cell})
}

// read enumerates what reads read from.
func (c *candidates) read(i int) {
	if i == len(c.events) {
		c.judge()
		return
	}
	e := c.events[i]
	if !e.reads() {
		c.read(i + 1)
		return
	}
	for at, w := range c.mo[e.cell] {
		if w == i || e.kind == 'U' && (at+1 == len(c.mo[e.cell]) || c.mo[e.cell][at+1] != i) {
			continue
		}
		c.rf[i] = w
		c.read(i + 1)
	}
}

// judge notes the outcome if the execution is consistent.
func (c *candidates) judge() {
	n := len(c.events)
	rf, mo, fr := newRelation(n), newRelation(n), newRelation(n)
	for cell := range cells {
		for i, a := range c.mo[cell] {
			for _, b := range c.mo[cell][i+1:] {
				mo[a][b] = true
			}
		}
	}
	for i, e := range c.events {
		if e.reads() {
			rf[c.rf[i]][i] = true
			for b, on := range mo[c.rf[i]] {
				fr[i][b] = on && b != i
			}
		}
	}
	if !c.alone && !union(c.weak, rf).acyclic() {
		return
	}
	hb := union(c.po, c.synchronizes(rf)).closed()
	eco := union(rf, mo, fr).closed()
	coherent := hb.acyclic()
	hb.each(func(a, b int) { coherent = coherent && (!eco[b][a] || c.bothPlain(a, b)) })
	if !coherent || !c.sequential(hb, eco, rf, mo, fr) {
		return
	}
	var b strings.Builder
	for i, e := range c.events {
		if e.reads() {
			fmt.Fprint(&b, c.events[c.rf[i]].value, " ")
		}
	}
	b.WriteString("|")
	for cell := range cells {
		order := c.mo[cell]
		fmt.Fprint(&b, " ", c.events[order[len(order)-1]].value)
	}
	c.outcomes[b.String()] = true
}

// bothPlain says whether two events are reads that are not atomic, of a thread without a fence in between that
// both acquires and releases: these need not be coherent with each other.
func (c *candidates) bothPlain(a, b int) bool {
	x, y := c.events[a], c.events[b]
	for f, e := range c.events {
		if e.kind == 'F' && e.order&(isa.OrderAcquire|isa.OrderRelease) == isa.OrderAcquire|isa.OrderRelease && c.po[a][f] && c.po[f][b] {
			return false
		}
	}
	return x.kind == 'R' && x.order == 0 && y.kind == 'R' && y.order == 0 && x.thread == y.thread
}

// synchronizes is C11's synchronizes-with.
func (c *candidates) synchronizes(rf relation) relation {
	sw := newRelation(len(c.events))
	rf.each(func(w, r int) {
		if c.events[r].order == 0 {
			return
		}
		// The acquire sides: the read, and acquire fences behind it.
		var acquires []int
		if c.events[r].order&isa.OrderAcquire != 0 {
			acquires = append(acquires, r)
		}
		for f, e := range c.events {
			if e.kind == 'F' && e.order&isa.OrderAcquire != 0 && c.po[r][f] {
				acquires = append(acquires, f)
			}
		}
		// The heads of release sequences that w belongs to.
		order := c.mo[c.events[w].cell]
		end := slices.Index(order, w)
		for h := end; h >= 1; h-- {
			head := order[h]
			whole := true
			for _, x := range order[h+1 : end+1] {
				whole = whole && (c.events[x].kind == 'U' || c.events[x].thread == c.events[head].thread)
			}
			if !whole || c.events[head].order == 0 {
				continue
			}
			for _, a := range acquires {
				if c.events[head].order&isa.OrderRelease != 0 {
					sw[head][a] = true
				}
				for f, e := range c.events {
					if e.kind == 'F' && e.order&isa.OrderRelease != 0 && c.po[f][head] {
						sw[f][a] = true
					}
				}
			}
		}
	})
	return sw.where(func(a, b int) bool { return c.events[a].thread != c.events[b].thread })
}

// sequential is the condition on sequentially consistent operations.
func (c *candidates) sequential(hb, eco, rf, mo, fr relation) bool {
	n := len(c.events)
	isSC := func(i int) bool { return c.events[i].order&isa.OrderSeqCst != 0 }
	access, fence := newRelation(n), newRelation(n)
	for i, e := range c.events {
		access[i][i] = isSC(i)
		fence[i][i] = isSC(i) && e.kind == 'F'
	}
	same := func(a, b int) bool {
		return c.events[a].kind != 'F' && c.events[b].kind != 'F' && c.events[a].cell == c.events[b].cell
	}
	other := c.po.where(func(a, b int) bool { return !same(a, b) })
	scb := union(c.po, other.then(hb).then(other), hb.where(same), mo, fr)
	from := union(access, fence.then(hb.maybe()))
	to := union(access, hb.maybe().then(fence))
	base := from.then(scb).then(to)
	fences := fence.then(union(hb, hb.then(eco).then(hb))).then(fence)
	performed := newRelation(n)
	if !c.alone {
		performed = access.then(union(c.weak, rf).closed()).then(access)
	}
	return union(base, fences, performed).acyclic()
}
