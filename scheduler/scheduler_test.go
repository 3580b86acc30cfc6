package scheduler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

func TestPermutation(t *testing.T) {
	for n := uint64(1); n < 300; n++ {
		for _, o := range []Order{InOrder, Reverse, Seeded} {
			p := newPermutation(o, 7, n)
			seen := make([]bool, n)
			for i := range n {
				at := p.at(i)
				if at >= n || seen[at] {
					t.Fatalf("%v of %d: place %d has %d, which is out of range or there twice", o, n, i, at)
				}
				seen[at] = true
			}
		}
	}
	// The bits of a seed's order are part of what a seed promises.
	p := newPermutation(Seeded, 1, 10)
	var got []uint64
	for i := range uint64(10) {
		got = append(got, p.at(i))
	}
	if want := "[9 6 0 1 3 4 8 2 5 7]"; fmt.Sprint(got) != want {
		t.Errorf("seed 1 of 10: %v, want %v", got, want)
	}
	for _, n := range []uint64{1 << 40, 1<<40 + 1, math.MaxUint64} {
		p := newPermutation(Seeded, 3, n)
		if a, b := p.at(0), p.at(n-1); a >= n || b >= n || a == b {
			t.Errorf("order of %d: first %d, last %d", n, a, b)
		}
	}
}

func TestOrderText(t *testing.T) {
	for o := range numOrders {
		text, err := o.MarshalText()
		var back Order
		if err != nil || back.UnmarshalText(text) != nil || back != o {
			t.Errorf("%v does not survive its text form %q", o, text)
		}
	}
	if _, err := ParseOrder("sideways"); err == nil || !strings.Contains(err.Error(), "sideways") {
		t.Errorf("ParseOrder of an unknown name: %v", err)
	}
}

// TestCover checks that every work-item runs once, with the right sizes of
// groups at the edges, in every order and on any number of workers.
func TestCover(t *testing.T) {
	global, local := [3]uint64{13, 7, 5}, [3]uint64{4, 3, 2}
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		for _, workers := range []int{1, 2, 5} {
			var mu sync.Mutex
			seen := map[[3]uint64]int{}
			p := program{{do: func(l *lane) {
				s := l.group.Size
				id := [3]uint64{uint64(l.id) % uint64(s[0]), uint64(l.id) / uint64(s[0]) % uint64(s[1]), uint64(l.id) / uint64(s[0]*s[1])}
				for d := range 3 {
					id[d] += l.group.ID[d] * local[d]
				}
				mu.Lock()
				seen[id]++
				mu.Unlock()
			}}}
			res, err := Run(context.Background(), &fakeCode{p: p}, launchOf(p.kernel(), global, local),
				Options{Order: o, Seed: 5, Workers: workers, Parallel: ParallelAlways})
			if err != nil {
				t.Fatal(err)
			}
			for id, n := range seen {
				if n != 1 || id[0] >= global[0] || id[1] >= global[1] || id[2] >= global[2] {
					t.Errorf("%v, %d workers: work-item %v ran %d times", o, workers, id, n)
				}
			}
			if len(seen) != 13*7*5 || res.Groups != 4*3*3 || res.Counters.LaneOps != 13*7*5 {
				t.Errorf("%v, %d workers: %d work-items in %d groups, counters %+v", o, workers, len(seen), res.Groups, res.Counters)
			}
		}
	}
}

// groupOrder returns the order in which the groups of a launch run.
func groupOrder(t *testing.T, opt Options, orderDependent bool) []uint64 {
	t.Helper()
	var order []uint64
	p := program{{do: func(l *lane) { order = append(order, l.group.Linear) }}}
	k := p.kernel()
	k.OrderDependent = orderDependent
	if _, err := Run(context.Background(), &fakeCode{p: p}, launchOf(k, [3]uint64{6, 1, 1}, [3]uint64{1, 1, 1}), opt); err != nil {
		t.Fatal(err)
	}
	return order
}

