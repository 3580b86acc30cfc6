package weak

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/memory"
)

// late is a load that is performed later than its instruction.
type late struct {
	g     *Group
	t     *thread
	a     Access
	local bool
	pc    int
	at    memory.Pointer
	mem   []byte
	bound *frozen // what its work-item had seen at the instruction

	done  bool
	value uint64
	read  []*message
}

func (l *late) sees(m *message) seen {
	if l.a.Atomic {
		return seen{m, m}
	}
	return seen{any: m}
}

func overlap(a, b []byte) bool {
	x, y := addressOf(a), addressOf(b)
	return x < y+uintptr(len(b)) && y < x+uintptr(len(a))
}

// ready performs the late loads that must be before work-items access memory.
func (g *Group) ready(items []int, a *Access, mem []byte) {
	for _, i := range items {
		t := &g.threads[i]
		if a.seqCst() {
			g.settleAll(t)
		}
		if len(t.view.late) == 0 {
			continue
		}
		for _, l := range t.view.late {
			if overlap(l.mem, mem) {
				l.perform(l.t != t)
			}
		}
		t.view.perform()
	}
}

// Load returns what work-items read by one load from mem, the same for all of them. An access has at most 8 bytes.
func (g *Group) Load(items []int, a *Access, mem []byte) uint64 {
	g.ready(items, a, mem)
	g.m.scratch = g.table(a.Local).find(g.m.scratch[:0], mem)
	v := uint64(0)
	for _, one := range g.m.scratch {
		if one.of == nil {
			v |= loadBytes(mem[one.from:one.to]) << (8 * one.from)
			continue
		}
		low := 0
		for _, i := range items {
			low = max(low, g.low(&g.threads[i], a, one.of))
		}
		x := g.choose(g.thread(items), a, one.of, low)
		for _, i := range items {
			t := &g.threads[i]
			t.note(a, x)
			g.take(t, a, x)
		}
		v |= x.part(mem, one) << (8 * one.from)
	}
	return v
}

// thread returns the only one of the work-items, or nil.
func (g *Group) thread(items []int) *thread {
	if len(items) == 1 {
		return &g.threads[items[0]]
	}
	return nil
}

// part returns the bytes of a message that an access to mem has in a piece.
func (x *message) part(mem []byte, one piece) uint64 {
	from := addressOf(mem) + uintptr(one.from) - addressOf(x.of.mem)
	v, n := x.value>>(8*from), one.to-one.from
	if n < 8 {
		v &= 1<<(8*n) - 1
	}
	return v
}

// low returns the place in the history before which a work-item reads nothing.
func (g *Group) low(t *thread, a *Access, p *place) int {
	s := t.view.at(p)
	m := s.any
	if !a.Atomic {
		m = s.plain
	}
	if a.seqCst() {
		m = after(m, g.shared(a.Local).at(p).any)
	}
	if m == nil {
		return 0
	}
	return max(m.at, 0)
}

// choose chooses the message that a load reads.
func (g *Group) choose(t *thread, a *Access, p *place, low int) *message {
	m, h := g.m, p.history
	low = m.first(h, t.impatient(p, low))
	x := h[len(h)-1-m.pick(ReadFrom, len(h)-low)]
	if m.fair {
		t.reads(x)
	}
	return x
}

// impatient moves the first message that a work-item may read on, where it has read it often enough.
func (t *thread) impatient(p *place, low int) int {
	if t == nil {
		return low
	}
	if r := t.repeats[p]; r.n >= maxRepeats && r.m.at >= low {
		return min(r.m.at+1, len(p.history)-1)
	}
	return low
}

// reads counts what a work-item reads.
func (t *thread) reads(x *message) {
	if t == nil {
		return
	}
	if t.repeats == nil {
		t.repeats = map[*place]repeat{}
	}
	r := repeat{x, 1}
	if old := t.repeats[x.of]; old.m == x {
		r.n += old.n
	}
	t.repeats[x.of] = r
}

