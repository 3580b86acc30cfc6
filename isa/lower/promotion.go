package lower

import (
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
)

// promote turns private variables, or the parts of them that are only ever
// loaded and stored at constant offsets, into SSA values. Code at -O0 keeps
// everything in such variables.
func promote(b *build.Builder) {
	f := b.Func
	slots := opt.FindSlots(f, b.Kernel.Private)
	if len(slots) == 0 {
		return
	}
	for i := range slots {
		slots[i].Start = startOf(b, &slots[i])
	}
	b.StartLifetimes(slots)
	f.Simplified = false
	f.Need(ssa.AnalysisDominators)
	opt.PromoteSlots(f, slots)
	b.DropLifetimes(slots)
	b.JoinPointers()
}

// startOf returns what a slot holds before the first store: bytes of a parameter, or what is undefined.
func startOf(b *build.Builder, s *opt.Slot) *ssa.Value {
	f, a := b.Func, &b.Kernel.Private[s.Index]
	if a.Param == 0 {
		return b.UndefinedPart(s.Type, int(s.Index), uint64(s.Offset), uint64(s.Type.Bytes()))
	}
	p := f.NewValue(ssa.OpParam, s.Type, s.Type)
	p.Index, p.Imm = int32(a.Param-1), uint64(s.Offset)
	if f.Known != nil {
		if x, ok := f.Known.Arg(p); ok {
			return f.Constant(s.Type, x)
		}
	}
	return p
}
