package memory

import (
	"bytes"
	"slices"
)

// Snapshot is a copy of the bytes of a device's allocations and of the state of its pipes.
type Snapshot struct {
	regions []savedRegion
	pipes   []savedPipe
}

type savedRegion struct {
	alloc  uint32
	region *Region
	data   []byte
}

type savedPipe struct {
	pipe  *Pipe
	state Pipe
}

// Difference is an allocation, or a pipe, that has changed since a snapshot.
type Difference struct {
	Pointer Pointer // to the first byte that differs; the handle of a pipe
	Bytes   uint64  // how many differ
	Pipe    *Pipe   // nil for an allocation
}

// Snapshot copies all allocations and pipes. Nothing may use them meanwhile.
func (g *Global) Snapshot() *Snapshot {
	s := &Snapshot{}
	g.Each(func(n uint32, r *Region) { s.regions = append(s.regions, savedRegion{n, r, slices.Clone(r.Data)}) })
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.pipes.pages {
		page := g.pipes.pages[i].Load()
		if page == nil {
			continue
		}
		for j := range page {
			if p := page[j].Load(); p != nil {
				s.pipes = append(s.pipes, savedPipe{p, p.clone()})
			}
		}
	}
	return s
}

// clone returns a copy that shares nothing with p.
func (p *Pipe) clone() Pipe {
	c := *p
	c.data = slices.Clone(p.data)
	c.reads, c.writes = p.reads.clone(), p.writes.clone()
	c.spare = nil
	return c
}

func (s *stretches) clone() stretches {
	c := *s
	c.list = slices.Clone(s.list)
	for i := range c.list {
		c.list[i].Touched = slices.Clone(c.list[i].Touched)
	}
	return c
}

// Restore puts everything back as it was. Nothing may have been released meanwhile.
func (s *Snapshot) Restore() {
	for i := range s.regions {
		copy(s.regions[i].region.Data, s.regions[i].data)
	}
	for i := range s.pipes {
		p, was := s.pipes[i].pipe, s.pipes[i].state.clone()
		// Engines may know where the packets are, which therefore stay there.
		data := p.data
		clear(data[copy(data, was.data):])
		*p = was
		p.data = data
	}
}

// Changes returns what differs from the snapshot now, in the order of the allocations, and then the pipes.
func (s *Snapshot) Changes() (list []Difference) {
	for i := range s.regions {
		r := &s.regions[i]
		now := r.region.Data
		if bytes.Equal(now, r.data) {
			continue
		}
		d := Difference{}
		for at := range now {
			if now[at] == r.data[at] {
				continue
			}
			if d.Bytes == 0 {
				d.Pointer = MakePointer(SpaceGlobal, r.alloc, int64(at))
			}
			d.Bytes++
		}
		list = append(list, d)
	}
	for i := range s.pipes {
		p, was := s.pipes[i].pipe, &s.pipes[i].state
		if p.done != was.done || p.read != was.read || p.written != was.written || p.reserved != was.reserved ||
			!p.samePackets(was) {
			list = append(list, Difference{Pointer: p.handle, Pipe: p})
		}
	}
	return list
}

// samePackets says whether two pipes that hold the same numbers of packets hold the same bytes.
func (p *Pipe) samePackets(q *Pipe) bool {
	for n := p.read; n < p.written; n++ {
		if !bytes.Equal(p.Packet(n), q.Packet(n)) {
			return false
		}
	}
	return true
}

// Bytes returns n bytes of an allocation as they were, those that are there.
func (s *Snapshot) Bytes(p Pointer, n int) []byte {
	for i := range s.regions {
		if r := &s.regions[i]; r.alloc == p.Alloc() && p.Offset() >= 0 && p.Offset() < int64(len(r.data)) {
			return r.data[p.Offset():min(p.Offset()+int64(n), int64(len(r.data)))]
		}
	}
	return nil
}