func TestGroupOrder(t *testing.T) {
	// Whatever is not in order, or depends on the order, runs on one worker: a
	// data race in append would show here under the race detector.
	for _, c := range []struct {
		opt       Options
		dependent bool
		want      string
	}{
		{Options{Workers: 4}, true, "[0 1 2 3 4 5]"},
		{Options{Workers: 4, Parallel: ParallelNever}, false, "[0 1 2 3 4 5]"},
		{Options{Workers: 4, Order: Reverse}, false, "[5 4 3 2 1 0]"},
		{Options{Workers: 4, Order: Seeded, Seed: 1}, false, "[2 5 0 1 3 4]"},
		{Options{Workers: 1, Order: Seeded, Seed: 1}, true, "[2 5 0 1 3 4]"},
	} {
		if got := fmt.Sprint(groupOrder(t, c.opt, c.dependent)); got != c.want {
			t.Errorf("%+v: groups ran in the order %s, want %s", c.opt, got, c.want)
		}
	}
}

// printing prints its place three times, over several turns.
func printing() program {
	return program{
		{do: func(l *lane) {
			l.group.Output = fmt.Appendf(l.group.Output, "%d.%d.%d ", l.group.Linear, l.id, l.v[0])
		}},
		{jump: times(0, 3), to: 0},
	}
}

func TestOutputOrder(t *testing.T) {
	p := printing()
	k := p.kernel()
	k.UsesPrintf = true
	run := func(opt Options) (string, *Result) {
		res, err := Run(context.Background(), &fakeCode{p: p}, launchOf(k, [3]uint64{600, 1, 1}, [3]uint64{6, 1, 1}), opt)
		if err != nil {
			t.Fatal(err)
		}
		return string(res.Output), res
	}
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		want, _ := run(Options{Order: o, Seed: 9, Workers: 1, Quantum: 1})
		if n := strings.Count(want, " "); n != 600*3 {
			t.Fatalf("%v: %d pieces of output, want %d", o, n, 600*3)
		}
		for _, workers := range []int{2, 3, 8} {
			for _, par := range []Parallel{ParallelAuto, ParallelAlways} {
				if got, _ := run(Options{Order: o, Seed: 9, Workers: workers, Parallel: par, Quantum: 1}); got != want {
					t.Errorf("%v with %d workers prints something else", o, workers)
				}
			}
		}
		// A limit keeps the same beginning for every number of workers.
		for _, workers := range []int{1, 4} {
			got, res := run(Options{Order: o, Seed: 9, Workers: workers, Parallel: ParallelAlways, Quantum: 1, MaxOutput: 1001})
			if got != want[:1001] || res.Dropped != uint64(len(want)-1001) {
				t.Errorf("%v with %d workers: kept %d and dropped %d of %d bytes", o, workers, len(got), res.Dropped, len(want))
			}
		}
		var b bytes.Buffer
		if got, _ := run(Options{Order: o, Seed: 9, Workers: 4, Quantum: 1, Output: &b}); got != "" || b.String() != want {
			t.Errorf("%v: a writer got something else than the result", o)
		}
	}
}

type failingWriter struct{ n int }

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

func TestOutputError(t *testing.T) {
	p := printing()
	k := p.kernel()
	k.UsesPrintf = true
	for _, workers := range []int{1, 4} {
		_, err := Run(context.Background(), &fakeCode{p: p}, launchOf(k, [3]uint64{1 << 20, 1, 1}, [3]uint64{1, 1, 1}),
			Options{Workers: workers, Output: &failingWriter{n: 100}})
		if !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("%d workers: error %v, want that of the writer", workers, err)
		}
	}
}

// TestOutputBound checks that finished output of groups far ahead is not
// heaped up while an early group is still running.
func TestOutputBound(t *testing.T) {
	var s sink
	s.init(nil, 100)
	s.commit(1, batch{out: make([]byte, 101)})
	var ahead atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		s.commit(2, batch{out: []byte("x")})
		ahead.Store(true)
	})
	if s.mu.Lock(); len(s.pending) > 1 || ahead.Load() {
		t.Error("output was taken although there was too much of it")
	}
	s.mu.Unlock()
	s.commit(0, batch{out: []byte("first"), dropped: 7})
	wg.Wait()
	if s.next != 3 || len(s.pending) != 0 || s.held != 0 || string(s.buf[:5]) != "first" || s.dropped != 7+7 {
		t.Errorf("after all: next %d, pending %d, held %d, dropped %d", s.next, len(s.pending), s.held, s.dropped)
	}
}

