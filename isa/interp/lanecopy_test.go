package interp

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// resourceForm is how a kernel gets its resource.
type resourceForm int

const (
	noResource resourceForm = iota
	wordsOfResource
	handleOfResource
	fatPointer
)

// laneCase is a lane copy to test.
type laneCase struct {
	kind     isa.LaneCopyKind
	form     resourceForm
	size     int
	offset   int32
	perLane  bool
	store    bool
	async    bool
	stride   uint16
	records  uint32
	soffset  uint32
	uneven   bool // operands that the first lane of a sub-group decides differ
	subgroup int
	active   func(item int) bool
}

func (c laneCase) String() string {
	return fmt.Sprintf("kind %d form %d size %d offset %d perLane %v store %v async %v stride %d records %d soffset %d uneven %v subgroup %d",
		c.kind, c.form, c.size, c.offset, c.perLane, c.store, c.async, c.stride, c.records, c.soffset, c.uneven, c.subgroup)
}

const (
	laneItems  = 150
	laneGlobal = 8192
	laneLocal  = 8192
)

// laneData is what the items of a case have in their registers.
type laneData struct {
	lds, global            []uint64
	index, voffset, active []uint32
}

// TestLaneCopy compares lane copies of every kind with the addressing rules,
// worked out here once more, at several widths and completions.
func TestLaneCopy(t *testing.T) {
	everyone := func(int) bool { return true }
	some := func(i int) bool { return i%5 != 0 && i%32 != 31 }
	var cases []laneCase
	for _, size := range []int{1, 2, 4, 8, 12, 16} {
		cases = append(cases,
			laneCase{kind: isa.LanePointer, size: size, offset: 12, async: true, subgroup: 32, active: everyone},
			laneCase{kind: isa.LanePointer, size: size, perLane: true, async: true, subgroup: 32, active: some, offset: -4},
			laneCase{kind: isa.LanePointer, size: size, perLane: true, store: true, async: true, subgroup: 8, active: some},
			laneCase{kind: isa.LaneBuffer, form: wordsOfResource, size: size, offset: 4, records: 1500, soffset: 8, subgroup: 32, active: everyone},
			laneCase{kind: isa.LaneBuffer, form: handleOfResource, size: size, records: 100, stride: 16, async: true, subgroup: 16, active: some},
			laneCase{kind: isa.LaneStruct, form: wordsOfResource, size: size, records: 90, stride: 20, soffset: 4, async: true, subgroup: 64, active: some},
			laneCase{kind: isa.LaneStruct, form: handleOfResource, size: size, records: 1000, offset: 3, subgroup: 32, active: everyone},
			laneCase{kind: isa.LanePointer, form: fatPointer, size: size, records: 1500, offset: 8, async: true, subgroup: 32, active: some},
			laneCase{kind: isa.LaneBuffer, form: fatPointer, size: size, records: 60, stride: 8, subgroup: 32, active: some},
		)
	}
	cases = append(cases,
		laneCase{kind: isa.LaneBuffer, form: wordsOfResource, size: 4, records: 1500, uneven: true, subgroup: 16, async: true, active: some},
		laneCase{kind: isa.LaneBuffer, form: wordsOfResource, size: 4, records: 500, store: true, perLane: true, subgroup: 32, async: true, active: everyone},
		laneCase{kind: isa.LanePointer, size: 4, subgroup: 1, async: true, active: everyone},
		laneCase{kind: isa.LanePointer, size: 4, store: true, subgroup: 32, async: true, offset: 8, active: some},
		laneCase{kind: isa.LanePointer, size: 12, store: true, subgroup: 64, active: everyone},
		laneCase{kind: isa.LanePointer, size: 4, subgroup: 128, async: true, active: some},
		laneCase{kind: isa.LanePointer, size: 16, subgroup: 128, uneven: true, async: true, active: some},
	)
	for _, c := range cases {
		for _, width := range []int{128, 256} {
			for i, cfg := range completions() {
				if !c.async && i > 1 {
					break
				}
				testLaneCopy(t, c, width, cfg)
			}
		}
	}
}

