package interp

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// recorder is a sink and a tracer that keeps what it is told.
type recorder struct {
	findings []string
	details  map[string]*dma.Detail
	issued   []dma.Transfer
	waits    []string
	marks    []string
}

func (r *recorder) Missed(dma.Missed) {}

func (r *recorder) Finding(code finding.Code, pc, item, n int) *dma.Detail {
	name := fmt.Sprintf("%s@%d", code, pc)
	if r.details[name] != nil {
		return nil
	}
	if r.details == nil {
		r.details = map[string]*dma.Detail{}
	}
	r.details[name] = &dma.Detail{}
	r.findings = append(r.findings, name)
	return r.details[name]
}

func (r *recorder) Issue(t *dma.Transfer)  { r.issued = append(r.issued, *t) }
func (r *recorder) Complete(*dma.Transfer) {}

func (r *recorder) Wait(from, to uint64, pc, wave int, what string, upTo uint64) {
	r.waits = append(r.waits, fmt.Sprintf("%d-%d: pc %d wave %d %s", from, to, pc, wave, what))
}

func (r *recorder) Mark(now uint64, pc, wave, seq int, items dma.Items) {
	r.marks = append(r.marks, fmt.Sprintf("%d: pc %d wave %d sequence %d items %d+%x", now, pc, wave, seq, items.First, items.Mask))
}

// TestGroupCopyOperandsDiffer calls package dma once for each set of operands.
func TestGroupCopyOperandsDiffer(t *testing.T) {
	mem := memory.NewGlobal(1 << 20)
	in := place(t, mem, "in", numbers(64, 1))
	b := newAsyncBuilder()
	to, from, n := b.constant(local1), b.constant(uint64(in)), b.constant(4)
	event := b.reg(isa.I64)
	id, wide, off := b.reg(isa.I32), b.reg(isa.I64), b.reg(isa.I64)
	two := b.constant(2)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.emit(isa.Inst{Op: isa.OpZExt, Type: isa.I64, Type2: isa.I32, Dst: wide, A: id})
	b.op(isa.OpAnd, isa.I64, off, wide, two)
	c := isa.GroupCopy{Name: "OpGroupAsyncCopy", Dim: 1}
	c.Args[isa.CopyDst], c.Args[isa.CopySrc], c.Args[isa.CopyElems], c.Args[isa.CopySrcOffset] = to, from, n, off
	pc := b.groupCopy(event, c)
	b.groupWait(event)
	b.ret()
	l := b.launch(mem, 8)
	l.LocalSizes, l.Check = []uint64{64}, true
	var r recorder
	g := asyncGroup(t, l, dma.Config{Check: true, Sink: &r})
	if f, _ := runGroup(t, b.compile(t), g, 32); f != nil {
		t.Fatalf("fault %+v", f)
	}
	g.DMA.End(0)
	name := fmt.Sprintf("%s@%d", finding.AsyncDiff, pc)
	if d := r.details[name]; len(r.findings) != 1 || d == nil || len(d.Sets) != 2 ||
		d.Sets[0].Items.String() != "0–1" && d.Sets[0].Items.String() != "0–1, 4–5" || d.Sets[1].Items.String() != "2–3, 6–7" && d.Sets[1].Items.String() != "2–3" {
		t.Errorf("findings %v, %+v", r.findings, d)
	}
	// The first to come decide.
	if got := g.LDS.Lookup(1).Data[:4]; !bytes.Equal(got, numbers(64, 1)[:4]) {
		t.Errorf("copied %x", got)
	}
}

