package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/memory"
)

// shadowPrivate says which bits of private memory are undefined. It is laid out as private memory itself: a bit that is
// not set is undefined where the allocation starts undefined, and defined in copies of parameters.
type shadowPrivate struct {
	bits []uint64
	base unsafe.Pointer
	from []uint64 // an OriginID for each word, 0 for start; nil while nothing undefined has been stored
	at   unsafe.Pointer

	start   []memory.OriginID // by allocation
	padding []memory.OriginID
	dead    []memory.OriginID // of variables whose lifetime is over
	ended   bool              // some variable's lifetime has been over
	left    []int             // bytes with undefined bits, of all lanes
	written []bool            // by allocation: no longer as at the start
}

// flip is what the shadow of an allocation is exclusive-or'ed with.
func (w *wave) flip(alloc int) uint64 {
	if w.code.kernel.Private[alloc].Param > 0 {
		return 0
	}
	return full
}

// startPrivateShadow makes private memory undefined.
func (w *wave) startPrivateShadow() {
	c := w.code
	if c.privStride == 0 {
		return
	}
	p := &w.shadow.private
	n := len(c.privSize)
	if p.bits == nil {
		p.bits = make([]uint64, len(w.privArena))
		p.base = unsafe.Pointer(unsafe.SliceData(p.bits))
		p.left, p.written = make([]int, n), make([]bool, n)
		p.start, p.padding, p.dead = make([]memory.OriginID, n), make([]memory.OriginID, n), make([]memory.OriginID, n)
	}
	l := w.group.Launch
	for i := range c.privSize {
		a := &c.kernel.Private[i]
		o := memory.Origin{Kind: memory.OriginPrivate, Owner: c.kernel, Number: i}
		if p.start[i] == 0 {
			p.start[i] = l.Origins.ID(o)
			if o.Padding = true; len(a.Padding) > 0 {
				p.padding[i] = l.Origins.ID(o)
			}
		}
		if p.written[i] {
			p.written[i] = false
			for k := range w.words {
				clear(unsafe.Slice((*byte)(w.shadowRoom(p.base, uint32(i+1), k)), (c.privSize[i]+3)/4*rowBytes))
				if p.from != nil {
					clear(unsafe.Slice((*byte)(w.shadowRoom(p.at, uint32(i+1), k)), (c.privSize[i]+3)/4*rowBytes))
				}
			}
		}
		if p.left[i] = 0; a.Param == 0 {
			p.left[i] = int(c.privSize[i]) * w.lanes
		}
	}
}

// shadowRoom is privateRoom for what is laid out like private memory.
func (w *wave) shadowRoom(base unsafe.Pointer, alloc uint32, k int) unsafe.Pointer {
	return unsafe.Add(base, uintptr(k)*w.code.privStride+w.code.privOffset[alloc-1])
}

// roomLoad and roomStore access n bytes in room.
func roomLoad(room unsafe.Pointer, i int, off, n uint64) uint64 {
	switch n {
	case 1:
		return uint64(privLoad8(room, i, off))
	case 2:
		return uint64(privLoad16(room, i, off))
	case 4:
		return uint64(privLoad32(room, i, off))
	}
	return privLoad64(room, i, off)
}

func roomStore(room unsafe.Pointer, i int, off, n, v uint64) {
	switch n {
	case 1:
		privStore8(room, i, off, uint8(v))
	case 2:
		privStore16(room, i, off, uint16(v))
	case 4:
		privStore32(room, i, off, uint32(v))
	default:
		privStore64(room, i, off, v)
	}
}

