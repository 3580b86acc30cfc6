package native

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
)

// TestDropped compiles kernels, runs and drops them, and sees that the memory of their code goes back to the
// system.
func TestDropped(t *testing.T) {
	n := 4000
	if testing.Short() {
		n = 400
	}
	p := newProgram()
	x := p.load(1, isa.I32)
	p.emit(isa.Inst{Op: isa.OpAdd, Type: isa.I32, Dst: x, A: x, B: x})
	p.store(x, isa.I32)
	p.emit(isa.Inst{Op: isa.OpRet})
	data := contents(rand.New(rand.NewPCG(5, 6)))
	settle := func(at int64) bool {
		for range 1000 {
			runtime.GC()
			if codemem.Mapped() <= at {
				return true
			}
			runtime.Gosched()
		}
		return false
	}
	eachAlone(t, func(t *testing.T, e Engine) {
		settle(0)
		before, most := codemem.Mapped(), int64(0)
		mapped := false
		for i := range n {
			code := compile(t, e, p.k)
			if i%16 == 0 {
				run(t, code, p.k, data, nil)
			}
			mapped = mapped || codemem.Mapped() > before
			most = max(most, codemem.Mapped())
		}
		if !mapped {
			t.Error("no kernel has machine code")
		}
		if most > before+256<<20 {
			t.Errorf("%d bytes of code were mapped at a time", most)
		}
		if !settle(before) {
			t.Errorf("%d bytes are mapped, %d before", codemem.Mapped(), before)
		}
	})
}
