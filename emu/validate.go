package emu

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/finding"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/memory/race"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Translation validation (Pnueli, Siegel and Singerman, TACAS 1998; Necula, PLDI 2000) asks of each
// compilation, and not of the compiler once and for all, whether what came out does what went in. Here it is
// asked for the launches at hand: the kernel runs in the form that it has behind each pass, all from the same
// memory on the reference engine, and the results are compared.

// ValidateVariable is the environment variable that is for DeviceOptions.Validate where that is 0.
const ValidateVariable = "LOCKSTEP_VALIDATE"

// Validation is what validating a launch has come to: see DeviceOptions.Validate.
type Validation struct {
	// Passes is the number of passes that made the kernel, Forms that of the different kernels that ran.
	Passes, Forms int
	// Native says that machine code ran as well.
	Native bool
	// Skipped is why nothing or not everything was compared, "" where it was.
	Skipped string
}

// String says what was compared, and why no more.
func (v *Validation) String() string {
	if v.Forms < 2 && !v.Native {
		return "not validated: " + v.Skipped
	}
	s := fmt.Sprintf("validated: %d forms behind %d passes", v.Forms, v.Passes)
	if v.Native {
		s += ", and machine code"
	}
	if v.Skipped != "" {
		s += "; " + v.Skipped
	}
	return s
}

// validateOption returns the number of launches to validate that an option, or the environment, asks for.
func validateOption(n int) (int, error) {
	if n < 0 {
		return 0, fmt.Errorf("%d launches to validate: %w", n, ErrInvalid)
	}
	text := os.Getenv(ValidateVariable)
	if n > 0 || text == "" {
		return n, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s=%q is not the number of launches to validate of each kernel", ValidateVariable, text)
	}
	return n, nil
}

// forms are the forms of a kernel that its launches are validated with.
type forms struct {
	mu     sync.Mutex
	made   bool
	used   int // launches
	passes int
	list   []form
	native *scheduler.Runner // nil without machine code
	checks form              // for launches with checks, without passes
	why    string            // there is nothing to compare
}

// form is a kernel behind a pass.
type form struct {
	lower.Stage
	runner *scheduler.Runner
}

// validated returns the forms of the kernel for a launch that is to be validated, or nil. It lowers the
// kernel for checks as well, which decide about results that differ. The device must not be held.
func (p *prepared) validated() (*forms, error) {
	k := p.Kernel
	d := k.prog.dev
	if d.validate == 0 || p.Check || p.Memory != MemorySequential || p.Interleave != nil || p.Accesses != nil {
		return nil, nil
	}
	f := &k.forms
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.used >= d.validate {
		return nil, nil
	}
	if f.used++; !f.made {
		if err := k.makeForms(f); err != nil {
			return nil, err
		}
		f.made = true
	}
	return f, nil
}

// makeForms lowers the kernel in its forms, and places the variables that these have.
func (k *Kernel) makeForms(f *forms) error {
	ctx := context.Background()
	switch {
	case k.code.UsesPipes:
		f.why = "the kernel has pipes"
	case k.code.UsesClock:
		f.why = "the kernel reads the clock, which counts instructions"
	}
	if f.why != "" {
		return nil
	}
	list, checks, passes, err := k.prog.unit.stages(ctx, k.name, k.shared.is)
	if err != nil {
		return &ModuleError{Stage: "lower", Err: fmt.Errorf("kernel %s: %w", k.name, err)}
	}
	f.passes = passes
	if n := len(list); n == 0 || !reflect.DeepEqual(list[n-1].Program.Kernels[0], k.code) {
		program := *k.isa
		program.Kernels = []*isa.Kernel{k.code}
		// In large kernels, functions have been through some passes before they were copied to their calls.
		list = append(list, lower.Stage{Pass: "all, in functions first", Number: passes, Program: &program})
	}
	compile := func(s lower.Stage) (form, error) {
		c, err := interp.Engine{}.Compile(s.Program, s.Program.Kernels[0])
		if err != nil {
			return form{}, &ModuleError{Stage: "compile", Err: fmt.Errorf("kernel %s behind pass %s: %w", k.name, s.Pass, err)}
		}
		return form{s, scheduler.New(c)}, nil
	}
	for _, s := range list {
		code := s.Program.Kernels[0]
		if !slices.EqualFunc(code.Local, k.code.Local, func(x, y isa.Alloc) bool { return x.Size == y.Size && x.PerItem == y.PerItem }) {
			continue // arguments in local memory would have other addresses
		}
		made, err := compile(s)
		if err != nil {
			return err
		}
		f.list = append(f.list, made)
	}
	if checks != nil {
		if f.checks, err = compile(lower.Stage{Program: checks}); err != nil {
			return err
		}
	}
	if d := k.prog.dev; d.engine.Name() != (interp.Engine{}).Name() {
		c, err := k.made.on(d.engine, k.isa, k.code)
		if err != nil {
			return &ModuleError{Stage: "compile", Err: fmt.Errorf("kernel %s: %w", k.code.Name, err)}
		}
		if fallback, ok := c.(engine.Fallback); !ok || fallback.Fallback() == nil {
			f.native = scheduler.New(c)
		}
	}
	if _, err := k.forChecks(); err != nil {
		return err
	}
	return k.prog.placeAll(ctx)
}

