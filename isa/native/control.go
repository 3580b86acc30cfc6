package native

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// Control flow is what package interp does in wave.advance, wave.branch and wave.pick, instruction for
// instruction where anything can be seen of it: which lanes run, which wait where, and when a back edge
// counts.

const (
	countInstructions = unsafe.Offsetof(engine.Counters{}.Instructions)
	countLaneOps      = unsafe.Offsetof(engine.Counters{}.LaneOps)
	countBlocks       = unsafe.Offsetof(engine.Counters{}.Blocks)
	countLoads        = unsafe.Offsetof(engine.Counters{}.Loads)
	countStores       = unsafe.Offsetof(engine.Counters{}.Stores)
	countAtomics      = unsafe.Offsetof(engine.Counters{}.Atomics)
	countBarriers     = unsafe.Offsetof(engine.Counters{}.Barriers)
	countWaves        = unsafe.Offsetof(engine.Counters{}.Waves)
)

// terminator emits the end of a block.
func (k *builder) terminator(b *plan.Block) {
	in := b.Terminator
	switch {
	case in.Op == isa.OpBr:
		k.advance(in.Target0(), b.End)
	case in.Op == isa.OpBarrier:
		k.barrier(b)
	case in.Op == isa.OpRet && !k.plan.Kernel.UsesPipes:
		k.ret(b)
	case in.Op == isa.OpSwitch && in.A.IsScalar():
		k.switchScalar(b)
	case in.Op == isa.OpSwitch:
		k.switchVector(b)
	case in.Op != isa.OpBrCond || in.Flags&isa.FlagWait != 0:
		k.Jmp(k.exit(b.End, wave.ExitPart))
	case in.A.IsScalar():
		no := k.NewLabel()
		k.G(amd64.TEST, amd64.B8, x86.Scalar(in.A), amd64.Imm(1))
		k.Jcc(amd64.IsZero, no)
		k.advance(in.Target0(), b.End)
		k.Bind(no)
		k.advance(in.Target1(), b.End)
	default:
		k.branch(b)
	}
}

// advance takes all running lanes to block t.
func (k *builder) advance(t, end int) {
	slow := k.NewLabel()
	k.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameMinWait), amd64.Imm(t))
	k.Jcc(amd64.BelowEqual, slow)
	from := k.block
	if t <= from {
		k.G(amd64.DEC, amd64.B64, x86.Field(wave.FrameFuel))
		k.Jcc(amd64.IsZero, k.lastEdge(t))
	}
	k.Jmp(k.blocks[t])
	k.Later(func() {
		k.Bind(slow)
		k.unlessChoosy(end)
		k.G(amd64.MOV, amd64.B32, amd64.RAX, amd64.Imm(t))
		k.G(amd64.MOV, amd64.B32, amd64.RDX, amd64.Imm(from))
		k.Jmp(k.queue)
	})
	k.queued = true
}

// unlessChoosy leaves a block's end to package interp if lanes have been overtaken.
func (k *builder) unlessChoosy(end int) {
	if k.plan.Kernel.UsesPipes {
		k.G(amd64.CMP, amd64.B8, x86.Field(wave.FrameChoosy), amd64.Imm(0))
		k.Jcc(amd64.NotEqual, k.exit(end, wave.ExitPart))
	}
}

// lastEdge returns where a back edge to block t ends the function.
func (k *builder) lastEdge(t int) amd64.Label {
	l, ok := k.fuel[t]
	if ok {
		return l
	}
	l = k.NewLabel()
	k.fuel[t] = l
	k.Later(func() {
		k.Bind(l)
		k.G(amd64.MOV, amd64.B32, amd64.RAX, amd64.Imm(t))
		k.Jmp(k.leave(wave.ExitFuel, wave.FrameCur))
	})
	return l
}

// chunks emits body once, in a loop over the chunks of a wave. RCX counts them.
func (k *builder) chunks(body func()) {
	again := k.NewLabel()
	k.G(amd64.MOV, amd64.B64, amd64.RCX, x86.Field(wave.FrameChunks))
	k.Bind(again)
	body()
	k.G(amd64.DEC, amd64.B64, amd64.RCX)
	k.Jcc(amd64.NotZero, again)
}

// next moves registers that point to words to the next one.
func (k *builder) next(regs ...amd64.Reg) {
	for _, r := range regs {
		k.G(amd64.ADD, amd64.B64, r, amd64.Imm(8))
	}
}

// waitAt puts the address of the lanes that wait at a block into R8. The block is a number or in a register.
func (k *builder) waitAt(block amd64.Operand) {
	k.G(amd64.MOV, amd64.B64, amd64.R8, x86.Field(wave.FrameWords))
	switch b := block.(type) {
	case amd64.Imm:
		k.G(amd64.IMUL, amd64.B64, amd64.R8, amd64.R8, 8*b)
	case amd64.Reg:
		k.G(amd64.IMUL, amd64.B64, amd64.R8, b)
		k.G(amd64.SHL, amd64.B64, amd64.R8, amd64.Imm(3))
	}
	k.G(amd64.ADD, amd64.B64, amd64.R8, x86.Field(wave.FrameWait))
}

