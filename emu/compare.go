package emu

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// compareEngine is the name for DeviceOptions.Engine that runs each launch on two engines.
const compareEngine = "compare"

// comparable returns why a launch cannot be compared on a device that compares launches.
func (p *prepared) comparable() error {
	k, d := p.Kernel, p.Kernel.prog.dev
	if d.reference == nil {
		return nil
	}
	refuse := func(why string) error {
		return fmt.Errorf("engine %s, kernel %s: %w: %s", compareEngine, k.code.Name, ErrNotCompared, why)
	}
	switch c := p.Schedule.Completion; {
	case p.Check:
		return refuse(fmt.Sprintf("checks run on engine %s only", d.reference.Name()))
	case p.Memory == MemoryWeak:
		return refuse(fmt.Sprintf("weak memory is on engine %s only", d.reference.Name()))
	case k.code.UsesAsync && (c == dma.Seeded || c == dma.Paced):
		return refuse(fmt.Sprintf("copies that complete %s run on engine %s only", c, d.reference.Name()))
	case k.fallback != nil && k.fallback.Fallback() != nil:
		return refuse(k.fallback.Fallback().Error())
	}
	return nil
}

// compareMemory returns the memory before a launch that is going to be compared.
func (d *Device) compareMemory() (*memory.Snapshot, error) {
	if d.mapped > 0 {
		return nil, fmt.Errorf("engine %s runs a launch twice from the same memory, but a buffer %w", compareEngine, ErrMapped)
	}
	// Memory before the launch, and as the reference engine leaves it.
	if err := d.hostCopies("engine "+compareEngine+", which keeps two copies of device memory", 2); err != nil {
		return nil, err
	}
	return d.mem.Snapshot(), nil
}

// comparison is a launch that runs on the reference engine, and again from the same memory on the engine
// under test.
type comparison struct {
	*prepared
	opt    scheduler.Options
	before *memory.Snapshot

	// Of the last pair of runs: the two results, and what the reference left in memory.
	want, got *Result
	after     *memory.Snapshot
	changes   []memory.Difference
}

// runCompared runs the launch on both engines and compares what they leave. The device is held, and the
// arguments are filled in.
func (p *prepared) runCompared(ctx context.Context, opt scheduler.Options) (*Result, error) {
	before, err := p.Kernel.prog.dev.compareMemory()
	if err != nil {
		return nil, err
	}
	c := &comparison{prepared: p, opt: opt, before: before}
	output := opt.Output
	c.opt.Output = nil
	if opt.Tracer != nil {
		opt.Parallel = ParallelNever // as it is anyway
	}
	if sr, err := c.both(ctx); sr != nil || err != nil {
		return c.ended(sr, err, output)
	}
	differs := c.differs()
	c.opt.Tracer, c.opt.Subgroups, c.opt.Prints, c.opt.Progress, c.opt.Look = nil, nil, nil, nil, nil
	if (differs || c.want.Findings.Failed()) && opt.Parallel != ParallelNever {
		// One work-group after the other: memory then depends neither on the workers' speed nor on
		// how far they get beside a fault.
		c.opt.Parallel = ParallelNever
		if sr, err := c.both(ctx); sr != nil || err != nil {
			return c.ended(sr, err, output)
		}
	}
	res := c.want
	switch {
	case c.differs():
		f := c.difference(ctx)
		res.Findings.Findings = append([]finding.Finding{f}, res.Findings.Findings...)
	case differs:
		res.Findings.Findings = append(res.Findings.Findings, finding.Finding{
			Code: finding.EngineDiff, Severity: finding.Warning, Kernel: p.Kernel.code.Name, Count: 1, Groups: 1, Reproduce: p.reproduce(),
			Message: "the engines " + c.names() + " differ, but not where work-groups run one after the other",
			Detail:  "work-groups race, or an engine does not keep them apart",
		})
	}
	c.after.Restore()
	if output != nil {
		if _, err := output.Write(res.Output); err != nil {
			return res, fmt.Errorf("printf output: %w", err)
		}
		res.Output = nil
	}
	if res.Findings.Failed() {
		return res, &FindingsError{Findings: res.Findings}
	}
	return res, nil
}

// names returns the names of the two engines, for a message.
func (c *comparison) names() string {
	d := c.Kernel.prog.dev
	return d.reference.Name() + " and " + d.engine.Name()
}

// ended returns the result of a run that did not come to its end, of which nothing can be compared.
func (c *comparison) ended(sr *scheduler.Result, err error, output io.Writer) (*Result, error) {
	if sr == nil {
		return nil, launchError(err)
	}
	if output != nil {
		_, _ = output.Write(sr.Output) // the launch has failed anyway
		sr.Output = nil
	}
	return c.over(c.result(sr, 0), sr, err)
}

