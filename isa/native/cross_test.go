package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/emitters"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// subgroups are the sizes at which instructions across lanes are tested.
var subgroups = []int{32, 8, 16, 64, 128, 4}

// crossing is an instruction across lanes.
type crossing struct {
	name string
	in   isa.Inst
	// types are those of the operands.
	types []isa.Type
	// lanes is the operand that names lanes, or -1; parts the one that tells parts.
	lanes, parts int
}

// result returns the type of what the instruction writes.
func (x *crossing) result() isa.Type {
	switch x.in.Op {
	case isa.OpBallot, isa.OpMatch:
		return isa.I32
	case isa.OpVote, isa.OpElect:
		return isa.B1
	}
	return x.in.Type
}

// crossingList lists every instruction across lanes that there is.
func crossingList() []*crossing {
	var list []*crossing
	add := func(in isa.Inst, lanes, parts int, types ...isa.Type) {
		name := fmt.Sprintf("%s.%s/%d/%d", in.Op.Info().Name, in.Type, in.Imm, in.Scale)
		if in.Op == isa.OpScan {
			kind, op := in.ScanOf()
			name = fmt.Sprintf("scan.%s/%s/%s/%d", in.Type, kind, op, in.Scale)
			if parts >= 0 {
				name += "/parts"
			}
		}
		list = append(list, &crossing{name, in, types, lanes, parts})
	}
	for _, t := range []isa.Type{isa.B1, isa.I8, isa.I16, isa.I32, isa.I64, isa.F16, isa.F32, isa.F64} {
		add(isa.Inst{Op: isa.OpShuffle, Type: t}, 1, -1, t, isa.I32)
		add(isa.Inst{Op: isa.OpShuffle2, Type: t}, 2, -1, t, t, isa.I32)
		add(isa.Inst{Op: isa.OpBroadcastFirst, Type: t}, -1, -1, t)
		add(isa.Inst{Op: isa.OpVote, Type: t, Imm: uint32(isa.VoteAllEqual)}, -1, -1, t)
		if !t.IsFloat() {
			for word := range uint32(isa.MaxBallotWords) {
				add(isa.Inst{Op: isa.OpMatch, Type: t, Imm: word}, -1, -1, t)
			}
		}
		for op := range isa.NumScanOps {
			if !op.Types().Has(t) {
				continue
			}
			for kind := range isa.NumScanKinds {
				for _, cluster := range []uint32{0, 1 << ((int(op) + int(kind)) % 7)} {
					add(isa.Inst{Op: isa.OpScan, Type: t, Imm: isa.ScanImm(kind, op), Scale: cluster}, -1, -1, t)
				}
				add(isa.Inst{Op: isa.OpScan, Type: t, Imm: isa.ScanImm(kind, op)}, -1, 1, t, isa.I32)
			}
		}
	}
	for word := range uint32(isa.MaxBallotWords) {
		add(isa.Inst{Op: isa.OpBallot, Type: isa.B1, Imm: word}, -1, -1, isa.B1)
	}
	add(isa.Inst{Op: isa.OpVote, Type: isa.B1, Imm: uint32(isa.VoteAll)}, -1, -1, isa.B1)
	add(isa.Inst{Op: isa.OpVote, Type: isa.B1, Imm: uint32(isa.VoteAny)}, -1, -1, isa.B1)
	add(isa.Inst{Op: isa.OpElect, Type: isa.B1}, -1, -1)
	return list
}

// emit adds the instruction to a program, with operands that operand returns.
func (x *crossing) emit(p *program, operand func(i int, t isa.Type) isa.Reg, dst isa.Reg, flags isa.Flags) {
	in := x.in
	for i, r := range []*isa.Reg{&in.A, &in.B, &in.C}[:len(x.types)] {
		*r = operand(i, x.types[i])
	}
	in.Dst, in.Flags = dst, flags
	p.emit(in)
}

// inside makes lanes of what a register holds: those of r & most.
func (p *program) inside(r, most isa.Reg) isa.Reg {
	d := p.vector(isa.I32)
	p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: d, A: r, B: most})
	return d
}

// TestAcross runs each instruction across lanes at each sub-group size, on every kind of operands and under
// several execution masks, on this engine and on package interp.
func TestAcross(t *testing.T) { each(t, testAcross) }

func testAcross(t *testing.T, e Engine) {
	taken := map[isa.Op]bool{}
	for _, x := range crossingList() {
		taken[x.in.Op] = taken[x.in.Op] || emitters.Find(e.features, &x.in) != nil
		t.Run(x.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, uint64(x.in.Op)))
			for _, n := range subgroups {
				if r.IntN(3) != 0 || r.IntN(amount(6, 5, 1)) != 0 {
					continue
				}
				// Bit i of shape: operand i is scalar. What is above says which operand the destination is,
				// or none.
				for shape := range 1 << len(x.types) {
					x.test(t, e, r, n, shape, r.IntN(4))
				}
			}
		})
	}
	for _, op := range []isa.Op{isa.OpShuffle, isa.OpShuffle2, isa.OpBallot, isa.OpVote, isa.OpElect, isa.OpBroadcastFirst, isa.OpScan} {
		if !taken[op] && e.features&amd64.AVX512 != 0 {
			t.Errorf("no machine code for %s", op)
		}
	}
}

