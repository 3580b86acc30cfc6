package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// simplify replaces values by what they amount to, computes nothing twice on
// any path (dominator-scoped value numbering), and drops what nobody uses.
func simplify(f *fn) {
	if f.simple {
		f.cleanCFG()
		return
	}
	for range 4 {
		f.simple = true
		f.need(AnalysisDominators)
		again := f.valueNumbering()
		f.dropDead()
		if f.cleanCFG() {
			again = true
		}
		if !again {
			return
		}
	}
}

// numKey is what makes two instructions the same.
type numKey struct {
	op        isa.Op
	typ, elem isa.Type
	idx       isa.IdxType
	flags     isa.Flags
	scale     uint32
	disp      int32
	imm       uint64
	index     int32
	n         int32
	a         [4]int32
	memory    int32 // of a load: the version of what it loads from
}

func (f *fn) keyOf(v *value) (numKey, bool) {
	load := f.byMemory && sharable(v)
	if len(v.args) > 4 || !load && (!pure(v) || noResult(v)) {
		return numKey{}, false
	}
	k := numKey{op: v.op, typ: v.typ, elem: v.elem, flags: v.flags, idx: v.idx, scale: v.scale, disp: v.disp, imm: v.imm,
		index: v.index, n: int32(len(v.args))}
	for i, a := range v.args {
		k.a[i] = a.id
	}
	if load {
		k.memory = v.pos
	}
	if k.a[0] > k.a[1] && commutes(v.op) {
		k.a[0], k.a[1] = k.a[1], k.a[0]
	}
	return k, true
}

// hash spreads keys over a table. What is left out seldom differs alone.
func (k *numKey) hash() uint32 {
	const prime = 0x9e3779b97f4a7c15
	h := (uint64(uint32(k.a[0])) | uint64(uint32(k.a[1]))<<32) * prime
	h = (h>>32 ^ h ^ (uint64(uint32(k.a[2])) | uint64(uint32(k.a[3]))<<32)) * prime
	h = (h>>32 ^ h ^ (uint64(uint32(k.disp)) | uint64(k.scale)<<32)) * prime
	h = (h>>32 ^ h ^ k.imm) * prime
	h = (h>>32 ^ h ^ (uint64(k.op) | uint64(k.typ)<<16 | uint64(k.elem)<<24 | uint64(uint32(k.index))<<32)) * prime
	return uint32(h >> 32)
}

// numTable has the instructions of the blocks above by what makes them the same. What came last leaves first.
type numTable struct {
	f     *fn
	heads []int32 // by hash: the last entry, -1 for none
	list  []numEntry
}

type numEntry struct {
	v    *value
	hash uint32
	next int32 // the entry before with that place in heads, -1 for none
}

// add returns the instruction that is as v, and adds v if there is none.
func (t *numTable) add(v *value, k *numKey) *value {
	h := k.hash()
	if len(t.list) >= len(t.heads) {
		t.grow()
	}
	at := &t.heads[int(h)&(len(t.heads)-1)]
	for i := *at; i >= 0; i = t.list[i].next {
		if e := &t.list[i]; e.hash == h {
			if o, _ := t.f.keyOf(e.v); o == *k {
				return e.v
			}
		}
	}
	t.list = append(t.list, numEntry{v, h, *at})
	*at = int32(len(t.list) - 1)
	return nil
}

func (t *numTable) grow() {
	t.heads = make([]int32, max(2*len(t.heads), 64))
	for i := range t.heads {
		t.heads[i] = -1
	}
	for i := range t.list {
		e := &t.list[i]
		at := &t.heads[int(e.hash)&(len(t.heads)-1)]
		e.next, *at = *at, int32(i)
	}
}

// cut takes all but the first n entries away.
func (t *numTable) cut(n int) {
	for i := len(t.list) - 1; i >= n; i-- {
		e := &t.list[i]
		t.heads[int(e.hash)&(len(t.heads)-1)] = e.next
	}
	t.list = t.list[:min(n, len(t.list))]
}

