package native

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/emitters"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/isa/native/vm"
	"github.com/lockstep-gpu/lockstep/isa/wave"
)

// builder makes the function of a kernel. Its code is that of the blocks in their order, each of them its
// counters, its parts and its terminator; behind them lies what is seldom done.
//
// Between parts four registers have a meaning: RegFrame, RegScalars, RegStride and RegSlots.
type builder struct {
	x86.Context
	plan  *plan.Plan
	block int // the present one

	points []amd64.Label // by point
	blocks []amd64.Label // by block
	exits  map[exit]amd64.Label
	stubs  map[wave.Exit]amd64.Label // what exits have in common
	fuel   map[int]amd64.Label       // by block, where the last back edge leads there

	target   target
	form     string // the machine form as text, if keepForm is set
	keepForm bool
	resume   amd64.Label // where it goes on after a callout

	blockTable amd64.Mem   // the blocks' code
	queue      amd64.Label // see enqueueStub
	pick       amd64.Label // a place in it: who runs next
	latches    []int       // see lastFrom; nil before it is asked for
	queued     bool
	following  amd64.Label  // see followingStub
	returns    bool         // it is used
	proofs     int          // bits of Frame.Proven that are in use
	ordinary   *amd64.Label // where a hyperblock goes that cannot be done
}

// exit is a way back to package interp.
type exit struct {
	point int
	why   wave.Exit
}

// errFreed says that the first lane's result is read from a general register that holds another one by now: a
// mistake of this package. It is thrown where the code of such a read is emitted, and comes no further than
// builder.emit; package interp runs the kernel then.
var errFreed = errors.New("a value is read whose register has been given to another one")

// compileKernel returns the function of a kernel, and the builder that has made it. list has the assembler note what
// it appends.
func compileKernel(e Engine, constants map[int]uint64, p *plan.Plan, list bool) (k *builder, code object, err error) {
	k = newBuilder(e.features, constants, p)
	k.target, k.keepForm = e.target(), e.form
	if list {
		k.List(fieldName)
	}
	code, err = k.emit()
	return k, code, err
}

// formLength is how many instructions of the processor one of the bytecode becomes, more or less.
const formLength = 50

// newBuilder returns a builder.
func newBuilder(f amd64.Features, constants map[int]uint64, p *plan.Plan) *builder {
	k := &builder{plan: p, Context: x86.NewContext(f, constants, p.Layout, formLength*len(p.Kernel.Code), emitters.Find),
		exits: map[exit]amd64.Label{}, stubs: map[wave.Exit]amd64.Label{}, fuel: map[int]amd64.Label{}}
	for range p.Points {
		k.points = append(k.points, k.NewLabel())
	}
	for i := range p.Blocks {
		k.blocks = append(k.blocks, k.points[p.Blocks[i].Entry])
	}
	k.blockTable, k.queue, k.pick, k.following = k.Table(k.blocks), k.NewLabel(), k.NewLabel(), k.NewLabel()
	return k
}

// checkAssignment has the allocator's work checked: see vm.Func.Check. Tests set it.
var checkAssignment bool

// emit emits the function. It fails with errFreed.
func (k *builder) emit() (code object, err error) {
	defer func() {
		if out := recover(); out == errFreed {
			code, err = nil, errFreed
		} else if out != nil {
			panic(out)
		}
	}()
	if checkAssignment {
		k.Check()
	}
	k.begin()
	since := 0 // instructions since the ration was looked at
	p := k.plan
	for i := range p.Blocks {
		k.block = i
		if k.Lists() {
			k.Section(fmt.Sprintf("block %d", i))
		}
		k.enter(&p.Blocks[i])
		for j := range p.Blocks[i].Parts {
			part := &p.Blocks[i].Parts[j]
			k.Bind(k.points[part.Point])
			switch since++; {
			case part.Run != nil:
				since += len(part.Run.Code)
			case part.Copy != nil:
				since += copyWeight
			}
			if since > wave.RationEvery {
				k.G(amd64.DEC, amd64.B64, x86.Field(wave.FrameRation))
				k.Jcc(amd64.IsZero, k.exit(part.Point, wave.ExitRation))
				since = 0
			}
			k.notePoint("part", part.Point, part.Scalar)
			k.part(part)
		}
		k.Bind(k.points[p.Blocks[i].End])
		k.notePoint("end", p.Blocks[i].End, p.Blocks[i].Terminator)
		k.terminator(&p.Blocks[i])
	}
	k.Section(seldomTitle)
	if k.queued {
		k.enqueueStub()
	}
	if k.returns {
		k.followingStub()
	}
	k.RunLater()
	k.endCallouts()
	if k.keepForm {
		k.form = k.Dump(fieldName)
	}
	code, err = k.target.finish(k.Func)
	k.plan.Spill = uintptr(k.Slots()) * vm.SlotBytes
	return code, err
}

