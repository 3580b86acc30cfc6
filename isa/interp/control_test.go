package interp

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// barrierKernel lets each lane go round a barrier trips(lane) = lane%3+1 times.
func barrierKernel(scope isa.Scope) *builder {
	b := newBuilder()
	zero, one, three := b.constant(0), b.constant(1), b.constant(3)
	id, n, more := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.B1)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.op(isa.OpRemU, isa.I32, n, id, three)
	b.br(1)
	b.barrier(scope, 2)
	b.op(isa.OpLtS, isa.I32, more, zero, n)
	b.op(isa.OpSub, isa.I32, n, n, one)
	b.brCond(more, 1, 3)
	b.ret()
	return b
}

func TestBarrierParksLanes(t *testing.T) {
	b := barrierKernel(isa.ScopeWorkgroup)
	c := b.compile(t)
	w := c.NewWave(70)
	g := group(t, b.launch(memory.NewGlobal(0), 70))
	w.Start(g, 0, 70)
	for round := range 3 {
		if s := w.Run(0); s != engine.StopBarrier {
			t.Fatalf("round %d: stopped with %d", round, s)
		}
		var want []int
		for lane := range 70 {
			if lane%3 >= round {
				want = append(want, lane)
			}
		}
		if w.Parked() != len(want) || w.Live() != len(want) {
			t.Errorf("round %d: %d parked of %d live, want %d", round, w.Parked(), w.Live(), len(want))
		}
		calls := 0
		w.Parking(func(pc int, lanes []int) {
			calls++
			if pc != b.k.Blocks[1].End-1 || !slices.Equal(lanes, want) {
				t.Errorf("round %d: pc %d, lanes %v, want %v", round, pc, lanes, want)
			}
		})
		if calls != 1 {
			t.Errorf("round %d: %d places, want 1", round, calls)
		}
		w.Open()
	}
	if s := w.Run(0); s != engine.StopDone || w.Live() != 0 || w.Parked() != 0 {
		t.Errorf("stopped with %d, %d live, %d parked", s, w.Live(), w.Parked())
	}
	if n := w.Counters().Barriers; n != 3 {
		t.Errorf("%d barriers executed, want 3", n)
	}
}

// TestSubgroupBarrier checks that sub-groups open their own barriers, whatever
// their size, and that lanes which ended do not hold them up.
func TestSubgroupBarrier(t *testing.T) {
	for _, size := range []int{1, 2, 8, 32, 64, 128} {
		for _, lanes := range []int{1, 70, 200} {
			b := barrierKernel(isa.ScopeSubgroup)
			w := b.compile(t).NewWave(lanes)
			l := b.launch(memory.NewGlobal(0), lanes)
			l.SubgroupSize = size
			w.Start(group(t, l), 0, lanes)
			if s := w.Run(0); s != engine.StopDone {
				t.Errorf("sub-group size %d, %d lanes: stopped with %d, %d parked", size, lanes, s, w.Parked())
			}
		}
	}
	// Half of each sub-group waits for the work-group, half for the sub-group.
	b := newBuilder()
	one := b.constant(1)
	id, odd := b.reg(isa.I32), b.reg(isa.B1)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.op(isa.OpAnd, isa.I32, id, id, one)
	b.op(isa.OpEq, isa.I32, odd, id, one)
	b.brCond(odd, 1, 2)
	b.barrier(isa.ScopeSubgroup, 3)
	b.barrier(isa.ScopeWorkgroup, 3)
	b.ret()
	w := b.compile(t).NewWave(64)
	w.Start(group(t, b.launch(memory.NewGlobal(0), 64)), 0, 64)
	if s := w.Run(0); s != engine.StopBarrier || w.Parked() != 64 {
		t.Fatalf("stopped with %d, %d parked", s, w.Parked())
	}
	var pcs []int
	w.Parking(func(pc int, lanes []int) {
		pcs = append(pcs, pc)
		if len(lanes) != 32 {
			t.Errorf("%d lanes at %d", len(lanes), pc)
		}
	})
	if len(pcs) != 2 {
		t.Errorf("lanes wait at %v", pcs)
	}
}

// spin is a kernel that never ends.
func spin() *builder {
	b := newBuilder()
	b.br(1)
	b.br(1)
	return b
}

