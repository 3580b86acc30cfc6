package scheduler

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestHalt holds that the first fault in the order of the schedule ends a launch, and
// that counters, findings and output are those of the groups up to it, for any number of
// workers, also where other workers come to later faults before.
func TestHalt(t *testing.T) {
	const groups = 3000
	for _, fault := range []uint64{0, 1, 700, 1499, 1500, 1501, 2998, groups - 1} {
		for _, o := range []Order{InOrder, Reverse} {
			for _, prints := range []bool{false, true} {
				t.Run(fmt.Sprint(fault, o, prints), func(t *testing.T) { testHalt(t, groups, fault, o, prints) })
			}
		}
	}
}

func testHalt(t *testing.T, groups, fault uint64, o Order, prints bool) {
	position := func(l *lane) uint64 {
		if o == Reverse {
			return groups - 1 - l.group.Linear
		}
		return l.group.Linear
	}
	p := program{
		{do: func(l *lane) {
			if l.id == 0 && prints {
				l.group.Output = append(l.group.Output, fmt.Sprintln(position(l))...)
			}
		}},
		// A barrier that not all come to is a finding that does not end the group.
		{jump: func(l *lane) bool { return l.id == 1 && position(l)%100 == 0 }, to: 4},
		{barrier: true},
		{fault: func(l *lane) bool { return position(l) >= fault && position(l)%3 == fault%3 && l.id == 2 }},
		{do: func(*lane) {}},
	}
	var want *Result
	for _, workers := range []int{1, 2, 3, 8} {
		k := p.kernel()
		k.UsesPrintf = prints
		l := launchOf(k, [3]uint64{groups * 4, 1, 1}, [3]uint64{4, 1, 1})
		r := New(&fakeCode{p: p})
		res, err := r.Run(context.Background(), l, Options{Workers: workers, Order: o, Parallel: ParallelAlways})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = res
		}
		if !reflect.DeepEqual(res, want) {
			t.Errorf("%d workers:\n%+v\nwith one\n%+v", workers, res, want)
		}
	}
	if want.Groups != fault+1 || !want.Halted || want.Counters.Waves != fault+1 || want.Stopped != nil {
		t.Errorf("%+v", want)
	}
	last := want.Faults[len(want.Faults)-1]
	if last.Code != finding.DivideByZero || last.Group.Position != fault || last.Count != 1 || want.Faults[0].Code != finding.PartialBarrier || want.Faults[0].Groups != 1+fault/100 {
		t.Errorf("faults %+v", want.Faults)
	}
	if lines := strings.Fields(string(want.Output)); prints && (len(lines) != int(fault)+1 || lines[fault] != fmt.Sprint(fault)) {
		t.Errorf("%d lines of output, the last %q", len(lines), lines[len(lines)-1])
	}
}

// TestHaltCancels holds that groups behind a fault are cancelled when all groups before
// it are over, and that those before it are not.
func TestHaltCancels(t *testing.T) {
	var late, early atomic.Bool
	p := program{
		{do: func(l *lane) {
			if l.group.Linear >= 3 {
				late.Store(true)
			}
		}},
		// Group 3 goes on for ever; groups 1 and 2 wait for it to begin. Group 2 faults.
		{jump: func(l *lane) bool { return l.group.Linear == 3 || l.group.Linear > 0 && !late.Load() }, to: 1},
		{fault: func(l *lane) bool { return l.group.Linear == 2 }},
		{do: func(l *lane) {
			if l.group.Linear == 1 {
				early.Store(true)
			}
		}},
	}
	l := launchOf(p.kernel(), [3]uint64{4, 1, 1}, [3]uint64{1, 1, 1})
	res, err := Run(context.Background(), &fakeCode{p: p}, l, Options{Workers: 4, Parallel: ParallelAlways})
	if err != nil || !res.Halted || res.Groups != 3 || len(res.Faults) != 1 || res.Stopped != nil {
		t.Errorf("%v, %+v", err, res)
	}
	if !early.Load() {
		t.Error("a group before the fault did not end")
	}
}

// TestHaltNot holds that the end of the context counts where it came before the groups
// in front of a fault were over.
func TestHaltNot(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p := program{
		{fault: func(l *lane) bool {
			if l.group.Linear == 1 {
				cancel()
			}
			return l.group.Linear == 1
		}},
		{jump: func(*lane) bool { return true }, to: 1},
	}
	l := launchOf(p.kernel(), [3]uint64{2, 1, 1}, [3]uint64{1, 1, 1})
	res, err := Run(ctx, &fakeCode{p: p}, l, Options{Workers: 2, Parallel: ParallelAlways})
	if err == nil || res.Halted || len(res.Faults) != 1 || len(res.Stopped) == 0 {
		t.Errorf("%v, %+v", err, res)
	}
}

// TestManyBatches holds that a worker remembers a bounded number of stretches.
func TestManyBatches(t *testing.T) {
	p := program{{do: func(*lane) {}}}
	s := &launch{Launch: launchOf(p.kernel(), [3]uint64{1 << 40, 1, 1}, [3]uint64{1, 1, 1}), runner: New(&fakeCode{p: p}), opt: Options{Workers: 8}}
	s.runner.inspect(s.Kernel)
	if err := s.prepare(); err != nil {
		t.Fatal(err)
	}
	if s.batches > 1<<16 || s.batch*s.batches < 1<<40 {
		t.Errorf("%d batches of %d", s.batches, s.batch)
	}
}

// TestSetHalt holds that a fault ends a set at once, with what other launches have found.
func TestSetHalt(t *testing.T) {
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		net := newNetwork(t)
		p := net.pipe("p", 1)
		var got []int
		net.launch(program{
			{do: func(l *lane) { l.v[3] = int(l.group.Linear) }},
			{fault: func(l *lane) bool { return l.group.Linear == 2 }},
			{pipe: at(0), write: true, blocking: true},
		}, 6000, 1, writes(p))
		net.launch(sinkTo(&got, 6000), 1, 1, reads(p))
		res := net.mustRun(Options{Order: o})
		a, b := res.Launches[0], res.Launches[1]
		if !a.Halted || !b.Halted || len(a.Faults) != 1 || a.Faults[0].Group.Linear != 2 && o == InOrder || a.Groups >= 6000 || b.Groups != 0 || b.Faults != nil || b.Stopped != nil {
			t.Errorf("%v: %+v\n%+v", o, a, b)
		}
		if o == InOrder && !slices.Equal(got, []int{0}) {
			t.Errorf("read %v", got)
		}
	}
}
