package opt

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// AsyncMarks drops the async marks that no wait counts: those from which no way
// leads to a wait of their sequence before their body is entered anew (AMDGPU
// Asynchronous Operations, "Optimization", 1). A sequence of which nothing
// remains needs no scope either.
func AsyncMarks(f *ssa.Func) {
	if f.KeepMarks {
		return
	}
	m := newMarkFlow(f)
	if m == nil {
		return
	}
	drop := map[*ssa.Value]bool{}
	for seq := range m.ops {
		if !m.begin(seq) {
			break
		}
		rest := 0 // marks and waits that stay
		for _, l := range m.ops[seq] {
			counted := m.ahead[l.blk.RPO] == m.stamp
			for i := len(l.ops) - 1; i >= 0; i-- {
				switch v := l.ops[i]; v.Op {
				case isa.OpAsyncScope:
					counted = false
				case isa.OpAsyncWait:
					counted = true
					rest++
				case isa.OpAsyncMark:
					if counted {
						rest++
					} else {
						drop[v] = true
					}
				}
			}
		}
		if rest > 0 {
			continue
		}
		for _, l := range m.ops[seq] {
			for _, v := range l.ops {
				drop[v] = true
			}
		}
	}
	m.f.Drop(drop)
}
