package emu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockstep-gpu/lockstep/dma"
	"github.com/lockstep-gpu/lockstep/emu/trace"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// setRun is one run of launches that pipes connect: of a [Set], of a launch
// alone, or of what a queue puts together.
type setRun struct {
	set      *Set
	launches []*prepared
	races    *race.Detector // of launches with Check
	// own keeps what each launch prints apart, in its result or its Output.
	own bool

	pipes []*setPipe
	index map[*memory.Pipe]int // of pipes
	host  []*Pipe              // that some launch has as an argument, each once
}

// setPipe is a pipe that some launch of a set holds.
type setPipe struct {
	mem           *memory.Pipe
	name          string
	read, written uint64 // before the set
}

// hasPipes says whether the launch has to run as a set.
func (p *prepared) hasPipes() bool { return p.Kernel.code.UsesPipes }

// UsesPipes says whether the kernel has pipes, its own or those of the program, so that its launches run as a [Set].
func (k *Kernel) UsesPipes() bool { return k != nil && k.code != nil && k.code.UsesPipes }

// runAlone runs a launch that has pipes and no others to run with. Like
// beginTrace it is not inlined.
//
//go:noinline
func (p *prepared) runAlone(ctx context.Context) (*Result, error) {
	r := setRun{own: true, launches: []*prepared{p}, set: &Set{
		Schedule: p.Schedule, Benign: p.Benign, KeepGoing: p.KeepGoing, Timeout: p.Timeout, MaxFindings: p.MaxFindings, Progress: p.Progress, Look: p.Look, Trace: p.Trace,
	}}
	res, err := r.run(ctx)
	if res == nil {
		return nil, err
	}
	return res.Launches[0], err
}

// run waits for the device and runs the launches.
func (r *setRun) run(ctx context.Context) (*SetResult, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	d := r.launches[0].Kernel.prog.dev
	if err := d.acquireFor(ctx, r.launches); err != nil {
		return nil, err
	}
	defer d.release()
	defer func() {
		for _, p := range r.launches {
			p.dropResources()
		}
	}()
	for i, p := range r.launches {
		p.set, p.launch.Index = r, i
		if p.Kernel.prog.closed {
			return nil, fmt.Errorf("program of kernel %s: %w", p.Kernel.code.Name, ErrClosed)
		}
		if err := p.fill(); err != nil {
			return nil, err
		}
		r.collect(p)
	}
	var feeds []scheduler.Feed
	for _, p := range r.host {
		feeds = append(feeds, p.feeds()...)
	}
	if t := r.set.Timeout; t > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, t)
		defer cancel()
	}
	if d.reference != nil {
		return r.runCompared(ctx, feeds)
	}
	start := time.Now()
	var sr *scheduler.SetResult
	var err error
	members, opt := r.members(), r.options(d)
	d.beside(r.launches, func() { sr, err = scheduler.RunSet(ctx, members, feeds, opt) })
	if sr == nil {
		return nil, launchError(err)
	}
	return r.result(sr, feeds, time.Since(start), err)
}

// options returns what the scheduler is told.
func (r *setRun) options(d *Device) scheduler.Options {
	s, lim := r.set, &d.limits
	opt := scheduler.Options{
		Order: s.Schedule.Order, Seed: s.Schedule.Seed, WaveLanes: lim.WaveLanes, KeepGoing: s.KeepGoing,
		Output: s.Output, MaxOutput: s.MaxOutput, Progress: s.Progress, DMA: d.dmaConfig(s.Schedule),
		MaxState: stateMemory(), Look: s.Look.of(r.launches), Accesses: tellAccesses(r.launches), Prints: tellPrints(r.launches),
	}
	if s.Trace != nil {
		r.beginTrace()
		opt.Tracer, opt.Subgroups = s.Trace, s.Trace.SubgroupTracer()
	}
	if slices.ContainsFunc(r.launches, func(p *prepared) bool { return p.Check }) {
		r.races = race.New(d.mem)
		opt.Races = r.races
		for _, p := range r.launches {
			if p.Check {
				p.restricts()
			}
		}
	}
	return opt
}

// dmaConfig returns the engines for asynchronous copies under a schedule.
func (d *Device) dmaConfig(s Schedule) dma.Config {
	return dma.Config{
		Engines: d.limits.DMAEngines, QueueDepth: d.limits.DMAQueueDepth, BytesPerStep: d.limits.DMABytesPerStep,
		Completion: s.Completion, Seed: s.Seed,
	}
}

// launchError turns an error of the scheduler into one of this package.
func launchError(err error) error {
	var large *scheduler.TooLargeError
	if !errors.As(err, &large) {
		return err
	}
	what := fmt.Sprintf("registers and private memory of a work-group of %d of kernel %s", large.Items, large.Kernel)
	if large.Launches > 1 {
		what = fmt.Sprintf("registers and private memory of a work-group of each of %d launches", large.Launches)
	}
	return &LimitError{What: what, Need: large.Bytes, Have: large.Most, Unit: "bytes"}
}

// members returns the launches for the scheduler.
func (r *setRun) members() []scheduler.Member {
	list := make([]scheduler.Member, len(r.launches))
	for i, p := range r.launches {
		list[i] = scheduler.Member{Runner: p.runner, Launch: &p.launch, OwnOutput: r.own, Output: p.Output, MaxOutput: p.MaxOutput}
	}
	return list
}

// collect notes the pipes of a launch. The device is held.
func (r *setRun) collect(p *prepared) {
	for i := range p.args {
		h := p.args[i].pipe
		if h == nil {
			continue
		}
		if _, known := r.index[h.mem]; !known {
			r.host = append(r.host, h)
			r.add(p, h.mem)
		}
	}
	for i := range p.launch.Pipes {
		if m := p.launch.Pipes[i].Pipe; m != nil {
			r.add(p, m)
		}
	}
}

