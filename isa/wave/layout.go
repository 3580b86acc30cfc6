package wave

import "github.com/lockstep-gpu/lockstep/isa"

// Layout says where the registers and the private memory of 64 lanes, a chunk, are. The reference engine
// makes it for a kernel; the planner of machine code adds registers of its own behind those of the kernel.
type Layout struct {
	// Vectors is how many vector registers of each bank the kernel has, Bank where the first of them is.
	Vectors [isa.NumBanks]int
	Bank    [isa.NumBanks]uint32
	// Stride is the bytes that the registers of a chunk take.
	Stride uintptr
	// Scalars is the number of scalar registers. Of those behind the kernel's the first is the reference
	// engine's.
	Scalars int

	// PrivateOffset is where each private allocation is in the private memory of a chunk, PrivateSize its
	// bytes for a lane, PrivateStride the bytes of the private memory of a chunk.
	PrivateOffset []uintptr
	PrivateSize   []uint64
	PrivateStride uintptr

	extra [isa.NumBanks][]uint32 // where vector registers are that the kernel does not have
}

// Offset returns where vector register r, with elements of type t, is in the registers of a chunk, in
// bytes: 64 elements one after the other, or, for B1, a word of 64 bits.
func (l *Layout) Offset(r isa.Reg, t isa.Type) uint32 {
	b := t.Bank()
	if n := r.Index() - l.Vectors[b]; n >= 0 && n < len(l.extra[b]) {
		return l.extra[b][n]
	}
	if b == isa.BankMask {
		return l.Bank[b] + uint32(r.Index())*8
	}
	return l.Bank[b] + uint32(r.Index())*64<<(b-isa.Bank8)
}

// Extra returns vector register n of those that the kernel does not have, and makes room for it.
func (l *Layout) Extra(b isa.Bank, n int) isa.Reg {
	for n >= len(l.extra[b]) {
		l.extra[b] = append(l.extra[b], uint32(l.Stride))
		if b == isa.BankMask {
			l.Stride += 64
		} else {
			l.Stride += 64 << (b - isa.Bank8)
		}
	}
	return isa.V(l.Vectors[b] + n)
}

// Place is what a [Slot] is filled in from.
type Place struct {
	Slot    int      // the number of the slot
	Access  isa.Inst // one of the instructions that have it: its pointer, address space and kind of access
	Pointer isa.Reg  // a scalar, unless the place is Pointed
	Disp    int64    // what is added to it
	Size    uint64   // bytes of all accesses with this slot, from there on
	Scale   uint32   // of the index
	Most    uint64   // the greatest Limit
	Write   bool     // memory may change
	// Fixed says that the pointer is the same whenever the launch and the work-group's memory are. The
	// reference engine then fills in Address and Limit as well, and Key says whether it has.
	Fixed bool
	// Pointed says that Pointer is a vector: the slot is for the allocation that the first lane that runs
	// points to, and has all of it. Address is not filled in, Limit is the lesser of Last and the greatest
	// number of 31 bits.
	Pointed bool
	// Row says that the slot is of private memory. Base is then that of the first chunk, and what the
	// instruction adds to the pointer is not in Address. If it is Fixed, the pointer is Offset bytes behind
	// allocation Alloc, which is Room bytes behind the private memory of each chunk, and an access is at
	// most Last behind the allocation; the slot need not be filled in.
	Row    bool
	Alloc  int
	Offset int64
	Room   uintptr
	Last   uint64
}

// BlockCounts is what entering a block adds to the counters: the first to Instructions and, times the lanes
// that run, to LaneOps, the others times the lanes that run.
type BlockCounts struct {
	Count, Loads, Stores, Atomics uint64
}

// Count returns what entering a block of a kernel counts.
func Count(k *isa.Kernel, block int) (c BlockCounts) {
	b := &k.Blocks[block]
	for i := b.Start; i < b.End; i++ {
		c.Count++
		switch k.Code[i].Op {
		case isa.OpLoad, isa.OpBlockLoad:
			c.Loads++
		case isa.OpStore, isa.OpBlockStore:
			c.Stores++
		case isa.OpMemCopy:
			c.Loads++
			c.Stores++
		case isa.OpAtomic:
			c.Atomics++
		}
	}
	return c
}
