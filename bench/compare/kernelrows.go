package main

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// Row is one kernel in the table.
type Row struct {
	Kernel string `json:"kernel"`
	Work   string `json:"work"`
	// Cells has one entry for each implementation, in their order.
	Cells []Cell `json:"cells"`
	// Target is how many times as fast as Oclgrind lockstep shall be, and
	// Verdict says whether it is; "" when Oclgrind did not run.
	Target  float64 `json:"target"`
	Verdict string  `json:"verdict"`
}

// Cell is what one implementation did with one kernel.
type Cell struct {
	// Error says why the implementation has no result.
	Error string `json:"error,omitempty"`
	// Build is the time to make the kernel and First that of its first launch
	// (in which some implementations compile), in seconds.
	Build float64 `json:"build_s"`
	First float64 `json:"first_s"`
	// Time is the median of the rounds, in seconds; CPU is what the process
	// used of all CPUs for it.
	Time float64 `json:"time_s"`
	CPU  float64 `json:"cpu_s"`
	Runs int     `json:"runs"`
	// Faster is how many times as fast lockstep is, the median of the ratios
	// of each round, and FasterCPU the same in CPU time; 0 for lockstep itself.
	Faster    float64 `json:"faster,omitempty"`
	FasterCPU float64 `json:"faster_cpu,omitempty"`
	// Result says how the result compares with the kernel's reference, whose
	// bits are also lockstep's.
	Result string `json:"result"`
}

// Verdicts of a target.
const (
	holds  = "holds"
	misses = "MISSES"
)

// verdict says whether a target holds.
func verdict(ok bool) string {
	if ok {
		return holds
	}
	return misses
}

// targets are the kernels whose target is not that of the others: the
// mathematics of blackscholes is correctly rounded here.
var targets = map[string]float64{"blackscholes": 20}

const defaultTarget = 100

// subject is an implementation in the comparison of one kernel.
type subject struct {
	proc    *process
	session int
	times   []time.Duration // median of each round
	cpu     []time.Duration // mean of each round
}

// compareKernel runs one workload on all implementations, the first of which is
// lockstep, in rounds.
func (c *comparison) compareKernel(w *bench.Workload) (Row, error) {
	l := w.Default
	if c.sizes == "small" {
		l = w.Small
	}
	row := Row{Kernel: w.Name(), Work: describe(l), Target: defaultTarget, Cells: make([]Cell, len(c.processes))}
	if t, ok := targets[w.Name()]; ok {
		row.Target = t
	}
	want, err := reference(w.Kernel, l)
	if err != nil {
		return row, err
	}
	subjects := make([]subject, len(c.processes))
	for i, p := range c.processes {
		s, cell := &subjects[i], &row.Cells[i]
		s.proc = p
		got, err := s.prepare(w.Kernel, l, cell)
		if err != nil {
			if i == 0 {
				return row, err
			}
			cell.Error = err.Error()
			continue
		}
		cell.Result = agreement(w.Kernel, want, got)
		if i == 0 {
			if cell.Result != sameBits {
				return row, fmt.Errorf("%s: lockstep differs from the reference: %s", w.Name(), cell.Result)
			}
		}
	}
	for range c.runs {
		for i := range subjects {
			if row.Cells[i].Error != "" {
				continue
			}
			if err := subjects[i].round(c.budget, &row.Cells[i]); err != nil {
				row.Cells[i].Error = err.Error()
			}
		}
	}
	for i := range subjects {
		cell := &row.Cells[i]
		if cell.Error != "" {
			if i == 0 {
				return row, fmt.Errorf("%s: %s", w.Name(), cell.Error)
			}
			continue
		}
		cell.Time, cell.CPU = median(subjects[i].times).Seconds(), median(subjects[i].cpu).Seconds()
		if i > 0 {
			cell.Faster = median(ratios(subjects[i].times, subjects[0].times))
			cell.FasterCPU = median(ratios(subjects[i].cpu, subjects[0].cpu))
			if c.implementations[i].Name == oclgrind {
				row.Verdict = verdict(cell.Faster >= row.Target)
			}
		}
		if _, err := subjects[i].proc.ask(request{Op: opClose, Session: subjects[i].session}); err != nil {
			return row, err
		}
	}
	return row, nil
}

// prepare makes the session and runs it once.
func (s *subject) prepare(k *kernels.Kernel, l kernels.Launch, cell *Cell) ([][]byte, error) {
	session, build, err := s.proc.open(request{Kernel: k.Name, Launch: l})
	if err != nil {
		return nil, err
	}
	s.session = session
	a, err := s.proc.ask(request{Op: opFirst, Session: session})
	if err != nil {
		return nil, err
	}
	cell.Build, cell.First = build.Seconds(), a.Times[0].Seconds()
	return a.Outputs, nil
}

// round adds one round of measurement.
func (s *subject) round(budget time.Duration, cell *Cell) error {
	a, err := s.proc.measure(s.session, budget)
	if err != nil {
		return err
	}
	s.times = append(s.times, median(a.Times))
	s.cpu = append(s.cpu, a.CPU/time.Duration(len(a.Times)))
	cell.Runs += len(a.Times)
	return nil
}

// describe says how much work a launch is.
func describe(l kernels.Launch) string {
	var b []byte
	for i, g := range l.Global {
		if i > 0 {
			b = append(b, " x "...)
		}
		b = fmt.Append(b, g)
	}
	return string(b)
}

// buffer is the contents of an argument with the type of its elements.
type buffer struct {
	typ  argspec.Type
	data []byte
}

// reference computes what the kernel must leave in the buffers that it writes.
func reference(k *kernels.Kernel, l kernels.Launch) ([]buffer, error) {
	args, err := bench.ParseArgs(l)
	if err != nil {
		return nil, err
	}
	contents := make([][]byte, len(args))
	for i, a := range args {
		contents[i] = slices.Clone(a.Data)
	}
	if err := k.Reference(l, contents); err != nil {
		return nil, err
	}
	var out []buffer
	for _, i := range k.Outputs {
		out = append(out, buffer{args[i].Type, contents[i]})
	}
	return out, nil
}

// Results of a comparison; a tolerated distance is a number of ulp.
const (
	sameBits = "same bits"
	differs  = "DIFFERS"
)

// agreement says how got compares with want.
func agreement(k *kernels.Kernel, want []buffer, got [][]byte) string {
	if len(got) != len(want) {
		return fmt.Sprintf(differs+": %d buffers, not %d", len(got), len(want))
	}
	var worst uint64
	for i, w := range want {
		if bytes.Equal(w.data, got[i]) {
			continue
		}
		size := w.typ.Size()
		if len(w.data) != len(got[i]) {
			return fmt.Sprintf(differs+": argument %d has %d bytes, not %d", k.Outputs[i], len(got[i]), len(w.data))
		}
		tolerant := k.Tolerance != nil && w.typ.Float() && k.Tolerance.Bits == 8*size
		for at := 0; at+size <= len(w.data); at += size {
			a, b := element(w.data[at:], size), element(got[i][at:], size)
			if a == b {
				continue
			}
			d := ulps(a, b, size)
			if !tolerant || d > k.Tolerance.Ulps {
				return fmt.Sprintf(differs+" in argument %d, element %d: %#x, not %#x", k.Outputs[i], at/size, b, a)
			}
			worst = max(worst, d)
		}
	}
	if worst > 0 {
		return fmt.Sprintf("%d ulp", worst)
	}
	return sameBits
}
