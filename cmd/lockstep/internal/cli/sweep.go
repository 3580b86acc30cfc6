package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/sweep"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/explore"
)

// sweepOptions are the flags of commands that do long work in parts.
type sweepOptions struct{ shard, resume string }

func (o *sweepOptions) declare(f *flags, what string) {
	f.StringVar(&o.shard, "shard", "", fmt.Sprintf("only part `I/N` of the %s, such as 2/8: lockstep merge puts N parts together", what))
	f.StringVar(&o.resume, "resume", "", "append results to `FILE` as they come, and leave out those that it has: after a\nkill, the same command makes the rest; lockstep merge reads such files")
}

// journal is the file of -resume; without one it keeps nothing.
type journal struct {
	shard  sweep.Shard
	before *sweep.Journal // what it held when the command began; nil for nothing
	w      *sweep.Writer
}

// open reads the file of -resume and begins to append to it. Total is how many results all shards have; about
// describes the work, and work is a digest of everything that the results depend on.
func (o *sweepOptions) open(env *Env, command string, total int, about any, work string) (*journal, error) {
	shard, err := sweep.ParseShard(o.shard)
	if err != nil {
		return nil, usagef("help "+command, "%s: -shard %v", command, err)
	}
	j := &journal{shard: shard}
	if o.resume == "" {
		return j, nil
	}
	if o.resume == "-" {
		return nil, usagef("help "+command, "%s: -resume takes a file", command)
	}
	text, err := json.Marshal(about)
	if err != nil {
		return nil, err
	}
	h := &sweep.Header{Command: command, Version: emu.Version, Work: work, Total: total, Shard: shard.Number, Shards: shard.Of, About: text}
	if j.before, err = readJournal(env, o.resume); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("-resume %w", err)
	}
	if j.before != nil {
		if err := j.before.Continues(h); err != nil {
			return nil, fmt.Errorf("-resume %s: %w", o.resume, err)
		}
	}
	w, err := env.Append(o.resume)
	if err != nil {
		return nil, fmt.Errorf("-resume: %w", err)
	}
	if j.w, err = sweep.NewWriter(w, h, j.before); err != nil {
		return nil, fmt.Errorf("-resume %s: %w", o.resume, errors.Join(err, w.Close()))
	}
	return j, nil
}

// readJournal reads a journal; nil is that of an empty file.
func readJournal(env *Env, path string) (*sweep.Journal, error) {
	f, err := env.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	j, err := sweep.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return j, nil
}

// append appends a record.
func (j *journal) append(kind string, v any) error {
	if j.w == nil {
		return nil
	}
	if err := j.w.Append(kind, v); err != nil {
		return fmt.Errorf("-resume: %w", err)
	}
	return nil
}

// close closes the file.
func (j *journal) close() error {
	if j.w == nil {
		return nil
	}
	return j.w.Close()
}

// The kinds of records of explore.
const (
	runRecord        = "run"        // an explore.Run
	outcomeRecord    = "outcome"    // an explore.Outcome, before a run of it
	differenceRecord = "difference" // an explore.Difference, at the end
)

// recordRun appends a run, and the outcome before it where it is not nil.
func recordRun(j *journal, run explore.Run, o *explore.Outcome) error {
	if o != nil {
		if err := j.append(outcomeRecord, o); err != nil {
			return err
		}
	}
	return j.append(runRecord, run)
}

// recordedRuns returns what a journal of explore holds: runs in the order of the plan, outcomes with the
// findings of the first run of each, and the difference of the two outcomes that come first.
func recordedRuns(j *sweep.Journal) (*explore.Report, error) {
	r := &explore.Report{Unfinished: []explore.Run{}}
	if j == nil {
		return r, nil
	}
	runs, outcomes := map[int]bool{}, map[string]int{}
	for i := range j.Records {
		rec := &j.Records[i]
		var err error
		switch rec.Kind {
		case runRecord:
			var run explore.Run
			if err = json.Unmarshal(rec.Data, &run); err == nil && !runs[run.Index] {
				runs[run.Index] = true
				r.Runs = append(r.Runs, run)
			}
		case outcomeRecord:
			var o explore.Outcome
			if err = json.Unmarshal(rec.Data, &o); err != nil {
				break
			}
			if at, ok := outcomes[o.ID]; !ok {
				outcomes[o.ID] = len(r.Outcomes)
				r.Outcomes = append(r.Outcomes, o)
			} else if o.First.Index < r.Outcomes[at].First.Index {
				r.Outcomes[at] = o
			}
		case differenceRecord:
			d := new(explore.Difference)
			if err = json.Unmarshal(rec.Data, d); err == nil && (r.Difference == nil || earlier(d, r.Difference)) {
				r.Difference = d
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the results: %w", i+2, err)
		}
	}
	r.Sort()
	for i := range r.Runs {
		if _, ok := outcomes[r.Runs[i].Outcome]; !ok {
			return nil, fmt.Errorf("run %d has the outcome %q, which the results do not have", r.Runs[i].Index, r.Runs[i].Outcome)
		}
	}
	return r, nil
}

// earlier says whether a difference is of outcomes that come before those of another one.
func earlier(a, b *explore.Difference) bool {
	if a.Runs[0].Index != b.Runs[0].Index {
		return a.Runs[0].Index < b.Runs[0].Index
	}
	return a.Runs[1].Index < b.Runs[1].Index
}