// TestWatchBlocks announces block accesses: a read of what a copy fills and a write
// to what it reads are found before the wait, and not behind it.
func TestWatchBlocks(t *testing.T) {
	mem := memory.NewGlobal(1 << 20)
	in := place(t, mem, "in", numbers(256, 1))
	b := newAsyncBuilder()
	to, from, n, bytes := b.constant(local1), b.constant(uint64(in)), b.constant(16), b.constant(4)
	event, v := b.reg(isa.I64), b.reg(isa.I32)
	c := isa.GroupCopy{Name: "OpGroupAsyncCopy", Dim: 1}
	c.Args[isa.CopyDst], c.Args[isa.CopySrc], c.Args[isa.CopyElems], c.Args[isa.CopyElemBytes] = to, from, n, bytes
	b.groupCopy(event, c)
	load := isa.Inst{Op: isa.OpBlockLoad, Type: isa.I32, Dst: v, A: to, Space: isa.SpaceLocal, Imm: 1}
	store := isa.Inst{Op: isa.OpBlockStore, Type: isa.I32, C: v, A: from, Space: isa.SpaceGlobal, Disp: 32}
	beyond := store
	beyond.Imm = 2 // elements 16 to 23, which the copy does not read
	beyond.Disp = 0
	first := len(b.k.Code)
	for _, in := range []isa.Inst{load, store, beyond} {
		b.emit(in)
	}
	b.groupWait(event)
	b.emit(load)
	b.emit(store)
	b.ret()
	l := b.launch(mem, 8)
	l.SubgroupSize, l.LocalSizes, l.Check = 8, []uint64{64}, true
	var r recorder
	g := asyncGroup(t, l, dma.Config{Check: true, Sink: &r})
	if f, _ := runGroup(t, b.compile(t), g, 8); f != nil {
		t.Fatalf("fault %+v", f)
	}
	g.DMA.End(0)
	want := []string{fmt.Sprintf("%s@%d", finding.AsyncRead, first), fmt.Sprintf("%s@%d", finding.AsyncWrite, first+1)}
	if !slices.Equal(r.findings, want) {
		t.Errorf("findings %v, want %v", r.findings, want)
	}
}

// TestLaneCopyNotUniform makes findings of operands that differ in a sub-group.
func TestLaneCopyNotUniform(t *testing.T) {
	mem := memory.NewGlobal(1 << 20)
	g := place(t, mem, "g", numbers(512, 0))
	b := newAsyncBuilder()
	b.constant(local1)
	one := b.constant(1)
	id, off := b.reg(isa.I32), b.reg(isa.I32)
	op := isa.LaneCopy{Name: "raw.buffer.load.lds", Kind: isa.LaneBuffer, Size: 1, LDS: isa.S(0), SOffset: off}
	for i, w := range (memory.Resource{Base: g, Records: 80}).Words() {
		op.Resource[i] = b.constant(uint64(w))
	}
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.op(isa.OpAnd, isa.I32, off, id, one)
	var r recorder
	f, pc, gr := runLane(t, mem, b, op, dma.Config{Check: true, Sink: &r})
	if f != nil {
		t.Fatalf("fault %+v", f)
	}
	d := r.details[fmt.Sprintf("%s@%d", finding.AsyncUniform, pc)]
	if len(r.findings) != 1 || d == nil || len(d.Sets) != 2 || d.Sets[0].Items.String() != "0" || d.Sets[1].Items.String() != "1" ||
		len(d.Sets[1].Args) != 1 || d.Sets[1].Args[0].Value != 1 {
		t.Errorf("findings %v: %+v", r.findings, d)
	}
	// The first lane's counts: offset 0 for all.
	if got := gr.LDS.Lookup(1).Data[:9]; !bytes.Equal(got, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("copied %x", got)
	}
}

// TestClock checks the time that package dma is told: exact inside of blocks,
// and behind jumps, barriers and stalls.
func TestClock(t *testing.T) {
	mem := memory.NewGlobal(1 << 20)
	in := place(t, mem, "in", numbers(64, 1))
	b := newAsyncBuilder()
	c := isa.GroupCopy{Name: "OpGroupAsyncCopy", Dim: 1}
	c.Args[isa.CopyDst], c.Args[isa.CopySrc], c.Args[isa.CopyElems] = b.constant(local1), b.constant(uint64(in)), b.constant(16)
	event := b.scalar()
	id := b.reg(isa.I32)
	b.async(isa.OpAsyncScope, 0, 0)            // 1
	b.builtin(isa.BuiltinLocalID, isa.I32, id) // 2
	b.groupCopy(event, c)                      // 3
	b.builtin(isa.BuiltinLocalID, isa.I32, id) // 4
	b.br(1)                                    // 5
	b.builtin(isa.BuiltinLocalID, isa.I32, id) // 6
	wait := b.groupWait(event)                 // 7
	mark := b.async(isa.OpAsyncMark, 0, 0)     // 8 and the stall
	b.barrier(isa.ScopeWorkgroup, 2)
	b.groupCopy(event, c)
	b.groupWait(event)
	b.ret()
	l := b.launch(mem, 8)
	l.LocalSizes = []uint64{64}
	var r recorder
	g := asyncGroup(t, l, dma.Config{Completion: dma.Paced, BytesPerStep: 1, Tracer: &r})
	w := b.compile(t).NewWave(32)
	w.Start(g, 0, 8)
	g.Turn = 1000
	w.Run(0)
	if len(r.issued) != 1 || r.issued[0].Issued != 1003 {
		t.Fatalf("issued %+v", r.issued)
	}
	// 16 bytes, one a tick.
	stall := g.Turn - 1000
	if stall < 8 || stall > 16 {
		t.Errorf("stalled for %d ticks", stall)
	}
	if want := fmt.Sprintf("1007-%d: pc %d wave 0 event 1", 1007+stall, wait); len(r.waits) != 1 || r.waits[0] != want {
		t.Errorf("waits %q, want %q", r.waits, want)
	}
	if want := fmt.Sprintf("%d: pc %d wave 0 sequence 0 items 0+[ff]", 1008+stall, mark); len(r.marks) != 1 || r.marks[0] != want {
		t.Errorf("marks %q, want %q", r.marks, want)
	}
	if n := w.Counters().Instructions; n != 9 {
		t.Fatalf("%d instructions", n)
	}
	g.Turn = 5000 - 9
	w.Open()
	w.Run(0)
	if len(r.issued) != 2 || r.issued[1].Issued != 5001 {
		t.Errorf("issued %+v", r.issued)
	}
}

