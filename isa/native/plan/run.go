package plan

import (
	"math"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// maxRun bounds the instructions of a run, so that none takes long: machine code cannot be
// interrupted.
const maxRun = 1024

// Run is a sequence of instructions for machine code: part of a block, instructions with a vector
// destination that touch registers only and cannot fault, loads of elements that an index of each lane
// selects, and loads and stores of private memory. A store to other memory is a run of its own, and so is a
// load that leaves its elements where the index was.
//
// Machine code that cannot do a run, because a slot cannot be had or an index is beyond its limit, comes
// back with [wave.ExitPart]. The reference engine then does all of it; what machine code may have changed
// by then are registers that the run writes before it reads them, and private memory likewise. Other memory has at
// most what a store has written for lanes in front of the one that it could not be done for.
type Run struct {
	// Code has the instructions. Their scalar operands may be registers that
	// the kernel does not have: those behind [isa.Kernel.NumScalar] hold values
	// that the kernel has in one register after the other.
	Code []isa.Inst
	// Keep says, for each instruction, whether its result is used behind the run.
	// Only those have to be in the register file at the end.
	Keep []bool
	// Slots has, for each instruction, the number of its place in [wave.Frame.Slots]
	// if it is a load or store. Those with the same pointer and index share one: each accesses
	// what lies Disp bytes behind the element that the slot and its index,
	// less Bias, select.
	Slots []int
	Disp  []int32
	Bias  []uint32
	// Places has what to fill in these slots from, each slot once.
	Places []wave.Place
	layout *wave.Layout
	kernel *isa.Kernel
	// Of a hyperblock: what Hyper has under these names.
	under []int
	masks []isa.Reg
}

// Offset returns where vector register reg, with elements of type t, lies in the
// registers of a chunk, in bytes: 64 elements one after the other, or, for B1,
// a word of 64 bits.
func (r *Run) Offset(reg isa.Reg, t isa.Type) uint32 { return r.layout.Offset(reg, t) }

// Stride returns how far the registers of one chunk are from those of the next, in bytes.
func (r *Run) Stride() uintptr { return r.layout.Stride }

// Kernel returns the kernel that the run is part of.
func (r *Run) Kernel() *isa.Kernel { return r.kernel }

// Movable says whether an instruction writes a vector register, reads registers
// only and cannot fault but by a division by zero, so that it may be part of a [Run].
func Movable(in *isa.Inst) bool {
	return in.Dst.IsVector() && (pure(in) || Divides(in) || in.Op == isa.OpBuiltin)
}

// Divides says whether an instruction divides integers. One whose divisor is 0 in a lane that runs is a
// reason for machine code not to do the run.
func Divides(in *isa.Inst) bool { return in.Op.Is(isa.PropDivides) }

// Indexed says whether an instruction loads or stores elements of memory behind a scalar pointer, each
// lane with an index of its own, or loads one for all lanes, so that it may be part of a [Run], or be one.
func Indexed(in *isa.Inst) bool {
	switch {
	case !slotAddress(in):
		return false
	case in.Op == isa.OpLoad:
		return in.Dst.IsVector()
	}
	return in.Op == isa.OpStore && in.Idx != isa.IdxNone && in.B.IsVector()
}

// slotAddress says whether an instruction's address is something for a [Slot]: in shared memory, behind a
// scalar pointer.
func slotAddress(in *isa.Inst) bool {
	return in.A.IsScalar() && in.Space != isa.SpacePrivate && (in.Idx == isa.IdxNone || in.Scale > 0 && in.Scale < 1<<16)
}

// UniformStore says whether an instruction stores the elements of all lanes at one address behind a scalar
// pointer, so that it may be a [Run]. The last lane's remains.
func UniformStore(in *isa.Inst) bool {
	return in.Op == isa.OpStore && slotAddress(in) && !in.B.IsVector()
}

// Pointed says whether an instruction loads or stores elements behind pointers of the lanes, so that it may
// be a [Run].
func Pointed(in *isa.Inst) bool {
	return (in.Op == isa.OpLoad && in.Dst.IsVector() || in.Op == isa.OpStore) && in.A.IsVector() && in.Space != isa.SpacePrivate
}

// Row says whether an instruction loads or stores an element of private memory at the same place in all
// lanes, so that it may be part of a [Run], or be one. The elements of the lanes lie side by side.
func Row(in *isa.Inst) bool {
	if !in.A.IsScalar() || in.Space != isa.SpacePrivate || in.Idx != isa.IdxNone && (in.B.IsVector() || in.Scale > math.MaxInt32) {
		return false
	}
	return in.Op == isa.OpLoad && in.Dst.IsVector() || in.Op == isa.OpStore
}

// Apart says whether an instruction loads or stores an element of private memory at places that differ
// between lanes, so that it may be part of a [Run], or be one, if [Place.Fixed] is known of its allocation.
func Apart(in *isa.Inst) bool {
	return (in.Op == isa.OpLoad || in.Op == isa.OpStore) && in.A.IsScalar() && in.Space == isa.SpacePrivate && in.Idx != isa.IdxNone && in.B.IsVector() && in.Scale > 0 && in.Scale < 1<<16
}

// Blocked says whether an instruction loads or stores a component of a block behind a scalar pointer, so that
// it may be part of a [Run], or be one.
func Blocked(in *isa.Inst) bool {
	return (in.Op == isa.OpBlockLoad || in.Op == isa.OpBlockStore) && in.A.IsScalar() && in.Space != isa.SpacePrivate && in.Scale < 1<<16
}

// Crosses says whether an instruction combines lanes of a sub-group in vector registers, so that it may be
// part of a [Run].
func Crosses(in *isa.Inst) bool {
	return in.Op.Is(isa.PropCrosses) && !in.Op.Is(isa.PropFaults)
}

// Candidate says whether a plan may have machine code for an instruction, as far as the instruction itself
// tells: as part of a [Run], or computing a scalar from scalars.
func Candidate(in *isa.Inst) bool {
	return alone(in) || Movable(in) || Indexed(in) || Row(in) || Apart(in) || Blocked(in) || Crosses(in) || early(in)
}

// alone says whether an instruction may be a run, but not part of a longer one.
func alone(in *isa.Inst) bool {
	return in.Op == isa.OpStore && Indexed(in) || UniformStore(in) || Pointed(in) || Atomic(in) || in.Op == isa.OpBlockStore && Blocked(in)
}

// Atomic says whether an instruction is an atomic operation on shared memory behind a scalar pointer, each
// lane with an index of its own that selects aligned elements if the pointer is aligned, or all on one
// element, so that it may be a [Run].
func Atomic(in *isa.Inst) bool {
	return in.Op == isa.OpAtomic && slotAddress(in) && !in.Dst.IsScalar() && (in.Idx == isa.IdxNone || int(in.Scale)%in.Type.Bytes() == 0)
}

// pure says whether all that an instruction does is to compute its result, which
// the execution mask does not change, from its operands.
func pure(in *isa.Inst) bool { return in.Op.Is(isa.PropFunction) && !in.Op.Is(isa.PropFaults) }

// early says whether an instruction may be done before a run that stands before
// it: it computes a scalar from scalars. Divisions and loads may fault, but a run
// cannot, nor does it change memory, and registers are dead after a fault.
func early(in *isa.Inst) bool {
	if !in.Dst.IsScalar() || in.A.IsVector() || in.B.IsVector() || in.C.IsVector() || in.D.IsVector() {
		return false
	}
	return in.Op.Is(isa.PropFunction) || in.Op == isa.OpLoad || in.Op == isa.OpBuiltin
}

// runs cuts the instructions [start, end) of a block into parts.
type runs struct {
	*planner
	code []isa.Inst // what is part of the run
	at   []int      // where each of these is in the kernel
	// reads has the scalars that the run reads. One that is written later in the
	// block, before the run is done, is another register from then on.
	reads   map[isa.Reg]bool
	renamed map[isa.Reg]isa.Reg
	order   []isa.Reg // the keys of renamed in the order in which they came
	fresh   int       // scalar registers handed out
	used    []usage   // by instruction of the block
	start   int
	// Of a run with loads: the vector registers that it reads before it writes
	// them, and those that it has written. After a refusal the former have to be as they were.
	slotted int  // loads and stores, and divisions by what the run has computed
	spoiled bool // it changes one of the former, or private memory that it has loaded from
	loads   bool // it loads from private memory
	faulty  bool // it has some of these, or a division by what may be 0
	inputs  map[isa.VectorReg]bool
	written map[isa.VectorReg]bool
	own     []isa.VectorReg // memory for spoils
	// A run with instructions across lanes has none that look at lanes before they do anything, and only
	// elements of 64 bits or none of them: groups are smaller where there are any.
	crosses, particular, long, short bool
}

// parts says whether an instruction is not to be in the run because of what goes across lanes.
func (r *runs) parts(in *isa.Inst) bool {
	if !r.crosses && !Crosses(in) {
		return false
	}
	long := r.isLong(in)
	return r.particular || particular(in) && len(r.code) > 0 || r.long && !long || r.short && long
}

// isLong says whether an instruction has elements of 64 bits.
func (r *runs) isLong(in *isa.Inst) bool {
	long := false
	d, t := r.kernel.Operands(in, func(_ isa.Reg, t isa.Type) { long = long || t.Bank() == isa.Bank64 })
	return long || d != isa.None && t.Bank() == isa.Bank64
}

// particular says whether an instruction of a run looks at its lanes before it does anything.
func particular(in *isa.Inst) bool {
	return Indexed(in) || Row(in) || Apart(in) || Blocked(in) || Divides(in)
}

// member says whether an instruction may be part of a run that goes on.
func (d *planner) member(in *isa.Inst) bool {
	return Movable(in) || Indexed(in) || Row(in) || Apart(in) && d.roomOf(in.A, uint64(in.Type.Bytes())) > 0 || Blocked(in) || Crosses(in)
}

// usage is who reads an instruction's result: the last instruction of the block
// that does, or -1, and whether the end of the block is reached with the value in place.
type usage struct {
	last    int
	reaches bool
}

// usages returns who reads the vector results of the instructions [start, end).
func (d *planner) usages(start, end int) []usage {
	list := make([]usage, end-start)
	d.usageBlocks++
	at := func(b isa.Bank, index int) *usage {
		if d.usageNow[b] == nil {
			d.usageNow[b] = make([]blockUsage, d.kernel.NumVector[b])
		}
		u := &d.usageNow[b][index]
		if u.block != d.usageBlocks {
			*u = blockUsage{usage{-1, true}, d.usageBlocks}
		}
		return &u.usage
	}
	var reads []*usage
	use := func(r isa.Reg, t isa.Type) {
		if r.IsVector() {
			reads = append(reads, at(t.Bank(), r.Index()))
		}
	}
	for pc := end - 1; pc >= start; pc-- {
		reads = reads[:0]
		dst, t := d.kernel.Operands(&d.kernel.Code[pc], use)
		if dst.IsVector() {
			u := at(t.Bank(), dst.Index())
			list[pc-start] = *u
			*u = usage{-1, false}
		}
		for _, u := range reads {
			if u.last < 0 {
				u.last = pc
			}
		}
	}
	return list
}

// blockUsage is what usages knows of a register so far, in the block with that number.
type blockUsage struct {
	usage
	block int
}

// cut cuts the instructions of a block, [start, end) without the terminator, into parts.
func (d *planner) cut(start, end int) {
	r := &runs{planner: d, inputs: map[isa.VectorReg]bool{}, written: map[isa.VectorReg]bool{}, reads: map[isa.Reg]bool{}, renamed: map[isa.Reg]isa.Reg{}, start: start, used: d.usages(start, end+1)}
	for pc := start; pc < end; pc++ {
		in := d.kernel.Code[pc]
		switch {
		case alone(&in) && d.native(&in):
			r.flush(pc)
			r.code, r.at, r.slotted, r.faulty = append(r.code, in), append(r.at, pc), 1, true
			r.flush(pc + 1)
		case d.member(&in) && d.native(&in):
			if r.spoils(&in) || len(r.code) == maxRun || r.parts(&in) {
				r.flush(pc)
			}
			single := r.spoils(&in) // a load that writes its own index
			r.note(&in)
			r.rename(&in)
			for _, x := range [...]isa.Reg{in.A, in.B, in.C, in.D} {
				if x.IsScalar() {
					r.reads[x] = true
				}
			}
			r.code, r.at = append(r.code, in), append(r.at, pc)
			if single {
				r.flush(pc + 1)
			}
		case len(r.code) > 0 && early(&in) && (!r.faulty || pure(&in)):
			r.rename(&in)
			r.write(&in.Dst)
			d.uniform(&in, pc)
		default:
			r.flush(pc)
			d.uniform(&in, pc)
		}
	}
	r.flush(end)
}

// spoils says whether an instruction, put behind the run as it is, makes one with
// loads that changes its own inputs.
func (r *runs) spoils(in *isa.Inst) bool {
	if r.slotted == 0 && !r.late(in) {
		return false
	}
	own := r.own[:0]
	dst := r.reading(in, func(p isa.VectorReg) { own = append(own, p) })
	r.own = own
	return r.spoiled || r.inputs[dst] || slices.Contains(own, dst) || r.loads && in.Op == isa.OpStore
}

// late says whether an instruction, put behind the run, may refuse it when a part of it is done. Divisors
// that the run has not computed can be looked at before.
func (r *runs) late(in *isa.Inst) bool {
	switch in.Op {
	case isa.OpLoad:
		return in.B.IsVector() && !r.foreseen(in)
	case isa.OpStore:
		return Apart(in) && !r.foreseen(in)
	case isa.OpBlockLoad:
		return true
	}
	return Divides(in) && in.B.IsVector() && r.written[isa.VectorReg{Bank: in.Type.Bank(), Index: in.B.Index()}]
}

// foreseen says whether an instruction accesses private memory at indices that the run has not computed. They can be
// looked at before.
func (r *runs) foreseen(in *isa.Inst) bool {
	return Apart(in) && !r.written[isa.VectorReg{Bank: in.Idx.Type().Bank(), Index: in.B.Index()}]
}

// mayDivideByZero says whether an instruction is a division by anything but a constant.
func (r *runs) mayDivideByZero(in *isa.Inst) bool {
	if !Divides(in) {
		return false
	}
	n, ok := r.constant(in.B)
	return !ok || n<<(64-in.Type.Bits()) == 0
}

// note enters an instruction's registers into what is known of the run.
func (r *runs) note(in *isa.Inst) {
	if r.late(in) {
		r.slotted++
	}
	r.faulty = r.faulty || in.Op == isa.OpLoad || in.Op == isa.OpStore || r.late(in) || r.mayDivideByZero(in)
	r.loads = r.loads || in.Op == isa.OpLoad && (Row(in) || Apart(in))
	r.crosses, r.particular = r.crosses || Crosses(in), r.particular || particular(in)
	if r.isLong(in) {
		r.long = true
	} else {
		r.short = true
	}
	dst := r.reading(in, func(p isa.VectorReg) { r.inputs[p] = true })
	r.spoiled = r.spoiled || r.inputs[dst] || r.loads && in.Op == isa.OpStore
	r.written[dst] = true
}

// reading calls f for the vector registers that an instruction reads and the run has not
// written, and returns the one that the instruction writes.
func (r *runs) reading(in *isa.Inst, f func(isa.VectorReg)) isa.VectorReg {
	d, t := r.kernel.Operands(in, func(x isa.Reg, t isa.Type) {
		if !x.IsVector() {
			return
		}
		if p := (isa.VectorReg{Bank: t.Bank(), Index: x.Index()}); !r.written[p] {
			f(p)
		}
	})
	return isa.VectorReg{Bank: t.Bank(), Index: d.Index()}
}

// rename gives scalar operands their present names.
func (r *runs) rename(in *isa.Inst) {
	for _, x := range [...]*isa.Reg{&in.A, &in.B, &in.C, &in.D} {
		if n, ok := r.renamed[*x]; ok {
			*x = n
		}
	}
}

// write gives a scalar that is about to be written another name if the run still
// reads what it holds.
func (r *runs) write(dst *isa.Reg) {
	now, ok := r.renamed[*dst]
	if !ok {
		now = *dst
	}
	if r.reads[now] {
		r.fresh++
		if !ok {
			r.order = append(r.order, *dst)
		}
		now = isa.S(r.scratch + r.fresh)
		r.renamed[*dst] = now
		r.layout.Scalars = max(r.layout.Scalars, r.scratch+r.fresh+1)
	}
	*dst = now
}

// flush ends the run in front of the instruction at pc.
func (r *runs) flush(pc int) {
	if len(r.code) == 0 {
		return
	}
	run := &Run{Code: r.code, Keep: make([]bool, len(r.code)), layout: r.layout, kernel: r.kernel}
	r.shareSlots(run)
	for i, at := range r.at {
		u := r.used[at-r.start]
		run.Keep[i] = u.last >= pc || u.reaches && r.code[i].Flags&isa.FlagDense == 0
	}
	r.part(Part{Code: run.Code, At: r.at, Run: run})
	for _, x := range r.order {
		r.uniform(&isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: x, A: r.renamed[x]}, pc)
	}
	r.code, r.at, r.order, r.fresh = nil, nil, nil, 0
	r.slotted, r.spoiled, r.loads, r.faulty = 0, false, false, false
	r.crosses, r.particular, r.long, r.short = false, false, false, false
	clear(r.inputs)
	clear(r.written)
	clear(r.reads)
	clear(r.renamed)
}
