package explore

import (
	"math/bits"
	"slices"

	"github.com/lockstep-gpu/lockstep/emu"
)

// This file enumerates the interleavings of threads up to equivalence, knowing nothing of kernels: by
// source-DPOR, a dynamic partial-order reduction (P. Abdulla, S. Aronis, B. Jonsson and K. Sagonas, Optimal
// Dynamic Partial Order Reduction, POPL 2014, algorithm 1, after C. Flanagan and P. Godefroid, POPL 2005).
//
// Two interleavings are equivalent when one becomes the other by swapping neighbouring steps that do not
// depend on each other: they then leave the same memory. Threads run again from their beginning for each
// interleaving; the stack remembers what was chosen, and where else something has to be tried: where two
// steps race, the second one has to be tried before the first. What has been tried in a state sleeps (the
// sleep sets of P. Godefroid) until a step comes that depends on it.
//
// A step may come with choices, such as which of several values a load returns (pick): then it is made with each of
// them. What is independent of a step must not change its choices. Where memory is weak, the order of two steps and
// the choices of the second one can show the same twice: a load behind a store that returns the value before it is
// a load ahead of it. So it has that choice only where it could not have come ahead of the store (ordered).

// place is memory that a step touches: bytes [from, from+size) of an object. Steps that are sequentially consistent
// depend on each other.
type place struct {
	object        uint64
	from          int64
	size          uint64
	write, seqCst bool
}

// dependent says whether the order of two steps matters.
func (p *place) dependent(q *place) bool {
	return p.seqCst && q.seqCst || p.object == q.object && (p.write || q.write) && p.from < q.from+int64(q.size) && q.from < p.from+int64(p.size)
}

// maxThreads bounds the threads, of which sets are bits.
const maxThreads = 64

// set is a set of threads.
type set uint64

func (s set) has(t int) bool { return s>>t&1 != 0 }

// first returns the lowest member of a set that is not empty.
func (s set) first() int { return bits.TrailingZeros64(uint64(s)) }

// clock says, for each thread, how many of the steps of the interleaving, counted over all threads, come
// before: that thread's last one that does has that number.
type clock []int

func (c clock) join(d clock) {
	for i, n := range d {
		c[i] = max(c[i], n)
	}
}

// node is a state in which a thread is chosen.
type node struct {
	enabled   set
	next      []place // of the enabled threads
	chosen    int
	picks     picks
	backtrack set // threads that have to be tried
	done      set // that have been
	sleep     set // that need not be
	// clocks are those of the threads before the step; step is that of the step, once it is taken.
	clocks []clock
	step   clock
}

// picks are choices: of how many each is one, and what was chosen.
type picks []pick

type pick struct {
	chosen, of int
	what       emu.MemoryChoice
}

// next goes to the next sequence of choices, and says whether there is one.
func (p *picks) next() bool {
	for n := len(*p) - 1; n >= 0; n-- {
		if one := &(*p)[n]; one.chosen+1 < one.of {
			one.chosen++
			*p = (*p)[:n+1]
			return true
		}
	}
	return false
}

// interleavings is the enumeration.
type interleavings struct {
	threads int
	group   []int // of each thread
	brute   bool  // tries everything, for tests
	most    int   // steps of an interleaving

	stack []*node
	first picks // ahead of the first step
	depth int   // of the interleaving under way
	drawn int   // choices since its last step
	open  []int // groups whose barriers have opened since the last step of it
}

// ending says why an interleaving is over.
type ending uint8

const (
	endedWhole     ending = iota // all threads have ended
	endedRedundant               // what would follow is equivalent to what has been
	endedCut                     // it is too long
)

// begin begins an interleaving.
func (x *interleavings) begin() { x.depth, x.drawn, x.open = 0, 0, x.open[:0] }

// opened notes that the threads of a group have met at a barrier.
func (x *interleavings) opened(group int) { x.open = append(x.open, group) }

// choose returns the thread that goes on, or -1 and why not. Next has the next step of each of the enabled
// threads, which are at least one.
func (x *interleavings) choose(enabled set, next []place) (int, ending) {
	d := x.depth
	x.drawn = 0
	if d == x.most {
		return -1, endedCut
	}
	if d < len(x.stack) {
		x.depth++
		x.open = x.open[:0]
		return x.stack[d].chosen, endedWhole
	}
	n := &node{enabled: enabled, next: append([]place(nil), next...), clocks: x.clocks()}
	if d > 0 && !x.brute {
		up := x.stack[d-1]
		for s := up.sleep &^ (1 << up.chosen); s != 0; s &= s - 1 {
			if q := s.first(); !up.next[q].dependent(&up.next[up.chosen]) {
				n.sleep |= 1 << q
			}
		}
	}
	if x.brute {
		n.backtrack = enabled
	}
	candidates := enabled &^ n.sleep
	if candidates == 0 {
		return -1, endedRedundant
	}
	n.chosen = candidates.first()
	n.backtrack |= 1 << n.chosen
	x.stack = append(x.stack, n)
	x.depth++
	x.take()
	return n.chosen, endedWhole
}

