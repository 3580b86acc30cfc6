package conformance

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
	"github.com/lockstep-gpu/lockstep/emu/finding"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
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
	// Progress is called after each case with the number of cases that are
	// over. Calls do not overlap.
	Progress func(done, total int)
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

	key string // what tells one failure of a case from another
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
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	done := 0
	for range min(workers, len(cases)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range next {
				report.Results[i] = runCase(ctx, cases[i], matrix, opt.Timeout)
				mu.Lock()
				done++
				if opt.Progress != nil {
					opt.Progress(done, len(cases))
				}
				mu.Unlock()
			}
		}()
	}
	for i := range cases {
		next <- i
	}
	close(next)
	wg.Wait()
	return report, ctx.Err()
}

func runCase(ctx context.Context, c *Case, matrix Matrix, timeout time.Duration) Result {
	res := Result{Case: c, Status: Passed}
	broken := func(err error) Result {
		res.Status, res.Failures = Broken, []Failure{{Message: err.Error(), Count: 1}}
		return res
	}
	r, err := c.resolve()
	if err != nil {
		return broken(err)
	}
	t := &trial{resolved: r, timeout: timeout, peers: map[peer]seen{}}
	defer t.close()
	if c.Timeout > 0 {
		t.timeout = c.Timeout
	}
	if err := t.prepare(); err != nil {
		return broken(err)
	}
	configs := matrix.Configs(c)
	if len(configs) == 0 {
		res.Status = Skipped
	}
	for _, cfg := range configs {
		if ctx.Err() != nil {
			res.Status = Stopped
			return res
		}
		faults := t.run(ctx, cfg)
		if ctx.Err() != nil {
			res.Status = Stopped
			return res
		}
		res.Runs++
		for _, f := range faults {
			res.fail(f, cfg)
		}
	}
	return res
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

// trial is a case while it is run.
type trial struct {
	*resolved
	timeout time.Duration
	binary  []byte
	spec    map[uint32]uint64

	// The device and program of the last run, and whether the program may be
	// run again: one with program-scope variables keeps their values.
	made device
	dev  *emu.Device
	prog *emu.Program

	// first is the configuration that the memory of all others is compared
	// with, and its memory by argument.
	first  *Config
	memory map[int][sha256.Size]byte
	// peers holds what configurations have in common that differ only in what
	// counters and findings must not depend on either.
	peers map[peer]seen
}

// peer is the part of a configuration that counters, output and findings may depend on.
type peer struct {
	subgroup, wave int
	schedule       emu.Schedule
}

// seen is what the first configuration of a peer gave.
type seen struct {
	config   Config
	counters emu.Counters
	output   string
	findings string
}

// prepare assembles the module and reads the specialization constants.
func (t *trial) prepare() error {
	t.binary = t.module
	if !spirv.IsBinary(t.module) {
		v, _ := asm.TargetEnv("spv" + t.version())
		var err error
		if t.binary, err = asm.Assemble(string(t.module), asm.Options{Version: v}); err != nil {
			return t.assemblyError(err)
		}
	}
	t.spec = map[uint32]uint64{}
	for i, s := range t.SpecConstants {
		a, err := t.Case.spec("spec", i, s.Value)
		if err != nil {
			return err
		}
		if len(a.Data) > 8 || a.Kind != argspec.Value {
			return t.locate(t.file(), &problem{key: "spec", index: i, msg: "a specialization constant is one number"})
		}
		for j, b := range a.Data {
			t.spec[s.ID] |= uint64(b) << (8 * j)
		}
	}
	return nil
}

// assemblyError gives an error of the assembler its place in the case's file when the
// text is there, and else names the file that it is in.
func (t *trial) assemblyError(err error) error {
	var se *asm.SyntaxError
	if t.Module == "" && errors.As(err, &se) {
		return &SyntaxError{File: t.file(), Line: max(t.textLine, 1) + se.Line - 1, Column: se.Column, Msg: se.Msg, Err: err}
	}
	return t.locate(t.file(), &problem{key: "module", msg: fmt.Sprintf("%s: %v", t.Module, err), err: err})
}

func (t *trial) close() {
	if t.dev != nil {
		t.dev.Close()
	}
}

// load makes the device and the program of a configuration, unless the last run's will do.
func (t *trial) load(cfg Config) error {
	if d := cfg.device(); t.dev == nil || t.made != d {
		t.close()
		t.dev, t.prog = nil, nil
		dev, err := emu.NewDevice(emu.DeviceOptions{
			Engine: cfg.Engine, SubgroupSize: cfg.SubGroup, WaveLanes: cfg.Wave, Workers: cfg.Workers,
		})
		if err != nil {
			return err
		}
		t.dev, t.made = dev, d
	}
	if t.prog != nil && len(t.prog.ISA().Globals) > 0 {
		if err := t.prog.Close(); err != nil {
			return err
		}
		t.prog = nil
	}
	if t.prog == nil {
		var err error
		t.prog, err = t.dev.NewProgram(t.binary, emu.ProgramOptions{SpecConstants: t.spec})
		if err != nil {
			t.prog = nil
			return err
		}
	}
	return nil
}

// launch runs the case once. buffers has the device memory of the arguments that are
// buffers, by argument; it is valid until the next launch.
func (t *trial) launch(ctx context.Context, cfg Config) (res *emu.Result, buffers map[int][]byte, err error) {
	if err := t.load(cfg); err != nil {
		return nil, nil, err
	}
	k, err := t.prog.Kernel(t.Kernel)
	if err != nil {
		return nil, nil, err
	}
	l := emu.Launch{
		Kernel: k, Schedule: cfg.Schedule, Check: t.Check, Timeout: t.timeout,
		Range: emu.NDRange{Global: t.Global, Local: t.Local, Offset: t.Offset},
	}
	params := k.Params()
	held := map[int]*emu.Buffer{}
	defer func() {
		for _, b := range held {
			if ferr := b.Free(); err == nil {
				err = ferr
			}
		}
	}()
	for i, a := range t.args {
		switch a.Kind {
		case argspec.Null:
			l.Args = append(l.Args, emu.Null())
		case argspec.Local:
			l.Args = append(l.Args, emu.LocalBytes(uint64(a.Count)))
		case argspec.Value:
			data := a.Data
			if i < len(params) {
				// What does not fit goes on as it is: the launch says so.
				if fit, ferr := a.Fit(int(min(params[i].Size, maxBuffer))); ferr == nil {
					data = fit
				}
			}
			l.Args = append(l.Args, emu.Bytes(data))
		default:
			b, berr := t.dev.NewBuffer(uint64(len(a.Data)), emu.BufferOptions{})
			if berr != nil {
				return nil, nil, berr
			}
			held[i] = b
			if _, err := b.WriteAt(a.Data, 0); err != nil {
				return nil, nil, err
			}
			l.Args = append(l.Args, b)
		}
	}
	res, err = l.Run(ctx)
	if res == nil {
		return nil, nil, err
	}
	buffers = map[int][]byte{}
	for i, b := range held {
		data, berr := b.Bytes()
		if berr != nil {
			return nil, nil, berr
		}
		buffers[i] = data
	}
	return res, buffers, err
}

// run runs the case in one configuration and returns what is wrong.
func (t *trial) run(ctx context.Context, cfg Config) []fault {
	res, buffers, err := t.launch(ctx, cfg)
	var fe *emu.FindingsError
	if err != nil && !errors.As(err, &fe) {
		return t.refused(err)
	}
	var wrong []fault
	if t.Refuse != "" {
		wrong = append(wrong, faultf("the module runs; it must be refused with an error that contains %q", t.Refuse))
	}
	exit := 0
	if res.Findings.Failed() {
		exit = 1
	}
	if exit != t.Exit && t.Refuse == "" {
		wrong = append(wrong, faultf("exit status %d, want %d", exit, t.Exit))
	}
	wrong = append(wrong, t.compareFindings(&res.Findings)...)
	for i := range t.expect {
		if m := t.expect[i].compare(buffers[t.expect[i].Arg]); m != "" {
			wrong = append(wrong, fault{fmt.Sprintf("argument %d", t.expect[i].Arg), m})
		}
	}
	if got := string(res.Output); t.Output != nil && got != strings.Join(t.Output, "") {
		wrong = append(wrong, fault{"output", fmt.Sprintf("the printed output is\n%q\nwant\n%q", got, strings.Join(t.Output, ""))})
	}
	return append(wrong, t.agree(cfg, res, buffers)...)
}

// refused judges an error that kept the kernel from running.
func (t *trial) refused(err error) []fault {
	switch {
	case t.Refuse == "":
		return []fault{faultf("refused: %v", err)}
	case !strings.Contains(err.Error(), t.Refuse):
		return []fault{faultf("refused with %q; the error must contain %q", err.Error(), t.Refuse)}
	case t.Exit != 2:
		return []fault{faultf("exit status 2, want %d", t.Exit)}
	}
	return nil
}

// compareFindings compares the findings of a run with those that the case states.
func (t *trial) compareFindings(list *finding.List) []fault {
	var wrong []fault
	stated := map[string]bool{}
	for _, want := range t.Findings {
		stated[want.Code] = true
		count, text := uint64(0), want.Text == ""
		for i := range list.Findings {
			if f := &list.Findings[i]; string(f.Code) == want.Code {
				count += f.Count
				text = text || strings.Contains(f.Text(), want.Text)
			}
		}
		switch {
		case count == 0:
			wrong = append(wrong, faultf("no finding %s", want.Code))
		case want.Count != 0 && count != uint64(want.Count):
			wrong = append(wrong, faultf("finding %s occurs %d times, want %d", want.Code, count, want.Count))
		case !text:
			wrong = append(wrong, faultf("no finding %s contains %q", want.Code, want.Text))
		}
	}
	for i := range list.Findings {
		if f := &list.Findings[i]; !stated[string(f.Code)] {
			g := *f
			g.Reproduce = "" // the configuration says it, and differs from run to run
			wrong = append(wrong, fault{"unexpected " + string(f.Code), "unexpected finding: " + strings.TrimSpace(g.Text())})
		}
	}
	return wrong
}

// agree compares a run with those before it: memory with the first of all, unless
// something undefined happened, and counters, output and findings with the first whose
// sub-groups, waves and schedule are the same.
func (t *trial) agree(cfg Config, res *emu.Result, buffers map[int][]byte) []fault {
	var wrong []fault
	if !res.Findings.Failed() {
		sums := map[int][sha256.Size]byte{}
		for i, data := range buffers {
			sums[i] = sha256.Sum256(data)
		}
		if t.first == nil {
			t.first, t.memory = &cfg, sums
		}
		for i := range t.args {
			if sums[i] != t.memory[i] && !slices.Contains(t.Varies, i) {
				wrong = append(wrong, faultf("argument %d is not what it is with %v", i, t.first))
			}
		}
	}
	var texts bytes.Buffer
	for i := range res.Findings.Findings {
		f := res.Findings.Findings[i]
		if f.Code == finding.TimeLimit || f.Code == finding.Cancelled {
			return wrong // when a clock ends a run, nothing else can agree
		}
		if err := json.NewEncoder(&texts).Encode(f); err != nil {
			wrong = append(wrong, faultf("finding %s has no JSON form: %v", f.Code, err))
		}
	}
	key := peer{cfg.SubGroup, cfg.Wave, cfg.Schedule}
	now := seen{cfg, res.Counters, string(res.Output), texts.String()}
	then, ok := t.peers[key]
	if !ok {
		t.peers[key] = now
		return wrong
	}
	if now.counters != then.counters {
		wrong = append(wrong, fault{"counters", fmt.Sprintf("counters are %+v; with %v they are %+v", now.counters, then.config, then.counters)})
	}
	if now.output != then.output {
		wrong = append(wrong, fault{"output", fmt.Sprintf("the printed output is not what it is with %v", then.config)})
	}
	if now.findings != then.findings {
		wrong = append(wrong, fault{"findings", fmt.Sprintf("the findings are not those with %v:\n%sand\n%s", then.config, now.findings, then.findings)})
	}
	return wrong
}
