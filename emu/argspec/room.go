package argspec

import (
	"errors"
	"io"
	"io/fs"
	"math"

	"github.com/lockstep-gpu/lockstep/memory"
)

// reserve asks whether the argument may hold n more bytes beside those that it holds.
func (p *parser) reserve(n uint64) error {
	if p.room == nil {
		p.held += n
		return nil
	}
	if p.held+n < n {
		n = 1<<63 - p.held
	}
	if err := p.room(p.held + n); err != nil {
		return err
	}
	p.held += n
	return nil
}

// alloc makes n zero bytes for the data of a buffer, which a device can take over as they are.
func (p *parser) alloc(n int64, at int) ([]byte, error) {
	err := p.reserve(uint64(n))
	if err == nil {
		if data := memory.AlignedBytes(uint64(n)); data != nil {
			return data, nil
		}
		err = errors.New("more bytes than the host can address")
	}
	return nil, &Error{Spec: p.spec, Column: at + 1, Msg: err.Error(), Err: err}
}

// grow appends n zero bytes.
func (p *parser) grow(data []byte, n, at int) ([]byte, error) {
	need := len(data) + n
	if need <= cap(data) {
		return data[:need], nil
	}
	old := data
	data, err := p.alloc(max(int64(need), 2*int64(cap(old)), 64), at)
	if err != nil {
		if data, err = p.alloc(int64(need), at); err != nil {
			return nil, err
		}
	}
	copy(data, old)
	p.held -= min(p.held, uint64(cap(old)))
	return data[:need], nil
}

// fileSize is the size of a plain file, or -1 where f is none or does not say.
func fileSize(f io.Reader) int64 {
	s, ok := f.(interface{ Stat() (fs.FileInfo, error) })
	if !ok {
		return -1
	}
	info, err := s.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return -1
	}
	return info.Size()
}

// readAll reads a file to its end, or most bytes of it. Without its size, the bytes are copied as they become
// more, and both copies count.
func (p *parser) readAll(f io.Reader, size, most int64, at int) ([]byte, error) {
	first := int64(64 << 10)
	if size >= 0 {
		first = size
	}
	first = min(first, most)
	data, err := p.alloc(first, at)
	if err != nil {
		return nil, err
	}
	n := 0
	for int64(n) < most {
		if n == len(data) {
			var b [1]byte // a file of known size is at its end here
			if _, err := io.ReadFull(f, b[:]); err == io.EOF {
				break
			} else if err != nil {
				return nil, err
			}
			if data, err = p.grow(data, 1, at); err != nil {
				return nil, err
			}
			data[n] = b[0]
			n++
			data = data[:min(int64(cap(data)), most)]
			continue
		}
		got, err := f.Read(data[n:])
		n += got
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return data[:n:n], nil
}

// npyBytes makes the bytes of an array. Of a file that is too short for the array, which the reader of the
// file reports, it takes no more than the file is long.
func (p *parser) npyBytes(f io.Reader, at int) func(n int64) ([]byte, error) {
	size := fileSize(f)
	return func(n int64) ([]byte, error) {
		if size >= 0 && n > size {
			return nil, nil
		}
		return p.alloc(n, at)
	}
}

// most is one byte more than the argument may have, so that a file that is too large is seen to be.
func (p *parser) most() int64 { return min(p.max, math.MaxInt64-1) + 1 }
