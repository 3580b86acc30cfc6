package lower

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower/internal/build"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
	"github.com/lockstep-gpu/lockstep/isa/ssa/opt"
)

// Pass is a step of the lowering of a kernel: over its SSA form, or over its
// finished bytecode. Exactly one of IR and Kernel is set.
type Pass struct {
	// Name is what pipelines call it: letters, digits, '-', '_' and '.'.
	Name string
	// Doc is a line for people.
	Doc string
	// Needs is what must be known before the pass runs, Keeps what of that is
	// still true afterwards. A pass over SSA that changes blocks or edges by what
	// [IR] offers need not think of control flow: that is forgotten at once.
	Needs, Keeps ssa.Analyses

	// IR works on the SSA form, ahead of the passes diverge and emit. An error
	// refuses the kernel.
	IR func(*IR) error
	// Kernel works on bytecode. What it leaves must pass [isa.Kernel.Verify].
	Kernel func(*isa.Program, *isa.Kernel) error

	fixed    bool // has its place, and is not for pipelines
	own      bool // of this package
	tells    bool // sets Func.Simplified to false by itself, when it changes a value
	drops    bool // may leave few of the values or blocks
	describe func(*build.Builder)
}

// Fixed says that the pass always runs at its place and cannot be part of a
// pipeline.
func (p Pass) Fixed() bool { return p.fixed }

// Bytecode says that the pass works on finished bytecode.
func (p Pass) Bytecode() bool { return p.Kernel != nil || p.describe != nil }

// PassMachinery is what the lowering of a module is driven by: the passes that
// there are, by name, the pipelines of them that run, and who watches. Targets
// register passes of their own and put them into one of the pipelines, which are
// the places where the front-end, the finalize and the late target hooks of the
// ComputeMux compiler specification have theirs (Module, createPassMachinery).
//
// Kernel by kernel the passes run in this order:
//
//	build      the module becomes SSA
//	Frontend   over SSA: as it came from the front end
//	Finalize   over SSA: the optimizations
//	diverge    order of blocks, and what differs by lane
//	emit       SSA becomes bytecode
//	Late       over bytecode: a target's own
//	describe   what the kernel is found to use
//
// A machinery may serve several modules, also at the same time if nobody changes
// it and its Instrument is zero.
type PassMachinery struct {
	Frontend Pipeline
	Finalize Pipeline // made as the default pipeline
	Late     Pipeline

	Instrument Instrument

	passes []Pass
	byName map[string]int
	plain  bool // bodies of functions are not prepared (prepare.go)
}

// NewPassMachinery returns a machinery with the passes of this package and the
// default pipeline.
func NewPassMachinery() *PassMachinery {
	m := &PassMachinery{byName: map[string]int{}}
	for _, p := range builtinPasses() {
		p.own = true
		m.byName[p.Name] = len(m.passes)
		m.passes = append(m.passes, p)
	}
	m.Finalize = m.Default()
	return m
}

// standard serves those who do not ask for a machinery of their own. Nobody
// changes it.
var standard = NewPassMachinery()

// Register adds a pass. It fails when the pass has no name or one that pipelines
// cannot have, when there is one of that name already, or unless it works on
// exactly one of SSA and bytecode.
func (m *PassMachinery) Register(p Pass) error {
	bad := func(reason string) error { return fmt.Errorf("pass %q: %s", p.Name, reason) }
	for i := range len(p.Name) {
		if !nameByte(p.Name[i]) {
			return bad("a name has letters, digits, '-', '_' and '.' only")
		}
	}
	switch _, ok := m.byName[p.Name]; {
	case p.Name == "":
		return errors.New("a pass has no name")
	case p.Name == "default", p.Name == "repeat", p.Name == "all":
		return bad("the name has a meaning in pipelines")
	case ok:
		return bad("there is one of that name already")
	case (p.IR == nil) == (p.Kernel == nil):
		return bad("a pass works either on SSA or on bytecode")
	case p.Needs&(ssa.AnalysisLayout|ssa.AnalysisDivergence) != 0:
		return bad("layout and divergence are not known before the pass diverge")
	}
	p.fixed, p.own, p.tells, p.drops, p.describe = false, false, false, false, nil
	m.byName[p.Name] = len(m.passes)
	m.passes = append(m.passes, p)
	return nil
}