func testLaneCopy(t *testing.T, c laneCase, width int, cfg dma.Config) {
	rng := rand.New(rand.NewPCG(uint64(c.size), uint64(c.subgroup)))
	mem := memory.NewGlobal(1 << 20)
	bytesOfGlobal := numbers(laneGlobal, 3)
	base := place(t, mem, "g", bytesOfGlobal)
	step := 4
	if c.size > 4 {
		step = 16
	}
	var d laneData
	var want struct{ global, local []byte }
	want.global, want.local = bytes.Clone(bytesOfGlobal), numbers(laneLocal, 200)
	res := memory.Resource{Base: base.Add(64), Stride: c.stride, Records: c.records}
	handle, err := mem.AddResource(res)
	if err != nil {
		t.Fatal(err)
	}

	// What each item has, and what is to come of it.
	first := map[int]int{} // sub-group -> its first active item
	for i := range laneItems {
		d.active = append(d.active, uint32(b2u(c.active(i))))
		sg := i / c.subgroup
		if _, ok := first[sg]; !ok && c.active(i) {
			first[sg] = i
		}
		lds := 16 + sg*(step*c.subgroup+32)
		if c.perLane {
			lds = 16 + i*20
		} else if c.uneven && first[sg] != i {
			lds = 4 * rng.IntN(100) // counts for nobody
		}
		d.lds = append(d.lds, uint64(memory.MakePointer(memory.SpaceLocal, 1, int64(lds))))
		d.index = append(d.index, uint32(rng.IntN(120)))
		d.voffset = append(d.voffset, uint32(rng.IntN(200)))
		if c.kind == isa.LaneBuffer {
			d.voffset[i] = uint32(i * 12)
		}
		if i%11 == 3 {
			d.voffset[i] = ^uint32(0) - uint32(i) // far outside
		}
		far := uint64(base) + uint64(32+i*17)
		if c.store {
			far = uint64(base) + uint64(32+i*20)
		}
		if c.form == fatPointer {
			far = uint64(handle.Add(int64(i*13 - 26)))
		}
		d.global = append(d.global, far)
	}
	for i := range laneItems {
		if !c.active(i) {
			continue
		}
		lds := memory.Pointer(d.lds[i]).Offset() + int64(c.offset)
		if !c.perLane {
			lds = memory.Pointer(d.lds[first[i/c.subgroup]]).Offset() + int64(c.offset) + int64(step*(i%c.subgroup))
		}
		local := want.local[lds:][:c.size]
		var far []byte
		switch {
		case c.form == noResource:
			far = want.global[memory.Pointer(d.global[i]).Offset()+int64(c.offset):][:c.size]
		default:
			counted := int64(c.offset)
			inside := true
			if c.form == fatPointer {
				counted += memory.Pointer(d.global[i]).Offset()
			} else {
				counted += int64(d.voffset[i])
			}
			if c.kind == isa.LaneStruct {
				counted += int64(d.index[i]) * int64(c.stride)
				inside = d.index[i] < c.records
			}
			extent := int64(c.records)
			if c.stride != 0 {
				extent *= int64(c.stride)
			}
			if inside && counted >= 0 && counted+int64(c.size) <= extent {
				far = want.global[64+counted+int64(c.soffset):][:c.size]
			}
		}
		switch {
		case c.store && far != nil:
			copy(far, local)
		case c.store:
		case far != nil:
			copy(local, far)
		default:
			clear(local)
		}
	}

	// The kernel: the active items copy, all come together, and wait.
	b := newAsyncBuilder()
	table := func(p memory.Pointer) isa.Reg { return b.constant(uint64(p)) }
	lds, global := table(place64(t, mem, "lds", d.lds)), table(place64(t, mem, "global", d.global))
	index, voffset := table(place32(t, mem, "index", d.index)), table(place32(t, mem, "voffset", d.voffset))
	active := table(place32(t, mem, "active", d.active))
	zero := b.constant(0)
	op := isa.LaneCopy{Name: "copy", Kind: c.kind, Async: c.async, Store: c.store, PerLane: c.perLane, Size: c.size, Offset: c.offset}
	op.LDS = b.reg(isa.I64)
	load := []struct {
		to, from isa.Reg
		t        isa.Type
	}{{op.LDS, lds, isa.I64}}
	add := func(r *isa.Reg, from isa.Reg, t isa.Type) {
		*r = b.reg(t)
		load = append(load, struct {
			to, from isa.Reg
			t        isa.Type
		}{*r, from, t})
	}
	switch c.form {
	case wordsOfResource:
		for i, w := range res.Words() {
			op.Resource[i] = b.constant(uint64(w))
		}
	case handleOfResource:
		op.Global = b.constant(uint64(handle))
	default:
		add(&op.Global, global, isa.I64)
	}
	if c.kind != isa.LanePointer && c.form != fatPointer {
		add(&op.VOffset, voffset, isa.I32)
		op.SOffset = b.constant(uint64(c.soffset))
	}
	if c.kind == isa.LaneStruct {
		add(&op.Index, index, isa.I32)
	}
	id, flag, on := b.reg(isa.I32), b.reg(isa.I32), b.reg(isa.B1)
	b.async(isa.OpAsyncScope, 0, 0)
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	for _, l := range load {
		b.load(l.t, isa.SpaceGlobal, l.to, l.from, id, isa.IdxU32, uint32(l.t.Bytes()))
	}
	b.load(isa.I32, isa.SpaceGlobal, flag, active, id, isa.IdxU32, 4)
	b.op(isa.OpNe, isa.I32, on, flag, zero)
	b.brCond(on, 1, 2)
	b.laneCopy(op)
	b.br(2)
	b.async(isa.OpAsyncMark, 0, 0)
	b.async(isa.OpAsyncWait, 0, 0)
	b.ret()

	l := b.launch(mem, laneItems)
	l.LocalSizes, l.SubgroupSize = []uint64{laneLocal}, c.subgroup
	g := asyncGroup(t, l, cfg)
	copy(g.LDS.Lookup(1).Data, numbers(laneLocal, 200))
	f, _ := runGroup(t, b.compile(t), g, width)
	if f != nil {
		t.Fatalf("%s: fault %+v %v", c, f, f.Memory)
	}
	if got := g.LDS.Lookup(1).Data; !bytes.Equal(got, want.local) {
		t.Errorf("%s, width %d, %+v: LDS differs at %d", c, width, cfg, differ(got, want.local))
	}
	if got := mem.Lookup(base.Alloc()).Data; !bytes.Equal(got, want.global) {
		t.Errorf("%s, width %d, %+v: global memory differs at %d", c, width, cfg, differ(got, want.global))
	}
}

