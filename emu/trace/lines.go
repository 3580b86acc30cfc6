package trace

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/memory"
)

// LineCounts is what the sub-groups of all launches did for a line of the source.
type LineCounts struct {
	File   string // "" and 0 for instructions without a line
	Line   uint32
	Source string // the text of the line; "" if it is not known

	// Instructions that sub-groups issued; Lanes that were active in them, added up, of Room.
	Instructions, Lanes, Room uint64
	// CacheLines of 64 bytes that sub-groups touched in global memory, and how many they would be at best.
	CacheLines, CacheLinesAtBest uint64
	// Passes over the banks of local memory that sub-groups took, and how many they would be at best.
	Passes, PassesAtBest uint64
	// Atomics is how many atomic operations sub-groups issued, and Meeting how many of their lanes met at one
	// address, added up.
	Atomics, Meeting uint64
}

// Lines returns the counts by line, in the order of files and lines; none if the recorder was not made with
// [Options].Subgroups. They are not complete where there were more kinds of access than a recorder counts.
func (r *Recorder) Lines() (rows []LineCounts, complete bool) {
	if r.subgroups == nil {
		return nil, true
	}
	type position struct {
		file string
		line uint32
	}
	index := make(map[position]int)
	at := func(file string, line uint32, source string) *LineCounts {
		if line == 0 {
			file, source = "", ""
		}
		key := position{file, line}
		i, ok := index[key]
		if !ok {
			i = len(rows)
			index[key] = i
			rows = append(rows, LineCounts{File: file, Line: line})
		}
		rows[i].Source = cmp.Or(rows[i].Source, source)
		return &rows[i]
	}
	for i, info := range r.launches {
		for _, c := range r.lineRows(i) {
			row := at(c.file, c.line, c.source)
			row.Instructions += c.instructions
			row.Lanes += c.lanes
			row.Room += c.instructions * uint64(max(info.SubgroupSize, 1))
		}
	}
	for _, a := range r.accessRows() {
		p := r.places[site{a.launch, a.accessCounts.pc}]
		row := at(p.File, p.Line, p.Source)
		switch {
		case a.a == memory.AccessAtomic:
			row.Atomics += a.subgroups
			row.Meeting += a.sameAddresses
		case a.space == memory.SpaceGlobal:
			row.CacheLines += a.units
			row.CacheLinesAtBest += a.least
		case a.space == memory.SpaceLocal:
			row.Passes += a.units
			row.PassesAtBest += a.least
		}
	}
	slices.SortFunc(rows, func(a, b LineCounts) int { return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return rows, !r.subgroups.dropped
}
