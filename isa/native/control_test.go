package native

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
)

// flow writes kernels of random control flow: lanes with values x and a sum that tells the way they went.
type flow struct {
	*program
	*rand.Rand
	x, sum, one, three, prime isa.Reg
	depth                     int
	barriers                  bool // the group comes here as a whole
	faults                    bool
	stores                    isa.Reg // an index that is nearly always small enough
	budget                    int
}

// here returns the number of the block that the next instruction begins.
func (f *flow) here() int { return len(f.k.Blocks) }

// pending emits a terminator whose targets are set later.
func (f *flow) pending(in isa.Inst) *isa.Inst {
	f.emit(in)
	at := len(f.k.Code) - 1
	return &isa.Inst{Imm: uint32(at)} // the list may move
}

func (f *flow) set(p *isa.Inst, t0, t1 int) { f.k.Code[p.Imm].SetTargets(t0, t1) }

// work changes the sums of the lanes that run.
func (f *flow) work() {
	for range 1 + f.IntN(3) {
		f.emit(isa.Inst{Op: isa.OpMad, Type: isa.I32, Dst: f.sum, A: f.sum, B: f.prime, C: f.x})
		if f.IntN(4) == 0 {
			f.emit(isa.Inst{Op: isa.OpRotl, Type: isa.I32, Dst: f.x, A: f.x, B: f.three})
		}
		if f.IntN(6) == 0 {
			in := isa.Inst{Op: isa.OpLoad, Type: isa.I32, Space: isa.SpaceGlobal, Dst: f.x, A: isa.S(f.IntN(4)), B: f.stores, Idx: isa.IdxU32, Scale: 8}
			if f.IntN(2) == 0 {
				in.Op, in.Dst, in.C = isa.OpStore, isa.None, f.sum
			}
			f.emit(in)
		}
		if f.IntN(8) == 0 { // no machine code for it
			f.emit(isa.Inst{Op: isa.OpBroadcastFirst, Type: isa.I32, Dst: f.x, A: f.x})
		}
	}
}

// condition returns a vector that is true in some lanes.
func (f *flow) condition() isa.Reg {
	m, y := f.vector(isa.B1), f.vector(isa.I32)
	f.emit(isa.Inst{Op: isa.OpShrU, Type: isa.I32, Dst: y, A: f.x, B: f.constant(uint64(f.IntN(30)))})
	f.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: y, A: y, B: f.constant(uint64(1 + 2*f.IntN(4)))})
	f.emit(isa.Inst{Op: isa.OpNe, Type: isa.I32, Dst: m, A: y, B: f.constant(0)})
	return m
}

// statements emits some statements, each of which ends where a block may begin or go on.
func (f *flow) statements() {
	for range 1 + f.IntN(3) {
		f.work()
		if f.budget--; f.budget < 0 || f.depth > 3 {
			continue
		}
		f.depth++
		switch f.IntN(7) {
		case 0:
			f.choice()
		case 1, 2:
			f.loop(f.vector(isa.I32), true)
		case 3:
			f.loop(f.constant(0), false)
		case 4:
			f.choose()
		case 5:
			if f.barriers {
				f.k.UsesBarrier = true
				b := f.pending(isa.Inst{Op: isa.OpBarrier, Imm2: uint8(isa.ScopeWorkgroup)})
				f.set(b, f.here(), 0)
			}
		case 6:
			if f.faults && f.depth > 1 {
				f.emit(isa.Inst{Op: isa.OpDivU, Type: isa.I32, Dst: f.x, A: f.sum, B: f.x})
			}
		}
		f.depth--
	}
}

// fresh begins a block.
func (f *flow) fresh() {
	p := f.pending(isa.Inst{Op: isa.OpBr})
	f.set(p, f.here(), 0)
}

// choice is an if with or without else.
func (f *flow) choice() {
	whole := f.barriers
	f.barriers = false
	c := f.pending(isa.Inst{Op: isa.OpBrCond, A: f.condition()})
	yes := f.here()
	f.statements()
	out := f.pending(isa.Inst{Op: isa.OpBr})
	no := f.here()
	if f.IntN(2) == 0 {
		f.statements()
		f.fresh()
	}
	f.set(out, f.here(), 0)
	f.set(c, yes, no)
	f.barriers = whole
}

