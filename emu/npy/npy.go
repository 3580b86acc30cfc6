package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

const (
	magic = "\x93NUMPY"

	// maxHeader bounds the header text. Version 1.0 cannot say more; the later
	// versions exist for long structured types, which are refused anyway.
	maxHeader = 1 << 16

	// maxDims is NumPy's own limit on the number of dimensions.
	maxDims = 64

	// dataAlign is the multiple of bytes at which NumPy starts the elements.
	dataAlign = 64
)

// ErrUnsupported is what errors match (with errors.Is) when a file is well formed
// but holds something this package does not read: structured types, strings,
// objects, dates, unusual widths, unknown format versions.
var ErrUnsupported = errors.New("not supported")

// FormatError reports what is wrong with a file, and where.
type FormatError struct {
	Offset int64  // byte offset in the file
	Msg    string // what is wrong there
	Err    error  // ErrUnsupported, io.ErrUnexpectedEOF, a read error, or nil
}

// Error returns the place and the message in one line.
func (e *FormatError) Error() string {
	return fmt.Sprintf("npy: at byte %d: %s", e.Offset, e.Msg)
}

// Unwrap returns the cause, if any.
func (e *FormatError) Unwrap() error { return e.Err }

// Array is an array in memory.
type Array struct {
	DType DType
	// Shape is the extent of each dimension, outermost first; empty for a
	// single value.
	Shape []int
	// Fortran says that the file keeps the elements in Fortran (column-major)
	// order. Data never does.
	Fortran bool
	// Data holds the elements in C (row-major) order, little-endian.
	Data []byte
}

// Len returns the number of elements that Shape describes, and an error when the
// shape has a negative extent or its elements cannot be counted in an int.
func (a *Array) Len() (int, error) { return shapeLen(a.Shape) }

func shapeLen(shape []int) (int, error) {
	n := uint64(1)
	zero := false
	for i, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("dimension %d has the negative extent %d", i, d)
		}
		if d == 0 {
			zero = true
			continue
		}
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > math.MaxInt {
			return 0, errors.New("the shape has more elements than can be addressed")
		}
		n = lo
	}
	if zero {
		return 0, nil
	}
	return int(n), nil
}

// Decode reads a whole file that is already in memory. Unlike [Read] it takes
// bytes after the last element as an error.
func Decode(data []byte) (*Array, error) {
	r := &reader{r: bytes.NewReader(data), limit: math.MaxInt64}
	a, err := r.array()
	if err != nil {
		return nil, err
	}
	if rest := int64(len(data)) - r.off; rest != 0 {
		return nil, &FormatError{Offset: r.off, Msg: fmt.Sprintf(
			"%d bytes follow the last element; a file holds one array", rest)}
	}
	return a, nil
}

// Read reads one array from r and leaves what follows it unread. An error is a
// [*FormatError].
func Read(r io.Reader) (*Array, error) { return ReadLimit(r, math.MaxInt64) }

// ReadLimit is [Read] for callers that accept at most max bytes of elements; a
// header that announces more is an error before anything of it is read.
func ReadLimit(r io.Reader, max int64) (*Array, error) { return ReadAlloc(r, max, nil) }

// ReadAlloc is [ReadLimit] for callers that make the memory of the elements themselves: alloc makes n bytes,
// or has an error, which ReadAlloc returns as it is. Nil bytes without an error, or no alloc, make the memory
// grow with what can be read. Elements in Fortran order take a second piece of memory, and the first one is
// left.
func ReadAlloc(r io.Reader, max int64, alloc func(n int64) ([]byte, error)) (*Array, error) {
	return (&reader{r: r, limit: max, alloc: alloc}).array()
}

// reader counts the bytes it takes, for the offsets in errors.
type reader struct {
	r     io.Reader
	off   int64
	limit int64
	alloc func(n int64) ([]byte, error) // of the elements; may be nil
}

// elements takes n bytes into memory that alloc makes.
func (r *reader) elements(n int64, what string) ([]byte, error) {
	if r.alloc == nil {
		return r.read(n, what)
	}
	buf, err := r.alloc(n)
	if err != nil {
		return nil, err
	}
	if buf == nil {
		return r.read(n, what)
	}
	m, err := io.ReadFull(r.r, buf)
	return buf, r.ended(int64(m), n, what, err)
}

