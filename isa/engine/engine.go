// Package engine is the contract between the scheduler and the engines that
// run bytecode: an [Engine] compiles a kernel into [Code], Code makes waves,
// and a [Wave] runs until it stops. isa/interp is the reference engine.
//
// It holds no policy: which wave runs when is the scheduler's business, what
// an instruction does is the engine's. Data comes in from package emu (the
// launch), passes through package scheduler (groups) and goes out as memory
// contents, counters and faults.
package engine

import (
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
	"github.com/lockstep-gpu/lockstep/memory/weak"
)

// Engine turns bytecode into something that runs. It is safe for use from
// several goroutines.
type Engine interface {
	// Name is what -engine calls it.
	Name() string
	// Compile prepares a kernel, which must have passed [isa.Kernel.Verify].
	Compile(p *isa.Program, k *isa.Kernel) (Code, error)
}

// Code is a compiled kernel. It is immutable and safe for use from several
// goroutines.
type Code interface {
	// NewWave returns the state of a wave of at most lanes lanes. It is made
	// once and started again and again.
	NewWave(lanes int) Wave
}

// Fallback is what [Code] may be besides: able to say that it runs without what its
// engine is there for.
type Fallback interface {
	// Fallback returns why package interp alone runs the kernel, or nil.
	Fallback() error
}

// LazyCompiler is an optional interface of engines that can postpone compilation until a kernel has run long
// enough to repay it.
type LazyCompiler interface {
	// CompileLater is Compile, but the code is at first that of package interp. It becomes the engine's own, for waves that are
	// under way as well, when they have done so much work in all: instructions of a wave, times the number of 64 lanes, rounded
	// up, that it has. Launches with Check, and groups with Watch whose kernels copy, do not count. Nobody can tell from the waves.
	CompileLater(p *isa.Program, k *isa.Kernel, work uint64) (LazyCode, error)
}

// LazyCode is the code that a [LazyCompiler] returns.
type LazyCode interface {
	Code
	// Fallback is as above, once the engine's own code was to be made.
	Fallback
	// Expect makes the engine's own code at once if waves are going to do more work than is left to be done without.
	Expect(work uint64)
	// Make makes it at once, and Made says whether that has been done.
	Make()
	Made() bool
}

// Wave is the whole state of a wave. One goroutine at a time may use it.
type Wave interface {
	// Start puts n lanes at the kernel's entry: the work-items [first, first+n)
	// of g. first is a multiple of the sub-group size.
	//
	// Engines and schedulers number the work-items of a group in the order of the
	// kernel (isa.KernelMeta.Order), which is that of the local linear ids for most.
	Start(g *Group, first, n int)
	// Run goes on until the wave stops. Quantum is the number of back-edges
	// after which it stops with StopQuantum, 0 for no limit.
	Run(quantum int) Stop
	// Parked returns how many lanes wait at a barrier, and Live how many have
	// not ended (parked ones included).
	Parked() int
	Live() int
	// Parking calls f for each place where lanes wait: pc is the barrier
	// instruction's index in Kernel.Code, and lanes has the work-items' numbers,
	// in ascending order, valid during the call only.
	Parking(f func(pc int, lanes []int))
	// Open lets the lanes that wait at barriers go on.
	Open()
	// Piping calls f for each pipe at which lanes wait after StopPipe: pc is that
	// of the pipe instruction, pipe the handle; lanes as for Parking.
	Piping(f func(pc int, pipe memory.Pointer, lanes []int))
	// Overtake lets the next Run go on with lanes that could run and would
	// otherwise be kept back, so that all come together again, until those that wait
	// at pipes have got their packets. It says whether there are any: first the
	// whole sub-groups of which no lane waits, and when those have stopped, too,
	// at the next call, the lanes of the others, as far as no operation of the whole
	// sub-group. When it says no, somebody else has to move packets.
	Overtake() bool
	// Fault returns what stopped the wave with StopFault.
	Fault() *Fault
	// Counters returns what the wave has done since Start.
	Counters() *Counters
}

// Locator is what a [Wave] may be besides: able to say in no time where its
// lanes are. The scheduler asks at every barrier, and does without where a wave
// cannot.
type Locator interface {
	// BarrierPC returns the instruction at which all parked lanes wait; -1
	// when none is parked or they wait at different ones.
	BarrierPC() int
	// PC returns an instruction of the block that the wave runs next; -1 when
	// no lane can run.
	PC() int
	// Apart says whether lanes wait to run in other blocks than that one: they go on when those that the wave runs
	// next have left it.
	Apart() bool
}

