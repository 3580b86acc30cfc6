package mux_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/emu/mux"
)

// own is a compiler that announces other options than its base, and whose modules add a flag to
// those that were given.
type own struct{ *mux.BaseInfo }

type ownTarget struct{ *mux.BaseTarget }

type ownModule struct {
	*mux.BaseModule
	front   []string // the flags that the front-end hook was given
	openCLC bool     // and the language
}

func (*own) CompilationOptions() string { return "--level,1,how much" }

func (o *own) CreateTarget(ctx *mux.Context, _ *emu.Device, alloc mux.Allocator, notify mux.NotifyFunc) (mux.Target, error) {
	t := &ownTarget{}
	var err error
	t.BaseTarget, err = mux.NewBaseTarget(t, o, ctx, alloc, notify)
	return t, err
}

func (t *ownTarget) CreateModule(diag *mux.Diagnostics) (mux.Module, error) {
	m := &ownModule{}
	var err error
	m.BaseModule, err = mux.NewBaseModule(m, t, diag)
	return m, err
}

func (m *ownModule) Options() *mux.Options {
	o := *m.BaseModule.Options()
	o.Flags = append(o.Flags, "-cl-opt-disable")
	return &o
}

func (m *ownModule) InitializePassMachineryForFrontend(_ *mux.PassMachinery, opt mux.FrontEndOptions) error {
	m.front, m.openCLC = opt.Options.Flags, opt.OpenCLC
	return nil
}

func (m *ownModule) LateTargetPasses(*mux.PassMachinery) (mux.Pipeline, error) { return nil, nil }
func (m *ownModule) CreateBinary() ([]byte, error)                             { return m.EncodeProgram() }
func (m *ownModule) CreateKernel(string) (mux.Kernel, error) {
	return nil, mux.ErrNoDeferredCompilation
}

