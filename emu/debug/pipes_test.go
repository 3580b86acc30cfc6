package debug

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// blocking has reads and writes of packets that wait.
const blocking = `
void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe int p, int *v, int size, int align);
void __attribute__((overloadable)) __spirv_WritePipeBlockingINTEL(write_only pipe int p, const int *v, int size, int align);
#define TAKE(p, v) __spirv_ReadPipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))
#define GIVE(p, v) __spirv_WritePipeBlockingINTEL(p, &(v), sizeof(v), sizeof(v))
`

// chain is kernels that run together. Line 10 is the write of source.
const chain = blocking + `
kernel void source(write_only pipe int a, int n)
{
	for (int i = get_global_id(0); i < n; i += get_global_size(0))
		GIVE(a, i);
}
kernel void twice(read_only pipe int a, write_only pipe int b, int n)
{
	for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
		int v;
		TAKE(a, v);
		v *= 2;
		GIVE(b, v);
	}
}
kernel void sink(read_only pipe int b, global int *out)
{
	int v;
	TAKE(b, v);
	out[get_global_id(0)] = v;
	printf("%d ", v);
}
kernel void total(global const int *out, global int *sum)
{
	atomic_add(sum, out[get_global_id(0)]);
}
kernel void groups(read_only pipe int a, global int *out)
{
	int i = get_local_id(0), n = get_local_size(0);
	for (;;) {
		reserve_id_t r = work_group_reserve_read_pipe(a, n);
		if (is_valid_reserve_id(r)) {
			int v;
			read_pipe(a, r, i, &v);
			work_group_commit_read_pipe(a, r);
			out[get_global_id(0)] = v;
			return;
		}
	}
}
kernel void items(write_only pipe int a, int n)
{
	for (int i = get_global_id(0); i < n;) {
		reserve_id_t r = reserve_write_pipe(a, 1);
		if (is_valid_reserve_id(r)) {
			write_pipe(a, r, 0, &i);
			commit_write_pipe(a, r);
			i += get_global_size(0);
		}
	}
}
`

// piped is launches that run together, and what they leave.
type piped struct {
	sets []emu.Set
	out  []*emu.Buffer
	p    []*emu.Pipe
}

// newPiped makes the launches of a case for a size of sub-groups.
func newPiped(t testing.TB, what string, subgroup int, o emu.Schedule) (w piped) {
	t.Helper()
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: subgroup, WaveLanes: subgroup}) // packets depend on the width of waves
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, _, err := d.BuildProgram(chain, "-g")
	if err != nil {
		t.Fatal(err)
	}
	pipe := func(name string, capacity uint32) *emu.Pipe {
		x, err := d.NewPipe(emu.PipeOptions{Name: name, PacketBytes: 4, Capacity: capacity})
		if err != nil {
			t.Fatal(err)
		}
		w.p = append(w.p, x)
		return x
	}
	launch := func(name string, global, local uint64, args ...emu.Arg) emu.Launch {
		k, err := p.Kernel(name)
		if err != nil {
			t.Fatal(err)
		}
		return emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{global}, Local: []uint64{local}}, Args: args}
	}
	n := emu.Value(int32(32))
	out := buffer(t, d, make([]int32, 32))
	w.out = append(w.out, out)
	set := func(l ...emu.Launch) emu.Set { return emu.Set{Schedule: o, Launches: l} }
	switch what {
	case "one":
		a := pipe("a", 40)
		var list []byte
		for i := range 40 {
			list = binary.LittleEndian.AppendUint32(list, uint32(i*i))
		}
		if _, err := a.Write(list); err != nil {
			t.Fatal(err)
		}
		w.sets = []emu.Set{set(launch("sink", 32, 8, a, out))}
	case "chain":
		a, b := pipe("a", 3), pipe("b", 2)
		w.sets = []emu.Set{set(launch("source", 2, 2, a, n), launch("twice", 1, 1, a, b, n), launch("sink", 32, 8, b, out))}
	case "reservations":
		a := pipe("a", 16)
		w.sets = []emu.Set{set(launch("items", 8, 4, a, n), launch("groups", 32, 8, a, out))}
	case "then":
		a, b, sum := pipe("a", 3), pipe("b", 2), buffer(t, d, []int32{0})
		w.out = append(w.out, sum)
		w.sets = []emu.Set{
			set(launch("source", 2, 2, a, n), launch("twice", 1, 1, a, b, n), launch("sink", 32, 8, b, out)),
			set(launch("total", 32, 8, out, sum)), set(launch("source", 8, 4, pipe("c", 64), n)), set(launch("total", 16, 16, out, sum)),
		}
	}
	return w
}

