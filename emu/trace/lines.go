package trace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/memory"
)

// LineBytes and Banks are what the model behind the counts assumes of the memory: cache lines of so many bytes, and so
// many banks of local memory, of BankBytes each.
const (
	LineBytes = lineBytes
	Banks     = banks
	BankBytes = bankBytes
)

// LineCounts is what the sub-groups of all launches did for a line of the source. Where the module has no lines, it is
// about one of the instructions.
type LineCounts struct {
	File   string // "" and 0 for instructions without a line
	Line   uint32
	Source string // the text of the line; "" if it is not known
	// Word is where an instruction without a line stands in the module, in words, Instruction its text, and Kernel the
	// kernel; 0 and "" for lines, and for instructions that the module does not have.
	Word        uint32
	Instruction string
	Kernel      string

	// Executions is how often sub-groups came to the line: to that of its instructions to which they came most often.
	Executions uint64
	// Instructions that sub-groups issued; Lanes that were active in them, added up, of Room.
	Instructions, Lanes, Room uint64
	// Arrivals is how often sub-groups came to barriers of the work-group, and BarrierTicks how long they waited there for
	// the last one of their work-group: a tick is an instruction that a sub-group issues.
	Arrivals, BarrierTicks uint64
	// Asked is the bytes of global memory that sub-groups asked for, each byte of an access once, and CacheLines the lines
	// of LineBytes that these are in: so many bytes times LineBytes move. CacheLinesAtBest would hold as much.
	Asked, CacheLines, CacheLinesAtBest uint64
	// Passes over the banks of local memory that sub-groups took, and how many they would be at best.
	Passes, PassesAtBest uint64
	// Atomics is how many atomic operations sub-groups issued, AtomicLanes how many lanes these had, and Meeting how many of
	// the lanes met at one address, added up.
	Atomics, AtomicLanes, Meeting uint64
	// Copies that were issued, of CopyBytes in all; Flight is the ticks of the schedule's clock in which one of them was
	// between its issue and its completion, and Overlap those of them in which a wave of the work-group ran. Waits for copies
	// took WaitTicks.
	Copies, CopyBytes, Flight, Overlap, Waits, WaitTicks uint64
}

// Moved is the bytes that move for what was asked for.
func (c *LineCounts) Moved() uint64 { return c.CacheLines * lineBytes }

// Conflicts is the passes over the banks of local memory beyond those that it takes at best.
func (c *LineCounts) Conflicts() uint64 { return c.Passes - c.PassesAtBest }

// add adds what d has to c. The executions of lines do not add up.
func (c *LineCounts) add(d *LineCounts) {
	for _, n := range []struct {
		to   *uint64
		more uint64
	}{
		{&c.Instructions, d.Instructions}, {&c.Lanes, d.Lanes}, {&c.Room, d.Room}, {&c.Arrivals, d.Arrivals}, {&c.BarrierTicks, d.BarrierTicks},
		{&c.Asked, d.Asked}, {&c.CacheLines, d.CacheLines}, {&c.CacheLinesAtBest, d.CacheLinesAtBest}, {&c.Passes, d.Passes}, {&c.PassesAtBest, d.PassesAtBest},
		{&c.Atomics, d.Atomics}, {&c.AtomicLanes, d.AtomicLanes}, {&c.Meeting, d.Meeting}, {&c.Copies, d.Copies}, {&c.CopyBytes, d.CopyBytes},
		{&c.Flight, d.Flight}, {&c.Overlap, d.Overlap}, {&c.Waits, d.Waits}, {&c.WaitTicks, d.WaitTicks},
	} {
		*n.to += n.more
	}
}

// lineTable collects counts by line.
type lineTable struct {
	r     *Recorder
	index map[linePosition]int
	rows  []LineCounts
	lined map[int]bool // launches that have lines
}

// linePosition is a line of the source or, with an empty file and line 0, an instruction.
type linePosition struct {
	file        string
	line        uint32
	word        uint32
	instruction string
	kernel      string
}

