package lower_test

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// loopArgs specializes the kernel of unroll.spvasm for n and k.
func loopArgs(n, k uint32) *isa.Specialization {
	return &isa.Specialization{Args: []isa.SpecializedArg{
		{Param: 1, Value: binary.LittleEndian.AppendUint32(nil, n)}, {Param: 2, Value: binary.LittleEndian.AppendUint32(nil, k)},
	}}
}

// loopsOf returns how many blocks of a program are in loops.
func loopsOf(p *isa.Program) (n int) {
	for _, b := range p.Kernels[0].Blocks {
		if b.Loop > 0 {
			n++
		}
	}
	return n
}

// TestUnroll runs two loops, one that decides at its start and one that does at
// its end, with numbers of trips that are known and that are not, and compares
// them with Go.
func TestUnroll(t *testing.T) {
	src := load(t, "testdata/unroll.spvasm")
	for _, x := range []struct {
		n, k  uint32
		loops bool // some stay
	}{{2, 0, false}, {2, 2, false}, {10, 0, false}, {10, 50, false}, {64, 1, false}, {600, 0, true}} {
		for _, passes := range []string{"default", "specialize,simplify,unroll", "specialize,simplify,unroll,unroll,default"} {
			m := lower.NewPassMachinery()
			if err := m.SetPasses(passes); err != nil {
				t.Fatal(err)
			}
			opt := emu.ProgramOptions{Specialize: map[string]*isa.Specialization{"f": loopArgs(x.n, x.k)}, Passes: m}
			d, err := emu.NewDevice(emu.DeviceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := d.NewProgram(src.Encode(), opt)
			if err != nil {
				t.Fatal(err)
			}
			if got := loopsOf(p.ISA()) > 0; got != x.loops {
				t.Errorf("n = %d, k = %d, %s: loops remain: %v", x.n, x.k, passes, got)
			}
			const items = 40
			want := make([]uint32, items)
			for id := range want {
				a, b, i, j := uint32(id), uint32(1), x.k, uint32(0)
				for ; i < x.n; i += 3 {
					if a&1 != 0 {
						b = b*5 + i
					}
					a += b
				}
				for {
					b ^= a >> (j & 31)
					if j += 2; j == x.n {
						break
					}
				}
				want[id] = a + b*i
			}
			k, err := p.Kernel("f")
			if err != nil {
				t.Fatal(err)
			}
			out, err := emu.NewBufferOf(d, make([]uint32, items))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := k.Run(context.Background(), emu.Range(items), out, emu.Value(x.n), emu.Value(x.k)); err != nil {
				t.Fatal(err)
			}
			got, err := emu.Read[uint32](out)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("n = %d, k = %d, %s: %d, expected %d", x.n, x.k, passes, got, want)
			}
		}
	}
	golden(t, "unrolled.isa", text(t, src, lower.Options{Specialize: map[string]*isa.Specialization{"f": loopArgs(4, 0)}}))
	if strings.Contains(text(t, src, lower.Options{}), "specialized") {
		t.Error("the plain kernel is specialized")
	}
}
