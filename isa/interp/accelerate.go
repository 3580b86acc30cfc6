package interp

import (
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// maxRun bounds the instructions of a run, so that none takes long: machine code cannot be
// interrupted.
const maxRun = 1024

// Accelerator does runs of instructions in the place of this package. A run
// is part of a block: instructions with a vector destination that touch
// registers only and cannot fault, and loads of elements that an index of each lane
// selects. A store of such elements is a run of its own. Everything else, and what an accelerator does not take, stays here. An accelerator belongs to one kernel; its methods are
// called while that is compiled, one after the other.
type Accelerator interface {
	// Takes says whether the instruction can be part of a run. It is asked only
	// about those that [Movable] and [Indexed] allow.
	Takes(in *isa.Inst) bool
	// Compile returns what does the instructions of a run, for the lanes of a
	// wave, or nil if this package is to do so. The function is called from many
	// goroutines, each with a Frame of its own.
	Compile(r *Run) func(f *Frame)
}

// Run is a sequence of instructions for an [Accelerator].
type Run struct {
	// Code has the instructions. Their scalar operands may be registers that
	// the kernel does not have: those behind [isa.Kernel.NumScalar] hold values
	// that the kernel has in one register after the other.
	Code []isa.Inst
	// Keep says, for each instruction, whether its result is used behind the run.
	// Only those have to be in the register file at the end.
	Keep []bool
	// Slots has, for each instruction, the number of its place in [Frame.Slots]
	// if it is a load or store.
	Slots []int
	code  *code
}

// Offset returns where vector register reg, with elements of type t, lies in the
// registers of a chunk, in bytes: 64 elements one after the other, or, for B1,
// a word of 64 bits.
func (r *Run) Offset(reg isa.Reg, t isa.Type) uint32 { return r.code.offset(reg, t) }

// Kernel returns the kernel that the run is part of.
func (r *Run) Kernel() *isa.Kernel { return r.code.kernel }

// Frame is what a run works on: the registers of a wave and its lanes. Code made
// at run time reads it, so that the order and size of the fields are part of
// its meaning.
type Frame struct {
	// Base is the first chunk's registers, Stride the distance to the next, in
	// bytes, Chunks how many there are.
	Base   unsafe.Pointer
	Stride uintptr
	Chunks uintptr
	// Scalars is the scalar registers, 64 bits each.
	Scalars unsafe.Pointer
	// Exec is a word for each chunk: the lanes that run. Results of instructions with
	// [isa.FlagDense] may be written to all lanes.
	Exec unsafe.Pointer
	// Slots is an array of [Slot], one for each load or store of the run.
	Slots unsafe.Pointer
	// Refused is set by a function that cannot do the run, because an index
	// is beyond its slot's limit. This package then does all of it; what the
	// function has changed by then are registers that the run writes before it reads them,
	// never memory.
	Refused uint64
	// Call says that a function has not ended but wants something done for some lanes: a
	// number of its own, not 0. It goes on behind that when it is called again,
	// at Resume, an address in it, or 0 for its beginning.
	Call   uint64
	Resume uintptr
	// Saved is a [Registers], where the function leaves what it has in registers
	// meanwhile.
	Saved unsafe.Pointer
}

// Registers is the registers of a processor, as far as a function may have something in them.
type Registers struct {
	Vectors [32][64]byte
	Masks   [8]uint64
	General [16]uint64
}

// Slot is the memory that a load or store of a run works on: the element with index i of a lane, as an
// unsigned number, is at Address + i*Scale if i is at most Limit. Limit is such that
// i*Scale has less than 32 bits, the sign not counted.
type Slot struct {
	Address unsafe.Pointer
	Limit   uint64
}

// The offsets of the fields of Frame, in bytes.
const (
	FrameBase    = unsafe.Offsetof(Frame{}.Base)
	FrameStride  = unsafe.Offsetof(Frame{}.Stride)
	FrameChunks  = unsafe.Offsetof(Frame{}.Chunks)
	FrameScalars = unsafe.Offsetof(Frame{}.Scalars)
	FrameExec    = unsafe.Offsetof(Frame{}.Exec)
	FrameSlots   = unsafe.Offsetof(Frame{}.Slots)
	FrameRefused = unsafe.Offsetof(Frame{}.Refused)
	FrameCall    = unsafe.Offsetof(Frame{}.Call)
	FrameResume  = unsafe.Offsetof(Frame{}.Resume)
	FrameSaved   = unsafe.Offsetof(Frame{}.Saved)

	RegistersVectors = unsafe.Offsetof(Registers{}.Vectors)
	RegistersMasks   = unsafe.Offsetof(Registers{}.Masks)
	RegistersGeneral = unsafe.Offsetof(Registers{}.General)

	SlotAddress = unsafe.Offsetof(Slot{}.Address)
	SlotLimit   = unsafe.Offsetof(Slot{}.Limit)
	SlotSize    = unsafe.Sizeof(Slot{})
)

// Compile prepares a kernel as [Engine.Compile] does, with runs of instructions
// left to an accelerator; nil is none. It does so for launches without
// Launch.Check and Group.Watch only.
func Compile(p *isa.Program, k *isa.Kernel, a Accelerator) (engine.Code, error) {
	return compile(p, k, a)
}

// Movable says whether an instruction writes a vector register, reads registers
// only and cannot fault, so that it may be part of a [Run].
func Movable(in *isa.Inst) bool { return in.Dst.IsVector() && pure(in) }

// Indexed says whether an instruction loads or stores elements of memory behind a scalar pointer, each
// lane with an index of its own, so that it may be part of a [Run], or be one.
func Indexed(in *isa.Inst) bool {
	return (in.Op == isa.OpLoad && in.Dst.IsVector() || in.Op == isa.OpStore) && in.A.IsScalar() && in.Idx != isa.IdxNone && in.B.IsVector() &&
		in.Space != isa.SpacePrivate && in.Scale != 0 && in.Scale&(in.Scale-1) == 0 && in.Scale < 1<<16
}

// alone says whether an instruction may be a run, but not part of a longer one.
func alone(in *isa.Inst) bool { return in.Op == isa.OpStore && Indexed(in) }

// pure says whether all that an instruction does is to compute its result, which
// the execution mask does not change, from its operands.
func pure(in *isa.Inst) bool {
	switch in.Op {
	case isa.OpReadFirst, isa.OpBroadcastFirst, isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS, isa.OpPtrPack32, isa.OpPtrUnpack32:
		return false
	}
	switch in.Op.Info().Shape {
	case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeQuad, isa.ShapeSelect, isa.ShapeCompare, isa.ShapeConvert,
		isa.ShapePtrAdd, isa.ShapePtrDiff:
		return true
	}
	return false
}

// early says whether an instruction may be done before a run that stands before
// it: it computes a scalar from scalars. Divisions and loads may fault, but a run
// cannot, nor does it change memory, and nobody sees registers after a fault.
func early(in *isa.Inst) bool {
	if !in.Dst.IsScalar() || in.A.IsVector() || in.B.IsVector() || in.C.IsVector() || in.D.IsVector() {
		return false
	}
	switch in.Op {
	case isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS, isa.OpLoad, isa.OpBuiltin:
		return true
	}
	return pure(in)
}

// vectorReg is what a vector register is known by.
type vectorReg struct {
	bank  isa.Bank
	index int
}

// runs decodes the instructions [start, end) of a block, runs of them replaced.
type runs struct {
	*decoder
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
	slotted int  // loads and stores
	spoiled bool // it changes one of the former
	inputs  map[vectorReg]bool
	written map[vectorReg]bool
}

// usage is who reads an instruction's result: the last instruction of the block
// that does, or -1, and whether the end of the block is reached with the value in place.
type usage struct {
	last    int
	reaches bool
}

// usages returns who reads the vector results of the instructions [start, end).
func (d *decoder) usages(start, end int) []usage {
	list := make([]usage, end-start)
	now := map[vectorReg]usage{}
	at := func(p vectorReg) usage {
		u, ok := now[p]
		if !ok {
			u = usage{-1, true}
		}
		return u
	}
	for pc := end - 1; pc >= start; pc-- {
		var reads []vectorReg
		dst, t := visit(d.kernel, &d.kernel.Code[pc], func(r isa.Reg, t isa.Type) {
			if r.IsVector() {
				reads = append(reads, vectorReg{t.Bank(), r.Index()})
			}
		})
		if dst.IsVector() {
			p := vectorReg{t.Bank(), dst.Index()}
			list[pc-start] = at(p)
			now[p] = usage{-1, false}
		}
		for _, p := range reads {
			if u := at(p); u.last < 0 {
				u.last = pc
				now[p] = u
			}
		}
	}
	return list
}

// accelerated decodes the instructions of a block, [start, end) without the
// terminator, and replaces runs.
func (d *decoder) accelerated(start, end int) {
	r := &runs{decoder: d, inputs: map[vectorReg]bool{}, written: map[vectorReg]bool{}, reads: map[isa.Reg]bool{}, renamed: map[isa.Reg]isa.Reg{}, start: start, used: d.usages(start, end+1)}
	for pc := start; pc < end; pc++ {
		in := d.kernel.Code[pc]
		switch {
		case alone(&in) && d.accel.Takes(&in):
			r.flush(pc)
			r.code, r.at, r.slotted = append(r.code, in), append(r.at, pc), 1
			r.flush(pc + 1)
		case (Movable(&in) || Indexed(&in)) && d.accel.Takes(&in):
			if r.spoils(&in) || len(r.code) == maxRun {
				r.flush(pc)
			}
			if r.spoils(&in) {
				d.inst(pc)
				continue
			}
			r.note(&in)
			r.rename(&in)
			for _, x := range [...]isa.Reg{in.A, in.B, in.C, in.D} {
				if x.IsScalar() {
					r.reads[x] = true
				}
			}
			r.code, r.at = append(r.code, in), append(r.at, pc)
		case len(r.code) > 0 && early(&in) && (r.slotted == 0 || pure(&in)):
			r.rename(&in)
			r.write(&in.Dst)
			d.replaced = &in
			d.inst(pc)
			d.replaced = nil
		default:
			r.flush(pc)
			d.inst(pc)
		}
	}
	r.flush(end)
}

// spoils says whether an instruction, put behind the run as it is, makes one with
// loads that changes its own inputs.
func (r *runs) spoils(in *isa.Inst) bool {
	own := map[vectorReg]bool{}
	dst := r.reading(in, func(p vectorReg) { own[p] = true })
	return (r.slotted > 0 || in.Op == isa.OpLoad) && (r.spoiled || r.inputs[dst] || own[dst])
}

// note enters an instruction's registers into what is known of the run.
func (r *runs) note(in *isa.Inst) {
	dst := r.reading(in, func(p vectorReg) { r.inputs[p] = true })
	r.spoiled = r.spoiled || r.inputs[dst]
	r.written[dst] = true
	if in.Op == isa.OpLoad {
		r.slotted++
	}
}

// reading calls f for the vector registers that an instruction reads and the run has not
// written, and returns the one that the instruction writes.
func (r *runs) reading(in *isa.Inst, f func(vectorReg)) vectorReg {
	d, t := visit(r.kernel, in, func(x isa.Reg, t isa.Type) {
		if !x.IsVector() {
			return
		}
		if p := (vectorReg{t.Bank(), x.Index()}); !r.written[p] {
			f(p)
		}
	})
	return vectorReg{t.Bank(), d.Index()}
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
		now = isa.S(int(r.scratch) + r.fresh)
		r.renamed[*dst] = now
		r.scalars = max(r.scalars, int(r.scratch)+r.fresh+1)
	}
	*dst = now
}

