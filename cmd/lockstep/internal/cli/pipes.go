package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// pipe is a pipe of the command: of an argument's own, or one that arguments share.
type pipe struct {
	name          string // of a shared one
	spec          *argspec.Arg
	dev           *emu.Pipe
	reads, writes bool // some kernel has that end
	outs          []*output

	// Of one that is drained while kernels run: what stays in memory, and the
	// file that the packets go to as they come, with its -out.
	drained  bytes.Buffer
	stream   *lateFile
	streamed *output
	// streamedBytes is how much the file has got.
	streamedBytes uint64

	// Of explore, which makes the pipe again for each run: the packets that are in it before, and those that follow.
	first, rest []byte
}

// make makes the pipe on the device, with the packets that are in it before.
func (p *pipe) make(r *run, name string) error {
	info := p.spec.Pipe
	d, err := r.dev.NewPipe(emu.PipeOptions{Name: name, PacketBytes: info.PacketBytes, Capacity: info.Capacity})
	if err != nil {
		return err
	}
	p.dev = d
	if r.o.again {
		if err := p.keepPackets(r.dev, name); err != nil {
			return err
		}
	}
	if _, err := d.Write(p.spec.Data); err != nil {
		return err
	}
	p.spec.Data = nil
	switch {
	case p.rest != nil:
		return d.Feed(bytes.NewReader(p.rest))
	case info.Rest != nil:
		return d.Feed(info.Rest)
	}
	return nil
}

// typed takes the type of what packets consist of from a kernel's parameter,
// where the SPEC only says how large they are.
func (p *pipe) typed(param *emu.Param) {
	info := p.spec.Pipe
	name, _ := elementType(strings.TrimPrefix(param.Type, "pipe "))
	if t, ok := argspec.ParseType(name); ok && !info.Typed && int(info.PacketBytes)%t.Size() == 0 {
		p.spec.Type, info.Typed = t, true
	}
}

// close closes the files that the pipe holds open.
func (p *pipe) close() {
	if p.spec.Pipe.Rest != nil {
		p.spec.Pipe.Rest.Close()
	}
	if p.stream != nil {
		p.stream.abandon()
	}
}

// drains says whether the host reads the pipe while kernels run: no kernel does.
func (p *pipe) drains() bool { return p.writes && !p.reads }

// startDrains opens what packets are written to while kernels run. Only raw files can
// be written as packets come; what is printed, or has a header, stays in memory.
func (r *run) startDrains(env *Env) error {
	// A buffer that grows is copied, and what it grows to may be twice what it has.
	limit := min(r.dev.Limits().MaxAlloc, r.dev.Limits().GlobalMemory/4)
	for _, p := range r.pipes {
		if len(p.outs) == 0 || !p.drains() {
			continue
		}
		var ws []io.Writer
		for _, o := range p.outs {
			if p.stream != nil || !argspec.RawFile(o.path) {
				continue
			}
			p.stream, p.streamed = &lateFile{env: env, path: o.path}, o
			ws = append(ws, p.stream, countingWriter{&p.streamedBytes})
		}
		if p.stream == nil || len(p.outs) > 1 {
			ws = append(ws, &limited{&p.drained, limit})
		}
		if err := p.dev.Drain(io.MultiWriter(ws...)); err != nil {
			return err
		}
	}
	return nil
}

// lateFile is a file that is made when something is written, or when it is
// closed: a command that fails before leaves what was there.
type lateFile struct {
	env  *Env
	path string
	f    io.WriteCloser
}

func (l *lateFile) make() (err error) {
	if l.f == nil {
		l.f, err = l.env.Create(l.path)
	}
	return err
}

// Write writes to the file.
func (l *lateFile) Write(b []byte) (int, error) {
	if err := l.make(); err != nil {
		return 0, err
	}
	return l.f.Write(b)
}

// Close makes the file what was written.
func (l *lateFile) Close() error {
	if err := l.make(); err != nil {
		return err
	}
	return l.f.Close()
}

// abandon closes the file if it is open.
func (l *lateFile) abandon() {
	if l.f != nil {
		l.f.Close()
	}
}

// countingWriter counts bytes.
type countingWriter struct{ n *uint64 }

// Write counts.
func (w countingWriter) Write(b []byte) (int, error) {
	*w.n += uint64(len(b))
	return len(b), nil
}

// limited is a buffer that must not grow for ever.
type limited struct {
	b     *bytes.Buffer
	limit uint64
}

// Write appends to the buffer.
func (l *limited) Write(data []byte) (int, error) {
	if uint64(l.b.Len())+uint64(len(data)) > l.limit {
		return 0, fmt.Errorf("more than %d bytes of packets; -out to a raw file has no limit", l.limit)
	}
	return l.b.Write(data)
}

// contents returns the packets for the -out flags of the pipe: those that no
// kernel has read.
func (p *pipe) contents() ([]byte, error) {
	if p.drains() {
		return p.drained.Bytes(), nil
	}
	var b bytes.Buffer
	buf := make([]byte, max(64<<10/p.dev.PacketBytes(), 1)*p.dev.PacketBytes())
	_, err := io.CopyBuffer(struct{ io.Writer }{&b}, struct{ io.Reader }{p.dev}, buf)
	return b.Bytes(), err
}

// shape is that of a file of packets that come to so many elements: nil for
// packets of one.
func (p *pipe) shape(count int) []int {
	per := int(p.spec.Pipe.PacketBytes) / p.spec.Type.Size()
	if per == 1 {
		return nil
	}
	return []int{count / per, per}
}
