package opt

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Simplify replaces values by what they amount to, computes nothing twice on
// any path (dominator-scoped value numbering), and drops what nobody uses.
func Simplify(f *ssa.Func) {
	if f.Simplified {
		CleanCFG(f)
		return
	}
	for range 4 {
		f.Simplified = true
		f.Need(ssa.AnalysisDominators)
		again := valueNumbering(f)
		dropDead(f)
		if CleanCFG(f) {
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

func keyOf(f *ssa.Func, v *ssa.Value) (numKey, bool) {
	load := f.ByMemory && sharable(v)
	if len(v.Args) > 4 || !load && (!ssa.Pure(v) || ssa.NoResult(v)) {
		return numKey{}, false
	}
	k := numKey{op: v.Op, typ: v.Type, elem: v.Elem, flags: v.Flags, idx: v.Idx, scale: v.Scale, disp: v.Disp, imm: v.Imm,
		index: v.Index, n: int32(len(v.Args))}
	for i, a := range v.Args {
		k.a[i] = a.ID
	}
	if load {
		k.memory = v.Pos
		if !f.Checked {
			k.imm = 0 // which access of the module it is part of matters to checks of its alignment only
		}
	}
	if k.a[0] > k.a[1] && commutes(v.Op) {
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
	f     *ssa.Func
	heads []int32 // by hash: the last entry, -1 for none
	list  []numEntry
}

type numEntry struct {
	v    *ssa.Value
	hash uint32
	next int32 // the entry before with that place in heads, -1 for none
}

// add returns the instruction that is as v, and adds v if there is none.
func (t *numTable) add(v *ssa.Value, k *numKey) *ssa.Value {
	h := k.hash()
	if len(t.list) >= len(t.heads) {
		t.grow()
	}
	at := &t.heads[int(h)&(len(t.heads)-1)]
	for i := *at; i >= 0; i = t.list[i].next {
		if e := &t.list[i]; e.hash == h {
			if o, _ := keyOf(t.f, e.v); o == *k {
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
func valueNumbering(f *ssa.Func) bool {
	changed := false
	table := numTable{f: f}
	enter := func(b *ssa.Block) {
		if f.Once {
			// What runs for one work-item only must not serve others.
			table.cut(0)
		}
		for _, v := range b.Phis {
			if s := samePhi(v); s != nil {
				v.Repl = s
				changed = true
			}
		}
		insts := b.Insts[:0]
		for _, v := range b.Insts {
			for i, a := range v.Args {
				if a.Repl != nil {
					v.Args[i] = a.Root()
				}
			}
			if s := SimplifyValue(f, v); s != nil {
				v.Repl = s.Root()
				changed = true
				continue
			}
			if k, ok := keyOf(f, v); ok {
				if o := table.add(v, &k); o != nil {
					v.Repl = o
					o.Wraps &= v.Wraps // what is promised where either is used
					changed = true
					continue
				}
			}
			insts = append(insts, v)
		}
		clear(b.Insts[len(insts):])
		b.Insts = insts
		if b.Cond != nil {
			b.Cond = b.Cond.Root()
		}
	}
	type frame struct {
		b       *ssa.Block
		i, size int
	}
	var stack []frame
	push := func(b *ssa.Block) {
		stack = append(stack, frame{b, 0, len(table.list)})
		enter(b)
	}
	push(f.Blocks[0])
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.Children) {
			table.cut(t.size)
			stack = stack[:len(stack)-1]
			continue
		}
		t.i++
		push(t.b.Children[t.i-1])
	}
	if !changed {
		return false
	}
	f.ReplacePhis()
	if f.Known != nil {
		return true // comparisons look further than at their operands
	}
	return slices.ContainsFunc(f.Blocks, func(b *ssa.Block) bool {
		return slices.ContainsFunc(b.Phis, func(v *ssa.Value) bool { return samePhi(v) != nil })
	})
}

// samePhi returns the one value that a phi chooses from besides itself.
func samePhi(v *ssa.Value) *ssa.Value {
	var s *ssa.Value
	for _, a := range v.Args {
		a = a.Root()
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
func dropDead(f *ssa.Func) {
	if f.Mark++; f.Mark == 0 { // the numbers of earlier walks come again
		for _, b := range f.Blocks {
			for _, list := range [2][]*ssa.Value{b.Phis, b.Insts} {
				for _, v := range list {
					v.Mark = 0
				}
			}
		}
		f.Mark = 1
	}
	mark := f.Mark
	var work []*ssa.Value
	var some []*ssa.Block               // that have instructions which nobody needed when they were looked at
	passed := make([]bool, f.NumBlocks) // by Block.ID: the walk has been there
	for i := len(f.Blocks) - 1; i >= 0; i-- {
		b := f.Blocks[i]
		passed[b.ID] = true
		if b.Cond != nil {
			b.Cond.Mark = mark
		}
		all := true
		for j := len(b.Insts) - 1; j >= 0; j-- {
			v := b.Insts[j]
			if v.Mark != mark {
				if !ssa.HasEffect(v) {
					all = false
					continue
				}
				v.Mark = mark
			}
			for _, a := range v.Args {
				a.Mark = mark
			}
		}
		for _, v := range b.Phis {
			if v.Mark == mark {
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
			for _, a := range v.Args {
				if a.Mark == mark {
					continue
				}
				if a.Mark = mark; a.Block != nil && passed[a.Block.ID] {
					work = append(work, a)
				}
			}
		}
	}
	for _, b := range some {
		b.Phis = alive(b.Phis, mark)
		b.Insts = alive(b.Insts, mark)
	}
}

// alive returns the values of a list that have a mark.
func alive(list []*ssa.Value, mark uint8) []*ssa.Value {
	out := list[:0]
	for _, v := range list {
		if v.Mark == mark {
			out = append(out, v)
		}
	}
	clear(list[len(out):])
	return out
}