// TestOverriddenOptions: the options that an override announces are those that are read, and
// what an override says was given is what the base goes by.
func TestOverriddenOptions(t *testing.T) {
	base, err := mux.NewBaseInfo(mux.InfoFields{Device: *envs(t)[0].Info.DeviceInfo(), CompilationOptions: "--other,0,is not announced"})
	if err != nil {
		t.Fatal(err)
	}
	target, err := (&own{base}).CreateTarget(mux.NewContext(mux.ContextOptions{}), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.InitWithBuiltins(nil); err != nil {
		t.Fatal(err)
	}
	made, err := target.CreateModule(nil)
	if err != nil {
		t.Fatal(err)
	}
	m := made.(*ownModule)
	if err := m.ParseOptions("--other", mux.OptionsBuild); !errors.Is(err, mux.ErrInvalidBuildOptions) {
		t.Errorf("an option that is not announced: %v", err)
	}
	if err := m.ParseOptions("-w --level=3", mux.OptionsBuild); err != nil {
		t.Fatal(err)
	}
	if v, ok := m.Options().Value("--level"); !ok || v != "3" {
		t.Errorf("the value is %q, %v", v, ok)
	}
	d := base.DeviceInfo().SPIRV()
	if _, err := m.CompileSPIRV(t.Context(), saxpy(t), &d, nil); err != nil {
		t.Fatal(err)
	}
	if len(m.front) != 2 || m.front[0] != "-w" || m.front[1] != "-cl-opt-disable" {
		t.Errorf("the front-end hook is given %q", m.front)
	}
	pm := m.CreatePassMachinery()
	if err := m.InitializePassMachineryForFinalize(pm); err != nil || len(pm.Finalize) != 0 {
		t.Errorf("the pipeline is %q, %v", pm.Finalize, err)
	}
}

// TestSerializedOptions: a module is serialized with the options that it has then, also
// when others were set after its size was asked for.
func TestSerializedOptions(t *testing.T) {
	m, _ := newModule(t)
	d := deviceSPIRV(t)
	if _, err := m.CompileSPIRV(t.Context(), saxpy(t), &d, nil); err != nil {
		t.Fatal(err)
	}
	var last []byte
	for _, flag := range []string{"-w", "-cl-mad-enable"} {
		if err := m.ParseOptions(flag, mux.OptionsBuild); err != nil {
			t.Fatal(err)
		}
		b := make([]byte, m.Size())
		if _, err := m.Serialize(b); err != nil {
			t.Fatal(err)
		}
		back, _ := newModule(t)
		if err := back.Deserialize(b); err != nil {
			t.Fatal(err)
		}
		if o := back.Options(); len(o.Flags) != 1 || o.Flags[0] != flag || bytes.Equal(b, last) {
			t.Errorf("with %s the module has %q", flag, o.Flags)
		}
		last = b
	}
}

// TestNotConstructed: a base that no constructor has made is refused wherever it goes, and none
// of its methods panics.
func TestNotConstructed(t *testing.T) {
	ctx := mux.NewContext(mux.ContextOptions{})
	good := envs(t)[0].Info
	target, err := good.CreateTarget(ctx, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.InitWithBuiltins(nil); err != nil {
		t.Fatal(err)
	}
	linker, err := target.CreateModule(nil)
	if err != nil {
		t.Fatal(err)
	}
	is := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, mux.ErrNotConstructed) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, b := range []*mux.BaseInfo{nil, {}} {
		_, err := mux.NewBaseTarget(target, &own{b}, ctx, nil, nil)
		is("a target of an info", err)
		_, err = mux.Compilers(func(add mux.AddCompilerFunc) { add(&own{b}) })
		is("an info in a list", err)
	}
	for _, b := range []*mux.BaseTarget{nil, {}} {
		bad := &ownTarget{b}
		_, err := mux.NewBaseModule(linker, bad, nil)
		is("a module of a target", err)
		is("InitWithBuiltins", bad.InitWithBuiltins(nil))
		if bad.CompilerInfo() != nil || bad.Context() != nil {
			t.Error("the target has a compiler")
		}
		bad.Close()
	}
	for _, b := range []*mux.BaseModule{nil, {}} {
		bad := &ownModule{BaseModule: b}
		_, err := mux.NewBaseKernel(bad, "k", [3]uint64{1, 1, 1}, 0)
		is("a kernel of a module", err)
		is("Link", linker.Link(t.Context(), []mux.Module{bad}))
		_, err = bad.GetKernel("k")
		is("GetKernel", err)
		_, err = bad.CreateBinary()
		is("CreateBinary", err)
		is("ParseOptions", bad.ParseOptions("", mux.OptionsBuild))
		if bad.CompilerInfo() != nil || len(bad.BaseModule.Options().Flags) != 0 || bad.Size() != 0 || bad.LocalMemorySize("k") != 0 {
			t.Error("the module has something")
		}
		if p := bad.PreferredLocalSize("k"); p != [3]uint64{1, 1, 1} {
			t.Errorf("it prefers %d", p)
		}
		bad.Lowering().KeepMarks = true
		bad.AddDiagnostic("to nobody")
		bad.AddBuildError("to nobody")
		if err := bad.InitializePassMachineryForFinalize(bad.CreatePassMachinery()); err != nil {
			t.Error(err)
		}
		bad.Clear()
		bad.Close()
	}
	for _, b := range []*mux.BaseKernel{nil, {}} {
		_, err := b.QueryMaxSubGroupCount()
		is("QueryMaxSubGroupCount", err)
		if b.Name() != "" || b.LocalMemorySize() != 0 || b.PreferredLocalSizes() != [3]uint64{} {
			t.Error("the kernel has something")
		}
		b.Close()
	}
}

// given is a front end that gives a module.
type given []byte

func (g given) CompileOpenCLC(context.Context, *mux.FrontEndRequest) (*mux.FrontEndResult, error) {
	return &mux.FrontEndResult{SPIRV: g}, nil
}

// TestLanguage: that a program comes from OpenCL C is known to the front-end hook of modules
// that it is linked into, and of those that it is deserialized into.
func TestLanguage(t *testing.T) {
	base, err := mux.NewBaseInfo(mux.InfoFields{Device: *envs(t)[0].Info.DeviceInfo()})
	if err != nil {
		t.Fatal(err)
	}
	target, err := (&own{base}).CreateTarget(mux.NewContext(mux.ContextOptions{FrontEnd: given(mux.Bytes(saxpy(t)))}), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := target.InitWithBuiltins(nil); err != nil {
		t.Fatal(err)
	}
	var modules [3]*ownModule
	for i := range modules {
		m, err := target.CreateModule(nil)
		if err != nil {
			t.Fatal(err)
		}
		modules[i] = m.(*ownModule)
	}
	first, linked, back := modules[0], modules[1], modules[2]
	if err := first.CompileOpenCLC(t.Context(), mux.FullProfile, "", nil); err != nil {
		t.Fatal(err)
	}
	if err := linked.Link(t.Context(), []mux.Module{first}); err != nil {
		t.Fatal(err)
	}
	image := make([]byte, linked.Size())
	if _, err := linked.Serialize(image); err != nil {
		t.Fatal(err)
	}
	if err := back.Deserialize(image); err != nil {
		t.Fatal(err)
	}
	if _, _, err := back.Finalize(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, m := range modules {
		if !m.openCLC {
			t.Errorf("module %d is not from OpenCL C", i)
		}
	}
	d := base.DeviceInfo().SPIRV()
	if _, err := first.CompileSPIRV(t.Context(), saxpy(t), &d, nil); err != nil {
		t.Fatal(err)
	}
	if first.openCLC {
		t.Error("a module from SPIR-V is from OpenCL C")
	}
}
