package lower

import (
	"github.com/lockstep-gpu/lockstep/isa"
)

// A kernel that is compiled for one launch, or for launches that have something
// in common, knows as constants what other kernels read from registers: the sizes
// of the range and its offset, the arguments that are passed by value, and bounds
// of the ids (Kernel::createSpecializedKernel of the ComputeMux compiler
// specification).

// specialize puts constants in the place of built-ins and arguments that are
// known. Without a specialization there is nothing to do.
func specialize(f *fn) {
	k := f.known
	if k == nil {
		return
	}
	arg := func(v *value) *value {
		if v.op == irParam {
			if x, ok := k.arg(v); ok {
				return f.constant(v.typ, x)
			}
		}
		return v
	}
	for _, blk := range f.blocks {
		for _, list := range [2][]*value{blk.phis, blk.insts} {
			for _, v := range list {
				if v.op == isa.OpBuiltin {
					if x, ok := k.value[isa.Builtin(v.imm)]; ok {
						v.repl = f.constant(v.typ, x)
						continue
					}
				}
				for i, a := range v.args {
					v.args[i] = arg(a)
				}
			}
		}
		if blk.cond != nil {
			blk.cond = arg(blk.cond)
		}
	}
	f.replaceAll()
}
