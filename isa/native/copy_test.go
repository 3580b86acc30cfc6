package native

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
)

// copied is what copies leave. Their events are in memory, too.
type copied struct {
	Ended    uint64
	Stop     engine.Stop
	ID       [3]uint64
	Memory   [][]byte // buffers and LDS
	Counters engine.Counters
	Fault    *engine.Fault
}

// copies is a kernel of copies of the work-group.
type copies struct {
	*program
	r      *rand.Rand
	events []isa.Reg
	items  int
}

// bufRead is a buffer that kernels cannot write.
const bufRead = 2

// copyRoom is the size of each buffer and of each allocation in LDS.
const copyRoom = 32 << 10

// copyBytes is what buffers hold, a byte further on in each.
var copyBytes = func() []byte {
	data := make([]byte, copyRoom+buffers)
	for i := range data {
		data[i] = byte(i*7 + i>>8*3)
	}
	return data
}()

// operand returns a register with a value, known to the engine or not.
func (p *copies) operand(v uint64) isa.Reg {
	if p.r.IntN(2) == 0 {
		return p.constant(v)
	}
	return p.parameter(v)
}

// pointer returns a register with a pointer into a buffer or into LDS.
func (p *copies) pointer(local bool) isa.Reg {
	if local {
		return p.operand(uint64(memory.MakePointer(memory.SpaceLocal, uint32(1+p.r.IntN(2)), int64(4*max(0, p.r.IntN(12)-6)))))
	}
	if p.r.IntN(40) == 0 {
		return isa.S(bufRead)
	}
	return isa.S(p.r.IntN(bufRead))
}

// copy emits a copy.
func (p *copies) copy() {
	r := p.r
	c := isa.GroupCopy{Name: "copy", Dim: 1 + r.IntN(2)}
	if r.IntN(20) == 0 {
		c.Dim = 3
	}
	in := r.IntN(2) == 0
	c.Args[isa.CopyDst], c.Args[isa.CopySrc] = p.pointer(in), p.pointer(!in)
	size := uint64(1) << r.IntN(4)
	if r.IntN(8) == 0 {
		size = uint64(r.IntN(24))
	}
	if r.IntN(12) == 0 {
		size = 64
	}
	elements, lines := uint64(1+r.IntN(40)), uint64(1+r.IntN(8))
	gap := func() uint64 {
		return map[int]uint64{0: elements, 1: elements + uint64(r.IntN(8)), 2: 1, 3: 2, 4: uint64(r.IntN(40)), 5: elements}[r.IntN(6)]
	}
	args := map[isa.CopyArg]uint64{isa.CopyDstOffset: uint64(r.IntN(20)), isa.CopySrcOffset: uint64(r.IntN(20)), isa.CopyElemBytes: size, isa.CopyElems: elements, isa.CopyLines: lines,
		isa.CopyPlanes: uint64(r.IntN(4)), isa.CopySrcLine: gap(), isa.CopyDstLine: gap(), isa.CopySrcPlane: 100, isa.CopyDstPlane: uint64(r.IntN(200))}
	if r.IntN(40) == 0 {
		wild := []uint64{0, 1 << 10, 1 << 26, 1 << 40, ^uint64(0) - 7, 1<<61 + 3, 1<<62 + 1, 1<<63 + 2} // some are small again in bytes
		args[isa.CopyDstOffset+isa.CopyArg(r.IntN(int(isa.CopyDstPlane)))] = wild[r.IntN(len(wild))]
	}
	edge := r.IntN(12) == 0 && size > 0
	if edge {
		// The last byte is about the last of the allocation.
		end := func(offset, gap isa.CopyArg) {
			reach := (lines-1)*args[gap] + elements
			if c.Dim == 1 {
				reach = (elements-1)*args[gap] + 1
			}
			args[offset] = copyRoom/size - reach + uint64(r.IntN(4)/3)
		}
		end(isa.CopyDstOffset, isa.CopyDstLine)
		end(isa.CopySrcOffset, isa.CopySrcLine)
	}
	for a := range isa.NumCopyArgs {
		if v, ok := args[a]; ok && (edge || a == isa.CopyElems || r.IntN(4) > 0) {
			c.Args[a] = p.operand(v)
		}
	}
	c.Args[isa.CopyElemBytes] = p.constant(size)
	if r.IntN(8) == 0 {
		c.Args[isa.CopyElemBytes] = p.parameter(size)
	}
	if len(p.events) > 0 && r.IntN(2) == 0 {
		c.Args[isa.CopyEvent] = p.events[r.IntN(len(p.events))]
	} else if r.IntN(4) == 0 {
		c.Args[isa.CopyEvent] = p.operand(uint64(r.IntN(2) * 77))
	}
	e := p.constant(0)
	p.events = append(p.events, e)
	p.k.GroupCopies = append(p.k.GroupCopies, c)
	p.emit(isa.Inst{Op: isa.OpGroupCopy, Dst: e, Imm: uint32(len(p.k.GroupCopies) - 1)})
}

