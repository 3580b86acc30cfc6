package native

import (
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// flatAuthor makes random loops through rows.
type flatAuthor struct {
	*program
	*rand.Rand
	at, end   isa.Reg
	sums      []isa.Reg // live from trip to trip, and behind the loop
	temporary []isa.Reg // of use to lanes that are not in the loop
	known     []isa.Reg // what depends on the element alone
}

// flatProgram returns a kernel in which some lanes go through rows, and the others keep what they have meanwhile.
func flatProgram(r *rand.Rand) *isa.Kernel {
	a := &flatAuthor{program: newProgram(), Rand: r}
	a.at, a.end = a.load(1, isa.I32), a.load(2, isa.I32)
	for i := range 2 {
		a.sums = append(a.sums, a.load(3+2*i, isa.I32))
	}
	for i := range 3 {
		a.temporary = append(a.temporary, a.load(3+i%2*2, isa.I32))
	}
	a.branch(a.load(bufMask, isa.B1), 1, 3)
	a.trip()
	a.sum(a.sums)
	if a.IntN(2) == 0 {
		a.sum([]isa.Reg{a.sums[0], a.at})
	}
	if a.IntN(3) == 0 {
		a.sum([]isa.Reg{a.sums[0], a.temporary[a.IntN(3)]})
	}
	a.store(a.sums[0], isa.I32)
	a.emit(isa.Inst{Op: isa.OpRet})
	a.sum(a.temporary)
	a.store(a.temporary[0], isa.I32)
	a.emit(isa.Inst{Op: isa.OpRet})
	return a.k
}

// sum has the first of some registers depend on all of them.
func (a *flatAuthor) sum(list []isa.Reg) {
	for _, x := range list[1:] {
		a.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: list[0], A: list[0], B: a.constant(0x9e3779b1), C: x})
	}
}

// some returns a value that depends on the element alone.
func (a *flatAuthor) some() isa.Reg { return a.known[a.IntN(len(a.known))] }

// define emits an instruction with a result that depends on the element alone.
func (a *flatAuthor) define(in isa.Inst) {
	switch n := a.IntN(16); {
	case n == 0:
		in.Dst = a.sums[a.IntN(2)]
	case n < 4:
		in.Dst = a.temporary[a.IntN(3)]
	case n < 6 && len(a.known) > 0:
		in.Dst = a.some()
	default:
		in.Dst = a.vector(isa.I32)
		in.Flags = isa.Flags(a.IntN(2)) * isa.FlagDense
	}
	a.emit(in)
	a.known = append(a.known, in.Dst)
}

// element emits a load from a buffer.
func (a *flatAuthor) element(buffer int, at isa.Reg, disp int32) {
	a.define(isa.Inst{Op: isa.OpLoad, Type: []isa.Type{isa.I32, isa.F32}[a.IntN(2)], Space: isa.SpaceGlobal, A: isa.S(buffer), B: at,
		Idx: []isa.IdxType{isa.IdxU32, isa.IdxS32}[a.IntN(2)], Scale: 4, Disp: disp})
}

// trip emits the loop.
func (a *flatAuthor) trip() {
	at, disp, early := a.at, int32(4*a.IntN(2)), a.IntN(4) == 0
	if early {
		a.advance(a.at, a.constant(1))
	}
	if a.IntN(4) == 0 {
		at = a.vector(isa.I32)
		a.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: at, A: a.at, B: a.constant(uint64(a.IntN(4)))})
	}
	for i := range 1 + a.IntN(3) {
		a.element([]int{0, 5, 3}[i], at, disp)
	}
	for range 1 + a.IntN(3) {
		x := a.known[0]
		if x == a.sums[0] || x == a.sums[1] || a.IntN(3) == 0 {
			x = a.vector(isa.I32)
			a.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: a.some(), B: a.constant([]uint64{127, 255, 255, 511}[a.IntN(4)])})
		}
		in := isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S([]int{3, 5}[a.IntN(2)]), B: x, Idx: isa.IdxU32, Scale: 4}
		switch a.IntN(6) {
		case 0:
			in.Disp = -4
		case 1:
			in.Scale = 3
			in.Disp = 8
			x = a.vector(isa.I32)
			a.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: in.B, B: a.constant(127)})
			in.B = x
		}
		a.define(in)
		for range a.IntN(4) {
			a.arithmetic()
		}
	}
	for range 1 + a.IntN(4) {
		a.use()
	}
	if !early {
		a.advance(a.at, a.constant(1))
	}
	n := a.IntN(8)
	for n > 0 && !compares[n].flat {
		n--
	}
	again := a.vector(isa.B1)
	if compares[n].while(a.program, again, a.at, a.end) {
		a.branch(again, 1, 2)
	} else {
		a.branch(again, 2, 1)
	}
}

