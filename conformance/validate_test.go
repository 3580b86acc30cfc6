package conformance

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestValidation runs cases on devices that validate launches: all with -long, otherwise a part of them. No
// pass may be found wrong, and what is expected of the cases stays as it is.
func TestValidation(t *testing.T) {
	t.Setenv(emu.ValidateVariable, "1")
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	step := 6
	switch {
	case *long:
		step = 1
	case testing.Short():
		step = 16
	}
	var some []*Case
	for i := 0; i < len(cases); i += step {
		some = append(some, cases[i])
	}
	m := Quick()
	m.SubGroups, m.Waves, m.Engines = m.SubGroups[:1], m.Waves[1:], m.Engines[len(m.Engines)-1:]
	report, err := Run(context.Background(), some, Options{Matrix: &m})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		for _, f := range r.Failures {
			t.Errorf("%s: %s", r.Case.Name, f.Message)
		}
	}
}
