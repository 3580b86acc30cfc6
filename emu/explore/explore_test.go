package explore_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/explore"
)

// subject is a launch of a kernel whose arguments are a buffer of ints, 0, 1, 2 …, and one of zeros.
func subject(t testing.TB, source string, items, local int) explore.Subject {
	return explore.Subject{
		Programs: []func(context.Context, *emu.Device) (*emu.Program, error){func(_ context.Context, dev *emu.Device) (*emu.Program, error) {
			p, log, err := dev.BuildProgram(source, "")
			if err != nil {
				t.Log(log)
			}
			return p, err
		}},
		Launches: []explore.Member{{Kernel: "k", Range: emu.NDRange{Global: []uint64{uint64(items)}, Local: []uint64{uint64(local)}}}},
		Args: func(dev *emu.Device) (*explore.Arguments, error) {
			in, out := make([]int32, items), make([]int32, items)
			for i := range in {
				in[i] = int32(i)
			}
			x, err := emu.NewBufferOf(dev, in)
			if err != nil {
				return nil, err
			}
			y, err := emu.NewBufferOf(dev, out)
			return &explore.Arguments{Of: [][]emu.Arg{{x, y}}}, err
		},
	}
}

// explored runs a subject under so many configurations.
func explored(t testing.TB, s explore.Subject, runs int, opt explore.Options) (*explore.Explorer, *explore.Report) {
	t.Helper()
	e := explore.New(s)
	space, err := e.Space(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := e.Explore(t.Context(), explore.NewPlan(space, runs, 1), opt)
	if err != nil {
		t.Fatal(err)
	}
	return e, r
}

const head = "kernel void k(global const int *x, global int *y) { local int tile[32]; size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);\n"

// kernels are bodies of kernels, and whether runs of them agree.
var kernels = []struct {
	name, body string
	agree      bool
}{
	{"own element", "y[i] = 2*x[i]; }", true},
	{"neighbour behind a barrier", "tile[l] = x[i]; barrier(CLK_LOCAL_MEM_FENCE); y[i] = tile[n-1-l]; }", true},
	{"neighbour without a barrier", "tile[l] = x[i]; y[i] = tile[n-1-l]; }", false},
	{"forgotten second barrier", `for (int r = 0; r < 3; r++) { tile[l] = x[i] + r; barrier(CLK_LOCAL_MEM_FENCE); y[i] += tile[(l+1)%n]; } }`, false},
	{"last writer", "y[0] = (int)i; }", false},
	{"sum by atomics", "atomic_add(&y[0], x[i]); }", true},
	{"lost sum", "y[0] += x[i]; }", false},
	{"tickets in a list", "y[atomic_inc(&y[0]) + 1 < get_global_size(0) ? 1 : 2] = 7; y[2] = 7; }", true},
	{"ticket kept", "y[i] = atomic_inc((volatile global int *)&x[0]); }", false},
	{"lines in any order", `printf("%d\n", (int)i); }`, true},
	{"words in any order", `printf("%d ", (int)i); }`, true},
	{"two texts of each work-item", `printf("<%d", (int)i); printf("%d>", (int)i); }`, true},
	{"printed race", `tile[l] = x[i]; printf("%d\n", tile[n-1-l]); }`, false},
	{"neighbouring group", "y[i] = 1; if (i > n) y[i] += y[i - n]; }", false},
	{"out of bounds in all orders", "y[i + 1] = x[i]; }", true},
}

func TestExplore(t *testing.T) {
	for _, c := range kernels {
		t.Run(c.name, func(t *testing.T) {
			_, r := explored(t, subject(t, head+c.body, 64, 16), 24, explore.Options{})
			if r.Agree() != c.agree || len(r.Runs) != 24 || r.Planned != 24 {
				t.Errorf("%d outcomes of %d runs of %d, want agreement: %t", len(r.Outcomes), len(r.Runs), r.Planned, c.agree)
			}
			total := 0
			for i := range r.Outcomes {
				total += r.Count(&r.Outcomes[i])
			}
			if total != 24 {
				t.Errorf("the outcomes have %d runs", total)
			}
		})
	}
}

func TestFinding(t *testing.T) {
	_, r := explored(t, subject(t, head+"y[i + 1] = x[i]; }", 64, 16), 24, explore.Options{})
	if o := r.Outcomes[0]; len(r.Outcomes) != 1 || o.Completed || len(o.Findings) != 1 || o.Findings[0].Code != "E-OOB" || r.OK() {
		t.Errorf("outcomes %+v", r.Outcomes)
	}
	// The second one comes in every order, but only where all work-groups run.
	s := subject(t, head+"y[i + 1] = x[i];\nif (i == 5) y[i + 100] = 1; }", 64, 16)
	s.KeepGoing = true
	if _, r := explored(t, s, 24, explore.Options{}); len(r.Outcomes) != 1 || len(r.Outcomes[0].Findings) != 2 {
		t.Errorf("all work-groups: outcomes %+v", r.Outcomes)
	}
}

// TestJobs makes the same report with any number of runs at the same time, on each engine, and in two halves.
func TestJobs(t *testing.T) {
	s := subject(t, head+"tile[l] = x[i]; y[i] = tile[n-1-l]; printf(\"%d\", tile[n-1-l]); }", 64, 16)
	_, want := explored(t, s, 40, explore.Options{Jobs: 1})
	if want.Agree() {
		t.Fatal("a race agrees")
	}
	for _, engine := range emu.Engines() {
		for _, jobs := range []int{1, 2, 7} {
			s.Device.Engine = engine
			if _, got := explored(t, s, 40, explore.Options{Jobs: jobs}); !reflect.DeepEqual(got, want) {
				t.Errorf("engine %s, %d jobs: %+v, want %+v", engine, jobs, got, want)
			}
		}
	}
	var known []explore.Run
	outcomes := map[string]explore.Outcome{}
	record := func(run explore.Run, o *explore.Outcome) error {
		known = append(known, run)
		if o != nil {
			outcomes[o.ID] = *o
		}
		return nil
	}
	_, half := explored(t, s, 40, explore.Options{Jobs: 3, Record: record, Take: func(i int) bool { return i >= 20 }})
	if len(half.Runs) != 20 || half.Planned != 20 {
		t.Fatalf("a half of 40 runs has %d of %d", len(half.Runs), half.Planned)
	}
	var list []explore.Outcome
	for _, o := range outcomes {
		list = append(list, o)
	}
	made := 0
	_, got := explored(t, s, 40, explore.Options{Known: known, Outcomes: list, Record: func(explore.Run, *explore.Outcome) error { made++; return nil }})
	if !reflect.DeepEqual(got, want) || made != 20 {
		t.Errorf("in two halves, the second of %d runs: %+v, want %+v", made, got, want)
	}
}

func TestPart(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"one store", "\ntile[l] = x[i];\ny[i] = tile[n-1-l]; }",
			"y 0 [0 15] 4 [0 0 0] 4 [0 0 0]"},
		{"two stores", "\nif (i == 20) {\ny[5] = 7; }\nif (i == 2) {\ny[5] = 8; } }",
			"y 5 [7 8] 4 [20 0 0] 6 [2 0 0]"},
		{"one side", "\nif (i == 0) x[0];\nif (i == 40 && y[3] == 0) y[2] = 9; if (i == 2)\ny[3] = 1; }",
			"y 2 [0 9] nobody 4 [40 0 0]"},
		{"atomic", "\nif (i == 63 && y[0] == 0)\natomic_xchg(&y[1], 6); atomic_max(&y[0], 5); }",
			"y 1 [0 6] nobody 4 [63 0 0]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := explore.New(subject(t, head+c.body, 64, 16))
			a := explore.Run{Config: explore.Config{SubgroupSize: 4, WaveLanes: 4, Schedule: "in-order"}}
			b := explore.Run{Config: explore.Config{SubgroupSize: 4, WaveLanes: 4, Schedule: "reverse"}}
			d, err := e.Part(t.Context(), a, b)
			if err != nil || d == nil {
				t.Fatal(d, err)
			}
			got := fmt.Sprint(d.Name, " ", d.Index, " ", d.Values)
			for _, s := range d.Stores {
				if s.Order == 0 {
					got += " nobody"
				} else {
					got += fmt.Sprintf(" %d %v", s.Place.Line, s.WorkItem.Global)
				}
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if same, err := e.Part(t.Context(), a, a); same != nil || err != nil {
				t.Errorf("a run and itself part: %+v, %v", same, err)
			}
		})
	}
	e := explore.New(subject(t, head+"tile[l] = x[i]; printf(\"%d of %d\\n\", tile[n-1-l], (int)i); }", 64, 16))
	d, err := e.Part(t.Context(), explore.Run{Config: explore.Config{SubgroupSize: 16, Schedule: "in-order"}},
		explore.Run{Config: explore.Config{SubgroupSize: 1, WaveLanes: 1, Schedule: "in-order"}})
	if err != nil || d == nil || d.Lines[0] == "" || !strings.Contains(d.Lines[1], "0 of ") || d.Object != nil {
		t.Errorf("output: %+v, %v", d, err)
	}
}

