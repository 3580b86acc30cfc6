package scheduler

import (
	"io"
	"sync"
)

// DefaultMaxOutput is the number of bytes of printf output that are kept.
const DefaultMaxOutput = 16 << 20

// maxPending is how many batches may be finished ahead of the one that comes next.
const maxPending = 4096

// sink puts printf output together in the order of the schedule. Workers hand
// in whole batches, in whatever order they finish them.
type sink struct {
	mu   sync.Mutex
	room sync.Cond // the next batch was written

	w       io.Writer // nil collects in buf
	buf     []byte
	max     uint64
	written uint64
	dropped uint64
	err     error // of w

	next    uint64 // batch that may be written
	pending map[uint64]batch
	held    uint64 // bytes in pending
	closed  bool   // the last batch was written
}

// batch is the output of a batch of work-groups.
type batch struct {
	out     []byte
	dropped uint64 // bytes that were not kept
	last    bool   // a fault in it has ended the launch
}

func (s *sink) init(w io.Writer, limit uint64) {
	s.w, s.max = w, limit
	if limit == 0 {
		s.max = DefaultMaxOutput
	}
	s.room.L = &s.mu
}

// write puts p at the end. The caller is the only one to write, or holds mu.
func (s *sink) write(p []byte) {
	if keep := s.max - s.written; uint64(len(p)) > keep {
		s.dropped += uint64(len(p)) - keep
		p = p[:keep]
	}
	s.written += uint64(len(p))
	switch {
	case len(p) == 0 || s.err != nil:
	case s.w == nil:
		s.buf = append(s.buf, p...)
	default:
		_, s.err = s.w.Write(p)
	}
}

// commit hands in the output of the batch with a number, and returns a slice that the
// worker may use for the next; ok is false when output has failed. Output of batches
// behind the last one is thrown away. A worker that is far ahead of the
// one whose batch comes next waits here, so that what is held stays bounded.
func (s *sink) commit(number uint64, b batch) (next []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for number != s.next && (s.held > s.max || len(s.pending) >= maxPending) && s.err == nil && !s.closed {
		s.room.Wait()
	}
	if s.closed {
		return b.out[:0], s.err == nil
	}
	if number != s.next {
		if s.pending == nil {
			s.pending = make(map[uint64]batch)
		}
		s.pending[number] = b
		s.held += uint64(len(b.out))
		return nil, s.err == nil
	}
	next = b.out[:0]
	for ok = true; ok && !s.closed; s.held -= uint64(len(b.out)) {
		s.dropped += b.dropped
		s.write(b.out)
		s.closed = b.last
		s.next++
		b, ok = s.pending[s.next]
		delete(s.pending, s.next)
	}
	s.room.Broadcast()
	return next, s.err == nil
}

// fail stops all output, and nobody waits any more.
func (s *sink) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.room.Broadcast()
}
