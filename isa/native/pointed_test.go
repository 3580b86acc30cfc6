package native

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// TestPointed runs loads and stores behind pointers of the lanes, to one allocation and to several, inside
// and outside.
func TestPointed(t *testing.T) { each(t, testPointed) }

func testPointed(t *testing.T, e Engine) {
	for _, element := range elements() {
		for _, index := range []isa.IdxType{isa.IdxNone, isa.IdxS32, isa.IdxU32, isa.Idx64} {
			for shape := range 8 {
				t.Run(fmt.Sprint(element, index, shape), func(t *testing.T) {
					for i, disp := range []int32{0, 8, -4} {
						if sampled(t, i*3) || sampled(t, i*3+1) || sampled(t, i*3+2) {
							pointedAccesses(t, e, element, index, shape, disp)
						}
					}
				})
			}
		}
	}
}

func pointedAccesses(t *testing.T, e Engine, element isa.Type, index isa.IdxType, shape int, disp int32) {
	r := rand.New(rand.NewPCG(15, uint64(shape)))
	p := newProgram()
	old := p.load(2, element)
	// Every lane's pointer is one of two, moved.
	at, other, far, move := p.vector(isa.I64), isa.S(0), p.load(3, isa.B1), p.load(1, isa.I64)
	if shape&1 != 0 {
		other = isa.S(bufOut)
	}
	p.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I64, Dst: at, A: far, B: isa.S(bufOut), C: other})
	p.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Space: isa.SpaceGlobal, Dst: at, A: at, B: move, Idx: isa.Idx64, Scale: 4})
	runs := p.load(bufMask, isa.B1)
	p.branch(runs, 1, 2)
	in := isa.Inst{Op: isa.OpLoad, Type: element, Space: isa.SpaceGlobal, A: at, Dst: old, Disp: disp}
	if index != isa.IdxNone {
		in.Idx, in.Scale, in.B = index, 12, p.constant(2)
		if shape&2 != 0 {
			in.B = p.vector(index.Type())
			p.emit(isa.Inst{Op: isa.OpMov, Type: index.Type(), Dst: in.B, A: p.constant(1)})
		}
	}
	if shape&4 != 0 {
		in.Op, in.Dst, in.C = isa.OpStore, isa.None, old
	} else if element == isa.I64 && shape&2 != 0 {
		in.Dst = at // the pointer itself
		old = at
	}
	if !plan.Pointed(&in) || !e.takes(&in) {
		t.Error("no machine code")
	}
	p.emit(in)
	p.jump(2)
	if in.Op == isa.OpLoad {
		p.store(old, element)
	}
	p.emit(isa.Inst{Op: isa.OpRet})
	kinds := map[string]func(r *rand.Rand, i int) uint64{
		"any":    func(r *rand.Rand, _ int) uint64 { return uint64(2 + r.IntN(250)) },
		"end":    func(r *rand.Rand, i int) uint64 { return uint64(2 + i*290/149) },
		"before": func(_ *rand.Rand, i int) uint64 { return uint64(int64(i - 4)) },
		"huge":   func(r *rand.Rand, _ int) uint64 { return r.Uint64() },
	}
	portable, native := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, mixed := range []bool{false, true} {
			checkCode(t, portable, native, p.k, r, nil, fmt.Sprint("displacement ", disp, ", moved ", kind, mixed), func(data *[buffers][]uint64) {
				for i := range lanes {
					data[1][i], data[3][i] = kinds[kind](r, i), 0
					if mixed && i > 100 {
						data[3][i] = 1
					}
				}
			})
		}
	}
}
