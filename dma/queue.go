package dma

import "github.com/lockstep-gpu/lockstep/memory"

// info is what is told about a transfer.
type info struct {
	id            uint64
	pc            int
	name          string
	wave          int
	dst, src      memory.Pointer // of the first line
	total         uint64         // bytes
	lines, planes uint64
	event         uint64
	async         bool
	engine        int

	issued, start, done uint64 // ticks
}

// transfer is a copy in flight.
type transfer struct {
	info
	items Items // who issued it
	// seq is a lane copy's number among those of its wave, from 1; 0 for a group copy.
	seq uint64

	// What moves: a shape, or lanes; with Seeded size bytes for each of those,
	// otherwise lanes that follow each other may be one.
	shape    shape
	dst, src []byte
	lanes    []laneMove
	size     uint64

	started bool
	moved   uint64 // bytes; the first ones, where they move in order
	lane    int    // the first of lanes that is not done, and how many of its bytes are
	laneAt  uint64

	// With Seeded: pieces of so many bytes, how many are left, the next one,
	// and the step to the one after it.
	piece, pieces, left, next, step uint64
}

// laneMove is what one lane moves; a src of nil is zeros.
type laneMove struct{ dst, src []byte }

func (l *laneMove) move(from, to uint64) {
	if l.src == nil {
		clear(l.dst[from:to])
		return
	}
	copy(l.dst[from:to], l.src[from:to])
}

// move moves the bytes from and up to places in the order of the transfer. Lanes
// have size bytes each.
func (t *transfer) move(from, to uint64) {
	if t.seq == 0 {
		if from == 0 && to == t.total {
			t.shape.copyAll(t.dst, t.src)
		} else {
			t.shape.copyRange(t.dst, t.src, from, to)
		}
		return
	}
	for from < to {
		skip := from % t.size
		n := min(t.size-skip, to-from)
		t.lanes[from/t.size].move(skip, skip+n)
		from += n
	}
}

// moveTo moves bytes in order until n have been moved.
func (t *transfer) moveTo(n uint64) {
	if n <= t.moved {
		return
	}
	if t.seq == 0 {
		t.move(t.moved, n)
	} else if t.moved == 0 && n == t.total {
		t.moveLanes()
	} else {
		for left := n - t.moved; left > 0; {
			l := &t.lanes[t.lane]
			k := min(uint64(len(l.dst))-t.laneAt, left)
			l.move(t.laneAt, t.laneAt+k)
			left -= k
			if t.laneAt += k; t.laneAt == uint64(len(l.dst)) {
				t.lane, t.laneAt = t.lane+1, 0
			}
		}
	}
	t.moved = n
}

// movePieces moves n pieces in their random order.
func (t *transfer) movePieces(n uint64) {
	if n == t.pieces {
		t.move(0, t.total)
		t.left, t.moved = 0, t.total
		return
	}
	for range min(n, t.left) {
		from := t.next * t.piece
		to := min(from+t.piece, t.total)
		t.move(from, to)
		t.moved += to - from
		t.next = (t.next + t.step) % t.pieces
		t.left--
	}
}

// take returns a transfer to be filled in.
func (u *Unit) take() *transfer {
	if n := len(u.free); n > 0 {
		t := u.free[n-1]
		u.free = u.free[:n-1]
		return t
	}
	return new(transfer)
}

// give keeps a transfer for later use, without the memory that it led to.
func (u *Unit) give(t *transfer) {
	clear(t.lanes)
	*t = transfer{items: t.items, lanes: t.lanes[:0]}
	u.free = append(u.free, t)
}

// enqueue issues a transfer of at least one byte, which waits for a place first
// when the queue is full; stall is for how long.
func (u *Unit) enqueue(t *transfer) (stall uint64) {
	from := u.now
	if len(u.queue) >= u.room {
		u.makeRoom()
		if u.cfg.Tracer != nil {
			u.cfg.Tracer.Wait(from, u.now, t.pc, t.wave, "room in the queue", 0)
		}
	}
	t.issued = u.now
	t.engine = int((t.id - 1) % uint64(u.cfg.Engines))
	switch u.cfg.Completion {
	case Seeded:
		t.piece = uint64(u.cfg.BytesPerStep)
		switch {
		case t.seq != 0:
			t.piece = t.size
		case t.shape.lines > 1 || t.shape.planes > 1:
			t.piece = t.shape.line
		}
		t.pieces = (t.total-1)/t.piece + 1
		t.left = t.pieces
		t.next, t.step = u.rng.below(t.pieces), u.rng.coprime(t.pieces)
	case Paced:
		for e, busy := range u.busy {
			if busy < u.busy[t.engine] || busy == u.busy[t.engine] && e < t.engine {
				t.engine = e
			}
		}
		t.start = max(u.now, u.busy[t.engine])
		t.done = add(t.start, u.ticks(t.total))
		u.busy[t.engine] = t.done
	}
	u.queue = append(u.queue, t)
	if u.cfg.Tracer != nil {
		u.cfg.Tracer.Issue(u.told(&t.info, &t.items))
	}
	return u.now - from
}

