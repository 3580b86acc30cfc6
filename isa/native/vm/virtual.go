package vm

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// EmitVirtual passes the instructions on as they are, with virtual registers, to something that has any number
// of these. The function ends with that.
//
// What [Func.Watch] asks for is in registers of the processor all the same, those that the allocator could
// choose: in front of where control leaves the function, values are copied there, and what may have been
// written is copied back behind.
func (f *Func) EmitVirtual(to Emitter) {
	back := map[amd64.Label]copied{}
	for n := range f.insts {
		i := &f.insts[n]
		switch i.kind {
		case kindWatch:
			operands := f.at(i)
			seen := make([]amd64.Operand, len(operands))
			for k, o := range operands {
				seen[k] = o
				if virtualOf(o) >= 0 {
					seen[k] = f.standIn(o, k)
					f.copy(to, copied{seen[k], o})
				}
			}
			if seen[0] != operands[0] {
				back[i.label] = copied{operands[0], seen[0]}
			}
			f.watchers[i.code](seen)
		case kindBind:
			f.instruct(to, i)
			if c, ok := back[i.label]; ok {
				f.copy(to, c)
			}
		default:
			f.instruct(to, i)
		}
	}
	f.release()
}

// copied is a copy from a register to another one.
type copied struct{ to, from amd64.Operand }

// standIn returns the register with number k among those that the allocator could choose.
func (f *Func) standIn(o amd64.Operand, k int) amd64.Operand {
	file := Vectors
	if _, ok := o.(amd64.Mask); ok {
		file = Masks
	}
	m := f.target.Registers[file]
	for range k {
		m &= m - 1
	}
	return withRegister(o, int8(bits.TrailingZeros32(m)))
}

func (f *Func) copy(to Emitter, c copied) {
	if _, ok := c.to.(amd64.Mask); ok {
		to.V(amd64.KMOVQ, amd64.X, c.to, c.from)
		return
	}
	to.V(amd64.VMOVDQA64, f.target.Width, c.to, c.from)
}
