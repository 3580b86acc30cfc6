package lower

import "slices"

// order numbers the blocks for emission: topologically, as far as cycles
// allow, with the blocks of a loop together ahead of what follows the loop.
func (f *fn) order() {
	lay := &layout{f: f, exits: map[*loop][]*block{}}
	lay.findExits()
	var out []*block
	stack := [][]node{lay.region(nil, f.blocks[0])}
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
		b.order = i
	}
	f.blocks = out
}

// layout is the work of order.
type layout struct {
	f *fn
	// exits has where edges lead that leave a loop, and stay in the loop around it. Each edge is one of the
	// outermost loop that it leaves.
	exits map[*loop][]*block
}

// node is a block of a region, or the head of an inner loop, which stands for that.
type node struct {
	b     *block
	inner *loop
}

// findExits finds the edges that leave loops, those of the head first, and then those of the last block first.
func (lay *layout) findExits() {
	add := func(b *block) {
		for _, s := range b.succs {
			if l := b.loop.outermost(func(x *loop) bool { return !x.contains(s) }); l != nil {
				lay.exits[l] = append(lay.exits[l], s)
			}
		}
	}
	for _, b := range lay.f.blocks {
		if b.loop != nil && b.loop.head == b {
			add(b)
		}
	}
	for _, b := range slices.Backward(lay.f.blocks) {
		if b.loop != nil && b.loop.head != b {
			add(b)
		}
	}
}

// region returns what loop l (nil: the whole function) is made of in its order, beginning with head. Inner loops
// count as one node each.
func (lay *layout) region(l *loop, head *block) []node {
	// nodeOf returns what stands for b in this region; a node without a block when b is outside.
	nodeOf := func(b *block) node {
		if b.loop == l {
			return node{b, nil}
		}
		if l != nil && !l.contains(b) {
			return node{}
		}
		x := within(b, l)
		return node{x.head, x}
	}
	succs := func(n node) []*block {
		if n.inner != nil {
			return lay.exits[n.inner]
		}
		return n.b.succs
	}
	type frame struct {
		n     node
		succs []*block
	}
	// A head is a node of the region around its loop, and one of its own.
	seen := map[*block]bool{}
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
