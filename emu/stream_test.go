package emu_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// stream loads testdata/stream.spvasm with pipes of some capacity.
func stream(t testing.TB, d *emu.Device, capacity int) *emu.Program {
	t.Helper()
	text, err := os.ReadFile("testdata/stream.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	module, err := asm.Assemble(strings.ReplaceAll(string(text), "PipeStorage %storage 4 4 1", fmt.Sprintf("PipeStorage %%storage 4 4 %d", capacity)), asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestStream runs kernels that block, connected by the pipes of their program.
func TestStream(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	const n = 300
	for _, capacity := range []int{1, 2, 1000} {
		prog := stream(t, d, capacity)
		for _, s := range pipeSchedules(t) {
			out := buffer(t, d, make([]uint32, n)...)
			set := emu.Set{Schedule: s, Launches: []emu.Launch{
				launch(kernel(t, prog, "sink"), out, u32(n)), launch(kernel(t, prog, "source"), u32(n)), launch(kernel(t, prog, "filter"), u32(n)),
			}}
			res, err := set.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if got := contents[uint32](t, out); !slices.Equal(got, count(1, n)) {
				t.Errorf("capacity %d, %v: %v", capacity, s, got)
			}
			if len(res.Pipes) != 2 || res.Pipes[0].Name != "b" || res.Pipes[1].Name != "a" || res.Pipes[0].Read != n {
				t.Errorf("pipes %+v", res.Pipes)
			}
		}
	}
}

// TestProgramPipes checks that the packets in a program's pipe live from launch
// to launch, and that Reset drops them.
func TestProgramPipes(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := stream(t, d, 100)
	ctx := context.Background()
	info := kernel(t, prog, "source").Info()
	if !info.UsesPipes || info.Spins || kernel(t, program(t, d, "launch"), "racing").Info().UsesPipes {
		t.Errorf("info %+v", info)
	}
	run := func(name string, args ...emu.Arg) error {
		t.Helper()
		_, err := kernel(t, prog, name).Run(ctx, one, args...)
		return err
	}
	for _, name := range []string{"source", "filter"} {
		if err := run(name, u32(10)); err != nil {
			t.Fatal(err)
		}
	}
	out := buffer(t, d, make([]uint32, 10)...)
	if err := run("sink", out, u32(6)); err != nil {
		t.Fatal(err)
	}
	if got := contents[uint32](t, out); !slices.Equal(got, []uint32{1, 2, 3, 4, 5, 6, 0, 0, 0, 0}) {
		t.Errorf("packets of earlier launches: %v", got)
	}
	if err := prog.Reset(); err != nil {
		t.Fatal(err)
	}
	var fe *emu.FindingsError
	if err := run("sink", out, u32(1)); !errors.As(err, &fe) || fe.Findings.Findings[0].Code != finding.PipeDeadlock {
		t.Errorf("read from a pipe that was reset: %v", err)
	}
	if err := prog.Close(); err != nil {
		t.Fatal(err)
	}
	if err := prog.Reset(); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("Reset of a closed program: %v", err)
	}
	if err := (*emu.Program)(nil).Reset(); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("Reset of no program: %v", err)
	}
	if err := run("sink", out, u32(1)); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("launch of a closed program: %v", err)
	}
}

// TestResetVariables checks that Reset gives variables their first values.
func TestResetVariables(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "launch")
	out := buffer(t, d, make([]uint64, 64)...)
	k := kernel(t, prog, "variables")
	run := func() []uint64 {
		mustRun(t, &emu.Launch{Kernel: k, Args: []emu.Arg{out}, Range: emu.Range(1)})
		return contents[uint64](t, out)
	}
	first := run()
	second := run()
	if slices.Equal(first, second) {
		t.Fatal("the kernel does not change its variables")
	}
	if err := prog.Reset(); err != nil {
		t.Fatal(err)
	}
	if again := run(); !slices.Equal(again, first) {
		t.Errorf("after Reset %v, at first %v", again, first)
	}
}

