package interp

import (
	"math/bits"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Reads and writes of packets, single ones and those of reservations, go
// through here when all lanes use one pipe, which is nearly always so: what is the
// same for all lanes is looked at once. Where anything is wrong or out of the
// ordinary, the lanes from there on are left to pipeFrom.

// pipeMove moves a packet for each lane.
func pipeMove(w *wave, in *inst) {
	a, s := in.aux.pipe, w.pipes
	if w.group.Watch {
		if _, check := w.advanceCopies(in.pc); check {
			w.pipeFrom(in, 0)
			return
		}
	}
	h := memory.Pointer(w.s[a.Pipe.Index()])
	p, size, write := w.findPipe(h), uint32(w.s[a.PacketBytes.Index()]), a.Op.Writes()
	if p == nil || wrongEnd(h, a.Op) || size != p.PacketBytes() || p.PacketAlign() != 0 && uint32(w.s[a.PacketAlign.Index()]) != p.PacketAlign() {
		w.pipeFrom(in, 0)
		return
	}
	if a.Reserve != isa.None {
		done := w.movePackets(in, p, h, w.active)
		w.pipeResults(in, done, done)
		if done < w.active {
			w.pipeFrom(in, done)
		}
		return
	}
	can := int(min(p.Can(write), uint64(w.active)))
	done := 0
	if can > 0 {
		// The packets are next in the ring whether or not they are taken.
		if done = w.movePackets(in, p, h, can); done > 0 {
			k, i := w.firstLane()
			w.tracePackets(in, p, write, p.Move(write, uint64(done)), uint64(done), k, i)
			s.moved = true
		}
		if done < can {
			w.pipeResults(in, done, done)
			w.pipeFrom(in, done)
			return
		}
	}
	if can < w.active {
		s.failed = s.failed || !a.Blocking
		if a.Blocking {
			for k, m := range w.exec {
				for ; m != 0; m &= m - 1 {
					s.handles[k*64+bits.TrailingZeros64(m)] = h
				}
			}
		}
	}
	w.pipeResults(in, done, w.active)
}

// pipeResults gives the first done of the running lanes the result 0, and those
// up to the n-th -1.
func (w *wave) pipeResults(in *inst, done, n int) {
	if in.src.Dst == isa.None {
		return
	}
	for k, m := range w.exec {
		if n == 0 {
			return
		}
		c := bits.OnesCount64(m)
		if c > n {
			m, c = lowestLanes(m, n), n
		}
		d := (*[64]uint32)(unsafe.Add(w.chunk(k), in.d))
		got := m
		if done < c {
			got = lowestLanes(m, done)
		}
		fillLanes(d, got, 0)
		if rest := m &^ got; rest != 0 {
			fillLanes(d, rest, 1<<32-1)
		}
		done -= bits.OnesCount64(got)
		n -= c
	}
}

// lowestLanes returns the n lowest lanes of m, which has more.
func lowestLanes(m uint64, n int) uint64 {
	rest := m
	for range n {
		rest &= rest - 1
	}
	return m &^ rest
}

// movePackets copies packets for the first n running lanes, up to one that
// may not do that. It returns for how many it has.
func (w *wave) movePackets(in *inst, p *memory.Pipe, h memory.Pointer, n int) (done int) {
	a := in.aux.pipe
	write := a.Op.Writes()
	size := uint64(p.PacketBytes())
	ring := p.Ring()
	u := pipeUse{handle: h, pipe: p}
	next := p.Next(write) % uint64(p.Capacity()) * size
	for k, m := range w.exec {
		if m == 0 {
			continue
		}
		set := m
		if c := bits.OnesCount64(m); c > n-done {
			if done == n {
				return done
			}
			set = lowestLanes(m, n-done)
		}
		want := bits.OnesCount64(set)
		if a.Reserve == isa.None {
			next = w.nextPlaces(set, next, size, uint64(len(ring)))
		} else {
			set = w.reservedPlaces(in, &u, k, set, size)
		}
		c := 0
		if set != 0 {
			c = w.copyPackets(in, k, set, unsafe.Pointer(unsafe.SliceData(ring)), size, write)
		}
		if done += c; c < want {
			return done
		}
	}
	return done
}

// nextPlaces finds the packets of lanes that take them one after the other, from
// place next in a ring of end bytes on, and returns the place behind them.
func (w *wave) nextPlaces(set, next, size, end uint64) uint64 {
	at := &w.pipes.at
	if n := uint64(bits.OnesCount64(set)); n >= minDense && set&(set+1) == 0 && end-next > n*size {
		for i := range at {
			at[i] = next
			next += size
		}
		return next - (64-n)*size
	}
	for ; set != 0; set &= set - 1 {
		at[bits.TrailingZeros64(set)&63] = next
		if next += size; next == end {
			next = 0
		}
	}
	return next
}

// reservedPlaces finds the packets of lanes in reservations. It returns the lanes
// before the first that may not have its packet.
func (w *wave) reservedPlaces(in *inst, u *pipeUse, k int, set, size uint64) uint64 {
	a, p, at := in.aux.pipe, u.pipe, &w.pipes.at
	write, capacity := a.Op.Writes(), uint64(p.Capacity())
	base := w.chunk(k)
	var ids *[64]uint64
	var indices *[64]uint32
	id, index := uint64(0), uint64(0)
	if a.Reserve.IsVector() {
		ids = (*[64]uint64)(unsafe.Add(base, in.b))
	} else {
		id = w.s[in.b]
	}
	if a.Index.IsVector() {
		indices = (*[64]uint32)(unsafe.Add(base, in.c))
	} else {
		index = uint64(uint32(w.s[in.c]))
	}
	var r *memory.Reservation
	first, items := 0, 0 // lanes of the chunk that may use r
	slot := uint64(0)
	for m := set; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m) & 63
		if ids != nil {
			id = ids[i]
		}
		if r == nil || r.ID != id || uint(i-first) >= uint(items) {
			r = p.Reservation(id)
			u.reserve = r
			if _, wrong := w.wrongReserve(a, u, id, k, i); wrong {
				return set & (1<<i - 1)
			}
			first, items = r.Owner.First-w.first-k*64, r.Owner.Items
			slot = r.First % capacity
		}
		if indices != nil {
			index = uint64(indices[i])
		}
		if index >= r.N {
			return set & (1<<i - 1)
		}
		if write {
			r.Touch(index)
		}
		n := slot + index
		if n >= capacity {
			n -= capacity
		}
		at[i] = n * size
	}
	return set
}

