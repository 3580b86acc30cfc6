package plan

import (
	"maps"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

const (
	// maxHyper bounds the instructions of a hyperblock.
	maxHyper = 512
	// maxUnder bounds those of them that are for some of the lanes: they take their time
	// whether a lane has a use for them or not.
	maxUnder = 48
)

// Hyper is a hyperblock: blocks that follow each other in the order of the code, which lanes enter at the
// first and leave behind the last. Lanes may part in between; an instruction for some of them is done for
// all, and a selection gives its result to those whose it is. Machine code may do all of it for some lanes,
// and then for the next, as its loads come before its stores: those wait for each other.
//
// Where machine code finds that a hyperblock cannot be done, it does the blocks one by one: nothing that
// these read has changed by then.
type Hyper struct {
	// Last is the number of the last block. Its terminator is not part of the hyperblock.
	Last int
	// Single says that the blocks take no more passes one by one: all there is to gain is looks at indices.
	Single bool
	// Scalars are the scalar instructions, which come first, with results in registers that the kernel does
	// not have. Moves are what takes these to the kernel's, at the end.
	Scalars []Part
	Moves   []isa.Inst
	// Run has the other instructions. Its stores are done when all else is.
	Run *Run
	// Behind is Run.Keep without what only stores read that are done when all else is.
	Behind []bool
	// Under has, for each instruction of the run, the block that it is of, counted from the first.
	Under []int
	// Masks are, by block, the vector of booleans that tells which lanes come to it, or isa.None if all do.
	Masks []isa.Reg
	// Ids says of which dimensions the global ids have to be less than 2³¹, and Small which scalars:
	// the hyperblock computes numbers of 64 bits in 32.
	Ids   [3]bool
	Small []isa.Reg
	// Terms are sums and products that have to be within bounds, each behind its operands.
	Terms []*Term
	// Narrow are numbers of 64 bits to begin with: each gives a register of 32, provided that it is less than
	// 2³¹ in the lanes that run. Widen are those of 64 bits behind the hyperblock.
	Narrow, Widen []Narrowed
}

// Narrowed is a vector register with 64 bits an element, and one that has the lower 32.
type Narrowed struct {
	Wide, Half isa.Reg
	// Dense says that lanes which do not run may be written.
	Dense bool
	// Keep says that a store needs the lower half.
	Keep bool
}

// hyperMaker makes a hyperblock.
type hyperMaker struct {
	*planner
	first int
	h     *Hyper
	code  []isa.Inst
	masks []isa.Reg
	edges map[int][]isa.Reg // to blocks that are to come: the lanes; None for all
	some  int               // instructions for some lanes
	// passes is how many passes over the lanes the blocks up to Hyper.Last are, those of stores that make
	// the change not counted.
	passes int

	names   map[isa.Reg]isa.Reg       // of scalars
	order   []isa.Reg                 // their keys
	found   map[isa.VectorReg]isa.Reg // ids, by the register that has them in the kernel
	exposed map[isa.VectorReg]bool    // read before they are written
	written map[isa.VectorReg]bool
	taken   [isa.NumBanks]int // registers that the kernel does not have
	stores  [isa.NumSpaces]bool
}

// hypers finds the kernel's hyperblocks: nil, or one that begins at each block.
func (d *planner) hypers() []*Hyper {
	k := d.kernel
	if d.live == nil || k.UsesPipes || k.UsesAsync || k.UsesClock {
		return nil
	}
	from := make([][]int, len(k.Blocks))
	for b := range k.Blocks {
		k.Successors(b, func(s int) { from[s] = append(from[s], b) })
	}
	d.findIDs()
	list := make([]*Hyper, len(k.Blocks))
	for b := 0; b < len(k.Blocks); b++ {
		if h := d.hyper(b, from); h != nil {
			list[b] = h
			b = h.Last
		}
	}
	return list
}

// virtual returns a vector register that the kernel does not have.
func (m *hyperMaker) virtual(b isa.Bank) isa.Reg {
	m.taken[b]++
	return m.layout.Extra(b, m.taken[b]-1)
}

// hyper returns the hyperblock that begins at a block, or nil. from has the blocks that lead to each.
func (d *planner) hyper(first int, from [][]int) *Hyper {
	m, end := d.gather(first, len(d.kernel.Blocks), from)
	if m.h.Last < 0 || m.passes == 0 {
		return nil
	}
	if end > m.h.Last+1 {
		m, _ = d.gather(first, m.h.Last+1, from)
	}
	if m.h.Single = m.passes == 1; m.h.Single && !slices.ContainsFunc(m.code, func(in isa.Inst) bool { return in.Op == isa.OpLoad || in.Op == isa.OpStore }) {
		return nil // there is nothing to put together
	}
	return m.finish()
}

// gather puts blocks from the first on together, and returns the number of the first that it has left alone.
// Those behind Hyper.Last are not to be part of the hyperblock.
func (d *planner) gather(first, end int, from [][]int) (m *hyperMaker, next int) {
	m = &hyperMaker{planner: d, first: first, h: &Hyper{Last: -1}, edges: map[int][]isa.Reg{}, names: map[isa.Reg]isa.Reg{},
		found: map[isa.VectorReg]isa.Reg{}, exposed: map[isa.VectorReg]bool{}, written: map[isa.VectorReg]bool{}}
	passes := 0
	for b := first; b < end; b++ {
		if b > first && (len(from[b]) == 0 || slices.ContainsFunc(from[b], func(p int) bool { return p < first || p >= b })) {
			return m, b
		}
		n, ok := m.block(b)
		if passes += n; !ok || len(m.code) > maxHyper || m.some > maxUnder {
			return m, b + 1
		}
		if m.masks[b-first] == isa.None {
			m.h.Last, m.passes = b, passes
		}
		if b == end-1 || !m.leave(b) {
			return m, b + 1
		}
	}
	return m, end
}

// add appends an instruction of a block.
func (m *hyperMaker) add(in isa.Inst, block int) {
	m.code = append(m.code, in)
	m.h.Under = append(m.h.Under, block-m.first)
}

// enter finds out which lanes come to a block.
func (m *hyperMaker) enter(b int) {
	mask := isa.None
	all := b == m.first
	list := m.edges[b]
	delete(m.edges, b)
	if !all {
		all = true
		for t := range m.edges {
			all = all && t < b // edges to other blocks that are still to come
		}
	}
	if !all {
		mask = list[0]
		for _, e := range list[1:] {
			d := m.virtual(isa.BankMask)
			m.add(isa.Inst{Op: isa.OpOr, Type: isa.B1, Flags: isa.FlagDense, Dst: d, A: mask, B: e}, b)
			mask = d
		}
	}
	m.masks = append(m.masks, mask)
}

// leave notes where the lanes go behind a block. It says whether the hyperblock may go on there.
func (m *hyperMaker) leave(b int) bool {
	in := &m.kernel.Code[m.kernel.Blocks[b].End-1]
	mask := m.masks[b-m.first]
	t0, t1 := in.Target0(), in.Target1()
	switch {
	case in.Op == isa.OpBr || in.Op == isa.OpBrCond && t0 == t1:
		if t0 <= b {
			return false
		}
		m.edges[t0] = append(m.edges[t0], mask)
		return true
	case in.Op != isa.OpBrCond || in.Flags&isa.FlagWait != 0 || in.A.IsScalar() || t0 <= b || t1 <= b:
		return false
	}
	m.reading(isa.VectorReg{Bank: isa.BankMask, Index: in.A.Index()})
	yes, no := m.virtual(isa.BankMask), m.virtual(isa.BankMask)
	if mask == isa.None {
		m.add(isa.Inst{Op: isa.OpMov, Type: isa.B1, Flags: isa.FlagDense, Dst: yes, A: in.A}, b)
		m.add(isa.Inst{Op: isa.OpNot, Type: isa.B1, Flags: isa.FlagDense, Dst: no, A: in.A}, b)
	} else {
		m.add(isa.Inst{Op: isa.OpAnd, Type: isa.B1, Flags: isa.FlagDense, Dst: yes, A: in.A, B: mask}, b)
		m.add(isa.Inst{Op: isa.OpXor, Type: isa.B1, Flags: isa.FlagDense, Dst: no, A: yes, B: mask}, b)
	}
	m.edges[t0], m.edges[t1] = append(m.edges[t0], yes), append(m.edges[t1], no)
	return true
}

// reading notes that a vector register is read in a block.
func (m *hyperMaker) reading(p isa.VectorReg) {
	if !m.written[p] {
		m.exposed[p] = true
	}
}

// block appends the instructions of a block, without its terminator. It says how many passes over the
// lanes they are, done one by one, and whether they may be in a hyperblock.
func (m *hyperMaker) block(b int) (passes int, ok bool) {
	m.enter(b)
	mask := m.masks[b-m.first]
	run := false
	blk := &m.kernel.Blocks[b]
	for pc := blk.Start; pc < blk.End-1; pc++ {
		in := m.kernel.Code[pc]
		switch {
		case in.Op == isa.OpFence:
			continue
		case early(&in):
			if !m.scalar(&in, b) {
				return 0, false
			}
			continue
		case in.Op == isa.OpStore && Indexed(&in) && m.native(&in):
			passes++ // one that looks at the indices; the other remains
			run = false
			m.stores[in.Space] = true
		case in.Op == isa.OpLoad && (Indexed(&in) || Row(&in)) && m.native(&in):
			if m.behindStore(&in) {
				return 0, false
			}
			fallthrough
		case m.takes(&in):
			if !run {
				passes++
			}
			run = true
		default:
			return 0, false
		}
		if mask != isa.None {
			if m.some++; in.Op == isa.OpLoad || in.Op == isa.OpStore {
				if in.Type.Bits() < 32 {
					return 0, false
				}
			}
		}
		if !m.vector(&in, b) {
			return 0, false
		}
	}
	return passes, true
}

// takes says whether an instruction on vector registers may be in a hyperblock.
func (m *hyperMaker) takes(in *isa.Inst) bool {
	switch in.Op {
	case isa.OpMath1, isa.OpMath2, isa.OpMath3:
		return false // may be left to others half-way
	}
	return in.Dst.IsVector() && (pure(in) || in.Op == isa.OpBuiltin) && !Crosses(in) && m.native(in)
}

// behindStore says whether a load reads what a store that stands before it may have written.
func (m *hyperMaker) behindStore(in *isa.Inst) bool {
	for s, any := range m.stores {
		if any && (isa.Space(s) == in.Space || isa.Space(s) == isa.SpaceGeneric || in.Space == isa.SpaceGeneric) {
			return true
		}
	}
	return false
}

// scalar appends an instruction that computes a scalar from scalars. It says whether that may be done before
// all else.
func (m *hyperMaker) scalar(in *isa.Inst, b int) bool {
	if !m.native(in) || in.Op == isa.OpLoad && m.behindStore(in) {
		return false
	}
	if m.masks[b-m.first] != isa.None && m.liveBehind(in.Dst, b) {
		return false
	}
	dst := in.Dst
	m.rename(in)
	n := m.scratch + 1 + len(m.h.Scalars)
	m.layout.Scalars = max(m.layout.Scalars, n+1)
	in.Dst = isa.S(n)
	if _, ok := m.names[dst]; !ok {
		m.order = append(m.order, dst)
	}
	m.names[dst] = in.Dst
	p := Part{Scalar: in}
	if in.Op == isa.OpLoad {
		var list []wave.Place
		m.place(&list, loadKey(in), in)
		p.Place = &list[0]
	}
	m.h.Scalars = append(m.h.Scalars, p)
	return true
}

// rename gives scalar operands their present names.
func (m *hyperMaker) rename(in *isa.Inst) {
	for _, x := range [...]*isa.Reg{&in.A, &in.B, &in.C, &in.D} {
		if n, ok := m.names[*x]; ok {
			*x = n
		}
	}
}

// liveBehind says whether a scalar may be live behind a block, or in its terminator. Lanes that wait at a
// later block see what it holds then, too.
func (m *hyperMaker) liveBehind(r isa.Reg, block int) bool {
	found := m.live.ScalarWaits(block, r.Index())
	m.kernel.Successors(block, func(s int) { found = found || m.live.ScalarAt(s, r.Index()) })
	m.kernel.Operands(&m.kernel.Code[m.kernel.Blocks[block].End-1], func(x isa.Reg, _ isa.Type) { found = found || x == r })
	return found
}

// vector appends an instruction on vector registers. It says whether it may be in the hyperblock.
func (m *hyperMaker) vector(in *isa.Inst, b int) bool {
	m.rename(in)
	m.rematerialise(in, b)
	d, t := m.kernel.Operands(in, func(r isa.Reg, t isa.Type) {
		if r.IsVector() {
			m.reading(isa.VectorReg{Bank: t.Bank(), Index: r.Index()})
		}
	})
	if d == isa.None {
		m.add(*in, b)
		return true
	}
	p, mask := isa.VectorReg{Bank: t.Bank(), Index: d.Index()}, m.masks[b-m.first]
	kept := mask != isa.None && in.Flags&isa.FlagDense == 0 && (m.written[p] || m.live.At(m.first, p))
	if kept {
		m.reading(p)
	}
	if m.exposed[p] {
		return false // the blocks could not be done one by one any more
	}
	m.written[p] = true
	if !kept {
		m.add(*in, b)
		return true
	}
	x := m.virtual(p.Bank)
	to := in.Dst
	in.Dst = x
	in.Flags |= isa.FlagDense
	m.add(*in, b)
	m.add(isa.Inst{Op: isa.OpSelect, Type: t, Dst: to, A: mask, B: x, C: to}, b)
	return true
}

// finish completes the hyperblock.
func (m *hyperMaker) finish() *Hyper {
	h := m.h
	h.Masks = m.masks
	m.narrow()
	m.demandLanes()
	m.insertCopies()
	later := m.behind()
	used := maps.Clone(later)
	for _, w := range h.Widen {
		used[isa.VectorReg{Bank: isa.Bank32, Index: w.Half.Index()}] = true
	}
	m.eliminateDead(used)
	r := &Run{Code: m.code, Keep: make([]bool, len(m.code)), layout: m.layout, kernel: m.kernel, under: h.Under, masks: h.Masks}
	m.shareSlots(r)
	h.Behind = make([]bool, len(m.code))
	m.keep(h.Behind, maps.Clone(later))
	for i := range m.code {
		in := &m.code[i]
		if in.Op != isa.OpStore {
			continue
		}
		m.kernel.Operands(in, func(r isa.Reg, t isa.Type) {
			if r.IsVector() {
				later[isa.VectorReg{Bank: t.Bank(), Index: r.Index()}] = true
			}
		})
		if x := h.Masks[h.Under[i]]; x != isa.None {
			later[isa.VectorReg{Bank: isa.BankMask, Index: x.Index()}] = true
		}
	}
	m.keep(r.Keep, later)
	for i := range h.Narrow {
		h.Narrow[i].Keep = later[isa.VectorReg{Bank: isa.Bank32, Index: h.Narrow[i].Half.Index()}]
	}
	for _, x := range m.order {
		if m.liveBehind(x, h.Last) {
			h.Moves = append(h.Moves, isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: x, A: m.names[x]})
		}
	}
	h.Run = r
	return h
}

