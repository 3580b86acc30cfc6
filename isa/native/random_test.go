package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// choice is an instruction that random programs are made of.
type choice struct {
	in    isa.Inst
	types [4]isa.Type
	n     int
}

// choices returns all of them: those with machine code and those without.
func choices() (list []choice) {
	instructions(func(_ string, in isa.Inst, types [4]isa.Type, n int) {
		switch in.Op {
		case isa.OpDivS, isa.OpDivU, isa.OpRemS, isa.OpRemU, isa.OpModS, isa.OpPtrPack32, isa.OpPtrUnpack32,
			isa.OpPtrAddress, isa.OpPtrAt:
			return // may fault, or make numbers of pointers
		}
		list = append(list, choice{in, types, n})
	})
	return list
}

// author makes random programs.
type author struct {
	*program
	*rand.Rand
	lasting, passing map[isa.Type][]isa.Reg // vector registers: those of passing have no value outside the block
	scalars          []isa.Reg
	small            isa.Reg // a limit of indices
}

var bankTypes = []isa.Type{isa.B1, isa.I8, isa.I16, isa.I32, isa.I64}

func home(t isa.Type) isa.Type { return isa.IntOf(t.Bits()) }

func (a *author) operand(t isa.Type) isa.Reg {
	t = home(t)
	if a.IntN(6) == 0 {
		return a.scalars[a.IntN(len(a.scalars))]
	}
	list := a.lasting[t]
	if n := a.IntN(len(list) + len(a.passing[t])); n >= len(list) {
		return a.passing[t][n-len(list)]
	} else {
		return list[n]
	}
}

// body emits n random instructions.
func (a *author) body(list []choice, n int) {
	a.passing = map[isa.Type][]isa.Reg{}
	a.more(list, n)
}

// more emits n random instructions in a block that has been begun.
func (a *author) more(list []choice, n int) {
	for range n {
		if a.IntN(40) == 0 { // ends a run
			in := isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: a.lasting[isa.I32][0], A: isa.S(a.IntN(4)), B: isa.V(lane), Idx: isa.Idx64, Scale: 8}
			a.emit(in)
		}
		if a.IntN(12) == 0 {
			a.indexed()
			continue
		}
		c := list[a.IntN(len(list))]
		in := c.in
		regs := [4]*isa.Reg{&in.A, &in.B, &in.C, &in.D}
		scalar := a.IntN(5) == 0
		for i := range c.n {
			*regs[i] = a.operand(c.types[i])
			if scalar {
				*regs[i] = a.scalars[a.IntN(len(a.scalars))]
			}
		}
		t := in.Type
		if in.Op.Info().Shape == isa.ShapeCompare {
			t = isa.B1
		}
		t = home(t)
		if scalar && a.IntN(3) > 0 {
			in.Dst = a.scalars[a.IntN(len(a.scalars))]
		} else {
			a.result(&in, t)
		}
		a.emit(in)
	}
}

// result chooses the vector register that an instruction writes.
func (a *author) result(in *isa.Inst, t isa.Type) {
	if a.IntN(3) == 0 {
		in.Dst = a.lasting[t][a.IntN(len(a.lasting[t]))]
		return
	}
	in.Flags |= isa.FlagDense
	if len(a.passing[t]) < 12 {
		in.Dst = a.vector(t)
		a.passing[t] = append(a.passing[t], in.Dst)
	} else {
		in.Dst = a.passing[t][a.IntN(len(a.passing[t]))]
	}
}

// indexed emits a load or store with an index that is nearly always small enough.
func (a *author) indexed() {
	t, index := []isa.Type{isa.I32, isa.I64}[a.IntN(2)], isa.Idx64
	it := isa.I64
	if a.IntN(3) > 0 {
		index, it = isa.IdxU32, isa.I32
	}
	x := isa.Inst{Op: isa.OpAnd, Type: it, A: a.operand(it), B: a.small}
	if a.IntN(2000) == 0 {
		x.B = x.A
	}
	a.result(&x, it)
	a.emit(x)
	in := isa.Inst{Op: isa.OpLoad, Type: t, Space: isa.SpaceGlobal, A: isa.S(a.IntN(4)), B: x.Dst, Idx: index, Scale: 8}
	if a.IntN(4) == 0 {
		in.Op, in.C = isa.OpStore, a.operand(t)
	} else {
		a.result(&in, t)
	}
	a.emit(in)
}

// digest stores a number that depends on all registers.
func (a *author) digest() {
	sum := a.vector(isa.I64)
	prime := a.constant(0x9e3779b97f4a7c15)
	a.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: sum, A: prime})
	add := func(r isa.Reg) {
		a.emit(isa.Inst{Op: isa.OpMad, Type: isa.I64, Dst: sum, A: sum, B: prime, C: r})
	}
	for _, b := range bankTypes {
		for _, r := range a.lasting[b] {
			wide := r
			switch b {
			case isa.I8, isa.I16, isa.I32:
				wide = a.vector(isa.I64)
				a.emit(isa.Inst{Op: isa.OpZExt, Type: isa.I64, Type2: b, Dst: wide, A: r})
			case isa.B1:
				wide = a.vector(isa.I64)
				a.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I64, Dst: wide, A: r, B: prime, C: a.constant(3)})
			}
			add(wide)
		}
	}
	for _, r := range a.scalars {
		add(r)
	}
	a.store(sum, isa.I64)
}

// TestRandom runs random programs of many registers on this engine and on package interp.
func TestRandom(t *testing.T) { each(t, testRandom) }

func testRandom(t *testing.T, e Engine) {
	list := choices()
	for seed := range amount(30, 60, 150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a := &author{program: newProgram(), Rand: rand.New(rand.NewPCG(uint64(seed), 2)), lasting: map[isa.Type][]isa.Reg{}}
			values := map[int]uint64{}
			for i := range 12 {
				v := random(a.Rand)
				if i%2 == 0 {
					v >>= 32 // as a scalar of a narrower type is kept
				}
				if i < 6 {
					a.scalars = append(a.scalars, a.constant(v&1))
				} else {
					r := a.parameter(v & 1)
					a.scalars, values[r.Index()] = append(a.scalars, r), v&1
				}
			}
			for _, b := range bankTypes {
				for i := range 2 + a.IntN(40) {
					a.lasting[b] = append(a.lasting[b], a.load(i%4, b))
				}
			}
			a.small = a.constant(127)
			runs := a.load(bufMask, isa.B1)
			a.branch(runs, 1, 2)
			a.body(list, 1+a.IntN(200))
			a.jump(2)
			a.digest()
			a.emit(isa.Inst{Op: isa.OpRet})
			check(t, e, a.k, a.Rand, values, "random", func(*[buffers][]uint64) {})
		})
	}
}