// begin emits the entry of the function: a jump to where it is to begin.
func (k *builder) begin() {
	k.Section("entry")
	k.LoadBase()
	k.resumable()
	k.G(amd64.MOV, amd64.B64, x86.RegScalars, x86.Field(wave.FrameScalars))
	k.G(amd64.MOV, amd64.B64, x86.RegStride, x86.Field(wave.FrameStride))
	k.G(amd64.MOV, amd64.B64, x86.RegSlots, x86.Field(wave.FrameSlots))
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.FramePoint))
	k.jumpTo(k.Table(k.points))
}

// notePoint puts what stands at a point in front of its machine code in a listing.
func (k *builder) notePoint(what string, point int, in *isa.Inst) {
	if !k.Lists() {
		return
	}
	text := fmt.Sprintf("%s at point %d", what, point)
	if in != nil {
		text += ": " + k.plan.Kernel.InstText(in)
	}
	k.Note(text)
}

// jumpTo jumps to the place in a table whose number is in RAX. It changes RAX and RCX.
func (k *builder) jumpTo(table amd64.Mem) {
	k.G(amd64.LEA, amd64.B64, amd64.RCX, table)
	k.G(amd64.MOVSX32, amd64.B64, amd64.RAX, amd64.Mem{Base: amd64.RCX, Index: amd64.RAX, Scale: 4})
	k.G(amd64.ADD, amd64.B64, amd64.RAX, amd64.RCX)
	k.G(amd64.JMPR, amd64.B64, amd64.RAX)
}

// counter returns one of the frame's counters.
func counter(c uintptr) amd64.Mem { return x86.Field(wave.FrameCounts + c) }

// enter emits the beginning of a block: what entering it counts.
func (k *builder) enter(b *plan.Block) {
	k.Align(16)
	k.Bind(k.points[b.Entry])
	if r := k.regionAt(k.block); r != nil {
		k.Note(r.title())
		r.emit()
		k.Note("behind the loop region")
	}
	if h := b.Hyper; h != nil && canHyper(h) {
		if s := k.straighten(h); s != nil || !h.Single {
			k.hyper(h, s)
			k.Note("behind the hyperblock")
		}
	}
	if b.IDs != nil {
		x86.CompileRun(&k.Context, b.IDs, k.NewLabel()) // nothing goes to that label
	}
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Field(wave.FrameActive))
	k.count(b)
}

// count adds what entering a block counts, with as many lanes as RAX says.
func (k *builder) count(b *plan.Block) {
	k.G(amd64.INC, amd64.B64, counter(countBlocks))
	k.G(amd64.ADD, amd64.B64, counter(countInstructions), amd64.Imm(b.Count))
	for _, c := range []struct {
		n     uint64
		field uintptr
	}{{b.Count, countLaneOps}, {b.Loads, countLoads}, {b.Stores, countStores}, {b.Atomics, countAtomics}} {
		switch c.n {
		case 0:
		case 1:
			k.G(amd64.ADD, amd64.B64, counter(c.field), amd64.RAX)
		default:
			k.G(amd64.IMUL, amd64.B64, amd64.RCX, amd64.RAX, amd64.Imm(c.n))
			k.G(amd64.ADD, amd64.B64, counter(c.field), amd64.RCX)
		}
	}
}

// part emits a part of a block.
func (k *builder) part(p *plan.Part) {
	switch {
	case p.Run != nil:
		k.run(p)
	case p.Scalar != nil:
		k.scalar(p)
	case p.Copy != nil:
		k.copyGroup(p)
	case p.Waits:
		k.G(amd64.CMP, amd64.B8, x86.Field(wave.FrameQuiet), amd64.Imm(0))
		k.Jcc(amd64.Equal, k.exit(p.Point, wave.ExitPart))
	default:
		k.Jmp(k.exit(p.Point, wave.ExitPart))
	}
}

// exit returns where the function ends, and goes on at a point after package interp has done something.
func (k *builder) exit(point int, why wave.Exit) amd64.Label {
	if k.ordinary != nil && why == wave.ExitPart {
		return *k.ordinary
	}
	e := exit{point, why}
	l, ok := k.exits[e]
	if ok {
		return l
	}
	l = k.NewLabel()
	k.exits[e] = l
	k.Later(func() {
		k.Bind(l)
		k.G(amd64.MOV, amd64.B32, amd64.RAX, amd64.Imm(point))
		k.Jmp(k.leave(why, wave.FramePoint))
	})
	return l
}

// leave returns where the function ends for a reason, with the number in RAX in a field of the frame.
func (k *builder) leave(why wave.Exit, where uintptr) amd64.Label {
	l, ok := k.stubs[why]
	if ok {
		return l
	}
	l = k.NewLabel()
	k.stubs[why] = l
	k.Later(func() {
		k.Bind(l)
		k.G(amd64.MOV, amd64.B64, x86.Field(where), amd64.RAX)
		k.G(amd64.MOV, amd64.B64, x86.Field(wave.FrameExit), amd64.Imm(why))
		k.G(amd64.RET, amd64.B64)
	})
	return l
}

