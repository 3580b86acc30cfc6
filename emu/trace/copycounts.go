package trace

// copyCounts is what asynchronous copies and waits for them came to at an instruction, added up. Ticks are those of the
// schedule's clock.
type copyCounts struct {
	copies, bytes uint64
	flight        uint64 // ticks in which some copy was between its issue and its completion
	overlap       uint64 // and some wave of the work-group ran that did not wait
	waits, waited uint64 // waits, and the ticks that they took
}

// countCopies counts the copies and waits of a group that is over.
func (r *Recorder) countCopies(g *group) {
	if r.subgroups == nil {
		return
	}
	at := func(pc int) *copyCounts {
		key := site{g.launch, pc}
		c := r.subgroups.copies[key]
		if c == nil {
			c = &copyCounts{}
			r.subgroups.copies[key] = c
		}
		return c
	}
	var runs, stalls []interval
	for i := range g.events {
		switch e := &g.events[i]; e.kind {
		case kindTurn:
			runs = append(runs, interval{e.from, e.to})
		case kindWait:
			c := at(int(e.pc))
			c.waits++
			c.waited += e.to - e.from
			stalls = append(stalls, interval{e.from, e.to})
		}
	}
	if len(g.transfers) == 0 {
		return
	}
	// Waves of a group take turns: where one stalls no other runs.
	computing := without(union(runs), union(stalls))
	flights := make(map[int][]interval)
	for i := range g.transfers {
		t := &g.transfers[i]
		_, done := g.span(t)
		c := at(t.pc)
		c.copies++
		c.bytes += t.bytes
		flights[t.pc] = append(flights[t.pc], interval{t.issued, done})
	}
	for pc, list := range flights {
		list = union(list)
		c := at(pc)
		c.flight += length(list)
		c.overlap += common(list, computing)
	}
}
