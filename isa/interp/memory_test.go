package interp

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// model is what memory should hold, as plain bytes.
type model struct {
	global, local []byte
	private       [][]byte // by lane
}

// at returns the bytes of lane's view of a space.
func (m *model) at(s memory.Space, lane int) []byte {
	switch s {
	case memory.SpaceGlobal:
		return m.global
	case memory.SpaceLocal:
		return m.local
	case memory.SpacePrivate:
		return m.private[lane]
	}
	return nil
}

func getLE(b []byte) (v uint64) {
	for i, x := range b {
		v |= uint64(x) << (8 * i)
	}
	return v
}

func putLE(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}

// memCase is an access to test.
type memCase struct {
	in          isa.Inst
	to          memory.Space // where pointers lead
	vectorBase  bool
	vectorIndex bool
	scalarDst   bool
	pattern     string
	size        int // of each allocation, in bytes
	lanes       int
	active      func(lane int) bool
}

func (c *memCase) name(k *isa.Kernel, in *isa.Inst) string {
	return fmt.Sprintf("%s into %s, %s, %d lanes", k.InstText(in), c.to, c.pattern, c.lanes)
}

// index returns the index of a lane.
func (c *memCase) index(r *rand.Rand, lane, elements int) int64 {
	switch c.pattern {
	case "contiguous":
		return int64(lane)
	case "same":
		return 5
	case "stride":
		return int64(lane * 2)
	case "reverse":
		return int64(elements - 1 - lane)
	case "nearly":
		if lane%64 == 31 {
			return 0
		}
		return int64(lane)
	case "beyond":
		return int64(lane + elements - 20)
	case "before":
		return int64(lane - 3)
	}
	return int64(r.IntN(elements))
}

