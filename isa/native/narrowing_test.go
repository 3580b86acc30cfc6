package native

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// wideTerm is a number of 64 bits: the register that has it, and what it is in one lane.
type wideTerm struct {
	reg   isa.Reg
	value uint64
}

// narrowing makes a random kernel that computes an index in 64 bits. In one lane, the witness, the lower half of the
// index selects an element of buffer 0; the index itself may do so, too, or be far outside. The other lanes
// use index 0. So a hyperblock that computes the index in 32 bits, though its bounds do not allow that, loads
// an element where the reference engine reports a fault.
type narrowing struct {
	*program
	*rand.Rand
	witness int
	words   [2]uint64      // of the witness in buffers 1 and 2
	values  map[int]uint64 // of scalar registers that are parameters
}

// scalar returns a constant, or a parameter of the same value.
func (n *narrowing) scalar(v uint64) wideTerm {
	if n.IntN(4) == 0 {
		r := n.parameter(0)
		n.values[r.Index()] = v
		return wideTerm{r, v}
	}
	return wideTerm{n.constant(v), v}
}

// number returns a number of a few bits, of about 32 or of more, with either sign.
func (n *narrowing) number() uint64 {
	v := uint64(n.IntN(9)) + 1<<[]int{0, 2, 16, 30, 31, 32, 33, 40}[n.IntN(8)]
	if n.IntN(2) == 0 {
		v = -v
	}
	return v
}

// extended returns 64 bits of an element of 32.
func (n *narrowing) extended(r isa.Reg, v uint32) wideTerm {
	in := isa.Inst{Op: isa.OpZExt, Type: isa.I64, Type2: isa.I32, Dst: n.vector(isa.I64), A: r}
	x := wideTerm{in.Dst, uint64(v)}
	if n.IntN(2) == 0 {
		in.Op, x.value = isa.OpSExt, uint64(int32(v))
	}
	n.emit(in)
	return x
}

// term returns a random sum, product or the like.
func (n *narrowing) term(depth int) wideTerm {
	if kind := n.IntN(6); depth == 0 || kind == 0 {
		switch n.IntN(5) {
		case 0:
			return wideTerm{isa.V(lane), uint64(n.witness)}
		case 1:
			return n.scalar(n.number())
		}
		buffer := n.IntN(2)
		return n.extended(n.load(1+buffer, isa.I32), uint32(n.words[buffer]))
	}
	if n.IntN(5) == 0 {
		x := n.term(depth - 1)
		if x.reg.IsScalar() {
			return x
		}
		half := n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpTruncate, Type: isa.I32, Type2: isa.I64, Dst: half, A: x.reg})
		return n.extended(half, uint32(x.value))
	}
	a, b := n.term(depth-1), n.term(depth-1)
	in := isa.Inst{Type: isa.I64, A: a.reg, B: b.reg}
	var v uint64
	switch n.IntN(9) {
	case 0, 1:
		in.Op, v = isa.OpMul, a.value*b.value
	case 2:
		in.Op, v = isa.OpAdd, a.value+b.value
	case 3:
		in.Op, v = isa.OpSub, a.value-b.value
	case 4:
		c := n.term(0)
		in.Op, in.C, v = isa.OpMad, c.reg, a.value*b.value+c.value
	case 5:
		k := []uint64{1, 16, 31, 32, 33, 40}[n.IntN(6)]
		in.Op, in.B, v = isa.OpShl, n.constant(k), a.value<<k
	case 6:
		in.Op, v = isa.OpAnd, a.value&b.value
	case 7:
		in.Op, in.A, in.B, in.C, v = isa.OpSelect, n.load(1, isa.B1), a.reg, b.reg, b.value
		if n.words[0]&1 != 0 {
			v = a.value
		}
	default:
		in.Op, v = isa.OpOr, a.value|b.value
		if n.IntN(2) == 0 {
			in.Op, v = isa.OpXor, a.value^b.value
		}
	}
	if in.A.IsScalar() && in.B.IsScalar() && !in.C.IsVector() { // the planner asks for a vector
		in.A, v = a.reg, a.value
		return wideTerm{in.A, v}
	}
	in.Dst = n.vector(isa.I64)
	n.emit(in)
	return wideTerm{in.Dst, v}
}

