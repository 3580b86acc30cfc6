package opt

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// TestMarkBudget checks that the passes give up on a kernel that would take them
// too long, and change nothing that they have not understood.
func TestMarkBudget(t *testing.T) {
	f := ssa.NewFunc(&isa.Kernel{})
	f.Inlined = 1
	from, to := f.NewBlock(""), f.NewBlock("")
	from.Term, to.Term = ssa.TermBr, ssa.TermRet
	ssa.Link(from, to)
	mark, wait := f.NewValue(isa.OpAsyncMark, isa.Void, isa.Void), f.NewValue(isa.OpAsyncWait, isa.Void, isa.Void)
	mark.Block, wait.Block = from, to
	from.Insts, to.Insts = append(from.Insts, mark), append(to.Insts, wait)
	for _, spent := range []int{0, maxMarkSteps} {
		m := newMarkFlow(f)
		m.steps = spent
		if followed := m.begin(0) && m.countMarks(0, true); followed != (spent == 0) {
			t.Errorf("with %d steps spent, the sequence was followed: %v", spent, followed)
		}
	}
	AsyncWaits(f)
	AsyncMarks(f)
	if len(from.Insts) != 1 || len(to.Insts) != 1 {
		t.Errorf("a mark that is counted or the wait for it is gone:\n%s", f.String())
	}
}
