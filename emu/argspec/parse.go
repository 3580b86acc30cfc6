package argspec

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/npy"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Kind says what an argument is.
type Kind uint8

// The kinds of argument.
const (
	Value   Kind = iota // bytes passed by value
	Buffer              // a buffer in global or constant memory
	Local               // local memory (LDS) for a local pointer
	Null                // a null pointer
	Image               // an image
	Pipe                // a pipe
	Sampler             // a sampler
)

var kinds = [...]string{Value: "value", Buffer: "buffer", Local: "local", Null: "null", Image: "image", Pipe: "pipe", Sampler: "sampler"}

// String returns the name of the kind.
func (k Kind) String() string {
	if int(k) >= len(kinds) {
		return "invalid"
	}
	return kinds[k]
}

// Arg is one kernel argument.
type Arg struct {
	Kind Kind
	// Type is the type of the elements; U8 for bytes without a type of their own.
	Type Type
	// Count is the number of elements of a value or buffer, and the number of
	// bytes of local memory.
	Count int
	// Shape is the shape of a buffer that came from a .npy file with other than
	// one dimension, outermost first, and nil otherwise. Its product is Count.
	Shape []int
	// Raw says that the bytes of a buffer fit elements of any type: those of a file without
	// a type, or of a SPEC that ends in ":as-bytes".
	Raw bool
	// Data holds the elements, little-endian; nil for Local and Null. Of a pipe it
	// holds the packets that are in it from the beginning.
	Data []byte
	// Undefined says that nobody has written the elements of a buffer or an image, which are zero in Data.
	Undefined bool
	// ReadOnly and WriteOnly say what a kernel may do with a buffer, where it may not do both.
	ReadOnly, WriteOnly bool
	// Resource says that the kernel is to get a buffer resource that covers the
	// buffer; nil where it gets a pointer to it, and for all that is no buffer.
	Resource *Resource
	// Image describes an image; nil for all that is none.
	Image *ImageInfo
	// Sampler describes a sampler; nil for all that is none.
	Sampler *memory.SamplerState
	// Pipe describes a pipe; nil for all that is none.
	Pipe *PipeInfo
	// Shared is the name of the buffer that an argument shares with others, or that an image is a view of; the
	// argument has no data of its own then. It is "" for all others.
	Shared string
	// Offset is where in the shared buffer the pointer leads to, in bytes.
	Offset uint64
	// Address is the address that a shared buffer has for kernels, as shared virtual memory; 0 for all others.
	Address uint64
}

// Resource is what a buffer resource says of its buffer.
type Resource struct {
	Stride  uint16 // bytes from record to record; 0 for bytes without records
	Records uint32 // number of records, or of bytes when Stride is 0
}

// Fit returns the bytes of a by-value argument for a parameter of size bytes. Three
// elements also fit a parameter of four: OpenCL stores a vector of three in the
// space of four. The error says what was given and what is wanted.
func (a *Arg) Fit(size int) ([]byte, error) {
	switch {
	case a.Kind != Value:
		return nil, fmt.Errorf("the parameter is a value of %d bytes, the argument is a %v", size, a.Kind)
	case len(a.Data) == size:
		return a.Data, nil
	case a.Count == 3 && size == 4*a.Type.Size():
		return append(a.Data[:len(a.Data):len(a.Data)], make([]byte, a.Type.Size())...), nil
	}
	return nil, fmt.Errorf("the parameter takes %d bytes, the argument has %d (%d × %v)", size, len(a.Data), a.Count, a.Type)
}

// DefaultMaxBytes is the largest buffer that a SPEC may ask for when Options do not
// say otherwise: 4 GiB less one page, and never more than an int can count.
const DefaultMaxBytes = 1<<32 - 4096

// maxLocal bounds local:BYTES. It is far above any device's LDS; the device's own
// limit is checked where the launch is prepared.
const maxLocal = 1 << 30

// Options change how a SPEC is read. The zero value and nil are ready to use.
type Options struct {
	// Open opens the file of an in: SPEC. nil means os.Open.
	Open func(path string) (io.ReadCloser, error)
	// MaxBytes bounds the bytes of one argument. 0 means DefaultMaxBytes.
	MaxBytes int64
	// Room is asked before memory is taken for data whether the argument may hold so many bytes at
	// once. Its error is that of [Parse]. nil takes whatever MaxBytes allows.
	Room func(bytes uint64) error
	// SharedBuffers lets an argument be a buffer that others share, or an image over one: buffer:NAME.
	SharedBuffers bool
}

