package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// TestGroups runs code for a few lanes, and for all but a few: whole groups of lanes have none, at the beginning of
// a chunk, at its end and between others.
func TestGroups(t *testing.T) { each(t, testGroups) }

func testGroups(t *testing.T, e Engine) {
	for _, element := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
		t.Run(element.String(), func(t *testing.T) {
			p := newProgram()
			x, old, runs := p.load(1, element), p.load(2, element), p.load(bufMask, isa.B1)
			p.branch(runs, 1, 2)
			p.emit(isa.Inst{Op: isa.OpAdd, Type: element, Dst: old, A: old, B: x})
			p.store(old, element)
			p.emit(isa.Inst{Op: isa.OpXor, Type: element, Dst: x, A: x, B: old})
			p.jump(2)
			p.emit(isa.Inst{Op: isa.OpAdd, Type: element, Dst: x, A: x, B: x})
			p.emit(isa.Inst{Op: isa.OpStore, Type: element, Space: isa.SpaceGlobal, A: isa.S(0), B: isa.V(lane),
				Idx: isa.Idx64, Scale: 8, C: x})
			p.emit(isa.Inst{Op: isa.OpRet})
			portable, native := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
			r := rand.New(rand.NewPCG(91, uint64(element)))
			data := contents(r)
			try := func(what string, running func(i int) bool) {
				t.Helper()
				for i := range data[bufMask] {
					data[bufMask][i] = 0
					if running(i) {
						data[bufMask][i] = 1
					}
				}
				want, got := run(t, portable, p.k, data, nil), run(t, native, p.k, data, nil)
				if diff := want.diff(got); diff != "" {
					t.Fatalf("%s (-interp +native):\n%s", what, diff)
				}
			}
			for n := range lanes {
				try(fmt.Sprint("lane ", n), func(i int) bool { return i == n })
				try(fmt.Sprint("all but lane ", n), func(i int) bool { return i != n })
			}
			for _, n := range []int{2, 7, 63, 64} {
				for range 20 {
					order := r.Perm(lanes)
					try(fmt.Sprintf("%d lanes: %v", n, order[:n]), func(i int) bool { return order[i] < n })
				}
			}
			for _, size := range []int{4, 8, 16, 32} {
				for range 20 {
					groups := r.Uint64()
					try(fmt.Sprintf("groups of %d: %#x", size, groups), func(i int) bool { return groups>>(i/size)&1 != 0 })
				}
			}
		})
	}
}

// TestRefusedStores has one lane of a store reach outside: what the lanes in front of it have stored stays, and
// nothing else is stored.
func TestRefusedStores(t *testing.T) { each(t, testRefusedStores) }

func testRefusedStores(t *testing.T, e Engine) {
	for _, element := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
		for _, pointed := range []bool{false, true} {
			t.Run(fmt.Sprint(element, pointed), func(t *testing.T) {
				p := newProgram()
				x, index := p.load(2, element), p.load(1, isa.I64)
				p.branch(p.load(bufMask, isa.B1), 1, 2)
				in := isa.Inst{Op: isa.OpStore, Type: element, Space: isa.SpaceGlobal, A: isa.S(bufOut), B: index,
					Idx: isa.Idx64, Scale: 8, C: x}
				if pointed {
					to := p.vector(isa.I64)
					p.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Space: isa.SpaceGlobal, Dst: to, A: in.A, B: in.B,
						Idx: in.Idx, Scale: in.Scale})
					in.A, in.B, in.Idx, in.Scale = to, isa.None, isa.IdxNone, 0
				}
				if !e.takes(&in) {
					t.Error("no machine code")
				}
				p.emit(in)
				p.jump(2)
				p.emit(isa.Inst{Op: isa.OpRet})
				r := rand.New(rand.NewPCG(92, uint64(element)))
				for _, bad := range []int{0, 1, 7, 8, 31, 63, 64, 100, lanes - 1, -1} {
					order := r.Perm(lanes / 2)
					check(t, e, p.k, r, nil, fmt.Sprint("lane ", bad), func(data *[buffers][]uint64) {
						for i := range data[1] {
							data[1][i] = uint64(order[i/2%len(order)]) // two lanes store to one element
							if i == bad {
								data[1][i] = 1 << 33
							}
						}
					})
				}
			})
		}
	}
}
