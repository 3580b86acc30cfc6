package interp

import (
	"math"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	waves "github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
)

// stretch is how many instructions machine code does for a chunk before it returns, so that the caller can
// look at whether it should go on: it cannot be interrupted. At 2 to 16 ns each that is 12 to 100 µs; longer
// makes nothing faster.
const stretch = 6_000

// loopSkip is how many trips a loop is done without a slot that cannot be filled in.
const loopSkip = 64

// startNative prepares the frame for a wave of so many chunks.
func (w *wave) startNative(chunks int) {
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
	if k := (slotKey{l, l.Memory, w.lds}); k != w.slotKey {
		w.slotKey = k
		for i := range w.slots {
			w.slots[i] = waves.Slot{Key: noKey}
		}
	}
}

// slotKey is what wave.slots are filled in for.
type slotKey struct {
	launch *engine.Launch
	mem    *memory.Global
	lds    *memory.Local
}

// newNative allocates what the frame points to.
func (w *wave) newNative() {
	w.slots = make([]waves.Slot, len(w.code.places))
	for i := range w.slots {
		w.slots[i].Key = noKey
	}
	for i := range w.code.places {
		if p := &w.code.places[i]; p.Row && p.Fixed && p.write {
			w.rowWritten[p.alloc-1] = true
		}
	}
	f := &w.Frame
	f.Base, f.Stride, f.Words = w.base, w.stride, uintptr(w.words)
	f.Scalars = unsafe.Pointer(unsafe.SliceData(w.s))
	f.Exec, f.Live = unsafe.Pointer(unsafe.SliceData(w.masksMu[w.words:])), unsafe.Pointer(unsafe.SliceData(w.masksMu))
	f.Wait, f.Waiting = unsafe.Pointer(unsafe.SliceData(w.wait)), unsafe.Pointer(unsafe.SliceData(w.waiting))
	f.Slots, f.Saved = unsafe.Pointer(unsafe.SliceData(w.slots)), unsafe.Pointer(new(waves.Registers))
	if n := w.code.undo / 8 * uintptr(w.words); n > 0 {
		w.Undo = unsafe.Pointer(unsafe.SliceData(make([]uint64, n)))
	}
	for i, list := range w.ids {
		w.IDs[i] = unsafe.Pointer(unsafe.SliceData(list))
	}
}

// runNative is Run for a wave that has machine code.
func (w *wave) runNative(quantum int) engine.Stop {
	c := w.code
	budget := quantum
	if budget <= 0 {
		budget = math.MaxInt
	}
	slice := w.slice
	if w.pipes != nil {
		slice = 1
	}
	cancel := w.group.Launch.Cancel
	if cancel != nil && cancel.Load() {
		slice = 1
	}
	given := min(slice, budget)
	w.Fuel, w.Point = given, w.blocks[w.Cur].entry
	for {
		w.Ration, w.Proven = w.ration, 0
		c.native(&w.Frame)
		if w.More != w.allowed {
			w.catchUp()
		}
		if w.Exit == waves.ExitDone {
			w.end()
			w.running = false
			return engine.StopDone
		}
		if w.Exit != waves.ExitFuel {
			at := c.points[w.Point]
			w.Cur = at.block
			b := &w.blocks[at.block]
			switch {
			case w.Exit == waves.ExitLoop:
				if !w.fillSlot(int(w.LoopSlot)) {
					w.LoopSkip = loopSkip
				}
				continue
			case at.part < 0: // a hyperblock that needs its slots
				w.Plain = !w.fillHyper(c.hyper[at.block])
				continue
			case w.Exit == waves.ExitRation || w.Exit == waves.ExitSlots && w.fill(&b.parts[at.part]):
				continue
			case at.part < len(b.parts):
				if w.Changed {
					w.setExec()
				}
				p := b.parts[at.part].insts
				for i := range p {
					in := &p[i]
					if in.fn(w, in); w.faulted {
						w.uncount(w.fault.PC)
						return engine.StopFault
					}
				}
				w.Point++
				continue
			}
			if w.Changed {
				w.setExec()
			}
			ok := w.leave(&b.end)
			if w.faulted {
				return engine.StopFault
			}
			if !ok {
				w.running = false
				return w.idle()
			}
			w.Point = w.blocks[w.Cur].entry
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
		w.Fuel, w.Point = given, w.blocks[w.Cur].entry
	}
}

// fill fills in the slots of a part. It says whether all its pointers lead to memory.
func (w *wave) fill(p *part) bool {
	list := []Place(nil)
	switch {
	case p.Run != nil:
		list = p.Run.Places
	case p.Place != nil:
		return w.fillSlot(p.Place.Slot)
	case p.Copy != nil:
		return w.fillCopy(p.Copy)
	}
	for i := range list {
		if !w.fillSlot(list[i].Slot) {
			return false
		}
	}
	return true
}

func (w *wave) fillSlot(n int) bool {
	s, x := &w.slots[n], &w.code.places[n]
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
		room, last, _ := w.private(&x.in, x.size)
		if room == nil {
			return false
		}
		w.rowWritten[p.Alloc()-1] = w.rowWritten[p.Alloc()-1] || x.write
		*s = waves.Slot{Key: key, Base: room, Last: last}
		return true
	}
	mem, last := w.target(&x.in, p, x.size, access(x.in.src))
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
