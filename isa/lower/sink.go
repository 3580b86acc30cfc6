package lower

// sink moves the step of a loop's variable, i + 1, behind the last use of i in its
// block, so that both may have one register: otherwise each trip ends with a move.
// Compilers like to test the old value behind the step.
//
// What else the step is made of must be there anyway, so that nothing lives longer
// by it.
func sink(f *fn) {
	steps := map[*value]*sunk{} // by the variable, and by its step
	for _, h := range f.blocks {
		for i, p := range h.preds {
			if !h.dominates(p) {
				continue
			}
			for _, phi := range h.phis {
				if x := phi.args[i]; isStep(phi, x) && steps[phi] == nil && steps[x] == nil {
					s := &sunk{phi: phi, step: x, at: -1}
					steps[phi], steps[x] = s, s
				}
			}
		}
	}
	if len(steps) == 0 {
		return
	}
	for _, blk := range f.blocks {
		sinkIn(blk, steps)
	}
}

// sunk is a step that may sink.
type sunk struct {
	phi, step *value
	at        int  // place of the last use of phi in the step's block, behind the step
	used      bool // the step itself is used there
	stays     bool // and phi again there, or behind that
}

// isStep says whether x is made of phi and of what was there before the loop.
func isStep(phi, x *value) bool {
	if x.leaf() || x.op == irPhi || !x.movable() {
		return false
	}
	found := false
	for _, a := range x.args {
		switch {
		case a == phi:
			found = true
		case a.leaf(), a.blk != phi.blk && a.blk.dominates(phi.blk):
		default:
			return false
		}
	}
	return found
}

func sinkIn(b *block, steps map[*value]*sunk) {
	after := map[int][]*value{} // what goes behind a place
	var found []*sunk
	for i, v := range b.insts {
		for _, a := range v.args {
			s := steps[a]
			switch {
			case s == nil || s.step.blk != b || s.step == v:
			case a == s.step:
				s.used = true
				s.stays = s.stays || s.at == i
			case s.used:
				s.stays = true
			default:
				s.at = i
			}
		}
		if s := steps[v]; s != nil && s.step == v {
			s.at = -1 // what stood ahead of it does not count
			found = append(found, s)
		}
	}
	for _, s := range found {
		if s.at >= 0 && !s.stays {
			after[s.at] = append(after[s.at], s.step)
		}
	}
	if len(after) == 0 {
		return
	}
	insts := make([]*value, 0, len(b.insts))
	for i, v := range b.insts {
		if s := steps[v]; s == nil || s.step != v || s.at < 0 || s.stays {
			insts = append(insts, v)
		}
		insts = append(insts, after[i]...)
	}
	b.insts = insts
}
