package emu_test

import (
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
	"github.com/lockstep-gpu/lockstep/emu"
)

// TestWeakMemoryKernels holds that kernels without data races give the same with weak memory.
func TestWeakMemoryKernels(t *testing.T) {
	for i, k := range kernels.All() {
		if k.Name == "stack" {
			continue // its fences, of OpenCL C 1.2, have the scope of a work-group, and work-groups share it
		}
		for j, opt := range []emu.DeviceOptions{{Workers: 1}, {Workers: 1, SubgroupSize: 4, WaveLanes: 8}} {
			if testing.Short() && (i+j)%6 != 0 {
				continue
			}
			d := device(t, opt)
			_, loaded := loadProgram(t, d, k.Name, []string{"O2", "O0"}[(i+j)%2])
			info := loaded.Info()
			if info.UsesPipes || info.UsesAsync || info.ReqdSubgroup != 0 && int(info.ReqdSubgroup) != d.Limits().SubgroupSize {
				continue
			}
			println(k.Name, i, j)
			for _, s := range []emu.Schedule{{}, {Order: emu.Seeded, Seed: uint64(i)}} {
				runOn(t, k, d, loaded, s, func(l *emu.Launch) { l.Memory = emu.MemoryWeak })
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}
