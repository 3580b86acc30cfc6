package differ

import "testing"

// TestFloatOf looks at types of parameters, as different compilers name them.
func TestFloatOf(t *testing.T) {
	for typ, want := range map[string]string{"float*": "float", "global float4*": "float", "const double *": "double", "half": "half",
		"my_float4*": "", "struct my_float4*": "", "struct float4 *": "", "int*": "", "float_pair": ""} {
		if got := floatOf(typ); got != want {
			t.Errorf("%s: %q, want %q", typ, got, want)
		}
	}
}
