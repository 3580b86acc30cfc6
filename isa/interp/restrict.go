package interp

import (
	"fmt"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// restricted emits what tells of an access through a pointer parameter, in front of it, in kernels that have one which is
// restrict. Accesses whose pointer is not known to be that of a parameter are not told.
func (d *decoder) restricted(in inst) {
	s := in.src
	switch s.Op {
	case isa.OpLoad, isa.OpStore, isa.OpAtomic:
	default:
		return
	}
	if !d.check || !s.A.IsScalar() {
		return
	}
	any := false
	for i := range d.kernel.Params {
		any = any || d.kernel.Params[i].Restrict
	}
	for _, r := range d.kernel.ParamRegs {
		if any && r.Scalar == s.A.Index() && r.Offset == 0 && d.kernel.Params[r.Param].Kind == isa.ParamGlobal {
			in.fn, in.imm = tellRestrict, uint32(r.Param)
			d.emit(in)
		}
	}
}

func tellRestrict(w *wave, in *inst) {
	r, param, s := w.group.Launch.Restricts, int(in.imm), in.src
	if !r.Follows(param) {
		return
	}
	write := access(s) != memory.AccessRead && (s.Op != isa.OpAtomic || isa.AtomicOp(s.Imm2) != isa.AtomicLoad)
	n := uint64(s.Type.Bytes())
	group := w.group.Linear * isa.MaxGroupItems
	set := w.tmp
	first, found := engine.Fault{Code: finding.Restrict, PC: in.pc}, false
	for k, m := range w.exec {
		set[k] = 0
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			_, p := w.address(s, k, i)
			other, wrote := r.Access(param, p.Offset(), n, write, group+uint64(w.first+k*64+i))
			if other < 0 {
				continue
			}
			if set[k] |= 1 << i; !found {
				found = true
				first.Detail = restrictText(w.code.kernel, param, other, write, wrote)
			}
		}
	}
	if found {
		w.fail(first, set)
	}
}

// restrictText says what a work-item has done through two parameters.
func restrictText(k *isa.Kernel, param, other int, write, wrote bool) string {
	name := func(i int) string {
		n := k.Params[i].Name
		if n == "" {
			n = fmt.Sprintf("parameter %d", i)
		}
		if k.Params[i].Restrict {
			n += ", which is restrict,"
		}
		return n
	}
	verb := map[bool]string{false: "read", true: "written"}
	return fmt.Sprintf("the same memory is %s through %s and was %s through %s before by the same work-item",
		verb[write], name(param), verb[wrote], name(other))
}
