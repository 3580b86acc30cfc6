package ssa

import "slices"

// order numbers the blocks for emission: topologically, as far as cycles
// allow, with the blocks of a loop together ahead of what follows the loop.
func (f *Func) order() {
	lay := &layout{f: f, exits: map[*Loop][]*Block{}}
	lay.findExits()
	var out []*Block
	stack := [][]node{lay.region(nil, f.Blocks[0])}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(*top) == 0 {
			stack = stack[:len(stack)-1]
			continue
		}
		n := (*top)[0]
		*top = (*top)[1:]
		if n.inner == nil {
			out = append(out, n.b)
		} else {
			stack = append(stack, lay.region(n.inner, n.b))
		}
	}
	for i, b := range out {
		b.Order = i
	}
	f.Blocks = out
}

// layout is the work of order.
type layout struct {
	f *Func
	// exits has where edges lead that leave a loop, and stay in the loop around it. Each edge is one of the
	// outermost loop that it leaves.
	exits map[*Loop][]*Block
}

// node is a block of a region, or the head of an inner loop, which stands for that.
type node struct {
	b     *Block
	inner *Loop
}

// findExits finds the edges that leave loops, those of the head first, and then those of the last block first.
func (lay *layout) findExits() {
	add := func(b *Block) {
		for _, s := range b.Succs {
			if l := b.Loop.Outermost(func(x *Loop) bool { return !x.Contains(s) }); l != nil {
				lay.exits[l] = append(lay.exits[l], s)
			}
		}
	}
	for _, b := range lay.f.Blocks {
		if b.Loop != nil && b.Loop.Head == b {
			add(b)
		}
	}
	for _, b := range slices.Backward(lay.f.Blocks) {
		if b.Loop != nil && b.Loop.Head != b {
			add(b)
		}
	}
}

// region returns what loop l (nil: the whole function) is made of in its order, beginning with head. Inner loops
// count as one node each.
func (lay *layout) region(l *Loop, head *Block) []node {
	// nodeOf returns what stands for b in this region; a node without a block when b is outside.
	nodeOf := func(b *Block) node {
		if b.Loop == l {
			return node{b, nil}
		}
		if l != nil && !l.Contains(b) {
			return node{}
		}
		x := within(b, l)
		return node{x.Head, x}
	}
	succs := func(n node) []*Block {
		if n.inner != nil {
			return lay.exits[n.inner]
		}
		return n.b.Succs
	}
	type frame struct {
		n     node
		succs []*Block
	}
	// A head is a node of the region around its loop, and one of its own.
	seen := map[*Block]bool{}
	first := nodeOf(head)
	seen[first.b] = true
	stack := []frame{{first, succs(first)}}
	var post []node
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if len(t.succs) == 0 {
			post = append(post, t.n)
			stack = stack[:len(stack)-1]
			continue
		}
		n := nodeOf(t.succs[len(t.succs)-1])
		t.succs = t.succs[:len(t.succs)-1]
		if n.b == nil || seen[n.b] {
			continue
		}
		seen[n.b] = true
		stack = append(stack, frame{n, succs(n)})
	}
	slices.Reverse(post)
	return post
}
