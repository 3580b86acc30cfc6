package memory

import "testing"

// TestMinus subtracts pointers into one allocation and into others.
func TestMinus(t *testing.T) {
	offsets := []int64{FarOffset, FarOffset + 1, -5, -1, 0, 1, 7, MaxSize - 1}
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
