//go:build linux || darwin || freebsd

package native

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// membersOf is a kernel whose lanes add up some members of a structure of n elements of buffer 0, once or, with again, in a
// loop. Buffers 1 and 2 hold the structure and a number beyond the last one.
func membersOf(n int, members []int, again bool) *isa.Kernel {
	p := newProgram()
	at, end, sum, more := p.load(1, isa.I32), p.load(2, isa.I32), p.vector(isa.I32), p.vector(isa.B1)
	p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: sum, A: end})
	p.branch(p.load(bufMask, isa.B1), 1, 2)
	for _, m := range members {
		x := p.vector(isa.I32)
		p.emit(isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: x, A: isa.S(0), B: at, Idx: isa.IdxU32, Scale: uint32(4 * n),
			Disp: int32(4 * m), Flags: isa.FlagDense})
		p.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: sum, A: sum, B: p.constant(3), C: x})
	}
	if again {
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

// TestInterleavedEnd lets an array of structures end with the last member that is loaded, where memory ends: an interleaved
// access must not load what is behind it.
func TestInterleavedEnd(t *testing.T) { each(t, testInterleavedEnd) }

func testInterleavedEnd(t *testing.T, e Engine) {
	const structures = 64 // for some groups of lanes that fill a vector
	for n := 2; n <= maxStride; n++ {
		for first := range n {
			for last := first; last < n; last++ {
				for _, again := range []bool{false, true} {
					members := []int{first}
					if last > first {
						members = append(members, last)
					}
					k := membersOf(n, members, again)
					portable, code := compile(t, interp.Engine{}, k), compile(t, e, k)
					// Buffers begin at multiples of 8, so that there is an even number of elements.
					count := structures*n - (n - 1 - last)
					count += count & 1
					data := endOfMemory(t, 4*count)
					for i := 0; i < len(data); i += 4 {
						binary.LittleEndian.PutUint32(data[i:], uint32(i*i*7))
					}
					for _, beyond := range []int{0, 1, 3} {
						rows := func(i int) (int, int) { return i%structures + beyond, structures }
						if diff := runRows(t, portable, k, data, rows).diff(runRows(t, code, k, data, rows)); diff != "" {
							t.Errorf("%s (-interp +native):\n%s", fmt.Sprint("structures of ", n, ", members ", members, ", in a loop: ", again, ", beyond ", beyond), diff)
						}
					}
				}
			}
		}
	}
}
