package wave

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// Frame is the part of a wave that machine code works on: registers, lanes, counters and control. Code made
// at run time reads and writes it, so that the order and size of the fields are part of
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
	// [isa.FlagDense] may be written to all lanes. Live is the same for those that have not ended.
	Exec, Live unsafe.Pointer
	// Slots is an array of [Slot].
	Slots unsafe.Pointer
	// Private is the private memory of the first chunk. That of the next one is behind it, as far as all
	// private allocations of 64 lanes take room.
	Private unsafe.Pointer

	// Active is the number of lanes that run, and Cur the block in which they are. Machine code
	// sets Cur only before it comes back with [ExitFuel].
	Active int
	Cur    int

	// Wait has Words words for each block: the lanes that wait to enter it. Waiting is
	// the set of blocks with such lanes, and MinWait the lowest of them, or the number of blocks.
	Wait    unsafe.Pointer
	Words   uintptr
	Waiting unsafe.Pointer
	MinWait int
	// Alive is the number of lanes that have not ended. All is how many there were at the start if the wave
	// is the whole of its work-group and the scheduler does not decide when barriers open, otherwise 0. More
	// is how many work-groups machine code may go on with when all lanes have ended at once, in the same row.
	Alive, All int
	More       uint64
	// LDS is the work-group's memory, Lines its size in lines of 64 bytes. It is cleared for each group.
	LDS   unsafe.Pointer
	Lines uintptr
	// Event is where the number of the last event is that copies of the work-group made, 64 bits.
	Event unsafe.Pointer
	// Choosy says that lanes have been overtaken (interp.wave.choose). MinWait is 0 then, and
	// machine code leaves it to the reference engine who runs next.
	Choosy bool
	// Changed is set where machine code has changed the lanes that run.
	Changed bool
	// Quiet says that asynchronous copies are made at once and no tracer or check observes them
	// (dma.Unit.Immediate).
	Quiet bool
	// Plain says that the block which is entered next is to be done by itself, and not as a hyperblock.
	// Machine code resets it there.
	Plain bool

	// Fuel is how many back edges machine code may take: at the last it comes back. Ration is
	// the same for long stretches of code without any.
	Fuel, Ration int

	// Point is where in the kernel machine code begins, and, but for [ExitFuel], where it has
	// come back, for the reason Exit.
	Point int
	Exit  Exit

	// Counts is what the wave has done.
	Counts engine.Counters

	// Values has the built-ins that are the same for the whole group, by number. Origin is the
	// global id of the group's first item, First the same without the offset.
	Values        [isa.NumBuiltins]uint64
	Origin, First [3]uint64
	// IDs are arrays of 32 bits for each lane, see [ArrayOf]. They are there
	// if the kernel has a use for them.
	IDs [NumIDs]unsafe.Pointer

	// Proven is for machine code: what it has found out about work-groups that it may go on with, a bit for
	// each hyperblock. It is 0 whenever machine code is called.
	Proven uint64

	// Rows is all ones if each 16 lanes are in one row: the local id in x is one more from lane to lane, and
	// those in y and z are the same. Otherwise it is 0.
	Rows uint64

	// Scratch is for machine code: two vectors, and a word.
	Scratch [17]uint64
	// Loop is for loop regions, Hyper for hyperblocks.
	Loop  Loop
	Hyper Hyper
	// LoopSlot is the number of the slot that has to be filled for a loop, see [ExitLoop]. While LoopSkip is
	// not 0, a loop counts it down and does a trip of the whole wave, as if it had loads that are not
	// allowed.
	LoopSlot uint64
	LoopSkip uint64
	// Undo has room for a checkpoint of each chunk, as large as the code needs.
	Undo unsafe.Pointer
	// Spill has room for values that machine code has no registers for, as much as it needs, aligned to 64
	// bytes.
	Spill unsafe.Pointer

	// Call says that a function has not ended and calls back for some lanes: a
	// number of its own, not 0. It goes on behind that when it is called again,
	// at Resume, an address in it, or 0 for Point.
	Call   uint64
	Resume uintptr
	// Saved is a [Registers], where the function leaves what it has in registers
	// meanwhile.
	Saved unsafe.Pointer

	// Lanes is what the sub-group size of the launch means for instructions across lanes, nil for
	// a size of which there are no [Lanes]: runs with such instructions are not done then.
	Lanes *Lanes
}

