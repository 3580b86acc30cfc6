package native

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestRemainders takes remainders of floats of all magnitudes, and of those next to multiples.
func TestRemainders(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		n := 40
		if testing.Short() {
			n = 4
		}
		for _, op := range []isa.Op{isa.OpFRem, isa.OpFMod} {
			for _, typ := range []isa.Type{isa.F32, isa.F64} {
				t.Run(fmt.Sprintf("%s.%s", op, typ), func(t *testing.T) {
					p := newProgram()
					a, b := p.load(0, typ), p.load(1, typ)
					d := p.load(bufOut, typ)
					runs := p.load(bufMask, isa.B1)
					p.branch(runs, 1, 2)
					p.emit(isa.Inst{Op: op, Type: typ, Dst: d, A: a, B: b})
					if typ == isa.F32 && op == isa.OpFMod { // with groups of 8 lanes
						wide := p.vector(isa.F64)
						p.emit(isa.Inst{Op: isa.OpFToF, Type: isa.F64, Type2: isa.F32, Dst: wide, A: d})
						p.emit(isa.Inst{Op: isa.OpFToF, Type: isa.F32, Type2: isa.F64, Dst: d, A: wide})
					}
					p.jump(2)
					p.store(d, typ)
					p.emit(isa.Inst{Op: isa.OpRet})
					r := rand.New(rand.NewPCG(uint64(op), uint64(typ)))
					for range n {
						check(t, e, p.k, r, nil, "remainder", func(data *[buffers][]uint64) { remainderData(r, typ, data) })
					}
				})
			}
		}
	})
}

// remainderData gives buffers 0 and 1 dividends and divisors.
func remainderData(r *rand.Rand, t isa.Type, data *[buffers][]uint64) {
	for i := range data[0] {
		switch r.IntN(3) {
		case 0:
			data[0][i], data[1][i] = r.Uint64(), r.Uint64()
		case 1:
			data[1][i] = r.Uint64() >> r.IntN(30)
			k := float64(r.Uint64() >> (12 + r.IntN(50)))
			if t == isa.F32 {
				b := math.Float32frombits(uint32(data[1][i]))
				data[0][i] = uint64(math.Float32bits(float32(float64(b)*k)) + uint32(r.IntN(3)) - 1)
			} else {
				data[0][i] = math.Float64bits(math.Float64frombits(data[1][i])*k) + uint64(r.IntN(3)) - 1
			}
		}
	}
}
