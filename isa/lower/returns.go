package lower

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
)

// returns leads all ways out of the kernel to one block that returns (LLVM calls this UnifyFunctionExitNodes). A lane that
// returns early waits there for the others, so that a kernel that begins with `if (i >= n) return;` is one acyclic region
// with a selection, as if it were an if around the rest. That changes nothing unless lanes meet somewhere on the way:
// a barrier opens without the lanes that have ended, but not without those that wait.
func returns(f *fn) {
	var rets []*block
	for _, blk := range f.blocks {
		switch {
		case blk.term == termRet:
			rets = append(rets, blk)
		case blk.term == termBarrier, blk.wait != nil:
			return
		}
		if slices.ContainsFunc(blk.insts, meets) {
			return
		}
	}
	if len(rets) < 2 || f.ordered || f.once {
		return
	}
	end := f.newBlock("")
	end.term, end.termLoc = termRet, rets[len(rets)-1].termLoc
	for _, r := range rets {
		setBr(r, end)
		end.preds = append(end.preds, r)
	}
	f.cfgChanged()
	f.cleanCFG()
}

// meets says whether lanes do an instruction together, so that it matters whether the others have ended.
func meets(v *value) bool {
	switch v.op {
	case isa.OpGroupCopy, isa.OpGroupWait, isa.OpAsyncScope, isa.OpAsyncMark, isa.OpAsyncWait, isa.OpPipe:
		return true
	}
	return convergent(v)
}