// loop counts n down, from a number of each lane or, as a scalar, from a constant.
func (f *flow) loop(n isa.Reg, vector bool) {
	whole := f.barriers
	f.barriers = whole && !vector
	var cond isa.Reg
	if vector {
		f.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: n, A: f.x, B: f.three})
		cond = f.vector(isa.B1)
	} else {
		cond = f.constant(0)
		f.emit(isa.Inst{Op: isa.OpMov, Type: isa.I32, Dst: n, A: f.three})
	}
	f.fresh()
	head := f.here()
	f.statements()
	var breaks []*isa.Inst
	if vector && f.IntN(2) == 0 {
		b := f.pending(isa.Inst{Op: isa.OpBrCond, A: f.condition()})
		breaks = append(breaks, b)
		next := f.here()
		f.statements()
		b.Disp = int32(next)
	}
	f.emit(isa.Inst{Op: isa.OpSub, Type: isa.I32, Dst: n, A: n, B: f.one})
	f.emit(isa.Inst{Op: isa.OpLtS, Type: isa.I32, Dst: cond, A: f.constant(0), B: n})
	last := f.pending(isa.Inst{Op: isa.OpBrCond, A: cond})
	f.set(last, head, f.here())
	for _, b := range breaks {
		f.set(b, f.here(), int(b.Disp))
	}
	f.barriers = whole
}

// choose is a switch.
func (f *flow) choose() {
	whole := f.barriers
	f.barriers = false
	y := f.vector(isa.I32)
	f.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: y, A: f.x, B: f.constant(7)})
	table := len(f.k.Switches)
	f.k.Switches = append(f.k.Switches, isa.SwitchTable{})
	f.emit(isa.Inst{Op: isa.OpSwitch, Type: isa.I32, A: y, Imm: uint32(table)})
	t := isa.SwitchTable{Values: []uint64{1, 2, 5}}
	var out []*isa.Inst
	for range t.Values {
		t.Targets = append(t.Targets, f.here())
		f.statements()
		out = append(out, f.pending(isa.Inst{Op: isa.OpBr}))
	}
	t.Default = f.here()
	f.k.Switches[table] = t
	for _, p := range out {
		f.set(p, f.here(), 0)
	}
	f.barriers = whole
}

// newFlow returns a random kernel.
func newFlow(seed uint64, faults bool) *flow {
	f := &flow{program: newProgram(), Rand: rand.New(rand.NewPCG(seed, 7)), budget: 12, barriers: true, faults: faults}
	f.one, f.three, f.prime = f.constant(1), f.constant(3), f.constant(0x9e3779b1)
	limit := f.constant(127)
	f.x, f.sum, f.stores = f.load(0, isa.I32), f.load(1, isa.I32), f.vector(isa.I32)
	f.emit(isa.Inst{Op: isa.OpAnd, Type: isa.I32, Dst: f.stores, A: f.x, B: limit})
	if faults && f.IntN(4) == 0 {
		f.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: f.stores, A: f.stores, B: f.constant(24)})
	}
	f.statements()
	f.store(f.sum, isa.I32)
	f.emit(isa.Inst{Op: isa.OpRet})
	return f
}

// moment is what can be seen of a wave when it stops.
type moment struct {
	Stop         engine.Stop
	PC, Barrier  int
	Live, Parked int
	Counters     engine.Counters
}

