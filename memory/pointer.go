// Package memory is the memory of the modelled GPU: address spaces, tagged
// pointers, buffers, LDS and private memory, images, pipes, atomics, and the one
// bounds check that every access goes through.
//
// It knows nothing of instructions or of scheduling. Engines and DMA call it
// with pointers that come from kernels; package emu gives it the buffers.
// Nothing a kernel does can reach host memory outside the regions given to it:
// a bad access is a [Fault], which is an error value.
//
// # Races of kernels
//
// Work-groups may run on several goroutines, and a kernel may have them access the same bytes with plain loads and stores. That is
// undefined in OpenCL, and a data race in Go. It does no harm to the host: contents are bytes without pointers of Go, every address
// is checked against a length that kernels cannot change, and Go's memory model limits what a race of words can do: a read sees a
// value that some write stored, or parts of several if the access is not aligned or wider than a word of the host. So the race
// decides what the kernel computes and nothing else. Atomic operations of kernels are atomic operations of the host.
//
// Go's race detector reports such accesses all the same. Programs built with it therefore run the work-groups of a launch on one
// goroutine, unless emu.ParallelAlways asks for more (scheduler.Serial), so that the tests of a program that embeds lockstep run
// under the detector without reports from lockstep.
package memory

import "fmt"

// Space is an address space: the tag in a pointer.
type Space uint8

// The address spaces. The first have the numbers of isa.Space.
const (
	SpaceNone    Space = iota // the null pointer, and nothing else
	SpaceGlobal               // buffers, program-scope variables and constants
	SpaceLocal                // LDS of the work-group
	SpacePrivate              // the work-item's own memory

	// SpaceResource is no memory: such a pointer is the handle of a buffer
	// resource (see [Global.AddResource]), and the allocation number is its number.
	SpaceResource
	// SpaceImage is no memory either: the handle of an image (see [Global.AddImage]).
	SpaceImage
	// SpacePipe is the handle of a pipe (see [Global.AddPipe]); the offset says
	// which of its ends it is.
	SpacePipe
)

// String returns the space's name.
func (s Space) String() string {
	switch s {
	case SpaceNone:
		return "null"
	case SpaceGlobal:
		return "global"
	case SpaceLocal:
		return "local"
	case SpacePrivate:
		return "private"
	case SpaceResource:
		return "resource"
	case SpaceImage:
		return "image"
	case SpacePipe:
		return "pipe"
	}
	return fmt.Sprintf("space %d", uint8(s))
}

// Pointer is a device pointer: 4 bits of address space, 20 bits of allocation
// number and a signed 40-bit offset in bytes. Arithmetic changes the offset
// only, so that a pointer always leads back to its allocation, even when it
// points outside. Null is zero; allocation numbers start at 1.
//
// A pointer that a step of arithmetic carries further than an offset can say
// has [FarOffset] from then on: no further step leads back. Otherwise two steps
// of 2^39 bytes would come to the start of the allocation, and an access there
// would be one that the kernel has not asked for.
type Pointer uint64

// The layout of a pointer, and what it implies.
const (
	OffsetBits = 40
	AllocBits  = 20

	offsetMask = 1<<OffsetBits - 1

	// MaxAllocs is the number of allocations that a space can hold.
	MaxAllocs = 1<<AllocBits - 1
	// MaxOffset is the largest offset.
	MaxOffset = 1<<(OffsetBits-1) - 1
	// MaxSize is the largest allocation, in bytes: half of what positive offsets
	// reach. So a step of up to MaxSize bytes from inside of an allocation leads to
	// an offset, and one from an offset that does not exist never leads inside.
	MaxSize = 1 << (OffsetBits - 2)
	// FarOffset is the offset of a pointer that arithmetic carried further
	// than an offset can say. It is outside of every allocation, and stays.
	FarOffset = -1 << (OffsetBits - 1)
)

// MakePointer returns the pointer to byte offset of allocation alloc.
func MakePointer(s Space, alloc uint32, offset int64) Pointer {
	return Pointer(uint64(s)<<(OffsetBits+AllocBits) | uint64(alloc)<<OffsetBits).Add(offset)
}

// Space returns the pointer's tag.
func (p Pointer) Space() Space { return Space(p >> (OffsetBits + AllocBits)) }

// Alloc returns the allocation number; 0 is no allocation.
func (p Pointer) Alloc() uint32 { return uint32(p>>OffsetBits) & (1<<AllocBits - 1) }

// Offset returns the offset in bytes from the start of the allocation.
func (p Pointer) Offset() int64 { return int64(p<<(64-OffsetBits)) >> (64 - OffsetBits) }

// Add returns p moved by d bytes. A sum that an offset cannot hold gives
// FarOffset in the same allocation, and so does every sum with FarOffset. Null
// stays a pointer without allocation.
func (p Pointer) Add(d int64) Pointer {
	off := p.Offset()
	sum := off + d // what leaves 64 bits is no offset either
	if off == FarOffset || sum < FarOffset || sum > MaxOffset {
		sum = FarOffset
	}
	return p&^offsetMask | Pointer(uint64(sum)&offsetMask)
}

// Far says whether arithmetic carried p further than an offset can say.
func (p Pointer) Far() bool { return p<<(64-OffsetBits) == 1<<63 }

// Minus returns the distance from q to p in bytes. Pointers into different
// allocations are as far apart as their numbers, never 0.
func (p Pointer) Minus(q Pointer) int64 {
	const sign = 1 << (OffsetBits - 1) // flipped, it makes an offset count from -2^39
	return int64((p ^ sign) - (q ^ sign))
}

// Base returns the pointer to the start of p's allocation.
func (p Pointer) Base() Pointer { return p &^ offsetMask }

// String returns the pointer as people read it: space, allocation, offset.
func (p Pointer) String() string {
	if p == 0 {
		return "null"
	}
	return fmt.Sprintf("%s:%d%+d", p.Space(), p.Alloc(), p.Offset())
}
