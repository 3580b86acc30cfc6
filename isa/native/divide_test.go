package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

var divisionOps = []isa.Op{isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS}

// divisors are those of which something is known when the kernel is compiled: powers of two, and
// numbers for which reciprocals are hard.
var divisors = []uint64{1, 2, 3, 5, 6, 7, 10, 11, 25, 60, 64, 100, 125, 127, 128, 255, 256, 641, 1000, 4095, 4096, 32767, 32768, 65535, 65536, 1000003, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1,
	1<<32 - 5, 1 << 32, 1<<32 + 1, 1e9 + 7, 1e18, 1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1, ^uint64(0), ^uint64(0) - 1, ^uint64(0) - 2, ^uint64(0) - 9, ^uint64(0) - 63, 0x8000000000000003}

// cut returns the number that a value has as an element of a type.
func cut(v uint64, t isa.Type) uint64 { return v << (64 - t.Bits()) >> (64 - t.Bits()) }

// divisor returns a number that is not 0 in a type.
func divisor(r *rand.Rand, t isa.Type) uint64 {
	for {
		v := random(r)
		switch r.IntN(4) {
		case 0:
			v = divisors[r.IntN(len(divisors))]
		case 1:
			v = r.Uint64() >> r.IntN(64)
		}
		if cut(v, t) != 0 {
			return v
		}
	}
}

// divisionData gives buffer 0 dividends and buffer 1 divisors, or those of by if that is not 0.
// Many dividends are next to multiples.
func divisionData(r *rand.Rand, t isa.Type, by uint64) func(*[buffers][]uint64) {
	return func(data *[buffers][]uint64) {
		for i := range data[0] {
			data[1][i] = divisor(r, t)
			b := data[1][i]
			if by != 0 {
				b = by
			}
			switch r.IntN(3) {
			case 0:
				data[0][i] = r.Uint64() >> r.IntN(64)
			case 1:
				data[0][i] = cut(r.Uint64()>>r.IntN(64)/max(cut(b, t), 1)*cut(b, t)+uint64(r.IntN(3))-1, t)
			}
		}
	}
}

// TestDivisions divides by vectors, by scalars and by constants.
func TestDivisions(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		n := amount(2, 6, 12)
		for _, op := range divisionOps {
			for _, typ := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
				t.Run(fmt.Sprintf("%s.%s", op, typ), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(op), uint64(typ)))
					for range n {
						testDivision(t, e, op, typ, r, 0, func(p *program, in *isa.Inst, values map[int]uint64) {})
						by := cut(divisor(r, typ), typ)
						testDivision(t, e, op, typ, r, by, func(p *program, in *isa.Inst, values map[int]uint64) {
							in.B = p.parameter(by)
							values[in.B.Index()] = by
						})
					}
					for i, by := range divisors {
						if testing.Short() && i%4 != 0 {
							continue
						}
						if by = cut(by, typ); by != 0 {
							testDivision(t, e, op, typ, r, by, func(p *program, in *isa.Inst, values map[int]uint64) { in.B = p.constant(by) })
						}
					}
				})
			}
		}
	})
}

// testDivision divides in the lanes of each mask, with an instruction that change has changed.
func testDivision(t *testing.T, e Engine, op isa.Op, typ isa.Type, r *rand.Rand, by uint64, change func(*program, *isa.Inst, map[int]uint64)) {
	p := newProgram()
	values := map[int]uint64{}
	in := isa.Inst{Op: op, Type: typ, A: p.load(0, typ), B: p.load(1, typ)}
	change(p, &in, values)
	in.Dst = p.load(bufOut, typ)
	runs := p.load(bufMask, isa.B1)
	p.branch(runs, 1, 2)
	if r.IntN(2) == 0 {
		p.halve()
	}
	p.emit(in)
	p.jump(2)
	p.store(in.Dst, typ)
	p.emit(isa.Inst{Op: isa.OpRet})
	check(t, e, p.k, r, values, fmt.Sprintf("by %#x", by), divisionData(r, typ, by))
}

