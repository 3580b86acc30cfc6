package scheduler

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// network is pipes and launches in the making.
type network struct {
	t       testing.TB
	mem     *memory.Global
	members []Member
	feeds   []Feed
}

func newNetwork(t testing.TB) *network { return &network{t: t, mem: memory.NewGlobal(1 << 30)} }

// pipe makes a pipe of packets of 4 bytes.
func (n *network) pipe(name string, capacity uint32) *memory.Pipe {
	p, err := memory.NewPipe(memory.PipeOptions{Name: name, PacketBytes: 4, Capacity: capacity})
	if err != nil {
		n.t.Fatal(err)
	}
	if _, err := n.mem.AddPipe(p); err != nil {
		n.t.Fatal(err)
	}
	return p
}

func reads(p *memory.Pipe) engine.PipeEnd {
	return engine.PipeEnd{Pipe: p, Handle: p.Handle().Add(isa.PipeReadEnd), Reads: true}
}

func writes(p *memory.Pipe) engine.PipeEnd {
	return engine.PipeEnd{Pipe: p, Handle: p.Handle().Add(isa.PipeWriteEnd), Writes: true}
}

// launch adds a launch of groups of local work-items.
func (n *network) launch(p program, items, local uint64, ends ...engine.PipeEnd) *Member {
	k := p.kernel()
	k.UsesPipes = true
	l := launchOf(k, [3]uint64{items, 1, 1}, [3]uint64{local, 1, 1})
	l.Index, l.Memory, l.Pipes = len(n.members), n.mem, ends
	n.members = append(n.members, Member{Runner: New(&fakeCode{p: p}), Launch: l})
	return &n.members[len(n.members)-1]
}

func (n *network) run(opt Options) (*SetResult, error) {
	return RunSet(context.Background(), n.members, n.feeds, opt)
}

func (n *network) mustRun(opt Options) *SetResult {
	n.t.Helper()
	res, err := n.run(opt)
	if err != nil {
		n.t.Fatal(err)
	}
	return res
}

func at(n int) func(*lane) int { return func(*lane) int { return n } }

// source writes n packets, from first on, to its pipe 0.
func source(first, n int) program {
	return program{
		{do: func(l *lane) { l.v[3] = first + l.v[0] }},
		{pipe: at(0), write: true, blocking: true},
		{jump: times(0, n), to: 0},
	}
}

// relay reads n packets of pipe 0, adds 1 and writes them to pipe 1.
func relay(n int) program {
	return program{
		{pipe: at(0), blocking: true},
		{do: func(l *lane) { l.v[3]++ }},
		{pipe: at(1), write: true, blocking: true},
		{jump: times(0, n), to: 0},
	}
}

// sinkTo reads n packets of pipe 0.
func sinkTo(got *[]int, n int) program {
	return program{
		{pipe: at(0), blocking: true},
		{do: func(l *lane) { *got = append(*got, l.v[3]) }},
		{jump: times(0, n), to: 0},
	}
}

// spinSource and spinSink do the same without blocking.
func spinSource(first, n int) program {
	return program{
		{do: func(l *lane) { l.v[3] = first + l.v[0] }},
		{pipe: at(0), write: true},
		{jump: func(l *lane) bool { return l.v[2] != 0 }, to: 1},
		{jump: times(0, n), to: 0},
	}
}

func spinSink(got *[]int, n int) program {
	return program{
		{pipe: at(0)},
		{jump: func(l *lane) bool { return l.v[2] != 0 }, to: 0},
		{do: func(l *lane) { *got = append(*got, l.v[3]) }},
		{jump: times(0, n), to: 0},
	}
}

func ascending(first, n int) []int {
	v := make([]int, n)
	for i := range v {
		v[i] = first + i
	}
	return v
}

// chainOf connects a source, n relays and a sink by pipes.
func chainOf(t testing.TB, got *[]int, n, packets int, capacity uint32) *network {
	net := newNetwork(t)
	in := net.pipe("p0", capacity)
	net.launch(source(0, packets), 1, 1, writes(in))
	for i := range n {
		out := net.pipe(fmt.Sprint("p", i+1), capacity)
		net.launch(relay(packets), 1, 1, reads(in), writes(out))
		in = out
	}
	net.launch(sinkTo(got, packets), 1, 1, reads(in))
	return net
}