// pick chooses one of n numbers from 0 for the step that is made.
func (x *interleavings) pick(what emu.MemoryChoice, n int) int {
	list := &x.first
	if x.depth > 0 {
		list = &x.stack[x.depth-1].picks
	}
	if x.drawn == len(*list) {
		*list = append(*list, pick{0, n, what})
	}
	x.drawn++
	return (*list)[x.drawn-1].chosen
}

// ordered says whether steps, by their numbers from 1, come before the one that is made even if it does not depend on
// them: by what its thread has done before, or by other steps that it depends on.
func (x *interleavings) ordered(steps []int) bool {
	d := x.depth - 1
	if d < 0 || x.brute {
		return true
	}
	n := x.stack[d]
	past := append(clock(nil), n.clocks[n.chosen]...)
	for i, e := range x.stack[:d] {
		if e.next[e.chosen].dependent(&n.next[n.chosen]) && !slices.Contains(steps, i+1) {
			past.join(e.step)
		}
	}
	return !slices.ContainsFunc(steps, func(s int) bool { return past[x.stack[s-1].chosen] < s })
}

// clocks returns those of the threads at the depth of the interleaving.
func (x *interleavings) clocks() []clock {
	list := make([]clock, x.threads)
	for t := range list {
		list[t] = make(clock, x.threads)
		if x.depth > 0 {
			copy(list[t], x.stack[x.depth-1].clocks[t])
		}
	}
	if x.depth > 0 {
		up := x.stack[x.depth-1]
		copy(list[up.chosen], up.step)
	}
	for _, g := range x.open {
		all := make(clock, x.threads)
		for t := range list {
			if x.group[t] == g {
				all.join(list[t])
			}
		}
		for t := range list {
			if x.group[t] == g {
				copy(list[t], all)
			}
		}
	}
	x.open = x.open[:0]
	return list
}

// take computes the clock of the step that was chosen last, and notes for each earlier step that it races
// with what has to be tried in that one's place.
func (x *interleavings) take() {
	d := len(x.stack) - 1
	n := x.stack[d]
	p, step := n.chosen, &n.next[n.chosen]
	var races []int
	n.step = append(clock(nil), n.clocks[p]...)
	for i := d - 1; i >= 0; i-- {
		e := x.stack[i]
		if !e.next[e.chosen].dependent(step) {
			continue
		}
		if e.chosen != p && n.step[e.chosen] <= i {
			races = append(races, i) // no step in between orders them
		}
		n.step.join(e.step)
	}
	n.step[p] = d + 1
	if x.brute {
		return
	}
	for _, i := range races {
		e := x.stack[i]
		switch first := x.initials(i) & e.enabled; {
		case first == 0:
			e.backtrack |= e.enabled
		case first&e.backtrack == 0:
			e.backtrack |= 1 << first.first()
		}
	}
}

// initials returns the threads whose steps can come first, in the place of step i, among those steps behind
// it that do not come after it and the last step.
func (x *interleavings) initials(i int) set {
	var threads, first set
	var steps []int
	d := len(x.stack) - 1
	for j := i + 1; j <= d; j++ {
		e := x.stack[j]
		if j < d && e.step[x.stack[i].chosen] > i {
			continue // after step i
		}
		free := !threads.has(e.chosen)
		for _, k := range steps {
			free = free && e.step[x.stack[k].chosen] <= k
		}
		if free {
			first |= 1 << e.chosen
		}
		threads |= 1 << e.chosen
		steps = append(steps, j)
	}
	return first
}

// again says whether there is another interleaving, which then begins as the last one did, up to where
// another thread is chosen.
func (x *interleavings) again() bool {
	for len(x.stack) > 0 {
		n := x.stack[len(x.stack)-1]
		if n.picks.next() {
			return true
		}
		n.done |= 1 << n.chosen
		if !x.brute {
			n.sleep |= 1 << n.chosen
		}
		if left := n.backtrack &^ n.done &^ n.sleep; left != 0 {
			n.chosen, n.picks = left.first(), nil
			x.take()
			return true
		}
		x.stack = x.stack[:len(x.stack)-1]
	}
	return x.first.next()
}
