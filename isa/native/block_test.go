package native

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// blockStarts are the ways in which lanes choose where a block begins, in elements.
var blockStarts = map[string]func(r *rand.Rand, i, subgroup int) uint64{
	"consecutive": func(_ *rand.Rand, i, n int) uint64 { return uint64(i / n * n) },
	"own":         func(_ *rand.Rand, i, _ int) uint64 { return uint64(i % 60) },
	"backward":    func(_ *rand.Rand, i, n int) uint64 { return uint64((lanes - i) / n * 4 % 60) },
	"any":         func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(24) },
	"negative":    func(_ *rand.Rand, i, n int) uint64 { return uint64(int64(i/n - 1)) },
	"far":         func(_ *rand.Rand, i, n int) uint64 { return uint64(i / n * n * 8) },
	"huge":        func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() },
}

// TestBlocks runs block loads and stores of all elements and sub-groups, inside their allocation, at its ends
// and outside.
func TestBlocks(t *testing.T) { each(t, testBlocks) }

func testBlocks(t *testing.T, e Engine) {
	for _, element := range elements() {
		for _, index := range []isa.IdxType{isa.IdxNone, isa.IdxS32, isa.IdxU32, isa.Idx64} {
			for _, scalar := range []bool{false, true} {
				for _, store := range []bool{false, true} {
					t.Run(fmt.Sprint(element, index, scalar, store), func(t *testing.T) { blockAccesses(t, e, element, index, scalar, store) })
				}
			}
		}
	}
}

func blockAccesses(t *testing.T, e Engine, element isa.Type, index isa.IdxType, scalar, store bool) {
	r := rand.New(rand.NewPCG(11, uint64(element)))
	p := newProgram()
	x, old := p.parameter(0), p.load(2, element)
	it := isa.I32
	if index != isa.IdxNone {
		it = index.Type()
	}
	if !scalar {
		x = p.load(1, it)
	}
	runs := p.load(bufMask, isa.B1)
	p.branch(runs, 1, 2)
	in := isa.Inst{Op: isa.OpBlockLoad, Type: element, Space: isa.SpaceGlobal, A: isa.S(0), Disp: 8}
	if index != isa.IdxNone {
		in.B, in.Idx, in.Scale = x, index, uint32(element.Bytes())
	}
	emit := func(in isa.Inst) {
		if !plan.Blocked(&in) || !e.takes(&in) {
			t.Error("no machine code")
		}
		p.emit(in)
	}
	if store {
		in.Op, in.A, in.C = isa.OpBlockStore, isa.S(bufOut), old
		emit(in)
		in.Imm, in.Disp = 1, 0
		emit(in)
	} else {
		got := p.vector(element)
		in.Dst = got
		sum := func() {
			p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.IntOf(element.Bits()), Dst: old, A: old, B: old})
			p.emit(isa.Inst{Op: isa.OpXor, Type: isa.IntOf(element.Bits()), Dst: old, A: old, B: got})
		}
		for component := range uint32(3) {
			in.Imm = component
			emit(in)
			sum()
		}
		in.Imm = 0
		if x.IsVector() && index != isa.IdxNone && it.Bank() == element.Bank() {
			in.Dst = x // the index itself
			emit(in)
			got = x
			sum()
		}
	}
	p.jump(2)
	if !store {
		p.store(old, element)
	}
	p.emit(isa.Inst{Op: isa.OpRet})
	portable, native := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
	for i, n := range subgroups {
		for j, kind := range slices.Sorted(maps.Keys(blockStarts)) {
			for k, m := range masks {
				if !sampled(t, i*5+j*3+k) {
					continue
				}
				data := contents(r)
				for i := range lanes {
					data[1][i] = blockStarts[kind](r, i, n)
					data[bufMask][i] = 0
					if m.running(r, i) {
						data[bufMask][i] = 1
					}
				}
				values := map[int]uint64{}
				if scalar {
					values[x.Index()] = blockStarts[kind](r, 2*n, n)
				}
				want, got := runSubgroups(t, portable, p.k, data, values, n), runSubgroups(t, native, p.k, data, values, n)
				if diff := want.diff(got); diff != "" {
					t.Fatalf("sub-groups of %d, blocks %s, mask %s (-interp +native):\n%s", n, kind, m.name, diff)
				}
			}
		}
	}
}
