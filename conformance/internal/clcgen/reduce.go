package clcgen

// Reduce returns a smaller program for which keep still holds, and no piece of which can be left out alone. keep is
// asked for texts that may not compile any more; it is called at most tries times.
func Reduce(p *Program, tries int, keep func(text string) bool) *Program {
	r := &reducer{root: p.Root.clone(), keep: keep, tries: tries}
	for r.changed = true; r.changed && r.tries > 0; {
		r.changed = false
		r.lists(r.root)
		r.expressions(r.root)
	}
	return &Program{Root: r.root, Kernels: p.Kernels}
}

// clone copies a tree.
func (n *Node) clone() *Node {
	c := &Node{Class: n.Class, List: n.List, text: n.text, kids: make([]*Node, len(n.kids))}
	for i, k := range n.kids {
		c.kids[i] = k.clone()
	}
	return c
}

type reducer struct {
	root    *Node
	keep    func(string) bool
	tries   int
	changed bool
}

// try changes the program and keeps the change if the property still holds.
func (r *reducer) try(change, undo func()) bool {
	if r.tries <= 0 {
		return false
	}
	r.tries--
	change()
	if r.keep(r.root.String()) {
		r.changed = true
		return true
	}
	undo()
	return false
}

// lists leaves out pieces of lists: halves first, then smaller runs, from the last to the first, because what
// stands early is used later.
func (r *reducer) lists(n *Node) {
	if n.List {
		for size := len(n.kids); size > 0; size /= 2 {
			for end := len(n.kids); end > 0; end -= size {
				end = min(end, len(n.kids))
				old := n.kids
				start := max(end-size, 0)
				less := append(append([]*Node(nil), old[:start]...), old[end:]...)
				r.try(func() { n.kids = less }, func() { n.kids = old })
			}
		}
	}
	for i := len(n.kids) - 1; i >= 0 && i < len(n.kids); i-- {
		r.hoist(n, i)
		r.lists(n.kids[i])
	}
}

// hoist puts a list in place of the statement around it.
func (r *reducer) hoist(n *Node, i int) {
	k := n.kids[i]
	if !n.List || k.List {
		return
	}
	for _, inner := range k.kids {
		if inner.List && len(inner.kids) > 0 {
			block := node("", "{\n@}", inner)
			if len(k.text) == 2 && k.text[0] == block.text[0] {
				// A block already: its statements without it.
				block = inner
			}
			if r.try(func() { n.kids[i] = block }, func() { n.kids[i] = k }) {
				return
			}
		}
	}
}

// expressions puts literals and operands in place of expressions.
func (r *reducer) expressions(n *Node) {
	for i := range n.kids {
		for again := true; again; {
			again = r.replace(n, i)
		}
		r.expressions(n.kids[i])
	}
}

// replace replaces one expression, if it can.
func (r *reducer) replace(n *Node, i int) bool {
	k := n.kids[i]
	if k.Class == "" || len(k.kids) == 0 {
		return false
	}
	with := func(other *Node) bool {
		return r.try(func() { n.kids[i] = other }, func() { n.kids[i] = k })
	}
	switch k.Class {
	case "i":
		if with(leaf("i", "1")) {
			return true
		}
	case "f":
		if with(leaf("f", "1.5f")) {
			return true
		}
	default:
		if vectors[k.Class] != nil && with(leaf(k.Class, "("+k.Class+")(1)")) {
			return true
		}
	}
	// Operands of the same class, the nearest first.
	for level, depth := k.kids, 0; len(level) > 0 && depth < 4; depth++ {
		var next []*Node
		for _, c := range level {
			if c.Class == k.Class && with(c) {
				return true
			}
			next = append(next, c.kids...)
		}
		level = next
	}
	return false
}
