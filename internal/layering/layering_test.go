// Package layering holds no code but a test: the table "Packages, and who may
// import whom" of ARCHITECTURE.md is compared with the import lines of every
// package of the root module.
package layering

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/lockstep-gpu/lockstep"
	marker = "<!-- imports:"
)

// thirdParty has the modules that the root module may depend on, with the folder
// whose packages may import them; "" is for all packages. Tests may import any.
var thirdParty = map[string]string{
	"golang.org/x/sync":        "",
	"golang.org/x/sys":         "",
	"golang.org/x/term":        "",
	"github.com/google/go-dap": "cmd/lockstep",
	"github.com/google/go-cmp": onlyTests,
}

// onlyTests is the folder of a module that no package may import.
const onlyTests = "tests"

// table maps a package's path inside the module to the paths that it may import.
type table map[string][]string

// parseTable reads the Markdown table behind the marker in an architecture document.
func parseTable(doc string) (table, []string, error) {
	_, rest, ok := strings.Cut(doc, marker)
	if !ok {
		return nil, nil, fmt.Errorf("no %q in the document", marker)
	}
	t := table{}
	var order []string
	in := false
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if in {
				break
			}
			continue
		}
		in = true
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 3 {
			return nil, nil, fmt.Errorf("a row has %d cells, not 3: %s", len(cells), line)
		}
		names := quoted(cells[0])
		if len(names) == 0 {
			continue // the head of the table
		}
		if _, twice := t[names[0]]; twice || len(names) != 1 {
			return nil, nil, fmt.Errorf("a row is not about one package, or the second about it: %s", line)
		}
		t[names[0]] = quoted(cells[2])
		order = append(order, names[0])
	}
	for name, allowed := range t {
		for _, dep := range allowed {
			if _, known := t[dep]; !known {
				return nil, nil, fmt.Errorf("the row of %s names %s, which has no row", name, dep)
			}
		}
	}
	return t, order, nil
}

// quoted returns what stands between backquotes.
func quoted(cell string) []string {
	var names []string
	parts := strings.Split(cell, "`")
	for i := 1; i < len(parts); i += 2 {
		names = append(names, parts[i])
	}
	return names
}

// cycle returns a package that can reach itself over the table's arrows, or "".
func (t table) cycle() string {
	const (
		open   = 1
		closed = 2
	)
	state := map[string]int{}
	var visit func(string) bool
	visit = func(name string) bool {
		if state[name] != 0 {
			return state[name] == open
		}
		state[name] = open
		if slices.ContainsFunc(t[name], visit) {
			return true
		}
		state[name] = closed
		return false
	}
	for name := range t {
		if visit(name) {
			return name
		}
	}
	return ""
}

// owner returns the row that a package falls under: a package under an internal
// folder belongs to the package that holds the folder.
func (t table) owner(dir string) string {
	if _, ok := t[dir]; ok {
		return dir
	}
	before, _, found := strings.Cut(dir+"/", "/internal/")
	if found {
		return before
	}
	return dir
}

// source is one Go file of the root module.
type source struct {
	dir, file string
	test      bool
	imports   []string
}

// sources reads the import lines of all files of the module, not those of
// nested modules and of testdata.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			base := d.Name()
			if rel != "." && (base == "testdata" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return filepath.SkipDir
			}
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil && rel != "." {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(rel, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{dir: path.Dir(rel), file: rel, test: strings.HasSuffix(rel, "_test.go")}
		for _, imp := range f.Imports {
			p, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, p)
		}
		list = append(list, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// complaint says what is wrong with one import of s, or "".
func (t table) complaint(s source, imp string) string {
	if inside, ok := strings.CutPrefix(imp, module+"/"); ok {
		from, to := t.owner(s.dir), t.owner(inside)
		if s.test || from == to || slices.Contains(t[from], to) {
			return ""
		}
		return fmt.Sprintf("%s imports %s, which the row of %s in ARCHITECTURE.md does not allow", s.file, inside, from)
	}
	if first, _, _ := strings.Cut(imp, "/"); !strings.Contains(first, ".") {
		if imp == "C" {
			return s.file + " uses cgo"
		}
		return ""
	}
	for name, folder := range thirdParty {
		if imp != name && !strings.HasPrefix(imp, name+"/") {
			continue
		}
		if s.test || folder == "" || s.dir == folder || strings.HasPrefix(s.dir, folder+"/") {
			return ""
		}
	}
	return fmt.Sprintf("%s imports %s; the root module may not depend on that", s.file, imp)
}

func architecture(t *testing.T) (table, []string) {
	t.Helper()
	doc, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows, order, err := parseTable(string(doc))
	if err != nil {
		t.Fatal(err)
	}
	return rows, order
}

func TestImportsFollowTheTable(t *testing.T) {
	rows, order := architecture(t)
	if c := rows.cycle(); c != "" {
		t.Errorf("the table lets %s import itself through others", c)
	}
	present := map[string]bool{}
	for _, s := range sources(t) {
		row := rows.owner(s.dir)
		present[row] = true
		if _, ok := rows[row]; !ok {
			t.Errorf("%s: package %s has no row in ARCHITECTURE.md", s.file, row)
			continue
		}
		for _, imp := range s.imports {
			if c := rows.complaint(s, imp); c != "" {
				t.Error(c)
			}
		}
	}
	for _, name := range order {
		if !present[name] {
			t.Errorf("ARCHITECTURE.md has a row for %s, and there is no such package", name)
		}
	}
}

func TestTableRules(t *testing.T) {
	rows, order, err := parseTable(`text
| not | this | table |
` + marker + ` here
| package | holds | may import |
| --- | --- | --- |
| ` + "`a`" + ` | x | – |
| ` + "`b/c` | y | `a`" + ` |
behind
| ` + "`d` | z | `a`" + ` |
`)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(order, []string{"a", "b/c"}) {
		t.Fatalf("rows %v", order)
	}
	for _, c := range []struct {
		dir, imp string
		test     bool
		bad      bool
	}{
		{"b/c", module + "/a", false, false},
		{"a", module + "/b/c", false, true},
		{"a", module + "/b/c", true, false},
		{"a/internal/x", module + "/a", false, false},
		{"b/c/internal/x", module + "/a/internal/y", false, false},
		{"a/internal/x", module + "/b/c", false, true},
		{"a", "go/parser", false, false},
		{"a", "C", false, true},
		{"a", "golang.org/x/sys/cpu", false, false},
		{"a", "golang.org/x/system", false, true},
		{"a", "github.com/google/go-cmp/cmp", false, true},
		{"a", "github.com/google/go-cmp/cmp", true, false},
		{"a", "github.com/google/go-dap", false, true},
		{"cmd/lockstep/internal/dap", "github.com/google/go-dap", false, false},
		{"cmd/lockstepper", "github.com/google/go-dap", false, true},
	} {
		s := source{dir: c.dir, file: c.dir + "/f.go", test: c.test}
		if got := rows.complaint(s, c.imp); (got != "") != c.bad {
			t.Errorf("%s importing %s (test %v): %q", c.dir, c.imp, c.test, got)
		}
	}
	if rows.cycle() != "" {
		t.Error("a cycle where there is none")
	}
	rows["a"] = []string{"b/c"}
	if rows.cycle() == "" {
		t.Error("no cycle where there is one")
	}
	for _, bad := range []string{
		"no table",
		marker + "\n| `a` | x |",
		marker + "\n| `a` | x | `b` |",
		marker + "\n| `a` | x | – |\n| `a` | x | – |",
	} {
		if _, _, err := parseTable(bad); err == nil {
			t.Errorf("accepted %q", bad)
		}
	}
}
