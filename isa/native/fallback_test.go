package native

import (
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
)

// TestRefusedMemory sees that a kernel runs all the same where the system gives no memory for its code,
// and says so.
func TestRefusedMemory(t *testing.T) {
	refusal := errors.New("not today")
	each(t, func(t *testing.T, e Engine) {
		p := generate(&source{state: 1})
		program := &isa.Program{Kernels: []*isa.Kernel{p.kernel}}
		for _, refuse := range []bool{false, true} {
			asked := 0
			e.on = processor{func(text ...[]byte) (*codemem.Code, error) {
				asked++
				if refuse {
					return nil, refusal
				}
				return codemem.Load(text...)
			}}
			code, err := e.Compile(program, p.kernel)
			if err != nil {
				t.Fatal(err)
			}
			var why error
			if f, ok := code.(engine.Fallback); ok {
				why = f.Fallback()
			}
			if asked != 1 || refuse != (why != nil) || refuse && !errors.Is(why, refusal) {
				t.Errorf("refusing %t, asked %d times: %v", refuse, asked, why)
			}
			reference, err := interp.Engine{}.Compile(program, p.kernel)
			if err != nil {
				t.Fatal(err)
			}
			if d := p.compare(reference, code, setting{Width: 64, Subgroup: 32, Quantum: 3}); d != "" {
				t.Errorf("refusing %t: %s", refuse, d)
			}
		}
	})
}