// TestBarrier checks that nobody passes a barrier before all have come, with
// one wave and with several, in every order.
func TestBarrier(t *testing.T) {
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		for _, lanes := range []int{4, 8, 64} {
			arrived := map[uint64]int{}
			p := program{
				{do: func(l *lane) { arrived[l.group.Linear]++ }},
				{barrier: true},
				{do: func(l *lane) {
					if n := arrived[l.group.Linear]; n < 30*(l.v[0]+1) {
						t.Fatalf("a work-item passed a barrier when %d had arrived", n)
					}
				}},
				{barrier: true},
				{jump: times(0, 3), to: 0},
			}
			res, err := Run(context.Background(), &fakeCode{p: p}, launchOf(p.kernel(), [3]uint64{90, 1, 1}, [3]uint64{30, 1, 1}),
				Options{Order: o, WaveLanes: lanes, Parallel: ParallelNever})
			if err != nil || len(res.Faults) != 0 {
				t.Errorf("%v, %d lanes: %v, faults %+v", o, lanes, err, res.Faults)
			}
		}
	}
}

func TestBarrierDeadlock(t *testing.T) {
	// Work-items 0 to 7 wait at instruction 1, 8 to 11 at instruction 2, the
	// others end at once.
	p := program{
		{jump: func(l *lane) bool { return l.id >= 12 }, to: 4},
		{jump: func(l *lane) bool { return l.id >= 8 }, to: 3},
		{barrier: true},
		{barrier: true},
		{do: func(*lane) {}},
	}
	for _, lanes := range []int{4, 16} {
		for _, workers := range []int{1, 3} {
			res, err := Run(context.Background(), &fakeCode{p: p}, launchOf(p.kernel(), [3]uint64{160, 1, 1}, [3]uint64{16, 1, 1}),
				Options{WaveLanes: lanes, Workers: workers, KeepGoing: true})
			if err != nil {
				t.Fatal(err)
			}
			want := []Fault{{
				Fault: engine.Fault{Code: finding.BarrierDeadlock, PC: 2, Lane: 0, Lanes: 12},
				Group: Group{Size: [3]uint32{16, 1, 1}},
				Waiting: []Waiting{
					{PC: 2, Items: finding.Spans{{0, 7}}},
					{PC: 3, Items: finding.Spans{{8, 11}}},
				},
				Ended: finding.Spans{{12, 15}},
				Count: 120, Groups: 10,
			}}
			if !reflect.DeepEqual(res.Faults, want) {
				t.Errorf("%d lanes, %d workers: faults\n%+v\nwant\n%+v", lanes, workers, res.Faults, want)
			}
			if res.Groups != 10 {
				t.Errorf("%d groups ran, want 10", res.Groups)
			}
		}
	}
}

func TestPartialBarrier(t *testing.T) {
	// The barrier opens for those who are left, again and again.
	passed := 0
	p := program{
		{jump: func(l *lane) bool { return l.id == 5 }, to: 4},
		{barrier: true},
		{jump: times(0, 3), to: 1},
		{do: func(*lane) { passed++ }},
		{do: func(*lane) {}},
	}
	for _, lanes := range []int{4, 8} {
		passed = 0
		res, err := Run(context.Background(), &fakeCode{p: p}, launchOf(p.kernel(), [3]uint64{16, 1, 1}, [3]uint64{8, 1, 1}),
			Options{WaveLanes: lanes, Parallel: ParallelNever})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Faults) != 1 || passed != 14 {
			t.Fatalf("%d lanes: faults %+v, %d passed", lanes, res.Faults, passed)
		}
		f := res.Faults[0]
		if f.Code != finding.PartialBarrier || f.PC != 1 || f.Count != 14 || f.Groups != 2 ||
			fmt.Sprint(f.Waiting, f.Ended) != "[{1 0–4, 6–7 false}] 5" {
			t.Errorf("%d lanes: fault %+v", lanes, f)
		}
	}
}

