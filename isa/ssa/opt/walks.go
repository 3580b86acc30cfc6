package opt

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Walks rewrites pointers of the lanes that walk in loops by the same step in all lanes, p = base + i*s and
// p += step, as a base that walks and an index that stays: q = base and q += step, with accesses at q + i*s.
// The base is one pointer for all lanes, in a scalar register, and engines see indices of which they know how
// they differ between lanes.
//
// This must make no difference to a pointer that walks further than offsets reach, from where nothing leads
// back. All steps of a walk are the same one, made ahead of its beginning, so that what has left the offsets
// goes further away on the same side. i*s is less than half of what the largest object has, and where p begins
// is an offset for certain. So wherever only one of p and q has left the offsets, p + i*s is outside of every
// object, with the displacement of an access or without, and it stays outside.
func Walks(f *ssa.Func) {
	if len(f.Loops) == 0 || !slices.ContainsFunc(f.Loops, hasPointerPhi) {
		return
	}
	f.GuessDivergence()
	w := &walker{flattener: flattener{f: f}, of: map[*ssa.Value]*walk{}}
	for _, h := range f.Blocks {
		if h.Loop == nil || h.Loop.Head != h {
			continue
		}
		for _, p := range h.Phis {
			w.find(h.Loop, p)
		}
	}
	if len(w.list) == 0 {
		return
	}
	w.uses()
	changed := false
	for _, k := range w.list {
		if !k.other && len(k.accesses) > 0 {
			k.rewrite(f)
			changed = true
		}
	}
	if changed {
		dropDead(f)
	}
}

// nearStep bounds what an index that stays adds to pointers, in bytes.
const nearStep = ssa.MaxStep / 2

// hasPointerPhi says whether a loop has a pointer that additions move.
func hasPointerPhi(l *ssa.Loop) bool {
	return slices.ContainsFunc(l.Head.Phis, func(p *ssa.Value) bool {
		return slices.ContainsFunc(p.Args, func(a *ssa.Value) bool { return a.Op == isa.OpPtrAdd && a.Args[0] == p })
	})
}

// walk is a pointer on its way through loops.
type walk struct {
	start    *ssa.Value   // where it begins: base + i*s
	step     *ssa.Value   // one of the additions, which are all alike
	phis     []*ssa.Value // in the order in which they were found
	steps    []*ssa.Value
	accesses []*ssa.Value
	other    bool // there are other uses
}

// walker has the walks that have been found, by the phis and additions that are part of them.
type walker struct {
	flattener
	of   map[*ssa.Value]*walk
	list []*walk
}

// find finds out whether p, at the head of l, is part of a walk.
func (w *walker) find(l *ssa.Loop, p *ssa.Value) {
	var first, step *ssa.Value
	var steps []*ssa.Value
	for i, a := range p.Args {
		switch {
		case !l.Contains(p.Block.Preds[i]):
			if first != nil {
				return
			}
			first = a
		case a.Op != isa.OpPtrAdd || a.Args[0] != p || step != nil && !sameStep(a, step):
			return
		default:
			if step = a; !slices.Contains(steps, a) {
				steps = append(steps, a)
			}
		}
	}
	if first == nil || step == nil || !forward(step) {
		return
	}
	k := w.of[first]
	switch {
	case k != nil && sameStep(step, k.step) && leftTogether(first.Block.Loop):
	case w.starts(first) && aheadOf(step, first):
		k = &walk{start: first, step: step}
		w.list = append(w.list, k)
	default:
		return
	}
	k.phis, k.steps = append(k.phis, p), append(k.steps, steps...)
	w.of[p] = k
	for _, a := range steps {
		w.of[a] = k
	}
}

// starts says whether p is the sum of a pointer that all lanes share and of an index that differs, and an
// offset near the pointer's.
func (w *walker) starts(p *ssa.Value) bool {
	if p.Op != isa.OpPtrAdd || p.Idx == isa.IdxNone || p.Args[0].Varying || !p.Args[1].Varying || p.Scale == 0 {
		return false
	}
	r := w.ranges()
	s, ok := r.Step(p)
	_, known := r.Offset(p, 4)
	return ok && known && s.Within(-nearStep, nearStep)
}

// sameStep says whether two additions move a pointer by the same number of bytes.
func sameStep(a, b *ssa.Value) bool {
	return a.Idx == b.Idx && a.Scale == b.Scale && a.Disp == b.Disp && (a.Idx == isa.IdxNone || a.Args[1] == b.Args[1])
}

