package ssa

// findDominators finds the dominator tree and numbers it, so that dominates is a comparison. Blocks are in reverse
// post-order.
func (f *Func) findDominators() {
	n := len(f.Blocks)
	idom := nearDominators(NewPredLists(f.Blocks, func(b *Block) int { return b.RPO }))
	if idom == nil {
		idom = farDominators(f.Blocks)
	}
	// Numbers of a walk of the tree: one at each entry and exit, the blocks below a block in their order.
	below, next := make([]int32, n), make([]int32, n) // children, and blocks of the tree, itself included
	size := make([]int32, n)
	for i := n - 1; i > 0; i-- {
		size[i]++
		size[idom[i]] += size[i]
		below[idom[i]]++
	}
	size[0]++
	lists := make([]*Block, n)
	for i, b := range f.Blocks {
		d := idom[i]
		b.IDom = f.Blocks[d]
		b.DomIn = 0
		if i > 0 {
			b.DomIn = next[d]
			next[d] += 2 * size[i]
			b.IDom.Children = append(b.IDom.Children, b)
		}
		b.domOut = b.DomIn + 2*size[i] - 1
		next[i] = b.DomIn + 1
		b.Children, lists = lists[:0:below[i]], lists[below[i]:]
	}
}

// nearDominators is the algorithm of Cooper, Harvey and Kennedy (A simple, fast dominance algorithm, 2001), which takes a
// look or two at each edge where blocks that meet are near their dominator in the tree, as in most code. It gives the
// immediate dominators, by rpo; nil when they are not near.
func nearDominators(preds *PredLists) []int32 {
	n := len(preds.first) - 1
	idom := make([]int32, n)
	for i := 1; i < n; i++ {
		idom[i] = -1
	}
	for left := 256 + 8*(n+len(preds.list)); ; {
		changed := false
		for b := int32(1); b < int32(n); b++ {
			d := int32(-1)
			for _, p := range preds.Of(b) {
				if idom[p] < 0 {
					continue
				}
				if d < 0 {
					d = p
					continue
				}
				for p != d {
					if left--; left < 0 {
						return nil
					}
					if p > d {
						p = idom[p]
					} else {
						d = idom[d]
					}
				}
			}
			if idom[b] != d {
				idom[b], changed = d, true
			}
		}
		if left -= len(preds.list); left < 0 {
			return nil
		}
		if !changed {
			return idom
		}
	}
}

// farDominators is the algorithm of Lengauer and Tarjan (A fast algorithm for finding dominators in a flowgraph, 1979)
// in its simple form, O(edges · log blocks). It gives the immediate dominators, by rpo.
func farDominators(blocks []*Block) []int32 {
	n := len(blocks)
	d := &dominatorTree{
		vertex: make([]*Block, 0, n), number: make([]int, n), parent: make([]int, n),
		semi: make([]int, n), label: make([]int, n), ancestor: make([]int, n), idom: make([]int, n),
	}
	d.search(blocks[0])
	d.find()
	idom := make([]int32, n)
	for i := range blocks {
		idom[i] = int32(d.vertex[d.idom[d.number[i]]].RPO)
	}
	return idom
}

// dominatorTree is the work of dominators. Blocks have their numbers in a depth-first search.
type dominatorTree struct {
	vertex   []*Block // by number
	number   []int    // by rpo, plus one while the search goes on: 0 is not yet
	parent   []int    // in the tree of the search
	semi     []int    // semidominator
	label    []int    // the number with the least semidominator on the way up, as far as it is compressed
	ancestor []int    // in the forest of what has been linked, -1 for a root
	idom     []int
	path     []int
}

// search numbers the blocks.
func (d *dominatorTree) search(entry *Block) {
	type frame struct {
		b *Block
		i int
	}
	add := func(b *Block, parent int) {
		at := len(d.vertex)
		d.vertex = append(d.vertex, b)
		d.number[b.RPO] = at + 1
		d.parent[at], d.semi[at], d.label[at], d.ancestor[at] = parent, at, at, -1
	}
	add(entry, 0)
	stack := []frame{{entry, 0}}
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.Succs) {
			stack = stack[:len(stack)-1]
			continue
		}
		s := t.b.Succs[t.i]
		t.i++
		if d.number[s.RPO] == 0 {
			add(s, d.number[t.b.RPO]-1)
			stack = append(stack, frame{s, 0})
		}
	}
	for i := range d.number {
		d.number[i]--
	}
}

// eval returns the number with the least semidominator on the way from v up to a root.
func (d *dominatorTree) eval(v int) int {
	if d.ancestor[v] < 0 {
		return v
	}
	d.path = d.path[:0]
	for x := v; d.ancestor[d.ancestor[x]] >= 0; x = d.ancestor[x] {
		d.path = append(d.path, x)
	}
	for i := len(d.path) - 1; i >= 0; i-- {
		x := d.path[i]
		a := d.ancestor[x]
		if d.semi[d.label[a]] < d.semi[d.label[x]] {
			d.label[x] = d.label[a]
		}
		d.ancestor[x] = d.ancestor[a]
	}
	return d.label[v]
}

// find finds the immediate dominators.
func (d *dominatorTree) find() {
	n := len(d.vertex)
	first, next := make([]int, n), make([]int, n) // the numbers that have a semidominator, in a list
	for i := range first {
		first[i] = -1
	}
	for w := n - 1; w > 0; w-- {
		for _, p := range d.vertex[w].Preds {
			if u := d.eval(d.number[p.RPO]); d.semi[u] < d.semi[w] {
				d.semi[w] = d.semi[u]
			}
		}
		next[w], first[d.semi[w]] = first[d.semi[w]], w
		p := d.parent[w]
		d.ancestor[w] = p
		for v := first[p]; v >= 0; v = next[v] {
			if u := d.eval(v); d.semi[u] < d.semi[v] {
				d.idom[v] = u
			} else {
				d.idom[v] = p
			}
		}
		first[p] = -1
	}
	for w := 1; w < n; w++ {
		if d.idom[w] != d.semi[w] {
			d.idom[w] = d.idom[d.idom[w]]
		}
	}
}
