//go:build linux || darwin || freebsd

package native

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// structures are an array of them in buffer 0, whose lanes access some of the members.
type structures struct {
	t       isa.Type // of the members
	size    int      // of a structure, in bytes
	members []int    // in bytes from the beginning
	from    int      // the first structure, in bytes
	stores  bool
	again   bool // in a loop
}

// kernel returns a kernel that adds up the members, or gives them values. Buffers 1 and 2 hold the structure
// and a number beyond the last one.
func (s *structures) kernel() *isa.Kernel {
	p := newProgram()
	at, end, sum, more := p.load(1, isa.I32), p.load(2, isa.I32), p.vector(isa.I32), p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: sum, A: end})
	p.branch(p.load(bufMask, isa.B1), 1, 2)
	for _, m := range s.members {
		in := isa.Inst{Op: isa.OpLoad, Type: s.t, Space: isa.SpaceGlobal, A: isa.S(0), B: at, Idx: isa.IdxU32,
			Scale: uint32(s.size), Disp: int32(s.from + m)}
		x, wide := p.vector(s.t), p.vector(isa.I32)
		if s.stores {
			p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: wide, A: at, B: p.constant(37), C: p.constant(uint64(m))})
			if in.Op, in.C = isa.OpStore, wide; s.t != isa.I32 {
				p.emit(isa.Inst{Op: isa.OpTruncate, Type: s.t, Type2: isa.I32, Dst: x, A: wide})
				in.C = x
			}
			p.emit(in)
			continue
		}
		in.Dst, in.Flags = x, isa.FlagDense
		if p.emit(in); s.t != isa.I32 {
			p.emit(isa.Inst{Op: isa.OpZExt, Type: isa.I32, Type2: s.t, Dst: wide, A: x})
			x = wide
		}
		p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: sum, B: p.constant(3), C: x})
	}
	if s.again {
		p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: at, A: at, B: p.constant(16)})
		p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: more, A: at, B: end})
		p.branch(more, 1, 2)
	} else {
		p.jump(2)
	}
	p.store(sum, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	return p.k
}

func (s *structures) String() string {
	return fmt.Sprintf("members %v of %v of structures of %d bytes, stores: %t, in a loop: %t", s.members, s.t, s.size, s.stores,
		s.again)
}

// TestInterleavedEnd lets an array of structures end with the last member that is accessed, where memory ends:
// an interleaved access must not load what is behind it, nor store anything but the members.
func TestInterleavedEnd(t *testing.T) { each(t, testInterleavedEnd) }

func testInterleavedEnd(t *testing.T, e Engine) {
	for _, typ := range []isa.Type{isa.I8, isa.I16, isa.I32} {
		for size := typ.Bytes(); size <= 18; size += typ.Bytes() {
			if size > 8 && size/typ.Bytes()%amount(4, 3, 1) != 0 {
				continue
			}
			for first := 0; first < size; first += typ.Bytes() {
				for _, last := range []int{first, first + typ.Bytes(), size - typ.Bytes()} {
					members := []int{first}
					if last > first {
						members = append(members, last)
					}
					if last >= size {
						continue
					}
					for i := range 3 {
						s := &structures{t: typ, size: size, members: members, again: i == 1, stores: i == 2}
						s.test(t, e)
					}
				}
			}
		}
	}
}

// test compares the engines.
func (s *structures) test(t *testing.T, e Engine) {
	const count = 64 // for some groups of lanes that fill a vector
	used := (count-1)*s.size + s.members[len(s.members)-1] + s.t.Bytes()
	length := (used + 7) / 8 * 8 // buffers begin at multiples of 8
	s.from = length - used
	var rows []func(i int) (int, int)
	for _, beyond := range []int{0, 1, 3} {
		rows = append(rows, func(i int) (int, int) { return i%count + beyond, count })
	}
	s.compare(t, e, length, rows...)
}

// compare compares the engines, with structures up to the end of memory of so many bytes.
func (s *structures) compare(t *testing.T, e Engine, length int, rows ...func(i int) (int, int)) {
	t.Helper()
	k := s.kernel()
	portable, code := compile(t, interp.Engine{}, k), compile(t, e, k)
	for _, rows := range rows {
		s.compareRows(t, portable, code, length, rows)
	}
}

// compareRows runs the kernel on both engines once.
func (s *structures) compareRows(t *testing.T, portable, code engine.Code, length int, rows func(i int) (int, int)) {
	t.Helper()
	k := s.kernel()
	want, got := make([]byte, length), endOfMemory(t, length)
	for i := range want {
		want[i] = byte(i * i * 7)
	}
	copy(got, want)
	first, count := rows(0)
	if diff := runRows(t, portable, k, want, rows).diff(runRows(t, code, k, got, rows)); diff != "" {
		t.Errorf("%s, from %d, %d in all (-interp +native):\n%s", s, first, count, diff)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s, from %d, %d in all: memory differs", s, first, count)
	}
}

// TestNarrowEnd gathers elements of 8 and 16 bits of an array that ends where memory does, and may be shorter than the
// 32 bits that are loaded at once.
func TestNarrowEnd(t *testing.T) { each(t, testNarrowEnd) }

func testNarrowEnd(t *testing.T, e Engine) {
	const length = 64
	for _, typ := range []isa.Type{isa.I8, isa.I16} {
		for size := typ.Bytes(); size <= 4; size += typ.Bytes() {
			for count := 1; count <= 9; count++ {
				s := &structures{t: typ, size: size, members: []int{0}, from: length - (count-1)*size - typ.Bytes()}
				var rows []func(i int) (int, int)
				for _, step := range []int{1, 5} {
					for _, beyond := range []int{0, 1} {
						rows = append(rows, func(i int) (int, int) { return (step*i+i/3)%count + beyond, count })
					}
				}
				s.compare(t, e, length, rows...)
			}
		}
	}
}
