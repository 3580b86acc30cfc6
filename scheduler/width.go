package scheduler

import (
	"math"

	"github.com/lockstep-gpu/lockstep/isa"
)

// What decides how wide waves are where nobody asks for a width. No result depends on these, but counters, traces and the order of what
// work-items print do, so they are the same for each engine and machine. They come from the time of an operation of a
// lane, in picoseconds, on a core with caches of 48 KiB and 2 MiB, for work-groups of 1024 on the native engine with
// AVX-512 (go test ./bench -bench Width), in waves of
//
//	                                               64   128   256   512  1024
//	saxpy                                         177    97    60    45    30
//	scan_inclusive: barriers                       67    43    32    25    19
//	loop over 16 floats, 132 bytes a lane          20    20    20    20    21
//	loop over 50 floats, 404 bytes                 30    30    45    51    50
//	loop over 100 floats, 804 bytes                35    64    69    67    67
//	loop over 200 floats, 1604 bytes              100   103   103   103   105
//	loop over 1000 floats, 8004 bytes             149   152   238   393   402
//	loop over a private array of 256 bytes         42    41    64   100   114
//	loop over a private array of 4096 bytes       174   178   192   233   294
//	4 floats, a barrier in each trip               64    43    33    27    22
//	400 floats, 3208 bytes, and such a barrier    288   277   274   284   376
//
// A product of matrices with 64 accumulators a lane and two barriers for eight trips takes 41, 42 and 70 in groups of 256.
// AVX2 differs less, in the same sense. The reference engine prefers
// width: loops take up to a tenth longer in waves of 128 than in those of 1024, and up to a fifth longer in those of 64.
const (
	// mostLanes is the width where nothing speaks against it: a whole work-group, whose
	// barriers then need no turns and which goes on to the next by itself (engine.Sweeper).
	mostLanes = 1024
	// leastLanes is what engines work on at once; below it lanes are idle.
	leastLanes = 64
	// nearCache is how many bytes of registers and private memory a loop of a wave may go through in each trip so that they
	// are still in the first-level cache at the next. That has 32 to 64 KiB, and not all that a loop
	// mentions leaves the processor's registers.
	nearCache = 64 << 10
	// farCache is the same of the second level, for the whole wave. Waves that take turns at each
	// trip, because of a barrier, gain nothing by being small enough for the first.
	farCache = 1 << 20
)

// Width returns how many work-items of a work-group of the given number of them run
// together: the lanes of a whole wave of a launch in the order InOrder. subgroup is the
// sub-group size of the device and limit its Options.WaveLanes.
func Width(k *isa.Kernel, subgroup, limit, items int) int {
	return max(min(waveLanes(InOrder, MaySpin(k), footprintOf(k), subgroup, limit, items), items), 1)
}

// waveLanes returns how many lanes the waves of a launch have. limit is
// Options.WaveLanes, items the work-items of a whole group.
func waveLanes(o Order, spins bool, f footprint, subgroup, limit, items int) int {
	lanes := limit
	switch {
	case spins, lanes < subgroup && o != InOrder:
		lanes = subgroup
	case lanes < subgroup:
		lanes = f.lanes(subgroup, items)
	}
	lanes -= lanes % subgroup
	return min(lanes, roundUp(items, subgroup))
}

// footprint is what a kernel keeps for a lane, in bytes.
type footprint struct {
	state uint64 // vector registers and private memory
	loop  uint64 // as much of that as a loop without barriers goes through, the largest
}

// lanes returns how many lanes of a group of so many work-items share caches best: all of them, or a half, a quarter and so
// on until they fit.
func (f footprint) lanes(subgroup, items int) int {
	least := max(leastLanes, subgroup)
	for waves := (items + mostLanes - 1) / mostLanes; ; waves *= 2 {
		lanes := roundUp((items+waves-1)/waves, least)
		if lanes <= least || uint64(lanes)*f.loop <= nearCache && uint64(lanes)*f.state <= farCache {
			return lanes
		}
	}
}

// roundUp returns the first multiple of m, not 0, from n on.
func roundUp(n, m int) int { return (n + m - 1) / m * m }

// footprintOf looks at a kernel's code.
func footprintOf(k *isa.Kernel) footprint {
	f := footprint{state: stateBytes(k, math.MaxInt32)}
	private := uint64(0)
	for i := range k.Private {
		private = min(private+min(k.Private[i].Size, math.MaxInt32), math.MaxInt32)
	}
	m := mentioned{kernel: k}
	for bank, n := range k.NumVector {
		m.seen[bank] = make([]int, n)
	}
	last := innerLoops(k)
	for b := 0; b < len(last); {
		end := last[b]
		if end < b {
			b++
			continue
		}
		m.begin()
		for ; b <= end; b++ {
			end = max(end, last[b]) // loops that overlap count as one
			m.block(b)
		}
		bytes := (m.bits + 7) / 8
		if m.private {
			bytes += private
		}
		f.loop = max(f.loop, bytes)
	}
	return f
}

// innerLoops returns for each block the last block of a loop without barriers of the work-group that begins there, or -1.
func innerLoops(k *isa.Kernel) []int {
	barriers := make([]int, len(k.Blocks)+1) // in front of each block
	for b := range k.Blocks {
		barriers[b+1] = barriers[b]
		if in := &k.Code[k.Blocks[b].End-1]; in.Op == isa.OpBarrier && isa.Scope(in.Imm2) != isa.ScopeSubgroup {
			barriers[b+1]++
		}
	}
	last := make([]int, len(k.Blocks))
	for b := range last {
		last[b] = -1
	}
	for b := range k.Blocks {
		k.Successors(b, func(to int) {
			if to <= b && barriers[to] == barriers[b+1] {
				last[to] = b
			}
		})
	}
	return last
}

// mentioned counts what instructions mention.
type mentioned struct {
	kernel  *isa.Kernel
	seen    [isa.NumBanks][]int // by register: the loop that mentioned it last
	loop    int
	bits    uint64 // of vector registers
	private bool   // private memory
}

// begin begins to count for a loop.
func (m *mentioned) begin() {
	m.loop++
	m.bits, m.private = 0, false
}

// block counts a block.
func (m *mentioned) block(b int) {
	for pc := m.kernel.Blocks[b].Start; pc < m.kernel.Blocks[b].End; pc++ {
		in := &m.kernel.Code[pc]
		m.register(m.kernel.Operands(in, m.register))
		switch in.Op.Info().Shape {
		case isa.ShapeLoad, isa.ShapeStore, isa.ShapeAtomic, isa.ShapeMemCopy:
			m.private = m.private || in.Space == isa.SpacePrivate || in.Space == isa.SpaceGeneric
		}
	}
}

// register counts a register.
func (m *mentioned) register(r isa.Reg, t isa.Type) {
	if !r.IsVector() {
		return
	}
	if at := &m.seen[t.Bank()][r.Index()]; *at != m.loop {
		*at = m.loop
		m.bits += uint64(t.Bits())
	}
}

// stateBytes returns the vector registers and the private memory of a lane in bytes; it need not be exact beyond most.
func stateBytes(k *isa.Kernel, most uint64) uint64 {
	bytes := uint64(0)
	for b, regs := range k.NumVector {
		size := uint64(1)
		if isa.Bank(b) != isa.BankMask {
			size = 1 << (isa.Bank(b) - isa.Bank8)
		}
		bytes += uint64(regs) * size
	}
	for i := range k.Private {
		bytes += min(k.Private[i].Size, most)
		if bytes > most {
			break
		}
	}
	return bytes
}
