package dma

import "slices"

// Saved is the state of a [Unit] between two calls.
type Saved struct {
	now, id, event uint64
	rng            random
	queue          []*transfer
	busy, done     []uint64
	match          matcher
	waves          []waveState
}

// Save returns the state of a unit without checks, but for the bytes of memory.
func (u *Unit) Save() *Saved {
	return &Saved{
		now: u.now, id: u.id, event: u.event, rng: u.rng, queue: cloneTransfers(u.queue),
		busy: slices.Clone(u.busy), done: slices.Clone(u.done), match: u.match.clone(), waves: cloneWaves(u.waves[:u.used]),
	}
}

// Restore puts a state back: that of the same work-group, for which [Unit.Reset] has been called again.
func (u *Unit) Restore(s *Saved) {
	u.Abort()
	u.now, u.id, u.event, u.rng = s.now, s.id, s.event, s.rng
	u.queue = append(u.queue, cloneTransfers(s.queue)...)
	copy(u.busy, s.busy)
	copy(u.done, s.done)
	u.match = s.match.clone()
	if len(u.waves) < len(s.waves) {
		u.waves = append(u.waves, make([]waveState, len(s.waves)-len(u.waves))...)
	}
	u.resetMarks()
	copy(u.done, s.done)
	copy(u.waves, cloneWaves(s.waves))
	u.used = len(s.waves)
}

func (it Items) clone() Items {
	it.Mask = slices.Clone(it.Mask)
	return it
}

func cloneTransfers(list []*transfer) []*transfer {
	out := make([]*transfer, len(list))
	for i, t := range list {
		c := *t
		c.items, c.lanes = t.items.clone(), slices.Clone(t.lanes)
		out[i] = &c
	}
	return out
}

func cloneWaves(list []waveState) []waveState {
	out := slices.Clone(list)
	for i := range out {
		out[i].marks = slices.Clone(out[i].marks)
		for j := range out[i].marks {
			out[i].marks[j].items = out[i].marks[j].items.clone()
		}
	}
	return out
}

func (m *matcher) clone() matcher {
	c := *m
	c.count, c.open = slices.Clone(m.count), slices.Clone(m.open)
	return c
}

// Bytes returns about how much memory the state takes.
func (s *Saved) Bytes() int {
	n := 8*(len(s.busy)+len(s.done)+len(s.match.count)) + 32*len(s.match.open)
	for _, t := range s.queue {
		n += 512 + 48*len(t.lanes) + 8*len(t.items.Mask)
	}
	for i := range s.waves {
		n += 64
		for j := range s.waves[i].marks {
			n += 64 + 8*len(s.waves[i].marks[j].items.Mask)
		}
	}
	return n
}

// Outstanding returns the copies that are in flight, in the order of issue.
func (u *Unit) Outstanding() []Transfer {
	list := make([]Transfer, len(u.queue))
	for i, t := range u.queue {
		list[i] = *u.told(&t.info, &t.items)
		list[i].Moved = t.moved
	}
	return list
}

// OutstandingMark is an async mark that may have copies before it in flight.
type OutstandingMark struct {
	Wave, PC, Sequence int
	Items              []int // who executed it
	UpTo               uint64
}

// Marks returns the async marks that the unit remembers, by wave and in program order.
func (u *Unit) Marks() (list []OutstandingMark) {
	for n := range u.waves[:u.used] {
		for i := range u.waves[n].marks {
			m := &u.waves[n].marks[i]
			if m.items.none() {
				continue
			}
			o := OutstandingMark{Wave: n, PC: m.pc, Sequence: m.seq, UpTo: m.upTo}
			m.items.each(u.group.Items, func(item int) { o.Items = append(o.Items, item) })
			list = append(list, o)
		}
	}
	return list
}
