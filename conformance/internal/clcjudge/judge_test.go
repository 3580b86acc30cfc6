package clcjudge

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/lockstep-gpu/lockstep/conformance/internal/clcgen"
	"github.com/lockstep-gpu/lockstep/conformance/internal/differ"
	"github.com/lockstep-gpu/lockstep/spirv/clc"
)

var (
	first    = flag.Uint64("first", 1, "the first seed")
	programs = flag.Int("programs", 1, "programs to compare")
	kernels  = flag.Int("kernels", 8, "kernels of each")
	clang    = flag.String("clang", "clang-15", "clang; llvm-spirv of the same version must be there")
	older    = flag.String("older", "", "for a clang without an llvm-spirv of its version: an older clang that has one, and reads its text")
	keep     = flag.String("keep", "", "a directory for programs that differ")
	reduce   = flag.Bool("reduce", false, "reduce programs that differ, which takes minutes")
	version  = flag.Int("version", 0, "one version of the language alone")
	batch    = flag.Int("batch", 50, "programs in one source")
	limit    = flag.Duration("limit", 0, "start no program after this time")
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
	other := Own("clc -g -cl-opt-disable -cl-fast-relaxed-math", clc.Options{Debug: true, OptDisable: true, FastRelaxedMath: true})
	judge(t, base, other)
}

func needClang(t *testing.T, options ...string) Compiler {
	t.Helper()
	path, err := exec.LookPath(*clang)
	if err != nil || testing.Short() {
		t.Skip("no clang")
	}
	translator, err := exec.LookPath("llvm-spirv" + filepath.Base(*clang)[len("clang"):])
	if err != nil && *older != "" {
		if translator, err = exec.LookPath("llvm-spirv" + filepath.Base(*older)[len("clang"):]); err == nil {
			return NewerClang(path, *older, translator, t.TempDir(), options...)
		}
	}
	if err != nil {
		t.Skip("no llvm-spirv")
	}
	return Clang(path, translator, t.TempDir(), options...)
}

// judge compares programs of consecutive seeds, many in one source.
func judge(t *testing.T, a, b Compiler) {
	start := time.Now()
	sum := count{}
	var waiting [6]struct {
		opt   clcgen.Options
		seeds []uint64
	}
	next := *first
	for ; next < *first+uint64(*programs) && (*limit == 0 || time.Since(start) < *limit); next++ {
		opt := clcgen.Options{Kernels: *kernels, Version: versions[next%5], Half: *half && next%2 == 0, ContractOff: true}
		if *version != 0 {
			opt.Version = *version
		}
		w := &waiting[2*(opt.Version/100-1)]
		if opt.Half {
			w = &waiting[2*(opt.Version/100-1)+1]
		}
		if w.opt, w.seeds = opt, append(w.seeds, next); len(w.seeds) >= *batch {
			sum.judge(t, a, b, w.opt, w.seeds)
			w.seeds = nil
		}
	}
	for _, w := range waiting {
		if len(w.seeds) > 0 {
			sum.judge(t, a, b, w.opt, w.seeds)
		}
	}
	if sum.Compared == 0 {
		t.Error("nothing has been compared")
	}
	t.Logf("seeds %d to %d: %d kernels compared, %d refused, %d faulted, %d not translated; %d programs differ",
		*first, next-1, sum.Compared, sum.Refused, sum.Faulted, sum.Foreign, sum.different)
}

// count is what a run has compared.
type count struct {
	Count
	different int // programs
}

// judge compares the programs of some seeds and reports what differs.
func (c *count) judge(t *testing.T, a, b Compiler, opt clcgen.Options, seeds []uint64) {
	ctx := context.Background()
	list := make([]*clcgen.Program, len(seeds))
	by := map[string]int{}
	for i, seed := range seeds {
		o := opt
		o.Suffix = fmt.Sprint("_", seed)
		list[i] = clcgen.Generate(seed, o)
		for _, k := range list[i].Kernels {
			by[k] = i
		}
	}
	launch := Launch(seeds[0])
	found, n, err := CompareBatch(ctx, a, b, list, opt.Version, launch)
	if err != nil {
		t.Fatal(err)
	}
	c.Add(n)
	reported := map[int]bool{}
	for _, f := range found {
		i := by[f.Kernel]
		if reported[i] {
			continue
		}
		reported[i] = true
		c.different++
		text := one(t, a, b, list[i], f, opt.Version, launch)
		if *keep != "" {
			name := filepath.Join(*keep, fmt.Sprintf("%d-%s-%d.cl", seeds[i], f.Kernel, opt.Version))
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		t.Errorf("seed %d (launched with %d), OpenCL C %d, %s: %s\n%s", seeds[i], seeds[0], opt.Version, f.Kernel, f.What, text)
	}
}

// one is the text of a program that differs, reduced if that is asked for.
func one(t *testing.T, a, b Compiler, p *clcgen.Program, f Finding, version int, launch differ.Options) string {
	ctx := context.Background()
	if !f.Refusal {
		p = p.Only(f.Kernel)
	}
	if *reduce {
		p = Reduce(ctx, a, b, p, f, version, launch)
	}
	text := p.Text()
	if again, _, _ := Compare(ctx, a, b, text, version, launch); len(again) > 0 {
		t.Logf("alone: %s", again[0].What)
	} else {
		t.Log("alone it does not differ")
	}
	return text
}
