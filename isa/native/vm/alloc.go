package vm

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// allocator assigns registers in one pass over the instructions in linear order.
type allocator struct {
	*Func
	g *flow

	// Where virtual registers are at present, as far as stamp says so of the present block: in a register or,
	// with -1, in none; and whether their spill slots hold them.
	reg    []int8
	stored []bool
	stamp  []int32
	now    int32 // the present block, plus 1

	slot     []int32 // the spill slot of a virtual register, or -1
	recent   []int8  // the register that it was in last, or -1
	cursor   []int32 // in flow.uses: the next place that reads it
	holds    [files][32]int32
	free     [files]uint32
	pinned   [files]uint32 // registers that the present instruction reads or writes
	place    int32         // the present instruction in linear order
	inserted []insertion
	before   []int32 // by instruction: the last insertion in front of it, or -1; they are linked
	after    []int32 // likewise behind it

	// By block: where what is live at its beginning is then, in the order of flow.liveAt. known says whether
	// that has been decided.
	begins []location
	known  []bool

	bridges []bridge
	results []int8 // by ref: its register
}

// location is where a virtual register is.
type location struct {
	reg    int8 // -1: in none
	stored bool
}

// insertion is an instruction of the allocator's own.
type insertion struct {
	what     move
	v        int32 // the virtual register
	to, from int8
	slot     int32 // of a store or load
	next     int32 // the one in front of it, or -1
}

type move uint8

const (
	moveCopy move = iota
	moveStore
	moveLoad
	moveAgain // the definition of v once more
)

// bridge is code for an edge between two blocks, with a label of its own.
type bridge struct {
	label, to amd64.Label
	moves     []insertion
}

func newAllocator(f *Func, g *flow) *allocator {
	n := len(f.virtuals)
	a := &f.memory.alloc
	a.Func, a.g, a.now, a.inserted, a.bridges = f, g, -1, a.inserted[:0], nil
	a.reg, a.stored, a.stamp, a.slot = zeros(a.reg, n), zeros(a.stored, n), zeros(a.stamp, n), zeros(a.slot, n)
	a.recent, a.cursor = zeros(a.recent, n), zeros(a.cursor, n)
	a.before, a.after = zeros(a.before, len(f.insts)), zeros(a.after, len(f.insts))
	a.begins, a.known, a.results = zeros(a.begins, len(g.live)), zeros(a.known, len(g.blocks)), zeros(a.results, len(g.refs))
	for v := range n {
		a.slot[v], a.recent[v], a.cursor[v] = -1, -1, g.from[v]
	}
	for i := range f.insts {
		a.before[i], a.after[i] = -1, -1
	}
	return a
}

// run assigns registers in all blocks.
func (a *allocator) run() {
	for b := range a.g.blocks {
		a.enter(int32(b))
		x := &a.g.blocks[b]
		for p := x.from; p < x.end; p++ {
			if a.g.first[p] != a.g.first[p+1] {
				a.place = p
				a.instruction(&a.insts[a.g.order[p]], a.g.order[p], a.g.refs[a.g.first[p]:a.g.first[p+1]], a.results[a.g.first[p]:a.g.first[p+1]])
			}
		}
		a.place = x.end - 1
		a.leave(int32(b))
	}
}

// where says where a virtual register is at present.
func (a *allocator) where(v int32) (reg int8, stored bool) {
	if a.stamp[v] != a.now {
		return -1, false
	}
	return a.reg[v], a.stored[v]
}

// put notes where a virtual register is.
func (a *allocator) put(v int32, reg int8, stored bool) {
	a.stamp[v], a.reg[v], a.stored[v] = a.now, reg, stored
	if reg >= 0 {
		file := a.virtuals[v].file
		a.holds[file][reg] = v
		a.free[file] &^= 1 << reg
		a.recent[v] = reg
	}
}

// clear makes a register free.
func (a *allocator) clear(file File, reg int8) { a.free[file] |= 1 << reg }

// enter begins a block.
func (a *allocator) enter(b int32) {
	a.place = a.g.blocks[b].from - 1
	if !a.known[b] {
		// None of the blocks that lead here has been seen. Values stay where they are in what stands in
		// front.
		a.decide(b)
	}
	a.now = b + 1
	a.free = a.target.Registers
	for k, v := range a.g.liveAt(b) {
		l := a.begins[a.g.blocks[b].live.from+int32(k)]
		a.put(v, l.reg, l.stored)
	}
}

// decide has a block begin with values where they are now.
func (a *allocator) decide(b int32) {
	a.known[b] = true
	for k, v := range a.g.liveAt(b) {
		reg, stored := a.where(v)
		if reg < 0 && !stored && !a.cheap(v) {
			a.slotOf(v) // nothing yet, but another way here may have something
			stored = true
		}
		a.begins[a.g.blocks[b].live.from+int32(k)] = location{reg, stored}
	}
}

// cheap says whether a value is rematerialised rather than stored.
func (a *allocator) cheap(v int32) bool {
	x := &a.virtuals[v]
	if x.define < 0 || x.fixed || x.file != Vectors {
		return false
	}
	i := &a.insts[x.define]
	if x.remade {
		return true
	}
	if i.kind != kindVector || i.n != 2 {
		return false
	}
	m, ok := a.at(i)[1].(amd64.Mem)
	return ok && m.Constant()
}

// next returns the next place that reads a value.
func (a *allocator) next(v int32) int32 {
	c, end := a.cursor[v], a.g.from[v+1]
	for c < end && a.g.uses[c] <= a.place {
		c++
	}
	a.cursor[v] = c
	if c == end {
		return 1 << 29 // a loop leads to it
	}
	return a.g.uses[c]
}

