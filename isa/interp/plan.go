package interp

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Plan is a kernel as an [Accelerator] gets it: its blocks, cut into parts.
//
// Points are the places at which machine code can begin, or come back: where a block is entered,
// each part, and the end of each block. They are numbered in the order of the code.
type Plan struct {
	Kernel *isa.Kernel
	Blocks []PlanBlock
	Points int
	// PrivateStride is the distance from a chunk's private memory to the next one's, in bytes.
	PrivateStride uintptr
	// Scalars is the number of scalar registers. There is room for them three times
	// at Frame.Scalars; what lies behind the first is for machine code.
	Scalars int
	// Steady says that a kernel can be run for another work-group without anything being done about registers
	// and private memory.
	Steady bool
	// Undo is how many bytes machine code needs for each chunk at Frame.Undo. The accelerator says so.
	Undo uintptr

	live *liveness
}

// Live says whether a vector register may be read from the beginning of a block on before it is written.
func (p *Plan) Live(block int, b isa.Bank, index int) bool {
	return p.live == nil || p.live.at(block, vectorReg{b, index})
}

// PlanBlock is a block of the kernel.
type PlanBlock struct {
	// Entry is the point at which the block is entered, End that of its terminator.
	Entry, End int
	// Count, Loads, Stores and Atomics are what entering it adds to the counters, the first to
	// Instructions and, times the lanes that run, to LaneOps, the others times the lanes that run.
	Count, Loads, Stores, Atomics uint64
	Parts                         []Part
	// Hyper is the hyperblock that begins with this block, or nil. Where [Frame.Plain] is set, it is not to
	// be done this time.
	Hyper *Hyper
	// IDs, unless it is nil, finds out ids that the block reads, and is to be done before its parts are:
	// hyperblocks of blocks before it leave them out.
	IDs *Run
	// Terminator is the last instruction. Mask is where its condition is in a chunk's registers, if it is a
	// conditional branch on a vector.
	Terminator *isa.Inst
	Mask       uint32
}

// Part is a piece of a block: a run, an instruction that computes a scalar from scalars, a copy of the
// work-group, or, with none of these, what this package does.
type Part struct {
	Point  int
	Run    *Run
	Scalar *isa.Inst
	// Place is the memory of a Scalar that loads.
	Place *Place
	Copy  *Copy
	// Waits says that there are only waits for copies of the group in the part: nothing to do where
	// Frame.Quiet is set.
	Waits bool
}

// Place is what a [Slot] is filled in from.
type Place struct {
	Slot    int     // the number of the slot
	Pointer isa.Reg // a scalar, unless the place is Pointed
	Disp    int64   // what is added to it
	Scale   uint32  // of the index
	Most    uint64  // the greatest Limit
	// Fixed says that the pointer is the same whenever the launch and the work-group's memory are. This
	// package then fills in Address and Limit as well, and Key says whether it has.
	Fixed bool
	// Pointed says that Pointer is a vector: the slot is for the allocation that the first lane that runs
	// points to, and has all of it. Address is not filled in, Limit is the lesser of Last and the greatest
	// number of 31 bits.
	Pointed bool
	// Row says that the slot is of private memory, see [Row] and [Apart]. Base is then that of the first
	// chunk, and what the instruction adds to the pointer is not in Address. If it is Fixed, the pointer is
	// Offset bytes behind an allocation that is Room bytes behind the private memory of each chunk, and an
	// access is at most Last behind the allocation; the slot need not be filled in.
	Row    bool
	Offset int64
	Room   uintptr
	Last   uint64
}

// NoKey is the key of a slot that is not filled in.
const NoKey = noKey

// plain says whether the part is left to this package.
func (p *Part) plain() bool { return p.Run == nil && p.Scalar == nil && p.Copy == nil }

// part is a piece of a block with what this package does for it.
type part struct {
	Part
	insts []inst
}

// onlyWaits says whether the part is left to this package and has only waits for copies of the group.
func (p *part) onlyWaits() bool {
	for i := range p.insts {
		if in := p.insts[i].src; in == nil || in.Op != isa.OpGroupWait {
			return false
		}
	}
	return p.plain()
}

// pointAt is where a point is: a block, and the number of the part; -1 where the block is entered, and
// that behind the last part at the end.
type pointAt struct{ block, part int }

// slotPlace is a [Place] and what is needed to resolve pointers for it.
type slotPlace struct {
	Place
	placeKey
	in    inst // has the space
	alloc int  // of a fixed row: the number of its allocation
}

// placeKey is what instructions with one slot have in common.
type placeKey struct {
	pointer isa.Reg
	disp    int64
	size    uint64
	scale   uint32
	most    uint64
	space   isa.Space
	write   bool
	row     bool
	nth     int // of the slots of a run, to which indices of their own belong
}

