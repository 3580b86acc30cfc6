package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestLogical chooses between booleans that are constants, parameters and registers, in lanes of 32 and of 64
// bits.
func TestLogical(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		r := rand.New(rand.NewPCG(3, 5))
		for _, wide := range []bool{false, true} {
			for yes := range 5 {
				for no := range 5 {
					p := newProgram()
					values := map[int]uint64{}
					boolean := func(kind int) isa.Reg {
						switch {
						case kind < 2:
							return p.constant(uint64(kind))
						case kind < 4:
							s := p.parameter(0)
							values[s.Index()] = uint64(kind - 2)
							return s
						}
						return p.load(2, isa.B1)
					}
					a, m := p.load(0, isa.B1), p.vector(isa.B1)
					if wide {
						p.halve()
						x := p.load(1, isa.I64)
						p.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I64, Dst: a, A: x, B: p.constant(0)})
					}
					p.emit(isa.Inst{Op: isa.OpSelect, Type: isa.B1, Dst: m, A: a, B: boolean(yes), C: boolean(no)})
					p.store(m, isa.B1)
					p.emit(isa.Inst{Op: isa.OpRet})
					check(t, e, p.k, r, values, fmt.Sprintf("%d or %d, wide %v", yes, no, wide), func(*[buffers][]uint64) {})
				}
			}
		}
	})
}