// keep notes which instructions have the last say in registers that are read later. What remains of those
// comes from before.
func (m *hyperMaker) keep(keep []bool, later map[isa.VectorReg]bool) {
	for i := len(m.code) - 1; i >= 0; i-- {
		d, t := m.kernel.Operands(&m.code[i], func(isa.Reg, isa.Type) {})
		if p := (isa.VectorReg{Bank: t.Bank(), Index: d.Index()}); d.IsVector() && later[p] {
			keep[i] = true
			delete(later, p)
		}
	}
}

// eliminateDead drops dead instructions (dead-code elimination), given the registers that are read in the
// end. Accesses to memory may fault and stay.
func (m *hyperMaker) eliminateDead(read map[isa.VectorReg]bool) {
	for _, x := range m.h.Masks {
		if x != isa.None {
			read[isa.VectorReg{Bank: isa.BankMask, Index: x.Index()}] = true
		}
	}
	var code []isa.Inst
	var under []int
	for i := len(m.code) - 1; i >= 0; i-- {
		in := &m.code[i]
		d, t := m.kernel.Operands(in, func(isa.Reg, isa.Type) {})
		p := isa.VectorReg{Bank: t.Bank(), Index: d.Index()}
		if d.IsVector() {
			if !read[p] && in.Op != isa.OpLoad {
				continue
			}
			delete(read, p)
		}
		m.kernel.Operands(in, func(r isa.Reg, t isa.Type) {
			if r.IsVector() {
				read[isa.VectorReg{Bank: t.Bank(), Index: r.Index()}] = true
			}
		})
		code, under = append(code, *in), append(under, m.h.Under[i])
	}
	slices.Reverse(code)
	slices.Reverse(under)
	m.code, m.h.Under = code, under
}

