package interp

import (
	"bytes"
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// choices turns the bytes of a fuzz input into decisions; behind the end it goes on with
// a generator seeded by what was there.
type choices struct {
	data  []byte
	state uint64
}

func (c *choices) n(n int) int {
	var v uint64
	if len(c.data) > 0 {
		v = uint64(c.data[0])
		c.state = c.state*0x9e3779b97f4a7c15 + v + 1
		c.data = c.data[1:]
	} else {
		c.state = c.state*6364136223846793005 + 1442695040888963407
		v = c.state >> 33
	}
	return int(v % uint64(n))
}

func (c *choices) word() (v uint64) {
	for range 8 {
		v = v<<8 | uint64(c.n(256))
	}
	return v >> (c.n(4) * 20)
}

// Each lane of a generated kernel has its own part of each allocation.
const (
	fuzzLanes = 150
	fuzzSlot  = 16 // bytes
)

// randomKernel makes a valid kernel whose lanes do not see each other: blocks
// in any order with branches in any direction, where every jump backwards
// takes one from a counter that the lane starts with.
func randomKernel(c *choices) *isa.Kernel {
	b := newBuilder()
	k := b.k
	k.Private = []isa.Alloc{{Name: "p", Size: fuzzSlot}}
	const regs = 3
	for i := range k.NumVector {
		k.NumVector[i] = regs + 2
	}
	// Registers regs and regs+1 of bank 32 are the lane's fuel and its number,
	// register regs of the masks the condition of a jump backwards.
	fuel, id, goes := isa.V(regs), isa.V(regs+1), isa.V(regs)
	pointers := map[isa.Space]isa.Reg{
		isa.SpaceGlobal:  b.constant(uint64(memory.MakePointer(memory.SpaceGlobal, 1, 0))),
		isa.SpaceLocal:   b.constant(uint64(memory.MakePointer(memory.SpaceLocal, 1, 0))),
		isa.SpacePrivate: b.constant(uint64(memory.MakePointer(memory.SpacePrivate, 1, 0))),
	}
	zero, one, start := b.constant(0), b.constant(1), b.constant(uint64(5+c.n(20)))
	var consts []isa.Reg
	for range 4 {
		consts = append(consts, b.constant(c.word()))
	}
	reg := func(t isa.Type) isa.Reg {
		if c.n(4) == 0 && t != isa.B1 {
			// A scalar holds a value that fits its type.
			return consts[c.n(len(consts))]
		}
		return isa.V(c.n(regs))
	}
	narrow := func(x isa.Reg, t isa.Type) isa.Reg {
		if x.IsScalar() && k.ScalarInit[x.Index()]>>(max(t.Bits(), 1)-1)>>1 != 0 {
			return zero
		}
		return x
	}
	nblocks := 2 + c.n(7)
	last := nblocks // the block of the return
	for blk := range nblocks {
		if blk == 0 {
			b.builtin(isa.BuiltinLocalID, isa.I32, id)
			b.op(isa.OpMov, isa.I32, fuel, start)
		}
		for range c.n(6) {
			randomInst(c, b, reg, narrow, pointers, id)
		}
		// Every block uses fuel, and the lane returns when there is none.
		b.op(isa.OpSub, isa.I32, fuel, fuel, one)
		b.op(isa.OpLtS, isa.I32, goes, zero, fuel)
		forward := func() int { return blk + 1 + c.n(last-blk) }
		switch c.n(5) {
		case 0:
			b.br(forward())
		case 1:
			// An arm backwards is taken only with fuel.
			b.brCond(goes, 1+c.n(nblocks-1), last)
		case 2:
			b.brCond(isa.V(c.n(regs)), forward(), forward())
		case 3:
			b.op(isa.OpAnd, isa.B1, goes, goes, isa.V(c.n(regs)))
			b.brCond(goes, 1+c.n(nblocks-1), forward())
		case 4:
			t := isa.SwitchTable{Default: forward()}
			v := uint64(0)
			for range c.n(5) {
				v += uint64(1 + c.n(3))
				t.Values = append(t.Values, v)
				t.Targets = append(t.Targets, forward())
			}
			k.Switches = append(k.Switches, t)
			b.op(isa.OpAnd, isa.I8, isa.V(0), isa.V(0), b.constant(15))
			b.emit(isa.Inst{Op: isa.OpSwitch, Type: isa.I8, A: isa.V(0), Imm: uint32(len(k.Switches) - 1)})
		}
	}
	for i := range regs {
		b.store(isa.I32, isa.SpaceGlobal, pointers[isa.SpaceGlobal], id, isa.IdxU32, fuzzSlot, isa.V(i))
		k.Code[len(k.Code)-1].Disp = int32(4 * i)
	}
	b.ret()
	return k
}

// randomInst appends an instruction that computes something or uses the lane's memory.
func randomInst(c *choices, b *builder, reg func(isa.Type) isa.Reg, narrow func(isa.Reg, isa.Type) isa.Reg, pointers map[isa.Space]isa.Reg, id isa.Reg) {
	for {
		op := isa.Op(1 + c.n(int(isa.OpPtrDiff)-1))
		inf := op.Info()
		typ := allTypes[c.n(len(allTypes))]
		if c.n(4) == 0 {
			types := []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64}
			typ = types[c.n(4)]
			space := isa.Space(1 + c.n(3))
			p, disp := pointers[space], int32(c.n(fuzzSlot-typ.Bytes()+1))
			in := isa.Inst{Op: isa.OpLoad, Type: typ, Space: space, A: p, Disp: disp}
			if c.n(2) == 0 {
				in.Space = isa.SpaceGeneric
			}
			if space != isa.SpacePrivate {
				in.B, in.Idx, in.Scale = id, isa.IdxU32, fuzzSlot
			}
			in.Dst = isa.V(c.n(3))
			switch {
			case c.n(2) == 0:
				in.Op, in.C, in.Dst = isa.OpStore, narrow(reg(typ), typ), isa.None
			case typ == isa.I32 && c.n(2) == 0:
				in.Op, in.C, in.Imm2, in.Disp = isa.OpAtomic, narrow(reg(typ), typ), uint8(isa.AtomicXchg)+uint8(c.n(2)*4), disp&^3
			}
			b.emit(in)
			return
		}
		if !inf.Types.Has(typ) || op == isa.OpReadFirst || op == isa.OpMath1 || op == isa.OpMath2 || op == isa.OpMath3 ||
			op == isa.OpBitInsert || op == isa.OpBitExtractS || op == isa.OpBitExtractU || op == isa.OpPtrAdd {
			continue
		}
		in := isa.Inst{Op: op, Type: typ, Dst: isa.V(c.n(3))}
		switch inf.Shape {
		case isa.ShapeUnary, isa.ShapeBinary, isa.ShapeTernary, isa.ShapeCompare:
			in.A, in.B, in.C = narrow(reg(typ), typ), narrow(reg(typ), typ), narrow(reg(typ), typ)
			if op >= isa.OpDivS && op <= isa.OpModS && c.n(3) > 0 {
				continue // few kernels would get past all of them
			}
		case isa.ShapeSelect:
			in.A, in.B, in.C = reg(isa.B1), narrow(reg(typ), typ), narrow(reg(typ), typ)
		case isa.ShapeConvert:
			in.Type2 = allTypes[c.n(len(allTypes))]
			if !inf.Src.Has(in.Type2) || typ.IsInt() && in.Type2.IsInt() && !widthFits(op, typ, in.Type2) {
				continue
			}
			in.A = narrow(reg(in.Type2), in.Type2)
			in.Flags = in.Flags.WithRound(isa.Round(c.n(5)))
		default:
			continue
		}
		b.emit(in)
		return
	}
}

