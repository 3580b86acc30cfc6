package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// reversePostOrder numbers the blocks. f.blocks is in that order afterwards.
func (f *fn) reversePostOrder() {
	type frame struct {
		b *block
		i int
	}
	seen := make([]bool, f.nblks)
	post := make([]*block, 0, len(f.blocks))
	stack := []frame{{f.blocks[0], 0}}
	seen[f.blocks[0].id] = true
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.succs) {
			post = append(post, t.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := t.b.succs[len(t.b.succs)-1-t.i]
		t.i++
		if !seen[s.id] {
			seen[s.id] = true
			stack = append(stack, frame{s, 0})
		}
	}
	f.blocks = f.blocks[:0]
	for i := len(post) - 1; i >= 0; i-- {
		post[i].rpo = len(f.blocks)
		f.blocks = append(f.blocks, post[i])
	}
}

// dominates says whether every way to x leads through b.
func (b *block) dominates(x *block) bool { return b.domIn <= x.domIn && x.domOut <= b.domOut }

// canonicalLoops gives every loop one block that jumps back and does nothing
// else but that, so that all lanes of a trip meet there (but for the wait for a
// pipe, which is one block that jumps to itself), and puts a block on
// every edge from a block with several successors to one with several
// predecessors, so that phi copies have a place.
func (f *fn) canonicalLoops() {
	f.singleLatches()
	f.splitCriticalEdges(func(b, s *block) bool { return true })
	f.need(AnalysisLoops)
}

// loopEntries is canonicalLoops for passes to which the edges matter only that enter loops, and those that leave them if
// exits is set. Most edges of a large kernel do neither.
func (f *fn) loopEntries(exits bool) {
	f.singleLatches()
	if len(f.nest) > 0 {
		f.splitCriticalEdges(func(b, s *block) bool {
			return s.loop != b.loop && (s.loop != nil && s.loop.head == s && !s.loop.contains(b) || exits && b.loop != nil && !b.loop.contains(s))
		})
	}
	f.need(AnalysisLoops)
}

// singleLatches is the part of canonicalLoops that gives loops one block that jumps back.
func (f *fn) singleLatches() {
	f.need(AnalysisLoops)
	for _, h := range append([]*block(nil), f.blocks...) {
		if h.loop == nil || h.loop.head != h {
			continue
		}
		var back []*block
		for _, p := range h.preds {
			if h.dominates(p) {
				back = append(back, p)
			}
		}
		if len(back) == 1 && (back[0].term == termBr && back[0] != h || back[0] == h && h.wait != nil) {
			continue
		}
		f.newLatch(h, back)
	}
}

// splitCriticalEdges puts a block on each edge from a block with several successors, or a barrier, to one with several
// predecessors, where that is wanted.
func (f *fn) splitCriticalEdges(wanted func(b, s *block) bool) {
	at := &edgePlaces{f: f}
	for _, b := range append([]*block(nil), f.blocks...) {
		if len(b.succs) < 2 && b.term != termBarrier {
			continue
		}
		for i, s := range b.succs {
			if len(s.preds) < 2 || s == b && b.wait != nil || !wanted(b, s) {
				continue
			}
			f.cfgChanged()
			place := at.of(b, i)
			m := f.newBlock("")
			m.term, m.termLoc = termBr, b.termLoc
			m.succs, m.preds = append(m.succs, s), append(m.preds, b)
			s.preds[place], b.succs[i] = m, m
		}
	}
}

// splitLastingEdges is splitCriticalEdges for those edges where cleanCFG would not take the block away again.
func (f *fn) splitLastingEdges() {
	if slices.ContainsFunc(f.blocks, func(b *block) bool { return b.term == termBarrier || b.wait != nil }) {
		f.splitCriticalEdges(func(b, s *block) bool { return b.term == termBarrier || s.wait != nil })
	}
}

// edgePlaces has the places of edges in the lists of predecessors. Lists that are short are looked through, for the others
// all edges get a table when it is first asked for.
type edgePlaces struct {
	f     *fn
	first []int   // by block.id, of its first edge in place; nil as long as there is no table
	place []int32 // for each successor of a block: where the block is among its predecessors
}

// of returns the place of b among the predecessors of its successor i.
func (e *edgePlaces) of(b *block, i int) int {
	if s := b.succs[i]; e.first == nil && len(s.preds) <= many {
		return s.predIndex(b)
	}
	if e.first == nil {
		e.find()
	}
	return int(e.place[e.first[b.id]+i])
}

// move notes that b, whose only successor is not what it was, is at a place among the predecessors of that.
func (e *edgePlaces) move(b *block, at int) {
	if e.first != nil {
		e.place[e.first[b.id]] = int32(at)
	}
}

