package emu

import (
	"errors"
	"fmt"

	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrInvalid is a handle that was never made: nil, or the zero value.
	ErrInvalid = errors.New("invalid handle")
	// ErrClosed is a device, program, buffer or queue that was closed or freed.
	ErrClosed = errors.New("already closed")
	// ErrForeign is a buffer of one device used on another.
	ErrForeign = errors.New("belongs to another device")
	// ErrElement is a buffer of elements of one type that is read or written as another.
	ErrElement = errors.New("has elements of another type")
	// ErrNotCompared is a launch on a device whose engine is "compare" for which there are not two engines.
	ErrNotCompared = errors.New("nothing to compare with")
	// ErrNotShared is a kernel that cannot run where there is shared virtual memory: one that came as a binary which was made
	// without BinaryOptions.Shared, or one whose pointers have 32 bits.
	ErrNotShared = errors.New("not for shared virtual memory")
	// ErrMapped is a buffer that the host has mapped and that a launch wants.
	ErrMapped = errors.New("is mapped by the host")
	// ErrBusy is a device that runs a launch, for those who do not wait for it.
	ErrBusy = errors.New("a launch is running")
)

// ModuleError says why a module cannot be used. Unwrap leads to the error of
// the stage, for instance a *spirv.DecodeError.
type ModuleError struct {
	Stage string // "decode", "link", "validate", "reflect", "lower", "verify", "compile" or "allocate"
	Err   error
}

// Error gives "cannot STAGE the module: reason".
func (e *ModuleError) Error() string {
	if e.Stage == "link" {
		return fmt.Sprintf("cannot link the modules: %v", e.Err)
	}
	return fmt.Sprintf("cannot %s the module: %v", e.Stage, e.Err)
}

// Unwrap returns the error of the stage.
func (e *ModuleError) Unwrap() error { return e.Err }

// ArgError says which argument does not fit its parameter, and why.
type ArgError struct {
	Kernel string
	// Index is the argument's number from 0, or -1 when their number is wrong.
	Index int
	// Name and Type are what the module says of the parameter ("c", "float*").
	Name, Type string
	Reason     string
	// Err is the error below, for instance ErrClosed; it may be nil.
	Err error
}

// Error gives "kernel K, argument N "name" (type): reason".
func (e *ArgError) Error() string {
	s := "kernel " + e.Kernel
	if e.Index >= 0 {
		s += fmt.Sprintf(", argument %d", e.Index)
		if e.Name != "" {
			s += fmt.Sprintf(" %q", e.Name)
		}
		if e.Type != "" {
			s += fmt.Sprintf(" (%s)", e.Type)
		}
	}
	return s + ": " + e.Reason
}

// Unwrap returns the error below.
func (e *ArgError) Unwrap() error { return e.Err }

// RangeError says why an ND-range is not allowed.
type RangeError struct {
	Kernel string
	Reason string
}

// Error gives "kernel K: reason".
func (e *RangeError) Error() string { return fmt.Sprintf("kernel %s: %s", e.Kernel, e.Reason) }

// LimitError says that something needs more than the device has.
type LimitError struct {
	What       string // "local memory of kernel k"
	Need, Have uint64
	Unit       string // "bytes", "work-items"
	// Option is the field of DeviceOptions that raises the limit, or "".
	Option string
	// Size and Left are what was asked for and what was left where Need is the sum of what is in use and
	// Size; 0 elsewhere.
	Size, Left uint64
	// Host says that the limit has room, but the host does not give so much memory.
	Host bool
}

// Error gives "WHAT: N bytes needed, the limit is M".
func (e *LimitError) Error() string {
	if e.Host {
		return fmt.Sprintf("%s: %d %s asked for, and the host has no such memory left", e.What, e.Size, e.Unit)
	}
	s := fmt.Sprintf("%s: %d %s needed, the limit is %d", e.What, e.Need, e.Unit, e.Have)
	if e.Option != "" {
		s += fmt.Sprintf(" (DeviceOptions.%s)", e.Option)
	}
	return s
}

// FindingsError is the error of a launch that did something undefined or could
// not go on. The launch has run: its Result is complete.
type FindingsError struct {
	Findings finding.List
	// Err is the error of the context when that ended the launch, else nil.
	Err error
}

// Error says of the first finding what happened, in which kernel, where and to
// which work-item, and how many more findings there are.
func (e *FindingsError) Error() string {
	if len(e.Findings.Findings) == 0 {
		return "the launch failed"
	}
	s := e.Findings.Findings[0].Summary()
	if n := len(e.Findings.Findings) - 1 + e.Findings.Omitted; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// Unwrap returns the error of the context, or nil.
func (e *FindingsError) Unwrap() error { return e.Err }
