package opt

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// maxCleanRounds limits how often CleanCFG begins anew. What is left over then is as right, and only longer.
const maxCleanRounds = 32

// CleanCFG folds branches on constants, drops blocks that nothing reaches,
// joins blocks that follow each other and skips empty ones. It says whether
// values may amount to less than before: edges are gone, or phis. A round takes time in proportion to the kernel, but
// for a logarithm.
func CleanCFG(f *ssa.Func) (fewer bool) {
	changed := false
	fold, reach := true, f.Valid&ssa.AnalysisOrder == 0 // that order has the blocks only that control reaches
	for range maxCleanRounds {
		folded := fold && foldBranches(f)
		gone := (reach || folded) && f.DropUnreachable()
		merged := mergeBlocks(f)
		changed = changed || folded || gone || merged.any
		fewer = fewer || folded || gone || merged.phis
		// Rows of blocks have been joined as far as they go. What a round opens for another one is
		// branches on the phis that are gone, and rows through the blocks that were skipped.
		if fold, reach = merged.phis, false; !merged.phis && !merged.skipped {
			break
		}
	}
	if changed {
		f.CFGChanged()
	}
	return fewer
}

// foldBranches turns branches on constants into plain ones.
func foldBranches(f *ssa.Func) bool {
	var folded []bool // by id
	for _, b := range f.Blocks {
		to := onlyWay(b)
		if to == nil {
			continue
		}
		if folded == nil {
			folded = make([]bool, f.NumBlocks)
		}
		folded[b.ID] = true
		ssa.SetBranch(b, to)
	}
	if folded == nil {
		return false
	}
	for _, b := range f.Blocks {
		b.KeepPreds(func(p *ssa.Block) bool { return !folded[p.ID] || p.Succs[0] == b })
	}
	return true
}

// onlyWay returns the block to which a branch on a constant leads, nil for other ends of blocks.
func onlyWay(b *ssa.Block) *ssa.Block {
	if b.Cond == nil || !b.Cond.IsConst() || len(b.Succs) < 2 {
		return nil
	}
	switch b.Term {
	case ssa.TermCond:
		return b.Succs[1-b.Cond.Imm&1]
	case ssa.TermSwitch:
		for i, c := range b.Table.Cases {
			if c == b.Cond.Imm {
				return b.Succs[b.Table.To[i]]
			}
		}
		return b.Succs[0]
	}
	return nil
}

// merged is what mergeBlocks has done.
type merged struct{ any, phis, skipped bool }

// mergeBlocks joins a block with its only successor where that has no other
// predecessor, and takes empty blocks out of the way.
func mergeBlocks(f *ssa.Func) (m merged) {
	dead := make([]bool, f.NumBlocks) // by id
	m.any, m.phis = joinChains(f, dead)
	m.skipped = skipEmptyBlocks(f, dead)
	m.any = m.any || m.skipped
	if m.any {
		live := f.Blocks[:0]
		for _, b := range f.Blocks {
			if !dead[b.ID] {
				live = append(live, b)
			}
		}
		clear(f.Blocks[len(live):])
		f.Blocks = live
	}
	if m.phis {
		f.Simplified = false
		f.ReplaceAll()
	}
	return m
}

// follows returns the block that can be joined to the end of b, or nil.
func follows(f *ssa.Func, b *ssa.Block) *ssa.Block {
	if b.Term != ssa.TermBr || len(b.Succs) != 1 {
		return nil
	}
	s := b.Succs[0]
	if s == b || len(s.Preds) != 1 || s == f.Blocks[0] {
		return nil
	}
	return s
}

