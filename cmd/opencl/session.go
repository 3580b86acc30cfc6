package main

// #include "opencl.h"
import "C"

import (
	"os"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
)

// The session is opened with the platform, before there is anything else, and does not change.
var (
	session        *hostrun.Session
	sessionOptions = &hostrun.Options{}
)

// environment returns an environment variable as it is now, which the program may have set itself.
func environment(name string) string {
	s := C.CString(name)
	defer C.free(unsafe.Pointer(s))
	return goString((*C.const_char)(C.getenv(s)))
}

// openSession reads the options of all launches, and opens the files that they name.
func openSession() (*hostrun.Options, error) {
	o, err := hostrun.Parse(environment(hostrun.Variable))
	if err != nil {
		return nil, err
	}
	// A kernel whose sub-groups have the size that the person asked for takes no other one.
	o.Device.FixedSubgroups = o.Device.SubgroupSize != 0
	info, err := os.Stderr.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0
	sessionOptions = o
	watchHeap()
	session, err = hostrun.Open(o, hostrun.Streams{
		Stderr: os.Stderr,
		Color:  terminal && environment("NO_COLOR") == "" && environment("TERM") != "dumb",
		Tally:  environment(hostrun.TallyVariable),
	})
	return o, err
}

// known is what the session has to know of a launch with the kernel's arguments of now; nil if that is
// nothing.
func (k *kernel) known() *hostrun.Case {
	if !session.Keeps() {
		return nil
	}
	c, p := &hostrun.Case{}, k.program
	p.mu.Lock()
	c.Module, c.Source, c.Options, c.Constants = p.built.module, p.source, p.built.options, p.constant
	p.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.args {
		c.Args = append(c.Args, k.args[i].known())
	}
	return c
}

// known is what the session has to know of an argument.
func (a *kernelArg) known() hostrun.CaseArg {
	switch {
	case a.memory != nil && a.memory.pipe != nil:
		return hostrun.CaseArg{Pipe: true}
	case a.memory != nil:
		return hostrun.CaseArg{Memory: a.memory.known()}
	case a.local != 0:
		return hostrun.CaseArg{Local: a.local}
	case a.bytes != nil:
		return hostrun.CaseArg{Value: a.bytes}
	case a.null:
		return hostrun.CaseArg{Null: true}
	}
	if s, ok := a.value.(emu.Sampler); ok {
		return hostrun.CaseArg{Sampler: &s}
	}
	return hostrun.CaseArg{Address: true}
}

// known is what the session has to know of a buffer or an image.
func (m *memory) known() *hostrun.CaseMemory {
	root, offset := m, m.origin
	for root.parent != nil {
		root = root.parent
		offset += root.origin
	}
	x := &hostrun.CaseMemory{Root: root, Offset: offset, Bytes: m.bytes(), ReadOnly: root.forbids(C.CL_MEM_READ_ONLY), WriteOnly: root.forbids(C.CL_MEM_WRITE_ONLY)}
	if m.image != nil {
		x.Image = m.image.emu
	}
	return x
}
