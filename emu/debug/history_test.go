package debug

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// reversed turns a row around in LDS, with a barrier, and counts in global memory.
const reversed = `kernel void reversed(global int *x, global int *count, local int *tile)
{
	int i = get_local_id(0);
	tile[i] = x[get_global_id(0)];
	atomic_inc(count);
	barrier(CLK_LOCAL_MEM_FENCE);
	int n = get_local_size(0);
	for (int k = 0; k < i % 3; k++)
		n += k;
	if (n > 0)
		x[get_global_id(0)] = tile[get_local_size(0) - 1 - i] + n;
	printf("%d ", i);
}
`

// copied does the same with asynchronous copies.
const copied = `kernel void reversed(global int *x, global int *count, local int *tile)
{
	int i = get_local_id(0);
	int at = get_group_id(0) * get_local_size(0);
	event_t e = async_work_group_copy(tile, x + at, get_local_size(0), 0);
	atomic_inc(count);
	for (int k = 0; k < i % 3; k++)
		atomic_add(count, k);
	wait_group_events(1, &e);
	int y = tile[get_local_size(0) - 1 - i];
	barrier(CLK_LOCAL_MEM_FENCE);
	tile[i] = y + i;
	barrier(CLK_LOCAL_MEM_FENCE);
	e = async_work_group_copy(x + at, tile, get_local_size(0), 0);
	wait_group_events(1, &e);
	printf("%d ", i);
}
`

type world struct {
	s        *Session
	x, count *emu.Buffer
}

func startReversed(t testing.TB, o emu.Schedule, opt Options) world {
	return startKernel(t, reversed, o, opt)
}

func startKernel(t testing.TB, source string, o emu.Schedule, opt Options) world {
	var w world
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, _, err := d.BuildProgram(source, "-g")
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("reversed")
	if err != nil {
		t.Fatal(err)
	}
	list := make([]int32, 64)
	for i := range list {
		list[i] = int32(i)
	}
	w.x, w.count = buffer(t, d, list), buffer(t, d, []int32{0})
	l := &emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{64}, Local: []uint64{16}}, Schedule: o, Args: []emu.Arg{w.x, w.count, emu.LocalBytes(64)}}
	if w.s, err = New(context.Background(), l, opt); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.s.Close)
	return w
}

// orders are the schedules that tests go through.
var orders = map[string]emu.Schedule{"in-order": {}, "reverse": {Order: emu.Reverse}, "seeded": {Order: emu.Seeded, Seed: 7}}

// TestRunIsThatOfLaunch runs kernels in the debugger and outside of it, with the same memory, output and
// counters.
func TestRunIsThatOfLaunch(t *testing.T) {
	for name, o := range orders {
		runIsThatOfLaunch(t, name, reversed, o)
	}
	for name, o := range completions {
		runIsThatOfLaunch(t, name, copied, o)
	}
}

// completions are schedules of copies.
var completions = map[string]emu.Schedule{"early": {}, "late": {Completion: emu.CompleteLate}, "paced": {Completion: emu.CompletePaced},
	"seeded copies": {Completion: emu.CompleteSeeded, Seed: 5}}

func runIsThatOfLaunch(t *testing.T, name, source string, o emu.Schedule) {
	ctx := context.Background()
	w := startKernel(t, source, o, Options{Spacing: 37})
	stop, err := w.s.Continue(ctx)
	if err != nil || stop.Reason != ReasonEnded {
		t.Fatalf("%s: %+v %v", name, stop, err)
	}
	out, counters := string(w.s.Output()), w.s.Counters()
	if source == reversed && counters.Instructions != w.s.Tick() {
		t.Errorf("%s: %d instructions at tick %d", name, counters.Instructions, w.s.Tick())
	}
	w.s.Close()
	got, err := emu.Read[int32](w.x)
	if err != nil {
		t.Fatal(err)
	}

	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: 4, WaveLanes: 4, Engine: "interp"})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p, _, err := d.BuildProgram(source, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("reversed")
	if err != nil {
		t.Fatal(err)
	}
	list := make([]int32, 64)
	for i := range list {
		list[i] = int32(i)
	}
	x, count := buffer(t, d, list), buffer(t, d, []int32{0})
	l := &emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{64}, Local: []uint64{16}}, Schedule: o, Args: []emu.Arg{x, count, emu.LocalBytes(64)}}
	res, err := l.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want, err := emu.Read[int32](x)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: memory %v, want %v", name, got, want)
	}
	if out != string(res.Output) {
		t.Errorf("%s: output %q, want %q", name, out, res.Output)
	}
}

// state is all that a session can tell apart.
func state(w world) []byte {
	s := w.s
	list := append([]byte{}, s.stepper.Output()...)
	s.history.each(func(r *region) { list = append(list, r.Data...) })
	d := s.digest()
	for i := range 8 {
		list = append(list, byte(d>>(8*i)))
	}
	return list
}

// TestGoTo goes to ticks in all directions, and finds the state that the first way forwards had.
func TestGoTo(t *testing.T) {
	for name, o := range orders {
		goTo(t, name, reversed, o)
	}
	for name, o := range completions {
		goTo(t, name, copied, o)
	}
}

