package mergecmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/batch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/conformancecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/explorecmd"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/sweep"
	"github.com/lockstep-gpu/lockstep/conformance"
	"github.com/lockstep-gpu/lockstep/emu/explore"
)

// Command is lockstep merge.
var Command = &cmdline.Command{
	Name:  "merge",
	Args:  "FILE…",
	Short: "put the results of shards together",
	Text:  true,
	Long: `Reads the files that lockstep explore or lockstep conformance have written with -resume, one
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
	Setup: setupMerge,
}

// mergeOptions are the flags of merge.
type mergeOptions struct {
	batch.Forms
	verbose, quiet bool
	color          string
}

func setupMerge(f *cmdline.Flags) func(context.Context, *cmdline.Env, []string) error {
	o := &mergeOptions{}
	o.Forms.Declare(f)
	f.BoolVar(&o.verbose, "v", false, "print all outcomes, or the cases that pass, too")
	f.BoolVar(&o.quiet, "q", false, "of explore, say how many outcomes there are, and no more")
	f.StringVar(&o.color, "color", "auto", "colours in findings `WHEN`: auto (on a terminal, unless NO_COLOR is set), always or never")
	return o.run
}

func (o *mergeOptions) run(_ context.Context, env *cmdline.Env, files []string) error {
	if err := o.Check("merge"); err != nil {
		return err
	}
	switch {
	case o.quiet && o.verbose:
		return cmdline.Usagef("help merge", "merge: -q and -v contradict each other")
	case !slices.Contains(cmdline.ColorModes, o.color):
		return cmdline.Usagef("help merge", "merge: -color %s: it takes %s", o.color, "auto, always or never")
	case len(files) == 0:
		return cmdline.Usagef("help merge", "merge: no file of results given")
	}
	journals := make([]*sweep.Journal, len(files))
	for i, name := range files {
		j, err := batch.ReadJournal(env, name)
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
		err = cmdline.ErrFound
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
			name, missing, cmdline.Counted(part.Count(h.Total), "result"), part, first)
	}
	return nil
}

// explore reports merged results of explore.
func (o *mergeOptions) explore(env *cmdline.Env, files []string, journals []*sweep.Journal, whole *sweep.Journal) (ok bool, err error) {
	for i, j := range journals {
		r, err := explorecmd.RecordedRuns(j)
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
	report, err := explorecmd.RecordedRuns(whole)
	if err != nil {
		return false, err
	}
	var about explorecmd.About
	if err := json.Unmarshal(whole.Header.About, &about); err != nil {
		return false, fmt.Errorf("%s: %w", files[0], err)
	}
	report.Planned = whole.Header.Total
	// Outcomes that no run has left are not of this report.
	report.Outcomes = slices.DeleteFunc(report.Outcomes, func(o explore.Outcome) bool { return report.Count(&o) == 0 })
	doc := explorecmd.NewDocument(about, sweep.Whole, report)
	err = o.Write(env, "explore", doc, batch.Style{Verbose: o.verbose, Quiet: o.quiet, Color: env.Colorful(o.color)})
	return doc.OK(), err
}

// conformance reports merged results of conformance.
func (o *mergeOptions) conformance(env *cmdline.Env, files []string, journals []*sweep.Journal, whole *sweep.Journal) (ok bool, err error) {
	for i, j := range journals {
		results, err := conformancecmd.RecordedCases(j)
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
	results, err := conformancecmd.RecordedCases(whole)
	if err != nil {
		return false, err
	}
	report := &conformance.Report{}
	for n := range whole.Header.Total {
		report.Results = append(report.Results, results[n].Result())
	}
	return report.OK(), conformancecmd.WriteConformance(env, o.Forms, report, o.verbose)
}
