package parse

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// randomStructs declares n structures and unions S0, S1 ... with bit-fields and attributes; each has a member called
// end.
func randomStructs(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	names := []string{"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "bool"}
	widths := []int{8, 8, 16, 16, 32, 32, 64, 64, 1}
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	var b strings.Builder
	b.WriteString("#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n")
	for i := range n {
		fmt.Fprintf(&b, "typedef %s {", pick("struct", "struct", "struct", "struct", "union"))
		for k := range 1 + r.IntN(6) {
			j := r.IntN(len(names))
			attr := pick("", "", "", "", "", "", " __attribute__((aligned(8)))", " __attribute__((packed))")
			switch r.IntN(8) {
			case 0, 1:
				fmt.Fprintf(&b, " %s f%d%s;", names[j], k, attr)
			case 2:
				fmt.Fprintf(&b, " %s : %d;", names[j], r.IntN(widths[j]+1))
			default:
				fmt.Fprintf(&b, " %s f%d : %d%s;", names[j], k, 1+r.IntN(widths[j]), attr)
			}
		}
		fmt.Fprintf(&b, " char end; } %s S%d;\n",
			pick("", "", "", "__attribute__((packed))", "__attribute__((aligned(16)))"), i)
	}
	return b.String()
}

// TestLayout lets clang-15, where it is installed, check sizes, alignments and offsets of random structures.
func TestLayout(t *testing.T) {
	const n = 300
	text := randomStructs(n)
	var questions []string
	var decls strings.Builder
	decls.WriteString(text)
	for i := range n {
		for k, f := range []string{"sizeof(S%d)", "__alignof__(S%d)", "__builtin_offsetof(S%d, end)"} {
			q := fmt.Sprintf(f, i)
			questions = append(questions, q)
			fmt.Fprintf(&decls, "ulong x%d_%d = %s;\n", i, k, q)
		}
	}
	p := parseText(decls.String(), lang.CL30)
	if p.bag.Errors() != 0 {
		t.Fatal(p.messages())
	}
	if _, err := exec.LookPath("clang-15"); err != nil || testing.Short() {
		t.Skip("clang-15 is not installed, or -short")
	}
	var check strings.Builder
	check.WriteString(text)
	for i, v := range p.unit.Vars {
		value := strings.TrimSuffix(tree.DumpExpr(v.Init), "ul")
		fmt.Fprintf(&check, "_Static_assert(%s == %s, \"\");\n", questions[i], value)
	}
	name := filepath.Join(t.TempDir(), "l.cl")
	if err := os.WriteFile(name, []byte(check.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("clang-15", "-cl-std=CL3.0", "-target", "spir64", "-fsyntax-only", "-w", "-Xclang",
		"-finclude-default-header", name).CombinedOutput()
	if err != nil {
		t.Errorf("%s", out)
	}
}
