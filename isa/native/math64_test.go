package native

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/mathfn"
)

// mathInsts64 is mathInsts for F64.
func mathInsts64(features amd64.Features) []isa.Inst {
	var list []isa.Inst
	for f := range uint32(clmath.NumFuncs) {
		for _, op := range []isa.Op{isa.OpMath1, isa.OpMath2, isa.OpMath3} {
			for _, stored := range []uint32{0, isa.MathStored} {
				in := isa.Inst{Op: op, Type: isa.F64, Imm: f | stored}
				if mathfn.Mathematics64(features, &in) != nil {
					list = append(list, in)
				}
			}
		}
	}
	return list
}

// operands64 returns doubles of all kinds.
func operands64(r *rand.Rand, n int) []float64 {
	list := []float64{math.NaN(), math.Float64frombits(0x7ff0000000000001)}
	for _, v := range []float64{0, 1, 0.6875, 1.375, 0.5, 2, 3, 10, 699.9, 700, 700.1, 706.2, 706.4, 707, 709.7, 709.8, 745, 745.2, 746, 755, 756, 800, 1e300, math.MaxFloat64, math.Inf(1), 0x1p-1022, 0x1p-1074, 0x1p-1023,
		1e-300, 0x1p-54, 0x1p-27, 0x1p-28, 4, 5.95, 5.96, 6, 26, 26.5, 27, 27.2, 27.5, 27.9, 28, math.E, math.Ln2} {
		for _, d := range []float64{0, math.Inf(1), math.Inf(-1)} {
			w := v
			if d != 0 {
				w = math.Nextafter(v, d)
			}
			list = append(list, w, -w)
		}
	}
	for i := range 2100 {
		list = append(list, math.Ldexp(1+r.Float64(), i-1060))
	}
	for len(list) < n {
		switch r.IntN(6) {
		case 5:
			list = append(list, r.Float64()*35-7)
		case 0:
			list = append(list, math.Float64frombits(r.Uint64()))
		case 1:
			list = append(list, r.NormFloat64())
		case 2:
			list = append(list, r.NormFloat64()*250)
		case 3:
			list = append(list, 1+r.NormFloat64()*math.Exp(-30*r.Float64()))
		default:
			list = append(list, math.Exp(r.NormFloat64()*20))
		}
	}
	return list
}

// TestMath64 compares each function of F64 with package clmath.
func TestMath64(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		list := mathInsts64(e.features)
		if len(list) < 30 {
			t.Fatalf("%d functions", len(list))
		}
		for _, in := range list {
			t.Run(mathName(&in), func(t *testing.T) {
				n := amount(1<<13, 1<<15, 1<<18)
				r := rand.New(rand.NewPCG(uint64(in.Imm), 5))
				g := newMathRig(t, e, in, isa.Idx64)
				f := interp.Math64(&in)
				x := [3][]float64{operands64(r, n), operands64(r, n), operands64(r, n)}
				for _, list := range x[1:] {
					r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				}
				for i := range x[0] {
					switch r.IntN(4) {
					case 0:
						x[1][i] = float64(r.IntN(40)-20) / 2
						if r.IntN(2) == 0 {
							x[0][i] = x[1][i]
						}
						x[2][i] = float64(r.IntN(40)-20) / 2
					case 1:
						if g.arity == 2 {
							x[0][i], x[1][i] = float64(r.IntN(1<<r.IntN(30))), float64(r.IntN(9)-1)/2
						}
					case 2:
						x[1][i] = 700 / math.Log(math.Abs(x[0][i])) * (r.Float64() - 0.5) * 2.2
					}
				}
				wrong := 0
				for at := 0; at < n; at += rigLanes {
					for j := range g.arity {
						for i := range rigLanes {
							binary.LittleEndian.PutUint64(g.buffers[j][8*i:], math.Float64bits(x[j][at+i]))
						}
					}
					g.start()
					for i := range rigLanes {
						a, b, y := x[0][at+i], x[1][at+i], x[2][at+i]
						want := math.Float64bits(f(a, b, y))
						if got := binary.LittleEndian.Uint64(g.buffers[3][8*i:]); got != want {
							t.Errorf("%s(%x, %x, %x): got %016x %x, want %016x %x", mathName(&in), a, b, y, got, math.Float64frombits(got), want, math.Float64frombits(want))
							if wrong++; wrong == 10 {
								t.FailNow()
							}
						}
					}
				}
			})
		}
	})
}

// BenchmarkMath64 is BenchmarkMath for F64.
func BenchmarkMath64(b *testing.B) {
	n, err := New()
	if err != nil {
		b.Skip(err)
	}
	for _, in := range mathInsts64(n.features) {
		for _, e := range []engine.Engine{n, interp.Engine{}} {
			b.Run(fmt.Sprintf("%s/%s", mathName(&in), e.Name()), func(b *testing.B) {
				g := newMathRig(b, e, in, isa.Idx64)
				for j := range g.arity {
					for i := range rigLanes {
						binary.LittleEndian.PutUint64(g.buffers[j][8*i:], math.Float64bits(0.1+10*math.Mod(float64(i)*0.6180339887498949, 1)))
					}
				}
				b.ResetTimer()
				for range b.N/rigLanes + 1 {
					g.start()
				}
			})
		}
	}
}
