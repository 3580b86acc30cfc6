package opt

import (
	"cmp"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Slot is a piece of a private variable that is always accessed as a whole:
// it becomes a register.
type Slot struct {
	Index  int32 // of the variable
	Offset int64
	Type   isa.Type
	Start  *ssa.Value // before the first store
	Dead   *ssa.Value // behind the variable's lifetime, nil for none
	memory bool       // stays in memory after all
}

// maxPhis is the number of phi arguments that promotion adds to a kernel at
// most. Variables that would need more stay in memory: a module of n words can
// ask for n² of them.
const maxPhis = 1 << 20

// variable is a private variable under consideration.
type variable struct {
	escapes bool // its address goes where we cannot follow
}

// privateAccess is a load or store of a private variable at a constant offset. While promotion lasts, Value.Pos of a
// load, store or phi is one plus the number of its slot, 0 for none.
type privateAccess struct {
	v     *ssa.Value
	index int32 // of the variable
	size  int32
	off   int64
}

// FindSlots finds what can be promoted, and notes the slot of each load and store.
func FindSlots(f *ssa.Func, private []isa.Alloc) []Slot {
	vars := make([]variable, len(private))
	// escape gives up on the variable that a pointer leads to.
	escape := func(p *ssa.Value) {
		if vi := ssa.PrivateRoot(p); vi >= 0 {
			vars[vi].escapes = true
		}
	}
	var found []privateAccess
	for _, blk := range f.Blocks {
		for _, v := range blk.Phis {
			v.Pos = 0
		}
		if blk.Cond != nil {
			escape(blk.Cond)
		}
		for _, v := range blk.Insts {
			switch v.Op {
			case isa.OpLoad, isa.OpStore:
				v.Pos = 0
				if vi, off, ok := privateAddress(v); ok && v.Flags&isa.FlagVolatile == 0 && off >= 0 &&
					uint64(off)+uint64(v.Elem.Bytes()) <= private[vi].Size {
					found = ssa.Append(found, privateAccess{v: v, index: vi, size: int32(v.Elem.Bytes()), off: off})
				} else {
					escape(v.Args[0])
				}
				for _, a := range v.Args[1:] {
					escape(a)
				}
			case isa.OpPtrAdd:
				v.Pos = ssa.PrivateRoot(v.Args[0]) + 1
				if v.Idx != isa.IdxNone {
					escape(v.Args[0])
					escape(v.Args[1])
				}
			default:
				if v.Lifetime() {
					continue
				}
				for _, a := range v.Args {
					escape(a)
				}
			}
		}
	}
	for _, blk := range f.Blocks {
		for _, v := range blk.Phis {
			for _, a := range v.Args {
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
	var slots []Slot
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
func appendSlots(slots []Slot, accesses []privateAccess) []Slot {
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
			slots = ssa.Append(slots, Slot{Index: x.index, Offset: x.off, Type: isa.IntOf(int(x.size) * 8)})
			for _, a := range accesses[i:j] {
				a.v.Pos = int32(len(slots))
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
	b    *ssa.Block
	next int32 // plus one
}

func (l *blockLists) add(si int32, b *ssa.Block) {
	l.all = ssa.Append(l.all, blockList{b: b})
	at := int32(len(l.all))
	if e := &l.ends[si]; e[0] == 0 {
		*e = [2]int32{at, at}
	} else {
		l.all[e[1]-1].next, e[1] = at, at
	}
}

// of appends a slot's blocks to dst.
func (l *blockLists) of(dst []*ssa.Block, si int) []*ssa.Block {
	for at := l.ends[si][0]; at > 0; at = l.all[at-1].next {
		dst = append(dst, l.all[at-1].b)
	}
	return dst
}

// PromoteSlots places phis on the iterated dominance frontier of each slot's
// stores and renames along the dominator tree.
func PromoteSlots(f *ssa.Func, slots []Slot) {
	placePhis(f, slots)
	// Rename. cur holds the value of each slot; undo restores it on the way up.
	cur := make([]*ssa.Value, len(slots))
	for si := range slots {
		cur[si] = slots[si].Start
	}
	at := &ssa.EdgePlaces{Func: f}
	type undo struct {
		slot int32
		v    *ssa.Value
	}
	var undos []undo
	set := func(si int32, v *ssa.Value) {
		undos = append(undos, undo{si, cur[si]})
		cur[si] = v
	}
	type frame struct {
		b       *ssa.Block
		i, undo int
	}
	var stack []frame
	enter := func(b *ssa.Block) {
		stack = append(stack, frame{b, 0, len(undos)})
		for _, phi := range b.Phis {
			if phi.Pos > 0 {
				set(phi.Pos-1, phi)
			}
		}
		insts := b.Insts[:0]
		for _, v := range b.Insts {
			if (v.Op == isa.OpLoad || v.Op == isa.OpStore) && v.Pos > 0 && !slots[v.Pos-1].memory {
				if v.Op == isa.OpLoad {
					v.Repl = cur[v.Pos-1]
				} else {
					set(v.Pos-1, v.Args[1].Root())
				}
				continue
			}
			if v.Lifetime() {
				for si := v.Pos - 1; si >= 0 && si < int32(len(slots)) && slots[si].Index == v.Args[0].Index; si++ {
					if !slots[si].memory {
						set(si, slots[si].at(v))
					}
				}
			}
			for i, a := range v.Args {
				if a.Repl != nil {
					v.Args[i] = a.Root()
				}
			}
			insts = append(insts, v)
		}
		clear(b.Insts[len(insts):])
		b.Insts = insts
		if b.Cond != nil {
			b.Cond = b.Cond.Root()
		}
		for k, s := range b.Succs {
			i := -1
			for _, phi := range s.Phis {
				if phi.Pos == 0 {
					continue
				}
				if i < 0 {
					i = at.Of(b, k)
				}
				phi.Args[i] = cur[phi.Pos-1]
			}
		}
	}
	enter(f.Blocks[0])
	for len(stack) > 0 {
		t := &stack[len(stack)-1]
		if t.i == len(t.b.Children) {
			for i := len(undos) - 1; i >= t.undo; i-- {
				cur[undos[i].slot] = undos[i].v
			}
			undos = undos[:t.undo]
			stack = stack[:len(stack)-1]
			continue
		}
		t.i++
		enter(t.b.Children[t.i-1])
	}
	f.ReplacePhis()
}

// placePhis makes the phis of the slots, without their operands. Slots for which there would be too much to do stay in
// memory.
func placePhis(f *ssa.Func, slots []Slot) {
	stores := blockLists{ends: make([][2]int32, len(slots))}
	exposed := blockLists{ends: make([][2]int32, len(slots))} // blocks that read the slot before they write it
	wrote, read := make([]*ssa.Block, len(slots)), make([]*ssa.Block, len(slots))
	for _, b := range f.Blocks {
		for _, v := range b.Insts {
			if v.Lifetime() {
				for si := v.Pos - 1; si >= 0 && si < int32(len(slots)) && slots[si].Index == v.Args[0].Index; si++ {
					if wrote[si] != b {
						wrote[si] = b
						stores.add(si, b)
					}
				}
			}
			if v.Op != isa.OpLoad && v.Op != isa.OpStore || v.Pos == 0 {
				continue
			}
			si := v.Pos - 1
			switch {
			case wrote[si] == b:
			case v.Op == isa.OpStore:
				wrote[si] = b
				stores.add(si, b)
			case read[si] != b:
				read[si] = b
				exposed.add(si, b)
			}
		}
	}
	frontier, most := frontiers(f), promoteSteps(f)
	stamp := make([]int, len(f.Blocks)) // block has a phi for slot stamp-1
	total := 0                          // phi arguments so far
	var joins, storing, reading, work []*ssa.Block
	live := &liveness{at: make([]liveBlock, len(f.Blocks)), preds: ssa.NewPredLists(f.Blocks, func(b *ssa.Block) int { return b.RPO })}
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
			meet = meet || len(frontier[b.RPO]) > 0
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
			live.steps += len(frontier[b.RPO])
			for _, d := range frontier[b.RPO] {
				if stamp[d.RPO] == si+1 || live.at[d.RPO].in != int32(si+1) {
					continue
				}
				stamp[d.RPO] = si + 1
				joins = append(joins, d)
				work = append(work, d)
			}
		}
		args := 0
		for _, d := range joins {
			args += len(d.Preds)
		}
		if total += args; total > maxPhis {
			total -= args
			slots[si].memory = true
			continue
		}
		for _, d := range joins {
			phi := f.NewValue(ssa.OpPhi, slots[si].Type, slots[si].Type)
			phi.Block, phi.Pos = d, int32(si)+1
			if n := len(d.Preds); n <= len(phi.ArgStore) {
				phi.Args = phi.ArgStore[:n]
			} else {
				phi.Args = make([]*ssa.Value, n)
			}
			d.Phis = append(d.Phis, phi)
		}
	}
	f.Steps += live.steps
}

// promoteSteps bounds the work of finding where variables live and meet; variables for which nothing is left stay in
// memory. Code from compilers needs a small part of it.
func promoteSteps(f *ssa.Func) int { return 1<<22 + 256*(len(f.Blocks)+f.NumValues) }

// frontiers returns the dominance frontier of each block, by rpo. It returns nil when the frontiers of all blocks
// together would be far larger than the kernel: a nest of n loops has n²/2 blocks in them.
func frontiers(f *ssa.Func) [][]*ssa.Block {
	df := make([][]*ssa.Block, len(f.Blocks))
	left := 1<<18 + 16*len(f.Blocks)
	for _, b := range f.Blocks {
		if len(b.Preds) < 2 {
			continue
		}
		for _, p := range b.Preds {
			for r := p; r != b.IDom; r = r.IDom {
				if left--; left < 0 {
					return nil
				}
				if l := df[r.RPO]; len(l) == 0 || l[len(l)-1] != b {
					df[r.RPO] = append(df[r.RPO], b)
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
	preds *ssa.PredLists
	work  []int32
	steps int // edges walked
}

// liveBlock has the slots for which a block was stamped last.
type liveBlock struct{ in, kills int32 }

// find stamps the blocks that reach an exposed read without a store in between.
func (l *liveness) find(stamp int32, stores, exposed []*ssa.Block) {
	for _, b := range stores {
		l.at[b.RPO].kills = stamp
	}
	l.work = l.work[:0]
	for _, b := range exposed {
		l.at[b.RPO].in = stamp
		l.work = append(l.work, int32(b.RPO))
	}
	for len(l.work) > 0 {
		b := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		preds := l.preds.Of(b)
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
func privateAddress(v *ssa.Value) (index int32, off int64, ok bool) {
	if v.Idx != isa.IdxNone {
		return 0, 0, false
	}
	p, off := ConstantSteps(v.Args[0])
	return p.Index, off + int64(v.Disp), p.Op == ssa.OpPrivate
}

// at returns what a slot holds behind the begin or the end of its variable's lifetime.
func (s *Slot) at(v *ssa.Value) *ssa.Value {
	if v.Disp == ssa.LifeEnds {
		return s.Dead
	}
	return s.Start
}
