package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lockstep-gpu/lockstep/emu"
)

// every returns every other element of a list, from one on.
func every[T any](list []T, from int) []T {
	var some []T
	for i := from; i < len(list); i += 2 {
		some = append(some, list[i])
	}
	return some
}

// TestConformance runs every case that ships: under the quick matrix with -short, under the standard one with -long,
// and else under halves of it.
func TestConformance(t *testing.T) {
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	matrices := []Matrix{Standard()}
	switch {
	case *long:
	case !testing.Short():
		// All sub-group sizes and schedules of copies, but not each with each.
		halves := [2]Matrix{matrices[0], matrices[0]}
		for i := range halves {
			h := &halves[i]
			h.SubGroups, h.Async = every(h.SubGroups, i), every(h.Async, i)
			h.Waves, h.Workers = h.Waves[i:i+1], h.Workers[i:i+1]
		}
		matrices = halves[:]
	default:
		// Two of everything, but not each with each.
		matrices = []Matrix{Quick(), Quick()}
		matrices[0].SubGroups, matrices[0].Waves = matrices[0].SubGroups[:1], matrices[0].Waves[1:]
		matrices[1].SubGroups, matrices[1].Waves = matrices[1].SubGroups[1:], matrices[1].Waves[:1]
	}
	skipped := map[string]int{} // by case, by how many matrices
	for _, m := range matrices {
		report, err := Run(context.Background(), cases, Options{Matrix: &m})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range report.Results {
			if r.Status == Skipped {
				skipped[r.Case.Name]++
			}
		}
		s := report.Summary()
		if !report.OK() || s.Cases == 0 {
			var b bytes.Buffer
			if err := report.WriteText(&b, false); err != nil {
				t.Fatal(err)
			}
			t.Errorf("%s", &b)
		}
		t.Logf("%v", s)
	}
	for name, n := range skipped {
		if n == len(matrices) {
			t.Errorf("%s was not run", name)
		}
	}
}

