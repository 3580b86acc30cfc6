package native

import (
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

// TestWide is TestPrograms and TestSweep with work-groups as large as devices usually allow, each of them one
// wave.
func TestWide(t *testing.T) {
	n := amount(4, 6, 30)
	if *programCount > 0 {
		n = *programCount
	}
	each(t, func(t *testing.T, e Engine) {
		for seed := *programFirst; seed < *programFirst+n; seed++ {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				checkProgram(t, e, &source{state: uint64(seed) * 0x2545f4914f6cdd1d, wide: true})
				s := sourceOf(seed)
				s.wide = true
				p := generate(s)
				c := newSetting(s)
				c.Check = false
				reference, code := compile(t, interp.Engine{}, p.kernel), compile(t, e, p.kernel)
				for name, code := range map[string]engine.Code{"interp": reference, "native": code} {
					if name == "interp" && e.features&amd64.AVX512 != 0 && !testing.Short() {
						continue // the test for the other instruction set does this
					}
					if d := p.checkSweep(reference, code, c); d != "" {
						t.Fatalf("%s, %+v, work-group %v:\n%s\n%s", name, c, p.items, d, p.kernel.Text(&isa.Program{Kernels: []*isa.Kernel{p.kernel}}))
					}
				}
			})
		}
	})
}
