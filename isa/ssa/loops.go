package ssa

import "slices"

// Loop is a natural loop: the blocks that reach a back-edge to head without
// leaving through head. An irreducible region is no loop.
type Loop struct {
	Head   *Block
	Parent *Loop
	outer  *Loop // while loops are being found: a loop around it, far out
	Depth  int
	Own    []*Block // without those of inner loops, in reverse post-order: the head first
	Inner  []*Loop

	in, out int   // of a walk of the nest: contains is a comparison
	jump    *Loop // a loop around it, about half as far out as it can be, for within

	// divExit says that lanes may leave in different trips; left is the nearest such loop around this one, or it
	// itself, and open leads towards the nearest one that is not known to be such.
	divExit    bool
	left, open *Loop

	Last int // order of its last block, once registers are given out
}

// encloses says whether x is l or in it.
func (l *Loop) encloses(x *Loop) bool { return x != nil && l.in <= x.in && x.out <= l.out }

// Contains says whether b belongs to the loop or one inside it.
func (l *Loop) Contains(b *Block) bool { return l.encloses(b.Loop) }

// Outermost returns the outermost loop around l, l included, for which ok holds. It must hold for all
// loops between l and that one. The result is nil when it does not hold for l.
func (l *Loop) Outermost(ok func(*Loop) bool) *Loop {
	if l == nil || !ok(l) {
		return nil
	}
	for l.Parent != nil && ok(l.Parent) {
		if l.jump != nil && ok(l.jump) {
			l = l.jump
		} else {
			l = l.Parent
		}
	}
	return l
}

// within returns the loop directly in around (nil: in no loop) that contains b, nil when b is in none.
// around must contain b.
func within(b *Block, around *Loop) *Loop {
	if b.Loop == around {
		return nil
	}
	depth := 0
	if around != nil {
		depth = around.Depth
	}
	return b.Loop.Outermost(func(x *Loop) bool { return x.Depth > depth })
}

// common returns the innermost loop that contains both, or nil.
func common(a, b *Loop) *Loop {
	if a == nil || b == nil {
		return nil
	}
	if a.encloses(b) {
		return a
	}
	return a.Outermost(func(x *Loop) bool { return !x.encloses(b) }).Parent
}

// findLoops finds the natural loops and the loop that each block is in: inner loops first. Each block is looked at
// once, and each head once more in the loop around it.
func (f *Func) findLoops() []*Loop {
	for _, b := range f.Blocks {
		b.Loop = nil
	}
	var all []*Loop
	var work []*Block
	// Outer loops have their heads first in reverse post-order; going backwards
	// meets inner loops first.
	for i := len(f.Blocks) - 1; i >= 0; i-- {
		h := f.Blocks[i]
		work = work[:0]
		for _, p := range h.Preds {
			if h.Dominates(p) {
				work = append(work, p)
			}
		}
		if len(work) == 0 {
			continue
		}
		l := &Loop{Head: h}
		all = append(all, l)
		h.Loop = l
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			if b.Loop == nil {
				b.Loop = l
				work = append(work, b.Preds...)
				continue
			}
			// The outermost loop known for b becomes a child of l; the way on is from its head.
			o := b.Loop
			for o.outer != nil {
				if o.outer.outer != nil {
					o.outer = o.outer.outer // shorten the way for the next one
				}
				o = o.outer
			}
			if o == l {
				continue
			}
			o.Parent, o.outer = l, l
			l.Inner = append(l.Inner, o)
			work = append(work, o.Head.Preds...)
		}
	}
	for _, b := range f.Blocks {
		if b.Loop != nil {
			b.Loop.Own = append(b.Loop.Own, b)
		}
	}
	nest(all)
	return all
}

// nest finds depths, and numbers the loops so that contains and outermost are fast. Outer loops stand behind inner
// ones.
func nest(all []*Loop) {
	n := 0
	type frame struct {
		l *Loop
		i int
	}
	var stack []frame
	enter := func(l *Loop) {
		n++
		l.in, l.open = n, l
		if p := l.Parent; p != nil {
			l.Depth, l.jump = p.Depth+1, p
			if p.jump != nil && p.jump.jump != nil && p.Depth-p.jump.Depth == p.jump.Depth-p.jump.jump.Depth {
				l.jump = p.jump.jump
			}
		} else {
			l.Depth = 1
		}
		stack = append(stack, frame{l, 0})
	}
	for _, root := range slices.Backward(all) {
		if root.Parent != nil {
			continue
		}
		enter(root)
		for len(stack) > 0 {
			t := &stack[len(stack)-1]
			if t.i < len(t.l.Inner) {
				t.i++
				enter(t.l.Inner[t.i-1])
				continue
			}
			t.l.out = n
			stack = stack[:len(stack)-1]
		}
	}
}

// Preheader returns the block that leads into the loop and nowhere else, or nil.
func (f *Func) Preheader(l *Loop) *Block {
	var pre *Block
	for _, p := range l.Head.Preds {
		if l.Contains(p) {
			continue
		}
		if pre != nil {
			return nil
		}
		pre = p
	}
	if pre == nil || pre.Term != TermBr {
		return nil
	}
	return pre
}

// Invariant says whether v's operands are made outside the loop.
func (l *Loop) Invariant(v *Value) bool {
	for _, a := range v.Args {
		if !a.Leaf() && l.Contains(a.Block) {
			return false
		}
	}
	return true
}
