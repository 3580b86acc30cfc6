package memory

import (
	"math/bits"
	"sync/atomic"
	"unsafe"
)

// The functions below read and write little-endian elements at an address on
// the host. They check nothing: the caller has a checked range of a
// [Region]. Plain ones need no alignment, atomic ones the natural one.

// Load16 returns the 16 bits at p.
func Load16(p unsafe.Pointer) uint16 {
	if bigEndian {
		return bits.ReverseBytes16(*(*uint16)(p))
	}
	return *(*uint16)(p)
}

// Load32 returns the 32 bits at p.
func Load32(p unsafe.Pointer) uint32 {
	if bigEndian {
		return bits.ReverseBytes32(*(*uint32)(p))
	}
	return *(*uint32)(p)
}

// Load64 returns the 64 bits at p.
func Load64(p unsafe.Pointer) uint64 {
	if bigEndian {
		return bits.ReverseBytes64(*(*uint64)(p))
	}
	return *(*uint64)(p)
}

// Store16 stores v at p.
func Store16(p unsafe.Pointer, v uint16) {
	if bigEndian {
		v = bits.ReverseBytes16(v)
	}
	*(*uint16)(p) = v
}

// Store32 stores v at p.
func Store32(p unsafe.Pointer, v uint32) {
	if bigEndian {
		v = bits.ReverseBytes32(v)
	}
	*(*uint32)(p) = v
}

// Store64 stores v at p.
func Store64(p unsafe.Pointer, v uint64) {
	if bigEndian {
		v = bits.ReverseBytes64(v)
	}
	*(*uint64)(p) = v
}

// AtomicLoad32 returns the 32 bits at p.
func AtomicLoad32(p unsafe.Pointer) uint32 {
	return swap32(atomic.LoadUint32((*uint32)(p)))
}

// AtomicLoad64 returns the 64 bits at p.
func AtomicLoad64(p unsafe.Pointer) uint64 {
	return swap64(atomic.LoadUint64((*uint64)(p)))
}

// AtomicStore32 stores v at p.
func AtomicStore32(p unsafe.Pointer, v uint32) { atomic.StoreUint32((*uint32)(p), swap32(v)) }

// AtomicStore64 stores v at p.
func AtomicStore64(p unsafe.Pointer, v uint64) { atomic.StoreUint64((*uint64)(p), swap64(v)) }

// AtomicSwap32 stores v at p and returns what was there.
func AtomicSwap32(p unsafe.Pointer, v uint32) uint32 {
	return swap32(atomic.SwapUint32((*uint32)(p), swap32(v)))
}

// AtomicSwap64 stores v at p and returns what was there.
func AtomicSwap64(p unsafe.Pointer, v uint64) uint64 {
	return swap64(atomic.SwapUint64((*uint64)(p), swap64(v)))
}

// AtomicCAS32 stores v at p if old is there, and says whether it was.
func AtomicCAS32(p unsafe.Pointer, old, v uint32) bool {
	return atomic.CompareAndSwapUint32((*uint32)(p), swap32(old), swap32(v))
}

// AtomicCAS64 stores v at p if old is there, and says whether it was.
func AtomicCAS64(p unsafe.Pointer, old, v uint64) bool {
	return atomic.CompareAndSwapUint64((*uint64)(p), swap64(old), swap64(v))
}

// AtomicAdd32 adds v to the 32 bits at p and returns what was there.
func AtomicAdd32(p unsafe.Pointer, v uint32) uint32 {
	if !bigEndian {
		return atomic.AddUint32((*uint32)(p), v) - v
	}
	for {
		old := AtomicLoad32(p)
		if AtomicCAS32(p, old, old+v) {
			return old
		}
	}
}

// AtomicAdd64 adds v to the 64 bits at p and returns what was there.
func AtomicAdd64(p unsafe.Pointer, v uint64) uint64 {
	if !bigEndian {
		return atomic.AddUint64((*uint64)(p), v) - v
	}
	for {
		old := AtomicLoad64(p)
		if AtomicCAS64(p, old, old+v) {
			return old
		}
	}
}

// AtomicAnd32 stores the bitwise and of v and the 32 bits at p and returns what was there.
func AtomicAnd32(p unsafe.Pointer, v uint32) uint32 {
	return swap32(atomic.AndUint32((*uint32)(p), swap32(v)))
}

// AtomicOr32 stores the bitwise or of v and the 32 bits at p and returns what was there.
func AtomicOr32(p unsafe.Pointer, v uint32) uint32 {
	return swap32(atomic.OrUint32((*uint32)(p), swap32(v)))
}

// AtomicAnd64 stores the bitwise and of v and the 64 bits at p and returns what was there.
func AtomicAnd64(p unsafe.Pointer, v uint64) uint64 {
	return swap64(atomic.AndUint64((*uint64)(p), swap64(v)))
}

// AtomicOr64 stores the bitwise or of v and the 64 bits at p and returns what was there.
func AtomicOr64(p unsafe.Pointer, v uint64) uint64 {
	return swap64(atomic.OrUint64((*uint64)(p), swap64(v)))
}

// AtomicUpdate16 stores what f makes of the 16 bits at p, and returns what was there. It exchanges the aligned 32 bits
// around p, also where the other half belongs to nobody: allocations start on a multiple of 8, so that these bits are in
// the same page, and whoever else uses them loses nothing. The host may use shared memory meanwhile, with atomic
// operations of its own.
func AtomicUpdate16(p unsafe.Pointer, f func(old uint16) uint16) uint16 {
	q := unsafe.Add(p, -int(uintptr(p)&2))
	shift := uintptr(p) & 2 * 8
	for {
		whole := AtomicLoad32(q)
		old := uint16(whole >> shift)
		v := f(old)
		if v == old || AtomicCAS32(q, whole, whole&^(0xffff<<shift)|uint32(v)<<shift) {
			return old
		}
	}
}

// swap32 and swap64 turn a word of the host into one of the memory and back.
func swap32(v uint32) uint32 {
	if bigEndian {
		return bits.ReverseBytes32(v)
	}
	return v
}

func swap64(v uint64) uint64 {
	if bigEndian {
		return bits.ReverseBytes64(v)
	}
	return v
}
