package main

// #include "opencl.h"
import "C"

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa"
)

// svmMemory is an allocation of clSVMAlloc, or of unified shared memory. Its bytes are memory of C, at one address for the
// host and for kernels.
type svmMemory struct {
	ctx    *clContext
	emu    *emu.SVM
	data   unsafe.Pointer
	raw    unsafe.Pointer // what C.free takes
	size   uint64
	usm    C.cl_unified_shared_memory_type_intel // CL_MEM_TYPE_UNKNOWN_INTEL for clSVMAlloc
	device *device                               // of unified shared memory; may be nil

	of *memory // the buffer that it is, with a device address; nil for memory that the host has

	readOnly, writeOnly bool // what kernels may do, where that is not both
	flags               C.cl_mem_alloc_flags_intel
}

// svmTable has the allocations by what they are for package emu, which finds them by address.
var svmTable = struct {
	sync.RWMutex
	list map[*emu.SVM]*svmMemory
}{list: map[*emu.SVM]*svmMemory{}}

// svmCapabilities are those of OpenCL.
const svmCapabilities = C.CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | C.CL_DEVICE_SVM_FINE_GRAIN_BUFFER | C.CL_DEVICE_SVM_ATOMICS

// findSVM returns the allocation of the context that has the byte at p, and how far that is from its start; nil without one.
func (c *clContext) findSVM(p unsafe.Pointer) (*svmMemory, uint64) {
	a, offset := c.findAddress(uint64(uintptr(p)))
	if a == nil || a.of != nil {
		return nil, 0
	}
	return a, offset
}

// findAddress is findSVM for addresses that only kernels use, too.
func (c *clContext) findAddress(address uint64) (*svmMemory, uint64) {
	s, offset, ok := c.devices[0].emu.SVMAt(address)
	if !ok {
		return nil, 0
	}
	svmTable.RLock()
	defer svmTable.RUnlock()
	if a := svmTable.list[s]; a != nil && a.ctx == c {
		return a, offset
	}
	return nil, 0
}

// inSVM says whether n bytes at p are all in one allocation, or all outside of any that has the first.
func (c *clContext) inSVM(p unsafe.Pointer, n uint64) (in, crosses bool) {
	a, offset := c.findSVM(p)
	if a == nil {
		return false, false
	}
	return true, a.size-offset < n
}

// newSVM makes an allocation. Without an alignment it has that of the largest type.
func (c *clContext) newSVM(a *svmMemory, align uint64, opt emu.SVMOptions) C.cl_int {
	switch {
	case a.size == 0 || a.size > c.devices[0].maxAlloc():
		return C.CL_INVALID_BUFFER_SIZE
	case align&(align-1) != 0 || align > emu.MaxSVMAlign:
		return C.CL_INVALID_VALUE
	}
	a.ctx, a.readOnly, a.writeOnly = c, opt.ReadOnly, opt.WriteOnly
	if a.data, a.raw = allocate(a.size, max(align, baseAlign)); a.data == nil {
		return C.CL_OUT_OF_HOST_MEMORY
	}
	s, err := c.devices[0].emu.SVMFrom(unsafe.Slice((*byte)(a.data), a.size), opt)
	if err != nil {
		C.free(a.raw)
		return allocationCode(err)
	}
	a.emu = s
	c.hold()
	svmTable.Lock()
	defer svmTable.Unlock()
	svmTable.list[s] = a
	return C.CL_SUCCESS
}

// freeSVM frees the allocation that starts at p. It is false if there is none.
func (c *clContext) freeSVM(p unsafe.Pointer) bool {
	a, offset := c.findSVM(p)
	if a == nil || offset != 0 {
		return false
	}
	svmTable.Lock()
	here := svmTable.list[a.emu] == a
	delete(svmTable.list, a.emu)
	svmTable.Unlock()
	if !here { // another thread frees it
		return false
	}
	freeBehind(func() bool { return a.freed(a.emu.TryFree()) }, func() { a.freed(a.emu.Free()) }, c.drop)
	return true
}

// freed gives the bytes back when the device has freed the allocation with an error, or none. It is false if
// it has not done so yet.
func (a *svmMemory) freed(err error) bool {
	switch {
	case errors.Is(err, emu.ErrBusy):
		return false
	case err != nil:
		complain("shared virtual memory cannot be freed: " + err.Error())
	default: // the device does not lead to its bytes any more
		C.free(a.raw)
	}
	return true
}

