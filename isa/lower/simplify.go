package lower

import "github.com/lockstep-gpu/lockstep/isa"

// simplify replaces values by what they amount to, computes nothing twice on
// any path (dominator-scoped value numbering), and drops what nobody uses.
func simplify(b *builder) {
	f := b.f
	for range 4 {
		f.need(AnalysisDominators)
		changed := f.valueNumbering()
		f.dropDead()
		if !f.cleanCFG() && !changed {
			return
		}
	}
}

// numKey is what makes two instructions the same.
type numKey struct {
	op         isa.Op
	typ, elem  isa.Type
	flags      isa.Flags
	idx        isa.IdxType
	scale      uint32
	disp       int32
	imm        uint64
	index      int
	a, b, c, d int
}

func keyOf(v *value) (numKey, bool) {
	if !pure(v) || noResult(v) || len(v.args) > 4 {
		return numKey{}, false
	}
	k := numKey{op: v.op, typ: v.typ, elem: v.elem, flags: v.flags, idx: v.idx, scale: v.scale, disp: v.disp, imm: v.imm, index: v.index}
	ids := [4]int{-1, -1, -1, -1}
	for i, a := range v.args {
		ids[i] = a.id
	}
	if commutes(v.op) && ids[0] > ids[1] {
		ids[0], ids[1] = ids[1], ids[0]
	}
	k.a, k.b, k.c, k.d = ids[0], ids[1], ids[2], ids[3]
	return k, true
}

// valueNumbering walks the dominator tree with a table of the instructions
// above. It says whether it replaced anything.
func (f *fn) valueNumbering() bool {
	changed := false
	table := map[numKey]*value{}
	type undo struct {
		k   numKey
		old *value
	}
	enter := func(b *block) []undo {
		var un []undo
		if f.once {
			// What runs for one work-item only must not serve others.
			clear(table)
		}
		for _, v := range b.phis {
			if s := samePhi(v); s != nil {
				v.repl = s
				changed = true
			}
		}
		for _, v := range b.insts {
			for i, a := range v.args {
				v.args[i] = a.root()
			}
			if s := f.simplify(v); s != nil {
				v.repl = s.root()
				changed = true
				continue
			}
			k, ok := keyOf(v)
			if !ok {
				continue
			}
			if o := table[k]; o != nil {
				v.repl = o
				o.wraps &= v.wraps // what is promised where either is used
				changed = true
				continue
			}
			un = append(un, undo{k, nil})
			table[k] = v
		}
		if b.cond != nil {
			b.cond = b.cond.root()
		}
		return un
	}
	type frame struct {
		b  *block
		i  int
		un []undo
	}
	stack := []frame{{f.blocks[0], 0, enter(f.blocks[0])}}
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.dom) {
			for _, u := range t.un {
				delete(table, u.k)
			}
			stack = stack[:len(stack)-1]
			continue
		}
		c := t.b.dom[t.i]
		t.i++
		stack = append(stack, frame{c, 0, enter(c)})
	}
	if changed {
		f.replaceAll()
	}
	return changed
}

// samePhi returns the one value that a phi chooses from besides itself.
func samePhi(v *value) *value {
	var s *value
	for _, a := range v.args {
		a = a.root()
		if a == v || a == s {
			continue
		}
		if s != nil {
			return nil
		}
		s = a
	}
	return s
}

// dropDead removes the instructions whose results nobody needs.
func (f *fn) dropDead() {
	var work []*value
	for _, b := range f.blocks {
		for _, v := range b.phis {
			v.seen = false
		}
		for _, v := range b.insts {
			v.seen = false
		}
	}
	need := func(v *value) {
		if !v.leaf() && !v.seen {
			v.seen = true
			work = append(work, v)
		}
	}
	for _, b := range f.blocks {
		for _, v := range b.insts {
			if hasEffect(v) {
				need(v)
			}
		}
		if b.cond != nil {
			need(b.cond)
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.args {
			need(a)
		}
	}
	for _, b := range f.blocks {
		phis := b.phis[:0]
		for _, v := range b.phis {
			if v.seen {
				phis = append(phis, v)
			}
		}
		b.phis = phis
		insts := b.insts[:0]
		for _, v := range b.insts {
			if v.seen {
				insts = append(insts, v)
			}
		}
		b.insts = insts
	}
}
