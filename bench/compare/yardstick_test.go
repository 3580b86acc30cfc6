package main

import (
	"path/filepath"
	"testing"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/codemem"
)

// TestYardstick compiles the kernels in C and holds that they leave the bits of
// the references, again and again.
func TestYardstick(t *testing.T) {
	if f, err := codemem.Host(); err != nil || f&amd64.AVX512 == 0 {
		t.Skip("the processor has no AVX-512")
	}
	compiler := findCompiler()
	if compiler == "" {
		t.Skip("there is no clang")
	}
	dir := t.TempDir()
	library, err := compileYardstick(t.Context(), compiler, dir)
	if err != nil {
		t.Fatal(err)
	}
	implementation, err := loadYardstick(library)
	if err != nil {
		t.Fatal(err)
	}
	workloads, err := bench.Workloads()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, w := range workloads {
		s, err := implementation.open(w.Kernel, &request{Launch: w.Small})
		if !hasYardstick(w.Kernel) {
			if err == nil {
				t.Errorf("%s is there", w.Name())
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		found++
		want, err := reference(w.Kernel, w.Small)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			a, err := first(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := agreement(w.Kernel, want, a.Outputs); got != sameBits {
				t.Errorf("%s: %s", w.Name(), got)
			}
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	if found != len(yardsticks) {
		t.Errorf("%d kernels in C were run, not %d", found, len(yardsticks))
	}
	if _, err := loadYardstick(filepath.Join(dir, "nothing.so")); err == nil {
		t.Error("no error for a library that is not there")
	}
	bad := bench.IntHash(100, 1)
	for _, w := range workloads {
		if w.Name() == "inthash" {
			if _, err := implementation.open(w.Kernel, &request{Launch: bad}); err == nil {
				t.Error("no error for a launch that does not fit")
			}
		}
	}
	if compilerVersion(t.Context(), compiler) == "" {
		t.Errorf("%s has no version", compiler)
	}
}
