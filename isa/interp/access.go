package interp

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// noKey is no upper half of a pointer: space and allocation take 24 bits.
const noKey = ^uint64(0)

// bigEndian says that elements of memory differ from those of the host.
var bigEndian = func() bool {
	x := uint16(1)
	return *(*byte)(unsafe.Pointer(&x)) == 0
}()

func load8(p unsafe.Pointer) uint8 { return *(*uint8)(p) }

func store8(p unsafe.Pointer, v uint8) { *(*uint8)(p) = v }

// sext is the index of type IdxS32 as a number.
func sext(x uint32) int64 { return int64(int32(x)) }

// mostIndex returns a power of two. No index of more, or of less than minus that, leads from one offset to
// another, and no product of one that is not has more than 64 bits.
func mostIndex(scale int64) int64 { return 1 << (42 - bits.Len64(uint64(scale))&63) }

// scaled returns what an index adds to an address, or what is as far from all offsets: a product that 64 bits do
// not hold must not come back as a small one.
func scaled(x, scale int64) int64 {
	if most := mostIndex(scale); uint64(x+most) >= uint64(2*most) {
		x = most
	}
	return x * scale
}

// The functions below look at the indices of consecutive lanes. They are not
// inlined: loops inside a large function run out of registers.

// contiguous32 says whether each index is the one before plus 1. The caller
// has compared the last with the first.
//
//go:noinline
func contiguous32(x []uint32) bool {
	first := x[0]
	if len(x) == 64 && !bigEndian {
		// Two at a time. A carry from the low half makes a false "no", which is harmless.
		p := (*[32]uint64)(unsafe.Pointer(&x[0]))
		var diff uint64
		want := uint64(first) | uint64(first+1)<<32
		for i := 0; i < 32; i += 4 {
			diff |= (p[i] ^ want) | (p[i+1] ^ (want + 2<<32 + 2)) | (p[i+2] ^ (want + 4<<32 + 4)) | (p[i+3] ^ (want + 6<<32 + 6))
			want += 8<<32 + 8
		}
		return diff == 0
	}
	var diff uint32
	for i, v := range x {
		diff |= v - first - uint32(i)
	}
	return diff == 0
}

// contiguous64 is contiguous32 for 64-bit indices.
//
//go:noinline
func contiguous64(x []uint64) bool {
	first := x[0]
	var diff uint64
	for i, v := range x {
		diff |= v - first - uint64(i)
	}
	return diff == 0
}

// same32 says whether all indices are equal.
//
//go:noinline
func same32(x []uint32) bool {
	first := x[0]
	if len(x) == 64 {
		p := (*[32]uint64)(unsafe.Pointer(&x[0]))
		want := uint64(first)<<32 | uint64(first)
		var diff uint64
		for i := 0; i < 32; i += 4 {
			diff |= (p[i] ^ want) | (p[i+1] ^ want) | (p[i+2] ^ want) | (p[i+3] ^ want)
		}
		return diff == 0
	}
	var diff uint32
	for _, v := range x {
		diff |= v ^ first
	}
	return diff == 0
}

// same64 is same32 for 64-bit indices.
//
//go:noinline
func same64(x []uint64) bool {
	first := x[0]
	var diff uint64
	for _, v := range x {
		diff |= v ^ first
	}
	return diff == 0
}

// target returns the memory of the allocation that p leads to and the highest
// offset at which an access of n bytes stays inside; nil if p leads to
// private memory or nowhere, if nothing leads back from where it is, or if the access is not allowed.
func (w *wave) target(in *inst, p memory.Pointer, n uint64, a memory.Access) (mem unsafe.Pointer, limit uint64) {
	space := p.Space()
	if in.space != memory.SpaceNone && space != in.space || p.Far() {
		return nil, 0
	}
	var r *memory.Region
	switch space {
	case memory.SpaceGlobal:
		r = w.mem.Lookup(p.Alloc())
	case memory.SpaceLocal:
		r = w.lds.Lookup(p.Alloc())
	}
	if r == nil || !r.Allows(a) || uint64(len(r.Data)) < n {
		return nil, 0
	}
	return unsafe.Pointer(unsafe.SliceData(r.Data)), uint64(len(r.Data)) - n
}

// flat is target for a scalar pointer; off is the part of the offset that all
// lanes share.
func (w *wave) flat(in *inst, n uint64, a memory.Access) (mem unsafe.Pointer, limit uint64, off int64) {
	p := memory.Pointer(w.s[in.a])
	mem, limit = w.target(in, p, n, a)
	return mem, limit, p.Offset() + in.disp
}

