package lower_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestUnselect counts the accesses through a pointer for each lane, the others, and the conditional branches.
func TestUnselect(t *testing.T) {
	for _, x := range []struct {
		name, body string
		want       [3]int
	}{
		{"a load", `global const uint *p = g & 1 ? in : out; s = p[g];`, [3]int{0, 3, 1}},
		{"two loads", `global const uint *p = g & 1 ? in : out; s = p[g] + 3 * p[g + 1];`, [3]int{0, 5, 1}},
		{"a load at another's result", `global const uint *p = g & 1 ? in : out; s = p[p[g]];`, [3]int{0, 5, 2}},
		{"a store", `global uint *p = g & 1 ? (global uint *)in : out; p[g] = 7;`, [3]int{0, 3, 1}},
		{"pointers that differ by lane", `global const uint *p = g & 1 ? in + 2 * g : out + 3 * g; s = p[n];`, [3]int{0, 3, 1}},
		{"three objects", `global const uint *p = g & 1 ? in : g & 2 ? out : (global uint *)v; s = p[g];`, [3]int{0, 4, 2}},
		{"one object", `global const uint *p = g & 1 ? in + 1 : in + n; s = p[g];`, [3]int{1, 1, 0}},
		{"for all lanes", `global const uint *p = n & 1 ? in : out; s = p[g];`, [3]int{0, 2, 0}},
		{"a store between", `global uint *p = g & 1 ? (global uint *)in : out; s = p[g]; p[g + 1] = s;`, [3]int{0, 5, 2}},
	} {
		var got [3]int
		k := kernelOf(t, x.body)
		for i := range k.Code {
			switch in := &k.Code[i]; in.Op {
			case isa.OpLoad, isa.OpStore:
				if in.A.IsVector() {
					got[0]++
				} else {
					got[1]++
				}
			case isa.OpBrCond:
				got[2]++
			}
		}
		if got != x.want {
			t.Errorf("%s: %d accesses through pointers of the lanes, others and branches, expected %d", x.name, got, x.want)
		}
	}
}