// joinChains joins each row of blocks that follow each other, beginning with its first, so that each block
// moves once. It says whether it joined any, and whether phis were replaced.
func joinChains(f *ssa.Func, dead []bool) (joined, replaced bool) {
	var end []*ssa.Block // by id, of the last block of a row: what it has become part of
	for _, b := range f.Blocks {
		if dead[b.ID] || b != f.Blocks[0] && len(b.Preds) == 1 && follows(f, b.Preds[0]) == b {
			continue
		}
		last := b
		for s := follows(f, b); s != nil; s = follows(f, b) {
			for _, phi := range s.Phis {
				phi.Repl, replaced = phi.Args[0], true
			}
			for _, v := range s.Insts {
				v.Block = b
			}
			b.Insts = append(b.Insts, s.Insts...)
			b.Term, b.Cond, b.Table, b.Trap, b.Scope, b.Uniform, b.Schedule, b.MemoryOrder, b.Wait, b.TermLoc =
				s.Term, s.Cond, s.Table, s.Trap, s.Scope, s.Uniform, s.Schedule, s.MemoryOrder, s.Wait, s.TermLoc
			b.Succs = s.Succs
			if b.Name == "" {
				b.Name = s.Name
			}
			dead[s.ID] = true
			last = s
		}
		if last != b {
			if end == nil {
				end = make([]*ssa.Block, f.NumBlocks)
			}
			end[last.ID] = b
		}
	}
	if end == nil {
		return false, false
	}
	for _, b := range f.Blocks {
		if dead[b.ID] {
			continue
		}
		for i, p := range b.Preds {
			if dead[p.ID] {
				b.Preds[i] = end[p.ID]
			}
		}
	}
	return true, replaced
}

// forwarding is the work of skipEmptyBlocks. A block that is taken out of the way forwards those who lead to it.
// Lists of predecessors are linked, so that one list goes into the place of an element of another in no time:
// a nest of n branches would move 1 + 2 + … + n predecessors otherwise. Blocks and the blocks that they are
// forwarded to are a set each.
type forwarding struct {
	parent []int32      // by id: towards the number of a set, which is the id of a block of it
	target []*ssa.Block // by number of a set: the block that it is forwarded to
	size   []int32      // by number: predecessors
	fence  []bool       // by number: one of them is a barrier
	grown  []bool       // by id: its list has got other predecessors
	head   []int32      // by id, of blocks that stay: the first and last of their predecessors, -1 for none
	tail   []int32
	list   []predecessor
	out    []int32 // by id, of blocks with one successor: where they are in its list
	many   map[[2]int]bool
}

// predecessor is an element of a linked list.
type predecessor struct {
	p    *ssa.Block
	next int32
}

func newForwarding(f *ssa.Func, dead []bool) *forwarding {
	n := f.NumBlocks
	edges := 0
	for _, b := range f.Blocks {
		edges += len(b.Preds)
	}
	w := &forwarding{parent: make([]int32, n), target: make([]*ssa.Block, n), size: make([]int32, n), fence: make([]bool, n),
		grown: make([]bool, n), head: make([]int32, n), tail: make([]int32, n), out: make([]int32, n), list: make([]predecessor, 0, edges), many: map[[2]int]bool{}}
	for _, b := range f.Blocks {
		if dead[b.ID] {
			continue
		}
		w.parent[b.ID], w.target[b.ID], w.size[b.ID] = int32(b.ID), b, int32(len(b.Preds))
		w.head[b.ID], w.tail[b.ID] = -1, -1
		for _, p := range b.Preds {
			at := int32(len(w.list))
			w.list = append(w.list, predecessor{p, -1})
			w.fence[b.ID] = w.fence[b.ID] || p.Term == ssa.TermBarrier
			if w.tail[b.ID] < 0 {
				w.head[b.ID] = at
			} else {
				w.list[w.tail[b.ID]].next = at
			}
			w.tail[b.ID] = at
			if len(p.Succs) == 1 {
				w.out[p.ID] = at
			}
		}
		if len(b.Succs) > ssa.ManyEdges {
			for _, s := range b.Succs {
				w.many[[2]int{b.ID, s.ID}] = true
			}
		}
	}
	return w
}

// set returns the number of the set that a block is in.
func (w *forwarding) set(b *ssa.Block) int {
	x := int32(b.ID)
	for w.parent[x] != x {
		w.parent[x] = w.parent[w.parent[x]]
		x = w.parent[x]
	}
	return int(x)
}

// leads says whether p leads to a block of the set.
func (w *forwarding) leads(p *ssa.Block, set int) bool {
	if len(p.Succs) > ssa.ManyEdges {
		return w.many[[2]int{p.ID, set}]
	}
	for _, s := range p.Succs {
		if w.set(s) == set {
			return true
		}
	}
	return false
}

