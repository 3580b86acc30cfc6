package native

import (
	"maps"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// pointedSlot has the slot filled in for the pointer of the first lane that runs.
func (k *builder) pointedSlot(part *plan.Part) {
	p, run := &part.Run.Places[0], part.Run
	found, again := k.NewLabel(), k.NewLabel()
	k.G(amd64.MOV, amd64.B64, x86.RegChunk, x86.Field(wave.FrameBase))
	k.G(amd64.MOV, amd64.B64, x86.RegExec, x86.Field(wave.FrameExec))
	k.G(amd64.MOV, amd64.B64, x86.RegChunks, x86.Field(wave.FrameChunks))
	k.Bind(again)
	k.G(amd64.MOV, amd64.B64, x86.RegTemp, amd64.Mem{Base: x86.RegExec})
	k.G(amd64.TEST, amd64.B64, x86.RegTemp, x86.RegTemp)
	k.Jcc(amd64.NotZero, found)
	k.G(amd64.ADD, amd64.B64, x86.RegChunk, x86.RegStride)
	k.next(x86.RegExec)
	k.G(amd64.DEC, amd64.B64, x86.RegChunks)
	k.Jcc(amd64.NotZero, again)
	k.Jmp(k.exit(part.Point, wave.ExitPart))
	k.Bind(found)
	k.G(amd64.TZCNT, amd64.B64, x86.RegTemp, x86.RegTemp)
	k.G(amd64.MOV, amd64.B64, x86.RegTemp, amd64.Mem{Base: x86.RegChunk, Index: x86.RegTemp, Scale: 8, Disp: int32(run.Offset(p.Pointer, isa.I64))})
	k.G(amd64.SHR, amd64.B64, x86.RegTemp, amd64.Imm(x86.OffsetBits))
	k.G(amd64.CMP, amd64.B64, x86.RegTemp, x86.SlotField(p.Slot, wave.SlotKey))
	k.Jcc(amd64.NotEqual, k.exit(part.Point, wave.ExitSlots))
}

// blockRooms works out where blocks may begin that a run accesses, so that all of it is inside.
func (k *builder) blockRooms(run *plan.Run, refuse amd64.Label) {
	type reach struct{ most, least int } // bytes of a lane behind the beginning, and of the last access
	reaches := map[int]reach{}
	for i := range run.Code {
		if in := &run.Code[i]; plan.Blocked(in) {
			n := in.Type.Bytes()
			r, ok := reaches[run.Slots[i]]
			if !ok {
				r.least = n
			}
			reaches[run.Slots[i]] = reach{max(r.most, (int(in.Imm)+1)*n), min(r.least, n)}
		}
	}
	if len(reaches) == 0 {
		return
	}
	k.G(amd64.MOV, amd64.B64, amd64.RCX, x86.Field(wave.FrameLanes))
	k.G(amd64.TEST, amd64.B64, amd64.RCX, amd64.RCX)
	k.Jcc(amd64.IsZero, refuse)
	for _, s := range slices.Sorted(maps.Keys(reaches)) {
		r := reaches[s]
		k.G(amd64.IMUL, amd64.B32, amd64.RDX, amd64.Mem{Base: amd64.RCX, Disp: int32(wave.LanesSize)}, amd64.Imm(r.most))
		k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.SlotField(s, wave.SlotLimit))
		k.G(amd64.ADD, amd64.B64, amd64.RAX, amd64.Imm(r.least))
		k.G(amd64.SUB, amd64.B64, amd64.RAX, amd64.RDX)
		k.Jcc(amd64.Below, refuse)
		k.G(amd64.MOV, amd64.B64, x86.SlotField(s, wave.SlotRoom), amd64.RAX)
	}
}
