package trace

// This file counts how long sub-groups wait at barriers. Each sub-group has a clock of its own for that, which counts
// the instructions that it issues: so waits depend on the kernel and on the sub-group size, and neither on the width of
// waves nor on the schedule.

// groupClock has the clocks of the sub-groups of a work-group, by number.
type groupClock struct {
	launch int
	linear uint64 // the number of the group in the order of x, y, z
	clocks []subgroupClock
	strips []*strip // of the first sub-groups of a launch's first group; nil for other groups
}

// subgroupClock is where a sub-group is.
type subgroupClock struct {
	ticks   uint64
	arrived bool // it has come to a barrier since one opened last
}

// barrierCounts is what sub-groups did at a barrier, added up.
type barrierCounts struct {
	arrivals uint64
	ticks    uint64 // of waiting
}

// isBarrier says whether an instruction of the running launch is a barrier of the work-group.
func (r *Recorder) isBarrier(pc int) bool {
	return r.launch < len(r.launches) && r.launches[r.launch].Barrier != nil && r.launches[r.launch].Barrier(pc)
}

// beginClock begins a work-group.
func (r *Recorder) beginClock(id [3]uint64) {
	l := r.subgroups
	if l == nil || r.launch >= len(r.launches) {
		return
	}
	groups := &r.launches[r.launch].Groups
	l.current = &groupClock{launch: r.launch, linear: id[0] + groups[0]*(id[1]+groups[1]*id[2])}
	if !l.stripped[r.launch] && len(l.strips) < maxStrips {
		l.stripped[r.launch] = true
		l.current.strips = make([]*strip, 0, maxSubgroups)
	}
	if r.set {
		l.open[groupKey{r.launch, id}] = l.current
	}
}

// resumeClock says which work-group of a set what follows is about.
func (r *Recorder) resumeClock(id [3]uint64) {
	if l := r.subgroups; l != nil {
		l.current = l.open[groupKey{r.launch, id}]
	}
}

// endClock ends the work-group.
func (r *Recorder) endClock() {
	l := r.subgroups
	if l == nil || l.current == nil {
		return
	}
	if r.set {
		for key, c := range l.open {
			if c == l.current {
				delete(l.open, key)
			}
		}
	}
	l.current = nil
}

// noteTicks notes that a sub-group, of which first is the first work-item, issues n instructions with so many lanes.
func (r *Recorder) noteTicks(first int, n uint64, lanes int, barrier bool) {
	l := r.subgroups
	g := l.current
	if g == nil {
		return
	}
	size := max(r.launches[g.launch].SubgroupSize, 1)
	number := first / size
	for number >= len(g.clocks) {
		g.clocks = append(g.clocks, subgroupClock{})
	}
	if g.strips != nil && number < maxSubgroups {
		r.strip(g, number).add(g.clocks[number].ticks, n, uint64(lanes))
	}
	c := &g.clocks[number]
	c.ticks += n
	c.arrived = c.arrived || barrier
}

// noteBarrier notes that a barrier has opened: those that came first have waited for the last one.
func (r *Recorder) noteBarrier(pc int) {
	l := r.subgroups
	if l == nil || l.current == nil {
		return
	}
	last := uint64(0)
	for i := range l.current.clocks {
		if c := &l.current.clocks[i]; c.arrived {
			last = max(last, c.ticks)
		}
	}
	at := site{r.launch, pc}
	r.locate(r.launch, pc)
	counts := l.barriers[at]
	if counts == nil {
		counts = &barrierCounts{}
		l.barriers[at] = counts
	}
	for i := range l.current.clocks {
		if c := &l.current.clocks[i]; c.arrived {
			counts.arrivals++
			counts.ticks += last - c.ticks
			*c = subgroupClock{ticks: last}
		}
	}
}

// Limits of the pictures of sub-groups.
const (
	maxStrips    = 32  // of all launches
	maxSubgroups = 8   // of a launch
	stripColumns = 128 // a power of two
)

// strip is how many lanes of a sub-group were active over time. Its columns get wider as time goes on, so that it has
// the same size always.
type strip struct {
	launch, number int
	group          uint64
	scale          uint64 // ticks of a column
	ticks, lanes   [stripColumns]uint64
	end            uint64
}

// strip returns that of a sub-group of a group that is drawn.
func (r *Recorder) strip(g *groupClock, number int) *strip {
	for _, s := range g.strips {
		if s.number == number {
			return s
		}
	}
	s := &strip{launch: g.launch, number: number, group: g.linear, scale: 1}
	g.strips = append(g.strips, s)
	r.subgroups.strips = append(r.subgroups.strips, s)
	return s
}

// add notes n instructions from a tick on.
func (s *strip) add(from, n, lanes uint64) {
	for from+n > s.scale*stripColumns {
		for i := range stripColumns / 2 {
			s.ticks[i] = s.ticks[2*i] + s.ticks[2*i+1]
			s.lanes[i] = s.lanes[2*i] + s.lanes[2*i+1]
		}
		clear(s.ticks[stripColumns/2:])
		clear(s.lanes[stripColumns/2:])
		s.scale *= 2
	}
	s.end = max(s.end, from+n)
	for to := from + n; from < to; {
		column := from / s.scale
		next := min(to, (column+1)*s.scale)
		s.ticks[column] += next - from
		s.lanes[column] += (next - from) * lanes
		from = next
	}
}