// place returns the number of a slot for an instruction, and enters it into a list of
// places, unless it is there.
func (d *decoder) place(list *[]Place, key placeKey, s *isa.Inst) int {
	n, ok := d.placeOf[key]
	if !ok {
		n = len(d.places)
		p := slotPlace{Place: Place{Slot: n, Pointer: s.A, Disp: key.disp, Scale: key.scale, Most: key.most}, placeKey: key}
		p.Pointed = s.A.IsVector()
		if p.Row = key.row; p.Row {
			d.fixRow(&p)
		} else {
			p.Fixed = !p.Pointed && s.A.Index() < d.kernel.NumScalar && !d.writesScalar(s.A)
		}
		p.in.src = s
		d.addressing(&p.in)
		if d.placeOf == nil {
			d.placeOf = map[placeKey]int{}
		}
		d.placeOf[key] = n
		d.places = append(d.places, p)
	}
	for _, p := range *list {
		if p.Slot == n {
			return n
		}
	}
	*list = append(*list, d.places[n].Place)
	return n
}

// fixRow finds out whether a row is always in the same allocation.
func (c *compiledKernel) fixRow(p *slotPlace) {
	if n := c.roomOf(p.pointer, p.size); n > 0 {
		v, _ := c.constant(p.pointer)
		p.Fixed, p.Offset, p.Room, p.Last = true, memory.Pointer(v).Offset(), c.privOffset[n-1], c.privSize[n-1]-p.size
		p.alloc = n
	}
}

// roomOf returns the number of the private allocation that a scalar always leads to, if that has so many
// bytes, or 0.
func (c *compiledKernel) roomOf(r isa.Reg, size uint64) int {
	v, ok := c.constant(r)
	p := memory.Pointer(v)
	if n := int(p.Alloc()); ok && p.Space() == memory.SpacePrivate && !p.Far() && n > 0 && n <= len(c.privSize) && c.privSize[n-1] >= size {
		return n
	}
	return 0
}

// writesScalar says whether any instruction writes a scalar register.
func (c *compiledKernel) writesScalar(r isa.Reg) bool {
	if c.written == nil {
		c.written = map[isa.Reg]bool{}
		for i := range c.kernel.Code {
			if d := c.kernel.Code[i].Dst; d.IsScalar() {
				c.written[d] = true
			}
		}
	}
	return c.written[r]
}

// part ends a part that consists of what has been decoded since the last.
func (d *decoder) part(p Part) {
	if len(d.out) == 0 {
		return // nothing to do, a fence
	}
	if n := len(d.parts); p.plain() && n > 0 && d.parts[n-1].plain() {
		d.parts[n-1].insts = append(d.parts[n-1].insts, d.out...)
	} else {
		d.parts = append(d.parts, part{p, d.out})
	}
	d.out = nil
}

// uniform decodes an instruction at pc that is not part of a run.
func (d *decoder) uniform(s *isa.Inst, pc int) {
	var p Part
	if early(s) && d.accel.Takes(s) {
		in := *s
		p.Scalar = &in
		if s.Op == isa.OpLoad {
			var list []Place
			d.place(&list, loadKey(s), s)
			p.Place = &list[0]
		}
	}
	if s.Op == isa.OpGroupCopy {
		p.Copy = d.copyOf(s)
	}
	d.replaced = s
	d.inst(pc)
	d.replaced = nil
	d.part(p)
}

// loadKey is what the place of a load into a scalar is known by.
func loadKey(s *isa.Inst) placeKey {
	return placeKey{pointer: s.A, disp: int64(s.Disp), size: uint64(s.Type.Bytes()), scale: 1, most: math.MaxInt32, space: s.Space}
}

// plan makes the accelerator compile the decoded blocks.
func (c *compiledKernel) plan(blocks []block) {
	k := c.kernel
	p := &Plan{Kernel: k, live: c.live, PrivateStride: c.privStride, Steady: c.steady && !k.UsesAsync && !k.UsesClock, Blocks: make([]PlanBlock, len(blocks))}
	point := func(block, part int) int {
		c.points = append(c.points, pointAt{block, part})
		return len(c.points) - 1
	}
	d := &decoder{compiledKernel: c, unknown: -1}
	c.hyper = d.hypers()
	for i := range blocks {
		b, q := &blocks[i], &p.Blocks[i]
		*q = PlanBlock{Entry: point(i, -1), Count: b.count, Loads: b.loads, Stores: b.stores, Atomics: b.atomics,
			Terminator: &k.Code[k.Blocks[i].End-1], Mask: b.end.a}
		b.entry = q.Entry
		if c.hyper != nil {
			q.Hyper = c.hyper[i]
			if i > 0 && c.hyper[0] != nil {
				q.IDs = d.idsOf(i)
			}
		}
		for j := range b.parts {
			b.parts[j].Point = point(i, j)
			b.parts[j].Waits = b.parts[j].onlyWaits()
			q.Parts = append(q.Parts, b.parts[j].Part)
		}
		q.End = point(i, len(b.parts))
	}
	p.Points, p.Scalars = len(c.points), c.scalars
	if c.native = c.accel.Compile(p); c.native == nil {
		c.points, c.places = nil, nil
	}
	c.undo = p.Undo
}