// valueNumbering walks the dominator tree with a table of the instructions
// above. It says whether another walk may find more: a value is visited before those that use it, but for phis that
// choose it on the way back.
func (f *fn) valueNumbering() bool {
	changed := false
	table := numTable{f: f}
	enter := func(b *block) {
		if f.once {
			// What runs for one work-item only must not serve others.
			table.cut(0)
		}
		for _, v := range b.phis {
			if s := samePhi(v); s != nil {
				v.repl = s
				changed = true
			}
		}
		insts := b.insts[:0]
		for _, v := range b.insts {
			for i, a := range v.args {
				if a.repl != nil {
					v.args[i] = a.root()
				}
			}
			if s := f.simplify(v); s != nil {
				v.repl = s.root()
				changed = true
				continue
			}
			if k, ok := f.keyOf(v); ok {
				if o := table.add(v, &k); o != nil {
					v.repl = o
					o.wraps &= v.wraps // what is promised where either is used
					changed = true
					continue
				}
			}
			insts = append(insts, v)
		}
		clear(b.insts[len(insts):])
		b.insts = insts
		if b.cond != nil {
			b.cond = b.cond.root()
		}
	}
	type frame struct {
		b       *block
		i, size int
	}
	var stack []frame
	push := func(b *block) {
		stack = append(stack, frame{b, 0, len(table.list)})
		enter(b)
	}
	push(f.blocks[0])
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.dom) {
			table.cut(t.size)
			stack = stack[:len(stack)-1]
			continue
		}
		t.i++
		push(t.b.dom[t.i-1])
	}
	if !changed {
		return false
	}
	f.replacePhis()
	if f.known != nil {
		return true // comparisons look further than at their operands
	}
	return slices.ContainsFunc(f.blocks, func(b *block) bool {
		return slices.ContainsFunc(b.phis, func(v *value) bool { return samePhi(v) != nil })
	})
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

// dropDead removes the instructions whose results nobody needs. Blocks are in an order in which dominators come
// first, as reversePostOrder leaves them, so that one walk back sees most uses before what they use; what phis need
// on the way back of a loop is followed from there.
func (f *fn) dropDead() {
	if f.mark++; f.mark == 0 { // the numbers of earlier walks come again
		for _, b := range f.blocks {
			for _, list := range [2][]*value{b.phis, b.insts} {
				for _, v := range list {
					v.mark = 0
				}
			}
		}
		f.mark = 1
	}
	mark := f.mark
	var work []*value
	var some []*block               // that have instructions which nobody needed when they were looked at
	passed := make([]bool, f.nblks) // by block.id: the walk has been there
	for i := len(f.blocks) - 1; i >= 0; i-- {
		b := f.blocks[i]
		passed[b.id] = true
		if b.cond != nil {
			b.cond.mark = mark
		}
		all := true
		for j := len(b.insts) - 1; j >= 0; j-- {
			v := b.insts[j]
			if v.mark != mark {
				if !hasEffect(v) {
					all = false
					continue
				}
				v.mark = mark
			}
			for _, a := range v.args {
				a.mark = mark
			}
		}
		for _, v := range b.phis {
			if v.mark == mark {
				work = append(work, v)
			} else {
				all = false
			}
		}
		if !all {
			some = append(some, b)
		}
		// What phis choose may be further down, where the walk does not come again.
		for len(work) > 0 {
			v := work[len(work)-1]
			work = work[:len(work)-1]
			for _, a := range v.args {
				if a.mark == mark {
					continue
				}
				if a.mark = mark; a.blk != nil && passed[a.blk.id] {
					work = append(work, a)
				}
			}
		}
	}
	for _, b := range some {
		b.phis = alive(b.phis, mark)
		b.insts = alive(b.insts, mark)
	}
}

// alive returns the values of a list that have a mark.
func alive(list []*value, mark uint8) []*value {
	out := list[:0]
	for _, v := range list {
		if v.mark == mark {
			out = append(out, v)
		}
	}
	clear(list[len(out):])
	return out
}
