package trace

import (
	"cmp"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// interval is the ticks [from, to).
type interval struct{ from, to uint64 }

// union sorts intervals and joins those that touch.
func union(list []interval) []interval {
	slices.SortFunc(list, func(a, b interval) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	out := list[:0]
	for _, v := range list {
		switch n := len(out); {
		case v.from >= v.to:
		case n > 0 && v.from <= out[n-1].to:
			out[n-1].to = max(out[n-1].to, v.to)
		default:
			out = append(out, v)
		}
	}
	return out
}

// length returns the number of ticks in a union.
func length(list []interval) uint64 {
	var n uint64
	for _, v := range list {
		n += v.to - v.from
	}
	return n
}

// common returns the number of ticks in both of two unions.
func common(a, b []interval) uint64 {
	var n uint64
	for len(a) > 0 && len(b) > 0 {
		from, to := max(a[0].from, b[0].from), min(a[0].to, b[0].to)
		if from < to {
			n += to - from
		}
		if a[0].to < b[0].to {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return n
}

// without returns the ticks of union a that are not in union b.
func without(a, b []interval) []interval {
	var out []interval
	for _, v := range a {
		for len(b) > 0 && b[0].to <= v.from {
			b = b[1:]
		}
		for _, cut := range b {
			if cut.from >= v.to {
				break
			}
			if v.from < cut.from {
				out = append(out, interval{v.from, cut.from})
			}
			v.from = min(cut.to, v.to)
		}
		if v.from < v.to {
			out = append(out, v)
		}
	}
	return out
}

// totals is what a trace comes to.
type totals struct {
	groups, copies, incomplete int
	bytes                      uint64
	ticks                      uint64 // of all groups
	moving                     uint64 // ticks in which some transfer moves
	overlap                    uint64 // and some wave runs that does not wait
	waits, stalls              int    // waits, and those of them that took time
	stalled                    uint64 // ticks
}

// add counts a group.
func (s *totals) add(g *group) {
	s.groups++
	s.ticks += g.end - g.start
	var runs, stalls, moves []interval
	for i := range g.events {
		e := &g.events[i]
		switch e.kind {
		case kindTurn:
			runs = append(runs, interval{e.from, e.to})
		case kindWait:
			s.waits++
			if e.to > e.from {
				s.stalls++
				s.stalled += e.to - e.from
				stalls = append(stalls, interval{e.from, e.to})
			}
		}
	}
	for i := range g.transfers {
		t := &g.transfers[i]
		s.copies++
		s.bytes += t.bytes
		if !t.completed {
			s.incomplete++
			continue
		}
		moves = append(moves, interval{t.start, t.done})
	}
	runs, stalls, moves = union(runs), union(stalls), union(moves)
	s.moving += length(moves)
	// Waves of a group take turns: where one stalls no other runs.
	s.overlap += common(moves, without(runs, stalls))
}

// percent returns a of b in percent, rounded.
func percent(a, b uint64) uint64 {
	if b == 0 {
		return 0
	}
	// 100·a would overflow only beyond any trace.
	return (100*a + b/2) / b
}

// summary writes what the trace comes to.
func (t *textWriter) summary() {
	var s totals
	for i := range t.r.groups {
		s.add(&t.r.groups[i])
	}
	if t.r.set {
		s.ticks = t.r.lastTick() // its groups are in progress at the same time
	}
	t.printf("\nsummary of %s, %s\n", counted(s.groups, "work-group"), counted(s.ticks, "tick"))
	if s.copies == 0 {
		if t.r.full {
			t.printf("  copies   none so far\n")
		} else {
			t.printf("  copies   none: no asynchronous copy was issued\n")
		}
		return
	}
	t.printf("  copies   %s of %s", counted(s.copies, "copy"), finding.Bytes(s.bytes))
	if s.incomplete > 0 {
		t.printf("; %d of them not complete", s.incomplete)
	}
	t.printf("\n")
	if s.moving > 0 {
		t.printf("  moving   in %s; in %d of them (%d %%) a wave computed at the same time\n", counted(s.moving, "tick"), s.overlap, percent(s.overlap, s.moving))
	} else {
		t.printf("  moving   the copies take no time in this schedule\n")
	}
	if s.stalls > 0 {
		t.printf("  stalls   %d of %s stalled, for %s in all (%d %% of the time)\n", s.stalls, counted(s.waits, "wait"), counted(s.stalled, "tick"), percent(s.stalled, s.ticks))
	} else {
		t.printf("  stalls   none in %s\n", counted(s.waits, "wait"))
	}
}

// stops says whether a turn ended at a barrier, ends whether it was the last.
func stops(e *event) bool { return e.stop == engine.StopBarrier }

func ends(e *event) bool {
	return e.stop == engine.StopDone || e.stop == engine.StopFault || e.stop == engine.StopCancelled
}