// OpenFS returns an Open function that finds files in fsys.
func OpenFS(fsys fs.FS) func(string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) { return fsys.Open(path) }
}

// parser reads one SPEC from left to right.
type parser struct {
	spec   string
	open   func(string) (io.ReadCloser, error)
	max    int64
	room   func(uint64) error
	held   uint64 // bytes of data that the argument holds
	shared bool
}

func (p *parser) fail(pos int, allowed, format string, args ...any) error {
	return &Error{Spec: p.spec, Column: pos + 1, Msg: fmt.Sprintf(format, args...), Allowed: allowed}
}

const (
	asBytes     = ":as-bytes"
	bufferForms = "buf:TYPE:V[,V…] in:PATH zero: undef: iota: fill: rand:"
	forms       = "TYPE:V[,V…] bytes:HEX " + bufferForms + " ro:SPEC wo:SPEC resource: image: sampler: pipe: local:BYTES null"
)

// Parse reads one SPEC. An error is an [*Error].
func Parse(spec string, opts *Options) (*Arg, error) { return newParser(spec, opts).parse() }

func newParser(spec string, opts *Options) *parser {
	p := &parser{spec: spec, max: DefaultMaxBytes}
	if opts != nil {
		p.open, p.shared, p.room = opts.Open, opts.SharedBuffers, opts.Room
		if opts.MaxBytes > 0 {
			p.max = opts.MaxBytes
		}
	}
	p.max = min(p.max, math.MaxInt)
	if p.open == nil {
		p.open = func(path string) (io.ReadCloser, error) { return os.Open(path) }
	}
	return p
}

// heads has what reads the forms that begin with a word, besides those of buffers and images. Each gets what
// stands behind the colon, and where that begins.
var heads map[string]func(p *parser, rest string, at int) (*Arg, error)

func init() {
	heads = map[string]func(*parser, string, int) (*Arg, error){
		"bytes": (*parser).bytes, "ro": (*parser).restricted, "wo": (*parser).restricted,
		"resource": (*parser).resource, "local": (*parser).local, "pipe": (*parser).pipe,
		"buffer": (*parser).sharedBuffer, "sampler": (*parser).sampler,
		"null": func(p *parser, _ string, _ int) (*Arg, error) { return nil, p.fail(4, "null", "null takes no value") },
	}
}

// restricted reads ro:SPEC and wo:SPEC.
func (p *parser) restricted(_ string, at int) (*Arg, error) {
	a, err := p.buffer(at)
	if a == nil && err == nil {
		err = p.fail(at, bufferForms, "no buffer")
	}
	if err == nil {
		kind := p.spec[at-len("ro:")]
		a.ReadOnly, a.WriteOnly = kind == 'r', kind == 'w'
	}
	return a, err
}

// parse reads the whole SPEC.
func (p *parser) parse() (*Arg, error) {
	head, rest, colon := strings.Cut(p.spec, ":")
	at := len(head) + 1
	if !colon {
		switch p.spec {
		case "null":
			return &Arg{Kind: Null, Type: U8}, nil
		case "":
			return nil, p.fail(0, forms, "the argument is empty")
		default:
			return nil, p.fail(0, forms, "no ':' in the argument, and it is not null")
		}
	}
	if a, err := p.buffer(0); a != nil || err != nil {
		return a, err
	}
	if f := heads[head]; f != nil {
		return f(p, rest, at)
	}
	if k, ok := memory.ParseImageKind(head); ok || head == "image" {
		return p.image(k, rest, at)
	}
	if _, ok := ParseType(head); ok {
		return p.list(0, Value)
	}
	return nil, p.fail(0, forms, "unknown form or type %q", head)
}

// buffer reads the SPEC of a buffer that begins at byte at, to the end. It
// returns nil and no error where something else stands.
func (p *parser) buffer(at int) (*Arg, error) {
	head, rest, ok := strings.Cut(p.spec[at:], ":")
	if !ok {
		return nil, nil
	}
	next := at + len(head) + 1
	switch head {
	case "buf", "in", "zero", "undef", "iota", "fill", "rand":
		if short, raw := strings.CutSuffix(p.spec, asBytes); raw && !strings.HasSuffix(short, asBytes) {
			inner := *p
			inner.spec = short
			a, err := inner.buffer(at)
			p.held = inner.held
			if a != nil {
				a.Raw = true
			}
			return a, err
		}
	}
	switch head {
	case "buf":
		return p.buf(next)
	case "in":
		return p.in(rest, next)
	case "zero", "undef", "iota", "fill", "rand":
		return p.generate(head, rest, next)
	}
	return nil, nil
}