// spinning has work-item 0 wait in a loop for the last one of its group, in a
// block before the one that ends the wait.
func spinning(spins isa.Op) program {
	flag := false
	return program{
		{jump: func(l *lane) bool { return l.id > 0 }, to: 3},
		{isa: spins, do: func(*lane) {}},
		{jump: func(l *lane) bool { return !flag }, to: 1},
		{do: func(l *lane) {
			flag = flag || l.id == 15
		}},
	}
}

func TestSpin(t *testing.T) {
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		for _, lanes := range []int{0, 4, 16} {
			p := spinning(isa.OpAtomic)
			_, err := Run(context.Background(), &fakeCode{p: p}, launchOf(p.kernel(), [3]uint64{16, 1, 1}, [3]uint64{16, 1, 1}),
				Options{Order: o, WaveLanes: lanes, Quantum: 3})
			if err != nil {
				t.Errorf("%v, %d lanes: %v", o, lanes, err)
			}
		}
	}
}

func TestMaySpin(t *testing.T) {
	for _, c := range []struct {
		name string
		p    program
		want bool
	}{
		{"atomic in a loop", spinning(isa.OpAtomic), true},
		{"volatile load in a loop", spinning(isa.OpLoad), true},
		{"fence in a loop", spinning(isa.OpFence), true},
		{"arithmetic in a loop", spinning(isa.OpAdd), false},
		{"atomic before a loop", program{{isa: isa.OpAtomic}, {isa: isa.OpAdd}, {jump: times(0, 2), to: 1}}, false},
		{"pipe operation in a loop", program{{pipe: at(0)}, {jump: times(0, 2), to: 0}}, true},
		{"blocking pipe operation in a loop", program{{pipe: at(0), blocking: true}, {jump: times(0, 2), to: 0}}, false},
		{"pipe operation before a loop", program{{pipe: at(0), write: true}, {isa: isa.OpAdd}, {jump: times(0, 2), to: 1}}, false},
		{"atomic between jumps forward", program{{jump: times(0, 2), to: 2}, {isa: isa.OpAtomic}, {isa: isa.OpRet}}, false},
	} {
		if got := MaySpin(c.p.kernel()); got != c.want {
			t.Errorf("%s: MaySpin is %v", c.name, got)
		}
	}
	k := spinning(isa.OpAtomic).kernel()
	for i := range k.Code {
		k.Code[i].Dst = isa.None
	}
	if MaySpin(k) {
		t.Error("an atomic operation whose result nobody uses: MaySpin is true")
	}
	k = program{{pipe: at(0)}, {jump: times(0, 2), to: 0}}.kernel()
	for op := range isa.NumPipeOps {
		for _, scope := range []isa.Scope{isa.ScopeWorkgroup, isa.ScopeSubgroup, isa.ScopeInvocation} {
			k.PipeAccesses[0].Op, k.PipeAccesses[0].Scope = op, scope
			// Of a reservation and the capacity it is known what they give.
			want := scope != isa.ScopeWorkgroup && (op <= isa.PipeReserveWrite || op == isa.PipeNumPackets)
			if MaySpin(k) != want {
				t.Errorf("%s of scope %d in a loop: MaySpin is %v", op, scope, !want)
			}
		}
	}
	k = spinning(isa.OpAdd).kernel()
	k.Code[2] = isa.Inst{Op: isa.OpSwitch}
	k.Code[1] = isa.Inst{Op: isa.OpFence}
	k.Switches = []isa.SwitchTable{{Default: 3, Values: []uint64{1}, Targets: []int{1}}}
	if !MaySpin(k) {
		t.Error("a loop that a switch closes: MaySpin is false")
	}
}

