package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance"
)

var conformanceCommand = &command{
	name:  "conformance",
	args:  "[PATTERN…]",
	short: "run the conformance cases",
	long: `Runs the conformance cases that come with lockstep, or those below -dir, each under
every combination of engine, sub-group size, wave width, workers and schedule, and
reports those that did not give what the specifications say. A PATTERN names a case
file, a folder or a glob (core/barrier-*.case). Lists are separated by commas. The
exit status is 1 when a case fails.
`,
	setup: setupConformance,
}

// conformanceOptions are the flags of conformance.
type conformanceOptions struct {
	dir                                           string
	quick, list, json, junit, verbose, check      bool
	engine, subgroup, wave, workers, order, seeds string
	jobs                                          int
	timeout                                       time.Duration
}

func setupConformance(f *flags) func(context.Context, *Env, []string) error {
	o := &conformanceOptions{}
	f.StringVar(&o.dir, "dir", "", "run the cases below `FOLDER` and not those that come with lockstep")
	f.BoolVar(&o.quick, "quick", false, "fewer combinations")
	f.BoolVar(&o.list, "list", false, "list the cases and what they prove, and run nothing")
	f.BoolVar(&o.check, "check", false, "with the checks for undefined behaviour, but for cases about runs without them")
	f.BoolVar(&o.json, "json", false, "report as JSON")
	f.BoolVar(&o.junit, "junit", false, "report as JUnit XML")
	f.BoolVar(&o.verbose, "v", false, "report the cases that pass, too")
	f.StringVar(&o.engine, "engine", "", "only the engines `NAME[,…]`")
	f.StringVar(&o.subgroup, "subgroup", "", "only sub-groups of `N[,…]` lanes")
	f.StringVar(&o.wave, "wave", "", "only waves of `N[,…]` lanes; 0 is what suits")
	f.StringVar(&o.workers, "workers", "", "only with `N[,…]` workers for work-groups")
	f.StringVar(&o.order, "schedule", "", "only the schedules `NAME[,…]`")
	f.StringVar(&o.seeds, "seed", "", "seeds `N[,…]` of the schedule seeded")
	f.IntVar(&o.jobs, "jobs", 0, "run `N` cases at the same time (default: one for each CPU)")
	f.DurationVar(&o.timeout, "timeout", 0, "time limit `DURATION` of a run of a case that states none (default 1m)")
	return o.run
}

func (o *conformanceOptions) run(ctx context.Context, env *Env, patterns []string) error {
	if o.json && o.junit {
		return usagef("help conformance", "conformance: -json or -junit, not both")
	}
	matrix := conformance.Full()
	if o.quick {
		matrix = conformance.Quick()
	}
	if err := matrix.Set(conformance.Axes{
		Engines: o.engine, SubGroups: o.subgroup, Waves: o.wave, Workers: o.workers, Schedules: o.order, Seeds: o.seeds,
	}); err != nil {
		return usagef("help conformance", "conformance: %v", err)
	}
	cases, err := o.load(env, patterns)
	if err != nil {
		return err
	}
	if o.list {
		for _, c := range cases {
			if _, err := fmt.Fprintf(env.Stdout, "%-40s %s [%s]\n", c.Name, c.Title, strings.Join(c.Clauses, " ")); err != nil {
				return err
			}
		}
		return nil
	}
	opt := conformance.Options{Matrix: &matrix, Workers: o.jobs, Timeout: o.timeout, Check: o.check}
	if env.StderrTerminal {
		opt.Progress = func(done, total int) { fmt.Fprintf(env.Stderr, "\r\x1b[K%d of %d cases", done, total) }
	}
	report, err := conformance.Run(ctx, cases, opt)
	if env.StderrTerminal {
		fmt.Fprint(env.Stderr, "\r\x1b[K")
	}
	if werr := o.report(env.Stdout, report); werr != nil {
		return werr
	}
	if err != nil || !report.OK() {
		return errFound
	}
	return nil
}

// load reads the cases that the patterns name.
func (o *conformanceOptions) load(env *Env, patterns []string) ([]*conformance.Case, error) {
	if o.dir == "" {
		// People name a case as it is listed, or without the folder of all cases.
		for i, p := range patterns {
			if p != "cases" && !strings.HasPrefix(p, "cases/") {
				patterns[i] = "cases/" + p
			}
		}
		return conformance.Load(conformance.Builtin(), patterns...)
	}
	if info, err := env.Stat(o.dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("-dir %s: there is no such folder", o.dir)
	}
	return conformance.Load(env.Dir(o.dir), patterns...)
}

func (o *conformanceOptions) report(w io.Writer, r *conformance.Report) error {
	switch {
	case o.json:
		return r.WriteJSON(w)
	case o.junit:
		return r.WriteJUnit(w)
	}
	return r.WriteText(w, o.verbose)
}