// copyPackets copies the packets at wave.pipes.at for lanes of chunk k, up to
// one that may not access its memory. It returns for how many it has.
func (w *wave) copyPackets(in *inst, k int, set uint64, ring unsafe.Pointer, size uint64, write bool) int {
	var ptr *[64]uint64
	if in.aux.pipe.Pointer.IsVector() {
		ptr = (*[64]uint64)(unsafe.Add(w.chunk(k), in.a))
	} else {
		v := w.s[in.a]
		if memory.Pointer(v).Space() == memory.SpacePrivate {
			return w.copyRows(memory.Pointer(v), k, set, ring, size, write)
		}
		ptr = &w.pipes.same
		fill(ptr[:], v)
	}
	if memory.Pointer(ptr[bits.TrailingZeros64(set)&63]).Space() == memory.SpacePrivate {
		return w.copyPrivate(ptr, k, set, ring, size, write)
	}
	if write {
		switch size {
		case 1:
			return writeFlat[[1]byte](w, in, ptr, set, ring)
		case 2:
			return writeFlat[[2]byte](w, in, ptr, set, ring)
		case 4:
			return writeFlat[[4]byte](w, in, ptr, set, ring)
		case 8:
			return writeFlat[[8]byte](w, in, ptr, set, ring)
		case 16:
			return writeFlat[[16]byte](w, in, ptr, set, ring)
		}
	} else {
		switch size {
		case 1:
			return readFlat[[1]byte](w, in, ptr, set, ring)
		case 2:
			return readFlat[[2]byte](w, in, ptr, set, ring)
		case 4:
			return readFlat[[4]byte](w, in, ptr, set, ring)
		case 8:
			return readFlat[[8]byte](w, in, ptr, set, ring)
		case 16:
			return readFlat[[16]byte](w, in, ptr, set, ring)
		}
	}
	return w.copyFlat(in, ptr, set, ring, size, write)
}

// readFlat copies packets of the size of T into global memory or LDS.
func readFlat[T any](w *wave, in *inst, ptr *[64]uint64, set uint64, ring unsafe.Pointer) (n int) {
	at := &w.pipes.at
	key, limit := noKey, uint64(0)
	var mem unsafe.Pointer
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set) & 63
		p := memory.Pointer(ptr[i])
		if uint64(p>>memory.OffsetBits) != key {
			key = uint64(p >> memory.OffsetBits)
			mem, limit = w.target(in, p, uint64(unsafe.Sizeof(*new(T))), memory.AccessWrite)
		}
		off := uint64(p.Offset())
		if mem == nil || off > limit {
			return n
		}
		*(*T)(unsafe.Add(mem, off)) = *(*T)(unsafe.Add(ring, at[i]))
		n++
	}
	return n
}

