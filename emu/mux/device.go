package mux

import (
	"fmt"
	"math/bits"

	"github.com/lockstep-gpu/lockstep/emu"
)

// DeviceInfo describes a device to its compiler, in the terms of the Mux runtime
// (mux_device_info_t).
type DeviceInfo struct {
	Name string

	// SubGroupSize is the number of work-items of a sub-group at most, a power of two; 0
	// for a device without sub-groups, which then runs each work-item by itself.
	SubGroupSize uint32
	// MaxWorkWidth is the number of work-items that run together at most.
	MaxWorkWidth uint32

	MaxWorkGroupSize uint64    // work-items
	MaxWorkItemSizes [3]uint64 // of a work-group, by dimension
	LocalMemory      uint64    // bytes of a work-group
	GlobalMemory     uint64    // bytes
	MaxAlloc         uint64    // bytes of a buffer
	MaxVariables     uint64    // bytes of a program's variables
	MaxPrivate       uint64    // bytes of a work-item
	MaxParameters    uint64    // bytes of all arguments by value

	// AddressBits is the size of a pointer in memory: 32 or 64.
	AddressBits int
	// Half and Double say whether there is arithmetic of 16 and 64 bits.
	Half, Double bool
	// CustomBuffers says that kernels take custom buffers
	// (custom_buffer_capabilities is not 0).
	CustomBuffers bool
}

// NewDeviceInfo describes a device of package emu. Pointers have 64 bits.
func NewDeviceInfo(name string, l emu.Limits) DeviceInfo {
	width := l.WaveLanes
	if width == 0 {
		width = l.MaxWorkGroupSize
	}
	return DeviceInfo{
		Name: name, SubGroupSize: uint32(l.SubgroupSize), MaxWorkWidth: uint32(width),
		MaxWorkGroupSize: uint64(l.MaxWorkGroupSize), MaxWorkItemSizes: l.MaxWorkItemSizes,
		LocalMemory: l.LocalMemory, GlobalMemory: l.GlobalMemory, MaxAlloc: l.MaxAlloc, MaxVariables: l.MaxVariables,
		MaxPrivate: l.MaxPrivate, MaxParameters: l.MaxParameters,
		AddressBits: 64, Half: true, Double: true,
	}
}

// DeviceOptions returns what makes a device of package emu that fits the description.
func (d *DeviceInfo) DeviceOptions() emu.DeviceOptions {
	return emu.DeviceOptions{
		SubgroupSize: d.lanes(), FixedSubgroups: true, MaxWorkGroupSize: int(min(d.MaxWorkGroupSize, 1<<16)),
		LocalMemory: d.LocalMemory, MaxMemory: d.GlobalMemory, MaxAlloc: d.MaxAlloc, MaxVariables: d.MaxVariables, MaxPrivate: d.MaxPrivate,
	}
}

// Matches says whether binaries for the described device run on one with these limits.
func (d *DeviceInfo) Matches(l emu.Limits) bool { return d.lanes() == l.SubgroupSize }

// lanes is the sub-group size of the machine: a work-item is a sub-group for a device
// that has none.
func (d *DeviceInfo) lanes() int { return int(max(d.SubGroupSize, 1)) }

// check refuses descriptions of devices that the machine cannot be.
func (d *DeviceInfo) check() error {
	bad := func(format string, args ...any) error { return failed("DeviceInfo", ErrInvalidValue, format, args...) }
	switch {
	case d.SubGroupSize > 128 || bits.OnesCount32(d.SubGroupSize) > 1:
		return bad("%s: sub-groups of %d; there are powers of two up to 128", d.Name, d.SubGroupSize)
	case d.AddressBits != 32 && d.AddressBits != 64:
		return bad("%s: pointers of %d bits; they have 32 or 64", d.Name, d.AddressBits)
	case d.MaxWorkGroupSize == 0 || d.MaxWorkGroupSize > 1<<16:
		return bad("%s: work-groups of up to %d work-items; there are 1 to 65536", d.Name, d.MaxWorkGroupSize)
	case d.MaxWorkWidth == 0:
		return bad("%s: no work-item runs", d.Name)
	}
	for i, n := range d.MaxWorkItemSizes {
		if n == 0 {
			return bad("%s: no work-items in dimension %d", d.Name, i)
		}
	}
	return nil
}

// BuiltinCapabilities says which built-in functions a device has
// (builtins::file::capabilities_bitfield).
type BuiltinCapabilities uint32

// The capabilities.
const (
	Builtins32Bit BuiltinCapabilities = 1 << iota // pointers have 32 bits
	BuiltinsFP64                                  // arithmetic of double precision
	BuiltinsFP16                                  // arithmetic of half precision
)

// String returns the names, joined by "|".
func (b BuiltinCapabilities) String() string {
	s := ""
	for i, name := range []string{"32bit", "fp64", "fp16"} {
		if b>>i&1 != 0 {
			if s != "" {
				s += "|"
			}
			s += name
		}
	}
	if rest := b >> 3; rest != 0 || s == "" {
		return fmt.Sprintf("BuiltinCapabilities(%#x)", uint32(b))
	}
	return s
}

// builtins derives the capabilities of a device.
func (d *DeviceInfo) builtins() BuiltinCapabilities {
	var b BuiltinCapabilities
	if d.AddressBits == 32 {
		b |= Builtins32Bit
	}
	if d.Double {
		b |= BuiltinsFP64
	}
	if d.Half {
		b |= BuiltinsFP16
	}
	return b
}
