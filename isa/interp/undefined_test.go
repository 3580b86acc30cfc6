package interp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// undefinedProgram is a random straight-line program over numbers of 8 bits, some of whose input bits are undefined.
type undefinedProgram struct {
	*builder
	r      *rand.Rand
	values []isa.Reg // vector and scalar registers with a value
	masks  []isa.Reg // of comparisons
	input  []isa.Reg // scalar registers that are undefined
	loose  []uint64  // the bits of these that the program uses
	memory isa.Reg
	out    isa.Reg
	outs   int
}

var programOps = []struct {
	op isa.Op
	n  int
}{
	{isa.OpMov, 1}, {isa.OpNot, 1}, {isa.OpAnd, 2}, {isa.OpOr, 2}, {isa.OpXor, 2}, {isa.OpAdd, 2}, {isa.OpSub, 2}, {isa.OpNeg, 1},
	{isa.OpAbs, 1}, {isa.OpMul, 2}, {isa.OpMad, 3}, {isa.OpShl, 2}, {isa.OpShrU, 2}, {isa.OpShrS, 2}, {isa.OpRotl, 2},
	{isa.OpMinS, 2}, {isa.OpMaxU, 2}, {isa.OpClz, 1}, {isa.OpPopCount, 1}, {isa.OpBitReverse, 1}, {isa.OpHAddU, 2}, {isa.OpAddSatS, 2},
}

func (p *undefinedProgram) pick(from []isa.Reg) isa.Reg { return from[p.r.IntN(len(from))] }

// step appends an instruction.
func (p *undefinedProgram) step() {
	at := uint32(p.r.IntN(8))
	switch n := p.r.IntN(10); {
	case n == 0:
		i := p.store(isa.I8, isa.SpacePrivate, p.memory, isa.None, isa.IdxNone, 0, p.pick(p.values))
		p.k.Code[i].Disp = int32(at)
	case n == 1:
		d := p.reg(isa.I8)
		i := p.load(isa.I8, isa.SpacePrivate, d, p.memory, isa.None, isa.IdxNone, 0)
		p.k.Code[i].Disp = int32(at)
		p.values = append(p.values, d)
	case n == 2:
		d := p.reg(isa.B1)
		p.op([]isa.Op{isa.OpEq, isa.OpNe, isa.OpLtS, isa.OpLeS, isa.OpLtU, isa.OpLeU}[p.r.IntN(6)], isa.I8, d, p.pick(p.values), p.pick(p.values))
		p.masks = append(p.masks, d)
	case n == 3 && len(p.masks) > 0:
		d := p.reg(isa.I8)
		p.op(isa.OpSelect, isa.I8, d, p.pick(p.masks), p.pick(p.values), p.pick(p.values))
		p.values = append(p.values, d)
	default:
		o := programOps[p.r.IntN(len(programOps))]
		var src []isa.Reg
		for range o.n {
			src = append(src, p.pick(p.values))
		}
		d := p.reg(isa.I8)
		if p.r.IntN(4) == 0 {
			d = p.pick(p.values) // one that has a value already
			if d.IsScalar() {
				d = p.reg(isa.I8)
			}
		}
		p.op(o.op, isa.I8, d, src...)
		p.values = append(p.values, d)
	}
}

func newUndefinedProgram(seed uint64) *undefinedProgram {
	p := &undefinedProgram{builder: newBuilder(), r: rand.New(rand.NewPCG(seed, 1))}
	p.out, p.memory = p.constant(0), p.constant(isa.PointerBits(isa.SpacePrivate, 0))
	p.k.Private = []isa.Alloc{{Name: "m", Size: 8}}
	var keep, set []isa.Reg
	for i := range 3 {
		loose := p.r.Uint64() & p.r.Uint64() & 0xff
		if i == 0 {
			loose &= 0x0f
		}
		p.input, p.loose = append(p.input, p.constant(0)), append(p.loose, loose)
		keep, set = append(keep, p.constant(loose)), append(set, p.constant(p.r.Uint64()&0xff&^loose))
		p.k.Undefined = append(p.k.Undefined, isa.Undefined{Name: fmt.Sprint("u", i)})
		p.k.UndefinedRegs = append(p.k.UndefinedRegs, isa.UndefinedReg{Scalar: p.input[i].Index(), From: i})
	}
	known := p.constant(p.r.Uint64() & 0xff)
	for i := range 3 {
		x, y := p.reg(isa.I8), p.reg(isa.I8)
		p.op(isa.OpAnd, isa.I8, x, p.input[i], keep[i])
		p.op(isa.OpOr, isa.I8, y, x, set[i])
		p.values = append(p.values, y)
	}
	for j := range 8 { // so that all undefined bits are those of the inputs
		i := p.store(isa.I8, isa.SpacePrivate, p.memory, isa.None, isa.IdxNone, 0, p.values[j%3])
		p.k.Code[i].Disp = int32(j)
	}
	p.values = append(p.values, known)
	for range 10 {
		p.step()
	}
	for _, v := range p.values {
		i := p.store(isa.I8, isa.SpaceGlobal, p.out, isa.None, isa.IdxNone, 0, v)
		p.k.Code[i].Disp = int32(p.outs)
		p.outs++
	}
	p.ret()
	return p
}

