package argspec

import (
	"strconv"
	"strings"
)

// Arguments of several kernels can be one buffer or one pipe, which has a name
// then. Names begin with a letter, and are no types.

const nameForm = "letters, digits, _, - and ., a letter or _ first"

// IsName says whether a buffer or a pipe can be called so.
func IsName(s string) bool { return s != "" && badName(s) < 0 && !isPacket(s) }

// badName returns the first byte that a name cannot have there, or -1.
func badName(s string) int {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '-' || c == '.'):
		default:
			return i
		}
	}
	return -1
}

// name checks the name of what ("pipe") that stands at byte at.
func (p *parser) name(name, what string, at int) error {
	switch i := badName(name); {
	case name == "":
		return p.fail(at, nameForm, "the name of the %s is empty", what)
	case i >= 0:
		return p.fail(at+i, nameForm, "%q cannot be the name of a %s", name, what)
	case isPacket(name):
		return p.fail(at, nameForm, "%q is a type, and cannot be the name of a %s", name, what)
	}
	return nil
}

// named takes the NAME= off the front of a flag that makes something to share.
func (p *parser) named(what, allowed string) (name string, next int, err error) {
	name, _, ok := strings.Cut(p.spec, "=")
	if !ok {
		return "", 0, p.fail(len(p.spec), allowed, "no name before a '='")
	}
	return name, len(name) + 1, p.name(name, what, 0)
}

// ParseBuffer reads NAME=SPEC, the form of -buffer: a buffer that arguments of
// the form buffer:NAME share. SPEC may begin with at:ADDRESS:, for shared virtual memory at an address, and then with ro: or
// wo:. An error is an [*Error].
func ParseBuffer(s string, opts *Options) (name string, a *Arg, err error) {
	p := newParser(s, opts)
	name, at, err := p.named("buffer", "NAME=SPEC, as in -buffer c=zero:f32:16")
	if err != nil {
		return "", nil, err
	}
	address := uint64(0)
	if rest, ok := strings.CutPrefix(s[at:], "at:"); ok {
		text, _, _ := strings.Cut(rest, ":")
		address, err = strconv.ParseUint(text, 0, 64)
		if err != nil || address == 0 {
			return "", nil, p.fail(at+len("at:"), "at:ADDRESS:SPEC, as in at:0x7f0000:zero:f32:16", "%q is no address", text)
		}
		at = min(at+len("at:")+len(text)+1, len(s))
		defer func() {
			if a != nil {
				a.Address = address
			}
		}()
	}
	if rest := s[at:]; strings.HasPrefix(rest, "ro:") || strings.HasPrefix(rest, "wo:") {
		a, err = p.restricted(rest, at+len("ro:"))
		return name, a, err
	}
	if a, err = p.buffer(at); a == nil && err == nil {
		err = p.fail(at, bufferForms+" ro:SPEC wo:SPEC", "no buffer")
	}
	return name, a, err
}

// sharedForm is what an argument begins with that is a buffer which has a name.
const sharedForm = "buffer:"

// sharedImage returns the argument for an image that is a view of the buffer with the given name.
func (p *parser) sharedImage(info ImageInfo, name string, at int) (*Arg, error) {
	b, err := p.sharedBuffer(name, at)
	switch {
	case err != nil:
		return nil, err
	case b.Offset != 0:
		return nil, p.fail(at, bufferForms, "an image has its place in the buffer behind an @: WIDTHxHEIGHT@PITCH+ORIGIN")
	}
	a := newImage(info, nil)
	a.Shared = b.Shared
	_, channels := channel(info.Format)
	if a.Count = int(info.elements()) * channels; info.Levels > 1 {
		a.Shape = []int{a.Count}
	}
	return a, nil
}

// sharedBuffer reads the NAME behind "buffer:".
func (p *parser) sharedBuffer(name string, at int) (*Arg, error) {
	if !p.shared {
		return nil, p.fail(0, forms, "there are no buffers to share here")
	}
	name, offset, moved := strings.Cut(name, "+")
	if err := p.name(name, "buffer", at); err != nil {
		return nil, err
	}
	a := &Arg{Kind: Buffer, Type: U8, Shared: name}
	if moved {
		var err error
		if a.Offset, err = strconv.ParseUint(offset, 0, 64); err != nil {
			return nil, p.fail(at+len(name)+1, "buffer:NAME+BYTES, as in buffer:a+64", "%q is no number of bytes", offset)
		}
	}
	return a, nil
}