// TestChecked: no case makes a finding with the checks on that it does not state.
func TestChecked(t *testing.T) {
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	m := Quick()
	m.SubGroups, m.Waves = m.SubGroups[1:], m.Waves[:1]
	if testing.Short() {
		m.Engines = m.Engines[:1] // with checks, all engines do as the portable one
	}
	report, err := Run(context.Background(), cases, Options{Matrix: &m, Check: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		for _, f := range r.Failures {
			t.Errorf("%s: %s", r.Case.Name, f.Message)
		}
	}
}

// two is a matrix with two sub-group sizes and schedules.
func two() *Matrix {
	return &Matrix{
		Engines: engines()[:1], SubGroups: []int{8, 32}, Waves: []int{0}, Workers: []int{1, 2},
		Schedules: []emu.Schedule{{Order: emu.InOrder}, {Order: emu.Reverse}},
	}
}

// changed returns a case of the folder core, or of another one that its name begins
// with, with some lines replaced.
func changed(t *testing.T, name string, oldNew ...string) *Case {
	t.Helper()
	folder, name, ok := strings.Cut(name, "/")
	if !ok {
		folder, name = "core", folder
	}
	text, err := fs.ReadFile(Builtin(), "cases/"+folder+"/"+name+extension)
	if err != nil {
		t.Fatal(err)
	}
	s := strings.NewReplacer(oldNew...).Replace(string(text))
	if s == string(text) && len(oldNew) > 0 {
		t.Fatalf("%s is not changed", name)
	}
	cases, err := Load(fstest.MapFS{name + extension: {Data: []byte(s)}})
	if err != nil {
		t.Fatal(err)
	}
	return cases[0]
}

// TestRunFinds: whatever a case states, the runner notices when it is not so.
func TestRunFinds(t *testing.T) {
	for _, tc := range []struct {
		name   string
		c      *Case
		status Status
		runs   int
		want   []string // each in a message of its own, in order
	}{
		{"pass", changed(t, "phi-swap"), Passed, 6, nil},
		{"value", changed(t, "phi-swap", "buf:u32:10,20, 20,10,", "buf:u32:10,20, 20,11,"), Failed, 6,
			[]string{"argument 0: 1 of 16 u32 differ:\n  [3] is 10, want 11"}},
		{"value at a size", changed(t, "phi-swap", "expect:   0 = buf:u32:10,20, 20,10, 10,20, 20,10, 10,20, 20,10, 10,20, 20,10", "expect: 0 = unchanged at 32, 64"),
			Failed, 6, []string{"16 of 16 u32 differ"}},
		{"value at another size", changed(t, "phi-swap", "expect:   0 = buf:u32:10,20, 20,10, 10,20, 20,10, 10,20, 20,10, 10,20, 20,10", "expect: 0 = unchanged at 4"),
			Passed, 6, nil},
		{"alike at a size", changed(t, "atomic-exchange", "varies:   1\n", "expect: 1 = unchanged at 128\n"), Failed, 6,
			[]string{"argument 1 is not what it is with -engine interp -subgroup 8", "argument 1 is not what it is with -engine interp -subgroup 32"}},
		{"hash", changed(t, "phi-swap", "expect:   0 = buf:u32:10,20, 20,10, 10,20, 20,10, 10,20, 20,10, 10,20, 20,10",
			"expect: 0 = sha256:"+strings.Repeat("0", 64)), Failed, 6, []string{"argument 0: sha256 of its 64 bytes is"}},
		{"unchanged", changed(t, "phi-swap", "expect:   0 = buf:u32:10,20, 20,10, 10,20, 20,10, 10,20, 20,10, 10,20, 20,10", "expect: 0 = unchanged"),
			Failed, 6, []string{"16 of 16 u32 differ"}},
		{"no finding", changed(t, "phi-swap", "arg: ", "finding: E-OOB\narg: "), Failed, 6, []string{"exit status 0, want 1", "no finding E-OOB"}},
		{"finding", changed(t, "fault-oob-write", "finding:  E-OOB \"out-of-bounds write of 4 bytes\"\n", ""), Failed, 6,
			[]string{"exit status 1, want 0", "unexpected finding: error[E-OOB]: out-of-bounds write of 4 bytes"}},
		{"finding text", changed(t, "fault-oob-write", "out-of-bounds write of 4", "out-of-bounds read of 4"), Failed, 6,
			[]string{`no finding E-OOB contains "out-of-bounds read of 4 bytes"`}},
		{"finding count", changed(t, "fault-oob-straddle", "E-OOB \"", "E-OOB 7 \""), Failed, 6, []string{"finding E-OOB occurs 1 times, want 7"}},
		{"exit", changed(t, "phi-swap", "arg: ", "exit: 1\narg: "), Failed, 6, []string{"exit status 0, want 1"}},
		{"order", changed(t, "atomic-exchange", "varies:   1\n", ""), Failed, 6, []string{"argument 1 is not what it is with -engine"}},
		{"entry", changed(t, "phi-swap", "kernel:   swap", "kernel: swop"), Failed, 6, []string{"refused: "}},
		{"refuse", changed(t, "refuse-entry", "refuse:   nothere", "refuse: elsewhere"), Failed, 6, []string{`the error must contain "elsewhere"`}},
		{"refuse exit", changed(t, "refuse-entry", "refuse:   nothere", "refuse: nothere\nexit: 1"), Failed, 6, []string{"exit status 2, want 1"}},
		{"not refused", changed(t, "phi-swap", "expect:   0 = buf:u32:10,20, 20,10, 10,20, 20,10, 10,20, 20,10, 10,20, 20,10", "refuse: x"), Failed, 6,
			[]string{`the module runs; it must be refused with an error that contains "x"`}},
		{"spec", changed(t, "phi-swap", "zero:u32:16", "zero:u32:x"), Broken, 0, []string{`phi-swap.case:8:20: "x" is not a count`}},
		{"constant", changed(t, "spec-override", "1 = u8:0", "1 = u8:0*9"), Broken, 0, []string{"a specialization constant is one number"}},
		{"assembly", changed(t, "phi-swap", "OpReturn\n", "OpReturns\n"), Broken, 0, []string{"phi-swap.case:57:16: there is no instruction"}},
		{"skipped", changed(t, "phi-swap", "arg: ", "subgroup: 2\narg: "), Skipped, 0, nil},
		{"sub-group size", changed(t, "phi-swap", "arg: ", "subgroup: 32\narg: "), Passed, 3, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			report, err := Run(context.Background(), []*Case{tc.c}, Options{Matrix: two()})
			if err != nil {
				t.Fatal(err)
			}
			r := report.Results[0]
			if r.Status != tc.status || r.Runs != tc.runs || len(r.Failures) != len(tc.want) {
				var b bytes.Buffer
				if err := report.WriteText(&b, false); err != nil {
					t.Fatal(err)
				}
				t.Fatalf("%s after %d runs, want %s after %d with %d messages\n%s", r.Status, r.Runs, tc.status, tc.runs, len(tc.want), &b)
			}
			for i, want := range tc.want {
				if !strings.Contains(r.Failures[i].Message, want) {
					t.Errorf("message %q, want %q", r.Failures[i].Message, want)
				}
				if (r.Failures[i].Config == nil) != (tc.status == Broken) {
					t.Errorf("configuration %v", r.Failures[i].Config)
				}
			}
		})
	}
}