// diffMoments returns what differs between two waves on their way, "" if nothing does.
func diffMoments(want, got []moment) string {
	if slices.Equal(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// steps runs a kernel with a quantum and returns what was seen at each stop, and what is left in memory.
func steps(t *testing.T, c engine.Code, k *isa.Kernel, contents *[buffers][]uint64, quantum int) (list []moment, o outcome) {
	return stepsOf(t, c, k, contents, quantum, 32)
}

// stepsOf is steps for as many lanes as there are contents, in sub-groups of a size.
func stepsOf(t *testing.T, c engine.Code, k *isa.Kernel, contents *[buffers][]uint64, quantum, subgroup int) (list []moment, o outcome) {
	mem, lanes := memory.NewGlobal(1<<30), len(contents[0])
	l := &engine.Launch{Kernel: k, Dim: 1, Global: [3]uint64{uint64(lanes), 1, 1}, Local: [3]uint32{uint32(lanes), 1, 1}, Groups: [3]uint64{1, 1, 1},
		Scalars: slices.Clone(k.ScalarInit), Memory: mem, SubgroupSize: subgroup, Cancel: &atomic.Bool{}}
	var all [][]byte
	for i := range buffers {
		p, err := mem.Alloc("", uint64(lanes)*8, false)
		if err != nil {
			t.Fatal(err)
		}
		data := mem.Lookup(p.Alloc()).Data
		all = append(all, data)
		for j, v := range contents[i] {
			binary.LittleEndian.PutUint64(data[j*8:], v)
		}
		l.Scalars[i] = uint64(p)
	}
	w := c.NewWave(lanes)
	w.Start(&engine.Group{Launch: l, Size: l.Local}, 0, lanes)
	for {
		stop := w.Run(quantum)
		at := w.(engine.Locator)
		list = append(list, moment{stop, at.PC(), at.BarrierPC(), w.Live(), w.Parked(), *w.Counters()})
		if stop == engine.StopBarrier {
			w.Open()
		} else if stop != engine.StopQuantum {
			break
		}
		if len(list) > 1<<16 {
			t.Fatal("the kernel does not end")
		}
	}
	o = outcome{Counters: *w.Counters(), Fault: w.Fault()}
	for _, data := range all {
		for j := range lanes {
			o.Out = append(o.Out, binary.LittleEndian.Uint64(data[j*8:]))
		}
	}
	return list, o
}

// TestFlow runs kernels of random control flow on both engines and compares them at each stop, for small
// quanta and for none.
func TestFlow(t *testing.T) { each(t, testFlow) }

func testFlow(t *testing.T, e Engine) {
	n := uint64(amount(60, 160, 400))
	for seed := range n {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			f := newFlow(seed, seed%4 == 3)
			portable, code := compile(t, interp.Engine{}, f.k), compile(t, e, f.k)
			data := contents(f.Rand)
			for _, quantum := range []int{0, 1, 2, 3, 7} {
				want, left := steps(t, portable, f.k, data, quantum)
				got, leaves := steps(t, code, f.k, data, quantum)
				if diff := diffMoments(want, got); diff != "" {
					t.Fatalf("quantum %d (-interp +native):\n%s", quantum, diff)
				}
				if diff := left.diff(leaves); diff != "" {
					t.Fatalf("quantum %d (-interp +native):\n%s", quantum, diff)
				}
			}
		})
	}
}

// TestCancel holds that a loop without an end stops when the launch is cancelled, before and while it runs.
func TestCancel(t *testing.T) { each(t, testCancel) }

func testCancel(t *testing.T, e Engine) {
	p := newProgram()
	x := p.load(0, isa.I64)
	p.jump(1)
	p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I64, Dst: x, A: x, B: x})
	p.jump(1)
	c := compile(t, e, p.k)
	for _, before := range []bool{true, false} {
		l := &engine.Launch{Kernel: p.k, Dim: 1, Global: [3]uint64{lanes, 1, 1}, Local: [3]uint32{lanes, 1, 1}, Groups: [3]uint64{1, 1, 1},
			Scalars: slices.Clone(p.k.ScalarInit), Memory: memory.NewGlobal(1 << 20), SubgroupSize: 32, Cancel: &atomic.Bool{}}
		b, err := l.Memory.Alloc("", lanes*8, false)
		if err != nil {
			t.Fatal(err)
		}
		l.Scalars[0] = uint64(b)
		w := c.NewWave(lanes)
		w.Start(&engine.Group{Launch: l, Size: l.Local}, 0, lanes)
		if before {
			l.Cancel.Store(true)
		} else {
			if stop := w.Run(1000); stop != engine.StopQuantum || w.Counters().Blocks != 1001 {
				t.Errorf("stop %d after %d blocks, want a thousand back edges", stop, w.Counters().Blocks)
			}
			go l.Cancel.Store(true)
		}
		if stop := w.Run(0); stop != engine.StopCancelled {
			t.Errorf("cancelled before: %v: stop %d", before, stop)
		}
		if blocks := w.Counters().Blocks; before && blocks != 2 {
			t.Errorf("%d blocks after the launch was cancelled, want 2", blocks)
		}
	}
}