// behind returns the vector registers that are live behind the hyperblock, its terminator included, and not
// rematerialised.
func (m *hyperMaker) behind() map[isa.VectorReg]bool {
	set := map[isa.VectorReg]bool{}
	m.kernel.Operands(&m.kernel.Code[m.kernel.Blocks[m.h.Last].End-1], func(r isa.Reg, t isa.Type) {
		if r.IsVector() {
			set[isa.VectorReg{Bank: t.Bank(), Index: r.Index()}] = true
		}
	})
	m.kernel.Successors(m.h.Last, func(s int) { m.live.Vectors(s, func(p isa.VectorReg) { set[p] = true }) })
	if m.first == 0 {
		maps.DeleteFunc(set, func(p isa.VectorReg, _ bool) bool { return m.rematerialised[p] })
	}
	return set
}

// demandLanes lets results that no lane needs but those of the hyperblock be written to all lanes.
func (m *hyperMaker) demandLanes() {
	for i := range m.code {
		d, t := m.kernel.Operands(&m.code[i], func(isa.Reg, isa.Type) {})
		p := isa.VectorReg{Bank: t.Bank(), Index: d.Index()}
		if d.IsVector() && (p.Index >= m.kernel.NumVector[p.Bank] || !m.live.VectorWaits(m.h.Last, p)) {
			m.code[i].Flags |= isa.FlagDense
		}
	}
}

