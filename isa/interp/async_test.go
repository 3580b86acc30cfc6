package interp

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// asyncGroup is group for kernels that copy.
func asyncGroup(t testing.TB, l *engine.Launch, cfg dma.Config) *engine.Group {
	t.Helper()
	g := group(t, l)
	g.DMA = dma.New(cfg)
	g.Watch = cfg.Check || cfg.Completion == dma.Seeded || cfg.Completion == dma.Paced
	items := int(l.Local[0] * l.Local[1] * l.Local[2])
	g.DMA.Reset(dma.Group{Items: items, SubgroupSize: l.SubgroupSize, Memory: l.Memory, LDS: g.LDS})
	return g
}

// completions are configurations under each of which a correct kernel must do
// the same.
func completions() []dma.Config {
	list := []dma.Config{{}, {Completion: dma.Late}, {Completion: dma.Late, Engines: 1, QueueDepth: 1},
		{Completion: dma.Paced, BytesPerStep: 1}, {Completion: dma.Paced, BytesPerStep: 1000, Engines: 7}}
	for seed := range uint64(4) {
		list = append(list, dma.Config{Completion: dma.Seeded, Seed: seed})
	}
	return list
}

func newAsyncBuilder() *builder {
	b := newBuilder()
	b.k.UsesAsync = true
	return b
}

func (b *builder) groupCopy(dst isa.Reg, c isa.GroupCopy) int {
	b.k.GroupCopies = append(b.k.GroupCopies, c)
	return b.emit(isa.Inst{Op: isa.OpGroupCopy, Dst: dst, Imm: uint32(len(b.k.GroupCopies) - 1)})
}

func (b *builder) groupWait(event isa.Reg) int {
	return b.emit(isa.Inst{Op: isa.OpGroupWait, A: event})
}

func (b *builder) laneCopy(c isa.LaneCopy) int {
	b.k.LaneCopies = append(b.k.LaneCopies, c)
	return b.emit(isa.Inst{Op: isa.OpLaneCopy, Imm: uint32(len(b.k.LaneCopies) - 1)})
}

// async appends an instruction on a sequence of marks.
func (b *builder) async(op isa.Op, seq, n int) int {
	b.k.MarkSequences = max(b.k.MarkSequences, seq+1)
	return b.emit(isa.Inst{Op: op, Imm: uint32(seq), Scale: uint32(n)})
}

// numbers returns n bytes that differ from their neighbours.
func numbers(n int, seed byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7) + byte(i>>8)*3 + seed
	}
	return b
}

// place makes a global allocation with the given contents.
func place(t testing.TB, mem *memory.Global, name string, data []byte) memory.Pointer {
	t.Helper()
	p, err := mem.Alloc(name, uint64(len(data)), false)
	if err != nil {
		t.Fatal(err)
	}
	copy(mem.Lookup(p.Alloc()).Data, data)
	return p
}

// place32 is place for 32-bit words.
func place32(t testing.TB, mem *memory.Global, name string, words []uint32) memory.Pointer {
	t.Helper()
	data := make([]byte, 4*len(words))
	for i, w := range words {
		putLE(data[4*i:][:4], uint64(w))
	}
	return place(t, mem, name, data)
}

// place64 is place for 64-bit words.
func place64(t testing.TB, mem *memory.Global, name string, words []uint64) memory.Pointer {
	t.Helper()
	data := make([]byte, 8*len(words))
	for i, w := range words {
		putLE(data[8*i:][:8], w)
	}
	return place(t, mem, name, data)
}

var local1 = uint64(memory.MakePointer(memory.SpaceLocal, 1, 0))

