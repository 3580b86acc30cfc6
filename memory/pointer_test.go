package memory

import (
	"math"
	"testing"
)

// TestFar moves pointers beyond what an offset can say, and back by the same distance, in steps of many
// kinds.
func TestFar(t *testing.T) {
	const half = 1 << (OffsetBits - 1)
	for _, steps := range [][]int64{
		{half, half},
		{-half, -half},
		{half, -half},
		{-half, half},
		{-half - 1, half + 1},
		{half / 2, half / 2, half / 2, half / 2},
		{half, half / 2, half / 2, 0},
		{-half, 0, half},
		{1 << 61, 1 << 61, 1 << 61, 1 << 61, 1 << 61, 1 << 61, 1 << 61, 1 << 61},
		{math.MaxInt64, math.MaxInt64, 2},
		{math.MinInt64, math.MinInt64},
		{math.MaxInt64, -math.MaxInt64},
		{5, half - 5, 1 - half, -1},
	} {
		for _, base := range []Pointer{0, MakePointer(SpaceGlobal, 1, 0), MakePointer(SpaceLocal, MaxAllocs, 0)} {
			p := base
			for _, d := range steps {
				p = p.Add(d)
			}
			if p.Offset() != FarOffset || !p.Far() || p.Base() != base.Base() {
				t.Errorf("%s in steps of %d is %s", base, steps, p)
			}
		}
	}
	// What stays within an offset comes back.
	for _, d := range []int64{half - 1, 1 - half, 5} {
		if p := MakePointer(SpaceGlobal, 1, 0); p.Add(d).Far() || p.Add(d).Add(-d) != p {
			t.Errorf("%s moved by %d and back is %s", p, d, p.Add(d).Add(-d))
		}
	}
	if g := NewGlobal(1); g.Pack32(nil, nil, Pointer(0).Add(half)) == 0 {
		t.Error("a pointer far from null is null in 32 bits")
	}
}

// TestMinus subtracts pointers into one allocation and into others.
func TestMinus(t *testing.T) {
	offsets := []int64{FarOffset, FarOffset + 1, -5, -1, 0, 1, 7, MaxSize - 1, MaxOffset}
	var all []Pointer
	for _, space := range []Space{SpaceGlobal, SpaceLocal} {
		for _, alloc := range []uint32{1, 2, MaxAllocs} {
			for _, o := range offsets {
				all = append(all, MakePointer(space, alloc, o))
			}
		}
	}
	for _, p := range all {
		for _, q := range all {
			d := p.Minus(q)
			switch {
			case p.Base() == q.Base() && d != p.Offset()-q.Offset():
				t.Errorf("%s - %s = %d, want %d", p, q, d, p.Offset()-q.Offset())
			case d == 0 && p != q:
				t.Errorf("%s - %s = 0", p, q)
			case d != -q.Minus(p):
				t.Errorf("%s - %s = %d, but %d the other way", p, q, d, q.Minus(p))
			}
		}
	}
}
