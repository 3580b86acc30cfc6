// Package geometry computes which bytes a box of two or three dimensions has in memory, and copies and fills boxes. It
// knows nothing of buffers and images: they are bytes with pitches.
package geometry

import (
	"math/bits"

	"github.com/lockstep-gpu/lockstep/memory"
)

// Box is Rows×Slices rows of Bytes bytes: the first one at Start, with RowPitch bytes from row to row and SlicePitch
// bytes from slice to slice.
type Box struct {
	Start, RowPitch, SlicePitch uint64
	Bytes, Rows, Slices         uint64
}

// At moves the box by x bytes, y rows and z slices. It is false when the place is beyond what can be addressed.
func (b Box) At(x, y, z uint64) (Box, bool) {
	start, ok := sum(b.Start, x, [2]uint64{y, b.RowPitch}, [2]uint64{z, b.SlicePitch})
	b.Start = start
	return b, ok
}

// End is the offset behind the last byte. It is false when that is beyond what can be addressed. An empty box ends
// where it starts.
func (b Box) End() (uint64, bool) {
	if b.Empty() {
		return b.Start, true
	}
	return sum(b.Start, b.Bytes, [2]uint64{b.Rows - 1, b.RowPitch}, [2]uint64{b.Slices - 1, b.SlicePitch})
}

// Empty says that the box has no bytes.
func (b Box) Empty() bool { return b.Bytes == 0 || b.Rows == 0 || b.Slices == 0 }

// sum is a + b + the products, and whether it is less than 2^63.
func sum(a, b uint64, products ...[2]uint64) (uint64, bool) {
	total, carry := bits.Add64(a, b, 0)
	for _, p := range products {
		hi, lo := bits.Mul64(p[0], p[1])
		var c uint64
		total, c = bits.Add64(total, lo, 0)
		carry |= hi | c
	}
	return total, carry == 0 && total < 1<<63
}

// Solid says that the bytes of the box follow each other without gaps.
func (b Box) Solid() bool {
	return (b.Rows == 1 || b.RowPitch == b.Bytes) && (b.Slices == 1 || b.SlicePitch == b.Bytes*b.Rows)
}

// rows calls f with the offset of each row in two boxes of the same extents.
func rows(a, b Box, f func(a, b, n uint64)) {
	switch {
	case a.Empty():
		return
	case a.Solid() && b.Solid():
		f(a.Start, b.Start, a.Bytes*a.Rows*a.Slices)
		return
	}
	for z := range a.Slices {
		for y := range a.Rows {
			f(a.Start+z*a.SlicePitch+y*a.RowPitch, b.Start+z*b.SlicePitch+y*b.RowPitch, a.Bytes)
		}
	}
}

// Copy copies a box of src to one of dst with the same extents. Both must be inside.
func Copy(dst []byte, to Box, src []byte, from Box) {
	rows(to, from, func(d, s, n uint64) { memory.Copy(dst[d:][:n], src[s:][:n]) })
}

// Fill repeats the pattern over the rows of a box. Bytes is a multiple of the pattern's length.
func Fill(dst []byte, to Box, pattern []byte) {
	if len(pattern) == 0 {
		return
	}
	rows(to, to, func(d, _, n uint64) {
		row := dst[d:][:n]
		for done := copy(row, pattern); done < len(row); done *= 2 {
			copy(row[done:], row[:done])
		}
	})
}

// Overlap says whether two boxes of the same extents and pitches in the same memory have a byte in common.
func Overlap(a, b Box) bool {
	if a.Empty() {
		return false
	}
	if a.Start > b.Start {
		a, b = b, a
	}
	end, _ := a.End()
	if b.Start >= end {
		return false
	}
	// Rows of b begin at dx bytes behind rows of a, and its slices at dy: both wrap at the pitches.
	delta := b.Start - a.Start
	slice := a.Bytes + (a.Rows-1)*a.RowPitch
	if a.Slices > 1 && a.SlicePitch != 0 {
		if dy := delta % a.SlicePitch; dy >= slice && dy+slice <= a.SlicePitch {
			return false
		}
	}
	if (a.Rows > 1 || a.Slices > 1) && a.RowPitch != 0 {
		if dx := delta % a.RowPitch; dx >= a.Bytes && dx+a.Bytes <= a.RowPitch {
			return false
		}
	}
	return true
}
