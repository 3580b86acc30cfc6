package validate

import "github.com/lockstep-gpu/lockstep/spirv"

// checkDominance checks that definitions dominate their uses (section 2.16.1): on every path to a use
// the definition comes first. The order of blocks in the module does not matter here. Uses in blocks
// that nothing reaches are never carried out and are not checked.
func (c *checker) checkDominance() {
	// Where each instruction stands: the number of its function plus one, and its block, -1 for a parameter.
	type site struct{ f, block int32 }
	sites := make([]site, len(c.insts))
	for n, f := range c.functions {
		if len(f.blocks) == 0 {
			continue
		}
		f.dominators()
		for _, p := range f.params {
			if at := c.index.At(p.ResultID()); at >= 0 {
				sites[at] = site{int32(n) + 1, -1}
			}
		}
		for i, b := range f.blocks {
			for at := b.first + 1; at <= b.last; at++ {
				sites[at] = site{int32(n) + 1, int32(i)}
			}
		}
	}
	// reaches reports whether the value id is there at the end of block b, or before instruction at of it.
	reaches := func(f *function, n int, id spirv.ID, b, at int) bool {
		def := c.index.At(id)
		if def < 0 {
			return true
		}
		s := sites[def]
		switch {
		case s.f == 0:
			return true // of the module
		case int(s.f) != n+1:
			return false
		case s.block < 0:
			return true
		case int(s.block) == b:
			return def < at
		}
		return f.dominates(int(s.block), b)
	}
	for n, f := range c.functions {
		for i := range f.blocks {
			b := &f.blocks[i]
			if b.order < 0 {
				continue
			}
			for at := b.first + 1; at <= b.last; at++ {
				in := c.insts[at]
				if in.Op() == spirv.OpPhi {
					ops := in.Operands()
					for k := 0; k+1 < len(ops); k += 2 {
						parent := f.blockAt[spirv.ID(ops[k+1])]
						if f.blocks[parent].order >= 0 && !reaches(f, n, spirv.ID(ops[k]), parent, c.afterBlock(f, parent)) {
							c.fail("dominance", in, "%%%d is not defined on every path to the end of block %%%d", ops[k], ops[k+1])
						}
					}
					continue
				}
				if extended(in.Op()) && c.effectless(in) {
					continue
				}
				check := func(kind spirv.OperandKind, id spirv.ID) {
					if kind != spirv.KindIdResult && !reaches(f, n, id, i, at) {
						c.fail("dominance", in, "%%%d is not defined on every path to this instruction", id)
					}
				}
				if ids, f, ok := plain(in); ok {
					for k, id := range ids {
						check(f.kind(k), spirv.ID(id))
					}
					continue
				}
				for _, o := range c.parse(in) {
					if o.Kind.Category() == spirv.CategoryID {
						check(o.Kind, o.ID())
					}
				}
			}
		}
	}
}

// afterBlock is a place after every instruction of a block.
func (c *checker) afterBlock(f *function, b int) int { return f.blocks[b].last + 1 }

// dominates reports whether block a dominates block b; both are reached from the entry.
func (f *function) dominates(a, b int) bool {
	x, y := &f.blocks[a], &f.blocks[b]
	return x.order >= 0 && x.enter <= y.enter && y.exit <= x.exit
}

// dominators finds the dominator tree with the algorithm of Lengauer and Tarjan, the variant with path
// compression only, in O(edges × log blocks). Everything keeps a stack of its own, as chains of blocks
// may be as long as the module.
func (f *function) dominators() {
	n := len(f.blocks)
	vertex := make([]int, 0, n) // by depth-first number, block
	parent := make([]int, n)    // by block, block
	type frame struct{ b, next int }
	f.blocks[0].order = 0
	vertex = append(vertex, 0)
	stack := []frame{{}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succ := f.blocks[top.b].succ
		if top.next == len(succ) {
			stack = stack[:len(stack)-1]
			continue
		}
		s := succ[top.next]
		top.next++
		if f.blocks[s].order < 0 {
			f.blocks[s].order = len(vertex)
			parent[s] = top.b
			vertex = append(vertex, s)
			stack = append(stack, frame{b: s})
		}
	}
	num := func(b int) int { return f.blocks[b].order }

	semi := make([]int, n) // by block, depth-first number
	label := make([]int, n)
	ancestor := make([]int, n)
	bucket := make([][]int, n)
	for b := range n {
		semi[b], label[b], ancestor[b] = num(b), b, -1
	}
	var path []int
	eval := func(v int) int {
		if ancestor[v] < 0 {
			return label[v]
		}
		path = path[:0]
		for u := v; ancestor[ancestor[u]] >= 0; u = ancestor[u] {
			path = append(path, u)
		}
		for i := len(path) - 1; i >= 0; i-- {
			u := path[i]
			if a := ancestor[u]; semi[label[a]] < semi[label[u]] {
				label[u] = label[a]
			}
			ancestor[u] = ancestor[ancestor[u]]
		}
		return label[v]
	}
	for i := len(vertex) - 1; i > 0; i-- {
		w := vertex[i]
		for _, v := range f.blocks[w].pred {
			if num(v) >= 0 {
				semi[w] = min(semi[w], semi[eval(v)])
			}
		}
		s := vertex[semi[w]]
		bucket[s] = append(bucket[s], w)
		p := parent[w]
		ancestor[w] = p
		for _, v := range bucket[p] {
			if u := eval(v); semi[u] < semi[v] {
				f.blocks[v].idom = u
			} else {
				f.blocks[v].idom = p
			}
		}
		bucket[p] = nil
	}
	for _, w := range vertex[1:] {
		if f.blocks[w].idom != vertex[semi[w]] {
			f.blocks[w].idom = f.blocks[f.blocks[w].idom].idom
		}
	}
	f.numberTree(vertex)
}

// numberTree gives every block the interval of the dominator tree below it.
func (f *function) numberTree(vertex []int) {
	children := make([][]int, len(f.blocks))
	for _, w := range vertex[1:] {
		children[f.blocks[w].idom] = append(children[f.blocks[w].idom], w)
	}
	type frame struct{ b, next int }
	clock := 0
	stack := []frame{{}}
	f.blocks[0].enter = clock
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next < len(children[top.b]) {
			child := children[top.b][top.next]
			top.next++
			clock++
			f.blocks[child].enter = clock
			stack = append(stack, frame{b: child})
			continue
		}
		clock++
		f.blocks[top.b].exit = clock
		stack = stack[:len(stack)-1]
	}
}
