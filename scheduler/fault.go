package scheduler

import (
	"cmp"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Fault is something that went wrong at one instruction: its first occurrence
// in the order of the schedule, and how often it occurred.
type Fault struct {
	engine.Fault
	Group Group
	// Waiting says, for faults at barriers, which work-items of the group wait
	// where, and Ended which have ended.
	Waiting []Waiting
	Ended   finding.Spans
	// Running says, for a finding.NoProgress, which work-items run where.
	Running []Waiting
	// Standstill is what a finding.PipeDeadlock is about.
	Standstill *Standstill
	// Count is the number of work-items that it happened to, in Groups
	// work-groups.
	Count, Groups uint64

	last uint64 // position of the last group of the worker that it happened in; 0 in a Result
}

// Group names a work-group.
type Group struct {
	Position uint64 // in the schedule
	ID       [3]uint64
	Linear   uint64
	Size     [3]uint32 // of this group, in work-items
}

// Waiting are work-items that wait at one instruction, or run near it.
type Waiting struct {
	PC    int // instruction index in Kernel.Code, or -1
	Items finding.Spans
	// Apart says, of work-items that run, that some of them wait until others of their sub-group have left
	// the block at PC.
	Apart bool
}

// Stopped says what a worker was doing when the launch was cancelled, or looked at.
type Stopped struct {
	Group Group
	// Waiting, Ended and Running are the work-items of the group that wait at
	// barriers, that have ended, and the rest: of a wave that runs it is not
	// known which lanes have ended, nor where each of them is.
	Waiting []Waiting
	Pipes   []PipeWait // work-items that wait at pipes
	Ended   finding.Spans
	Running []Waiting
}

type faultKey struct {
	code finding.Code
	pc   int
}

// faultTable holds the faults of a worker, by code and instruction.
type faultTable map[faultKey]*Fault

// add counts a fault in the group at position pos and returns its entry when
// the particulars are to be filled in, because this is its first occurrence in the order of the schedule
// so far, else nil. Of one group, the first occurrence is that of the lowest lane if lane is not negative.
func (t *faultTable) add(pos uint64, code finding.Code, pc, lanes, lane int) *Fault {
	k := faultKey{code, pc}
	if f := (*t)[k]; f != nil {
		f.Count += uint64(lanes)
		if f.last != pos {
			f.last = pos
			f.Groups++
		}
		if pos < f.Group.Position || lane >= 0 && pos == f.Group.Position && lane < f.Lane {
			*f = Fault{Count: f.Count, Groups: f.Groups, last: f.last}
			return f
		}
		return nil
	}
	if *t == nil {
		*t = make(faultTable)
	}
	f := &Fault{Count: uint64(lanes), Groups: 1, last: pos}
	(*t)[k] = f
	return f
}

// merge takes the faults of another worker in.
func (t *faultTable) merge(from faultTable) {
	if *t == nil {
		*t = from
		return
	}
	for k, f := range from {
		old := (*t)[k]
		if old == nil {
			(*t)[k] = f
			continue
		}
		first := old
		if f.Group.Position < old.Group.Position {
			first = f
		}
		first.Count, first.Groups = old.Count+f.Count, old.Groups+f.Groups
		(*t)[k] = first
	}
}

// list returns the faults in the order of the schedule.
func (t faultTable) list() []Fault {
	if len(t) == 0 {
		return nil
	}
	all := make([]Fault, 0, len(t))
	for _, f := range t {
		one := *f
		one.last = 0
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(a.Group.Position, b.Group.Position),
			// What a group goes on after came before what ended it.
			cmp.Compare(ends(&a), ends(&b)),
			cmp.Compare(a.PC, b.PC),
			cmp.Compare(a.Code, b.Code))
	})
	return all
}

// ends returns 1 for a fault that ends its work-group, else 0.
func ends(f *Fault) int {
	if f.Async != nil || f.Undefined != nil || f.Code == finding.PipeOpen || f.Code == finding.PipeUnwritten || f.Code == finding.PartialBarrier || f.Code == finding.GroupDiverged {
		return 0
	}
	return 1
}
