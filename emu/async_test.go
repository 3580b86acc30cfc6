package emu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// asyncSchedules are schedules under each of which a correct kernel does the same.
func asyncSchedules(t *testing.T) []emu.Schedule {
	var all []emu.Schedule
	for _, name := range []string{"early", "late", "paced", "reverse+late", "reverse+paced"} {
		s, err := emu.ParseSchedule(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	for seed := range uint64(3) {
		all = append(all, emu.Schedule{Order: emu.Seeded, Completion: emu.CompleteSeeded, Seed: seed},
			emu.Schedule{Completion: emu.CompleteSeeded, Seed: seed})
	}
	return all
}

// asyncDevices are devices between which no kernel can tell, apart from the size
// of a sub-group.
var asyncDevices = []emu.DeviceOptions{
	{Workers: 1}, {Workers: 3}, {Workers: 2, WaveLanes: 32}, {SubgroupSize: 8, WaveLanes: 64, Workers: 2}, {SubgroupSize: 64, Workers: 1},
	{Workers: 1, DMAEngines: 1, DMAQueueDepth: 1, DMABytesPerStep: 1}, {Workers: 2, DMAEngines: 64, DMAQueueDepth: 1024, DMABytesPerStep: 1 << 20},
}

// TestAsyncResults runs correct kernels everywhere, with checks and without.
func TestAsyncResults(t *testing.T) {
	const items, steps, local = 240, 5, 48
	in := make([]uint32, items*steps)
	for i := range in {
		in[i] = uint32(i)*2654435761 + 1
	}
	piped, reversed := make([]uint32, items), make([]uint32, items)
	for i := range items {
		for s := range steps {
			piped[i] = piped[i]*3 + in[s*items+i]
		}
		reversed[i] = in[i/local*local+local-1-i%local]
	}
	// The resource ends at element 150.
	cut := append(slices.Clone(in[:150]), make([]uint32, items-150)...)
	for _, opt := range asyncDevices {
		d := device(t, opt)
		p := program(t, d, "async")
		if !kernel(t, p, "reversed").Info().UsesAsync {
			t.Error("the kernel is not known to copy asynchronously")
		}
		src := buffer(t, d, in...)
		for _, s := range asyncSchedules(t) {
			for _, check := range []bool{false, true} {
				for _, c := range []struct {
					kernel string
					args   []emu.Arg
					want   []uint32
				}{
					{"resource", []emu.Arg{emu.Resource(src, 0, 600)}, cut},
					{"resource", []emu.Arg{emu.Resource(src, 100, 6)}, cut},
					{"pipeline", []emu.Arg{src}, piped},
					{"reversed", []emu.Arg{src}, reversed},
				} {
					out := buffer(t, d, make([]uint32, items)...)
					args := append(c.args, out)
					if c.kernel == "pipeline" {
						args = append(args, emu.Value(uint32(steps)))
					}
					mustRun(t, &emu.Launch{Kernel: kernel(t, p, c.kernel), Range: sized(items, local), Args: args, Schedule: s, Check: check})
					if got := contents[uint32](t, out); !slices.Equal(got, c.want) {
						t.Fatalf("%+v, %s, check %v: %s gives\n%v, want\n%v", opt, s.Name(), check, c.kernel, got, c.want)
					}
					if err := out.Free(); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// TestAsyncFindings checks that a missing wait is found wherever it is run, and
// that what is said about it depends on the order and the width of waves alone.
func TestAsyncFindings(t *testing.T) {
	const items, steps = 240, 5
	texts := map[string]string{}
	for _, opt := range asyncDevices {
		if opt.SubgroupSize != 0 {
			continue // findings name sub-groups
		}
		d := device(t, opt)
		k := kernel(t, program(t, d, "async"), "hasty")
		src := buffer(t, d, make([]uint32, items*steps)...)
		for _, s := range asyncSchedules(t) {
			l := emu.Launch{Kernel: k, Range: sized(items, 48), Schedule: s, Check: true,
				Args: []emu.Arg{src, buffer(t, d, make([]uint32, items)...), emu.Value(uint32(steps))}}
			res, err := l.Run(context.Background())
			var fe *emu.FindingsError
			if !errors.As(err, &fe) || len(res.Findings.Findings) == 0 {
				t.Fatalf("%+v, %s: error %v, result %+v", opt, s.Name(), err, res)
			}
			if got := res.GroupsRun; got != 5 {
				t.Errorf("%+v, %s: %d groups ran", opt, s.Name(), got)
			}
			text := ""
			for _, f := range res.Findings.Findings {
				text += fmt.Sprintf("%s at line %d, %d times in %d groups\n", f.Code, f.Place.Line, f.Count, f.Groups)
			}
			// Each copy but the first two goes where an outstanding one does.
			if want := fmt.Sprintf("E-ASYNCOVERLAP at line 50, %d times in 5 groups\nE-ASYNCREAD at line 53, %d times in 5 groups\n", items*(steps-2), items*steps); text != want {
				t.Fatalf("%+v, %s:\n%s, want\n%s", opt, s.Name(), text, want)
			}
			if s.Order == emu.InOrder {
				for i := range res.Findings.Findings {
					res.Findings.Findings[i].Reproduce = ""
				}
				text = res.Findings.Text()
			}
			// A copy of lanes is one of a wave's.
			key := fmt.Sprint(s.Order, opt.WaveLanes)
			if old, ok := texts[key]; !ok {
				texts[key] = text
			} else if old != text {
				t.Errorf("%+v, %s:\n%s, before\n%s", opt, s.Name(), text, old)
			}
		}
	}
	// Without checks nothing is said.
	d := device(t, emu.DeviceOptions{})
	mustRun(t, &emu.Launch{Kernel: kernel(t, program(t, d, "async"), "hasty"), Range: sized(items, 48), Args: []emu.Arg{
		buffer(t, d, make([]uint32, items*steps)...), buffer(t, d, make([]uint32, items)...), emu.Value(uint32(steps))}})
}

// TestAsyncDiffers checks that the completions are different: a kernel that does
// not wait can see them.
func TestAsyncDiffers(t *testing.T) {
	const items, steps = 64, 5
	results := map[string][]string{}
	for _, name := range []string{"early", "late", "paced", "in-order+seeded"} {
		s, err := emu.ParseSchedule(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		d := device(t, emu.DeviceOptions{DMABytesPerStep: 16})
		in := make([]uint32, items*steps)
		for i := range in {
			in[i] = uint32(i + 1)
		}
		out := buffer(t, d, make([]uint32, items)...)
		mustRun(t, &emu.Launch{Kernel: kernel(t, program(t, d, "async"), "hasty"), Range: sized(items, items), Schedule: s,
			Args: []emu.Arg{buffer(t, d, in...), out, emu.Value(uint32(steps))}})
		key := fmt.Sprint(contents[uint32](t, out))
		results[key] = append(results[key], name)
	}
	if len(results) < 3 {
		t.Errorf("only %d different results: %v", len(results), results)
	}
}

// TestAsyncOutOfBounds checks the finding of a group copy that reaches past the
// end of its buffer, which ends that work-group alone.
func TestAsyncOutOfBounds(t *testing.T) {
	for i, opt := range asyncDevices[:3] {
		d := device(t, opt)
		out := buffer(t, d, make([]uint32, 100)...)
		in := make([]uint32, 100)
		for j := range in {
			in[j] = uint32(j + 1)
		}
		for _, s := range asyncSchedules(t) {
			l := emu.Launch{Kernel: kernel(t, program(t, d, "async"), "tail"), Range: sized(100, 64), Schedule: s, Args: []emu.Arg{buffer(t, d, in...), out}}
			res, err := l.Run(context.Background())
			var fe *emu.FindingsError
			if !errors.As(err, &fe) {
				t.Fatalf("error %v", err)
			}
			if i == 0 && s == (emu.Schedule{}) {
				golden(t, "async-bounds.txt", res.Findings.Text())
			}
			f := &res.Findings.Findings[0]
			if len(res.Findings.Findings) != 1 || f.Code != finding.OutOfBounds || f.Object == nil || f.Object.Name != "in" || f.Groups != 1 {
				t.Errorf("%+v, %s: findings %s", opt, s.Name(), res.Findings.Text())
			}
			if got := contents[uint32](t, out); !slices.Equal(got[:64], in[:64]) || !slices.Equal(got[64:], make([]uint32, 36)) {
				t.Errorf("%+v, %s: stored %v", opt, s.Name(), got)
			}
		}
	}
}

// TestTrace checks that a trace is the same for every number of workers and at
// every run, that it names what it shows, and that it changes no result.
func TestTrace(t *testing.T) {
	const items, steps = 128, 3
	in := make([]uint32, items*steps)
	for i := range in {
		in[i] = uint32(i + 1)
	}
	for _, s := range asyncSchedules(t) {
		var first []byte
		var plain []uint32
		for _, workers := range []int{1, 4} {
			d := device(t, emu.DeviceOptions{Workers: workers})
			k := kernel(t, program(t, d, "async"), "pipeline")
			src := buffer(t, d, in...)
			for range 2 {
				out := buffer(t, d, make([]uint32, items)...)
				l := emu.Launch{Kernel: k, Range: sized(items, 64), Schedule: s, Args: []emu.Arg{src, out, emu.Value(uint32(steps))}}
				if plain == nil {
					mustRun(t, &l)
					plain = contents[uint32](t, out)
				}
				l.Trace = trace.New(trace.Options{})
				mustRun(t, &l)
				if got := contents[uint32](t, out); !slices.Equal(got, plain) {
					t.Errorf("%s: traced, the result is %v, not %v", s.Name(), got, plain)
				}
				var text, chrome bytes.Buffer
				if err := errors.Join(l.Trace.WriteText(&text, trace.TextOptions{}), l.Trace.WriteChrome(&chrome)); err != nil {
					t.Fatal(err)
				}
				both := append(text.Bytes(), chrome.Bytes()...)
				if first == nil {
					first = both
				}
				if !bytes.Equal(both, first) {
					t.Errorf("%s, %d workers: another trace", s.Name(), workers)
				}
				for _, want := range []string{"pipeline", "load.async.to.lds", "async.cl:27"} {
					if !bytes.Contains(both, []byte(want)) {
						t.Errorf("%s: the trace does not have %q", s.Name(), want)
					}
				}
			}
		}
	}
}
