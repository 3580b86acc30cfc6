package muxtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// spy is a compiler for the device of the one under test that overrides every hook, and
// notes what is called and which passes run.
type spy struct {
	*mux.BaseInfo
	events []string
	// fail is the hook that fails.
	fail string
	// only, when not empty, is the only pass of the finalize pipeline.
	only string
	// pipeline is what the late hook found in the machinery.
	pipeline mux.Pipeline
	// machineries are those that the hooks were given.
	machineries map[string]*mux.PassMachinery
	options     []mux.FrontEndOptions
}

var errHook = errors.New("the hook failed")

func (s *spy) note(what string) error {
	s.events = append(s.events, what)
	if s.fail == what {
		return errHook
	}
	return nil
}

type spyTarget struct {
	*mux.BaseTarget
	spy *spy
}

type spyModule struct {
	*mux.BaseModule
	spy *spy
}

func (s *spy) CreateTarget(ctx *mux.Context, _ *emu.Device, alloc mux.Allocator, notify mux.NotifyFunc) (mux.Target, error) {
	t := &spyTarget{spy: s}
	var err error
	if t.BaseTarget, err = mux.NewBaseTarget(t, s, ctx, alloc, notify); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *spyTarget) CreateModule(diag *mux.Diagnostics) (mux.Module, error) {
	m := &spyModule{spy: t.spy}
	var err error
	if m.BaseModule, err = mux.NewBaseModule(m, t, diag); err != nil {
		return nil, err
	}
	return m, nil
}

func (m *spyModule) CreatePassMachinery() *mux.PassMachinery {
	if m.spy.note("createPassMachinery") != nil {
		return nil
	}
	return m.BaseModule.CreatePassMachinery()
}

// pass is a pass that notes that it runs.
func (m *spyModule) pass(name string, late bool) mux.Pass {
	run := func() error { return m.spy.note("run " + name) }
	if late {
		return mux.Pass{Name: name, Doc: "notes that it runs", Kernel: func(*isa.Program, *isa.Kernel) error { return run() }}
	}
	return mux.Pass{Name: name, Doc: "notes that it runs", Keeps: ssa.ControlFlow, IR: func(*lower.IR) error { return run() }}
}

func (m *spyModule) InitializePassMachineryForFrontend(pm *mux.PassMachinery, opt mux.FrontEndOptions) error {
	m.spy.machineries["frontend"] = pm
	m.spy.options = append(m.spy.options, opt)
	if err := m.spy.note("initializePassMachineryForFrontend"); err != nil {
		return err
	}
	if err := m.BaseModule.InitializePassMachineryForFrontend(pm, opt); err != nil {
		return err
	}
	pm.Frontend = append(pm.Frontend, lower.Step{Pass: "front"})
	return pm.Register(m.pass("front", false))
}

func (m *spyModule) InitializePassMachineryForFinalize(pm *mux.PassMachinery) error {
	m.spy.machineries["finalize"] = pm
	if err := m.spy.note("initializePassMachineryForFinalize"); err != nil {
		return err
	}
	if err := m.BaseModule.InitializePassMachineryForFinalize(pm); err != nil {
		return err
	}
	if m.spy.only != "" {
		pm.Finalize = mux.Pipeline{{Pass: m.spy.only}}
	}
	if err := pm.Register(m.pass("analysis", true)); err != nil {
		return err
	}
	pm.Finalize = append(pm.Finalize, lower.Step{Pass: "middle"})
	return pm.Register(m.pass("middle", false))
}

func (m *spyModule) LateTargetPasses(pm *mux.PassMachinery) (mux.Pipeline, error) {
	m.spy.machineries["late"] = pm
	m.spy.pipeline = slices.Concat(pm.Frontend, pm.Finalize)
	if err := m.spy.note("getLateTargetPasses"); err != nil {
		return nil, err
	}
	if err := pm.Register(m.pass("late", true)); err != nil {
		return nil, err
	}
	// What the finalize hook has registered is there.
	return pm.Parse("analysis,late")
}

func (m *spyModule) CreateBinary() ([]byte, error) { return m.EncodeProgram() }

func (m *spyModule) CreateKernel(string) (mux.Kernel, error) {
	return nil, m.spy.note("createKernel")
}

// spied returns a module of a compiler that notes everything.
func (r *run) spied(fail string) (*spy, mux.Module) {
	info := r.env.Info
	base, err := mux.NewBaseInfo(mux.InfoFields{Device: *info.DeviceInfo(), SupportsDeferredCompilation: true, CompilationOptions: info.CompilationOptions()})
	r.ok(err)
	s := &spy{BaseInfo: base, fail: fail, machineries: map[string]*mux.PassMachinery{}}
	t, err := s.CreateTarget(r.context(), nil, nil, nil)
	r.ok(err)
	r.ok(t.InitWithBuiltins(nil))
	return s, r.moduleOf(t)
}

