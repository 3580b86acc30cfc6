package main

// #include "opencl.h"
import "C"

import (
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/spirv"
)

//export clGetKernelInfo
func clGetKernelInfo(h C.cl_kernel, name C.cl_kernel_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	k, ok := findKernel(h)
	if !ok {
		return C.CL_INVALID_KERNEL
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_KERNEL_FUNCTION_NAME:
		return a.text(k.entry.Name)
	case C.CL_KERNEL_NUM_ARGS:
		return a.uint(len(k.params))
	case C.CL_KERNEL_REFERENCE_COUNT:
		return put(a, k.references())
	case C.CL_KERNEL_CONTEXT:
		return put(a, k.program.ctx.id())
	case C.CL_KERNEL_PROGRAM:
		return put(a, k.program.id())
	case C.CL_KERNEL_ATTRIBUTES:
		return a.text(k.attributes())
	}
	return C.CL_INVALID_VALUE
}

// attributes are the kernel's __attribute__ qualifiers, as far as the module has them. Kernels of programs in an
// intermediate language have none for this query, whatever their modules say (OpenCL 5.9.4).
func (k *kernel) attributes() string {
	if k.program.il != nil {
		return ""
	}
	var list []string
	size := func(name string, s [3]uint32) {
		if s != [3]uint32{} {
			list = append(list, name+"("+strconv.Itoa(int(s[0]))+","+strconv.Itoa(int(s[1]))+","+strconv.Itoa(int(s[2]))+")")
		}
	}
	size("reqd_work_group_size", k.entry.LocalSize)
	size("work_group_size_hint", k.entry.LocalSizeHint)
	if k.entry.VecTypeHint != "" {
		list = append(list, "vec_type_hint("+k.entry.VecTypeHint+")")
	}
	if k.entry.SubgroupSize != 0 {
		list = append(list, "intel_reqd_sub_group_size("+strconv.Itoa(int(k.entry.SubgroupSize))+")")
	}
	return strings.Join(list, " ")
}

// one finds the device of a query, which may be null where the program has one device.
func (k *kernel) one(h C.cl_device_id) (*device, C.cl_int) {
	if h == nil {
		if len(k.program.devices) != 1 {
			return nil, C.CL_INVALID_DEVICE
		}
		return k.program.devices[0], C.CL_SUCCESS
	}
	d, ok := findDevice(h)
	for _, x := range k.program.devices {
		if ok && x == d {
			return d, C.CL_SUCCESS
		}
	}
	return nil, C.CL_INVALID_DEVICE
}

//export clGetKernelWorkGroupInfo
func clGetKernelWorkGroupInfo(h C.cl_kernel, hd C.cl_device_id, name C.cl_kernel_work_group_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	k, ok := findKernel(h)
	if !ok {
		return C.CL_INVALID_KERNEL
	}
	d, code := k.one(hd)
	if code != C.CL_SUCCESS {
		return code
	}
	a := answer{size, value, ret}
	info := k.emu.Info()
	switch name {
	case C.CL_KERNEL_WORK_GROUP_SIZE:
		return a.sizeT(uint64(d.emu.Limits().MaxWorkGroupSize))
	case C.CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
		s := info.ReqdLocalSize
		return puts(a, []C.size_t{C.size_t(s[0]), C.size_t(s[1]), C.size_t(s[2])})
	case C.CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
		return a.sizeT(uint64(info.SubgroupSize))
	case C.CL_KERNEL_LOCAL_MEM_SIZE:
		return a.ulong(info.LocalMemory + k.localArguments())
	case C.CL_KERNEL_PRIVATE_MEM_SIZE:
		return a.ulong(info.PrivateMemory)
	case C.CL_KERNEL_SPILL_MEM_SIZE_INTEL:
		return a.ulong(0)
	}
	return C.CL_INVALID_VALUE // CL_KERNEL_GLOBAL_WORK_SIZE is for built-in kernels and custom devices
}

// localArguments is the local memory of the arguments that are set.
func (k *kernel) localArguments() uint64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	var n uint64
	for _, a := range k.args {
		n += a.local
	}
	return n
}

//export clGetKernelArgInfo
func clGetKernelArgInfo(h C.cl_kernel, index C.cl_uint, name C.cl_kernel_arg_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	k, ok := findKernel(h)
	if !ok {
		return C.CL_INVALID_KERNEL
	}
	if uint64(index) >= uint64(len(k.entry.Args)) {
		return C.CL_INVALID_ARG_INDEX
	}
	x := &k.entry.Args[index]
	a := answer{size, value, ret}
	switch name {
	case C.CL_KERNEL_ARG_ADDRESS_QUALIFIER:
		return put(a, addressQualifier(x))
	case C.CL_KERNEL_ARG_ACCESS_QUALIFIER:
		if x.Kind != spirv.ArgImage && x.Kind != spirv.ArgPipe {
			return put(a, C.cl_kernel_arg_access_qualifier(C.CL_KERNEL_ARG_ACCESS_NONE))
		}
		return put(a, accessQualifier(x.Access))
	case C.CL_KERNEL_ARG_TYPE_NAME:
		return a.text(x.TypeName)
	case C.CL_KERNEL_ARG_TYPE_QUALIFIER:
		return put(a, typeQualifier(x))
	case C.CL_KERNEL_ARG_NAME:
		if x.Name == "" {
			return C.CL_KERNEL_ARG_INFO_NOT_AVAILABLE
		}
		return a.text(x.Name)
	}
	return C.CL_INVALID_VALUE
}

