package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// Row is one kernel in the table.
type Row struct {
	Kernel string `json:"kernel"`
	// Eight says whether the kernel counts for the geometric mean.
	Eight bool `json:"eight"`
	// Field is where the kernel is from, if it is one of many fields, and Watched says what bench.Watched does.
	Field   string `json:"field,omitempty"`
	Watched bool   `json:"watched,omitempty"`
	// Work is the number of work-items, and Smaller that of the launch that a
	// slow implementation gets; "" when there is none.
	Work    string `json:"work"`
	Smaller string `json:"smaller,omitempty"`
	// Cells has one entry for each implementation, in their order.
	Cells []Cell `json:"cells"`
	// Targets are what is asked of the first implementation.
	Targets []Target `json:"targets,omitempty"`
}

// Target is a speed that the first implementation shall have.
type Target struct {
	// Against is the implementation that it is held against, and Least how many
	// times as fast the first one shall be.
	Against string  `json:"against"`
	Least   float64 `json:"least"`
	Verdict string  `json:"verdict"`
}

// Cell is what one implementation did with one kernel.
type Cell struct {
	// Absent is true where the implementation does not have the kernel, and
	// Error says why it has no result otherwise.
	Absent bool   `json:"absent,omitempty"`
	Error  string `json:"error,omitempty"`
	// Compile is the part of First in which an engine of lockstep compiles the
	// kernel's bytecode, Build the time to make the kernel and First that of its
	// first launch (in which others compile too), in seconds.
	Compile float64 `json:"compile_s,omitempty"`
	Build   float64 `json:"build_s"`
	First   float64 `json:"first_s"`
	// Time is the median of the rounds, in seconds; CPU is what the process
	// used of all CPUs for it.
	Time float64 `json:"time_s"`
	CPU  float64 `json:"cpu_s"`
	Runs int     `json:"runs"`
	// Share is the part of the row's work that was done, in operations of lanes
	// as lockstep counts them; 0 for all of it.
	Share float64 `json:"share,omitempty"`
	// Faster is how many times as fast the first implementation is, by equal
	// work: the median of the ratios of each round. FasterCPU is the same in CPU
	// time. Both are 0 for the first itself.
	Faster    float64 `json:"faster,omitempty"`
	FasterCPU float64 `json:"faster_cpu,omitempty"`
	// MachineCode is the part of the operations of lanes that machine code did, on a native engine, and Portable has the
	// instructions that it left most often.
	MachineCode float64  `json:"machine_code,omitempty"`
	Portable    []string `json:"portable,omitempty"`
	// Result says how the result compares with the kernel's reference, whose
	// bits are also lockstep's.
	Result string `json:"result,omitempty"`
}

// measured says whether there is a time.
func (c *Cell) measured() bool { return !c.Absent && c.Error == "" }

