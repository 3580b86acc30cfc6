package lower

import (
	"cmp"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// slot is a piece of a private variable that is always accessed as a whole:
// it becomes a register.
type slot struct {
	index  int32 // of the variable
	offset int64
	t      isa.Type
	start  *value // before the first store
	dead   *value // behind the variable's lifetime, nil for none
	memory bool   // stays in memory after all
}

// maxPhis is the number of phi arguments that promotion adds to a kernel at
// most. Variables that would need more stay in memory: a module of n words can
// ask for n² of them.
const maxPhis = 1 << 20

// variable is a private variable under consideration.
type variable struct {
	escapes bool // its address goes where we cannot follow
}

// privateAccess is a load or store of a private variable at a constant offset. While promotion lasts, value.pos of a
// load, store or phi is one plus the number of its slot, 0 for none.
type privateAccess struct {
	v     *value
	index int32 // of the variable
	size  int32
	off   int64
}

// findSlots finds what can be promoted, and notes the slot of each load and store.
func (f *fn) findSlots(private []isa.Alloc) []slot {
	vars := make([]variable, len(private))
	// escape gives up on the variable that a pointer leads to.
	escape := func(p *value) {
		if vi := privateRoot(p); vi >= 0 {
			vars[vi].escapes = true
		}
	}
	var found []privateAccess
	for _, blk := range f.blocks {
		for _, v := range blk.phis {
			v.pos = 0
		}
		if blk.cond != nil {
			escape(blk.cond)
		}
		for _, v := range blk.insts {
			switch v.op {
			case isa.OpLoad, isa.OpStore:
				v.pos = 0
				if vi, off, ok := privateAddress(v); ok && v.flags&isa.FlagVolatile == 0 && off >= 0 &&
					uint64(off)+uint64(v.elem.Bytes()) <= private[vi].Size {
					found = push(found, privateAccess{v: v, index: vi, size: int32(v.elem.Bytes()), off: off})
				} else {
					escape(v.args[0])
				}
				for _, a := range v.args[1:] {
					escape(a)
				}
			case isa.OpPtrAdd:
				v.pos = privateRoot(v.args[0]) + 1
				if v.idx != isa.IdxNone {
					escape(v.args[0])
					escape(v.args[1])
				}
			default:
				if v.lifetime() {
					continue
				}
				for _, a := range v.args {
					escape(a)
				}
			}
		}
	}
	for _, blk := range f.blocks {
		for _, v := range blk.phis {
			for _, a := range v.args {
				escape(a)
			}
		}
	}
	// Put the accesses of each variable together.
	ends := make([]int32, len(vars)+1)
	for i := range found {
		ends[found[i].index+1]++
	}
	for i := range vars {
		ends[i+1] += ends[i]
	}
	all := make([]privateAccess, len(found))
	for _, a := range found {
		all[ends[a.index]] = a
		ends[a.index]++
	}
	var slots []slot
	first := int32(0)
	for vi := range vars {
		if !vars[vi].escapes {
			slots = appendSlots(slots, all[first:ends[vi]])
		}
		first = ends[vi]
	}
	return slots
}

// appendSlots adds the slots of a variable, by offset. A variable whose address escapes may be accessed anywhere, so it
// stays in memory as a whole. In the others, accesses that overlap without being
// equal keep their stretch in memory.
func appendSlots(slots []slot, accesses []privateAccess) []slot {
	for i := range accesses {
		if accesses[i].off != accesses[0].off {
			slices.SortFunc(accesses, func(a, b privateAccess) int { return cmp.Compare(a.off, b.off) })
			break
		}
	}
	for i := 0; i < len(accesses); {
		x := &accesses[i]
		end, same := x.off+int64(x.size), true
		j := i + 1
		for ; j < len(accesses) && accesses[j].off < end; j++ {
			y := &accesses[j]
			if y.off != x.off || y.size != x.size {
				same = false
			}
			end = max(end, y.off+int64(y.size))
		}
		if same {
			slots = push(slots, slot{index: x.index, offset: x.off, t: isa.IntOf(int(x.size) * 8)})
			for _, a := range accesses[i:j] {
				a.v.pos = int32(len(slots))
			}
		}
		i = j
	}
	return slots
}

// blockLists has a list of blocks for each slot.
type blockLists struct {
	ends [][2]int32 // by slot: the first and the last place in all plus one, 0 for none
	all  []blockList
}

type blockList struct {
	b    *block
	next int32 // plus one
}

func (l *blockLists) add(si int32, b *block) {
	l.all = push(l.all, blockList{b: b})
	at := int32(len(l.all))
	if e := &l.ends[si]; e[0] == 0 {
		*e = [2]int32{at, at}
	} else {
		l.all[e[1]-1].next, e[1] = at, at
	}
}

// of appends a slot's blocks to dst.
func (l *blockLists) of(dst []*block, si int) []*block {
	for at := l.ends[si][0]; at > 0; at = l.all[at-1].next {
		dst = append(dst, l.all[at-1].b)
	}
	return dst
}

// promoteSlots places phis on the iterated dominance frontier of each slot's
// stores and renames along the dominator tree.
func (f *fn) promoteSlots(slots []slot) {
	f.placePhis(slots)
	// Rename. cur holds the value of each slot; undo restores it on the way up.
	cur := make([]*value, len(slots))
	for si := range slots {
		cur[si] = slots[si].start
	}
	at := &edgePlaces{f: f}
	type undo struct {
		slot int32
		v    *value
	}
	var undos []undo
	set := func(si int32, v *value) {
		undos = append(undos, undo{si, cur[si]})
		cur[si] = v
	}
	type frame struct {
		b       *block
		i, undo int
	}
	var stack []frame
	enter := func(b *block) {
		stack = append(stack, frame{b, 0, len(undos)})
		for _, phi := range b.phis {
			if phi.pos > 0 {
				set(phi.pos-1, phi)
			}
		}
		insts := b.insts[:0]
		for _, v := range b.insts {
			if (v.op == isa.OpLoad || v.op == isa.OpStore) && v.pos > 0 && !slots[v.pos-1].memory {
				if v.op == isa.OpLoad {
					v.repl = cur[v.pos-1]
				} else {
					set(v.pos-1, v.args[1].root())
				}
				continue
			}
			if v.lifetime() {
				for si := v.pos - 1; si >= 0 && si < int32(len(slots)) && slots[si].index == v.args[0].index; si++ {
					if !slots[si].memory {
						set(si, slots[si].at(v))
					}
				}
			}
			for i, a := range v.args {
				if a.repl != nil {
					v.args[i] = a.root()
				}
			}
			insts = append(insts, v)
		}
		clear(b.insts[len(insts):])
		b.insts = insts
		if b.cond != nil {
			b.cond = b.cond.root()
		}
		for k, s := range b.succs {
			i := -1
			for _, phi := range s.phis {
				if phi.pos == 0 {
					continue
				}
				if i < 0 {
					i = at.of(b, k)
				}
				phi.args[i] = cur[phi.pos-1]
			}
		}
	}
	enter(f.blocks[0])
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.dom) {
			for i := len(undos) - 1; i >= t.undo; i-- {
				cur[undos[i].slot] = undos[i].v
			}
			undos = undos[:t.undo]
			stack = stack[:len(stack)-1]
			continue
		}
		t.i++
		enter(t.b.dom[t.i-1])
	}
	f.replacePhis()
}

