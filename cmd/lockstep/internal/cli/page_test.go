package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"
)

// hostile is a source whose comment would be a script, if a page did not escape it.
const hostile = `/* </td><script>alert(1)</script> ` + "\u202e" + ` */
kernel void k(global int *p)
{
	p[get_global_id(0)] = 1; // "<b>&
}
`

// TestPage holds that a page has the counts and the findings in place, nothing that a browser runs or loads,
// and the same bytes at every run.
func TestPage(t *testing.T) {
	files := fstest.MapFS{"<i>.cl": &fstest.MapFile{Data: []byte(hostile)}}
	page := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		env := &Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Stat: files.Stat,
			Open: func(path string) (io.ReadCloser, error) { return files.Open(path) }}
		Main(context.Background(), append([]string{"run", "<i>.cl", "-arg", "zero:i32:64", "-report", "-", "-q"}, args...), env)
		if stdout.Len() == 0 {
			t.Fatal(stderr.String())
		}
		return stdout.String()
	}
	right := page("-global", "64")
	for _, want := range []string{"<!DOCTYPE html>", "no findings", "&lt;i&gt;.cl", "prefers-color-scheme: dark", "&#34;&lt;b&gt;&amp;", "<td>256 of 256</td>", "<td>0 %</td>", "<svg "} {
		if !strings.Contains(right, want) {
			t.Errorf("the page has no %s:\n%s", want, right)
		}
	}
	for _, bad := range []string{"<script", "<i>", "<b>", "\u202e", "src=", "http://", "https://", "url("} {
		if strings.Contains(right, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if n := strings.Count(right, "href="); n == 0 || n != strings.Count(right, `href="#`) {
		t.Error("a link of the page leads out of it, or there is none")
	}
	if again := page("-global", "64", "-workers", "3"); again != right {
		t.Errorf("another run gives another page: %s", difference(right, again))
	}
	wrong := page("-global", "65")
	row := `<td class="source">    p[get_global_id(0)] = 1;`
	_, after, ok := strings.Cut(wrong, row)
	if !ok || !strings.Contains(wrong, "1 error: E-OOB") {
		t.Fatalf("the page has no line or no result:\n%s", wrong)
	}
	if next := strings.SplitN(after, "\n", 3)[1]; !strings.Contains(next, `class="finding error"`) || !strings.Contains(next, "E-OOB") {
		t.Errorf("the finding is not below its line, but %s", next)
	}
}

// TestPageFile holds which lines of a source a page shows.
func TestPageFile(t *testing.T) {
	shown := func(text []string, lines ...*pageLine) string {
		f := &pageFile{byNumber: map[uint32]*pageLine{}}
		for _, l := range lines {
			f.byNumber[l.Number] = l
		}
		f.complete(text)
		var b strings.Builder
		for _, l := range f.Lines {
			if l.Gap {
				b.WriteString("…\n")
				continue
			}
			fmt.Fprintf(&b, "%d %s\n", l.Number, l.Text)
		}
		return b.String()
	}
	text := []string{"one", "\ttwo", "three"}
	for _, test := range []struct {
		name  string
		text  []string
		lines []*pageLine
		want  string
	}{
		{"the whole file", text, []*pageLine{{Number: 2, Text: "two"}}, "1 one\n2     two\n3 three\n"},
		{"a file that has changed", text, []*pageLine{{Number: 2, Text: "zwei"}}, "…\n2 zwei\n"},
		{"a line past the end", text, []*pageLine{{Number: 1<<32 - 1, Text: "x"}, {Number: 1}}, "1 \n…\n4294967295 x\n"},
		{"no file", nil, []*pageLine{{Number: 1, Text: "one"}, {Number: 3, Text: strings.Repeat("é", maxPageLine)}}, "1 one\n…\n3 " + strings.Repeat("é", maxPageLine/2) + "…\n"},
		{"a long file", make([]string, maxPageLines+1), []*pageLine{{Number: 2}}, "…\n2 \n"},
	} {
		if got := shown(test.text, test.lines...); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestPageReadsOwnFiles holds that a page does not show files of the machine that a module names.
func TestPageReadsOwnFiles(t *testing.T) {
	files := fstest.MapFS{"race.cl": {Data: []byte("kernel void race(global int *a)\n{\n\ta[0]++;\n}\n")}}
	read := ""
	env := &Env{Stat: files.Stat, Open: func(path string) (io.ReadCloser, error) {
		read = path
		return files.Open(path)
	}}
	r := &run{launches: []*launch{{part: &partOptions{path: "race.cl"}}}}
	for _, name := range []string{"/etc/passwd", "../secret", "a/../../secret", ""} {
		if lines := r.sourceLines(env, name); lines != nil || read != "" {
			t.Errorf("%q is read from %s", name, read)
		}
	}
	if lines := r.sourceLines(env, "race.cl"); len(lines) < 4 {
		t.Errorf("the source on the command line has the lines %q", lines)
	}
}
