package native

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/scheduler"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// TestRest runs kernels once each, and collects garbage. Nothing may keep the memory of a launch that is
// over, also not the waves that wait for the next one, which a pool keeps until the next collection.
func TestRest(t *testing.T) {
	run := func(t *testing.T, e engine.Engine) {
		var list []*ran
		for seed := range 10 {
			w := newWritten(sourceOf(seed), fmt.Sprint("k", seed))
			module, err := asm.Assemble(w.spirvText(true), asm.Options{})
			if err != nil {
				t.Fatal(err)
			}
			program := lowered(t, module)
			code, err := e.Compile(program, program.Kernels[0])
			if err != nil {
				t.Fatal(err)
			}
			r, err := w.launch(program, program.Kernels[0], code, scheduler.Options{})
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, r)
		}
		runtime.GC()
		for i, r := range list {
			if r.memory.Value() != nil {
				t.Errorf("the memory of launch %d is still there", i)
			}
		}
	}
	t.Run("interp", func(t *testing.T) { run(t, interp.Engine{}) })
	each(t, func(t *testing.T, e Engine) { run(t, e) })
}
