package emu

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// ProgramOptions say how a module becomes a program.
type ProgramOptions struct {
	// SpecConstants has new values of specialization constants by SpecId: the
	// bits of the value, zero-extended; 0 or 1 for a Boolean. Program.Info lists
	// the constants and their types.
	SpecConstants map[uint32]uint64
	// Sources returns the text of a source file that the module names, for the
	// source line in a finding. Nil uses only the text that the module holds.
	// [FileSources] reads files. It is called while the device is busy and must not
	// touch it.
	Sources func(name string) ([]byte, error)
	// KeepMarks keeps the async marks that no wait counts and the waits that have
	// nothing to wait for. Without it they are left out, which no kernel can see.
	KeepMarks bool
	// Specialize has, by name, what kernels are compiled for: sizes, offsets and
	// arguments that are constants then. A launch that differs is refused.
	Specialize map[string]*isa.Specialization
	// Kernels has the names of the kernels to compile; nil is all.
	Kernels []string
	// Passes has the passes that run and the pipelines of them; nil is the
	// default. VerifyEach checks every kernel after each pass.
	Passes     *lower.PassMachinery
	VerifyEach bool
}

// Program is a module that was compiled for a device. Its program-scope
// variables and pipes live, and keep what they hold from launch to launch, until
// Close; [Program.Reset] makes them as they were.
type Program struct {
	dev     *Device
	module  *spirv.Module
	info    *spirv.Info
	unit    *unit
	sources func(name string) ([]byte, error)

	// Guarded by the device's turn; placed has the variables and pipes that they are for.
	globals []memory.Pointer // by isa.Program.Globals
	pipes   []*memory.Pipe   // by isa.Program.Pipes
	placed  atomic.Pointer[isa.Program]

	mu      sync.Mutex
	kernels map[string]*Kernel // guarded by mu
	made    *madeSet

	printing sync.Mutex
	printer  *asm.Printer // of the module, made for the first finding; guarded by printing

	closed bool // guarded by the device's turn
}

// NewProgram loads a SPIR-V binary: it decodes it, checks what the rest relies
// on (the rules of level Load of package spirv/validate), compiles its kernel and places the kernel's
// program-scope variables and pipes in device memory. Where the module has several kernels and
// ProgramOptions.Kernels does not say which to compile, each of them is compiled when [Program.Kernel] is first asked
// for it. The error is a [*ModuleError], which
// says at which stage and instruction it failed. A kernel that this machine cannot
// run does not keep others from it: [Program.Kernel] returns why.
func (d *Device) NewProgram(module []byte, opt ProgramOptions) (*Program, error) {
	return d.NewProgramContext(context.Background(), module, opt)
}

// NewProgramContext is [Device.NewProgram] until the context ends, whose error it returns then.
func (d *Device) NewProgramContext(ctx context.Context, module []byte, opt ProgramOptions) (*Program, error) {
	if d == nil || d.engine == nil {
		return nil, fmt.Errorf("device: %w", ErrInvalid)
	}
	m, err := spirv.Decode(module)
	if err != nil {
		return nil, &ModuleError{Stage: "decode", Err: err}
	}
	return d.moduleProgram(ctx, m, opt)
}

// moduleProgram is NewProgramContext for a decoded module.
func (d *Device) moduleProgram(ctx context.Context, m *spirv.Module, opt ProgramOptions) (*Program, error) {
	broken, err := validate.ValidateContext(ctx, m, validate.Options{MaxErrors: 10})
	if err != nil {
		return nil, err
	}
	if err := broken.Err(); err != nil {
		return nil, &ModuleError{Stage: "validate", Err: err}
	}
	info, err := spirv.Reflect(m)
	if err != nil {
		return nil, &ModuleError{Stage: "reflect", Err: err}
	}
	u, err := newUnit(m, opt, d)
	if err != nil {
		return nil, err
	}
	if opt.Kernels != nil || len(u.names) == 1 {
		var refused *kernelCode
		good := 0
		for _, name := range u.names {
			k, err := u.kernel(ctx, name)
			switch {
			case err != nil:
				return nil, err
			case k.err == nil:
				good++
			case refused == nil:
				refused = k
			}
		}
		if good == 0 && refused != nil {
			return nil, &ModuleError{Stage: refused.stage, Err: refused.err}
		}
	}
	return d.newProgram(ctx, m, info, u, opt)
}