// note moves the view of a work-item to a message that it has read.
func (t *thread) note(a *Access, x *message) {
	s := seen{any: x}
	if a.Atomic {
		s.plain = x
	}
	if have := t.view.at(x.of); have.with(s) != have {
		t.view.raise(x.of, s)
	}
}

// Store writes to mem.
func (g *Group) Store(item int, a *Access, mem []byte, v uint64) {
	g.ready([]int{item}, a, mem)
	pieces := g.cover(a, mem)
	if pieces == nil {
		storeBytes(mem, v)
		return
	}
	t := &g.threads[item]
	for _, one := range pieces {
		part := v >> (8 * one.from)
		if n := one.to - one.from; n < 8 {
			part &= 1<<(8*n) - 1
		}
		g.write(t, a, one.of, part, nil)
	}
}

// cover returns the places of a write; nil when there is no room for more of them.
func (g *Group) cover(a *Access, mem []byte) []piece {
	m, made := g.m, &g.m.places
	if a.Local {
		made = &g.places
	}
	if *made >= maxPlaces {
		m.scratch = g.table(a.Local).find(m.scratch[:0], mem)
		if slices.ContainsFunc(m.scratch, func(one piece) bool { return one.of == nil }) {
			m.full = true
			return nil
		}
	}
	m.scratch = g.table(a.Local).cover(m.scratch[:0], mem, a.Local, made)
	return m.scratch
}

// write adds a message: directly behind one, or where the choices say.
func (g *Group) write(t *thread, a *Access, p *place, v uint64, behind *message) {
	m, h := g.m, p.history
	at := len(h)
	if behind != nil {
		at = behind.at + 1
	} else {
		low := -1
		if s := t.view.at(p); s.any != nil {
			low = s.any.at
		}
		if a.seqCst() {
			if s := g.shared(a.Local).at(p); s.any != nil {
				low = max(low, s.any.at)
			}
		}
		low = m.first(h, max(low, 0))
		var room [maxHistory]int
		open := append(room[:0], at)
		for i := len(h) - 1; i > low; i-- {
			if !h[i].glued {
				open = append(open, i)
			}
		}
		at = open[m.pick(PlaceAt, len(open))]
	}
	x := &message{of: p, value: v, by: t.id, glued: behind != nil, stamp: m.choices.Stamp()}
	p.insert(at, x)
	t.view.raise(p, seen{x, x})
	if a.seqCst() {
		g.shared(a.Local).raise(p, seen{x, x})
	}
	if a.Atomic {
		g.leave(t, a, x)
	}
	if m.fair {
		most := maxHistory
		if !a.Local {
			if m.kept++; m.kept > maxMessages {
				most = 2
			}
		}
		if n := p.forget(most); !a.Local {
			m.kept -= n
		}
	}
}

// Update is a read-modify-write of mem in one step: change returns what memory holds afterwards, and false where
// it is left alone. It returns what memory held before.
func (g *Group) Update(item int, a *Access, mem []byte, change func(old uint64) (uint64, bool)) uint64 {
	g.ready([]int{item}, a, mem)
	pieces := g.cover(a, mem)
	t := &g.threads[item]
	switch {
	case pieces == nil:
		old := loadBytes(mem)
		if v, ok := change(old); ok {
			storeBytes(mem, v)
		}
		return old
	case len(pieces) > 1:
		return g.updateParts(t, a, pieces, change)
	}
	p := pieces[0].of
	h := p.history
	low := g.m.first(h, t.impatient(p, g.low(t, a, p)))
	var room [maxHistory]*message
	open := room[:0]
	for i := len(h) - 1; i >= low; i-- {
		if _, writes := change(h[i].value); !writes || i == len(h)-1 || !h[i+1].glued {
			open = append(open, h[i])
		}
	}
	x := open[g.m.pick(ReadFrom, len(open))]
	v, writes := change(x.value)
	t.note(a, x)
	g.take(t, a, x)
	switch {
	case writes:
		g.write(t, a, p, v, x)
	case g.m.fair:
		t.reads(x)
	}
	return x.value
}

