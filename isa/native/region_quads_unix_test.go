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

// TestQuadsEnd has rows end where memory does, so that nothing may be loaded behind them: of elements, which begin anywhere, and
// of what the elements select, where rows are side by side.
func TestQuadsEnd(t *testing.T) { each(t, testQuadsEnd) }

func testQuadsEnd(t *testing.T, e Engine) {
	anywhere := rowLoop(func(p *program, at, sum isa.Reg) {
		p.addElement(0, at, sum, 0)
		p.advance(at, p.constant(1))
	})
	sideBySide := rowLoop(func(p *program, at, sum isa.Reg) {
		p.addSelected(at, sum)
		p.advance(at, p.constant(1))
	})
	for _, c := range []struct {
		name     string
		k        *isa.Kernel
		elements []int
		row      func(i, elements int) (begin, end int)
	}{
		{"anywhere", anywhere, []int{1, 2, 3, 4, 5, 8, 100}, func(i, elements int) (int, int) { return max(elements-1-i%5, 0), elements }},
		{"side by side", sideBySide, []int{16, 17, 40, 95, 96, 100, flatRoom, flatRoom + 16, 4 * flatRoom}, func(i, elements int) (int, int) {
			return i % 16 * elements / 16, (i%16 + 1) * elements / 16
		}},
		{"of all lanes, side by side", sideBySide, []int{64, 65, 100, 127, flatRoom - 1, flatRoom, flatRoom + 1}, func(i, elements int) (int, int) {
			return i % 64 * elements / 64, (i%64 + 1) * elements / 64
		}},
		{"the last ones, side by side", sideBySide, []int{100, 106, 107, 115}, func(i, elements int) (int, int) {
			return elements - 70 + i%64, elements - 69 + i%64 + i%64/63*6
		}},
	} {
		portable, code := compile(t, interp.Engine{}, c.k), compile(t, e, c.k)
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
				if diff := runRows(t, portable, c.k, data, rows).diff(runRows(t, code, c.k, data, rows)); diff != "" {
					t.Errorf("%s: %d elements, %d beyond (-interp +native):\n%s", c.name, elements, beyond, diff)
				}
			}
		}
	}
}

// endOfMemory returns some bytes behind which there is no memory.
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

// runRows runs a [rowLoop] whose buffer 0 is some memory. rows says where the row of each lane begins and ends.
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
