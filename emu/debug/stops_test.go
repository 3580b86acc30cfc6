package debug

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// divided has branches, a function that is called twice, and a barrier.
const divided = `int half_of(int v)
{
	return v / 2;
}
kernel void divided(global int *out, local int *tile)
{
	int i = get_local_id(0);
	int r;
	if (i & 1)
		r = half_of(i);
	else
		r = half_of(i * 4) + 1;
	tile[i] = r;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[i ^ 1];
}
`

func startDivided(t testing.TB) *Session {
	return start(t, divided, "divided", emu.DeviceOptions{SubgroupSize: 4}, emu.NDRange{Global: []uint64{16}, Local: []uint64{8}}, Options{Spacing: 64}, func(d *emu.Device) []emu.Arg {
		return []emu.Arg{buffer(t, d, make([]int32, 16)), emu.LocalBytes(32)}
	})
}

// proceed goes on, and returns the stop and the line.
func proceed(t *testing.T, s *Session) (Stop, int) {
	t.Helper()
	stop, err := s.Continue(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	it, ok := s.Current()
	if !ok {
		return stop, 0
	}
	return stop, s.PlaceOf(it.PC).Line
}

func TestBreakpoints(t *testing.T) {
	s := startDivided(t)
	f, err := s.BreakFunction("half_of")
	if err != nil || len(f.PCs) != 2 {
		t.Fatalf("%+v %v", f, err)
	}
	// Each wave comes to both calls: those of even work-items wait while the odd ones are at theirs.
	for _, want := range []struct{ wave, lane int }{{0, 1}, {0, 0}, {1, 1}, {1, 0}} {
		stop, line := proceed(t, s)
		it, _ := s.Current()
		if stop.Reason != ReasonBreakpoint || line != 3 || it.Wave != want.wave || it.Lane != want.lane {
			t.Fatalf("%+v at line %d, %+v, want %+v", stop, line, it, want)
		}
		if frames := s.Frames(); len(frames) != 2 || frames[1].Function != "divided" {
			t.Errorf("%+v", frames)
		}
		active := 0
		for _, on := range s.Waves()[it.Wave].Active {
			if on {
				active++
			}
		}
		if active != 2 {
			t.Errorf("%d lanes are active", active)
		}
		if !s.SelectFrame(1) || text(s, "i") != text(s, "$item") || s.SelectFrame(2) {
			t.Errorf("i of the caller is %s", text(s, "i"))
		}
	}
	f.Enabled = false
	// Of the second group, work-item 13 alone, the second time it comes by an instruction of its line.
	b, err := s.BreakLine("program.cl", 13)
	if err != nil {
		t.Fatal(err)
	}
	b.Item, b.Temporary = &[3]uint64{13, 0, 0}, true
	if stop, line := proceed(t, s); stop.Reason != ReasonBreakpoint || line != 13 || text(s, "get_global_id(0)") != "13" || text(s, "r") != "2" {
		t.Errorf("%+v at line %d, r is %s", stop, line, text(s, "r"))
	}
	if _, err := s.Breakpoint(b.Number); !errors.Is(err, ErrNoBreakpoint) {
		t.Errorf("the temporary breakpoint is still there: %v", err)
	}
	if _, err := s.BreakLine("", 99); !errors.Is(err, ErrNoLine) {
		t.Error(err)
	}
	if _, err := s.BreakFunction("nothing"); !errors.Is(err, ErrNoFunction) {
		t.Error(err)
	}
	if _, err := s.BreakInstruction(-1); !errors.Is(err, ErrNoLine) {
		t.Error(err)
	}
	if err := s.SetCondition(f, "nothing > 1"); !errors.Is(err, ErrExpression) {
		t.Error(err)
	}
	if err := s.Delete(77); !errors.Is(err, ErrNoBreakpoint) {
		t.Error(err)
	}
}

func TestHitCountsAndConditions(t *testing.T) {
	s := startDivided(t)
	b, err := s.BreakLine("", 13)
	if err != nil {
		t.Fatal(err)
	}
	b.Ignore = 2 // the two waves of the first group
	if stop, _ := proceed(t, s); stop.Reason != ReasonBreakpoint || text(s, "get_group_id(0)") != "1" || b.Hits != 3 {
		t.Errorf("%+v, %d hits", stop, b.Hits)
	}
	if err := s.SetCondition(b, "r == 1 / (i - 6)"); err != nil {
		t.Fatal(err)
	}
	// The condition is wrong for work-item 6, whose divisor is 0: that stops, and says why.
	if stop, _ := proceed(t, s); stop.Reason != ReasonBreakpoint || b.Wrong == nil || text(s, "i") != "6" {
		t.Errorf("%+v %v, i is %s", stop, b.Wrong, text(s, "i"))
	}
}

func TestBarriersAndGrid(t *testing.T) {
	s := startDivided(t)
	b, err := s.BreakLine("", 13)
	if err != nil {
		t.Fatal(err)
	}
	b.Item = &[3]uint64{5, 0, 0}
	proceed(t, s)
	list := s.Barriers()
	if len(list) != 1 || !slices.Equal(list[0].Items, []int{0, 1, 2, 3}) || !slices.Equal(list[0].Missing, []int{4, 5, 6, 7}) || s.PlaceOf(list[0].PC).Line != 14 {
		t.Errorf("%+v", list)
	}
	g, err := s.All("r", 4)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, c := range g.Cells {
		mark := ""
		if c.Differs {
			mark = "*"
		}
		texts = append(texts, c.Text+mark)
	}
	if want := []string{"1", "0*", "5*", "1", "9*", "2*", "13*", "3*"}; g.Count != 2 || !slices.Equal(texts, want) {
		t.Errorf("%v, %s for %d", texts, g.Most, g.Count)
	}
	if _, err := s.Set("$s0", "5"); err != nil {
		t.Error(err)
	}
	if got := text(s, "$s0"); got != "5" {
		t.Errorf("$s0 is %s", got)
	}
}

// TestStepsOfWavesAndGroups steps a wave through both sides of a branch, and a group until all of its waves
// have moved.
func TestStepsOfWavesAndGroups(t *testing.T) {
	ctx := context.Background()
	s := startDivided(t)
	if _, err := s.BreakLine("", 9); err != nil {
		t.Fatal(err)
	}
	proceed(t, s)
	var lines []int
	for range 5 {
		if _, err := s.Step(ctx, StepOver, Lines, Wave); err != nil {
			t.Fatal(err)
		}
		it, _ := s.Current()
		lines = append(lines, s.PlaceOf(it.PC).Line)
	}
	if want := []int{10, 12, 13, 14, 15}; !slices.Equal(lines, want) {
		// The other wave comes to its breakpoint before the barrier opens.
		if lines[4] != 9 || !slices.Equal(lines[:4], want[:4]) {
			t.Errorf("a wave stepped through lines %v", lines)
		}
	}
	it, _ := s.Current()
	if it.Wave != 1 {
		t.Fatalf("%+v", it)
	}
	if _, err := s.Step(ctx, StepOver, Lines, Group); err != nil {
		t.Fatal(err)
	}
	if it, _ := s.Current(); s.PlaceOf(it.PC).Line != 10 {
		t.Errorf("the group stands at line %d", s.PlaceOf(it.PC).Line)
	}
}

// TestReverseStepsOfWaves steps waves back through a branch whose sides they run one after the other.
func TestReverseStepsOfWaves(t *testing.T) {
	ctx := context.Background()
	for _, kind := range []StepKind{StepInto, StepOver} {
		for _, u := range []Unit{Lines, Instructions} {
			s := startDivided(t)
			b, err := s.BreakLine("", 7)
			if err != nil {
				t.Fatal(err)
			}
			proceed(t, s)
			if err := s.Delete(b.Number); err != nil {
				t.Fatal(err)
			}
			ticks := []uint64{s.Tick()}
			for range 6 {
				if stop, err := s.Step(ctx, kind, u, Wave); err != nil || stop.Reason != ReasonStep {
					t.Fatalf("%+v %v", stop, err)
				}
				ticks = append(ticks, s.Tick())
			}
			for i := len(ticks) - 2; i >= 0; i-- {
				if _, err := s.ReverseStep(ctx, kind, u, Wave); err != nil {
					t.Fatal(err)
				}
				if s.Tick() != ticks[i] {
					t.Fatalf("kind %d, unit %d: step %d back is at %d of %v", kind, u, i, s.Tick(), ticks)
				}
			}
		}
	}
}

func TestWatchpoints(t *testing.T) {
	s := startDivided(t)
	b, err := s.BreakLine("", 9)
	if err != nil {
		t.Fatal(err)
	}
	proceed(t, s)
	if err := s.Select(2); err != nil {
		t.Fatal(err)
	}
	private, err := s.Watch("r", WatchWrite)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Watch("r", WatchRead); !errors.Is(err, ErrNotWatched) {
		t.Error(err)
	}
	if _, err := s.Watch("i + 1", WatchWrite); !errors.Is(err, ErrNotWatched) {
		t.Error(err)
	}
	both, err := s.Watch("tile[3]", WatchReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(b.Number); err != nil {
		t.Fatal(err)
	}
	var hits []int
	var lines []int
	for {
		stop, _ := proceed(t, s)
		if stop.Reason == ReasonEnded {
			break
		}
		if stop.Reason != ReasonWatchpoint || len(stop.Watches) != 1 {
			t.Fatalf("%+v", stop)
		}
		h := stop.Watches[0]
		hits, lines = append(hits, h.Number), append(lines, s.PlaceOf(h.PC).Line)
		if h.Number == private.Number && (h.Item != 2 || h.New[0] != 5) {
			t.Errorf("%+v", h)
		}
	}
	// r of work-item 2 of the first group is written once; tile[3] of each group is written and read.
	if want := []int{private.Number, both.Number, both.Number, both.Number, both.Number}; !slices.Equal(hits, want) || !slices.Equal(lines, []int{12, 13, 15, 13, 15}) {
		t.Errorf("hits %v at lines %v", hits, lines)
	}
}

// TestInterrupt ends a run by its context, and goes on as if nothing had been.
func TestInterrupt(t *testing.T) {
	s := startDivided(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	stop, err := s.Continue(ctx)
	if err != nil || stop.Reason != ReasonPaused || s.Ended() {
		t.Fatalf("%+v %v", stop, err)
	}
	if stop, _ := proceed(t, s); stop.Reason != ReasonEnded {
		t.Errorf("%+v", stop)
	}
	if _, err := s.Continue(context.Background()); !errors.Is(err, ErrEnded) {
		t.Error(err)
	}
	if _, err := s.ReverseStep(context.Background(), StepOver, Lines, Lane); err != nil || s.Ended() {
		t.Error(err)
	}
}

// TestNoWayBack has more memory than checkpoints may take.
func TestNoWayBack(t *testing.T) {
	s := start(t, sums, "sums", emu.DeviceOptions{}, emu.NDRange{Global: []uint64{64}}, Options{Checkpoints: 100, Spacing: 10}, func(d *emu.Device) []emu.Arg {
		return []emu.Arg{buffer(t, d, make([]float32, 64)), emu.Value(int32(64))}
	})
	if off, size := s.HistoryOff(); !off || size < 256 {
		t.Errorf("off %v, %d bytes", off, size)
	}
	if _, err := s.BreakLine("", 14); err != nil {
		t.Fatal(err)
	}
	proceed(t, s)
	ctx := context.Background()
	if _, err := s.ReverseStep(ctx, StepOver, Lines, Lane); !errors.Is(err, ErrNoHistory) {
		t.Error(err)
	}
	if _, err := s.GoTo(ctx, 0); !errors.Is(err, ErrNoHistory) {
		t.Error(err)
	}
	if _, err := s.Set("s", "1"); err != nil {
		t.Error(err)
	}
	if stop, _ := proceed(t, s); stop.Reason == ReasonFinding {
		t.Errorf("%+v", stop)
	}
}

// TestBreakOtherKernel sets breakpoints at lines of a kernel that does not run: they do not move on into the
// one that does.
func TestBreakOtherKernel(t *testing.T) {
	const text = `kernel void fill(global int *a)
{
	a[get_global_id(0)] = 1;
}
// Doubles.
kernel void twice(global int *a)
{

	a[get_global_id(0)] *= 2;
}
`
	s := start(t, text, "twice", emu.DeviceOptions{}, emu.NDRange{Global: []uint64{4}}, Options{}, func(d *emu.Device) []emu.Arg {
		return []emu.Arg{buffer(t, d, make([]int32, 4))}
	})
	for _, line := range []int{3, 5} {
		if b, err := s.BreakLine("program.cl", line); !errors.Is(err, ErrNoLine) || !strings.Contains(err.Error(), "begins at line 6") {
			t.Errorf("line %d: %+v, %v", line, b, err)
		}
	}
	for _, line := range []int{6, 8, 9} {
		if b, err := s.BreakLine("program.cl", line); err != nil || b.Line != 9 {
			t.Errorf("line %d: %+v, %v", line, b, err)
		}
	}
}