// TestWatch checks that every access is announced, with who, where and when, and
// that kernels which need not be watched are not.
func TestWatch(t *testing.T) {
	kernel := func() (*builder, *memory.Global, [4]int) {
		mem := memory.NewGlobal(1 << 20)
		in := place(t, mem, "in", numbers(64, 1))
		b := newAsyncBuilder()
		b.k.Private = []isa.Alloc{{Name: "p", Size: 64}}
		c := isa.GroupCopy{Name: "OpGroupAsyncCopy", Dim: 1}
		c.Args[isa.CopyDst], c.Args[isa.CopySrc], c.Args[isa.CopyElems] = b.constant(local1), b.constant(uint64(in)), b.constant(32)
		lds, global, private, n := b.constant(local1), b.constant(uint64(in)), b.constant(isa.PointerBits(isa.SpacePrivate, 0)), b.constant(4)
		event := b.scalar()
		id, v := b.reg(isa.I32), b.reg(isa.I32)
		b.builtin(isa.BuiltinLocalID, isa.I32, id)
		b.groupCopy(event, c)
		var pcs [4]int
		b.load(isa.I32, isa.SpacePrivate, v, private, id, isa.IdxU32, 4)
		pcs[0] = b.load(isa.I32, isa.SpaceLocal, v, lds, id, isa.IdxU32, 4)
		pcs[1] = b.store(isa.I32, isa.SpaceGeneric, global, id, isa.IdxU32, 4, v)
		pcs[2] = b.emit(isa.Inst{Op: isa.OpAtomic, Type: isa.I32, Space: isa.SpaceLocal, A: lds, C: v, Imm2: uint8(isa.AtomicAdd)})
		pcs[3] = b.emit(isa.Inst{Op: isa.OpMemCopy, A: global, B: lds, C: n})
		b.groupWait(event)
		b.load(isa.I32, isa.SpaceLocal, v, lds, id, isa.IdxU32, 4)
		b.ret()
		return b, mem, pcs
	}
	for _, completion := range []dma.Completion{dma.Early, dma.Late, dma.Seeded, dma.Paced} {
		b, mem, pcs := kernel()
		l := b.launch(mem, 8)
		l.LocalSizes, l.Check = []uint64{64}, true
		var r recorder
		g := asyncGroup(t, l, dma.Config{Check: true, Sink: &r, Completion: completion})
		if f, _ := runGroup(t, b.compile(t), g, 32); f != nil {
			t.Fatalf("fault %+v", f)
		}
		g.DMA.End(0)
		for _, name := range []string{
			fmt.Sprintf("%s@%d", finding.AsyncRead, pcs[0]), fmt.Sprintf("%s@%d", finding.AsyncWrite, pcs[1]),
			fmt.Sprintf("%s@%d", finding.AsyncWrite, pcs[2]), fmt.Sprintf("%s@%d", finding.AsyncWrite, pcs[3]),
			fmt.Sprintf("%s@%d", finding.AsyncRead, pcs[3]),
		} {
			if !slices.Contains(r.findings, name) {
				t.Errorf("%s: no finding %s in %v", completion, name, r.findings)
			}
		}
		if len(r.findings) != 5 {
			t.Errorf("%s: findings %v", completion, r.findings)
		}
	}
	b, _, _ := kernel()
	c := b.compile(t).(*compiledKernel)
	watched := 0
	for _, blk := range c.blocks(decodeOptions{watch: true}) {
		watched += len(blk.body)
	}
	for _, blk := range c.blocks(decodeOptions{}) {
		watched -= len(blk.body)
	}
	if watched != 5 {
		t.Errorf("%d instructions more when watched, want 5", watched)
	}
}