func (c *memCase) run(t *testing.T, r *rand.Rand) {
	t.Helper()
	in := c.in
	b := newBuilder()
	b.k.Private = []isa.Alloc{{Name: "first", Size: 12}, {Name: "p", Size: uint64(c.size)}}
	b.k.Local = []isa.Alloc{{Name: "l", Size: uint64(c.size)}}
	cond := b.reg(isa.B1)
	pick := func(vector bool, typ isa.Type) isa.Reg {
		if vector {
			return b.reg(typ)
		}
		return b.constant(0)
	}
	in.A = pick(c.vectorBase, isa.I64)
	if in.Idx != isa.IdxNone {
		in.B = pick(c.vectorIndex, in.Idx.Type())
	}
	atomic := isa.AtomicOp(in.Imm2)
	load := in.Op == isa.OpLoad || in.Op == isa.OpAtomic && atomic != isa.AtomicStore
	if in.Op != isa.OpLoad && (in.Op != isa.OpAtomic || atomic != isa.AtomicLoad) {
		in.C = b.reg(in.Type)
	}
	if in.Op == isa.OpAtomic && atomic == isa.AtomicCmpXchg {
		in.D = b.reg(in.Type)
	}
	if load {
		in.Dst = b.reg(in.Type)
		if c.scalarDst {
			in.Dst = b.scalar()
		}
	}
	b.brCond(cond, 1, 2)
	pc := b.emit(in)
	b.br(2)
	b.ret()
	k := b.k

	mem := memory.NewGlobal(1 << 20)
	other, _ := mem.Alloc("other", 8, false)
	buf, err := mem.Alloc("buf", uint64(c.size), false)
	if err != nil {
		t.Fatal(err)
	}
	_ = other
	lds, err := memory.NewLocal([]uint64{uint64(c.size)}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	m := &model{global: mem.Lookup(buf.Alloc()).Data, local: lds.Lookup(1).Data}
	for i := range c.size {
		m.global[i], m.local[i] = byte(r.Uint32()), byte(r.Uint32())
	}
	live := *m // what the engine changes
	m.global, m.local = bytes.Clone(m.global), bytes.Clone(m.local)

	code := b.compile(t)
	w := code.NewWave(c.lanes).(*wave)
	l := &engine.Launch{Kernel: k, Scalars: k.ScalarInit, SubgroupSize: 32, Memory: mem}
	w.Start(&engine.Group{Launch: l, Size: [3]uint32{uint32(c.lanes), 1, 1}, LDS: lds}, 0, c.lanes)
	target := map[memory.Space]memory.Pointer{memory.SpaceGlobal: buf, memory.SpaceLocal: memory.MakePointer(memory.SpaceLocal, 1, 0),
		memory.SpacePrivate: memory.MakePointer(memory.SpacePrivate, 2, 0)}[c.to]
	bytesOf := in.Type.Bytes()
	scale := int64(in.Scale)
	elements := max((c.size-int(in.Disp))/max(int(scale), 1), 1)
	old := make([]uint64, c.lanes)
	for lane := range c.lanes {
		kk, i := lane/64, lane%64
		w.setReg(isa.V(0), isa.B1, kk, i, boolBit(c.active(lane)))
		if in.Dst.IsVector() {
			old[lane] = sample(r, isa.I64) & (full >> (64 - in.Type.Bits()))
			w.setReg(in.Dst, in.Type, kk, i, old[lane])
		}
		for _, reg := range []isa.Reg{in.C, in.D} {
			if reg != isa.None {
				w.setReg(reg, in.Type, kk, i, sample(r, in.Type))
			}
		}
		p := target
		x := c.index(r, lane, elements)
		if c.vectorBase && in.Idx == isa.IdxNone {
			p = p.Add(x * int64(bytesOf))
		}
		if in.A.IsVector() || lane == 0 {
			w.setReg(in.A, isa.I64, kk, i, uint64(p))
		}
		if in.B != isa.None && (in.B.IsVector() || lane == 0) {
			w.setReg(in.B, in.Idx.Type(), kk, i, uint64(x)&(full>>(64-in.Idx.Type().Bits())))
		}
		if c.to != memory.SpacePrivate {
			m.private = append(m.private, nil)
			continue
		}
		priv := make([]byte, c.size)
		for j := range priv {
			priv[j] = byte(r.Uint32())
			privStore8(w.privateRoom(2, kk), i, uint64(j), priv[j])
		}
		m.private = append(m.private, priv)
	}

	// What should happen.
	faultLane, faults := -1, 0
	wantDst := make([]uint64, c.lanes)
	var wantOff int64
	for lane := range c.lanes {
		if !c.active(lane) {
			continue
		}
		kk, i := lane/64, lane%64
		off := memory.Pointer(w.reg(in.A, isa.I64, kk, i)).Offset() + int64(in.Disp)
		switch in.Idx {
		case isa.IdxS32:
			off += int64(int32(w.reg(in.B, isa.I32, kk, i))) * scale
		case isa.IdxU32:
			off += int64(w.reg(in.B, isa.I32, kk, i)) * scale
		case isa.Idx64:
			off += int64(w.reg(in.B, isa.I64, kk, i)) * scale
		}
		bad := off < 0 || off+int64(bytesOf) > int64(c.size) || in.Op == isa.OpAtomic && off%int64(bytesOf) != 0
		if bad {
			if faults == 0 {
				faultLane, wantOff = lane, off
			}
			faults++
		}
		if faults > 0 {
			continue
		}
		cell := m.at(c.to, lane)[off:][:bytesOf]
		wantDst[lane] = getLE(cell)
		switch in.Op {
		case isa.OpStore:
			putLE(cell, w.reg(in.C, in.Type, kk, i))
		case isa.OpAtomic:
			var cv, dv uint64
			if in.C != isa.None {
				cv = w.reg(in.C, in.Type, kk, i)
			}
			if in.D != isa.None {
				dv = w.reg(in.D, in.Type, kk, i)
			}
			putLE(cell, oracleAtomic(atomic, in.Type, getLE(cell), cv, dv))
		}
	}

	stop := w.Run(0)
	f := w.Fault()
	switch {
	case faults == 0 && stop != engine.StopDone:
		t.Fatalf("%s: stopped with %d: %+v", c.name(k, &in), stop, f)
	case faults > 0 && f == nil:
		t.Fatalf("%s: no fault, want one in lane %d", c.name(k, &in), faultLane)
	case faults > 0:
		off := f.Memory.Pointer.Offset()
		wantCode := finding.OutOfBounds
		if wantOff >= 0 && wantOff+int64(bytesOf) <= int64(c.size) {
			wantCode = finding.Misaligned
		}
		if f.PC != pc || f.Lane != faultLane || f.Lanes != faults || f.Code != wantCode || off != wantOff || f.Memory.RegionSize != uint64(c.size) ||
			f.Memory.Region != map[memory.Space]string{memory.SpaceGlobal: "buf", memory.SpaceLocal: "l", memory.SpacePrivate: "p"}[c.to] {
			t.Fatalf("%s: fault %+v (%v), want %s at lane %d, %d lanes, offset %d", c.name(k, &in), f, f.Memory, wantCode, faultLane, faults, wantOff)
		}
	}
	if !bytes.Equal(live.global, m.global) || !bytes.Equal(live.local, m.local) {
		t.Fatalf("%s: memory differs", c.name(k, &in))
	}
	for lane := range c.lanes {
		for j, v := range m.private[lane] {
			if got := privLoad8(w.privateRoom(2, lane/64), lane%64, uint64(j)); got != v {
				t.Fatalf("%s: private byte %d of lane %d is %#x, want %#x", c.name(k, &in), j, lane, got, v)
			}
		}
		if faults > 0 || !load {
			continue
		}
		got := w.reg(in.Dst, in.Type, lane/64, lane%64)
		want := wantDst[lane]
		if !c.active(lane) {
			if in.Dst.IsScalar() {
				continue
			}
			want = old[lane]
		}
		if got != want {
			t.Fatalf("%s: lane %d: %#x, want %#x", c.name(k, &in), lane, got, want)
		}
	}
}

// oracleAtomic returns what memory holds after an atomic operation.
func oracleAtomic(op isa.AtomicOp, t isa.Type, old, c, d uint64) uint64 {
	signed := func(v uint64) int64 { return int64(v<<(64-t.Bits())) >> (64 - t.Bits()) }
	mask := full >> (64 - t.Bits())
	switch op {
	case isa.AtomicLoad:
		return old
	case isa.AtomicStore, isa.AtomicXchg:
		return c
	case isa.AtomicCmpXchg:
		if old == d {
			return c
		}
		return old
	case isa.AtomicAdd:
		return (old + c) & mask
	case isa.AtomicSub:
		return (old - c) & mask
	case isa.AtomicMinS:
		return uint64(min(signed(old), signed(c))) & mask
	case isa.AtomicMaxS:
		return uint64(max(signed(old), signed(c))) & mask
	case isa.AtomicMinU:
		return min(old, c)
	case isa.AtomicMaxU:
		return max(old, c)
	case isa.AtomicAnd:
		return old & c
	case isa.AtomicOr:
		return old | c
	case isa.AtomicXor:
		return old ^ c
	}
	r, _ := oracleFloat(map[isa.AtomicOp]isa.Op{isa.AtomicFAdd: isa.OpFAdd, isa.AtomicFMin: isa.OpFMin, isa.AtomicFMax: isa.OpFMax}[op], t, []uint64{old, c})
	return r
}

var masks = []struct {
	lanes  int
	active func(lane int) bool
}{
	{130, func(int) bool { return true }},
	{128, func(l int) bool { return l >= 7 && l < 60 || l >= 100 }},
	{70, func(l int) bool { return l%5 != 1 }},
	{3, func(l int) bool { return l == 1 }},
}

var patterns = []string{"contiguous", "same", "stride", "reverse", "nearly", "random", "beyond", "before"}

var spaces = []memory.Space{memory.SpaceGlobal, memory.SpaceLocal, memory.SpacePrivate}

// TestLoadStore tries loads and stores of every width, through every kind of
// address, in every space.
func TestLoadStore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, op := range []isa.Op{isa.OpLoad, isa.OpStore} {
		for _, typ := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
			for _, to := range spaces {
				for _, idx := range []isa.IdxType{isa.IdxNone, isa.IdxS32, isa.IdxU32, isa.Idx64} {
					for shape := range 4 {
						vb, vi := shape&1 != 0, shape&2 != 0
						if vi && idx == isa.IdxNone {
							continue
						}
						for pi, p := range patterns {
							for mi, m := range masks {
								if (pi+mi+shape)%2 != 0 || testing.Short() && (pi+mi+int(idx)+int(typ))%5 != 0 {
									continue // every pattern meets every mask in some shape
								}
								c := memCase{to: to, vectorBase: vb, vectorIndex: vi, pattern: p, lanes: m.lanes, active: m.active}
								c.size = typ.Bytes()*(m.lanes*2+2) + 3
								c.in = isa.Inst{Op: op, Type: typ, Idx: idx, Space: isa.Space(to), Scale: uint32(typ.Bytes())}
								if idx == isa.IdxNone {
									c.in.Scale = 0
								}
								switch mi {
								case 1:
									c.in.Space = isa.SpaceGeneric
									c.in.Flags |= isa.FlagDense
								case 2:
									c.in.Disp = 3
								}
								if c.in.Flags&isa.FlagDense != 0 && op == isa.OpLoad {
									c.in.Flags = 0 // what dense loads do to other lanes is free
								}
								c.run(t, r)
								if !vb && !vi && op == isa.OpLoad && (to != memory.SpacePrivate || m.lanes == 3) {
									c.scalarDst = true
									c.run(t, r)
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestOddScale tries addresses whose scale is not the size of the element.
func TestOddScale(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, op := range []isa.Op{isa.OpLoad, isa.OpStore} {
		for _, typ := range []isa.Type{isa.I8, isa.I16, isa.I32, isa.I64} {
			for _, to := range spaces {
				for _, scale := range []uint32{0, 1, 3, 12, 16} {
					for _, m := range masks {
						c := memCase{to: to, vectorIndex: true, pattern: "contiguous", lanes: m.lanes, active: m.active, size: 3000}
						c.in = isa.Inst{Op: op, Type: typ, Idx: isa.IdxS32, Space: isa.Space(to), Scale: scale, Disp: 5}
						c.run(t, r)
					}
				}
			}
		}
	}
}

// TestAtomics tries every atomic operation on every type in every space.
func TestAtomics(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for op := isa.AtomicOp(0); op < isa.NumAtomicOps; op++ {
		for _, typ := range []isa.Type{isa.I32, isa.I64, isa.F32, isa.F64} {
			if (op >= isa.AtomicFAdd) != typ.IsFloat() {
				continue
			}
			for _, to := range spaces {
				for _, p := range []string{"contiguous", "same", "random", "beyond"} {
					for shape := range 4 {
						for mi, m := range masks {
							if (mi+shape)%2 != 0 || testing.Short() && (mi+int(op))%3 != 0 {
								continue
							}
							c := memCase{to: to, vectorBase: shape&1 != 0, vectorIndex: shape&2 != 0, pattern: p, lanes: m.lanes, active: m.active}
							c.size = typ.Bytes() * (m.lanes + 2)
							c.in = isa.Inst{Op: isa.OpAtomic, Type: typ, Imm2: uint8(op), Idx: isa.IdxS32, Space: isa.Space(to), Scale: uint32(typ.Bytes())}
							switch mi {
							case 1:
								c.in.Space = isa.SpaceGeneric
							case 2:
								c.in.Scale = 2 // faults unless the index is even enough
							}
							c.run(t, r)
						}
					}
				}
			}
		}
	}
}

// TestAtomicAddWithoutResult covers the short way for counters in LDS.
func TestAtomicAddWithoutResult(t *testing.T) {
	b := newBuilder()
	b.k.Local = []isa.Alloc{{Name: "bins", Size: 64}}
	base, one := b.constant(uint64(memory.MakePointer(memory.SpaceLocal, 1, 0))), b.constant(1)
	x := b.reg(isa.I32)
	mask := b.constant(15)
	b.builtin(isa.BuiltinLocalID, isa.I32, x)
	b.op(isa.OpAnd, isa.I32, x, x, mask)
	b.emit(isa.Inst{Op: isa.OpAtomic, Type: isa.I32, Imm2: uint8(isa.AtomicAdd), Space: isa.SpaceLocal, A: base, B: x, Idx: isa.IdxU32, Scale: 4, C: one})
	b.ret()
	l := b.launch(memory.NewGlobal(0), 100)
	l.LocalSizes = []uint64{64}
	g := group(t, l)
	if f, _ := runGroup(t, b.compile(t), g, 128); f != nil {
		t.Fatal(f)
	}
	for i := range 16 {
		want := uint64(100 / 16)
		if i < 100%16 {
			want++
		}
		if got := getLE(g.LDS.Lookup(1).Data[i*4:][:4]); got != want {
			t.Errorf("bin %d: %d, want %d", i, got, want)
		}
	}
}

// TestBadPointers tries pointers that lead nowhere, or where they must not.
func TestBadPointers(t *testing.T) {
	mem := memory.NewGlobal(1 << 20)
	freed, _ := mem.Alloc("freed", 64, false)
	constant, _ := mem.Alloc("constant", 64, true)
	small, _ := mem.Alloc("small", 2, false)
	if err := mem.Free(freed); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name  string
		p     memory.Pointer
		space isa.Space
		store bool
		code  finding.Code
		text  string
	}{
		{"null", 0, isa.SpaceGlobal, false, finding.NullPointer, "read of 4 bytes through the null pointer"},
		{"null generic", 0, isa.SpaceGeneric, true, finding.NullPointer, "write of 4 bytes through the null pointer"},
		{"null member", memory.Pointer(0).Add(8), isa.SpaceGlobal, false, finding.NullPointer, "read of 4 bytes through the null pointer, offset +8"},
		{"freed", freed, isa.SpaceGlobal, false, finding.UseAfterFree, "read of 4 bytes at freed+0, which was released"},
		{"constant", constant, isa.SpaceGlobal, true, finding.ReadOnly, "write of 4 bytes at constant+0, which is read-only"},
		{"never", memory.MakePointer(memory.SpaceGlobal, 77, 0), isa.SpaceGlobal, false, finding.BadPointer, "read of 4 bytes through a value that is no pointer (0x10004d0000000000)"},
		{"garbage", 0xffff_ffff_ffff_ffff, isa.SpaceGeneric, false, finding.BadPointer, "read of 4 bytes through a value that is no pointer (0xffffffffffffffff)"},
		{"integer", 0x12345678, isa.SpaceGeneric, false, finding.BadPointer, "read of 4 bytes through a value that is no pointer (0x12345678)"},
		{"wrong space", constant, isa.SpaceLocal, false, finding.BadPointer, "read of 4 bytes in local memory through a pointer to other memory (global:2+0)"},
		{"small", small, isa.SpaceGlobal, false, finding.OutOfBounds, "out-of-bounds read of 4 bytes at small+0, across the end of the 2-byte allocation, 2 bytes of it inside"},
		{"before", constant.Add(-4), isa.SpaceGlobal, false, finding.OutOfBounds, "out-of-bounds read of 4 bytes at constant-4, 4 bytes before the start of the 64-byte allocation"},
		{"behind", constant.Add(64), isa.SpaceGlobal, false, finding.OutOfBounds, "out-of-bounds read of 4 bytes at constant+64, 0 bytes past the end of the 64-byte allocation"},
		{"far", constant.Add(math.MaxInt64), isa.SpaceGlobal, false, finding.OutOfBounds, "out-of-bounds read of 4 bytes at constant-549755813888, far outside of the 64-byte allocation"},
		{"no private", memory.MakePointer(memory.SpacePrivate, 1, 0), isa.SpacePrivate, false, finding.BadPointer, "read of 4 bytes through a value that is no pointer (0x3000010000000000)"},
	}
	for _, c := range cases {
		for _, vector := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, vector), func(t *testing.T) {
				b := newBuilder()
				p := b.constant(uint64(c.p))
				if vector {
					v := b.reg(isa.I64)
					b.op(isa.OpMov, isa.I64, v, p)
					p = v
				}
				x := b.reg(isa.I32)
				if c.store {
					b.store(isa.I32, c.space, p, isa.None, isa.IdxNone, 0, x)
				} else {
					b.load(isa.I32, c.space, x, p, isa.None, isa.IdxNone, 0)
				}
				b.ret()
				f, _ := runGroup(t, b.compile(t), group(t, b.launch(mem, 40)), 64)
				if f == nil {
					t.Fatal("no fault")
				}
				if f.Code != c.code || f.Memory.Error() != c.text || f.Lane != 0 || f.Lanes != 40 {
					t.Errorf("%s in lane %d of %d: %q\nwant %s: %q", f.Code, f.Lane, f.Lanes, f.Memory.Error(), c.code, c.text)
				}
			})
		}
	}
}

// TestMemCopy copies between all pairs of spaces, with overlap where it is one place.
func TestMemCopy(t *testing.T) {
	const size, lanes = 40, 66
	r := rand.New(rand.NewPCG(7, 8))
	for _, to := range spaces {
		for _, from := range spaces {
			for range 40 {
				n, do, so := r.IntN(17), r.IntN(23), r.IntN(23)
				if r.IntN(2) == 0 {
					n, do, so = n&^3, do&^3, so&^3
				}
				b := newBuilder()
				b.k.Private = []isa.Alloc{{Name: "p", Size: size}}
				mem := memory.NewGlobal(1 << 20)
				buf, _ := mem.Alloc("buf", size, false)
				pointers := map[memory.Space]memory.Pointer{memory.SpaceGlobal: buf,
					memory.SpaceLocal: memory.MakePointer(memory.SpaceLocal, 1, 0), memory.SpacePrivate: memory.MakePointer(memory.SpacePrivate, 1, 0)}
				d, s := b.constant(uint64(pointers[to].Add(int64(do)))), b.constant(uint64(pointers[from].Add(int64(so))))
				b.emit(isa.Inst{Op: isa.OpMemCopy, A: d, B: s, C: b.constant(uint64(n))})
				b.ret()
				l := b.launch(mem, lanes)
				l.LocalSizes = []uint64{size}
				g := group(t, l)
				w := b.compile(t).NewWave(lanes).(*wave)
				w.Start(g, 0, lanes)
				m := &model{global: make([]byte, size), local: make([]byte, size)}
				for j := range size {
					m.global[j], m.local[j] = byte(j), byte(100+j)
				}
				copy(mem.Lookup(1).Data, m.global)
				copy(g.LDS.Lookup(1).Data, m.local)
				for lane := range lanes {
					p := make([]byte, size)
					for j := range p {
						p[j] = byte(lane*3 + j)
						privStore8(w.privateRoom(1, lane/64), lane%64, uint64(j), p[j])
					}
					m.private = append(m.private, p)
				}
				if s := w.Run(0); s != engine.StopDone {
					t.Fatal(s, w.Fault())
				}
				for lane := range lanes {
					copy(m.at(to, lane)[do:do+n], bytes.Clone(m.at(from, lane)[so:so+n]))
				}
				ok := bytes.Equal(m.global, mem.Lookup(1).Data) && bytes.Equal(m.local, g.LDS.Lookup(1).Data)
				for lane := range lanes {
					for j, v := range m.private[lane] {
						ok = ok && privLoad8(w.privateRoom(1, lane/64), lane%64, uint64(j)) == v
					}
				}
				if !ok {
					t.Fatalf("copy of %d bytes from %s+%d to %s+%d is wrong", n, from, so, to, do)
				}
			}
		}
	}
}
