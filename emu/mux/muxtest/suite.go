// Package muxtest holds the scenarios that every compiler behind the interfaces of package
// emu/mux has to pass, whoever made it: one scenario a rule of the ComputeMux Compiler
// Specification, named after the section that states it.
//
// A compiler comes in as an [Env]; [Scenarios] has the list, and [Section] runs those of
// one section as subtests of a Go test. The conformance cases run the same scenarios. A
// scenario uses nothing but the public interfaces, drives them like a runtime would, and
// compares with what the specification says; where something runs, it runs on a device of package
// emu. The package knows nothing of the compilers that it tests.
package muxtest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// Env is the compiler to test.
type Env struct {
	Info mux.Info
	// GetCompilers is how the compiler is announced.
	GetCompilers mux.GetCompilersFunc
}

// Scenario is a rule, and what is done to see that a compiler keeps it.
type Scenario struct {
	// Section is the heading of the specification, "BaseKernel::precacheLocalSize".
	Section string
	// Name says which rule, "local_size_x is 0".
	Name string
	// Clauses are those of package conformance that the scenario proves a part of.
	Clauses []string
	// Needs says which compilers the scenario is for.
	Needs Needs

	run func(*run)
}

// Needs is what a compiler has to have for a scenario.
type Needs uint8

// The needs.
const (
	Anything  Needs = iota
	Deferred        // deferred compilation
	Immediate       // no deferred compilation
)

// suits says why a scenario is not for a compiler, "" if it is.
func (n Needs) suits(info mux.Info) string {
	switch {
	case n == Deferred && !info.SupportsDeferredCompilation():
		return "the compiler has no deferred compilation"
	case n == Immediate && info.SupportsDeferredCompilation():
		return "the compiler has deferred compilation"
	}
	return ""
}

// ErrNotForThis is wrapped by the error of a scenario that a compiler need not pass.
var ErrNotForThis = errors.New("not for this compiler")

// Try runs the scenario. The error says what the compiler did wrong, or wraps
// [ErrNotForThis].
func (s *Scenario) Try(env Env) (err error) {
	if why := s.Needs.suits(env.Info); why != "" {
		return fmt.Errorf("%w: %s", ErrNotForThis, why)
	}
	r := &run{env: env, diag: &mux.Diagnostics{}}
	defer func() {
		// A scenario stops by a panic with a stop; any other is the compiler's, and no way to
		// keep a rule.
		if p := recover(); p != nil {
			if _, ours := p.(stop); !ours {
				r.bad("the compiler panics: %v", p)
			}
		}
		for i := len(r.cleanup) - 1; i >= 0; i-- {
			r.cleanup[i]()
		}
		if len(r.wrong) > 0 {
			err = fmt.Errorf("%s, %s: %s", s.Section, s.Name, strings.Join(r.wrong, "; "))
		}
	}()
	s.run(r)
	return nil
}

// Scenarios returns all scenarios, in the order of the specification.
func Scenarios() []Scenario {
	var list []Scenario
	for _, part := range [][]Scenario{
		contextScenarios(), infoScenarios(), optionScenarios(), targetScenarios(), moduleScenarios(), compileScenarios(), hookScenarios(),
		serialScenarios(), kernelScenarios(), specializeScenarios(), subgroupScenarios(), mangleScenarios(), metadataScenarios(),
	} {
		list = append(list, part...)
	}
	return list
}

// Of returns the scenarios of a section.
func Of(section string) []Scenario {
	var list []Scenario
	for _, s := range Scenarios() {
		if s.Section == section {
			list = append(list, s)
		}
	}
	return list
}

// Sections returns the sections that have scenarios, in order.
func Sections() []string {
	var list []string
	seen := map[string]bool{}
	for _, s := range Scenarios() {
		if !seen[s.Section] {
			seen[s.Section] = true
			list = append(list, s.Section)
		}
	}
	return list
}

// TestingT is what [Section] needs of a *testing.T, which is the only type that has it.
type TestingT[T any] interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Skip(args ...any)
	Run(name string, f func(T)) bool
}