func (r *reader) fail(off int64, err error, format string, args ...any) error {
	return &FormatError{Offset: off, Msg: fmt.Sprintf(format, args...), Err: err}
}

// read takes exactly n bytes. It lets its buffer grow with what arrives, so that
// a header which announces terabytes costs no more than the file's real length.
func (r *reader) read(n int64, what string) ([]byte, error) {
	const chunk = 1 << 20
	var buf []byte
	if n <= chunk {
		buf = make([]byte, n)
		m, err := io.ReadFull(r.r, buf)
		return buf, r.ended(int64(m), n, what, err)
	}
	if l, ok := r.r.(interface{ Len() int }); ok && int64(l.Len()) >= n {
		buf = make([]byte, n)
		m, err := io.ReadFull(r.r, buf)
		return buf, r.ended(int64(m), n, what, err)
	}
	var b bytes.Buffer
	m, err := io.CopyN(&b, r.r, n)
	return b.Bytes(), r.ended(m, n, what, err)
}

// ended advances the offset by the m bytes that arrived and turns a short read
// into an error that names what was cut off.
func (r *reader) ended(m, n int64, what string, err error) error {
	r.off += m
	if err == nil {
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return r.fail(r.off, io.ErrUnexpectedEOF, "the file ends after %d of the %d bytes of %s", m, n, what)
	}
	return r.fail(r.off, err, "reading %s: %v", what, err)
}

func (r *reader) array() (*Array, error) {
	pre, err := r.read(8, "the magic number and version")
	if err != nil {
		return nil, err
	}
	if string(pre[:6]) != magic {
		return nil, r.fail(0, nil, "not a .npy file: it begins with % x instead of % x", pre[:6], magic)
	}
	lenBytes := int64(4)
	switch {
	case pre[6] == 1 && pre[7] == 0:
		lenBytes = 2
	case (pre[6] == 2 || pre[6] == 3) && pre[7] == 0:
	default:
		return nil, r.fail(6, ErrUnsupported, "format version %d.%d is not supported; 1.0, 2.0 and 3.0 are", pre[6], pre[7])
	}
	lb, err := r.read(lenBytes, "the header length")
	if err != nil {
		return nil, err
	}
	var hlen uint32
	for i, b := range lb {
		hlen |= uint32(b) << (8 * i)
	}
	if hlen > maxHeader {
		return nil, r.fail(8, nil, "the header claims to be %d bytes long; at most %d are accepted", hlen, maxHeader)
	}
	start := r.off
	text, err := r.read(int64(hlen), "the header")
	if err != nil {
		return nil, err
	}
	h := header{text: string(text), base: start}
	if err := h.parse(); err != nil {
		return nil, err
	}
	n, err := shapeLen(h.shape)
	if err != nil {
		return nil, r.fail(h.shapeOff, nil, "%v", err)
	}
	hi, size := bits.Mul64(uint64(n), uint64(h.dtype.Size()))
	if hi != 0 || size > math.MaxInt || size > uint64(max(r.limit, 0)) {
		return nil, r.fail(h.shapeOff, nil, "%d elements of %s are more than the %d bytes that are accepted",
			n, h.dtype, min(r.limit, math.MaxInt))
	}
	data, err := r.elements(int64(size), fmt.Sprintf("%d elements of %s", n, h.dtype))
	if err != nil {
		return nil, err
	}
	if h.dtype == Bool {
		for i, b := range data {
			if b > 1 {
				return nil, r.fail(r.off-int64(len(data))+int64(i), nil, "a boolean has the byte value %d", b)
			}
		}
	}
	if h.big {
		swap(data, dtypes[h.dtype].unit)
	}
	if h.fortran && len(h.shape) > 1 && len(data) > 0 {
		var out []byte
		if r.alloc != nil {
			if out, err = r.alloc(int64(size)); err != nil {
				return nil, err
			}
		}
		data = reorder(out, data, h.shape, h.dtype.Size(), true)
	}
	return &Array{DType: h.dtype, Shape: h.shape, Fortran: h.fortran, Data: data}, nil
}