// resource reads STRIDE:RECORDS:SPEC from at to the end.
func (p *parser) resource(_ string, at int) (*Arg, error) {
	number := func(most uint64) (uint64, error) {
		text, _, ok := strings.Cut(p.spec[at:], ":")
		if !ok {
			return 0, p.fail(len(p.spec), "resource:STRIDE:RECORDS:SPEC", "a part is missing")
		}
		s, pos := trim(text, at)
		at += len(text) + 1
		digits, unit := unitSuffix(s)
		n, err := strconv.ParseUint(digits, 0, 64)
		if errors.Is(err, strconv.ErrRange) || err == nil && n > most/uint64(unit) {
			return 0, p.fail(pos, fmt.Sprintf("at most %d", most), "%s is too large", s)
		}
		if err != nil {
			return 0, p.fail(pos, fmt.Sprintf("0 to %d", most), "%q is not a number", s)
		}
		return n * uint64(unit), nil
	}
	stride, err := number(1<<14 - 1)
	if err != nil {
		return nil, err
	}
	records, err := number(math.MaxUint32)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(p.spec[at:], ":") {
		return nil, p.fail(at, bufferForms, "a resource is made of a buffer")
	}
	a, err := p.buffer(at)
	if err != nil {
		return nil, err
	}
	if a == nil {
		return nil, p.fail(at, bufferForms, "a resource is made of a buffer")
	}
	a.Resource = &Resource{Stride: uint16(stride), Records: uint32(records)}
	return a, nil
}

func (p *parser) bytes(text string, at int) (*Arg, error) {
	data := make([]byte, 0, len(text)/2)
	half := -1
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '_' || c == ' ' {
			continue
		}
		var b [1]byte
		if _, err := hex.Decode(b[:], []byte{'0', c}); err != nil {
			return nil, p.fail(at+i, "0-9 a-f A-F _", "%q is not a hexadecimal digit", c)
		}
		if half < 0 {
			half = int(b[0])
		} else {
			data, half = append(data, byte(half)<<4|b[0]), -1
		}
	}
	if half >= 0 {
		return nil, p.fail(at+len(text)-1, "two digits a byte", "an odd number of hexadecimal digits")
	}
	if len(data) == 0 {
		return nil, p.fail(at, "two digits a byte", "no bytes")
	}
	return &Arg{Kind: Value, Type: U8, Count: len(data), Data: data}, nil
}

func (p *parser) buf(at int) (*Arg, error) {
	name, _, ok := strings.Cut(p.spec[at:], ":")
	if _, known := ParseType(name); !ok || !known {
		return nil, p.fail(at, typeNames(), "no type and values behind buf:, as in buf:TYPE:V[,V…]")
	}
	return p.list(at, Buffer)
}

// list reads TYPE:V[,V…] from at to the end. Any value may begin with a TYPE: of its own, which then holds
// for those after it. Each element is placed at a multiple of its size, as members of a C structure are, and
// a list of more than one type is padded at its end likewise.
func (p *parser) list(at int, kind Kind) (*Arg, error) {
	a := &Arg{Kind: kind}
	var t Type
	align, mixed, first := 1, false, true
	for pos := at; ; {
		end := len(p.spec)
		if i := strings.IndexByte(p.spec[pos:], ','); i >= 0 {
			end = pos + i
		}
		item, itemPos := trim(p.spec[pos:end], pos)
		if name, value, ok := strings.Cut(item, ":"); ok {
			nt, known := ParseType(name)
			if !known {
				return nil, p.fail(itemPos, typeNames(), "unknown type %q", name)
			}
			mixed = mixed || (!first && nt != t)
			t = nt
			item, itemPos = trim(value, itemPos+len(name)+1)
		}
		n := 1
		if i := strings.IndexByte(item, '*'); i >= 0 {
			c, err := p.count(item[i+1:], itemPos+i+1, p.max)
			if err != nil {
				return nil, err
			}
			n, item = c, strings.TrimRight(item[:i], " \t")
		}
		bits, err := p.value(t, item, itemPos)
		if err != nil {
			return nil, err
		}
		size := t.Size()
		align = max(align, size)
		start := (len(a.Data) + size - 1) / size * size
		if int64(n) > (p.max-int64(start))/int64(size) {
			return nil, p.fail(itemPos, fmt.Sprintf("at most %d bytes", p.max), "the list is too long")
		}
		if a.Data, err = p.grow(a.Data, start-len(a.Data)+n*size, itemPos); err != nil {
			return nil, err
		}
		for i := range n {
			put(a.Data[start+i*size:], size, bits)
		}
		a.Count += n
		first = false
		if end == len(p.spec) {
			break
		}
		pos = end + 1
	}
	a.Type = t
	if mixed {
		var err error
		if a.Data, err = p.grow(a.Data, (align-len(a.Data)%align)%align, 0); err != nil {
			return nil, err
		}
		a.Type, a.Count = U8, len(a.Data)
	}
	return a, nil
}