// placePhis makes the phis of the slots, without their operands. Slots for which there would be too much to do stay in
// memory.
func (f *fn) placePhis(slots []slot) {
	stores := blockLists{ends: make([][2]int32, len(slots))}
	exposed := blockLists{ends: make([][2]int32, len(slots))} // blocks that read the slot before they write it
	wrote, read := make([]*block, len(slots)), make([]*block, len(slots))
	for _, b := range f.blocks {
		for _, v := range b.insts {
			if v.lifetime() {
				for si := v.pos - 1; si >= 0 && si < int32(len(slots)) && slots[si].index == v.args[0].index; si++ {
					if wrote[si] != b {
						wrote[si] = b
						stores.add(si, b)
					}
				}
			}
			if v.op != isa.OpLoad && v.op != isa.OpStore || v.pos == 0 {
				continue
			}
			si := v.pos - 1
			switch {
			case wrote[si] == b:
			case v.op == isa.OpStore:
				wrote[si] = b
				stores.add(si, b)
			case read[si] != b:
				read[si] = b
				exposed.add(si, b)
			}
		}
	}
	frontier, most := f.frontiers(), promoteSteps(f)
	stamp := make([]int, len(f.blocks)) // block has a phi for slot stamp-1
	total := 0                          // phi arguments so far
	var joins, storing, reading, work []*block
	live := &liveness{at: make([]liveBlock, len(f.blocks)), preds: newPredLists(f.blocks, func(b *block) int { return b.rpo })}
	for si := range slots {
		if exposed.ends[si][0] == 0 {
			continue // a block that reads it has written it before
		}
		if frontier == nil || live.steps > most {
			slots[si].memory = true
			continue
		}
		meet := false
		storing = stores.of(storing[:0], si)
		for _, b := range storing {
			meet = meet || len(frontier[b.rpo]) > 0
		}
		if !meet {
			continue // no block is reached by two of its values
		}
		joins = joins[:0]
		reading = exposed.of(reading[:0], si)
		live.find(int32(si+1), storing, reading)
		work = append(work[:0], storing...)
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			live.steps += len(frontier[b.rpo])
			for _, d := range frontier[b.rpo] {
				if stamp[d.rpo] == si+1 || live.at[d.rpo].in != int32(si+1) {
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
			phi.blk, phi.pos = d, int32(si)+1
			if n := len(d.preds); n <= len(phi.argv) {
				phi.args = phi.argv[:n]
			} else {
				phi.args = make([]*value, n)
			}
			d.phis = append(d.phis, phi)
		}
	}
	f.steps += live.steps
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
	at    []liveBlock
	preds *predLists
	work  []int32
	steps int // edges walked
}

// liveBlock has the slots for which a block was stamped last.
type liveBlock struct{ in, kills int32 }

// find stamps the blocks that reach an exposed read without a store in between.
func (l *liveness) find(stamp int32, stores, exposed []*block) {
	for _, b := range stores {
		l.at[b.rpo].kills = stamp
	}
	l.work = l.work[:0]
	for _, b := range exposed {
		l.at[b.rpo].in = stamp
		l.work = append(l.work, int32(b.rpo))
	}
	for len(l.work) > 0 {
		b := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		preds := l.preds.of(b)
		l.steps += len(preds)
		for _, p := range preds {
			if x := &l.at[p]; x.in != stamp && x.kills != stamp {
				x.in = stamp
				l.work = append(l.work, p)
			}
		}
	}
}

// privateAddress says which variable a load or store goes to, and where in it.
func privateAddress(v *value) (index int32, off int64, ok bool) {
	if v.idx != isa.IdxNone {
		return 0, 0, false
	}
	p, off := constantSteps(v.args[0])
	return p.index, off + int64(v.disp), p.op == irPriv
}

// at returns what a slot holds behind the begin or the end of its variable's lifetime.
func (s *slot) at(v *value) *value {
	if v.disp == lifeEnds {
		return s.dead
	}
	return s.start
}
