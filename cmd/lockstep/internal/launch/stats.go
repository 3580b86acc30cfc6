package launch

import (
	"strconv"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu/trace"
)

// statsFlag is -stats: counters and times, or with -stats=lines counts by line, which are the same at every run.
type statsFlag struct{ on, lines bool }

// String is for the flag package.
func (s *statsFlag) String() string {
	if s.lines {
		return "lines"
	}
	return strconv.FormatBool(s.on)
}

// Set is for the flag package.
func (s *statsFlag) Set(text string) error {
	if text == "lines" {
		*s = statsFlag{on: true, lines: true}
		return nil
	}
	on, err := strconv.ParseBool(text)
	*s = statsFlag{on: on}
	return err
}

// IsBoolFlag says that the flag may stand without a value.
func (s *statsFlag) IsBoolFlag() bool { return true }

// Takes says which values the flag has.
func (s *statsFlag) Takes() string { return "lines, as in -stats=lines" }

// lineReport is what sub-groups did for a line of the source, or for an instruction without one.
type lineReport struct {
	File        string `json:"file,omitempty"`
	Line        uint32 `json:"line,omitempty"`
	Source      string `json:"source,omitempty"`
	Kernel      string `json:"kernel,omitempty"` // of an instruction without a line
	Word        uint32 `json:"word,omitempty"`   // of it in the module
	Instruction string `json:"instruction,omitempty"`

	Executions   uint64 `json:"executions"`   // of the line, by sub-groups
	Instructions uint64 `json:"instructions"` // that sub-groups issued
	ActiveLanes  uint64 `json:"active_lanes"` // in them, added up
	IdleLanes    uint64 `json:"idle_lanes"`
	// Barriers of the work-group to which sub-groups came, and the instructions that the last one of each work-group still
	// had to issue then, added up.
	Barriers     uint64 `json:"barriers"`
	BarrierTicks uint64 `json:"barrier_ticks"`
	// Passes over the banks of local memory, and those of them that are beyond the best.
	LocalPasses    uint64 `json:"local_passes"`
	LocalConflicts uint64 `json:"local_conflicts"`
	// Bytes of global memory: asked for, and in the cache lines that hold these.
	AskedBytes uint64 `json:"global_asked_bytes"`
	MovedBytes uint64 `json:"global_moved_bytes"`
	// Atomic operations of sub-groups, their lanes, and how many of the lanes met at one address, added up.
	Atomics      uint64 `json:"atomics"`
	AtomicLanes  uint64 `json:"atomic_lanes"`
	MeetingLanes uint64 `json:"atomic_lanes_at_one_address"`
	// Asynchronous copies that were issued; the ticks in which one was in flight, and in which a wave ran meanwhile; and
	// waits for copies, with the ticks that they took.
	Copies           uint64 `json:"copies"`
	CopyBytes        uint64 `json:"copy_bytes"`
	CopyTicks        uint64 `json:"copy_ticks"`
	CopyOverlapTicks uint64 `json:"copy_overlap_ticks"`
	CopyWaits        uint64 `json:"copy_waits"`
	CopyWaitTicks    uint64 `json:"copy_wait_ticks"`
}

// statsReport is the counts by line in the document of run.
type statsReport struct {
	// The model: bytes of a cache line, banks of local memory and their bytes.
	LineBytes int          `json:"cache_line_bytes"`
	Banks     int          `json:"local_banks"`
	BankBytes int          `json:"local_bank_bytes"`
	Complete  bool         `json:"complete"` // false where there was more than lockstep counts
	Lines     []lineReport `json:"lines"`
}

// newStatsReport returns what the recorder has counted.
func newStatsReport(r *trace.Recorder) *statsReport {
	rows, complete := r.Lines()
	doc := &statsReport{LineBytes: trace.LineBytes, Banks: trace.Banks, BankBytes: trace.BankBytes, Complete: complete, Lines: []lineReport{}}
	for i := range rows {
		c := &rows[i]
		doc.Lines = append(doc.Lines, lineReport{
			File: c.File, Line: c.Line, Source: c.Source, Kernel: c.Kernel, Word: c.Word, Instruction: c.Instruction,
			Executions: c.Executions, Instructions: c.Instructions, ActiveLanes: c.Lanes, IdleLanes: c.Room - c.Lanes,
			Barriers: c.Arrivals, BarrierTicks: c.BarrierTicks, LocalPasses: c.Passes, LocalConflicts: c.Conflicts(),
			AskedBytes: c.Asked, MovedBytes: c.Moved(), Atomics: c.Atomics, AtomicLanes: c.AtomicLanes, MeetingLanes: c.Meeting,
			Copies: c.Copies, CopyBytes: c.CopyBytes, CopyTicks: c.Flight, CopyOverlapTicks: c.Overlap, CopyWaits: c.Waits, CopyWaitTicks: c.WaitTicks,
		})
	}
	return doc
}

// writeLines prints what -stats=lines asks for.
func (r *Run) writeLines(env *cmdline.Env) error {
	if !r.o.stats.lines || r.o.JSON || r.trace == nil {
		return nil
	}
	return r.trace.WriteLines(env.Text(env.Stderr), trace.TextOptions{})
}
