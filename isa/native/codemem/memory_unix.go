//go:build amd64 && (linux || darwin || freebsd)

package codemem

import (
	"fmt"

	"golang.org/x/sys/unix"
)

var host = system{
	alloc: func(size int) (mapping, error) {
		b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return mapping{}, fmt.Errorf("mmap: %w", err)
		}
		return mapping{b}, nil
	},
	protect: func(m mapping) error {
		if err := unix.Mprotect(m.bytes, unix.PROT_READ|unix.PROT_EXEC); err != nil {
			return fmt.Errorf("mprotect: %w", err)
		}
		return nil
	},
	free: func(m mapping) error {
		if err := unix.Munmap(m.bytes); err != nil {
			return fmt.Errorf("munmap: %w", err)
		}
		return nil
	},
}
