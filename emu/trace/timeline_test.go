package trace

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// TestAccessMap looks at which work-items accessed which elements.
func TestAccessMap(t *testing.T) {
	r := New(Options{Subgroups: true})
	i := info()
	i.Local, i.Groups, i.Global = [3]uint32{2, 1, 1}, [3]uint64{3, 1, 1}, [3]uint64{6, 1, 1}
	r.Begin(i)
	for id := range uint64(3) {
		r.Group(scheduler.Group{ID: [3]uint64{id}}, 2, 0)
		accesses(r, 1, 0, memory.AccessRead, 4, []memory.Pointer{global(8), global(12)})
		accesses(r, 2, 0, memory.AccessWrite, 4, []memory.Pointer{global(int64(8 + 4*id))})
		if id == 2 {
			accesses(r, 3, 0, memory.AccessAtomic, 8, []memory.Pointer{global(8)})
		}
		accesses(r, 3, 0, memory.AccessRead, 4, []memory.Pointer{local(0)})
		r.GroupEnd(1)
	}
	const no, read, wrote, both, atomic = AccessedNot, AccessedRead, AccessedWritten, AccessedBoth, AccessedAtomic
	want := []AccessMap{
		{Launch: "stencil", Memory: "in", First: 8, Unit: 4, Items: 6, Rows: []AccessMapRow{
			{0, []Accessed{both, no, no}}, {1, []Accessed{no, read, no}}, {2, []Accessed{read, wrote, no}}, {3, []Accessed{no, read, no}}, {4, []Accessed{atomic, atomic, wrote}}, {5, []Accessed{no, read, no}},
		}},
		{Launch: "stencil", Memory: "tile", Local: true, Unit: 4, Items: 6, Rows: []AccessMapRow{{0, []Accessed{read}}, {2, []Accessed{read}}, {4, []Accessed{read}}}},
	}
	if diff := cmp.Diff(want, r.AccessMaps()); diff != "" {
		t.Errorf("maps (-want +got):\n%s", diff)
	}
}

// TestAccessMapLimits has accesses that are far apart, large, many, and of later work-items.
func TestAccessMapLimits(t *testing.T) {
	r := New(Options{Subgroups: true})
	i := info()
	i.Local, i.Groups = [3]uint32{64, 1, 1}, [3]uint64{2, 1, 1}
	r.Begin(i)
	for id := range uint64(2) {
		r.Group(scheduler.Group{ID: [3]uint64{id}}, 64, 0)
		accesses(r, 1, 0, memory.AccessRead, 1<<38, []memory.Pointer{global(-1 << 39)})
		accesses(r, 1, 0, memory.AccessRead, 1, []memory.Pointer{global(1<<39 - 1)})
		for k := range int64(maxMapCells + 1) {
			accesses(r, 2, 0, memory.AccessRead, 4, []memory.Pointer{local(4 * k)})
		}
	}
	maps := r.AccessMaps()
	if len(maps) != 2 {
		t.Fatalf("%d maps", len(maps))
	}
	far, many := &maps[0], &maps[1]
	if len(far.Rows) != 1 || len(far.Rows[0].Cells) > mapColumns || far.Rows[0].Cells[0] != AccessedRead || far.Rows[0].Cells[len(far.Rows[0].Cells)-1] != AccessedRead || far.Cut {
		t.Errorf("accesses that are far apart have the map %+v", far)
	}
	if len(many.Rows) != 1 || !many.Cut {
		t.Errorf("many accesses have the map %+v", many)
	}
}

