package emu_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// mustRun runs a launch that ends well.
func mustRun(t testing.TB, l *emu.Launch) *emu.Result {
	t.Helper()
	res, err := l.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestValues(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	k := kernel(t, program(t, d, "launch"), "values")
	point := make([]byte, 16)
	point[0] = 0xfe // -2
	binary.LittleEndian.PutUint32(point[4:], 1<<31-1)
	binary.LittleEndian.PutUint64(point[8:], math.Float64bits(0.5))
	out := buffer(t, d, make([]float64, 6)...)
	mustRun(t, &emu.Launch{Kernel: k, Range: emu.Range(1), Args: []emu.Arg{
		emu.Bytes(point), emu.Vector[float32](1, 2, 4), emu.Vector[int16](-5, 0, 0, 0, 0, 0, 0, 3), emu.Value(uint8(200)), out,
	}})
	if diff := cmp.Diff([]float64{-2, 1<<31 - 1, 0.5, 7, -2, 200}, contents[float64](t, out)); diff != "" {
		t.Errorf("what the kernel saw (-want +got):\n%s", diff)
	}
}

func TestPointers(t *testing.T) {
	for _, module := range []string{"launch", "launch.32"} {
		testPointers(t, module)
	}
}

func testPointers(t *testing.T, module string) {
	d := device(t, emu.DeviceOptions{})
	k := kernel(t, program(t, d, module), "pointers")
	a, b, out := buffer(t, d, int32(1)), buffer(t, d, int32(42)), buffer(t, d, int32(9), 9, 9)
	mustRun(t, &emu.Launch{Kernel: k, Range: sized(8, 8), Args: []emu.Arg{a, b, emu.LocalBytes(32), out}})
	if got := contents[int32](t, out); !slices.Equal(got, []int32{0, 42, 7}) {
		t.Errorf("with buffers: %v", got)
	}
	mustRun(t, &emu.Launch{Kernel: k, Range: sized(8, 8), Args: []emu.Arg{emu.Null(), emu.Null(), emu.LocalBytes(32), out}})
	if got := contents[int32](t, out); !slices.Equal(got, []int32{1, -1, 7}) {
		t.Errorf("with null pointers: %v", got)
	}
}

func TestIDs(t *testing.T) {
	for _, opt := range []emu.DeviceOptions{{}, {SubgroupSize: 1}, {SubgroupSize: 4, WaveLanes: 8}, {Workers: 1}} {
		d := device(t, opt)
		k := kernel(t, program(t, d, "launch"), "ids")
		out := buffer(t, d, make([]uint32, 4*5*4*3)...)
		res := mustRun(t, &emu.Launch{Kernel: k, Args: []emu.Arg{out},
			Range: emu.NDRange{Global: []uint64{5, 4, 3}, Local: []uint64{2, 2, 2}, Offset: []uint64{10, 20, 30}}})
		var want []uint32
		for z := range uint32(3) {
			for y := range uint32(4) {
				for x := range uint32(5) {
					w := uint32(2)
					if x == 4 {
						w = 1 // the last group of the row
					}
					want = append(want, x+10, y+20, z+30, z%2*2*w+y%2*w+x%2)
				}
			}
		}
		if diff := cmp.Diff(want, contents[uint32](t, out)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", opt, diff)
		}
		if res.Dim != 3 || res.Groups != [3]uint64{3, 2, 2} || res.GroupsRun != 12 || res.Counters.Waves != 12 {
			t.Errorf("%+v: result %+v", opt, res)
		}
	}
}

// TestVariables checks that program-scope variables keep their values as long
// as the program lives, apart from those of other programs, and that pointers in
// initial values lead where they should.
func TestVariables(t *testing.T) {
	for _, module := range []string{"launch", "launch.32"} {
		testVariables(t, module)
	}
}

func testVariables(t *testing.T, module string) {
	d := device(t, emu.DeviceOptions{})
	p, q := program(t, d, module), program(t, d, module)
	out := buffer(t, d, int32(0), 0, 0)
	for i, want := range [][]int32{{5, 3, 4}, {7, 3, 4}, {5, 3, 4}, {9, 3, 4}} {
		from := p
		if i == 2 {
			from = q
		}
		mustRun(t, &emu.Launch{Kernel: kernel(t, from, "variables"), Range: emu.Range(1), Args: []emu.Arg{out}})
		if got := contents[int32](t, out); !slices.Equal(got, want) {
			t.Errorf("launch %d: %v, want %v", i, got, want)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := kernel(t, p, "variables").Run(context.Background(), emu.Range(1), out); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("launch of a closed program: %v", err)
	}
	if err := p.Close(); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
}

// specModule stores a specialization constant.
const specModule = `
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
OpDecorate %c SpecId 7
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %ptr
%c = OpSpecConstant %uint 11
%main = OpFunction %void None %fn
%out = OpFunctionParameter %ptr
%entry = OpLabel
OpStore %out %c Aligned 4
OpReturn
OpFunctionEnd
`

func TestSpecConstants(t *testing.T) {
	module, err := asm.Assemble(specModule, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := device(t, emu.DeviceOptions{})
	out := buffer(t, d, uint32(0))
	for _, c := range []struct {
		spec map[uint32]uint64
		want uint32
	}{{nil, 11}, {map[uint32]uint64{7: 0xfffffff0}, 0xfffffff0}} {
		p, err := d.NewProgram(module, emu.ProgramOptions{SpecConstants: c.spec})
		if err != nil {
			t.Fatal(err)
		}
		mustRun(t, &emu.Launch{Kernel: kernel(t, p, "main"), Range: emu.Range(1), Args: []emu.Arg{out}})
		if got := contents[uint32](t, out)[0]; got != c.want {
			t.Errorf("with %v: %d, want %d", c.spec, got, c.want)
		}
	}
}

// refusedModule has a kernel that makes an event on the device, which lockstep
// cannot do, and one that is empty.
const refusedModule = `
OpCapability Addresses
OpCapability Kernel
OpCapability DeviceEnqueue
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %a "events"
OpEntryPoint Kernel %b "nothing"
%void = OpTypeVoid
%event = OpTypeDeviceEvent
%fn = OpTypeFunction %void
%a = OpFunction %void None %fn
%a0 = OpLabel
%e = OpCreateUserEvent %event
OpReturn
OpFunctionEnd
%b = OpFunction %void None %fn
%b0 = OpLabel
OpReturn
OpFunctionEnd
`

func TestRefusedKernel(t *testing.T) {
	module, err := asm.Assemble(refusedModule, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := device(t, emu.DeviceOptions{}).NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var me *emu.ModuleError
	if _, err := p.Kernel("events"); !errors.As(err, &me) || !strings.Contains(err.Error(), "OpCreateUserEvent") {
		t.Errorf("the kernel that cannot be run: %v", err)
	}
	if names := p.Kernels(); !slices.Equal(names, []string{"events", "nothing"}) && !slices.Equal(names, []string{"nothing", "events"}) {
		t.Errorf("kernels %q", names)
	}
	mustRun(t, &emu.Launch{Kernel: kernel(t, p, "nothing"), Range: emu.Range(1)})
}

// checkedModule divides and shifts what is in its buffer, and has its source
// with it.
const checkedModule = `
OpCapability Addresses
OpCapability Kernel
OpMemoryModel Physical64 OpenCL
OpEntryPoint Kernel %main "main"
%file = OpString "inside.cl"
%other = OpString "other.cl"
OpSource OpenCL_C 200000 %other "not this"
OpSource OpenCL_C 200000 %file "first line
  out[0] = out[0] / out[1];"
OpSourceContinued "
  out[0] = out[0] << out[1];"
OpName %out "out"
%void = OpTypeVoid
%uint = OpTypeInt 32 0
%ptr = OpTypePointer CrossWorkgroup %uint
%fn = OpTypeFunction %void %ptr
%one = OpConstant %uint 1
%main = OpFunction %void None %fn
%out = OpFunctionParameter %ptr
%entry = OpLabel
%p1 = OpInBoundsPtrAccessChain %ptr %out %one
%a = OpLoad %uint %out Aligned 4
%b = OpLoad %uint %p1 Aligned 4
OpLine %file 2 12
%q = OpSDiv %uint %a %b
OpStore %out %q Aligned 4
OpLine %file 3 12
%s = OpShiftLeftLogical %uint %a %b
OpStore %p1 %s Aligned 4
OpReturn
OpFunctionEnd
`

// TestChecked provokes the findings that are made with checks on only, and
// shows that the source in a module is found.
func TestChecked(t *testing.T) {
	module, err := asm.Assemble(checkedModule, asm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := device(t, emu.DeviceOptions{})
	p, err := d.NewProgram(module, emu.ProgramOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string][]int32{"overflow": {math.MinInt32, -1}, "shift": {1, 33}} {
		b := buffer(t, d, v...)
		l := emu.Launch{Kernel: kernel(t, p, "main"), Range: emu.Range(1), Args: []emu.Arg{b}, Check: true}
		res, err := l.Run(context.Background())
		if err == nil {
			t.Fatalf("%s: no finding", name)
		}
		golden(t, "checked-"+name+".txt", res.Findings.Text())
		l.Check = false
		mustRun(t, &l)
	}
}

func TestOutput(t *testing.T) {
	var want strings.Builder
	for g := range 30 {
		for i := range 3 {
			for item := range 4 {
				fmt.Fprintf(&want, "group %d item %d: %d\n", g, item, i)
			}
		}
	}
	for _, workers := range []int{1, 4} {
		d := device(t, emu.DeviceOptions{Workers: workers})
		k := kernel(t, program(t, d, "launch"), "hello")
		l := emu.Launch{Kernel: k, Range: sized(120, 4), Args: []emu.Arg{emu.Value(uint32(3))}}
		if res := mustRun(t, &l); string(res.Output) != want.String() {
			t.Errorf("%d workers print\n%s", workers, res.Output)
		}
		l.MaxOutput = 100
		if res := mustRun(t, &l); string(res.Output) != want.String()[:100] || res.OutputDropped != uint64(want.Len()-100) {
			t.Errorf("%d workers: limited output %q, %d dropped", workers, res.Output, res.OutputDropped)
		}
		var b bytes.Buffer
		l.MaxOutput, l.Output = 0, &b
		if res := mustRun(t, &l); b.String() != want.String() || res.Output != nil {
			t.Errorf("%d workers write\n%s", workers, b.String())
		}
		l.Output = brokenPipe{}
		if _, err := l.Run(context.Background()); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%d workers: error of the writer: %v", workers, err)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestSpin checks that a sub-group may wait for another one, however they
// share waves.
func TestSpin(t *testing.T) {
	for _, opt := range []emu.DeviceOptions{{}, {SubgroupSize: 1}, {SubgroupSize: 8, WaveLanes: 64}, {SubgroupSize: 16, WaveLanes: 16}} {
		d := device(t, opt)
		k := kernel(t, program(t, d, "launch"), "spin")
		if !k.Info().Spins {
			t.Error("the kernel is not known to spin")
		}
		for _, o := range []emu.Order{emu.InOrder, emu.Reverse, emu.Seeded} {
			out := buffer(t, d, make([]int32, 4)...)
			mustRun(t, &emu.Launch{Kernel: k, Range: sized(256, 64), Args: []emu.Arg{out}, Schedule: emu.Schedule{Order: o, Seed: 3}, Timeout: time.Minute})
			if got := contents[int32](t, out); !slices.Equal(got, []int32{1, 1, 1, 1}) {
				t.Errorf("%+v, %v: %v", opt, o, got)
			}
		}
	}
}

// TestOrderDependent checks that what depends on the order is the same for
// every number of workers, and not the same in every order.
func TestOrderDependent(t *testing.T) {
	results := map[string][]int32{}
	for _, workers := range []int{1, 4} {
		d := device(t, emu.DeviceOptions{Workers: workers})
		k := kernel(t, program(t, d, "launch"), "tickets")
		if !k.Info().OrderDependent {
			t.Error("the kernel is not known to depend on the order")
		}
		for _, s := range []emu.Schedule{{}, {Order: emu.Reverse}, {Order: emu.Seeded, Seed: 1}, {Order: emu.Seeded, Seed: 2}} {
			next, out := buffer(t, d, int32(0)), buffer(t, d, make([]int32, 1000)...)
			mustRun(t, &emu.Launch{Kernel: k, Range: sized(1000, 10), Args: []emu.Arg{next, out}, Schedule: s})
			got := contents[int32](t, out)
			if old := results[s.String()]; old == nil {
				results[s.String()] = got
			} else if !slices.Equal(got, old) {
				t.Errorf("%q with %d workers gives another result", s, workers)
			}
		}
	}
	for s, r := range results {
		for s2, r2 := range results {
			if s != s2 && slices.Equal(r, r2) {
				t.Errorf("the schedules %q and %q give the same result", s, s2)
			}
		}
	}
	// A data race between groups is reproducible where the order is chosen.
	d := device(t, emu.DeviceOptions{Workers: 4})
	k := kernel(t, program(t, d, "launch"), "racing")
	out := buffer(t, d, int32(0))
	for _, c := range []struct {
		s    emu.Schedule
		want int32
	}{{emu.Schedule{Order: emu.Reverse}, 0}, {emu.Schedule{Order: emu.Seeded, Seed: 4}, 14}} {
		mustRun(t, &emu.Launch{Kernel: k, Range: sized(100, 1), Args: []emu.Arg{out}, Schedule: c.s})
		if got := contents[int32](t, out)[0]; got != c.want {
			t.Errorf("%v: group %d was last, want %d", c.s, got, c.want)
		}
	}
}

// TestDeterminism runs kernels in many ways. Memory must be the reference's,
// and counters must not depend on the workers.
func TestDeterminism(t *testing.T) {
	for _, name := range []string{"barrier_nested", "collatz", "histogram", "list_walk", "matmul", "philox", "reduce_u32", "scan_inclusive"} {
		k := kernels.Find(name)
		if k == nil {
			t.Errorf("there is no kernel %q", name)
			continue
		}
		for _, variant := range []string{"O0", "O2"} {
			for _, opt := range []emu.DeviceOptions{{}, {SubgroupSize: 8, WaveLanes: 32}, {SubgroupSize: 64, WaveLanes: 64}} {
				var first *emu.Result
				for _, workers := range []int{1, 2, 5} {
					opt.Workers = workers
					res := runKernel(t, k, variant, opt, emu.Schedule{})
					res.Duration = 0
					if first == nil {
						first = res
					} else if !reflect.DeepEqual(res, first) {
						t.Errorf("%s %s: with %d workers %+v, with one %+v", k.Name, variant, workers, res, first)
					}
				}
				runKernel(t, k, variant, opt, emu.Schedule{Order: emu.Seeded, Seed: 11})
			}
		}
	}
}

// runKernel runs a kernel of package kernels and compares the memory with the
// reference.
func runKernel(t *testing.T, k *kernels.Kernel, variant string, opt emu.DeviceOptions, s emu.Schedule) *emu.Result {
	t.Helper()
	d := device(t, opt)
	return runOn(t, k, d, load(t, d, k.Name, variant), s)
}

// runOn is runKernel for a kernel that was loaded before.
func runOn(t *testing.T, k *kernels.Kernel, d *emu.Device, loaded *emu.Kernel, s emu.Schedule, more ...func(*emu.Launch)) *emu.Result {
	t.Helper()
	l := emu.Launch{Kernel: loaded, Schedule: s,
		Range: emu.NDRange{Global: k.Launch.Global, Local: k.Launch.Local, Offset: k.Launch.Offset}}
	want := make([][]byte, len(k.Launch.Args))
	for i, spec := range k.Launch.Args {
		a, err := argspec.Parse(spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		want[i] = a.Data
		switch a.Kind {
		case argspec.Value:
			l.Args = append(l.Args, emu.Bytes(a.Data))
		case argspec.Buffer:
			l.Args = append(l.Args, buffer(t, d, a.Data...))
		case argspec.Local:
			l.Args = append(l.Args, emu.LocalBytes(uint64(a.Count)))
		default:
			l.Args = append(l.Args, emu.Null())
		}
	}
	for _, set := range more {
		set(&l)
	}
	res := mustRun(t, &l)
	if err := k.Reference(k.Launch, want); err != nil {
		t.Fatal(err)
	}
	for _, i := range k.Outputs {
		if !bytes.Equal(contents[byte](t, l.Args[i].(*emu.Buffer)), want[i]) {
			t.Errorf("%s on %+v, schedule %v: argument %d is not the reference's", k.Name, d.Limits(), s, i)
		}
	}
	return res
}

func TestTimeout(t *testing.T) {
	for _, name := range []string{"forever", "bad_barrier_loop"} {
		d := device(t, emu.DeviceOptions{Workers: 2})
		l := emu.Launch{Kernel: kernel(t, program(t, d, "fault"), name), Range: sized(128, 64), Args: []emu.Arg{buffer(t, d, int32(0))}, Timeout: 20 * time.Millisecond}
		res, err := l.Run(context.Background())
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%s: error %v", name, err)
		}
		f := res.Findings.Findings[0]
		if text := f.Text(); f.Code != finding.TimeLimit || !strings.Contains(text, "after 0 of 2 work-groups") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
}

// cancelling is a writer that cancels a context.
type cancelling struct{ cancel context.CancelFunc }

func (w cancelling) Write(p []byte) (int, error) {
	w.cancel()
	return len(p), nil
}

// TestWhere cancels a launch of which it is known that it runs, since it prints.
func TestWhere(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 1, SubgroupSize: 4, WaveLanes: 4})
	ctx, cancel := context.WithCancel(context.Background())
	l := emu.Launch{Kernel: kernel(t, program(t, d, "launch"), "hello"), Range: sized(30, 10),
		Args: []emu.Arg{emu.Value(uint32(math.MaxUint32))}, Output: cancelling{cancel}}
	res, err := l.Run(ctx)
	if !errors.Is(err, context.Canceled) || res == nil {
		t.Fatalf("error %v", err)
	}
	f := res.Findings.Findings[0]
	if text := f.Text(); f.Code != finding.Cancelled || !strings.Contains(text, "after 0 of 3 work-groups, in group (0,0,0)") ||
		!strings.Contains(text, "= note: work-items 0–9 run at launch.cl:50:3") {
		t.Errorf("where it was:\n%s", text)
	}
}

func TestCancel(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := buffer(t, d, int32(0))
	k := kernel(t, program(t, d, "fault"), "forever")
	running := make(chan struct{})
	var once sync.Once
	e, err := q.Launch(ctx, emu.Launch{Kernel: k, Range: sized(128, 64), Args: []emu.Arg{b}, Progress: func(done, total uint64) {
		if done != 0 || total != 2 {
			t.Errorf("progress %d of %d", done, total)
		}
		once.Do(func() { close(running) })
	}})
	if err != nil {
		t.Fatal(err)
	}
	next, err := q.Launch(ctx, emu.Launch{Kernel: k, Range: sized(128, 64), Args: []emu.Arg{b}})
	if err != nil {
		t.Fatal(err)
	}
	<-running
	if err := e.Err(); err != nil {
		t.Errorf("error while it runs: %v", err)
	}
	cancel()
	res, err := e.Wait()
	var fe *emu.FindingsError
	if !errors.As(err, &fe) || !errors.Is(err, context.Canceled) || res.Findings.Findings[0].Code != finding.Cancelled {
		t.Errorf("cancelled while running: %v, %+v", err, res)
	}
	if res, err := next.Wait(); !errors.Is(err, context.Canceled) || res != nil {
		t.Errorf("cancelled while waiting: %v, %+v", err, res)
	}
	// The device is free again.
	if _, err := b.Bytes(); err != nil {
		t.Error(err)
	}
}

func TestQueue(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	q, err := d.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	x, y := buffer(t, d, make([]float32, 100)...), buffer(t, d, make([]float32, 100)...)
	k := kernel(t, program(t, d, "launch"), "saxpy")
	one := make([]byte, 400)
	for i := range 100 {
		binary.LittleEndian.PutUint32(one[4*i:], math.Float32bits(1))
	}
	var events []*emu.Event
	put := func(e *emu.Event, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	put(q.Write(ctx, x, 0, one))
	for range 50 {
		put(q.Launch(ctx, emu.Launch{Kernel: k, Range: emu.Range(100), Args: []emu.Arg{emu.Value(float32(2)), x, y}}))
	}
	got := make([]byte, 4)
	put(q.Read(ctx, y, 396, got))
	if err := q.Finish(ctx); err != nil {
		t.Fatal(err)
	}
	if v := math.Float32frombits(binary.LittleEndian.Uint32(got)); v != 100 {
		t.Errorf("after 50 launches: %v, want 100", v)
	}
	var last emu.Profile
	for i, e := range events {
		if _, err := e.Wait(); err != nil {
			t.Errorf("command %d: %v", i, err)
		}
		p, err := e.Profile()
		if err != nil || p.Started.Before(p.Queued) || p.Ended.Before(p.Started) || p.Started.Before(last.Ended) {
			t.Errorf("command %d: %v, profile %+v after %+v", i, err, p, last)
		}
		last = p
		select {
		case <-e.Done():
		default:
			t.Errorf("command %d is not over", i)
		}
	}

	// Errors of arguments come at once, errors of commands with the event.
	var ae *emu.ArgError
	if _, err := q.Launch(ctx, emu.Launch{Kernel: k, Range: emu.Range(1)}); !errors.As(err, &ae) {
		t.Errorf("launch without arguments: %v", err)
	}
	e, err := q.Write(ctx, x, 397, one[:4])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Wait(); !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(e.Err(), io.ErrUnexpectedEOF) {
		t.Errorf("write past the end: %v", err)
	}
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := q.Write(ctx, x, 0, one); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("closed queue: %v", err)
	}
	if err := q.Close(); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	if err := q.Finish(ctx); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("Finish of a closed queue: %v", err)
	}
}

// TestConcurrent uses one device from many goroutines.
func TestConcurrent(t *testing.T) {
	d := device(t, emu.DeviceOptions{})
	k := kernel(t, program(t, d, "launch"), "saxpy")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			x, y := buffer(t, d, float32(i)), buffer(t, d, float32(1))
			for range 20 {
				if _, err := k.Run(context.Background(), emu.Range(1), emu.Value(float32(1)), x, y); err != nil {
					t.Error(err)
				}
			}
			if got := contents[float32](t, y)[0]; got != float32(1+20*i) {
				t.Errorf("goroutine %d: %v, want %d", i, got, 1+20*i)
			}
			if err := x.Free(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