// shadowOf returns the undefined bits of n bytes, at most 8, at an address, and where they come from. Nothing is
// undefined where no access is allowed.
func (w *wave) shadowOf(p memory.Pointer, k, i int, n uint64) (u uint64, from memory.OriginID) {
	if p.Space() != memory.SpacePrivate {
		r := w.region(p)
		if s, at := r.Shadow(); !s.Defined() && r.Check(p, n, memory.AccessRead) == nil {
			off := uint64(p.Offset())
			if u, from = s.Load(at+off, n); u != 0 && p.Space() == memory.SpaceLocal && int(p.Alloc()) <= len(w.code.kernel.Local) {
				from = w.padded(from, &w.code.kernel.Local[p.Alloc()-1], memory.OriginLocal, int(p.Alloc()), off, n, u)
			}
		}
		return u, from
	}
	s, a := &w.shadow.private, int(p.Alloc())-1
	if a < 0 || a >= len(s.left) || s.left[a] == 0 || w.code.privRegions[a].Check(p, n, memory.AccessRead) != nil {
		return 0, 0
	}
	off := uint64(p.Offset())
	u = roomLoad(w.shadowRoom(s.base, p.Alloc(), k), i, off, n) ^ w.flip(a)&(full>>(64-8*n))
	if u == 0 {
		return 0, 0
	}
	if s.from != nil {
		from = memory.OriginID(*word4(w.shadowRoom(s.at, p.Alloc(), k), i, off))
		if from == 0 && n > 4 {
			from = memory.OriginID(*word4(w.shadowRoom(s.at, p.Alloc(), k), i, off+4))
		}
	}
	if from == 0 {
		from = s.start[a]
	}
	return u, w.padded(from, &w.code.kernel.Private[a], memory.OriginPrivate, a, off, n, u)
}

// padded returns from, or, where it is the start of an allocation and the undefined bytes are all padding, what says so.
func (w *wave) padded(from memory.OriginID, a *isa.Alloc, kind memory.OriginKind, number int, off, n, u uint64) memory.OriginID {
	if len(a.Padding) == 0 {
		return from
	}
	o := w.group.Launch.Origins.Of(from)
	if o.Kind != kind || o.Dead {
		return from
	}
	for b := range n {
		if u>>(8*b)&0xff != 0 && !a.Pads(off+b, 1) {
			return from
		}
	}
	return w.group.Launch.Origins.ID(memory.Origin{Kind: kind, Owner: o.Owner, Number: number, Padding: true})
}

// setShadow says which bits of n bytes, at most 8, at an address are undefined from now on.
func (w *wave) setShadow(p memory.Pointer, k, i int, n, u uint64, from memory.OriginID) {
	if p.Space() != memory.SpacePrivate {
		r := w.region(p)
		if s, at := r.Shadow(); s != nil && (u != 0 || !s.Defined()) && r.Check(p, n, memory.AccessWrite) == nil {
			s.Store(at+uint64(p.Offset()), n, u, from)
		}
		return
	}
	s, a := &w.shadow.private, int(p.Alloc())-1
	if a < 0 || a >= len(s.left) || u == 0 && s.left[a] == 0 || w.code.privRegions[a].Check(p, n, memory.AccessWrite) != nil {
		return
	}
	s.written[a] = true
	off, room, flip := uint64(p.Offset()), w.shadowRoom(s.base, p.Alloc(), k), w.flip(a)&(full>>(64-8*n))
	old := roomLoad(room, i, off, n) ^ flip
	roomStore(room, i, off, n, u^flip)
	for b := range n {
		s.left[a] += int(b2u64(u>>(8*b)&0xff != 0)) - int(b2u64(old>>(8*b)&0xff != 0))
	}
	if u == 0 {
		return
	}
	s.origins()
	at := w.shadowRoom(s.at, p.Alloc(), k)
	for b := uint64(0); b < n; b++ {
		if u>>(8*b)&0xff != 0 {
			*word4(at, i, off+b) = uint32(from)
		}
	}
}

// origins makes room for where bits come from.
func (s *shadowPrivate) origins() {
	if s.from == nil {
		s.from = make([]uint64, len(s.bits))
		s.at = unsafe.Pointer(unsafe.SliceData(s.from))
	}
}

// plain says whether all memory is defined that the address of an access can lead to, as far as that takes no look at
// each lane.
func (w *wave) plain(in *inst) bool {
	s := in.src
	if !s.A.IsScalar() {
		return false
	}
	p := memory.Pointer(w.s[s.A.Index()])
	if p.Space() == memory.SpacePrivate {
		a := int(p.Alloc()) - 1
		return a < 0 || a >= len(w.shadow.private.left) || w.shadow.private.left[a] == 0
	}
	sh, _ := w.region(p).Shadow()
	return sh.Defined()
}