// TestTimelines compares the spans of pictures with what was played.
func TestTimelines(t *testing.T) {
	r := recorded(stencil, 0)
	list, left := r.Timelines(1, 22)
	if len(list) != 1 || left != 1 {
		t.Fatalf("%d pictures, %d left", len(list), left)
	}
	want := Timeline{Name: "group (0,0,0)", End: 44, Rows: []TimelineRow{
		{Name: "wave 0", Spans: []TimelineSpan{{0, 4, ActivityRuns, 0}, {4, 8, ActivityIssue, 0}, {8, 14, ActivityRuns, 0}, {14, 20, ActivityBarrierWait, 0}, {20, 22, ActivityRuns, 0}, {22, 24, ActivityIssue, 0}, {24, 30, ActivityCopyWait, 0}, {30, 36, ActivityRuns, 0}}},
		{Name: "wave 1", Spans: []TimelineSpan{{0, 14, ActivityIdle, 0}, {14, 20, ActivityRuns, 0}, {20, 34, ActivityIdle, 0}, {34, 40, ActivityRuns, 0}, {40, 42, ActivityMark, 0}, {42, 44, ActivityRuns, 0}}},
		{Name: "barriers", Spans: []TimelineSpan{{20, 22, ActivityBarrier, 0}}},
		{Name: "dma 0", Spans: []TimelineSpan{{4, 8, ActivityCopy, 0}, {22, 30, ActivityCopy, 0}}},
		{Name: "dma 1", Spans: []TimelineSpan{{6, 18, ActivityCopy, 0}}},
	}}
	var notes []string
	for i := range list[0].Rows {
		row := &list[0].Rows[i]
		for _, n := range row.Notes {
			notes = append(notes, fmt.Sprintf("%s %d-%d: %s", row.Name, n.From, n.To, n.Text))
		}
		row.Notes = nil
	}
	wantNotes := []string{
		"barriers 20-21: a barrier opens (line 4)", "dma 0 4-8: copy 1: 256 bytes from in+0 to tile+0 (line 2)",
		"dma 0 22-30: copy 3: 128 bytes from in-4 to tile+512 (line 5)", "dma 1 6-18: copy 2: 256 bytes from in+256 to tile+256 (line 2)",
	}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, list[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for a := range NumActivities {
		if a.String() == "" {
			t.Errorf("activity %d has no name", a)
		}
	}
}

// TestLaneStrips has columns get wider, and a sub-group wait.
func TestLaneStrips(t *testing.T) {
	r := New(Options{Subgroups: true})
	i := info()
	i.Barrier = func(pc int) bool { return pc == 4 }
	r.Begin(i)
	for id := range uint64(2) { // of which the first is drawn
		r.Group(scheduler.Group{ID: [3]uint64{id}}, 64, 0)
		for range 100 {
			r.Block(0, 2, 0, 32, [2]uint64{})
			r.Block(2, 4, 0, 8, [2]uint64{})
		}
		r.Block(4, 5, 0, 32, [2]uint64{})
		r.Block(4, 5, 32, 32, [2]uint64{})
		r.Barrier(4, 0)
		r.Block(0, 2, 32, 16, [2]uint64{})
		r.GroupEnd(0)
	}
	strips := r.LaneStrips()
	if len(strips) != 2 || strips[0].End != 401 || strips[1].End != 403 || len(strips[0].Columns) != 101 || len(strips[1].Columns) != 101 {
		t.Fatalf("got %+v", strips)
	}
	// Columns of four ticks.
	if got, want := strips[0].Columns[7], (LaneColumn{28, 32, 4, 80}); got != want {
		t.Errorf("column 7 is %v, want %v", got, want)
	}
	if got, want := strips[1].Columns[50], (LaneColumn{200, 204, 0, 0}); got != want {
		t.Errorf("column 50 of the one that waits is %v, want %v", got, want)
	}
	if got, want := strips[1].Columns[100], (LaneColumn{400, 403, 2, 32}); got != want {
		t.Errorf("the last column is %v, want %v", got, want)
	}
}

// TestBanks counts conflicts and words of banks.
func TestBanks(t *testing.T) {
	r := New(Options{Subgroups: true})
	r.Begin(info())
	r.Group(scheduler.Group{}, 32, 0)
	accesses(r, 1, 0, memory.AccessRead, 4, addresses(local(0), 32, 4))
	accesses(r, 2, 0, memory.AccessRead, 4, addresses(local(0), 32, 128))
	accesses(r, 3, 0, memory.AccessAtomic, 4, addresses(local(0), 32, 128)) // which is no conflict of banks
	b := r.Banks()
	if b.Words[0] != 33 || b.Words[1] != 1 {
		t.Errorf("the words of banks are %v", b.Words)
	}
	if diff := cmp.Diff(map[uint64]uint64{0: 1, 31: 1}, b.Conflicts); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
}

// TestNotesLeft has more notes than a row has room for.
func TestNotesLeft(t *testing.T) {
	var row TimelineRow
	var list []TimelineNote
	for i := range uint64(maxNotes + 3) {
		list = append(list, TimelineNote{From: maxNotes + 3 - i})
	}
	if row.addNotes(list); len(row.Notes) != maxNotes || row.NotesLeft != 3 || row.Notes[0].From != 1 {
		t.Errorf("%d notes from tick %d on, %d left", len(row.Notes), row.Notes[0].From, row.NotesLeft)
	}
}
