package lower

import (
	"sort"

	"github.com/lockstep-gpu/lockstep/isa"
)

// slot is a piece of a private variable that is always accessed as a whole:
// it becomes a register.
type slot struct {
	offset int64
	size   int64
	t      isa.Type
	n      int  // number among all slots
	param  int  // 1 + the parameter whose bytes it starts as
	memory bool // stays in memory after all
}

// maxPhis is the number of phi arguments that promotion adds to a kernel at
// most. Variables that would need more stay in memory: a module of n words can
// ask for n² of them.
const maxPhis = 1 << 20

// variable is a private variable under consideration.
type variable struct {
	accesses []*value // loads and stores at constant offsets
	escapes  bool     // its address goes where we cannot follow
	slots    []slot   // by offset
}

// promote turns private variables, or the parts of them that are only ever
// loaded and stored at constant offsets, into SSA values. Code at -O0 keeps
// everything in such variables.
func promote(b *builder) {
	f := b.f
	vars := make([]variable, len(b.k.Private))
	base := func(p *value) (*value, int64) {
		off := int64(0)
		for p.op == isa.OpPtrAdd && p.idx == isa.IdxNone {
			off += int64(p.disp)
			p = p.args[0]
		}
		return p, off
	}
	// addr says which variable a load or store goes to, and where in it.
	addr := func(v *value) (vi int, off int64, ok bool) {
		p, off := base(v.args[0])
		if p.op != irPriv || v.idx != isa.IdxNone {
			return 0, 0, false
		}
		return int(p.index), off + int64(v.disp), true
	}
	// escape gives up on the variable that a pointer leads to.
	escape := func(p *value) {
		for p.op == isa.OpPtrAdd {
			p = p.args[0]
		}
		if p.op == irPriv {
			vars[p.index].escapes = true
		}
	}
	for _, blk := range f.blocks {
		for _, v := range blk.phis {
			for _, a := range v.args {
				escape(a)
			}
		}
		if blk.cond != nil {
			escape(blk.cond)
		}
		for _, v := range blk.insts {
			switch v.op {
			case isa.OpLoad, isa.OpStore:
				if vi, off, ok := addr(v); ok && v.flags&isa.FlagVolatile == 0 && off >= 0 &&
					uint64(off)+uint64(v.elem.Bytes()) <= b.k.Private[vi].Size {
					vars[vi].accesses = append(vars[vi].accesses, v)
				} else {
					escape(v.args[0])
				}
				for _, a := range v.args[1:] {
					escape(a)
				}
			case isa.OpPtrAdd:
				if v.idx != isa.IdxNone {
					escape(v.args[0])
					escape(v.args[1])
				}
			default:
				for _, a := range v.args {
					escape(a)
				}
			}
		}
	}
	// A variable whose address escapes may be accessed anywhere, so it stays in
	// memory as a whole. In the others, accesses that overlap without being
	// equal keep their stretch in memory.
	n := 0
	for vi := range vars {
		v := &vars[vi]
		if v.escapes {
			continue
		}
		type span struct {
			off, size int64
			t         isa.Type
		}
		var spans []span
		for _, a := range v.accesses {
			_, off, _ := addr(a)
			spans = append(spans, span{off, int64(a.elem.Bytes()), a.elem})
		}
		sort.SliceStable(spans, func(i, j int) bool { return spans[i].off < spans[j].off })
		for i := 0; i < len(spans); {
			end, same := spans[i].off+spans[i].size, true
			j := i + 1
			for ; j < len(spans) && spans[j].off < end; j++ {
				if spans[j].off != spans[i].off || spans[j].size != spans[i].size {
					same = false
				}
				end = max(end, spans[j].off+spans[j].size)
			}
			if same {
				v.slots = append(v.slots, slot{offset: spans[i].off, size: spans[i].size, t: isa.IntOf(int(spans[i].size) * 8), n: n, param: b.k.Private[vi].Param})
				n++
			}
			i = j
		}
	}
	if n == 0 {
		return
	}
	find := func(v *value) *slot {
		vi, off, ok := addr(v)
		if !ok || vars[vi].escapes {
			return nil
		}
		s := vars[vi].slots
		i := sort.Search(len(s), func(i int) bool { return s[i].offset >= off })
		if i < len(s) && s[i].offset == off && !s[i].memory {
			return &s[i]
		}
		return nil
	}
	f.simple = false
	f.need(AnalysisDominators)
	f.promoteSlots(n, vars, find)
}