// newNarrowing makes a kernel. It says whether the index of the witness is inside the buffer.
func newNarrowing(seed int) (n *narrowing, inside bool) {
	n = &narrowing{program: newProgram(), Rand: rand.New(rand.NewPCG(uint64(seed), 11)), values: map[int]uint64{}}
	n.witness = n.IntN(lanes)
	n.words = [2]uint64{n.number(), n.number()}
	only := n.load(bufMask, isa.B1)
	x := n.term(1 + n.IntN(3))
	index, inside, behind := isa.V(lane), true, true
	if n.IntN(4) > 0 {
		at := uint64(n.IntN(lanes))
		// What is taken off leaves at in the lower half, and all of the upper half but for what the sign says.
		off := uint64(int64(int32(uint32(x.value - at))))
		index, inside, behind = n.vector(isa.I64), x.value-off == at, n.IntN(2) == 0
		n.emit(isa.Inst{Op: isa.OpSub, Type: isa.I64, Dst: index, A: x.reg, B: n.constant(off)})
	}
	chosen := n.vector(isa.I64)
	n.emit(isa.Inst{Op: isa.OpSelect, Type: isa.I64, Dst: chosen, A: only, B: index, C: n.constant(0)})
	v := n.vector(isa.I32)
	n.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: v, A: isa.S(0), B: chosen, Idx: isa.Idx64, Scale: 8})
	n.store(v, isa.I32)
	if behind { // a loop, where a hyperblock ends, and all 64 bits are read behind it
		again, left := n.vector(isa.B1), n.vector(isa.I32)
		n.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: left, A: v, B: n.constant(1)})
		n.jump(1)
		n.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: again, A: n.constant(0), B: left})
		n.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: left, A: left, B: n.constant(1)})
		n.branch(again, 1, 2)
		n.emit(isa.Inst{Op: isa.OpStore, Type: isa.I64, Space: isa.SpaceGlobal, A: isa.S(3), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, C: x.reg})
	}
	n.emit(isa.Inst{Op: isa.OpRet})
	return n, inside
}

// TestHyperNarrowing runs kernels whose indices wrap around in 32 bits, and others that do not.
func TestHyperNarrowing(t *testing.T) {
	count := amount(200, 400, 1000)
	if *programCount > 0 {
		count = *programCount
	}
	each(t, func(t *testing.T, e Engine) {
		wrapped, narrowed := 0, 0
		for seed := *programFirst; seed < *programFirst+count; seed++ {
			n, inside := newNarrowing(seed)
			if !inside {
				wrapped++
			}
			if h := hyperblocks(t, e, n.k)[0]; h != nil && slices.ContainsFunc(h.Run.Code, func(in isa.Inst) bool { return in.Op == isa.OpLoad && in.Idx != isa.Idx64 }) {
				narrowed++
			}
			prepare := func(data *[buffers][]uint64) {
				for i := range lanes {
					data[1][i], data[2][i], data[bufMask][i] = n.words[0], n.words[1], 0
				}
				data[bufMask][n.witness] = 1
			}
			want, got := compile(t, interp.Engine{}, n.k), compile(t, e, n.k)
			data := contents(n.Rand)
			prepare(data)
			a, b := run(t, want, n.k, data, n.values), run(t, got, n.k, data, n.values)
			if (a.Fault == nil) != inside {
				t.Fatalf("program %d: the reference engine reports %v, want a fault: %v\n%s", seed, a.Fault, !inside, n.text())
			}
			if d := a.diff(b); d != "" {
				t.Fatalf("program %d (-interp +native):\n%s\n%s", seed, d, n.text())
			}
		}
		if wrapped < count/6 || wrapped > 4*count/5 {
			t.Errorf("the index wraps around in %d of %d kernels", wrapped, count)
		}
		if x86.SetOf(e.features).Broadcasts() && narrowed < count/10 {
			t.Errorf("%d of %d kernels compute the index in 32 bits, want at least a tenth", narrowed, count)
		}
	})
}

func (n *narrowing) text() string {
	return fmt.Sprintf("witness %d, words %#x, scalars %#x\n%s", n.witness, n.words, n.values, n.k.Text(&isa.Program{Kernels: []*isa.Kernel{n.k}}))
}
