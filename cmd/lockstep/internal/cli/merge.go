//go:build !browser

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/sweep"
	"github.com/lockstep-gpu/lockstep/conformance"
	"github.com/lockstep-gpu/lockstep/emu/explore"
)

var mergeCommand = &command{
	name:  "merge",
	args:  "FILE…",
	short: "put the results of shards together",
	text:  true,
	long: `Reads the files that lockstep explore or lockstep conformance have written with -resume, one
of each shard, and prints the report that one command without -shard prints: as text, or as
JSON, JUnit XML or a page of HTML that needs nothing else.

  lockstep explore k.cl … -runs 1000000 -shard 1/100 -resume 1.jsonl    (and so on to 100)
  lockstep merge *.jsonl

Files of other versions, modules, cases or flags do not belong together; they are refused, and
so are shards that are missing, are there twice, or have not come to their end.

Runs of explore are not made again: the place where outcomes part is the first that a shard
has found between two of its own. The exit status is that of the report: 0 when all is well, 1
when not; and 2 when files are refused.
`,
	setup: setupMerge,
}

// mergeOptions are the flags of merge.
type mergeOptions struct {
	forms
	verbose, quiet bool
	color          string
}

func setupMerge(f *flags) func(context.Context, *Env, []string) error {
	o := &mergeOptions{}
	o.forms.declare(f)
	f.BoolVar(&o.verbose, "v", false, "print all outcomes, or the cases that pass, too")
	f.BoolVar(&o.quiet, "q", false, "of explore, say how many outcomes there are, and no more")
	f.StringVar(&o.color, "color", "auto", "colours in findings `WHEN`: auto (on a terminal, unless NO_COLOR is set), always or never")
	return o.run
}

func (o *mergeOptions) run(_ context.Context, env *Env, files []string) error {
	if err := o.check("merge"); err != nil {
		return err
	}
	switch {
	case o.quiet && o.verbose:
		return usagef("help merge", "merge: -q and -v contradict each other")
	case !slices.Contains(colorModes, o.color):
		return usagef("help merge", "merge: -color %s: it takes %s", o.color, "auto, always or never")
	case len(files) == 0:
		return usagef("help merge", "merge: no file of results given")
	}
	journals := make([]*sweep.Journal, len(files))
	for i, name := range files {
		j, err := readJournal(env, name)
		if err != nil {
			return err
		}
		if j == nil {
			return fmt.Errorf("%s: the file is empty", name)
		}
		journals[i] = j
	}
	whole, err := sweep.Merge(files, journals)
	if err != nil {
		return err
	}
	var ok bool
	switch whole.Header.Command {
	case "explore":
		ok, err = o.explore(env, files, journals, whole)
	case "conformance":
		ok, err = o.conformance(env, files, journals, whole)
	default:
		return fmt.Errorf("%s: results of the command %q, which this version does not know", files[0], whole.Header.Command)
	}
	if err == nil && !ok {
		err = errFound
	}
	return err
}

// completeShard says which results of a shard are missing or do not belong to it.
func completeShard(name string, h *sweep.Header, numbers []int) error {
	part, seen := h.Part(), map[int]bool{}
	for _, n := range numbers {
		if n < 0 || n >= h.Total || !part.Has(n) {
			return fmt.Errorf("%s: result %d is not one of shard %v", name, n, part)
		}
		seen[n] = true
	}
	if missing := part.Count(h.Total) - len(seen); missing > 0 {
		first := part.Number - 1
		for seen[first] {
			first += part.Of
		}
		return fmt.Errorf("%s: missing: %d of %s of shard %v, the first of them number %d; the same command with -resume makes them",
			name, missing, counted(part.Count(h.Total), "result"), part, first)
	}
	return nil
}

// explore reports merged results of explore.
func (o *mergeOptions) explore(env *Env, files []string, journals []*sweep.Journal, whole *sweep.Journal) (ok bool, err error) {
	for i, j := range journals {
		r, err := recordedRuns(j)
		if err != nil {
			return false, fmt.Errorf("%s: %w", files[i], err)
		}
		var numbers []int
		for k := range r.Runs {
			numbers = append(numbers, r.Runs[k].Index)
		}
		if err := completeShard(files[i], &j.Header, numbers); err != nil {
			return false, err
		}
	}
	report, err := recordedRuns(whole)
	if err != nil {
		return false, err
	}
	var about exploreAbout
	if err := json.Unmarshal(whole.Header.About, &about); err != nil {
		return false, fmt.Errorf("%s: %w", files[0], err)
	}
	report.Planned = whole.Header.Total
	// Outcomes that no run has left are not of this report.
	report.Outcomes = slices.DeleteFunc(report.Outcomes, func(o explore.Outcome) bool { return report.Count(&o) == 0 })
	doc := newExploreDocument(about, sweep.Whole, report)
	err = o.write(env, "explore", doc, exploreStyle{verbose: o.verbose, quiet: o.quiet, color: env.colorful(o.color)})
	return doc.ok(), err
}

// conformance reports merged results of conformance.
func (o *mergeOptions) conformance(env *Env, files []string, journals []*sweep.Journal, whole *sweep.Journal) (ok bool, err error) {
	for i, j := range journals {
		results, err := recordedCases(j)
		if err != nil {
			return false, fmt.Errorf("%s: %w", files[i], err)
		}
		var numbers []int
		for n := range results {
			numbers = append(numbers, n)
		}
		slices.Sort(numbers)
		if err := completeShard(files[i], &j.Header, numbers); err != nil {
			return false, err
		}
	}
	results, err := recordedCases(whole)
	if err != nil {
		return false, err
	}
	report := &conformance.Report{}
	for n := range whole.Header.Total {
		report.Results = append(report.Results, results[n].Result())
	}
	return report.OK(), writeConformance(env, o.forms, report, o.verbose)
}
