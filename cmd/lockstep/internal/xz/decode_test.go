package xz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// This file is a decoder as simple as it can be, which shares no code with the encoder.

var errCut = errors.New("cut off")

// reader reads the parts of a file. Behind its end it panics with errCut, which decode turns into an error.
type reader struct{ rest []byte }

func (r *reader) take(n int) []byte {
	if n > len(r.rest) {
		panic(errCut)
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) number() int {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > 1<<40 {
		panic(errCut)
	}
	r.take(n)
	return int(v)
}

// decode decodes a file with blocks that have both sizes.
func decode(file []byte) (out []byte, err error) {
	defer func() {
		if e, ok := recover().(error); ok {
			err = e
		}
	}()
	r := &reader{file}
	if head := r.take(12); string(head[:8]) != "\xFD7zXZ\x00\x00\x01" || crc32.ChecksumIEEE(head[6:8]) != binary.LittleEndian.Uint32(head[8:]) {
		return nil, errors.New("wrong head")
	}
	index := []byte{0, 0}
	for r.rest[0] != 0 {
		begin := r.rest
		h := r.take(4 * (1 + int(begin[0])))
		if crc32.ChecksumIEEE(h[:len(h)-4]) != binary.LittleEndian.Uint32(h[len(h)-4:]) || h[1] != 0xC0 {
			return nil, errors.New("wrong head of a block")
		}
		f := &reader{h[2 : len(h)-4]}
		packed, size := f.number(), f.number()
		data, err := chunksOf(r.take(packed), size)
		if err != nil {
			return nil, err
		}
		index[1]++
		index = binary.AppendUvarint(index, uint64(len(begin)-len(r.rest)+4))
		index = binary.AppendUvarint(index, uint64(size))
		if len(bytes.Trim(r.take((4-packed%4)%4), "\x00")) > 0 {
			return nil, errors.New("wrong padding")
		}
		if crc32.ChecksumIEEE(data) != binary.LittleEndian.Uint32(r.take(4)) {
			return nil, errors.New("wrong checksum")
		}
		out = append(out, data...)
	}
	index = pad(index)
	if got := r.take(len(index)); string(got) != string(index) {
		return nil, errors.New("wrong index")
	}
	if crc32.ChecksumIEEE(index) != binary.LittleEndian.Uint32(r.take(4)) {
		return nil, errors.New("wrong checksum of the index")
	}
	end := r.take(12)
	if crc32.ChecksumIEEE(end[4:10]) != binary.LittleEndian.Uint32(end) || int(binary.LittleEndian.Uint32(end[4:])) != len(index)/4 || string(end[8:]) != "\x00\x01YZ" || len(r.rest) > 0 {
		return nil, errors.New("wrong end")
	}
	return out, nil
}

// decoder decodes LZMA.
type decoder struct {
	out         []byte
	in          *reader
	code, width uint32
	lc, lp, pb  int
	state       int
	reps        [4]int
	probs       map[string]int // by names of what they decide
}

func chunksOf(data []byte, size int) ([]byte, error) {
	r := &reader{data}
	d := &decoder{}
	for {
		control := r.take(1)[0]
		if control == 0 {
			break
		}
		if control < 0x80 || len(d.out) == 0 != (control >= 0xE0) {
			return nil, fmt.Errorf("chunk %#x", control)
		}
		h := r.take(4)
		end := len(d.out) + int(control&31)<<16 + int(h[0])<<8 + int(h[1]) + 1
		if control >= 0xE0 {
			p := int(r.take(1)[0])
			d.lc, d.lp, d.pb, d.probs = p%9, p/9%5, p/45, map[string]int{}
		}
		d.in = &reader{r.take(int(h[2])<<8 + int(h[3]) + 1)}
		if d.in.take(1)[0] != 0 {
			return nil, errors.New("wrong begin of a chunk")
		}
		d.code, d.width = binary.BigEndian.Uint32(d.in.take(4)), 0xFFFFFFFF
		for len(d.out) < end {
			if err := d.symbol(); err != nil {
				return nil, err
			}
		}
		d.widen()
		if len(d.out) != end || d.code != 0 || len(d.in.rest) > 0 {
			return nil, errors.New("wrong end of a chunk")
		}
	}
	if len(d.out) != size || len(r.rest) > 0 {
		return nil, errors.New("wrong size")
	}
	return d.out, nil
}

func (d *decoder) widen() {
	if d.width < 1<<24 {
		d.width <<= 8
		d.code = d.code<<8 | uint32(d.in.take(1)[0])
	}
}

func (d *decoder) bit(name string, at ...int) int {
	name = fmt.Sprint(name, at)
	p, ok := d.probs[name]
	if !ok {
		p = 1024
	}
	d.widen()
	bound := d.width >> 11 * uint32(p)
	if d.code < bound {
		d.width = bound
		d.probs[name] = p + (2048-p)>>5
		return 0
	}
	d.code, d.width = d.code-bound, d.width-bound
	d.probs[name] = p - p>>5
	return 1
}

func (d *decoder) tree(bits int, name string, at int) int {
	m := 1
	for range bits {
		m = 2*m + d.bit(name, at, m)
	}
	return m - 1<<bits
}

func (d *decoder) reverse(bits int, name string, at int) (n int) {
	m := 1
	for i := range bits {
		bit := d.bit(name, at, m)
		m, n = 2*m+bit, n|bit<<i
	}
	return n
}

func (d *decoder) length(name string, place int) int {
	switch {
	case d.bit(name+" not low") == 0:
		return 2 + d.tree(3, name+" low", place)
	case d.bit(name+" high") == 0:
		return 10 + d.tree(3, name+" middle", place)
	}
	return 18 + d.tree(8, name+" high", 0)
}

func (d *decoder) distance(length int) int {
	slot := d.tree(6, "slot", min(length, 5))
	if slot < 4 {
		return slot
	}
	bits := slot/2 - 1
	if slot < 14 {
		return (2|slot&1)<<bits + d.reverse(bits, "special", slot)
	}
	high := 2 | slot&1
	for range bits - 4 {
		d.widen()
		d.width >>= 1
		high <<= 1
		if d.code >= d.width {
			d.code -= d.width
			high++
		}
	}
	return high<<4 + d.reverse(4, "align", 0)
}

func (d *decoder) literal() {
	at, before := len(d.out), 0
	if at > 0 {
		before = int(d.out[at-1])
	}
	context := at&(1<<d.lp-1)<<d.lc | before>>(8-d.lc)
	m, matched := 1, d.state >= 7
	for i := 7; i >= 0; i-- {
		if !matched {
			m = 2*m + d.bit("literal", context, m)
			continue
		}
		guess := int(d.out[at-1-d.reps[0]]) >> i & 1
		bit := d.bit("literal", context, m, guess)
		m, matched = 2*m+bit, bit == guess
	}
	d.out = append(d.out, byte(m))
	d.state = [...]int{0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 4, 5}[d.state]
}

func (d *decoder) symbol() error {
	place, late := len(d.out)&(1<<d.pb-1), 0
	if d.state >= 7 {
		late = 1
	}
	length := 1
	switch {
	case d.bit("match", d.state, place) == 0:
		d.literal()
		return nil
	case d.bit("rep", d.state) == 0:
		length = d.length("match", place)
		d.reps = [4]int{d.distance(length), d.reps[0], d.reps[1], d.reps[2]}
		d.state = 7 + 3*late
	default:
		i := 0
		if d.bit("rep0", d.state) == 1 {
			if i = 1; d.bit("rep1", d.state) == 1 {
				i = 2 + d.bit("rep2", d.state)
			}
		} else if d.bit("long", d.state, place) == 0 {
			d.state = 9 + 2*late
			return d.repeat(1)
		}
		rep := d.reps[i]
		copy(d.reps[1:i+1], d.reps[:i])
		d.reps[0] = rep
		length = d.length("again", place)
		d.state = 8 + 3*late
	}
	return d.repeat(length)
}

func (d *decoder) repeat(length int) error {
	if d.reps[0] >= len(d.out) {
		return errors.New("a match before the beginning")
	}
	for range length {
		d.out = append(d.out, d.out[len(d.out)-1-d.reps[0]])
	}
	return nil
}