// differ returns the first place where a and b differ.
func differ(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// runLane runs one lane copy of 40 work-items in two sub-groups of 32.
func runLane(t *testing.T, mem *memory.Global, b *builder, op isa.LaneCopy, cfg dma.Config) (*engine.Fault, int, *engine.Group) {
	t.Helper()
	pc := b.laneCopy(op)
	b.ret()
	l := b.launch(mem, 40)
	l.LocalSizes, l.Check = []uint64{256}, cfg.Check
	b.k.Local = []isa.Alloc{{Name: "tile", Size: 256}}
	g := asyncGroup(t, l, cfg)
	f, _ := runGroup(t, b.compile(t), g, 64)
	return f, pc, g
}

func TestLaneCopyFaults(t *testing.T) {
	for name, c := range map[string]struct {
		op    func(b *builder, g memory.Pointer, id isa.Reg) isa.LaneCopy
		code  finding.Code
		lane  int
		lanes int
		text  string
	}{
		"global memory": {func(b *builder, g memory.Pointer, id isa.Reg) isa.LaneCopy {
			p := b.reg(isa.I64)
			b.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: p, A: b.constant(uint64(g)), B: id, Idx: isa.IdxU32, Scale: 4})
			return isa.LaneCopy{Name: "copy", Size: 4, Global: p, LDS: isa.S(0), Async: true}
		}, finding.OutOfBounds, 34, 6, "out-of-bounds read of 4 bytes at g+136, 0 bytes past the end of the 136-byte allocation"},
		"LDS": {func(b *builder, g memory.Pointer, id isa.Reg) isa.LaneCopy {
			return isa.LaneCopy{Name: "copy", Size: 8, Global: b.constant(uint64(g)), LDS: isa.S(0), Async: true}
		}, finding.OutOfBounds, 16, 16, "out-of-bounds write of 8 bytes at tile+256, 0 bytes past the end of the 256-byte allocation"},
		"no resource": {func(b *builder, g memory.Pointer, id isa.Reg) isa.LaneCopy {
			return isa.LaneCopy{Name: "copy", Kind: isa.LaneBuffer, Size: 4, Global: b.constant(uint64(g)), LDS: isa.S(0)}
		}, finding.BadPointer, 0, 40, "read of 4 bytes through a value that is no buffer resource (0x1000010000000000)"},
		"null resource": {func(b *builder, g memory.Pointer, id isa.Reg) isa.LaneCopy {
			return isa.LaneCopy{Name: "copy", Kind: isa.LaneStruct, Size: 4, Global: b.constant(0), LDS: isa.S(0), Index: id}
		}, finding.NullPointer, 0, 40, "read of 4 bytes through the null pointer"},
		"resource of another launch": {func(b *builder, g memory.Pointer, id isa.Reg) isa.LaneCopy {
			return isa.LaneCopy{Name: "copy", Size: 4, Global: b.constant(uint64(memory.MakePointer(memory.SpaceResource, 9, 4))), LDS: isa.S(0), Store: true}
		}, finding.BadPointer, 0, 40, "write of 4 bytes through a value that is no buffer resource (0x4000090000000004)"},
		"global for LDS": {func(b *builder, g memory.Pointer, id isa.Reg) isa.LaneCopy {
			p := b.reg(isa.I64)
			b.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: p, A: b.constant(uint64(g)), B: id, Idx: isa.IdxU32, Scale: 1})
			return isa.LaneCopy{Name: "copy", Size: 4, Global: p, LDS: p, Async: true}
		}, finding.BadPointer, 0, 40, "write of 4 bytes in local memory through a pointer to other memory (global:1+0)"},
		"LDS for global": {func(b *builder, g memory.Pointer, id isa.Reg) isa.LaneCopy {
			p := b.reg(isa.I64)
			b.emit(isa.Inst{Op: isa.OpPtrAdd, Type: isa.I64, Dst: p, A: isa.S(0), B: id, Idx: isa.IdxU32, Scale: 1})
			return isa.LaneCopy{Name: "copy", Size: 2, Global: p, LDS: p, Async: true, PerLane: true, Store: true}
		}, finding.BadPointer, 0, 40, "write of 2 bytes in global memory through a pointer to other memory (local:1+0)"},
		"words without a base": {func(b *builder, g memory.Pointer, id isa.Reg) isa.LaneCopy {
			op := isa.LaneCopy{Name: "copy", Kind: isa.LaneBuffer, Size: 4, LDS: isa.S(0)}
			for i, w := range []uint64{0, 0, 1000, 0} {
				op.Resource[i] = b.constant(w)
			}
			return op
		}, finding.NullPointer, 0, 40, "read of 4 bytes through the null pointer"},
	} {
		mem := memory.NewGlobal(1 << 20)
		g := place(t, mem, "g", make([]byte, 136))
		b := newAsyncBuilder()
		b.constant(local1)
		id := b.reg(isa.I32)
		b.builtin(isa.BuiltinLocalID, isa.I32, id)
		f, pc, _ := runLane(t, mem, b, c.op(b, g, id), dma.Config{})
		if f == nil || f.Memory == nil || f.Code != c.code || f.PC != pc || f.Lane != c.lane || f.Lanes != c.lanes || f.Memory.Error() != c.text {
			t.Errorf("%s: fault %+v %v", name, f, f.Memory)
		}
	}
}