// checkKernel runs a kernel in waves of several widths and compares memory
// and faults with the reference.
func checkKernel(t *testing.T, k *isa.Kernel) {
	t.Helper()
	size := fuzzLanes * fuzzSlot
	want := &model{global: make([]byte, size), local: make([]byte, size)}
	for i := range size {
		want.global[i] = byte(i * 7)
	}
	input := bytes.Clone(want.global)
	l := &engine.Launch{Kernel: k, Dim: 1, Global: [3]uint64{fuzzLanes, 1, 1}, Local: [3]uint32{fuzzLanes, 1, 1}, Groups: [3]uint64{1, 1, 1},
		Scalars: k.ScalarInit, SubgroupSize: 8, LocalSizes: []uint64{uint64(size)}}
	ref := &reference{k: k, l: l, mem: want, limit: 1 << 20,
		alloc: map[memory.Space]uint32{memory.SpaceGlobal: 1, memory.SpaceLocal: 1, memory.SpacePrivate: 1}}
	faults := map[int]*refFault{}
	for lane := range fuzzLanes {
		want.private = append(want.private, make([]byte, fuzzSlot))
		if err := ref.run(lane); err != nil {
			var f *refFault
			if !errors.As(err, &f) {
				t.Fatal(err)
			}
			faults[lane] = f
		}
	}
	c, err := Engine{}.Compile(&isa.Program{}, k)
	if err != nil {
		t.Fatalf("%v\n%s", err, k.Text(&isa.Program{}))
	}
	for _, width := range []int{1, 24, 64, 96, 256} {
		mem := memory.NewGlobal(1 << 20)
		p, err := mem.Alloc("buf", uint64(size), false)
		if err != nil {
			t.Fatal(err)
		}
		copy(mem.Lookup(p.Alloc()).Data, input)
		l.Memory = mem
		g := group(t, l)
		f, n := runGroup(t, c, g, width)
		if f != nil {
			// Lanes that wait while another faults never get further: compare the
			// fault only.
			r := faults[f.Lane]
			if r == nil || r.pc != f.PC || r.code != f.Code {
				t.Fatalf("width %d: fault %+v, want %v\n%s", width, f, r, k.Text(&isa.Program{}))
			}
			continue
		}
		if len(faults) > 0 {
			t.Fatalf("width %d: no fault, want %v\n%s", width, faults, k.Text(&isa.Program{}))
		}
		if n.LaneOps != uint64(ref.steps) {
			t.Fatalf("width %d: %d lane operations, want %d\n%s", width, n.LaneOps, ref.steps, k.Text(&isa.Program{}))
		}
		for name, pair := range map[string][2][]byte{"global": {mem.Lookup(1).Data, want.global}, "local": {g.LDS.Lookup(1).Data, want.local}} {
			if i := firstDifference(pair[0], pair[1]); i >= 0 {
				t.Fatalf("width %d: %s byte %d (lane %d): %#x, want %#x\n%s", width, name, i, i/fuzzSlot, pair[0][i], pair[1][i], k.Text(&isa.Program{}))
			}
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// TestRandomKernels runs kernels that a fuzz input could have made.
func TestRandomKernels(t *testing.T) {
	n := 300
	if testing.Short() {
		n = 50
	}
	for seed := range n {
		checkKernel(t, randomKernel(&choices{state: uint64(seed) * 0x9e3779b97f4a7c15}))
	}
}

func FuzzKernel(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("divergence"))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkKernel(t, randomKernel(&choices{data: data}))
	})
}
