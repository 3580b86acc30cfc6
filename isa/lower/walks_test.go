package lower_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
)

// TestWalks says behind which pointers loops access memory: those that walk by the same steps in all lanes have
// a base that walks in a scalar register.
func TestWalks(t *testing.T) {
	for _, x := range []struct {
		name, body string
		want       bool // all accesses in loops are behind scalar pointers
	}{
		{"column", `global const uint *p = in + (int)g; for (uint i = 0; i < n; i++) { s += *p; p += (int)n; }`, true},
		{"stored", `global uint *p = out + (int)g; for (uint i = 0; i < n; i++) { *p = i; p += 3; }`, true},
		{"step ahead of the load", `global const uint *p = in + (int)g; for (uint i = 0; i < n; i++) { p += (int)n; s += *p; }`, true},
		{"near", `global const uint *p = in + (int)g; for (uint i = 0; i < n; i++) { s += p[(int)n + 2] + p[7]; p += 2; }`, true},
		{"on in another loop", `global const uint *p = in + (int)g; for (int i = 0; i < 1000; i++) { s += *p; p += (int)n; }
			for (int i = 1000; i < (int)n; i++) { s ^= *p; p += (int)n; }`, true},
		{"another step in another loop", `global const uint *p = in + (int)g; for (int i = 0; i < 1000; i++) { s += *p; p += (int)n; }
			for (int i = 1000; i < (int)n; i++) { s ^= *p; p += 2; }`, false},
		{"changing step", `global const uint *p = in + (int)g; for (int i = 0; i < (int)n; i++) { s += *p; p += i; }`, false},
		{"back", `global const uint *p = in + (int)g; for (uint i = 0; i < n; i++) { s += *p; p -= (int)n; }`, false},
		{"step of each lane", `global const uint *p = in + (int)g; for (uint i = 0; i < n; i++) { s += *p; p += (int)g; }`, false},
		{"index that may be far", `global const uint *p = in + (get_global_id(0) << 40); for (uint i = 0; i < n; i++) { s += *p; p += 1; }`, false},
		{"compared", `global const uint *p = in + (int)g, *end = in + in[g]; while (p < end) { s += *p; p += 1; }`, false},
		{"far load", `global const uint *p = in + (int)g; for (uint i = 0; i < n; i++) { s += p[(long)n << 36]; p += 1; }`, false},
	} {
		k := kernelOf(t, x.body)
		scalar, found := true, false
		for _, b := range k.Blocks {
			for i := b.Start; i < b.End; i++ {
				in := k.Code[i]
				if b.Loop > 0 && (in.Op == isa.OpLoad || in.Op == isa.OpStore) && in.Space == isa.SpaceGlobal {
					found, scalar = true, scalar && in.A.IsScalar()
				}
			}
		}
		if !found || scalar != x.want {
			t.Errorf("%s: accesses in loops %v, behind scalar pointers %v, expected %v", x.name, found, scalar, x.want)
		}
	}
}
