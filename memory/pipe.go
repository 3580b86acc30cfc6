package memory

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
)

// ErrPipe is what the errors of [NewPipe] wrap.
var ErrPipe = errors.New("no such pipe can be made")

// Pipe is a queue of packets of one size (OpenCL C 6.15.17): what is written at
// one end is read at the other, in order, whole, once. It holds at most Capacity packets.
//
// Reservations take a stretch of packets, or of room for them, at once; the
// packets of a reservation can be accessed in any order until it is committed.
// What was written behind a reservation that is not committed cannot be read
// yet, and room that was read is free again once all reservations to read before are
// committed. A single read or write is a reservation of one that is committed at once.
//
// A Pipe is not safe for use from several goroutines: launches that share one
// run together, in turns.
type Pipe struct {
	name        string
	packetBytes uint32
	packetAlign uint32
	capacity    uint32

	data []byte // capacity packets, a ring
	// Packets are numbered from 0 on. done <= read <= written <= reserved <=
	// done + capacity: [done, read) are being read, [read, written) can be read,
	// [written, reserved) are being written.
	done, read, written, reserved uint64
	reads, writes                 stretches
	serial                        uint64     // of the last reservation
	version                       uint64     // counts changes
	spare                         [][]uint64 // of reservations that are over, for new ones
	handle                        Pointer
}

// MaxPacketBytes is the size of the largest packet, in bytes.
const MaxPacketBytes = 1 << 20

// PipeOptions describe a pipe.
type PipeOptions struct {
	Name        string // for messages
	PacketBytes uint32
	PacketAlign uint32 // bytes, a power of two; 0 takes any
	Capacity    uint32 // packets
}

// NewPipe returns an empty pipe. Its memory is that of the packets it holds at
// most, and is taken at the first write. The error wraps [ErrPipe].
func NewPipe(opt PipeOptions) (*Pipe, error) {
	switch {
	case opt.PacketBytes == 0 || opt.PacketBytes > MaxPacketBytes:
		return nil, fmt.Errorf("pipe %q with packets of %d bytes; there can be 1 to %d: %w", opt.Name, opt.PacketBytes, MaxPacketBytes, ErrPipe)
	case opt.PacketAlign&(opt.PacketAlign-1) != 0:
		return nil, fmt.Errorf("pipe %q with packets aligned to %d bytes, which is no power of two: %w", opt.Name, opt.PacketAlign, ErrPipe)
	case opt.Capacity == 0:
		return nil, fmt.Errorf("pipe %q of capacity 0; it must be at least 1: %w", opt.Name, ErrPipe)
	case uint64(opt.PacketBytes)*uint64(opt.Capacity) > MaxSize:
		return nil, fmt.Errorf("pipe %q with %d packets of %d bytes; they can take %d bytes at most: %w", opt.Name, opt.Capacity, opt.PacketBytes, uint64(MaxSize), ErrPipe)
	}
	return &Pipe{name: opt.Name, packetBytes: opt.PacketBytes, packetAlign: opt.PacketAlign, capacity: opt.Capacity}, nil
}

// Name returns what the pipe is called in messages.
func (p *Pipe) Name() string { return p.name }

// PacketBytes returns the size of a packet.
func (p *Pipe) PacketBytes() uint32 { return p.packetBytes }

// PacketAlign returns the alignment of packets in bytes; 0 is any.
func (p *Pipe) PacketAlign() uint32 { return p.packetAlign }

// Capacity returns how many packets the pipe holds at most.
func (p *Pipe) Capacity() uint32 { return p.capacity }

// Handle returns the pipe's handle, without an end; 0 before [Global.AddPipe].
func (p *Pipe) Handle() Pointer { return p.handle }

// Bytes returns the memory that the pipe's packets can take.
func (p *Pipe) Bytes() uint64 { return uint64(p.packetBytes) * uint64(p.capacity) }

// Len returns how many packets can be read.
func (p *Pipe) Len() uint64 { return p.written - p.read }

// Room returns how many packets can be written.
func (p *Pipe) Room() uint64 { return p.done + uint64(p.capacity) - p.reserved }

// Held returns how many packets are in reservations: to be read, and to be written.
func (p *Pipe) Held() (reading, writing uint64) { return p.read - p.done, p.reserved - p.written }

// Moved returns how many packets were read and written since the pipe was made or reset.
func (p *Pipe) Moved() (read, written uint64) { return p.read, p.written }

// Version changes whenever anything moves, is reserved or committed.
func (p *Pipe) Version() uint64 { return p.version }

// Reset makes the pipe what it was when it was made: empty, without reservations.
func (p *Pipe) Reset() {
	p.done, p.read, p.written, p.reserved = 0, 0, 0, 0
	p.reads.reset(p)
	p.writes.reset(p)
	p.serial = 0
	p.version++
}

// Packet returns the memory of a packet, by its number.
func (p *Pipe) Packet(n uint64) []byte {
	at := n % uint64(p.capacity) * uint64(p.packetBytes)
	return p.Ring()[at:][:p.packetBytes:p.packetBytes]
}

