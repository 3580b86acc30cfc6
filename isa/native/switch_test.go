package native

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// TestSwitch takes all lanes, and some of them, to each case of a switch over a scalar, with few cases and
// with many, in a loop that the default goes back through.
func TestSwitch(t *testing.T) { each(t, testSwitch) }

func testSwitch(t *testing.T, e Engine) {
	data := contents(rand.New(rand.NewPCG(8, 2)))
	for _, cases := range [][]uint64{{3}, {0, 2, 5}, {1, 1 << 31, 1<<32 + 1, 1<<64 - 2}, manyCases(maxCases), manyCases(maxCases + 1)} {
		for _, v := range append([]uint64{4, 7, 1 << 40}, cases...) {
			t.Run(fmt.Sprintf("%d of %d", v, len(cases)), func(t *testing.T) {
				k := switching(cases, v)
				portable, code := compile(t, interp.Engine{}, k), compile(t, e, k)
				for _, quantum := range []int{0, 1, 2} {
					want, left := steps(t, portable, k, data, quantum)
					got, leaves := steps(t, code, k, data, quantum)
					if diff := diffMoments(want, got); diff != "" {
						t.Fatalf("quantum %d (-interp +native):\n%s", quantum, diff)
					}
					if diff := left.diff(leaves); diff != "" {
						t.Fatalf("quantum %d (-interp +native):\n%s", quantum, diff)
					}
				}
			})
		}
	}
}

func manyCases(n int) (list []uint64) {
	for i := range n {
		list = append(list, uint64(3*i))
	}
	return list
}

// switching returns a kernel in which the lanes with an odd element switch over v; the default goes back and
// switches over the next number, five times at most.
func switching(cases []uint64, v uint64) *isa.Kernel {
	p := newProgram()
	x, odd := p.load(0, isa.I32), p.load(1, isa.B1)
	selector, trips, one := p.constant(0), p.constant(0), p.constant(1)
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: selector, A: p.parameter(v)})
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: trips, A: p.constant(5)})
	last := len(cases) + 4
	p.branch(odd, 1, last)

	// Block 1 switches; 2 is the default, which goes back, and behind it lie the cases.
	p.k.Switches = []isa.SwitchTable{{Values: cases, Default: 2}}
	for i := range cases {
		p.k.Switches[0].Targets = append(p.k.Switches[0].Targets, 4+i)
	}
	p.emit(isa.Inst{Op: isa.OpSwitch, Type: isa.I64, A: selector})
	p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: x, A: x, B: p.constant(0x1234567)})
	p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I64, Dst: selector, A: selector, B: one})
	p.jump(3)
	more := p.constant(0)
	p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: trips, A: trips, B: one})
	p.emit(isa.Inst{Op: isa.OpNe, Type: isa.I32, Dst: more, A: trips, B: p.constant(0)})
	p.branch(more, 1, last)
	for i := range cases {
		p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: x, A: x, B: p.constant(uint64(2*i + 3)), C: trips})
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I64, Dst: selector, A: selector, B: one})
		if i == len(cases)-1 {
			p.jump(last)
		} else {
			p.jump(5 + i)
		}
	}
	p.store(x, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	return p.k
}
