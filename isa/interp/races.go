package interp

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
)

// raceAccess emits what tells of an access for the detection of data races, in front of it. Nobody but the
// lane itself reaches its private memory.
func (d *decoder) raceAccess(in inst) {
	d.restricted(in)
	s := in.src
	if !d.check || s.Space == isa.SpacePrivate {
		return
	}
	a := &race.Access{PC: in.pc, Kind: access(s), Size: uint64(s.Type.Bytes())}
	switch s.Op {
	case isa.OpLoad, isa.OpStore:
		in.fn = tellAccess
		if s.A.IsVector() || in.scalars&1 == 0 {
			in.fn = tellPointers
		}
	case isa.OpAtomic:
		in.fn = tellAtomic
		a.Atomic, a.Scope = true, s.Order().Scope()
		if isa.AtomicOp(s.Imm2) == isa.AtomicLoad {
			a.Kind = memory.AccessRead
		}
	case isa.OpMemCopy:
		in.fn = tellCopy
	case isa.OpBlockLoad, isa.OpBlockStore:
		in.fn = tellBlocks
		a.Kind = memory.AccessRead
		if s.Op == isa.OpBlockStore {
			a.Kind = memory.AccessWrite
		}
	}
	in.aux = &aux{race: a}
	d.emit(in)
}

// tellAccess tells of a load or store through a scalar pointer.
func tellAccess(w *wave, in *inst) {
	r, p := w.group.Races, memory.Pointer(w.s[in.a])
	if r == nil || p.Far() || p.Space() == memory.SpacePrivate {
		return
	}
	if in.aux.race.Kind == memory.AccessRead && r.Ignores(p) {
		return
	}
	w.telling, r.Same = in, w.same
	a := in.aux.race
	p = p.Add(in.disp)
	if !in.vectorIndex {
		p = p.Add(w.scalarIndex(in))
		clear(w.offs[:])
		for k, m := range w.exec {
			if m != 0 {
				r.Lanes(a, p, w.first+k*64, m, &w.offs)
			}
		}
		return
	}
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		base := w.chunk(k)
		if x, i, n, ok := w.follows(in, base, m); ok {
			r.Row(a, p.Add(x), w.first+k*64+i, n)
			continue
		}
		r.Lanes(a, p, w.first+k*64, m, w.offsets(in, base))
	}
}

// follows says whether the lanes of a chunk that run are n lanes from lane i on which access elements that follow each
// other: the first of them what x leads to from the pointer.
func (w *wave) follows(in *inst, base unsafe.Pointer, m uint64) (x int64, i, n int, ok bool) {
	i, n = bits.TrailingZeros64(m), bits.OnesCount64(m)
	if in.scale != int64(in.aux.race.Size) || m>>i != ^uint64(0)>>(64-n) {
		return 0, 0, 0, false
	}
	most := mostIndex(in.scale) - 64
	switch in.idx {
	case isa.IdxS32, isa.IdxU32:
		s := (*[64]uint32)(unsafe.Add(base, in.b))[i : i+n]
		if x = int64(s[0]); in.idx == isa.IdxS32 {
			x = sext(s[0])
		}
		// Not across the end of the numbers, where an index is none that follows.
		ok = s[n-1]-s[0] == uint32(n-1) && x+int64(n) <= math.MaxInt32 && contiguous32(s)
	default:
		s := (*[64]uint64)(unsafe.Add(base, in.b))[i : i+n]
		x = int64(s[0])
		ok = s[n-1]-s[0] == uint64(n-1) && x > -most && x < most && contiguous64(s)
	}
	return x * in.scale, i, n, ok
}

// tellPointers tells of a load or store through a pointer of each lane: of those together that lead to one
// allocation.
func tellPointers(w *wave, in *inst) {
	r := w.group.Races
	if r == nil {
		return
	}
	w.telling, r.Same = in, w.same
	var at [64]memory.Pointer
	for k, m := range w.exec {
		for rest := m; rest != 0; rest &= rest - 1 {
			i := bits.TrailingZeros64(rest)
			_, at[i] = w.address(in.src, k, i)
		}
		for m != 0 {
			first := at[bits.TrailingZeros64(m)]
			var lanes uint64
			for rest := m; rest != 0; rest &= rest - 1 {
				if i := bits.TrailingZeros64(rest); at[i]>>memory.OffsetBits == first>>memory.OffsetBits {
					lanes |= 1 << i
					w.offs[i] = at[i].Offset() - first.Offset()
				}
			}
			m &^= lanes
			r.Lanes(in.aux.race, first, w.first+k*64, lanes, &w.offs)
		}
	}
}

// tellAtomic tells of an atomic operation. Whether a compare-and-exchange has written is known behind it.
func tellAtomic(w *wave, in *inst) {
	if w.group.Races == nil {
		return
	}
	op := isa.AtomicOp(in.src.Imm2)
	if op == isa.AtomicCmpXchg && in.src.Dst != isa.None {
		w.keepAddresses(in.src)
		return
	}
	reads, writes := op != isa.AtomicStore, op != isa.AtomicLoad
	if in.src.A.IsScalar() && in.scalars&1 != 0 && !memory.Pointer(w.s[in.a]).Far() {
		r, p := w.group.Races, memory.Pointer(w.s[in.a]).Add(in.disp)
		for k, m := range w.exec {
			if m != 0 {
				r.Atomics(in.aux.race, p, w.first+k*64, m, w.offsets(in, w.chunk(k)), in.src.Order(), reads, writes)
			}
		}
		return
	}
	w.eachLane(false, func(k, i int) {
		_, p := w.address(in.src, k, i)
		w.tellAtomicLane(in, k, i, p, reads, writes)
	})
}

