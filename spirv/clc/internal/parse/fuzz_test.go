package parse

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

// allocated returns how many bytes a function allocates: what grows too fast allocates too much.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzParse reads any text: nothing may panic or hang, and a source without errors has a tree that can be
// written.
func FuzzParse(f *testing.F) {
	for _, s := range readSnippets(f) {
		f.Add(s.text)
	}
	files, _ := filepath.Glob("testdata/*.txt")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		p := parseText(text, lang.CL30)
		if p.bag.Errors() == 0 {
			tree.Dump(p.unit)
		}
	})
}

// TestHostile reads sources that are meant to exhaust something.
func TestHostile(t *testing.T) {
	many := strings.Repeat
	for _, c := range []struct{ name, text, want string }{
		{"parentheses", "int x = " + many("(", 100000), "bracket nesting"},
		{"braces", "void f(void) " + many("{", 100000), "bracket nesting"},
		{"brackets", "void f(int *p) { p" + many("[p", 100000), "bracket nesting"},
		{"braces of initializers", "int a[] = " + many("{", 100000), "bracket nesting"},
		{"structures", many("struct S {", 100000), "bracket nesting"},
		{"parameters", "void f(" + many("int g(", 100000), "bracket nesting"},
		{"declarators", "int " + many("(", 100000) + "x", "bracket nesting"},
		{"calls", "int f(int x) { return " + many("f(", 100000), "bracket nesting"},
		{"statement expressions", "void f(void) { " + many("({", 100000), "bracket nesting"},
		{"pointers", "int " + many("*", 100000) + "p;", "pointers"},
		{"minus", "void f(int x) { x = " + many("- ", 100000) + "1; }", "operators deep"},
		{"casts", "void f(int x) { x = " + many("(int)", 100000) + "1; }", "operators deep"},
		{"assignments", "void f(int x) { " + many("x = ", 100000) + "1; }", "operators deep"},
		{"conditions", "void f(int x) { x = " + many("x ? x : ", 100000) + "1; }", "operators deep"},
		{"sums", "void f(int x) { x = x" + many(" + x", 100000) + "; }", "operators in a row"},
		{"members", "void f(int x) { x" + many(".x", 100000) + "; }", "operators in a row"},
		{"else if", "void f(int x) { " + many("if (x) ; else ", 100000) + " ; }", "operators in a row"},
		{"if", "void f(int x) { " + many("if (x) ", 100000) + " ; }", "nested more than"},
		{"loops", "void f(int x) { " + many("while (x) ", 100000) + " ; }", "nested more than"},
		{"labels", "void f(int x) { switch (x) { " + many("case 1: ", 100000) + " ; } }", "operators in a row"},
		{"types", "typedef int T0;" + typedefs(100000), "levels deep"},
		{"members of members", structs(100000), "levels deep"},
		{"designators", "struct S { int x; } s = {" + many(".x", 100000) + " = 1};", "a row"},
		{"errors", many("int x y; ", 100000), "too many errors"},
		{"attributes", many("__attribute__((a(", 100000), "expected ')'"},
		{"array", "int a[] = {[0x7fffffffffffffff] = 1};", "too large"},
		{"array of arrays", "char a[1 << 30][1 << 30];", "too large"},
		{"structure", "struct S { char a[1L << 39]; char b[1L << 39]; };", "too large"},
	} {
		var p parsed
		n := allocated(func() { p = parseWith(c.text, lang.CL30, diag.Options{NoWarnings: true}) })
		if limit := uint64(256*len(c.text) + 64<<20); n > limit {
			t.Errorf("%s: %d bytes are allocated for a source of %d, more than %d", c.name, n, len(c.text), limit)
		}
		if m := p.messages(); !strings.Contains(m, c.want) {
			t.Errorf("%s: want %q in:\n%.500s", c.name, c.want, m)
		}
	}
}

// typedefs makes types that consist of more and more pointers.
func typedefs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("typedef T" + itoa(i) + " *T" + itoa(i+1) + ";\n")
	}
	return b.String()
}

// structs makes structures that have each other as members.
func structs(n int) string {
	var b strings.Builder
	b.WriteString("struct S0 { int x; };\n")
	for i := range n {
		b.WriteString("struct S" + itoa(i+1) + " { struct S" + itoa(i) + " s; };\n")
	}
	return b.String()
}

func itoa(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return itoa(i/10) + itoa(i%10)
}

// TestDescending reads an initializer whose designators come in descending order, which costs the square of their
// number.
func TestDescending(t *testing.T) {
	var b strings.Builder
	b.WriteString("int a[] = {")
	for i := 100000; i >= 0; i-- {
		b.WriteString("[" + itoa(2*i) + "] = 1,\n")
	}
	b.WriteString("};")
	var p parsed
	if n := allocated(func() { p = parseText(b.String(), lang.CL30) }); n > 1<<30 {
		t.Errorf("%d bytes are allocated for a source of %d", n, b.Len())
	}
	if m := p.messages(); !strings.Contains(m, "descending order") {
		t.Errorf("%.500s", m)
	}
}
