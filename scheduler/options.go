package scheduler

import (
	"io"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
	"github.com/lockstep-gpu/lockstep/memory/weak"
)

// Parallel says whether work-groups may run at the same time.
type Parallel uint8

// The choices.
const (
	// ParallelAuto runs work-groups at the same time where that cannot be seen:
	// the order is InOrder, and the kernel is not OrderDependent.
	ParallelAuto Parallel = iota
	// ParallelNever runs one work-group after the other.
	ParallelNever
	// ParallelAlways runs work-groups at the same time even where the memory
	// that they leave may depend on which was faster.
	ParallelAlways
)

// Options say how a launch is run. The zero value is one worker, in order.
type Options struct {
	Order Order
	Seed  uint64 // of the order Seeded

	// Workers is the number of goroutines that run work-groups, the caller's
	// included; less than 1 is 1.
	Workers  int
	Parallel Parallel

	// WaveLanes is the number of lanes of a wave at most, a multiple of the
	// launch's sub-group size; 0 chooses. A kernel that may spin gets waves of
	// one sub-group whatever is set here.
	WaveLanes int
	// Quantum is the number of back-edges after which a wave lets the other
	// waves of its group have a turn; 0 is DefaultQuantum.
	Quantum int

	// KeepGoing runs all work-groups, whatever happens in some of them. Without it
	// a fault ends the launch; see the package's documentation.
	KeepGoing bool

	// HostWrites says that the host may write memory while the launch runs, so that a loop in which nothing changes may
	// still end.
	HostWrites bool

	// MaxState is what the registers, the private and the local memory of all waves may
	// take on the host, in bytes; 0 is DefaultMaxState. Where it does not reach
	// for all workers, there are fewer.
	MaxState uint64

	// Output takes what printf prints, in the order of the schedule, in pieces
	// that end where a work-group's output may continue. Nil collects it in
	// Result.Output.
	Output io.Writer
	// MaxOutput is the number of bytes after which output is dropped; 0 is
	// DefaultMaxOutput.
	MaxOutput uint64

	// DMA describes the engines for asynchronous copies and when they move bytes.
	// Its Check, Sink and Tracer are set by the scheduler.
	DMA dma.Config
	// Tracer is told what happens when. Work-groups then run one after the other,
	// on one logical clock.
	Tracer Tracer
	// Subgroups is told what sub-groups do; see [engine.Group.Subgroups]. It is used with a Tracer only.
	Subgroups engine.SubgroupTracer

	// First and End limit a launch to the work-groups at the positions [First, End) of the schedule; an End
	// of 0 is that of the schedule. They are not for sets.
	First, End uint64
	// Accesses is told of accesses to memory, see [engine.Group]; nil is nobody. It is called by all workers.
	Accesses func(g *engine.Group, a engine.Access)
	// Prints is told of what work-items print, see [engine.Group]; nil is nobody. It is called by all workers.
	Prints func(g *engine.Group, item int, text []byte)

	// Races looks for data races; nil for none. The launch must have Check, and its work-groups run one after the
	// other. It is not for launches with First or End.
	Races *race.Detector
	// Weak says what loads return; nil is memory as it is. The kernel must have been lowered so that memory orders are
	// known, and the engine must be package interp's. Work-groups run one after the other.
	Weak *weak.Model

	// Progress is called from a goroutine of its own, at most every
	// ProgressInterval, with the number of groups that are over. It is not
	// called for a launch that takes less time.
	Progress func(done, total uint64)
	// Look, when it is not nil, can be asked where waves are while the launch runs. With a Tracer, waves of a
	// work-group of one wave do not answer: their turns are part of the timeline.
	Look *Look
}

// Tracer is told what happens when, in ticks of the launch's logical clock: one
// for each instruction that a wave issues, and those for which waves wait for
// asynchronous copies. The turns of waves follow each other, and so do
// work-groups.
type Tracer interface {
	dma.Tracer
	// Group is called when a work-group of so many work-items begins.
	Group(g Group, items int, start uint64)
	// Turn is called when a wave, which has the given number of work-items from
	// first on, has run from one tick to another and why it stopped.
	Turn(wave, first, items int, from, to uint64, stop engine.Stop)
	// Barrier is called when a work-group barrier opens.
	Barrier(pc int, now uint64)
	// GroupEnd is called when a group is over, or has come to a fault.
	GroupEnd(now uint64)
}

// SetTracer is a [Tracer] of launches that run together: their work-groups take
// turns, and what a Tracer is told belongs to the group that was resumed last.
type SetTracer interface {
	Tracer
	// Resume is called before the calls for another group than before. For one
	// that begins, Group is called next.
	Resume(launch int, g Group)
	// Waiting is called after Turn for each place where work-items of the wave
	// wait at a pipe: the instruction, the handle as they have it, and how many wait.
	Waiting(wave, pc int, pipe memory.Pointer, items int, now uint64)
	// Packets is called when packets move; see [engine.PipeTracer]. Where the
	// host moves them, launch, pc and item are -1.
	Packets(launch int, pipe memory.Pointer, write bool, pc, item int, first, n, now uint64)
}

// Result is what a launch leaves behind besides memory.
type Result struct {
	Counters engine.Counters
	Groups   uint64 // work-groups that ran, to their end or to a fault
	// Halted says that a fault ended the launch. What else is in the result is about
	// the work-groups up to the one with the fault, in the order of the schedule; of a
	// launch in a set it is about all groups that had begun. Memory
	// may hold some of what other groups have written.
	Halted bool
	// WaveLanes is the number of lanes of a whole wave.
	WaveLanes int
	// Faults are what went wrong, one for each code and instruction, in the
	// order in which the schedule first meets them.
	Faults []Fault
	// Missed is what checks of asynchronous copies had no room for.
	Missed dma.Missed
	// Output is what printf printed, unless Options.Output took it.
	Output []byte
	// Dropped is the number of bytes of output beyond Options.MaxOutput.
	Dropped uint64
	// Stopped is what each worker was doing when the launch was cancelled, in
	// the order of the schedule; nil when nobody was at work.
	Stopped []Stopped
}