// TestRunCheck: the option reaches cases that leave it open, and no others.
func TestRunCheck(t *testing.T) {
	for _, tc := range []struct {
		c     *Case
		check bool
		want  Status
	}{
		{changed(t, "shift-modulo"), true, Passed},
		{changed(t, "shift-modulo", "check:    off\n", ""), false, Passed},
		{changed(t, "shift-modulo", "check:    off\n", ""), true, Failed},
		{changed(t, "check-shift"), false, Passed},
		{changed(t, "check-shift", "check:    on\n", ""), false, Failed},
		{changed(t, "check-shift", "check:    on\n", ""), true, Passed},
	} {
		report, err := Run(context.Background(), []*Case{tc.c}, Options{Matrix: two(), Check: tc.check})
		if err != nil {
			t.Fatal(err)
		}
		if got := report.Results[0]; got.Status != tc.want {
			t.Errorf("%s, check: %d, with the option %v: %s, want %s", tc.c.Name, tc.c.Check, tc.check, got.Status, tc.want)
		}
	}
}

// TestRunAsync: schedules that choose when asynchronous copies complete are for
// kernels that have some.
func TestRunAsync(t *testing.T) {
	m := two()
	m.Async = []emu.Schedule{{Completion: emu.CompleteLate}, {Completion: emu.CompletePaced}}
	m.Marks = []emu.Schedule{{Completion: emu.CompleteLate}}
	m.Shapes = []DMA{{Engines: 1, Queue: 1, Step: 1}}
	copies, err := Load(Builtin(), "cases/gac/core-copy", "cases/gac/refuse-instruction")
	if err != nil {
		t.Fatal(err)
	}
	report, err := Run(context.Background(), append(copies, changed(t, "phi-swap")), Options{Matrix: m})
	if err != nil {
		t.Fatal(err)
	}
	for i, runs := range []int{14, 6, 6} {
		if r := report.Results[i]; r.Status != Passed || r.Runs != runs {
			t.Errorf("%s: %s after %d runs, want %d", r.Case.Name, r.Status, r.Runs, runs)
		}
	}
}

