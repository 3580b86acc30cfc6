package lower_test

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// kernelOf compiles the body of kernel f, and lowers it.
func kernelOf(t *testing.T, body string) *isa.Kernel {
	t.Helper()
	src := "kernel void f(global uint *out, global const uint *in, local uint *l, volatile global uint *v, uint n) {\n" +
		"  uint g = get_global_id(0), s = 0;\n" + body + "\n  out[g] = s;\n}\n"
	res, err := clc.Compile(context.Background(), clc.Source{Name: "f.cl", Text: src}, clc.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	p, err := lower.Program(res.Module, lower.Options{SubgroupSize: 32})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Kernels[0].Verify(); err != nil {
		t.Error(err)
	}
	return p.Kernels[0]
}

// TestRotate says which loops test at their end, with a copy of the test ahead of them: behind the copy a branch leads
// around the loop.
func TestRotate(t *testing.T) {
	for _, x := range []struct {
		name, body string
		want       bool
	}{
		{"for", `for (uint i = 0; i < n; i++) l[i] = g;`, true},
		{"while of one lane", `while (s < in[g]) s += 3;`, true},
		{"for with a break", `for (uint i = 0; i < n; i++) { if (in[i] == g) break; out[i] = g; s = i; }`, true},
		{"value used behind", `uint i = g; for (; i < n; i++) l[i] = g; s = i;`, true},
		{"do", `do l[s] = g; while (s++ < n);`, false},
		{"without an end", `for (;; s++) { out[s] = g; if (in[s] == g) break; l[s] = 1; }`, false},
		{"a long test", `while (in[s] + in[s + 1] * in[s + 2] + in[s + 3] * in[s + 4] + in[s + 5] * in[s + 6] < n) out[s++] = g;`, false},
		{"a test across lanes", `while (sub_group_any(s < n)) l[s++] = g;`, false},
		{"an atomic operation in the test", `while (atomic_inc(out) < n) l[s++] = g;`, false},
	} {
		k := kernelOf(t, x.body)
		around := false
		for i, b := range k.Blocks {
			end := k.Code[b.End-1]
			if b.Loop == 0 && end.Op == isa.OpBrCond && i+1 < len(k.Blocks) && k.Blocks[end.Target0()].Loop+k.Blocks[end.Target1()].Loop == 0 {
				around = true
			}
		}
		if around != x.want {
			t.Errorf("%s: a test ahead of the loop: %v, expected %v", x.name, around, x.want)
		}
	}
}
