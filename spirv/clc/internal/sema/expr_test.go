package sema_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/diag"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/parse"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/pp"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/sema"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/source"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/token"
	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/tree"
)

var update = flag.Bool("update", false, "write the golden files anew")

// compile reads a source and returns its tree, and what was said about it. Options are -W options.
func compile(t testing.TB, text string, version lang.Version, options ...string) (*tree.Unit, *diag.Bag,
	*source.Set) {
	t.Helper()
	o := lang.Default()
	o.Version = version
	files := source.NewSet()
	opts, unknown := diag.ParseOptions(options)
	if len(unknown) > 0 {
		t.Fatalf("unknown options %v", unknown)
	}
	opts.MaxErrors, opts.MaxWarnings = 1<<20, 1<<20
	bag := diag.NewBag(files, opts)
	names := token.NewNames()
	p := pp.New(files, names, bag, pp.Config{Lang: &o, Name: "t.cl", Text: text})
	return parse.Unit(p, sema.New(&o, files, names, bag)), bag, files
}

// Cases of the expression tests are lines: "?" and an expression whose type is wanted, "@" and a declaration
// at program scope, or a statement. Each stands in a function of its own behind the declarations of
// prologue.txt.
type exprCases struct {
	version lang.Version // 3.0, or what the file's name ends in
	options []string
	lines   []string
	source  string
	line    map[int]int // lines of source to cases
}

func readCases(t *testing.T, file string) exprCases {
	t.Helper()
	prologue, err := os.ReadFile("testdata/expr/prologue.txt")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	top, params, _ := strings.Cut(string(prologue), "----\n")
	c := exprCases{version: lang.CL30, line: map[int]int{}, options: noise}
	if first, _, _ := strings.Cut(string(text), "\n"); strings.HasPrefix(first, "// options: ") {
		c.options = append(strings.Fields(first[len("// options: "):]), noise...)
	}
	for end, v := range map[string]lang.Version{"10": lang.CL10, "11": lang.CL11, "12": lang.CL12,
		"20": lang.CL20} {
		if strings.HasSuffix(file, "_cl"+end+".txt") {
			c.version = v
		}
	}
	var b strings.Builder
	b.WriteString(top)
	add := func(before, s, after string) {
		b.WriteString(before)
		c.line[strings.Count(b.String(), "\n")+1] = len(c.lines) - 1
		b.WriteString(s + "\n" + after)
	}
	for _, l := range strings.Split(string(text), "\n") {
		if strings.TrimSpace(l) == "" || strings.HasPrefix(l, "//") {
			continue
		}
		c.lines = append(c.lines, l)
		if l[0] == '@' {
			add("", l[1:], "")
			continue
		}
		s := l
		switch {
		case l[0] == '?':
			s = fmt.Sprintf("struct ZZ zz%d = (%s);", len(c.lines), l[1:])
		case !strings.HasSuffix(l, ";") && !strings.HasSuffix(l, "}"):
			s += ";"
		}
		add(strings.ReplaceAll(params, "NAME", "test"+strconv.Itoa(len(c.lines)))+"\n", s, "}\n")
	}
	c.source = b.String()
	return c
}

// verdict is what a compiler says of a case.
type verdict struct {
	typ   string
	err   bool
	flags []string
}

func (v *verdict) String() string {
	s := ""
	if v.typ != "" {
		s = " " + v.typ
	}
	if v.err {
		s += " ERROR"
	}
	slices.Sort(v.flags)
	for _, f := range slices.Compact(v.flags) {
		s += " -W" + f
	}
	if s == "" {
		return " ok"
	}
	return s
}

var probed = regexp.MustCompile(`^cannot initialize 'struct ZZ' with '(.*)'$`)

// ours compiles cases with the package. It also returns the messages.
func ours(t *testing.T, c exprCases) (out []verdict, messages [][]string) {
	_, bag, files := compile(t, c.source, c.version, c.options...)
	out, messages = make([]verdict, len(c.lines)), make([][]string, len(c.lines))
	for _, d := range bag.List {
		k, ok := c.line[files.Position(d.Pos).Line]
		if !ok {
			if d.Severity >= diag.Error {
				t.Errorf("%v: %s", files.Position(d.Pos), d.Message)
			}
			continue
		}
		if m := probed.FindStringSubmatch(d.Message); m != nil {
			out[k].typ = m[1]
			continue
		}
		text := fmt.Sprintf("%s: %s", d.Severity, d.Message)
		if d.Flag != "" {
			text += " [-W" + d.Flag + "]"
		}
		if d.Fix != "" {
			text += " {" + d.Fix + "}"
		}
		messages[k] = append(messages[k], text)
		for _, n := range d.Notes {
			messages[k] = append(messages[k], "  note: "+n.Message)
		}
		switch {
		case d.Severity >= diag.Error:
			out[k].err = true
		case d.Flag == "double-constant":
			out[k].flags = append(out[k].flags, "none") // clang has no name for it
		default:
			out[k].flags = append(out[k].flags, d.Flag)
		}
	}
	return out, messages
}

