package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
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
		env := &cmdline.Env{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Stat: files.Stat,
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
