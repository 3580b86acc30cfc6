package opt

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// A kernel that is compiled for one launch, or for launches that have something
// in common, knows as constants what other kernels read from registers: the sizes
// of the range and its offset, the arguments that are passed by value, and bounds
// of the ids (Kernel::createSpecializedKernel of the ComputeMux compiler
// specification).

// Specialize puts constants in the place of built-ins and arguments that are
// known. Without a specialization there is nothing to do.
func Specialize(f *ssa.Func) {
	k := f.Known
	if k == nil {
		return
	}
	arg := func(v *ssa.Value) *ssa.Value {
		if v.Op == ssa.OpParam {
			if x, ok := k.Arg(v); ok {
				return f.Constant(v.Type, x)
			}
		}
		return v
	}
	for _, blk := range f.Blocks {
		for _, list := range [2][]*ssa.Value{blk.Phis, blk.Insts} {
			for _, v := range list {
				if v.Op == isa.OpBuiltin {
					if x, ok := k.Exact[isa.Builtin(v.Imm)]; ok {
						v.Repl = f.Constant(v.Type, x)
						continue
					}
				}
				for i, a := range v.Args {
					v.Args[i] = arg(a)
				}
			}
		}
		if blk.Cond != nil {
			blk.Cond = arg(blk.Cond)
		}
	}
	f.ReplaceAll()
}