// writeFlat copies packets of the size of T from global memory or LDS.
func writeFlat[T any](w *wave, in *inst, ptr *[64]uint64, set uint64, ring unsafe.Pointer) (n int) {
	at := &w.pipes.at
	key, limit := noKey, uint64(0)
	var mem unsafe.Pointer
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set) & 63
		p := memory.Pointer(ptr[i])
		if uint64(p>>memory.OffsetBits) != key {
			key = uint64(p >> memory.OffsetBits)
			mem, limit = w.target(in, p, uint64(unsafe.Sizeof(*new(T))), memory.AccessRead)
		}
		off := uint64(p.Offset())
		if mem == nil || off > limit {
			return n
		}
		*(*T)(unsafe.Add(ring, at[i])) = *(*T)(unsafe.Add(mem, off))
		n++
	}
	return n
}

// copyFlat copies packets of any size from or to global memory or LDS.
func (w *wave) copyFlat(in *inst, ptr *[64]uint64, set uint64, ring unsafe.Pointer, size uint64, write bool) (n int) {
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set) & 63
		p := memory.Pointer(ptr[i])
		mem, limit := w.target(in, p, size, packetAccess(write))
		off := uint64(p.Offset())
		if mem == nil || off > limit {
			return n
		}
		a := unsafe.Slice((*byte)(unsafe.Add(mem, off)), size)
		b := unsafe.Slice((*byte)(unsafe.Add(ring, w.pipes.at[i])), size)
		if write {
			copy(b, a)
		} else {
			copy(a, b)
		}
		n++
	}
	return n
}

// privatePacket returns the memory of chunk k for a packet in private memory, or nil.
func (w *wave) privatePacket(p memory.Pointer, k int, size uint64, write bool) unsafe.Pointer {
	n := int(p.Alloc())
	if p.Space() != memory.SpacePrivate || n == 0 || n > len(w.code.privSize) {
		return nil
	}
	if all, off := w.code.privSize[n-1], uint64(p.Offset()); all < size || off > all-size {
		return nil
	}
	if !write {
		w.touched[n-1] = true
	}
	return w.privateRoom(p.Alloc(), k)
}

// copyRows copies packets from or to one address in the private memory of each lane.
func (w *wave) copyRows(p memory.Pointer, k int, set uint64, ring unsafe.Pointer, size uint64, write bool) int {
	room := w.privatePacket(p, k, size, write)
	if room == nil {
		return 0
	}
	at, off := &w.pipes.at, uint64(p.Offset())
	if (size|off)%4 != 0 {
		for m := set; m != 0; m &= m - 1 {
			copyLane(room, bits.TrailingZeros64(m)&63, off, unsafe.Add(ring, at[bits.TrailingZeros64(m)&63]), size, write)
		}
		return bits.OnesCount64(set)
	}
	for j := uint64(0); j < size; j += 4 {
		row, ring := row4(room, off+j), unsafe.Add(ring, j)
		switch {
		case write && set == full:
			for i := range row {
				memory.Store32(unsafe.Add(ring, at[i]), row[i])
			}
		case write:
			for m := set; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				memory.Store32(unsafe.Add(ring, at[i]), row[i])
			}
		case set == full:
			for i := range row {
				row[i] = memory.Load32(unsafe.Add(ring, at[i]))
			}
		default:
			for m := set; m != 0; m &= m - 1 {
				i := bits.TrailingZeros64(m) & 63
				row[i] = memory.Load32(unsafe.Add(ring, at[i]))
			}
		}
	}
	return bits.OnesCount64(set)
}

// copyPrivate copies packets from or to addresses of each lane's own in private memory.
func (w *wave) copyPrivate(ptr *[64]uint64, k int, set uint64, ring unsafe.Pointer, size uint64, write bool) (n int) {
	for ; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set) & 63
		p := memory.Pointer(ptr[i])
		room := w.privatePacket(p, k, size, write)
		if room == nil {
			return n
		}
		copyLane(room, i, uint64(p.Offset()), unsafe.Add(ring, w.pipes.at[i]), size, write)
		n++
	}
	return n
}

// copyLane copies a packet from or to the private memory of a lane.
func copyLane(room unsafe.Pointer, i int, off uint64, packet unsafe.Pointer, size uint64, write bool) {
	j := uint64(0)
	if off%4 == 0 {
		for ; j+4 <= size; j += 4 {
			if q := unsafe.Add(packet, j); write {
				memory.Store32(q, *word4(room, i, off+j))
			} else {
				*word4(room, i, off+j) = memory.Load32(q)
			}
		}
	}
	for ; j < size; j++ {
		if q := unsafe.Add(packet, j); write {
			store8(q, privLoad8(room, i, off+j))
		} else {
			privStore8(room, i, off+j, load8(q))
		}
	}
}