// Packets returns the memory of the n packets from first on, at most the
// capacity: those up to the end of the ring, and those from its start on.
func (p *Pipe) Packets(first, n uint64) (a, b []byte) {
	size := uint64(p.packetBytes)
	ring := p.Ring()
	at, n := first%uint64(p.capacity)*size, n*size
	if end := at + n; end > uint64(len(ring)) {
		return ring[at:], ring[:end-uint64(len(ring))]
	}
	return ring[at:][:n], nil
}

// Next returns the number of the packet that the next read takes, or the next write makes.
func (p *Pipe) Next(write bool) uint64 {
	if write {
		return p.reserved
	}
	return p.read
}

// Can returns how many packets can be read, or written.
func (p *Pipe) Can(write bool) uint64 {
	if write {
		return p.Room()
	}
	return p.Len()
}

// Move reads or writes n packets, of which there must be so many: the caller
// has accessed or is to access the memory of the packets from first on.
func (p *Pipe) Move(write bool, n uint64) (first uint64) {
	if write {
		first, n = p.Write(n)
		p.Wrote(first, n)
		return first
	}
	first, n = p.Read(n)
	p.Done(first, n)
	return first
}

// Ring returns the memory of all packets: packet n is packet n % capacity of it.
func (p *Pipe) Ring() []byte {
	if p.data == nil {
		p.data = AlignedBytes(p.Bytes())
	}
	return p.data
}

// Put writes the packets of b, as many as there is room for, and returns their
// number. It is the host's end. Bytes behind the last whole packet are ignored.
func (p *Pipe) Put(b []byte) int {
	n := min(uint64(len(b))/uint64(p.packetBytes), p.Room())
	if n == 0 {
		return 0
	}
	first, last := p.Packets(p.reserved, n)
	copy(last, b[copy(first, b):])
	p.Move(true, n)
	return int(n)
}

// Get reads packets into b, as many as there are and it has room for, and
// returns their number. It is the host's end.
func (p *Pipe) Get(b []byte) int {
	n := min(uint64(len(b))/uint64(p.packetBytes), p.Len())
	if n == 0 {
		return 0
	}
	first, last := p.Packets(p.read, n)
	copy(b[copy(b, first):], last)
	p.Move(false, n)
	return int(n)
}

// AddPipe enters a pipe, which must be in no memory yet, and returns its
// handle. The lowest number that is free is taken, so that equal launches have equal
// handles. The bytes of its packets count as used memory. The error is a
// [*LimitError] or wraps [ErrTooMany].
func (g *Global) AddPipe(p *Pipe) (Pointer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if size := p.Bytes(); size > g.limit || g.used > g.limit-size || size > math.MaxInt-Alignment {
		return 0, &LimitError{Name: p.name, Size: size, Used: g.used, Limit: g.limit}
	}
	if !HostHas(p.Bytes()) {
		return 0, &LimitError{Name: p.name, Size: p.Bytes(), Used: g.used, Limit: g.limit, Host: true}
	}
	n, ok := g.pipes.add(p)
	if !ok {
		return 0, fmt.Errorf("pipe %q: %d are in use: %w", p.name, MaxAllocs, ErrTooMany)
	}
	g.used += p.Bytes()
	p.handle = MakePointer(SpacePipe, n, 0)
	return p.handle, nil
}

// FreePipe takes a pipe out again. The error wraps [ErrNoAlloc].
func (g *Global) FreePipe(h Pointer) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.Pipe(h)
	if p == nil {
		return fmt.Errorf("release of %s: %w", h, ErrNoAlloc)
	}
	g.pipes.remove(h.Alloc())
	g.used -= p.Bytes()
	p.handle = 0
	return nil
}

// Pipe returns the pipe that a handle stands for, whichever end it is of, or nil.
func (g *Global) Pipe(h Pointer) *Pipe {
	if h.Space() != SpacePipe {
		return nil
	}
	return g.pipes.lookup(h.Alloc())
}

// pipeTable has pipes by number, from 1 on. Lookups take no lock; the others
// are made by one goroutine at a time.
type pipeTable struct {
	pages [1 << (AllocBits - pageBits)]atomic.Pointer[[pageSize]atomic.Pointer[Pipe]]
	low   uint32 // no number below is free
}

// lookup returns pipe number n, or nil.
func (t *pipeTable) lookup(n uint32) *Pipe {
	page := t.pages[n>>pageBits].Load()
	if page == nil {
		return nil
	}
	return page[n%pageSize].Load()
}

// add enters a pipe under the lowest number that is free.
func (t *pipeTable) add(p *Pipe) (n uint32, ok bool) {
	for t.low = max(t.low, 1); t.low <= MaxAllocs && t.lookup(t.low) != nil; {
		t.low++
	}
	if t.low > MaxAllocs {
		return 0, false
	}
	n = t.low
	slot := &t.pages[n>>pageBits]
	if slot.Load() == nil {
		slot.Store(new([pageSize]atomic.Pointer[Pipe]))
	}
	slot.Load()[n%pageSize].Store(p)
	t.low++
	return n, true
}

// remove takes out pipe number n, which is there.
func (t *pipeTable) remove(n uint32) {
	t.pages[n>>pageBits].Load()[n%pageSize].Store(nil)
	t.low = min(t.low, n)
}
