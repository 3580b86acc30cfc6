//go:build darwin || freebsd

package memory

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// available is half of the machine's memory: the system does not say how much of it others use.
func available() (uint64, bool) {
	name := "hw.physmem"
	if runtime.GOOS == "darwin" {
		name = "hw.memsize"
	}
	n, err := unix.SysctlUint64(name)
	return n / 2, err == nil
}