// TestSetSeeds runs a chain of capacity 1 under many seeds: nothing is lost,
// doubled or out of order.
func TestSetSeeds(t *testing.T) {
	seeds := uint64(10_000)
	if testing.Short() {
		seeds = 500
	}
	const packets = 5
	var got []int
	net := chainOf(t, &got, 2, packets, 1)
	want := ascending(2, packets)
	for seed := range seeds {
		got = got[:0]
		res := net.mustRun(Options{Order: Seeded, Seed: seed})
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		for i := range res.Launches {
			if res.Launches[i].Groups != 1 || res.Launches[i].Faults != nil {
				t.Fatalf("seed %d: launch %d: %+v", seed, i, res.Launches[i])
			}
		}
	}
}

// setLog is a SetTracer that writes down what it is told.
type setLog struct {
	clockTracer
	lines []string
	names map[memory.Pointer]string
	cur   string
}

func (s *setLog) add(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *setLog) Resume(launch int, g Group) { s.cur = fmt.Sprintf("%d.%d", launch, g.Linear) }
func (s *setLog) Group(g Group, items int, start uint64) {
	s.add("%s begins", s.cur)
}
func (s *setLog) Turn(wave, first, items int, from, to uint64, stop engine.Stop) {
	s.add("%s.%d ran %d-%d", s.cur, wave, from, to)
}
func (s *setLog) Barrier(pc int, now uint64) { s.add("%s barrier", s.cur) }
func (s *setLog) GroupEnd(now uint64)        { s.add("%s ends at %d", s.cur, now) }
func (s *setLog) Waiting(wave, pc int, pipe memory.Pointer, items int, now uint64) {
	s.add("%s.%d waits at %d", s.cur, wave, pc)
}
func (s *setLog) Packets(launch int, pipe memory.Pointer, write bool, pc, item int, first, n, now uint64) {
	what := "reads"
	if write {
		what = "writes"
	}
	s.add("%d %s %s %d+%d at %d", launch, what, s.names[pipe], first, n, now)
}

// TestSetOrder checks what happens when, in both fixed orders, and that a seed
// gives the same run again and another seed another one.
func TestSetOrder(t *testing.T) {
	run := func(opt Options, packets int, capacity uint32) string {
		net := newNetwork(t)
		p := net.pipe("p", capacity)
		var got []int
		net.launch(source(7, packets), 1, 1, writes(p))
		net.launch(sinkTo(&got, packets), 1, 1, reads(p))
		log := &setLog{names: map[memory.Pointer]string{p.Handle(): "p"}}
		opt.Tracer = log
		net.mustRun(opt)
		if !slices.Equal(got, ascending(7, packets)) {
			t.Errorf("%v: %v", opt.Order, got)
		}
		return strings.Join(log.lines, "\n")
	}
	for _, c := range []struct {
		o    Order
		want string
	}{
		{InOrder, `0.0 begins
1.0 begins
0 writes p 0+1 at 2
0.0.0 ran 0-5
0.0.0 waits at 1
1 reads p 0+1 at 6
1.0.0 ran 5-9
1.0.0 waits at 0
0 writes p 1+1 at 9
0.0.0 ran 9-10
0.0 ends at 10
1 reads p 1+1 at 10
1.0.0 ran 10-12
1.0 ends at 12`},
		{Reverse, `0.0 begins
1.0 begins
1.0.0 ran 0-1
1.0.0 waits at 0
0 writes p 0+1 at 3
0.0.0 ran 1-6
0.0.0 waits at 1
1 reads p 0+1 at 6
1.0.0 ran 6-9
1.0.0 waits at 0
0 writes p 1+1 at 9
0.0.0 ran 9-10
0.0 ends at 10
1 reads p 1+1 at 10
1.0.0 ran 10-12
1.0 ends at 12`},
	} {
		if got := run(Options{Order: c.o}, 2, 1); got != c.want {
			t.Errorf("%v:\n%s", c.o, got)
		}
	}
	runs := map[string]bool{}
	for seed := range uint64(40) {
		opt := Options{Order: Seeded, Seed: seed}
		first := run(opt, 6, 3)
		if run(opt, 6, 3) != first {
			t.Errorf("seed %d gives two different runs", seed)
		}
		runs[first] = true
	}
	if len(runs) < 20 {
		t.Errorf("40 seeds give %d different runs", len(runs))
	}
}