// TestGroupCopyWaits lets a group copy a tile, wait, and read it; what each item
// read goes out again.
func TestGroupCopyWaits(t *testing.T) {
	const items = 100
	for _, width := range []int{32, 64, 128} {
		for _, cfg := range completions() {
			mem := memory.NewGlobal(1 << 20)
			src := numbers(16*40, 5)
			in, out := place(t, mem, "in", src), place(t, mem, "out", make([]byte, 4*items))
			b := newAsyncBuilder()
			b.k.Local = []isa.Alloc{{Name: "tile", Size: 512}}
			c := isa.GroupCopy{Name: "GroupAsyncCopy2D2D", Dim: 2}
			// 13 lines of 8 elements of 4 bytes, from every 10 elements to every 9.
			for a, v := range map[isa.CopyArg]uint64{isa.CopyDst: local1, isa.CopyDstOffset: 2, isa.CopySrc: uint64(in), isa.CopySrcOffset: 3,
				isa.CopyElemBytes: 4, isa.CopyElems: 8, isa.CopyLines: 13, isa.CopySrcLine: 10, isa.CopyDstLine: 9} {
				c.Args[a] = b.constant(v)
			}
			tile, dst := b.constant(local1), b.constant(uint64(out))
			event := b.scalar()
			id, v := b.reg(isa.I32), b.reg(isa.I32)
			b.builtin(isa.BuiltinLocalID, isa.I32, id)
			b.groupCopy(event, c)
			b.groupWait(event)
			b.br(1)
			b.barrier(isa.ScopeWorkgroup, 2)
			b.load(isa.I32, isa.SpaceLocal, v, tile, id, isa.IdxU32, 4)
			b.store(isa.I32, isa.SpaceGlobal, dst, id, isa.IdxU32, 4, v)
			b.ret()
			l := b.launch(mem, items)
			l.LocalSizes = []uint64{512}
			g := asyncGroup(t, l, cfg)
			if f, _ := runGroup(t, b.compile(t), g, width); f != nil {
				t.Fatalf("fault %+v", f)
			}
			g.DMA.End(0)
			want := make([]byte, 512)
			for line := range 13 {
				copy(want[(2+line*9)*4:][:32], src[(3+line*10)*4:])
			}
			if got := mem.Lookup(out.Alloc()).Data; !bytes.Equal(got, want[:4*items]) {
				t.Errorf("width %d, %+v: the tile was read as\n%x, want\n%x", width, cfg, got, want[:4*items])
			}
		}
	}
}

// TestGroupCopyEventsByLane keeps events in vector registers, of which each lane
// has its own, joins copies to them and waits for them.
func TestGroupCopyEventsByLane(t *testing.T) {
	const items = 48
	for _, width := range []int{16, 48} {
		for _, cfg := range completions() {
			mem := memory.NewGlobal(1 << 20)
			src := numbers(64, 9)
			in, out := place(t, mem, "in", src), place64(t, mem, "out", make([]uint64, 3*items))
			b := newAsyncBuilder()
			zero, n, from, to, eight := b.constant(0), b.constant(16), b.constant(uint64(in)), b.constant(local1), b.constant(8)
			dst := b.constant(uint64(out))
			rows := []isa.Reg{b.constant(0), b.constant(items), b.constant(2 * items)}
			id, e1, e2, e3, x := b.reg(isa.I32), b.reg(isa.I64), b.reg(isa.I64), b.reg(isa.I64), b.reg(isa.I32)
			c := isa.GroupCopy{Name: "OpGroupAsyncCopy", Dim: 1}
			c.Args[isa.CopyDst], c.Args[isa.CopySrc], c.Args[isa.CopyElems], c.Args[isa.CopyEvent] = to, from, n, zero
			b.builtin(isa.BuiltinLocalID, isa.I32, id)
			b.groupCopy(e1, c)
			c.Args[isa.CopyDstOffset], c.Args[isa.CopySrcOffset], c.Args[isa.CopyEvent] = n, n, e1
			b.groupCopy(e2, c)
			c.Args[isa.CopyDstOffset], c.Args[isa.CopySrcOffset], c.Args[isa.CopyEvent] = isa.None, eight, isa.None
			b.groupWait(e2)
			b.groupCopy(e3, c)
			b.groupWait(e3)
			for i, e := range []isa.Reg{e1, e2, e3} {
				b.op(isa.OpAdd, isa.I32, x, id, rows[i])
				b.store(isa.I64, isa.SpaceGlobal, dst, x, isa.IdxU32, 8, e)
			}
			b.ret()
			l := b.launch(mem, items)
			l.LocalSizes, l.SubgroupSize = []uint64{64}, 16
			g := asyncGroup(t, l, cfg)
			if f, _ := runGroup(t, b.compile(t), g, width); f != nil {
				t.Fatalf("fault %+v", f)
			}
			g.DMA.End(0)
			got := mem.Lookup(out.Alloc()).Data
			for i := range items {
				for k, want := range []uint64{1, 1, 2} {
					if e := getLE(got[8*(k*items+i):][:8]); e != want {
						t.Fatalf("width %d, %+v: item %d: event %d of copy %d, want %d", width, cfg, i, e, k, want)
					}
				}
			}
			want := append(slices.Clone(src[8:24]), src[16:32]...)
			if tile := g.LDS.Lookup(1).Data[:32]; !bytes.Equal(tile, want) {
				t.Errorf("width %d, %+v: tile %x, want %x", width, cfg, tile, want)
			}
		}
	}
}

