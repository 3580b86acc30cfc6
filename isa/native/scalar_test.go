package native

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestScalars runs each instruction on scalars, many times in a kernel that adds up the results.
func TestScalars(t *testing.T) { each(t, testScalars) }

func testScalars(t *testing.T, e Engine) {
	r := rand.New(rand.NewPCG(5, 6))
	nothing := func(*[buffers][]uint64) {}
	times := 60
	if testing.Short() {
		times = 15
	}
	instructions(func(name string, in isa.Inst, types [4]isa.Type, n int) {
		p := newProgram()
		values := map[int]uint64{}
		prime, sum := p.constant(0x9e3779b97f4a7c15), p.vector(isa.I64)
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: sum, A: prime})
		for i := range times {
			x := in
			for j, reg := range []*isa.Reg{&x.A, &x.B, &x.C, &x.D}[:n] {
				v := random(r)
				if bits := types[j].Bits(); bits < 64 {
					v &= 1<<bits - 1
				}
				switch in.Op {
				case isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS:
					if j == 1 && v == 0 && i < times-1 {
						v = 1<<min(types[j].Bits(), 63) - 1
					}
				}
				*reg = p.parameter(v)
				values[reg.Index()] = v
			}
			x.Dst = p.constant(0)
			p.emit(x)
			p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I64, Dst: sum, A: sum, B: prime, C: x.Dst})
		}
		p.store(sum, isa.I64)
		p.emit(isa.Inst{Op: isa.OpRet})
		check(t, e, p.k, r, values, name, nothing)
	})
}

// TestScalarMemory loads scalars and moves pointers: inside allocations, at their ends and outside of them.
func TestScalarMemory(t *testing.T) { each(t, testScalarMemory) }

func testScalarMemory(t *testing.T, e Engine) {
	r := rand.New(rand.NewPCG(7, 8))
	nothing := func(*[buffers][]uint64) {}
	rounds := 300
	if testing.Short() {
		rounds = 60
	}
	for round := range rounds {
		p := newProgram()
		values := map[int]uint64{}
		prime, sum := p.constant(0x9e3779b97f4a7c15), p.vector(isa.I64)
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: sum, A: prime})
		moved := p.constant(0)
		types := []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64, isa.F16, isa.F32, isa.F64}
		for i := range 8 {
			in := isa.Inst{Op: isa.OpLoad, Type: types[r.IntN(len(types))], Space: []isa.Space{isa.SpaceGlobal, isa.SpaceGeneric}[r.IntN(2)], A: isa.S(r.IntN(4)), Dst: p.constant(0)}
			if i > 0 && r.IntN(3) == 0 {
				in.A = moved
			}
			if in.Idx = isa.IdxType(r.IntN(4)); in.Idx != isa.IdxNone {
				v := uint64(r.IntN(lanes / 2))
				if r.IntN(8) == 0 {
					v = uint64(-r.IntN(20))
				}
				if in.Idx != isa.Idx64 {
					v = uint64(uint32(v))
				}
				in.B, in.Scale = p.parameter(v), uint32(1+r.IntN(8))
				values[in.B.Index()] = v
			}
			in.Disp = int32(r.IntN(lanes))
			switch r.IntN(40) {
			case 0:
				in.Disp = lanes*8 - int32(in.Type.Bytes())
			case 1:
				in.Disp = lanes*8 - int32(in.Type.Bytes()) + 1
			case 2:
				in.Disp = -1
			}
			if r.IntN(3) == 0 {
				in.Op, in.Type, in.Space, in.Dst = isa.OpPtrAdd, isa.I64, 0, moved
				if in.Idx == isa.Idx64 && r.IntN(4) == 0 {
					values[in.B.Index()] = 1 << (36 + r.IntN(28))
				}
			}
			p.emit(in)
			p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I64, Dst: sum, A: sum, B: prime, C: in.Dst})
			if in.Op == isa.OpPtrAdd {
				d := p.constant(0)
				p.emit(isa.Inst{Op: isa.OpPtrDiff, Type: isa.I64, Dst: d, A: moved, B: in.A})
				p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I64, Dst: sum, A: sum, B: prime, C: d})
			}
		}
		p.store(sum, isa.I64)
		p.emit(isa.Inst{Op: isa.OpRet})
		if err := p.k.Verify(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		check(t, e, p.k, r, values, "scalar memory", nothing)
	}
}

// TestBuiltins reads every built-in, as scalars and in lanes, in both sizes.
func TestBuiltins(t *testing.T) { each(t, testBuiltins) }

func testBuiltins(t *testing.T, e Engine) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, typ := range []isa.Type{isa.I32, isa.I64} {
		for b := range isa.NumBuiltins {
			p := newProgram()
			x := p.vector(typ)
			p.emit(isa.Inst{Op: isa.OpBuiltin, Type: typ, Dst: x, Imm: uint32(b)})
			if !b.PerLane() {
				s := p.constant(0)
				p.emit(isa.Inst{Op: isa.OpBuiltin, Type: typ, Dst: s, Imm: uint32(b)})
				p.emit(isa.Inst{Op: isa.OpMad, Type: typ, Dst: x, A: x, B: p.constant(1000), C: s})
			}
			p.store(x, typ)
			p.emit(isa.Inst{Op: isa.OpRet})
			check(t, e, p.k, r, nil, b.String()+"."+typ.String(), func(*[buffers][]uint64) {})
		}
	}
}