// Passes returns the passes: those of this package in the order of the road, then
// the registered ones.
func (m *PassMachinery) Passes() []Pass { return slices.Clone(m.passes) }

// Lookup returns the pass of the given name.
func (m *PassMachinery) Lookup(name string) (Pass, bool) {
	i, ok := m.byName[name]
	if !ok {
		return Pass{}, false
	}
	return m.passes[i], true
}

// names returns the names that pipelines may have.
func (m *PassMachinery) names() []string {
	var names []string
	for _, p := range m.passes {
		if !p.fixed {
			names = append(names, p.Name)
		}
	}
	return names
}

// Default returns the pipeline of optimizations that runs unless told otherwise.
func (m *PassMachinery) Default() Pipeline {
	var p Pipeline
	for name := range strings.SplitSeq(defaultPipeline, ",") {
		p = append(p, Step{Pass: name})
	}
	return p
}

// Parse reads a pipeline: names of passes separated by commas, "default" for the
// default pipeline, repeat<N>(…) for a list that runs N times; spaces do not
// matter. The error is a [*PipelineError]. What [Pipeline.String] writes reads
// back as the same pipeline.
func (m *PassMachinery) Parse(text string) (Pipeline, error) {
	p := &pipelineParser{m: m, text: text, most: maxPipelineSteps}
	if len(text) > maxPipelineText {
		return nil, p.fail(maxPipelineText, "the text has more than %d bytes", maxPipelineText)
	}
	out, err := p.list(1)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(text) {
		return nil, p.fail(p.at, "a comma is expected")
	}
	return out, nil
}

// SetPasses replaces the pipelines Finalize and Late by those of a text: passes
// over SSA first, then passes over bytecode. The error is a [*PipelineError].
func (m *PassMachinery) SetPasses(text string) error {
	p, err := m.Parse(text)
	if err != nil {
		return err
	}
	n := 0
	for n < len(p) && !m.anyBytecode(p[n:n+1]) {
		n++
	}
	for _, name := range p[n:].Flat() {
		if pass, _ := m.Lookup(name); !pass.Bytecode() {
			return &PipelineError{Text: text, Offset: len(text),
				Reason: fmt.Sprintf("the pass %q works on SSA and cannot follow one that works on bytecode", name)}
		}
	}
	m.Finalize, m.Late = p[:n:n], p[n:]
	return nil
}

// anyBytecode says whether one of the passes works on bytecode.
func (m *PassMachinery) anyBytecode(p Pipeline) bool {
	return slices.ContainsFunc(p.Flat(), func(name string) bool {
		pass, _ := m.Lookup(name)
		return pass.Bytecode()
	})
}

// PassError says which pass refused a kernel, or left it broken.
type PassError struct {
	Kernel, Pass string
	Err          error
}

// Error names the pass and the kernel.
func (e *PassError) Error() string {
	return fmt.Sprintf("lower: kernel %s: pass %s: %v", e.Kernel, e.Pass, e.Err)
}

// Unwrap returns what the pass said.
func (e *PassError) Unwrap() error { return e.Err }

// ErrVerify is wrapped by the errors of the verifier that runs between passes.
var ErrVerify = errors.New("the pass left a kernel that is not well-formed")

// run takes a kernel through all passes.
func (m *PassMachinery) run(b *build.Builder, o *Options) error {
	r := &passRun{m: m, b: b, opt: o, watch: m.Instrument.watch(o.VerifyEach)}
	fixed := func(name string) error {
		p, _ := m.Lookup(name)
		return r.pass(p)
	}
	if err := fixed(passBuild); err != nil {
		return err
	}
	for _, p := range [2]Pipeline{m.Frontend, m.Finalize} {
		if err := r.pipeline(p, false); err != nil {
			return err
		}
	}
	for _, name := range [2]string{passDiverge, passEmit} {
		if err := fixed(name); err != nil {
			return err
		}
	}
	r.emitted = true
	if err := r.pipeline(m.Late, true); err != nil {
		return err
	}
	return fixed(passDescribe)
}