func TestQuantumAndCancel(t *testing.T) {
	b := spin()
	w := b.compile(t).NewWave(8)
	l := b.launch(memory.NewGlobal(0), 8)
	l.Cancel = new(atomic.Bool)
	w.Start(group(t, l), 0, 8)
	for i := range 3 {
		if s := w.Run(10); s != engine.StopQuantum {
			t.Fatalf("run %d: stopped with %d", i, s)
		}
	}
	if n := w.Counters().Blocks; n != 31 {
		t.Errorf("%d blocks for 30 jumps backwards, want 31", n)
	}
	l.Cancel.Store(true)
	if s := w.Run(10); s != engine.StopCancelled {
		t.Errorf("stopped with %d after a cancellation", s)
	}
	// The wave serves the next group as if nothing had been.
	l.Cancel.Store(false)
	w.Start(group(t, l), 0, 3)
	if s := w.Run(1); s != engine.StopQuantum || w.Live() != 3 {
		t.Errorf("stopped with %d, %d live", s, w.Live())
	}
}

// TestQuantumDoesNotShow runs random kernels in small portions.
func TestQuantumDoesNotShow(t *testing.T) {
	for seed := range 40 {
		k := randomKernel(&choices{state: uint64(seed)*77 + 5})
		var results []string
		for _, quantum := range []int{0, 1, 3} {
			mem := memory.NewGlobal(1 << 20)
			p, _ := mem.Alloc("buf", fuzzLanes*fuzzSlot, false)
			l := &engine.Launch{Kernel: k, Dim: 1, Local: [3]uint32{fuzzLanes, 1, 1}, Scalars: k.ScalarInit, SubgroupSize: 8,
				LocalSizes: []uint64{fuzzLanes * fuzzSlot}, Memory: mem}
			c, err := Engine{}.Compile(&isa.Program{}, k)
			if err != nil {
				t.Fatal(err)
			}
			w := c.NewWave(fuzzLanes)
			w.Start(group(t, l), 0, fuzzLanes)
			s := w.Run(quantum)
			for s == engine.StopQuantum {
				s = w.Run(quantum)
			}
			results = append(results, fmt.Sprintf("%d %+v %x", s, *w.Counters(), mem.Lookup(p.Alloc()).Data))
		}
		if results[0] != results[1] || results[0] != results[2] {
			t.Fatalf("seed %d: quantum changes the result:\n%s", seed, strings.Join(results, "\n"))
		}
	}
}

// TestReuse runs two kernels' worth of groups in one wave: nothing may be left
// from the one before, not even in registers that the kernel does not write.
func TestReuse(t *testing.T) {
	b := newBuilder()
	b.k.Private = []isa.Alloc{{Name: "zero", Size: 8}, {Name: "arg", Size: 8, Param: 1}}
	b.k.Params = []isa.Param{{Name: "v", Kind: isa.ParamValue, Size: 8}}
	mem := memory.NewGlobal(1 << 20)
	buf, _ := mem.Alloc("buf", 16*100, false)
	out := b.constant(uint64(buf))
	zero, arg := b.constant(uint64(memory.MakePointer(memory.SpacePrivate, 1, 0))), b.constant(uint64(memory.MakePointer(memory.SpacePrivate, 2, 0)))
	id, garbage, v, w2 := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	put := func(r isa.Reg, disp int32) {
		b.store(isa.I32, isa.SpaceGlobal, out, id, isa.IdxU32, 16, r)
		b.k.Code[len(b.k.Code)-1].Disp = disp
	}
	put(garbage, 0) // read before it is written
	b.load(isa.I32, isa.SpacePrivate, v, zero, isa.None, isa.IdxNone, 0)
	put(v, 4)
	b.load(isa.I32, isa.SpacePrivate, w2, arg, isa.None, isa.IdxNone, 0)
	put(w2, 8)
	b.op(isa.OpAdd, isa.I32, garbage, id, id)
	b.store(isa.I32, isa.SpacePrivate, zero, isa.None, isa.IdxNone, 0, garbage)
	b.store(isa.I32, isa.SpacePrivate, arg, isa.None, isa.IdxNone, 0, garbage)
	b.ret()
	c := b.compile(t)
	w := c.NewWave(100)
	l := b.launch(mem, 100)
	l.Values = [][]byte{{1, 2, 3, 4, 5, 6, 7, 8}}
	for round, n := range []int{100, 10, 100, 70} {
		if round == 2 {
			l2 := *l
			l2.Values = [][]byte{{9, 2, 3, 4, 5, 6, 7, 8}}
			l = &l2
		}
		clear(mem.Lookup(buf.Alloc()).Data)
		w.Start(group(t, l), 0, n)
		if s := w.Run(0); s != engine.StopDone {
			t.Fatal(s, w.Fault())
		}
		for lane := range n {
			d := mem.Lookup(buf.Alloc()).Data[lane*16:]
			if g, v, a := getLE(d[:4]), getLE(d[4:8]), getLE(d[8:12]); g != 0 || v != 0 || a != getLE(l.Values[0][:4]) {
				t.Fatalf("round %d, lane %d: register %d, private memory %d and %#x", round, lane, g, v, a)
			}
		}
	}
}

