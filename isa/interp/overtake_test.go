package interp

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// scan appends dst = the sum of src over the sub-group.
func (b *builder) scan(dst, src isa.Reg, uniform bool) {
	in := isa.Inst{Op: isa.OpScan, Type: isa.I32, Dst: dst, A: src, Imm: isa.ScanImm(isa.ScanReduce, isa.ScanAdd)}
	if uniform {
		in.Flags = isa.FlagUniform
	}
	b.emit(in)
}

// TestOvertakeSubgroups sums over sub-groups behind a read: the one that has its
// packets goes ahead, the other waits until it is whole.
func TestOvertakeSubgroups(t *testing.T) {
	for _, size := range []int{1, 2, 32, 64, 128} {
		n := 2 * size
		b := newPipeKernel(t, uint32(n))
		out, _ := b.mem.Alloc("out", uint64(n)*4, false)
		one, sum := b.reg(isa.I32), b.reg(isa.I32)
		b.op(isa.OpMov, isa.I32, one, b.constant(1))
		b.br(1)
		b.block(b.access(isa.PipeRead), b.zero)
		b.scan(sum, one, true)
		b.store(isa.I32, isa.SpaceGlobal, b.constant(uint64(out)), b.lane, isa.IdxU32, 4, sum)
		b.ret()
		w, g := b.start(t, n)
		g.Launch.SubgroupSize = size
		first := size + size/2
		b.put(t, first)
		expect(t, w, engine.StopPipe)
		if w.Live() != n || !w.Overtake() {
			t.Fatalf("sub-groups of %d: %d live", size, w.Live())
		}
		expect(t, w, engine.StopPipe)
		if w.Live() != size || w.Overtake() {
			t.Fatalf("sub-groups of %d: %d live", size, w.Live())
		}
		expect(t, w, engine.StopPipe)
		b.put(t, n-first)
		expect(t, w, engine.StopDone)
		for i := range n {
			if got := binary.LittleEndian.Uint32(b.mem.Lookup(out.Alloc()).Data[i*4:]); got != uint32(size) {
				t.Fatalf("sub-groups of %d: lane %d has %d", size, i, got)
			}
		}
	}
}

// TestOvertakeParts has lanes of a sub-group wait for others of it, which do
// something across lanes that is defined for any of them.
func TestOvertakeParts(t *testing.T) {
	b := newPipeKernel(t, 16)
	out, _ := b.mem.Alloc("out", 64, false)
	one, sum := b.reg(isa.I32), b.reg(isa.I32)
	b.op(isa.OpMov, isa.I32, one, b.constant(1))
	b.op(isa.OpMov, isa.I32, sum, b.zero)
	b.oddOnes(1, 2)
	b.block(b.access(isa.PipeRead), b.zero)
	// The even ones come here first, and the odd ones when they have their packets.
	b.scan(sum, one, false)
	b.store(isa.I32, isa.SpaceGlobal, b.constant(uint64(out)), b.lane, isa.IdxU32, 4, sum)
	b.br(3)
	b.block(b.access(isa.PipeWrite), b.zero)
	b.ret()
	w, _ := b.start(t, 16)
	expect(t, w, engine.StopPipe)
	if !w.Overtake() {
		t.Fatal("nobody to go on")
	}
	expect(t, w, engine.StopPipe)
	if b.p.Len() != 8 {
		t.Fatalf("%d packets", b.p.Len())
	}
	expect(t, w, engine.StopDone)
	for i := range 16 {
		if got := binary.LittleEndian.Uint32(b.mem.Lookup(out.Alloc()).Data[i*4:]); got != 8 {
			t.Errorf("lane %d has %d", i, got)
		}
	}
	if b.p.Len() != 8 {
		t.Errorf("%d packets at the end", b.p.Len())
	}
}

