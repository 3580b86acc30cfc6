package mux

import (
	"errors"
	"fmt"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

// Target is a compiler at work for one device (compiler::Target). Types that implement it
// embed a [*BaseTarget] from [NewBaseTarget].
type Target interface {
	// InitWithBuiltins makes the target ready (BaseTarget::initWithBuiltins). builtins is
	// a library of built-in functions: a SPIR-V module whose exports serve the imports of
	// modules that are finalized. Nil leaves those to the compiler, which knows the
	// functions of OpenCL C and ComputeMux by their names.
	//
	// Errors: [ErrOutOfMemory]; [ErrInvalidValue] for builtins that are no library.
	InitWithBuiltins(builtins []uint32) error
	// CreateModule makes a module without a program (BaseTarget::createModule), whose
	// errors and log go to diag; nil for nobody.
	//
	// Errors: [ErrOutOfMemory]; [ErrNotInitialized].
	CreateModule(diag *Diagnostics) (Module, error)
	// CompilerInfo returns the compiler that made the target
	// (BaseTarget::getCompilerInfo).
	CompilerInfo() Info

	baseTarget() *BaseTarget
}

// BaseTarget is what every [Target] embeds. It is a target but for CreateModule, and
// InitWithBuiltins may be overridden by a method that calls this one.
type BaseTarget struct {
	self   Target
	info   Info
	ctx    *Context
	notify NotifyFunc
	alloc  Allocator

	held     holding
	ready    bool          // InitWithBuiltins succeeded
	builtins *spirv.Module // nil for none
}

// NewBaseTarget returns the base of a target (BaseTarget Constructor). self is the
// target that embeds it; the others are those of Info.CreateTarget.
//
// Errors: [ErrNoContext]; [ErrNotConstructed] for a compiler or target that is nil;
// [ErrOutOfMemory].
func NewBaseTarget(self Target, info Info, ctx *Context, alloc Allocator, notify NotifyFunc) (*BaseTarget, error) {
	const call = "NewBaseTarget"
	switch {
	case ctx == nil:
		return nil, failed(call, ErrNoContext, "")
	case self == nil || info == nil || info.baseInfo() == nil:
		return nil, failed(call, ErrNotConstructed, "")
	}
	t := &BaseTarget{self: self, info: info, ctx: ctx, notify: notify, alloc: alloc, held: holding{from: alloc}}
	if err := t.held.take(objectBytes); err != nil {
		return nil, failed(call, err, "")
	}
	return t, nil
}

// baseTarget finds the base of an overriding type; nil when that was not constructed.
func (t *BaseTarget) baseTarget() *BaseTarget {
	if t == nil || t.ctx == nil {
		return nil
	}
	return t
}

// InitWithBuiltins implements [Target].
func (t *BaseTarget) InitWithBuiltins(builtins []uint32) error {
	const call = "Target.InitWithBuiltins"
	if t == nil || t.ctx == nil {
		return failed(call, ErrNotConstructed, "")
	}
	t.ctx.Lock()
	defer t.ctx.Unlock()
	if t.ready {
		return failed(call, ErrInvalidValue, "the target has its built-ins already")
	}
	if len(builtins) > 0 {
		size := moduleBytes(len(builtins))
		if err := t.held.take(size); err != nil {
			return failed(call, err, "")
		}
		m, err := library(builtins)
		if err != nil {
			t.held.back(size)
			return failed(call, within(ErrInvalidValue, err), "")
		}
		t.builtins = m
	}
	t.ready = true
	return nil
}

// library reads a module of built-in functions.
func library(code []uint32) (*spirv.Module, error) {
	m, err := decode(code)
	if err != nil {
		return nil, err
	}
	if err := validate.Validate(m, validate.Options{MaxErrors: 1}).Err(); err != nil {
		return nil, err
	}
	info, err := spirv.Reflect(m)
	switch {
	case err != nil:
		return nil, err
	case len(info.EntryPoints) > 0:
		return nil, fmt.Errorf("a library has no kernels, this module has %q", info.EntryPoints[0].Name)
	case len(info.Exports) == 0:
		return nil, errors.New("the module exports nothing")
	}
	return m, nil
}

// CompilerInfo implements [Target].
func (t *BaseTarget) CompilerInfo() Info {
	if t == nil {
		return nil
	}
	return t.info
}

// Context returns the context of the target.
func (t *BaseTarget) Context() *Context {
	if t == nil {
		return nil
	}
	return t.ctx
}

// Close gives back what the target holds from its allocator. It is not used any more.
func (t *BaseTarget) Close() {
	if t == nil || t.ctx == nil {
		return
	}
	t.ctx.Lock()
	defer t.ctx.Unlock()
	t.held.drop()
	t.builtins, t.ready = nil, false
}

// device describes the device of the target.
func (t *BaseTarget) device() *DeviceInfo { return t.info.DeviceInfo() }

// moduleBytes is what a module of so many words counts for: its words, and what refers to
// its instructions, which have three words on average.
func moduleBytes(words int) uint64 { return uint64(words) * (4 + 32/3) }