// branch ends a block whose lanes may part.
func (k *builder) branch(b *plan.Block) {
	in := b.Terminator
	t0, t1 := in.Target0(), in.Target1()
	if t0 == t1 {
		k.advance(t0, b.End)
		return
	}
	if k.plan.Kernel.UsesPipes {
		k.unlessChoosy(b.End)
	}
	condition := amd64.Mem{Base: amd64.R8, Disp: int32(b.Mask)}
	k.G(amd64.MOV, amd64.B64, amd64.R8, x86.Field(wave.FrameBase))
	k.G(amd64.MOV, amd64.B64, amd64.R9, x86.Field(wave.FrameExec))
	k.G(amd64.XOR, amd64.B32, amd64.RAX, amd64.RAX)
	k.chunks(func() {
		k.gatherWord(amd64.RDX, amd64.RBX, condition)
		k.G(amd64.AND, amd64.B64, amd64.RDX, amd64.Mem{Base: amd64.R9})
		k.G(amd64.POPCNT, amd64.B64, amd64.RDX, amd64.RDX)
		k.G(amd64.ADD, amd64.B64, amd64.RAX, amd64.RDX)
		k.G(amd64.ADD, amd64.B64, amd64.R8, x86.RegStride)
		k.next(amd64.R9)
	})
	all, none := k.NewLabel(), k.NewLabel()
	k.G(amd64.CMP, amd64.B64, amd64.RAX, x86.Field(wave.FrameActive))
	k.Jcc(amd64.Equal, all)
	k.G(amd64.TEST, amd64.B64, amd64.RAX, amd64.RAX)
	k.Jcc(amd64.IsZero, none)

	// The lanes for the higher block wait; the others may go on at once.
	low, high := min(t0, t1), max(t0, t1)
	if low == t1 {
		k.G(amd64.NEG, amd64.B64, amd64.RAX)
		k.G(amd64.ADD, amd64.B64, amd64.RAX, x86.Field(wave.FrameActive))
	}
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameActive), amd64.RAX)
	k.G(amd64.MOV, amd64.B8, x86.Field(wave.FrameChanged), amd64.Imm(1))
	k.waitAt(amd64.Imm(high))
	k.G(amd64.MOV, amd64.B64, amd64.R11, x86.Field(wave.FrameBase))
	k.G(amd64.MOV, amd64.B64, amd64.R9, x86.Field(wave.FrameExec))
	condition.Base = amd64.R11
	k.chunks(func() {
		k.G(amd64.MOV, amd64.B64, amd64.RAX, amd64.Mem{Base: amd64.R9})
		k.G(amd64.MOV, amd64.B64, amd64.RDX, condition)
		k.G(amd64.AND, amd64.B64, amd64.RDX, amd64.RAX)
		k.G(amd64.XOR, amd64.B64, amd64.RAX, amd64.RDX)
		stay, wait := amd64.RDX, amd64.RAX
		if low == t1 {
			stay, wait = wait, stay
		}
		k.G(amd64.OR, amd64.B64, amd64.Mem{Base: amd64.R8}, wait)
		k.G(amd64.MOV, amd64.B64, amd64.Mem{Base: amd64.R9}, stay)
		k.G(amd64.ADD, amd64.B64, amd64.R11, x86.RegStride)
		k.next(amd64.R8, amd64.R9)
	})
	k.mark(high)
	k.advance(low, b.End)

	k.Bind(all)
	k.advance(t0, b.End)
	k.Bind(none)
	k.advance(t1, b.End)
}

// gatherWord loads a chunk's booleans into x, and stores them as one word. It changes temp.
//
// They have been stored in parts just before, mostly for 16 lanes at a time. A load of the whole word would
// have to wait until all parts have come to the cache, where loads of single parts need not; and who loads
// the word after this finds it stored as one.
func (k *builder) gatherWord(x, temp amd64.Reg, word amd64.Mem) {
	if x86.SetOf(k.CPU).File(isa.BankMask) != x86.FileMask {
		k.G(amd64.MOV, amd64.B64, x, word)
		return
	}
	k.G(amd64.MOVZX16, amd64.B32, x, word.Plus(6))
	for part := 4; part >= 0; part -= 2 {
		k.G(amd64.SHL, amd64.B64, x, amd64.Imm(16))
		k.G(amd64.MOVZX16, amd64.B32, temp, word.Plus(int32(part)))
		k.G(amd64.OR, amd64.B64, x, temp)
	}
	k.G(amd64.MOV, amd64.B64, word, x)
}

