package binary

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// compiled is a module with what it became.
type compiled struct {
	name string
	file *File
}

// corpus compiles the modules of real producers that the glob names.
func corpus(t testing.TB, glob string) []compiled {
	t.Helper()
	paths, err := filepath.Glob("../../conformance/kernels/spv/" + glob)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no modules: %v", err)
	}
	var list []compiled
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, compiled{filepath.Base(path), compile(t, data)})
	}
	return list
}

func compile(t testing.TB, module []byte) *File {
	t.Helper()
	m, err := spirv.Decode(module)
	if err != nil {
		t.Fatal(err)
	}
	info, err := spirv.Reflect(m)
	if err != nil {
		t.Fatal(err)
	}
	p, err := lower.Program(m, lower.Options{SubgroupSize: 32})
	if err != nil {
		t.Fatal(err)
	}
	return &File{Target: Target{Name: "lockstep", SubgroupSize: 32, MaxWorkGroupSize: 1024, LocalMemory: 65536}, Program: p, Info: info, Module: module}
}
