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
	if w.shadow != nil && !a.Op.Writes() {
		w.pipeFrom(in, 0) // which lanes get a packet matters
		return
	}
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
		done := w.movePackets(in, p, h, w.Active)
		w.pipeResults(in, done, done)
		if done < w.Active {
			w.pipeFrom(in, done)
		}
		return
	}
	can := int(min(p.Can(write), uint64(w.Active)))
	done := 0
	if can > 0 {
		// The packets are next in the ring whether or not they are taken.
		if done = w.movePackets(in, p, h, can); done > 0 {
			k, i := w.firstLane()
			w.tracePackets(in, p, write, p.Move(write, uint64(done)), uint64(done), k, i)
			w.tellRun(p, write, done)
			s.moved = true
		}
		if done < can {
			w.pipeResults(in, done, done)
			w.pipeFrom(in, done)
			return
		}
	}
	if can < w.Active {
		s.failed = s.failed || !a.Blocking
		if a.Blocking {
			for k, m := range w.exec {
				for ; m != 0; m &= m - 1 {
					s.handles[k*64+bits.TrailingZeros64(m)] = h
				}
			}
		}
	}
	w.pipeResults(in, done, w.Active)
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
	s, at := w.pipes, &w.pipes.at
	if _, n := run(set); n > 0 && end-next >= uint64(n)*size {
		s.row, s.rowAt = true, next
		if next += uint64(n) * size; next == end {
			next = 0
		}
		return next
	}
	s.row = false
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
	w.pipes.row = false
	if lo, n := run(set); n >= minPackets && indices != nil && contiguous32(indices[lo:][:n]) && (ids == nil || same64(ids[lo:][:n])) {
		if ids != nil {
			id = ids[lo]
		}
		if w.reservedRow(a, u, id, uint64(indices[lo]), k, lo, n, size) {
			return set
		}
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

// minPackets is the number of lanes from which on it is worth a look whether they
// access packets that follow each other.
const minPackets = 4

// reservedRow finds the packets of the n lanes from lo on of chunk k, which access
// those from index on of one reservation. It says whether all of them may and
// the packets follow each other in the ring.
func (w *wave) reservedRow(a *isa.PipeAccess, u *pipeUse, id, index uint64, k, lo, n int, size uint64) bool {
	p := u.pipe
	r := p.Reservation(id)
	u.reserve = r
	if _, wrong := w.wrongReserve(a, u, id, k, lo); wrong || index+uint64(n) > r.N || w.first+k*64+lo+n > r.Owner.First+r.Owner.Items {
		return false
	}
	capacity := uint64(p.Capacity())
	slot := r.First%capacity + index
	if slot >= capacity {
		slot -= capacity
	}
	if slot+uint64(n) > capacity {
		return false
	}
	if a.Op.Writes() {
		r.TouchRow(index, uint64(n))
	}
	w.pipes.row, w.pipes.rowAt = true, slot*size
	return true
}

// copyRow copies packets that follow each other in the ring for the n lanes from
// lo on of chunk k, in private memory at one address, elsewhere from or to
// memory where they follow each other, too. It says whether that is so and allowed.
func (w *wave) copyRow(in *inst, k, lo, n int, ring unsafe.Pointer, size uint64, write bool) bool {
	packets := unsafe.Add(ring, w.pipes.rowAt)
	var p memory.Pointer
	if in.aux.pipe.Pointer.IsVector() {
		ptr := (*[64]uint64)(unsafe.Add(w.chunk(k), in.a))
		if p = memory.Pointer(ptr[lo]); !strided(ptr[lo:][:n], size) {
			return false
		}
	} else if p = memory.Pointer(w.s[in.a]); n > 1 && p.Space() != memory.SpacePrivate {
		return false
	}
	if p.Space() == memory.SpacePrivate {
		off := uint64(p.Offset())
		if (off|size)%4 != 0 || in.aux.pipe.Pointer.IsVector() {
			return false
		}
		room := w.privatePacket(p, k, size, write)
		if room == nil {
			return false
		}
		for j := uint64(0); j < size; j += 4 {
			copyColumn(row4(room, off+j)[lo:][:n], unsafe.Add(packets, j), size, write)
		}
		return true
	}
	all := uint64(n) * size
	mem, limit := w.target(in, p, all, packetAccess(write))
	if off := uint64(p.Offset()); mem == nil || off > limit {
		return false
	} else if mem = unsafe.Add(mem, off); write {
		copy(unsafe.Slice((*byte)(packets), all), unsafe.Slice((*byte)(mem), all))
	} else {
		copy(unsafe.Slice((*byte)(mem), all), unsafe.Slice((*byte)(packets), all))
	}
	return true
}

// copyColumn copies one word of each lane's packet from or to a row of private
// memory. packet is the first lane's word, the next ones are step bytes further.
func copyColumn(row []uint32, packet unsafe.Pointer, step uint64, write bool) {
	switch {
	case step == 4 && !bigEndian && write:
		copy(unsafe.Slice((*uint32)(packet), len(row)), row)
	case step == 4 && !bigEndian:
		copy(row, unsafe.Slice((*uint32)(packet), len(row)))
	case write:
		for i, v := range row {
			memory.Store32(unsafe.Add(packet, uint64(i)*step), v)
		}
	default:
		for i := range row {
			row[i] = memory.Load32(unsafe.Add(packet, uint64(i)*step))
		}
	}
}

// strided says whether each value is the one before plus step.
//
//go:noinline
func strided(x []uint64, step uint64) bool {
	want := x[0]
	var diff uint64
	for _, v := range x {
		diff |= v ^ want
		want += step
	}
	return diff == 0
}

// copyPackets copies the packets at wave.pipes.at for lanes of chunk k, up to
// one that may not access its memory. It returns for how many it has.
func (w *wave) copyPackets(in *inst, k int, set uint64, ring unsafe.Pointer, size uint64, write bool) int {
	if w.pipes.row {
		lo, n := run(set)
		if w.copyRow(in, k, lo, n, ring, size, write) {
			return n
		}
		for i := range n {
			w.pipes.at[(lo+i)&63] = w.pipes.rowAt + uint64(i)*size
		}
	}
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