// ticks returns how long an engine takes for n bytes.
func (u *Unit) ticks(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return (n-1)/uint64(u.cfg.BytesPerStep) + 1
}

// makeRoom completes a transfer: the oldest; with Seeded any one; with Paced the one
// that is done first.
func (u *Unit) makeRoom() {
	switch u.cfg.Completion {
	case Paced:
		first := u.queue[0].done
		for _, t := range u.queue {
			first = min(first, t.done)
		}
		u.now = max(u.now, first)
		u.pace()
	case Seeded:
		u.now = max(u.now, u.run(int(u.rng.below(uint64(len(u.queue))))))
	default:
		u.now = max(u.now, u.run(0))
	}
}

// run has the engine of a transfer in the queue move what is left of it, and
// returns the tick at which that is done. It is not for Paced.
func (u *Unit) run(i int) uint64 {
	t := u.queue[i]
	left := t.total
	if u.cfg.Completion == Seeded {
		left = min(left, mul(t.left, t.piece))
	}
	begin := max(u.now, u.busy[t.engine])
	if !t.started {
		t.start = begin
	}
	t.done = add(begin, u.ticks(left))
	u.busy[t.engine] = t.done
	if u.cfg.Completion == Seeded {
		t.movePieces(t.left)
	} else {
		t.moveTo(t.total)
	}
	copy(u.queue[i:], u.queue[i+1:])
	u.queue = u.queue[:len(u.queue)-1]
	done := t.done
	u.completed(t)
	return done
}

// completed tells of a transfer that is done, and keeps it for later use.
func (u *Unit) completed(t *transfer) {
	if u.cfg.Tracer != nil {
		u.cfg.Tracer.Complete(u.told(&t.info, &t.items))
	}
	u.give(t)
}

// waitFor completes the transfers in the queue that are wanted, and returns how
// long that takes.
func (u *Unit) waitFor(wanted func(t *transfer) bool) (stall uint64) {
	from, until := u.now, u.now
	if u.cfg.Completion == Paced {
		for _, t := range u.queue {
			if wanted(t) {
				until = max(until, t.done)
			}
		}
		u.now = until
		u.pace()
		return until - from
	}
	// With Seeded it begins with any of them, so that what the program issued
	// later may be done first.
	skip := uint64(0)
	if u.cfg.Completion == Seeded {
		n := uint64(0)
		for _, t := range u.queue {
			if wanted(t) {
				n++
			}
		}
		if n > 1 {
			skip = u.rng.below(n)
		}
	}
	for again := true; again; {
		again = skip > 0
		for i := 0; i < len(u.queue); {
			switch {
			case !wanted(u.queue[i]):
				i++
			case skip > 0:
				skip--
				i++
			default:
				until = max(until, u.run(i))
			}
		}
	}
	u.now = until
	return until - from
}

// Advance says that time has passed: bytes move whose time has come. It has
// nothing to do with Early and Late.
func (u *Unit) Advance(now uint64) {
	if now <= u.now {
		return
	}
	u.now = now
	if len(u.queue) == 0 {
		return
	}
	switch u.cfg.Completion {
	case Paced:
		u.pace()
	case Seeded:
		u.stir()
	}
}

// pace moves what the engines have moved by now.
func (u *Unit) pace() {
	keep := u.queue[:0]
	for _, t := range u.queue {
		if u.now >= t.done {
			t.moveTo(t.total)
			u.completed(t)
			continue
		}
		if u.now > t.start {
			t.moveTo(min(t.total, mul(u.now-t.start, uint64(u.cfg.BytesPerStep))))
		}
		keep = append(keep, t)
	}
	clear(u.queue[len(keep):])
	u.queue = keep
}

// stir moves some pieces of a transfer, or none.
func (u *Unit) stir() {
	r := u.rng.next()
	if r&3 != 0 {
		return
	}
	i := int(r >> 8 % uint64(len(u.queue)))
	t := u.queue[i]
	if !t.started {
		t.started, t.start = true, u.now
	}
	n := t.left
	if r&4 != 0 {
		n = 1 + u.rng.below(t.left)
	}
	t.movePieces(n)
	if t.left == 0 {
		t.done = u.now
		copy(u.queue[i:], u.queue[i+1:])
		u.queue = u.queue[:len(u.queue)-1]
		u.completed(t)
	}
}

// told returns a transfer as tracers see it.
func (u *Unit) told(t *info, items *Items) *Transfer {
	return &Transfer{ID: t.id, PC: t.pc, Name: t.name, Items: items.spans(u.group.Items), Wave: t.wave, Dst: t.dst, Src: t.src,
		Bytes: t.total, Lines: t.lines, Planes: t.planes, Event: t.event, Async: t.async,
		Engine: t.engine, Issued: t.issued, Start: t.start, Done: t.done}
}
