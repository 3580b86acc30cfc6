package emu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// mistaken is an engine that runs kernels as package interp does, and then makes a mistake in one work-group.
type mistaken struct {
	interp.Engine
	group   uint64                     // linear
	mistake func(g *engine.Group) bool // in memory or output; it says whether the counters are wrong, too
	once    *atomic.Bool               // not nil: the first time only
}

func (mistaken) Name() string { return "mistaken" }

func (m mistaken) Compile(p *isa.Program, k *isa.Kernel) (engine.Code, error) {
	code, err := m.Engine.Compile(p, k)
	return mistakenCode{code, m}, err
}

type mistakenCode struct {
	engine.Code
	mistaken
}

func (c mistakenCode) NewWave(lanes int) engine.Wave {
	return &mistakenWave{Wave: c.Code.NewWave(lanes), mistaken: c.mistaken}
}

// mistakenWave has none of the optional methods, so that work-groups are begun one by one.
type mistakenWave struct {
	engine.Wave
	mistaken
	of    *engine.Group
	first int
	wrong bool
}

func (w *mistakenWave) Start(g *engine.Group, first, n int) {
	w.of, w.first, w.wrong = g, first, false
	w.Wave.Start(g, first, n)
}

func (w *mistakenWave) Run(quantum int) engine.Stop {
	stop := w.Wave.Run(quantum)
	if stop == engine.StopDone && w.of.Linear == w.group && w.first == 0 && (w.once == nil || w.once.CompareAndSwap(false, true)) {
		w.wrong = w.mistake(w.of)
	}
	return stop
}

func (w *mistakenWave) Counters() *engine.Counters {
	c := *w.Wave.Counters()
	if w.wrong {
		c.Instructions++
	}
	return &c
}

// flip changes a byte of a buffer.
func flip(b *emu.Buffer, at int) func(g *engine.Group) bool {
	return func(g *engine.Group) bool {
		g.Launch.Memory.Lookup(emu.PointerOf(b).Alloc()).Data[at] ^= 1
		return false
	}
}

// TestCompareFinds has an engine make mistakes of each kind, and sees that the comparison names the first difference, who wrote
// there, and leaves the memory of the reference.
func TestCompareFinds(t *testing.T) {
	const items, local, group = 4096, 64, 37
	for _, c := range []struct {
		name     string
		mistake  func(y *emu.Buffer) func(g *engine.Group) bool
		schedule emu.Schedule
		detail   string
		item     uint64 // global, if there is one
		place    bool
	}{
		{"a store", func(y *emu.Buffer) func(g *engine.Group) bool { return flip(y, 4*(local*group+5)+2) }, emu.Schedule{},
			"at y+9494: 0x45945800 on interp, 0x45955800 on mistaken; 1 byte differs there", local*group + 5, true},
		{"a store, in reverse order", func(y *emu.Buffer) func(g *engine.Group) bool { return flip(y, 4*(local*group+5)+2) }, emu.Schedule{Order: emu.Reverse},
			"at y+9494: 0x45945800 on interp, 0x45955800 on mistaken; 1 byte differs there", local*group + 5, true},
		{"a store by the wrong work-group", func(y *emu.Buffer) func(g *engine.Group) bool { return flip(y, 4*7) }, emu.Schedule{},
			"at y+28: 0x41700000 on interp, 0x41700001 on mistaken; 1 byte differs there, in group (37,0,0), where no store of interp writes it", 0, false},
		{"stores, several", func(y *emu.Buffer) func(g *engine.Group) bool {
			return func(g *engine.Group) bool { flip(y, 4*local*group+8)(g); return flip(y, 4*local*group+21)(g) }
		}, emu.Schedule{}, "at y+9480: 0x45942800 on interp, 0x45942801 on mistaken; 2 bytes differ there", local*group + 2, true},
		{"counters", func(*emu.Buffer) func(g *engine.Group) bool { return func(*engine.Group) bool { return true } }, emu.Schedule{},
			"in the number of instructions: ", 0, false},
		{"output", func(*emu.Buffer) func(g *engine.Group) bool {
			return func(g *engine.Group) bool { g.Output = append(g.Output, "surplus\n"...); return true }
		}, emu.Schedule{}, `in the output of printf: line 1 is "" on interp, "surplus\n" on mistaken; the number of instructions too, in group (37,0,0)`, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, workers := range []int{1, 3} {
				if !c.place && c.item == 0 && workers > 1 && strings.Contains(c.detail, "no store of interp") {
					continue // the group that stores there properly may come later, on another worker
				}
				m := &mistaken{group: group}
				d := emu.NewComparing(t, emu.DeviceOptions{Workers: workers}, m)
				k := kernel(t, program(t, d, "launch"), "saxpy")
				x, y := make([]float32, items), make([]float32, items)
				want := make([]float32, items)
				for i := range x {
					x[i], y[i] = float32(i), 1
					want[i] = float32(2*i + 1)
				}
				out := buffer(t, d, y...)
				m.mistake = c.mistake(out)
				l := emu.Launch{Kernel: k, Range: sized(items, local), Schedule: c.schedule, Args: []emu.Arg{emu.Value(float32(2)), buffer(t, d, x...), out}}
				res, err := l.Run(context.Background())
				var failed *emu.FindingsError
				if !errors.As(err, &failed) || len(res.Findings.Findings) != 1 {
					t.Fatalf("error %v", err)
				}
				f := &res.Findings.Findings[0]
				if f.Code != finding.EngineDiff || f.Message != "the engines interp and mistaken differ" || !strings.HasPrefix(f.Detail, c.detail) {
					t.Errorf("%d workers: %s", workers, f.Text())
				}
				if at := f.Place.Instruction != ""; at != c.place || c.place && (f.WorkItem == nil || f.WorkItem.Global[0] != c.item || !strings.HasPrefix(f.Place.Instruction, "OpStore ")) {
					t.Errorf("%d workers: work-item %v, place %+v", workers, f.WorkItem, f.Place)
				}
				if strings.HasPrefix(f.Detail, "at ") && (f.Object == nil || f.Object.Index != 2) {
					t.Errorf("%d workers: object %+v", workers, f.Object)
				}
				if got := contents[float32](t, out); !slices.Equal(got, want) {
					t.Errorf("%d workers: the memory left is not that of the reference", workers)
				}
			}
		})
	}
}