// Rester is what a [Wave] may be besides: able to forget its launch.
type Rester interface {
	// Rest forgets what belongs to the launch that is over, so that memory which nobody else knows can be
	// collected. Start follows, or nothing.
	Rest()
}

// Stater is what a [Wave] may be besides: able to tell what decides how it goes on.
type Stater interface {
	// State calls f with all that decides what the wave does next, but for memory that others share, in an order
	// that is always the same. The words are valid during the call only. It returns false where something else
	// decides, too.
	State(f func(words []uint64)) bool
}

// Sweeper is what a [Wave] may be besides: able to run one work-group after the other where nobody has a say
// in between.
type Sweeper interface {
	// Sweep is Run without a quantum for a wave that was started with all work-items of its group. Unless there are
	// asynchronous copies, pipes or barrier schedules, it opens barriers at which all work-items of the group wait. When the group has
	// ended, Sweep goes on with the one behind it, by Linear, of the same size, up to so many times: it
	// changes ID and Linear of the group, clears LDS, and lets counters add up. It says
	// how many groups have ended so, and why it stopped: StopDone when the last one has ended or
	// Launch.Cancel was set between two of them.
	Sweep(more uint64) (ended uint64, stop Stop)
}

// Holder is what a [Wave] may be besides: able to let its lanes go on behind a
// barrier at different times, as barrier schedules ask (isa.BarrierSchedule).
// Lanes that are kept back are live, and neither run nor wait at a barrier: Run
// returns StopBarrier when all others have come to their next barrier or ended.
type Holder interface {
	// Hold opens the barrier at which all parked lanes wait, as Open does, and
	// keeps all of them back.
	Hold()
	// Release lets the lanes go on that are kept back and belong to the
	// work-items [first, first+n) of the group. No other lane may be able to run.
	// It returns how many they are.
	Release(first, n int) int
	// Skip takes the lanes that are kept back to the barrier at instruction pc, as if
	// they had come there; -1 ends them.
	Skip(pc int)
}

// Stop says why a wave stopped.
type Stop uint8

// The reasons.
const (
	StopDone      Stop = iota // every lane has ended
	StopBarrier               // every live lane waits at a barrier
	StopQuantum               // the quantum is over; call Run again
	StopFault                 // see Wave.Fault; the wave is over
	StopCancelled             // Launch.Cancel was set
	StopPipe                  // lanes wait at pipes, see Wave.Piping; call Run again when packets may have moved
	StopDebug                 // between two instructions, as Group.Debug asked; call Run again
)

// Launch is one run of a kernel over an ND-range: what all its groups share.
type Launch struct {
	Program *isa.Program
	Kernel  *isa.Kernel

	Dim    int       // 1 to 3
	Global [3]uint64 // work-items; 1 in unused dimensions
	Offset [3]uint64
	Local  [3]uint32 // enqueued work-group size
	Groups [3]uint64 // number of work-groups: Global / Local, rounded up

	// Scalars is what the first len(Kernel.ScalarInit) scalar registers hold:
	// constants, arguments and addresses of globals.
	Scalars []uint64
	// Values has the bytes of by-value arguments, by parameter, for private
	// memory that starts as one.
	Values [][]byte
	// LocalSizes has the size of each LDS allocation in bytes: Kernel.Local
	// and then the local pointer parameters.
	LocalSizes []uint64

	Memory       *memory.Global
	SubgroupSize int
	// Index is the launch's number in the set of launches that run together.
	Index int
	// Pipes are the ends of pipes that the kernel holds, in a fixed order.
	Pipes []PipeEnd
	// Check turns on the findings that cost time or that only a strict reading
	// of the specification makes (alignment, overflow of division, shifts).
	Check bool
	// Origins, where it is not nil, turns on the search for uninitialised values: it has where undefined bits come
	// from. Number tells the launch from others on the same memory.
	Origins *memory.Origins
	Number  uint64
	// Poison, where it is not zero, is the seed of what LDS and private memory hold at first, instead of zero.
	Poison uint64
	// Restricts is told of accesses through parameters, in launches with Check; nil is nobody.
	Restricts *race.Restricts
	// Cancel ends the launch at the next back-edge or group.
	Cancel *atomic.Bool
	// Portable counts what is done without machine code; nil is nobody.
	Portable *Portable
}

// GroupID returns the id of a work-group by its linear number, in which the first dimension is the fastest. A launch without
// work-groups has the id 0 alone.
func (l *Launch) GroupID(linear uint64) [3]uint64 {
	x, y := max(l.Groups[0], 1), max(l.Groups[1], 1)
	return [3]uint64{linear % x, linear / x % y, linear / x / y}
}

