package tree

import "testing"

// TestSlab marks and resets a slab: what was handed out before the mark stays, and what was handed out behind it is
// handed out again.
func TestSlab(t *testing.T) {
	var s Slab[int]
	var kept []*int
	for i := range 3 * slabLen {
		p := s.Next()
		*p = i
		kept = append(kept, p)
	}
	s.Mark()
	var first []*int
	for round := range 3 {
		s.Reset()
		for i := range 5 * slabLen {
			p := s.Next()
			if round == 0 {
				first = append(first, p)
			} else if p != first[i] {
				t.Fatalf("round %d, value %d is not handed out again", round, i)
			}
			*p = -1
		}
	}
	for i, p := range kept {
		if *p != i {
			t.Fatalf("value %d from before the mark is %d", i, *p)
		}
	}
	s.Reset()
	*s.Next() = 7
	s.Mark()
	for range 6 * slabLen {
		*s.Next() = -1
	}
	if *first[0] != 7 {
		t.Error("a value from before the second mark is handed out again")
	}
}

// TestSlabTake takes lists of all lengths, which have no room that others have as well.
func TestSlabTake(t *testing.T) {
	var s Slab[int]
	var lists [][]int
	for n := range 3 * slabLen {
		list := s.Take(n)
		if len(list) != n || cap(list) != n {
			t.Fatalf("length %d and capacity %d, want %d", len(list), cap(list), n)
		}
		for i := range list {
			list[i] = n
		}
		lists = append(lists, list)
	}
	for n, list := range lists {
		for _, v := range list {
			if v != n {
				t.Fatalf("list %d has a value of list %d", n, v)
			}
		}
	}
}
