package memory

import (
	"fmt"
	"math/bits"
	"slices"
)

// PipeOwner says for whom a reservation is: the work-items [First, First+Items)
// of a work-group of a launch.
type PipeOwner struct {
	Kind         OwnerKind
	Launch       int    // engine.Launch.Index
	Group        uint64 // linear
	First, Items int
}

// OwnerKind says what made a reservation, and has to commit it.
type OwnerKind uint8

// The kinds of owners.
const (
	OwnerItem OwnerKind = iota
	OwnerSubgroup
	OwnerGroup
)

// String returns the kind's name.
func (k OwnerKind) String() string {
	switch k {
	case OwnerItem:
		return "work-item"
	case OwnerSubgroup:
		return "sub-group"
	case OwnerGroup:
		return "work-group"
	}
	return fmt.Sprintf("owner %d", uint8(k))
}

// Reservation is a stretch of packets that belongs to its owner until it is committed.
type Reservation struct {
	ID        uint64 // never 0: number of the pipe << 40 | number of the reservation, from 1 on
	First, N  uint64 // packets
	Write     bool
	Committed bool
	Owner     PipeOwner
	PC        int // that made it
	// Touched is the set of packets that were written, 64 to a word; nil for a
	// reservation to read.
	Touched []uint64
}

// Touch notes that packet i of the reservation, counted from 0, was written.
func (r *Reservation) Touch(i uint64) { r.Touched[i/64] |= 1 << (i % 64) }

// TouchRow notes that the n packets from packet i on were written.
func (r *Reservation) TouchRow(i, n uint64) {
	for n > 0 {
		k := min(n, 64-i%64)
		r.Touched[i/64] |= ^uint64(0) >> (64 - k) << (i % 64)
		i += k
		n -= k
	}
}

// Missing returns how many packets of a reservation to write nobody has
// written, and the first of them.
func (r *Reservation) Missing() (n, first uint64) {
	for k, t := range r.Touched {
		m := ^t
		if left := r.N - uint64(k)*64; left < 64 {
			m &= 1<<left - 1
		}
		if m != 0 && n == 0 {
			first = uint64(k)*64 + uint64(bits.TrailingZeros64(m))
		}
		n += uint64(bits.OnesCount64(m))
	}
	return n, first
}

// MaxReservations is how many reservations of one direction a pipe can have
// open; further ones fail as if there were no packets or no room.
const MaxReservations = 1 << 16

// spareSets and spareWords bound the sets that a pipe keeps for new
// reservations, and their size.
const (
	spareSets  = 256
	spareWords = 1 << 10
)

// stretches are the packets of one direction that are taken and not given on:
// from the oldest open reservation on, in order and without gaps. Neighbours
// that are committed become one, so that there are not many more than are open.
type stretches struct {
	list []Reservation // list[head:]
	head int
	open int
	hint int // where the last search ended
}

func (s *stretches) empty() bool { return s.head == len(s.list) }

// add appends a stretch.
func (s *stretches) add(r Reservation) *Reservation {
	if len(s.list) == cap(s.list) && s.head > len(s.list)/2 {
		n := copy(s.list, s.list[s.head:])
		clear(s.list[n:])
		s.list, s.head = s.list[:n], 0
	}
	s.list = append(s.list, r)
	return &s.list[len(s.list)-1]
}

// extend appends packets that are committed. id is that of the last reservation.
func (s *stretches) extend(first, n, id uint64, write bool) {
	if last := &s.list[len(s.list)-1]; last.Committed {
		last.N += n
		return
	}
	s.add(Reservation{ID: id, First: first, N: n, Write: write, Committed: true})
}

// find returns the open reservation of that id, or nil. Ids ascend; a stretch
// of single packets has the id of the last reservation before it.
func (s *stretches) find(id uint64) *Reservation {
	// Mostly that of the last search, or the one behind it.
	for i := s.hint; i <= s.hint+1; i++ {
		if i >= s.head && i < len(s.list) && s.list[i].ID == id && !s.list[i].Committed {
			s.hint = i
			return &s.list[i]
		}
	}
	i, ok := slices.BinarySearchFunc(s.list[s.head:], id, func(r Reservation, id uint64) int {
		switch {
		case r.ID < id:
			return -1
		case r.ID > id:
			return 1
		}
		return 0
	})
	i += s.head
	if !ok || s.list[i].Committed {
		return nil
	}
	s.hint = i
	return &s.list[i]
}

// settle drops the stretches at the front that are committed, and returns how
// far that takes the packets, which were at to.
func (s *stretches) settle(p *Pipe, to uint64) uint64 {
	for s.head < len(s.list) && s.list[s.head].Committed {
		r := &s.list[s.head]
		to = r.First + r.N
		p.recycle(r)
		s.head++
	}
	switch {
	case s.head == len(s.list):
		s.list, s.head = s.list[:0], 0
	case len(s.list)-s.head > 4*s.open+16:
		s.join(p)
	}
	return to
}