// flush ends the run in front of the instruction at pc.
func (r *runs) flush(pc int) {
	if len(r.code) == 0 {
		return
	}
	run := &Run{Code: r.code, Keep: make([]bool, len(r.code)), Slots: make([]int, len(r.code)), code: r.decoder.code}
	var slots []slotAccess
	for i, at := range r.at {
		u := r.used[at-r.start]
		if op := r.code[i].Op; op == isa.OpLoad || op == isa.OpStore {
			run.Slots[i] = len(slots)
			slots = append(slots, r.slotAccess(&run.Code[i], at))
		}
		run.Keep[i] = u.last >= pc || u.reaches && r.code[i].Flags&isa.FlagDense == 0
	}
	first := len(r.out)
	f := r.accel.Compile(run)
	if f == nil || r.slotted > 0 {
		for i, at := range r.at {
			r.replaced = &run.Code[i]
			r.inst(at)
		}
		r.replaced = nil
	}
	if f != nil {
		in := inst{fn: runNative, pc: r.at[0], src: &r.kernel.Code[r.at[0]], aux: &aux{native: f}}
		if r.slotted > 0 {
			in.fn = runOnMemory
			in.aux.slots, in.aux.portable = slots, slices.Clone(r.out[first:])
			r.slots = max(r.slots, len(slots))
		}
		r.out = append(r.out[:first], in)
	}
	for _, x := range r.order {
		r.emit(inst{fn: movScalar, pc: pc, src: &r.kernel.Code[pc], d: uint32(x.Index()), a: uint32(r.renamed[x].Index())})
	}
	r.code, r.at, r.order, r.fresh = nil, nil, nil, 0
	r.slotted, r.spoiled = 0, false
	clear(r.inputs)
	clear(r.written)
	clear(r.reads)
	clear(r.renamed)
}

