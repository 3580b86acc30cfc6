package debug

import (
	"context"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// interrupted runs an operation, and Resume behind it, up to a stop of its own. It is interrupted at each
// jump backwards behind an instruction at which it asks whether to stop.
func interrupted(t *testing.T, s *Session, run func(context.Context) (Stop, error)) Stop {
	t.Helper()
	ask := s.d.Stop
	s.d.Stop = func(w engine.Wave, pc int) bool {
		s.cancel.Store(true)
		return ask(w, pc)
	}
	defer func() { s.d.Stop = ask }()
	for {
		stop, err := run(context.Background())
		s.cancel.Store(false)
		if err != nil {
			t.Fatal(err)
		}
		if stop.Reason != ReasonPaused {
			return stop
		}
		run = s.Resume
	}
}

// TestResume stops at the same ticks with interruptions as without them: at breakpoints, and behind steps
// that breakpoints interrupt.
func TestResume(t *testing.T) {
	run := func(interrupt bool) (ticks []uint64) {
		s := startPolynomial(t, 64, 12, Options{})
		do := func(f func(context.Context) (Stop, error)) Stop {
			if interrupt {
				return interrupted(t, s, f)
			}
			stop, err := f(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			return stop
		}
		next := func(ctx context.Context) (Stop, error) { return s.Step(ctx, StepOver, Lines, Lane) }
		out := func(ctx context.Context) (Stop, error) { return s.Step(ctx, StepOut, Lines, Lane) }
		head := -1 // of the loop, to which it jumps back
		for _, in := range s.Disassemble(0, s.Instructions()) {
			if head < 0 && in.Start && in.Block > 0 && in.Place.Line == 6 {
				head = in.PC
			}
		}
		b, err := s.BreakInstruction(head)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetCondition(b, "i == 5 && k % 3 == 1"); err != nil {
			t.Fatal(err)
		}
		for _, f := range []func(context.Context) (Stop, error){s.Continue, next, next, s.Continue, out, s.Resume, s.Continue} {
			stop := do(f)
			ticks = append(ticks, stop.Tick, b.Hits)
			if stop.Stepped != (stop.Reason == ReasonStep) {
				t.Errorf("%+v", stop)
			}
		}
		return ticks
	}
	if got, want := run(true), run(false); !slices.Equal(got, want) {
		t.Errorf("ticks and hits are %d, and without interruptions %d", got, want)
	}
}

// TestElements lists what pointers lead to, and changes it.
func TestElements(t *testing.T) {
	s := startDivided(t)
	if _, err := s.BreakLine("", 16); err != nil {
		t.Fatal(err)
	}
	if stop, _ := proceed(t, s); stop.Reason != ReasonBreakpoint {
		t.Fatalf("%+v", stop)
	}
	for expr, want := range map[string]int{"out": 16, "out + 3": 13, "tile": 8, "tile + 9": 0, "&r": 1, "(global int *)0": 0, "r": 0} {
		v, err := s.Evaluate(expr)
		if err != nil {
			t.Fatal(expr, err)
		}
		if got := s.NumElements(v); got != want {
			t.Errorf("%s has %d elements, want %d", expr, got, want)
		}
		if got := len(s.Elements(v, 1, 3)); got != min(3, max(want-1, 0)) {
			t.Errorf("three elements of %s are %d", expr, got)
		}
	}
	v, err := s.Evaluate("tile")
	if err != nil {
		t.Fatal(err)
	}
	e := s.Elements(v, 5, 1)[0]
	if e.Name != "[5]" || e.Err != nil {
		t.Fatalf("%+v", e)
	}
	if x, err := s.Assign(e.Value, "r + 1000.5f"); err != nil || s.Text(x, 1) != text(s, "tile[5]") || text(s, "tile[5] - r") != "1000" {
		t.Errorf("%v, tile[5] is %s", err, text(s, "tile[5]"))
	}
	if got := s.Text(s.Reload(e.Value), 1); got != text(s, "tile[5]") {
		t.Errorf("the element is %s", got)
	}
	if b := s.Buffers(); len(b) != 2 || b[0].Value.Type.String() != "global int*" || s.NumElements(b[1].Value) != 8 {
		t.Errorf("%+v", b)
	}
}
