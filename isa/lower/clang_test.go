package lower_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compilers calls f with the modules that compilers make of OpenCL C, where they
// are installed: clang with the SPIR-V translator, and clang with its own back
// end, for both address widths, not optimized and optimized. flag is one more for
// the first clang, and translate one for the translator; name is "clang-15" or
// "clang-22".
func compilers(t *testing.T, source, flag, translate string, f func(t *testing.T, name, module string)) {
	t.Helper()
	if testing.Short() {
		t.Skip("compiles eight modules")
	}
	dir := t.TempDir()
	for _, c := range []struct {
		name, arch string
		tools      [][]string // ARCH, LEVEL and OUT stand for the architecture, the level and the output
	}{
		{"clang-15", "spir", [][]string{
			{"clang-15", "-c", "-x", "cl", "-cl-std=CL2.0", "-target", "ARCH-unknown-unknown", "-emit-llvm", "LEVEL", flag,
				"-Xclang", "-finclude-default-header", source, "-o", "OUT.bc"},
			{"llvm-spirv-15", translate, "OUT.bc", "-o", "OUT"},
		}},
		{"clang-22", "spirv", [][]string{
			{"clang-22", "-c", "-x", "cl", "-cl-std=CL2.0", "--target=ARCH-unknown-unknown", "LEVEL",
				"-Xclang", "-finclude-default-header", source, "-o", "OUT"},
		}},
	} {
		for _, bits := range []string{"64", "32"} {
			arch := c.arch + bits
			if arch == "spir32" {
				arch = "spir"
			}
			for _, level := range []string{"-O0", "-O2"} {
				t.Run(c.name+" "+arch+level, func(t *testing.T) {
					spv := filepath.Join(dir, c.name+arch+level+".spv")
					r := strings.NewReplacer("ARCH", arch, "LEVEL", level, "OUT", spv)
					for _, tool := range c.tools {
						if _, err := exec.LookPath(tool[0]); err != nil {
							t.Skip(err)
						}
						var args []string
						for _, a := range tool[1:] {
							args = append(args, r.Replace(a))
						}
						if out, err := exec.Command(tool[0], args...).CombinedOutput(); err != nil {
							t.Fatalf("%s %v: %v\n%s", tool[0], args, err, out)
						}
					}
					f(t, c.name, spv)
				})
			}
		}
	}
}
