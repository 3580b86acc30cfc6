package ssa

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// reversePostOrder numbers the blocks. f.blocks is in that order afterwards.
func (f *Func) reversePostOrder() {
	type frame struct {
		b *Block
		i int
	}
	seen := make([]bool, f.NumBlocks)
	post := make([]*Block, 0, len(f.Blocks))
	stack := []frame{{f.Blocks[0], 0}}
	seen[f.Blocks[0].ID] = true
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.Succs) {
			post = append(post, t.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := t.b.Succs[len(t.b.Succs)-1-t.i]
		t.i++
		if !seen[s.ID] {
			seen[s.ID] = true
			stack = append(stack, frame{s, 0})
		}
	}
	f.Blocks = f.Blocks[:0]
	for i := len(post) - 1; i >= 0; i-- {
		post[i].RPO = len(f.Blocks)
		f.Blocks = append(f.Blocks, post[i])
	}
}

// Dominates says whether every way to x leads through b.
func (b *Block) Dominates(x *Block) bool { return b.DomIn <= x.DomIn && x.domOut <= b.domOut }

// CanonicalLoops gives every loop one block that jumps back and does nothing
// else but that, so that all lanes of a trip meet there (but for the wait for a
// pipe, which is one block that jumps to itself), and puts a block on
// every edge from a block with several successors to one with several
// predecessors, so that phi copies have a place.
func (f *Func) CanonicalLoops() {
	f.SingleLatches()
	f.splitCriticalEdges(func(b, s *Block) bool { return true })
	f.Need(AnalysisLoops)
}

// LoopEntries is CanonicalLoops for passes to which the edges matter only that enter loops, and those that leave them if
// exits is set. Most edges of a large kernel do neither.
func (f *Func) LoopEntries(exits bool) {
	f.SingleLatches()
	if len(f.Loops) > 0 {
		f.splitCriticalEdges(func(b, s *Block) bool {
			return s.Loop != b.Loop && (s.Loop != nil && s.Loop.Head == s && !s.Loop.Contains(b) || exits && b.Loop != nil && !b.Loop.Contains(s))
		})
	}
	f.Need(AnalysisLoops)
}

// SingleLatches is the part of CanonicalLoops that gives loops one block that jumps back.
func (f *Func) SingleLatches() {
	f.Need(AnalysisLoops)
	for _, h := range append([]*Block(nil), f.Blocks...) {
		if h.Loop == nil || h.Loop.Head != h {
			continue
		}
		var back []*Block
		for _, p := range h.Preds {
			if h.Dominates(p) {
				back = append(back, p)
			}
		}
		if len(back) == 1 && (back[0].Term == TermBr && back[0] != h || back[0] == h && h.Wait != nil) {
			continue
		}
		f.newLatch(h, back)
	}
}

// splitCriticalEdges puts a block on each edge from a block with several successors, or a barrier, to one with several
// predecessors, where that is wanted.
func (f *Func) splitCriticalEdges(wanted func(b, s *Block) bool) {
	at := &EdgePlaces{Func: f}
	for _, b := range append([]*Block(nil), f.Blocks...) {
		if len(b.Succs) < 2 && b.Term != TermBarrier {
			continue
		}
		for i, s := range b.Succs {
			if len(s.Preds) < 2 || s == b && b.Wait != nil || !wanted(b, s) {
				continue
			}
			f.CFGChanged()
			place := at.Of(b, i)
			m := f.NewBlock("")
			m.Term, m.TermLoc = TermBr, b.TermLoc
			m.Succs, m.Preds = append(m.Succs, s), append(m.Preds, b)
			s.Preds[place], b.Succs[i] = m, m
		}
	}
}

// SplitLastingEdges is splitCriticalEdges for those edges where CleanCFG would not take the block away again.
func (f *Func) SplitLastingEdges() {
	if slices.ContainsFunc(f.Blocks, func(b *Block) bool { return b.Term == TermBarrier || b.Wait != nil }) {
		f.splitCriticalEdges(func(b, s *Block) bool { return b.Term == TermBarrier || s.Wait != nil })
	}
}

// EdgePlaces has the places of edges in the lists of predecessors. Lists that are short are looked through, for the others
// all edges get a table when it is first asked for.
type EdgePlaces struct {
	Func  *Func
	first []int   // by Block.ID, of its first edge in place; nil as long as there is no table
	place []int32 // for each successor of a block: where the block is among its predecessors
}

