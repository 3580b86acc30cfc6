package interp

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// Accelerator does runs of instructions in the place of this package. A run
// is part of a block: instructions with a vector destination that touch
// registers only and cannot fault. Everything else, and what an accelerator does
// not take, stays here. An accelerator belongs to one kernel; its methods are
// called while that is compiled, one after the other.
type Accelerator interface {
	// Takes says whether the instruction can be part of a run. It is asked only
	// about those that [Movable] allows.
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
	code *code
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
	// Effective is a word for each chunk: the lanes that are to be written. Some
	// may be lanes that ended, which may be written or not. Results of instructions with
	// [isa.FlagDense] may be written to all lanes.
	Effective unsafe.Pointer
}

// The offsets of the fields of Frame, in bytes.
const (
	FrameBase      = unsafe.Offsetof(Frame{}.Base)
	FrameStride    = unsafe.Offsetof(Frame{}.Stride)
	FrameChunks    = unsafe.Offsetof(Frame{}.Chunks)
	FrameScalars   = unsafe.Offsetof(Frame{}.Scalars)
	FrameEffective = unsafe.Offsetof(Frame{}.Effective)
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
	r := &runs{decoder: d, reads: map[isa.Reg]bool{}, renamed: map[isa.Reg]isa.Reg{}, start: start, used: d.usages(start, end+1)}
	for pc := start; pc < end; pc++ {
		in := d.kernel.Code[pc]
		switch {
		case Movable(&in) && d.accel.Takes(&in):
			r.rename(&in)
			for _, x := range [...]isa.Reg{in.A, in.B, in.C, in.D} {
				if x.IsScalar() {
					r.reads[x] = true
				}
			}
			r.code, r.at = append(r.code, in), append(r.at, pc)
		case len(r.code) > 0 && early(&in):
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
	run := &Run{Code: r.code, Keep: make([]bool, len(r.code)), code: r.decoder.code}
	for i, at := range r.at {
		u := r.used[at-r.start]
		run.Keep[i] = u.last >= pc || u.reaches && r.code[i].Flags&isa.FlagDense == 0
	}
	if f := r.accel.Compile(run); f != nil {
		r.emit(inst{fn: runNative, pc: r.at[0], src: &r.kernel.Code[r.at[0]], aux: &aux{native: f}})
	} else {
		for i, at := range r.at {
			r.replaced = &run.Code[i]
			r.inst(at)
		}
		r.replaced = nil
	}
	for _, x := range r.order {
		r.emit(inst{fn: movScalar, pc: pc, src: &r.kernel.Code[pc], d: uint32(x.Index()), a: uint32(r.renamed[x].Index())})
	}
	r.code, r.at, r.order, r.fresh = nil, nil, nil, 0
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
