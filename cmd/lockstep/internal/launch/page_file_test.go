//go:build !browser

package launch

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/cmdline"
)

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
	env := &cmdline.Env{Stat: files.Stat, Open: func(path string) (io.ReadCloser, error) {
		read = path
		return files.Open(path)
	}}
	r := &Run{Launches: []*Launch{{Part: &partOptions{Path: "race.cl"}}}}
	for _, name := range []string{"/etc/passwd", "../secret", "a/../../secret", ""} {
		if lines := r.sourceLines(env, name); lines != nil || read != "" {
			t.Errorf("%q is read from %s", name, read)
		}
	}
	if lines := r.sourceLines(env, "race.cl"); len(lines) < 4 {
		t.Errorf("the source on the command line has the lines %q", lines)
	}
}
