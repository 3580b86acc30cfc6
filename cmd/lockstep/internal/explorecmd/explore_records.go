package explorecmd

import (
	"encoding/json"
	"fmt"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/batch"
	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/sweep"
	"github.com/lockstep-gpu/lockstep/emu/explore"
)

// The kinds of records of explore.
const (
	runRecord        = "run"        // an explore.Run
	outcomeRecord    = "outcome"    // an explore.Outcome, before a run of it
	differenceRecord = "difference" // an explore.Difference, at the end
)

// recordRun appends a run, and the outcome before it where it is not nil.
func recordRun(j *batch.Journal, run explore.Run, o *explore.Outcome) error {
	if o != nil {
		if err := j.Append(outcomeRecord, o); err != nil {
			return err
		}
	}
	return j.Append(runRecord, run)
}

// RecordedRuns returns what a journal of explore holds: runs in the order of the plan, outcomes with the
// findings of the first run of each, and the difference of the two outcomes that come first.
func RecordedRuns(j *sweep.Journal) (*explore.Report, error) {
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
