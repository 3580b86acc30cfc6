package debug

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// start compiles a kernel for a debugger and begins a session over a launch.
func start(t testing.TB, source, kernel string, dev emu.DeviceOptions, r emu.NDRange, opt Options, args func(d *emu.Device) []emu.Arg) *Session {
	t.Helper()
	d, err := emu.NewDevice(dev)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	p, _, err := d.BuildProgram(source, "-g")
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel(kernel)
	if err != nil {
		t.Fatal(err)
	}
	l := &emu.Launch{Kernel: k, Range: r, Args: args(d)}
	s, err := New(context.Background(), l, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// buffer makes a buffer, or ends the test.
func buffer[T emu.Number](t testing.TB, d *emu.Device, list []T) *emu.Buffer {
	t.Helper()
	b, err := emu.NewBufferOf(d, list)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const sums = `float sq(float v)
{
	float r = v * v;
	return r;
}
kernel void sums(global float *x, int n)
{
	int i = get_global_id(0);
	float s = 0;
	for (int j = 0; j <= i; j++) {
		float t = sq(x[j]);
		s += t;
	}
	if (i < n)
		x[i] = s;
}
`

func startSums(t testing.TB) *Session {
	return start(t, sums, "sums", emu.DeviceOptions{SubgroupSize: 4}, emu.NDRange{Global: []uint64{16}, Local: []uint64{8}}, Options{}, func(d *emu.Device) []emu.Arg {
		return []emu.Arg{buffer(t, d, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}), emu.Value(int32(16))}
	})
}

// text returns a value as text, or what is wrong.
func text(s *Session, expr string) string {
	v, err := s.Evaluate(expr)
	if err != nil {
		return err.Error()
	}
	return s.Text(v, 8)
}

func TestBreakAndShow(t *testing.T) {
	s := startSums(t)
	b, err := s.BreakLine("", 12)
	if err != nil {
		t.Fatal(err)
	}
	if b.Line != 12 || len(b.PCs) != 1 {
		t.Fatalf("%+v", b)
	}
	stop, err := s.Continue(context.Background())
	if err != nil || stop.Reason != ReasonBreakpoint {
		t.Fatalf("%+v %v", stop, err)
	}
	for expr, want := range map[string]string{
		"i": "0", "j": "0", "t": "1", "s": "0", "n": "16", "x": "&x", "*x": "1", "x[3]": "4", "s + t * 2": "2", "(float4)(1, t, s, 4).yx": "(1, 1)",
		"x + 2": "&x+8", "*(x + 2) == x[2]": "1", "sizeof(x)": "8", "get_global_id(0)": "0", "get_local_size(0)": "8", "r": "no value: there is no variable r here",
		"i == 0 ? 10 : 20u": "10", "&s": "&s", "*&s": "0", "-1 > 0u": "1", "1 << 33": "2", "7 / 2.0f": "3.5", "'a'": "97",
	} {
		if got := text(s, expr); got != want {
			t.Errorf("%s is %s, want %s", expr, got, want)
		}
	}
	if err := s.Select(3); err != nil {
		t.Fatal(err)
	}
	if got := text(s, "i"); got != "3" {
		t.Errorf("i of work-item 3 is %s", got)
	}
	if f := s.Frames(); len(f) != 1 || f[0].Function != "sums" || f[0].Place.Line != 12 {
		t.Errorf("%+v", f)
	}
}

func TestStepIntoAndOut(t *testing.T) {
	s := startSums(t)
	ctx := context.Background()
	var trail []string
	step := func(kind StepKind) {
		t.Helper()
		if _, err := s.Step(ctx, kind, Lines, Lane); err != nil {
			t.Fatal(err)
		}
		f := s.Frames()
		trail = append(trail, strings.Join([]string{f[0].Function, text(s, "$item")}, "/")+":"+strconv.Itoa(f[0].Place.Line))
	}
	for range 4 {
		step(StepOver)
	}
	step(StepInto)
	if f := s.Frames(); len(f) != 2 || f[1].Function != "sums" || f[1].Place.Line != 11 || text(s, "v") != "1" {
		t.Errorf("%+v, v is %s", f, text(s, "v"))
	}
	step(StepOver)
	step(StepOut)
	step(StepOver)
	step(StepOver)
	want := "sums/0:8 sums/0:9 sums/0:10 sums/0:11 sq/0:3 sq/0:4 sums/0:11 sums/0:12 sums/0:10"
	if got := strings.Join(trail, " "); got != want {
		t.Errorf("steps\n%s, want\n%s", got, want)
	}
}

// TestFinishFrame leaves the function of the frame that is looked at, with those inside of it.
func TestFinishFrame(t *testing.T) {
	s := start(t, `float sq(float v)
{
	return v * v;
}
float twice(float v)
{
	float s = sq(v);
	return s + s;
}
kernel void finish(global float *x)
{
	float f = twice(x[0]);
	x[0] = f;
}
`, "finish", emu.DeviceOptions{}, emu.NDRange{Global: []uint64{1}}, Options{}, func(d *emu.Device) []emu.Arg {
		return []emu.Arg{buffer(t, d, []float32{3})}
	})
	for frame, want := range []string{"twice", "finish"} {
		if _, err := s.GoTo(context.Background(), 0); err != nil {
			t.Fatal(err)
		}
		b, err := s.BreakLine("", 3)
		if err != nil {
			t.Fatal(err)
		}
		b.Temporary = true
		if _, err := s.Continue(context.Background()); err != nil || !s.SelectFrame(frame) {
			t.Fatalf("%v, frames %+v", err, s.Frames())
		}
		hit := s.Tick()
		stop, err := s.Step(context.Background(), StepOut, Lines, Lane)
		if f := s.Frames(); err != nil || stop.Reason != ReasonStep || f[0].Function != want {
			t.Errorf("frame %d: %+v %v, in %+v", frame, stop, err, f)
		}
		if _, err = s.GoTo(context.Background(), hit); err != nil || !s.SelectFrame(frame) {
			t.Fatalf("%v, frames %+v", err, s.Frames())
		}
		stop, err = s.ReverseStep(context.Background(), StepOut, Lines, Lane)
		if f := s.Frames(); err != nil || stop.Reason != ReasonStep || f[0].Function != want {
			t.Errorf("frame %d backwards: %+v %v, in %+v", frame, stop, err, f)
		}
	}
}

// TestTypedefNames shows a structure that has no name but that of a typedef by it, and casts to it.
func TestTypedefNames(t *testing.T) {
	const source = `typedef struct { int a; float b; } pair_t;
kernel void named(global pair_t *p)
{
	pair_t mine = p[0];
	mine.a = 7;
	p[0] = mine;
}
`
	s := start(t, source, "named", emu.DeviceOptions{}, emu.Range(1), Options{}, func(d *emu.Device) []emu.Arg {
		return []emu.Arg{buffer(t, d, []int32{1, 0})}
	})
	if _, err := s.BreakLine("", 6); err != nil {
		t.Fatal(err)
	}
	if stop, err := s.Continue(context.Background()); err != nil || stop.Reason != ReasonBreakpoint {
		t.Fatalf("%+v %v", stop, err)
	}
	for expr, typ := range map[string]string{"mine": "pair_t", "p": "global pair_t*", "*p": "pair_t", "mine.a": "int", "(global pair_t *)p": "global pair_t*"} {
		v, err := s.Evaluate(expr)
		if err != nil || v.Type.String() != typ {
			t.Errorf("%s is %v, want %s: %v", expr, v.Type, typ, err)
		}
	}
	if got := text(s, "mine"); got != "{a = 7, b = 0}" {
		t.Errorf("mine is %s", got)
	}
}
