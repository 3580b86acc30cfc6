package lower_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// loadsIn returns how many instructions of a kernel load, outside of loops and in them.
func loadsIn(k *isa.Kernel) (n [2]int) {
	for _, b := range k.Blocks {
		for _, in := range k.Code[b.Start:b.End] {
			if in.Op == isa.OpLoad {
				n[min(b.Loop, 1)]++
			}
		}
	}
	return n
}

// TestLoads counts the loads that are left, outside of loops and in them.
func TestLoads(t *testing.T) {
	for _, x := range []struct {
		name, body string
		want       [2]int
	}{
		{"twice", `s = in[g] * (in[g] + 1);`, [2]int{1, 0}},
		{"a vector twice", `global const uint4 *p = (global const uint4 *)in; uint4 a = p[g], b = p[g]; s = a.x * b.y;`, [2]int{4, 0}},
		{"two components", `global const uint4 *p = (global const uint4 *)in; s = p[g].x * p[g].y + p[g].x;`, [2]int{2, 0}},
		{"other places", `s = in[g] * in[g + 1];`, [2]int{2, 0}},
		{"other widths", `s = in[g] + ((global const uchar *)in)[4 * g];`, [2]int{2, 0}},
		{"volatile", `s = v[g] + v[g];`, [2]int{2, 0}},
		{"a store between", `s = in[g]; out[g + 1] = s; s += in[g];`, [2]int{2, 0}},
		{"a store to LDS between", `s = in[g]; l[g] = s; s += in[g];`, [2]int{1, 0}},
		{"a barrier between", `s = in[g]; barrier(CLK_GLOBAL_MEM_FENCE); s += in[g];`, [2]int{2, 0}},
		{"a fence between", `s = in[g]; mem_fence(CLK_GLOBAL_MEM_FENCE); s += in[g];`, [2]int{2, 0}},
		{"an atomic operation between", `s = in[g]; atomic_inc(out + n); s += in[g];`, [2]int{2, 0}},
		{"a volatile load between", `s = in[g]; s += v[g]; s += in[g];`, [2]int{3, 0}},
		{"in one way", `s = in[g]; if (n > g) { l[g] = 1; s += in[g]; }`, [2]int{1, 0}},
		{"behind a way that stores", `s = in[g]; if (n > g) out[n] = 1; s += in[g];`, [2]int{2, 0}},
		{"behind ways that do not", `s = in[g]; if (n > g) l[g] = 1; s += in[g];`, [2]int{1, 0}},
		{"both ways", `if (n > g) { l[g] = in[g]; } else { l[g + 1] = in[g] + 2; s = 7; }`, [2]int{1, 0}},
		{"one way and behind", `if (n > g) { l[g] = in[g]; } s = in[g];`, [2]int{1, 0}},
		{"one way only", `if (n > g) { l[g] = in[g]; }`, [2]int{1, 0}},
		{"both ways, behind a store", `if (n > g) { out[n] = 1; l[g] = in[g]; } else { l[g] = in[g] + 2; }`, [2]int{2, 0}},
		{"all cases", `switch (n) { case 1: l[g] = in[g]; break; case 2: l[g] = in[g] * 3; break; default: l[g] = in[g] + 2; }`, [2]int{1, 0}},
		{"limit of a loop", `for (uint i = 0; i < in[n]; i++) l[i] = g;`, [2]int{1, 0}},
		{"in a loop", `for (uint i = 0; i < n; i++) l[i] = in[g] + i;`, [2]int{1, 0}},
		{"in two loops", `for (uint i = 0; i < n; i++) { uint j = 0; do l[i + j] = in[g] + i; while (++j < n); }`, [2]int{1, 0}},
		{"in a loop that may not run", `for (uint i = 0; i < n; i++) for (uint j = 0; j < i; j++) l[i + j] = in[g] + i;`, [2]int{0, 1}},
		{"at a place that changes", `for (uint i = 0; i < n; i++) l[i] = in[i];`, [2]int{0, 1}},
		{"in a loop that stores", `for (uint i = 0; i < n; i++) out[i] = in[g] + i;`, [2]int{0, 1}},
		{"in a loop with a barrier", `for (uint i = 0; i < n; i++) { l[i] = in[g]; barrier(CLK_LOCAL_MEM_FENCE); }`, [2]int{0, 1}},
		{"in a part of a loop", `for (uint i = 0; i < n; i++) if (i > g) l[i] = in[g];`, [2]int{0, 1}},
		{"until a flag changes", `while (v[n] == 0) l[g] = 1;`, [2]int{1, 1}},
	} {
		if got := loadsIn(kernelOf(t, x.body)); got != x.want {
			t.Errorf("%s: %d loads outside of loops and in them, expected %d", x.name, got, x.want)
		}
	}
}
