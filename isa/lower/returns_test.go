package lower_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// opsIn returns how many instructions of a kernel have an opcode.
func opsIn(k *isa.Kernel, op isa.Op) (n int) {
	for i := range k.Code {
		if k.Code[i].Op == op {
			n++
		}
	}
	return n
}

// TestReturns counts the returns that are left.
func TestReturns(t *testing.T) {
	for _, x := range []struct {
		name, body string
		want       int
	}{
		{"one way", `out[g] = n;`, 1},
		{"early return", `if (g >= n) return; out[g] = in[g];`, 1},
		{"return from a loop", `for (uint i = 0; i < n; i++) { if (in[i] == g) return; out[i] = g; } out[g] = n;`, 1},
		{"three returns", `if (g >= n) return; if (in[g] == 7) { out[g] = 1; return; } out[g] = in[g + 1];`, 1},
		{"a barrier behind it", `if (n == 7) return; l[g] = n; barrier(CLK_LOCAL_MEM_FENCE); out[g] = l[g ^ 1];`, 2},
		{"a sub-group operation behind it", `if (g == n) return; out[g] = sub_group_reduce_add(g);`, 2},
	} {
		if got := opsIn(kernelOf(t, x.body), isa.OpRet); got != x.want {
			t.Errorf("%s: %d returns, expected %d", x.name, got, x.want)
		}
	}
}

// TestFirstTest checks that a loop whose first test is known begins without it.
func TestFirstTest(t *testing.T) {
	for _, x := range []struct {
		name, body string
		want       int
	}{
		{"known", `for (int i = 0; i < 300; i++) s += in[i]; `, 1},
		{"unknown", `for (int i = 0; i < (int)n; i++) s += in[i];`, 2},
		{"never runs", `for (int i = 300; i < 300; i++) s += in[i];`, 0},
	} {
		if got := opsIn(kernelOf(t, x.body), isa.OpBrCond); got != x.want {
			t.Errorf("%s: %d conditional branches, expected %d", x.name, got, x.want)
		}
	}
}

// TestFlattenSteps checks that a pointer which is stepped by several indices is one index behind the argument.
func TestFlattenSteps(t *testing.T) {
	for _, x := range []struct {
		name, body string
		want       int // additions to pointers that are left
	}{
		{"one step", `global const uint *p = in + g; s = p[0] + p[1];`, 0},
		{"two steps", `int y = g / 5, w = n; global const uint *p = in + y * w + g; s = p[0] + p[-w - 1] + p[w + 1];`, 0},
		{"rows", `int y = g / 5, w = n; global const uint *r = in + y * w, *p = r + g; s = r[1] + p[w] + p[-w];`, 0},
	} {
		if got := opsIn(kernelOf(t, x.body), isa.OpPtrAdd); got != x.want {
			t.Errorf("%s: %d additions to pointers, expected %d", x.name, got, x.want)
		}
	}
}
