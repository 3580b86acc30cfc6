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
	starts  []OriginID // see Track
	poison  uint64     // see Poison
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
		l.regions[i] = Region{Data: l.data[pos : pos+s : pos+s], Size: s, shadow: newShadow(s)}
		if room+Alignment*uint64(len(sizes)) <= flatLocalSize {
			l.regions[i].Flat = uint32(flat)
		}
		pos += roundUp(s)
		flat += roundUp(s) + Alignment
	}
	return l, nil
}

func roundUp(n uint64) uint64 { return (n + Alignment - 1) &^ (Alignment - 1) }

// Reset makes all contents what they are at the start of a work-group: zero, or poison, and undefined where somebody
// wants to know.
func (l *Local) Reset() {
	if l.poison == 0 {
		clear(l.data)
	} else {
		Poison(l.data, l.poison)
	}
	for i, id := range l.starts {
		l.regions[i].shadow.Reset(id != 0, id)
	}
}

// Track makes the contents undefined from the next [Local.Reset] on: those of an allocation come from its origin,
// and 0 is for one that counts as defined. Without origins all are defined.
func (l *Local) Track(origins []OriginID) {
	for i := range l.starts {
		l.regions[i].shadow.Reset(false, 0)
	}
	l.starts = origins[:min(len(origins), len(l.regions))]
}

// Poison makes the contents a pattern of that seed from the next [Local.Reset] on; 0 makes them zero.
func (l *Local) Poison(seed uint64) { l.poison = seed }

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