// TestCounters compares the counters of a loop with data-dependent trips with
// what they should be, at several widths.
func TestCounters(t *testing.T) {
	b := newBuilder()
	mem := memory.NewGlobal(1 << 20)
	buf, _ := mem.Alloc("buf", 4*100, false)
	p, zero, one, four := b.constant(uint64(buf)), b.constant(0), b.constant(1), b.constant(4)
	id, n, x, more := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.B1)
	b.builtin(isa.BuiltinLocalID, isa.I32, id) // block 0: 3
	b.op(isa.OpRemU, isa.I32, n, id, four)
	b.br(1)
	b.load(isa.I32, isa.SpaceGlobal, x, p, id, isa.IdxU32, 4) // block 1: 5, n+1 times
	b.store(isa.I32, isa.SpaceGlobal, p, id, isa.IdxU32, 4, x)
	b.op(isa.OpLtS, isa.I32, more, zero, n)
	b.op(isa.OpSub, isa.I32, n, n, one)
	b.brCond(more, 1, 2)
	b.ret() // block 2: 1
	c := b.compile(t)
	for _, width := range []int{1, 4, 10, 100} {
		_, got := runGroup(t, c, group(t, b.launch(mem, 100)), width)
		waves := uint64((100 + width - 1) / width)
		trips, laneTrips := uint64(0), uint64(0)
		for first := 0; first < 100; first += width {
			most := 0
			for lane := first; lane < min(first+width, 100); lane++ {
				most = max(most, lane%4+1)
				laneTrips += uint64(lane%4 + 1)
			}
			trips += uint64(most)
		}
		want := engine.Counters{Waves: waves, Instructions: waves*4 + trips*5, LaneOps: 400 + laneTrips*5, Blocks: waves*2 + trips,
			Loads: laneTrips, Stores: laneTrips}
		if got != want {
			t.Errorf("width %d: %+v, want %+v", width, got, want)
		}
	}
}

func TestFaultsOfDivisionAndTraps(t *testing.T) {
	// Lane i divides 100 by i%8 - 3: lanes 3, 11, … divide by zero.
	b := newBuilder()
	seven, three, hundred := b.constant(7), b.constant(3), b.constant(100)
	id, x := b.reg(isa.I32), b.reg(isa.I32)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.op(isa.OpAnd, isa.I32, x, id, seven)
	b.op(isa.OpSub, isa.I32, x, x, three)
	pc := b.op(isa.OpDivS, isa.I32, x, hundred, x)
	b.ret()
	l := b.launch(memory.NewGlobal(0), 64)
	if f, n := runGroup(t, b.compile(t), group(t, l), 32); f != nil || n.ZeroDivisions != 8 {
		t.Errorf("fault %+v, %d divisions by zero, want 8", f, n.ZeroDivisions)
	}
	l.Check = true
	f, n := runGroup(t, b.compile(t), group(t, l), 32)
	if f == nil || f.Code != finding.DivideByZero || f.PC != pc || f.Lane != 3 || f.Lanes != 4 || n.Instructions != 4 {
		t.Errorf("fault %+v after %d instructions", f, n.Instructions)
	}

	b = newBuilder()
	pc = b.emit(isa.Inst{Op: isa.OpTrap, Imm: uint32(isa.TrapUnreachable)})
	f, _ = runGroup(t, b.compile(t), group(t, b.launch(memory.NewGlobal(0), 5)), 32)
	if f == nil || f.Code != finding.Unreachable || f.PC != pc || f.Lane != 0 || f.Lanes != 5 {
		t.Errorf("fault %+v", f)
	}
}

