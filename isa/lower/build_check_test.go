package lower_test

import (
	"context"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// TestChecks counts the checks of what the language leaves undefined: none in kernels of other launches, none that ranges
// answer, and fewer in modules whose optimizer runs instructions that the source does not.
func TestChecks(t *testing.T) {
	for name, c := range map[string]struct {
		source     string
		checks     int
		speculated int
	}{
		"sum":               {"o[0] += i;", 1, 0},
		"sum of small":      {"o[0] = (i & 255) + (int)get_local_id(0) - 7;", 0, 0},
		"product":           {"o[0] = i * 3;", 1, 0},
		"product of small":  {"o[0] = (i & 255) * (o[1] & 255);", 0, 0},
		"negative of small": {"o[0] = -(i & 255);", 0, 0},
		"unsigned":          {"uint u = i; o[0] = u * u + 1;", 0, 0},
		"conversion":        {"o[0] = (int)f;", 1, 0},
		"saturation":        {"o[0] = convert_int_sat(f);", 0, 0},
		"member":            {"o[0] = ((global struct s *)o)->a[i];", 1, 1},
		"member in range":   {"o[0] = ((global struct s *)o)->a[i & 3];", 0, 0},
		"constant member":   {"o[0] = ((global struct s *)o)->a[3];", 0, 0},
		"address of member": {"o[0] = &((global struct s *)o)->a[i] == o;", 0, 0},
		"whole variable":    {"int a[4]; a[i] = 1; o[0] = a[1];", 0, 0},
		"row":               {"int a[4][4]; a[i & 3][i] = 1; o[0] = a[1][2];", 1, 1},
		"first row":         {"int a[4][4]; a[0][i] = 1; o[0] = a[1][2];", 1, 0},
		"pointers":          {"o[0] = o + i - p;", 1, 1},
		"one pointer":       {"o[0] = o - o;", 0, 0},
		"bytes":             {"o[0] = (size_t)o - (size_t)p;", 0, 0},
	} {
		// The parameter of the other function is used where it stands, as those in optimized modules are.
		source := "struct s { int a[4], b[4]; };\n#ifdef OPTIMIZED\nint other(read_only image2d_t m) { return get_image_width(m); }\n#endif\nkernel void k(global int *o, global int *p, int i, float f) { " + c.source + " }"
		res, err := clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: source}, clc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		count := func(checked bool) (n int) {
			compiler, err := lower.NewCompiler(res.Module, lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			lowering := compiler.Kernel
			if checked {
				lowering = compiler.CheckedKernel
			}
			p, err := lowering(context.Background(), "k")
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range p.Kernels[0].Code {
				if in.Op == isa.OpCheck {
					n++
				}
			}
			if n != len(p.Kernels[0].Checks) {
				t.Errorf("%s: %d checks, and %d in the table", name, n, len(p.Kernels[0].Checks))
			}
			return n
		}
		if n := count(true); n != c.checks {
			t.Errorf("%s: %d checks, want %d", name, n, c.checks)
		}
		if n := count(false); n != 0 {
			t.Errorf("%s: %d checks in a kernel without", name, n)
		}
		res.Module.Generator = 6 << 16 // Khronos' translator of LLVM
		if n := count(true); n != c.checks {
			t.Errorf("%s, made with LLVM without optimization: %d checks, want %d", name, n, c.checks)
		}
		if res, err = clc.Compile(context.Background(), clc.Source{Name: "k.cl", Text: "#define OPTIMIZED\n" + source}, clc.Options{}); err != nil {
			t.Fatal(err)
		}
		res.Module.Generator = 6 << 16
		if n := count(true); n != c.speculated {
			t.Errorf("%s, made with LLVM: %d checks, want %d", name, n, c.speculated)
		}
	}
}
