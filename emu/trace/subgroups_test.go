package trace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// addresses returns n addresses, each step bytes behind the one before.
func addresses(first memory.Pointer, n int, step int64) []memory.Pointer {
	list := make([]memory.Pointer, n)
	for i := range list {
		list[i] = first.Add(int64(i) * step)
	}
	return list
}

// accesses tells of an access of a sub-group whose first lanes are active.
func accesses(r *Recorder, pc, first int, a memory.Access, size uint64, addresses []memory.Pointer) {
	items := make([]int, len(addresses))
	for i := range items {
		items[i] = first + i
	}
	r.Accesses(pc, first, a, size, items, addresses)
}

// TestAccessCounts compares what one access of a sub-group of 32 lanes costs in the model.
func TestAccessCounts(t *testing.T) {
	tests := []struct {
		name         string
		size         uint64
		parts        [][]memory.Pointer // of one instruction of the module
		units, least uint64
		bytes, same  uint64
	}{
		{"consecutive words", 4, [][]memory.Pointer{addresses(global(0), 32, 4)}, 2, 2, 128, 1},
		{"consecutive words, not at the start of a line", 4, [][]memory.Pointer{addresses(global(60), 32, 4)}, 3, 2, 128, 1},
		{"one address", 4, [][]memory.Pointer{addresses(global(64), 32, 0)}, 1, 1, 4, 32},
		{"a line each", 4, [][]memory.Pointer{addresses(global(0), 32, 64)}, 32, 2, 128, 1},
		{"an element across two lines", 8, [][]memory.Pointer{addresses(global(60), 1, 0)}, 2, 1, 8, 1},
		{"before the buffer", 4, [][]memory.Pointer{addresses(global(-4), 2, 4)}, 2, 1, 8, 1},
		{"vectors of two", 4, [][]memory.Pointer{addresses(global(0), 32, 8), addresses(global(4), 32, 8)}, 4, 4, 256, 1},
		{"two buffers", 4, [][]memory.Pointer{{global(0), memory.MakePointer(memory.SpaceGlobal, 2, 0)}}, 2, 1, 8, 1},
		{"huge", 1 << 38, [][]memory.Pointer{{global(0)}}, 1 << 32, 1 << 32, 1 << 38, 1},
		{"local: consecutive words", 4, [][]memory.Pointer{addresses(local(0), 32, 4)}, 1, 1, 128, 1},
		{"local: one bank", 4, [][]memory.Pointer{addresses(local(0), 32, 128)}, 32, 1, 128, 1},
		{"local: two words a bank", 4, [][]memory.Pointer{addresses(local(0), 32, 8)}, 2, 1, 128, 1},
		{"local: one word", 4, [][]memory.Pointer{addresses(local(12), 32, 0)}, 1, 1, 4, 32},
		{"local: bytes of one word", 1, [][]memory.Pointer{addresses(local(0), 4, 1)}, 1, 1, 4, 1},
		{"local: doubles", 8, [][]memory.Pointer{addresses(local(0), 32, 8)}, 2, 2, 256, 1},
		{"local: padded columns", 4, [][]memory.Pointer{addresses(local(0), 32, 132)}, 1, 1, 128, 1},
		{"local: huge", 1 << 38, [][]memory.Pointer{{local(0)}}, 1 << 31, 1 << 31, 1 << 38, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := New(Options{Subgroups: true})
			i, place := info(), info().Place
			i.Place = func(pc int) finding.Place {
				p := place(1)
				p.Word = 10 // all parts are of one instruction
				return p
			}
			r.Begin(i)
			r.Group(scheduler.Group{}, 32, 0)
			for pc, list := range test.parts {
				accesses(r, pc+1, 0, memory.AccessRead, test.size, list)
			}
			rows := r.accessRows()
			if len(rows) != 1 {
				t.Fatalf("%d rows, want 1", len(rows))
			}
			c := rows[0].accessCounts
			want := accessCounts{pc: 1, size: test.size * uint64(len(test.parts)), subgroups: 1, lanes: uint64(len(test.parts[0])),
				units: test.units, least: test.least, bytes: test.bytes, sameAddresses: test.same}
			if *c != want {
				t.Errorf("got %+v\nwant %+v", *c, want)
			}
		})
	}
}

// TestRepeatedAccess has a sub-group come to an instruction again, and two sub-groups to the same.
func TestRepeatedAccess(t *testing.T) {
	r := New(Options{Subgroups: true})
	r.Begin(info())
	r.Group(scheduler.Group{}, 64, 0)
	for range 3 {
		for _, first := range []int{0, 32} {
			accesses(r, 2, first, memory.AccessWrite, 4, addresses(global(int64(4*first)), 32, 4))
		}
	}
	rows := r.accessRows()
	if len(rows) != 1 || rows[0].subgroups != 6 || rows[0].units != 12 || rows[0].lanes != 192 {
		t.Errorf("got %+v", rows)
	}
}

// TestWriteSubgroups compares the texts with testdata.
func TestWriteSubgroups(t *testing.T) {
	r := New(Options{Subgroups: true})
	r.Begin(info())
	r.Group(scheduler.Group{}, 64, 0)
	r.Block(1, 3, 0, 32, [2]uint64{})
	r.Block(1, 3, 32, 8, [2]uint64{})
	r.Block(3, 4, 0, 1, [2]uint64{})
	accesses(r, 2, 0, memory.AccessRead, 4, addresses(global(0), 32, 4))
	accesses(r, 2, 32, memory.AccessRead, 4, addresses(global(0), 8, 64))
	accesses(r, 3, 0, memory.AccessWrite, 4, addresses(local(0), 32, 128))
	accesses(r, 4, 0, memory.AccessAtomic, 4, addresses(local(0), 16, 0))
	accesses(r, 9, 0, memory.AccessRead, 1, addresses(global(5), 1, 0))
	var b bytes.Buffer
	for _, write := range []func() error{
		func() error { return r.WriteMemory(&b, TextOptions{}) },
		func() error { b.WriteByte('\n'); return r.WriteLanes(&b, TextOptions{}) },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "subgroups.txt", b.String())
	b.Reset()
	New(Options{}).WriteMemory(&b, TextOptions{})
	if !strings.Contains(b.String(), "was not made to count") {
		t.Errorf("a recorder without counts writes %q", b.String())
	}
}
