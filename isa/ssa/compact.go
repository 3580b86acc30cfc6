package ssa

import "slices"

// Compact moves the values that are left to new memory, in the order of the blocks, when a fifth of those that were made
// is gone. A kernel at -O0 loses two thirds of its values to promotion, and the others would keep the memory of all:
// passes go from value to value, and what takes their time is to wait for memory.
func (f *Func) Compact() {
	f.compactValues()
	f.compactBlocks()
}

// compactBlocks does for blocks what compact does for values, unless loops are known, which point to their blocks.
func (f *Func) compactBlocks() {
	n := len(f.Blocks)
	if f.heldBlocks < 5*n/4+1024 || f.Valid&(AnalysisLoops|AnalysisLayout) != 0 {
		return
	}
	f.heldBlocks, f.blockSlab, f.Loops = n, nil, nil
	slab := make([]Block, n)
	to := make([]*Block, f.NumBlocks) // by id
	edges := 0
	for i, b := range f.Blocks {
		to[b.ID] = &slab[i]
		for _, list := range [2][]*Block{b.Preds, b.Succs} {
			if len(list) > len(b.predv) {
				edges += len(list)
			}
		}
	}
	more := make([]*Block, 0, edges)
	moved := func(backing *[2]*Block, list []*Block) []*Block {
		out := backing[:0]
		if len(list) > len(backing) {
			out = more[len(more):]
			more = more[:len(more)+len(list)]
			out = out[:0:len(list)]
		}
		for _, b := range list {
			out = append(out, to[b.ID])
		}
		return out
	}
	known := f.Valid&AnalysisDominators != 0
	below := make([]*Block, 0, n)
	for i, b := range f.Blocks {
		m := &slab[i]
		*m = *b
		m.Preds, m.Succs = moved(&m.predv, b.Preds), moved(&m.succv, b.Succs)
		m.Loop = nil
		if m.IDom, m.Children = nil, nil; known {
			m.IDom = to[b.IDom.ID]
			from := len(below)
			for _, c := range b.Children {
				below = append(below, to[c.ID])
			}
			m.Children = below[from:len(below):len(below)]
		}
		for _, v := range m.Phis {
			v.Block = m
		}
		for _, v := range m.Insts {
			v.Block = m
		}
		f.Blocks[i] = m
	}
	for i := range slab {
		slab[i].ID = i
	}
	f.NumBlocks = n
}

// compactValues moves the values.
func (f *Func) compactValues() {
	n, args := 0, 0
	for _, b := range f.Blocks {
		n += len(b.Phis) + len(b.Insts)
	}
	if f.held < 5*n/4+4096 {
		return
	}
	f.held = n
	slab := make([]Value, 0, n)
	lists := make([]*Value, 0, n)
	move := func(list []*Value) []*Value {
		from := len(lists)
		for _, v := range list {
			slab = append(slab, *v)
			m := &slab[len(slab)-1]
			if len(m.Args) <= len(m.ArgStore) {
				m.Args = m.ArgStore[:copy(m.ArgStore[:], v.Args)]
			} else {
				args += len(m.Args)
			}
			v.Repl = m
			lists = append(lists, m)
		}
		return lists[from:len(lists):len(lists)]
	}
	for _, b := range f.Blocks {
		b.Phis = move(b.Phis)
		b.Insts = move(b.Insts)
	}
	more := make([]*Value, 0, args)
	moved := func(v *Value) *Value {
		if v.Repl != nil {
			return v.Repl
		}
		return v
	}
	for i := range slab {
		v := &slab[i]
		if len(v.Args) > len(v.ArgStore) {
			from := len(more)
			more = append(more, v.Args...)
			v.Args = more[from:len(more):len(more)]
		}
		for j, a := range v.Args {
			v.Args[j] = moved(a)
		}
	}
	for _, b := range f.Blocks {
		if b.Cond != nil {
			b.Cond = moved(b.Cond)
		}
		if b.Wait != nil {
			b.Wait = moved(b.Wait)
		}
	}
}

// Append is append for lists that get long: it doubles them, where append would copy large ones more often.
func Append[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 8))
	}
	return append(list, x)
}
