package differ

import (
	"context"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance/internal/clcgen"
	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/finding"
)

// TestRandomSourcesAreInitialized runs random kernels, which set all that they read, with checks on.
func TestRandomSourcesAreInitialized(t *testing.T) {
	ran := 0
	for seed := uint64(1); seed <= 5; seed++ {
		p := clcgen.Generate(seed, clcgen.Options{Kernels: 2, Version: 300, ContractOff: true})
		dev, err := emu.NewDevice(emu.DeviceOptions{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		prog, _, err := dev.BuildProgram(p.Text(), "-cl-std=CL3.0")
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, name := range prog.Kernels() {
			k, err := prog.Kernel(name)
			if err != nil {
				t.Fatal(err)
			}
			l := emu.Launch{Kernel: k, Range: emu.NDRange{Global: []uint64{64}, Local: []uint64{16}}, Check: true, KeepGoing: true, Timeout: 10 * time.Second}
			for i, q := range k.Params() {
				a, _, err := argument(dev, q, Options{Bytes: 1 << 16, Seed: seed}, uint64(i))
				if err != nil {
					t.Fatal(err)
				}
				l.Args = append(l.Args, a)
			}
			res, _ := l.Run(context.Background()) // other findings, and kernels that want another size, are no matter here
			if res == nil {
				continue
			}
			ran++
			for _, f := range res.Findings.Findings {
				if f.Code == finding.Uninitialized {
					t.Errorf("seed %d: %s\n%s", seed, f.Text(), p.Only(name).Text())
				}
			}
		}
		if err := dev.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if ran < 4 {
		t.Errorf("%d kernels ran", ran)
	}
}
