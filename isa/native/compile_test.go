package native

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
)

// BenchmarkCompile makes plans and machine code of random kernels.
func BenchmarkCompile(b *testing.B) {
	for _, set := range sets {
		b.Run(set.name, func(b *testing.B) {
			var list []*isa.Kernel
			for seed := range uint64(40) {
				list = append(list, generate(&source{state: seed * 0x2545f4914f6cdd1d}).kernel)
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, k := range list {
					base, err := interp.Prepare(&isa.Program{Kernels: []*isa.Kernel{k}}, k)
					if err != nil {
						b.Fatal(err)
					}
					if _, err := (Engine{features: set.features}).compile(base, k, false); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