// TestOvertakeRing passes too few tokens round among the lanes of some waves. A
// sub-group goes on when all its lanes have one, and its size is what it finds, in
// waves of any width.
func TestOvertakeRing(t *testing.T) {
	seeds := uint64(100)
	if testing.Short() {
		seeds = 25
	}
	overtaken := 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 11))
		size := 1 << r.IntN(8)
		lanes := 1 + r.IntN(3*size) + r.IntN(60)
		groups := (lanes + size - 1) / size
		// So many that one sub-group at least has enough, however they are dealt out.
		tokens := groups*(size-1) + 1 + r.IntN(3)
		mem := memory.NewGlobal(1 << 20)
		p := testPipe(t, mem, memory.PipeOptions{PacketBytes: 4, PacketAlign: 4, Capacity: uint32(tokens)})
		p.Move(true, uint64(tokens))
		out, _ := mem.Alloc("out", uint64(lanes)*4, false)

		b := newPipeBuilder()
		b.k.Private = []isa.Alloc{{Name: "x", Size: 4, Align: 4}}
		pipe, x, four, zero := b.constant(uint64(p.Handle())), b.constant(isa.PointerBits(isa.SpacePrivate, 0)), b.constant(4), b.constant(0)
		one, trips := b.constant(1), b.constant(uint64(1+r.IntN(8)))
		lane, left, sum, total, bit, c := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.B1)
		ones := b.reg(isa.I32)
		b.builtin(isa.BuiltinLocalID, isa.I32, lane)
		b.op(isa.OpMov, isa.I32, left, trips)
		b.op(isa.OpMov, isa.I32, total, zero)
		b.op(isa.OpMov, isa.I32, ones, one)
		b.br(1)
		access := isa.PipeAccess{Op: isa.PipeRead, Pipe: pipe, Pointer: x, PacketBytes: four, PacketAlign: four}
		b.block(access, zero)
		b.op(isa.OpAnd, isa.I32, bit, lane, one)
		b.op(isa.OpNe, isa.I32, c, bit, zero)
		b.brCond(c, 3, 4)
		b.op(isa.OpAdd, isa.I32, bit, bit, bit)
		b.br(4)
		b.scan(sum, ones, true)
		b.op(isa.OpAdd, isa.I32, total, total, sum)
		b.br(5)
		access.Op = isa.PipeWrite
		b.block(access, zero)
		b.op(isa.OpSub, isa.I32, left, left, one)
		b.op(isa.OpNe, isa.I32, c, left, zero)
		b.brCond(c, 1, 7)
		b.store(isa.I32, isa.SpaceGlobal, b.constant(uint64(out)), lane, isa.IdxU32, 4, total)
		b.ret()

		l := pipes(b.launch(mem, lanes), p)
		l.SubgroupSize = size
		g := group(t, l)
		code := b.compile(t)
		width := size * (1 + r.IntN(4))
		var waves []engine.Wave
		for first := 0; first < lanes; first += width {
			w := code.NewWave(width)
			w.Start(g, first, min(width, lanes-first))
			waves = append(waves, w)
		}
		for live := lanes; live > 0; {
			before := p.Version()
			for range len(waves) {
				w := waves[r.IntN(len(waves))]
				if s := w.Run(r.IntN(3)); s == engine.StopFault {
					t.Fatalf("seed %d: %+v", seed, w.Fault())
				}
			}
			if p.Version() == before {
				any := false
				for _, w := range waves {
					s := w.Run(0)
					for s == engine.StopQuantum {
						s = w.Run(0)
					}
					any = any || s == engine.StopPipe && w.Overtake()
				}
				if any {
					overtaken++
				} else if p.Version() == before {
					t.Fatalf("seed %d: %d lanes in sub-groups of %d, waves of %d, %d tokens: a standstill", seed, lanes, size, width, tokens)
				}
			}
			live = 0
			for _, w := range waves {
				live += w.Live()
			}
		}
		for i := range lanes {
			n := min(size, lanes-i/size*size)
			want := uint32(n) * uint32(b.k.ScalarInit[trips.Index()])
			if got := binary.LittleEndian.Uint32(mem.Lookup(out.Alloc()).Data[i*4:]); got != want {
				t.Fatalf("seed %d: %d lanes in sub-groups of %d, waves of %d, %d tokens: lane %d found %d lanes in all, want %d", seed, lanes, size, width, tokens, i, got, want)
			}
		}
		if p.Len() != uint64(tokens) {
			t.Fatalf("seed %d: %d tokens of %d", seed, p.Len(), tokens)
		}
	}
	if overtaken == 0 {
		t.Error("no lane was ever overtaken")
	}
}