// arithmetic emits an instruction that may be done for elements.
func (a *flatAuthor) arithmetic() {
	in := isa.Inst{Op: []isa.Op{isa.OpMov, isa.OpAdd, isa.OpSub, isa.OpMul, isa.OpMad, isa.OpXor, isa.OpFAdd, isa.OpFSub, isa.OpFMul, isa.OpFMulAdd, isa.OpFma,
		isa.OpFNeg, isa.OpFAbs}[a.IntN(13)], Type: isa.I32, A: a.some()}
	operands := []*isa.Reg{&in.B, &in.C}
	switch in.Op {
	case isa.OpMov, isa.OpFNeg, isa.OpFAbs:
		operands = nil
	case isa.OpMad, isa.OpFMulAdd, isa.OpFma:
	default:
		operands = operands[:1]
	}
	for _, r := range operands {
		if *r = a.some(); a.IntN(4) == 0 {
			*r = []isa.Reg{a.parameter(uint64(a.Uint32())), a.constant(3)}[a.IntN(2)]
		}
	}
	switch in.Op {
	case isa.OpFAdd, isa.OpFSub, isa.OpFMul, isa.OpFMulAdd, isa.OpFma, isa.OpFNeg, isa.OpFAbs:
		in.Type = isa.F32
	}
	a.define(in)
}

// use emits an instruction that depends on the lane.
func (a *flatAuthor) use() {
	sum := a.sums[a.IntN(2)]
	in := isa.Inst{Type: isa.I32, Dst: sum, A: sum, B: a.some()}
	switch a.IntN(8) {
	case 0:
		in.Op = isa.OpXor
	case 1:
		in.Op, in.Type = isa.OpFSub, isa.F32
	case 2:
		in.Op, in.B, in.C = isa.OpMad, a.constant(5), in.B
	case 3, 4, 5:
		in.Op, in.Type, in.A, in.C = isa.OpFMulAdd, isa.F32, a.some(), sum
		if a.IntN(3) == 0 {
			in.C = a.sums[a.IntN(2)]
		}
	case 6: // a load in each trip
		x, y := a.vector(isa.I32), a.vector(isa.I32)
		a.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: x, A: sum, B: in.B})
		a.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: x, B: a.constant(255)})
		a.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: y, A: isa.S(5), B: x, Idx: isa.IdxU32, Scale: 4})
		in.Op, in.B = isa.OpAdd, y
	default: // what some lanes select
		m := a.vector(isa.B1)
		a.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: m, A: sum, B: in.B})
		in.Op, in.A, in.C = isa.OpSelect, m, sum
	}
	a.emit(in)
}

// TestFlatPrograms compares random loops through rows.
func TestFlatPrograms(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 40
	}
	if *programCount > 0 {
		n = *programCount
	}
	each(t, func(t *testing.T, e Engine) {
		flats := 0
		for seed := *programFirst; seed < *programFirst+n; seed++ {
			r := rand.New(rand.NewPCG(uint64(seed), 5))
			k := flatProgram(r)
			if e.features&amd64.AVX512 != 0 {
				if q := regionOf(t, e, k).quads; q != nil && q.flat != nil {
					flats++
				}
			}
			portable, code := compile(t, interp.Engine{}, k), compile(t, e, k)
			for _, rows := range flatRows {
				data := contents(r)
				for i := range lanes {
					begin, n := rows.row(r, i)
					n = min(n, 2*lanes-2-begin)
					data[1][i], data[2][i], data[bufMask][i] = uint64(begin), uint64(begin+n), min(uint64(r.IntN(8)), 1)
					data[0][i] = uint64(r.IntN(2*lanes-1)+1)<<32 | uint64(r.IntN(2*lanes-1)+1)
				}
				if r.IntN(8) == 0 { // an element that selects what is not there
					data[0][r.IntN(lanes)] |= uint64(2*lanes+r.IntN(9)) << (32 * r.IntN(2))
				}
				quantum := []int{0, 11, 40}[r.IntN(3)]
				want, got := runQuanta(t, portable, k, data, nil, 32, 1, quantum), runQuanta(t, code, k, data, nil, 32, 1, quantum)
				if diff := want.diff(got); diff != "" {
					t.Fatalf("program %d, rows %s, quantum %d (-interp +native):\n%s\n%s", seed, rows.name, quantum, diff,
						k.Text(&isa.Program{Kernels: []*isa.Kernel{k}}))
				}
			}
		}
		if e.features&amd64.AVX512 != 0 && flats < n/4 {
			t.Errorf("%d of %d programs have something to do for elements", flats, n)
		}
	})
}
