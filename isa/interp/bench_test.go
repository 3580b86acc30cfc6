package interp

import (
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
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

func BenchmarkIntHash(b *testing.B) {
	for _, width := range []int{64, 128, 256, 512, 1024} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			const rounds = 256
			mem := memory.NewGlobal(1 << 30)
			k := inthash(b, mem, width, rounds)
			c := k.compile(b)
			g := group(b, k.launch(mem, width))
			w := c.NewWave(width)
			perLaneOp(b, width*rounds*9, func() {
				w.Start(g, 0, width)
				w.Run(0)
			})
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

// benchKernel times a kernel that does ops operations a lane, in waves of 256.
func benchKernel(b *testing.B, k *builder, mem *memory.Global, lds []uint64, ops int) {
	const width = 256
	l := k.launch(mem, width)
	l.LocalSizes = lds
	c := k.compile(b)
	g := group(b, l)
	w := c.NewWave(width)
	run := func() {
		w.Start(g, 0, width)
		if s := w.Run(0); s != engine.StopDone {
			b.Fatal(s, w.Fault())
		}
	}
	run()
	if ops == 0 {
		ops = int(w.Counters().LaneOps / width)
	}
	perLaneOp(b, width*ops, run)
}

// loop appends a loop of n rounds around what body appends, in three blocks.
func loop(b *builder, n uint64, body func(round isa.Reg)) {
	zero, one, limit := b.constant(0), b.constant(1), b.constant(n)
	r, more := b.scalar(), b.scalar()
	b.op(isa.OpMov, isa.I32, r, zero)
	b.br(1)
	body(r)
	b.op(isa.OpAdd, isa.I32, r, r, one)
	b.op(isa.OpLtU, isa.I32, more, r, limit)
	b.brCond(more, 1, 2)
	b.ret()
}

// BenchmarkMemory times one load or store a lane and instruction.
func BenchmarkMemory(b *testing.B) {
	const rounds, elements = 64, 4096
	for _, c := range []struct {
		name  string
		space isa.Space
		mul   uint64 // index is the lane times this, modulo the number of elements
		store bool
		typ   isa.Type
	}{
		{"LoadContiguous", isa.SpaceGlobal, 1, false, isa.I32},
		{"LoadContiguous64", isa.SpaceGlobal, 1, false, isa.I64},
		{"LoadSame", isa.SpaceGlobal, 0, false, isa.I32},
		{"Gather", isa.SpaceGlobal, 7, false, isa.I32},
		{"GatherLocal", isa.SpaceLocal, 7, false, isa.I32},
		{"StoreContiguous", isa.SpaceGlobal, 1, true, isa.I32},
		{"Scatter", isa.SpaceGlobal, 7, true, isa.I32},
		{"PrivateLoad", isa.SpacePrivate, 0, false, isa.I32},
		{"PrivateGather", isa.SpacePrivate, 7, false, isa.I32},
		{"PrivateStore", isa.SpacePrivate, 7, true, isa.I32},
	} {
		b.Run(c.name, func(b *testing.B) {
			mem := memory.NewGlobal(1 << 30)
			buf, err := mem.Alloc("buf", elements*8, false)
			if err != nil {
				b.Fatal(err)
			}
			k := newBuilder()
			p := k.constant(uint64(map[isa.Space]memory.Pointer{isa.SpaceGlobal: buf, isa.SpaceLocal: memory.MakePointer(memory.SpaceLocal, 1, 0),
				isa.SpacePrivate: memory.MakePointer(memory.SpacePrivate, 1, 0)}[c.space]))
			limit := uint64(elements - 1)
			if c.space == isa.SpacePrivate {
				k.k.Private = []isa.Alloc{{Name: "p", Size: 256}}
				limit = 63
			}
			mul, mask := k.constant(c.mul), k.constant(limit)
			x, v := k.reg(isa.I32), k.reg(c.typ)
			k.builtin(isa.BuiltinLocalID, isa.I32, x)
			k.op(isa.OpMul, isa.I32, x, x, mul)
			k.op(isa.OpAnd, isa.I32, x, x, mask)
			loop(k, rounds, func(isa.Reg) {
				for range 8 {
					if c.store {
						k.store(c.typ, c.space, p, x, isa.IdxU32, uint32(c.typ.Bytes()), v)
					} else {
						k.load(c.typ, c.space, v, p, x, isa.IdxU32, uint32(c.typ.Bytes()))
					}
				}
			})
			benchKernel(b, k, mem, []uint64{elements * 8}, rounds*8)
		})
	}
}

// BenchmarkArith times one operation of two vectors.
func BenchmarkArith(b *testing.B) {
	for _, c := range []struct {
		op  isa.Op
		typ isa.Type
	}{{isa.OpAdd, isa.I32}, {isa.OpXor, isa.I32}, {isa.OpAdd, isa.I64}, {isa.OpMul, isa.I64}, {isa.OpAdd, isa.I8}, {isa.OpDivU, isa.I32}, {isa.OpMinS, isa.I32},
		{isa.OpFAdd, isa.F32}, {isa.OpFMul, isa.F64}, {isa.OpFDiv, isa.F32}, {isa.OpFMin, isa.F32}, {isa.OpFma, isa.F32}, {isa.OpFma, isa.F64}, {isa.OpSqrt, isa.F32},
		{isa.OpFloor, isa.F32}, {isa.OpFMulAdd, isa.F32}, {isa.OpLtS, isa.I32}, {isa.OpFOLt, isa.F32}, {isa.OpSelect, isa.I32}} {
		b.Run(c.op.String()+"."+c.typ.String(), func(b *testing.B) {
			const rounds = 64
			k := newBuilder()
			one := k.constant(0x3f800000)
			if c.typ.Bits() == 64 {
				one = k.constant(0x3ff << 52)
			}
			x, y, z, m := k.reg(c.typ), k.reg(c.typ), k.reg(c.typ), k.reg(isa.B1)
			for _, r := range []isa.Reg{x, y, z} {
				k.op(isa.OpMov, c.typ, r, one)
			}
			dst, src := z, []isa.Reg{x, y, x, y}
			switch c.op.Info().Shape {
			case isa.ShapeCompare:
				dst = m
			case isa.ShapeSelect:
				src = []isa.Reg{m, x, y}
			}
			loop(k, rounds, func(isa.Reg) {
				for range 8 {
					k.op(c.op, c.typ, dst, src...)
				}
			})
			benchKernel(b, k, memory.NewGlobal(0), nil, rounds*8)
		})
	}
}

// BenchmarkMandelbrot times the loop of the set, whose lanes leave it at
// different trips, over all the operations that lanes execute.
func BenchmarkMandelbrot(b *testing.B) {
	k := newBuilder()
	width, step := constF32(k, -2), constF32(k, 3.0/256)
	y0, two, four, zero := constF32(k, 0.4), constF32(k, 2), constF32(k, 4), k.constant(0)
	one, limit := k.constant(1), k.constant(200)
	id, n := k.reg(isa.I32), k.reg(isa.I32)
	fx, cx, x, y, xx, yy, t := k.reg(isa.F32), k.reg(isa.F32), k.reg(isa.F32), k.reg(isa.F32), k.reg(isa.F32), k.reg(isa.F32), k.reg(isa.F32)
	in, more := k.reg(isa.B1), k.reg(isa.B1)
	k.builtin(isa.BuiltinLocalID, isa.I32, id)
	k.emit(isa.Inst{Op: isa.OpUToF, Type: isa.F32, Type2: isa.I32, Dst: fx, A: id})
	k.op(isa.OpFMul, isa.F32, cx, fx, step)
	k.op(isa.OpFAdd, isa.F32, cx, cx, width)
	k.op(isa.OpMov, isa.F32, x, zero)
	k.op(isa.OpMov, isa.F32, y, zero)
	k.op(isa.OpMov, isa.I32, n, zero)
	k.br(1)
	dense := func(op isa.Op, typ isa.Type, dst isa.Reg, src ...isa.Reg) {
		k.op(op, typ, dst, src...)
		k.flags(isa.FlagDense)
	}
	dense(isa.OpFMul, isa.F32, xx, x, x)
	dense(isa.OpFMul, isa.F32, yy, y, y)
	dense(isa.OpFAdd, isa.F32, t, xx, yy)
	dense(isa.OpFOLe, isa.F32, in, t, four)
	dense(isa.OpFMul, isa.F32, t, x, y)
	k.op(isa.OpFMulAdd, isa.F32, y, t, two, y0)
	dense(isa.OpFSub, isa.F32, xx, xx, yy)
	k.op(isa.OpFAdd, isa.F32, x, xx, cx)
	k.op(isa.OpAdd, isa.I32, n, n, one)
	dense(isa.OpLtU, isa.I32, more, n, limit)
	dense(isa.OpAnd, isa.B1, more, more, in)
	k.brCond(more, 1, 2)
	k.ret()
	benchKernel(b, k, memory.NewGlobal(0), nil, 0)
}

// BenchmarkEmpty times a whole wave that does nothing.
func BenchmarkEmpty(b *testing.B) {
	k := newBuilder()
	k.ret()
	benchKernel(b, k, memory.NewGlobal(0), nil, 1)
}