// reportAddress tells of undefined bits in the registers of an address.
func (w *wave) reportAddress(in *inst) {
	n := 1
	if in.src.Idx != isa.IdxNone {
		n = 2
	}
	w.reportOperands(in, engine.UndefinedAddress, 0, n)
}

// shadowLoad stands before a load.
func shadowLoad(w *wave, in *inst) {
	s, x := w.shadow, in.aux.shadowed
	if s.count != 0 {
		w.reportAddress(in)
	}
	if w.plain(in) {
		w.define(in)
		return
	}
	n, scalar := uint64(in.src.Type.Bytes()), in.src.Dst.IsScalar()
	if w.rowsDefined(in, n) {
		w.define(in)
		return
	}
	had := s.has(x.dst)
	found := false
	var dead map[int]memory.OriginID
	if !had && !w.lanesAt(in, n, func(s *memory.Shadow, offsets []uint64) bool { return s.AnyOf(offsets, n) }) {
		return
	}
	w.eachRun(in, n, scalar, func(r *laneRun) {
		if !had && !found && !w.anyUndefined(r, n) {
			return
		}
		for j, at := range r.lanes {
			p := r.first.Add(int64(uint64(j) * n))
			u, from := w.shadowOf(p, at.k, at.i, n)
			if found = found || u != 0; u != 0 && w.isDead(p, from) {
				if dead == nil {
					dead = map[int]memory.OriginID{}
				}
				dead[at.k*64+at.i] = from
			}
			s.set(w, x.dst, scalar, at.k*64+at.i, u, from)
		}
	})
	if found || had {
		w.defineOthers(in)
		s.settle(x.dst)
	}
	if dead != nil {
		w.reportUndefined(in, engine.UndefinedDead, func(k, i int) memory.OriginID { return dead[k*64+i] })
	}
}

// shadowStore stands before a store.
func shadowStore(w *wave, in *inst) {
	s, x := w.shadow, in.aux.shadowed
	last := len(x.nums) - 1
	undefined := false
	if s.count != 0 {
		w.reportAddress(in)
		undefined = s.has(x.nums[last])
	}
	if !undefined && w.plain(in) {
		return
	}
	n := uint64(in.src.Type.Bytes())
	w.reportDeadStore(in, n)
	if !undefined && w.defineRows(in, n) {
		return
	}
	if !undefined && !w.lanesAt(in, n, func(s *memory.Shadow, offsets []uint64) bool { s.DefineAt(offsets, n); return false }) {
		return
	}
	if !undefined {
		w.eachRun(in, n, false, func(r *laneRun) { w.defineRun(r, n) })
		return
	}
	out := outputs{w: w, in: in}
	w.eachLane(false, func(k, i int) {
		u, from := s.get(x.nums[last], x.regs[last], x.types[last], k*64+i)
		_, p := w.address(in.src, k, i)
		if u != 0 {
			from = w.group.Launch.Stored(in.pc, from)
			out.add(p, k, i, from)
		}
		w.setShadow(p, k, i, n, u, from)
	})
	out.tell()
}

// reportDeadStore tells of a store of n bytes to variables whose lifetimes are over.
func (w *wave) reportDeadStore(in *inst, n uint64) {
	if !w.shadow.private.ended {
		return
	}
	w.reportUndefined(in, engine.UndefinedDeadStore, func(k, i int) memory.OriginID {
		_, p := w.address(in.src, k, i)
		a := int(p.Alloc()) - 1
		if p.Space() != memory.SpacePrivate || a < 0 || a >= len(w.shadow.private.dead) || w.shadow.private.dead[a] == 0 {
			return 0
		}
		if u, from := w.shadowOf(p, k, i, n); u != 0 && w.isDead(p, from) {
			return from
		}
		return 0
	})
}

