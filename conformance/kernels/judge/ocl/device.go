package ocl

import (
	"fmt"
	"strings"
	"unsafe"
)

// Platform is one OpenCL implementation.
type Platform struct {
	lib *Library
	id  uintptr

	Name, Vendor, Version string
}

// Device is one device of a platform.
type Device struct {
	lib *Library
	id  uintptr

	Name, Version, DriverVersion string
	// ILVersion lists the intermediate languages that the device takes, as
	// CL_DEVICE_IL_VERSION has them; empty when it takes none.
	ILVersion string
	// Extensions is the space-separated list of the device's extensions.
	Extensions string
}

// The names of properties, from the OpenCL header.
const (
	platformVersion = 0x0901
	platformName    = 0x0902
	platformVendor  = 0x0903

	deviceMaxComputeUnits  = 0x1002
	deviceMaxWorkGroupSize = 0x1004
	deviceName             = 0x102B
	driverVersion          = 0x102D
	deviceVersion          = 0x102F
	deviceExtensions       = 0x1030
	deviceILVersion        = 0x105B

	deviceTypeAll = 0xFFFFFFFF
)

// Platforms lists the implementations that the library knows, in its order.
func (l *Library) Platforms() ([]Platform, error) {
	var n uint32
	if code := l.getPlatformIDs(0, nil, &n); code != 0 {
		if Status(code) == PlatformNotFoundKHR {
			return nil, nil
		}
		return nil, check("clGetPlatformIDs", code)
	}
	if n == 0 {
		return nil, nil
	}
	ids := make([]uintptr, n)
	if err := check("clGetPlatformIDs", l.getPlatformIDs(n, unsafe.Pointer(&ids[0]), nil)); err != nil {
		return nil, err
	}
	platforms := make([]Platform, n)
	for i, id := range ids {
		text := func(name uint32) string {
			return infoString(func(size uintptr, value unsafe.Pointer, ret *uintptr) int32 {
				return l.getPlatformInfo(id, name, size, value, ret)
			})
		}
		platforms[i] = Platform{lib: l, id: id,
			Name: text(platformName), Vendor: text(platformVendor), Version: text(platformVersion)}
	}
	return platforms, nil
}

// Devices lists the platform's devices of every kind, in its order.
func (p Platform) Devices() ([]Device, error) {
	var n uint32
	if code := p.lib.getDeviceIDs(p.id, deviceTypeAll, 0, nil, &n); code != 0 {
		if Status(code) == DeviceNotFound {
			return nil, nil
		}
		return nil, check("clGetDeviceIDs", code)
	}
	if n == 0 {
		return nil, nil
	}
	ids := make([]uintptr, n)
	if err := check("clGetDeviceIDs", p.lib.getDeviceIDs(p.id, deviceTypeAll, n, unsafe.Pointer(&ids[0]), nil)); err != nil {
		return nil, err
	}
	devices := make([]Device, n)
	for i, id := range ids {
		d := Device{lib: p.lib, id: id}
		d.Name = infoString(d.info(deviceName))
		d.Version = infoString(d.info(deviceVersion))
		d.DriverVersion = infoString(d.info(driverVersion))
		d.ILVersion = infoString(d.info(deviceILVersion))
		d.Extensions = infoString(d.info(deviceExtensions))
		devices[i] = d
	}
	return devices, nil
}

func (d Device) info(name uint32) infoCall {
	return func(size uintptr, value unsafe.Pointer, ret *uintptr) int32 {
		return d.lib.getDeviceInfo(d.id, name, size, value, ret)
	}
}

// ComputeUnits is the number of the device's compute units.
func (d Device) ComputeUnits() (uint32, error) {
	return infoNumber[uint32]("clGetDeviceInfo", d.info(deviceMaxComputeUnits))
}

// MaxWorkGroupSize is the largest work-group that the device runs, in
// work-items.
func (d Device) MaxWorkGroupSize() (uintptr, error) {
	return infoNumber[uintptr]("clGetDeviceInfo", d.info(deviceMaxWorkGroupSize))
}

// FindDevice is the first device of the first platform whose name contains word in any case, in the OpenCL
// library that Load opens for library. An error names the platforms that there are.
func FindDevice(library, word string) (Device, error) {
	lib, err := Load(library)
	if err != nil {
		return Device{}, err
	}
	platforms, err := lib.Platforms()
	if err != nil {
		return Device{}, err
	}
	var names []string
	for _, p := range platforms {
		names = append(names, p.Name)
		if !strings.Contains(strings.ToLower(p.Name), strings.ToLower(word)) {
			continue
		}
		devices, err := p.Devices()
		if err != nil {
			return Device{}, err
		}
		if len(devices) > 0 {
			return devices[0], nil
		}
	}
	return Device{}, fmt.Errorf("no device on a platform whose name contains %q; there are %q", word, names)
}
