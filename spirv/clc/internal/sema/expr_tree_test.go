package sema_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// TestExpressionTrees compares the trees of statements with a golden file.
func TestExpressionTrees(t *testing.T) {
	text, err := os.ReadFile("testdata/trees/expr.txt")
	if err != nil {
		t.Fatal(err)
	}
	prologue, err := os.ReadFile("testdata/expr/prologue.txt")
	if err != nil {
		t.Fatal(err)
	}
	top, params, _ := strings.Cut(string(prologue), "----\n")
	top = strings.ReplaceAll(top, "const int k; ", "") // so that structures can be assigned
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var src, out strings.Builder
	src.WriteString(top)
	for i, l := range lines {
		fmt.Fprintf(&src, "%s%s;}\n", strings.ReplaceAll(params, "NAME", fmt.Sprintf("test%d", i)), l)
	}
	u, bag, files := compile(t, src.String(), lang.CL30, "-Wno-everything")
	for _, d := range bag.List {
		t.Errorf("%v: %s", files.Position(d.Pos), d.Message)
	}
	i := 0
	for _, f := range u.Funcs {
		if !f.Defined() || f.Name != fmt.Sprintf("test%d", i) {
			continue
		}
		body := u.Unpack(f)
		s := body.List[len(body.List)-1].(*tree.ExprStmt)
		fmt.Fprintf(&out, "%s\n\t%s\n", lines[i], tree.DumpExpr(s.X))
		i++
	}
	if i != len(lines) {
		t.Errorf("%d trees for %d statements", i, len(lines))
	}
	const golden = "testdata/trees/expr.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("differs from %s (see -update): %s", golden, firstDifference(out.String(), string(want)))
	}
}