func hookScenarios() []Scenario {
	clauses := []string{"MUX-06"}
	rules := []string{"MUX-06", "MUX-08"}
	const printed = "createPassMachinery initializePassMachineryForFrontend createPassMachinery initializePassMachineryForFinalize getLateTargetPasses " +
		"run front run middle run analysis run late"
	all := func(r *run) (*spy, mux.Module) {
		s, m := r.spied("")
		r.compile(m, printText)
		_, _, err := m.Finalize(background)
		r.ok(err)
		return s, m
	}
	failing := func(hook string, result error) func(*run) {
		return func(r *run) {
			_, m := r.spied(hook)
			d := r.env.Info.DeviceInfo().SPIRV()
			_, err := m.CompileSPIRV(background, r.program(printText), &d, nil)
			if err == nil {
				_, _, err = m.Finalize(background)
			}
			r.is(err, result)
			if hook != "createPassMachinery" {
				r.is(err, errHook)
			}
			if r.diag.NumErrors() != 1 {
				r.bad("%d errors", r.diag.NumErrors())
			}
		}
	}
	return []Scenario{
		{"BaseModule::createPassMachinery", "the override is called", clauses, Anything, func(r *run) {
			s, _ := all(r)
			if strings.Count(strings.Join(s.events, " "), "createPassMachinery") != 2 {
				r.bad("the calls are %q", s.events)
			}
		}},
		{"BaseModule::createPassMachinery", "a machinery that is missing", rules, Anything, failing("createPassMachinery", mux.ErrCompileProgramFailure)},
		{"BaseModule::createPassMachinery", "pipelines as text", clauses, Anything, func(r *run) {
			pm := r.module().CreatePassMachinery()
			p, err := pm.Parse("simplify,repeat<2>(promote,simplify)")
			r.ok(err)
			if p.String() != "simplify,repeat<2>(promote,simplify)" || len(p.Flat()) != 5 {
				r.bad("the pipeline is %q", p)
			}
			for _, text := range []string{"nothing-of-the-kind", "simplify,", "repeat<0>(simplify)", "build"} {
				if p, err := pm.Parse(text); err == nil {
					r.bad("%q is the pipeline %q", text, p)
				}
			}
			if len(pm.Passes()) < 8 {
				r.bad("there are %d passes", len(pm.Passes()))
			}
		}},
		{"BaseModule::initializePassMachineryForFrontend", "in compileSPIRV and compileOpenCLC", clauses, Anything, func(r *run) {
			s, m := r.spied("")
			r.ok(m.ParseOptions("-cl-mad-enable", mux.OptionsCompile))
			r.compile(m, printText)
			if fmt.Sprint(s.events) != "[createPassMachinery initializePassMachineryForFrontend]" {
				r.bad("the calls are %q", s.events)
			}
			if len(s.options) != 1 || s.options[0].OpenCLC || !s.options[0].Options.Has("-cl-mad-enable") {
				r.bad("the options are %+v", s.options)
			}
		}},
		{"BaseModule::initializePassMachineryForFrontend", "failure", rules, Anything,
			failing("initializePassMachineryForFrontend", mux.ErrCompileProgramFailure)},
		{"BaseModule::initializePassMachineryForFinalize", "in finalize", clauses, Anything, func(r *run) {
			s, _ := all(r)
			if got := strings.Join(s.events, " "); got != printed {
				r.bad("the calls are %q", got)
			}
		}},
		{"BaseModule::initializePassMachineryForFinalize", "failure", rules, Anything,
			failing("initializePassMachineryForFinalize", mux.ErrFinalizeProgramFailure)},
		{"BaseModule::getLateTargetPasses", "at the end, before any pass has run", clauses, Anything, func(r *run) {
			s, _ := all(r)
			late, first := slices.Index(s.events, "getLateTargetPasses"), slices.IndexFunc(s.events, func(e string) bool { return strings.HasPrefix(e, "run ") })
			if late < 0 || first < late {
				r.bad("the calls are %q", s.events)
			}
			if text := s.pipeline.String(); !strings.HasPrefix(text, "front,") || !strings.HasSuffix(text, ",middle") {
				r.bad("the pipeline is %q", text)
			}
		}},
		{"BaseModule::getLateTargetPasses", "the machinery is that of finalize", clauses, Anything, func(r *run) {
			s, _ := all(r)
			if s.machineries["late"] != s.machineries["finalize"] {
				r.bad("the machinery is another one")
			}
		}},
		{"BaseModule::getLateTargetPasses", "its passes run last", clauses, Anything, func(r *run) {
			s, _ := all(r)
			if n := len(s.events); n < 2 || s.events[n-2] != "run analysis" || s.events[n-1] != "run late" {
				r.bad("the calls are %q", s.events)
			}
		}},
		{"BaseModule::getLateTargetPasses", "failure", rules, Anything, failing("getLateTargetPasses", mux.ErrFinalizeProgramFailure)},
		{"BaseModule::getLateTargetPasses", "a pass that fails", rules, Anything, failing("run late", mux.ErrFinalizeProgramFailure)},
		{"BaseModule::createKernel", "a nil kernel of an override", []string{"MUX-05", "MUX-08"}, Anything, func(r *run) {
			s, m := all(r)
			k, err := m.GetKernel("hello")
			r.is(err, mux.ErrNoDeferredCompilation)
			if k != nil || s.events[len(s.events)-1] != "createKernel" {
				r.bad("kernel %v, calls %q", k, s.events)
			}
		}},
	}
}
