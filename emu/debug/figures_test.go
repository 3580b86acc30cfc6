package debug

import (
	"context"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
)

var figures = flag.Bool("figures", false, "measure the figures of the debugger in full")

// polynomial is a kernel of some hundred instructions a work-item.
const polynomial = `float step1(float x, float c) { return x * 0.5f + c; }
kernel void polynomial(global float *x, int n)
{
	int i = get_global_id(0);
	float s = x[i];
	for (int k = 0; k < n; k++) {
		s = step1(s, k);
		if (k == 3)
			s += 1;
	}
	x[i] = s;
}
`

func startPolynomial(t testing.TB, items uint64, n int32, opt Options) *Session {
	return start(t, polynomial, "polynomial", emu.DeviceOptions{}, emu.NDRange{Global: []uint64{items}, Local: []uint64{256}}, opt, func(d *emu.Device) []emu.Arg {
		return []emu.Arg{buffer(t, d, make([]float32, items)), emu.Value(n)}
	})
}

// TestFigureBreak reaches breakpoints at the end of a kernel of 2^20 work-items. The times are logged: no
// test depends on them.
func TestFigureBreak(t *testing.T) {
	items := uint64(1 << 14)
	if *figures {
		items = 1 << 20
	}
	last := [3]uint64{items - 1, 0, 0}
	for name, set := range map[string]func(s *Session) error{
		"work-item": func(s *Session) error {
			b, err := s.BreakLine("", 11)
			b.Item = &last
			return err
		},
		"condition": func(s *Session) error {
			b, err := s.BreakLine("", 11)
			if err != nil {
				return err
			}
			return s.SetCondition(b, "i == "+text(s, "get_global_size(0)")+" - 1")
		},
		"condition in the loop": func(s *Session) error {
			b, err := s.BreakLine("", 9)
			if err != nil {
				return err
			}
			return s.SetCondition(b, "get_global_id(0) == get_global_size(0) - 1")
		},
		"ignored hits": func(s *Session) error {
			b, err := s.BreakLine("", 11)
			b.Ignore = items/32 - 1
			return err
		},
	} {
		s := startPolynomial(t, items, 16, Options{})
		if err := set(s); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		stop, err := s.Continue(context.Background())
		took := time.Since(begin)
		if err != nil || stop.Reason != ReasonBreakpoint {
			t.Fatalf("%s: %+v %v", name, stop, err)
		}
		if id := s.Item(s.item).Global[0] / 32; id != (items-1)/32 {
			t.Errorf("%s: stopped at sub-group %d of %d", name, id, items/32)
		}
		n, bytes := s.Checkpoints()
		t.Logf("%s: %v to tick %d, %d checkpoints of %d KiB", name, took.Round(time.Millisecond), s.Tick(), n, bytes>>10)
	}
}

// TestFigureBack steps back in a long run, from its end and from places in it.
func TestFigureBack(t *testing.T) {
	n := int32(1500)
	if *figures {
		n = 150000
	}
	s := startPolynomial(t, 1024, n, Options{})
	ctx := context.Background()
	b, err := s.BreakLine("", 11)
	if err != nil {
		t.Fatal(err)
	}
	b.Item = &[3]uint64{1023, 0, 0}
	begin := time.Now()
	if stop, err := s.Continue(ctx); err != nil || stop.Reason != ReasonBreakpoint {
		t.Fatalf("%+v %v", stop, err)
	}
	end := s.Tick()
	c, bytes := s.Checkpoints()
	t.Logf("%v to tick %d, %d checkpoints of %d KiB", time.Since(begin).Round(time.Millisecond), end, c, bytes>>10)
	for name, step := range map[string]func() (Stop, error){
		"reverse-next":  func() (Stop, error) { return s.ReverseStep(ctx, StepOver, Lines, Lane) },
		"reverse-stepi": func() (Stop, error) { return s.ReverseStep(ctx, StepInto, Instructions, Lane) },
		"reverse-step":  func() (Stop, error) { return s.ReverseStep(ctx, StepInto, Lines, Lane) },
	} {
		var times []time.Duration
		for i := range uint64(12) {
			if _, err := s.GoTo(ctx, end-end*i/13-1); err != nil {
				t.Fatal(err)
			}
			before := s.Tick()
			begin := time.Now()
			if _, err := step(); err != nil {
				t.Fatal(err)
			}
			times = append(times, time.Since(begin))
			if s.Tick() >= before {
				t.Errorf("%s from %d leads to %d", name, before, s.Tick())
			}
		}
		slices.Sort(times)
		c, bytes := s.Checkpoints()
		t.Logf("%s: %v at the median, %v at most; %d checkpoints of %d KiB", name, times[len(times)/2].Round(time.Millisecond), times[len(times)-1].Round(time.Millisecond), c, bytes>>10)
	}
}
