package lower

import "slices"

// maxCleanRounds limits how often cleanCFG begins anew. What is left over then is as right, and only longer.
const maxCleanRounds = 32

// cleanCFG folds branches on constants, drops blocks that nothing reaches,
// joins blocks that follow each other and skips empty ones. It says whether
// values may amount to less than before: edges are gone, or phis. A round takes time in proportion to the kernel, but
// for a logarithm.
func (f *fn) cleanCFG() (fewer bool) {
	changed := false
	fold, reach := true, f.valid&AnalysisOrder == 0 // that order has the blocks only that control reaches
	for range maxCleanRounds {
		folded := fold && f.foldBranches()
		gone := (reach || folded) && f.dropUnreachable()
		if folded || gone {
			f.dropSinglePhis()
		}
		merged := f.mergeBlocks()
		changed = changed || folded || gone || merged.any
		fewer = fewer || folded || gone || merged.phis
		// Rows of blocks have been joined as far as they go. What a round opens for another one is
		// branches on the phis that are gone, and rows through the blocks that were skipped.
		if fold, reach = merged.phis, false; !merged.phis && !merged.skipped {
			break
		}
	}
	if changed {
		f.cfgChanged()
	}
	return fewer
}

// foldBranches turns branches on constants into plain ones.
func (f *fn) foldBranches() bool {
	var folded []bool // by id
	for _, b := range f.blocks {
		to := b.onlyWay()
		if to == nil {
			continue
		}
		if folded == nil {
			folded = make([]bool, f.nblks)
		}
		folded[b.id] = true
		setBr(b, to)
	}
	if folded == nil {
		return false
	}
	for _, b := range f.blocks {
		b.keepPreds(func(p *block) bool { return !folded[p.id] || p.succs[0] == b })
	}
	return true
}

// dropSinglePhis replaces phis of blocks with one predecessor, of which edges that have gone may leave some. The copy of
// such a phi would have no place: the predecessor may have other successors.
func (f *fn) dropSinglePhis() {
	any := false
	for _, b := range f.blocks {
		if len(b.preds) == 1 {
			for _, phi := range b.phis {
				phi.repl, any = phi.args[0], true
			}
		}
	}
	if any {
		f.replaceAll()
	}
}

// onlyWay returns the block to which a branch on a constant leads, nil for other ends of blocks.
func (b *block) onlyWay() *block {
	if b.cond == nil || !b.cond.isConst() || len(b.succs) < 2 {
		return nil
	}
	switch b.term {
	case termCond:
		return b.succs[1-b.cond.imm&1]
	case termSwitch:
		for i, c := range b.table.cases {
			if c == b.cond.imm {
				return b.succs[b.table.to[i]]
			}
		}
		return b.succs[0]
	}
	return nil
}

// merged is what mergeBlocks has done.
type merged struct{ any, phis, skipped bool }

// mergeBlocks joins a block with its only successor where that has no other
// predecessor, and takes empty blocks out of the way.
func (f *fn) mergeBlocks() (m merged) {
	dead := make([]bool, f.nblks) // by id
	m.any, m.phis = f.joinChains(dead)
	m.skipped = f.skipEmptyBlocks(dead)
	m.any = m.any || m.skipped
	if m.any {
		live := f.blocks[:0]
		for _, b := range f.blocks {
			if !dead[b.id] {
				live = append(live, b)
			}
		}
		clear(f.blocks[len(live):])
		f.blocks = live
	}
	if m.phis {
		f.simple = false
		f.replaceAll()
	}
	return m
}

// follows returns the block that can be joined to the end of b, or nil.
func (f *fn) follows(b *block) *block {
	if b.term != termBr || len(b.succs) != 1 {
		return nil
	}
	s := b.succs[0]
	if s == b || len(s.preds) != 1 || s == f.blocks[0] {
		return nil
	}
	return s
}