// insertCopies copies operands of stores, which come last, so that they still are what they are where the
// stores stand (copy insertion). Of an index the register file has all lanes: that of a group's first lane
// tells where those of the others are, whether it runs or not.
func (m *hyperMaker) insertCopies() {
	last, sparse := map[isa.VectorReg]int{}, map[isa.VectorReg]bool{} // the last instruction that writes each; some lanes may be left out
	for i := range m.code {
		if d, t := m.kernel.Operands(&m.code[i], func(isa.Reg, isa.Type) {}); d.IsVector() {
			p := isa.VectorReg{Bank: t.Bank(), Index: d.Index()}
			last[p] = i
			sparse[p] = sparse[p] || m.code[i].Flags&isa.FlagDense == 0
		}
	}
	var code []isa.Inst
	var under []int
	for i := range m.code {
		in := m.code[i]
		if in.Op == isa.OpStore {
			for _, x := range [...]struct {
				r *isa.Reg
				t isa.Type
			}{{&in.B, in.Idx.Type()}, {&in.C, in.Type}} {
				if p := (isa.VectorReg{Bank: x.t.Bank(), Index: x.r.Index()}); x.r.IsVector() && (last[p] > i || x.r == &in.B && sparse[p]) {
					d := m.virtual(p.Bank)
					code, under = append(code, isa.Inst{Op: isa.OpMov, Type: x.t, Flags: isa.FlagDense, Dst: d, A: *x.r}), append(under, m.h.Under[i])
					*x.r = d
				}
			}
		}
		code, under = append(code, in), append(under, m.h.Under[i])
	}
	m.code, m.h.Under = code, under
}
