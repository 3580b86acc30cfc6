package scheduler

import "sync/atomic"

// share is a range of positions that belong to one worker first: positions beside each other most often have memory beside each other, which
// caches and what fetches ahead have at hand. Who has done with its own share takes batches of the others'.
type share struct {
	next atomic.Uint64
	end  uint64
	_    [6]uint64 // on a cache line of its own
}

// The last batches of a share are smaller, down to this part of the others, so that workers end together.
const leastPart = 8

// divide cuts the schedule into shares for n workers. Where the positions that have been begun have to be the first ones, there is one share for
// all: output is put together in order then, or groups may wait for what those before them do.
func (s *launch) divide(n int) {
	if s.ordered || s.runner.spins {
		n = 1
	}
	if s.shares = s.whole[:]; n > 1 {
		s.shares = make([]share, n)
	}
	first, rest := s.positions.first, s.positions.end-s.positions.first
	for i := range s.shares {
		size := rest / uint64(n-i)
		s.shares[i].next.Store(first)
		first, rest = first+size, rest-size
		s.shares[i].end = first
	}
}

// take returns the positions of a batch for worker i, up to end: of its own share while that has any. There are none if both are the same.
// Batches behind the first fault are left alone.
func (s *launch) take(i int) (first, end uint64) {
	for j := range s.shares {
		part := &s.shares[(i+j)%len(s.shares)]
		for {
			first := part.next.Load()
			if first >= part.end || first > s.halt.last() {
				break
			}
			left := part.end - first
			n := s.batch
			if len(s.shares) > 1 {
				n = max(min(left/4, n), n/leastPart, 1)
			}
			n = min(left, n)
			if part.next.CompareAndSwap(first, first+n) {
				return first, first + n
			}
		}
	}
	return 0, 0
}