// TestFaults checks that what is reported of faults does not depend on the
// workers, and that they end their own group only where the launch keeps going.
func TestFaults(t *testing.T) {
	var ran atomic.Int64
	p := program{
		{do: func(*lane) {}},
		{fault: func(l *lane) bool { return l.group.Linear%10 == 7 && l.id >= 3 }},
		{fault: func(l *lane) bool { return l.group.Linear%50 == 11 && l.id == 2 }},
		{do: func(*lane) { ran.Add(1) }},
	}
	var want *Result
	for _, workers := range []int{1, 2, 7} {
		ran.Store(0)
		res, err := Run(context.Background(), &fakeCode{p: p}, launchOf(p.kernel(), [3]uint64{8000, 1, 1}, [3]uint64{8, 1, 1}), Options{Workers: workers, KeepGoing: true})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = res
		}
		if !reflect.DeepEqual(res, want) || ran.Load() != 8*(1000-100-20) {
			t.Errorf("%d workers: %d work-items came through,\n%+v\nwith one worker\n%+v", workers, ran.Load(), res, want)
		}
	}
	if len(want.Faults) != 2 {
		t.Fatalf("%d faults: %+v", len(want.Faults), want.Faults)
	}
	a, b := want.Faults[0], want.Faults[1]
	if a.PC != 1 || a.Group.Linear != 7 || a.Lane != 3 || a.Count != 500 || a.Groups != 100 ||
		b.PC != 2 || b.Group.Linear != 11 || b.Lane != 2 || b.Count != 20 || b.Groups != 20 {
		t.Errorf("faults %+v", want.Faults)
	}
}

// TestMergeFaults puts together what workers found that met the same groups in
// other batches.
func TestMergeFaults(t *testing.T) {
	tables := func() (a, b, c faultTable) {
		for _, x := range []struct {
			t     *faultTable
			code  finding.Code
			pc    int
			pos   uint64
			lanes int
		}{
			{&a, finding.DivideByZero, 5, 4, 1}, {&a, finding.DivideByZero, 5, 9, 2}, {&a, finding.NullPointer, 5, 8, 1},
			{&b, finding.DivideByZero, 5, 2, 4}, {&b, finding.DivideByZero, 5, 7, 8}, {&b, finding.BarrierDeadlock, 9, 3, 16},
			{&b, finding.PartialBarrier, 9, 3, 16}, {&c, finding.DivideByZero, 6, 2, 1}, {&c, finding.DivideByZero, 5, 3, 32},
			// In one group again and again, and before the fault at an earlier instruction.
			{&b, finding.AsyncRead, 12, 3, 2}, {&b, finding.AsyncRead, 12, 3, 1}, {&b, finding.AsyncRead, 12, 3, 1},
			{&a, finding.AsyncRead, 12, 6, 1},
		} {
			if f := x.t.add(x.pos, x.code, x.pc, x.lanes, -1); f != nil {
				f.Fault = engine.Fault{Code: x.code, PC: x.pc}
				f.Group.Position = x.pos
				if x.code == finding.AsyncRead {
					f.Async = &dma.Detail{}
				}
			}
		}
		return a, b, c
	}
	want := "E-DIV0@5 2 47/5; E-DIV0@6 2 1/1; E-BARRIERPART@9 3 16/1; E-ASYNCREAD@12 3 5/2; E-BARRIER@9 3 16/1; E-NULL@5 8 1/1; "
	for _, order := range [][3]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}} {
		a, b, c := tables()
		all := []faultTable{a, b, c}
		var sum faultTable
		for _, i := range order {
			sum.merge(all[i])
		}
		got := ""
		for _, f := range sum.list() {
			got += fmt.Sprintf("%s@%d %d %d/%d; ", f.Code, f.PC, f.Group.Position, f.Count, f.Groups)
		}
		if got != want {
			t.Errorf("merged in the order %v:\n%s, want\n%s", order, got, want)
		}
	}
}

