package emu_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

func TestPipeArgErrors(t *testing.T) {
	d, other := device(t, emu.DeviceOptions{}), device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	relay, consume := kernel(t, prog, "relay"), kernel(t, prog, "consume")
	a, b, foreign, closed := pipe(t, d, "a", 4, 4), pipe(t, d, "b", 4, 4), pipe(t, other, "", 4, 4), pipe(t, d, "", 4, 4)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	out := buffer(t, d, uint32(0))
	var got strings.Builder
	for _, c := range []struct {
		k    *emu.Kernel
		args []emu.Arg
		is   error
	}{
		{relay, []emu.Arg{a, b}, nil},
		{relay, []emu.Arg{a, nil, u32(0)}, emu.ErrInvalid},
		{relay, []emu.Arg{a, (*emu.Pipe)(nil), u32(0)}, emu.ErrInvalid},
		{relay, []emu.Arg{new(emu.Pipe), b, u32(0)}, emu.ErrInvalid},
		{relay, []emu.Arg{a, foreign, u32(0)}, emu.ErrForeign},
		{relay, []emu.Arg{a, closed, u32(0)}, emu.ErrClosed},
		{relay, []emu.Arg{a, a, u32(0)}, emu.ErrInvalid},
		{relay, []emu.Arg{a, out, u32(0)}, nil},
		{relay, []emu.Arg{a, emu.Null(), u32(0)}, nil},
		{relay, []emu.Arg{a, b, a}, nil},
		{consume, []emu.Arg{a, b, u32(0)}, nil},
	} {
		_, err := c.k.Run(context.Background(), one, c.args...)
		var ae *emu.ArgError
		if !errors.As(err, &ae) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("error %v, want an ArgError that is %v", err, c.is)
		}
		fmt.Fprintln(&got, err)
	}
	golden(t, "pipe-args.txt", got.String())
	ps := relay.Params()
	if ps[0].Pipe.Writes || !ps[0].Pipe.Reads || !ps[1].Pipe.Writes || ps[1].Pipe.Reads {
		t.Errorf("parameters %+v", ps)
	}
}