// equal is the time for all of the row's work.
func (c *Cell) equal() float64 {
	if c.Share == 0 {
		return c.Time
	}
	return c.Time / c.Share
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

// subject is an implementation in the comparison of one kernel.
type subject struct {
	proc    *process
	session int
	work    uint64
	times   []time.Duration // median of each round
	cpu     []time.Duration // mean of each round
}

// compareKernel runs one workload on all implementations, the first of which is
// lockstep's, in rounds.
func (c *comparison) compareKernel(w *bench.Workload) (Row, error) {
	l := w.Default
	if c.sizes == "small" {
		l = w.Small
	}
	row := Row{Kernel: w.Name(), Eight: w.Set == bench.Eight, Field: w.Field, Watched: w.Watched(), Work: describe(l), Cells: make([]Cell, len(c.processes))}
	want, err := reference(w.Kernel, l)
	if err != nil {
		return row, err
	}
	subjects := make([]subject, len(c.processes))
	for i, p := range c.processes {
		s, cell, impl := &subjects[i], &row.Cells[i], c.implementations[i]
		s.proc = p
		if impl.Name == handwritten && !hasYardstick(w.Kernel) {
			cell.Absent = true
			continue
		}
		if impl.slow() && c.sizes != "small" {
			if err := c.smaller(w, s, &row, cell); err != nil {
				return row, err
			}
			continue
		}
		got, err := s.prepare(w.Kernel, l, cell)
		if err == nil && impl.native() {
			if cell.Compile, err = c.compileTime(p, w.Name()); err == nil {
				err = c.share(s, cell)
			}
		}
		if err != nil {
			cell.Error = err.Error()
		} else {
			cell.Result = agreement(w.Kernel, want, got)
		}
		if impl.lockstep() && cell.Result != sameBits {
			return row, fmt.Errorf("%s on %s: %s%s", w.Name(), impl.Name, cell.Error, cell.Result)
		}
	}
	for i := range subjects {
		if cell := &row.Cells[i]; cell.Share != 0 && cell.measured() {
			cell.Share /= float64(subjects[0].work)
		}
	}
	c.rounds(subjects, &row)
	return row, c.finish(subjects, &row)
}

// smaller prepares a slow implementation for the small launch. Its share is the
// work of that launch for now.
func (c *comparison) smaller(w *bench.Workload, s *subject, row *Row, cell *Cell) error {
	want, err := reference(w.Kernel, w.Small)
	if err != nil {
		return err
	}
	row.Smaller = describe(w.Small)
	counter := subject{proc: c.processes[0]}
	got, err := counter.prepare(w.Kernel, w.Small, &Cell{})
	if err != nil {
		return err
	}
	if result := agreement(w.Kernel, want, got); result != sameBits {
		return fmt.Errorf("%s, %s work-items: %s", w.Name(), row.Smaller, result)
	}
	if err := closeSessions(counter.proc, []int{counter.session}); err != nil {
		return err
	}
	cell.Share = float64(counter.work)
	if got, err = s.prepare(w.Kernel, w.Small, cell); err != nil {
		cell.Error = err.Error()
		return nil
	}
	cell.Result = agreement(w.Kernel, want, got)
	return nil
}

// slowRounds is how often slow implementations are measured at most.
const slowRounds = 3

// rounds measures the subjects by turns.
func (c *comparison) rounds(subjects []subject, row *Row) {
	for round := range c.runs {
		for i := range subjects {
			cell := &row.Cells[i]
			if !cell.measured() || c.implementations[i].slow() && round >= slowRounds {
				continue
			}
			if err := subjects[i].round(c.budget, cell); err != nil {
				cell.Error = err.Error()
			}
		}
	}
}

// finish makes the numbers of the rounds and closes the sessions.
func (c *comparison) finish(subjects []subject, row *Row) error {
	for i := range subjects {
		cell := &row.Cells[i]
		if !cell.measured() {
			if c.implementations[i].lockstep() {
				return fmt.Errorf("%s: %s", row.Kernel, cell.Error)
			}
			continue
		}
		cell.Time, cell.CPU = median(subjects[i].times).Seconds(), median(subjects[i].cpu).Seconds()
		if i > 0 {
			share := cell.equal() / cell.Time
			cell.Faster = share * median(ratios(subjects[i].times, subjects[0].times))
			cell.FasterCPU = share * median(ratios(subjects[i].cpu, subjects[0].cpu))
		}
		if err := closeSessions(subjects[i].proc, []int{subjects[i].session}); err != nil {
			return err
		}
	}
	row.Targets = c.targets(row)
	return nil
}

// compileRuns is how often a kernel is compiled.
const compileRuns = 15

// compileTime is how long the native engine compiles a kernel.
func (c *comparison) compileTime(p *process, kernel string) (float64, error) {
	a, err := p.ask(request{Op: opCompile, Kernel: kernel, Engine: p.engine, Runs: compileRuns})
	return median(a.Times).Seconds(), err
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
	cell.Build, cell.First, s.work = build.Seconds(), a.Times[0].Seconds(), a.Work
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

// largestUlps is how far a value may be from the reference's in units in the last
// place of the buffer's largest: where large values cancel, what is left has
// their errors and none of their size.
const largestUlps = 16

// agreement says how got compares with want.
func agreement(k *kernels.Kernel, want []buffer, got [][]byte) string {
	if len(got) != len(want) {
		return fmt.Sprintf(differs+": %d buffers, not %d", len(got), len(want))
	}
	var worst uint64
	far := 0.0 // the same in units of the largest, where that is what is tolerated
	for i, w := range want {
		if bytes.Equal(w.data, got[i]) {
			continue
		}
		size := w.typ.Size()
		if len(w.data) != len(got[i]) {
			return fmt.Sprintf(differs+": argument %d has %d bytes, not %d", k.Outputs[i], len(got[i]), len(w.data))
		}
		tolerant := k.Tolerance != nil && w.typ.Float() && k.Tolerance.Bits == 8*size
		unit := 0.0
		for at := 0; at+size <= len(w.data); at += size {
			a, b := element(w.data[at:], size), element(got[i][at:], size)
			if a == b {
				continue
			}
			d := ulps(a, b, size)
			if tolerant && d <= k.Tolerance.Ulps {
				worst = max(worst, d)
				continue
			}
			if tolerant && unit == 0 {
				unit = largestUnit(w.data, size)
			}
			e := math.Abs(float(a, size)-float(b, size)) / unit
			if !tolerant || !(e <= largestUlps) {
				return fmt.Sprintf(differs+" in argument %d, element %d: %#x, not %#x", k.Outputs[i], at/size, b, a)
			}
			far = max(far, e)
		}
	}
	switch {
	case far > 0:
		return fmt.Sprintf("%s ulp of the largest", number(far))
	case worst > 0:
		return fmt.Sprintf("%d ulp", worst)
	}
	return sameBits
}
