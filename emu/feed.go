package emu

import (
	"errors"
	"fmt"
	"io"

	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// feedBytes bounds what the host moves at a time, in bytes, where a packet is
// not larger.
const feedBytes = 64 << 10

// feed is an end of a pipe that the host holds while launches run.
type feed struct {
	pipe  *memory.Pipe
	r     io.Reader // to write from, or
	w     io.Writer // to read to
	buf   []byte
	ended bool
}

// Feed gives the pipe a writer: while launches that have the pipe run, packets
// from r are written to it as there is room, in turns as a kernel's. It holds
// until r ends, in one launch or over several; r == nil takes back what was
// given before.
//
// Whole packets are read with [io.ReadFull], which waits for them: what r gives,
// and not when it gives it, decides what happens. A set therefore waits for r, and a
// time limit or the context is only noticed when r has answered. An error of r, or
// an end inside of a packet (io.ErrUnexpectedEOF), ends the launches with that error. r must
// not touch the device.
func (p *Pipe) Feed(r io.Reader) error {
	if err := p.lock(); err != nil {
		return err
	}
	defer p.dev.release()
	if p.feed = nil; r != nil {
		p.feed = &feed{pipe: p.mem, r: r}
	}
	return nil
}

// Drain gives the pipe a reader: while launches that have the pipe run, its
// packets are written to w as they come, in turns as a kernel's, and what is
// left when the launches are over as well. It holds until Drain is called again; w ==
// nil ends it. An error of w ends the launches with that error. w must not touch
// the device.
func (p *Pipe) Drain(w io.Writer) error {
	if err := p.lock(); err != nil {
		return err
	}
	defer p.dev.release()
	if p.drain = nil; w != nil {
		p.drain = &feed{pipe: p.mem, w: w}
	}
	return nil
}

// feeds returns the host's ends of a pipe for a set.
func (p *Pipe) feeds() (list []scheduler.Feed) {
	for _, f := range []*feed{p.feed, p.drain} {
		if f != nil {
			list = append(list, scheduler.Feed{Pipe: p.mem, Write: f.r != nil, Move: f.move, Ended: f.ended})
		}
	}
	return list
}

// move moves up to most packets.
func (f *feed) move(most uint64) (n uint64, ended bool, err error) {
	size := int(f.pipe.PacketBytes())
	bytes := int(min(most, uint64(max(feedBytes/size, 1)))) * size
	if len(f.buf) < bytes {
		f.buf = make([]byte, bytes)
	}
	b := f.buf[:bytes]
	if f.r != nil {
		n, err = f.write(b, size)
	} else {
		n, err = f.read(b, size)
	}
	if f.ended = f.ended || err != nil; f.ended {
		f.buf = nil
	}
	return n, f.ended, err
}

// write writes packets to the pipe, up to the length of b.
func (f *feed) write(b []byte, size int) (uint64, error) {
	got, err := io.ReadFull(f.r, b)
	n := f.pipe.Put(b[:got-got%size])
	switch {
	case err == nil:
		return uint64(n), nil
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		return uint64(n), fmt.Errorf("feed of pipe %q: %w", f.pipe.Name(), err)
	case got%size != 0:
		return uint64(n), fmt.Errorf("feed of pipe %q ends with %d bytes of a packet of %d: %w", f.pipe.Name(), got%size, size, io.ErrUnexpectedEOF)
	}
	f.ended = true
	return uint64(n), nil
}

// read reads packets from the pipe, up to the length of b.
func (f *feed) read(b []byte, size int) (uint64, error) {
	n := f.pipe.Get(b)
	wrote, err := f.w.Write(b[:n*size])
	if err == nil && wrote != n*size {
		err = io.ErrShortWrite
	}
	if err != nil {
		return uint64(n), fmt.Errorf("drain of pipe %q: %w", f.pipe.Name(), err)
	}
	return uint64(n), nil
}
