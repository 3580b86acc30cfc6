package diag

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
)

// TestRender has the parts of what is printed.
func TestRender(t *testing.T) {
	text := "int a = b;\n\tx\t= 漢字 + y;\n" + strings.Repeat("1234567 ", 10) + "here" + strings.Repeat(" 7654321", 10) + "\nbad \xff byte\n"
	for _, c := range []struct {
		name  string
		build func(*Bag, func(int) source.Pos)
		style Style
		want  string
	}{
		{"caret", func(b *Bag, at func(int) source.Pos) { b.Errorf(at(8), "unknown name 'b'") }, Style{},
			"a.cl:1:9: error: unknown name 'b'\nint a = b;\n        ^\n1 error generated.\n"},
		{"ranges", func(b *Bag, at func(int) source.Pos) {
			b.Warnf("shadow", at(6), "hm").Range(at(4), at(5)).Range(at(8), at(9))
		}, Style{}, "a.cl:1:7: warning: hm [-Wshadow]\nint a = b;\n    ~ ^ ~\n1 warning generated.\n"},
		{"fix", func(b *Bag, at func(int) source.Pos) {
			b.Errorf(at(8), "unknown").Note(at(8), "near").Note(at(4), "far")
			b.List[0].Suggest("bb")
		}, Style{}, "a.cl:1:9: error: unknown\nint a = b;\n        ^\n        bb\na.cl:1:9: note: near\na.cl:1:5: note: far\nint a = b;\n    ^\n1 error generated.\n"},
		{"tabs and wide characters", func(b *Bag, at func(int) source.Pos) {
			b.Errorf(at(23), "here").Range(at(16), at(22))
		}, Style{}, "a.cl:2:13: error: here\n        x       = 漢字 + y;\n                  ~~~~ ^\n1 error generated.\n"},
		{"long line", func(b *Bag, at func(int) source.Pos) {
			i := strings.Index(text, "here")
			b.Errorf(at(i), "there").Range(at(i), at(i+4))
		}, Style{Width: 40, NoSummary: true}, "a.cl:3:81: error: there\n... 1234567 1234567 here 7654321 7654...\n                    ^~~~\n"},
		{"bytes", func(b *Bag, at func(int) source.Pos) { b.Errorf(at(strings.Index(text, "byte")), "x") }, Style{NoSummary: true},
			"a.cl:4:7: error: x\nbad <FF> byte\n         ^\n"},
		{"no source", func(b *Bag, at func(int) source.Pos) { b.Fatalf(at(0), "x"); b.Errorf(at(0), "y") }, Style{NoSource: true},
			"a.cl:1:1: fatal error: x\n1 error generated.\n"},
		{"colours", func(b *Bag, at func(int) source.Pos) { b.Errorf(at(4), "x") }, Style{Color: true},
			"\x1b[1ma.cl:1:5: \x1b[0m\x1b[1;31merror: \x1b[0m\x1b[1mx\x1b[0m\nint a = b;\n\x1b[1;32m    ^\x1b[0m\n1 error generated.\n"},
		{"no place", func(b *Bag, _ func(int) source.Pos) { b.Errorf(0, "x") }, Style{}, "error: x\n1 error generated.\n"},
		{"warning as error", func(b *Bag, at func(int) source.Pos) {
			b.opts.AllErrors = true
			b.Warnf("shadow", at(0), "x")
		}, Style{NoSource: true}, "a.cl:1:1: error: x [-Werror,-Wshadow]\n1 error generated.\n"},
		{"both", func(b *Bag, at func(int) source.Pos) {
			b.Warnf("shadow", at(0), "x")
			b.Warnf("shadow", at(0), "y")
			b.Errorf(at(0), "z")
		}, Style{NoSource: true}, "a.cl:1:1: warning: x [-Wshadow]\na.cl:1:1: warning: y [-Wshadow]\na.cl:1:1: error: z\n2 warnings and 1 error generated.\n"},
	} {
		files := source.NewSet()
		f := files.Add("a.cl", text, 0)
		b := NewBag(files, Options{})
		c.build(b, f.Pos)
		if got := b.Render(c.style); got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.name, got, c.want)
		}
	}
}