// forward says whether a step is the same for all lanes and does not obviously lead back: a base that goes
// back is soon in front of its object, where engines do not expect it.
func forward(step *ssa.Value) bool {
	if step.Idx == isa.IdxNone {
		return step.Disp > 0
	}
	x := step.Args[1]
	back := x.Op == isa.OpNeg || x.Op == isa.OpSub && x.Args[0].IsConst() || x.IsConst() && x.Signed() < 0
	return !x.Varying && !back && step.Scale > 0
}

// aheadOf says whether what a step adds is there where a walk begins, and so the same as long as it lasts.
func aheadOf(step, start *ssa.Value) bool {
	return step.Idx == isa.IdxNone || step.Args[1].Leaf() ||
		step.Args[1].Block != start.Block && step.Args[1].Block.Dominates(start.Block) ||
		step.Args[1].Block == start.Block && (step.Args[1].Op == ssa.OpPhi || before(step.Args[1], start))
}

// before says whether a stands ahead of b in their block.
func before(a, b *ssa.Value) bool {
	return slices.Index(a.Block.Insts, a) < slices.Index(b.Block.Insts, b)
}

// leftTogether says whether all lanes leave a loop in the same trip, as far as is known.
func leftTogether(l *ssa.Loop) bool {
	return l != nil && !slices.ContainsFunc(l.Own, func(b *ssa.Block) bool {
		return b.Cond != nil && b.Cond.Varying && slices.ContainsFunc(b.Succs, func(s *ssa.Block) bool { return !l.Contains(s) })
	})
}

// uses finds the accesses of the walks, and which of them have other uses.
func (w *walker) uses() {
	note := func(v *ssa.Value) {
		own := w.of[v]
		for i, a := range v.Args {
			k := w.of[a]
			switch {
			case k == nil || k == own:
			case i == 0 && w.accesses(v, k):
				k.accesses = append(k.accesses, v)
			default:
				k.other = true
			}
		}
	}
	for _, b := range w.f.Blocks {
		for _, list := range [2][]*ssa.Value{b.Phis, b.Insts} {
			for _, v := range list {
				note(v)
			}
		}
	}
}

// accesses says whether v accesses what its pointer leads to, or what is behind that: in all lanes as far, and near.
func (w *walker) accesses(v *ssa.Value, k *walk) bool {
	switch {
	case v.Op != isa.OpLoad && v.Op != isa.OpStore && v.Op != isa.OpAtomic || v.Space == isa.SpacePrivate:
		return false
	case v.Idx == isa.IdxNone:
		return ssa.FitsDisp(int64(v.Disp) + int64(k.start.Disp))
	case sameStep(v, k.step):
		return true
	}
	s, ok := w.ranges().Step(v)
	return ok && s.Within(-nearStep, nearStep) && !v.Args[1].Varying
}

// rewrite has the walk's base walk, and gives the accesses the index.
func (k *walk) rewrite(f *ssa.Func) {
	now := map[*ssa.Value]*ssa.Value{k.start: k.start.Args[0]}
	for _, p := range k.phis {
		q := f.NewValue(ssa.OpPhi, p.Type, p.Elem)
		q.Block, q.Loc = p.Block, p.Loc
		p.Block.Phis = append(p.Block.Phis, q)
		now[p] = q
	}
	steps := map[*ssa.Value]*ssa.Value{} // of a base, by what is moved
	for _, v := range k.steps {
		q := f.CopyOf(v)
		q.Block, q.Args[0] = v.Block, now[v.Args[0]]
		v.Block.Insts = slices.Insert(v.Block.Insts, 0, q) // for accesses ahead of v that look where it leads
		now[v], steps[v.Args[0]] = q, q
	}
	for _, p := range k.phis {
		for _, a := range p.Args {
			now[p].Args = append(now[p].Args, now[a])
		}
	}
	for _, v := range k.accesses {
		base := now[v.Args[0]]
		if v.Idx != isa.IdxNone {
			if q := steps[v.Args[0]]; q != nil && q.Block == v.Block && sameStep(v, q) {
				base = q
			} else {
				base = k.move(f, base, v)
			}
			v.Disp = 0
		}
		v.Args = append([]*ssa.Value{base, k.start.Args[1]}, Rest(v)...)
		v.Idx, v.Scale = k.start.Idx, k.start.Scale
		v.Disp += k.start.Disp
	}
}

// move puts ahead of an access where its index leads from base.
func (k *walk) move(f *ssa.Func, base, v *ssa.Value) *ssa.Value {
	q := f.NewValue(isa.OpPtrAdd, k.step.Type, k.step.Elem, base, v.Args[1])
	q.Block, q.Loc, q.Space, q.Idx, q.Scale, q.Disp = v.Block, v.Loc, v.Space, v.Idx, v.Scale, v.Disp
	v.Block.Insts = slices.Insert(v.Block.Insts, slices.Index(v.Block.Insts, v), q)
	return q
}
