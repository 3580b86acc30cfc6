package plan

import (
	"math"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Plan is a kernel as machine code is made of it: its blocks, cut into parts.
//
// Points are the places at which machine code can begin, or come back: where a block is entered,
// each part, and the end of each block. They are numbered in the order of the code.
type Plan struct {
	Kernel *isa.Kernel
	Blocks []Block
	Points int
	// Layout has the registers of the kernel and of the plan.
	Layout *wave.Layout
	// Places has what each slot is filled in from.
	Places []wave.Place
	// Scalars is the number of scalar registers. There is room for them three times
	// at Frame.Scalars; what lies behind the first is for machine code.
	Scalars int
	// Steady says that a kernel can be run for another work-group without anything being done about registers
	// and private memory.
	Steady bool
	// Undo is how many bytes machine code needs for each chunk at Frame.Undo. Who makes it says so.
	Undo uintptr
	// Spill is how many bytes machine code needs at Frame.Spill, likewise.
	Spill uintptr

	live      *isa.Liveness
	constants map[int]uint64 // of planner
}

// Live says whether a vector register may be read from the beginning of a block on before it is written.
func (p *Plan) Live(block int, b isa.Bank, index int) bool {
	return p.live == nil || p.live.At(block, isa.VectorReg{Bank: b, Index: index})
}

// Block is a block of the kernel.
type Block struct {
	// Entry is the point at which the block is entered, End that of its terminator.
	Entry, End int
	wave.BlockCounts
	Parts []Part
	// Hyper is the hyperblock that begins with this block, or nil. Where [wave.Frame.Plain] is set, it is
	// not to be done this time.
	Hyper *Hyper
	// IDs, unless it is nil, rematerialises work-item ids that the block reads, and is to be done before
	// its parts are: hyperblocks of blocks before it leave them out.
	IDs *Run
	// Terminator is the last instruction. Mask is where its condition is in a chunk's registers, if it is a
	// conditional branch on a vector.
	Terminator *isa.Inst
	Mask       uint32
}

// Part is a piece of a block: a run, an instruction that computes a scalar from scalars, a copy of the
// work-group, or, with none of these, what the reference engine does.
type Part struct {
	Point int
	// Code has the instructions, which the reference engine does where machine code does not, and At where
	// each of them is in the kernel. Their scalar registers may be some that the kernel does not have.
	Code   []isa.Inst
	At     []int
	Run    *Run
	Scalar *isa.Inst
	// Place is the memory of a Scalar that loads.
	Place *wave.Place
	Copy  *Copy
	// Waits says that there are only waits for copies of the group in the part: nothing to do where
	// Frame.Quiet is set.
	Waits bool
}

// Slots returns the numbers of the slots that machine code of a part needs.
func (p *Part) Slots() (list []int) {
	switch {
	case p.Run != nil:
		return p.Run.slots()
	case p.Place != nil:
		return []int{p.Place.Slot}
	case p.Copy != nil:
		return []int{p.Copy.To.Slot, p.Copy.From.Slot}
	}
	return nil
}

// slots returns the numbers of the slots of a run.
func (r *Run) slots() (list []int) {
	for i := range r.Places {
		list = append(list, r.Places[i].Slot)
	}
	return list
}

// Slots returns the numbers of the slots of a hyperblock.
func (h *Hyper) Slots() (list []int) {
	for i := range h.Scalars {
		list = append(list, h.Scalars[i].Slots()...)
	}
	return append(list, h.Run.slots()...)
}

// plain says whether the part is left to the reference engine.
func (p *Part) plain() bool { return p.Run == nil && p.Scalar == nil && p.Copy == nil }

// onlyWaits says whether the part is left to the reference engine and has only waits for copies of the group.
func (p *Part) onlyWaits() bool {
	for i := range p.Code {
		if p.Code[i].Op != isa.OpGroupWait {
			return false
		}
	}
	return p.plain()
}

// Options is what a plan depends on, besides the kernel.
type Options struct {
	// Layout is where registers are. The plan adds some.
	Layout *wave.Layout
	// Steady says that registers and private memory need nothing done about them when a wave begins anew.
	Steady bool
	// Native says whether there is machine code for an instruction: one of a [Run], and then it is asked only
	// about those that [Movable], [Indexed], [Row] and the like allow, or one that computes a scalar from
	// scalars.
	Native func(in *isa.Inst) bool
}

// planner makes a plan.
type planner struct {
	kernel  *isa.Kernel
	layout  *wave.Layout
	native  func(in *isa.Inst) bool
	scratch int // the reference engine's scalar register
	live    *isa.Liveness

	parts []Part // of the present block
	// usageNow is memory for usages, by bank and register, and usageBlocks the blocks that it has looked at.
	usageNow    [isa.NumBanks][]blockUsage
	usageBlocks int

	places  []wave.Place
	placeOf map[placeKey]int
	copies  int              // of the work-group, that machine code may make
	written map[isa.Reg]bool // scalar registers that instructions write; nil before it is asked for
	// constants is what Constants says; nil before it is asked for.
	constants map[int]uint64
	// ids are what hyperblocks rematerialise: by register, an id that the first block computes and no
	// instruction changes. Those in rematerialised are not read without that.
	ids            map[isa.VectorReg]isa.Inst
	rematerialised map[isa.VectorReg]bool
}

// New plans a kernel.
func New(k *isa.Kernel, o Options) *Plan {
	d := &planner{kernel: k, layout: o.Layout, native: o.Native, scratch: k.NumScalar, live: k.Liveness()}
	p := &Plan{Kernel: k, Layout: o.Layout, live: d.live, Steady: o.Steady && !k.UsesAsync && !k.UsesClock,
		Blocks: make([]Block, len(k.Blocks))}
	for i, b := range k.Blocks {
		d.parts = nil
		d.cut(b.Start, b.End-1)
		p.Blocks[i].Parts = d.parts
	}
	hyper := d.hypers()
	point := func() int {
		p.Points++
		return p.Points - 1
	}
	for i := range p.Blocks {
		q := &p.Blocks[i]
		end := &k.Code[k.Blocks[i].End-1]
		q.Entry, q.BlockCounts, q.Terminator, q.Mask = point(), wave.Count(k, i), end, d.condition(end)
		if hyper != nil {
			q.Hyper = hyper[i]
			if i > 0 && hyper[0] != nil {
				q.IDs = d.idsOf(i)
			}
		}
		for j := range q.Parts {
			q.Parts[j].Point = point()
			q.Parts[j].Waits = q.Parts[j].onlyWaits()
		}
		q.End = point()
	}
	p.Places, p.Scalars, p.constants = d.places, o.Layout.Scalars, d.constants
	if n := k.NumVector[isa.Bank64]; n > 0 && n <= maxHalves && slices.Contains(d.looping(), true) {
		o.Layout.Extra(isa.Bank32, n-1) // for NarrowLoop
	}
	return p
}

// condition returns where the condition or the selector of a terminator is, if it is a vector.
func (d *planner) condition(in *isa.Inst) uint32 {
	switch {
	case !in.A.IsVector():
	case in.Op == isa.OpBrCond:
		return d.layout.Offset(in.A, isa.B1)
	case in.Op == isa.OpSwitch:
		return d.layout.Offset(in.A, in.Type)
	}
	return 0
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
func (d *planner) place(list *[]wave.Place, key placeKey, s *isa.Inst) int {
	n, ok := d.placeOf[key]
	if !ok {
		n = len(d.places)
		p := wave.Place{Slot: n, Access: *s, Pointer: s.A, Disp: key.disp, Size: key.size, Scale: key.scale,
			Most: key.most, Write: key.write}
		p.Pointed = s.A.IsVector()
		if p.Row = key.row; p.Row {
			d.fixRow(&p)
		} else {
			p.Fixed = !p.Pointed && s.A.Index() < d.kernel.NumScalar && !d.writesScalar(s.A)
		}
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
	*list = append(*list, d.places[n])
	return n
}

// fixRow finds out whether a row is always in the same allocation.
func (d *planner) fixRow(p *wave.Place) {
	if n := d.roomOf(p.Pointer, p.Size); n > 0 {
		v, _ := d.constant(p.Pointer)
		p.Fixed, p.Offset, p.Room, p.Last = true, memory.Pointer(v).Offset(), d.layout.PrivateOffset[n-1], d.layout.PrivateSize[n-1]-p.Size
		p.Alloc = n
	}
}

// roomOf returns the number of the private allocation that a scalar always leads to, if that has so many
// bytes, or 0.
func (d *planner) roomOf(r isa.Reg, size uint64) int {
	v, ok := d.constant(r)
	p := memory.Pointer(v)
	sizes := d.layout.PrivateSize
	if n := int(p.Alloc()); ok && p.Space() == memory.SpacePrivate && !p.Far() && n > 0 && n <= len(sizes) && sizes[n-1] >= size {
		return n
	}
	return 0
}

// writesScalar says whether any instruction writes a scalar register.
func (d *planner) writesScalar(r isa.Reg) bool {
	if d.written == nil {
		d.written = map[isa.Reg]bool{}
		for i := range d.kernel.Code {
			if r := d.kernel.Code[i].Dst; r.IsScalar() {
				d.written[r] = true
			}
		}
	}
	return d.written[r]
}

// part appends a part to those of the block, or to the last if the reference engine does both.
func (d *planner) part(p Part) {
	if n := len(d.parts); p.plain() && n > 0 && d.parts[n-1].plain() {
		last := &d.parts[n-1]
		last.Code, last.At = append(last.Code, p.Code...), append(last.At, p.At...)
		return
	}
	d.parts = append(d.parts, p)
}

// uniform appends an instruction at pc that is not part of a run. Fences, and checks, are nothing to do.
func (d *planner) uniform(s *isa.Inst, pc int) {
	if s.Op == isa.OpFence || s.Op == isa.OpCheck {
		return
	}
	p := Part{Code: []isa.Inst{*s}, At: []int{pc}}
	if early(s) && d.native(s) {
		p.Scalar = &p.Code[0]
		if s.Op == isa.OpLoad {
			var list []wave.Place
			d.place(&list, loadKey(s), s)
			p.Place = &list[0]
		}
	}
	if s.Op == isa.OpGroupCopy {
		p.Copy = d.copyOf(s)
	}
	d.part(p)
}

// loadKey is what the place of a load into a scalar is known by.
func loadKey(s *isa.Inst) placeKey {
	return placeKey{pointer: s.A, disp: int64(s.Disp), size: uint64(s.Type.Bytes()), scale: 1, most: math.MaxInt32, space: s.Space}
}