// swap turns round the bytes of each unit, in place.
func swap(data []byte, unit int) {
	for ; len(data) >= unit && unit > 1; data = data[unit:] {
		for i, j := 0, unit-1; i < j; i, j = i+1, j-1 {
			data[i], data[j] = data[j], data[i]
		}
	}
}

// reorder returns the elements moved from Fortran to C order (toC) or back.
// len(data) is the shape's elements times size. They go to out, unless it is nil.
func reorder(out, data []byte, shape []int, size int, toC bool) []byte {
	if len(shape) < 2 || len(data) == 0 {
		return data
	}
	// Walk the elements in C order while f follows the Fortran position.
	strides := make([]int, len(shape))
	step := size
	for i, d := range shape {
		strides[i] = step
		step *= d
	}
	if out == nil {
		out = make([]byte, len(data))
	}
	index := make([]int, len(shape))
	f := 0
	for c := 0; c < len(data); c += size {
		if toC {
			copy(out[c:c+size], data[f:f+size])
		} else {
			copy(out[f:f+size], data[c:c+size])
		}
		for d := len(shape) - 1; d >= 0; d-- {
			index[d]++
			f += strides[d]
			if index[d] < shape[d] {
				break
			}
			f -= index[d] * strides[d]
			index[d] = 0
		}
	}
	return out
}

// Write writes a in format version 1.0, little-endian, in Fortran order when
// a.Fortran is set. The bytes are a function of a alone, and equal what NumPy's
// save writes for the same array.
func Write(w io.Writer, a *Array) error {
	if !a.DType.Valid() {
		return fmt.Errorf("npy: cannot write elements of %v", a.DType)
	}
	if len(a.Shape) > maxDims {
		return fmt.Errorf("npy: cannot write %d dimensions; at most %d are supported", len(a.Shape), maxDims)
	}
	n, err := shapeLen(a.Shape)
	if err != nil {
		return fmt.Errorf("npy: cannot write: %w", err)
	}
	hi, size := bits.Mul64(uint64(n), uint64(a.DType.Size()))
	if hi != 0 || uint64(len(a.Data)) != size {
		return fmt.Errorf("npy: cannot write: %d elements of %s do not take %d bytes", n, a.DType, len(a.Data))
	}
	var h strings.Builder
	order := "False"
	if a.Fortran {
		order = "True"
	}
	fmt.Fprintf(&h, "{'descr': '%s', 'fortran_order': %s, 'shape': (", a.DType.descr(), order)
	for i, d := range a.Shape {
		if i > 0 {
			h.WriteString(", ")
		}
		h.WriteString(strconv.Itoa(d))
	}
	if len(a.Shape) == 1 {
		h.WriteByte(',')
	}
	h.WriteString("), }")
	// NumPy leaves room in the header for the outermost (in Fortran order the
	// innermost) extent to grow to 21 digits, for appending in place.
	if len(a.Shape) > 0 {
		grow := a.Shape[0]
		if a.Fortran {
			grow = a.Shape[len(a.Shape)-1]
		}
		h.WriteString(strings.Repeat(" ", 21-len(strconv.Itoa(grow))))
	}
	// At least one byte of padding: the newline that ends the header. maxDims
	// extents of 19 digits fit version 1.0's 16-bit length many times over.
	const prefix = len(magic) + 2 + 2
	pad := dataAlign - (prefix+h.Len()+1)%dataAlign
	h.WriteString(strings.Repeat(" ", pad))
	h.WriteByte('\n')
	out := append([]byte(magic), 1, 0, byte(h.Len()), byte(h.Len()>>8))
	out = append(out, h.String()...)
	if _, err := w.Write(out); err != nil {
		return fmt.Errorf("npy: writing the header: %w", err)
	}
	data := a.Data
	if a.Fortran {
		data = reorder(nil, data, a.Shape, a.DType.Size(), false)
	}
	if _, err := w.Write(data); err != nil {
		return fmt.Errorf("npy: writing the elements: %w", err)
	}
	return nil
}