// trim cuts white space off both ends of s, which begins at pos of the SPEC.
func trim(s string, pos int) (string, int) {
	t := strings.TrimLeft(s, " \t")
	return strings.TrimRight(t, " \t"), pos + len(s) - len(t)
}

// put stores the low size bytes of bits.
func put(dst []byte, size int, bits uint64) {
	switch size {
	case 1:
		dst[0] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(dst, uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(dst, uint32(bits))
	default:
		binary.LittleEndian.PutUint64(dst, bits)
	}
}

// get loads size bytes.
func get(src []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(src[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(src))
	case 4:
		return uint64(binary.LittleEndian.Uint32(src))
	default:
		return binary.LittleEndian.Uint64(src)
	}
}

// count reads a number of things: decimal, or with a prefix as in Go, and with an
// optional suffix k, m or g for 2^10, 2^20 or 2^30.
func (p *parser) count(s string, at int, most int64) (int, error) {
	const allowed = "a whole number; k (×1024), m (×1024²) or g (×1024³) may follow"
	s, at = trim(s, at)
	digits, unit := unitSuffix(s)
	n, err := strconv.ParseInt(digits, 0, 64)
	if errors.Is(err, strconv.ErrRange) || (err == nil && n > 0 && n > min(most, math.MaxInt)/unit) {
		return 0, p.fail(at, fmt.Sprintf("at most %d", most), "%s is too large", s)
	}
	if err != nil {
		return 0, p.fail(at, allowed, "%q is not a count", s)
	}
	if n <= 0 {
		return 0, p.fail(at, "1 or more", "%s is too small", s)
	}
	return int(n * unit), nil
}

// unitSuffix takes the suffix k, m or g, in either case, optionally followed by an i, off a number.
func unitSuffix(s string) (digits string, unit int64) {
	if n := len(s); n > 1 && !strings.HasPrefix(s, "0x") && !strings.HasPrefix(s, "0X") {
		body := strings.TrimSuffix(s, "i")
		switch body[len(body)-1] {
		case 'k', 'K':
			unit = 1 << 10
		case 'm', 'M':
			unit = 1 << 20
		case 'g', 'G':
			unit = 1 << 30
		default:
			return s, 1
		}
		return body[:len(body)-1], unit
	}
	return s, 1
}

func (p *parser) local(text string, at int) (*Arg, error) {
	n, err := p.count(text, at, maxLocal)
	if err != nil {
		return nil, err
	}
	return &Arg{Kind: Local, Type: U8, Count: n}, nil
}

// splitType takes PATH:TYPE apart. What follows the last colon is a type only if
// it is exactly the name of one, so that a path may contain colons.
func splitType(text string) (path string, t Type, typed bool) {
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		if t, ok := ParseType(text[i+1:]); ok {
			return text[:i], t, true
		}
	}
	return text, U8, false
}

func isNPY(path string) bool { return strings.HasSuffix(strings.ToLower(path), ".npy") }