// TestCompareOnce has an engine make a mistake in the first run only, as if work-groups had raced: a warning says so.
func TestCompareOnce(t *testing.T) {
	m := &mistaken{once: new(atomic.Bool)}
	d := emu.NewComparing(t, emu.DeviceOptions{Workers: 2}, m)
	k := kernel(t, program(t, d, "launch"), "ids")
	out := buffer(t, d, make([]uint32, 4*64)...)
	m.mistake = flip(out, 0)
	res, err := k.Run(context.Background(), emu.Range(64), out)
	if err != nil {
		t.Fatal(err)
	}
	if f := res.Findings.Findings; len(f) != 1 || f[0].Code != finding.EngineDiff || f[0].Severity != finding.Warning {
		t.Errorf("findings %s", res.Findings.Text())
	}
}

// TestCompareAgrees sees that a device that compares gives what the reference gives: results, output, findings and counters,
// of launches that accumulate, fault, print and are traced.
func TestCompareAgrees(t *testing.T) {
	run := func(d *emu.Device) string {
		var b strings.Builder
		prog := program(t, d, "launch")
		out := buffer(t, d, make([]int32, 64)...)
		next := buffer(t, d, int32(0))
		for range 2 { // what the first left in memory is there for the second
			res := mustRun(t, &emu.Launch{Kernel: kernel(t, prog, "tickets"), Range: sized(64, 8), Args: []emu.Arg{next, out}})
			b.WriteString(res.Findings.Text())
		}
		var text bytes.Buffer
		rec := trace.New(trace.Options{})
		res := mustRun(t, &emu.Launch{Kernel: kernel(t, prog, "hello"), Range: sized(40, 4), Args: []emu.Arg{emu.Value(uint32(3))}, Output: &text, Trace: rec})
		if res.Output != nil {
			t.Error("output is in the result, too")
		}
		b.WriteString(text.String() + recorded(t, rec))
		small := buffer(t, d, make([]float32, 8)...)
		l := emu.Launch{Kernel: kernel(t, prog, "saxpy"), Range: sized(1024, 64), Args: []emu.Arg{emu.Value(float32(2)), small, small}}
		bad, err := l.Run(context.Background())
		if err == nil {
			t.Error("no finding")
		}
		b.WriteString(bad.Findings.Text())
		set := chain(t, d, 3, 100)
		all, err := set.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range append(all.Launches, res, bad) {
			binary.Write(&b, binary.LittleEndian, r.Counters) //nolint:errcheck // of a strings.Builder
		}
		for _, v := range []any{contents[int32](t, out), contents[int32](t, next), contents[float32](t, small)} {
			binary.Write(&b, binary.LittleEndian, v) //nolint:errcheck // likewise
		}
		return b.String()
	}
	want := run(device(t, emu.DeviceOptions{Engine: "interp", Workers: 1}))
	for _, workers := range []int{1, 2} {
		comparing := emu.NewComparing(t, emu.DeviceOptions{Workers: workers}, mistaken{group: 1 << 40})
		if got := run(comparing); got != want {
			t.Errorf("%d workers, two references (-want +got):\n%s", workers, cmp.Diff(want, got))
		}
		d, err := emu.NewDevice(emu.DeviceOptions{Engine: "compare", Workers: workers})
		if err != nil {
			continue // no machine code here
		}
		if got := run(d); got != want {
			t.Errorf("%d workers (-want +got):\n%s", workers, cmp.Diff(want, got))
		}
	}
}

