package vm

import (
	"sync"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// File is a file of registers.
type File uint8

// The files.
const (
	Vectors File = iota
	Masks
	files
)

// Target says which registers of the processor the allocator may choose, a bit each, and where it spills.
type Target struct {
	Registers [2]uint32   // by [File]
	Width     amd64.Width // of a vector register
	// Base holds the address of the spill slots. Load is emitted where [Func.LoadBase] was called, if there
	// are any.
	Base amd64.Reg
	Load amd64.Mem
}

// SlotBytes is the size of a spill slot.
const SlotBytes = 64

// Func is a function in machine form. Its methods do not return errors: [Func.Finish] does. What it does not
// define itself goes to the assembler at once: labels, constants and tables.
type Func struct {
	*amd64.Assembler
	*memory
	target Target

	watchers []func([]amd64.Operand)
	texts    []string // of notes and sections

	// Code that is emitted later: what is waiting, and the chunks that have been emitted. The first chunk is
	// what is not.
	waiting []deferred
	chunks  []chunk

	slots []int32 // by spill slot: the position behind which it may be used again
	check bool    // see Check
}

// kind is the kind of an instruction.
type kind uint8

const (
	kindVector kind = iota
	kindGeneral
	kindJmp
	kindJcc
	kindCMov
	kindSet
	kindBind
	kindAlign
	kindNote
	kindSection
	kindWatch // see Func.Watch
	kindBase  // see Func.LoadBase
)

// inst is an instruction.
type inst struct {
	kind  kind
	code  uint32 // amd64.Op, Gen, Cond, an alignment, or a number in watchers or texts
	size  uint8  // amd64.Width or Size
	n     uint8  // operands
	gone  bool   // a copy that the allocator has made superfluous
	first int32  // of its operands
	label amd64.Label
}

// virtual is a virtual register.
type virtual struct {
	file    File
	made    int32 // the instruction behind which it was made
	remade  bool  // whoever made it says that its definition may be repeated: see Rematerialise
	fixed   bool  // it says that it may not
	define  int32 // the only instruction that writes it; -1 before one does, -2 if several do
	reading amd64.Width
}

type deferred struct {
	chunk, at int
	f         func()
}

// chunk is a range of instructions that are emitted next to each other. In linear order it stands in another
// chunk, in front of an instruction.
type chunk struct{ parent, at, from, end int }

// memory is what functions need much of. One takes over from another that is finished.
type memory struct {
	insts    []inst
	operands []amd64.Operand // of all instructions, one after the other
	virtuals []virtual
	flow     flow
	alloc    allocator
}

var memories = sync.Pool{New: func() any { return &memory{} }}

// New begins a function of about so many instructions that is emitted through a.
func New(a *amd64.Assembler, t Target, about int) *Func {
	m := memories.Get().(*memory)
	if cap(m.insts) < about {
		m.insts, m.operands = make([]inst, 0, about), make([]amd64.Operand, 0, 2*about)
	}
	return &Func{Assembler: a, memory: m, target: t, chunks: []chunk{{parent: -1}}}
}

// release gives the memory of a finished function to the next.
func (f *Func) release() {
	m := f.memory
	clear(m.operands) // which keep other memory
	m.insts, m.operands, m.virtuals = m.insts[:0], m.operands[:0], m.virtuals[:0]
	m.alloc.Func, m.alloc.g = nil, nil
	f.memory = nil
	memories.Put(m)
}

// zeros returns n zeros, in the place of what s was where there is room.
func zeros[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// Check has [Func.Finish] follow the values through the code and fail where a register does not hold what an
// instruction reads from it.
func (f *Func) Check() { f.check = true }

func (f *Func) newVirtual(file File) uint32 {
	made := len(f.insts) - 1 // what comes next may be the beginning of a loop
	if made < f.chunks[len(f.chunks)-1].from {
		made++
	}
	f.virtuals = append(f.virtuals, virtual{file: file, made: int32(made), define: -1})
	return uint32(amd64.Virtual + len(f.virtuals) - 1)
}

// NewVec returns a new virtual vector register, which holds anything.
func (f *Func) NewVec() amd64.Vec { return amd64.Vec(f.newVirtual(Vectors)) }

// NewMask returns a new virtual mask register, which holds anything.
func (f *Func) NewMask() amd64.Mask { return amd64.Mask(f.newVirtual(Masks)) }

// Rematerialise says that the instruction that defines x gives the same value wherever x is used: it is
// repeated there instead of keeping x in memory. That goes without saying for constants.
func (f *Func) Rematerialise(x amd64.Vec) {
	if x >= amd64.Virtual {
		f.virtuals[x-amd64.Virtual].remade = true
	}
}

// Keep takes [Func.Rematerialise] back.
func (f *Func) Keep(x amd64.Vec) {
	if x >= amd64.Virtual {
		f.virtuals[x-amd64.Virtual].fixed = true
	}
}

func (f *Func) append(i inst, operands ...amd64.Operand) {
	i.first, i.n = int32(len(f.operands)), uint8(len(operands))
	f.operands = append(f.operands, operands...)
	f.insts = append(f.insts, i)
}

// V appends a vector instruction, as [amd64.Assembler.V].
func (f *Func) V(op amd64.Op, w amd64.Width, operands ...amd64.Operand) {
	f.append(inst{kind: kindVector, code: uint32(op), size: uint8(w)}, operands...)
}

// G appends an instruction on general registers.
func (f *Func) G(op amd64.Gen, s amd64.Size, operands ...amd64.Operand) {
	f.append(inst{kind: kindGeneral, code: uint32(op), size: uint8(s)}, operands...)
}

// CMov appends a conditional move.
func (f *Func) CMov(c amd64.Cond, s amd64.Size, r amd64.Reg, from amd64.Operand) {
	f.append(inst{kind: kindCMov, code: uint32(c), size: uint8(s)}, r, from)
}

// Set appends an instruction that makes an operand of 8 bits 1 if c holds, otherwise 0.
func (f *Func) Set(c amd64.Cond, to amd64.Operand) {
	f.append(inst{kind: kindSet, code: uint32(c)}, to)
}

// Jmp goes to l.
func (f *Func) Jmp(l amd64.Label) { f.append(inst{kind: kindJmp, label: l}) }

// Jcc goes to l if c holds.
func (f *Func) Jcc(c amd64.Cond, l amd64.Label) {
	f.append(inst{kind: kindJcc, code: uint32(c), label: l})
}

// Bind puts l here.
func (f *Func) Bind(l amd64.Label) { f.append(inst{kind: kindBind, label: l}) }

// Align aligns what comes next.
func (f *Func) Align(n int) { f.append(inst{kind: kindAlign, code: uint32(n)}) }

// Note puts a line of text between the instructions of a listing.
func (f *Func) Note(text string) { f.text(kindNote, text) }

// Section begins a section of a listing.
func (f *Func) Section(title string) { f.text(kindSection, title) }

func (f *Func) text(k kind, text string) {
	if f.Lists() {
		f.texts = append(f.texts, text)
		f.append(inst{kind: k, code: uint32(len(f.texts) - 1)})
	}
}

// LoadBase is where the register with the address of the spill slots is loaded.
func (f *Func) LoadBase() { f.append(inst{kind: kindBase}) }

// Watch tells look, once registers are assigned, those of some operands: the first is read and written, the
// others are read. Control leaves the function here and comes back at resume, with all registers as they are.
func (f *Func) Watch(resume amd64.Label, look func([]amd64.Operand), operands ...amd64.Operand) {
	f.watchers = append(f.watchers, look)
	f.append(inst{kind: kindWatch, code: uint32(len(f.watchers) - 1), label: resume}, operands...)
}

// Later has emit append code that is seldom run, behind the rest: it does so when [Func.RunLater] is called.
// Jumps lead there from what is in front of this place, and back behind it.
func (f *Func) Later(emit func()) {
	f.waiting = append(f.waiting, deferred{len(f.chunks) - 1, len(f.insts), emit})
}

// RunLater appends what [Func.Later] has been told, and what that tells it in turn.
func (f *Func) RunLater() {
	f.chunks[len(f.chunks)-1].end = len(f.insts)
	for len(f.waiting) > 0 {
		list := f.waiting
		f.waiting = nil
		for _, d := range list {
			f.chunks = append(f.chunks, chunk{parent: d.chunk, at: d.at, from: len(f.insts)})
			d.f()
			f.chunks[len(f.chunks)-1].end = len(f.insts)
		}
	}
	f.chunks = append(f.chunks, chunk{parent: -1, from: len(f.insts)})
}

// Finish chooses registers and returns the code. Nothing can be appended to the function afterwards.
func (f *Func) Finish() ([]byte, error) {
	if err := f.Assign(f.Assembler); err != nil {
		return nil, err
	}
	return f.Assembler.Finish()
}

// Assign chooses registers and passes the instructions on, to be finished by whoever takes them. The function
// ends with that.
func (f *Func) Assign(to Emitter) error {
	f.chunks[len(f.chunks)-1].end = len(f.insts)
	g := f.analyse()
	a := newAllocator(f, g)
	a.run()
	if f.check {
		if err := a.verify(); err != nil {
			return err
		}
	}
	a.emit(to)
	f.release()
	return nil
}

// Slots is how many spill slots the function has, once it is finished.
func (f *Func) Slots() int { return len(f.slots) }

// at returns the operands of an instruction.
func (f *Func) at(i *inst) []amd64.Operand { return f.operands[i.first : i.first+int32(i.n)] }

// virtualOf returns the number of the virtual register that an operand has, or -1.
func virtualOf(o amd64.Operand) int32 {
	switch o := o.(type) {
	case amd64.Vec:
		return int32(o) - amd64.Virtual
	case amd64.Mask:
		return int32(o) - amd64.Virtual
	case amd64.Mem:
		if x, ok := o.VectorIndex(); ok {
			return int32(x) - amd64.Virtual
		}
	case amd64.Pred:
		return int32(o.Mask()) - amd64.Virtual
	}
	return -1
}

// withRegister returns an operand with register r in the place of a virtual one.
func withRegister(o amd64.Operand, r int8) amd64.Operand {
	switch o := o.(type) {
	case amd64.Vec:
		return amd64.Vec(r)
	case amd64.Mask:
		return amd64.Mask(r)
	case amd64.Mem:
		return o.WithVectorIndex(amd64.Vec(r))
	case amd64.Pred:
		return o.With(amd64.Mask(r))
	}
	return o
}
