package engine

import (
	"github.com/lockstep-gpu/lockstep/isa"
)

// Debug stops the waves of a launch between instructions. The launch runs on one goroutine, which may change
// everything here while no wave runs.
type Debug struct {
	// Tick is how many instructions waves have issued since the launch began, one for a whole wave. Waves
	// stop before the instruction behind Limit.
	Tick, Limit uint64
	// Stop is asked before each instruction of the blocks that Blocks has by number, or of all with Every,
	// and stops the wave by true. After is asked behind each such instruction but terminators, unless it is
	// nil: the instruction is done then.
	Every  bool
	Blocks []bool
	Stop   func(w Wave, pc int) bool
	After  func(w Wave, pc int) bool
	// Left is what was left of its quantum for the wave that stopped last with StopDebug.
	Left int
	// Tell says that waves announce accesses to Group.Accesses.
	Tell bool
}

// LaneState says what a lane does.
type LaneState uint8

// The states of lanes.
const (
	LaneActive  LaneState = iota // executes the next instruction of the wave
	LaneWaits                    // waits at the start of a block until the wave runs it
	LaneBarrier                  // waits at a barrier
	LanePipe                     // waits at a pipe
	LaneHeld                     // is kept back behind a barrier that has a schedule
	LaneEnded
)

// String returns the state as a word.
func (s LaneState) String() string {
	return [...]string{"active", "waits", "barrier", "pipe", "held", "ended"}[s]
}

// Debuggable is what a [Wave] of a group with a [Debug] is besides: what can be looked at and changed between
// two instructions.
type Debuggable interface {
	Wave
	// Items returns the number of the first work-item in its group, and how many lanes there are.
	Items() (first, n int)
	// Next returns the instruction that the wave issues next; -1 when no lane can run.
	Next() int
	// Lane says what lane i does, and which instruction is its next: of one that waits at a barrier, the
	// barrier.
	Lane(i int) (s LaneState, pc int)
	// Executes says whether lane i executes the next instruction.
	Executes(i int) bool
	// Register returns what a register holds for lane i, and SetRegister changes it.
	Register(r isa.Reg, t isa.Type, i int) uint64
	SetRegister(r isa.Reg, t isa.Type, i int, bits uint64)
	// ReadPrivate copies bytes of a private allocation, by its place in Kernel.Private, for lane i, and
	// WritePrivate changes them. They return false for bytes that are not there.
	ReadPrivate(i, alloc int, off uint64, p []byte) bool
	WritePrivate(i, alloc int, off uint64, p []byte) bool
	// Save returns the state of the wave, but for memory that others share, and Restore puts it back: into a
	// wave that was started for the same lanes of the same group. Both append to or read from one list of
	// words.
	Save(words []uint64) []uint64
	Restore(words []uint64) (rest []uint64)
}
