package memory

import (
	"cmp"
	"fmt"
)

// FaultKind says what is wrong with an access.
type FaultKind uint8

// The kinds of faults.
const (
	FaultBounds    FaultKind = iota // outside of the allocation
	FaultNull                       // through null
	FaultPointer                    // through a value that is no pointer, or one into another address space
	FaultFreed                      // to an allocation that was released
	FaultReadOnly                   // a write to read-only memory
	FaultAlign                      // not aligned as the access must be
	FaultWriteOnly                  // a read from write-only memory
)

// Access says what an access does.
type Access uint8

// The accesses.
const (
	AccessRead Access = iota
	AccessWrite
	AccessAtomic // reads and writes, or may write
)

// String returns the access as a noun: "read", "write", "atomic operation".
func (a Access) String() string {
	switch a {
	case AccessRead:
		return "read"
	case AccessWrite:
		return "write"
	}
	return "atomic operation"
}

// Fault is a bad access. It is an error; none of the access has happened.
type Fault struct {
	Kind    FaultKind
	Access  Access
	Pointer Pointer // where the access was to start
	Size    uint64  // bytes of the access
	Align   uint64  // that the access must have, of a FaultAlign; 0 is Size
	// Expected is the address space that the access is made for, SpaceNone
	// when it may go anywhere.
	Expected Space
	// Region and RegionSize name the allocation, as far as the pointer leads
	// to one; Region is "" where nobody named it. RegionSize is in bytes.
	Region     string
	RegionSize uint64
	// IsAddress says that Pointer may be an address of the host, which differs from run to run.
	IsAddress bool
	// HasRegion says that the pointer leads to an allocation that is or was there.
	HasRegion bool
}

// Error describes the access, the place and what is wrong with it.
func (f *Fault) Error() string {
	what := fmt.Sprintf("%s of %d bytes", f.Access, f.Size)
	if f.Size == 1 {
		what = fmt.Sprintf("%s of 1 byte", f.Access)
	}
	switch f.Kind {
	case FaultBounds:
		return fmt.Sprintf("out-of-bounds %s at %s, %s", what, f.Place(), f.Distance())
	case FaultNull:
		if off := f.Pointer.Offset(); off != 0 {
			return fmt.Sprintf("%s through the null pointer, offset %+d", what, off)
		}
		return fmt.Sprintf("%s through the null pointer", what)
	case FaultFreed:
		return fmt.Sprintf("%s at %s, which was released", what, f.Place())
	case FaultReadOnly:
		return fmt.Sprintf("%s at %s, which is read-only", what, f.Place())
	case FaultWriteOnly:
		return fmt.Sprintf("%s at %s, which is write-only", what, f.Place())
	case FaultAlign:
		return fmt.Sprintf("misaligned %s at %s: the address is not a multiple of %d", what, f.Place(), cmp.Or(f.Align, f.Size))
	}
	if f.Expected == SpaceResource {
		return fmt.Sprintf("%s through a value that is no buffer resource (%#x)", what, uint64(f.Pointer))
	}
	if f.Expected == SpaceImage {
		return fmt.Sprintf("%s through a value that is no image (%#x)", what, uint64(f.Pointer))
	}
	if f.Expected == SpacePipe {
		if f.Pointer.Space() == SpacePipe {
			return fmt.Sprintf("%s through a pipe that the kernel was not given (%s)", what, f.Pointer)
		}
		return fmt.Sprintf("%s through a value that is no pipe (%#x)", what, uint64(f.Pointer))
	}
	if f.Pointer.Space() == SpacePipe {
		return fmt.Sprintf("%s through the handle of a pipe (%s)", what, f.Pointer)
	}
	if f.Pointer.Space() == SpaceImage {
		return fmt.Sprintf("%s through the handle of an image (%s)", what, f.Pointer)
	}
	if f.Pointer.Space() == SpaceResource {
		return fmt.Sprintf("%s through the handle of a buffer resource (%s)", what, f.Pointer)
	}
	if f.Expected != SpaceNone && f.Pointer.Space() != f.Expected {
		return fmt.Sprintf("%s in %s memory through a pointer to other memory (%s)", what, f.Expected, f.Pointer)
	}
	if f.IsAddress {
		return what + " through an address where no allocation is"
	}
	return fmt.Sprintf("%s through a value that is no pointer (%#x)", what, uint64(f.Pointer))
}

// Place returns the address as people read it: the allocation's name and the offset.
func (f *Fault) Place() string {
	if f.Region == "" {
		return f.Pointer.String()
	}
	return fmt.Sprintf("%s%+d", f.Region, f.Pointer.Offset())
}

// Distance says where an access out of bounds lies, seen from its allocation.
func (f *Fault) Distance() string {
	off := f.Pointer.Offset()
	of := fmt.Sprintf("of the %d-byte allocation", f.RegionSize)
	switch {
	case off == FarOffset:
		return "far outside " + of
	case off < 0:
		return fmt.Sprintf("%d bytes before the start %s", -off, of)
	case uint64(off) >= f.RegionSize:
		return fmt.Sprintf("%d bytes past the end %s", uint64(off)-f.RegionSize, of)
	}
	return fmt.Sprintf("across the end %s, %d bytes of it inside", of, f.RegionSize-uint64(off))
}