// passRun is one kernel on its way through the passes.
type passRun struct {
	m       *PassMachinery
	b       *build.Builder
	opt     *Options
	emitted bool
	watch   *watch // nil when nobody watches
}

func (r *passRun) pipeline(p Pipeline, bytecode bool) error {
	for _, s := range p {
		if s.Pass == "" {
			for range s.Repeat {
				if err := r.pipeline(s.Of, bytecode); err != nil {
					return err
				}
			}
			continue
		}
		pass, ok := r.m.Lookup(s.Pass)
		switch {
		case !ok:
			return &PassError{r.b.Kernel.Name, s.Pass, errors.New("there is no such pass")}
		case pass.fixed:
			return &PassError{r.b.Kernel.Name, s.Pass, errors.New("the pass always runs and cannot be part of a pipeline")}
		case pass.Bytecode() != bytecode && bytecode:
			return &PassError{r.b.Kernel.Name, s.Pass, errors.New("the pass works on SSA, and the pipeline on bytecode")}
		case pass.Bytecode() != bytecode:
			return &PassError{r.b.Kernel.Name, s.Pass, errors.New("the pass works on bytecode, and the pipeline on SSA")}
		}
		if err := r.pass(pass); err != nil {
			return err
		}
	}
	return nil
}

// pass runs one pass.
func (r *passRun) pass(p Pass) error {
	b := r.b
	b.Module.CheckContext()
	r.watch.before(r, p)
	var err error
	switch {
	case p.IR != nil:
		err = r.apply(p)
	case p.Kernel != nil:
		err = p.guard(func() error { return p.Kernel(b.Module.Program, b.Kernel) })
	default:
		p.describe(b)
	}
	if p.Name == passEmit {
		r.emitted = true
	}
	r.watch.after(r, p)
	if err == nil {
		err = r.watch.failed()
	}
	if err != nil {
		return &PassError{b.Kernel.Name, p.Name, err}
	}
	if err := r.verify(p); err != nil {
		return err
	}
	if r.opt.Dump != nil {
		r.opt.Dump(b.Kernel.Name, p.Name, r.text())
	}
	return nil
}

// verify checks what a pass has left, if that is wanted.
func (r *passRun) verify(p Pass) error {
	if err := r.watch.verify(r); err != nil {
		return &PassError{r.b.Kernel.Name, p.Name, fmt.Errorf("%w: %w", ErrVerify, err)}
	}
	return nil
}

// apply runs a pass over SSA.
func (r *passRun) apply(p Pass) error {
	step := opt.Pass{Needs: p.Needs, Keeps: p.Keeps, Tells: p.tells, Drops: p.drops, Run: func(*ssa.Func) error {
		ir := &IR{b: r.b}
		err := p.guard(func() error { return p.IR(ir) })
		if err == nil {
			ir.flush()
		}
		return err
	}}
	return step.Apply(r.b.Func)
}

// guard runs a pass. A panic of a registered one is that pass's error.
func (p *Pass) guard(run func() error) (err error) {
	if !p.own {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("the pass panicked: %v", r)
			}
		}()
	}
	return run()
}

// text returns the kernel as it stands: SSA, or bytecode once that is written.
func (r *passRun) text() string {
	if r.emitted {
		return r.b.Kernel.Text(r.b.Module.Program)
	}
	return r.b.Func.String()
}

// preparation has the passes over a body that is prepared.
var preparation = [...]string{"promote", "simplify", "ifconvert", "simplify"}

// leastPrepared is the number of instructions, calls inlined, from which on a kernel is worth it: in smaller ones
// bodies are read at each call. Tests change it.
var leastPrepared = 1 << 14

// prepare runs the passes over a body that is prepared.
func (o *Options) prepare(b *build.Builder) error {
	r := &passRun{m: o.Passes, b: b, opt: o, watch: (&Instrument{}).watch(o.VerifyEach)}
	for _, name := range preparation {
		pass, _ := r.m.Lookup(name)
		err := r.apply(pass)
		if err == nil {
			err = r.verify(pass)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