// TestDivideByZero has divisors of 0 in some lanes, in runs that change what they read.
func TestDivideByZero(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		for _, typ := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
			for kind, emit := range map[string]func(p *program, a, b, one isa.Reg){
				"dividend": func(p *program, a, b, _ isa.Reg) {
					p.emit(isa.Inst{Op: isa.OpDivU, Type: typ, Dst: a, A: a, B: b})
				},
				"divisor": func(p *program, a, b, _ isa.Reg) {
					p.emit(isa.Inst{Op: isa.OpRemS, Type: typ, Dst: b, A: a, B: b})
				},
				"computed": func(p *program, a, b, one isa.Reg) {
					c := p.vector(typ)
					p.emit(isa.Inst{Op: isa.OpAdd, Type: typ, Dst: a, A: a, B: one})
					p.emit(isa.Inst{Op: isa.OpMul, Type: typ, Dst: c, A: b, B: one})
					p.emit(isa.Inst{Op: isa.OpDivU, Type: typ, Dst: a, A: a, B: c})
				},
				"twice": func(p *program, a, b, one isa.Reg) {
					c := p.vector(typ)
					p.emit(isa.Inst{Op: isa.OpAdd, Type: typ, Dst: a, A: a, B: one})
					p.emit(isa.Inst{Op: isa.OpDivS, Type: typ, Dst: c, A: a, B: b})
					p.emit(isa.Inst{Op: isa.OpRemU, Type: typ, Dst: a, A: c, B: b})
					p.emit(isa.Inst{Op: isa.OpAdd, Type: typ, Dst: b, A: b, B: one})
				},
				"counted": func(p *program, a, b, one isa.Reg) {
					p.emit(isa.Inst{Op: isa.OpAdd, Type: typ, Dst: b, A: b, B: one})
					p.emit(isa.Inst{Op: isa.OpDivU, Type: typ, Dst: a, A: a, B: b})
				},
				"before a scalar": func(p *program, a, b, one isa.Reg) {
					s := p.constant(7)
					p.emit(isa.Inst{Op: isa.OpSub, Type: typ, Dst: s, A: one, B: one})
					p.emit(isa.Inst{Op: isa.OpRemU, Type: typ, Dst: p.vector(typ), A: a, B: b})
					p.emit(isa.Inst{Op: isa.OpDivU, Type: typ, Dst: s, A: one, B: s})
					p.emit(isa.Inst{Op: isa.OpAdd, Type: typ, Dst: a, A: b, B: s})
				},
				"scalar": func(p *program, a, b, one isa.Reg) {
					s := p.constant(7)
					p.emit(isa.Inst{Op: isa.OpSub, Type: typ, Dst: s, A: one, B: one})
					p.emit(isa.Inst{Op: isa.OpAdd, Type: typ, Dst: a, A: a, B: one})
					p.emit(isa.Inst{Op: isa.OpModS, Type: typ, Dst: a, A: a, B: s})
				},
			} {
				t.Run(fmt.Sprintf("%s.%s", kind, typ), func(t *testing.T) {
					r := rand.New(rand.NewPCG(uint64(typ), 3))
					for zeros := range 3 {
						p := newProgram()
						a, b := p.load(0, typ), p.load(1, typ)
						one := p.constant(1)
						runs := p.load(bufMask, isa.B1)
						p.branch(runs, 1, 2)
						emit(p, a, b, one)
						p.jump(2)
						sum := p.vector(typ)
						p.emit(isa.Inst{Op: isa.OpXor, Type: typ, Dst: sum, A: a, B: b})
						p.store(sum, typ)
						p.emit(isa.Inst{Op: isa.OpRet})
						check(t, e, p.k, r, nil, fmt.Sprintf("%d zeros", zeros), func(data *[buffers][]uint64) {
							divisionData(r, typ, 0)(data)
							for i := range zeros * 4 {
								data[1][r.IntN(lanes)] = -uint64(i % 3) // divisors of 0, once or when they have been counted up
							}
						})
					}
				})
			}
		}
	})
}
