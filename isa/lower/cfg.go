package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// loop is a natural loop: the blocks that reach a back-edge to head without
// leaving through head. An irreducible region is no loop.
type loop struct {
	head   *block
	parent *loop
	outer  *loop // a loop around it, far out: a short cut while loops are being found
	depth  int
	blocks []*block // its own and those of inner loops
	// divExit says that lanes may leave in different trips.
	divExit bool
}

// contains says whether b belongs to the loop or one inside it.
func (l *loop) contains(b *block) bool {
	for x := b.loop; x != nil; x = x.parent {
		if x == l {
			return true
		}
	}
	return false
}

// cleanCFG folds branches on constants, drops blocks that nothing reaches,
// joins blocks that follow each other and skips empty ones. It says whether
// anything changed.
func (f *fn) cleanCFG() bool {
	changed := false
	for again := true; again; {
		again = false
		for _, b := range f.blocks {
			if foldBranch(b) {
				again = true
			}
		}
		if f.dropUnreachable() {
			again = true
		}
		if f.mergeBlocks() {
			again = true
		}
		changed = changed || again
	}
	if changed {
		f.cfgChanged()
	}
	return changed
}

// foldBranch turns a branch on a constant into a plain one.
func foldBranch(b *block) bool {
	if b.cond == nil || !b.cond.isConst() || len(b.succs) < 2 {
		return false
	}
	keep := 0
	switch b.term {
	case termCond:
		keep = int(1 - b.cond.imm&1)
	case termSwitch:
		for i, c := range b.cases {
			if c == b.cond.imm {
				keep = b.caseTo[i]
			}
		}
	default:
		return false
	}
	to := b.succs[keep]
	for _, s := range append([]*block(nil), b.succs...) {
		if s != to {
			removeEdge(b, s)
		}
	}
	setBr(b, to)
	return true
}

// dropUnreachable removes the blocks that control never reaches.
func (f *fn) dropUnreachable() bool {
	seen := make([]bool, f.nblks)
	work := []*block{f.blocks[0]}
	seen[f.blocks[0].id] = true
	n := 1
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.succs {
			if !seen[s.id] {
				seen[s.id] = true
				n++
				work = append(work, s)
			}
		}
	}
	if n == len(f.blocks) {
		return false
	}
	live := f.blocks[:0:0]
	for _, b := range f.blocks {
		if seen[b.id] {
			live = append(live, b)
			continue
		}
		for _, s := range append([]*block(nil), b.succs...) {
			if seen[s.id] {
				removeEdge(b, s)
			}
		}
	}
	f.blocks = live
	return true
}

// mergeBlocks joins a block with its only successor where that has no other
// predecessor, and takes empty blocks out of the way.
func (f *fn) mergeBlocks() bool {
	changed := false
	dead := make([]bool, f.nblks)
	for _, b := range f.blocks {
		if dead[b.id] {
			continue
		}
		for b.term == termBr && len(b.succs) == 1 {
			s := b.succs[0]
			if s == b || len(s.preds) != 1 || s == f.blocks[0] {
				break
			}
			for _, phi := range s.phis {
				phi.repl = phi.args[0]
			}
			for _, v := range s.insts {
				v.blk = b
			}
			b.insts = append(b.insts, s.insts...)
			b.term, b.cond, b.cases, b.caseTo, b.trap, b.scope, b.uniform, b.sched, b.wait, b.termLoc =
				s.term, s.cond, s.cases, s.caseTo, s.trap, s.scope, s.uniform, s.sched, s.wait, s.termLoc
			b.succs = s.succs
			for _, t := range b.succs {
				t.preds[t.predIndex(s)] = b
			}
			if b.name == "" {
				b.name = s.name
			}
			dead[s.id] = true
			changed = true
		}
	}
	for _, e := range f.blocks {
		if dead[e.id] || e == f.blocks[0] || e.term != termBr || len(e.insts) > 0 || len(e.phis) > 0 || e.succs[0] == e {
			continue
		}
		s := e.succs[0]
		// A predecessor that branches to s already would need two edges.
		ok := len(e.preds) == 1 || len(s.phis) == 0
		// One block leads to a wait for a pipe, so that the wait is a loop of its own.
		ok = ok && s.wait == nil
		for _, p := range e.preds {
			if s.predIndex(p) >= 0 || p.term == termBarrier {
				ok = false
			}
		}
		if !ok || len(e.preds) == 0 {
			continue
		}
		i := s.predIndex(e)
		s.preds[i] = e.preds[0]
		s.preds = append(s.preds, e.preds[1:]...)
		for _, p := range e.preds {
			for j, x := range p.succs {
				if x == e {
					p.succs[j] = s
				}
			}
		}
		dead[e.id] = true
		changed = true
	}
	if changed {
		live := f.blocks[:0:0]
		for _, b := range f.blocks {
			if !dead[b.id] {
				live = append(live, b)
			}
		}
		f.blocks = live
		f.replaceAll()
	}
	return changed
}

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