func addressQualifier(x *spirv.Arg) C.cl_kernel_arg_address_qualifier {
	switch x.Kind {
	case spirv.ArgImage, spirv.ArgPipe:
		return C.CL_KERNEL_ARG_ADDRESS_GLOBAL
	case spirv.ArgLocal:
		return C.CL_KERNEL_ARG_ADDRESS_LOCAL
	case spirv.ArgBuffer:
		if x.AddressSpace == spirv.StorageClassUniformConstant {
			return C.CL_KERNEL_ARG_ADDRESS_CONSTANT
		}
		return C.CL_KERNEL_ARG_ADDRESS_GLOBAL
	}
	return C.CL_KERNEL_ARG_ADDRESS_PRIVATE
}

func accessQualifier(x spirv.AccessQualifier) C.cl_kernel_arg_access_qualifier {
	switch x {
	case spirv.AccessQualifierReadOnly:
		return C.CL_KERNEL_ARG_ACCESS_READ_ONLY
	case spirv.AccessQualifierWriteOnly:
		return C.CL_KERNEL_ARG_ACCESS_WRITE_ONLY
	}
	return C.CL_KERNEL_ARG_ACCESS_READ_WRITE
}

func typeQualifier(x *spirv.Arg) C.cl_kernel_arg_type_qualifier {
	var q C.cl_kernel_arg_type_qualifier
	for bit, on := range map[C.cl_kernel_arg_type_qualifier]bool{
		C.CL_KERNEL_ARG_TYPE_CONST:    x.Const || x.Kind == spirv.ArgBuffer && x.AddressSpace == spirv.StorageClassUniformConstant,
		C.CL_KERNEL_ARG_TYPE_RESTRICT: x.Restrict,
		C.CL_KERNEL_ARG_TYPE_VOLATILE: x.Volatile,
		C.CL_KERNEL_ARG_TYPE_PIPE:     x.Kind == spirv.ArgPipe,
	} {
		if on {
			q |= bit
		}
	}
	return q
}

//export clGetKernelSubGroupInfo
func clGetKernelSubGroupInfo(h C.cl_kernel, hd C.cl_device_id, name C.cl_kernel_sub_group_info, inSize C.size_t, in C.const_pointer, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	k, ok := findKernel(h)
	if !ok {
		return C.CL_INVALID_KERNEL
	}
	d, code := k.one(hd)
	if code != C.CL_SUCCESS {
		return code
	}
	a := answer{size, value, ret}
	info := k.emu.Info()
	lanes, most := uint64(info.SubgroupSize), uint64(d.emu.Limits().MaxWorkGroupSize)
	word := C.size_t(unsafe.Sizeof(C.size_t(0)))
	switch name {
	case C.CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, C.CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE:
		if in == nil || inSize == 0 || inSize%word != 0 || inSize/word > 3 {
			return C.CL_INVALID_VALUE
		}
		items := uint64(1)
		for _, n := range unsafe.Slice((*C.size_t)(unsafe.Pointer(in)), int(inSize/word)) {
			if n == 0 || uint64(n) > most {
				return C.CL_INVALID_VALUE
			}
			items *= uint64(n)
		}
		if name == C.CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE {
			return a.sizeT((items + lanes - 1) / lanes)
		}
		return a.sizeT(min(lanes, items))
	case C.CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT:
		if in == nil || inSize != word || value != nil && size%word != 0 {
			return C.CL_INVALID_VALUE
		}
		n := uint64(*(*C.size_t)(unsafe.Pointer(in)))
		items := C.size_t(0)
		if n != 0 && n <= most/lanes {
			items = C.size_t(n * lanes)
		}
		list := []C.size_t{items, 1, 1}
		if items == 0 {
			list = []C.size_t{0, 0, 0}
		}
		if value != nil {
			list = list[:max(1, min(3, int(size/word)))]
		}
		return puts(a, list)
	case C.CL_KERNEL_MAX_NUM_SUB_GROUPS:
		return a.sizeT(most / lanes)
	case C.CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
		return a.sizeT(0)
	case C.CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL:
		return a.sizeT(uint64(info.ReqdSubgroup))
	}
	return C.CL_INVALID_VALUE
}

//export clGetKernelSubGroupInfoKHR
func clGetKernelSubGroupInfoKHR(h C.cl_kernel, hd C.cl_device_id, name C.cl_kernel_sub_group_info, inSize C.size_t, in C.const_pointer, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	return clGetKernelSubGroupInfo(h, hd, name, inSize, in, size, value, ret)
}

//export clGetKernelSuggestedLocalWorkSizeKHR
func clGetKernelSuggestedLocalWorkSizeKHR(hq C.cl_command_queue, hk C.cl_kernel, dim C.cl_uint, offset, global *C.const_size_t, suggested *C.size_t) C.cl_int {
	_, k, code := launched(hq, hk, dim)
	switch {
	case code != C.CL_SUCCESS:
		return code
	case global == nil:
		return C.CL_INVALID_GLOBAL_WORK_SIZE
	case suggested == nil:
		return C.CL_INVALID_VALUE
	}
	l := &launch{}
	r := emu.NDRange{Global: sizes(l.sizes[0][:], dim, global), Offset: sizes(l.sizes[2][:], dim, offset)}
	if slices.Contains(r.Global, 0) {
		return C.CL_INVALID_GLOBAL_WORK_SIZE
	}
	if code := k.arguments(l); code != C.CL_SUCCESS {
		return code
	}
	local, err := k.emu.LocalSize(r)
	if err != nil {
		return C.CL_INVALID_GLOBAL_WORK_SIZE
	}
	for i := range unsafe.Slice(suggested, int(dim)) {
		unsafe.Slice(suggested, int(dim))[i] = C.size_t(local[i])
	}
	return C.CL_SUCCESS
}