// Of returns the place of b among the predecessors of its successor i.
func (e *EdgePlaces) Of(b *Block, i int) int {
	if s := b.Succs[i]; e.first == nil && len(s.Preds) <= ManyEdges {
		return s.PredIndex(b)
	}
	if e.first == nil {
		e.find()
	}
	return int(e.place[e.first[b.ID]+i])
}

// Move notes that b, whose only successor is not what it was, is at a place among the predecessors of that.
func (e *EdgePlaces) Move(b *Block, at int) {
	if e.first != nil {
		e.place[e.first[b.ID]] = int32(at)
	}
}

// find finds the places of all edges at once, as PredIndex does for one.
func (e *EdgePlaces) find() {
	f := e.Func
	e.first = make([]int, f.NumBlocks)
	n := 0
	for _, b := range f.Blocks {
		e.first[b.ID] = n
		n += len(b.Succs)
	}
	e.place = make([]int32, n)
	// For blocks with many successors, which of them a block is.
	var which map[[2]int]int
	for _, b := range f.Blocks {
		if len(b.Succs) > ManyEdges {
			if which == nil {
				which = map[[2]int]int{}
			}
			for i, s := range b.Succs {
				which[[2]int{b.ID, s.ID}] = i
			}
		}
	}
	for _, s := range f.Blocks {
		for at, p := range s.Preds {
			if p == nil {
				continue // an edge that is gone
			}
			i := 0
			if len(p.Succs) > ManyEdges {
				i = which[[2]int{p.ID, s.ID}]
			} else {
				for p.Succs[i] != s {
					i++
				}
			}
			e.place[e.first[p.ID]+i] = int32(at)
		}
	}
}

// newLatch leads the edges from the blocks of back to h through one new block.
func (f *Func) newLatch(h *Block, back []*Block) {
	f.CFGChanged()
	l := f.NewBlock("")
	l.Term, l.TermLoc = TermBr, back[0].TermLoc
	isBack := func(p *Block) bool { return h.Dominates(p) }
	var preds []*Block
	for _, p := range h.Preds {
		if isBack(p) {
			l.Preds = append(l.Preds, p)
			for i, s := range p.Succs {
				if s == h {
					p.Succs[i] = l
				}
			}
		} else {
			preds = append(preds, p)
		}
	}
	for _, phi := range h.Phis {
		var in, out []*Value
		for i, a := range phi.Args {
			if isBack(h.Preds[i]) {
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
			a = f.NewValue(OpPhi, phi.Type, phi.Elem)
			a.Args, a.Block, a.Loc = in, l, phi.Loc
			l.Phis = append(l.Phis, a)
		}
		phi.Args = append(out, a)
	}
	h.Preds = append(preds, l)
	l.Succs = []*Block{h}
}

// irreducible marks the blocks of cycles that are no natural loops. Lanes may
// meet in such a region in any order, so nothing in it counts as uniform.
func (f *Func) irreducible() []bool {
	bad := make([]bool, len(f.Blocks)) // by rpo
	any := false
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			if s.RPO <= b.RPO && !s.Dominates(b) {
				any = true
			}
		}
	}
	if !any {
		return bad
	}
	// Tarjan's strongly connected components, natural back-edges left out.
	n := len(f.Blocks)
	index, low, on := make([]int, n), make([]int, n), make([]bool, n)
	var comp []int
	next := 1
	type frame struct{ b, i int }
	for root := range f.Blocks {
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
			b := f.Blocks[t.b]
			if t.i < len(b.Succs) {
				s := b.Succs[t.i]
				t.i++
				if s.Dominates(b) {
					continue
				}
				if index[s.RPO] == 0 {
					index[s.RPO], low[s.RPO] = next, next
					next++
					comp = append(comp, s.RPO)
					on[s.RPO] = true
					stack = append(stack, frame{s.RPO, 0})
				} else if on[s.RPO] {
					low[t.b] = min(low[t.b], index[s.RPO])
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
func (f *Func) countUses() {
	for _, b := range f.Blocks {
		for _, v := range b.Phis {
			v.Uses = 0
		}
		for _, v := range b.Insts {
			v.Uses = 0
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Phis {
			for _, a := range v.Args {
				a.Uses++
			}
		}
		for _, v := range b.Insts {
			for _, a := range v.Args {
				a.Uses++
			}
		}
		if b.Cond != nil {
			b.Cond.Uses++
		}
	}
}

// blockOf returns the block in which argument i of v is used: for a phi the
// predecessor that it comes from.
func blockOf(v *Value, i int) *Block {
	if v.Op == OpPhi {
		return v.Block.Preds[i]
	}
	return v.Block
}

// NoResult says whether a value has no result.
func NoResult(v *Value) bool { return v.Type == isa.Void }
