package mux

import (
	"context"
	"sync/atomic"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Module is a program on its way from source to binary (compiler::Module). Types that
// implement it embed a [*BaseModule] from [NewBaseModule] and add what the specification leaves
// to each compiler: CreateBinary, LateTargetPasses and CreateKernel. Any other method can be
// overridden too; BaseModule calls Options and the methods under "hooks" on the overriding type.
type Module interface {
	// Clear forgets the program. Kernels that were made before stay usable.
	Clear()
	// ParseOptions sets the options of the compilations that follow. The error wraps
	// [ErrInvalidBuildOptions], [ErrInvalidCompilerOptions] or [ErrInvalidLinkerOptions], by the mode.
	ParseOptions(text string, mode OptionsMode) error
	// Options returns the options that were set; they must not be changed.
	Options() *Options

	// CompileSPIRV makes a SPIR-V module the program (BaseModule::compileSPIRV). It must
	// keep to what device says; spec, which may be nil, has values for its specialization
	// constants. What is wrong with the module is also a build error.
	//
	// Errors: [ErrOutOfMemory]; [ErrCompileProgramFailure] for code that is not valid, in the
	// shape of [ErrDeviceMismatch] for code that does not suit the device; [ErrSpecialization].
	CompileSPIRV(ctx context.Context, code []uint32, device *SPIRVDeviceInfo, spec *SpecializationInfo) (*SPIRVModuleInfo, error)
	// CompileOpenCLC makes a source in OpenCL C the program
	// (BaseModule::compileOpenCLC), by the front end of the context. Its messages go to the log.
	//
	// Errors: [ErrOutOfMemory]; [ErrInvalidValue] for a profile that is none;
	// [ErrCompileProgramFailure]; [ErrNoFrontEnd] and others that wrap [ErrFeatureUnsupported].
	CompileOpenCLC(ctx context.Context, profile, source string, headers []InputHeader) error
	// Link makes the programs of other modules, which stay as they are, the program of this one
	// (BaseModule::link). The module itself may be one of them; a program that it holds
	// is replaced.
	//
	// Errors: [ErrOutOfMemory]; [ErrForeignModule]; [ErrNoProgram] for a module that was
	// not compiled; [ErrLinkProgramFailure], which is also a build error.
	Link(ctx context.Context, inputs []Module) error
	// Finalize compiles the program to bytecode and returns its kernels and printf calls
	// (BaseModule::finalize). A kernel that the device cannot run is left out, and the
	// log says why.
	//
	// Errors: [ErrOutOfMemory]; [ErrNoProgram]; [ErrFinalizeProgramFailure], which is
	// also a build error.
	Finalize(ctx context.Context) (*ProgramInfo, []PrintfDescriptor, error)
	// GetKernel returns a kernel of the program, made when it is first asked for
	// (BaseModule::getKernel): the same name gives the same kernel.
	//
	// Errors: [ErrNoDeferredCompilation]; [ErrNotFinalized]; [ErrNoKernel]; those of
	// CreateKernel.
	GetKernel(name string) (Kernel, error)
	// CreateBinary returns a binary that [LoadExecutable] takes
	// (BaseModule::createBinary). The bytes are not to be changed.
	//
	// Errors: [ErrOutOfMemory]; [ErrNotFinalized].
	CreateBinary() ([]byte, error)

	// Size returns the number of bytes that Serialize writes; 0 for a module without a
	// program.
	Size() int
	// Serialize writes the module to the start of out, which has Size bytes or more, and
	// returns how many it has written. Errors: [ErrShortBuffer]; [ErrNoProgram].
	Serialize(out []byte) (int, error)
	// Deserialize makes what another module has serialized the program. On an error the
	// module has none. Bytecode is read when Finalize, GetKernel or a load of the binary first want
	// it, whose errors then are these. Errors: [ErrOutOfMemory]; [ErrNotSerialized], for data that is damaged or of
	// another version too; [ErrForeignModule] for data of another compiler.
	Deserialize(data []byte) error

	// Hooks. They are called with the lock of the context held.

	// CreatePassMachinery returns the machinery that the passes of a compilation run in
	// (BaseModule::createPassMachinery); one of its own for each call.
	CreatePassMachinery() *PassMachinery
	// InitializePassMachineryForFrontend may register passes and put them into the
	// pipeline Frontend. It is called by CompileSPIRV and CompileOpenCLC
	// (BaseModule::initializePassMachineryForFrontend).
	InitializePassMachineryForFrontend(pm *PassMachinery, opt FrontEndOptions) error
	// InitializePassMachineryForFinalize may register passes and change the
	// pipeline Finalize. It is called by Finalize, with a machinery that has the pipeline
	// Frontend and its passes (BaseModule::initializePassMachineryForFinalize).
	InitializePassMachineryForFinalize(pm *PassMachinery) error
	// LateTargetPasses returns the passes that run last, over bytecode. It is called at
	// the end of Finalize, when the machinery is complete and no pass has run
	// (BaseModule::getLateTargetPasses).
	LateTargetPasses(pm *PassMachinery) (Pipeline, error)
	// CreateKernel makes the object for a kernel that the program has
	// (BaseModule::createKernel). It makes no new kernel in the program.
	//
	// Errors: [ErrOutOfMemory]; [ErrNoDeferredCompilation].
	CreateKernel(name string) (Kernel, error)

	baseModule() *BaseModule
}

// What passes are made of and run in; package isa/lower has the descriptions.
type (
	PassMachinery = lower.PassMachinery
	Pass          = lower.Pass
	Pipeline      = lower.Pipeline
)

// BaseModule is what every [Module] embeds: all of a module but CreateBinary, LateTargetPasses
// and CreateKernel.
type BaseModule struct {
	self   Module
	target *BaseTarget
	ctx    *Context
	diag   *Diagnostics

	options atomic.Pointer[Options]

	// All below is guarded by the context.
	lowering Lowering
	object   holding // for the module itself
	held     holding // for the program
	source   *source // nil: no program
	front    *PassMachinery
	final    *finalized // nil: not finalized
	kernels  map[string]Kernel
	binary   holding
	image    []byte   // what Serialize writes, made by Size
	imageOf  *Options // those that image has in it
}

// source is a program as SPIR-V.
type source struct {
	module  *spirv.Module // nil until load, where the source was deserialized
	info    *spirv.Info
	openCLC bool   // it came from OpenCL C
	code    []byte // the module's bytes, where it was deserialized
}

// load reads the module of a source that was deserialized. The context is held.
func (s *source) load() error {
	if s.module != nil {
		return nil
	}
	read, err := readSource(s.code)
	if err != nil {
		return err
	}
	s.module, s.info = read.module, read.info
	return nil
}

// bytes returns the module's bytes.
func (s *source) bytes() []byte {
	if s.code == nil {
		s.code = s.module.Encode()
	}
	return s.code
}

// finalized is a program as bytecode.
type finalized struct {
	source   *source      // as it was lowered, with the built-ins
	program  *isa.Program // nil until loadFinal, where it was deserialized
	info     *ProgramInfo
	printfs  []PrintfDescriptor
	lowering *lower.Options // how it was lowered; nil until needed, where it was deserialized
	binary   []byte         // nil until needed
}

// entry returns the kernel of the given name that launches can start; nil when there is
// none.
func (f *finalized) entry(name string) *isa.Kernel {
	if k := f.program.Kernel(name); k != nil && !k.Meta.Inner {
		return k
	}
	return nil
}

// Lowering is what a target can choose for the lowering of a module besides its passes.
type Lowering struct {
	// MaxInstructions limits the size of a kernel with its calls inlined; 0 is
	// lower.DefaultMaxInstructions.
	MaxInstructions int
	// KeepMarks keeps async marks that no wait counts, and waits that have nothing to
	// wait for.
	KeepMarks bool
	// VerifyEach checks each kernel after every pass.
	VerifyEach bool
}

// NewBaseModule returns the base of a module (BaseModule Constructor). self is the module
// that embeds it, target the one that makes it. Errors and messages go to diag; nil for
// nobody.
//
// Errors: [ErrNotConstructed]; [ErrNotInitialized]; [ErrOutOfMemory].
func NewBaseModule(self Module, target Target, diag *Diagnostics) (*BaseModule, error) {
	const call = "NewBaseModule"
	if self == nil || target == nil || target.baseTarget() == nil {
		return nil, failed(call, ErrNotConstructed, "")
	}
	t := target.baseTarget()
	t.ctx.Lock()
	defer t.ctx.Unlock()
	if !t.ready {
		return nil, failed(call, ErrNotInitialized, "")
	}
	if diag == nil {
		diag = &Diagnostics{}
	}
	m := &BaseModule{self: self, target: t, ctx: t.ctx, diag: diag,
		object: holding{from: t.alloc}, held: holding{from: t.alloc}, binary: holding{from: t.alloc}, kernels: map[string]Kernel{}}
	m.options.Store(&Options{})
	if err := m.object.take(objectBytes); err != nil {
		return nil, failed(call, err, "")
	}
	return m, nil
}

// baseModule finds the base of an overriding type; nil when that was not constructed.
func (m *BaseModule) baseModule() *BaseModule {
	if m == nil || m.ctx == nil {
		return nil
	}
	return m
}

// enter takes the context's lock, unless the module was not constructed.
func (m *BaseModule) enter(call string) error {
	if m == nil || m.ctx == nil {
		return failed(call, ErrNotConstructed, "")
	}
	m.ctx.Lock()
	return nil
}

// Clear implements [Module].
func (m *BaseModule) Clear() {
	if m.enter("Module.Clear") != nil {
		return
	}
	defer m.ctx.Unlock()
	m.clear()
}

func (m *BaseModule) clear() {
	m.held.drop()
	m.source, m.front, m.final, m.image = nil, nil, nil, nil
	m.lowering = Lowering{}
	m.kernels = map[string]Kernel{}
	m.binary.drop()
}

// Close gives back what the module holds from its allocator. It is not used any more.
func (m *BaseModule) Close() {
	if m.enter("Module.Close") != nil {
		return
	}
	defer m.ctx.Unlock()
	m.clear()
	m.object.drop()
}

// ParseOptions implements [Module].
func (m *BaseModule) ParseOptions(text string, mode OptionsMode) error {
	if m == nil || m.ctx == nil {
		return failed("Module.ParseOptions", ErrNotConstructed, "")
	}
	own, err := ParseCompilationOptions(m.target.info.CompilationOptions())
	if err != nil {
		return err
	}
	o, err := ParseOptions(text, mode, own)
	if err != nil {
		return err
	}
	m.options.Store(o)
	return nil
}

// Options implements [Module]. A module that was not constructed has none.
func (m *BaseModule) Options() *Options {
	if m.baseModule() == nil {
		return &Options{}
	}
	return m.options.Load()
}

// Lowering returns what the target can change in InitializePassMachineryForFinalize; in a
// module that was not constructed that changes nothing.
func (m *BaseModule) Lowering() *Lowering {
	if m.baseModule() == nil {
		return &Lowering{}
	}
	return &m.lowering
}

// CompilerInfo returns the compiler that the module belongs to; nil when it was not
// constructed.
func (m *BaseModule) CompilerInfo() Info {
	if m.baseModule() == nil {
		return nil
	}
	return m.target.info
}

// AddDiagnostic adds a message to the log and tells the target's callback
// (BaseModule::addDiagnostic).
func (m *BaseModule) AddDiagnostic(message string) { m.say(message, 0) }

// AddBuildError is AddDiagnostic for a message that counts as an error
// (BaseModule::addBuildError).
func (m *BaseModule) AddBuildError(message string) { m.say(message, 1) }

func (m *BaseModule) say(message string, errors int) {
	if m.baseModule() == nil {
		return
	}
	m.diag.add(message, errors)
	if m.target.notify != nil {
		m.target.notify(Notification{Message: message, Error: errors > 0})
	}
}

// buildError is failed for what the user's program is to blame for.
func (m *BaseModule) buildError(call string, err error) error {
	m.AddBuildError("error: " + err.Error())
	return failed(call, err, "")
}

// CreatePassMachinery implements [Module]: the passes of package isa/lower.
func (m *BaseModule) CreatePassMachinery() *PassMachinery { return lower.NewPassMachinery() }

// InitializePassMachineryForFrontend implements [Module]: nothing is added.
func (m *BaseModule) InitializePassMachineryForFrontend(*PassMachinery, FrontEndOptions) error {
	return nil
}

// InitializePassMachineryForFinalize implements [Module]: the pipeline stays the default
// one, or is empty with -cl-opt-disable.
func (m *BaseModule) InitializePassMachineryForFinalize(pm *PassMachinery) error {
	if m.baseModule() != nil && m.self.Options().Has("-cl-opt-disable") {
		pm.Finalize = nil
	}
	return nil
}

// GetKernel implements [Module].
func (m *BaseModule) GetKernel(name string) (Kernel, error) {
	const call = "Module.GetKernel"
	if err := m.enter(call); err != nil {
		return nil, err
	}
	defer m.ctx.Unlock()
	switch {
	case !m.target.info.SupportsDeferredCompilation():
		return nil, &Error{Call: call, Object: name, Err: ErrNoDeferredCompilation}
	case m.final == nil:
		return nil, &Error{Call: call, Object: name, Err: ErrNotFinalized}
	case m.kernels[name] != nil:
		return m.kernels[name], nil
	}
	if err := m.loadFinal(); err != nil {
		return nil, &Error{Call: call, Object: name, Err: err}
	}
	if m.final.entry(name) == nil {
		for _, r := range m.final.program.Refused {
			if r.Name == name {
				return nil, &Error{Call: call, Object: name, Err: within(ErrNoKernel, r.Reason)}
			}
		}
		return nil, &Error{Call: call, Object: name, Err: ErrNoKernel}
	}
	k, err := m.self.CreateKernel(name)
	switch {
	case err != nil:
		return nil, &Error{Call: call, Object: name, Err: err}
	case k == nil:
		return nil, &Error{Call: call, Object: name, Err: ErrNoDeferredCompilation}
	}
	m.kernels[name] = k
	return k, nil
}
