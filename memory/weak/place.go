package weak

import (
	"slices"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/memory"
)

// place is memory that is written in one piece, at most 8 bytes: what C11 calls a memory location. Writes to a
// part of it cut it in two.
type place struct {
	local   bool
	mem     []byte // of the launch; it holds the last message of the history
	history []*message
	parent  *place
	half    int // of the parent
	halves  [2]*place
}

// message is a write, or what memory held before all of them.
type message struct {
	of    *place
	at    int // in of.history; negative for one that has been dropped
	value uint64
	// by is the work-item; nil for what was there at first.
	by *identity
	// glued says that it is of a read-modify-write, which has read the message before it.
	glued    bool
	releases []release
	stamp    int
	halves   [2]*message // of a place that has been cut
}

// identity names a work-item.
type identity struct {
	group          uint64
	subgroup, item int
}

const blockShift = 3 // places do not cross multiples of 8 bytes

// table has the places of some memory by their block. Addresses tell places apart, and nothing else: buffers may
// share memory.
type table map[uintptr][]*place

func addressOf(mem []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }

// end returns the address behind the place.
func (p *place) end() uintptr { return addressOf(p.mem) + uintptr(len(p.mem)) }

// piece is a part of an access: bytes [from, to) of it, which lie in a place, or nowhere that was written.
type piece struct {
	of       *place
	from, to int
}

// find appends the pieces of an access in ascending order.
func (t table) find(list []piece, mem []byte) []piece {
	start := addressOf(mem)
	for at := 0; at < len(mem); {
		a := start + uintptr(at)
		stop := min(len(mem), int((a>>blockShift+1)<<blockShift-start))
		one := piece{nil, at, stop}
		for _, p := range t[a>>blockShift] {
			if q := addressOf(p.mem); a >= q && a < p.end() {
				one = piece{p, at, min(stop, int(p.end()-start))}
				break
			} else if q > a && q < start+uintptr(one.to) {
				one.to = int(q - start)
			}
		}
		list = append(list, one)
		at = one.to
	}
	return list
}

// cover is find for a write: places that are partly covered are cut, and bytes without a place get one. It counts
// those that it makes.
func (t table) cover(list []piece, mem []byte, local bool, made *int) []piece {
	start := addressOf(mem)
	t.cut(start, made)
	t.cut(start+uintptr(len(mem)), made)
	list = t.find(list, mem)
	for i := range list {
		if list[i].of != nil {
			continue
		}
		p := &place{local: local, mem: mem[list[i].from:list[i].to:list[i].to]}
		p.history = []*message{{of: p, value: loadBytes(p.mem)}}
		key := addressOf(p.mem) >> blockShift
		t[key] = append(t[key], p)
		slices.SortFunc(t[key], func(a, b *place) int { return int(addressOf(a.mem)) - int(addressOf(b.mem)) })
		list[i].of = p
		*made++
	}
	return list
}

// cut cuts the place around an address in two there.
func (t table) cut(a uintptr, made *int) {
	block := t[a>>blockShift]
	for i, p := range block {
		start := addressOf(p.mem)
		if a <= start || a >= p.end() {
			continue
		}
		n := int(a - start)
		for h, mem := range [2][]byte{p.mem[:n:n], p.mem[n:]} {
			q := &place{local: p.local, mem: mem, parent: p, half: h}
			for _, m := range p.history {
				half := *m
				half.of = q
				if h == 1 {
					half.value = m.value >> (8 * n)
				} else {
					half.value = m.value & (1<<(8*n) - 1)
				}
				m.halves[h] = &half
				q.history = append(q.history, &half)
			}
			p.halves[h] = q
		}
		t[a>>blockShift] = slices.Replace(block, i, i+1, p.halves[0], p.halves[1])
		*made++
		return
	}
}

// in returns what the message is in a place that has been cut out of its own.
func (m *message) in(p *place) *message {
	if m == nil || m.of == p {
		return m
	}
	if up := m.in(p.parent); up != nil {
		return up.halves[p.half]
	}
	return nil
}

// after returns the later one of two messages of a place; nil is before all.
func after(m, n *message) *message {
	if m == nil || n != nil && n.at > m.at {
		return n
	}
	return m
}

// insert adds a message at a place of the history.
func (p *place) insert(at int, m *message) {
	p.history = slices.Insert(p.history, at, m)
	for i := at; i < len(p.history); i++ {
		p.history[i].at = i
	}
	if at == len(p.history)-1 {
		storeBytes(p.mem, m.value)
	}
}

// forget drops the oldest messages, so that so many are left, and returns how many they were.
func (p *place) forget(most int) int {
	n := len(p.history) - most
	if n <= 0 {
		return 0
	}
	for _, m := range p.history[:n] {
		m.at = -1
	}
	p.history = slices.Delete(p.history, 0, n)
	for i, m := range p.history {
		m.at = i
	}
	p.history[0].glued = false
	return n
}

// loadBytes and storeBytes move up to 8 bytes, the lowest first.
func loadBytes(mem []byte) uint64 {
	p := unsafe.Pointer(unsafe.SliceData(mem))
	switch len(mem) {
	case 4:
		return uint64(memory.Load32(p))
	case 8:
		return memory.Load64(p)
	}
	v := uint64(0)
	for i, b := range mem {
		v |= uint64(b) << (8 * i)
	}
	return v
}

func storeBytes(mem []byte, v uint64) {
	for i := range mem {
		mem[i] = byte(v >> (8 * i))
	}
}