// TestSetMemory checks that what a set takes grows with its launches, and not
// faster.
func TestSetMemory(t *testing.T) {
	const packets = 3
	perLaunch := func(n int) float64 {
		var got []int
		net := chainOf(t, &got, n, packets, 1)
		// What the launches are made of is there before.
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		net.mustRun(Options{})
		runtime.ReadMemStats(&after)
		if !slices.Equal(got, ascending(n, packets)) {
			t.Errorf("chain of %d: %v", n, got)
		}
		return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
	}
	small, large := perLaunch(100), perLaunch(1000)
	if large > 2*small || large > 64<<10 {
		t.Errorf("a launch of a chain takes %.0f bytes in one of 100, %.0f in one of 1000", small, large)
	}
}

// circle has two launches that wait for each other.
func circle(net *network) {
	a, b := net.pipe("a", 1), net.pipe("b", 1)
	net.launch(relay(1), 1, 1, reads(a), writes(b))
	net.launch(relay(1), 1, 1, reads(b), writes(a))
}

// TestStandstill has everything that can come to an end without the end.
func TestStandstill(t *testing.T) {
	var got []int
	end := func(f *Fault, i int) EndState { return f.Standstill.Pipes[0].Ends[i] }
	for _, c := range []struct {
		name  string
		build func(n *network)
		codes []string // of each launch: code@pc, work-items, groups
		check func(f [][]Fault) bool
		order bool // which depends on the order
	}{
		{"reader without a writer", func(n *network) {
			n.launch(sinkTo(&got, 1), 1, 1, reads(n.pipe("p", 3)))
		}, []string{"E-PIPEDEADLOCK@0 1/1"}, func(f [][]Fault) bool {
			s := f[0][0].Standstill
			return len(s.Pipes) == 1 && len(s.Pipes[0].Ends) == 1 && s.Pipes[0].Ends[0].Reads && !s.Pipes[0].Ends[0].Writes &&
				s.Pipes[0].Len == 0 && s.Pipes[0].Room == 3 && !s.Waits[0].Write
		}, false},
		{"writer that has ended", func(n *network) {
			p := n.pipe("p", 2)
			n.launch(source(0, 3), 1, 1, writes(p))
			n.launch(sinkTo(&got, 4), 1, 1, reads(p))
		}, []string{"", "E-PIPEDEADLOCK@0 1/1"}, func(f [][]Fault) bool {
			e := end(&f[1][0], 0)
			return e.Launch == 0 && e.State == HolderEnded && e.Writes && e.Groups == 1 && e.Total == 1 && e.Faults == 0
		}, false},
		{"reader that has ended", func(n *network) {
			p := n.pipe("p", 2)
			n.launch(source(0, 5), 1, 1, writes(p))
			n.launch(sinkTo(&got, 1), 1, 1, reads(p))
		}, []string{"E-PIPEDEADLOCK@1 1/1", ""}, func(f [][]Fault) bool {
			s := f[0][0].Standstill
			return s.Waits[0].Write && s.Pipes[0].Len == 2 && s.Pipes[0].Room == 0 && end(&f[0][0], 1).State == HolderEnded
		}, false},
		{"circle", circle, []string{"E-PIPEDEADLOCK@0 1/1", "E-PIPEDEADLOCK@0 1/1"}, func(f [][]Fault) bool {
			e := end(&f[0][0], 1)
			return e.Launch == 1 && e.State == HolderWaits && len(e.Waits) == 1 && e.Waits[0].PC == 0 && e.Writes && !e.Reads
		}, false},
		{"itself", func(n *network) {
			p := n.pipe("p", 1)
			n.launch(source(0, 2), 1, 1, writes(p), reads(p))
		}, []string{"E-PIPEDEADLOCK@1 1/1"}, func(f [][]Fault) bool {
			e := f[0][0].Standstill.Pipes[0].Ends
			return len(e) == 1 && e[0].Reads && e[0].Writes && e[0].State == HolderWaits
		}, false},
		{"several groups and work-items", func(n *network) {
			p := n.pipe("p", 8)
			n.launch(source(0, 5), 1, 1, writes(p))
			n.launch(sinkTo(&got, 1), 24, 8, reads(p))
		}, []string{"", "E-PIPEDEADLOCK@0 19/3"}, func(f [][]Fault) bool {
			w := f[1][0].Standstill.Waits
			return len(w) == 1 && w[0].Items.String() == "5–7" && f[1][0].Ended.String() == "0–4" && f[1][0].Lane == 5
		}, false},
		{"barrier", func(n *network) {
			n.launch(program{
				{jump: func(l *lane) bool { return l.id >= 3 }, to: 2},
				{pipe: at(0), blocking: true},
				{barrier: true},
			}, 8, 8, reads(n.pipe("p", 1)))
		}, []string{"E-PIPEDEADLOCK@1 3/1"}, func(f [][]Fault) bool {
			return len(f[0][0].Waiting) == 1 && f[0][0].Waiting[0].Items.String() == "3–7" && f[0][0].Waiting[0].PC == 2
		}, false},
		{"holder at a barrier", func(n *network) {
			p, q := n.pipe("p", 1), n.pipe("q", 1)
			n.launch(sinkTo(&got, 1), 1, 1, reads(p))
			n.launch(program{
				{jump: func(l *lane) bool { return l.id > 0 }, to: 2},
				{pipe: at(1), blocking: true},
				{barrier: true},
			}, 8, 8, writes(p), reads(q))
		}, []string{"E-PIPEDEADLOCK@0 1/1", "E-PIPEDEADLOCK@1 1/1"}, func(f [][]Fault) bool {
			return end(&f[0][0], 1).State == HolderWaits
		}, false},
		{"writer that came to a fault", func(n *network) {
			p := n.pipe("p", 1)
			n.launch(program{{fault: func(*lane) bool { return true }}, {pipe: at(0), write: true}}, 4, 4, writes(p))
			n.launch(sinkTo(&got, 1), 1, 1, reads(p))
		}, []string{"E-DIV0@0 4/1", "E-PIPEDEADLOCK@0 1/1"}, func(f [][]Fault) bool {
			return end(&f[1][0], 0).Faults == 4 && end(&f[1][0], 0).State == HolderEnded
		}, false},
		{"host", func(n *network) {
			p, q := n.pipe("p", 1), n.pipe("q", 1)
			left := 3
			n.feeds = []Feed{{Pipe: p, Write: true, Move: func(most uint64) (uint64, bool, error) {
				if left == 0 {
					return 0, true, nil
				}
				left--
				p.Put(make([]byte, 4))
				return 1, false, nil
			}}, {Pipe: q, Ended: true}}
			n.launch(relay(9), 1, 1, reads(p), writes(q))
			n.launch(sinkTo(&got, 9), 1, 1, reads(q))
		}, []string{"E-PIPEDEADLOCK@0 1/1", "E-PIPEDEADLOCK@0 1/1"}, func(f [][]Fault) bool {
			e, q := end(&f[0][0], 1), end(&f[1][0], 2)
			return e.Launch == -1 && e.Writes && e.State == HolderEnded && e.Moved == 3 && q.Launch == -1 && q.Reads && q.State == HolderEnded
		}, false},
		{"reservation", func(n *network) {
			p := n.pipe("p", 4)
			n.launch(program{{do: func(l *lane) {
				e := l.group.Launch.Pipes[0]
				e.Pipe.Reserve(true, 2, memory.PipeOwner{Group: l.group.Linear, First: l.id, Items: 1}, 0)
			}}}, 1, 1, writes(p))
			n.launch(source(0, 9), 1, 1, writes(p))
			n.launch(sinkTo(&got, 9), 1, 1, reads(p))
		}, []string{"E-PIPEOPEN@0 1/1", "E-PIPEDEADLOCK@1 1/1", "E-PIPEDEADLOCK@0 1/1"}, func(f [][]Fault) bool {
			s := f[2][0].Standstill.Pipes[0]
			return len(s.Open) == 1 && s.Open[0].N == 2 && s.Writing == 4 && s.Len == 0 && f[0][0].Pipe.Reservation.N == 2
		}, true},
	} {
		for _, o := range []Order{InOrder, Reverse, Seeded} {
			if c.order && o != InOrder {
				continue
			}
			got = nil
			net := newNetwork(t)
			c.build(net)
			res, err := net.run(Options{Order: o, Seed: 3, KeepGoing: true})
			if err != nil {
				t.Errorf("%s, %v: %v", c.name, o, err)
				continue
			}
			var codes []string
			var faults [][]Fault
			for i := range res.Launches {
				var list []string
				for _, f := range res.Launches[i].Faults {
					list = append(list, fmt.Sprintf("%s@%d %d/%d", f.Code, f.PC, f.Count, f.Groups))
				}
				codes = append(codes, strings.Join(list, " "))
				faults = append(faults, res.Launches[i].Faults)
				if l := net.members[i].Launch; res.Launches[i].Groups != l.Groups[0] {
					t.Errorf("%s, %v: %d groups of launch %d ran", c.name, o, res.Launches[i].Groups, i)
				}
			}
			if !slices.Equal(codes, c.codes) {
				t.Errorf("%s, %v: faults %q, want %q", c.name, o, codes, c.codes)
				continue
			}
			if o == InOrder && !c.check(faults) {
				t.Errorf("%s: particulars %+v", c.name, faults)
			}
		}
	}
}

