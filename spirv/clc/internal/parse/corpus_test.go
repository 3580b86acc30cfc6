package parse

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

// TestKernels reads the OpenCL C of the repository, which clang compiles: there may be no error.
func TestKernels(t *testing.T) {
	found := 0
	for _, root := range []string{"conformance", "examples", "bench", "emu"} {
		err := filepath.WalkDir(filepath.Join("../../../..", root), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".cl") {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			found++
			p := parseFile(name, string(text), lang.CL20, diag.DefaultOptions())
			if p.bag.Errors() != 0 {
				t.Errorf("%s:\n%s", name, p.messages())
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Error("there is no OpenCL C in the repository")
	}
}