// find finds the places of all edges at once, as predIndex does for one.
func (e *edgePlaces) find() {
	f := e.f
	e.first = make([]int, f.nblks)
	n := 0
	for _, b := range f.blocks {
		e.first[b.id] = n
		n += len(b.succs)
	}
	e.place = make([]int32, n)
	// For blocks with many successors, which of them a block is.
	var which map[[2]int]int
	for _, b := range f.blocks {
		if len(b.succs) > many {
			if which == nil {
				which = map[[2]int]int{}
			}
			for i, s := range b.succs {
				which[[2]int{b.id, s.id}] = i
			}
		}
	}
	for _, s := range f.blocks {
		for at, p := range s.preds {
			if p == nil {
				continue // an edge that is gone
			}
			i := 0
			if len(p.succs) > many {
				i = which[[2]int{p.id, s.id}]
			} else {
				for p.succs[i] != s {
					i++
				}
			}
			e.place[e.first[p.id]+i] = int32(at)
		}
	}
}

// newLatch leads the edges from the blocks of back to h through one new block.
func (f *fn) newLatch(h *block, back []*block) {
	f.cfgChanged()
	l := f.newBlock("")
	l.term, l.termLoc = termBr, back[0].termLoc
	isBack := func(p *block) bool { return h.dominates(p) }
	var preds []*block
	for _, p := range h.preds {
		if isBack(p) {
			l.preds = append(l.preds, p)
			for i, s := range p.succs {
				if s == h {
					p.succs[i] = l
				}
			}
		} else {
			preds = append(preds, p)
		}
	}
	for _, phi := range h.phis {
		var in, out []*value
		for i, a := range phi.args {
			if isBack(h.preds[i]) {
				in = append(in, a)
			} else {
				out = append(out, a)
			}
		}
		a := in[0]
		for _, x := range in {
			if x != a {
				a = nil
				break
			}
		}
		if a == nil {
			a = f.newValue(irPhi, phi.typ, phi.elem)
			a.args, a.blk, a.loc = in, l, phi.loc
			l.phis = append(l.phis, a)
		}
		phi.args = append(out, a)
	}
	h.preds = append(preds, l)
	l.succs = []*block{h}
}

// irreducible marks the blocks of cycles that are no natural loops. Lanes may
// meet in such a region in any order, so nothing in it counts as uniform.
func (f *fn) irreducible() []bool {
	bad := make([]bool, len(f.blocks)) // by rpo
	any := false
	for _, b := range f.blocks {
		for _, s := range b.succs {
			if s.rpo <= b.rpo && !s.dominates(b) {
				any = true
			}
		}
	}
	if !any {
		return bad
	}
	// Tarjan's strongly connected components, natural back-edges left out.
	n := len(f.blocks)
	index, low, on := make([]int, n), make([]int, n), make([]bool, n)
	var comp []int
	next := 1
	type frame struct{ b, i int }
	for root := range f.blocks {
		if index[root] != 0 {
			continue
		}
		stack := []frame{{root, 0}}
		index[root], low[root] = next, next
		next++
		comp = append(comp, root)
		on[root] = true
		for len(stack) > 0 {
			t := &stack[len(stack)-1]
			b := f.blocks[t.b]
			if t.i < len(b.succs) {
				s := b.succs[t.i]
				t.i++
				if s.dominates(b) {
					continue
				}
				if index[s.rpo] == 0 {
					index[s.rpo], low[s.rpo] = next, next
					next++
					comp = append(comp, s.rpo)
					on[s.rpo] = true
					stack = append(stack, frame{s.rpo, 0})
				} else if on[s.rpo] {
					low[t.b] = min(low[t.b], index[s.rpo])
				}
				continue
			}
			if low[t.b] == index[t.b] {
				i := len(comp) - 1
				for comp[i] != t.b {
					i--
				}
				for _, x := range comp[i:] {
					on[x] = false
					if len(comp)-i > 1 {
						bad[x] = true
					}
				}
				comp = comp[:i]
			}
			done := t.b
			stack = stack[:len(stack)-1]
			if len(stack) > 0 {
				p := stack[len(stack)-1].b
				low[p] = min(low[p], low[done])
			}
		}
	}
	return bad
}

// uses counts how often each value is used.
func (f *fn) countUses() {
	for _, b := range f.blocks {
		for _, v := range b.phis {
			v.uses = 0
		}
		for _, v := range b.insts {
			v.uses = 0
		}
	}
	for _, b := range f.blocks {
		for _, v := range b.phis {
			for _, a := range v.args {
				a.uses++
			}
		}
		for _, v := range b.insts {
			for _, a := range v.args {
				a.uses++
			}
		}
		if b.cond != nil {
			b.cond.uses++
		}
	}
}

// blockOf returns the block in which argument i of v is used: for a phi the
// predecessor that it comes from.
func blockOf(v *value, i int) *block {
	if v.op == irPhi {
		return v.blk.preds[i]
	}
	return v.blk
}

// noResult says whether a value has no result.
func noResult(v *value) bool { return v.typ == isa.Void }
