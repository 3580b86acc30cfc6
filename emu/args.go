package emu

import (
	"encoding/binary"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Arg is what a launch gives a kernel's parameter: a [*Buffer], an [*Image], a [*Pipe], or what
// [Value], [Vector], [Bytes], [LocalBytes], [Resource] or [Null] return.
type Arg interface {
	argument() argument
}

type argKind uint8

const (
	argBytes argKind = iota + 1
	argBuffer
	argLocal
	argNull
	argResource
	argImage
	argPipe
)

// argument is what all arguments come down to.
type argument struct {
	kind   argKind
	bytes  []byte
	buffer *Buffer
	image  *Image
	pipe   *Pipe
	local  uint64
	what   string // of bytes, for messages: "int32"

	stride  uint16 // of a resource
	records uint32
}

func (a argument) argument() argument { return a }

func (b *Buffer) argument() argument { return argument{kind: argBuffer, buffer: b} }

// Value is a scalar by value. Its type must have the parameter's size; the
// bits are taken as they are.
func Value[T Number](v T) Arg {
	return argument{kind: argBytes, bytes: encode([]T{v}), what: fmt.Sprintf("%T", v)}
}

// Vector is an OpenCL vector by value: 2, 3, 4, 8 or 16 elements. A vector of
// three has the size of four (OpenCL C 6.3.5).
func Vector[T Number](v ...T) Arg {
	n := len(v)
	if n == 3 {
		v = append(v[:3:3], 0)
	}
	return argument{kind: argBytes, bytes: encode(v), what: fmt.Sprintf("vector of %d %T", n, *new(T))}
}

func encode[T Number](v []T) []byte {
	// The error is for types without a fixed size, which Number excludes.
	b, _ := binary.Append(nil, binary.LittleEndian, v)
	return b
}

// Bytes is anything by value, as the little-endian bytes that the kernel sees;
// structs are given so, with their padding. The slice is copied.
func Bytes(b []byte) Arg {
	return argument{kind: argBytes, bytes: append([]byte{}, b...), what: "raw bytes"}
}

// LocalBytes is LDS of n bytes for a pointer to local memory.
func LocalBytes(n uint64) Arg { return argument{kind: argLocal, local: n} }

// Resource is a buffer resource, which AMDGPU's buffer operations take instead
// of a pointer: records of stride bytes each, from the start of b; when stride
// is 0, records counts bytes. What lies outside reads as zero. A pointer
// parameter gets the resource's handle, which lives as long as the launch; a
// parameter of 16 bytes by value gets the four words. A stride of 16 KiB or more
// is refused.
func Resource(b *Buffer, stride uint16, records uint32) Arg {
	return argument{kind: argResource, buffer: b, stride: stride, records: records}
}

// resource returns what a resource argument stands for.
func (a *argument) resource() memory.Resource {
	return memory.Resource{Base: a.buffer.ptr, Stride: a.stride, Records: a.records}
}

// resourceBytes is the size of the words of a resource.
const resourceBytes = 16

// words returns the words of a resource as a kernel sees them.
func (a *argument) words() []byte {
	w := a.resource().Words()
	return encode(w[:])
}

// Null is a null pointer.
func Null() Arg { return argument{kind: argNull} }

// describe says what was given, for messages.
func (a argument) describe() string {
	switch a.kind {
	case argBytes:
		return fmt.Sprintf("%s (%s)", a.what, finding.Bytes(uint64(len(a.bytes))))
	case argBuffer:
		return "a buffer"
	case argLocal:
		return finding.Bytes(a.local) + " of local memory"
	case argNull:
		return "a null pointer"
	case argResource:
		return "a buffer resource"
	case argImage:
		return "an image"
	case argPipe:
		return "a pipe"
	}
	return "nothing"
}

// want says what a parameter takes, for messages.
func want(p *isa.Param) string {
	switch p.Kind {
	case isa.ParamValue:
		return finding.Bytes(p.Size) + " by value (Value, Vector or Bytes)"
	case isa.ParamGlobal:
		return "a *Buffer or Null()"
	case isa.ParamLocal:
		return "LocalBytes(n)"
	case isa.ParamImage:
		return "an *Image"
	case isa.ParamPipe:
		return "a *Pipe"
	}
	return "something that this device does not have"
}

// bind checks an argument against its parameter.
func bind(k *Kernel, i int, given Arg) (argument, error) {
	p := &k.code.Params[i]
	fail := func(err error, format string, args ...any) (argument, error) {
		return argument{}, &ArgError{Kernel: k.code.Name, Index: i, Name: p.Name, Type: p.TypeName, Reason: fmt.Sprintf(format, args...), Err: err}
	}
	if given == nil {
		return fail(ErrInvalid, "no argument given; the parameter takes %s", want(p))
	}
	a := given.argument()
	switch {
	case p.Kind == isa.ParamValue && a.kind == argBytes:
		if uint64(len(a.bytes)) != p.Size {
			return fail(nil, "%s given, the parameter takes %s", a.describe(), finding.Bytes(p.Size))
		}
	case p.Kind == isa.ParamLocal && a.kind == argLocal:
		if a.local == 0 {
			return fail(nil, "0 bytes of local memory given; it must be at least 1")
		}
	case p.Kind == isa.ParamGlobal && a.kind == argNull:
	case a.kind == argResource && a.stride >= memory.MaxStride:
		return fail(nil, "a buffer resource with a stride of %d bytes given; it must be less than %d", a.stride, memory.MaxStride)
	case p.Kind == isa.ParamGlobal && (a.kind == argBuffer || a.kind == argResource),
		p.Kind == isa.ParamValue && p.Size == resourceBytes && a.kind == argResource:
		b := a.buffer
		switch {
		case b == nil || b.dev == nil:
			return fail(ErrInvalid, "the buffer is nil; use Null() for a null pointer")
		case b.dev != k.prog.dev:
			return fail(ErrForeign, "the buffer %v", ErrForeign)
		}
	case p.Kind == isa.ParamImage && a.kind == argImage:
		im := a.image
		switch {
		case im == nil || im.dev == nil:
			return fail(ErrInvalid, "the image is nil")
		case im.dev != k.prog.dev:
			return fail(ErrForeign, "the image %v", ErrForeign)
		}
		if reason := im.bindImage(p); reason != "" {
			return fail(nil, "%s", reason)
		}
	case p.Kind == isa.ParamPipe && a.kind == argPipe:
		switch {
		case a.pipe == nil || a.pipe.dev == nil:
			return fail(ErrInvalid, "the pipe is nil")
		case a.pipe.dev != k.prog.dev:
			return fail(ErrForeign, "the pipe %v", ErrForeign)
		}
	default:
		return fail(nil, "%s given, the parameter takes %s", a.describe(), want(p))
	}
	return a, nil
}

// bothEnds finds a pipe that is an argument for reading and one for writing,
// which OpenCL does not allow (OpenCL C 6.15.17: a kernel cannot read from and
// write to the same pipe object).
func (p *prepared) bothEnds() error {
	params := p.Kernel.code.Params
	var first map[*Pipe]int
	for i := range p.args {
		h := p.args[i].pipe
		if h == nil {
			continue
		}
		if first == nil {
			first = make(map[*Pipe]int)
		}
		j, again := first[h]
		if !again {
			first[h] = i
			continue
		}
		if a, b := params[j].Pipe, params[i].Pipe; a.Reads && b.Writes || a.Writes && b.Reads {
			return &ArgError{Kernel: p.Kernel.code.Name, Index: i, Name: params[i].Name, Type: params[i].TypeName, Err: ErrInvalid,
				Reason: fmt.Sprintf("the pipe is argument %d as well; a kernel cannot read from and write to the same pipe", j)}
		}
	}
	return nil
}