// TestGrowth has groups of one launch of which the first waits for the last.
func TestGrowth(t *testing.T) {
	const groups = 40
	for _, blocking := range []bool{true, false} {
		for _, o := range []Order{InOrder, Reverse, Seeded} {
			net := newNetwork(t)
			p := net.pipe("p", 1)
			order := newPermutation(o, 3, groups)
			last := order.at(groups - 1) // the group that writes
			read := 0
			failed := func(l *lane) bool { return !blocking && l.v[2] != 0 }
			net.launch(program{
				{jump: func(l *lane) bool { return l.group.Linear == last }, to: 5},
				{pipe: at(0), blocking: blocking},
				{jump: failed, to: 1},
				{do: func(*lane) { read++ }},
				{jump: func(*lane) bool { return true }, to: 8},
				{pipe: at(0), write: true, blocking: blocking},
				{jump: failed, to: 5},
				{jump: times(0, groups-1), to: 5},
				{do: func(*lane) {}},
			}, groups, 1, engine.PipeEnd{Pipe: p, Handle: p.Handle(), Reads: true, Writes: true})
			res, err := net.run(Options{Order: o, Seed: 3})
			if err != nil || res.Launches[0].Faults != nil || res.Launches[0].Groups != groups || read != groups-1 {
				t.Errorf("blocking %v, %v: %v, %d packets, %+v", blocking, o, err, read, res)
			}
		}
	}
}

