package conformance

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// Options say how [Run] runs cases. The zero value is ready to use.
type Options struct {
	// Matrix says which configurations each case is run under; nil means Full.
	Matrix *Matrix
	// Workers is how many cases run at the same time; 0 means the number of
	// CPUs. It changes nothing in the report.
	Workers int
	// Timeout limits a run of a case that states no limit; 0 means a minute.
	Timeout time.Duration
	// Check turns the checks for undefined behaviour on for the cases that are not
	// about runs without them. A case that states no finding then must not make one.
	Check bool
	// Progress is called after each case with the number of cases that are
	// over. Calls do not overlap.
	Progress func(done, total int)
	// Over is called with the result of each case, before Progress, unless the context ended it. An error of it ends the run.
	Over func(r *Result) error

	// program, where a test sets it, changes how programs are compiled.
	program func(*emu.ProgramOptions)
}

const defaultTimeout = time.Minute

// Status is how a case ended.
type Status string

// The ways a case ends.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"  // some configuration did something else than the case says
	Broken  Status = "broken"  // the case itself cannot be read
	Skipped Status = "skipped" // no configuration of the matrix suits the case
	Stopped Status = "stopped" // the context ended the run before the case was over
)

// Result is what came of one case.
type Result struct {
	Case   *Case
	Status Status
	// Runs is the number of configurations that were tried.
	Runs int
	// Failures has one entry for each different message, in the order in which
	// the configurations first give it. A broken case has one.
	Failures []Failure
}

// Failure is one thing that is wrong, in one or more configurations.
type Failure struct {
	Message string
	// Config is the first configuration that shows it; nil for a broken case.
	Config *Config
	// Count is the number of configurations that show it.
	Count int

	key   string // what tells one failure of a case from another
	flags string // of Config, where a report was read that does not have it
}

// maxFailures bounds the different failures of one case.
const maxFailures = 8

// Run runs cases and returns their results in the order of the cases. Results depend on
// the cases and the matrix only, unless ctx ends the run, whose error it then
// returns beside what there is.
func Run(ctx context.Context, cases []*Case, opt Options) (*Report, error) {
	matrix := Full()
	if opt.Matrix != nil {
		matrix = *opt.Matrix
	}
	if opt.Timeout <= 0 {
		opt.Timeout = defaultTimeout
	}
	workers := opt.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	report := &Report{Results: make([]Result, len(cases))}
	groups := group(cases)
	next := make(chan []int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	over := func(r *Result) {
		mu.Lock()
		defer mu.Unlock()
		if opt.Over != nil && r.Status != Stopped {
			if err := opt.Over(r); err != nil {
				end(err)
			}
		}
		done++
		if opt.Progress != nil {
			opt.Progress(done, len(cases))
		}
	}
	for range min(workers, len(groups)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for indices := range next {
				if cases[indices[0]].Scenario != "" {
					report.Results[indices[0]] = runScenario(ctx, cases[indices[0]], matrix, mux.GetCompilers)
					over(&report.Results[indices[0]])
					continue
				}
				for len(indices) > 0 {
					b := &batch{matrix: matrix, check: opt.Check, program: opt.program, over: over}
					indices = b.fill(cases, indices, report.Results, opt.Timeout)
					b.run(ctx)
				}
			}
		}()
	}
	for _, indices := range groups {
		next <- indices
	}
	close(next)
	wg.Wait()
	return report, context.Cause(ctx)
}

// group returns the indices of the cases, those with the same module file together, so
// that a module with many kernels is compiled once for a device and not once for
// each of its cases.
func group(cases []*Case) [][]int {
	var groups [][]int
	byModule := map[string]int{}
	for i, c := range cases {
		if c.Module == "" {
			groups = append(groups, []int{i})
			continue
		}
		name := path.Join(c.dir, c.Module)
		g, ok := byModule[name]
		if !ok {
			g = len(groups)
			byModule[name] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], i)
	}
	return groups
}

// batch is a number of cases that are run device by device.
type batch struct {
	matrix Matrix
	check  bool

	program func(*emu.ProgramOptions)
	over    func(r *Result) // called after each case
	loader  loader
	trials  []*trial
}

// fill takes cases from the front of indices, as many as memory allows and at least
// one, and returns the rest. Cases that cannot be tried are over with that.
func (b *batch) fill(cases []*Case, indices []int, results []Result, timeout time.Duration) []int {
	held := 0
	for n, i := range indices {
		c, res := cases[i], &results[i]
		*res = Result{Case: c, Status: Passed}
		r, err := c.resolve()
		t := &trial{resolved: r, result: res, loader: &b.loader, program: b.program, timeout: timeout,
			peers: map[peer]seen{}, memory: map[expectation]left{}}
		if err == nil {
			err = t.prepare()
		}
		if err != nil {
			res.Status, res.Failures = Broken, []Failure{{Message: err.Error(), Count: 1}}
			b.over(res)
			continue
		}
		if c.Timeout > 0 {
			t.timeout = c.Timeout
		}
		t.check = c.Check == ChecksOn || (b.check && c.Check == ChecksAny)
		if t.configs = b.matrix.Configs(c); len(t.configs) == 0 {
			res.Status = Skipped
			b.over(res)
			continue
		}
		b.trials = append(b.trials, t)
		if held += r.bytes; held > maxBytes {
			return indices[n+1:]
		}
	}
	return nil
}

// run runs the cases of the batch under all their configurations.
func (b *batch) run(ctx context.Context) {
	defer b.loader.close()
	for {
		// The device that the first unfinished case wants next, and all others
		// that are as far.
		i := slices.IndexFunc(b.trials, func(t *trial) bool { return len(t.configs) > 0 })
		if i < 0 {
			return
		}
		d := b.trials[i].configs[0].device()
		for _, t := range b.trials[i:] {
			t.on(ctx, d, b.over)
		}
	}
}

// fault is something wrong in one configuration. Faults with the same key are one
// failure, told in the words of the first.
type fault struct{ key, text string }

// faultf makes a fault whose text is its key.
func faultf(format string, args ...any) fault {
	text := fmt.Sprintf(format, args...)
	return fault{text, text}
}

// fail notes what is wrong in a configuration.
func (r *Result) fail(f fault, cfg Config) {
	r.Status = Failed
	for i := range r.Failures {
		if r.Failures[i].key == f.key {
			r.Failures[i].Count++
			return
		}
	}
	if len(r.Failures) < maxFailures {
		r.Failures = append(r.Failures, Failure{Message: f.text, Config: &cfg, Count: 1, key: f.key})
	}
}