// TestChecks runs instructions that fault only with Launch.Check.
func TestChecks(t *testing.T) {
	mem := memory.NewGlobal(1 << 20)
	buf, _ := mem.Alloc("buf", 64, false)
	other, _ := mem.Alloc("other", 64, false)
	cases := []struct {
		name   string
		code   finding.Code
		detail string
		in     isa.Inst
		a, b   uint64
	}{
		{"shift", finding.ShiftRange, "a 32-bit value is shifted by 32", isa.Inst{Op: isa.OpShl, Type: isa.I32}, 1, 32},
		{"arithmetic shift", finding.ShiftRange, "a 8-bit value is shifted by 200", isa.Inst{Op: isa.OpShrS, Type: isa.I8}, 1, 200},
		{"division", finding.DivideOverflow, "-2147483648 divided by -1 does not fit into 32 bits", isa.Inst{Op: isa.OpDivS, Type: isa.I32}, 1 << 31, 0xffffffff},
		{"remainder", finding.DivideOverflow, "-9223372036854775808 divided by -1 does not fit into 64 bits", isa.Inst{Op: isa.OpRemS, Type: isa.I64}, 1 << 63, full},
		{"pointer difference", finding.PointerDifference, fmt.Sprintf("%s minus %s", buf, other+8), isa.Inst{Op: isa.OpPtrDiff, Type: isa.I64}, uint64(buf), uint64(other + 8)},
		{"division by zero", finding.DivideByZero, "the divisor is 0", isa.Inst{Op: isa.OpDivU, Type: isa.I32}, 5, 0},
		{"modulus by zero", finding.DivideByZero, "the divisor is 0", isa.Inst{Op: isa.OpModS, Type: isa.I8}, 5, 0},
		{"load", finding.Misaligned, "", isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal}, uint64(buf) + 2, 0},
		{"store", finding.Misaligned, "", isa.Inst{Op: isa.OpStore, Type: isa.I64, Space: isa.SpaceGeneric}, uint64(buf) + 4, 0},
	}
	for _, c := range cases {
		for _, vector := range []bool{false, true} {
			for _, check := range []bool{false, true} {
				b := newBuilder()
				in := c.in
				in.A, in.B = b.constant(c.a), b.constant(c.b)
				in.Dst = b.reg(in.Type)
				typ := in.Type
				if in.Op == isa.OpLoad || in.Op == isa.OpStore {
					typ, in.B = isa.I64, isa.None
					if in.Op == isa.OpStore {
						in.C, in.Dst = in.Dst, isa.None
					}
				}
				if vector {
					v := b.reg(typ)
					b.op(isa.OpMov, typ, v, in.A)
					in.A = v
				}
				pc := b.emit(in)
				b.ret()
				l := b.launch(mem, 6)
				l.Check = check
				f, _ := runGroup(t, b.compile(t), group(t, l), 64)
				switch {
				case !check && f != nil:
					t.Errorf("%s: fault %+v without checks", c.name, f)
				case check && (f == nil || f.Code != c.code || f.Detail != c.detail || f.PC != pc || f.Lanes != 6):
					t.Errorf("%s: fault %+v", c.name, f)
				}
			}
		}
	}
}

