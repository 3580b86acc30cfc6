package memory

import "slices"

// SavedPipe is what a pipe held, for who brings it back to that later.
type SavedPipe struct {
	done, read, written, reserved uint64
	reads, writes                 savedStretches
	serial, version               uint64
	packets                       []byte // from done up to reserved
}

// savedStretches is the packets of one direction that were taken and not given on.
type savedStretches struct {
	list []Reservation
	open int
}

func (s *stretches) save() savedStretches {
	return savedStretches{cloneReservations(s.list[s.head:]), s.open}
}

func (s *stretches) restore(p *Pipe, from savedStretches) {
	s.reset(p)
	s.list, s.open = append(s.list[:0], cloneReservations(from.list)...), from.open
}

// cloneReservations returns copies that share no set of packets.
func cloneReservations(list []Reservation) []Reservation {
	list = slices.Clone(list)
	for i := range list {
		list[i].Touched = slices.Clone(list[i].Touched)
	}
	return list
}

// Save returns what the pipe holds: packets, reservations, and how many packets have moved.
func (p *Pipe) Save() *SavedPipe {
	s := &SavedPipe{done: p.done, read: p.read, written: p.written, reserved: p.reserved, reads: p.reads.save(), writes: p.writes.save(), serial: p.serial, version: p.version}
	if n := p.reserved - p.done; n > 0 {
		a, b := p.Packets(p.done, n)
		s.packets = slices.Concat(a, b)
	}
	for i := range s.writes.list { // what a packet held before is nobody's
		r, size := &s.writes.list[i], uint64(p.packetBytes)
		for k := uint64(0); !r.Committed && k < r.N; k++ {
			if r.Touched[k/64]>>(k%64)&1 == 0 {
				clear(s.packets[(r.First+k-p.done)*size:][:size])
			}
		}
	}
	return s
}

// Restore puts back what Save has returned. Everything else may have changed meanwhile but the packets' size and the
// capacity.
func (p *Pipe) Restore(s *SavedPipe) {
	p.done, p.read, p.written, p.reserved = s.done, s.read, s.written, s.reserved
	p.reads.restore(p, s.reads)
	p.writes.restore(p, s.writes)
	p.serial, p.version = s.serial, s.version
	if len(s.packets) > 0 {
		a, b := p.Packets(s.done, s.reserved-s.done)
		copy(b, s.packets[copy(a, s.packets):])
	}
}

// Bytes returns about how much memory it takes.
func (s *SavedPipe) Bytes() int {
	n := 160 + len(s.packets)
	for _, list := range [...][]Reservation{s.reads.list, s.writes.list} {
		n += 112 * len(list)
		for i := range list {
			n += 8 * len(list[i].Touched)
		}
	}
	return n
}

// Digest mixes what was saved into one number, which equal states share.
func (s *SavedPipe) Digest() uint64 {
	h := uint64(14695981039346656037)
	mix := func(x uint64) { h = (h ^ x) * 1099511628211 }
	for _, x := range [...]uint64{s.done, s.read, s.written, s.reserved, s.serial, uint64(s.reads.open), uint64(s.writes.open)} {
		mix(x)
	}
	for _, list := range [...][]Reservation{s.reads.list, s.writes.list} {
		for i := range list {
			r := &list[i]
			for _, x := range [...]uint64{r.ID, r.First, r.N, uint64(r.Owner.Launch), r.Owner.Group, uint64(r.Owner.First)} {
				mix(x)
			}
			for _, x := range r.Touched {
				mix(x)
			}
		}
	}
	for _, b := range s.packets {
		mix(uint64(b))
	}
	return h
}
