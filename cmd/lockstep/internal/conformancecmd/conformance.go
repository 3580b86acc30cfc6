package conformancecmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/batch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/sweep"
	"github.com/lockstep-gpu/lockstep/conformance"
)

// Command is lockstep conformance.
var Command = &cmdline.Command{
	Name:  "conformance",
	Args:  "[PATTERN…]",
	Short: "run the conformance cases",
	Text:  true,
	Long: `Runs the conformance cases that are part of lockstep, or those in the folder -dir. Each
case runs with every combination of engine, sub-group size, wave width, workers and
schedule. A case fails when its result is not what the specifications require; the exit
status is then 1. A PATTERN names a case file, a folder or a glob (core/barrier-*.case).
Lists are separated by commas.

With -matrix the report is a table of the clauses of the specifications that lockstep
implements, such as GAC-04, and of the cases that test them. A clause is a gap when no case
for it passes. A clause about undefined behaviour (U) is a gap when no case for it makes a
finding.

Long work runs in parts: -shard I/N takes every N-th case, on a machine of its own if need be,
-resume FILE keeps results for the time after a kill, and lockstep merge puts parts together.
`,
	Setup: setupConformance,
}

// conformanceOptions are the flags of conformance.
type conformanceOptions struct {
	dir string
	batch.Forms
	quick, list, verbose, check                   bool
	matrix, keepMarks                             bool
	clause                                        string
	engine, subgroup, wave, workers, order, seeds string
	jobs                                          int
	timeout                                       time.Duration
	dma                                           conformance.DMA
	sweep                                         batch.SweepOptions
}

func setupConformance(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
	o := &conformanceOptions{}
	f.StringVar(&o.dir, "dir", "", "run the cases below `FOLDER` and not those that come with lockstep")
	f.BoolVar(&o.quick, "quick", false, "fewer combinations")
	f.BoolVar(&o.list, "list", false, "list the cases and what they prove, and run nothing")
	f.BoolVar(&o.matrix, "matrix", false, "report clauses against cases, and run only cases that prove one of them")
	f.StringVar(&o.clause, "clause", "", "only cases and clauses whose names begin with `PREFIX[,…]`, as GAC or AAO-10")
	f.BoolVar(&o.check, "check", false, "with the checks for undefined behaviour, but for cases about runs without them")
	o.Forms.Declare(f)
	f.BoolVar(&o.verbose, "v", false, "report the cases that pass, too")
	f.StringVar(&o.engine, "engine", "", "only the engines `NAME[,…]`")
	f.StringVar(&o.subgroup, "subgroup", "", "only sub-groups of `N[,…]` lanes")
	f.StringVar(&o.wave, "wave", "", "only waves of `N[,…]` lanes; 0 is what suits")
	f.StringVar(&o.workers, "workers", "", "only with `N[,…]` workers for work-groups")
	f.StringVar(&o.order, "schedule", "", "only the schedules `NAME[,…]` (lockstep help schedules)")
	f.StringVar(&o.seeds, "seed", "", "seeds `N[,…]` of schedules that are drawn from one")
	f.BoolVar(&o.keepMarks, "keep-marks", false, "keep async marks and waits that may be left out")
	f.IntVar(&o.dma.Engines, "dma-engines", 0, "only with `N` engines that copy for a work-group")
	f.IntVar(&o.dma.Queue, "dma-queue", 0, "only with queues of `N` copies for each of them")
	f.IntVar(&o.dma.Step, "dma-step", 0, "only with `BYTES` that each moves a tick in the schedule paced")
	f.IntVar(&o.jobs, "jobs", 0, "run `N` cases at the same time (default: one for each CPU)")
	o.sweep.Declare(f, "cases")
	f.DurationVar(&o.timeout, "timeout", 0, "time limit `DURATION` of a run of a case that states none (default 1m)")
	return o.run
}