// pipedCases are the cases.
var pipedCases = []string{"one", "chain", "reservations", "then"}

// left is the memory and the packets behind a run: sorted where turns are drawn, since the code for debuggers
// has other instructions to draw from, and whichever work-item comes first gets a packet.
func (w *piped) left(t testing.TB) string {
	t.Helper()
	text := ""
	for _, b := range w.out {
		list, err := emu.Read[int32](b)
		if err != nil {
			t.Fatal(err)
		}
		if w.sets[0].Schedule.Order == emu.Seeded && len(list) > 1 {
			slices.Sort(list)
		}
		if w.sets[0].Schedule.Order != emu.Seeded || len(list) > 1 {
			text += fmt.Sprintln(list)
		}
	}
	for _, p := range w.p {
		data, err := p.Packets()
		if err != nil {
			t.Fatal(err)
		}
		if w.sets[0].Schedule.Order == emu.Seeded {
			slices.Sort(data)
		}
		text += fmt.Sprintln(data)
	}
	return text
}

func eachPiped(t *testing.T, f func(t *testing.T, make func() piped)) {
	for _, what := range pipedCases {
		for _, n := range []int{1, 4, 8, 64} {
			for name, o := range orders {
				t.Run(fmt.Sprintf("%s, sub-groups of %d, %s", what, n, name), func(t *testing.T) {
					f(t, func() piped { return newPiped(t, what, n, o) })
				})
			}
		}
	}
}

// TestPipesRunAsLaunches runs kernels with pipes in the debugger and outside of it, with the same memory,
// packets and output.
func TestPipesRunAsLaunches(t *testing.T) {
	ctx := context.Background()
	eachPiped(t, func(t *testing.T, start func() piped) {
		w, plain := start(), start()
		s, err := NewSets(ctx, w.sets, Options{Spacing: 23})
		if err != nil {
			t.Fatal(err)
		}
		stop, err := s.Continue(ctx)
		if err != nil || stop.Reason != ReasonEnded {
			t.Fatalf("%+v %v", stop, err)
		}
		output := len(s.Output())
		s.Close()
		printed := 0
		for i := range plain.sets {
			res, err := plain.sets[i].Run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			printed += len(res.Output)
		}
		if got, want := w.left(t), plain.left(t); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		if output != printed {
			t.Errorf("%d bytes of output, want %d", output, printed)
		}
	})
}

// TestPipesBackAndForth takes kernels with pipes to many ticks, in different ways, and finds the same state
// and memory.
func TestPipesBackAndForth(t *testing.T) {
	ctx := context.Background()
	eachPiped(t, func(t *testing.T, start func() piped) {
		w := start()
		s, err := NewSets(ctx, w.sets, Options{Spacing: 31})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		states := map[uint64]string{}
		state := func() string {
			text := fmt.Sprintf("%x %s", s.digest(), s.Output())
			for _, p := range s.Pipes() {
				text += fmt.Sprintf("\n%s %s %d %d %v %v", p.Name, s.PipeText(p, 100), p.Read, p.Written, p.Reservations, p.Waits)
			}
			for _, l := range s.Launches() {
				text += fmt.Sprintf("\n%s %d of %d, %v", l.Label, l.Over, l.All, l.Groups)
			}
			return text
		}
		var ticks []uint64
		for !s.Ended() {
			states[s.Tick()] = state()
			ticks = append(ticks, s.Tick())
			if _, err := s.GoTo(ctx, s.Tick()+7); err != nil {
				t.Fatal(err)
			}
		}
		end := state()
		rng := uint64(1)
		for range 60 {
			rng = rng*6364136223846793005 + 1442695040888963407
			tick := ticks[rng>>33%uint64(len(ticks))]
			if _, err := s.GoTo(ctx, tick); err != nil {
				t.Fatal(err)
			}
			if got := state(); got != states[tick] {
				t.Fatalf("at tick %d\n%s\nwant\n%s", tick, got, states[tick])
			}
		}
		stop, err := s.Finish(ctx)
		if err != nil || stop.Reason != ReasonEnded {
			t.Fatalf("%+v %v", stop, err)
		}
		if got := state(); got != end {
			t.Errorf("%s\nwant\n%s", got, end)
		}
	})
}

