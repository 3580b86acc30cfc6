package clc_test

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// SPIR-V's execution mode has no sign, and the name is still the source's.
func TestVecTypeHint(t *testing.T) {
	for _, name := range []string{"char", "uchar2", "ushort3", "short3", "uint4", "uint", "int4", "ulong8", "long16", "half2", "float4", "double16"} {
		res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl",
			Text: "kernel __attribute__((vec_type_hint(" + name + "))) void k(global uint *p) { *p = 0; }"}, clc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		info, err := spirv.Reflect(res.Module)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.EntryPoints[0].VecTypeHint; got != name {
			t.Errorf("the hint %s reads %q", name, got)
		}
	}
}