// Section runs the scenarios of a section as subtests of t, each with every compiler. A
// section without scenarios fails.
func Section[T TestingT[T]](t T, section string, envs ...Env) {
	t.Helper()
	list := Of(section)
	if len(list) == 0 || len(envs) == 0 {
		t.Fatalf("%d scenarios in the section %q for %d compilers", len(list), section, len(envs))
	}
	for i := range list {
		for _, env := range envs {
			t.Run(list[i].Name+"/"+env.Info.DeviceInfo().Name, func(t T) {
				err := list[i].Try(env)
				switch {
				case errors.Is(err, ErrNotForThis):
					t.Skip(err)
				case err != nil:
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// stop ends a scenario.
type stop struct{}

// run is a scenario under way.
type run struct {
	env     Env
	diag    *mux.Diagnostics
	wrong   []string
	cleanup []func()
}

// bad notes what is wrong and goes on.
func (r *run) bad(format string, args ...any) {
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

// end notes what is wrong and ends the scenario.
func (r *run) end(format string, args ...any) {
	r.bad(format, args...)
	panic(stop{})
}

// ok ends the scenario on an error.
func (r *run) ok(err error) {
	if err != nil {
		r.end("unexpected error: %v", err)
	}
}

// is notes an error that is not the wanted one.
func (r *run) is(err, want error) {
	if !errors.Is(err, want) {
		r.bad("the error is %v, want one that is %q", err, want)
	}
}

// background is the context of calls that nobody cancels.
var background = context.Background()

// program returns the words of a program for the device.
func (r *run) program(text string) []uint32 {
	words, err := assemble(text, r.env.Info.DeviceInfo().AddressBits)
	r.ok(err)
	return words
}

// context returns a new context.
func (r *run) context() *mux.Context { return mux.NewContext(mux.ContextOptions{}) }

// targetWith returns a target that is ready, with an allocator or nil.
func (r *run) targetWith(alloc mux.Allocator) mux.Target {
	t, err := r.env.Info.CreateTarget(r.context(), nil, alloc, nil)
	r.ok(err)
	r.ok(t.InitWithBuiltins(nil))
	return t
}

// moduleOf returns a module of a target, whose errors and log go to r.diag.
func (r *run) moduleOf(t mux.Target) mux.Module {
	m, err := t.CreateModule(r.diag)
	r.ok(err)
	return m
}

// module returns a module of a target without limits.
func (r *run) module() mux.Module { return r.moduleOf(r.targetWith(nil)) }

// compile compiles a program into a module.
func (r *run) compile(m mux.Module, text string) *mux.SPIRVModuleInfo {
	d := r.env.Info.DeviceInfo().SPIRV()
	info, err := m.CompileSPIRV(background, r.program(text), &d, nil)
	r.ok(err)
	return info
}

// finalized returns a module with a program that was compiled and finalized.
func (r *run) finalized(text string) mux.Module {
	m := r.module()
	r.compile(m, text)
	_, _, err := m.Finalize(background)
	r.ok(err)
	return m
}

// limited returns a finalized module and the account that it takes its memory from.
func (r *run) limited(text string) (mux.Module, *mux.Account) {
	a := mux.NewAccount(1 << 30)
	m := r.moduleOf(r.targetWith(a))
	r.compile(m, text)
	_, _, err := m.Finalize(background)
	r.ok(err)
	return m, a
}

// full makes an account refuse everything from now on.
func full(a *mux.Account) { a.SetLimit(a.Used()) }

// kernel returns a kernel of a finalized module.
func (r *run) kernel(m mux.Module, name string) mux.Kernel {
	k, err := m.GetKernel(name)
	r.ok(err)
	return k
}

// scale returns kernel scale.
func (r *run) scale() mux.Kernel { return r.kernel(r.finalized(scaleText), "scale") }

// device returns a device that the compiler's binaries run on.
func (r *run) device() *emu.Device {
	d, err := emu.NewDevice(r.env.Info.DeviceInfo().DeviceOptions())
	r.ok(err)
	r.cleanup = append(r.cleanup, func() { _ = d.Close() })
	return d
}

// words is a buffer of 32-bit numbers.
func (r *run) words(d *emu.Device, v ...uint32) *emu.Buffer {
	b, err := emu.NewBufferOf(d, v)
	r.ok(err)
	return b
}

// launch runs a kernel of a binary and returns what a buffer holds then.
func (r *run) launch(d *emu.Device, binary []byte, kernel string, options *mux.NDRangeOptions, out *emu.Buffer) []uint32 {
	e, err := mux.LoadExecutable(d, binary)
	r.ok(err)
	l, err := e.Launch(kernel, options)
	r.ok(err)
	_, err = l.Run(background)
	r.ok(err)
	v, err := emu.Read[uint32](out)
	r.ok(err)
	return v
}

// line is a launch of n work-items in groups of local.
func line(n, local uint64, args ...mux.Descriptor) *mux.NDRangeOptions {
	return &mux.NDRangeOptions{
		Descriptors: args, DescriptorsLength: len(args), LocalSize: [3]uint64{local, 1, 1},
		GlobalOffset: []uint64{0}, GlobalSize: []uint64{n}, Length: 1,
	}
}

func word(v uint32) mux.Descriptor {
	return mux.Descriptor{Type: mux.DescriptorPlainOldData, Data: []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)}}
}

func buffer(b *emu.Buffer) mux.Descriptor {
	return mux.Descriptor{Type: mux.DescriptorBuffer, Buffer: b}
}