// mark enters a block into the set of those at which lanes wait. It changes RAX and R8.
func (k *builder) mark(b int) {
	k.G(amd64.MOV, amd64.B64, amd64.R8, x86.Field(wave.FrameWaiting))
	word := amd64.Mem{Base: amd64.R8, Disp: int32(b / 64 * 8)}
	k.G(amd64.MOV, amd64.B64, amd64.RAX, word)
	k.G(amd64.BTS, amd64.B64, amd64.RAX, amd64.Imm(b%64))
	k.G(amd64.MOV, amd64.B64, word, amd64.RAX)
	first := k.NewLabel()
	k.G(amd64.CMP, amd64.B64, x86.Field(wave.FrameMinWait), amd64.Imm(b))
	k.Jcc(amd64.BelowEqual, first)
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameMinWait), amd64.Imm(b))
	k.Bind(first)
}

// enqueueStub lets the running lanes wait at the block in RAX, and runs those that wait at the lowest
// block. RDX is the block that they come from.
func (k *builder) enqueueStub() {
	k.Align(16)
	k.Bind(k.queue)
	exec, waiting := amd64.Mem{Base: amd64.R9}, amd64.Mem{Base: amd64.R8, Index: amd64.RCX, Scale: 8}
	k.waitAt(amd64.RAX)
	k.G(amd64.MOV, amd64.B64, amd64.R9, x86.Field(wave.FrameExec))
	k.chunks(func() {
		k.G(amd64.MOV, amd64.B64, amd64.RBX, exec)
		k.G(amd64.OR, amd64.B64, amd64.Mem{Base: amd64.R8}, amd64.RBX)
		k.next(amd64.R8, amd64.R9)
	})
	word := func() {
		k.G(amd64.MOV, amd64.B64, amd64.R8, x86.Field(wave.FrameWaiting))
		k.G(amd64.MOV, amd64.B32, amd64.RCX, amd64.RAX)
		k.G(amd64.SHR, amd64.B32, amd64.RCX, amd64.Imm(6))
		k.G(amd64.MOV, amd64.B64, amd64.RBX, waiting)
	}
	word()
	k.G(amd64.BTS, amd64.B64, amd64.RBX, amd64.RAX)
	k.G(amd64.MOV, amd64.B64, waiting, amd64.RBX)

	k.Bind(k.pick)
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.FrameMinWait))
	k.waitAt(amd64.RAX)
	k.G(amd64.MOV, amd64.B64, amd64.R9, x86.Field(wave.FrameExec))
	k.G(amd64.XOR, amd64.B32, amd64.R11, amd64.R11)
	k.chunks(func() {
		k.G(amd64.MOV, amd64.B64, amd64.RBX, amd64.Mem{Base: amd64.R8})
		k.G(amd64.MOV, amd64.B64, exec, amd64.RBX)
		k.G(amd64.MOV, amd64.B64, amd64.Mem{Base: amd64.R8}, amd64.Imm(0))
		k.G(amd64.POPCNT, amd64.B64, amd64.RBX, amd64.RBX)
		k.G(amd64.ADD, amd64.B64, amd64.R11, amd64.RBX)
		k.next(amd64.R8, amd64.R9)
	})
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameActive), amd64.R11)
	k.G(amd64.MOV, amd64.B8, x86.Field(wave.FrameChanged), amd64.Imm(1))

	// No block below this one has waiting lanes, so that the next that has any lies behind.
	again, found, none, set := k.NewLabel(), k.NewLabel(), k.NewLabel(), k.NewLabel()
	word()
	k.G(amd64.BTR, amd64.B64, amd64.RBX, amd64.RAX)
	k.G(amd64.MOV, amd64.B64, waiting, amd64.RBX)
	k.Bind(again)
	k.G(amd64.TEST, amd64.B64, amd64.RBX, amd64.RBX)
	k.Jcc(amd64.NotZero, found)
	k.G(amd64.INC, amd64.B32, amd64.RCX)
	k.G(amd64.CMP, amd64.B32, amd64.RCX, amd64.Imm((len(k.blocks)+63)/64))
	k.Jcc(amd64.Equal, none)
	k.G(amd64.MOV, amd64.B64, amd64.RBX, waiting)
	k.Jmp(again)
	k.Bind(none)
	k.G(amd64.MOV, amd64.B32, amd64.RBX, amd64.Imm(len(k.blocks)))
	k.Jmp(set)
	k.Bind(found)
	k.G(amd64.TZCNT, amd64.B64, amd64.RBX, amd64.RBX)
	k.G(amd64.SHL, amd64.B32, amd64.RCX, amd64.Imm(6))
	k.G(amd64.ADD, amd64.B32, amd64.RBX, amd64.RCX)
	k.Bind(set)
	k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameMinWait), amd64.RBX)

	forward := k.NewLabel()
	k.G(amd64.CMP, amd64.B32, amd64.RAX, amd64.RDX)
	k.Jcc(amd64.Above, forward)
	k.G(amd64.DEC, amd64.B64, x86.Field(wave.FrameFuel))
	k.Jcc(amd64.IsZero, k.leave(wave.ExitFuel, wave.FrameCur))
	k.Bind(forward)
	k.jumpTo(k.blockTable)
}
