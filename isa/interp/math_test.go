package interp

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/clmath"
	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// TestMath checks that each function of isa/clmath gets its operands in order,
// whatever registers they are in, and that other lanes keep their values.
func TestMath(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for f := range clmath.NumFuncs {
		for n, op := range []isa.Op{isa.OpMath1, isa.OpMath2, isa.OpMath3} {
			for _, typ := range []isa.Type{isa.F32, isa.F64} {
				call := mathOracle(f, n+1, typ)
				if call == nil {
					continue
				}
				for shape := range 2 << n {
					testMath(t, r, isa.Inst{Op: op, Type: typ, Imm: uint32(f)}, n+1, shape, call)
				}
			}
		}
	}
}

// mathOracle returns function f on bits, or nil.
func mathOracle(f, n int, typ isa.Type) func(x []uint64) uint64 {
	a32 := func(x uint64) float32 { return math.Float32frombits(uint32(x)) }
	b32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	a64, b64 := math.Float64frombits, math.Float64bits
	switch {
	case n == 1 && typ == isa.F32 && clmath.Unary32[f] != nil:
		return func(x []uint64) uint64 { return b32(clmath.Unary32[f](a32(x[0]))) }
	case n == 2 && typ == isa.F32 && clmath.Binary32[f] != nil:
		return func(x []uint64) uint64 { return b32(clmath.Binary32[f](a32(x[0]), a32(x[1]))) }
	case n == 3 && typ == isa.F32 && clmath.Ternary32[f] != nil:
		return func(x []uint64) uint64 { return b32(clmath.Ternary32[f](a32(x[0]), a32(x[1]), a32(x[2]))) }
	case n == 1 && typ == isa.F64 && clmath.Unary64[f] != nil:
		return func(x []uint64) uint64 { return b64(clmath.Unary64[f](a64(x[0]))) }
	case n == 2 && typ == isa.F64 && clmath.Binary64[f] != nil:
		return func(x []uint64) uint64 { return b64(clmath.Binary64[f](a64(x[0]), a64(x[1]))) }
	case n == 3 && typ == isa.F64 && clmath.Ternary64[f] != nil:
		return func(x []uint64) uint64 { return b64(clmath.Ternary64[f](a64(x[0]), a64(x[1]), a64(x[2]))) }
	}
	return nil
}

func testMath(t *testing.T, r *rand.Rand, in isa.Inst, n, shape int, call func(x []uint64) uint64) {
	t.Helper()
	const lanes = 70
	o := opTest{in: in, types: same4(in.Type, n), dst: in.Type, shape: shape}
	k, in := o.kernel()
	c, err := Engine{}.Compile(&isa.Program{}, k)
	if err != nil {
		t.Fatal(err)
	}
	w := c.NewWave(lanes).(*wave)
	w.Start(&engine.Group{Launch: &engine.Launch{Kernel: k, Scalars: k.ScalarInit}, Size: [3]uint32{lanes, 1, 1}}, 0, lanes)
	regs := []isa.Reg{in.A, in.B, in.C}[:n]
	for lane := range lanes {
		w.setReg(isa.V(0), isa.B1, lane/64, lane%64, boolBit(lane%3 != 1))
		w.setReg(in.Dst, in.Type, lane/64, lane%64, 42)
		for _, reg := range regs {
			if reg.IsVector() || lane == 0 {
				w.setReg(reg, in.Type, lane/64, lane%64, sample(r, in.Type))
			}
		}
	}
	if s := w.Run(0); s != engine.StopDone {
		t.Fatal(s, w.Fault())
	}
	for lane := range lanes {
		want := uint64(42)
		if lane%3 != 1 {
			var x []uint64
			for _, reg := range regs {
				x = append(x, w.reg(reg, in.Type, lane/64, lane%64))
			}
			want = call(x)
		}
		if got := w.reg(in.Dst, in.Type, lane/64, lane%64); got != want {
			t.Fatalf("%s (%s): lane %d: %#x, want %#x", k.InstText(&in), clmath.Func(in.Imm), lane, got, want)
		}
	}
}

// TestCompileErrors tries kernels that the engine does not take.
func TestCompileErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		want error
		make func(b *builder)
	}{
		{"unknown function", isa.ErrMalformed, func(b *builder) {
			x := b.reg(isa.F32)
			b.emit(isa.Inst{Op: isa.OpMath1, Type: isa.F32, Dst: x, A: x, Imm: uint32(clmath.FuncPow)})
		}},
		{"function number", isa.ErrMalformed, func(b *builder) {
			x := b.reg(isa.F64)
			b.emit(isa.Inst{Op: isa.OpMath2, Type: isa.F64, Dst: x, A: x, B: x, Imm: 1 << 31})
		}},
		{"register", isa.ErrMalformed, func(b *builder) { b.op(isa.OpMov, isa.I32, isa.V(5), isa.V(6)) }},
		{"registers", ErrTooLarge, func(b *builder) { b.k.NumVector[isa.Bank64] = 1 << 30 }},
		{"private variable", ErrTooLarge, func(b *builder) { b.k.Private = []isa.Alloc{{Size: 1 << 62}} }},
		{"private variables", ErrTooLarge, func(b *builder) { b.k.Private = []isa.Alloc{{Size: 10 << 20}, {Size: 10 << 20}} }},
	} {
		b := newBuilder()
		c.make(b)
		b.ret()
		if _, err := (Engine{}).Compile(&isa.Program{}, b.k); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.name, err, c.want)
		}
	}
}
