package interp

import (
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// inthash builds the kernel x = in[i]; rounds times a hash of nine operations; out[i] = x.
func inthash(t testing.TB, mem *memory.Global, n int, rounds uint64) *builder {
	b := newBuilder()
	in, err := mem.Alloc("in", uint64(n)*4, false)
	if err != nil {
		t.Fatal(err)
	}
	out, err := mem.Alloc("out", uint64(n)*4, false)
	if err != nil {
		t.Fatal(err)
	}
	pin, pout := b.constant(uint64(in)), b.constant(uint64(out))
	zero, one, limit := b.constant(0), b.constant(1), b.constant(rounds)
	c16, c15, m1, m2 := b.constant(16), b.constant(15), b.constant(0x7feb352d), b.constant(0x846ca68b)
	r, more := b.scalar(), b.scalar()
	i, x, y := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32)

	b.builtin(isa.BuiltinGlobalID, isa.I32, i)
	b.load(isa.I32, isa.SpaceGlobal, x, pin, i, isa.IdxU32, 4)
	b.op(isa.OpMov, isa.I32, r, zero)
	b.br(1)
	step := func(s, m isa.Reg) {
		b.op(isa.OpShrU, isa.I32, y, x, s)
		b.flags(isa.FlagDense)
		b.op(isa.OpXor, isa.I32, x, x, y)
		if m != isa.None {
			b.op(isa.OpMul, isa.I32, x, x, m)
		}
	}
	step(c16, m1)
	step(c15, m2)
	step(c16, isa.None)
	b.op(isa.OpAdd, isa.I32, x, x, r)
	b.op(isa.OpAdd, isa.I32, r, r, one)
	b.op(isa.OpLtU, isa.I32, more, r, limit)
	b.brCond(more, 1, 2)
	b.store(isa.I32, isa.SpaceGlobal, pout, i, isa.IdxU32, 4, x)
	b.ret()
	return b
}

func perLaneOp(b *testing.B, ops int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(ops), "ns/lane-op")
}

func BenchmarkIntHash(b *testing.B) {
	for _, width := range []int{64, 128, 256, 512, 1024} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			const rounds = 256
			mem := memory.NewGlobal(1 << 30)
			k := inthash(b, mem, width, rounds)
			c := k.compile(b)
			g := group(b, k.launch(mem, width))
			w := c.NewWave(width)
			for b.Loop() {
				w.Start(g, 0, width)
				w.Run(0)
			}
			perLaneOp(b, width*rounds*9)
		})
	}
}

func TestIntHash(t *testing.T) {
	const n, rounds = 300, 17
	for _, width := range []int{1, 32, 64, 100, 256} {
		mem := memory.NewGlobal(1 << 20)
		k := inthash(t, mem, n, rounds)
		data := mem.Lookup(1).Data
		for i := range n {
			data[i*4] = byte(i)
			data[i*4+1] = byte(i >> 8)
		}
		if f, _ := runGroup(t, k.compile(t), group(t, k.launch(mem, n)), width); f != nil {
			t.Fatal(f)
		}
		out := mem.Lookup(2).Data
		for i := range n {
			x := uint32(i)
			for r := range uint32(rounds) {
				x ^= x >> 16
				x *= 0x7feb352d
				x ^= x >> 15
				x *= 0x846ca68b
				x ^= x >> 16
				x += r
			}
			if got := uint32(out[i*4]) | uint32(out[i*4+1])<<8 | uint32(out[i*4+2])<<16 | uint32(out[i*4+3])<<24; got != x {
				t.Fatalf("width %d: item %d: %#x, want %#x", width, i, got, x)
			}
		}
	}
}
