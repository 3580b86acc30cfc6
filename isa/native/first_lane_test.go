package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// The tests of this file have groups of lanes the first of which does not run, and indices that are computed
// for those that do.

// number gives a register the global id in 32 bits.
func (p *program) number() isa.Reg {
	r := p.vector(isa.I32)
	p.emit(isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, Dst: r, A: isa.V(lane)})
	return r
}

// crowd is vector registers that are in use for a while.
type crowd struct {
	p    *program
	list []isa.Reg
}

// newCrowd loads so many registers.
func newCrowd(p *program, number isa.Reg, n int) *crowd {
	c := &crowd{p: p}
	for i := range n {
		v := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: v, A: isa.S(2 + i%2), B: number, Idx: isa.IdxU32, Scale: 8, Disp: int32(i / 2 * 4 % 8)})
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: v, A: v, B: p.constant(uint64(i))})
		c.list = append(c.list, v)
	}
	return c
}

// into adds them up.
func (c *crowd) into(sum isa.Reg) {
	for _, v := range c.list {
		c.p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: sum, B: c.p.constant(5), C: v})
	}
}

// firstLanePatterns are the indices of these tests.
var firstLanePatterns = []string{"next", "further", "same", "backward", "any", "strays"}

// runFirstLane runs a kernel whose indices, from buffer 1, are of each kind.
func runFirstLane(t *testing.T, e Engine, k *isa.Kernel) {
	t.Helper()
	r := rand.New(rand.NewPCG(12, 0))
	portable, native := compile(t, interp.Engine{}, k), compile(t, e, k)
	for _, kind := range firstLanePatterns {
		checkCode(t, portable, native, k, r, nil, "indices "+kind, func(data *[buffers][]uint64) {
			for i := range lanes {
				data[1][i] = indices[kind](r, i) + 3
			}
		})
	}
}

// TestHyperFirstLane runs hyperblocks to which some lanes come, and which compute the indices of their
// stores: with few values in registers or many, straight on or in parts.
func TestHyperFirstLane(t *testing.T) { each(t, testHyperFirstLane) }

func testHyperFirstLane(t *testing.T, e Engine) {
	for _, parts := range []bool{false, true} {
		for _, n := range []int{0, 12, 40} {
			for _, disp := range []int32{0, -8} {
				for _, index := range indexTypes() {
					t.Run(fmt.Sprint(parts, n, disp, index), func(t *testing.T) {
						p := newProgram()
						x, old, v := p.load(1, index.Type()), p.load(2, isa.I32), p.vector(isa.I32)
						at, further, some := p.vector(index.Type()), p.vector(index.Type()), p.vector(isa.B1)
						number := p.number()
						// A division is not for hyperblocks, so that this block is none of them.
						p.emit(isa.Inst{Op: isa.OpDivU, Type: isa.I32, Dst: p.vector(isa.I32), A: old, B: p.constant(3)})
						if runs := p.load(bufMask, isa.B1); parts {
							p.branch(runs, 1, 4)
						} else {
							p.branch(runs, 1, 2)
						}

						p.emit(isa.Inst{Op: isa.OpAdd, Type: index.Type(), Dst: at, A: x, B: p.constant(2)})
						p.emit(isa.Inst{Op: isa.OpAdd, Type: index.Type(), Dst: further, A: x, B: p.constant(9)})
						p.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: some, A: old, B: p.constant(1 << 20)})
						c := newCrowd(p, number, n)
						access := func(op isa.Op, buffer int, x isa.Reg) {
							in := isa.Inst{Op: op, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(buffer), B: x, Idx: index, Scale: 4, Disp: disp}
							if op == isa.OpLoad {
								in.Dst = v
							} else {
								in.C = v
							}
							p.emit(in)
						}
						access(isa.OpLoad, 3, at)
						access(isa.OpStore, 0, at)
						if parts {
							p.branch(some, 2, 3)
							access(isa.OpStore, 0, further)
							p.jump(3)
						}
						p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: v, A: v, B: p.constant(77)})
						access(isa.OpStore, 0, further)
						c.into(v)
						p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I32, Space: isa.SpaceGlobal, A: isa.S(bufOut), B: number, Idx: isa.IdxU32, Scale: 8, C: v})
						if parts {
							p.jump(4)
						} else {
							p.jump(2)
						}
						p.emit(isa.Inst{Op: isa.OpRet})
						h := hyperblocks(t, e, p.k)[1]
						if h == nil && (x86.SetOf(e.features).File(isa.BankMask) == x86.FileMask || !parts && index != isa.Idx64) {
							t.Error("no hyperblock")
						}
						runFirstLane(t, e, p.k)
					})
				}
			}
		}
	}
}

// TestRunFirstLane runs loads at indices that are alike while there are more values than registers.
func TestRunFirstLane(t *testing.T) { each(t, testRunFirstLane) }

func testRunFirstLane(t *testing.T, e Engine) {
	for _, n := range []int{0, 10, 20, 40} {
		for _, index := range indexTypes() {
			t.Run(fmt.Sprint(n, index), func(t *testing.T) {
				p := newProgram()
				x, at, further := p.load(1, index.Type()), p.vector(index.Type()), p.vector(index.Type())
				v, sum, number := p.vector(isa.I32), p.vector(isa.I32), p.number()
				p.branch(p.load(bufMask, isa.B1), 1, 3)
				p.emit(isa.Inst{Op: isa.OpAdd, Type: index.Type(), Dst: at, A: x, B: p.constant(2)})
				p.emit(isa.Inst{Op: isa.OpAdd, Type: index.Type(), Dst: further, A: x, B: p.constant(9)})
				load := isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: sum, A: isa.S(0), B: at, Idx: index, Scale: 4}
				p.emit(load)
				c := newCrowd(p, number, n)
				c.into(sum)
				load.Dst, load.B = v, further
				p.emit(load)
				p.emit(isa.Inst{Op: isa.OpXor, Type: isa.I32, Dst: sum, A: sum, B: v})
				c.into(sum)
				p.jump(2)
				// The indices are used here, too.
				wide := isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: p.vector(isa.I64), A: further}
				if index != isa.Idx64 {
					wide.Op, wide.Type2 = isa.OpZExt, isa.I32
				}
				p.emit(wide)
				p.emit(isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, Dst: v, A: wide.Dst})
				p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: sum, B: p.constant(3), C: v})
				p.store(sum, isa.I32)
				p.jump(3)
				p.emit(isa.Inst{Op: isa.OpRet})
				runFirstLane(t, e, p.k)
			})
		}
	}
}
