package native

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
	"github.com/lockstep-gpu/lockstep/isa/native/portable"
)

// opcodes returns the constants of a type that a file declares one after the other from 0 on, by name.
func opcodes(t *testing.T, file string) map[string]int {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		list := map[string]int{}
		for n, s := range g.Specs {
			list[s.(*ast.ValueSpec).Names[0].Name] = n
		}
		return list
	}
	t.Fatalf("%s has no constants", file)
	return nil
}

// TestPortableKnows holds that package portable knows each instruction which the emitters or the allocator
// name.
func TestPortableKnows(t *testing.T) {
	ops, gens := opcodes(t, "amd64/op.go"), opcodes(t, "amd64/general.go")
	if got := amd64.Op(ops["VPADDD"]); got != amd64.VPADDD {
		t.Fatalf("VPADDD is taken for %v", got)
	}
	if got := amd64.Gen(gens["JMPR"]); got != amd64.JMPR {
		t.Fatalf("JMPR is taken for %v", got)
	}
	var files []string
	for _, pattern := range []string{"*.go", "internal/*/*.go", "vm/*.go"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	used := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "amd64" {
					used[s.Sel.Name] = file
				}
			}
			return true
		})
	}
	known := 0
	var names []string
	for name := range used {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		op, isOp := ops[name]
		gen, isGen := gens[name]
		switch {
		case isOp && !portable.Knows(amd64.Op(op)), isGen && !portable.KnowsGeneral(amd64.Gen(gen)):
			t.Errorf("%s emits %s, which package portable does not know: its function goes into a table there", used[name], name)
		case isOp, isGen:
			known++
		}
	}
	if known < 250 {
		t.Errorf("%d instructions are named, which is too few to be true", known)
	}
	t.Logf("%d instructions are named", known)
}