// runValidated validates a launch, and runs it.
func (p *prepared) runValidated(ctx context.Context, opt scheduler.Options) (*Result, error) {
	limited, cancel := p.limited(ctx)
	v, found, err := p.validate(limited, opt)
	cancel()
	if err != nil && limited.Err() == nil {
		return nil, err
	} else if err != nil {
		v.Skipped = "the time was over" // that of the launch begins anew
	}
	res, err := p.runOnce(ctx, opt)
	if res == nil {
		return nil, err
	}
	if res.Validation = v; found == nil {
		return res, err
	}
	res.Findings.Findings = append([]finding.Finding{*found}, res.Findings.Findings...)
	failed := &FindingsError{Findings: res.Findings}
	if was := (*FindingsError)(nil); errors.As(err, &was) {
		failed.Err = was.Err
	} else if err != nil {
		return res, err
	}
	return res, failed
}

// formRun is what a form leaves besides memory.
type formRun struct {
	output map[[2]uint64]uint64 // what each work-item prints, by group and number in it: a digest
	fault  string               // "" for none
}

// validation is a launch that runs in all its forms.
type validation struct {
	*prepared
	*forms
	opt    scheduler.Options
	before *memory.Snapshot
	result *Validation
}

// validate runs the launch in all its forms. It returns what is wrong with a pass or with machine code, or
// nil, and leaves memory as it was. The error is the context's. The device is held, and the arguments are
// filled in.
func (p *prepared) validate(ctx context.Context, opt scheduler.Options) (*Validation, *finding.Finding, error) {
	f := p.forms
	v := &validation{prepared: p, forms: f, opt: opt, result: &Validation{Passes: f.passes}}
	d := p.Kernel.prog.dev
	switch {
	case f.why != "":
		v.result.Skipped = f.why
	case d.mapped > 0:
		v.result.Skipped = "a buffer is mapped"
	case opt.HostWrites:
		v.result.Skipped = "the host may write memory meanwhile"
	case d.hostCopies("validation, which keeps two copies of device memory", 2) != nil:
		v.result.Skipped = "there is no room for two copies of device memory"
	}
	if v.result.Skipped != "" {
		return v.result, nil, nil
	}
	v.opt.Output, v.opt.Tracer, v.opt.Subgroups, v.opt.Progress, v.opt.Look = nil, nil, nil, nil, nil
	v.opt.Parallel, v.opt.Workers, v.opt.KeepGoing = ParallelNever, 1, false
	v.before = d.mem.Snapshot()
	found, err := v.run(ctx)
	v.before.Restore()
	p.launch.Cancel.Store(false)
	return v.result, found, err
}