// tellExchange tells of a compare-and-exchange that has been made.
func tellExchange(w *wave, in *inst) {
	if w.group.Races == nil {
		return
	}
	s := in.src
	w.eachLane(false, func(k, i int) {
		w.tellAtomicLane(in, k, i, w.addresses[k*64+i], true, w.reg(s.Dst, s.Type, k, i) == w.comparands[k*64+i])
	})
}

func (w *wave) tellAtomicLane(in *inst, k, i int, p memory.Pointer, reads, writes bool) {
	a := in.aux.race
	if !writes && a.Kind != memory.AccessRead {
		a = &race.Access{PC: a.PC, Kind: memory.AccessRead, Atomic: true, Scope: a.Scope, Size: a.Size}
	}
	item := w.first + k*64 + i
	w.group.Races.Atomic(a, item, p, in.src.Order(), reads, writes)
}

// keepAddresses keeps the addresses and the comparands of an atomic operation, whose registers its result
// may take.
func (w *wave) keepAddresses(s *isa.Inst) {
	if n := w.words * 64; len(w.addresses) < n {
		w.addresses, w.comparands = make([]memory.Pointer, n), make([]uint64, n)
	}
	w.eachLane(false, func(k, i int) {
		_, w.addresses[k*64+i] = w.address(s, k, i)
		w.comparands[k*64+i] = w.reg(s.D, s.Type, k, i)
	})
}

// tellCopy tells of both sides of a copy.
func tellCopy(w *wave, in *inst) {
	r, s := w.group.Races, in.src
	if r == nil {
		return
	}
	r.Same = nil
	w.eachLane(false, func(k, i int) {
		n := w.reg(s.C, isa.I64, k, i)
		from := race.Access{PC: in.pc, Kind: memory.AccessRead, Size: n}
		to := race.Access{PC: in.pc, Kind: memory.AccessWrite, Size: n}
		r.One(&from, memory.Pointer(w.reg(s.B, isa.I64, k, i)), w.first+k*64+i)
		r.One(&to, memory.Pointer(w.reg(s.A, isa.I64, k, i)), w.first+k*64+i)
	})
}

// tellBlocks tells of the elements of a block access.
func tellBlocks(w *wave, in *inst) {
	r := w.group.Races
	if r == nil {
		return
	}
	r.Same = nil
	w.eachBlockElement(in.src, func(k, i int, p memory.Pointer, _ uint64) { r.One(in.aux.race, p, w.first+k*64+i) })
}

// tellFence tells of a fence.
func tellFence(w *wave, in *inst) {
	if r := w.group.Races; r != nil {
		w.eachLane(false, func(k, i int) { r.Fence(w.first+k*64+i, in.src.Order()) })
	}
}

// tellTexel tells of an access to an element of an image.
func (w *wave) tellTexel(in *inst, kind memory.Access, im *memory.Image, off uint64, k, i int) {
	if r := w.group.Races; r != nil {
		r.Texel(&race.Access{PC: in.pc, Kind: kind, Size: uint64(im.Format.Bytes())}, im.Base.Add(int64(off)), w.first+k*64+i)
	}
}

// tellSampled tells of the elements of an image that a sampled read takes its result from.
func (w *wave) tellSampled(in *inst, im *memory.Image, k, i int) {
	if w.group.Races == nil || !w.group.Races.Paints() {
		return
	}
	var room [16]uint64
	for _, off := range w.sampled(room[:0], in.aux.image, im, k, i) {
		w.tellTexel(in, memory.AccessRead, im, off, k, i)
	}
}

// tellOrder tells which memory order each work-item has for the barrier or fence that follows.
func tellOrder(w *wave, in *inst) {
	if r := w.group.Races; r != nil {
		w.eachLane(false, func(k, i int) {
			scope, semantics := isa.Scope(w.reg(in.src.B, isa.I32, k, i)), uint32(w.reg(in.src.A, isa.I32, k, i))
			r.Varies(w.first+k*64+i, isa.OrderOf(scope, semantics))
		})
	}
}

// sameValue says whether a work-item is about to write the value that memory has already, or that another
// one writes by the same store, which the wave tells of.
func (w *wave) sameValue(item, other int) bool {
	in := w.telling
	if in.src.Op != isa.OpStore {
		return false
	}
	s, k, i := in.src, (item-w.first)/64, (item-w.first)%64
	_, p := w.address(s, k, i)
	v := w.reg(s.C, s.Type, k, i)
	if l := other - w.first; other >= 0 && l >= 0 && l < w.lanes && w.exec[l/64]>>(l%64)&1 != 0 {
		if _, q := w.address(s, l/64, l%64); q == p {
			return w.reg(s.C, s.Type, l/64, l%64) == v
		}
	}
	n := uint64(s.Type.Bytes())
	data, limit := w.target(in, p, n, memory.AccessWrite)
	off := uint64(p.Offset())
	if data == nil || off > limit {
		return false
	}
	for b, at := range unsafe.Slice((*byte)(unsafe.Add(data, off)), n) {
		if at != byte(v>>(8*b)) {
			return false
		}
	}
	return true
}

// tellPackets tells that a lane has sent packets through a pipe, or received some.
func (w *wave) tellPackets(p *memory.Pipe, write bool, k, i int) {
	switch r, item := w.group.Races, w.first+k*64+i; {
	case r == nil:
	case write:
		r.Send(item, p.Handle())
	default:
		r.Receive(item, p.Handle())
	}
}

// tellRun is tellPackets for the first n of the lanes that run.
func (w *wave) tellRun(p *memory.Pipe, write bool, n int) {
	if w.group.Races == nil {
		return
	}
	w.eachLane(false, func(k, i int) {
		if n--; n >= 0 {
			w.tellPackets(p, write, k, i)
		}
	})
}