// add notes a pipe that a launch holds.
func (r *setRun) add(p *prepared, m *memory.Pipe) {
	if _, known := r.index[m]; known {
		return
	}
	if r.index == nil {
		r.index = make(map[*memory.Pipe]int)
	}
	r.index[m] = len(r.pipes)
	q := &setPipe{mem: m, name: p.pipeName(m)}
	q.read, q.written = m.Moved()
	r.pipes = append(r.pipes, q)
}

// pipeEnds fills in the pipes that a launch holds: its arguments, and those of
// the program that it names. The device is held, and the arguments are usable.
func (p *prepared) pipeEnds() error {
	k, l := p.Kernel, &p.launch
	l.Pipes = l.Pipes[:0:0]
	for i := range p.args {
		if h := p.args[i].pipe; h != nil {
			u := k.code.Params[i].Pipe
			l.Pipes = append(l.Pipes, engine.PipeEnd{Pipe: h.mem, Handle: h.mem.Handle().Add(pipeEnd(u)), Reads: u.Reads, Writes: u.Writes})
		}
	}
	for _, r := range l.Kernel.PipeRegs {
		if r.Pipe < 0 || r.Pipe >= len(k.prog.pipes) {
			return &ModuleError{Stage: "verify", Err: fmt.Errorf("kernel %s uses pipe %d of %d", k.code.Name, r.Pipe, len(k.prog.pipes))}
		}
		m := k.prog.pipes[r.Pipe]
		l.Scalars[r.Scalar] = uint64(m.Handle())
		l.Pipes = append(l.Pipes, engine.PipeEnd{Pipe: m, Handle: m.Handle().Add(pipeEnd(isa.PipeParam{Reads: r.Reads, Writes: r.Writes})), Reads: r.Reads, Writes: r.Writes})
	}
	if l.Kernel.AnyPipe {
		for _, m := range k.prog.pipes {
			l.Pipes = append(l.Pipes, engine.PipeEnd{Pipe: m, Handle: m.Handle(), Reads: true, Writes: true})
		}
	}
	return nil
}

// beginTrace tells the recorder of the launches and their pipes.
func (r *setRun) beginTrace() {
	infos := make([]trace.LaunchInfo, len(r.launches))
	for i, p := range r.launches {
		infos[i] = p.traceInfo()
	}
	pipes := make([]trace.PipeInfo, len(r.pipes))
	for i, p := range r.pipes {
		pipes[i] = trace.PipeInfo{
			Name: p.name, Handle: p.mem.Handle(), PacketBytes: p.mem.PacketBytes(), Capacity: p.mem.Capacity(), Read: p.read, Written: p.written,
		}
	}
	r.set.Trace.BeginSet(infos, pipes)
}

// result puts the result together. err is the scheduler's.
func (r *setRun) result(sr *scheduler.SetResult, feeds []scheduler.Feed, took time.Duration, err error) (*SetResult, error) {
	res := &SetResult{Output: sr.Output, OutputDropped: sr.Dropped, Duration: took}
	all := finding.Merger{Limit: r.set.MaxFindings}
	omitted := 0
	var races map[int][]finding.Finding
	var raced, missed []finding.Partial // checks that did not look at everything
	if r.races != nil {
		report := raceReport{launches: r.launches, benign: r.set.Benign}
		races, raced = report.findings(r.races)
	}
	for i, p := range r.launches {
		one := p.result(&sr.Launches[i], took)
		ended := err // of launches that were over before, it is no matter
		if one.GroupsRun == one.Groups[0]*one.Groups[1]*one.Groups[2] {
			ended = nil
		}
		sr.Launches[i].Faults = p.keepOutputs(sr.Launches[i].Faults, ended == nil && !sr.Launches[i].Halted, races != nil)
		if len(sr.Launches[i].Faults) > 0 || ended != nil || races[i] != nil {
			p.report(one, &sr.Launches[i], ended, races[i])
		}
		one.Findings.Merge(partialCopies(sr.Launches[i].Missed))
		one.Findings.Merge(p.partialRestricts())
		one.Findings.Merge(raced)
		res.Launches = append(res.Launches, one)
		res.Counters.Add(&one.Counters)
		for _, f := range one.Findings.Findings {
			all.Add(f)
		}
		omitted += one.Findings.Omitted
		missed = append(missed, one.Findings.Partial...)
	}
	res.Findings = all.List()
	res.Findings.Omitted += omitted
	res.Findings.Merge(missed)
	hintAtLines(&res.Findings, r.launches...)
	for _, p := range r.pipes {
		res.Pipes = append(res.Pipes, p.use(feeds, sr.Fed))
	}
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return res, err
	}
	if res.Findings.Failed() {
		return res, &FindingsError{Findings: res.Findings, Err: err}
	}
	return res, nil
}

// use says what became of the pipe.
func (p *setPipe) use(feeds []scheduler.Feed, moved []uint64) PipeUse {
	read, written := p.mem.Moved()
	reading, writing := p.mem.Held()
	u := PipeUse{
		Name: p.name, PacketBytes: int(p.mem.PacketBytes()), Capacity: int(p.mem.Capacity()),
		Written: written - p.written, Read: read - p.read, Left: p.mem.Len(), Held: reading + writing,
	}
	for i := range feeds {
		switch {
		case feeds[i].Pipe != p.mem:
		case feeds[i].Write:
			u.Fed += moved[i]
		default:
			u.Drained += moved[i]
		}
	}
	return u
}