//export clSVMAlloc
func clSVMAlloc(h C.cl_context, flags C.cl_svm_mem_flags, size C.size_t, align C.cl_uint) unsafe.Pointer {
	c, ok := findContext(h)
	if !ok {
		return nil
	}
	const access = C.CL_MEM_READ_WRITE | C.CL_MEM_READ_ONLY | C.CL_MEM_WRITE_ONLY
	const fine = C.CL_MEM_SVM_FINE_GRAIN_BUFFER
	if a := flags & access; flags&^(access|fine|C.CL_MEM_SVM_ATOMICS) != 0 || a&(a-1) != 0 ||
		flags&C.CL_MEM_SVM_ATOMICS != 0 && flags&fine == 0 {
		return nil
	}
	opt := emu.SVMOptions{
		ReadOnly:  sessionOptions.Check && flags&C.CL_MEM_READ_ONLY != 0,
		WriteOnly: sessionOptions.Check && flags&C.CL_MEM_WRITE_ONLY != 0,
	}
	if flags&fine != 0 {
		opt.Kind = emu.SVMFine
	}
	a := &svmMemory{size: uint64(size), usm: C.CL_MEM_TYPE_UNKNOWN_INTEL}
	if c.newSVM(a, uint64(align), opt) != C.CL_SUCCESS {
		return nil
	}
	return a.data
}

//export clSVMFree
func clSVMFree(h C.cl_context, p unsafe.Pointer) {
	if c, ok := findContext(h); ok && p != nil {
		c.freeSVM(p)
	}
}

//export clSetKernelArgSVMPointer
func clSetKernelArgSVMPointer(h C.cl_kernel, index C.cl_uint, p C.const_pointer) C.cl_int {
	k, ok := findKernel(h)
	switch {
	case !ok:
		return C.CL_INVALID_KERNEL
	case uint64(index) >= uint64(len(k.params)):
		return C.CL_INVALID_ARG_INDEX
	case k.params[index].Kind != isa.ParamGlobal:
		return C.CL_INVALID_ARG_VALUE
	}
	arg := kernelArg{set: true, value: emu.Null(), null: p == nil, address: uint64(uintptr(p))}
	if p != nil {
		a, offset := k.program.ctx.findSVM(unsafe.Pointer(p))
		if a == nil {
			return C.CL_INVALID_ARG_VALUE
		}
		arg.value = a.emu.At(offset)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.args[index] = arg
	return C.CL_SUCCESS
}

// Kernels follow pointers into all allocations of the device, so that there is nothing to keep of what the host declares.
//
//export clSetKernelExecInfo
func clSetKernelExecInfo(h C.cl_kernel, name C.cl_kernel_exec_info, size C.size_t, value C.const_pointer) C.cl_int {
	k, ok := findKernel(h)
	if !ok {
		return C.CL_INVALID_KERNEL
	}
	pointers := name == C.CL_KERNEL_EXEC_INFO_SVM_PTRS || name == C.CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL
	if pointers && value == nil && size == 0 {
		return C.CL_SUCCESS // takes back what was declared
	}
	if value == nil {
		return C.CL_INVALID_VALUE
	}
	switch name {
	case C.CL_KERNEL_EXEC_INFO_SVM_PTRS, C.CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
		word := C.size_t(unsafe.Sizeof(value))
		if size == 0 || size%word != 0 || size > mostBytes {
			return C.CL_INVALID_VALUE
		}
		for _, p := range unsafe.Slice((*unsafe.Pointer)(unsafe.Pointer(value)), uint64(size/word)) {
			if a, _ := k.program.ctx.findSVM(p); a == nil {
				return C.CL_INVALID_VALUE
			}
		}
	case C.CL_KERNEL_EXEC_INFO_DEVICE_PTRS_EXT:
		return devicePointers(size)
	case C.CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
		if size != C.size_t(unsafe.Sizeof(C.cl_bool(0))) {
			return C.CL_INVALID_VALUE
		}
		if *(*C.cl_bool)(unsafe.Pointer(value)) != C.CL_FALSE {
			return C.CL_INVALID_OPERATION // the device has no such memory
		}
	case C.CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, C.CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL,
		C.CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
		if size != C.size_t(unsafe.Sizeof(C.cl_bool(0))) {
			return C.CL_INVALID_VALUE
		}
	default:
		return C.CL_INVALID_VALUE
	}
	return C.CL_SUCCESS
}
