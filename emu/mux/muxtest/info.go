package muxtest

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/emu/mux"
)

func infoScenarios() []Scenario {
	clauses := []string{"MUX-02"}
	rules := []string{"MUX-02", "MUX-08"}
	return []Scenario{
		{"Info", "members", clauses, Anything, func(r *run) {
			info := r.env.Info
			d := info.DeviceInfo()
			if d == nil || d != info.DeviceInfo() {
				r.end("device_info is not one instance")
			}
			if d.Name == "" || d.MaxWorkGroupSize == 0 || d.MaxWorkWidth == 0 || d.LocalMemory == 0 {
				r.bad("device_info is incomplete: %+v", *d)
			}
			if info.Vectorizable() != (d.MaxWorkWidth > 1) {
				r.bad("vectorizable is %v for a device that runs %d work-items together", info.Vectorizable(), d.MaxWorkWidth)
			}
			// Kernels that copy asynchronously run on every device of package emu.
			if !info.DMAOptimizable() {
				r.bad("dma_optimizable is false")
			}
			if info.ScalableVectorSupport() {
				r.bad("scalable_vector_support is true, and no device has such registers")
			}
		}},
		{"Info", "compilation_options must conform to their syntax", []string{"MUX-02", "MUX-03"}, Anything, func(r *run) {
			_, err := mux.ParseCompilationOptions(r.env.Info.CompilationOptions())
			r.ok(err)
			_, err = mux.NewBaseInfo(mux.InfoFields{Device: *r.env.Info.DeviceInfo(), CompilationOptions: "-single,0,hyphen"})
			r.is(err, mux.ErrOptionsSyntax)
		}},
		{"Info::createTarget", "allocation failure", rules, Anything, func(r *run) {
			t, err := r.env.Info.CreateTarget(r.context(), nil, mux.NewAccount(0), nil)
			r.is(err, mux.ErrOutOfMemory)
			if t != nil {
				r.bad("there is a target")
			}
		}},
		{"Info::createTarget", "context is nullptr", rules, Anything, func(r *run) {
			t, err := r.env.Info.CreateTarget(nil, nil, nil, nil)
			r.is(err, mux.ErrNoContext)
			r.is(err, mux.ErrInvalidValue)
			if t != nil {
				r.bad("there is a target")
			}
		}},
		{"Info::createTarget", "an instance is returned", clauses, Anything, func(r *run) {
			t, err := r.env.Info.CreateTarget(r.context(), nil, nil, nil)
			r.ok(err)
			if t == nil {
				r.end("there is no target")
			}
			other, err := r.env.Info.CreateTarget(r.context(), r.device(), nil, nil)
			r.ok(err)
			if other == t {
				r.bad("the instance is not a new one")
			}
		}},
		{"Info::createTarget", "the callback is told", clauses, Anything, func(r *run) {
			var got []mux.Notification
			t, err := r.env.Info.CreateTarget(r.context(), nil, nil, func(n mux.Notification) { got = append(got, n) })
			r.ok(err)
			r.ok(t.InitWithBuiltins(nil))
			d := r.env.Info.DeviceInfo().SPIRV()
			_, err = r.moduleOf(t).CompileSPIRV(background, r.program(shaderText), &d, nil)
			r.is(err, mux.ErrCompileProgramFailure)
			if len(got) != 1 || !got[0].Error || !strings.Contains(got[0].Message, "Kernel") {
				r.bad("the callback was told %v", got)
			}
		}},
		{"Info::getBuiltinCapabilities", "a bitfield from device_info", clauses, Anything, func(r *run) {
			d := r.env.Info.DeviceInfo()
			var want mux.BuiltinCapabilities
			for bit, on := range map[mux.BuiltinCapabilities]bool{mux.Builtins32Bit: d.AddressBits == 32, mux.BuiltinsFP64: d.Double, mux.BuiltinsFP16: d.Half} {
				if on {
					want |= bit
				}
			}
			if got := r.env.Info.BuiltinCapabilities(); got != want {
				r.bad("it is %v, want %v", got, want)
			}
		}},
		{"Enumerating compiler::Info's", "static instances are listed", clauses, Anything, func(r *run) {
			list, err := mux.Compilers(r.env.GetCompilers)
			r.ok(err)
			again, err := mux.Compilers(r.env.GetCompilers)
			r.ok(err)
			found := false
			if len(list) == 0 || len(list) != len(again) {
				r.end("%d compilers, then %d", len(list), len(again))
			}
			for i := range list {
				found = found || list[i] == r.env.Info
				if list[i] != again[i] {
					r.bad("compiler %d is another instance each time", i)
				}
			}
			if !found {
				r.bad("the compiler for %q is not listed", r.env.Info.DeviceInfo().Name)
			}
			_, err = mux.Compilers(r.env.GetCompilers, r.env.GetCompilers)
			r.is(err, mux.ErrInvalidValue)
		}},
		{"Enumerating compiler::Info's", "a device finds its compiler", clauses, Anything, func(r *run) {
			list, err := mux.Compilers(r.env.GetCompilers)
			r.ok(err)
			d := r.device()
			info, err := mux.FindCompiler(list, d)
			r.ok(err)
			if info.DeviceInfo().SubGroupSize > 1 && int(info.DeviceInfo().SubGroupSize) != d.Limits().SubgroupSize {
				r.bad("sub-groups of %d for a device with %d", info.DeviceInfo().SubGroupSize, d.Limits().SubgroupSize)
			}
			_, err = mux.FindCompiler(nil, d)
			r.is(err, mux.ErrFeatureUnsupported)
		}},
	}
}