// eval returns what the program stores for values of the undefined inputs.
func (p *undefinedProgram) eval(inputs []uint64) []uint64 {
	regs := map[isa.Reg]uint64{}
	masks := map[isa.Reg]uint64{}
	for i, x := range p.k.ScalarInit {
		regs[isa.S(i)] = x
	}
	for i, r := range p.input {
		regs[r] = inputs[i]
	}
	var mem [8]uint64
	out := make([]uint64, p.outs)
	for i := range p.k.Code {
		in := &p.k.Code[i]
		switch in.Op {
		case isa.OpRet:
		case isa.OpStore:
			if v := regs[in.C] & 0xff; in.Space == isa.SpaceGlobal {
				out[in.Disp] = v
			} else {
				mem[in.Disp] = v
			}
		case isa.OpLoad:
			regs[in.Dst] = mem[in.Disp]
		case isa.OpSelect:
			regs[in.Dst] = oracle(in, []uint64{masks[in.A], regs[in.B] & 0xff, regs[in.C] & 0xff})
		default:
			x := []uint64{regs[in.A] & 0xff, regs[in.B] & 0xff, regs[in.C] & 0xff}
			if in.Op.Info().Shape == isa.ShapeCompare {
				masks[in.Dst] = oracle(in, x[:2])
				break
			}
			n := 1 + int(in.Op.Info().Shape-isa.ShapeUnary)
			regs[in.Dst] = oracle(in, x[:n])
		}
	}
	return out
}

// TestUndefinedPrograms compares the shadow of what random programs store with what all values of their undefined bits
// give: no bit that differs may be called defined, and few may be called undefined that do not differ.
func TestUndefinedPrograms(t *testing.T) {
	right, more := 0, 0
	for seed := range uint64(150) {
		p := newUndefinedProgram(seed)
		mem := memory.NewGlobal(1 << 20)
		out, err := mem.Alloc("out", 64, false)
		if err != nil {
			t.Fatal(err)
		}
		p.k.ScalarInit[p.out.Index()] = uint64(out)
		l := p.launch(mem, 1)
		l.Origins = &memory.Origins{}
		g := group(t, l)
		g.Report = func(f *engine.Fault) {
			if f.Code != engine.UndefinedStores {
				t.Errorf("seed %d: %s", seed, f.Code)
			}
		}
		if f, _ := runGroup(t, p.compile(t), g, 64); f != nil {
			t.Fatalf("seed %d: %+v", seed, f)
		}
		want := make([]uint64, p.outs)
		first := p.eval([]uint64{0, 0, 0})
		p.each(func(inputs []uint64) {
			for i, x := range p.eval(inputs) {
				want[i] |= x ^ first[i]
			}
		})
		s, at := mem.Lookup(out.Alloc()).Shadow()
		for i := range p.outs {
			got, from := s.Load(at+uint64(i), 1)
			switch {
			case want[i]&^got != 0:
				t.Errorf("seed %d, value %d: undefined are %#x, found %#x\n%s", seed, i, want[i], got, p.k.Text(&isa.Program{}))
			case got != want[i]:
				more++
			case got != 0:
				right++
			}
			if root, stores := l.Origins.Root(from); got != 0 && (root.Kind != memory.OriginValue || len(stores) == 0) {
				t.Errorf("seed %d, value %d: comes from %+v by %d stores", seed, i, root, len(stores))
			}
		}
	}
	t.Logf("%d values exact, %d with more undefined bits than there are", right, more)
	if more > right/2 {
		t.Errorf("%d values have more undefined bits than there are, %d are exact", more, right)
	}
}

// each calls f for all values of the undefined bits.
func (p *undefinedProgram) each(f func([]uint64)) {
	var x [3]uint64
	for {
		f(x[:])
		i := 0
		for ; i < 3; i++ {
			if x[i] = (x[i] - p.loose[i]) & p.loose[i]; x[i] != 0 {
				break
			}
		}
		if i == 3 {
			return
		}
	}
}