// TestMaxState checks that the memory of waves is limited: fewer workers at
// first, an error when not even one has room.
func TestMaxState(t *testing.T) {
	c := &fakeCode{p: program{{do: func(*lane) {}}}}
	k := c.p.kernel()
	k.NumVector = [isa.NumBanks]int{isa.BankMask: 8, isa.Bank32: 10, isa.Bank64: 10} // 128 bytes a lane
	k.Private = []isa.Alloc{{Size: 128}}
	l := launchOf(k, [3]uint64{1 << 12, 1, 1}, [3]uint64{64, 1, 1})
	const group = 64 * 256
	for _, x := range []struct {
		most  uint64
		waves int64
	}{{4 * group, 4}, {3*group - 1, 2}, {group, 1}} {
		c.waves.Store(0)
		if _, err := Run(context.Background(), c, l, Options{Workers: 4, MaxState: x.most, WaveLanes: 64}); err != nil {
			t.Fatal(err)
		}
		if n := c.waves.Load(); n != x.waves {
			t.Errorf("limit %d: %d waves, want %d", x.most, n, x.waves)
		}
	}
	var large *TooLargeError
	if _, err := Run(context.Background(), c, l, Options{MaxState: group - 1}); !errors.As(err, &large) || large.Bytes != group || large.Most != group-1 ||
		!strings.Contains(err.Error(), "kernel fake") {
		t.Errorf("no room for a group: %v", err)
	}
	// Local memory is each worker's, too.
	local := *l
	local.LocalSizes = []uint64{group / 2, group / 2}
	for _, x := range []struct {
		most  uint64
		waves int64
	}{{8 * group, 4}, {4*group - 1, 1}} {
		c.waves.Store(0)
		if _, err := Run(context.Background(), c, &local, Options{Workers: 4, MaxState: x.most, WaveLanes: 64}); err != nil {
			t.Fatal(err)
		}
		if n := c.waves.Load(); n != x.waves {
			t.Errorf("limit %d with local memory: %d waves, want %d", x.most, n, x.waves)
		}
	}
	if _, err := Run(context.Background(), c, &local, Options{MaxState: 2*group - 1}); !errors.As(err, &large) || large.Bytes != 2*group {
		t.Errorf("no room for local memory: %v", err)
	}
	k.Private[0].Size = math.MaxUint64
	if _, err := Run(context.Background(), c, l, Options{}); !errors.As(err, &large) {
		t.Errorf("absurd private memory: %v", err)
	}
}

func TestCancel(t *testing.T) {
	forever := func(*lane) bool { return true }
	for name, p := range map[string]program{
		"loop":            {{do: func(*lane) {}}, {jump: forever, to: 0}},
		"barrier":         {{barrier: true}, {do: func(*lane) {}}, {jump: forever, to: 0}},
		"some have ended": {{jump: func(l *lane) bool { return l.id < 4 }, to: 3}, {do: func(*lane) {}}, {jump: forever, to: 1}, {do: func(*lane) {}}},
	} {
		for _, lanes := range []int{4, 8} {
			ctx, cancel := context.WithCancel(context.Background())
			started := make(chan struct{}, 1)
			first := p[0]
			q := append(program{}, p...)
			if first.do != nil {
				q[0].do = func(l *lane) {
					select {
					case started <- struct{}{}:
					default:
					}
				}
			} else {
				started <- struct{}{}
			}
			go func() {
				<-started
				cancel()
			}()
			res, err := Run(ctx, &fakeCode{p: q}, launchOf(q.kernel(), [3]uint64{800, 1, 1}, [3]uint64{8, 1, 1}),
				Options{WaveLanes: lanes, Workers: 2, Quantum: 5})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: error %v", name, err)
			}
			if res == nil || res.Groups != 0 {
				t.Fatalf("%s: result %+v", name, res)
			}
			for _, s := range res.Stopped {
				n := s.Ended.Len()
				for _, r := range append(s.Running, s.Waiting...) {
					n += r.Items.Len()
				}
				if n != 8 || s.Group.Linear > 100 {
					t.Errorf("%s: stopped %+v", name, s)
				}
			}
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("no more"))
	p := program{{do: func(*lane) { t.Error("a group ran after the end") }}}
	if _, err := Run(ctx, &fakeCode{p: p}, launchOf(p.kernel(), [3]uint64{1, 1, 1}, [3]uint64{1, 1, 1}), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before the start: %v", err)
	}
}