// updateParts is Update of bytes that were written by accesses of other sizes: it works on the last messages.
func (g *Group) updateParts(t *thread, a *Access, pieces []piece, change func(old uint64) (uint64, bool)) uint64 {
	old := uint64(0)
	for _, one := range pieces {
		x := one.of.history[len(one.of.history)-1]
		t.note(a, x)
		g.take(t, a, x)
		old |= x.value << (8 * one.from)
	}
	v, writes := change(old)
	for _, one := range pieces {
		if !writes {
			break
		}
		part := v >> (8 * one.from)
		if n := one.to - one.from; n < 8 {
			part &= 1<<(8*n) - 1
		}
		g.write(t, a, one.of, part, one.of.history[len(one.of.history)-1])
	}
	return old
}

// Defer asks the choices whether a load by a work-item, the instruction at pc, is performed late, and says so. The
// caller asks [Group.Settle] for its value then, before anything needs it.
func (g *Group) Defer(item, pc int, a *Access, p memory.Pointer, mem []byte) bool {
	if a.Atomic && a.order()&(isa.OrderAcquire|isa.OrderSeqCst) != 0 || g.m.pick(PutOff, 2) == 0 {
		return false
	}
	g.ready([]int{item}, a, mem)
	t := &g.threads[item]
	l := &late{g: g, t: t, a: *a, local: a.Local, pc: pc, at: p, mem: mem, bound: t.view.freeze()}
	t.view.await(l)
	if t.late == nil {
		t.late = map[int]*late{}
	}
	t.late[pc] = l
	return true
}

// Pending says whether the work-item has put off the load at pc and not yet performed it, and what it loads.
func (g *Group) Pending(item, pc int) (p memory.Pointer, n uint64, ok bool) {
	l := g.threads[item].late[pc]
	if l == nil || l.done {
		return 0, 0, false
	}
	return l.at, uint64(len(l.mem)), true
}

// Due returns a load that the work-item has put off and that must be performed before it accesses mem.
func (g *Group) Due(item int, mem []byte) (pc int, p memory.Pointer, ok bool) {
	t := &g.threads[item]
	for _, l := range t.view.late {
		if l.t == t && !l.done && overlap(l.mem, mem) {
			return l.pc, l.at, true
		}
	}
	return 0, 0, false
}

// Perform performs a load that has been put off. Settle still returns its value.
func (g *Group) Perform(item, pc int) {
	t := &g.threads[item]
	t.late[pc].perform(false)
	t.view.perform()
}

// Settle performs the load of a work-item at pc, if it has been put off, and returns what it has read.
func (g *Group) Settle(item, pc int) (uint64, bool) {
	t := &g.threads[item]
	l := t.late[pc]
	if l == nil {
		return 0, false
	}
	delete(t.late, pc)
	l.perform(false)
	t.view.perform()
	return l.value, true
}

// settleAll performs all late loads of a work-item.
func (g *Group) settleAll(t *thread) {
	for _, l := range t.view.late {
		if l.t == t {
			l.perform(false)
		}
	}
	t.view.perform()
}

// perform performs the load. Another work-item whose access comes behind it may be what asks for it: then the
// order of the two accesses is open, and all messages can be read.
func (l *late) perform(foreign bool) {
	if l.done {
		return
	}
	l.done = true
	g := l.g
	if foreign {
		g.m.quiet = true
		defer func() { g.m.quiet = false }()
	}
	bound := view{base: l.bound}
	for _, one := range g.table(l.local).find(nil, l.mem) {
		if one.of == nil {
			l.value |= loadBytes(l.mem[one.from:one.to]) << (8 * one.from)
			continue
		}
		low := 0
		s := bound.at(one.of)
		m := s.any
		if !l.a.Atomic {
			m = s.plain
		}
		if m != nil {
			low = max(m.at, 0)
		}
		x := g.choose(nil, &l.a, one.of, low)
		l.read = append(l.read, x)
		g.take(l.t, &l.a, x)
		l.value |= x.part(l.mem, one) << (8 * one.from)
	}
}
