package binary

import (
	"encoding/binary"
	"math/bits"
)

// writer collects the bytes of a section, and the strings of all of them.
type writer struct {
	out     []byte
	strings map[string]uint64 // the number of each string, from 1
	list    []string
}

func newWriter() *writer { return &writer{strings: map[string]uint64{"": 0}} }

func (w *writer) byte(b byte)   { w.out = append(w.out, b) }
func (w *writer) uint(v uint64) { w.out = binary.AppendUvarint(w.out, v) }
func (w *writer) int(v int64)   { w.out = binary.AppendVarint(w.out, v) }

// string writes the number of a string in the table; 0 is the empty one.
func (w *writer) string(s string) {
	n, ok := w.strings[s]
	if !ok {
		w.list = append(w.list, s)
		n = uint64(len(w.list))
		w.strings[s] = n
	}
	w.uint(n)
}

// table returns the section of strings: their number, their lengths, and all
// of them one behind the other.
func (w *writer) table() []byte {
	w.out = nil
	w.uint(uint64(len(w.list)))
	for _, s := range w.list {
		w.uint(uint64(len(s)))
	}
	for _, s := range w.list {
		w.out = append(w.out, s...)
	}
	return w.out
}

// reader reads a section. The first error stays, and what is read after it is
// zero.
type reader struct {
	data     []byte
	pos, end int // of the section, in data
	strings  []string
	err      error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = damaged(r.pos, format, args...)
		r.pos = r.end
	}
}

// section begins the section that has to follow.
func (r *reader) section(tag string) error {
	at := r.pos
	if len(r.data)-at < sectionHead {
		return damaged(at, "section %s is missing", tag)
	}
	if got := string(r.data[at : at+4]); got != tag {
		return damaged(at, "section %q, not %q", got, tag)
	}
	size := binary.LittleEndian.Uint64(r.data[at+4:])
	r.pos = at + sectionHead
	if size > uint64(len(r.data)-r.pos) {
		return damaged(at, "section %s of %d bytes, but %d follow", tag, size, len(r.data)-r.pos)
	}
	r.end = r.pos + int(size)
	return nil
}

func (r *reader) byte() byte {
	if r.pos >= r.end {
		r.fail("the section ends in a number")
		return 0
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

func (r *reader) uint() uint64 {
	if r.pos < r.end && r.data[r.pos] < 0x80 {
		r.pos++
		return uint64(r.data[r.pos-1])
	}
	v, n := binary.Uvarint(r.data[r.pos:r.end])
	if n <= 0 {
		r.fail("not a number")
		return 0
	}
	r.pos += n
	return v
}

func (r *reader) int() int64 {
	v := r.uint()
	return int64(v>>1) ^ -int64(v&1)
}

// uint32 reads a number of 32 bits.
func (r *reader) uint32() uint32 {
	v := r.uint()
	if v>>32 != 0 {
		r.fail("%d does not fit in 32 bits", v)
	}
	return uint32(v)
}

// int32 reads a signed number of 32 bits.
func (r *reader) int32() int32 {
	v := r.int()
	if int64(int32(v)) != v {
		r.fail("%d does not fit in 32 bits", v)
	}
	return int32(v)
}

// length reads the number of elements of a slice, each of which takes least
// bytes or more; what is not there is not promised.
func (r *reader) length(least int) int {
	n := r.uint()
	hi, need := bits.Mul64(n, uint64(least))
	if hi != 0 || need > uint64(r.end-r.pos) {
		r.fail("%d elements in the remaining %d bytes", n, r.end-r.pos)
		return 0
	}
	return int(n)
}

func (r *reader) string() string {
	n := r.uint()
	if n > uint64(len(r.strings)) {
		r.fail("string %d of %d", n, len(r.strings))
		return ""
	}
	if n == 0 {
		return ""
	}
	return r.strings[n-1]
}

// table reads the section of strings.
func (r *reader) table() {
	n := r.length(1)
	lengths := make([]int, n)
	total := 0
	for i := range lengths {
		lengths[i] = r.length(1)
		total += lengths[i]
		if total > r.end-r.pos {
			r.fail("strings of %d bytes in the remaining %d", total, r.end-r.pos)
		}
		if r.err != nil {
			return
		}
	}
	// One allocation holds all of them.
	text := string(r.data[r.pos : r.pos+total])
	r.pos += total
	r.strings = make([]string, n)
	for i, l := range lengths {
		r.strings[i], text = text[:l], text[l:]
	}
}