// rows returns where the shadow is of an access of n bytes to private memory at one offset that all lanes share, to whole
// words or inside of one, and which bits of each word it is; base is that of the first chunk, nil for other accesses.
func (w *wave) rows(in *inst, n uint64) (base unsafe.Pointer, off uint64, bits uint32, alloc int) {
	s := in.src
	if !s.A.IsScalar() || s.Idx != isa.IdxNone && !s.B.IsScalar() {
		return nil, 0, 0, 0
	}
	k, i := w.firstLane()
	_, p := w.address(s, k, i)
	a := int(p.Alloc()) - 1
	off = uint64(p.Offset())
	if p.Space() != memory.SpacePrivate || off&(min(n, 4)-1) != 0 || a < 0 || a >= len(w.code.privRegions) ||
		w.code.privRegions[a].Check(p, n, memory.AccessRead) != nil || w.flip(a) == 0 {
		return nil, 0, 0, 0
	}
	return w.shadowRoom(w.shadow.private.base, p.Alloc(), 0), off, uint32(full>>(64-8*min(n, 4))) << (off & 3 * 8), a
}

// rowsDefined says whether an access to rows of private memory reads no undefined bits.
func (w *wave) rowsDefined(in *inst, n uint64) bool {
	base, off, mask, _ := w.rows(in, n)
	if base == nil {
		return false
	}
	for k, m := range w.exec {
		for j := uint64(0); j < n; j += 4 {
			row := row4(unsafe.Add(base, uintptr(k)*w.code.privStride), off+j)
			for m := m; m != 0; m &= m - 1 {
				if row[bits.TrailingZeros64(m)&63]&mask != mask {
					return false
				}
			}
		}
	}
	return true
}

// defineRows makes what an access to rows of private memory writes defined. It says whether it was one.
func (w *wave) defineRows(in *inst, n uint64) bool {
	base, off, mask, a := w.rows(in, n)
	if base == nil {
		return false
	}
	p := &w.shadow.private
	p.written[a] = true
	for k, m := range w.exec {
		for j := uint64(0); j < n; j += 4 {
			row := row4(unsafe.Add(base, uintptr(k)*w.code.privStride), off+j)
			for m := m; m != 0; m &= m - 1 {
				x := &row[bits.TrailingZeros64(m)&63]
				switch *x & mask {
				case mask:
				case 0:
					p.left[a] -= int(min(n, 4))
				default:
					for b := range 4 {
						p.left[a] -= int(b2u64((*x|^mask)>>(8*b)&0xff != 0xff))
					}
				}
				*x |= mask
			}
		}
	}
	return true
}

// lanesAt calls f with the places in an allocation's shadow that the lanes of a chunk access, until it returns true, and
// returns that. It returns true for an access that has no such allocation.
func (w *wave) lanesAt(in *inst, n uint64, f func(*memory.Shadow, []uint64) bool) bool {
	if !in.src.A.IsScalar() || in.src.Dst.IsScalar() && in.src.Op == isa.OpLoad {
		return true
	}
	p := memory.Pointer(w.s[in.a])
	if p.Space() == memory.SpacePrivate || p.Far() {
		return true
	}
	s, at := w.region(p).Shadow()
	if s == nil {
		return true
	}
	var room [64]uint64
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		x, offsets := w.offsets(in, w.chunk(k)), room[:0]
		for ; m != 0; m &= m - 1 {
			offsets = append(offsets, at+uint64(p.Offset()+in.disp+x[bits.TrailingZeros64(m)&63]))
		}
		if f(s, offsets) {
			return true
		}
	}
	return false
}

// outputs gathers the lanes that store undefined bits in global memory.
type outputs struct {
	w     *wave
	in    *inst
	lane  int
	lanes int
	p     memory.Pointer
	from  memory.OriginID
}

func (o *outputs) add(p memory.Pointer, k, i int, from memory.OriginID) {
	if p.Space() != memory.SpaceGlobal {
		return
	}
	if o.lanes++; o.lanes == 1 {
		o.lane, o.p, o.from = o.w.first+k*64+i, p, from
	}
}

func (o *outputs) tell() {
	if o.lanes == 0 || o.w.group.Report == nil {
		return
	}
	o.w.group.Report(&engine.Fault{
		Code: engine.UndefinedStores, PC: o.in.pc, Lane: o.lane, Lanes: o.lanes,
		Undefined: &engine.Undefined{Use: engine.UndefinedOutput, From: o.from, Pointer: o.p},
	})
}

