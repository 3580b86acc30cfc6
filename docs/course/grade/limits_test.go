package grade

import (
	"encoding/binary"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/checks"
	"github.com/lockstep-gpu/lockstep/docs/course"
	"github.com/lockstep-gpu/lockstep/emu/trace"
)

// TestExcess holds when a count is beyond its limit, and which line is named.
func TestExcess(t *testing.T) {
	rows := []trace.LineCounts{
		{Line: 3, Source: "three", Instructions: 10, Lanes: 300, Room: 320, CacheLines: 4, CacheLinesAtBest: 4, Passes: 7, PassesAtBest: 7, Arrivals: 2},
		{Line: 5, Source: "five", Instructions: 30, Lanes: 480, Room: 960, CacheLines: 30, CacheLinesAtBest: 2, Passes: 9, PassesAtBest: 1,
			Atomics: 2, AtomicLanes: 40, Meeting: 33, Copies: 1, Flight: 300, Overlap: 149, Waits: 1, WaitTicks: 60},
	}
	for _, c := range []struct {
		limit course.Limit
		value uint64 // 0: no excess
		line  uint32
	}{
		{course.Limit{Count: course.Instructions, Most: 40}, 0, 0},
		{course.Limit{Count: course.Instructions, Most: 39}, 40, 5},
		{course.Limit{Count: course.IdleLanes, Most: 40}, 0, 0}, // 39.06 %, rounded up
		{course.Limit{Count: course.IdleLanes, Most: 39}, 40, 5},
		{course.Limit{Count: course.CacheLines, Most: 33}, 34, 5},
		{course.Limit{Count: course.ExcessLines, Most: 567}, 0, 0},
		{course.Limit{Count: course.ExcessLines, Most: 566}, 567, 5},
		{course.Limit{Count: course.BankConflicts, Most: 7}, 8, 5},
		{course.Limit{Count: course.Barriers, Most: 1}, 2, 3},
		{course.Limit{Count: course.Atomics, Most: 39}, 40, 5},
		{course.Limit{Count: course.Meeting, Most: 32}, 33, 5},
		{course.Limit{Count: course.Copies, Least: 1}, 0, 0},
		{course.Limit{Count: course.Copies, Least: 2}, 1, 0},
		{course.Limit{Count: course.CopyWaits, Most: 59}, 60, 5},
		{course.Limit{Count: course.CopyOverlap, Least: 50}, 49, 0}, // 49.67 %, rounded down
		{course.Limit{Count: course.CopyOverlap, Least: 49}, 0, 0},
	} {
		x := excess(&c.limit, rows)
		switch {
		case x == nil && c.value != 0:
			t.Errorf("%+v: no excess", c.limit)
		case x != nil && (x.Value != c.value || x.Line != c.line):
			t.Errorf("%+v: %d, line %d, want %d, line %d", c.limit, x.Value, x.Line, c.value, c.line)
		}
	}
	if x := excess(&course.Limit{Count: course.CacheLines}, nil); x != nil {
		t.Errorf("an excess without counts: %+v", x)
	}
}

// TestAnyOrder holds how elements are compared that may stand in any order.
func TestAnyOrder(t *testing.T) {
	bytes := func(list ...uint32) (b []byte) {
		for _, v := range list {
			b = binary.LittleEndian.AppendUint32(b, v)
		}
		return b
	}
	tr, err := newTrial(&course.Run{Flags: "-kernel k -global 1 -arg zero:u32:4"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		got     []byte
		missing int
		first   string
	}{
		{bytes(1, 2, 2, 3), 0, ""}, {bytes(3, 2, 1, 2), 0, ""}, {bytes(1, 2, 3, 3), 1, "2"}, {bytes(0, 0, 0, 0), 4, "1"}, {bytes(2, 2, 2, 1), 1, "3"},
	} {
		d, err := tr.compare(&course.Want{Data: bytes(1, 2, 2, 3), AnyOrder: true}, &checks.Outcome{Buffers: [][]byte{c.got}})
		switch {
		case err != nil:
			t.Error(err)
		case d == nil && c.missing > 0 || d != nil && (d.Count != c.missing || d.Want != c.first):
			t.Errorf("%v: %+v, want %d missing, %q the first", c.got, d, c.missing, c.first)
		}
	}
	if _, err := tr.compare(&course.Want{Data: bytes(1)}, &checks.Outcome{Buffers: [][]byte{bytes(1, 2)}}); err == nil {
		t.Error("a reference of another size is no error")
	}
}
