package interp

import (
	"math"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	waves "github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Prepared is a kernel that this package can run, and for which another engine may make machine code.
type Prepared struct {
	*compiledKernel
}

// Prepare is [Engine.Compile] for an engine that makes machine code.
func Prepare(p *isa.Program, k *isa.Kernel) (Prepared, error) {
	c, err := compile(p, k)
	return Prepared{c}, err
}

// Code returns the kernel without machine code.
func (p Prepared) Code() engine.Code { return p.compiledKernel }

// Layout returns where the kernel's registers and private memory are. The caller may add registers to it.
func (p Prepared) Layout() *waves.Layout {
	l := p.layout
	return &l
}

// Steady says that a wave can begin anew without anything being done about registers and private memory.
func (p Prepared) Steady() bool { return p.steady }

// MachineCode is what another engine has made of a kernel, and what this package does where that comes
// back: it does the instructions of a resume point one after the other, and fills in slots.
type MachineCode struct {
	// Run runs the kernel, for the lanes of a wave, from [waves.Frame.Point] on. It is called from many
	// goroutines, each with a Frame of its own.
	Run func(f *waves.Frame)
	// Layout is that of [Prepared.Layout], with the registers that the code has added.
	Layout *waves.Layout
	// Points are the places at which code can begin or come back, in the order of the kernel.
	Points []Point
	// Places are what slots are filled in from, by number.
	Places []waves.Place
	// Undo is how many bytes of [waves.Frame.Undo] the code needs for each chunk.
	Undo uintptr
	// Spill is how many bytes of [waves.Frame.Spill] it needs.
	Spill uintptr
}

// Point is a place at which machine code can begin or come back. Code comes back there for one of the
// reasons of [waves.Exit].
type Point struct {
	Block int
	Kind  PointKind
	// Code is what this package does after [waves.ExitPart], and At where each instruction is in the kernel.
	Code []isa.Inst
	At   []int
	// Slots are those to be filled in after [waves.ExitSlots].
	Slots []int
	// Copy says that the slots are the destination and the source of a copy between global memory and LDS.
	Copy bool
}

// PointKind says where in its block a point is.
type PointKind uint8

// The kinds.
const (
	PointEntry PointKind = iota // where the block is entered; its slots are those of a hyperblock
	PointPart                   // between two instructions
	PointEnd                    // in front of the terminator
)

// With gives the kernel machine code. Nothing else may use the kernel before.
func (p Prepared) With(m MachineCode) engine.Code {
	c := p.compiledKernel
	c.layout = *m.Layout
	n := &native{run: m.Run, undo: m.Undo, spill: m.Spill, entries: make([]int, len(c.kernel.Blocks)), written: make([]bool, len(c.privSize))}
	for i := range m.Points {
		x := &m.Points[i]
		if x.Kind == PointEntry {
			n.entries[x.Block] = i
		}
		n.points = append(n.points, point{block: x.Block, kind: x.Kind, insts: c.sequence(x.Code, x.At), slots: x.Slots, copies: x.Copy})
	}
	for i := range m.Places {
		x := slotPlace{Place: m.Places[i]}
		x.in.src = &x.Access
		d := decoder{compiledKernel: c}
		d.addressing(&x.in)
		if x.Row && x.Fixed && x.Write {
			n.written[x.Alloc-1] = true
		}
		n.places = append(n.places, x)
	}
	for i := range c.kernel.Code {
		if in := &c.kernel.Code[i]; in.Op == isa.OpBuiltin && isa.Builtin(in.Imm).PerLane() {
			c.usesIDs = true // machine code has arrays for all of them
		}
	}
	c.native = n
	return c
}

// native is the machine code of a kernel.
type native struct {
	run     func(*waves.Frame)
	points  []point
	entries []int // by block, the number of its entry
	places  []slotPlace
	undo    uintptr
	spill   uintptr
	written []bool // by private allocation: code writes it without a slot that is filled in
}

// point is a [Point] with its code decoded.
type point struct {
	block  int
	kind   PointKind
	insts  []inst
	slots  []int
	copies bool
}

// slotPlace is a [waves.Place] and what is needed to resolve pointers for it.
type slotPlace struct {
	waves.Place
	in inst // has the space
}

// stretch is how many instructions machine code does for a chunk before it returns, so that the caller can
// look at whether it should go on: it cannot be interrupted. At 2 to 16 ns each that is 12 to 100 µs; longer
// makes nothing faster.
const stretch = 6_000

// loopSkip is how many trips a loop is done without a slot that cannot be filled in.
const loopSkip = 64

// machine is what a wave needs for machine code, besides the frame.
type machine struct {
	slice   int    // back edges that machine code may take at once
	ration  int    // what Frame.Ration begins with
	allowed uint64 // what Frame.More was
	slots   []waves.Slot
	slotKey slotKey
	written []bool // by private allocation: machine code may have written it, without saying so
}

// slotKey is what machine.slots are filled in for.
type slotKey struct {
	launch *engine.Launch
	mem    *memory.Global
	lds    *memory.Local
}

// writes says whether machine code may have written a private allocation.
func (m *machine) writes(alloc int) bool { return m != nil && m.written[alloc] }

// slotsApart allocates slots that share no cache line with other memory, as wordsApart does words.
func slotsApart(n int) []waves.Slot {
	const pad = lineWords*8/int(waves.SlotSize) + 1
	return make([]waves.Slot, n+2*pad)[pad : pad+n : pad+n]
}

// newMachine allocates what the frame points to.
func (w *wave) newMachine() {
	n := w.code.native
	m := &machine{slots: slotsApart(len(n.places)), written: append([]bool(nil), n.written...)}
	w.machine = m
	m.clearSlots()
	f := &w.Frame
	f.Base, f.Stride, f.Words = w.base, w.stride, uintptr(w.words)
	f.Scalars = unsafe.Pointer(unsafe.SliceData(w.s))
	f.Exec, f.Live = unsafe.Pointer(unsafe.SliceData(w.masksMu[w.words:])), unsafe.Pointer(unsafe.SliceData(w.masksMu))
	f.Wait, f.Waiting = unsafe.Pointer(unsafe.SliceData(w.wait)), unsafe.Pointer(unsafe.SliceData(w.waiting))
	f.Slots, f.Saved = unsafe.Pointer(unsafe.SliceData(m.slots)), unsafe.Pointer(new(waves.Registers))
	if size := n.undo / 8 * uintptr(w.words); size > 0 {
		w.Undo = unsafe.Pointer(unsafe.SliceData(make([]uint64, size)))
	}
	if n.spill > 0 {
		room := make([]byte, n.spill+63)
		skip := -uintptr(unsafe.Pointer(unsafe.SliceData(room))) & 63
		w.Spill = unsafe.Pointer(&room[skip])
	}
	for i, list := range w.ids {
		w.IDs[i] = unsafe.Pointer(unsafe.SliceData(list))
	}
}

func (m *machine) clearSlots() {
	for i := range m.slots {
		m.slots[i] = waves.Slot{Key: waves.NoKey}
	}
}

// start prepares the frame for a wave of so many chunks.
func (m *machine) start(w *wave, chunks int) {
	m.slice = max(stretch/(len(w.code.kernel.Code)*max(chunks, 1)), 1)
	m.ration = max(stretch/(waves.RationEvery*max(chunks, 1)), 1) + 2 // a part takes two at most, and at the last it comes back
	w.Chunks, w.Lanes = uintptr(chunks), waves.LanesOf(w.subgroup())
	w.initValues()
	w.LoopSkip = 0
	w.Quiet = w.group.DMA != nil && w.group.DMA.Immediate()
	if w.group.DMA != nil {
		w.Event = unsafe.Pointer(w.group.DMA.LastEvent())
	}
	if lds := w.lds.Bytes(); len(lds) > 0 {
		w.LDS, w.Lines = unsafe.Pointer(unsafe.SliceData(lds)), uintptr(len(lds)/memory.Alignment)
	} else {
		w.LDS, w.Lines = nil, 0
	}
	l := w.group.Launch
	if k := (slotKey{l, l.Memory, w.lds}); k != m.slotKey {
		m.slotKey = k
		m.clearSlots()
	}
}

// allow lets machine code go on with some of the next groups.
func (m *machine) allow(w *wave, more uint64) {
	if !w.code.steady || w.group.Launch.Poison != 0 && w.lds != nil { // machine code clears LDS itself
		return
	}
	g := w.group
	w.More = min(more, g.Launch.Groups[0]-1-g.ID[0])
	m.allowed = w.More
}

// catchUp finds out how many groups machine code has gone on.
func (m *machine) catchUp(w *wave) {
	n := m.allowed - w.More
	m.allowed = w.More
	w.swept += n
	w.group.ID[0] += n
	w.group.Linear += n
}

// runNative is Run for a wave that has machine code.
func (w *wave) runNative(quantum int) engine.Stop {
	n, m := w.code.native, w.native
	budget := quantum
	if budget <= 0 {
		budget = math.MaxInt
	}
	slice := m.slice
	if w.pipes != nil {
		slice = 1
	}
	cancel := w.group.Launch.Cancel
	if cancel != nil && cancel.Load() {
		slice = 1
	}
	given := min(slice, budget)
	w.Fuel, w.Point = given, n.entries[w.Cur]
	for {
		w.Ration, w.Proven = m.ration, 0
		n.run(&w.Frame)
		if w.More != m.allowed {
			m.catchUp(w)
		}
		if w.Exit == waves.ExitDone {
			w.end()
			w.running = false
			return engine.StopDone
		}
		if w.Exit != waves.ExitFuel {
			at := &n.points[w.Point]
			w.Cur = at.block
			switch {
			case w.Exit == waves.ExitLoop:
				if !w.resolve(int(w.LoopSlot)) {
					w.LoopSkip = loopSkip
				}
				continue
			case at.kind == PointEntry: // a hyperblock that needs its slots
				w.Plain = !w.fill(at)
				continue
			case w.Exit == waves.ExitRation || w.Exit == waves.ExitSlots && w.fill(at):
				continue
			case at.kind == PointPart:
				if w.Changed {
					w.setExec()
				}
				if !w.step(at.insts) {
					return engine.StopFault
				}
				w.Point++
				continue
			}
			if w.Changed {
				w.setExec()
			}
			w.withoutCode(w.blocks[at.block].end.pc)
			ok := w.leave(&w.blocks[at.block].end)
			if w.faulted {
				return engine.StopFault
			}
			if !ok {
				w.running = false
				return w.idle()
			}
			w.Point = n.entries[w.Cur]
			if w.Cur > at.block {
				continue
			}
			if w.Fuel--; w.Fuel > 0 {
				continue
			}
		}
		if cancel != nil && cancel.Load() {
			w.running = true
			return engine.StopCancelled
		}
		if budget -= given; budget == 0 || w.pipes != nil && w.pipes.gaveNothing() {
			w.running = true
			return engine.StopQuantum
		}
		given = min(slice, budget)
		w.Fuel, w.Point = given, n.entries[w.Cur]
	}
}

// withoutCode counts an instruction that machine code leaves to this package.
func (w *wave) withoutCode(pc int) {
	if p := w.group.Launch.Portable; p != nil {
		p.Add(pc, w.Active)
	}
}

// step does instructions one after the other. It says whether all of them are done, and none has ended in a
// fault.
func (w *wave) step(insts []inst) bool {
	for i := range insts {
		in := &insts[i]
		w.withoutCode(in.pc)
		if in.fn(w, in); w.faulted {
			w.uncount(w.fault.PC)
			return false
		}
	}
	return true
}

// fill fills in the slots of a point. It says whether all their pointers lead to memory, those of a copy to
// memory of different spaces.
func (w *wave) fill(p *point) bool {
	if p.copies {
		return w.fillCopy(p.slots[0], p.slots[1])
	}
	for _, n := range p.slots {
		if !w.resolve(n) {
			return false
		}
	}
	return true
}

// fillCopy fills in the slots of a copy.
func (w *wave) fillCopy(to, from int) bool {
	space := func(slot int) memory.Space {
		return memory.Pointer(w.s[w.code.native.places[slot].Pointer.Index()]).Space()
	}
	if space(to) != space(from) && w.resolve(to) && w.resolve(from) {
		return true
	}
	w.machine.slots[to].Key, w.machine.slots[from].Key = waves.NoKey, waves.NoKey
	return false
}

// resolve fills in a slot for what its pointer leads to now. It says whether that is memory.
func (w *wave) resolve(n int) bool {
	s, x := &w.machine.slots[n], &w.code.native.places[n]
	k, i := 0, 0
	if x.Pointed {
		k, i = w.firstLane()
	}
	p := memory.Pointer(w.reg(x.Pointer, isa.I64, k, i))
	if p.Far() {
		return false // machine code comes here whatever the key is
	}
	key := uint64(p) >> memory.OffsetBits
	if s.Key == key {
		return true
	}
	if x.Row {
		room, last, _ := w.private(&x.in, x.Size)
		if room == nil {
			return false
		}
		if a := p.Alloc() - 1; x.Write {
			w.machine.written[a] = true
		}
		*s = waves.Slot{Key: key, Base: room, Last: last}
		return true
	}
	mem, last := w.target(&x.in, p, x.Size, access(&x.Access))
	if mem == nil {
		return false
	}
	t := waves.Slot{Key: key, Base: mem, Last: last}
	if x.Pointed {
		t.Limit = min(last, math.MaxInt32)
	}
	if x.Fixed {
		off := p.Offset() + x.Disp
		if off < 0 || uint64(off) > last {
			return false
		}
		t.Address, t.Limit = uintptr(unsafe.Add(mem, off)), min((last-uint64(off))/uint64(x.Scale), x.Most)
	}
	*s = t
	return true
}