func (o *conformanceOptions) run(ctx context.Context, env *cmdline.Env, patterns []string) error {
	if err := o.Forms.Check("conformance"); err != nil {
		return err
	}
	if o.matrix && o.list {
		return cmdline.Usagef("help conformance", "conformance: -matrix is about cases that run, and -list runs nothing")
	}
	if (o.matrix || o.list) && (o.JUnit || o.HTML) {
		return cmdline.Usagef("help conformance", "conformance: -matrix and -list have a text and a -json form, no %s", o.Forms.Flag())
	}
	if o.list && (o.sweep != batch.SweepOptions{}) {
		return cmdline.Usagef("help conformance", "conformance: -shard and -resume are about runs, and -list runs nothing")
	}
	if o.matrix && (o.sweep != batch.SweepOptions{}) {
		return cmdline.Usagef("help conformance", "conformance: -matrix is about all cases, without -shard and -resume")
	}
	matrix := conformance.Full()
	if o.quick {
		matrix = conformance.Quick()
	}
	if err := matrix.Set(conformance.Axes{
		Engines: o.engine, SubGroups: o.subgroup, Waves: o.wave, Workers: o.workers, Schedules: o.order, Seeds: o.seeds,
		KeepMarks: o.keepMarks, DMA: o.dma,
	}); err != nil {
		return cmdline.Usagef("help conformance", "conformance: %v", err)
	}
	cases, err := o.load(env, patterns)
	if err != nil {
		return err
	}
	cases, clauses, err := o.selected(cases)
	if err != nil {
		return err
	}
	if o.list && o.JSON {
		doc := CaseList{Cases: []caseEntry{}}
		for _, c := range cases {
			doc.Cases = append(doc.Cases, caseEntry{c.Name, c.Title, append([]string{}, c.Clauses...)})
		}
		return env.WriteDocument("conformance-list", &doc)
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
	report, err := o.runShard(ctx, env, cases, opt)
	if env.StderrTerminal {
		fmt.Fprint(env.Stderr, "\r\x1b[K")
	}
	if report == nil {
		return err
	}
	if werr := o.report(env, report, clauses); werr != nil {
		return werr
	}
	if err != nil || !report.OK() {
		return cmdline.ErrFound
	}
	return nil
}

// caseRecord is the kind of records that journals of conformance have: a caseResult.
const caseRecord = "case"

// caseResult is the result of a case, and its number among the cases of all shards.
type caseResult struct {
	Number int                        `json:"number"`
	Result conformance.ResultDocument `json:"result"`
}

// runShard runs the cases of -shard but for those that -resume has the results of. There is no report when an error keeps it
// from running.
func (o *conformanceOptions) runShard(ctx context.Context, env *cmdline.Env, cases []*conformance.Case, opt conformance.Options) (*conformance.Report, error) {
	digest, err := conformance.Digest(cases)
	if err != nil {
		return nil, err
	}
	matrix := *opt.Matrix
	matrix.Engines = nil // which run the cases is for each machine to say
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %+v %q %t %v", digest, matrix, o.engine, o.check, o.timeout))
	j, err := o.sweep.Open(env, "conformance", len(cases), struct{}{}, hex.EncodeToString(sum[:16]))
	if err != nil {
		return nil, err
	}
	before, err := RecordedCases(j.Before)
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	var numbers []int // of the cases of the shard
	var rest []*conformance.Case
	number := map[*conformance.Case]int{}
	for i, c := range cases {
		if !j.Shard.Has(i) {
			continue
		}
		numbers, number[c] = append(numbers, i), i
		if _, ok := before[i]; !ok {
			rest = append(rest, c)
		}
	}
	opt.Over = func(r *conformance.Result) error {
		return j.Append(caseRecord, caseResult{number[r.Case], r.Document()})
	}
	made, err := conformance.Run(ctx, rest, opt)
	if cerr := j.Close(); cerr != nil {
		return nil, cerr
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	report := &conformance.Report{}
	for _, i := range numbers {
		if r, ok := before[i]; ok {
			report.Results = append(report.Results, r.Result())
			continue
		}
		report.Results = append(report.Results, made.Results[0])
		made.Results = made.Results[1:]
	}
	return report, err
}

// RecordedCases returns the results that a journal of conformance has, by the numbers of the cases.
func RecordedCases(j *sweep.Journal) (map[int]*conformance.ResultDocument, error) {
	results := map[int]*conformance.ResultDocument{}
	if j == nil {
		return results, nil
	}
	for i := range j.Records {
		var c caseResult
		if err := json.Unmarshal(j.Records[i].Data, &c); err != nil || j.Records[i].Kind != caseRecord {
			return nil, fmt.Errorf("record %d of the results is not that of a case", i+1)
		}
		results[c.Number] = &c.Result
	}
	return results, nil
}

// load reads the cases that the patterns name.
func (o *conformanceOptions) load(env *cmdline.Env, patterns []string) ([]*conformance.Case, error) {
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

// selected returns the cases and, with -matrix, the clauses that -clause leaves over. With
// -matrix only cases that prove a clause of the list are of interest.
func (o *conformanceOptions) selected(cases []*conformance.Case) ([]*conformance.Case, []conformance.Clause, error) {
	var prefixes []string
	if o.clause != "" {
		for p := range strings.SplitSeq(o.clause, ",") {
			prefixes = append(prefixes, strings.TrimSpace(p))
		}
	}
	if !o.matrix {
		if prefixes == nil {
			return cases, nil, nil
		}
		if cases = conformance.SelectCases(cases, prefixes); len(cases) == 0 {
			return nil, nil, fmt.Errorf("-clause %s: none of the cases names such a clause (-list shows what they name)", o.clause)
		}
		return cases, nil, nil
	}
	clauses, err := conformance.Clauses()
	if err == nil {
		clauses, err = conformance.SelectClauses(clauses, prefixes)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("-matrix: %w", err)
	}
	var ids []string
	for _, c := range clauses {
		ids = append(ids, c.ID)
	}
	return conformance.SelectCases(cases, ids), clauses, nil
}

// CaseList is the JSON document of `lockstep conformance -list`.
type CaseList struct {
	Cases []caseEntry `json:"cases"`
}

type caseEntry struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Clauses []string `json:"clauses"`
}

// report writes the report in the form that the flags ask for.
func (o *conformanceOptions) report(env *cmdline.Env, r *conformance.Report, clauses []conformance.Clause) error {
	w := env.Stdout
	switch {
	case o.matrix && o.JSON:
		return env.WriteDocument("conformance-matrix", conformance.Cover(clauses, r).Document())
	case o.matrix:
		// What went wrong comes first, and the table last.
		if !r.OK() {
			if err := r.WriteText(w, false); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(w); err != nil {
				return err
			}
		}
		return conformance.Cover(clauses, r).WriteText(w, o.verbose)
	}
	return WriteConformance(env, o.Forms, r, o.verbose)
}

// WriteConformance writes a report in the form that flags ask for.
func WriteConformance(env *cmdline.Env, o batch.Forms, r *conformance.Report, verbose bool) error {
	switch {
	case o.JSON:
		return env.WriteDocument("conformance", r.Document())
	case o.JUnit:
		return r.WriteJUnit(env.Stdout)
	case o.HTML:
		return writeConformanceHTML(env.Stdout, r)
	}
	return r.WriteText(env.Stdout, verbose)
}
