//go:build linux || darwin || freebsd

package native

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/internal/x86"
)

// quads is a kernel whose lanes load four words side by side.
type quads struct {
	index isa.IdxType
	scale uint32
	from  int    // where the first structure begins
	order [4]int // of the words
	again bool   // in a loop
	over  bool   // the last word is loaded into the register with the index
}

func (q *quads) String() string {
	return fmt.Sprintf("words %v, index %v, scale %d, in a loop: %t, over the index: %t", q.order, q.index, q.scale,
		q.again, q.over)
}

// kernel returns the kernel. Buffers 1 and 2 hold which structure of buffer 0 a lane begins with, and a number
// beyond the last one. Lanes whose first one is not below that do not run.
func (q *quads) kernel() *isa.Kernel {
	p := newProgram()
	at, end, sum, runs := p.load(1, isa.I32), p.load(2, isa.I32), p.vector(isa.I32), p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: sum, A: end})
	p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: runs, A: at, B: end})
	p.branch(runs, 1, 2)
	index := p.vector(q.index.Type())
	if q.index == isa.Idx64 {
		p.emit(isa.Inst{Op: isa.OpZExt, Type: isa.I64, Type2: isa.I32, Dst: index, A: at})
	} else {
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: index, A: at})
	}
	var words [4]isa.Reg
	for i, w := range q.order {
		if words[i] = p.vector(isa.I32); q.over && i == 3 && q.index != isa.Idx64 {
			words[i] = index
		}
		p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: words[i], A: isa.S(0), B: index,
			Idx: q.index, Scale: q.scale, Disp: int32(q.from + 4*w), Flags: isa.FlagDense})
	}
	for _, x := range words {
		p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: sum, B: p.constant(5), C: x})
	}
	if q.again {
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: at, A: at, B: p.constant(3)})
		p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: runs, A: at, B: end})
		p.branch(runs, 1, 2)
	} else {
		p.jump(2)
	}
	p.store(sum, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	return p.k
}

// TestAdjacentLoads loads words side by side, up to the end of memory, for lanes that go on from structure to
// structure, select the same, any or none, or one that is out of bounds.
func TestAdjacentLoads(t *testing.T) { each(t, testAdjacentLoads) }

func testAdjacentLoads(t *testing.T, e Engine) {
	const count = 90 // structures
	for _, c := range []struct {
		name string
		rows func(i int) (begin, end int)
	}{
		{"any", func(i int) (int, int) { return i * i % count, count }},
		{"next", func(i int) (int, int) { return i % 64, count }},
		{"every third", func(i int) (int, int) { return i % 16 * 3, count }},
		{"same", func(int) (int, int) { return 7, 20 }},
		{"last", func(int) (int, int) { return count - 1, count }},
		{"some", func(i int) (int, int) {
			if i*i%5 < 2 || i/16%3 == 1 {
				return 1<<27 + i, 5 // does not run
			}
			return i * 7 % count, count
		}},
		{"one beyond", func(i int) (int, int) {
			if i == 77 {
				return count, count + 1
			}
			return i * 7 % count, count
		}},
	} {
		for _, index := range []isa.IdxType{isa.IdxU32, isa.IdxS32, isa.Idx64} {
			for n, scale := range []uint32{4, 12, 16, 20, 64} {
				for shape := range 4 {
					order := [...][4]int{{0, 1, 2, 3}, {2, 0, 3, 1}, {3, 2, 1, 0}}[(n+shape)%3]
					q := &quads{index: index, scale: scale, order: order, again: shape&1 != 0, over: shape&2 != 0}
					used := (count-1)*int(scale) + 16
					length := (used + 7) / 8 * 8 // buffers begin at multiples of 8
					q.from = length - used
					q.compare(t, e, c.name, length, c.rows)
				}
			}
		}
	}
}

// TestAdjacentNone has no lane load words from memory that has none.
func TestAdjacentNone(t *testing.T) { each(t, testAdjacentNone) }

func testAdjacentNone(t *testing.T, e Engine) {
	for _, index := range []isa.IdxType{isa.IdxU32, isa.Idx64} {
		for _, again := range []bool{false, true} {
			for _, length := range []int{8, 16} {
				for _, begin := range []int{0, 1, 1 << 20} {
					q := &quads{index: index, scale: 16, order: [4]int{0, 1, 2, 3}, again: again}
					name := fmt.Sprintf("none of %d bytes", length)
					q.compare(t, e, name, length, func(int) (int, int) { return begin, 0 })
					q.compare(t, e, name+", apart", length, func(i int) (int, int) { return begin * i, 0 })
				}
			}
		}
	}
}

// compare compares the engines, on memory that ends with the last structure.
func (q *quads) compare(t *testing.T, e Engine, name string, length int, rows func(i int) (int, int)) {
	t.Helper()
	k := q.kernel()
	want, got := make([]byte, length), endOfMemory(t, length)
	for i := range want {
		want[i] = byte(i * i * 7)
	}
	copy(got, want)
	portable, code := compile(t, interp.Engine{}, k), compile(t, e, k)
	if diff := runRows(t, portable, k, want, rows).diff(runRows(t, code, k, got, rows)); diff != "" {
		t.Errorf("%s, %v (-interp +native):\n%s", name, q, diff)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s, %v: memory differs", name, q)
	}
}

// TestAdjacent says which loads are emitted together.
func TestAdjacent(t *testing.T) {
	type access struct {
		code  []isa.Inst
		slots []int
		disp  []int32
		bias  []uint32
	}
	for _, c := range []struct {
		name   string
		change func(a *access)
		want   bool
	}{
		{"as they are", func(*access) {}, true},
		{"backwards", func(a *access) { a.disp[0], a.disp[3] = a.disp[3], a.disp[0] }, true},
		{"two types of 32 bits", func(a *access) { a.code[2].Type = isa.I32 }, true},
		{"the index is overwritten at the end", func(a *access) { a.code[3].Dst = isa.V(0) }, true},
		{"the index is overwritten", func(a *access) { a.code[1].Dst = isa.V(0) }, false},
		{"a gap", func(a *access) { a.disp[3] += 4 }, false},
		{"a word twice", func(a *access) { a.disp[3] = a.disp[2] }, false},
		{"two slots", func(a *access) { a.slots[2] = 9 }, false},
		{"two biases", func(a *access) { a.bias[1] = 1 }, false},
		{"two indices", func(a *access) { a.code[1].B = isa.V(7) }, false},
		{"a scalar index", func(a *access) {
			for i := range a.code {
				a.code[i].B = isa.S(1)
			}
		}, false},
		{"bytes", func(a *access) { a.code[1].Type = isa.I8 }, false},
		{"a store", func(a *access) { a.code[3].Op = isa.OpStore }, false},
		{"three", func(a *access) { a.code = a.code[:3] }, false},
	} {
		a := access{slots: []int{2, 2, 2, 2}, disp: []int32{-4, 0, 4, 8}, bias: make([]uint32, 4)}
		for i := range 4 {
			a.code = append(a.code, isa.Inst{Op: isa.OpLoad, Type: isa.F32, Space: isa.SpaceGlobal, Dst: isa.V(1 + i),
				A: isa.S(0), B: isa.V(0), Idx: isa.IdxU32, Scale: 16})
		}
		c.change(&a)
		if got := x86.Adjacent(a.code, a.slots, a.disp, a.bias); got != c.want {
			t.Errorf("%s: %t, not %t", c.name, got, c.want)
		}
	}
}
