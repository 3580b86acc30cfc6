package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// A load that is not allowed, or not known to be, ends a region as if it had never begun: the ordinary code
// then does as many trips at least as the region had done, so that no loop is done over and over. Before a
// chunk begins, what its groups are going to change is put into Frame.Undo: the lanes that run, and registers
// whose values are still of use.

const (
	undoHeader = 64 // bytes in front of the registers: the lanes that run, and booleans
	undoWords  = undoHeader/8 - 1
	undoSkip   = 63 // so many trips more than a region has done are left to the ordinary code
)

// saves returns the places that a region has to put back, and how many bytes a chunk needs.
func (r *region) saves() (list []resident, size uintptr) {
	size = undoHeader
	for _, h := range r.list {
		if bank, index := h.file(); h.kept && r.kernel.plan.Live(r.chain[0], bank, index) {
			list = append(list, h)
			size += 64 * uintptr(x86.TypeOf(bank).Bits()/8)
		}
	}
	return list, size
}

// eachSaved calls f for each piece of a chunk's registers that is saved: where it is, and where in the
// chunk's part of Frame.Undo.
func (r *region) eachSaved(undo amd64.Reg, f func(register, saved amd64.Mem)) {
	list, _ := r.saves()
	at, vector := int32(undoHeader), int32(r.ISA.Bits()/8)
	for _, h := range list {
		bank, index := h.file()
		t := x86.TypeOf(bank)
		from := int32(r.Run.Offset(isa.V(index), t))
		for n := int32(0); n < int32(64*t.Bits()/8); n += vector {
			f(amd64.Mem{Base: x86.RegChunk, Disp: from + n}, amd64.Mem{Base: undo, Disp: at})
			at += vector
		}
	}
}

// eachWord calls f for the lanes of a chunk that run and its booleans, likewise.
func (r *region) eachWord(undo amd64.Reg, f func(word, saved amd64.Mem)) {
	f(exec(0), amd64.Mem{Base: undo})
	for i, p := range r.carried {
		f(amd64.Mem{Base: x86.RegChunk, Disp: int32(r.Run.Offset(isa.V(p.Index), isa.B1))}, amd64.Mem{Base: undo, Disp: int32(8 * (i + 1))})
	}
}

// save saves what the groups of the chunk are going to change.
func (r *region) save() {
	k := r.kernel
	_, size := r.saves()
	k.plan.Undo = max(k.plan.Undo, size)
	k.G(amd64.MOV, amd64.B64, regPointer, x86.Field(wave.LoopUndo))
	r.eachWord(regPointer, func(word, saved amd64.Mem) {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, word)
		k.G(amd64.MOV, amd64.B64, saved, x86.RegTemp)
	})
	_, _, w := r.ISA.Every()
	r.eachSaved(regPointer, func(register, saved amd64.Mem) {
		x := r.Vec()
		k.V(amd64.VMOVDQU64, w, x, register)
		k.V(amd64.VMOVDQU64, w, saved, x)
	})
	k.G(amd64.ADD, amd64.B64, regPointer, amd64.Imm(size))
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.LoopUndo), regPointer)
}

// restore puts the registers of the present chunk back that have been saved where regPointer says.
func (r *region) restore() {
	_, _, w := r.ISA.Every()
	r.eachSaved(regPointer, func(register, saved amd64.Mem) {
		x := r.Vec()
		r.V(amd64.VMOVDQU64, w, x, saved)
		r.V(amd64.VMOVDQU64, w, register, x)
	})
}

// undo emits what comes of a load that is not allowed.
func (r *region) undo(ordinary amd64.Label) {
	k := r.kernel
	again, done := k.NewLabel(), k.NewLabel()
	_, size := r.saves()
	k.Bind(r.Refuse)
	k.G(amd64.ADD, amd64.B64, regTrip, amd64.Imm(undoSkip))
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameLoopSkip), regTrip)
	k.G(amd64.MOV, amd64.B64, regTrip, x86.RegChunk) // the last one that has begun
	k.G(amd64.MOV, amd64.B64, x86.RegChunk, x86.Field(wave.FrameBase))
	k.G(amd64.MOV, amd64.B64, x86.RegExec, x86.Field(wave.FrameExec))
	k.G(amd64.MOV, amd64.B64, regPointer, x86.Field(wave.FrameUndo))
	k.Bind(again)
	r.eachWord(regPointer, func(word, saved amd64.Mem) {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, saved)
		k.G(amd64.MOV, amd64.B64, word, x86.RegTemp)
	})
	k.G(amd64.MOV, amd64.B64, x86.RegTemp, amd64.Mem{Base: regPointer})
	k.G(amd64.NOT, amd64.B64, x86.RegTemp)
	for _, t := range r.exits() {
		if t < 0 {
			continue
		}
		r.waitAt(amd64.RCX, t)
		k.G(amd64.AND, amd64.B64, amd64.Mem{Base: amd64.RCX}, x86.RegTemp)
	}
	r.restore()
	k.G(amd64.CMP, amd64.B64, x86.RegChunk, regTrip)
	k.Jcc(amd64.Equal, done)
	k.G(amd64.ADD, amd64.B64, regPointer, amd64.Imm(size))
	k.G(amd64.ADD, amd64.B64, x86.RegChunk, x86.RegStride)
	k.G(amd64.ADD, amd64.B64, x86.RegExec, amd64.Imm(8))
	k.Jmp(again)
	k.Bind(done)
	for _, x := range r.writes {
		k.G(amd64.MOV, amd64.B64, x86.RegTemp, r.saved(x, 1))
		k.G(amd64.MOV, amd64.B64, x86.Scalar(x), x86.RegTemp)
	}
	k.Jmp(ordinary)
}
