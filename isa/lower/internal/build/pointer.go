package build

import (
	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/ssa"
)

// OffsetBits is the number of bits of a pointer that are its offset (memory.OffsetBits); the number of the allocation
// stands above them.
const OffsetBits = 40

// pointerDistance returns x - y in elements of size bytes. What pointers into two allocations differ in is all in the
// upper bits, which get lost in 32 bits. The distance of the allocations' numbers is added to the lower ones, so that
// the difference is not 0 in 32 bits either: the tests of conformance ask for that.
func (b *Builder) pointerDistance(x, y *ssa.Value, size uint64) *ssa.Value {
	bytes := b.Emit(isa.OpPtrDiff, isa.I64, isa.I64, x, y)
	d := bytes
	if size > 1 {
		d = b.Bin(isa.OpDivS, isa.I64, d, b.Imm(isa.I64, size))
	}
	half := b.Imm(isa.I64, 1<<(OffsetBits-1)) // rounds: offsets may be negative
	apart := b.Bin(isa.OpShrS, isa.I64, b.Bin(isa.OpAdd, isa.I64, bytes, half), b.Imm(isa.I64, OffsetBits))
	return b.Bin(isa.OpAdd, isa.I64, d, apart)
}