// TestRunSets: what a case of several launches states is noticed, too, when it is not so.
func TestRunSets(t *testing.T) {
	for _, tc := range []struct {
		name string
		c    *Case
		want []string
	}{
		{"pass", changed(t, "pip/host-stream"), nil},
		{"buffer", changed(t, "pip/chain-short", "iota:u32:12:1:4", "iota:u32:12:2:4"), []string{"launch 3 (third), argument 0: 12 of 12 u32 differ"}},
		{"packets", changed(t, "pip/host-stream", "b = iota:u32:200:7:2", "b = iota:u32:200:8:2"), []string{"packets of b: 200 of 200 u32 differ"}},
		{"more packets", changed(t, "pip/host-stream", "b = iota:u32:200:7:2", "b = iota:u32:201:7:2"), []string{"packets of b: 800 bytes, want 804"}},
		{"no packets", changed(t, "pip/host-left", "q = iota:u32:4:12", "q = none"), []string{"packets of q: 16 bytes, want 0"}},
		{"fill", changed(t, "pip/host-left", "iota:u32:6:10", "iota:u32:5:10"), []string{"packets of q: 12 bytes, want 16"}},
		{"feed", changed(t, "pip/host-chain", "feed:     p0 = iota:u32:60", "feed:     p0 = iota:u32:60:1"), []string{"packets of p6: 60 of 60 u32 differ"}},
		{"step", changed(t, "pip/storage-keeps", "iota:u32:16:12", "iota:u32:16:13"), []string{"launch 6 (consume), argument 0: 16 of 16 u32 differ"}},
		{"packets after a step", changed(t, "pip/host-steps", "q = iota:u32:8:14", "q = iota:u32:8:15"), []string{"packets of q after step 5: 8 of 8 u32 differ"}},
		{"reset", changed(t, "pip/storage-reset", "then:     reset\nkernel:   produce", "then:     launch\nkernel:   produce"), []string{
			"launch 7 (consume), argument 0: 3 of 3 u32 differ", "launch 8 (count), argument 0: 1 of 1 u32 differ"}},
		{"order", changed(t, "pip/lanes-read", "varies:   1\n", ""), []string{"launch 1 (consume), argument 1 is not what it is with -engine"}},
		{"texts", changed(t, "pip/deadlock-alone", "nobody can write", "somebody can write"), []string{`no finding E-PIPEDEADLOCK contains "endless wait to read from pipe link" "pipe link: empty, of 2 packets" "somebody can write`}},
		{"kernel", changed(t, "pip/chain-short", "kernel:   third", "kernel:   fourth"), []string{"refused: "}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			report, err := Run(context.Background(), []*Case{tc.c}, Options{Matrix: two()})
			if err != nil {
				t.Fatal(err)
			}
			r := report.Results[0]
			if (r.Status == Passed) != (tc.want == nil) || len(r.Failures) < len(tc.want) {
				t.Fatalf("%s: %+v, want %q", r.Status, r.Failures, tc.want)
			}
			for i, want := range tc.want {
				if !strings.HasPrefix(r.Failures[i].Message, want) {
					t.Errorf("message %q, want %q", r.Failures[i].Message, want)
				}
			}
		})
	}
}

// TestRunPipes: the further seeds are for kernels with pipes, whether they are the
// program's or the host's, but not the further completions.
func TestRunPipes(t *testing.T) {
	m := two()
	m.Async = []emu.Schedule{{Completion: emu.CompleteLate}, seeded(4), seeded(5), {Order: emu.Reverse, Completion: emu.CompleteSeeded, Seed: 1}}
	cases := []*Case{changed(t, "pip/storage"), changed(t, "pip/host-read"), changed(t, "phi-swap"), changed(t, "pip/with-copies")}
	report, err := Run(context.Background(), cases, Options{Matrix: m})
	if err != nil {
		t.Fatal(err)
	}
	for i, runs := range []int{10, 10, 6, 14} {
		if r := report.Results[i]; r.Status != Passed || r.Runs != runs {
			t.Errorf("%s: %s after %d runs, want %d: %+v", r.Case.Name, r.Status, r.Runs, runs, r.Failures)
		}
	}
}