// run compares each form with the first one.
func (v *validation) run(ctx context.Context) (*finding.Finding, error) {
	d := v.Kernel.prog.dev
	var want formRun
	var after *memory.Snapshot
	for i := range v.list {
		got, err := v.one(ctx, v.list[i].runner, v.list[i].Program.Kernels[0], v.opt)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			v.result.Forms = 1
			if want, after = got, d.mem.Snapshot(); want.fault != "" {
				v.result.Skipped = "the kernel faults, and may do so elsewhere behind a pass"
				return nil, nil
			}
			continue
		}
		v.result.Forms = i + 1
		what, object := v.differs(want, got, after)
		if what == "" {
			continue
		}
		if why, err := v.mayDiffer(ctx, want, after); why != "" || err != nil {
			v.result.Skipped = "results differ behind pass " + v.list[i].Pass + ", and may: " + why
			return nil, err
		}
		return v.wrongPass(i, what, object), nil
	}
	if v.native == nil {
		return nil, nil
	}
	v.result.Native = true
	got, err := v.one(ctx, v.native, v.Kernel.code, v.opt)
	if err != nil {
		return nil, err
	}
	what, object := v.differs(want, got, after)
	if what == "" {
		return nil, nil
	}
	return &finding.Finding{
		Code: finding.EngineDiff, Severity: finding.Error, Kernel: v.Kernel.code.Name, Count: 1, Groups: 1, Object: object,
		Message: "machine code and the reference engine differ", Detail: what, Reproduce: v.reproduce(),
		Help: []string{finding.Help(finding.EngineDiff), "run with -engine compare to find the work-item"},
	}, nil
}

// one runs the launch from its beginning with the code of a form.
func (v *validation) one(ctx context.Context, r *scheduler.Runner, k *isa.Kernel, opt scheduler.Options) (formRun, error) {
	run := formRun{output: map[[2]uint64]uint64{}}
	opt.Prints = func(g *engine.Group, item int, text []byte) {
		at := [2]uint64{g.Linear, uint64(item)}
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", run.output[at], text)
		run.output[at] = h.Sum64()
	}
	v.before.Restore()
	l := v.launch
	l.Kernel, l.Portable = k, nil
	l.Cancel.Store(false)
	var err error
	if l.Scalars, err = v.scalars(k, v.pointers); err != nil {
		return run, err
	}
	sr, err := r.Run(ctx, &l, opt)
	if err != nil {
		return run, launchError(err)
	}
	if len(sr.Faults) > 0 {
		run.fault = string(sr.Faults[0].Code)
	}
	return run, nil
}

// differs says in what two forms differ, "" for nothing. Memory is that which the second one leaves.
func (v *validation) differs(want, got formRun, after *memory.Snapshot) (what string, object *finding.Object) {
	if got.fault != want.fault {
		return "it ends with the fault " + got.fault, nil
	}
	if changes := after.Changes(); len(changes) > 0 {
		c := comparison{prepared: v.prepared}
		where, o, is := v.changed(c.firstChange(changes), after)
		return fmt.Sprintf("at %s: %s before, %s now; %s there", where, is[0], is[1], differing(c.firstChange(changes).Bytes)), o
	}
	if !reflect.DeepEqual(want.output, got.output) {
		return "work-items print something else", nil
	}
	return "", nil
}

// mayDiffer returns why a form may leave other results than another: they are not defined, or depend on the
// order in which work-items run; "" if they are and do not. want and after are what the first form leaves.
func (v *validation) mayDiffer(ctx context.Context, want formRun, after *memory.Snapshot) (string, error) {
	for _, f := range v.list {
		if orderedAtomics(f.Program.Kernels[0]) {
			return "atomic operations whose results depend on their order", nil
		}
	}
	for _, change := range []func(o *scheduler.Options){
		func(o *scheduler.Options) { o.Order = Reverse },
		func(o *scheduler.Options) { o.Order, o.Seed = Seeded, 1 },
		func(o *scheduler.Options) { o.WaveLanes = v.launch.SubgroupSize },
		func(o *scheduler.Options) { o.Order, o.Seed, o.WaveLanes = Seeded, 2, v.launch.SubgroupSize },
	} {
		opt := v.opt
		change(&opt)
		got, err := v.one(ctx, v.list[0].runner, v.list[0].Program.Kernels[0], opt)
		if err != nil {
			return "", err
		}
		if what, _ := v.differs(want, got, after); what != "" {
			return "the order of work-items decides about them", nil
		}
	}
	list, err := v.check(ctx)
	if err != nil || len(list.Findings) == 0 && len(list.Partial) == 0 {
		return "", err
	}
	if len(list.Findings) == 0 {
		return "-check had no room for everything", nil
	}
	return fmt.Sprintf("-check finds %s", list.Findings[0].Code), nil
}