// LocalOrigins returns where undefined bits of each LDS allocation come from; nothing where nobody asks. What the
// machine itself needs for operations of the work-group counts as defined.
func (l *Launch) LocalOrigins() []memory.OriginID {
	if l.Origins == nil {
		return nil
	}
	ids := make([]memory.OriginID, len(l.LocalSizes))
	for i := range ids {
		if i >= len(l.Kernel.Local) || !l.Kernel.Local[i].PerItem {
			ids[i] = l.Origins.ID(memory.Origin{Kind: memory.OriginLocal, Owner: l.Kernel, Number: i + 1})
		}
	}
	return ids
}

// Stored returns where undefined bits come from once the instruction at pc has stored them.
func (l *Launch) Stored(pc int, from memory.OriginID) memory.OriginID {
	return l.Origins.Stored(memory.Origin{Owner: l.Kernel, Number: pc, Launch: l.Number}, from)
}

// PipeEnd is what a launch can do with a pipe. Its handle, as kernels hold it,
// is that of the pipe with the end in the offset (isa.PipeReadEnd).
type PipeEnd struct {
	Pipe          *memory.Pipe
	Handle        memory.Pointer
	Reads, Writes bool
}

// PipeTracer is told which packets moved.
type PipeTracer interface {
	// Packets is called when a lane, the work-item with the given local linear
	// id, or the lanes from it on, have read or written the n packets from first on, of the
	// pipe with that handle (without an end). Packets count from 0 when the pipe
	// is made. Packets of reservations move when they are committed.
	Packets(pipe memory.Pointer, write bool, pc, item int, first, n, now uint64)
}

// SubgroupTracer is told what the sub-groups of a work-group do.
type SubgroupTracer interface {
	// Block is called when a sub-group, with so many of its lanes active, enters the block of the instructions from
	// start to end, which is not part of it. First is the number of the sub-group's first work-item in its group, and
	// the bits of active say which lanes these are.
	Block(start, end, first, lanes int, active [2]uint64)
	// Accesses is called before the active lanes of a sub-group execute a load, a store, a copy or an atomic operation
	// at pc on global or local memory. The work-item with the number items[i] in the group accesses size bytes at
	// addresses[i], which may be outside every allocation: the fault comes later. Private memory, images, pipes and
	// asynchronous copies do not count. The tracer must not keep the slices.
	Accesses(pc, first int, a memory.Access, size uint64, items []int, addresses []memory.Pointer)
}

// Group is one work-group in execution.
type Group struct {
	Launch *Launch
	ID     [3]uint64
	Linear uint64    // ID in the order of x, y, z
	Size   [3]uint32 // of this group: the last one of a dimension may be smaller
	LDS    *memory.Local
	// Output takes what printf prints, as finished text.
	Output []byte

	// DMA makes the group's asynchronous copies; nil when Kernel.UsesAsync is
	// false.
	DMA *dma.Unit
	// Turn plus what the running wave's Counters.Instructions says is the time
	// on the group's logical clock: the scheduler sets it before each turn, and
	// the engine adds the ticks that the wave stalls.
	Turn uint64
	// Watch tells the engine to announce every access to memory that DMA could
	// touch, with its time: bytes may move at any time, or uses are checked.
	Watch bool
	// Accesses is called before each access to global memory and LDS by a load, a store, an atomic operation or a copy of a
	// lane, and behind an atomic operation whose result the kernel takes. Images, pipes, asynchronous copies and what
	// operations of the work-group do in LDS are not announced. The engine may then run much slower; nil is nobody.
	Accesses func(a Access)
	// Races is told of accesses to global memory and LDS, of atomic operations, fences and barriers; nil is nobody. It is
	// there in launches with Check only.
	Races *race.Group
	// Weak says what loads from global memory and LDS return, and is told of everything else that it must know: of
	// stores, atomic operations, fences and barriers. Nil is memory as it is. The kernel must have been lowered so that
	// memory orders are known (isa.MemoryOrder), and the reference engine runs it. Turns, where it is not nil too, is
	// called before each access of a work-item, of n bytes at p, and before each sequentially consistent fence, for
	// which n is 0; the access happens when it returns.
	Weak  *weak.Group
	Turns func(pc, item int, a memory.Access, p memory.Pointer, n uint64, seqCst bool)
	// Prints is told of what each printf prints: the number of the work-item, and the text, which is valid during
	// the call only. It stands in Output as well. Nil is nobody.
	Prints func(item int, text []byte)
	// PipeTrace is told which packets move; nil is nobody.
	PipeTrace PipeTracer
	// Subgroups is told what sub-groups do; nil is nobody. The reference engine then runs the kernel.
	Subgroups SubgroupTracer
	// Debug stops waves between instructions; nil is nobody. The reference engine then runs the kernel.
	Debug *Debug
	// Report is told of findings that do not end the wave, in the instruction that
	// makes them (finding.PipeUnwritten); nil is nobody.
	Report func(f *Fault)
}

