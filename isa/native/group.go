package native

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// This file has what ends the instructions of all lanes together: barriers and the end of the kernel. Where a
// wave is the whole of its work-group (wave.Frame.All), machine code goes on by itself behind a barrier,
// and with the next group. Both take from the fuel, so that it comes back after a while.

// barrier ends a block with a barrier. Where some live lane is elsewhere, lanes have to wait.
func (k *builder) barrier(b *plan.Block) {
	in, leave := b.Terminator, k.exit(b.End, wave.ExitPart)
	everybody := wave.FrameAll
	if isa.Scope(in.Imm2) == isa.ScopeSubgroup {
		everybody = wave.FrameAlive
	}
	if in.Schedule() != isa.ScheduleUnordered || k.plan.Kernel.UsesAsync && everybody == wave.FrameAlive || k.plan.Kernel.UsesPipes {
		k.Jmp(leave)
		return
	}
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.FrameActive))
	k.G(amd64.CMP, amd64.B64, amd64.RAX, x86.Field(everybody))
	k.Jcc(amd64.NotEqual, leave)
	if everybody == wave.FrameAlive {
		// Nobody but this wave is concerned, and the way back to an earlier block is an edge like any other.
		k.G(amd64.INC, amd64.B64, counter(countBarriers))
		k.advance(in.Target0(), b.End)
		return
	}
	// With the last of the fuel it comes back behind the barrier, which is open.
	k.G(amd64.INC, amd64.B64, counter(countBarriers))
	k.G(amd64.DEC, amd64.B64, x86.Field(wave.FrameFuel))
	k.Jcc(amd64.IsZero, k.lastEdge(in.Target0()))
	k.Jmp(k.blocks[in.Target0()])
}

// ret ends a block with the end of the lanes that run.
func (k *builder) ret(b *plan.Block) {
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.FrameActive))
	k.G(amd64.CMP, amd64.B64, amd64.RAX, x86.Field(wave.FrameAlive))
	k.Jcc(amd64.Equal, k.following)
	k.returns = true
	from := k.block
	if k.hasSubgroupBarriers() {
		// It may be that others waited for these lanes.
		k.Jmp(k.exit(b.End, wave.ExitPart))
		return
	}
	k.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameMinWait), amd64.Imm(len(k.blocks)))
	k.Jcc(amd64.Equal, k.exit(b.End, wave.ExitPart)) // they are at barriers
	k.G(amd64.SUB, amd64.B64, x86.Field(wave.FrameAlive), amd64.RAX)
	k.G(amd64.MOV, amd64.B64, amd64.R8, x86.Field(wave.FrameLive))
	k.G(amd64.MOV, amd64.B64, amd64.R9, x86.Field(wave.FrameExec))
	k.chunks(func() {
		k.G(amd64.MOV, amd64.B64, amd64.RAX, amd64.Mem{Base: amd64.R9})
		k.G(amd64.NOT, amd64.B64, amd64.RAX)
		k.G(amd64.AND, amd64.B64, amd64.Mem{Base: amd64.R8}, amd64.RAX)
		k.next(amd64.R8, amd64.R9)
	})
	k.G(amd64.MOV, amd64.B32, amd64.RDX, amd64.Imm(from))
	k.Jmp(k.pick)
	k.queued = true
}

// hasSubgroupBarriers says whether the kernel has barriers of sub-groups.
func (k *builder) hasSubgroupBarriers() bool {
	for i := range k.plan.Kernel.Code {
		if in := &k.plan.Kernel.Code[i]; in.Op == isa.OpBarrier && isa.Scope(in.Imm2) == isa.ScopeSubgroup {
			return true
		}
	}
	return false
}

// followingStub is where all lanes have ended that there were. It goes on with the next work-group of the
// row, or comes back. RAX is the number of lanes.
func (k *builder) followingStub() {
	k.Align(16)
	k.Bind(k.following)
	done := k.leave(wave.ExitDone, wave.FramePoint)
	if !k.plan.Steady {
		k.Jmp(done)
		return
	}
	// Are all lanes that there were at the start still in the masks?
	k.G(amd64.CMP, amd64.B64, amd64.RAX, x86.Field(wave.FrameAll))
	k.Jcc(amd64.NotEqual, done)
	k.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameMore), amd64.Imm(0))
	k.Jcc(amd64.Equal, done)
	k.G(amd64.DEC, amd64.B64, x86.Field(wave.FrameFuel))
	k.Jcc(amd64.IsZero, done)
	k.G(amd64.DEC, amd64.B64, x86.Field(wave.FrameMore))
	value := func(b isa.Builtin) amd64.Mem { return x86.Field(wave.FrameValues + 8*uintptr(b)) }
	k.G(amd64.INC, amd64.B64, value(isa.BuiltinGroupID))
	k.G(amd64.MOV, amd64.B64, amd64.RAX, value(isa.BuiltinEnqueuedSize))
	k.G(amd64.ADD, amd64.B64, x86.Field(wave.FrameFirst), amd64.RAX)
	k.G(amd64.ADD, amd64.B64, x86.Field(wave.FrameOrigin), amd64.RAX)
	k.G(amd64.INC, amd64.B64, counter(countWaves))
	k.G(amd64.MOV, amd64.B64, amd64.RCX, x86.Field(wave.FrameLines))
	k.G(amd64.TEST, amd64.B64, amd64.RCX, amd64.RCX)
	k.Jcc(amd64.IsZero, k.blocks[0])
	const line = 64
	again := k.NewLabel()
	_, _, width := x86.SetOf(k.CPU).Every()
	k.V(amd64.VPXORD, width, amd64.Vec(0), amd64.Vec(0), amd64.Vec(0))
	k.G(amd64.MOV, amd64.B64, amd64.R8, x86.Field(wave.FrameLDS))
	k.Bind(again)
	for at := 0; at < line; at += width.Bytes() {
		k.V(amd64.VMOVDQU32, width, amd64.Mem{Base: amd64.R8, Disp: int32(at)}, amd64.Vec(0))
	}
	k.G(amd64.ADD, amd64.B64, amd64.R8, amd64.Imm(line))
	k.G(amd64.DEC, amd64.B64, amd64.RCX)
	k.Jcc(amd64.NotZero, again)
	k.Jmp(k.blocks[0])
}
