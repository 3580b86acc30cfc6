package memory

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// memoryStatus is MEMORYSTATUSEX of the Windows API.
type memoryStatus struct {
	length                        uint32
	load                          uint32
	totalPhysical, leftPhysical   uint64
	totalPageFile, leftPageFile   uint64
	totalVirtual, leftVirtual     uint64
	leftExtendedVirtualOrReserved uint64
}

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// available is the physical memory that is not in use, within what the process may commit and address.
func available() (uint64, bool) {
	s := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	if globalMemoryStatus.Find() != nil {
		return 0, false
	}
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&s))); ok == 0 {
		return 0, false
	}
	return min(s.leftPhysical, s.leftPageFile, s.leftVirtual), true
}

func probe(n uint64) bool {
	if uint64(uintptr(n)) != n {
		return false
	}
	p, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE|windows.MEM_COMMIT, windows.PAGE_READWRITE)
	if err != nil {
		return false
	}
	_ = windows.VirtualFree(p, 0, windows.MEM_RELEASE) // of what was just made
	return true
}
