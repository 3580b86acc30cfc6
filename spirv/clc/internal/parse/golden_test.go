package parse

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// cases returns the sources of a file, by their names: "== name" is a line before each. "== name 1.2" says the version.
func cases(t *testing.T, file string) (list []struct {
	name, text string
	version    lang.Version
}) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split("\n"+string(b), "\n== ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		version := lang.CL30
		if i := strings.LastIndexByte(name, ' '); i > 0 && versions[name[i+1:]] != 0 {
			version = versions[name[i+1:]]
		}
		list = append(list, struct {
			name, text string
			version    lang.Version
		}{name, strings.TrimRight(text, "\n") + "\n", version})
	}
	return list
}

// checkGolden compares a text with a golden file, or rewrites that.
func checkGolden(t *testing.T, file, got string) {
	t.Helper()
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
	if string(want) == got {
		return
	}
	w, g := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			old := "end of file"
			if i < len(w) {
				old = w[i]
			}
			t.Fatalf("%s:%d: want\n%s\ngot\n%s", file, i+1, old, g[i])
		}
	}
	t.Fatalf("%s has lines behind what was made", file)
}

// TestTrees compares trees with golden text.
func TestTrees(t *testing.T) {
	var b strings.Builder
	for _, c := range cases(t, "testdata/trees.txt") {
		p := parseText(c.text, c.version)
		fmt.Fprintf(&b, "== %s\n%s", c.name, tree.Dump(p.unit))
		if p.bag.Errors() != 0 {
			t.Errorf("%s:\n%s", c.name, p.messages())
		}
	}
	checkGolden(t, "testdata/trees.golden", b.String())
}

// TestDiagnostics compares errors and warnings with golden text.
func TestDiagnostics(t *testing.T) {
	var b strings.Builder
	for _, c := range cases(t, "testdata/errors.txt") {
		fmt.Fprintf(&b, "== %s\n%s", c.name, parseText(c.text, c.version).messages())
	}
	checkGolden(t, "testdata/errors.golden", b.String())
}
