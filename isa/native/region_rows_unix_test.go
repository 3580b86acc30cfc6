//go:build linux || darwin || freebsd

package native

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
)

// rowLoop is a kernel whose lanes go through rows of buffer 0: buffers 1 and 2 hold where each row begins and
// ends. With selected, a lane adds up the elements of buffer 3 that the elements of its row select.
func rowLoop(selected bool) *isa.Kernel {
	p := newProgram()
	at, end, sum, again := p.load(1, isa.I32), p.load(2, isa.I32), p.vector(isa.I32), p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: sum, A: at})
	p.branch(p.load(bufMask, isa.B1), 1, 2)
	element := func(buffer int, index isa.Reg) isa.Reg {
		x := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(buffer), B: index, Idx: isa.IdxU32, Scale: 4})
		return x
	}
	x := element(0, at)
	if selected {
		p.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: x, A: x, B: p.constant(lanes - 1)})
		x = element(3, x)
	}
	p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: sum, B: p.constant(3), C: x})
	p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: at, A: at, B: p.constant(1)})
	p.emit(isa.Inst{Op: isa.OpLtU, Type: isa.I32, Dst: again, A: at, B: end})
	p.branch(again, 1, 2)
	p.store(sum, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	return p.k
}

// TestRowsEnd lets rows end where memory ends: a region must not load behind the last element, and must find
// the elements that are out of bounds.
func TestRowsEnd(t *testing.T) { each(t, testRowsEnd) }

func testRowsEnd(t *testing.T, e Engine) {
	for _, c := range []struct {
		name     string
		selected bool
		elements []int
		row      func(i, elements int) (begin, end int)
	}{
		{"anywhere", false, []int{1, 2, 3, 4, 5, 8, 100}, func(i, elements int) (int, int) { return max(elements-1-i%5, 0), elements }},
		{"side by side", true, []int{64, 65, 100, 127, 1000}, func(i, elements int) (int, int) {
			return i % 64 * elements / 64, (i%64 + 1) * elements / 64
		}},
	} {
		k := rowLoop(c.selected)
		portable, code := compile(t, interp.Engine{}, k), compile(t, e, k)
		for _, elements := range c.elements {
			// Buffers begin at multiples of 8.
			data := endOfMemory(t, (elements+1)/2*8)
			for i := 0; i < len(data); i += 4 {
				binary.LittleEndian.PutUint32(data[i:], uint32(i*i%(2*lanes)))
			}
			for _, beyond := range []int{0, 1, 4} {
				rows := func(i int) (begin, end int) {
					begin, end = c.row(i, elements)
					if i == 79 {
						end += beyond
					}
					return begin, end
				}
				if diff := runRows(t, portable, k, data, rows).diff(runRows(t, code, k, data, rows)); diff != "" {
					t.Errorf("%s: %d elements, %d beyond (-interp +native):\n%s", c.name, elements, beyond, diff)
				}
			}
		}
	}
}

// endOfMemory returns bytes behind which no memory is mapped.
func endOfMemory(t *testing.T, size int) []byte {
	t.Helper()
	page := unix.Getpagesize()
	n := (size + page - 1) / page * page
	pages, err := unix.Mmap(-1, 0, n+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(pages); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mprotect(pages[n:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return pages[n-size : n]
}

// runRows runs a [rowLoop] on elements as buffer 0. rows gives the begin and the end of each lane's row.
func runRows(t *testing.T, code engine.Code, k *isa.Kernel, elements []byte, rows func(i int) (begin, end int)) outcome {
	t.Helper()
	mem := memory.NewGlobal(1 << 30)
	l := &engine.Launch{Kernel: k, Dim: 1, Global: [3]uint64{lanes, 1, 1}, Local: [3]uint32{lanes, 1, 1}, Groups: [3]uint64{1, 1, 1},
		Scalars: append([]uint64(nil), k.ScalarInit...), Memory: mem, SubgroupSize: 32}
	contents := make([][]byte, buffers)
	for i := range contents {
		contents[i] = memory.AlignedBytes(8 * lanes)
	}
	for i := range lanes {
		begin, end := rows(i)
		binary.LittleEndian.PutUint64(contents[1][8*i:], uint64(begin))
		binary.LittleEndian.PutUint64(contents[2][8*i:], uint64(end))
		binary.LittleEndian.PutUint64(contents[3][8*i:], uint64(i*i))
		binary.LittleEndian.PutUint64(contents[bufMask][8*i:], 1)
	}
	contents[0] = elements
	for i, data := range contents {
		b, err := mem.AllocBytes("", data, false)
		if err != nil {
			t.Fatal(err)
		}
		l.Scalars[i] = uint64(b)
	}
	lds, err := memory.NewLocal(nil, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	w := code.NewWave(lanes)
	w.Start(&engine.Group{Launch: l, Size: l.Local, LDS: lds}, 0, lanes)
	for w.Run(0) == engine.StopQuantum {
	}
	o := outcome{Counters: *w.Counters(), Fault: w.Fault()}
	for i := range lanes {
		o.Out = append(o.Out, binary.LittleEndian.Uint64(contents[bufOut][8*i:]))
	}
	return o
}
