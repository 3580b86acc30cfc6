package dma

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// The work-items of a mask that lie outside of the group are passed over
// everywhere, so that no caller can lead the unit out of its tables.

// each calls f for each of the items that are less than limit, in ascending order.
func (it *Items) each(limit int, f func(item int)) {
	for w, word := range it.Mask {
		for ; word != 0; word &= word - 1 {
			if i := it.First + w*64 + bits.TrailingZeros64(word); i >= 0 && i < limit {
				f(i)
			}
		}
	}
}

// all says whether the items are exactly those from 0 to limit.
func (it *Items) all(limit int) bool {
	words := (limit + 63) / 64
	if it.First != 0 || limit == 0 || len(it.Mask) < words {
		return false
	}
	for w, word := range it.Mask {
		want := uint64(0)
		if left := limit - w*64; left >= 64 {
			want = ^uint64(0)
		} else if left > 0 {
			want = 1<<left - 1
		}
		if word != want {
			return false
		}
	}
	return true
}

// has says whether item is one of the items.
func (it *Items) has(item int) bool {
	i := item - it.First
	return i >= 0 && i < len(it.Mask)*64 && it.Mask[i/64]>>(i%64)&1 != 0
}

// keep makes it a copy of from that is independent of the mask of from.
func (it *Items) keep(from Items) {
	mask := append(it.Mask[:0], from.Mask...)
	*it = from
	it.Mask = mask
}

// spans returns the items that are less than limit.
func (it *Items) spans(limit int) (s finding.Spans) {
	it.each(limit, func(i int) { s = s.Add(uint64(i)) })
	return s
}

// relation says how two sets of items lie to each other.
type relation uint8

const (
	disjoint relation = iota
	covers            // the first has all of the second
	partial
)

// relate compares two sets of items of one wave.
func (it *Items) relate(other *Items) relation {
	if it.First != other.First || len(it.Mask) != len(other.Mask) {
		return partial
	}
	common, rest := uint64(0), uint64(0)
	for i, word := range other.Mask {
		common |= word & it.Mask[i]
		rest |= word &^ it.Mask[i]
	}
	switch {
	case common == 0:
		return disjoint
	case rest == 0:
		return covers
	}
	return partial
}

// bitset is a set of small numbers.
type bitset []uint64

// reset makes it an empty set of numbers less than n.
func (b *bitset) reset(n int) {
	words := (n + 63) / 64
	if cap(*b) < words {
		*b = make(bitset, words)
	}
	*b = (*b)[:words]
	clear(*b)
}

func (b bitset) has(i int) bool { return i >= 0 && i < len(b)*64 && b[i/64]>>(i%64)&1 != 0 }

// add puts i in and says whether it is new.
func (b bitset) add(i int) bool {
	if b[i/64]>>(i%64)&1 != 0 {
		return false
	}
	b[i/64] |= 1 << (i % 64)
	return true
}

// first returns the least number, or 0 when there is none.
func (b bitset) first() int {
	for w, word := range b {
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return 0
}

// spans returns the numbers less than limit that are in the set, or that are not.
func (b bitset) spans(limit int, in bool) (s finding.Spans) {
	for i := range limit {
		if b.has(i) == in {
			s = s.Add(uint64(i))
		}
	}
	return s
}