// newProgram places a module on the device. Its code has been verified.
func (d *Device) newProgram(ctx context.Context, m *spirv.Module, info *spirv.Info, u *unit, opt ProgramOptions) (*Program, error) {
	p := &Program{dev: d, module: m, info: info, unit: u, sources: opt.Sources, kernels: map[string]*Kernel{}, made: new(madeSet)}
	if err := p.placeAll(ctx); err != nil {
		return nil, err
	}
	return p, nil
}

// placeAll places the variables and pipes of all kernels that have been compiled, unless they have their places. It waits
// for a running launch.
func (p *Program) placeAll(ctx context.Context) error {
	code := p.unit.latest.Load()
	if p.hasPlace(code) {
		return nil
	}
	if err := p.dev.acquire(ctx); err != nil {
		return err
	}
	defer p.dev.release()
	if p.closed {
		return fmt.Errorf("program: %w", ErrClosed)
	}
	if err := p.place(code); err != nil {
		return &ModuleError{Stage: "allocate", Err: err}
	}
	return nil
}

// Reset gives the program's variables their initial values, and empties its
// pipes. It waits for a running launch.
func (p *Program) Reset() error {
	if p == nil || p.dev == nil {
		return fmt.Errorf("program: %w", ErrInvalid)
	}
	if err := p.dev.acquire(context.Background()); err != nil {
		return err
	}
	defer p.dev.release()
	if p.closed {
		return fmt.Errorf("program: %w", ErrClosed)
	}
	for _, q := range p.pipes {
		q.Reset()
	}
	return p.initialize(p.placed.Load(), 0)
}

// Close frees the program's variables and pipes. Launches of its kernels fail from now on.
func (p *Program) Close() error {
	if p == nil || p.dev == nil {
		return fmt.Errorf("program: %w", ErrInvalid)
	}
	if err := p.dev.acquire(context.Background()); err != nil {
		return err
	}
	defer p.dev.release()
	if p.closed {
		return fmt.Errorf("program: %w", ErrClosed)
	}
	p.closed = true
	return p.free(0, 0)
}

// Kernels returns the names of the module's kernels, in its order: those of ProgramOptions.Kernels only, if that is not
// nil. Whether a kernel can be run is not known before [Program.Kernel] has compiled it.
func (p *Program) Kernels() []string {
	if p == nil || p.unit == nil {
		return nil
	}
	return slices.Clone(p.unit.names)
}

// Kernel returns the kernel of the given name. It is made once: the same name
// gives the same pointer. The first call for a name compiles the kernel, and waits for a running launch if the kernel
// has program-scope variables or pipes that no kernel before had, so that it must not come from a function that
// a launch calls. The error is a [*ModuleError] for a kernel that this
// machine cannot run.
func (p *Program) Kernel(name string) (*Kernel, error) {
	return p.KernelContext(context.Background(), name)
}

// KernelContext is [Program.Kernel] until the context ends, whose error it returns then. The kernel can be asked for again.
func (p *Program) KernelContext(ctx context.Context, name string) (*Kernel, error) {
	if p == nil || p.unit == nil {
		return nil, fmt.Errorf("program: %w", ErrInvalid)
	}
	p.mu.Lock()
	k := p.kernels[name]
	p.mu.Unlock()
	if k != nil {
		return k, nil
	}
	code, err := p.unit.kernel(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case code == nil:
		return nil, fmt.Errorf("the module has no kernel %q; it has %q", name, p.Kernels())
	case code.err != nil:
		return nil, code.refused(name)
	}
	if err := p.placeAll(ctx); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.kernels[name]; k != nil {
		return k, nil
	}
	k = &Kernel{prog: p, isa: code.prog, code: code.code, name: name, made: p.made.of(name)}
	p.kernels[name] = k
	return k, nil
}

