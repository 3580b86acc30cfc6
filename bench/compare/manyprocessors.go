package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/lockstep-gpu/lockstep/bench"
)

// processorsTable is the title above the figures about all processors of a machine that has many.
const processorsTable = "many processors"

const (
	fewestProcessors   = 4   // with fewer, nothing is measured
	processorsCPUMost  = 1.3 // CPU time on all processors, against that on two
	processorsVariable = "POCL_MAX_PTHREAD_COUNT"
)

// processors measures each workload on one processor, on two and on all: lockstep and PoCL.
func (c *comparison) processors(ctx context.Context, workloads []*bench.Workload) (figures []Figure, err error) {
	all := runtime.NumCPU()
	if all < fewestProcessors {
		c.note(fmt.Sprintf("many processors: not measured, there are %d", all))
		return nil, nil
	}
	var others []*process // PoCL on one processor, two and all
	if kind, ok := c.platforms[pocl]; ok {
		for _, n := range []int{1, 2, all} {
			k := kind
			k.name, k.env = pocl, []string{fmt.Sprintf("%s=%d", processorsVariable, n)}
			p, err := startWorker(ctx, k, c.timeout)
			if err != nil {
				return nil, err
			}
			defer func() { err = errors.Join(err, p.close()) }()
			others = append(others, p)
		}
	}
	for _, w := range workloads {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		progress("%s on 1, 2 and %d processors", w.Name(), all)
		list, err := c.onProcessors(w, all, others)
		if err != nil {
			return nil, err
		}
		figures = append(figures, list...)
	}
	return figures, nil
}

// onProcessors measures a workload.
func (c *comparison) onProcessors(w *bench.Workload, all int, others []*process) ([]Figure, error) {
	l := w.Default
	if c.sizes == "small" {
		l = w.Small
	}
	var subjects []*subject
	add := func(p *process, workers int) error {
		s, _, err := p.open(request{Kernel: w.Name(), Launch: l, Workers: workers})
		if err != nil {
			return err
		}
		subjects = append(subjects, &subject{proc: p, session: s})
		_, err = p.ask(request{Op: opFirst, Session: s})
		return err
	}
	for _, workers := range []int{1, 2, all} {
		if err := add(c.processes[0], workers); err != nil {
			return nil, err
		}
	}
	for _, p := range others {
		if err := add(p, 0); err != nil {
			c.note(fmt.Sprintf("%s on %s: %v", w.Name(), pocl, err))
			subjects = subjects[:3]
			break
		}
	}
	for range c.runs {
		for _, s := range subjects {
			if err := s.round(c.budget, &Cell{}); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range subjects {
		if err := closeSessions(s.proc, []int{s.session}); err != nil {
			return nil, err
		}
	}
	return processorsFigures(w.Name(), all, subjects), nil
}

// processorsFigures are those of a workload: lockstep on 1, 2 and all processors, and PoCL on as many where it was measured.
func processorsFigures(name string, all int, s []*subject) []Figure {
	ours := median(ratios(s[0].times, s[2].times))
	up := Figure{Table: processorsTable, Name: fmt.Sprintf("%s: %d processors against 1", name, all), Value: ours, Unit: "times the speed",
		Target: "-", Verdict: "-",
		Detail: fmt.Sprintf("%s and %s", milliseconds(median(s[0].times).Seconds()), milliseconds(median(s[2].times).Seconds()))}
	if len(s) == 6 {
		theirs := median(ratios(s[3].times, s[5].times))
		up.Target = fmt.Sprintf("at least PoCL's %s", number(theirs))
		up.Verdict = verdict(ours >= theirs)
		up.Detail += fmt.Sprintf("; PoCL %s and %s; on %d processors %s times as fast as PoCL", milliseconds(median(s[3].times).Seconds()),
			milliseconds(median(s[5].times).Seconds()), all, number(median(ratios(s[5].times, s[2].times))))
	}
	more := Figure{Table: processorsTable, Name: fmt.Sprintf("%s: CPU time on %d against 2", name, all), Value: median(ratios(s[2].cpu, s[1].cpu)),
		Unit: "times the time", Target: fmt.Sprintf("at most %g", processorsCPUMost),
		Detail: fmt.Sprintf("%s and %s", milliseconds(median(s[1].cpu).Seconds()), milliseconds(median(s[2].cpu).Seconds()))}
	more.Verdict = verdict(more.Value <= processorsCPUMost)
	if len(s) == 6 {
		more.Detail += fmt.Sprintf("; PoCL %s times", number(median(ratios(s[5].cpu, s[4].cpu))))
	}
	return []Figure{up, more}
}