// Loop is what machine code of a loop region keeps in memory while it runs.
type Loop struct {
	Trips    uint64 // of lanes that have left, added up
	Progress uint64 // of the groups that got furthest: trips and blocks as one number
	Most     uint64 // their trips
	Last     uint64 // the number of the last block that they entered
	Limit    uint64 // trips before fuel is used up
	Remain   uint64 // lanes of the wave that are still inside when fuel is used up
	Stopped  uint64 // 1 if any is
	Chunks   uint64 // chunks left
	Undo     uint64 // where in Frame.Undo the next chunk is saved
	Private  uint64 // where the chunk's private memory is
	// Entry has the lanes of each chunk that began, Rest those that are still inside, for the chunks that are
	// done together.
	Entry, Rest [4]uint64
	Left        [16]uint64 // how many lanes left at each block
	// Idle has, for the groups of lanes that are done together, ones in the elements of those that do not run.
	// Without mask registers, a group finds its execution mask there.
	Idle [4][32]byte
}

// Hyper is what machine code of a hyperblock keeps in memory while it runs.
type Hyper struct {
	Lanes [14]uint64 // how many lanes have come to each block
	// Words are given out one by one while code is made: for addresses of ids, bounds, and the like.
	Words [32]uint64
}

// Registers is the registers of a processor, as far as a function may have something in them.
type Registers struct {
	Vectors [32][64]byte
	Masks   [8]uint64
	General [16]uint64
}

// NoKey is the key of a slot that is not filled in.
const NoKey = ^uint64(0)

// RationEvery is after how many instructions without a back edge machine code takes from Frame.Ration.
const RationEvery = 256

// Exit says why machine code came back.
type Exit uint64

// The reasons.
const (
	// ExitPart asks the reference engine to do the part at Frame.Point, or, if it is the point
	// at the end of a block, its terminator.
	ExitPart Exit = iota
	// ExitSlots asks it to fill in the slots of the part first.
	ExitSlots
	// ExitFuel is the last back edge; Frame.Cur is the block to go on with.
	ExitFuel
	// ExitRation is a part that is to be begun again.
	ExitRation
	// ExitLoop, where a block is entered, asks it to fill in slot Frame.LoopSlot first.
	ExitLoop
	// ExitDone is the end of all lanes that had not ended, and still are in Exec.
	ExitDone
)

// Slot is the memory that a load or store of a run works on: the element with index i of a lane, as an
// unsigned number and less the bias, is at Address + i*Scale + Disp if i is at most Limit. Limit is such that
// i*Scale has less than 32 bits, the sign not counted.
//
// Machine code works out Address and Limit before a run from what the reference engine has found out
// about the allocation: Base and Last, for pointers whose upper 24 bits are Key.
type Slot struct {
	Address uintptr
	Limit   uint64

	Key  uint64         // NoKey for none
	Base unsafe.Pointer // offset 0 of the allocation, which it keeps alive
	Last uint64         // the highest offset of an access

	// For machine code: what an index selects, and the limit of where a block of a sub-group begins.
	Pointer, Room uintptr
}