// ISA returns the program's bytecode, which must not be changed. It compiles the kernels that have not been
// compiled; those that cannot be run are in isa.Program.Refused.
func (p *Program) ISA() *isa.Program {
	if p == nil || p.unit == nil {
		return nil
	}
	code, _ := p.unit.all(context.Background()) // nothing else can fail
	return code
}

// ISAContext is [Program.ISA] until the context ends, whose error it returns then. It is a [*ModuleError] when no kernel of
// the module can be run.
func (p *Program) ISAContext(ctx context.Context) (*isa.Program, error) {
	if p == nil || p.unit == nil {
		return nil, fmt.Errorf("program: %w", ErrInvalid)
	}
	code, err := p.unit.all(ctx)
	if err == nil && len(code.Kernels) == 0 && len(code.Refused) > 0 {
		return nil, &ModuleError{Stage: "lower", Err: code.Refused[0].Reason}
	}
	return code, err
}

// Info returns what the module says about itself; it must not be changed.
func (p *Program) Info() *spirv.Info {
	if p == nil {
		return nil
	}
	return p.info
}

// Kernel is an entry point of a program. It holds no arguments: those belong
// to a [Launch], so that one Kernel serves any number of goroutines.
type Kernel struct {
	prog *Program
	isa  *isa.Program // whose variables, pipes and names the code refers to by number
	code *isa.Kernel

	name    string
	checked checkedKernel // for launches with checks
	debug   debugKernel   // for debuggers
	shared  sharedKernel  // for devices whose memory the host shares
	forms   forms         // for launches that are validated

	made    *made // shared with the kernel on other devices
	compile sync.Once
	runner  *scheduler.Runner
	// reference has the code of Device.reference, nil if there is none.
	reference *scheduler.Runner
	err       error
	later     engine.LazyCode // the runner's code, if machine code is made late, or nil
	fallback  engine.Fallback // the same, if it can say why there is none, or nil
}

// compiled returns the kernel's code on the device's engine, made at the first
// launch that needs it.
func (k *Kernel) compiled() (*scheduler.Runner, error) {
	k.compile.Do(func() {
		var c engine.Code
		var err error
		if d := k.prog.dev.lazy; d != nil {
			if k.later, err = d.CompileLater(k.isa, k.code, smallWork*uint64(len(k.code.Code))); err == nil {
				c = k.later
			}
		} else {
			c, err = k.made.on(k.prog.dev.engine, k.isa, k.code)
		}
		switch {
		case err != nil:
			k.err = &ModuleError{Stage: "compile", Err: fmt.Errorf("kernel %s: %w", k.code.Name, err)}
		case c == nil:
			k.err = &ModuleError{Stage: "compile", Err: errors.New("the engine made no code")}
		default:
			k.runner = scheduler.New(c)
			k.fallback, _ = c.(engine.Fallback)
			k.compileReference()
		}
	})
	return k.runner, k.err
}

// compileReference makes the code that launches are compared with, if they are.
func (k *Kernel) compileReference() {
	e := k.prog.dev.reference
	if e == nil {
		return
	}
	c, err := e.Compile(k.isa, k.code)
	if err != nil {
		k.err = &ModuleError{Stage: "compile", Err: fmt.Errorf("kernel %s on engine %s: %w", k.code.Name, e.Name(), err)}
		return
	}
	k.reference = scheduler.New(c)
}

// Portable returns why the kernel runs on the portable engine, though nobody asked for that: the
// processor or the system has no use for machine code, or refused memory for this kernel's, or it would be
// too long. It is nil where there is no such reason, and for a kernel that cannot run. The kernel is
// compiled, if it has not been launched before.
func (k *Kernel) Portable() error {
	if k == nil || k.code == nil {
		return nil
	}
	if k.prog.dev.portable != nil {
		return k.prog.dev.portable
	}
	if _, err := k.compiled(); err != nil {
		return nil
	}
	if k.later != nil {
		k.later.Make()
	}
	if k.fallback != nil {
		return k.fallback.Fallback()
	}
	return nil
}