// runNative does a run.
func runNative(w *wave, in *inst) { in.aux.native(&w.frame) }

// Operands calls use for each register that an instruction of kernel k reads, with its
// type, and returns the register that it writes, or isa.None, with its type.
func Operands(k *isa.Kernel, in *isa.Inst, use func(isa.Reg, isa.Type)) (isa.Reg, isa.Type) {
	return visit(k, in, use)
}

// slotAccess is a load or store of a run: the instruction and what its slot needs.
type slotAccess struct {
	in    inst
	size  uint64
	shift int
	most  uint64 // the greatest limit
}

// slotAccess decodes load or store s, which stands at pc, for its slot.
func (d *decoder) slotAccess(s *isa.Inst, pc int) slotAccess {
	in := inst{src: s, pc: pc}
	d.addressing(&in)
	l := slotAccess{in: in, size: uint64(in.src.Type.Bytes()), shift: bits.TrailingZeros32(in.src.Scale)}
	l.most = uint64(math.MaxInt32) >> l.shift
	return l
}

// runOnMemory does a run that loads or stores, if all its pointers lead to memory and no
// index is too large; otherwise the functions of this package do it, which know
// what else there is, and what is a fault.
func runOnMemory(w *wave, in *inst) {
	x := in.aux
	ok := true
	for i := range x.slots {
		l := &x.slots[i]
		mem, limit, off := w.flat(&l.in, l.size, access(l.in.src))
		if mem == nil || off < 0 || uint64(off) > limit {
			ok = false
			break
		}
		w.slots[i] = Slot{unsafe.Add(mem, off), min((limit-uint64(off))>>l.shift, l.most)}
	}
	if ok {
		w.frame.Refused = 0
		x.native(&w.frame)
		if w.frame.Refused == 0 {
			return
		}
	}
	for i := range x.portable {
		p := &x.portable[i]
		if p.fn(w, p); w.faulted {
			return
		}
	}
}
