package ssa

// Link adds the edge from b to s, once.
func Link(b, s *Block) int {
	for i, x := range b.Succs {
		if x == s {
			return i
		}
	}
	b.Succs = append(b.Succs, s)
	s.Preds = append(s.Preds, b)
	return len(b.Succs) - 1
}

// PredIndex returns the place of p among b's predecessors.
func (b *Block) PredIndex(p *Block) int {
	for i, x := range b.Preds {
		if x == p {
			return i
		}
	}
	return -1
}

// SetBranch makes p end in a plain branch to its only successor s.
func SetBranch(p, s *Block) {
	p.Term, p.Cond, p.Table = TermBr, nil, nil
	p.Succs = []*Block{s}
}

// KeepPreds takes the edges from predecessors away for which keep is false, phi arguments included.
func (b *Block) KeepPreds(keep func(p *Block) bool) {
	first := 0
	for first < len(b.Preds) && keep(b.Preds[first]) {
		first++
	}
	if first == len(b.Preds) {
		return
	}
	// Two lists may share their memory, so that what stays gets memory of its own.
	stay := make([]int, 0, len(b.Preds))
	for i, p := range b.Preds {
		if i < first || i > first && keep(p) {
			stay = append(stay, i)
		}
	}
	b.Preds = picked(b.Preds, stay)
	for _, phi := range b.Phis {
		phi.Args = picked(phi.Args, stay)
	}
}

func picked[T any](list []T, places []int) []T {
	out := make([]T, len(places))
	for i, at := range places {
		out[i] = list[at]
	}
	return out
}

// DropUnreachable removes the blocks that control never reaches.
func (f *Func) DropUnreachable() bool {
	seen := make([]bool, f.NumBlocks)
	work := []*Block{f.Blocks[0]}
	seen[f.Blocks[0].ID] = true
	n := 1
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range b.Succs {
			if !seen[s.ID] {
				seen[s.ID] = true
				n++
				work = append(work, s)
			}
		}
	}
	if n == len(f.Blocks) {
		return false
	}
	live := f.Blocks[:0]
	for _, b := range f.Blocks {
		if seen[b.ID] {
			b.KeepPreds(func(p *Block) bool { return seen[p.ID] })
			live = append(live, b)
		}
	}
	clear(f.Blocks[len(live):])
	f.Blocks = live
	return true
}
