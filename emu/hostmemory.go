package emu

import (
	"math"
	"math/bits"
	"runtime"

	"github.com/lockstep-gpu/lockstep/memory"
	"github.com/lockstep-gpu/lockstep/scheduler"
)

// Where the system does not say how much memory it has left, devices have this much: 4 GiB, or a part of the
// address space.
const (
	fixedMemory   = 4 << 30
	fixedMemory32 = 1 << 30
)

// leastMemory is what a device has at least, however full the machine is.
const leastMemory = 16 << 20

// hostLeft is memory.HostLeft, except in tests.
var hostLeft = memory.HostLeft

// hostMemory is how much of the host's memory a device may take, in bytes, if nobody says: three quarters of
// what was left when the process made its first device. The rest is for compilation, registers and what the
// program itself does.
func hostMemory() uint64 {
	n, ok := hostLeft()
	switch {
	case !ok && (bits.UintSize == 32 || runtime.GOARCH == "wasm"): // which has addresses of 32 bits
		return fixedMemory32
	case !ok:
		return fixedMemory
	}
	n = min(n/4*3, memory.MaxSize)
	if bits.UintSize == 32 {
		n = min(n, fixedMemory32)
	}
	return max(n, leastMemory)
}

// stateMemory is what registers, private and local memory of a launch may take on the host, in bytes.
func stateMemory() uint64 { return min(scheduler.DefaultMaxState, hostMemory()/4) }

// hostCopies returns an error unless there is room for further copies of all memory that the device holds.
func (d *Device) hostCopies(what string, copies uint64) error {
	hi, n := bits.Mul64(d.mem.Used(), copies)
	if hi != 0 {
		n = math.MaxInt64
	}
	return d.room(what, n, max(d.limits.GlobalMemory, hostMemory()))
}

// Room returns a [*LimitError] unless n bytes fit beside what the device holds. It allocates nothing: it is
// for callers that prepare data for the device on the host, such as [Device.NewBufferFrom] takes over.
func (d *Device) Room(what string, n uint64) error {
	return d.roomIn(what, n, func() uint64 { return d.limits.GlobalMemory })
}

// HostRoom is [Device.Room] for what the device does not get, such as a text that is made of a buffer: where
// the device has less memory than the machine would allow, the rest counts, too.
func (d *Device) HostRoom(what string, n uint64) error {
	return d.roomIn(what, n, func() uint64 { return max(d.limits.GlobalMemory, hostMemory()) })
}

func (d *Device) roomIn(what string, n uint64, have func() uint64) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.release()
	return d.room(what, n, have())
}

// room is Room where have bytes are what the device and n may take together. The device is held.
func (d *Device) room(what string, n, have uint64) error {
	used := min(d.mem.Used(), have)
	n = min(n, math.MaxInt64)
	if n <= have-used && memory.HostHas(n) {
		return nil
	}
	return &LimitError{
		What: what, Need: used + n, Have: have, Unit: "bytes", Option: "MaxMemory",
		Size: n, Left: have - used, Host: n <= have-used,
	}
}