// example has the options of the section Compilation Options Syntax.
const example = "--dummy-device-option,1,takes an integer value;" +
	"--dummy-device-flag,0,enables device optimization"

func optionScenarios() []Scenario {
	const section = "Compilation Options Syntax"
	clauses := []string{"MUX-03"}
	refused := func(texts ...string) func(*run) {
		return func(r *run) {
			for _, text := range texts {
				o, err := mux.ParseCompilationOptions(text)
				if err == nil {
					r.bad("%q is %v", text, o)
					continue
				}
				r.is(err, mux.ErrOptionsSyntax)
			}
		}
	}
	return []Scenario{
		{section, "the example", clauses, Anything, func(r *run) {
			o, err := mux.ParseCompilationOptions(example)
			r.ok(err)
			if len(o) != 2 || o[0] != (mux.CompilationOption{Name: "--dummy-device-option", TakesValue: true, Help: "takes an integer value"}) ||
				o[1] != (mux.CompilationOption{Name: "--dummy-device-flag", Help: "enables device optimization"}) {
				r.bad("it is %v", o)
			}
			var parts []string
			for _, x := range o {
				parts = append(parts, x.String())
			}
			if text := strings.Join(parts, ";"); text != example {
				r.bad("it is written %q", text)
			}
		}},
		{section, "1. double hyphen, no white space", clauses, Anything,
			refused("dummy,0,help", "-dummy,0,help", "--,0,help", "--dum my,0,help", "--dum\tmy,0,help", " --dummy,0,help")},
		{section, "2. one or zero", clauses, Anything, refused("--dummy,2,help", "--dummy,,help", "--dummy,true,help", "--dummy, 1,help", "--dummy,01,help")},
		{section, "3. no white space but spaces in the help", clauses, Anything,
			refused("--dummy,0,he\tlp", "--dummy,0,he\nlp", "--dummy,0,he\rlp", "--dummy,0,he\vlp", "--dummy,0,he\u00a0lp", "--dummy,0,he\u2028lp")},
		{section, "4. semicolons between options", clauses, Anything,
			refused("--a,0,help,--b,0,help", "--a,0,help --b,0", "--a,0", "--a", "--a,0,help;;--b,0,help", ";")},
		{section, "values are parsed and handed on", clauses, Anything, func(r *run) {
			own, err := mux.ParseCompilationOptions(r.env.Info.CompilationOptions())
			r.ok(err)
			m := r.module()
			for _, o := range own {
				if o.TakesValue {
					continue
				}
				r.ok(m.ParseOptions(o.Name, mux.OptionsBuild))
				if v, ok := m.Options().Value(o.Name); !ok || v != "" {
					r.bad("%s was not handed on", o.Name)
				}
				r.is(m.ParseOptions(o.Name+"=1", mux.OptionsBuild), mux.ErrInvalidBuildOptions)
			}
			for _, o := range own {
				if o.TakesValue {
					r.is(m.ParseOptions(o.Name, mux.OptionsBuild), mux.ErrInvalidBuildOptions)
					r.is(m.ParseOptions(o.Name+"=", mux.OptionsBuild), mux.ErrInvalidBuildOptions)
				}
			}
			r.is(m.ParseOptions("--no-such-option", mux.OptionsCompile), mux.ErrInvalidCompilerOptions)
			r.is(m.ParseOptions("--no-such-option", mux.OptionsLink), mux.ErrInvalidLinkerOptions)
			o, err := mux.ParseOptions(`-DA=1 -D "B=x y" -I inc --dummy-device-option 7 --dummy-device-flag --dummy-device-option=8 -cl-std=CL2.0 -w`, mux.OptionsCompile,
				[]mux.CompilationOption{{Name: "--dummy-device-option", TakesValue: true}, {Name: "--dummy-device-flag"}})
			r.ok(err)
			v, _ := o.Value("--dummy-device-option")
			_, flag := o.Value("--dummy-device-flag")
			if strings.Join(o.Definitions, "|") != "A=1|B=x y" || strings.Join(o.Includes, "|") != "inc" || o.Std != "CL2.0" || !o.Has("-w") || v != "8" || !flag {
				r.bad("the options are %+v", *o)
			}
		}},
	}
}
