package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// maxOutput is the size of the printf buffer of a work-group, in bytes. A
// printf that does not fit prints nothing and returns -1, as OpenCL C (section
// 6.15.14) has it for a full buffer.
const maxOutput = 1 << 20

// printf prints for the lanes in ascending order.
func printf(w *wave, in *inst) {
	s := in.src
	call := &w.code.kernel.Printfs[s.Imm]
	var values []engine.PrintfValue
	for _, a := range call.Args {
		values = append(values, engine.PrintfValue{Type: a.Type, IsString: a.IsString, Str: a.Str, Bits: make([]uint64, len(a.Regs))})
	}
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			for n, a := range call.Args {
				for j, r := range a.Regs {
					values[n].Bits[j] = w.reg(r, a.Type, k, i)
				}
			}
			result := uint64(0)
			before := len(w.group.Output)
			w.group.Output = engine.AppendPrintf(w.group.Output, call.Format, values)
			if len(w.group.Output) > maxOutput {
				w.group.Output = w.group.Output[:before]
				result = 1<<32 - 1
			}
			if s.Dst != isa.None {
				w.setReg(s.Dst, isa.I32, k, i, result)
			}
		}
	}
}