// both runs the launch on the reference and on the engine under test. Without a scheduler's result and an
// error, both came to their end, and want, got, after and changes are set; memory is that of the engine under
// test.
func (c *comparison) both(ctx context.Context) (*scheduler.Result, error) {
	d := c.Kernel.prog.dev
	c.before.Restore()
	opt := c.opt
	var sr *scheduler.Result
	var err error
	if c.want, sr, err = c.one(ctx, c.Kernel.reference, opt); err != nil {
		return sr, err
	}
	c.after = d.mem.Snapshot()
	c.before.Restore()
	opt.Tracer, opt.Subgroups, opt.Prints = nil, nil, nil
	if c.got, sr, err = c.one(ctx, c.runner, opt); err != nil {
		return sr, err
	}
	c.changes = c.after.Changes()
	return nil, nil
}

// one runs the launch on one engine.
func (c *comparison) one(ctx context.Context, r *scheduler.Runner, opt scheduler.Options) (*Result, *scheduler.Result, error) {
	start := time.Now()
	c.launch.Cancel.Store(false) // the run before may have ended at a fault
	sr, err := r.Run(ctx, &c.launch, opt)
	if err != nil {
		return nil, sr, err
	}
	res := c.result(sr, time.Since(start))
	sr.Faults = c.keepOutputs(sr.Faults, !sr.Halted, false)
	if len(sr.Faults) > 0 {
		c.report(res, sr, nil, nil)
	}
	return res, sr, nil
}

// differs says whether the last pair of runs differs in anything.
func (c *comparison) differs() bool { return len(c.changes) > 0 || len(resultDiff(c.want, c.got)) > 0 }

// resultDiff says in what results differ, besides memory; the names are those of the engines.
func resultDiff(want, got *Result) (list []diffText) {
	if !bytes.Equal(want.Output, got.Output) || want.OutputDropped != got.OutputDropped {
		list = append(list, diffText{"the output of printf", outputDiff(want.Output, got.Output)})
	}
	a, b := findingTexts(&want.Findings), findingTexts(&got.Findings)
	for i := range max(len(a), len(b)) {
		x, y := "none", "none"
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			list = append(list, diffText{"the findings", [2]string{headline(&want.Findings, i), headline(&got.Findings, i)}})
			break
		}
	}
	for _, n := range counterNames {
		if x, y := n.of(&want.Counters), n.of(&got.Counters); x != y {
			list = append(list, diffText{"the number of " + n.name, [2]string{fmt.Sprint(x), fmt.Sprint(y)}})
		}
	}
	if want.GroupsRun != got.GroupsRun {
		list = append(list, diffText{"the number of work-groups", [2]string{fmt.Sprint(want.GroupsRun), fmt.Sprint(got.GroupsRun)}})
	}
	return list
}

// diffText is what differs, and what it is on the two engines.
type diffText struct {
	what string
	is   [2]string
}

// counterNames are the fields of [Counters].
var counterNames = []struct {
	name string
	of   func(c *engine.Counters) uint64
}{
	{"waves", func(c *engine.Counters) uint64 { return c.Waves }},
	{"instructions", func(c *engine.Counters) uint64 { return c.Instructions }},
	{"operations of lanes", func(c *engine.Counters) uint64 { return c.LaneOps }},
	{"blocks entered", func(c *engine.Counters) uint64 { return c.Blocks }},
	{"barriers", func(c *engine.Counters) uint64 { return c.Barriers }},
	{"loads", func(c *engine.Counters) uint64 { return c.Loads }},
	{"stores", func(c *engine.Counters) uint64 { return c.Stores }},
	{"atomic operations", func(c *engine.Counters) uint64 { return c.Atomics }},
}

// outputDiff returns the first line that differs.
func outputDiff(want, got []byte) (is [2]string) {
	a, b := strings.SplitAfter(string(want), "\n"), strings.SplitAfter(string(got), "\n")
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return [2]string{fmt.Sprintf("line %d is %.80q", i+1, x), fmt.Sprintf("%.80q", y)}
		}
	}
	return [2]string{"the same", "the same"}
}

// findingTexts returns findings in a form that can be compared.
func findingTexts(l *finding.List) (texts []string) {
	for i := range l.Findings {
		b, err := json.Marshal(&l.Findings[i])
		if err != nil {
			b = []byte(err.Error())
		}
		texts = append(texts, string(b))
	}
	return append(texts, fmt.Sprint(l.Omitted))
}

// headline returns the headline of a finding, for a message.
func headline(l *finding.List, i int) string {
	if i >= len(l.Findings) {
		return "none"
	}
	f := &l.Findings[i]
	text := strings.TrimPrefix(f.Headline(), "lockstep: ")
	if f.WorkItem != nil {
		text += " for work-item " + f.WorkItem.String()
	}
	return text
}
