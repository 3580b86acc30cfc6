package isa_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

func TestPads(t *testing.T) {
	a := isa.Alloc{Size: 36, Elem: isa.Elem{Size: 12}, Padding: []isa.Padding{{From: 1, To: 4}, {From: 10, To: 12}}}
	for _, c := range []struct {
		off, n uint64
		want   bool
	}{
		{0, 1, false}, {1, 3, true}, {2, 2, true}, {3, 2, false}, {10, 2, true}, {11, 2, false}, {22, 2, true}, {25, 3, true}, {24, 4, false},
	} {
		if got := a.Pads(c.off, c.n); got != c.want {
			t.Errorf("%d bytes at %d are padding: %v", c.n, c.off, got)
		}
	}
	if (&isa.Alloc{Size: 4}).Pads(0, 4) {
		t.Error("padding of a type without any")
	}
}
