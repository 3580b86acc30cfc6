package site

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/xz"
)

// Sections of a program in WebAssembly.
const (
	wasmMagic   = "\x00asm\x01\x00\x00\x00"
	dataSection = 11
)

// farSegments is how many zeros between two segments of data keep them apart.
const farSegments = 1 << 16

// compress returns a program compressed. Code and data are blocks of their own, which are compressed at the same time,
// each with the parameters that are best for it: instructions have any place and any length, and data are mostly numbers
// of four and eight bytes.
//
// Go's linker splits data wherever it finds eight zeros, into up to 100000 segments. Their heads are hard to compress,
// and zeros are not, so segments are joined; memory is zero before a program begins.
func compress(wasm []byte) ([]byte, error) {
	code, data, err := split(wasm)
	if err != nil {
		return nil, fmt.Errorf("the Go toolchain has built an unknown kind of program: %w", err)
	}
	return xz.Encode(xz.Block{Data: code, LC: 4, LP: 0, PB: 0}, xz.Block{Data: data, LC: 1, LP: 3, PB: 3})
}

// split returns a program in two parts, the second of which begins with the section of data, with its segments joined.
func split(wasm []byte) (code, data []byte, err error) {
	if len(wasm) < len(wasmMagic) || string(wasm[:len(wasmMagic)]) != wasmMagic {
		return nil, nil, errors.New("it does not begin like one")
	}
	rest := wasm[len(wasmMagic):]
	for len(rest) > 0 {
		id, begin := rest[0], len(wasm)-len(rest)
		r := &wasmReader{rest: rest[1:]}
		body := r.bytes(r.number())
		if r.failed {
			return nil, nil, errors.New("a section is cut off")
		}
		rest = r.rest
		if id != dataSection {
			continue
		}
		joined, err := join(body)
		if err != nil {
			return nil, nil, err
		}
		data = binary.AppendUvarint([]byte{dataSection}, uint64(len(joined)))
		data = append(append(data, joined...), rest...)
		return wasm[:begin:begin], data, nil
	}
	return wasm, nil, nil
}

// segment is bytes at an address.
type segment struct {
	at   uint64
	data []byte
}

// join returns a section of data with segments joined that are near.
func join(section []byte) ([]byte, error) {
	r := &wasmReader{rest: section}
	var list []segment
	for n := r.number(); n > 0 && !r.failed; n-- {
		// A segment has a kind (0: it is put to an address of the memory), the address, and its bytes.
		kind, op := r.number(), r.byte()
		at, end := r.address(), r.byte()
		if kind != 0 || op != 0x41 || end != 0x0B {
			return nil, errors.New("data that are not put to a fixed address")
		}
		list = append(list, segment{at, r.bytes(r.number())})
	}
	if r.failed || len(r.rest) > 0 {
		return nil, errors.New("the section of data is wrong")
	}
	slices.SortStableFunc(list, func(a, b segment) int { return cmp.Compare(a.at, b.at) })
	var joined []segment
	for _, s := range list {
		if n := len(joined); n > 0 {
			last := &joined[n-1]
			behind := last.at + uint64(len(last.data))
			if s.at < behind {
				return nil, errors.New("data are put over data")
			}
			if gap := s.at - behind; gap < farSegments {
				last.data = append(append(last.data, make([]byte, gap)...), s.data...)
				continue
			}
		}
		joined = append(joined, segment{s.at, slices.Clone(s.data)})
	}
	out := binary.AppendUvarint(nil, uint64(len(joined)))
	for _, s := range joined {
		out = appendAddress(append(out, 0, 0x41), s.at)
		out = binary.AppendUvarint(append(out, 0x0B), uint64(len(s.data)))
		out = append(out, s.data...)
	}
	return out, nil
}

// appendAddress appends a number as i32.const has it, in LEB128 with a sign.
func appendAddress(out []byte, v uint64) []byte {
	n := int64(int32(uint32(v)))
	for {
		b := byte(n & 0x7F)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// wasmReader reads parts of a program. Behind its end, everything is 0 and failed is true.
type wasmReader struct {
	rest   []byte
	failed bool
}

func (r *wasmReader) byte() byte {
	b := r.bytes(1)
	if r.failed {
		return 0
	}
	return b[0]
}

func (r *wasmReader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.failed = true
	}
	if r.failed {
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

// number reads a number in LEB128.
func (r *wasmReader) number() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.failed = true
		return 0
	}
	r.bytes(uint64(n))
	return v
}

// address reads a number of 32 bits in LEB128 with a sign, as i32.const has it.
func (r *wasmReader) address() uint64 {
	v := int64(0)
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7F) << shift
		if b&0x80 == 0 {
			return uint64(uint32(v << (57 - shift) >> (57 - shift)))
		}
	}
	r.failed = true
	return 0
}