// TestLaneCopyStoreOutside drops what would be stored outside of a resource.
func TestLaneCopyStoreOutside(t *testing.T) {
	mem := memory.NewGlobal(1 << 20)
	g := place(t, mem, "g", make([]byte, 4*64))
	b := newAsyncBuilder()
	b.constant(local1)
	id, off := b.reg(isa.I32), b.reg(isa.I32)
	four := b.constant(4)
	op := isa.LaneCopy{Name: "store", Kind: isa.LaneBuffer, Size: 4, LDS: isa.S(0), VOffset: off, Store: true}
	for i, w := range (memory.Resource{Base: g, Records: 80}).Words() {
		op.Resource[i] = b.constant(uint64(w))
	}
	b.builtin(isa.BuiltinLocalID, isa.I32, id)
	b.op(isa.OpMul, isa.I32, off, id, four)
	pc := b.laneCopy(op)
	b.ret()
	l := b.launch(mem, 40)
	l.LocalSizes = []uint64{256}
	gr := asyncGroup(t, l, dma.Config{})
	copy(gr.LDS.Lookup(1).Data, bytes.Repeat([]byte{7}, 256))
	if f, _ := runGroup(t, b.compile(t), gr, 64); f != nil {
		t.Fatalf("instruction %d: fault %+v", pc, f)
	}
	want := append(bytes.Repeat([]byte{7}, 80), make([]byte, 4*64-80)...)
	if got := mem.Lookup(g.Alloc()).Data; !bytes.Equal(got, want) {
		t.Errorf("stored %x", got)
	}
}

