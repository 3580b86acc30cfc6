package lower

import "slices"

// compact moves the values that are left to new memory, in the order of the blocks, when a fifth of those that were made
// is gone. A kernel at -O0 loses two thirds of its values to promotion, and the others would keep the memory of all:
// passes go from value to value, and what takes their time is to wait for memory.
func (f *fn) compact() {
	f.compactValues()
	f.compactBlocks()
}

// compactBlocks does for blocks what compact does for values, unless loops are known, which point to their blocks.
func (f *fn) compactBlocks() {
	n := len(f.blocks)
	if f.heldBlocks < 5*n/4+1024 || f.valid&(AnalysisLoops|AnalysisLayout) != 0 {
		return
	}
	f.heldBlocks, f.blockSlab, f.nest = n, nil, nil
	slab := make([]block, n)
	to := make([]*block, f.nblks) // by id
	edges := 0
	for i, b := range f.blocks {
		to[b.id] = &slab[i]
		for _, list := range [2][]*block{b.preds, b.succs} {
			if len(list) > len(b.predv) {
				edges += len(list)
			}
		}
	}
	more := make([]*block, 0, edges)
	moved := func(backing *[2]*block, list []*block) []*block {
		out := backing[:0]
		if len(list) > len(backing) {
			out = more[len(more):]
			more = more[:len(more)+len(list)]
			out = out[:0:len(list)]
		}
		for _, b := range list {
			out = append(out, to[b.id])
		}
		return out
	}
	known := f.valid&AnalysisDominators != 0
	below := make([]*block, 0, n)
	for i, b := range f.blocks {
		m := &slab[i]
		*m = *b
		m.preds, m.succs = moved(&m.predv, b.preds), moved(&m.succv, b.succs)
		m.loop = nil
		if m.idom, m.dom = nil, nil; known {
			m.idom = to[b.idom.id]
			from := len(below)
			for _, c := range b.dom {
				below = append(below, to[c.id])
			}
			m.dom = below[from:len(below):len(below)]
		}
		for _, v := range m.phis {
			v.blk = m
		}
		for _, v := range m.insts {
			v.blk = m
		}
		f.blocks[i] = m
	}
	for i := range slab {
		slab[i].id = i
	}
	f.nblks = n
}

// compactValues moves the values.
func (f *fn) compactValues() {
	n, args := 0, 0
	for _, b := range f.blocks {
		n += len(b.phis) + len(b.insts)
	}
	if f.held < 5*n/4+4096 {
		return
	}
	f.held = n
	slab := make([]value, 0, n)
	lists := make([]*value, 0, n)
	move := func(list []*value) []*value {
		from := len(lists)
		for _, v := range list {
			slab = append(slab, *v)
			m := &slab[len(slab)-1]
			if len(m.args) <= len(m.argv) {
				m.args = m.argv[:copy(m.argv[:], v.args)]
			} else {
				args += len(m.args)
			}
			v.repl = m
			lists = append(lists, m)
		}
		return lists[from:len(lists):len(lists)]
	}
	for _, b := range f.blocks {
		b.phis = move(b.phis)
		b.insts = move(b.insts)
	}
	more := make([]*value, 0, args)
	moved := func(v *value) *value {
		if v.repl != nil {
			return v.repl
		}
		return v
	}
	for i := range slab {
		v := &slab[i]
		if len(v.args) > len(v.argv) {
			from := len(more)
			more = append(more, v.args...)
			v.args = more[from:len(more):len(more)]
		}
		for j, a := range v.args {
			v.args[j] = moved(a)
		}
	}
	for _, b := range f.blocks {
		if b.cond != nil {
			b.cond = moved(b.cond)
		}
		if b.wait != nil {
			b.wait = moved(b.wait)
		}
	}
}

// push is append for lists that get long: it doubles them, where append would copy large ones more often.
func push[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 8))
	}
	return append(list, x)
}