func TestBuiltins(t *testing.T) {
	// A 3-D launch of 5×4×3 work-items with offset, groups of 3×2×2: the last
	// groups are smaller.
	l0 := engine.Launch{Dim: 3, Global: [3]uint64{5, 4, 3}, Offset: [3]uint64{100, 200, 1 << 40}, Local: [3]uint32{3, 2, 2},
		Groups: [3]uint64{2, 2, 2}, SubgroupSize: 4}
	for _, typ := range []isa.Type{isa.I32, isa.I64} {
		for n := isa.Builtin(0); n < isa.NumBuiltins; n++ {
			b := newBuilder()
			mem := memory.NewGlobal(1 << 20)
			buf, _ := mem.Alloc("buf", 8*12, false)
			p := b.constant(uint64(buf))
			id, v := b.reg(isa.I32), b.reg(typ)
			b.builtin(isa.BuiltinLocalLinearID, isa.I32, id)
			if n.PerLane() {
				b.builtin(n, typ, v)
			} else {
				s := b.scalar()
				b.builtin(n, typ, s)
				b.op(isa.OpMov, typ, v, s)
			}
			b.store(typ, isa.SpaceGlobal, p, id, isa.IdxU32, 8, v)
			b.ret()
			c := b.compile(t)
			l := l0
			l.Kernel, l.Memory, l.Scalars = b.k, mem, b.k.ScalarInit
			for gz := range uint64(2) {
				for gx := range uint64(2) {
					g := &engine.Group{Launch: &l, ID: [3]uint64{gx, 1, gz}, Size: [3]uint32{3 - uint32(gx), 2, 2 - uint32(gz)}}
					if f, _ := runGroup(t, c, g, 8); f != nil {
						t.Fatal(f)
					}
					total := int(g.Size[0] * g.Size[1] * g.Size[2])
					for lane := range total {
						x, y, z := lane%int(g.Size[0]), lane/int(g.Size[0])%2, lane/int(g.Size[0])/2
						local := [3]uint64{uint64(x), uint64(y), uint64(z)}
						var global [3]uint64
						for d := range 3 {
							global[d] = local[d] + g.ID[d]*uint64(l.Local[d])
						}
						dims := func(v [3]uint64) uint64 { return v[n%3] }
						sizes := func(v [3]uint32) uint64 { return uint64(v[n%3]) }
						var want uint64
						switch {
						case n < 3:
							want = dims(local)
						case n < 6:
							want = dims(global) + dims(l.Offset)
						case n < 9:
							want = dims(g.ID)
						case n < 12:
							want = dims(l.Groups)
						case n < 15:
							want = sizes(g.Size)
						case n < 18:
							want = sizes(l.Local)
						case n < 21:
							want = dims(l.Global)
						case n < 24:
							want = dims(l.Offset)
						default:
							last := total - lane/4*4
							want = map[isa.Builtin]uint64{
								isa.BuiltinWorkDim: 3, isa.BuiltinGlobalLinearID: (global[2]*4+global[1])*5 + global[0],
								isa.BuiltinLocalLinearID: uint64(lane), isa.BuiltinSubgroupSize: uint64(min(4, last)), isa.BuiltinSubgroupMaxSize: 4,
								isa.BuiltinNumSubgroups: uint64(total+3) / 4, isa.BuiltinNumEnqueuedSubgroups: 3,
								isa.BuiltinSubgroupID: uint64(lane / 4), isa.BuiltinSubgroupLocalID: uint64(lane % 4),
							}[n]
						}
						want &= full >> (64 - typ.Bits())
						if got := getLE(mem.Lookup(buf.Alloc()).Data[lane*8:][:typ.Bytes()]); got != want {
							t.Errorf("%s.%s in group %v, lane %d: %d, want %d", n, typ, g.ID, lane, got, want)
						}
					}
				}
			}
		}
	}
}

func TestPrintf(t *testing.T) {
	b := newBuilder()
	id, r, odd := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.B1)
	one, k := b.constant(1), b.constant(7)
	b.k.Printfs = []isa.Printf{{Format: "%s %d: %v2d\n", Args: []isa.PrintfArg{
		{IsString: true, Str: "lane"}, {Type: isa.I32, Regs: []isa.Reg{id}}, {Type: isa.I32, Regs: []isa.Reg{id, k}}}}}
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.op(isa.OpAnd, isa.I32, r, id, one)
	b.op(isa.OpEq, isa.I32, odd, r, one)
	b.brCond(odd, 1, 2)
	b.emit(isa.Inst{Op: isa.OpPrintf, Dst: r})
	b.br(2)
	b.ret()
	g := group(t, b.launch(memory.NewGlobal(0), 6))
	if f, _ := runGroup(t, b.compile(t), g, 64); f != nil {
		t.Fatal(f)
	}
	if got, want := string(g.Output), "lane 1: 1,7\nlane 3: 3,7\nlane 5: 5,7\n"; got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
	// A full buffer takes nothing more.
	g.Output = make([]byte, maxOutput-20)
	if f, _ := runGroup(t, b.compile(t), g, 64); f != nil {
		t.Fatal(f)
	}
	if got := len(g.Output) - (maxOutput - 20); got != 12 {
		t.Errorf("%d bytes printed into room for 20, want 12", got)
	}
}