// TestGroupCopyFaults checks the fault of a copy out of bounds.
func TestGroupCopyFaults(t *testing.T) {
	for name, change := range map[string]struct {
		args map[isa.CopyArg]uint64
		code finding.Code
		at   string
		line string
	}{
		"source":        {map[isa.CopyArg]uint64{isa.CopySrcOffset: 60}, finding.OutOfBounds, "in+60", ""},
		"destination":   {map[isa.CopyArg]uint64{isa.CopyDstOffset: 30}, finding.OutOfBounds, "tile+30", ""},
		"third line":    {map[isa.CopyArg]uint64{isa.CopyLines: 4, isa.CopyDstLine: 13}, finding.OutOfBounds, "tile+26", "line 2 of 4"},
		"null":          {map[isa.CopyArg]uint64{isa.CopySrc: 0}, finding.NullPointer, "null", ""},
		"both in LDS":   {map[isa.CopyArg]uint64{isa.CopySrc: local1}, finding.BadPointer, "local:1+0", ""},
		"both global":   {map[isa.CopyArg]uint64{isa.CopyDst: 0x1000010000000000}, finding.BadPointer, "global:1+0", ""},
		"from private":  {map[isa.CopyArg]uint64{isa.CopySrc: isa.PointerBits(isa.SpacePrivate, 0)}, finding.BadPointer, "private:1+0", ""},
		"to private":    {map[isa.CopyArg]uint64{isa.CopyDst: isa.PointerBits(isa.SpacePrivate, 0)}, finding.BadPointer, "private:1+0", ""},
		"no allocation": {map[isa.CopyArg]uint64{isa.CopyDst: uint64(memory.MakePointer(memory.SpaceLocal, 7, 0))}, finding.BadPointer, "local:7+0", ""},
	} {
		mem := memory.NewGlobal(1 << 20)
		in := place(t, mem, "in", make([]byte, 64))
		b := newAsyncBuilder()
		b.k.Local = []isa.Alloc{{Name: "tile", Size: 32}}
		c := isa.GroupCopy{Name: "GroupAsyncCopy2D2D", Dim: 2}
		args := map[isa.CopyArg]uint64{isa.CopyDst: local1, isa.CopySrc: uint64(in), isa.CopyElems: 8, isa.CopyLines: 1}
		for a, v := range change.args {
			args[a] = v
		}
		for a, v := range args {
			c.Args[a] = b.constant(v)
		}
		event := b.scalar()
		pc := b.groupCopy(event, c)
		b.ret()
		l := b.launch(mem, 70)
		l.LocalSizes = []uint64{32}
		f, cnt := runGroup(t, b.compile(t), asyncGroup(t, l, dma.Config{}), 96)
		if f == nil || f.Code != change.code || f.PC != pc || f.Lane != 0 || f.Lanes != 70 || f.Memory == nil || f.Memory.Place() != change.at || f.Detail != change.line {
			t.Errorf("%s: fault %+v, %+v", name, f, f.Memory)
		}
		if cnt.Instructions != uint64(pc+1) {
			t.Errorf("%s: %d instructions", name, cnt.Instructions)
		}
	}
}

// TestAsyncNeedsUsesAsync refuses kernels that copy without saying so.
func TestAsyncNeedsUsesAsync(t *testing.T) {
	b := newBuilder()
	event := b.constant(0)
	b.groupWait(event)
	b.ret()
	if _, err := (Engine{}).Compile(&isa.Program{Kernels: []*isa.Kernel{b.k}}, b.k); !errors.Is(err, isa.ErrMalformed) {
		t.Errorf("error %v", err)
	}
}