// TestRunOrder: the report does not depend on how many cases run at the same time.
func TestRunOrder(t *testing.T) {
	cases := []*Case{
		changed(t, "phi-swap"), changed(t, "phi-swap", "buf:u32:10,20", "buf:u32:9,20"), changed(t, "fault-oob-write"),
		changed(t, "atomic-exchange", "varies:   1\n", ""), changed(t, "phi-swap", "zero:u32:16", "zero:u32:x"), changed(t, "local-reverse"),
	}
	kernels, err := Load(Builtin(), "cases/kernels")
	if err != nil {
		t.Fatal(err)
	}
	cases = append(cases, kernels[:min(len(kernels), 12)]...)
	var first string
	for _, workers := range []int{1, 4} {
		var progress []int
		report, err := Run(context.Background(), cases, Options{Matrix: two(), Workers: workers, Progress: func(done, total int) {
			if total != len(cases) {
				t.Errorf("progress of %d cases", total)
			}
			progress = append(progress, done)
		}})
		if err != nil {
			t.Fatal(err)
		}
		for i, done := range progress {
			if done != i+1 {
				t.Errorf("progress %v", progress)
			}
		}
		if len(progress) != len(cases) {
			t.Errorf("progress %v", progress)
		}
		var b bytes.Buffer
		if err := report.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = b.String()
		} else if b.String() != first {
			t.Errorf("with %d workers:\n%s\nwith 1:\n%s", workers, &b, first)
		}
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	report, err := Run(ctx, []*Case{changed(t, "phi-swap")}, Options{Matrix: two()})
	if !errors.Is(err, context.Canceled) || report.Results[0].Status != Stopped {
		t.Errorf("got %+v, %v", report, err)
	}
	// Stopped in the middle of a run that would never end.
	ctx, cancel = context.WithCancel(context.Background())
	endless := changed(t, "fault-timeout", "timeout:  20ms\n", "")
	report, err = Run(ctx, []*Case{changed(t, "phi-swap"), endless}, Options{Matrix: two(), Workers: 1, Progress: func(int, int) { cancel() }})
	if !errors.Is(err, context.Canceled) || report.Results[0].Status != Passed || report.Results[1].Status != Stopped {
		t.Errorf("got %+v, %v", report, err)
	}
	if report, err := Run(context.Background(), nil, Options{}); err != nil || len(report.Results) != 0 {
		t.Errorf("without cases: %+v, %v", report, err)
	}
}

// TestOver holds that each result is told once, has a form that can be read again, and that an error of who is told ends the run.
func TestOver(t *testing.T) {
	cases := []*Case{changed(t, "phi-swap"), changed(t, "phi-swap", "buf:u32:10,20", "buf:u32:10,21"), changed(t, "fault-timeout")}
	told := map[string]Status{}
	read := &Report{Results: make([]Result, len(cases))}
	report, err := Run(t.Context(), cases, Options{Matrix: two(), Workers: 2, Over: func(r *Result) error {
		d := r.Document()
		text, err := json.Marshal(d)
		var back ResultDocument
		if err == nil {
			err = json.Unmarshal(text, &back)
		}
		i := slices.Index(cases, r.Case)
		told[fmt.Sprint(i)] = r.Status
		read.Results[i] = back.Result()
		return err
	}})
	if err != nil || len(told) != len(cases) {
		t.Fatalf("told of %v, %v", told, err)
	}
	for _, write := range []func(r *Report, w io.Writer) error{
		func(r *Report, w io.Writer) error { return r.WriteText(w, true) }, (*Report).WriteJSON, (*Report).WriteJUnit,
	} {
		var a, b bytes.Buffer
		if err := errors.Join(write(report, &a), write(read, &b)); err != nil || a.String() != b.String() {
			t.Errorf("%v: read again:\n%s\nwant\n%s", err, &b, &a)
		}
	}
	full := errors.New("disk full")
	report, err = Run(t.Context(), cases, Options{Matrix: two(), Workers: 1, Over: func(*Result) error { return full }})
	if !errors.Is(err, full) || report.Results[len(cases)-1].Status != Stopped {
		t.Errorf("%+v, %v", report, err)
	}
}
