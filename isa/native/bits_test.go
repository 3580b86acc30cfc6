package native

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// TestPlain runs what has other code on processors with AVX-512 that do not have its extensions.
func TestPlain(t *testing.T) {
	each(t, func(t *testing.T, e Engine) {
		if e.features&amd64.AVX512 == 0 {
			t.Skip("not of AVX-512")
		}
		e.features &= amd64.AVX2 | amd64.AVX512
		instructions(func(name string, in isa.Inst, types [4]isa.Type, n int) {
			if in.Op == isa.OpPopCount {
				t.Run(name, func(t *testing.T) { testInstruction(t, e, in, types, n) })
			}
		})
	})
}
