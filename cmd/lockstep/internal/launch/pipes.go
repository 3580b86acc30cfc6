package launch

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// Pipe is a pipe of the command: of an argument's own, or one that arguments share.
type Pipe struct {
	Name          string // of a shared one
	Spec          *argspec.Arg
	dev           *emu.Pipe
	reads, writes bool // some kernel has that end
	Outs          []*output

	// Of one that is drained while kernels run: what stays in memory, and the
	// file that the packets go to as they come, with its -out.
	drained  bytes.Buffer
	stream   *lateFile
	streamed *output
	// streamedBytes is how much the file has got.
	streamedBytes uint64

	// Of explore, which makes the pipe again for each run: the packets that are in it before, and those that follow.
	First, Rest []byte
}

// make makes the pipe on the device, with the packets that are in it before.
func (p *Pipe) make(r *Run, name string) error {
	info := p.Spec.Pipe
	d, err := r.Dev.NewPipe(emu.PipeOptions{Name: name, PacketBytes: info.PacketBytes, Capacity: info.Capacity})
	if err != nil {
		return err
	}
	p.dev = d
	if r.o.Again {
		if err := p.keepPackets(r.Dev, name); err != nil {
			return err
		}
	}
	if _, err := d.Write(p.Spec.Data); err != nil {
		return err
	}
	p.Spec.Data = nil
	switch {
	case p.Rest != nil:
		return d.Feed(bytes.NewReader(p.Rest))
	case info.Rest != nil:
		return d.Feed(info.Rest)
	}
	return nil
}

// typed takes the type of what packets consist of from a kernel's parameter,
// where the SPEC only says how large they are.
func (p *Pipe) typed(param *emu.Param) {
	info := p.Spec.Pipe
	name, _ := cmdline.ElementType(strings.TrimPrefix(param.Type, "pipe "))
	if t, ok := argspec.ParseType(name); ok && !info.Typed && int(info.PacketBytes)%t.Size() == 0 {
		p.Spec.Type, info.Typed = t, true
	}
}

// close closes the files that the pipe holds open.
func (p *Pipe) close() {
	if p.Spec.Pipe.Rest != nil {
		p.Spec.Pipe.Rest.Close()
	}
	if p.stream != nil {
		p.stream.abandon()
	}
}

// Drains says whether the host reads the pipe while kernels run: no kernel does.
func (p *Pipe) Drains() bool { return p.writes && !p.reads }

// StartDrains opens what packets are written to while kernels run. Only raw files can
// be written as packets come; what is printed, or has a header, stays in memory.
func (r *Run) StartDrains(env *cmdline.Env) error {
	// A buffer that grows is copied, and what it grows to may be twice what it has.
	limit := min(r.Dev.Limits().MaxAlloc, r.Dev.Limits().GlobalMemory/4)
	for _, p := range r.Pipes {
		if len(p.Outs) == 0 || !p.Drains() {
			continue
		}
		var ws []io.Writer
		for _, o := range p.Outs {
			if p.stream != nil || !argspec.RawFile(o.Path) {
				continue
			}
			p.stream, p.streamed = &lateFile{env: env, path: o.Path}, o
			ws = append(ws, p.stream, countingWriter{&p.streamedBytes})
		}
		if p.stream == nil || len(p.Outs) > 1 {
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
	env  *cmdline.Env
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
func (p *Pipe) contents() ([]byte, error) {
	if p.Drains() {
		return p.drained.Bytes(), nil
	}
	var b bytes.Buffer
	buf := make([]byte, max(64<<10/p.dev.PacketBytes(), 1)*p.dev.PacketBytes())
	_, err := io.CopyBuffer(struct{ io.Writer }{&b}, struct{ io.Reader }{p.dev}, buf)
	return b.Bytes(), err
}

// shape is that of a file of packets that come to so many elements: nil for
// packets of one.
func (p *Pipe) shape(count int) []int {
	per := int(p.Spec.Pipe.PacketBytes) / p.Spec.Type.Size()
	if per == 1 {
		return nil
	}
	return []int{count / per, per}
}

// maxKeptPackets bounds the bytes that a pipe of explore is fed with: each run needs them again.
const maxKeptPackets = 64 << 20

// keepPackets keeps what goes into the pipe beyond its capacity, so that it can be read again and again.
func (p *Pipe) keepPackets(dev *emu.Device, name string) error {
	info := p.Spec.Pipe
	p.First = p.Spec.Data
	if info.Rest == nil {
		return nil
	}
	if err := dev.HostRoom("packets of pipe "+name, maxKeptPackets); err != nil {
		return err
	}
	rest, err := io.ReadAll(io.LimitReader(info.Rest, maxKeptPackets+1))
	if err != nil {
		return err
	}
	if len(rest) > maxKeptPackets {
		return fmt.Errorf("more than %d bytes of packets, which explore would have to keep for all runs", maxKeptPackets)
	}
	p.Rest = rest
	return nil
}
