package emu_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

func TestScheduleNames(t *testing.T) {
	for _, c := range []struct {
		name, canonical, flags string
		order                  emu.Order
		completion             emu.Completion
	}{
		{"in-order", "in-order", "", emu.InOrder, emu.CompleteEarly},
		{"early", "in-order", "", emu.InOrder, emu.CompleteEarly},
		{"in-order+early", "in-order", "", emu.InOrder, emu.CompleteEarly},
		{"late", "late", "-schedule late", emu.InOrder, emu.CompleteLate},
		{"in-order+late", "late", "-schedule late", emu.InOrder, emu.CompleteLate},
		{"paced", "paced", "-schedule paced", emu.InOrder, emu.CompletePaced},
		{"in-order+seeded", "in-order+seeded", "-schedule in-order+seeded -seed 5", emu.InOrder, emu.CompleteSeeded},
		{"reverse", "reverse", "-schedule reverse", emu.Reverse, emu.CompleteEarly},
		{"reverse+early", "reverse", "-schedule reverse", emu.Reverse, emu.CompleteEarly},
		{"reverse+late", "reverse+late", "-schedule reverse+late", emu.Reverse, emu.CompleteLate},
		{"reverse+seeded", "reverse+seeded", "-schedule reverse+seeded -seed 5", emu.Reverse, emu.CompleteSeeded},
		{"seeded", "seeded", "-schedule seeded -seed 5", emu.Seeded, emu.CompleteSeeded},
		{"seeded+seeded", "seeded", "-schedule seeded -seed 5", emu.Seeded, emu.CompleteSeeded},
		{"seeded+early", "seeded+early", "-schedule seeded+early -seed 5", emu.Seeded, emu.CompleteEarly},
		{"seeded+paced", "seeded+paced", "-schedule seeded+paced -seed 5", emu.Seeded, emu.CompletePaced},
	} {
		s, err := emu.ParseSchedule(c.name, 5)
		if err != nil {
			t.Error(err)
			continue
		}
		if want := (emu.Schedule{Order: c.order, Completion: c.completion, Seed: 5}); s != want {
			t.Errorf("%s is %+v, want %+v", c.name, s, want)
		}
		if s.Name() != c.canonical || s.String() != c.flags {
			t.Errorf("%s: name %q, flags %q; want %q, %q", c.name, s.Name(), s.String(), c.canonical, c.flags)
		}
	}
	for _, name := range []string{"", "random", "+", "late+reverse", "early+late", "reverse+", "+late", "seeded+late+late", "Late"} {
		if s, err := emu.ParseSchedule(name, 0); err == nil {
			t.Errorf("%q is %+v", name, s)
		}
	}
}
