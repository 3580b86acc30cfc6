package main

// #include "opencl.h"
import "C"

import (
	"math"
	"unsafe"

	"github.com/lockstep-gpu/lockstep/emu"
)

// sampler is a cl_sampler.
type sampler struct {
	object
	ctx        *clContext
	emu        emu.Sampler
	normalized C.cl_bool
	addressing C.cl_addressing_mode
	filter     C.cl_filter_mode
	properties []C.cl_sampler_properties

	// What mipmaps are read with.
	levelFilter    C.cl_filter_mode
	minLod, maxLod float32
}

func findSampler(h C.cl_sampler) (*sampler, bool) { return lookup[*sampler](unsafe.Pointer(h)) }

var addressings = map[C.cl_addressing_mode]emu.Addressing{
	C.CL_ADDRESS_NONE:            emu.AddressNone,
	C.CL_ADDRESS_CLAMP_TO_EDGE:   emu.AddressClampToEdge,
	C.CL_ADDRESS_CLAMP:           emu.AddressClamp,
	C.CL_ADDRESS_REPEAT:          emu.AddressRepeat,
	C.CL_ADDRESS_MIRRORED_REPEAT: emu.AddressMirroredRepeat,
}

func newSampler(h C.cl_context, s *sampler, errcode *C.cl_int) C.cl_sampler {
	fail := func(code C.cl_int) C.cl_sampler { set(errcode, code); return nil }
	c, ok := findContext(h)
	if !ok {
		return fail(C.CL_INVALID_CONTEXT)
	}
	addressing, ok := addressings[s.addressing]
	if !ok || s.filter != C.CL_FILTER_NEAREST && s.filter != C.CL_FILTER_LINEAR || s.normalized != C.CL_TRUE && s.normalized != C.CL_FALSE {
		return fail(C.CL_INVALID_VALUE)
	}
	if s.levelFilter != C.CL_FILTER_NEAREST && s.levelFilter != C.CL_FILTER_LINEAR || !(s.minLod >= 0) || !(s.maxLod >= s.minLod) {
		return fail(C.CL_INVALID_VALUE)
	}
	s.ctx = c
	s.emu = emu.Sampler{Normalized: s.normalized == C.CL_TRUE, Addressing: addressing, Linear: s.filter == C.CL_FILTER_LINEAR,
		MipLinear: s.levelFilter == C.CL_FILTER_LINEAR, MinLod: s.minLod, MaxLod: max(s.maxLod, math.SmallestNonzeroFloat32)}
	if !enter(s, c.drop) {
		return fail(C.CL_OUT_OF_HOST_MEMORY)
	}
	c.hold()
	set(errcode, C.CL_SUCCESS)
	return C.cl_sampler(s.handle)
}

// defaultSampler has what a sampler is whose properties say nothing.
func defaultSampler() *sampler {
	return &sampler{normalized: C.CL_TRUE, addressing: C.CL_ADDRESS_CLAMP, filter: C.CL_FILTER_NEAREST,
		levelFilter: C.CL_FILTER_NEAREST, maxLod: math.MaxFloat32}
}

//export clCreateSampler
func clCreateSampler(h C.cl_context, normalized C.cl_bool, addressing C.cl_addressing_mode, filter C.cl_filter_mode, errcode *C.cl_int) C.cl_sampler {
	s := defaultSampler()
	s.normalized, s.addressing, s.filter = normalized, addressing, filter
	return newSampler(h, s, errcode)
}

//export clCreateSamplerWithProperties
func clCreateSamplerWithProperties(h C.cl_context, properties *C.const_cl_sampler_properties, errcode *C.cl_int) C.cl_sampler {
	s := defaultSampler()
	s.properties = pairs((*C.cl_sampler_properties)(unsafe.Pointer(properties)))
	seen := map[C.cl_sampler_properties]bool{}
	for i := 0; i+1 < len(s.properties); i += 2 {
		name, v := s.properties[i], s.properties[i+1]
		known := true
		switch name {
		case C.CL_SAMPLER_NORMALIZED_COORDS:
			s.normalized = C.cl_bool(v)
		case C.CL_SAMPLER_ADDRESSING_MODE:
			s.addressing = C.cl_addressing_mode(v)
		case C.CL_SAMPLER_FILTER_MODE:
			s.filter = C.cl_filter_mode(v)
		case C.CL_SAMPLER_MIP_FILTER_MODE_KHR:
			s.levelFilter = C.cl_filter_mode(v)
		case C.CL_SAMPLER_LOD_MIN_KHR: // the bits of a cl_float
			s.minLod = math.Float32frombits(uint32(v))
		case C.CL_SAMPLER_LOD_MAX_KHR:
			s.maxLod = math.Float32frombits(uint32(v))
		default:
			known = false
		}
		if !known || seen[name] {
			set(errcode, C.CL_INVALID_VALUE)
			return nil
		}
		seen[name] = true
	}
	return newSampler(h, s, errcode)
}

//export clRetainSampler
func clRetainSampler(h C.cl_sampler) C.cl_int {
	if !retain[*sampler](unsafe.Pointer(h)) {
		return C.CL_INVALID_SAMPLER
	}
	return C.CL_SUCCESS
}

//export clReleaseSampler
func clReleaseSampler(h C.cl_sampler) C.cl_int {
	if !release[*sampler](unsafe.Pointer(h)) {
		return C.CL_INVALID_SAMPLER
	}
	return C.CL_SUCCESS
}

//export clGetSamplerInfo
func clGetSamplerInfo(h C.cl_sampler, name C.cl_sampler_info, size C.size_t, value unsafe.Pointer, ret *C.size_t) C.cl_int {
	s, ok := findSampler(h)
	if !ok {
		return C.CL_INVALID_SAMPLER
	}
	a := answer{size, value, ret}
	switch name {
	case C.CL_SAMPLER_REFERENCE_COUNT:
		return put(a, s.references())
	case C.CL_SAMPLER_CONTEXT:
		return put(a, s.ctx.id())
	case C.CL_SAMPLER_NORMALIZED_COORDS:
		return put(a, s.normalized)
	case C.CL_SAMPLER_ADDRESSING_MODE:
		return put(a, s.addressing)
	case C.CL_SAMPLER_FILTER_MODE:
		return put(a, s.filter)
	case C.CL_SAMPLER_MIP_FILTER_MODE_KHR:
		return put(a, s.levelFilter)
	case C.CL_SAMPLER_LOD_MIN_KHR:
		return put(a, C.cl_float(s.minLod))
	case C.CL_SAMPLER_LOD_MAX_KHR:
		return put(a, C.cl_float(s.maxLod))
	case C.CL_SAMPLER_PROPERTIES:
		return puts(a, s.properties)
	}
	return C.CL_INVALID_VALUE
}