// dominators is the algorithm of Cooper, Harvey and Kennedy, followed by a
// walk that numbers the tree.
func (f *fn) dominators() {
	for _, b := range f.blocks {
		b.idom, b.dom = nil, b.dom[:0]
	}
	entry := f.blocks[0]
	entry.idom = entry
	for changed := true; changed; {
		changed = false
		for _, b := range f.blocks[1:] {
			var d *block
			for _, p := range deepestFirst(b.preds) {
				if p.idom == nil {
					continue
				}
				if d == nil {
					d = p
					continue
				}
				for d != p {
					for d.rpo > p.rpo {
						d = d.idom
					}
					for p.rpo > d.rpo {
						p = p.idom
					}
				}
			}
			if b.idom != d {
				b.idom = d
				changed = true
			}
		}
	}
	for _, b := range f.blocks[1:] {
		b.idom.dom = append(b.idom.dom, b)
	}
	n := 0
	type frame struct {
		b *block
		i int
	}
	stack := []frame{{entry, 0}}
	entry.domIn = n
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.dom) {
			n++
			t.b.domOut = n
			stack = stack[:len(stack)-1]
			continue
		}
		c := t.b.dom[t.i]
		t.i++
		n++
		c.domIn = n
		stack = append(stack, frame{c, 0})
	}
}

// deepestFirst returns a block's predecessors, those that come last in reverse
// post-order first when there are many: the common dominator of a long chain of
// blocks with one exit is found by climbing the chain once, and not once a block.
func deepestFirst(preds []*block) []*block {
	if len(preds) <= 8 {
		return preds
	}
	preds = slices.Clone(preds)
	slices.SortFunc(preds, func(a, b *block) int { return b.rpo - a.rpo })
	return preds
}

// dominates says whether every way to x leads through b.
func (b *block) dominates(x *block) bool { return b.domIn <= x.domIn && x.domOut <= b.domOut }

// maxLoopBlocks limits the number of blocks of all loops, those of inner loops
// counted again. Only a nest of a thousand loops gets there.
const maxLoopBlocks = 1 << 20

// loops finds the natural loops and the loop that each block is in.
func (f *fn) loops() []*loop {
	for _, b := range f.blocks {
		b.loop = nil
	}
	var all []*loop
	total := 0
	stamp := make([]int, len(f.blocks)) // by rpo: 1 + the number of the loop it was last found in
	// Outer loops have their heads first in reverse post-order; going backwards
	// meets inner loops first.
	for i := len(f.blocks) - 1; i >= 0; i-- {
		h := f.blocks[i]
		var work []*block
		for _, p := range h.preds {
			if h.dominates(p) {
				work = append(work, p)
			}
		}
		if len(work) == 0 {
			continue
		}
		l := &loop{head: h}
		all = append(all, l)
		mark := func(b *block) {
			// The outermost loop known for b becomes a child of l.
			o := b.loop
			if o == nil {
				b.loop = l
				return
			}
			for o.outer != nil {
				if o.outer.outer != nil {
					o.outer = o.outer.outer // shorten the way for the next one
				}
				o = o.outer
			}
			if o != l {
				o.parent, o.outer = l, l
			}
		}
		stamp[h.rpo] = len(all)
		mark(h)
		l.blocks = append(l.blocks, h)
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if stamp[b.rpo] == len(all) {
				continue
			}
			stamp[b.rpo] = len(all)
			if total++; total > maxLoopBlocks {
				panic(&Error{Reason: "loops are nested too deep"})
			}
			mark(b)
			l.blocks = append(l.blocks, b)
			work = append(work, b.preds...)
		}
	}
	for _, l := range all {
		for x := l; x != nil; x = x.parent {
			l.depth++
		}
	}
	return all
}