// laneAt is a lane.
type laneAt struct{ k, i int }

// laneRun is lanes that access consecutive elements of one allocation.
type laneRun struct {
	first memory.Pointer
	lanes []laneAt
}

// eachRun calls f for the accesses of an instruction, put together where they follow each other.
func (w *wave) eachRun(in *inst, n uint64, scalar bool, f func(*laneRun)) {
	room := &w.shadow.room
	r := &w.shadow.run
	r.lanes = room[:0]
	w.eachLane(scalar, func(k, i int) {
		_, p := w.address(in.src, k, i)
		if c := len(r.lanes); c > 0 && (c == len(room) || p.Space() == memory.SpacePrivate || p != r.first+memory.Pointer(uint64(c)*n)) {
			f(r)
			r.lanes = room[:0]
		}
		if len(r.lanes) == 0 {
			r.first = p
		}
		r.lanes = append(r.lanes, laneAt{k, i})
	})
	if len(r.lanes) > 0 {
		f(r)
	}
}

// anyUndefined says whether a run may read undefined bits.
func (w *wave) anyUndefined(r *laneRun, n uint64) bool {
	if r.first.Space() == memory.SpacePrivate {
		a := int(r.first.Alloc()) - 1
		return a >= 0 && a < len(w.shadow.private.left) && w.shadow.private.left[a] != 0
	}
	s, at := w.region(r.first).Shadow()
	if s.Defined() {
		return false
	}
	off := r.first.Offset()
	return off < 0 || s.Any(at+uint64(off), uint64(len(r.lanes))*n)
}

// defineRun makes what a run stores defined.
func (w *wave) defineRun(r *laneRun, n uint64) {
	if r.first.Space() != memory.SpacePrivate {
		reg := w.region(r.first)
		total := uint64(len(r.lanes)) * n
		if s, at := reg.Shadow(); s.Defined() {
			return
		} else if reg.Check(r.first, total, memory.AccessWrite) == nil {
			s.Define(at+uint64(r.first.Offset()), total)
			return
		}
	}
	for j, at := range r.lanes {
		w.setShadow(r.first.Add(int64(uint64(j)*n)), at.k, at.i, n, 0, 0)
	}
}

// shadowAtomic stands before an atomic operation. Lanes act one after the other, so that one may read what another has
// stored. Which bits are undefined does not depend on values here.
func shadowAtomic(w *wave, in *inst) {
	s, x := w.shadow, in.aux.shadowed
	if s.count != 0 {
		w.reportAddress(in)
	}
	had := s.has(x.dst)
	if !had && !s.any(x.nums) && w.plain(in) {
		return
	}
	op, n := isa.AtomicOp(in.src.Imm2), uint64(in.src.Type.Bytes())
	at := 1
	if in.src.Idx != isa.IdxNone {
		at = 2
	}
	mask := full >> (64 - 8*n)
	found := false
	out := outputs{w: w, in: in}
	w.eachLane(false, func(k, i int) {
		lane := k*64 + i
		_, p := w.address(in.src, k, i)
		old, from := w.shadowOf(p, k, i, n)
		if x.dst != noRegister {
			found = found || old != 0
			s.set(w, x.dst, false, lane, old, from)
		}
		if op == isa.AtomicLoad {
			return
		}
		v, by := s.get(x.nums[at], x.regs[at], x.types[at], lane)
		u := old | v
		switch op {
		case isa.AtomicStore, isa.AtomicXchg:
			u = v
		case isa.AtomicAnd, isa.AtomicOr, isa.AtomicXor:
		case isa.AtomicAdd, isa.AtomicSub:
			u = -(u & -u) & mask
		case isa.AtomicCmpXchg:
			if c, _ := s.get(x.nums[at+1], x.regs[at+1], x.types[at+1], lane); c|old != 0 {
				u = mask
			}
		default:
			if u != 0 {
				u = mask
			}
		}
		if v != 0 {
			from = w.group.Launch.Stored(in.pc, by)
			out.add(p, k, i, from)
		}
		w.setShadow(p, k, i, n, u, from)
	})
	if x.dst != noRegister && (found || had) {
		w.defineOthers(in)
		s.settle(x.dst)
	}
	out.tell()
}

