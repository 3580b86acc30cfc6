package main

// #include "opencl.h"
import "C"

import (
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/internal/hostrun"
)

// platform is the one platform. It is made when the host first asks for platforms.
type platform struct {
	object
	device *device
}

var thePlatform = sync.OnceValues(func() (*platform, bool) {
	o, err := openSession()
	if err != nil {
		complain(hostrun.Variable + ": " + err.Error())
		return nil, false
	}
	d, err := emu.NewDevice(o.Device)
	if err != nil {
		complain(hostrun.Variable + " does not describe a device: " + err.Error())
		return nil, false
	}
	p := &platform{device: &device{emu: d, units: d.Limits().Workers}}
	return p, enter(p, nil) && enter(p.device, nil)
})

// complain tells the person before the program what its functions have no way to say.
func complain(text string) {
	_, _ = os.Stderr.WriteString("lockstep: " + strings.TrimSuffix(text, "\n") + "\n") // there is nobody else to tell
}

// version packs a version as cl_version does.
func version(major, minor, patch uint32) C.cl_version {
	return C.cl_version(major<<22 | minor<<12 | patch)
}

// named is a cl_name_version.
func named(name string, v C.cl_version) C.cl_name_version {
	n := C.cl_name_version{version: v}
	for i := range min(len(name), len(n.name)-1) {
		n.name[i] = C.char(name[i])
	}
	return n
}

// extension is an extension that the driver has.
type extension struct {
	name     string
	version  C.cl_version
	platform bool // it belongs to the platform as well as to its devices
}

func extensionNames(ofPlatform bool) string {
	var names []string
	for _, x := range extensions {
		if x.platform || !ofPlatform {
			names = append(names, x.name)
		}
	}
	return strings.Join(names, " ")
}

func extensionVersions(ofPlatform bool) []C.cl_name_version {
	var list []C.cl_name_version
	for _, x := range extensions {
		if x.platform || !ofPlatform {
			list = append(list, named(x.name, x.version))
		}
	}
	return list
}

//export clGetPlatformIDs
func clGetPlatformIDs(n C.cl_uint, platforms *C.cl_platform_id, count *C.cl_uint) C.cl_int {
	if n == 0 && platforms != nil || platforms == nil && count == nil {
		return C.CL_INVALID_VALUE
	}
	p, ok := thePlatform()
	if !ok {
		return C.CL_OUT_OF_HOST_MEMORY
	}
	if platforms != nil {
		*platforms = C.cl_platform_id(p.handle)
	}
	set(count, 1)
	return C.CL_SUCCESS
}

//export clIcdGetPlatformIDsKHR
func clIcdGetPlatformIDsKHR(n C.cl_uint, platforms *C.cl_platform_id, count *C.cl_uint) C.cl_int {
	return clGetPlatformIDs(n, platforms, count)
}

// findPlatform is the platform of a handle; null is the one that there is.
func findPlatform(h C.cl_platform_id) (*platform, bool) {
	if h == nil {
		return thePlatform()
	}
	return lookup[*platform](unsafe.Pointer(h))
}

//export clGetPlatformInfo
func clGetPlatformInfo(h C.cl_platform_id, name C.cl_platform_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	if _, ok := findPlatform(h); !ok {
		return C.CL_INVALID_PLATFORM
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_PLATFORM_PROFILE:
		return a.text("FULL_PROFILE")
	case C.CL_PLATFORM_VERSION:
		return a.text("OpenCL 3.0 lockstep " + emu.Version)
	case C.CL_PLATFORM_NUMERIC_VERSION:
		return put(a, version(3, 0, 0))
	case C.CL_PLATFORM_NAME:
		return a.text("lockstep")
	case C.CL_PLATFORM_VENDOR:
		return a.text("lockstep")
	case C.CL_PLATFORM_EXTENSIONS:
		return a.text(extensionNames(true))
	case C.CL_PLATFORM_EXTENSIONS_WITH_VERSION:
		return puts(a, extensionVersions(true))
	case C.CL_PLATFORM_HOST_TIMER_RESOLUTION:
		return a.ulong(1)
	case C.CL_PLATFORM_SEMAPHORE_TYPES_KHR:
		return put(a, C.cl_semaphore_type_khr(C.CL_SEMAPHORE_TYPE_BINARY_KHR))
	case C.CL_PLATFORM_ICD_SUFFIX_KHR:
		return a.text("LOCKSTEP")
	}
	return C.CL_INVALID_VALUE
}

//export clUnloadCompiler
func clUnloadCompiler() C.cl_int { return C.CL_SUCCESS }

//export clUnloadPlatformCompiler
func clUnloadPlatformCompiler(h C.cl_platform_id) C.cl_int {
	if _, ok := lookup[*platform](unsafe.Pointer(h)); !ok {
		return C.CL_INVALID_PLATFORM
	}
	return C.CL_SUCCESS
}

//export clGetExtensionFunctionAddress
func clGetExtensionFunctionAddress(name *C.const_char) unsafe.Pointer {
	if name == nil {
		return nil
	}
	return C.lockstep_entry((*C.char)(name))
}

//export clGetExtensionFunctionAddressForPlatform
func clGetExtensionFunctionAddressForPlatform(h C.cl_platform_id, name *C.const_char) unsafe.Pointer {
	if _, ok := lookup[*platform](unsafe.Pointer(h)); !ok {
		return nil
	}
	return clGetExtensionFunctionAddress(name)
}