// scalarIndex returns what a scalar index (or none) adds to an address.
func (w *wave) scalarIndex(in *inst) int64 {
	if in.idx == isa.IdxNone {
		return 0
	}
	x := int64(w.s[in.b])
	switch in.idx {
	case isa.IdxS32:
		x = sext(uint32(x))
	case isa.IdxU32:
		x = int64(uint32(x))
	}
	return scaled(x, in.scale)
}

// offsets returns, for the lanes of a chunk, what the index adds to the
// address, and the displacement too if the pointer is a vector.
func (w *wave) offsets(in *inst, base unsafe.Pointer) *[64]int64 {
	x := &w.offs
	disp := in.disp
	if in.scalars&1 != 0 {
		disp = 0 // flat or private has added it
	}
	scale := in.scale
	if !in.vectorIndex {
		c := w.scalarIndex(in) + disp
		for i := range x {
			x[i] = c
		}
		return x
	}
	switch in.idx {
	case isa.IdxS32:
		for i, v := range (*[64]uint32)(unsafe.Add(base, in.b)) {
			x[i] = sext(v)*scale + disp
		}
	case isa.IdxU32:
		if mostIndex(scale) > math.MaxUint32 {
			for i, v := range (*[64]uint32)(unsafe.Add(base, in.b)) {
				x[i] = int64(v)*scale + disp
			}
			return x
		}
		for i, v := range (*[64]uint32)(unsafe.Add(base, in.b)) {
			x[i] = scaled(int64(v), scale) + disp
		}
	default:
		for i, v := range (*[64]uint64)(unsafe.Add(base, in.b)) {
			x[i] = scaled(int64(v), scale) + disp
		}
	}
	return x
}

// address returns the pointer operand of an access and the address itself, for a lane.
func (w *wave) address(in *isa.Inst, k, i int) (base, p memory.Pointer) {
	base = memory.Pointer(w.reg(in.A, isa.I64, k, i))
	d := int64(in.Disp)
	switch in.Idx {
	case isa.IdxS32:
		d += sext(uint32(w.reg(in.B, isa.I32, k, i))) * int64(in.Scale)
	case isa.IdxU32:
		d += scaled(int64(uint32(w.reg(in.B, isa.I32, k, i))), int64(in.Scale))
	case isa.Idx64:
		d += scaled(int64(w.reg(in.B, isa.I64, k, i)), int64(in.Scale))
	}
	return base, base.Add(d)
}

// region returns the allocation that p leads to, or nil.
func (w *wave) region(p memory.Pointer) *memory.Region {
	n := p.Alloc()
	switch p.Space() {
	case memory.SpaceGlobal:
		return w.mem.Lookup(n)
	case memory.SpaceLocal:
		return w.lds.Lookup(n)
	case memory.SpacePrivate:
		if n > 0 && int(n) <= len(w.code.privRegions) {
			return &w.code.privRegions[n-1]
		}
	}
	return nil
}

// check returns what an access of n bytes at p does wrong, or nil. base is
// the pointer that p was computed from.
func (w *wave) check(base, p memory.Pointer, space memory.Space, n uint64, a memory.Access) *memory.Fault {
	f := memory.Fault{Access: a, Pointer: p, Size: n, Expected: space, IsAddress: w.mem.IsAddress(p)}
	switch {
	case base == 0 || p.IsNearNull():
		f.Kind = memory.FaultNull
		return &f
	case space != memory.SpaceNone && p.Space() != space:
		f.Kind = memory.FaultPointer
		return &f
	}
	r := w.region(p)
	bad := r.Check(p, n, a)
	if bad == nil {
		return nil
	}
	bad.Expected, bad.IsAddress = space, f.IsAddress
	if bad.HasRegion && p.Space() == memory.SpaceLocal {
		bad.Region = w.localName(int(p.Alloc()) - 1)
	}
	return bad
}

// localName returns the name of an LDS allocation.
func (w *wave) localName(n int) string {
	k := w.code.kernel
	if n < len(k.Local) {
		return k.Local[n].Name
	}
	n -= len(k.Local)
	for _, p := range k.Params {
		if p.Kind == isa.ParamLocal {
			if n == 0 {
				return p.Name
			}
			n--
		}
	}
	return ""
}

// access returns what the instruction does to memory.
func access(in *isa.Inst) memory.Access {
	switch {
	case in.Op == isa.OpLoad || in.Op == isa.OpBlockLoad:
		return memory.AccessRead
	case in.Op == isa.OpStore || in.Op == isa.OpBlockStore:
		return memory.AccessWrite
	}
	return memory.AccessAtomic
}

