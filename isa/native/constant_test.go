package native

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestConstants multiplies and divides by constants that have code of their own.
func TestConstants(t *testing.T) {
	integers := []uint64{0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 127, 128, 129, 255, 256, 1<<16 - 1, 1 << 16, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, ^uint64(0), ^uint64(0) - 1}
	var singles, doubles []uint64
	for _, f := range []float64{1, -1, 2, 0.5, -4, 1024, 3, 0x1p126, 0x1p127, -0x1p-126, 0x1p-127, 0x1p-149, 0x1p1022, 0x1p1023, 0x1p-1022, -0x1p-1023, 0x1p-1074, 0, math.Inf(-1), math.NaN()} {
		singles = append(singles, uint64(math.Float32bits(float32(f))))
		doubles = append(doubles, math.Float64bits(f))
	}
	each(t, func(t *testing.T, e Engine) {
		run := func(op isa.Op, typ isa.Type, n uint64) {
			r := rand.New(rand.NewPCG(uint64(op), n))
			for first := range 2 {
				p := newProgram()
				in := isa.Inst{Op: op, Type: typ, A: p.load(0, typ), B: p.load(1, typ)}
				if op == isa.OpMad {
					in.C = p.load(2, typ)
				}
				*[]*isa.Reg{&in.A, &in.B}[first] = p.constant(cut(n, typ))
				in.Dst = p.load(bufOut, typ)
				runs := p.load(bufMask, isa.B1)
				p.branch(runs, 1, 2)
				p.emit(in)
				p.jump(2)
				p.store(in.Dst, typ)
				p.emit(isa.Inst{Op: isa.OpRet})
				check(t, e, p.k, r, nil, fmt.Sprintf("%s.%s by %#x", op, typ, n), func(*[buffers][]uint64) {})
			}
		}
		for _, typ := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
			for i, n := range integers {
				if !testing.Short() || i%4 == 0 {
					run(isa.OpMul, typ, n)
					run(isa.OpMad, typ, n)
				}
			}
		}
		for i := range singles {
			run(isa.OpFDiv, isa.F32, singles[i])
			run(isa.OpFDiv, isa.F64, doubles[i])
		}
	})
}