// apart says whether no block leads to both e and s. It looks at the shorter list of predecessors.
func (w *forwarding) apart(e, s *ssa.Block) bool {
	es, ss := w.set(e), w.set(s)
	from, other := e, ss
	if w.size[ss] < w.size[es] {
		from, other = s, es
	}
	for at := w.head[from.ID]; at >= 0; at = w.list[at].next {
		if w.leads(w.list[at].p, other) {
			return false
		}
	}
	return true
}

// forward leads the predecessors of e to its successor s: the first of them takes e's place in the list of s, the
// others are put at its end.
func (w *forwarding) forward(e, s *ssa.Block) {
	es, ss := w.set(e), w.set(s)
	small, large, from := es, ss, e
	if w.size[ss] < w.size[es] {
		small, large, from = ss, es, s
	}
	for at := w.head[from.ID]; at >= 0; at = w.list[at].next {
		if p := w.list[at].p; len(p.Succs) > ssa.ManyEdges {
			w.many[[2]int{p.ID, large}] = true
		}
	}
	w.parent[small] = int32(large)
	w.target[large] = s
	w.size[large] += w.size[small] - 1
	w.fence[large] = w.fence[large] || w.fence[small]

	w.grown[s.ID] = true
	at, first := w.out[e.ID], w.head[e.ID]
	w.list[at].p = w.list[first].p
	if p := w.list[first].p; len(p.Succs) == 1 {
		w.out[p.ID] = at
	}
	if rest := w.list[first].next; rest >= 0 {
		w.list[w.tail[s.ID]].next = rest
		w.tail[s.ID] = w.tail[e.ID]
	}
}

// forwardable says whether skipEmptyBlocks may take e out of the way, as long as it has not taken out any. A kernel is
// looked at again and again, and the empty blocks that are left are mostly there to stay.
func forwardable(f *ssa.Func, e *ssa.Block) bool {
	s := e.Succs[0]
	if s == e || s.Wait != nil || len(e.Preds) > 1 && len(s.Phis) > 0 {
		return false
	}
	for _, p := range e.Preds {
		if p.Term == ssa.TermBarrier {
			return false
		}
		if len(p.Succs) > ssa.ManyEdges {
			return true // it takes a table to tell
		}
		if len(e.Preds) == 1 && slices.Contains(p.Succs, s) {
			return false
		}
	}
	return true
}

// skipEmptyBlocks leads around blocks that do nothing but branch.
func skipEmptyBlocks(f *ssa.Func, dead []bool) bool {
	empty := func(b *ssa.Block) bool {
		return !dead[b.ID] && b != f.Blocks[0] && b.Term == ssa.TermBr && len(b.Insts) == 0 && len(b.Phis) == 0 && len(b.Preds) > 0
	}
	var w *forwarding
	changed := false
	for _, e := range f.Blocks {
		if !empty(e) {
			continue
		}
		if w == nil {
			if !forwardable(f, e) {
				continue
			}
			w = newForwarding(f, dead)
		}
		s := w.target[w.set(e.Succs[0])]
		// A predecessor that branches to s already would need two edges. What is behind a barrier begins with a
		// block of its own. One block leads to a wait for a pipe, so that the wait is a loop of its own.
		set := w.set(e)
		if s == e || s.Wait != nil || w.fence[set] || w.size[set] > 1 && len(s.Phis) > 0 || !w.apart(e, s) {
			continue
		}
		w.forward(e, s)
		dead[e.ID] = true
		changed = true
	}
	if !changed {
		return false
	}
	for _, b := range f.Blocks {
		if dead[b.ID] {
			continue
		}
		if w.grown[b.ID] {
			b.Preds = make([]*ssa.Block, 0, w.size[w.set(b)])
			for at := w.head[b.ID]; at >= 0; at = w.list[at].next {
				b.Preds = append(b.Preds, w.list[at].p)
			}
		}
		for i, s := range b.Succs {
			if dead[s.ID] {
				b.Succs[i] = w.target[w.set(s)]
			}
		}
	}
	return true
}
