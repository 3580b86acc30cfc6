package trace

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// This file finds out what both forms of a trace want to know of a group.

// name returns "group (0,0,0)".
func (g *group) name() string {
	return fmt.Sprintf("group (%d,%d,%d)", g.id[0], g.id[1], g.id[2])
}

// waves returns the number of the group's waves: one more than the greatest
// number that the trace knows, and at least 1.
func (g *group) waves() int {
	n := max(g.waits, 1)
	for i := range g.events {
		n = max(n, int(g.events[i].wave)+1)
	}
	return n
}

// span returns the ticks in which the transfer moves: from its first byte to
// after its last. One that takes no time is at its tick's beginning. Of one that
// never completed it is known only that it was in flight.
func (g *group) span(t *transfer) (from, to uint64) {
	if !t.completed {
		return t.issued, max(g.end, t.issued)
	}
	return t.start, max(t.done, t.start)
}

// shown returns the span as it is drawn, at least one tick long, so that a copy
// that takes no time can be seen.
func (g *group) shown(t *transfer) (from, to uint64) {
	from, to = g.span(t)
	return from, max(to, from+1)
}

// row is a line of the timeline for transfers of an engine, which do not
// overlap within it.
type row struct {
	engine, number int // number from 1 within the engine
	transfers      []int
	end            uint64
}

func (r *row) name() string {
	s := engineName(r.engine)
	if r.number > 1 {
		s += fmt.Sprintf(" (%d)", r.number)
	}
	return s
}

func engineName(n int) string {
	if n < 0 {
		return "dma"
	}
	return fmt.Sprintf("dma %d", n)
}

// rows lays the transfers of each engine out in as few rows as they need: one
// row for an engine that does one thing after the other, more where the
// schedule lets transfers overtake each other.
func (g *group) rows() []row {
	order := make([]int, len(g.transfers))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		s, t := &g.transfers[a], &g.transfers[b]
		sFrom, _ := g.shown(s)
		tFrom, _ := g.shown(t)
		return cmp.Or(cmp.Compare(s.engine, t.engine), cmp.Compare(sFrom, tFrom), cmp.Compare(a, b))
	})
	var rows []row
	first := 0 // row of the engine
	for _, i := range order {
		t := &g.transfers[i]
		if len(rows) > 0 && rows[first].engine != t.engine {
			first = len(rows)
		}
		from, to := g.shown(t)
		at := first
		for at < len(rows) && rows[at].end > from {
			at++
		}
		if at == len(rows) {
			rows = append(rows, row{engine: t.engine, number: at - first + 1})
		}
		rows[at].transfers = append(rows[at].transfers, i)
		rows[at].end = to
	}
	return rows
}

// numbers returns the numbers of transfers, from 1 in the order of issue.
func numbers(indices []int) []int {
	ns := make([]int, len(indices))
	for i, n := range indices {
		ns[i] = n + 1
	}
	return ns
}

// ender returns the transfer whose completion ended a wait that took time: the
// last to complete while it waited. It is -1 where the wait took none.
func (g *group) ender(e *event) int {
	best := -1
	for _, i := range g.extras[e.extra].asked {
		t := &g.transfers[i]
		if t.completed && t.done > e.from && t.done <= e.to && (best < 0 || t.done > g.transfers[best].done) {
			best = i
		}
	}
	return best
}

// place returns where an instruction of a launch's kernel is in the module.
func (r *Recorder) place(launch, pc int) finding.Place { return r.places[site{launch, pc}] }

// issuers says who issued a transfer: "wave 0, work-items 0–63".
func (t *transfer) issuers() string {
	s := fmt.Sprintf("wave %d", t.wave)
	if len(t.items) > 0 {
		s += ", " + workItems(t.items)
	}
	return s
}

// source and target name the two sides of a transfer: "tile+64".
func (t *transfer) source() string {
	if t.zero {
		return "zeros"
	}
	return side(t.srcName, t.src.Offset(), t.src.String())
}

func (t *transfer) target() string { return side(t.dstName, t.dst.Offset(), t.dst.String()) }

func side(name string, offset int64, pointer string) string {
	if name == "" {
		return pointer
	}
	return fmt.Sprintf("%s%+d", name, offset)
}
