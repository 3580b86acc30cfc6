package mux

import (
	"fmt"
	"strconv"

	"github.com/lockstep-gpu/lockstep/emu"
)

// BuiltinOptions are the compilation options of lockstep's own compilers.
const BuiltinOptions = "--passes,1,pipeline of passes to run over each kernel;" +
	"--max-instructions,1,limit of the instructions of a kernel with its calls inlined;" +
	"--keep-marks,0,keeps async marks and waits that do nothing;" +
	"--verify-each,0,checks each kernel after every pass"

// builtinSizes are the sub-group sizes that there are compilers for, the default first.
var builtinSizes = [...]int{32, 8, 16, 64, 128}

// builtins are the compilers themselves.
var builtins = makeBuiltins()

// GetCompilers tells add of lockstep's own compilers, one for each sub-group size: 32,
// 8, 16, 64 and 128 (Enumerating compiler::Info's). They have deferred compilation.
func GetCompilers(add AddCompilerFunc) {
	for _, info := range builtins {
		add(info)
	}
}

func makeBuiltins() []*builtinInfo {
	var list []*builtinInfo
	for _, n := range builtinSizes {
		info, err := newBuiltinInfo(n)
		if err != nil {
			continue // a test holds that there are all of them
		}
		list = append(list, info)
	}
	return list
}

func newBuiltinInfo(subgroup int) (*builtinInfo, error) {
	// Only its limits are wanted, which do not depend on the engine: no need to look for one yet.
	d, err := emu.NewDevice(emu.DeviceOptions{SubgroupSize: subgroup, Engine: "interp"})
	if err != nil {
		return nil, err
	}
	defer d.Close()
	base, err := NewBaseInfo(InfoFields{
		Device:                      NewDeviceInfo(fmt.Sprintf("lockstep-sg%d", subgroup), d.Limits()),
		SupportsDeferredCompilation: true,
		CompilationOptions:          BuiltinOptions,
		Vectorizable:                true,
		DMAOptimizable:              true,
	})
	if err != nil {
		return nil, err
	}
	return &builtinInfo{base}, nil
}

// builtinInfo is one of lockstep's own compilers.
type builtinInfo struct{ *BaseInfo }

// CreateTarget implements [Info].
func (i *builtinInfo) CreateTarget(ctx *Context, device *emu.Device, alloc Allocator, notify NotifyFunc) (Target, error) {
	const call = "Info.CreateTarget"
	if ctx == nil {
		return nil, failed(call, ErrNoContext, "")
	}
	if device != nil && !i.DeviceInfo().Matches(device.Limits()) {
		return nil, failed(call, ErrInvalidValue, "the compiler is for sub-groups of %d, the device has %d", i.DeviceInfo().SubGroupSize, device.Limits().SubgroupSize)
	}
	t := &builtinTarget{}
	var err error
	if t.BaseTarget, err = NewBaseTarget(t, i, ctx, alloc, notify); err != nil {
		return nil, err
	}
	return t, nil
}

// builtinTarget is a target of one of lockstep's own compilers.
type builtinTarget struct{ *BaseTarget }

// CreateModule implements [Target].
func (t *builtinTarget) CreateModule(diag *Diagnostics) (Module, error) {
	m := &builtinModule{}
	var err error
	if m.BaseModule, err = NewBaseModule(m, t, diag); err != nil {
		return nil, err
	}
	return m, nil
}

// builtinModule is a module of one of lockstep's own compilers.
type builtinModule struct{ *BaseModule }

// ParseOptions implements [Module]: values that the options cannot have are refused at once.
func (m *builtinModule) ParseOptions(text string, mode OptionsMode) error {
	own, err := ParseCompilationOptions(m.CompilerInfo().CompilationOptions())
	if err != nil {
		return err
	}
	o, err := ParseOptions(text, mode, own)
	if err != nil {
		return err
	}
	if _, err := builtinLowering(o, m.CreatePassMachinery()); err != nil {
		return failed("Module.ParseOptions", within(mode.result(), err), "")
	}
	return m.BaseModule.ParseOptions(text, mode)
}

// InitializePassMachineryForFinalize implements [Module]: it hands on the options.
func (m *builtinModule) InitializePassMachineryForFinalize(pm *PassMachinery) error {
	if err := m.BaseModule.InitializePassMachineryForFinalize(pm); err != nil {
		return err
	}
	l, err := builtinLowering(m.Options(), pm)
	if err != nil {
		return err
	}
	*m.Lowering() = l
	return nil
}

// builtinLowering reads the values of BuiltinOptions, and sets the pipelines.
func builtinLowering(o *Options, pm *PassMachinery) (Lowering, error) {
	var l Lowering
	_, l.KeepMarks = o.Value("--keep-marks")
	_, l.VerifyEach = o.Value("--verify-each")
	if v, ok := o.Value("--max-instructions"); ok {
		n, err := strconv.ParseUint(v, 10, 31)
		if err != nil || n == 0 {
			return l, fmt.Errorf("--max-instructions: %q is no number from 1 to %d", v, 1<<31-1)
		}
		l.MaxInstructions = int(n)
	}
	if v, ok := o.Value("--passes"); ok {
		if err := pm.SetPasses(v); err != nil {
			return l, fmt.Errorf("--passes: %w", err)
		}
	}
	return l, nil
}

// LateTargetPasses implements [Module]: there are none.
func (m *builtinModule) LateTargetPasses(*PassMachinery) (Pipeline, error) { return nil, nil }

// CreateBinary implements [Module].
func (m *builtinModule) CreateBinary() ([]byte, error) { return m.EncodeProgram() }

// CreateKernel implements [Module].
func (m *builtinModule) CreateKernel(name string) (Kernel, error) {
	k, err := NewBaseKernel(m, name, m.PreferredLocalSize(name), m.LocalMemorySize(name))
	if err != nil {
		return nil, err
	}
	return k, nil
}
