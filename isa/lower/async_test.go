package lower_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
)

// TestMarkPasses compares kernels as they stand before and after the passes that
// drop async marks and waits.
func TestMarkPasses(t *testing.T) {
	var b strings.Builder
	before := ""
	text(t, load(t, "testdata/async-marks.spvasm"), lower.Options{Dump: func(kernel, pass, text string) {
		switch pass {
		case "asyncwaits":
			fmt.Fprintf(&b, "== %s: before\n%s\n== %s: after asyncwaits\n%s\n", kernel, before, kernel, text)
		case "asyncmarks":
			fmt.Fprintf(&b, "== %s: after asyncmarks\n%s\n", kernel, text)
		}
		before = text
	}})
	golden(t, "async-marks.passes", b.String())
}

// count returns how many instructions of a kernel have the opcode.
func count(k *isa.Kernel, op isa.Op) (n int) {
	for _, in := range k.Code {
		if in.Op == op {
			n++
		}
	}
	return n
}

// TestKeepMarks checks that the two passes can be turned off.
func TestKeepMarks(t *testing.T) {
	m := load(t, "testdata/async-marks.spvasm")
	for _, c := range []struct {
		keep                           bool
		kernel                         string
		marks, waits, scopes, sequence int
	}{
		{false, "bar", 2, 1, 0, 1}, {true, "bar", 3, 1, 1, 2},
		{false, "pipeline", 4, 3, 0, 1}, {true, "pipeline", 5, 6, 0, 1},
		{false, "branches", 3, 2, 0, 1}, {true, "branches", 3, 4, 0, 1},
		{false, "calls", 5, 3, 2, 2}, {true, "calls", 6, 5, 3, 2},
	} {
		p, err := lower.Program(m, lower.Options{KeepMarks: c.keep})
		if err != nil {
			t.Fatal(err)
		}
		k := p.Kernel(c.kernel)
		got := [4]int{count(k, isa.OpAsyncMark), count(k, isa.OpAsyncWait), count(k, isa.OpAsyncScope), k.MarkSequences}
		if want := [4]int{c.marks, c.waits, c.scopes, c.sequence}; got != want || !k.UsesAsync {
			t.Errorf("%s, KeepMarks %v: %v marks, waits, scopes and sequences, want %v", c.kernel, c.keep, got, want)
		}
	}
}

// TestUsesAsync checks that kernels without copies say so.
func TestUsesAsync(t *testing.T) {
	for file, want := range map[string]bool{"lds": false, "group-copy": true, "lds-dma": true} {
		p, err := lower.Program(load(t, "testdata/"+file+".spvasm"), lower.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range p.Kernels {
			if k.UsesAsync != want {
				t.Errorf("%s: UsesAsync is %v", k.Name, k.UsesAsync)
			}
		}
	}
}

// TestAsyncClang lowers what clang and the SPIR-V translator make of OpenCL C,
// where they are installed.
func TestAsyncClang(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles four modules")
	}
	for _, p := range []string{"clang-15", "llvm-spirv-15"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	for _, target := range []string{"spir64", "spir"} {
		for _, level := range []string{"-O0", "-O2"} {
			name := target + level
			t.Run(name, func(t *testing.T) {
				bc, spv := filepath.Join(dir, name+".bc"), filepath.Join(dir, name+".spv")
				for _, args := range [][]string{
					{"clang-15", "-c", "-x", "cl", "-cl-std=CL2.0", "-target", target + "-unknown-unknown", "-emit-llvm", level,
						"-gline-tables-only", "-Xclang", "-finclude-default-header", "testdata/async.cl", "-o", bc},
					{"llvm-spirv-15", "--spirv-allow-unknown-intrinsics=llvm.amdgcn", bc, "-o", spv},
				} {
					if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
						t.Fatalf("%v: %v\n%s", args, err, out)
					}
				}
				p, err := lower.Program(load(t, spv), lower.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for kernel, want := range map[string][5]int{
					// Group copies, waits for events, lane copies, marks, waits for marks.
					"events":  {4, 3, 0, 0, 0},
					"boxes":   {2, 2, 0, 0, 0},
					"unknown": {1, 1, 0, 0, 0},
					"lanes":   {0, 0, 3, 3, 2},
				} {
					k := p.Kernel(kernel)
					if k == nil {
						t.Errorf("no kernel %s", kernel)
						continue
					}
					got := [5]int{count(k, isa.OpGroupCopy), count(k, isa.OpGroupWait), count(k, isa.OpLaneCopy),
						count(k, isa.OpAsyncMark), count(k, isa.OpAsyncWait)}
					if got != want {
						t.Errorf("%s has %v operations, want %v:\n%s", kernel, got, want, k.Text(p))
					}
					if len(k.Private) > 0 && kernel != "unknown" {
						t.Errorf("%s keeps %d variables in memory:\n%s", kernel, len(k.Private), k.Text(p))
					}
				}
			})
		}
	}
}