// TestLaneCopyFar stores nothing through the handle of a resource that has been moved further than an offset
// can say, though the index leads as far back.
func TestLaneCopyFar(t *testing.T) {
	for _, far := range []bool{false, true} {
		mem := memory.NewGlobal(1 << 20)
		g := place(t, mem, "g", make([]byte, 64))
		handle, err := mem.AddResource(memory.Resource{Base: g, Stride: 1 << 13, Records: 1 << 27})
		if err != nil {
			t.Fatal(err)
		}
		index, want := uint64(0), bytes.Repeat([]byte{7}, 4)
		if far {
			handle, index, want = handle.Add(memory.FarOffset), 1<<26, make([]byte, 4)
		}
		b := newAsyncBuilder()
		b.constant(local1)
		pc := b.laneCopy(isa.LaneCopy{Name: "store", Kind: isa.LaneStruct, Size: 4, Store: true, LDS: isa.S(0),
			Global: b.constant(uint64(handle)), Index: b.constant(index), VOffset: b.constant(0)})
		b.ret()
		l := b.launch(mem, 1)
		l.LocalSizes = []uint64{256}
		gr := asyncGroup(t, l, dma.Config{})
		copy(gr.LDS.Lookup(1).Data, bytes.Repeat([]byte{7}, 256))
		if f, _ := runGroup(t, b.compile(t), gr, 64); f != nil {
			t.Fatalf("instruction %d: fault %+v", pc, f)
		}
		if got := mem.Lookup(g.Alloc()).Data[:4]; !bytes.Equal(got, want) {
			t.Errorf("far %t: stored %x, want %x", far, got, want)
		}
	}
}
