package clcjudge

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/internal/clcgen"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

var (
	first    = flag.Uint64("first", 1, "the first seed")
	programs = flag.Int("programs", 1, "programs to compare")
	kernels  = flag.Int("kernels", 8, "kernels of each")
	clang    = flag.String("clang", "clang-15", "clang; llvm-spirv of the same version must be there")
	keep     = flag.String("keep", "", "a directory for programs that differ")
	reduce   = flag.Bool("reduce", false, "reduce the first kernel that differs, which takes minutes")
	version  = flag.Int("version", 0, "one version of the language alone")
	half     = flag.Bool("half", true, "half in every other program")
)

var versions = []int{300, 200, 120, 300, 200}

// TestTwoLevels has clang judge the generator: a program that has no undefined behaviour does the same whether it
// is optimized or not.
func TestTwoLevels(t *testing.T) {
	a, b := needClang(t, "-O0", "-fwrapv", "-ffp-contract=off"), needClang(t, "-O1", "-fno-slp-vectorize", "-fno-vectorize", "-fwrapv", "-ffp-contract=off")
	judge(t, a, b)
}

// TestRandom compares the compiler of this repository with clang.
func TestRandom(t *testing.T) {
	judge(t, Own("clc", clc.Options{}), needClang(t, "-O0", "-ffp-contract=off"))
}

// TestEngines compares the compiler with itself: other options and engines give the same results.
func TestEngines(t *testing.T) {
	base := Own("clc", clc.Options{})
	base.Engine = "interp"
	debug := Own("clc -g -cl-opt-disable", clc.Options{Debug: true, OptDisable: true})
	judge(t, base, debug)
}

func needClang(t *testing.T, options ...string) Compiler {
	t.Helper()
	path, err := exec.LookPath(*clang)
	if err != nil || testing.Short() {
		t.Skip("no clang")
	}
	translator, err := exec.LookPath("llvm-spirv" + filepath.Base(*clang)[len("clang"):])
	if err != nil {
		t.Skip("no llvm-spirv")
	}
	return Clang(path, translator, t.TempDir(), options...)
}

func judge(t *testing.T, a, b Compiler) {
	ctx := context.Background()
	var sum Count
	for i := range *programs {
		seed := *first + uint64(i)
		opt := clcgen.Options{Kernels: *kernels, Version: versions[seed%5], Half: *half && seed%2 == 0, ContractOff: true}
		if *version != 0 {
			opt.Version = *version
		}
		p := clcgen.Generate(seed, opt)
		found, n, err := CompareProgram(ctx, a, b, p, opt.Version, Launch(seed))
		if err != nil {
			t.Fatal(err)
		}
		sum.Compared += n.Compared
		sum.Refused += n.Refused
		sum.Faulted += n.Faulted
		sum.Foreign += n.Foreign
		for j, f := range found {
			text := ""
			if j < 1 {
				r := p
				if f.Kernel != "" {
					r = p.Only(f.Kernel)
				}
				if *reduce {
					r = Reduce(ctx, a, b, p, f, opt.Version, Launch(seed))
				}
				text = r.Text()
				if again, _, _ := Compare(ctx, a, b, text, opt.Version, Launch(seed)); len(again) > 0 {
					f.What += "\nnow " + again[0].What
				}
				if *keep != "" {
					name := filepath.Join(*keep, fmt.Sprintf("%d-%s-%d.cl", seed, f.Kernel, opt.Version))
					if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
						t.Fatal(err)
					}
				}
			}
			t.Errorf("seed %d, OpenCL C %d, %s: %s\n%s", seed, opt.Version, f.Kernel, f.What, text)
		}
	}
	if sum.Compared == 0 {
		t.Error("nothing has been compared")
	}
	t.Logf("%d kernels compared, %d refused, %d faulted, %d not translated", sum.Compared, sum.Refused, sum.Faulted, sum.Foreign)
}