// TestGrowthBound checks that no more groups begin than the host's memory is
// to hold, that the others have their turn when those have ended, and that the
// report says so.
func TestGrowthBound(t *testing.T) {
	net := newNetwork(t)
	const groups = 1000
	var got []int
	net.launch(sinkTo(&got, 1), groups, 1, reads(net.pipe("p", 1)))
	k := net.members[0].Launch.Kernel
	k.Private = []isa.Alloc{{Size: 1 << 10}}
	// A wave has 64 lanes of 1 KiB.
	res := net.mustRun(Options{KeepGoing: true, MaxState: setState * 10 * (64<<10 + waveBytes)})
	if f := res.Launches[0].Faults; len(f) != 1 || f[0].Groups != groups || f[0].Standstill.Unstarted != groups-10 || res.Launches[0].Groups != groups {
		t.Errorf("faults %+v", f)
	}
	if n := net.members[0].Runner.code.(*fakeCode).waves.Load(); n != 10 {
		t.Errorf("%d waves were made, want 10", n)
	}
	_, err := net.run(Options{MaxState: 1 << 10})
	var large *TooLargeError
	if !errors.As(err, &large) || large.Launches != 1 {
		t.Errorf("too little for one group: %v", err)
	}
	circle(net)
	_, err = net.run(Options{MaxState: 64<<10 + 2*waveBytes})
	if !errors.As(err, &large) || large.Launches != 3 || !strings.Contains(err.Error(), "3 launches") {
		t.Errorf("too little for one group of each launch: %v", err)
	}
}

// TestOvertake has a wave of which some lanes wait for what others of it write.
func TestOvertake(t *testing.T) {
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		net := newNetwork(t)
		p := net.pipe("p", 1)
		var got []int
		net.launch(program{
			{jump: func(l *lane) bool { return l.id >= 2 }, to: 3},
			{pipe: at(0), blocking: true},
			{do: func(l *lane) { got = append(got, l.v[3]) }},
			{jump: func(l *lane) bool { return l.id < 2 }, to: 6},
			{do: func(l *lane) { l.v[3] = l.id }},
			{pipe: at(0), write: true, blocking: true},
			{barrier: true},
		}, 4, 4, reads(p))
		net.members[0].Launch.Pipes[0].Writes = true
		res := net.mustRun(Options{Order: o})
		if slices.Sort(got); !slices.Equal(got, []int{2, 3}) || res.Launches[0].Faults != nil {
			t.Errorf("%v: %v, faults %+v", o, got, res.Launches[0].Faults)
		}
	}
}

