package argspec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/memory"
)

// PipeInfo describes the pipe that an argument is. Arg.Data has the packets that
// are in it from the beginning, and Arg.Type is what they consist of.
type PipeInfo struct {
	// Name is that of the shared pipe that an argument means; nothing else
	// counts then. It is "" for a pipe of the argument's own.
	Name        string
	PacketBytes uint32
	Capacity    uint32 // packets
	// Typed says that the SPEC tells what packets consist of, which Arg.Type
	// otherwise assumes: words of their size.
	Typed bool
	// Rest has the packets that are to follow Arg.Data while the pipe is in use;
	// nil when there are none. Its errors say where the data comes from. Whoever
	// parsed the argument closes it.
	Rest io.ReadCloser
}

const (
	pipeForms   = "pipe:PACKET:CAPACITY[:SPEC] pipe:NAME"
	packetForms = "bytes, TYPE or TYPExN, as in 4, f32 or f32x4"
	// maxPacketElements bounds N of TYPExN, far above what MaxPacketBytes leaves.
	maxPacketElements = memory.MaxPacketBytes
)

// ParsePipe reads NAME=PACKET:CAPACITY[:SPEC], the form of -pipe: a pipe that
// arguments of the form pipe:NAME share. An error is an [*Error].
func ParsePipe(s string, opts *Options) (name string, a *Arg, err error) {
	p := newParser(s, opts)
	name, at, err := p.named("pipe", "NAME=PACKET:CAPACITY[:SPEC], as in -pipe a=i32:16")
	if err != nil {
		return "", nil, err
	}
	a, err = p.pipeOf(at)
	return name, a, err
}

// isPacket says whether s is the form of a PACKET rather than a name.
func isPacket(s string) bool {
	t, _, _ := strings.Cut(s, "x")
	_, ok := ParseType(t)
	return ok
}

// pipe reads what stands behind "pipe:", from at to the end.
func (p *parser) pipe(text string, at int) (*Arg, error) {
	if strings.Contains(text, ":") {
		return p.pipeOf(at)
	}
	if text == "" {
		return nil, p.fail(at, pipeForms, "neither a packet nor a name")
	}
	if isPacket(text) || text[0] >= '0' && text[0] <= '9' {
		return nil, p.fail(len(p.spec), pipeForms, "the capacity is missing")
	}
	if err := p.name(text, "pipe", at); err != nil {
		return nil, err
	}
	return &Arg{Kind: Pipe, Type: U8, Pipe: &PipeInfo{Name: text}}, nil
}

// pipeOf reads PACKET:CAPACITY[:SPEC] from at to the end.
func (p *parser) pipeOf(at int) (*Arg, error) {
	packet, rest, ok := strings.Cut(p.spec[at:], ":")
	size, t, err := p.packet(packet, at)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, p.fail(len(p.spec), pipeForms, "the capacity is missing")
	}
	capacityAt := at + len(packet) + 1
	capacity, _, filled := strings.Cut(rest, ":")
	n, err := p.count(capacity, capacityAt, min(p.max/int64(size), math.MaxInt32))
	if err != nil {
		return nil, err
	}
	if err := p.reserve(uint64(size) * uint64(n)); err != nil { // the device's
		return nil, &Error{Spec: p.spec, Column: capacityAt + 1, Msg: err.Error(), Err: err}
	}
	a := &Arg{Kind: Pipe, Pipe: &PipeInfo{PacketBytes: uint32(size), Capacity: uint32(n)}}
	if filled {
		given, err := p.contents(a, capacityAt+len(capacity)+1)
		if err != nil {
			return nil, err
		}
		if t == nil {
			t = given
		}
	}
	a.Type, a.Pipe.Typed = elements(size, t)
	a.Count = len(a.Data) / a.Type.Size()
	return a, nil
}

// elements returns the type of which packets of size bytes are to be read: t
// where they hold a whole number of it, else words of their size, or bytes. typed
// says that it is t.
func elements(size int, t *Type) (_ Type, typed bool) {
	if t != nil && size%t.Size() == 0 {
		return *t, true
	}
	switch size {
	case 2:
		return U16, false
	case 4:
		return U32, false
	case 8:
		return U64, false
	}
	return U8, false
}

