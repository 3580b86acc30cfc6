package parse

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"
)

var (
	update = flag.Bool("update", false, "rewrite golden files")
	newer  = flag.String("newer", "", "a newer clang, such as clang-19: list where it says something else, which takes a minute")
	again  = flag.Bool("clang", false, "with -update: ask clang about all snippets, not only about new ones")
)

// snippet is a small source for one version of the language.
type snippet struct {
	version lang.Version
	text    string
	line    string // as in the file
}

var versions = map[string]lang.Version{"1.0": lang.CL10, "1.1": lang.CL11, "1.2": lang.CL12, "2.0": lang.CL20,
	"3.0": lang.CL30}

func readSnippets(t testing.TB) []snippet {
	t.Helper()
	b, err := os.ReadFile("testdata/snippets.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []snippet
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' && !strings.HasPrefix(line, "#pragma") {
			continue
		}
		s := snippet{version: lang.CL30, text: line, line: line}
		if v, rest, ok := strings.Cut(line, "|"); ok && versions[v] != 0 {
			s.version, s.text = versions[v], rest
		}
		s.text = strings.ReplaceAll(s.text, `\n`, "\n") + "\n"
		list = append(list, s)
	}
	return list
}

// verdict is what a compiler says about a source.
func verdict(ok bool) string {
	if ok {
		return "takes"
	}
	return "refuses"
}

// readGolden returns what the golden file says about each snippet.
func readGolden() map[string]string {
	golden := map[string]string{}
	f, err := os.Open("testdata/snippets.golden")
	if err != nil {
		return golden
	}
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if v, line, ok := strings.Cut(sc.Text(), ": "); ok {
			golden[line] = v
		}
	}
	return golden
}

// wanted returns what a line of the golden file says about clang and about us.
func wanted(v string) (clang, we string) {
	if both, ok := strings.CutPrefix(v, "both "); ok {
		return both, both
	}
	clang, we, _ = strings.Cut(strings.TrimPrefix(v, "clang "), ", we ")
	return clang, we + "s"
}

// TestSnippets compares which sources are taken with testdata/snippets.golden: "both" is clang-15 and we; where we say
// something else than clang, we do it on purpose. -update asks clang about snippets that are new.
func TestSnippets(t *testing.T) {
	golden := readGolden()
	var out strings.Builder
	for _, s := range readSnippets(t) {
		p := parseText(s.text, s.version)
		ours := verdict(p.bag.Errors() == 0)
		clang, want := wanted(golden[s.line])
		if *update {
			if clang == "" || *again {
				clang = verdict(runClang(t, "clang-15", s))
			}
			v := "both " + ours
			if ours != clang {
				v = "clang " + clang + ", we " + strings.TrimSuffix(ours, "s")
			}
			fmt.Fprintf(&out, "%s: %s\n", v, s.line)
			continue
		}
		if ours != want {
			t.Errorf("%s\nwant %q, got %q:\n%s", s.line, want, ours, p.messages())
		}
	}
	if *update {
		if err := os.WriteFile("testdata/snippets.golden", []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestClang asks clang-15, where it is installed, whether the golden file is right about it: about some snippets only,
// since each run takes a while.
func TestClang(t *testing.T) {
	if _, err := exec.LookPath("clang-15"); err != nil || testing.Short() {
		t.Skip("clang-15 is not installed, or -short")
	}
	golden := readGolden()
	for i, s := range readSnippets(t) {
		if i%29 != 0 {
			continue
		}
		if want, _ := wanted(golden[s.line]); verdict(runClang(t, "clang-15", s)) != want {
			t.Errorf("%s\nthe golden file says that clang %s it, which is not so", s.line, want)
		}
	}
}

// TestNewerClang asks a newer clang about all snippets. What it says otherwise than clang-15 is in
// testdata/newer.golden, which is about clang-19.
func TestNewerClang(t *testing.T) {
	if *newer == "" {
		t.Skip("takes a minute: -newer clang-19")
	}
	golden := readGolden()
	var out strings.Builder
	for _, s := range readSnippets(t) {
		old, ours := wanted(golden[s.line])
		if now := verdict(runClang(t, *newer, s)); now != old {
			fmt.Fprintf(&out, "newer %s, older %s, we %s: %s\n", now, old, ours, s.line)
		}
	}
	const name = "testdata/newer.golden"
	if *update {
		if err := os.WriteFile(name, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), out.String()); d != "" {
		t.Errorf("(-golden +now)\n%s", d)
	}
}

// runClang reports whether clang takes a source.
func runClang(t *testing.T, program string, s snippet) bool {
	t.Helper()
	name := filepath.Join(t.TempDir(), "s.cl")
	if err := os.WriteFile(name, []byte(s.text), 0o666); err != nil {
		t.Fatal(err)
	}
	std := fmt.Sprintf("-cl-std=CL%d.%d", s.version/100, s.version/10%10)
	return exec.Command(program, std, "-target", "spir64", "-fsyntax-only", "-w", "-Xclang", "-finclude-default-header",
		name).Run() == nil
}