func TestNewPipeErrors(t *testing.T) {
	d := device(t, emu.DeviceOptions{MaxMemory: 1 << 20, MaxAlloc: 1 << 19})
	for _, o := range []emu.PipeOptions{{}, {PacketBytes: 4}, {Capacity: 4}, {PacketBytes: memory.MaxPacketBytes + 1, Capacity: 1}} {
		if _, err := d.NewPipe(o); !errors.Is(err, memory.ErrPipe) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	var le *emu.LimitError
	if _, err := d.NewPipe(emu.PipeOptions{PacketBytes: 1 << 10, Capacity: 1 << 9 << 1}); !errors.As(err, &le) || le.Option != "MaxAlloc" {
		t.Errorf("large pipe: %v", err)
	}
	p := pipe(t, d, "", 1<<10, 1<<9)
	if _, err := d.NewPipe(emu.PipeOptions{PacketBytes: 1 << 10, Capacity: 1<<9 + 1}); !errors.As(err, &le) {
		t.Errorf("large pipe: %v", err)
	}
	q := pipe(t, d, "", 1<<10, 1<<9)
	if _, err := d.NewPipe(emu.PipeOptions{PacketBytes: 1, Capacity: 1}); !errors.As(err, &le) || le.Option != "MaxMemory" {
		t.Errorf("full memory: %v", err)
	}
	// Room comes back.
	if err := errors.Join(p.Close(), q.Close()); err != nil {
		t.Fatal(err)
	}
	pipe(t, d, "", 1<<10, 1<<9)
}

// TestModulePipes checks that a module does not get all memory because it wants
// it.
func TestModulePipes(t *testing.T) {
	module := func(capacity string) []byte {
		b, err := asm.Assemble(`OpCapability Addresses
OpCapability Kernel
OpCapability Pipes
OpCapability PipeStorage
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %k "k"
%void = OpTypeVoid
%int = OpTypeInt 32 0
%storage = OpTypePipeStorage
%rpipe = OpTypePipe ReadOnly
%c4 = OpConstant %int 4
%a = OpConstantPipeStorage %storage 4 4 `+capacity+`
%kt = OpTypeFunction %void
%k = OpFunction %void None %kt
%entry = OpLabel
%r = OpCreatePipeFromPipeStorage %rpipe %a
%n = OpGetNumPipePackets %int %r %c4 %c4
OpReturn
OpFunctionEnd
`, asm.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	d := device(t, emu.DeviceOptions{MaxVariables: 1 << 16})
	_, err := d.NewProgram(module("0x7fffffff"), emu.ProgramOptions{})
	var le *emu.LimitError
	var me *emu.ModuleError
	if !errors.As(err, &le) || !errors.As(err, &me) || me.Stage != "allocate" || le.Option != "MaxVariables" {
		t.Errorf("pipe of 8 GiB: %v", err)
	}
	for range 100 { // what is closed is free again
		p, err := d.NewProgram(module("16384"), emu.ProgramOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPipeHandles(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	calls := func(p *emu.Pipe) map[string]func() error {
		return map[string]func() error{
			"Len":   func() error { _, err := p.Len(); return err },
			"Write": func() error { _, err := p.Write(nil); return err },
			"Read":  func() error { _, err := p.Read(nil); return err },
			"Reset": p.Reset,
			"Feed":  func() error { return p.Feed(nil) },
			"Drain": func() error { return p.Drain(nil) },
			"Close": p.Close,
		}
	}
	closed := pipe(t, d, "x", 4, 5)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	gone := device(t, emu.DeviceOptions{})
	orphan := pipe(t, gone, "", 4, 5)
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what string
		p    *emu.Pipe
		want error
	}{{"nil", nil, emu.ErrInvalid}, {"zero", new(emu.Pipe), emu.ErrInvalid}, {"closed", closed, emu.ErrClosed}, {"of a closed device", orphan, emu.ErrClosed}} {
		for name, f := range calls(c.p) {
			if err := f(); !errors.Is(err, c.want) {
				t.Errorf("pipe that is %s, %s: error %v, want %v", c.what, name, err, c.want)
			}
		}
	}
	for _, p := range []*emu.Pipe{nil, new(emu.Pipe)} {
		if p.Name() != "" || p.PacketBytes() != 0 || p.Capacity() != 0 {
			t.Error("a pipe that was never made has properties")
		}
	}
	if closed.Name() != "x" || closed.PacketBytes() != 4 || closed.Capacity() != 5 {
		t.Error("a closed pipe has lost its properties")
	}
	if _, err := (*emu.Device)(nil).NewPipe(emu.PipeOptions{}); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("pipe of no device: %v", err)
	}
}

// TestPipeReadWrite checks what the host's calls return at the edges.
func TestPipeReadWrite(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	p := pipe(t, d, "", 4, 3)
	for _, c := range []struct {
		write bool
		bytes int
		n     int
		want  error
	}{
		{false, 0, 0, nil}, {false, 3, 0, io.ErrShortBuffer}, {false, 4, 0, io.EOF},
		{true, 0, 0, nil}, {true, 3, 0, emu.ErrInvalid}, {true, 8, 8, nil}, {true, 6, 0, emu.ErrInvalid}, {true, 12, 4, io.ErrShortWrite}, {true, 4, 0, io.ErrShortWrite},
		{false, 7, 4, nil}, {false, 100, 8, nil}, {false, 100, 0, io.EOF},
	} {
		b := make([]byte, c.bytes)
		f := p.Read
		if c.write {
			f = p.Write
		}
		if n, err := f(b); n != c.n || !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%d bytes (write %v): %d, %v; want %d, %v", c.bytes, c.write, n, err, c.n, c.want)
		}
	}
}

func TestSetErrors(t *testing.T) {
	d, other := device(t, emu.DeviceOptions{}), device(t, emu.DeviceOptions{})
	k := kernel(t, program(t, d, "pipes"), "nothing")
	fine := launch(k, buffer(t, d, uint32(0)))
	strange := launch(kernel(t, program(t, other, "pipes"), "nothing"), buffer(t, other, uint32(0)))
	ctx := context.Background()
	for _, s := range []*emu.Set{nil, {}, {Launches: []emu.Launch{}}, {Launches: []emu.Launch{fine, {}}}} {
		if _, err := s.Run(ctx); !errors.Is(err, emu.ErrInvalid) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if _, err := (&emu.Set{Launches: []emu.Launch{fine, strange}}).Run(ctx); !errors.Is(err, emu.ErrForeign) {
		t.Errorf("launches of two devices: %v", err)
	}
	for field, change := range map[string]func(l *emu.Launch){
		"Schedule":    func(l *emu.Launch) { l.Schedule.Seed = 1 },
		"Parallel":    func(l *emu.Launch) { l.Parallel = emu.ParallelAlways },
		"Check":       func(l *emu.Launch) { l.Check = true },
		"Timeout":     func(l *emu.Launch) { l.Timeout = time.Second },
		"Output":      func(l *emu.Launch) { l.Output = io.Discard },
		"MaxOutput":   func(l *emu.Launch) { l.MaxOutput = 1 },
		"MaxFindings": func(l *emu.Launch) { l.MaxFindings = 1 },
		"Progress":    func(l *emu.Launch) { l.Progress = func(uint64, uint64) {} },
		"Trace":       func(l *emu.Launch) { l.Trace = trace.New(trace.Options{}) },
		"Reproduce":   func(l *emu.Launch) { l.Reproduce = "x" },
	} {
		l := fine
		change(&l)
		_, err := (&emu.Set{Launches: []emu.Launch{fine, l}}).Run(ctx)
		if !errors.Is(err, emu.ErrInvalid) || !strings.Contains(err.Error(), "launch 1 of a set: "+field) {
			t.Errorf("launch with %s: %v", field, err)
		}
	}
	var re *emu.RangeError
	bad := fine
	bad.Range = emu.NDRange{}
	if _, err := (&emu.Set{Launches: []emu.Launch{fine, bad}}).Run(ctx); !errors.As(err, &re) {
		t.Errorf("launch without a range: %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := (&emu.Set{Launches: []emu.Launch{fine}}).Run(over); !errors.Is(err, context.Canceled) {
		t.Errorf("context that is over: %v", err)
	}
	var none context.Context
	if res, err := (&emu.Set{Launches: []emu.Launch{fine, fine}}).Run(none); err != nil || res.Counters.Waves != 2 || len(res.Pipes) != 0 {
		t.Errorf("kernels without pipes: %v, %+v", err, res)
	}
}

// TestSetDoesNotStart checks that a set of which one launch cannot run leaves
// everything as it was.
func TestSetDoesNotStart(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	p, out := pipe(t, d, "p", 4, 4), buffer(t, d, make([]uint32, 4)...)
	if _, err := out.Map(); err != nil {
		t.Fatal(err)
	}
	set := emu.Set{Launches: []emu.Launch{launch(kernel(t, prog, "produce"), p, u32(0), u32(4)), launch(kernel(t, prog, "consume"), p, out, u32(4))}}
	if _, err := set.Run(context.Background()); !errors.Is(err, emu.ErrMapped) {
		t.Errorf("mapped buffer: %v", err)
	}
	if n, err := p.Len(); n != 0 || err != nil {
		t.Errorf("a set that did not start has left %d packets, %v", n, err)
	}
	if err := out.Unmap(); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Run(context.Background()); err != nil {
		t.Error(err)
	}
	if err := prog.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := set.Run(context.Background()); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("closed program: %v", err)
	}
}

// TestPipesConcurrent uses pipes, sets and a queue from many goroutines.
func TestPipesConcurrent(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	produce, relay, consume := kernel(t, prog, "produce"), kernel(t, prog, "relay"), kernel(t, prog, "consume")
	const n = 40
	var wg sync.WaitGroup
	for worker := range 6 {
		wg.Go(func() {
			for range 5 {
				a, b := pipe(t, d, "a", 4, 3), pipe(t, d, "b", 4, 3)
				out := buffer(t, d, make([]uint32, n)...)
				set := emu.Set{Launches: []emu.Launch{
					launch(produce, a, u32(uint32(worker)), u32(n)), launch(relay, a, b, u32(n)), launch(consume, b, out, u32(n)),
				}}
				if worker%2 == 0 {
					if _, err := set.Run(context.Background()); err != nil {
						t.Error(err)
					}
				} else {
					q := queue(t, d)
					for _, l := range set.Launches {
						if _, err := q.Launch(context.Background(), l); err != nil {
							t.Error(err)
						}
					}
					if err := errors.Join(q.Finish(context.Background()), q.Close()); err != nil {
						t.Error(err)
					}
				}
				if got := contents[uint32](t, out); !slices.Equal(got, count(uint32(worker)+1, n)) {
					t.Errorf("worker %d: %v", worker, got)
				}
				if err := errors.Join(a.Close(), b.Close(), out.Free()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestSetDeterminism checks that a schedule decides everything: output,
// counters, findings and memory.
func TestSetDeterminism(t *testing.T) {
	for _, s := range pipeSchedules(t) {
		run := func(workers int) string {
			d := device(t, emu.DeviceOptions{Workers: workers})
			prog := program(t, d, "pipes")
			p := pipe(t, d, "p", 4, 2)
			ids := emu.Launch{Kernel: kernel(t, prog, "ids"), Args: []emu.Arg{p}, Range: sized(12, 3)}
			set := emu.Set{Launches: []emu.Launch{ids, launch(kernel(t, prog, "hear"), p, u32(12))}, Schedule: s}
			res, err := set.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			res.Duration = 0
			for _, l := range res.Launches {
				l.Duration = 0
			}
			return fmt.Sprintf("%s %+v %+v %+v", res.Output, res.Counters, res.Pipes, *res.Launches[0])
		}
		if a, b := run(1), run(4); a != b {
			t.Errorf("%v:\n%s\n%s", s, a, b)
		}
	}
}

// TestManyPipeGroups lets one launch with many groups feed another.
func TestManyPipeGroups(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	for _, s := range pipeSchedules(t) {
		const n = 600
		p := pipe(t, d, "p", 4, 16)
		out := buffer(t, d, make([]uint32, n)...)
		set := emu.Set{Schedule: s, Launches: []emu.Launch{
			{Kernel: kernel(t, prog, "ids"), Args: []emu.Arg{p}, Range: sized(n, 4)}, launch(kernel(t, prog, "consume"), p, out, u32(n)),
		}}
		if _, err := set.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := contents[uint32](t, out)
		if s.Order == emu.InOrder && !slices.Equal(got[:8], count(0, 8)) {
			t.Errorf("in order: %v", got[:8])
		}
		if slices.Sort(got); !slices.Equal(got, count(0, n)) {
			t.Errorf("%v: %v", s, got)
		}
	}
}

// TestGroupReservations writes through reservations of whole work-groups.
func TestGroupReservations(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := program(t, d, "pipes")
	p := pipe(t, d, "p", 4, 20)
	l := emu.Launch{Kernel: kernel(t, prog, "groups"), Args: []emu.Arg{p}, Range: sized(24, 8), Check: true}
	if _, err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(p)
	if err != nil || !slices.Equal(numbers(got), count(0, 16)) { // the third group found no room
		t.Errorf("%v, %v", numbers(got), err)
	}
}

// TestFeedOverLaunches checks that a feed lasts over launches, can be taken
// back, and that packets which nobody read stay.
func TestFeedOverLaunches(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	prog := stream(t, d, 4)
	eat := kernel(t, prog, "eat")
	p := pipe(t, d, "p", 4, 2)
	r := bytes.NewReader(make([]byte, 40))
	if err := p.Feed(r); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := eat.Run(context.Background(), one, p, u32(4)); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := p.Len(); err != nil || n+8+r.Len()/4 != 10 {
		t.Errorf("%d packets in the pipe, %d bytes left, %v", n, r.Len(), err)
	}
	if err := p.Feed(nil); err != nil {
		t.Fatal(err)
	}
	_, err := eat.Run(context.Background(), one, p, u32(4))
	var fe *emu.FindingsError
	if !errors.As(err, &fe) || fe.Findings.Findings[0].Code != finding.PipeDeadlock {
		t.Errorf("without the feed: %v", err)
	}
}

// TestForgedPipes lets a kernel take the storage of its pipe from memory that the
// host has filled: the program's own, and values that are none.
func TestForgedPipes(t *testing.T) {
	module, err := asm.Assemble(`OpCapability Addresses
OpCapability Kernel
OpCapability Int64
OpCapability Pipes
OpCapability PipeStorage
OpCapability GenericPointer
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %give "give"
OpEntryPoint Kernel %use "use"
OpEntryPoint Kernel %look "look"
OpName %a "a"
OpName %use_p "p"
%void = OpTypeVoid
%int = OpTypeInt 32 0
%storage = OpTypePipeStorage
%wpipe = OpTypePipe WriteOnly
%c4 = OpConstant %int 4
%a = OpConstantPipeStorage %storage 4 4 2
%gs = OpTypePointer CrossWorkgroup %storage
%gp = OpTypePointer CrossWorkgroup %int
%ggp = OpTypePointer CrossWorkgroup %gp
%fint = OpTypePointer Function %int
%gen = OpTypePointer Generic %int
%kt = OpTypeFunction %void %gs
%lt = OpTypeFunction %void %ggp
%give = OpFunction %void None %kt
%give_p = OpFunctionParameter %gs
%give_entry = OpLabel
OpStore %give_p %a Aligned 8
OpReturn
OpFunctionEnd
%use = OpFunction %void None %kt
%use_p = OpFunctionParameter %gs
%use_entry = OpLabel
%x = OpVariable %fint Function
%y = OpPtrCastToGeneric %gen %x
%s = OpLoad %storage %use_p Aligned 8
%w = OpCreatePipeFromPipeStorage %wpipe %s
%r = OpWritePipe %int %w %y %c4 %c4
OpReturn
OpFunctionEnd
%look = OpFunction %void None %lt
%look_p = OpFunctionParameter %ggp
%look_entry = OpLabel
%q = OpLoad %gp %look_p Aligned 8
%v = OpLoad %int %q Aligned 4
OpStore %q %v Aligned 4
OpReturn
OpFunctionEnd
`, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := device(t, emu.DeviceOptions{})
	pipe(t, d, "of the host", 4, 4)
	prog, err := d.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := buffer(t, d, uint64(0))
	mustRun(t, &emu.Launch{Kernel: kernel(t, prog, "give"), Args: []emu.Arg{p}, Range: one})
	own := contents[uint64](t, p)[0]
	use := &emu.Launch{Kernel: kernel(t, prog, "use"), Args: []emu.Arg{p}, Range: one}
	for range 2 {
		mustRun(t, use)
	}
	var got strings.Builder
	for _, c := range []struct {
		name  string
		value uint64
		code  finding.Code
	}{
		{"use", 0, finding.NullPointer}, {"use", 0x1234, finding.BadPointer}, {"use", own - 1<<40, finding.BadPointer}, {"use", own + 1<<40, finding.BadPointer},
		{"use", own + 3, finding.BadPointer}, {"use", 1<<60 | 1<<40, finding.BadPointer}, {"look", own, finding.BadPointer},
	} {
		if err := emu.Write(p, 0, []uint64{c.value}); err != nil {
			t.Fatal(err)
		}
		_, err := kernel(t, prog, c.name).Run(context.Background(), one, p)
		var fe *emu.FindingsError
		if !errors.As(err, &fe) || fe.Findings.Findings[0].Code != c.code {
			t.Errorf("%s with %#x: %v", c.name, c.value, err)
			continue
		}
		got.WriteString(fe.Findings.Text())
	}
	golden(t, "pipe-forged.txt", got.String())
}
