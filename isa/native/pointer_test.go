package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
	"github.com/lockstep-gpu/lockstep/memory"
)

// TestPtrAdd moves pointers of every kind, inside of what an offset holds and beyond, by indices of every
// kind.
func TestPtrAdd(t *testing.T) { each(t, testPtrAdd) }

func testPtrAdd(t *testing.T, e Engine) {
	for _, index := range []isa.IdxType{isa.IdxNone, isa.IdxS32, isa.IdxU32, isa.Idx64} {
		for _, scale := range []uint32{1, 2, 12, 4096, 1<<31 - 1, 1 << 31, 1<<32 - 1} {
			for shape := range 4 {
				t.Run(fmt.Sprint(index, scale, shape), func(t *testing.T) {
					r := rand.New(rand.NewPCG(14, uint64(scale)))
					for _, disp := range []int32{0, 8, -1, 1<<31 - 1, -1 << 31} {
						p := newProgram()
						in := isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Space: isa.SpaceGlobal, A: p.load(1, isa.I64), Idx: index, Disp: disp}
						if shape&1 != 0 {
							in.A = p.parameter(0)
						}
						if index != isa.IdxNone {
							in.Scale = scale
							if in.B = p.load(2, index.Type()); shape&2 != 0 {
								in.B = p.parameter(0)
							}
						}
						old := p.load(3, isa.I64)
						runs := p.load(bufMask, isa.B1)
						p.branch(runs, 1, 2)
						in.Dst = old
						if !plan.Movable(&in) || !e.takes(&in) {
							t.Error("no machine code")
						}
						p.emit(in)
						p.jump(2)
						p.store(old, isa.I64)
						p.emit(isa.Inst{Op: isa.OpRet})
						number := func() uint64 {
							switch r.IntN(4) {
							case 0:
								return r.Uint64()
							case 1:
								return uint64(r.IntN(2000) - 1000)
							case 2: // about the ends of what an offset holds
								n := (memory.MaxOffset+1)*int64(r.IntN(3)-1) + int64(r.IntN(9)-4)
								return uint64(n) & (1<<memory.OffsetBits - 1)
							}
							return uint64(memory.MakePointer(memory.SpaceLocal, 7, r.Int64N(1<<20)))
						}
						values := map[int]uint64{}
						for _, x := range []isa.Reg{in.A, in.B} {
							if x.IsScalar() {
								values[x.Index()] = number()
							}
						}
						check(t, e, p.k, r, values, fmt.Sprint("displacement ", disp), func(data *[buffers][]uint64) {
							for i := range lanes {
								data[1][i], data[2][i] = number(), number()
							}
						})
					}
				})
			}
		}
	}
}
