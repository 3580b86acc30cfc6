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

// TestQuadsEnd has rows end where memory does, so that nothing may be loaded behind them.
func TestQuadsEnd(t *testing.T) { each(t, testQuadsEnd) }

func testQuadsEnd(t *testing.T, e Engine) {
	page := unix.Getpagesize()
	pages, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(pages); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mprotect(pages[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for i := range page {
		pages[i] = byte(i * i)
	}
	k := rowLoop(func(p *program, at, sum isa.Reg) {
		p.addElement(0, at, sum, 0)
		p.advance(at, p.constant(1))
	})
	for _, elements := range []int{1, 2, 3, 4, 5, 8, 100} {
		for _, beyond := range []int{0, 1} {
			run := func(code engine.Code) outcome {
				mem := memory.NewGlobal(1 << 30)
				l := &engine.Launch{Kernel: k, Dim: 1, Global: [3]uint64{lanes, 1, 1}, Local: [3]uint32{lanes, 1, 1}, Groups: [3]uint64{1, 1, 1},
					Scalars: append([]uint64(nil), k.ScalarInit...), Memory: mem, SubgroupSize: 32}
				contents := make([][]byte, buffers)
				for i := range contents {
					contents[i] = memory.AlignedBytes(8 * lanes)
				}
				for i := range lanes {
					at := max(elements-1-i%5, 0)
					binary.LittleEndian.PutUint64(contents[1][8*i:], uint64(at))
					binary.LittleEndian.PutUint64(contents[2][8*i:], uint64(elements))
					binary.LittleEndian.PutUint64(contents[bufMask][8*i:], 1)
				}
				binary.LittleEndian.PutUint64(contents[2][8*33:], uint64(elements+beyond))
				// Buffers begin at multiples of 8.
				contents[0] = pages[page-(elements+1)/2*8 : page]
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
			if diff := run(compile(t, interp.Engine{}, k)).diff(run(compile(t, e, k))); diff != "" {
				t.Errorf("%d elements, %d beyond (-interp +native):\n%s", elements, beyond, diff)
			}
		}
	}
}
