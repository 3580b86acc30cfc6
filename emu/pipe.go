package emu

import (
	"context"
	"fmt"
	"io"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// PipeOptions describe a pipe.
type PipeOptions struct {
	// Name is what findings and traces call the pipe; where it is empty, they
	// call it what the kernel's parameter is called.
	Name string
	// PacketBytes is the size of a packet in bytes, 1 to memory.MaxPacketBytes.
	PacketBytes uint32
	// Capacity is how many packets the pipe holds at most.
	Capacity uint32
}

// Pipe is a queue of packets in device memory (OpenCL C 6.15.17), made by the
// host and given to kernels as an argument. Launches that share pipes run together,
// as a [Set]. The packets that a launch leaves in a pipe are there for the next one.
//
// The host has both ends of a pipe while no launch runs: [Pipe.Write] and
// [Pipe.Read] move what there is room for and what there is. [Pipe.Feed] and
// [Pipe.Drain] move packets while launches run.
type Pipe struct {
	dev    *Device
	mem    *memory.Pipe
	closed bool
	feed   *feed // what writes packets, or has written its last
	drain  *feed // what reads them
}

// NewPipe makes an empty pipe. The error is a [*LimitError] when the device has
// no room for the packets, and wraps memory.ErrPipe when the description makes
// no sense.
func (d *Device) NewPipe(opt PipeOptions) (*Pipe, error) {
	if err := d.acquire(context.Background()); err != nil {
		return nil, err
	}
	defer d.release()
	m, err := memory.NewPipe(memory.PipeOptions{Name: opt.Name, PacketBytes: opt.PacketBytes, Capacity: opt.Capacity})
	if err != nil {
		return nil, err
	}
	if m.Bytes() > d.limits.MaxAlloc {
		return nil, &LimitError{What: "packets of a pipe", Need: m.Bytes(), Have: d.limits.MaxAlloc, Unit: "bytes", Option: "MaxAlloc"}
	}
	if _, err := d.mem.AddPipe(m); err != nil {
		return nil, allocError("pipe", err)
	}
	return &Pipe{dev: d, mem: m}, nil
}

// Name returns what the pipe was called when it was made.
func (p *Pipe) Name() string {
	if p == nil || p.mem == nil {
		return ""
	}
	return p.mem.Name()
}

// PacketBytes returns the size of a packet in bytes; 0 for a nil pipe.
func (p *Pipe) PacketBytes() int {
	if p == nil || p.mem == nil {
		return 0
	}
	return int(p.mem.PacketBytes())
}

// Capacity returns how many packets the pipe holds at most; 0 for a nil pipe.
func (p *Pipe) Capacity() int {
	if p == nil || p.mem == nil {
		return 0
	}
	return int(p.mem.Capacity())
}

// lock waits for the device and checks that the pipe lives. Without an error,
// p.dev.release must follow.
func (p *Pipe) lock() error {
	if p == nil || p.dev == nil {
		return fmt.Errorf("pipe: %w", ErrInvalid)
	}
	if err := p.dev.acquire(context.Background()); err != nil {
		return err
	}
	if p.closed {
		p.dev.release()
		return fmt.Errorf("pipe: %w", ErrClosed)
	}
	return nil
}

// Len returns how many packets can be read. Those that a reservation has not
// committed do not count.
func (p *Pipe) Len() (int, error) {
	if err := p.lock(); err != nil {
		return 0, err
	}
	defer p.dev.release()
	return int(p.mem.Len()), nil
}

// Write writes the packets of b, as many as there is room for, and returns how
// many bytes that are. It waits for a launch that runs, but not for room: when
// not all of b fits, the error is io.ErrShortWrite. An error that wraps
// [ErrInvalid] says that b is no whole number of packets; then none was written.
func (p *Pipe) Write(b []byte) (n int, err error) {
	if err := p.lock(); err != nil {
		return 0, err
	}
	defer p.dev.release()
	size := p.PacketBytes()
	if len(b)%size != 0 {
		return 0, fmt.Errorf("write of %d bytes to a pipe with packets of %d: %w", len(b), size, ErrInvalid)
	}
	if n = p.mem.Put(b) * size; n < len(b) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// Read reads packets into b, as many as there are and fit, and returns how many
// bytes that are. It waits for a launch that runs, but not for packets: when there is
// none, the error is io.EOF, so that io.ReadAll takes all that there are. It is
// io.ErrShortBuffer when b has no room for one.
func (p *Pipe) Read(b []byte) (n int, err error) {
	if err := p.lock(); err != nil {
		return 0, err
	}
	defer p.dev.release()
	switch size := p.PacketBytes(); {
	case len(b) == 0:
		return 0, nil
	case len(b) < size:
		return 0, io.ErrShortBuffer
	default:
		if n = p.mem.Get(b) * size; n == 0 {
			return 0, io.EOF
		}
		return n, nil
	}
}

// Packets returns a copy of the packets that can be read, and leaves them in the pipe. It waits for a launch that runs.
func (p *Pipe) Packets() ([]byte, error) {
	if err := p.lock(); err != nil {
		return nil, err
	}
	defer p.dev.release()
	read, _ := p.mem.Moved()
	a, b := p.mem.Packets(read, p.mem.Len())
	return append(append([]byte(nil), a...), b...), nil
}

// Reset empties the pipe, reservations included.
func (p *Pipe) Reset() error {
	if err := p.lock(); err != nil {
		return err
	}
	defer p.dev.release()
	p.mem.Reset()
	return nil
}

// Close releases the pipe, with the packets in it. A kernel that still has it
// gets a fault (E-POINTER). Closing twice is an error that wraps [ErrClosed].
func (p *Pipe) Close() error {
	if err := p.lock(); err != nil {
		return err
	}
	defer p.dev.release()
	return p.drop()
}

// drop takes the pipe out of the device's memory. The device is held, and no launch runs.
func (p *Pipe) drop() error {
	p.closed, p.feed, p.drain = true, nil, nil
	return p.dev.mem.FreePipe(p.mem.Handle())
}

// pipeEnd is the offset of the handle that a parameter gets.
func pipeEnd(u isa.PipeParam) int64 {
	switch {
	case u.Reads && !u.Writes:
		return isa.PipeReadEnd
	case u.Writes && !u.Reads:
		return isa.PipeWriteEnd
	}
	return 0
}