// TestManyGroups runs a launch of 2^42 groups for a while, in every order.
func TestManyGroups(t *testing.T) {
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		ctx, cancel := context.WithCancel(context.Background())
		var n atomic.Int64
		p := program{{do: func(*lane) {
			if n.Add(1) == 5000 {
				cancel()
			}
		}}}
		l := launchOf(p.kernel(), [3]uint64{1 << 20, 1 << 20, 4}, [3]uint64{1, 1, 1})
		res, err := Run(ctx, &fakeCode{p: p}, l, Options{Order: o, Workers: 2})
		if !errors.Is(err, context.Canceled) || res.Groups < 5000 {
			t.Errorf("%v: %v, %+v", o, err, res)
		}
	}
}

// TestAllocs checks that a group costs no allocation.
func TestAllocs(t *testing.T) {
	p := program{{do: func(*lane) {}}, {barrier: true}, {do: func(*lane) {}}, {barrier: true}, {jump: times(0, 2), to: 0}}
	k := p.kernel()
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		r := New(&fakeCode{p: p})
		allocs := func(groups uint64) float64 {
			return testing.AllocsPerRun(5, func() {
				l := launchOf(k, [3]uint64{16 * groups, 1, 1}, [3]uint64{16, 1, 1})
				l.LocalSizes = []uint64{64}
				if _, err := r.Run(context.Background(), l, Options{Order: o, WaveLanes: 8}); err != nil {
					t.Fatal(err)
				}
			})
		}
		allocs(1)
		if few, many := allocs(10), allocs(1010); many > few+50 {
			t.Errorf("%v: %g allocations for 10 groups, %g for 1010", o, few, many)
		}
	}
}

// TestReuse checks that waves serve launch after launch, also of other shapes.
func TestReuse(t *testing.T) {
	p := program{{do: func(*lane) {}}, {barrier: true}, {fault: func(l *lane) bool { return l.group.Launch.Check }}}
	c := &fakeCode{p: p}
	r := New(c)
	k := p.kernel()
	for i := range 20 {
		l := launchOf(k, [3]uint64{uint64(100 + i), 1, 1}, [3]uint64{uint64(8 + i%3*20), 1, 1})
		l.Check = i%2 == 1
		l.LocalSizes = []uint64{uint64(i % 3)}
		res, err := r.Run(context.Background(), l, Options{Workers: 1 + i%2, KeepGoing: true})
		if err != nil || (len(res.Faults) > 0) != l.Check || res.Groups != l.Groups[0] {
			t.Fatalf("launch %d: %v, %+v", i, err, res)
		}
	}
}

func TestLocalMemory(t *testing.T) {
	p := program{{do: func(l *lane) {
		r := l.group.LDS.Lookup(2)
		if r == nil || len(r.Data) != 10 || r.Data[3] != 0 {
			t.Error("LDS is missing or has the contents of another group")
			return
		}
		r.Data[3] = 1
	}}}
	l := launchOf(p.kernel(), [3]uint64{5, 1, 1}, [3]uint64{1, 1, 1})
	l.LocalSizes = []uint64{4, 10}
	if _, err := Run(context.Background(), &fakeCode{p: p}, l, Options{}); err != nil {
		t.Fatal(err)
	}
	l.LocalSizes = []uint64{math.MaxUint64}
	var large *TooLargeError
	if _, err := Run(context.Background(), &fakeCode{p: p}, l, Options{}); !errors.As(err, &large) {
		t.Errorf("LDS without end: %v", err)
	}
}