func TestPointerArithmetic(t *testing.T) {
	mem := memory.NewGlobal(1 << 30)
	a, _ := mem.Alloc("a", 100, false)
	p, _ := mem.Alloc("b", 1000, false)
	for _, vector := range []bool{false, true} {
		for _, c := range []struct {
			idx   uint64
			scale uint32
			disp  int32
			want  int64
		}{{3, 8, 0, 24}, {full, 4, 2, -2}, {1 << 39, 1, 0, memory.FarOffset}, {1 << 38, 1, -1, 1<<38 - 1}, {0, 0, 7, 7}} {
			b := newBuilder()
			base, x := b.constant(uint64(p)), b.constant(c.idx)
			other, out := b.constant(uint64(p.Add(-6))), b.constant(uint64(a))
			q, d, h, u := b.reg(isa.I64), b.reg(isa.I64), b.reg(isa.I32), b.reg(isa.I64)
			if vector {
				for _, r := range []*isa.Reg{&base, &x, &other} {
					v := b.reg(isa.I64)
					b.op(isa.OpMov, isa.I64, v, *r)
					*r = v
				}
			}
			b.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: q, A: base, B: x, Idx: isa.Idx64, Scale: c.scale, Disp: c.disp})
			b.op(isa.OpPtrDiff, isa.I64, d, q, other)
			b.emit(isa.Inst{Op: isa.OpPtrPack32, Type: isa.I32, Type2: isa.I64, Dst: h, A: q})
			b.emit(isa.Inst{Op: isa.OpPtrUnpack32, Type: isa.I64, Type2: isa.I32, Dst: u, A: h})
			for i, r := range []isa.Reg{q, d, u} {
				b.store(isa.I64, isa.SpaceGlobal, out, isa.None, isa.IdxNone, 0, r)
				b.k.Code[len(b.k.Code)-1].Disp = int32(8 * i)
			}
			b.ret()
			if f, _ := runGroup(t, b.compile(t), group(t, b.launch(mem, 40)), 64); f != nil {
				t.Fatal(f)
			}
			data := mem.Lookup(a.Alloc()).Data
			got := memory.Pointer(getLE(data[:8]))
			if want := p.Add(c.want); got != want {
				t.Errorf("%+v: %s, want %s", c, got, want)
			}
			if got, want := int64(getLE(data[8:16])), c.want+6; got != want {
				t.Errorf("%+v: difference %d, want %d", c, got, want)
			}
			if c.want < 1000 && c.want >= 0 && memory.Pointer(getLE(data[16:24])) != got {
				t.Errorf("%+v: %s after a way through 32 bits, want %s", c, memory.Pointer(getLE(data[16:24])), got)
			}
		}
	}
}

func TestReadFirst(t *testing.T) {
	b := newBuilder()
	mem := memory.NewGlobal(1 << 20)
	buf, _ := mem.Alloc("buf", 8, false)
	out, limit := b.constant(uint64(buf)), b.constant(66)
	id, s, c := b.reg(isa.I32), b.scalar(), b.reg(isa.B1)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.op(isa.OpLtU, isa.I32, c, id, limit)
	b.brCond(c, 2, 1)
	b.op(isa.OpReadFirst, isa.I32, s, id)
	b.store(isa.I32, isa.SpaceGlobal, out, isa.None, isa.IdxNone, 0, s)
	b.br(2)
	b.ret()
	if f, _ := runGroup(t, b.compile(t), group(t, b.launch(mem, 130)), 256); f != nil {
		t.Fatal(f)
	}
	if got := getLE(mem.Lookup(buf.Alloc()).Data[:4]); got != 66 {
		t.Errorf("first lane is %d, want 66", got)
	}
}

func TestStartAllocatesNothing(t *testing.T) {
	mem := memory.NewGlobal(1 << 20)
	b := inthash(t, mem, 256, 3)
	w := b.compile(t).NewWave(256)
	g := group(t, b.launch(mem, 256))
	if n := testing.AllocsPerRun(10, func() {
		w.Start(g, 0, 256)
		w.Run(0)
	}); n != 0 {
		t.Errorf("%v allocations a wave", n)
	}
}
