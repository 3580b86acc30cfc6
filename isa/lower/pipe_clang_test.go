package lower_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// TestPipeClang runs what compilers make of testdata/pipe.cl: clang with the
// SPIR-V translator, and clang with its own back end, where they are installed.
func TestPipeClang(t *testing.T) {
	compilers(t, "testdata/pipe.cl", "-cl-kernel-arg-info", "--preserve-ocl-kernel-arg-type-metadata-through-string", func(t *testing.T, name, module string) {
		checkPipeModule(t, module, name == "clang-15")
	})
}

// checkPipeModule runs the kernels of testdata/pipe.cl.
func checkPipeModule(t *testing.T, file string, typed bool) {
	t.Helper()
	p, err := lower.Program(load(t, file), lower.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range p.Refused {
		t.Errorf("%s: %v", r.Name, r.Reason)
	}
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const n, local = 64, 16
	first := make([]uint32, n)
	for i := range first {
		first[i] = 1000 + uint32(i)
	}
	ones := slices.Repeat([]uint32{1}, n+1)
	// turned has the numbers in pieces of a size, each backwards.
	turned := func(size int) []uint32 {
		out := slices.Clone(first)
		for i := 0; i < n; i += size {
			slices.Reverse(out[i : i+size])
		}
		return out
	}
	for _, c := range []struct {
		kernel     string
		items      uint64
		state, out []uint32
	}{
		{"items", n, ones, first},
		{"reserved", n / 4, append(turned(4), 0), turned(4)},
		{"groups", n, append(slices.Clone(first), 0), turned(local)},
		{"subgroups", n, append(slices.Clone(first), 0), first},
	} {
		k := p.Kernel(c.kernel)
		if k == nil {
			t.Errorf("no kernel %s", c.kernel)
			continue
		}
		if want := "pipe uint"; typed && k.Params[0].TypeName != want {
			t.Errorf("%s: the type of parameter 0 is %q, want %q", c.kernel, k.Params[0].TypeName, want)
		}
		for _, size := range []int{1, 8, 16} {
			in, out := &pipeBytes{n, first}, &pipeBytes{n, nil}
			r := pipeRun{dev: emu.DeviceOptions{SubgroupSize: size}, code: code, kernel: c.kernel, local: local, global: c.items, in: in, out: out, buffer: make([]uint32, n+1), checked: true}
			state, list, err := r.run(t)
			if err != nil || len(list) > 0 {
				t.Errorf("%s in sub-groups of %d: %v %v", c.kernel, size, err, list)
				continue
			}
			if !slices.Equal(state, c.state) || !slices.Equal(out.packets, c.out) || len(in.packets) > 0 {
				t.Errorf("%s in sub-groups of %d:\n%s", c.kernel, size, fmt.Sprint(state, out.packets, in.packets))
			}
		}
	}
}
