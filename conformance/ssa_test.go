package conformance

import (
	"context"
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
)

// throughSSA has kernels made into SSA form again when they are finished, optimized and written as bytecode.
func throughSSA(t *testing.T, passes ...string) func(*emu.ProgramOptions) {
	t.Helper()
	m := lower.NewPassMachinery()
	again := func(p *isa.Program, k *isa.Kernel) error {
		f, err := ssa.FromKernel(k)
		if err != nil {
			return fmt.Errorf("%w\n%s", err, k.Text(p))
		}
		if err := f.Verify(); err != nil {
			return fmt.Errorf("behind FromKernel: %w", err)
		}
		for _, name := range passes {
			pass, ok := opt.Lookup(name)
			if !ok {
				return fmt.Errorf("no pass %s", name)
			}
			if err := pass.Apply(f); err != nil {
				return err
			}
			if err := f.Verify(); err != nil {
				return fmt.Errorf("behind %s: %w", name, err)
			}
		}
		if len(passes) > 0 {
			f.CanonicalLoops()
			f.Diverge()
		}
		out, err := ssa.ToKernel(f)
		if err != nil {
			return err
		}
		*k = *out
		return nil
	}
	if err := m.Register(lower.Pass{Name: "ssa", Doc: "SSA form and back", Kernel: again}); err != nil {
		t.Fatal(err)
	}
	late, err := m.Parse("ssa")
	if err != nil {
		t.Fatal(err)
	}
	m.Late = late
	return func(o *emu.ProgramOptions) { o.Passes = m }
}

// TestSSA runs the cases with kernels that have been made into SSA form again from their bytecode, and back,
// as they are and optimized once more.
func TestSSA(t *testing.T) {
	cases, err := builtinCases()
	if err != nil {
		t.Fatal(err)
	}
	for name, passes := range map[string][]string{
		"none": nil,
		"all": {"simplify", "ifconvert", "unroll", "simplify", "narrow", "simplify", "unselect", "address", "flatten", "narrow",
			"simplify", "address", "walks", "rotate", "loads", "ifconvert", "hoist", "fuse", "sink"},
	} {
		t.Run(name, func(t *testing.T) {
			m := Quick()
			m.SubGroups, m.Waves = m.SubGroups[:1], m.Waves[1:]
			m.Engines = m.Engines[:1]
			report, err := Run(context.Background(), cases, Options{Matrix: &m, program: throughSSA(t, passes...)})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range report.Results {
				for _, f := range r.Failures {
					t.Errorf("%s: %s", r.Case.Name, f.Message)
				}
			}
		})
	}
}
