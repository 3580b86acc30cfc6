package emu_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// program loads a module of testdata.
func program(t testing.TB, d *emu.Device, name string) *emu.Program {
	t.Helper()
	module, err := os.ReadFile(filepath.Join("testdata", name+".spv"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.NewProgram(module, emu.ProgramOptions{Sources: func(name string) ([]byte, error) {
		return emu.FileSources(filepath.Join("testdata", filepath.Base(name)))
	}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func kernel(t testing.TB, p *emu.Program, name string) *emu.Kernel {
	t.Helper()
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func buffer[T emu.Number](t testing.TB, d *emu.Device, v ...T) *emu.Buffer {
	t.Helper()
	b, err := emu.NewBufferOf(d, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func contents[T emu.Number](t testing.TB, b *emu.Buffer) []T {
	t.Helper()
	v, err := emu.Read[T](b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// faults are launches that end badly. Each gets a fresh device.
var faults = []struct {
	name  string
	run   string // kernel
	code  finding.Code
	r     emu.NDRange
	setup func(t *testing.T, d *emu.Device, l *emu.Launch)
}{
	{"past-the-end", "vecadd", finding.OutOfBounds, sized(17, 1), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, make([]int32, 20)...), buffer(t, d, make([]int32, 20)...), buffer(t, d, make([]int32, 16)...)}
	}},
	{"before-the-start", "fixed_tile", finding.OutOfBounds, sized(4, 4), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, int32(-1))}
	}},
	{"across-the-end", "vecadd", finding.OutOfBounds, sized(2, 2), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, make([]byte, 7)...), buffer(t, d, int32(1), 2), buffer(t, d, int32(1), 2)}
	}},
	{"far-outside", "private_array", finding.OutOfBounds, sized(2, 2), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, int32(1<<31-1), 0, 0)}
	}},
	{"private-array", "private_array", finding.OutOfBounds, sized(2, 2), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, int32(0), 0, 8)}
	}},
	{"constant-array", "constant_array", finding.OutOfBounds, sized(1, 1), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, int32(4), 0)}
	}},
	{"local-argument", "tile", finding.OutOfBounds, sized(64, 16), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{emu.LocalBytes(64), buffer(t, d, int32(4), 4, 4, 4)}
	}},
	{"null", "vecadd", finding.NullPointer, sized(8, 4), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, make([]int32, 8)...), emu.Null(), buffer(t, d, make([]int32, 8)...)}
	}},
	{"read-only", "vecadd", finding.ReadOnly, sized(8, 4), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		c, err := d.NewBuffer(32, emu.BufferOptions{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		l.Args = []emu.Arg{buffer(t, d, make([]int32, 8)...), buffer(t, d, make([]int32, 8)...), c}
	}},
	{"write-only", "vecadd", finding.WriteOnly, sized(8, 4), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		c, err := d.NewBuffer(64, emu.BufferOptions{WriteOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		part, err := c.Sub(0, 32)
		if err != nil {
			t.Fatal(err)
		}
		l.Args = []emu.Arg{buffer(t, d, make([]int32, 8)...), part, buffer(t, d, make([]int32, 8)...)}
	}},
	{"freed", "use", finding.UseAfterFree, sized(1, 1), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		slot, p := buffer(t, d, uint64(0)), buffer(t, d, int32(0), 1)
		if _, err := kernel(t, program(t, d, "fault"), "keep").Run(context.Background(), sized(1, 1), slot, p); err != nil {
			t.Fatal(err)
		}
		if err := p.Free(); err != nil {
			t.Fatal(err)
		}
		l.Args = []emu.Arg{slot}
	}},
	{"no-pointer", "use", finding.BadPointer, sized(1, 1), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, uint64(0x123456789))}
	}},
	{"resource", "vecadd", finding.BadPointer, sized(8, 4), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		b := buffer(t, d, make([]int32, 8)...)
		l.Args = []emu.Arg{emu.Resource(b, 0, 32), emu.Resource(b, 4, 8), b}
	}},
	{"other-buffer", "use", finding.OutOfBounds, sized(1, 1), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		slot := buffer(t, d, uint64(0))
		p, err := d.NewBuffer(3, emu.BufferOptions{Name: "three"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kernel(t, program(t, d, "fault"), "keep").Run(context.Background(), sized(1, 1), slot, p); err != nil {
			t.Fatal(err)
		}
		l.Args = []emu.Arg{slot}
	}},
	{"misaligned", "use", finding.Misaligned, sized(1, 1), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		slot, p := buffer(t, d, uint64(0)), buffer(t, d, int32(0), 1)
		if _, err := kernel(t, program(t, d, "fault"), "keep").Run(context.Background(), sized(1, 1), slot, p); err != nil {
			t.Fatal(err)
		}
		if err := emu.Write(slot, 0, []uint64{contents[uint64](t, slot)[0] + 2}); err != nil {
			t.Fatal(err)
		}
		l.Args, l.Check = []emu.Arg{slot}, true
	}},
	{"divide", "divide", finding.DivideByZero, emu.NDRange{Global: []uint64{2, 32}, Local: []uint64{2, 16}}, func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args, l.Check = []emu.Arg{buffer(t, d, slices.Repeat([]int32{5, 0}, 32)...), buffer(t, d, make([]int32, 64)...)}, true
	}},
	{"deadlock", "deadlock", finding.BarrierDeadlock, sized(256, 64), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, make([]int32, 256)...)}
	}},
	{"partial", "partial", finding.PartialBarrier, sized(64, 16), func(t *testing.T, d *emu.Device, l *emu.Launch) {
		l.Args = []emu.Arg{buffer(t, d, make([]int32, 64)...)}
	}},
}