// newCopies begins a kernel.
func newCopies(seed uint64) *copies {
	p := &copies{program: newProgram(), r: rand.New(rand.NewPCG(seed, 5)), items: lanes}
	p.k.UsesAsync = true
	p.k.Local = []isa.Alloc{{Name: "a", Size: copyRoom}, {Name: "b", Size: copyRoom}}
	return p
}

// randomCopies makes a kernel of some copies. Work-items may part on the way.
func randomCopies(seed uint64) *copies {
	p := newCopies(seed)
	for range 1 + p.r.IntN(3) {
		p.copy()
	}
	if p.r.IntN(3) == 0 {
		low := p.load(bufMask, isa.B1)
		p.branch(low, 1, 2)
		p.copy()
		p.jump(2)
	}
	for range 1 + p.r.IntN(5) {
		p.copy()
	}
	for i, e := range p.events {
		p.emit(isa.Inst{Op: isa.OpGroupWait, A: e})
		v := p.vector(isa.I64)
		p.emit(isa.Inst{Op: isa.OpMov, Type: isa.I64, Dst: v, A: e})
		p.emit(isa.Inst{Op: isa.OpStore, Type: isa.I64, Space: isa.SpaceGlobal, A: isa.S(bufOut), B: isa.V(lane), Idx: isa.Idx64, Scale: 8, Disp: int32(8 * p.items * i), C: v})
	}
	p.emit(isa.Inst{Op: isa.OpRet})
	return p
}

// diff returns what another engine did differently, "" for nothing.
func (c copied) diff(got copied) string {
	same := slices.EqualFunc(c.Memory, got.Memory, bytes.Equal)
	c.Memory, got.Memory = nil, nil
	if rest := cmp.Diff(c, got); rest != "" || !same {
		return fmt.Sprintf("the same memory %t; (-interp +native):\n%s", same, rest)
	}
	return ""
}

// run runs some work-groups, each of which copies what the one before has left.
func (p *copies) run(t testing.TB, code engine.Code, cfg dma.Config, width int) copied {
	t.Helper()
	mem := memory.NewGlobal(1 << 20)
	l := &engine.Launch{Kernel: p.k, Dim: 1, Global: [3]uint64{2 * uint64(p.items), 1, 1}, Local: [3]uint32{uint32(p.items), 1, 1}, Groups: [3]uint64{2, 1, 1},
		Scalars: slices.Clone(p.k.ScalarInit), Memory: mem, SubgroupSize: 32, LocalSizes: []uint64{copyRoom, copyRoom}}
	var out copied
	for i := range buffers {
		size := uint64(copyRoom)
		if i == bufOut {
			size = uint64(16 * p.items * (1 + len(p.events)))
		}
		b, err := mem.Alloc(fmt.Sprint("buffer ", i), size, i == bufRead)
		if err != nil {
			t.Fatal(err)
		}
		data := mem.Lookup(b.Alloc()).Data
		copy(data, copyBytes[i:])
		out.Memory = append(out.Memory, data)
		l.Scalars[i] = uint64(b)
	}
	lds, err := memory.NewLocal(l.LocalSizes, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	g := &engine.Group{Launch: l, Size: l.Local, LDS: lds, DMA: dma.New(cfg)}
	g.DMA.Reset(dma.Group{Items: p.items, SubgroupSize: 32, Memory: mem, LDS: lds})
	w := code.NewWave(width)
	w.Start(g, 0, p.items)
	out.Ended, out.Stop = w.(engine.Sweeper).Sweep(1)
	g.DMA.End(1 << 40)
	out.ID, out.Counters, out.Fault = g.ID, *w.Counters(), w.Fault()
	for i := range l.LocalSizes {
		out.Memory = append(out.Memory, lds.Lookup(uint32(i+1)).Data)
	}
	return out
}

// TestGroupCopies runs copies of all kinds, with operands that are known, or right, or not.
func TestGroupCopies(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		n, whole := amount(100, 200, 500), 0
		for seed := range n {
			p := randomCopies(uint64(seed))
			portable, native := compile(t, interp.Engine{}, p.k), compile(t, e, p.k)
			for _, cfg := range []dma.Config{{}, {Completion: dma.Late}} {
				want, got := p.run(t, portable, cfg, 192), p.run(t, native, cfg, 192)
				if diff := want.diff(got); diff != "" {
					t.Fatalf("program %d, %+v: %s\n%+v", seed, cfg, diff, p.k.GroupCopies)
				}
				if want.Fault == nil {
					whole++
				}
			}
		}
		if whole < n {
			t.Errorf("only %d of %d runs have no fault", whole, 2*n)
		}
	})
}

