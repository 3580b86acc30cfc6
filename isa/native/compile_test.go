package native

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/interp"
	"github.com/lockstep-gpu/lockstep/isa/native/plan"
)

// BenchmarkCompile makes machine code of random kernels, without their plans.
func BenchmarkCompile(b *testing.B) {
	for _, set := range sets {
		b.Run(set.name, func(b *testing.B) {
			type job struct {
				k *isa.Kernel
				p *plan.Plan
			}
			var jobs []job
			e := Engine{features: set.features}
			for seed := range uint64(40) {
				k := generate(&source{state: seed * 0x2545f4914f6cdd1d}).kernel
				base, err := interp.Prepare(&isa.Program{Kernels: []*isa.Kernel{k}}, k)
				if err != nil {
					b.Fatal(err)
				}
				jobs = append(jobs, job{k, e.plan(base, k)})
			}
			b.ReportAllocs()
			for b.Loop() {
				for _, j := range jobs {
					if _, _, err := compileKernel(set.features, plan.Constants(j.k), j.p, false); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
