package emu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
)

// account is all that somebody could tell of launches.
type account struct {
	Results  [][]uint32
	Output   string
	Counters []emu.Counters
	Pipes    []emu.PipeUse
	Trace    string
}

// recorded returns a trace as text of both kinds.
func recorded(t *testing.T, r *trace.Recorder) string {
	t.Helper()
	var b bytes.Buffer
	if err := errors.Join(r.WriteText(&b, trace.TextOptions{}), r.WriteChrome(&b)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// changeOver runs something on new devices, the portable one and the one that goes on in machine code some time, and sees that nobody
// can tell the difference. run returns the kernels that it has launched; each of them has machine code in the end, unless
// watched.
func changeOver(t *testing.T, what string, opt emu.DeviceOptions, watched bool, run func(d *emu.Device) (*account, []*emu.Kernel)) {
	t.Helper()
	opt.Engine = "interp"
	want, _ := run(device(t, opt))
	opt.Engine = "auto"
	d := device(t, opt)
	if d.Limits().Engine == "interp" {
		t.Skip("there is no machine code here")
	}
	got, kernels := run(d)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-interp +auto):\n%s", what, diff)
	}
	for _, k := range kernels {
		if emu.Compiled(k) == watched {
			t.Errorf("%s: machine code of %s: %t", what, k.Name(), !watched)
		}
	}
}

// TestChangeOverCopies lets launches with asynchronous copies go on in machine code, unless these are watched.
func TestChangeOverCopies(t *testing.T) {
	const items, steps = 100, 700
	in := make([]uint32, items*steps)
	for i := range in {
		in[i] = uint32(i) * 2654435761
	}
	for i, s := range asyncSchedules(t) {
		for _, traced := range []bool{false, true} {
			if testing.Short() && traced && i%4 != 0 {
				continue // writing traces takes most of the time
			}
			watched := traced || s.Completion == emu.CompleteSeeded || s.Completion == emu.CompletePaced
			changeOver(t, fmt.Sprintf("%s, traced %t", s.Name(), traced), emu.DeviceOptions{Workers: 2}, watched, func(d *emu.Device) (*account, []*emu.Kernel) {
				k := kernel(t, program(t, d, "async"), "pipeline")
				out := buffer(t, d, make([]uint32, items)...)
				l := &emu.Launch{Kernel: k, Range: sized(items, 32), Schedule: s, Args: []emu.Arg{buffer(t, d, in...), out, u32(steps)}}
				if traced {
					l.Trace = trace.New(trace.Options{})
				}
				r := mustRun(t, l)
				a := &account{Results: [][]uint32{contents[uint32](t, out)}, Counters: []emu.Counters{r.Counters}}
				if traced {
					a.Trace = recorded(t, l.Trace)
				}
				return a, []*emu.Kernel{k}
			})
		}
	}
}

// TestChangeOverPipes lets launches go on in machine code that wait for each other's packets, in blocking operations and in loops of
// their own.
func TestChangeOverPipes(t *testing.T) {
	const n = 1000
	for i, s := range pipeSchedules(t)[:4] {
		for j, capacity := range []int{1, 64} {
			if testing.Short() && i%2 != j {
				continue
			}
			what := fmt.Sprintf("%s, capacity %d", s.Name(), capacity)
			run := func(t *testing.T, set emu.Set, out *emu.Buffer) (a *account, kernels []*emu.Kernel) {
				t.Helper()
				set.Schedule, set.Trace = s, trace.New(trace.Options{})
				r, err := set.Run(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				a = &account{Results: [][]uint32{contents[uint32](t, out)}, Output: string(r.Output), Pipes: r.Pipes, Trace: recorded(t, set.Trace)}
				for i, l := range r.Launches {
					a.Counters = append(a.Counters, l.Counters)
					kernels = append(kernels, set.Launches[i].Kernel)
				}
				return a, kernels
			}
			changeOver(t, "blocking, "+what, emu.DeviceOptions{}, false, func(d *emu.Device) (*account, []*emu.Kernel) {
				p := stream(t, d, capacity)
				out := buffer(t, d, make([]uint32, n)...)
				return run(t, emu.Set{Launches: []emu.Launch{
					launch(kernel(t, p, "sink"), out, u32(n)), launch(kernel(t, p, "source"), u32(n)), launch(kernel(t, p, "filter"), u32(n)),
				}}, out)
			})
			changeOver(t, "not blocking, "+what, emu.DeviceOptions{}, false, func(d *emu.Device) (*account, []*emu.Kernel) {
				p := program(t, d, "pipes")
				a, b := pipe(t, d, "a", 4, uint32(capacity)), pipe(t, d, "b", 4, uint32(capacity))
				out := buffer(t, d, make([]uint32, n)...)
				return run(t, emu.Set{Launches: []emu.Launch{
					launch(kernel(t, p, "relay"), a, b, u32(n)), launch(kernel(t, p, "consume"), b, out, u32(n)), launch(kernel(t, p, "produce"), a, u32(3), u32(n)),
				}}, out)
			})
		}
	}
}