// TestSubgroupBarrierOrdersCopies checks that a sub-group barrier counts as one
// of the work-group where there is no other sub-group: the LDS that all have
// written before it may be copied.
func TestSubgroupBarrierOrdersCopies(t *testing.T) {
	for _, items := range []int{16, 17} {
		mem := memory.NewGlobal(1 << 20)
		out := place(t, mem, "out", make([]byte, 128))
		b := newAsyncBuilder()
		c := isa.GroupCopy{Name: "OpGroupAsyncCopy", Dim: 1}
		c.Args[isa.CopyDst], c.Args[isa.CopySrc], c.Args[isa.CopyElems] = b.constant(uint64(out)), b.constant(local1), b.constant(64)
		lds := b.constant(local1)
		event := b.scalar()
		id := b.reg(isa.I32)
		b.builtin(isa.BuiltinLocalID, isa.I32, id)
		b.store(isa.I32, isa.SpaceLocal, lds, id, isa.IdxU32, 4, id)
		b.barrier(isa.ScopeSubgroup, 1)
		pc := b.groupCopy(event, c)
		b.groupWait(event)
		b.ret()
		l := b.launch(mem, items)
		l.LocalSizes, l.Check, l.SubgroupSize = []uint64{128}, true, 16
		var r recorder
		g := asyncGroup(t, l, dma.Config{Check: true, Sink: &r})
		if f, _ := runGroup(t, b.compile(t), g, 32); f != nil {
			t.Fatalf("fault %+v", f)
		}
		g.DMA.End(0)
		var want []string
		if items > 16 {
			want = []string{fmt.Sprintf("%s@%d", finding.AsyncRace, pc)}
		}
		if !slices.Equal(r.findings, want) {
			t.Errorf("%d work-items: findings %v, want %v", items, r.findings, want)
		}
	}
}

// TestAlike partitions lanes of several chunks, some of which do not run.
func TestAlike(t *testing.T) {
	const items = 150
	b := newAsyncBuilder()
	id, wide, part, on := b.reg(isa.I32), b.reg(isa.I64), b.reg(isa.I64), b.reg(isa.B1)
	mask, limit := b.constant(0x81), b.constant(140)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.emit(isa.Inst{Op: isa.OpZExt, Type: isa.I64, Type2: isa.I32, Dst: wide, A: id})
	b.op(isa.OpAnd, isa.I64, part, wide, mask) // 0, 1, 128 or 129
	b.op(isa.OpLtU, isa.I32, on, id, limit)
	b.brCond(on, 1, 2)
	b.groupWait(part)
	b.br(2)
	b.ret()
	c := b.compile(t).(*compiledKernel)
	w := c.NewWave(256).(*wave)
	g := asyncGroup(t, b.launch(memory.NewGlobal(0), items), dma.Config{})
	w.Start(g, 0, items)
	if s := w.Run(0); s != engine.StopDone {
		t.Fatalf("stopped with %d", s)
	}
	// The registers keep their values; lanes from 140 on did not wait.
	w.exec = w.exec[:3]
	w.exec[0], w.exec[1], w.exec[2] = full, full, 1<<12-1
	count := func(operands []vectorOperand) (got []string) {
		w.alike(operands, func(k, i int, lanes []uint64) bool {
			n := 0
			for _, m := range lanes {
				n += bits.OnesCount64(m)
			}
			got = append(got, fmt.Sprintf("%d: %d of %d", k*64+i, w.reg(part, isa.I64, k, i), n))
			return len(got) < 3
		})
		return got
	}
	if got, want := count([]vectorOperand{{part, isa.I64, "event"}}), []string{"0: 0 of 64", "1: 1 of 64", "128: 128 of 6"}; !slices.Equal(got, want) {
		t.Errorf("sets %q, want %q", got, want)
	}
	w.exec[2] = 0
	w.exec[0], w.exec[1] = 0x5555, 0x5555<<40
	if got, want := count([]vectorOperand{{part, isa.I64, "event"}}), []string{"0: 0 of 16"}; !slices.Equal(got, want) {
		t.Errorf("sets %q, want %q", got, want)
	}
	if got, want := count(nil), []string{"0: 0 of 16"}; !slices.Equal(got, want) {
		t.Errorf("sets %q, want %q", got, want)
	}
}
