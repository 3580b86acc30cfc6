package muxtest

import (
	"slices"

	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// idleTarget overrides InitWithBuiltins with a method that does not call the base's.
type idleTarget struct{ *mux.BaseTarget }

func (*idleTarget) InitWithBuiltins([]uint32) error { return nil }

func (t *idleTarget) CreateModule(diag *mux.Diagnostics) (mux.Module, error) {
	m := &spyModule{}
	var err error
	if m.BaseModule, err = mux.NewBaseModule(m, t, diag); err != nil {
		return nil, err
	}
	return m, nil
}

func targetScenarios() []Scenario {
	clauses := []string{"MUX-04"}
	rules := []string{"MUX-04", "MUX-08"}
	return []Scenario{
		{"BaseTarget Constructor", "must be called", rules, Anything, func(r *run) {
			// A target that embeds a base that nobody has constructed.
			var t struct{ *mux.BaseTarget }
			r.is(t.InitWithBuiltins(nil), mux.ErrNotConstructed)
			_, err := mux.NewBaseTarget(nil, r.env.Info, r.context(), nil, nil)
			r.is(err, mux.ErrNotConstructed)
			_, err = mux.NewBaseTarget(r.targetWith(nil), r.env.Info, nil, nil, nil)
			r.is(err, mux.ErrNoContext)
		}},
		{"BaseTarget::initWithBuiltins", "allocation failure", rules, Anything, func(r *run) {
			a := mux.NewAccount(1 << 20)
			t, err := r.env.Info.CreateTarget(r.context(), nil, a, nil)
			r.ok(err)
			full(a)
			r.is(t.InitWithBuiltins(r.program(libraryText)), mux.ErrOutOfMemory)
		}},
		{"BaseTarget::initWithBuiltins", "success", clauses, Anything, func(r *run) {
			t, err := r.env.Info.CreateTarget(r.context(), nil, nil, nil)
			r.ok(err)
			_, err = t.CreateModule(nil)
			r.is(err, mux.ErrNotInitialized)
			r.ok(t.InitWithBuiltins(nil))
			_, err = t.CreateModule(nil)
			r.ok(err)
		}},
		{"BaseTarget::initWithBuiltins", "an override has to call the base (Introduction)", rules, Anything, func(r *run) {
			s := &spy{}
			var err error
			s.BaseInfo, err = mux.NewBaseInfo(mux.InfoFields{Device: *r.env.Info.DeviceInfo()})
			r.ok(err)
			t := &idleTarget{}
			t.BaseTarget, err = mux.NewBaseTarget(t, s, r.context(), nil, nil)
			r.ok(err)
			r.ok(t.InitWithBuiltins(nil))
			_, err = t.CreateModule(nil)
			r.is(err, mux.ErrNotInitialized)
			r.ok(t.BaseTarget.InitWithBuiltins(nil))
			_, err = t.CreateModule(nil)
			r.ok(err)
		}},
		{"BaseTarget::initWithBuiltins", "built-ins serve imports", clauses, Anything, func(r *run) {
			t, err := r.env.Info.CreateTarget(r.context(), nil, nil, nil)
			r.ok(err)
			r.is(t.InitWithBuiltins(r.program(callerText)), mux.ErrInvalidValue)
			r.ok(t.InitWithBuiltins(r.program(libraryText)))
			m := r.moduleOf(t)
			r.compile(m, callerText)
			_, _, err = m.Finalize(background)
			r.ok(err)
			b, err := m.CreateBinary()
			r.ok(err)
			d := r.device()
			data := r.words(d, 0, 1, 2, 10)
			if got := r.launch(d, b, "apply", line(4, 4, buffer(data)), data); !slices.Equal(got, []uint32{1, 3, 5, 21}) {
				r.bad("the built-in function gives %d", got)
			}
		}},
		{"BaseTarget::createModule", "allocation failure", rules, Anything, func(r *run) {
			a := mux.NewAccount(1 << 20)
			t := r.targetWith(a)
			full(a)
			m, err := t.CreateModule(r.diag)
			r.is(err, mux.ErrOutOfMemory)
			if m != nil {
				r.bad("there is a module")
			}
		}},
		{"BaseTarget::createModule", "an instance is returned", clauses, Anything, func(r *run) {
			t := r.targetWith(nil)
			a, err := t.CreateModule(nil)
			r.ok(err)
			b, err := t.CreateModule(nil)
			r.ok(err)
			if a == nil || a == b {
				r.bad("it is %v, then %v", a, b)
			}
		}},
		{"BaseTarget::createModule", "num_errors and log are those of the module", []string{"MUX-04", "MUX-05"}, Anything, func(r *run) {
			m := r.module()
			d := r.env.Info.DeviceInfo().SPIRV()
			for n := 1; n <= 2; n++ {
				if _, err := m.CompileSPIRV(background, []uint32{1, 2}, &d, nil); err == nil {
					r.end("two words are a module")
				}
				if r.diag.NumErrors() != n {
					r.bad("num_errors is %d after %d errors", r.diag.NumErrors(), n)
				}
			}
			if r.diag.Log() == "" {
				r.bad("the log is empty")
			}
		}},
		{"BaseTarget::getCompilerInfo", "the compiler that made the target", clauses, Anything, func(r *run) {
			if got := r.targetWith(nil).CompilerInfo(); got != r.env.Info {
				r.bad("it is %v", got)
			}
		}},
	}
}
