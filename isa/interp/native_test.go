package interp

import (
	"encoding/binary"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	waves "github.com/lockstep-gpu/lockstep/isa/wave"
	"github.com/lockstep-gpu/lockstep/memory"
)

// steppedKernel adds up even and odd numbers apart, with a loop and lanes that part, and stores the sums.
func steppedKernel(out memory.Pointer) *builder {
	b := newBuilder()
	p, zero, one, limit := b.constant(uint64(out)), b.constant(0), b.constant(1), b.constant(9)
	id, n, sum, odd, more := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.B1), b.reg(isa.B1)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.op(isa.OpMov, isa.I32, n, id)
	b.op(isa.OpMov, isa.I32, sum, zero)
	b.br(1)
	b.op(isa.OpAnd, isa.I32, n, n, limit)
	b.op(isa.OpAnd, isa.I32, sum, sum, sum)
	b.op(isa.OpEq, isa.I32, odd, n, one)
	b.brCond(odd, 2, 3)
	b.op(isa.OpAdd, isa.I32, sum, sum, limit)
	b.br(3)
	b.op(isa.OpAdd, isa.I32, sum, sum, one)
	b.op(isa.OpAdd, isa.I32, n, n, one)
	b.op(isa.OpLtU, isa.I32, more, sum, limit)
	b.brCond(more, 1, 4)
	b.store(isa.I32, isa.SpaceGlobal, p, id, isa.IdxU32, 4, sum)
	b.ret()
	return b
}

// stepping is machine code that does nothing but what entering a block counts: it leaves each part to this package, and
// resolves slot 0 in front of the last.
func stepping(t *testing.T, k *isa.Kernel, c Prepared) MachineCode {
	m := MachineCode{Layout: c.Layout()}
	extra := m.Layout.Extra(isa.Bank32, 0)
	for i, b := range k.Blocks {
		m.Points = append(m.Points, Point{Block: i, Kind: PointEntry})
		for pc := b.Start; pc < b.End-1; pc++ {
			in := k.Code[pc]
			x := Point{Block: i, Kind: PointPart, Code: []isa.Inst{in}, At: []int{pc}}
			if in.Op == isa.OpStore { // through a register that the kernel does not have
				x.Code = []isa.Inst{{Op: isa.OpMov, Type: isa.I32, Dst: extra, A: in.C}, in}
				x.Code[1].C = extra
				x.At, x.Slots = []int{pc, pc}, []int{0}
				m.Places = []waves.Place{{Access: in, Pointer: in.A, Size: 4, Scale: 4, Most: 1 << 20, Write: true, Fixed: true}}
			}
			m.Points = append(m.Points, x)
		}
		m.Points = append(m.Points, Point{Block: i, Kind: PointEnd})
	}
	m.Run = func(f *waves.Frame) {
		x := &m.Points[f.Point]
		for x.Kind == PointEntry {
			c := waves.Count(k, x.Block)
			n := uint64(f.Active)
			f.Counts.Blocks++
			f.Counts.Instructions += c.Count
			f.Counts.LaneOps += c.Count * n
			f.Counts.Stores += c.Stores * n
			f.Point++
			x = &m.Points[f.Point]
		}
		f.Exit = waves.ExitPart
		if len(x.Slots) > 0 && (*waves.Slot)(f.Slots).Key == waves.NoKey {
			f.Exit = waves.ExitSlots
		}
	}
	return m
}

// TestMachineCode runs a kernel whose machine code leaves everything to this package, and compares it with the kernel
// without.
func TestMachineCode(t *testing.T) {
	const items = 100
	run := func(with bool) ([]byte, engine.Counters, engine.Code) {
		mem := memory.NewGlobal(1 << 20)
		out, err := mem.Alloc("out", 4*items, false)
		if err != nil {
			t.Fatal(err)
		}
		b := steppedKernel(out)
		c, err := Prepare(&isa.Program{Kernels: []*isa.Kernel{b.k}}, b.k)
		if err != nil {
			t.Fatal(err)
		}
		code := c.Code()
		if with {
			code = c.With(stepping(t, b.k, c))
		}
		w := code.NewWave(items).(*wave)
		w.Start(group(t, b.launch(mem, items)), 0, items)
		for stop := w.Run(3); stop != engine.StopDone; stop = w.Run(3) {
			if stop != engine.StopQuantum {
				t.Fatalf("stopped with %d, fault %v", stop, w.Fault())
			}
		}
		if with {
			if s := w.machine.slots[0]; s.Key == waves.NoKey || s.Address == 0 || s.Limit != items-1 {
				t.Errorf("the slot of the store is %+v", s)
			}
		}
		return mem.Lookup(out.Alloc()).Data, *w.Counters(), code
	}
	want, counts, _ := run(false)
	got, same, _ := run(true)
	if string(want) != string(got) || counts != same {
		t.Errorf("got %x, counters %+v\nwant %x, counters %+v", got, same, want, counts)
	}
	if binary.LittleEndian.Uint32(want) == 0 {
		t.Error("the kernel stores nothing")
	}
}

// TestMachineCodeUnresolved checks that a pointer which leads nowhere gives no slot, and the fault of its access.
func TestMachineCodeUnresolved(t *testing.T) {
	b := steppedKernel(memory.MakePointer(memory.SpaceGlobal, 77, 0))
	c, err := Prepare(&isa.Program{Kernels: []*isa.Kernel{b.k}}, b.k)
	if err != nil {
		t.Fatal(err)
	}
	w := c.With(stepping(t, b.k, c)).NewWave(8)
	w.Start(group(t, b.launch(memory.NewGlobal(1<<20), 8)), 0, 8)
	if stop := w.Run(0); stop != engine.StopFault || w.Fault().PC != len(b.k.Code)-2 {
		t.Errorf("stopped with %d, fault %+v", stop, w.Fault())
	}
}
