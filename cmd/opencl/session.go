package main

// #include "opencl.h"
import "C"

import (
	"bytes"
	"cmp"
	"os"
	"slices"
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

// known notes what the session has to know of a launch with the kernel's arguments of now.
func (k *kernel) known(c *hostrun.Case) {
	if !session.Keeps() {
		return
	}
	p := k.program
	p.mu.Lock()
	c.Module, c.Source, c.Options, c.Constants = p.built.module, p.source, p.built.options, p.constant
	p.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := range k.args {
		c.Args = append(c.Args, k.args[i].known())
	}
	if sessionOptions.Records() {
		c.Shared = p.ctx.recordedSVM
	}
}

// recordedSVM returns what the allocations of shared virtual memory hold, in the order of their addresses.
func (c *clContext) recordedSVM() []hostrun.CaseShared {
	svmTable.RLock()
	defer svmTable.RUnlock() // so that nobody frees them meanwhile
	var all []hostrun.CaseShared
	for _, a := range svmTable.list {
		if a.ctx != c {
			continue
		}
		all = append(all, hostrun.CaseShared{Address: uint64(uintptr(a.data)), Bytes: bytes.Clone(unsafe.Slice((*byte)(a.data), a.size)),
			ReadOnly: a.readOnly, WriteOnly: a.writeOnly})
	}
	slices.SortFunc(all, func(x, y hostrun.CaseShared) int { return cmp.Compare(x.Address, y.Address) })
	return all
}

// hasAddress says that the bytes of a buffer have an address for kernels.
func (m *memory) hasAddress() bool {
	root := m
	for root.parent != nil {
		root = root.parent
	}
	return root.allocation != nil || m.svm && !m.shadow
}

// known is what the session has to know of an argument.
func (a *kernelArg) known() hostrun.CaseArg {
	switch {
	case a.memory != nil && a.memory.pipe != nil:
		return hostrun.CaseArg{Pipe: a.memory.pipe.emu}
	case a.memory != nil && a.memory.image == nil && a.memory.hasAddress():
		return hostrun.CaseArg{Address: uint64(uintptr(a.memory.data))} // a buffer over an allocation
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
	return hostrun.CaseArg{Address: a.address}
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
