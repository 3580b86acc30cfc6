package emu

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Set is launches that run together, connected by pipes: a producer, filters
// and a consumer make progress side by side, by turns that depend on the
// schedule and its seed only. It may be run any number of times; running does
// not change it.
//
// Each launch starts with one work-group. Where all that have started wait, or
// only spin, work-groups that have not begun join them. When nobody is left to
// move a packet, the work-groups that wait end with the finding E-PIPEDEADLOCK.
type Set struct {
	// Launches are the launches, in the order of the schedule InOrder. They have
	// Kernel, Args, Range, Accesses and Prints, and nothing else: that counts for all of them.
	Launches []Launch

	Schedule Schedule
	// Check, Benign, KeepGoing, Timeout, Output, MaxOutput, MaxFindings, Progress, Look, Trace and
	// Reproduce are those of a [Launch], for all launches together. Printed text
	// comes in the order of the turns. MaxFindings counts for each launch, and for
	// the list of all.
	Check       bool
	Benign      bool
	KeepGoing   bool
	Timeout     time.Duration
	Output      io.Writer
	MaxOutput   uint64
	MaxFindings int
	Progress    func(done, total uint64)
	Look        *Look
	Trace       *trace.Recorder
	Reproduce   string
}

// SetResult is what a set leaves behind besides memory.
type SetResult struct {
	// Launches has the result of each launch. Output and Duration are the set's.
	Launches []*Result
	// Findings are those of all launches, in their order.
	Findings finding.List
	// Output is what all launches printed, unless Set.Output took it, and
	// OutputDropped the number of bytes beyond Set.MaxOutput.
	Output        []byte
	OutputDropped uint64
	// Counters is the sum of the launches'.
	Counters Counters
	// Pipes are the pipes that some launch of the set holds, in the order of the
	// launches and their parameters; those of the program come after a launch's
	// arguments.
	Pipes    []PipeUse
	Duration time.Duration
}

// PipeUse says what became of a pipe in a set.
type PipeUse struct {
	Name                  string // "" where it has none, nor a parameter that it was given for
	PacketBytes, Capacity int
	// Written and Read are the packets that moved in this set, those of the host's
	// Feed and Drain included; Fed and Drained are the latter alone.
	Written, Read, Fed, Drained uint64
	// Left is the packets that can be read afterwards, Held those that
	// reservations hold.
	Left, Held uint64
}

// Run runs the launches and waits until all are over. It waits for the device
// before. When the kernels ran there is a result, even with an error. The error is
// one of those of [Launch.Run], or that of a reader or writer which was given to
// [Pipe.Feed] or [Pipe.Drain]. All launches must be of one device: [ErrForeign].
func (s *Set) Run(ctx context.Context) (*SetResult, error) {
	if s == nil || len(s.Launches) == 0 {
		return nil, fmt.Errorf("set without launches: %w", ErrInvalid)
	}
	run := setRun{set: s}
	for i := range s.Launches {
		l := s.Launches[i]
		if field := l.setField(); field != "" {
			return nil, fmt.Errorf("launch %d of a set: %s belongs to the set: %w", i, field, ErrInvalid)
		}
		l.Schedule, l.Check, l.Benign, l.MaxFindings, l.Reproduce = s.Schedule, s.Check, s.Benign, s.MaxFindings, s.Reproduce
		p, err := l.prepare()
		if err != nil {
			return nil, fmt.Errorf("launch %d of a set: %w", i, err)
		}
		if d, first := l.Kernel.prog.dev, s.Launches[0].Kernel.prog.dev; d != first {
			return nil, fmt.Errorf("launch %d of a set: kernel %s: %w", i, l.Kernel.Name(), ErrForeign)
		}
		run.launches = append(run.launches, p)
	}
	return run.run(ctx)
}

// setField returns a field that a launch of a set must not have, or "".
func (l *Launch) setField() string {
	switch {
	case l.Schedule != Schedule{}:
		return "Schedule"
	case l.Parallel != ParallelAuto:
		return "Parallel"
	case l.Check:
		return "Check"
	case l.Benign:
		return "Benign"
	case l.KeepGoing:
		return "KeepGoing"
	case l.Memory != MemorySequential:
		return "Memory"
	case l.Timeout != 0:
		return "Timeout"
	case l.Output != nil:
		return "Output"
	case l.MaxOutput != 0:
		return "MaxOutput"
	case l.MaxFindings != 0:
		return "MaxFindings"
	case l.Progress != nil:
		return "Progress"
	case l.Trace != nil:
		return "Trace"
	case l.Reproduce != "":
		return "Reproduce"
	}
	return ""
}