// TestCompareSet has an engine make a mistake in a launch of a set that pipes connect.
func TestCompareSet(t *testing.T) {
	m := &mistaken{}
	d := emu.NewComparing(t, emu.DeviceOptions{}, m)
	set := chain(t, d, 2, 50)
	out := set.Launches[3].Args[1].(*emu.Buffer)
	m.mistake = func(g *engine.Group) bool { return g.Launch.Index == 3 && flip(out, 12)(g) }
	res, err := set.Run(context.Background())
	var failed *emu.FindingsError
	if !errors.As(err, &failed) || len(res.Findings.Findings) != 1 {
		t.Fatalf("error %v", err)
	}
	if f := &res.Findings.Findings[0]; f.Code != finding.EngineDiff || f.Kernel != "consume" || f.Detail != "at out+12: 0x00000003 on interp, 0x00000002 on mistaken; 1 byte differs there" {
		t.Errorf("%s", f.Text())
	}
	if got := contents[uint32](t, out); !slices.Equal(got, count(0, 50)) {
		t.Errorf("memory %d", got)
	}
	p := set.Launches[0].Args[0].(*emu.Pipe)
	if err := p.Drain(new(bytes.Buffer)); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Run(context.Background()); !errors.Is(err, emu.ErrNotCompared) {
		t.Errorf("with an end that the host has: %v", err)
	}
}

// TestCompareRefuses sees that launches for which there are not two engines are refused, and mapped buffers.
func TestCompareRefuses(t *testing.T) {
	d := emu.NewComparing(t, emu.DeviceOptions{}, mistaken{group: 1 << 40})
	k := kernel(t, program(t, d, "launch"), "ids")
	out := buffer(t, d, make([]uint32, 4*8)...)
	l := emu.Launch{Kernel: k, Range: emu.Range(8), Args: []emu.Arg{out}, Check: true}
	if _, err := l.Run(context.Background()); !errors.Is(err, emu.ErrNotCompared) {
		t.Errorf("with checks: %v", err)
	}
	l.Check = false
	other := buffer(t, d, uint32(1))
	if _, err := other.Map(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Run(context.Background()); !errors.Is(err, emu.ErrMapped) {
		t.Errorf("with a mapped buffer: %v", err)
	}
	if err := other.Unmap(); err != nil {
		t.Fatal(err)
	}
	mustRun(t, &l)
	async := emu.Launch{Kernel: kernel(t, program(t, d, "async"), "pipeline"), Range: sized(8, 8),
		Schedule: emu.Schedule{Completion: emu.CompletePaced}, Args: []emu.Arg{out, out, u32(0)}}
	if _, err := async.Run(context.Background()); !errors.Is(err, emu.ErrNotCompared) {
		t.Errorf("with copies on the clock: %v", err)
	}
}
