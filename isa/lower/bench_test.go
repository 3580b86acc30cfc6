package lower_test

import (
	"path/filepath"
	"testing"

	"github.com/lockstep-gpu/lockstep/internal/verifyeach"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// BenchmarkProgram lowers all kernels of the conformance suite once, as an
// unoptimized module and as an optimized one.
func BenchmarkProgram(b *testing.B) {
	verifyeach.On = false
	defer func() { verifyeach.On = true }()
	for _, level := range []string{"O0", "O2"} {
		b.Run(level, func(b *testing.B) {
			files, err := filepath.Glob(filepath.Join(spv, "*."+level+".spv"))
			if err != nil || len(files) == 0 {
				b.Fatal(files, err)
			}
			modules := make([]*spirv.Module, len(files))
			for i, file := range files {
				modules[i] = load(b, file)
			}
			for b.Loop() {
				for i, m := range modules {
					if _, err := lower.Program(m, lower.Options{}); err != nil {
						b.Fatal(files[i], err)
					}
				}
			}
		})
	}
}
