package main

// #include "opencl.h"
import "C"

import (
	"os"
	"slices"
	"strings"
	"unsafe"
)

// openHeader reads a header from the host's files, for a build with -I or with headers beside the program.
func openHeader(name string) (string, bool) {
	text, err := os.ReadFile(name)
	return string(text), err == nil
}

// kernelNames are the names of the kernels of what is built.
func (b *build) kernelNames() []string {
	var names []string
	if b.info != nil {
		for _, e := range b.info.EntryPoints {
			names = append(names, e.Name)
		}
	}
	return names
}

//export clGetProgramInfo
func clGetProgramInfo(h C.cl_program, name C.cl_program_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	p, ok := findProgram(h)
	if !ok {
		return C.CL_INVALID_PROGRAM
	}
	a := answer{size, value, ret}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &p.built
	switch name {
	case C.CL_PROGRAM_REFERENCE_COUNT:
		return put(a, p.references())
	case C.CL_PROGRAM_CONTEXT:
		return put(a, p.ctx.id())
	case C.CL_PROGRAM_NUM_DEVICES:
		return a.uint(len(p.devices))
	case C.CL_PROGRAM_DEVICES:
		return puts(a, deviceIDs(p.devices))
	case C.CL_PROGRAM_SOURCE:
		return a.text(p.source)
	case C.CL_PROGRAM_IL:
		return a.bytes(p.il)
	case C.CL_PROGRAM_BINARY_SIZES:
		sizes := make([]C.size_t, len(p.devices))
		for i := range sizes {
			sizes[i] = C.size_t(len(b.binary()))
		}
		return puts(a, sizes)
	case C.CL_PROGRAM_BINARIES:
		return p.binaries(a)
	case C.CL_PROGRAM_NUM_KERNELS:
		if b.status != C.CL_BUILD_SUCCESS || b.program == nil {
			return C.CL_INVALID_PROGRAM_EXECUTABLE
		}
		return a.sizeT(uint64(len(b.kernelNames())))
	case C.CL_PROGRAM_KERNEL_NAMES:
		if b.status != C.CL_BUILD_SUCCESS || b.program == nil {
			return C.CL_INVALID_PROGRAM_EXECUTABLE
		}
		return a.text(strings.Join(b.kernelNames(), ";"))
	case C.CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, C.CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
		return a.bool(false)
	}
	return C.CL_INVALID_VALUE
}

// binaries copies the binary to each pointer that the host gives, which is null for devices that it does not want.
func (p *program) binaries(a answer) C.cl_int {
	n := len(p.devices)
	set(a.ret, C.size_t(n)*C.size_t(unsafe.Sizeof(uintptr(0))))
	if a.value == nil {
		return C.CL_SUCCESS
	}
	if a.size < C.size_t(n)*C.size_t(unsafe.Sizeof(uintptr(0))) {
		return C.CL_INVALID_VALUE
	}
	data := p.built.binary()
	for _, to := range unsafe.Slice((*unsafe.Pointer)(a.value), n) {
		if to != nil {
			copy(unsafe.Slice((*byte)(to), len(data)), data)
		}
	}
	return C.CL_SUCCESS
}

//export clGetProgramBuildInfo
func clGetProgramBuildInfo(h C.cl_program, hd C.cl_device_id, name C.cl_program_build_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	p, ok := findProgram(h)
	if !ok {
		return C.CL_INVALID_PROGRAM
	}
	if d, ok := findDevice(hd); !ok || !slices.Contains(p.devices, d) {
		return C.CL_INVALID_DEVICE
	}
	a := answer{size, value, ret}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := &p.built
	switch name {
	case C.CL_PROGRAM_BUILD_STATUS:
		return put(a, b.status)
	case C.CL_PROGRAM_BUILD_OPTIONS:
		return a.text(b.options)
	case C.CL_PROGRAM_BUILD_LOG:
		return a.text(b.log)
	case C.CL_PROGRAM_BINARY_TYPE:
		return put(a, b.kind)
	case C.CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
		if b.program == nil {
			return a.sizeT(0)
		}
		var total uint64
		for _, g := range b.program.ISA().Globals {
			if !g.ReadOnly {
				total += g.Size
			}
		}
		return a.sizeT(total)
	}
	return C.CL_INVALID_VALUE
}
