package memory

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
	if len(p.reads) == 0 {
		p.done = first + n
		return
	}
	p.reads = append(p.reads, Reservation{First: first, N: n, Committed: true})
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
	if len(p.writes) == 0 {
		p.written = first + n
		return
	}
	p.writes = append(p.writes, Reservation{First: first, N: n, Write: true, Committed: true})
}

// Reserve reserves n packets, or room for them, all or nothing. It returns nil
// when there are too few, or n is 0.
func (p *Pipe) Reserve(write bool, n uint64, owner PipeOwner, pc int) *Reservation {
	have := p.Len()
	if write {
		have = p.Room()
	}
	if n == 0 || n > have {
		return nil
	}
	p.serial++
	p.version++
	r := Reservation{ID: p.serial, N: n, Write: write, Owner: owner, PC: pc, Touched: make([]uint64, (n+63)/64)}
	if write {
		r.First = p.reserved
		p.reserved += n
		p.writes = append(p.writes, r)
		return &p.writes[len(p.writes)-1]
	}
	r.First = p.read
	p.read += n
	p.reads = append(p.reads, r)
	return &p.reads[len(p.reads)-1]
}

// Reservation returns the reservation of that id which is not committed yet, of
// either direction, or nil. The pointer is good until the next call that changes the pipe.
func (p *Pipe) Reservation(id uint64) *Reservation {
	for _, list := range [][]Reservation{p.reads, p.writes} {
		for i := range list {
			if r := &list[i]; r.ID == id && !r.Committed && id != 0 {
				return r
			}
		}
	}
	return nil
}

// Commit ends a reservation. Its packets can be read, or their room be written,
// once all older reservations of that direction are committed too.
func (p *Pipe) Commit(r *Reservation) {
	r.Committed = true
	p.version++
	if r.Write {
		p.writes, p.written = settle(p.writes, p.written)
	} else {
		p.reads, p.done = settle(p.reads, p.done)
	}
}

// settle drops the reservations at the front of the list that are committed,
// and returns how far that takes the packets.
func settle(list []Reservation, to uint64) ([]Reservation, uint64) {
	n := 0
	for n < len(list) && list[n].Committed {
		to = list[n].First + list[n].N
		n++
	}
	rest := copy(list, list[n:])
	clear(list[rest:])
	return list[:rest], to
}

// Open calls f for each reservation that is not committed, those to read
// first, in the order in which they were made.
func (p *Pipe) Open(f func(r *Reservation)) {
	for _, list := range [][]Reservation{p.reads, p.writes} {
		for i := range list {
			if !list[i].Committed {
				f(&list[i])
			}
		}
	}
}
