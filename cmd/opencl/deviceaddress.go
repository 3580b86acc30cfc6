package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
)

// Buffers with device addresses (cl_ext_buffer_device_address) are allocations of shared virtual memory for package emu, since
// kernels find their addresses in memory. The host may know the address, but not use it.

// bufferProperties reads the properties of a buffer. addressed says that they ask for a device address.
func bufferProperties(words []C.cl_mem_properties) (addressed bool, code C.cl_int) {
	switch {
	case len(words) <= 1:
		return false, C.CL_SUCCESS
	case len(words) != 3 || words[0] != C.CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT || words[1] != C.CL_TRUE && words[1] != C.CL_FALSE:
		return false, C.CL_INVALID_PROPERTY
	}
	return words[1] == C.CL_TRUE, C.CL_SUCCESS
}

// address gives the buffer's bytes an address for kernels.
func (m *memory) address(opt emu.SVMOptions) error {
	s, err := m.device().SVMFrom(m.bytes(), opt)
	if err != nil {
		return err
	}
	m.buffer = s.Buffer()
	m.allocation = &svmMemory{ctx: m.ctx, emu: s, data: m.data, size: m.size, of: m, readOnly: opt.ReadOnly, writeOnly: opt.WriteOnly}
	svmTable.Lock()
	defer svmTable.Unlock()
	svmTable.list[s] = m.allocation
	return nil
}

// unaddress takes the address back, and with it the buffer of package emu, which free frees. If that does not
// want to wait, it can be called again.
func (m *memory) unaddress(free func(*emu.SVM) error) error {
	svmTable.Lock()
	delete(svmTable.list, m.allocation.emu)
	svmTable.Unlock()
	return free(m.allocation.emu)
}

// deviceAddresses answers the query for the buffer's addresses, one for each device.
func (m *memory) deviceAddresses(a answer) C.cl_int {
	root := m
	for root.parent != nil {
		root = root.parent
	}
	if m.kind != C.CL_MEM_OBJECT_BUFFER || !root.addressed {
		return C.CL_INVALID_OPERATION
	}
	list := make([]C.cl_ulong, len(m.ctx.devices))
	for i := range list {
		list[i] = C.cl_ulong(uintptr(m.data))
	}
	return puts(a, list)
}

//export lockstepSetKernelArgDevicePointer
func lockstepSetKernelArgDevicePointer(h C.cl_kernel, index C.cl_uint, address C.cl_ulong) C.cl_int {
	k, ok := findKernel(h)
	switch {
	case !ok:
		return C.CL_INVALID_KERNEL
	case uint64(index) >= uint64(len(k.params)), k.params[index].Kind != isa.ParamGlobal:
		return C.CL_INVALID_ARG_INDEX
	}
	// An address of nothing is no error before a kernel uses it. It becomes a null pointer, which is a fault then.
	arg := kernelArg{set: true, value: emu.Null(), null: true}
	if a, offset := k.program.ctx.findAddress(uint64(address)); a != nil {
		arg = kernelArg{set: true, value: a.emu.At(offset), address: uint64(address)}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.args[index] = arg
	return C.CL_SUCCESS
}

// devicePointers is whether what the host declares of device addresses has the right size. Kernels follow pointers into all
// allocations, so that there is nothing to keep of it.
func devicePointers(size C.size_t) C.cl_int {
	if word := C.size_t(unsafe.Sizeof(C.cl_ulong(0))); size == 0 || size%word != 0 {
		return C.CL_INVALID_VALUE
	}
	return C.CL_SUCCESS
}