// Access is an access to memory that is about to happen.
type Access struct {
	PC, Item int // the instruction, and the number of the work-item in its group
	// Kind is AccessRead also for an atomic load.
	Kind    memory.Access
	Pointer memory.Pointer // which may lead outside of every allocation
	Bytes   uint64
	// Value is what a read finds, or what is written, or the operand of an atomic operation: of more than 8 bytes a digest.
	Value uint64
	// Returned says that an atomic operation has happened, and Value is what it found. It has no pointer.
	Returned bool
}

// Fault is what ended a wave: where, for whom, and why.
type Fault struct {
	Code finding.Code
	PC   int // instruction index in Kernel.Code
	// Lane is the number of the first work-item that faulted, Lanes
	// how many faulted in this instruction.
	Lane, Lanes int
	// Memory says what an access did wrong; nil for other faults.
	Memory *memory.Fault
	// Detail adds what the code alone does not say ("divisor is 0").
	Detail string
	// Async has the particulars of a finding about asynchronous copies, which
	// does not end a wave; nil for others.
	Async *dma.Detail
	// Pipe says what is wrong with the use of a pipe; nil for other faults.
	Pipe *memory.PipeFault
	// Undefined says what a finding.Uninitialized is about; nil for other faults.
	Undefined *Undefined
}

// Undefined is a use of undefined bits.
type Undefined struct {
	Use  UndefinedUse
	From memory.OriginID
	// Pointer is where an UndefinedOutput was stored.
	Pointer memory.Pointer
	// Elements is how many elements an UndefinedUnwritten is about; Pointer leads to the first.
	Elements uint64
	// Also are further instructions at which the same value matters.
	Also []int
}

// UndefinedUse says what undefined bits decide.
type UndefinedUse uint8

// The uses.
const (
	UndefinedBranch    UndefinedUse = iota // which way a lane goes
	UndefinedSwitch                        // likewise
	UndefinedAddress                       // where an access goes
	UndefinedSize                          // how many bytes are copied
	UndefinedDivisor                       // whether a divisor is zero
	UndefinedPrintf                        // what is printed
	UndefinedCopy                          // an operand of an asynchronous copy
	UndefinedPipe                          // an operand of a pipe operation, or a packet
	UndefinedImage                         // an operand of an image operation
	UndefinedDead                          // what a variable held whose lifetime is over
	UndefinedDeadStore                     // nothing: a store to such a variable
	UndefinedOutput                        // bits that are stored in global memory; a finding only if they stay there
	UndefinedUnwritten                     // memory that nobody has written and that the host reads after the launch
)

// UndefinedStores is the code of faults that are about UndefinedOutput: no finding yet.
const UndefinedStores finding.Code = "undefined stores"

// Counters counts what a wave, a group or a launch did. They depend on the
// program, the launch and the wave width only; with pipes, also on what the other
// launches do. A blocking operation counts for a lane when it gets its packet,
// and tries that failed for all lanes do not count.
type Counters struct {
	Waves        uint64 // waves started
	Instructions uint64 // instructions issued, one for a whole wave
	LaneOps      uint64 // the same, times the lanes that ran
	Blocks       uint64 // blocks entered
	Barriers     uint64 // barriers executed, one for a whole wave
	Loads        uint64 // lanes that loaded
	Stores       uint64 // lanes that stored
	Atomics      uint64 // lanes that did an atomic operation

	// ZeroDivisions counts the lanes that divided an integer by zero.
	ZeroDivisions uint64
}

// Add adds d to c.
func (c *Counters) Add(d *Counters) {
	c.Waves += d.Waves
	c.Instructions += d.Instructions
	c.LaneOps += d.LaneOps
	c.Blocks += d.Blocks
	c.Barriers += d.Barriers
	c.Loads += d.Loads
	c.Stores += d.Stores
	c.Atomics += d.Atomics
	c.ZeroDivisions += d.ZeroDivisions
}