// packet reads the size of a packet, in bytes, and the type of its elements
// where it says one.
func (p *parser) packet(text string, at int) (size int, t *Type, err error) {
	s, at := trim(text, at)
	limits := fmt.Sprintf("1 to %d bytes; %s", memory.MaxPacketBytes, packetForms)
	name, times, vector := strings.Cut(s, "x")
	typ, ok := ParseType(name)
	if !ok {
		n, err := strconv.ParseUint(s, 10, 64)
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange):
			return 0, nil, p.fail(at, packetForms, "%q is not a packet", s)
		case err != nil || n < 1 || n > memory.MaxPacketBytes:
			return 0, nil, p.fail(at, limits, "packets of %s bytes", s)
		}
		return int(n), nil, nil
	}
	n := uint64(1)
	if vector {
		n, err = strconv.ParseUint(times, 10, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || err == nil && n == 0 {
			return 0, nil, p.fail(at+len(name)+1, packetForms, "%q is no number of elements", times)
		}
		if err != nil || n > maxPacketElements || n*uint64(typ.Size()) > memory.MaxPacketBytes {
			return 0, nil, p.fail(at, limits, "packets of %s × %v", times, typ)
		}
	}
	return int(n) * typ.Size(), &typ, nil
}

// contents reads the SPEC at byte at into the pipe of a: as many packets as the
// pipe holds into a.Data, and what is left into a.Pipe.Rest. It returns the type of
// what it read; nil where that is just bytes.
func (p *parser) contents(a *Arg, at int) (*Type, error) {
	info := a.Pipe
	room := int64(info.PacketBytes) * int64(info.Capacity)
	if text, ok := strings.CutPrefix(p.spec[at:], "in:"); ok {
		path, t, typed := splitType(text)
		if path != "" && !isNPY(path) {
			return streamType(t, typed), p.stream(a, path, at+len("in:"), room)
		}
	}
	b, err := p.buffer(at)
	if err != nil {
		return nil, err
	}
	if b == nil {
		return nil, p.fail(at, bufferForms, "the packets of a pipe are those of a buffer")
	}
	if rest := len(b.Data) % int(info.PacketBytes); rest != 0 {
		return nil, p.fail(at, fmt.Sprintf("a multiple of %d bytes", info.PacketBytes), "%d bytes are no whole number of packets", len(b.Data))
	}
	a.Data = b.Data
	if int64(len(b.Data)) > room {
		a.Data = b.Data[:room:room]
		info.Rest = io.NopCloser(bytes.NewReader(b.Data[room:]))
	}
	return &b.Type, nil
}

func streamType(t Type, typed bool) *Type {
	if !typed {
		return nil
	}
	return &t
}

// stream opens a file of packets and reads the first ones, up to room bytes.
func (p *parser) stream(a *Arg, path string, at int, room int64) error {
	f, err := p.open(path)
	if err != nil {
		return &Error{Spec: p.spec, Column: at + 1, Msg: err.Error(), Err: err}
	}
	name := path
	if path == "-" {
		name = "standard input"
	}
	r := &packetReader{f: f, path: name, size: uint64(a.Pipe.PacketBytes)}
	fail := func(err error) error {
		f.Close()
		return &Error{Spec: p.spec, Column: at + 1, Msg: err.Error(), Err: err}
	}
	size := fileSize(f)
	if size >= 0 {
		size = min(size, room)
	}
	if a.Data, err = p.readAll(r, size, room, at); err != nil {
		var own *Error
		if errors.As(err, &own) {
			f.Close()
			return own
		}
		return fail(err)
	}
	if int64(len(a.Data)) == room {
		switch _, err := io.ReadFull(r, r.next[:]); err {
		case nil:
			r.ahead = r.next[:]
			a.Pipe.Rest = r
			return nil
		case io.EOF:
		default:
			return fail(err)
		}
	}
	if err := f.Close(); err != nil {
		return fail(fmt.Errorf("%s: %w", path, err))
	}
	return nil
}

// packetReader reads a file of packets, and has an error for one that ends
// within a packet.
type packetReader struct {
	f     io.ReadCloser
	path  string // for messages
	size  uint64 // of a packet
	total uint64 // bytes read
	next  [1]byte
	ahead []byte // of next: read, but not handed out
	err   error
}

// Read reads bytes of the file.
func (r *packetReader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if len(r.ahead) > 0 {
		n := copy(b, r.ahead)
		r.ahead = r.ahead[n:]
		return n, nil
	}
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.f.Read(b)
	r.total += uint64(n)
	switch {
	case err == io.EOF && r.total%r.size != 0:
		err = fmt.Errorf("%s ends within a packet: its %d bytes are no multiple of %d", r.path, r.total, r.size)
	case err != nil && err != io.EOF:
		err = fmt.Errorf("%s: %w", r.path, err)
	}
	r.err = err
	return n, err
}

// Close closes the file.
func (r *packetReader) Close() error { return r.f.Close() }
