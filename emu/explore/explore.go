package explore

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// Options say how [Explorer.Explore] runs a plan. The zero value runs all of it.
type Options struct {
	// Jobs is the number of runs at the same time; 0 is the number of CPUs. It changes nothing in the report.
	Jobs int
	// Take says which runs of the plan are to be made; nil is all.
	Take func(index int) bool
	// Known are runs that have been made before, and Outcomes what came of them. They are not made again.
	Known    []Run
	Outcomes []Outcome
	// Record is told of each run when it is over. The outcome is not nil when it is new, or was known from a
	// run with a higher index only. Calls do not overlap. An error ends the exploration.
	Record func(run Run, o *Outcome) error
	// Progress is told after each run how many are over, of how many, and how many outcomes there are. Calls
	// do not overlap.
	Progress func(done, total, outcomes int)
}

// Report is what is known about a subject.
type Report struct {
	// Planned is the number of runs that were to be made.
	Planned int `json:"planned"`
	// Runs are those that were made, in the order of the plan.
	Runs []Run `json:"runs"`
	// Outcomes are in the order of their first runs.
	Outcomes []Outcome `json:"outcomes"`
	// Unfinished are the runs that the end of the context cut short: one of them may not end at all.
	Unfinished []Run `json:"unfinished"`
	// Difference is where the first two outcomes that can be compared part; nil where there are no two, or
	// nobody has looked.
	Difference *Difference `json:"difference,omitempty"`
}

// Agree says whether all runs that were made have the same outcome.
func (r *Report) Agree() bool { return len(r.Outcomes) <= 1 }

// OK says whether all runs were made, agree and have no findings.
func (r *Report) OK() bool {
	return r.Agree() && len(r.Runs) == r.Planned && !slices.ContainsFunc(r.Outcomes, func(o Outcome) bool { return len(o.Findings) > 0 })
}

// Count returns the number of runs with an outcome.
func (r *Report) Count(o *Outcome) int {
	n := 0
	for i := range r.Runs {
		if r.Runs[i].Outcome == o.ID {
			n++
		}
	}
	return n
}

// exploration is a plan that is being run.
type exploration struct {
	e    *Explorer
	plan *Plan
	opt  Options

	mu       sync.Mutex
	todo     []int
	report   *Report
	outcomes map[string]*Outcome
	err      error
}

// Explore runs the configurations of a plan. With an error of the context there is a report of what is known;
// other errors mean that the subject cannot be run.
func (e *Explorer) Explore(ctx context.Context, plan *Plan, opt Options) (*Report, error) {
	x := &exploration{e: e, plan: plan, opt: opt, report: &Report{Runs: slices.Clone(opt.Known), Unfinished: []Run{}}, outcomes: map[string]*Outcome{}}
	known := map[int]bool{}
	for i := range opt.Known {
		known[opt.Known[i].Index] = true
	}
	for i := range opt.Outcomes {
		o := opt.Outcomes[i]
		x.outcomes[o.ID] = &o
	}
	for i := range plan.Runs() {
		if opt.Take == nil || opt.Take(i) {
			x.report.Planned++
			if !known[i] {
				x.todo = append(x.todo, i)
			}
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	jobs := opt.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	for range min(jobs, len(x.todo)) {
		wg.Go(func() {
			for ctx.Err() == nil {
				i, ok := x.next()
				if !ok {
					return
				}
				if err := x.one(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	x.finish()
	if x.err != nil {
		return nil, x.err
	}
	return x.report, ctx.Err()
}

// next returns the next run to be made.
func (x *exploration) next() (int, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.todo) == 0 {
		return 0, false
	}
	i := x.todo[0]
	x.todo = x.todo[1:]
	return i, true
}

// one makes a run.
func (x *exploration) one(ctx context.Context, i int) error {
	c := x.plan.At(i)
	o, err := x.e.Run(ctx, i, c)
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()):
		x.report.Unfinished = append(x.report.Unfinished, Run{Index: i, Config: c})
		return nil
	case err != nil:
		if x.err == nil {
			x.err = err
		}
		return err
	}
	run := o.First
	x.report.Runs = append(x.report.Runs, run)
	if was := x.outcomes[o.ID]; was != nil && was.First.Index < i {
		o = nil
	} else {
		x.outcomes[o.ID] = o
	}
	if x.opt.Record != nil {
		if err := x.opt.Record(run, o); err != nil {
			x.err = err
			return err
		}
	}
	if x.opt.Progress != nil {
		x.opt.Progress(len(x.report.Runs), x.report.Planned, len(x.outcomes))
	}
	return nil
}

// finish puts the report in order.
func (x *exploration) finish() {
	for _, o := range x.outcomes {
		x.report.Outcomes = append(x.report.Outcomes, *o)
	}
	x.report.Sort()
}

// Sort puts runs and outcomes into the order of the plan.
func (r *Report) Sort() {
	byIndex := func(a, b Run) int { return a.Index - b.Index }
	slices.SortFunc(r.Runs, byIndex)
	slices.SortFunc(r.Unfinished, byIndex)
	slices.SortFunc(r.Outcomes, func(a, b Outcome) int { return byIndex(a.First, b.First) })
}

// Comparable returns the first two outcomes whose difference can be found by running their first runs again:
// those that completed, or nil.
func (r *Report) Comparable() (a, b *Outcome) {
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		switch {
		case !o.Completed:
		case a == nil:
			a = o
		case a.Memory != o.Memory || a.Output != o.Output:
			return a, o
		}
	}
	return nil, nil
}

// SplitBySubgroup says whether each sub-group size has one outcome, though there are several: the result then
// depends on the size of sub-groups and on nothing else that was tried.
func (r *Report) SplitBySubgroup() bool {
	bySize := map[int]string{}
	for i := range r.Runs {
		run := &r.Runs[i]
		if id, ok := bySize[run.SubgroupSize]; ok && id != run.Outcome {
			return false
		}
		bySize[run.SubgroupSize] = run.Outcome
	}
	return len(r.Outcomes) > 1
}
