package memory

import "unsafe"

// hugePage is the size of the large pages of most processors, and hugeFrom that of the buffers that are worth some: with
// pages of 4 KiB, a kernel that streams through much memory waits for address translation as long as for the memory.
const (
	hugePage = 2 << 20
	hugeFrom = 2 * hugePage
)

// AdviseHuge asks the system for large pages for memory that nobody has touched yet. It is a hint: nothing
// depends on it but time.
func AdviseHuge(b []byte) {
	if len(b) < hugeFrom {
		return
	}
	before := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (hugePage - 1))
	pages := (len(b) - before) / hugePage
	advise(b[before:][:pages*hugePage])
}