// sized is a one-dimensional range.
func sized(global, local uint64) emu.NDRange {
	return emu.NDRange{Global: []uint64{global}, Local: []uint64{local}}
}

// TestFaults checks the text of each kind of finding, and that it is the same
// for every number of workers.
func TestFaults(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			for _, workers := range []int{1, 3} {
				d := device(t, emu.DeviceOptions{Workers: workers})
				p := program(t, d, "fault")
				// With all kernels compiled the variables have the addresses that they have in a program from a binary.
				p.ISA()
				l := emu.Launch{Kernel: kernel(t, p, c.run), Range: c.r, KeepGoing: true, Reproduce: "run it again"}
				c.setup(t, d, &l)
				res, err := l.Run(context.Background())
				var fe *emu.FindingsError
				if !errors.As(err, &fe) || res == nil {
					t.Fatalf("error %v, result %v", err, res)
				}
				if got := res.Findings.Findings[0].Code; got != c.code {
					t.Errorf("code %s, want %s", got, c.code)
				}
				if !strings.Contains(err.Error(), string(c.code)) {
					t.Errorf("the error does not have the code: %v", err)
				}
				golden(t, "fault-"+c.name+".txt", res.Findings.Text())
			}
		})
	}
}

// TestHalt holds that the first fault in the order of the schedule ends a launch, with
// the same findings, counters and output for every number of workers, engine and width,
// and that a launch that keeps going runs to its end.
func TestHalt(t *testing.T) {
	const groups, local = 5000, 16
	ctx := context.Background()
	for _, bad := range []int{0, 1700, groups - 1} {
		run := func(o emu.DeviceOptions, keep bool) (*emu.Result, []int32) {
			d := device(t, o)
			a := slices.Repeat([]int32{5}, groups*local)
			for g := bad; g < groups; g += 7 {
				a[g*local+3] = 0
			}
			out := buffer(t, d, make([]int32, groups*local)...)
			l := emu.Launch{Kernel: kernel(t, program(t, d, "fault"), "divide"), Range: sized(groups*local, local),
				Args: []emu.Arg{buffer(t, d, a...), out}, Check: true, KeepGoing: keep}
			res, err := l.Run(ctx)
			var fe *emu.FindingsError
			if !errors.As(err, &fe) {
				t.Fatalf("error %v", err)
			}
			res.Duration = 0
			return res, contents[int32](t, out)
		}
		var want *emu.Result
		for _, engine := range emu.Engines() {
			for _, workers := range []int{1, 2, 5} {
				res, out := run(emu.DeviceOptions{Workers: workers, Engine: engine}, false)
				if want == nil {
					want = res
				}
				if d := cmp.Diff(want, res); d != "" {
					t.Errorf("%s, %d workers (-first +this):\n%s", engine, workers, d)
				}
				// All groups before the fault have run.
				if !res.Halted || res.GroupsRun != uint64(bad)+1 || slices.Contains(out[:bad*local], 0) {
					t.Errorf("%s, %d workers: halted %v, %d groups ran", engine, workers, res.Halted, res.GroupsRun)
				}
			}
		}
		f := want.Findings.Findings
		if len(f) != 1 || f[0].WorkItem == nil || f[0].WorkItem.Group[0] != uint64(bad) || f[0].Groups != 1 {
			t.Errorf("findings %+v", f)
		}
		all, _ := run(emu.DeviceOptions{Workers: 3}, true)
		if all.Halted || all.GroupsRun != groups || all.Findings.Findings[0].Groups != uint64(groups-bad+6)/7 {
			t.Errorf("a launch that keeps going: %+v", all)
		}
	}
}

// TestInlinedFaults checks that a finding in an inlined function shows the chain of
// calls, whether the module's compiler inlined it or lockstep, and that a binary
// has the chain, too.
func TestInlinedFaults(t *testing.T) {
	run := func(d *emu.Device, p *emu.Program, name string, args ...emu.Arg) string {
		t.Helper()
		l := emu.Launch{Kernel: kernel(t, p, name), Range: sized(8, 8), Args: args}
		res, err := l.Run(context.Background())
		var fe *emu.FindingsError
		if !errors.As(err, &fe) {
			t.Fatalf("%s: error %v", name, err)
		}
		return res.Findings.Text() + "error: " + err.Error() + "\n"
	}
	for _, module := range []string{"inline", "inline.O0"} {
		d := device(t, emu.DeviceOptions{})
		p := program(t, d, module)
		x, y := buffer(t, d, make([]float32, 8)...), buffer(t, d, make([]float32, 16)...)
		text := run(d, p, "filter", x, y)
		structs, err := d.NewBuffer(7*32+8, emu.BufferOptions{})
		if err != nil {
			t.Fatal(err)
		}
		golden(t, "fault-"+module+".txt", text+"\n"+run(d, p, "weigh", structs, y, emu.Value(int32(1))))

		data, err := p.Binary(emu.BinaryOptions{})
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := d.LoadBinary(data, emu.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"in function load", "called at", "in function pair", "in kernel filter"} {
			if text := run(d, loaded, "filter", x, y); !strings.Contains(text, want) {
				t.Errorf("%s as a binary: no %q in\n%s", module, want, text)
			}
		}
	}
}
