package clc_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

// TestVariableOfMacro compiles a variable without an initializer whose name comes from a macro: its declaration has a
// place in the module, which is that of the macro's use.
func TestVariableOfMacro(t *testing.T) {
	const source = "#define VARIABLE(n) int x##n\nkernel void k(global int *a) {\n\tVARIABLE(1);\n\tif (a[0]) x1 = 2; else x1 = 3;\n\ta[1] = x1;\n}\n"
	if r, err := clc.Compile(t.Context(), clc.Source{Name: "k.cl", Text: source}, clc.Options{}); err != nil {
		t.Fatalf("%v\n%v", err, r)
	}
}