// shadowMemCopy stands before a copy of bytes: undefined ones stay so at the other place.
func shadowMemCopy(w *wave, in *inst) {
	s := in.src
	w.reportOperands(in, engine.UndefinedAddress, 0, 2)
	w.reportOperands(in, engine.UndefinedSize, 2, 3)
	out := outputs{w: w, in: in}
	w.eachLane(false, func(k, i int) {
		dst, src, n := memory.Pointer(w.reg(s.A, isa.I64, k, i)), memory.Pointer(w.reg(s.B, isa.I64, k, i)), w.reg(s.C, isa.I64, k, i)
		if n == 0 || w.definedAt(src) && w.definedAt(dst) || w.checkCopy(in, k, i) != nil {
			return
		}
		told := false
		for j := range n {
			at := int64(j)
			if dst > src {
				at = int64(n - 1 - j) // from the side on which overlapping areas are read before they are written
			}
			u, from := w.shadowOf(src.Add(at), k, i, 1)
			if u != 0 {
				from = w.group.Launch.Stored(in.pc, from)
				if !told {
					told = true
					out.add(dst.Add(at), k, i, from)
				}
			}
			w.setShadow(dst.Add(at), k, i, 1, u, from)
		}
	})
	out.tell()
}

// definedAt says whether the allocation that a pointer leads to has no undefined bits.
func (w *wave) definedAt(p memory.Pointer) bool {
	if p.Space() == memory.SpacePrivate {
		a := int(p.Alloc()) - 1
		return a < 0 || a >= len(w.shadow.private.left) || w.shadow.private.left[a] == 0
	}
	s, _ := w.region(p).Shadow()
	return s.Defined()
}

// shadowBlock stands before a block access of a sub-group.
func shadowBlock(w *wave, in *inst) {
	s, x := w.shadow, in.aux.shadowed
	if s.count != 0 {
		w.reportAddress(in)
	}
	load := in.src.Op == isa.OpBlockLoad
	if load {
		w.define(in)
	}
	last := len(x.nums) - 1
	if load {
		last = 0
	}
	if w.plain(in) && (load || !s.has(x.nums[last])) {
		return
	}
	out := outputs{w: w, in: in}
	w.eachBlockElement(in.src, func(k, i int, p memory.Pointer, n uint64) {
		if load {
			if u, from := w.shadowOf(p, k, i, n); u != 0 {
				s.set(w, x.dst, false, k*64+i, u, from)
			}
			return
		}
		u, from := s.get(x.nums[last], x.regs[last], x.types[last], k*64+i)
		if u != 0 {
			from = w.group.Launch.Stored(in.pc, from)
			out.add(p, k, i, from)
		}
		w.setShadow(p, k, i, n, u, from)
	})
	if load && s.regs[x.dst].bits != nil {
		s.settle(x.dst)
	}
	out.tell()
}

// shadowPipe stands before a pipe operation: packets are defined. A lane that gets one makes its memory defined then.
func shadowPipe(w *wave, in *inst) {
	s := w.shadow
	a := in.src
	p := &w.code.kernel.PipeAccesses[a.Imm]
	if s.count != 0 {
		w.reportOperands(in, engine.UndefinedPipe, 0, len(in.aux.shadowed.nums))
		if in.aux.shadowed.dst != noRegister {
			w.define(in)
		}
	}
	if p.Pointer == isa.None {
		return
	}
	if p.Op != isa.PipeWrite && p.Op != isa.PipeReservedWrite {
		return
	}
	w.reportUndefined(in, engine.UndefinedPipe, func(k, i int) memory.OriginID {
		at := memory.Pointer(w.reg(p.Pointer, isa.I64, k, i))
		if w.definedAt(at) {
			return 0
		}
		for j := range w.reg(p.PacketBytes, isa.I32, k, i) & 0xffff {
			if u, from := w.shadowOf(at.Add(int64(j)), k, i, 1); u != 0 && !w.group.Launch.Origins.Of(from).Padding {
				return from
			}
		}
		return 0
	})
}
