package native

import (
	"fmt"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/native/portable"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
)

// eachPortable runs a test on engines whose machine form package portable runs, for each instruction set, and
// with virtual registers as well as with those of the processor. No processor has a part in it.
func eachPortable(t *testing.T, f func(t *testing.T, e Engine)) {
	t.Helper()
	if !portable.Supported() {
		t.Skip(portable.ErrUnsupported)
	}
	for _, set := range sets {
		for _, virtual := range []bool{false, true} {
			name := set.name
			if virtual {
				name += ", virtual registers"
			}
			t.Run(name, func(t *testing.T) {
				e := portableEngine(set.features, virtual)
				e.failed = func(err error) { t.Error(err) }
				f(t, e)
			})
		}
	}
}

// TestPortablePrograms runs random programs in package portable and on package interp.
func TestPortablePrograms(t *testing.T) {
	n := amount(6, 12, 200)
	eachPortable(t, func(t *testing.T, e Engine) {
		for seed := *programFirst; seed < *programFirst+n; seed++ {
			checkProgram(t, e, &source{state: uint64(seed) * 0x2545f4914f6cdd1d})
		}
	})
}

// TestPortableKernels runs random kernels in the shape that people give them.
func TestPortableKernels(t *testing.T) {
	count := amount(4, 8, 100)
	programs, texts := make([]*isa.Program, count), make([]string, count)
	for i := range programs {
		texts[i] = newWritten(sourceOf(i), fmt.Sprint("k", i)).spirvText(i%4 > 0)
		module, err := asm.Assemble(texts[i], asm.Options{})
		if err != nil {
			t.Fatalf("%v\n%s", err, texts[i])
		}
		programs[i] = lowered(t, module)
	}
	eachPortable(t, func(t *testing.T, e Engine) {
		for i, program := range programs {
			newWritten(sourceOf(i), fmt.Sprint("k", i)).check(t, e, program, program.Kernels[0], texts[i])
		}
	})
}
