package grade

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/lockstep-gpu/lockstep/conformance/checks"
	"github.com/lockstep-gpu/lockstep/docs/course"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/trace"
)

// countedSubgroup is the size of sub-groups for which counts are made.
const countedSubgroup = 32

// fast compares the counts of a right kernel with the limits.
func (j *judge) fast(ctx context.Context) (err error) {
	if len(j.Limits) == 0 {
		return nil
	}
	d, err := j.device(ctx, countedSubgroup)
	if err != nil || d == nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	s, err := emu.ParseSchedule("paced", 0)
	if err != nil {
		return err
	}
	lines := map[int][]trace.LineCounts{}
	for i := range j.Limits {
		limit := &j.Limits[i]
		rows, ok := lines[limit.Run]
		if !ok {
			if rows, err = j.counts(ctx, d, limit.Run, s); err != nil || j.res.Verdict == course.Fault {
				return err
			}
			lines[limit.Run] = rows
		}
		if x := excess(limit, rows); x != nil {
			x.Command = j.command(limit.Run, countedSubgroup, s) + " -stats=lines"
			j.res.Excesses = append(j.res.Excesses, *x)
			j.res.Verdict = course.Slow
		}
	}
	return nil
}

// counts makes a run for its counts by line.
func (j *judge) counts(ctx context.Context, d *device, run int, s emu.Schedule) ([]trace.LineCounts, error) {
	t, err := newTrial(&j.Runs[run])
	if err != nil {
		return nil, err
	}
	r := trace.New(trace.Options{Subgroups: true, MaxGroups: -1})
	out, err := t.RunWith(ctx, d.dev, d.prog, checks.Options{Schedule: s, Timeout: timeout, Trace: r})
	if err != nil {
		return nil, err
	}
	j.res.Runs++
	if len(out.Findings) > 0 { // without checks: a fault, or the time limit
		j.res.Findings, j.res.Verdict = harmless(out.Findings), course.Fault
		j.res.Command, j.res.Note = j.command(run, countedSubgroup, s), j.Runs[run].Note
		return nil, nil
	}
	rows, _ := r.Lines()
	return rows, nil
}

// share is a count as a part of something: of 1 where it is no part.
type share struct{ n, of uint64 }

// percent says whether a count is a part in percent.
func percent(c course.Count) bool {
	return c == course.IdleLanes || c == course.ExcessLines || c == course.CopyOverlap
}

// shareOf is what a line adds to a count.
func shareOf(c course.Count, l *trace.LineCounts) share {
	switch c {
	case course.Instructions:
		return share{l.Instructions, 1}
	case course.IdleLanes:
		return share{l.Room - l.Lanes, l.Room}
	case course.CacheLines:
		return share{l.CacheLines, 1}
	case course.ExcessLines:
		return share{l.CacheLines, l.CacheLinesAtBest}
	case course.BankConflicts:
		return share{l.Conflicts(), 1}
	case course.Barriers:
		return share{l.Arrivals, 1}
	case course.Atomics:
		return share{l.AtomicLanes, 1}
	case course.Meeting:
		return share{l.Meeting, 1}
	case course.Copies:
		return share{l.Copies, 1}
	case course.CopyWaits:
		return share{l.WaitTicks, 1}
	case course.CopyOverlap:
		return share{l.Overlap, l.Flight}
	}
	return share{}
}

// value is the whole of a count: in percent where it is a part, rounded so that a limit is not reached by
// rounding.
func value(c course.Count, rows []trace.LineCounts) uint64 {
	var sum share
	for i := range rows {
		s := shareOf(c, &rows[i])
		sum.n += s.n
		sum.of += s.of
	}
	switch {
	case c == course.CopyOverlap: // has to be large
		return 100 * sum.n / max(sum.of, 1)
	case percent(c):
		return (100*sum.n + max(sum.of, 1) - 1) / max(sum.of, 1)
	}
	return sum.n
}

// excess is a count beyond its limit, or nil, with the line that adds most to it.
func excess(limit *course.Limit, rows []trace.LineCounts) *Excess {
	x := &Excess{Count: limit.Count, Value: value(limit.Count, rows)}
	switch {
	case limit.Least > 0 && x.Value < limit.Least:
		x.Least = &limit.Least
	case limit.Least == 0 && x.Value > limit.Most:
		x.Most = &limit.Most
	default:
		return nil
	}
	if x.Least != nil || len(rows) == 0 {
		return x
	}
	extra := func(l trace.LineCounts) uint64 {
		s := shareOf(limit.Count, &l)
		if limit.Count == course.ExcessLines {
			return s.n - min(s.n, s.of)
		}
		return s.n
	}
	worst := slices.MaxFunc(rows, func(a, b trace.LineCounts) int { return cmp.Compare(extra(a), extra(b)) })
	var all uint64
	for i := range rows {
		all += extra(rows[i])
	}
	if all > 0 && worst.Line > 0 {
		x.Line, x.Source, x.Share = worst.Line, worst.Source, (100*extra(worst)+all/2)/all
	}
	return x
}
