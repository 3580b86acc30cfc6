package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
)

// readBeforeWrite returns the vector registers that some path from the entry
// reads before it writes them. They have to be cleared for every wave, so that
// what a kernel does with an undefined value is the same each time. rewritten says that some scalar register
// of which the same is true, those that hold a value from the start included, is written somewhere.
func (c *compiledKernel) readBeforeWrite() (list []span, rewritten bool) {
	k := c.kernel
	live := k.Liveness()
	if live == nil {
		return []span{{0, c.temp[0]}}, true
	}
	for i := range k.Code {
		if d, _ := k.Operands(&k.Code[i], func(isa.Reg, isa.Type) {}); d.IsScalar() {
			rewritten = rewritten || live.ScalarAt(0, d.Index())
		}
	}
	for b := range isa.NumBanks {
		for i := range k.NumVector[b] {
			if !live.At(0, isa.VectorReg{Bank: b, Index: i}) {
				continue
			}
			size := uint32(8)
			if b != isa.BankMask {
				size = 64 << (b - isa.Bank8)
			}
			start := c.layout.Bank[b] + uint32(i)*size
			if l := len(list); l > 0 && list[l-1].end == start {
				list[l-1].end += size
			} else {
				list = append(list, span{start, start + size})
			}
		}
	}
	return list, rewritten
}

// words returns how many words hold n bits.
func words(n int) int { return (n + 63) / 64 }

// lowest returns the first set bit of set at or behind from, or n.
func lowest(set []uint64, from, n int) int {
	if from >= n {
		return n
	}
	i := from / 64
	x := set[i] &^ (1<<(from%64) - 1)
	for x == 0 {
		i++
		if i >= len(set) {
			return n
		}
		x = set[i]
	}
	return i*64 + bits.TrailingZeros64(x)
}
