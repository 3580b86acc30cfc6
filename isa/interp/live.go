package interp

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa"
)

// maxLiveBits bounds what the analysis below may take, in bits.
const maxLiveBits = 1 << 30

// liveness is the registers that are live at the beginning of each block.
type liveness struct {
	first [isa.NumBanks]int // the number of each bank's first vector register
	// scalars is the number of the first scalar register.
	scalars int
	words   int
	in      []uint64 // by block, a bit for each register
	// last has, for each register, the last block at whose beginning it is live, or -1.
	last []int
	// parked has those that are live where a barrier leads to: lanes may be waiting there.
	parked []uint64
}

// waits says whether a lane that waits behind a block, or at a barrier, may read a register that others are
// about to write there.
func (l *liveness) waits(block, n int) bool {
	return l.last[n] > block || l.parked[n/64]>>(n%64)&1 != 0
}

// scalarWaits is waits for a scalar register, vectorWaits for a vector register.
func (l *liveness) scalarWaits(block, index int) bool { return l.waits(block, l.scalars+index) }

func (l *liveness) vectorWaits(block int, p vectorReg) bool {
	return l.waits(block, l.first[p.bank]+p.index)
}

// at says whether a vector register is live at the beginning of a block.
func (l *liveness) at(block int, p vectorReg) bool { return l.has(block, l.first[p.bank]+p.index) }

// scalarAt says whether a scalar register is live at the beginning of a block.
func (l *liveness) scalarAt(block, index int) bool { return l.has(block, l.scalars+index) }

// vectors calls f for each vector register that is live at the beginning of a block.
func (l *liveness) vectors(block int, f func(vectorReg)) {
	bank := isa.Bank(0)
	for i, x := range l.in[block*l.words:][:l.words] {
		for ; x != 0; x &= x - 1 {
			n := i*64 + bits.TrailingZeros64(x)
			if n >= l.scalars {
				return
			}
			for int(bank)+1 < len(l.first) && n >= l.first[bank+1] {
				bank++
			}
			f(vectorReg{bank, n - l.first[bank]})
		}
	}
}

func (l *liveness) has(block, n int) bool { return l.in[block*l.words+n/64]>>(n%64)&1 != 0 }

// liveRegisters returns what is live in each block; nil for a kernel that has so many blocks and registers
// that it would take too long.
func (c *compiledKernel) liveRegisters() *liveness {
	k := c.kernel
	l := &liveness{}
	for b, n := range k.NumVector {
		l.first[b] = l.scalars
		l.scalars += n
	}
	words := (l.scalars + k.NumScalar + 63) / 64
	if words*64 > maxLiveBits/2/len(k.Blocks) {
		return nil
	}
	in := make([]uint64, words*len(k.Blocks))   // live at the start of a block
	kill := make([]uint64, words*len(k.Blocks)) // written in the block
	l.words, l.in = words, in
	number := func(r isa.Reg, t isa.Type) int {
		if r.IsScalar() {
			return l.scalars + r.Index()
		}
		return l.first[t.Bank()] + r.Index()
	}
	for b := range k.Blocks {
		gen, kill := in[b*words:][:words], kill[b*words:][:words]
		for pc := k.Blocks[b].Start; pc < k.Blocks[b].End; pc++ {
			d, t := k.Operands(&k.Code[pc], func(r isa.Reg, t isa.Type) {
				if r == isa.None {
					return
				}
				n := number(r, t)
				gen[n/64] |= 1 << (n % 64) &^ kill[n/64]
			})
			if d != isa.None {
				n := number(d, t)
				kill[n/64] |= 1 << (n % 64)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for b := len(k.Blocks) - 1; b >= 0; b-- {
			live, kill := in[b*words:][:words], kill[b*words:][:words]
			k.Successors(b, func(s int) {
				for i, x := range in[s*words:][:words] {
					if x &^= kill[i] | live[i]; x != 0 {
						live[i] |= x
						changed = true
					}
				}
			})
		}
	}
	l.last, l.parked = make([]int, words*64), make([]uint64, words)
	for n := range l.last {
		l.last[n] = -1
	}
	for b := range k.Blocks {
		for i, x := range in[b*words:][:words] {
			for ; x != 0; x &= x - 1 {
				l.last[i*64+bits.TrailingZeros64(x)] = b
			}
		}
		if end := &k.Code[k.Blocks[b].End-1]; end.Op == isa.OpBarrier {
			for i, x := range in[end.Target0()*words:][:words] {
				l.parked[i] |= x
			}
		}
	}
	return l
}

// readBeforeWrite returns the vector registers that some path from the entry
// reads before it writes them. They have to be cleared for every wave, so that
// what a kernel does with an undefined value is the same each time. rewritten says that some scalar register
// of which the same is true, those that hold a value from the start included, is written somewhere.
func (c *compiledKernel) readBeforeWrite() (list []span, rewritten bool) {
	k := c.kernel
	if c.live == nil {
		return []span{{0, c.temp[0]}}, true
	}
	for i := range k.Code {
		if d, _ := k.Operands(&k.Code[i], func(isa.Reg, isa.Type) {}); d.IsScalar() {
			rewritten = rewritten || c.live.scalarAt(0, d.Index())
		}
	}
	for b := range isa.NumBanks {
		for i := range k.NumVector[b] {
			if !c.live.at(0, vectorReg{b, i}) {
				continue
			}
			size := uint32(8)
			if b != isa.BankMask {
				size = 64 << (b - isa.Bank8)
			}
			start := c.bank[b] + uint32(i)*size
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