// TestPipeStops stops at breakpoints of one kernel of several, and at packets, forwards and backwards.
func TestPipeStops(t *testing.T) {
	ctx := context.Background()
	w := newPiped(t, "chain", 4, emu.Schedule{})
	s, err := NewSets(ctx, w.sets, Options{Spacing: 50})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sink, err := s.FindLaunch("sink")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.FindLaunch("nobody"); !errors.Is(err, ErrNoKernel) {
		t.Errorf("FindLaunch says %v", err)
	}
	b, err := s.BreakFunctionIn(&sink, "sink")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.BreakFunctionIn(&sink, "twice"); !errors.Is(err, ErrNoFunction) {
		t.Errorf("twice in sink: %v", err)
	}
	stop, err := s.Continue(ctx)
	if err != nil || stop.Reason != ReasonBreakpoint || s.CurrentLaunch() != sink || s.Launch().Kernel.Name != "sink" {
		t.Fatalf("%+v %v, in %s", stop, err, s.Label(s.CurrentLaunch()))
	}
	if err := s.Delete(b.Number); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GoTo(ctx, 0); err != nil {
		t.Fatal(err)
	}
	pipe, ok := s.FindPipe("b")
	if !ok {
		t.Fatal("there is no pipe b")
	}
	if _, err := s.WatchPipe(pipe, WatchWrite); err != nil {
		t.Fatal(err)
	}
	var ticks []uint64
	packet := func(stop Stop) uint64 {
		t.Helper()
		if stop.Reason != ReasonWatchpoint || len(stop.Watches) != 1 || stop.Watches[0].Packets == nil || !stop.Watches[0].Packets.Write {
			t.Fatalf("%+v", stop)
		}
		p := stop.Watches[0].Packets
		if p.N != 1 || p.Launch != 1 || binary.LittleEndian.Uint32(p.Values[0]) != 2*uint32(p.First) {
			t.Fatalf("%+v", p)
		}
		ticks = append(ticks, s.Tick())
		return p.First
	}
	for n := range uint64(5) {
		if stop, err = s.Continue(ctx); err != nil {
			t.Fatal(err)
		}
		if got := packet(stop); got != n {
			t.Fatalf("packet %d, want %d", got, n)
		}
	}
	here := s.Tick()
	before, _ := s.FindPipe("b")
	for n := uint64(3); n < 4; n-- {
		if stop, err = s.ReverseContinue(ctx); err != nil {
			t.Fatal(err)
		}
		if got := packet(stop); got != n || s.Tick() != ticks[n] {
			t.Fatalf("back at packet %d, tick %d, want %d, %d", got, s.Tick(), n, ticks[n])
		}
	}
	if _, err := s.ReverseStep(ctx, StepInto, Instructions, Lane); err != nil {
		t.Fatal(err)
	}
	if p, _ := s.FindPipe("b"); p.Written != 0 || p.Len != 0 {
		t.Errorf("before the first write, %+v is in pipe b", p)
	}
	if _, err := s.GoTo(ctx, here); err != nil {
		t.Fatal(err)
	}
	if after, _ := s.FindPipe("b"); after.Written != before.Written || after.Len != before.Len {
		t.Errorf("%+v, want %+v", after, before)
	}
	// Another kernel than the one that has its turn.
	if err := s.SelectGroup(0, nil); err != nil || s.Launch().Kernel.Name != "source" {
		t.Fatalf("%v, in %s", err, s.Launch().Kernel.Name)
	}
	if v, err := s.Evaluate("n"); err != nil || s.Text(v, 1) != "32" {
		t.Errorf("n of source is %v, %v", v, err)
	}
	if err := s.SelectGroup(2, &[3]uint64{9}); !errors.Is(err, ErrNoGroup) {
		t.Errorf("group 9 of sink: %v", err)
	}
	// A step is that of the kernel that is looked at, whoever has turns meanwhile.
	if stop, err = s.Step(ctx, StepOver, Lines, Lane); err != nil || stop.Reason == ReasonStep && s.CurrentLaunch() != 0 {
		t.Errorf("%+v %v, in %s", stop, err, s.Label(s.CurrentLaunch()))
	}
}

