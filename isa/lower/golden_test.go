package lower_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/isa/lower"
	"github.com/lockstep-gpu/lockstep/spirv"
	"github.com/lockstep-gpu/lockstep/spirv/asm"
	"github.com/lockstep-gpu/lockstep/spirv/validate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// load reads a module: text of testdata, or a binary of the conformance kernels.
func load(t testing.TB, file string) *spirv.Module {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(file) == ".spvasm" {
		if data, err = asm.Assemble(string(data), asm.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := spirv.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Validate(m, validate.Options{}).Err(); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return m
}

func text(t *testing.T, m *spirv.Module, opt lower.Options) string {
	t.Helper()
	p, err := lower.Program(m, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range p.Kernels {
		if err := k.Verify(); err != nil {
			t.Error(err)
		}
	}
	for _, r := range p.Refused {
		t.Errorf("kernel %s: %v", r.Name, r.Reason)
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const spv = "../../conformance/kernels/spv"

// TestGolden compares the bytecode of small kernels with what was looked at
// and found good.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.spvasm")
	if err != nil || len(files) < 22 {
		t.Fatal(files, err)
	}
	for _, k := range []string{"vecadd.O2", "collatz.O2"} {
		files = append(files, filepath.Join(spv, k+".spv"))
	}
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		t.Run(base, func(t *testing.T) {
			golden(t, base+".isa", text(t, load(t, file), lower.Options{}))
		})
	}
}

// TestPasses compares two kernels as they stand after every pass.
func TestPasses(t *testing.T) {
	for _, name := range []string{"divergent-exit", "private-array"} {
		var b strings.Builder
		text(t, load(t, "testdata/"+name+".spvasm"), lower.Options{Dump: func(kernel, pass, text string) {
			fmt.Fprintf(&b, "== %s: %s\n%s\n", kernel, pass, text)
		}})
		golden(t, name+".passes", b.String())
	}
}

// TestUnoptimized checks that promotion and simplification give code from an
// unoptimized module that is nearly as short as that from an optimized one.
func TestUnoptimized(t *testing.T) {
	count := func(p *isa.Program) (n int) {
		for _, k := range p.Kernels {
			n += len(k.Code)
		}
		return n
	}
	for _, name := range []string{"vecadd", "saxpy", "collatz", "stencil", "mandelbrot", "transpose"} {
		var n [2]int
		for i, level := range []string{"O0", "O2"} {
			p, err := lower.Program(load(t, filepath.Join(spv, name+"."+level+".spv")), lower.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n[i] = count(p)
			for _, k := range p.Kernels {
				if len(k.Private) > 0 {
					t.Errorf("%s.%s keeps %d variables in memory", name, level, len(k.Private))
				}
			}
		}
		if n[0] > n[1]*13/10+4 {
			t.Errorf("%s has %d instructions unoptimized and %d optimized", name, n[0], n[1])
		}
		t.Logf("%s: %d and %d instructions", name, n[0], n[1])
	}
}

// TestSame lowers modules again and again: the text is always the same.
func TestSame(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(spv, "*.spv"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	more, err := filepath.Glob("testdata/*.spvasm")
	if err != nil {
		t.Fatal(err)
	}
	n := 3
	if testing.Short() {
		n = 1
	}
	for _, file := range files {
		m := load(t, file)
		first := text(t, m, lower.Options{})
		for range n {
			if text(t, m, lower.Options{}) != first {
				t.Errorf("%s is not always lowered to the same text", file)
				break
			}
		}
	}
	for _, file := range more {
		first := text(t, load(t, file), lower.Options{})
		for range 20 {
			if text(t, load(t, file), lower.Options{}) != first {
				t.Errorf("%s is not always lowered to the same text", file)
				break
			}
		}
	}
}