// TestRenderMacros prints ranges in macros, and headers.
func TestRenderMacros(t *testing.T) {
	files := source.NewSet()
	f := files.Add("a.cl", "#define ADD(x, y) x + yy\nint i = ADD(1, 2);\n#include \"b.h\"\n", 0)
	at := func(s string) source.Pos { return f.Pos(strings.Index(f.Text, s)) }
	id := files.Macro("ADD")
	use := at("ADD(1")
	plus, yy := files.Expand(at("+ yy"), use, id), files.Expand(at("yy"), use, id)
	one := files.Expand(at("x + yy"), at("1, 2"), id)
	h := files.Add("b.h", "z\n", at("include"))
	b := NewBag(files, Options{})
	b.Errorf(plus, "cannot add").Range(one, yy)
	b.Errorf(h.Pos(0), "what is z")
	const want = "a.cl:2:9: error: cannot add\nint i = ADD(1, 2);\n        ^\n" +
		"a.cl:1:21: note: expanded from macro 'ADD'\n#define ADD(x, y) x + yy\n                  ~~^~~~\n" +
		"In file included from a.cl:3:\nb.h:1:1: error: what is z\nz\n^\n2 errors generated.\n"
	if got := b.Render(Style{}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	items := b.Items()
	if len(items) != 2 || items[0].Line != 2 || items[0].Column != 9 || items[0].EndColumn != 12 || len(items[0].Notes) != 1 || items[0].Notes[0].Line != 1 {
		s, _ := json.Marshal(items)
		t.Errorf("%s", s)
	}
}

// TestLongLine prints errors in a line without end in little time.
func TestLongLine(t *testing.T) {
	files := source.NewSet()
	f := files.Add("a.cl", strings.Repeat("x + ", 1<<21), 0)
	b := NewBag(files, Options{})
	for i := range 900 {
		b.Errorf(f.Pos(i*9000), "x").Range(f.Pos(0), f.Pos(len(f.Text)))
	}
	if s := b.Render(Style{}); len(s) > 1<<20 {
		t.Errorf("%d bytes are printed", len(s))
	}
}

// TestParseOptions has options of warnings.
func TestParseOptions(t *testing.T) {
	for _, c := range []struct {
		args, on, off, errors, unknown string
	}{
		{"", "macro-redefined unused-value dangling-else", "shadow unused-variable unused-parameter sign-compare", "", ""},
		{"-Wall", "unused-variable unused-function uninitialized logical-op-parentheses", "unused-parameter shadow", "", ""},
		{"-Wextra", "unused-parameter sign-compare empty-body", "shadow unused-variable", "", ""},
		{"-Weverything", "shadow conversion switch-enum", "", "", ""},
		{"-Wall -Wno-unused", "uninitialized", "unused-variable unused-function unused-value", "", ""},
		{"-Wno-parentheses", "", "parentheses dangling-else", "", ""},
		{"-Wconversion", "conversion float-conversion implicit-int-conversion shorten-64-to-32", "shadow", "", ""},
		{"-Wshadow -Wno-shadow", "", "shadow", "", ""},
		{"-Werror=shadow", "shadow", "", "shadow", ""},
		{"-Werror=shadow -Wno-error=shadow", "shadow", "", "", ""},
		{"-Wnonsense -Wno-nonsense -Werror=nonsense -Wall", "unused-variable", "", "", "-Wnonsense -Wno-nonsense -Werror=nonsense"},
		{"-pedantic", "pedantic", "shadow", "", ""},
		{"-pedantic-errors", "pedantic", "", "pedantic", ""},
		{"-O2 -cl-std=CL3.0 file.cl", "", "", "", ""},
	} {
		o, unknown := ParseOptions(strings.Fields(c.args))
		if got := strings.Join(unknown, " "); got != c.unknown {
			t.Errorf("%s: unknown are %s", c.args, got)
		}
		for _, n := range strings.Fields(c.on) {
			if o.Disabled[n] {
				t.Errorf("%s: %s is off", c.args, n)
			}
		}
		for _, n := range strings.Fields(c.off) {
			if !o.Disabled[n] {
				t.Errorf("%s: %s is on", c.args, n)
			}
		}
		for _, n := range strings.Fields(c.errors) {
			if !o.Errors[n] {
				t.Errorf("%s: %s is no error", c.args, n)
			}
		}
		if c.errors == "" && slices.Contains([]bool{o.Errors["shadow"], o.AllErrors}, true) {
			t.Errorf("%s: there are errors", c.args)
		}
	}
	o, _ := ParseOptions([]string{"-w"})
	b := NewBag(source.NewSet(), o)
	if b.Warnf("macro-redefined", 0, "x") != nil || b.Enabled("macro-redefined") {
		t.Error("-w leaves warnings")
	}
	o, _ = ParseOptions([]string{"-Werror", "-Wno-error=multichar"})
	b = NewBag(source.NewSet(), o)
	b.Warnf("multichar", 0, "x")
	b.Warnf("undef", 0, "x")
	b.Warnf("macro-redefined", 0, "x")
	if b.Warnings() != 1 || b.Errors() != 1 {
		t.Errorf("%d warnings and %d errors", b.Warnings(), b.Errors())
	}
	if s := NearestOption("-Wno-unused-varable"); s != "-Wno-unused-variable" {
		t.Error(s)
	}
}

// TestPragmas has #pragma clang diagnostic.
func TestPragmas(t *testing.T) {
	b := NewBag(source.NewSet(), DefaultOptions())
	give := func() Severity {
		if d := b.Warnf("parentheses-equality", 0, "x"); d != nil {
			return d.Severity
		}
		return Note
	}
	steps := []struct {
		do   func() bool
		want Severity
	}{
		{func() bool { return true }, Warning},
		{func() bool { b.Push(); return b.Set("parentheses", "ignored") }, Note},
		{func() bool { return b.Set("parentheses-equality", "error") }, Error},
		{func() bool { return b.Set("parentheses", "warning") }, Warning},
		{func() bool { return b.Pop() }, Warning},
		{func() bool { return !b.Pop() && !b.Set("nonsense", "ignored") }, Warning},
	}
	for i, s := range steps {
		if !s.do() {
			t.Errorf("step %d fails", i)
		}
		if got := give(); got != s.want {
			t.Errorf("step %d: %v", i, got)
		}
	}
}

// TestNearest has misspelt names.
func TestNearest(t *testing.T) {
	names := []string{"get_global_id", "get_global_size", "get_local_id", "float4", "x", "Value"}
	for in, want := range map[string]string{
		"get_globl_id": "get_global_id", "get_gobal_size": "get_global_size", "flaot4": "float4", "GET_LOCAL_ID": "get_local_id",
		"value": "Value", "nothing_like_it": "", "y": "x", "get_global_id": "get_global_id", "": "",
	} {
		if got := Nearest(in, names); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1}, {"abc", "xabc", 1}, {"abc", "xyz", 3}, {"kitten", "sitting", 3}} {
		if got := Distance(c.a, c.b, 9); got != c.want {
			t.Errorf("%s to %s: %d", c.a, c.b, got)
		}
	}
}

// TestFlags compares the table with the warnings that the packages of the compiler give.
func TestFlags(t *testing.T) {
	rows := make(map[string]bool)
	for _, f := range Flags {
		if rows[f.Name] || f.Help == "" || strings.HasSuffix(f.Help, ".") {
			t.Errorf("the row of %s is not right", f.Name)
		}
		rows[f.Name] = true
	}
	paths, err := filepath.Glob("../*/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("no sources", err)
	}
	call := regexp.MustCompile(`\b(?:Warnf|Enabled|ignored)\((?:t, |&t, )?"([^"]+)"`)
	found := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range call.FindAllStringSubmatch(string(text), -1) {
			if found++; !rows[m[1]] {
				t.Errorf("%s: %s has no row in Flags", path, m[1])
			}
		}
	}
	if found == 0 {
		t.Error("no warning was found")
	}
}
