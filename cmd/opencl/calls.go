package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/hostcall"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
)

// callSite is where the host has called from, for what is said about a launch later.
type callSite struct {
	function string    // of OpenCL
	returns  []uintptr // the addresses to which the calls return, the innermost first
}

// newCallSite keeps what C has found on the host's stack. Once for each place it looks whether that is in a wrapper of
// OpenCL, for which C has to find the calls around it, too.
func newCallSite(function string, calls *C.lockstep_calls) callSite {
	if calls == nil || calls.n == 0 {
		return callSite{}
	}
	if calls.fresh != 0 {
		wrapper := C.int(0)
		if hostcall.Wrapper(uintptr(calls.at[0])) {
			wrapper = 1
		}
		C.lockstep_remember(calls.at[0], wrapper)
	}
	s := callSite{function: function, returns: make([]uintptr, calls.n)}
	copy(s.returns, unsafe.Slice((*uintptr)(unsafe.Pointer(&calls.at)), calls.n))
	return s
}

// call finds the place in the host's program; nil where nothing is known of it.
func (s callSite) call() *hostrun.Call {
	p, ok := hostcall.Find(s.returns)
	if !ok {
		return nil
	}
	return &hostrun.Call{API: s.function, Function: p.Function, File: p.File, Line: p.Line, Module: p.Module, Offset: p.Offset, Distance: p.Distance}
}