// TestSpinning runs kernels that do not block, and groups that need more
// time than a turn, beside each other.
func TestSpinning(t *testing.T) {
	for _, o := range []Order{InOrder, Reverse, Seeded} {
		for _, capacity := range []uint32{1, 3, 100} {
			net := newNetwork(t)
			p := net.pipe("p", capacity)
			var got []int
			busy := program{{do: func(*lane) {}}, {jump: times(1, 5000), to: 0}}
			net.launch(spinSink(&got, 50), 1, 1, reads(p))
			writer := spinSource(0, 50)
			for i := range writer {
				writer[i].to += len(busy)
			}
			net.launch(append(busy, writer...), 1, 1, writes(p))
			res := net.mustRun(Options{Order: o, Seed: 9})
			if !slices.Equal(got, ascending(0, 50)) || res.Launches[0].Groups+res.Launches[1].Groups != 2 {
				t.Errorf("%v, capacity %d: %v", o, capacity, got)
			}
		}
	}
}

// TestSetFaults checks that a fault ends its group only where the set keeps going.
func TestSetFaults(t *testing.T) {
	net := newNetwork(t)
	p := net.pipe("p", 1)
	var got []int
	net.launch(program{
		{do: func(l *lane) { l.v[3] = int(l.group.Linear) }},
		{fault: func(l *lane) bool { return l.group.Linear == 2 }},
		{pipe: at(0), write: true, blocking: true},
	}, 6, 1, writes(p))
	net.launch(sinkTo(&got, 5), 1, 1, reads(p))
	res := net.mustRun(Options{KeepGoing: true})
	f := res.Launches[0].Faults
	if !slices.Equal(got, []int{0, 1, 3, 4, 5}) || len(f) != 1 || f[0].Code != finding.DivideByZero || f[0].Group.Linear != 2 || res.Launches[0].Groups != 6 || res.Launches[1].Faults != nil {
		t.Errorf("read %v, faults %+v", got, f)
	}
}

// TestReport checks that a finding in the middle of an instruction is kept, and
// does not end the group.
func TestReport(t *testing.T) {
	net := newNetwork(t)
	p := net.pipe("p", 1)
	net.launch(program{{do: func(l *lane) {
		l.group.Report(&engine.Fault{Code: finding.PipeUnwritten, PC: 0, Lane: l.id, Lanes: 1, Pipe: &memory.PipeFault{Kind: memory.PipeFaultUnwritten}})
	}}, {do: func(*lane) {}}}, 6, 2, writes(p))
	res := net.mustRun(Options{})
	if f := res.Launches[0].Faults; len(f) != 1 || f[0].Count != 6 || f[0].Groups != 3 || f[0].Pipe == nil || res.Launches[0].Counters.LaneOps != 12 {
		t.Errorf("faults %+v, counters %+v", f, res.Launches[0].Counters)
	}
}

// TestStaleReservation checks that what an earlier set left open is not blamed
// on a later one.
func TestStaleReservation(t *testing.T) {
	net := newNetwork(t)
	p := net.pipe("p", 9)
	open := true
	net.launch(program{{do: func(l *lane) {
		if open {
			p.Reserve(false, 0, memory.PipeOwner{}, 0)
			p.Reserve(true, 1, memory.PipeOwner{Items: 1}, 0)
		}
	}}}, 1, 1, writes(p))
	if f := net.mustRun(Options{}).Launches[0].Faults; len(f) != 1 || f[0].Code != finding.PipeOpen {
		t.Errorf("faults %+v", f)
	}
	open = false
	if f := net.mustRun(Options{}).Launches[0].Faults; f != nil {
		t.Errorf("faults of the second run: %+v", f)
	}
}