// TestPipeGroupStep ends the step of a work-group when all of it waits at a pipe, and goes on behind it with
// the next one.
func TestPipeGroupStep(t *testing.T) {
	ctx := context.Background()
	w := newPiped(t, "chain", 4, emu.Schedule{})
	s, err := NewSets(ctx, w.sets, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	sink, err := s.FindLaunch("sink")
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.BreakFunctionIn(&sink, "sink")
	if err != nil {
		t.Fatal(err)
	}
	b.Temporary = true
	if _, err := s.Continue(ctx); err != nil {
		t.Fatal(err)
	}
	group, waits := s.running(), 0
	for n := 0; s.inProgress(group); n++ {
		if n == 20 {
			t.Fatal("the work-group does not end")
		}
		stop, err := s.Step(ctx, StepOver, Lines, Group)
		if err != nil {
			t.Fatal(err)
		}
		if stop.Reason != ReasonStep {
			break
		}
		if s.running() != group {
			t.Fatalf("step %d ends in %s", n, s.Label(s.CurrentLaunch()))
		}
		if !slices.ContainsFunc(s.Waves(), func(w WaveState) bool { return w.Next >= 0 }) {
			waits++
		}
	}
	if waits == 0 {
		t.Error("the work-group has not waited at the end of a step")
	}
}

// TestPipeDeadlock stops with all work-groups still there, and finds the same again.
func TestPipeDeadlock(t *testing.T) {
	ctx := context.Background()
	for name, o := range orders {
		w := newPiped(t, "chain", 4, o)
		w.sets[0].Launches = w.sets[0].Launches[:2] // nobody reads b
		s, err := NewSets(ctx, w.sets, Options{Spacing: 50})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			stop, err := s.Continue(ctx)
			if err != nil || stop.Reason != ReasonFinding || len(stop.Findings) != 2 || stop.Findings[0].Code != "E-PIPEDEADLOCK" {
				t.Fatalf("%s: %+v %v", name, stop, err)
			}
			waits := 0
			for _, p := range s.Pipes() {
				for _, x := range p.Waits {
					if waits += len(x.Items); !x.Write {
						t.Errorf("%s: %+v", name, x)
					}
				}
			}
			if waits != 3 {
				t.Errorf("%s: %d work-items wait", name, waits)
			}
			if _, err := s.GoTo(ctx, s.Tick()/2); err != nil {
				t.Fatal(err)
			}
		}
		if stop, err := s.Finish(ctx); err != nil || stop.Reason != ReasonEnded {
			t.Errorf("%s: %+v %v", name, stop, err)
		}
		s.Close()
	}
}

// TestPipeCheckpoints bounds what checkpoints of a set take.
func TestPipeCheckpoints(t *testing.T) {
	ctx := context.Background()
	w := newPiped(t, "chain", 4, emu.Schedule{})
	const most = 64 << 10
	s, err := NewSets(ctx, w.sets, Options{Spacing: 5, Checkpoints: most})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for !s.Ended() {
		if _, err := s.GoTo(ctx, s.Tick()+50); err != nil {
			t.Fatal(err)
		}
		if n, bytes := s.Checkpoints(); bytes > most || n < 2 && s.Tick() > 100 {
			t.Fatalf("%d checkpoints of %d bytes at tick %d", n, bytes, s.Tick())
		}
	}
}