// run emits a run: its slots, and the loop over the lanes.
func (k *builder) run(p *plan.Part) {
	for i := range p.Run.Places {
		k.slot(&p.Run.Places[i], p.Point)
	}
	if plan.Pointed(&p.Run.Code[0]) {
		k.pointedSlot(p)
	}
	k.blockRooms(p.Run, k.exit(p.Point, wave.ExitPart))
	x86.CompileRun(&k.Context, p.Run, k.exit(p.Point, wave.ExitPart))
}

// slot emits what works out the address and the limit of a slot for the pointer as it is now.
func (k *builder) slot(p *wave.Place, point int) {
	k.slotElse(p, k.exit(point, wave.ExitSlots), k.exit(point, wave.ExitPart))
}

// slotElse is slot, with control going to fill if the slot is not filled in for the pointer's allocation, and
// to beyond if the pointer lies behind that.
func (k *builder) slotElse(p *wave.Place, fill, beyond amd64.Label) {
	at := func(field uintptr) amd64.Mem { return x86.SlotField(p.Slot, field) }
	if p.Row && p.Fixed || p.Pointed {
		return
	}
	if p.Row {
		k.G(amd64.MOV, amd64.B64, amd64.RDX, x86.Scalar(p.Pointer))
		k.G(amd64.SHR, amd64.B64, amd64.RDX, amd64.Imm(x86.OffsetBits))
		k.G(amd64.CMP, amd64.B64, amd64.RDX, at(wave.SlotKey))
		k.Jcc(amd64.NotEqual, fill)
		return
	}
	if p.Fixed {
		k.G(amd64.CMP, amd64.B64, at(wave.SlotKey), amd64.Imm(-1)) // wave.NoKey
		k.Jcc(amd64.Equal, fill)
		return
	}
	k.offset(p, fill)
	k.G(amd64.MOV, amd64.B64, amd64.RDX, at(wave.SlotLast))
	k.G(amd64.SUB, amd64.B64, amd64.RDX, amd64.RAX)
	k.Jcc(amd64.Below, beyond)
	if n := p.Scale; n&(n-1) != 0 {
		k.G(amd64.MOV, amd64.B64, at(wave.SlotAddress), amd64.RAX)
		k.G(amd64.MOV, amd64.B64, amd64.RAX, amd64.RDX)
		k.G(amd64.XOR, amd64.B32, amd64.RDX, amd64.RDX)
		k.G(amd64.MOV, amd64.B32, amd64.RCX, amd64.Imm(n))
		k.G(amd64.DIV, amd64.B64, amd64.RCX)
		k.G(amd64.MOV, amd64.B64, amd64.RDX, amd64.RAX)
		k.G(amd64.MOV, amd64.B64, amd64.RAX, at(wave.SlotAddress))
	} else if n > 1 {
		k.G(amd64.SHR, amd64.B64, amd64.RDX, amd64.Imm(bits.TrailingZeros32(n)))
	}
	k.G(amd64.MOV, amd64.B32, amd64.RCX, amd64.Imm(p.Most))
	k.G(amd64.CMP, amd64.B64, amd64.RDX, amd64.RCX)
	k.CMov(amd64.Above, amd64.B64, amd64.RDX, amd64.RCX)
	k.G(amd64.ADD, amd64.B64, amd64.RAX, at(wave.SlotBase))
	k.G(amd64.MOV, amd64.B64, at(wave.SlotLimit), amd64.RDX)
	k.G(amd64.MOV, amd64.B64, at(wave.SlotAddress), amd64.RAX)
}

// offset puts the offset of a place's pointer, displaced, into RAX, if the slot is filled in for that
// pointer's allocation and the pointer is not far from it; otherwise it goes to fill. It changes RDX.
func (k *builder) offset(p *wave.Place, fill amd64.Label) {
	k.G(amd64.MOV, amd64.B64, amd64.RAX, x86.Scalar(p.Pointer))
	k.G(amd64.MOV, amd64.B64, amd64.RDX, amd64.RAX)
	k.G(amd64.SHR, amd64.B64, amd64.RDX, amd64.Imm(x86.OffsetBits))
	k.G(amd64.CMP, amd64.B64, amd64.RDX, x86.SlotField(p.Slot, wave.SlotKey))
	k.Jcc(amd64.NotEqual, fill)
	k.OffsetOf(amd64.RAX, fill)
	if p.Disp != 0 {
		k.G(amd64.ADD, amd64.B64, amd64.RAX, amd64.Imm(p.Disp))
	}
}