// checkLane returns what a load, store or atomic operation does wrong in a lane, or nil.
func (w *wave) checkLane(in *inst, k, i int) *memory.Fault {
	s := in.src
	n := uint64(s.Type.Bytes())
	a := access(s)
	perm := a
	if s.Op == isa.OpAtomic && isa.AtomicOp(s.Imm2) == isa.AtomicLoad {
		perm = memory.AccessRead // allowed in read-only memory
	}
	base, p := w.address(s, k, i)
	f := w.check(base, p, in.space, n, perm)
	if f == nil && s.Op == isa.OpAtomic && p.Offset()%int64(n) != 0 {
		f = w.misaligned(p, n, n)
	}
	if f != nil {
		f.Access = a
	}
	return f
}

// misaligned returns the fault of an access of n bytes that is not aligned as it must be.
func (w *wave) misaligned(p memory.Pointer, n, align uint64) *memory.Fault {
	f := &memory.Fault{Kind: memory.FaultAlign, Pointer: p, Size: n, Align: align}
	if r := w.region(p); r != nil {
		f.Region, f.RegionSize, f.HasRegion = r.Name, r.Size, true
		if p.Space() == memory.SpaceLocal {
			f.Region = w.localName(int(p.Alloc()) - 1)
		}
	}
	return f
}

// memFault ends the wave at an access of which some lane is not allowed. The
// accesses of the lanes before it have taken place.
//
//go:noinline
func (w *wave) memFault(in *inst) {
	w.failMemory(in, func(k, i int) *memory.Fault { return w.checkLane(in, k, i) })
}

// failMemory ends the wave if f finds a fault in any lane.
func (w *wave) failMemory(in *inst, f func(k, i int) *memory.Fault) {
	var first *memory.Fault
	set, found := w.lanesWhere(func(k, i int) bool {
		bad := f(k, i)
		if first == nil {
			first = bad
		}
		return bad != nil
	})
	if found {
		w.fail(engine.Fault{Code: faultCodes[first.Kind], PC: in.pc, Memory: first}, set)
	}
}

var faultCodes = [...]finding.Code{
	memory.FaultWriteOnly: finding.WriteOnly,
	memory.FaultBounds:    finding.OutOfBounds,
	memory.FaultNull:      finding.NullPointer,
	memory.FaultPointer:   finding.BadPointer,
	memory.FaultFreed:     finding.UseAfterFree,
	memory.FaultReadOnly:  finding.ReadOnly,
	memory.FaultAlign:     finding.Misaligned,
}

// aligned emits the check that stands before a load or store when Launch.Check is set.
func (d *decoder) aligned(in inst) {
	if d.check && d.kernel.Access(in.src).Align > 1 {
		in.fn = checkAlign
		d.emit(in)
	}
}

// checkAlign looks at the alignment of the module's access that a load or store is part of. An access
// that is bad for another reason is left to the access itself.
func checkAlign(w *wave, in *inst) {
	a := w.code.kernel.Access(in.src)
	if in.scalars&1 != 0 && (!in.vectorIndex || uint64(in.scale)&(a.Align-1) == 0) {
		// One lane tells for all.
		p := memory.Pointer(w.s[in.a])
		d := in.disp
		if !in.vectorIndex {
			d += w.scalarIndex(in)
		}
		if (uint64(p.Offset()+d)-a.Offset)&(a.Align-1) == 0 {
			return
		}
	}
	bad := func(k, i int) *memory.Fault {
		_, p := w.address(in.src, k, i)
		if (uint64(p.Offset())-a.Offset)&(a.Align-1) == 0 || w.checkLane(in, k, i) != nil {
			return nil
		}
		f := w.misaligned(p.Add(-int64(a.Offset)), a.Bytes, a.Align)
		f.Access = access(in.src)
		return f
	}
	w.failMemory(in, bad)
}

// checkCopyAlign stands before a copy of bytes when Launch.Check is set, where the module
// promises an alignment.
func checkCopyAlign(w *wave, in *inst) {
	s := in.src
	w.failMemory(in, func(k, i int) *memory.Fault {
		n := w.reg(s.C, isa.I64, k, i)
		if n == 0 || w.checkCopy(in, k, i) != nil {
			return nil
		}
		for _, side := range [...]struct {
			reg    isa.Reg
			code   uint32
			access memory.Access
		}{{s.B, s.Imm, memory.AccessRead}, {s.A, uint32(s.Imm2), memory.AccessWrite}} {
			p := memory.Pointer(w.reg(side.reg, isa.I64, k, i))
			if align := uint64(1) << (max(side.code, 1) - 1); uint64(p.Offset())&(align-1) != 0 {
				f := w.misaligned(p, n, align)
				f.Access = side.access
				return f
			}
		}
		return nil
	})
}