// TestGroupsNeedEachOther has work-groups of one launch that wait for others of
// it, more than begin at first, and lanes of a wave that wait for others.
func TestGroupsNeedEachOther(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	for _, local := range []uint64{1, 2, 32, 64} {
		prog := stream(t, d, 1)
		for _, s := range pipeSchedules(t) {
			const n = 128
			out := buffer(t, d, slices.Repeat([]uint32{999}, n)...)
			l := emu.Launch{Kernel: kernel(t, prog, "pairs"), Args: []emu.Arg{out}, Range: sized(n, local), Schedule: s}
			res, err := l.Run(context.Background())
			if err != nil {
				t.Fatalf("groups of %d, %v: %v", local, s, err)
			}
			got := contents[uint32](t, out)
			seen := map[uint32]bool{}
			for i, v := range got {
				if i%2 == 1 != (v == 999) || i%2 == 0 && (v%2 != 1 || v >= n || seen[v]) {
					t.Errorf("groups of %d, %v: work-item %d got %d", local, s, i, v)
				}
				seen[v] = true
			}
			if res.GroupsRun != n/local {
				t.Errorf("groups of %d, %v: %d groups ran", local, s, res.GroupsRun)
			}
		}
	}
}

// TestStandstills keeps the reports of standstills.
func TestStandstills(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	ctx := context.Background()
	out := buffer(t, d, make([]uint32, 64)...)
	for _, c := range []struct {
		name string
		run  func(prog *emu.Program, k func(string) *emu.Kernel, set *emu.Set)
	}{
		// The writer has ended after fewer packets.
		{"ended", func(_ *emu.Program, k func(string) *emu.Kernel, set *emu.Set) {
			set.Launches = []emu.Launch{launch(k("source"), u32(5)), launch(k("filter"), u32(6)), launch(k("sink"), out, u32(7))}
		}},
		// The reader was never launched.
		{"never", func(_ *emu.Program, k func(string) *emu.Kernel, set *emu.Set) {
			set.Launches = []emu.Launch{launch(k("source"), u32(5))}
		}},
		// An end of the host has nothing left.
		{"fed", func(_ *emu.Program, k func(string) *emu.Kernel, set *emu.Set) {
			p := pipe(t, d, "", 4, 3)
			if err := p.Feed(bytes.NewReader(make([]byte, 16))); err != nil {
				t.Fatal(err)
			}
			set.Launches = []emu.Launch{launch(k("eat"), p, u32(6))}
		}},
		// A reservation that nobody commits holds up what is written behind it.
		{"held", func(_ *emu.Program, k func(string) *emu.Kernel, set *emu.Set) {
			set.Launches = []emu.Launch{launch(k("hold")), launch(k("source"), u32(9)), launch(k("filter"), u32(9)), launch(k("sink"), out, u32(9))}
		}},
		// Some of a group wait at a barrier for the others.
		{"barrier", func(_ *emu.Program, k func(string) *emu.Kernel, set *emu.Set) {
			set.Launches = []emu.Launch{{Kernel: k("meet"), Range: sized(6, 6)}, launch(k("filter"), u32(1)), launch(k("back"), u32(1))}
		}},
		// A launch that had to move packets came to a fault, or is one of several of
		// its kernel.
		{"faults", func(_ *emu.Program, k func(string) *emu.Kernel, set *emu.Set) {
			p := pipe(t, d, "p", 4, 2)
			set.Check = true // for the division by zero
			set.Launches = []emu.Launch{
				launch(kernel(t, program(t, d, "pipes"), "failing"), p, buffer(t, d, uint32(0), 0), u32(2)),
				launch(k("eat"), p, u32(3)), launch(k("eat"), p, u32(3)),
			}
		}},
		// Kernels wait for each other in a circle.
		{"circle", func(_ *emu.Program, k func(string) *emu.Kernel, set *emu.Set) {
			set.Launches = []emu.Launch{launch(k("filter"), u32(5)), launch(k("back"), u32(5))}
		}},
		// Some groups have ended; the rest waits.
		{"groups", func(_ *emu.Program, k func(string) *emu.Kernel, set *emu.Set) {
			set.Launches = []emu.Launch{
				launch(k("source"), u32(5)), launch(k("filter"), u32(5)),
				{Kernel: k("take"), Args: []emu.Arg{out}, Range: sized(64, 4)},
			}
		}},
	} {
		prog := stream(t, d, 2)
		set := emu.Set{KeepGoing: true, Reproduce: "run it again"}
		c.run(prog, func(name string) *emu.Kernel { return kernel(t, prog, name) }, &set)
		res, err := set.Run(ctx)
		var fe *emu.FindingsError
		if !errors.As(err, &fe) || fe.Err != nil {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		for _, f := range res.Findings.Findings {
			if f.Code != finding.PipeDeadlock && f.Code != finding.PipeOpen && f.Code != finding.DivideByZero {
				t.Errorf("%s: finding %s", c.name, f.Code)
			}
		}
		golden(t, "standstill-"+c.name+".txt", res.Findings.Text())
	}
}

// TestPipeTimeout keeps the report of a set that does not end.
func TestPipeTimeout(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	p := pipe(t, d, "p", 4, 4)
	out := buffer(t, d, make([]uint32, 8)...)
	set := emu.Set{
		Launches: []emu.Launch{launch(kernel(t, prog, "produce"), p, u32(0), u32(2)), launch(kernel(t, prog, "consume"), p, out, u32(3))},
		Timeout:  30 * time.Millisecond,
	}
	res, err := set.Run(context.Background())
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
	if len(res.Launches[0].Findings.Findings) != 0 || res.Launches[0].GroupsRun != 1 {
		t.Errorf("the launch that had ended: %+v", res.Launches[0])
	}
	// Where the loop was is up to the clock, in what it waited for is not.
	f := res.Launches[1].Findings.Findings
	if len(f) != 1 || f[0].Code != finding.TimeLimit || !strings.Contains(f[0].Text(), "pipe p: empty, of 4 packets") {
		t.Errorf("findings %s", res.Findings.Text())
	}
}

// chain is n launches that hand packets of a pipe of capacity 1 on to the next,
// with one more that makes them and one that takes them.
func chain(t testing.TB, d *emu.Device, n int, packets uint32) *emu.Set {
	prog := program(t, d, "pipes")
	relay := kernel(t, stream(t, d, 1), "relay")
	pipes := make([]*emu.Pipe, n+1)
	for i := range pipes {
		pipes[i] = pipe(t, d, "", 4, 1)
	}
	set := &emu.Set{Launches: []emu.Launch{launch(kernel(t, prog, "produce"), pipes[0], u32(0), u32(packets))}}
	for i := range n {
		set.Launches = append(set.Launches, launch(relay, pipes[i], pipes[i+1], u32(packets)))
	}
	set.Launches = append(set.Launches, launch(kernel(t, prog, "consume"), pipes[n], buffer(t, d, make([]uint32, packets)...), u32(packets)))
	return set
}

// TestSetTrace checks that the same set gives the same trace, of which the
// format is right, and that it has the packets of both ends of the host.
func TestSetTrace(t *testing.T) {
	for _, s := range pipeSchedules(t) {
		record := func() string {
			d := device(t, emu.DeviceOptions{})
			prog := stream(t, d, 2)
			in, out := pipe(t, d, "in", 4, 3), pipe(t, d, "out", 4, 3)
			var drained bytes.Buffer
			if err := errors.Join(in.Feed(bytes.NewReader(make([]byte, 20))), out.Drain(&drained)); err != nil {
				t.Fatal(err)
			}
			set := emu.Set{Schedule: s, Trace: trace.New(trace.Options{}), Launches: []emu.Launch{
				launch(kernel(t, prog, "relay"), in, out, u32(5)), launch(kernel(t, prog, "source"), u32(4)), launch(kernel(t, prog, "filter"), u32(4)),
				{Kernel: kernel(t, prog, "take"), Args: []emu.Arg{buffer(t, d, make([]uint32, 4)...)}, Range: sized(4, 2)},
			}}
			if _, err := set.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			var doc bytes.Buffer
			if err := set.Trace.WriteChrome(&doc); err != nil {
				t.Fatal(err)
			}
			return doc.String()
		}
		first := record()
		if record() != first {
			t.Errorf("%v: two different traces", s)
		}
		var doc struct{ TraceEvents []map[string]any }
		if err := json.Unmarshal([]byte(first), &doc); err != nil {
			t.Fatal(err)
		}
		if len(doc.TraceEvents) < 40 || !strings.Contains(first, "filter") || !strings.Contains(first, "host") {
			t.Errorf("%v: a trace of %d events:\n%s", s, len(doc.TraceEvents), first)
		}
	}
}

// TestChainMemory checks that what a chain of a thousand kernels takes grows with
// its length, and not faster.
func TestChainMemory(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	each := func(n int) float64 {
		set := chain(t, d, n, 2)
		before := allocated()
		if _, err := set.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		took := float64(allocated()-before) / float64(n)
		out, ok := set.Launches[n+1].Args[1].(*emu.Buffer)
		if !ok || !slices.Equal(contents[uint32](t, out), count(0, 2)) {
			t.Errorf("chain of %d: wrong packets", n)
		}
		return took
	}
	each(1) // what is made at the first launch
	if short, long := each(100), each(1000); long > 2*short || long > 64<<10 {
		t.Errorf("a kernel takes %.0f bytes in a chain of 100, %.0f in one of 1000", short, long)
	}
}