func TestPanic(t *testing.T) {
	p := program{{do: func(l *lane) {
		if l.group.Linear == 3 {
			panic("a mistake")
		}
	}}}
	k := p.kernel()
	k.UsesPrintf = true
	for _, workers := range []int{1, 4} {
		var pe *PanicError
		_, err := Run(context.Background(), &fakeCode{p: p}, launchOf(k, [3]uint64{1 << 16, 1, 1}, [3]uint64{1, 1, 1}), Options{Workers: workers})
		if !errors.As(err, &pe) || pe.Value != "a mistake" || !strings.Contains(err.Error(), "a mistake") {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}

// TestProgress has a group wait until progress was reported.
func TestProgress(t *testing.T) {
	called := make(chan struct{})
	var once sync.Once
	p := program{{do: func(l *lane) {
		if l.group.Linear == 2 {
			<-called
		}
	}}}
	_, err := Run(context.Background(), &fakeCode{p: p}, launchOf(p.kernel(), [3]uint64{4, 1, 1}, [3]uint64{1, 1, 1}), Options{
		Progress: func(done, total uint64) {
			once.Do(func() {
				if done != 2 || total != 4 {
					t.Errorf("progress %d of %d, want 2 of 4", done, total)
				}
				close(called)
			})
			time.Sleep(2 * ProgressInterval) // Run must wait for this call
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRefused(t *testing.T) {
	p := program{{do: func(*lane) {}}}
	k := p.kernel()
	for name, change := range map[string]func(l *engine.Launch, o *Options){
		"another kernel": func(l *engine.Launch, o *Options) { l.Kernel = p.kernel() },
		"order":          func(l *engine.Launch, o *Options) { o.Order = numOrders },
		"wave lanes":     func(l *engine.Launch, o *Options) { o.WaveLanes = 6 },
		"negative lanes": func(l *engine.Launch, o *Options) { o.WaveLanes = -4 },
		"no sub-group":   func(l *engine.Launch, o *Options) { l.SubgroupSize = 0 },
		"no local size":  func(l *engine.Launch, o *Options) { l.Local[1] = 0 },
		"groups":         func(l *engine.Launch, o *Options) { l.Groups[0]++ },
		"too many groups": func(l *engine.Launch, o *Options) {
			l.Global = [3]uint64{1 << 63, 2, 1}
			l.Groups = l.Global
			l.Local = [3]uint32{1, 1, 1}
		},
		"enormous workgroup": func(l *engine.Launch, o *Options) {
			*l = *launchOf(k, [3]uint64{1 << 30, 1, 1}, [3]uint64{1 << 30, 1, 1})
		},
	} {
		r := New(&fakeCode{p: p})
		if _, err := r.Run(context.Background(), launchOf(k, [3]uint64{4, 1, 1}, [3]uint64{2, 1, 1}), Options{}); err != nil {
			t.Fatal(err)
		}
		l, o := launchOf(k, [3]uint64{4, 1, 1}, [3]uint64{2, 1, 1}), Options{}
		change(l, &o)
		if _, err := r.Run(context.Background(), l, o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if res, err := Run(context.Background(), &fakeCode{p: p}, launchOf(k, [3]uint64{0, 1, 1}, [3]uint64{2, 1, 1}), Options{}); err != nil || res.Groups != 0 {
		t.Errorf("no work-items: %v, %+v", err, res)
	}
}

func BenchmarkEmptyLaunch(b *testing.B) {
	p := program{{do: func(*lane) {}}}
	r := New(&fakeCode{p: p})
	l := launchOf(p.kernel(), [3]uint64{1, 1, 1}, [3]uint64{1, 1, 1})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Run(context.Background(), l, Options{Workers: 2}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGroups(b *testing.B) {
	p := program{{do: func(*lane) {}}}
	for _, o := range []Order{InOrder, Seeded} {
		b.Run(o.String(), func(b *testing.B) {
			r := New(&fakeCode{p: p})
			l := launchOf(p.kernel(), [3]uint64{uint64(b.N), 1, 1}, [3]uint64{1, 1, 1})
			b.ReportAllocs()
			if _, err := r.Run(context.Background(), l, Options{Order: o}); err != nil {
				b.Fatal(err)
			}
		})
	}
}
