package dma

// maxApart is how many group copies the work-items of a group may be apart
// between two barriers. A copy that falls behind further counts as made: who
// comes to it later gets an event that is done.
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
	once  arrival // a copy that all have encountered at once
}

// arrival is a copy that some work-items have yet to come to.
type arrival struct {
	event   uint64
	arrived int     // work-items
	rec     *record // with Config.Check
	id      uint64  // of the record, which may have been used again since
}

func (m *matcher) reset(items int) {
	m.items = items
	m.base, m.first = 0, 0
	m.clear()
	if cap(m.count) < m.items {
		m.count = make([]uint64, m.items)
	}
	m.count = m.count[:m.items]
	clear(m.count)
}

func (m *matcher) clear() {
	clear(m.open)
	m.head, m.n = 0, 0
}

// arrive counts items in at their next copy, for which the number of the first
// of them decides. It returns the copy, valid until the next call; fresh says that they are the first to come to
// it. It returns nil for a copy that fell behind, or for no items.
func (m *matcher) arrive(it *Items) (a *arrival, fresh bool) {
	if m.n == 0 && it.all(m.items) {
		// All at once, and all are even: there is nothing to remember.
		m.base++
		m.first++
		m.once = arrival{arrived: m.items}
		return &m.once, true
	}
	k, n, found := uint64(0), 0, false
	it.each(m.items, func(i int) {
		if !found {
			k, found = m.base+m.count[i], true
		}
		m.count[i] = k + 1 - m.base
		n++
	})
	if !found || k < m.first {
		return nil, false
	}
	at := int(k - m.first)
	if at >= m.n {
		if m.n == maxApart {
			m.pop()
		}
		m.push(arrival{})
		at, fresh = m.n-1, true
	}
	a = &m.open[(m.head+at)%len(m.open)]
	a.arrived += n
	for m.n > 0 && m.open[m.head].arrived >= m.items {
		m.pop()
	}
	return a, fresh
}

// barrier makes all even: who has not come to a copy by now never will.
func (m *matcher) barrier() {
	if m.n == 0 {
		return
	}
	m.first += uint64(m.n)
	m.base = m.first
	clear(m.count)
	m.clear()
}

// pop forgets the oldest open copy. What it was stays in its place until
// another one takes that.
func (m *matcher) pop() {
	m.head = (m.head + 1) % len(m.open)
	m.n--
	m.first++
}

func (m *matcher) push(a arrival) {
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