func TestPlan(t *testing.T) {
	e := explore.New(subject(t, head+"y[i] = x[i]; }", 64, 32))
	space, err := e.Space(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p, again := explore.NewPlan(space, 400, 3), explore.NewPlan(space, 64, 3)
	seen, sizes, waves, orders := map[explore.Config]bool{}, map[int]bool{}, map[int]bool{}, map[string]bool{}
	for i := range p.Runs() {
		c := p.At(i)
		if seen[c] {
			t.Errorf("run %d, %+v, is there twice", i, c)
		}
		seen[c] = true
		if i < 24 {
			sizes[c.SubgroupSize], waves[c.WaveLanes], orders[c.Schedule] = true, true, true
		}
		if i < again.Runs() && again.At(i) != c {
			t.Errorf("run %d of 64 is %+v, of 400 it is %+v", i, again.At(i), c)
		}
		if c.WaveLanes%c.SubgroupSize != 0 {
			t.Errorf("run %d: %+v", i, c)
		}
	}
	if first := p.At(0); first != (explore.Config{SubgroupSize: 32, Schedule: "in-order"}) {
		t.Errorf("the first is %+v", first)
	}
	// 128 lanes are no more than a group of 32 has in one sub-group.
	if len(sizes) != 8 || len(orders) != 3 || len(waves) < 8 {
		t.Errorf("the first 24 have sub-groups of %v, waves of %v, orders %v", sizes, waves, orders)
	}
	space.Seeded = nil
	// Sub-groups of 1, 2, 4 … lanes have 6, 5, 4, 3, 2, 1, 1 and 1 widths of waves.
	if n := explore.NewPlan(space, 400, 3).Runs(); n != 1+2*23 {
		t.Errorf("%d configurations without a seed", n)
	}
}

// TestCancelled ends an exploration in the sixth run.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := subject(t, head+"y[i] = 1; }", 64, 16)
	args, calls := s.Args, 0
	s.Args = func(dev *emu.Device) (*explore.Arguments, error) {
		if calls++; calls == 6 {
			cancel()
		}
		return args(dev)
	}
	e := explore.New(s)
	space, err := e.Space(ctx)
	if err != nil {
		t.Fatal(err)
	}
	plan := explore.NewPlan(space, 24, 1)
	r, err := e.Explore(ctx, plan, explore.Options{Jobs: 1})
	if !errors.Is(err, context.Canceled) || r == nil || len(r.Runs) != 5 || r.Planned != 24 || r.OK() ||
		!reflect.DeepEqual(r.Unfinished, []explore.Run{{Index: 5, Config: plan.At(5)}}) {
		t.Errorf("report %+v, error %v", r, err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"no such kernel", "kernel void other(global int *x) {}", "no kernel"},
		{"no program", "kernel void k(", "expected"},
	} {
		if _, err := explore.New(subject(t, c.source, 64, 16)).Space(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", c.name, err, c.want)
		}
	}
	s := subject(t, head+"}", 64, 16)
	s.Args = func(*emu.Device) (*explore.Arguments, error) {
		return &explore.Arguments{Of: make([][]emu.Arg, 1)}, nil
	}
	e := explore.New(s)
	space, err := e.Space(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var args *emu.ArgError
	if r, err := e.Explore(t.Context(), explore.NewPlan(space, 24, 1), explore.Options{}); r != nil || !errors.As(err, &args) {
		t.Errorf("without arguments: %+v, %v", r, err)
	}
}
