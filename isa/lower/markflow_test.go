package lower

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestMarkBudget checks that the passes give up on a kernel that would take them
// too long, and change nothing that they have not understood.
func TestMarkBudget(t *testing.T) {
	f := newFn(&isa.Kernel{})
	f.inlined = 1
	from, to := f.newBlock(""), f.newBlock("")
	from.term, to.term = termBr, termRet
	link(from, to)
	mark, wait := f.newValue(isa.OpAsyncMark, isa.Void, isa.Void), f.newValue(isa.OpAsyncWait, isa.Void, isa.Void)
	mark.blk, wait.blk = from, to
	from.insts, to.insts = append(from.insts, mark), append(to.insts, wait)
	for _, spent := range []int{0, maxMarkSteps} {
		m := newMarkFlow(f)
		m.steps = spent
		if followed := m.begin(0) && m.countMarks(0, true); followed != (spent == 0) {
			t.Errorf("with %d steps spent, the sequence was followed: %v", spent, followed)
		}
	}
	asyncWaits(f)
	asyncMarks(f)
	if len(from.insts) != 1 || len(to.insts) != 1 {
		t.Errorf("a mark that is counted or the wait for it is gone:\n%s", f.text())
	}
}