// at returns the row for an instruction of a launch.
func (t *lineTable) at(at site) (row *LineCounts, number int) {
	p := t.r.places[at]
	key := linePosition{file: p.File, line: p.Line}
	if p.Line == 0 {
		key = linePosition{}
		if p.Word != 0 && !t.lined[at.launch] {
			key = linePosition{word: p.Word, instruction: p.Instruction, kernel: t.r.launches[at.launch].Kernel}
		}
	}
	i, ok := t.index[key]
	if !ok {
		i = len(t.rows)
		t.index[key] = i
		t.rows = append(t.rows, LineCounts{File: key.file, Line: key.line, Word: key.word, Instruction: key.instruction, Kernel: key.kernel})
	}
	if p.Line != 0 {
		t.rows[i].Source = cmp.Or(t.rows[i].Source, p.Source)
	}
	return &t.rows[i], i
}

// execution is an instruction of the module in a row.
type execution struct {
	row  int
	word uint32
	// ends says that it ends a block. The branches around a condition or a loop are several for one instruction of the
	// module, so that they count where a row has nothing else.
	ends bool
}

// blocks counts what sub-groups issued in blocks. What stands several times in the bytecode, as after inlining, adds up.
func (t *lineTable) blocks() {
	executed := make(map[execution]uint64)
	for at, c := range t.r.subgroups.blocks {
		room := c.subgroups * uint64(max(t.r.launches[at.launch].SubgroupSize, 1))
		once := make(map[execution]bool)
		for pc := at.pc; pc < c.end; pc++ {
			where := site{at.launch, pc}
			row, i := t.at(where)
			row.Instructions += c.subgroups
			row.Lanes += c.lanes
			row.Room += room
			if e := (execution{i, t.r.places[where].Word, pc == c.end-1}); !once[e] {
				once[e] = true
				executed[e] += c.subgroups
			}
		}
	}
	for _, ends := range []bool{true, false} {
		most := make(map[int]uint64)
		for e, n := range executed {
			if e.ends == ends {
				most[e.row] = max(most[e.row], n)
			}
		}
		for i, n := range most {
			t.rows[i].Executions = n
		}
	}
}

// Lines returns the counts by line, in the order of files and lines; none if the recorder was not made with
// [Options].Subgroups. Instructions without a line come first, in the order of the module. The counts depend on the
// program, the launch and the sub-group size, and those of copies on the schedule, but not on engine, machine or workers.
// They are not complete where there were more kinds of access, or more events of copies, than a recorder counts.
func (r *Recorder) Lines() (rows []LineCounts, complete bool) {
	if r.subgroups == nil {
		return nil, true
	}
	t := &lineTable{r: r, index: make(map[linePosition]int), lined: make(map[int]bool)}
	for at, p := range r.places {
		t.lined[at.launch] = t.lined[at.launch] || p.Line > 0
	}
	t.blocks()
	for at, c := range r.subgroups.barriers {
		row, _ := t.at(at)
		row.Arrivals += c.arrivals
		row.BarrierTicks += c.ticks
	}
	for at, c := range r.subgroups.copies {
		row, _ := t.at(at)
		row.Copies += c.copies
		row.CopyBytes += c.bytes
		row.Flight += c.flight
		row.Overlap += c.overlap
		row.Waits += c.waits
		row.WaitTicks += c.waited
	}
	for _, a := range r.accessRows() {
		row, _ := t.at(site{a.launch, a.accessCounts.pc})
		switch {
		case a.a == memory.AccessAtomic:
			row.Atomics += a.subgroups
			row.AtomicLanes += a.lanes
			row.Meeting += a.sameAddresses
		case a.space == memory.SpaceGlobal:
			row.Asked += a.bytes
			row.CacheLines += a.units
			row.CacheLinesAtBest += a.least
		case a.space == memory.SpaceLocal:
			row.Passes += a.units
			row.PassesAtBest += a.least
		}
	}
	slices.SortFunc(t.rows, func(a, b LineCounts) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			strings.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Word, b.Word), strings.Compare(a.Instruction, b.Instruction))
	})
	return t.rows, !r.subgroups.dropped && !r.full
}