// canonicalLoops gives every loop one block that jumps back and does nothing
// else but that, so that all lanes of a trip meet there (but for the wait for a
// pipe, which is one block that jumps to itself), and puts a block on
// every edge from a block with several successors to one with several
// predecessors, so that phi copies have a place.
func (f *fn) canonicalLoops() {
	f.need(AnalysisLoops)
	for _, h := range append([]*block(nil), f.blocks...) {
		var back []*block
		for _, p := range h.preds {
			if h.dominates(p) {
				back = append(back, p)
			}
		}
		if len(back) == 0 || len(back) == 1 && (back[0].term == termBr && back[0] != h || back[0] == h && h.wait != nil) {
			continue
		}
		f.newLatch(h, back)
	}
	for _, b := range append([]*block(nil), f.blocks...) {
		if len(b.succs) < 2 && b.term != termBarrier {
			continue
		}
		for _, s := range append([]*block(nil), b.succs...) {
			if len(s.preds) > 1 && !(s == b && b.wait != nil) {
				f.splitEdge(b, s)
			}
		}
	}
	f.need(AnalysisLoops)
}

// newLatch leads the edges from the blocks of back to h through one new block.
func (f *fn) newLatch(h *block, back []*block) {
	f.cfgChanged()
	l := f.newBlock("")
	l.term, l.termLoc = termBr, back[0].termLoc
	isBack := func(p *block) bool {
		for _, x := range back {
			if x == p {
				return true
			}
		}
		return false
	}
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

// order numbers the blocks for emission: topologically, as far as cycles
// allow, with the blocks of a loop together ahead of what follows the loop.
func (f *fn) order() {
	var out []*block
	f.orderRegion(nil, f.blocks[0], &out)
	for i, b := range out {
		b.order = i
	}
	f.blocks = out
}

// orderRegion appends the blocks of loop l (nil: the whole function) to out,
// beginning with head. Inner loops count as one node each.
func (f *fn) orderRegion(l *loop, head *block, out *[]*block) {
	// node returns what stands for b in this region: b itself, or the head of
	// the inner loop that b is in; nil when b is outside.
	node := func(b *block) (*block, *loop) {
		x := b.loop
		if x == l {
			return b, nil
		}
		for x != nil && x.parent != l {
			x = x.parent
		}
		if x == nil {
			return nil, nil
		}
		return x.head, x
	}
	type frame struct {
		n     *block
		inner *loop
		succs []*block
	}
	succs := func(b *block, inner *loop) []*block {
		if inner == nil {
			return b.succs
		}
		var s []*block
		for _, x := range inner.blocks {
			for _, t := range x.succs {
				if !inner.contains(t) {
					s = append(s, t)
				}
			}
		}
		return s
	}
	seen := map[*block]bool{head: true}
	type done struct {
		n     *block
		inner *loop
	}
	var post []done
	n0, in0 := head, (*loop)(nil)
	if head.loop != l {
		n0, in0 = node(head)
	}
	seen[n0] = true
	stack := []frame{{n0, in0, succs(n0, in0)}}
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if len(t.succs) == 0 {
			post = append(post, done{t.n, t.inner})
			stack = stack[:len(stack)-1]
			continue
		}
		s := t.succs[len(t.succs)-1]
		t.succs = t.succs[:len(t.succs)-1]
		n, inner := node(s)
		if n == nil || seen[n] {
			continue
		}
		seen[n] = true
		stack = append(stack, frame{n, inner, append([]*block(nil), succs(n, inner)...)})
	}
	for i := len(post) - 1; i >= 0; i-- {
		if d := post[i]; d.inner != nil {
			f.orderRegion(d.inner, d.n, out)
		} else {
			*out = append(*out, d.n)
		}
	}
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