// check runs the launch with checks, from its beginning, and returns what they find.
func (v *validation) check(ctx context.Context) (finding.List, error) {
	l := v.Launch
	l.Check, l.KeepGoing, l.Output, l.Trace, l.Look, l.Progress, l.Prints = true, true, nil, nil, nil, nil, nil
	p, err := l.prepare()
	if err != nil {
		return finding.List{}, err
	}
	if c := &v.forms.checks; c.runner != nil {
		p.launch.Program, p.launch.Kernel, p.runner = c.Program, c.Program.Kernels[0], c.runner
		if err := p.limits(); err != nil {
			return finding.List{}, err
		}
	}
	v.before.Restore()
	defer p.dropResources()
	if err := p.fill(); err != nil {
		return finding.List{}, err
	}
	opt := v.opt
	opt.KeepGoing = true
	p.races = race.New(p.launch.Memory)
	p.restricts()
	opt.Races = p.races
	sr, err := p.runner.Run(ctx, &p.launch, opt)
	if sr == nil {
		return finding.List{}, launchError(err)
	}
	res, err := p.over(p.result(sr, 0), sr, err)
	v.shadows() // as the launch itself wants them
	if len(res.Findings.Findings) > 0 {
		err = nil
	}
	return res.Findings, err
}

// orderedAtomics says whether a kernel has atomic operations that do not commute, or whose results it takes.
func orderedAtomics(k *isa.Kernel) bool {
	return slices.ContainsFunc(k.Code, func(in isa.Inst) bool {
		if in.Op != isa.OpAtomic {
			return false
		}
		switch isa.AtomicOp(in.Imm2) {
		case isa.AtomicLoad:
			return true
		case isa.AtomicAdd, isa.AtomicSub, isa.AtomicMinS, isa.AtomicMaxS, isa.AtomicMinU, isa.AtomicMaxU, isa.AtomicAnd,
			isa.AtomicOr, isa.AtomicXor:
			return in.Dst != isa.None
		}
		return true
	})
}

// wrongPass returns the finding about the pass behind which form i is.
func (v *validation) wrongPass(i int, what string, object *finding.Object) *finding.Finding {
	s := &v.list[i].Stage
	f := &finding.Finding{
		Code: finding.PassDiff, Severity: finding.Error, Kernel: v.Kernel.code.Name, Count: 1, Groups: 1, Object: object,
		Message: fmt.Sprintf("the kernel computes something else behind pass %s, number %d of %d", s.Pass, s.Number, v.passes),
		Detail:  what, Reproduce: v.reproduce(), Help: []string{finding.Help(finding.PassDiff)},
	}
	if s.Before != "" || s.Number == 1 {
		f.Help = append(f.Help, fmt.Sprintf("-passes %q ends ahead of it", s.Before))
	}
	return f
}

// stages returns a kernel behind each of its passes, that for launches with checks ahead of them, and how
// many passes there are; none where the program came as bytecode.
func (u *unit) stages(ctx context.Context, name string, shared bool) (list []lower.Stage, checks *isa.Program, passes int, err error) {
	if err := u.acquire(ctx); err != nil {
		return nil, nil, 0, err
	}
	defer func() { <-u.turn }()
	if u.compiler == nil {
		return nil, nil, 0, nil
	}
	if list, passes, err = u.compiler.Stages(ctx, name, shared); err != nil {
		return nil, nil, 0, err
	}
	if checks, err = u.compiler.CheckedStage(ctx, name, shared); err != nil {
		return nil, nil, 0, err
	}
	u.latest.Store(checks)
	return list, checks, passes, nil
}