// take returns a register, which it empties if it has to. If it is free, it is the one that v is copied to
// later, or the one that v was in last.
func (a *allocator) take(v, inst int32) int8 {
	file := a.virtuals[v].file
	free := a.free[file] &^ a.pinned[file]
	prefer := [2]int8{-1, a.recent[v]}
	if c := a.g.copies[v]; c >= 0 {
		prefer[0] = a.recent[c]
	}
	for _, r := range prefer {
		if r >= 0 && free>>r&1 != 0 {
			return r
		}
	}
	if free != 0 {
		return int8(bits.TrailingZeros32(free))
	}
	best, far := int8(-1), int32(-1)
	for m := a.target.Registers[file] &^ a.pinned[file]; m != 0; m &= m - 1 {
		r := int8(bits.TrailingZeros32(m))
		v := a.holds[file][r]
		n := a.next(v) * 2
		if a.stored[v] || a.cheap(v) {
			n++
		}
		if n > far {
			best, far = r, n
		}
	}
	if best < 0 {
		panic("vm: an instruction has more registers than there are")
	}
	a.spill(a.holds[file][best], inst)
	a.clear(file, best)
	return best
}

// spill takes a value out of its register.
func (a *allocator) spill(v, inst int32) {
	reg, stored := a.reg[v], a.stored[v]
	if !stored && !a.cheap(v) {
		a.insertBefore(inst, insertion{what: moveStore, v: v, from: reg, slot: a.slotOf(v)})
		stored = true
	}
	a.put(v, -1, stored)
}

// slotOf returns the spill slot of a virtual register.
func (a *allocator) slotOf(v int32) int32 {
	if a.slot[v] >= 0 {
		return a.slot[v]
	}
	n := int32(-1)
	for i, until := range a.slots {
		if until < a.place {
			n = int32(i)
			break
		}
	}
	if n < 0 {
		n = int32(len(a.slots))
		a.slots = append(a.slots, 0)
	}
	a.slots[n], a.slot[v] = a.g.last[v], n
	return n
}

func (a *allocator) insertBefore(inst int32, i insertion) {
	i.next = a.before[inst]
	a.before[inst] = int32(len(a.inserted))
	a.inserted = append(a.inserted, i)
}

func (a *allocator) insertAfter(inst int32, i insertion) {
	i.next = a.after[inst]
	a.after[inst] = int32(len(a.inserted))
	a.inserted = append(a.inserted, i)
}

// instruction assigns the registers of an instruction.
func (a *allocator) instruction(i *inst, n int32, refs []ref, results []int8) {
	a.pinned = [files]uint32{}
	for _, r := range refs {
		if reg, _ := a.where(r.v); reg >= 0 && r.access&amd64.Read != 0 {
			a.pinned[a.virtuals[r.v].file] |= 1 << reg
		}
	}
	for k, r := range refs {
		if r.access&amd64.Read != 0 {
			results[k] = a.use(r.v, n)
		}
	}
	// What is read for the last time makes room for what is written.
	var prefer int8 = -1
	for k, r := range refs {
		if r.dies && r.access == amd64.Read {
			file := a.virtuals[r.v].file
			a.clear(file, results[k])
			a.pinned[file] &^= 1 << results[k]
			a.stamp[r.v] = 0
			if i.kind == kindVector && k == 1 && len(refs) == 2 && amd64.Copies(amd64.Op(i.code), a.at(i)) &&
				a.virtuals[refs[0].v].reading <= amd64.Width(i.size) {
				prefer = results[k]
			}
		}
	}
	for k, r := range refs {
		if r.access&amd64.Written == 0 {
			continue
		}
		if r.access&amd64.Read != 0 {
			a.put(r.v, results[k], false)
		} else {
			results[k] = a.define(r.v, n, prefer)
		}
	}
	for k, r := range refs {
		if r.dies && r.access&amd64.Written != 0 {
			a.clear(a.virtuals[r.v].file, results[k])
			a.stamp[r.v] = 0
		}
	}
	operands := a.at(i)
	for k, r := range refs {
		if r.access == 0 { // of an instruction that ignores what is there
			results[k] = results[0]
		}
		operands[r.operand] = withRegister(operands[r.operand], results[k])
	}
	if prefer >= 0 && results[0] == results[1] {
		i.gone = true
	}
}

// use returns the register that holds a value, and loads it if none does.
func (a *allocator) use(v, inst int32) int8 {
	reg, stored := a.where(v)
	if reg >= 0 {
		return reg
	}
	file := a.virtuals[v].file
	reg = a.take(v, inst)
	a.pinned[file] |= 1 << reg
	if i, ok := a.reload(v, reg, stored); ok {
		a.insertBefore(inst, i)
	}
	a.put(v, reg, stored)
	return reg
}

// reload returns what gets a value into a register. For one that nothing has written that is nothing.
func (a *allocator) reload(v int32, reg int8, stored bool) (i insertion, ok bool) {
	switch {
	case a.cheap(v):
		return insertion{what: moveAgain, v: v, to: reg}, true
	case stored:
		return insertion{what: moveLoad, v: v, to: reg, slot: a.slot[v]}, true
	}
	return i, false
}

// define returns a register for a value that an instruction makes.
func (a *allocator) define(v, inst int32, prefer int8) int8 {
	file := a.virtuals[v].file
	if reg, _ := a.where(v); reg >= 0 {
		a.clear(file, reg) // what it held before is not read any more
	}
	reg := prefer
	if reg < 0 || a.free[file]>>reg&1 == 0 {
		reg = a.take(v, inst)
	}
	a.pinned[file] |= 1 << reg
	a.put(v, reg, false)
	return reg
}
