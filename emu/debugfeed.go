package emu

import (
	"fmt"
	"io"
)

// maxTape is how many bytes a debugger keeps of what the host feeds to a pipe or takes from it.
const maxTape = 256 << 20

// debugFeed is the host's end of a pipe in a debugger, where launches run backwards, too. What a reader gave is kept, so
// that it can be given again; what is for a writer is kept until the end.
type debugFeed struct {
	feed
	to   io.Writer // of a drain
	tape []byte
	pos  int   // on the tape
	err  error // of the reader
}

// feed returns the end of a pipe for a debugger. The pipe keeps its own.
func (x *Debugging) feed(f *feed) *debugFeed {
	d := &debugFeed{feed: feed{pipe: f.pipe, ended: f.ended}, to: f.w}
	if f.r != nil {
		d.r = &tapeReader{d, f.r}
	} else {
		d.w = tapeWriter{d}
	}
	x.feeds = append(x.feeds, d)
	return d
}

// save returns a function that brings the end back to where it is now.
func (d *debugFeed) save() func() {
	pos, ended := d.pos, d.ended
	return func() { d.pos, d.ended = pos, ended }
}

// close writes what was taken from the pipe.
func (d *debugFeed) close() error {
	if d.to == nil || d.pos == 0 {
		return nil
	}
	if _, err := d.to.Write(d.tape[:d.pos]); err != nil {
		return fmt.Errorf("drain of pipe %q: %w", d.pipe.Name(), err)
	}
	return nil
}

// full says that a tape is too long.
func (d *debugFeed) full() error {
	return fmt.Errorf("more than %d bytes for or from pipe %q: a debugger keeps them for the way back", maxTape, d.pipe.Name())
}

// tapeReader reads from a tape, and behind its end from a reader.
type tapeReader struct {
	d    *debugFeed
	from io.Reader
}

// Read reads.
func (t *tapeReader) Read(b []byte) (int, error) {
	d := t.d
	if d.pos < len(d.tape) {
		n := copy(b, d.tape[d.pos:])
		d.pos += n
		return n, nil
	}
	if d.err != nil {
		return 0, d.err
	}
	if len(d.tape)+len(b) > maxTape {
		return 0, d.full()
	}
	n, err := t.from.Read(b)
	d.tape = append(d.tape, b[:n]...)
	d.pos += n
	d.err = err
	return n, err
}

// tapeWriter writes to a tape, from its present position on.
type tapeWriter struct{ d *debugFeed }

// Write writes.
func (t tapeWriter) Write(b []byte) (int, error) {
	d := t.d
	if d.pos+len(b) > maxTape {
		return 0, d.full()
	}
	d.tape = append(d.tape[:d.pos], b...)
	d.pos += len(b)
	return len(b), nil
}
