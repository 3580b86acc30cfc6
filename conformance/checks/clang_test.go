package checks

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

var everything = flag.Bool("everything", false, "try all cases with clang, and all mutants, instead of some")

// sample is which of the cases are tried without -everything: one of so many.
const sample = 40

// TestClang judges what clang makes of the cases. Without optimization all verdicts are the same as
// those about the source. With it, clang may remove what is undefined, so that faults can be gone;
// right kernels stay right.
func TestClang(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts compilers")
	}
	for _, program := range []string{"clang-15", "llvm-spirv-15"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(err)
		}
	}
	pending, still := loadPending(t), map[string]bool{}
	dir := t.TempDir()
	list := []config{{"interp", 8, 8, []emu.Schedule{{}}}, {"interp", 16, 0, []emu.Schedule{{Order: emu.Reverse, Completion: emu.CompleteLate}}}}
	var gone []string
	for _, folder := range []string{"faulty", "right"} {
		for i, c := range loadCases(t, folder) {
			if c.NoClang != "" || !*everything && i%sample != 0 {
				continue
			}
			for _, level := range []string{"-O0", "-O2"} {
				if level == "-O2" && c.NoClangO2 != "" {
					continue
				}
				module := clangModule(t, c, dir, level)
				if module == nil {
					continue
				}
				build := func(_ *Case, dev *emu.Device) (*emu.Program, error) {
					return dev.NewProgram(module, emu.ProgramOptions{})
				}
				if folder == "faulty" && level == "-O2" {
					if !judge(t, c, build, list).pass(c) {
						gone = append(gone, c.Name)
					}
					continue
				}
				judgeCase(t, c, c.Name+" clang"+level, build, list, pending, still)
			}
		}
	}
	t.Logf("not found in what clang -O2 makes: %d: %s", len(gone), strings.Join(gone, " "))
	if *everything {
		finishPending(t, pending, still, true)
	}
}

// clangModule compiles a case with clang and the translator, with lines to SPIR-V.
func clangModule(t *testing.T, c *Case, dir, level string) []byte {
	t.Helper()
	in, bc, out := filepath.Join(dir, "in.cl"), filepath.Join(dir, "in.bc"), filepath.Join(dir, "in.spv")
	if err := os.WriteFile(in, []byte(c.Source), 0o666); err != nil {
		t.Fatal(err)
	}
	compile := strings.Fields("clang-15 -c -target spir64-unknown-unknown -Xclang -finclude-default-header -w -cl-std=CL3.0 -cl-ext=+all -gline-tables-only " + level + c.Options)
	compile = append(compile, "-emit-llvm", "-o", bc, in)
	if text, err := exec.Command(compile[0], compile[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: clang: %v\n%s", c.Name, err, text)
	}
	if text, err := exec.Command("llvm-spirv-15", bc, "-o", out).CombinedOutput(); err != nil {
		line, _, _ := strings.Cut(string(text), "\n")
		t.Logf("%s %s: not translated: %v: %s", c.Name, level, err, line)
		return nil
	}
	module, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return module
}