// in reads in:PATH and in:PATH:TYPE.
func (p *parser) in(text string, at int) (*Arg, error) {
	path, t, typed := splitType(text)
	if path == "" {
		return nil, p.fail(at, "", "no file name")
	}
	fileErr := func(err error) error {
		return &Error{Spec: p.spec, Column: at + 1, Msg: err.Error(), Err: err}
	}
	f, err := p.open(path)
	if err != nil {
		return nil, fileErr(err)
	}
	defer f.Close()
	a := &Arg{Kind: Buffer}
	switch {
	case isNPY(path):
		arr, err := npy.ReadAlloc(f, p.max, p.npyBytes(f, at))
		var own *Error
		if errors.As(err, &own) {
			return nil, own
		}
		if err != nil {
			return nil, fileErr(fmt.Errorf("%s: %w", path, err))
		}
		et, per := fromNPY(arr.DType)
		a.Type, a.Data = et, arr.Data
		if shape := arr.Shape; !typed && (len(shape) != 1 || per > 1) {
			a.Shape = append([]int{}, shape...)
			if per > 1 {
				a.Shape = append(a.Shape, per)
			}
		}
	case isCSV(path) && !typed:
		return nil, p.fail(at, "in:PATH.csv:TYPE", "%s: the type of its numbers is missing", path)
	case isCSV(path):
		if a.Data, err = p.csv(f, path, t, at); err != nil {
			return nil, err
		}
	default:
		a.Raw = !typed
		a.Data, err = p.readAll(f, fileSize(f), p.most(), at)
		var own *Error
		if errors.As(err, &own) {
			return nil, own
		}
		if err != nil {
			return nil, fileErr(fmt.Errorf("%s: %w", path, err))
		}
		if int64(len(a.Data)) > p.max {
			return nil, p.fail(at, fmt.Sprintf("at most %d bytes", p.max), "%s is too large", path)
		}
		a.Type = U8
	}
	if typed {
		a.Type = t
	}
	if len(a.Data) == 0 {
		return nil, p.fail(at, "1 byte or more", "%s holds no data", path)
	}
	if rest := len(a.Data) % a.Type.Size(); rest != 0 {
		return nil, p.fail(at, fmt.Sprintf("a multiple of %d bytes", a.Type.Size()),
			"%s has %d bytes, which is no whole number of %v", path, len(a.Data), a.Type)
	}
	a.Count = len(a.Data) / a.Type.Size()
	return a, nil
}

// generate reads zero:TYPE:COUNT, undef:TYPE:COUNT, iota:TYPE:COUNT[:START[:STEP]],
// fill:TYPE:COUNT:V and rand:TYPE:COUNT:SEED[:LO:HI].
func (p *parser) generate(form, text string, at int) (*Arg, error) {
	usage := map[string]string{
		"zero": "zero:TYPE:COUNT", "undef": "undef:TYPE:COUNT", "iota": "iota:TYPE:COUNT[:START[:STEP]]",
		"fill": "fill:TYPE:COUNT:V", "rand": "rand:TYPE:COUNT:SEED[:LO:HI]",
	}[form]
	type field struct {
		s  string
		at int
	}
	var f []field
	for pos := at; ; {
		end := len(p.spec)
		if i := strings.IndexByte(p.spec[pos:], ':'); i >= 0 {
			end = pos + i
		}
		s, sp := trim(p.spec[pos:end], pos)
		f = append(f, field{s, sp})
		if end == len(p.spec) {
			break
		}
		pos = end + 1
	}
	t, ok := ParseType(f[0].s)
	if !ok {
		return nil, p.fail(f[0].at, typeNames(), "unknown type %q", f[0].s)
	}
	least, most := 2, 2
	switch form {
	case "iota":
		most = 4
	case "fill":
		least, most = 3, 3
	case "rand":
		least, most = 3, 5
	}
	if len(f) < least {
		return nil, p.fail(len(p.spec), usage, "a part is missing")
	}
	if len(f) > most {
		return nil, p.fail(f[most].at, usage, "this part is one too many")
	}
	n, err := p.count(f[1].s, f[1].at, p.max/int64(t.Size()))
	if err != nil {
		return nil, err
	}
	// The values are read before anything is allocated for them.
	var v [3]uint64
	for i, fd := range f[2:] {
		if form == "rand" && i == 0 {
			if v[0], err = strconv.ParseUint(fd.s, 0, 64); err != nil {
				return nil, p.fail(fd.at, "0 to 18446744073709551615", "%q is not a seed", fd.s)
			}
			continue
		}
		if v[i], err = p.value(t, fd.s, fd.at); err != nil {
			return nil, err
		}
	}
	if form == "rand" && len(f) == 4 {
		return nil, p.fail(len(p.spec), usage, "a range has both ends, LO and HI")
	}
	if form == "rand" && len(f) == 5 {
		if why := badRange(t, v[1], v[2]); why != "" {
			return nil, p.fail(f[3].at, "finite LO below HI", "%s", why)
		}
	}
	data, err := p.alloc(int64(n)*int64(t.Size()), f[1].at)
	if err != nil {
		return nil, err
	}
	a := &Arg{Kind: Buffer, Type: t, Count: n, Data: data, Undefined: form == "undef"}
	switch {
	case form == "iota":
		step := oneBits(t)
		if len(f) > 3 {
			step = v[1]
		}
		iota_(a.Data, t, v[0], step)
	case form == "fill":
		for i := 0; i < len(a.Data); i += t.Size() {
			put(a.Data[i:], t.Size(), v[0])
		}
	case form == "rand" && len(f) == 5:
		randRange(a.Data, t, v[0], v[1], v[2])
	case form == "rand":
		randFull(a.Data, t, v[0])
	}
	return a, nil
}