func (x *crossing) test(t *testing.T, e Engine, r *rand.Rand, n, shape, alias int) {
	p := newProgram()
	values := map[int]uint64{}
	parameter := func(v uint64) isa.Reg {
		s := p.parameter(v)
		values[s.Index()] = v
		return s
	}
	regs := make([]isa.Reg, len(x.types))
	for i, t := range x.types {
		limit := [...]uint64{uint64(n - 1), uint64(2*n - 1), 255, 1<<32 - 1}[r.IntN(4)]
		if i == x.parts || x.in.Op == isa.OpMatch || x.in.Op == isa.OpVote {
			limit = [...]uint64{0, 1, 3, 1<<32 - 1}[r.IntN(4)]
		}
		switch small := i == x.lanes || i == x.parts || (x.in.Op == isa.OpMatch || x.in.Op == isa.OpVote) && t == isa.I32; {
		case shape>>i&1 != 0:
			v := random(r)
			if bits := t.Bits(); bits < 64 {
				v &= 1<<bits - 1
			}
			if small {
				v &= limit
			}
			regs[i] = parameter(v)
		case small:
			regs[i] = p.inside(p.load(i, t), parameter(limit))
		default:
			regs[i] = p.load(i, t)
		}
	}
	out := x.result()
	dst := p.load(bufOut, out)
	if alias < len(regs) && regs[alias].IsVector() && x.types[alias].Bank() == out.Bank() {
		dst = regs[alias]
	}
	p.branch(p.load(bufMask, isa.B1), 1, 2)
	x.emit(p, func(i int, _ isa.Type) isa.Reg { return regs[i] }, dst, 0)
	p.jump(2)
	if x86.Narrow(out) {
		p.storeNarrow(dst, out)
	} else {
		p.store(dst, out)
	}
	p.emit(isa.Inst{Op: isa.OpRet})
	compareSubgroups(t, e, p.k, r, values, n, fmt.Sprintf("%s, shape %b, alias %d", x.name, shape, alias))
}

// storeNarrow writes elements of 8 or 16 bits to the results.
func (p *program) storeNarrow(r isa.Reg, t isa.Type) {
	wide := p.vector(isa.I32)
	p.emit(isa.Inst{Op: isa.OpZExt, Type: isa.I32, Type2: isa.IntOf(t.Bits()), Dst: wide, A: r})
	p.store(wide, isa.I32)
}

// compareSubgroups runs a kernel with sub-groups of n lanes under each of masks on both engines.
func compareSubgroups(t *testing.T, e Engine, k *isa.Kernel, r *rand.Rand, values map[int]uint64, n int, what string) {
	t.Helper()
	portable, native := compile(t, interp.Engine{}, k), compile(t, e, k)
	for _, lanesOf := range masks {
		data := contents(r)
		for i := range data[bufMask] {
			data[bufMask][i] = 0
			if lanesOf.running(r, i) {
				data[bufMask][i] = 1
			}
		}
		want, got := runSubgroups(t, portable, k, data, values, n), runSubgroups(t, native, k, data, values, n)
		if want.Counters != got.Counters || want.Fault != got.Fault {
			t.Fatalf("%s, sub-groups of %d, mask %s: %+v %v, package interp %+v %v", what, n, lanesOf.name, got.Counters, got.Fault, want.Counters, want.Fault)
		}
		for i, v := range want.Out {
			if got.Out[i] != v {
				t.Fatalf("%s, sub-groups of %d, mask %s: buffer %d, lane %d: %#x, package interp has %#x", what, n, lanesOf.name, i/lanes, i%lanes, got.Out[i], v)
			}
		}
	}
}

// TestRandomAcross runs random programs in which instructions across lanes stand among others.
func TestRandomAcross(t *testing.T) { each(t, testRandomAcross) }

func testRandomAcross(t *testing.T, e Engine) {
	list, across := choices(), crossingList()
	for seed := range amount(30, 60, 150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a := &author{program: newProgram(), Rand: rand.New(rand.NewPCG(uint64(seed), 4)), lasting: map[isa.Type][]isa.Reg{}}
			n := subgroups[a.IntN(len(subgroups))]
			for i := range 4 {
				a.scalars = append(a.scalars, a.constant(uint64(i&1)))
			}
			for _, b := range bankTypes {
				for i := range 1 + a.IntN(25) {
					a.lasting[b] = append(a.lasting[b], a.load(i%4, b))
				}
			}
			a.small = a.constant(127)
			most := a.constant(uint64(2*n - 1))
			a.branch(a.load(bufMask, isa.B1), 1, 2)
			a.body(list, a.IntN(10))
			for range 1 + a.IntN(20) {
				a.more(list, a.IntN(10))
				if a.IntN(2) == 0 {
					in := isa.Inst{Op: isa.OpBuiltin, Type: isa.I32, Imm: uint32(isa.BuiltinSubgroupLocalID)}
					a.result(&in, isa.I32)
					a.emit(in)
				}
				for range a.IntN(4) {
					x := across[a.IntN(len(across))]
					var dst isa.Inst
					a.result(&dst, x86.TypeOf(x.result().Bank()))
					a.crossing(x, dst.Dst, dst.Flags, most)
				}
			}
			a.jump(2)
			a.digest()
			a.emit(isa.Inst{Op: isa.OpRet})
			compareSubgroups(t, e, a.k, a.Rand, nil, n, "random")
		})
	}
}

// crossing emits an instruction across lanes; most of the lanes that it names are in the sub-group.
func (a *author) crossing(x *crossing, dst isa.Reg, flags isa.Flags, most isa.Reg) {
	var named isa.Reg
	if x.lanes >= 0 || x.parts >= 0 {
		named = a.operand(isa.I32)
		if a.IntN(4) != 0 && named.IsVector() {
			named = a.inside(named, most)
		}
	}
	x.emit(a.program, func(i int, t isa.Type) isa.Reg {
		if i == x.lanes || i == x.parts {
			return named
		}
		return a.operand(x86.TypeOf(t.Bank()))
	}, dst, flags)
}