// Engine returns the name of the engine whose code the kernel runs on now: "interp",
// though the device has another one, where that does not work, or has not made its
// code yet because the device chose it by itself. Launches with Check, which are
// always those of interp, do not count.
func (k *Kernel) Engine() string {
	if k == nil || k.code == nil {
		return ""
	}
	name := k.prog.dev.limits.Engine
	if _, err := k.compiled(); err != nil {
		return name
	}
	if k.prog.dev.portable != nil || k.fallback != nil && k.fallback.Fallback() != nil || k.later != nil && !k.later.Made() {
		return "interp"
	}
	return name
}

// ISA returns the kernel's bytecode in a program whose only kernel it is; nil for a nil kernel. It must not be changed.
func (k *Kernel) ISA() *isa.Program {
	if k == nil || k.code == nil {
		return nil
	}
	if len(k.isa.Kernels) == 1 {
		return k.isa
	}
	p := *k.isa
	p.Kernels, p.Refused = []*isa.Kernel{k.code}, nil
	return &p
}

// Name returns the kernel's name; "" for a nil kernel.
func (k *Kernel) Name() string {
	if k == nil || k.code == nil {
		return ""
	}
	return k.code.Name
}

// Param is a kernel's parameter.
type Param struct {
	Index int
	Name  string // "" when the module does not say
	Type  string // OpenCL C type where the module says so, else the SPIR-V type
	Kind  isa.ParamKind
	// Size is the bytes of a value; of what a pointer points to, or 0.
	Size     uint64
	ReadOnly bool // const, or constant memory
	Image    isa.ImageParam
	Pipe     isa.PipeParam
}

// Params returns the kernel's parameters.
func (k *Kernel) Params() []Param {
	if k == nil || k.code == nil {
		return nil
	}
	ps := make([]Param, len(k.code.Params))
	for i, p := range k.code.Params {
		ps[i] = Param{Index: i, Name: p.Name, Type: p.TypeName, Kind: p.Kind, Size: p.Size, ReadOnly: p.ReadOnly, Image: p.Image, Pipe: p.Pipe}
	}
	return ps
}

// KernelInfo is what a host wants to know before it launches a kernel.
type KernelInfo struct {
	ReqdLocalSize [3]uint32 // work-group size that the module requires; zeros when it does not
	LocalSizeHint [3]uint32 // zeros when there is none
	ReqdSubgroup  uint32    // sub-group size that the module requires, or 0
	SubgroupSize  int       // sub-group size that the kernel runs with: ReqdSubgroup, or that of the device
	LocalMemory   uint64    // bytes of LDS that the module declares, without local pointer arguments
	PrivateMemory uint64    // bytes of private memory of a work-item, besides registers
	UsesBarrier   bool
	UsesPrintf    bool
	UsesAsync     bool // asynchronous copies, or waits for them
	UsesPipes     bool // pipes, as arguments or of the program: launches of the kernel run as a Set
	// OrderDependent says that work-groups may see each other's order, so that
	// they run one after the other.
	OrderDependent bool
	// Spins says that the kernel may wait in a loop for another sub-group, so
	// that its waves have one sub-group each.
	Spins bool
}

// Info returns the kernel's properties.
func (k *Kernel) Info() KernelInfo {
	if k == nil || k.code == nil {
		return KernelInfo{}
	}
	c := k.code
	local, _ := allocBytes(c.Local)
	private, _ := allocBytes(c.Private)
	return KernelInfo{
		ReqdLocalSize: c.ReqdLocalSize, LocalSizeHint: c.LocalSizeHint, ReqdSubgroup: c.ReqdSubgroup,
		SubgroupSize: k.subgroupSize(),
		LocalMemory:  local, PrivateMemory: private,
		UsesBarrier: c.UsesBarrier, UsesPrintf: c.UsesPrintf, UsesAsync: c.UsesAsync, UsesPipes: c.UsesPipes, OrderDependent: c.OrderDependent,
		Spins: scheduler.MaySpin(c),
	}
}

// allocBytes returns the sum of the sizes that the module asks for; ok is false
// when it overflows.
func allocBytes(list []isa.Alloc) (sum uint64, ok bool) {
	for i := range list {
		if list[i].PerItem {
			continue
		}
		if sum+list[i].Size < sum {
			return 0, false
		}
		sum += list[i].Size
	}
	return sum, true
}
