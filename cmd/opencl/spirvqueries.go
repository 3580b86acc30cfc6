package main

// #include "opencl.h"
import "C"

import (
	"sync"

	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// spirvSupport is what the queries of cl_khr_spirv_queries return. Its strings live as long as the library.
type spirvSupport struct {
	sets, extensions []*C.char
	capabilities     []C.cl_uint
}

// theSPIRV is what modules may use. What runs only in part is left out.
var theSPIRV = sync.OnceValue(func() spirvSupport {
	s := spirvSupport{sets: []*C.char{C.CString("OpenCL.std")}}
	for _, name := range lower.Extensions() {
		if lower.ExtensionSupport(name).State == lower.Runs {
			s.extensions = append(s.extensions, C.CString(name))
		}
	}
	seen := map[uint32]bool{} // several names may stand for one number
	for _, e := range spirv.KindCapability.Enumerants() {
		c := spirv.Capability(e.Value)
		// Kernel has opaque types as well, which no instruction reads or makes, and SubgroupDispatch instructions for
		// kernels that enqueue kernels. OpenCL wants both of every device that has sub-groups.
		if !seen[e.Value] && (c == spirv.CapabilityKernel || c == spirv.CapabilitySubgroupDispatch || lower.CapabilitySupport(c).State == lower.Runs) {
			s.capabilities = append(s.capabilities, C.cl_uint(e.Value))
		}
		seen[e.Value] = true
	}
	return s
})

// aboutSPIRV answers the queries of cl_khr_spirv_queries.
func (d *device) aboutSPIRV(a answer, name C.cl_device_info) (C.cl_int, bool) {
	switch name {
	case C.CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR:
		return puts(a, theSPIRV().sets), true
	case C.CL_DEVICE_SPIRV_EXTENSIONS_KHR:
		return puts(a, theSPIRV().extensions), true
	case C.CL_DEVICE_SPIRV_CAPABILITIES_KHR:
		return puts(a, theSPIRV().capabilities), true
	}
	return 0, false
}
