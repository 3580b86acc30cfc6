package build

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// TestPipesAndSchedules checks that barrier schedules are refused in kernels that
// wait for packets.
func TestPipesAndSchedules(t *testing.T) {
	refused := func(pipes, ordered bool) (r any) {
		defer func() { r = recover() }()
		b := newBuilder(&Module{Options: Options{MaxInstructions: 1 << 20}})
		b.Func.NewBlock("entry").Term = ssa.TermRet
		b.Kernel.UsesPipes, b.Func.Ordered = pipes, ordered
		Describe(b)
		return nil
	}
	for _, x := range []struct{ pipes, ordered bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		if _, got := refused(x.pipes, x.ordered).(*Error); got != (x.pipes && x.ordered) {
			t.Errorf("pipes %v, schedule %v: refused %v", x.pipes, x.ordered, got)
		}
	}
}