// joinChains joins each row of blocks that follow each other, beginning with its first, so that each block
// moves once. It says whether it joined any, and whether phis were replaced.
func (f *fn) joinChains(dead []bool) (joined, replaced bool) {
	var end []*block // by id, of the last block of a row: what it has become part of
	for _, b := range f.blocks {
		if dead[b.id] || b != f.blocks[0] && len(b.preds) == 1 && f.follows(b.preds[0]) == b {
			continue
		}
		last := b
		for s := f.follows(b); s != nil; s = f.follows(b) {
			for _, phi := range s.phis {
				phi.repl, replaced = phi.args[0], true
			}
			for _, v := range s.insts {
				v.blk = b
			}
			b.insts = append(b.insts, s.insts...)
			b.term, b.cond, b.table, b.trap, b.scope, b.uniform, b.sched, b.memory, b.wait, b.termLoc =
				s.term, s.cond, s.table, s.trap, s.scope, s.uniform, s.sched, s.memory, s.wait, s.termLoc
			b.succs = s.succs
			if b.name == "" {
				b.name = s.name
			}
			dead[s.id] = true
			last = s
		}
		if last != b {
			if end == nil {
				end = make([]*block, f.nblks)
			}
			end[last.id] = b
		}
	}
	if end == nil {
		return false, false
	}
	for _, b := range f.blocks {
		if dead[b.id] {
			continue
		}
		for i, p := range b.preds {
			if dead[p.id] {
				b.preds[i] = end[p.id]
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
	parent []int32  // by id: towards the number of a set, which is the id of a block of it
	target []*block // by number of a set: the block that it is forwarded to
	size   []int32  // by number: predecessors
	fence  []bool   // by number: one of them is a barrier
	grown  []bool   // by id: its list has got other predecessors
	head   []int32  // by id, of blocks that stay: the first and last of their predecessors, -1 for none
	tail   []int32
	list   []predecessor
	out    []int32 // by id, of blocks with one successor: where they are in its list
	many   map[[2]int]bool
}

// predecessor is an element of a linked list.
type predecessor struct {
	p    *block
	next int32
}

func (f *fn) newForwarding(dead []bool) *forwarding {
	n := f.nblks
	edges := 0
	for _, b := range f.blocks {
		edges += len(b.preds)
	}
	w := &forwarding{parent: make([]int32, n), target: make([]*block, n), size: make([]int32, n), fence: make([]bool, n),
		grown: make([]bool, n), head: make([]int32, n), tail: make([]int32, n), out: make([]int32, n), list: make([]predecessor, 0, edges), many: map[[2]int]bool{}}
	for _, b := range f.blocks {
		if dead[b.id] {
			continue
		}
		w.parent[b.id], w.target[b.id], w.size[b.id] = int32(b.id), b, int32(len(b.preds))
		w.head[b.id], w.tail[b.id] = -1, -1
		for _, p := range b.preds {
			at := int32(len(w.list))
			w.list = append(w.list, predecessor{p, -1})
			w.fence[b.id] = w.fence[b.id] || p.term == termBarrier
			if w.tail[b.id] < 0 {
				w.head[b.id] = at
			} else {
				w.list[w.tail[b.id]].next = at
			}
			w.tail[b.id] = at
			if len(p.succs) == 1 {
				w.out[p.id] = at
			}
		}
		if len(b.succs) > many {
			for _, s := range b.succs {
				w.many[[2]int{b.id, s.id}] = true
			}
		}
	}
	return w
}

// set returns the number of the set that a block is in.
func (w *forwarding) set(b *block) int {
	x := int32(b.id)
	for w.parent[x] != x {
		w.parent[x] = w.parent[w.parent[x]]
		x = w.parent[x]
	}
	return int(x)
}

// leads says whether p leads to a block of the set.
func (w *forwarding) leads(p *block, set int) bool {
	if len(p.succs) > many {
		return w.many[[2]int{p.id, set}]
	}
	for _, s := range p.succs {
		if w.set(s) == set {
			return true
		}
	}
	return false
}

// apart says whether no block leads to both e and s. It looks at the shorter list of predecessors.
func (w *forwarding) apart(e, s *block) bool {
	es, ss := w.set(e), w.set(s)
	from, other := e, ss
	if w.size[ss] < w.size[es] {
		from, other = s, es
	}
	for at := w.head[from.id]; at >= 0; at = w.list[at].next {
		if w.leads(w.list[at].p, other) {
			return false
		}
	}
	return true
}

// forward leads the predecessors of e to its successor s: the first of them takes e's place in the list of s, the
// others are put at its end.
func (w *forwarding) forward(e, s *block) {
	es, ss := w.set(e), w.set(s)
	small, large, from := es, ss, e
	if w.size[ss] < w.size[es] {
		small, large, from = ss, es, s
	}
	for at := w.head[from.id]; at >= 0; at = w.list[at].next {
		if p := w.list[at].p; len(p.succs) > many {
			w.many[[2]int{p.id, large}] = true
		}
	}
	w.parent[small] = int32(large)
	w.target[large] = s
	w.size[large] += w.size[small] - 1
	w.fence[large] = w.fence[large] || w.fence[small]

	w.grown[s.id] = true
	at, first := w.out[e.id], w.head[e.id]
	w.list[at].p = w.list[first].p
	if p := w.list[first].p; len(p.succs) == 1 {
		w.out[p.id] = at
	}
	if rest := w.list[first].next; rest >= 0 {
		w.list[w.tail[s.id]].next = rest
		w.tail[s.id] = w.tail[e.id]
	}
}

// forwardable says whether skipEmptyBlocks may take e out of the way, as long as it has not taken out any. A kernel is
// looked at again and again, and the empty blocks that are left are mostly there to stay.
func (f *fn) forwardable(e *block) bool {
	s := e.succs[0]
	if s == e || s.wait != nil || len(e.preds) > 1 && len(s.phis) > 0 {
		return false
	}
	for _, p := range e.preds {
		if p.term == termBarrier {
			return false
		}
		if len(p.succs) > many {
			return true // it takes a table to tell
		}
		if len(e.preds) == 1 && slices.Contains(p.succs, s) {
			return false
		}
	}
	return true
}

// skipEmptyBlocks leads around blocks that do nothing but branch.
func (f *fn) skipEmptyBlocks(dead []bool) bool {
	empty := func(b *block) bool {
		return !dead[b.id] && b != f.blocks[0] && b.term == termBr && len(b.insts) == 0 && len(b.phis) == 0 && len(b.preds) > 0
	}
	var w *forwarding
	changed := false
	for _, e := range f.blocks {
		if !empty(e) {
			continue
		}
		if w == nil {
			if !f.forwardable(e) {
				continue
			}
			w = f.newForwarding(dead)
		}
		s := w.target[w.set(e.succs[0])]
		// A predecessor that branches to s already would need two edges. What is behind a barrier begins with a
		// block of its own. One block leads to a wait for a pipe, so that the wait is a loop of its own.
		set := w.set(e)
		if s == e || s.wait != nil || w.fence[set] || w.size[set] > 1 && len(s.phis) > 0 || !w.apart(e, s) {
			continue
		}
		w.forward(e, s)
		dead[e.id] = true
		changed = true
	}
	if !changed {
		return false
	}
	for _, b := range f.blocks {
		if dead[b.id] {
			continue
		}
		if w.grown[b.id] {
			b.preds = make([]*block, 0, w.size[w.set(b)])
			for at := w.head[b.id]; at >= 0; at = w.list[at].next {
				b.preds = append(b.preds, w.list[at].p)
			}
		}
		for i, s := range b.succs {
			if dead[s.id] {
				b.succs[i] = w.target[w.set(s)]
			}
		}
	}
	return true
}