// slowLoad loads one element, wherever the address leads. It says whether that
// is allowed.
func (w *wave) slowLoad(in *inst, k, i int, n uint64) (uint64, bool) {
	if w.checkLane(in, k, i) != nil {
		return 0, false
	}
	_, p := w.address(in.src, k, i)
	return w.peek(p, k, i, n), true
}

// slowStore stores one element, as slowLoad loads it.
func (w *wave) slowStore(in *inst, k, i int, n, v uint64) bool {
	if w.checkLane(in, k, i) != nil {
		return false
	}
	_, p := w.address(in.src, k, i)
	w.poke(p, k, i, n, v)
	return true
}

// peek returns the n bytes, at most 8, at a checked address.
func (w *wave) peek(p memory.Pointer, k, i int, n uint64) uint64 {
	off := uint64(p.Offset())
	if p.Space() == memory.SpacePrivate {
		return roomLoad(w.privateRoom(p.Alloc(), k), i, off, n)
	}
	q := unsafe.Pointer(&w.region(p).Data[off])
	switch n {
	case 1:
		return uint64(load8(q))
	case 2:
		return uint64(memory.Load16(q))
	case 4:
		return uint64(memory.Load32(q))
	}
	return memory.Load64(q)
}

// poke stores n bytes, at most 8, at a checked address.
func (w *wave) poke(p memory.Pointer, k, i int, n, v uint64) {
	off := uint64(p.Offset())
	if p.Space() == memory.SpacePrivate {
		w.touched[p.Alloc()-1] = true
		roomStore(w.privateRoom(p.Alloc(), k), i, off, n, v)
		return
	}
	q := unsafe.Pointer(&w.region(p).Data[off])
	switch n {
	case 1:
		store8(q, uint8(v))
	case 2:
		memory.Store16(q, uint16(v))
	case 4:
		memory.Store32(q, uint32(v))
	default:
		memory.Store64(q, v)
	}
}

// memCopy copies bytes between two places in each lane. Areas that overlap are
// copied as if through a third place.
func memCopy(w *wave, in *inst) {
	s := in.src
	for k, m := range w.exec {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			if w.checkCopy(in, k, i) != nil {
				w.failMemory(in, func(k, i int) *memory.Fault { return w.checkCopy(in, k, i) })
				return
			}
			dst := memory.Pointer(w.reg(s.A, isa.I64, k, i))
			src := memory.Pointer(w.reg(s.B, isa.I64, k, i))
			n := w.reg(s.C, isa.I64, k, i)
			if n != 0 {
				w.copyBytes(dst, src, n, k, i)
			}
		}
	}
}

// checkCopy returns what a copy does wrong in a lane, or nil.
func (w *wave) checkCopy(in *inst, k, i int) *memory.Fault {
	s := in.src
	n := w.reg(s.C, isa.I64, k, i)
	if n == 0 {
		return nil
	}
	src, dst := memory.Pointer(w.reg(s.B, isa.I64, k, i)), memory.Pointer(w.reg(s.A, isa.I64, k, i))
	if f := w.check(src, src, memory.SpaceNone, n, memory.AccessRead); f != nil {
		return f
	}
	return w.check(dst, dst, memory.SpaceNone, n, memory.AccessWrite)
}

func (w *wave) copyBytes(dst, src memory.Pointer, n uint64, k, i int) {
	if dst.Space() != memory.SpacePrivate && src.Space() != memory.SpacePrivate {
		do, so := uint64(dst.Offset()), uint64(src.Offset())
		copy(w.region(dst).Data[do:do+n], w.region(src).Data[so:so+n])
		return
	}
	// From the side on which overlapping areas do not overwrite what is still to be read.
	unit := uint64(1)
	if (uint64(dst.Offset())|uint64(src.Offset())|n)%4 == 0 {
		unit = 4
	}
	for j := uint64(0); j < n; j += unit {
		at := j
		if dst > src {
			at = n - unit - j
		}
		w.poke(dst.Add(int64(at)), k, i, unit, w.peek(src.Add(int64(at)), k, i, unit))
	}
}
