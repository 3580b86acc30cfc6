package isa

import "math/bits"

// maxLiveBits bounds what the analysis below may take, in bits.
const maxLiveBits = 1 << 30

// VectorReg is what a vector register is known by.
type VectorReg struct {
	Bank  Bank
	Index int
}

// Liveness is the registers that are live at the beginning of each block.
type Liveness struct {
	first [NumBanks]int // the number of each bank's first vector register
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
func (l *Liveness) waits(block, n int) bool {
	return l.last[n] > block || l.parked[n/64]>>(n%64)&1 != 0
}

// ScalarWaits says whether a lane that waits behind a block, or at a barrier, may read a scalar register that
// others are about to write there.
func (l *Liveness) ScalarWaits(block, index int) bool { return l.waits(block, l.scalars+index) }

// VectorWaits is ScalarWaits for a vector register.
func (l *Liveness) VectorWaits(block int, p VectorReg) bool {
	return l.waits(block, l.first[p.Bank]+p.Index)
}

// At says whether a vector register is live at the beginning of a block.
func (l *Liveness) At(block int, p VectorReg) bool { return l.has(block, l.first[p.Bank]+p.Index) }

// ScalarAt says whether a scalar register is live at the beginning of a block.
func (l *Liveness) ScalarAt(block, index int) bool { return l.has(block, l.scalars+index) }

// Vectors calls f for each vector register that is live at the beginning of a block.
func (l *Liveness) Vectors(block int, f func(VectorReg)) {
	bank := Bank(0)
	for i, x := range l.in[block*l.words:][:l.words] {
		for ; x != 0; x &= x - 1 {
			n := i*64 + bits.TrailingZeros64(x)
			if n >= l.scalars {
				return
			}
			for int(bank)+1 < len(l.first) && n >= l.first[bank+1] {
				bank++
			}
			f(VectorReg{bank, n - l.first[bank]})
		}
	}
}

func (l *Liveness) has(block, n int) bool { return l.in[block*l.words+n/64]>>(n%64)&1 != 0 }

// Liveness returns what is live in each block; nil for a kernel that has so many blocks and registers
// that it would take too long.
func (k *Kernel) Liveness() *Liveness {
	l := &Liveness{}
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
	number := func(r Reg, t Type) int {
		if r.IsScalar() {
			return l.scalars + r.Index()
		}
		return l.first[t.Bank()] + r.Index()
	}
	for b := range k.Blocks {
		gen, kill := in[b*words:][:words], kill[b*words:][:words]
		for pc := k.Blocks[b].Start; pc < k.Blocks[b].End; pc++ {
			d, t := k.Operands(&k.Code[pc], func(r Reg, t Type) {
				if r == None {
					return
				}
				n := number(r, t)
				gen[n/64] |= 1 << (n % 64) &^ kill[n/64]
			})
			if d != None {
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
		if end := &k.Code[k.Blocks[b].End-1]; end.Op == OpBarrier {
			for i, x := range in[end.Target0()*words:][:words] {
				l.parked[i] |= x
			}
		}
	}
	return l
}