// promoteSlots places phis on the iterated dominance frontier of each slot's
// stores and renames along the dominator tree.
func (f *fn) promoteSlots(n int, vars []variable, find func(*value) *slot) {
	slots := make([]*slot, n)
	for vi := range vars {
		for i := range vars[vi].slots {
			s := &vars[vi].slots[i]
			slots[s.n] = s
		}
	}
	stores := make([][]*block, n)
	exposed := make([][]*block, n) // blocks that read the slot before they write it
	wrote := make([]*block, n)
	for _, b := range f.blocks {
		for _, v := range b.insts {
			if v.op != isa.OpLoad && v.op != isa.OpStore {
				continue
			}
			s := find(v)
			if s == nil {
				continue
			}
			if v.op == isa.OpStore {
				if wrote[s.n] != b {
					wrote[s.n] = b
					stores[s.n] = append(stores[s.n], b)
				}
				continue
			}
			if l := exposed[s.n]; wrote[s.n] != b && (len(l) == 0 || l[len(l)-1] != b) {
				exposed[s.n] = append(l, b)
			}
		}
	}
	frontier, most := f.frontiers(), promoteSteps(f)
	phiSlot := map[*value]int{}
	stamp := make([]int, len(f.blocks)) // block has a phi for slot stamp-1
	total := 0                          // phi arguments so far
	var joins []*block
	live := &liveness{in: make([]int, len(f.blocks)), kills: make([]int, len(f.blocks))}
	for si := range slots {
		if len(exposed[si]) == 0 {
			continue // a block that reads it has written it before
		}
		if frontier == nil || live.steps > most {
			slots[si].memory = true
			continue
		}
		meet := false
		for _, b := range stores[si] {
			meet = meet || len(frontier[b.rpo]) > 0
		}
		if !meet {
			continue // no block is reached by two of its values
		}
		joins = joins[:0]
		live.find(si+1, stores[si], exposed[si])
		work := append([]*block(nil), stores[si]...)
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			live.steps += len(frontier[b.rpo])
			for _, d := range frontier[b.rpo] {
				if stamp[d.rpo] == si+1 || live.in[d.rpo] != si+1 {
					continue
				}
				stamp[d.rpo] = si + 1
				joins = append(joins, d)
				work = append(work, d)
			}
		}
		args := 0
		for _, d := range joins {
			args += len(d.preds)
		}
		if total += args; total > maxPhis {
			total -= args
			slots[si].memory = true
			continue
		}
		for _, d := range joins {
			phi := f.newValue(irPhi, slots[si].t, slots[si].t)
			phi.blk = d
			phi.args = make([]*value, len(d.preds))
			d.phis = append(d.phis, phi)
			phiSlot[phi] = si
		}
	}
	f.steps += live.steps
	// Rename. cur holds the value of each slot; undo restores it on the way up.
	cur := make([]*value, n)
	for si, s := range slots {
		if s.param > 0 {
			p := f.newValue(irParam, s.t, s.t)
			p.index, p.imm = int32(s.param-1), uint64(s.offset)
			cur[si] = p
			if f.known != nil {
				if x, ok := f.known.arg(p); ok {
					cur[si] = f.constant(s.t, x)
				}
			}
		} else {
			cur[si] = f.constant(s.t, 0)
		}
	}
	at := f.edgePlaces()
	type undo struct {
		slot int
		v    *value
	}
	type frame struct {
		b    *block
		i    int
		undo []undo
	}
	enter := func(b *block) []undo {
		var un []undo
		set := func(si int, v *value) {
			un = append(un, undo{si, cur[si]})
			cur[si] = v
		}
		for _, phi := range b.phis {
			if si, ok := phiSlot[phi]; ok {
				set(si, phi)
			}
		}
		insts := b.insts[:0]
		for _, v := range b.insts {
			if v.op == isa.OpLoad || v.op == isa.OpStore {
				if s := find(v); s != nil {
					if v.op == isa.OpLoad {
						v.repl = cur[s.n]
					} else {
						x := v.args[1].root()
						set(s.n, x)
					}
					continue
				}
			}
			insts = append(insts, v)
		}
		b.insts = insts
		for k, s := range b.succs {
			i := at.of(b, k)
			for _, phi := range s.phis {
				if si, ok := phiSlot[phi]; ok {
					phi.args[i] = cur[si]
				}
			}
		}
		return un
	}
	stack := []frame{{f.blocks[0], 0, enter(f.blocks[0])}}
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.dom) {
			for i := len(t.undo) - 1; i >= 0; i-- {
				cur[t.undo[i].slot] = t.undo[i].v
			}
			stack = stack[:len(stack)-1]
			continue
		}
		c := t.b.dom[t.i]
		t.i++
		stack = append(stack, frame{c, 0, enter(c)})
	}
	f.replaceAll()
}

// promoteSteps bounds the work of finding where variables live and meet; variables for which nothing is left stay in
// memory. Code from compilers needs a small part of it.
func promoteSteps(f *fn) int { return 1<<22 + 256*(len(f.blocks)+f.nvals) }

// frontiers returns the dominance frontier of each block, by rpo. It returns nil when the frontiers of all blocks
// together would be far larger than the kernel: a nest of n loops has n²/2 blocks in them.
func (f *fn) frontiers() [][]*block {
	df := make([][]*block, len(f.blocks))
	left := 1<<18 + 16*len(f.blocks)
	for _, b := range f.blocks {
		if len(b.preds) < 2 {
			continue
		}
		for _, p := range b.preds {
			for r := p; r != b.idom; r = r.idom {
				if left--; left < 0 {
					return nil
				}
				if l := df[r.rpo]; len(l) == 0 || l[len(l)-1] != b {
					df[r.rpo] = append(df[r.rpo], b)
				}
			}
		}
	}
	return df
}

// liveness finds for one slot after the other the blocks, by rpo, at whose
// start the slot may still be read. Large kernels have many slots that live in
// few blocks each, so blocks are stamped with the slot and nothing is cleared.
type liveness struct {
	in, kills []int
	work      []*block
	steps     int // edges walked
}

// find stamps the blocks that reach an exposed read without a store in between.
func (l *liveness) find(stamp int, stores, exposed []*block) {
	for _, b := range stores {
		l.kills[b.rpo] = stamp
	}
	l.work = append(l.work[:0], exposed...)
	for _, b := range exposed {
		l.in[b.rpo] = stamp
	}
	for len(l.work) > 0 {
		b := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		l.steps += len(b.preds)
		for _, p := range b.preds {
			if l.in[p.rpo] != stamp && l.kills[p.rpo] != stamp {
				l.in[p.rpo] = stamp
				l.work = append(l.work, p)
			}
		}
	}
}