// join makes neighbours that are committed one. It is called when that leaves
// less than half of the stretches, so that it costs each but a few steps.
func (s *stretches) join(p *Pipe) {
	n := 0
	for i := s.head; i < len(s.list); i++ {
		if r := &s.list[i]; r.Committed && n > 0 && s.list[n-1].Committed {
			s.list[n-1].N += r.N
			p.recycle(r)
			continue
		}
		s.list[n] = s.list[i]
		n++
	}
	clear(s.list[n:])
	s.list, s.head = s.list[:n], 0
}

// reset forgets all.
func (s *stretches) reset(p *Pipe) {
	for i := range s.list {
		p.recycle(&s.list[i])
	}
	*s = stretches{list: s.list[:0]}
}

// recycle keeps what a stretch has for another.
func (p *Pipe) recycle(r *Reservation) {
	if r.Touched != nil && len(p.spare) < spareSets && cap(r.Touched) <= spareWords {
		p.spare = append(p.spare, r.Touched)
	}
	*r = Reservation{}
}

// set returns an empty set of n packets.
func (p *Pipe) set(n uint64) []uint64 {
	size := int((n + 63) / 64)
	if last := len(p.spare) - 1; last >= 0 {
		set := p.spare[last]
		p.spare = p.spare[:last]
		if cap(set) >= size {
			set = set[:size]
			clear(set)
			return set
		}
	}
	return make([]uint64, size)
}

// id returns the id of the last reservation.
func (p *Pipe) id() uint64 { return uint64(p.handle.Alloc())<<OffsetBits | p.serial }

// Read takes up to n packets that can be read, and returns the number of the
// first and how many there are. [Pipe.Done] must follow, before anything else.
func (p *Pipe) Read(n uint64) (first, got uint64) {
	first, got = p.read, min(n, p.Len())
	p.read += got
	return first, got
}

// Done gives the room of n packets from first on, which [Pipe.Read] took, back.
func (p *Pipe) Done(first, n uint64) {
	if n == 0 {
		return
	}
	p.version++
	if p.reads.empty() {
		p.done = first + n
		return
	}
	p.reads.extend(first, n, p.id(), false)
}

// Write takes room for up to n packets, and returns the number of the first
// and how many there are. [Pipe.Wrote] must follow, before anything else.
func (p *Pipe) Write(n uint64) (first, got uint64) {
	first, got = p.reserved, min(n, p.Room())
	p.reserved += got
	return first, got
}

// Wrote makes the n packets from first on, for which [Pipe.Write] took the
// room, those that can be read.
func (p *Pipe) Wrote(first, n uint64) {
	if n == 0 {
		return
	}
	p.version++
	if p.writes.empty() {
		p.written = first + n
		return
	}
	p.writes.extend(first, n, p.id(), true)
}

// Reserve reserves n packets, or room for them, all or nothing. It returns nil
// when there are too few, n is 0, or [MaxReservations] are open. The pointer is
// good until the next call that changes the pipe.
func (p *Pipe) Reserve(write bool, n uint64, owner PipeOwner, pc int) *Reservation {
	s := &p.reads
	if write {
		s = &p.writes
	}
	if n == 0 || n > p.Can(write) || s.open == MaxReservations {
		return nil
	}
	p.serial++
	p.version++
	s.open++
	r := Reservation{ID: p.id(), First: p.Next(write), N: n, Write: write, Owner: owner, PC: pc}
	if write {
		p.reserved += n
		r.Touched = p.set(n)
	} else {
		p.read += n
	}
	return s.add(r)
}

// Reservation returns the reservation of that id which is not committed yet, of
// either direction, or nil. The pointer is good until the next call that changes the pipe.
func (p *Pipe) Reservation(id uint64) *Reservation {
	if r := p.reads.find(id); r != nil {
		return r
	}
	return p.writes.find(id)
}

// WasReserved says whether a reservation of that id was ever made.
func (p *Pipe) WasReserved(id uint64) bool {
	last := p.id()
	return id>>OffsetBits == last>>OffsetBits && id<<(64-OffsetBits) != 0 && id <= last
}

// Commit ends an open reservation. Its packets can be read, or their room be
// written, once all older reservations of that direction are committed too. Packets
// that nobody wrote are zeros.
func (p *Pipe) Commit(r *Reservation) {
	r.Committed = true
	p.version++
	if !r.Write {
		p.reads.open--
		p.done = p.reads.settle(p, p.done)
		return
	}
	for k, t := range r.Touched {
		if t == ^uint64(0) {
			continue
		}
		for i := uint64(k) * 64; i < min(r.N, uint64(k+1)*64); i++ {
			if t>>(i%64)&1 == 0 {
				clear(p.Packet(r.First + i))
			}
		}
	}
	p.writes.open--
	p.written = p.writes.settle(p, p.written)
}

// Open calls f for each reservation that is not committed, those to read
// first, in the order in which they were made.
func (p *Pipe) Open(f func(r *Reservation)) {
	for _, s := range [...]*stretches{&p.reads, &p.writes} {
		for i := s.head; i < len(s.list); i++ {
			if !s.list[i].Committed {
				f(&s.list[i])
			}
		}
	}
}
