package lower

// link adds the edge from b to s, once.
func link(b, s *block) int {
	for i, x := range b.succs {
		if x == s {
			return i
		}
	}
	b.succs = append(b.succs, s)
	s.preds = append(s.preds, b)
	return len(b.succs) - 1
}

// predIndex returns the place of p among b's predecessors.
func (b *block) predIndex(p *block) int {
	for i, x := range b.preds {
		if x == p {
			return i
		}
	}
	return -1
}

// setBr makes p end in a plain branch to its only successor s.
func setBr(p, s *block) {
	p.term, p.cond, p.table = termBr, nil, nil
	p.succs = []*block{s}
}

// keepPreds takes the edges from predecessors away for which keep is false, phi arguments included.
func (b *block) keepPreds(keep func(p *block) bool) {
	first := 0
	for first < len(b.preds) && keep(b.preds[first]) {
		first++
	}
	if first == len(b.preds) {
		return
	}
	// Two lists may share their memory, so that what stays gets memory of its own.
	stay := make([]int, 0, len(b.preds))
	for i, p := range b.preds {
		if i < first || i > first && keep(p) {
			stay = append(stay, i)
		}
	}
	b.preds = picked(b.preds, stay)
	for _, phi := range b.phis {
		phi.args = picked(phi.args, stay)
	}
}

func picked[T any](list []T, places []int) []T {
	out := make([]T, len(places))
	for i, at := range places {
		out[i] = list[at]
	}
	return out
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
	live := f.blocks[:0]
	for _, b := range f.blocks {
		if seen[b.id] {
			b.keepPreds(func(p *block) bool { return seen[p.id] })
			live = append(live, b)
		}
	}
	clear(f.blocks[len(live):])
	f.blocks = live
	return true
}
