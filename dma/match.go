package dma

import "math/bits"

// maxApart is how many group copies the work-items of a group may be apart. A
// copy that falls behind further counts as made: who comes to it later gets an
// event that is done.
const maxApart = 1 << 16

// matcher finds out which of the calls by different work-items are one group
// copy: the k-th copy that each of them encounters. Barriers make them even.
type matcher struct {
	items int
	// A work-item has encountered base + count[item] copies.
	base  uint64
	count []uint64
	// open are the copies that not all have encountered, a ring: the copy with
	// number first+i is open[(head+i)%len(open)].
	open  []arrival
	head  int
	n     int
	first uint64
}

// arrival is a copy that some work-items have yet to come to.
type arrival struct {
	event   uint64
	arrived int // work-items
}

func (m *matcher) reset(items int) {
	m.items = max(items, 0)
	m.base, m.head, m.n, m.first = 0, 0, 0, 0
	if cap(m.count) < m.items {
		m.count = make([]uint64, m.items)
	}
	m.count = m.count[:m.items]
	clear(m.count)
}

// arrive counts items in at their next copy. It says whether they are the
// first, who issue it and then call setEvent if the event was 0; otherwise it returns the copy's event,
// or 0 when that is no longer known.
func (m *matcher) arrive(it Items, event uint64) (issue bool, old uint64) {
	k, n, found := uint64(0), 0, false
	for w, word := range it.Mask {
		for ; word != 0; word &= word - 1 {
			i := it.First + w*64 + bits.TrailingZeros64(word)
			if i < 0 || i >= m.items {
				continue
			}
			if !found {
				k, found = m.base+m.count[i], true
			}
			m.count[i] = k + 1 - m.base
			n++
		}
	}
	switch {
	case !found:
		return false, 0
	case k < m.first:
		return false, event
	}
	at := int(k - m.first)
	if at == m.n {
		m.push(arrival{event: event})
		issue = true
		at = m.n - 1
	}
	a := &m.open[(m.head+at)%len(m.open)]
	a.arrived += n
	return issue, a.event
}

// setEvent gives the copy that was issued last its event.
func (m *matcher) setEvent(event uint64) {
	m.open[(m.head+m.n-1)%len(m.open)].event = event
	m.settle()
}

// settle forgets the copies that all have encountered.
func (m *matcher) settle() {
	for m.n > 0 && m.open[m.head].arrived >= m.items {
		m.pop()
	}
}

func (m *matcher) pop() {
	m.head = (m.head + 1) % len(m.open)
	m.n--
	m.first++
}

func (m *matcher) push(a arrival) {
	if m.n == maxApart {
		m.pop()
	}
	if m.n == len(m.open) {
		grown := make([]arrival, max(16, 2*len(m.open)))
		for i := range m.n {
			grown[i] = m.open[(m.head+i)%len(m.open)]
		}
		m.open, m.head = grown, 0
	}
	m.open[(m.head+m.n)%len(m.open)] = a
	m.n++
}
