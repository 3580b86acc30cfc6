package wave

import (
	"math/bits"
	"unsafe"
)

// Lanes is what machine code has to know of a sub-group size from [MinLanes] to [MaxLanes]: sub-groups
// that lie inside a chunk. The order and size of the fields are part of its meaning.
type Lanes struct {
	Size uint32 // lanes
	Last uint32 // Size-1
	Mask uint32 // a bit for each lane, 32 at most
	_    uint32
	// Low has the lowest lane of each sub-group of a chunk, Top the highest.
	Low, Top uint64
	// Up has, for steps of 1, 2, 4, 8, 16 and 32 lanes, the lanes that have one of their sub-group so
	// many lanes below.
	Up [6]uint64
}

// The sub-group sizes for which there are [Lanes].
const (
	MinLanes = 8
	MaxLanes = 64
)

// The offsets of the fields of Lanes, in bytes.
const (
	LanesSize = unsafe.Offsetof(Lanes{}.Size)
	LanesLast = unsafe.Offsetof(Lanes{}.Last)
	LanesMask = unsafe.Offsetof(Lanes{}.Mask)
	LanesLow  = unsafe.Offsetof(Lanes{}.Low)
	LanesTop  = unsafe.Offsetof(Lanes{}.Top)
	LanesUp   = unsafe.Offsetof(Lanes{}.Up)
)

// firstBits has, by the logarithm of n, the first lane of each sub-group of n lanes.
var firstBits = [7]uint64{^uint64(0), 0x5555555555555555, 0x1111111111111111, 0x0101010101010101, 0x0001000100010001,
	0x0000000100000001, 1}

var lanesTable = func() (t [4]Lanes) {
	for i := range t {
		n := MinLanes << i
		low := firstBits[bits.TrailingZeros(uint(n))]
		t[i] = Lanes{Size: uint32(n), Last: uint32(n - 1), Mask: uint32(1<<min(n, 32) - 1), Low: low, Top: low << (n - 1)}
		for s := range t[i].Up {
			t[i].Up[s] = LanesUpFrom(n, 1<<s)
		}
	}
	return t
}()

// LanesUpFrom returns the lanes of a chunk that have, in parts of n lanes, another one so many lanes below.
func LanesUpFrom(n, step int) uint64 {
	var m uint64
	for i := range 64 {
		if i%n >= step {
			m |= 1 << i
		}
	}
	return m
}

// LanesOf returns the lanes of a sub-group size, or nil.
func LanesOf(n int) *Lanes {
	if n < MinLanes || n > MaxLanes {
		return nil
	}
	return &lanesTable[bits.TrailingZeros(uint(n/MinLanes))]
}
