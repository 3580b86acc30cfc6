package main

// #include "opencl.h"
import "C"

import (
	"unsafe"

	"github.com/lockstep-gpu/lockstep/cmd/opencl/internal/graph"
	"github.com/lockstep-gpu/lockstep/emu"
)

// device is the device, or a sub-device: a part of its compute units. They all have the same memory and programs.
type device struct {
	object
	emu       *emu.Device
	units     int
	parent    *device // of a sub-device
	partition []C.cl_device_partition_property
}

func findDevice(h C.cl_device_id) (*device, bool) { return lookup[*device](unsafe.Pointer(h)) }

// id is the handle.
func (d *device) id() C.cl_device_id { return C.cl_device_id(d.handle) }

//export clGetDeviceIDs
func clGetDeviceIDs(h C.cl_platform_id, kind C.cl_device_type, n C.cl_uint, devices *C.cl_device_id, count *C.cl_uint) C.cl_int {
	p, ok := findPlatform(h)
	if !ok {
		return C.CL_INVALID_PLATFORM
	}
	if !validDeviceType(kind) {
		return C.CL_INVALID_DEVICE_TYPE
	}
	if n == 0 && devices != nil || devices == nil && count == nil {
		return C.CL_INVALID_VALUE
	}
	if kind != C.CL_DEVICE_TYPE_ALL && kind&(C.CL_DEVICE_TYPE_DEFAULT|C.CL_DEVICE_TYPE_GPU) == 0 {
		set(count, 0)
		return C.CL_DEVICE_NOT_FOUND
	}
	if devices != nil {
		*devices = p.device.id()
	}
	set(count, 1)
	return C.CL_SUCCESS
}

func validDeviceType(t C.cl_device_type) bool {
	const known = C.CL_DEVICE_TYPE_DEFAULT | C.CL_DEVICE_TYPE_CPU | C.CL_DEVICE_TYPE_GPU | C.CL_DEVICE_TYPE_ACCELERATOR | C.CL_DEVICE_TYPE_CUSTOM
	return t == C.CL_DEVICE_TYPE_ALL || t != 0 && t&^known == 0
}

//export clRetainDevice
func clRetainDevice(h C.cl_device_id) C.cl_int {
	d, ok := findDevice(h)
	if !ok {
		return C.CL_INVALID_DEVICE
	}
	if d.parent != nil {
		retain[*device](d.handle)
	}
	return C.CL_SUCCESS
}

//export clReleaseDevice
func clReleaseDevice(h C.cl_device_id) C.cl_int {
	d, ok := findDevice(h)
	if !ok {
		return C.CL_INVALID_DEVICE
	}
	if d.parent != nil && !release[*device](d.handle) {
		return C.CL_INVALID_DEVICE
	}
	return C.CL_SUCCESS
}

//export clCreateSubDevices
func clCreateSubDevices(h C.cl_device_id, properties *C.const_cl_device_partition_property, n C.cl_uint, devices *C.cl_device_id, count *C.cl_uint) C.cl_int {
	d, ok := findDevice(h)
	if !ok {
		return C.CL_INVALID_DEVICE
	}
	if properties == nil || devices == nil && count == nil || devices == nil && n != 0 {
		return C.CL_INVALID_VALUE
	}
	props := propertyWords((*C.cl_device_partition_property)(unsafe.Pointer(properties)), 1<<16)
	if len(props) == 0 {
		return C.CL_INVALID_VALUE
	}
	var units []int
	switch props[0] {
	case C.CL_DEVICE_PARTITION_EQUALLY:
		if len(props) < 3 || props[1] <= 0 {
			return C.CL_INVALID_VALUE
		}
		props = props[:3]
		if int64(props[1]) > int64(d.units) {
			return C.CL_INVALID_DEVICE_PARTITION_COUNT
		}
		if int(props[1]) == d.units { // nothing to part
			return C.CL_DEVICE_PARTITION_FAILED
		}
		for range d.units / int(props[1]) {
			units = append(units, int(props[1]))
		}
	case C.CL_DEVICE_PARTITION_BY_COUNTS:
		left := d.units
		for _, c := range props[1:] {
			if c == C.CL_DEVICE_PARTITION_BY_COUNTS_LIST_END {
				break
			}
			if c < 0 || int64(c) > int64(left) || len(units) == d.units {
				return C.CL_INVALID_DEVICE_PARTITION_COUNT
			}
			left -= int(c)
			units = append(units, int(c))
		}
		if len(units) == 0 {
			return C.CL_INVALID_DEVICE_PARTITION_COUNT
		}
	default:
		return C.CL_INVALID_VALUE
	}
	set(count, C.cl_uint(len(units)))
	if devices == nil {
		return C.CL_SUCCESS
	}
	if int(n) < len(units) {
		return C.CL_INVALID_VALUE
	}
	made := list(n, devices)
	for i, u := range units {
		sub := &device{emu: d.emu, units: u, parent: d, partition: props}
		if !enter(sub, d.drop) {
			return C.CL_OUT_OF_HOST_MEMORY
		}
		d.hold()
		made[i] = sub.id()
	}
	return C.CL_SUCCESS
}

// propertyWords copies a list of properties that ends with 0, the 0 included. It reads at most most words.
func propertyWords[T ~int64 | ~uint64](p *T, most int) []T {
	if p == nil {
		return nil
	}
	var words []T
	for i := range most {
		w := *(*T)(unsafe.Add(unsafe.Pointer(p), uintptr(i)*unsafe.Sizeof(*p)))
		words = append(words, w)
		if w == 0 {
			break
		}
	}
	return words
}

// pairs returns a list of properties with values that ends with 0, the 0 included; nil for a null pointer.
func pairs[T ~int64 | ~uint64](p *T) []T {
	if p == nil {
		return nil
	}
	var words []T
	for i := 0; ; i += 2 {
		at := func(i int) T { return *(*T)(unsafe.Add(unsafe.Pointer(p), uintptr(i)*unsafe.Sizeof(*p))) }
		if at(i) == 0 {
			return append(words, 0)
		}
		words = append(words, at(i), at(i+1))
	}
}

//export clGetDeviceAndHostTimer
func clGetDeviceAndHostTimer(h C.cl_device_id, deviceTime, hostTime *C.cl_ulong) C.cl_int {
	if _, ok := findDevice(h); !ok {
		return C.CL_INVALID_DEVICE
	}
	if deviceTime == nil || hostTime == nil {
		return C.CL_INVALID_VALUE
	}
	now := C.cl_ulong(graph.Now())
	*deviceTime, *hostTime = now, now
	return C.CL_SUCCESS
}

//export clGetHostTimer
func clGetHostTimer(h C.cl_device_id, hostTime *C.cl_ulong) C.cl_int {
	if _, ok := findDevice(h); !ok {
		return C.CL_INVALID_DEVICE
	}
	if hostTime == nil {
		return C.CL_INVALID_VALUE
	}
	*hostTime = C.cl_ulong(graph.Now())
	return C.CL_SUCCESS
}
