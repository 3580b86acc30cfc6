package opt

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// Returns leads all ways out of the kernel to one block that returns (LLVM calls this UnifyFunctionExitNodes). A lane that
// returns early waits there for the others, so that a kernel that begins with `if (i >= n) return;` is one acyclic region
// with a selection, as if it were an if around the rest. That changes nothing unless lanes meet somewhere on the way:
// a barrier opens without the lanes that have ended, but not without those that wait.
func Returns(f *ssa.Func) {
	var rets []*ssa.Block
	for _, blk := range f.Blocks {
		switch {
		case blk.Term == ssa.TermRet:
			rets = append(rets, blk)
		case blk.Term == ssa.TermBarrier, blk.Wait != nil:
			return
		}
		if slices.ContainsFunc(blk.Insts, meets) {
			return
		}
	}
	if len(rets) < 2 || f.Ordered || f.Once {
		return
	}
	end := f.NewBlock("")
	end.Term, end.TermLoc = ssa.TermRet, rets[len(rets)-1].TermLoc
	for _, r := range rets {
		ssa.SetBranch(r, end)
		end.Preds = append(end.Preds, r)
	}
	f.CFGChanged()
	CleanCFG(f)
}

// meets says whether lanes do an instruction together, so that it matters whether the others have ended.
func meets(v *ssa.Value) bool {
	switch v.Op {
	case isa.OpGroupCopy, isa.OpGroupWait, isa.OpAsyncScope, isa.OpAsyncMark, isa.OpAsyncWait, isa.OpPipe:
		return true
	}
	return ssa.Convergent(v)
}
