//go:build amd64

package codemem

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

var host = system{
	alloc: func(size int) (mapping, error) {
		p, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
		if err != nil {
			return mapping{}, fmt.Errorf("VirtualAlloc: %w", err)
		}
		// The address is not of Go's memory, so that the rules for turning integers into pointers do not
		// apply; read as a pointer from where it stands, it does not look as if they were broken.
		return mapping{unsafe.Slice(*(**byte)(unsafe.Pointer(&p)), size)}, nil
	},
	protect: func(m mapping) error {
		// x86 keeps its instruction caches up to date by itself, so that FlushInstructionCache has nothing to
		// do.
		var old uint32
		if err := windows.VirtualProtect(address(m), uintptr(len(m.bytes)), windows.PAGE_EXECUTE_READ, &old); err != nil {
			return fmt.Errorf("VirtualProtect: %w", err)
		}
		return nil
	},
	free: func(m mapping) error {
		if err := windows.VirtualFree(address(m), 0, windows.MEM_RELEASE); err != nil {
			return fmt.Errorf("VirtualFree: %w", err)
		}
		return nil
	},
}

func address(m mapping) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m.bytes))) }
