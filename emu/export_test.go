package emu

import (
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/memory"
)

// Compiled says whether there is code of the device's engine for the kernel.
func Compiled(k *Kernel) bool { return k.runner != nil && (k.later == nil || k.later.Made()) }

// Shared says whether the code of two kernels is made once for both.
func Shared(a, b *Kernel) bool { return a.made == b.made }

// NewComparing returns a device that compares an engine with the reference, on any machine.
func NewComparing(t interface{ Fatal(...any) }, opt DeviceOptions, e engine.Engine) *Device {
	opt.Engine = interp.Engine{}.Name()
	d, err := NewDevice(opt)
	if err != nil {
		t.Fatal(err)
	}
	d.engine, d.reference, d.limits.Engine = e, interp.Engine{}, compareEngine
	return d
}

// NewValidating returns a device that runs kernels on an engine and validates the first launch of each.
func NewValidating(t interface{ Fatal(...any) }, e engine.Engine) *Device {
	d, err := NewDevice(DeviceOptions{Engine: interp.Engine{}.Name(), Validate: 1})
	if err != nil {
		t.Fatal(err)
	}
	d.engine, d.limits.Engine = e, e.Name()
	return d
}

// PointerOf returns where a buffer is on its device.
func PointerOf(b *Buffer) memory.Pointer { return b.ptr }

// SetHostLeft sets what the machine says of its memory until restore is called.
func SetHostLeft(bytes uint64, ok bool) (restore func()) {
	was := hostLeft
	hostLeft = func() (uint64, bool) { return bytes, ok }
	return func() { hostLeft = was }
}

// CompareMemory takes the memory for a comparison.
func CompareMemory(d *Device) error {
	_, err := d.compareMemory()
	return err
}