// The offsets of the fields of Frame, of its parts and of Slot, in bytes. Those of Loop and Hyper are from
// the beginning of the frame.
const (
	FrameBase    = unsafe.Offsetof(Frame{}.Base)
	FrameStride  = unsafe.Offsetof(Frame{}.Stride)
	FrameChunks  = unsafe.Offsetof(Frame{}.Chunks)
	FrameScalars = unsafe.Offsetof(Frame{}.Scalars)
	FrameExec    = unsafe.Offsetof(Frame{}.Exec)
	FrameSlots   = unsafe.Offsetof(Frame{}.Slots)
	FramePrivate = unsafe.Offsetof(Frame{}.Private)
	FrameActive  = unsafe.Offsetof(Frame{}.Active)
	FrameCur     = unsafe.Offsetof(Frame{}.Cur)
	FrameWait    = unsafe.Offsetof(Frame{}.Wait)
	FrameWords   = unsafe.Offsetof(Frame{}.Words)
	FrameWaiting = unsafe.Offsetof(Frame{}.Waiting)
	FrameMinWait = unsafe.Offsetof(Frame{}.MinWait)
	FrameAlive   = unsafe.Offsetof(Frame{}.Alive)
	FrameAll     = unsafe.Offsetof(Frame{}.All)
	FrameMore    = unsafe.Offsetof(Frame{}.More)
	FrameLive    = unsafe.Offsetof(Frame{}.Live)
	FrameLDS     = unsafe.Offsetof(Frame{}.LDS)
	FrameLines   = unsafe.Offsetof(Frame{}.Lines)
	FrameEvent   = unsafe.Offsetof(Frame{}.Event)
	FrameChoosy  = unsafe.Offsetof(Frame{}.Choosy)
	FrameChanged = unsafe.Offsetof(Frame{}.Changed)
	FramePlain   = unsafe.Offsetof(Frame{}.Plain)
	FrameQuiet   = unsafe.Offsetof(Frame{}.Quiet)
	FrameFuel    = unsafe.Offsetof(Frame{}.Fuel)
	FrameRation  = unsafe.Offsetof(Frame{}.Ration)
	FramePoint   = unsafe.Offsetof(Frame{}.Point)
	FrameExit    = unsafe.Offsetof(Frame{}.Exit)
	FrameCounts  = unsafe.Offsetof(Frame{}.Counts)
	FrameValues  = unsafe.Offsetof(Frame{}.Values)
	FrameOrigin  = unsafe.Offsetof(Frame{}.Origin)
	FrameFirst   = unsafe.Offsetof(Frame{}.First)
	FrameIDs     = unsafe.Offsetof(Frame{}.IDs)
	FrameProven  = unsafe.Offsetof(Frame{}.Proven)
	FrameRows    = unsafe.Offsetof(Frame{}.Rows)
	FrameScratch = unsafe.Offsetof(Frame{}.Scratch)
	FrameCall    = unsafe.Offsetof(Frame{}.Call)
	FrameResume  = unsafe.Offsetof(Frame{}.Resume)
	FrameSaved   = unsafe.Offsetof(Frame{}.Saved)
	FrameLanes   = unsafe.Offsetof(Frame{}.Lanes)
	FrameUndo    = unsafe.Offsetof(Frame{}.Undo)
	FrameSpill   = unsafe.Offsetof(Frame{}.Spill)

	FrameLoopSlot = unsafe.Offsetof(Frame{}.LoopSlot)
	FrameLoopSkip = unsafe.Offsetof(Frame{}.LoopSkip)

	frameLoop    = unsafe.Offsetof(Frame{}.Loop)
	LoopTrips    = frameLoop + unsafe.Offsetof(Loop{}.Trips)
	LoopProgress = frameLoop + unsafe.Offsetof(Loop{}.Progress)
	LoopMost     = frameLoop + unsafe.Offsetof(Loop{}.Most)
	LoopLast     = frameLoop + unsafe.Offsetof(Loop{}.Last)
	LoopLimit    = frameLoop + unsafe.Offsetof(Loop{}.Limit)
	LoopRemain   = frameLoop + unsafe.Offsetof(Loop{}.Remain)
	LoopStopped  = frameLoop + unsafe.Offsetof(Loop{}.Stopped)
	LoopChunks   = frameLoop + unsafe.Offsetof(Loop{}.Chunks)
	LoopUndo     = frameLoop + unsafe.Offsetof(Loop{}.Undo)
	LoopPrivate  = frameLoop + unsafe.Offsetof(Loop{}.Private)
	LoopEntry    = frameLoop + unsafe.Offsetof(Loop{}.Entry)
	LoopRest     = frameLoop + unsafe.Offsetof(Loop{}.Rest)
	LoopIdle     = frameLoop + unsafe.Offsetof(Loop{}.Idle)
	LoopLeft     = frameLoop + unsafe.Offsetof(Loop{}.Left)

	frameHyper = unsafe.Offsetof(Frame{}.Hyper)
	HyperLanes = frameHyper + unsafe.Offsetof(Hyper{}.Lanes)
	HyperWords = frameHyper + unsafe.Offsetof(Hyper{}.Words)

	RegistersVectors = unsafe.Offsetof(Registers{}.Vectors)
	RegistersMasks   = unsafe.Offsetof(Registers{}.Masks)
	RegistersGeneral = unsafe.Offsetof(Registers{}.General)

	SlotAddress = unsafe.Offsetof(Slot{}.Address)
	SlotLimit   = unsafe.Offsetof(Slot{}.Limit)
	SlotKey     = unsafe.Offsetof(Slot{}.Key)
	SlotBase    = unsafe.Offsetof(Slot{}.Base)
	SlotLast    = unsafe.Offsetof(Slot{}.Last)
	SlotPointer = unsafe.Offsetof(Slot{}.Pointer)
	SlotRoom    = unsafe.Offsetof(Slot{}.Room)
	SlotSize    = unsafe.Sizeof(Slot{})
)
