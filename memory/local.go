package memory

import "fmt"

// Local is the LDS of one work-group: a fixed list of allocations in one piece
// of storage. It starts as zero and is zero again after [Local.Reset], so that
// a kernel which reads LDS before it writes it does the same thing on every
// run; OpenCL leaves such contents undefined. A Local belongs to one goroutine
// at a time.
type Local struct {
	data    []byte
	regions []Region
}

// NewLocal returns LDS with one allocation for each of the sizes (in bytes);
// allocation n of a pointer is sizes[n-1]. The error is a [*LimitError] when
// they take more than limit bytes together, or wraps [ErrTooMany].
func NewLocal(sizes []uint64, limit uint64) (*Local, error) {
	if len(sizes) > MaxAllocs {
		return nil, fmt.Errorf("LDS with %d allocations: %w", len(sizes), ErrTooMany)
	}
	limit = min(limit, MaxSize)
	var total uint64
	for i, s := range sizes {
		// Each allocation starts on a multiple of Alignment; the padding is
		// storage of the host and not charged to the kernel.
		if s > limit || total > limit-s {
			return nil, &LimitError{Name: fmt.Sprintf("local memory %d", i), Size: s, Used: total, Limit: limit}
		}
		total += s
	}
	var room uint64
	for _, s := range sizes {
		room += roundUp(s)
	}
	l := &Local{regions: make([]Region, len(sizes))}
	if HostHas(room) {
		l.data = AlignedBytes(room)
	}
	if l.data == nil {
		return nil, &LimitError{Name: "local memory", Size: room, Limit: limit, Host: true}
	}
	pos, flat := uint64(0), uint64(flatLocal)
	for i, s := range sizes {
		l.regions[i] = Region{Data: l.data[pos : pos+s : pos+s], Size: s}
		if room+Alignment*uint64(len(sizes)) <= flatLocalSize {
			l.regions[i].Flat = uint32(flat)
		}
		pos += roundUp(s)
		flat += roundUp(s) + Alignment
	}
	return l, nil
}

func roundUp(n uint64) uint64 { return (n + Alignment - 1) &^ (Alignment - 1) }

// Reset makes all contents zero, for the next work-group.
func (l *Local) Reset() { clear(l.data) }

// Bytes returns all of the storage, a multiple of [Alignment]. A nil Local has none.
func (l *Local) Bytes() []byte {
	if l == nil {
		return nil
	}
	return l.data
}

// Lookup returns allocation number n, or nil. A nil Local has none.
func (l *Local) Lookup(n uint32) *Region {
	if l == nil || n == 0 || int(n) > len(l.regions) {
		return nil
	}
	return &l.regions[n-1]
}

// Size returns the bytes of storage that the LDS takes on the host.
func (l *Local) Size() uint64 { return uint64(len(l.data)) }
