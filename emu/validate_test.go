package emu_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

const validatedSource = `
kernel void sums(global int *out, global const int *in, int n) {
  int i = get_global_id(0), s = 0;
  for (int j = 0; j < n; j++)
    s += in[(i + j) % 64] * j;
  out[i] = s;
}
kernel void append(global int *out, global int *count) {
  int i = get_global_id(0), at = atomic_inc(count);
  out[at] = (i + 7) * 3;
}
kernel void race(global int *out, int n) {
  int i = get_global_id(0);
  out[i / 2] = i + n;
}
kernel void prints(int n) { printf("%d\n", (int)get_global_id(0) + n); }
`

// defaultPasses returns the names of the passes that kernels go through.
func defaultPasses() []string { return strings.Split(lower.NewPassMachinery().Finalize.String(), ",") }

// mistakenPass returns a machinery with the default pipeline and a pass behind the one of the given name that
// makes subtractions of the kernel's additions from a number on, in the order of the kernel.
func mistakenPass(t *testing.T, behind string, from int) *lower.PassMachinery {
	t.Helper()
	m := lower.NewPassMachinery()
	err := m.Register(lower.Pass{Name: "mistaken", Doc: "a mistake", IR: func(ir *lower.IR) error {
		n := 0
		for v := range ir.Insts() {
			if v.Op() != isa.OpAdd || v.Type() != isa.I32 {
				continue
			}
			if n++; n <= from {
				continue
			}
			by, err := ir.Insert(v, isa.OpSub, isa.I32, isa.I32, v.Args()[0], v.Args()[1])
			if err == nil {
				err = ir.Replace(v, by)
			}
			return err
		}
		return nil
	}})
	if err == nil {
		text := m.Finalize.String()
		err = m.SetPasses(strings.Replace(text, behind+",", behind+",mistaken,", 1))
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// validated runs a kernel of validatedSource on a device that validates launches.
func validated(t *testing.T, m *lower.PassMachinery, name string, args func(d *emu.Device) []emu.Arg) (*emu.Result, error) {
	t.Helper()
	d, err := emu.NewDevice(emu.DeviceOptions{Validate: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := d.BuildProgramContext(context.Background(), clc.Source{Name: "k.cl", Text: validatedSource}, clc.Options{}, emu.ProgramOptions{Passes: m})
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel(name)
	if err != nil {
		t.Fatal(err)
	}
	return k.Run(context.Background(), sized(64, 16), args(d)...)
}

func squares(n int) (list []int32) {
	for i := range n {
		list = append(list, int32(i*i%31))
	}
	return list
}

// TestValidate puts a pass that is wrong behind several others, and sees that it is named, and what differs.
func TestValidate(t *testing.T) {
	sums := func(d *emu.Device) []emu.Arg {
		return []emu.Arg{buffer(t, d, make([]int32, 64)...), buffer(t, d, squares(64)...), emu.Value(int32(5))}
	}
	prints := func(*emu.Device) []emu.Arg { return []emu.Arg{emu.Value(int32(3))} }
	for _, c := range []struct {
		kernel, behind string
		from           int
		detail         string
		args           func(*emu.Device) []emu.Arg
	}{
		{"sums", "promote", 0, "it ends with the fault E-OOB", sums},
		{"sums", "loads", 1, "at out+", sums},
		{"prints", "promote", 0, "work-items print something else", prints},
	} {
		passes := defaultPasses()
		number := fmt.Sprintf("number %d of %d", slices.Index(passes, c.behind)+2, len(passes)+1)
		res, err := validated(t, mistakenPass(t, c.behind, c.from), c.kernel, c.args)
		var failed *emu.FindingsError
		if !errors.As(err, &failed) {
			t.Errorf("%s, behind %s: error %v, %+v", c.kernel, c.behind, err, res.Validation)
			continue
		}
		f := &res.Findings.Findings[0]
		if want := "the kernel computes something else behind pass mistaken, " + number; f.Code != finding.PassDiff || f.Message != want || !strings.HasPrefix(f.Detail, c.detail) {
			t.Errorf("%s, behind %s: %s, want %s", c.kernel, c.behind, f.Text(), want)
		}
		if object := strings.HasPrefix(c.detail, "at out"); object != (f.Object != nil && f.Object.Name == "out") {
			t.Errorf("%s, behind %s: object %+v", c.kernel, c.behind, f.Object)
		}
	}
}

// TestValidateAgrees validates right launches: nothing is found, and memory is as the launch leaves it.
func TestValidateAgrees(t *testing.T) {
	var out *emu.Buffer
	res, err := validated(t, nil, "sums", func(d *emu.Device) []emu.Arg {
		out = buffer(t, d, make([]int32, 64)...)
		return []emu.Arg{out, buffer(t, d, squares(64)...), emu.Value(int32(5))}
	})
	if err != nil {
		t.Fatal(err)
	}
	if v := res.Validation; v == nil || v.Passes != len(defaultPasses()) || v.Forms < 5 || v.Skipped != "" {
		t.Errorf("%+v", v)
	}
	got, in := contents[int32](t, out), squares(64)
	for i := range got {
		var want int32
		for j := range int32(5) {
			want += in[(i+int(j))%64] * j
		}
		if got[i] != want {
			t.Fatalf("element %d is %d, want %d", i, got[i], want)
		}
	}
}

// TestValidateMayDiffer sees that nothing is said of a pass where results depend on the order of work-items,
// or are undefined.
func TestValidateMayDiffer(t *testing.T) {
	for _, c := range []struct {
		kernel, why string
		args        func(*emu.Device) []emu.Arg
	}{
		{"append", "atomic operations whose results depend on their order", func(d *emu.Device) []emu.Arg {
			return []emu.Arg{buffer(t, d, make([]int32, 64)...), buffer(t, d, int32(0))}
		}},
		{"race", "-check finds E-RACE", func(d *emu.Device) []emu.Arg {
			return []emu.Arg{buffer(t, d, make([]int32, 64)...), emu.Value(int32(9))}
		}},
	} {
		res, err := validated(t, mistakenPass(t, "simplify", 0), c.kernel, c.args)
		if err != nil {
			t.Fatalf("%s: %v", c.kernel, err)
		}
		if v := res.Validation; v == nil || v.Skipped != "results differ behind pass mistaken, and may: "+c.why {
			t.Errorf("%s: %+v", c.kernel, v)
		}
	}
}

// TestValidateCount sees that so many launches of a kernel are validated, and no more, and that the
// environment can ask for it.
func TestValidateCount(t *testing.T) {
	t.Setenv(emu.ValidateVariable, "2")
	d := device(t, emu.DeviceOptions{})
	k := kernel(t, program(t, d, "launch"), "ids")
	for i := range 4 {
		res, err := k.Run(context.Background(), emu.Range(64), buffer(t, d, make([]uint32, 4*64)...))
		if err != nil {
			t.Fatal(err)
		}
		if (res.Validation != nil) != (i < 2) {
			t.Errorf("launch %d: %+v", i, res.Validation)
		}
	}
	for _, text := range []string{"yes", "-1", "1.5"} {
		t.Setenv(emu.ValidateVariable, text)
		if _, err := emu.NewDevice(emu.DeviceOptions{}); err == nil || !strings.Contains(err.Error(), "LOCKSTEP_VALIDATE=") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}

// TestValidateEngine has an engine make a mistake.
func TestValidateEngine(t *testing.T) {
	m := &mistaken{}
	d := emu.NewValidating(t, m)
	k := kernel(t, program(t, d, "launch"), "ids")
	out := buffer(t, d, make([]uint32, 4*64)...)
	m.mistake = flip(out, 0)
	res, err := k.Run(context.Background(), emu.Range(64), out)
	var failed *emu.FindingsError
	if !errors.As(err, &failed) {
		t.Fatalf("error %v", err)
	}
	f := &res.Findings.Findings[0]
	if f.Code != finding.EngineDiff || f.Message != "machine code and the reference engine differ" || !strings.HasPrefix(f.Detail, "at out+0: ") {
		t.Error(f.Text())
	}
}

// TestValidateTimeout validates a launch that never ends: it ends as any other does whose time is over.
func TestValidateTimeout(t *testing.T) {
	d := device(t, emu.DeviceOptions{Validate: 1})
	p, _, err := d.BuildProgram("kernel void ever(global volatile int *a) { while (a[0] == 0); }", "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("ever")
	if err != nil {
		t.Fatal(err)
	}
	l := emu.Launch{Kernel: k, Range: sized(64, 16), Args: []emu.Arg{buffer(t, d, int32(0))}, Timeout: 50 * time.Millisecond}
	res, err := l.Run(context.Background())
	var failed *emu.FindingsError
	if !errors.As(err, &failed) || res.Findings.Findings[0].Code != finding.TimeLimit {
		t.Fatalf("error %v", err)
	}
	if res.Validation == nil || res.Validation.Skipped != "the time was over" {
		t.Errorf("%+v", res.Validation)
	}
}