// TestLongCopies makes so many copies in one block that machine code comes back in between, also from wide
// waves.
func TestLongCopies(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		for _, items := range []int{lanes, 700, 768, 1500} {
			p := newCopies(uint64(items))
			p.items = items
			n, from, to := p.constant(copyRoom-16), p.constant(uint64(memory.MakePointer(memory.SpaceLocal, 1, 0))), p.constant(uint64(memory.MakePointer(memory.SpaceLocal, 2, 4)))
			for i := range 60 {
				c := isa.GroupCopy{Name: "copy", Dim: 1}
				c.Args[isa.CopyElems] = n
				c.Args[isa.CopyDst], c.Args[isa.CopySrc] = to, isa.S(i%2)
				if i%3 == 0 {
					c.Args[isa.CopyDst], c.Args[isa.CopySrc] = isa.S(3), from
				}
				p.k.GroupCopies = append(p.k.GroupCopies, c)
				p.emit(isa.Inst{Op: isa.OpGroupCopy, Dst: p.constant(0), Imm: uint32(i)})
			}
			p.emit(isa.Inst{Op: isa.OpRet})
			want, got := p.run(t, compile(t, interp.Engine{}, p.k), dma.Config{}, 1536), p.run(t, compile(t, e, p.k), dma.Config{}, 1536)
			if diff := want.diff(got); want.Fault != nil || diff != "" {
				t.Errorf("%d work-items: %+v %s", items, want.Fault, diff)
			}
		}
	})
}

// tile is a kernel that copies lines of 64 bytes many times.
func tile(lines, times uint64) *copies {
	p := newCopies(1)
	c := isa.GroupCopy{Name: "copy", Dim: 2}
	for a, v := range map[isa.CopyArg]uint64{isa.CopyElemBytes: 4, isa.CopyElems: 16, isa.CopyLines: lines, isa.CopySrcLine: 32, isa.CopyDstLine: 16} {
		c.Args[a] = p.parameter(v)
	}
	c.Args[isa.CopyElemBytes] = p.constant(4)
	c.Args[isa.CopyDst], c.Args[isa.CopySrc] = p.constant(uint64(memory.MakePointer(memory.SpaceLocal, 1, 0))), isa.S(0)
	p.k.GroupCopies = []isa.GroupCopy{c}
	n, more, event, zero, one := p.constant(times), p.constant(0), p.constant(0), p.constant(0), p.constant(1)
	p.jump(1)
	p.emit(isa.Inst{Op: isa.OpGroupCopy, Dst: event})
	p.emit(isa.Inst{Op: isa.OpGroupWait, A: event})
	p.emit(isa.Inst{Op: isa.OpSub, Type: isa.I64, Dst: n, A: n, B: one})
	p.emit(isa.Inst{Op: isa.OpNe, Type: isa.I64, Dst: more, A: n, B: zero})
	b := isa.Inst{Op: isa.OpBrCond, A: more}
	b.SetTargets(1, 2)
	p.emit(b)
	p.emit(isa.Inst{Op: isa.OpRet})
	return p
}

// BenchmarkGroupCopy is the time of a copy of 8 lines of 16 floats.
func BenchmarkGroupCopy(b *testing.B) {
	for _, e := range []engine.Engine{interp.Engine{}, hostEngine(b)} {
		b.Run(e.Name(), func(b *testing.B) {
			const times = 100_000
			p := tile(8, times)
			code := compile(b, e, p.k)
			for b.Loop() {
				p.run(b, code, dma.Config{}, 192)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(2*times), "ns/copy")
		})
	}
}

// hostEngine is the engine of this processor.
func hostEngine(t testing.TB) Engine {
	e, err := New()
	if err != nil {
		t.Skip(err)
	}
	return e
}