func goTo(t *testing.T, name, source string, o emu.Schedule) {
	ctx := context.Background()
	for _, opt := range []Options{{Spacing: 10}, {Spacing: 1000}, {Spacing: 20, Checkpoints: 130 << 10}} {
		w := startKernel(t, source, o, opt)
		var states [][]byte
		for !w.s.Ended() {
			states = append(states, state(w))
			if _, err := w.s.GoTo(ctx, w.s.Tick()+1); err != nil {
				t.Fatal(err)
			}
		}
		end := w.s.Tick()
		if uint64(len(states)) != end {
			t.Fatalf("%s: %d states, %d ticks", name, len(states), end)
		}
		at := uint64(1)
		for n := range 60 {
			at = (at*2654435761 + uint64(n)) % end
			if _, err := w.s.GoTo(ctx, at); err != nil {
				t.Fatal(err)
			}
			if w.s.Tick() != at || !bytes.Equal(state(w), states[at]) {
				t.Fatalf("%s %+v: the state at tick %d (%d) is another one", name, opt, at, w.s.Tick())
			}
		}
		if stop, err := w.s.Finish(ctx); err != nil || stop.Reason != ReasonEnded || w.s.Tick() != end {
			t.Errorf("%s: ended at %d, want %d: %v", name, w.s.Tick(), end, err)
		}
		w.s.Close()
	}
}

// TestReverseContinue goes through the hits of a breakpoint and a watchpoint backwards, in the opposite order
// of the way forwards.
func TestReverseContinue(t *testing.T) {
	ctx := context.Background()
	for name, o := range orders {
		w := startReversed(t, o, Options{Spacing: 50})
		s := w.s
		if _, err := s.BreakLine("", 9); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Watch("*count", WatchWrite); err != nil {
			t.Fatal(err)
		}
		var there []Stop
		for {
			stop, err := s.Continue(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if stop.Reason == ReasonEnded {
				break
			}
			there = append(there, stop)
		}
		if len(there) < 20 {
			t.Fatalf("%s: %d stops", name, len(there))
		}
		for i := len(there) - 1; i >= 0; i-- {
			stop, err := s.ReverseContinue(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if want := there[i]; stop.Tick != want.Tick || stop.Reason != want.Reason || !slices.Equal(stop.Breakpoints, want.Breakpoints) ||
				len(stop.Watches) != len(want.Watches) {
				t.Fatalf("%s: stop %d backwards is %+v, want %+v", name, i, stop, want)
			}
			if len(stop.Watches) > 0 && !bytes.Equal(stop.Watches[0].New, there[i].Watches[0].New) {
				t.Errorf("%s: %v was written, want %v", name, stop.Watches[0].New, there[i].Watches[0].New)
			}
		}
		if stop, err := s.ReverseContinue(ctx); err != nil || stop.Reason != ReasonBegin || s.Tick() != 0 {
			t.Errorf("%s: %+v %v", name, stop, err)
		}
		if _, err := s.ReverseContinue(ctx); !errors.Is(err, ErrBeginning) {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}

// TestReverseStep makes steps back that lead where steps forwards came by.
func TestReverseStep(t *testing.T) {
	ctx := context.Background()
	for _, kind := range []StepKind{StepInto, StepOver} {
		for _, u := range []Unit{Lines, Instructions} {
			s := start(t, sums, "sums", emu.DeviceOptions{SubgroupSize: 4}, emu.NDRange{Global: []uint64{8}}, Options{Spacing: 23}, func(d *emu.Device) []emu.Arg {
				return []emu.Arg{buffer(t, d, make([]float32, 8)), emu.Value(int32(8))}
			})
			if _, err := s.BreakLine("", 8); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Continue(ctx); err != nil {
				t.Fatal(err)
			}
			if err := s.Select(2); err != nil {
				t.Fatal(err)
			}
			ticks := []uint64{s.Tick()}
			for range 30 {
				stop, err := s.Step(ctx, kind, u, Lane)
				if err != nil {
					t.Fatal(err)
				}
				if stop.Reason != ReasonStep || text(s, "$item") != "2" {
					break
				}
				ticks = append(ticks, s.Tick())
			}
			if len(ticks) < 15 {
				t.Fatalf("%d steps", len(ticks))
			}
			if _, err := s.GoTo(ctx, ticks[len(ticks)-1]); err != nil {
				t.Fatal(err)
			}
			if err := s.Select(2); err != nil {
				t.Fatal(err)
			}
			for i := len(ticks) - 2; i >= 0; i-- {
				if _, err := s.ReverseStep(ctx, kind, u, Lane); err != nil {
					t.Fatal(err)
				}
				if s.Tick() != ticks[i] || text(s, "$item") != "2" {
					t.Fatalf("kind %d, unit %d: step %d back is at %d, want %d of %v", kind, u, i, s.Tick(), ticks[i], ticks)
				}
			}
		}
	}
}

// TestSetAndBack changes a variable, and finds the change again on the way back and forth.
func TestSetAndBack(t *testing.T) {
	ctx := context.Background()
	s := startSums(t)
	b, err := s.BreakLine("", 14)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Continue(ctx); err != nil {
		t.Fatal(err)
	}
	before, item := text(s, "s"), s.item
	tick := s.Tick()
	if _, err := s.Set("s", "42"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Set("x[15]", "s * 2"); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		if err := s.Select(item); err != nil {
			t.Fatal(err)
		}
		if got := text(s, "s") + " " + text(s, "x[15]"); got != "42 84" {
			t.Errorf("%s: %s", when, got)
		}
	}
	check("at once")
	if _, err := s.GoTo(ctx, tick-5); err != nil {
		t.Fatal(err)
	}
	if got := text(s, "x[15]"); got != "16" {
		t.Errorf("before the change x[15] is %s, s was %s", got, before)
	}
	if _, err := s.GoTo(ctx, tick+1); err != nil {
		t.Fatal(err)
	}
	check("behind it")
	if _, err := s.ReverseContinue(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(b.Number); err != nil {
		t.Fatal(err)
	}
	if stop, err := s.Continue(ctx); err != nil || stop.Reason != ReasonEnded {
		t.Fatalf("%+v %v", stop, err)
	}
}
