package mux

import (
	"github.com/lockstep-gpu/lockstep/emu"
)

// Info describes a compiler for one device (compiler::Info). There is one value for each
// configuration of a compiler, and it lives as long as the program. Types that implement it embed
// [BaseInfo], which does all but CreateTarget.
type Info interface {
	// CreateTarget makes a target (Info::createTarget). The device may be nil: one like
	// DeviceInfo says. The allocator may be nil for memory without limits, and notify for
	// nobody who listens.
	//
	// Errors: [ErrOutOfMemory]; [ErrNoContext] for a nil context.
	CreateTarget(ctx *Context, device *emu.Device, alloc Allocator, notify NotifyFunc) (Target, error)
	// BuiltinCapabilities returns what DeviceInfo implies (Info::getBuiltinCapabilities).
	BuiltinCapabilities() BuiltinCapabilities

	// DeviceInfo describes the device that the compiler is for. It must not be changed.
	DeviceInfo() *DeviceInfo
	// SupportsDeferredCompilation says whether Module.CreateKernel makes kernels.
	SupportsDeferredCompilation() bool
	// CompilationOptions has the compiler's own options in the compilation options syntax,
	// which [ParseCompilationOptions] reads.
	CompilationOptions() string
	// Vectorizable says whether the device runs several work-items in one instruction.
	Vectorizable() bool
	// DMAOptimizable says whether the device has engines for asynchronous copies.
	DMAOptimizable() bool
	// ScalableVectorSupport says whether the device has vectors whose length only it knows.
	ScalableVectorSupport() bool

	baseInfo() *BaseInfo
}

// InfoFields are the data of an [Info], which its methods return.
type InfoFields struct {
	Device                      DeviceInfo
	SupportsDeferredCompilation bool
	CompilationOptions          string
	Vectorizable                bool
	DMAOptimizable              bool
	ScalableVectorSupport       bool
}

// BaseInfo is what every [Info] embeds.
type BaseInfo struct{ fields InfoFields }

// NewBaseInfo returns a base with these fields. The error wraps [ErrOptionsSyntax] when
// the options break the compilation options syntax, or [ErrInvalidValue] for a device that
// cannot be.
func NewBaseInfo(f InfoFields) (*BaseInfo, error) {
	if _, err := ParseCompilationOptions(f.CompilationOptions); err != nil {
		return nil, err
	}
	if err := f.Device.check(); err != nil {
		return nil, err
	}
	return &BaseInfo{fields: f}, nil
}

// baseInfo finds the base of an overriding type; nil when that was not constructed: no device
// of a constructed one is without work-groups.
func (b *BaseInfo) baseInfo() *BaseInfo {
	if b == nil || b.fields.Device.MaxWorkGroupSize == 0 {
		return nil
	}
	return b
}

// BuiltinCapabilities implements [Info].
func (b *BaseInfo) BuiltinCapabilities() BuiltinCapabilities { return b.fields.Device.builtins() }

// DeviceInfo implements [Info].
func (b *BaseInfo) DeviceInfo() *DeviceInfo { return &b.fields.Device }

// SupportsDeferredCompilation implements [Info].
func (b *BaseInfo) SupportsDeferredCompilation() bool { return b.fields.SupportsDeferredCompilation }

// CompilationOptions implements [Info].
func (b *BaseInfo) CompilationOptions() string { return b.fields.CompilationOptions }

// Vectorizable implements [Info].
func (b *BaseInfo) Vectorizable() bool { return b.fields.Vectorizable }

// DMAOptimizable implements [Info].
func (b *BaseInfo) DMAOptimizable() bool { return b.fields.DMAOptimizable }

// ScalableVectorSupport implements [Info].
func (b *BaseInfo) ScalableVectorSupport() bool { return b.fields.ScalableVectorSupport }

// AddCompilerFunc is told of a compiler (compiler::AddCompilerFn).
type AddCompilerFunc func(Info)

// GetCompilersFunc tells add of each configuration of a compiler (Enumerating
// compiler::Info's). A target provides one, under whatever name.
type GetCompilersFunc func(add AddCompilerFunc)

// Compilers asks each function for its compilers and returns them in that order. The error
// wraps [ErrInvalidValue]: a compiler that is nil, was not constructed, or is there twice.
func Compilers(functions ...GetCompilersFunc) ([]Info, error) {
	const call = "Compilers"
	var list []Info
	var err error
	for _, get := range functions {
		if get == nil {
			return nil, failed(call, ErrInvalidValue, "a function is missing")
		}
		get(func(info Info) {
			switch {
			case err != nil:
			case info == nil || info.baseInfo() == nil:
				err = failed(call, ErrNotConstructed, "a compiler was announced that is none")
			default:
				for _, other := range list {
					if other.DeviceInfo().Name == info.DeviceInfo().Name {
						err = failed(call, ErrInvalidValue, "there are two compilers for %q", info.DeviceInfo().Name)
						return
					}
				}
				list = append(list, info)
			}
		})
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// FindCompiler returns the first of the compilers whose binaries run on the device. The
// error wraps [ErrFeatureUnsupported].
func FindCompiler(list []Info, device *emu.Device) (Info, error) {
	l := device.Limits()
	for _, info := range list {
		if info.DeviceInfo().Matches(l) {
			return info, nil
		}
	}
	return nil, failed("FindCompiler", ErrFeatureUnsupported, "none of %d compilers is for sub-groups of %d", len(list), l.SubgroupSize)
}
