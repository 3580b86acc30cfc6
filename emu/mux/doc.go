// Package mux is the ComputeMux compiler API (ComputeMux Compiler Specification 0.81.0) over
// lockstep's own compiler: what a runtime calls to get from source or SPIR-V to a binary, and
// what a compiler of one's own builds on.
//
// A runtime asks the compilers that there are for one that suits its device, and goes down:
// an [Info] makes a [Target] in a [Context], a target makes [Module] values, a module that was
// compiled and finalized gives a binary and, with deferred compilation, [Kernel] values.
//
//	list, err := mux.Compilers(mux.GetCompilers)
//	info, err := mux.FindCompiler(list, device)
//	target, err := info.CreateTarget(mux.NewContext(mux.ContextOptions{}), device, nil, nil)
//	err = target.InitWithBuiltins(nil)
//	module, err := target.CreateModule(diagnostics)
//	spirv := info.DeviceInfo().SPIRV()
//	_, err = module.CompileSPIRV(ctx, words, &spirv, nil)
//	program, printfs, err := module.Finalize(ctx)
//	binary, err := module.CreateBinary()
//	executable, err := mux.LoadExecutable(device, binary)
//
// The package lowers nothing and runs nothing itself. Modules come in as words, or as OpenCL C through a
// [FrontEnd]: package spirv/clc, unless the context names another one. Package spirv/validate checks them,
// spirv/link joins them, isa/lower compiles them, isa/binary makes the binaries, which package emu
// runs. Names of overloaded functions are the business of package emu/mux/mangle.
//
// # Compilers of one's own
//
// Where the specification has virtual methods there is an interface here, and a base that
// implements it. A compiler embeds the bases, made by their constructors, and writes down what is
// different; the bases call the interface, so that an override is what is called. Who embeds
// no base, or one that no constructor has made, has no compiler: an interface has a method
// that only bases have, and its calls end in [ErrNotConstructed]. examples/mux-target is such a compiler.
//
//	compiler::Info     Info    BaseInfo    write: CreateTarget
//	BaseTarget         Target  BaseTarget  write: CreateModule
//	BaseModule         Module  BaseModule  write: CreateBinary, CreateKernel, LateTargetPasses
//	BaseKernel         Kernel  BaseKernel  write: nothing; not needed without deferred compilation
//
// # From the text to Go
//
// A method has the name that it has in the text, with a capital letter, and the text's results
// are errors: compiler::Result::INVALID_VALUE is an error that wraps [ErrInvalidValue], cargo::expected
// is a value and an error, nullptr is nil with an error that says why, std::string & is a
// [*Diagnostics]. What has another name:
//
//	Info::device_info, compilation_options, …       methods of Info: DeviceInfo, CompilationOptions, …
//	mux_allocator_info_t                            Allocator, Account
//	mux_device_info_t, mux_ndrange_options_t        DeviceInfo, NDRangeOptions
//	spirv::DeviceInfo, ModuleInfo                   SPIRVDeviceInfo, SPIRVModuleInfo
//	BaseTarget::getCompilerInfo                     Target.CompilerInfo
//	BaseModule::getLateTargetPasses                 Module.LateTargetPasses
//	BaseModule::addDiagnostic, addBuildError        BaseModule.AddDiagnostic, AddBuildError
//	compiler::utils::PassMachinery                  PassMachinery (of package isa/lower)
//	compiler::Options, parseOptions                 Options, Module.ParseOptions
//	muxCreateExecutable, muxCommandNDRange          LoadExecutable, Executable.Launch
//	llvm::Module, as builtins                       the words of a SPIR-V library
//	descriptors, descriptors_length                 Descriptors, DescriptorsLength: both, as in the text
//
// # Rule by rule
//
// Each must, shall and should of the text, under its section: the name of its scenario in
// package emu/mux/muxtest, which every compiler has to pass; how strong the rule is; and what the rule
// comes to here.
//
//	Context
//	  satisfies Lockable                                must       Context is a sync.Locker with TryLock
//	  must be locked while the compiler works           must       methods take the lock themselves
//	Info
//	  compilation_options must conform to their syntax  must       NewBaseInfo: ErrOptionsSyntax
//	Info::createTarget
//	  allocation failure                                must       nil, ErrOutOfMemory
//	  context is nullptr                                must       nil, ErrNoContext
//	  an instance is returned                           should     a Target
//	Info::getBuiltinCapabilities
//	  a bitfield from device_info                       should     BuiltinCapabilities
//	Compilation Options Syntax
//	  1. double hyphen, no white space                  must       ErrOptionsSyntax, rule 1
//	  2. one or zero                                    must       ErrOptionsSyntax, rule 2
//	  3. no white space but spaces in the help          must       ErrOptionsSyntax, rule 3
//	  4. semicolons between options                     must       ErrOptionsSyntax, rule 4
//	BaseTarget Constructor
//	  must be called                                    must       NewBaseTarget; else ErrNotConstructed
//	BaseTarget::initWithBuiltins
//	  an override has to call the base (Introduction)   must       else ErrNotInitialized
//	  allocation failure                                must       ErrOutOfMemory
//	  success                                           should     nil
//	BaseTarget::createModule
//	  allocation failure                                must       nil, ErrOutOfMemory
//	  an instance is returned                           should     a Module
//	BaseModule Constructor
//	  must be called                                    must       NewBaseModule; else ErrNotConstructed
//	BaseModule::finalize
//	  allocation failure                                -          nil, ErrOutOfMemory
//	  failure                                           -          ErrFinalizeProgramFailure
//	BaseModule::getLateTargetPasses
//	  its passes run last                               must       LateTargetPasses has to be written: BaseModule has none
//	  failure                                           -          ErrFinalizeProgramFailure
//	  a pass that fails                                 -          ErrFinalizeProgramFailure
//	BaseModule::createBinary
//	  allocation failure                                must       nil, ErrOutOfMemory
//	  success                                           should     a binary for LoadExecutable
//	  a program that is not finalized                   -          ErrNotFinalized
//	BaseModule::createKernel
//	  an existing kernel of the module                  should not NewBaseKernel: ErrNoKernel for others
//	  allocation failure                                must       nil, ErrOutOfMemory
//	  no deferred compilation                           must       nil, ErrNoDeferredCompilation
//	  a nil kernel of an override                       must       nil, ErrNoDeferredCompilation
//	BaseModule::getKernel
//	  looked up, or created lazily                      -          the same name, the same Kernel
//	BaseModule::compileSPIRV
//	  a module that is not valid                        -          ErrCompileProgramFailure
//	  device capabilities                               -          ErrDeviceMismatch
//	  device extensions                                 -          ErrDeviceMismatch
//	  device instruction sets                           -          ErrDeviceMismatch
//	  device addressing model                           -          ErrDeviceMismatch
//	  device memory model                               -          ErrDeviceMismatch
//	  device work-group size                            -          ErrDeviceMismatch
//	  device work-item sizes                            -          ErrDeviceMismatch
//	  device sub-group size                             -          ErrDeviceMismatch
//	  specialization that does not fit                  -          ErrSpecialization
//	  allocation failure                                -          ErrOutOfMemory
//	BaseModule::compileOpenCLC
//	  no front end                                      -          ErrNoFrontEnd
//	  device_profile                                    -          ErrInvalidValue
//	  a source that is wrong                            -          ErrCompileProgramFailure
//	  a front end that gives nothing                    -          ErrCompileProgramFailure
//	BaseModule::link
//	  an import and an export of other types            -          ErrLinkProgramFailure
//	  an import that nobody defines                     -          ErrLinkProgramFailure
//	  modules that cannot be linked                     -          ErrForeignModule, ErrNoProgram
//	  allocation failure                                -          ErrOutOfMemory
//	BaseModule::createPassMachinery
//	  a machinery that is missing                       -          ErrCompileProgramFailure
//	BaseModule::initializePassMachineryForFrontend
//	  failure                                           -          ErrCompileProgramFailure
//	BaseModule::initializePassMachineryForFinalize
//	  failure                                           -          ErrFinalizeProgramFailure
//	BaseModule::serialize
//	  a buffer of the wrong size                        -          ErrShortBuffer
//	BaseModule::deserialize
//	  damaged data                                      -          ErrNotSerialized
//	  data of another compiler                          -          ErrForeignModule
//	  allocation failure                                -          ErrOutOfMemory
//	BaseKernel Constructor
//	  must be called                                    must       NewBaseKernel; else ErrNotConstructed
//	BaseKernel::precacheLocalSize
//	  allocation failure                                must       ErrOutOfMemory
//	  local_size_x is 0                                 must       ErrLocalSizeX
//	  local_size_y is 0                                 must       ErrLocalSizeY
//	  local_size_z is 0                                 must       ErrLocalSizeZ
//	  success                                           should     nil
//	BaseKernel::getDynamicWorkWidth
//	  allocation failure                                must       ErrOutOfMemory
//	  local_size_x is 0                                 must       ErrLocalSizeX
//	  local_size_y is 0                                 must       ErrLocalSizeY
//	  local_size_z is 0                                 must       ErrLocalSizeZ
//	  greater than 0, and no more than the work-group   must       1 to the number of work-items
//	  the width of a launch                             should     that of the waves of a launch
//	BaseKernel::createSpecializedKernel
//	  allocation failure                                must       ErrOutOfMemory
//	  descriptors without a length                      must       ErrDescriptorsEmpty
//	  a length without descriptors                      must       ErrDescriptorsMissing
//	  an element of local_size is 0: x                  must       ErrLocalSizeX
//	  an element of local_size is 0: y                  must       ErrLocalSizeY
//	  an element of local_size is 0: z                  must       ErrLocalSizeZ
//	  global_offset is NULL                             must       ErrGlobalOffset
//	  global_size is NULL                               must       ErrGlobalSize
//	  length is 0                                       must       ErrDimensions
//	  length is greater than 3                          must       ErrDimensions
//	  a custom buffer that the device does not take     must       ErrCustomBuffer
//	  failure of code generation                        must       ErrCodeGeneration
//	  a valid binary                                    should     a binary for LoadExecutable
//	  another number of descriptors                     -          ErrInvalidValue
//	  descriptors that do not fit the kernel            -          ErrInvalidValue
//	  a local size that the device does not have        -          ErrInvalidValue
//	BaseKernel::getSubGroupSize
//	  allocation failure                                -          ErrOutOfMemory
//	  a device without sub-groups                       -          ErrNoSubGroups
//	BaseKernel::querySubGroupSizeForLocalSize
//	  what a launch has, partial sub-groups included    shall      one of the size, at most one smaller
//	  allocation failure                                must       ErrOutOfMemory
//	  local_size_x is 0                                 must       ErrLocalSizeX
//	  local_size_y is 0                                 must       ErrLocalSizeY
//	  local_size_z is 0                                 must       ErrLocalSizeZ
//	  a device without sub-groups                       must       ErrNoSubGroups
//	BaseKernel::queryLocalSizeForSubGroupCount
//	  allocation failure                                must       ErrOutOfMemory
//	  a device without sub-groups                       must       ErrNoSubGroups
//	  one dimension, divisible, and as many sub-groups  must       two of three are 1
//	  zero when there is none                           may        zeros
//	BaseKernel::queryMaxSubGroupCount
//	  allocation failure                                must       ErrOutOfMemory
//	  a device without sub-groups                       must       ErrNoSubGroups
//	  for any local size, and greater than 0            must       1 or more
//	Metadata
//	  carried from the program to the binary            should not isa.ProgramMeta and isa.KernelMeta, not names
//	  required sizes are honoured                       -          launches that differ are refused
//	Function Attributes
//	  mux-local-mem-usage                               must       isa.KernelMeta.LocalMemory
//	  mux-no-subgroups                                  should     isa.KernelMeta.Subgroups, computed after all passes
//
// The sections of the text about built-in functions, barriers, atomics and fences are rules
// for the lowering, and proved by kernels (package conformance).
//
// # Concurrency
//
// Everything here can be used from several goroutines. The lock of a [Context] is held while the
// compiler works in it: methods of modules and kernels take it themselves, and hooks are called with the lock held.
// Compilers in different contexts do not wait for each other.
//
// # Memory
//
// An [Allocator] keeps account of what is kept: objects, modules, bytecode and binaries, by
// sizes that are the same on every system. A module gives back what its program took when it is
// cleared or gets another one. Input is hostile until checked, and nothing that a module or
// serialized data says makes the compiler panic, or take more than a multiple of its size.
package mux