var (
	clangLine  = regexp.MustCompile(`^\S*:(\d+):\d+: (error|warning): (.*)$`)
	clangFlag  = regexp.MustCompile(` \[-W([a-z0-9-]+)\]$`)
	clangProbe = regexp.MustCompile(`initializing '(?:__private )?struct ZZ' with an expression of incompatible type '([^']*)'`)
	clangVec   = regexp.MustCompile(` __attribute__\(\(ext_vector_type\((\d+)\)\)\)`)
)

// clangType writes a type of clang's as package types does.
func clangType(s string) string {
	s = clangVec.ReplaceAllString(s, "$1")
	s = strings.NewReplacer("unsigned long long", "ulong", "long long", "long", "unsigned char", "uchar",
		"unsigned short", "ushort",
		"unsigned int", "uint", "unsigned long", "ulong", "size_t", "ulong", "long double", "double", "_Float16", "half",
		"__private ", "", "*__private", "*", "__read_only ", "read_only ").Replace(s)
	if !strings.Contains(s, "*") {
		for _, q := range []string{"const ", "volatile ", "const ", "__global ", "__local ", "__generic ",
			"__constant "} {
			s = strings.TrimPrefix(s, q)
		}
	}
	s = strings.ReplaceAll(s, "* *", "**")
	if rest, ok := strings.CutPrefix(s, "const "); ok {
		for _, space := range []string{"__global ", "__local ", "__generic ", "__constant "} {
			if r, ok := strings.CutPrefix(rest, space); ok {
				return space + "const " + r
			}
		}
	}
	return s
}

func clangs(t *testing.T, c exprCases) []verdict {
	t.Helper()
	out, ok := clangVerdicts(t, c)
	if !ok {
		t.Fatal("clang has crashed")
	}
	return out
}

func clangVerdicts(t *testing.T, c exprCases) (out []verdict, ok bool) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "t.cl")
	if err := os.WriteFile(file, []byte(c.source), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-cl-std=" + map[lang.Version]string{lang.CL10: "CL1.0", lang.CL11: "CL1.1",
		lang.CL12: "CL1.2",
		lang.CL20: "CL2.0", lang.CL30: "CL3.0"}[c.version], "-target", "spir64", "-Xclang", "-finclude-default-header", "-fsyntax-only",
		"-ferror-limit=0", "-fno-caret-diagnostics", "-Wno-unknown-warning-option"}, c.options...)
	text, _ := exec.Command("clang-15", append(args, file)...).CombinedOutput()
	out = make([]verdict, len(c.lines))
	for _, l := range strings.Split(string(text), "\n") {
		m := clangLine.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		k, ok := c.line[n]
		if !ok {
			continue
		}
		if p := clangProbe.FindStringSubmatch(m[3]); p != nil {
			out[k].typ = clangType(p[1])
			continue
		}
		if m[2] == "error" {
			out[k].err = true
		} else if f := clangFlag.FindStringSubmatch(m[3]); f != nil {
			out[k].flags = append(out[k].flags, f[1])
		} else {
			out[k].flags = append(out[k].flags, "none")
		}
	}
	return out, !strings.Contains(string(text), "PLEASE submit a bug report")
}

var noise = []string{"-Wno-unused-variable"}

// TestExpressions compares types, errors and warnings of expressions with golden files, which also have the
// messages.
func TestExpressions(t *testing.T) {
	files, _ := filepath.Glob("testdata/expr/*.txt")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if name == "prologue" || name == "differences" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := readCases(t, file)
			verdicts, messages := ours(t, c)
			var b strings.Builder
			for k, l := range c.lines {
				fmt.Fprintf(&b, "%s =>%s\n", l, &verdicts[k])
				for _, m := range messages[k] {
					fmt.Fprintf(&b, "\t%s\n", m)
				}
			}
			golden := strings.TrimSuffix(file, ".txt") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("differs from %s (see -update):\n%s", golden, firstDifference(b.String(), string(want)))
			}
		})
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			other := ""
			if i < len(w) {
				other = w[i]
			}
			return fmt.Sprintf("line %d\n got %s\nwant %s", i+1, g[i], other)
		}
	}
	return "the end is missing"
}

// TestExpressionsAgainstClang compares types, errors and warnings with those of clang-15, if it is there.
// Differences that are meant are in differences.txt: the case, " => ", and the reason.
func TestExpressionsAgainstClang(t *testing.T) {
	if testing.Short() {
		t.Skip("runs another compiler")
	}
	if _, err := exec.LookPath("clang-15"); err != nil {
		t.Skip("there is no clang-15")
	}
	known := map[string]bool{}
	if text, err := os.ReadFile("testdata/expr/differences.txt"); err == nil {
		for _, l := range strings.Split(string(text), "\n") {
			if name, _, ok := strings.Cut(l, " => "); ok {
				known[name] = true
			}
		}
	}
	files, _ := filepath.Glob("testdata/expr/*.txt")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if name == "prologue" || name == "differences" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			c := readCases(t, file)
			a, messages := ours(t, c)
			b := clangs(t, c)
			for k, l := range c.lines {
				got, want := a[k].String(), b[k].String()
				if a[k].err && b[k].err {
					got, want = "", ""
				}
				if got != want && !known[l] {
					t.Errorf("%s\n\tours: %s\n\tclang:%s\n\t%s", l, got, want, strings.Join(messages[k], "\n\t"))
				}
			}
		})
	}
}