// TestSetReuse checks that a set can run again, with the same results.
func TestSetReuse(t *testing.T) {
	var got []int
	net := chainOf(t, &got, 3, 10, 2)
	first := net.mustRun(Options{Order: Seeded, Seed: 4})
	for range 3 {
		got = got[:0]
		again := net.mustRun(Options{Order: Seeded, Seed: 4})
		if !reflect.DeepEqual(first, again) || !slices.Equal(got, ascending(3, 10)) {
			t.Errorf("second run %+v, first %+v, read %v", again, first, got)
		}
	}
}

// TestSetPanic checks that a panic becomes an error.
func TestSetPanic(t *testing.T) {
	net := newNetwork(t)
	net.launch(program{{do: func(*lane) { panic("on purpose") }}}, 1, 1)
	_, err := net.run(Options{})
	var pe *PanicError
	if !errors.As(err, &pe) || pe.Value != "on purpose" {
		t.Errorf("error %v", err)
	}
}

// TestSetRefused has sets that cannot be run.
func TestSetRefused(t *testing.T) {
	var got []int
	build := func() *network { return chainOf(t, &got, 1, 1, 1) }
	net := build()
	if _, err := net.members[0].Runner.Run(context.Background(), net.members[0].Launch, Options{}); err == nil {
		t.Error("a launch with pipes ran alone")
	}
	if _, err := net.run(Options{Tracer: &clockTracer{}}); err == nil || !strings.Contains(err.Error(), "SetTracer") {
		t.Errorf("tracer of launches: %v", err)
	}
	if _, err := net.run(Options{Order: numOrders}); err == nil {
		t.Error("an unknown order was accepted")
	}
	net.members[2].Launch.Index = 1
	if _, err := net.run(Options{}); err == nil || !strings.Contains(err.Error(), "launch 2") {
		t.Errorf("wrong index: %v", err)
	}
	if res, err := RunSet(context.Background(), nil, nil, Options{}); err != nil || len(res.Launches) != 0 {
		t.Errorf("empty set: %v", err)
	}
	net = newNetwork(t)
	net.launch(program{{do: func(*lane) {}}}, 0, 1)
	if res, err := net.run(Options{}); err != nil || res.Launches[0].Groups != 0 {
		t.Errorf("launch without groups: %v", err)
	}
}

// TestSetCopies runs launches with asynchronous copies side by side: their bytes
// arrive, on one clock.
func TestSetCopies(t *testing.T) {
	const groups = 5
	net := newNetwork(t)
	p := net.pipe("p", 1)
	var got []int
	c, l, out := copyLaunch(t, groups, func(out memory.Pointer) program {
		return program{{do: fill}, {do: copyOut(out)}, {pipe: at(0), write: true, blocking: true}}
	})
	l.Kernel.UsesPipes, l.Pipes = true, []engine.PipeEnd{writes(p)}
	net.members = []Member{{Runner: New(c), Launch: l}}
	net.launch(sinkTo(&got, 8*groups), 1, 1, reads(p))
	log := &setLog{names: map[memory.Pointer]string{p.Handle(): "p"}}
	opt := Options{Tracer: log}
	opt.DMA.Completion, opt.DMA.BytesPerStep = 3, 1
	res := net.mustRun(opt)
	for g := range groups {
		if b := out()[g*16:][:16]; b[0] != byte(g+1) || b[15] != byte(g+1) {
			t.Errorf("group %d left %x", g, b)
		}
	}
	if len(got) != 8*groups || res.Launches[0].Groups != groups {
		t.Errorf("%d packets", len(got))
	}
	last := uint64(0)
	for _, line := range log.lines {
		var from, to uint64
		if _, rest, ok := strings.Cut(line, " ran "); ok {
			if _, err := fmt.Sscanf(rest, "%d-%d", &from, &to); err != nil || from < last || to < from {
				t.Errorf("%s after %d: %v", line, last, err)
			}
			last = to
		}
	}
}

// BenchmarkSetTurns is what a turn costs that moves one packet.
func BenchmarkSetTurns(b *testing.B) {
	for _, o := range []Order{InOrder, Seeded} {
		b.Run(o.String(), func(b *testing.B) {
			var got []int
			net := newNetwork(b)
			p := net.pipe("p", 1)
			net.launch(source(0, b.N), 1, 1, writes(p))
			net.launch(sinkTo(&got, b.N), 1, 1, reads(p))
			b.ResetTimer()
			net.mustRun(Options{Order: o})
		})
	}
}
