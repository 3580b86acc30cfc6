package lower

import "slices"

// loop is a natural loop: the blocks that reach a back-edge to head without
// leaving through head. An irreducible region is no loop.
type loop struct {
	head   *block
	parent *loop
	outer  *loop // while loops are being found: a loop around it, far out
	depth  int
	own    []*block // without those of inner loops, in reverse post-order: the head first
	inner  []*loop

	in, out int   // of a walk of the nest: contains is a comparison
	jump    *loop // a loop around it, about half as far out as it can be, for within

	// divExit says that lanes may leave in different trips; left is the nearest such loop around this one, or it
	// itself, and open leads towards the nearest one that is not known to be such.
	divExit    bool
	left, open *loop

	last int // order of its last block, once registers are given out
}

// encloses says whether x is l or in it.
func (l *loop) encloses(x *loop) bool { return x != nil && l.in <= x.in && x.out <= l.out }

// contains says whether b belongs to the loop or one inside it.
func (l *loop) contains(b *block) bool { return l.encloses(b.loop) }

// outermost returns the outermost loop around l, l included, for which ok holds. It must hold for all
// loops between l and that one. The result is nil when it does not hold for l.
func (l *loop) outermost(ok func(*loop) bool) *loop {
	if l == nil || !ok(l) {
		return nil
	}
	for l.parent != nil && ok(l.parent) {
		if l.jump != nil && ok(l.jump) {
			l = l.jump
		} else {
			l = l.parent
		}
	}
	return l
}

// within returns the loop directly in around (nil: in no loop) that contains b, nil when b is in none.
// around must contain b.
func within(b *block, around *loop) *loop {
	if b.loop == around {
		return nil
	}
	depth := 0
	if around != nil {
		depth = around.depth
	}
	return b.loop.outermost(func(x *loop) bool { return x.depth > depth })
}

// common returns the innermost loop that contains both, or nil.
func common(a, b *loop) *loop {
	if a == nil || b == nil {
		return nil
	}
	if a.encloses(b) {
		return a
	}
	return a.outermost(func(x *loop) bool { return !x.encloses(b) }).parent
}

// loops finds the natural loops and the loop that each block is in: inner loops first. Each block is looked at
// once, and each head once more in the loop around it.
func (f *fn) loops() []*loop {
	for _, b := range f.blocks {
		b.loop = nil
	}
	var all []*loop
	var work []*block
	// Outer loops have their heads first in reverse post-order; going backwards
	// meets inner loops first.
	for i := len(f.blocks) - 1; i >= 0; i-- {
		h := f.blocks[i]
		work = work[:0]
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
		h.loop = l
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if b.loop == nil {
				b.loop = l
				work = append(work, b.preds...)
				continue
			}
			// The outermost loop known for b becomes a child of l; the way on is from its head.
			o := b.loop
			for o.outer != nil {
				if o.outer.outer != nil {
					o.outer = o.outer.outer // shorten the way for the next one
				}
				o = o.outer
			}
			if o == l {
				continue
			}
			o.parent, o.outer = l, l
			l.inner = append(l.inner, o)
			work = append(work, o.head.preds...)
		}
	}
	for _, b := range f.blocks {
		if b.loop != nil {
			b.loop.own = append(b.loop.own, b)
		}
	}
	nest(all)
	return all
}

// nest finds depths, and numbers the loops so that contains and outermost are fast. Outer loops stand behind inner
// ones.
func nest(all []*loop) {
	n := 0
	type frame struct {
		l *loop
		i int
	}
	var stack []frame
	enter := func(l *loop) {
		n++
		l.in, l.open = n, l
		if p := l.parent; p != nil {
			l.depth, l.jump = p.depth+1, p
			if p.jump != nil && p.jump.jump != nil && p.depth-p.jump.depth == p.jump.depth-p.jump.jump.depth {
				l.jump = p.jump.jump
			}
		} else {
			l.depth = 1
		}
		stack = append(stack, frame{l, 0})
	}
	for _, root := range slices.Backward(all) {
		if root.parent != nil {
			continue
		}
		enter(root)
		for len(stack) > 0 {
			t := &stack[len(stack)-1]
			if t.i < len(t.l.inner) {
				t.i++
				enter(t.l.inner[t.i-1])
				continue
			}
			t.l.out = n
			stack = stack[:len(stack)-1]
		}
	}
}

// preheader returns the block that leads into the loop and nowhere else, or nil.
func (f *fn) preheader(l *loop) *block {
	var pre *block
	for _, p := range l.head.preds {
		if l.contains(p) {
			continue
		}
		if pre != nil {
			return nil
		}
		pre = p
	}
	if pre == nil || pre.term != termBr {
		return nil
	}
	return pre
}

// invariant says whether v's operands are made outside the loop.
func (l *loop) invariant(v *value) bool {
	for _, a := range v.args {
		if !a.leaf() && l.contains(a.blk) {
			return false
		}
	}
	return true
}
